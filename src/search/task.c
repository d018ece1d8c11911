// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The parts of a problem that a search uses: the dofs that can be placed, the pairs that a path keeps apart, and the pairs through
// which placed trees can touch passive trees (theory 9). A thread gets a context, a simulator and a plan of its own.

#include "search/task.h"

#include "trajopt/plan.h"

#include <math.h>
#include <string.h>

static const double CLEARANCE_SHARE = 0.25;                 // clearance / radius of the smallest shape that can touch [1]
static const double LEAST_CLEARANCE = 1e-3, MOST_CLEARANCE = 0.02; // [m]
static const double LEAST_REACH = 0.02;                     // [m/rad]

// ---- what moves ----

// returns whether the tree has an actuator for every dof and no ball joints
static bool is_placeable(const trx_model *model, int tree)
{
    const trxi_tree *t = &model->trees[tree];
    int actuators = 0;
    for (int i = 0; i < model->nu; i++) actuators += model->dof_tree[model->actuators[i].v] == tree;
    for (int i = t->first_link; i < t->first_link + t->nlink; i++)
        if (model->links[i].type == TRXI_BALL) return false;
    return t->actuated && actuators >= t->nv;
}

static bool is_placeable_geom(const trx_model *model, int geom)
{
    const int tree = model->geoms[geom].tree;
    return tree >= 0 && is_placeable(model, tree);
}

bool trxi_task_is_passive(const trx_model *model, int geom)
{
    const int tree = model->geoms[geom].tree;
    return tree >= 0 && !model->trees[tree].actuated;
}

static void choose_dofs(trxi_search_task *task)
{
    const trx_model *model = task->model;
    for (int i = 0; i < model->nv; i++) {
        const int tree = model->dof_tree[i];
        if (is_placeable(model, tree)) task->dofs[task->ndof++] = i;
        if (!model->trees[tree].actuated) task->passive[task->npassive++] = i;
    }
    for (int i = 0; i < task->ndof; i++) {
        const trxi_link *link = &model->links[model->dof_link[task->dofs[i]]];
        const trxi_joint *joint = &model->joints[link->joint];
        const bool limited = link->type != TRXI_TRANSLATION;
        task->coordinates[i] = link->q + task->dofs[i] - link->v;
        task->lower[i] = limited ? joint->lower : -INFINITY;
        task->upper[i] = limited ? joint->upper : INFINITY;
    }
}

static void choose_pairs(trxi_search_task *task)
{
    const trx_model *model = task->model;
    double radius = INFINITY;
    for (int i = 0; i < model->npair; i++) {
        const trxi_pair pair = trxi_model_pair(model, i);
        const bool a = is_placeable_geom(model, pair.geom_a), b = is_placeable_geom(model, pair.geom_b);
        if (!a && !b) continue;
        task->obstacles[task->nobstacle++] = i;
        if (!trxi_task_is_passive(model, a ? pair.geom_b : pair.geom_a)) continue;
        task->touches[task->ntouch++] = i;
        radius = fmin(radius, model->geoms[a ? pair.geom_a : pair.geom_b].radius);
    }
    task->clearance = fmin(fmax(CLEARANCE_SHARE * radius, LEAST_CLEARANCE), MOST_CLEARANCE);
}

// ---- distances of motions ----

// raises `reach` to the largest displacement of a point of a geometry per unit of each dof
static void add_reach(trxi_search_task *task, trx_kinematics *kin, const trxi_geom *geom, double *J)
{
    if (trx_kinematics_body(kin, geom->body, NULL, J) < 0) return;
    const double radius = trxi_norm3(geom->pose.p) + (isfinite(geom->radius) ? geom->radius : 0);
    for (int i = 0; i < task->ndof; i++) {
        const double *column = J + 6 * task->dofs[i];
        task->reach[i] = fmax(task->reach[i], trxi_norm3(column + 3) + radius * trxi_norm3(column));
    }
}

static trx_status measure_reach(trx_context *context, trxi_pool *pool, trxi_search_task *task)
{
    const trx_model *model = task->model;
    trx_kinematics *kin = NULL;
    double *J = TRXI_POOL(pool, double, 6 * model->nv + 1);
    if (!J) return TRX_ERR_MEMORY;
    trx_status status = trx_kinematics_create(context, model, &kin);
    if (status >= 0) status = trx_kinematics_update(kin, task->problem.x0, NULL, 0);
    for (int i = 0; i < task->ndof; i++) task->reach[i] = LEAST_REACH;
    for (int i = 0; i < model->ngeom && status >= 0; i++)
        if (is_placeable_geom(model, i)) add_reach(task, kin, &model->geoms[i], J);
    trx_kinematics_destroy(kin);
    return status;
}

// ---- the task ----

trx_status trxi_task_init(trx_context *context, trxi_pool *pool, const trx_plan_problem *problem,
                          const trx_plan_settings *settings, uint64_t seed, trxi_search_task *task)
{
    const trx_model *model = problem->model;
    *task = (trxi_search_task){.model = model, .problem = *problem, .plan = *settings, .seed = seed};
    task->nstate = model->nstate;
    task->plan.threads = 1;
    task->plan.judge = true;
    task->plan.second_try = false; // a piece that fails is one of many
    task->plan.time_limit = INFINITY;
    task->dofs = TRXI_POOL(pool, int, model->nv);
    task->coordinates = TRXI_POOL(pool, int, model->nv);
    task->passive = TRXI_POOL(pool, int, model->nv);
    task->reach = TRXI_POOL(pool, double, model->nv);
    task->lower = TRXI_POOL(pool, double, model->nv);
    task->upper = TRXI_POOL(pool, double, model->nv);
    task->obstacles = TRXI_POOL(pool, int, model->npair + 1);
    task->touches = TRXI_POOL(pool, int, model->npair + 1);
    const bool dofs = task->dofs && task->coordinates && task->passive && task->reach && task->lower && task->upper;
    if (!dofs || !task->obstacles || !task->touches) return TRX_ERR_MEMORY;
    choose_dofs(task);
    choose_pairs(task);
    return measure_reach(context, pool, task);
}

bool trxi_task_has_placements(const trxi_search_task *task)
{
    return task->ndof > 0 && task->ntouch > 0;
}

bool trxi_task_is_obstacle(const trxi_search_task *task, int pair)
{
    int low = 0, high = task->nobstacle;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (task->obstacles[middle] < pair) low = middle + 1;
        else high = middle;
    }
    return low < task->nobstacle && task->obstacles[low] == pair;
}

// ---- one thread ----

trx_status trxi_task_create_plan(trx_context *context, const trxi_search_task *task, int threads, trx_plan **plan)
{
    const trx_stage physical = trxi_stage_physical();
    trx_plan_problem problem = task->problem;
    problem.stages = &physical;
    problem.nstage = 1;
    trx_plan_settings settings = task->plan;
    settings.threads = threads;
    settings.judge = true;
    return trx_plan_create(context, &problem, &settings, plan);
}

trx_status trxi_scout_create(trx_context *context, trxi_pool *pool, const trxi_search_task *task, trxi_scout *scout)
{
    const trx_model *model = task->model;
    const size_t nx = (size_t)model->ntangent;
    *scout = (trxi_scout){.task = task};
    scout->J = TRXI_POOL(pool, double, 6 * model->nv);
    scout->A = TRXI_POOL(pool, double, nx * nx + (size_t)(model->nu * (model->nu + 1)));
    scout->B = TRXI_POOL(pool, double, nx * (size_t)(model->nu > 3 ? model->nu : 3));
    scout->q = TRXI_POOL(pool, double, model->nq);
    scout->rest = TRXI_POOL(pool, double, model->nu);
    scout->x_next = TRXI_POOL(pool, double, task->nstate);
    if (!scout->J || !scout->A || !scout->B || !scout->q || !scout->rest || !scout->x_next) return TRX_ERR_MEMORY;
    trx_context_settings own = trx_context_settings_default();
    own.allocator = *trxi_allocator(context);
    trx_status status = trx_context_create(&own, &scout->context);
    if (status < 0) return trxi_fail(context, status, "no context for a thread of the search");
    status = trx_kinematics_create(scout->context, model, &scout->kin);
    if (status >= 0) status = trx_sim_create(scout->context, model, &task->problem.sim, &scout->sim);
    if (status >= 0) status = trxi_task_create_plan(scout->context, task, 1, &scout->plan);
    return status < 0 ? trxi_fail(context, status, "%s", trx_context_message(scout->context)) : TRX_OK;
}

void trxi_scout_destroy(trxi_scout *scout)
{
    trx_plan_destroy(scout->plan);
    trx_sim_destroy(scout->sim);
    trx_kinematics_destroy(scout->kin);
    trx_context_destroy(scout->context);
}
