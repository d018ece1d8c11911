// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of all test files: a main for one Check suite, comparisons whose messages contain the numbers, and
// allocators that count or fail.

#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <check.h>
#include <math.h>
#include <tractrix/context.h>

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 }; ///< whether the tests run under sanitizers, which look at memory and not at statistics
#else
enum { SANITIZED = 0 };
#endif

/// A long test runs one in ONE_IN of its random cases: every case, or every sixteenth case under sanitizers. SAMPLES(n) is how many
/// of n cases run, at least one; floors of what was counted divide alike.
enum { ONE_IN = SANITIZED ? 16 : 1 };
#define SAMPLES(n) (((n) + ONE_IN - 1) / ONE_IN)

/// Runs `suite` and returns the exit code of the program.
int run_suite(Suite *suite);

/// |actual - expected| <= tolerance, with the numbers in the message.
#define assert_close(actual, expected, tolerance)                                                   \
    do {                                                                                            \
        double a_ = (actual), e_ = (expected), t_ = (tolerance);                                    \
        ck_assert_msg(fabs(a_ - e_) <= t_, "%s = %.17g, expected %.17g +- %g (off by %g)", #actual, a_, e_, t_, \
                      a_ - e_);                                                                     \
    } while (0)

/// value < bound, with the numbers in the message (fails on NaN).
#define assert_below(value, bound)                                                                  \
    do {                                                                                            \
        double v_ = (value), b_ = (bound);                                                          \
        ck_assert_msg(v_ < b_, "%s = %g is not below %g", #value, v_, b_);                          \
    } while (0)

/// Largest |a_i - b_i| over n numbers; NaN when any is not a number.
double max_difference(const double *a, const double *b, int n);

/// Largest |a_i| over n numbers; NaN when any is not a number.
double max_magnitude(const double *a, int n);

/// An allocator that counts its calls and the blocks it has out, and returns NULL at call number
/// `fail_at` (counting from 1; 0: never).
typedef struct counting_allocator {
    int calls;
    int outstanding;
    int fail_at;
} counting_allocator;

/// Settings of a context on `counter`, which must outlive the context.
trx_context_settings counting_settings(counting_allocator *counter);

/// A context whose blocks are counted; `context_close` destroys a context and fails the test when a block of a counted one remains.
trx_context *context_open(void);
void context_close(trx_context *context);

enum { TEMPORARY_PATH = 128 };

/// A pattern for mkstemp or mkdtemp in the folder for temporary files (TMPDIR, else /tmp): `name` ends in XXXXXX and, for mkstemps,
/// what follows it. `path` has TEMPORARY_PATH bytes.
void temporary_path(char *path, const char *name);

#endif
