// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A simulator: the input of a step, its results in the order a step fills them (theory 2), and the memory of
// derivatives.
//
//     in (x0, u) -> smooth (kinematics, M, A, p0) -> rows (contacts, limits, constraints, drives) -> solver (v) -> q1
//
// smooth, rows and solver are structs. One stage of the step fills each of them, and later stages read it. Derivatives read all of
// them as a solved step. They write to `deriv`, to the factor of H in the solver, and to velocities and inverse dynamics in smooth.

#ifndef TRXI_STEP_SIM_H
#define TRXI_STEP_SIM_H

#include "contact/model.h"
#include "step/derivatives.h"
#include "step/input.h"
#include "step/pair_laws.h"
#include "step/placed_geometry.h"
#include "step/rows.h"
#include "step/smooth.h"

/// A solved step as its derivatives read it (theory 6).
typedef struct trxi_solved {
    const trxi_input *in;
    trxi_smooth *smooth; // inverse dynamics and link velocities V1 are evaluated again, at the solution
    const trxi_placed_geometry *geometry;
    const trxi_rows *rows;
    const trxi_solver *solver;  // v
    trxi_coupled_places places; // layout of the coupled matrices
} trxi_solved;

/// Kinematics and inverse dynamics where the smooth forces are evaluated: at q0, in two-stage schemes at q_th(v*).
static inline const trxi_kinematics *trxi_solved_kin(const trxi_solved *step)
{
    return step->in->two_stage ? &step->smooth->stage.kin : &step->smooth->kin;
}

static inline trxi_rnea *trxi_solved_rnea(const trxi_solved *step)
{
    return step->in->two_stage ? &step->smooth->stage.rnea : &step->smooth->rnea;
}

struct trx_sim {
    trx_model *own;         // copy of the model with changed parameters, which is then `in.model`; NULL before the first change
    void *block;            // memory of all arrays of constant size
    trxi_pair_laws laws;

    // arguments of the next trx_step
    double time;    // [s]
    bool warm;      // the step starts its solve from v_warm
    double *v_warm; // nv

    // the last step
    trxi_input in;
    trxi_smooth smooth;
    trxi_placed_geometry geometry;
    trxi_rows rows;
    trxi_contact_problem problem;
    trxi_solver solver;
    double *displacement, *q1; // nv, nq: q1 = q0 (+) displacement
    bool stepped;              // the step converged, and nothing that it depends on has changed since
    double solved_tolerance;

    trxi_solved solved; // the members above, as derivatives read them
    trxi_derivatives deriv;
};

/// trx_sim_set_parameter for finite differences: damping, stiffness and rotor inertia of joints may be negative.
trx_status trxi_sim_put_parameter(trx_sim *sim, trx_parameter parameter, double value);

#endif
