// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Inertia and geometry of URDF links: shapes, places, friction, meshes; what is only drawn. Refusals are in
// tests/malformed_robots.

#include "import/robots.h"

#include <math.h>
#include <string.h>

#define COLLISION(inside) "<collision>" inside "</collision>"
#define SHAPE(inside) "<geometry>" inside "</geometry>"

static const trx_geometry_def *geometry_of(const robot *r, const char *body, int index)
{
    const trx_body_def *b = body_of(r, body);
    ck_assert_int_lt(index, b->ngeometry);
    return &b->geometry[index];
}

START_TEST(an_inertia_in_turned_axes_is_turned_into_those_of_the_link)
{
    // a quarter turn about z exchanges x and y
    robot r = read_text(ROBOT("<link name=\"a\"><inertial><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/><mass "
                              "value=\"4\"/><inertia ixx=\"1\" iyy=\"2\" izz=\"2.5\" ixy=\"0.1\" ixz=\"0.2\" "
                              "iyz=\"0.3\"/>"
                              "</inertial></link>\n"),
                        NULL);
    const trx_body_def *a = body_of(&r, "a");
    ck_assert(a->has_inertia);
    assert_close(a->inertia.mass, 4, 0);
    assert_close(max_difference(a->inertia.com, (double[]){1, 2, 3}, 3), 0, 0);
    assert_close(max_difference(a->inertia.tensor, (double[]){2, 1, 2.5, -0.1, -0.3, 0.2}, 6), 0, 1e-15);
    ck_assert_int_eq(a->inertia_source.line, 2);
    free_robot(&r);
}
END_TEST

START_TEST(products_of_inertia_may_be_left_out_and_a_link_may_have_no_inertia)
{
    robot r = read_text(ROBOT("<link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
                              "izz=\"1\"/></inertial>"
                              "</link>\n<link name=\"b\"/>" JOINT("j", "fixed", "a", "b", "")),
                        NULL);
    assert_close(max_difference(body_of(&r, "a")->inertia.tensor, (double[]){1, 1, 1, 0, 0, 0}, 6), 0, 1e-15);
    ck_assert(!body_of(&r, "b")->has_inertia);
    assert_note(&r, TRX_NOTE_ASSUMED, 3, "1 link without <inertial> weighs nothing");
    free_robot(&r);
}
END_TEST

START_TEST(a_mass_without_moments_is_spread_over_the_geometry)
{
    // a box of 1 x 2 x 3 m and 12 kg, which touches; the drawn sphere does not count. Without geometry the mass is at a point
    robot r = read_text(ROBOT("<link name=\"a\"><inertial><origin xyz=\"0 0 1\"/><mass value=\"12\"/></inertial>" COLLISION(
                            SHAPE("<box size=\"1 2 3\"/>")) "<visual>" SHAPE("<sphere radius=\"9\"/>") "</visual></link>\n"
                            "<link name=\"b\"><inertial><mass value=\"2\"/></inertial></link>\n" JOINT("j", "fixed", "a", "b", "")),
                        NULL);
    const trx_body_inertia *a = &body_of(&r, "a")->inertia, *b = &body_of(&r, "b")->inertia;
    assert_close(a->mass, 12, 0);
    assert_close(max_difference(a->com, (double[]){0, 0, 1}, 3), 0, 0);
    assert_close(max_difference(a->tensor, (double[]){13, 10, 5, 0, 0, 0}, 6), 0, 1e-14);
    assert_close(b->mass, 2, 0);
    assert_close(max_difference(b->tensor, (double[6]){0}, 6), 0, 0);
    assert_note(&r, TRX_NOTE_ASSUMED, 2,
                "2 <inertial> without <inertia> have the moments of the mass spread over the link's geometry");
    free_robot(&r);
}
END_TEST

START_TEST(every_shape_is_read_with_full_lengths)
{
    robot r = read_text(ROBOT(LINK("a", COLLISION(SHAPE("<box size=\"1 2 3\"/>")) COLLISION(SHAPE("<sphere "
                                                                                                  "radius=\"0.5\"/>"))
                                            COLLISION(SHAPE("<cylinder radius=\"0.1\" length=\"0.7\"/>"))
                                                COLLISION(SHAPE("<capsule radius=\"0.2\" length=\"0.8\"/>"))
                                                    COLLISION(SHAPE("<drake:ellipsoid a=\"1\" b=\"2\" c=\"3\"/>"))
                                                        COLLISION(SHAPE("<plane/>")))),
                        NULL);
    ck_assert_int_eq(body_of(&r, "a")->ngeometry, 6);
    const trx_shape_type types[] = {TRX_SHAPE_BOX,     TRX_SHAPE_SPHERE,    TRX_SHAPE_CYLINDER,
                                    TRX_SHAPE_CAPSULE, TRX_SHAPE_ELLIPSOID, TRX_SHAPE_HALFSPACE};
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(geometry_of(&r, "a", i)->shape.type, types[i]);
        ck_assert(geometry_of(&r, "a", i)->collide);
        ck_assert_int_eq(geometry_of(&r, "a", i)->source.line, 2);
    }
    assert_close(max_difference(geometry_of(&r, "a", 0)->shape.size, (double[]){1, 2, 3}, 3), 0, 0);
    assert_close(geometry_of(&r, "a", 1)->shape.radius, 0.5, 0);
    assert_close(geometry_of(&r, "a", 2)->shape.length, 0.7, 0);
    assert_close(geometry_of(&r, "a", 3)->shape.radius, 0.2, 0);
    assert_close(max_difference(geometry_of(&r, "a", 4)->shape.size, (double[]){2, 4, 6}, 3), 0, 0);
    free_robot(&r);
}
END_TEST

START_TEST(a_plane_is_the_half_space_below_its_normal)
{
    robot r = read_text(ROBOT(LINK("a", COLLISION("<origin xyz=\"0 0 1\"/>" SHAPE("<plane normal=\"0 3 0\"/>")))), NULL);
    const trx_pose *pose = &geometry_of(&r, "a", 0)->pose;
    const double *q = pose->quat;
    // the third column of the rotation is the normal
    assert_close(2 * (q[1] * q[3] + q[0] * q[2]), 0, 1e-15);
    assert_close(2 * (q[2] * q[3] - q[0] * q[1]), 1, 1e-15);
    assert_close(pose->p[2], 1, 0);
    free_robot(&r);
}
END_TEST

START_TEST(visuals_are_drawn_and_do_not_touch)
{
    robot r =
        read_text(ROBOT(LINK("a", "<visual name=\"skin\"><origin xyz=\"0 1 0\" rpy=\"0 0 3.141592653589793\"/>" SHAPE(
                                      "<sphere radius=\"1\"/>") "</visual>"
                                                                "<collision name=\"skin\">" SHAPE("<sphere "
                                                                                                  "radius=\"2\"/>") "</"
                                                                                                                    "coll"
                                                                                                                    "isio"
                                                                                                                    "n"
                                                                                                                    ">")),
                  NULL);
    // collisions come first, and the name that is taken gets an ending
    ck_assert(geometry_of(&r, "a", 0)->collide);
    ck_assert(!geometry_of(&r, "a", 1)->collide);
    ck_assert_str_eq(geometry_of(&r, "a", 0)->name, "skin");
    ck_assert_str_eq(geometry_of(&r, "a", 1)->name, "skin_geometry");
    assert_close(geometry_of(&r, "a", 1)->pose.p[1], 1, 0);
    assert_close(geometry_of(&r, "a", 1)->pose.quat[3], 1, 1e-15);
    free_robot(&r);
}
END_TEST

START_TEST(friction_comes_from_the_extension_of_the_geometry_else_of_its_link_else_from_the_options)
{
    trx_import_options options = trx_import_options_default();
    options.material.friction = 0.9;
    robot
        r = read_text(ROBOT("<gazebo reference=\"a\"><mu1>0.3</mu1></gazebo>\n" LINK("a", COLLISION(SHAPE("<sphere "
                                                                                                          "radius=\"1\"/"
                                                                                                          ">") "<drake:"
                                                                                                               "proximity"
                                                                                                               "_properti"
                                                                                                               "es>"
                                                                                                               "<drake:"
                                                                                                               "mu_"
                                                                                                               "dynamic "
                                                                                                               "value="
                                                                                                               "\"0.2\"/"
                                                                                                               "><drake:"
                                                                                                               "mu_"
                                                                                                               "static "
                                                                                                               "value="
                                                                                                               "\"0.4\"/>"
                                                                                                               "</"
                                                                                                               "drake:"
                                                                                                               "proximity"
                                                                                                               "_properti"
                                                                                                               "es>")
                                                                                              COLLISION(SHAPE("<sphere "
                                                                                                              "radius="
                                                                                                              "\"1\"/>")))
                                LINK("b", COLLISION(SHAPE("<sphere radius=\"1\"/>")) COLLISION(SHAPE("<sphere "
                                                                                                     "radius=\"2\"/>"))
                                              COLLISION(SHAPE("<sphere radius=\"1\"/>") "<drake:proximity_properties>"
                                                                                        "<drake:mu_static "
                                                                                        "value=\"0.7\"/></"
                                                                                        "drake:proximity_properties>"))
                                    JOINT("j", "fixed", "a", "b", "")),
                      &options);
    const trx_material_def *materials = r.result->def.materials;
    assert_close(materials[geometry_of(&r, "a", 0)->material].friction, 0.2, 0);
    assert_close(materials[geometry_of(&r, "a", 1)->material].friction, 0.3, 0);
    assert_close(materials[geometry_of(&r, "b", 0)->material].friction, 0.9, 0);
    assert_close(materials[geometry_of(&r, "b", 2)->material].friction, 0.7, 0);
    ck_assert_int_eq(geometry_of(&r, "b", 0)->material, geometry_of(&r, "b", 1)->material);
    ck_assert_int_eq(r.result->def.nmaterial, 4);
    assert_note(&r, TRX_NOTE_ASSUMED, 4, "friction of 2 geometries is that of the material: 0.9");
    assert_note(&r, TRX_NOTE_REPLACED, 3, "mu_static of 1 geometry is not served: mu_dynamic is the friction");
    free_robot(&r);
}
END_TEST

START_TEST(meshes_touch_as_hulls_and_drawings_that_are_missing_are_left_out)
{
    char folder[] = "tests/malformed_robots/robot.urdf";
    trx_context *context;
    trx_import *import;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    const char
        *text = ROBOT(LINK("a", COLLISION(SHAPE("<mesh filename=\"tetrahedron.obj\" scale=\"2 2 2\"/>")) "<visual>" SHAPE(
                                    "<mesh filename=\"nowhere.stl\"/>") "</visual>"
                                                                        "<visual>" SHAPE("<mesh "
                                                                                         "filename=\"many_errors.urdf\"/"
                                                                                         ">") "</visual>"));
    ck_assert_int_eq(trx_import_load_text(context, folder, text, strlen(text), NULL, &import), TRX_OK);
    robot r = {context, import, trx_import_get(import), TRX_OK};
    const trx_geometry_def *mesh = geometry_of(&r, "a", 0);
    ck_assert_int_eq(mesh->shape.type, TRX_SHAPE_MESH);
    ck_assert_int_eq(mesh->shape.mesh->nvertex, 4);
    ck_assert_int_eq(mesh->shape.mesh->ntriangle, 4);
    assert_close(max_magnitude(mesh->shape.mesh->vertices, 12), 2, 0);
    ck_assert_int_eq(body_of(&r, "a")->ngeometry, 1);
    assert_note(&r, TRX_NOTE_REPLACED, 2, "1 mesh touches as convex hulls");
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_DROPPED,
                                 "there is no file \"tests/malformed_robots/nowhere.stl\"; it is not drawn"),
                     1);
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_DROPPED, "is no STL, OBJ, Collada, GLB, PLY or MSH file"), 1);
    free_robot(&r);
}
END_TEST

START_TEST(a_density_gives_the_inertia_of_the_collision_geometry)
{
    robot r = read_text(ROBOT("<link name=\"a\"><inertial><density value=\"10\"/></inertial>" COLLISION(
                            "<origin xyz=\"1 0 0\"/>" SHAPE("<box size=\"1 2 3\"/>")) "<visual>" SHAPE(
                            "<box size=\"9 9 9\"/>") "</visual></link>\n"),
                        NULL);
    const trx_body_inertia *in = &body_of(&r, "a")->inertia;
    assert_close(in->mass, 60, 1e-12);
    assert_close(in->com[0], 1, 1e-15);
    assert_close(max_difference(in->tensor, (double[]){5 * 13, 5 * 10, 5 * 5, 0, 0, 0}, 6), 0, 1e-12);
    assert_note(&r, TRX_NOTE_ASSUMED, 2, "1 link with a density has the inertia of its collision geometry");
    free_robot(&r);
}
END_TEST

START_TEST(an_inertial_without_mass_and_moments_weighs_nothing)
{
    robot r = read_text(ROBOT("<link name=\"a\"><inertial><inertia ixx=\"0\" iyy=\"0\" izz=\"0\"/></inertial></link>\n"), NULL);
    assert_close(body_of(&r, "a")->inertia.mass, 0, 0);
    assert_note(&r, TRX_NOTE_ASSUMED, 2, "1 <inertial> without <mass> weighs nothing");
    free_robot(&r);
}
END_TEST

START_TEST(an_inertia_of_no_solid_becomes_the_nearest_one_with_a_note_and_a_warning)
{
    // the moments (0.1, 0.2, 0.6) leave 0.3 missing, shared by the three
    robot r = read_text(ROBOT("<link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.2\" "
                              "izz=\"0.6\"/></inertial></link>\n"),
                        NULL);
    assert_close(max_difference(body_of(&r, "a")->inertia.tensor, (double[]){0.2, 0.3, 0.5, 0, 0, 0}, 6), 0, 1e-15);
    assert_note(&r, TRX_NOTE_REPAIRED, 2,
                "inertia of 'a': mass 1 became 1 kg, principal moments 0.1, 0.2, 0.6 became 0.2, 0.3, 0.5 kg m^2, a change of "
                "27.1 % (repair_inertia: nearest)");
    trx_diagnostic warning = trx_context_diagnostic(r.context, 0);
    ck_assert_int_eq(warning.severity, TRX_WARNING);
    static const char said[] = "1 body has an inertia that no solid has, changed by more than 1 % (that of 'a' by 27.1 %)";
    ck_assert(strstr(warning.text, said) != NULL);
    free_robot(&r);
    // a small change is only a note
    r = read_text(ROBOT("<link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.2\" "
                        "izz=\"0.301\"/></inertial></link>\n"),
                  NULL);
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_REPAIRED, "a change of 0.154 %"), 1);
    ck_assert_int_eq(trx_context_diagnostic_count(r.context), 0);
    free_robot(&r);
}
END_TEST

START_TEST(errors_of_inertias_are_told_beside_others)
{
    trx_import_options options = trx_import_options_default();
    options.repair = TRX_REPAIR_NONE;
    robot r = read_text(ROBOT(LINK("b", COLLISION(SHAPE("<mesh filename=\"nowhere.stl\"/>")) COLLISION(
                            SHAPE("<mesh filename=\"no.obj\"/>"))) "<link name=\"a\"><inertial><mass value=\"1\"/><inertia "
                              "ixx=\"1\" iyy=\"1\" izz=\"3\"/></inertial></link>\n" JOINT("j", "fixed", "b", "a", "")),
                        &options);
    ck_assert(r.import == NULL);
    ck_assert_int_eq(trx_context_error_count(r.context), 3);
    free_robot(&r);
}
END_TEST

START_TEST(meshes_that_cannot_be_used_are_left_out_on_request)
{
    trx_import_options options = trx_import_options_default();
    options.skip_meshes = true;
    robot r = read_text(ROBOT(LINK("a", COLLISION(SHAPE("<mesh filename=\"nowhere.stl\"/>")) COLLISION(
                            SHAPE("<sphere radius=\"1\"/>")))),
                        &options);
    ck_assert_int_eq(body_of(&r, "a")->ngeometry, 1);
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_MISSING, "it is left out"), 1);
    free_robot(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/urdf/link");
    TCase *tests = tcase_create("urdf_link");
    tcase_add_test(tests, a_mass_without_moments_is_spread_over_the_geometry);
    tcase_add_test(tests, an_inertia_in_turned_axes_is_turned_into_those_of_the_link);
    tcase_add_test(tests, products_of_inertia_may_be_left_out_and_a_link_may_have_no_inertia);
    tcase_add_test(tests, every_shape_is_read_with_full_lengths);
    tcase_add_test(tests, a_plane_is_the_half_space_below_its_normal);
    tcase_add_test(tests, visuals_are_drawn_and_do_not_touch);
    tcase_add_test(tests, friction_comes_from_the_extension_of_the_geometry_else_of_its_link_else_from_the_options);
    tcase_add_test(tests, meshes_touch_as_hulls_and_drawings_that_are_missing_are_left_out);
    tcase_add_test(tests, a_density_gives_the_inertia_of_the_collision_geometry);
    tcase_add_test(tests, an_inertial_without_mass_and_moments_weighs_nothing);
    tcase_add_test(tests, an_inertia_of_no_solid_becomes_the_nearest_one_with_a_note_and_a_warning);
    tcase_add_test(tests, errors_of_inertias_are_told_beside_others);
    tcase_add_test(tests, meshes_that_cannot_be_used_are_left_out_on_request);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
