// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers and names as text. Numbers read the same under every locale.

#ifndef TRXI_FORMATS_SCALAR_H
#define TRXI_FORMATS_SCALAR_H

#include "base/arena.h"

/// Reads a decimal number with optional exponent ("1e4", ".5", "-3."): all of `text`, at most 255 characters,
/// finite. No hexadecimal, inf, nan, or blanks. Correctly rounded. `*out` is written on success only.
bool trxi_number_parse(const char *text, double *out);

/// Reads a decimal integer with optional sign: all of `text`, within the range of int.
bool trxi_int_parse(const char *text, int *out);

/// The entry of `known` closest to `word`, for "did you mean": at most 2 edits (insert, delete, replace,
/// exchange neighbours) and fewer than half the letters of `word`; the first of several closest entries; NULL if none.
const char *trxi_suggest(const char *word, const char *const *known, int n);

/// For each of `n` names the index of the first name that equals it, in O(n log n) comparisons; NULL when memory is out.
int *trxi_first_equal(trxi_pool *pool, const char *const *names, int n);

#endif
