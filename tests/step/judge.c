// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See judge.h.

#include "step/judge.h"

#include "base/random.h"
#include "math/dense.h"
#include "step/sim.h"
#include "support/support.h"
#include "verify/richardson.h"

#include <string.h>
#include <tractrix/verify.h>

enum { MAX_NX = 64, MAX_NU = 16 };

double column_error(int rows, int columns, const double *A, const double *F)
{
    return trxi_judge(rows, columns, A, F, NULL, 0).error;
}

static bool limit_acts(const trx_sim *sim)
{
    for (int i = 0; i < sim->rows.nscalar; i++)
        if (sim->rows.scalars[i].law == &trxi_limit && sim->rows.scalars[i].at.gamma[0] > 0) return true;
    return false;
}

static void count_contacts(trx_sim *sim, judge_tally *t)
{
    const trx_contact *contacts;
    int count = trx_sim_contacts(sim, &contacts);
    for (int i = 0; i < count; i++) t->modes[contacts[i].mode]++;
    t->turned += count > 0 && max_magnitude(contacts[0].moment, 3) > 0;
    t->limits += limit_acts(sim);
}

bool judge_state_from(trx_sim *sim, double eps, const double *x, const double *u, judge_tally *t)
{
    static double A[MAX_NX * MAX_NX], B[MAX_NX * MAX_NU], F[MAX_NX * MAX_NX], Fu[MAX_NX * MAX_NU];
    const trx_model_size size = trx_model_get_size(trx_sim_model(sim));
    const int nx = size.ntangent;
    ck_assert(nx <= MAX_NX && size.nu <= MAX_NU);
    bool straddles;
    trx_status status = trx_step_fd(sim, x, u, eps, F, Fu, &straddles);
    ck_assert_msg(status >= 0, "%s", trx_context_message(sim->in.context));

    // a branch switches within the increments, or a kink is so near that increments of a hundredth of its distance are too small
    if (straddles || trx_sim_step_info(sim).kink < 3e-5) {
        t->rejected++;
        return false;
    }
    ck_assert_msg(trx_step_jac(sim, A, B) >= 0, "%s", trx_context_message(sim->in.context));
    t->accepted++;
    double error = column_error(nx, nx, A, F);
    if (size.nu) error = fmax(error, trxi_judge(nx, size.nu, B, Fu, NULL, 1e-6).error);
    if (!(error <= t->worst)) t->worst = error;
    ck_assert(max_magnitude(A, nx * nx) > 0 && memcmp(A, F, (size_t)(nx * nx) * sizeof *A) != 0);
    count_contacts(sim, t);
    return true;
}

bool judge_state(trx_sim *sim, const double *x, const double *u, judge_tally *t)
{
    return judge_state_from(sim, 1e-6, x, u, t);
}

static void fill(uint64_t seed, int first, int n, double *x)
{
    for (int i = 0; i < n; i++) x[i] = trxi_random_normal(seed, (uint64_t)(first + i));
}

void judge_products(trx_sim *sim, uint64_t number, double tolerance)
{
    static double A[MAX_NX * MAX_NX], B[MAX_NX * MAX_NU];
    const trx_model_size size = trx_model_get_size(trx_sim_model(sim));
    const int nx = size.ntangent, nu = size.nu;
    ck_assert(nx <= MAX_NX && nu <= MAX_NU);
    ck_assert_int_eq(trx_step_jac(sim, A, B), TRX_OK);
    double t_x[MAX_NX], t_u[MAX_NU], forward[MAX_NX], seed[MAX_NX], grad_x[MAX_NX], grad_u[MAX_NU];
    fill(number, 0, nx, t_x);
    fill(number, 100, nx, seed);
    fill(number, 200, nu, t_u);
    ck_assert_int_eq(trx_step_jvp(sim, t_x, t_u, forward), TRX_OK);
    ck_assert_int_eq(trx_step_vjp(sim, seed, grad_x, grad_u), TRX_OK);

    // A t_x + B t_u and [A B]^T seed
    double product[MAX_NX], transposed[MAX_NX + MAX_NU];
    trxi_gemv(nx, nx, 1, A, nx, t_x, 0, product);
    trxi_gemv(nx, nu, 1, B, nx, t_u, 1, product);
    trxi_gemv_t(nx, nx, 1, A, nx, seed, 0, transposed);
    trxi_gemv_t(nx, nu, 1, B, nx, seed, 0, transposed + nx);
    const double scale = 1 + max_magnitude(A, nx * nx);
    assert_below(max_difference(forward, product, nx), tolerance * scale);
    assert_below(max_difference(grad_x, transposed, nx), tolerance * scale);
    assert_below(max_difference(grad_u, transposed + nx, nu), tolerance * scale);
    ck_assert(max_magnitude(grad_x, nx) > 0);

    // <seed, D t> = <D^T seed, t>
    const double left = trxi_dot(nx, seed, forward), right = trxi_dot(nx, grad_x, t_x) + trxi_dot(nu, grad_u, t_u);
    const double lengths = sqrt(trxi_dot(nx, seed, seed) * trxi_dot(nx, forward, forward));
    assert_close(left, right, tolerance * fmax(lengths, fabs(left)));
}

void judge_add(const judge_tally *from, judge_tally *to)
{
    to->accepted += from->accepted, to->rejected += from->rejected;
    for (int m = 0; m < 3; m++) to->modes[m] += from->modes[m];
    to->limits += from->limits, to->turned += from->turned;
    if (!(from->worst <= to->worst)) to->worst = from->worst;
}
