// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Lemke's method. An artificial variable a >= 0 is added to every row, and the basic variables are functions of the others:
//
//     w = q + M z + a (1, ..., 1)
//
// First a enters in the row where q is least, which makes all basic variables non-negative. Then the complement of the variable
// that left enters and grows until a basic variable falls to 0. This variable leaves. The method ends when a leaves. For the
// matrices of contact the end is a solution unless rounding prevents it, which a product with M shows. If several basic variables
// fall to 0 together, their rows of the inverse of the basis are divided by their slopes, and the row that is lexicographically
// least is chosen. So no basis comes twice. O(n^2) a pivot, usually about n pivots.

#include "math/lemke.h"

#include <math.h>

// variables: w 0 .. n-1, z n .. 2n-1, a 2n
typedef struct dictionary {
    int n;
    double *T;               // n x (n + 2) by columns: coefficients of the n + 1 variables outside the basis, then the constants
    int *basic, *outside;    // variable of each row and of each column but the last
} dictionary;

static double *column(const dictionary *d, int c)
{
    return d->T + (size_t)d->n * (size_t)c;
}

// exchanges the variables of row r and column c
static void exchange(const dictionary *d, int r, int c)
{
    const int n = d->n, leaving = d->basic[r];
    double *pivot = column(d, c);
    const double inverse = 1 / pivot[r];
    for (int j = 0; j < n + 2; j++) {
        double *x = column(d, j);
        if (j == c || x[r] == 0) continue;
        const double by = -x[r] * inverse;
        for (int i = 0; i < n; i++) x[i] += by * pivot[i];
        x[r] = by;
    }
    for (int i = 0; i < n; i++) pivot[i] *= inverse;
    pivot[r] = inverse;
    d->basic[r] = d->outside[c], d->outside[c] = leaving;
}

// order of two ratios: -1, 0, 1; equal up to rounding. Constants are scaled to at most 1
static int compare(double a, double b)
{
    const double least = 1e-12 * (1 + fabs(a) + fabs(b));
    return a < b - least ? -1 : a > b + least;
}

// entry of w_j in row i of the inverse of the basis
static double inverse_entry(const dictionary *d, int i, int j)
{
    if (d->basic[i] == j) return 1;
    for (int c = 0; c <= d->n; c++)
        if (d->outside[c] == j) return -column(d, c)[i];
    return 0;
}

// whether row i limits the variable of column c more than row k
static bool limits_more(const dictionary *d, int i, int k, int c)
{
    const double *fall = column(d, c), *constant = column(d, d->n + 1), by_i = -1 / fall[i], by_k = -1 / fall[k];
    int order = compare(constant[i] * by_i, constant[k] * by_k);
    for (int j = 0; j < d->n && order == 0; j++) order = compare(inverse_entry(d, i, j) * by_i, inverse_entry(d, k, j) * by_k);
    return order < 0;
}

// the row that limits the variable of column c; -1: a ray
static int limiting(const dictionary *d, int c)
{
    static const double least = 1e-11;
    int row = -1;
    for (int i = 0; i < d->n; i++)
        if (column(d, c)[i] < -least && (row < 0 || limits_more(d, i, row, c))) row = i;
    return row;
}

static int complement(int n, int variable)
{
    return variable < n ? variable + n : variable - n;
}

static void begin(const dictionary *d, const double *M, const double *q, double scale)
{
    const int n = d->n;
    for (int i = 0; i < n * n; i++) d->T[i] = M[i];
    for (int i = 0; i < n; i++) {
        column(d, n)[i] = 1, column(d, n + 1)[i] = q[i] / scale;
        d->basic[i] = i, d->outside[i] = n + i;
    }
    d->outside[n] = 2 * n;
}

// writes z; returns false when min(w, z) of a row differs from 0 by more than a billionth of the largest terms, w = q + M z
static bool finish(const dictionary *d, const double *M, const double *q, double scale, double *z)
{
    static const double accuracy = 1e-9;
    const int n = d->n;
    double worst = 0, largest = 0;
    bool finite = true; // every w depends on every z
    for (int i = 0; i < n; i++)
        if (d->basic[i] >= n) z[d->basic[i] - n] = scale * column(d, n + 1)[i];
    for (int i = 0; i < n; i++) {
        double w = q[i], size = fabs(q[i]);
        for (int j = 0; j < n; j++) w += M[i + n * j] * z[j], size += fabs(M[i + n * j] * z[j]);
        worst = fmax(worst, fabs(fmin(w, z[i]))), largest = fmax(largest, size);
        finite = finite && isfinite(w);
    }
    return finite && worst <= accuracy * largest;
}

bool trxi_lemke(int n, const double *M, const double *q, int most, double *numbers, int *integers, double *z, int *pivots)
{
    const dictionary d = {n, numbers, integers, integers + n};
    int row = 0, c = n;
    double scale = 0;
    for (int i = 0; i < n; i++) {
        z[i] = 0;
        scale = fmax(scale, fabs(q[i]));
        if (q[i] <= q[row]) row = i; // of equal rows the last, in the order of the rows of the inverse
    }
    if (n == 0 || q[row] >= 0) return true;
    begin(&d, M, q, scale);
    for (int k = 0; k < most && row >= 0; k++) {
        const int leaving = d.basic[row];
        exchange(&d, row, c);
        ++*pivots;
        if (leaving == 2 * n) return finish(&d, M, q, scale, z);
        for (c = 0; d.outside[c] != complement(n, leaving);) c++;
        row = limiting(&d, c);
    }
    return false;
}
