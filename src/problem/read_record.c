// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One mapping of the problem file by its table of fields; see reader.h. Numbers must lie within the bounds of their
// quantity (bounds.h).

#include "problem/reader.h"

#include "formats/scalar.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { MAX_FIELDS = 40, MAX_EXPLAINED = 128 };

// ---- numbers ----

// whether the magnitude of a number is within the largest sensible value of its quantity
static bool check_most(trxi_reader *reader, const trxi_yaml_node *node, const trxi_field *field, double number)
{
    const trxi_bounds *bounds = trxi_bounds_of(field->of);
    if (fabs(number) <= bounds->most) return true;
    trxi_error_at(reader->context, node->source, "%s is %.60s: write a number from -%g to %g [%s]: %s", field->key, node->text,
                  bounds->most, bounds->most, bounds->unit, bounds->reason);
    return false;
}

static bool read_any(trxi_reader *reader, const trxi_yaml_node *node, const trxi_field *field, double *value)
{
    double number;
    if (!trxi_read_number(reader, node, field->key, &number) || !check_most(reader, node, field, number)) return false;
    *value = number;
    return true;
}

static bool read_bounded(trxi_reader *reader, const trxi_yaml_node *node, const trxi_field *field, bool zero_allowed,
                         double *value)
{
    double number;
    const char *zero = zero_allowed ? "0 or " : "";
    const trxi_bounds *bounds = trxi_bounds_of(field->of);
    if (!trxi_read_number(reader, node, field->key, &number)) return false;
    const bool sign = number > 0 || (zero_allowed && number == 0);
    if (sign && (number == 0 || (number >= bounds->least && number <= bounds->most))) {
        *value = number;
        return true;
    }
    if (!sign)
        trxi_error_at(reader->context, node->source, "%s is %.60s: write %sa number above 0", field->key, node->text, zero);
    else
        trxi_error_at(reader->context, node->source, "%s is %.60s: write %sa number from %g to %g [%s]: %s", field->key,
                      node->text, zero, bounds->least, bounds->most, bounds->unit, bounds->reason);
    return false;
}

static bool read_whole(trxi_reader *reader, const trxi_yaml_node *node, const trxi_field *field, int least, int *value)
{
    const trxi_bounds *bounds = trxi_bounds_of(field->of);
    const int most = bounds->most < INT_MAX ? (int)bounds->most : INT_MAX;
    double number;
    int whole;
    if (!trxi_read_number(reader, node, field->key, &number)) return false;
    if (trxi_int_parse(node->text, &whole) && whole >= least && whole <= most) {
        *value = whole;
        return true;
    }
    trxi_error_at(reader->context, node->source, "%s is %.60s: write a whole number from %d to %d", field->key, node->text, least,
                  most);
    return false;
}

static bool read_entries(trxi_reader *reader, const trxi_yaml_node *node, const trxi_field *field, double *values)
{
    const trxi_bounds *bounds = trxi_bounds_of(field->of);
    double largest = 0;
    if (!trxi_read_vector(reader, node, field->key, field->count, values)) return false;
    for (int i = 0; i < field->count; i++) {
        if (!check_most(reader, node->items[i], field, values[i])) return false;
        largest = fmax(largest, fabs(values[i]));
    }
    if (field->of != TRXI_OF_DIRECTION || largest == 0 || largest >= bounds->least) return true;
    trxi_error_at(reader->context, node->source, "%s: its largest number is %g: write one from %g to %g: %s", field->key, largest,
                  bounds->least, bounds->most, bounds->reason);
    return false;
}

static bool read_range(trxi_reader *reader, const trxi_yaml_node *node, const trxi_field *field, double *range)
{
    double ends[2];
    if (!trxi_read_vector(reader, node, field->key, 2, ends)) return false;
    for (int i = 0; i < 2; i++)
        if (!check_most(reader, node->items[i], field, ends[i])) return false;
    if (ends[0] < ends[1]) {
        memcpy(range, ends, sizeof ends);
        return true;
    }
    trxi_error_at(reader->context, node->source, "%s: the first number must be below the second: write [lower, upper]",
                  field->key);
    return false;
}

// ---- words ----

static bool read_bool(trxi_reader *reader, const trxi_yaml_node *node, const char *key, bool *value)
{
    bool is_true = strcmp(node->text, "true") == 0, is_false = strcmp(node->text, "false") == 0;
    if (node->kind != TRXI_YAML_SCALAR || node->quoted || !(is_true || is_false))
        return trxi_wrong(reader, node, key, "true or false");
    *value = is_true;
    return true;
}

static bool read_name(trxi_reader *reader, const trxi_yaml_node *node, const char *key, const char **value)
{
    if (!trxi_expect_text(reader, node, key, "a name")) return false;
    // kept even when invalid, so that references to the name are not errors too
    *value = node->text;
    return trxi_name_check(reader, node->source, node->text);
}

static bool read_text(trxi_reader *reader, const trxi_yaml_node *node, const char *key, const char *wanted,
                      const char **value)
{
    if (!trxi_expect_text(reader, node, key, wanted)) return false;
    *value = node->text;
    return true;
}

// ---- poses ----

typedef struct pose_record {
    const trxi_yaml_node *xyz, *rpy, *quat;
} pose_record;

static const trxi_field pose_fields[] = {
    TRXI_FIELD("xyz", TRXI_NODE, pose_record, xyz),
    TRXI_FIELD("rpy", TRXI_NODE, pose_record, rpy),
    TRXI_FIELD("quat", TRXI_NODE, pose_record, quat),
};

static bool read_pose(trxi_reader *reader, const trxi_yaml_node *node, const char *key, trx_pose *pose)
{
    pose_record record = {0};
    if (!TRXI_READ_RECORD(reader, node, key, pose_fields, &record)) return false;
    trxi_read_pose_keys(reader, node, pose);
    return true;
}

// ---- one value, one record ----

static bool read_node(trxi_reader *reader, const trxi_yaml_node *node, const trxi_field *field,
                      const trxi_yaml_node **value)
{
    if (field->kind == TRXI_LIST && !trxi_expect_list(reader, node, field->key)) return false;
    if (field->kind == TRXI_MAP && !trxi_expect_map(reader, node, field->key)) return false;
    *value = node;
    return true;
}

bool trxi_read_value(trxi_reader *reader, const trxi_yaml_node *node, const trxi_field *field, void *value)
{
    const char *key = field->key;
    switch (field->kind) {
    case TRXI_NUMBER: return read_any(reader, node, field, value);
    case TRXI_POSITIVE: return read_bounded(reader, node, field, false, value);
    case TRXI_NOT_NEGATIVE: return read_bounded(reader, node, field, true, value);
    case TRXI_COUNT: return read_whole(reader, node, field, 1, value);
    case TRXI_INDEX: return read_whole(reader, node, field, 0, value);
    case TRXI_BOOL: return read_bool(reader, node, key, value);
    case TRXI_TEXT: return read_text(reader, node, key, "a text", value);
    case TRXI_PATH: return read_text(reader, node, key, "a file name", value);
    case TRXI_NAME: return read_name(reader, node, key, value);
    case TRXI_WORD: return trxi_read_word(reader, node, key, field->words, field->count, value);
    case TRXI_VECTOR: return read_entries(reader, node, field, value);
    case TRXI_RANGE: return read_range(reader, node, field, value);
    case TRXI_POSE: return read_pose(reader, node, key, value);
    case TRXI_LIST:
    case TRXI_MAP:
    case TRXI_NODE: return read_node(reader, node, field, value);
    }
    return false;
}

static const trxi_field *find_field(const trxi_field *fields, int nfield, const char *key)
{
    for (int i = 0; i < nfield; i++)
        if (strcmp(fields[i].key, key) == 0) return &fields[i];
    return NULL;
}

// whether an unknown key of `node` was probably meant to be `key`
static bool is_misspelled(const trxi_yaml_node *node, const trxi_field *fields, int nfield, const char *const *keys,
                          const char *key)
{
    for (int i = 0; i < node->count; i++)
        if (!find_field(fields, nfield, node->keys[i]) && trxi_suggest(node->keys[i], keys, nfield) == key) return true;
    return false;
}

bool trxi_read_record(trxi_reader *reader, const trxi_yaml_node *node, const char *what, const trxi_field *fields,
                      int nfield, void *record)
{
    if (!trxi_expect_map(reader, node, what)) return false;
    const char *keys[MAX_FIELDS];
    for (int i = 0; i < nfield; i++) keys[i] = fields[i].key;

    // in file order; the context keeps the first errors, so later unknown keys need no suggestion
    int unknown = 0;
    for (int i = 0; i < node->count && reader->memory; i++) {
        const trxi_field *field = find_field(fields, nfield, node->keys[i]);
        if (field)
            trxi_read_value(reader, node->items[i], field, (char *)record + field->offset);
        else if (unknown++ < MAX_EXPLAINED)
            trxi_unknown_key(reader, node->key_sources[i], node->keys[i], keys, nfield);
        else trxi_error_at(reader->context, node->key_sources[i], "unknown key");
    }
    for (int i = 0; i < nfield; i++)
        if (fields[i].required && trxi_yaml_find(node, keys[i]) < 0 &&
            !is_misspelled(node, fields, nfield, keys, keys[i]))
            trxi_error_at(reader->context, node->source, "%s: missing key \"%s\": add it", what, keys[i]);
    return true;
}
