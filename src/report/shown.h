// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The rows of a run's tables that its player shows: rows at the frames of scene.json.

#ifndef TRXI_REPORT_SHOWN_H
#define TRXI_REPORT_SHOWN_H

#include "base/arena.h"
#include "formats/text.h"

typedef struct trxi_shown {
    double *times; // of the frames, increasing [s]; NULL: every row is shown
    int count;
} trxi_shown;

/// The times of the frames, in `pool`, if the scene does not show every knot (`every` above 1). Errors: MEMORY.
trx_status trxi_shown_times(trxi_pool *pool, const char *scene_json, trxi_shown *shown);

/// Passes lines of the table at `path` with their ends to `take`: the first line, and each line whose first cell is
/// the time of a frame. `shown` NULL: all lines. Errors: IO, MEMORY.
trx_status trxi_shown_rows(trx_context *context, const trxi_shown *shown, const char *path,
                           void (*take)(void *user, const char *bytes, size_t length), void *user);

#endif
