// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// States of a guess (docs/problem_file.md, solve): a table with a row per time, or the straight path from the start to
// the targets at the end.
//
// A table has the columns of a trajectory.csv: t, all positions and activations, and all velocities or none. Between two
// rows positions follow the geodesic, and velocities are interpolated linearly. Missing velocities are the rate of the geodesic.
//
// The straight path ends at the target positions that terms at the last knot give to joints and free bodies. Other
// coordinates keep their start values. The velocity is constant.

#include "formats/csv.h"
#include "math/rotation.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

// ---- tables ----

typedef struct state_table {
    trxi_csv csv;
    int *columns; // of the nstate numbers of x, then of t; -1: a missing velocity
    bool rates;   // the table has velocities
} state_table;

static double cell(const state_table *t, int row, int i)
{
    return trxi_csv_number(&t->csv, row, t->columns[i]);
}

static const char *column_name(const trx_model *model, int i)
{
    return i < model->nstate ? trx_model_state_name(model, i) : "t";
}

static trx_status find_columns(const trx_problem *problem, state_table *t)
{
    const trx_model *model = problem->model;
    trx_status status = TRX_OK;
    t->rates = model->nv > 0 && trxi_csv_find(&t->csv, trx_model_v_name(model, 0)) >= 0;
    for (int i = 0; i <= model->nstate; i++) {
        const bool rate = i >= model->nq && i < model->nq + model->nv;
        t->columns[i] = trxi_csv_find(&t->csv, column_name(model, i));
        if (t->columns[i] < 0 && (!rate || t->rates))
            status = trxi_error_at(problem->context, trxi_csv_top(&t->csv), "no column \"%s\": add it",
                                   column_name(model, i));
    }
    return status;
}

static bool has_quaternions(const trx_model *model, const state_table *t, int row)
{
    for (int i = 0; i < model->nlink; i++) {
        double square = 0;
        if (model->links[i].type != TRXI_BALL) continue;
        for (int j = 0; j < 4; j++) square += pow(cell(t, row, model->links[i].q + j), 2);
        if (!(square > 0)) return false;
    }
    return true;
}

static trx_status check_rows(const trx_problem *problem, const state_table *t)
{
    const trx_model *model = problem->model;
    const int time = model->nstate;
    if (t->csv.rows == 0) return trxi_error_at(problem->context, trxi_csv_top(&t->csv), "no rows: write at least one");
    const trx_status status = trxi_csv_check(problem->context, &t->csv, t->csv.rows, t->columns, time + 1, t->columns[time]);
    for (int row = 0; status >= 0 && row < t->csv.rows; row++)
        if (!has_quaternions(model, t, row))
            return trxi_error_at(problem->context, trxi_csv_source(&t->csv, row, t->columns[time]),
                                 "a quaternion of length 0 in this row");
    return status;
}

// the positions of a row, with unit quaternions
static void row_positions(const trx_model *model, const state_table *t, int row, double *q)
{
    for (int i = 0; i < model->nq; i++) q[i] = cell(t, row, i);
    for (int i = 0; i < model->nlink; i++)
        if (model->links[i].type == TRXI_BALL) trxi_quat_normalize(q + model->links[i].q);
}

// the state at time t between `row` and the next; work: 2 nq + nv numbers
static void sample(const trx_model *model, const state_table *table, int row, double t, double *work, double *x)
{
    const int nq = model->nq, nv = model->nv, time = model->nstate;
    const int next = row + 1 < table->csv.rows ? row + 1 : row;
    const double span = cell(table, next, time) - cell(table, row, time);
    const double share = span > 0 ? fmin(fmax((t - cell(table, row, time)) / span, 0), 1) : 0;
    double *q = work, *q_next = work + nq, *dq = q_next + nq;
    row_positions(model, table, row, q);
    row_positions(model, table, next, q_next);
    trx_model_difference(model, q_next, q, dq);
    for (int i = 0; i < nv; i++) {
        const double rate = span > 0 ? dq[i] / span : 0;
        x[nq + i] = table->rates ? (1 - share) * cell(table, row, nq + i) + share * cell(table, next, nq + i) : rate;
        dq[i] *= share;
    }
    for (int i = nq + nv; i < time; i++) x[i] = (1 - share) * cell(table, row, i) + share * cell(table, next, i);
    trx_model_integrate(model, q, dq, x);
}

static trx_status read_table(const trx_problem *problem, const char *path, double *x)
{
    const trx_model *model = problem->model;
    const int nstate = model->nstate;
    state_table t = {0};
    trx_status status = trxi_csv_read(problem->context, problem->pool, path, &t.csv);
    if (status < 0) return status;
    t.columns = TRXI_POOL(problem->pool, int, nstate + 1);
    double *work = TRXI_POOL(problem->pool, double, 2 * model->nq + model->nv);
    if (!t.columns || !work) return TRX_ERR_MEMORY;
    if ((status = find_columns(problem, &t)) < 0 || (status = check_rows(problem, &t)) < 0) return status;

    // a knot that misses a row's time by round-off is at that row
    for (int k = 0, row = 0; k <= problem->steps; k++) {
        const double time = k * problem->sim.time_step;
        while (row + 1 < t.csv.rows && cell(&t, row + 1, nstate) <= time * (1 + 1e-12)) row++;
        sample(model, &t, row, time, work, x + nstate * k);
    }
    return TRX_OK;
}

// ---- the straight path ----

// the free joint that carries a body; NULL: none
static const trx_joint_info *free_joint(const trx_model *model, int body, trx_joint_info *joint)
{
    for (int i = 0; i < model->njoint; i++) {
        *joint = trx_model_joint(model, i);
        if (joint->body == body && joint->type == TRX_JOINT_FREE) return joint;
    }
    return NULL;
}

// puts into q the positions that a term asks for at the last knot
static void aim_term(const trx_problem *problem, const trx_cost_term *term, double *q)
{
    const trx_model *model = problem->model;
    const double *target = term->target + term->target_stride * problem->steps;
    const double *weight = term->weight + term->weight_stride * problem->steps;
    const bool place = term->quantity == TRX_BODY_POSITION, turn = term->quantity == TRX_BODY_ORIENTATION;
    trx_joint_info joint;
    if (term->quantity == TRX_POSITION) memcpy(q, target, (size_t)model->nq * sizeof *q);
    for (int i = 0; term->quantity == TRX_JOINT_POSITION && i < term->njoint; i++)
        if (weight[i] > 0) q[model->joints[term->joints[i]].q] = target[i];
    if (!(place || turn) || !free_joint(model, term->index, &joint)) return;
    for (int i = 0; place && i < 3; i++)
        if (weight[i] > 0) q[joint.q_index + i] = target[i];
    if (turn) memcpy(q + joint.q_index + 3, target, 4 * sizeof *q);
}

static trx_status interpolate(const trx_problem *problem, double *x)
{
    const trx_model *model = problem->model;
    const int nq = model->nq, nv = model->nv, steps = problem->steps;
    double *q = TRXI_POOL(problem->pool, double, nq), *dq = TRXI_POOL(problem->pool, double, 2 * nv);
    if (!q || !dq) return TRX_ERR_MEMORY;
    memcpy(q, problem->start, (size_t)nq * sizeof *q);
    for (int i = 0; i < problem->nterm; i++)
        if (problem->terms[i].time != TRX_RUNNING && problem->terms[i].target) aim_term(problem, &problem->terms[i], q);
    trx_model_difference(model, q, problem->start, dq);
    for (int k = 0; k <= steps; k++) {
        double *to = x + model->nstate * k;
        for (int i = 0; i < nv; i++) dq[nv + i] = dq[i] * k / steps;
        trx_model_integrate(model, problem->start, dq + nv, to);
        for (int i = 0; i < nv; i++) to[nq + i] = dq[i] / (steps * problem->sim.time_step);
        for (int i = nq + nv; i < model->nstate; i++) to[i] = problem->start[i];
    }
    return TRX_OK;
}

trx_status trxi_guess_states(const trx_problem *problem, const double **states)
{
    const trx_model *model = problem->model;
    const char *path = problem->solve.states;
    *states = NULL;
    if (!path) return TRX_OK;
    double *x = trxi_pool_take(problem->pool, (size_t)problem->steps + 1, (size_t)model->nstate * sizeof *x);
    if (!x) return TRX_ERR_MEMORY;
    *states = x;
    if (!problem->solve.states_are_path) return interpolate(problem, x);
    path = trxi_guess_table(problem, path);
    return path ? read_table(problem, path, x) : TRX_ERR_MEMORY;
}
