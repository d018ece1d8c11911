// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The knots of a run that its player shows, with the data that is drawn and plotted for each.

#ifndef TRXI_REPORT_FRAMES_H
#define TRXI_REPORT_FRAMES_H

#include "base/arena.h"

#include <tractrix/sim.h>

enum {
    TRXI_MAX_FRAMES = 2000,        // of a simulation
    TRXI_FRAME_NUMBERS = 2000000,  // of all frames together: about 30 MB of player.html
};

typedef struct trxi_frames {
    trx_model_size size;
    int count, capacity;
    int first;       // knot of the first frame
    int every;       // knots from one frame to the next; only the first and the last distance may be shorter
    long long total; // size of the page in numbers
    long long *numbers;  // by frame
    int *knots;
    double *x;           // nstate x count
    double *drive_force; // nu x count: of the step that starts at the frame (trx_sim_actuator_force) [N or N m]
    double *limit_force; // njoint x count: of each joint's limits [N or N m]
} trxi_frames;

/// Starts without frames; `steps` steps follow from knot `first` on, and every `every`-th may be shown. `thin`: there is
/// room for TRXI_MAX_FRAMES frames at most; else for all knots. Errors: MEMORY.
trx_status trxi_frames_begin(trxi_pool *pool, trx_model_size size, int first, int steps, int every, bool thin,
                             trxi_frames *frames);

/// Whether the step that starts at `knot` would be shown with the present distance of frames.
bool trxi_frames_wants(const trxi_frames *frames, int knot);

/// Adds the knot with the forces of the sim's last step, which started at the knot and has `contacts` contacts. If
/// there are too many frames, every other frame is dropped first. sim NULL: the last knot, at which no step starts.
void trxi_frames_add(trxi_frames *frames, int knot, const double *x, const trx_sim *sim, int contacts);

#endif
