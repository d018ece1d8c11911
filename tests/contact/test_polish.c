// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Polishing a solution with the factors of the solve (theory 5): the result is the solution to more digits; if the factors are not
// good enough, the solution stays as it was.

#include "contact/forest.h"
#include "contact/islands.h"
#include "math/dense.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NV = 200 };

// solves to 1e-6, then, into `exact`, down to rounding
static void solve_twice(forest *f, uint64_t seed, double *exact)
{
    make_forest(f, (trx_approximation)(seed % 5), 24, 4 + (int)seed, (int)(seed % 4), seed);
    f->solver.work->dense_limit = seed % 2 ? TRXI_DENSE_LIMIT : 0;
    ck_assert_int_le(f->model.nv, MAX_NV);
    ck_assert_int_ge(solve_forest(f, 1e-13), 0);
    memcpy(exact, f->solver.v, (size_t)f->model.nv * sizeof *exact);
    ck_assert_int_ge(solve_forest(f, 1e-6), 0);
}

START_TEST(a_polished_solution_is_the_one_of_a_tight_solve)
{
    int polished = 0, coarse = 0, steps = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        forest f;
        double exact[MAX_NV];
        solve_twice(&f, seed, exact);
        const int nv = f.model.nv;
        const double error = max_difference(f.solver.v, exact, nv), size = 1 + max_magnitude(exact, nv);
        const int before = f.solver.stats.iterations;
        coarse += error > 1e-9 * size;
        if (trxi_contact_polish(&f.problem, 1e-10, seed % 3 == 0, &f.solver)) {
            polished++, steps += f.solver.stats.iterations - before;
            assert_below(f.solver.stats.relative, 1e-10);
            assert_below(max_difference(f.solver.v, exact, nv), 1e-8 * size);
            ck_assert_int_le(f.solver.stats.iterations, before + 4);
            ck_assert_int_eq(trxi_contact_factorize(&f.problem, &f.solver), TRX_OK);
        }
        ck_assert_int_ge(f.solver.stats.islands, 1);
        destroy_forest(&f);
    }
    printf("%d of 40 polished in %d steps, %d of them had digits to gain\n", polished, steps, coarse);
    ck_assert_int_ge(polished, 35);
    ck_assert_int_ge(coarse, 10);
}
END_TEST

// the second solve starts at the solution of the first
START_TEST(with_new_factors_the_start_does_not_matter)
{
    int moved = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        forest f;
        double exact[MAX_NV], solution[MAX_NV], first[MAX_NV];
        solve_twice(&f, seed, exact);
        const int nv = f.model.nv;
        memcpy(solution, f.solver.v, sizeof solution);
        const bool works = trxi_contact_polish(&f.problem, 1e-10, true, &f.solver);
        memcpy(first, f.solver.v, sizeof first);
        memcpy(f.start, solution, (size_t)nv * sizeof *solution);
        ck_assert_int_ge(solve_forest(&f, 1e-6), 0);
        ck_assert_int_eq(memcmp(f.solver.v, solution, (size_t)nv * sizeof *solution), 0);
        ck_assert(trxi_contact_polish(&f.problem, 1e-10, true, &f.solver) == works);
        ck_assert_int_eq(memcmp(f.solver.v, first, (size_t)nv * sizeof *first), 0);
        moved += memcmp(first, solution, (size_t)nv * sizeof *first) != 0;
        destroy_forest(&f);
    }
    ck_assert_int_ge(moved, 10);
}
END_TEST

// a factor ten times too large takes a tenth of each step
START_TEST(a_bad_factor_leaves_everything_where_it_was)
{
    int refused = 0;
    for (uint64_t seed = 1; seed < 40; seed += 2) {
        forest f;
        double exact[MAX_NV], v[MAX_NV];
        solve_twice(&f, seed, exact);
        const int nv = f.model.nv;
        for (int i = 0; i < f.solver.work->nisland; i++) {
            const trxi_island *island = &f.solver.work->islands[i];
            if (trxi_island_is_free(island) || island->sparse || !island->near) continue;
            for (int k = 0; k < island->nv * island->nv; k++) island->H[k] *= sqrt(10);
        }
        memcpy(v, f.solver.v, sizeof v);
        if (!trxi_contact_polish(&f.problem, 1e-12, false, &f.solver)) {
            refused++;
            // islands before the one that failed may have been polished
            assert_below(max_difference(f.solver.v, v, nv), 1e-5 * (1 + max_magnitude(v, nv)));
            ck_assert_int_ge(solve_forest(&f, 1e-12), 0);
            assert_below(max_difference(f.solver.v, exact, nv), 1e-8 * (1 + max_magnitude(exact, nv)));
        }
        destroy_forest(&f);
    }
    ck_assert_int_ge(refused, 5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/polish");
    TCase *cases = tcase_create("polish");
    tcase_add_test(cases, a_polished_solution_is_the_one_of_a_tight_solve);
    tcase_add_test(cases, with_new_factors_the_start_does_not_matter);
    tcase_add_test(cases, a_bad_factor_leaves_everything_where_it_was);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
