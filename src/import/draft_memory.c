// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Memory of a draft, from the pool. When memory is out, the draft remembers the failure, and writers get the sink, which
// nothing reads.

#include "import/draft_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *trxi_draft_take(trxi_draft *draft, size_t count, size_t size)
{
    void *memory = trxi_pool_take(draft->pool, count, size);
    if (!memory) draft->memory = false;
    return memory;
}

const char *trxi_draft_printf(trxi_draft *draft, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : TRXI_DRAFT_TAKE(draft, char, length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text ? text : "";
}

void *trxi_draft_push(trxi_draft *draft, trxi_list *list, size_t size)
{
    if (list->count == list->capacity) {
        void *grown = trxi_pool_grow(draft->pool, list->items, list->count, &list->capacity, sizeof *list->items);
        if (!grown) {
            draft->memory = false;
            return draft->sink;
        }
        list->items = grown;
    }
    void *item = trxi_draft_take(draft, 1, size);
    if (!item) return draft->sink;
    list->items[list->count++] = item;
    return item;
}

void *trxi_draft_flatten(trxi_draft *draft, const trxi_list *list, size_t size)
{
    char *array = list->count ? trxi_draft_take(draft, (size_t)list->count, size) : NULL;
    for (int i = 0; array && i < list->count; i++) memcpy(array + (size_t)i * size, list->items[i], size);
    return array;
}
