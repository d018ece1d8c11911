// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Windows of recordings (theory 10); see window.h. Window w of a recording has the knots w W to (w + 1) W and the samples
// before its last knot; the last window has the samples at its end too. Delays of signals add knots before these.

#include "fit/window.h"

#include "fit/guess.h"

#include <math.h>

static const double KNOT_TOLERANCE = 1e-3; // of a step

int trxi_knot_of(double begin, double time_step, double t, double *share)
{
    const double s = (t - begin) / time_step, knot = floor(s + KNOT_TOLERANCE);
    *share = s - knot > KNOT_TOLERANCE ? s - knot : 0;
    return (int)knot;
}

void trxi_delay_range(const trx_fit_problem *problem, double *least, double *most)
{
    *least = *most = 0;
    for (int i = 0; i < problem->nparameter; i++) {
        const trx_fit_parameter *p = &problem->parameters[i], *free = p->same_as < 0 ? p : &problem->parameters[p->same_as];
        const double ratio = p->same_as < 0 ? 1 : p->ratio;
        if (p->signal != TRX_FIT_DELAY) continue;
        *least = fmin(*least, fmin(ratio * free->min, ratio * free->max));
        *most = fmax(*most, fmax(ratio * free->min, ratio * free->max));
    }
}

int trxi_lead_of(const trx_fit_problem *problem)
{
    double least, most;
    trxi_delay_range(problem, &least, &most);
    return (int)ceil(most / problem->sim.time_step);
}

// steps that a recording takes, to the knot at or behind its last sample
static int steps_of(const trx_fit_recording *r, double time_step)
{
    double share;
    const int knot = trxi_knot_of(r->t[0], time_step, r->t[r->rows - 1], &share);
    return knot + (share > 0);
}

static int windows_of(const trx_fit_recording *r, double time_step)
{
    const int steps = steps_of(r, time_step);
    return r->window > 0 && steps > 0 ? (steps - 1) / r->window + 1 : 1;
}

// the samples of window `index` of a recording, after those of the window before; false when it has none
static bool cut(const trx_fit_problem *problem, int recording, int index, int count, int first_row, trxi_window *w)
{
    const trx_fit_recording *r = &problem->recordings[recording];
    const double time_step = problem->sim.time_step;
    const int first = index * r->window, last = index + 1 == count ? steps_of(r, time_step) : first + r->window;
    const int lead = trxi_lead_of(problem);
    double share;
    *w = (trxi_window){.recording = recording, .first_row = first_row, .begin = r->t[0] + (first - lead) * time_step,
                       .steps = last - first + lead};
    while (first_row + w->rows < r->rows &&
           (index + 1 == count || trxi_knot_of(r->t[0], time_step, r->t[first_row + w->rows], &share) < last))
        w->rows++;
    w->all_rows = w->rows;
    return w->rows > 0;
}

trx_status trxi_windows_begin(trxi_pool *pool, const trx_fit_problem *problem, bool held_out, trxi_window **windows, int *count)
{
    const trx_model_size size = trx_model_get_size(problem->model);
    int most = 0;
    *count = 0;
    for (int i = 0; i < problem->nrecording; i++)
        if (problem->recordings[i].held_out == held_out) most += windows_of(&problem->recordings[i], problem->sim.time_step);
    *windows = TRXI_POOL(pool, trxi_window, most + 1);
    double *states = TRXI_POOL(pool, double, 2 * (size_t)(most + 1) * (size_t)(size.nq + size.nv));
    if (!*windows || !states) return TRX_ERR_MEMORY;
    for (int i = 0; i < problem->nrecording; i++) {
        if (problem->recordings[i].held_out != held_out) continue;
        const int pieces = windows_of(&problem->recordings[i], problem->sim.time_step);
        for (int k = 0, row = 0; k < pieces; k++) {
            trxi_window *w = &(*windows)[*count];
            if (!cut(problem, i, k, pieces, row, w)) continue;
            row += w->rows;
            w->x = states, w->guess = states + size.nq + size.nv;
            states += 2 * (size.nq + size.nv);
            trxi_guess_start(problem, w);
            ++*count;
        }
    }
    return TRX_OK;
}
