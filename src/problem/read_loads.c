// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The list model: loads: forces and torques on bodies over time. One table has the keys of each wave.

#include "problem/read_model.h"
#include "problem/time_table.h"

#include <string.h>

typedef struct load_record {
    trx_load_def def;
    const trxi_yaml_node *body;
    int wave;
    const char *file;
} load_record;

enum { FORCE, TORQUE, FREQUENCY, PHASE, AXIS, DURATION, FILE_NAME, KEYS, WAVES = 5 };

static const char *const keys[KEYS] = {"force", "torque", "frequency", "phase", "axis", "duration", "file"};
static const char *const wave_words[WAVES] = {"constant", "sine", "ramp", "rotate", "file"};

// required and optional keys of each wave, besides body, point, start and stop
static const struct {
    trx_load_wave wave;
    int needs, takes;
} waves[WAVES] = {
    {TRX_LOAD_CONSTANT, 0, 1 << FORCE | 1 << TORQUE},
    {TRX_LOAD_SINE, 1 << FREQUENCY, 1 << FORCE | 1 << TORQUE | 1 << FREQUENCY | 1 << PHASE},
    {TRX_LOAD_RAMP, 1 << DURATION, 1 << FORCE | 1 << TORQUE | 1 << DURATION},
    {TRX_LOAD_ROTATE, 1 << FREQUENCY, 1 << FORCE | 1 << TORQUE | 1 << FREQUENCY | 1 << PHASE | 1 << AXIS},
    {TRX_LOAD_TABLE, 1 << FILE_NAME, 1 << FILE_NAME},
};

static const trxi_field load_fields[] = {
    TRXI_FIELD("body", TRXI_NODE, load_record, body, .required = true),
    TRXI_FIELD("force", TRXI_VECTOR, load_record, def.force, .count = 3, .of = TRXI_OF_FORCE),
    TRXI_FIELD("torque", TRXI_VECTOR, load_record, def.torque, .count = 3, .of = TRXI_OF_FORCE),
    TRXI_FIELD("at", TRXI_VECTOR, load_record, def.at, .count = 3, .of = TRXI_OF_LENGTH),
    TRXI_FIELD("wave", TRXI_WORD, load_record, wave, .words = wave_words, .count = WAVES),
    TRXI_FIELD("frequency", TRXI_NOT_NEGATIVE, load_record, def.frequency, .of = TRXI_OF_FREQUENCY),
    TRXI_FIELD("phase", TRXI_NUMBER, load_record, def.phase),
    TRXI_FIELD("axis", TRXI_VECTOR, load_record, def.axis, .count = 3, .of = TRXI_OF_DIRECTION),
    TRXI_FIELD("duration", TRXI_POSITIVE, load_record, def.duration, .of = TRXI_OF_TIME),
    TRXI_FIELD("start", TRXI_NUMBER, load_record, def.start, .of = TRXI_OF_TIME),
    TRXI_FIELD("stop", TRXI_NUMBER, load_record, def.stop, .of = TRXI_OF_TIME),
    TRXI_FIELD("file", TRXI_PATH, load_record, file),
};

// missing keys and unexpected keys of the wave
static void check_keys(trxi_reader *reader, const trxi_yaml_node *node, int wave)
{
    trx_context *context = reader->context;
    bool shaped = waves[wave].wave != TRX_LOAD_TABLE;
    for (int i = 0; i < KEYS; i++) {
        bool present = trxi_yaml_get(node, keys[i]) != NULL;
        if (present && !(waves[wave].takes & 1 << i))
            trxi_error_at(context, trxi_key_source(node, keys[i]), "a load of wave %s has no %s: remove it%s",
                          wave_words[wave], keys[i], i == FILE_NAME ? ", or write wave: file" : "");
        if (!present && waves[wave].needs & 1 << i)
            trxi_error_at(context, node->source, "a load of wave %s needs a %s: add it", wave_words[wave], keys[i]);
    }
    if (shaped && !trxi_yaml_get(node, "force") && !trxi_yaml_get(node, "torque"))
        trxi_error_at(context, node->source, "a load: missing key \"force\": add it, or torque");
}

static void read_values(trxi_reader *reader, const trxi_yaml_node *node, const char *path, trx_load_def *load)
{
    static const char *const names[6] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    static const double none[6] = {0, 0, 0, 0, 0, 0};
    trxi_time_table table;
    if (!trxi_time_table_read(reader, trxi_yaml_get(node, "file")->source, path, names, none, 6, &table)) return;
    load->times = table.times;
    load->values = table.values;
    load->ntime = table.rows;
}

static void read_load(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trx_load_def *load)
{
    load_record record = {.def = *load};
    record.def.source = node->source;
    bool file = trxi_yaml_get(node, "file") && !trxi_yaml_get(node, "wave");
    if (file) record.wave = TRX_LOAD_TABLE;
    int errors = trx_context_error_count(reader->context);
    if (!TRXI_READ_RECORD(reader, node, "a load", load_fields, &record)) return;
    if (record.body && trxi_expect_text(reader, record.body, "body", "the name of a body")) {
        const trxi_named *entry =
            trxi_names_resolve(reader, &scene->names, record.body->source, record.body->text, TRXI_BODY);
        if (entry) record.def.body = entry->body;
    }
    if (trx_context_error_count(reader->context) == errors) check_keys(reader, node, record.wave);
    if (!(record.def.stop > record.def.start))
        trxi_error_at(reader->context, trxi_key_source(node, trxi_yaml_get(node, "stop") ? "stop" : "start"),
                      "stop is not after start: write a later time");
    if (trx_context_error_count(reader->context) > errors) return;
    record.def.wave = waves[record.wave].wave;
    if (record.file) read_values(reader, node, record.file, &record.def);
    *load = record.def;
}

void trxi_read_loads(trxi_reader *reader, const trxi_yaml_node *list, trxi_scene *scene)
{
    trx_load_def *loads = TRXI_READER_TAKE(reader, trx_load_def, list->count);
    if (!loads) return;
    for (int i = 0; i < list->count && reader->memory; i++) {
        loads[i] = trx_load_def_default();
        read_load(reader, list->items[i], scene, &loads[i]);
    }
    scene->def.loads = loads;
    scene->def.nload = list->count;
}
