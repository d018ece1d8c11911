// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A search that goes on from saved progress has the candidates and the plan of a search without interruption. Progress that is
// damaged or belongs to another search is refused; a round that does not fit is computed again.

#include "trajopt/scenes.h"

#include "search/progress.h"

#include <stdlib.h>
#include <tractrix/search.h>

enum { STARTS = SANITIZED ? 4 : 24, CONTROLS = 3 * 75 };

// the progress after candidate `save_at`
typedef struct watch {
    trx_search *search;
    int count, save_at;
    bool stops; // there
    void *saved;
    size_t length;
} watch;

static bool on_candidate(const trx_candidate *candidate, void *user)
{
    watch *w = user;
    const void *bytes;
    if (w->search && w->count++ == w->save_at) {
        ck_assert_int_eq(trx_search_save(w->search, &bytes, &w->length), TRX_OK);
        w->saved = malloc(w->length);
        ck_assert_ptr_nonnull(w->saved);
        memcpy(w->saved, bytes, w->length);
        return !w->stops;
    }
    ck_assert_int_ge(candidate->number, 0);
    return true;
}

// a push whose goal is out of reach, so that all candidates are tried
static void open_hopeless(push *p)
{
    static const double free_yaw[3] = {5, 5, 0};
    open_push(p, 0.12, 0.01, 50, 0.02, 0);
    p->task.problem.steps = 75;
    p->task.terms[1].weight = free_yaw;
    p->task.terms[1].tolerance = 0;
    p->task.terms[4].weight = free_yaw;
}

static trx_search *make_search(push *p, int threads, uint64_t seed)
{
    trx_plan_settings plan = trx_plan_settings_default();
    trx_search_settings settings = trx_search_settings_default();
    trx_search *search = NULL;
    plan.iterations = SANITIZED ? 4 : 10;
    settings.starts = STARTS;
    settings.threads = threads;
    settings.seed = seed;
    settings.resumable = true;
    settings.time_limit = INFINITY;
    ck_assert_int_eq(trx_search_create(p->context, &p->task.problem, &plan, &settings, &search), TRX_OK);
    return search;
}

static void assert_same(const trx_search *a, const trx_search *b)
{
    const trx_search_info s = trx_search_get_info(a), t = trx_search_get_info(b);
    ck_assert_int_eq(s.status, t.status);
    ck_assert_str_eq(s.message, t.message);
    ck_assert(s.ncandidate == t.ncandidate && s.best == t.best);
    for (int i = 0; i < s.ncandidate; i++) {
        const trx_candidate *c = &s.candidates[i], *d = &t.candidates[i];
        ck_assert(c->number == d->number && c->parent == d->parent && c->outcome == d->outcome && c->error == d->error);
        ck_assert(c->cost == d->cost && c->iterations == d->iterations && c->approach == d->approach && c->last == d->last);
        ck_assert_str_eq(c->placement, d->placement);
    }
    const double *u = trx_plan_controls(trx_search_plan(a));
    ck_assert(memcmp(u, trx_plan_controls(trx_search_plan(b)), CONTROLS * sizeof *u) == 0);
}

START_TEST(a_search_goes_on_with_the_same_result)
{
    push p;
    open_hopeless(&p);
    trx_search *whole = make_search(&p, 1, 1);
    ck_assert_int_eq(trx_search_solve(whole, NULL, NULL, NULL), TRX_STALLED);
    for (int at = 0; at < STARTS; at += 7 * ONE_IN) {
        trx_search *first = make_search(&p, 1 + at % 2, 1), *second = make_search(&p, 2 - at % 2, 1);
        watch w = {.search = first, .save_at = at, .stops = true}, rest = {0};
        ck_assert_int_eq(trx_search_solve(first, NULL, on_candidate, &w), TRX_INTERRUPTED);
        ck_assert_int_eq(trx_search_restore(second, w.saved, w.length), TRX_OK);
        ck_assert_int_eq(trx_search_solve(second, NULL, on_candidate, &rest), TRX_STALLED);
        assert_same(whole, second);
        free(w.saved);
        trx_search_destroy(first);
        trx_search_destroy(second);
    }
    trx_search_destroy(whole);
    close_push(&p);
}
END_TEST

START_TEST(damaged_and_foreign_progress_is_refused)
{
    push p;
    open_hopeless(&p);
    trx_search *search = make_search(&p, 1, 1), *other = make_search(&p, 1, 2);
    watch w = {.search = search, .save_at = 2, .stops = true};
    const void *bytes;
    size_t length;
    ck_assert_int_eq(trx_search_solve(search, NULL, on_candidate, &w), TRX_INTERRUPTED);
    ck_assert_int_eq(trx_search_restore(search, w.saved, w.length), TRX_OK);
    ck_assert_int_eq(trx_search_restore(other, w.saved, w.length), TRX_ERR_INPUT);
    for (size_t i = 0; i < w.length; i += 211 * ONE_IN) {
        ((char *)w.saved)[i] ^= 1;
        ck_assert_int_eq(trx_search_restore(search, w.saved, w.length), TRX_ERR_INPUT);
        ((char *)w.saved)[i] ^= 1;
        ck_assert_int_eq(trx_search_restore(search, w.saved, i), TRX_ERR_INPUT);
    }
    ck_assert_int_eq(trx_search_save(search, NULL, &length), TRX_ERR_ARGUMENT);
    trx_search_destroy(other);

    // without the setting
    const trx_plan_settings plan = trx_plan_settings_default();
    const trx_search_settings settings = trx_search_settings_default();
    ck_assert_int_eq(trx_search_create(p.context, &p.task.problem, &plan, &settings, &other), TRX_OK);
    ck_assert_int_eq(trx_search_save(other, &bytes, &length), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_search_restore(other, w.saved, w.length), TRX_ERR_ARGUMENT);
    free(w.saved);
    trx_search_destroy(other);
    trx_search_destroy(search);
    close_push(&p);
}
END_TEST

// A damaged number of lines led beyond the candidates of the round.
START_TEST(a_round_with_a_wrong_number_of_lines_is_not_recalled)
{
    enum { RECORD = 16, ITEM = 8, LINES = RECORD + ITEM + (int)sizeof(double) + ITEM }; // heads of record and items, the time used
    static const int wrong[] = {-1, -1000000000, 2, 1000};
    push p;
    open_hopeless(&p);
    trx_search *search = make_search(&p, 1, 1);
    trxi_job job = {.candidate = {.number = 7}};
    ck_assert_int_eq(trxi_prefix_create(search->pool, &search->task, &job.made), TRX_OK);
    search->crew.deadline = INFINITY;
    trxi_search_keep_round(search, &job, 1);
    char *lines = search->journal.bytes.data + LINES;
    const int right = 1;
    ck_assert_mem_eq(lines, &right, sizeof right);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(lines, &wrong[i], sizeof *wrong);
        search->journal.next = 0;
        ck_assert_int_eq(trxi_search_recall_round(search, &job, 1), 0);
        ck_assert(search->journal.next == 0);
    }
    memcpy(lines, &right, sizeof right);
    ck_assert_int_eq(trxi_search_recall_round(search, &job, 1), 1);
    ck_assert_int_eq(job.candidate.number, 7);
    trx_search_destroy(search);
    close_push(&p);
}
END_TEST

static bool stop_at_once(void *user)
{
    (void)user;
    return true;
}

START_TEST(the_caller_stops_a_search_within_a_round)
{
    push p;
    open_hopeless(&p);
    const trx_plan_settings plan = trx_plan_settings_default();
    trx_search_settings settings = trx_search_settings_default();
    trx_search *search = NULL;
    settings.stop = stop_at_once;
    ck_assert_int_eq(trx_search_create(p.context, &p.task.problem, &plan, &settings, &search), TRX_OK);
    ck_assert_int_eq(trx_search_solve(search, NULL, NULL, NULL), TRX_INTERRUPTED);
    ck_assert_int_eq(trx_search_get_info(search).ncandidate, 0);
    trx_search_destroy(search);
    close_push(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("search/progress");
    TCase *cases = tcase_create("progress");
    tcase_set_timeout(cases, 200);
    tcase_add_test(cases, a_search_goes_on_with_the_same_result);
    tcase_add_test(cases, damaged_and_foreign_progress_is_refused);
    tcase_add_test(cases, a_round_with_a_wrong_number_of_lines_is_not_recalled);
    tcase_add_test(cases, the_caller_stops_a_search_within_a_round);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
