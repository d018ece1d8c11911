// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Constants of a contact in a step, and its normal impulse (theory 2, 3). A contact is a block of three rows in the
// contact frame [t1 t2 n]; impulses act on body B. Torsional and rolling friction of a contact are a second block, whose rows
// are the relative angular velocity about the same axes. Both blocks have the same constants.

#ifndef TRXI_CONTACT_CONTACT_H
#define TRXI_CONTACT_CONTACT_H

#include "contact/force_law.h"

/// The point of evaluation of a law (theory 2): gap phi0 + behind v_n0 + ahead v, speed late v_n0 + rate v, with v_n0 the normal
/// velocity before the step. {dt, 0, 1, 0} evaluates the law at the end of the step.
typedef struct trxi_between {
    double ahead, behind; // [s]
    double rate, late;    // [1]
} trxi_between;

/// Constants of sap, first_order and the rigid models: the regularization R = diag(Rt, Rt, Rn), and v_hat, the normal velocity at
/// which the normal impulse vanishes.
typedef struct trxi_sap_constants {
    double Rt, Rn; // [1/kg]
    double v_hat;  // normal [m/s]
} trxi_sap_constants;

/// Constants of a level of a two-level solve (two_level.c): before the bound of friction, the impulse is `held` + (v_hat - v)/R,
/// with v_hat = 0 along the tangents. lifted.c and staggered.c keep numbers of their own in these members.
typedef struct trxi_level {
    double Rt, Rn;  // [1/kg]
    double held[3]; // [N s]
    double most;    // bound of friction [N s]
    double before;  // bound of the previous level [N s]
} trxi_level;

typedef struct trxi_contact {
    const trx_pair_law *material;
    trxi_between between;
    double mu;      // friction in this step; of anisotropic friction sqrt(mu_1 mu_2) [1]
    double stretch; // sqrt(mu_1 / mu_2), 1 where friction is isotropic: m = mu diag(stretch, 1/stretch) [1]
    double share;   // weight of static friction in mu, a function of slip0 [1]
    double slip0;   // slip speed before the step [m/s]
    double v_n0;    // normal velocity before the step [m/s]
    double gn0;     // lagged normal impulse dt f(phi0, v_n0) [N s]
    double gn0_phi; // d gn0/dphi0 [N s/m]
    double gn0_v;   // d gn0/dv_n0 [kg]
    int branch0;    // of the force law at (phi0, v_n0)
    trxi_sap_constants sap;
    trxi_level level;
    double kappa;  // of the central path [J]
    int sides;     // of the pyramid of friction, in lcp
    double W_n[3]; // last column of the diagonal block of the Delassus matrix, set by trxi_impulses_begin [1/kg]
} trxi_contact;

/// Sets mu, stretch, share and slip0 of a contact with given material and slip speed before the step [m/s].
void trxi_contact_friction(trxi_contact *contact, double slip0);

/// Gap [m] and speed [m/s] at which the law is evaluated for the normal velocity v.
static inline double trxi_contact_gap(const trxi_contact *c, double phi0, double v)
{
    return phi0 + c->between.behind * c->v_n0 + c->between.ahead * v;
}

static inline double trxi_contact_speed(const trxi_contact *c, double v)
{
    return c->between.late * c->v_n0 + c->between.rate * v;
}

/// The two times of v_hat = -(phi0 + seconds_before v_n0)/horizon, the velocity at which a spring with the pair's relaxation time
/// has no force [s].
static inline double trxi_contact_horizon(const trxi_contact *c)
{
    return c->between.ahead + c->between.rate * c->material->relaxation_time;
}

static inline double trxi_contact_seconds_before(const trxi_contact *c)
{
    return c->between.behind + c->material->relaxation_time * c->between.late;
}

/// Returns whether the law depends on the velocity before the step other than through the lagged impulse.
static inline bool trxi_contact_sees_before(const trxi_contact *c)
{
    return c->between.behind != 0 || c->between.late != 0;
}

/// The discrete impulse n(v) = dt f(gap, speed).
typedef struct trxi_normal {
    double n;     // [N s]
    double slope; // n' = dt (ahead f_phi + rate f_v) <= 0 [kg]
    double f_phi; // of the force [N/m]
    double v_n0;  // change with the normal velocity before the step [kg]
    int branch;   // of the law
} trxi_normal;

static inline trxi_normal trxi_contact_normal(const trxi_contact *c, double phi0, double dt, double v)
{
    const trxi_between *b = &c->between;
    const trxi_force force = trxi_force_law(c->material, trxi_contact_gap(c, phi0, v), trxi_contact_speed(c, v));
    return (trxi_normal){dt * force.f, dt * (b->ahead * force.f_phi + b->rate * force.f_v), force.f_phi,
                         dt * (b->behind * force.f_phi + b->late * force.f_v), force.branch};
}

#endif
