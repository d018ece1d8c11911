// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One contact point as the convex problem sees it: constants of the step, and the state at the current
// velocity. Impulses act on body B in the contact frame [t1 t2 n].

#ifndef TRXI_CONTACT_CONTACT_H
#define TRXI_CONTACT_CONTACT_H

#include "contact/force_law.h"

#include <stdbool.h>

/// Symmetric 3 x 3 in the contact frame: xx, xy, yy, xn, yn, nn.
typedef struct trxi_sym3 {
    double xx, xy, yy, xn, yn, nn;
} trxi_sym3;

/// A contact point moves along its frame; the turn of a contact about the same axes carries torsional and rolling
/// friction. Velocities of a turn are angular [rad/s], its impulses moments [N m s], its lengths of friction [m].
typedef enum trxi_contact_kind { TRXI_CONTACT_POINT, TRXI_CONTACT_TURN } trxi_contact_kind;

/// Where a law is taken that is not taken at the end of the step (theory 2): at the gap phi0 + behind v_n0 + ahead v and the
/// speed late v_n0 + rate v, with v_n0 the normal velocity before the step.
typedef struct trxi_between {
    bool used;            // else at the gap phi0 + dt v and the speed v
    double ahead, behind; // [s]
    double rate, late;    // [1]
    double v_n0;          // [m/s]
} trxi_between;

typedef struct trxi_contact {
    // constants of the step
    trxi_contact_kind kind;
    trx_pair_law law;
    double phi0;      // gap at the start [m]
    trxi_between between;
    double mu;        // friction in this step; of anisotropic friction sqrt(mu_1 mu_2) [1]
    double stretch;   // sqrt(mu_1 / mu_2), 1 where friction is isotropic: m = mu diag(stretch, 1/stretch) [1]
    double share;     // of static friction in mu, by the slip speed before the step [1]
    double slip0;     // that speed [m/s]
    double gn0;       // lagged normal impulse [N s]
    double soft;      // e of the soft norm; the solver raises it during its continuation [m/s]
    double soft_wanted; // e of the step [m/s]
    bool regularized; // e comes from sigma w mu gn0, not from the stiction tolerance
    double w;         // effective inverse mass, where the law needs it [1/kg]
    double Rt, Rn;    // sap: regularization [1/kg]
    bool rigid;       // sap: the near-rigid bound decides Rn
    double v_hat;     // sap: the speed at which the law is at rest, -phi0 / (dt + tau) at the end of the step [m/s]
    int ncol;         // columns of J that are not zero
    const int *cols;  // their dofs, ascending
    const double *J;  // 3 x ncol in the contact frame, v_c = J v + bias
    double bias[3];   // of what moves beside the joints [m/s]
    int next;         // of the contacts of its island, -1: the last

    // state at the current velocity
    double v_c[3];    // relative velocity [m/s]
    double dv_c[3];   // its change along the search direction
    double gamma[3];  // impulse [N s]
    trxi_sym3 G;      // -d gamma / d v_c [kg]
    int branch;       // bits of the pieces evaluated
} trxi_contact;

/// Branch bits beside those of the force law.
enum { TRXI_SAP_STICK = 4, TRXI_SAP_SLIDE = 8, TRXI_TURN_ACTS = 1 };

/// What the law sees at the normal velocity v: seconds until its gap, gap [m] and speed [m/s].
static inline double trxi_contact_ahead(const trxi_contact *c, double dt)
{
    return c->between.used ? c->between.ahead : dt;
}

static inline double trxi_contact_gap(const trxi_contact *c, double dt, double v)
{
    double start = c->between.used ? c->phi0 + c->between.behind * c->between.v_n0 : c->phi0;
    return start + trxi_contact_ahead(c, dt) * v;
}

static inline double trxi_contact_speed(const trxi_contact *c, double v)
{
    return c->between.used ? c->between.late * c->between.v_n0 + c->between.rate * v : v;
}

/// Seconds in which sap closes a gap: those until the law's gap, and its relaxation time.
static inline double trxi_contact_horizon(const trxi_contact *c, double dt)
{
    return trxi_contact_ahead(c, dt) + (c->between.used ? c->between.rate : 1) * c->law.relaxation_time;
}

/// The discrete impulse n(v) = dt f(gap, speed) and its slope n' = dt (ahead f_phi + rate f_v) <= 0.
static inline trxi_impulse trxi_contact_normal(const trxi_contact *c, double dt, double v)
{
    const trxi_between *b = &c->between;
    if (!b->used) return trxi_normal_impulse(&c->law, dt, c->phi0, v);
    trxi_force force = trxi_force_law(&c->law, trxi_contact_gap(c, dt, v), trxi_contact_speed(c, v));
    return (trxi_impulse){dt * force.f, dt * (b->ahead * force.f_phi + b->rate * force.f_v), force.f_phi, force.branch,
                          dt * (b->behind * force.f_phi + b->late * force.f_v)};
}

/// out += J x for one contact, with x of all dofs.
static inline void trxi_contact_project(const trxi_contact *c, const double *x, double out[3])
{
    double a = out[0], b = out[1], n = out[2];
    for (int i = 0; i < c->ncol; i++) {
        const double *J = c->J + 3 * i, value = x[c->cols[i]];
        a += J[0] * value, b += J[1] * value, n += J[2] * value;
    }
    out[0] = a, out[1] = b, out[2] = n;
}

/// gamma, G and branch at the relative velocity v_c (theory 4).
void trxi_contact_impulse(const trxi_contact *contact, double dt, const double v_c[3], double gamma[3], trxi_sym3 *G,
                          int *branch);

/// mu, stretch, share and slip0 of a contact whose law and slip speed before the step [m/s] are given (theory 4).
void trxi_contact_friction(trxi_contact *contact, double slip0);

/// Slip of a contact in the soft norm: x = (stretch v_1, v_2 / stretch), S^2 = |x|^2 + e^2, t = x / S (theory 4).
typedef struct trxi_slip {
    double S, norm; // S, |x|_s = S - e [m/s]
    double t[2];    // soft unit vector [1]
    double d[2];    // (stretch t_1, t_2 / stretch): minus the direction of friction [1]
} trxi_slip;

trxi_slip trxi_contact_slip(const trxi_contact *contact, const double v_c[3]);

/// Partial derivatives of gamma at the contact's current v_c, with v_c held (table of theory 6).
typedef struct trxi_contact_partials {
    double phi[3]; // [N s/m]
    double gn0[3]; // [1]
    double w[3];   // [N s kg]
    double mu[3];  // where mu depends on the state before the step, else 0 [N s]
    double vn0[3]; // where the law is taken between start and end, else 0 [kg]
} trxi_contact_partials;

void trxi_contact_impulse_deriv(const trxi_contact *contact, double dt, double sigma, double beta,
                                trxi_contact_partials *partials);

/// Change of gamma per unit change of a parameter of the law, at the contact's current v_c (theory 6). `v_n0` is the
/// normal velocity before the step, which the lagged impulse was made from.
typedef enum trxi_law_parameter {
    TRXI_LAW_STIFFNESS,
    TRXI_LAW_DISSIPATION,
    TRXI_LAW_RELAXATION_TIME,
    TRXI_LAW_FRICTION,
    TRXI_LAW_STICTION_TOLERANCE,
    TRXI_LAW_FRICTION_ACROSS,
    TRXI_LAW_DYNAMIC_FRICTION,
    TRXI_LAW_SLIP_SPEED,
    TRXI_LAW_TORSIONAL_FRICTION,
    TRXI_LAW_ROLLING_FRICTION,
    TRXI_LAW_BARRIER,
    TRXI_LAW_REACH,
} trxi_law_parameter;

void trxi_contact_impulse_parameter(const trxi_contact *contact, double dt, double sigma, double v_n0,
                                    trxi_law_parameter parameter, double gamma_theta[3]);

#endif
