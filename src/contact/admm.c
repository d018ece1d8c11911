// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Alternating directions (theory 4). Each block of rows has two velocities and two impulses: v_c, f obey the balance of momentum,
// u, z obey the law of the block. Springs of the slope 1/rho_i between the two sides pull them together:
//
//     mass   A v = p0 + J^T f,  v_c = J v + b,       f = z + (u - v_c)/rho_i          all blocks
//     laws   z' = law(u'),      u' = u + rho_i (z' - z) + omega (v_c - u)   each block
//
// The mass side is one solve with H = A + sum J_i^T J_i/rho_i, whose factor is kept until rho changes. The Delassus matrix is not
// formed, and stacks and very different masses are no harder than other scenes. The law side is the visit of Gauss-Seidel with
// rho_i in place of W_ii. rho_i = rho w_i with w_i the mean diagonal of W_ii, so rho is a pure number. rho adapts to the changes
// of the law side, at growing intervals. Every few iterations the method extrapolates (anderson.h), and less often if this does
// not help. Convex models then converge from every start; for lcp, ncp and raisim convergence is not certain.
//
// The state of the mass side is in the iterate `now`, the law side in `next`. The method ends when the balance of momentum at z
// and the difference u - v_c, as energies relative to the energy of v, are below a thousandth of the tolerance. Impulses that
// do not affect v need not converge. z is the solution: v follows from z, and z is within its bounds up to rounding.

#include "contact/island_solvers.h"

#include "contact/active_set.h"
#include "contact/anderson.h"
#include "contact/hessian.h"
#include "contact/impulses.h"
#include "contact/islands.h"

static const double share = 1e-3;
static const double first_rho = 0.1, usual_relaxation = 1;
enum { FIRST_LOOK = 3 }; // iterations before the first adaptation of rho

// starts both sides without impulses, at the velocity without impulses; returns false when memory is out
static bool begin(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    if (!trxi_active_set_reserve(problem, s) || !trxi_impulses_begin(problem, island, s)) return false;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        const double w = trxi_impulses_weight(block, &problem->rows[k].W);
        problem->rows[k].W = (trxi_sym3){.xx = w, .yy = w, .nn = w};
        trxi_row_state *law = TRXI_STATE(problem, island->next, k);
        *law = (trxi_row_state){.branch = 0};
        trxi_row_project(block, island->now->v, block->bias, law->v_c);
        for (int r = 0; r < block->n; r++) TRXI_STATE(problem, island->now, k)->v_c[r] = law->v_c[r];
    }
    return true;
}

// the factor of the mass side
static bool factorize(const trxi_contact_problem *problem, trxi_island *island, double rho, trxi_work *s)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const double slope = 1 / (rho * problem->rows[k].W.xx);
        trxi_row_state *mass = TRXI_STATE(problem, island->now, k);
        mass->G = (trxi_sym3){.xx = slope, .yy = slope, .nn = slope};
    }
    return trxi_hessian_factorize(problem, island, s);
}

// the balance of momentum with the springs: v and v_c, from the residual r at the impulses of the laws
static void solve_mass(const trxi_contact_problem *problem, trxi_island *island, double rho, trxi_work *s)
{
    trxi_iterate *x = island->now;
    trxi_island_combine(island, s, NULL, -1, x->r, s->dv);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_state *law = TRXI_STATE(problem, island->next, k), *mass = TRXI_STATE(problem, x, k);
        const double slope = 1 / (rho * problem->rows[k].W.xx);
        double f[3];
        for (int r = 0; r < problem->blocks[k].n; r++) f[r] = slope * (law->v_c[r] - mass->v_c[r]);
        trxi_row_apply(&problem->blocks[k], f, s->dv);
    }
    trxi_hessian_solve(problem, island, s, 1, s->dv, s->nv);
    trxi_island_combine(island, s, x->v, 1, s->dv, x->v);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        trxi_row_project(&problem->blocks[k], x->v, problem->blocks[k].bias, TRXI_STATE(problem, x, k)->v_c);
}

// ---- the laws ----

// acceleration of the map q' = q + omega (v_c - u). The law gives u and z for a point q = u - rho_i z
typedef struct acceleration {
    trxi_anderson past;
    int plain;      // least number of steps between two extrapolations
    int steps;      // steps since the last extrapolation
    double before;  // square of the step at the last extrapolation [J]
} acceleration;

enum { PLAIN = 5 };

static acceleration no_past(int plain)
{
    return (acceleration){.plain = plain, .before = INFINITY};
}

// square of the step of all points [J]
static double record(const trxi_contact_problem *problem, const trxi_island *island, const trxi_anderson *past, double omega)
{
    double sum = 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_state *mass = TRXI_STATE(problem, island->now, k), *law = TRXI_STATE(problem, island->next, k);
        double step[3];
        for (int r = 0; r < problem->blocks[k].n; r++) step[r] = omega * (mass->v_c[r] - law->v_c[r]);
        const double weight = 1 / problem->rows[k].W.xx;
        sum += weight * trxi_row_dot(&problem->blocks[k], step, step);
        if (past) trxi_anderson_record(past, &problem->blocks[k], weight, step, &problem->rows[k].past);
    }
    return sum;
}

// undoes an extrapolation: moves to the end of the last plain step
static void go_back(const trxi_contact_problem *problem, const trxi_island *island)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_past *past = &problem->rows[k].past;
        for (int r = 0; r < problem->blocks[k].n; r++) past->move[r] = past->step[r] - past->move[r];
    }
}

// chooses the move of every point: a plain step or an extrapolation. An extrapolation that made the next step larger is undone, and
// extrapolations then become rare
static void choose_moves(const trxi_contact_problem *problem, const trxi_island *island, double omega, acceleration *a)
{
    static const double helps = 0.25;
    const bool jumped = a->steps == 0 && a->past.count > 0;
    if (jumped && record(problem, island, NULL, omega) > a->before) {
        go_back(problem, island);
        *a = no_past(2 * a->plain);
        return;
    }
    const double square = record(problem, island, &a->past, omega);
    trxi_anderson_end(&a->past);
    if (++a->steps < a->plain || !trxi_anderson_extrapolate(problem, island, &a->past)) return;
    a->plain = square <= helps * a->before ? PLAIN : 2 * a->plain;
    a->steps = 0, a->before = square;
}

// changes of the law side, as squares [J]
typedef struct answer {
    double apart;       // u - v_c
    double bent, moved; // z - f, the change of the impulses by the laws; z minus the z of the last iteration
} answer;

// solves the laws of all blocks for u and z
static answer solve_laws(const trxi_contact_problem *problem, const trxi_island *island, double rho)
{
    answer out = {0, 0, 0};
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        trxi_row_state *mass = TRXI_STATE(problem, island->now, k), *law = TRXI_STATE(problem, island->next, k);
        const double w = problem->rows[k].W.xx, rho_k = rho * w, *move = problem->rows[k].past.move;
        const trxi_sym3 W = {.xx = rho_k, .yy = rho_k, .nn = rho_k};
        double before[3];
        for (int r = 0; r < block->n; r++) before[r] = law->gamma[r], law->v_c[r] += move[r];
        trxi_impulses_visit(problem, block, &W, law);
        for (int r = 0; r < block->n; r++) {
            const double moved = law->gamma[r] - before[r], bent = moved + move[r] / rho_k;
            law->v_c[r] += rho_k * moved;
            const double apart = law->v_c[r] - mass->v_c[r];
            mass->gamma[r] = law->gamma[r];
            out.apart += apart * apart / w, out.bent += w * bent * bent, out.moved += w * moved * moved;
        }
    }
    return out;
}

// the adaptation of rho. A large rho is slow if the laws accept the impulses of the mass side, a small rho if they change all
// of them. The intervals between two tests grow
typedef struct pace {
    double rho;
    int look;
} pace;

static bool adapt(const answer *d, int iterations, pace *p)
{
    static const double much = 3, most = 10;
    if (iterations < p->look) return false;
    p->look = iterations + (iterations < 64 ? 8 : iterations / 4);
    const double ratio = sqrt(d->bent / d->moved);
    if (!(ratio > much || ratio < 1 / much) || isnan(ratio)) return false;
    p->rho *= fmin(most, fmax(1 / most, ratio));
    return true;
}

// tries Newton's method from the law side; without a solution both sides are restored
static bool attempt(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_attempts *attempts,
                    trxi_work *s)
{
    const int before = s->stats.iterations;
    const bool solved = trxi_active_set_attempt(problem, island, tolerance, attempts, s), tried = s->stats.iterations > before;
    if (!solved && !tried) return false;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_state *mass = TRXI_STATE(problem, island->now, k);
        if (solved) *TRXI_STATE(problem, island->next, k) = *mass;
        else trxi_row_project(&problem->blocks[k], island->now->v, problem->blocks[k].bias, mass->v_c);
    }
    if (!solved) trxi_impulses_balance(problem, island, s);
    return solved;
}

// the larger of the two errors relative to v. The error of the balance costs a solve, so it is computed only when u - v_c is small
static double change_of(const trxi_contact_problem *problem, const trxi_island *island, double apart, double tolerance,
                        trxi_work *s)
{
    const double size = trxi_impulses_size(island, s);
    if (!(size > 0)) return 0;
    const double change = sqrt(apart / size);
    return change > tolerance ? change : fmax(change, sqrt(trxi_impulses_miss(problem, island, s) / size));
}

// ends with the law side as the solution
static void finish(const trxi_contact_problem *problem, trxi_island *island, bool settled, double tolerance, trxi_work *s)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_state *at = TRXI_STATE(problem, island->now, k);
        *at = *TRXI_STATE(problem, island->next, k);
        at->G = (trxi_sym3){0};
    }
    if (settled) trxi_active_set_refine(problem, island, tolerance, s);
    trxi_impulses_finish(problem, island, tolerance, s);
}

trx_status trxi_admm_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                           trxi_work *s)
{
    const double omega = settings->relaxation > 0 ? settings->relaxation : usual_relaxation;
    const double tolerance = fmax(share * settings->tolerance, trxi_impulses_least);
    bool converged = island->block < 0, settled = false;
    pace p = {.rho = first_rho, .look = FIRST_LOOK};
    acceleration a = no_past(PLAIN);
    trxi_attempts attempts = {0};
    if (!begin(problem, island, s)) return TRX_ERR_MEMORY;
    if (!converged && !factorize(problem, island, p.rho, s)) return TRX_ERR_ILL_CONDITIONED;
    s->stats.still = tolerance;
    trxi_impulses_balance(problem, island, s);
    while (!converged && s->stats.iterations < settings->max_sweeps) {
        solve_mass(problem, island, p.rho, s);
        choose_moves(problem, island, omega, &a);
        const answer laws = solve_laws(problem, island, p.rho);
        trxi_impulses_balance(problem, island, s);
        s->stats.change = change_of(problem, island, laws.apart, tolerance, s);
        if (!isfinite(s->stats.change)) return TRX_ERR_NOT_FINITE;
        s->stats.iterations++;
        settled = s->stats.change <= tolerance;
        converged = settled || attempt(problem, island, settings->tolerance, &attempts, s);
        if (converged || !adapt(&laws, s->stats.iterations, &p)) continue;

        // points q of another rho cannot be compared
        if (!factorize(problem, island, p.rho, s)) return TRX_ERR_ILL_CONDITIONED;
        a = no_past(PLAIN);
    }
    finish(problem, island, settled, settings->tolerance, s);
    return converged ? TRX_OK : TRX_ERR_NOT_CONVERGED;
}
