// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Normal force laws f_n(phi, v_n) with their two partial derivatives (theory 3). With a = (1 - d v)+, g = (c - phi)+:
//
//     hunt_crossley  f = k (-phi)+ a                       f_phi = -k h(-phi) a         f_v = -d k (-phi)+ h(a)
//     hertz          f = k (-phi)+^1.5 a                   f_phi = -1.5 k (-phi)+^.5 a  f_v = -d k (-phi)+^1.5 h(a)
//     kelvin_voigt   f = k (-phi - tau v)+                 f_phi = -k h(f)              f_v = -k tau h(f)
//     smoothed       f = k s log(1 + e^(-phi/s)) a         f_phi = -k a / (1 + e^(phi/s))
//     log_barrier    f = kappa/phi                         f_phi = -kappa/phi^2         f_v = 0
//     ipc            f = kappa g (g/phi - 2 log(phi/c))    f_phi = kappa (2 log(phi/c) - 4 g/phi - g^2/phi^2)
//     user           whatever the caller's function says
//
// f_phi <= 0 and f_v <= 0 is all the convex solver asks for; a law needs no potential and no second
// derivatives. Which side of its kinks a law was evaluated on comes out as bits. The barriers have no value at phi <= 0,
// and a user's law none where its signs are wrong: it comes out as infinite or as not a number, and no step passes that.

#ifndef TRXI_CONTACT_FORCE_LAW_H
#define TRXI_CONTACT_FORCE_LAW_H

#include <math.h>
#include <tractrix/model.h>

/// Branch bits of a law.
enum { TRXI_LAW_PRESSED = 1, TRXI_LAW_BRAKED = 2 };

/// Laws that keep the gap open: they have a value at phi > 0 only.
static inline bool trxi_law_is_barrier(const trx_pair_law *law)
{
    return law->force_law == TRX_LOG_BARRIER || law->force_law == TRX_IPC;
}

/// Whether contacts of the law resist turning.
static inline bool trxi_law_turns(const trx_pair_law *law)
{
    return law->torsional_friction > 0 || law->rolling_friction > 0;
}

/// How far above 0 a gap may be when the law begins to act [m]; of smoothed where its force is 1e-10 of k s (theory 1).
static inline double trxi_law_reach(const trx_pair_law *law)
{
    static const double lengths = 23; // e^-23 = 1e-10
    if (law->force_law == TRX_SMOOTHED) return lengths * law->smoothing;
    return trxi_law_is_barrier(law) || law->force_law == TRX_USER_LAW ? law->reach : 0;
}

typedef struct trxi_force {
    double f;     // [N]
    double f_phi; // [N/m]
    double f_v;   // [N s/m]
    int branch;   // TRXI_LAW_PRESSED: it acts (always, for smoothed, log_barrier); TRXI_LAW_BRAKED: 1 - d v > 0
} trxi_force;

static inline trxi_force trxi_barrier_law(const trx_pair_law *law, double phi)
{
    const double kappa = law->barrier, c = law->reach;
    if (!(phi > 0)) return (trxi_force){INFINITY, -INFINITY, 0, TRXI_LAW_PRESSED};
    if (law->force_law == TRX_LOG_BARRIER)
        return (trxi_force){kappa / phi, -kappa / (phi * phi), 0, TRXI_LAW_PRESSED};
    if (!(phi < c)) return (trxi_force){0, 0, 0, 0};
    double g = c - phi, ratio = g / phi, l = log1p(-g / c);
    return (trxi_force){kappa * g * (ratio - 2 * l), kappa * (2 * l - ratio * (4 + ratio)), 0, TRXI_LAW_PRESSED};
}

/// Whether a value of a user's law keeps the step convex.
static inline bool trxi_force_is_usable(trx_force force)
{
    return force.f >= 0 && force.f_phi <= 0 && force.f_v <= 0 && isfinite(force.f) && isfinite(force.f_phi) &&
           isfinite(force.f_v);
}

static inline trxi_force trxi_user_law(const trx_pair_law *law, double phi, double v)
{
    trx_force force = law->user(law->user_data, phi, v);
    if (!trxi_force_is_usable(force)) return (trxi_force){NAN, NAN, NAN, TRXI_LAW_PRESSED};
    return (trxi_force){force.f, force.f_phi, force.f_v, force.f > 0 ? TRXI_LAW_PRESSED : 0};
}

/// The law at gap phi [m] and separation speed v [m/s].
static inline trxi_force trxi_force_law(const trx_pair_law *law, double phi, double v)
{
    const double k = law->stiffness;
    if (law->force_law == TRX_KELVIN_VOIGT) {
        double f = k * (-phi - law->relaxation_time * v);
        if (!(f > 0)) return (trxi_force){0, 0, 0, 0};
        return (trxi_force){f, -k, -k * law->relaxation_time, TRXI_LAW_PRESSED};
    }
    if (trxi_law_is_barrier(law)) return trxi_barrier_law(law, phi);
    if (law->force_law == TRX_USER_LAW) return trxi_user_law(law, phi, v);

    const double d = law->dissipation;
    double brake = 1 - d * v;
    bool braked = brake > 0;
    if (!braked) brake = 0;
    if (law->force_law == TRX_HUNT_CROSSLEY) {
        if (!(phi < 0)) return (trxi_force){0, 0, 0, 0};
        return (trxi_force){-k * phi * brake, -k * brake, braked ? d * k * phi : 0,
                            TRXI_LAW_PRESSED | (braked ? TRXI_LAW_BRAKED : 0)};
    }
    if (law->force_law == TRX_HERTZ) {
        if (!(phi < 0)) return (trxi_force){0, 0, 0, 0};
        double slope = k * sqrt(-phi), base = slope * -phi;
        return (trxi_force){base * brake, -1.5 * slope * brake, braked ? -d * base : 0,
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
    double n_vn0; // change with the normal velocity before the step, 0 at the end of the step [kg]
} trxi_impulse;

static inline trxi_impulse trxi_normal_impulse(const trx_pair_law *law, double dt, double phi0, double v)
{
    trxi_force force = trxi_force_law(law, phi0 + dt * v, v);
    return (trxi_impulse){dt * force.f, dt * (dt * force.f_phi + force.f_v), force.f_phi, force.branch, 0};
}

#endif
