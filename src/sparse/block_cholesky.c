// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Block Cholesky on the dense panels of symbolic.h.
//
// The numeric phase goes from panel to panel. It factorizes a panel, A = L L1^T, and then subtracts the contribution of
// the panel from later panels, run by run and without intermediate copies. Matrices of bodies have small panels of six to
// a few dozen columns. Calls of a BLAS would take longer than the arithmetic, so the kernels are our own.
//
// Several right-hand sides are solved eight at a time. The forward solve visits only panels that nonzero rows reach
// in the elimination tree.

#include "sparse/block_cholesky.h"

#include "sparse/block_inverse.h"
#include "sparse/panel_kernels.h"
#include "sparse/symbolic.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = TRXI_PANEL_LANES };

struct trxi_block_cholesky {
    trx_context *context;
    const trxi_panel_kernels *kernels;
    long analyses;
    bool analyzed;

    // the current graph, and the analyzed graph: sizes of the nodes; edges as first node << 32 | second, first <
    // second
    int nnode, nedge, known_nodes, known_edges;
    trxi_array size, edges, known_size, known;

    trxi_symbolic symbolic;
    trxi_array panels, inverse; // numbers of the panels; reciprocal pivots
    trxi_array unknowns;        // LANES x n
    trxi_array column;          // one right-hand side on the rows of a panel
    trxi_array reached;         // flags by panel
};

trxi_block_cholesky *trxi_block_cholesky_create(trx_context *context)
{
    trxi_block_cholesky *bc = trxi_allocate(context, sizeof *bc);
    if (!bc) return NULL;
    bc->context = context;
    trxi_block_cholesky_use_portable(bc, false);
    return bc;
}

void trxi_block_cholesky_destroy(trxi_block_cholesky *bc)
{
    if (!bc) return;
    trxi_array *arrays[] = {&bc->size,    &bc->edges,    &bc->known_size, &bc->known,  &bc->panels,
                            &bc->inverse, &bc->unknowns, &bc->column,     &bc->reached};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) trxi_release(bc->context, arrays[k]->x);
    trxi_symbolic_release(bc->context, &bc->symbolic);
    trxi_release(bc->context, bc);
}

void trxi_block_cholesky_use_portable(trxi_block_cholesky *bc, bool portable)
{
    const trxi_panel_kernels *vector = portable ? NULL : trxi_panel_vector();
    bc->kernels = vector ? vector : &trxi_panel_portable;
}

// ---- graph ----

trx_status trxi_block_cholesky_begin(trxi_block_cholesky *bc, int nnode, const int *size)
{
    if (!trxi_array_reserve(bc->context, &bc->size, 0, (size_t)nnode, sizeof *size)) return TRX_ERR_MEMORY;
    memcpy(bc->size.x, size, (size_t)nnode * sizeof *size);
    bc->nnode = nnode;
    bc->nedge = 0;
    return TRX_OK;
}

trx_status trxi_block_cholesky_edge(trxi_block_cholesky *bc, int a, int b)
{
    const uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a), edge = low << 32 | high;
    const uint64_t *edges = bc->edges.x;
    if (bc->nedge > 0 && edges[bc->nedge - 1] == edge) return TRX_OK;
    if (!trxi_array_reserve(bc->context, &bc->edges, (size_t)bc->nedge, (size_t)bc->nedge + 1, sizeof edge)) return TRX_ERR_MEMORY;
    ((uint64_t *)bc->edges.x)[bc->nedge++] = edge;
    return TRX_OK;
}

static int compare_edges(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_edges(trxi_block_cholesky *bc)
{
    uint64_t *edges = bc->edges.x;
    int count = 0;
    bool sorted = true;
    for (int k = 1; k < bc->nedge; k++) sorted = sorted && edges[k - 1] <= edges[k];
    if (!sorted) qsort(edges, (size_t)bc->nedge, sizeof *edges, compare_edges);
    for (int k = 0; k < bc->nedge; k++)
        if (count == 0 || edges[k] != edges[count - 1]) edges[count++] = edges[k];
    bc->nedge = count;
}

static bool same_graph(const trxi_block_cholesky *bc)
{
    return bc->analyzed && bc->nnode == bc->known_nodes && bc->nedge == bc->known_edges &&
           memcmp(bc->size.x, bc->known_size.x, (size_t)bc->nnode * sizeof(int)) == 0 &&
           (bc->nedge == 0 || memcmp(bc->edges.x, bc->known.x, (size_t)bc->nedge * sizeof(uint64_t)) == 0);
}

static bool remember_graph(trxi_block_cholesky *bc)
{
    if (!trxi_array_reserve(bc->context, &bc->known_size, 0, (size_t)bc->nnode, sizeof(int)) ||
        !trxi_array_reserve(bc->context, &bc->known, 0, (size_t)bc->nedge, sizeof(uint64_t)))
        return false;
    memcpy(bc->known_size.x, bc->size.x, (size_t)bc->nnode * sizeof(int));
    if (bc->nedge > 0) memcpy(bc->known.x, bc->edges.x, (size_t)bc->nedge * sizeof(uint64_t));
    bc->known_nodes = bc->nnode, bc->known_edges = bc->nedge;
    return true;
}

static bool make_room(trxi_block_cholesky *bc)
{
    const trxi_symbolic *s = &bc->symbolic;
    const size_t n = (size_t)s->n;
    int longest = 0;
    for (int p = 0; p < s->npanel; p++) longest = s->panels[p].ld > longest ? s->panels[p].ld : longest;
    return trxi_array_reserve(bc->context, &bc->panels, 0, s->nx, sizeof(double)) &&
           trxi_array_reserve(bc->context, &bc->inverse, 0, n, sizeof(double)) &&
           trxi_array_reserve(bc->context, &bc->unknowns, 0, LANES * n, sizeof(double)) &&
           trxi_array_reserve(bc->context, &bc->column, 0, (size_t)longest, sizeof(double)) &&
           trxi_array_reserve(bc->context, &bc->reached, 0, (size_t)s->npanel, sizeof(bool));
}

trx_status trxi_block_cholesky_analyze(trxi_block_cholesky *bc)
{
    sort_edges(bc);
    if (same_graph(bc)) return TRX_OK;
    bc->analyzed = false;
    bool ok = trxi_symbolic_make(bc->context, &bc->symbolic, bc->nnode, bc->size.x, bc->nedge, bc->edges.x) &&
              make_room(bc) && remember_graph(bc);
    if (!ok) return trxi_fail(bc->context, TRX_ERR_MEMORY, "no memory for the factor of %d bodies", bc->nnode);
    bc->analyzed = true;
    bc->analyses++;
    return TRX_OK;
}

// ---- numbers ----

void trxi_block_cholesky_clear(trxi_block_cholesky *bc)
{
    memset(bc->panels.x, 0, bc->symbolic.nx * sizeof(double));
}

trxi_block trxi_block_cholesky_block(const trxi_block_cholesky *bc, int a, int b)
{
    const trxi_symbolic *s = &bc->symbolic;
    const int pa = s->position[a], pb = s->position[b], own = pa < pb ? pa : pb, below = pa < pb ? pb : pa;
    const trxi_panel *panel = &s->panels[s->panel_of[own]];
    const ptrdiff_t column = s->start[own] - panel->start;
    double *x = (double *)bc->panels.x + panel->x + column * panel->ld + trxi_symbolic_row(s, own, below);
    return (trxi_block){x, panel->ld, pa < pb};
}

// subtracts the contribution of the panel from a later panel. The diagonal of each run of columns lies in the run of rows
// `r`, where only the lower triangle changes; the runs of rows after `r` change as whole blocks
static void subtract(trxi_block_cholesky *bc, const trxi_panel *panel, const trxi_update *update)
{
    const trxi_symbolic *s = &bc->symbolic;
    const trxi_panel *target = &s->panels[update->panel];
    const double *A = (const double *)bc->panels.x + panel->x;
    double *to = (double *)bc->panels.x + target->x;
    const int ld = panel->ld, ldt = target->ld, width = panel->width;
    for (int c = update->first_column, r = update->first_run; c < update->last_column; c++) {
        const trxi_run *columns = &s->runs[c];
        while (s->runs[r].from + s->runs[r].count <= columns->from) r++;
        const trxi_run *rows = &s->runs[r];
        const int skipped = columns->from - rows->from;
        const double *B = A + columns->from;
        double *C = to + (ptrdiff_t)columns->to * ldt;
        bc->kernels->downdate(rows->count - skipped, columns->count, width, true, B, ld, B, ld, C + columns->to, ldt);
        for (int q = r + 1; q < update->last_run; q++) {
            rows = &s->runs[q];
            bc->kernels->downdate(rows->count, columns->count, width, false, A + rows->from, ld, B, ld, C + rows->to, ldt);
        }
    }
}

bool trxi_block_cholesky_factorize(trxi_block_cholesky *bc)
{
    const trxi_symbolic *s = &bc->symbolic;
    double *inverse = bc->inverse.x;
    for (int p = 0; p < s->npanel && bc->analyzed; p++) {
        const trxi_panel *panel = &s->panels[p];
        double *A = (double *)bc->panels.x + panel->x;

        // after a failure the caller has to analyze again
        bc->analyzed = bc->kernels->factorize(panel->ld, panel->width, A, panel->ld, inverse + panel->start);
        for (int k = panel->first_update; k < panel->last_update && bc->analyzed; k++) subtract(bc, panel, &s->updates[k]);
    }
    return bc->analyzed;
}

// ---- one right-hand side ----

// copies the unknowns of a panel and of its rows below from y into one column, and fills up the column with zeros
static void gather(const trxi_symbolic *s, const trxi_panel *panel, const double *y, double *column)
{
    memcpy(column, y + panel->start, (size_t)panel->width * sizeof *y);
    for (int r = panel->first_run; r < panel->last_run; r++)
        for (int i = 0; i < s->runs[r].count; i++) column[s->runs[r].from + i] = y[s->runs[r].to + i];
    for (int i = panel->rows; i < panel->ld; i++) column[i] = 0;
}

static void solve_one(trxi_block_cholesky *bc, double *y)
{
    const trxi_symbolic *s = &bc->symbolic;
    const double *inverse = bc->inverse.x;
    double *column = bc->column.x;
    for (int p = 0; p < s->npanel; p++) {
        const trxi_panel *panel = &s->panels[p];
        const double *L = (const double *)bc->panels.x + panel->x;
        gather(s, panel, y, column);
        bc->kernels->forward(panel->ld, panel->width, L, panel->ld, inverse + panel->start, column);
        memcpy(y + panel->start, column, (size_t)panel->width * sizeof *y);
        for (int r = panel->first_run; r < panel->last_run; r++)
            for (int i = 0; i < s->runs[r].count; i++) y[s->runs[r].to + i] = column[s->runs[r].from + i];
    }
    for (int p = s->npanel - 1; p >= 0; p--) {
        const trxi_panel *panel = &s->panels[p];
        const double *L = (const double *)bc->panels.x + panel->x;
        gather(s, panel, y, column);
        bc->kernels->backward(panel->ld, panel->width, L, panel->ld, inverse + panel->start, column);
        memcpy(y + panel->start, column, (size_t)panel->width * sizeof *y);
    }
}

// ---- lanes of right-hand sides ----

static void solve_lanes(trxi_block_cholesky *bc, double *y)
{
    const trxi_symbolic *s = &bc->symbolic;
    const double *inverse = bc->inverse.x;
    bool *reached = bc->reached.x;
    for (int p = 0; p < s->npanel; p++) {
        const trxi_panel *panel = &s->panels[p];
        const double *L = (const double *)bc->panels.x + panel->x;
        double *own = y + LANES * panel->start;
        if (!reached[p]) continue;
        bc->kernels->forward_lanes(panel->width, L, panel->ld, inverse + panel->start, own);
        for (int r = panel->first_run; r < panel->last_run; r++)
            bc->kernels->spread_lanes(s->runs[r].count, panel->width, L + s->runs[r].from, panel->ld, own,
                                      y + LANES * s->runs[r].to);
        for (int k = panel->first_update; k < panel->last_update; k++) reached[s->updates[k].panel] = true;
    }
    for (int p = s->npanel - 1; p >= 0; p--) {
        const trxi_panel *panel = &s->panels[p];
        const double *L = (const double *)bc->panels.x + panel->x;
        double *own = y + LANES * panel->start;
        for (int r = panel->first_run; r < panel->last_run; r++)
            bc->kernels->collect_lanes(s->runs[r].count, panel->width, L + s->runs[r].from, panel->ld,
                                       y + LANES * s->runs[r].to, own);
        bc->kernels->backward_lanes(panel->width, L, panel->ld, inverse + panel->start, own);
    }
}

// copies `used` columns into lanes and marks in `reached` the panels with nonzero rows; returns false when all are zero
static bool fill_lanes(trxi_block_cholesky *bc, int used, const double *X, int ldx, double *y)
{
    const trxi_symbolic *s = &bc->symbolic;
    bool *reached = bc->reached.x, any = false;
    memset(reached, 0, (size_t)s->npanel * sizeof *reached);
    for (int k = 0; k < s->nnode; k++) {
        const double *x = X + s->first[s->order[k]];
        bool filled = bc->kernels->fill_lanes(s->start[k + 1] - s->start[k], used, x, ldx, y + LANES * s->start[k]);
        if (filled) reached[s->panel_of[k]] = any = true;
    }
    return any;
}

static void empty_lanes(const trxi_block_cholesky *bc, int used, const double *y, double *X, int ldx)
{
    const trxi_symbolic *s = &bc->symbolic;
    for (int k = 0; k < s->nnode; k++) {
        double *x = X + s->first[s->order[k]];
        bc->kernels->empty_lanes(s->start[k + 1] - s->start[k], used, y + LANES * s->start[k], x, ldx);
    }
}

void trxi_block_cholesky_solve(trxi_block_cholesky *bc, int nrhs, double *X, int ldx)
{
    const trxi_symbolic *s = &bc->symbolic;
    double *y = bc->unknowns.x;
    if (nrhs == 1) {
        for (int k = 0; k < s->nnode; k++)
            for (int i = s->start[k], from = s->first[s->order[k]]; i < s->start[k + 1]; i++) y[i] = X[from++];
        solve_one(bc, y);
        for (int k = 0; k < s->nnode; k++)
            for (int i = s->start[k], to = s->first[s->order[k]]; i < s->start[k + 1]; i++) X[to++] = y[i];
        return;
    }
    for (int c = 0; c < nrhs; c += LANES) {
        const int used = nrhs - c < LANES ? nrhs - c : LANES;
        double *columns = X + (ptrdiff_t)c * ldx;
        if (!fill_lanes(bc, used, columns, ldx, y)) continue;
        solve_lanes(bc, y);
        empty_lanes(bc, used, y, columns, ldx);
    }
}

trxi_block_factor trxi_block_cholesky_factor(const trxi_block_cholesky *bc)
{
    return (trxi_block_factor){&bc->symbolic, bc->kernels, bc->panels.x, bc->inverse.x};
}

long trxi_block_cholesky_nonzeros(const trxi_block_cholesky *bc)
{
    return bc->symbolic.nonzeros;
}

long trxi_block_cholesky_analyses(const trxi_block_cholesky *bc)
{
    return bc->analyses;
}
