// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Arena and pool; see arena.h.

#include "base/arena.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ARRAY_ALIGNMENT = 64, POOL_ALIGNMENT = 16, BLOCK_SIZE = 16384 };

static size_t round_up(size_t bytes, size_t alignment)
{
    return (bytes + alignment - 1) & ~(alignment - 1);
}

void *trxi_arena_take(trxi_arena *arena, size_t count, size_t size)
{
    size_t start = arena->used;
    arena->used = start + round_up(count * size, ARRAY_ALIGNMENT);
    return arena->base ? arena->base + start : NULL;
}

typedef struct block {
    struct block *next;
    size_t used, capacity;
} block;

struct trxi_pool {
    trx_context *context;
    block *newest;
};

trxi_pool *trxi_pool_create(trx_context *context)
{
    trxi_pool *pool = trxi_allocate(context, sizeof *pool);
    if (pool) pool->context = context;
    return pool;
}

void trxi_pool_destroy(trxi_pool *pool)
{
    if (!pool) return;
    for (block *b = pool->newest, *next; b; b = next) {
        next = b->next;
        trxi_release(pool->context, b);
    }
    trxi_release(pool->context, pool);
}

void *trxi_pool_take(trxi_pool *pool, size_t count, size_t size)
{
    const size_t head = round_up(sizeof(block), POOL_ALIGNMENT);
    if (size && count > (SIZE_MAX / 2 - head) / size) {
        trxi_fail(pool->context, TRX_ERR_MEMORY, "out of memory (%zu x %zu bytes)", count, size);
        return NULL;
    }
    size_t bytes = round_up(count * size, POOL_ALIGNMENT);
    block *b = pool->newest;
    if (!b || b->capacity - b->used < bytes) {
        size_t capacity = head + bytes > BLOCK_SIZE ? head + bytes : BLOCK_SIZE;
        b = trxi_allocate(pool->context, capacity);
        if (!b) return NULL;
        *b = (block){pool->newest, head, capacity};
        pool->newest = b;
    }
    void *memory = (char *)b + b->used;
    b->used += bytes;
    return memory;
}

char *trxi_pool_string(trxi_pool *pool, const char *text, size_t length)
{
    char *copy = trxi_pool_take(pool, length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

char *trxi_pool_printf(trxi_pool *pool, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : trxi_pool_take(pool, (size_t)length + 1, 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void *trxi_pool_grow(trxi_pool *pool, const void *array, int count, int *capacity, size_t size)
{
    if (*capacity > INT_MAX / 2) {
        trxi_fail(pool->context, TRX_ERR_MEMORY, "more than %d elements", *capacity);
        return NULL;
    }
    int larger = *capacity < 4 ? 8 : 2 * *capacity;
    void *grown = trxi_pool_take(pool, (size_t)larger, size);
    if (!grown) return NULL;
    if (count > 0) memcpy(grown, array, (size_t)count * size);
    *capacity = larger;
    return grown;
}
