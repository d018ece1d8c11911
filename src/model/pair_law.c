// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Conditions on a contact law (theory 3, 4): names that exist, numbers in their ranges, the numbers that its kind
// needs, kinds that are compatible. A law of the caller is sampled at gaps and speeds of many magnitudes. At each
// sample it must be finite, not attractive, and fall with gap and speed (f >= 0, f_phi <= 0, f_v <= 0); otherwise the
// step would not be convex. The step reports bad values between the samples.

#include "model/pair_law.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

bool trxi_approximation_turns(trx_approximation approximation)
{
    return approximation == TRX_LAGGED || approximation == TRX_LAGGED_REGULARIZED;
}

bool trxi_pair_law_anisotropic(const trx_pair_law *law)
{
    return law->axis[0] != 0 || law->axis[1] != 0 || law->axis[2] != 0;
}

static bool flaw(char *text, const char *what)
{
    snprintf(text, TRXI_LAW_FLAW, "%s", what);
    return false;
}

#define NUMBER(field) {#field, offsetof(trx_pair_law, field), offsetof(trx_pair_override, field)}

const trxi_law_number trxi_law_numbers[TRXI_LAW_NUMBERS] = {
    [TRX_PAIR_STIFFNESS] = NUMBER(stiffness),
    [TRX_PAIR_DISSIPATION] = NUMBER(dissipation),
    [TRX_PAIR_RELAXATION_TIME] = NUMBER(relaxation_time),
    [TRX_PAIR_FRICTION] = NUMBER(friction),
    [TRX_PAIR_FRICTION_ACROSS] = NUMBER(friction_across),
    [TRX_PAIR_DYNAMIC_FRICTION] = NUMBER(dynamic_friction),
    [TRX_PAIR_SLIP_SPEED] = NUMBER(slip_speed),
    [TRX_PAIR_TORSIONAL_FRICTION] = NUMBER(torsional_friction),
    [TRX_PAIR_ROLLING_FRICTION] = NUMBER(rolling_friction),
    [TRX_PAIR_BARRIER] = NUMBER(barrier),
    [TRX_PAIR_REACH] = NUMBER(reach),
    [TRX_PAIR_REACH + 1] = NUMBER(smoothing),
};

static bool numbers_in_range(const trx_pair_law *law, char *text)
{
    for (int i = 0; i < TRXI_LAW_NUMBERS; i++) {
        const double value = *trxi_number_of_law(law, i);
        if (value >= 0 && isfinite(value)) continue;
        snprintf(text, TRXI_LAW_FLAW, "%s is %g; it must be finite and not negative", trxi_law_numbers[i].name, value);
        return false;
    }
    return true;
}

// a gap or a speed: 0 and both signs of ten decades
static double sample(int i, double most)
{
    enum { HALF = 20 };
    if (i == HALF) return 0;
    double size = most * pow(10, -0.5 * (HALF - abs(i - HALF)));
    return i > HALF ? size : -size;
}

static bool user_law_usable(const trx_pair_law *law, char *text)
{
    enum { SAMPLES = 41 };
    static const double farthest = 1, fastest = 10; // [m], [m/s]
    if (!law->user) return flaw(text, "a user law needs a function");
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < SAMPLES; k++) {
            double phi = sample(i, farthest), v = sample(k, fastest);
            trx_force f = law->user(law->user_data, phi, v);
            const char *what = !(isfinite(f.f) && isfinite(f.f_phi) && isfinite(f.f_v)) ? "not finite"
                               : f.f < 0                                               ? "f < 0, it pulls"
                               : f.f_phi > 0                                           ? "f_phi > 0, it grows with the gap"
                               : f.f_v > 0 ? "f_v > 0, it grows with the separation speed"
                                           : NULL;
            if (!what) continue;
            snprintf(text, TRXI_LAW_FLAW, "the user law is not usable at phi = %.3g m, v = %.3g m/s: %s "
                                          "(f %.3g, f_phi %.3g, f_v %.3g)",
                     phi, v, what, f.f, f.f_phi, f.f_v);
            return false;
        }
    return true;
}

// parameters of the force law besides stiffness
static bool force_law_complete(const trx_pair_law *law, char *text)
{
    switch (law->force_law) {
    case TRX_SMOOTHED:
        return law->smoothing > 0 || flaw(text, "force_law smoothed needs a smoothing length above 0");
    case TRX_LOG_BARRIER:
        return (law->barrier > 0 && law->reach > 0) ||
               flaw(text, "force_law log_barrier needs a barrier [J] and a reach [m] above 0");
    case TRX_IPC:
        return (law->barrier > 0 && law->reach > 0) ||
               flaw(text, "force_law ipc needs a barrier [N/m] and a reach [m] above 0");
    case TRX_USER_LAW:
        return user_law_usable(law, text);
    default:
        return true;
    }
}

// valid combinations of friction and approximation
static bool friction_complete(const trx_pair_law *law, char *text)
{
    const bool sap = law->approximation == TRX_SAP;
    const double *a = law->axis;
    if (!(isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]))) return flaw(text, "the axis of friction is not finite");
    if (trxi_pair_law_anisotropic(law)) {
        if (sap) return flaw(text, "approximation sap has no anisotropic friction: use lagged or similar");
        if (!(law->friction > 0 && law->friction_across > 0))
            return flaw(text, "friction with an axis needs friction and friction_across above 0");
    }
    if (!trxi_approximation_turns(law->approximation) && (law->torsional_friction > 0 || law->rolling_friction > 0))
        return flaw(text, "torsional and rolling friction go with approximation lagged or lagged_regularized only");
    return true;
}

bool trxi_pair_law_usable(const trx_pair_law *law, char text[TRXI_LAW_FLAW])
{
    const int approximation = (int)law->approximation, force_law = (int)law->force_law;
    if (approximation < 0 || approximation > TRX_SAP) {
        snprintf(text, TRXI_LAW_FLAW, "there is no approximation %d", approximation);
        return false;
    }
    if (force_law < 0 || force_law > TRX_USER_LAW) {
        snprintf(text, TRXI_LAW_FLAW, "there is no force law %d", force_law);
        return false;
    }
    const bool sap = law->approximation == TRX_SAP;
    if (sap && law->force_law != TRX_KELVIN_VOIGT) {
        snprintf(text, TRXI_LAW_FLAW, "approximation sap takes only force_law kelvin_voigt, not %s",
                 trx_force_law_name(law->force_law));
        return false;
    }
    if (!numbers_in_range(law, text)) return false;
    if (sap && !(law->stiffness > 0)) return flaw(text, "approximation sap needs a stiffness above 0");
    return force_law_complete(law, text) && friction_complete(law, text);
}
