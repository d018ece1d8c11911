// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A body's inertia relative to its start (theory 10); see body_chart.h. The second moments with the mass as a fourth row are U U^T with U
// upper triangular (model/inertia_chart.c). Upper triangular matrices are a group, so with U0 of the start
//
//     U = U0 V,   V = e^a [ S t ; 0 1 ],   S = [ e^d1 s12 s13 ; 0 e^d2 s23 ; 0 0 e^d3 ],   z = (a, d1, d2, d3, s12, s23, s13, t1, t2, t3)
//
// U has the chart's numbers a0 + a, S0 S and S0 t + t0. z has no unit, and its length does not depend on the axes of the body: near the
// start it is that of U0^-1 dP U0^-T, the relative change of the second moments P [Lee, Wensing, Park: Geometric robot dynamic
// identification, 2020], with the scales a and d counted twice.

#include "fit/body_chart.h"

#include "math/dense.h"

#include <tractrix/parameters.h>

#include <math.h>
#include <string.h>

enum { A, D1, D2, D3, S12, S23, S13, T1, T2, T3 };

static trx_body_inertia body_of(const double values[10])
{
    trx_body_inertia body = {.mass = values[0]};
    memcpy(body.com, values + 1, sizeof body.com);
    memcpy(body.tensor, values + 4, sizeof body.tensor);
    return body;
}

// the chart's numbers of U0 V, and their derivatives with respect to z
static void compose(const double u[10], const double z[10], double out[10], double *J)
{
    const double e0[3] = {exp(u[D1]), exp(u[D2]), exp(u[D3])}, e2 = exp(z[D2]), e3 = exp(z[D3]);
    for (int i = A; i <= D3; i++) out[i] = u[i] + z[i];
    out[S12] = e0[0] * z[S12] + u[S12] * e2;
    out[S23] = e0[1] * z[S23] + u[S23] * e3;
    out[S13] = e0[0] * z[S13] + u[S12] * z[S23] + u[S13] * e3;
    out[T1] = u[T1] + e0[0] * z[T1] + u[S12] * z[T2] + u[S13] * z[T3];
    out[T2] = u[T2] + e0[1] * z[T2] + u[S23] * z[T3];
    out[T3] = u[T3] + e0[2] * z[T3];

    // columns of z, rows of the chart
    memset(J, 0, 100 * sizeof *J);
    for (int i = A; i <= D3; i++) J[11 * i] = 1;
    J[10 * S12 + S12] = J[10 * S13 + S13] = J[10 * T1 + T1] = e0[0];
    J[10 * S23 + S23] = J[10 * T2 + T2] = e0[1];
    J[10 * T3 + T3] = e0[2];
    J[10 * S23 + S13] = J[10 * T2 + T1] = u[S12];
    J[10 * T3 + T1] = u[S13], J[10 * T3 + T2] = u[S23];
    J[10 * D2 + S12] = u[S12] * e2;
    J[10 * D3 + S23] = u[S23] * e3, J[10 * D3 + S13] = u[S13] * e3;
}

// z of V = U0^-1 U
static void divide(const double u[10], const double of[10], double z[10])
{
    const double e0[3] = {exp(u[D1]), exp(u[D2]), exp(u[D3])};
    for (int i = A; i <= D3; i++) z[i] = of[i] - u[i];
    z[S12] = (of[S12] - u[S12] * exp(z[D2])) / e0[0];
    z[S23] = (of[S23] - u[S23] * exp(z[D3])) / e0[1];
    z[S13] = (of[S13] - u[S12] * z[S23] - u[S13] * exp(z[D3])) / e0[0];
    z[T3] = (of[T3] - u[T3]) / e0[2];
    z[T2] = (of[T2] - u[T2] - u[S23] * z[T3]) / e0[1];
    z[T1] = (of[T1] - u[T1] - u[S12] * z[T2] - u[S13] * z[T3]) / e0[0];
}

void trxi_body_chart_values(const double start[10], const double z[10], double values[10], double *jacobian)
{
    const trx_body_inertia first = body_of(start);
    trx_body_inertia body;
    double u[10], moved[10], by_chart[100], by_z[100];
    if (!trx_inertia_to_chart(&first, u)) memset(u, 0, sizeof u); // the start was checked
    compose(u, z, moved, by_z);
    trx_inertia_from_chart(moved, &body, jacobian ? by_chart : NULL);
    values[0] = body.mass;
    memcpy(values + 1, body.com, sizeof body.com);
    memcpy(values + 4, body.tensor, sizeof body.tensor);
    if (jacobian) trxi_gemm(10, 10, 10, 1, by_chart, 10, by_z, 10, 0, jacobian, 10);
}

bool trxi_body_chart_unknowns(const double start[10], const double values[10], double z[10])
{
    const trx_body_inertia first = body_of(start), body = body_of(values);
    double u[10], of[10];
    if (!trx_inertia_to_chart(&first, u) || !trx_inertia_to_chart(&body, of)) return false;
    divide(u, of, z);
    return true;
}

double trxi_body_chart_gauge(int number)
{
    return number <= D3 ? 2 : 1;
}
