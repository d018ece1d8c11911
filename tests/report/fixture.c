// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See fixture.h.

#define _XOPEN_SOURCE 700

#include "report/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

trx_status fixture_load(trx_context *context, trx_problem **problem)
{
    static const char *const set[] = {"time.steps=12", "start.px=-0.0695"};
    trx_problem_options options = trx_problem_options_default();
    options.set = set;
    options.nset = 2;
    return trx_problem_load(context, "problems/push_box.yaml", &options, problem);
}

void fixture_open(fixture *f)
{
    ck_assert_int_eq(trx_context_create(NULL, &f->context), TRX_OK);
    f->pool = trxi_pool_create(f->context);
    ck_assert_int_eq(fixture_load(f->context, &f->problem), TRX_OK);
    ck_assert_int_eq(trx_run_create(f->context, f->problem, &f->run), TRX_OK);
    temporary_path(f->place, "tractrix_run_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(f->place));
    snprintf(f->folder, sizeof f->folder, "%s/run", f->place);
}

void fixture_close(fixture *f)
{
    remove_all(f->place);
    trx_run_destroy(f->run);
    trx_problem_destroy(f->problem);
    trxi_pool_destroy(f->pool);
    trx_context_destroy(f->context);
}

const char *fixture_file(const fixture *f, const char *name)
{
    return trxi_pool_printf(f->pool, "%s/%s", f->folder, name);
}

void fixture_load_other(const fixture *f, const char *name, const char *set, trx_problem **problem, trx_run **run)
{
    trx_problem_options options = trx_problem_options_default();
    options.set = &set;
    options.nset = 1;
    const char *path = trxi_pool_printf(f->pool, "problems/%s.yaml", name);
    ck_assert_int_eq(trx_problem_load(f->context, path, &options, problem), TRX_OK);
    ck_assert_int_eq(trx_run_create(f->context, *problem, run), TRX_OK);
}

void fixture_controls(double u[NU * STEPS])
{
    for (int k = 0; k < STEPS; k++) {
        u[NU * k] = 3 + 0.3 * k;
        u[NU * k + 1] = k > 6 ? 2.5 : 0.1;
        u[NU * k + 2] = 0.01;
    }
}

trx_simulation fixture_simulation(const double *u)
{
    trx_simulation simulation = trx_simulation_default();
    simulation.u = u;
    return simulation;
}

trx_sim *fixture_sim(const fixture *f, double x[NX])
{
    trx_sim *sim;
    trx_sim_settings settings = trx_problem_sim_settings(f->problem);
    ck_assert_int_eq(trx_sim_create(f->context, trx_problem_model(f->problem), &settings, &sim), TRX_OK);
    memcpy(x, trx_problem_start(f->problem), NX * sizeof *x);
    return sim;
}
