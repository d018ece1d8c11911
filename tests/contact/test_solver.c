// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The work of every solver of an island, counted on random problems whose contacts open, stick and slide beside limits, drives,
// dry friction and equalities. A wrong slope, a wrong extrapolation or another constant of a heuristic leaves the solution as it is
// and shows in these counts alone. A change that makes a solver better writes new numbers here.
//
// In a few problems the count depends on rounding: there a solver goes in circles until rounding lets it out. The sums therefore
// leave out the three dearest problems. Changes of p0 by 1e-13 then change a sum by less than the spread below.

#include "contact/island_solvers.h"
#include "contact/model.h"
#include "contact/problem.h"
#include "support/support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NV = 12, SCALARS = 4, SEEDS = 25, DEAREST = 3 };

typedef struct effort {
    int iterations, slopes; // without the dearest problems; slopes: evaluations in line searches
    int stages, unsolved;   // of all problems; at most so many are unsolved
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
} effort_case;

static const effort_case cases[] = {
    {"sap", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_SAP, 4, 0, false, {155, 344, 0, 0}, 1},
    {"sap, backtracking", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_SAP, 4, 0, true, {166, 583, 0, 0}, 1},
    {"lagged", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_LAGGED, 4, 0, false, {186, 593, 0, 0}, 1},
    {"lagged, backtracking", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_LAGGED, 4, 0, true, {239, 1121, 0, 0}, 1},
    {"similar", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_SIMILAR, 4, 0, false, {212, 619, 11, 0}, 1},
    {"ccp by newton", {trxi_newton_solve}, TRX_CONTACT_CCP, TRX_SAP, 4, 1e-8, false, {1798, 6306, 150, 0}, 1},
    {"ccp by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_CCP, TRX_SAP, 4, 1e-6, false, {3912, 0, 0, 8}, 1},
    {"ncp by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_NCP, TRX_SAP, 4, 1e-6, false, {1835, 0, 0, 3}, 1},
    {"lcp by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_LCP, TRX_SAP, 4, 1e-6, false, {2367, 0, 0, 5}, 1},
    {"raisim by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_RAISIM, TRX_SAP, 4, 1e-6, false, {2422, 0, 0, 7}, 1},
    {"ccp by admm", {trxi_admm_solve}, TRX_CONTACT_CCP, TRX_SAP, 4, 1e-8, false, {939, 0, 0, 0}, 1},
    {"ncp by admm", {trxi_admm_solve}, TRX_CONTACT_NCP, TRX_SAP, 4, 1e-8, false, {1017, 0, 0, 0}, 1},
    {"lcp by admm", {trxi_admm_solve}, TRX_CONTACT_LCP, TRX_SAP, 4, 1e-8, false, {949, 0, 0, 0}, 1},
    {"raisim by admm", {trxi_admm_solve}, TRX_CONTACT_RAISIM, TRX_SAP, 4, 1e-8, false, {952, 0, 0, 1}, 1},
    {"ncp by staggered", {trxi_staggered_solve}, TRX_CONTACT_NCP, TRX_SAP, 4, 1e-6, false, {926, 1509, 0, 0}, 1},
    {"lcp by staggered", {trxi_staggered_solve}, TRX_CONTACT_LCP, TRX_SAP, 4, 1e-6, false, {823, 1819, 0, 1}, 1},
    {"raisim by staggered", {trxi_staggered_solve}, TRX_CONTACT_RAISIM, TRX_SAP, 4, 1e-6, false, {977, 1875, 0, 2}, 1},
    {"lcp by pivoting", {trxi_pivoting_solve}, TRX_CONTACT_LCP, TRX_SAP, 4, 1e-8, false, {1491, 0, 0, 0}, 1},
    {"ncp, lifted", {trxi_lifted_solve}, TRX_CONTACT_NCP, TRX_SAP, 4, 1e-6, false, {3530, 11415, 132, 0}, 1},
    {"raisim, lifted", {trxi_lifted_solve}, TRX_CONTACT_RAISIM, TRX_SAP, 4, 1e-6, false, {6462, 18166, 372, 3}, 1},
    {"first_order, lifted", {trxi_lifted_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 4, 1e-6, false, {544, 1199, 0, 0}, 1},
    {"first_order", {trxi_two_level_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 4, 1e-6, false, {294, 594, 0, 0}, 1},
    {"dojo", {trxi_interior_point_solve}, TRX_CONTACT_DOJO, TRX_SAP, 4, 1e-6, false, {246, 0, 0, 0}, 1},
    {"crowded lagged", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_LAGGED, 8, 0, false, {263, 1022, 0, 0}, 1},
    {"crowded lagged, backtracking", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_LAGGED, 8, 0, true, {389, 1944, 0, 0}, 1},
    {"crowded similar", {trxi_newton_solve}, TRX_CONTACT_CONVEX, TRX_SIMILAR, 8, 0, false, {329, 1000, 24, 0}, 1},
    {"crowded ccp by newton", {trxi_newton_solve}, TRX_CONTACT_CCP, TRX_SAP, 8, 1e-8, false, {1550, 6315, 120, 0}, 1},
    {"crowded ccp by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_CCP, TRX_SAP, 8, 1e-6, false, {5839, 0, 0, 20}, 1},
    {"crowded ncp by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_NCP, TRX_SAP, 8, 1e-6, false, {4947, 0, 0, 16}, 1},
    {"crowded lcp by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_LCP, TRX_SAP, 8, 1e-6, false, {5575, 0, 0, 18}, 1},
    {"crowded raisim by pgs", {trxi_gauss_seidel_solve}, TRX_CONTACT_RAISIM, TRX_SAP, 8, 1e-6, false, {5187, 0, 0, 17}, 1},
    {"crowded ccp by admm", {trxi_admm_solve}, TRX_CONTACT_CCP, TRX_SAP, 8, 1e-8, false, {3648, 0, 0, 9}, 1},
    {"crowded ncp by admm", {trxi_admm_solve}, TRX_CONTACT_NCP, TRX_SAP, 8, 1e-8, false, {1923, 0, 0, 2}, 1},
    {"crowded lcp by admm", {trxi_admm_solve}, TRX_CONTACT_LCP, TRX_SAP, 8, 1e-8, false, {2115, 0, 0, 3}, 1},
    {"crowded raisim by admm", {trxi_admm_solve}, TRX_CONTACT_RAISIM, TRX_SAP, 8, 1e-8, false, {2583, 0, 0, 3}, 1},
    {"crowded lcp by pivoting", {trxi_pivoting_solve}, TRX_CONTACT_LCP, TRX_SAP, 8, 1e-8, false, {3454, 0, 0, 0}, 1},
    {"crowded ncp, lifted", {trxi_lifted_solve}, TRX_CONTACT_NCP, TRX_SAP, 8, 1e-6, false, {7369, 26103, 396, 0}, 1},
    {"crowded, lifted", {trxi_lifted_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 8, 1e-6, false, {696, 1939, 0, 0}, 1},
    {"crowded first_order", {trxi_two_level_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 8, 1e-6, false, {416, 970, 0, 0}, 1},
    {"crowded dojo", {trxi_interior_point_solve}, TRX_CONTACT_DOJO, TRX_SAP, 8, 1e-6, false, {288, 0, 0, 2}, 1},
    {"dojo near the boundary", {trxi_interior_point_solve}, TRX_CONTACT_DOJO, TRX_SAP, 4, 1e-10, false, {319, 0, 0, 1}, 1},
    {"dense first_order", {trxi_two_level_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 12, 1e-6, false, {522, 1392, 0, 0}, 1},
    {"4 stiff springs", {trxi_two_level_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 4, 1e-6, false, {504, 1068, 0, 0}, 1e6},
    {"8 stiff springs", {trxi_two_level_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 8, 1e-8, false, {860, 2139, 0, 0}, 1e6},
    {"12 stiff springs", {trxi_two_level_solve}, TRX_CONTACT_FIRST_ORDER, TRX_SAP, 12, 1e-8, false, {2631, 7138, 42, 1}, 1e6},
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

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int sum_without_dearest(int counts[SEEDS])
{
    int sum = 0;
    qsort(counts, SEEDS, sizeof *counts, compare);
    for (int i = 0; i < SEEDS - DEAREST; i++) sum += counts[i];
    return sum;
}

// stiff springs leave fewer digits to the solvers
static bool agrees(const effort_case *c, int counted, int expected)
{
    const double spread = c->stiffness > 1 ? 0.1 : 0.03;
    return abs(counted - expected) <= spread * expected;
}

START_TEST(solvers_take_as_many_iterations_as_they_are_known_to_take)
{
    static random_problem p;
    const effort_case *c = &cases[_i];
    const trxi_solver_settings settings = {.tolerance = 1e-8, .max_iterations = 100, .max_sweeps = 300, .methods = c->methods,
                                           .backtracking = c->backtracking};
    effort e = {0};
    int iterations[SEEDS], slopes[SEEDS];
    for (int k = 0; k < SEEDS; k++) {
        make(&p, c, (uint64_t)k + 1);
        e.unsolved += trxi_contact_solve(&p.problem, &settings, &p.solver) < 0;
        const trxi_solver_stats *s = &p.solver.stats;
        iterations[k] = s->iterations, slopes[k] = s->line_search, e.stages += s->continuation;
    }
    e.iterations = sum_without_dearest(iterations), e.slopes = sum_without_dearest(slopes);
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

int main(void)
{
    Suite *suite = suite_create("contact/solver");
    TCase *t = tcase_create("solver");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, solvers_take_as_many_iterations_as_they_are_known_to_take, 0, CASES);
    tcase_add_loop_test(t, an_island_is_solved_as_it_is_alone, 0, CASES);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
