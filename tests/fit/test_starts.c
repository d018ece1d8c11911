// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Several starts of a fit: the best is taken, the draws keep to priors and bounds, and the bits depend on the seed alone.

#include "fit/scene.h"

static scene s;

// A swing about the angle 0. One start explains the swing by a rod above its pivot, with the wrong sign of com.z.
static void open_swings(double from)
{
    static const double x[2] = {0.5, 0};
    scene_open(&s, PENDULUM);
    add_group(&s, "swing.position", 1e-3);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "swing");
    record(&s, x, 60, 1, 0, 1e-3, 5);
    trx_fit_parameter *p = add_parameter(&s, "bob.com.z", from);
    p->min = -1, p->max = 1;
}

static trx_fit *run(int starts, unsigned long long seed, int threads, trx_fit_progress progress, void *user)
{
    trx_fit_settings settings = trx_fit_settings_default();
    trx_fit *fit;
    settings.starts = starts, settings.seed = seed, settings.threads = threads;
    const trx_status status = trx_fit_run(s.context, &s.fit, &settings, progress, user, &fit);
    ck_assert_msg(status >= 0, "%s", trx_context_message(s.context));
    return fit;
}

START_TEST(a_start_in_the_wrong_valley_is_left_for_a_better_one)
{
    open_swings(0.6);
    trx_fit *alone = run(1, 1, 1, NULL, NULL);
    ck_assert(fabs(trx_fit_get_estimate(alone, 0).value + 0.5) > 0.1);
    ck_assert_int_eq(trx_fit_get_info(alone).nstart, 1);
    trx_fit *fit = run(6, 1, 1, NULL, NULL);
    const trx_fit_info info = trx_fit_get_info(fit);
    const trx_fit_estimate e = trx_fit_get_estimate(fit, 0);
    ck_assert(e.low < -0.5 && -0.5 < e.high);
    ck_assert_int_eq(info.nstart, 6);
    ck_assert_int_ne(info.best_start, 0);
    double least = INFINITY;
    for (int i = 0; i < 6; i++) {
        const trx_fit_start start = trx_fit_get_start(fit, i);
        ck_assert(start.from[0] >= -1 && start.from[0] <= 1);
        if (start.cost < least) least = start.cost;
    }
    const trx_fit_start best = trx_fit_get_start(fit, info.best_start);
    ck_assert(best.cost == least && best.to[0] == e.value);
    ck_assert(trx_fit_get_start(fit, 0).cost > least + 1);
    ck_assert_int_eq(best.iterations, info.iterations);
    assert_close(best.objective, info.objective, 1e-9 * info.objective);
    ck_assert_ptr_null(trx_fit_get_start(fit, 6).from);
    trx_fit_destroy(alone);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(draws_come_from_prior_bounds_or_a_factor_and_depend_on_the_seed)
{
    double from[2][3][4];
    open_swings(-0.4);
    trx_fit_parameter *mass = add_parameter(&s, "bob.mass", 0.6), *damping = add_parameter(&s, "gravity.z", -9.81);
    mass->prior_mean = 0.6, mass->prior_sd = 1e-3;
    damping->prior_mean = -9.81, damping->prior_sd = 1e-3;
    for (int way = 0; way < 3; way++) {
        trx_fit *fit = run(4, way == 2 ? 8 : 7, way == 1 ? 3 : 1, NULL, NULL);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 4; i++) {
                const double value = trx_fit_get_start(fit, i).from[k];
                if (way == 0) from[0][k][i] = value, from[1][k][i] = trx_fit_get_start(fit, i).to[k];
                if (way == 1) ck_assert(value == from[0][k][i] && trx_fit_get_start(fit, i).to[k] == from[1][k][i]);
                if (way == 2 && i > 0) ck_assert(value != from[0][k][i]);
            }
        trx_fit_destroy(fit);
    }
    for (int i = 1; i < 4; i++) {
        ck_assert(fabs(from[0][1][i] - 0.6) < 5e-3 && from[0][1][i] != 0.6);
        ck_assert(fabs(from[0][2][i] + 9.81) < 5e-3);
    }
    scene_close(&s);
}
END_TEST

static bool stop_in_second(const trx_fit_iteration *iteration, void *user)
{
    (void)user;
    return iteration->start < 1;
}

START_TEST(an_interrupted_fit_keeps_the_best_whole_start)
{
    open_swings(-0.4);
    trx_fit *fit = run(5, 1, 1, stop_in_second, NULL);
    const trx_fit_info info = trx_fit_get_info(fit);
    ck_assert_int_eq(info.status, TRX_INTERRUPTED);
    ck_assert_int_eq(info.nstart, 2);
    ck_assert_int_eq(info.best_start, 0);
    ck_assert_int_eq(info.residuals, s.recordings[0].rows); // of the best start, not the few of the start that was stopped
    assert_close(trx_fit_get_estimate(fit, 0).value, -0.5, 0.01);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/starts");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_start_in_the_wrong_valley_is_left_for_a_better_one);
    tcase_add_test(tests, draws_come_from_prior_bounds_or_a_factor_and_depend_on_the_seed);
    tcase_add_test(tests, an_interrupted_fit_keeps_the_best_whole_start);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
