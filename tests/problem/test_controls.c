// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Controls of a table over time, held between its rows, and controls that keep the start at rest.

#include "loading.h"

#include "problem/problem.h"

START_TEST(controls_are_held_between_rows)
{
    sandbox s = sandbox_open();
    ck_assert_int_eq(load_push(&s, ""), TRX_OK);
    write_file(&s, "u.csv", "t,u.py,note,u.px\n0,1,9,10\n0.04,2,9,20\n0.07,3,9,30\n");
    double u[20];
    ck_assert_int_eq(trx_problem_read_controls(s.f.problem, in_folder(&s, "u.csv"), u), TRX_OK);
    static const double px[] = {10, 10, 20, 20, 30, 30, 30, 30, 30, 30};
    for (int k = 0; k < 10; k++) {
        assert_close(u[2 * k], px[k], 0);
        assert_close(u[2 * k + 1], px[k] / 10, 0);
    }

    // the last row of a trajectory has no controls
    write_file(&s, "u.csv", "t,u.px,u.py\n0,1,2\n0.02,3,4\n0.04,,\n");
    ck_assert_int_eq(trx_problem_read_controls(s.f.problem, in_folder(&s, "u.csv"), u), TRX_OK);
    assert_close(u[18], 3, 0);
    const char *const names[] = {"u.csv"};
    sandbox_close(&s, names, 1);
}
END_TEST

// the efforts of motors are limits of the control; controls from a file were not clamped to these limits
START_TEST(motors_saturate_at_their_efforts_and_drives_are_left_to_the_step)
{
    sandbox s = sandbox_open();
    write_file(&s, "car.xml",
               "<mujoco><worldbody><body><joint name=\"a\" type=\"slide\"/><joint name=\"b\" type=\"slide\" axis=\"1 0 0\"/>"
               "<geom size=\"1\"/>"
               "</body></worldbody><actuator><motor name=\"a\" joint=\"a\" gear=\"3\" forcerange=\"-0.02 0.03\"/>"
               "<position name=\"b\" joint=\"b\" kp=\"10\" forcerange=\"-1 1\"/></actuator></mujoco>");
    write_file(&s, "car.yaml", "tractrix: 1\nmodel: {include: [{name: car, file: car.xml}]}\ntime: {step: 0.01, steps: 4}\n");
    write_file(&s, "u.csv", "t,u.car/a,u.car/b\n0,0.78,5\n0.015,-0.78,-5\n");
    load_file(&s.f, in_folder(&s, "car.yaml"));
    double u[8];
    ck_assert_int_eq(trx_problem_read_controls(s.f.problem, in_folder(&s, "u.csv"), u), TRX_OK);
    static const double expected[] = {0.03, 5, 0.03, 5, -0.02, -5, -0.02, -5};
    for (int i = 0; i < 8; i++) assert_close(u[i], expected[i], 0);
    ck_assert(has_finding(&s.f, TRX_WARNING, "4 controls ask for more than the effort of their motors"));
    const char *const names[] = {"u.csv", "car.xml", "car.yaml"};
    sandbox_close(&s, names, 3);
}
END_TEST

START_TEST(bad_controls_are_refused)
{
    static const struct {
        const char *table, *words;
    } cases[] = {
        {"t,u.px\n0,1\n", "no column \"u.py\""},
        {"u.px,u.py\n0,1\n", "no column \"t\""},
        {"t,u.px,u.py\n", "no rows"},
        {"t,u.px,u.py\n0,1,\n1,2,3\n", "an empty cell"},
        {"t,u.px,u.py\n1,1,1\n0,2,3\n", "t does not increase"},
    };
    sandbox s = sandbox_open();
    double u[20];
    ck_assert_int_eq(load_push(&s, ""), TRX_OK);
    ck_assert_int_eq(trx_problem_read_controls(s.f.problem, in_folder(&s, "none.csv"), u), TRX_ERR_IO);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(&s, "u.csv", cases[i].table);
        ck_assert_int_eq(trx_problem_read_controls(s.f.problem, in_folder(&s, "u.csv"), u), TRX_ERR_INPUT);
        ck_assert_msg(has_finding(&s.f, TRX_ERROR, cases[i].words), "%s", trx_context_message(s.f.context));
    }
    const char *const names[] = {"u.csv"};
    sandbox_close(&s, names, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/controls");
    TCase *cases = tcase_create("controls");
    tcase_add_test(cases, controls_are_held_between_rows);
    tcase_add_test(cases, motors_saturate_at_their_efforts_and_drives_are_left_to_the_step);
    tcase_add_test(cases, bad_controls_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
