// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Running a published case step by step, see run.h. Times of the grid are whole numbers of steps, so that runs of different
// steps are compared at the same instants without interpolation.

#include "paper/run.h"

#include "support/support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

paper_run paper_open_sets(const char *name, const char *const *sets, int nset, bool may_fail)
{
    paper_run run = {0};
    char path[400];
    if (strchr(name, '/')) snprintf(path, sizeof path, "%s", name);
    else snprintf(path, sizeof path, "problems/cases/%s.yaml", name);
    trx_status status = trx_context_create(NULL, &run.context);
    ck_assert_int_ge(status, 0);

    trx_problem_options options = trx_problem_options_default();
    options.set = sets;
    options.nset = nset;
    status = trx_problem_load(run.context, path, &options, &run.problem);
    if (status >= 0) {
        run.model = trx_problem_model(run.problem);
        run.size = trx_model_get_size(run.model);
        trx_sim_settings settings = trx_problem_sim_settings(run.problem);
        run.dt = settings.time_step;
        run.steps = trx_problem_steps(run.problem);
        status = trx_sim_create(run.context, run.model, &settings, &run.sim);
    }
    if (status < 0) {
        ck_assert_msg(may_fail, "%s: %s", path, trx_context_message(run.context));
        return run;
    }
    size_t nx = (size_t)(run.size.nq + run.size.nv);
    run.x = malloc(nx * sizeof(double));
    run.x0 = malloc(nx * sizeof(double));
    ck_assert(run.x && run.x0);
    memcpy(run.x, trx_problem_start(run.problem), nx * sizeof(double));
    memcpy(run.x0, run.x, nx * sizeof(double));
    return run;
}

paper_run paper_open(const char *name, ...)
{
    const char *sets[PAPER_SETS];
    int count = 0;
    va_list list;
    va_start(list, name);
    for (const char *text; (text = va_arg(list, const char *)) && count < PAPER_SETS; count++) sets[count] = text;
    va_end(list);
    return paper_open_sets(name, sets, count, false);
}

void paper_close(paper_run *run)
{
    free(run->x);
    free(run->x0);
    trx_sim_destroy(run->sim);
    trx_problem_destroy(run->problem);
    trx_context_destroy(run->context);
    memset(run, 0, sizeof *run);
}

trx_status paper_try_step(paper_run *run)
{
    memcpy(run->x0, run->x, (size_t)(run->size.nq + run->size.nv) * sizeof(double));
    trx_sim_set_time(run->sim, run->step * run->dt);
    trx_status status = trx_step(run->sim, run->x, NULL, run->x);
    int iterations = trx_sim_step_info(run->sim).iterations;
    run->step++;
    run->iterations += iterations;
    if (iterations > run->most_iterations) run->most_iterations = iterations;
    return status;
}

void paper_step(paper_run *run)
{
    trx_status status = paper_try_step(run);
    ck_assert_msg(status >= 0, "step %d: %s", run->step, trx_context_message(run->context));
}

void paper_until(paper_run *run, double time)
{
    while (run->step < (int)round(time / run->dt)) paper_step(run);
}

int paper_index(const paper_run *run, const char *name)
{
    for (int i = 0; i < run->size.nq; i++)
        if (!strcmp(trx_model_q_name(run->model, i), name)) return i;
    for (int i = 0; i < run->size.nv; i++)
        if (!strcmp(trx_model_v_name(run->model, i), name)) return run->size.nq + i;
    ck_abort_msg("no coordinate %s", name);
    return -1;
}

double paper_value(const paper_run *run, const char *name)
{
    return run->x[paper_index(run, name)];
}

double paper_energy(const paper_run *run)
{
    double kinetic = 0, potential = 0;
    ck_assert_int_ge(
        trx_model_energy(run->context, run->model, run->x, run->x + run->size.nq, &kinetic, &potential), 0);
    return kinetic + potential;
}

double paper_normal_force(const paper_run *run)
{
    const trx_contact *contacts;
    int count = trx_sim_contacts(run->sim, &contacts);
    double sum = 0;
    for (int i = 0; i < count; i++) sum += contacts[i].f_n;
    return sum;
}

double paper_order(const double *x, const double *y, int n, double *r_squared)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < n; i++) {
        mean_x += log(x[i]) / n;
        mean_y += log(y[i]) / n;
    }
    for (int i = 0; i < n; i++) {
        double dx = log(x[i]) - mean_x, dy = log(y[i]) - mean_y;
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    if (r_squared) *r_squared = xy * xy / (xx * yy);
    return xy / xx;
}

// opens the case at step dt
static paper_run open_at(const char *name, const char *const *sets, int nset, double dt)
{
    const char *all[PAPER_SETS];
    char text[64];
    ck_assert_int_lt(nset, PAPER_SETS);
    for (int i = 0; i < nset; i++) all[i] = sets[i];
    snprintf(text, sizeof text, "time.step=%.17g", dt);
    all[nset] = text;
    return paper_open_sets(name, all, nset + 1, false);
}

double *paper_reference(const char *name, const char *const *sets, int nset, double dt, double grid, int rows)
{
    paper_run run = open_at(name, sets, nset, dt);
    size_t nq = (size_t)run.size.nq;
    double *reference = malloc(nq * (size_t)rows * sizeof(double));
    ck_assert(reference != NULL);
    for (int row = 0; row < rows; row++) {
        paper_until(&run, (row + 1) * grid);
        memcpy(reference + nq * (size_t)row, run.x, nq * sizeof(double));
    }
    paper_close(&run);
    return reference;
}

double paper_error(const char *name, const char *const *sets, int nset, double dt, double grid, const double *reference,
                   int rows)
{
    paper_run run = open_at(name, sets, nset, dt);
    double sum = 0;
    for (int row = 0; row < rows; row++) {
        paper_until(&run, (row + 1) * grid);
        for (int i = 0; i < run.size.nq && i < 3; i++) {
            double difference = run.x[i] - reference[row * run.size.nq + i];
            sum += difference * difference;
        }
    }
    paper_close(&run);
    return sqrt(sum / rows);
}
