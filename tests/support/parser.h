// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of the tests of parsers: a context and a pool for each test, inputs that end where their memory ends, damaged
// inputs, and memory that runs out at every allocation.

#ifndef TESTS_SUPPORT_PARSER_H
#define TESTS_SUPPORT_PARSER_H

#include "base/arena.h"
#include "support/support.h"

#include <stddef.h>
#include <stdint.h>

/// Context and pool of the running test, from open_pool to close_pool, which serve tcase_add_checked_fixture.
extern trx_context *context;
extern trxi_pool *pool;
void open_pool(void);
void close_pool(void);

/// A copy (to be freed) that ends exactly with the text, so that reading beyond is seen.
char *exact_copy(const char *text, size_t length);

/// Overwrites one to three bytes, others in each trial.
void damage(char *text, size_t length, uint64_t trial);

/// A function that is tested with failing allocations. All its memory comes from the pool or the context. The last argument
/// belongs to the caller.
typedef trx_status trial_run(trx_context *, trxi_pool *, const void *);

/// Runs once with memory, then with a failure at each allocation that this took: TRX_OK, then always TRX_ERR_MEMORY, and
/// nothing is lost. Returns how many allocations there were.
int fail_every_allocation(trial_run *run, const void *input);

#endif
