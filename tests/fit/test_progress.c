// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The progress of a fit: a fit that is stopped at any iteration, also several times, goes on to the bits of a fit without a break.

#include "fit/scene.h"

#include <stdio.h>
#include <unistd.h>

static scene s;
static char file[TEMPORARY_PATH];

static void open_slides(void)
{
    scene_open(&s, SLIDE);
    add_box_channels(&s, NAN, NAN);
    for (uint64_t i = 1; i <= 4; i++) record_slide(&s, 1e-3, i);
    s.recordings[3].held_out = true;
    trx_fit_parameter *friction = add_parameter(&s, "pair(box, ground).friction", 0.6);
    friction->min = 0.01, friction->max = 2, friction->profile = true;
    temporary_path(file, "progress-XXXXXX");
    const int made = mkstemp(file);
    ck_assert_int_ge(made, 0);
    close(made);
    unlink(file);
}

static void close_slides(void)
{
    unlink(file);
    scene_close(&s);
}

// iterations reported to a callback, and the number of the iteration that stops the fit (0: none)
typedef struct watch {
    int seen, stop, last;
} watch;

static bool on_iteration(const trx_fit_iteration *iteration, void *user)
{
    watch *w = user;
    w->last = iteration->iteration;
    return ++w->seen != w->stop;
}

static trx_status run(int starts, const char *save, bool resume, int threads, watch *w, trx_fit **fit)
{
    trx_fit_settings settings = trx_fit_settings_default();
    settings.starts = starts, settings.save = save, settings.resume = resume, settings.threads = threads;
    return trx_fit_run(s.context, &s.fit, &settings, on_iteration, w, fit);
}

// estimate, deviations, profile and errors, bit by bit
static void check_same(const trx_fit *a, const trx_fit *b)
{
    const trx_fit_info i = trx_fit_get_info(a), j = trx_fit_get_info(b);
    const trx_fit_estimate e = trx_fit_get_estimate(a, 0), f = trx_fit_get_estimate(b, 0);
    const trx_fit_profile p = trx_fit_get_profile(a, 0), q = trx_fit_get_profile(b, 0);
    ck_assert(i.status == j.status && i.iterations == j.iterations && i.rounds == j.rounds && i.objective == j.objective);
    ck_assert(i.nstart == j.nstart && i.best_start == j.best_start && i.residuals == j.residuals);
    ck_assert(e.value == f.value && e.sd == f.sd && e.low == f.low && e.high == f.high);
    ck_assert_int_eq(p.count, q.count);
    ck_assert_mem_eq(p.values, q.values, sizeof(double) * (size_t)p.count);
    ck_assert_mem_eq(p.rises, q.rises, sizeof(double) * (size_t)p.count);
    ck_assert(p.low == q.low && p.high == q.high);
    for (int k = 0; k < i.nrecording; k++)
        ck_assert(trx_fit_get_recording(a, k).position == trx_fit_get_recording(b, k).position);
}

START_TEST(a_fit_that_is_stopped_at_any_iteration_goes_on_with_the_same_bits)
{
    trx_fit *whole, *stopped, *again;
    watch all = {0};
    open_slides();
    ck_assert_int_eq(run(2, NULL, false, 1, &all, &whole), TRX_OK);
    ck_assert_int_gt(all.seen, 30);
    for (int stop = 1; stop <= all.seen; stop += (stop < 12 ? 1 : 7) * ONE_IN) {
        watch first = {.stop = stop}, second = {0};
        ck_assert_int_eq(run(2, file, false, 1, &first, &stopped), TRX_INTERRUPTED);
        ck_assert_int_eq(run(2, file, true, 2, &second, &again), TRX_OK);
        if (stop < 12) ck_assert_int_eq(second.seen, all.seen); // rows of profiles are not reported again
        check_same(whole, again);
        trx_fit_destroy(stopped);
        trx_fit_destroy(again);
    }
    trx_fit_destroy(whole);
    close_slides();
}
END_TEST

START_TEST(a_fit_goes_on_after_several_breaks)
{
    trx_fit *whole, *fit;
    watch all = {0};
    open_slides();
    ck_assert_int_eq(run(1, NULL, false, 1, &all, &whole), TRX_OK);
    trx_status status = TRX_INTERRUPTED;
    int breaks = 0;
    for (int stop = 4; status == TRX_INTERRUPTED; stop += 5, breaks++) {
        watch w = {.stop = stop}; // rows of earlier parts are reported again, and count
        status = run(1, file, true, 1, &w, &fit);
        if (status == TRX_INTERRUPTED) trx_fit_destroy(fit);
    }
    ck_assert_int_eq(status, TRX_OK);
    ck_assert_int_gt(breaks, 2);
    check_same(whole, fit);
    trx_fit_destroy(whole);
    trx_fit_destroy(fit);
    close_slides();
}
END_TEST

static void refused(const char *why)
{
    trx_fit *fit;
    watch w = {0};
    ck_assert_int_eq(run(1, file, true, 1, &w, &fit), TRX_ERR_INPUT);
    ck_assert_ptr_null(fit);
    ck_assert_msg(strstr(trx_context_message(s.context), why), "%s", trx_context_message(s.context));
}

START_TEST(a_progress_of_another_fit_or_a_damaged_one_is_refused)
{
    trx_fit *stopped;
    watch w = {.stop = 5};
    open_slides();
    ck_assert_int_eq(run(1, file, false, 1, &w, &stopped), TRX_INTERRUPTED);
    trx_fit_destroy(stopped);

    // another start, another recording, another model
    s.parameters[0].start = 0.5;
    refused("another fit");
    s.parameters[0].start = 0.6;
    double *values = (double *)s.recordings[1].values, kept = values[20];
    values[20] += 1e-9;
    refused("another fit");
    values[20] = kept;
    s.fit.sim.time_step *= 0.5;
    refused("another fit");
    s.fit.sim.time_step *= 2;

    // one bit, and a shorter file
    FILE *stream = fopen(file, "r+b");
    ck_assert_ptr_nonnull(stream);
    fseek(stream, 300, SEEK_SET);
    const int byte = fgetc(stream);
    fseek(stream, 300, SEEK_SET);
    fputc(byte ^ 1, stream);
    fclose(stream);
    refused("damaged");
    ck_assert_int_eq(truncate(file, 100), 0);
    refused("damaged");
    close_slides();
}
END_TEST

START_TEST(a_progress_that_cannot_be_written_costs_a_warning_and_no_bit)
{
    trx_fit *whole, *fit;
    watch all = {0}, w = {.stop = 0};
    open_slides();
    ck_assert_int_eq(run(1, NULL, false, 1, &all, &whole), TRX_OK);
    ck_assert_int_eq(run(1, "/dev/null/nowhere", false, 1, &w, &fit), TRX_OK);
    check_same(whole, fit);
    trx_fit_destroy(fit);
    w = (watch){.stop = 3};
    trx_context_clear(s.context);
    ck_assert_int_eq(run(1, "/dev/null/nowhere", false, 1, &w, &fit), TRX_INTERRUPTED);
    ck_assert_int_eq(trx_context_diagnostic_count(s.context), 1);
    ck_assert_int_eq(trx_context_diagnostic(s.context, 0).severity, TRX_WARNING);
    trx_fit_destroy(whole);
    trx_fit_destroy(fit);
    close_slides();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/progress");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, a_fit_that_is_stopped_at_any_iteration_goes_on_with_the_same_bits);
    tcase_add_test(tests, a_fit_goes_on_after_several_breaks);
    tcase_add_test(tests, a_progress_of_another_fit_or_a_damaged_one_is_refused);
    tcase_add_test(tests, a_progress_that_cannot_be_written_costs_a_warning_and_no_bit);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
