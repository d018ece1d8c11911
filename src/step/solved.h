// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A solved step as its derivatives read it (theory 6).

#ifndef TRXI_STEP_SOLVED_H
#define TRXI_STEP_SOLVED_H

#include "step/input.h"
#include "step/placed_geometry.h"
#include "step/rows.h"
#include "step/smooth.h"

typedef struct trxi_solved {
    const trxi_input *in;
    trxi_smooth *smooth; // inverse dynamics and link velocities V1 are evaluated again, at the solution
    const trxi_placed_geometry *geometry;
    const trxi_rows *rows;
    const trxi_solver *solver;  // v
    trxi_coupled_places places; // layout of the coupled matrices
} trxi_solved;

/// The configuration of the motion without contact, and inverse dynamics there.
static inline const trxi_kinematics *trxi_solved_kin(const trxi_solved *step)
{
    return step->in->two_stage ? &step->smooth->stage.kin : &step->smooth->kin;
}

static inline trxi_rnea *trxi_solved_rnea(const trxi_solved *step)
{
    return step->in->two_stage ? &step->smooth->stage.rnea : &step->smooth->rnea;
}

#endif
