// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Controls from outside the solver: a table of u.NAME over time (interface 3.11), and the constant ones that hold
// the start state at rest.

#include "dynamics/inverse_dynamics.h"
#include "formats/csv.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

// ---- tables ----

// column of each control, and of the time last
static trx_status find_columns(const trx_problem *problem, trxi_pool *pool, const trxi_csv *csv, int *columns)
{
    int nu = trx_model_get_size(problem->model).nu;
    trx_status status = TRX_OK;
    for (int j = 0; j <= nu; j++) {
        const char *name = j == nu ? "t" : trxi_pool_printf(pool, "u.%s", trx_model_actuator_name(problem->model, j));
        if (!name) return TRX_ERR_MEMORY;
        columns[j] = trxi_csv_find(csv, name);
        if (columns[j] < 0)
            status = trxi_error_at(problem->context, (trx_source){csv->file, 1, 1}, "no column \"%s\": add it", name);
    }
    return status;
}

static double cell(const trxi_csv *csv, int row, int column)
{
    return csv->data[(size_t)row * (size_t)csv->cols + (size_t)column];
}

// number of rows that hold controls: the last one of a trajectory has none
static int count_rows(const trxi_csv *csv, const int *columns, int nu)
{
    if (csv->rows < 2) return csv->rows;
    for (int j = 0; j < nu; j++)
        if (!isnan(cell(csv, csv->rows - 1, columns[j]))) return csv->rows;
    return csv->rows - 1;
}

static trx_status check_rows(const trx_problem *problem, const trxi_csv *csv, const int *columns, int nu, int rows)
{
    trx_context *context = problem->context;
    if (rows == 0) return trxi_error_at(context, (trx_source){csv->file, 1, 1}, "no rows: write at least one");
    for (int row = 0; row < rows; row++) {
        for (int j = 0; j <= nu; j++)
            if (isnan(cell(csv, row, columns[j])))
                return trxi_error_at(context, trxi_csv_source(csv, row, columns[j]), "an empty cell: write a number");
        if (row > 0 && !(cell(csv, row, columns[nu]) > cell(csv, row - 1, columns[nu])))
            return trxi_error_at(context, trxi_csv_source(csv, row, columns[nu]),
                                 "t does not increase: write later times in later rows");
    }
    return TRX_OK;
}

trx_status trxi_read_controls(const trx_problem *problem, trxi_pool *pool, const char *path, double *u)
{
    int nu = trx_model_get_size(problem->model).nu;
    trxi_csv csv;
    trx_status status = trxi_csv_read(problem->context, pool, path, &csv);
    if (status < 0) return status;
    int *columns = TRXI_POOL(pool, int, nu + 1);
    if (!columns) return TRX_ERR_MEMORY;
    if ((status = find_columns(problem, pool, &csv, columns)) < 0) return status;
    int rows = count_rows(&csv, columns, nu);
    if ((status = check_rows(problem, &csv, columns, nu, rows)) < 0) return status;

    // zero-order hold; a knot that misses a row's time by round-off is at that row
    for (int k = 0, row = 0; k < problem->steps; k++) {
        double t = k * problem->sim.time_step * (1 + 1e-12);
        while (row + 1 < rows && cell(&csv, row + 1, columns[nu]) <= t) row++;
        for (int j = 0; j < nu; j++) u[(size_t)k * (size_t)nu + (size_t)j] = cell(&csv, row, columns[j]);
    }
    return TRX_OK;
}

trx_status trx_problem_read_controls(const trx_problem *problem, const char *path, double *u)
{
    if (!problem) return TRX_ERR_ARGUMENT;
    if (!path || !u) return trxi_fail(problem->context, TRX_ERR_ARGUMENT, "no path or no place for the controls");
    trxi_pool *pool = trxi_pool_create(problem->context);
    trx_status status = pool ? trxi_read_controls(problem, pool, path, u) : TRX_ERR_MEMORY;
    trxi_pool_destroy(pool);
    return status;
}

// ---- holding still ----

// tau = ID(q0, 0, 0) + K (q0 (-) q_rest), what the joints must bear at rest (theory 2.1 with v = a = 0)
static void holding_forces(const trx_model *model, const double *q, const trxi_kinematics *kin, trxi_rnea *work,
                           double *zero, double *tau)
{
    trxi_inverse_dynamics(model, kin, zero, NULL, work, tau);
    trxi_model_spring(model, q, zero);
    for (int i = 0; i < model->nv; i++) tau[i] += model->stiffness[i] * zero[i];
}

// scratch of holding_forces
static void layout(trxi_arena *arena, const trx_model *model, trxi_kinematics *kin, trxi_rnea *work, double **vectors)
{
    trxi_kinematics_layout(arena, model, kin);
    trxi_rnea_layout(arena, model, work);
    *vectors = TRXI_TAKE(arena, double, 2 * model->nv);
}

trx_status trxi_holding_controls(const trx_problem *problem, double *u)
{
    const trx_model *model = problem->model;
    trxi_kinematics kin;
    trxi_rnea work;
    double *vectors;
    trxi_arena arena = {0};
    layout(&arena, model, &kin, &work, &vectors);
    char *memory = trxi_allocate(problem->context, arena.used);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    layout(&arena, model, &kin, &work, &vectors);

    double *tau = vectors + model->nv;
    trxi_kinematics_compute(model, problem->start, &kin);
    holding_forces(model, problem->start, &kin, &work, vectors, tau);
    for (int j = 0; j < model->nu; j++) u[j] = tau[model->actuators[j].v] / model->actuators[j].gear;
    trxi_release(problem->context, memory);
    return TRX_OK;
}
