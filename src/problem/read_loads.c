// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The list model: loads: forces and torques on bodies over time. The table of fields has the keys of each wave.

#include "problem/read_model.h"
#include "problem/time_table.h"

#include <string.h>

typedef struct load_record {
    trx_load_def def;
    const trxi_yaml_node *body;
    int wave;
    const char *file;
} load_record;

enum { CONSTANT, SINE, RAMP, ROTATE, FROM_FILE, WAVES };

static const char *const wave_words[WAVES] = {"constant", "sine", "ramp", "rotate", "file"};
static const trx_load_wave waves[WAVES] = {TRX_LOAD_CONSTANT, TRX_LOAD_SINE, TRX_LOAD_RAMP, TRX_LOAD_ROTATE, TRX_LOAD_TABLE};

// sets of waves
enum { SHAPED = 1 << CONSTANT | 1 << SINE | 1 << RAMP | 1 << ROTATE, PERIODIC = 1 << SINE | 1 << ROTATE };

static const trxi_field load_fields[] = {
    TRXI_FIELD("body", TRXI_NODE, load_record, body, .required = true),
    TRXI_FIELD("force", TRXI_VECTOR, load_record, def.force, .count = 3, .of = TRXI_OF_FORCE, .takers = SHAPED),
    TRXI_FIELD("torque", TRXI_VECTOR, load_record, def.torque, .count = 3, .of = TRXI_OF_FORCE, .takers = SHAPED),
    TRXI_FIELD("at", TRXI_VECTOR, load_record, def.at, .count = 3, .of = TRXI_OF_LENGTH),
    TRXI_FIELD("wave", TRXI_WORD, load_record, wave, .words = wave_words, .count = WAVES),
    TRXI_FIELD("frequency", TRXI_NOT_NEGATIVE, load_record, def.frequency, .of = TRXI_OF_FREQUENCY,
               .takers = PERIODIC, .needers = PERIODIC),
    TRXI_FIELD("phase", TRXI_NUMBER, load_record, def.phase, .takers = PERIODIC),
    TRXI_FIELD("axis", TRXI_VECTOR, load_record, def.axis, .count = 3, .of = TRXI_OF_DIRECTION, .takers = 1 << ROTATE),
    TRXI_FIELD("duration", TRXI_POSITIVE, load_record, def.duration, .of = TRXI_OF_TIME,
               .takers = 1 << RAMP, .needers = 1 << RAMP),
    TRXI_FIELD("start", TRXI_NUMBER, load_record, def.start, .of = TRXI_OF_TIME),
    TRXI_FIELD("stop", TRXI_NUMBER, load_record, def.stop, .of = TRXI_OF_TIME),
    TRXI_FIELD("file", TRXI_PATH, load_record, file, .takers = 1 << FROM_FILE, .needers = 1 << FROM_FILE),
};

// missing keys and unexpected keys of the wave
static void check_keys(trxi_reader *reader, const trxi_yaml_node *node, int wave)
{
    trx_context *context = reader->context;
    for (size_t i = 0; i < sizeof load_fields / sizeof *load_fields; i++) {
        const trxi_field *field = &load_fields[i];
        if (trxi_field_is_foreign(field, node, wave))
            trxi_error_at(context, trxi_key_source(node, field->key), "a load of wave %s has no %s: remove it%s", wave_words[wave],
                          field->key, strcmp(field->key, "file") == 0 ? ", or write wave: file" : "");
        if (trxi_field_is_missing(field, node, wave))
            trxi_error_at(context, node->source, "a load of wave %s needs a %s: add it", wave_words[wave], field->key);
    }
    if (wave != FROM_FILE && !trxi_yaml_get(node, "force") && !trxi_yaml_get(node, "torque"))
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
    if (file) record.wave = FROM_FILE;
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
    record.def.wave = waves[record.wave];
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
