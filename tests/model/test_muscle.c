// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Muscles: what is refused, and the three curves: values at marked arguments, slopes against differences, continuity between
// pieces.

#include "fixture.h"
#include "model/muscle.h"
#include "support/support.h"

static trx_muscle_def usual(void)
{
    trx_muscle_def m = trx_muscle_def_default();
    m.optimal_length = 0.4;
    return m;
}

// one wrong number of a muscle
static void refuses(size_t offset, double value, const char *text)
{
    scene s;
    scene_open(&s);
    s.actuators[0].muscle = usual();
    *(double *)(void *)((char *)&s.actuators[0] + offset) = value;
    scene_refuses(&s, LINE_ACTUATOR_X, text);
}

#define NUMBER(name) offsetof(trx_actuator_def, muscle.name)

START_TEST(muscles_are_checked)
{
    refuses(NUMBER(optimal_length), -1, "muscle 'px': its optimal length must be positive");
    refuses(NUMBER(tendon_length), NAN, "its numbers must be finite");
    refuses(NUMBER(shortest), 1, "its shortest length must be below 1 and its longest above 1");
    refuses(NUMBER(longest), 1, "its shortest length must be below 1 and its longest above 1");
    refuses(NUMBER(max_speed), 0, "its maximal speed must be positive");
    refuses(NUMBER(passive_force), -1, "its passive force must not be negative");
    refuses(NUMBER(lengthening_force), 0.9, "its force at lengthening must be at least 1");
    refuses(offsetof(trx_actuator_def, gain), -3, "its gain, the force at its optimal length, must be positive");
}
END_TEST

START_TEST(a_muscle_is_a_drive_whatever_its_effort)
{
    scene s;
    scene_open(&s), s.actuators[0].muscle = usual();
    const trx_model *m = scene_build(&s);
    ck_assert(m->actuators[0].drive && !m->actuators[0].motor && trx_model_actuator(m, 0).muscle.optimal_length == 0.4);
    scene_close(&s);
}
END_TEST

START_TEST(the_curves_have_their_marked_values)
{
    const trx_muscle_def m = usual();
    const double at[][2] = {{0.5, 0}, {0.75, 0.5}, {1, 1}, {1.3, 0.5}, {1.6, 0}, {0.3, 0}, {2, 0}};
    for (int i = 0; i < 7; i++) assert_close(trxi_muscle_active(&m, at[i][0]).value, at[i][1], 1e-15);
    ck_assert(trxi_muscle_passive(&m, 0.9).value == 0);
    assert_close(trxi_muscle_passive(&m, 1.3).value, 1.3 / 2, 1e-15);
    assert_close(trxi_muscle_passive(&m, 1.6).value, 1.3 * 1.5, 1e-14);
    const double speeds[][2] = {{-2, 0}, {-1, 0}, {-0.5, 0.25}, {0, 1}, {0.1, 1.15}, {0.2, 1.2}, {3, 1.2}};
    for (int i = 0; i < 7; i++) assert_close(trxi_muscle_speed(1.2, speeds[i][0]).value, speeds[i][1], 1e-14);
    ck_assert(trxi_muscle_speed(1, 1e-9).value == 1); // a muscle that is not stronger where it lengthens
}
END_TEST

typedef trxi_curve (*curve)(double x);

static trxi_curve active(double l)
{
    const trx_muscle_def m = usual();
    return trxi_muscle_active(&m, l);
}

static trxi_curve passive(double l)
{
    const trx_muscle_def m = usual();
    return trxi_muscle_passive(&m, l);
}

static trxi_curve speed(double s)
{
    return trxi_muscle_speed(1.2, s);
}

// within a piece central differences of a parabola are exact; where the piece changes, the room was smaller than the step, and
// value and slope are continuous
START_TEST(slopes_are_differences_and_pieces_meet)
{
    static const curve curves[] = {active, passive, speed};
    static const int pieces[] = {6, 3, 4};
    const double e = 1e-5;
    for (int k = 0; k < 3; k++) {
        unsigned seen = 0;
        for (double x = -1.5; x < 2.5; x += 0.99e-3) {
            const trxi_curve at = curves[k](x), low = curves[k](x - e), high = curves[k](x + e);
            const bool same = low.piece == at.piece && high.piece == at.piece;
            ck_assert(at.piece < TRXI_CURVE_PIECES && at.room >= 0 && same == (at.room > e));
            assert_close(at.slope, (high.value - low.value) / (2 * e), same ? 1e-9 : 1e-3);
            assert_close(high.slope, low.slope, 100 * e);
            seen |= 1u << at.piece;
        }
        int count = 0;
        for (unsigned bits = seen; bits; bits &= bits - 1) count++;
        ck_assert_int_eq(count, pieces[k]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/muscle");
    TCase *cases = tcase_create("muscle");
    tcase_add_test(cases, muscles_are_checked);
    tcase_add_test(cases, a_muscle_is_a_drive_whatever_its_effort);
    tcase_add_test(cases, the_curves_have_their_marked_values);
    tcase_add_test(cases, slopes_are_differences_and_pieces_meet);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
