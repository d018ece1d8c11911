// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loading of problems for the tests of this room.

#ifndef TESTS_PROBLEM_LOADING_H
#define TESTS_PROBLEM_LOADING_H

#include "support/support.h"

#include <tractrix/problem.h>

/// A context that must be created, and a text that is loaded in it; at most one problem at a time.
typedef struct fixture {
    trx_context *context;
    trx_problem *problem;
} fixture;

fixture fixture_open(void);
void fixture_close(fixture *f);

/// Loads `text` (named "text.yaml") with `nset` overrides; the last problem goes.
trx_status load_text(fixture *f, const char *text, const char *const *set, int nset);

/// The same, and it must succeed.
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

#endif
