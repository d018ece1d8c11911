// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The equation error (theory 10); see equation_error.h. A slice of SLICE samples is simulated from the state that its
// first samples show, and compared with the others:
//
//     e_i = x_i (-) f^i(x_0, u; theta),     min sum of e^T W e over theta,     W: inverse variances of e, from the slices
//
// M e_1 / dt is the error of the equation of motion, so slices of two samples are the regression of inverse dynamics,
// tau = Y(q, v, a) theta, with the weight M^-1 W M^-1. Longer slices see accelerations through less noise. Nothing is
// simulated for long, so wrong values cannot make the motion run away, and the problem is nearly one of linear least
// squares. Noise of the first states biases the result: it is a start, not an answer. Slices are recordings with given
// start states, and the fit to slices has no code of its own.

#include "fit/equation_error.h"

#include "fit/create.h"
#include "fit/minimize.h"
#include "fit/solve.h"

#include <string.h>

enum { SLICE = 6, MOST_SLICES = 100 };
enum { ROUNDS = 2, ITERATIONS = 15 };

static bool is_recorded(const trx_fit_problem *p, trx_fit_channel_kind kind, int index)
{
    for (int i = 0; i < p->nchannel; i++)
        if (p->channels[i].kind == kind && p->channels[i].index == index) return true;
    return false;
}

static bool shows_all_states(const trx_fit_problem *p)
{
    for (int j = 0; j < trx_model_get_size(p->model).njoint; j++) {
        const trx_joint_info joint = trx_model_joint(p->model, j);
        const int plain = joint.nq - (is_recorded(p, TRX_FIT_ROTATION, j) ? 4 : 0);
        for (int i = joint.q_index; i < joint.q_index + plain; i++)
            if (!is_recorded(p, TRX_FIT_COORDINATE, i)) return false;
    }
    for (int i = 0; i < trx_model_get_size(p->model).nv; i++)
        if (!is_recorded(p, TRX_FIT_VELOCITY, i)) return false;
    return true;
}

bool trxi_equation_error_serves(const trx_fit *fit)
{
    const trx_fit_problem *p = &fit->problem;
    const trx_model_size size = trx_model_get_size(p->model);
    bool bodies = false, delays = false;
    for (int i = 0; i < p->nparameter; i++) {
        bodies = bodies || p->parameters[i].body_number > 0;
        delays = delays || p->parameters[i].signal == TRX_FIT_DELAY;
    }
    return bodies && !delays && fit->benches[0].ns > 0 && fit->unknowns.local == 0 && size.na == 0 && size.npair == 0 &&
           !trx_model_is_timed(p->model) && shows_all_states(p);
}

// SLICE samples of a recording from `row` on
static trx_fit_recording slice_of(const trx_fit_problem *p, const trx_fit_recording *r, int row)
{
    trx_fit_recording slice = *r;
    slice.rows = SLICE, slice.window = 0;
    slice.t += row;
    slice.values += (size_t)row * (size_t)p->columns;
    if (slice.u) slice.u += (size_t)row * (size_t)trx_model_get_size(p->model).nu;
    return slice;
}

// slices of the fitted recordings, spread evenly
static int cut(const trx_fit_problem *p, trx_fit_recording *slices)
{
    int all = 0, count = 0, at = 0;
    for (int i = 0; i < p->nrecording; i++) all += p->recordings[i].held_out ? 0 : p->recordings[i].rows / SLICE;
    const int stride = all > MOST_SLICES ? (all + MOST_SLICES - 1) / MOST_SLICES : 1;
    for (int i = 0; i < p->nrecording; i++)
        for (int k = 0; k < p->recordings[i].rows / SLICE && !p->recordings[i].held_out; k++)
            if (at++ % stride == 0) slices[count++] = slice_of(p, &p->recordings[i], k * SLICE);
    return count;
}

static void set_unknowns(trx_fit *fit, const double *z)
{
    memcpy(fit->z, z, sizeof *z * (size_t)fit->unknowns.count);
    trxi_sessions_values(&fit->sessions, &fit->unknowns, fit->z, fit->values);
}

static trx_status solve(trx_fit *fit, const trx_fit_recording *slices, int count, trx_fit **sliced)
{
    trx_fit_problem problem = fit->problem;
    trx_fit_settings settings = fit->settings;
    problem.recordings = slices, problem.nrecording = count;
    settings.start_position = settings.start_velocity = 0;
    settings.rounds = ROUNDS, settings.iterations = ITERATIONS;
    settings.starts = 1, settings.folds = 0, settings.save = NULL;
    const trx_status status = trxi_fit_create(fit->context, &problem, &settings, sliced);
    if (status < 0) return status;
    set_unknowns(*sliced, fit->z);
    return trxi_fit_solve(*sliced, false);
}

trx_status trxi_equation_error(trx_fit *fit, bool *moved)
{
    trx_fit_recording slices[MOST_SLICES];
    const int count = cut(&fit->problem, slices);
    *moved = false;
    if (count == 0) return TRX_OK;
    trx_fit *sliced = NULL;
    trx_status status = trxi_evaluate_all(fit, &fit->fitted, TRXI_VALUE);
    const double before = trxi_fit_objective_now(fit);
    if (status >= 0) status = solve(fit, slices, count, &sliced);
    if (status >= 0) {
        memcpy(fit->z_trial, fit->z, sizeof *fit->z * (size_t)fit->unknowns.count);
        set_unknowns(fit, sliced->z);
        status = trxi_evaluate_all(fit, &fit->fitted, TRXI_VALUE);
        *moved = trxi_fit_objective_now(fit) < before;
        if (!*moved) set_unknowns(fit, fit->z_trial);
    }
    trx_fit_destroy(sliced);
    return status == TRX_ERR_MEMORY || status >= 0 ? status : TRX_OK; // a slice that fails says nothing
}
