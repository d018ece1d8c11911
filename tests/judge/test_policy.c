// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A policy at, between, before and after its knots: a free box that turns about z, and a pusher on three motors.

#include <tractrix/policy.h>

#include "step/scenes.h"
#include "support/support.h"

#include <math.h>
#include <string.h>
#include <tractrix/problem.h>

enum { NQ = 10, NV = 9, NU = 3, NX = NQ + NV, STEPS = 2 };
static const double START = 0.5, DT = 0.02, TURN = 0.4;

typedef struct plan {
    scene s;
    double x[NX * (STEPS + 1)], u[NU * STEPS], K[NU * 2 * NV * STEPS];
    trx_policy *policy;
} plan;

// the box moves by 1 cm and turns by TURN about z from knot to knot, and its velocity grows
static trx_policy_def table(plan *p)
{
    for (int k = 0; k <= STEPS; k++) {
        double *x = p->x + NX * k;
        memset(x, 0, NX * sizeof *x);
        trx_model_neutral(p->s.model, x);
        x[0] = 0.01 * k;
        x[3] = cos(0.5 * TURN * k), x[6] = sin(0.5 * TURN * k);
        x[NQ] = k;
    }
    for (int i = 0; i < NU * STEPS; i++) p->u[i] = 1 + i;
    for (int i = 0; i < NU * 2 * NV * STEPS; i++) p->K[i] = 0.1 * sin(1 + i);
    trx_policy_def def = trx_policy_def_default();
    def.steps = STEPS, def.start_time = START, def.time_step = DT;
    def.x = p->x, def.u = p->u, def.K = p->K;
    return def;
}

static void open_plan(plan *p)
{
    p->s = scene_push(TRX_LAGGED, TRX_HUNT_CROSSLEY, 0, 1e4, 1e-4);
    const trx_policy_def def = table(p);
    ck_assert_int_eq(trx_policy_create(p->s.context, p->s.model, &def, &p->policy), TRX_OK);
}

static void close_plan(plan *p)
{
    trx_policy_destroy(p->policy);
    scene_destroy(&p->s);
}

START_TEST(the_reference_lies_on_the_geodesic_between_knots)
{
    plan p;
    open_plan(&p);
    double x[NX];
    ck_assert_int_eq(trx_policy_reference(p.policy, START + 1.25 * DT, x), TRX_OK);
    assert_close(x[0], 0.0125, 1e-15);
    assert_close(x[3], cos(0.5 * 1.25 * TURN), 1e-15);
    assert_close(x[6], sin(0.5 * 1.25 * TURN), 1e-15);
    assert_close(x[NQ], 1.25, 1e-14);
    for (int k = 0; k <= STEPS; k++) { // to the bit, also where the time of the knot is rounded
        ck_assert_int_eq(trx_policy_reference(p.policy, START + k * DT * (1 - 1e-15), x), TRX_OK);
        if (k < STEPS) ck_assert_mem_eq(x, p.x + NX * k, sizeof x);
        else for (int i = 0; i < NX; i++) assert_close(x[i], p.x[NX * k + i], 1e-15);
    }
    close_plan(&p);
}
END_TEST

START_TEST(feedback_is_the_gain_times_the_tangent_difference)
{
    plan p;
    open_plan(&p);
    const double angle = 0.5 * (1.5 * TURN + 0.1); // 0.1 rad ahead of the reference half way through step 1
    double x[NX], u[NU];
    ck_assert_int_eq(trx_policy_reference(p.policy, START + 1.5 * DT, x), TRX_OK);
    x[3] = cos(angle), x[6] = sin(angle);
    x[7] += 0.02;      // dof 6: the pusher's x
    x[NQ + 1] += 0.3;  // velocity of dof 1
    ck_assert_int_eq(trx_policy_control(p.policy, START + 1.5 * DT, x, u), TRX_OK);
    const double *K = p.K + NU * 2 * NV;
    for (int i = 0; i < NU; i++)
        assert_close(u[i], p.u[NU + i] + 0.1 * K[i + NU * 5] + 0.02 * K[i + NU * 6] + 0.3 * K[i + NU * (NV + 1)], 1e-14);
    ck_assert_ptr_eq(trx_policy_gains(p.policy, START + 1.5 * DT), trx_policy_get(p.policy).K + NU * 2 * NV);
    close_plan(&p);
}
END_TEST

// controls of the plan are those of a later time; gains and reference belong to the present time
START_TEST(a_lead_sends_the_controls_of_the_plan_earlier)
{
    plan p;
    open_plan(&p);
    trx_policy_def def = trx_policy_get(p.policy);
    def.lead = 0.5 * DT;
    trx_policy *early;
    ck_assert_int_eq(trx_policy_create(p.s.context, p.s.model, &def, &early), TRX_OK);
    ck_assert_double_eq(trx_policy_get(early).lead, 0.5 * DT);
    double x[NX], u[NU];
    ck_assert_int_eq(trx_policy_reference(early, START + 0.6 * DT, x), TRX_OK);
    x[7] += 0.02;
    ck_assert_int_eq(trx_policy_control(early, START + 0.6 * DT, x, u), TRX_OK);
    for (int i = 0; i < NU; i++) assert_close(u[i], p.u[NU + i] + 0.02 * p.K[i + NU * 6], 1e-14);
    def.lead = -1;
    ck_assert_int_eq(trx_policy_set(early, &def), TRX_ERR_ARGUMENT);
    trx_policy_destroy(early);
    close_plan(&p);
}
END_TEST

START_TEST(the_ends_are_held)
{
    plan p;
    open_plan(&p);
    double u[NU];
    ck_assert_int_eq(trx_policy_control(p.policy, START - 1, p.x, u), TRX_OK);
    ck_assert_mem_eq(u, p.u, sizeof u);
    ck_assert_int_eq(trx_policy_control(p.policy, START + 10, p.x + NX * STEPS, u), TRX_OK);
    for (int i = 0; i < NU; i++) assert_close(u[i], p.u[NU + i], 1e-14);
    close_plan(&p);
}
END_TEST

static const char ARM[] = "tractrix: 1\n"
                          "model:\n"
                          "  bodies:\n"
                          "    - name: arm\n"
                          "      joints: [{name: a, type: hinge, axis: [0, 1, 0]}]\n"
                          "      inertia: {mass: 1, tensor: [0.1, 0.1, 0.1]}\n"
                          "  actuators: [{joint: a, limits: [-3, 2]}]\n"
                          "time: {step: 0.01, steps: 2}\n";

START_TEST(the_limits_of_controls_are_kept)
{
    trx_context *context;
    trx_problem *problem;
    trx_policy *policy;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    ck_assert_int_eq(trx_problem_load_text(context, "arm.yaml", ARM, strlen(ARM), NULL, &problem), TRX_OK);
    const double x[4] = {0}, u[1] = {1}, K[2] = {-10, -1};
    trx_policy_def def = trx_policy_def_default();
    def.steps = 1, def.time_step = 0.01, def.x = x, def.u = u, def.K = K;
    ck_assert_int_eq(trx_policy_create(context, trx_problem_model(problem), &def, &policy), TRX_OK);
    double out;
    const double states[4][2] = {{0, 0}, {0.3, 0.5}, {1, 0}, {-1, 0}}, expected[4] = {1, -2.5, -3, 2};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(trx_policy_control(policy, 0, states[i], &out), TRX_OK);
        assert_close(out, expected[i], 1e-14);
    }
    // dx is [inf, -inf], and its product with K is NAN
    const double end[4] = {-1e308, 1e308, -1e308, 1e308}, other_end[2] = {1e308, -1e308}, equal[2] = {-10, -10};
    def.x = end, def.K = equal, out = 5;
    ck_assert_int_eq(trx_policy_set(policy, &def), TRX_OK);
    ck_assert_int_eq(trx_policy_control(policy, 0, other_end, &out), TRX_ERR_NOT_FINITE);
    ck_assert_double_eq(out, 5);
    trx_policy_destroy(policy);
    trx_problem_destroy(problem);
    trx_context_destroy(context);
}
END_TEST

START_TEST(a_policy_without_gains_is_open_loop_and_can_change)
{
    plan p;
    open_plan(&p);
    trx_policy_def def = trx_policy_get(p.policy), open = def;
    open.K = NULL;
    ck_assert_int_eq(trx_policy_set(p.policy, &open), TRX_ERR_ARGUMENT); // gains cannot go
    trx_policy *policy;
    ck_assert_int_eq(trx_policy_create(p.s.context, p.s.model, &open, &policy), TRX_OK);
    double u[NU];
    ck_assert_int_eq(trx_policy_control(policy, START + DT, p.x, u), TRX_OK);
    ck_assert_mem_eq(u, p.u + NU, sizeof u);
    ck_assert_ptr_null(trx_policy_gains(policy, START));

    p.u[0] = 7;
    open.u = p.u, open.start_time = 0;
    ck_assert_int_eq(trx_policy_set(policy, &open), TRX_OK);
    ck_assert_int_eq(trx_policy_control(policy, 0, p.x, u), TRX_OK);
    ck_assert_double_eq(u[0], 7);
    trx_policy_destroy(policy);
    close_plan(&p);
}
END_TEST

START_TEST(what_is_wrong_is_refused)
{
    plan p;
    open_plan(&p);
    trx_policy *none;
    const trx_policy_def good = trx_policy_get(p.policy);
    trx_policy_def bad = good;
    double x[NX], u[NU] = {5, 5, 5};
    bad.steps = 0;
    ck_assert_int_eq(trx_policy_create(p.s.context, p.s.model, &bad, &none), TRX_ERR_ARGUMENT);
    ck_assert_ptr_null(none);
    bad = good, bad.time_step = 0;
    ck_assert_int_eq(trx_policy_create(p.s.context, p.s.model, &bad, &none), TRX_ERR_ARGUMENT);
    bad = good, bad.size = 8;
    ck_assert_int_eq(trx_policy_create(p.s.context, p.s.model, &bad, &none), TRX_ERR_ARGUMENT);
    p.u[1] = NAN;
    bad = good, bad.u = p.u;
    ck_assert_int_eq(trx_policy_set(p.policy, &bad), TRX_ERR_NOT_FINITE);
    memcpy(x, p.x, sizeof x);
    x[2] = NAN;
    ck_assert_int_eq(trx_policy_control(p.policy, START, x, u), TRX_ERR_NOT_FINITE);
    ck_assert_int_eq(trx_policy_control(p.policy, INFINITY, p.x, u), TRX_ERR_NOT_FINITE);
    ck_assert_int_eq(trx_policy_control(p.policy, START, NULL, u), TRX_ERR_ARGUMENT);
    ck_assert_double_eq(u[0], 5);
    ck_assert_int_eq(trx_policy_control(p.policy, START, p.x, u), TRX_OK);
    ck_assert_double_eq(u[1], 2); // the refused table changed nothing
    close_plan(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("judge/policy");
    TCase *cases = tcase_create("policy");
    tcase_add_test(cases, the_reference_lies_on_the_geodesic_between_knots);
    tcase_add_test(cases, feedback_is_the_gain_times_the_tangent_difference);
    tcase_add_test(cases, a_lead_sends_the_controls_of_the_plan_earlier);
    tcase_add_test(cases, the_ends_are_held);
    tcase_add_test(cases, the_limits_of_controls_are_kept);
    tcase_add_test(cases, a_policy_without_gains_is_open_loop_and_can_change);
    tcase_add_test(cases, what_is_wrong_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
