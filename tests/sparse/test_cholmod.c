// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// CHOLMOD links and runs with its LGPL core alone. Tests compare with its simplicial factorization, which returns TRUE for an
// indefinite matrix and for NaN too.

#if __has_include(<suitesparse/cholmod.h>)
#include <suitesparse/cholmod.h>
#else
#include <cholmod.h>
#endif
#include "support/support.h"

enum { SIDE = 12, SIZE = SIDE * SIDE };

static void start(cholmod_common *common)
{
    cholmod_start(common);
    common->supernodal = CHOLMOD_SIMPLICIAL;
    common->print = 0;
}

// five-point Laplacian on a SIDE x SIDE grid with zero border, lower triangle, compressed columns
static cholmod_sparse *laplacian(cholmod_common *common)
{
    cholmod_triplet *triplet = cholmod_allocate_triplet(SIZE, SIZE, 3 * SIZE, -1, CHOLMOD_REAL, common);
    int *row = triplet->i, *column = triplet->j;
    double *value = triplet->x;
    size_t n = 0;
    for (int i = 0; i < SIZE; i++) {
        row[n] = i, column[n] = i, value[n++] = 4;
        if (i % SIDE < SIDE - 1) row[n] = i + 1, column[n] = i, value[n++] = -1;
        if (i + SIDE < SIZE) row[n] = i + SIDE, column[n] = i, value[n++] = -1;
    }
    triplet->nnz = n;
    cholmod_sparse *matrix = cholmod_triplet_to_sparse(triplet, n, common);
    cholmod_free_triplet(&triplet, common);
    return matrix;
}

// y = Laplacian x, straight from the grid
static void apply(const double *x, double *y)
{
    for (int i = 0; i < SIZE; i++) {
        double sum = 4 * x[i];
        if (i % SIDE > 0) sum -= x[i - 1];
        if (i % SIDE < SIDE - 1) sum -= x[i + 1];
        if (i >= SIDE) sum -= x[i - SIDE];
        if (i + SIDE < SIZE) sum -= x[i + SIDE];
        y[i] = sum;
    }
}

START_TEST(a_laplacian_is_solved_by_the_simplicial_factor)
{
    cholmod_common common;
    start(&common);
    cholmod_sparse *matrix = laplacian(&common);
    cholmod_factor *factor = cholmod_analyze(matrix, &common);
    ck_assert_int_eq(cholmod_factorize(matrix, factor, &common), 1);
    ck_assert_int_eq(factor->is_super, 0);
    ck_assert_uint_eq(factor->minor, SIZE);

    double expected[SIZE], product[SIZE];
    cholmod_dense *right = cholmod_allocate_dense(SIZE, 1, SIZE, CHOLMOD_REAL, &common);
    for (int i = 0; i < SIZE; i++) expected[i] = sin(1.0 + i);
    apply(expected, product);
    for (int i = 0; i < SIZE; i++) ((double *)right->x)[i] = product[i];
    cholmod_dense *solution = cholmod_solve(CHOLMOD_A, factor, right, &common);
    assert_below(max_difference(solution->x, expected, SIZE), 1e-12);

    cholmod_free_dense(&solution, &common);
    cholmod_free_dense(&right, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_free_sparse(&matrix, &common);
    cholmod_finish(&common);
    ck_assert_uint_eq(common.malloc_count, 0);
}
END_TEST

START_TEST(an_indefinite_matrix_must_be_found_by_its_pivots)
{
    cholmod_common common;
    start(&common);
    cholmod_sparse *matrix = laplacian(&common);
    const int *first = matrix->p;
    ((double *)matrix->x)[first[SIZE / 2]] = -4;
    cholmod_factor *factor = cholmod_analyze(matrix, &common);
    ck_assert_int_eq(cholmod_factorize(matrix, factor, &common), 1);

    // LDL^T: the diagonal of D comes first in every column
    const int *column = factor->p;
    double smallest = INFINITY;
    for (int i = 0; i < SIZE; i++) smallest = fmin(smallest, ((double *)factor->x)[column[i]]);
    assert_below(smallest, 0);

    cholmod_free_factor(&factor, &common);
    cholmod_free_sparse(&matrix, &common);
    cholmod_finish(&common);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sparse/cholmod");
    TCase *cases = tcase_create("cholmod");
    tcase_add_test(cases, a_laplacian_is_solved_by_the_simplicial_factor);
    tcase_add_test(cases, an_indefinite_matrix_must_be_found_by_its_pivots);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
