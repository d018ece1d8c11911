// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Residuals of contact points against rigid contact with Coulomb friction, the same for every contact model (theory 4). With
// f = gamma/dt, c = (v_c - v_hat e_n)/dt and u = c + (0, 0, mu |c_t|)
//
//     e_p = dist(f, K)      e_d = dist(u, K*)      e_c = |f . u|          K = {|f_t| <= mu f_n}, K* = {mu |u_t| <= u_n}
//
// Under anisotropic friction, tangential forces are divided by the stretch of their direction and velocities multiplied by it.

#include "contact/model.h"

#include "contact/rigid.h"

// distance of (r, n) from the cone {a r <= b n}, r >= 0
static double distance(double a, double b, double r, double n)
{
    if (a * r <= b * n) return 0;
    return a * n + b * r <= 0 ? hypot(r, n) : (a * r - b * n) / hypot(a, b);
}

static trx_contact_residual of_point(const trxi_row_block *block, double dt)
{
    const double mu = block->contact.mu, s = block->contact.stretch, rate = 1 / dt;
    const double *v = block->at.v_c, *gamma = block->at.gamma;
    const double f[3] = {rate * gamma[0] / s, rate * gamma[1] * s, rate * gamma[2]};
    double c[3] = {rate * v[0] * s, rate * v[1] / s, rate * (v[2] - trxi_rigid_target(block))};
    const double slip = hypot(c[0], c[1]);
    c[2] += mu * slip;
    return (trx_contact_residual){.e_p = distance(1, mu, hypot(f[0], f[1]), f[2]),
                                  .e_d = distance(mu, 1, slip, c[2]),
                                  .e_c = fabs(f[0] * c[0] + f[1] * c[1] + f[2] * c[2])};
}

trx_contact_residual trxi_contact_residual(const trxi_row_block *blocks, int nblock, double dt)
{
    trx_contact_residual most = {0};
    for (int k = 0; k < nblock; k++) {
        if (blocks[k].n != 3 || blocks[k].law->angular) continue;
        const trx_contact_residual one = of_point(&blocks[k], dt);
        most.e_p = fmax(most.e_p, one.e_p), most.e_d = fmax(most.e_d, one.e_d), most.e_c = fmax(most.e_c, one.e_c);
    }
    return most;
}
