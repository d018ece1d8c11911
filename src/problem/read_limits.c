// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section limits: a quantity, its bounds, and the knots at which they hold. An entry with `robot: true` becomes two
// limits, of the positions and of the velocities of its joints, with the numbers of the model. Efforts are limits of the
// actuators, which every plan keeps.

#include "problem/read_limits.h"

#include "model/model.h"
#include "trajopt/quantities.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// ---- bounds ----

// a number, or `none`
static void read_one(trxi_reader *reader, const trxi_yaml_node *node, const char *key, double *bound)
{
    const bool none = node->kind == TRXI_YAML_SCALAR && !node->quoted && strcmp(node->text, "none") == 0;
    if (!none) trxi_read_number(reader, node, key, bound);
}

// one bound for all components, or a list with one for each
static void read_bounds(trxi_reader *reader, const trxi_yaml_node *node, const char *key, int count, double *bounds)
{
    if (!node) return;
    if (node->kind != TRXI_YAML_SEQUENCE) {
        read_one(reader, node, key, &bounds[0]);
        for (int i = 1; i < count; i++) bounds[i] = bounds[0];
        return;
    }
    if (node->count != count) {
        trxi_error_at(reader->context, node->source, "%s: expected a list of %d numbers, found %d", key, count, node->count);
        return;
    }
    for (int i = 0; i < count; i++) read_one(reader, node->items[i], key, &bounds[i]);
}

static double *take_bounds(trxi_reader *reader, int count, double value)
{
    double *bounds = TRXI_READER_TAKE(reader, double, count);
    for (int i = 0; bounds && i < count; i++) bounds[i] = value;
    return bounds;
}

// ---- entries ----

enum { RUNNING, END, ALL };

static const char *const time_words[] = {"running", "end", "all"};

typedef struct limit_record {
    const trxi_yaml_node *of, *target, *min, *max, *equal, *knots;
    int at;
    double time[2];
    double tolerance;
    bool robot;
} limit_record;

static const trxi_field limit_fields[] = {
    TRXI_FIELD("of", TRXI_NODE, limit_record, of, .required = true),
    TRXI_FIELD("target", TRXI_NODE, limit_record, target),
    TRXI_FIELD("min", TRXI_NODE, limit_record, min),
    TRXI_FIELD("max", TRXI_NODE, limit_record, max),
    TRXI_FIELD("equal", TRXI_NODE, limit_record, equal),
    TRXI_FIELD("robot", TRXI_BOOL, limit_record, robot),
    TRXI_FIELD("at", TRXI_WORD, limit_record, at, .words = time_words, .count = 3),
    TRXI_FIELD("knots", TRXI_NODE, limit_record, knots),
    TRXI_FIELD("time", TRXI_RANGE, limit_record, time),
    TRXI_FIELD("tolerance", TRXI_POSITIVE, limit_record, tolerance),
};

// [first, last]
static void read_knots(trxi_reader *reader, const trxi_yaml_node *node, trxi_limit_entry *entry)
{
    static const trxi_field knot = {.key = "knots", .kind = TRXI_INDEX};
    int knots[2] = {0, 0};
    if (node->kind != TRXI_YAML_SEQUENCE || node->count != 2) {
        trxi_error_at(reader->context, node->source, "knots: write [first, last]");
        return;
    }
    for (int i = 0; i < 2; i++)
        if (!trxi_read_value(reader, node->items[i], &knot, &knots[i])) return;
    if (knots[0] > knots[1]) trxi_error_at(reader->context, node->source, "knots: the first number must not be above the second");
    entry->first = knots[0];
    entry->last = knots[1];
}

static void read_when(trxi_reader *reader, const trxi_yaml_node *node, const limit_record *record, trxi_limit_entry *entry)
{
    static const char *const keys[] = {"at", "knots", "time"};
    const char *given = NULL;
    for (int i = 0; i < 3; i++) {
        const trxi_yaml_node *value = trxi_yaml_get(node, keys[i]);
        if (value && given)
            trxi_error_at(reader->context, trxi_key_source(node, keys[i]), "%s: %s is given too: keep one", keys[i], given);
        if (!value || given) continue;
        given = keys[i];
        entry->when_source = value->source;
    }
    entry->first = 0;
    entry->last = INT_MAX;
    entry->end = record->at == END;
    if (record->at == RUNNING) entry->last = INT_MAX - 1;
    if (record->knots) read_knots(reader, record->knots, entry);
    entry->timed = trxi_yaml_get(node, "time") != NULL;
    entry->from = record->time[0];
    entry->to = record->time[1];
}

// reads an entry with robot: true. Its bounds are the limits of the joints, so it has no min, max, equal or target
static void read_robot(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, const limit_record *record,
                       trxi_limit_entry *entry)
{
    static const char *const not_with[] = {"min", "max", "equal", "target"};
    for (int i = 0; i < 4; i++)
        if (trxi_yaml_get(node, not_with[i]))
            trxi_error_at(reader->context, trxi_key_source(node, not_with[i]), "%s: robot: true takes the limits of the joints: "
                          "remove it", not_with[i]);
    if (!trxi_expect_text(reader, record->of, "of", "a joint, or joints(NAME)")) return;
    trxi_yaml_node positions = *record->of;
    positions.text = trxi_reader_printf(reader, "%s.position", record->of->text);
    if (!positions.text || !trxi_read_quantity(reader, &positions, scene, &entry->measured.of)) return;
    if (entry->measured.of.quantity != TRX_JOINT_POSITION)
        trxi_error_at(reader->context, record->of->source, "\"%.100s\": robot: true is for joints: write a joint, or joints(NAME)",
                      record->of->text);
}

static void read_plain(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, const limit_record *record,
                       trxi_limit_entry *entry)
{
    if (!record->min && !record->max && !record->equal)
        trxi_error_at(reader->context, node->source, "a limit: missing key \"min\": add it, or max");
    if (record->equal && (record->min || record->max))
        trxi_error_at(reader->context, trxi_key_source(node, "equal"), "equal: min or max is given too: keep one of them");
    if (!record->of || !trxi_read_quantity(reader, record->of, scene, &entry->measured.of)) return;
    const int count = entry->measured.of.dimension;
    entry->lower = take_bounds(reader, count, -INFINITY);
    entry->upper = take_bounds(reader, count, INFINITY);
    if (!entry->lower || !entry->upper) return;
    read_bounds(reader, record->min, "min", count, entry->lower);
    read_bounds(reader, record->max, "max", count, entry->upper);
    read_bounds(reader, record->equal, "equal", count, entry->lower);
    for (int i = 0; record->equal && i < count; i++)
        if (isfinite(entry->lower[i])) entry->upper[i] = entry->lower[i];
    for (int i = 0; i < count; i++)
        if (entry->lower[i] > entry->upper[i]) {
            trxi_error_at(reader->context, record->max->source, "max: %g is below min, %g", entry->upper[i], entry->lower[i]);
            break;
        }
    if (record->target) trxi_read_target(reader, record->target, &entry->measured);
}

static void read_entry(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_limit_entry *entry)
{
    limit_record record = {.at = ALL, .tolerance = trx_limit_default().tolerance};
    *entry = (trxi_limit_entry){.measured = {.source = node->source}};
    if (!TRXI_READ_RECORD(reader, node, "a limit", limit_fields, &record)) return;
    if (record.of) entry->measured.source = record.of->source;
    entry->robot = record.robot;
    entry->tolerance = record.tolerance;
    if (entry->robot && record.of) read_robot(reader, node, scene, &record, entry);
    else read_plain(reader, node, scene, &record, entry);
    read_when(reader, node, &record, entry);
    if (entry->end && entry->measured.of.served && trxi_quantity_is(entry->measured.of.quantity, TRXI_PER_STEP))
        trxi_error_at(reader->context, entry->when_source, "at: %.100s has no value at the end: remove it",
                      entry->measured.of.text);
}

void trxi_read_limits(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_limits_section *limits)
{
    if (!node || !trxi_expect_list(reader, node, "limits")) return;
    limits->entries = TRXI_READER_TAKE(reader, trxi_limit_entry, node->count);
    for (int i = 0; i < node->count && reader->memory; i++) {
        trxi_limit_entry *entry = &limits->entries[limits->count];
        read_entry(reader, node->items[i], scene, entry);
        limits->count += entry->measured.of.served;
    }
}

// ---- with the model ----

// the knots of an entry among 0 .. last; false when it has none (reported)
static bool find_knots(trxi_reader *reader, const trxi_limit_entry *entry, const trxi_task *task, trx_limit *limit)
{
    const double round_off = 1e-9;
    limit->first = entry->end ? task->steps : entry->first;
    limit->last = entry->last == INT_MAX - 1 ? task->steps - 1 : entry->last;
    if (entry->timed) {
        limit->first = (int)fmin(fmax(0, ceil(entry->from / task->time_step - round_off)), INT_MAX);
        limit->last = (int)fmin(fmax(-1, floor(entry->to / task->time_step + round_off)), INT_MAX);
    }
    const int last = trxi_quantity_is(limit->term.quantity, TRXI_PER_STEP) ? task->steps - 1 : task->steps;
    if (limit->first <= last && limit->last >= limit->first) return true;
    trxi_error_at(reader->context, entry->when_source, "the limit holds at no knot: the knots of the plan are 0 to %d, %g s", last,
                  last * task->time_step);
    return false;
}

// fills the bounds of a limit from the model's limits of its joints; false when the model has none for them
static bool take_robot_bounds(trxi_reader *reader, const trx_model *model, trx_limit *limit)
{
    const int count = limit->term.njoint;
    double *lower = take_bounds(reader, count, -INFINITY), *upper = take_bounds(reader, count, INFINITY);
    bool any = false;
    for (int i = 0; lower && upper && i < count; i++) {
        const trxi_joint *joint = &model->joints[limit->term.joints[i]];
        const bool rate = limit->term.quantity == TRX_JOINT_VELOCITY;
        lower[i] = rate ? -joint->velocity_limit : joint->lower;
        upper[i] = rate ? joint->velocity_limit : joint->upper;
        any = any || isfinite(lower[i]) || isfinite(upper[i]);
    }
    limit->lower = lower;
    limit->upper = upper;
    return any;
}

// "joints(arm).position" for "joints(arm).velocity"
static const char *rate_name(trxi_reader *reader, const char *name)
{
    const size_t length = strlen(name) - strlen("position");
    return trxi_reader_printf(reader, "%.*svelocity", (int)length, name);
}

// limits of position and velocity of an entry's joints
static void add_robot(trxi_reader *reader, const trxi_limit_entry *entry, const trx_limit *position, const trx_model *model,
                      trx_limit *limits, int *count)
{
    trx_limit velocity = *position;
    velocity.term.quantity = TRX_JOINT_VELOCITY;
    velocity.term.name = rate_name(reader, position->term.name);
    const int before = *count;
    limits[*count] = *position;
    *count += take_robot_bounds(reader, model, &limits[*count]);
    limits[*count] = velocity;
    *count += take_robot_bounds(reader, model, &limits[*count]);
    if (*count == before && reader->memory)
        trxi_error_at(reader->context, entry->measured.source, "robot: these joints have limits of neither position nor velocity: "
                      "write min and max");
}

trx_limit *trxi_limits_resolve(trxi_reader *reader, const trxi_limits_section *section, const trxi_task *task, int *count)
{
    trx_limit *limits = TRXI_READER_TAKE(reader, trx_limit, 2 * section->count);
    *count = 0;
    for (int i = 0; limits && i < section->count && reader->memory; i++) {
        const trxi_limit_entry *entry = &section->entries[i];
        trx_limit limit = trx_limit_default();
        trxi_term_resolve(reader, &entry->measured, task, &limit.term);
        if (!reader->memory || !find_knots(reader, entry, task, &limit)) continue;
        limit.tolerance = entry->tolerance;
        limit.lower = entry->lower;
        limit.upper = entry->upper;
        if (entry->robot) add_robot(reader, entry, &limit, task->model, limits, count);
        else limits[(*count)++] = limit;
    }
    return limits;
}
