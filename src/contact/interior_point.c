// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Primal-dual interior-point method with Mehrotra's predictor and corrector (theory 4, the model dojo). A contact has
//
//     gamma, s >= 0      s = v_n - v_hat                            gamma s = kappa
//     b, e in Q          b_1 = mu gamma, e_(2,3) = v_t              b o e = kappa (1, 0, 0)      impulse (b_2, b_3, gamma)
//
// with Q the second-order cone and o its product. A Newton step of a contact is affine in the change of its velocity, so contacts
// leave the system: K dv = -r + J^T f_0, K = A + J^T G J, where f_0 is the change of the impulse at dv = 0. G is not symmetric: K
// is factorized by elimination with row exchanges, once for predictor and corrector. Blocks without a cone keep their laws.
//
// If no direction gives progress, contacts return to the path at larger products. From the third time on, the method follows
// the path by Newton's method for targets that fall tenfold, from a start whose products are 1e4 times larger each time.

#include "contact/island_solvers.h"

#include "contact/balance.h"
#include "contact/hessian.h"
#include "contact/islands.h"
#include "contact/rounding.h"

#include <string.h>

// balance and products must be within this share of the tolerance, because derivatives are computed from the solution
static const double share = 1e-4;

static bool has_cone(const trxi_row_block *block)
{
    return block->law == &trxi_dojo;
}

// ---- one contact ----

// changes that a Newton step must make: in the linear conditions (s, b_1, e_t) and in the products
typedef struct demand {
    double s, b, e[2], normal, cone[3];
} demand;

static void cone_product(const double b[3], const double e[3], double out[3])
{
    out[0] = b[0] * e[0] + b[1] * e[1] + b[2] * e[2];
    out[1] = b[0] * e[1] + e[0] * b[1], out[2] = b[0] * e[2] + e[0] * b[2];
}

static demand demand_of(const trxi_row_block *block, const trxi_cone_pair *x, const double *v_c, double kappa)
{
    const double mu = block->contact.mu;
    demand d = {.s = v_c[2] - block->contact.sap.v_hat - x->s, .normal = kappa - x->gamma * x->s};
    if (!(mu > 0)) return d;
    cone_product(x->b, x->e, d.cone);
    d.b = mu * x->gamma - x->b[0];
    for (int i = 0; i < 2; i++) d.e[i] = v_c[i] - x->e[1 + i];
    for (int i = 0; i < 3; i++) d.cone[i] = (i == 0 ? kappa : 0) - d.cone[i];
    return d;
}

// the Newton step for the change dv of v_c
static trxi_cone_pair newton_step(double mu, const trxi_cone_pair *x, const demand *d, const double dv[3])
{
    trxi_cone_pair out = {.s = dv[2] + d->s};
    out.gamma = (d->normal - x->gamma * out.s) / x->s;
    if (!(mu > 0)) return out;
    const double *b = x->b, *e = x->e;
    out.b[0] = mu * out.gamma + d->b;
    double rest = d->cone[0] - e[0] * out.b[0], slope = b[0];
    for (int i = 1; i < 3; i++) {
        out.e[i] = dv[i - 1] + d->e[i - 1];
        out.b[i] = (d->cone[i] - e[i] * out.b[0] - b[0] * out.e[i]) / e[0];
        rest -= e[i] * out.b[i] + b[i] * out.e[i];
        slope -= e[i] * b[i] / e[0];
    }
    out.e[0] = rest / slope;
    for (int i = 1; i < 3; i++) out.b[i] -= b[i] / e[0] * out.e[0];
    return out;
}

static void impulse_of(const trxi_cone_pair *x, double f[3])
{
    f[0] = x->b[1], f[1] = x->b[2], f[2] = x->gamma;
}

static trxi_cone_pair moved(const trxi_cone_pair *x, double alpha, const trxi_cone_pair *dx)
{
    trxi_cone_pair out = {.gamma = x->gamma + alpha * dx->gamma, .s = x->s + alpha * dx->s};
    for (int i = 0; i < 3; i++) out.b[i] = x->b[i] + alpha * dx->b[i], out.e[i] = x->e[i] + alpha * dx->e[i];
    return out;
}

// largest alpha with x + alpha d in Q
static double within_cone(const double x[3], const double d[3])
{
    const double C = x[0] * x[0] - x[1] * x[1] - x[2] * x[2], B = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    const double A = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], square = B * B - A * C;
    const double root = square >= 0 ? sqrt(square) - B : 0;
    return root > 0 ? C / root : INFINITY;
}

static double longest(double mu, const trxi_cone_pair *x, const trxi_cone_pair *dx)
{
    double most = dx->gamma < 0 ? -x->gamma / dx->gamma : INFINITY;
    if (dx->s < 0) most = fmin(most, -x->s / dx->s);
    return mu > 0 ? fmin(most, fmin(within_cone(x->b, dx->b), within_cone(x->e, dx->e))) : most;
}

// G + [skew]x = -d impulse/d v_c, column by column
static void slope(const trxi_contact_problem *problem, const trxi_island *island, int k, trxi_sym3 *G, double skew[3])
{
    const trxi_row_block *block = &problem->blocks[k];
    if (!has_cone(block)) {
        *G = TRXI_STATE(problem, island->now, k)->G;
        return;
    }
    static const demand none = {0};
    double M[3][3];
    for (int c = 0; c < 3; c++) {
        const double dv[3] = {c == 0, c == 1, c == 2};
        const trxi_cone_pair d = newton_step(block->contact.mu, &problem->cones[k].x, &none, dv);
        impulse_of(&d, M[c]);
    }
    *G = (trxi_sym3){-M[0][0], -0.5 * (M[0][1] + M[1][0]), -M[1][1], -0.5 * (M[0][2] + M[2][0]), -0.5 * (M[1][2] + M[2][1]),
                     -M[2][2]};
    skew[0] = -0.5 * (M[1][2] - M[2][1]), skew[1] = -0.5 * (M[2][0] - M[0][2]), skew[2] = -0.5 * (M[0][1] - M[1][0]);
}

// ---- the island ----

// the point of the cones near the velocity v_c whose products are nu
static trxi_cone_pair central_point(const trxi_row_block *block, const double *v_c, double nu)
{
    const double mu = block->contact.mu, s = fmax(v_c[2] - block->contact.sap.v_hat, sqrt(nu * block->w)), m = mu * nu / s;
    if (!(mu > 0)) return (trxi_cone_pair){.gamma = nu / s, .s = s};
    const double half = 0.5 * nu / m, e = half + sqrt(half * half + v_c[0] * v_c[0] + v_c[1] * v_c[1]);
    return (trxi_cone_pair){nu / s, s, {m, -m * v_c[0] / e, -m * v_c[1] / e}, {e, v_c[0], v_c[1]}};
}

// starts inside the cones with products of at least kappa. The products follow from the mass of the contact and from the velocity
// that the contact must stop
static void begin(const trxi_contact_problem *problem, trxi_island *island)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        if (!has_cone(block)) continue;
        double v_c[3] = {0};
        trxi_row_project(block, island->now->v, block->bias, v_c);
        const double mu = block->contact.mu, least = fmax(0.1, sqrt(block->contact.kappa * block->w));
        const double speed = fmax(least, fabs(v_c[2] - block->contact.sap.v_hat)), gamma = speed / block->w;
        const double central = mu > 0 ? speed / mu : speed, slip = fmax(central, 1.5 * hypot(v_c[0], v_c[1]));
        problem->cones[k].x = (trxi_cone_pair){gamma, speed, {mu * gamma, 0, 0}, {slip, v_c[0], v_c[1]}};
    }
}

// the balance of the iterate `now`
static void evaluate(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    trxi_iterate *at = island->now;
    trxi_island_mass(problem, island, s, at->v, at->p);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        trxi_row_state *state = TRXI_STATE(problem, at, k);
        trxi_row_project(block, at->v, block->bias, state->v_c);
        if (has_cone(block)) impulse_of(&problem->cones[k].x, state->gamma);
        else block->law->impulse(block, problem->law.dt, state);
    }
    at->sums = 0;
    trxi_balance_collect(problem, island, s, at);
}

// distance from the point kappa of the central path, as an energy
static double distance(const trxi_contact_problem *problem, const trxi_island *island, double kappa, const trxi_work *s)
{
    double sum = 0;
    for (int i = 0; i < trxi_island_runs(island); i++) {
        const trxi_dof_run dofs = trxi_island_run(island, s, i);
        for (int k = dofs.first; k < dofs.end; k++) sum += s->E2[k] * island->now->r[k] * island->now->r[k];
    }
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        if (!has_cone(block)) continue;
        const demand d = demand_of(block, &problem->cones[k].x, TRXI_STATE(problem, island->now, k)->v_c, kappa);
        sum += (d.s * d.s + d.e[0] * d.e[0] + d.e[1] * d.e[1]) / block->w + d.b * d.b * block->w;
        sum += (d.normal * d.normal + d.cone[0] * d.cone[0] + d.cone[1] * d.cone[1] + d.cone[2] * d.cone[2]) / kappa;
    }
    return sum;
}

// bound of the rounding in v_c
static double rounding_of(const trxi_row_block *block, const double *v)
{
    static const double rounding = 1e-14;
    double sum = fabs(block->contact.sap.v_hat);
    for (int r = 0; r < 3; r++) sum += fabs(block->bias[r]);
    for (int i = 0; i < 3 * block->ncol; i++) sum += fabs(block->J[i] * v[block->cols[i / 3]]);
    return rounding * sum;
}

// the contacts are at the point kappa, up to rounding
static bool is_central(const trxi_contact_problem *problem, const trxi_island *island, double tolerance)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        if (!has_cone(block)) continue;
        const trxi_cone_pair *x = &problem->cones[k].x;
        const double *v_c = TRXI_STATE(problem, island->now, k)->v_c, kappa = block->contact.kappa;
        const demand d = demand_of(block, x, v_c, kappa);
        const double slack = rounding_of(block, island->now->v), most = tolerance * kappa + slack * (x->gamma + x->b[0]);
        bool central = fabs(d.s) <= tolerance * x->s + slack && fabs(d.b) <= tolerance * x->b[0] && fabs(d.normal) <= most;
        for (int i = 0; i < 2; i++) central = central && fabs(d.e[i]) <= tolerance * x->e[0] + slack;
        for (int i = 0; i < 3; i++) central = central && fabs(d.cone[i]) <= most;
        if (!central) return false;
    }
    return true;
}

// mean of the products after a step alpha
static double mean_product(const trxi_contact_problem *problem, const trxi_island *island, double alpha)
{
    double sum = 0;
    int count = 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        if (!has_cone(&problem->blocks[k])) continue;
        const trxi_cone_pair x = moved(&problem->cones[k].x, alpha, &problem->cones[k].dx);
        sum += x.gamma * x.s, count++;
        if (!(problem->blocks[k].contact.mu > 0)) continue;
        sum += x.b[0] * x.e[0] + x.b[1] * x.e[1] + x.b[2] * x.e[2], count++;
    }
    return count ? sum / count : 0;
}

// the smallest product of all cones; of a friction cone the geometric mean of the eigenvalues of its products
static double least_product(const trxi_contact_problem *problem, const trxi_island *island)
{
    double least = INFINITY;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        if (!has_cone(&problem->blocks[k])) continue;
        const trxi_cone_pair *x = &problem->cones[k].x;
        least = fmin(least, x->gamma * x->s);
        if (!(problem->blocks[k].contact.mu > 0)) continue;
        const double b = x->b[0] * x->b[0] - x->b[1] * x->b[1] - x->b[2] * x->b[2];
        const double e = x->e[0] * x->e[0] - x->e[1] * x->e[1] - x->e[2] * x->e[2];
        least = fmin(least, b > 0 && e > 0 ? sqrt(b * e) : 0);
    }
    return least;
}

static double longest_step(const trxi_contact_problem *problem, const trxi_island *island)
{
    double most = INFINITY;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        if (has_cone(&problem->blocks[k]))
            most = fmin(most, longest(problem->blocks[k].contact.mu, &problem->cones[k].x, &problem->cones[k].dx));
    return most;
}

// second-order products of the last direction, which the corrector subtracts
static void keep_products(const trxi_contact_problem *problem, const trxi_island *island)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_cone_work *c = &problem->cones[k];
        if (!has_cone(&problem->blocks[k])) continue;
        c->second[0] = c->dx.gamma * c->dx.s;
        cone_product(c->dx.b, c->dx.e, c->second + 1);
    }
}

static demand demand_at(const trxi_contact_problem *problem, const trxi_island *island, int k, double kappa, bool corrects)
{
    const trxi_cone_work *c = &problem->cones[k];
    demand d = demand_of(&problem->blocks[k], &c->x, TRXI_STATE(problem, island->now, k)->v_c, kappa);
    if (!corrects) return d;
    d.normal -= c->second[0];
    for (int i = 0; i < 3; i++) d.cone[i] -= c->second[1 + i];
    return d;
}

// Newton direction towards the point kappa: s->dv and dx of every contact
static void find_direction(const trxi_contact_problem *problem, trxi_island *island, double kappa, bool corrects, trxi_work *s)
{
    static const double rest[3] = {0, 0, 0};
    trxi_island_combine(island, s, NULL, -1, island->now->r, s->dv);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        if (!has_cone(block)) continue;
        const demand d = demand_at(problem, island, k, kappa, corrects);
        const trxi_cone_pair still = newton_step(block->contact.mu, &problem->cones[k].x, &d, rest);
        double f[3];
        impulse_of(&still, f);
        trxi_row_apply(block, f, s->dv);
    }
    trxi_hessian_solve(problem, island, s, 1, s->dv, s->nv);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        if (!has_cone(block)) continue;
        const demand d = demand_at(problem, island, k, kappa, corrects);
        double dv_c[3] = {0};
        trxi_row_project(block, s->dv, trxi_row_rest, dv_c);
        problem->cones[k].dx = newton_step(block->contact.mu, &problem->cones[k].x, &d, dv_c);
    }
}

static void move(const trxi_contact_problem *problem, trxi_island *island, double alpha, trxi_work *s)
{
    trxi_island_combine(island, s, island->now->v, alpha, s->dv, island->now->v);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        if (has_cone(&problem->blocks[k])) problem->cones[k].x = moved(&problem->cones[k].x, alpha, &problem->cones[k].dx);
    evaluate(problem, island, s);
}

// moves contacts that came too near to the boundary of their cones back to products nu
static void recentre(const trxi_contact_problem *problem, trxi_island *island, double nu, trxi_work *s)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        if (has_cone(&problem->blocks[k]))
            problem->cones[k].x = central_point(&problem->blocks[k], TRXI_STATE(problem, island->now, k)->v_c, nu);
    evaluate(problem, island, s);
}

static bool is_better(const trxi_contact_problem *problem, const trxi_island *island, double kappa, double before, double least,
                      const trxi_work *s)
{
    return distance(problem, island, kappa, s) <= before && least_product(problem, island) >= least;
}

// steps along the direction within the cones; halves the step while the distance from the path grows or a product falls below a
// hundredth of kappa; returns to the start if no length helps. Returns the length of the step
static double advance(const trxi_contact_problem *problem, trxi_island *island, double kappa, int halvings, trxi_work *s)
{
    const double before = distance(problem, island, kappa, s), least = fmin(0.01 * kappa, least_product(problem, island));
    double alpha = fmin(1, fmax(0.95, 1 - before / kappa) * longest_step(problem, island));
    move(problem, island, alpha, s);
    bool better = is_better(problem, island, kappa, before, least, s);
    for (int i = 0; i < halvings && !better; i++) {
        alpha *= 0.5;
        move(problem, island, -alpha, s);
        better = is_better(problem, island, kappa, before, least, s);
    }
    if (better) return alpha;
    move(problem, island, -alpha, s);
    return 0;
}

// how the method follows the path
typedef struct path {
    int jams;      // number of times without progress in any direction
    double far;    // products at the last distant start
    double target; // 0: predictor and corrector choose
} path;

enum { CORRECTOR_HALVINGS = 2, NEWTON_HALVINGS = 30, NEAR_JAMS = 2 };
static const double jammed = 0.01; // length of a step that counts as no progress

// predictor towards kappa, then corrector towards the point of the path that the predictor permits; returns the length of the step
static double correct(const trxi_contact_problem *problem, trxi_island *island, double nu, double *target, trxi_work *s)
{
    const double kappa = problem->law.kappa;
    find_direction(problem, island, kappa, false, s);
    const double after = mean_product(problem, island, fmin(1, longest_step(problem, island)));
    const double ratio = nu > 0 ? fmin(1, fmax(0, after / nu)) : 0;
    *target = fmax(kappa, nu * ratio * ratio * ratio);
    keep_products(problem, island);
    find_direction(problem, island, *target, true, s);
    return advance(problem, island, *target, CORRECTOR_HALVINGS, s);
}

// chooses the products at which contacts return to the path after a jam
static double jam(double kappa, double nu, double target, path *p)
{
    if (++p->jams <= NEAR_JAMS) return 10 * fmax(nu, target);
    p->far = 1e4 * fmax(p->far, kappa);
    return p->target = fmax(p->far, nu);
}

// one iteration: a step of the corrector, or a Newton step without second-order products if these lead away from the path
static trx_status iterate(const trxi_contact_problem *problem, trxi_island *island, path *p, trxi_work *s)
{
    static const double full = 0.9;
    const double kappa = problem->law.kappa, nu = mean_product(problem, island, 0);
    const trx_status status = trxi_tangent_factorize_with(problem, island, slope, s);
    if (status < 0) return status;
    double target = p->target, length = target > 0 ? 0 : correct(problem, island, nu, &target, s);
    if (length < jammed) {
        find_direction(problem, island, target, false, s);
        length = advance(problem, island, target, NEWTON_HALVINGS, s);
    }
    if (length < jammed) recentre(problem, island, jam(kappa, nu, target, p), s);
    else if (length > full && p->target > 0) p->target = fmax(kappa, 0.1 * p->target);
    s->stats.iterations++;
    return TRX_OK;
}

trx_status trxi_interior_point_solve(const trxi_contact_problem *problem, trxi_island *island,
                                     const trxi_solver_settings *settings, trxi_work *s)
{
    const double tolerance = fmax(share * settings->tolerance, 1e-12);
    trxi_verdict verdict = {.residual = INFINITY};
    trx_status status = TRX_OK;
    path p = {0};
    begin(problem, island);
    evaluate(problem, island, s);
    island->swept = true;
    while (status >= 0) {
        const bool central = is_central(problem, island, tolerance);
        if (!trxi_island_finite(island, s, island->now->r)) return TRX_ERR_NOT_FINITE;
        trxi_rounding_judge(problem, island, tolerance, central, s, &verdict);
        if (central && verdict.settled) return verdict.within ? TRX_OK : TRX_ROUND_OFF;
        if (s->stats.iterations == settings->max_iterations) return TRX_ERR_NOT_CONVERGED;
        status = iterate(problem, island, &p, s);
    }
    return status;
}
