// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The meaning of the columns of a recording for a model (theory 10).

#ifndef TRXI_FIT_COLUMNS_H
#define TRXI_FIT_COLUMNS_H

#include "formats/csv.h"

#include <tractrix/fit.h>

/// Channels and groups of all files, in the order in which they are met.
typedef struct trxi_channels {
    trx_fit_channel *channels;
    int count, capacity;
    trx_fit_group *groups;
    int ngroup, group_capacity;
    int columns; // of values
} trxi_channels;

/// Where the columns of one file go.
typedef struct trxi_columns {
    int time, recording; // -1: the file is one recording
    int *value;          // of each column: first column of values, -1: none
    int *control;        // of each column: actuator, -1: none
    bool controls;       // the file has controls
} trxi_columns;

/// Finds the meaning of every column and adds new channels. Missing columns, missing parts of quaternions and missing controls are
/// errors. A column without a meaning gets a note, or a warning if its name resembles a name of the model. Errors: INPUT, MEMORY.
trx_status trxi_columns_find(trx_context *context, trxi_pool *pool, const trx_model *model, const trx_fit_file *file,
                             const trxi_csv *csv, trxi_channels *channels, trxi_columns *columns);

#endif
