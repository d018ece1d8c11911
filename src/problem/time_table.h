// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers over time in a CSV file of a problem: motions of bodies, loads, targets.

#ifndef TRXI_PROBLEM_TIME_TABLE_H
#define TRXI_PROBLEM_TIME_TABLE_H

#include "formats/csv.h"
#include "problem/reader.h"

typedef struct trxi_time_table {
    const char *file;
    int rows;
    double *times;  // rows, ascending [s]
    double *values; // rows x count, row-major
    bool *present;  // count: whether the file has the column
} trxi_time_table;

/// Reads column `t` and the columns `names` (`count`) of the file at `path` (as given in the problem file). A
/// missing column gets its `defaults`. Returns false when the file cannot be read, has none of the columns, or has
/// a cell that is no number (reported; a missing file at `source`).
bool trxi_time_table_read(trxi_reader *reader, trx_source source, const char *path, const char *const *names,
                          const double *defaults, int count, trxi_time_table *table);

/// True when every cell of `columns` is a number and t increases. `columns` has count + 1 indices, the last one of t;
/// index -1: the file lacks the column. Reports errors; `source` is the place of an empty table.
bool trxi_time_table_check(trxi_reader *reader, trx_source source, const trxi_csv *csv, const int *columns, int count);

#endif
