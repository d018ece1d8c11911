// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Moving a state along a tangent coordinate and the slope between two states are inverse to each other.

#include "verify/state_difference.h"

#include "step/scenes.h"
#include "support/support.h"

enum { MAX_X = 48, MAX_NX = 36 };

START_TEST(the_slope_between_moved_states_is_the_coordinate)
{
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE);
    double x[MAX_X], u[8], plus[MAX_X], minus[MAX_X], dq[MAX_NX], D[MAX_NX];
    scene_state(&s, SCENE_SLIP, 3, 1, x, u);
    for (int column = 0; column < s.nx; column++) {
        trxi_state_move(s.model, x, column, 1e-3, dq, plus);
        trxi_state_move(s.model, x, column, -1e-3, dq, minus);
        trxi_state_slope(s.model, plus, minus, 1e-3, D);
        for (int i = 0; i < s.nx; i++) assert_close(D[i], i == column ? 1 : 0, 1e-10);
    }
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verify/state_difference");
    TCase *cases = tcase_create("state_difference");
    tcase_add_test(cases, the_slope_between_moved_states_is_the_coordinate);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
