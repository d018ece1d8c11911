// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Kernels on panels for any processor: plain loops down the columns, which a compiler can vectorize.

#include "sparse/panel_kernels.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

enum { LANES = TRXI_PANEL_LANES };

static void downdate(int m, int n, int k, bool lower, const double *A, int lda, const double *B, int ldb, double *C,
                     int ldc)
{
    for (int j = 0; j < n; j++)
        for (int l = 0; l < k; l++) {
            const double factor = B[j + l * ldb], *a = A + l * lda;
            double *c = C + j * ldc;
            for (int i = lower ? j : 0; i < m; i++) c[i] -= a[i] * factor;
        }
}

static bool factorize(int rows, int width, double *A, int lda, double *inverse)
{
    for (int c = 0; c < width; c++) {
        double *column = A + c * lda, pivot = column[c];
        if (!(pivot >= DBL_MIN) || !(pivot <= DBL_MAX)) return false;
        column[c] = sqrt(pivot);
        inverse[c] = 1 / column[c];
        for (int i = c + 1; i < rows; i++) column[i] *= inverse[c];
        downdate(rows - c - 1, width - c - 1, 1, true, column + c + 1, lda, column + c + 1, lda, column + lda + c + 1, lda);
    }
    return true;
}

static void forward(int rows, int width, const double *L, int ldl, const double *inverse, double *x)
{
    for (int c = 0; c < width; c++) {
        x[c] *= inverse[c];
        for (int i = c + 1; i < rows; i++) x[i] -= L[i + c * ldl] * x[c];
    }
}

static void backward(int rows, int width, const double *L, int ldl, const double *inverse, double *x)
{
    for (int c = width - 1; c >= 0; c--) {
        double sum = x[c];
        for (int i = c + 1; i < rows; i++) sum -= L[i + c * ldl] * x[i];
        x[c] = sum * inverse[c];
    }
}

static void scale_row(double inverse, double *x)
{
    for (int k = 0; k < LANES; k++) x[k] *= inverse;
}

static void subtract_row(double factor, const double *x, double *y)
{
    for (int k = 0; k < LANES; k++) y[k] -= factor * x[k];
}

static void forward_lanes(int width, const double *L, int ldl, const double *inverse, double *X)
{
    for (int c = 0; c < width; c++) {
        scale_row(inverse[c], X + LANES * c);
        for (int i = c + 1; i < width; i++) subtract_row(L[i + c * ldl], X + LANES * c, X + LANES * i);
    }
}

static void backward_lanes(int width, const double *L, int ldl, const double *inverse, double *X)
{
    for (int c = width - 1; c >= 0; c--) {
        for (int i = c + 1; i < width; i++) subtract_row(L[i + c * ldl], X + LANES * i, X + LANES * c);
        scale_row(inverse[c], X + LANES * c);
    }
}

static void spread_lanes(int rows, int width, const double *B, int ldb, const double *X, double *Y)
{
    for (int c = 0; c < width; c++)
        for (int i = 0; i < rows; i++) subtract_row(B[i + c * ldb], X + LANES * c, Y + LANES * i);
}

static void collect_lanes(int rows, int width, const double *B, int ldb, const double *Y, double *X)
{
    for (int c = 0; c < width; c++)
        for (int i = 0; i < rows; i++) subtract_row(B[i + c * ldb], Y + LANES * i, X + LANES * c);
}

static bool fill_lanes(int rows, int used, const double *X, int ldx, double *Y)
{
    bool any = false;
    for (int l = 0; l < LANES; l++)
        for (int i = 0; i < rows; i++) {
            const double value = l < used ? X[i + l * ldx] : 0;
            Y[LANES * i + l] = value;
            any = any || value != 0;
        }
    return any;
}

static void empty_lanes(int rows, int used, const double *Y, double *X, int ldx)
{
    for (int l = 0; l < used; l++)
        for (int i = 0; i < rows; i++) X[i + l * ldx] = Y[LANES * i + l];
}

static void combine(int m, int n, int count, const double *const *A, const double *B, int ldb, double *C, int ldc)
{
    for (int j = 0; j < n; j++) {
        double *c = C + (ptrdiff_t)j * ldc;
        for (int i = 0; i < m; i++) c[i] = 0;
        for (int k = 0; k < count; k++) {
            const double factor = B[(ptrdiff_t)k * ldb + j], *a = A[k];
            for (int i = 0; i < m; i++) c[i] += a[i] * factor;
        }
    }
}

const trxi_panel_kernels trxi_panel_portable = {
    factorize,      downdate,     forward,       backward,   forward_lanes,
    backward_lanes, spread_lanes, collect_lanes, fill_lanes, empty_lanes,  combine,
};
