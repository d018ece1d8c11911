// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pieces: the way and the contact make one trajectory of the physical model, and polishing does not raise the cost.

#include "search/lab.h"

#include "search/piece.h"

static bool never(void *user)
{
    (void)user;
    return false;
}

static bool at_once(void *user)
{
    (void)user;
    return true;
}

// a piece from the start to knot `last`
static trx_candidate plan_piece(lab *l, int last, bool (*stop)(void *user), trxi_prefix *prefix)
{
    trxi_placement found[1] = {{0}};
    trx_candidate candidate = {0};
    ck_assert_int_eq(trxi_placements_find(&l->scout, l->pool, l->push.task.x0, 0, 1, 1, found), 1);
    ck_assert_int_eq(trxi_prefix_create(l->pool, &l->task, prefix), TRX_OK);
    ck_assert_int_eq(trxi_piece_plan(&l->scout, l->pool, found, last, stop, NULL, prefix, &candidate), TRX_OK);
    return candidate;
}

// a piece of 75 knots from the wrong side of the box
static trx_candidate open_piece(lab *l, bool (*stop)(void *user), trxi_prefix *prefix)
{
    open_lab(l, 0.12, 0.01, 0.15, 0);
    return plan_piece(l, 75, stop, prefix);
}

START_TEST(a_piece_from_the_wrong_side_reaches_the_goal)
{
    lab l;
    trxi_prefix prefix;
    trx_candidate candidate = open_piece(&l, never, &prefix);
    ck_assert_int_eq(candidate.outcome, TRX_CANDIDATE_MET);
    ck_assert_int_eq(prefix.knots, 75);
    ck_assert(candidate.approach > 0 && candidate.approach <= 45);

    // the whole is a trajectory of the model that brings the box to the goal
    double x[19];
    memcpy(x, l.push.task.x0, sizeof x);
    for (int k = 0; k < 75; k++) {
        ck_assert_int_ge(trx_step(l.scout.sim, x, prefix.u + 3 * k, x), 0);
        assert_below(max_difference(x, prefix.x + 19 * (k + 1), 19), 1e-3);
    }
    assert_below(hypot(x[0] - 0.15, x[1]), 0.005);

    const double before = candidate.error;
    ck_assert_int_eq(trxi_piece_polish(&l.scout, l.pool, never, NULL, &prefix, &candidate), TRX_OK);
    ck_assert_int_eq(candidate.outcome, TRX_CANDIDATE_MET);
    assert_below(candidate.error, fmax(1, before));
    close_lab(&l);
}
END_TEST

// the limit had its first knot behind the last control of the piece, whose plan was refused
START_TEST(a_limit_of_controls_may_begin_where_a_piece_ends)
{
    enum { LAST = 50 };
    static const double most[3] = {19, 19, 19};
    lab l;
    trxi_prefix prefix;
    trx_limit limit = trx_limit_default();
    limit.term = (trx_cost_term){.name = "control", .quantity = TRX_CONTROL};
    limit.upper = most, limit.first = LAST;
    open_lab(&l, 0.12, 0.01, 0.15, 0);
    l.task.problem.limits = &limit, l.task.problem.nlimit = 1;
    const trx_candidate candidate = plan_piece(&l, LAST, never, &prefix);
    ck_assert_int_ne(candidate.outcome, TRX_CANDIDATE_FAILED);
    ck_assert_int_eq(prefix.knots, LAST);
    close_lab(&l);
}
END_TEST

START_TEST(work_that_must_end_ends)
{
    lab l;
    trxi_prefix prefix;
    trx_candidate candidate = open_piece(&l, at_once, &prefix);
    ck_assert_int_eq(candidate.outcome, TRX_CANDIDATE_FAILED);
    assert_below(prefix.knots, 75);
    close_lab(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("piece");
    TCase *cases = tcase_create("piece");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_piece_from_the_wrong_side_reaches_the_goal);
    tcase_add_test(cases, a_limit_of_controls_may_begin_where_a_piece_ends);
    tcase_add_test(cases, work_that_must_end_ends);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
