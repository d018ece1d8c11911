// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Recording: a simulation as it runs, and the result of a plan.
//
// A plan hands over states, controls, gains and derivatives; the contacts are found again by taking each of its steps
// once more from the recorded state under the physical law, which gives the step of the replay.
// The controls of a simulation are u_k + K_k (x_k (-) x_ref_k) clamped to the actuators' limits; without gains they are
// u_k as given, and an excess over the limits is reported, not hidden.

#include "report/run.h"

#include "problem/problem.h"

#include <math.h>
#include <string.h>

trx_simulation trx_simulation_default(void)
{
    return (trx_simulation){.size = sizeof(trx_simulation)};
}

trx_status trx_run_hold_controls(trx_run *run, double *u)
{
    if (!run) return TRX_ERR_ARGUMENT;
    if (!u) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "no array for the controls given");
    trx_status status = trxi_holding_controls(run->problem, u);
    if (status < 0) return status;
    size_t nu = (size_t)run->size.nu;
    for (size_t i = 0; i < nu; i++) {
        trx_actuator_info actuator = trx_model_actuator(run->model, (int)i);
        u[i] = fmin(fmax(u[i], actuator.lower), actuator.upper);
    }
    for (int k = 1; k < trx_problem_steps(run->problem); k++) memcpy(u + (size_t)k * nu, u, sizeof *u * nu);
    return TRX_OK;
}

trx_status trxi_run_begin(trx_run *run, double time_step, int steps)
{
    size_t nx = (size_t)(run->size.nq + run->size.nv);
    run->time_step = time_step;
    run->steps = steps;
    run->ncontact = 0;
    run->contact_capacity = 0;
    run->contacts = NULL;
    run->A = run->B = run->K = NULL;
    run->ngoal = 0;
    run->physical = (trx_replay){.status = TRX_OK};
    run->fine = run->physical;
    run->message = "";
    run->x = TRXI_POOL(run->pool, double, nx * ((size_t)steps + 1));
    run->u = TRXI_POOL(run->pool, double, (size_t)run->size.nu * (size_t)steps + 1);
    run->drive_force = TRXI_POOL(run->pool, double, (size_t)run->size.nu * (size_t)steps + 1);
    run->limit_force = TRXI_POOL(run->pool, double, (size_t)run->size.njoint * (size_t)steps + 1);
    return run->x && run->u && run->drive_force && run->limit_force ? TRX_OK : TRX_ERR_MEMORY;
}

trx_status trxi_run_add_forces(trx_run *run, trx_sim *sim, int knot, trx_replay *replay)
{
    size_t nu = (size_t)run->size.nu, njoint = (size_t)run->size.njoint, k = (size_t)knot;
    for (size_t i = 0; i < nu; i++) run->drive_force[nu * k + i] = trx_sim_actuator_force(sim, (int)i);
    for (size_t i = 0; i < njoint; i++) run->limit_force[njoint * k + i] = trx_sim_limit_force(sim, (int)i);

    const trx_contact *contacts;
    int count = trx_sim_contacts(sim, &contacts);
    while (run->ncontact + count > run->contact_capacity) {
        int capacity = run->contact_capacity;
        trxi_contact_row *grown = trxi_pool_grow(run->pool, run->contacts, run->ncontact, &capacity, sizeof *grown);
        if (!grown) return TRX_ERR_MEMORY;
        run->contacts = grown;
        run->contact_capacity = capacity;
    }
    for (int i = 0; i < count; i++) {
        run->contacts[run->ncontact++] = (trxi_contact_row){knot, contacts[i]};
        replay->penetration = fmax(replay->penetration, -contacts[i].distance);
        if (contacts[i].mode == TRX_CONTACT_STICK) replay->slip = fmax(replay->slip, contacts[i].v_t);
    }
    replay->momentum_residual = fmax(replay->momentum_residual, trx_sim_momentum_residual(sim));
    return TRX_OK;
}

double *trxi_run_copy_matrices(trx_run *run, const double *matrices, int rows, int cols, int count)
{
    size_t size = (size_t)rows * (size_t)cols;
    double *copy = TRXI_POOL(run->pool, double, size * (size_t)count + 1);
    if (!copy) return NULL;
    for (int k = 0; k < count; k++) {
        const double *from = matrices + size * (size_t)k;
        double *to = copy + size * (size_t)k;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) to[i * cols + j] = from[j * rows + i];
    }
    return copy;
}

// u = u_k + K_k (x (-) x_ref_k), clamped where there is feedback; dx is scratch of 2nv numbers
static void controls_at(const trx_run *run, const trx_simulation *s, int k, const double *x, double *dx, double *u)
{
    int nq = run->size.nq, nv = run->size.nv, nu = run->size.nu;
    for (int i = 0; i < nu; i++) u[i] = s->u ? s->u[(size_t)k * (size_t)nu + (size_t)i] : 0;
    if (!s->K) return;

    const double *reference = s->x_reference + (size_t)k * (size_t)(nq + nv);
    trx_model_difference(run->model, x, reference, dx);
    for (int i = 0; i < nv; i++) dx[nv + i] = x[nq + i] - reference[nq + i];
    const double *K = s->K + (size_t)k * (size_t)nu * (size_t)(2 * nv);
    for (int i = 0; i < nu; i++) {
        for (int j = 0; j < 2 * nv; j++) u[i] += K[i + nu * j] * dx[j];
        trx_actuator_info actuator = trx_model_actuator(run->model, i);
        u[i] = fmin(fmax(u[i], actuator.lower), actuator.upper);
    }
}

// one matrix pair of the last step, transposed into the recording at step k; A and B are scratch
static trx_status record_linearization(trx_run *run, trx_sim *sim, int k, double *A, double *B)
{
    int nx = 2 * run->size.nv, nu = run->size.nu;
    trx_status status = trx_step_jac(sim, A, B);
    if (status < 0) return status;
    double *A_k = run->A + (size_t)k * (size_t)nx * (size_t)nx, *B_k = run->B + (size_t)k * (size_t)nx * (size_t)nu;
    for (int i = 0; i < nx; i++) {
        for (int j = 0; j < nx; j++) A_k[i * nx + j] = A[j * nx + i];
        for (int j = 0; j < nu; j++) B_k[i * nu + j] = B[j * nx + i];
    }
    return TRX_OK;
}

// the steps themselves; on return run->steps is the number of steps recorded
static trx_status simulate(trx_run *run, trx_sim *sim, const trx_simulation *s)
{
    int nv = run->size.nv, nu = run->size.nu;
    size_t nx = (size_t)(run->size.nq + nv);
    int steps = run->steps;
    double *dx = TRXI_POOL(run->pool, double, 2 * nv + 1);
    double *A = TRXI_POOL(run->pool, double, s->linearize ? 4 * nv * nv + 1 : 1);
    double *B = TRXI_POOL(run->pool, double, s->linearize ? 2 * nv * nu + 1 : 1);
    run->steps = 0;
    if (!dx || !A || !B) return TRX_ERR_MEMORY;

    for (int k = 0; k < steps; k++) {
        double *x = run->x + nx * (size_t)k, *u = run->u + (size_t)nu * (size_t)k;
        controls_at(run, s, k, x, dx, u);
        trx_sim_set_time(sim, k * run->time_step);
        trx_status status = trx_step(sim, x, u, x + nx);
        if (status < 0) return status;
        status = trxi_run_add_forces(run, sim, k, &run->physical);
        if (status >= 0 && s->linearize) status = record_linearization(run, sim, k, A, B);
        if (status < 0) return status;
        run->steps = k + 1;
        if (s->progress && !s->progress(k + 1, s->user)) return TRX_INTERRUPTED;
    }
    return TRX_OK;
}

// row-major zeros for A and B, and for K, which an open loop does not have; or the gains that were used
static trx_status begin_linearization(trx_run *run, const trx_simulation *s)
{
    size_t n = (size_t)run->steps, nx = 2 * (size_t)run->size.nv, nu = (size_t)run->size.nu;
    run->A = TRXI_POOL(run->pool, double, n * nx * nx + 1);
    run->B = TRXI_POOL(run->pool, double, n * nx * nu + 1);
    run->K = s->K ? trxi_run_copy_matrices(run, s->K, (int)nu, (int)nx, run->steps)
                  : TRXI_POOL(run->pool, double, n * nx * nu + 1);
    return run->A && run->B && run->K ? TRX_OK : TRX_ERR_MEMORY;
}

trx_status trx_run_simulate(trx_run *run, const trx_simulation *simulation)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trx_simulation s = simulation ? *simulation : trx_simulation_default();
    trx_status status = trxi_check_size(run->context, s.size, sizeof s, "trx_simulation_default");
    if (status < 0) return status;
    if (s.K && !s.x_reference)
        return trxi_fail(run->context, TRX_ERR_ARGUMENT, "trx_run_simulate: gains without a reference trajectory");

    trx_sim_settings settings = trx_problem_sim_settings(run->problem);
    status = trxi_run_begin(run, settings.time_step, trx_problem_steps(run->problem));
    if (status >= 0 && s.linearize) status = begin_linearization(run, &s);
    if (status < 0) return status;
    memcpy(run->x, trx_problem_start(run->problem), sizeof(double) * (size_t)(run->size.nq + run->size.nv));

    trx_sim *sim;
    if ((status = trx_sim_create(run->context, run->model, &settings, &sim)) < 0) return status;
    double begun = trx_clock();
    status = simulate(run, sim, &s);
    run->solve = trx_clock() - begun;
    trx_sim_destroy(sim);

    run->status = status;
    run->physical.status = status;
    if (status == TRX_INTERRUPTED) run->message = trxi_pool_printf(run->pool, "interrupted after %d steps", run->steps);
    if (status < 0)
        run->message = trxi_pool_printf(run->pool, "step %d (t = %g s): %s", run->steps, run->steps * run->time_step,
                                        trx_context_message(run->context));
    if (!run->message) return TRX_ERR_MEMORY;
    trx_status judged = trxi_run_judge_goals(run);
    if (judged >= 0) judged = trxi_run_judge_limits(run);
    return judged < 0 ? judged : status;
}

static const trx_goal_result *copy_goals(trx_run *run, const trx_goal_result *goals, int count)
{
    trx_goal_result *copy = TRXI_POOL(run->pool, trx_goal_result, count + 1);
    for (int i = 0; copy && i < count; i++) {
        copy[i] = goals[i];
        copy[i].name = trxi_pool_string(run->pool, goals[i].name, strlen(goals[i].name));
        if (!copy[i].name) return NULL;
    }
    return copy;
}

// what the stages were told, beside how they went
static trx_status record_stages(trx_run *run, const trx_plan_problem *problem, const trx_plan_settings *settings,
                                const trx_plan_info *info)
{
    trxi_stage_record *records = TRXI_POOL(run->pool, trxi_stage_record, info->nstage + 1);
    trx_stage *chosen = TRXI_POOL(run->pool, trx_stage, info->nstage + 1);
    if (!records || !chosen) return TRX_ERR_MEMORY;
    const trx_stage *stages = problem->stages;
    if (!stages) {
        trx_plan_default_stages(run->context, problem, chosen, info->nstage);
        stages = chosen;
    }
    for (int i = 0; i < info->nstage; i++) {
        records[i] = (trxi_stage_record){stages[i], info->stages[i]};
        if (records[i].set.iterations < 0) records[i].set.iterations = settings->iterations;
        if (isnan(records[i].set.tolerance)) records[i].set.tolerance = settings->tolerance;
    }
    run->stages = records;
    run->nstage = info->nstage;
    return TRX_OK;
}

static trx_status record_info(trx_run *run, const trx_plan_info *info)
{
    run->status = info->status;
    run->message = trxi_pool_string(run->pool, info->message, strlen(info->message));
    run->planned = true;
    run->has_cost = true;
    run->cost = info->cost;
    run->iteration_count = info->iterations;
    run->solve = info->seconds;
    run->physical = info->physical;
    run->fine = info->fine;
    run->ngoal = info->ngoal;
    run->physical.goals = copy_goals(run, info->physical.goals, info->ngoal);
    run->fine.goals = copy_goals(run, info->fine.goals, info->ngoal);
    return run->message && run->physical.goals && run->fine.goals ? TRX_OK : TRX_ERR_MEMORY;
}

// takes every step of the replay again to list its contacts; ends where a step fails (as the replay did)
static trx_status record_contacts(trx_run *run, const trx_plan_problem *problem)
{
    trx_sim *sim;
    trx_status status = trx_sim_create(run->context, run->model, &problem->sim, &sim);
    if (status < 0) return status;
    trx_replay again = {.status = TRX_OK};
    size_t nx = (size_t)(run->size.nq + run->size.nv), nu = (size_t)run->size.nu;
    for (int k = 0; k < run->steps && status >= 0; k++) {
        trx_sim_set_time(sim, k * run->time_step);
        if (trx_step(sim, run->x + nx * (size_t)k, run->u + nu * (size_t)k, NULL) < 0) break;
        status = trxi_run_add_forces(run, sim, k, &again);
    }
    trx_sim_destroy(sim);
    return status < 0 ? status : TRX_OK;
}

// number of steps whose states and controls are finite: a replay that failed leaves no numbers behind it
static int finite_steps(const trx_run *run, const double *x, const double *u, int steps)
{
    size_t nx = (size_t)(run->size.nq + run->size.nv), nu = (size_t)run->size.nu;
    for (int k = 0; k < steps; k++) {
        for (size_t i = 0; i < nx; i++)
            if (!isfinite(x[nx * ((size_t)k + 1) + i])) return k;
        for (size_t i = 0; i < nu; i++)
            if (!isfinite(u[nu * (size_t)k + i])) return k;
    }
    return steps;
}

trx_status trx_run_set_plan(trx_run *run, const trx_plan *plan)
{
    if (!run) return TRX_ERR_ARGUMENT;
    if (!plan) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "no plan given");
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    trx_status status = trx_problem_plan(run->problem, &problem, &settings);
    if (status < 0) return status;
    int nx = run->size.nq + run->size.nv, nv = run->size.nv, nu = run->size.nu;
    int steps = finite_steps(run, trx_plan_states(plan), trx_plan_controls(plan), problem.steps);
    if ((status = trxi_run_begin(run, problem.sim.time_step, steps)) < 0) return status;
    memcpy(run->x, trx_plan_states(plan), sizeof(double) * (size_t)nx * ((size_t)steps + 1));
    memcpy(run->u, trx_plan_controls(plan), sizeof(double) * (size_t)nu * (size_t)steps);

    run->A = trxi_run_copy_matrices(run, trx_plan_A(plan), 2 * nv, 2 * nv, steps);
    run->B = trxi_run_copy_matrices(run, trx_plan_B(plan), 2 * nv, nu, steps);
    run->K = trxi_run_copy_matrices(run, trx_plan_gains(plan), nu, 2 * nv, steps);
    if (!run->A || !run->B || !run->K) return TRX_ERR_MEMORY;

    trx_plan_info info = trx_plan_get_info(plan);
    if ((status = record_info(run, &info)) < 0) return status;
    if ((status = record_stages(run, &problem, &settings, &info)) < 0) return status;
    if ((status = record_contacts(run, &problem)) < 0) return status;
    return trxi_run_judge_limits(run);
}
