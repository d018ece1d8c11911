// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Islands (theory 5): each tree and each row belongs to one, rows never leave theirs, and the division changes nothing.

#include "contact/balance.h"
#include "contact/forest.h"
#include "contact/islands.h"
#include "contact/rounding.h"
#include "support/support.h"

#include <string.h>

enum { APPROXIMATIONS = TRX_SAP + 1, MAX_NV = 240 };

START_TEST(every_tree_and_every_row_has_one_island)
{
    for (uint64_t seed = 0; seed < 80; seed++) {
        forest f;
        make_forest(&f, TRX_LAGGED, 1 + (int)(seed % 40), (int)(seed * 3 % 30), (int)(seed % 7), seed);
        const trxi_work *s = f.solver.work;
        ck_assert_int_eq(trxi_islands_find(&f.problem, f.solver.work), TRX_OK);
        int trees = 0, rows = 0, unknowns = 0, last = -1;
        for (int i = 0; i < s->nisland; i++) {
            const trxi_island *island = &s->islands[i];
            ck_assert_int_gt(s->members[island->first_group], last);
            last = s->members[island->first_group];
            for (int k = 0; k < island->ngroup; k++, trees++)
                ck_assert_int_eq(s->island_of[s->members[island->first_group + k]], i);
            unknowns += island->nv;
            for (int k = island->block; k >= 0; k = f.problem.blocks[k].next, rows++)
                for (int c = 0; c < f.problem.blocks[k].ncol; c++)
                    ck_assert_int_eq(s->island_of[f.model.dof_tree[f.problem.blocks[k].cols[c]]], i);
        }
        ck_assert_int_eq(trees, f.model.ntree);
        ck_assert_int_eq(unknowns, f.model.nv);
        ck_assert_int_eq(rows, f.ncontact + f.nscalar);
        destroy_forest(&f);
    }
}
END_TEST

// a chain of ties through a list of trees is one island; a chain without one of its ties is two islands
START_TEST(ties_reach_through_other_trees)
{
    forest f;
    make_forest(&f, TRX_LAGGED, 9, 8, 0, 3);
    static const int order[9] = {4, 0, 7, 2, 8, 1, 6, 3, 5};
    static const double J[36] = {1};
    int cols[8][2];
    for (int k = 0; k < 8; k++) {
        int a = order[k] < order[k + 1] ? order[k] : order[k + 1], b = order[k] + order[k + 1] - a;
        cols[k][0] = f.model.trees[a].v, cols[k][1] = f.model.trees[b].v;
        f.contacts[k].ncol = 2, f.contacts[k].cols = cols[k], f.contacts[k].J = J;
    }
    ck_assert_int_eq(trxi_islands_find(&f.problem, f.solver.work), TRX_OK);
    ck_assert_int_eq(f.solver.work->nisland, 1);
    f.contacts[3].ncol = 1;
    ck_assert_int_eq(trxi_islands_find(&f.problem, f.solver.work), TRX_OK);
    ck_assert_int_eq(f.solver.work->nisland, 2);
    ck_assert_int_eq(f.solver.work->islands[0].ngroup + f.solver.work->islands[1].ngroup, 9);
    destroy_forest(&f);
}
END_TEST

// dense, sparse and all in one: the same velocities
START_TEST(division_and_storage_change_nothing)
{
    int sparse = 0, several = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        double v[3][MAX_NV];
        forest f;
        int ntree = 2 + (int)(seed % 30);
        make_forest(&f, (trx_approximation)(seed % APPROXIMATIONS), ntree, ntree, (int)(seed % 5), seed);
        for (int form = 0; form < 3; form++) {
            f.solver.work->dense_limit = form == 0 ? MAX_NV : 0;
            if (form == 0) f.solver.work->dense_limit = TRXI_DENSE_LIMIT;
            ck_assert_int_ge(solve_forest(&f, form == 2 ? 1e-13 : 1e-12), 0);
            memcpy(v[form], f.solver.v, (size_t)f.model.nv * sizeof **v);
            several += f.solver.stats.islands > 1;
            for (int i = 0; i < f.solver.work->nisland; i++) sparse += f.solver.work->islands[i].sparse != NULL;
            if (form == 2) {
                // the balance of all of them at once
                ck_assert_int_eq(trxi_islands_join(&f.problem, f.solver.work), TRX_OK);
                trxi_balance_compute(&f.problem, f.solver.work->islands, f.solver.work, f.solver.work->islands->now);
                trxi_verdict verdict = {0};
                trxi_rounding_judge(&f.problem, f.solver.work->islands, 1e-10, false, f.solver.work, &verdict);
                ck_assert(verdict.settled);
            }
        }
        double size = 1 + max_magnitude(v[0], f.model.nv);
        assert_below(max_difference(v[0], v[1], f.model.nv), 1e-8 * size);
        destroy_forest(&f);
    }
    ck_assert_int_ge(sparse, 40);
    ck_assert_int_ge(several, 60);
}
END_TEST

START_TEST(a_tree_without_rows_moves_by_its_own_mass)
{
    forest f;
    make_forest(&f, TRX_SAP, 12, 0, 0, 5);
    ck_assert_int_eq(solve_forest(&f, 1e-10), TRX_OK);
    ck_assert_int_eq(f.solver.work->nisland, 12);
    ck_assert_int_eq(f.solver.stats.islands, 0);
    ck_assert_int_eq(f.solver.stats.iterations, 0);
    ck_assert_int_eq(trxi_islands_join(&f.problem, f.solver.work), TRX_OK);
    trxi_balance_compute(&f.problem, f.solver.work->islands, f.solver.work, f.solver.work->islands->now);
    assert_below(max_magnitude(f.solver.work->islands->now->r, f.model.nv), 1e-12);
    destroy_forest(&f);
}
END_TEST

START_TEST(the_same_forest_has_the_same_bits_whatever_came_before)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        double first[MAX_NV];
        forest f;
        make_forest(&f, TRX_LAGGED, 30, 45, 3, seed);
        f.solver.work->dense_limit = 20;
        ck_assert_int_ge(solve_forest(&f, 1e-9), 0);
        memcpy(first, f.solver.v, (size_t)f.model.nv * sizeof *first);

        // another graph in between
        f.problem.nblock = 20;
        ck_assert_int_ge(solve_forest(&f, 1e-9), 0);
        f.problem.nblock = 48;
        ck_assert_int_ge(solve_forest(&f, 1e-9), 0);
        ck_assert(memcmp(first, f.solver.v, (size_t)f.model.nv * sizeof *first) == 0);
        destroy_forest(&f);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/islands");
    TCase *cases = tcase_create("islands");
    tcase_add_test(cases, every_tree_and_every_row_has_one_island);
    tcase_add_test(cases, ties_reach_through_other_trees);
    tcase_add_test(cases, division_and_storage_change_nothing);
    tcase_add_test(cases, a_tree_without_rows_moves_by_its_own_mass);
    tcase_add_test(cases, the_same_forest_has_the_same_bits_whatever_came_before);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
