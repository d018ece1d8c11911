// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A simulation from a state to the problem's last step, recorded as it runs:
//
//     for every step:   controls, step, statistics, goals and limits, rows of the tables, a frame of the player, a saved state
//
// The controls come from a controller or a policy, which obeys the limits of the controls, or from an array u_k. Controls of
// the array beyond the limits are reported. A step depends only on x, u and the number of the step, so
// a simulation that continues from a saved state has the same bits. With a folder, memory does not grow with the
// steps (stream.h); without a folder, states, controls and contacts are kept for trx_run_write.

#include "judge/replay.h"
#include "math/dense.h"
#include "report/judge.h"
#include "report/stream.h"

#include "problem/problem.h"

#include <math.h>
#include <string.h>

trx_simulation trx_simulation_default(void)
{
    return (trx_simulation){.size = sizeof(trx_simulation), .every = 1};
}

trx_status trx_run_hold_controls(trx_run *run, double *u)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    if (!u) return trxi_fail(run->context, TRX_ERR_ARGUMENT, "no array for the controls given");
    return trxi_holding_controls_within(run->problem, u);
}

// working data of a simulation
typedef struct work {
    trx_run *run;
    const trxi_file_ops *ops;
    trx_simulation set;
    trx_sim *sim;
    trxi_judge judge;
    trxi_stream stream; // folder NULL: kept in memory
    int last;           // last knot
    double *x[2], *u;   // states before and after the step and its controls, if they are not kept
    double *A, *B;      // scratch: ntangent x ntangent, ntangent x nu
    trx_controller controller; // control NULL: none
    void *state;        // of the controller
    bool opened;        // the controller must be closed
    trx_status failure; // of recording, not of a step
    bool finished;      // there is a result: kept in memory, or a folder in place
} work;

// the state at `knot`
static double *state_at(const work *w, int knot)
{
    const trx_run *run = w->run;
    size_t nx = (size_t)run->size.nstate;
    return run->x ? run->x + nx * (size_t)(knot - run->first) : w->x[knot % 2];
}

static double *control_at(const work *w, int knot)
{
    const trx_run *run = w->run;
    return run->u ? run->u + (size_t)run->size.nu * (size_t)(knot - run->first) : w->u;
}

static trx_status compute_controls(const work *w, int knot, const double *x, double *u)
{
    const trx_run *run = w->run;
    const trx_simulation *s = &w->set;
    const int nu = run->size.nu;
    if (w->controller.control) return w->controller.control(w->state, knot * run->time_step, x, u);
    const size_t k = (size_t)(s->control_steps > 0 && knot >= s->control_steps ? s->control_steps - 1 : knot);
    for (int i = 0; i < nu; i++) u[i] = s->u ? s->u[k * (size_t)nu + (size_t)i] : 0;
    return TRX_OK;
}

// one matrix pair of the last step, transposed into the recording
static trx_status record_linearization(const work *w, int knot)
{
    trx_run *run = w->run;
    int nx = run->size.ntangent, nu = run->size.nu;
    size_t k = (size_t)(knot - run->first);
    trx_status status = trx_step_jac(w->sim, w->A, w->B);
    if (status < 0) return status;
    trxi_transpose(nx, nx, w->A, nx, run->A + k * (size_t)(nx * nx), nx);
    trxi_transpose(nx, nu, w->B, nx, run->B + k * (size_t)(nx * nu), nu);
    return TRX_OK;
}

// rows of the tables, or the same data in memory, and a frame
static trx_status record_rows(work *w, int knot, const double *x, const double *u)
{
    trx_run *run = w->run;
    const trx_contact *contacts;
    int count = trx_sim_contacts(w->sim, &contacts);
    trxi_replay_observe(w->sim, &run->physical);
    if (trxi_frames_wants(&run->frames, knot)) trxi_frames_add(&run->frames, knot, x, w->sim, count);
    if (!trxi_run_shows(run, knot)) return TRX_OK;
    if (!w->stream.folder) return trxi_run_add_contacts(run, knot, contacts, count);
    trx_status status = trxi_stream_knot(&w->stream, knot, x, u);
    return status < 0 ? status : trxi_stream_contacts(&w->stream, knot, contacts, count);
}

// records all data of a step
static trx_status record_step(work *w, const trxi_step_record *step)
{
    trx_run *run = w->run;
    int knot = step->knot;
    const double *x = state_at(w, knot), *u = control_at(w, knot);
    trxi_statistics_add(&run->statistics, &step->info, step->status, step->seconds);
    trxi_statistics_add_contact(&run->statistics, &step->contact);
    run->statistics.work += trxi_actuator_work(w->sim, state_at(w, knot + 1) + run->size.nq);
    trxi_judge_knot(&w->judge, knot, x, u);
    trx_status status = w->stream.folder ? trxi_stream_step(&w->stream, step) : TRX_OK;
    return status < 0 ? status : record_rows(w, knot, x, u);
}

static trx_status save(work *w, int knot)
{
    return trxi_state_write(w->run, w->ops, w->set.save, knot, state_at(w, knot));
}

static trxi_step_record timed_step(const work *w, int knot)
{
    trxi_step_record step = {.knot = knot, .with_condition = w->set.condition};
    const trx_step_input input = {.time = knot * w->run->time_step, .x = state_at(w, knot), .u = control_at(w, knot)};
    double begun = trx_clock();
    step.status = trx_step_from(w->sim, &input, state_at(w, knot + 1));
    step.seconds = trx_clock() - begun;
    step.info = trx_sim_step_statistics(w->sim);
    if (w->set.statistics) step.contact = trx_sim_contact_residual(w->sim);
    if (step.with_condition) step.condition = trx_sim_condition(w->sim);
    return step;
}

// all steps; on return run->steps is the number of recorded steps
static trx_status take_steps(work *w)
{
    trx_run *run = w->run;
    const trx_simulation *s = &w->set;
    for (int k = run->first; k < w->last; k++) {
        const trx_status known = compute_controls(w, k, state_at(w, k), control_at(w, k));
        if (known < 0) return known;
        trxi_step_record step = timed_step(w, k);
        if (step.status < 0) {
            if (w->stream.folder) w->failure = trxi_stream_step(&w->stream, &step);
            return step.status;
        }
        trx_status linearized = s->linearize ? record_linearization(w, k) : TRX_OK;
        if (linearized < 0) return linearized;
        if ((w->failure = record_step(w, &step)) < 0) return w->failure;
        run->steps++;
        bool due = s->save && s->save_every > 0 && (k + 1) % s->save_every == 0 && k + 1 < w->last;
        if (due && (w->failure = save(w, k + 1)) < 0) return w->failure;
        if (s->progress && !s->progress(k + 1, s->user)) return TRX_INTERRUPTED;
    }
    return TRX_OK;
}

// makes row-major A and B of zeros, and K with the gains of the policy, or with zeros without a policy
static trx_status begin_linearization(trx_run *run, const trx_simulation *s)
{
    size_t n = (size_t)run->steps, nx = (size_t)run->size.ntangent, nu = (size_t)run->size.nu;
    run->A = TRXI_POOL(run->pool, double, n * nx * nx + 1);
    run->B = TRXI_POOL(run->pool, double, n * nx * nu + 1);
    run->K = TRXI_POOL(run->pool, double, n * nx * nu + 1);
    if (!run->A || !run->B || !run->K) return TRX_ERR_MEMORY;
    for (size_t k = 0; s->policy && k < n; k++) {
        const double *from = trx_policy_gains(s->policy, (run->first + (int)k) * run->time_step);
        if (from) trxi_transpose((int)nu, (int)nx, from, (int)nu, run->K + nu * nx * k, (int)nx);
    }
    return TRX_OK;
}

static trx_status check(const trx_run *run, const trx_simulation *s)
{
    trx_context *context = run->context;
    int steps = trx_problem_steps(run->problem);
    trx_status status = trxi_check_size(context, s->size, sizeof *s, "trx_simulation_default");
    if (status < 0) return status;
    if ((s->policy != NULL) + (s->u != NULL) + (s->controller != NULL) > 1)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_run_simulate: controls, a policy and a controller exclude each other");
    if (s->every < 1 || s->control_steps < 0 || s->save_every < 0 || s->first_step < 0)
        return trxi_fail(context, TRX_ERR_ARGUMENT,
                         "trx_run_simulate: every must be at least 1, control_steps, save_every, first_step at least 0");
    if (s->first_step >= steps)
        return trxi_fail(context, TRX_ERR_ARGUMENT,
                         "the state is at step %d and the problem has %d: nothing is left to simulate; set time.steps",
                         s->first_step, steps);
    return TRX_OK;
}

// the goals of a simulation: terms of a cost that this version supports
static trx_plan_problem goals_of(const trx_problem *problem)
{
    return problem->has_cost && !problem->not_planned ? trxi_plan_task(problem) : trx_plan_problem_default();
}

static trx_status open_controller(work *w)
{
    const trx_simulation *s = &w->set;
    if (s->policy) w->controller = trx_policy_controller(s->policy);
    if (s->controller) w->controller = *s->controller;
    if (!w->controller.control) return TRX_OK;
    const trx_status status = w->controller.open(w->controller.user, w->run->context, 0, &w->state);
    w->opened = status >= 0;
    return status;
}

// allocates memory, the sim, the folder; trxi_run_simulate_with releases them, also after a failure
static trx_status begin(work *w)
{
    trx_run *run = w->run;
    const trx_simulation *s = &w->set;
    trx_sim_settings settings = trx_problem_sim_settings(run->problem);
    size_t ndx = (size_t)run->size.ntangent, nu = (size_t)run->size.nu, nx = (size_t)run->size.nstate;
    int steps = w->last - s->first_step;
    trx_status status = trxi_run_begin(run, settings.time_step, s->first_step, steps, !s->folder || s->linearize);
    if (status < 0) return status;
    run->every = s->every;
    for (int i = 0; i < 2; i++)
        if (!(w->x[i] = TRXI_POOL(run->pool, double, nx + 1))) return TRX_ERR_MEMORY;
    w->u = TRXI_POOL(run->pool, double, nu + 1);
    w->A = TRXI_POOL(run->pool, double, s->linearize ? ndx * ndx + 1 : 1);
    w->B = TRXI_POOL(run->pool, double, s->linearize ? ndx * nu + 1 : 1);
    if (!w->u || !w->A || !w->B) return TRX_ERR_MEMORY;
    if (s->linearize && (status = begin_linearization(run, s)) < 0) return status;
    run->steps = 0;

    memcpy(state_at(w, run->first), s->start ? s->start : trx_problem_start(run->problem), sizeof(double) * nx);
    status = trxi_frames_begin(run->pool, run->size, run->first, steps, run->every, true, &run->frames);
    const trx_plan_problem task = goals_of(run->problem);
    if (status >= 0) status = trxi_judge_begin(run, &task, &w->judge);
    if (status >= 0) status = trx_sim_create(run->context, run->model, &settings, &w->sim);
    if (status >= 0)
        status = trxi_statistics_energy(run->context, run->model, state_at(w, run->first), 0, &run->statistics);
    if (status >= 0) status = open_controller(w);
    if (status >= 0 && s->folder) status = trxi_stream_begin(run, w->ops, s, &w->stream);
    return status;
}

// the message of the run
static trx_status explain(trx_run *run, trx_status status)
{
    int reached = run->first + run->steps;
    run->status = run->physical.status = status;
    run->message = "";
    if (status == TRX_INTERRUPTED) run->message = trxi_pool_printf(run->pool, "interrupted after %d steps", run->steps);
    if (status < 0)
        run->message = trxi_pool_printf(run->pool, "step %d (t = %g s): %s", reached, reached * run->time_step,
                                        trx_context_message(run->context));
    return run->message ? TRX_OK : TRX_ERR_MEMORY;
}

// the last knot, the goals and limits, the saved state and the files at the end
static trx_status finish(work *w, trx_status status)
{
    trx_run *run = w->run;
    int knot = run->first + run->steps;
    const double *x = state_at(w, knot);
    trx_status ended = explain(run, status);
    trxi_judge_knot(&w->judge, knot, x, NULL);
    trxi_judge_finish(&w->judge);
    trxi_frames_add(&run->frames, knot, x, NULL, 0);
    if (ended >= 0) ended = trxi_statistics_energy(run->context, run->model, x, 1, &run->statistics);
    if (ended >= 0 && w->set.save) ended = save(w, knot);
    if (ended >= 0 && w->stream.folder) ended = trxi_stream_knot(&w->stream, knot, x, NULL);
    if (ended >= 0 && w->stream.folder) ended = trxi_stream_commit(&w->stream);
    w->finished = ended >= 0;
    return ended < 0 ? ended : status;
}

trx_status trxi_run_simulate_with(trx_run *run, const trxi_file_ops *ops, const trx_simulation *simulation)
{
    if (!run) return TRX_ERR_ARGUMENT;
    work w = {.run = run, .ops = ops, .set = simulation ? *simulation : trx_simulation_default()};
    trx_status status = check(run, &w.set);
    if (status < 0) return status;
    w.last = trx_problem_steps(run->problem);
    if ((status = begin(&w)) >= 0) {
        double begun = trx_clock();
        status = take_steps(&w);
        run->solve = trx_clock() - begun;
        status = w.failure < 0 ? w.failure : finish(&w, status);
    }
    if (!w.finished) {
        run->x = NULL;
        run->status = run->physical.status = status;
        run->message = trxi_status_word(status);
    }
    trxi_judge_finish(&w.judge);
    trxi_stream_abort(&w.stream);
    if (w.opened) w.controller.close(w.state);
    trx_sim_destroy(w.sim);
    return status;
}

trx_status trx_run_simulate(trx_run *run, const trx_simulation *simulation)
{
    trxi_file_ops ops = trxi_file_ops_system();
    return trxi_run_simulate_with(run, &ops, simulation);
}
