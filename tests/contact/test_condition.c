// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Condition number of H against all eigenvalues by LAPACK.

#include "contact/balance.h"
#include "contact/forest.h"
#include "contact/hessian.h"
#include "contact/islands.h"
#include "support/support.h"

enum { MAX_NV = 200 };

// of the LAPACK in OpenBLAS, whose headers do not declare its functions
extern void dsyev_(const char *jobz, const char *uplo, const int *n, double *A, const int *lda, double *w, double *work,
                   const int *lwork, int *info);


START_TEST(the_condition_is_that_of_the_eigenvalues)
{
    static double H[MAX_NV * MAX_NV], w[MAX_NV], work[40 * MAX_NV];
    const int lwork = 40 * MAX_NV;
    double most = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        forest f;
        make_forest(&f, (trx_approximation)(seed % 5), 4 + (int)(seed % 9), 1 + (int)(seed % 17), (int)(seed % 4), seed);
        const int nv = f.model.nv;
        ck_assert_int_ge(solve_forest(&f, 1e-8), 0);
        double condition = trxi_contact_condition(&f.problem, &f.solver);
        ck_assert_int_eq(trxi_islands_join(&f.problem, f.solver.work), TRX_OK);
        trxi_balance_compute(&f.problem, f.solver.work->islands, f.solver.work, f.solver.work->islands->now);
        trxi_hessian_dense(&f.problem, f.solver.work->islands, f.solver.work, H);
        int info;
        dsyev_("N", "L", &nv, H, &nv, w, work, &lwork, &info);
        ck_assert_int_eq(info, 0);
        double wanted = w[nv - 1] / w[0];
        assert_close(condition, wanted, 0.02 * wanted);
        most = fmax(most, wanted);
        destroy_forest(&f);
    }
    ck_assert(most > 1e4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/condition");
    TCase *cases = tcase_create("condition");
    tcase_add_test(cases, the_condition_is_that_of_the_eigenvalues);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
