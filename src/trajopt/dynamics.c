// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A simulator behind the interface of dynamics.h (theory 6): the only file of this room that uses the inside of a
// simulator.

#include "trajopt/dynamics.h"

#include "step/sim.h"

#include <string.h>

static trx_status step(const trxi_dynamics *f, double t, const double *x, const double *u, const double *v_guess, double *x_next)
{
    trx_sim *sim = f->system;
    trx_status status = trx_step_from(sim, &(trx_step_input){t, x, u, v_guess}, x_next);

    // with tolerance 0 every solve continues until rounding stops it
    return status == TRX_OK && !(sim->settings.tolerance > 0) ? TRX_ROUND_OFF : status;
}

// the maps of every ball, less their number times 1
static void copy_ball_maps(const trxi_dynamics *f, double *maps)
{
    const trx_sim *sim = f->system;
    double rates[TRXI_POSITION_MAPS];
    f->position_rates(f, rates);
    for (int i = 0; i < f->model->nlink; i++) {
        const trxi_end_maps *ball = &sim->end_maps[i];
        if (f->model->links[i].type != TRXI_BALL) continue;
        memcpy(maps + 9 * TRXI_MAP_T, ball->T, sizeof ball->T);
        memcpy(maps + 9 * TRXI_MAP_S, ball->v, sizeof ball->v);
        memcpy(maps + 9 * TRXI_MAP_S_0, ball->v0, sizeof ball->v0);
        for (int m = 0; m < TRXI_POSITION_MAPS; m++, maps += 9)
            for (int a = 0; a < 9; a += 4) maps[a] -= rates[m];
    }
}

static trx_status linearize(const trxi_dynamics *f, double *A, double *B, double *ball_maps)
{
    trx_status status = trx_step_jac(f->system, A, B);
    if (status >= 0) copy_ball_maps(f, ball_maps);
    return status;
}

static trx_status vjp(const trxi_dynamics *f, const double *seed, double *grad_x, double *grad_u)
{
    return trx_step_vjp(f->system, seed, grad_x, grad_u);
}

static trx_status vjp_parameters(const trxi_dynamics *f, const trx_parameter *parameters, int count, const double *seed,
                                 double *grad)
{
    return trx_step_vjp_parameters(f->system, parameters, count, seed, grad);
}

// two-stage schemes end with other poses than the poses at x; prescribed motions are where the step has moved them
static const trxi_kinematics *poses(const trxi_dynamics *f)
{
    const trx_sim *sim = f->system;
    return sim->two_stage || f->model->nmover > 0 ? NULL : &sim->kin;
}

static void position_rates(const trxi_dynamics *f, double rates[TRXI_POSITION_MAPS])
{
    const trx_sim *sim = f->system;
    rates[TRXI_MAP_T] = 1;
    rates[TRXI_MAP_S] = sim->th_vq * sim->settings.time_step;
    rates[TRXI_MAP_S_0] = (1 - sim->th_vq) * sim->settings.time_step;
}

trxi_dynamics trxi_dynamics_of_sim(trx_sim *sim)
{
    return (trxi_dynamics){
        .model = trx_sim_model(sim),
        .time_step = sim->settings.time_step,
        .system = sim,
        .step = step,
        .linearize = linearize,
        .vjp = vjp,
        .vjp_parameters = vjp_parameters,
        .poses = poses,
        .position_rates = position_rates,
    };
}
