// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The tangent of a block of rows (theory 6) in plain C.

#include "math/lanes3_portable.h"

#define TRXI_PASS

#include "step/block_tangent.inc"

const trxi_block_passes trxi_block_portable = {add_gradient, subtract_matrices, force_columns, displace, move, weigh};
