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
//
// |x|_s is computed as |x|^2 / (S + e), which keeps its digits where a regularized e is far above |x|.
// The regularized variants differ in e only. gamma is the gradient of a concave function of v_c in every case,
// so G is symmetric and positive semidefinite.

#include "contact/contact.h"

// (I - t t^T) scale, upper left block
static void add_projector(double scale, double tx, double ty, trxi_sym3 *G)
{
    G->xx += scale * (1 - tx * tx);
    G->xy -= scale * tx * ty;
    G->yy += scale * (1 - ty * ty);
}

static int lagged(const trxi_contact *c, double dt, const double v_c[3], double gamma[3], trxi_sym3 *G)
{
    const double limit = c->law.friction * c->gn0;
    double S = sqrt(v_c[0] * v_c[0] + v_c[1] * v_c[1] + c->soft * c->soft);
    double tx = v_c[0] / S, ty = v_c[1] / S;
    trxi_impulse normal = trxi_normal_impulse(&c->law, dt, c->phi0, v_c[2]);
    gamma[0] = -limit * tx, gamma[1] = -limit * ty, gamma[2] = normal.n;
    *G = (trxi_sym3){.nn = -normal.slope};
    add_projector(limit / S, tx, ty, G);
    return normal.branch;
}

static int similar(const trxi_contact *c, double dt, const double v_c[3], double gamma[3], trxi_sym3 *G)
{
    const double mu = c->law.friction;
    double square = v_c[0] * v_c[0] + v_c[1] * v_c[1], S = sqrt(square + c->soft * c->soft);
    double tx = v_c[0] / S, ty = v_c[1] / S, slip = square / (S + c->soft);
    trxi_impulse normal = trxi_normal_impulse(&c->law, dt, c->phi0, v_c[2] - mu * slip);
    double wx = -mu * tx, wy = -mu * ty, stiff = -normal.slope;
    gamma[0] = normal.n * wx, gamma[1] = normal.n * wy, gamma[2] = normal.n;
    *G = (trxi_sym3){stiff * wx * wx, stiff * wx * wy, stiff * wy * wy, stiff * wx, stiff * wy, stiff};
    add_projector(mu * normal.n / S, tx, ty, G);
    return normal.branch;
}

// the three regions of the projection; on their borders G of the closed side (stick, open)
static int sap(const trxi_contact *c, const double v_c[3], double gamma[3], trxi_sym3 *G)
{
    const double mu = c->law.friction, Rt = c->Rt, Rn = c->Rn;
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
