// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Normal force laws f(phi, v) with their two partial derivatives (theory 3): one table of functions for each law, in
// force_law.c. The convex solver needs only f_phi <= 0 and f_v <= 0, neither a potential nor second derivatives.

#ifndef TRXI_CONTACT_FORCE_LAW_H
#define TRXI_CONTACT_FORCE_LAW_H

#include <math.h>
#include <tractrix/parameters.h>

/// Branch bits: the law acts; 1 - d v > 0.
enum { TRXI_LAW_PRESSED = 1, TRXI_LAW_BRAKED = 2 };

typedef struct trxi_force {
    double f;     // [N]
    double f_phi; // [N/m]
    double f_v;   // [N s/m]
    int branch;   // TRXI_LAW_PRESSED (smoothed and log_barrier: always), TRXI_LAW_BRAKED
} trxi_force;

/// A normal force law at the gap phi [m] and the separation speed v [m/s].
typedef struct trxi_normal_law {
    trxi_force (*force)(const trx_pair_law *law, double phi, double v);
    /// df/dp of a parameter of this law, with `force` the law's value; NULL: the law has no parameters.
    double (*parameter)(const trx_pair_law *law, trx_parameter_kind p, trxi_force force, double phi, double v);
    /// Distance to the law's nearest kink, as a change of the gap [m]; NULL: no kink is known.
    double (*kink)(const trx_pair_law *law, double dt, double phi, double v);
    /// Gap at which the law begins to act [m]; NULL: 0.
    double (*reach)(const trx_pair_law *law);
    bool barrier; // defined at phi > 0 only, and keeps the gap open
    bool user;    // the caller's function, whose signs may be wrong
} trxi_normal_law;

/// The laws, indexed by trx_force_law.
extern const trxi_normal_law trxi_normal_laws[];

static inline const trxi_normal_law *trxi_normal_law_of(const trx_pair_law *law)
{
    return &trxi_normal_laws[law->force_law];
}

static inline trxi_force trxi_force_law(const trx_pair_law *law, double phi, double v)
{
    return trxi_normal_law_of(law)->force(law, phi, v);
}

static inline bool trxi_law_is_barrier(const trx_pair_law *law)
{
    return trxi_normal_law_of(law)->barrier;
}

/// df/dp at the gap phi and the speed v, with p a parameter of pairs; 0 where the law does not depend on p.
double trxi_force_parameter(const trx_pair_law *law, trx_parameter_kind p, double phi, double v);

/// Distance to the nearest kink of the law as a change of the gap [m], INFINITY without one.
double trxi_force_kink(const trx_pair_law *law, double dt, double phi, double v);

/// Gap at which the law begins to act [m]: contacts farther apart are left out of a step (theory 1).
double trxi_law_reach(const trx_pair_law *law);

/// True when the law has torsional or rolling friction.
static inline bool trxi_law_turns(const trx_pair_law *law)
{
    return law->torsional_friction > 0 || law->rolling_friction > 0;
}

#endif
