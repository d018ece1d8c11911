// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See support.h.

#include "support.h"

#include "base/context.h"

#include <stdio.h>
#include <stdlib.h>

int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

double max_difference(const double *a, const double *b, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double d = fabs(a[i] - b[i]);
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

double max_magnitude(const double *a, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i]) <= worst)) worst = fabs(a[i]);
    return worst;
}

static void *counted_allocate(size_t bytes, void *user)
{
    counting_allocator *counter = user;
    if (++counter->calls == counter->fail_at) return NULL;
    void *memory = malloc(bytes);
    if (memory) counter->outstanding++;
    return memory;
}

static void counted_release(void *memory, void *user)
{
    counting_allocator *counter = user;
    if (memory) counter->outstanding--;
    free(memory);
}

trx_context_settings counting_settings(counting_allocator *counter)
{
    trx_context_settings settings = trx_context_settings_default();
    settings.allocator = (trx_allocator){counted_allocate, counted_release, counter};
    return settings;
}

// tells contexts of context_open from others
static void *watched_allocate(size_t bytes, void *user)
{
    return counted_allocate(bytes, user);
}

trx_context *context_open(void)
{
    counting_allocator *counter = calloc(1, sizeof *counter);
    ck_assert_ptr_nonnull(counter);
    trx_context_settings settings = counting_settings(counter);
    settings.allocator.allocate = watched_allocate;
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    return context;
}

void context_close(trx_context *context)
{
    if (!context) return;
    const trx_allocator allocator = *trxi_allocator(context);
    trx_context_destroy(context);
    if (allocator.allocate != watched_allocate) return;
    ck_assert_int_eq(((counting_allocator *)allocator.user)->outstanding, 0);
    free(allocator.user);
}

void temporary_path(char *path, const char *name)
{
    const char *folder = getenv("TMPDIR");
    int length = snprintf(path, TEMPORARY_PATH, "%s/%s", folder && *folder ? folder : "/tmp", name);
    ck_assert_msg(length < TEMPORARY_PATH, "the path of temporary files is too long: %s", folder);
}
