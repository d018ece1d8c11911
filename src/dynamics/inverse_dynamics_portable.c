// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The passes of inverse dynamics (theory 2) and of its adjoint (theory 6) in scalar code.

#include "math/lanes3_portable.h"

#define TRXI_PASS

#include "dynamics/inverse_dynamics_passes.inc"

#include "dynamics/inverse_dynamics_deriv_passes.inc"

const trxi_dynamics_passes trxi_dynamics_portable = {inertias,   compose,       quadratic,   inverse_dynamics,
                                                     accelerate, adjoint_begin, adjoint_end, derivatives};
