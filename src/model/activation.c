// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Activations: actuators with a state of their own (theory 4). Over a step with constant control u
//
//     filter      da/dt = (u - a)/T       a' = u + (a - u) exp(-dt/T)
//     integrator  da/dt = u               a' = a + dt u
//
// in closed form, whatever dt is, then within the range of the activation. Inside the range a' has the slopes exp(-dt/T) and
// 1 - exp(-dt/T), or 1 and dt; outside it is constant. A muscle is a filter whose T depends on a and u at the start of the
// step, with c = 0.5 + 1.5 a:
//
//     T = c time_constant  for u > a,       fall_time/c  for u < a,       blended in between by a smooth step of u - a

#include "model/build.h"
#include "model/muscle.h"

static const char *const names[TRX_ACTIVATION_TYPES] = {"none", "filter", "integrator", "muscle"};

const char *trx_activation_type_name(trx_activation_type type)
{
    return (int)type >= 0 && (int)type < TRX_ACTIVATION_TYPES ? names[type] : "";
}

trx_activation_def trx_activation_def_default(void)
{
    return (trx_activation_def){.time_constant = 0.01, .fall_time = 0.04, .early = true, .lower = -INFINITY, .upper = INFINITY};
}

bool trxi_check_activation(const trxi_build *build, const char *name, trx_source source, const trx_activation_def *a)
{
    const char *flaw = NULL;
    const bool muscle = a->type == TRX_ACTIVATION_MUSCLE, timed = muscle || a->type == TRX_ACTIVATION_FILTER;
    if (a->type == TRX_ACTIVATION_NONE) return true;
    if ((int)a->type < 0 || (int)a->type >= TRX_ACTIVATION_TYPES) flaw = "there is no such type";
    else if (timed && !(a->time_constant > 0 && isfinite(a->time_constant)))
        flaw = "the time constant must be finite and positive";
    else if (muscle && !(a->fall_time > 0 && isfinite(a->fall_time))) flaw = "the time of its fall must be finite and positive";
    else if (muscle && !(a->smoothing >= 0 && isfinite(a->smoothing))) flaw = "its smoothing must be finite and not negative";
    else if (!(a->lower < a->upper)) flaw = "its range leaves no room; the lower end comes first";
    else if (!(a->start >= a->lower && a->start <= a->upper && isfinite(a->start)))
        flaw = "its start must be finite and in its range";
    if (flaw) trxi_error_at(build->context, source, "activation of the actuator of '%s': %s", name, flaw);
    return !flaw;
}

// a' = a + (u - a)(1 - exp(-dt/T)) with T(a, u)
static trxi_activated approach(double dt, double a, double u, double T, double T_a, double T_u)
{
    const double stays = exp(-dt / T), taken = -expm1(-dt / T), by_T = -(u - a) * stays * dt / (T * T);
    return (trxi_activated){.value = a + taken * (u - a), .by_a = stays + by_T * T_a, .by_u = taken + by_T * T_u, .room = INFINITY};
}

// clamps x to [0, 1]; lowers out->room to the distance of x to the ends, and sets `bit` when x is outside. *inside: 1 or 0
static double within(double x, unsigned bit, trxi_activated *out, double *inside)
{
    out->room = fmin(out->room, fmin(fabs(x), fabs(1 - x)));
    *inside = x >= 0 && x <= 1;
    if (*inside == 0) out->branch |= bit;
    return fmin(fmax(x, 0), 1);
}

// the weight of the rising time constant at the difference d of control and activation, and its slope
static trxi_curve rising_share(const trx_activation_def *def, double d)
{
    const double width = def->smoothing, x = width > 0 ? d / width + 0.5 : d >= 0;
    if (!(width > 0)) return (trxi_curve){.value = x, .room = fabs(d)};
    if (x <= 0 || x >= 1) return (trxi_curve){.value = x >= 1, .room = width * fmax(-x, x - 1)};
    return (trxi_curve){x * x * x * (x * (6 * x - 15) + 10), 30 * x * x * (x - 1) * (x - 1) / width, width * fmin(x, 1 - x), 1};
}

static trxi_activated advance_muscle(const trx_activation_def *def, double dt, double a, double u)
{
    trxi_activated bounds = {.room = INFINITY};
    double a_inside, u_inside;
    const double c = 0.5 + 1.5 * within(a, TRXI_ACTIVATION_OUTSIDE, &bounds, &a_inside);
    u = within(u, TRXI_ACTIVATION_CLAMPED, &bounds, &u_inside);
    const trxi_curve share = rising_share(def, u - a);
    const double up = def->time_constant * c, down = def->fall_time / c;
    const double T_c = share.value * def->time_constant - (1 - share.value) * down / c, T_d = (up - down) * share.slope;
    trxi_activated out = approach(dt, a, u, down + share.value * (up - down), 1.5 * a_inside * T_c - T_d, T_d);
    out.by_u *= u_inside;
    out.room = fmin(bounds.room, share.room);
    out.branch = bounds.branch | (share.value >= 1 ? TRXI_ACTIVATION_RISES : 0) | (share.piece ? TRXI_ACTIVATION_BLENDS : 0);
    return out;
}

// the next activation without its range
static trxi_activated advance(const trx_activation_def *def, double dt, double a, double u)
{
    if (def->type == TRX_ACTIVATION_MUSCLE) return advance_muscle(def, dt, a, u);
    if (def->type == TRX_ACTIVATION_FILTER) return approach(dt, a, u, def->time_constant, 0, 0);
    return (trxi_activated){.value = a + dt * u, .by_a = 1, .by_u = dt, .room = INFINITY};
}

trxi_activated trxi_activation_advance(const trx_activation_def *def, double dt, double a, double u)
{
    trxi_activated out = advance(def, dt, a, u);
    out.room = fmin(out.room, fmin(fabs(out.value - def->lower), fabs(def->upper - out.value)));
    const unsigned end = out.value < def->lower   ? TRXI_ACTIVATION_LOWER
                         : out.value > def->upper ? TRXI_ACTIVATION_UPPER
                                                  : 0;
    if (!end) return out;
    out.value = end == TRXI_ACTIVATION_LOWER ? def->lower : def->upper;
    out.by_a = out.by_u = 0;
    out.branch |= end;
    return out;
}
