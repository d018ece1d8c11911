// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The check of single terms: right derivatives agree with their differences in every scheme and approximation, a wrong one is found
// in its own term and named, and the simulator afterwards has the step at the state.

#include "verify/terms.h"

#include "step/robot.h"
#include "step/scenes.h"
#include "support/support.h"

#include <string.h>

enum { MAX_X = 64, MAX_U = 6, MAX_NX = 64 };

static const trxi_term_fault none = {.term = -1};

static void assert_agree(const trx_term_check terms[TRX_TERMS], double bound)
{
    for (int k = 0; k < TRX_TERMS; k++)
        ck_assert_msg(terms[k].error < bound, "%s: %g at %s", trx_term_name((trx_term)k), terms[k].error, terms[k].at);
}

// an arm with limits, springs and motors that meets a free body: states of one approximation and aim under one scheme
static void check_scene(trx_approximation approximation, trx_shape_type a, trx_shape_type b, trx_scheme scheme,
                        trxi_term_fault fault, trx_term_check terms[TRX_TERMS])
{
    scene s = scene_pair(SCENE_ARM, a, b);
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.scheme = scheme;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    double x[MAX_X], u[MAX_U];
    memset(terms, 0, TRX_TERMS * sizeof *terms);
    for (int i = 0; i < 6; i++) {
        const scene_aim aim = i % 2 ? SCENE_SLIP : SCENE_STICK;
        scene_law(&s, approximation, aim, 4, i);
        scene_state(&s, aim, 4, i, x, u);
        trx_status status = trxi_step_check_terms(s.sim, x, u, fault, terms);
        ck_assert_msg(status >= 0, "%s", trx_context_message(s.context));
    }
    scene_destroy(&s);
}

START_TEST(right_terms_agree_in_every_approximation_and_scheme)
{
    for (int approximation = 0; approximation <= TRX_SAP; approximation++)
        for (int scheme = 0; scheme <= TRX_THETA; scheme++) {
            trx_term_check terms[TRX_TERMS];
            check_scene((trx_approximation)approximation, approximation % 2 ? TRX_SHAPE_BOX : TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE,
                        (trx_scheme)scheme, none, terms);
            assert_agree(terms, 1e-6);
            for (int k = 0; k < TRX_TERMS; k++) {
                if (k == TRX_TERM_LIMIT) continue; // not in every state
                ck_assert_msg(terms[k].columns > 10 * terms[k].left, "%d, %d: %s: %d not judged beside %d", approximation, scheme,
                              trx_term_name((trx_term)k), terms[k].left, terms[k].columns);
                ck_assert(terms[k].error > 0); // differences round
            }
        }
}
END_TEST

// every constraint, a drive within and beyond its effort, dry friction
static robot everything(void)
{
    trx_constraint_def constraints[4];
    for (int i = 0; i < 4; i++) {
        constraints[i] = trx_constraint_def_default();
        constraints[i].name = (const char *const[]){"ball", "weld", "rod", "gear"}[i];
        constraints[i].type = (const trx_constraint_type[]){TRX_CONSTRAINT_BALL, TRX_CONSTRAINT_WELD, TRX_CONSTRAINT_DISTANCE,
                                                           TRX_CONSTRAINT_COUPLER}[i];
        constraints[i].body_a = i == 1 ? ROBOT_LEFT : ROBOT_LEFT_TIP, constraints[i].body_b = ROBOT_OTHER;
        constraints[i].pose_a.p[0] = 0.1, constraints[i].length = 0.2;
        constraints[i].stiffness = i % 2 ? INFINITY : 80, constraints[i].relaxation_time = 0.02;
    }
    constraints[3].body_a = ROBOT_LEFT, constraints[3].body_b = ROBOT_RIGHT_TIP;
    constraints[3].joint_a = constraints[3].joint_b = 0;
    constraints[3].polynomial[1] = 1, constraints[3].polynomial[2] = 0.8;
    trx_actuator_def drives[2] = {trx_actuator_def_default(), trx_actuator_def_default()};
    for (int i = 0; i < 2; i++) {
        drives[i].name = i ? "weak" : "strong";
        drives[i].body = i ? ROBOT_RIGHT_TIP : ROBOT_LEFT, drives[i].joint = 0;
        drives[i].kp = 40, drives[i].kd = 2;
        drives[i].effort_lower = i ? -1e-3 : -1e4, drives[i].effort_upper = i ? 1e-3 : 1e4;
    }
    return robot_create(constraints, 4, drives, 2, 0.2, 0.05);
}

static void check_robot(trx_contact_model model, trxi_term_fault fault, trx_term_check terms[TRX_TERMS])
{
    robot r = everything();
    trx_sim_settings settings = trx_sim_get_settings(r.sim);
    settings.contact_model = model;
    ck_assert_int_ge(trx_sim_set_settings(r.sim, &settings), 0);
    double x[MAX_X], u[MAX_U];
    memset(terms, 0, TRX_TERMS * sizeof *terms);
    for (int i = 0; i < 4; i++) {
        // gaps of constraints are near the gap that closes at the largest speed; columns of wider gaps are small
        robot_state(&r, 0.1, 7, i, x, u);
        ck_assert_int_ge(trxi_step_check_terms(r.sim, x, u, fault, terms), 0);
    }
    robot_destroy(&r);
}

START_TEST(rows_of_constraints_drives_and_dry_friction_agree)
{
    static const trx_contact_model models[] = {TRX_CONTACT_CONVEX, TRX_CONTACT_CCP, TRX_CONTACT_NCP, TRX_CONTACT_DOJO,
                                               TRX_CONTACT_FIRST_ORDER};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        trx_term_check terms[TRX_TERMS];
        check_robot(models[m], none, terms);
        assert_agree(terms, 1e-6);
        ck_assert_int_gt(terms[TRX_TERM_LIMIT].columns, 100);
        ck_assert_int_lt(10 * terms[TRX_TERM_LIMIT].left, terms[TRX_TERM_LIMIT].columns);
        ck_assert(terms[TRX_TERM_LIMIT].error > 0);
    }
}
END_TEST

// a derivative that is wrong by a thousandth has this error in its own term and leaves the other terms as they are
START_TEST(a_wrong_term_is_found_and_named)
{
    static const char *const said[TRX_TERMS] = {"force(", "force(", "|", "d gamma.", "d ", "d "};
    for (int k = 0; k < TRX_TERMS; k++) {
        trx_term_check terms[TRX_TERMS], right[TRX_TERMS];
        const trxi_term_fault fault = {k, 1e-3};
        if (k == TRX_TERM_LIMIT) {
            check_robot(TRX_CONTACT_CONVEX, fault, terms), check_robot(TRX_CONTACT_CONVEX, none, right);
        } else {
            check_scene(TRX_SIMILAR, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE, TRX_SYMPLECTIC, fault, terms);
            check_scene(TRX_SIMILAR, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE, TRX_SYMPLECTIC, none, right);
        }
        assert_close(terms[k].error, 1e-3, 1e-5);
        ck_assert_ptr_nonnull(strstr(terms[k].at, said[k]));
        ck_assert_ptr_nonnull(strstr(terms[k].at, " / d "));
        for (int other = 0; other < TRX_TERMS; other++)
            if (other != k) ck_assert(terms[other].error == right[other].error);
    }
}
END_TEST

START_TEST(the_last_step_is_that_of_the_state_afterwards)
{
    robot r = everything();
    double x[MAX_X], u[MAX_U];
    static double A[MAX_NX * MAX_NX], after[MAX_NX * MAX_NX];
    robot_state(&r, 0.3, 7, 1, x, u);
    ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
    ck_assert_int_eq(trx_step_jac(r.sim, A, NULL), TRX_OK);
    trx_term_check terms[TRX_TERMS] = {0};
    ck_assert_int_eq(trx_step_check_terms(r.sim, x, u, terms), TRX_OK);
    ck_assert_int_eq(trx_step_jac(r.sim, after, NULL), TRX_OK);
    ck_assert(max_magnitude(A, r.nx * r.nx) > 0.1);
    ck_assert(max_difference(A, after, r.nx * r.nx) == 0);
    ck_assert_int_eq(trx_step_check_terms(r.sim, x, u, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_step_check_terms(NULL, x, u, terms), TRX_ERR_ARGUMENT);
    robot_destroy(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verify/terms");
    TCase *cases = tcase_create("terms");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, right_terms_agree_in_every_approximation_and_scheme);
    tcase_add_test(cases, rows_of_constraints_drives_and_dry_friction_agree);
    tcase_add_test(cases, a_wrong_term_is_found_and_named);
    tcase_add_test(cases, the_last_step_is_that_of_the_state_afterwards);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
