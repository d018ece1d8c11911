// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The list actuators: motors, position drives and muscles, on one joint or on a fixed tendon of several (theory 4).
// Actuators of included robots come first.

#include "formats/scalar.h"
#include "problem/read_model.h"

#include <math.h>
#include <string.h>

enum { MOTOR, PD, MUSCLE, TYPES };

static const char *const type_words[TYPES] = {"motor", "pd", "muscle"};

typedef struct actuator_record {
    trx_actuator_def def;
    const trxi_yaml_node *joint, *joints, *effort, *gear;
    int type;
    double limits[2], lengths[2];
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
    TRXI_FIELD("force", TRXI_POSITIVE, actuator_record, def.gain, .of = TRXI_OF_FORCE),
    TRXI_FIELD("optimal_length", TRXI_POSITIVE, actuator_record, def.muscle.optimal_length, .of = TRXI_OF_LENGTH),
    TRXI_FIELD("tendon_length", TRXI_NUMBER, actuator_record, def.muscle.tendon_length, .of = TRXI_OF_LENGTH),
    TRXI_FIELD("lengths", TRXI_RANGE, actuator_record, lengths),
    TRXI_FIELD("max_speed", TRXI_POSITIVE, actuator_record, def.muscle.max_speed),
    TRXI_FIELD("passive_force", TRXI_NOT_NEGATIVE, actuator_record, def.muscle.passive_force),
    TRXI_FIELD("lengthening_force", TRXI_POSITIVE, actuator_record, def.muscle.lengthening_force),
};

// indices of words are values of trx_activation_type minus 1
enum { ACTIVATIONS = TRX_ACTIVATION_TYPES - 1 };

static const char *const activation_words[ACTIVATIONS] = {"filter", "integrator", "muscle"};

typedef struct activation_record {
    trx_activation_def def;
    int type;
    double range[2];
} activation_record;

static const trxi_field activation_fields[] = {
    TRXI_FIELD("type", TRXI_WORD, activation_record, type, .words = activation_words, .count = ACTIVATIONS, .required = true),
    TRXI_FIELD("time_constant", TRXI_POSITIVE, activation_record, def.time_constant, .of = TRXI_OF_TIME),
    TRXI_FIELD("fall_time", TRXI_POSITIVE, activation_record, def.fall_time, .of = TRXI_OF_TIME),
    TRXI_FIELD("smoothing", TRXI_NOT_NEGATIVE, activation_record, def.smoothing),
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

// keys that only some types take, and types that need them, as 1 << type
typedef struct taken {
    const char *key;
    int takers, needers;
} taken;

static void check_type(trxi_reader *reader, const trxi_yaml_node *node, int type)
{
    enum { OF_PD = 1 << PD, OF_MUSCLE = 1 << MUSCLE };
    static const taken keys[] = {{"kp", OF_PD, OF_PD},
                                 {"kd", OF_PD, 0},
                                 {"effort", OF_PD | OF_MUSCLE, 0},
                                 {"force", OF_MUSCLE, OF_MUSCLE},
                                 {"optimal_length", OF_MUSCLE, OF_MUSCLE},
                                 {"tendon_length", OF_MUSCLE, 0},
                                 {"lengths", OF_MUSCLE, 0},
                                 {"max_speed", OF_MUSCLE, 0},
                                 {"passive_force", OF_MUSCLE, 0},
                                 {"lengthening_force", OF_MUSCLE, 0}};
    const char *const of_type = type < TYPES ? type_words[type] : "";
    for (size_t i = 0; i < sizeof keys / sizeof *keys && type < TYPES; i++) {
        const bool given = trxi_yaml_get(node, keys[i].key) != NULL, of_motor = type == MOTOR && keys[i].takers & OF_PD;
        if (given && !(keys[i].takers & 1 << type))
            trxi_error_at(reader->context, trxi_key_source(node, keys[i].key), "a %s has no %s: %s", of_type, keys[i].key,
                          !of_motor                        ? keys[i].takers & OF_PD ? "remove it" : "add type: muscle"
                          : keys[i].takers == (int)OF_PD ? "add type: pd"
                                                           : "its limits are those of its force, or add type: pd");
        if (!given && keys[i].needers & 1 << type)
            trxi_error_at(reader->context, node->source, "a %s needs %s%s: add it", type == PD ? "pd actuator" : "muscle",
                          type == PD ? "a " : "", keys[i].key);
    }
}

// the state of an actuator
static void read_activation(trxi_reader *reader, const trxi_yaml_node *node, trx_activation_def *activation)
{
    static const taken keys[] = {
        {"time_constant", 1 << TRX_ACTIVATION_FILTER | 1 << TRX_ACTIVATION_MUSCLE, 1 << TRX_ACTIVATION_FILTER},
        {"fall_time", 1 << TRX_ACTIVATION_MUSCLE, 0},
        {"smoothing", 1 << TRX_ACTIVATION_MUSCLE, 0}};
    activation_record record = {.def = trx_activation_def_default(), .type = ACTIVATIONS, .range = {-INFINITY, INFINITY}};
    if (!TRXI_READ_RECORD(reader, node, "an activation", activation_fields, &record)) return;
    record.def.lower = record.range[0], record.def.upper = record.range[1];
    if (!trxi_yaml_get(node, "start")) record.def.start = fmin(fmax(0, record.range[0]), record.range[1]);
    if (record.type == ACTIVATIONS) return;
    record.def.type = (trx_activation_type)(record.type + 1);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const bool given = trxi_yaml_get(node, keys[i].key) != NULL;
        const char *a = record.def.type == TRX_ACTIVATION_INTEGRATOR ? "an" : "a", *of_type = activation_words[record.type];
        if (given && !(keys[i].takers & 1 << record.def.type))
            trxi_error_at(reader->context, trxi_key_source(node, keys[i].key), "%s %s has no %s: remove it", a, of_type,
                          keys[i].key);
        if (!given && keys[i].needers & 1 << record.def.type)
            trxi_error_at(reader->context, node->source, "%s %s needs a %s: add it", a, of_type, keys[i].key);
    }
    *activation = record.def;
}

// curves of a muscle; its control and its activation are shares of its force
static void set_muscle(const actuator_record *record, const trxi_yaml_node *node, trx_actuator_def *def)
{
    def->muscle.shortest = record->lengths[0], def->muscle.longest = record->lengths[1];
    if (!record->activation) def->activation.type = TRX_ACTIVATION_MUSCLE;
    if (!trxi_yaml_get(node, "limits")) def->lower = 0, def->upper = 1;
}

static void read_actuator(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene,
                          trx_actuator_def *actuator)
{
    actuator_record record = {.def = trx_actuator_def_default(), .type = trxi_yaml_get(node, "type") ? TYPES : MOTOR};
    record.def.source = node->source;
    record.limits[0] = record.def.lower, record.limits[1] = record.def.upper;
    record.lengths[0] = record.def.muscle.shortest, record.lengths[1] = record.def.muscle.longest;
    *actuator = record.def;
    if (!TRXI_READ_RECORD(reader, node, "an actuator", actuator_fields, &record)) return;
    check_type(reader, node, record.type);
    if (record.effort) read_effort(reader, record.effort, &record.def);
    if (record.activation) read_activation(reader, record.activation, &record.def.activation);
    if (record.gear) trxi_read_factor(reader, record.gear, "gear", &record.def.gear);
    if (record.type == PD) record.def.gain = record.def.kp;
    record.def.lower = record.limits[0], record.def.upper = record.limits[1];
    if (record.type == MUSCLE) set_muscle(&record, node, &record.def);
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
