// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The channel between a plant and its controller (theory 7, trials), in every step of the plant:
//
//     state -> noise -> [ age ] -> controller -> [ delay ] -> command
//
// Both brackets are ring buffers with a slot for each step of age or delay.

#include <tractrix/channel.h>

#include "base/arena.h"
#include "base/context.h"
#include "base/random.h"
#include "model/model.h"

#include <string.h>

enum { LEAST_NUMBERS = 4096 };  // random numbers that each step has to itself, or more in a large model
enum { MOST_STEPS = 10000000 }; // largest age and delay
static const uint64_t NOISE_STREAM = 0xd1b54a32d192ed03u;

// the channel of one world
typedef struct way {
    trx_context *context;
    trx_channel set;
    uint64_t seed;
    uint64_t numbers; // random numbers of a step
    void *state; // of the controller
    int step;    // of the plant, from 0
    double *times;    // age + 1: when each state was measured [s]
    double *measured; // nstate x (age + 1)
    double *commands; // nu x (delay + 1)
    double *dx;       // nv
} way;

trx_channel trx_channel_default(void)
{
    return (trx_channel){.size = sizeof(trx_channel), .seed = 1};
}

static size_t state_size(const trx_channel *channel)
{
    return (size_t)channel->model->nstate;
}

// ---- life ----

static trx_status check(trx_context *context, const trx_channel *c)
{
    const trx_status status = trxi_check_size(context, c->size, sizeof *c, "trx_channel_default");
    if (status < 0) return status;
    if (!c->model || !c->controller || !c->controller->open || !c->controller->control || !c->controller->close)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "a channel needs a model and a controller");
    if (c->age < 0 || c->delay < 0 || c->age > MOST_STEPS || c->delay > MOST_STEPS)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "age and delay of a channel are from 0 to %d steps", MOST_STEPS);
    return TRX_OK;
}

static way *layout(trxi_arena *arena, const trx_channel *c, way *w)
{
    way *at = TRXI_TAKE(arena, way, 1);
    const size_t old = (size_t)c->age + 1, late = (size_t)c->delay + 1;
    w->times = TRXI_TAKE(arena, double, old);
    w->measured = TRXI_TAKE(arena, double, old * state_size(c));
    w->commands = TRXI_TAKE(arena, double, late * (size_t)c->model->nu);
    w->dx = TRXI_TAKE(arena, double, c->model->nv);
    return at;
}

static trx_status open(void *user, trx_context *context, int world, void **state)
{
    const trx_channel *c = user;
    trx_status status = check(context, c);
    if (status < 0) return status;
    const int used = 2 * c->model->nv;
    way w = {.context = context, .set = *c, .seed = trxi_random_bits(c->seed ^ NOISE_STREAM, (uint64_t)world),
             .numbers = (uint64_t)(used > LEAST_NUMBERS ? used : LEAST_NUMBERS)};
    trxi_arena arena = {0};
    layout(&arena, c, &w);
    arena = (trxi_arena){.base = trxi_allocate(context, arena.used)};
    if (!arena.base) return TRX_ERR_MEMORY;
    way *made = layout(&arena, c, &w);
    status = c->controller->open(c->controller->user, context, world, &w.state);
    *made = w;
    if (status < 0) trxi_release(context, made);
    else *state = made;
    return status;
}

static void close(void *state)
{
    way *w = state;
    w->set.controller->close(w->state);
    trxi_release(w->context, w);
}

// ---- a step ----

// measured = x plus the noise of this step
static void measure(const way *w, const double *x, double *measured)
{
    const trx_model *model = w->set.model;
    const double *noise = w->set.noise;
    const int nq = model->nq, nv = model->nv;
    const uint64_t from = (uint64_t)w->step * w->numbers;
    memcpy(measured, x, state_size(&w->set) * sizeof *x);
    if (!noise) return;
    for (int i = 0; i < nv; i++) w->dx[i] = noise[i] * trxi_random_normal(w->seed, from + (uint64_t)i);
    trx_model_integrate(model, x, w->dx, measured);
    for (int i = 0; i < nv; i++) measured[nq + i] += noise[nv + i] * trxi_random_normal(w->seed, from + (uint64_t)(nv + i));
}

static trx_status ask(const way *w, double now, double measured_at, const double *x, double *u)
{
    const trx_controller *c = w->set.controller;
    return c->control_late ? c->control_late(w->state, now, measured_at, x, u) : c->control(w->state, now, x, u);
}

static trx_status control(void *state, double t, const double *x, double *u)
{
    way *w = state;
    const size_t nx = state_size(&w->set), nu = (size_t)w->set.model->nu, step = (size_t)w->step;
    const size_t old = (size_t)w->set.age + 1, late = (size_t)w->set.delay + 1, newest = step % old;
    w->times[newest] = t;
    measure(w, x, w->measured + nx * newest);
    const size_t arrived = step < old ? 0 : (step + 1) % old;
    double *command = w->commands + nu * (step % late);
    const trx_status status = ask(w, t, w->times[arrived], w->measured + nx * arrived, command);
    if (status < 0) return status;
    for (size_t i = 1; step == 0 && i < late; i++) memcpy(w->commands + nu * i, command, nu * sizeof *u);
    w->step++;
    memcpy(u, w->commands + nu * ((size_t)w->step % late), nu * sizeof *u);
    return status;
}

trx_controller trx_channel_controller(const trx_channel *channel)
{
    return (trx_controller){.user = (void *)channel, .open = open, .control = control, .close = close};
}
