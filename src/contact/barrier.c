// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Steps that keep the arguments of barriers above 0 (theory 3). A barrier acts on phi0 + dt z, with z = v_n for lagged and
// z = v_n - mu |x|_s for similar contacts, x the stretched slip. phi0 > 0 makes v = 0 feasible. Along v_c + alpha dv_c the
// argument is concave, so what is feasible is one interval from 0. Its end, for lagged,
//
//     phi0/dt + v_n + alpha dv_n = 0
//
// and for similar, with B = phi0/dt + v_n + mu e and b = dv_n, the smallest positive root of
//
//     (B + alpha b)^2 = mu^2 (|x + alpha dx|^2 + e^2)
//
// A law taken between start and end has its own gap at v = 0 and its own time ahead in place of phi0 and dt.
// No other contact limits a step. Costs O(1) a contact.

#include "contact/barrier.h"

// smallest positive root of c0 + 2 c1 a + c2 a^2 with c0 > 0; INFINITY without one
static double first_root(double c0, double c1, double c2)
{
    double root = c1 * c1 - c2 * c0;
    if (root < 0) return INFINITY;
    double slope = sqrt(root) - c1;
    return slope > 0 ? c0 / slope : INFINITY;
}

static bool is_similar(const trxi_contact *c)
{
    return c->law.approximation == TRX_SIMILAR || c->law.approximation == TRX_SIMILAR_REGULARIZED;
}

double trxi_contact_separation(const trxi_contact *c, const double v_c[3])
{
    return v_c[2] - (is_similar(c) ? c->mu * trxi_contact_slip(c, v_c).norm : 0);
}

static bool has_barrier(const trxi_contact *c)
{
    return c->kind == TRXI_CONTACT_POINT && trxi_law_is_barrier(&c->law);
}

double trxi_contact_longest_step(const trxi_contact *c, double dt, const double v_c[3], const double dv_c[3])
{
    if (!has_barrier(c)) return INFINITY;
    const double open = trxi_contact_gap(c, dt, 0) / trxi_contact_ahead(c, dt) + v_c[2];
    if (!is_similar(c) || !(c->mu > 0)) return dv_c[2] < 0 ? open / -dv_c[2] : INFINITY;

    const double mu = c->mu, e = c->soft, s = c->stretch, B = open + mu * e, b = dv_c[2];
    const double x[2] = {s * v_c[0], v_c[1] / s}, dx[2] = {s * dv_c[0], dv_c[1] / s};
    double c0 = open * (open + 2 * mu * e) - mu * mu * (x[0] * x[0] + x[1] * x[1]); // B^2 - mu^2 (|x|^2 + e^2)
    double c1 = B * b - mu * mu * (x[0] * dx[0] + x[1] * dx[1]);
    double c2 = b * b - mu * mu * (dx[0] * dx[0] + dx[1] * dx[1]);
    return c0 > 0 ? first_root(c0, c1, c2) : 0;
}

bool trxi_barrier_any(const trxi_contact *contacts, int first)
{
    for (int i = first; i >= 0; i = contacts[i].next)
        if (has_barrier(&contacts[i])) return true;
    return false;
}

double trxi_barrier_step(const trxi_contact *contacts, int first, double dt, double most)
{
    for (int i = first; i >= 0; i = contacts[i].next) {
        const trxi_contact *c = &contacts[i];
        most = fmin(most, trxi_barrier_share * trxi_contact_longest_step(c, dt, c->v_c, c->dv_c));
    }
    return most;
}

double trxi_barrier_entry(const trxi_contact *contacts, int first, double dt, const double *v)
{
    double scale = 1;
    for (int i = first; i >= 0; i = contacts[i].next) {
        const trxi_contact *c = &contacts[i];
        if (!has_barrier(c)) continue;
        double dv_c[3] = {0, 0, 0}, v_c[3];
        trxi_contact_project(c, v, dv_c);
        for (int a = 0; a < 3; a++) v_c[a] = c->bias[a] + dv_c[a];
        if (trxi_contact_gap(c, dt, trxi_contact_separation(c, v_c)) > 0) continue;
        if (!(trxi_contact_gap(c, dt, trxi_contact_separation(c, c->bias)) > 0)) return 0;
        scale = fmin(scale, trxi_barrier_share * trxi_contact_longest_step(c, dt, c->bias, dv_c));
    }
    return scale;
}
