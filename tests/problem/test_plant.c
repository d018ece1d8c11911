// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The plant of a closed loop: its own values, the duration of the loop, pushes whose momentum arrives, random pushes by seed.

#include "loading.h"

#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char HEAD[] = "tractrix: 1\n"
                           "model:\n"
                           "  gravity: [0, 0, 0]\n"
                           "  loads: [{body: ball, force: [0, 0, 1], stop: 0.1}]\n"
                           "  bodies: [{name: ball, joint: free, inertia: {mass: 2, tensor: [0.5, 0.5, 0.5]}}]\n";
static const char TIME[] = "time: {step: 0.02, steps: 10}\n";

// a ball as a file, with the sections time and mpc, and its plant
typedef struct world {
    sandbox s;
    trx_mpc_problem mpc;
    trx_problem *plant;
} world;

static void begin_with(world *w, const char *time, const char *section)
{
    const trx_problem_options options = trx_problem_options_default();
    char text[8192];
    w->s = sandbox_open();
    snprintf(text, sizeof text, "%s%s%s", HEAD, time, section);
    write_file(&w->s, "ball.yaml", text);
    in_folder(&w->s, "ball.yaml");
    trx_context *context = w->s.f.context;
    ck_assert_int_eq(trx_problem_load(context, w->s.path, &options, &w->s.f.problem), TRX_OK);
    w->mpc = trx_problem_mpc(w->s.f.problem);
    const trx_status status = trx_problem_load_plant(context, w->s.path, &options, &w->mpc, &w->plant);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(context));
}

static void begin(world *w, const char *section)
{
    begin_with(w, TIME, section);
}

static void end(world *w)
{
    static const char *const files[] = {"ball.yaml"};
    trx_problem_destroy(w->plant);
    sandbox_close(&w->s, files, 1);
}

// the state of the plant after all its steps
static void run(const world *w, double x[13])
{
    trx_sim *sim;
    const trx_sim_settings settings = trx_problem_sim_settings(w->plant);
    ck_assert_int_eq(trx_sim_create(w->s.f.context, trx_problem_model(w->plant), &settings, &sim), TRX_OK);
    memcpy(x, trx_problem_start(w->plant), 13 * sizeof *x);
    for (int k = 0; k < trx_problem_steps(w->plant); k++) {
        const trx_step_input input = {.time = k * settings.time_step, .x = x};
        ck_assert_int_ge(trx_step_from(sim, &input, x), 0);
    }
    trx_sim_destroy(sim);
}

START_TEST(the_momentum_of_a_push_arrives)
{
    // steps that divide the duration of the push, steps that do not, and steps longer than the push
    static const double steps[] = {0.002, 0.007, 0.05};
    for (int i = 0; i < 3; i++) {
        world w;
        double x[13];
        char section[512];
        snprintf(section, sizeof section,
                 "mpc: {duration: 1, plant: {time.step: %g, model.bodies.ball.inertia.mass: 4}, pushes: [{body: ball, at: 0.3, "
                 "impulse: [0.8, 0, 0], point: [0, 0.1, 0]}, {body: ball, at: 0.513, impulse: [0, -0.4, 0], duration: 0.03}]}\n",
                 steps[i]);
        begin(&w, section);
        ck_assert_int_eq(trx_problem_steps(w.plant), (int)lround(1 / steps[i]));
        run(&w, x);
        assert_close(x[7], 0.8 / 4, 1e-9);
        assert_close(x[8], -0.4 / 4, 1e-9);
        assert_close(x[9], 0.1 / 4, 1e-9 + 0.5 * steps[i] / 4); // the load of the file, in whole steps
        assert_close(fabs(x[12]), 0.1 * 0.8 / 0.5, 1e-6);       // the torque of the point
        end(&w);
    }
}
END_TEST

static trx_load_def load_at(const world *w, int i)
{
    const trx_model_def *def = &w->plant->scene.def;
    ck_assert(i < w->plant->nadded && def->nload == w->plant->nadded + 1);
    return def->loads[1 + i];
}

START_TEST(random_pushes_come_at_their_rate_and_by_their_seed)
{
    static const char SECTION[] = "mpc: {duration: 1000, plant: {time.step: 0.01}, "
                                  "pushes: [{body: ball, rate: 2, force: [3, 0, 1]}]}\n";
    world a, b;
    begin(&a, SECTION);
    begin(&b, SECTION);
    const int count = a.plant->nadded;
    ck_assert(abs(count - 2000) < 5 * sqrt(2000)); // a Poisson process
    ck_assert_int_eq(b.plant->nadded, count);
    double sum = 0, square = 0, last = 0, longest = 0;
    for (int i = 0; i < count; i++) {
        const trx_load_def load = load_at(&a, i), same = load_at(&b, i);
        ck_assert(load.start == same.start && load.force[0] == same.force[0] && load.force[2] == same.force[2]);
        ck_assert(load.start >= last && load.start < 1000.01 && fabs(load.force[0]) <= 3 && load.force[1] == 0);
        assert_close(load.stop - load.start, 0.01, 1e-9);
        longest = fmax(longest, load.start - last);
        last = load.start, sum += load.force[0], square += load.force[0] * load.force[0];
    }
    assert_close(sum / count, 0, 4 * sqrt(3.0 / count));
    assert_close(square / count, 3, 0.2);
    ck_assert(longest > 1.5 && longest < 10); // of exponential times with the mean 0.5 s
    end(&b);

    // another seed, other pushes
    b = a;
    trx_mpc_problem other = a.mpc;
    other.seed = 2;
    ck_assert_int_eq(trx_problem_load_plant(a.s.f.context, a.s.path, NULL, &other, &b.plant), TRX_OK);
    ck_assert(load_at(&b, 0).start != load_at(&a, 0).start);
    trx_problem_destroy(b.plant);
    end(&a);
}
END_TEST

START_TEST(the_plant_keeps_the_scheme_of_the_file)
{
    static const char *const times[] = {"time: {step: 0.02, steps: 10, scheme: midpoint}\n",
                                        "time: {step: 0.02, duration: 0.2, scheme: midpoint}\n"};
    for (int i = 0; i < 2; i++) {
        world w;
        begin_with(&w, times[i], "mpc: {duration: 1.5, plant: {time.step: 0.003}}\n");
        const trx_sim_settings settings = trx_problem_sim_settings(w.plant);
        ck_assert(settings.scheme == TRX_MIDPOINT && settings.time_step == 0.003);
        ck_assert_int_eq(trx_problem_steps(w.plant), 500);
        end(&w);
    }
}
END_TEST

START_TEST(a_flood_of_pushes_is_refused)
{
    world w;
    begin(&w, "mpc: {duration: 1, pushes: [{body: ball, rate: 2, force: [3, 0, 1]}]}\n");
    trx_mpc_problem flood = w.mpc;
    trx_push push = w.mpc.pushes[0];
    push.rate = 1e9;
    flood.pushes = &push;
    trx_problem *none;
    ck_assert_int_eq(trx_problem_load_plant(w.s.f.context, w.s.path, NULL, &flood, &none), TRX_ERR_ARGUMENT);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(trx_problem_load_plant(w.s.f.context, NULL, NULL, &w.mpc, &none), TRX_ERR_ARGUMENT);
    end(&w);
}
END_TEST

// a value of the plant was cut after 1023 characters, so a long list lost its last entries
START_TEST(a_long_value_of_the_plant_is_whole)
{
    enum { LOADS = 100 };
    char section[6000] = "mpc: {plant: {model.loads: [";
    for (int i = 0; i < LOADS; i++) strcat(section, "{body: ball, force: [0, 0, 0.01]}, ");
    strcat(section, "]}}\n");
    world w;
    begin(&w, section);
    ck_assert_int_eq(trx_model_get_size(trx_problem_model(w.s.f.problem)).nload, 1);
    ck_assert_int_eq(trx_model_get_size(trx_problem_model(w.plant)).nload, LOADS);
    end(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/plant");
    TCase *cases = tcase_create("plant");
    tcase_add_test(cases, the_momentum_of_a_push_arrives);
    tcase_add_test(cases, random_pushes_come_at_their_rate_and_by_their_seed);
    tcase_add_test(cases, the_plant_keeps_the_scheme_of_the_file);
    tcase_add_test(cases, a_flood_of_pushes_is_refused);
    tcase_add_test(cases, a_long_value_of_the_plant_is_whole);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
