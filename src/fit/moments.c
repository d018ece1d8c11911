// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A body's inertia relative to its start (theory 10); see moments.h. The second moments about the body's origin, with
// the first moments and the mass as a fourth row, are those of a body with a density if and only if they are positive
// definite:
//
//     P = [ Sigma + m c c^T   m c ; m c^T   m ],     tensor = tr(Sigma) 1 - Sigma,     P = U (1 + X) U^T,  U U^T = P at the start
//
// z are the ten numbers of X. The equation of motion is linear in P, so in z the values that explain a recording
// equally well lie on a straight line; in the log-Cholesky chart this valley is bent, and a fit creeps along it. The
// step keeps a share of its distance from the boundary, and the prior is the entropic divergence [Lee, Wensing, Park:
// Geometric robot dynamic identification, 2020],
//
//     f = (tr X - log det(1 + X)) / sd^2 = tr(X^2) / (2 sd^2) + ...,     df = tr(dX - W dX) / sd^2,     d2f = tr(W dX W dX) / sd^2,
//
// W = (1 + X)^-1. f and its convexity do not depend on the axes and units of the body, and f is infinite at the boundary.

#include "fit/moments.h"

#include "math/dense.h"

#include <tractrix/parameters.h>

#include <math.h>
#include <string.h>

static const double KEPT = 0.1; // share of the distance from the boundary that a step leaves

// z: xx yy zz and the mass, then the other entries of X
static const int row_of[10] = {0, 1, 2, 3, 1, 2, 2, 3, 3, 3}, column_of[10] = {0, 1, 2, 3, 0, 0, 1, 0, 1, 2};

// positions of xx yy zz xy xz yz
static const int first_of[6] = {0, 1, 2, 0, 0, 1}, second_of[6] = {0, 1, 2, 1, 2, 2};

static void add_symmetric(int k, double value, double X[16])
{
    const int i = row_of[k], j = column_of[k];
    X[4 * j + i] += value;
    if (i != j) X[4 * i + j] += value;
}

// unit (1 or 0) times the identity, and z
static void matrix_of(double unit, const double z[10], double X[16])
{
    memset(X, 0, 16 * sizeof *X);
    for (int k = 0; k < 10; k++) add_symmetric(k, z[k] + (k < 4 ? unit : 0), X);
}

// U with U U^T = P; false: not positive definite
static bool factor(const double values[10], double U[16])
{
    trx_body_inertia body = {.mass = values[0]};
    double z[10];
    memcpy(body.com, values + 1, sizeof body.com);
    memcpy(body.tensor, values + 4, sizeof body.tensor);
    if (!trx_inertia_to_chart(&body, z)) return false;
    const double e = exp(z[0]);
    const double columns[16] = {exp(z[1]), 0, 0, 0, z[4], exp(z[2]), 0, 0, z[6], z[5], exp(z[3]), 0, z[7], z[8], z[9], 1};
    for (int i = 0; i < 16; i++) U[i] = e * columns[i];
    return true;
}

// P = U X U^T
static void congruence(const double U[16], const double X[16], double P[16])
{
    double UX[16];
    trxi_gemm(4, 4, 4, 1, U, 4, X, 4, 0, UX, 4);
    memset(P, 0, 16 * sizeof *P);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++) P[4 * j + i] += UX[4 * k + i] * U[4 * k + j];
}

// tensor = tr(Sigma) 1 - Sigma
static void tensor_of(const double sigma[6], double tensor[6])
{
    const double trace = sigma[0] + sigma[1] + sigma[2];
    for (int k = 0; k < 6; k++) tensor[k] = (k < 3 ? trace : 0) - sigma[k];
}

static void values_of(const double P[16], double values[10])
{
    const double m = P[15], *h = P + 12;
    double sigma[6];
    values[0] = m;
    for (int i = 0; i < 3; i++) values[1 + i] = h[i] / m;
    for (int k = 0; k < 6; k++) sigma[k] = P[4 * second_of[k] + first_of[k]] - h[first_of[k]] * h[second_of[k]] / m;
    tensor_of(sigma, values + 4);
}

// values change with dP: dc = (dh - c dm)/m, dSigma = d(Sigma + m c c^T) - dh c^T - c dh^T + dm c c^T
static void change_of(const double values[10], const double dP[16], double out[10])
{
    const double *c = values + 1, *dh = dP + 12, dm = dP[15];
    double sigma[6];
    out[0] = dm;
    for (int i = 0; i < 3; i++) out[1 + i] = (dh[i] - c[i] * dm) / values[0];
    for (int k = 0; k < 6; k++) {
        const int i = first_of[k], j = second_of[k];
        sigma[k] = dP[4 * j + i] - dh[i] * c[j] - c[i] * dh[j] + dm * c[i] * c[j];
    }
    tensor_of(sigma, out + 4);
}

void trxi_moments_values(const double start[10], const double z[10], double values[10], double *jacobian)
{
    double U[16], X[16], P[16];
    memcpy(values, start, 10 * sizeof *values);
    if (!factor(start, U)) return; // the start was checked
    matrix_of(1, z, X);
    congruence(U, X, P);
    values_of(P, values);
    for (int k = 0; k < 10 && jacobian; k++) {
        memset(X, 0, sizeof X);
        add_symmetric(k, 1, X);
        congruence(U, X, P);
        change_of(values, P, jacobian + 10 * k);
    }
}

bool trxi_moments_unknowns(const double start[10], const double values[10], double z[10])
{
    double U[16], V[16], inverse[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, root[16];
    if (!factor(start, U) || !factor(values, V)) return false;

    // U^-1 from the last row on, then X = (U^-1 V)(U^-1 V)^T - 1
    for (int j = 0; j < 4; j++)
        for (int i = 3; i >= 0; i--) {
            for (int k = i + 1; k < 4; k++) inverse[4 * j + i] -= U[4 * k + i] * inverse[4 * j + k];
            inverse[4 * j + i] /= U[5 * i];
        }
    trxi_gemm(4, 4, 4, 1, inverse, 4, V, 4, 0, root, 4);
    for (int k = 0; k < 10; k++) {
        z[k] = k < 4 ? -1 : 0;
        for (int i = 0; i < 4; i++) z[k] += root[4 * i + row_of[k]] * root[4 * i + column_of[k]];
    }
    return true;
}

double trxi_moments_reach(const double z[10], const double dz[10])
{
    double share = 1;
    for (; share > 1e-12; share *= 0.5) {
        double now[16], step[16];
        matrix_of(1, z, now);
        matrix_of(0, dz, step);
        for (int i = 0; i < 16; i++) now[i] = (1 - KEPT) * now[i] + share * step[i];
        if (trxi_cholesky(4, now, 4) < 0) return share;
    }
    return 0;
}

double trxi_moments_prior(double sd, const double z[10], double *gradient, double *H, int ldh)
{
    const double scale = 1 / (sd * sd);
    double L[16], W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, f = 0;
    matrix_of(1, z, L);
    if (trxi_cholesky(4, L, 4) >= 0) return INFINITY;
    for (int i = 0; i < 4; i++) f += z[i] - 2 * log(L[5 * i]);
    trxi_cholesky_solve(4, L, 4, 4, W, 4);
    for (int k = 0; k < 10 && gradient; k++) {
        const int i = row_of[k], j = column_of[k];
        gradient[k] += scale * (i == j ? 1 - W[5 * i] : -2 * W[4 * j + i]);
    }
    for (int l = 0; l < 10 && H; l++) {
        double E[16] = {0}, WE[16], WEW[16];
        add_symmetric(l, 1, E);
        trxi_gemm(4, 4, 4, 1, W, 4, E, 4, 0, WE, 4);
        trxi_gemm(4, 4, 4, 1, WE, 4, W, 4, 0, WEW, 4);
        for (int k = l; k < 10; k++) H[l * ldh + k] += scale * (k < 4 ? 1 : 2) * WEW[4 * column_of[k] + row_of[k]];
    }
    return scale * f;
}
