// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Views of a model have the values of its definitions.

#include "fixture.h"
#include "support/support.h"

START_TEST(sizes_count_what_was_defined)
{
    scene s;
    scene_open(&s);
    trx_model_size size = trx_model_get_size(scene_build(&s));
    ck_assert_int_eq(size.nq, 10);
    ck_assert_int_eq(size.nv, 9);
    ck_assert_int_eq(size.nu, 2);
    ck_assert_int_eq(size.nbody, 3);
    ck_assert_int_eq(size.njoint, 4);
    ck_assert_int_eq(size.ngeom, 3);
    ck_assert_int_eq(size.npair, 3);
    ck_assert_int_eq(size.ntree, 2);
    ck_assert_int_eq(size.nframe, 1);
    ck_assert_int_eq(size.nmaterial, 2);
    scene_close(&s);
}
END_TEST

START_TEST(names_are_found_and_others_are_not)
{
    scene s;
    scene_open(&s);
    const trx_model *m = scene_build(&s);
    ck_assert_int_eq(trx_model_find_body(m, "ground"), 2);
    ck_assert_int_eq(trx_model_find_joint(m, "pz"), 3);
    ck_assert_int_eq(trx_model_find_geom(m, "pusher#1"), 1);
    ck_assert_int_eq(trx_model_find_frame(m, "corner"), 0);
    ck_assert_int_eq(trx_model_find_actuator(m, "py"), 1);
    ck_assert_int_eq(trx_model_find_body(m, "px"), -1);
    ck_assert_int_eq(trx_model_find_joint(m, ""), -1);
    ck_assert_int_eq(trx_model_find_actuator(m, "pz"), -1);
    ck_assert_int_eq(trx_model_find_geom(m, NULL), -1);
    ck_assert_str_eq(trx_model_frame_name(m, 0), "corner");
    ck_assert_ptr_null(trx_model_frame_name(m, 1));
    ck_assert_ptr_null(trx_model_body_name(m, -1));
    ck_assert_ptr_null(trx_model_joint_name(m, 4));
    ck_assert_ptr_null(trx_model_geom_name(m, 3));
    ck_assert_ptr_null(trx_model_actuator_name(m, 2));
    scene_close(&s);
}
END_TEST

START_TEST(views_repeat_the_definitions)
{
    scene s;
    scene_open(&s);
    s.slides[2].lower = 0, s.slides[2].upper = 1, s.slides[2].damping = 2, s.slides[2].armature = 0.5;
    s.box_geometry.has_color = true, s.box_geometry.color[1] = 0.5;
    s.box_geometry.pose.quat[0] = -2;
    const trx_model *m = scene_build(&s);

    trx_joint_info pz = trx_model_joint(m, 3);
    ck_assert_int_eq(pz.type, TRX_JOINT_SLIDE);
    ck_assert_int_eq(pz.body, PUSHER);
    ck_assert_int_eq(pz.q_index, 9);
    ck_assert_int_eq(pz.v_index, 8);
    ck_assert_int_eq(pz.source.line, LINE_PZ);
    ck_assert(pz.lower == 0 && pz.upper == 1 && pz.damping == 2 && pz.armature == 0.5 && pz.stiffness == 0);

    trx_body_info pusher = trx_model_body(m, PUSHER), ground = trx_model_body(m, GROUND);
    ck_assert_int_eq(pusher.parent, -1);
    ck_assert_int_eq(pusher.tree, 1);
    ck_assert_int_eq(pusher.first_geom, 1);
    ck_assert_int_eq(pusher.ngeom, 1);
    ck_assert(!pusher.gravity && ground.gravity);
    ck_assert_int_eq(ground.tree, -1);
    ck_assert_int_eq(ground.source.line, LINE_GROUND);
    assert_close(pusher.mass, 0.3, 0);

    trx_geom_info box = trx_model_geom(m, 0);
    ck_assert_int_eq(box.shape.type, TRX_SHAPE_BOX);
    ck_assert(box.collide && box.has_color && box.color[1] == 0.5);
    assert_close(box.pose.quat[0], -1, 0); // unit length
    ck_assert_int_eq(trx_model_geom(m, 1).material, 1);

    double gravity[3];
    trx_model_gravity(m, gravity);
    assert_close(gravity[2], -9.81, 0);
    assert_close(trx_model_mass(m), 0.8, 1e-15);
    scene_close(&s);
}
END_TEST

START_TEST(views_out_of_range_are_empty)
{
    scene s;
    scene_open(&s);
    const trx_model *m = scene_build(&s);
    trx_model_size size = trx_model_get_size(m);
    const int beyond[] = {-1, 0, 1 << 20};
    for (int i = 0; i < 3; i++) {
        int past = i == 1 ? 1 : 0, at = beyond[i];
        ck_assert_ptr_null(trx_model_joint(m, past ? size.njoint : at).name);
        ck_assert_ptr_null(trx_model_body(m, past ? size.nbody : at).name);
        ck_assert_ptr_null(trx_model_geom(m, past ? size.ngeom : at).name);
        ck_assert_ptr_null(trx_model_actuator(m, past ? size.nu : at).name);
        trx_pair_info pair = trx_model_pair(m, past ? size.npair : at);
        ck_assert(pair.geom_a == -1 && pair.geom_b == -1);
    }
    scene_close(&s);
}
END_TEST

START_TEST(geometries_know_their_bounding_sphere)
{
    scene s;
    scene_open(&s);
    const trx_model *m = scene_build(&s);
    assert_close(m->geoms[0].radius, 0.5 * sqrt(0.01 + 0.04 + 0.09), 1e-15);
    assert_close(m->geoms[1].radius, 0.02, 0);
    ck_assert(isinf(m->geoms[2].radius));
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/query");
    TCase *cases = tcase_create("query");
    tcase_add_test(cases, sizes_count_what_was_defined);
    tcase_add_test(cases, names_are_found_and_others_are_not);
    tcase_add_test(cases, views_repeat_the_definitions);
    tcase_add_test(cases, views_out_of_range_are_empty);
    tcase_add_test(cases, geometries_know_their_bounding_sphere);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
