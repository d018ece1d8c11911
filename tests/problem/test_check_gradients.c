// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The gradient check on scenes whose differences are hard to take: `check` must not call a derivative wrong because
// its own reference is.

#define _GNU_SOURCE

#include "problem/loading.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// a box that lands on an edge, slides and tumbles; the pair's stiffness is half of the material's
static const char TUMBLE[] = "tractrix: 1\n"
                             "model:\n"
                             "  materials: {m: {stiffness: 1.0e6, dissipation: 10}}\n"
                             "  bodies:\n"
                             "    - name: box\n"
                             "      joint: free\n"
                             "      geometry: [{shape: box, size: [0.1, 0.1, 0.1], mass: 0.5, material: m}]\n"
                             "    - {name: ground, geometry: [{shape: halfspace, material: m}]}\n"
                             "time: {step: 0.01, steps: 150}\n"
                             "start: {box: {xyz: [0, 0, 0.2], rpy: [0.3, 0.5, 0.7], velocity: [1, 0, -1]}}\n";

static trx_gradient_check check_of(fixture *f, const char *const *set, int nset)
{
    trx_gradient_check check;
    ck_assert_int_eq(load_text(f, TUMBLE, set, nset), TRX_OK);
    trx_status status = trx_problem_check_gradients(f->problem, 50, &check);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(f->context));
    return check;
}

// At 1e6 N/m a corner 20 nm above the ground, three others pressed by micrometres: an increment of a hundredth of the
// distance to that kink was lost in rounding, and the check failed by 2e-3 where the derivative is right to 1e-8.
START_TEST(stiff_contacts_near_a_kink_are_judged_fairly)
{
    const char *const stiffness[] = {"model.materials.m.stiffness=1e4", "model.materials.m.stiffness=1e6",
                                     "model.materials.m.stiffness=1e8"};
    const char *const similar[] = {"contact={approximation: similar}", "model.materials.m.stiffness=1e7"};
    fixture f = fixture_open();
    for (int i = 0; i < 3; i++) {
        trx_gradient_check check = check_of(&f, &stiffness[i], 1);
        ck_assert_msg(check.ok, "%s: %g at %s", stiffness[i], check.a_error, check.a_at);
        ck_assert_int_ge(check.states, 48);
        assert_below(check.a_error, 1e-6);
        assert_below(check.c_error, 5e-6); // the differences agree to 1e-6
        ck_assert(check.c_error > 0);
        ck_assert_int_ge(check.parameters, 1000);
    }
    trx_gradient_check check = check_of(&f, similar, 2);
    ck_assert_msg(check.ok, "similar: %g at %s", check.a_error, check.a_at);
    ck_assert_int_ge(check.states, 48);
    fixture_close(&f);
}
END_TEST

// Two pads of a body with unlike friction: the parameter of both bodies gives all their pairs one value, so its differences
// were those of another model, and the check failed by a tenth. The same change also outlived the check.
START_TEST(pairs_of_two_bodies_with_unlike_friction_are_judged_alone)
{
    static const char SLIDER[] = "tractrix: 1\n"
                                 "model:\n"
                                 "  materials: {rough: {friction: 0.8}, smooth: {friction: 0.2}}\n"
                                 "  bodies:\n"
                                 "    - name: slider\n"
                                 "      joint: free\n"
                                 "      geometry:\n"
                                 "        - {shape: sphere, radius: 0.05, mass: 1, material: rough, pose: {xyz: [0.1, 0, 0]}}\n"
                                 "        - {shape: sphere, radius: 0.05, mass: 1, material: smooth, pose: {xyz: [-0.1, 0, 0]}}\n"
                                 "        - {shape: sphere, radius: 0.05, mass: 1, material: smooth, pose: {xyz: [0, 0.1, 0]}}\n"
                                 "    - {name: ground, geometry: [{shape: halfspace, material: smooth}]}\n"
                                 "time: {step: 0.01, steps: 30}\n"
                                 "start: {slider: {xyz: [0, 0, 0.05], velocity: [1, 0.5, 0]}}\n";
    fixture f = fixture_open();
    trx_gradient_check check;
    ck_assert_int_eq(load_text(&f, SLIDER, NULL, 0), TRX_OK);
    ck_assert_int_eq(trx_problem_check_gradients(f.problem, 30, &check), TRX_OK);
    ck_assert_msg(check.ok, "%g at %s", check.c_error, check.c_at);
    ck_assert_int_ge(check.states, 20);
    fixture_close(&f);
}
END_TEST

// Two spheres in one place part in any direction: a kink, but differences of the gap to both sides cancel, and the geometry failed.
START_TEST(geometry_at_a_kink_is_not_judged)
{
    static const char SPHERES[] = "tractrix: 1\n"
                                  "model:\n"
                                  "  gravity: [0, 0, 0]\n"
                                  "  bodies:\n"
                                  "    - name: one\n"
                                  "      joints: [{name: x, type: slide, axis: [1, 0, 0]}]\n"
                                  "      geometry: [{shape: sphere, radius: 0.1, mass: 1}]\n"
                                  "    - name: other\n"
                                  "      joints: [{name: y, type: slide, axis: [0, 1, 0]}]\n"
                                  "      geometry: [{shape: sphere, radius: 0.1, mass: 1}]\n"
                                  "time: {step: 0.001, steps: 3}\n";
    fixture f = fixture_open();
    trx_gradient_check check;
    ck_assert_int_eq(load_text(&f, SPHERES, NULL, 0), TRX_OK);
    ck_assert_int_eq(trx_problem_check_gradients(f.problem, 3, &check), TRX_OK);
    const trx_term_check *geometry = &check.terms[TRX_TERM_GEOMETRY];
    ck_assert_msg(check.ok, "%g at %s", geometry->error, geometry->at);
    ck_assert_int_gt(geometry->left, 0);
    ck_assert_int_eq(check.kinks, 1);
    fixture_close(&f);
}
END_TEST

// a column that no increment resolves is no evidence: the state is counted like a kink
START_TEST(states_without_a_reference_are_counted_not_judged)
{
    const char *const set[] = {"model.materials.m.stiffness=1e12"};
    fixture f = fixture_open();
    trx_gradient_check check = check_of(&f, set, 1);
    ck_assert_msg(check.ok, "%g at %s", check.a_error, check.a_at);
    ck_assert_int_ge(check.kinks, 20);
    ck_assert_int_ge(check.states, 3);
    ck_assert_int_eq(check.states + check.kinks, 51);
    fixture_close(&f);
}
END_TEST

START_TEST(any_number_of_states_may_be_asked_for)
{
    const int asked[] = {-3, 0, 1, 150, INT_MAX}, judged[] = {1, 1, 2, 151, 151};
    fixture f = fixture_open();
    ck_assert_int_eq(load_text(&f, TUMBLE, NULL, 0), TRX_OK);
    for (int i = 0; i < 5; i++) {
        trx_gradient_check check;
        ck_assert_int_eq(trx_problem_check_gradients(f.problem, asked[i], &check), TRX_OK);
        ck_assert_int_eq(check.states + check.kinks, judged[i]);
    }
    ck_assert_int_eq(trx_problem_check_gradients(f.problem, 1, NULL), TRX_ERR_ARGUMENT);
    trx_gradient_check check;
    ck_assert_int_eq(trx_problem_check_gradients(NULL, 1, &check), TRX_ERR_ARGUMENT);
    fixture_close(&f);
}
END_TEST

// a sphere of 1 kg on a slide, 1 mm in the ground; the last knot has no controls
START_TEST(a_run_is_judged_where_it_was)
{
    static const char SCENE[] = "tractrix: 1\n"
                                "model:\n"
                                "  bodies:\n"
                                "    - name: ball\n"
                                "      joints: [{name: z, type: slide, axis: [0, 0, 1]}]\n"
                                "      geometry: [{shape: sphere, radius: 0.05, mass: 1}]\n"
                                "    - {name: ground, geometry: [{shape: halfspace}]}\n"
                                "  actuators: [{name: lift, joint: z}]\n"
                                "time: {step: 0.01, steps: 20}\n"
                                "start: {z: 1}\n";
    static const char TABLE[] = "t,z,z.v,u.lift\n0.07,0.049,-0.01,2\n0.1,1,0,0\n0.11,1,0,\n";
    char folder[TEMPORARY_PATH], path[TEMPORARY_PATH + 16];
    temporary_path(folder, "tractrix_run_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/trajectory.csv", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(TABLE, file);
    fclose(file);

    fixture f = fixture_open();
    ck_assert_int_eq(load_text(&f, SCENE, NULL, 0), TRX_OK);
    trx_gradient_check check;
    const int asked[] = {-1, 1, 2, 50}, judged[] = {1, 1, 2, 2};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(trx_problem_check_run(f.problem, folder, asked[i], &check), TRX_OK);
        ck_assert_int_eq(check.states, judged[i]);
        ck_assert_int_eq(check.kinks, 0);
        ck_assert(check.ok);
    }
    // terms are judged at the first of them, which is in contact
    ck_assert_int_eq(check.term_states, 1);
    ck_assert_int_eq(check.terms[TRX_TERM_GEOMETRY].columns, 3);
    ck_assert_ptr_eq(strstr(check.terms[TRX_TERM_FRICTION].at, "knot 7, "), check.terms[TRX_TERM_FRICTION].at);
    ck_assert_ptr_nonnull(strstr(check.terms[TRX_TERM_FRICTION].at, "ground#1"));
    ck_assert_int_eq(trx_problem_check_run(f.problem, NULL, 1, &check), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_problem_check_run(f.problem, folder, 1, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_problem_check_run(NULL, folder, 1, &check), TRX_ERR_ARGUMENT);
    fixture_close(&f);
    remove(path);
    remove(folder);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/check_gradients");
    TCase *cases = tcase_create("check_gradients");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, stiff_contacts_near_a_kink_are_judged_fairly);
    tcase_add_test(cases, pairs_of_two_bodies_with_unlike_friction_are_judged_alone);
    tcase_add_test(cases, geometry_at_a_kink_is_not_judged);
    tcase_add_test(cases, states_without_a_reference_are_counted_not_judged);
    tcase_add_test(cases, any_number_of_states_may_be_asked_for);
    tcase_add_test(cases, a_run_is_judged_where_it_was);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
