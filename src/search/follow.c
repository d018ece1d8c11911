// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Timing and following of a path (theory 9). The motion along the path has the profile of least jerk, s = 10 t^3 - 15 t^4 + 6 t^5,
// over K steps. An average over neighbouring knots rounds the corners of the path. The controls of each knot make the step end at
// the velocities that reach the next point of the path: with the derivative B_v of the velocities v' after the step,
//
//     u <- clamp(u + (B_v^T B_v + eps)^-1 B_v^T (v_wanted - v'))       two rounds, since v' is nearly linear in u
//
// The formula serves motors, drives, tendons, springs and gravity alike, because the derivatives of the step contain their
// effect. K grows until the simulated motion ends at rest at the end of the path.

#include "search/follow.h"

#include "math/dense.h"
#include "search/clearance.h"

#include <math.h>
#include <string.h>

static const double SHARES[] = {0.1, 0.16, 0.25, 0.4, 0.6, 1}; // tried durations, as shares of the longest time [1]
enum { MOST_DOFS = 64 };              // placed dofs of a task that can be followed
enum { LEAST_STEPS = 8, ROUNDS = 2, TRIES = sizeof SHARES / sizeof *SHARES };
static const double ROUNDINGS[] = {0.12, 0.03}; // half width of the average, as a share of the time
static const double REGULAR = 1e-9;   // eps / largest entry of B_v^T B_v
enum { LEAVING = 3 };                 // a contact at the start may last for 1/LEAVING of the steps
static const double OFF = 0.5;        // largest distance from the end of the path, as a share of the clearance
static const double STILL = 1;        // largest speed at the end of the path, in clearances per 0.1 s

// ---- one step ----

// changes u so that the step from x ends with the velocities `wanted` (ndof); x_next is the state after the step
static trx_status correct(trxi_scout *scout, const double *x, double time, const double *wanted, double *u, double *x_next)
{
    const trxi_search_task *task = scout->task;
    const trx_model *model = task->model;
    const int nx = model->ntangent, nu = model->nu, n = task->ndof;
    double *H = scout->A, *g = H + nu * nu;
    trx_status status = trx_step_jac(scout->sim, NULL, scout->B);
    if (status < 0) return status;
    memset(H, 0, (size_t)(nu * nu + nu) * sizeof *H);
    double most = 0;
    for (int j = 0; j < nu; j++) {
        for (int i = 0; i < n; i++) {
            const double b = scout->B[model->nv + task->dofs[i] + nx * j];
            g[j] += b * (wanted[i] - x_next[model->nq + task->dofs[i]]);
            for (int k = 0; k <= j; k++) H[j + nu * k] += b * scout->B[model->nv + task->dofs[i] + nx * k];
        }
        most = fmax(most, H[j + nu * j]);
    }
    for (int j = 0; j < nu; j++) H[j + nu * j] += REGULAR * most + 1e-300;
    if (trxi_cholesky(nu, H, nu) >= 0) return TRX_ERR_NOT_PD;
    trxi_cholesky_solve(nu, H, nu, 1, g, nu);
    for (int j = 0; j < nu; j++)
        u[j] = fmin(fmax(u[j] + g[j], model->actuators[j].lower), model->actuators[j].upper);
    return trx_step_from(scout->sim, &(trx_step_input){.time = time, .x = x, .u = u}, x_next);
}

static trx_status aim_step(trxi_scout *scout, const double *x, double time, const double *wanted, double *u, double *x_next)
{
    trx_status status = trx_step_from(scout->sim, &(trx_step_input){.time = time, .x = x, .u = u}, x_next);
    for (int i = 0; i < ROUNDS && status >= 0; i++) status = correct(scout, x, time, wanted, u, x_next);
    return status;
}

trx_status trxi_follow_step(trxi_scout *scout, const double *x, double time, const double *q, double *u, double *x_next)
{
    const trxi_search_task *task = scout->task;
    double wanted[MOST_DOFS];
    if (task->ndof > MOST_DOFS) return TRX_ERR_UNSUPPORTED;
    for (int i = 0; i < task->ndof; i++)
        wanted[i] = (q[task->coordinates[i]] - x[task->coordinates[i]]) / task->problem.sim.time_step;
    return aim_step(scout, x, time, wanted, u, x_next);
}

trx_status trxi_hold(trxi_scout *scout, const double *x, double time, double *u)
{
    const trxi_search_task *task = scout->task;
    double wanted[MOST_DOFS] = {0};
    if (task->ndof > MOST_DOFS) return TRX_ERR_UNSUPPORTED;
    memset(u, 0, (size_t)task->model->nu * sizeof *u);
    return aim_step(scout, x, time, wanted, u, scout->x_next);
}

// ---- the profile ----

double trxi_least_jerk(double t)
{
    return t <= 0 ? 0 : t >= 1 ? 1 : t * t * t * (10 - 15 * t + 6 * t * t);
}

// the path at knot k of `steps`, without rounding
static void locate(const trxi_search_task *task, const trxi_path *path, double k, int steps, double *q)
{
    trxi_path_locate(task, path, path->at[path->count - 1] * trxi_least_jerk(k / steps), q);
}

// the placed coordinates (ndof) of the rounded path at knot k: an average over a window that shrinks towards the ends
static void rounded(trxi_scout *scout, const trxi_path *path, int k, int steps, double rounding, double *out)
{
    const trxi_search_task *task = scout->task;
    const int ahead = k < steps - k ? k : steps - k, most = (int)(rounding * steps), width = ahead < most ? ahead : most;
    for (int i = 0; i < task->ndof; i++) out[i] = 0;
    for (int j = -width; j <= width; j++) {
        locate(task, path, k + j, steps, scout->q);
        for (int i = 0; i < task->ndof; i++) out[i] += scout->q[task->coordinates[i]] / (2 * width + 1);
    }
}

// ---- the stretch ----

// whether an obstacle pair was in contact in the last step
static bool touches(const trxi_scout *scout)
{
    const trx_contact *contacts;
    const int count = trx_sim_contacts(scout->sim, &contacts);
    for (int i = 0; i < count; i++)
        if (contacts[i].f_n > 0 && trxi_task_is_obstacle(scout->task, contacts[i].pair)) return true;
    return false;
}

// returns whether the stretch ends at rest at the end of the path
static bool has_arrived(const trxi_search_task *task, const trxi_path *path, const trxi_stretch *out)
{
    const trx_model *model = task->model;
    const double *end = path->q + (size_t)model->nq * (size_t)(path->count - 1);
    const double *x = out->x + (size_t)task->nstate * (size_t)out->steps;
    double fastest = 0;
    for (int i = 0; i < task->ndof; i++) fastest = fmax(fastest, task->reach[i] * fabs(x[model->nq + task->dofs[i]]));
    return trxi_clearance_travel(task, end, x) < OFF * task->clearance && 0.1 * fastest < STILL * task->clearance;
}

// simulates the followed path; FAILED when an obstacle is in the way
static trx_status simulate(trxi_scout *scout, const trxi_path *path, const double *x, double rounding, trxi_stretch *out)
{
    const trxi_search_task *task = scout->task;
    const trx_model *model = task->model;
    const size_t nstate = (size_t)task->nstate, nu = (size_t)model->nu;
    const double dt = task->problem.sim.time_step;
    double wanted[MOST_DOFS];
    bool clear = false;
    memcpy(out->x, x, nstate * sizeof *x);
    trx_status status = trxi_hold(scout, x, trxi_task_time(task, out->first), out->u);
    for (int k = 0; k < out->steps && status >= 0; k++) {
        double *at = out->x + nstate * (size_t)k, *u = out->u + nu * (size_t)k;
        if (k > 0) memcpy(u, u - nu, nu * sizeof *u);
        rounded(scout, path, k + 1, out->steps, rounding, wanted);
        for (int i = 0; i < task->ndof; i++) wanted[i] = (wanted[i] - at[task->coordinates[i]]) / dt;
        status = aim_step(scout, at, trxi_task_time(task, out->first + k), wanted, u, at + nstate);
        const bool touched = status >= 0 && touches(scout);
        if (touched && (clear || LEAVING * k > out->steps)) return TRX_ERR_FAILED;
        clear = clear || !touched;
    }
    return status;
}

int trxi_follow(trxi_scout *scout, trxi_pool *pool, const trxi_path *path, const double *x, int first, int most,
                trxi_stretch *out)
{
    const trxi_search_task *task = scout->task;
    if (task->ndof > MOST_DOFS || most < 1) return 0;
    *out = (trxi_stretch){.first = first};
    out->x = TRXI_POOL(pool, double, task->nstate * (most + 1));
    out->u = TRXI_POOL(pool, double, task->model->nu * (most + 1));
    if (!out->x || !out->u) return TRX_ERR_MEMORY;
    for (int i = 0; i < TRIES; i++) {
        int steps = (int)ceil(SHARES[i] * most);
        if (steps < LEAST_STEPS) steps = LEAST_STEPS;
        if (steps > most || steps == out->steps) continue;
        out->steps = steps;
        for (int j = 0; j < 2; j++) {
            trx_status status = simulate(scout, path, x, ROUNDINGS[j], out);
            if (status == TRX_ERR_MEMORY) return status;
            if (status >= 0 && has_arrived(task, path, out)) return 1;
        }
    }
    return 0;
}
