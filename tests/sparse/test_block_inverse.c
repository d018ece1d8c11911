// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The inverse of a block matrix on random graphs, against solves with its factor, and products with columns of few rows. All tests
// of numbers run on both sets of kernels, that of this processor (0) and the portable one (1).

#include "sparse/block_inverse.h"

#include "base/random.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 40, MAX_N = 9 * MAX_NODES, MAX_EDGES = 400 };

typedef struct graph {
    int nnode, n, nedge, size[MAX_NODES], edges[MAX_EDGES][2];
} graph;

static trx_context *context;
static trxi_block_cholesky *bc;
static double *memory;
static trxi_block_factor factor;
static trxi_block_inverse inverse;

// nodes of 1 to 9 unknowns
static graph make_graph(int nnode, int nedge, uint64_t seed)
{
    graph g = {.nnode = nnode};
    for (int k = 0; k < nnode; k++) g.n += g.size[k] = 1 + (int)(trxi_random_bits(seed, (uint64_t)k) % 9);
    for (int k = 0; k < nedge && nnode > 1; k++) {
        int a = (int)(trxi_random_bits(seed + 1, (uint64_t)k) % (uint64_t)nnode);
        int b = (int)(trxi_random_bits(seed + 2, (uint64_t)k) % (uint64_t)(nnode - 1));
        g.edges[g.nedge][0] = a;
        g.edges[g.nedge++][1] = b + (b >= a);
    }
    return g;
}

static void fill_block(const graph *g, int a, int b, uint64_t seed)
{
    trxi_block block = trxi_block_cholesky_block(bc, a, b);
    for (int i = 0; i < g->size[block.flipped ? b : a]; i++)
        for (int j = 0; j < g->size[block.flipped ? a : b]; j++)
            block.x[i + j * block.ld] = trxi_random_normal(seed, (uint64_t)(i + 9 * j + 81 * (a + MAX_NODES * b)));
    for (int i = 0; a == b && i < g->size[a]; i++) block.x[i * (block.ld + 1)] = 90;
}

// H as it was filled, dense and in the caller's order, and then what the factor and the inverse need
static double H[MAX_N * MAX_N];

static int first_of(const graph *g, int node)
{
    int first = 0;
    for (int k = 0; k < node; k++) first += g->size[k];
    return first;
}

static void add_entry(const graph *g, int a, int b, int i, int j, double value)
{
    trxi_block block = trxi_block_cholesky_block(bc, a, b);
    block.x[block.flipped ? j + i * block.ld : i + j * block.ld] += value;
    H[first_of(g, a) + i + (first_of(g, b) + j) * g->n] += value;
    if (a != b) H[first_of(g, b) + j + (first_of(g, a) + i) * g->n] += value;
}

// a spring between the nodes of every edge: stiffness x x^T
static void stiffen(const graph *g, double stiffness, uint64_t seed)
{
    for (int k = 0; k < g->nedge; k++) {
        double x[2][9];
        for (int i = 0; i < 18; i++) x[i / 9][i % 9] = trxi_random_normal(seed, (uint64_t)(18 * k + i));
        for (int s = 0; s < 2; s++)
            for (int t = 0; t <= s; t++)
                for (int i = 0; i < g->size[g->edges[k][s]]; i++)
                    for (int j = 0; j < g->size[g->edges[k][t]]; j++)
                        add_entry(g, g->edges[k][s], g->edges[k][t], i, j, stiffness * x[s][i] * x[t][j]);
    }
}

static void open_inverse(const graph *g, int set, double stiffness, uint64_t seed)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    ck_assert_ptr_nonnull(bc = trxi_block_cholesky_create(context));
    trxi_block_cholesky_use_portable(bc, set == 1);
    ck_assert_int_eq(trxi_block_cholesky_begin(bc, g->nnode, g->size), TRX_OK);
    for (int k = 0; k < g->nedge; k++)
        ck_assert_int_eq(trxi_block_cholesky_edge(bc, g->edges[k][0], g->edges[k][1]), TRX_OK);
    ck_assert_int_eq(trxi_block_cholesky_analyze(bc), TRX_OK);
    trxi_block_cholesky_clear(bc);
    memset(H, 0, sizeof H);
    for (int k = 0; k < g->nnode && stiffness == 0; k++) fill_block(g, k, k, seed);
    for (int k = 0; k < g->nedge && stiffness == 0; k++) fill_block(g, g->edges[k][0], g->edges[k][1], seed);
    for (int k = 0; k < g->nnode && stiffness > 0; k++)
        for (int i = 0; i < g->size[k]; i++) add_entry(g, k, k, i, i, 1);
    stiffen(g, stiffness, seed);
    ck_assert(trxi_block_cholesky_factorize(bc));
    factor = trxi_block_cholesky_factor(bc);

    // numbers that were there before do not matter, and what follows stays
    const size_t size = trxi_block_inverse_size(factor.symbolic);
    ck_assert_ptr_nonnull(memory = malloc((size + 1) * sizeof *memory));
    for (size_t i = 0; i <= size; i++) memory[i] = i == size ? 7 : NAN;
    inverse = trxi_block_inverse_make(&factor, memory);
    ck_assert_double_eq(memory[size], 7);
}

static void close_inverse(void)
{
    free(memory);
    trxi_block_cholesky_destroy(bc);
    trx_context_destroy(context);
}

// place of the unknown `i` in the caller's order
static int row_of(const graph *g, int i)
{
    int node = 0, first = 0;
    while (i >= first + g->size[node]) first += g->size[node++];
    return factor.symbolic->start[factor.symbolic->position[node]] + i - first;
}

START_TEST(the_inverse_is_that_of_the_factor)
{
    static double X[MAX_N];
    for (uint64_t seed = 0; seed < 60; seed += SANITIZED ? 7 : 1) {
        const graph g = make_graph(1 + (int)(seed % MAX_NODES), (int)(seed * seed % 90), seed);
        open_inverse(&g, _i, 0, seed);
        for (int j = 0; j < g.n; j++) {
            memset(X, 0, sizeof X);
            X[j] = 1;
            trxi_block_cholesky_solve(bc, 1, X, g.n);
            const double *Z = inverse.Z + (ptrdiff_t)row_of(&g, j) * inverse.ld, most = max_magnitude(X, g.n);
            ck_assert(most > 1e-3);
            for (int i = 0; i < g.n; i++) {
                assert_below(fabs(Z[row_of(&g, i)] - X[i]), 1e-14 * most);
                ck_assert_double_eq(Z[row_of(&g, i)], inverse.Z[row_of(&g, j) + (ptrdiff_t)row_of(&g, i) * inverse.ld]);
            }
            for (int i = g.n; i < inverse.ld; i++) ck_assert_double_eq(Z[i], 0);
        }
        close_inverse();
    }
}
END_TEST

// sets X to right-hand sides, by column, whose nonzero rows are the rows around position p
static void take_rows(const double *b, int n, int p, int ncol)
{
    const trxi_symbolic *s = factor.symbolic;
    double *row = inverse.X;
    for (int k = s->around[p]; k < s->around[p + 1]; k++)
        for (int i = s->start[s->near[k]]; i < s->start[s->near[k] + 1]; i++, row += TRXI_INVERSE_COLUMNS)
            for (int c = 0; c < ncol; c++) row[c] = b[s->first[s->order[s->near[k]]] + i - s->start[s->near[k]] + c * n];
}

START_TEST(products_with_few_rows_are_solutions)
{
    static double X[MAX_N * TRXI_INVERSE_COLUMNS];
    for (uint64_t seed = 0; seed < 40; seed++) {
        const graph g = make_graph(2 + (int)(seed % (MAX_NODES - 1)), (int)(seed * 7 % 90), seed);
        open_inverse(&g, _i, 0, seed);
        const trxi_symbolic *s = factor.symbolic;
        const int p = (int)seed % s->nnode, ncol = 2 + 2 * ((int)seed % (TRXI_INVERSE_COLUMNS / 2));
        memset(X, 0, sizeof X);
        for (int k = s->around[p]; k < s->around[p + 1]; k++)
            for (int i = 0; i < g.size[s->order[s->near[k]]] * ncol; i++)
                X[s->first[s->order[s->near[k]]] + i / ncol + i % ncol * g.n] = trxi_random_normal(seed, (uint64_t)(i + 200 * k));
        take_rows(X, g.n, p, ncol);
        ck_assert(trxi_block_inverse_multiply(&inverse, p, ncol / 2));
        trxi_block_cholesky_solve(bc, ncol, X, g.n);
        const double most = max_magnitude(X, g.n * ncol);
        ck_assert(most > 1e-3);
        for (int c = 0; c < ncol; c++)
            for (int i = 0; i < g.n; i++)
                assert_below(fabs(inverse.Y[row_of(&g, i) + c * inverse.ld] - X[i + c * g.n]), 1e-14 * most);
        close_inverse();
    }
}
END_TEST

// b = H x with x at one node alone, so b has few rows and stiff parts cancel in Z b. The second column is 1e-9 at one row, without
// cancellation: a scale common to both columns would hide its errors
START_TEST(products_that_cancel_are_told_from_others)
{
    static double b[2 * MAX_N];
    int refused = 0, all = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const graph g = make_graph(10 + (int)seed, 20 + 2 * (int)seed, seed);
        open_inverse(&g, _i, seed % 2 ? 1e9 : 30, seed);
        const trxi_symbolic *s = factor.symbolic;
        for (int p = 0; p < s->nnode; p++, all++) {
            const int own = s->first[s->order[p]], size = s->start[p + 1] - s->start[p];
            memset(b, 0, sizeof b);
            for (int j = own; j < own + size; j++)
                for (int i = 0; i < g.n; i++) b[i] += H[i + j * g.n] * (j - own + 1);
            for (int i = 0; i < g.n; i++) b[i + g.n] = 1e-9 * (i == own);
            take_rows(b, g.n, p, 2);
            const bool good = trxi_block_inverse_multiply(&inverse, p, 1);
            trxi_block_cholesky_solve(bc, 2, b, g.n);
            refused += !good;
            for (int i = 0; i < g.n && good; i++) {
                assert_below(fabs(inverse.Y[row_of(&g, i)] - b[i]), 1e-11 * size);
                assert_below(fabs(inverse.Y[row_of(&g, i) + inverse.ld] - b[i + g.n]), 1e-20);
            }
        }
        close_inverse();
    }
    ck_assert_int_gt(refused, all / 4);
    ck_assert_int_lt(refused, 3 * all / 4);
}
END_TEST

START_TEST(a_node_is_near_itself_and_its_neighbours_alone)
{
    const graph g = make_graph(30, 60, 3);
    open_inverse(&g, 0, 0, 3);
    const trxi_symbolic *s = factor.symbolic;
    for (int a = 0; a < g.nnode; a++) {
        bool wanted[MAX_NODES] = {false};
        wanted[a] = true;
        for (int k = 0; k < g.nedge; k++)
            for (int side = 0; side < 2; side++)
                if (g.edges[k][side] == a) wanted[g.edges[k][1 - side]] = true;
        int count = 0;
        for (int b = 0; b < g.nnode; b++) count += wanted[b];
        ck_assert_int_eq(s->around[s->position[a] + 1] - s->around[s->position[a]], count);
        for (int k = s->around[s->position[a]]; k < s->around[s->position[a] + 1]; k++) {
            ck_assert(wanted[s->order[s->near[k]]]);
            wanted[s->order[s->near[k]]] = false;
        }
    }
    close_inverse();
}
END_TEST

#ifdef TRXI_HAS_AVX2
START_TEST(both_widths_of_vectors_give_the_same_bits)
{
    enum { ROWS = 40, COUNT = 17, MOST = 31 };
    if (!__builtin_cpu_supports("avx512f")) return;
    static double A[COUNT][ROWS], B[COUNT * MOST], C[2][ROWS * MOST];
    const double *columns[COUNT];
    for (int k = 0; k < COUNT; k++) columns[k] = A[k];
    for (int i = 0; i < COUNT * ROWS; i++) A[i / ROWS][i % ROWS] = trxi_random_normal(1, (uint64_t)i);
    for (int i = 0; i < COUNT * MOST; i++) B[i] = trxi_random_normal(2, (uint64_t)i);
    for (int n = 1; n <= MOST; n++)
        for (int m = 8; m <= ROWS; m += 8) {
            memset(C, 0, sizeof C);
            trxi_combine_avx2(m, n, COUNT, columns, B, MOST, C[0], ROWS);
            trxi_combine_avx512(m, n, COUNT, columns, B, MOST, C[1], ROWS);
            ck_assert(max_magnitude(C[0] + (n - 1) * ROWS, m) > 0.1);
            ck_assert(memcmp(C[0], C[1], sizeof *C) == 0);
        }
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("sparse/block_inverse");
    TCase *cases = tcase_create("block_inverse");
    tcase_add_loop_test(cases, the_inverse_is_that_of_the_factor, 0, 2);
    tcase_add_loop_test(cases, products_with_few_rows_are_solutions, 0, 2);
    tcase_add_loop_test(cases, products_that_cancel_are_told_from_others, 0, 2);
    tcase_add_test(cases, a_node_is_near_itself_and_its_neighbours_alone);
#ifdef TRXI_HAS_AVX2
    tcase_add_test(cases, both_widths_of_vectors_give_the_same_bits);
#endif
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
