// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The work of every solver of an island, counted on random problems whose contacts open, stick and slide beside limits, drives,
// dry friction and equalities. A wrong slope, a wrong extrapolation or another constant of a heuristic leaves the solution as it is
// and shows in these counts alone. A change that makes a solver better writes new numbers here.
//
// The sums are over all problems. Where a solver goes in circles until rounding lets it out, the count depends on rounding: cases
// with a spread of their own. Changes of p0 by 1e-13 change a sum by less than half the spread.

#include "contact/island_solvers.h"
#include "contact/model.h"
#include "contact/problem.h"
#include "support/support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NV = 12, SCALARS = 4, SEEDS = 25 };

typedef struct effort {
    int iterations, slopes;  // slopes: evaluations in line searches
    int stages, unsolved;    // of continuations; at most so many problems are unsolved
} effort;

typedef struct effort_case {
    const char *name;
    trxi_island_solver *methods[2];  // a solver, NULL
    trx_contact_model model;
    trx_approximation approximation; // of the model convex
    int contacts;
    double compliance;               // of rigid contacts; kappa of dojo [J]
    bool backtracking;
    effort expected;
    double stiffness;                // factor of the springs of first_order
    double spread;                   // of the sums
} effort_case;

static const effort_case cases[] = {
    {"sap", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_SAP, 4, 0, false, {194, 493, 0, 0}, 1, 0.03},
    {"sap, backtracking", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_SAP, 4, 0, true, {209, 795, 0, 0}, 1, 0.03},
    {"lagged", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_LAGGED, 4, 0, false, {234, 845, 0, 0}, 1, 0.03},
    {"lagged, backtracking", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_LAGGED, 4, 0, true, {336, 1839, 0, 0}, 1, 0.03},
    {"similar", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_SIMILAR, 4, 0, false, {326, 1002, 11, 0}, 1, 0.03},
    {"ccp by newton", {trxi_newton_solve}, TRX_CONTACT_CCP, TRX_SAP, 4, 1e-8, false, {2061, 7413, 150, 0}, 1, 0.03},
    {"ccp by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_CCP, TRX_SAP, 4, 1e-6, false, {904, 0, 0, 0}, 1, 0.03},
    {"ncp by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_NCP, TRX_SAP, 4, 1e-6, false, {640, 0, 0, 0}, 1, 0.03},
    {"lcp by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_LCP, TRX_SAP, 4, 1e-6, false, {968, 0, 0, 0}, 1, 0.03},
    {"raisim by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_RAISIM, TRX_SAP, 4, 1e-6, false, {1078, 0, 0, 1}, 1, 0.03},
    {"ccp by admm", {trxi_admm_solve}, TRX_CONTACT_CCP, TRX_SAP, 4, 1e-8, false, {1256, 0, 0, 0}, 1, 0.08},
    {"ncp by admm", {trxi_admm_solve}, TRX_CONTACT_NCP, TRX_SAP, 4, 1e-8, false, {1170, 0, 0, 0}, 1, 0.03},
    {"lcp by admm", {trxi_admm_solve}, TRX_CONTACT_LCP, TRX_SAP, 4, 1e-8, false, {1346, 0, 0, 0}, 1, 0.03},
    {"raisim by admm", {trxi_admm_solve}, TRX_CONTACT_RAISIM, TRX_SAP, 4, 1e-8, false, {1345, 0, 0, 1}, 1, 0.03},
    {"ncp by staggered", {trxi_staggered_solve}, TRX_CONTACT_NCP, TRX_SAP, 4, 1e-6, false, {1363, 2230, 0, 0}, 1, 0.03},
    {"lcp by staggered", {trxi_staggered_solve}, TRX_CONTACT_LCP, TRX_SAP, 4, 1e-6, false, {2128, 5616, 0, 1}, 1, 0.08},
    {"raisim by staggered", {trxi_staggered_solve}, TRX_CONTACT_RAISIM, TRX_SAP, 4, 1e-6, false, {2620, 3720, 0, 2}, 1, 0.03},
    {"lcp by pivoting", {trxi_pivoting_solve}, TRX_CONTACT_LCP, TRX_SAP, 4, 1e-8, false, {1819, 0, 0, 0}, 1, 0.03},
    {"ncp, lifted", {trxi_lifted_solve}, TRX_CONTACT_NCP, TRX_SAP, 4, 1e-6, false, {6112, 20042, 132, 0}, 1, 0.03},
    {"raisim, lifted", {trxi_lifted_solve}, TRX_CONTACT_RAISIM, TRX_SAP, 4, 1e-6, false, {22014, 65945, 372, 3}, 1, 0.03},
    {"first_order, lifted", {trxi_lifted_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 4, 1e-6, false, {863, 1910, 0, 0}, 1, 0.03},
    {"first_order", {trxi_two_level_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 4, 1e-6, false, {371, 853, 0, 0}, 1, 0.03},
    {"dojo", {trxi_interior_point_solve}, TRX_CONTACT_DOJO, TRX_SAP, 4, 1e-6, false, {301, 0, 0, 0}, 1, 0.08},
    {"crowded lagged", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_LAGGED, 8, 0, false, {334, 1422, 0, 0}, 1, 0.03},
    {"crowded lagged, backtracking", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_LAGGED, 8, 0, true, {500, 2772, 0, 0}, 1, 0.08},
    {"crowded similar", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_SIMILAR, 8, 0, false, {487, 1468, 24, 0}, 1, 0.03},
    {"crowded ccp by newton", {trxi_newton_solve}, TRX_CONTACT_CCP, TRX_SAP, 8, 1e-8, false, {1831, 7628, 120, 0}, 1, 0.03},
    {"crowded ccp by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_CCP, TRX_SAP, 8, 1e-6, false, {3202, 0, 0, 4}, 1, 0.03},
    {"crowded ncp by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_NCP, TRX_SAP, 8, 1e-6, false, {2256, 0, 0, 3}, 1, 0.03},
    {"crowded lcp by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_LCP, TRX_SAP, 8, 1e-6, false, {2989, 0, 0, 5}, 1, 0.03},
    {"crowded raisim by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_RAISIM, TRX_SAP, 8, 1e-6, false, {3321, 0, 0, 7}, 1, 0.03},
    {"crowded ccp by admm", {trxi_admm_solve}, TRX_CONTACT_CCP, TRX_SAP, 8, 1e-8, false, {3712, 0, 0, 4}, 1, 0.08},
    {"crowded ncp by admm", {trxi_admm_solve}, TRX_CONTACT_NCP, TRX_SAP, 8, 1e-8, false, {2384, 0, 0, 1}, 1, 0.03},
    {"crowded lcp by admm", {trxi_admm_solve}, TRX_CONTACT_LCP, TRX_SAP, 8, 1e-8, false, {2946, 0, 0, 2}, 1, 0.03},
    {"crowded raisim by admm", {trxi_admm_solve}, TRX_CONTACT_RAISIM, TRX_SAP, 8, 1e-8, false, {3280, 0, 0, 3}, 1, 0.03},
    {"crowded lcp by pivoting", {trxi_pivoting_solve}, TRX_CONTACT_LCP, TRX_SAP, 8, 1e-8, false, {5001, 0, 0, 0}, 1, 0.3},
    {"crowded ncp, lifted", {trxi_lifted_solve}, TRX_CONTACT_NCP, TRX_SAP, 8, 1e-6, false, {11358, 40713, 396, 0}, 1, 0.03},
    {"crowded, lifted", {trxi_lifted_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 8, 1e-6, false, {1251, 3572, 0, 0}, 1, 0.03},
    {"crowded first_order", {trxi_two_level_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 8, 1e-6, false, {517, 1349, 0, 0}, 1, 0.03},
    {"crowded dojo", {trxi_interior_point_solve}, TRX_CONTACT_DOJO, TRX_SAP, 8, 1e-6, false, {347, 0, 0, 0}, 1, 0.08},
    {"dojo near the boundary", {trxi_interior_point_solve}, TRX_CONTACT_DOJO, TRX_SAP, 4, 1e-10, false, {388, 0, 0, 0}, 1, 0.08},
    {"dense first_order", {trxi_two_level_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 12, 1e-6, false, {725, 2044, 0, 0}, 1, 0.03},
    {"4 stiff springs", {trxi_two_level_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 4, 1e-6, false, {632, 1470, 0, 0}, 1e6, 0.08},
    {"8 stiff springs", {trxi_two_level_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 8, 1e-8, false, {1350, 4906, 0, 0}, 1e6, 0.08},
    {"stiffest springs", {trxi_two_level_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 12, 1e-8, false, {5411, 18785, 42, 1}, 1e6, .03},
};
enum { CASES = sizeof cases / sizeof *cases };

static void make(random_problem *p, const effort_case *c, uint64_t seed)
{
    static trx_context *context; // of the room for derivatives
    static trxi_cone_work cones[MAX_CONTACTS + MAX_SCALARS];
    if (!context) ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trxi_solver_close(&p->solver);
    make_problem(p, c->approximation, NV, c->contacts, SCALARS, seed);
    p->problem.context = context, p->problem.cones = cones;
    p->problem.law.compliance = p->problem.law.kappa = c->compliance;
    for (int k = 0; k < c->contacts && c->model != TRX_CONTACT_CONVEX; k++) {
        p->contacts[k].law = trxi_contact_model_of(c->model)->law;
        p->contacts[k].w = 1;
        p->materials[k].stiffness *= c->stiffness;
        p->contacts[k].law->prepare(&p->contacts[k], &p->problem.law);
    }
}

static bool agrees(const effort_case *c, int counted, int expected)
{
    return abs(counted - expected) <= c->spread * expected;
}

START_TEST(solvers_take_as_many_iterations_as_they_are_known_to_take)
{
    static random_problem p;
    const effort_case *c = &cases[_i];
    const trxi_solver_settings settings = {.tolerance = 1e-8, .max_iterations = 100, .max_sweeps = 300, .methods = c->methods,
                                           .backtracking = c->backtracking};
    effort e = {0};
    for (int k = 0; k < SEEDS; k++) {
        make(&p, c, (uint64_t)k + 1);
        e.unsolved += trxi_contact_solve(&p.problem, &settings, &p.solver) < 0;
        const trxi_solver_stats *s = &p.solver.stats;
        e.iterations += s->iterations, e.slopes += s->line_search, e.stages += s->continuation;
    }
    const bool same = agrees(c, e.iterations, c->expected.iterations) && agrees(c, e.slopes, c->expected.slopes);
    ck_assert_msg(same && e.stages == c->expected.stages && e.unsolved <= c->expected.unsolved, "%s: {%d, %d, %d, %d}", c->name,
                  e.iterations, e.slopes, e.stages, e.unsolved);
}
END_TEST

// the dofs of one tree: contacts of the first half on the first tree, the others on the second, so that there are two islands
static void divide(random_problem *p, const effort_case *c)
{
    static double J[MAX_CONTACTS][3 * NV];
    for (int k = 0; k < c->contacts; k++) {
        const trxi_tree *tree = &p->trees[2 * k / c->contacts];
        trxi_row_block *b = &p->contacts[k];
        memcpy(J[k], b->J, sizeof J[k]);
        b->J = J[k] + 3 * tree->v, b->cols = p->cols + tree->v, b->ncol = tree->nv;
    }
}

START_TEST(an_island_is_solved_as_it_is_alone)
{
    static random_problem p;
    const effort_case *c = &cases[_i];
    const trxi_solver_settings settings = {.tolerance = 1e-8, .max_iterations = 100, .max_sweeps = 300, .methods = c->methods,
                                           .backtracking = c->backtracking};
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double together[NV], alone[NV];
        for (int part = 0; part < 3; part++) {
            make(&p, c, seed);
            divide(&p, c);
            const int half = c->contacts / 2;
            p.problem.nblock = part == 0 ? c->contacts : half;
            if (part == 2) memmove(p.blocks, p.blocks + half, (size_t)half * sizeof *p.blocks);
            const trx_status status = trxi_contact_solve(&p.problem, &settings, &p.solver);
            if (status < 0) break;
            ck_assert_int_eq(p.solver.stats.islands, part == 0 ? 2 : 1);
            const int first = part == 2 ? NV / 2 : 0;
            if (part == 0) memcpy(together, p.solver.v, sizeof together);
            else memcpy(alone + first, p.solver.v + first, NV / 2 * sizeof *alone);
            if (part == 2) ck_assert_msg(memcmp(together, alone, sizeof alone) == 0, "%s, seed %d", c->name, (int)seed);
        }
    }
}
END_TEST

// a solver that converges on the first island with a larger change than that with which it fails on the second one
static trx_status fail_second(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                              trxi_work *s)
{
    const bool first = island == s->islands;
    const trx_status status = trxi_newton_solve(problem, island, settings, s);
    s->stats.change = first ? 1e-8 : 1e-9, s->stats.still = first ? 1e-7 : 1e-10;
    return first ? status : TRX_ERR_NOT_CONVERGED;
}

// the largest change of all islands stood beside the bound of the last one
START_TEST(the_change_is_that_of_the_island_that_failed)
{
    static random_problem p;
    const trxi_solver_settings settings = {.tolerance = 1e-8, .max_iterations = 100,
                                           .methods = (trxi_island_solver *const[]){fail_second, NULL}};
    make(&p, &cases[0], 1);
    divide(&p, &cases[0]);
    p.problem.nblock = cases[0].contacts;
    ck_assert_int_eq(trxi_contact_solve(&p.problem, &settings, &p.solver), TRX_ERR_NOT_CONVERGED);
    ck_assert_int_eq(p.solver.stats.islands, 2);
    assert_close(p.solver.stats.change, 1e-9, 0);
    assert_close(p.solver.stats.still, 1e-10, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/solver");
    TCase *t = tcase_create("solver");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, solvers_take_as_many_iterations_as_they_are_known_to_take, 0, CASES);
    tcase_add_loop_test(t, an_island_is_solved_as_it_is_alone, 0, CASES);
    tcase_add_test(t, the_change_is_that_of_the_island_that_failed);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
