// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A and B of the step (theory 6; twin of step_deriv.c): all columns of -H^-1 [rq rv ru], and what they do to positions.
//
// Nothing in a step reaches from one island to another, so that each has its own rq, rv, factor and solve; entries between
// islands are zero. The dense form puts the islands' columns into matrices of all dofs, the other one gives them as they are.
//
// Small islands solve for their columns. With a sparse H there are no right-hand sides but -H^-1 as a whole: a column of rq or rv
// has rows in the trees that touch its own, so that few columns of H^-1 make a column of A, written while it is hot.

#include "step/sim.h"

#include "sparse/block_inverse.h"
#include "step/place.h"
#include "step/residual_blocks.h"

#include <string.h>

// columns with a row for each dof of one island, at its place in the island (`local`), or of the model, at the dof
typedef struct columns {
    double *x;
    int ld;
    bool local;
} columns;

static int place_of(const trx_sim *sim, bool local, int dof)
{
    return local ? sim->solver.local[dof] : dof;
}

// -H^-1 [rq rv] of the islands that are solved, and where there are controls -H^-1 ru behind, for all dofs; returns the latter
static double *solve_all(trx_sim *sim)
{
    trxi_solver *s = &sim->solver;
    const int nv = sim->model->nv, nu = sim->model->nu;
    const bool together = s->nisland == 1 && !trxi_step_by_blocks(&s->islands[0]);
    double *dv_du = sim->dv + 2 * s->by_island;
    trxi_step_control_jac(sim, dv_du);
    for (int i = 0; i < s->nisland; i++) {
        const trxi_island *island = &s->islands[i];
        if (trxi_step_by_blocks(island)) continue;
        const int n = island->nv, with = together ? nu : 0;
        const ptrdiff_t square = (ptrdiff_t)n * n;
        double *dv = sim->dv + 2 * island->start;
        const double *rq = sim->rq + island->start, *rv = sim->rv + island->start;
        for (ptrdiff_t k = 0; k < square; k++) dv[k] = -rq[k];
        for (ptrdiff_t k = 0; k < square; k++) dv[square + k] = -rv[k];
        trxi_contact_back_substitute_island(&sim->problem, s, island, 2 * n + with, dv, n);
    }
    if (!together) trxi_contact_back_substitute(&sim->problem, s, nu, dv_du, nv);
    return dv_du;
}

// [dt th_vq S dv; dv] of ncol columns on the rows of neighbouring trees; `rows`: from a position to its velocity
static void place_trees(const trx_sim *sim, const int *trees, int ntree, int ncol, columns dv, columns out, int rows)
{
    const trx_model *model = sim->model;
    const trxi_tree *first = &model->trees[trees[0]], *last = &model->trees[trees[ntree - 1]];
    const double rate = sim->th_vq * sim->settings.time_step;
    const int n = last->v + last->nv - first->v, end = last->first_link + last->nlink;
    const double *v = dv.x + place_of(sim, dv.local, first->v);
    double *o = out.x + place_of(sim, out.local, first->v);
    for (int c = 0; c < ncol; c++, v += dv.ld, o += out.ld) {
        for (int i = 0; i < n; i++) o[i] = rate * v[i];
        memcpy(o + rows, v, (size_t)n * sizeof *v);
        for (int l = first->first_link; l < end; l++) {
            const int at = model->links[l].v - first->v;
            if (model->links[l].type == TRXI_BALL) trxi_mulv3(sim->end_maps[l].v, v + at, o + at);
        }
    }
}

// the same on the rows of one tree, of 2 ncol columns by positions and velocities
static void place_tree(const trx_sim *sim, const trxi_tree *tree, int ncol, const double *v, int ldv, double *out, int rows)
{
    const trxi_link *links = sim->model->links + tree->first_link;
    const trxi_end_maps *maps = sim->end_maps + tree->first_link;
    const double rate = sim->th_vq * sim->settings.time_step;
    if (tree->nv == 6 && tree->nlink == 2 && links[0].type == TRXI_TRANSLATION && links[1].type == TRXI_BALL) {
        trxi_place_free(ncol, rate, maps[1].v, v, ldv, out, rows);
        return;
    }
    for (int c = 0; c < 2 * ncol; c++, v += ldv) {
        double *o = out + (ptrdiff_t)(c < ncol ? c : rows + c - ncol) * 2 * rows;
        for (int i = 0; i < tree->nv; i++) o[rows + i] = v[i], o[i] = rate * v[i];
        for (int l = 0, at; l < tree->nlink; l++)
            if (at = links[l].v - tree->v, links[l].type == TRXI_BALL) trxi_mulv3(maps[l].v, v + at, o + at);
    }
}

// the same on all rows of one island
static void place(const trx_sim *sim, const trxi_island *island, int ncol, columns dv, columns out, int rows)
{
    const int *trees = sim->solver.trees + island->first_tree;
    for (int k = 0, count; k < island->ntree; k += count) {
        for (count = 1; k + count < island->ntree && trees[k + count] == trees[k] + count;) count++;
        place_trees(sim, trees + k, count, ncol, dv, out, rows);
    }
}

// what positions move without dv: T of dq0 and dt (1 - th_vq) S of dv0, for the columns of one link
static void transport(const trx_sim *sim, const trxi_link *link, double *A, int ld, int half, int at)
{
    const trxi_end_maps *maps = &sim->end_maps[link - sim->model->links];
    const double late = (1 - sim->th_vq) * sim->settings.time_step;
    for (int b = 0; b < link->nv; b++) {
        double *dq = A + at + (ptrdiff_t)(at + b) * ld, *dv = dq + (ptrdiff_t)half * ld;
        if (link->type != TRXI_BALL) {
            dq[b] += 1, dv[b] += late;
            continue;
        }
        for (int a = 0; a < 3; a++) dq[a] += maps->T[a + 3 * b], dv[a] += maps->v0[a + 3 * b];
    }
}

// columns of one island to A, which has `half` positions
static void place_solved(const trx_sim *sim, const trxi_island *island, double *A, int half, bool local)
{
    const trx_model *model = sim->model;
    const int n = island->nv, ld = 2 * half;
    double *dv_dq = sim->dv + 2 * island->start, *dv_dv = dv_dq + (ptrdiff_t)n * n;
    for (int k = 0; k < island->ntree; k++) {
        const trxi_tree *tree = &model->trees[sim->solver.trees[island->first_tree + k]];
        const ptrdiff_t from = (ptrdiff_t)sim->solver.local[tree->v] * n;
        double *by_q = A + (ptrdiff_t)place_of(sim, local, tree->v) * ld, *by_v = by_q + (ptrdiff_t)half * ld;
        place(sim, island, tree->nv, (columns){dv_dq + from, n, true}, (columns){by_q, ld, local}, half);
        place(sim, island, tree->nv, (columns){dv_dv + from, n, true}, (columns){by_v, ld, local}, half);
    }
}

// ---- islands with the inverse of H ----

// rows of -[rq rv] for up to six columns each, from column `first` of the node at a position on
static void gather_columns(const trx_sim *sim, const trxi_island *island, const trxi_symbolic *s, int position, int first, int ncol,
                           double *X)
{
    const int n = island->nv, ld = TRXI_INVERSE_COLUMNS;
    const ptrdiff_t from = island->start + (ptrdiff_t)(s->first[s->order[position]] + first) * n;
    for (int k = s->around[position], rows; k < s->around[position + 1]; k++, X += rows * ld) {
        const ptrdiff_t at = from + s->first[s->order[s->near[k]]];
        rows = s->start[s->near[k] + 1] - s->start[s->near[k]];
        for (int c = 0; c < ncol; c++) {
            const double *rq = sim->rq + at + (ptrdiff_t)c * n, *rv = sim->rv + at + (ptrdiff_t)c * n;
            for (int i = 0; i < rows; i++) X[c + i * ld] = -rq[i], X[ncol + c + i * ld] = -rv[i];
        }
    }
}

// [dt th_vq S dv; dv] of ncol products each for positions and velocities; their rows are in the order of elimination
static void place_products(const trx_sim *sim, const trxi_island *island, const trxi_block_inverse *inverse, int ncol, double *A,
                           int half, bool local)
{
    const trxi_symbolic *s = inverse->symbolic;
    const int *trees = sim->solver.trees + island->first_tree;
    for (int k = 0; k < island->ntree; k++) {
        const trxi_tree *tree = &sim->model->trees[trees[k]];
        const double *v = inverse->Y + s->start[s->position[k]];
        place_tree(sim, tree, ncol, v, inverse->ld, A + place_of(sim, local, tree->v), half);
    }
}

// Y as the solution for the columns in X, where their product with the inverse would lose digits
static void solve_columns(trx_sim *sim, const trxi_island *island, const trxi_block_inverse *inverse, int position, int ncol)
{
    const trxi_symbolic *s = inverse->symbolic;
    const int n = island->nv, ld = inverse->ld;
    double *Y = inverse->Y, *X = inverse->X;
    memset(Y, 0, (size_t)ld * (size_t)ncol * sizeof *Y);
    for (int k = s->around[position], rows; k < s->around[position + 1]; k++, X += rows * TRXI_INVERSE_COLUMNS) {
        rows = s->start[s->near[k] + 1] - s->start[s->near[k]];
        for (int c = 0; c < ncol; c++)
            for (int i = 0; i < rows; i++)
                Y[s->first[s->order[s->near[k]]] + i + (ptrdiff_t)c * ld] = X[c + i * TRXI_INVERSE_COLUMNS];
    }
    trxi_contact_back_substitute_island(&sim->problem, &sim->solver, island, ncol, Y, ld);

    // into the order of elimination, by way of what X had
    for (int c = 0; c < ncol; c++, Y += ld) {
        memcpy(inverse->X, Y, (size_t)n * sizeof *Y);
        for (int p = 0; p < s->nnode; p++)
            memcpy(Y + s->start[p], inverse->X + s->first[s->order[p]], (size_t)(s->start[p + 1] - s->start[p]) * sizeof *Y);
    }
}

static void multiply_island(trx_sim *sim, const trxi_island *island, double *A, int half, bool local)
{
    enum { PART = TRXI_INVERSE_COLUMNS / 2 };
    const trxi_block_factor factor = trxi_block_cholesky_factor(island->sparse);
    const trxi_block_inverse inverse = trxi_block_inverse_make(&factor, sim->dv + 2 * island->start);
    const trxi_symbolic *s = inverse.symbolic;
    for (int p = 0; p < s->nnode; p++) {
        const trxi_tree *tree = &sim->model->trees[sim->solver.trees[island->first_tree + s->order[p]]];
        for (int c = 0; c < tree->nv; c += PART) {
            const int ncol = tree->nv - c < PART ? tree->nv - c : PART;
            gather_columns(sim, island, s, p, c, ncol, inverse.X);
            if (!trxi_block_inverse_multiply(&inverse, p, ncol)) solve_columns(sim, island, &inverse, p, 2 * ncol);
            place_products(sim, island, &inverse, ncol, A + (ptrdiff_t)place_of(sim, local, tree->v + c) * 2 * half, half, local);
        }
    }
}

static void place_state(trx_sim *sim, const trxi_island *island, double *A, int half, bool local)
{
    const int ld = 2 * half;
    if (trxi_step_by_blocks(island)) multiply_island(sim, island, A, half, local);
    else place_solved(sim, island, A, half, local);
    for (int k = 0; k < island->ntree; k++) {
        const trxi_tree *tree = &sim->model->trees[sim->solver.trees[island->first_tree + k]];
        for (int l = tree->first_link; l < tree->first_link + tree->nlink; l++)
            transport(sim, &sim->model->links[l], A, ld, half, place_of(sim, local, sim->model->links[l].v));
    }
}

// zeros in the columns of one island where the rows of others are
static void clear_others(const trx_sim *sim, const trxi_island *island, double *A, int half)
{
    const trx_model *model = sim->model;
    const int *trees = sim->solver.trees + island->first_tree;
    const ptrdiff_t ld = 2 * half;
    for (int k = 0, from = 0; k <= island->ntree; k++) {
        const int to = k < island->ntree ? model->trees[trees[k]].v : half;
        for (int t = 0; to > from && t < island->ntree; t++) {
            const trxi_tree *tree = &model->trees[trees[t]];
            for (int c = tree->v; c < tree->v + tree->nv; c++)
                for (int part = 0; part < 4; part++)
                    memset(A + (c + part / 2 * half) * ld + part % 2 * half + from, 0, (size_t)(to - from) * sizeof *A);
        }
        if (k < island->ntree) from = to + model->trees[trees[k]].nv;
    }
}

static trx_status begin(trx_sim *sim)
{
    trx_status status = trxi_step_linearize(sim);
    if (status < 0) return status;
    for (int l = 0; l < sim->model->nlink; l++)
        if (sim->model->links[l].type == TRXI_BALL) sim->end_maps[l] = trxi_step_end_maps(sim, &sim->model->links[l]);
    return TRX_OK;
}

trx_status trx_step_jac(trx_sim *sim, double *A, double *B)
{
    trx_status status = sim ? begin(sim) : TRX_ERR_ARGUMENT;
    if (status < 0) return status;
    const trxi_solver *s = &sim->solver;
    const int nv = sim->model->nv, nu = sim->model->nu;
    double *dv_du = solve_all(sim);
    for (int i = 0; i < s->nisland; i++) {
        if (A && s->nisland > 1) clear_others(sim, &s->islands[i], A, nv);
        if (A) place_state(sim, &s->islands[i], A, nv, false);
        if (B) place(sim, &s->islands[i], nu, (columns){dv_du, nv, false}, (columns){B, 2 * nv, false}, nv);
    }
    return TRX_OK;
}

// controls that act on dofs of the island, ascending; returns how many
static int find_controls(const trx_sim *sim, int island, int *controls)
{
    const trx_model *model = sim->model;
    int count = 0;
    for (int i = 0; i < model->nu; i++) {
        const trxi_actuator *a = &model->actuators[i];
        bool acts = false;
        for (int k = a->first; k < a->first + a->nfactor; k++)
            acts = acts || sim->solver.island_of[model->dof_tree[model->factor_dofs[k]]] == island;
        if (acts) controls[count++] = i;
    }
    return count;
}

trx_status trx_step_jac_islands(trx_sim *sim, double *A, double *B, int *count, const trx_island **islands)
{
    trx_status status = sim ? begin(sim) : TRX_ERR_ARGUMENT;
    if (status < 0) return status;
    if (!A || (!B && sim->model->nu > 0) || !count || !islands)
        return trxi_fail(sim->context, TRX_ERR_ARGUMENT, "no place for the derivatives of the islands");
    const trxi_solver *s = &sim->solver;
    const int nv = sim->model->nv;
    int *controls = sim->part_controls, *dofs = sim->part_dofs;
    double *dv_du = solve_all(sim);
    for (int i = 0; i < s->nisland; i++) {
        const trxi_island *island = &s->islands[i];
        const int n = island->nv, nu = find_controls(sim, i, controls);
        for (int k = 0, d = 0; k < island->ntree; k++) {
            const trxi_tree *tree = &sim->model->trees[s->trees[island->first_tree + k]];
            for (int j = tree->v; j < tree->v + tree->nv; j++) dofs[d++] = j;
        }
        place_state(sim, island, A, n, true);
        for (int k = 0; k < nu; k++)
            place(sim, island, 1, (columns){dv_du + (ptrdiff_t)controls[k] * nv, nv, false},
                  (columns){B + (ptrdiff_t)k * 2 * n, 2 * n, true}, n);
        sim->parts[i] = (trx_island){n, nu, dofs, controls, A, B};
        A += 4 * (ptrdiff_t)n * n, dofs += n, controls += nu;
        if (B) B += 2 * (ptrdiff_t)n * nu;
    }
    *count = s->nisland;
    *islands = sim->parts;
    return TRX_OK;
}
