// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contacts of 1e6 to 1e12 N/m, where differences of the step would straddle kinks: dr/dq0, dr/dv0 and dr/du of the momentum
// residual at fixed v are judged in their place (theory 6), and the linear solve that turns them into derivatives of the step.

#ifndef TESTS_STEP_STIFF_H
#define TESTS_STEP_STIFF_H

#include "support/support.h"

#include <stdint.h>

enum { STIFF_EVERY = SANITIZED ? 3 : 1 }; ///< one in STIFF_EVERY of the scenes is judged

typedef struct stiff_tally {
    int judged, near_kink, unsolved; // points; solves that do not converge beyond 1e10 N/m
    double worst_q, worst_v, worst_u; // error of a column of dr/dq0, dr/dv0, dr/du
    double worst_solve;               // || H dv/dx + dr/dx || / || dr/dx ||
} stiff_tally;

/// Seven pairs of shapes, every kind of scene, approximation and decade of stiffness.
stiff_tally stiff_judge(uint64_t seed);

#endif
