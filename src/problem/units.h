// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers with units, which a problem file must not contain; they are read only to suggest a correction.

#ifndef TRXI_PROBLEM_UNITS_H
#define TRXI_PROBLEM_UNITS_H

#include <stdbool.h>

/// Reads "5 cm", "90deg": a number and a common unit. True: `*value` is the number in SI units and radians. False:
/// `*unit` is the text after the number, or NULL when there is no number in front.
bool trxi_unit_parse(const char *text, double *value, const char **unit);

#endif
