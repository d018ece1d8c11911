// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The numbers that the problem file accepts: for every physical quantity its unit, the least and the most that makes
// sense, and why. The tables of fields name the quantity of every number; docs/problem_file.md shows this table, and a
// test compares the two.

#ifndef TRXI_PROBLEM_BOUNDS_H
#define TRXI_PROBLEM_BOUNDS_H

typedef enum trxi_bounded {
    TRXI_OF_ANYTHING, // default: numbers without another entry
    TRXI_OF_TIME_STEP,
    TRXI_OF_TIME,
    TRXI_OF_FREQUENCY,
    TRXI_OF_LENGTH,
    TRXI_OF_POSITION,
    TRXI_OF_SPEED,
    TRXI_OF_ACCELERATION,
    TRXI_OF_DIRECTION,
    TRXI_OF_MASS,
    TRXI_OF_DENSITY,
    TRXI_OF_INERTIA,
    TRXI_OF_FORCE,
    TRXI_OF_STIFFNESS,
    TRXI_OF_DAMPING,
    TRXI_OF_DISSIPATION,
    TRXI_OF_RELAXATION,
    TRXI_OF_FRICTION,
    TRXI_OF_TOLERANCE,
    TRXI_OF_STEPS,
    TRXI_OF_ITERATIONS,
    TRXI_OF_WORLDS,
    TRXI_BOUNDED
} trxi_bounded;

/// Numbers above 0 are from least to most. Numbers of any sign, and entries of vectors, are from -most to most: a small
/// entry may be rounding. The largest entry of a direction is at least `least`.
typedef struct trxi_bounds {
    const char *name, *unit; // "length", "m"
    double least, most;
    const char *reason;      // of both ends
} trxi_bounds;

const trxi_bounds *trxi_bounds_of(trxi_bounded of);

#endif
