// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Partial derivatives of the contact impulse with respect to the constants of the step (theory 6, table of
// partials): the gap phi0, the lagged impulse gn0, and the effective inverse mass w. v_c is held. They are the
// twins of the value lines in friction.c, quoted before each block.

#include "contact/contact.h"

#include "math/constants.h"

static void clear(trxi_contact_partials *partials)
{
    *partials = (trxi_contact_partials){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
}

// e = sigma w mu gn0 where the regularization decides: chain the partial with respect to e
static void chain_soft(const trxi_contact *c, double sigma, const double gamma_e[3], trxi_contact_partials *out)
{
    if (!c->regularized) return;
    const double mu = c->law.friction;
    for (int i = 0; i < 3; i++) {
        out->gn0[i] += gamma_e[i] * sigma * c->w * mu;
        out->w[i] += gamma_e[i] * sigma * mu * c->gn0;
    }
}

// gamma_t = -mu gn0 t_s, gamma_n = dt f(phi0 + dt v_n, v_n); d t_s/de = -t_s e / S^2
static void lagged(const trxi_contact *c, double dt, double sigma, trxi_contact_partials *out)
{
    const double mu = c->law.friction, e = c->soft;
    double S2 = c->v_c[0] * c->v_c[0] + c->v_c[1] * c->v_c[1] + e * e, S = sqrt(S2);
    double tx = c->v_c[0] / S, ty = c->v_c[1] / S;
    trxi_impulse normal = trxi_normal_impulse(&c->law, dt, c->phi0, c->v_c[2]);
    out->phi[2] = dt * normal.f_phi;
    out->gn0[0] = -mu * tx, out->gn0[1] = -mu * ty;
    double slope = mu * c->gn0 * e / S2;
    const double gamma_e[3] = {slope * tx, slope * ty, 0};
    chain_soft(c, sigma, gamma_e, out);
}

// gamma = n(z) [-mu t_s; 1], z = v_n - mu (S - e); dz/de = -mu (e/S - 1)
static void similar(const trxi_contact *c, double dt, double sigma, trxi_contact_partials *out)
{
    const double mu = c->law.friction, e = c->soft;
    double square = c->v_c[0] * c->v_c[0] + c->v_c[1] * c->v_c[1], S2 = square + e * e, S = sqrt(S2);
    double t[2] = {c->v_c[0] / S, c->v_c[1] / S}, slip = square / (S + e);
    trxi_impulse normal = trxi_normal_impulse(&c->law, dt, c->phi0, c->v_c[2] - mu * slip);
    double n_e = normal.slope * mu * slip / S, gamma_e[3] = {0, 0, n_e};
    for (int i = 0; i < 2; i++) {
        out->phi[i] = -mu * t[i] * dt * normal.f_phi;
        gamma_e[i] = -mu * t[i] * n_e + mu * normal.n * t[i] * e / S2;
    }
    out->phi[2] = dt * normal.f_phi;
    chain_soft(c, sigma, gamma_e, out);
}

// gamma_phi = -G e_n / (dt + tau), through v_hat = -phi0 / (dt + tau); w enters through R = diag(Rt, Rt, Rn)
static void sap(const trxi_contact *c, double dt, double sigma, double beta, trxi_contact_partials *out)
{
    const double mu = c->law.friction, Rt = c->Rt, Rn = c->Rn, horizon = dt + c->law.relaxation_time;
    out->phi[0] = -c->G.xn / horizon, out->phi[1] = -c->G.yn / horizon, out->phi[2] = -c->G.nn / horizon;

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
        out->w[2] = dn;
        for (int i = 0; i < 2; i++) out->w[i] = yr > 0 ? mu * dn * yt[i] / yr : 0;
    }
}

void trxi_contact_impulse_deriv(const trxi_contact *contact, double dt, double sigma, double beta,
                                trxi_contact_partials *partials)
{
    clear(partials);
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
