// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Half the time step (theory 10); see half_step.h. Standard deviations do not contain the error of the time step: all recordings
// share it. With the Gauss-Newton step d(h) of unknowns and start states at the estimates, simulated with the time step h,
//
//     change = d(h/2) - d(h)
//
// is how far a fit at half the step would move, to first order. Start states move too, so the unknowns move only by
// the part of the error that start states cannot compensate. d(h) is 0 where the fit has converged. In a scheme of first order the
// error that is left at h/2 is as large as the change.
//
// Cost: one evaluation of all windows with derivatives, at half the step.

#include "fit/half_step.h"

#include "fit/arrow.h"
#include "fit/minimize.h"

#include <math.h>
#include <stdio.h>

static const double DAMPING = 1e-6; // so that directions that are not determined can be solved for

// values_trial becomes the values of a Gauss-Newton step from the last evaluation; false: the equations cannot be solved
static bool newton_values(trx_fit *fit)
{
    if (!trxi_arrow_sum(fit, DAMPING, NULL)) return false;
    trxi_arrow_priors(fit);
    return trxi_arrow_step(fit, DAMPING);
}

// Evaluates all fitted windows with other simulators, and takes the step from there; `reached`: all windows could be simulated
// and the equations solved. The last evaluation of the fit stays as it was
static trx_status evaluate_with(trx_fit *fit, trxi_bench *benches, bool *reached)
{
    trxi_bench *own = fit->benches;
    fit->benches = benches;
    trxi_windows_exchange(&fit->fitted);
    trx_status status = trxi_evaluate_all(fit, &fit->fitted, TRXI_BY_ALL);
    *reached = status >= 0;
    for (int i = 0; i < fit->fitted.count; i++) *reached = *reached && fit->fitted.now[i].status >= 0;
    *reached = *reached && newton_values(fit);
    trxi_windows_exchange(&fit->fitted);
    fit->benches = own;
    return status;
}

// values_trial becomes the values of a Gauss-Newton step at half the time step
static trx_status step_at_half(trx_fit *fit, bool *reached)
{
    trx_fit_problem half = fit->problem;
    half.sim.time_step /= 2;
    const int threads = fit->settings.threads;
    trxi_bench *benches = TRXI_POOL(fit->pool, trxi_bench, threads);
    trx_status status = benches ? TRX_OK : TRX_ERR_MEMORY;
    for (int i = 0; i < threads && status >= 0; i++)
        status = trxi_bench_open(&half, &fit->settings, &fit->unknowns, fit->contexts[i], &benches[i]);
    if (status >= 0) status = evaluate_with(fit, benches, reached);
    for (int i = 0; benches && i < threads; i++)
        if (benches[i].context) trxi_bench_close(&benches[i]);
    return status;
}

static double value_of(const trx_fit *fit, const double *values, const trxi_entry *entry)
{
    const int session = entry->session < 0 ? 0 : entry->session;
    return values[session * fit->problem.nparameter + entry->parameter];
}

// writes the verdict if an estimate moves by more than its deviation: names the estimate that moves farthest, and counts the others
static bool write_verdict(trx_fit *fit)
{
    double most = 1;
    int count = 0, worst = 0;
    for (int i = 0; i < fit->sessions.nentry; i++) {
        const trx_fit_estimate e = trx_fit_get_estimate(fit, i);
        const double share = fabs(e.halved) / fmax(e.sd, e.sd_robust);
        if (!(share > 1) || e.same_as >= 0) continue;
        count++;
        if (share > most) most = share, worst = i;
    }
    if (count == 0) return true;
    const trx_sim_settings *sim = &fit->problem.sim;
    const trx_fit_estimate e = trx_fit_get_estimate(fit, worst);
    const bool coarse = sim->scheme == TRX_SYMPLECTIC || sim->scheme == TRX_IMPLICIT;
    char more[64] = "";
    if (count > 1) snprintf(more, sizeof more, ", and %d more by more than theirs", count - 1);
    fit->info.step_verdict = trxi_pool_printf(
        fit->pool, "the time step of %g s is too long: half of it moves %s by %+.2g, %.2g times its sd%s: shorten it%s",
        sim->time_step, e.name, e.halved, most, more, coarse ? ", or take time.scheme: midpoint" : "");
    return fit->info.step_verdict != NULL;
}

trx_status trxi_half_step(trx_fit *fit)
{
    const int entries = fit->sessions.nentry;
    double *halved = TRXI_POOL(fit->pool, double, entries + 1);
    if (!halved) return TRX_ERR_MEMORY;
    bool reached = newton_values(fit);
    if (!reached) return TRX_OK;
    for (int i = 0; i < entries; i++) halved[i] = -value_of(fit, fit->values_trial, &fit->sessions.entries[i]);
    const trx_status status = step_at_half(fit, &reached);
    if (status < 0 || !reached) return status;
    for (int i = 0; i < entries; i++) halved[i] += value_of(fit, fit->values_trial, &fit->sessions.entries[i]);
    fit->halved = halved;
    return write_verdict(fit) ? TRX_OK : TRX_ERR_MEMORY;
}
