// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The rows of a long run's tables that fit on a page. A table is read in blocks and passed on line by line. Times
// of rows and frames both increase, so comparing with the next frame is enough. Times of frames are rounded to 1e-9
// s.

#include "report/shown.h"

#include "formats/scalar.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 1 << 12, CELL = 64 };

static const double ROUNDING = 1e-9; // [s]

// moves behind the closing quote of the string at p; p is behind the opening quote
static const char *string_end(const char *p)
{
    for (; *p && *p != '"'; p++)
        if (*p == '\\' && p[1]) p++;
    return *p ? p + 1 : p;
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

// the value of a key of the outermost object; NULL when there is none
static const char *find_value(const char *json, const char *key)
{
    size_t length = strlen(key);
    int depth = 0;
    for (const char *p = json; *p;) {
        char c = *p++;
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
        if (c != '"') continue;
        const char *name = p, *after = skip_blanks(p = string_end(p));
        bool same = (size_t)(p - name) == length + 1 && memcmp(name, key, length) == 0;
        if (depth == 1 && same && *after == ':') return skip_blanks(after + 1);
    }
    return NULL;
}

// the number at the start of `text`, which ends at one of `marks`; false when there is none
static bool read_number(const char *text, const char *marks, double *number)
{
    char cell[CELL];
    size_t length = strcspn(text, marks);
    if (length == 0 || length >= sizeof cell) return false;
    memcpy(cell, text, length);
    cell[length] = '\0';
    return trxi_number_parse(cell, number);
}

trx_status trxi_shown_times(trxi_pool *pool, const char *scene_json, trxi_shown *shown)
{
    *shown = (trxi_shown){0};
    double every = 1;
    const char *text = find_value(scene_json, "every");
    if (!text || !read_number(text, ",} \n", &every) || !(every > 1)) return TRX_OK;
    text = find_value(scene_json, "times");
    if (!text || *text != '[') return TRX_OK;

    int capacity = 0, count = 0;
    double *times = NULL, time;
    for (text = skip_blanks(text + 1); read_number(text, ",] \n", &time); count++) {
        if (count == capacity && !(times = trxi_pool_grow(pool, times, count, &capacity, sizeof *times)))
            return TRX_ERR_MEMORY;
        times[count] = time;
        text = skip_blanks(text + strcspn(text, ",] \n"));
        if (*text == ',') text = skip_blanks(text + 1);
    }
    *shown = (trxi_shown){times, count};
    return TRX_OK;
}

// a table that is being read
typedef struct reading {
    const trxi_shown *shown;
    void (*take)(void *user, const char *bytes, size_t length);
    void *user;
    trxi_text line; // the part of a line that the last block ended in
    long long lines;
    int next;       // frame
} reading;

static bool is_shown(reading *r, const char *line)
{
    double t;
    if (r->lines++ == 0 || !r->shown || !r->shown->times) return true;
    if (!read_number(line, ",\r\n", &t)) return false;
    while (r->next < r->shown->count && r->shown->times[r->next] < t - ROUNDING) r->next++;
    return r->next < r->shown->count && fabs(r->shown->times[r->next] - t) <= ROUNDING;
}

static void pass_line(reading *r, const char *line, size_t length)
{
    if (length > 0 && is_shown(r, line)) r->take(r->user, line, length);
}

// the lines of a block; the first line continues the line of the block before
static void pass_block(reading *r, const char *block, size_t length)
{
    const char *end = block + length;
    for (const char *newline; block < end; block = newline + 1) {
        newline = memchr(block, '\n', (size_t)(end - block));
        if (!newline || r->line.length > 0)
            trxi_text_append(&r->line, block, (size_t)((newline ? newline + 1 : end) - block));
        if (!newline) return;
        if (r->line.length > 0) pass_line(r, trxi_text_get(&r->line), r->line.length);
        else pass_line(r, block, (size_t)(newline + 1 - block));
        trxi_text *line = &r->line;
        if (line->length > 0 && line->status >= 0) trxi_text_clear(line);
    }
}

trx_status trxi_shown_rows(trx_context *context, const trxi_shown *shown, const char *path,
                           void (*take)(void *user, const char *bytes, size_t length), void *user)
{
    FILE *file = fopen(path, "rb");
    if (!file) return trxi_fail(context, TRX_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    reading r = {.shown = shown, .take = take, .user = user, .line = trxi_text_create(context)};
    char block[BLOCK];
    size_t length;
    while ((length = fread(block, 1, sizeof block, file)) > 0 && r.line.status >= 0) pass_block(&r, block, length);
    trx_status status = r.line.status;
    if (ferror(file)) status = trxi_fail(context, TRX_ERR_IO, "cannot read '%s'", path);
    fclose(file);
    if (status >= 0) pass_line(&r, trxi_text_get(&r.line), r.line.length);
    trxi_text_destroy(&r.line);
    return status;
}
