// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Direct transcription (theory 7): every knot has controls u_k and a state x_k = x_ref,k (+) z_k, and
//
//     min  sum l_k(x_k, u_k) + l_N(x_N)      s.t.  c_k = f(x_k, u_k) (-) x_{k+1} = 0,   u_lower <= u_k <= u_upper,
//                                                  r_lower <= r_k(x_k, u_k) <= r_upper  for the limits of the plan
//
// With the linearization A, B in tangent coordinates at x_k and at f(x_k, u_k), the Jacobian of c_k is
//
//     dc/du_k = D B      dc/dz_k = D A E_k      dc/dz_{k+1} = -D' E_{k+1}
//
// E = Jr(z) and D = Jr^-1(c) on the three coordinates of a ball and 1 elsewhere. D' has the transposed blocks, because
// Jr^-1(-c) = Jr^-1(c)^T is the Jacobian of the difference by its second argument. A limit at knot k has dr/du_k and
// dr/dx_k E_k. The gradient of the cost is [l_u; E^T l_x].
// The Gauss-Newton Hessian [l_uu, l_xu^T E; . , E^T l_xx E] lacks the curvature of the constraints. The Hessian is positive
// semidefinite and needs no second derivatives of the step.

#include "trajopt/ipopt_program.h"

#include "math/dense.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

static bool is_ball(const trxi_rollout *r, int link)
{
    return r->model->links[link].type == TRXI_BALL;
}

static int count_balls(const trxi_rollout *r)
{
    int count = 0;
    for (int i = 0; i < r->model->nlink; i++) count += is_ball(r, i);
    return count;
}

// first variables of a knot's controls, and of its state (knot >= 1)
static int controls_at(const trxi_rollout *r, int knot)
{
    return knot * (r->nu + r->nx);
}

static int state_at(const trxi_rollout *r, int knot)
{
    return controls_at(r, knot - 1) + r->nu;
}

// entries of the Jacobian of limits: the start state is no variable, and the last knot has no controls
static int count_limit_entries(const trxi_rollout *r, const trxi_limit_rows *rows)
{
    return (rows->count - rows->at_start) * r->nx + (rows->count - rows->at_end) * r->nu;
}

static void set_sizes(trxi_transcription *t)
{
    const trxi_rollout *r = t->rollout;
    const int nx = r->nx, nu = r->nu, steps = r->steps, cross = r->couples ? nx * nu * (steps - 1) : 0;
    t->n = steps * (nx + nu);
    t->m = steps * nx + t->rows->count;
    t->njacobian = steps * (nx * nu + nx + 6 * count_balls(r)) + (steps - 1) * nx * nx + count_limit_entries(r, t->rows);
    t->nhessian = steps * (nu * (nu + 1) + nx * (nx + 1)) / 2 + cross;
}

void trxi_transcription_layout(trxi_arena *arena, const trxi_rollout *r, const trxi_limit_rows *rows, trxi_transcription *t)
{
    *t = (trxi_transcription){.rollout = r, .rows = rows};
    set_sizes(t);
    t->jacobian = TRXI_TAKE(arena, uint64_t, t->njacobian);
    t->hessian = TRXI_TAKE(arena, uint64_t, t->nhessian);
    t->reference = TRXI_TAKE(arena, double, (size_t)r->nstate * (size_t)(r->steps + 1));
    t->block = TRXI_TAKE(arena, double, r->nx * r->nx);
}

// ---- entries ----

static uint64_t *add_entry(uint64_t *next, int row, int column)
{
    *next = (uint64_t)row << 32 | (uint64_t)column;
    return next + 1;
}

static uint64_t *add_block(uint64_t *next, int row, int rows, int column, int columns)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) next = add_entry(next, row + i, column + j);
    return next;
}

static uint64_t *add_lower(uint64_t *next, int at, int size)
{
    for (int j = 0; j < size; j++)
        for (int i = j; i < size; i++) next = add_entry(next, at + i, at + j);
    return next;
}

// adds the diagonal, then the other entries of balls
static uint64_t *add_next_state(const trxi_rollout *r, uint64_t *next, int row, int column)
{
    for (int i = 0; i < r->nx; i++) next = add_entry(next, row + i, column + i);
    for (int b = 0; b < r->model->nlink; b++) {
        const int v = r->model->links[b].v;
        for (int e = 0; is_ball(r, b) && e < 9; e++)
            if (e % 4 != 0) next = add_entry(next, row + v + e % 3, column + v + e / 3);
    }
    return next;
}

static uint64_t *add_limits(const trxi_rollout *r, const trxi_limit_rows *rows, uint64_t *next)
{
    for (int k = 0; k <= r->steps; k++)
        for (int i = rows->first[k]; i < rows->first[k + 1]; i++) {
            if (k < r->steps) next = add_block(next, r->steps * r->nx + i, 1, controls_at(r, k), r->nu);
            if (k > 0) next = add_block(next, r->steps * r->nx + i, 1, state_at(r, k), r->nx);
        }
    return next;
}

void trxi_transcription_fill(trxi_transcription *t)
{
    const trxi_rollout *r = t->rollout;
    uint64_t *jacobian = t->jacobian, *hessian = t->hessian;
    set_sizes(t);
    for (int k = 0; k < r->steps; k++) {
        const int row = r->nx * k, u = controls_at(r, k), z_next = state_at(r, k + 1);
        jacobian = add_block(jacobian, row, r->nx, u, r->nu);
        if (k > 0) jacobian = add_block(jacobian, row, r->nx, state_at(r, k), r->nx);
        jacobian = add_next_state(r, jacobian, row, z_next);

        hessian = add_lower(hessian, u, r->nu);
        hessian = add_lower(hessian, z_next, r->nx);
        if (k > 0 && r->couples) hessian = add_block(hessian, u, r->nu, state_at(r, k), r->nx);
    }
    add_limits(r, t->rows, jacobian);
}

// ---- variables ----

void trxi_transcription_start(trxi_transcription *t, const trxi_trajectory *traj, double *variables, double *lower, double *upper)
{
    const trxi_rollout *r = t->rollout;
    memcpy(t->reference, traj->x, (size_t)r->nstate * (size_t)(r->steps + 1) * sizeof(double));
    for (int k = 0; k < r->steps; k++) {
        const int u = controls_at(r, k), z = u + r->nu;
        memcpy(variables + u, traj->u + r->nu * k, (size_t)r->nu * sizeof(double));
        memcpy(lower + u, r->u_lower, (size_t)r->nu * sizeof(double));
        memcpy(upper + u, r->u_upper, (size_t)r->nu * sizeof(double));
        for (int i = z; i < z + r->nx; i++) variables[i] = 0, lower[i] = -INFINITY, upper[i] = INFINITY;
    }
}

void trxi_transcription_trajectory(const trxi_transcription *t, const double *variables, trxi_trajectory *traj)
{
    const trxi_rollout *r = t->rollout;
    memcpy(traj->x, r->x0, (size_t)r->nstate * sizeof(double));
    for (int k = 0; k < r->steps; k++) {
        const double *u = variables + controls_at(r, k), *z = u + r->nu, *x = t->reference + r->nstate * (k + 1);
        double *out = traj->x + r->nstate * (k + 1);
        memcpy(traj->u + r->nu * k, u, (size_t)r->nu * sizeof(double));
        trx_model_integrate_state(r->model, x, z, out);
    }
}

// ---- coordinates of balls ----

// M <- D M, which changes the rows of balls, with Jr^-1 at the defect
static void change_rows(const trxi_rollout *r, const double *defect, int columns, double *M)
{
    for (int b = 0; b < r->model->nlink; b++) {
        if (!is_ball(r, b)) continue;
        const int v = r->model->links[b].v;
        double inverse[9], old[3];
        trxi_right_jacobian_inverse(defect + v, inverse);
        for (int j = 0; j < columns; j++) {
            double *rows = M + r->nx * j + v;
            trxi_copy3(rows, old);
            trxi_mulv3(inverse, old, rows);
        }
    }
}

// ---- derivatives ----

void trxi_transcription_gradient(const trxi_transcription *t, const double *variables, const trxi_ocp *ocp, double *gradient)
{
    const trxi_rollout *r = t->rollout;
    for (int k = 0; k < r->steps; k++) {
        double *u = gradient + controls_at(r, k), *z = u + r->nu;
        memcpy(u, ocp->stages[k].r, (size_t)r->nu * sizeof(double));
        memcpy(z, ocp->stages[k + 1].q, (size_t)r->nx * sizeof(double));
        trxi_model_chart_columns(r->model, variables + state_at(r, k + 1), 1, z, 1);
    }
}

// -D' E of the next state, in the order of add_next_state
static double *put_next_state(const trxi_rollout *r, const double *defect, const double *z, double *next)
{
    double *diagonal = next;
    for (int i = 0; i < r->nx; i++) *next++ = -1;
    for (int b = 0; b < r->model->nlink; b++) {
        if (!is_ball(r, b)) continue;
        const int v = r->model->links[b].v;
        double inverse[9], Jr[9];
        trxi_right_jacobian_inverse(defect + v, inverse);
        trxi_right_jacobian(z + v, Jr);
        for (int e = 0; e < 9; e++) {
            // row e % 3 of the transposed inverse, column e / 3 of Jr
            const double value = -trxi_dot3(inverse + 3 * (e % 3), Jr + 3 * (e / 3));
            if (e % 4 == 0) diagonal[v + e / 3] = value;
            else *next++ = value;
        }
    }
    return next;
}

// dr/du and dr/dx E of the limits, in the order of add_limits
static void put_limits(const trxi_transcription *t, const double *variables, double *next)
{
    const trxi_rollout *r = t->rollout;
    const trxi_limit_rows *rows = t->rows;
    const size_t nx = (size_t)r->nx, nu = (size_t)r->nu;
    for (int k = 0; k <= r->steps; k++)
        for (int i = rows->first[k]; i < rows->first[k + 1]; i++) {
            if (k < r->steps) {
                memcpy(next, rows->r_u + nu * (size_t)i, nu * sizeof *next);
                next += nu;
            }
            if (k == 0) continue;
            memcpy(next, rows->r_x + nx * (size_t)i, nx * sizeof *next);
            trxi_model_chart_columns(r->model, variables + state_at(r, k), 1, next, 1);
            next += nx;
        }
}

void trxi_transcription_jacobian(const trxi_transcription *t, const double *variables, const trxi_ocp *ocp, double *values)
{
    const trxi_rollout *r = t->rollout;
    const size_t nx = (size_t)r->nx, nu = (size_t)r->nu;
    for (int k = 0; k < r->steps; k++) {
        const trxi_ocp_stage *stage = &ocp->stages[k];
        memcpy(values, stage->B, nx * nu * sizeof *values);
        change_rows(r, stage->b, r->nu, values);
        values += nx * nu;
        if (k > 0) {
            memcpy(values, stage->A, nx * nx * sizeof *values);
            change_rows(r, stage->b, r->nx, values);
            trxi_model_chart_columns(r->model, variables + state_at(r, k), r->nx, values, r->nx);
            values += nx * nx;
        }
        values = put_next_state(r, stage->b, variables + state_at(r, k + 1), values);
    }
    put_limits(t, variables, values);
}

static double *put_lower(int n, const double *M, double factor, double *next)
{
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) *next++ = factor * M[i + n * j];
    return next;
}

static void transpose_square(int n, double *M)
{
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++) {
            const double lower = M[i + n * j];
            M[i + n * j] = M[j + n * i];
            M[j + n * i] = lower;
        }
}

// E^T Q E of a state
static double *put_state_block(const trxi_transcription *t, const double *Q, const double *z, double factor, double *next)
{
    const int nx = t->rollout->nx;
    for (int j = 0; j < nx; j++)
        for (int i = j; i < nx; i++) t->block[i + nx * j] = t->block[j + nx * i] = Q[i + nx * j];
    trxi_model_chart_columns(t->rollout->model, z, nx, t->block, nx);
    transpose_square(nx, t->block);
    trxi_model_chart_columns(t->rollout->model, z, nx, t->block, nx);
    return put_lower(nx, t->block, factor, next);
}

// S^T E of a knot, nu x nx
static double *put_cross_block(const trxi_transcription *t, const double *S, const double *z, double factor, double *next)
{
    const trxi_rollout *r = t->rollout;
    trxi_transpose(r->nx, r->nu, S, r->nx, next, r->nu);
    trxi_model_chart_columns(r->model, z, r->nu, next, r->nu);
    for (int i = 0; i < r->nx * r->nu; i++) next[i] *= factor;
    return next + r->nx * r->nu;
}

void trxi_transcription_hessian(const trxi_transcription *t, const double *variables, const trxi_ocp *ocp, double factor,
                                double *values)
{
    const trxi_rollout *r = t->rollout;
    for (int k = 0; k < r->steps; k++) {
        const trxi_ocp_stage *stage = &ocp->stages[k];
        values = put_lower(r->nu, stage->R, factor, values);
        values = put_state_block(t, stage[1].Q, variables + state_at(r, k + 1), factor, values);
        if (k > 0 && r->couples) values = put_cross_block(t, stage->S, variables + state_at(r, k), factor, values);
    }
}
