// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Normal force laws f_n(phi, v_n) with their two partial derivatives (theory 3). With a = (1 - d v)+:
//
//     hunt_crossley  f = k (-phi)+ a                       f_phi = -k h(-phi) a         f_v = -d k (-phi)+ h(a)
//     kelvin_voigt   f = k (-phi - tau v)+                 f_phi = -k h(f)              f_v = -k tau h(f)
//     smoothed       f = k s log(1 + e^(-phi/s)) a         f_phi = -k a / (1 + e^(phi/s))
//
// f_phi <= 0 and f_v <= 0 is all the convex solver asks for; a law needs no potential and no second
// derivatives. Which side of its kinks a law was evaluated on comes out as bits.

#ifndef TRXI_CONTACT_FORCE_LAW_H
#define TRXI_CONTACT_FORCE_LAW_H

#include <math.h>
#include <tractrix/model.h>

/// Branch bits of a law.
enum { TRXI_LAW_PRESSED = 1, TRXI_LAW_BRAKED = 2 };

typedef struct trxi_force {
    double f;     // [N]
    double f_phi; // [N/m]
    double f_v;   // [N s/m]
    int branch;   // TRXI_LAW_PRESSED: overlapping (always, for smoothed); TRXI_LAW_BRAKED: 1 - d v > 0
} trxi_force;

/// The law at gap phi [m] and separation speed v [m/s].
static inline trxi_force trxi_force_law(const trx_pair_law *law, double phi, double v)
{
    const double k = law->stiffness;
    if (law->force_law == TRX_KELVIN_VOIGT) {
        double f = k * (-phi - law->relaxation_time * v);
        if (!(f > 0)) return (trxi_force){0, 0, 0, 0};
        return (trxi_force){f, -k, -k * law->relaxation_time, TRXI_LAW_PRESSED};
    }

    const double d = law->dissipation;
    double brake = 1 - d * v;
    bool braked = brake > 0;
    if (!braked) brake = 0;
    if (law->force_law == TRX_HUNT_CROSSLEY) {
        if (!(phi < 0)) return (trxi_force){0, 0, 0, 0};
        return (trxi_force){-k * phi * brake, -k * brake, braked ? d * k * phi : 0,
                            TRXI_LAW_PRESSED | (braked ? TRXI_LAW_BRAKED : 0)};
    }

    // softplus without overflow: log(1 + e^y) = max(y, 0) + log1p(e^-|y|), y = -phi/s
    const double s = law->smoothing;
    double y = -phi / s, decay = exp(-fabs(y));
    double softplus = s * ((y > 0 ? y : 0) + log1p(decay));
    double sigmoid = (y > 0 ? 1 : decay) / (1 + decay);
    return (trxi_force){k * softplus * brake, -k * sigmoid * brake, braked ? -d * k * softplus : 0,
                        TRXI_LAW_PRESSED | (braked ? TRXI_LAW_BRAKED : 0)};
}

/// The discrete impulse n(v) = dt f(phi0 + dt v, v) and its slope n' = dt (dt f_phi + f_v) <= 0 [N s, kg].
typedef struct trxi_impulse {
    double n, slope;
    double f_phi; // of the law, for derivatives [N/m]
    int branch;
} trxi_impulse;

static inline trxi_impulse trxi_normal_impulse(const trx_pair_law *law, double dt, double phi0, double v)
{
    trxi_force force = trxi_force_law(law, phi0 + dt * v, v);
    return (trxi_impulse){dt * force.f, dt * (dt * force.f_phi + force.f_v), force.f_phi, force.branch};
}

#endif
