// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The law of a contact whose impulse is a projection on the friction cone, with the constants R and v_hat of sap (theory 4; sap.c).
// sap and ccp have different constants and the same law.

#ifndef TRXI_CONTACT_CONE_H
#define TRXI_CONTACT_CONE_H

#include "contact/friction.h"

/// y = -R^-1 (v_c - v_hat e_n), and the length of its tangential part.
typedef struct trxi_cone_point {
    double t[2], n, r;
} trxi_cone_point;

trxi_cone_point trxi_cone_project(const trxi_row_block *block, const double *v_c);

/// gamma, G and branch at at->v_c.
void trxi_cone_impulse(const trxi_row_block *block, double dt, trxi_row_state *at);

/// Partials by phi0, with v_hat = -(phi0 + before v_n0)/horizon, by w, with dR_i/R_i = rate_i dw, and by mu.
void trxi_cone_partials(const trxi_row_block *block, double horizon, double before, double rate_t, double rate_n,
                        trxi_law_partials *out);

/// Distance to the borders of stick and open, as a change of the gap [m].
double trxi_cone_kink(const trxi_row_block *block, double horizon);

double trxi_cone_separation(const trxi_row_block *block, const double *v_c);
bool trxi_cone_sticks(const trxi_row_block *block);

#endif
