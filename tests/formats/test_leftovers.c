// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Temporary files of dead processes are removed. Those of living processes, locked ones, and other names stay.

#define _XOPEN_SOURCE 700

#include "formats/file_io.h"
#include "formats/files.h"
#include "support/folders.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char place[TEMPORARY_PATH];

// the number of a process that has ended
static long dead_process(void)
{
    const pid_t child = fork();
    if (child == 0) _exit(0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    return child;
}

static const char *below(char path[600], const char *format, long pid)
{
    char name[64];
    snprintf(name, sizeof name, format, pid);
    snprintf(path, 600, "%s/%s", place, name);
    return path;
}

static void make(const char *format, long pid)
{
    char path[600], inner[700];
    ck_assert_int_eq(mkdir(below(path, format, pid), 0777), 0);
    snprintf(inner, sizeof inner, "%s/a.csv", path);
    FILE *file = fopen(inner, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
}

static bool exists(const char *format, long pid)
{
    char path[600];
    return access(below(path, format, pid), F_OK) == 0;
}

// removes the leftovers of PLACE/run
static void clean(void)
{
    char run[600];
    trx_context *context;
    trxi_target target;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trxi_pool *pool = trxi_pool_create(context);
    ck_assert_int_eq(trxi_target_find(context, pool, below(run, "run", 0), &target), TRX_OK);
    trxi_remove_leftovers(pool, &target);
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
}

START_TEST(what_dead_processes_left_is_removed)
{
    const long dead = dead_process(), alive = getpid();
    temporary_path(place, "tractrix_leftovers_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(place));
    make(".run.tmp-%ld", dead);
    make(".run.tmp-%ld-12", dead);
    make(".run.tmp-%ld", alive);
    make(".run.tmp-%ldx", dead);
    make(".runs.tmp-%ld", dead);
    make("run.tmp-%ld", dead);
    make(".run.old-%ld", dead);
    clean();
    ck_assert(!exists(".run.tmp-%ld", dead) && !exists(".run.tmp-%ld-12", dead));
    ck_assert(exists(".run.tmp-%ld", alive) && exists(".run.tmp-%ldx", dead));
    ck_assert(exists(".runs.tmp-%ld", dead) && exists("run.tmp-%ld", dead));

    // an old run that was moved away goes only when the run is in place
    ck_assert(exists(".run.old-%ld", dead));
    make("run", 0);
    clean();
    ck_assert(!exists(".run.old-%ld", dead) && exists("run", 0));
    remove_all(place);
}
END_TEST

START_TEST(a_locked_folder_stays)
{
    const long dead = dead_process();
    char path[600];
    temporary_path(place, "tractrix_leftovers_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(place));
    make(".run.tmp-%ld", dead);
    const int lock = trxi_lock(below(path, ".run.tmp-%ld", dead));
    ck_assert_int_ge(lock, 0);
    ck_assert_int_eq(trxi_lock(path), -1);
    clean();
    ck_assert(exists(".run.tmp-%ld", dead));
    trxi_unlock(lock);
    clean();
    ck_assert(!exists(".run.tmp-%ld", dead));
    trxi_unlock(-1);
    remove_all(place);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/leftovers");
    TCase *cases = tcase_create("leftovers");
    tcase_add_test(cases, what_dead_processes_left_is_removed);
    tcase_add_test(cases, a_locked_folder_stays);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
