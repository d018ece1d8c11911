// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The NPZ reader; see npz.h. It follows the central directory and checks every length against the existing bytes
// and every array against its checksum. It also reads files of NumPy's savez: stored entries, .npy versions 1 and
// 2, little-endian float64 in C order. Everything else is an error with its reason.

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

// offset of the end record, searched backwards over a comment; 0 when there is none
static size_t find_end(const source *s)
{
    if (s->length < END_SIZE) return 0;
    size_t last = s->length - END_SIZE;
    for (size_t back = 0; back <= MAX_COMMENT && back <= last; back++)
        if (get(s->bytes + last - back, 4) == END_SIGNATURE) return last - back;
    return 0;
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
    array->data = TRXI_POOL(s->pool, double, count + 1);
    if (!array->data) return TRX_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = (uint64_t)get(from + 8 * i + 4, 4) << 32 | get(from + 8 * i, 4);
        memcpy(&array->data[i], &bits, sizeof bits);
    }
    return TRX_OK;
}

// one directory entry; `*at` moves to the next one
static trx_status read_entry(const source *s, size_t *at, trxi_npz_array *array)
{
    if (s->length - *at < ENTRY_SIZE || get(s->bytes + *at, 4) != ENTRY_SIGNATURE)
        return bad(s, "its directory is cut off");
    const unsigned char *e = s->bytes + *at;
    size_t name_length = get(e + 28, 2), size = get(e + 20, 4), offset = get(e + 42, 4);
    size_t entry = ENTRY_SIZE + name_length + get(e + 30, 2) + get(e + 32, 2);
    if (s->length - *at < entry || name_length < 5) return bad(s, "its directory is cut off");
    if (get(e + 10, 2) != 0) return bad(s, "an array is compressed");
    array->name = trxi_pool_string(s->pool, (const char *)e + ENTRY_SIZE, name_length - strlen(".npy"));
    if (!array->name) return TRX_ERR_MEMORY;
    *at += entry;

    // the local header has its own name and extra lengths
    if (offset > s->length || s->length - offset < LOCAL_SIZE) return bad(s, "an array is cut off");
    const unsigned char *local = s->bytes + offset;
    size_t skip = LOCAL_SIZE + get(local + 26, 2) + get(local + 28, 2);
    if (get(local, 4) != LOCAL_SIGNATURE || s->length - offset < skip || s->length - offset - skip < size)
        return bad(s, "an array is cut off");
    if (trxi_crc32(0, local + skip, size) != get(e + 16, 4)) return bad(s, "a checksum does not fit");
    return read_npy(s, local + skip, size, array);
}

trx_status trxi_npz_parse(trx_context *context, trxi_pool *pool, const char *file, const void *bytes, size_t length,
                          trxi_npz_archive *archive)
{
    source s = {context, pool, file, bytes, length};
    *archive = (trxi_npz_archive){0};
    size_t end = find_end(&s);
    if (end == 0) return bad(&s, "no end record");
    int count = (int)get(s.bytes + end + 10, 2);
    size_t at = get(s.bytes + end + 16, 4);
    if (at > end) return bad(&s, "its directory is cut off");

    archive->arrays = TRXI_POOL(pool, trxi_npz_array, count + 1);
    if (!archive->arrays) return TRX_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        trx_status status = read_entry(&s, &at, &archive->arrays[i]);
        if (status < 0) return status;
        archive->count = i + 1;
    }
    return TRX_OK;
}

trx_status trxi_npz_read(trx_context *context, trxi_pool *pool, const char *path, trxi_npz_archive *archive)
{
    char *bytes;
    size_t length;
    trx_status status = trxi_file_read(context, pool, path, (size_t)1 << 30, &bytes, &length);
    return status < 0 ? status : trxi_npz_parse(context, pool, path, bytes, length, archive);
}

const trxi_npz_array *trxi_npz_find(const trxi_npz_archive *archive, const char *name)
{
    for (int i = 0; i < archive->count; i++)
        if (strcmp(archive->arrays[i].name, name) == 0) return &archive->arrays[i];
    return NULL;
}
