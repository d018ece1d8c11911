// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A simulator behind the interface of dynamics.h (theory 6).

#include "trajopt/dynamics.h"

#include "step/forces.h"
#include "step/position_maps.h"

static trx_status step(const trxi_dynamics *f, double t, const double *x, const double *u, const double *v_guess, double *x_next)
{
    trx_sim *sim = f->system;
    trx_status status = trx_step_from(sim, &(trx_step_input){t, x, u, v_guess}, x_next);

    // with tolerance 0 every solve continues until rounding stops it
    return status == TRX_OK && !(trx_sim_get_settings(sim).tolerance > 0) ? TRX_ROUND_OFF : status;
}

static trx_status linearize(const trxi_dynamics *f, double *A, double *B, double *ball_maps)
{
    trx_status status = trx_step_jac(f->system, A, B);
    if (status >= 0) trxi_sim_ball_maps(f->system, ball_maps);
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

static const trxi_kinematics *poses(const trxi_dynamics *f)
{
    return trxi_sim_start_poses(f->system);
}

static void contact_force(const trxi_dynamics *f, const signed char *signs, double force[3])
{
    trxi_step_contact_force(f->system, signs, force);
}

static trx_status contact_force_jac(const trxi_dynamics *f, const signed char *signs, const double *A, const double *B,
                                    double *by_x, double *by_u)
{
    return trxi_step_contact_force_jac(f->system, signs, A, B, by_x, by_u);
}

static void position_rates(const trxi_dynamics *f, double rates[TRXI_POSITION_MAPS])
{
    trxi_sim_position_rates(f->system, rates);
}

trxi_dynamics trxi_dynamics_of_sim(trx_sim *sim)
{
    return (trxi_dynamics){
        .time_step = trx_sim_get_settings(sim).time_step,
        .system = sim,
        .step = step,
        .linearize = linearize,
        .vjp = vjp,
        .vjp_parameters = vjp_parameters,
        .poses = poses,
        .contact_force = contact_force,
        .contact_force_jac = contact_force_jac,
        .position_rates = position_rates,
    };
}
