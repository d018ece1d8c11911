// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The interface between optimization and simulation (theory 6, 7): a step x' = f(t, x, u), its derivatives and its
// adjoint. Rollouts, methods and gradients use only these functions.

#ifndef TRXI_TRAJOPT_DYNAMICS_H
#define TRXI_TRAJOPT_DYNAMICS_H

#include "dynamics/kinematics.h"
#include "trajopt/ocp.h"

#include <tractrix/sim.h>

/// States are x = [q; v; a] (nstate); their changes are tangent vectors (ntangent).
typedef struct trxi_dynamics trxi_dynamics;

struct trxi_dynamics {
    double time_step;       // of one step [s]
    void *system;           // argument of the functions; one thread at a time

    /// x_next (may be NULL) from x with the controls u at the time t. The solve starts at the velocities v_guess, or
    /// at the velocities of x if v_guess is NULL. TRX_OK: a repeated step from the velocities of x_next ends at the
    /// same bits. TRX_ROUND_OFF: a repeated step may end elsewhere within rounding. Negative: the step failed, and
    /// the context has the reason.
    trx_status (*step)(const trxi_dynamics *f, double t, const double *x, const double *u, const double *v_guess,
                       double *x_next);

    /// Derivatives of the last step: A (ntangent x ntangent), B (ntangent x nu), and the maps of its balls (TRXI_BALL_MAPS
    /// numbers each).
    trx_status (*linearize)(const trxi_dynamics *f, double *A, double *B, double *ball_maps);

    /// Adjoint product of the last step: grad_x = A^T seed (ntangent), grad_u = B^T seed (nu).
    trx_status (*vjp)(const trxi_dynamics *f, const double *seed, double *grad_x, double *grad_u);

    /// Adjoint product for parameters of the model: grad (count) = C^T seed.
    trx_status (*vjp_parameters)(const trxi_dynamics *f, const trx_parameter *parameters, int count, const double *seed,
                                 double *grad);

    /// The poses at the start of the last step, for a cost at the same state; NULL if the step has no such poses.
    const trxi_kinematics *(*poses)(const trxi_dynamics *f);

    /// Force of the contacts of the last step with these signs for each pair (step/forces.h). contact_force_jac adds the
    /// derivatives of this force: by_x (3 x ntangent) and by_u (3 x nu), from A and B of the same step.
    void (*contact_force)(const trxi_dynamics *f, const signed char *signs, double force[3]);
    trx_status (*contact_force_jac)(const trxi_dynamics *f, const signed char *signs, const double *A, const double *B,
                                    double *by_x, double *by_u);

    /// The maps from velocities to positions, the same in every step.
    void (*position_rates)(const trxi_dynamics *f, double rates[TRXI_POSITION_MAPS]);
};

/// Dynamics of a simulator, with the laws and settings that the simulator has when a step is taken. The simulator
/// must outlive the dynamics.
trxi_dynamics trxi_dynamics_of_sim(trx_sim *sim);

#endif
