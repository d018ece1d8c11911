// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See time_table.h.

#include "problem/time_table.h"

#include "formats/csv.h"

// columns[i]: column of names[i], -1 when the file has no such column; columns[count]: column of the time
static bool find_columns(trxi_reader *reader, trx_source source, const trxi_csv *csv, const char *const *names, int count,
                         int *columns)
{
    bool any = false;
    for (int i = 0; i < count; i++) {
        columns[i] = trxi_csv_find(csv, names[i]);
        any = any || columns[i] >= 0;
    }
    columns[count] = trxi_csv_find(csv, "t");
    if (columns[count] < 0)
        trxi_error_at(reader->context, source, "%s has no column \"t\": add it", csv->file);
    else if (!any)
        trxi_error_at(reader->context, source, "%s has none of the columns %s: add some", csv->file,
                      trxi_choices(reader, names, count));
    return any && columns[count] >= 0;
}

bool trxi_time_table_check(trxi_reader *reader, trx_source source, const trxi_csv *csv, const int *columns, int count)
{
    if (csv->rows == 0) {
        trxi_error_at(reader->context, source, "%s has no rows: write at least one", csv->file);
        return false;
    }
    return trxi_csv_check(reader->context, csv, csv->rows, columns, count + 1, columns[count]) >= 0;
}

bool trxi_time_table_read(trxi_reader *reader, trx_source source, const char *path, const char *const *names,
                          const double *defaults, int count, trxi_time_table *table)
{
    trxi_csv csv;
    trx_status status = trxi_csv_read(reader->context, reader->pool, trxi_file_path(reader, path), &csv);
    if (status == TRX_ERR_MEMORY) reader->memory = false;
    if (status == TRX_ERR_IO) trxi_unreadable(reader, source, trx_context_message(reader->context));
    if (status < 0) return false;

    int *columns = TRXI_READER_TAKE(reader, int, count + 1);
    *table = (trxi_time_table){.file = csv.file, .rows = csv.rows, .present = TRXI_READER_TAKE(reader, bool, count)};
    table->times = trxi_pool_take(reader->pool, (size_t)csv.rows, sizeof *table->times);
    table->values = trxi_pool_take(reader->pool, (size_t)csv.rows * (size_t)count, sizeof *table->values);
    if (!columns || !table->present || !table->times || !table->values) {
        reader->memory = false;
        return false;
    }
    if (!find_columns(reader, source, &csv, names, count, columns)) return false;
    if (!trxi_time_table_check(reader, source, &csv, columns, count)) return false;
    for (int i = 0; i < count; i++) table->present[i] = columns[i] >= 0;
    for (int row = 0; row < csv.rows; row++) {
        table->times[row] = trxi_csv_number(&csv, row, columns[count]);
        double *values = table->values + (size_t)row * (size_t)count;
        for (int i = 0; i < count; i++) values[i] = columns[i] < 0 ? defaults[i] : trxi_csv_number(&csv, row, columns[i]);
    }
    return true;
}
