// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See support.h.

#include "support.h"

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

void temporary_path(char *path, const char *name)
{
    const char *folder = getenv("TMPDIR");
    int length = snprintf(path, TEMPORARY_PATH, "%s/%s", folder && *folder ? folder : "/tmp", name);
    ck_assert_msg(length < TEMPORARY_PATH, "the path of temporary files is too long: %s", folder);
}
