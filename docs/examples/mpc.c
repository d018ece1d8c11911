// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pushes the box of push_box.yaml by model predictive control: a plan, solved again in every tick from the measured state.
//
//     cc mpc.c $(pkg-config --cflags --libs tractrix) -o mpc && ./mpc push_box.yaml
//
// trx_mpc_create finds the push through the stages of the problem. trx_mpc_update plans anew, and trx_mpc_control gives the
// command for a measured state at any rate. The plant is another simulator, with a quarter of the time step and 20 % less
// friction. While the box moves, the goal moves on by 5 cm.

#include <math.h>
#include <stdio.h>
#include <tractrix/tractrix.h>

enum { NQ = 10, NV = 9, NU = 3, TICKS = 60, GOAL_MOVES = 15, SUBSTEPS = 4 };

static const double goal[3] = {0.20, 0, 0.05};

// the terms of push_box.yaml that say where the box goes
static const int goal_terms[] = {0, 5};

static trx_status run(trx_mpc *mpc, trx_sim *plant, double tick, double *x)
{
    trx_status status = TRX_OK;
    for (int k = 0; k < TICKS && status >= 0; k++) {
        for (int i = 0; k == GOAL_MOVES && i < 2 && status >= 0; i++) status = trx_mpc_set_target(mpc, goal_terms[i], goal);
        if (status < 0) break;

        // a tick that fails leaves the policy before in place
        if (trx_mpc_update(mpc, k * tick, x) < 0) printf("tick %d failed\n", k);
        for (int part = 0; part < SUBSTEPS && status >= 0; part++) {
            double u[NU];
            status = trx_mpc_control(mpc, (k + (double)part / SUBSTEPS) * tick, x, u);
            if (status >= 0) status = trx_step(plant, x, u, x);
        }
        if (k % 10 == 9) printf("%.1f s: the box is at (%.4f, %.4f) m\n", (k + 1) * tick, x[0], x[1]);
    }
    return status;
}

// the plant: the same model, other time step and friction
static trx_status make_plant(trx_context *context, const trx_model *model, trx_sim_settings settings, trx_sim **plant)
{
    settings.time_step /= SUBSTEPS;
    trx_status status = trx_sim_create(context, model, &settings, plant);
    for (int pair = 0; status >= 0 && pair < trx_model_get_size(model).npair; pair++) {
        trx_pair_law law = trx_sim_pair_law(*plant, pair);
        law.friction *= 0.8;
        status = trx_sim_set_pair_law(*plant, pair, &law);
    }
    return status;
}

int main(int argc, char **argv)
{
    trx_context *context;
    trx_problem *problem = NULL;
    trx_mpc *mpc = NULL;
    trx_sim *plant = NULL;
    double x[NQ + NV];
    if (argc != 2 || trx_context_create(NULL, &context) < 0) return 1;

    trx_plan_problem task = trx_plan_problem_default();
    trx_plan_settings plan = trx_plan_settings_default();
    trx_mpc_settings settings = trx_mpc_settings_default();
    trx_status status = trx_problem_load(context, argv[1], NULL, &problem);
    if (status >= 0) status = trx_problem_plan(problem, &task, &plan);
    settings.horizon = settings.least_horizon = task.steps; // not shorter towards the end of the task
    if (status >= 0) status = trx_mpc_create(context, &task, &settings, &mpc);
    if (status >= 0) status = make_plant(context, task.model, task.sim, &plant);
    for (int i = 0; status >= 0 && i < NQ + NV; i++) x[i] = task.x0[i];
    if (status >= 0) status = run(mpc, plant, task.sim.time_step, x);
    if (status < 0) fprintf(stderr, "%s: %s\n", trx_status_text(status), trx_context_message(context));

    const bool met = status >= 0 && hypot(x[0] - goal[0], x[1] - goal[1]) < 0.01;
    if (status >= 0) printf("slowest update: %.1f ms\n", 1e3 * trx_mpc_get_info(mpc).slowest);
    if (status >= 0) printf("the goal is %s\n", met ? "met" : "missed");
    trx_sim_destroy(plant);
    trx_mpc_destroy(mpc);
    trx_problem_destroy(problem);
    trx_context_destroy(context);
    return met ? 0 : 1;
}
