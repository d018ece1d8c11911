// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Factor and solution of block Cholesky against CHOLMOD's simplicial LL^T, for the same matrix in the same order: graphs from no
// edges to all edges, nodes of 1 to 60 unknowns, badly scaled and ill-conditioned numbers, with the kernels of this processor (0)
// and the portable kernels (1). The order against the order that CHOLMOD takes from AMD.

#include "sparse/block_cholesky.h"
#include "sparse/order.h"
#include "sparse/symbolic.h"

#include "base/random.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#if __has_include(<suitesparse/cholmod.h>)
#include <suitesparse/cholmod.h>
#else
#include <cholmod.h>
#endif

enum { MOST_NODES = 300, MOST_N = 3000 };

typedef struct graph {
    int nnode, n, nedge;
    int size[MOST_NODES], first[MOST_NODES + 1];
    uint64_t edges[MOST_NODES * 20];
    double scale[MOST_N], diagonal; // H_rc = scale_r scale_c (symmetric random + diagonal on the diagonal)
    uint64_t seed;
} graph;

static trx_context *context;
static cholmod_common common;
static graph g;

static void open_context(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SIMPLICIAL;
    common.final_ll = 1;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_NATURAL;
    common.postorder = 0;
    common.print = 0;
}

static void close_context(void)
{
    cholmod_finish(&common);
    trx_context_destroy(context);
}

// each node has `most` neighbours or fewer among the next `reach`
static void make_graph(int nnode, int sizes, int most, int reach, uint64_t seed)
{
    memset(&g, 0, sizeof g);
    g.nnode = nnode, g.seed = seed;
    for (int k = 0; k < nnode; k++) {
        g.size[k] = sizes > 0 ? sizes : 1 + (int)(trxi_random_bits(seed, (uint64_t)k) % (k % 37 == 5 ? 60 : 8));
        g.first[k + 1] = g.first[k] + g.size[k];
        for (int b = k + 1, count = 0; b < nnode && b <= k + reach && count < most; b++)
            if (trxi_random_bits(seed + 1, (uint64_t)(k * MOST_NODES + b)) % (uint64_t)reach < (uint64_t)most)
                g.edges[g.nedge++] = (uint64_t)k << 32 | (uint64_t)b, count++;
    }
    g.n = g.first[nnode];
    ck_assert_int_le(g.n, MOST_N);
    for (int i = 0; i < g.n; i++) g.scale[i] = 1;
    g.diagonal = 4 * sqrt(g.n);
}

static double entry(int r, int c)
{
    const int low = r < c ? r : c, high = r < c ? c : r;
    const double value = trxi_random_normal(g.seed + 2, (uint64_t)(low + high * MOST_N));
    return g.scale[r] * g.scale[c] * (value + (r == c ? g.diagonal : 0));
}

static void ends(int k, int *a, int *b)
{
    *a = k < g.nedge ? (int)(g.edges[k] >> 32) : k - g.nedge;
    *b = k < g.nedge ? (int)(g.edges[k] & 0xffffffffu) : *a;
}

static bool factorize(trxi_block_cholesky *bc)
{
    ck_assert_int_eq(trxi_block_cholesky_begin(bc, g.nnode, g.size), TRX_OK);
    for (int k = 0, a, b; k < g.nedge; k++) {
        ends(k, &a, &b);
        ck_assert_int_eq(trxi_block_cholesky_edge(bc, b, a), TRX_OK);
    }
    ck_assert_int_eq(trxi_block_cholesky_analyze(bc), TRX_OK);
    trxi_block_cholesky_clear(bc);
    for (int k = 0, a, b; k < g.nedge + g.nnode; k++) {
        ends(k, &a, &b);
        trxi_block block = trxi_block_cholesky_block(bc, a, b);
        for (int i = 0; i < g.size[a]; i++)
            for (int j = 0; j < g.size[b]; j++)
                block.x[block.flipped ? j + i * block.ld : i + j * block.ld] = entry(g.first[a] + i, g.first[b] + j);
    }
    return trxi_block_cholesky_factorize(bc);
}

static int place(const trxi_symbolic *s, int node, int i)
{
    return s->start[s->position[node]] + i;
}

// lower triangle in the order of the factor
static cholmod_factor *reference(const trxi_symbolic *s)
{
    size_t count = 0;
    for (int k = 0; k < g.nnode; k++) count += (size_t)(g.size[k] * g.size[k]);
    for (int k = 0; k < g.nedge; k++)
        count += (size_t)(g.size[g.edges[k] >> 32] * g.size[g.edges[k] & 0xffffffffu]);
    cholmod_triplet *triplet = cholmod_allocate_triplet((size_t)g.n, (size_t)g.n, count, -1, CHOLMOD_REAL, &common);
    int *row = triplet->i, *column = triplet->j;
    double *value = triplet->x;
    size_t used = 0;
    for (int k = 0, a, b; k < g.nedge + g.nnode; k++) {
        ends(k, &a, &b);
        for (int i = 0; i < g.size[a]; i++)
            for (int j = 0; j < g.size[b]; j++) {
                int pa = place(s, a, i), pb = place(s, b, j);
                if (a == b && i < j) continue;
                row[used] = pa > pb ? pa : pb, column[used] = pa > pb ? pb : pa;
                value[used++] = entry(g.first[a] + i, g.first[b] + j);
            }
    }
    triplet->nnz = used;
    cholmod_sparse *matrix = cholmod_triplet_to_sparse(triplet, used, &common);
    cholmod_factor *L = cholmod_analyze(matrix, &common);
    ck_assert(cholmod_factorize(matrix, L, &common) && L->minor == (size_t)g.n && L->is_ll);
    cholmod_free_triplet(&triplet, &common);
    cholmod_free_sparse(&matrix, &common);
    return L;
}

// largest entry of the difference of the factors, each row by the square root of the diagonal of H
static double factor_difference(const trxi_block_cholesky *bc, const trxi_symbolic *s, const cholmod_factor *L)
{
    const int *p = L->p, *i = L->i, *nz = L->nz;
    const double *x = L->x;
    double worst = 0, *column = calloc((size_t)g.n, sizeof *column);
    for (int node = 0; node < g.nnode; node++)
        for (int c = 0; c < g.size[node]; c++) {
            const int j = place(s, node, c);
            memset(column, 0, (size_t)g.n * sizeof *column);
            for (int k = p[j]; k < p[j] + nz[j]; k++) column[i[k]] = x[k];
            for (int k = 0, a, b; k < g.nedge + g.nnode; k++) {
                ends(k, &a, &b);
                if (a != node && b != node) continue;
                const int other = a == node ? b : a;
                if (s->position[other] < s->position[node]) continue;
                trxi_block block = trxi_block_cholesky_block(bc, node, other);
                for (int r = other == node ? c : 0; r < g.size[other]; r++) {
                    const double unit = g.scale[g.first[other] + r] * sqrt(g.diagonal);
                    worst = fmax(worst, fabs(block.x[r + c * block.ld] - column[place(s, other, r)]) / unit);
                }
            }
        }
    free(column);
    return worst;
}

// relative difference of the solutions, in units of 1 / scale
static double solution_difference(trxi_block_cholesky *bc, const trxi_symbolic *s, cholmod_factor *L, int nrhs)
{
    double *X = calloc((size_t)(g.n * nrhs), sizeof *X), worst = 0, largest = 0;
    cholmod_dense *right = cholmod_zeros((size_t)g.n, (size_t)nrhs, CHOLMOD_REAL, &common);
    for (int c = 0; c < nrhs; c++)
        for (int node = c; node < g.nnode; node += 1 + c % 3)
            for (int i = 0; i < g.size[node]; i++) {
                int at = g.first[node] + i;
                X[at + c * g.n] = g.scale[at] * trxi_random_normal(g.seed + 3, (uint64_t)(at + c * MOST_N));
                ((double *)right->x)[place(s, node, i) + c * g.n] = X[at + c * g.n];
            }
    trxi_block_cholesky_solve(bc, nrhs, X, g.n);
    cholmod_dense *solution = cholmod_solve(CHOLMOD_A, L, right, &common);
    for (int c = 0; c < nrhs; c++)
        for (int node = 0; node < g.nnode; node++)
            for (int i = 0; i < g.size[node]; i++) {
                int at = g.first[node] + i;
                double known = ((double *)solution->x)[place(s, node, i) + c * g.n];
                largest = fmax(largest, fabs(known) * g.scale[at]);
                worst = fmax(worst, fabs(X[at + c * g.n] - known) * g.scale[at]);
            }
    cholmod_free_dense(&solution, &common);
    cholmod_free_dense(&right, &common);
    free(X);
    ck_assert(largest > 0);
    return worst / largest;
}

static void compare(int set, double tolerance)
{
    trxi_block_cholesky *bc = trxi_block_cholesky_create(context);
    trxi_symbolic s = {0};
    trxi_block_cholesky_use_portable(bc, set == 1);
    ck_assert(factorize(bc));
    ck_assert(trxi_symbolic_make(context, &s, g.nnode, g.size, g.nedge, g.edges));
    cholmod_factor *L = reference(&s);
    long nonzeros = 0;
    for (int j = 0; j < g.n; j++) nonzeros += ((const int *)L->nz)[j];
    ck_assert_int_eq(trxi_block_cholesky_nonzeros(bc), nonzeros);
    assert_below(factor_difference(bc, &s, L), tolerance);
    assert_below(solution_difference(bc, &s, L, 1), tolerance);
    assert_below(solution_difference(bc, &s, L, 11), tolerance);
    cholmod_free_factor(&L, &common);
    trxi_symbolic_release(context, &s);
    trxi_block_cholesky_destroy(bc);
}

// the graph's nodes as cholmod_amd orders them
static void order_by_cholmod(int *order)
{
    cholmod_sparse *lower =
        cholmod_allocate_sparse((size_t)g.nnode, (size_t)g.nnode, (size_t)g.nedge, 1, 1, -1, CHOLMOD_PATTERN, &common);
    int *first = lower->p, *row = lower->i, k = 0;
    for (int j = 0; j <= g.nnode; j++) {
        first[j] = k;
        for (; j < g.nnode && k < g.nedge && (int)(g.edges[k] >> 32) == j; k++) row[k] = (int)(g.edges[k] & 0xffffffffu);
    }
    ck_assert(cholmod_amd(lower, NULL, 0, order, &common));
    cholmod_free_sparse(&lower, &common);
}

START_TEST(the_order_is_the_one_of_cholmod)
{
    // from no edges to all of them, and one node that is a neighbour of every other (dense to AMD)
    for (int k = 0; k < 400; k++) {
        int nnode = 1 + k * 7 % 299, most = k % 6, reach = 1 + k % 23, order[MOST_NODES], expected[MOST_NODES];
        make_graph(nnode, 1, k % 50 == 49 ? nnode < 20 ? nnode : 19 : most, reach, (uint64_t)k);
        if (k % 5 == 0 && nnode > 1) {
            int spokes = nnode - 1, rest = 0;
            while (rest < g.nedge && g.edges[rest] >> 32 == 0) rest++;
            memmove(g.edges + spokes, g.edges + rest, (size_t)(g.nedge - rest) * sizeof *g.edges);
            for (int b = 0; b < spokes; b++) g.edges[b] = (uint64_t)(b + 1);
            g.nedge += spokes - rest;
        }
        int *work = malloc(trxi_order_work(g.nnode, g.nedge) * sizeof *work);
        trxi_order(g.nnode, g.nedge, g.edges, work, order);
        free(work);
        order_by_cholmod(expected);
        ck_assert(memcmp(order, expected, (size_t)g.nnode * sizeof *order) == 0);
    }
}
END_TEST

START_TEST(mixed_sizes_and_edges_from_none_to_all)
{
    static const struct { int nnode, sizes, most, reach; } graphs[] = {
        {1, 60, 0, 1}, {5, 0, 0, 1}, {60, 0, 0, 1}, {2, 6, 1, 1}, {40, 0, 2, 9}, {40, 6, 3, 20}, {15, 6, 15, 15}, {12, 0, 12, 12},
        {100, 6, 2, 30}, {100, 1, 2, 10}, {50, 12, 3, 25}, {40, 7, 3, 10}, {150, 0, 2, 6}};
    for (size_t k = 0; k < sizeof graphs / sizeof *graphs; k++) {
        make_graph(graphs[k].nnode, graphs[k].sizes, graphs[k].most, graphs[k].reach, k);
        compare(_i, 1e-13);
    }
}
END_TEST

START_TEST(three_hundred_bodies)
{
    make_graph(300, 6, 3, 12, 100);
    compare(_i, 1e-13);
    make_graph(300, 0, 2, 5, 101);
    compare(_i, 1e-13);
}
END_TEST

START_TEST(bad_scaling_costs_no_digits)
{
    make_graph(60, 0, 2, 10, 200);
    for (int i = 0; i < g.n; i++) g.scale[i] = pow(10, 12 * trxi_random_normal(9, (uint64_t)i) / 4);
    compare(_i, 1e-13);
}
END_TEST

START_TEST(an_ill_conditioned_matrix_loses_as_much_as_its_condition)
{
    // the smallest diagonal, to a few digits, that leaves the matrix positive definite: found by bisection
    make_graph(40, 6, 2, 8, 300);
    double low = 0, high = g.diagonal;
    trxi_block_cholesky *bc = trxi_block_cholesky_create(context);
    trxi_block_cholesky_use_portable(bc, _i == 1);
    for (int k = 0; k < 24; k++) {
        g.diagonal = 0.5 * (low + high);
        if (factorize(bc)) high = g.diagonal;
        else low = g.diagonal;
    }
    ck_assert(low > 0);
    trxi_block_cholesky_destroy(bc);
    g.diagonal = high;
    compare(_i, 1e-5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sparse/against_cholmod");
    TCase *cases = tcase_create("against_cholmod");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_add_test(cases, the_order_is_the_one_of_cholmod);
    tcase_add_loop_test(cases, mixed_sizes_and_edges_from_none_to_all, 0, 2);
    tcase_add_loop_test(cases, three_hundred_bodies, 0, 2);
    tcase_add_loop_test(cases, bad_scaling_costs_no_digits, 0, 2);
    tcase_add_loop_test(cases, an_ill_conditioned_matrix_loses_as_much_as_its_condition, 0, 2);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
