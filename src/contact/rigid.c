// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Rigid contact points (theory 4). The impulse f and c = v_c + R f - v_hat e_n, R = compliance w I, satisfy
//
//     ccp   f in K, c in K*, f . c = 0
//     ncp   f_n >= 0, c_n >= 0, f_n c_n = 0;   |f_t| <= mu f_n, and f_t opposes c_t at the bound where c_t is not 0
//     lcp   the same, with f_t in a regular polygon around the circle of the radius mu f_n: a pyramid (pyramid.h)
//
// K is the friction cone, K* its dual. The small R makes the impulses unique. With these constants, ccp has the law and the
// slope of sap. ncp and lcp have no potential. Their derivatives follow from the branches (stick, slide, open) at the solution.
// With t = f_t/f_n, |t| = mu, for friction at its bound
//
//     stick   df_t = -dv_t/R        slide   df_t = t df_n - (mu f_n/|v_t|) (1 - t t^T/mu^2) dv_t        df_n = -(dv_n - dv_hat)/R
//
// for ncp. In lcp f_t slides at a corner, or slides across a face and sticks along the face, without the term by dv_t; the pyramid
// turns with the tangents of the frame. At a border, the side of the last visit counts: an element of Clarke's derivative.

#include "contact/rigid.h"

#include "contact/cone.h"
#include "contact/pyramid.h"
#include "math/vec3.h"

// R of the first stage of a continuation / R of the step. With the compliance 3e-8 Newton converges at the first stage
static const double softest = 5e5; // [1]

// R falls with the stages of a continuation
bool trxi_rigid_soften(trxi_row_block *block, const trxi_law_settings *settings, double soft)
{
    const double factor = fmax(1, softest * soft);
    block->contact.sap.Rn = block->contact.sap.Rt = factor * settings->compliance * block->w;
    return factor > 1;
}

void trxi_rigid_prepare(trxi_row_block *block, const trxi_law_settings *settings)
{
    block->decided = TRXI_RIGID | (trxi_rigid_is_behind(block) ? TRXI_BEHIND : 0);
    block->soft = block->soft_wanted = 0;
    block->contact.sap.v_hat = trxi_rigid_target(block);
    block->contact.sides = settings->sides;
    trxi_rigid_soften(block, settings, 0);
}

trxi_rigid_local trxi_rigid_local_problem(const trxi_row_block *block, const trxi_sym3 *W, const trxi_row_state *at)
{
    const double R = block->contact.sap.Rn;
    trxi_rigid_local problem = {.D = *W};
    problem.D.xx += R, problem.D.yy += R, problem.D.nn += R;
    for (int i = 0; i < 3; i++) problem.c[i] = at->v_c[i] + R * at->gamma[i];
    problem.c[2] -= block->contact.sap.v_hat;
    return problem;
}

// larger eigenvalue of the tangential part of D
static double tangential(const trxi_sym3 *D)
{
    return 0.5 * (D->xx + D->yy) + trxi_norm2(0.5 * (D->xx - D->yy), D->xy);
}

// ---- a contact alone ----

// a visit solves f = T(f) by Newton's method. If a step of Newton's method does not halve T(f) - f, plain steps f' = T(f)
// follow until T(f) - f has halved
enum { MOST_STEPS = 40, MOST_PASSES = 12 };
static const double settled = 1e-14; // largest T(f) - f at the solution, relative to f [1]

static bool takes_newtons_step(double moved, double *wanted)
{
    if (moved > *wanted) return false;
    *wanted = 0.5 * moved;
    return true;
}

// x of A x = b by Cramer's rule; not finite where A is singular
static void solve_3x3(const double a[9], const double b[3], double x[3])
{
    double c[3][3];
    for (int i = 0; i < 3; i++) trxi_cross3(a + 3 * ((i + 1) % 3), a + 3 * ((i + 2) % 3), c[i]);
    const double det = trxi_dot3(a, c[0]);
    for (int i = 0; i < 3; i++) x[i] = trxi_dot3(c[i], b) / det;
}

// the bound of a law clamps f_t and returns the branch of friction
typedef int rigid_bound(const trxi_contact *contact, double f[3]);

static int bound_by_cone(const trxi_contact *contact, double f[3])
{
    const double mu = contact->mu, r = trxi_norm2(f[0], f[1]), most = mu * f[2];
    if (r <= most && mu > 0) return TRXI_SAP_STICK;
    const double scale = r > 0 ? fmin(1, most / r) : 0;
    f[0] *= scale, f[1] *= scale;
    return TRXI_SAP_SLIDE;
}

static int bound_by_pyramid(const trxi_contact *contact, double f[3])
{
    return trxi_pyramid_bound(contact->sides, contact->mu * f[2], f);
}

// takes the impulse of c = 0 if it is within its bound: the contact then sticks. c belongs to the last impulse
static bool sticks(const trxi_row_block *block, const trxi_sym3 *D, const double c[3], rigid_bound *bound, trxi_row_state *at)
{
    const double columns[9] = {D->xx, D->xy, D->xn, D->xy, D->yy, D->yn, D->xn, D->yn, D->nn};
    double change[3], f[3];
    solve_3x3(columns, c, change);
    trxi_sub3(at->gamma, change, f);
    if (!(f[2] > 0) || bound(&block->contact, f) != TRXI_SAP_STICK) return false;
    trxi_copy3(f, at->gamma);
    at->branch = TRXI_SAP_STICK;
    return true;
}

// ---- ccp ----

// P(f) and its slope; returns the branch
static int project_on_cone(double mu, double f[3], trxi_sym3 *slope)
{
    const double r = trxi_norm2(f[0], f[1]);
    *slope = (trxi_sym3){.xx = 1, .yy = 1, .nn = 1};
    if (f[2] > 0 && r <= mu * f[2]) return mu > 0 ? TRXI_SAP_STICK : TRXI_SAP_SLIDE;
    const double share = 1 / (1 + mu * mu), n = mu * r <= -f[2] ? 0 : share * (f[2] + mu * r);
    const double t[2] = {r > 0 ? mu * f[0] / r : 0, r > 0 ? mu * f[1] / r : 0};
    f[0] = t[0] * n, f[1] = t[1] * n, f[2] = n;
    *slope = (trxi_sym3){0};
    if (!(n > 0)) return 0;
    *slope = (trxi_sym3){share * t[0] * t[0], share * t[0] * t[1], share * t[1] * t[1], share * t[0], share * t[1], share};
    if (r > 0 && mu > 0) trxi_add_projector(mu * n / r, t[0] / mu, t[1] / mu, slope);
    return TRXI_SAP_SLIDE;
}

// d of (1 - P' (1 - D/L)) d = change
static void newton_step(const trxi_row_block *block, const trxi_sym3 *P, const trxi_sym3 *D, double L, const double change[3],
                        double d[3])
{
    const double rows[3][3] = {{D->xx, D->xy, D->xn}, {D->xy, D->yy, D->yn}, {D->xn, D->yn, D->nn}};
    double columns[9];
    for (int j = 0; j < 3; j++) {
        double rest[3], by[3] = {0};
        for (int i = 0; i < 3; i++) rest[i] = (i == j) - rows[i][j] / L;
        trxi_row_product(block, P, rest, by);
        for (int i = 0; i < 3; i++) columns[i + 3 * j] = (i == j) - by[i];
    }
    solve_3x3(columns, change, d);
}

// projected gradient with the step 1/L, where L is the largest row sum, an upper bound of the largest eigenvalue. If W is a
// multiple of the identity, one step is exact
static void visit_ccp(const trxi_row_block *block, const trxi_sym3 *W, trxi_row_state *at)
{
    trxi_rigid_local p = trxi_rigid_local_problem(block, W, at);
    const trxi_sym3 *D = &p.D;
    const double xy = fabs(D->xy), xn = fabs(D->xn), yn = fabs(D->yn);
    const double L = fmax(D->xx + xy + xn, fmax(D->yy + xy + yn, D->nn + xn + yn));
    const bool is_multiple = D->xx == L && D->yy == L && D->nn == L;
    double *f = at->gamma, *c = p.c, wanted = INFINITY;
    if (!is_multiple && sticks(block, D, c, bound_by_cone, at)) return;
    for (int i = 0; i < MOST_STEPS; i++) {
        double next[3], change[3], d[3], dc[3] = {0};
        trxi_sym3 slope;
        for (int r = 0; r < 3; r++) next[r] = f[r] - c[r] / L;
        at->branch = project_on_cone(block->contact.mu, next, &slope);
        trxi_sub3(next, f, change);
        const double moved = trxi_norm3(change);
        if (is_multiple || moved <= settled * trxi_norm3(next) || i == MOST_STEPS - 1) {
            trxi_copy3(next, f);
            return;
        }
        trxi_copy3(change, d);
        if (takes_newtons_step(moved, &wanted)) newton_step(block, &slope, D, L, change, d);
        trxi_row_product(block, D, d, dc);
        for (int r = 0; r < 3; r++) f[r] += d[r], c[r] += dc[r];
    }
}

static double kink(const trxi_row_block *block, const trxi_law_settings *settings)
{
    (void)settings;
    const double border = trxi_cone_kink(block, trxi_rigid_horizon(block));
    return block->at.branch ? fmin(border, trxi_rigid_kink(block)) : border;
}

// dR/R = dw/w in all directions
static void partials(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    (void)settings;
    const double rate = 1 / block->w;
    trxi_cone_partials(block, trxi_rigid_horizon(block), block->contact.between.behind, rate, rate, out);
}

// rigid contact depends on friction alone
static void parameter(const trxi_row_block *block, const trxi_law_settings *settings, trx_parameter_kind p, double *gamma_theta)
{
    const bool of_force = p == TRX_PAIR_STIFFNESS || p == TRX_PAIR_RELAXATION_TIME;
    if (!of_force) trxi_sap.parameter(block, settings, p, gamma_theta);
    else gamma_theta[0] = gamma_theta[1] = gamma_theta[2] = 0;
}

// ---- ncp and lcp ----

// friction on a branch
typedef struct friction {
    double sticks[3]; // projector on the directions that stick: xx, xy, yy
    double t[2];      // friction at its bound per normal impulse, f_t / f_n, without the part that sticks
    bool turns;       // at a round bound, where f_t turns with the slip
} friction;

static friction friction_of(const trxi_contact *contact, int branch, const double f[3])
{
    const int k = trxi_pyramid_number(branch);
    const bool round = !(branch & (TRXI_FACE | TRXI_CORNER));
    const double r = trxi_norm2(f[0], f[1]);
    friction out = {.turns = branch & TRXI_SAP_SLIDE && round && contact->mu * f[2] > 0};
    trxi_pyramid_sticks(contact->sides, branch, out.sticks);
    if (branch & TRXI_FACE) trxi_pyramid_normal(contact->sides, k, out.t);
    if (branch & TRXI_CORNER) trxi_pyramid_corner(contact->sides, k, out.t);
    for (int i = 0; i < 2; i++) {
        if (branch & TRXI_SAP_SLIDE && round) out.t[i] = r > 0 ? f[i] / r : 0;
        out.t[i] *= contact->mu;
    }
    return out;
}

// a pass computes the normal impulse first, then friction under its bound. It is a map of f_t alone:
//
//     n = -(D_nt f_t + b_n)/D_nn      y = f_t - (D_tt f_t + D_tn n + b_t)/L      T = y, or mu n y/|y| or S y + mu n t at the bound
//
// The step d_t solves (1 - T') d_t = T - f_t, and d_n is the change of n
static void newton_step_of_pass(const trxi_contact *contact, int branch, const trxi_sym3 *D, double L, const double y[2],
                                const double next[3], const double change[3], double d[3])
{
    const friction at = friction_of(contact, branch, next);
    const double mu = contact->mu, *S = at.sticks;
    const double h[2] = {branch ? -D->xn / D->nn : 0, branch ? -D->yn / D->nn : 0}, D_t[2][2] = {{D->xx, D->xy}, {D->xy, D->yy}};
    const double D_n[2] = {D->xn, D->yn};
    trxi_sym3 P = {.xx = S[0], .xy = S[1], .yy = S[2]};
    if (at.turns) trxi_add_projector(mu * next[2] / trxi_norm2(y[0], y[1]), at.t[0] / mu, at.t[1] / mu, &P);
    const double rows[2][2] = {{P.xx, P.xy}, {P.xy, P.yy}};
    double M[2][2], dy[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) dy[i][j] = (i == j) - (D_t[i][j] + D_n[i] * h[j]) / L;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) M[i][j] = (i == j) - (rows[i][0] * dy[0][j] + rows[i][1] * dy[1][j]) - at.t[i] * h[j];
    const double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    d[0] = (M[1][1] * change[0] - M[0][1] * change[1]) / det;
    d[1] = (M[0][0] * change[1] - M[1][0] * change[0]) / det;
    d[2] = change[2] + h[0] * d[0] + h[1] * d[1];
}

// returns whether the contact does not wedge in any direction; the factor sqrt(2) covers the corners of a square
static bool has_one_solution(const trxi_contact *contact, const trxi_sym3 *D)
{
    return 2 * contact->mu * contact->mu * (D->xn * D->xn + D->yn * D->yn) < D->nn * D->nn;
}

// if W is a multiple of the identity, one pass is exact. If the contact may have several solutions, passes may not converge:
// the visit is then a single pass, so that sweeps end when passes change nothing
static void visit_in_turn(const trxi_row_block *block, const trxi_sym3 *W, rigid_bound *bound, trxi_row_state *at)
{
    trxi_rigid_local p = trxi_rigid_local_problem(block, W, at);
    const trxi_sym3 *D = &p.D;
    const bool is_multiple = D->xx == D->yy && D->xy == 0 && D->xn == 0 && D->yn == 0;
    const double L = is_multiple ? D->xx : tangential(D);
    double *f = at->gamma, *c = p.c, wanted = INFINITY, found[3] = {0};
    if (!is_multiple && has_one_solution(&block->contact, D) && sticks(block, D, c, bound, at)) return;
    for (int i = 0; i < MOST_PASSES; i++) {
        const double n = fmax(0, f[2] - c[2] / D->nn), dn = n - f[2];
        const double y[2] = {f[0] - (c[0] + D->xn * dn) / L, f[1] - (c[1] + D->yn * dn) / L};
        double next[3] = {y[0], y[1], n}, change[3], d[3], dc[3] = {0};
        const int bounded = bound(&block->contact, next), branch = n > 0 ? bounded : 0;
        trxi_sub3(next, f, change);
        const double moved = is_multiple ? 0 : trxi_norm3(change);
        const bool is_end = is_multiple || moved <= settled * trxi_norm3(next);
        if (i == 0 || is_end) trxi_copy3(next, found), at->branch = branch;
        if (is_end) break;
        trxi_copy3(change, d);
        if (takes_newtons_step(moved, &wanted)) newton_step_of_pass(&block->contact, branch, D, L, y, next, change, d);
        trxi_row_product(block, D, d, dc);
        for (int r = 0; r < 3; r++) f[r] += d[r], c[r] += dc[r];
    }
    trxi_copy3(found, f);
}

static void visit_ncp(const trxi_row_block *block, const trxi_sym3 *W, trxi_row_state *at)
{
    visit_in_turn(block, W, bound_by_cone, at);
}

static void visit_lcp(const trxi_row_block *block, const trxi_sym3 *W, trxi_row_state *at)
{
    visit_in_turn(block, W, bound_by_pyramid, at);
}

// f = -v_c/R within the bounds
static void impulse(const trxi_row_block *block, rigid_bound *bound, trxi_row_state *at)
{
    const trxi_cone_point y = trxi_cone_project(block, at->v_c);
    const double n = fmax(0, y.n);
    at->gamma[0] = y.t[0], at->gamma[1] = y.t[1], at->gamma[2] = n;
    const int branch = bound(&block->contact, at->gamma);
    at->G = (trxi_sym3){0};
    at->branch = n > 0 ? branch : 0;
}

static void impulse_ncp(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    (void)dt;
    impulse(block, bound_by_cone, at);
}

static void impulse_lcp(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    (void)dt;
    impulse(block, bound_by_pyramid, at);
}

// ---- derivatives of ncp and lcp ----

// G_tn = t/R_n, G_nt = 0: half in G, half in skew. Round friction at its bound turns with the slip
void trxi_bounds_slope(const trxi_row_block *block, double Rt, double Rn, trxi_sym3 *G, double skew[3])
{
    const int branch = block->at.branch;
    const double stiff = branch ? 1 / Rn : 0, half = 0.5 * stiff, mu = block->contact.mu, most = mu * block->at.gamma[2];
    const friction f = friction_of(&block->contact, branch, block->at.gamma);
    *G = (trxi_sym3){f.sticks[0] / Rt, f.sticks[1] / Rt, f.sticks[2] / Rt, half * f.t[0], half * f.t[1], stiff};
    skew[0] = -half * f.t[1], skew[1] = half * f.t[0], skew[2] = 0;
    if (!f.turns) return;
    trxi_add_projector(most / fmax(hypot(block->at.v_c[0], block->at.v_c[1]), Rt * most), f.t[0] / mu, f.t[1] / mu, G);
}

// friction at its bound changes with the normal impulse
void trxi_bounds_partials(const trxi_row_block *block, double by_phi, double by_vn0, trxi_law_partials *out)
{
    if (!block->at.branch) return;
    const double mu = block->contact.mu;
    const friction f = friction_of(&block->contact, block->at.branch, block->at.gamma);
    const double by_n[3] = {f.t[0], f.t[1], 1};
    for (int i = 0; i < 3; i++) out->phi[i] = by_phi * by_n[i], out->vn0[i] = by_vn0 * by_n[i];
    for (int i = 0; i < 2 && mu > 0; i++) out->mu[i] = by_n[i] / mu * block->at.gamma[2];
}

void trxi_bounds_parameter(const trxi_row_block *block, double dn, double dmu, double *gamma_theta)
{
    trxi_law_partials d = {0};
    trxi_bounds_partials(block, dn, 0, &d);
    for (int i = 0; i < 3; i++) gamma_theta[i] = d.phi[i] + d.mu[i] * dmu;
}

static void slope_by_bounds(const trxi_row_block *block, trxi_sym3 *G, double skew[3])
{
    trxi_bounds_slope(block, block->contact.sap.Rn, block->contact.sap.Rn, G, skew);
}

// v_hat moves the normal impulse; every impulse has the factor 1/R
static void partials_by_bounds(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    (void)settings;
    const double fall = -1 / (block->contact.sap.Rn * trxi_rigid_horizon(block)), rate = -1 / block->w;
    trxi_bounds_partials(block, fall, block->contact.between.behind * fall, out);
    for (int i = 0; block->at.branch && i < 3; i++) out->w[i] = rate * block->at.gamma[i];
}

static void parameter_by_bounds(const trxi_row_block *block, const trxi_law_settings *settings, trx_parameter_kind p,
                                double *gamma_theta)
{
    (void)settings;
    trxi_bounds_parameter(block, 0, trxi_friction_parameter(&block->contact, p).mu, gamma_theta);
}

// distance to f_n = 0, to two borders of friction and to the begin of a penetration, as a change of the gap
static double nearest_border(const trxi_row_block *block, double n, double first, double second)
{
    const double mu = block->contact.mu;
    const double border = n > 0 && mu > 0 ? fmin(fabs(n - first / mu), fabs(n - second / mu)) : INFINITY;
    const double nearest = fmin(fabs(n), border) * block->contact.sap.Rn * trxi_rigid_horizon(block);
    return block->at.branch ? fmin(nearest, trxi_rigid_kink(block)) : nearest;
}

static double kink_ncp(const trxi_row_block *block, const trxi_law_settings *settings)
{
    (void)settings;
    const trxi_cone_point y = trxi_cone_project(block, block->at.v_c);
    return nearest_border(block, y.n, y.r, y.r);
}

static double kink_lcp(const trxi_row_block *block, const trxi_law_settings *settings)
{
    (void)settings;
    const trxi_cone_point y = trxi_cone_project(block, block->at.v_c);
    double face, corner;
    trxi_pyramid_borders(block->contact.sides, y.t, &face, &corner);
    return nearest_border(block, y.n, face, corner);
}

const trxi_law trxi_ccp = {.name = "ccp", .needs_mass = true, .prepare = trxi_rigid_prepare, .soften = trxi_rigid_soften,
                           .impulse = trxi_cone_impulse, .partials = partials, .parameter = parameter, .kink = kink,
                           .separation = trxi_cone_separation, .sticks = trxi_cone_sticks, .visit = visit_ccp};
const trxi_law trxi_ncp = {.name = "ncp", .needs_mass = true, .prepare = trxi_rigid_prepare, .impulse = impulse_ncp,
                           .partials = partials_by_bounds, .parameter = parameter_by_bounds, .kink = kink_ncp,
                           .slope = slope_by_bounds, .separation = trxi_cone_separation, .sticks = trxi_cone_sticks,
                           .visit = visit_ncp};
const trxi_law trxi_lcp = {.name = "lcp", .needs_mass = true, .axes = true, .prepare = trxi_rigid_prepare,
                           .impulse = impulse_lcp, .partials = partials_by_bounds, .parameter = parameter_by_bounds,
                           .kink = kink_lcp, .slope = slope_by_bounds, .separation = trxi_cone_separation,
                           .sticks = trxi_cone_sticks, .visit = visit_lcp};
