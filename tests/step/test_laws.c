// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Laws beside Hunt-Crossley and Kelvin-Voigt: closed forms, laws of the caller, and what a step says of wrong ones.

#include "step/contact_rows.h"
#include "step/scenes.h"
#include "support/support.h"

#include <string.h>

static const double g = 9.81;

START_TEST(a_hertz_sphere_at_rest_sinks_by_its_formula)
{
    for (int a = 0; a < TRX_SAP; a++) {
        floor_def def = floor_def_sphere();
        def.law.approximation = (trx_approximation)a;
        def.law.force_law = TRX_HERTZ, def.law.stiffness = 3e7, def.law.dissipation = 20;
        scene s = scene_floor(&def);
        double x[16], depth = pow(def.mass * g / 3e7, 2.0 / 3);
        floor_state(&s, &def, 0.05 - 1.5 * depth, 0, x);
        for (int k = 0; k < 2000; k++) scene_step(&s, x, NULL);
        assert_close(0.05 - x[2], depth, 1e-6 * depth);
        scene_destroy(&s);
    }
}
END_TEST

// the gap at which an ipc barrier carries the weight, by bisection
static double ipc_gap(double kappa, double c, double weight)
{
    double low = 0, high = c;
    for (int i = 0; i < 200; i++) {
        double phi = 0.5 * (low + high), gap = c - phi;
        if (kappa * gap * (gap / phi - 2 * log(phi / c)) > weight) low = phi;
        else high = phi;
    }
    return low;
}

START_TEST(a_sphere_on_a_barrier_never_touches_and_rests_where_the_barrier_carries_it)
{
    for (int a = 0; a < TRX_SAP; a++)
        for (int ipc = 0; ipc < 2; ipc++) {
            floor_def def = floor_def_sphere();
            def.law.approximation = (trx_approximation)a;
            def.law.force_law = ipc ? TRX_IPC : TRX_LOG_BARRIER;
            def.law.barrier = ipc ? 1e4 : 1e-3, def.law.reach = ipc ? 2e-3 : 1;
            def.time_step = 0.01;
            scene s = scene_floor(&def);
            double x[16], least = INFINITY, rest = ipc ? ipc_gap(1e4, 2e-3, def.mass * g) : 1e-3 / (def.mass * g);
            floor_state(&s, &def, 0.2, 3, x);
            x[s.nq + 2] = -30; // a tenth of a metre per 3 ms: into the floor within the first step, were it not for the barrier
            for (int k = 0; k < 400; k++) {
                scene_step(&s, x, NULL);
                least = fmin(least, x[2] - 0.05);
            }
            ck_assert(least > 0);
            if (a == TRX_LAGGED) assert_close(x[2] - 0.05, rest, 1e-6 * rest);
            scene_destroy(&s);
        }
}
END_TEST

static trx_force hunt(void *data, double phi, double v)
{
    const trx_pair_law *law = data;
    trxi_force f = trxi_force_law(law, phi, v);
    return (trx_force){f.f, f.f_phi, f.f_v};
}

START_TEST(a_users_hunt_crossley_moves_as_the_built_in_one)
{
    for (int a = 0; a < TRX_SAP; a++) {
        double ends[2][16];
        for (int user = 0; user < 2; user++) {
            floor_def def = floor_def_default();
            def.law.approximation = (trx_approximation)a;
            def.law.dissipation = 3;
            trx_pair_law own = def.law;
            if (user) def.law.force_law = TRX_USER_LAW, def.law.user = hunt, def.law.user_data = &own;
            scene s = scene_floor(&def);
            floor_state(&s, &def, 0.06, 1, ends[user]);
            for (int k = 0; k < 40; k++) scene_step(&s, ends[user], NULL);
            scene_destroy(&s);
        }
        ck_assert(memcmp(ends[0], ends[1], 13 * sizeof(double)) == 0);
    }
}
END_TEST

// a spring with a hole: between 12.0 and 12.4 mm deep something is wrong with it
static trx_force holed(void *data, double phi, double v)
{
    const int *which = data;
    trx_force f = {-1e4 * fmin(phi, 0), phi < 0 ? -1e4 : 0, 0};
    (void)v;
    if (!(phi < -0.0120 && phi > -0.0124)) return f;
    if (*which == 0) f.f = -1;
    if (*which == 1) f.f_phi = 1;
    if (*which == 2) f.f_v = 1;
    if (*which == 3) f.f = NAN;
    return f;
}

START_TEST(a_step_that_meets_a_wrong_value_of_a_user_law_says_so)
{
    for (int which = 0; which < 4; which++)
        for (int a = 0; a <= TRX_SIMILAR; a += 2) {
            floor_def def = floor_def_default();
            def.turns = false;
            def.law.approximation = (trx_approximation)a;
            def.law.force_law = TRX_USER_LAW, def.law.user = holed, def.law.user_data = &which;
            scene s = scene_floor(&def);
            double x[16], kept[16], y[16];

            // before the step, where gn0 is made
            floor_state(&s, &def, 0.05 - 0.0122, 0, x);
            memcpy(kept, x, sizeof kept), memcpy(y, x, sizeof y);
            ck_assert_int_eq(trx_step(s.sim, x, NULL, y), TRX_ERR_LAW);
            ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "b#1"));
            ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "gap -0.0122 m"));
            ck_assert(memcmp(y, kept, sizeof y) == 0);

            // the law is violated at 12.2 mm, a depth that the body reaches within 10 ms
            int steps = 0;
            trx_status status = TRX_OK;
            for (double start = -1.6; start < -1.0 && status >= 0; start += 0.005, steps++) {
                floor_state(&s, &def, 0.05, 0, x);
                x[s.nq + 2] = start;
                status = trx_step(s.sim, x, NULL, y);
                if (status >= 0) ck_assert(!(y[2] - 0.05 < -0.0120 && y[2] - 0.05 > -0.0124));
            }
            ck_assert_int_eq(status, TRX_ERR_LAW);
            ck_assert_int_gt(steps, 1);
            ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "user law"));
            scene_destroy(&s);
        }
}
END_TEST

START_TEST(a_barrier_that_is_closed_is_infeasible)
{
    for (int ipc = 0; ipc < 2; ipc++) {
        floor_def def = floor_def_default();
        def.law.force_law = ipc ? TRX_IPC : TRX_LOG_BARRIER, def.law.barrier = 1, def.law.reach = 0.01;
        scene s = scene_floor(&def);
        double x[16];
        floor_state(&s, &def, 0.05 - 1e-4, 0, x);
        ck_assert_int_eq(trx_step(s.sim, x, NULL, x), TRX_ERR_INFEASIBLE);
        ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "b#1"));
        ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "gap -0.0001"));
        floor_state(&s, &def, 0.05 + 1e-4, 0, x);
        ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
        scene_destroy(&s);
    }
}
END_TEST

// a solve that ended at phi0 + dt v_n = 0 by rounding was blamed on a prescribed motion, although the scene had none
START_TEST(a_barrier_reached_by_rounding_is_not_one_closed_by_a_motion)
{
    floor_def def = floor_def_default();
    def.law.force_law = TRX_LOG_BARRIER, def.law.barrier = 1, def.law.reach = 0.01;
    scene s = scene_floor(&def);
    double x[16];
    floor_state(&s, &def, 0.05 + 1e-4, 0, x);
    ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
    trxi_row_block *c = &s.sim->rows.contacts[0];
    c->at.gamma[2] = INFINITY;
    c->at.v_c[2] = -c->phi0 / trx_sim_get_settings(s.sim).time_step;
    ck_assert_int_eq(trxi_step_explain_not_finite(&s.sim->in, &s.sim->rows), TRX_ERR_NOT_FINITE);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "b#1"));
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "rounding"));
    c->bias[2] = 2 * c->at.v_c[2];
    ck_assert_int_eq(trxi_step_explain_not_finite(&s.sim->in, &s.sim->rows), TRX_ERR_INFEASIBLE);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/laws");
    TCase *cases = tcase_create("laws");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, a_hertz_sphere_at_rest_sinks_by_its_formula);
    tcase_add_test(cases, a_sphere_on_a_barrier_never_touches_and_rests_where_the_barrier_carries_it);
    tcase_add_test(cases, a_users_hunt_crossley_moves_as_the_built_in_one);
    tcase_add_test(cases, a_step_that_meets_a_wrong_value_of_a_user_law_says_so);
    tcase_add_test(cases, a_barrier_that_is_closed_is_infeasible);
    tcase_add_test(cases, a_barrier_reached_by_rounding_is_not_one_closed_by_a_motion);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
