// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The contact model lcp (theory 4) against a method of another kind: Lemke's pivoting solves the same linear complementarity
// problem, built from dense matrices, without sweeps.

#include "contact/island_solvers.h"
#include "contact/model.h"
#include "contact/problem.h"
#include "math/dense.h"
#include "support/support.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { NV = 12, CONTACTS = 3, ROWS = 3 * CONTACTS, EACH = 7, SIZE = EACH * CONTACTS };

// ---- Lemke's method: w = M z + q, w >= 0, z >= 0, w . z = 0 ----

// columns w, z, the artificial variable, q; the basis names the variable of a row
typedef struct tableau {
    double T[SIZE][2 * SIZE + 2];
    int basis[SIZE];
} tableau;

static void pivot(tableau *t, int row, int column)
{
    const double by = t->T[row][column];
    for (int j = 0; j < 2 * SIZE + 2; j++) t->T[row][j] /= by;
    for (int i = 0; i < SIZE; i++) {
        const double factor = t->T[i][column];
        if (i == row || factor == 0) continue;
        for (int j = 0; j < 2 * SIZE + 2; j++) t->T[i][j] -= factor * t->T[row][j];
    }
    t->basis[row] = column;
}

// order of two ratios: -1, 0, 1; equal up to rounding
static int compare(double a, double b)
{
    const double least = 1e-12 * (1 + fabs(a) + fabs(b));
    return a < b - least ? -1 : a > b + least;
}

// Whether row i limits the entering variable more than row k: compares q over the column, then the rows of the inverse basis over
// the column, so no basis comes twice.
static bool limits_more(const tableau *t, int i, int k, int column)
{
    const double *a = t->T[i], *b = t->T[k], by_a = 1 / a[column], by_b = 1 / b[column];
    int order = compare(a[2 * SIZE + 1] * by_a, b[2 * SIZE + 1] * by_b);
    for (int j = 0; j < SIZE && order == 0; j++) order = compare(a[j] * by_a, b[j] * by_b);
    return order < 0;
}

// the row that limits the entering variable; -1: a ray
static int limiting(const tableau *t, int column)
{
    int row = -1;
    for (int i = 0; i < SIZE; i++)
        if (t->T[i][column] > 1e-11 && (row < 0 || limits_more(t, i, row, column))) row = i;
    return row;
}

static bool lemke(double M[SIZE][SIZE], const double q[SIZE], double z[SIZE])
{
    enum { MOST = 500, ARTIFICIAL = 2 * SIZE };
    static tableau t;
    int row = 0;
    memset(&t, 0, sizeof t);
    for (int i = 0; i < SIZE; i++) {
        t.basis[i] = i, t.T[i][i] = 1, t.T[i][ARTIFICIAL] = -1, t.T[i][ARTIFICIAL + 1] = q[i];
        for (int j = 0; j < SIZE; j++) t.T[i][SIZE + j] = -M[i][j];
        if (q[i] < q[row]) row = i;
    }
    memset(z, 0, SIZE * sizeof *z);
    if (q[row] >= 0) return true;
    for (int k = 0, entering = ARTIFICIAL; k < MOST; k++) {
        const int leaving = t.basis[row];
        pivot(&t, row, entering);
        if (leaving == ARTIFICIAL) {
            for (int i = 0; i < SIZE; i++)
                if (t.basis[i] >= SIZE && t.basis[i] < ARTIFICIAL) z[t.basis[i] - SIZE] = t.T[i][ARTIFICIAL + 1];
            return true;
        }
        entering = leaving < SIZE ? leaving + SIZE : leaving - SIZE;
        if ((row = limiting(&t, entering)) < 0) return false;
    }
    return false;
}

// ---- contact as a linear complementarity problem ----

// W = J A^-1 J^T + R and c without impulses, contacts one after the other
static void dense_contacts(const random_problem *p, double W[ROWS][ROWS], double c[ROWS])
{
    double L[NV * NV] = {0}, X[NV * (ROWS + 1)] = {0};
    for (int j = 0; j < NV; j++)
        for (int i = j; i < NV; i++) L[i + NV * j] = p->A[i + NV * j];
    ck_assert_int_eq(trxi_cholesky(NV, L, NV), -1);
    for (int k = 0; k < ROWS; k++)
        for (int i = 0; i < p->contacts[k / 3].ncol; i++)
            X[p->contacts[k / 3].cols[i] + NV * k] = p->contacts[k / 3].J[3 * i + k % 3];
    memcpy(X + NV * ROWS, p->p0, NV * sizeof *X);
    trxi_cholesky_solve(NV, L, NV, ROWS + 1, X, NV);
    for (int k = 0; k < ROWS; k++) {
        const trxi_row_block *b = &p->contacts[k / 3];
        for (int j = 0; j <= ROWS; j++) {
            double sum = 0;
            for (int i = 0; i < b->ncol; i++) sum += b->J[3 * i + k % 3] * X[b->cols[i] + NV * j];
            if (j < ROWS) W[k][j] = sum + (j == k ? b->contact.sap.Rn : 0);
            else c[k] = sum + b->bias[k % 3] - (k % 3 == 2 ? b->contact.sap.v_hat : 0);
        }
    }
}

// z of a contact: f_n; of both tangents f+, f-, s. Complements: c_n; s + c_t, s - c_t, mu f_n - f+ - f-
static void pyramid(const random_problem *p, double W[ROWS][ROWS], const double c[ROWS], double M[SIZE][SIZE], double q[SIZE])
{
    static const int row_of[EACH] = {2, 0, 0, -1, 1, 1, -1};
    static const double sign_of[EACH] = {1, 1, -1, 0, 1, -1, 0};
    memset(M, 0, SIZE * sizeof *M);
    for (int i = 0; i < SIZE; i++) {
        const int contact = i / EACH, a = i % EACH, first = EACH * contact;
        q[i] = 0;
        if (row_of[a] < 0) {
            M[i][first] = p->contacts[contact].contact.mu, M[i][i - 1] = M[i][i - 2] = -1;
            continue;
        }
        q[i] = sign_of[a] * c[3 * contact + row_of[a]];
        for (int j = 0; j < SIZE; j++)
            if (row_of[j % EACH] >= 0)
                M[i][j] = sign_of[a] * sign_of[j % EACH] * W[3 * contact + row_of[a]][3 * (j / EACH) + row_of[j % EACH]];
        if (a > 0) M[i][first + (a < 4 ? 3 : 6)] = 1;
    }
}

static trx_status sweep_problem(random_problem *p, uint64_t seed)
{
    make_problem_again(p, NV, CONTACTS, 0, seed);
    p->problem.law.compliance = 1e-8;
    for (int k = 0; k < CONTACTS; k++) {
        p->contacts[k].law = trxi_contact_model_of(TRX_CONTACT_LCP)->law;
        p->contacts[k].w = 1;
        p->contacts[k].law->prepare(&p->contacts[k], &p->problem.law);
    }
    const trxi_solver_settings settings = {.tolerance = 1e-9, .max_sweeps = 20000,
                                           .methods = (trxi_island_solver *const[]){trxi_gauss_seidel_solve, NULL}};
    return trxi_contact_solve(&p->problem, &settings, &p->solver);
}

// worst violation of the conditions by the impulses of the sweeps
static double violation(const random_problem *p, double W[ROWS][ROWS], const double free[ROWS])
{
    double f[ROWS], c[ROWS], worst = 0;
    for (int k = 0; k < ROWS; k++) f[k] = p->contacts[k / 3].at.gamma[k % 3];
    for (int k = 0; k < ROWS; k++) {
        c[k] = free[k];
        for (int j = 0; j < ROWS; j++) c[k] += W[k][j] * f[j];
    }
    for (int k = 0; k < ROWS; k++) {
        const double n = f[3 * (k / 3) + 2], most = p->contacts[k / 3].contact.mu * n;
        if (k % 3 == 2) worst = fmax(worst, fmax(fmax(-n, -c[k]), fabs(n * c[k])));
        else worst = fmax(worst, fmax(fabs(f[k]) - most, fabs(f[k] * c[k] + most * fabs(c[k]))));
    }
    return worst;
}

// lcp may have several solutions: where the two methods find different ones, both satisfy the conditions
START_TEST(sweeps_find_the_impulses_that_pivoting_finds)
{
    static random_problem p;
    int alike = 0, other = 0, slip = 0, stick = 0, open = 0, endless = 0, rays = 0;
    double worst = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        double W[ROWS][ROWS], c[ROWS], M[SIZE][SIZE], q[SIZE], z[SIZE], size = 1, difference = 0;
        if (sweep_problem(&p, seed) != TRX_OK) {
            endless++;
            continue;
        }
        dense_contacts(&p, W, c);
        pyramid(&p, W, c, M, q);
        if (!lemke(M, q, z)) {
            rays++;
            continue;
        }
        for (int k = 0; k < CONTACTS; k++) {
            const double *of = z + EACH * k, f[3] = {of[1] - of[2], of[4] - of[5], of[0]};
            const trxi_row_state *at = &p.contacts[k].at;
            size = fmax(size, max_magnitude(f, 3)), difference = fmax(difference, max_difference(f, at->gamma, 3));
            slip += (at->branch & TRXI_SAP_SLIDE) != 0, stick += (at->branch & TRXI_SAP_STICK) != 0, open += at->gamma[2] == 0;
        }
        assert_below(violation(&p, W, c), 1e-7 * size);
        if (difference > 1e-3 * size) other++;
        else worst = fmax(worst, difference / size), alike++;
    }
    printf("%d alike, worst %.1e, %d other solutions, %d without end, %d rays; %d slide, %d stick, %d are open\n", alike, worst,
           other, endless, rays, slip, stick, open);
    ck_assert(alike >= 90 && other <= 4 && endless <= 6 && rays == 0);
    ck_assert(slip > 50 && stick > 10 && open > 50);
    assert_below(worst, 1e-8);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/lcp");
    TCase *cases = tcase_create("lcp");
    tcase_add_test(cases, sweeps_find_the_impulses_that_pivoting_finds);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
