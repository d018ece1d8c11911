// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers over time in a CSV file that a problem refers to: motions of bodies, loads, targets.

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

/// Reads column `t` and those of `names` (`count`) that the file at `path` (as the problem file writes it) has; a missing one
/// has its `defaults`. False when it cannot be read, has none of them, or holds what is no number: reported, the file's
/// absence at `source`.
bool trxi_time_table_read(trxi_reader *reader, trx_source source, const char *path, const char *const *names,
                          const double *defaults, int count, trxi_time_table *table);

/// Whether every cell in `columns` (count, and then the column of t; -1: the file has none) is a number, and t increases.
/// Reported if not, an empty table at `source`.
bool trxi_time_table_check(trxi_reader *reader, trx_source source, const trxi_csv *csv, const int *columns, int count);

#endif
