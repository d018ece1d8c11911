// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A and B of the step by extrapolated central differences (theory 6): the reference for tests and `check`. The step is solved
// to its round-off floor. Every column searches its own increment (richardson.h): stiff contacts turn from stick to slip
// within micrometres, and the search skips increments that cross such a kink.

#include "step/sim.h"
#include "verify/richardson.h"
#include "verify/state_difference.h"

#include <math.h>
#include <string.h>
#include <tractrix/verify.h>

static const double SHRINK = 0.3;      // from one increment to the next
static const double LEAST_Q = 5e-4;    // smallest increment of positions / given increment
static const double LEAST_V = 5e-2;    // the same ratio for velocities and controls, which change a gap by dt e only
static const double RESOLVED = 3e-7;   // relative error estimate at which no other increment is tried
static const double UNRESOLVED = 3e-6; // relative error estimate above which the best increment gives no reference

typedef struct differences {
    trx_sim *sim;
    const double *x, *u;
    int column;                     // of [dq; dv; u]
    double *x_moved, *u_moved;      // nstate, nu
    double *x_plus, *x_minus, *dq;  // nstate, nstate, nv
    unsigned long long branches;    // of the step at (x, u)
    trxi_column found;
    bool kink; // some column has no usable increment
} differences;

// computes x_next of the step with the column's coordinate moved
static trx_status evaluate(differences *d, double amount, double *x_next, bool *smooth)
{
    const trx_model *model = d->sim->in.model;
    const int nx = model->ntangent;
    const double *x = d->x;
    memcpy(d->u_moved, d->u, (size_t)model->nu * sizeof *d->u);
    if (d->column < nx) trxi_state_move(model, d->x, d->column, amount, d->dq, d->x_moved), x = d->x_moved;
    else d->u_moved[d->column - nx] += amount;
    trx_status status = trx_step(d->sim, x, d->u_moved, x_next);
    if (status >= 0 && trxi_step_branches(&d->sim->in, &d->sim->smooth, &d->sim->rows) != d->branches) *smooth = false;
    return status;
}

static trx_status central(void *data, double e, double *D, bool *smooth)
{
    differences *d = data;
    trx_status status = evaluate(d, e, d->x_plus, smooth);
    if (status >= 0) status = evaluate(d, -e, d->x_minus, smooth);
    if (status >= 0) trxi_state_slope(d->sim->in.model, d->x_plus, d->x_minus, e, D);
    return status;
}

// the largest increment of a column: a control changes velocities in proportion to dt and its gain
static double first_increment(const differences *d, double eps)
{
    const trx_model *model = d->sim->in.model;
    const int a = d->column - model->ntangent;
    return a < 0 ? eps : eps / (d->sim->in.settings.time_step * fmax(1, fabs(model->actuators[a].gain)));
}

// columns first .. first + count - 1 of [A B]; exactly on a kink every increment crosses the kink, and the first is used
static trx_status difference_columns(differences *d, int first, int count, double eps, bool on_kink, double *out)
{
    const int nx = d->sim->in.model->ntangent;
    d->found.floor = 0;
    for (int j = 0; j < count && out; j++) {
        d->column = first + j;
        const double e = first_increment(d, eps), least = d->column < d->sim->in.model->nv ? LEAST_Q : LEAST_V;
        const trxi_ladder ladder = {
            .first = e, .least = on_kink ? e : least * e, .shrink = SHRINK, .enough = RESOLVED, .patience = INFINITY};
        d->found.F = out + (size_t)j * (size_t)nx;
        trx_status status = trxi_richardson_column(&ladder, central, d, &d->found);
        if (status < 0) return status;
        d->kink = d->kink || d->found.crossed || d->found.estimate > UNRESOLVED;
        d->found.floor = fmax(d->found.floor, 1e-3 * trxi_largest(nx, d->found.F));
    }
    return TRX_OK;
}

static void layout(trxi_arena *arena, const trx_model *model, differences *d, double **u)
{
    const int nx = model->nstate;
    *u = TRXI_TAKE(arena, double, model->nu);
    d->u_moved = TRXI_TAKE(arena, double, model->nu);
    d->x_moved = TRXI_TAKE(arena, double, nx);
    d->x_plus = TRXI_TAKE(arena, double, nx);
    d->x_minus = TRXI_TAKE(arena, double, nx);
    d->dq = TRXI_TAKE(arena, double, model->nv);
    d->found.scratch = TRXI_TAKE(arena, double, TRXI_COLUMN_SCRATCH * model->ntangent);
}

// computes both matrices with steps that are solved until rounding stops the solve; the last step is the step at (x, u)
static trx_status difference_step(differences *d, double eps, double *A, double *B)
{
    const int nx = d->sim->in.model->ntangent;
    trx_status status = trx_step(d->sim, d->x, d->u, NULL);
    if (status < 0) return status;
    const bool on_kink = !(trxi_step_kink_distance(&d->sim->in, &d->sim->smooth, &d->sim->rows) > 0);
    d->branches = trxi_step_branches(&d->sim->in, &d->sim->smooth, &d->sim->rows);
    d->kink = on_kink;
    if ((status = difference_columns(d, 0, nx, eps, on_kink, A)) < 0) return status;
    if ((status = difference_columns(d, nx, d->sim->in.model->nu, eps, on_kink, B)) < 0) return status;
    return trx_step(d->sim, d->x, d->u, NULL);
}

trx_status trx_step_fd(trx_sim *sim, const double *x, const double *u, double eps, double *A, double *B, bool *kink)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    if (!(eps > 0)) return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "the increment must be positive");
    differences d = {.sim = sim, .x = x, .found.rows = sim->in.model->ntangent};
    double *zeros;
    trxi_arena arena = {0};
    layout(&arena, sim->in.model, &d, &zeros);
    char *memory = trxi_allocate(sim->in.context, arena.used + 1);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    layout(&arena, sim->in.model, &d, &zeros);
    memset(zeros, 0, (size_t)sim->in.model->nu * sizeof *zeros);
    d.u = u ? u : zeros;

    const double tolerance = sim->in.solver.tolerance;
    sim->in.solver.tolerance = 0;
    trx_status status = difference_step(&d, eps, A, B);
    sim->in.solver.tolerance = tolerance;
    trxi_release(sim->in.context, memory);
    if (kink) *kink = d.kink;
    return status < 0 ? status : TRX_OK;
}
