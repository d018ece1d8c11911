// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Activations: actuators with a state of their own (theory 4). Over a step with constant control u
//
//     filter      da/dt = (u - a)/T       a' = u + (a - u) exp(-dt/T)
//     integrator  da/dt = u               a' = a + dt u
//
// in closed form, whatever dt is, then within the range of the activation. Inside the range a' has the slopes exp(-dt/T) and
// 1 - exp(-dt/T), or 1 and dt; outside it is constant.

#include "model/build.h"

static const char *const names[TRX_ACTIVATION_TYPES] = {"none", "filter", "integrator"};

const char *trx_activation_type_name(trx_activation_type type)
{
    return (int)type >= 0 && (int)type < TRX_ACTIVATION_TYPES ? names[type] : "";
}

trx_activation_def trx_activation_def_default(void)
{
    return (trx_activation_def){.early = true, .lower = -INFINITY, .upper = INFINITY};
}

bool trxi_check_activation(const trxi_build *build, const char *name, trx_source source, const trx_activation_def *a)
{
    const char *flaw = NULL;
    if (a->type == TRX_ACTIVATION_NONE) return true;
    if ((int)a->type < 0 || (int)a->type >= TRX_ACTIVATION_TYPES) flaw = "there is no such type";
    else if (a->type == TRX_ACTIVATION_FILTER && !(a->time_constant > 0 && isfinite(a->time_constant)))
        flaw = "the time constant must be finite and positive";
    else if (!(a->lower < a->upper)) flaw = "its range leaves no room; the lower end comes first";
    else if (!(a->start >= a->lower && a->start <= a->upper && isfinite(a->start)))
        flaw = "its start must be finite and in its range";
    if (flaw) trxi_error_at(build->context, source, "activation of the actuator of '%s': %s", name, flaw);
    return !flaw;
}

trxi_activated trxi_activation_advance(const trx_activation_def *d, double dt, double a, double u)
{
    trxi_activated out;
    if (d->type == TRX_ACTIVATION_INTEGRATOR) {
        out = (trxi_activated){.value = a + dt * u, .by_a = 1, .by_u = dt};
    } else {
        const double stays = exp(-dt / d->time_constant), taken = -expm1(-dt / d->time_constant);
        out = (trxi_activated){.value = a + taken * (u - a), .by_a = stays, .by_u = taken};
    }
    out.room = fmin(fabs(out.value - d->lower), fabs(d->upper - out.value));
    out.branch = out.value < d->lower   ? TRXI_ACTIVATION_LOWER
                 : out.value > d->upper ? TRXI_ACTIVATION_UPPER
                                        : TRXI_ACTIVATION_FREE;
    if (out.branch == TRXI_ACTIVATION_FREE) return out;
    out.value = out.branch == TRXI_ACTIVATION_LOWER ? d->lower : d->upper;
    out.by_a = out.by_u = 0;
    return out;
}
