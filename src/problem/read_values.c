// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values of parameters (docs/problem_file.md, parameters); see read_values.h.

#include "problem/read_values.h"

#include "formats/yaml_node.h"

#include <string.h>

// ---- a file of values ----

static bool put(trxi_pool *pool, trxi_yaml_node *section, const trxi_yaml_node *from, int index)
{
    const int at = trxi_yaml_find(section, from->keys[index]);
    if (at < 0) return trxi_yaml_add(pool, section, from->items[index], from->keys[index], from->key_sources[index]);
    section->items[at] = from->items[index];
    section->key_sources[at] = from->key_sources[index];
    return true;
}

trx_status trxi_add_values(trx_context *context, trxi_pool *pool, trxi_yaml_node *root, const char *path)
{
    trxi_yaml_node *file;
    trx_status status = trxi_yaml_read(context, pool, path, &file);
    if (status < 0) return status;
    trxi_yaml_node *values = trxi_yaml_get(file, "parameters"), *section = trxi_yaml_get(root, "parameters");
    if (!values || file->count != 1 || values->kind != TRXI_YAML_MAPPING)
        return trxi_error_at(context, file->source,
                             "a file of values has one section, \"parameters\": write parameters: {NAME: VALUE}");
    if (root->kind != TRXI_YAML_MAPPING) return TRX_OK; // reported when the problem is read
    if (!section) return trxi_yaml_add(pool, root, values, "parameters", values->source) ? TRX_OK : TRX_ERR_MEMORY;
    for (int i = 0; i < values->count && section->kind == TRXI_YAML_MAPPING; i++)
        if (!put(pool, section, values, i)) return TRX_ERR_MEMORY;
    return TRX_OK;
}

// ---- the section ----

void trxi_read_values(trxi_reader *reader, const trxi_yaml_node *node, trxi_named_values *values)
{
    *values = (trxi_named_values){0};
    if (!node || !trxi_expect_map(reader, node, "parameters")) return;
    values->names = TRXI_READER_TAKE(reader, const char *, node->count);
    values->sources = TRXI_READER_TAKE(reader, trx_source, node->count);
    values->values = TRXI_READER_TAKE(reader, double, node->count);
    values->parameters = TRXI_READER_TAKE(reader, trx_parameter, node->count);
    for (int i = 0; i < node->count && reader->memory; i++) {
        const int at = values->count;
        if (!trxi_read_number(reader, node->items[i], node->keys[i], &values->values[at])) continue;
        values->names[at] = node->keys[i];
        values->sources[at] = node->key_sources[i];
        values->count++;
    }
}

// ---- the model ----

// a context whose message is not the user's; NULL: no memory
static trx_context *quiet_context(const trx_context *context)
{
    trx_context_settings settings = trx_context_settings_default();
    trx_context *made;
    settings.allocator = *trxi_allocator(context);
    return trx_context_create(&settings, &made) < 0 ? NULL : made;
}

bool trxi_find_parameter(trxi_reader *reader, trx_source source, const trx_model *model, const char *name, trx_parameter *parameter)
{
    trx_context *quiet = quiet_context(reader->context);
    const trx_status status = quiet ? trx_model_find_parameter(quiet, model, name, parameter) : TRX_ERR_MEMORY;
    if (status == TRX_ERR_MEMORY) reader->memory = false;
    else if (status < 0) trxi_error_at(reader->context, source, "%s", trx_context_message(quiet));
    trx_context_destroy(quiet);
    return status >= 0;
}

static bool set_setting(trx_parameter parameter, double value, trx_sim_settings *sim)
{
    if (parameter.kind == TRX_STICTION_TOLERANCE) sim->stiction_tolerance = value;
    else if (parameter.kind == TRX_JOINT_STICTION_TOLERANCE) sim->joint_stiction_tolerance = value;
    else return false;
    return true;
}

static trx_status change(trx_context *context, trx_parameter parameter, double value, trx_model **model)
{
    trx_model *changed;
    trx_status status = trx_model_change(context, *model, &parameter, &value, 1, &changed);
    if (status < 0) return status;
    trx_model_destroy(*model);
    *model = changed;
    return TRX_OK;
}

void trxi_values_apply(trxi_reader *reader, trxi_named_values *values, trx_model **model, trx_sim_settings *sim)
{
    trx_context *quiet = values->count > 0 ? quiet_context(reader->context) : NULL;
    if (values->count > 0 && !quiet) reader->memory = false;
    for (int i = 0; i < values->count && reader->memory; i++) {
        trx_parameter *parameter = &values->parameters[i];
        if (!trxi_find_parameter(reader, values->sources[i], *model, values->names[i], parameter)) continue;
        if (set_setting(*parameter, values->values[i], sim)) {
            if (!(values->values[i] > 0)) trxi_error_at(reader->context, values->sources[i], "%s: write a positive number",
                                                        values->names[i]);
            continue;
        }
        const trx_status status = change(quiet, *parameter, values->values[i], model);
        if (status == TRX_ERR_MEMORY) reader->memory = false;
        else if (status < 0) trxi_error_at(reader->context, values->sources[i], "%s", trx_context_message(quiet));
    }
    trx_context_destroy(quiet);
}

trx_status trxi_values_apply_known(trx_context *context, const trxi_named_values *values, trx_model **model)
{
    for (int i = 0; i < values->count; i++) {
        trx_parameter parameter;
        trx_status status = trx_model_find_parameter(context, *model, values->names[i], &parameter);
        if (status >= 0 && parameter.kind != TRX_STICTION_TOLERANCE && parameter.kind != TRX_JOINT_STICTION_TOLERANCE)
            status = change(context, parameter, values->values[i], model);
        if (status == TRX_ERR_MEMORY) return status;
    }
    return TRX_OK;
}
