// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The states at which the derivatives of a problem are checked (verify/gradient_check.h): the start and states of
// the motion without controls, or knots of a run.

#include "base/random.h"
#include "formats/csv.h"
#include "model/model.h"
#include "problem/problem.h"
#include "trajopt/plan.h"
#include "verify/gradient_check.h"

#include <math.h>
#include <stdio.h>

static const double TOLERANCE = 1e-10; // of the solves, unless the problem asks for a smaller one
static const double ASIDE = 1e-3;      // deviation of a start that is moved aside [m, rad, m/s, rad/s]
enum { PLAN_STATES = 10 }; // number of states at which cost terms are checked

typedef struct check {
    const trx_problem *problem;
    trxi_gradient_checker *checker;
    trx_sim *sim; // the checker's
    double *x, *u, *dq;
    trx_plan *plan; // its cost terms are checked; NULL: none
    int plan_states;
    trx_gradient_check *result;
} check;

// checks the derivatives of the cost terms that act at knot `counted` of the plan; `knot` names the present state in messages
static trx_status judge_cost(check *c, int knot, int counted)
{
    trx_term_check here = {0}, *all = &c->result->cost;
    trx_status status = trx_plan_check_terms(c->plan, counted, c->x, c->u, &here);
    if (status < 0) return status;
    all->columns += here.columns;
    all->left += here.left;
    if (!(here.error > all->error)) return TRX_OK;
    all->error = here.error;
    snprintf(all->at, sizeof all->at, "knot %d, %.260s", knot, here.at);
    return TRX_OK;
}

// derivatives of the step at a state, and of the cost terms at the first states
static trx_status judge(check *c, int knot)
{
    trx_status status = trxi_gradient_checker_judge(c->checker, knot, c->x, c->u, c->result);
    if (status < 0 || !c->plan || c->plan_states >= PLAN_STATES || knot > c->problem->steps) return status;
    c->plan_states++;
    status = judge_cost(c, knot, knot);
    return status >= 0 && knot < c->problem->steps ? judge_cost(c, knot, c->problem->steps) : status;
}

// makes the plan whose cost terms are checked; NULL for a problem without cost or one that this version cannot plan
static trx_status make_plan(trx_problem *problem, trx_plan **plan)
{
    trx_plan_problem task = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    const trx_model_size size = trx_model_get_size(problem->model);
    *plan = NULL;
    if (!problem->has_cost || problem->nterm == 0 || problem->not_planned || size.nu == 0) return TRX_OK;
    task = trxi_plan_task(problem);
    const trx_stage physical = trxi_stage_physical();
    task.stages = &physical, task.nstage = 1;
    task.limits = NULL, task.nlimit = 0;
    settings.judge = false;
    return trx_plan_create(problem->context, &task, &settings, plan);
}

// moves activations and controls away from the ends of their ranges, where a muscle starts and has kinks
static void move_activations(check *c)
{
    const trx_model *model = c->problem->model;
    for (int i = 0; i < model->nu; i++) {
        const trxi_actuator *a = &model->actuators[i];
        if (a->a < 0) continue;
        c->u[i] = fmin(fmax(c->u[i] + ASIDE * (1 + fabs(trxi_random_normal(3, (uint64_t)i))), a->lower), a->upper);
        c->x[model->nq + model->nv + a->a] += ASIDE * fabs(trxi_random_normal(4, (uint64_t)i));
    }
}

// moves all coordinates, velocities and activations by random numbers
static void move_aside(check *c)
{
    const trx_model *model = c->problem->model;
    move_activations(c);
    for (int i = 0; i < model->nv; i++) {
        c->dq[i] = ASIDE * trxi_random_normal(1, (uint64_t)i);
        c->x[model->nq + i] += ASIDE * trxi_random_normal(2, (uint64_t)i);
    }
    trx_model_integrate(model, c->x, c->dq, c->x);
}

// every n-th state of the motion without controls from the start, or from a state beside it
static trx_status walk(check *c, int max_states, bool aside)
{
    const trx_problem *problem = c->problem;
    const int nx = problem->model->nstate;
    const int steps = problem->steps, stride = max_states > 0 ? (steps - 1) / max_states + 1 : steps + 1;
    for (int i = 0; i < nx; i++) c->x[i] = problem->start[i];
    for (int i = 0; i < problem->model->nu; i++) c->u[i] = 0;
    if (aside) move_aside(c);
    for (int k = 0; k <= steps; k++) {
        trx_sim_set_time(c->sim, k * problem->sim.time_step);
        trx_status status = k % stride == 0 ? judge(c, k) : TRX_OK;
        if (status < 0) return status;
        if (k + stride > steps && k % stride == 0) break;
        if ((status = trx_step(c->sim, c->x, c->u, c->x)) < 0) return status;
    }
    return TRX_OK;
}

// ---- runs ----

typedef struct run_table {
    trxi_csv csv;
    int *columns; // t, then the columns of x and u
    int rows;     // number of rows with controls: the last knot of a run has none
} run_table;

static double cell(const run_table *t, int row, int i)
{
    return trxi_csv_number(&t->csv, row, t->columns[i]);
}

static const char *column_name(const trx_model *model, trxi_pool *pool, int i)
{
    if (i == 0) return "t";
    if ((i -= 1) < model->nstate) return trx_model_state_name(model, i);
    return trxi_pool_printf(pool, "u.%s", trx_model_actuator_name(model, i - model->nstate));
}

static trx_status read_run(const trx_problem *problem, trxi_pool *pool, const char *folder, run_table *t)
{
    const trx_model *model = problem->model;
    const int count = 1 + model->nstate + model->nu, first_u = count - model->nu;
    const char *path = trxi_pool_printf(pool, "%s/trajectory.csv", folder);
    t->columns = TRXI_POOL(pool, int, count);
    if (!path || !t->columns) return TRX_ERR_MEMORY;
    trx_status status = trxi_csv_read(problem->context, pool, path, &t->csv);
    if (status < 0) return status;
    for (int i = 0; i < count; i++) {
        const char *name = column_name(model, pool, i);
        if (!name) return TRX_ERR_MEMORY;
        t->columns[i] = trxi_csv_find(&t->csv, name);
        if (t->columns[i] < 0)
            return trxi_error_at(problem->context, trxi_csv_top(&t->csv),
                                 "no column \"%s\": give a run of this problem", name);
    }
    t->rows = model->nu > 0 ? trxi_csv_rows_of(&t->csv, t->columns + first_u, model->nu) : t->csv.rows;
    if (t->rows == 0) return trxi_error_at(problem->context, trxi_csv_top(&t->csv), "no rows: give a run that has some");
    return trxi_csv_check(problem->context, &t->csv, t->rows, t->columns, count, -1);
}

// evenly spaced rows, including the first
static trx_status walk_run(check *c, const run_table *t, int max_states)
{
    const trx_problem *problem = c->problem;
    const int nx = problem->model->nstate, stride = max_states > 1 ? (t->rows - 1) / max_states + 1 : t->rows;
    for (int row = 0; row < t->rows; row += stride) {
        const double time = cell(t, row, 0);
        for (int i = 0; i < nx; i++) c->x[i] = cell(t, row, 1 + i);
        for (int i = 0; i < problem->model->nu; i++) c->u[i] = cell(t, row, 1 + nx + i);
        const int knot = (int)lround(time / problem->sim.time_step);
        trx_status status = trx_sim_set_time(c->sim, time);
        if (status >= 0) status = judge(c, knot);
        if (status < 0) return status;
    }
    return TRX_OK;
}

// A body that rests at a stop or sticks at a kink of its friction stays there. If no state can be judged, the motion from a moved
// start is judged
static trx_status walk_free(check *c, int max_states)
{
    trx_status status = walk(c, max_states, false);
    if (status < 0 || c->result->states > 0) return status;
    status = walk(c, max_states, true);
    if (status >= 0 && c->result->states > 0)
        trxi_note_at(c->problem->context, c->problem->root->source,
                     "every state of the motion lies at a kink: judged from a start that is moved by about 1 mm, 1 mrad, 1 mm/s");
    return status;
}

// along a run if there is one, else along the motion without controls
static trx_status check_along(trx_problem *problem, const run_table *table, int max_states, trx_gradient_check *result)
{
    const trx_model *model = problem->model;
    check c = {.problem = problem, .result = result};
    trx_sim_settings settings = problem->sim;
    settings.tolerance = fmin(settings.tolerance, TOLERANCE);
    trx_status status = trxi_gradient_checker_create(problem->context, model, &settings, &c.checker);
    if (status < 0) return status;
    c.sim = trxi_gradient_checker_sim(c.checker);
    c.x = trxi_allocate(problem->context, (size_t)(model->nstate + model->nv + model->nu) * sizeof *c.x);
    if (c.x) c.u = c.x + model->nstate, c.dq = c.u + model->nu;
    if (!c.x) status = TRX_ERR_MEMORY;
    else status = make_plan(problem, &c.plan);
    if (status >= 0) status = table ? walk_run(&c, table, max_states) : walk_free(&c, max_states);

    result->ok = status >= 0 && trxi_gradient_check_passed(result) && result->cost.error < 1e-5;
    if (status >= 0 && result->states == 0)
        trxi_warn_at(problem->context, problem->root->source, "no gradient was judged: every state tried lies at a kink");
    trxi_release(problem->context, c.x);
    trx_plan_destroy(c.plan);
    trxi_gradient_checker_destroy(c.checker);
    return status < 0 ? status : TRX_OK;
}

trx_status trx_problem_check_gradients(trx_problem *problem, int max_states, trx_gradient_check *result)
{
    if (!problem) return TRX_ERR_ARGUMENT;
    trxi_begin(problem->context);
    if (!result) return trxi_fail(problem->context, TRX_ERR_ARGUMENT, "no place for the result");
    *result = (trx_gradient_check){0};
    return check_along(problem, NULL, max_states, result);
}

trx_status trx_problem_check_run(trx_problem *problem, const char *folder, int max_states, trx_gradient_check *result)
{
    if (!problem) return TRX_ERR_ARGUMENT;
    trxi_begin(problem->context);
    if (!folder || !result) return trxi_fail(problem->context, TRX_ERR_ARGUMENT, "no run or no place for the result");
    *result = (trx_gradient_check){0};
    trxi_pool *pool = trxi_pool_create(problem->context);
    if (!pool) return TRX_ERR_MEMORY;
    run_table table;
    trx_status status = read_run(problem, pool, folder, &table);
    if (status >= 0) status = check_along(problem, &table, max_states, result);
    trxi_pool_destroy(pool);
    return status;
}
