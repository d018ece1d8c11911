// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See search.h.

#include "search.h"

double separation_along(const trxi_core *A, const trxi_core *B, const double n[3])
{
    double minus[3] = {-n[0], -n[1], -n[2]}, a[3], b[3];
    trxi_core_support(A, 0, n, a);
    trxi_core_support(B, 0, minus, b);
    return trxi_dot3(n, b) - trxi_dot3(n, a) - A->radius - B->radius;
}

// steps at random that shrink while they fail
static double climb(dice *d, const trxi_core *A, const trxi_core *B, double n[3])
{
    double best = separation_along(A, B, n), step = 0.05;
    int failed = 0;
    while (step > 1e-10) {
        double u[3], trial[3];
        random_direction(d, u);
        trxi_copy3(n, trial);
        trxi_axpy3(step, u, trial);
        trxi_normalize3(trial, trial);
        double s = separation_along(A, B, trial);
        if (s > best) {
            best = s, failed = 0, step *= 1.5;
            trxi_copy3(trial, n);
        } else if (++failed > 12) {
            step *= 0.6, failed = 0;
        }
    }
    return best;
}

double searched_separation(dice *d, const body *A, const body *B, double n[3])
{
    enum { STARTS = 3, DIRECTIONS = 1000 };
    trxi_placed_shape a = placed(A), b = placed(B);
    trxi_core core_A = trxi_core_of(&a), core_B = trxi_core_of(&b);
    double start[STARTS][3] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
    double most[STARTS] = {-INFINITY, -INFINITY, -INFINITY}, best = -INFINITY;
    for (int k = 0; k < DIRECTIONS; k++) {
        double u[3];
        random_direction(d, u);
        double s = separation_along(&core_A, &core_B, u);
        int at = 0;
        while (at < STARTS && s <= most[at]) at++;
        for (int i = STARTS - 1; i > at; i--) {
            most[i] = most[i - 1];
            trxi_copy3(start[i - 1], start[i]);
        }
        if (at == STARTS) continue;
        most[at] = s;
        trxi_copy3(u, start[at]);
    }
    for (int k = 0; k < STARTS; k++) {
        double s = climb(d, &core_A, &core_B, start[k]);
        if (s <= best) continue;
        best = s;
        trxi_copy3(start[k], n);
    }
    return best;
}
