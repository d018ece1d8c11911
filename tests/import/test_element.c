// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// What URDF and SDF files write alike: children with and without the prefix of Drake, shapes, planes, and sizes that no shape has.

#include "drafts.h"

#include "import/element.h"
#include "math/rotation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static trxi_xml_node *parse(fixture *f, const char *text)
{
    trxi_xml_node *root;
    ck_assert_int_eq(trxi_xml_parse(f->context, f->pool, "folder/robot.urdf", text, strlen(text), &root), TRX_OK);
    return root;
}

START_TEST(children_are_found_with_and_without_the_prefix)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    trxi_xml_node *root = parse(&f, "<a><b/><drake:c/><c/><gz:c/><d/></a>");
    int index = 0;
    ck_assert_ptr_eq(trxi_element_next(root, "c", &index), root->items[1]);
    ck_assert_ptr_eq(trxi_element_next(root, "c", &index), root->items[2]);
    ck_assert_ptr_null(trxi_element_next(root, "c", &index));
    ck_assert(root->items[1]->used && root->items[2]->used && !root->items[3]->used);
    ck_assert_ptr_eq(trxi_element_child(root, "d"), root->items[4]);
    ck_assert_ptr_null(trxi_element_child(root, "e"));
    ck_assert_ptr_null(trxi_element_child(NULL, "d"));
    end(&f);
}
END_TEST

START_TEST(every_shape_has_its_name)
{
    static const char *const names[] = {"box", "sphere", "cylinder", "drake:capsule", "ellipsoid", "mesh", "plane"};
    static const trx_shape_type types[] = {TRX_SHAPE_BOX,       TRX_SHAPE_SPHERE, TRX_SHAPE_CYLINDER, TRX_SHAPE_CAPSULE,
                                           TRX_SHAPE_ELLIPSOID, TRX_SHAPE_MESH,   TRX_SHAPE_HALFSPACE};
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    trx_shape_type type;
    for (int i = 0; i < 7; i++) {
        char text[64];
        snprintf(text, sizeof text, "<geometry><other/><%s/></geometry>", names[i]);
        trxi_xml_node *geometry = parse(&f, text);
        ck_assert_ptr_eq(trxi_element_shape(geometry, &type), geometry->items[1]);
        ck_assert_int_eq(type, types[i]);
    }
    ck_assert_ptr_null(trxi_element_shape(parse(&f, "<geometry><cone/></geometry>"), &type));
    ck_assert_ptr_null(trxi_element_shape(NULL, &type));
    end(&f);
}
END_TEST

START_TEST(the_normal_of_a_plane_becomes_its_z_axis)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    const trxi_xml_node *node = parse(&f, "<plane/>");
    const double normal[3] = {3, 0, 4}, zero[3] = {0, 0, 0};
    trx_pose pose = {{1, 2, 3}, {sqrt(0.5), 0, 0, sqrt(0.5)}}; // a quarter turn about z
    ck_assert(trxi_element_turn_plane(f.context, node, normal, &pose));
    double R[9];
    trxi_quat_to_matrix(pose.quat, R);
    const double expected[3] = {0, 0.6, 0.8}, place[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++) {
        assert_close(R[6 + i], expected[i], 1e-15);
        assert_close(pose.p[i], place[i], 0);
    }
    ck_assert(!trxi_element_turn_plane(f.context, node, zero, &pose));
    ck_assert_ptr_nonnull(strstr(trx_context_message(f.context), "the normal of <plane> is 0 0 0"));
    end(&f);
}
END_TEST

START_TEST(sizes_that_no_shape_has_are_errors)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    const trxi_xml_node *node = parse(&f, "<sphere/>");
    trx_shape shape = trx_shape_default(TRX_SHAPE_SPHERE);
    shape.radius = 0.1;
    ck_assert(trxi_element_check_shape(f.draft, node, true, &shape));
    shape.radius = -0.1;
    ck_assert(!trxi_element_check_shape(f.draft, node, true, &shape));
    ck_assert_ptr_nonnull(strstr(trx_context_message(f.context), "<sphere>: "));
    end(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/element");
    TCase *cases = tcase_create("element");
    tcase_add_test(cases, children_are_found_with_and_without_the_prefix);
    tcase_add_test(cases, every_shape_has_its_name);
    tcase_add_test(cases, the_normal_of_a_plane_becomes_its_z_axis);
    tcase_add_test(cases, sizes_that_no_shape_has_are_errors);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
