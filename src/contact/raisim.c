// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The contact model of RaiSim (theory 4): a closed contact keeps c_n = 0, and a sliding contact takes the friction that leaves the
// least energy. With c = D f + g of one contact, the other impulses as they are, the visit decides
//
//     open    g_n > 0: f = 0          stick   f = -D^-1 g, if f is in the friction cone K
//     slide   the point of { c_n = 0 } on the boundary of K with the least 1/2 f . D f + g . f
//
// On the boundary f = n (mu d, 1) with a direction d, |d| = 1. c_n = 0 gives n, and the energy falls along d with the slope
//
//     n(d) = -g_n/N(d)      N(d) = D_nn + mu (D_xn d_x + D_yn d_y)      dE/dangle = mu n c_t . (d' - (N'/N) d)
//
// d' is d turned by a quarter. The search scans 32 directions for minima between two of them and halves the angle until d rests.
// Where N > 0 nowhere beside a minimum, the contact is jammed and gets no impulse. Late sweeps take 0.7 of a change: between
// contacts that feel each other, directions of friction may swing.
//
// Derivatives follow from what sticks, slides and is open at the solution, as those of ncp. Where a contact slides, d follows from
//
//     c_t . d' = k c_t . d        k = N'/N        ds = e . dv_t - k d(R f_t . d) - c_t . d dk        e = d' - k d
//     dangle = -ds/S              S = R mu f_n - c_t . d D_nn/N > 0 at a minimum
//
// k depends on the diagonal block W of the Delassus matrix: dk = h . dW e_n with h = (mu e, -k)/N.

#include "contact/rigid.h"

#include "contact/cone.h"

// f = -D^-1 g by elimination
static void stop(const trxi_sym3 *D, const double g[3], double f[3])
{
    const double l10 = D->xy / D->xx, l20 = D->xn / D->xx, d1 = D->yy - l10 * D->xy, e = D->yn - l10 * D->xn;
    const double l21 = e / d1, d2 = D->nn - l20 * D->xn - l21 * e;
    const double y1 = g[1] - l10 * g[0], y2 = g[2] - l20 * g[0] - l21 * y1;
    f[2] = -y2 / d2;
    f[1] = -y1 / d1 - l21 * f[2];
    f[0] = -g[0] / D->xx - l10 * f[1] - l20 * f[2];
}

// ---- the direction of sliding ----

typedef struct sliding {
    double mu;
    const trxi_sym3 *D;
    const double *g;
} sliding;

typedef struct direction {
    double x, y;
    double N;     // D_nn + mu (D_xn x + D_yn y) [1/kg]
    double slope; // of the energy along the angle, over mu n > 0 [m/s]
    double f[3];  // [N s]
} direction;

static direction direction_at(const sliding *p, double x, double y)
{
    const trxi_sym3 *D = p->D;
    direction d = {.x = x, .y = y, .N = D->nn + p->mu * (D->xn * x + D->yn * y)};
    const double n = -p->g[2] / d.N, turning = p->mu * (D->yn * x - D->xn * y) / d.N;
    d.f[0] = n * p->mu * x, d.f[1] = n * p->mu * y, d.f[2] = n;
    const double c_x = D->xx * d.f[0] + D->xy * d.f[1] + D->xn * n + p->g[0];
    const double c_y = D->xy * d.f[0] + D->yy * d.f[1] + D->yn * n + p->g[1];
    d.slope = c_x * (-y - turning * x) + c_y * (x - turning * y);
    return d;
}

// 1/2 f . D f + g . f, where c_n = 0
static double energy(const sliding *p, const direction *d)
{
    const double *f = d->f, *g = p->g;
    const trxi_sym3 *D = p->D;
    const double square = D->xx * f[0] * f[0] + D->yy * f[1] * f[1] + D->nn * f[2] * f[2] +
                          2 * (D->xy * f[0] * f[1] + D->xn * f[0] * f[2] + D->yn * f[1] * f[2]);
    return 0.5 * square + g[0] * f[0] + g[1] * f[1] + g[2] * f[2];
}

// the minimum between two directions, by halves of the angle
static direction halve(const sliding *p, direction low, direction high)
{
    enum { MOST = 60 };
    for (int i = 0; i < MOST; i++) {
        const double x = low.x + high.x, y = low.y + high.y, size = hypot(x, y);
        const direction middle = direction_at(p, x / size, y / size);
        const bool rests = (middle.x == low.x && middle.y == low.y) || (middle.x == high.x && middle.y == high.y);
        if (rests) break;
        if (middle.slope > 0) high = middle;
        else low = middle;
    }
    return low;
}

// f of least energy on the boundary of the cone; 0 where the contact is jammed
static void slide(const sliding *p, double f[3])
{
    enum { DIRECTIONS = 32 };
    static const double cosine = 0.98078528040323044913, sine = 0.19509032201612826785; // of an angle of 2 pi/32
    double least = INFINITY;
    f[0] = f[1] = f[2] = 0;
    direction low = direction_at(p, 1, 0);
    const direction first = low;
    for (int i = 1; i <= DIRECTIONS; i++) {
        const double x = cosine * low.x - sine * low.y, y = sine * low.x + cosine * low.y;
        const direction high = i < DIRECTIONS ? direction_at(p, x, y) : first;
        if (low.N > 0 && high.N > 0 && low.slope <= 0 && high.slope >= 0) {
            const direction best = halve(p, low, high);
            const double value = energy(p, &best);
            if (value < least) {
                least = value;
                for (int r = 0; r < 3; r++) f[r] = best.f[r];
            }
        }
        low = high;
    }
}

// ---- the law ----

static void visit(const trxi_row_block *block, const trxi_sym3 *W, trxi_row_state *at)
{
    const double mu = block->contact.mu;
    trxi_rigid_local p = trxi_rigid_local_problem(block, W, at);
    double held[3] = {0}, g[3];
    trxi_row_product(block, &p.D, at->gamma, held);
    for (int r = 0; r < 3; r++) g[r] = p.c[r] - held[r];
    at->gamma[0] = at->gamma[1] = at->gamma[2] = 0, at->branch = 0;
    if (g[2] >= 0) return;
    double stopped[3];
    stop(&p.D, g, stopped);
    const bool sticks = mu > 0 && hypot(stopped[0], stopped[1]) <= mu * stopped[2];
    if (sticks) for (int r = 0; r < 3; r++) at->gamma[r] = stopped[r];
    else slide(&(sliding){mu, &p.D, g}, at->gamma);
    at->branch = sticks ? TRXI_SAP_STICK : at->gamma[2] > 0 ? TRXI_SAP_SLIDE : 0;
}

// -v_c/R in the friction cone, as for ncp: no sweep asks for it
static void impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    trxi_ncp.impulse(block, dt, at);
}

// the borders of ncp: a contact that stops is at the bound of friction, since c_t = 0 there
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
    const double r = hypot(f[0], f[1]), *v = block->at.v_c;
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

const trxi_law trxi_raisim = {.name = "raisim", .rows = 3, .needs_mass = true, .prepare = trxi_rigid_prepare, .impulse = impulse,
                              .partials = partials, .parameter = parameter, .kink = kink, .slope = slope,
                              .separation = trxi_cone_separation, .sticks = trxi_cone_sticks, .visit = visit, .late_share = 0.7};
