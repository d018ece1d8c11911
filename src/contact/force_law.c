// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Normal force laws (theory 3). With a = (1 - d v)+, g = (c - phi)+:
//
//     hunt_crossley  f = k (-phi)+ a                       f_phi = -k h(-phi) a         f_v = -d k (-phi)+ h(a)
//     hertz          f = k (-phi)+^1.5 a                   f_phi = -1.5 k (-phi)+^.5 a  f_v = -d k (-phi)+^1.5 h(a)
//     kelvin_voigt   f = k (-phi - tau v)+                 f_phi = -k h(f)              f_v = -k tau h(f)
//     smoothed       f = k s log(1 + e^(-phi/s)) a         f_phi = -k a / (1 + e^(phi/s))
//     log_barrier    f = kappa/phi                         f_phi = -kappa/phi^2         f_v = 0
//     ipc            f = kappa g (g/phi - 2 log(phi/c))    f_phi = kappa (2 log(phi/c) - 4 g/phi - g^2/phi^2)
//     user           the caller's function
//
// The branch bits tell the side of the kinks on which a law was evaluated. A barrier has no value at phi <= 0 and
// returns infinity. A user's law has no valid value where its signs are wrong and returns NaN. No step accepts either.

#include "contact/force_law.h"

static const trxi_force none = {0, 0, 0, 0};

// ---- laws with an elastic force and dissipation: f = f_0(phi) (1 - d v)+ ----

// from f_0, its slope and -d f_0
static inline trxi_force braked(const trx_pair_law *law, double v, double f, double f_phi, double f_v)
{
    double brake = 1 - law->dissipation * v;
    if (!(brake > 0)) return (trxi_force){0, 0, 0, TRXI_LAW_PRESSED};
    return (trxi_force){f * brake, f_phi * brake, f_v, TRXI_LAW_PRESSED | TRXI_LAW_BRAKED};
}

static double saturation(const trx_pair_law *law, double dt, double v)
{
    return law->dissipation > 0 ? dt * fabs(1 / law->dissipation - v) : INFINITY;
}

static double overlap_kink(const trx_pair_law *law, double dt, double phi, double v)
{
    return fmin(fabs(phi), phi < 0 ? saturation(law, dt, v) : INFINITY);
}

// f is linear in k, which may be 0; df/dd = -f_0 v
static double braked_parameter(const trx_pair_law *law, trx_parameter_kind p, trxi_force force, double phi, double v)
{
    trx_pair_law changed = *law;
    if (p == TRX_PAIR_STIFFNESS) {
        changed.stiffness = 1;
        return trxi_force_law(&changed, phi, v).f;
    }
    if (p != TRX_PAIR_DISSIPATION || !(force.branch & TRXI_LAW_BRAKED)) return 0;
    changed.dissipation = 0;
    return -trxi_force_law(&changed, phi, v).f * v;
}

static trxi_force hunt_crossley(const trx_pair_law *law, double phi, double v)
{
    if (!(phi < 0)) return none;
    const double k = law->stiffness;
    return braked(law, v, -k * phi, -k, law->dissipation * k * phi);
}

static trxi_force hertz(const trx_pair_law *law, double phi, double v)
{
    if (!(phi < 0)) return none;
    double slope = law->stiffness * sqrt(-phi), f = slope * -phi;
    return braked(law, v, f, -1.5 * slope, -law->dissipation * f);
}

// softplus without overflow: log(1 + e^y) = max(y, 0) + log1p(e^-|y|), y = -phi/s
static trxi_force smoothed(const trx_pair_law *law, double phi, double v)
{
    const double k = law->stiffness, s = law->smoothing;
    double y = -phi / s, decay = exp(-fabs(y));
    double softplus = s * ((y > 0 ? y : 0) + log1p(decay));
    double sigmoid = (y > 0 ? 1 : decay) / (1 + decay);
    return braked(law, v, k * softplus, -k * sigmoid, -law->dissipation * k * softplus);
}

static double smoothed_kink(const trx_pair_law *law, double dt, double phi, double v)
{
    (void)phi;
    return saturation(law, dt, v);
}

// where the force is 1e-10 of k s (theory 1)
static double smoothed_reach(const trx_pair_law *law)
{
    static const double lengths = 23; // e^-23 = 1e-10
    return lengths * law->smoothing;
}

// ---- a spring and a damper in parallel ----

static trxi_force kelvin_voigt(const trx_pair_law *law, double phi, double v)
{
    const double k = law->stiffness;
    double f = k * (-phi - law->relaxation_time * v);
    if (!(f > 0)) return none;
    return (trxi_force){f, -k, -k * law->relaxation_time, TRXI_LAW_PRESSED};
}

static double kelvin_voigt_parameter(const trx_pair_law *law, trx_parameter_kind p, trxi_force force, double phi, double v)
{
    if (p == TRX_PAIR_STIFFNESS) {
        trx_pair_law unit = *law;
        unit.stiffness = 1; // f is linear in k, which may be 0
        return kelvin_voigt(&unit, phi, v).f;
    }
    return p == TRX_PAIR_RELAXATION_TIME && force.branch != 0 ? -law->stiffness * v : 0;
}

static double kelvin_voigt_kink(const trx_pair_law *law, double dt, double phi, double v)
{
    (void)dt;
    return fabs(phi + law->relaxation_time * v);
}

// ---- barriers ----

static const trxi_force infeasible = {INFINITY, -INFINITY, 0, TRXI_LAW_PRESSED};

static double barrier_reach(const trx_pair_law *law)
{
    return law->reach;
}

static trxi_force log_barrier(const trx_pair_law *law, double phi, double v)
{
    (void)v;
    if (!(phi > 0)) return infeasible;
    return (trxi_force){law->barrier / phi, -law->barrier / (phi * phi), 0, TRXI_LAW_PRESSED};
}

static double log_barrier_parameter(const trx_pair_law *law, trx_parameter_kind p, trxi_force force, double phi, double v)
{
    (void)phi, (void)v;
    return p == TRX_PAIR_BARRIER ? force.f / law->barrier : 0;
}

static trxi_force ipc(const trx_pair_law *law, double phi, double v)
{
    (void)v;
    const double kappa = law->barrier, c = law->reach;
    if (!(phi > 0)) return infeasible;
    if (!(phi < c)) return none;
    double g = c - phi, ratio = g / phi, l = log1p(-g / c);
    return (trxi_force){kappa * g * (ratio - 2 * l), kappa * (2 * l - ratio * (4 + ratio)), 0, TRXI_LAW_PRESSED};
}

// f = kappa (g^2/phi - 2 g log(phi/c)), g = c - phi
static double ipc_parameter(const trx_pair_law *law, trx_parameter_kind p, trxi_force force, double phi, double v)
{
    (void)v;
    if (force.branch == 0) return 0;
    if (p == TRX_PAIR_BARRIER) return force.f / law->barrier;
    if (p != TRX_PAIR_REACH) return 0;
    double g = law->reach - phi;
    return 2 * law->barrier * (g / phi - log1p(-g / law->reach) + g / law->reach);
}

static double ipc_kink(const trx_pair_law *law, double dt, double phi, double v)
{
    (void)dt, (void)v;
    return fabs(phi - law->reach);
}

// ---- the caller's function ----

static trxi_force user(const trx_pair_law *law, double phi, double v)
{
    trx_force force = law->user(law->user_data, phi, v);
    // values that keep the step convex
    const bool usable = force.f >= 0 && force.f_phi <= 0 && force.f_v <= 0 && isfinite(force.f) && isfinite(force.f_phi) &&
                        isfinite(force.f_v);
    if (!usable) return (trxi_force){NAN, NAN, NAN, TRXI_LAW_PRESSED};
    return (trxi_force){force.f, force.f_phi, force.f_v, force.f > 0 ? TRXI_LAW_PRESSED : 0};
}

// ---- the table ----

const trxi_normal_law trxi_normal_laws[] = {
    [TRX_HUNT_CROSSLEY] = {hunt_crossley, braked_parameter, overlap_kink, NULL, false, false},
    [TRX_HERTZ] = {hertz, braked_parameter, overlap_kink, NULL, false, false},
    [TRX_KELVIN_VOIGT] = {kelvin_voigt, kelvin_voigt_parameter, kelvin_voigt_kink, NULL, false, false},
    [TRX_SMOOTHED] = {smoothed, braked_parameter, smoothed_kink, smoothed_reach, false, false},
    [TRX_LOG_BARRIER] = {log_barrier, log_barrier_parameter, NULL, barrier_reach, true, false},
    [TRX_IPC] = {ipc, ipc_parameter, ipc_kink, barrier_reach, true, false},
    [TRX_USER_LAW] = {user, NULL, NULL, barrier_reach, false, true},
};

double trxi_force_parameter(const trx_pair_law *law, trx_parameter_kind p, double phi, double v)
{
    const trxi_normal_law *normal = trxi_normal_law_of(law);
    return normal->parameter ? normal->parameter(law, p, normal->force(law, phi, v), phi, v) : 0;
}

double trxi_force_kink(const trx_pair_law *law, double dt, double phi, double v)
{
    const trxi_normal_law *normal = trxi_normal_law_of(law);
    return normal->kink ? normal->kink(law, dt, phi, v) : INFINITY;
}

double trxi_law_reach(const trx_pair_law *law)
{
    const trxi_normal_law *normal = trxi_normal_law_of(law);
    return normal->reach ? normal->reach(law) : 0;
}
