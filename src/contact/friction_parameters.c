// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Change of the contact impulse with the parameters of its law: stiffness, dissipation, relaxation time, barrier and reach,
// the coefficients of friction, stiction tolerance (theory 6). v_c, phi0, w and the slip speed before the step are held; the
// lagged impulse gn0 moves with the law that made it.
//
// For lagged and similar every parameter p acts through five numbers: how the normal impulse changes at its
// own argument (n_p), how gn0 does (g_p), how mu and the stretch s of anisotropic friction do (mu_p, s_p), and how the soft
// norm's e does (e_p, by gn0 and mu where e is regularized). For sap it acts through R_n, v_hat and mu. A user's law has no
// parameters here.

#include "contact/contact.h"

#include "model/pair_law.h"

// df/dp of a barrier that acts at gap phi; f is its value there
static double barrier_change(const trx_pair_law *law, trxi_law_parameter p, double f, double phi)
{
    if (p == TRXI_LAW_BARRIER) return f / law->barrier;
    if (p != TRXI_LAW_REACH || law->force_law != TRX_IPC) return 0;

    // f = kappa (g^2/phi - 2 g log(phi/c)), g = c - phi
    double g = law->reach - phi;
    return 2 * law->barrier * (g / phi - log1p(-g / law->reach) + g / law->reach);
}

// df/dp of the force law at gap phi and speed v; f is the law's value there
static double law_change(const trx_pair_law *law, trxi_law_parameter p, trxi_force force, double phi, double v)
{
    if (law->force_law == TRX_USER_LAW) return 0;
    if (trxi_law_is_barrier(law)) return force.branch == 0 ? 0 : barrier_change(law, p, force.f, phi);

    // f is linear in k, which may be 0
    if (p == TRXI_LAW_STIFFNESS) {
        trx_pair_law unit = *law;
        unit.stiffness = 1;
        return trxi_force_law(&unit, phi, v).f;
    }
    const bool kelvin_voigt = law->force_law == TRX_KELVIN_VOIGT;
    if (force.branch == 0) return 0;
    if (p == TRXI_LAW_RELAXATION_TIME) return kelvin_voigt ? -law->stiffness * v : 0;
    if (p != TRXI_LAW_DISSIPATION || kelvin_voigt || !(force.branch & TRXI_LAW_BRAKED)) return 0;

    // f = f_0 (1 - d v): df/dd = -f_0 v
    trx_pair_law undamped = *law;
    undamped.dissipation = 0;
    return -trxi_force_law(&undamped, phi, v).f * v;
}

// what a parameter changes
typedef struct changes {
    double mu, stretch, n, gn0, e;
} changes;

// mu = (mu_d + (mu_1 - mu_d) share)/s, share = exp(-(slip0/v_s)^2), s = sqrt(mu_1/mu_2)
static void friction_changes(const trxi_contact *c, trxi_law_parameter p, changes *d)
{
    const trx_pair_law *law = &c->law;
    const bool falls = law->slip_speed > 0;
    const double s = c->stretch, ratio = falls ? c->slip0 / law->slip_speed : 0;
    const bool anisotropic = trxi_pair_law_anisotropic(law);
    if (p == TRXI_LAW_FRICTION) {
        d->mu = c->share / s;
        if (anisotropic) d->stretch = s / (2 * law->friction);
    } else if (p == TRXI_LAW_FRICTION_ACROSS && anisotropic) {
        d->stretch = -s / (2 * law->friction_across);
    } else if (p == TRXI_LAW_DYNAMIC_FRICTION && falls) {
        d->mu = (1 - c->share) / s;
    } else if (p == TRXI_LAW_SLIP_SPEED && falls) {
        d->mu = (law->friction - law->dynamic_friction) * c->share * 2 * ratio * ratio / law->slip_speed / s;
    }
    d->mu -= c->mu * d->stretch / s;
}

static changes law_changes(const trxi_contact *c, double dt, double sigma, double v_n0, double v, trxi_law_parameter p)
{
    double phi = trxi_contact_gap(c, dt, v), speed = trxi_contact_speed(c, v);
    changes d = {0};
    friction_changes(c, p, &d);
    d.n = dt * law_change(&c->law, p, trxi_force_law(&c->law, phi, speed), phi, speed);
    d.gn0 = dt * law_change(&c->law, p, trxi_force_law(&c->law, c->phi0, v_n0), c->phi0, v_n0);
    d.e = c->regularized ? sigma * c->w * (d.mu * c->gn0 + c->mu * d.gn0) : p == TRXI_LAW_STICTION_TOLERANCE;
    return d;
}

// change of D t_s with the stretch: dD t_s + D (I - t_s t_s^T) dD v_t / S
static void stretch_change(const trxi_contact *c, const trxi_slip *slip, double out[2], double *along)
{
    const double s = c->stretch, dx[2] = {c->v_c[0], -c->v_c[1] / (s * s)};
    *along = slip->t[0] * dx[0] + slip->t[1] * dx[1]; // of |x|_s
    out[0] = slip->t[0] + s * (dx[0] - slip->t[0] * *along) / slip->S;
    out[1] = -slip->t[1] / (s * s) + (dx[1] - slip->t[1] * *along) / (slip->S * s);
}

// gamma_t = -mu gn0 D t_s, gamma_n = n(v_n); d t_s/de = -t_s e/S^2
static void lagged(const trxi_contact *c, double dt, double sigma, double v_n0, trxi_law_parameter p, double out[3])
{
    changes d = law_changes(c, dt, sigma, v_n0, c->v_c[2], p);
    trxi_slip slip = trxi_contact_slip(c, c->v_c);
    double turn[2], longer;
    stretch_change(c, &slip, turn, &longer);
    double along = -(d.mu * c->gn0 + c->mu * d.gn0) + c->mu * c->gn0 * c->soft / (slip.S * slip.S) * d.e;
    for (int i = 0; i < 2; i++) out[i] = along * slip.d[i] - c->mu * c->gn0 * d.stretch * turn[i];
    out[2] = d.n;
}

// gamma = n(z) [-mu D t_s; 1], z = v_n - mu |x|_s; d|x|_s/de = e/S - 1 = -|x|_s / S
static void similar(const trxi_contact *c, double dt, double sigma, double v_n0, trxi_law_parameter p, double out[3])
{
    const double mu = c->mu;
    trxi_slip slip = trxi_contact_slip(c, c->v_c);
    double z = c->v_c[2] - mu * slip.norm, turn[2], longer;
    changes d = law_changes(c, dt, sigma, v_n0, z, p);
    trxi_impulse normal = trxi_contact_normal(c, dt, z);
    stretch_change(c, &slip, turn, &longer);
    double dz = -d.mu * slip.norm + mu * slip.norm / slip.S * d.e - mu * longer * d.stretch;
    double dn = d.n + normal.slope * dz;
    double along = -(d.mu * normal.n + mu * dn) + mu * normal.n * c->soft / (slip.S * slip.S) * d.e;
    for (int i = 0; i < 2; i++) out[i] = along * slip.d[i] - mu * normal.n * d.stretch * turn[i];
    out[2] = dn;
}

// gamma_t = -r gn0 t_s(w_t), gamma_n = -l gn0 w_n / S_n
static void turn(const trxi_contact *c, double dt, double sigma, double v_n0, trxi_law_parameter p, double out[3])
{
    const double *w = c->v_c, e = c->soft;
    changes d = law_changes(c, dt, sigma, v_n0, 0, p);
    double roll = c->law.rolling_friction * d.gn0 + (p == TRXI_LAW_ROLLING_FRICTION ? c->gn0 : 0);
    double twist = c->law.torsional_friction * d.gn0 + (p == TRXI_LAW_TORSIONAL_FRICTION ? c->gn0 : 0);
    double S = sqrt(w[0] * w[0] + w[1] * w[1] + e * e), Sn = sqrt(w[2] * w[2] + e * e);
    out[0] = -roll * w[0] / S, out[1] = -roll * w[1] / S, out[2] = -twist * w[2] / Sn;
}

// y_n = (v_hat - v_n)/R_n, R_n = 1/(dt k (dt + tau)) unless near-rigid, v_hat = -phi0/(dt + tau), mu^ = mu R_t/R_n
static void sap(const trxi_contact *c, double dt, trxi_law_parameter p, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    if (c->branch == 0 || p == TRXI_LAW_DISSIPATION || p == TRXI_LAW_STICTION_TOLERANCE) return;
    const double mu = c->mu, horizon = trxi_contact_horizon(c, dt), mu_hat = mu * c->Rt / c->Rn;
    const trxi_between *b = &c->between;
    const double per_tau = b->used ? b->rate : 1, late = b->used ? b->late * b->v_n0 : 0;
    bool tau = p == TRXI_LAW_RELAXATION_TIME;
    double rate = c->rigid ? 0 : p == TRXI_LAW_STIFFNESS ? -1 / c->law.stiffness : tau ? -per_tau / horizon : 0; // dRn/Rn
    changes d = {0};
    friction_changes(c, p, &d);
    double yn = (c->v_hat - c->v_c[2]) / c->Rn, dmu = d.mu;
    double dyn = -yn * rate - (tau ? (c->v_hat * per_tau + late) / horizon / c->Rn : 0);
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
    if (contact->kind == TRXI_CONTACT_TURN) {
        turn(contact, dt, sigma, v_n0, parameter, gamma_theta);
        return;
    }
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
