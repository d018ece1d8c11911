// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Profile likelihood (theory 10); see profile.h. With the objective V, its minimum V*, and all but theta_k fitted anew:
//
//     rise(theta_k) = min V at theta_k, less V*            interval: rise < s chi^2_1(95 %)/2
//     s = max(1, var_sandwich/var)                         residuals that are not independent
//
// Two equal bounds hold the parameter. From the minimum outwards, the fit at a point starts from the fit at the last point. The
// ends of the interval are the roots of sqrt(rise) - sqrt(bound), which is nearly a line. Cost: about 14 warm fits a parameter.

#include "fit/profile.h"

#include "fit/minimize.h"
#include "fit/round.h"

#include <math.h>
#include <string.h>

enum { SIDE_POINTS = 16, REFINEMENTS = 4, MOST_POINTS = 1 + 2 * SIDE_POINTS * (1 + REFINEMENTS) };
enum { ITERATIONS = 20 };                    // of a fit, which starts near its end
static const double CHI_SQUARE = 3.841459;   // 95 % of squares of a normal number lie below
static const double FIRST_STEP = 0.5;        // in standard deviations
static const double FARTHEST = 16;           // from the estimate, in standard deviations
static const double BEYOND = 1.5; // rise, relative to the bound, that ends a side
static const double FLAT = 0.05;  // smaller rises, relative to the bound, double the step
static const double END_ACCURACY = 0.01;     // of the rise at an end, relative to the bound
static const double VAGUE = 0.5;             // unit without a standard deviation: of a logarithm, or as a share of another number
static const double FIT_ACCURACY = 1e-3;     // of a rise, relative to the bound
static const double ALIKE = 0.1;             // two intervals agree if their ends are this close, relative to the half width
static const double BETTER = 0.05;           // fall of the objective that the profile reports, relative to the bound

typedef struct profile {
    trx_fit *fit;
    int unknown, estimate;
    double z0, minimum, bound, unit; // unit: a standard deviation of z
    double lower, upper;             // bounds of z, which hold() overwrites in the fit and restore() puts back
    double *kept_z, *kept_x;         // at the minimum
    double z[MOST_POINTS], rise[MOST_POINTS];
    int count;
} profile;

// ---- holding ----

static void restore(profile *p)
{
    trx_fit *fit = p->fit;
    trxi_fit_restore(fit, p->kept_z, p->kept_x);
    fit->unknowns.lower[p->unknown] = p->lower;
    fit->unknowns.upper[p->unknown] = p->upper;
}

static void hold(profile *p, double z)
{
    trx_fit *fit = p->fit;
    for (int c = 0; c < fit->sessions.count; c++) fit->z[c * fit->unknowns.count + p->unknown] = z;
    fit->unknowns.lower[p->unknown] = fit->unknowns.upper[p->unknown] = z;
    trxi_sessions_values(&fit->sessions, &fit->unknowns, fit->z, fit->values);
}

// fits everything else at z; a rise of INFINITY where a step fails
static trx_status add_point(profile *p, double z, double *rise)
{
    trx_fit *fit = p->fit;
    hold(p, z);
    const trx_status status = trxi_fit_minimize(fit, 0);
    *rise = status < 0 ? INFINITY : trxi_fit_objective_now(fit) - p->minimum;
    if (status == TRX_ERR_MEMORY || status == TRX_INTERRUPTED) return status;
    if (status < 0) return TRX_OK;
    p->z[p->count] = z;
    p->rise[p->count++] = *rise;
    return TRX_OK;
}

// ---- one side ----

// the end of the interval between a point below the bound and one above it
static trx_status find_end(profile *p, double inside, double inside_rise, double outside, double outside_rise, double *end)
{
    trx_status status = TRX_OK;
    for (int i = 0; i < REFINEMENTS && status == TRX_OK; i++) {
        const double a = sqrt(fmax(inside_rise, 0)), b = isfinite(outside_rise) ? sqrt(outside_rise) : 2 * sqrt(p->bound);
        double rise;
        *end = inside + (outside - inside) * (sqrt(p->bound) - a) / (b - a);
        status = add_point(p, *end, &rise);
        if (status != TRX_OK || fabs(rise - p->bound) < END_ACCURACY * p->bound) return status;
        if (rise < p->bound) inside = *end, inside_rise = rise;
        else outside = *end, outside_rise = rise;
    }
    return status;
}

// goes from the estimate to one side. *end: the outermost crossing of the bound, beyond which no point is below it; NAN: none
static trx_status march(profile *p, double sign, double *end)
{
    const double wall = sign < 0 ? p->lower : p->upper;
    double z = p->z0, rise = 0, step = FIRST_STEP * p->unit;
    *end = NAN;
    restore(p);
    for (int i = 0; i < SIDE_POINTS; i++) {
        double next = z + sign * step, next_rise;
        if (sign * (next - wall) > 0) next = wall;
        if (next == z || !isfinite(next) || fabs(next - p->z0) > FARTHEST * p->unit) return TRX_OK;
        const trx_status status = add_point(p, next, &next_rise);
        if (status != TRX_OK) return status;
        if (next_rise < p->bound) *end = NAN;
        if (next_rise >= p->bound && rise < p->bound) {
            const trx_status found = find_end(p, z, rise, next, next_rise, end);
            if (found != TRX_OK) {
                *end = NAN; // not yet found
                return found;
            }
        }
        if (next_rise > BEYOND * p->bound) return TRX_OK;
        if (next_rise - rise < FLAT * p->bound) step *= 2;
        z = next, rise = next_rise;
    }
    return TRX_OK;
}

// ---- the answer ----

static void sort_points(profile *p)
{
    for (int i = 1; i < p->count; i++)
        for (int k = i; k > 0 && p->z[k] < p->z[k - 1]; k--) {
            const double z = p->z[k], rise = p->rise[k];
            p->z[k] = p->z[k - 1], p->rise[k] = p->rise[k - 1];
            p->z[k - 1] = z, p->rise[k - 1] = rise;
        }
}

static const char *in_words(trx_fit *fit, const profile *p, const trx_fit_profile *out, trx_status marched)
{
    const trx_fit_estimate e = trx_fit_get_estimate(fit, p->estimate);
    int best = 0;
    for (int i = 0; i < p->count; i++) best = p->rise[i] < p->rise[best] ? i : best;
    if (p->rise[best] < -BETTER * p->bound)
        return trxi_pool_printf(fit->pool, "the objective falls by %.3g at %.4g: the fit had stopped before its minimum",
                                -p->rise[best], out->values[best]);
    if (marched == TRX_INTERRUPTED) return "stopped before its ends were found";
    if (isnan(out->low) && isnan(out->high))
        return trxi_pool_printf(fit->pool, "open on both sides: any value from %.4g to %.4g explains the recordings",
                                out->values[0], out->values[p->count - 1]);
    if (isnan(out->low))
        return trxi_pool_printf(fit->pool, "open below: values down to %.4g explain the recordings", out->values[0]);
    if (isnan(out->high))
        return trxi_pool_printf(fit->pool, "open above: values up to %.4g explain the recordings", out->values[p->count - 1]);
    if (isnan(e.low)) return "an interval although no standard deviation is given";
    const double off = fmax(fabs(e.low - out->low), fabs(e.high - out->high));
    return off < ALIKE * 0.5 * (e.high - e.low) ? "agrees with the interval of the standard deviation"
                                                : "differs from the interval of the standard deviation: trust the profile";
}

static trx_status answer(profile *p, trx_status marched, double low, double high, trx_fit_profile *out)
{
    trx_fit *fit = p->fit;
    const int parameter = fit->unknowns.parameter_of[p->unknown];
    double *numbers = TRXI_POOL(fit->pool, double, 2 * p->count + 1);
    if (!numbers) return TRX_ERR_MEMORY;
    sort_points(p);
    *out = (trx_fit_profile){.estimate = p->estimate, .count = p->count, .values = numbers, .rises = numbers + p->count,
                             .bound = p->bound};
    for (int i = 0; i < p->count; i++) {
        numbers[i] = trxi_unknowns_value(&fit->unknowns, parameter, p->z[i]);
        numbers[p->count + i] = p->rise[i];
    }
    out->low = isnan(low) ? NAN : trxi_unknowns_value(&fit->unknowns, parameter, low);
    out->high = isnan(high) ? NAN : trxi_unknowns_value(&fit->unknowns, parameter, high);
    out->verdict = in_words(fit, p, out, marched);
    return out->verdict ? TRX_OK : TRX_ERR_MEMORY;
}

// ---- the profiles ----

// a standard deviation of the unknown, and the bound of the rise
static void set_scale(profile *p)
{
    const trx_fit *fit = p->fit;
    const trxi_unknowns *u = &fit->unknowns;
    const trx_fit_estimate e = trx_fit_get_estimate(fit, p->estimate);
    const double slope = trxi_unknowns_slope(u, p->unknown, e.value);
    const double stretch = isfinite(e.sd_robust) && e.sd > 0 ? fmax(1, e.sd_robust / e.sd) : 1;
    p->bound = 0.5 * CHI_SQUARE * stretch * stretch;
    if (isfinite(e.sd) && e.sd > 0) p->unit = stretch * e.sd / fabs(slope);
    else if (u->positive[p->unknown]) p->unit = VAGUE;
    else if (isfinite(p->lower) && isfinite(p->upper)) p->unit = (p->upper - p->lower) / FARTHEST;
    else p->unit = VAGUE * fmax(fabs(p->z0), 1e-3);
}

static trx_status profile_one(profile *p, trx_fit_profile *out)
{
    trx_fit *fit = p->fit;
    const trx_fit_settings settings = fit->settings;
    double low = NAN, high = NAN;
    p->z0 = fit->z[p->unknown];
    p->lower = fit->unknowns.lower[p->unknown], p->upper = fit->unknowns.upper[p->unknown];
    p->minimum = fit->info.objective;
    set_scale(p);
    p->z[0] = p->z0, p->rise[0] = 0, p->count = 1;
    fit->settings.tolerance = fmin(settings.tolerance, FIT_ACCURACY * p->bound / fmax(p->minimum, 1e-9));
    fit->settings.iterations = settings.iterations < ITERATIONS ? settings.iterations : ITERATIONS;
    trx_status status = march(p, -1, &low);
    if (status == TRX_OK) status = march(p, 1, &high);
    fit->settings = settings;
    restore(p);
    const trx_status answered = status < 0 ? status : answer(p, status, low, high, out);
    return answered < 0 ? answered : status;
}

trx_status trxi_fit_profiles(trx_fit *fit)
{
    const trxi_unknowns *u = &fit->unknowns;
    const trx_fit_info info = fit->info;
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    const size_t states = (size_t)size.nstate * (size_t)fit->fitted.count;
    profile *p = TRXI_POOL(fit->pool, profile, 1);
    fit->profiles = TRXI_POOL(fit->pool, trx_fit_profile, u->count + 1);
    if (!p || !fit->profiles) return TRX_ERR_MEMORY;
    *p = (profile){.fit = fit, .kept_z = TRXI_POOL(fit->pool, double, (size_t)(u->count * fit->sessions.count) + 1),
                   .kept_x = TRXI_POOL(fit->pool, double, states + 1)};
    if (!p->kept_z || !p->kept_x) return TRX_ERR_MEMORY;
    trxi_fit_keep(fit, p->kept_z, p->kept_x);
    fit->info.rounds = TRX_FIT_AGAIN;
    trx_status status = TRX_OK;
    int made = 0;
    for (int k = 0; k < u->count && status == TRX_OK; k++) {
        const int parameter = u->parameter_of[k];
        if (!u->parameters[parameter].profile) continue;
        p->unknown = k;
        p->estimate = trxi_sessions_entry(&fit->sessions, parameter, -1);
        status = profile_one(p, &fit->profiles[made++]);
    }
    fit->info = info;
    fit->info.nprofile = made;
    return status;
}
