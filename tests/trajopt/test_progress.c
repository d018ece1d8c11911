// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A solve that goes on from saved progress has the bits of a solve without interruption: saved after lines of the table, by every
// method, within limits, with other numbers of threads, before and after a time limit, between and within parts of a stage.
// Progress that is damaged or belongs to another solve is refused.

#include "trajopt/scenes.h"

#include <stdlib.h>

enum { MOST_LINES = 400, N = 50, NU = 3, NX = 18, NSTATE = 19 };

// the lines of a solve; the progress after line `save_at` is kept
typedef struct watch {
    trx_plan *plan;
    int count, save_at;
    bool stops; // at save_at
    trx_iteration lines[MOST_LINES];
    void *saved;
    size_t length;
} watch;

static void keep(watch *w)
{
    const void *bytes;
    ck_assert_int_eq(trx_plan_save(w->plan, &bytes, &w->length), TRX_OK);
    free(w->saved);
    w->saved = malloc(w->length);
    ck_assert_ptr_nonnull(w->saved);
    memcpy(w->saved, bytes, w->length);
}

static bool on_line(const trx_iteration *line, void *user)
{
    watch *w = user;
    ck_assert_int_lt(w->count, MOST_LINES);
    w->lines[w->count++] = *line;
    if (w->count - 1 != w->save_at) return true;
    keep(w);
    return !w->stops;
}

static trx_plan_settings resumable(trx_method method, int threads)
{
    trx_plan_settings settings = trx_plan_settings_default();
    settings.resumable = true;
    settings.method = method;
    settings.threads = threads;
    settings.max_iterations = SANITIZED ? 24 : 60;
    return settings;
}

// a limit of the first component of a quantity
typedef struct bound {
    trx_quantity quantity;
    double most; // INFINITY: none
} bound;

static const bound FREE = {TRX_BODY_VELOCITY, INFINITY}, SLOW = {TRX_BODY_VELOCITY, 0.12}, SMOOTH = {TRX_CONTROL_RATE, 20};

// a push within a limit, with a plan that has not been solved
static void open_limited(push *p, trx_plan_settings settings, bound within)
{
    const double upper[3] = {within.most, INFINITY, INFINITY};
    trx_limit limit = trx_limit_default();
    limit.term.name = "limited";
    limit.term.quantity = within.quantity;
    limit.upper = upper;
    open_push(p, -0.09, 0, 0.1, 0.05, 0.6);
    p->task.problem.limits = &limit;
    p->task.problem.nlimit = isfinite(within.most) ? 1 : 0;
    p->plan = make_plan(p->context, &p->task.problem, settings);
}

static void open_resumable(push *p, trx_plan_settings settings)
{
    open_limited(p, settings, FREE);
}

static void assert_same_lines(const watch *a, const watch *b)
{
    ck_assert_int_eq(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        trx_iteration s = a->lines[i], t = b->lines[i];
        s.seconds = t.seconds = 0;
        ck_assert(s.stage == t.stage && s.iteration == t.iteration && s.cost == t.cost && s.change == t.change);
        ck_assert(s.expected == t.expected && s.gradient == t.gradient && s.step == t.step);
        ck_assert(s.regularization == t.regularization && s.defect == t.defect);
    }
}

static void assert_same_bits(const double *a, const double *b, size_t count)
{
    ck_assert(memcmp(a, b, count * sizeof *a) == 0);
}

static void assert_same_result(const trx_plan *a, const trx_plan *b)
{
    const trx_plan_info s = trx_plan_get_info(a), t = trx_plan_get_info(b);
    ck_assert_int_eq(s.status, t.status);
    ck_assert_str_eq(s.message, t.message);
    ck_assert(s.cost == t.cost && s.iterations == t.iterations && s.fine.cost == t.fine.cost);
    for (int i = 0; i < s.nstage; i++) {
        ck_assert(s.stages[i].cost == t.stages[i].cost && s.stages[i].iterations == t.stages[i].iterations);
        ck_assert_int_eq(s.stages[i].status, t.stages[i].status);
    }
    assert_same_bits(trx_plan_states(a), trx_plan_states(b), NSTATE * (N + 1));
    assert_same_bits(trx_plan_controls(a), trx_plan_controls(b), NU * N);
    assert_same_bits(trx_plan_gains(a), trx_plan_gains(b), NU * NX * N);
    assert_same_bits(trx_plan_A(a), trx_plan_A(b), NX * NX * N);
    assert_same_bits(trx_plan_B(a), trx_plan_B(b), NX * NU * N);
}

// goes on from the progress of `first` in a new plan, and compares with the solve without interruption
static void go_on_limited(const push *whole, const watch *lines, const watch *first, trx_plan_settings settings, bound within)
{
    push p;
    open_limited(&p, settings, within);
    watch w = {.plan = p.plan, .save_at = -1};
    ck_assert_msg(trx_plan_restore(p.plan, first->saved, first->length) == TRX_OK, "%s", trx_context_message(p.context));
    trx_plan_solve(p.plan, on_line, &w);
    assert_same_lines(lines, &w);
    assert_same_result(whole->plan, p.plan);
    close_push(&p);
}

static void go_on(const push *whole, const watch *lines, const watch *first, trx_plan_settings settings)
{
    go_on_limited(whole, lines, first, settings, FREE);
}

// interrupts a solve after every `every`-th line, and goes on with other numbers of threads
static void check_interruptions(trx_method method, bound within, int every)
{
    push whole;
    open_limited(&whole, resumable(method, 1), within);
    watch lines = {.plan = whole.plan, .save_at = -1};
    trx_plan_solve(whole.plan, on_line, &lines);
    ck_assert_int_gt(lines.count, 20);
    for (int at = 0; at < lines.count; at += every * ONE_IN) {
        push p;
        open_limited(&p, resumable(method, 1 + at % 2), within);
        watch first = {.plan = p.plan, .save_at = at, .stops = true};
        ck_assert_int_eq(trx_plan_solve(p.plan, on_line, &first), TRX_INTERRUPTED);
        ck_assert_int_eq(first.count, at + 1);
        go_on_limited(&whole, &lines, &first, resumable(method, 1 + at / every % 2), within);

        // the progress is the same after the solve has ended
        keep(&first);
        go_on_limited(&whole, &lines, &first, resumable(method, 1), within);
        free(first.saved);
        close_push(&p);
    }
    close_push(&whole);
}

START_TEST(ilqr_goes_on_with_the_same_bits)
{
    check_interruptions(TRX_ILQR, FREE, 4);
}
END_TEST

START_TEST(multiple_shooting_goes_on_with_the_same_bits)
{
    check_interruptions(TRX_MULTIPLE_SHOOTING, FREE, 5);
}
END_TEST

START_TEST(a_solve_within_limits_goes_on_with_the_same_bits)
{
    check_interruptions(TRX_ILQR, SLOW, 5);
    check_interruptions(TRX_ILQR, SMOOTH, 9);
    check_interruptions(TRX_MULTIPLE_SHOOTING, SLOW, 9);
}
END_TEST

// interrupted, restored, interrupted again, and so on
START_TEST(a_solve_may_be_interrupted_many_times)
{
    push whole;
    open_resumable(&whole, resumable(TRX_ILQR, 1));
    watch lines = {.plan = whole.plan, .save_at = -1}, last = {.save_at = 4, .stops = true};
    trx_plan_solve(whole.plan, on_line, &lines);
    for (bool ended = false; !ended;) {
        push p;
        open_resumable(&p, resumable(TRX_ILQR, 1));
        if (last.saved) ck_assert_int_eq(trx_plan_restore(p.plan, last.saved, last.length), TRX_OK);
        last.plan = p.plan, last.count = 0;
        ended = trx_plan_solve(p.plan, on_line, &last) != TRX_INTERRUPTED;
        last.save_at += SANITIZED ? 10 : 5;
        if (ended) assert_same_result(whole.plan, p.plan);
        close_push(&p);
    }
    assert_same_lines(&lines, &last);
    free(last.saved);
    close_push(&whole);
}
END_TEST

// while the lines before an interruption are reported again, the progress is still complete
START_TEST(a_second_interruption_while_lines_are_repeated_loses_nothing)
{
    push p, again;
    open_resumable(&p, resumable(TRX_ILQR, 1));
    open_resumable(&again, resumable(TRX_ILQR, 1));
    watch first = {.plan = p.plan, .save_at = 12, .stops = true}, second = {.plan = again.plan, .save_at = 3, .stops = true};
    ck_assert_int_eq(trx_plan_solve(p.plan, on_line, &first), TRX_INTERRUPTED);
    ck_assert_int_eq(trx_plan_restore(again.plan, first.saved, first.length), TRX_OK);
    ck_assert_int_eq(trx_plan_solve(again.plan, on_line, &second), TRX_INTERRUPTED);
    ck_assert_int_eq(second.count, 4);
    ck_assert_uint_eq(first.length, second.length);
    free(first.saved);
    free(second.saved);
    close_push(&p);
    close_push(&again);
}
END_TEST

// a time limit ends at any moment of an iteration; with more time the solve goes on as if there had been none
START_TEST(a_solve_goes_on_after_its_time_limit)
{
    push whole;
    open_resumable(&whole, resumable(TRX_ILQR, 1));
    watch lines = {.plan = whole.plan, .save_at = -1};
    trx_plan_solve(whole.plan, on_line, &lines);
    const double seconds = trx_plan_get_info(whole.plan).seconds;
    for (int i = 1; i <= 8; i += ONE_IN) {
        push p;
        trx_plan_settings settings = resumable(TRX_ILQR, 1);
        settings.time_limit = seconds * i / 10;
        open_resumable(&p, settings);
        watch first = {.plan = p.plan, .save_at = -1};
        trx_plan_solve(p.plan, on_line, &first);
        keep(&first);
        go_on(&whole, &lines, &first, resumable(TRX_ILQR, 1));
        free(first.saved);
        close_push(&p);
    }
    close_push(&whole);
}
END_TEST

// the limit of a solve counts the time before the interruption
START_TEST(a_time_limit_counts_the_time_before)
{
    push p, again;
    open_resumable(&p, resumable(TRX_ILQR, 1));
    watch first = {.plan = p.plan, .save_at = 8, .stops = true}, second = {.save_at = -1};
    ck_assert_int_eq(trx_plan_solve(p.plan, on_line, &first), TRX_INTERRUPTED);
    trx_plan_settings settings = resumable(TRX_ILQR, 1);
    settings.time_limit = 0.5 * first.lines[8].seconds;
    open_resumable(&again, settings);
    second.plan = again.plan;
    ck_assert_int_eq(trx_plan_restore(again.plan, first.saved, first.length), TRX_OK);
    ck_assert_int_eq(trx_plan_solve(again.plan, on_line, &second), TRX_TIME_LIMIT);
    ck_assert_int_ge(second.count, first.count);
    ck_assert(second.lines[8].seconds == first.lines[8].seconds);
    ck_assert(trx_plan_get_info(again.plan).seconds >= first.lines[8].seconds);
    free(first.saved);
    close_push(&p);
    close_push(&again);
}
END_TEST

static void assert_refused(trx_plan *plan, trx_context *context, const void *bytes, size_t length, const char *words)
{
    ck_assert_int_eq(trx_plan_restore(plan, bytes, length), TRX_ERR_INPUT);
    ck_assert_msg(strstr(trx_context_message(context), words) != NULL, "%s", trx_context_message(context));
}

START_TEST(damaged_and_foreign_progress_is_refused)
{
    push p, other;
    open_resumable(&p, resumable(TRX_ILQR, 1));
    watch first = {.plan = p.plan, .save_at = 7, .stops = true};
    ck_assert_int_eq(trx_plan_solve(p.plan, on_line, &first), TRX_INTERRUPTED);

    // every length, and one wrong bit anywhere
    unsigned char *bytes = first.saved;
    for (size_t length = 0; length < first.length; length += 997 * ONE_IN)
        assert_refused(p.plan, p.context, bytes, length, "damaged");
    for (size_t i = 0; i < first.length; i += 1009 * ONE_IN) {
        bytes[i] ^= 4;
        assert_refused(p.plan, p.context, bytes, first.length, "damaged");
        bytes[i] ^= 4;
    }

    // another method, tolerance, start, guess, target
    open_resumable(&other, resumable(TRX_MULTIPLE_SHOOTING, 1));
    assert_refused(other.plan, other.context, bytes, first.length, "another problem");
    close_push(&other);
    trx_plan_settings settings = resumable(TRX_ILQR, 1);
    settings.tolerance *= 2;
    open_resumable(&other, settings);
    assert_refused(other.plan, other.context, bytes, first.length, "another problem");
    close_push(&other);
    open_resumable(&other, resumable(TRX_ILQR, 1));
    double u[NU * N] = {1}, target[3] = {0.2, 0, 0.05};
    ck_assert_int_eq(trx_plan_set_guess(other.plan, u, NULL), TRX_OK);
    assert_refused(other.plan, other.context, bytes, first.length, "another problem");
    ck_assert_int_eq(trx_plan_set_guess(other.plan, NULL, NULL), TRX_OK);
    ck_assert_int_eq(trx_plan_restore(other.plan, bytes, first.length), TRX_OK);
    ck_assert_int_eq(trx_plan_set_target(other.plan, 0, target, 0), TRX_OK);
    assert_refused(other.plan, other.context, bytes, first.length, "another problem");
    close_push(&other);
    free(first.saved);
    close_push(&p);
}
END_TEST

START_TEST(a_plan_without_the_setting_has_no_progress)
{
    push p;
    const void *bytes;
    size_t length;
    open_resumable(&p, trx_plan_settings_default());
    ck_assert_int_eq(trx_plan_save(p.plan, &bytes, &length), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_restore(p.plan, "", 0), TRX_ERR_ARGUMENT);
    close_push(&p);
    open_resumable(&p, resumable(TRX_ILQR, 1));
    ck_assert_int_eq(trx_plan_save(p.plan, &bytes, &length), TRX_ERR_NO_STEP);
    ck_assert_int_eq(trx_plan_save(p.plan, NULL, &length), TRX_ERR_ARGUMENT);
    close_push(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/progress");
    TCase *cases = tcase_create("progress");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, ilqr_goes_on_with_the_same_bits);
    tcase_add_test(cases, multiple_shooting_goes_on_with_the_same_bits);
    tcase_add_test(cases, a_solve_within_limits_goes_on_with_the_same_bits);
    tcase_add_test(cases, a_solve_may_be_interrupted_many_times);
    tcase_add_test(cases, a_second_interruption_while_lines_are_repeated_loses_nothing);
    tcase_add_test(cases, a_solve_goes_on_after_its_time_limit);
    tcase_add_test(cases, a_time_limit_counts_the_time_before);
    tcase_add_test(cases, damaged_and_foreign_progress_is_refused);
    tcase_add_test(cases, a_plan_without_the_setting_has_no_progress);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
