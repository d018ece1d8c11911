// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Frictions beside Coulomb's: closed forms, the derivatives of the step by the parameters of every law and friction against
// differences for random states, and what a step refuses. A and B are judged in test_accuracy.c.

#include "math/dense.h"
#include "model/pair_law.h"
#include "step/laws.h"
#include "step/sim.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NX = 36, MAX_NU = 4, MAX_X = 48, STATES = 24 };

// ---- derivatives ----

// v at the end of a step whose law has `amount` added to a parameter; false when other branches were taken
static bool shifted(const scene *s, trx_parameter_kind kind, double amount, const double *x, const double *u,
                    unsigned long long branches, double *v)
{
    const trx_pair_law kept = trx_sim_pair_law(s->sim, 0);
    trx_pair_law law = kept;
    double x_next[MAX_X];
    *trxi_number_of_law(&law, (int)kind) += amount;
    ck_assert_int_eq(trx_sim_set_pair_law(s->sim, 0, &law), TRX_OK);
    bool solved = trx_step(s->sim, x, u, x_next) >= 0;
    solved = solved && trxi_step_branches(&s->sim->in, &s->sim->smooth, &s->sim->rows) == branches;
    memcpy(v, x_next + s->nq, (size_t)s->nv * sizeof *v);
    ck_assert_int_eq(trx_sim_set_pair_law(s->sim, 0, &kept), TRX_OK);
    return solved;
}

// relative error of one column of C, -1 where differences are no reference; *effect of the parameter's size on v
static double parameter_error(const scene *s, trx_parameter_kind kind, const double *x, const double *u, double *effect)
{
    trx_pair_law law = trx_sim_pair_law(s->sim, 0);
    trx_sim_settings settings = trx_sim_get_settings(s->sim);
    double value = *trxi_number_of_law(&law, (int)kind), e = 2e-4 * value, v[4][MAX_NX], F[MAX_NX], C[MAX_NX];
    settings.tolerance = 0;
    ck_assert_int_eq(trx_sim_set_settings(s->sim, &settings), TRX_OK);
    if (!(value > 0) || trx_step(s->sim, x, u, NULL) < 0) return -1;
    unsigned long long branches = trxi_step_branches(&s->sim->in, &s->sim->smooth, &s->sim->rows);
    const double amounts[4] = {e, -e, e / 2, -e / 2};
    for (int i = 0; i < 4; i++)
        if (!shifted(s, kind, amounts[i], x, u, branches, v[i])) return -1;
    for (int i = 0; i < s->nv; i++) F[i] = (4 * (v[2][i] - v[3][i]) / e - (v[0][i] - v[1][i]) / (2 * e)) / 3;
    ck_assert_int_ge(trx_step(s->sim, x, u, NULL), 0);
    ck_assert_int_eq(trx_step_jac_parameters(s->sim, &(trx_parameter){kind, 0, 0}, 1, C), TRX_OK);
    *effect = value * max_magnitude(F, s->nv);
    return value * max_difference(C + s->nv, F, s->nv) / fmax(*effect, 1e-3);
}

START_TEST(parameters_of_every_law_and_friction_agree_with_differences)
{
    static const trx_parameter_kind kinds[] = {TRX_PAIR_STIFFNESS,        TRX_PAIR_DISSIPATION,       TRX_PAIR_FRICTION,
                                               TRX_PAIR_FRICTION_ACROSS,  TRX_PAIR_DYNAMIC_FRICTION,  TRX_PAIR_SLIP_SPEED,
                                               TRX_PAIR_TORSIONAL_FRICTION, TRX_PAIR_ROLLING_FRICTION, TRX_PAIR_BARRIER,
                                               TRX_PAIR_REACH};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    int effective[KINDS] = {0};
    double worst = 0;
    for (int which = 0; which < LAW_VARIANTS; which++)
        for (int a = 0; a <= TRX_SAP; a++)
            for (int k = 0; k < STATES && law_goes_with((law_variant)which, (trx_approximation)a); k++) {
                scene s = scene_pair((scene_kind)(k % SCENE_KINDS), TRX_SHAPE_HALFSPACE, TRX_SHAPE_SPHERE);
                double x[MAX_X], u[MAX_NU], effect = 0;
                law_gentle own;
                uint64_t seed = (uint64_t)(5000 + 100 * which + a);
                law_draw(&s, (law_variant)which, (trx_approximation)a, seed, k, &own);
                law_state(&s, (law_variant)which, SCENE_SLIP, seed, k, x, u);
                for (int i = 0; i < KINDS; i++) {
                    double error = parameter_error(&s, kinds[i], x, u, &effect);
                    if (error < 0) continue;
                    ck_assert_msg(error < 1e-6, "%s, %s, parameter %d: error %g", law_name((law_variant)which),
                                  trx_approximation_name((trx_approximation)a), (int)kinds[i], error);
                    effective[i] += effect > 1e-3;
                    worst = fmax(worst, error);
                }
                scene_destroy(&s);
            }
    printf("parameters: worst %.1e; with an effect:", worst);
    for (int i = 0; i < KINDS; i++) printf(" %d", effective[i]);
    printf("\n");
    for (int i = 0; i < KINDS; i++) ck_assert_int_ge(effective[i], 10);
}
END_TEST

// ---- closed forms ----

static const double g = 9.81;

// axis of friction, carried by the body of the scene or by the floor
static void set_axis(const scene *s, double ax, double ay, bool by_floor)
{
    trx_pair_law law = trx_sim_pair_law(s->sim, 0);
    trx_pair_info pair = trx_model_pair(s->model, 0);
    bool floor_is_b = trx_model_geom(s->model, pair.geom_b).body == trx_model_find_body(s->model, "floor");
    law.axis[0] = ax, law.axis[1] = ay, law.axis[2] = 0.3; // the part along the normal does not count
    law.axis_on_b = by_floor == floor_is_b;
    ck_assert_msg(trx_sim_set_pair_law(s->sim, 0, &law) == TRX_OK, "%s", trx_context_message(s->context));
}

START_TEST(an_anisotropic_slider_decelerates_per_axis)
{
    static const double mu[2] = {0.6, 0.2};
    for (int a = 0; a < TRX_SAP; a++)
        for (int k = 0; k < 4; k++) {
            const bool across = k & 1, by_floor = k & 2;
            floor_def def = floor_def_default();
            def.turns = !by_floor;
            def.law.approximation = (trx_approximation)a;
            def.law.stiffness = 1e5, def.law.dissipation = 10;
            def.law.friction = mu[0], def.law.friction_across = mu[1];
            def.time_step = 1e-3, def.tolerance = 1e-8;
            scene s = scene_floor(&def);
            // the box is turned by 90 degrees, so its y axis points along -x of the world. A similar contact glides at a height,
            // at which the box starts, because otherwise the box would first fall
            double x[16], before, lift = a >= TRX_SIMILAR ? mu[across] * 1e-3 * 3 : 0;
            floor_state(&s, &def, 0.05 - def.mass * g / (4 * 1e5) + lift, 3, x);
            if (def.turns) x[3] = x[6] = sqrt(0.5);
            if (by_floor) set_axis(&s, !across, across, true);
            else set_axis(&s, across, !across, false);
            for (int i = 0; i < 100; i++) scene_step(&s, x, NULL);
            before = x[s.nq];
            for (int i = 0; i < 200; i++) scene_step(&s, x, NULL);
            assert_close((before - x[s.nq]) / 0.2, mu[across] * g, 1e-3 * mu[across] * g);
            scene_destroy(&s);
        }
}
END_TEST

// the force on an oblique slider lies on the friction ellipse: -n m (m v)/|m v|
START_TEST(an_oblique_slider_is_turned_by_its_axis)
{
    floor_def def = floor_def_default();
    def.turns = false;
    def.law.stiffness = 1e6, def.law.friction = 0.6, def.law.friction_across = 0.2;
    def.time_step = 1e-3, def.stiction_tolerance = 1e-6, def.tolerance = 1e-12;
    scene s = scene_floor(&def);
    set_axis(&s, 1, 0, true);
    double x[16], v[2] = {2, 1};
    floor_state(&s, &def, 0.05 - def.mass * g / (4 * 1e6), 2, x);
    x[s.nq + 1] = 1;
    for (int k = 0; k < 200; k++) {
        scene_step(&s, x, NULL);
        // v' + dt g m (m v')/|m v'| = v, by iteration
        double next[2] = {v[0], v[1]};
        for (int i = 0; i < 200; i++) {
            double size = hypot(0.6 * next[0], 0.2 * next[1]);
            next[0] = v[0] / (1 + 1e-3 * g * 0.36 / size), next[1] = v[1] / (1 + 1e-3 * g * 0.04 / size);
        }
        v[0] = next[0], v[1] = next[1];
        assert_close(x[s.nq], v[0], 1e-8);
        assert_close(x[s.nq + 1], v[1], 1e-8);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(with_equal_coefficients_the_axis_does_not_matter)
{
    for (int a = 0; a < TRX_SAP; a++) {
        double ends[2][16];
        for (int axis = 0; axis < 2; axis++) {
            floor_def def = floor_def_default();
            def.law.approximation = (trx_approximation)a;
            def.law.friction_across = def.law.friction;
            scene s = scene_floor(&def);
            if (axis) set_axis(&s, 0.3, 1, true);
            floor_state(&s, &def, 0.05, 1, ends[axis]);
            for (int k = 0; k < 30; k++) scene_step(&s, ends[axis], NULL);
            scene_destroy(&s);
        }
        assert_close(ends[1][0], ends[0][0], 1e-9);
        assert_close(ends[1][7], ends[0][7], 1e-7);
    }
}
END_TEST

// lagged: v' = v - dt g mu(v), as long as it slides
START_TEST(friction_falls_from_static_to_dynamic_with_the_slip_speed)
{
    floor_def def = floor_def_default();
    def.turns = false;
    def.law.stiffness = 1e6, def.law.friction = 0.8, def.law.dynamic_friction = 0.3, def.law.slip_speed = 0.5;
    def.time_step = 1e-3, def.stiction_tolerance = 1e-6, def.tolerance = 1e-12;
    scene s = scene_floor(&def);
    double x[16], v = 2;
    floor_state(&s, &def, 0.05 - def.mass * g / (4 * 1e6), v, x);
    for (int k = 0; k < 800 && v > 0.1; k++) {
        scene_step(&s, x, NULL);
        v -= 1e-3 * g * (0.3 + 0.5 * exp(-v * v / 0.25));
        assert_close(x[s.nq], v, 1e-8);
    }
    ck_assert(v < 0.5);
    scene_destroy(&s);
}
END_TEST

// tan of the slope between both coefficients: what rests stays, what slides fast goes on
START_TEST(on_an_incline_between_both_coefficients_rest_lasts_and_so_does_sliding)
{
    for (int a = 0; a <= TRX_SAP; a++)
        for (int moving = 0; moving < 2; moving++) {
            floor_def def = floor_def_default();
            def.law.approximation = (trx_approximation)a;
            if (a == TRX_SAP) def.law.force_law = TRX_KELVIN_VOIGT, def.law.relaxation_time = 0.01;
            def.law.friction = 0.7, def.law.dynamic_friction = 0.2, def.law.slip_speed = 0.1;
            def.tilt = atan(0.45);
            scene s = scene_floor(&def);
            double x[16];
            floor_state(&s, &def, 0.05, moving ? 1 : 0, x);
            double start = x[0];
            for (int k = 0; k < 100; k++) scene_step(&s, x, NULL);
            double travelled = (x[0] - start) / cos(def.tilt);
            if (moving) ck_assert(travelled > 1 && hypot(x[7], x[9]) > 1);
            else ck_assert(fabs(travelled) < 2e-3);
            scene_destroy(&s);
        }
}
END_TEST

START_TEST(a_spinning_ball_stops_by_torsional_friction)
{
    floor_def def = floor_def_sphere();
    const double length = 2e-3, inertia = 0.4 * 0.5 * 0.0025, spin = 5;
    def.law.stiffness = 1e6, def.law.torsional_friction = length;
    scene s = scene_floor(&def);
    double x[16], stop = inertia * spin / (length * def.mass * g), time = 0;
    floor_state(&s, &def, 0.05 - def.mass * g / 1e6, 0, x);
    x[s.nq + 5] = spin;
    const trx_contact *contacts;
    while (x[s.nq + 5] > 1e-2 && time < 2 * stop) {
        scene_step(&s, x, NULL);
        time += def.time_step;
        ck_assert_int_eq(trx_sim_contacts(s.sim, &contacts), 1);
        double moment = contacts[0].normal[2] > 0 ? contacts[0].moment[2] : -contacts[0].moment[2]; // on the ball
        if (time < 0.9 * stop) assert_close(moment, -length * def.mass * g, 1e-4 * length * def.mass * g);
    }
    assert_close(time, stop, 2 * def.time_step + 0.005 * stop);
    scene_destroy(&s);
}
END_TEST

// M = length m g against the rolling: v' = -5/7 (length/r) g for a solid ball
START_TEST(a_rolling_ball_decelerates_by_rolling_friction)
{
    floor_def def = floor_def_sphere();
    const double length = 1e-3, r = 0.05;
    def.law.stiffness = 1e6, def.law.rolling_friction = length, def.stiction_tolerance = 1e-5;
    scene s = scene_floor(&def);
    double x[16], before;
    floor_state(&s, &def, r - def.mass * g / 1e6, 1, x);
    x[s.nq + 4] = 1 / r;
    for (int k = 0; k < 100; k++) scene_step(&s, x, NULL);
    before = x[s.nq];
    for (int k = 0; k < 1000; k++) scene_step(&s, x, NULL);
    double wanted = 5.0 / 7 * length / r * g;
    assert_close(before - x[s.nq], wanted, 1e-3 * wanted);
    scene_destroy(&s);
}
END_TEST

// the axis of a pair is removed between two steps: the second step and its derivatives equal those of a simulator without an axis
static void take_step_after(bool axis, trx_contact_model model, double *next, double *A)
{
    floor_def def = floor_def_default();
    scene s = scene_floor(&def);
    const trx_pair_law isotropic = trx_sim_pair_law(s.sim, 0);
    double start[16];
    floor_state(&s, &def, 0.05, 1, start);
    start[s.nq + 1] = 0.4, start[s.nq + 3] = 0.3, start[s.nq + 5] = 2;
    trx_pair_law law = isotropic;
    law.friction_across = 0.2, law.axis[0] = 0.3, law.axis[1] = 1; // carried by the box
    law.axis_on_b = trx_model_geom(s.model, trx_model_pair(s.model, 0).geom_a).body == trx_model_find_body(s.model, "floor");
    if (axis) ck_assert_int_eq(trx_sim_set_pair_law(s.sim, 0, &law), TRX_OK);
    ck_assert_int_eq(trx_step(s.sim, start, NULL, NULL), TRX_OK);
    ck_assert_int_eq(trx_sim_set_pair_law(s.sim, 0, &isotropic), TRX_OK);
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.contact_model = model;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    ck_assert_int_eq(trx_step(s.sim, start, NULL, next), TRX_OK);
    ck_assert_int_eq(trx_step_jac(s.sim, A, NULL), TRX_OK);
    scene_destroy(&s);
}

START_TEST(a_step_forgets_the_axis_of_the_step_before)
{
    static const trx_contact_model models[] = {TRX_CONTACT_CONVEX, TRX_CONTACT_LCP};
    double next[2][16], A[2][12 * 12];
    for (int k = 0; k < 2; k++) take_step_after(k, models[_i], next[k], A[k]);
    assert_below(max_difference(next[0], next[1], 13), 1e-7);
    assert_below(max_difference(A[0], A[1], 144), 1e-5 * max_magnitude(A[0], 144));
}
END_TEST

// an axis of any length needs a millionth of its length along the surface
START_TEST(an_axis_along_the_normal_is_refused)
{
    static const double lengths[] = {1e-5, 1, 1e5}, slopes[] = {0, 0.9e-6, 1.1e-6};
    for (int i = 0; i < 9; i++) {
        const double length = lengths[i / 3], slope = slopes[i % 3];
        floor_def def = floor_def_default();
        def.law.friction_across = 0.2;
        def.law.axis[0] = slope * length, def.law.axis[2] = length;
        scene s = scene_floor(&def);
        double x[16];
        floor_state(&s, &def, 0.05, 1, x);
        const trx_status status = trx_step(s.sim, x, NULL, x);
        ck_assert_int_eq(status, slope > 1e-6 ? TRX_OK : TRX_ERR_ARGUMENT);
        ck_assert(status == TRX_OK || strstr(trx_context_message(s.context), "along the normal"));
        scene_destroy(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/friction_rows");
    TCase *cases = tcase_create("friction_rows");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, parameters_of_every_law_and_friction_agree_with_differences);
    tcase_add_test(cases, an_anisotropic_slider_decelerates_per_axis);
    tcase_add_test(cases, an_oblique_slider_is_turned_by_its_axis);
    tcase_add_test(cases, with_equal_coefficients_the_axis_does_not_matter);
    tcase_add_test(cases, friction_falls_from_static_to_dynamic_with_the_slip_speed);
    tcase_add_test(cases, on_an_incline_between_both_coefficients_rest_lasts_and_so_does_sliding);
    tcase_add_test(cases, a_spinning_ball_stops_by_torsional_friction);
    tcase_add_test(cases, a_rolling_ball_decelerates_by_rolling_friction);
    tcase_add_loop_test(cases, a_step_forgets_the_axis_of_the_step_before, 0, 2);
    tcase_add_test(cases, an_axis_along_the_normal_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
