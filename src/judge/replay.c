// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The loop of a replay (theory 7) and its statistics; see replay.h.

#include "judge/replay.h"

#include <math.h>

static void observe_penetration(trx_sim *sim, trx_replay *replay)
{
    const trx_contact *contacts;
    const int count = trx_sim_contacts(sim, &contacts);
    for (int i = 0; i < count; i++) replay->penetration = fmax(replay->penetration, -contacts[i].distance);
}

void trxi_replay_observe(trx_sim *sim, trx_replay *replay)
{
    const trx_contact *contacts;
    const int count = trx_sim_contacts(sim, &contacts);
    observe_penetration(sim, replay);
    for (int i = 0; i < count; i++)
        if (contacts[i].mode == TRX_CONTACT_STICK) replay->slip = fmax(replay->slip, contacts[i].v_t);
    replay->momentum_residual = fmax(replay->momentum_residual, trx_sim_momentum_residual(sim));
}

// steps from knot k to the next knot and writes its state to x_next
static trx_status run_knot(const trxi_experiment *e, int k, double *x, double *x_next, trx_replay *replay)
{
    for (int part = 0; part < e->parts; part++) {
        const double share = (double)part / e->parts;
        if (e->disturb) e->disturb(e->data, k, share, x);
        e->policy(e->data, k, share, x, e->u);
        if (part == 0) replay->cost += e->measure(e->data, k, x, e->u);
        const trx_step_input input = {.time = e->start_time + (k + share) * e->knot_time, .x = x, .u = e->u};
        trx_status status = trx_step_from(e->sim, &input, x_next);
        if (status < 0) return status;
        trxi_replay_observe(e->sim, replay);
        x = x_next;
    }
    return TRX_OK;
}

void trxi_replay_run(trxi_experiment *e, trx_replay *replay)
{
    double *x = e->x;
    *replay = (trx_replay){.status = TRX_OK, .goals = replay->goals};
    e->failed_knot = -1;
    for (int k = 0; k < e->knots; k++, x += e->stride) {
        const bool stop = e->stop && e->stop(e->data);
        replay->status = stop ? TRX_INTERRUPTED : run_knot(e, k, x, x + e->stride, replay);
        if (replay->status >= 0 && !stop) continue;
        replay->cost = INFINITY;
        e->failed_knot = k;
        return;
    }
    replay->cost += e->measure(e->data, e->knots, x, NULL);

    // contacts at the last knot need one more step, of which only the gaps count
    const trx_step_input last = {.time = e->start_time + e->knots * e->knot_time, .x = x, .u = e->u};
    if (trx_step_from(e->sim, &last, NULL) >= 0) observe_penetration(e->sim, replay);
}
