// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// From YAML nodes to typed values. A table of fields describes every mapping of the problem file: key, kind of
// value, and destination of the value. trxi_read_record goes through a mapping in file order with its table. In one
// pass it reports, at the exact place, unknown keys (with a suggestion), missing keys, wrong types, units in
// numbers, and words that are not among the choices. The owner of the mapping checks conditions between several
// values with the small readers below.
//
// A wrong value is reported and the destination keeps its old value. After memory has run out, `memory` stays
// false, and the caller of the reader stops.

#ifndef TRXI_PROBLEM_READER_H
#define TRXI_PROBLEM_READER_H

#include "formats/yaml.h"
#include "problem/bounds.h"

#include <tractrix/model.h>

typedef enum trxi_kind {
    TRXI_NUMBER,       // any: double
    TRXI_POSITIVE,     // above 0: double
    TRXI_NOT_NEGATIVE, // 0 or above: double
    TRXI_COUNT,        // whole number from 1: int
    TRXI_INDEX,        // whole number from 0: int
    TRXI_BOOL,         // true or false: bool
    TRXI_TEXT,         // const char *
    TRXI_PATH,         // const char *, as written; becomes absolute in the problem as run
    TRXI_NAME,         // a new name: const char *
    TRXI_WORD,         // one of `words`: int, its number
    TRXI_VECTOR,       // `count` numbers: double[count]
    TRXI_RANGE,        // [lower, upper], lower < upper: double[2]
    TRXI_POSE,         // trx_pose
    TRXI_LIST,         // const trxi_yaml_node *, a sequence
    TRXI_MAP,          // const trxi_yaml_node *, a mapping
    TRXI_NODE,         // const trxi_yaml_node *, any node: read by the owner
} trxi_kind;

typedef struct trxi_field {
    const char *key;
    trxi_kind kind;
    size_t offset;             // of the value in the record
    bool required;
    int count;                 // TRXI_VECTOR: numbers; TRXI_WORD: words
    const char *const *words;  // TRXI_WORD
    trxi_bounded of;           // numbers: their unit and bounds
    int takers, needers;       // for records of several types: those that take the key (0: all) and that need it, as 1 << type
} trxi_field;

/// A row of a table of fields; further members by name: .required = true.
#define TRXI_FIELD(name, what, record, member, ...)                                                 \
    {.key = name, .kind = what, .offset = offsetof(record, member), __VA_ARGS__}

/// Scopes of unsupported features. A feature of the model makes loading fail, a feature of the plan makes planning
/// fail, a feature of future verbs has no effect.
typedef enum trxi_scope { TRXI_FOR_MODEL, TRXI_FOR_PLAN, TRXI_FOR_OTHERS, TRXI_SCOPES } trxi_scope;

typedef struct trxi_reader {
    trx_context *context;
    trxi_pool *pool;
    trxi_yaml_node *root;
    const char *folder; // of the file, as given, with a slash at its end unless empty
    const char *const *packages; // npackage texts NAME=DIR, for robots
    int npackage;
    int errors_before;  // number of errors in the context when reading began
    bool unreadable;    // a file that the problem needs cannot be read
    bool memory;        // false: exhausted
    const char *unsupported[TRXI_SCOPES];       // dotted path of the first unsupported feature, in file order; NULL: none
    trx_source unsupported_source[TRXI_SCOPES];
} trxi_reader;

/// Whether no error has been found so far.
bool trxi_reader_ok(const trxi_reader *reader);

/// Reports at `source` a file that cannot be read; loading then fails with TRX_ERR_IO.
void trxi_unreadable(trxi_reader *reader, trx_source source, const char *message);

/// Zeroed memory of the pool; NULL when it is exhausted (and for all later calls).
void *trxi_reader_take(trxi_reader *reader, int count, size_t size);
#define TRXI_READER_TAKE(reader, type, count) ((type *)trxi_reader_take((reader), (count), sizeof(type)))

/// An array of the pool with room for more than `count` elements: `array`, or a larger copy. NULL as above; `array` then stays.
void *trxi_reader_grow(trxi_reader *reader, void *array, int count, int *capacity, size_t size);

/// printf into the pool, cut after 1023 characters; NULL when memory is out (sticky).
char *trxi_reader_printf(trxi_reader *reader, const char *format, ...) TRXI_PRINTF(2, 3);

/// A path of the file for this process: relative paths start at the file's folder.
const char *trxi_file_path(trxi_reader *reader, const char *path);

/// Reads `node` (`what` names it in messages: "a body") into `record` by its table. Returns false when the node is
/// not a mapping.
bool trxi_read_record(trxi_reader *reader, const trxi_yaml_node *node, const char *what, const trxi_field *fields,
                      int nfield, void *record);
#define TRXI_READ_RECORD(reader, node, what, fields, record)                                        \
    trxi_read_record((reader), (node), (what), (fields), (int)(sizeof(fields) / sizeof *(fields)), (record))

/// Whether `node` has the key of a field that records of this type do not take, or misses a key that they need.
static inline bool trxi_field_is_foreign(const trxi_field *field, const trxi_yaml_node *node, int type)
{
    return field->takers && !(field->takers & 1 << type) && trxi_yaml_get(node, field->key);
}

static inline bool trxi_field_is_missing(const trxi_field *field, const trxi_yaml_node *node, int type)
{
    return field->needers & 1 << type && !trxi_yaml_get(node, field->key);
}

/// Reads one value of the kind and form of `field`, called `field->key` in messages; false when it is wrong.
bool trxi_read_value(trxi_reader *reader, const trxi_yaml_node *node, const trxi_field *field, void *value);

/// Read a number; exactly `count` numbers; one of `words`. Messages call the value `key`.
bool trxi_read_number(trxi_reader *reader, const trxi_yaml_node *node, const char *key, double *value);
bool trxi_read_vector(trxi_reader *reader, const trxi_yaml_node *node, const char *key, int count, double *values);
bool trxi_read_word(trxi_reader *reader, const trxi_yaml_node *node, const char *key, const char *const *words,
                    int count, int *value);

/// Checks the form of a new name: letters, digits, _ and -, first a letter, not `world`. Reports at `source`.
bool trxi_name_check(trxi_reader *reader, trx_source source, const char *name);

/// Reports "KEY: expected WANTED, found ..." at `node`; returns false.
bool trxi_wrong(trxi_reader *reader, const trxi_yaml_node *node, const char *key, const char *wanted);

/// Whether `node` is a sequence (a mapping, a scalar with a value); reports it otherwise.
bool trxi_expect_list(trxi_reader *reader, const trxi_yaml_node *node, const char *key);
bool trxi_expect_map(trxi_reader *reader, const trxi_yaml_node *node, const char *key);
bool trxi_expect_text(trxi_reader *reader, const trxi_yaml_node *node, const char *key, const char *wanted);

/// Position and orientation: the keys xyz, rpy and quat of `node`, into `pose`. A missing key leaves its part of `pose`
/// unchanged. Other keys are left to the caller. A quaternion that is read is normalized.
void trxi_read_pose_keys(trxi_reader *reader, const trxi_yaml_node *node, trx_pose *pose);

/// Place of a key of a mapping; of the mapping when the key is missing.
trx_source trxi_key_source(const trxi_yaml_node *mapping, const char *key);

/// Reports an unknown key among `keys`, with a suggestion or the choices.
void trxi_unknown_key(trxi_reader *reader, trx_source source, const char *key, const char *const *keys, int nkey);

/// "a, b or c" of at most twelve of `words`, in the pool; "" when memory is out.
const char *trxi_choices(trxi_reader *reader, const char *const *words, int count);

/// ": did you mean \"X\"?" or "", in the pool.
const char *trxi_did_you_mean(trxi_reader *reader, const char *word, const char *const *words, int count);

/// Notes that this version does not support `node`, a value of the file. Its dotted path is searched in the tree;
/// `detail` (may be NULL) is appended to it ("hertz").
void trxi_not_served(trxi_reader *reader, trxi_scope scope, const trxi_yaml_node *node, const char *detail);

/// Whether `a` comes after `b` in the file.
bool trxi_source_after(trx_source a, trx_source b);

#endif
