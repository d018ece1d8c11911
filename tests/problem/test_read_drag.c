// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drag of a body in a problem file: what becomes of its keys, and what is refused.

#include "loading.h"

#include "problem/problem.h"

START_TEST(keys_become_a_drag)
{
    const char *const set[] = {"model.bodies.box.drag={size: [1, 2, 3], density: 4, viscosity: 5, wind: [6, 7, 8], pose: {xyz: "
                               "[9, 0, 0]}}"};
    fixture f = fixture_open();
    ck_assert_msg(load_text(&f, PUSH, set, 1) == TRX_OK, "%s", trx_context_message(f.context));
    const trx_drag_def *drag = NULL;
    for (int i = 0; i < f.problem->scene.def.nbody; i++)
        if (f.problem->scene.bodies[i].drag.density > 0) drag = &f.problem->scene.bodies[i].drag;
    ck_assert_ptr_nonnull(drag);
    assert_below(max_difference(drag->size, (double[]){1, 2, 3}, 3), 1e-15);
    assert_below(max_difference(drag->wind, (double[]){6, 7, 8}, 3), 1e-15);
    assert_close(drag->density, 4, 0);
    assert_close(drag->viscosity, 5, 0);
    assert_close(drag->pose.p[0], 9, 0);
    fixture_close(&f);
}
END_TEST

START_TEST(wrong_drags_are_refused)
{
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"model.bodies.box.drag={size: [1, 2, 3]}", "drag needs a fluid: write density or viscosity, or both"},
        {"model.bodies.box.drag={density: 1}", "size"},
        {"model.bodies.box.drag={size: [1, 2, 3], density: -1}", "density"},
        {"model.bodies.box.drag={size: [1, 2, 3], fluid: 1}", "fluid"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f = fixture_open();
        ck_assert_int_eq(load_text(&f, PUSH, &cases[i].set, 1), TRX_ERR_INPUT);
        ck_assert_msg(has_finding(&f, TRX_ERROR, cases[i].words), "case %zu: %s", i, trx_context_message(f.context));
        fixture_close(&f);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_drag");
    TCase *cases = tcase_create("drag");
    tcase_add_test(cases, keys_become_a_drag);
    tcase_add_test(cases, wrong_drags_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
