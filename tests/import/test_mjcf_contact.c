// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pairs that never meet, and pairs that always do.

#include "mjcf_case.h"
#include "support/support.h"

#include <stdio.h>

START_TEST(excluded_bodies_never_meet)
{
    mjcf_case c;
    case_open(&c, "mjcf_contact", NULL);
    const trx_model_def *def = &c.result->def;
    ck_assert_int_eq(def->nexclude, 2);
    ck_assert_str_eq(def->bodies[def->exclude[0].a.body].name, "a");
    ck_assert_str_eq(def->bodies[def->exclude[0].b.body].name, "b");
    ck_assert_str_eq(def->bodies[def->exclude[1].a.body].name, "worldbody");
    ck_assert_int_eq(def->exclude[0].a.geometry, -1);
    compare_with_reference(&c, "mjcf_contact", 1e-9, "body geom");
    case_close(&c);
}
END_TEST

START_TEST(a_pair_has_its_own_friction)
{
    mjcf_case c;
    case_open(&c, "mjcf_contact", NULL);
    const trx_pair_override *o = c.result->def.overrides;
    ck_assert_int_eq(c.result->def.noverride, 2);
    assert_close(o[0].friction, 0.05, 0);
    assert_close(o[1].friction, 0.9, 0);
    ck_assert(o[0].pair.a.geometry == 0 && o[1].pair.a.geometry == 1);
    case_close(&c);
}
END_TEST

// a2 and b2 have zero masks; with a bit of their own they meet each other and nobody else
START_TEST(a_pair_that_masks_keep_apart_meets_nevertheless)
{
    mjcf_case c;
    case_open(&c, "mjcf_contact", NULL);
    const trx_geometry_def *a = case_geometry(&c, "a2"), *b = case_geometry(&c, "b2"), *other = case_geometry(&c, "a1");
    ck_assert(a->collide && b->collide);
    ck_assert_uint_ne(a->collision_type & b->collision_mask, 0);
    ck_assert_uint_eq((a->collision_type & other->collision_mask) | (other->collision_type & a->collision_mask), 0);
    ck_assert_uint_eq((b->collision_type & other->collision_mask) | (other->collision_type & b->collision_mask), 0);
    case_close(&c);
}
END_TEST

START_TEST(a_pair_of_neighbours_that_is_left_out_is_told)
{
    // "b" hangs on "a", "c" is fixed to "b", "d" hangs on "c"; the two geoms of "a" are one body
    static const char tree[] = "<mujoco>%s<worldbody><geom name=\"w\" size=\"0.1\"/>"
                               "<body name=\"a\"><joint name=\"p\"/><geom name=\"g\" size=\"0.1\"/>"
                               "<geom name=\"h\" size=\"0.1\"/>"
                               "<body name=\"b\"><joint name=\"q\"/><geom name=\"i\" size=\"0.1\"/>"
                               "<body name=\"c\"><geom name=\"k\" size=\"0.1\"/>"
                               "<body name=\"d\"><joint name=\"r\"/><geom name=\"l\" size=\"0.1\"/></body></body></body></body>"
                               "</worldbody><contact><pair geom1=\"%s\" geom2=\"%s\"/></contact></mujoco>";
    static const struct {
        const char *one, *other;
        int welded, neighbours;
    } cases[] = {{"g", "h", 1, 0}, {"i", "k", 1, 0}, {"g", "i", 0, 1}, {"k", "g", 0, 1}, {"i", "l", 0, 1},
                 {"l", "k", 0, 1}, {"g", "l", 0, 0}, {"w", "g", 0, 0}, {"w", "k", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int apart = 0; apart < 2; apart++) {
            char text[1000];
            mjcf_case c;
            snprintf(text, sizeof text, tree, apart ? "" : "<option><flag filterparent=\"disable\"/></option>", cases[i].one,
                     cases[i].other);
            case_open_text(&c, text, NULL);
            ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "bodies that do not move against each other"), cases[i].welded);
            ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "a body and its parent never meet"),
                             apart ? cases[i].neighbours : 0);
            case_close(&c);
        }
}
END_TEST

START_TEST(wrong_pairs_are_refused)
{
    case_refuses(ONE_BODY("<contact><exclude body1=\"b\"/></contact>"), "3: this exclude needs the attribute body2");
    case_refuses(ONE_BODY("<contact><exclude body1=\"b\" body2=\"c\"/></contact>"),
                 "3: body2 of this exclude is 'c'; there is no body of that name");
    case_refuses(ONE_BODY("<contact><pair geom1=\"g\" geom2=\"h\"/></contact>"),
                 "3: geom2 of this pair is 'h'; there is no geom of that name");
    case_refuses(
        ONE_BODY("<worldbody><geom name=\"h\" size=\"1\"/></worldbody><contact>\n<pair geom1=\"g\" geom2=\"h\" "
                 "friction=\"-1\"/></contact>"),
        "4: friction of this pair is -1; it must not be negative");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf_contact");
    TCase *tests = tcase_create("mjcf_contact");
    tcase_add_test(tests, excluded_bodies_never_meet);
    tcase_add_test(tests, a_pair_has_its_own_friction);
    tcase_add_test(tests, a_pair_that_masks_keep_apart_meets_nevertheless);
    tcase_add_test(tests, a_pair_of_neighbours_that_is_left_out_is_told);
    tcase_add_test(tests, wrong_pairs_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
