// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Which rows of a run's tables its player shows: those of the frames in scene.json.

#ifndef TRXI_REPORT_SHOWN_H
#define TRXI_REPORT_SHOWN_H

#include "base/arena.h"
#include "formats/text.h"

typedef struct trxi_shown {
    double *times; // of the frames, increasing [s]; NULL: every row is shown
    int count;
} trxi_shown;

/// The times of the frames, in `pool`, when the scene says that not every knot is one (`every` above 1). Errors: MEMORY.
trx_status trxi_shown_times(trxi_pool *pool, const char *scene_json, trxi_shown *shown);

/// Gives the first line of the table at `path` to `take`, and each of those whose first cell is the time of a frame, with
/// their ends. `shown` NULL: all. Errors: IO, MEMORY.
trx_status trxi_shown_rows(trx_context *context, const trxi_shown *shown, const char *path,
                           void (*take)(void *user, const char *bytes, size_t length), void *user);

#endif
