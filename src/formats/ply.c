// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// PLY; see mesh_read.h. The head declares the numbers that follow, as elements with properties:
//
//     ply
//     format ascii | binary_little_endian | binary_big_endian 1.0
//     element NAME COUNT                   then its properties, in the order of the numbers
//     property TYPE NAME                   one number
//     property list TYPE TYPE NAME         a count and as many numbers
//     end_header
//
// The properties x, y, z of the element vertex and the list vertex_indices (or vertex_index) of the element face are
// used, all others are passed over. Faces of more than three corners are divided.

#include "formats/mesh_read.h"

#include "formats/triangles.h"
#include "formats/words.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MAX_ELEMENTS = 16, MAX_PROPERTIES = 64, MAX_CORNERS = 1000000 };

typedef enum kind { I8, U8, I16, U16, I32, U32, F32, F64, KINDS } kind;
static const int sizes[KINDS] = {1, 1, 2, 2, 4, 4, 4, 8};
static const char *const names[2 * KINDS] = {"char",  "uchar",  "short", "ushort", "int",   "uint",   "float",   "double",
                                             "int8",  "uint8",  "int16", "uint16", "int32", "uint32", "float32", "float64"};

typedef enum role { OTHER, X, Y, Z, CORNERS } role;

typedef struct property {
    kind count, value;
    bool list;
    role role;
} property;

typedef struct element {
    bool vertex, face;
    int count, nproperty;
    property properties[MAX_PROPERTIES];
} element;

typedef enum form { ASCII, LITTLE, BIG } form;

typedef struct reader {
    trxi_triangles t;
    trxi_words words;
    form form;
    const char *start, *at, *end; // of the whole file; of the binary part
    element elements[MAX_ELEMENTS];
    int nelement;
} reader;

static trx_status refuse(const reader *r, const trxi_word *word, const char *what)
{
    char shown[TRXI_WORD_SHOWN];
    return trxi_error_at(r->t.context, word->source, "%s, not %s", what, trxi_word_shown(word, shown));
}

// ---- the head ----

static bool read_kind(const trxi_word *word, kind *out)
{
    for (int i = 0; i < 2 * KINDS; i++)
        if (trxi_word_is(word, names[i])) {
            *out = (kind)(i % KINDS);
            return true;
        }
    return false;
}

static trx_status read_format(reader *r)
{
    static const char *const forms[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    trxi_word word;
    trxi_words_next_in_line(&r->words, &word);
    for (int i = 0; i < 3; i++)
        if (trxi_word_is(&word, forms[i])) {
            r->form = (form)i;
            return TRX_OK;
        }
    return refuse(r, &word, "the format is ascii, binary_little_endian or binary_big_endian");
}

static trx_status read_element(reader *r, trx_source source)
{
    trxi_word name, count;
    double number;
    if (r->nelement == MAX_ELEMENTS) return trxi_error_at(r->t.context, source, "more than %d elements", MAX_ELEMENTS);
    trxi_words_next_in_line(&r->words, &name);
    trxi_words_next_in_line(&r->words, &count);
    if (!trxi_word_number(&count, &number) || number != floor(number) || number < 0 || number > TRXI_MESH_MAX_POINTS)
        return refuse(r, &count, "the number of an element is a whole number up to 15000000");
    r->elements[r->nelement++] =
        (element){.vertex = trxi_word_is(&name, "vertex"), .face = trxi_word_is(&name, "face"), .count = (int)number};
    return TRX_OK;
}

static role role_of(const element *e, const property *p, const trxi_word *name)
{
    if (e->vertex && !p->list)
        return trxi_word_is(name, "x") ? X : trxi_word_is(name, "y") ? Y : trxi_word_is(name, "z") ? Z : OTHER;
    bool corners = trxi_word_is(name, "vertex_indices") || trxi_word_is(name, "vertex_index");
    return e->face && p->list && corners ? CORNERS : OTHER;
}

static trx_status read_property(reader *r, trx_source source)
{
    element *e = r->nelement > 0 ? &r->elements[r->nelement - 1] : NULL;
    if (!e) return trxi_error_at(r->t.context, source, "a property stands before the first element");
    if (e->nproperty == MAX_PROPERTIES)
        return trxi_error_at(r->t.context, source, "an element of more than %d properties", MAX_PROPERTIES);
    property p = {0};
    trxi_word word;
    trxi_words_next_in_line(&r->words, &word);
    p.list = trxi_word_is(&word, "list");
    if (p.list) {
        trxi_words_next_in_line(&r->words, &word);
        if (!read_kind(&word, &p.count) || p.count >= F32) return refuse(r, &word, "a list is counted by a type of whole numbers");
        trxi_words_next_in_line(&r->words, &word);
    }
    if (!read_kind(&word, &p.value)) return refuse(r, &word, "a property has a type like float, int or uchar");
    trxi_words_next_in_line(&r->words, &word);
    p.role = role_of(e, &p, &word);
    e->properties[e->nproperty++] = p;
    return TRX_OK;
}

// reads the head, up to end_header and the end of its line
static trx_status read_head(reader *r)
{
    trxi_word word;
    trx_status status = TRX_OK;
    if (!trxi_words_next(&r->words, &word) || !trxi_word_is(&word, "ply")) return refuse(r, &word, "a PLY file begins with ply");
    while (status == TRX_OK) {
        trxi_words_skip_line(&r->words);
        if (!trxi_words_next(&r->words, &word)) return refuse(r, &word, "the head of a PLY file ends with end_header");
        if (trxi_word_is(&word, "end_header")) break;
        if (trxi_word_is(&word, "format")) status = read_format(r);
        else if (trxi_word_is(&word, "element")) status = read_element(r, word.source);
        else if (trxi_word_is(&word, "property")) status = read_property(r, word.source);
        else if (!trxi_word_is(&word, "comment") && !trxi_word_is(&word, "obj_info"))
            status = refuse(r, &word, "a line of the head begins with format, comment, element, property or end_header");
    }
    trxi_words_skip_line(&r->words);
    r->at = r->words.at;
    return status;
}

// ---- numbers ----

static trx_status read_binary(reader *r, kind what, double *out)
{
    int n = sizes[what];
    uint64_t bits = 0;
    if (r->end - r->at < n)
        return trxi_error_at(r->t.context, (trx_source){r->t.file, 0, 0},
                             "the file ends after %td bytes, in the middle of its data", r->end - r->start);
    for (int i = 0; i < n; i++) bits |= (uint64_t)(unsigned char)r->at[r->form == LITTLE ? i : n - 1 - i] << 8 * i;
    r->at += n;
    uint32_t low = (uint32_t)bits;
    float single;
    memcpy(&single, &low, sizeof single);
    if (what == F64) memcpy(out, &bits, sizeof *out);
    else if (what == F32) *out = single;
    else if (what == U8 || what == U16 || what == U32) *out = (double)bits;
    else *out = (double)((int64_t)(bits << (64 - 8 * n)) >> (64 - 8 * n));
    return TRX_OK;
}

static trx_status read_number(reader *r, kind what, double *out)
{
    trxi_word word;
    if (r->form != ASCII) return read_binary(r, what, out);
    trxi_words_next(&r->words, &word);
    return trxi_word_number(&word, out) ? TRX_OK : refuse(r, &word, "a number belongs here");
}

// ---- the elements ----

static trx_source place(const reader *r)
{
    return r->form == ASCII ? (trx_source){r->t.file, r->words.line, 0} : (trx_source){r->t.file, 0, 0};
}

static trx_status read_list(reader *r, const property *p)
{
    double count = 0, value = 0;
    int fan[3] = {0};
    const int first = r->t.ntriangle;
    trx_status status = read_number(r, p->count, &count);
    if (status == TRX_OK && !(count >= 0 && count <= MAX_CORNERS && count == floor(count)))
        return trxi_error_at(r->t.context, place(r), "a list of %g numbers: at most %d are read", count, MAX_CORNERS);
    for (int i = 0; status == TRX_OK && i < (int)count; i++) {
        status = read_number(r, p->value, &value);
        if (p->role != CORNERS || status < 0) continue;
        if (i > 2) fan[1] = fan[2];
        fan[i < 2 ? i : 2] = value >= 0 && value < TRXI_MESH_MAX_POINTS && value == floor(value) ? (int)value : -1;
        if (i >= 2) status = trxi_triangles_add(&r->t, place(r), fan);
    }
    return status == TRX_OK ? trxi_triangles_divide(&r->t, first) : status;
}

static trx_status read_item(reader *r, const element *e)
{
    double point[3] = {0}, value = 0;
    trx_status status = TRX_OK;
    for (int i = 0; status == TRX_OK && i < e->nproperty; i++) {
        const property *p = &e->properties[i];
        status = p->list ? read_list(r, p) : read_number(r, p->value, &value);
        if (status == TRX_OK && p->role >= X && p->role <= Z) point[p->role - X] = value;
    }
    return status == TRX_OK && e->vertex ? trxi_triangles_point(&r->t, place(r), point) : status;
}

// checks that the head declares vertices with three coordinates, and faces after the vertices
static trx_status check_head(const reader *r)
{
    int coordinates = 0, corners = 0;
    for (int k = 0; k < r->nelement; k++)
        for (int i = 0; i < r->elements[k].nproperty; i++) {
            role what = r->elements[k].properties[i].role;
            coordinates += what >= X && what <= Z;
            corners += what == CORNERS && coordinates >= 3;
        }
    if (coordinates == 3 && corners == 1) return TRX_OK;
    return trxi_error_at(r->t.context, (trx_source){r->t.file, 1, 1},
                         "the head needs an element vertex with x, y and z, and behind it an element face with one list "
                         "vertex_indices");
}

static trx_status read_all(reader *r)
{
    trx_status status = read_head(r);
    if (status == TRX_OK) status = check_head(r);
    for (int k = 0; status == TRX_OK && k < r->nelement; k++)
        for (int i = 0; status == TRX_OK && i < r->elements[k].count && r->elements[k].nproperty > 0; i++)
            status = read_item(r, &r->elements[k]);
    return status;
}

trx_status trxi_ply_parse(trx_context *context, trxi_pool *pool, const char *file, const char *data, size_t length,
                          trx_mesh *mesh)
{
    trxi_triangles t = trxi_triangles_begin(context, file);
    reader *r = t.scratch ? TRXI_POOL(t.scratch, reader, 1) : NULL;
    if (r) {
        r->t = t;
        r->words = trxi_words_begin(file, data, length, false);
        r->start = data;
        r->end = data + length;
    }
    trx_status status = r ? read_all(r) : TRX_ERR_MEMORY;
    if (r) t = r->t;
    return trxi_triangles_end(&t, status, pool, mesh);
}
