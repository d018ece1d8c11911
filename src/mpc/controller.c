// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Model predictive control as the controller of a simulation or a trial (theory 7).

#include <tractrix/mpc.h>

#include "base/context.h"
#include "base/random.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static const double SAME_TIME = 1e-9; // share of a period
static const uint64_t DROP_STREAM = 0x2545f4914f6cdd1du;

// the controller of one world
typedef struct loop {
    trx_context *context;
    trx_mpc *mpc;
    const trx_mpc_controller *from;
    uint64_t seed;      // seed of dropped ticks
    double next;        // time of the next tick [s]
    int count;          // ticks that have begun
    bool solving;       // a tick has begun and has not ended
    double begun;       // time at which this tick began [s]
    double measured_at; // time of its measurement [s]
    double x[];         // nstate
} loop;

static trx_status check(trx_context *context, const trx_mpc_controller *from)
{
    if (!(from->period > 0)) return trxi_fail(context, TRX_ERR_ARGUMENT, "the period of updates must be positive");
    if (!(from->latency >= 0) || !isfinite(from->latency))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "the latency of a loop must be 0 or more");
    if (!(from->dropped >= 0 && from->dropped <= 1))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "the share of dropped ticks must be from 0 to 1");
    return TRX_OK;
}

static size_t state_bytes(const trx_mpc_controller *from)
{
    const trx_model *model = from->task->model;
    return (size_t)model->nstate * sizeof(double);
}

static trx_status open(void *user, trx_context *context, int world, void **state)
{
    const trx_mpc_controller *from = user;
    trx_status status = check(context, from);
    trx_mpc *mpc;
    if (status < 0 || (status = trx_mpc_create(context, from->task, &from->settings, &mpc)) < 0) return status;
    loop *l = trxi_allocate(context, sizeof *l + state_bytes(from));
    if (!l) {
        trx_mpc_destroy(mpc);
        return TRX_ERR_MEMORY;
    }
    *l = (loop){.context = context, .mpc = mpc, .from = from, .seed = trxi_random_bits(from->seed ^ DROP_STREAM, (uint64_t)world)};
    *state = l;
    return TRX_OK;
}

// begins a tick with a measurement
static void begin_tick(loop *l, double t, double measured_at, const double *x)
{
    const double period = l->from->period;
    memcpy(l->x, x, state_bytes(l->from));
    l->begun = t;
    l->measured_at = measured_at;
    l->solving = true;
    while (l->next < t + SAME_TIME * period) l->next += period;
}

// ends a tick after the latency: computes a new policy, unless the tick is dropped; if the update fails, the old policy stays
static void end_tick(loop *l, double t)
{
    const trx_mpc_controller *from = l->from;
    const bool dropped = trxi_random_uniform(l->seed, (uint64_t)l->count++) < from->dropped;
    const trx_status status = dropped ? TRX_INTERRUPTED : trx_mpc_update_late(l->mpc, l->begun, l->measured_at, l->x);
    l->solving = false;
    while (l->next < t - SAME_TIME * from->period) l->next += from->period; // periods that have passed meanwhile
    if (from->on_tick) from->on_tick(l->mpc, l->begun, status, from->user);
}

static bool is_over(const loop *l, double t)
{
    return l->solving && t > l->begun + l->from->latency - SAME_TIME * l->from->period;
}

static trx_status control_late(void *state, double t, double measured_at, const double *x, double *u)
{
    loop *l = state;
    if (is_over(l, t)) end_tick(l, t);
    if (!l->solving && t > l->next - SAME_TIME * l->from->period) begin_tick(l, t, measured_at, x);
    if (is_over(l, t)) end_tick(l, t);
    return trx_mpc_control_late(l->mpc, t, measured_at, x, u);
}

static trx_status control(void *state, double t, const double *x, double *u)
{
    return control_late(state, t, t, x, u);
}

static void close(void *state)
{
    loop *l = state;
    if (l->from->ticks) *l->from->ticks = trx_mpc_get_info(l->mpc);
    trx_mpc_destroy(l->mpc);
    trxi_release(l->context, l);
}

trx_controller trx_mpc_as_controller(trx_mpc_controller *user)
{
    return (trx_controller){.user = user, .open = open, .control = control, .close = close,
                            .control_late = control_late};
}
