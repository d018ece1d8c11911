// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The list actuators: motors and position drives, on one joint or on a fixed tendon of several (theory 4).
// Actuators of included robots come first.

#include "formats/scalar.h"
#include "problem/read_model.h"

#include <math.h>
#include <string.h>

enum { MOTOR, PD, TYPES };

static const char *const type_words[TYPES] = {"motor", "pd"};

typedef struct actuator_record {
    trx_actuator_def def;
    const trxi_yaml_node *joint, *joints, *effort, *gear;
    int type;
    double limits[2];
    const trxi_yaml_node *activation;
} actuator_record;

static const trxi_field actuator_fields[] = {
    TRXI_FIELD("joint", TRXI_NODE, actuator_record, joint),
    TRXI_FIELD("joints", TRXI_MAP, actuator_record, joints),
    TRXI_FIELD("name", TRXI_NAME, actuator_record, def.name),
    TRXI_FIELD("type", TRXI_WORD, actuator_record, type, .words = type_words, .count = TYPES),
    TRXI_FIELD("gear", TRXI_NODE, actuator_record, gear),
    TRXI_FIELD("limits", TRXI_RANGE, actuator_record, limits, .of = TRXI_OF_FORCE),
    TRXI_FIELD("kp", TRXI_POSITIVE, actuator_record, def.kp, .of = TRXI_OF_STIFFNESS),
    TRXI_FIELD("kd", TRXI_NOT_NEGATIVE, actuator_record, def.kd, .of = TRXI_OF_DAMPING),
    TRXI_FIELD("effort", TRXI_NODE, actuator_record, effort),
    TRXI_FIELD("activation", TRXI_MAP, actuator_record, activation),
};

enum { FILTER, INTEGRATOR, ACTIVATIONS };

static const char *const activation_words[ACTIVATIONS] = {"filter", "integrator"};

typedef struct activation_record {
    trx_activation_def def;
    int type;
    double range[2];
} activation_record;

static const trxi_field activation_fields[] = {
    TRXI_FIELD("type", TRXI_WORD, activation_record, type, .words = activation_words, .count = ACTIVATIONS, .required = true),
    TRXI_FIELD("time_constant", TRXI_POSITIVE, activation_record, def.time_constant, .of = TRXI_OF_TIME),
    TRXI_FIELD("range", TRXI_RANGE, activation_record, range, .of = TRXI_OF_FORCE),
    TRXI_FIELD("start", TRXI_NUMBER, activation_record, def.start, .of = TRXI_OF_FORCE),
    TRXI_FIELD("early", TRXI_BOOL, activation_record, def.early),
};

static void read_what_it_moves(trxi_reader *reader, const trxi_yaml_node *node, const actuator_record *record,
                               trxi_scene *scene, trx_actuator_def *actuator)
{
    if (record->joint && record->joints) {
        trx_source one = trxi_key_source(node, "joint"), many = trxi_key_source(node, "joints");
        trxi_error_at(reader->context, trxi_source_after(one, many) ? one : many,
                      "joint and joints both say what it moves: remove one");
    } else if (record->joint) {
        if (trxi_read_joint_name(reader, record->joint, scene, "joint", &actuator->body, &actuator->joint) && !actuator->name)
            actuator->name = scene->bodies[actuator->body].joints[actuator->joint].name;
    } else if (record->joints) {
        actuator->tendon = trxi_read_tendon(reader, record->joints, actuator->name, scene);
        if (!actuator->name && !trxi_yaml_get(node, "name"))
            trxi_error_at(reader->context, node->source, "an actuator of several joints needs a name: add name:");
    } else if (!trxi_yaml_get(node, "joint") && !trxi_yaml_get(node, "joints"))
        trxi_error_at(reader->context, node->source, "an actuator: missing key \"joint\": add it");
}

// ---- the drive ----

// a number E for [-E, E], or both ends
static void read_effort(trxi_reader *reader, const trxi_yaml_node *node, trx_actuator_def *actuator)
{
    static const trxi_field number = {.key = "effort", .kind = TRXI_POSITIVE}, range = {.key = "effort", .kind = TRXI_RANGE};
    double ends[2] = {-INFINITY, INFINITY};
    if (node->kind == TRXI_YAML_SEQUENCE)
        trxi_read_value(reader, node, &range, ends);
    else if (trxi_read_value(reader, node, &number, &ends[1]))
        ends[0] = -ends[1];
    actuator->effort_lower = ends[0];
    actuator->effort_upper = ends[1];
}

static void check_type(trxi_reader *reader, const trxi_yaml_node *node, int type)
{
    static const char *const pd_keys[] = {"kp", "kd", "effort"};
    for (int i = 0; i < 3 && type == MOTOR; i++)
        if (trxi_yaml_get(node, pd_keys[i]))
            trxi_error_at(reader->context, trxi_key_source(node, pd_keys[i]), "a motor has no %s: %s", pd_keys[i],
                          i < 2 ? "add type: pd" : "its limits are those of its force, or add type: pd");
    if (type == PD && !trxi_yaml_get(node, "kp"))
        trxi_error_at(reader->context, node->source, "a pd actuator needs a kp: add it");
}

// the state of an actuator
static void read_activation(trxi_reader *reader, const trxi_yaml_node *node, trx_activation_def *activation)
{
    activation_record record = {.def = trx_activation_def_default(), .range = {-INFINITY, INFINITY}};
    if (!TRXI_READ_RECORD(reader, node, "an activation", activation_fields, &record)) return;
    record.def.type = record.type == FILTER ? TRX_ACTIVATION_FILTER : TRX_ACTIVATION_INTEGRATOR;
    record.def.lower = record.range[0], record.def.upper = record.range[1];
    if (!trxi_yaml_get(node, "start")) record.def.start = fmin(fmax(0, record.range[0]), record.range[1]);
    const bool timed = trxi_yaml_get(node, "time_constant") != NULL;
    if (record.type == FILTER && !timed)
        trxi_error_at(reader->context, node->source, "a filter needs a time_constant: add it");
    if (record.type == INTEGRATOR && timed)
        trxi_error_at(reader->context, trxi_key_source(node, "time_constant"), "an integrator has no time_constant: remove it");
    *activation = record.def;
}

static void read_actuator(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene,
                          trx_actuator_def *actuator)
{
    actuator_record record = {.def = trx_actuator_def_default(), .type = trxi_yaml_get(node, "type") ? TYPES : MOTOR};
    record.def.source = node->source;
    record.limits[0] = record.def.lower, record.limits[1] = record.def.upper;
    *actuator = record.def;
    if (!TRXI_READ_RECORD(reader, node, "an actuator", actuator_fields, &record)) return;
    check_type(reader, node, record.type);
    if (record.effort) read_effort(reader, record.effort, &record.def);
    if (record.activation) read_activation(reader, record.activation, &record.def.activation);
    if (record.gear) trxi_read_factor(reader, record.gear, "gear", &record.def.gear);
    if (record.type == PD) record.def.gain = record.def.kp;
    record.def.lower = record.limits[0], record.def.upper = record.limits[1];
    read_what_it_moves(reader, node, &record, scene, &record.def);
    *actuator = record.def;
}

// ---- the list ----

static int count_actuators(const trxi_include *include)
{
    return include->import && include->has_actuators ? trx_import_get(include->import)->def.nactuator : 0;
}

// actuators of a robot, with indices of the scene
static void take_actuators(trxi_reader *reader, trxi_scene *scene, const trxi_include *include)
{
    const trx_model_def *def = &trx_import_get(include->import)->def;
    for (int i = 0; i < def->nactuator && reader->memory; i++) {
        trx_actuator_def *actuator = &scene->actuators[scene->def.nactuator++];
        *actuator = def->actuators[i];
        if (!actuator->name && actuator->tendon < 0) actuator->name = def->bodies[actuator->body].joints[actuator->joint].name;
        actuator->body += include->first_body;
        if (actuator->tendon >= 0) actuator->tendon += include->first_tendon;
    }
}

static void check_names(trxi_reader *reader, const trxi_scene *scene)
{
    int count = scene->def.nactuator;
    const char **names = TRXI_READER_TAKE(reader, const char *, count);
    if (!names) return;
    for (int i = 0; i < count; i++) names[i] = scene->actuators[i].name ? scene->actuators[i].name : "";
    const int *first = trxi_first_equal(reader->pool, names, count);
    if (!first) reader->memory = false;
    for (int i = 0; first && i < count; i++)
        if (first[i] != i && *names[i])
            trxi_error_at(reader->context, scene->actuators[i].source,
                          "a second actuator called \"%.100s\": give it another name:", names[i]);
}

void trxi_read_actuators(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene)
{
    int count = list ? list->count : 0;
    for (int k = 0; k < scene->ninclude; k++) count += count_actuators(&scene->includes[k]);
    scene->actuators = TRXI_READER_TAKE(reader, trx_actuator_def, count);
    scene->def.actuators = scene->actuators;
    for (int k = 0; k < scene->ninclude && reader->memory; k++)
        if (count_actuators(&scene->includes[k])) take_actuators(reader, scene, &scene->includes[k]);
    for (int i = 0; list && i < list->count && reader->memory; i++)
        read_actuator(reader, list->items[i], scene, &scene->actuators[scene->def.nactuator++]);
    if (reader->memory) check_names(reader, scene);
}
