// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Plans within limits against closed forms: a mass of 1 kg on a slide, moved by a force u with the cost sum of dt w u^2. With
// v_{k+1} = v_k + dt u_k and x_{k+1} = x_k + dt v_{k+1} (the symplectic scheme)
//
//     x_N = sum dt^2 (N - k) u_k,     v_N = sum dt u_k.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

#include <stdlib.h>
#include <tractrix/problem.h>

static const double DT = 0.02, WEIGHT = 0.01;
enum { N = 100 };

static const char CART[] = "tractrix: 1\n"
                           "model:\n"
                           "  gravity: [0, 0, 0]\n"
                           "  bodies:\n"
                           "    - name: cart\n"
                           "      joints: [{name: x, type: slide, axis: [1, 0, 0]}]\n"
                           "      inertia: {mass: 1, tensor: [1, 1, 1]}\n"
                           "  actuators: [{joint: x}]\n"
                           "time: {step: 0.02, steps: 100}\n"
                           "cost: [{of: control, weight: 0.01}]\n"
                           "solve: {tolerance: 1.0e-9}\n";

static const char PUSH[] = "problems/push_box.yaml";

typedef struct fixture {
    trx_context *context;
    trx_problem *problem;
    trx_plan_problem task;
    trx_plan_settings settings;
    trx_plan *plan;
} fixture;

static fixture f;

// a plan of a text, or of a file when `text` is NULL, with these limits
static trx_status open_plan(const char *text, const char *limits, int threads)
{
    char set[512];
    snprintf(set, sizeof set, "limits=%s", limits);
    trx_problem_options options = trx_problem_options_default();
    options.set = (const char *const[]){set};
    options.nset = 1;
    f = (fixture){.context = make_context(), .task = trx_plan_problem_default(), .settings = trx_plan_settings_default()};
    trx_status status = text ? trx_problem_load_text(f.context, "cart.yaml", text, strlen(text), &options, &f.problem)
                             : trx_problem_load(f.context, PUSH, &options, &f.problem);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(f.context));
    ck_assert_int_eq(trx_problem_plan(f.problem, &f.task, &f.settings), TRX_OK);
    f.settings.threads = threads;
    return trx_plan_create(f.context, &f.task, &f.settings, &f.plan);
}

static void close_plan(void)
{
    trx_plan_destroy(f.plan);
    trx_problem_destroy(f.problem);
    trx_context_destroy(f.context);
}

static void assert_met(void)
{
    const trx_plan_info info = trx_plan_get_info(f.plan);
    for (int i = 0; i < info.nlimit; i++)
        ck_assert_msg(info.physical.limits[i].met, "%s: %g at knot %d", info.physical.limits[i].name,
                      info.physical.limits[i].violation, info.physical.limits[i].knot);
}

// stationarity: 2 dt w u_k + y_x dt^2 (N - k) + y_v dt = 0, so u is affine in k; the equations x_N and v_N give y_x and y_v
START_TEST(equations_at_the_end_have_the_multipliers_of_the_closed_form)
{
    ck_assert_int_eq(open_plan(CART, "[{of: x.position, equal: 1, at: end, tolerance: 1.0e-9}, "
                                     "{of: x.velocity, equal: 0, at: end, tolerance: 1.0e-9}]", 1), TRX_OK);
    ck_assert_int_eq(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
    assert_met();

    // [S2 S1; S1 S0] [y_x dt; y_v] = -2 w [1 / dt^2; 0] with S_i = sum (N - k)^i
    double S[3] = {0, 0, 0};
    for (int k = 0; k < N; k++)
        for (int i = 0; i < 3; i++) S[i] += pow(N - k, i);
    const double right = -2 * WEIGHT / (DT * DT), det = S[2] * S[0] - S[1] * S[1];
    const double y_x = right * S[0] / det / DT, y_v = -right * S[1] / det;
    const double *found_x = trxi_limit_multiplier(&f.plan->limits.limits[0], N);
    const double *found_v = trxi_limit_multiplier(&f.plan->limits.limits[1], N);
    assert_close(*found_x, y_x, 1e-5 * fabs(y_x));
    assert_close(*found_v, y_v, 1e-5 * fabs(y_v));
    for (int k = 0; k < N; k++) {
        const double expected = -(y_x * DT * (N - k) + y_v) / (2 * WEIGHT);
        assert_close(trx_plan_controls(f.plan)[k], expected, 1e-5 * fabs(y_v) / WEIGHT);
    }
    close_plan();
}
END_TEST

// In continuous time the speed rises along a parabola to the limit v within t1 = 3 (v T - d) / (2 v), with the force 2 v / t1 at
// the start and 0 at the end, then stays there.
START_TEST(a_speed_limit_gives_the_parabola_and_the_plateau_of_the_closed_form)
{
    ck_assert_int_eq(open_plan(CART, "[{of: x.position, equal: 1, at: end}, {of: x.velocity, equal: 0, at: end}, "
                                     "{of: x.velocity, max: 0.6}]", 1), TRX_OK);
    ck_assert_int_eq(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
    assert_met();
    const double v = 0.6, T = N * DT, t1 = 3 * (v * T - 1) / (2 * v);
    assert_close(trx_plan_controls(f.plan)[0], 2 * v / t1, 0.1);
    const trxi_plan_limit *limit = &f.plan->limits.limits[2];
    for (int k = 1; k <= N; k++) {
        const double t = k * DT, side = fmin(fmin(t, T - t) / t1, 1), speed = trx_plan_states(f.plan)[2 * k + 1];
        assert_close(speed, v * (2 * side - side * side), 0.025);
        const double y = trxi_limit_multiplier(limit, k)[0];
        ck_assert(y >= 0);
        if (side < 0.9) ck_assert(y == 0); // complementarity
    }

    // the multiplier is the kink of the costate: 2 w t1 / ... at both ends of the plateau
    double sum = 0;
    for (int k = 1; k <= N; k++) sum += trxi_limit_multiplier(limit, k)[0];
    const double lambda_v = 2 * WEIGHT * 2 * v / t1; // of the force at the start
    ck_assert(sum > 0.5 * lambda_v && sum < 4 * lambda_v);
    close_plan();
}
END_TEST

START_TEST(a_limit_holds_at_its_knots_only)
{
    ck_assert_int_eq(open_plan(CART, "[{of: x.position, equal: 1, at: end}, {of: x.velocity, equal: 0, at: end}, "
                                     "{of: x.velocity, max: 0.3, knots: [20, 40]}, {of: control, max: 0.7, time: [0, 0.1]}]", 1),
                     TRX_OK);
    ck_assert_int_eq(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
    assert_met();
    const double *x = trx_plan_states(f.plan), *u = trx_plan_controls(f.plan);
    double most = 0;
    for (int k = 20; k <= 40; k++) ck_assert(x[2 * k + 1] <= 0.3 + 1e-4);
    for (int k = 0; k <= 5; k++) ck_assert(u[k] <= 0.7 + 1e-4);
    for (int k = 41; k <= N; k++) most = fmax(most, x[2 * k + 1]);
    ck_assert(most > 0.7);
    close_plan();
}
END_TEST

// a speed of 0.3 m/s for 2 s does not reach 1 m
START_TEST(limits_that_cannot_be_met_together_are_reported_with_amount_and_knot)
{
    ck_assert_int_eq(open_plan(CART, "[{of: x.position, equal: 1, at: end}, {of: x.velocity, max: 0.3}]", 1), TRX_OK);
    const trx_status status = trx_plan_solve(f.plan, NULL, NULL);
    ck_assert(status == TRX_STALLED || status == TRX_ITERATION_LIMIT);
    const trx_plan_info info = trx_plan_get_info(f.plan);
    ck_assert_int_eq(info.nlimit, 2);
    ck_assert(!info.physical.limits[0].met || !info.physical.limits[1].met);
    const double missing = info.physical.limits[0].violation, excess = info.physical.limits[1].violation;
    ck_assert(missing + excess * 2 > 0.39);
    ck_assert_msg(strstr(info.message, "limit") != NULL, "%s", info.message);
    close_plan();
}
END_TEST

START_TEST(a_start_beyond_a_limit_is_an_error_with_the_amount)
{
    ck_assert_int_eq(open_plan(CART, "[{of: x.position, min: 0.25}]", 1), TRX_ERR_INPUT);
    const char *message = trx_context_message(f.context);
    ck_assert_msg(strstr(message, "x.position") && strstr(message, "violates it by 0.25 m"), "%s", message);
    close_plan();
}
END_TEST

// the next solve of a shifted plan starts from the multipliers of the last, and has little to do
START_TEST(multipliers_stay_warm_from_solve_to_solve)
{
    ck_assert_int_eq(open_plan(CART, "[{of: x.position, equal: 1, at: end}, {of: x.velocity, equal: 0, at: end}, "
                                     "{of: x.velocity, max: 0.6}]", 1), TRX_OK);
    ck_assert_int_eq(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
    const int cold = trx_plan_get_info(f.plan).iterations;
    ck_assert_int_eq(trx_plan_shift(f.plan, 0), TRX_OK);
    ck_assert_int_eq(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
    const int warm = trx_plan_get_info(f.plan).iterations;
    assert_met();
    ck_assert_msg(warm <= 6 && 3 * warm < cold, "%d iterations cold, %d warm", cold, warm);

    // a new guess forgets them
    ck_assert_int_eq(trx_plan_set_guess(f.plan, NULL, NULL), TRX_OK);
    ck_assert_int_eq(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
    ck_assert_int_eq(trx_plan_get_info(f.plan).iterations, cold);
    close_plan();
}
END_TEST

// the box, moved by contact alone, keeps a speed that it exceeds without a limit
START_TEST(a_second_solve_from_the_same_guess_has_the_same_bits)
{
    ck_assert_int_eq(open_plan(CART, "[{of: x.position, equal: 1, at: end}, {of: x.velocity, max: 0.6}]", 1), TRX_OK);
    ck_assert_int_eq(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
    double u[N], x[2 * (N + 1)];
    memcpy(u, trx_plan_controls(f.plan), sizeof u);
    memcpy(x, trx_plan_states(f.plan), sizeof x);
    ck_assert_int_eq(trx_plan_set_guess(f.plan, u, x), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(f.plan, NULL, NULL), 0);
    memcpy(u, trx_plan_controls(f.plan), sizeof u);
    const int iterations = trx_plan_get_info(f.plan).iterations;
    ck_assert_int_ge(trx_plan_solve(f.plan, NULL, NULL), 0);
    ck_assert(memcmp(u, trx_plan_controls(f.plan), sizeof u) == 0);
    ck_assert_int_eq(trx_plan_get_info(f.plan).iterations, iterations);
    close_plan();
}
END_TEST

// the sum of the constants counted multipliers of knots beyond a shorter horizon
START_TEST(the_offset_counts_the_knots_of_the_horizon)
{
    ck_assert_int_eq(open_plan(CART, "[{of: x.velocity, equal: 0.5, at: end}, {of: control, max: 0.2, knots: [40, 80]}]", 1),
                     TRX_OK);
    ck_assert_int_eq(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
    const trxi_plan_limit *limit = &f.plan->limits.limits[1];
    for (int k = 40; k <= 80; k++) ck_assert(trxi_limit_multiplier(limit, k)[0] > 0);
    ck_assert_int_eq(trx_plan_shift(f.plan, 0), TRX_OK);
    ck_assert_int_eq(trx_plan_set_steps(f.plan, 60), TRX_OK);
    ck_assert_int_eq(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
    assert_met();
    const double end = trxi_limit_multiplier(&f.plan->limits.limits[0], 60)[0];
    double offset = -end * end / (2 * f.plan->limits.limits[0].penalty[0]);
    for (int k = 40; k < 60; k++) {
        const double y = trxi_limit_multiplier(limit, k)[0];
        offset -= y * y / (2 * limit->penalty[0]);
    }
    assert_close(f.plan->limits.offset, offset, 1e-12 * fabs(offset));
    close_plan();
}
END_TEST

// limits of a state and of a control; the control has no value at the last knot
START_TEST(a_horizon_may_end_before_the_knots_of_a_limit)
{
    static const char *const limits[2] = {"[{of: x.velocity, max: 0.6}]", "[{of: control, max: 3, min: -3}]"};
    ck_assert_int_eq(open_plan(CART, limits[_i], 1), TRX_OK);
    trx_plan_destroy(f.plan);
    trx_limit limit = f.task.limits[0];
    limit.first = _i == 0 ? 60 : 20;
    f.task.limits = &limit;
    for (int last = 80; last <= N; last += N - 80) {
        limit.last = last;
        ck_assert_int_eq(trx_plan_create(f.context, &f.task, &f.settings, &f.plan), TRX_OK);
        ck_assert_int_eq(trx_plan_set_steps(f.plan, 40), TRX_OK);
        ck_assert_int_eq(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
        assert_met();
        if (last < N) trx_plan_destroy(f.plan);
    }
    close_plan();
}
END_TEST

START_TEST(a_limit_binds_through_contact)
{
    ck_assert_int_eq(open_plan(NULL, "[]", 1), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
    const trx_model_size size = trx_model_get_size(f.task.model);
    const int nstate = size.nq + size.nv, steps = f.task.steps;
    double most = 0;
    for (int k = 0; k <= steps; k++) most = fmax(most, trx_plan_states(f.plan)[nstate * k + size.nq]);
    close_plan();

    char limit[128];
    const double allowed = 0.8 * most;
    snprintf(limit, sizeof limit, "[{of: box.velocity, max: [%.6f, none, none]}]", allowed);
    ck_assert_int_eq(open_plan(NULL, limit, 1), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
    assert_met();
    const trx_plan_info info = trx_plan_get_info(f.plan);
    for (int i = 0; i < info.ngoal; i++) ck_assert_msg(info.physical.goals[i].met, "%s", info.physical.goals[i].name);
    double reached = 0;
    for (int k = 0; k <= steps; k++) reached = fmax(reached, trx_plan_states(f.plan)[nstate * k + size.nq]);
    ck_assert(reached > 0.98 * allowed && reached <= allowed + 1e-4);
    close_plan();
}
END_TEST

START_TEST(plans_within_limits_have_the_same_bits_for_every_number_of_threads)
{
    double *states = NULL;
    size_t bytes = 0;
    for (int threads = 1; threads <= 3; threads += 2) {
        ck_assert_int_eq(open_plan(NULL, "[{of: box.velocity, max: 0.2}, {of: \"distance(pusher, ground)\", min: 0.02}]", threads),
                         TRX_OK);
        ck_assert_int_ge(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
        const trx_model_size size = trx_model_get_size(f.task.model);
        bytes = (size_t)(size.nq + size.nv) * (size_t)(f.task.steps + 1) * sizeof(double);
        if (!states) {
            states = malloc(bytes);
            memcpy(states, trx_plan_states(f.plan), bytes);
        } else {
            ck_assert(memcmp(states, trx_plan_states(f.plan), bytes) == 0);
        }
        close_plan();
    }
    free(states);
}
END_TEST

static const char ROUND[] = "tractrix: 1\n"
                            "model:\n"
                            "  gravity: [0, 0, 0]\n"
                            "  bodies:\n"
                            "    - name: ball\n"
                            "      joints: [{name: x, type: slide, axis: [1, 0, 0]}, {name: y, type: slide, axis: [0, 1, 0]}]\n"
                            "      geometry: [{shape: sphere, radius: 0.05, mass: 1}]\n"
                            "    - {name: post, pose: {xyz: [0.5, 0.02, 0]}, geometry: [{shape: sphere, radius: 0.1}]}\n"
                            "  actuators: [{joint: x}, {joint: y}]\n"
                            "time: {step: 0.02, steps: 50}\n"
                            "cost:\n"
                            "  - {of: control, weight: 0.01}\n"
                            "  - {of: ball.position, target: [1, 0, 0], weight: 100, at: end, tolerance: 0.01}\n";

// the way round a post, at a distance that is asked for
START_TEST(a_distance_is_kept)
{
    ck_assert_int_eq(open_plan(ROUND, "[{of: \"distance(ball, post)\", min: 0.03}]", 1), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
    assert_met();
    const trx_plan_info info = trx_plan_get_info(f.plan);
    ck_assert(info.physical.goals[0].met);
    double closest = 1;
    for (int k = 0; k <= 50; k++) {
        const double *x = trx_plan_states(f.plan) + 4 * k;
        closest = fmin(closest, hypot(x[0] - 0.5, x[1] - 0.02) - 0.15);
    }
    assert_close(closest, 0.03, 2e-4);
    close_plan();
}
END_TEST

// the force along x that the pusher exerts in the step from a knot
static double pusher_force(int knot)
{
    const int pusher = trx_model_find_body(f.task.model, "pusher");
    const trx_contact *contacts;
    const int count = trx_plan_contacts(f.plan, knot, &contacts);
    double force = 0;
    for (int i = 0; i < count; i++) {
        if (trx_model_geom(f.task.model, contacts[i].geom_a).body == pusher) force += contacts[i].force[0];
        if (trx_model_geom(f.task.model, contacts[i].geom_b).body == pusher) force -= contacts[i].force[0];
    }
    return force;
}

// the push of the box, with a force that is exceeded without the limit
START_TEST(a_contact_force_is_kept)
{
    const double allowed = 3;
    double peaks[2] = {0, 0}; // force on the box along x
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(open_plan(NULL, i == 0 ? "[]" : "[{of: \"force(pusher, box)\", max: [3, none, none]}]", 1), TRX_OK);
        ck_assert_int_ge(trx_plan_solve(f.plan, NULL, NULL), TRX_OK);
        assert_met();
        for (int k = 0; k < f.task.steps; k++) peaks[i] = fmax(peaks[i], pusher_force(k));
        const trx_plan_info info = trx_plan_get_info(f.plan);
        for (int j = 0; j < info.ngoal; j++) ck_assert_msg(info.physical.goals[j].met, "%s", info.physical.goals[j].name);
        close_plan();
    }
    ck_assert_msg(peaks[0] > 1.1 * allowed, "%g N without the limit", peaks[0]);
    ck_assert_msg(peaks[1] <= allowed + 1e-3 && peaks[1] > 0.95 * allowed, "%g N within the limit", peaks[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/augmented");
    TCase *cases = tcase_create("augmented");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, equations_at_the_end_have_the_multipliers_of_the_closed_form);
    tcase_add_test(cases, a_speed_limit_gives_the_parabola_and_the_plateau_of_the_closed_form);
    tcase_add_test(cases, a_limit_holds_at_its_knots_only);
    tcase_add_test(cases, limits_that_cannot_be_met_together_are_reported_with_amount_and_knot);
    tcase_add_test(cases, a_start_beyond_a_limit_is_an_error_with_the_amount);
    tcase_add_test(cases, multipliers_stay_warm_from_solve_to_solve);
    tcase_add_test(cases, a_second_solve_from_the_same_guess_has_the_same_bits);
    tcase_add_loop_test(cases, a_horizon_may_end_before_the_knots_of_a_limit, 0, 2);
    tcase_add_test(cases, the_offset_counts_the_knots_of_the_horizon);
    tcase_add_test(cases, a_limit_binds_through_contact);
    tcase_add_test(cases, plans_within_limits_have_the_same_bits_for_every_number_of_threads);
    tcase_add_test(cases, a_distance_is_kept);
    tcase_add_test(cases, a_contact_force_is_kept);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
