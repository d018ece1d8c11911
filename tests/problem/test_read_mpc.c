// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section mpc: its values reach the settings, the plant's values become overrides, wrong ones are refused.

#include "loading.h"

#include <math.h>

START_TEST(values_reach_the_settings)
{
    fixture f = fixture_open();
    ck_assert_int_eq(load_text(&f, PUSH, NULL, 0), TRX_OK);
    trx_mpc_problem mpc = trx_problem_mpc(f.problem);
    const trx_mpc_settings defaults = trx_mpc_settings_default();
    ck_assert(mpc.settings.horizon == 0 && mpc.settings.iterations == defaults.iterations && isinf(mpc.settings.deadline));
    ck_assert_double_eq(mpc.period, trx_problem_sim_settings(f.problem).time_step);
    ck_assert_double_eq(mpc.duration, trx_problem_steps(f.problem) * mpc.period);
    ck_assert(mpc.nplant == 0 && !mpc.noise && mpc.npush == 0 && mpc.settings.refine == 1);
    ck_assert(mpc.plant_delay == 0 && mpc.plant_latency == 0 && mpc.age == 0 && mpc.dropped == 0 && mpc.seed == 1);
    fixture_close(&f);

    // the planner's steps and margin of friction are those of the plan
    f = fixture_open();
    const char *const refined[] = {"solve={refine: 4, friction_margin: 0.15}"};
    ck_assert_int_eq(load_text(&f, PUSH, refined, 1), TRX_OK);
    ck_assert_int_eq(trx_problem_mpc(f.problem).settings.refine, 4);
    ck_assert_ptr_null(trx_problem_mpc(f.problem).settings.gains); // the gains of the solver
    ck_assert_double_eq(trx_problem_mpc(f.problem).settings.friction_margin, 0.15);
    fixture_close(&f);

    f = fixture_open();
    const char *const off[] = {"mpc={soft_stages: 2}", "mpc.soft_stages=0"};
    ck_assert_int_eq(load_text(&f, PUSH, off, 2), TRX_OK);
    ck_assert_int_eq(trx_problem_mpc(f.problem).settings.soft_stages, 0);
    fixture_close(&f);

    f = fixture_open();
    const char *const sets[] = {"mpc={duration: 5, replan_every: 0.04, horizon: 20, least_horizon: 4, iterations: 2, "
                                "deadline: 0.01, latency: 0.003, delay: 0.005, refine: 3, soft_stages: 2, "
                                "friction_margin: 0.2, friction_range: 0.3, goal_weight: 3, gains: policy, search_effort: 0.5, "
                                "search_delay: 0.1, "
                                "noise: {box.position: 0.001}, "
                                "plant: {time.step: 0.001, contact.tolerance: 1.0e-8}}", "policy={smoothing: 0.001, delay: 0.01}"};
    ck_assert_int_eq(load_text(&f, PUSH, sets, 2), TRX_OK);
    mpc = trx_problem_mpc(f.problem);
    const trx_mpc_settings s = mpc.settings;
    ck_assert(s.horizon == 20 && s.least_horizon == 4 && s.iterations == 2 && s.deadline == 0.01 && s.latency == 0.003);
    ck_assert(s.search_effort == 0.5 && s.search_delay == 0.1);
    ck_assert(s.delay == 0.005 && s.refine == 3 && s.soft_stages == 2 && s.friction_margin == 0.2 && s.goal_weight == 3);
    ck_assert(s.friction_range == 0.3);
    ck_assert(s.gains && s.gains->smoothing == 0.001 && s.gains->delay == 0.01); // those of the section policy
    ck_assert(mpc.duration == 5 && mpc.period == 0.04 && mpc.noise && mpc.nplant == 2);
    ck_assert(mpc.plant_delay == 0.005 && mpc.plant_latency == 0.003); // those of the planner
    ck_assert_str_eq(mpc.plant[0], "time.step=0.001");
    ck_assert_str_eq(mpc.plant[1], "contact.tolerance=1.0e-8");
    fixture_close(&f);
}
END_TEST

START_TEST(the_plant_has_its_own_delays_and_disturbances)
{
    fixture f = fixture_open();
    const char *const sets[] = {"mpc={delay: 0.005, latency: 0.003, plant_delay: 0.006, plant_latency: 0, age: 0.004, "
                                "dropped: 0.1, seed: 7, "
                                "pushes: [{body: box, at: 0.4, impulse: [0, 0.1, 0], duration: 0.02, point: [0, 0, 0.05]}, "
                                "{body: box, rate: 2, force: [1, 2, 0]}]}"};
    ck_assert_int_eq(load_text(&f, PUSH, sets, 1), TRX_OK);
    const trx_mpc_problem mpc = trx_problem_mpc(f.problem);
    ck_assert(mpc.plant_delay == 0.006 && mpc.plant_latency == 0 && mpc.age == 0.004 && mpc.dropped == 0.1 && mpc.seed == 7);
    ck_assert_int_eq(mpc.npush, 2);
    const trx_push *given = &mpc.pushes[0], *random = &mpc.pushes[1];
    ck_assert(given->at == 0.4 && given->rate == 0 && given->duration == 0.02);
    ck_assert(given->impulse[1] == 0.1 && given->point[2] == 0.05);
    ck_assert(random->rate == 2 && random->duration == 0.01 && random->force[1] == 2 && random->impulse[1] == 0);
    fixture_close(&f);
}
END_TEST

START_TEST(wrong_values_are_refused)
{
    static const char *const wrong[][2] = {
        {"mpc={horizon: 0}", "horizon"},          {"mpc={latency: -1}", "latency"},
        {"mpc={plant: {cost: 1}}", "no path"},    {"mpc={plant: {timestep: 1}}", "no path"},
        {"mpc={noise: {boxy.position: 1}}", "boxy"}, {"mpc={replan: 1}", "replan"},
        {"mpc={dropped: 1.5}", "dropped"},        {"mpc={age: -1}", "age"},
        {"mpc={noise: {pusher.position: 1}}", "no part of the state"},
        {"mpc={noise: {\"distance(box, pusher)\": 1}}", "no part of the state"},
        {"mpc={pushes: [{body: box, at: 1}]}", "neither force and impulse"},
        {"mpc={pushes: [{body: box, at: 1, rate: 2, force: [1, 0, 0]}]}", "both at and rate"},
        {"mpc={pushes: [{body: boxy, at: 1, force: [1, 0, 0]}]}", "boxy"},
        {"mpc={pushes: [{body: ground, at: 1, force: [1, 0, 0]}]}", "no joint moves"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fixture f = fixture_open();
        ck_assert_int_lt(load_text(&f, PUSH, &wrong[i][0], 1), 0);
        ck_assert_msg(strstr(trx_context_message(f.context), wrong[i][1]), "%s: %s", wrong[i][0], trx_context_message(f.context));
        fixture_close(&f);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_mpc");
    TCase *cases = tcase_create("read_mpc");
    tcase_add_test(cases, values_reach_the_settings);
    tcase_add_test(cases, the_plant_has_its_own_delays_and_disturbances);
    tcase_add_test(cases, wrong_values_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
