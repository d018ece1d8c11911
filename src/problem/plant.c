// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The plant of a closed loop (docs/problem_file.md, mpc): the problem file once more, with the values of the plant, the duration of
// the loop, and every push as a load that acts for a whole number of the plant's steps. Random pushes are a Poisson process: the
// times between them are -log(1 - U) / rate.

#include "problem/problem.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

enum { MOST_PUSHES = 1000000 };
static const uint64_t PUSH_STREAM = 0x8cb92ba72f3d8dd7u;

// ---- pushes ----

// the list of loads while it grows
typedef struct load_list {
    trxi_pool *pool;
    trx_load_def *loads;
    int count, capacity;
    double step; // of the plant [s]
} load_list;

// a push that begins at `at`, scaled component by component
static trx_status add_push(load_list *list, const trx_push *push, double at, const double scale[3])
{
    if (list->count == list->capacity) {
        trx_load_def *grown = trxi_pool_grow(list->pool, list->loads, list->count, &list->capacity, sizeof *grown);
        if (!grown) return TRX_ERR_MEMORY;
        list->loads = grown;
    }
    const double h = list->step, steps = fmax(1, round(push->duration / h)), first = round(at / h);
    trx_load_def *load = &list->loads[list->count++];
    *load = trx_load_def_default();
    load->source = push->source;
    load->body = push->body;
    load->start = first * h;
    load->stop = (first + steps) * h;
    for (int i = 0; i < 3; i++) {
        load->force[i] = scale[i] * (push->force[i] + push->impulse[i] / (steps * h));
        load->at[i] = push->point[i];
    }
    return TRX_OK;
}

static trx_status add_random(load_list *list, const trx_push *push, double duration, uint64_t seed)
{
    trx_status status = TRX_OK;
    double at = 0;
    for (uint64_t k = 0; status >= 0 && list->count <= MOST_PUSHES; k++) {
        double scale[3];
        at -= log(1 - trxi_random_uniform(seed, 4 * k)) / push->rate;
        if (at >= duration) return TRX_OK;
        for (int i = 0; i < 3; i++) scale[i] = 2 * trxi_random_uniform(seed, 4 * k + 1 + (uint64_t)i) - 1;
        status = add_push(list, push, at, scale);
    }
    return status;
}

static trx_status list_pushes(trx_context *context, const trx_mpc_problem *mpc, load_list *list)
{
    static const double whole[3] = {1, 1, 1};
    trx_status status = TRX_OK;
    for (int i = 0; i < mpc->npush && status >= 0; i++) {
        const trx_push *push = &mpc->pushes[i];
        const uint64_t seed = trxi_random_bits(mpc->seed ^ PUSH_STREAM, (uint64_t)i);
        status = push->rate > 0 ? add_random(list, push, mpc->duration, seed) : add_push(list, push, push->at, whole);
    }
    if (status >= 0 && list->count > MOST_PUSHES) return trxi_fail(context, TRX_ERR_ARGUMENT, "more than %d pushes", MOST_PUSHES);
    return status;
}

// ---- the plant ----

// loads the plant without pushes, and reads its time step and whether the file gives the duration as time.steps
static trx_status read_time(trx_context *context, const char *path, const trx_problem_options *options, double *step, bool *steps)
{
    trx_problem *plant;
    const trx_status status = trx_problem_load(context, path, options, &plant);
    if (status < 0) return status;
    *step = trx_problem_sim_settings(plant).time_step;
    *steps = trxi_yaml_get(trxi_yaml_get(plant->root, "time"), "steps") != NULL;
    trx_problem_destroy(plant);
    return TRX_OK;
}

static trx_status load_plant(trx_context *context, trxi_pool *pool, const char *path, const trx_problem_options *options,
                             const trx_mpc_problem *mpc, trx_problem **plant)
{
    trx_problem_options load = options ? *options : trx_problem_options_default();
    const int given = load.nset;
    const char **sets = TRXI_POOL(pool, const char *, given + mpc->nplant + 1);
    if (!sets) return TRX_ERR_MEMORY;
    for (int i = 0; i < given; i++) sets[i] = load.set[i];
    for (int i = 0; i < mpc->nplant; i++) sets[given + i] = mpc->plant[i];
    load.set = sets, load.nset = given + mpc->nplant;
    load_list list = {.pool = pool};
    bool in_steps;
    trx_status status = read_time(context, path, &load, &list.step, &in_steps);
    if (status >= 0) status = list_pushes(context, mpc, &list);
    if (status < 0) return status;
    const double steps = fmax(1, floor(mpc->duration / list.step + 0.5));
    sets[load.nset] = in_steps ? trxi_pool_printf(pool, "time.steps=%.0f", steps)
                               : trxi_pool_printf(pool, "time.duration=%.17g", steps * list.step);
    if (!sets[load.nset++]) return TRX_ERR_MEMORY;
    load.loads = list.loads, load.nload = list.count;
    return trx_problem_load(context, path, &load, plant);
}

trx_status trx_problem_load_plant(trx_context *context, const char *path, const trx_problem_options *options,
                                  const trx_mpc_problem *mpc, trx_problem **plant)
{
    if (!context || !plant) return TRX_ERR_ARGUMENT;
    *plant = NULL;
    if (!path || !mpc) return trxi_fail(context, TRX_ERR_ARGUMENT, "a plant needs a path and a section mpc");
    trxi_pool *pool = trxi_pool_create(context);
    if (!pool) return TRX_ERR_MEMORY;
    const trx_status status = load_plant(context, pool, path, options, mpc, plant);
    trxi_pool_destroy(pool);
    return status;
}
