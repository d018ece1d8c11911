// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The contact model of RaiSim (theory 4): a closed contact keeps c_n = 0, and its impulse minimizes the energy within the
// friction cone K. With c = D f + g of one contact at fixed other impulses, and a = D_nt/D_nn, the minimum under c_n = 0 is ncp
// with the slip u_t in place of c_t. u_t leans: it contains a multiple of a.
//
//     open    g_n > 0: f = 0        stick   u_t = 0       slide   f_t = -mu f_n u_t/|u_t|       u_t = c_t + mu |u_t| a
//
// mu |u_t| is the multiplier of c_n = 0, times D_nn. a is a constant of the contact, so the conditions do not change when a solver
// uses another matrix in place of D: sweeps use D itself, alternating directions a multiple of the identity. The visit takes the
// matrix [S b; b^T d] and searches f_t = -u_t/sigma at the bound of friction:
//
//     f_n = (-g_n - b . f_t)/d      (S - b b^T/d + sigma (1 - mu^2 a b^T/d)) f_t = -g_t + (b + sigma mu^2 a) g_n/d
//
// If the matrix is D, |f_t| - mu f_n falls along sigma > 0, so there is one root. A contact wedges if mu |a| >= 1.
//
// Derivatives follow from the branches (stick, slide, open) at the solution, like those of ncp. The direction d of a sliding
// contact follows from
//
//     c_t . d' = k c_t . d        k = N'/N        ds = e . dv_t - k d(R f_t . d) - c_t . d dk        e = d' - k d
//     dangle = -ds/S              S = R mu f_n - c_t . d D_nn/N > 0 at a minimum
//
// N = D_nn + mu D_nt . d, N' = mu D_nt . d', d' is d turned by a quarter. k depends on the diagonal block W of the Delassus
// matrix: dk = h . dW e_n with h = (mu e, -k)/N.

#include "contact/rigid.h"

#include "contact/cone.h"
#include "math/vec3.h"

// a contact alone: c = D f + g
typedef struct alone {
    double mu, a[2];
    trxi_sym3 D;
    double g[3];
} alone;

// sigma, and its value mu f_n/|f_t| - 1, which is nearly linear in sigma. If the contact wedges, f_n < 0 up to a pole. The root
// then lies beyond the pole, where the value has the other sign
typedef struct lean {
    double sigma, value;
    bool behind; // sigma is beyond the pole
} lean;

static lean lean_by(const alone *p, double sigma, double f[3])
{
    const trxi_sym3 *D = &p->D;
    const double b[2] = {D->xn / D->nn, D->yn / D->nn}, n = -p->g[2] / D->nn, pull = sigma * p->mu * p->mu;
    const double h[2] = {D->xn + pull * p->a[0], D->yn + pull * p->a[1]};
    const double xx = D->xx + sigma - h[0] * b[0], xy = D->xy - h[0] * b[1], yx = D->xy - h[1] * b[0];
    const double yy = D->yy + sigma - h[1] * b[1], det = xx * yy - xy * yx;
    const double x = -p->g[0] - h[0] * n, y = -p->g[1] - h[1] * n;
    f[0] = (yy * x - xy * y) / det, f[1] = (xx * y - yx * x) / det;
    f[2] = n - b[0] * f[0] - b[1] * f[1];
    const double value = p->mu * f[2] / trxi_norm2(f[0], f[1]) - 1;
    return (lean){sigma, det < 0 ? -value : value, det < 0};
}

// finds f on the boundary of the cone by secants within a bracket (the Illinois method: the value at an end that stays is halved)
static void slide(const alone *p, double f[3])
{
    enum { MOST = 100 };
    static const double accuracy = 2e-15;
    lean low = lean_by(p, 0, f), high = {.sigma = INFINITY};
    double sigma = 0.5 * (p->D.xx + p->D.yy);
    for (int i = 0, last = 0; i < MOST; i++) {
        const lean at = lean_by(p, sigma, f);
        const bool below = at.value < 0, rests = isfinite(high.sigma) && high.sigma - low.sigma <= accuracy * high.sigma;
        if (fabs(at.value) <= accuracy || rests) break;
        if (below) {
            low = at;
            if (last < 0) high.value *= 0.5;
        } else {
            high = at;
            if (last > 0) low.value *= 0.5;
        }
        last = below ? -1 : 1;
        const double share = low.behind == high.behind ? low.value / (low.value - high.value) : 0.5;
        sigma = isfinite(high.sigma) ? low.sigma + share * (high.sigma - low.sigma) : 8 * sigma;
    }
    const double bound = fmax(0, p->mu * f[2]), scale = bound > 0 ? bound / trxi_norm2(f[0], f[1]) : 0;
    f[0] *= scale, f[1] *= scale, f[2] = fmax(0, f[2]);
}

static void visit(const trxi_row_block *block, const trxi_sym3 *W, trxi_row_state *at)
{
    const double *W_n = block->contact.W_n, d = W_n[2] + block->contact.sap.Rn;
    const trxi_rigid_local local = trxi_rigid_local_problem(block, W, at);
    alone p = {.mu = block->contact.mu, .a = {W_n[0] / d, W_n[1] / d}, .D = local.D};
    double held[3] = {0}, *f = at->gamma;
    trxi_row_product(block, &p.D, f, held);
    for (int r = 0; r < 3; r++) p.g[r] = local.c[r] - held[r];
    f[0] = f[1] = f[2] = 0, at->branch = 0;
    if (p.g[2] >= 0) return;
    lean_by(&p, 0, f);
    const bool sticks = p.mu > 0 && trxi_norm2(f[0], f[1]) <= p.mu * f[2];
    if (!(p.mu > 0)) f[0] = f[1] = 0, f[2] = -p.g[2] / p.D.nn;
    else if (!sticks) slide(&p, f);
    at->branch = sticks ? TRXI_SAP_STICK : f[2] > 0 ? TRXI_SAP_SLIDE : 0;
}

// out = mu |u_t| a, from |u_t|^2 = |c_t + mu |u_t| a|^2. This equation may have no solution if the contact wedges. If mu |a| is
// above 0.99, 0.99 takes its place, and the function returns false
bool trxi_raisim_lean(const trxi_row_block *block, const double c_t[2], double out[2])
{
    static const double most = 0.99;
    const double *W_n = block->contact.W_n, scale = block->contact.mu / (W_n[2] + block->contact.sap.Rn);
    double a[2] = {scale * W_n[0], scale * W_n[1]};
    const double steep = hypot(a[0], a[1]), limit = steep > most ? most / steep : 1;
    const double along = limit * (a[0] * c_t[0] + a[1] * c_t[1]), rest = 1 - limit * limit * steep * steep;
    const double u = (along + sqrt(along * along + rest * (c_t[0] * c_t[0] + c_t[1] * c_t[1]))) / rest;
    for (int i = 0; i < 2; i++) out[i] = limit * a[i] * u;
    return steep <= most;
}

// -v_c/R in the friction cone, as for ncp; sweeps do not use it
static void impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    trxi_ncp.impulse(block, dt, at);
}

// the borders of ncp: when a contact stops sliding, c_t = 0 and friction is at its bound
static double kink(const trxi_row_block *block, const trxi_law_settings *settings)
{
    return trxi_ncp.kink(block, settings);
}

// ---- derivatives ----

// a sliding contact at the solution
typedef struct turning {
    double d[2], across[2], e[2]; // d, d', e
    double k, N, D_nn, W_across;  // N = D_nn + mu W_nt . d, W_across = W_nt . d'
    double along;                 // c_t . d <= 0 [m/s]
    double rate;                  // of f_t along d' per -ds: mu f_n/S [kg]
} turning;

static bool slides(const trxi_row_block *block)
{
    return block->at.branch & TRXI_SAP_SLIDE && block->contact.mu > 0;
}

static turning turning_of(const trxi_row_block *block)
{
    const double mu = block->contact.mu, R = block->contact.sap.Rn, *W = block->contact.W_n, *f = block->at.gamma;
    const double r = trxi_norm2(f[0], f[1]), *v = block->at.v_c;
    turning t = {.d = {f[0] / r, f[1] / r}, .across = {-f[1] / r, f[0] / r}, .D_nn = W[2] + R};
    t.W_across = W[0] * t.across[0] + W[1] * t.across[1];
    t.N = t.D_nn + mu * (W[0] * t.d[0] + W[1] * t.d[1]);
    t.k = mu * t.W_across / t.N;
    for (int i = 0; i < 2; i++) t.e[i] = t.across[i] - t.k * t.d[i];
    t.along = fmin(0, v[0] * t.d[0] + v[1] * t.d[1] + R * r);
    t.rate = r / (R * r - t.along * t.D_nn / t.N);
    return t;
}

// -df/dv_n of a contact that slides, which is df/dv_hat
static void by_normal(const trxi_row_block *block, const turning *t, double out[3])
{
    const double mu = block->contact.mu, R = block->contact.sap.Rn;
    for (int i = 0; i < 2; i++) out[i] = mu * t->d[i] / R + t->rate * t->k * mu * t->across[i];
    out[2] = 1 / R;
}

static void slope(const trxi_row_block *block, trxi_sym3 *G, double skew[3])
{
    if (!slides(block)) {
        trxi_ncp.slope(block, G, skew);
        return;
    }
    const turning t = turning_of(block);
    double n[3];
    by_normal(block, &t, n);
    const double *a = t.across, *e = t.e, half = 0.5 * t.rate;
    *G = (trxi_sym3){t.rate * a[0] * e[0], half * (a[0] * e[1] + a[1] * e[0]), t.rate * a[1] * e[1], 0.5 * n[0], 0.5 * n[1], n[2]};
    skew[0] = -0.5 * n[1], skew[1] = 0.5 * n[0], skew[2] = half * (a[1] * e[0] - a[0] * e[1]);
}

static void partials(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    trxi_ncp.partials(block, settings, out);
    if (!slides(block)) return;
    const turning t = turning_of(block);
    const double mu = block->contact.mu, R = block->contact.sap.Rn, f_n = block->at.gamma[2];
    const double by_mu = t.k * R * f_n + t.along * t.W_across * t.D_nn / (t.N * t.N);
    double n[3];
    by_normal(block, &t, n);
    for (int i = 0; i < 3; i++) {
        out->phi[i] = -n[i] / trxi_rigid_horizon(block);
        out->vn0[i] = block->contact.between.behind * out->phi[i];
    }
    for (int i = 0; i < 2; i++) {
        out->lean[i] = t.rate * t.along * t.across[i];
        out->h[i] = mu * t.e[i] / t.N;
        out->w[i] -= out->lean[i] * t.k / t.N * R / block->w;
        out->mu[i] += t.rate * t.across[i] * by_mu;
    }
    out->h[2] = -t.k / t.N;
}

static void parameter(const trxi_row_block *block, const trxi_law_settings *settings, trx_parameter_kind p, double *gamma_theta)
{
    trxi_law_partials d = {0};
    partials(block, settings, &d);
    const double dmu = trxi_friction_parameter(&block->contact, p).mu;
    for (int i = 0; i < 3; i++) gamma_theta[i] = d.mu[i] * dmu;
}

const trxi_law trxi_raisim = {.name = "raisim", .needs_mass = true, .prepare = trxi_rigid_prepare, .impulse = impulse,
                              .partials = partials, .parameter = parameter, .kink = kink, .slope = slope,
                              .separation = trxi_cone_separation, .sticks = trxi_cone_sticks, .visit = visit, .late_share = 0.7};
