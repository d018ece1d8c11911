// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A run folder during its simulation: the tables are open and grow in pieces.

#ifndef TRXI_REPORT_STREAM_H
#define TRXI_REPORT_STREAM_H

#include "report/run.h"

typedef enum trxi_stream_table { TRXI_TRAJECTORY, TRXI_CONTACTS, TRXI_STEPS, TRXI_TABLES } trxi_stream_table;

typedef struct trxi_stream {
    trx_run *run;
    trxi_folder *folder;     // NULL: no output
    int files[TRXI_TABLES];  // file numbers in the folder, -1: table not written
    trxi_text rows[TRXI_TABLES]; // not written yet
    double seconds;          // spent on writing [s]
} trxi_stream;

/// Makes a temporary folder beside `simulation->folder` and starts its tables, with steps.csv if requested. Errors:
/// ARGUMENT, IO, MEMORY.
trx_status trxi_stream_begin(trx_run *run, const trxi_file_ops *ops, const trx_simulation *simulation,
                             trxi_stream *stream);

/// A row for the knot; u NULL: the last knot. Errors of this function and the next two: IO, MEMORY.
trx_status trxi_stream_knot(trxi_stream *stream, int knot, const double *x, const double *u);

/// Rows for the contacts of the step that starts at `knot`.
trx_status trxi_stream_contacts(trxi_stream *stream, int knot, const trx_contact *contacts, int count);

/// A row of steps.csv, if it is written.
trx_status trxi_stream_step(trxi_stream *stream, const trxi_step_record *step);

/// Ends the tables, writes the other files, puts the folder into place and releases all memory. Errors: IO,
/// ARGUMENT, MEMORY; the old folder is then intact.
trx_status trxi_stream_commit(trxi_stream *stream);

/// Removes the files written so far and releases all memory. Accepts a stream that was not started.
void trxi_stream_abort(trxi_stream *stream);

#endif
