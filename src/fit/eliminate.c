// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Elimination of start states (theory 10); see eliminate.h. For each window, with the damped block H_ss = L L^T:
//
//     Y = L^-1 H_sp,   y = L^-1 g_s,   P += H_pp - Y^T Y,   p += g_p - Y^T y,   ds = -L^-T (y + Y dz)

#include "fit/eliminate.h"

#include "math/dense.h"

// relative to the largest entry of the diagonal: a direction that the window does not see does not move
static const double FLOOR = 1e-13;

static void damp(int n, double damping, double *L)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = L[i * n + i] > most ? L[i * n + i] : most;
    for (int i = 0; i < n; i++) L[i * n + i] += damping * L[i * n + i] + FLOOR * most + 1e-300;
}

bool trxi_eliminate(int ns, int np, const double *H, const double *g, double damping, const trxi_eliminated *out, double *P,
                    double *p)
{
    const int n = ns + np;
    for (int j = 0; j < ns; j++) {
        for (int i = 0; i < ns; i++) out->L[j * ns + i] = i >= j ? H[j * n + i] : 0;
        for (int i = 0; i < np; i++) out->Y[i * ns + j] = H[j * n + ns + i];
        out->y[j] = g[j];
    }
    damp(ns, damping, out->L);
    if (ns > 0 && trxi_cholesky(ns, out->L, ns) >= 0) return false;
    trxi_lower_solve(ns, out->L, ns, np, out->Y, ns);
    trxi_lower_solve(ns, out->L, ns, 1, out->y, ns);
    for (int j = 0; j < np; j++) {
        p[j] += g[ns + j] - trxi_dot(ns, out->Y + j * ns, out->y);
        for (int i = j; i < np; i++) P[j * np + i] += H[(ns + j) * n + ns + i] - trxi_dot(ns, out->Y + i * ns, out->Y + j * ns);
    }
    return true;
}

void trxi_eliminated_back(int ns, const double *L, double *x)
{
    for (int i = ns - 1; i >= 0; i--) {
        for (int k = i + 1; k < ns; k++) x[i] -= L[i * ns + k] * x[k];
        x[i] /= L[i * ns + i];
    }
}

void trxi_eliminated_step(int ns, int np, const trxi_eliminated *e, const double *dz, double *ds)
{
    for (int i = 0; i < ns; i++) {
        ds[i] = -e->y[i];
        for (int j = 0; j < np; j++) ds[i] -= e->Y[j * ns + i] * dz[j];
    }
    trxi_eliminated_back(ns, e->L, ds);
}

void trxi_eliminated_follow(int ns, int np, const trxi_eliminated *e, const double *dz, double *ds)
{
    for (int i = 0; i < ns; i++) {
        ds[i] = 0;
        for (int j = 0; j < np; j++) ds[i] -= e->Y[j * ns + i] * dz[j];
    }
    trxi_eliminated_back(ns, e->L, ds);
}

double trxi_predicted_decrease(int ns, int np, const double *H, const double *g, const double *ds, const double *dz,
                               double *scratch)
{
    const int n = ns + np;
    double *d = scratch, slope = 0, curvature = 0;
    for (int i = 0; i < n; i++) d[i] = i < ns ? ds[i] : dz[i - ns];
    for (int j = 0; j < n; j++) {
        slope += g[j] * d[j];
        curvature += H[j * n + j] * d[j] * d[j];
        for (int i = j + 1; i < n; i++) curvature += 2 * H[j * n + i] * d[i] * d[j];
    }
    return -slope - 0.5 * curvature;
}
