// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Kinds of quantities that cost terms measure (theory 7): their traits and components.

#ifndef TRXI_TRAJOPT_QUANTITIES_H
#define TRXI_TRAJOPT_QUANTITIES_H

#include <tractrix/plan.h>

/// Traits of a quantity (bit set).
typedef enum trxi_trait {
    TRXI_SPATIAL = 1,    // of bodies, frames, geometries: needs kinematics; dense 3 x ndof Jacobians, distances use one row
    TRXI_OF_SETS = 2,    // distances, centres of mass
    TRXI_OF_BODIES = 4,  // centres of mass
    TRXI_OF_JOINTS = 8,  // of listed joints
    TRXI_TURN = 16,      // an orientation: its target is a quaternion
    TRXI_DENSE = 32,     // may depend on all of x and u: Jacobians r_x and r_u
    TRXI_RATE = 64,      // depends on v
    TRXI_PER_STEP = 128, // belongs to the step from a knot: no value at knot N
} trxi_trait;

/// Returns whether a quantity has at least one of the traits.
bool trxi_quantity_is(trx_quantity quantity, unsigned traits);

/// The part of the motion of a body or a frame that a quantity measures.
typedef enum trxi_frame_part { TRXI_FRAME_POSITION, TRXI_FRAME_ORIENTATION, TRXI_FRAME_VELOCITY, TRXI_FRAME_SPIN } trxi_frame_part;

static inline trxi_frame_part trxi_frame_part_of(trx_quantity quantity)
{
    return (trxi_frame_part)(quantity >= TRX_FRAME_POSITION ? quantity - TRX_FRAME_POSITION : quantity - TRX_BODY_POSITION);
}

struct trxi_term;

/// Name of a component of a term's residual, for messages and results: "x", "ry", the name of a joint or of an actuator; "" for
/// distances and for functions of the caller.
const char *trxi_term_component(const trx_model *model, const struct trxi_term *term, int i);
/// Unit of this component, such as "m", "rad/s" or "N m"; "" for functions of the caller.
const char *trxi_term_unit(const trx_model *model, const struct trxi_term *term, int i);

/// Contact forces: +1 if the first geometry of a pair is in set a and the second in set b, -1 for the opposite, else 0.
signed char trxi_force_sign(const trx_model *model, const trx_cost_term *term, int pair);
/// Returns whether any pair has a sign other than 0.
bool trxi_force_is_possible(const trx_model *model, const trx_cost_term *term);

#endif
