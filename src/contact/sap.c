// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// SAP (theory 4): gamma is the projection of y = -R^-1 (v_c - v_hat) on the friction cone in the norm of R = diag(Rt, Rt, Rn),
//
//     Rt = sigma w      Rn = max(beta^2/(4 pi^2) w, 1/(dt k h))      v_hat = -phi0/h      h = dt + tau
//
// If the law is evaluated between start and end of the step, v_hat = -(phi0 + (behind + tau late) v_n0)/h and h = ahead + rate
// tau. There are three regions: stick (gamma = y inside the cone), slide (gamma on the cone) and open. On a border, G is the G of
// the closed side.

#include "contact/cone.h"

#include "math/constants.h"

static double near_rigid_bound(const trxi_law_settings *settings)
{
    return settings->near_rigid * settings->near_rigid / (4 * TRXI_PI * TRXI_PI);
}

static void prepare(trxi_row_block *block, const trxi_law_settings *settings)
{
    trxi_contact *c = &block->contact;
    const double horizon = trxi_contact_horizon(c), bound = near_rigid_bound(settings) * block->w;
    const double compliant = 1 / (settings->dt * c->material->stiffness * horizon);
    block->decided = bound > compliant ? TRXI_RIGID : 0;
    block->soft = block->soft_wanted = 0;
    c->sap.Rn = block->decided ? bound : compliant;
    c->sap.Rt = settings->regularization * block->w;
    c->sap.v_hat = -(block->phi0 + trxi_contact_seconds_before(c) * c->v_n0) / horizon;
}

trxi_cone_point trxi_cone_project(const trxi_row_block *block, const double *v_c)
{
    const trxi_sap_constants *s = &block->contact.sap;
    trxi_cone_point y = {{-v_c[0] / s->Rt, -v_c[1] / s->Rt}, (s->v_hat - v_c[2]) / s->Rn, 0};
    y.r = sqrt(y.t[0] * y.t[0] + y.t[1] * y.t[1]);
    return y;
}

void trxi_cone_impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    (void)dt;
    const double mu = block->contact.mu, Rt = block->contact.sap.Rt, Rn = block->contact.sap.Rn;
    const double mu_hat = mu * Rt / Rn, scale = 1 / (1 + mu * mu_hat);
    const trxi_cone_point y = trxi_cone_project(block, at->v_c);
    if (mu > 0 ? y.r <= mu * y.n : false) {
        at->gamma[0] = y.t[0], at->gamma[1] = y.t[1], at->gamma[2] = y.n;
        at->G = (trxi_sym3){.xx = 1 / Rt, .yy = 1 / Rt, .nn = 1 / Rn};
        at->branch = TRXI_SAP_STICK;
        return;
    }
    if (y.n <= -mu_hat * y.r) {
        *at = (trxi_row_state){.v_c = {at->v_c[0], at->v_c[1], at->v_c[2]}};
        return;
    }

    // sliding: gamma_n = (y_n + mu^ y_r)/(1 + mu~^2), gamma_t = mu gamma_n t, G = (d gamma/dy) R^-1
    const double n = (y.n + mu_hat * y.r) * scale, tx = y.r > 0 ? y.t[0] / y.r : 0, ty = y.r > 0 ? y.t[1] / y.r : 0;
    const double tangential = mu * mu_hat * scale / Rt, cross = mu * scale / Rn;
    at->gamma[0] = mu * n * tx, at->gamma[1] = mu * n * ty, at->gamma[2] = n;
    at->G = (trxi_sym3){tangential * tx * tx, tangential * tx * ty, tangential * ty * ty, cross * tx, cross * ty, scale / Rn};
    if (y.r > 0) trxi_add_projector(mu * n / (y.r * Rt), tx, ty, &at->G);
    at->branch = TRXI_SAP_SLIDE;
}

// w enters through R, dy_i = -y_i dR_i/R_i
void trxi_cone_partials(const trxi_row_block *block, double horizon, double before, double rate_t, double rate_n,
                        trxi_law_partials *out)
{
    const trxi_contact *c = &block->contact;
    const double mu = c->mu, Rt = c->sap.Rt, Rn = c->sap.Rn;
    out->phi[0] = -block->at.G.xn / horizon, out->phi[1] = -block->at.G.yn / horizon, out->phi[2] = -block->at.G.nn / horizon;
    for (int i = 0; i < 3; i++) out->vn0[i] = before * out->phi[i];

    const trxi_cone_point y = trxi_cone_project(block, block->at.v_c);
    if (block->at.branch & TRXI_SAP_STICK) {
        out->w[0] = -y.t[0] * rate_t, out->w[1] = -y.t[1] * rate_t, out->w[2] = -y.n * rate_n;
    } else if (block->at.branch & TRXI_SAP_SLIDE) {
        // gamma_n = (y_n + mu^ y_r) / (1 + mu~^2), mu~^2 = mu mu^, mu^ = mu Rt/Rn; the direction t does not change
        const double n = block->at.gamma[2];
        double mu_hat = mu * Rt / Rn, dmu_hat = mu_hat * (rate_t - rate_n);
        double dn = (-y.n * rate_n + dmu_hat * y.r - mu_hat * y.r * rate_t - mu * n * dmu_hat) / (1 + mu * mu_hat);
        double n_mu = Rt / Rn * (y.r - 2 * mu * n) / (1 + mu * mu_hat);
        out->w[2] = dn, out->mu[2] = n_mu;
        for (int i = 0; i < 2; i++) {
            out->w[i] = y.r > 0 ? mu * dn * y.t[i] / y.r : 0;
            out->mu[i] = y.r > 0 ? (n + mu * n_mu) * y.t[i] / y.r : 0;
        }
    }
}

// gamma_phi = -G e_n / h through v_hat; dRt/Rt = sigma/Rt dw, and dRn/Rn likewise from the near-rigid bound when it decides Rn
static void partials(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    const trxi_contact *c = &block->contact;
    const double rate_t = settings->regularization / c->sap.Rt;
    const double rate_n = block->decided ? near_rigid_bound(settings) / c->sap.Rn : 0;
    trxi_cone_partials(block, trxi_contact_horizon(c), trxi_contact_seconds_before(c), rate_t, rate_n, out);
}

// y_n = (v_hat - v_n)/R_n, R_n = 1/(dt k h) unless near-rigid, v_hat = -phi0/h, mu^ = mu R_t/R_n
static void parameter(const trxi_row_block *block, const trxi_law_settings *settings, trx_parameter_kind p, double *gamma_theta)
{
    (void)settings;
    gamma_theta[0] = gamma_theta[1] = gamma_theta[2] = 0;
    if (block->at.branch == 0 || p == TRX_PAIR_DISSIPATION || p == TRX_STICTION_TOLERANCE) return;
    const trxi_contact *c = &block->contact;
    const trxi_between *b = &c->between;
    const double mu = c->mu, Rt = c->sap.Rt, Rn = c->sap.Rn, horizon = trxi_contact_horizon(c), mu_hat = mu * Rt / Rn;
    const bool tau = p == TRX_PAIR_RELAXATION_TIME;
    double rate = tau ? -b->rate / horizon : p == TRX_PAIR_STIFFNESS ? -1 / c->material->stiffness : 0; // dRn/Rn
    if (block->decided) rate = 0;
    const double dmu = trxi_friction_parameter(c, p).mu;
    const trxi_cone_point y = trxi_cone_project(block, block->at.v_c);
    double dyn = -y.n * rate - (tau ? (c->sap.v_hat * b->rate + b->late * c->v_n0) / horizon / Rn : 0);
    if (block->at.branch & TRXI_SAP_STICK) {
        gamma_theta[2] = dyn;
        return;
    }

    // gamma_n = (y_n + mu^ y_r)/(1 + mu mu^), gamma_t = mu gamma_n t
    const double n = block->at.gamma[2];
    double dmu_hat = dmu * Rt / Rn - mu_hat * rate;
    double dn = (dyn + dmu_hat * y.r - n * (dmu * mu_hat + mu * dmu_hat)) / (1 + mu * mu_hat);
    gamma_theta[2] = dn;
    for (int i = 0; i < 2; i++) gamma_theta[i] = y.r > 0 ? (dmu * n + mu * dn) * y.t[i] / y.r : 0;
}

// distances of y to the borders y_r = mu y_n and y_n = -mu^ y_r, as changes of the gap
double trxi_cone_kink(const trxi_row_block *block, double horizon)
{
    const trxi_contact *c = &block->contact;
    const trxi_cone_point y = trxi_cone_project(block, block->at.v_c);
    double stick = c->mu > 0 ? fabs(y.n - y.r / c->mu) : INFINITY, open = fabs(y.n + c->mu * c->sap.Rt / c->sap.Rn * y.r);
    return fmin(stick, open) * c->sap.Rn * horizon;
}

static double kink(const trxi_row_block *block, const trxi_law_settings *settings)
{
    (void)settings;
    return trxi_cone_kink(block, trxi_contact_horizon(&block->contact));
}

double trxi_cone_separation(const trxi_row_block *block, const double *v_c)
{
    (void)block;
    return v_c[2];
}

bool trxi_cone_sticks(const trxi_row_block *block)
{
    return (block->at.branch & TRXI_SAP_STICK) != 0;
}

const trxi_law trxi_sap = {.name = "sap", .needs_mass = true, .prepare = prepare, .impulse = trxi_cone_impulse,
                           .partials = partials, .parameter = parameter, .kink = kink, .separation = trxi_cone_separation,
                           .sticks = trxi_cone_sticks};
