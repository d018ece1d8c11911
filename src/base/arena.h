// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Two ways to hold many arrays in few blocks.
//
// trxi_arena: one block of known size. A layout function takes its arrays in order and runs twice: with base NULL it
// only measures; with a block it carves the arrays. Every array starts at a multiple of 64 bytes.
//
// trxi_pool: blocks that are allocated while data are read or built, and released together. An array in a pool never
// moves.

#ifndef TRXI_BASE_ARENA_H
#define TRXI_BASE_ARENA_H

#include "base/context.h"

typedef struct trxi_arena {
    char *base;  // NULL while measuring
    size_t used; // bytes taken so far, padding included
} trxi_arena;

/// The next `count` elements of `size` bytes, or NULL while measuring.
void *trxi_arena_take(trxi_arena *arena, size_t count, size_t size);

#define TRXI_TAKE(arena, type, count) ((type *)trxi_arena_take((arena), (size_t)(count), sizeof(type)))

typedef struct trxi_pool trxi_pool;

/// Creates an empty pool on the context's allocator; NULL when memory is out (message set).
trxi_pool *trxi_pool_create(trx_context *context);
void trxi_pool_destroy(trxi_pool *pool);

/// Zeroed memory that lives as long as the pool; NULL when memory is out (message set).
void *trxi_pool_take(trxi_pool *pool, size_t count, size_t size);
#define TRXI_POOL(pool, type, count) ((type *)trxi_pool_take((pool), (size_t)(count), sizeof(type)))

/// A copy of `length` bytes of `text` with a terminating zero; NULL when memory is out.
char *trxi_pool_string(trxi_pool *pool, const char *text, size_t length);

/// printf into the pool; NULL when memory is out.
char *trxi_pool_printf(trxi_pool *pool, const char *format, ...) TRXI_PRINTF(2, 3);

/// Doubles `*capacity` (at least 8) and returns a larger copy of `array`; the old one stays in the pool.
void *trxi_pool_grow(trxi_pool *pool, const void *array, int count, int *capacity, size_t size);

#endif
