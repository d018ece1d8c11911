// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pairs are found by their number and by their geometries, whatever runs they stand in, and a split changes one pair's kind.

#include "base/random.h"
#include "geometry/pair_table.h"
#include "support/support.h"

enum { GEOMS = 12, MOST = GEOMS * (GEOMS - 1) / 2 };

typedef struct pairs {
    trxi_pair_run runs[3 * MOST];
    int rows[GEOMS + 1];
    trxi_pair_table table;
    int a[MOST], b[MOST], kind[MOST];
} pairs;

// random pairs of random kinds, in runs that cannot be joined
static void fill(pairs *p, unsigned seed)
{
    p->table = (trxi_pair_table){0, 0, GEOMS + 1, p->runs, p->rows};
    for (int i = 0; i < GEOMS; i++) {
        p->rows[i] = p->table.nrun;
        for (int j = i + 1; j < GEOMS; j++) {
            const double dice = trxi_random_uniform(seed, (uint64_t)(i * GEOMS + j));
            if (dice < 0.3) continue;
            const int n = p->table.npair++, kind = dice < 0.8 ? 0 : 1;
            p->a[n] = i, p->b[n] = j, p->kind[n] = kind;
            trxi_pair_run *last = p->table.nrun > p->rows[i] ? &p->runs[p->table.nrun - 1] : NULL;
            if (last && last->geom + last->count == j && last->kind == kind) last->count++;
            else p->runs[p->table.nrun++] = (trxi_pair_run){n, 1, i, j, kind};
        }
    }
    p->rows[GEOMS] = p->table.nrun;
}

static void check(const pairs *p)
{
    int found = 0;
    for (int n = 0; n < p->table.npair; n++) {
        const trxi_pair_run *run = trxi_pair_table_run(&p->table, n);
        ck_assert(run->first <= n && n < run->first + run->count);
        ck_assert(run->row == p->a[n] && run->geom + n - run->first == p->b[n]);
        ck_assert_int_eq(run->kind, p->kind[n]);
    }
    for (int i = 0; i < GEOMS; i++)
        for (int j = 0; j < GEOMS; j++) {
            const trxi_pair_run *run = trxi_pair_table_find(&p->table, i, j);
            if (!run) continue;
            const int n = trxi_pair_number(run, i < j ? j : i);
            ck_assert(p->a[n] == (i < j ? i : j) && p->b[n] == (i < j ? j : i));
            found++;
        }
    ck_assert_int_eq(found, 2 * p->table.npair);
}

START_TEST(pairs_are_found_by_number_and_by_geometries)
{
    static pairs p;
    for (unsigned seed = 0; seed < 20; seed++) {
        fill(&p, seed);
        ck_assert_int_gt(p.table.npair, p.table.nrun);
        check(&p);
    }
}
END_TEST

START_TEST(a_split_changes_the_kind_of_one_pair)
{
    static pairs p;
    for (unsigned seed = 0; seed < 20; seed++) {
        fill(&p, seed);
        for (int k = 0; k < p.table.npair; k++) {
            // this order splits runs in the middle, at the ends and where they were split before
            const int n = (int)((unsigned)k * 7 % (unsigned)p.table.npair);
            trxi_pair_table_split(&p.table, n, p.kind[n] = 2 + k);
            check(&p);
        }
        ck_assert_int_le(p.table.nrun, p.table.npair);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/pair_table");
    TCase *cases = tcase_create("pair_table");
    tcase_add_test(cases, pairs_are_found_by_number_and_by_geometries);
    tcase_add_test(cases, a_split_changes_the_kind_of_one_pair);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
