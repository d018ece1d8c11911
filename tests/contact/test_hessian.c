// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// H = A + J^T G J (theory 5): all its forms are one matrix, and back-substitution is its inverse.

#include "contact/hessian.h"

#include "contact/balance.h"
#include "contact/forest.h"
#include "contact/islands.h"
#include "math/dense.h"
#include "support/support.h"

#include "base/random.h"

#include <string.h>

enum { MAX_NV = 200, COLUMNS = 37 };

START_TEST(the_product_is_that_of_the_dense_matrix)
{
    static double H[MAX_NV * MAX_NV];
    for (uint64_t seed = 0; seed < 20; seed++) {
        forest f;
        make_forest(&f, (trx_approximation)(seed % 5), 20, 30, 6, seed);
        const int nv = f.model.nv;
        double x[MAX_NV], y[MAX_NV], z[MAX_NV];
        f.solver.work->dense_limit = TRXI_DENSE_LIMIT;
        ck_assert_int_ge(solve_forest(&f, 1e-8), 0);
        ck_assert_int_eq(trxi_islands_join(&f.problem, f.solver.work), TRX_OK);
        trxi_hessian_dense(&f.problem, f.solver.work->islands, f.solver.work, H);
        for (int i = 0; i < nv; i++) x[i] = trxi_random_normal(seed, (uint64_t)i);
        trxi_symv(nv, H, nv, x, z);
        trxi_hessian_product(&f.problem, f.solver.work->islands, f.solver.work, x, y);
        ck_assert(max_magnitude(z, nv) > 0);
        assert_below(max_difference(y, z, nv), 1e-12 * max_magnitude(z, nv));
        destroy_forest(&f);
    }
}
END_TEST

// columns that are zero on some islands among them
START_TEST(back_substitution_is_the_inverse_of_the_product)
{
    static double X[MAX_NV * COLUMNS], Y[MAX_NV];
    int sparse = 0, dense = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        forest f;
        make_forest(&f, (trx_approximation)(seed % 5), 24, 4 + (int)seed * 2, (int)(seed % 4), seed);
        const int nv = f.model.nv;
        f.solver.work->dense_limit = seed % 2 ? TRXI_DENSE_LIMIT : 0;
        ck_assert_int_ge(solve_forest(&f, 1e-8), 0);
        ck_assert_int_eq(trxi_contact_factorize(&f.problem, &f.solver), TRX_OK);
        for (int i = 0; i < nv * COLUMNS; i++) {
            bool empty = (i / nv + f.solver.work->island_of[f.model.dof_tree[i % nv]]) % 3 == 0;
            X[i] = empty ? 0 : trxi_random_normal(seed, (uint64_t)i);
        }
        double *copy = Y;
        for (int c = 0; c < COLUMNS; c += 9) {
            memcpy(copy, X + c * nv, (size_t)nv * sizeof *copy);
            trxi_contact_back_substitute(&f.problem, &f.solver, 1, copy, nv);
            double alone[MAX_NV], back[MAX_NV];
            memcpy(alone, copy, (size_t)nv * sizeof *alone);
            for (int i = 0; i < f.solver.work->nisland; i++) {
                trxi_hessian_product(&f.problem, &f.solver.work->islands[i], f.solver.work, alone, back);
                sparse += f.solver.work->islands[i].sparse != NULL;
                dense += f.solver.work->islands[i].H != NULL;
            }
            double size = max_magnitude(X + c * nv, nv);
            assert_below(max_difference(back, X + c * nv, nv), 1e-7 * size);
        }
        static double all[MAX_NV * COLUMNS];
        memcpy(all, X, (size_t)(nv * COLUMNS) * sizeof *all);
        trxi_contact_back_substitute(&f.problem, &f.solver, COLUMNS, all, nv);
        for (int c = 0; c < COLUMNS; c++) {
            memcpy(copy, X + c * nv, (size_t)nv * sizeof *copy);
            trxi_contact_back_substitute(&f.problem, &f.solver, 1, copy, nv);
            assert_below(max_difference(all + c * nv, copy, nv), 1e-12 * (max_magnitude(copy, nv) + 1e-300));
        }
        destroy_forest(&f);
    }
    ck_assert_int_ge(sparse, 10);
    ck_assert_int_ge(dense, 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/hessian");
    TCase *cases = tcase_create("hessian");
    tcase_add_test(cases, the_product_is_that_of_the_dense_matrix);
    tcase_add_test(cases, back_substitution_is_the_inverse_of_the_product);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
