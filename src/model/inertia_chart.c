// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The log-Cholesky chart of inertias [Rucker, Wensing: Smooth Parameterization of Rigid-Body Inertia, 2022]: the second moments of
// a body, with its mass as a fourth row, are U U^T with U upper triangular,
//
//     U = e^alpha [ S t ; 0 1 ],      S = [ e^d1 s12 s13 ; 0 e^d2 s23 ; 0 0 e^d3 ]
//
// Multiplied out about the body's origin and moved to the centre of mass this is
//
//     mass = e^(2 alpha)      com = t      Sigma = mass S S^T      tensor = tr(Sigma) 1 - Sigma
//
// with Sigma the second moments about the centre of mass. Sigma is positive definite for every z, and every positive
// definite Sigma has a z. So for every z some body of positive density has this mass and these moments (theory 6).

#include "math/vec3.h"

#include <tractrix/parameters.h>

#include <string.h>

enum { CHART = 10 };

// positions of z's entries 1 .. 6 in S: d1 d2 d3 s12 s23 s13
static const int row_of[6] = {0, 1, 2, 0, 1, 0}, column_of[6] = {0, 1, 2, 1, 2, 2};

// positions of xx yy zz xy xz yz
static const int first_of[6] = {0, 1, 2, 0, 0, 1}, second_of[6] = {0, 1, 2, 1, 2, 2};

// S, column-major
static void factor(const double z[CHART], double S[9])
{
    memset(S, 0, 9 * sizeof *S);
    for (int k = 0; k < 6; k++) S[row_of[k] + 3 * column_of[k]] = k < 3 ? exp(z[1 + k]) : z[1 + k];
}

// out = share tr(in) 1 - in: share 1 makes the tensor of Sigma, share 1/2 makes Sigma of the tensor
static void exchange(const double in[6], double share, double out[6])
{
    double trace = share * (in[0] + in[1] + in[2]);
    for (int k = 0; k < 6; k++) out[k] = (k < 3 ? trace : 0) - in[k];
}

// sigma = m (S T^T + T S^T)/2
static void second_moments(double m, const double S[9], const double T[9], double sigma[6])
{
    for (int k = 0; k < 6; k++) {
        int i = first_of[k], j = second_of[k];
        sigma[k] = 0;
        for (int c = 0; c < 3; c++)
            sigma[k] += 0.5 * m * (S[i + 3 * c] * T[j + 3 * c] + T[i + 3 * c] * S[j + 3 * c]);
    }
}

static void differentiate(const trx_body_inertia *inertia, const double S[9], double *jacobian)
{
    memset(jacobian, 0, CHART * CHART * sizeof *jacobian);
    jacobian[0] = 2 * inertia->mass;
    for (int k = 0; k < 6; k++) jacobian[4 + k] = 2 * inertia->tensor[k];
    for (int k = 0; k < 6; k++) {
        double dS[9] = {0}, sigma[6];
        int at = row_of[k] + 3 * column_of[k];
        dS[at] = k < 3 ? S[at] : 1;
        second_moments(2 * inertia->mass, S, dS, sigma);
        exchange(sigma, 1, jacobian + CHART * (1 + k) + 4);
    }
    for (int k = 0; k < 3; k++) jacobian[CHART * (7 + k) + 1 + k] = 1;
}

void trx_inertia_from_chart(const double z[10], trx_body_inertia *inertia, double *jacobian)
{
    double S[9], sigma[6];
    factor(z, S);
    inertia->mass = exp(2 * z[0]);
    trxi_copy3(z + 7, inertia->com);
    second_moments(inertia->mass, S, S, sigma);
    exchange(sigma, 1, inertia->tensor);
    if (jacobian) differentiate(inertia, S, jacobian);
}

bool trx_inertia_to_chart(const trx_body_inertia *inertia, double z[10])
{
    const double m = inertia->mass;
    double sigma[6];
    if (!(m > 0 && isfinite(m))) return false;
    exchange(inertia->tensor, 0.5, sigma);
    for (int k = 0; k < 6; k++) sigma[k] /= m;

    // S S^T from the last column on; a diagonal entry that is only rounding counts as zero
    const double least = 1e-14 * (sigma[0] + sigma[1] + sigma[2]);
    if (!(sigma[2] > least)) return false;
    double s33 = sqrt(sigma[2]), s13 = sigma[4] / s33, s23 = sigma[5] / s33, rest = sigma[1] - s23 * s23;
    if (!(rest > least)) return false;
    double s22 = sqrt(rest), s12 = (sigma[3] - s13 * s23) / s22;
    rest = sigma[0] - s12 * s12 - s13 * s13;
    if (!(rest > least && isfinite(rest))) return false;

    const double out[CHART] = {0.5 * log(m), 0.5 * log(rest), log(s22), log(s33), s12, s23, s13, inertia->com[0],
                               inertia->com[1], inertia->com[2]};
    memcpy(z, out, sizeof out);
    return true;
}
