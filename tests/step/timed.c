// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See timed.h.

#include "step/timed.h"

#include "support/support.h"

#include <math.h>
#include <string.h>
#include <tractrix/verify.h>

timed timed_open(const char *text)
{
    timed t = {0};
    t.context = context_open();
    trx_status status = trx_problem_load_text(t.context, "timed.yaml", text, strlen(text), NULL, &t.problem);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(t.context));
    t.model = trx_problem_model(t.problem);
    trx_model_size size = trx_model_get_size(t.model);
    t.nq = size.nq, t.nv = size.nv;
    ck_assert_int_le(t.nq + t.nv, TIMED_MAX_X);
    trx_sim_settings settings = trx_problem_sim_settings(t.problem);
    settings.tolerance = 1e-12;
    t.dt = settings.time_step;
    ck_assert_int_eq(trx_sim_create(t.context, t.model, &settings, &t.sim), TRX_OK);
    memcpy(t.x, trx_problem_start(t.problem), (size_t)(t.nq + t.nv) * sizeof *t.x);
    return t;
}

void timed_close(timed *t)
{
    trx_sim_destroy(t->sim);
    trx_problem_destroy(t->problem);
    context_close(t->context);
}

void timed_run(timed *t, int first, int last)
{
    for (int k = first; k < last; k++) {
        ck_assert_int_eq(trx_sim_set_time(t->sim, k * t->dt), TRX_OK);
        trx_status status = trx_step(t->sim, t->x, NULL, t->x);
        ck_assert_msg(status >= 0, "knot %d: %s", k, trx_context_message(t->context));
    }
}

int timed_q(const timed *t, const char *name)
{
    for (int i = 0; i < t->nq; i++)
        if (strcmp(trx_model_q_name(t->model, i), name) == 0) return i;
    ck_abort_msg("no coordinate %s", name);
    return -1;
}

int timed_v(const timed *t, const char *name)
{
    for (int i = 0; i < t->nv; i++)
        if (strcmp(trx_model_v_name(t->model, i), name) == 0) return t->nq + i;
    ck_abort_msg("no velocity %s", name);
    return -1;
}

double timed_derivative_error(timed *t, double time)
{
    static double A[TIMED_MAX_X * TIMED_MAX_X], F[TIMED_MAX_X * TIMED_MAX_X];
    const int n = 2 * t->nv;
    bool kink;
    ck_assert_int_eq(trx_sim_set_time(t->sim, time), TRX_OK);
    ck_assert_int_ge(trx_step_fd(t->sim, t->x, NULL, 1e-4, F, NULL, &kink), 0);
    ck_assert_double_eq(trx_sim_time(t->sim), time);
    if (kink) return -1;
    ck_assert_int_ge(trx_step(t->sim, t->x, NULL, NULL), 0);
    ck_assert_int_eq(trx_step_jac(t->sim, A, NULL), TRX_OK);

    double largest = max_magnitude(F, n * n), worst = 0, beyond = 0;
    for (int j = 0; j < n; j++) {
        double scale = fmax(max_magnitude(F + j * n, n), 1e-3 * largest);
        worst = fmax(worst, max_difference(A + j * n, F + j * n, n) / scale);
        for (int i = t->nv; i < n && j < t->nv; i++) beyond = fmax(beyond, fabs(A[i + j * n]));
    }
    ck_assert_double_gt(beyond, 1e-6);
    return worst;
}
