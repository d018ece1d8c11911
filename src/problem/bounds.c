// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The table of bounds; see bounds.h. The bounds are far beyond every machine and every robot. A number outside is a
// wrong exponent or a wrong unit, or it makes sums and squares of the step lose all digits.

#include "problem/bounds.h"

static const trxi_bounds table[TRXI_BOUNDED] = {
    [TRXI_OF_ANYTHING] = {"other number", "as the key says", 0, 1e18, "beyond, products of two numbers lose their meaning"},
    [TRXI_OF_TIME_STEP] = {"time step", "s", 1e-9, 1e3, "a shorter step is lost in rounding, a longer one passes every contact"},
    [TRXI_OF_TIME] = {"time", "s", 1e-9, 1e9, "less is below the shortest step, more is 30 years"},
    [TRXI_OF_FREQUENCY] = {"frequency", "Hz", 1e-9, 1e9, "less is one turn in 30 years, more is one in the shortest step"},
    [TRXI_OF_LENGTH] = {"length", "m", 1e-9, 1e9, "less is smaller than atoms are apart, more is beyond the moon"},
    [TRXI_OF_POSITION] = {"position of a joint", "m or rad", 0, 1e9, "beyond, an angle has lost its digits"},
    [TRXI_OF_SPEED] = {"speed", "m/s or rad/s", 1e-12, 1e9, "less is lost in rounding, more is faster than light"},
    [TRXI_OF_ACCELERATION] = {"acceleration", "m/s^2", 0, 1e6, "more leaves every scene within a step"},
    [TRXI_OF_DIRECTION] = {"direction", "1", 1e-9, 1e9, "the direction of smaller or larger numbers is lost in rounding"},
    [TRXI_OF_MASS] = {"mass", "kg", 1e-15, 1e15, "less is lighter than dust, more is heavier than mountains"},
    [TRXI_OF_DENSITY] = {"density", "kg/m^3", 1e-6, 1e9, "less is a vacuum, more is denser than stars are"},
    [TRXI_OF_INERTIA] = {"inertia of a joint", "kg or kg m^2", 1e-15, 1e15, "as for masses"},
    [TRXI_OF_FORCE] = {"force or torque", "N or N m", 1e-15, 1e15, "less is lost in rounding, more breaks every material"},
    [TRXI_OF_STIFFNESS] = {"stiffness", "N/m or N m/rad", 1e-9, 1e15,
                           "less holds nothing, more is lost in the rounding of penetrations"},
    [TRXI_OF_DAMPING] = {"damping", "N s/m or N m s/rad", 1e-15, 1e15,
                         "less is lost in rounding, more stops every joint within a step"},
    [TRXI_OF_DISSIPATION] = {"dissipation", "s/m", 1e-9, 1e9, "less dissipates nothing, more lets nothing come apart"},
    [TRXI_OF_RELAXATION] = {"relaxation time", "s", 1e-18, 1e9, "less is far below every step, more is 30 years"},
    [TRXI_OF_FRICTION] = {"coefficient of friction", "1", 1e-9, 1e6, "less is none, more than 10 is known of no pair of materials"},
    [TRXI_OF_TOLERANCE] = {"tolerance", "1", 1e-16, 1, "less is below rounding, more accepts every answer"},
    [TRXI_OF_STEPS] = {"number of steps", "1", 1, 1e7, "a run of more steps goes on from a saved state"},
    [TRXI_OF_ITERATIONS] = {"number of iterations", "1", 0, 1e7, "a solver that needs more has lost its way"},
    [TRXI_OF_WORLDS] = {"number of worlds", "1", 1, 1e6, "each has a simulation of its own"},
};

const trxi_bounds *trxi_bounds_of(trxi_bounded of)
{
    return &table[of];
}
