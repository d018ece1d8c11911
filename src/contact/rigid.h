// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The condition of rigid contact on the normal velocity, and the problem of one contact alone (theory 4).

#ifndef TRXI_CONTACT_RIGID_H
#define TRXI_CONTACT_RIGID_H

#include "contact/row_block.h"

#include <math.h>

/// Share of a penetration that a step removes.
static const double trxi_rigid_share = 0.2;

/// The gap that the step must not close [m].
static inline double trxi_rigid_gap(const trxi_row_block *block)
{
    return block->phi0 + block->contact.between.behind * block->contact.v_n0;
}

/// True for a penetration.
static inline bool trxi_rigid_is_behind(const trxi_row_block *block)
{
    return trxi_rigid_gap(block) < 0;
}

/// Distance to the gap 0, where the horizon jumps and an acting contact has a kink [m].
static inline double trxi_rigid_kink(const trxi_row_block *block)
{
    return fabs(trxi_rigid_gap(block));
}

/// Time in which a contact must close its gap [s]: the time until the gap is evaluated, longer for a penetration.
static inline double trxi_rigid_horizon(const trxi_row_block *block)
{
    const double ahead = block->contact.between.ahead;
    return trxi_rigid_is_behind(block) ? ahead / trxi_rigid_share : ahead;
}

/// Smallest normal velocity [m/s].
static inline double trxi_rigid_target(const trxi_row_block *block)
{
    return -trxi_rigid_gap(block) / trxi_rigid_horizon(block);
}

/// A single contact at fixed other impulses: c = D f + rest, D = W + R, and the value of c at the impulse at->gamma.
typedef struct trxi_rigid_local {
    trxi_sym3 D; // [1/kg]
    double c[3]; // [m/s]
} trxi_rigid_local;

trxi_rigid_local trxi_rigid_local_problem(const trxi_row_block *block, const trxi_sym3 *W, const trxi_row_state *at);

/// Slope and partials of a contact whose normal impulse has the compliance Rn, and whose friction sticks with Rt or follows its
/// bound mu gamma_n, by the branch at the solution (theory 6). `by_phi`, `by_vn0`, `dn`: changes of the normal impulse at
/// constant v_c.
void trxi_bounds_slope(const trxi_row_block *block, double Rt, double Rn, trxi_sym3 *G, double skew[3]);
void trxi_bounds_partials(const trxi_row_block *block, double by_phi, double by_vn0, trxi_law_partials *out);
void trxi_bounds_parameter(const trxi_row_block *block, double dn, double dmu, double *gamma_theta);

/// The lean mu |u_t| a of the slip u_t = c_t + mu |u_t| a of a contact of raisim, c_t = v_t + R f_t [m/s]. Returns false if the
/// contact wedges, because u_t may then have no solution.
bool trxi_raisim_lean(const trxi_row_block *block, const double c_t[2], double out[2]);

/// R at a stage of a continuation; true where a later stage has another (trxi_law.soften).
bool trxi_rigid_soften(trxi_row_block *block, const trxi_law_settings *settings, double soft);

/// Constants of the step: R, v_hat.
void trxi_rigid_prepare(trxi_row_block *block, const trxi_law_settings *settings);

#endif
