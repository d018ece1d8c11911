// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Exact line search (theory 5, point 3): the step is the root of the slope, or the longest one.

#include "contact/balance.h"
#include "contact/line_search.h"
#include "contact/problem.h"
#include "math/dense.h"
#include "support/support.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

enum { APPROXIMATIONS = TRX_SAP + 1, NV = 6 };

static const trxi_iterate *now_of(const random_problem *p)
{
    return p->solver.work->islands->now;
}

// dv . r(v + alpha dv), from the residual itself
static double slope_at(random_problem *p, const double *v, const double *dv, double alpha)
{
    for (int i = 0; i < NV; i++) p->solver.v[i] = v[i] + alpha * dv[i];
    balance_problem(p);
    return trxi_dot(NV, dv, now_of(p)->r);
}

// the Newton direction, or a random one of descent
static void choose_direction(random_problem *p, uint64_t seed)
{
    double *dv = p->solver.work->dv, H[NV * NV];
    if (seed % 2) {
        hessian_problem(p, H);
        for (int i = 0; i < NV; i++) dv[i] = -now_of(p)->r[i];
        ck_assert_int_lt(trxi_cholesky(NV, H, NV), 0);
        trxi_cholesky_solve(NV, H, NV, 1, dv, NV);
        return;
    }
    for (int i = 0; i < NV; i++) dv[i] = 0.3 * trxi_random_normal(seed, (uint64_t)(500 + i));
    double sign = trxi_dot(NV, dv, now_of(p)->r) < 0 ? 1 : -1;
    for (int i = 0; i < NV; i++) dv[i] *= sign;
}

START_TEST(the_step_is_the_root_of_the_slope_or_the_longest)
{
    int longest = 0, between = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        random_problem p;
        make_problem(&p, (trx_approximation)(seed % APPROXIMATIONS), NV, 4, 2, seed);
        balance_problem(&p);
        judge_problem(&p, 1e-6);

        double dv[NV];
        choose_direction(&p, seed);
        memcpy(dv, p.solver.work->dv, sizeof dv);
        double slope0 = trxi_dot(NV, dv, now_of(&p)->r);
        double alpha = trxi_line_search(&p.problem, p.solver.work->islands, slope0, p.solver.work);
        ck_assert(alpha > 0 && alpha <= 1.5);
        double slope = slope_at(&p, p.start, dv, alpha);
        if (alpha == 1.5) {
            longest++;
            ck_assert(slope <= 1e-2 * fabs(slope0));
            continue;
        }
        between++;
        if (alpha == 1 && slope < 0) {
            ck_assert(slope >= -0.02 * fabs(slope0));
            continue;
        }

        // if the slope jumps over zero at a kink, the kink is the root
        double before = slope_at(&p, p.start, dv, alpha - 1e-9), after = slope_at(&p, p.start, dv, alpha + 1e-9);
        ck_assert(fabs(slope) <= 1.01e-2 * fabs(slope0) || (before <= 0 && after >= 0));
    }
    ck_assert_int_ge(longest, 20);
    ck_assert_int_ge(between, 200);
}
END_TEST

// the balance of an accepted iterate against the one that is computed there
static void assert_balance(random_problem *p)
{
    double r[NV], momentum[NV], gamma[4][3], v_c[4][3], row[2];
    memcpy(r, now_of(p)->r, sizeof r);
    memcpy(momentum, now_of(p)->p, sizeof momentum);
    for (int k = 0; k < 4; k++) {
        memcpy(gamma[k], p->contacts[k].at.gamma, sizeof gamma[k]);
        memcpy(v_c[k], p->contacts[k].at.v_c, sizeof v_c[k]);
    }
    for (int k = 0; k < 2; k++) row[k] = p->scalars[k].at.gamma[0];
    balance_problem(p);
    const double size = 1e-9 * (1 + max_magnitude(now_of(p)->p, NV) + max_magnitude(now_of(p)->j, NV));
    assert_below(max_difference(r, now_of(p)->r, NV), size);
    assert_below(max_difference(momentum, now_of(p)->p, NV), size);
    for (int k = 0; k < 4; k++) assert_below(max_difference(gamma[k], p->contacts[k].at.gamma, 3), size);
    for (int k = 0; k < 4; k++)
        assert_below(max_difference(v_c[k], p->contacts[k].at.v_c, 3), 1e-12 * (1 + max_magnitude(v_c[k], 3)));
    for (int k = 0; k < 2; k++) assert_below(fabs(row[k] - p->scalars[k].at.gamma[0]), size);
}

START_TEST(a_search_from_the_start_or_after_a_full_step_ends_in_one_place_with_its_balance)
{
    int shorter = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        random_problem p;
        make_problem(&p, (trx_approximation)(seed % APPROXIMATIONS), NV, 4, 2, seed);
        balance_problem(&p);
        judge_problem(&p, 1e-6);
        choose_direction(&p, seed);
        double dv[NV], v[NV];
        memcpy(dv, p.solver.work->dv, sizeof dv);
        const double slope0 = trxi_dot(NV, dv, now_of(&p)->r);
        const double alpha = trxi_line_search(&p.problem, p.solver.work->islands, slope0, p.solver.work);
        accept_problem(&p);
        memcpy(v, p.solver.v, sizeof v);
        for (int i = 0; i < NV; i++) assert_close(v[i], p.start[i] + alpha * dv[i], 0);
        assert_balance(&p);

        memcpy(p.solver.v, p.start, sizeof v);
        balance_problem(&p);
        const double slope1 = trxi_line_search_full(&p.problem, p.solver.work->islands, p.solver.work);
        ck_assert(memcmp(now_of(&p)->v, p.start, sizeof v) == 0);
        assert_close(slope1, trxi_dot(NV, dv, p.solver.work->islands->next->r), 1e-12 * fabs(slope1));
        for (int i = 0; i < NV; i++) assert_close(p.solver.work->islands->next->v[i], p.start[i] + dv[i], 0);
        accept_problem(&p);
        assert_balance(&p);
        memcpy(p.solver.v, p.start, sizeof v);
        balance_problem(&p);
        trxi_line_search_full(&p.problem, p.solver.work->islands, p.solver.work);
        const double share = trxi_line_search_within(&p.problem, p.solver.work->islands, slope0, slope1, p.solver.work);
        accept_problem(&p);
        assert_close(share, alpha, 1e-6);
        assert_below(max_difference(p.solver.v, v, NV), 1e-6 * (1 + max_magnitude(v, NV)));
        assert_balance(&p);
        shorter += share < 1;

        // backtracking has computed its last slope at half of the accepted step
        p.solver.work->backtracking = true;
        memcpy(p.solver.v, p.start, sizeof v);
        balance_problem(&p);
        ck_assert_double_gt(trxi_line_search(&p.problem, p.solver.work->islands, slope0, p.solver.work), 0);
        accept_problem(&p);
        assert_balance(&p);
    }
    ck_assert_int_ge(shorter, 200);
}
END_TEST

START_TEST(a_quadratic_takes_the_full_step_with_one_evaluation)
{
    random_problem p;
    make_problem(&p, TRX_LAGGED, NV, 0, 0, 3);
    balance_problem(&p);
    judge_problem(&p, 1e-6);
    double H[NV * NV];
    hessian_problem(&p, H);
    for (int i = 0; i < NV; i++) p.solver.work->dv[i] = -now_of(&p)->r[i];
    ck_assert_int_lt(trxi_cholesky(NV, H, NV), 0);
    trxi_cholesky_solve(NV, H, NV, 1, p.solver.work->dv, NV);
    p.solver.work->stats.line_search = 0;
    const double slope0 = trxi_dot(NV, p.solver.work->dv, now_of(&p)->r);
    ck_assert(trxi_line_search(&p.problem, p.solver.work->islands, slope0, p.solver.work) == 1);
    ck_assert_int_eq(p.solver.work->stats.line_search, 1);
}
END_TEST

START_TEST(below_round_off_the_newton_step_is_trusted)
{
    random_problem p;
    make_problem(&p, TRX_SAP, NV, 2, 0, 4);
    balance_problem(&p);
    judge_problem(&p, 1e-6);
    memset(p.solver.work->dv, 0, NV * sizeof *p.solver.work->dv);
    p.solver.work->dv[0] = 1e-12;
    p.solver.work->stats.line_search = 0;
    ck_assert(trxi_line_search(&p.problem, p.solver.work->islands, -1e-30, p.solver.work) == 1);
    ck_assert_int_eq(p.solver.work->stats.line_search, 1);
}
END_TEST

START_TEST(a_full_step_is_accepted_short_of_the_root_and_next_to_nothing_past_it)
{
    random_problem p;
    make_problem(&p, TRX_SAP, NV, 2, 0, 4);
    p.solver.work->stats.scale = 1;
    static const struct {
        double slope1;
        bool accepted;
    } cases[] = {{0, true}, {-0.019, true}, {-0.021, false}, {0.009, true}, {0.011, false}, {NAN, false}, {INFINITY, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_int_eq(trxi_line_search_accepts(p.solver.work, -2, 2 * cases[i].slope1), cases[i].accepted);
    ck_assert(trxi_line_search_accepts(p.solver.work, -1e-21, 1));
}
END_TEST

// the tries of full steps must leave no trace: the same solutions as a solve by backtracking, which tries none
START_TEST(both_searches_lead_to_one_solution)
{
    int compared = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        double solution[2][NV];
        for (int backtracking = 0; backtracking < 2; backtracking++) {
            random_problem p;
            make_problem(&p, (trx_approximation)(seed % APPROXIMATIONS), NV, 4, 2, seed);
            const trxi_solver_settings settings = {.tolerance = 1e-10, .max_iterations = 200, .backtracking = backtracking};
            memcpy(p.solver.v, p.start, sizeof p.start);
            ck_assert_int_ge(trxi_contact_solve(&p.problem, &settings, &p.solver), 0);
            memcpy(solution[backtracking], p.solver.v, sizeof solution[0]);
        }
        ck_assert_double_lt(max_difference(solution[0], solution[1], NV), 1e-6 * (1 + max_magnitude(solution[1], NV)));
        compared++;
    }
    ck_assert_int_eq(compared, 60);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/line_search");
    TCase *cases = tcase_create("line_search");
    tcase_add_test(cases, the_step_is_the_root_of_the_slope_or_the_longest);
    tcase_add_test(cases, a_search_from_the_start_or_after_a_full_step_ends_in_one_place_with_its_balance);
    tcase_add_test(cases, a_quadratic_takes_the_full_step_with_one_evaluation);
    tcase_add_test(cases, a_full_step_is_accepted_short_of_the_root_and_next_to_nothing_past_it);
    tcase_add_test(cases, both_searches_lead_to_one_solution);
    tcase_add_test(cases, below_round_off_the_newton_step_is_trusted);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
