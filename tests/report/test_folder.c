// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The folder as a whole: the page comes back from it, no failed write touches the run before, no failed allocation
// leaks.

#include "report/fixture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static fixture f;

static void setup(void)
{
    fixture_open(&f);
}

static void teardown(void)
{
    fixture_close(&f);
}

START_TEST(the_page_can_be_written_again_from_the_folder)
{
    ck_assert_int_eq(trx_run_simulate(f.run, NULL), TRX_OK);
    ck_assert_int_eq(trx_run_write(f.run, f.folder), TRX_OK);
    const char *before = snapshot_folder(f.pool, f.context, f.folder);
    ck_assert_int_eq(remove(fixture_file(&f, "player.html")), 0);
    ck_assert_int_eq(trx_run_rewrite_player(f.context, f.folder), TRX_OK);
    ck_assert_str_eq(snapshot_folder(f.pool, f.context, f.folder), before);
    ck_assert_int_eq(trx_run_rewrite_player(f.context, f.place), TRX_ERR_IO);
}
END_TEST

// writes the run while system call number n fails; returns false when the write has fewer calls
static bool write_with_fault(int n, int reason, const char *old)
{
    faults faulty = {.fail_at = n, .reason = reason};
    trxi_file_ops ops = faulty_ops(&faulty);
    trx_status status = trxi_run_write_with(f.run, &ops, f.folder);
    bool failed = faulty.calls >= n;
    ck_assert_int_eq(status, failed ? TRX_ERR_IO : TRX_OK);

    trxi_pool *scratch = trxi_pool_create(f.context);
    bool intact = strcmp(snapshot_folder(scratch, f.context, f.place), old) == 0;
    trxi_pool_destroy(scratch);
    ck_assert_msg(intact == failed, "call %d", n);
    return failed;
}

START_TEST(whatever_write_fails_the_old_run_is_intact)
{
    static const int reasons[] = {ENOSPC, EIO};
    double u[NU * STEPS];
    fixture_controls(u);
    trx_simulation simulation = fixture_simulation(u);
    simulation.linearize = true;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(trx_run_simulate(f.run, NULL), TRX_OK);
        ck_assert_int_eq(trx_run_write(f.run, f.folder), TRX_OK);
        const char *old = snapshot_folder(f.pool, f.context, f.place);
        ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
        int n = 1;
        while (write_with_fault(n, reasons[i], old)) n++;
        ck_assert_int_gt(n, 7 * 4); // seven files: open, write, flush, close
    }
}
END_TEST

// everything from loading to writing, on a context that may run out of memory
static trx_status whole_run(trx_context *with)
{
    trx_problem *loaded = NULL;
    trx_run *made = NULL;
    trx_simulation simulation = trx_simulation_default();
    simulation.linearize = true;
    trx_status status = fixture_load(with, &loaded);
    if (status >= 0) status = trx_run_create(with, loaded, &made);
    if (status >= 0) status = trx_run_simulate(made, &simulation);
    if (status >= 0) status = trx_run_write(made, f.folder);
    trx_run_destroy(made);
    trx_problem_destroy(loaded);
    return status;
}

START_TEST(memory_that_runs_out_anywhere_is_a_status_and_leaks_nothing)
{
    int failures = 0;
    for (int k = 2;; k++) {
        counting_allocator counter = {.fail_at = k};
        trx_context_settings settings = counting_settings(&counter);
        trx_context *small;
        ck_assert_int_eq(trx_context_create(&settings, &small), TRX_OK);
        trx_status status = whole_run(small);
        bool failed = counter.calls >= k;
        trx_context_destroy(small);
        ck_assert_int_eq(counter.outstanding, 0);
        if (!failed) {
            ck_assert_int_eq(status, TRX_OK);
            break;
        }
        ck_assert_msg(status == TRX_ERR_MEMORY, "allocation %d: %s", k, trx_status_name(status));
        failures++;
    }
    ck_assert_int_gt(failures, 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/folder");
    TCase *cases = tcase_create("folder");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, the_page_can_be_written_again_from_the_folder);
    tcase_add_test(cases, whatever_write_fails_the_old_run_is_intact);
    tcase_add_test(cases, memory_that_runs_out_anywhere_is_a_status_and_leaks_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
