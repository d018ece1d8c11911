// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The solver of the convex contact problem, island by island (theory 5): see solver.h. The first island that fails ends the solve.

#include "contact/solver.h"

#include "base/context.h"
#include "contact/balance.h"
#include "contact/island_solvers.h"
#include "contact/islands.h"
#include "math/vec3.h"

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// the larger number; a if b is not a number
static double largest(double a, double b)
{
    return b > a ? b : a;
}

// ---- memory ----

// dense islands of several groups have at most TRXI_DENSE_LIMIT unknowns, so that all of them together fit
void trxi_solver_size_add(trxi_solver_size *size, int nv)
{
    size->ngroup++;
    size->nv += nv;
    size->room += (size_t)nv * (size_t)larger(nv, TRXI_DENSE_LIMIT);
}

void trxi_solver_layout(trxi_arena *arena, const trxi_solver_size *size, trxi_solver *solver)
{
    const int nv = size->nv, ngroup = size->ngroup;
    trxi_work measured = {0}, *work = TRXI_TAKE(arena, trxi_work, 1), *s = work ? work : &measured;
    s->dense_limit = TRXI_DENSE_LIMIT;
    s->groups = TRXI_TAKE(arena, trxi_group, ngroup);
    s->group_of = TRXI_TAKE(arena, int, nv);
    s->v = TRXI_TAKE(arena, double, nv);
    for (int k = 0; k < 2; k++) {
        s->iterate[k].place = k;
        s->iterate[k].v = k == 0 ? s->v : TRXI_TAKE(arena, double, nv);
        s->iterate[k].p = TRXI_TAKE(arena, double, nv);
        s->iterate[k].j = TRXI_TAKE(arena, double, nv);
        s->iterate[k].r = TRXI_TAKE(arena, double, nv);
    }
    s->bound = TRXI_TAKE(arena, double, nv);
    s->dv = TRXI_TAKE(arena, double, nv);
    s->dp = TRXI_TAKE(arena, double, nv);
    s->E2 = TRXI_TAKE(arena, double, nv);
    s->start = TRXI_TAKE(arena, double, nv);
    s->before = TRXI_TAKE(arena, double, nv);
    s->GJ = TRXI_TAKE(arena, double, 3 * nv);
    s->halves = TRXI_TAKE(arena, double, 2 * nv);
    s->gathered = TRXI_TAKE(arena, double, TRXI_GATHERED * nv);
    s->islands = TRXI_TAKE(arena, trxi_island, ngroup);
    s->members = TRXI_TAKE(arena, int, ngroup);
    s->island_of = TRXI_TAKE(arena, int, ngroup);
    s->local = TRXI_TAKE(arena, int, nv);
    s->column = TRXI_TAKE(arena, ptrdiff_t, nv);
    s->own = TRXI_TAKE(arena, ptrdiff_t, nv);
    s->scratch = TRXI_TAKE(arena, int, ngroup);
    s->H = TRXI_TAKE(arena, double, size->room);
    s->pivots = TRXI_TAKE(arena, int, nv);

    // an island of several groups has at least two
    s->nsparse = ngroup / 2;
    s->sparse = TRXI_TAKE(arena, trxi_block_cholesky *, s->nsparse);
    solver->work = work;
    solver->v = s->v;
}

void trxi_solver_add_group(trxi_solver *solver, int nv)
{
    trxi_work *s = solver->work;
    trxi_group *group = &s->groups[s->ngroup];
    *group = (trxi_group){.v = s->nv, .nv = nv};
    if (s->ngroup > 0) group->block = group[-1].block + group[-1].nv * group[-1].nv;
    for (int i = 0; i < nv; i++) s->group_of[s->nv++] = s->ngroup;
    s->ngroup++;
}

void trxi_solver_close(trxi_solver *solver)
{
    trxi_work *s = solver->work;
    for (int k = 0; s && k < s->nsparse; k++) trxi_block_cholesky_destroy(s->sparse[k]);
    if (s && s->tangent) trxi_release(s->tangent_context, s->tangent);
    if (s && s->pivoting.memory) trxi_release(s->pivoting.context, s->pivoting.memory);
    if (s && s->columns.memory) trxi_release(s->columns.context, s->columns.memory);
}

void *trxi_room_reserve(trxi_room *room, trx_context *context, size_t size)
{
    if (size <= room->size) return room->memory;
    size += size / 2; // more than necessary, so that growing contacts seldom reallocate
    trxi_release(room->context, room->memory);
    *room = (trxi_room){.memory = trxi_allocate(context, size), .context = context};
    room->size = room->memory ? size : 0;
    return room->memory;
}

// ---- the solve ----

// adds the statistics of one island; norms are squares until all islands are added. `change` and `still` are those of the last
// island, which is the one that failed if the solve failed
static void add_stats(const trxi_solver_stats *one, trxi_solver_stats *all)
{
    all->iterations = larger(all->iterations, one->iterations);
    all->continuation = larger(all->continuation, one->continuation);
    all->line_search += one->line_search;
    all->relative = largest(all->relative, one->relative);
    all->change = one->change, all->still = one->still;
    all->told = all->told || one->told;
    all->residual += one->residual * one->residual;
    all->scale += one->scale * one->scale;
    all->floor += one->floor * one->floor;
}

static void finish_stats(trxi_solver_stats *all)
{
    all->residual = sqrt(all->residual), all->scale = sqrt(all->scale), all->floor = sqrt(all->floor);
}

// a group without rows
static trx_status move_free(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s)
{
    trxi_island_copy(island, s, problem->v_free, s->v);
    return trxi_island_finite(island, s, s->v) ? TRX_OK : TRX_ERR_NOT_FINITE;
}

static trx_status solve_island(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                               trxi_solver *solver)
{
    static trxi_island_solver *const newton[] = {trxi_newton_solve, NULL};
    trxi_island_solver *const *methods = settings->methods ? settings->methods : newton;
    trxi_work *s = solver->work;
    trx_status status = TRX_ERR_NOT_CONVERGED;
    int iterations = 0;
    for (int i = 0; methods[i] && status == TRX_ERR_NOT_CONVERGED; i++) {
        s->stats = (trxi_solver_stats){0};
        status = methods[i](problem, island, settings, s);
        iterations += s->stats.iterations;
    }
    s->stats.iterations = iterations;
    trxi_balance_publish(problem, island, s);
    add_stats(&s->stats, &solver->stats);
    solver->stats.islands++;
    solver->stats.largest = larger(solver->stats.largest, island->nv);
    return status;
}

trx_status trxi_contact_solve(const trxi_contact_problem *problem, const trxi_solver_settings *settings, trxi_solver *solver)
{
    trxi_work *s = solver->work;
    trxi_solver_stats *all = &solver->stats;
    *all = (trxi_solver_stats){0};
    trx_status status = trxi_islands_find(problem, s), worst = TRX_OK;
    if (status < 0) return status;
    s->backtracking = settings->backtracking;
    for (int k = 0; k < s->ngroup; k++)
        for (int i = 0; i < s->groups[k].nv; i++) s->E2[s->groups[k].v + i] = 1 / trxi_group_diagonal(problem, &s->groups[k], i);

    for (int i = 0; i < s->nisland && status >= 0; i++) {
        trxi_island *island = &s->islands[i];
        status = trxi_island_is_free(island) ? move_free(problem, island, s) : solve_island(problem, island, settings, solver);
        if (status != TRX_OK) worst = status;
        if (status < 0) s->failed = i;
    }
    finish_stats(all);
    return worst;
}

bool trxi_contact_polish(const trxi_contact_problem *problem, double tolerance, bool anew, trxi_solver *solver)
{
    trxi_work *s = solver->work;
    trxi_solver_stats all = {0};
    for (int i = 0; i < s->nisland; i++) {
        trxi_island *island = &s->islands[i];
        if (trxi_island_is_free(island)) continue;
        s->stats = (trxi_solver_stats){0};
        const bool works = trxi_newton_polish(problem, island, tolerance, anew, s);
        trxi_balance_publish(problem, island, s);
        if (!works) return false;
        add_stats(&s->stats, &all);
    }
    finish_stats(&all);
    trxi_solver_stats *stats = &solver->stats;
    stats->iterations += all.iterations;
    stats->residual = all.residual, stats->scale = all.scale, stats->floor = all.floor, stats->relative = all.relative;
    return true;
}

// the part of the contact in the last residual of the momentum balance: |J E^2 r|^2
static double felt(const trxi_row_block *block, const trxi_island *island, const trxi_work *s)
{
    double u[3] = {0, 0, 0};
    for (int i = 0; i < block->ncol; i++)
        trxi_axpy3(s->E2[block->cols[i]] * island->now->r[block->cols[i]], block->J + 3 * i, u);
    return trxi_dot3(u, u);
}

// the energy by which the impulse of a contact misses its law, for solvers whose unknowns are impulses: these leave no residual of
// the momentum balance
static double missed(const trxi_contact_problem *problem, int k)
{
    trxi_row_block block = problem->blocks[k];
    trxi_row_state at = block.at;
    trxi_level_error error = {0};
    const trxi_sym3 *W = &problem->rows[k].W;
    const double w[3] = {W->xx, W->yy, W->nn};
    if (block.law->hold) block.law->hold(&block, at.gamma, 0, &error);
    else block.law->visit(&block, W, &at);
    double sum = error.bounds + error.shares;
    for (int r = 0; r < 3; r++) sum += w[r] * (at.gamma[r] - block.at.gamma[r]) * (at.gamma[r] - block.at.gamma[r]);
    return sum;
}

int trxi_contact_worst(const trxi_contact_problem *problem, const trxi_solver *solver)
{
    const trxi_work *s = solver->work;
    const bool swept = solver->stats.change > solver->stats.still;
    int worst = -1;
    double most = -1;
    if (s->nisland == 0) return -1;
    const trxi_island *island = &s->islands[s->failed];
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *c = &problem->blocks[k];
        if (c->n != 3) continue;
        const double one = c->law->hold || (swept && c->law->visit) ? missed(problem, k) : felt(c, island, s);
        if (one > most) most = one, worst = k;
    }
    return worst;
}
