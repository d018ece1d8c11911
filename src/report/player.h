// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The replay player: one HTML file that shows a run and needs nothing but a browser.

#ifndef TRXI_REPORT_PLAYER_H
#define TRXI_REPORT_PLAYER_H

#include "formats/text.h"

/// What is shown: the texts of the run folder's files. scene.json as docs/run_folder.md describes it;
/// contacts and summary may be NULL, the others may not. Nothing is kept.
typedef struct trxi_player_data {
    const char *title;          // plain text, UTF-8
    const char *scene_json;     // bodies, geometry, poses, goals
    const char *trajectory_csv; // t, q..., v..., u...
    const char *contacts_csv;   // one row a contact point and step
    const char *summary_json;   // status, cost, goals, replays
    const char *scripts;        // folder of the two JavaScript libraries; NULL: /usr/share/javascript
} trxi_player_data;

/// Appends the page to `out`. When three.js or dygraphs cannot be read the page is written all the same, but only
/// says which package to install. Errors: ARGUMENT, MEMORY.
trx_status trxi_player_write(trx_context *context, const trxi_player_data *data, trxi_text *out);

#endif
