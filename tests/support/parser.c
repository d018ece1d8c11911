// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See parser.h.

#include "support/parser.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

trx_context *context;
trxi_pool *pool;

void open_pool(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    pool = trxi_pool_create(context);
}

void close_pool(void)
{
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
}

char *exact_copy(const char *text, size_t length)
{
    char *copy = malloc(length ? length : 1);
    memcpy(copy, text, length);
    return copy;
}

void damage(char *text, size_t length, uint64_t trial)
{
    for (uint64_t e = 0; e <= trial % 3; e++) {
        uint64_t bits = trxi_random_bits(trial, e);
        text[(uint32_t)bits % length] = (char)(bits >> 40);
    }
}

int fail_every_allocation(trial_run *run, const void *input)
{
    int calls = 1;
    for (int fail_at = 0; fail_at <= calls; fail_at++) {
        counting_allocator counter = {0};
        trx_context_settings settings = counting_settings(&counter);
        trx_context *counted;
        ck_assert_int_eq(trx_context_create(&settings, &counted), TRX_OK);
        trxi_pool *its_pool = trxi_pool_create(counted);
        counter.calls = 0;
        counter.fail_at = fail_at;
        trx_status status = run(counted, its_pool, input);
        ck_assert_int_eq(status, fail_at ? TRX_ERR_MEMORY : TRX_OK);
        if (fail_at == 0) calls = counter.calls;
        if (fail_at > 0) ck_assert_ptr_nonnull(strstr(trx_context_message(counted), "out of memory"));
        trxi_pool_destroy(its_pool);
        trx_context_destroy(counted);
        ck_assert_int_eq(counter.outstanding, 0);
    }
    return calls;
}
