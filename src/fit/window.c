// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Windows of recordings (theory 10); see window.h. Window w of a recording starts at knot w W, or at the nearest knot outside of
// impacts, and has the samples before the start of the next window; the last window also has the samples at its end. With delays of
// signals a window has more knots before its start.

#include "fit/window.h"

#include "fit/guess.h"
#include "fit/impact.h"

#include <math.h>

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

// ---- where windows start ----

// the knots at which the windows of one recording start, and the knot after the last one
typedef struct cuts {
    int *knots; // count + 1
    int count;
    double *scratch; // of impacts
    bool *inside;
} cuts;

// the knot nearest to `knot` outside of impacts, less than half a window away; -1: there is none
static int clear_knot(const trx_fit_recording *r, double time_step, const bool *inside, int knot)
{
    for (int away = 0; 2 * away < r->window || away == 0; away++)
        for (int side = -1; side <= 1; side += 2)
            if (!trxi_impacts_at(r, inside, r->t[0] + (knot + side * away) * time_step)) return knot + side * away;
    return -1;
}

// a window that could only start inside an impact becomes part of the window before it
static void find_cuts(const trx_fit_problem *problem, const trx_fit_recording *r, bool in_impacts, cuts *c)
{
    const double time_step = problem->sim.time_step;
    const int pieces = windows_of(r, time_step);
    c->count = 0;
    if (!in_impacts && pieces > 1) trxi_impacts_find(problem, r, c->scratch, c->inside);
    c->knots[c->count++] = 0;
    for (int k = 1; k < pieces; k++) {
        const int knot = in_impacts ? k * r->window : clear_knot(r, time_step, c->inside, k * r->window);
        if (knot > c->knots[c->count - 1] && knot < steps_of(r, time_step)) c->knots[c->count++] = knot;
    }
    c->knots[c->count] = steps_of(r, time_step);
}

// ---- windows ----

// fills window `index` of a recording, whose samples begin at `first_row`; false when the window has no samples
static bool cut(const trx_fit_problem *problem, int recording, const cuts *c, int index, int first_row, trxi_window *w)
{
    const trx_fit_recording *r = &problem->recordings[recording];
    const double time_step = problem->sim.time_step;
    const int first = c->knots[index], last = c->knots[index + 1], lead = trxi_lead_of(problem);
    double share;
    *w = (trxi_window){.recording = recording, .first_row = first_row, .begin = r->t[0] + (first - lead) * time_step,
                       .steps = last - first + lead};
    while (first_row + w->rows < r->rows &&
           (index + 1 == c->count || trxi_knot_of(r->t[0], time_step, r->t[first_row + w->rows], &share) < last))
        w->rows++;
    w->all_rows = w->rows;
    return w->rows > 0;
}

// allocates `c` for the cuts of any recording; returns an upper bound of the number of all windows, -1: no memory
static int take_cuts(trxi_pool *pool, const trx_fit_problem *problem, bool held_out, cuts *c)
{
    int all = 0, pieces = 0, rows = 0;
    for (int i = 0; i < problem->nrecording; i++) {
        if (problem->recordings[i].held_out != held_out) continue;
        const int some = windows_of(&problem->recordings[i], problem->sim.time_step);
        all += some;
        if (some > pieces) pieces = some;
        if (problem->recordings[i].rows > rows) rows = problem->recordings[i].rows;
    }
    *c = (cuts){.knots = TRXI_POOL(pool, int, pieces + 1), .scratch = TRXI_POOL(pool, double, 2 * (size_t)rows + 1),
                .inside = TRXI_POOL(pool, bool, rows + 1)};
    return c->knots && c->scratch && c->inside ? all : -1;
}

trx_status trxi_windows_begin(trxi_pool *pool, const trx_fit_problem *problem, bool held_out, bool in_impacts,
                              trxi_window **windows, int *count)
{
    const trx_model_size size = trx_model_get_size(problem->model);
    cuts c;
    const int most = take_cuts(pool, problem, held_out, &c);
    *count = 0;
    if (most < 0) return TRX_ERR_MEMORY;
    *windows = TRXI_POOL(pool, trxi_window, most + 1);
    double *states = TRXI_POOL(pool, double, 2 * (size_t)(most + 1) * (size_t)size.nstate);
    if (!*windows || !states) return TRX_ERR_MEMORY;
    for (int i = 0; i < problem->nrecording; i++) {
        if (problem->recordings[i].held_out != held_out) continue;
        find_cuts(problem, &problem->recordings[i], in_impacts, &c);
        for (int k = 0, row = 0; k < c.count; k++) {
            trxi_window *w = &(*windows)[*count];
            if (!cut(problem, i, &c, k, row, w)) continue;
            row += w->rows;
            w->x = states, w->guess = states + size.nstate;
            states += 2 * size.nstate;
            trxi_guess_start(problem, w);
            trxi_guess_activations(problem, *count > 0 && w[-1].recording == i ? w - 1 : NULL, w);
            ++*count;
        }
    }
    return TRX_OK;
}
