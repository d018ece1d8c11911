// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A and B of the step (theory 6; twin of step_deriv.c): all columns of -H^-1 [rq rv ru], and what they do to positions.
//
// Nothing in a step reaches from one island to another, so that each has its own rq, rv, factor and solve; entries between
// islands are zero. The dense form puts the islands' columns into matrices of all dofs, the other one gives them as they are.

#include "step/sim.h"

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

// -H^-1 [rq rv] by island, and where there are controls -H^-1 ru behind, for all dofs; returns the latter
static double *solve_all(trx_sim *sim)
{
    trxi_solver *s = &sim->solver;
    const int nv = sim->model->nv, nu = sim->model->nu;
    double *dv_du = sim->dv + 2 * s->by_island;
    trxi_step_control_jac(sim, dv_du);
    for (int i = 0; i < s->nisland; i++) {
        const trxi_island *island = &s->islands[i];
        const int n = island->nv, with = s->nisland == 1 ? nu : 0;
        const ptrdiff_t square = (ptrdiff_t)n * n;
        double *dv = sim->dv + 2 * island->start;
        const double *rq = sim->rq + island->start, *rv = sim->rv + island->start;
        for (ptrdiff_t k = 0; k < square; k++) dv[k] = -rq[k];
        for (ptrdiff_t k = 0; k < square; k++) dv[square + k] = -rv[k];
        trxi_contact_back_substitute_island(&sim->problem, s, island, 2 * n + with, dv, n);
    }
    if (s->nisland != 1) trxi_contact_back_substitute(&sim->problem, s, nu, dv_du, nv);
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
static void place_state(const trx_sim *sim, const trxi_island *island, double *A, int half, bool local)
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
        for (int l = tree->first_link; l < tree->first_link + tree->nlink; l++)
            transport(sim, &model->links[l], A, ld, half, place_of(sim, local, model->links[l].v));
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
    if (A && s->nisland > 1) memset(A, 0, 4 * (size_t)nv * (size_t)nv * sizeof *A);
    for (int i = 0; i < s->nisland; i++) {
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
