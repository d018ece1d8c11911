// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Newton's method on the active set (theory 4). Methods of rigid contact soon find which contacts stick, slide or are open, but
// find their impulses slowly. Here each law gives the impulse z of a visit at v_c and the last impulse f. Springs of the slope
// 1/rho_i, rho_i = rho w_i, keep z near f:
//
//     z = visit(v_c, f; rho_i)      u = v_c + rho_i (z - f)      M = -dz/du of the law      G = M (1 + rho_i M)^-1 = -dz/dv_c
//     (A + J^T G J) dv = -(A v - p0 - J^T z)                     v <- v + dv,  f = z - G J dv
//
// A step solves the momentum balance of the linearized laws. If no contact changes its branch, the springs alone keep z from being
// exact: the share rho_i/(rho_i + W_ii) of the error remains. The springs also keep impulses that have no effect on v. rho takes
// four sizes in turn: large ones keep branches from jumping and have the least rounding, small ones change impulses of contacts
// that press against each other. H is not symmetric, so each step eliminates anew. Convergence is not certain. The method gives up
// after a few steps and then changes nothing.

#include "contact/active_set.h"

#include "contact/balance.h"
#include "contact/hessian.h"
#include "contact/impulses.h"
#include "contact/islands.h"
#include "math/vec3.h"

// A solve ends at a last change below share times the tolerance; or below `least`, where rounding counts, when a step does not help
static const double share = 1e-2, least = 1e-13;

static const double sizes[] = {1e-1, 1e-2, 1e-3, 1e-4};
enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 3 * SIZES, FIRST_ATTEMPT = 15 };

// G + [skew]x becomes M (1 + rho M)^-1, M = G + [skew]x
static void soften(double rho, trxi_sym3 *G, double skew[3])
{
    const double M[3][3] = {{G->xx, G->xy - skew[2], G->xn + skew[1]},
                            {G->xy + skew[2], G->yy, G->yn - skew[0]},
                            {G->xn - skew[1], G->yn + skew[0], G->nn}};
    double B[3][3], C[3][3], out[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) B[i][j] = (i == j) + rho * M[i][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            C[j][i] = B[a][c] * B[b][d] - B[a][d] * B[b][c];
        }
    const double det = B[0][0] * C[0][0] + B[0][1] * C[1][0] + B[0][2] * C[2][0];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) out[i][j] += M[i][k] * C[k][j] / det;
    *G = (trxi_sym3){out[0][0], 0.5 * (out[0][1] + out[1][0]), out[1][1], 0.5 * (out[0][2] + out[2][0]),
                     0.5 * (out[1][2] + out[2][1]), out[2][2]};
    skew[0] = 0.5 * (out[2][1] - out[1][2]), skew[1] = 0.5 * (out[0][2] - out[2][0]), skew[2] = 0.5 * (out[1][0] - out[0][1]);
}

// slope of a law at the state u beside springs of the slope 1/rho
static trxi_sym3 slope_of(const trxi_contact_problem *problem, int k, const trxi_row_state *u, double rho, double skew[3])
{
    trxi_row_block block = problem->blocks[k];
    block.at = *u;
    skew[0] = skew[1] = skew[2] = 0;
    if (block.law->slope) block.law->slope(&block, &block.at.G, skew);
    else block.law->impulse(&block, problem->law.dt, &block.at);
    trxi_sym3 G = block.at.G;
    if (block.n == 1) G.xx /= 1 + rho * G.xx;
    else soften(rho, &G, skew);
    return G;
}

// impulses and slopes of all blocks at v; returns the square of u - v_c [J]
static double respond(const trxi_contact_problem *problem, const trxi_island *island, double size)
{
    double apart = 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        trxi_row_state *at = TRXI_STATE(problem, island->now, k);
        const double w = trxi_impulses_weight(block, &problem->rows[k].W), rho = size * w;
        const trxi_sym3 springs = {.xx = rho, .yy = rho, .nn = rho};
        double f[3];
        for (int r = 0; r < 3; r++) f[r] = at->gamma[r];
        trxi_row_project(block, island->now->v, block->bias, at->v_c);
        trxi_impulses_visit(problem, block, &springs, at);
        trxi_row_state u = *at;
        for (int r = 0; r < block->n; r++) {
            const double by = rho * (at->gamma[r] - f[r]);
            u.v_c[r] += by, apart += by * by / w;
        }
        at->G = slope_of(problem, k, &u, rho, problem->rows[k].skew);
    }
    return apart;
}

static void slope(const trxi_contact_problem *problem, const trxi_island *island, int k, trxi_sym3 *G, double skew[3])
{
    *G = TRXI_STATE(problem, island->now, k)->G;
    trxi_copy3(problem->rows[k].skew, skew);
}

// computes dv, and the impulses that the slopes predict
static void step(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    trxi_iterate *x = island->now;
    trxi_island_combine(island, s, NULL, -1, x->r, s->dv);
    trxi_hessian_solve(problem, island, s, 1, s->dv, s->nv);
    trxi_island_combine(island, s, x->v, 1, s->dv, x->v);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        trxi_row_state *at = TRXI_STATE(problem, x, k);
        double dv_c[3] = {0}, change[3] = {0};
        trxi_row_project(block, s->dv, trxi_row_rest, dv_c);
        trxi_row_product(block, &at->G, dv_c, change);
        if (block->n == 3) trxi_cross_add3(problem->rows[k].skew, dv_c, change);
        for (int r = 0; r < block->n; r++) at->gamma[r] -= change[r];
    }
}

static void keep(const trxi_contact_problem *problem, const trxi_island *island, const trxi_work *s, trxi_iterate *from,
                 trxi_iterate *to)
{
    trxi_island_copy(island, s, from->v, to->v);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_state *of = TRXI_STATE(problem, from, k);
        trxi_row_state *at = TRXI_STATE(problem, to, k);
        trxi_copy3(of->gamma, at->gamma);
        at->branch = of->branch;
    }
}

bool trxi_active_set(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_work *s)
{
    const double wanted = share * tolerance, most = fmax(wanted, least);
    double best = INFINITY, change = INFINITY;
    int since = 0;
    keep(problem, island, s, island->now, island->next);
    for (int i = 0; i < MOST && since < SIZES; i++) {
        const double apart = respond(problem, island, sizes[i % SIZES]);
        trxi_impulses_balance(problem, island, s);
        const double size = trxi_impulses_size(island, s);
        change = size > 0 ? sqrt(fmax(trxi_impulses_miss(problem, island, s), apart) / size) : 0;
        since = change < 0.5 * best ? 0 : since + 1;
        best = fmin(best, change);
        if (!isfinite(change) || change <= wanted || (change <= most && since > 0)) break;
        if (trxi_tangent_factorize_with(problem, island, slope, s) < 0) break;
        step(problem, island, s);
        s->stats.iterations++;
    }
    island->skewed = false;
    if (change <= most) {
        s->stats.change = change;
        return true;
    }
    keep(problem, island, s, island->next, island->now);
    return false;
}

bool trxi_active_set_reserve(const trxi_contact_problem *problem, trxi_work *s)
{
    return s->nv > TRXI_ACTIVE_SET_DOFS || trxi_tangent_reserve(problem, s);
}

bool trxi_active_set_attempt(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_attempts *attempts,
                             trxi_work *s)
{
    if (s->nv > TRXI_ACTIVE_SET_DOFS || s->stats.iterations < (attempts->due ? attempts->due : FIRST_ATTEMPT)) return false;
    const int before = s->stats.iterations;
    const bool solved = trxi_active_set(problem, island, tolerance, s);
    attempts->due = before + s->stats.iterations;
    return solved;
}
