// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// All mutable state of one simulator, in the order a step fills it:
//
//     x0, u -> kinematics -> M, A, p0 -> free velocity -> contact rows, limit rows -> convex solve -> v -> q
//
// One block of memory, carved once at creation. Derivatives read what the step left here and add dr/dq0 and
// dr/dv0; the factor of H stays in the solver.

#ifndef TRXI_STEP_SIM_H
#define TRXI_STEP_SIM_H

#include "contact/contact_residual.h"
#include "contact/model.h"
#include "step/derivatives.h"
#include "step/pair_laws.h"
#include "step/placed_geometry.h"
#include "step/rows.h"
#include "step/smooth.h"
#include "step/two_stage.h"

struct trx_sim {
    trx_context *context;
    const trx_model *model;
    const trx_model *given; // the model at creation
    trx_model *own;         // copy with changed parameters, and then also `model`; NULL before the first change
    trx_sim_settings settings;
    const trxi_contact_model *contact_model; // of the settings
    bool two_stage;    // every scheme except the symplectic one
    double th, th_vq;  // of the scheme (theory 2); symplectic: 1 and 1, positions move with v
    void *block; // all arrays below

    trxi_pair_laws laws;

    // arguments of the next trx_step
    double time;              // [s]
    bool warm;                // the step starts its solve from v_warm
    double *v_warm;           // nv

    // arguments and result of the last step
    double t0;                // [s]
    double *q0, *v0, *u, *q1; // nq, nv, nu, nq
    double *displacement;     // nv: q1 (-) q0
    bool stepped;             // the fields below belong to a converged step
    double solved_tolerance;

    trxi_smooth smooth;
    trxi_stage stage;       // of two-stage schemes

    trxi_placed_geometry geometry;
    trxi_rows rows;

    // the convex problem and its solution
    trxi_contact_problem problem;
    trxi_solver solver;
    trxi_coupled_places places; // layout of rq, rv and the other coupled matrices

    trxi_derivatives deriv;
};

/// Makes room for the matrices of derivatives; a matrix by island has `count` numbers. Errors: MEMORY.
trx_status trxi_sim_reserve_matrices(trx_sim *sim, ptrdiff_t count);

/// False when the solve of a step leaves no slopes of contacts, so that derivatives need another solve, by Newton.
static inline bool trxi_sim_has_slopes(const trx_sim *sim)
{
    return sim->contact_model->symmetric && sim->settings.contact_solver != TRX_SOLVER_PGS;
}

/// What the settings ask of a solve.
trxi_solver_settings trxi_sim_solver_settings(const trx_sim *sim, double tolerance);

/// Columns of the two sides of a pair of links. Writes their dofs in ascending order to `cols` (may be NULL).
void trxi_sim_pair_columns(const trx_model *model, int link_a, int link_b, int *cols, trxi_pair_columns *out);

/// The pair of a contact.
static inline const trxi_meeting *trxi_sim_meeting(const trx_sim *sim, const trxi_row *row)
{
    return &sim->rows.meetings[row->meeting];
}

/// Contact points of a pair, with or without their derivatives, to sim->geometry.points.
void trxi_sim_collide(trx_sim *sim, const trxi_meeting *meeting, bool derivatives);

/// Reads shapes, poses and sizes of geometries from the model again.
void trxi_sim_read_geometry(trx_sim *sim);

#endif
