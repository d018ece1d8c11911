// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pushes the box of push_box.yaml by model predictive control: one plan, solved again in every tick from the measured state.
//
//     cc mpc.c $(pkg-config --cflags --libs tractrix) -o mpc && ./mpc push_box.yaml
//
// A first plan finds the push through stages of softer contact. The second plan has the physical stage alone, starts from the
// result of the first, and is moved on by one knot in every tick. The plant is another simulator, with a quarter of the time step
// and 20 % less friction; between two solves it follows u + K (x (-) x_plan). While the box moves, the goal moves on by 5 cm.

#include <math.h>
#include <stdio.h>
#include <tractrix/tractrix.h>

enum { NQ = 10, NV = 9, NU = 3, NX = 2 * NV, NSTATE = NQ + NV, TICKS = 60, GOAL_MOVES = 15, SUBSTEPS = 4 };

// the terms of push_box.yaml that say where the box goes
static const int goal_terms[] = {0, 5};

// one tick of the plant: it follows the first knot of the plan
static trx_status follow(trx_sim *plant, const trx_model *model, const trx_plan *plan, double *x)
{
    const double *x_plan = trx_plan_states(plan), *u_plan = trx_plan_controls(plan), *K = trx_plan_gains(plan);
    trx_status status = TRX_OK;
    for (int part = 0; part < SUBSTEPS && status >= 0; part++) {
        // x_plan between its first two knots
        double step[NX], reference[NSTATE], dx[NX], u[NU];
        trx_model_difference(model, x_plan + NSTATE, x_plan, step);
        for (int i = 0; i < NV; i++) step[i] *= (double)part / SUBSTEPS;
        trx_model_integrate(model, x_plan, step, reference);
        trx_model_difference(model, x, reference, dx);
        for (int i = 0; i < NV; i++) {
            const double v = x_plan[NQ + i], v_next = x_plan[NSTATE + NQ + i];
            dx[NV + i] = x[NQ + i] - (v + (v_next - v) * part / SUBSTEPS);
        }
        for (int i = 0; i < NU; i++) {
            u[i] = u_plan[i];
            for (int j = 0; j < NX; j++) u[i] += K[i + NU * j] * dx[j];
            u[i] = fmin(fmax(u[i], -20), 20);
        }
        status = trx_step(plant, x, u, x);
    }
    return status;
}

static trx_status control(trx_plan *plan, trx_sim *plant, const trx_model *model, double *x)
{
    const double goal[3] = {0.20, 0, 0.05};
    double slowest = 0;
    trx_status status = TRX_OK;
    for (int tick = 0; tick < TICKS && status >= 0; tick++) {
        if (tick > 0) status = trx_plan_shift(plan, 1);
        for (int i = 0; tick == GOAL_MOVES && i < 2 && status >= 0; i++)
            status = trx_plan_set_target(plan, goal_terms[i], goal, 0);
        if (status >= 0) status = trx_plan_set_start(plan, x, 0.02 * tick);
        if (status >= 0) status = trx_plan_solve(plan, NULL, NULL);
        slowest = fmax(slowest, trx_plan_get_info(plan).seconds);
        if (status >= 0) status = follow(plant, model, plan, x);
        if (tick % 10 == 9) printf("%.1f s: the box is at (%.4f, %.4f) m\n", 0.02 * (tick + 1), x[0], x[1]);
    }
    printf("slowest solve: %.1f ms\n", 1e3 * slowest);
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
    trx_plan *first = NULL, *plan = NULL;
    trx_sim *plant = NULL;
    double x[NSTATE];
    if (argc != 2 || trx_context_create(NULL, &context) < 0) return 1;

    // the push, found through stages of softer contact
    trx_plan_problem task = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    trx_status status = trx_problem_load(context, argv[1], NULL, &problem);
    if (status >= 0) status = trx_problem_plan(problem, &task, &settings);
    if (status >= 0) status = trx_plan_create(context, &task, &settings, &first);
    if (status >= 0) status = trx_plan_solve(first, NULL, NULL);

    // a plan for the ticks: physical stage alone, five iterations, no replays
    trx_stage physical = trx_stage_default();
    physical.physical = true;
    task.stages = &physical, task.nstage = 1;
    settings.max_iterations = 5, settings.judge = false;
    if (status >= 0) status = trx_plan_create(context, &task, &settings, &plan);
    if (status >= 0) status = trx_plan_set_guess(plan, trx_plan_controls(first), trx_plan_states(first));
    if (status >= 0) status = make_plant(context, task.model, task.sim, &plant);
    for (int i = 0; status >= 0 && i < NSTATE; i++) x[i] = task.x0[i];
    if (status >= 0) status = control(plan, plant, task.model, x);
    if (status < 0) fprintf(stderr, "%s: %s\n", trx_status_text(status), trx_context_message(context));

    bool met = status >= 0 && hypot(x[0] - 0.20, x[1]) < 0.01;
    if (status >= 0) printf("the goal is %s\n", met ? "met" : "missed");
    trx_sim_destroy(plant);
    trx_plan_destroy(plan);
    trx_plan_destroy(first);
    trx_problem_destroy(problem);
    trx_context_destroy(context);
    return met ? 0 : 1;
}
