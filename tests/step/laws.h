// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Laws and frictions beside Hunt-Crossley and Coulomb, drawn at random for a scene's pair.

#ifndef TESTS_STEP_LAWS_H
#define TESTS_STEP_LAWS_H

#include "step/scenes.h"

typedef enum law_variant {
    LAW_HERTZ, LAW_LOG_BARRIER, LAW_IPC, LAW_USER, LAW_ANISOTROPIC, LAW_FALLING, LAW_TURNS, LAW_EVERYTHING, LAW_VARIANTS
} law_variant;

/// "hertz", "log_barrier", "ipc", "user", "anisotropic", "falling" (static and dynamic friction), "turns" (torsional and rolling
/// friction), "everything" (the frictions together, on hertz).
const char *law_name(law_variant which);

/// Whether there is such a law under an approximation.
bool law_goes_with(law_variant which, trx_approximation approximation);

/// k s^2 (sqrt(y^2 + 1) + y) (1 + e^(-v/c))/2 without kinks, y = -phi/s: the law of a pair with LAW_USER.
typedef struct law_gentle {
    double k, s, c;
} law_gentle;

/// Sets law number `index`, and tolerances of slip and of turning. `own` must live as long as the law is used.
void law_draw(const scene *s, law_variant which, trx_approximation approximation, uint64_t seed, int index, law_gentle *own);

/// scene_state at which the law acts: a barrier is open, everything else pressed.
void law_state(const scene *s, law_variant which, scene_aim aim, uint64_t seed, int index, double *x, double *u);

#endif
