// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loading of problems for the tests of this room: texts, files, folders of files; and a desk for the parts of the
// loader, a reader over a parsed text.

#ifndef TESTS_PROBLEM_LOADING_H
#define TESTS_PROBLEM_LOADING_H

#include "problem/reader.h"
#include "support/support.h"

#include <tractrix/problem.h>

/// A context, and the problem loaded last; NULL before.
typedef struct fixture {
    trx_context *context;
    trx_problem *problem;
} fixture;

fixture fixture_open(void);
void fixture_close(fixture *f);

/// Loads `text` (named "text.yaml") with `nset` overrides; the problem loaded before is destroyed.
trx_status load_text(fixture *f, const char *text, const char *const *set, int nset);

/// The same under another name, which says where its paths start.
trx_status load_text_as(fixture *f, const char *name, const char *text, const char *const *set, int nset);

/// Loads `text` without overrides; the test fails when this fails.
void load_good(fixture *f, const char *text);

/// The same for a file.
void load_file(fixture *f, const char *path);

/// All of a file with a terminating zero; to be freed.
char *read_all(const char *path, size_t *length);

/// Sorted paths of the files in `folder` that end in `suffix`; returns their number.
int list_files(const char *folder, const char *suffix, char paths[][256], int capacity);

/// Whether a finding of this severity holds `words`.
bool has_finding(const fixture *f, trx_severity severity, const char *words);

/// The model of a pusher, a box and the ground that most tests use, as the head of a file.
extern const char PUSH[];

/// Loads PUSH with `text` appended; the test fails when this fails.
void load_more(fixture *f, const char *rest);

/// A folder for the files of one test.
typedef struct sandbox {
    fixture f;
    char folder[TEMPORARY_PATH], path[TEMPORARY_PATH + 64];
} sandbox;

/// Closing removes the folder and the `count` files in it.
sandbox sandbox_open(void);
void sandbox_close(sandbox *s, const char *const *names, int count);

/// Path of a file in the folder, valid until the next call.
const char *in_folder(sandbox *s, const char *name);
void write_file(sandbox *s, const char *name, const char *text);

/// Loads PUSH and what follows it, as a file of the folder.
trx_status load_push(sandbox *s, const char *rest);

/// A cost term of the loaded problem's plan, which must be there.
const trx_cost_term *plan_term(const sandbox *s, int index);

/// A reader over `text`, parsed into `root`.
typedef struct desk {
    trx_context *context;
    trxi_pool *pool;
    trxi_yaml_node *root;
    trxi_reader reader;
} desk;

desk desk_open(const char *text);
void desk_close(desk *d);

/// Fails the test unless the errors so far are these, in this order, each with its words.
void assert_errors(const desk *d, const char *const *words, int count);

#endif
