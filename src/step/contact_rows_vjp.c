// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// lambda^T of the terms of one contact in dr/dq0 and dr/dv0 (theory 6): contact_rows_deriv.c read backwards. With u and w the
// velocity and the spin of B against A at p that lambda gives, a column j of those terms is
//
//     u . DF + w . (dp x f) + own terms,        DF = F dgamma + o x f
//
// and DF, dp are linear in the column. So the weights of dphi, dn, dp, o and of the velocity changes are formed once, from the
// last quantity to the first,
//
//     a = F^T u            of dgamma                         C  = -F G a                  of du(v)
//     c_phi, C0            through gamma_phi, gn0, mu        c_o = f x u + C x slip + C0 x slip0
//     c_dp = f x w + C x spin + C0 x spin0 (+ n c_phi, b phi c_dn: p = a + b phi n)       c_dn = c_o x n
//     c_x, c_W             of the column's displacement and turn, through the four matrices of the geometry
//
// Nothing of this depends on the column but through the links before it, so that with the arm from the reference of the tree of
// link X, which the contact is on, to p four spatial forces on X say it all (dynamics/inverse_dynamics_vjp.c):
//
//     K = +-[arm x C; C]     Q = +-[arm x C0; C0]     F = +-[arm x f; f]     fixed = +-[arm x c_x + c_W; c_x]
//
// Q is J^T of the weight of dv_c0, which dr/dv0 takes too. Contacts whose regularization sees the mass, surfaces that move by
// themselves and friction with an axis take the long way. The text of the short one is contact_rows_pull.h.

#include "step/contact_rows_vjp.h"

#include "step/motion.h"

bool trxi_step_contact_pull(trx_sim *sim, const trxi_contact *c, const trxi_row *row, const trxi_contact_point *geometry)
{
    const trx_sim_settings *set = &sim->settings;
    if (c->kind == TRXI_CONTACT_TURN || row->axis_sign != 0 || trxi_step_drifts(sim, row->pair)) return false;
    trxi_contact_partials partials;
    trxi_contact_impulse_deriv(c, set->time_step, set->friction_regularization, set->near_rigid, &partials);
    if (partials.w[0] != 0 || partials.w[1] != 0 || partials.w[2] != 0) return false;
    const trxi_contact_pull vector = trxi_contact_pull_vector(), pull = vector ? vector : trxi_contact_pull_portable;
    pull(sim, c, row, geometry, &partials);
    return true;
}
