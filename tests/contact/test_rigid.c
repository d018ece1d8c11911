// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Steps with rigid contact models (theory 4): motions with closed forms, ccp by two methods with its derivatives, what is refused.

#include "contact/problem.h"
#include "step/scenes.h"
#include "support/support.h"

#include <check.h>
#include <math.h>
#include <string.h>
#include <tractrix/verify.h>

static const double g = 9.81;

// ---- motions ----

static scene open_floor(const floor_def *def, trx_contact_model model, trx_contact_solver solver)
{
    scene s = scene_floor(def);
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.contact_model = model, settings.contact_solver = solver;
    settings.tolerance = 1e-9;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    return s;
}

// one step of a cube in contact with the floor that slides with (vx, vy)
static void slide(scene *s, const floor_def *def, double vx, double vy, double *x)
{
    floor_state(s, def, 0.05, 0, x);
    x[s->nq] = vx, x[s->nq + 1] = vy;
    ck_assert_msg(trx_step(s->sim, x, NULL, x) >= 0, "%s", trx_context_message(s->context));
}

START_TEST(a_step_whose_sweeps_do_not_end_says_how_far_they_are)
{
    floor_def def = floor_def_default();
    scene s = open_floor(&def, rigid_methods[_i].model, rigid_methods[_i].solver);
    double x[16];
    slide(&s, &def, 1, 0, x);
    x[s.nq + 2] = -1;
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.max_sweeps = 1;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    ck_assert_int_eq(trx_step(s.sim, x, NULL, NULL), TRX_ERR_NOT_CONVERGED);
    const char *message = trx_context_message(s.context);
    ck_assert_msg(strstr(message, "(sweep ") && strstr(message, " still changes the velocities by "), "%s", message);
    ck_assert_msg(strstr(message, "worst at "), "%s", message);
    scene_destroy(&s);
}
END_TEST

START_TEST(ncp_brakes_along_the_motion_and_neither_lifts_nor_sinks)
{
    floor_def def = floor_def_default();
    double x[16];
    for (int i = 0; i < 8; i++) {
        scene s = open_floor(&def, TRX_CONTACT_NCP, TRX_SOLVER_USUAL);
        const double angle = 0.4 * i, speed = 2 - 0.5 * g * def.time_step;
        slide(&s, &def, 2 * cos(angle), 2 * sin(angle), x);
        assert_close(x[s.nq], speed * cos(angle), 1e-6);
        assert_close(x[s.nq + 1], speed * sin(angle), 1e-6);
        assert_close(x[s.nq + 2], 0, 1e-6);
        const trx_contact_residual residual = trx_sim_contact_residual(s.sim);
        ck_assert(residual.e_p < 1e-6 && residual.e_d < 1e-4 && residual.e_c < 1e-3);
        scene_destroy(&s);
    }
}
END_TEST

// ccp: v_n = mu |v_t| at the end of the step, so the bottom rises by the slope mu
START_TEST(ccp_lifts_by_the_friction_coefficient)
{
    floor_def def = floor_def_default();
    def.turns = false;
    double x[16];
    for (int solver = TRX_SOLVER_NEWTON; solver <= TRX_SOLVER_ADMM; solver++) {
        scene s = open_floor(&def, TRX_CONTACT_CCP, (trx_contact_solver)solver);
        slide(&s, &def, 2, 0, x);
        assert_close(x[s.nq + 2], 0.5 * x[s.nq], 1e-5);

        // momentum along both axes: f_t = mu f_n, with the impulse that gives v_n
        const double n = g * def.time_step + x[s.nq + 2];
        assert_close(x[s.nq], 2 - 0.5 * n, 1e-5);
        ck_assert(trx_sim_contact_residual(s.sim).e_c > 1);
        scene_destroy(&s);
    }
}
END_TEST

// lcp: both components of friction reach mu f_n, so a body that slides at an angle to the pyramid turns away from its line
START_TEST(lcp_leaves_the_straight_line_between_the_axes_of_its_pyramid)
{
    floor_def def = floor_def_default();
    def.turns = false;
    double x[16];
    scene s = open_floor(&def, TRX_CONTACT_LCP, TRX_SOLVER_USUAL);
    const double brake = 0.5 * g * def.time_step;
    slide(&s, &def, 2, 0, x);
    assert_close(x[s.nq], 2 - brake, 1e-6);
    slide(&s, &def, 2, 1, x);
    assert_close(x[s.nq], 2 - brake, 1e-6);
    assert_close(x[s.nq + 1], 1 - brake, 1e-6);

    // the impulse is outside the cone by (sqrt 2 - 1) mu f_n / sqrt(1 + mu^2) for each of four points
    const double outside = (sqrt(2) - 1) * 0.5 * def.mass * g / sqrt(1.25);
    double sum = 0, most = 0;
    const trx_contact *contacts;
    const int count = trx_sim_contacts(s.sim, &contacts);
    for (int i = 0; i < count; i++) sum += contacts[i].f_n, most = fmax(most, contacts[i].f_n);
    assert_close(sum, def.mass * g, 1e-4);
    assert_close(trx_sim_contact_residual(s.sim).e_p, outside * most / sum, 1e-4);
    scene_destroy(&s);
}
END_TEST

START_TEST(friction_above_the_slope_holds_and_below_slides)
{
    for (int i = 0; i < RIGID_METHODS; i++)
        for (int k = 0; k < 2; k++) {
            floor_def def = floor_def_default();
            def.tilt = 15 * acos(-1) / 180;
            def.law.friction = k ? 0.25 : 0.375;
            scene s = open_floor(&def, rigid_methods[i].model, rigid_methods[i].solver);
            double x[16], t = 0.2;
            floor_state(&s, &def, 0.05, 0, x);
            const double start[] = {x[0], x[2]};
            for (int n = 0; n < 20; n++) ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
            const double way = hypot(x[0] - start[0], x[2] - start[1]), speed = g * (sin(def.tilt) - 0.25 * cos(def.tilt)) * t;
            const double expected = k ? speed * (t + 0.01) / 2 : 0;
            if (rigid_methods[i].model == TRX_CONTACT_CCP && k) ck_assert(way > 0.5 * expected);
            else assert_close(way, expected, 1e-5);
            scene_destroy(&s);
        }
}
END_TEST

// ---- two methods, derivatives, refusals ----

START_TEST(the_solvers_of_ccp_agree_and_its_derivatives_are_its_differences)
{
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    double x[32], u[16], next[3][32], A[3][32 * 32], B[3][32 * 16], fd_A[32 * 32], fd_B[32 * 16];
    static const trx_contact_solver solvers[] = {TRX_SOLVER_PGS, TRX_SOLVER_NEWTON, TRX_SOLVER_ADMM};
    int judged = 0, touches = 0;
    for (int i = 0; i < 30; i++) {
        scene_law(&s, TRX_SAP, SCENE_SLIP, 3, i);
        scene_state(&s, i % 2 ? SCENE_SLIP : SCENE_STICK, 3, i, x, u);
        for (int k = 0; k < 3; k++) {
            trx_sim_settings settings = trx_sim_get_settings(s.sim);
            settings.contact_model = TRX_CONTACT_CCP, settings.contact_solver = solvers[k];
            settings.compliance = 1e-3, settings.max_sweeps = 100000;
            ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
            ck_assert_msg(trx_step(s.sim, x, u, next[k]) >= 0, "%s", trx_context_message(s.context));
            ck_assert_msg(trx_step_jac(s.sim, A[k], B[k]) == TRX_OK, "%s", trx_context_message(s.context));
        }
        const trx_contact *contacts;
        const int count = trx_sim_contacts(s.sim, &contacts);
        for (int c = 0; c < count; c++) touches += contacts[c].f_n > 0;
        for (int k = 1; k < 3; k++)
            assert_close(max_difference(next[0], next[k], s.nq + s.nv), 0, 1e-4 * (1 + max_magnitude(next[0], s.nq + s.nv)));
        bool kink = false;
        if (trx_step_fd(s.sim, x, u, 1e-5, fd_A, fd_B, &kink) < 0 || kink) continue;
        const double scale = max_magnitude(fd_A, s.nx * s.nx);
        for (int k = 0; k < 3; k++) assert_close(max_difference(A[k], fd_A, s.nx * s.nx), 0, 1e-5 * scale);
        judged++;
    }
    ck_assert_msg(judged > 15 && touches > 15, "%d judged, %d touch", judged, touches);
    scene_destroy(&s);
}
END_TEST

// v_t = (v_0 - mu g dt)/(1 + mu^2), v_n = mu v_t while a cube without rotation slides
START_TEST(products_and_parameters_of_a_sliding_ccp_have_their_closed_form)
{
    floor_def def = floor_def_default();
    def.turns = false;
    double x[16], C[12], forward[6], back[6];
    for (int solver = TRX_SOLVER_NEWTON; solver <= TRX_SOLVER_ADMM; solver++) {
        scene s = open_floor(&def, TRX_CONTACT_CCP, (trx_contact_solver)solver);
        slide(&s, &def, 2, 0, x);
        const trx_contact *contacts;
        ck_assert_int_eq(trx_sim_contacts(s.sim, &contacts), 4);
        const double mu = 0.5, square = 1 + mu * mu, brake = g * def.time_step, v = (2 - mu * brake) / square;
        const double dv = (-brake - 2 * mu * v) / square;
        const trx_parameter parameters[] = {{.kind = TRX_PAIR_FRICTION, .index = contacts[0].pair},
                                            {.kind = TRX_PAIR_STIFFNESS, .index = contacts[0].pair}};
        assert_close(x[s.nq], v, 1e-6);
        ck_assert_int_eq(trx_step_jac_parameters(s.sim, parameters, 2, C), TRX_OK);
        assert_close(C[3], dv, 1e-5);
        assert_close(C[5], v + mu * dv, 1e-5);
        assert_close(max_magnitude(C + 6, 6), 0, 1e-12);

        // velocities by the velocity before: 1/(1 + mu^2) along the motion, mu/(1 + mu^2) upward
        const double along[] = {0, 0, 0, 1, 0, 0}, up[] = {0, 0, 0, 0, 0, 1};
        ck_assert_int_eq(trx_step_jvp(s.sim, along, NULL, forward), TRX_OK);
        ck_assert_int_eq(trx_step_vjp(s.sim, up, back, NULL), TRX_OK);
        assert_close(forward[3], 1 / square, 1e-6);
        assert_close(forward[5], mu / square, 1e-6);
        assert_close(back[3], mu / square, 1e-6);
        scene_destroy(&s);
    }
}
END_TEST

START_TEST(what_a_model_cannot_do_is_refused)
{
    floor_def def = floor_def_default();
    scene s = open_floor(&def, TRX_CONTACT_NCP, TRX_SOLVER_USUAL);
    double x[16];
    slide(&s, &def, 1, 0, x);
    ck_assert(isnan(trx_sim_condition(s.sim)));
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.contact_solver = TRX_SOLVER_NEWTON;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_ERR_ARGUMENT);
    settings.contact_model = TRX_CONTACT_CONVEX, settings.contact_solver = TRX_SOLVER_PGS;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_ERR_ARGUMENT);
    scene_destroy(&s);

    def.law.torsional_friction = 0.01;
    s = open_floor(&def, TRX_CONTACT_NCP, TRX_SOLVER_USUAL);
    floor_state(&s, &def, 0.05, 0, x);
    ck_assert_int_eq(trx_step(s.sim, x, NULL, NULL), TRX_ERR_UNSUPPORTED);
    scene_destroy(&s);
}
END_TEST
int main(void)
{
    Suite *suite = suite_create("contact/rigid");
    TCase *cases = tcase_create("rigid");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, a_step_whose_sweeps_do_not_end_says_how_far_they_are, 0, ITERATIVE_METHODS);
    tcase_add_test(cases, ncp_brakes_along_the_motion_and_neither_lifts_nor_sinks);
    tcase_add_test(cases, ccp_lifts_by_the_friction_coefficient);
    tcase_add_test(cases, lcp_leaves_the_straight_line_between_the_axes_of_its_pyramid);
    tcase_add_test(cases, friction_above_the_slope_holds_and_below_slides);
    tcase_add_test(cases, the_solvers_of_ccp_agree_and_its_derivatives_are_its_differences);
    tcase_add_test(cases, products_and_parameters_of_a_sliding_ccp_have_their_closed_form);
    tcase_add_test(cases, what_a_model_cannot_do_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
