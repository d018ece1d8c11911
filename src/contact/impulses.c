// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Impulses as unknowns (theory 4): see impulses.h. The impulses start at 0, so the solution does not depend on earlier steps. At
// the end v is computed again from the impulses. Slopes G of contacts remain 0; derivatives set them (tangent.c), or solve once
// more by Newton.

#include "contact/impulses.h"

#include "contact/balance.h"
#include "contact/islands.h"
#include "contact/rounding.h"
#include "math/vec3.h"

#include <string.h>

// room for A^-1 J^T of all blocks; NULL when memory is out
static double *reserve_columns(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s)
{
    size_t count = 1;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) count += trxi_delassus_numbers(&problem->blocks[k], s);
    return trxi_room_reserve(&s->columns, problem->context, count * sizeof(double));
}

bool trxi_impulses_begin(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    double *Y = reserve_columns(problem, island, s);
    if (!Y) return false;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_block *block = &problem->blocks[k];
        trxi_row_work *row = &problem->rows[k];
        *TRXI_STATE(problem, island->now, k) = (trxi_row_state){.branch = 0};
        row->Y = Y, Y += trxi_delassus_numbers(block, s);
        trxi_delassus_columns(problem, block, s, row->Y);
        const trxi_sym3 W = row->W = trxi_delassus_block(block, s, row->Y);
        if (block->n == 3) trxi_set3(W.xn, W.yn, W.nn, block->contact.W_n);
    }
    trxi_delassus_velocity(problem, island, s, island->now->v);
    trxi_island_copy(island, s, island->now->v, s->start);
    return true;
}

// one row: the root of gamma - law(v_c + w (gamma - gamma_0)), whose slope is at least 1; it lies between gamma_0 and law(v_c).
// Between the two corners of a limit that lets go, Newton's method can alternate, so later every second step halves the bracket
static void visit_row(const trxi_row_block *block, double dt, double w, trxi_row_state *at)
{
    enum { MOST = 100, SURE = 8 };
    const double start = at->gamma[0], v_c = at->v_c[0];
    trxi_row_state trial = *at;
    block->law->impulse(block, dt, &trial);
    double low = fmin(start, trial.gamma[0]), high = fmax(start, trial.gamma[0]), gamma = start;
    for (int i = 0; i < MOST; i++) {
        const double error = gamma - trial.gamma[0];
        if (error > 0) high = gamma;
        else low = gamma;
        double next = gamma - error / (1 + w * trial.G.xx);
        if (!(next >= low && next <= high) || (i > SURE && i % 2 && fabs(error) > 1e-15 * high)) next = 0.5 * (low + high);
        const bool same = fabs(next - gamma) <= 1e-15 * fabs(next);
        gamma = next;
        if (same) break;
        trial.v_c[0] = v_c + w * (gamma - start);
        block->law->impulse(block, dt, &trial);
    }
    at->gamma[0] = gamma;
}

void trxi_impulses_visit(const trxi_contact_problem *problem, const trxi_row_block *block, const trxi_sym3 *W, trxi_row_state *at)
{
    if (block->law->visit) block->law->visit(block, W, at);
    else visit_row(block, problem->law.dt, W->xx, at);
}

double trxi_impulses_weight(const trxi_row_block *block, const trxi_sym3 *W)
{
    const double w = block->n == 1 ? W->xx : (W->xx + W->yy + W->nn) / 3;
    return w > 0 ? w : 1;
}

double trxi_impulses_size(const trxi_island *island, const trxi_work *s)
{
    const double *v = island->now->v;
    double size = 0;
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(island, s, k);
        for (int i = dofs.first; i < dofs.end; i++) {
            const double dv_all = v[i] - s->start[i];
            size += (v[i] * v[i] + dv_all * dv_all) / s->E2[i];
        }
    }
    return size;
}

void trxi_impulses_balance(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    trxi_iterate *x = island->now;
    trxi_island_mass(problem, island, s, x->v, x->p);
    trxi_balance_collect(problem, island, s, x);
}

double trxi_impulses_miss(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s)
{
    const trxi_iterate *x = island->now;
    trxi_island_copy(island, s, x->r, s->dp);
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[s->members[island->first_group + k]];
        trxi_group_solve(problem, group, 1, s->dp + group->v, group->nv);
    }
    return trxi_island_dot(island, s, s->dp, x->r);
}

void trxi_impulses_finish(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_work *s)
{
    trxi_iterate *x = island->now;
    trxi_delassus_velocity(problem, island, s, x->v);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *b = &problem->blocks[k];
        trxi_row_state *at = TRXI_STATE(problem, x, k), law;
        trxi_row_project(b, x->v, b->bias, at->v_c);
        if (b->law->visit) continue;
        law = *at;
        b->law->impulse(b, problem->law.dt, &law);
        at->branch = law.branch, at->G = law.G;
    }
    trxi_island_mass(problem, island, s, x->v, x->p);
    x->sums = 0;
    trxi_balance_collect(problem, island, s, x);
    trxi_verdict verdict = {.residual = INFINITY};
    trxi_rounding_judge(problem, island, tolerance, false, s, &verdict);
    s->stats.relative = tolerance;
    island->swept = true;
}
