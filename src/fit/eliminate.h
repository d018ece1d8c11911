// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Elimination of start states from the normal equations, window after window, and of local unknowns, session after session
// (theory 10). The cost is linear in the number of windows. The comments speak of windows.

#ifndef TRXI_FIT_ELIMINATE_H
#define TRXI_FIT_ELIMINATE_H

#include <stdbool.h>

/// Numbers of the elimination of one window that the step of its start state needs.
typedef struct trxi_eliminated {
    double *L; // ns x ns: factor of the damped block of the start
    double *Y; // ns x np: L^-1 H_sp
    double *y; // ns: L^-1 g_s
} trxi_eliminated;

/// Factors the start's block of H (n x n lower, start first; ns + np = n) with `damping` times its diagonal added, and adds the
/// window's Schur complement to P (np x np, lower) and its reduced gradient to p (np). Returns false when the block is not positive
/// definite.
bool trxi_eliminate(int ns, int np, const double *H, const double *g, double damping, const trxi_eliminated *out, double *P,
                    double *p);

/// The start's step (ns) that belongs to the step `dz` (np) of the unknowns.
void trxi_eliminated_step(int ns, int np, const trxi_eliminated *e, const double *dz, double *ds);

/// The part of this step that is caused by dz: -L^-T Y dz.
void trxi_eliminated_follow(int ns, int np, const trxi_eliminated *e, const double *dz, double *ds);

/// x = L^-T x for one vector (ns).
void trxi_eliminated_back(int ns, const double *L, double *x);

/// Decrease of the quadratic model g^T d + d^T H d / 2 of a window for the step d = (ds, dz); scratch: n.
double trxi_predicted_decrease(int ns, int np, const double *H, const double *g, const double *ds, const double *dz,
                               double *scratch);

#endif
