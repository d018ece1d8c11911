// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The replay player: one HTML file that shows a run and needs only a browser.

#ifndef TRXI_REPORT_PLAYER_H
#define TRXI_REPORT_PLAYER_H

#include "report/shown.h"

/// Input of the player: the texts of the run folder's files, tables also by their paths. docs/run_folder.md
/// describes scene.json. contacts and summary may be NULL; title, scene and one form of the trajectory must be given. Nothing
/// is kept.
typedef struct trxi_player_data {
    const char *title;          // plain text, UTF-8
    const char *scene_json;     // bodies, geometry, poses, goals
    const char *trajectory_csv; // t, q..., v..., u...
    const char *contacts_csv;   // one row a contact point and step
    const char *summary_json;   // status, cost, goals, replays
    const char *trajectory_file, *contacts_file; // paths of these tables, when they are not given as texts
    const trxi_shown *shown;    // rows of the tables to include, NULL: all
    trx_status (*flush)(void *user, trxi_text *page); // takes the page so far and clears it; NULL: it grows
    void *user;
    const char *scripts;        // folder of the two JavaScript libraries; NULL: /usr/share/javascript
} trxi_player_data;

/// Appends the page to `out`. If three.js or dygraphs cannot be read, the page only says which package to install.
/// The end of the page that `flush` has not taken is in `out`. Errors: ARGUMENT, IO, MEMORY, errors of `flush`.
trx_status trxi_player_write(trx_context *context, const trxi_player_data *data, trxi_text *out);

#endif
