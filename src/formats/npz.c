// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The NPZ writer; see npz.h. Layout (little-endian throughout; .ZIP application note 6.3, NumPy enhancement
// proposal 1):
//
//     per array    local header | name.npy | "\x93NUMPY" 1 0, length of header, header | doubles
//     at the end   central directory: one entry per array | end record
//
// A header is written when the length of its data is known. Only the checksum is filled in later, because it covers
// the data behind the header.

#include "formats/npz.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    LOCAL_SIGNATURE = 0x04034b50,
    ENTRY_SIGNATURE = 0x02014b50,
    END_SIGNATURE = 0x06054b50,
    ZIP_VERSION = 20,
    FIRST_DATE = 0x0021, // 1980-01-01, the earliest date of a zip archive
    MAX_NAME = 100,
    MAX_ENTRIES = 65535,
    CRC_OFFSET = 14,     // of the checksum within a local header
    NPY_HEADER = 128, // bytes of magic, length and header: a multiple of 64
};

// CRC table for four bits, reflected polynomial 0xEDB88320
static const uint32_t crc_table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

uint32_t trxi_crc32(uint32_t crc, const void *bytes, size_t length)
{
    const unsigned char *b = bytes;
    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= b[i];
        crc = (crc >> 4) ^ crc_table[crc & 15];
        crc = (crc >> 4) ^ crc_table[crc & 15];
    }
    return ~crc;
}

static void put16(trxi_text *out, unsigned value)
{
    unsigned char b[2] = {value & 255, value >> 8 & 255};
    trxi_text_append(out, b, sizeof b);
}

static void put32(trxi_text *out, uint32_t value)
{
    put16(out, value & 0xFFFF);
    put16(out, value >> 16);
}

static void put_doubles(trxi_text *out, const double *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &data[i], sizeof bits);
        unsigned char b[8];
        for (int k = 0; k < 8; k++) b[k] = (unsigned char)(bits >> 8 * k);
        trxi_text_append(out, b, sizeof b);
    }
}

trxi_npz trxi_npz_create(trxi_text *out)
{
    return (trxi_npz){.out = out, .start = out->length, .directory = trxi_text_create(out->context)};
}

// number of elements; false when a dimension is negative or the array exceeds the limits of a zip archive
static bool count_elements(int dims, const int *shape, size_t *count)
{
    uint64_t n = 1;
    bool empty = false;
    for (int i = 0; i < dims; i++) {
        if (shape[i] < 0) return false;
        if (shape[i] == 0) empty = true;
        else if (n > UINT32_MAX / 8 / (uint64_t)shape[i]) return false;
        else n *= (uint64_t)shape[i];
    }
    *count = empty ? 0 : (size_t)n;
    return true;
}

static bool valid_name(const char *name)
{
    size_t length = strnlen(name, MAX_NAME + 1);
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    return length > 0 && length <= MAX_NAME && strspn(name, allowed) == length;
}

// magic, version 1.0, length of the header, and the header padded with blanks to NPY_HEADER bytes
static void npy_header(int dims, const int *shape, char header[NPY_HEADER + 1])
{
    memset(header, ' ', NPY_HEADER);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = NPY_HEADER - 10;
    header[9] = 0;
    char sizes[TRXI_NPZ_MAX_DIMS * 16] = "";
    int at = 0;
    for (int i = 0; i < dims; i++)
        at += snprintf(sizes + at, sizeof sizes - (size_t)at, i == 0 ? "%d," : " %d,", shape[i]);
    int length = snprintf(header + 10, NPY_HEADER - 10, "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }",
                          sizes);
    header[10 + length] = ' ';
    header[NPY_HEADER - 1] = '\n';
    header[NPY_HEADER] = '\0';
}

// the fields that local header and directory entry share
static void put_common(trxi_text *out, uint32_t crc, uint32_t size, size_t name_length)
{
    put16(out, ZIP_VERSION);
    put16(out, 0); // flags
    put16(out, 0); // stored
    put16(out, 0); // midnight
    put16(out, FIRST_DATE);
    put32(out, crc);
    put32(out, size);
    put32(out, size);
    put16(out, (unsigned)name_length);
    put16(out, 0); // no extra field
}

static void put_local_header(trxi_text *out, const char *name, uint32_t size)
{
    put32(out, LOCAL_SIGNATURE);
    put_common(out, 0, size, strlen(name) + 4);
    trxi_text_printf(out, "%s.npy", name);
}

static void put_entry(trxi_text *out, const char *name, uint32_t crc, uint32_t size, uint32_t offset)
{
    put32(out, ENTRY_SIGNATURE);
    put16(out, ZIP_VERSION); // made by
    put_common(out, crc, size, strlen(name) + 4);
    put16(out, 0); // no comment
    put16(out, 0); // disk
    put16(out, 0); // internal attributes
    put32(out, 0); // external attributes
    put32(out, offset);
    trxi_text_printf(out, "%s.npy", name);
}

void trxi_npz_add(trxi_npz *npz, const char *name, int dims, const int *shape, const double *data)
{
    trxi_text *out = npz->out;
    if (npz->status != TRX_OK) return;
    size_t count;
    if (dims < 0 || dims > TRXI_NPZ_MAX_DIMS || !valid_name(name)) {
        npz->status = trxi_fail(out->context, TRX_ERR_ARGUMENT, "npz: bad name or %d dimensions", dims);
        return;
    }
    size_t offset = out->length - npz->start;
    bool fits = count_elements(dims, shape, &count) && npz->count < MAX_ENTRIES;
    if (!fits || offset + NPY_HEADER + 8 * count > UINT32_MAX - MAX_NAME) {
        npz->status = trxi_fail(out->context, TRX_ERR_CAPACITY, "npz: array %s does not fit a 4 GiB archive", name);
        return;
    }

    // the checksum precedes its data, so it is filled in after the data are written
    char header[NPY_HEADER + 1];
    npy_header(dims, shape, header);
    uint32_t size = (uint32_t)(NPY_HEADER + 8 * count);
    size_t at = out->length;
    put_local_header(out, name, size);
    size_t content = out->length;
    trxi_text_append(out, header, NPY_HEADER);
    put_doubles(out, data, count);
    if (out->status != TRX_OK) return;
    uint32_t crc = trxi_crc32(0, out->data + content, size);
    for (int i = 0; i < 4; i++) out->data[at + CRC_OFFSET + (size_t)i] = (char)(crc >> 8 * i);

    put_entry(&npz->directory, name, crc, size, (uint32_t)offset);
    npz->count++;
}

trx_status trxi_npz_finish(trxi_npz *npz)
{
    trxi_text *out = npz->out;
    size_t offset = out->length - npz->start, size = npz->directory.length;
    trx_status status = npz->status != TRX_OK ? npz->status : npz->directory.status;
    if (status == TRX_OK && offset + size > UINT32_MAX)
        status = trxi_fail(out->context, TRX_ERR_CAPACITY, "npz: the archive exceeds 4 GiB");

    trxi_text_append(out, npz->directory.data, size);
    put32(out, END_SIGNATURE);
    put16(out, 0); // this disk
    put16(out, 0); // disk of the directory
    put16(out, (unsigned)npz->count);
    put16(out, (unsigned)npz->count);
    put32(out, (uint32_t)size);
    put32(out, (uint32_t)offset);
    put16(out, 0); // no comment
    trxi_text_destroy(&npz->directory);
    return status != TRX_OK ? status : out->status;
}
