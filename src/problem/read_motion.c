// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Prescribed motion of a body without joints: along or about an axis, or a file of poses. Its carrier is checked
// when the model is built.

#include "problem/read_model.h"
#include "problem/time_table.h"

#include <string.h>

typedef struct motion_record {
    trx_motion_def def;
    int type;
    const char *file;
} motion_record;

enum { SLIDE, HINGE, TYPES };
static const char *const motion_words[TYPES] = {"slide", "hinge"};

static const trxi_field motion_fields[] = {
    TRXI_FIELD("type", TRXI_WORD, motion_record, type, .words = motion_words, .count = TYPES),
    TRXI_FIELD("axis", TRXI_VECTOR, motion_record, def.axis, .count = 3, .of = TRXI_OF_DIRECTION),
    TRXI_FIELD("at", TRXI_VECTOR, motion_record, def.at, .count = 3, .of = TRXI_OF_LENGTH),
    TRXI_FIELD("velocity", TRXI_NUMBER, motion_record, def.velocity, .of = TRXI_OF_SPEED),
    TRXI_FIELD("amplitude", TRXI_NUMBER, motion_record, def.amplitude, .of = TRXI_OF_POSITION),
    TRXI_FIELD("frequency", TRXI_NOT_NEGATIVE, motion_record, def.frequency, .of = TRXI_OF_FREQUENCY),
    TRXI_FIELD("phase", TRXI_NUMBER, motion_record, def.phase),
    TRXI_FIELD("file", TRXI_PATH, motion_record, file),
};

// the keys of a motion along or about an axis
static void check_wave(trxi_reader *reader, const trxi_yaml_node *node, int type)
{
    trx_context *context = reader->context;
    bool amplitude = trxi_yaml_get(node, "amplitude"), frequency = trxi_yaml_get(node, "frequency");
    if (!trxi_yaml_get(node, "axis"))
        trxi_error_at(context, node->source, "a %s motion needs an axis: add axis: [x, y, z]", motion_words[type]);
    if (type == SLIDE && trxi_yaml_get(node, "at"))
        trxi_error_at(context, trxi_key_source(node, "at"), "a slide motion has no at: remove it");
    if (!amplitude && !trxi_yaml_get(node, "velocity"))
        trxi_error_at(context, node->source, "motion: missing key \"amplitude\": add it, or velocity");
    if (amplitude && !frequency)
        trxi_error_at(context, node->source, "motion: missing key \"frequency\": add it (in 1/s)");
    static const char *const of_waves[] = {"frequency", "phase"};
    for (int i = 0; i < 2; i++)
        if (!amplitude && trxi_yaml_get(node, of_waves[i]))
            trxi_error_at(context, trxi_key_source(node, of_waves[i]), "%s belongs to an amplitude: add that, or remove it",
                          of_waves[i]);
}

// reports other keys beside `file`, which replaces them all
static void check_file_keys(trxi_reader *reader, const trxi_yaml_node *node)
{
    for (int i = 0; i < node->count; i++)
        if (strcmp(node->keys[i], "file") != 0)
            trxi_error_at(reader->context, node->key_sources[i], "the file gives the motion already: remove %s, or file",
                          node->keys[i]);
}

static void read_poses(trxi_reader *reader, const trxi_yaml_node *node, const char *path, trx_motion_def *motion)
{
    enum { COLUMNS = 7, QUAT = 3 };
    static const char *const names[COLUMNS] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    static const double defaults[COLUMNS] = {0, 0, 0, 1, 0, 0, 0};
    trx_source source = trxi_yaml_get(node, "file")->source;
    trxi_time_table table;
    if (!trxi_time_table_read(reader, source, path, names, defaults, COLUMNS, &table)) return;
    int quats = 0;
    for (int i = QUAT; i < COLUMNS; i++) quats += table.present[i];
    if (quats != 0 && quats != 4) {
        trxi_error_at(reader->context, source, "%s has only some of the columns qw, qx, qy, qz: write all of them, or none",
                      table.file);
        return;
    }
    trx_pose *poses = TRXI_READER_TAKE(reader, trx_pose, table.rows);
    if (!poses) return;
    for (int row = 0; row < table.rows; row++) {
        const double *values = table.values + (size_t)COLUMNS * (size_t)row;
        memcpy(poses[row].p, values, sizeof poses[row].p);
        memcpy(poses[row].quat, values + QUAT, sizeof poses[row].quat);
    }
    motion->times = table.times;
    motion->poses = poses;
    motion->ntime = table.rows;
}

void trxi_read_motion(trxi_reader *reader, const trxi_yaml_node *node, trx_body_def *body)
{
    static const trx_motion_type types[TYPES] = {TRX_MOTION_SLIDE, TRX_MOTION_HINGE};
    motion_record record = {.type = -1};
    int errors = trx_context_error_count(reader->context);
    if (!TRXI_READ_RECORD(reader, node, "motion", motion_fields, &record)) return;
    record.def.source = node->source;
    if (trxi_yaml_get(node, "file")) check_file_keys(reader, node);
    else if (record.type >= 0) check_wave(reader, node, record.type);
    else if (!trxi_yaml_get(node, "type"))
        trxi_error_at(reader->context, node->source, "motion: missing key \"type\": add type: slide or hinge, or file: ...");
    if (body->njoint)
        trxi_error_at(reader->context, node->source, "motion: \"%.100s\" is moved by its joints: remove one of them",
                      body->name);
    if (trx_context_error_count(reader->context) > errors) return;

    record.def.type = record.file ? TRX_MOTION_TABLE : types[record.type];
    if (record.file) read_poses(reader, node, record.file, &record.def);
    if (trx_context_error_count(reader->context) == errors && reader->memory) body->motion = record.def;
}
