// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The JSON writer (RFC 8259); see json.h.
//
// Strings are copied byte by byte. Control characters, quotes and backslashes are escaped, bytes that are not UTF-8
// become U+FFFD, and `<`, U+2028 and U+2029 are escaped because they are not safe in scripts in HTML.

#include "formats/json.h"

#include "base/utf8.h"

#include <assert.h>
#include <math.h>

trxi_json trxi_json_create(trxi_text *out, int indent)
{
    return (trxi_json){.out = out, .indent = indent};
}

static void new_line(trxi_json *json)
{
    if (json->indent == 0) return;
    trxi_text_char(json->out, '\n');
    trxi_text_repeat(json->out, ' ', json->indent * json->depth);
}

// comma and new line before the next item of the open object or array
static void separate(trxi_json *json)
{
    if (json->depth == 0) return;
    bool *filled = &json->filled[json->depth - 1];
    if (*filled) trxi_text_char(json->out, ',');
    *filled = true;
    new_line(json);
}

// the separator before an item of an array; an item of an object has its separator before its key
static void before_value(trxi_json *json)
{
    bool in_object = json->depth > 0 && json->kind[json->depth - 1] == '{';
    assert(in_object == json->keyed);
    if (!in_object) separate(json);
    json->keyed = false;
}

static void begin(trxi_json *json, char kind)
{
    before_value(json);
    assert(json->depth < TRXI_JSON_MAX_DEPTH);
    trxi_text_char(json->out, kind);
    json->kind[json->depth] = kind;
    json->filled[json->depth++] = false;
}

static void end(trxi_json *json, char kind, char closing)
{
    assert(json->depth > 0 && json->kind[json->depth - 1] == kind && !json->keyed);
    (void)kind;
    bool filled = json->filled[--json->depth];
    if (filled) new_line(json);
    trxi_text_char(json->out, closing);
    if (json->depth == 0 && json->indent > 0) trxi_text_char(json->out, '\n');
}

void trxi_json_begin_object(trxi_json *json)
{
    begin(json, '{');
}

void trxi_json_end_object(trxi_json *json)
{
    end(json, '{', '}');
}

void trxi_json_begin_array(trxi_json *json)
{
    begin(json, '[');
}

void trxi_json_end_array(trxi_json *json)
{
    end(json, '[', ']');
}

static void write_string(trxi_text *out, const char *string)
{
    trxi_text_char(out, '"');
    for (const char *at = string; *at;) {
        uint32_t c;
        int length = trxi_utf8_decode(at, &c);
        if (length == 0) {
            trxi_text_string(out, "\xEF\xBF\xBD");
            at++;
            continue;
        }
        if (c == '"' || c == '\\')
            trxi_text_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            trxi_text_string(out, "\\n");
        else if (c < 0x20 || c == 0x7F || c == '<' || c == 0x2028 || c == 0x2029)
            trxi_text_printf(out, "\\u%04x", (unsigned)c);
        else
            trxi_text_append(out, at, (size_t)length);
        at += length;
    }
    trxi_text_char(out, '"');
}

void trxi_json_key(trxi_json *json, const char *key)
{
    assert(json->depth > 0 && json->kind[json->depth - 1] == '{' && !json->keyed);
    separate(json);
    write_string(json->out, key);
    trxi_text_string(json->out, json->indent > 0 ? ": " : ":");
    json->keyed = true;
}

void trxi_json_string(trxi_json *json, const char *string)
{
    if (!string) {
        trxi_json_null(json);
        return;
    }
    before_value(json);
    write_string(json->out, string);
}

static void write_number(trxi_text *out, double number)
{
    if (isfinite(number))
        trxi_text_number(out, number);
    else
        trxi_text_string(out, "null");
}

void trxi_json_number(trxi_json *json, double number)
{
    before_value(json);
    write_number(json->out, number);
}

void trxi_json_int(trxi_json *json, int number)
{
    before_value(json);
    trxi_text_int(json->out, number);
}

void trxi_json_bool(trxi_json *json, bool value)
{
    before_value(json);
    trxi_text_string(json->out, value ? "true" : "false");
}

void trxi_json_null(trxi_json *json)
{
    before_value(json);
    trxi_text_string(json->out, "null");
}

void trxi_json_numbers(trxi_json *json, const double *numbers, int n)
{
    before_value(json);
    trxi_text_char(json->out, '[');
    for (int i = 0; i < n; i++) {
        if (i > 0) trxi_text_string(json->out, json->indent > 0 ? ", " : ",");
        write_number(json->out, numbers[i]);
    }
    trxi_text_char(json->out, ']');
}

void trxi_json_put_object(trxi_json *json, const char *key)
{
    trxi_json_key(json, key);
    trxi_json_begin_object(json);
}

void trxi_json_put_array(trxi_json *json, const char *key)
{
    trxi_json_key(json, key);
    trxi_json_begin_array(json);
}

bool trxi_json_next_object(trxi_json *json, int i, int count)
{
    if (i > 0) trxi_json_end_object(json);
    if (i < count) trxi_json_begin_object(json);
    else trxi_json_end_array(json);
    return i < count;
}

bool trxi_json_put_object_if(trxi_json *json, const char *key, bool present)
{
    trxi_json_key(json, key);
    if (present) trxi_json_begin_object(json);
    else trxi_json_null(json);
    return present;
}

void trxi_json_put_string(trxi_json *json, const char *key, const char *string)
{
    trxi_json_key(json, key);
    trxi_json_string(json, string);
}

void trxi_json_put_number(trxi_json *json, const char *key, double number)
{
    trxi_json_key(json, key);
    trxi_json_number(json, number);
}

void trxi_json_put_int(trxi_json *json, const char *key, int number)
{
    trxi_json_key(json, key);
    trxi_json_int(json, number);
}

void trxi_json_put_bool(trxi_json *json, const char *key, bool value)
{
    trxi_json_key(json, key);
    trxi_json_bool(json, value);
}

void trxi_json_put_numbers(trxi_json *json, const char *key, const double *numbers, int n)
{
    trxi_json_key(json, key);
    trxi_json_numbers(json, numbers, n);
}

void trxi_json_put_named(trxi_json *json, const char *key, int n, const char *const *names, const double *numbers)
{
    trxi_json_put_object(json, key);
    for (int i = 0; i < n; i++) trxi_json_put_number(json, names[i], numbers[i]);
    trxi_json_end_object(json);
}
