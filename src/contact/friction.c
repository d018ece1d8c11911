// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Convex approximations of Coulomb friction: impulse and Hessian of one contact (theory 4).
//
// Soft norm |x|_s = sqrt(|x|^2 + e^2) - e, S = sqrt(|x|^2 + e^2), t_s = x / S, P = I - t_s t_s^T.
//
//     lagged   gamma_t = -mu gn0 t_s         gamma_n = n(v_n)      G = blkdiag(mu gn0 P / S, -n')
//     similar  gamma = n(z) w, w = [-mu t_s; 1], z = v_n - mu |v_t|_s
//                                            G = -n'(z) w w^T + blkdiag(mu n(z) P / S, 0)
//     sap      gamma = projection of y = -R^-1 (v_c - v_hat) on the friction cone in the norm of R
//     turn     gamma_t = -r gn0 t_s(w_t)     gamma_n = -l gn0 w_n / S_n      r, l: rolling and torsional lengths; lagged only
//
// Anisotropic friction with the tensor m = mu D, D = diag(s, 1/s) in the frame: the soft norm is that of x = D v_t, and D
// stands before each t_s and on both sides of P. Its tolerance e sqrt(det m) is e times mu, which is how mu comes out of
// the root; s = 1 is the isotropic model to the last bit.
//
// |x|_s is computed as |x|^2 / (S + e), which keeps its digits where a regularized e is far above |x|.
// The regularized variants differ in e only. gamma is the gradient of a concave function of v_c in every case,
// so G is symmetric and positive semidefinite.
//
// Static and dynamic friction: mu = mu_d + (mu_s - mu_d) exp(-(slip0/v_s)^2) with the slip speed before the step. It is a
// constant of the solve. Taken at the slip speed of the same step a falling mu would make l_i concave.

#include "contact/contact.h"

#include "model/pair_law.h"

void trxi_contact_friction(trxi_contact *c, double slip0)
{
    const trx_pair_law *law = &c->law;
    double ratio = slip0 / law->slip_speed;
    c->slip0 = slip0;
    c->share = law->slip_speed > 0 ? exp(-ratio * ratio) : 1;
    c->mu = law->slip_speed > 0 ? law->dynamic_friction + (law->friction - law->dynamic_friction) * c->share : law->friction;
    c->stretch = 1;
    if (!trxi_pair_law_anisotropic(law) || law->friction == law->friction_across) return;
    c->stretch = sqrt(law->friction / law->friction_across);
    c->mu /= c->stretch;
}

// S, t and d
static inline trxi_slip slip_direction(const trxi_contact *c, const double v_c[3])
{
    const double s = c->stretch, e = c->soft;
    const bool round = s == 1; // the same in all directions: no divisions by 1
    double x = s * v_c[0], y = round ? v_c[1] : v_c[1] / s;
    trxi_slip slip = {.S = sqrt(x * x + y * y + e * e)};
    const double inverse = 1 / slip.S;
    slip.t[0] = x * inverse, slip.t[1] = y * inverse;
    slip.d[0] = s * slip.t[0], slip.d[1] = round ? slip.t[1] : slip.t[1] / s;
    return slip;
}

trxi_slip trxi_contact_slip(const trxi_contact *c, const double v_c[3])
{
    trxi_slip slip = slip_direction(c, v_c);
    const double x = slip.S * slip.t[0], y = slip.S * slip.t[1];
    slip.norm = (x * x + y * y) / (slip.S + c->soft);
    return slip;
}

// (I - t t^T) scale, upper left block
static inline void add_projector(double scale, double tx, double ty, trxi_sym3 *G)
{
    G->xx += scale * (1 - tx * tx);
    G->xy -= scale * tx * ty;
    G->yy += scale * (1 - ty * ty);
}

// D (I - t t^T) D scale
static inline void add_stretched(double scale, double s, const trxi_slip *slip, trxi_sym3 *G)
{
    if (s == 1) {
        add_projector(scale, slip->t[0], slip->t[1], G);
        return;
    }
    trxi_sym3 P = {0};
    add_projector(scale, slip->t[0], slip->t[1], &P);
    G->xx += s * s * P.xx;
    G->xy += P.xy;
    G->yy += P.yy / (s * s);
}

static int lagged(const trxi_contact *c, double dt, const double v_c[3], double gamma[3], trxi_sym3 *G)
{
    const double limit = c->mu * c->gn0;
    const trxi_impulse normal = trxi_contact_normal(c, dt, v_c[2]);
    gamma[0] = gamma[1] = 0, gamma[2] = normal.n;
    *G = (trxi_sym3){.nn = -normal.slope};
    if (limit == 0) return normal.branch; // many that may act do not rub yet
    const trxi_slip slip = slip_direction(c, v_c);
    gamma[0] = -limit * slip.d[0], gamma[1] = -limit * slip.d[1];
    add_stretched(limit / slip.S, c->stretch, &slip, G);
    return normal.branch;
}

static int similar(const trxi_contact *c, double dt, const double v_c[3], double gamma[3], trxi_sym3 *G)
{
    const double mu = c->mu;
    trxi_slip slip = trxi_contact_slip(c, v_c);
    trxi_impulse normal = trxi_contact_normal(c, dt, v_c[2] - mu * slip.norm);
    double wx = -mu * slip.d[0], wy = -mu * slip.d[1], stiff = -normal.slope;
    gamma[0] = normal.n * wx, gamma[1] = normal.n * wy, gamma[2] = normal.n;
    *G = (trxi_sym3){stiff * wx * wx, stiff * wx * wy, stiff * wy * wy, stiff * wx, stiff * wy, stiff};
    add_stretched(mu * normal.n / slip.S, c->stretch, &slip, G);
    return normal.branch;
}

// rolling about the two tangents, torsion about the normal; v_c is the angular velocity
static int turn(const trxi_contact *c, const double w_c[3], double gamma[3], trxi_sym3 *G)
{
    const double roll = c->law.rolling_friction * c->gn0, twist = c->law.torsional_friction * c->gn0, e = c->soft;
    double S = sqrt(w_c[0] * w_c[0] + w_c[1] * w_c[1] + e * e), tx = w_c[0] / S, ty = w_c[1] / S;
    double Sn = sqrt(w_c[2] * w_c[2] + e * e), share = e / Sn;
    gamma[0] = -roll * tx, gamma[1] = -roll * ty, gamma[2] = -twist * w_c[2] / Sn;
    *G = (trxi_sym3){.nn = twist * share * share / Sn};
    add_projector(roll / S, tx, ty, G);
    return c->gn0 > 0 ? TRXI_TURN_ACTS : 0;
}

// the three regions of the projection; on their borders G of the closed side (stick, open)
static int sap(const trxi_contact *c, const double v_c[3], double gamma[3], trxi_sym3 *G)
{
    const double mu = c->mu, Rt = c->Rt, Rn = c->Rn;
    double yx = -v_c[0] / Rt, yy = -v_c[1] / Rt, yn = (c->v_hat - v_c[2]) / Rn;
    double yr = sqrt(yx * yx + yy * yy);
    double mu_hat = mu * Rt / Rn, scale = 1 / (1 + mu * mu_hat);

    if (mu > 0 ? yr <= mu * yn : false) {
        gamma[0] = yx, gamma[1] = yy, gamma[2] = yn;
        *G = (trxi_sym3){.xx = 1 / Rt, .yy = 1 / Rt, .nn = 1 / Rn};
        return TRXI_SAP_STICK;
    }
    if (yn <= -mu_hat * yr) {
        gamma[0] = gamma[1] = gamma[2] = 0;
        *G = (trxi_sym3){0};
        return 0;
    }

    // sliding: gamma_n = (y_n + mu^ y_r)/(1 + mu~^2), gamma_t = mu gamma_n t, G = (d gamma/dy) R^-1
    double n = (yn + mu_hat * yr) * scale;
    double tx = yr > 0 ? yx / yr : 0, ty = yr > 0 ? yy / yr : 0;
    gamma[0] = mu * n * tx, gamma[1] = mu * n * ty, gamma[2] = n;
    double tangential = mu * mu_hat * scale / Rt, cross = mu * scale / Rn;
    *G = (trxi_sym3){tangential * tx * tx, tangential * tx * ty, tangential * ty * ty,
                     cross * tx, cross * ty, scale / Rn};
    if (yr > 0) add_projector(mu * n / (yr * Rt), tx, ty, G);
    return TRXI_SAP_SLIDE;
}

void trxi_contact_impulse(const trxi_contact *contact, double dt, const double v_c[3], double gamma[3], trxi_sym3 *G,
                          int *branch)
{
    if (contact->kind == TRXI_CONTACT_TURN) {
        *branch = turn(contact, v_c, gamma, G);
        return;
    }
    switch (contact->law.approximation) {
    case TRX_LAGGED:
    case TRX_LAGGED_REGULARIZED:
        *branch = lagged(contact, dt, v_c, gamma, G);
        return;
    case TRX_SIMILAR:
    case TRX_SIMILAR_REGULARIZED:
        *branch = similar(contact, dt, v_c, gamma, G);
        return;
    case TRX_SAP:
        *branch = sap(contact, v_c, gamma, G);
        return;
    }
}
