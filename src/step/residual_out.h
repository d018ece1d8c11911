// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The output of the terms of dr/dq0 and dr/dv0 (theory 6): either the two matrices, or their products with one vector lambda.
// Every term of the residual writes to such an output.

#ifndef TRXI_STEP_RESIDUAL_OUT_H
#define TRXI_STEP_RESIDUAL_OUT_H

#include "contact/linearization.h"

typedef struct trxi_residual_out {
    const double *lambda; // nv, or NULL: matrices
    double *q, *v;        // dr/dq0, dr/dv0 as coupled matrices (linearization.h); with lambda: their products with it (nv each)
    double *q_th;         // two-stage schemes: dr/dq_th, coupled
    trxi_coupled_places places;
} trxi_residual_out;

/// Adds to one entry of dr/dq0 or dr/dv0.
static inline void trxi_residual_add_q(const trxi_residual_out *out, int i, int j, double value)
{
    if (out->lambda) out->q[j] += out->lambda[i] * value;
    else out->q[out->places.columns[j] + out->places.rows[i]] += value;
}

static inline void trxi_residual_add_v(const trxi_residual_out *out, int i, int j, double value)
{
    if (out->lambda) out->v[j] += out->lambda[i] * value;
    else out->v[out->places.columns[j] + out->places.rows[i]] += value;
}

#endif
