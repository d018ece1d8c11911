// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Recordings from CSV files (theory 10): columns to channels, rows to recordings, with every mistake at its file, line and column.

#include "base/arena.h"
#include "fit/columns.h"
#include "fit/doubt.h"
#include "fit/channel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 5000000 }; // of a file: more than an hour at 1 kHz

static const double UNIT = 0.05; // by which the length of a quaternion may differ from 1

struct trx_fit_data {
    trx_context *context;
    trxi_pool *pool;
    const trx_model *model;
    trxi_channels channels;
    trx_fit_recording *recordings;
    int count, capacity;
};

// one file while it is read
typedef struct file_reader {
    trx_fit_data *data;
    const trx_fit_file *file;
    trxi_csv csv;
    trxi_columns columns;
    bool named; // recordings carry the name of their file
    int count;  // of recordings so far
} file_reader;

static double cell(const trxi_csv *csv, int row, int column)
{
    return csv->data[(size_t)row * (size_t)csv->cols + (size_t)column];
}

// ---- checks ----

static trx_status check_cells(const file_reader *r)
{
    trx_context *context = r->data->context;
    const trxi_csv *csv = &r->csv;
    if (csv->rows == 0) return trxi_error_at(context, (trx_source){csv->file, 1, 1}, "no rows: write at least one");
    for (int j = 0; j < csv->cols; j++)
        if (r->columns.value[j] >= 0 && csv->nan_rows[j] >= 0)
            return trxi_error_at(context, trxi_csv_source(csv, csv->nan_rows[j], j),
                                 "nan is no number: leave the cell of a missing sample empty (column %s)", csv->names[j]);
    for (int row = 0; row < csv->rows; row++)
        for (int j = 0; j < csv->cols; j++) {
            const bool needed = j == r->columns.time || j == r->columns.recording || r->columns.control[j] >= 0;
            const char *what = row == csv->nan_rows[j] ? "nan is no number" : "an empty cell";
            if (needed && isnan(cell(csv, row, j)))
                return trxi_error_at(context, trxi_csv_source(csv, row, j), "%s: write a number (column %s)", what, csv->names[j]);
        }
    return TRX_OK;
}

static bool begins_recording(const file_reader *r, int row)
{
    const int column = r->columns.recording;
    return row == 0 || (column >= 0 && cell(&r->csv, row, column) != cell(&r->csv, row - 1, column));
}

static trx_status check_times(const file_reader *r)
{
    const trxi_csv *csv = &r->csv;
    const int t = r->columns.time;
    for (int row = 1; row < csv->rows; row++)
        if (!begins_recording(r, row) && !(cell(csv, row, t) > cell(csv, row - 1, t)))
            return trxi_error_at(r->data->context, trxi_csv_source(csv, row, t),
                                 "%s runs from %g back to %g: write later times in later rows",
                                 csv->names[t], cell(csv, row - 1, t), cell(csv, row, t));
    return TRX_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// each number has its rows one after the other: otherwise two recordings would have one name
static trx_status check_numbers(const file_reader *r)
{
    const trxi_csv *csv = &r->csv;
    const int column = r->columns.recording;
    int count = 0;
    double *numbers = TRXI_POOL(r->data->pool, double, csv->rows);
    if (column < 0) return TRX_OK;
    if (!numbers) return TRX_ERR_MEMORY;
    for (int row = 0; row < csv->rows; row++)
        if (begins_recording(r, row)) numbers[count++] = cell(csv, row, column);
    qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
    for (int i = 1; i < count; i++) {
        if (numbers[i] != numbers[i - 1]) continue;
        int row = csv->rows - 1;
        while (!(begins_recording(r, row) && cell(csv, row, column) == numbers[i])) row--;
        return trxi_error_at(r->data->context, trxi_csv_source(csv, row, column),
                             "%s %g comes back: write its rows one after the other", csv->names[column], numbers[i]);
    }
    return TRX_OK;
}

static trx_status check_quaternions(const file_reader *r, const trx_fit_channel *c, const trx_fit_recording *recording,
                                    int first_row)
{
    const int width = r->data->channels.columns;
    for (int row = 0; row < recording->rows; row++) {
        const double *q = recording->values + (size_t)row * (size_t)width + c->column;
        const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (isnan(length) || fabs(length - 1) <= UNIT) continue;
        int j = 0;
        while (r->columns.value[j] != c->column) j++;
        return trxi_error_at(r->data->context, trxi_csv_source(&r->csv, first_row + row, j),
                             "a quaternion of length %.3g: write unit quaternions w x y z (%s)", length, c->name);
    }
    return TRX_OK;
}

// ---- recordings ----

static const char *name_of(const file_reader *r, int row)
{
    const char *slash = strrchr(r->csv.file, '/'), *base = slash ? slash + 1 : r->csv.file;
    trxi_pool *pool = r->data->pool;
    if (!r->file->recording) return trxi_pool_printf(pool, "%s", base);
    const double number = cell(&r->csv, row, r->columns.recording);
    return r->named ? trxi_pool_printf(pool, "%s %s %.10g", base, r->file->recording, number)
                    : trxi_pool_printf(pool, "%s %.10g", r->file->recording, number);
}

static bool is_held_out(const file_reader *r, int row, int number)
{
    if (r->file->held_out) return true;
    if (r->file->holdout_every > 0 && number % r->file->holdout_every == r->file->holdout_every - 1) return true;
    for (int i = 0; i < r->file->nholdout && r->columns.recording >= 0; i++)
        if (r->file->holdout[i] == cell(&r->csv, row, r->columns.recording)) return true;
    return false;
}

// the rows first_row .. end - 1; their values have the columns of all files so far
static trx_status add_recording(file_reader *r, int first_row, int end)
{
    trx_fit_data *d = r->data;
    const int rows = end - first_row, width = d->channels.columns, nu = trx_model_get_size(d->model).nu;
    double *t = TRXI_POOL(d->pool, double, rows), *values = TRXI_POOL(d->pool, double, (size_t)rows * (size_t)width);
    double *u = r->columns.controls ? TRXI_POOL(d->pool, double, (size_t)rows * (size_t)nu) : NULL;
    const char *name = name_of(r, first_row);
    if (d->count == d->capacity)
        d->recordings = trxi_pool_grow(d->pool, d->recordings, d->count, &d->capacity, sizeof *d->recordings);
    if (!t || !values || !name || !d->recordings || (r->columns.controls && !u)) return TRX_ERR_MEMORY;
    for (size_t i = 0; i < (size_t)rows * (size_t)width; i++) values[i] = NAN;
    for (int row = 0; row < rows; row++) {
        t[row] = cell(&r->csv, first_row + row, r->columns.time);
        for (int j = 0; j < r->csv.cols; j++) {
            const double number = cell(&r->csv, first_row + row, j);
            if (r->columns.value[j] >= 0) values[(size_t)row * (size_t)width + (size_t)r->columns.value[j]] = number;
            if (u && r->columns.control[j] >= 0) u[(size_t)row * (size_t)nu + (size_t)r->columns.control[j]] = number;
        }
    }
    trx_fit_recording *recording = &d->recordings[d->count++];
    *recording = (trx_fit_recording){.name = name, .rows = rows, .t = t, .values = values, .u = u, .window = r->file->window,
                                     .held_out = is_held_out(r, first_row, r->count++), .file = r->file->path};
    trx_status status = TRX_OK;
    for (int i = 0; i < d->channels.count && status >= 0; i++)
        if (trxi_channel_is_rotation(d->channels.channels[i].kind))
            status = check_quaternions(r, &d->channels.channels[i], recording, first_row);
    return status;
}

static trx_status add_rows(file_reader *r)
{
    trx_status status = check_cells(r);
    if (status >= 0) status = check_times(r);
    if (status >= 0) status = check_numbers(r);
    for (int first = 0, row = 1; row <= r->csv.rows && status >= 0; row++) {
        if (row < r->csv.rows && !begins_recording(r, row)) continue;
        status = add_recording(r, first, row);
        first = row;
    }
    return status;
}

// ---- files ----

static trx_status read_names(trx_fit_data *d, const trx_fit_file *file, bool named, file_reader *r)
{
    *r = (file_reader){.data = d, .file = file, .named = named};
    trx_status status = trxi_csv_read_rows(d->context, d->pool, file->path, MOST_ROWS, &r->csv);
    if (status < 0) return status;
    status = trxi_columns_find(d->context, d->pool, d->model, file, &r->csv, &d->channels, &r->columns);
    if (status >= 0 && trx_model_get_size(d->model).nu > 0 && !r->columns.controls)
        trxi_warn_at(d->context, (trx_source){r->csv.file, 1, 1}, "no controls: they are 0 (columns u.NAME)");
    return status;
}

static trx_status read_files(trx_fit_data *d, const trx_fit_file *files, int count)
{
    file_reader *readers = TRXI_POOL(d->pool, file_reader, count + 1);
    if (!readers) return TRX_ERR_MEMORY;
    trx_status status = TRX_OK;

    // reads the names of all files before any rows, because a row of values has the columns of all files
    for (int i = 0; i < count && status >= 0; i++) status = read_names(d, &files[i], count > 1, &readers[i]);
    for (int i = 0; i < count && status >= 0; i++) status = add_rows(&readers[i]);
    for (int i = 0; i < count && status >= 0; i++) trxi_doubt(d->context, d->model, &readers[i].csv, &d->channels,
                                                              &readers[i].columns);
    return status;
}

trx_status trx_fit_data_read(trx_context *context, const trx_model *model, const trx_fit_file *files, int count,
                             trx_fit_data **data)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!model || !files || count < 1 || !data) return trxi_fail(context, TRX_ERR_ARGUMENT,
                                                                 "trx_fit_data_read: no model or no files");
    *data = NULL;
    trx_fit_data *d = trxi_allocate(context, sizeof *d);
    if (!d) return TRX_ERR_MEMORY;
    *d = (trx_fit_data){.context = context, .pool = trxi_pool_create(context), .model = model};
    trx_status status = d->pool ? read_files(d, files, count) : TRX_ERR_MEMORY;
    if (status < 0) trx_fit_data_destroy(d);
    else *data = d;
    return status;
}

trx_status trx_fit_data_name(trx_context *context, const trx_model *model, const char *const *names, int count, trx_source source,
                             trx_fit_data **data)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!model || !names || count < 1 || !data)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_fit_data_name: no model or no names");
    *data = NULL;
    for (int i = 1; i < count; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(names[i], names[k]) == 0)
                return trxi_error_at(context, source, "record: %.100s is in the list twice: leave one out", names[i]);
    trx_fit_data *d = trxi_allocate(context, sizeof *d);
    if (!d) return TRX_ERR_MEMORY;
    *d = (trx_fit_data){.context = context, .pool = trxi_pool_create(context), .model = model};

    // the head of a table without rows
    trxi_csv csv = {.file = source.file, .cols = count + 1};
    trxi_columns columns;
    const trx_fit_file file = {.time = "t", .source = source};
    csv.names = d->pool ? TRXI_POOL(d->pool, const char *, count + 1) : NULL;
    csv.name_sources = csv.names ? TRXI_POOL(d->pool, trx_source, count + 1) : NULL;
    for (int i = 0; csv.name_sources && i <= count; i++) csv.names[i] = i == 0 ? "t" : names[i - 1], csv.name_sources[i] = source;
    trx_status status = TRX_ERR_MEMORY;
    if (csv.name_sources) status = trxi_columns_find(context, d->pool, model, &file, &csv, &d->channels, &columns);
    if (status < 0) trx_fit_data_destroy(d);
    else *data = d;
    return status;
}

void trx_fit_data_destroy(trx_fit_data *data)
{
    if (!data) return;
    trxi_pool_destroy(data->pool);
    trxi_release(data->context, data);
}

trx_fit_group *trx_fit_data_groups(trx_fit_data *data)
{
    return data->channels.groups;
}

void trx_fit_data_use(const trx_fit_data *data, trx_fit_problem *problem)
{
    problem->channels = data->channels.channels;
    problem->nchannel = data->channels.count;
    problem->columns = data->channels.columns;
    problem->groups = data->channels.groups;
    problem->ngroup = data->channels.ngroup;
    problem->recordings = data->recordings;
    problem->nrecording = data->count;
}
