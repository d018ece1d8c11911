// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Partial derivatives of the contact impulse with respect to the constants of the step (theory 6, table of
// partials): the gap phi0, the lagged impulse gn0, the effective inverse mass w, and mu where it depends on the state before
// the step. v_c is held. They are the twins of the value lines in friction.c, quoted before each block.

#include "contact/contact.h"

#include "math/constants.h"

// e = sigma w mu gn0 where the regularization decides: chain the partial with respect to e
static void chain_soft(const trxi_contact *c, double sigma, const double gamma_e[3], trxi_contact_partials *out)
{
    if (!c->regularized) return;
    for (int i = 0; i < 3; i++) {
        out->gn0[i] += gamma_e[i] * sigma * c->w * c->mu;
        out->w[i] += gamma_e[i] * sigma * c->mu * c->gn0;
        out->mu[i] += gamma_e[i] * sigma * c->w * c->gn0;
    }
}

// gamma_t = -mu gn0 D t_s, gamma_n = dt f(phi0 + dt v_n, v_n); d t_s/de = -t_s e / S^2
static void lagged(const trxi_contact *c, double dt, double sigma, trxi_contact_partials *out)
{
    trxi_slip slip = trxi_contact_slip(c, c->v_c);
    trxi_impulse normal = trxi_contact_normal(c, dt, c->v_c[2]);
    out->phi[2] = dt * normal.f_phi;
    out->vn0[2] = normal.n_vn0;
    double slope = c->mu * c->gn0 * c->soft / (slip.S * slip.S), gamma_e[3] = {0, 0, 0};
    for (int i = 0; i < 2; i++) {
        out->gn0[i] = -c->mu * slip.d[i];
        out->mu[i] = -c->gn0 * slip.d[i];
        gamma_e[i] = slope * slip.d[i];
    }
    chain_soft(c, sigma, gamma_e, out);
}

// gamma = n(z) [-mu D t_s; 1], z = v_n - mu (S - e); dz/de = -mu (e/S - 1), dz/dmu = -(S - e)
static void similar(const trxi_contact *c, double dt, double sigma, trxi_contact_partials *out)
{
    const double mu = c->mu;
    trxi_slip slip = trxi_contact_slip(c, c->v_c);
    trxi_impulse normal = trxi_contact_normal(c, dt, c->v_c[2] - mu * slip.norm);
    double n_e = normal.slope * mu * slip.norm / slip.S, n_mu = -normal.slope * slip.norm, gamma_e[3] = {0, 0, n_e};
    for (int i = 0; i < 2; i++) {
        out->phi[i] = -mu * slip.d[i] * dt * normal.f_phi;
        out->vn0[i] = -mu * slip.d[i] * normal.n_vn0;
        out->mu[i] = -(normal.n + mu * n_mu) * slip.d[i];
        gamma_e[i] = -mu * slip.d[i] * n_e + mu * normal.n * slip.d[i] * c->soft / (slip.S * slip.S);
    }
    out->phi[2] = dt * normal.f_phi;
    out->vn0[2] = normal.n_vn0;
    out->mu[2] = n_mu;
    chain_soft(c, sigma, gamma_e, out);
}

// gamma_t = -r gn0 t_s(w_t), gamma_n = -l gn0 w_n / S_n: linear in gn0
static void turn(const trxi_contact *c, trxi_contact_partials *out)
{
    if (!(c->gn0 > 0)) return;
    for (int i = 0; i < 3; i++) out->gn0[i] = c->gamma[i] / c->gn0;
}

// gamma_phi = -G e_n / (dt + tau), through v_hat = -phi0 / (dt + tau), and between start and end
// v_hat = -(phi0 + (behind + tau late) v_n0) / (ahead + rate tau); w enters through R = diag(Rt, Rt, Rn)
static void sap(const trxi_contact *c, double dt, double sigma, double beta, trxi_contact_partials *out)
{
    const double mu = c->mu, Rt = c->Rt, Rn = c->Rn, horizon = trxi_contact_horizon(c, dt);
    out->phi[0] = -c->G.xn / horizon, out->phi[1] = -c->G.yn / horizon, out->phi[2] = -c->G.nn / horizon;
    const double share = c->between.behind + c->law.relaxation_time * c->between.late;
    for (int i = 0; i < 3 && c->between.used; i++) out->vn0[i] = share * out->phi[i];

    // dy_i = -y_i dR_i / R_i with dRt = sigma dw, dRn = beta^2 / (4 pi^2) dw where that bound decides
    double rate_t = sigma / Rt, rate_n = c->rigid ? beta * beta / (4 * TRXI_PI * TRXI_PI) / Rn : 0;
    double yt[2] = {-c->v_c[0] / Rt, -c->v_c[1] / Rt}, yn = (c->v_hat - c->v_c[2]) / Rn;
    double yr = sqrt(yt[0] * yt[0] + yt[1] * yt[1]);
    if (c->branch & TRXI_SAP_STICK) {
        out->w[0] = -yt[0] * rate_t, out->w[1] = -yt[1] * rate_t, out->w[2] = -yn * rate_n;
    } else if (c->branch & TRXI_SAP_SLIDE) {
        // gamma_n = (y_n + mu^ y_r) / (1 + mu~^2), mu~^2 = mu mu^, mu^ = mu Rt/Rn; the direction t does not change
        double mu_hat = mu * Rt / Rn, dmu_hat = mu_hat * (rate_t - rate_n);
        double dn = (-yn * rate_n + dmu_hat * yr - mu_hat * yr * rate_t - mu * c->gamma[2] * dmu_hat) / (1 + mu * mu_hat);
        double n_mu = Rt / Rn * (yr - 2 * mu * c->gamma[2]) / (1 + mu * mu_hat);
        out->w[2] = dn, out->mu[2] = n_mu;
        for (int i = 0; i < 2; i++) {
            out->w[i] = yr > 0 ? mu * dn * yt[i] / yr : 0;
            out->mu[i] = yr > 0 ? (c->gamma[2] + mu * n_mu) * yt[i] / yr : 0;
        }
    }
}

void trxi_contact_impulse_deriv(const trxi_contact *contact, double dt, double sigma, double beta,
                                trxi_contact_partials *partials)
{
    *partials = (trxi_contact_partials){0};
    if (contact->kind == TRXI_CONTACT_TURN) {
        turn(contact, partials);
        return;
    }
    switch (contact->law.approximation) {
    case TRX_LAGGED:
    case TRX_LAGGED_REGULARIZED:
        lagged(contact, dt, sigma, partials);
        return;
    case TRX_SIMILAR:
    case TRX_SIMILAR_REGULARIZED:
        similar(contact, dt, sigma, partials);
        return;
    case TRX_SAP:
        sap(contact, dt, sigma, beta, partials);
        return;
    }
}
