// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Tables of numbers: one line of distinct column names, then one line per row, separated by commas. An empty
// cell (or "nan") is NaN. Lines end in LF or CRLF; empty lines are skipped; cells may stand in double quotes.

#ifndef TRXI_FORMATS_CSV_H
#define TRXI_FORMATS_CSV_H

#include "base/arena.h"

typedef struct trxi_csv {
    const char *file;
    int rows, cols;
    const char **names;       // cols
    trx_source *name_sources; // cols
    double *data;             // rows x cols, row-major
    int *lines;               // rows: line of each row
    int *columns;             // rows x cols, row-major: byte column of each cell
    int *nan_rows;            // cols: the first row whose cell says nan; -1: none
} trxi_csv;

/// Parses `length` bytes of `text`; `file` names the text in messages. The table lives in `pool`. Errors: INPUT
/// (wrong number of cells, not a number, names that are empty or not distinct, with their places), MEMORY.
trx_status trxi_csv_parse(trx_context *context, trxi_pool *pool, const char *file, const char *text,
                          size_t length, trxi_csv *csv);

/// Parses the file at `path`, at most 256 MiB. Errors also: IO.
trx_status trxi_csv_read(trx_context *context, trxi_pool *pool, const char *path, trxi_csv *csv);

/// Like trxi_csv_read. A table of more than `most_rows` lines below its names is refused (INPUT) before any row is read.
trx_status trxi_csv_read_rows(trx_context *context, trxi_pool *pool, const char *path, int most_rows, trxi_csv *csv);

/// Index of the column called `name`, -1 if absent.
int trxi_csv_find(const trxi_csv *csv, const char *name);

static inline double trxi_csv_number(const trxi_csv *csv, int row, int col)
{
    return csv->data[(size_t)row * (size_t)csv->cols + (size_t)col];
}

/// Place of the cell (row, col), and of the table as a whole.
trx_source trxi_csv_source(const trxi_csv *csv, int row, int col);
trx_source trxi_csv_top(const trxi_csv *csv);

/// Number of rows. The last of several rows does not count if its cells in the `count` columns are all empty, because the last
/// knot of a trajectory has no controls.
int trxi_csv_rows_of(const trxi_csv *csv, const int *columns, int count);

/// Checks that no cell of the `count` columns is empty in the first `rows` rows (column -1: left out), and that the numbers of
/// `time` (-1: no such column) increase. Errors: INPUT.
trx_status trxi_csv_check(trx_context *context, const trxi_csv *csv, int rows, const int *columns, int count, int time);

#endif
