// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Noise of quantities becomes deviations per dof: of free, planar and ball joints, of single joints and of groups.

#include "loading.h"

#include <stdio.h>
#include <string.h>

static const char SCENE[] = "tractrix: 1\n"
                            "model:\n"
                            "  bodies:\n"
                            "    - {name: box, joint: free, geometry: [{shape: sphere, radius: 0.1, mass: 0.5}]}\n"
                            "    - {name: disc, joint: planar, geometry: [{shape: sphere, radius: 0.1, mass: 0.5}]}\n"
                            "    - {name: eye, joint: ball, geometry: [{shape: sphere, radius: 0.1, mass: 0.5}]}\n"
                            "    - name: arm\n"
                            "      joints: [{name: a, type: hinge, axis: [0, 0, 1]}, {name: b, type: slide, axis: [1, 0, 0]}]\n"
                            "      geometry: [{shape: sphere, radius: 0.1, mass: 0.5}]\n"
                            "time: {step: 0.01, steps: 10}\n";

enum { NV = 14, BOX = 0, DISC = 6, EYE = 9, A = 12, B = 13 };

// the deviations of a mapping `noise`
static void read_noise(const char *noise, double deviations[2 * NV])
{
    fixture f = fixture_open();
    char set[256];
    const char *const sets[] = {set};
    snprintf(set, sizeof set, "mpc={noise: {%s}}", noise);
    const trx_status status = load_text(&f, SCENE, sets, 1);
    ck_assert_msg(status == TRX_OK, "%s: %s", noise, trx_context_message(f.context));
    ck_assert_int_eq(trx_model_get_size(trx_problem_model(f.problem)).nv, NV);
    memcpy(deviations, trx_problem_mpc(f.problem).noise, 2 * NV * sizeof *deviations);
    fixture_close(&f);
}

START_TEST(a_quantity_is_some_numbers_of_the_state)
{
    static const struct {
        const char *noise;
        int first, count;
    } cases[] = {
        {"box.position: 3", BOX, 3},          {"box.orientation: 3", BOX + 3, 3}, {"box.velocity: 3", NV + BOX, 3},
        {"box.spin: 3", NV + BOX + 3, 3},     {"disc.position: 3", DISC, 2},      {"disc.orientation: 3", DISC + 2, 1},
        {"disc.velocity: 3", NV + DISC, 2},   {"disc.spin: 3", NV + DISC + 2, 1}, {"eye.orientation: 3", EYE, 3},
        {"eye.spin: 3", NV + EYE, 3},         {"a.position: 3", A, 1},            {"b.velocity: 3", NV + B, 1},
        {"joints(arm).position: 3", A, 2},    {"position: 3", 0, NV},             {"velocity: 3", NV, NV},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double deviations[2 * NV];
        read_noise(cases[i].noise, deviations);
        for (int k = 0; k < 2 * NV; k++) {
            const bool inside = k >= cases[i].first && k < cases[i].first + cases[i].count;
            ck_assert_msg(deviations[k] == (inside ? 3 : 0), "%s: number %d", cases[i].noise, k);
        }
    }
}
END_TEST

START_TEST(a_later_key_replaces_an_earlier_one)
{
    double deviations[2 * NV];
    read_noise("position: 1, box.position: 2, a.position: 0", deviations);
    for (int k = 0; k < 2 * NV; k++) ck_assert(deviations[k] == (k < 3 ? 2 : k < NV && k != A ? 1 : 0));
}
END_TEST

START_TEST(what_is_no_part_of_the_state_has_its_place)
{
    static const char *const wrong[] = {"arm.position", "eye.position", "com.position", "control", "\"distance(box, disc)\""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fixture f = fixture_open();
        char set[256];
        const char *const sets[] = {set};
        snprintf(set, sizeof set, "mpc={noise: {%s: 1}}", wrong[i]);
        ck_assert_int_eq(load_text(&f, SCENE, sets, 1), TRX_ERR_INPUT);
        ck_assert_msg(strstr(trx_context_message(f.context), "no part of the state"), "%s: %s", wrong[i],
                      trx_context_message(f.context));
        fixture_close(&f);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/disturbances");
    TCase *cases = tcase_create("disturbances");
    tcase_add_test(cases, a_quantity_is_some_numbers_of_the_state);
    tcase_add_test(cases, a_later_key_replaces_an_earlier_one);
    tcase_add_test(cases, what_is_no_part_of_the_state_has_its_place);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
