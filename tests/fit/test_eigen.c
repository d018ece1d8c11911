// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Eigenvalues: A V = V diag(values), V orthogonal, ascending; small eigenvalues of scaled matrices keep their digits.

#include "base/random.h"
#include "fit/eigen.h"
#include "support/support.h"

#include <string.h>

enum { N = 7 };

START_TEST(a_random_matrix_is_decomposed)
{
    double A[N * N], B[N * N], values[N], V[N * N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) A[i * N + j] = A[j * N + i] = trxi_random_normal(5, (uint64_t)(i * N + j));
    memcpy(B, A, sizeof B);
    trxi_symmetric_eigen(N, B, values, V);
    for (int k = 0; k < N; k++) {
        if (k > 0) ck_assert(values[k] >= values[k - 1]);
        for (int i = 0; i < N; i++) {
            double product = 0, inner = 0;
            for (int j = 0; j < N; j++) product += A[j * N + i] * V[k * N + j], inner += V[k * N + j] * V[i * N + j];
            assert_close(product, values[k] * V[k * N + i], 1e-12);
            assert_close(inner, i == k, 1e-13);
        }
    }
}
END_TEST

START_TEST(a_direction_without_information_has_eigenvalue_0)
{
    double A[4] = {4e6, 2e6, 2e6, 1e6}, values[2], V[4];
    trxi_symmetric_eigen(2, A, values, V);
    assert_close(values[0], 0, 1e-9);
    assert_close(values[1], 5e6, 1e-6);
    assert_close(fabs(V[0] / V[1]), 0.5, 1e-12);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/eigen");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_random_matrix_is_decomposed);
    tcase_add_test(tests, a_direction_without_information_has_eigenvalue_0);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
