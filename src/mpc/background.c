// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The search beside the ticks (theory 7, model predictive control; theory 9). The rest of the task is planned again through all
// its stages, without a guess from the loop. If this plan misses a goal, a search follows. The result is converted to the time
// step of the planner like a first plan.
//
// One thread does this work, with a context of its own. The tick hands over a quest and takes a finished plan. In between the
// tick reads only the state, under a lock that no thread holds while it works. A search counts its work, so its result does not
// depend on the machine; only the time of its end does.

#include "mpc/background.h"

#include "base/context.h"
#include "model/model.h"
#include "trajopt/plan.h"
#include "trajopt/refine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <tractrix/search.h>

struct trxi_background {
    trx_context *owner, *context; // of the creator, of the thread
    trx_plan_problem task;        // the whole task; its arrays belong to the caller
    trx_mpc_settings settings;
    trxi_pool *pool;
    trxi_first_plan found;

    // the quest: the rest of the task
    trx_plan_problem rest; // with x0, terms and limits of its own
    double *x0, **targets; // nstate; for each term: the targets of all knots, or one target
    trx_cost_term *terms;  // terms of the task, with `targets` as their targets
    trx_limit *limits;
    double *friction; // npair: factors of the friction of the model
    double time;

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t asked, ended;
    trxi_background_state state; // under the lock
    bool quit;                   // under the lock
    atomic_bool stop;            // the running search must end
};

// ---- the search, in its thread ----

static bool must_stop(void *user)
{
    trxi_background *b = user;
    return atomic_load(&b->stop);
}

static bool goes_on(const trx_iteration *iteration, void *user)
{
    (void)iteration;
    return !must_stop(user);
}

static trx_plan_settings plan_settings(const trx_mpc_settings *settings)
{
    trx_plan_settings s = trx_plan_settings_default();
    s.friction_margin = settings->friction_margin;
    return s;
}

// converts the plan from the time step of the task to the time step of the planner
static trx_status take(trxi_background *b, const trx_plan *plan)
{
    trx_plan_problem fine;
    trxi_pool *pool = trxi_pool_create(b->context);
    if (!pool) return TRX_ERR_MEMORY;
    trx_status status = trxi_refine_problem(b->context, pool, &b->rest, b->settings.refine, &fine);
    b->found.steps = fine.steps;
    if (status >= 0) status = trxi_first_plan_take(b->context, &b->rest, &fine, &b->settings, plan, &b->found);
    trxi_pool_destroy(pool);
    b->found.start_time = b->time;
    return status;
}

// searches for a plan that is better than `plain`; a plain plan that meets every goal needs no search
static trx_status search_from(trxi_background *b, const trx_plan *plain, const trx_plan_settings *settings)
{
    trx_search_settings s = trx_search_settings_default();
    s.effort = b->settings.search_effort;
    s.stop = must_stop, s.stop_user = b;
    trx_search *search;
    trx_status status = trx_search_create(b->context, &b->rest, settings, &s, &search);
    if (status < 0) return status;
    status = trx_search_solve(search, plain, NULL, NULL);
    const trx_plan *best = trx_search_plan(search);
    if (status >= 0) status = take(b, best ? best : plain);
    trx_search_destroy(search);
    return status;
}

static trx_status plan_and_search(trxi_background *b)
{
    const trx_plan_settings settings = plan_settings(&b->settings);
    trx_plan *plain;
    trx_status status = trx_plan_create(b->context, &b->rest, &settings, &plain);
    if (status < 0) return status;
    status = trx_plan_solve(plain, goes_on, b);
    if (status >= 0 && !must_stop(b)) status = search_from(b, plain, &settings);
    trx_plan_destroy(plain);
    return status;
}

// a copy of the model with the friction of the quest; NULL if this is the friction of the model
static trx_status change_friction(trxi_background *b, trx_model **changed)
{
    const trx_model *model = b->task.model;
    trxi_pool *pool = trxi_pool_create(b->context);
    if (!pool) return TRX_ERR_MEMORY;
    trx_parameter *parameters = TRXI_POOL(pool, trx_parameter, model->npair + 1);
    double *values = TRXI_POOL(pool, double, model->npair + 1);
    trx_status status = parameters && values ? TRX_OK : TRX_ERR_MEMORY;
    int count = 0;
    for (int i = 0; status >= 0 && i < model->npair; i++) {
        if (b->friction[i] == 1) continue;
        parameters[count] = (trx_parameter){TRX_PAIR_FRICTION, i, 0};
        values[count++] = b->friction[i] * trxi_model_pair(model, i).law->friction;
    }
    if (count > 0) status = trx_model_change(b->context, model, parameters, values, count, changed);
    trxi_pool_destroy(pool);
    return status;
}

static trx_status search(trxi_background *b)
{
    trx_model *changed = NULL;
    trx_status status = change_friction(b, &changed);
    if (changed) b->rest.model = changed;
    if (status >= 0) status = plan_and_search(b);
    b->rest.model = b->task.model;
    trx_model_destroy(changed);
    return status;
}

static void *live(void *user)
{
    trxi_background *b = user;
    pthread_mutex_lock(&b->lock);
    while (!b->quit) {
        if (b->state != TRXI_SEARCHING) {
            pthread_cond_wait(&b->asked, &b->lock);
            continue;
        }
        pthread_mutex_unlock(&b->lock);
        const trx_status status = search(b);
        pthread_mutex_lock(&b->lock);
        b->state = status >= 0 && !must_stop(b) ? TRXI_FOUND : TRXI_NOTHING;
        pthread_cond_signal(&b->ended);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

// ---- life ----

static trx_status check(trx_context *context, const trx_plan_problem *task)
{
    if (trx_model_is_timed(task->model))
        return trxi_fail(context, TRX_ERR_UNSUPPORTED, "a controller cannot search in a model with prescribed motions or loads "
                         "that vary");
    return TRX_OK;
}

// copies the targets of a term into new memory
static double *copy_target(trxi_pool *pool, const trx_plan_problem *task, const trx_cost_term *term)
{
    const size_t knots = term->target_stride > 0 ? (size_t)task->steps : 0;
    const size_t count = (size_t)term->target_stride * knots + (size_t)trx_cost_term_target_length(task->model, term);
    double *target = TRXI_POOL(pool, double, count + 1);
    if (target) memcpy(target, term->target, count * sizeof *target);
    return target;
}

static trx_status copy_parts(trxi_background *b)
{
    const trx_plan_problem *task = &b->task;
    b->x0 = TRXI_POOL(b->pool, double, task->model->nstate);
    b->targets = TRXI_POOL(b->pool, double *, task->nterm + 1);
    b->terms = TRXI_POOL(b->pool, trx_cost_term, task->nterm + 1);
    b->limits = TRXI_POOL(b->pool, trx_limit, task->nlimit + 1);
    b->friction = TRXI_POOL(b->pool, double, task->model->npair + 1);
    bool complete = b->x0 && b->friction && b->targets && b->terms && b->limits;
    for (int i = 0; complete && i < task->nterm; i++) {
        b->terms[i] = task->terms[i];
        if (!task->terms[i].target) continue;
        b->terms[i].target = b->targets[i] = copy_target(b->pool, task, &task->terms[i]);
        complete = b->targets[i] != NULL;
    }
    return complete ? TRX_OK : TRX_ERR_MEMORY;
}

static trx_status carve_found(trxi_background *b)
{
    trx_plan_problem fine = b->task;
    fine.steps *= b->settings.refine;
    fine.sim.time_step /= b->settings.refine;
    trxi_arena arena = {0};
    trxi_first_plan_layout(&arena, &fine, &b->found);
    char *memory = trxi_pool_take(b->pool, arena.used, 1);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    trxi_first_plan_layout(&arena, &fine, &b->found);
    return TRX_OK;
}

static trx_status start(trxi_background *b)
{
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->asked, NULL);
    pthread_cond_init(&b->ended, NULL);
    if (pthread_create(&b->thread, NULL, live, b) == 0) return TRX_OK;
    pthread_cond_destroy(&b->ended);
    pthread_cond_destroy(&b->asked);
    pthread_mutex_destroy(&b->lock);
    return trxi_fail(b->owner, TRX_ERR_MEMORY, "no thread for the search of a controller");
}

static void release(trxi_background *b)
{
    trxi_pool_destroy(b->pool);
    trx_context_destroy(b->context);
    trxi_release(b->owner, b);
}

trx_status trxi_background_create(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *settings,
                                  trxi_background **background)
{
    trx_status status = check(context, task);
    if (status < 0) return status;
    trxi_background *b = trxi_allocate(context, sizeof *b);
    if (!b) return TRX_ERR_MEMORY;
    *b = (trxi_background){.owner = context, .task = *task, .settings = *settings, .state = TRXI_IDLE};
    b->settings.first = NULL, b->settings.threads = 1;
    b->pool = trxi_pool_create(context);
    trx_context_settings own = trx_context_settings_default();
    own.allocator = *trxi_allocator(context);
    status = b->pool ? trx_context_create(&own, &b->context) : TRX_ERR_MEMORY;
    if (status >= 0) status = copy_parts(b);
    if (status >= 0) status = carve_found(b);
    if (status >= 0) status = start(b);
    if (status >= 0) *background = b;
    else release(b);
    return status;
}

void trxi_background_destroy(trxi_background *b)
{
    if (!b) return;
    atomic_store(&b->stop, true);
    pthread_mutex_lock(&b->lock);
    b->quit = true;
    pthread_cond_signal(&b->asked);
    pthread_mutex_unlock(&b->lock);
    pthread_join(b->thread, NULL);
    pthread_cond_destroy(&b->ended);
    pthread_cond_destroy(&b->asked);
    pthread_mutex_destroy(&b->lock);
    release(b);
}

// ---- the quest ----

// sets the targets of the remaining knots; knots after the end of the task have the targets of its last knot
static void take_targets(trxi_background *b, const trxi_quest *quest)
{
    for (int i = 0; i < b->task.nterm; i++) {
        const trx_cost_term *term = &b->task.terms[i];
        if (!term->target) continue;
        const size_t length = (size_t)trx_cost_term_target_length(b->task.model, term), stride = (size_t)term->target_stride;
        if (stride == 0) memcpy(b->targets[i], quest->plan->cost.terms[i].target, length * sizeof(double));
        for (int k = 0; stride > 0 && k <= quest->steps; k++) {
            const int knot = quest->knot + k < b->task.steps ? quest->knot + k : b->task.steps;
            memcpy(b->targets[i] + stride * (size_t)k, term->target + stride * (size_t)knot, length * sizeof(double));
        }
    }
}

// shifts the limits to the remaining knots; trx_mpc_create allows limits of all knots or of the last knot
static void take_limits(trxi_background *b, int steps)
{
    for (int i = 0; i < b->task.nlimit; i++) {
        trx_limit *limit = &b->limits[i];
        *limit = b->task.limits[i];
        const int before_end = b->task.steps - limit->first;
        if (limit->first > 1) limit->first = steps - before_end > 0 ? steps - before_end : 0;
        limit->last = steps;
    }
}

void trxi_background_begin(trxi_background *b, const trxi_quest *quest)
{
    const trx_model *model = b->task.model;
    const bool inside = quest->knot + quest->steps <= b->task.steps;
    memcpy(b->x0, quest->x, (size_t)model->nstate * sizeof *b->x0);
    for (int i = 0; i < model->npair; i++) b->friction[i] = quest->friction ? quest->friction[i] : 1;
    take_targets(b, quest);
    take_limits(b, quest->steps);
    b->rest = b->task;
    b->rest.x0 = b->x0, b->rest.steps = quest->steps;
    b->rest.terms = b->terms, b->rest.limits = b->limits;
    b->rest.x_guess = NULL;
    if (b->rest.u_guess && inside) b->rest.u_guess += (size_t)model->nu * (size_t)quest->knot;
    b->time = quest->time;
    atomic_store(&b->stop, false);
    pthread_mutex_lock(&b->lock);
    b->state = TRXI_SEARCHING;
    pthread_cond_signal(&b->asked);
    pthread_mutex_unlock(&b->lock);
}

trxi_background_state trxi_background_look(trxi_background *b, bool wait)
{
    pthread_mutex_lock(&b->lock);
    while (wait && b->state == TRXI_SEARCHING) pthread_cond_wait(&b->ended, &b->lock);
    const trxi_background_state state = b->state;
    pthread_mutex_unlock(&b->lock);
    return state;
}

const trxi_first_plan *trxi_background_plan(const trxi_background *b)
{
    return &b->found;
}

void trxi_background_forget(trxi_background *b)
{
    atomic_store(&b->stop, true);
    trxi_background_look(b, true);
    pthread_mutex_lock(&b->lock);
    b->state = TRXI_IDLE;
    pthread_mutex_unlock(&b->lock);
}
