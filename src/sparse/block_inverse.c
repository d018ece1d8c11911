// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Computes the inverse Z of H = L L^T panel by panel, from the last panel to the first. Let p be the unknowns of a panel,
// R its rows below, J all unknowns after p, and G = L_Rp L_pp^-1. Then
//
//     Z_Jp = -Z_JR G        Z_pJ = Z_Jp^T        Z_pp = (L_pp L_pp^T)^-1 - Z_pR G
//
// These equations follow from L^T Z = L^-1, because L^-1 is zero above the diagonal. A panel costs 2 |p| |R| (|J| + |p|)
// operations. The products go down the columns of Z and read only the columns R.

#include "sparse/block_inverse.h"

#include "math/dense.h"

#include <math.h>
#include <stdint.h>

enum { LANES = TRXI_PANEL_LANES, COLUMNS = TRXI_INVERSE_COLUMNS };

static const double most_growth = 1000; // largest accepted ratio of the terms of a sum to the sum

static int round_up(int rows)
{
    return (rows + LANES - 1) / LANES * LANES;
}

// scratch of one panel in numbers: -G, a part of Z_pp, lanes
static size_t panel_size(const trxi_panel *panel)
{
    const size_t width = (size_t)panel->width, below = (size_t)(panel->rows - panel->width);
    return below * width + LANES * (size_t)round_up(panel->width) + LANES * width;
}

size_t trxi_block_inverse_size(const trxi_symbolic *s)
{
    const size_t n = (size_t)s->n, ld = (size_t)round_up(s->n);
    size_t most = COLUMNS * (ld + n);
    for (int p = 0; p < s->npanel; p++) {
        const size_t size = panel_size(&s->panels[p]);
        most = size > most ? size : most;
    }
    return LANES + ld * n + 2 * n + most;
}

// computes X = -G, stored row by row
static void make_factor(const trxi_block_factor *factor, const trxi_panel *panel, double *lanes, double *X)
{
    const int width = panel->width, ldl = panel->ld, below = panel->rows - width;
    const double *L = factor->panels + panel->x;
    for (int r = 0; r < below; r += LANES) {
        const int used = below - r < LANES ? below - r : LANES;
        for (int c = 0; c < width; c++)
            for (int l = 0; l < LANES; l++) lanes[LANES * c + l] = l < used ? -L[width + r + l + (ptrdiff_t)c * ldl] : 0;
        factor->kernels->backward_lanes(width, L, ldl, factor->inverse + panel->start, lanes);
        factor->kernels->empty_lanes(width, used, lanes, X + (ptrdiff_t)r * width, width);
    }
}

// lists the columns of Z that belong to the rows below the panel, each from row `top` on; returns their number
static int list_columns(const trxi_block_inverse *inverse, const trxi_panel *panel, int top)
{
    int count = 0;
    for (int r = panel->first_run; r < panel->last_run; r++) {
        const trxi_run *run = &inverse->symbolic->runs[r];
        for (int i = 0; i < run->count; i++) inverse->columns[count++] = inverse->Z + (ptrdiff_t)(run->to + i) * inverse->ld + top;
    }
    return count;
}

// computes Z_pp, eight columns at a time: the lower triangle is computed and mirrored
static void invert_diagonal(const trxi_block_factor *factor, const trxi_block_inverse *inverse, const trxi_panel *panel,
                            double *lanes, const double *X)
{
    const int width = panel->width, ld = inverse->ld, rows = round_up(width);
    const double *L = factor->panels + panel->x, *pivots = factor->inverse + panel->start;
    double *Z = inverse->Z + (ptrdiff_t)panel->start * (ld + 1), *part = lanes + LANES * width;
    const int count = list_columns(inverse, panel, panel->start);
    for (int c = 0; c < width; c += LANES) {
        const int used = width - c < LANES ? width - c : LANES;
        for (int i = 0; i < LANES * width; i++) lanes[i] = i / LANES == c + i % LANES;
        factor->kernels->forward_lanes(width, L, panel->ld, pivots, lanes);
        factor->kernels->backward_lanes(width, L, panel->ld, pivots, lanes);
        factor->kernels->combine(rows, used, count, inverse->columns, X + c, width, part, rows);
        for (int l = 0; l < used; l++)
            for (int i = c + l; i < width; i++) {
                const double value = lanes[LANES * i + l] + part[i + l * rows];
                Z[i + (ptrdiff_t)(c + l) * ld] = Z[c + l + (ptrdiff_t)i * ld] = value;
            }
    }
}

static void invert_panel(const trxi_block_factor *factor, const trxi_block_inverse *inverse, const trxi_panel *panel)
{
    const int n = inverse->symbolic->n, ld = inverse->ld, width = panel->width, below = panel->rows - width;
    const int after = panel->start + width, top = after / LANES * LANES;
    double *X = inverse->X, *lanes = X + (ptrdiff_t)below * width;
    double *own = inverse->Z + (ptrdiff_t)panel->start * ld;
    make_factor(factor, panel, lanes, X);

    // start at a multiple of the vector length: the entries between `top` and `after` get their values later
    const int count = list_columns(inverse, panel, top);
    factor->kernels->combine(ld - top, width, count, inverse->columns, X, width, own + top, ld);
    trxi_transpose(n - after, width, own + after, ld, inverse->Z + panel->start + (ptrdiff_t)after * ld, ld);
    invert_diagonal(factor, inverse, panel, lanes, X);
}

trxi_block_inverse trxi_block_inverse_make(const trxi_block_factor *factor, double *memory)
{
    // columns begin at cache lines
    const trxi_symbolic *s = factor->symbolic;
    const int n = s->n, ld = round_up(n);
    double *Z = memory + (LANES - ((uintptr_t)memory / sizeof *memory) % LANES) % LANES;
    double *columns = Z + (ptrdiff_t)ld * n, *root = columns + n, *X = root + n, *Y = X + (ptrdiff_t)COLUMNS * n;
    const trxi_block_inverse inverse = {s, factor->kernels, ld, Z, X, Y, (const double **)(void *)columns, root};
    for (int j = 0; j < n; j++)
        for (int i = n; i < ld; i++) Z[i + (ptrdiff_t)j * ld] = 0;
    for (int p = s->npanel - 1; p >= 0; p--) invert_panel(factor, &inverse, &s->panels[p]);
    for (int i = 0; i < n; i++) root[i] = sqrt(Z[(ptrdiff_t)i * (ld + 1)]);
    return inverse;
}

// |Z_il| <= sqrt(Z_ii Z_ll) bounds the terms of entry i, c of the product by sqrt(Z_ii) sizes[c]; adds rows of X to sizes
static void add_sizes(const double *root, int rows, int ncol, const double *X, double *sizes)
{
    for (int i = 0; i < rows; i++, X += COLUMNS)
        for (int c = 0; c < ncol; c++) sizes[c] += root[i] * fabs(X[c]);
}

// returns whether the largest entry of rows first .. end - 1 is nearly as large as the bound of its terms
static bool is_accurate(const trxi_block_inverse *inverse, int first, int end, int ncol, const double *sizes, const double *Y)
{
    double size = 0;
    for (int c = 0; c < ncol; c++) size = sizes[c] > size ? sizes[c] : size;
    for (int i = first; i < end; i++)
        for (int c = 0; c < ncol; c++)
            if (size * inverse->root[i] <= most_growth * fabs(Y[i + (ptrdiff_t)c * inverse->ld])) return true;
    return false;
}

bool trxi_block_inverse_multiply(const trxi_block_inverse *inverse, int p, int ncol)
{
    const trxi_symbolic *s = inverse->symbolic;
    const int own = s->start[p], end = s->start[p + 1], ld = inverse->ld;
    double sizes[COLUMNS] = {0};
    int count = 0;
    for (int k = s->around[p]; k < s->around[p + 1]; k++) {
        const int first = s->start[s->near[k]], rows = s->start[s->near[k] + 1] - first;
        add_sizes(inverse->root + first, rows, 2 * ncol, inverse->X + (ptrdiff_t)count * COLUMNS, sizes);
        for (int i = 0; i < rows; i++) inverse->columns[count++] = inverse->Z + (ptrdiff_t)(first + i) * ld;
    }
    inverse->kernels->combine(ld, 2 * ncol, count, inverse->columns, inverse->X, COLUMNS, inverse->Y, ld);
    return is_accurate(inverse, own, end, ncol, sizes, inverse->Y) &&
           is_accurate(inverse, own, end, ncol, sizes + ncol, inverse->Y + (ptrdiff_t)ncol * ld);
}
