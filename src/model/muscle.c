// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Muscles: actuators whose force depends on length and speed (theory 4, Muscles).
//
//     f = -gain (w FL(l) FV(s) + FP(l))        l = (L - tendon_length)/L_0,      s = dl/dt/max_speed
//
// Three curves of quadratic pieces, each with a continuous slope. FL is a bump of height 1 on [shortest, longest] with its top
// at 1: four arcs of parabolas that meet halfway. FV rises from 0 at s = -1 through 1 at s = 0 to its largest value. FP is zero
// up to l = 1, a parabola up to the middle of 1 and `longest`, and a straight line beyond.

#include "model/muscle.h"

#include "math/dense.h"
#include "model/build.h"

trx_muscle_def trx_muscle_def_default(void)
{
    return (trx_muscle_def){.shortest = 0.5, .longest = 1.6, .max_speed = 1.5, .passive_force = 1.3, .lengthening_force = 1.2};
}

// one half of the bump, from its foot at x = -1 to its top at x = 0
static trxi_curve half_bump(double x)
{
    if (x <= -1) return (trxi_curve){.room = -1 - x, .piece = 0};
    if (x <= -0.5) return (trxi_curve){2 * (1 + x) * (1 + x), 4 * (1 + x), fmin(x + 1, -0.5 - x), 1};
    return (trxi_curve){1 - 2 * x * x, -4 * x, fmin(x + 0.5, -x), 2};
}

trxi_curve trxi_muscle_active(const trx_muscle_def *m, double l)
{
    const bool is_short = l <= 1;
    const double width = is_short ? 1 - m->shortest : m->longest - 1, side = is_short ? 1 : -1;
    trxi_curve c = half_bump(side * (l - 1) / width);
    c.slope *= side / width;
    c.room *= width;
    c.piece += is_short ? 0 : 4;
    return c;
}

trxi_curve trxi_muscle_passive(const trx_muscle_def *m, double l)
{
    const double half = (m->longest - 1) / 2, x = (l - 1) / half, p = m->passive_force;
    if (x <= 0) return (trxi_curve){.room = 1 - l, .piece = 0};
    if (x <= 1) return (trxi_curve){p * x * x / 2, p * x / half, half * fmin(x, 1 - x), 1};
    return (trxi_curve){p * (x - 0.5), p / half, half * (x - 1), 2};
}

trxi_curve trxi_muscle_speed(double most, double s)
{
    const double y = most - 1;
    if (s <= -1) return (trxi_curve){.room = -1 - s, .piece = 0};
    if (s <= 0) return (trxi_curve){(1 + s) * (1 + s), 2 * (1 + s), fmin(1 + s, -s), 1};
    if (s < y) return (trxi_curve){most - (y - s) * (y - s) / y, 2 * (y - s) / y, fmin(s, y - s), 2};
    return (trxi_curve){.value = most, .room = s - y, .piece = 3};
}

bool trxi_check_muscle(const trxi_build *build, const char *name, const trx_actuator_def *actuator)
{
    const trx_muscle_def *m = &actuator->muscle;
    const double numbers[] = {m->optimal_length, m->tendon_length, m->shortest, m->longest,
                              m->max_speed,      m->passive_force, m->lengthening_force};
    const char *flaw = NULL;
    if (m->optimal_length == 0) return true;
    if (!trxi_all_finite(sizeof numbers / sizeof *numbers, numbers)) flaw = "its numbers must be finite";
    else if (!(m->optimal_length > 0)) flaw = "its optimal length must be positive";
    else if (!(m->shortest < 1 && m->longest > 1)) flaw = "its shortest length must be below 1 and its longest above 1";
    else if (!(m->max_speed > 0)) flaw = "its maximal speed must be positive";
    else if (!(m->passive_force >= 0)) flaw = "its passive force must not be negative";
    else if (!(m->lengthening_force >= 1)) flaw = "its force at lengthening must be at least 1";
    else if (!(actuator->gain > 0)) flaw = "its gain, the force at its optimal length, must be positive";
    if (flaw) trxi_error_at(build->context, actuator->source, "muscle '%s': %s", name, flaw);
    return !flaw;
}
