// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The energy of a model in parts (theory 2); see model_checks.c.

#ifndef TRXI_DYNAMICS_MODEL_CHECKS_H
#define TRXI_DYNAMICS_MODEL_CHECKS_H

#include "model/model.h"

typedef struct trxi_energy {
    double kinetic; // with armature [J]
    double gravity; // 0 at the world's origin [J]
    double springs; // of joints and of tendons [J]
} trxi_energy;

/// The energy at q (nq), v (nv). Errors: MEMORY.
trx_status trxi_model_energy(trx_context *context, const trx_model *model, const double *q, const double *v, trxi_energy *energy);

#endif
