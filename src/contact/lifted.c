// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Lifted contacts (theory 4). ncp is ccp whose contacts are lifted by their own slip, and ccp is convex. With the lifts s held,
//
//     f in K, c + s e_n in K*, f . (c + s e_n) = 0        s' = mu |c_t|
//
// is a ccp with another normal velocity, which Newton solves. With lifts for which F = s' - s = 0, its solution solves ncp. In
// raisim a contact is lifted by s l, l = (a, 1), and its slip is u_t = c_t + s a; in ncp a = 0. first_order is ncp with another
// R of the normal impulse.
//
// A ccp solves for normal impulses and friction together, so wedges, jams and grasps are no harder than other contacts. Staggered
// projections (staggered.c) fix one of the two and do not converge there. A round solves a ccp from the velocity of the last
// round. The next lifts are an implicit step of the length h along the flow ds/dt = F. With the slopes G of the ccp, p = h/(1 + h),
// T = (u_t/|u_t|, 0), k = p/(1 - p mu T . l) and b = 1/(1 + k mu R T . G l)
//
//     (A + J^T M J) dv = J^T f_0      M = G + b k mu G l T^T (1 - R G)      f_0 = -b k F G l
//     df = f_0 - M dv_c               ds = k F + k mu T . (dv_c + R df)
//
// A long step is a step of Newton's method for F = 0. Short steps follow the flow, whose fast parts decay at once. If contacts
// press against each other through a stiff mechanism, lifts change slowly, by as much as 1e5 |F| in all, until a contact opens or
// sticks; F hardly changes meanwhile, and h grows. A step that doubles F is undone.
//
// During the solve contacts have the law of a lifted contact. level.held is the lift s l, level.before the last s, level.most p.

#include "contact/island_solvers.h"

#include "contact/active_set.h"
#include "contact/cone.h"
#include "contact/hessian.h"
#include "contact/impulses.h"
#include "contact/islands.h"
#include "contact/rigid.h"
#include "math/vec3.h"

// share: F that ends the rounds, as a share of the tolerance. If rounds no longer halve F, the tolerance itself is enough,
// because F is the velocity by which the solution misses the law. share_of_newton: tolerance of Newton's method as a share of
// this F
static const double share = 1e-3, share_of_newton = 1e-6;
enum { PATIENCE = 8 };

// ---- the law of a round ----

static void impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    const double *lift = block->contact.level.held;
    trxi_row_state lifted = {.v_c = {at->v_c[0] + lift[0], at->v_c[1] + lift[1], at->v_c[2] + lift[2]}};
    trxi_cone_impulse(block, dt, &lifted);
    for (int r = 0; r < 3; r++) lifted.v_c[r] = at->v_c[r];
    *at = lifted;
}

// the springs of first_order; level.Rn is their R
static bool soften_springs(trxi_row_block *block, const trxi_law_settings *settings, double soft)
{
    const bool softer = trxi_rigid_soften(block, settings, soft);
    block->contact.sap.Rn = softer ? fmax(block->contact.sap.Rn, block->contact.level.Rn) : block->contact.level.Rn;
    return softer;
}

static const trxi_law springs = {.name = "lifted", .soften = soften_springs, .impulse = impulse};
static const trxi_law upright = {.name = "lifted", .soften = trxi_rigid_soften, .impulse = impulse};
static const trxi_law leaning = {.name = "lifted", .soften = trxi_rigid_soften, .impulse = impulse};

static void direction_of(const trxi_row_block *block, double l[3])
{
    const double *W_n = block->contact.W_n, lean = block->law == &leaning ? 1 / (W_n[2] + block->contact.sap.Rn) : 0;
    l[0] = lean * W_n[0], l[1] = lean * W_n[1], l[2] = 1;
}

static void set_lift(trxi_row_block *block, double lift)
{
    double l[3];
    direction_of(block, l);
    for (int r = 0; r < 3; r++) block->contact.level.held[r] = fmax(0, lift) * l[r];
}

// ---- Newton's method for the lifts ----

// changes of lift and impulse of a contact with its velocity
typedef struct answer {
    double T[3], k, F;      // direction of the slip, 0 where the contact sticks
    double M[3][3], f_0[3]; // of the impulse
} answer;

// s' - s and the direction of the slip
static answer slip_of(const trxi_row_block *block, const trxi_row_state *at)
{
    const double R = block->contact.sap.Rt, *lift = block->contact.level.held;
    const double u[2] = {at->v_c[0] + lift[0] + R * at->gamma[0], at->v_c[1] + lift[1] + R * at->gamma[1]};
    const double slip = hypot(u[0], u[1]);
    answer out = {.F = block->contact.mu * slip - lift[2]};
    if (!(at->branch & TRXI_SAP_STICK) && slip > 0) out.T[0] = u[0] / slip, out.T[1] = u[1] / slip;
    return out;
}

static answer answer_of(const trxi_row_block *block, const trxi_row_state *at)
{
    const double p = block->contact.level.most, mu = block->contact.mu, R = block->contact.sap.Rt;
    const trxi_sym3 *G = &at->G;
    const double rows[3][3] = {{G->xx, G->xy, G->xn}, {G->xy, G->yy, G->yn}, {G->xn, G->yn, G->nn}};
    answer out = slip_of(block, at);
    double l[3], Gl[3] = {0}, GT[3] = {0};
    direction_of(block, l);
    trxi_row_product(block, G, l, Gl);
    trxi_row_product(block, G, out.T, GT);
    out.k = p / (1 - p * mu * trxi_dot3(out.T, l));
    const double b = 1 / (1 + out.k * mu * R * trxi_dot3(out.T, Gl));
    for (int j = 0; j < 3; j++) {
        out.f_0[j] = -b * out.k * out.F * Gl[j];
        for (int i = 0; i < 3; i++) out.M[i][j] = rows[i][j] + b * out.k * mu * Gl[i] * (out.T[j] - R * GT[j]);
    }
    return out;
}

static void slope(const trxi_contact_problem *problem, const trxi_island *island, int k, trxi_sym3 *G, double skew[3])
{
    const trxi_row_block *block = &problem->blocks[k];
    *G = TRXI_STATE(problem, island->now, k)->G;
    if (!trxi_row_is_contact(block)) return;
    const answer a = answer_of(block, TRXI_STATE(problem, island->now, k));
    const double(*M)[3] = a.M;
    *G = (trxi_sym3){M[0][0], 0.5 * (M[0][1] + M[1][0]), M[1][1], 0.5 * (M[0][2] + M[2][0]), 0.5 * (M[1][2] + M[2][1]), M[2][2]};
    skew[0] = 0.5 * (M[2][1] - M[1][2]), skew[1] = 0.5 * (M[0][2] - M[2][0]), skew[2] = 0.5 * (M[1][0] - M[0][1]);
}

// square of F [J]
static double change_of_lifts(const trxi_contact_problem *problem, const trxi_island *island)
{
    double sum = 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        if (!trxi_row_is_contact(block)) continue;
        const double F = slip_of(block, TRXI_STATE(problem, island->now, k)).F;
        sum += F * F / trxi_impulses_weight(block, &problem->rows[k].W);
    }
    return sum;
}

// computes s->dv, the change of v by the step; returns false if the island is too large for an elimination, or if that fails
static bool change_of_velocity(const trxi_contact_problem *problem, trxi_island *island, double p, trxi_work *s)
{
    if (s->nv > TRXI_ACTIVE_SET_DOFS) return false;
    trxi_island_combine(island, s, NULL, 0, s->start, s->dv);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_block *block = &problem->blocks[k];
        if (!trxi_row_is_contact(block)) continue;
        block->contact.level.most = p;
        trxi_row_apply(block, answer_of(block, TRXI_STATE(problem, island->now, k)).f_0, s->dv);
    }
    const bool works = trxi_tangent_factorize_with(problem, island, slope, s) >= 0;
    if (works) trxi_hessian_solve(problem, island, s, 1, s->dv, s->nv);
    island->skewed = false;
    return works;
}

// computes the next lifts by an implicit step of the length h; takes the lifts s' if the step cannot be computed
static void move(const trxi_contact_problem *problem, trxi_island *island, double h, trxi_work *s)
{
    const bool implicit = change_of_velocity(problem, island, h / (1 + h), s);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_block *block = &problem->blocks[k];
        if (!trxi_row_is_contact(block)) continue;
        const answer a = answer_of(block, TRXI_STATE(problem, island->now, k));
        double dv_c[3] = {0}, ds = implicit ? a.k * a.F : a.F;
        trxi_row_project(block, s->dv, trxi_row_rest, dv_c);
        for (int i = 0; i < 2 && implicit; i++) {
            const double df = a.f_0[i] - trxi_dot3(a.M[i], dv_c);
            ds += a.k * block->contact.mu * a.T[i] * (dv_c[i] + block->contact.sap.Rt * df);
        }
        block->contact.level.before = block->contact.level.held[2];
        set_lift(block, block->contact.level.before + ds);
    }
}

static void go_back(const trxi_contact_problem *problem, const trxi_island *island)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_block *block = &problem->blocks[k];
        if (trxi_row_is_contact(block)) set_lift(block, block->contact.level.before);
    }
}

// ---- rounds ----

// steps along the flow
typedef struct flow {
    double before; // square of F at the last lifts [J]
    double best;   // square of F [J]
    double h;
    int since;     // rounds since F fell by a tenth
    bool known;    // growth of F is accepted in this round: it begins with restored lifts, or h is at its minimum
} flow;

static const double first_h = 1e6, shortest_h = 0.1, restart_h = 1, longest_h = 1e8;

// the lifts of the next round
static void advance(const trxi_contact_problem *problem, trxi_island *island, double change, flow *l, trxi_work *s)
{
    if (!l->known && !(change < 4 * l->before)) {
        go_back(problem, island);
        l->h = fmax(shortest_h, 0.01 * l->h), l->known = true;
        return;
    }
    l->since = change < 0.8 * l->best ? 0 : l->since + 1;
    l->best = fmin(l->best, change);
    if (!l->known) l->h = change < 1.02 * l->before ? fmin(longest_h, 4 * l->h) : fmax(shortest_h, 0.25 * l->h);
    if (l->since >= PATIENCE) l->h = restart_h, l->since = 0, l->best = change;
    l->before = change, l->known = l->h <= shortest_h;
    move(problem, island, l->h, s);
}

static trx_status lift_until_rest(const trxi_contact_problem *problem, trxi_island *island, const trxi_law *law,
                                  const trxi_solver_settings *settings, trxi_work *s)
{
    const double tolerance = s->stats.still;
    const trxi_solver_settings newton = {.tolerance = share_of_newton * tolerance, .max_iterations = settings->max_iterations,
                                         .backtracking = settings->backtracking};
    flow l = {.before = INFINITY, .best = INFINITY, .h = first_h};
    double best = INFINITY;
    trxi_island_use_law(problem, island, law == &trxi_raisim ? &leaning : law == &trxi_first_order ? &springs : &upright);
    for (int round = 0, since = 0; round < settings->max_sweeps; round++) {
        const trx_status status = trxi_newton_solve(problem, island, &newton, s);
        if (status < 0 && status != TRX_ERR_NOT_CONVERGED) return status;
        const double change = change_of_lifts(problem, island), size = trxi_impulses_size(island, s);
        s->stats.change = size > 0 ? sqrt(change / size) : 0;
        since = s->stats.change < 0.5 * best ? 0 : since + 1;
        best = fmin(best, s->stats.change);
        const double most = since >= PATIENCE ? settings->tolerance : tolerance;
        if (status >= 0 && s->stats.change <= most) return TRX_OK;
        advance(problem, island, change, &l, s);
    }
    return TRX_ERR_NOT_CONVERGED;
}

trx_status trxi_lifted_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                             trxi_work *s)
{
    const trxi_law *law = &trxi_ncp;
    if (!trxi_active_set_reserve(problem, s) || !trxi_impulses_begin(problem, island, s)) return TRX_ERR_MEMORY;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_block *block = &problem->blocks[k];
        if (!trxi_row_is_contact(block)) continue;
        law = block->law;
        block->contact.level = (trxi_level){.Rn = block->contact.sap.Rn};
    }
    s->stats.still = fmax(share * settings->tolerance, trxi_impulses_least);
    const trx_status status = island->block < 0 ? TRX_OK : lift_until_rest(problem, island, law, settings, s);
    if (!law->visit) trxi_impulses_finish(problem, island, settings->tolerance, s);
    trxi_island_use_law(problem, island, law);
    if (!law->visit) return status;

    // Newton leaves the rounding of v_c/R in impulses; springs do not
    if (status == TRX_OK) trxi_active_set(problem, island, settings->tolerance, s);
    trxi_impulses_finish(problem, island, settings->tolerance, s);
    return status;
}
