// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Controls from outside the solver: a table of u.NAME over time (docs/problem_file.md, solve).

#include "formats/csv.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

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
            status = trxi_error_at(problem->context, trxi_csv_top(csv), "no column \"%s\": add it", name);
    }
    return status;
}

// clamps the controls of motors, which give at most their effort
static void saturate(const trx_problem *problem, const trxi_csv *csv, double *u)
{
    int nu = trx_model_get_size(problem->model).nu, saturated = 0, first = -1;
    for (int i = 0; i < problem->steps * nu; i++) {
        double range[2];
        trxi_effort_range(&problem->model->actuators[i % nu], range);
        double given = fmin(fmax(u[i], range[0]), range[1]);
        if (given == u[i]) continue;
        if (first < 0) first = i % nu;
        saturated++;
        u[i] = given;
    }
    if (saturated > 0)
        trxi_warn_at(problem->context, trxi_csv_top(csv),
                     "%d controls ask for more than the effort of their motors, which saturates; the first is of u.%s", saturated,
                     trx_model_actuator_name(problem->model, first));
}

const char *trxi_guess_table(const trx_problem *problem, const char *path)
{
    struct stat info;
    const bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    return folder ? trxi_pool_printf(problem->pool, "%s/trajectory.csv", path) : path;
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
    const int rows = trxi_csv_rows_of(&csv, columns, nu);
    if (rows == 0) return trxi_error_at(problem->context, trxi_csv_top(&csv), "no rows: write at least one");
    if ((status = trxi_csv_check(problem->context, &csv, rows, columns, nu + 1, columns[nu])) < 0) return status;

    // zero-order hold; a knot that misses a row's time by round-off is at that row
    for (int k = 0, row = 0; k < problem->steps; k++) {
        double t = k * problem->sim.time_step * (1 + 1e-12);
        while (row + 1 < rows && trxi_csv_number(&csv, row + 1, columns[nu]) <= t) row++;
        for (int j = 0; j < nu; j++) u[(size_t)k * (size_t)nu + (size_t)j] = trxi_csv_number(&csv, row, columns[j]);
    }
    saturate(problem, &csv, u);
    return TRX_OK;
}

trx_status trx_problem_read_controls(const trx_problem *problem, const char *path, double *u)
{
    if (!problem) return TRX_ERR_ARGUMENT;
    trxi_begin(problem->context);
    if (!path || !u) return trxi_fail(problem->context, TRX_ERR_ARGUMENT, "no path or no place for the controls");
    trxi_pool *pool = trxi_pool_create(problem->context);
    trx_status status = pool ? trxi_read_controls(problem, pool, path, u) : TRX_ERR_MEMORY;
    trxi_pool_destroy(pool);
    return status;
}
