// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages about YAML nodes, and single values from them; see reader.h. Messages say the mistake and a correction.
// They are placed at the value (at the key when the key is wrong, at the mapping when a key is missing).

#include "problem/reader.h"

#include "formats/scalar.h"
#include "math/rotation.h"
#include "problem/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_CHOICES = 12 };

bool trxi_reader_ok(const trxi_reader *reader)
{
    return reader->memory && trx_context_error_count(reader->context) == reader->errors_before;
}

void trxi_unreadable(trxi_reader *reader, trx_source source, const char *message)
{
    trxi_error_at(reader->context, source, "%s", message);
    reader->unreadable = true;
}

void *trxi_reader_take(trxi_reader *reader, int count, size_t size)
{
    void *memory = trxi_pool_take(reader->pool, (size_t)count, size);
    if (!memory) reader->memory = false;
    return memory;
}

void *trxi_reader_grow(trxi_reader *reader, void *array, int count, int *capacity, size_t size)
{
    void *grown = count < *capacity ? array : trxi_pool_grow(reader->pool, array, count, capacity, size);
    if (!grown) reader->memory = false;
    return grown;
}

char *trxi_reader_printf(trxi_reader *reader, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *copy = trxi_pool_string(reader->pool, text, strlen(text));
    if (!copy) reader->memory = false;
    return copy;
}

const char *trxi_file_path(trxi_reader *reader, const char *path)
{
    const char *found = path[0] == '/' ? path : trxi_pool_printf(reader->pool, "%s%s", reader->folder, path);
    if (!found) reader->memory = false;
    return found ? found : "";
}

const char *trxi_choices(trxi_reader *reader, const char *const *words, int count)
{
    int shown = count > MAX_CHOICES ? MAX_CHOICES - 1 : count;
    const char *text = "";
    for (int i = 0; i < shown && text; i++) {
        const char *between = i == 0 ? "" : i == count - 1 ? " or " : ", ";
        text = trxi_reader_printf(reader, "%.800s%s%.100s", text, between, words[i]);
    }
    if (text && shown < count) text = trxi_reader_printf(reader, "%.900s, ... (%d in all)", text, count);
    return text ? text : "";
}

const char *trxi_did_you_mean(trxi_reader *reader, const char *word, const char *const *words, int count)
{
    const char *near = trxi_suggest(word, words, count);
    const char *text = near ? trxi_reader_printf(reader, ": did you mean \"%.100s\"?", near) : "";
    return text ? text : "";
}

trx_source trxi_key_source(const trxi_yaml_node *mapping, const char *key)
{
    int at = trxi_yaml_find(mapping, key);
    return at < 0 ? mapping->source : mapping->key_sources[at];
}

bool trxi_source_after(trx_source a, trx_source b)
{
    // values of options come after values of the file
    if (a.file && b.file && strcmp(a.file, b.file) != 0) return strncmp(a.file, "--set", 5) == 0;
    return a.line != b.line ? a.line > b.line : a.column > b.column;
}

void trxi_unknown_key(trxi_reader *reader, trx_source source, const char *key, const char *const *keys, int nkey)
{
    const char *near = trxi_did_you_mean(reader, key, keys, nkey);
    if (*near)
        trxi_error_at(reader->context, source, "unknown key \"%.200s\"%s", key, near);
    else
        trxi_error_at(reader->context, source, "unknown key \"%.200s\": the keys here are %s", key,
                      trxi_choices(reader, keys, nkey));
}

// ---- the found value, for messages ----

// "a list", "the text "abc"": the kind of a node
static const char *describe(trxi_reader *reader, const trxi_yaml_node *node)
{
    if (node->kind == TRXI_YAML_SEQUENCE) return "a list";
    if (node->kind == TRXI_YAML_MAPPING) return "a mapping";
    if (!node->quoted && !*node->text) return "nothing";
    const char *text = trxi_reader_printf(reader, "\"%.60s%s\"", node->text, strlen(node->text) > 60 ? "..." : "");
    return text ? text : "";
}

bool trxi_wrong(trxi_reader *reader, const trxi_yaml_node *node, const char *key, const char *wanted)
{
    trxi_error_at(reader->context, node->source, "%s: expected %s, found %s", key, wanted, describe(reader, node));
    return false;
}

bool trxi_expect_list(trxi_reader *reader, const trxi_yaml_node *node, const char *key)
{
    return node->kind == TRXI_YAML_SEQUENCE || trxi_wrong(reader, node, key, "a list [ ... ]");
}

bool trxi_expect_map(trxi_reader *reader, const trxi_yaml_node *node, const char *key)
{
    return node->kind == TRXI_YAML_MAPPING || trxi_wrong(reader, node, key, "a mapping { key: value }");
}

// texts are shown on terminals, which act on control characters
static bool has_control(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if ((*c < 0x20 && !strchr("\t\n\r", *c)) || *c == 0x7F || (c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0)) return true;
    return false;
}

bool trxi_expect_text(trxi_reader *reader, const trxi_yaml_node *node, const char *key, const char *wanted)
{
    bool empty = node->kind == TRXI_YAML_SCALAR && !node->quoted && !*node->text;
    if (node->kind != TRXI_YAML_SCALAR || empty) return trxi_wrong(reader, node, key, wanted);
    if (!has_control(node->text)) return true;
    trxi_error_at(reader->context, node->source, "%s: a control character: remove it", key);
    return false;
}

// ---- numbers ----

bool trxi_read_number(trxi_reader *reader, const trxi_yaml_node *node, const char *key, double *value)
{
    const char *text = node->text;
    double number;
    if (!trxi_expect_text(reader, node, key, "a number")) return false;
    if (trxi_number_parse(text, &number)) {
        if (!node->quoted) {
            *value = number;
            return true;
        }
        trxi_error_at(reader->context, node->source, "%s: a number in quotes is text: write %.60s", key, text);
        return false;
    }

    // the most frequent mistake has an exact correction
    const char *unit;
    if (trxi_unit_parse(text, &number, &unit))
        trxi_error_at(reader->context, node->source,
                      "%s: \"%.60s\" has a unit, but numbers are in SI units and radians: write %.10g", key, text,
                      number);
    else if (unit && !strchr("0123456789.", *unit))
        trxi_error_at(reader->context, node->source,
                      "%s: \"%.60s\" is more than a number: write the number alone, in SI units and radians", key, text);
    else
        trxi_wrong(reader, node, key, "a finite decimal number");
    return false;
}

bool trxi_read_vector(trxi_reader *reader, const trxi_yaml_node *node, const char *key, int count, double *values)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "a list of %d number%s", count, count == 1 ? "" : "s");
    if (node->kind != TRXI_YAML_SEQUENCE) return trxi_wrong(reader, node, key, wanted);
    if (node->count != count) {
        trxi_error_at(reader->context, node->source, "%s: expected %s, found %d", key, wanted, node->count);
        return false;
    }
    bool fine = true;
    for (int i = 0; i < count; i++) fine = trxi_read_number(reader, node->items[i], key, &values[i]) && fine;
    return fine;
}

// ---- words ----

bool trxi_read_word(trxi_reader *reader, const trxi_yaml_node *node, const char *key, const char *const *words,
                    int count, int *value)
{
    const char *wanted = trxi_reader_printf(reader, "%s", trxi_choices(reader, words, count));
    if (!wanted || !trxi_expect_text(reader, node, key, wanted)) return false;
    for (int i = 0; i < count; i++) {
        if (strcmp(node->text, words[i]) != 0) continue;
        *value = i;
        return true;
    }
    const char *near = trxi_did_you_mean(reader, node->text, words, count);
    trxi_error_at(reader->context, node->source, "%s: \"%.60s\" is not %s%s", key, node->text, wanted, near);
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool trxi_name_check(trxi_reader *reader, trx_source source, const char *name)
{
    bool fine = is_letter(name[0]);
    for (const char *c = name; *c && fine; c++)
        fine = is_letter(*c) || (*c >= '0' && *c <= '9') || *c == '_' || *c == '-';
    if (!fine)
        trxi_error_at(reader->context, source,
                      "\"%.100s\" is not a name: write letters, digits, _ or -, and a letter first", name);
    else if (strcmp(name, "world") == 0)
        trxi_error_at(reader->context, source, "\"world\" is reserved: write another name");
    return fine && strcmp(name, "world") != 0;
}

// ---- poses ----

static void read_rpy(trxi_reader *reader, const trxi_yaml_node *node, trx_pose *pose)
{
    double rpy[3];
    if (trxi_read_vector(reader, node, "rpy", 3, rpy)) trxi_quat_from_rpy(rpy, pose->quat);
}

static void read_quat(trxi_reader *reader, const trxi_yaml_node *node, trx_pose *pose)
{
    double quat[4];
    if (!trxi_read_vector(reader, node, "quat", 4, quat)) return;

    // scaled first, so that neither tiny nor huge entries lose the direction
    double largest = 0;
    for (int i = 0; i < 4; i++) largest = fmax(largest, fabs(quat[i]));
    if (largest == 0) {
        trxi_error_at(reader->context, node->source,
                      "quat: the zero quaternion is no orientation: write [w, x, y, z], [1, 0, 0, 0] for none");
        return;
    }
    for (int i = 0; i < 4; i++) quat[i] /= largest;
    trxi_quat_normalize(quat);
    memcpy(pose->quat, quat, sizeof quat);
}

void trxi_read_pose_keys(trxi_reader *reader, const trxi_yaml_node *node, trx_pose *pose)
{
    const trxi_yaml_node *xyz = trxi_yaml_get(node, "xyz"), *rpy = trxi_yaml_get(node, "rpy"),
                         *quat = trxi_yaml_get(node, "quat");
    if (xyz) trxi_read_vector(reader, xyz, "xyz", 3, pose->p);
    if (rpy) read_rpy(reader, rpy, pose);
    if (quat) read_quat(reader, quat, pose);
    if (!rpy || !quat) return;
    trx_source r = trxi_key_source(node, "rpy"), q = trxi_key_source(node, "quat");
    trxi_error_at(reader->context, trxi_source_after(r, q) ? r : q,
                  "rpy and quat both give the orientation: remove one");
}
