// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// What a trial says of its worlds: the worst ones first, the strongest correlations first, quantiles of the errors.

#include "trial/cart.h"

#include <math.h>

enum { WORLDS = 40, MANY = 300 };

// a cart without controls, which stays at its start
static trx_status no_control(void *instance, double t, const double *x, double *u)
{
    (void)instance, (void)t, (void)x;
    u[0] = 0;
    return TRX_OK;
}

static trx_status open_nothing(void *user, trx_context *context, int world, void **instance)
{
    (void)user, (void)context, (void)world;
    *instance = NULL;
    return TRX_OK;
}

static void close_nothing(void *instance)
{
    (void)instance;
}

static trx_trial *run(cart *c, int worlds)
{
    const trx_controller still = {.open = open_nothing, .control = no_control, .close = close_nothing};
    trx_trial_settings settings = still_worlds(worlds);
    settings.mass = 0.2, settings.start_position = 0.4;
    trx_trial *trial;
    ck_assert_int_eq(trx_trial_run(c->context, &c->task, &settings, &still, NULL, NULL, &trial), TRX_OK);
    return trial;
}

START_TEST(worst_worlds_and_quantiles_are_those_of_the_sorted_errors)
{
    cart c;
    open_cart(&c);
    trx_trial *trial = run(&c, WORLDS);
    double least = INFINITY, most = 0, before = INFINITY;
    int worst[5];
    for (int i = 0; i < WORLDS; i++) {
        least = fmin(least, trx_trial_get_world(trial, i).errors[0]);
        most = fmax(most, trx_trial_get_world(trial, i).errors[0]);
    }
    ck_assert_int_eq(trx_trial_worst(trial, 5, worst), 5);
    assert_close(trx_trial_get_world(trial, worst[0]).errors[0], most, 0);
    for (int i = 0; i < 5; i++) {
        int above = 0;
        const double ratio = trx_trial_get_world(trial, worst[i]).ratio;
        for (int k = 0; k < WORLDS; k++) above += trx_trial_get_world(trial, k).ratio > ratio;
        ck_assert_int_eq(above, i);
        ck_assert(ratio < before);
        before = ratio;
    }
    assert_close(trx_trial_quantile(trial, 0, 0), least, 0);
    assert_close(trx_trial_quantile(trial, 0, 1), most, 0);
    ck_assert(isnan(trx_trial_quantile(trial, 1, 0.5)) && isnan(trx_trial_quantile(trial, 0, 1.5)));
    trx_trial_destroy(trial);
    close_cart(&c);
}
END_TEST

// the list once ended at 100 worlds; a negative room wrote before the list
START_TEST(the_worst_worlds_can_be_all_worlds)
{
    cart c;
    open_cart(&c);
    trx_trial *trial = run(&c, MANY);
    int worst[MANY] = {-1};
    ck_assert_int_eq(trx_trial_worst(trial, -1, worst + 1), 0);
    ck_assert_int_eq(trx_trial_worst(trial, 0, worst + 1), 0);
    ck_assert(worst[0] == -1 && worst[1] == 0);
    ck_assert_int_eq(trx_trial_worst(trial, MANY, worst), MANY);
    for (int i = 1; i < MANY; i++)
        ck_assert(trx_trial_get_world(trial, worst[i]).ratio <= trx_trial_get_world(trial, worst[i - 1]).ratio);
    trx_trial_destroy(trial);
    close_cart(&c);
}
END_TEST

// a cart that nothing drives misses by its start alone
START_TEST(the_strongest_correlation_comes_first)
{
    cart c;
    open_cart(&c);
    trx_trial *trial = run(&c, WORLDS);
    int order[8];
    ck_assert_int_eq(trx_trial_strongest(trial, 8, order), 2);
    ck_assert_str_eq(trx_trial_get_variation(trial, order[0]).name, "start of s.v");
    ck_assert(fabs(trx_trial_get_variation(trial, order[0]).correlation) > 0.99);
    ck_assert(fabs(trx_trial_get_variation(trial, order[1]).correlation) < 0.5);
    ck_assert_int_eq(trx_trial_strongest(trial, 1, order), 1);
    ck_assert_ptr_null(trx_trial_get_variation(trial, 2).name);
    ck_assert_ptr_null(trx_trial_get_goal(trial, 1).name);
    ck_assert_int_eq(trx_trial_get_world(trial, WORLDS).status, TRX_ERR_ARGUMENT);
    trx_trial_destroy(trial);
    close_cart(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trial/results");
    TCase *cases = tcase_create("results");
    tcase_add_test(cases, worst_worlds_and_quantiles_are_those_of_the_sorted_errors);
    tcase_add_test(cases, the_worst_worlds_can_be_all_worlds);
    tcase_add_test(cases, the_strongest_correlation_comes_first);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
