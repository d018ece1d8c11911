// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Mathematical constants that C17 does not define.

#ifndef TRXI_MATH_CONSTANTS_H
#define TRXI_MATH_CONSTANTS_H

#define TRXI_PI 3.14159265358979323846

#endif
