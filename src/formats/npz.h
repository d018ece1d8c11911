// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Arrays of doubles for NumPy: a zip archive, stored without compression, of one .npy file (format 1.0,
// little-endian float64, C order) per array. numpy.load(..., allow_pickle=False) reads it. The same numbers
// give the same bytes: no time stamps.

#ifndef TRXI_FORMATS_NPZ_H
#define TRXI_FORMATS_NPZ_H

#include "base/arena.h"
#include "formats/text.h"

#include <stdint.h>

enum { TRXI_NPZ_MAX_DIMS = 3 };

typedef struct trxi_npz {
    trxi_text *out;
    size_t start;        // length of `out` when the archive began
    trxi_text directory; // central directory, written at the end
    int count;           // arrays so far
    trx_status status;   // first failure
} trxi_npz;

/// Begins an archive at the end of `out`.
trxi_npz trxi_npz_create(trxi_text *out);

/// Adds an array called `name` (letters, digits, `_`, `-`, `.`) of `dims` dimensions (0 to TRXI_NPZ_MAX_DIMS) with `shape`,
/// `data` in C order (the last index runs fastest). Column-major matrices are transposed by the caller.
void trxi_npz_add(trxi_npz *npz, const char *name, int dims, const int *shape, const double *data);

/// Writes the directory and releases the writer's memory. Returns the first failure: MEMORY; CAPACITY when the archive exceeds
/// 4 GiB or 65535 arrays, or a shape has a negative number; ARGUMENT for a bad name or number of dimensions.
trx_status trxi_npz_finish(trxi_npz *npz);

/// An array that was read, in C order.
typedef struct trxi_npz_array {
    const char *name;
    int dims, shape[TRXI_NPZ_MAX_DIMS];
    double *data;
} trxi_npz_array;

typedef struct trxi_npz_archive {
    trxi_npz_array *arrays;
    int count;
} trxi_npz_archive;

/// Reads an archive of little-endian doubles in C order, stored without compression; the arrays live in `pool`. No array may be
/// compressed or cut off. Checksums and contents are checked and read for the names `wanted` (up to a NULL), for all arrays if
/// `wanted` is NULL. The arrays take no more memory than the file. Errors: INPUT (recorded, naming `file`), MEMORY.
trx_status trxi_npz_parse(trx_context *context, trxi_pool *pool, const char *file, const void *bytes, size_t length,
                          const char *const *wanted, trxi_npz_archive *archive);

/// Reads the file at `path`, of at most 1 GiB. Errors also: IO.
trx_status trxi_npz_read(trx_context *context, trxi_pool *pool, const char *path, const char *const *wanted,
                         trxi_npz_archive *archive);

/// The array called `name`, NULL when there is none.
const trxi_npz_array *trxi_npz_find(const trxi_npz_archive *archive, const char *name);

/// CRC-32 (ISO 3309, as in zip) of `length` bytes, continuing from `crc` (0 to begin).
uint32_t trxi_crc32(uint32_t crc, const void *bytes, size_t length);

#endif
