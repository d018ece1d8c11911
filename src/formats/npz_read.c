// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The NPZ reader; see npz.h. The reader follows the central directory and checks every length against the existing bytes
// and every array against its checksum. Entries that overlap are refused, so the arrays together are never larger than
// the file. Files of NumPy's savez are also read: stored entries, .npy versions 1 and 2, little-endian float64 in C
// order. Everything else is an error with its reason.

#include "formats/npz.h"

#include "formats/files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOCAL_SIGNATURE = 0x04034b50,
    ENTRY_SIGNATURE = 0x02014b50,
    END_SIGNATURE = 0x06054b50,
    LOCAL_SIZE = 30,
    ENTRY_SIZE = 46,
    END_SIZE = 22,
    MAX_COMMENT = 65535,
};

// bytes [begin, end) of an entry: local header and array
typedef struct extent {
    size_t begin, end;
} extent;

// an entry of the directory
typedef struct entry {
    const char *name;
    size_t array, size; // place and length of the .npy file
    uint32_t crc;
    extent bytes;
} entry;

typedef struct source {
    trx_context *context;
    trxi_pool *pool;
    const char *file;
    const unsigned char *bytes;
    size_t length;
} source;

static uint32_t get(const unsigned char *b, int bytes)
{
    uint32_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) value = value << 8 | b[i];
    return value;
}

static trx_status bad(const source *s, const char *what)
{
    return trxi_error_at(s->context, (trx_source){s->file, 0, 0}, "not an archive of arrays: %s", what);
}

// searches the end record backwards over a comment; false when there is none. An archive without arrays is the end record alone
static bool find_end(const source *s, size_t *end)
{
    if (s->length < END_SIZE) return false;
    const size_t last = s->length - END_SIZE;
    for (size_t back = 0; back <= MAX_COMMENT && back <= last; back++) {
        *end = last - back;
        if (get(s->bytes + *end, 4) == END_SIGNATURE) return true;
    }
    return false;
}

// the value after 'KEY': in a .npy header, NULL when absent
static const char *header_value(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    return at ? at + strlen(key) : NULL;
}

// "(3, 4, 5)" into shape; false for other texts or too many dimensions
static bool read_shape(const char *text, trxi_npz_array *array)
{
    if (*text++ != '(') return false;
    for (array->dims = 0; *text != ')'; array->dims++) {
        char *end;
        long size = strtol(text, &end, 10);
        if (end == text || size < 0 || size > INT_MAX || array->dims == TRXI_NPZ_MAX_DIMS) return false;
        array->shape[array->dims] = (int)size;
        text = end + strspn(end, ", ");
    }
    return true;
}

// magic, version, header, doubles
static trx_status read_npy(const source *s, const unsigned char *b, size_t length, trxi_npz_array *array)
{
    if (length < 12 || memcmp(b, "\x93NUMPY", 6) != 0 || b[6] < 1 || b[6] > 2)
        return bad(s, "no .npy array of version 1 or 2");
    size_t before = b[6] == 1 ? 10 : 12, header_length = get(b + 8, b[6] == 1 ? 2 : 4);
    if (header_length > length - before) return bad(s, "a .npy header is cut off");
    char *header = trxi_pool_string(s->pool, (const char *)b + before, header_length);
    if (!header) return TRX_ERR_MEMORY;
    const char *type = header_value(header, "'descr': "), *order = header_value(header, "'fortran_order': ");
    const char *shape = header_value(header, "'shape': ");
    bool known = type && order && shape && !strncmp(type, "'<f8'", 5) && !strncmp(order, "False", 5);
    if (!known || !read_shape(shape, array)) return bad(s, "an array is not of little-endian doubles in C order");

    const unsigned char *from = b + before + header_length;
    size_t available = (length - before - header_length) / 8, count = 1;
    for (int i = 0; i < array->dims; i++) {
        size_t size = (size_t)array->shape[i];
        if (size > 0 && count > available / size) return bad(s, "an array is shorter than its shape");
        count *= size;
    }
    if (count > available) return bad(s, "an array is shorter than its shape"); // a scalar without its number
    array->data = TRXI_POOL(s->pool, double, count + 1);
    if (!array->data) return TRX_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = (uint64_t)get(from + 8 * i + 4, 4) << 32 | get(from + 8 * i, 4);
        memcpy(&array->data[i], &bits, sizeof bits);
    }
    return TRX_OK;
}

// one directory entry; `*at` moves to the next one
static trx_status read_entry(const source *s, size_t *at, entry *found)
{
    if (s->length - *at < ENTRY_SIZE || get(s->bytes + *at, 4) != ENTRY_SIGNATURE)
        return bad(s, "its directory is cut off");
    const unsigned char *e = s->bytes + *at;
    size_t name_length = get(e + 28, 2), offset = get(e + 42, 4);
    size_t length = ENTRY_SIZE + name_length + get(e + 30, 2) + get(e + 32, 2);
    if (s->length - *at < length || name_length < 5) return bad(s, "its directory is cut off");
    if (get(e + 10, 2) != 0) return bad(s, "an array is compressed");
    *found = (entry){.size = get(e + 20, 4), .crc = get(e + 16, 4)};
    found->name = trxi_pool_string(s->pool, (const char *)e + ENTRY_SIZE, name_length - strlen(".npy"));
    if (!found->name) return TRX_ERR_MEMORY;
    *at += length;

    // the local header has its own name and extra lengths
    if (offset > s->length || s->length - offset < LOCAL_SIZE) return bad(s, "an array is cut off");
    const unsigned char *local = s->bytes + offset;
    size_t skip = LOCAL_SIZE + get(local + 26, 2) + get(local + 28, 2);
    if (get(local, 4) != LOCAL_SIGNATURE || s->length - offset < skip || s->length - offset - skip < found->size)
        return bad(s, "an array is cut off");
    found->array = offset + skip;
    found->bytes = (extent){offset, found->array + found->size};
    return TRX_OK;
}

static int by_begin(const void *a, const void *b)
{
    const size_t x = ((const extent *)a)->begin, y = ((const extent *)b)->begin;
    return (x > y) - (x < y);
}

// an error when two entries share bytes: a small file could otherwise ask for any amount of memory
static trx_status refuse_overlaps(const source *s, const entry *entries, int count)
{
    extent *extents = TRXI_POOL(s->pool, extent, count + 1);
    if (!extents) return TRX_ERR_MEMORY;
    for (int i = 0; i < count; i++) extents[i] = entries[i].bytes;
    qsort(extents, (size_t)count, sizeof *extents, by_begin);
    for (int i = 1; i < count; i++)
        if (extents[i].begin < extents[i - 1].end) return bad(s, "two arrays share bytes");
    return TRX_OK;
}

static bool is_wanted(const char *name, const char *const *wanted)
{
    if (!wanted) return true;
    for (; *wanted; wanted++)
        if (strcmp(name, *wanted) == 0) return true;
    return false;
}

// checksum and numbers of one entry
static trx_status read_array(const source *s, const entry *from, trxi_npz_array *array)
{
    array->name = from->name;
    if (trxi_crc32(0, s->bytes + from->array, from->size) != from->crc) return bad(s, "a checksum does not fit");
    return read_npy(s, s->bytes + from->array, from->size, array);
}

trx_status trxi_npz_parse(trx_context *context, trxi_pool *pool, const char *file, const void *bytes, size_t length,
                          const char *const *wanted, trxi_npz_archive *archive)
{
    source s = {context, pool, file, bytes, length};
    *archive = (trxi_npz_archive){0};
    size_t end;
    if (!find_end(&s, &end)) return bad(&s, "no end record");
    int count = (int)get(s.bytes + end + 10, 2);
    size_t at = get(s.bytes + end + 16, 4);
    if (at > end) return bad(&s, "its directory is cut off");

    entry *entries = TRXI_POOL(pool, entry, count + 1);
    archive->arrays = TRXI_POOL(pool, trxi_npz_array, count + 1);
    if (!entries || !archive->arrays) return TRX_ERR_MEMORY;
    trx_status status = TRX_OK;
    for (int i = 0; i < count && status == TRX_OK; i++) status = read_entry(&s, &at, &entries[i]);
    if (status == TRX_OK) status = refuse_overlaps(&s, entries, count);
    for (int i = 0; i < count && status == TRX_OK; i++)
        if (is_wanted(entries[i].name, wanted)) status = read_array(&s, &entries[i], &archive->arrays[archive->count++]);
    return status;
}

trx_status trxi_npz_read(trx_context *context, trxi_pool *pool, const char *path, const char *const *wanted,
                         trxi_npz_archive *archive)
{
    char *bytes;
    size_t length;
    trx_status status = trxi_file_read(context, pool, path, (size_t)1 << 30, &bytes, &length);
    return status < 0 ? status : trxi_npz_parse(context, pool, path, bytes, length, wanted, archive);
}

const trxi_npz_array *trxi_npz_find(const trxi_npz_archive *archive, const char *name)
{
    for (int i = 0; i < archive->count; i++)
        if (strcmp(archive->arrays[i].name, name) == 0) return &archive->arrays[i];
    return NULL;
}
