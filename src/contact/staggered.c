// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Staggered projections (theory 4). ncp has no potential, but each half of it has:
//
//     normal     f_n = (v_hat - v_n)+/R, friction f_t held           1/2 R f_n^2 - f_t . v_t
//     friction   f_t = -v_t/R within |f_t| <= mu f_n, f_n held       soft slip, whose soft speed is R mu f_n
//
// In lcp the bound is a polygon. In raisim friction opposes a slip that leans, and v_t + mu |u_t| a takes the
// place of v_t, with |u_t| of the last round.
//
// Newton's method solves one half after the other. Rows that are no contacts are in both halves. Each half starts from its own last
// velocity, where contacts that stick already stick. In every eighth round friction starts from the velocity of the normal half.
// Otherwise halves that Newton's method no longer moves would stay apart by the error of its tolerance. If both halves have the
// same velocity, this velocity solves the model. Stacks, unequal masses and contacts that press against each other are no
// difficulty for Newton's method.
//
// The halves agree after a few rounds if friction changes normal impulses little. If bodies wedge, rounds may cycle: when the
// difference of the velocities has not fallen within eight rounds, rounds take half of each change of friction from then on, later
// down to a sixteenth.
//
// During the solve contacts have the laws of the halves. block->at.gamma has the impulses that the other half holds.

#include "contact/island_solvers.h"

#include "contact/active_set.h"
#include "contact/friction.h"
#include "contact/impulses.h"
#include "contact/islands.h"
#include "contact/pyramid.h"
#include "contact/rigid.h"
#include "math/vec3.h"

enum { ROUNDS_TO_FALL = 8 };
static const double least_part = 1.0 / 16;

// Rounds end when the halves differ by less than `share` times the tolerance of the step, or by less than rounding/compliance, the
// rounding error of v_c/R. The tolerance of Newton's method is `share_of_newton` times this difference
static const double share = 1e-3, rounding = 2e-16, share_of_newton = 5e-3;


// ---- the halves ----

static void normal_impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    (void)dt;
    const double R = block->contact.sap.Rn, n = (block->contact.sap.v_hat - at->v_c[2]) / R;
    at->gamma[0] = block->at.gamma[0], at->gamma[1] = block->at.gamma[1], at->gamma[2] = fmax(0, n);
    at->G = (trxi_sym3){.nn = n > 0 ? 1 / R : 0};
    at->branch = n > 0 ? TRXI_SAP_SLIDE : 0;
}

static void friction_impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    (void)dt;
    const double R = block->contact.sap.Rn, most = block->contact.mu * block->at.gamma[2];
    const double *lean = block->contact.level.held, y[2] = {-(at->v_c[0] + lean[0]) / R, -(at->v_c[1] + lean[1]) / R};
    const double r = trxi_norm2(y[0], y[1]);
    const bool sticks = r <= most && most > 0;
    const double scale = sticks ? 1 : r > 0 ? most / r : 0;
    at->gamma[0] = scale * y[0], at->gamma[1] = scale * y[1], at->gamma[2] = block->at.gamma[2];
    at->G = (trxi_sym3){.xx = sticks ? 1 / R : 0, .yy = sticks ? 1 / R : 0};
    if (!sticks && scale > 0) trxi_add_projector(scale / R, y[0] / r, y[1] / r, &at->G);
    at->branch = !(block->at.gamma[2] > 0) ? 0 : sticks ? TRXI_SAP_STICK : TRXI_SAP_SLIDE;
}

// the same within the polygon
static void pyramid_impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    (void)dt;
    const double R = block->contact.sap.Rn, n = block->at.gamma[2];
    const int sides = block->contact.sides;
    double S[3];
    trxi_set3(-at->v_c[0] / R, -at->v_c[1] / R, n, at->gamma);
    const int branch = trxi_pyramid_bound(sides, block->contact.mu * n, at->gamma);
    trxi_pyramid_sticks(sides, branch, S);
    at->G = (trxi_sym3){.xx = S[0] / R, .xy = S[1] / R, .yy = S[2] / R};
    at->branch = n > 0 ? branch : 0;
}

static const trxi_law normal_half = {.name = "normal", .soften = trxi_rigid_soften, .impulse = normal_impulse};
static const trxi_law round_half = {.name = "friction", .soften = trxi_rigid_soften, .impulse = friction_impulse};
static const trxi_law pyramid_half = {.name = "friction", .soften = trxi_rigid_soften, .impulse = pyramid_impulse};

// ---- rounds ----

typedef struct half {
    const trxi_law *law; // of its contacts
    double *v;           // nv: its last velocity
    double part;         // of each change of its impulses that the other half sees
} half;

// ends the rounds; a half that has not converged may converge in the next round
static bool is_end(trx_status status)
{
    return status < 0 && status != TRX_ERR_NOT_CONVERGED;
}

// solves one half. The impulses that the other half holds move towards the solution
static trx_status solve_half(const trxi_contact_problem *problem, trxi_island *island, const half *own,
                             const trxi_solver_settings *settings, trxi_work *s)
{
    trxi_island_copy(island, s, own->v, island->now->v);
    trxi_island_use_law(problem, island, own->law);
    const trx_status status = trxi_newton_solve(problem, island, settings, s);
    trxi_island_copy(island, s, island->now->v, own->v);
    if (is_end(status)) return status;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_block *block = &problem->blocks[k];
        if (!trxi_row_is_contact(block)) continue;
        const double *found = TRXI_STATE(problem, island->now, k)->gamma;
        for (int r = 0; r < 3; r++) block->at.gamma[r] += own->part * (found[r] - block->at.gamma[r]);
    }
    return status;
}

// keeps the velocities of contacts; returns the square of their change since the last call [J]
static double change_of_contacts(const trxi_contact_problem *problem, const trxi_island *island)
{
    double sum = 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        if (!trxi_row_is_contact(&problem->blocks[k])) continue;
        double *last = problem->rows[k].past.step;
        const double *v_c = TRXI_STATE(problem, island->now, k)->v_c;
        const double w = trxi_impulses_weight(&problem->blocks[k], &problem->rows[k].W);
        for (int r = 0; r < 3; r++) {
            sum += (v_c[r] - last[r]) * (v_c[r] - last[r]) / w;
            last[r] = v_c[r];
        }
    }
    return sum;
}

// computes the lean of the slip c_t at the velocities just found; returns the square of its change [J], INFINITY if a contact
// wedges
static double lean(const trxi_contact_problem *problem, const trxi_island *island)
{
    double sum = 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_block *block = &problem->blocks[k];
        const trxi_row_state *at = TRXI_STATE(problem, island->now, k);
        double found[2], *held = block->contact.level.held;
        if (!trxi_row_is_contact(block)) continue;
        const double R = block->contact.sap.Rt, c_t[2] = {at->v_c[0] + R * at->gamma[0], at->v_c[1] + R * at->gamma[1]};
        if (!trxi_raisim_lean(block, c_t, found) && block->at.gamma[2] > 0) sum = INFINITY;
        for (int r = 0; r < 2; r++) {
            sum += (found[r] - held[r]) * (found[r] - held[r]) / trxi_impulses_weight(block, &problem->rows[k].W);
            held[r] = found[r];
        }
    }
    return sum;
}

static double square(const trxi_island *island, const trxi_work *s)
{
    double sum = 0;
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(island, s, k);
        for (int i = dofs.first; i < dofs.end; i++) sum += island->now->v[i] * island->now->v[i] / s->E2[i];
    }
    return sum;
}

static trx_status alternate(const trxi_contact_problem *problem, trxi_island *island, const trxi_law *law,
                            const trxi_solver_settings *settings, trxi_work *s)
{
    const double free = square(island, s), tolerance = s->stats.still;
    const trxi_solver_settings newton = {.tolerance = share_of_newton * tolerance,
                                         .max_iterations = settings->max_iterations,
                                         .backtracking = settings->backtracking};
    half normal = {&normal_half, s->halves, 1};
    half friction = {law->axes ? &pyramid_half : &round_half, s->halves + s->nv,
                     settings->relaxation > 0 ? settings->relaxation : 1};
    double last = INFINITY;
    trxi_attempts attempts = {0};
    trxi_island_copy(island, s, island->now->v, normal.v);
    for (int round = 1; round <= settings->max_sweeps; round++) {
        const trx_status first = solve_half(problem, island, &normal, &newton, s);
        change_of_contacts(problem, island);
        if (round % ROUNDS_TO_FALL == 1) trxi_island_copy(island, s, normal.v, friction.v);
        const trx_status second = solve_half(problem, island, &friction, &newton, s);
        if (is_end(first) || is_end(second)) return is_end(first) ? first : second;
        const double leans = law == &trxi_raisim ? lean(problem, island) : 0;
        const double change = fmax(change_of_contacts(problem, island), leans), size = free + square(island, s);
        s->stats.change = size > 0 ? sqrt(change / size) : 0;
        const bool ends = s->stats.change <= tolerance && first >= 0 && second >= 0;
        trxi_island_use_law(problem, island, law);
        if (ends) trxi_active_set_refine(problem, island, settings->tolerance, s);
        if (ends || trxi_active_set_attempt(problem, island, settings->tolerance, &attempts, s)) return TRX_OK;
        if (round % ROUNDS_TO_FALL) continue;
        if (s->stats.change >= last) friction.part = fmin(friction.part, fmax(least_part, 0.5 * friction.part));
        last = s->stats.change;
    }
    return TRX_ERR_NOT_CONVERGED;
}

trx_status trxi_staggered_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                                trxi_work *s)
{
    const trxi_law *law = &trxi_ncp;
    if (!trxi_active_set_reserve(problem, s) || !trxi_impulses_begin(problem, island, s)) return TRX_ERR_MEMORY;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_block *block = &problem->blocks[k];
        for (int r = 0; r < 3; r++) block->at.gamma[r] = 0;
        if (!trxi_row_is_contact(block)) continue;
        law = block->law;
        block->contact.level = (trxi_level){0};
    }
    s->stats.still = fmax(share * settings->tolerance, rounding / problem->law.compliance);
    const trx_status status = island->block < 0 ? TRX_OK : alternate(problem, island, law, settings, s);
    trxi_island_use_law(problem, island, law);
    trxi_impulses_finish(problem, island, settings->tolerance, s);
    return status;
}
