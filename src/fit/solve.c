// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The fit from one start (theory 10); see solve.h. Passes on more and more samples, then rounds of minimization.
// Between rounds the noise is estimated, and start states are tried anew.

#include "fit/solve.h"

#include "base/context.h"
#include "fit/answer.h"
#include "fit/minimize.h"
#include "fit/round.h"
#include "fit/settle.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_ROWS = 6 };                    // samples on which start states are estimated first
enum { EARLY_ROWS = 2 * FIRST_ROWS }; // samples of the start state from which held-out recordings are predicted
enum { SETTLING = 20, LAST_SETTLING = 50 }; // iterations of start states alone
// shares of the objective; a pass ends at an iteration that decreases it by less
static const double ROUGH = 1e-2;           // passes on a part of the samples
static const double ONE_STEP = 1;           // passes of one step, unless it more than halves the objective
static const double FINE = 1e-3;            // passes of start states on all samples
enum { FEWEST_SEEN = 32 };                  // least number of windows in the first rounds; fewer than 64 windows: all are used
static const double SAME_NOISE = 0.02;      // relative change below which another round has no effect

trx_status trxi_fit_failure(trx_fit *fit, trx_status status, const char *where)
{
    const char *message = "";
    for (int i = 0; i < fit->settings.threads && !*message; i++) message = trx_context_message(fit->contexts[i]);
    return trxi_fail(fit->context, status, "%s: %s", where, *message ? message : trx_status_text(status));
}

// reports a failure of the solve, with the number of its iterations
static trx_status report(trx_fit *fit, trx_status status)
{
    char where[64] = "at the start of the fit";
    const int n = fit->info.iterations;
    if (n > 0) snprintf(where, sizeof where, "after %d iteration%s of the fit", n, n == 1 ? "" : "s");
    return trxi_fit_failure(fit, status, where);
}

// uses at most `rows` samples of every `every`-th window, and none of the other windows; returns whether a used window has more
static bool limit_rows(trxi_windows *windows, int rows, int every)
{
    bool more = false;
    for (int i = 0; i < windows->count; i++) {
        trxi_window *w = &windows->list[i];
        const int most = i % every == 0 ? rows : 0;
        w->rows = w->all_rows < most ? w->all_rows : most;
        more = more || (i % every == 0 && w->rows < w->all_rows);
    }
    return more;
}

// returns n: the solves of the first rounds use every n-th window, because a part of many windows suffices for rough values of
// the unknowns
static int thinning(const trx_fit *fit)
{
    int seen = 4 * fit->unknowns.count;
    if (seen < FEWEST_SEEN) seen = FEWEST_SEEN;
    return fit->unknowns.local > 0 || fit->fitted.count < 2 * seen ? 1 : fit->fitted.count / seen;
}

static void keep_starts(trxi_windows *windows, size_t length)
{
    for (int i = 0; i < windows->count; i++)
        memcpy(windows->x_kept + length * (size_t)i, windows->list[i].x, length * sizeof(double));
}

// finds start states from the first guess, on more and more samples, with fixed parameters. x_kept of held-out recordings: the
// start states that fit the first EARLY_ROWS samples
trx_status trxi_settle_anew(trx_fit *fit, trxi_windows *windows, int every)
{
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    const size_t length = (size_t)size.nstate;
    trx_status status = TRX_OK;
    bool more = true;
    for (int i = 0; i < windows->count; i++) memcpy(windows->list[i].x, windows->list[i].guess, length * sizeof(double));
    for (int rows = FIRST_ROWS; more && status >= 0; rows *= 2) {
        more = limit_rows(windows, rows, every);
        status = trxi_settle_starts(fit, windows, more ? SETTLING : LAST_SETTLING, more ? ROUGH : FINE);
        if (windows == &fit->held && rows <= EARLY_ROWS) keep_starts(windows, length);
    }
    return status;
}

// keeps start states and objectives of the fitted windows, with the present noise; the objective of an unused window is infinite
static trx_status keep_objectives(trx_fit *fit, size_t length)
{
    trxi_windows *w = &fit->fitted;
    const trx_status status = trxi_evaluate_all(fit, w, TRXI_VALUE);
    keep_starts(w, length);
    for (int i = 0; i < w->count; i++) w->kept[i] = w->list[i].rows > 0 ? w->now[i].objective : INFINITY;
    return status;
}

// A start state can be trapped where it explained earlier values of the parameters. Each window gets the better of its start
// state and a new start state; a window that was not used gets the new start state. *better: the objective of all windows fell by
// a decrease that counts (trxi_fit_counts).
static trx_status retry_starts(trx_fit *fit, int every, bool *better)
{
    trxi_windows *w = &fit->fitted;
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    const size_t length = (size_t)size.nstate;
    double gained = 0, objective = 0;
    trx_status status = keep_objectives(fit, length);
    if (status >= 0) status = trxi_settle_anew(fit, w, every);
    for (int i = 0; i < w->count && status >= 0; i++) {
        if (w->list[i].rows == 0) continue;
        const double gain = w->kept[i] - w->now[i].objective;
        if (!(gain > 0)) memcpy(w->list[i].x, w->x_kept + length * (size_t)i, length * sizeof(double));
        gained += fmax(gain, 0);
        objective += fmin(w->kept[i], w->now[i].objective);
    }
    *better = trxi_fit_counts(fit, gained, objective);
    return status;
}

// start states alone on the first samples, where parameters hardly matter; then everything on more and more samples
static trx_status first_passes(trx_fit *fit, int every)
{
    int rows = FIRST_ROWS;
    bool more = limit_rows(&fit->fitted, rows, every);
    trx_status status = trxi_evaluate_all(fit, &fit->fitted, TRXI_VALUE);
    if (status < 0) return status;
    trxi_estimate_noise(fit);
    status = trxi_settle_starts(fit, &fit->fitted, SETTLING, fit->settings.tolerance);
    while (status >= 0 && status != TRX_INTERRUPTED && more) {
        trxi_estimate_noise(fit);
        more = limit_rows(&fit->fitted, rows *= 2, every);
        status = more ? trxi_fit_minimize(fit, ROUGH) : TRX_OK;
    }
    return status;
}

// Runs at most `most` rounds: a solve, then an estimate of the noise. Start states are retried after each solve until a retry does
// not lower the objective. `near`: the unknowns begin near the solution, so no start state is trapped
static trx_status solve_rounds(trx_fit *fit, bool near, int every, int most)
{
    trx_status status = TRX_OK;
    bool changed = true, better = !near;
    for (int round = 1; changed && round <= most; round++) {
        fit->info.rounds++;
        status = trxi_fit_minimize(fit, 0);
        if (status < 0 || status == TRX_INTERRUPTED || status == TRX_PROCESS_LOST) return status;
        changed = trxi_estimate_noise(fit) > SAME_NOISE;
        const trx_status retried = better && round < most ? retry_starts(fit, every, &better) : TRX_OK;
        if (retried < 0) return retried;
        changed = changed || better;
    }
    return status;
}

// passes from values near the solution: they use all samples at once, begin at the first guess of the start states, and end when
// the estimated noise does not change
static trx_status near_passes(trx_fit *fit, int every)
{
    limit_rows(&fit->fitted, INT_MAX, every);
    trx_status status = trxi_evaluate_all(fit, &fit->fitted, TRXI_VALUE);
    for (int pass = 0; pass < fit->settings.rounds && status >= 0 && status != TRX_INTERRUPTED; pass++) {
        if (!(trxi_estimate_noise(fit) > SAME_NOISE) && pass > 0) break;
        status = trxi_fit_minimize(fit, ONE_STEP);
    }
    return status;
}

trx_status trxi_fit_solve(trx_fit *fit, bool near)
{
    const int every = thinning(fit), rounds = fit->settings.rounds;
    trx_status status = near ? near_passes(fit, every) : first_passes(fit, every);
    if (every > 1 && status >= 0 && status != TRX_INTERRUPTED) {
        status = solve_rounds(fit, near, every, rounds);
        bool better;
        const trx_status widened = status < 0 ? status : retry_starts(fit, 1, &better);
        if (widened < 0) status = widened;
    }
    if (status >= 0 && status != TRX_INTERRUPTED) status = solve_rounds(fit, near, 1, every > 1 ? 1 : rounds);
    return status < 0 ? report(fit, status) : status;
}
