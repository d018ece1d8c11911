// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The knots of a run that its player shows, with what is drawn and plotted of each.

#ifndef TRXI_REPORT_FRAMES_H
#define TRXI_REPORT_FRAMES_H

#include "base/arena.h"

#include <tractrix/sim.h>

enum {
    TRXI_MAX_FRAMES = 2000,        // of a simulation
    TRXI_FRAME_NUMBERS = 2000000,  // all its frames together: about 30 MB of player.html
};

typedef struct trxi_frames {
    trx_model_size size;
    int count, capacity;
    int first;       // knot of the first frame
    int every;       // the others are multiples of it, but for the last
    long long total; // numbers that the page will hold
    long long *numbers;  // by frame
    int *knots;
    double *x;           // (nq + nv) x count
    double *drive_force; // nu x count: of the step that starts there (trx_sim_actuator_force) [N or N m]
    double *limit_force; // njoint x count: of each joint's limits [N or N m]
} trxi_frames;

/// No frames yet; `steps` steps are to come from knot `first` on, of which every `every`-th may be shown. Errors: MEMORY.
trx_status trxi_frames_begin(trxi_pool *pool, trx_model_size size, int first, int steps, int every, bool thin,
                             trxi_frames *frames);

/// Whether the step that starts at `knot` would be shown as things stand.
bool trxi_frames_wants(const trxi_frames *frames, int knot);

/// Adds the knot with the forces of the sim's last step, which started there; `contacts` of them. Where there are too many
/// frames every other one goes, first. sim NULL: no step starts there, the last knot.
void trxi_frames_add(trxi_frames *frames, int knot, const double *x, const trx_sim *sim, int contacts);

#endif
