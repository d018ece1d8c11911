// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Levenberg-Marquardt over the start state of one window (theory 10); see settle.h.
//
//     (H_ss + damping diag H_ss) ds = -g_s,   x (+) ds accepted if the objective of the window falls
//
// Trials compute values only: where impacts make the objective rough, about half of the trials are refused, and their derivatives
// would be lost. A trial ends as soon as the sum over its samples exceeds the objective before the trial.

#include "fit/settle.h"

#include <math.h>
#include <string.h>

static const double FIRST_DAMPING = 1e-3, LEAST_DAMPING = 1e-12, MOST_DAMPING = 1e12;

// computes the damped step of the start state; returns whether its predicted decrease is larger than `least`
static bool take_step(trxi_bench *b, const trxi_evaluation *at, const trxi_eliminated *eliminated, double damping, double least)
{
    const int ns = b->ns, np = b->np;
    double *ds = b->step, *dz = b->step + ns;
    memset(dz, 0, sizeof *dz * (size_t)np);
    memset(b->block, 0, sizeof *b->block * (size_t)(np * np + np));
    if (!trxi_eliminate(ns, np, at->H, at->g, damping, eliminated, b->block, b->block + np * np)) return false;
    trxi_eliminated_step(ns, np, eliminated, dz, ds);
    return trxi_predicted_decrease(ns, np, at->H, at->g, ds, dz, b->block) > least;
}

void trxi_start_improve(trxi_bench *b, const trxi_window *w, const trxi_settling *s, const trxi_eliminated *eliminated, double *x,
                        trxi_evaluation *at)
{
    const trx_fit_problem *problem = b->problem;
    const trx_model_size size = trx_model_get_size(problem->model);
    double damping = FIRST_DAMPING;
    bool moved = false; // x has changed since the last derivatives
    for (int k = 0; k < s->iterations && damping < MOST_DAMPING; k++) {
        if (moved) trxi_evaluate(b, w, x, s->noise, TRXI_BY_START, at);
        moved = false;
        const double least = s->tolerance * at->objective;
        if (!take_step(b, at, eliminated, damping, least)) return;
        trx_model_integrate_state(problem->model, x, b->step, b->start);
        trxi_evaluate_below(b, w, b->start, s->noise, at->objective, &b->spare);
        if (b->spare.status == TRX_ERR_MEMORY) at->status = b->spare.status;
        if (at->status < 0) return;
        const double decrease = at->objective - b->spare.objective;
        if (!(decrease > 0)) {
            damping *= 10;
            continue;
        }
        damping = fmax(damping / 10, LEAST_DAMPING);
        memcpy(x, b->start, sizeof *x * (size_t)size.nstate);
        trxi_evaluation_copy_value(b, &b->spare, at);
        moved = true;
        if (decrease < least) return;
    }
}
