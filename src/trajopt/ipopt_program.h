// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A trajectory as the variables of a nonlinear program, and derivatives of the program from the stages of a linearization
// (theory 7, direct transcription).

#ifndef TRXI_TRAJOPT_IPOPT_PROGRAM_H
#define TRXI_TRAJOPT_IPOPT_PROGRAM_H

#include "trajopt/knots.h"

#include <stdint.h>

/// Variables: for k = 0 .. N-1 the controls u_k, then z_{k+1}, the tangent coordinates of x_{k+1} about a reference.
/// Constraints: the defects b_k, then the limits, knot by knot.
typedef struct trxi_transcription {
    const trxi_rollout *rollout;
    const trxi_limit_rows *rows;
    int n, m, njacobian, nhessian;
    uint64_t *jacobian, *hessian; // entries: row in the upper, column in the lower 32 bits
    double *reference;            // nstate x (N + 1)
    double *block;                // nx x nx, scratch
} trxi_transcription;

/// Carves the arrays of a transcription; `rows` must be laid out before. trxi_transcription_fill then writes sizes and entries for
/// the present number of steps, which may be lower than at the layout.
void trxi_transcription_layout(trxi_arena *arena, const trxi_rollout *r, const trxi_limit_rows *rows,
                               trxi_transcription *t);
void trxi_transcription_fill(trxi_transcription *t);

/// Makes the states of a trajectory the reference, and writes its variables and their bounds (n each).
void trxi_transcription_start(trxi_transcription *t, const trxi_trajectory *traj, double *variables, double *lower, double *upper);

/// Computes the trajectory of the variables.
void trxi_transcription_trajectory(const trxi_transcription *t, const double *variables, trxi_trajectory *traj);

/// Gradient of the cost (n), Jacobian of defects and limits (njacobian), and factor times the Gauss-Newton Hessian of the cost
/// (nhessian), from the linearization at `variables`.
void trxi_transcription_gradient(const trxi_transcription *t, const double *variables, const trxi_ocp *ocp, double *gradient);
void trxi_transcription_jacobian(const trxi_transcription *t, const double *variables, const trxi_ocp *ocp, double *values);
void trxi_transcription_hessian(const trxi_transcription *t, const double *variables, const trxi_ocp *ocp, double factor,
                                double *values);

#endif
