// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of the friction laws (theory 4): the coefficient of a step, slip in the soft norm, and the derivatives
// of both with respect to parameters. Shared by the files of laws.

#ifndef TRXI_CONTACT_FRICTION_H
#define TRXI_CONTACT_FRICTION_H

#include "contact/row_block.h"

/// Slip in the soft norm: x = (stretch v_1, v_2 / stretch), S^2 = |x|^2 + e^2, t = x / S.
typedef struct trxi_slip {
    double S;    // [m/s]
    double t[2]; // soft unit vector [1]
    double d[2]; // (stretch t_1, t_2 / stretch): minus the direction of friction [1]
} trxi_slip;

static inline trxi_slip trxi_slip_at(const trxi_row_block *c, const double *v_c)
{
    const double s = c->contact.stretch, e = c->soft;
    const bool round = s == 1; // the same in all directions: no divisions by 1
    double x = s * v_c[0], y = round ? v_c[1] : v_c[1] / s;
    trxi_slip slip = {.S = sqrt(x * x + y * y + e * e)};
    const double inverse = 1 / slip.S;
    slip.t[0] = x * inverse, slip.t[1] = y * inverse;
    slip.d[0] = s * slip.t[0], slip.d[1] = round ? slip.t[1] : slip.t[1] / s;
    return slip;
}

/// |x|_s = S - e, computed as |x|^2 / (S + e) to keep its digits when a regularized e is far above |x| [m/s].
static inline double trxi_slip_norm(const trxi_row_block *c, const trxi_slip *slip)
{
    const double x = slip->S * slip->t[0], y = slip->S * slip->t[1];
    return (x * x + y * y) / (slip->S + c->soft);
}

/// G += scale (I - t t^T), upper left block.
static inline void trxi_add_projector(double scale, double tx, double ty, trxi_sym3 *G)
{
    G->xx += scale * (1 - tx * tx);
    G->xy -= scale * tx * ty;
    G->yy += scale * (1 - ty * ty);
}

/// G += scale D (I - t t^T) D with D = diag(stretch, 1/stretch).
static inline void trxi_add_stretched(double scale, double s, const trxi_slip *slip, trxi_sym3 *G)
{
    if (s == 1) {
        trxi_add_projector(scale, slip->t[0], slip->t[1], G);
        return;
    }
    trxi_sym3 P = {0};
    trxi_add_projector(scale, slip->t[0], slip->t[1], &P);
    G->xx += s * s * P.xx;
    G->xy += P.xy;
    G->yy += P.yy / (s * s);
}

// ---- constants of lagged and similar contacts ----

/// e: the stiction tolerance; for the regularized variants the larger of it and sigma w mu gn0.
void trxi_friction_prepare(trxi_row_block *c, const trxi_law_settings *settings);
void trxi_friction_prepare_regularized(trxi_row_block *c, const trxi_law_settings *settings);

/// e becomes at least `soft`; returns true when that is more than the e of the step.
bool trxi_friction_soften(trxi_row_block *c, const trxi_law_settings *settings, double soft);

/// Adds the effect of a regularized e on gamma, from the partial derivative with respect to e.
void trxi_friction_chain_soft(const trxi_row_block *c, const trxi_law_settings *settings, const double gamma_e[3],
                              trxi_law_partials *out);

/// Soft friction sticks where the slip speed is below the stiction tolerance.
bool trxi_friction_sticks(const trxi_row_block *c);

/// Distance to the kinks of the normal law at the separation speed v and of a regularized e, as a change of the gap [m].
double trxi_friction_kink(const trxi_row_block *c, const trxi_law_settings *settings, double v);

// ---- parameters ----

/// Change of mu and of the stretch with a parameter.
typedef struct trxi_friction_change {
    double mu, stretch;
} trxi_friction_change;

trxi_friction_change trxi_friction_parameter(const trxi_contact *contact, trx_parameter_kind p);

/// Changes of a lagged or similar contact with a parameter: of the normal impulse at its own argument, of the lagged
/// impulse, of mu and the stretch, and of e.
typedef struct trxi_law_change {
    double n, gn0, mu, stretch, e;
} trxi_law_change;

/// At the separation speed v.
trxi_law_change trxi_law_parameter_change(const trxi_row_block *c, const trxi_law_settings *settings, trx_parameter_kind p,
                                          double v);

/// Change of D t_s and of |x|_s per unit change of the stretch.
void trxi_slip_stretch_change(const trxi_row_block *c, const trxi_slip *slip, double direction[2], double *norm);

#endif
