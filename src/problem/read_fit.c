// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section fit: validated, so that every command reports mistakes in it. This version does not have the verb that
// uses it.

#include "problem/read_fit.h"

#include "problem/quantity.h"

#include <string.h>

// {QUANTITY: standard deviation}
void trxi_read_noise(trxi_reader *reader, const trxi_yaml_node *map, const trxi_scene *scene)
{
    for (int i = 0; i < map->count && reader->memory; i++) {
        const trxi_field deviation = {.key = map->keys[i], .kind = TRXI_NOT_NEGATIVE};
        double value;
        trxi_check_quantity_key(reader, map->key_sources[i], map->keys[i], scene);
        trxi_read_value(reader, map->items[i], &deviation, &value);
    }
}

typedef struct data_record {
    const char *file;
    int window;
} data_record;

static const trxi_field data_fields[] = {
    TRXI_FIELD("file", TRXI_PATH, data_record, file, .required = true),
    TRXI_FIELD("window", TRXI_INDEX, data_record, window),
};

typedef struct prior_record {
    double mean, sd;
} prior_record;

static const trxi_field prior_fields[] = {
    TRXI_FIELD("mean", TRXI_NUMBER, prior_record, mean, .required = true),
    TRXI_FIELD("sd", TRXI_POSITIVE, prior_record, sd, .required = true),
};

typedef struct parameter_record {
    const trxi_yaml_node *of, *prior;
    double start, min, max;
} parameter_record;

static const trxi_field parameter_fields[] = {
    TRXI_FIELD("of", TRXI_NODE, parameter_record, of, .required = true),
    TRXI_FIELD("start", TRXI_NUMBER, parameter_record, start),
    TRXI_FIELD("min", TRXI_NUMBER, parameter_record, min),
    TRXI_FIELD("max", TRXI_NUMBER, parameter_record, max),
    TRXI_FIELD("prior", TRXI_NODE, parameter_record, prior),
};

static void check_member(trxi_reader *reader, const trxi_yaml_node *of, const char *member, const char *const *members,
                         int count)
{
    for (int i = 0; member && i < count; i++)
        if (strcmp(member, members[i]) == 0) return;
    const char *near = member ? trxi_did_you_mean(reader, member, members, count) : "";
    trxi_error_at(reader->context, of->source, "\"%.100s\" is not a parameter%s%s", of->text,
                  *near ? near : ": its members are ", *near ? "" : trxi_choices(reader, members, count));
}

// BODY.mass, JOINT.damping, pair(A, B).friction
static void read_parameter_name(trxi_reader *reader, const trxi_yaml_node *of, const trxi_scene *scene)
{
    static const char *const pair_members[] = {"stiffness", "dissipation", "relaxation_time", "friction"};
    static const char *const body_members[] = {"mass", "com", "tensor"};
    static const char *const joint_members[] = {"damping", "stiffness", "rest", "armature", "friction"};
    trxi_parts parts;
    if (!trxi_expect_text(reader, of, "of", "a parameter such as BODY.mass")) return;
    bool split = trxi_parts_split(reader, of->text, &parts);
    if (split && parts.function && strcmp(parts.function, "pair") == 0 && parts.narguments == 2) {
        for (int i = 0; i < 2; i++)
            trxi_names_resolve(reader, &scene->names, of->source, parts.arguments[i],
                               TRXI_BODY | TRXI_GEOMETRY | TRXI_INCLUDE);
        check_member(reader, of, parts.member, pair_members, 4);
        return;
    }
    if (!split || parts.function) {
        trxi_error_at(reader->context, of->source,
                      "\"%.100s\" is not a parameter: write BODY.mass, JOINT.damping or pair(A, B).friction", of->text);
        return;
    }
    const trxi_named *entry = trxi_names_resolve(reader, &scene->names, of->source, parts.name, TRXI_BODY | TRXI_JOINT);
    if (entry && entry->things & TRXI_BODY)
        check_member(reader, of, parts.member, body_members, 3);
    else if (entry)
        check_member(reader, of, parts.member, joint_members, 5);
}

static void read_parameter(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene)
{
    parameter_record record = {0};
    if (!TRXI_READ_RECORD(reader, node, "a parameter", parameter_fields, &record)) return;
    if (record.of) read_parameter_name(reader, record.of, scene);
    bool both = trxi_yaml_get(node, "min") && trxi_yaml_get(node, "max");
    if (both && !(record.min < record.max))
        trxi_error_at(reader->context, trxi_yaml_get(node, "max")->source, "max is not above min: write min < max");
    prior_record prior = {0};
    if (record.prior) TRXI_READ_RECORD(reader, record.prior, "prior", prior_fields, &prior);
}

typedef struct fit_record {
    const trxi_yaml_node *data, *noise, *parameters;
} fit_record;

static const trxi_field fit_fields[] = {
    TRXI_FIELD("data", TRXI_LIST, fit_record, data, .required = true),
    TRXI_FIELD("noise", TRXI_MAP, fit_record, noise),
    TRXI_FIELD("parameters", TRXI_LIST, fit_record, parameters, .required = true),
};

void trxi_read_fit(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene)
{
    fit_record record = {0};
    if (!node || !TRXI_READ_RECORD(reader, node, "fit", fit_fields, &record)) return;
    for (int i = 0; record.data && i < record.data->count && reader->memory; i++) {
        data_record data = {0};
        TRXI_READ_RECORD(reader, record.data->items[i], "data", data_fields, &data);
    }
    if (record.noise) trxi_read_noise(reader, record.noise, scene);
    for (int i = 0; record.parameters && i < record.parameters->count && reader->memory; i++)
        read_parameter(reader, record.parameters->items[i], scene);
}
