// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Block Cholesky on random graphs: against the dense factorization of the same matrix, with few, many and no edges. All tests
// run on both sets of kernels, that of this processor (0) and the portable one (1).

#include "sparse/block_cholesky.h"

#include "base/random.h"
#include "math/dense.h"
#include "support/support.h"

#include <string.h>

enum { MAX_NODES = 40, MAX_N = 6 * MAX_NODES, MAX_EDGES = 400 };

typedef struct matrix {
    int nnode, n, nedge;
    int size[MAX_NODES], first[MAX_NODES], edges[MAX_EDGES][2];
    double A[MAX_N * MAX_N];
} matrix;

// blocks of 1 to 6 unknowns, random numbers in the blocks of the graph, positive definite by its diagonal
static void make_matrix(matrix *m, int nnode, int nedge, uint64_t seed)
{
    memset(m, 0, sizeof *m);
    m->nnode = nnode;
    for (int k = 0; k < nnode; k++) {
        m->size[k] = 1 + (int)(trxi_random_bits(seed, (uint64_t)k) % 6);
        m->first[k] = m->n;
        m->n += m->size[k];
    }
    for (int k = 0; k < nedge && nnode > 1; k++) {
        int a = (int)(trxi_random_bits(seed + 1, (uint64_t)k) % (uint64_t)nnode);
        int b = (int)(trxi_random_bits(seed + 2, (uint64_t)k) % (uint64_t)(nnode - 1));
        m->edges[m->nedge][0] = a;
        m->edges[m->nedge++][1] = b + (b >= a);
    }
    for (int k = 0; k < m->nedge + nnode; k++) {
        int a = k < m->nedge ? m->edges[k][0] : k - m->nedge, b = k < m->nedge ? m->edges[k][1] : a;
        for (int i = 0; i < m->size[a]; i++)
            for (int j = 0; j < m->size[b]; j++) {
                int r = m->first[a] + i, c = m->first[b] + j;
                double value = trxi_random_normal(seed + 3, (uint64_t)(r + c * MAX_N));
                m->A[r + c * m->n] = m->A[c + r * m->n] = value;
            }
    }
    for (int i = 0; i < m->n; i++) m->A[i + i * m->n] = 60;
}

static void fill_block(trxi_block_cholesky *bc, const matrix *m, int a, int b)
{
    trxi_block block = trxi_block_cholesky_block(bc, a, b);
    for (int i = 0; i < m->size[a]; i++)
        for (int j = 0; j < m->size[b]; j++) {
            double value = m->A[m->first[a] + i + (m->first[b] + j) * m->n];
            if (block.flipped) block.x[j + i * block.ld] = value;
            else block.x[i + j * block.ld] = value;
        }
}

static void analyze(trxi_block_cholesky *bc, const matrix *m)
{
    ck_assert_int_eq(trxi_block_cholesky_begin(bc, m->nnode, m->size), TRX_OK);
    for (int k = 0; k < m->nedge; k++)
        ck_assert_int_eq(trxi_block_cholesky_edge(bc, m->edges[k][0], m->edges[k][1]), TRX_OK);
    ck_assert_int_eq(trxi_block_cholesky_analyze(bc), TRX_OK);
}

static void fill(trxi_block_cholesky *bc, const matrix *m)
{
    trxi_block_cholesky_clear(bc);
    for (int k = 0; k < m->nnode; k++) fill_block(bc, m, k, k);
    for (int k = 0; k < m->nedge; k++) fill_block(bc, m, m->edges[k][0], m->edges[k][1]);
}

static trx_context *context;

static trxi_block_cholesky *create(int set)
{
    trxi_block_cholesky *bc = trxi_block_cholesky_create(context);
    ck_assert_ptr_nonnull(bc);
    trxi_block_cholesky_use_portable(bc, set == 1);
    return bc;
}

static void open_context(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
}

static void close_context(void)
{
    trx_context_destroy(context);
}

START_TEST(solutions_are_those_of_the_dense_factor)
{
    static matrix m;
    static double L[MAX_N * MAX_N], X[MAX_N * 19], Y[MAX_N * 19];
    trxi_block_cholesky *bc = create(_i);
    for (uint64_t seed = 0; seed < 60; seed++) {
        make_matrix(&m, 1 + (int)(seed % MAX_NODES), (int)(seed * seed % 90), seed);
        analyze(bc, &m);
        fill(bc, &m);
        ck_assert(trxi_block_cholesky_factorize(bc));
        memcpy(L, m.A, (size_t)(m.n * m.n) * sizeof *L);
        ck_assert_int_lt(trxi_cholesky(m.n, L, m.n), 0);

        // 1 column, and 19 columns, which no width divides; the last column is zero above its middle
        for (int nrhs = 1; nrhs <= 19; nrhs += 18) {
            for (int i = 0; i < m.n * nrhs; i++) X[i] = trxi_random_normal(seed + 9, (uint64_t)i);
            for (int i = 0; i < m.n / 2; i++) X[i + (nrhs - 1) * m.n] = 0;
            memcpy(Y, X, (size_t)(m.n * nrhs) * sizeof *X);
            trxi_block_cholesky_solve(bc, nrhs, X, m.n);
            trxi_cholesky_solve(m.n, L, m.n, nrhs, Y, m.n);
            ck_assert(max_magnitude(Y, m.n * nrhs) > 0);
            assert_below(max_difference(X, Y, m.n * nrhs), 1e-13 * max_magnitude(Y, m.n * nrhs));
        }
    }
    trxi_block_cholesky_destroy(bc);
}
END_TEST

START_TEST(a_graph_is_analyzed_once)
{
    static matrix m;
    trxi_block_cholesky *bc = create(_i);
    make_matrix(&m, 20, 40, 7);
    for (int k = 0; k < 5; k++) {
        analyze(bc, &m);
        for (int i = 0; i < m.n; i++) m.A[i * (m.n + 1)] += 1;
        fill(bc, &m);
        ck_assert(trxi_block_cholesky_factorize(bc));
    }
    ck_assert_int_eq(trxi_block_cholesky_analyses(bc), 1);

    // the order in which edges come does not matter, one edge more does
    for (int k = 0; k < m.nedge / 2; k++)
        for (int s = 0; s < 2; s++) {
            int other = m.edges[m.nedge - 1 - k][s];
            m.edges[m.nedge - 1 - k][s] = m.edges[k][1 - s];
            m.edges[k][1 - s] = other;
        }
    analyze(bc, &m);
    ck_assert_int_eq(trxi_block_cholesky_analyses(bc), 1);
    m.nedge--;
    analyze(bc, &m);
    ck_assert_int_eq(trxi_block_cholesky_analyses(bc), 2);
    trxi_block_cholesky_destroy(bc);
}
END_TEST

START_TEST(numbers_do_not_depend_on_what_was_solved_before)
{
    static matrix m, other;
    static double X[2][MAX_N];
    make_matrix(&m, 30, 50, 3);
    make_matrix(&other, 35, 80, 4);
    for (int k = 0; k < 2; k++) {
        trxi_block_cholesky *bc = create(_i);
        for (int i = 0; i < k; i++) {
            analyze(bc, &other);
            fill(bc, &other);
            ck_assert(trxi_block_cholesky_factorize(bc));
        }
        analyze(bc, &m);
        for (int i = 0; i <= k; i++) {
            fill(bc, &m);
            ck_assert(trxi_block_cholesky_factorize(bc));
        }
        for (int i = 0; i < m.n; i++) X[k][i] = i % 7 - 3;
        trxi_block_cholesky_solve(bc, 1, X[k], m.n);
        trxi_block_cholesky_destroy(bc);
    }
    ck_assert(memcmp(X[0], X[1], (size_t)m.n * sizeof **X) == 0);
}
END_TEST

START_TEST(a_column_alone_and_among_others_has_the_same_solution)
{
    // in lanes, and where only some panels are reached; the bits of a column do not depend on its neighbours
    static matrix m;
    static double X[MAX_N * 13], Y[MAX_N * 13], Z[MAX_N];
    trxi_block_cholesky *bc = create(_i);
    make_matrix(&m, 40, 45, 11);
    analyze(bc, &m);
    fill(bc, &m);
    ck_assert(trxi_block_cholesky_factorize(bc));
    memset(X, 0, sizeof X);
    for (int c = 0; c < 13; c++)
        for (int i = 0; i < m.size[3 * c]; i++) X[m.first[3 * c] + i + c * m.n] = 1 + i;
    memcpy(Y, X, sizeof X);
    trxi_block_cholesky_solve(bc, 13, Y, m.n);
    for (int c = 0; c < 13; c++) {
        double pair[2 * MAX_N] = {0};
        memcpy(pair, X + c * m.n, (size_t)m.n * sizeof *pair);
        trxi_block_cholesky_solve(bc, 2, pair, m.n);
        ck_assert(memcmp(pair, Y + c * m.n, (size_t)m.n * sizeof *pair) == 0);
        ck_assert(max_magnitude(pair, m.n) > 0);
        assert_below(max_magnitude(pair + m.n, m.n), 1e-300);
        memcpy(Z, X + c * m.n, (size_t)m.n * sizeof *Z);
        trxi_block_cholesky_solve(bc, 1, Z, m.n);
        assert_below(max_difference(Z, pair, m.n), 1e-14 * max_magnitude(Z, m.n));
    }
    trxi_block_cholesky_destroy(bc);
}
END_TEST

START_TEST(what_is_not_positive_definite_is_refused_and_forgotten)
{
    static matrix m;
    trxi_block_cholesky *bc = create(_i);
    make_matrix(&m, 12, 20, 5);
    double good = m.A[m.n / 2 * (m.n + 1)];
    const double bad[] = {-1, 0, NAN, INFINITY};
    for (int k = 0; k < 4; k++) {
        analyze(bc, &m);
        m.A[m.n / 2 * (m.n + 1)] = bad[k];
        fill(bc, &m);
        ck_assert_msg(!trxi_block_cholesky_factorize(bc), "pivot %g", bad[k]);
        m.A[m.n / 2 * (m.n + 1)] = good;

        // not before it is analyzed again
        fill(bc, &m);
        ck_assert(!trxi_block_cholesky_factorize(bc));
        analyze(bc, &m);
        fill(bc, &m);
        ck_assert(trxi_block_cholesky_factorize(bc));
    }
    trxi_block_cholesky_destroy(bc);
}
END_TEST

START_TEST(the_order_keeps_a_chain_free_of_fill)
{
    // nodes of a chain in shuffled order: n/2 blocks below the diagonal each, no more
    static matrix m;
    memset(&m, 0, sizeof m);
    m.nnode = MAX_NODES;
    for (int k = 0; k < MAX_NODES; k++) m.size[k] = 6, m.first[k] = 6 * k;
    m.n = MAX_N;
    for (int k = 0; k + 1 < MAX_NODES; k++) {
        m.edges[m.nedge][0] = k * 17 % MAX_NODES;
        m.edges[m.nedge++][1] = (k + 1) * 17 % MAX_NODES;
    }
    for (int i = 0; i < m.n; i++) m.A[i * (m.n + 1)] = 1;
    trxi_block_cholesky *bc = create(_i);
    analyze(bc, &m);
    fill(bc, &m);
    ck_assert(trxi_block_cholesky_factorize(bc));
    ck_assert_int_le(trxi_block_cholesky_nonzeros(bc), 21 * MAX_NODES + 36 * (MAX_NODES - 1));
    trxi_block_cholesky_destroy(bc);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sparse/block_cholesky");
    TCase *cases = tcase_create("block_cholesky");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_add_loop_test(cases, solutions_are_those_of_the_dense_factor, 0, 2);
    tcase_add_loop_test(cases, a_graph_is_analyzed_once, 0, 2);
    tcase_add_loop_test(cases, numbers_do_not_depend_on_what_was_solved_before, 0, 2);
    tcase_add_loop_test(cases, a_column_alone_and_among_others_has_the_same_solution, 0, 2);
    tcase_add_loop_test(cases, what_is_not_positive_definite_is_refused_and_forgotten, 0, 2);
    tcase_add_loop_test(cases, the_order_keeps_a_chain_free_of_fill, 0, 2);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
