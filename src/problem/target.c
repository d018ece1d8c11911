// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Targets that need the model: the value of a quantity at the start, and a table of values over time.
//
// A file has a column `t` and one per component. Components of a body or frame are NAME.position.x and so on. For a
// free body its coordinates (NAME.x, NAME.qw, NAME.vx) also work, so that a trajectory.csv is a target. NAME.spin.x
// has no such form, because the coordinate NAME.wx is in body axes and spins are in world axes. Values are
// interpolated linearly at the knots (quaternions normalized). Controls are constant between rows, and all values
// are constant before the first and after the last row.

#include "formats/csv.h"
#include "math/rotation.h"
#include "problem/target.h"
#include "problem/time_table.h"
#include "trajopt/measure.h"
#include "trajopt/quantities.h"

#include <string.h>
#include <tractrix/kinematics.h>

// ---- the value at the start ----

// position, orientation, velocity or spin of a body or frame
static void frame_at_start(trxi_reader *reader, const trxi_task *task, const trx_cost_term *term, double *out)
{
    const bool body = term->quantity <= TRX_BODY_SPIN;
    trx_kinematics *kin = NULL;
    trx_placement at;
    trx_status status = trx_kinematics_create(reader->context, task->model, &kin);
    if (status >= 0) status = trx_kinematics_update(kin, task->x0, task->x0 + task->model->nq, 0);
    if (status >= 0)
        status = body ? trx_kinematics_body(kin, term->index, &at, NULL) : trx_kinematics_frame(kin, term->index, &at, NULL);
    trx_kinematics_destroy(kin);
    if (status < 0) {
        reader->memory = false;
        return;
    }
    switch (trxi_frame_part_of(term->quantity)) {
    case TRXI_FRAME_POSITION: trxi_copy3(at.pose.p, out); return;
    case TRXI_FRAME_ORIENTATION: memcpy(out, at.pose.quat, sizeof at.pose.quat); return;
    case TRXI_FRAME_VELOCITY: trxi_copy3(at.velocity + 3, out); return;
    case TRXI_FRAME_SPIN: trxi_copy3(at.velocity, out);
    }
}

static void target_at_start(trxi_reader *reader, const trxi_task *task, const trx_cost_term *term, double *out)
{
    const trx_model *model = task->model;
    const double *q = task->x0, *v = q + model->nq;
    if (term->quantity == TRX_POSITION)
        memcpy(out, q, (size_t)model->nq * sizeof *q);
    else if (term->quantity == TRX_VELOCITY)
        memcpy(out, v, (size_t)model->nv * sizeof *v);
    else if (term->quantity == TRX_CONTROL)
        memcpy(out, task->hold, (size_t)model->nu * sizeof *out);
    else if (term->quantity == TRX_JOINT_POSITION || term->quantity == TRX_JOINT_VELOCITY)
        for (int i = 0; i < term->njoint; i++) {
            const trxi_joint *joint = &model->joints[term->joints[i]];
            out[i] = term->quantity == TRX_JOINT_POSITION ? q[joint->q] : v[joint->v];
        }
    else if (trxi_quantity_is(term->quantity, TRXI_OF_SETS))
        reader->memory = trxi_measure(reader->context, model, term, task->x0, out) == TRX_OK;
    else
        frame_at_start(reader, task, term, out);
}

// ---- quaternions among the numbers of a target ----

// normalizes each quaternion of a target; false when one is zero
static bool normalize_blocks(const trx_model *model, trx_quantity quantity, double *target)
{
    bool fine = true;
    if (trxi_quantity_is(quantity, TRXI_TURN)) return trxi_quat_normalize(target) > 0;
    for (int i = 0; quantity == TRX_POSITION && i < model->nlink; i++)
        if (model->links[i].type == TRXI_BALL) fine = trxi_quat_normalize(target + model->links[i].q) > 0 && fine;
    return fine;
}

// the sign of a quaternion is free: chooses the sign nearer to `reference`
static void align_blocks(const trx_model *model, trx_quantity quantity, const double *reference, double *target)
{
    for (int i = 0; i < model->nlink; i++) {
        bool whole = trxi_quantity_is(quantity, TRXI_TURN);
        int at = whole ? 0 : model->links[i].q;
        if ((!whole && (quantity != TRX_POSITION || model->links[i].type != TRXI_BALL)) || (whole && i > 0)) continue;
        double dot = 0;
        for (int k = 0; k < 4; k++) dot += reference[at + k] * target[at + k];
        for (int k = 0; k < 4 && dot < 0; k++) target[at + k] = -target[at + k];
    }
}

// ---- tables ----

// name of column `i` of a term; `*other` is a second valid name, or NULL
static const char *column_name(trxi_reader *reader, const trxi_task *task, const trxi_term *entry,
                               const trx_cost_term *term, int i, const char **other)
{
    static const char *const whats[] = {"position", "orientation", "velocity", "spin"};
    static const char *const shorts[] = {"", "q", "v"};
    static const char axes[] = "wxyz";
    const trx_model *model = task->model;
    *other = NULL;
    switch (term->quantity) {
    case TRX_POSITION: return trx_model_q_name(model, i);
    case TRX_VELOCITY: return trx_model_v_name(model, i);
    case TRX_CONTROL_RATE:
    case TRX_CONTROL: return trxi_reader_printf(reader, "u.%s", trx_model_actuator_name(model, i));
    case TRX_JOINT_POSITION: return trx_model_joint_name(model, term->joints[i]);
    case TRX_JOINT_VELOCITY: return trxi_reader_printf(reader, "%s.v", trx_model_joint_name(model, term->joints[i]));
    case TRX_DISTANCE: return "distance";
    case TRX_CONTACT_FORCE: return trxi_reader_printf(reader, "force.%c", axes[i + 1]);
    case TRX_COM_POSITION:
    case TRX_COM_VELOCITY: return trxi_reader_printf(reader, "%s.%c", term->name, axes[i + 1]);
    default: break;
    }
    bool frame = term->quantity >= TRX_FRAME_POSITION;
    const trxi_frame_part what = trxi_frame_part_of(term->quantity);
    const trx_body_def *body = &task->scene->bodies[entry->of.body];
    const char *name = frame ? body->frames[entry->of.index].name : body->name;
    char axis = axes[what == TRXI_FRAME_ORIENTATION ? i : i + 1];
    bool free_body = !frame && body->njoint == 1 && body->joints[0].type == TRX_JOINT_FREE;
    if (free_body && what != TRXI_FRAME_SPIN) *other = trxi_reader_printf(reader, "%s.%s%c", name, shorts[what], axis);
    return trxi_reader_printf(reader, "%s.%s.%c", name, whats[what], axis);
}

// column of each component, and of the time (columns[count]); false when one is missing
static bool find_columns(trxi_reader *reader, const trxi_task *task, const trxi_term *entry, const trx_cost_term *term,
                         const trxi_csv *csv, int count, int *columns)
{
    bool all = true;
    for (int i = 0; i <= count; i++) {
        const char *other = NULL, *name = i == count ? "t" : column_name(reader, task, entry, term, i, &other);
        if (!reader->memory) return false;
        columns[i] = trxi_csv_find(csv, name);
        if (columns[i] < 0 && other) columns[i] = trxi_csv_find(csv, other);
        if (columns[i] >= 0) continue;
        all = false;
        trxi_error_at(reader->context, entry->target_source, "%s has no column \"%s\"%s%s%s: add it", csv->file, name,
                      other ? " or \"" : "", other ? other : "", other ? "\"" : "");
    }
    return all;
}

// values at time t between rows `*row` and the next; `*row` moves forward with t
static void sample(const trxi_task *task, const trx_cost_term *term, const trxi_csv *csv, const int *columns, int count,
                   double t, int *row, double *next, double *out)
{
    int time = columns[count];
    while (*row + 1 < csv->rows && trxi_csv_number(csv, *row + 1, time) <= t) (*row)++;
    for (int i = 0; i < count; i++) out[i] = trxi_csv_number(csv, *row, columns[i]);
    bool between = *row + 1 < csv->rows && t > trxi_csv_number(csv, *row, time);
    if (!between || term->quantity == TRX_CONTROL) return;

    for (int i = 0; i < count; i++) next[i] = trxi_csv_number(csv, *row + 1, columns[i]);
    align_blocks(task->model, term->quantity, out, next);
    double t0 = trxi_csv_number(csv, *row, time), share = (t - t0) / (trxi_csv_number(csv, *row + 1, time) - t0);
    for (int i = 0; i < count; i++) out[i] += share * (next[i] - out[i]);
}

static void target_from_file(trxi_reader *reader, const trxi_term *entry, const trxi_task *task, trx_cost_term *term)
{
    trxi_csv csv;
    trx_status status = trxi_csv_read(reader->context, reader->pool, entry->file, &csv);
    if (status == TRX_ERR_MEMORY) reader->memory = false;
    if (status == TRX_ERR_IO)
        trxi_error_at(reader->context, entry->target_source, "%s: write the name of a file that can be read",
                      trx_context_message(reader->context));
    if (status < 0) return;

    int count = entry->of.target_length, row = 0;
    int *columns = TRXI_READER_TAKE(reader, int, count + 1);
    double *next = TRXI_READER_TAKE(reader, double, count);
    double *targets = trxi_pool_take(reader->pool, (size_t)task->steps + 1, (size_t)count * sizeof *targets);
    if (!columns || !next || !targets) {
        reader->memory = false;
        return;
    }
    if (!find_columns(reader, task, entry, term, &csv, count, columns)) return;
    if (term->quantity == TRX_CONTROL) csv.rows = trxi_csv_rows_of(&csv, columns, count);
    if (!trxi_time_table_check(reader, entry->target_source, &csv, columns, count)) return;
    for (int k = 0; k <= task->steps; k++) {
        double *out = targets + (size_t)k * (size_t)count;
        // a knot that misses a row's time by round-off is at that row
        sample(task, term, &csv, columns, count, k * task->time_step * (1 + 1e-12), &row, next, out);
        if (normalize_blocks(task->model, term->quantity, out)) continue;
        trxi_error_at(reader->context, trxi_csv_source(&csv, row, columns[0]), "a zero quaternion is no orientation");
        return;
    }
    term->target = targets;
    term->target_stride = count;
}

void trxi_target_resolve(trxi_reader *reader, const trxi_term *entry, const trxi_task *task, trx_cost_term *term)
{
    if (entry->form == TRXI_TARGET_FILE) target_from_file(reader, entry, task, term);
    if (entry->form != TRXI_TARGET_START && entry->form != TRXI_TARGET_NUMBERS) return;
    int count = entry->of.target_length;
    double *target = TRXI_READER_TAKE(reader, double, count);
    if (!target) return;
    if (entry->form == TRXI_TARGET_START)
        target_at_start(reader, task, term, target);
    else
        memcpy(target, entry->numbers, (size_t)count * sizeof *target);
    if (!normalize_blocks(task->model, term->quantity, target))
        trxi_error_at(reader->context, entry->target_source,
                      "target: a quaternion of it is zero: write [.., 1, 0, 0, 0] for no rotation");
    term->target = target;
}
