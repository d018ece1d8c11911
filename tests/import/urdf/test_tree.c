// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The tree of a URDF robot: the order of bodies, whatever the order in the file. Robots that are no tree are in
// tests/malformed_robots; the most important refusals are also here.

#include "import/robots.h"

#include <math.h>
#include <string.h>

START_TEST(bodies_come_depth_first_parents_before_children_in_the_order_of_the_joints)
{
    // joints before links, children before parents
    robot r = read_text(ROBOT(JOINT("e", "ball", "d", "e", "") JOINT("d", "ball", "a", "d", "")
                                  JOINT("c", "ball", "b", "c", "") JOINT("b", "ball", "a", "b", "") LINK("e", "")
                                      LINK("d", "") LINK("c", "") LINK("b", "") LINK("a", "")),
                        NULL);
    static const char *const order[] = {"a", "d", "e", "b", "c"};
    static const int parents[] = {-1, 0, 1, 0, 3};
    ck_assert_int_eq(r.result->def.nbody, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(r.result->def.bodies[i].name, order[i]);
        ck_assert_int_eq(r.result->def.bodies[i].parent, parents[i]);
    }
    // the model has the joints in the same order, so q0 fits the model
    trx_model *model = model_of(&r);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(trx_model_joint(model, i).q_index, 4 * i);
    trx_model_destroy(model);
    free_robot(&r);
}
END_TEST

START_TEST(a_link_has_one_parent_and_a_robot_one_root)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") LINK("c", "") JOINT("i", "fixed", "a", "c", "")
                                  JOINT("j", "fixed", "b", "c", "")),
                        NULL);
    assert_refused(&r, 6, "link \"c\" is already the child of joint \"i\" (line 5)");
    free_robot(&r);
    r = read_text(ROBOT(LINK("a", "") LINK("b", "") LINK("c", "") JOINT("i", "fixed", "a", "c", "")), NULL);
    assert_refused(&r, 3, "link \"b\" hangs on nothing, and so does \"a\" (line 2)");
    free_robot(&r);
}
END_TEST

START_TEST(a_loop_is_reported_once_at_its_first_joint)
{
    robot r = read_text(ROBOT(LINK("root", "") LINK("a", "") LINK("b", "") LINK("c", "") LINK("d", "")
                                  JOINT("cd", "fixed", "c", "d", "") JOINT("ab", "fixed", "a", "b", "")
                                      JOINT("bc", "fixed", "b", "c", "") JOINT("ca", "fixed", "c", "a", "")),
                        NULL);
    assert_refused(&r, 8, "joint \"ab\" closes a loop of 3 links through \"b\"");
    ck_assert_int_eq(trx_context_error_count(r.context), 1);
    free_robot(&r);
}
END_TEST

START_TEST(all_errors_of_the_tree_are_reported_in_one_run)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("a", "") JOINT("i", "slippery", "a", "b", "")
                                  JOINT("i", "fixed", "a", "a", "") "<joint type=\"fixed\"/>\n"),
                        NULL);
    assert_refused(&r, 3, "the link \"a\" is already defined on line 2");
    assert_refused(&r, 4, "type \"slippery\" is not served");
    assert_refused(&r, 4, "there is no link \"b\"");
    assert_refused(&r, 5, "the joint \"i\" is already defined on line 4");
    assert_refused(&r, 6, "<joint> has no name");
    free_robot(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/urdf/tree");
    TCase *tests = tcase_create("urdf_tree");
    tcase_add_test(tests, bodies_come_depth_first_parents_before_children_in_the_order_of_the_joints);
    tcase_add_test(tests, a_link_has_one_parent_and_a_robot_one_root);
    tcase_add_test(tests, a_loop_is_reported_once_at_its_first_joint);
    tcase_add_test(tests, all_errors_of_the_tree_are_reported_in_one_run);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
