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
//
// Contacts may share a load in many ways without effect on their velocities. R decides the shares, R f_n = v_hat - v_n, but a
// method that ends when v has converged knows the shares only roughly. Where a contact slides, the shares change the sum of the
// friction forces, and so v. Steps without springs find the shares:
//
//     f = z + rho_i M (z - f) - M dv_c      (A + J^T M J) dv = -(A v - p0 - J^T (z + rho_i M (z - f)))
//
// M and its factor serve until a branch changes. R is the compliance times w, so a step resolves R f_n if its tolerance is below
// the compliance: then a solution is refined. If steps with springs fail, steps without springs follow. A step with springs removes
// only the share R/rho_i of the error of some impulses; a step without springs removes the whole error.

#include "contact/active_set.h"

#include "contact/balance.h"
#include "contact/hessian.h"
#include "contact/impulses.h"
#include "contact/islands.h"
#include "math/vec3.h"

// A solve ends at an error below `share` times the tolerance, or below `least`, which is near rounding, if a step does not help
static const double share = 1e-2, least = 1e-13;

static const double sizes[] = {1e-1, 1e-2, 1e-3, 1e-4};
static const double free_size = 1e-6; // of visits without springs: rounding of z, times rho/R, would enter the impulses
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

// M of a law at the state u
static trxi_sym3 slope_of(const trxi_contact_problem *problem, int k, const trxi_row_state *u, double skew[3])
{
    trxi_row_block block = problem->blocks[k];
    block.at = *u;
    skew[0] = skew[1] = skew[2] = 0;
    if (block.law->slope) block.law->slope(&block, &block.at.G, skew);
    else block.law->impulse(&block, problem->law.dt, &block.at);
    return block.at.G;
}

// the response of a law
typedef struct response {
    double rho;       // [1/kg]
    double change[3]; // z - f [N s]
    trxi_row_state u; // with z
} response;

// visits a block: z takes the place of f. Adds the square of u - v_c [J]
static response visit(const trxi_contact_problem *problem, const trxi_island *island, int k, double size, double *apart)
{
    const trxi_row_block *block = &problem->blocks[k];
    trxi_row_state *at = TRXI_STATE(problem, island->now, k);
    const double w = trxi_impulses_weight(block, &problem->rows[k].W);
    response out = {.rho = size * w};
    const trxi_sym3 springs = {.xx = out.rho, .yy = out.rho, .nn = out.rho};
    double f[3];
    trxi_copy3(at->gamma, f);
    trxi_row_project(block, island->now->v, block->bias, at->v_c);
    trxi_impulses_visit(problem, block, &springs, at);
    out.u = *at;
    for (int r = 0; r < block->n; r++) {
        out.change[r] = at->gamma[r] - f[r];
        const double by = out.rho * out.change[r];
        out.u.v_c[r] += by, *apart += by * by / w;
    }
    return out;
}

// impulses and slopes of all blocks at v; returns the square of u - v_c [J]
static double respond(const trxi_contact_problem *problem, const trxi_island *island, double size)
{
    double apart = 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const response z = visit(problem, island, k, size, &apart);
        trxi_sym3 *G = &TRXI_STATE(problem, island->now, k)->G;
        *G = slope_of(problem, k, &z.u, problem->rows[k].skew);
        if (problem->blocks[k].n == 1) G->xx /= 1 + z.rho * G->xx;
        else soften(z.rho, G, problem->rows[k].skew);
    }
    return apart;
}

static void slope(const trxi_contact_problem *problem, const trxi_island *island, int k, trxi_sym3 *G, double skew[3])
{
    *G = TRXI_STATE(problem, island->now, k)->G;
    trxi_copy3(problem->rows[k].skew, skew);
}

// out = (G + [skew]x) x
static void push(const trxi_contact_problem *problem, int k, const trxi_sym3 *G, const double x[3], double out[3])
{
    trxi_row_product(&problem->blocks[k], G, x, out);
    if (problem->blocks[k].n == 3) trxi_cross_add3(problem->rows[k].skew, x, out);
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
        push(problem, k, &at->G, dv_c, change);
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

// the error of the laws and of the balance, relative to v; responds with springs of a size
static double error_at(const trxi_contact_problem *problem, trxi_island *island, double size, trxi_work *s)
{
    const double apart = respond(problem, island, size);
    trxi_impulses_balance(problem, island, s);
    const double all = trxi_impulses_size(island, s);
    return all > 0 ? sqrt(fmax(trxi_impulses_miss(problem, island, s), apart) / all) : 0;
}

// ---- the shares of a load ----

static bool slides_with_friction(const trxi_row_block *block, int branch)
{
    return block->law->visit && branch & TRXI_SAP_SLIDE && block->contact.mu > 0;
}

static bool slides(const trxi_contact_problem *problem, const trxi_island *island)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        if (slides_with_friction(&problem->blocks[k], TRXI_STATE(problem, island->now, k)->branch)) return true;
    return false;
}

// a step without springs
typedef struct free_step {
    bool changed;  // a contact has changed its branch
    double missed; // square of the impulses by which the laws miss f [J]
} free_step;

// z + rho M (z - f) of all blocks, with the last M of a block that keeps its branch unless `anew`
static free_step respond_freely(const trxi_contact_problem *problem, const trxi_island *island, bool anew)
{
    free_step out = {.missed = 0};
    double apart = 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_state *at = TRXI_STATE(problem, island->now, k);
        const int branch = at->branch;
        const response z = visit(problem, island, k, free_size, &apart);
        double by[3] = {0};
        out.changed = out.changed || at->branch != branch;
        if (anew || at->branch != branch) at->G = slope_of(problem, k, &z.u, problem->rows[k].skew);
        push(problem, k, &at->G, z.change, by);
        for (int r = 0; r < problem->blocks[k].n; r++) {
            const double beyond = z.rho * by[r], miss = z.change[r] + beyond;
            at->gamma[r] += beyond, out.missed += z.rho / free_size * miss * miss;
        }
    }
    return out;
}

// steps without springs until they no longer halve what the laws miss; returns the error. Slopes are new in the first step and
// after a change of a branch
static double share_load(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    bool anew = true, falls = true;
    double last = INFINITY;
    for (int eliminations = 0; falls && eliminations < MOST;) {
        const free_step at = respond_freely(problem, island, anew);
        const bool eliminates = anew || at.changed;
        trxi_impulses_balance(problem, island, s);
        if (eliminates && trxi_tangent_factorize_with(problem, island, slope, s) < 0) return INFINITY;
        step(problem, island, s);
        eliminations += eliminates, s->stats.iterations += eliminates;
        falls = eliminates || at.missed < 0.25 * last;
        last = at.missed, anew = at.changed;
    }
    return error_at(problem, island, sizes[0], s);
}

// ---- the method ----

// steps with springs until the error is below `wanted`, or no longer halves; returns the error
static double approach(const trxi_contact_problem *problem, trxi_island *island, double wanted, double most, trxi_work *s)
{
    double best = INFINITY, error = INFINITY;
    int since = 0;
    for (int i = 0; i < MOST && since < SIZES; i++) {
        error = error_at(problem, island, sizes[i % SIZES], s);
        since = error < 0.5 * best ? 0 : since + 1;
        best = fmin(best, error);
        if (!isfinite(error) || error <= wanted || (error <= most && since > 0)) break;
        if (trxi_tangent_factorize_with(problem, island, slope, s) < 0) break;
        step(problem, island, s);
        s->stats.iterations++;
    }
    return error;
}

// takes steps without springs; returns false if they find no solution, and restores the state that `next` keeps
static bool refine(const trxi_contact_problem *problem, trxi_island *island, double most, trxi_work *s)
{
    const double error = slides(problem, island) ? share_load(problem, island, s) : INFINITY;
    const bool solved = error <= most;
    if (solved) s->stats.change = error;
    else keep(problem, island, s, island->next, island->now);
    island->skewed = false;
    return solved;
}

bool trxi_active_set_refine(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_work *s)
{
    if (tolerance >= problem->law.compliance || s->nv > TRXI_ACTIVE_SET_DOFS) return false;
    keep(problem, island, s, island->now, island->next);
    return refine(problem, island, fmax(share * tolerance, least), s);
}

bool trxi_active_set(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_work *s)
{
    const double wanted = share * tolerance, most = fmax(wanted, least);
    keep(problem, island, s, island->now, island->next);
    const double error = approach(problem, island, wanted, most, s);
    island->skewed = false;
    if (!(error <= most)) return refine(problem, island, most, s);
    s->stats.change = error;
    trxi_active_set_refine(problem, island, tolerance, s);
    return true;
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
