// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers with units: what a problem file must not hold, read only to say what to write instead.

#ifndef TRXI_PROBLEM_UNITS_H
#define TRXI_PROBLEM_UNITS_H

#include <stdbool.h>

/// Reads "5 cm", "90deg": a number and a unit of common use. True: `*value` is the number in SI units and
/// radians. False: `*unit` is what follows the number, or NULL when there is no number in front.
bool trxi_unit_parse(const char *text, double *value, const char **unit);

#endif
