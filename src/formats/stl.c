// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// STL; see mesh_read.h. Both kinds are read as corners, three points per triangle; formats/merge.h makes the mesh.
//
// Binary, little endian: 80 arbitrary bytes, the number of triangles as 4 bytes, then 50 bytes per triangle: the
// normal and three corners as 3 floats each, and 2 arbitrary bytes. ASCII, where blanks and line ends are
// equivalent:
//
//     solid [NAME to the end of the line]
//       facet normal X Y Z   outer loop   vertex X Y Z   vertex X Y Z   vertex X Y Z   endloop   endfacet
//     endsolid [NAME to the end of the line]

#include "formats/mesh_read.h"

#include "formats/triangles.h"
#include "formats/words.h"

#include <math.h>
#include <string.h>

enum { HEAD = 84, RECORD = 50, NORMAL = 12 };

typedef struct reader {
    trx_context *context;
    trxi_pool *scratch;
    const char *file;
    double *points; // 9 of each triangle
    int count, capacity; // triangles
} reader;

static trx_status fail(const reader *r, const char *what)
{
    return trxi_error_at(r->context, (trx_source){r->file, 0, 0}, "%s", what);
}

// ---- binary ----

// whether the file has the length for `count` triangles
static bool fits(size_t length, uint32_t count)
{
    return (uint64_t)length == HEAD + (uint64_t)RECORD * count;
}

static trx_status check_size(const reader *r, size_t length, uint32_t count)
{
    const trx_source source = {r->file, 0, 0};
    if (!fits(length, count))
        return trxi_error_at(r->context, source,
                             "a binary STL file of %lu triangles (bytes 81 to 84) has %llu bytes, but this one has %zu",
                             (unsigned long)count, HEAD + (unsigned long long)RECORD * count, length);
    if (count > TRXI_MESH_MAX_TRIANGLES)
        return trxi_error_at(r->context, source, "%lu triangles: at most %d are read", (unsigned long)count,
                             TRXI_MESH_MAX_TRIANGLES);
    return TRX_OK;
}

static trx_status read_binary(reader *r, const char *data, size_t length)
{
    if (length < HEAD)
        return trxi_error_at(r->context, (trx_source){r->file, 0, 0},
                             "no STL file: neither text, as it has zero bytes, nor a binary head of 84 bytes (it has %zu)",
                             length);
    uint32_t count = trxi_bytes_whole(data + HEAD - 4);
    trx_status status = check_size(r, length, count);
    if (status < 0) return status;
    r->points = TRXI_POOL(r->scratch, double, 9 * (size_t)count);
    if (!r->points) return TRX_ERR_MEMORY;

    for (; (uint32_t)r->count < count; r->count++) {
        size_t begin = HEAD + RECORD * (size_t)r->count + NORMAL;
        for (size_t i = 0; i < 9; i++) {
            double x = trxi_bytes_float(data + begin + 4 * i);
            if (!(fabs(x) <= TRXI_MESH_MAX_COORDINATE))
                return trxi_error_at(r->context, (trx_source){r->file, 0, 0},
                                     "triangle %d: a coordinate (byte %zu) is %s", r->count + 1, begin + 4 * i + 1,
                                     isnan(x) ? "not a number" : isinf(x) ? "infinite" : "beyond 1e12");
            r->points[9 * (size_t)r->count + i] = x;
        }
    }
    return TRX_OK;
}

// ---- ASCII ----

static trx_status expect(const reader *r, trxi_words *words, const char *name)
{
    trxi_word word;
    char shown[TRXI_WORD_SHOWN];
    if (trxi_words_next(words, &word) && trxi_word_is(&word, name)) return TRX_OK;
    return trxi_error_at(r->context, word.source, "\"%s\" belongs here, not %s", name, trxi_word_shown(&word, shown));
}

static trx_status read_coordinate(const reader *r, trxi_words *words, double *out)
{
    trxi_word word;
    char shown[TRXI_WORD_SHOWN];
    trxi_words_next(words, &word);
    if (!trxi_word_number(&word, out))
        return trxi_error_at(r->context, word.source, "a coordinate, a finite number, belongs here, not %s",
                             trxi_word_shown(&word, shown));
    if (fabs(*out) > TRXI_MESH_MAX_COORDINATE)
        return trxi_error_at(r->context, word.source, "a coordinate beyond 1e12");
    return TRX_OK;
}

// the text from "facet" to "endfacet"
static trx_status read_facet(const reader *r, trxi_words *words, double points[9])
{
    trxi_word ignored;
    trx_status status = expect(r, words, "normal");
    for (int i = 0; i < 3 && status == TRX_OK; i++) trxi_words_next(words, &ignored);
    if (status == TRX_OK) status = expect(r, words, "outer");
    if (status == TRX_OK) status = expect(r, words, "loop");
    for (int i = 0; i < 9 && status == TRX_OK; i++) {
        if (i % 3 == 0) status = expect(r, words, "vertex");
        if (status == TRX_OK) status = read_coordinate(r, words, &points[i]);
    }
    if (status == TRX_OK) status = expect(r, words, "endloop");
    return status == TRX_OK ? expect(r, words, "endfacet") : status;
}

static trx_status add_facet(reader *r, trxi_words *words, trx_source source)
{
    if (r->count == TRXI_MESH_MAX_TRIANGLES)
        return trxi_error_at(r->context, source, "more than %d triangles", TRXI_MESH_MAX_TRIANGLES);
    if (r->count == r->capacity) {
        r->points = trxi_pool_grow(r->scratch, r->points, r->count, &r->capacity, 9 * sizeof(double));
        if (!r->points) return TRX_ERR_MEMORY;
    }
    return read_facet(r, words, r->points + 9 * (size_t)r->count++);
}

// the text from "solid" to the line of "endsolid"
static trx_status read_solid(reader *r, trxi_words *words)
{
    trxi_words_skip_line(words);
    for (;;) {
        trxi_word word;
        char shown[TRXI_WORD_SHOWN];
        trxi_words_next(words, &word);
        if (trxi_word_is(&word, "endsolid")) {
            trxi_words_skip_line(words);
            return TRX_OK;
        }
        if (!trxi_word_is(&word, "facet"))
            return trxi_error_at(r->context, word.source, "\"facet\" or \"endsolid\" belongs here, not %s",
                                 trxi_word_shown(&word, shown));
        trx_status status = add_facet(r, words, word.source);
        if (status < 0) return status;
    }
}

static trx_status read_ascii(reader *r, const char *text, size_t length)
{
    trxi_words words = trxi_words_begin(r->file, text, length, false);
    trxi_word word;
    for (bool first = true; trxi_words_next(&words, &word); first = false) {
        char shown[TRXI_WORD_SHOWN];
        if (!trxi_word_is(&word, "solid"))
            return trxi_error_at(r->context, word.source, "%s, not %s",
                                 first ? "an ASCII STL file begins with \"solid\"" : "\"solid\" or the end belongs here",
                                 trxi_word_shown(&word, shown));
        trx_status status = read_solid(r, &words);
        if (status < 0) return status;
    }
    return TRX_OK;
}

// ---- both ----

static bool is_ascii(const char *data, size_t length)
{
    bool binary = length >= HEAD && fits(length, trxi_bytes_whole(data + HEAD - 4));
    return !binary && !memchr(data, '\0', length);
}

trx_status trxi_stl_parse(trx_context *context, trxi_pool *pool, const char *file, const char *data, size_t length,
                          trx_mesh *mesh)
{
    *mesh = (trx_mesh){0};
    reader r = {.context = context, .file = file};
    if (length == 0) return fail(&r, "the file is empty");
    r.scratch = trxi_pool_create(context);
    if (!r.scratch) return TRX_ERR_MEMORY;
    trx_status status = is_ascii(data, length) ? read_ascii(&r, data, length)
                                                     : read_binary(&r, data, length);
    if (status == TRX_OK)
        status = trxi_mesh_merge(context, pool, file, r.points, 3 * r.count, NULL, r.count, mesh);
    trxi_pool_destroy(r.scratch);
    return status;
}
