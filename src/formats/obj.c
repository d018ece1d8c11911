// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Wavefront OBJ; see mesh_read.h. One statement per line; the first word is its kind:
//
//     v X Y Z ...                           a vertex; weight or colours may follow, up to 4 numbers
//     f A B C ...                           a polygon of corners V, V/VT, V//VN or V/VT/VN; V counts vertices from 1, or
//                                           backwards from the last one before this line: -1
//                                           fewer than three corners have no area and are passed over
//     vn vt vp o g s usemtl mtllib l p ...  passed over, as are empty lines and comments (#)

#include "formats/mesh_read.h"

#include "formats/scalar.h"
#include "formats/triangles.h"
#include "formats/words.h"

#include <math.h>
#include <string.h>

enum { MAX_INDEX = 11, MAX_MORE = 4 };

// the triangles of a polygon
typedef struct fan {
    int first, count;
} fan;

typedef struct reader {
    trxi_triangles t;
    trxi_words words;
    trxi_polygons polygons;
    bool first_object_ended; // for the triangles of MuJoCo
    fan *fans; // polygons of more than three corners
    int nfan, fan_capacity;
    int highest; // highest vertex that a face names, counted from 1
    trx_source highest_source; // the corner that names it
} reader;

static trx_status refuse(const reader *r, const trxi_word *word, const char *what)
{
    char shown[TRXI_WORD_SHOWN];
    return trxi_error_at(r->t.context, word->source, "%s, not %s", what, trxi_word_shown(word, shown));
}

// ---- vertices ----

static trx_status read_vertex(reader *r, trx_source source)
{
    trxi_word word;
    double p[3], ignored;
    for (int i = 0; i < 3; i++) {
        trxi_words_next_in_line(&r->words, &word);
        if (!trxi_word_number(&word, &p[i])) return refuse(r, &word, "a vertex has three coordinates, finite numbers");
        if (fabs(p[i]) > TRXI_MESH_MAX_COORDINATE)
            return trxi_error_at(r->t.context, word.source, "a coordinate beyond 1e12");
        if (r->polygons == TRXI_POLYGONS_TINYOBJ) p[i] = (float)p[i];
    }
    trx_status status = trxi_triangles_point(&r->t, source, p);
    if (status < 0) return status;

    // weight and colours
    for (int i = 0; trxi_words_next_in_line(&r->words, &word) && word.text[0] != '#'; i++)
        if (i == MAX_MORE || !trxi_word_number(&word, &ignored))
            return refuse(r, &word, "after a vertex come at most four numbers, its weight or colours");
    return TRX_OK;
}

// ---- faces ----

// one integer of a corner, from *at to the next "/" or the end; false when this text is no integer, or 0
static bool read_index(const trxi_word *word, size_t *at, int *index)
{
    char text[MAX_INDEX + 1];
    size_t length = 0;
    for (; *at < word->length && word->text[*at] != '/'; ++*at) {
        if (length == MAX_INDEX || word->text[*at] == '\0') return false;
        text[length++] = word->text[*at];
    }
    text[length] = '\0';
    return trxi_int_parse(text, index) && *index != 0;
}

// V, V/VT, V//VN or V/VT/VN; texture and normal numbers are required but not used
static bool read_corner(const trxi_word *word, int *vertex)
{
    size_t at = 0;
    int other;
    if (!read_index(word, &at, vertex)) return false;
    if (at == word->length) return true;
    bool texture = ++at < word->length && word->text[at] != '/';
    if (texture && !read_index(word, &at, &other)) return false;
    if (at == word->length) return texture;
    return ++at < word->length && read_index(word, &at, &other) && at == word->length;
}

// the corner's vertex from 0; vertices that are defined later are checked at the end of the file
static trx_status read_face_vertex(reader *r, const trxi_word *word, int *vertex)
{
    if (!read_corner(word, vertex))
        return refuse(r, word, "a corner of a face is V, V/VT, V//VN or V/VT/VN with whole numbers other than 0");
    if (*vertex < 0 && *vertex < -r->t.npoint)
        return trxi_error_at(r->t.context, word->source, "vertex %d: only %d vertices stand before this line", *vertex,
                             r->t.npoint);
    if (*vertex > r->highest) {
        r->highest = *vertex;
        r->highest_source = word->source;
    }
    *vertex = *vertex < 0 ? r->t.npoint + *vertex : *vertex - 1;
    return TRX_OK;
}

// remembers the fan that ends with the last triangle; its vertices may follow later in the file
static trx_status add_fan(reader *r, int count)
{
    if (r->nfan == r->fan_capacity) {
        r->fans = trxi_pool_grow(r->t.scratch, r->fans, r->nfan, &r->fan_capacity, sizeof *r->fans);
        if (!r->fans) return TRX_ERR_MEMORY;
    }
    r->fans[r->nfan++] = (fan){r->t.ntriangle - count, count};
    return TRX_OK;
}

static trx_status read_face(reader *r, trx_source source)
{
    int corners[3] = {0}, count = 0;
    for (trxi_word word; trxi_words_next_in_line(&r->words, &word) && word.text[0] != '#'; count++) {
        int vertex;
        trx_status status = read_face_vertex(r, &word, &vertex);
        if (status < 0) return status;
        if (count > 2) corners[1] = corners[2];
        corners[count < 2 ? count : 2] = vertex;
        if (count >= 2 && (status = trxi_triangles_add_unchecked(&r->t, source, corners)) < 0) return status;
    }
    if (count > 3) return add_fan(r, count - 2);
    // one or two corners have no area: others read such a face as a point or a line
    if (count == 0) return trxi_error_at(r->t.context, source, "a face needs at least three corners, this one has 0");
    return TRX_OK;
}

// ---- the file ----

static trx_status read_statement(reader *r, const trxi_word *word)
{
    static const char *const ignored[] = {
        "vn",  "vt",   "vp",    "o",    "g",      "s",       "usemtl", "mtllib",  "l",       "p",         "mg",
        "lod", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj", "usemap", "maplib", "cstype", "deg", "bmat",
        "step", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "end", "con", "ctech", "stech"};
    if (trxi_word_is(word, "v")) return read_vertex(r, word->source);
    if (trxi_word_is(word, "o") || trxi_word_is(word, "g"))
        r->first_object_ended |= r->polygons == TRXI_POLYGONS_TINYOBJ && r->t.ntriangle > 0;
    if (trxi_word_is(word, "f")) return r->first_object_ended ? TRX_OK : read_face(r, word->source);
    if (word->text[0] == '#') return TRX_OK;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        if (trxi_word_is(word, ignored[i])) return TRX_OK;
    return refuse(r, word, "a line begins with v, f, # or another statement of OBJ");
}

static trx_status read_all(reader *r)
{
    trxi_word word;
    while (trxi_words_next(&r->words, &word)) {
        trx_status status = read_statement(r, &word);
        if (status < 0) return status;
        // comments hold paths, whose backslashes must not join lines
        r->words.continued = word.text[0] != '#';
        trxi_words_skip_line(&r->words);
        r->words.continued = true;
    }
    if (r->highest > r->t.npoint)
        return trxi_error_at(r->t.context, r->highest_source, "vertex %d: the file has only %d", r->highest, r->t.npoint);
    for (int i = 0; i < r->nfan; i++)
        if (!trxi_polygon_divide(r->t.scratch, r->t.points, r->polygons, r->t.corners + 3 * (size_t)r->fans[i].first,
                                 r->fans[i].count))
            return TRX_ERR_MEMORY;
    return TRX_OK;
}

static trx_status parse(trx_context *context, trxi_pool *pool, const char *file, const char *text, size_t length,
                        trxi_polygons polygons, trx_mesh *mesh)
{
    reader r = {.t = trxi_triangles_begin(context, file), .polygons = polygons,
                .words = trxi_words_begin(file, text, length, true)};
    trx_status status = r.t.scratch ? read_all(&r) : TRX_ERR_MEMORY;
    return trxi_triangles_end(&r.t, status, pool, mesh);
}

trx_status trxi_obj_parse(trx_context *context, trxi_pool *pool, const char *file, const char *text, size_t length,
                          trx_mesh *mesh)
{
    return parse(context, pool, file, text, length, TRXI_POLYGONS_COVERED, mesh);
}

trx_status trxi_obj_parse_tinyobj(trx_context *context, trxi_pool *pool, const char *file, const char *text, size_t length,
                                  trx_mesh *mesh)
{
    return parse(context, pool, file, text, length, TRXI_POLYGONS_TINYOBJ, mesh);
}
