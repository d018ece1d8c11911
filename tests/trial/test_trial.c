// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Trials of a cart whose errors have a closed form: mass, start, delay, push; a real push box; threads; refusals.

#include "trial/cart.h"

#include <math.h>

static const double DT = 0.005; // of the worlds

// the position after all steps of the worlds under a constant force, by the symplectic scheme
static double travelled(double force, double mass)
{
    const double n = CART_STEPS * 10;
    return DT * DT * force / mass * n * (n + 1) / 2;
}

// the policy u = 1 N without gains
static trx_policy *constant_policy(const cart *c)
{
    double x[2 * (CART_STEPS + 1)] = {0}, u[CART_STEPS];
    for (int k = 0; k < CART_STEPS; k++) u[k] = 1;
    trx_policy_def def = trx_policy_def_default();
    def.steps = CART_STEPS, def.time_step = 0.05, def.x = x, def.u = u;
    trx_policy *policy;
    ck_assert_int_eq(trx_policy_create(c->context, c->task.model, &def, &policy), TRX_OK);
    return policy;
}

static trx_trial *run(cart *c, const trx_trial_settings *settings, const trx_controller *controller)
{
    trx_trial *trial;
    ck_assert_int_eq(trx_trial_run(c->context, &c->task, settings, controller, NULL, NULL, &trial), TRX_OK);
    ck_assert_int_eq(trx_trial_get_info(trial).worlds, settings->worlds);
    return trial;
}

START_TEST(masses_and_starts_act_as_they_are_drawn)
{
    cart c;
    open_cart(&c);
    trx_policy *policy = constant_policy(&c);
    trx_controller controller = trx_policy_controller(policy);
    trx_trial_settings settings = still_worlds(50);
    settings.mass = 0.2, settings.start_position = 0.03;
    trx_trial *trial = run(&c, &settings, &controller);
    const trx_trial_info info = trx_trial_get_info(trial);
    ck_assert_int_eq(info.nvariation, 2);
    ck_assert_str_eq(trx_trial_get_variation(trial, 0).name, "cart.mass");
    ck_assert_str_eq(trx_trial_get_variation(trial, 1).name, "start of s.v");
    ck_assert(trx_trial_get_variation(trial, 0).relative && !trx_trial_get_variation(trial, 1).relative);
    int successes = 0;
    for (int i = 0; i < 50; i++) {
        const trx_trial_world world = trx_trial_get_world(trial, i);
        const double error = fabs(travelled(1, 1 + 0.2 * world.draws[0]) + 0.03 * world.draws[1] - 0.5);
        ck_assert_int_eq(world.status, TRX_OK);
        assert_close(world.errors[0], error, 1e-12);
        assert_close(world.ratio, error / 0.03, 1e-10);
        ck_assert(world.success == (error <= 0.03));
        successes += world.success;
    }
    ck_assert_int_eq(info.successes, successes);
    ck_assert(successes > 5 && successes < 45);
    ck_assert(info.rate_low < successes / 50.0 && successes / 50.0 < info.rate_high);
    ck_assert(trx_trial_quantile(trial, 0, 0.5) < trx_trial_quantile(trial, 0, 0.9));
    trx_trial_destroy(trial);
    trx_policy_destroy(policy);
    close_cart(&c);
}
END_TEST

START_TEST(the_decisive_quantity_has_the_largest_correlation)
{
    cart c;
    open_cart(&c);
    trx_policy *policy = constant_policy(&c);
    trx_controller controller = trx_policy_controller(policy);
    trx_trial_settings settings = still_worlds(200);
    settings.mass = 0.2, settings.start_position = 0.001;
    c.task.terms[0].tolerance > 0 ? (void)0 : ck_abort();
    double far[1] = {2}; // beyond reach, so a heavy cart is always worse
    trx_cost_term terms[2] = {c.task.terms[0], c.task.terms[1]};
    terms[0].target = far;
    c.task.terms = terms;
    trx_trial *trial = run(&c, &settings, &controller);
    ck_assert_double_gt(trx_trial_get_variation(trial, 0).correlation, 0.98);
    ck_assert_double_lt(fabs(trx_trial_get_variation(trial, 1).correlation), 0.25);
    ck_assert_int_eq(trx_trial_get_info(trial).successes, 0);
    trx_trial_destroy(trial);
    trx_policy_destroy(policy);
    close_cart(&c);
}
END_TEST

// a controller u = t that notes when it is asked
typedef struct clockwork {
    int asked;
    double last;
} clockwork;

static trx_status open_clock(void *user, trx_context *context, int world, void **state)
{
    (void)context, (void)world;
    *state = user;
    return TRX_OK;
}

static trx_status tick(void *state, double t, const double *x, double *u)
{
    clockwork *clock = state;
    (void)x;
    clock->asked++;
    clock->last = t;
    u[0] = t;
    return t > 0.7 && clock->last < 0 ? TRX_ERR_FAILED : TRX_OK;
}

static void close_clock(void *state)
{
    (void)state;
}

START_TEST(a_delay_moves_controls_by_whole_steps)
{
    cart c;
    open_cart(&c);
    clockwork clock = {0};
    const trx_controller controller = {.user = &clock, .open = open_clock, .control = tick, .close = close_clock};
    for (int delay = 0; delay < 4; delay++) {
        trx_trial_settings settings = still_worlds(1);
        settings.delay = delay * DT;
        clock = (clockwork){0};
        trx_trial *trial = run(&c, &settings, &controller);
        ck_assert_int_eq(clock.asked, CART_STEPS * 10);
        assert_close(clock.last, 1 - DT, 1e-12);
        double x = 0, v = 0;
        for (int k = 0; k < CART_STEPS * 10; k++) {
            v += DT * fmax(0, (k - delay) * DT);
            x += DT * v;
        }
        assert_close(trx_trial_get_world(trial, 0).errors[0], fabs(x - 0.5), 1e-12);
        trx_trial_destroy(trial);
    }
    close_cart(&c);
}
END_TEST

START_TEST(a_push_changes_the_velocity_once)
{
    cart c;
    open_cart(&c);
    trx_policy *policy = constant_policy(&c);
    trx_controller controller = trx_policy_controller(policy);
    trx_trial_settings settings = still_worlds(30);
    settings.push = 0.4;
    trx_trial *trial = run(&c, &settings, &controller);
    for (int i = 0; i < 30; i++) {
        // between a push at the start and none at all; the draw has the sign of the push
        const trx_trial_world world = trx_trial_get_world(trial, i);
        const double without = travelled(1, 1) - 0.5, most = 0.4 * world.draws[0] * 1.0;
        const double error = world.errors[0];
        const bool a = fabs(error - fabs(without)) > 1e-12, between = error <= fabs(without) + fabs(most) + 1e-12;
        ck_assert(a && between);
    }
    trx_trial_destroy(trial);
    trx_policy_destroy(policy);
    close_cart(&c);
}
END_TEST

static trx_status fail_late(void *state, double t, const double *x, double *u)
{
    (void)state, (void)x;
    u[0] = 1;
    return t > 0.5 ? TRX_ERR_FAILED : TRX_OK;
}

static bool stop_after_three(int done, void *user)
{
    *(int *)user = done;
    return done < 3;
}

START_TEST(failures_and_interruptions_are_counted)
{
    cart c;
    open_cart(&c);
    clockwork clock;
    trx_controller controller = {.user = &clock, .open = open_clock, .control = fail_late, .close = close_clock};
    trx_trial_settings settings = still_worlds(10);
    trx_trial *trial = run(&c, &settings, &controller);
    ck_assert_int_eq(trx_trial_get_info(trial).successes, 0);
    ck_assert_int_eq(trx_trial_get_world(trial, 4).status, TRX_ERR_FAILED);
    ck_assert(isinf(trx_trial_get_world(trial, 4).ratio) && isinf(trx_trial_get_world(trial, 4).errors[0]));
    trx_trial_destroy(trial);

    int seen = 0;
    controller.control = tick;
    ck_assert_int_eq(trx_trial_run(c.context, &c.task, &settings, &controller, stop_after_three, &seen, &trial),
                     TRX_INTERRUPTED);
    ck_assert_int_eq(seen, 3);
    ck_assert_int_eq(trx_trial_get_info(trial).worlds, 3);
    int left = 0;
    for (int i = 0; i < 10; i++) left += trx_trial_get_world(trial, i).status == TRX_ERR_NO_STEP;
    ck_assert_int_eq(left, 7);
    trx_trial_destroy(trial);
    close_cart(&c);
}
END_TEST

// a ball that falls for 0.14 s before it touches the ground, and 0.13 s long: no force acts, so the error is the whole target
START_TEST(goals_may_be_contact_forces)
{
    static const char text[] = "tractrix: 1\n"
                               "model:\n"
                               "  materials: {hard: {stiffness: 1.0e4, dissipation: 1, friction: 0.5}}\n"
                               "  bodies:\n"
                               "    - name: ball\n"
                               "      joints: [{name: s, type: slide, axis: [0, 0, 1]}]\n"
                               "      geometry: [{shape: sphere, radius: 0.1, mass: 1, material: hard}]\n"
                               "    - {name: ground, geometry: [{shape: halfspace, material: hard}]}\n"
                               "  actuators: [{joint: s, limits: [-5, 5]}]\n"
                               "time: {step: 0.01, steps: 13}\n"
                               "start: {s: 0.2}\n"
                               "cost:\n"
                               "  - {of: \"force(ground, ball)\", target: [0, 0, 9.81], weight: [0, 0, 1], tolerance: 10}\n"
                               "  - {of: control, weight: 0.001}\n";
    cart c;
    ck_assert_int_eq(trx_context_create(NULL, &c.context), TRX_OK);
    ck_assert_int_eq(trx_problem_load_text(c.context, "ball.yaml", text, strlen(text), NULL, &c.problem), TRX_OK);
    c.task = trx_plan_problem_default();
    c.settings = trx_plan_settings_default();
    ck_assert_int_eq(trx_problem_plan(c.problem, &c.task, &c.settings), TRX_OK);
    clockwork clock = {0};
    const trx_controller controller = {.user = &clock, .open = open_clock, .control = tick, .close = close_clock};
    const trx_trial_settings settings = still_worlds(2);
    trx_trial *trial = run(&c, &settings, &controller);
    for (int i = 0; i < 2; i++) {
        const trx_trial_world world = trx_trial_get_world(trial, i);
        ck_assert_int_eq(world.status, TRX_OK);
        assert_close(world.errors[0], 9.81, 1e-9);
    }
    trx_trial_destroy(trial);
    close_cart(&c);
}
END_TEST

START_TEST(threads_do_not_change_a_bit)
{
    cart c;
    open_cart(&c);
    trx_policy *policy = constant_policy(&c);
    trx_controller controller = trx_policy_controller(policy);
    trx_trial_settings settings = trx_trial_settings_default();
    settings.worlds = 40, settings.push = 0.1, settings.noise_velocity = 0.1;
    trx_trial *one = run(&c, &settings, &controller);
    settings.threads = 3;
    trx_trial *three = run(&c, &settings, &controller);
    settings.seed = 2;
    trx_trial *other = run(&c, &settings, &controller);
    int differ = 0;
    for (int i = 0; i < 40; i++) {
        const double a = trx_trial_get_world(one, i).errors[0];
        ck_assert_double_eq(a, trx_trial_get_world(three, i).errors[0]);
        differ += a != trx_trial_get_world(other, i).errors[0];
    }
    ck_assert_int_eq(differ, 40);
    trx_trial_destroy(one);
    trx_trial_destroy(three);
    trx_trial_destroy(other);
    trx_policy_destroy(policy);
    close_cart(&c);
}
END_TEST

START_TEST(what_is_wrong_is_refused)
{
    cart c;
    open_cart(&c);
    clockwork clock;
    const trx_controller good = {.user = &clock, .open = open_clock, .control = tick, .close = close_clock};
    trx_controller without = good;
    trx_trial_settings settings = still_worlds(1);
    trx_trial *trial;
    without.control = NULL;
    ck_assert_int_eq(trx_trial_run(c.context, &c.task, &settings, &without, NULL, NULL, &trial), TRX_ERR_ARGUMENT);
    ck_assert_ptr_null(trial);
    settings.step_share = 0.3;
    ck_assert_int_eq(trx_trial_run(c.context, &c.task, &settings, &good, NULL, NULL, &trial), TRX_ERR_ARGUMENT);
    settings = still_worlds(0);
    ck_assert_int_eq(trx_trial_run(c.context, &c.task, &settings, &good, NULL, NULL, &trial), TRX_ERR_ARGUMENT);
    settings = still_worlds(1), settings.mass = 1;
    ck_assert_int_eq(trx_trial_run(c.context, &c.task, &settings, &good, NULL, NULL, &trial), TRX_ERR_ARGUMENT);
    settings = still_worlds(1), settings.delay = NAN;
    ck_assert_int_eq(trx_trial_run(c.context, &c.task, &settings, &good, NULL, NULL, &trial), TRX_ERR_ARGUMENT);

    // the worlds' delay in steps did not fit into an int
    settings = still_worlds(1), settings.delay = 10, c.task.sim.time_step = 1e-9;
    ck_assert_int_eq(trx_trial_run(c.context, &c.task, &settings, &good, NULL, NULL, &trial), TRX_OK);
    ck_assert_int_eq(trx_trial_get_world(trial, 0).status, TRX_ERR_ARGUMENT);
    trx_trial_destroy(trial);
    settings = still_worlds(1);
    c.task.terms++, c.task.nterm--; // no goal is left
    ck_assert_int_eq(trx_trial_run(c.context, &c.task, &settings, &good, NULL, NULL, &trial), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(c.context), "goals"));
    close_cart(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trial/trial");
    TCase *cases = tcase_create("trial");
    tcase_add_test(cases, masses_and_starts_act_as_they_are_drawn);
    tcase_add_test(cases, the_decisive_quantity_has_the_largest_correlation);
    tcase_add_test(cases, a_delay_moves_controls_by_whole_steps);
    tcase_add_test(cases, a_push_changes_the_velocity_once);
    tcase_add_test(cases, failures_and_interruptions_are_counted);
    tcase_add_test(cases, goals_may_be_contact_forces);
    tcase_add_test(cases, threads_do_not_change_a_bit);
    tcase_add_test(cases, what_is_wrong_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
