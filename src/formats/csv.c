// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The CSV reader (RFC 4180 without line breaks in cells); see csv.h. One pass over the text, line by line; linear
// in its length. After an error, reading continues with the next line, up to MAX_ERRORS errors.

#include "formats/csv.h"

#include "formats/files.h"
#include "formats/scalar.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum { MAX_ERRORS = 20, MAX_CELL = 255, MAX_COLUMNS = 100000, FILE_LIMIT = 256 << 20 };

// a position in the text
typedef struct reader {
    trx_context *context;
    trxi_pool *pool;
    const char *line, *line_end; // the current line without its end
    const char *end;             // of the text
    const char *next;            // the line after
    int line_number;
    int errors;
} reader;

// one cell: its text without blanks around it and without quotes
typedef struct cell {
    const char *text;
    size_t length;
    int column;
    bool escaped; // holds "" for a quote
} cell;

// moves to the next line that is not empty; false at the end of the text
static bool next_line(reader *r)
{
    while (r->next < r->end) {
        const char *newline = memchr(r->next, '\n', (size_t)(r->end - r->next));
        r->line = r->next;
        r->line_end = newline ? newline : r->end;
        r->next = newline ? newline + 1 : r->end;
        r->line_number++;
        if (r->line_end > r->line && r->line_end[-1] == '\r') r->line_end--;
        for (const char *c = r->line; c < r->line_end; c++)
            if (*c != ' ' && *c != '\t') return true;
    }
    return false;
}

static trx_status error(reader *r, const trxi_csv *csv, int column, const char *what, const char *name)
{
    r->errors++;
    return trxi_error_at(r->context, (trx_source){csv->file, r->line_number, column}, "%s%s", what, name);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// reads the cell at `*at` and moves behind its comma (`*at` becomes NULL after the last cell); false when a quote
// is not closed or text follows the closing quote
static bool next_cell(const reader *r, const char **at, cell *c)
{
    const char *p = *at;
    while (p < r->line_end && is_blank(*p)) p++;
    *c = (cell){.text = p, .column = (int)(p - r->line) + 1};
    if (p < r->line_end && *p == '"') {
        for (c->text = ++p; p < r->line_end; p++) {
            if (*p != '"') continue;
            if (p + 1 == r->line_end || p[1] != '"') break;
            c->escaped = true;
            p++;
        }
        if (p >= r->line_end) return false;
        c->length = (size_t)(p++ - c->text);
        while (p < r->line_end && is_blank(*p)) p++;
        if (p < r->line_end && *p != ',') return false;
    } else {
        const char *comma = memchr(p, ',', (size_t)(r->line_end - p));
        p = comma ? comma : r->line_end;
        c->length = (size_t)(p - c->text);
        while (c->length > 0 && is_blank(c->text[c->length - 1])) c->length--;
    }
    *at = p < r->line_end ? p + 1 : NULL;
    return true;
}

// copy of a cell in the pool, with "" read as one quote
static char *cell_string(const reader *r, const cell *c)
{
    char *copy = trxi_pool_string(r->pool, c->text, c->length);
    if (!copy || !c->escaped) return copy;
    char *to = copy;
    for (const char *from = copy; *from; from++) {
        *to++ = *from;
        if (*from == '"' && from[1] == '"') from++;
    }
    *to = '\0';
    return copy;
}

static int count_commas(const reader *r)
{
    int count = 0;
    for (const char *c = r->line; c < r->line_end && count < MAX_COLUMNS; c++) count += *c == ',';
    return count;
}

// the first line: names, not empty and distinct
static trx_status read_names(reader *r, trxi_csv *csv)
{
    int most = count_commas(r) + 1;
    if (most > MAX_COLUMNS) return error(r, csv, 1, "more than 100000 columns", "");
    csv->names = TRXI_POOL(r->pool, const char *, most);
    csv->name_sources = TRXI_POOL(r->pool, trx_source, most);
    if (!csv->names || !csv->name_sources) return TRX_ERR_MEMORY;

    for (const char *at = r->line; at;) {
        cell c;
        if (!next_cell(r, &at, &c)) return error(r, csv, c.column, "a quote is not closed before the next comma", "");
        if (memchr(c.text, '\0', c.length)) return error(r, csv, c.column, "the text holds a zero byte", "");
        if (c.length == 0) return error(r, csv, c.column, "a column without a name", "");
        csv->names[csv->cols] = cell_string(r, &c);
        csv->name_sources[csv->cols] = (trx_source){csv->file, r->line_number, c.column};
        if (!csv->names[csv->cols]) return TRX_ERR_MEMORY;
        csv->cols++;
    }
    if (csv->cols == 1 && strchr(csv->names[0], ';'))
        return error(r, csv, 1, "separate the columns by commas, not by semicolons", "");
    const int *first = trxi_first_equal(r->pool, csv->names, csv->cols);
    if (!first) return TRX_ERR_MEMORY;
    for (int j = 0; j < csv->cols && r->errors < MAX_ERRORS; j++)
        if (first[j] != j) error(r, csv, csv->name_sources[j].column, "two columns are called ", csv->names[j]);
    return r->errors ? TRX_ERR_INPUT : TRX_OK;
}

static bool says_nan(const cell *c)
{
    return c->length == 3 && strncasecmp(c->text, "nan", 3) == 0;
}

// empty and nan are NaN; false when the cell is not a number
static bool cell_number(const cell *c, double *value)
{
    *value = NAN;
    if (c->length == 0 || says_nan(c)) return true;
    if (c->length > MAX_CELL) return false;
    char text[MAX_CELL + 1];
    memcpy(text, c->text, c->length);
    text[c->length] = '\0';
    return strlen(text) == c->length && trxi_number_parse(text, value);
}

// one line of numbers into data and columns
static void read_row(reader *r, const trxi_csv *csv, double *data, int *columns)
{
    int j = 0, last_column = 1;
    for (const char *at = r->line; at; j++) {
        cell c;
        if (!next_cell(r, &at, &c)) {
            error(r, csv, c.column, "a quote is not closed before the next comma", "");
            return;
        }
        last_column = c.column;
        if (j >= csv->cols) continue;
        columns[j] = c.column;
        if (says_nan(&c) && csv->nan_rows[j] < 0) csv->nan_rows[j] = csv->rows;
        if (!cell_number(&c, &data[j])) {
            r->errors++;
            trxi_error_at(r->context, (trx_source){csv->file, r->line_number, c.column},
                          "\"%.*s\" is not a number (column %s)", (int)(c.length < 40 ? c.length : 40), c.text,
                          csv->names[j]);
        }
    }
    if (j == csv->cols) return;
    r->errors++;
    trxi_error_at(r->context, (trx_source){csv->file, r->line_number, last_column}, "%d cells, but the table has %d columns",
                  j, csv->cols);
}

// number of the remaining lines, an upper bound of the rows
static int count_lines(const reader *r)
{
    int lines = r->next < r->end && r->end[-1] != '\n';
    for (const char *c = r->next; c < r->end; c++) lines += *c == '\n';
    return lines;
}

static trx_status read_rows(reader *r, int most_rows, trxi_csv *csv)
{
    const int lines = count_lines(r);
    if (lines > most_rows)
        return trxi_error_at(r->context, (trx_source){csv->file, r->line_number + most_rows + 1, 1},
                             "a table of %d rows: at most %d are read", lines, most_rows);

    // a valid row has cols - 1 commas and an end, so the length of the text bounds the memory
    size_t most = (size_t)lines, fits = (size_t)(r->end - r->next) / (size_t)csv->cols + 1;
    if (most > fits) most = fits;
    csv->data = TRXI_POOL(r->pool, double, most * (size_t)csv->cols);
    csv->columns = TRXI_POOL(r->pool, int, most * (size_t)csv->cols);
    csv->lines = TRXI_POOL(r->pool, int, most);
    csv->nan_rows = TRXI_POOL(r->pool, int, csv->cols);
    if (!csv->data || !csv->columns || !csv->lines || !csv->nan_rows) return TRX_ERR_MEMORY;
    for (int j = 0; j < csv->cols; j++) csv->nan_rows[j] = -1;

    while (r->errors < MAX_ERRORS && next_line(r)) {
        // a line too short for its columns is reported, not stored
        bool stored = (size_t)csv->rows < most;
        size_t at = (size_t)(stored ? csv->rows : 0) * (size_t)csv->cols;
        read_row(r, csv, csv->data + at, csv->columns + at);
        if (!stored) continue;
        csv->lines[csv->rows++] = r->line_number;
    }
    return r->errors ? TRX_ERR_INPUT : TRX_OK;
}

static trx_status parse(trx_context *context, trxi_pool *pool, const char *file, const char *text, size_t length,
                        int most_rows, trxi_csv *csv)
{
    *csv = (trxi_csv){.file = trxi_pool_string(pool, file, strlen(file))};
    if (!csv->file) return TRX_ERR_MEMORY;
    bool bom = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    reader r = {.context = context, .pool = pool, .next = text + (bom ? 3 : 0), .end = text + length};
    if (length > FILE_LIMIT) return trxi_error_at(context, (trx_source){file, 1, 1}, "a table of more than 256 MiB");
    if (!next_line(&r))
        return trxi_error_at(context, (trx_source){file, 1, 1}, "no columns: the first line must hold their names");
    trx_status status = read_names(&r, csv);
    return status < 0 ? status : read_rows(&r, most_rows, csv);
}

trx_status trxi_csv_parse(trx_context *context, trxi_pool *pool, const char *file, const char *text,
                          size_t length, trxi_csv *csv)
{
    return parse(context, pool, file, text, length, INT_MAX, csv);
}

trx_status trxi_csv_read(trx_context *context, trxi_pool *pool, const char *path, trxi_csv *csv)
{
    return trxi_csv_read_rows(context, pool, path, INT_MAX, csv);
}

trx_status trxi_csv_read_rows(trx_context *context, trxi_pool *pool, const char *path, int most_rows, trxi_csv *csv)
{
    *csv = (trxi_csv){0};
    char *text;
    size_t length;
    trx_status status = trxi_file_read(context, pool, path, FILE_LIMIT, &text, &length);
    return status < 0 ? status : parse(context, pool, path, text, length, most_rows, csv);
}

int trxi_csv_find(const trxi_csv *csv, const char *name)
{
    for (int j = 0; j < csv->cols; j++)
        if (strcmp(csv->names[j], name) == 0) return j;
    return -1;
}

trx_source trxi_csv_source(const trxi_csv *csv, int row, int col)
{
    return (trx_source){csv->file, csv->lines[row], csv->columns[(size_t)row * (size_t)csv->cols + (size_t)col]};
}

trx_source trxi_csv_top(const trxi_csv *csv)
{
    return (trx_source){csv->file, 1, 1};
}

int trxi_csv_rows_of(const trxi_csv *csv, const int *columns, int count)
{
    if (csv->rows < 2) return csv->rows;
    for (int i = 0; i < count; i++)
        if (!isnan(trxi_csv_number(csv, csv->rows - 1, columns[i]))) return csv->rows;
    return csv->rows - 1;
}

trx_status trxi_csv_check(trx_context *context, const trxi_csv *csv, int rows, const int *columns, int count, int time)
{
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < count; i++)
            if (columns[i] >= 0 && isnan(trxi_csv_number(csv, row, columns[i])))
                return trxi_error_at(context, trxi_csv_source(csv, row, columns[i]), "an empty cell: write a number");
        if (row > 0 && time >= 0 && !(trxi_csv_number(csv, row, time) > trxi_csv_number(csv, row - 1, time)))
            return trxi_error_at(context, trxi_csv_source(csv, row, time), "t does not increase: write later times in later rows");
    }
    return TRX_OK;
}
