// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Model predictive control as the controller of a simulation or a trial (theory 7).

#include <tractrix/mpc.h>

#include "base/context.h"

// the controller of one world
typedef struct loop {
    trx_context *context;
    trx_mpc *mpc;
    double period, next; // of updates; time of the next one [s]
    const trx_mpc_controller *from;
} loop;

static trx_status open(void *user, trx_context *context, int world, void **state)
{
    (void)world;
    const trx_mpc_controller *from = user;
    if (!(from->period > 0)) return trxi_fail(context, TRX_ERR_ARGUMENT, "the period of updates must be positive");
    loop *l = trxi_allocate(context, sizeof *l);
    if (!l) return TRX_ERR_MEMORY;
    *l = (loop){.context = context, .period = from->period, .from = from};
    const trx_status status = trx_mpc_create(context, from->task, &from->settings, &l->mpc);
    if (status < 0) trxi_release(context, l);
    else *state = l;
    return status;
}

// a failed update keeps the policy, which goes on
static trx_status control(void *state, double t, const double *x, double *u)
{
    loop *l = state;
    if (t > l->next - 1e-9 * l->period) {
        const trx_status status = trx_mpc_update(l->mpc, t, x);
        if (l->from->on_tick) l->from->on_tick(l->mpc, t, status, l->from->user);
        while (l->next < t + 1e-9 * l->period) l->next += l->period;
    }
    return trx_mpc_control(l->mpc, t, x, u);
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
    return (trx_controller){.user = user, .open = open, .control = control, .close = close};
}
