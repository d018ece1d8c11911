// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Block Cholesky on CHOLMOD's simplicial LL^T, of which only the LGPL core is used.
//
// The graph of blocks is ordered (AMD), not that of the scalars: it is smaller by the square of the block size and loses
// nothing, because all unknowns of a node have the same neighbours. The matrix is stored in that order, upper triangle, as
// compressed columns; all columns of a node have the same rows,
//
//     column c of node j:   rows of node i1 | rows of node i2 | ... | rows of node j        i1 < i2 < ... < j
//
// so that each block is a dense matrix inside the columns, with the columns' height as its leading dimension: assembling
// and compressing are one. (CHOLMOD does not look at what stands below the diagonal.) In natural order and upper form
// CHOLMOD makes no copy of the matrix either; once analyzed, factorize and solve allocate nothing.
//
// CHOLMOD answers OK to numbers that are not finite, so pivots are checked here. Its own solve is replaced by a loop over
// the columns of L that takes eight right-hand sides at a time and starts at the first row that is not zero.

#include "sparse/block_cholesky.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<suitesparse/cholmod.h>)
#include <suitesparse/cholmod.h>
#else
#include <cholmod.h>
#endif

enum { LANES = 8 };

struct trxi_block_cholesky {
    trx_context *context;
    cholmod_common common;
    cholmod_factor *L;
    long analyses;
    bool analyzed;

    // the graph being given, and the one analyzed
    int nnode, node_capacity;
    int *size;
    uint64_t *edges; // first node << 32 | second, first < second
    int nedge, edge_capacity;
    int known_nodes, known_edges, known_capacity, known_edge_capacity;
    int *known_size;
    uint64_t *known;

    // places: of a node in the order, of its unknowns there and in the caller's order
    int n;
    int *position, *order, *start, *first;

    // block columns by position: rows (positions) ascending and their offset in the column
    int *column, *row, *offset;
    int row_capacity;

    // compressed columns
    int *p, *i;
    double *x;
    int n_capacity, nz_capacity;
    double *lanes; // LANES x n
};

trxi_block_cholesky *trxi_block_cholesky_create(trx_context *context)
{
    trxi_block_cholesky *bc = trxi_allocate(context, sizeof *bc);
    if (!bc) return NULL;
    bc->context = context;
    cholmod_start(&bc->common);
    bc->common.supernodal = CHOLMOD_SIMPLICIAL;
    bc->common.final_ll = 1;
    bc->common.final_asis = 1;
    bc->common.nmethods = 1;
    bc->common.method[0].ordering = CHOLMOD_NATURAL;
    bc->common.postorder = 0;
    bc->common.print = 0;
    return bc;
}

void trxi_block_cholesky_destroy(trxi_block_cholesky *bc)
{
    if (!bc) return;
    cholmod_free_factor(&bc->L, &bc->common);
    cholmod_finish(&bc->common);
    void *arrays[] = {bc->size,   bc->edges, bc->known_size, bc->known, bc->position, bc->order, bc->start, bc->first,
                      bc->column, bc->row,   bc->offset,     bc->p,     bc->i,        bc->x,     bc->lanes};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) trxi_release(bc->context, arrays[k]);
    trxi_release(bc->context, bc);
}

// room for `count` elements, keeping the first `used`; false when memory is out, and the array is what it was
static bool reserve(trx_context *context, void *array, int used, int count, size_t size)
{
    void *larger = trxi_allocate(context, (size_t)count * size), *old;
    if (!larger) return false;
    memcpy(&old, array, sizeof old);
    if (old && used > 0) memcpy(larger, old, (size_t)used * size);
    trxi_release(context, old);
    memcpy(array, &larger, sizeof larger);
    return true;
}

static int grown(int capacity, int wanted)
{
    int larger = 2 * capacity > 16 ? 2 * capacity : 16;
    return larger > wanted ? larger : wanted;
}

trx_status trxi_block_cholesky_begin(trxi_block_cholesky *bc, int nnode, const int *size)
{
    if (nnode > bc->node_capacity) {
        trx_context *context = bc->context;
        int capacity = grown(bc->node_capacity, nnode);
        bc->analyzed = false;
        bool ok = reserve(context, &bc->size, 0, capacity, sizeof(int)) &&
                  reserve(context, &bc->position, 0, capacity, sizeof(int)) &&
                  reserve(context, &bc->order, 0, capacity, sizeof(int)) &&
                  reserve(context, &bc->start, 0, capacity + 1, sizeof(int)) &&
                  reserve(context, &bc->first, 0, capacity + 1, sizeof(int)) &&
                  reserve(context, &bc->column, 0, capacity + 1, sizeof(int));
        if (!ok) return TRX_ERR_MEMORY;
        bc->node_capacity = capacity;
    }
    memcpy(bc->size, size, (size_t)nnode * sizeof *size);
    bc->nnode = nnode;
    bc->nedge = 0;
    return TRX_OK;
}

trx_status trxi_block_cholesky_edge(trxi_block_cholesky *bc, int a, int b)
{
    uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a), edge = low << 32 | high;
    if (bc->nedge > 0 && bc->edges[bc->nedge - 1] == edge) return TRX_OK;
    if (bc->nedge == bc->edge_capacity) {
        int capacity = grown(bc->edge_capacity, bc->nedge + 1);
        if (!reserve(bc->context, &bc->edges, bc->nedge, capacity, sizeof(uint64_t))) return TRX_ERR_MEMORY;
        bc->edge_capacity = capacity;
    }
    bc->edges[bc->nedge++] = edge;
    return TRX_OK;
}

static int compare_edges(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_edges(trxi_block_cholesky *bc)
{
    int count = 0;
    bool sorted = true;
    for (int k = 1; k < bc->nedge; k++) sorted = sorted && bc->edges[k - 1] <= bc->edges[k];
    if (!sorted) qsort(bc->edges, (size_t)bc->nedge, sizeof *bc->edges, compare_edges);
    for (int k = 0; k < bc->nedge; k++)
        if (count == 0 || bc->edges[k] != bc->edges[count - 1]) bc->edges[count++] = bc->edges[k];
    bc->nedge = count;
}

static bool same_graph(const trxi_block_cholesky *bc)
{
    return bc->analyzed && bc->nnode == bc->known_nodes && bc->nedge == bc->known_edges &&
           memcmp(bc->size, bc->known_size, (size_t)bc->nnode * sizeof *bc->size) == 0 &&
           (bc->nedge == 0 || memcmp(bc->edges, bc->known, (size_t)bc->nedge * sizeof *bc->edges) == 0);
}

static bool remember_graph(trxi_block_cholesky *bc)
{
    if (bc->nnode > bc->known_capacity) {
        if (!reserve(bc->context, &bc->known_size, 0, bc->node_capacity, sizeof(int))) return false;
        bc->known_capacity = bc->node_capacity;
    }
    if (bc->nedge > bc->known_edge_capacity) {
        if (!reserve(bc->context, &bc->known, 0, bc->edge_capacity, sizeof(uint64_t))) return false;
        bc->known_edge_capacity = bc->edge_capacity;
    }
    memcpy(bc->known_size, bc->size, (size_t)bc->nnode * sizeof *bc->size);
    if (bc->nedge > 0) memcpy(bc->known, bc->edges, (size_t)bc->nedge * sizeof *bc->edges);
    bc->known_nodes = bc->nnode, bc->known_edges = bc->nedge;
    return true;
}

static int first_of(uint64_t edge)
{
    return (int)(edge >> 32);
}

static int second_of(uint64_t edge)
{
    return (int)(edge & 0xffffffffu);
}

// fill-reducing order of the nodes: AMD on the graph, whose edges are sorted and so already compressed columns (lower part)
static bool order_nodes(trxi_block_cholesky *bc)
{
    const int n = bc->nnode;
    cholmod_sparse *graph = cholmod_allocate_sparse((size_t)n, (size_t)n, (size_t)bc->nedge, 1, 1, -1, CHOLMOD_PATTERN,
                                                    &bc->common);
    if (!graph) return false;
    int *p = graph->p, *i = graph->i;
    for (int k = 0, j = 0; j <= n; j++) {
        p[j] = k;
        for (; j < n && k < bc->nedge && first_of(bc->edges[k]) == j; k++) i[k] = second_of(bc->edges[k]);
    }
    int ok = cholmod_amd(graph, NULL, 0, bc->order, &bc->common);
    cholmod_free_sparse(&graph, &bc->common);
    if (!ok) return false;

    bc->n = 0;
    for (int k = 0; k < n; k++) {
        bc->position[bc->order[k]] = k;
        bc->start[k] = bc->n;
        bc->n += bc->size[bc->order[k]];
    }
    bc->start[n] = bc->n;
    for (int node = 0, at = 0; node < n; node++) {
        bc->first[node] = at;
        at += bc->size[node];
    }
    return true;
}

// rows of the block columns, ascending: edges are dealt out by the position of their earlier node
static bool make_columns(trxi_block_cholesky *bc)
{
    const int n = bc->nnode, count = bc->nedge + n;
    if (count > bc->row_capacity) {
        int capacity = grown(bc->row_capacity, count);
        bool ok = reserve(bc->context, &bc->row, 0, capacity, sizeof(int)) &&
                  reserve(bc->context, &bc->offset, 0, capacity, sizeof(int));
        if (!ok) return false;
        bc->row_capacity = capacity;
    }
    memset(bc->column, 0, (size_t)(n + 1) * sizeof *bc->column);
    for (int k = 0; k < bc->nedge; k++) {
        int a = bc->position[first_of(bc->edges[k])], b = bc->position[second_of(bc->edges[k])];
        bc->column[(a > b ? a : b) + 1]++;
    }
    for (int j = 0; j < n; j++) bc->column[j + 1] += bc->column[j] + 1;

    // insertion keeps each short list sorted; the diagonal comes last, where the offset counts them meanwhile
    for (int j = 0; j < n; j++) bc->offset[bc->column[j + 1] - 1] = 0;
    for (int k = 0; k < bc->nedge; k++) {
        int a = bc->position[first_of(bc->edges[k])], b = bc->position[second_of(bc->edges[k])];
        int j = a > b ? a : b, row = a > b ? b : a, begin = bc->column[j];
        int at = begin + bc->offset[bc->column[j + 1] - 1]++;
        for (; at > begin && bc->row[at - 1] > row; at--) bc->row[at] = bc->row[at - 1];
        bc->row[at] = row;
    }
    for (int j = 0; j < n; j++) {
        bc->row[bc->column[j + 1] - 1] = j;
        for (int k = bc->column[j], height = 0; k < bc->column[j + 1]; k++) {
            bc->offset[k] = height;
            height += bc->size[bc->order[bc->row[k]]];
        }
    }
    return true;
}

static int column_height(const trxi_block_cholesky *bc, int j)
{
    int last = bc->column[j + 1] - 1;
    return bc->offset[last] + bc->size[bc->order[j]];
}

static bool make_scalars(trxi_block_cholesky *bc)
{
    int nz = 0;
    for (int j = 0; j < bc->nnode; j++) nz += column_height(bc, j) * bc->size[bc->order[j]];
    if (bc->n > bc->n_capacity) {
        int capacity = grown(bc->n_capacity, bc->n);
        bool ok = reserve(bc->context, &bc->p, 0, capacity + 1, sizeof(int)) &&
                  reserve(bc->context, &bc->lanes, 0, LANES * capacity, sizeof(double));
        if (!ok) return false;
        bc->n_capacity = capacity;
    }
    if (nz > bc->nz_capacity) {
        int capacity = grown(bc->nz_capacity, nz);
        bool ok = reserve(bc->context, &bc->i, 0, capacity, sizeof(int)) &&
                  reserve(bc->context, &bc->x, 0, capacity, sizeof(double));
        if (!ok) return false;
        bc->nz_capacity = capacity;
    }
    int at = 0;
    for (int j = 0; j < bc->nnode; j++)
        for (int c = bc->start[j]; c < bc->start[j + 1]; c++) {
            bc->p[c] = at;
            for (int k = bc->column[j]; k < bc->column[j + 1]; k++)
                for (int r = bc->start[bc->row[k]]; r < bc->start[bc->row[k] + 1]; r++) bc->i[at++] = r;
        }
    bc->p[bc->n] = at;
    return true;
}

static cholmod_sparse matrix_of(trxi_block_cholesky *bc)
{
    return (cholmod_sparse){.nrow = (size_t)bc->n, .ncol = (size_t)bc->n, .nzmax = (size_t)bc->p[bc->n], .p = bc->p,
                            .i = bc->i, .x = bc->x, .stype = 1, .itype = CHOLMOD_INT, .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE, .sorted = 1, .packed = 1};
}

trx_status trxi_block_cholesky_analyze(trxi_block_cholesky *bc)
{
    sort_edges(bc);
    if (same_graph(bc)) return TRX_OK;
    bc->analyzed = false;
    bool ok = order_nodes(bc) && make_columns(bc) && make_scalars(bc) && remember_graph(bc);
    if (ok) {
        cholmod_sparse matrix = matrix_of(bc);
        cholmod_free_factor(&bc->L, &bc->common);
        bc->L = cholmod_analyze(&matrix, &bc->common);
    }
    if (!ok || !bc->L) return trxi_fail(bc->context, TRX_ERR_MEMORY, "no memory for the factor of %d bodies", bc->nnode);
    bc->analyzed = true;
    bc->analyses++;
    return TRX_OK;
}

void trxi_block_cholesky_clear(trxi_block_cholesky *bc)
{
    memset(bc->x, 0, (size_t)bc->p[bc->n] * sizeof *bc->x);
}

trxi_block trxi_block_cholesky_block(const trxi_block_cholesky *bc, int a, int b)
{
    int pa = bc->position[a], pb = bc->position[b];
    int j = pa > pb ? pa : pb, row = pa > pb ? pb : pa;
    int low = bc->column[j], high = bc->column[j + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (bc->row[middle] < row) low = middle + 1;
        else high = middle;
    }
    return (trxi_block){bc->x + bc->p[bc->start[j]] + bc->offset[low], column_height(bc, j), pa > pb};
}

bool trxi_block_cholesky_factorize(trxi_block_cholesky *bc)
{
    if (!bc->analyzed) return false;
    cholmod_sparse matrix = matrix_of(bc);
    bool ok = cholmod_factorize(&matrix, bc->L, &bc->common) && bc->common.status == CHOLMOD_OK &&
              bc->L->minor == (size_t)bc->n;
    const int *p = bc->L->p;
    const double *x = bc->L->x;
    for (int j = 0; ok && j < bc->n; j++) ok = x[p[j]] > 0 && isfinite(x[p[j]]);

    // what a failed factorization leaves behind is not built upon
    if (!ok) bc->analyzed = false;
    return ok;
}

// lanes = (L L^T)^-1 lanes, from the first row that is not zero
static inline __attribute__((always_inline)) void solve_lanes(const cholmod_factor *L, int n, int begin, double *lanes)
{
    const int *p = L->p, *row = L->i, *count = L->nz;
    const double *x = L->x;
    for (int j = begin; j < n; j++) {
        double y[LANES]; // apart from the rows below, so that the lanes stay in registers
        for (int k = 0; k < LANES; k++) y[k] = lanes[LANES * j + k] / x[p[j]];
        for (int k = 0; k < LANES; k++) lanes[LANES * j + k] = y[k];
        for (int e = p[j] + 1; e < p[j] + count[j]; e++) {
            double *z = lanes + LANES * row[e];
            for (int k = 0; k < LANES; k++) z[k] -= x[e] * y[k];
        }
    }
    for (int j = n - 1; j >= 0; j--) {
        double y[LANES];
        for (int k = 0; k < LANES; k++) y[k] = lanes[LANES * j + k];
        for (int e = p[j] + 1; e < p[j] + count[j]; e++) {
            const double *z = lanes + LANES * row[e];
            for (int k = 0; k < LANES; k++) y[k] -= x[e] * z[k];
        }
        for (int k = 0; k < LANES; k++) lanes[LANES * j + k] = y[k] / x[p[j]];
    }
}

// the loops above as they are, and for processors with AVX2: the same operations, and so the same bits
static void solve_lanes_plain(const cholmod_factor *L, int n, int begin, double *lanes)
{
    solve_lanes(L, n, begin, lanes);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void solve_lanes_avx2(const cholmod_factor *L, int n, int begin, double *lanes)
{
    solve_lanes(L, n, begin, lanes);
}
#endif

static void solve_many(const cholmod_factor *L, int n, int begin, double *lanes)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        solve_lanes_avx2(L, n, begin, lanes);
        return;
    }
#endif
    solve_lanes_plain(L, n, begin, lanes);
}

// the same for one right-hand side
static void solve_one(const cholmod_factor *L, int n, double *y)
{
    const int *p = L->p, *row = L->i, *count = L->nz;
    const double *x = L->x;
    for (int j = 0; j < n; j++) {
        const double value = y[j] /= x[p[j]];
        for (int e = p[j] + 1; e < p[j] + count[j]; e++) y[row[e]] -= x[e] * value;
    }
    for (int j = n - 1; j >= 0; j--) {
        double value = y[j];
        for (int e = p[j] + 1; e < p[j] + count[j]; e++) value -= x[e] * y[row[e]];
        y[j] = value / x[p[j]];
    }
}

void trxi_block_cholesky_solve(trxi_block_cholesky *bc, int nrhs, double *X, int ldx)
{
    for (int c = 0; c < nrhs; c += LANES) {
        const int width = nrhs == 1 ? 1 : LANES, used = nrhs - c < width ? nrhs - c : width;
        int begin = bc->n;
        for (int k = 0; k < bc->nnode; k++) {
            const double *block = X + (size_t)c * (size_t)ldx + bc->first[bc->order[k]];
            for (int r = bc->start[k]; r < bc->start[k + 1]; r++)
                for (int l = 0; l < width; l++) {
                    double value = l < used ? block[r - bc->start[k] + l * ldx] : 0;
                    bc->lanes[width * r + l] = value;
                    if (value != 0 && r < begin) begin = r;
                }
        }
        if (begin == bc->n) continue;
        if (width == 1) solve_one(bc->L, bc->n, bc->lanes);
        else solve_many(bc->L, bc->n, begin, bc->lanes);
        for (int k = 0; k < bc->nnode; k++) {
            double *block = X + (size_t)c * (size_t)ldx + bc->first[bc->order[k]];
            for (int r = bc->start[k]; r < bc->start[k + 1]; r++)
                for (int l = 0; l < used; l++)
                    block[r - bc->start[k] + l * ldx] = bc->lanes[width * r + l];
        }
    }
}

long trxi_block_cholesky_nonzeros(const trxi_block_cholesky *bc)
{
    const int *count = bc->L ? bc->L->nz : NULL;
    long sum = 0;
    for (int j = 0; count && j < bc->n; j++) sum += count[j];
    return sum;
}

long trxi_block_cholesky_analyses(const trxi_block_cholesky *bc)
{
    return bc->analyses;
}
