// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A loop of a test: a task, its controller, and a plant.

#ifndef TESTS_MPC_LOOP_H
#define TESTS_MPC_LOOP_H

#include "support/support.h"

#include <math.h>
#include <string.h>
#include <tractrix/tractrix.h>

typedef struct loop {
    trx_context *context;
    trx_problem *problem;
    trx_plan_problem task;
    trx_mpc *mpc;
    int nq, nv, nu, nx;
    double x[64], u[32];
} loop;

static inline trx_mpc_settings open_loop(loop *l, const char *path)
{
    trx_plan_settings unused = trx_plan_settings_default();
    ck_assert_int_eq(trx_problem_load(l->context, path, NULL, &l->problem), TRX_OK);
    l->task = trx_plan_problem_default();
    ck_assert_int_eq(trx_problem_plan(l->problem, &l->task, &unused), TRX_OK);
    const trx_model_size size = trx_model_get_size(l->task.model);
    l->nq = size.nq, l->nv = size.nv, l->nu = size.nu, l->nx = size.nq + size.nv;
    memcpy(l->x, l->task.x0, (size_t)l->nx * sizeof *l->x);
    l->mpc = NULL;
    return trx_mpc_settings_default();
}

static inline void begin(loop *l, const char *path, const trx_mpc_settings *settings)
{
    ck_assert_int_eq(trx_context_create(NULL, &l->context), TRX_OK);
    const trx_mpc_settings defaults = open_loop(l, path);
    ck_assert_int_eq(trx_mpc_create(l->context, &l->task, settings ? settings : &defaults, &l->mpc), TRX_OK);
}

static inline void end(loop *l)
{
    trx_mpc_destroy(l->mpc);
    trx_problem_destroy(l->problem);
    trx_context_destroy(l->context);
}

// a plant with its own time step and scaled friction
static inline trx_sim *plant_of(const loop *l, double time_step, double friction)
{
    trx_sim *sim;
    trx_sim_settings settings = l->task.sim;
    settings.time_step = time_step;
    ck_assert_int_eq(trx_sim_create(l->context, l->task.model, &settings, &sim), TRX_OK);
    for (int i = 0; i < trx_model_get_size(l->task.model).npair; i++) {
        trx_pair_law law = trx_sim_pair_law(sim, i);
        law.friction *= friction;
        ck_assert_int_eq(trx_sim_set_pair_law(sim, i, &law), TRX_OK);
    }
    return sim;
}

// runs the plant to the time `until`, with an update every `period`
static inline void run(loop *l, trx_sim *plant, double until, double period)
{
    const double h = trx_sim_get_settings(plant).time_step;
    for (int k = 0; k * h < until - 0.5 * h; k++) {
        const double t = k * h;
        if (fabs(remainder(t, period)) < 0.5 * h) ck_assert_int_ge(trx_mpc_update(l->mpc, t, l->x), 0);
        ck_assert_int_eq(trx_policy_control(trx_mpc_policy(l->mpc), t, l->x, l->u), TRX_OK);
        const trx_step_input input = {.time = t, .x = l->x, .u = l->u};
        ck_assert_int_ge(trx_step_from(plant, &input, l->x), 0);
    }
}

#endif
