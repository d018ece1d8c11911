// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Friction of links and groups of links that do not meet, as simulators add them to URDF. Refusals are in
// tests/malformed_robots.

#include "import/robots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GROUP(name, inside) "<drake:collision_filter_group name=\"" name "\">" inside "</drake:collision_filter_group>\n"
#define MEMBER(link) "<drake:member link=\"" link "\"/>"
#define IGNORE(group) "<drake:ignored_collision_filter_group name=\"" group "\"/>"
#define HAND                                                                                                             \
    LINK("palm", "")                                                                                                     \
    LINK("thumb", "") LINK("index", "") LINK("ring", "") JOINT("t", "ball", "palm", "thumb", "")                         \
        JOINT("i", "ball", "palm", "index", "") JOINT("r", "ball", "palm", "ring", "")

// how often the bodies are excluded as a pair, in either order
static int excluded(const robot *r, const char *a, const char *b)
{
    int i = find_body(r, a), j = find_body(r, b), count = 0;
    for (int k = 0; k < r->result->def.nexclude; k++) {
        const trx_pair_selector *pair = &r->result->def.exclude[k];
        ck_assert(pair->a.geometry == -1 && pair->b.geometry == -1);
        count += (pair->a.body == i && pair->b.body == j) || (pair->a.body == j && pair->b.body == i);
    }
    return count;
}

START_TEST(a_group_that_ignores_itself_excludes_all_pairs_of_its_members)
{
    robot r = read_text(ROBOT(HAND GROUP("fingers", MEMBER("thumb") MEMBER("index") MEMBER("ring") IGNORE("fingers"))),
                        NULL);
    ck_assert_int_eq(r.result->def.nexclude, 3);
    ck_assert_int_eq(excluded(&r, "thumb", "index"), 1);
    ck_assert_int_eq(excluded(&r, "thumb", "ring"), 1);
    ck_assert_int_eq(excluded(&r, "index", "ring"), 1);
    ck_assert_int_eq(r.result->def.exclude[0].source.line, 9);
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_DROPPED, ""), 0);
    free_robot(&r);
}
END_TEST

START_TEST(a_group_that_ignores_another_excludes_pairs_across_whatever_their_order)
{
    robot r = read_text(ROBOT(HAND GROUP("one", MEMBER("thumb") IGNORE("two")) GROUP("two", MEMBER("index") MEMBER("rin"
                                                                                                                   "g"))),
                        NULL);
    ck_assert_int_eq(r.result->def.nexclude, 2);
    ck_assert_int_eq(excluded(&r, "thumb", "index"), 1);
    ck_assert_int_eq(excluded(&r, "index", "ring"), 0);
    free_robot(&r);
}
END_TEST

START_TEST(groups_may_be_members_of_groups)
{
    robot r = read_text(ROBOT(HAND GROUP("two", MEMBER("index") MEMBER("ring"))
                                  GROUP("all", MEMBER("thumb")
                                                   MEMBER("ring") "<drake:member_group name=\"two\"/>" IGNORE("all"))),
                        NULL);
    ck_assert_int_eq(r.result->def.nexclude, 3);
    ck_assert_int_eq(excluded(&r, "index", "ring"), 1);
    free_robot(&r);
}
END_TEST

#define GROUP_MEMBER(group) "<drake:member_group name=\"" group "\"/>"

// a group had the members of groups two levels below only if the file defined the lower levels first
START_TEST(groups_have_all_members_of_their_groups_in_any_order_of_the_file)
{
    robot r = read_text(ROBOT(HAND GROUP("one", MEMBER("thumb") GROUP_MEMBER("two") IGNORE("one"))
                                  GROUP("two", MEMBER("index") GROUP_MEMBER("three")) GROUP("three", MEMBER("ring"))),
                        NULL);
    ck_assert_int_eq(r.result->def.nexclude, 3);
    ck_assert_int_eq(excluded(&r, "thumb", "index"), 1);
    ck_assert_int_eq(excluded(&r, "thumb", "ring"), 1);
    ck_assert_int_eq(excluded(&r, "index", "ring"), 1);
    free_robot(&r);
}
END_TEST

START_TEST(groups_that_contain_each_other_have_the_same_members)
{
    robot r = read_text(ROBOT(HAND GROUP("one", MEMBER("thumb") GROUP_MEMBER("two"))
                                  GROUP("two", MEMBER("index") GROUP_MEMBER("one") GROUP_MEMBER("two"))
                                      GROUP("three", MEMBER("ring") IGNORE("one"))
                                          GROUP("four", MEMBER("palm") IGNORE("two"))),
                        NULL);
    ck_assert_int_eq(r.result->def.nexclude, 4);
    ck_assert_int_eq(excluded(&r, "ring", "thumb"), 1);
    ck_assert_int_eq(excluded(&r, "ring", "index"), 1);
    ck_assert_int_eq(excluded(&r, "palm", "thumb"), 1);
    ck_assert_int_eq(excluded(&r, "palm", "index"), 1);
    free_robot(&r);
}
END_TEST

// a long chain of groups would take memory and time of the square of its length
START_TEST(groups_that_contain_too_much_are_refused)
{
    enum { MANY = 2000 };
    static char text[MANY * 200];
    int used = snprintf(text, sizeof text, "<robot name=\"r\">" LINK("palm", ""));
    for (int i = 0; i < MANY; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, GROUP("%d", GROUP_MEMBER("%d")), i, i + 1 < MANY ? i + 1 : i);
    snprintf(text + used, sizeof text - (size_t)used, "</robot>");
    robot r = read_text(text, NULL);
    ck_assert_int_eq(r.status, TRX_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(r.context), "contain more than 1000000 groups and members"));
    free_robot(&r);
}
END_TEST

START_TEST(members_that_are_no_links_are_noted)
{
    robot r = read_text(ROBOT(HAND GROUP("g", MEMBER("toe") MEMBER("thumb") IGNORE("g"))), NULL);
    ck_assert_int_eq(r.result->def.nexclude, 0);
    assert_note(&r, TRX_NOTE_DROPPED, 9, "link \"toe\" of a collision filter group: there is no such link");
    free_robot(&r);
}
END_TEST

START_TEST(friction_of_a_link_may_be_a_text_or_an_attribute)
{
    robot r = read_text(ROBOT(LINK("a", "<collision><geometry><sphere radius=\"1\"/></geometry></collision>")
                                  LINK("b", "<collision><geometry><sphere radius=\"1\"/></geometry></collision>")
                                      JOINT("j", "ball", "a", "b", "") "<gazebo "
                                                                       "reference=\"a\"><mu1>0.25</mu1><mu2>0.25</mu2></"
                                                                       "gazebo>\n"
                                                                       "<gazebo reference=\"b\"><mu1 "
                                                                       "value=\"0.75\"/></gazebo>\n<gazebo "
                                                                       "reference=\"c\"><mu1>1</mu1></gazebo>\n"),
                        NULL);
    const trx_material_def *materials = r.result->def.materials;
    assert_close(materials[body_of(&r, "a")->geometry[0].material].friction, 0.25, 0);
    assert_close(materials[body_of(&r, "b")->geometry[0].material].friction, 0.75, 0);
    assert_note(&r, TRX_NOTE_DROPPED, 5, "1 element <mu2> in <gazebo>: not served, left out");
    assert_note(&r, TRX_NOTE_DROPPED, 7, "1 element <gazebo> in <robot>: not served, left out");
    free_robot(&r);
}
END_TEST

#define BALL "<collision><geometry><sphere radius=\"1\"/></geometry></collision>"

static int pair_count(const char *text, trx_base base)
{
    trx_import_options options = trx_import_options_default();
    trx_model *model;
    options.base = base;
    robot r = read_text(text, &options);
    ck_assert_int_eq(r.status, TRX_OK);
    ck_assert_int_eq(trx_model_create(r.context, &r.result->def, &model), TRX_OK);
    int count = trx_model_get_size(model).npair;
    trx_model_destroy(model);
    free_robot(&r);
    return count;
}

// a link welded to a free base does not touch the children of the base. With a fixed base it did
START_TEST(pairs_are_the_same_with_a_fixed_base_and_a_free_one)
{
    static const char text[] = ROBOT(LINK("base", BALL) LINK("plate", BALL) LINK("arm", BALL) LINK("hand", BALL)
                                         JOINT("a", "fixed", "base", "plate", "") JOINT("b", "continuous", "base", "arm", "")
                                             JOINT("c", "continuous", "arm", "hand", ""));
    ck_assert_int_eq(pair_count(text, TRX_BASE_FREE), 2);
    ck_assert_int_eq(pair_count(text, TRX_BASE_FIXED), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/urdf/contact");
    TCase *tests = tcase_create("urdf_contact");
    tcase_add_test(tests, a_group_that_ignores_itself_excludes_all_pairs_of_its_members);
    tcase_add_test(tests, a_group_that_ignores_another_excludes_pairs_across_whatever_their_order);
    tcase_add_test(tests, groups_may_be_members_of_groups);
    tcase_add_test(tests, groups_have_all_members_of_their_groups_in_any_order_of_the_file);
    tcase_add_test(tests, groups_that_contain_each_other_have_the_same_members);
    tcase_add_test(tests, groups_that_contain_too_much_are_refused);
    tcase_add_test(tests, members_that_are_no_links_are_noted);
    tcase_add_test(tests, friction_of_a_link_may_be_a_text_or_an_attribute);
    tcase_add_test(tests, pairs_are_the_same_with_a_fixed_base_and_a_free_one);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
