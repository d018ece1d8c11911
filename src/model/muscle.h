// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Curves of a muscle (theory 4, Muscles); see muscle.c.

#ifndef TRXI_MODEL_MUSCLE_H
#define TRXI_MODEL_MUSCLE_H

#include <tractrix/model.h>

/// A curve at one argument.
typedef struct trxi_curve {
    double value, slope;
    double room;    // distance of the argument to the nearest end of a piece
    unsigned piece; // 0 .. TRXI_CURVE_PIECES - 1
} trxi_curve;

enum { TRXI_CURVE_PIECES = 8 };

/// Share of the active force at the relative length l.
trxi_curve trxi_muscle_active(const trx_muscle_def *muscle, double l);

/// Passive force at the relative length l, as a share of the gain.
trxi_curve trxi_muscle_passive(const trx_muscle_def *muscle, double l);

/// Share of the active force at the relative speed s = dl/dt/max_speed; `most` is the largest share.
trxi_curve trxi_muscle_speed(double most, double s);

/// Relative length of a muscle whose actuator has the length L.
static inline double trxi_muscle_length(const trx_muscle_def *muscle, double L)
{
    return (L - muscle->tendon_length) / muscle->optimal_length;
}

#endif
