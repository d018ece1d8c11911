// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Change of the contact impulse with the parameters of its law: stiffness, dissipation, relaxation time, friction,
// stiction tolerance (theory 6). v_c, phi0 and w are held; the lagged impulse gn0 moves with the law that made it.
//
// For lagged and similar every parameter p acts through three numbers: how the normal impulse changes at its
// own argument (n_p), how gn0 does (g_p), and how the soft norm's e does (e_p, by gn0 and mu where e is regularized).
// For sap it acts through R_n, v_hat and mu.

#include "contact/contact.h"

// df/dp of the force law at gap phi and speed v; f is the law's value there
static double law_change(const trx_pair_law *law, trxi_law_parameter p, trxi_force force, double phi, double v)
{
    if (force.branch == 0) return 0;
    bool kelvin_voigt = law->force_law == TRX_KELVIN_VOIGT;
    if (p == TRXI_LAW_STIFFNESS) return force.f / law->stiffness;
    if (p == TRXI_LAW_RELAXATION_TIME) return kelvin_voigt ? -law->stiffness * v : 0;
    if (p != TRXI_LAW_DISSIPATION || kelvin_voigt || !(force.branch & TRXI_LAW_BRAKED)) return 0;

    // f = f_0 (1 - d v): df/dd = -f_0 v
    trx_pair_law undamped = *law;
    undamped.dissipation = 0;
    return -trxi_force_law(&undamped, phi, v).f * v;
}

// what a parameter changes
typedef struct changes {
    double mu, n, gn0, e;
} changes;

static changes law_changes(const trxi_contact *c, double dt, double sigma, double v_n0, double v, trxi_law_parameter p)
{
    double phi = c->phi0 + dt * v;
    changes d = {.mu = p == TRXI_LAW_FRICTION};
    d.n = dt * law_change(&c->law, p, trxi_force_law(&c->law, phi, v), phi, v);
    d.gn0 = dt * law_change(&c->law, p, trxi_force_law(&c->law, c->phi0, v_n0), c->phi0, v_n0);
    d.e = c->regularized ? sigma * c->w * (d.mu * c->gn0 + c->law.friction * d.gn0) : p == TRXI_LAW_STICTION_TOLERANCE;
    return d;
}

// gamma_t = -mu gn0 t_s, gamma_n = n(v_n); d t_s/de = -t_s e/S^2
static void lagged(const trxi_contact *c, double dt, double sigma, double v_n0, trxi_law_parameter p, double out[3])
{
    const double mu = c->law.friction, e = c->soft;
    changes d = law_changes(c, dt, sigma, v_n0, c->v_c[2], p);
    double S2 = c->v_c[0] * c->v_c[0] + c->v_c[1] * c->v_c[1] + e * e, S = sqrt(S2);
    double along = -(d.mu * c->gn0 + mu * d.gn0) + mu * c->gn0 * e / S2 * d.e;
    out[0] = along * c->v_c[0] / S, out[1] = along * c->v_c[1] / S, out[2] = d.n;
}

// gamma = n(z) [-mu t_s; 1], z = v_n - mu |v_t|_s; d|v_t|_s/de = e/S - 1 = -|v_t|_s / S
static void similar(const trxi_contact *c, double dt, double sigma, double v_n0, trxi_law_parameter p, double out[3])
{
    const double mu = c->law.friction, e = c->soft;
    double square = c->v_c[0] * c->v_c[0] + c->v_c[1] * c->v_c[1], S2 = square + e * e, S = sqrt(S2);
    double slip = square / (S + e), z = c->v_c[2] - mu * slip;
    changes d = law_changes(c, dt, sigma, v_n0, z, p);
    trxi_impulse normal = trxi_normal_impulse(&c->law, dt, c->phi0, z);
    double dn = d.n + normal.slope * (-d.mu * slip + mu * slip / S * d.e);
    double along = -(d.mu * normal.n + mu * dn) + mu * normal.n * e / S2 * d.e;
    out[0] = along * c->v_c[0] / S, out[1] = along * c->v_c[1] / S, out[2] = dn;
}

// y_n = (v_hat - v_n)/R_n, R_n = 1/(dt k (dt + tau)) unless near-rigid, v_hat = -phi0/(dt + tau), mu^ = mu R_t/R_n
static void sap(const trxi_contact *c, double dt, trxi_law_parameter p, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    if (c->branch == 0 || p == TRXI_LAW_DISSIPATION || p == TRXI_LAW_STICTION_TOLERANCE) return;
    const double mu = c->law.friction, horizon = dt + c->law.relaxation_time, mu_hat = mu * c->Rt / c->Rn;
    bool tau = p == TRXI_LAW_RELAXATION_TIME;
    double rate = c->rigid ? 0 : p == TRXI_LAW_STIFFNESS ? -1 / c->law.stiffness : tau ? -1 / horizon : 0; // dRn/Rn
    double yn = (c->v_hat - c->v_c[2]) / c->Rn, dmu = p == TRXI_LAW_FRICTION;
    double dyn = -yn * rate - (tau ? c->v_hat / horizon / c->Rn : 0);
    if (c->branch & TRXI_SAP_STICK) {
        out[2] = dyn;
        return;
    }

    // gamma_n = (y_n + mu^ y_r)/(1 + mu mu^), gamma_t = mu gamma_n t
    double yt[2] = {-c->v_c[0] / c->Rt, -c->v_c[1] / c->Rt}, yr = hypot(yt[0], yt[1]);
    double dmu_hat = dmu * c->Rt / c->Rn - mu_hat * rate;
    double dn = (dyn + dmu_hat * yr - c->gamma[2] * (dmu * mu_hat + mu * dmu_hat)) / (1 + mu * mu_hat);
    out[2] = dn;
    for (int i = 0; i < 2; i++) out[i] = yr > 0 ? (dmu * c->gamma[2] + mu * dn) * yt[i] / yr : 0;
}

void trxi_contact_impulse_parameter(const trxi_contact *contact, double dt, double sigma, double v_n0,
                                    trxi_law_parameter parameter, double gamma_theta[3])
{
    switch (contact->law.approximation) {
    case TRX_LAGGED:
    case TRX_LAGGED_REGULARIZED:
        lagged(contact, dt, sigma, v_n0, parameter, gamma_theta);
        return;
    case TRX_SIMILAR:
    case TRX_SIMILAR_REGULARIZED:
        similar(contact, dt, sigma, v_n0, parameter, gamma_theta);
        return;
    case TRX_SAP:
        sap(contact, dt, parameter, gamma_theta);
        return;
    }
}
