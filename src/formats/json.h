// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// JSON written in order, without a tree: begin, key, value, end. The output is always valid UTF-8 and safe inside
// an HTML script element. Calls out of order (a value without its key) are bugs of the caller and assert.

#ifndef TRXI_FORMATS_JSON_H
#define TRXI_FORMATS_JSON_H

#include "formats/text.h"

enum { TRXI_JSON_MAX_DEPTH = 32 };

typedef struct trxi_json {
    trxi_text *out;
    int indent;                       // blanks per level; 0: everything on one line
    int depth;                        // open objects and arrays
    char kind[TRXI_JSON_MAX_DEPTH];   // '{' or '['
    bool filled[TRXI_JSON_MAX_DEPTH]; // something was written at this level
    bool keyed;                       // a key waits for its value
} trxi_json;

trxi_json trxi_json_create(trxi_text *out, int indent);

void trxi_json_begin_object(trxi_json *json);
void trxi_json_end_object(trxi_json *json);
void trxi_json_begin_array(trxi_json *json);
void trxi_json_end_array(trxi_json *json);

void trxi_json_key(trxi_json *json, const char *key);

/// NULL writes null.
void trxi_json_string(trxi_json *json, const char *string);
/// Writes null for inf and nan.
void trxi_json_number(trxi_json *json, double number);
void trxi_json_int(trxi_json *json, int number);
void trxi_json_bool(trxi_json *json, bool value);
void trxi_json_null(trxi_json *json);

/// An array of `n` numbers on one line.
void trxi_json_numbers(trxi_json *json, const double *numbers, int n);

/// A key and its value in one call, or a key and the beginning of its object or array.
void trxi_json_put_object(trxi_json *json, const char *key);
void trxi_json_put_array(trxi_json *json, const char *key);

/// For a loop over an array of `count` objects: ends the object before; then begins object i and returns true, or ends the array
/// and returns false.
bool trxi_json_next_object(trxi_json *json, int i, int count);

/// A key and an object of `n` numbers.
void trxi_json_put_named(trxi_json *json, const char *key, int n, const char *const *names, const double *numbers);

/// A key, and the beginning of its object or null. Returns `present`.
bool trxi_json_put_object_if(trxi_json *json, const char *key, bool present);

void trxi_json_put_string(trxi_json *json, const char *key, const char *string);
void trxi_json_put_number(trxi_json *json, const char *key, double number);
void trxi_json_put_int(trxi_json *json, const char *key, int number);
void trxi_json_put_bool(trxi_json *json, const char *key, bool value);
void trxi_json_put_numbers(trxi_json *json, const char *key, const double *numbers, int n);

#endif
