// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Mass from inertias and from solids, the checks of both, and what bodies bring to their link.

#include "fixture.h"
#include "math/rotation.h"
#include "support/support.h"

static void give_inertia(scene *s, double mass, const double tensor[6])
{
    s->bodies[BOX].has_inertia = true;
    s->bodies[BOX].inertia.mass = mass;
    for (int i = 0; i < 6; i++) s->bodies[BOX].inertia.tensor[i] = tensor[i];
    s->box_geometry.mass = NAN;
}

START_TEST(inertias_are_checked)
{
    scene s;
    scene_open(&s), give_inertia(&s, -1, (double[6]){0});
    scene_refuses(&s, LINE_BOX_INERTIA, "body 'box': mass is -1 kg; it must not be negative");
    scene_open(&s), give_inertia(&s, NAN, (double[6]){0});
    scene_refuses(&s, LINE_BOX_INERTIA, "body 'box': the inertia is not finite");
    scene_open(&s), give_inertia(&s, 1, (double[6]){1, 1, -0.1, 0, 0, 0});
    scene_refuses(&s, LINE_BOX_INERTIA, "has a negative principal moment (-0.1, 1, 1 kg m^2)");
    scene_open(&s), give_inertia(&s, 1, (double[6]){1, 1, 1, 2, 0, 0});
    scene_refuses(&s, LINE_BOX_INERTIA, "has a negative principal moment (-1, 1, 3 kg m^2)");
    scene_open(&s), give_inertia(&s, 1, (double[6]){1, 1, 2.1, 0, 0, 0});
    scene_refuses(&s, LINE_BOX_INERTIA, "no solid has the principal moments 1, 1, 2.1 kg m^2");
}
END_TEST

START_TEST(tensors_at_the_edge_are_accepted)
{
    // a flat plate, its rounded version, a rod, a point; the last in rotated axes
    const double edge[][6] = {{1, 1, 2, 0, 0, 0}, {1, 1, 2.000003, 0, 0, 0}, {1, 1, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0},
                              {1.5, 1.5, 1, -0.5, 0, 0}};
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++) {
        scene s;
        scene_open(&s), give_inertia(&s, 1, edge[i]);
        scene_build(&s);
        scene_close(&s);
    }
    scene s;
    scene_open(&s), give_inertia(&s, 1, (double[6]){1, 1, 2.00001, 0, 0, 0});
    scene_refuses(&s, LINE_BOX_INERTIA, "no solid has");
}
END_TEST

START_TEST(mass_is_given_in_one_way)
{
    scene s;
    scene_open(&s), give_inertia(&s, 1, (double[6]){1, 1, 1, 0, 0, 0}), s.box_geometry.mass = 1;
    scene_refuses(&s, LINE_BOX_INERTIA, "body 'box' has an inertia and a geometry with mass; give one of the two");
    scene_open(&s), give_inertia(&s, 1, (double[6]){1, 1, 1, 0, 0, 0}), s.box_geometry.density = 1;
    scene_refuses(&s, LINE_BOX_INERTIA, "body 'box' has an inertia and a geometry with density");
    scene_open(&s), s.box_geometry.density = 1000;
    scene_refuses(&s, LINE_BOX_GEOMETRY, "give either mass or density of a geometry of body 'box', not both");
    scene_open(&s), s.box_geometry.mass = -1;
    scene_refuses(&s, LINE_BOX_GEOMETRY, "mass of a geometry of body 'box' is -1; it must not be negative");
    scene_open(&s), s.box_geometry.mass = NAN, s.box_geometry.density = INFINITY;
    scene_refuses(&s, LINE_BOX_GEOMETRY, "density of a geometry of body 'box' is inf");
    scene_open(&s), s.ground_geometry.mass = 1;
    scene_refuses(&s, LINE_GROUND_GEOMETRY, "a halfspace has no finite mass: remove mass");
}
END_TEST

START_TEST(solids_have_their_textbook_inertia)
{
    scene s;
    scene_open(&s);
    s.box_geometry.mass = NAN, s.box_geometry.density = 1000;
    const trx_model *m = scene_build(&s);
    const trxi_link *link = &m->links[m->bodies[BOX].link];
    double mass = 1000 * 0.1 * 0.2 * 0.3;
    const double xx = mass * (0.04 + 0.09) / 12, yy = mass * (0.01 + 0.09) / 12, zz = mass * (0.01 + 0.04) / 12;
    const double expected[6] = {xx, yy, zz, 0, 0, 0};
    assert_close(link->mass, mass, 1e-14);
    assert_below(max_difference(link->inertia, expected, 6), 1e-15);
    assert_below(max_magnitude(link->com, 3), 1e-15);
    assert_close(trx_model_mass(m), mass + 0.3, 1e-14);
    scene_close(&s);
}
END_TEST

START_TEST(solids_of_a_body_are_summed)
{
    // a dumbbell of two turned boxes
    scene s;
    scene_open(&s);
    trx_geometry_def list[2] = {s.box_geometry, s.box_geometry};
    list[0].mass = 1, list[1].mass = 3;
    list[0].pose.p[0] = -0.6, list[1].pose.p[0] = 0.2;
    list[1].pose.quat[0] = 1, list[1].pose.quat[3] = 1; // a quarter turn about z, not normalized
    s.bodies[BOX].geometry = list, s.bodies[BOX].ngeometry = 2;
    const trx_model *m = scene_build(&s);
    const trxi_link *link = &m->links[m->bodies[BOX].link];
    assert_close(link->mass, 4, 1e-15);
    assert_below(max_magnitude(link->com, 3), 1e-15);
    double xx = 0.13 / 12, yy = 0.1 / 12, zz = 0.05 / 12, spread = 1 * 0.36 + 3 * 0.04;
    const double expected[6] = {xx + 3 * yy, yy + 3 * xx + spread, 4 * zz + spread, 0, 0, 0};
    assert_below(max_difference(link->inertia, expected, 6), 1e-15);
    scene_close(&s);
}
END_TEST

START_TEST(welded_bodies_join_their_link)
{
    // the ground becomes a 2 kg point welded to the pusher, turned and shifted
    scene s;
    scene_open(&s);
    trx_body_def *weight = &s.bodies[GROUND];
    weight->parent = PUSHER;
    weight->pose = (trx_pose){{0, 0, 1}, {1, 1, 0, 0}}; // y becomes z
    weight->has_inertia = true;
    weight->inertia = (trx_body_inertia){2, {0, 0.5, 0}, {0.1, 0.2, 0.3, 0, 0, 0}};
    weight->ngeometry = 0;
    const trx_model *m = scene_build(&s);
    ck_assert_int_eq(m->bodies[GROUND].link, m->bodies[PUSHER].link);
    const trxi_link *link = &m->links[m->bodies[PUSHER].link];
    double com = 2 * 1.5 / 2.3, sphere = 0.4 * 0.3 * 0.02 * 0.02;
    double spread = 0.3 * com * com + 2 * (1.5 - com) * (1.5 - com);
    const double expected[6] = {sphere + 0.1 + spread, sphere + 0.3 + spread, sphere + 0.2, 0, 0, 0};
    assert_close(link->mass, 2.3, 1e-15);
    assert_below(max_difference(link->com, (double[]){0, 0, com}, 3), 1e-15);
    assert_below(max_difference(link->inertia, expected, 6), 1e-14);

    // gravity acts on the weight only: the pusher is exempt
    assert_close(link->gravity_mass, 2, 1e-15);
    assert_below(max_difference(link->gravity_moment, (double[]){0, 0, 3}, 3), 1e-15);
    scene_close(&s);
}
END_TEST

START_TEST(links_without_mass_are_marked)
{
    scene s;
    scene_open(&s);
    const trx_model *m = scene_build(&s);
    const trxi_joint *box = &m->joints[0], *px = &m->joints[1];
    ck_assert(m->links[box->first_link].massless);
    ck_assert(!m->links[box->first_link + 1].massless);
    ck_assert(m->links[px->first_link].massless && m->links[px->first_link + 1].massless);
    ck_assert(!m->links[px->first_link + 2].massless);

    // the reference of each tree is where its mass begins
    ck_assert_int_eq(m->trees[0].reference, box->first_link + 1);
    ck_assert_int_eq(m->trees[1].reference, px->first_link + 2);
    scene_close(&s);
}
END_TEST

START_TEST(a_halfspace_may_move_with_a_body_that_has_an_inertia)
{
    scene s;
    scene_open(&s);
    give_inertia(&s, 1, (double[6]){1, 1, 1, 0, 0, 0});
    s.box_geometry.shape.type = TRX_SHAPE_HALFSPACE;
    s.ground_geometry.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 1};
    ck_assert_int_eq(scene_build(&s)->npair, 3);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/inertia");
    TCase *cases = tcase_create("inertia");
    tcase_add_test(cases, inertias_are_checked);
    tcase_add_test(cases, tensors_at_the_edge_are_accepted);
    tcase_add_test(cases, mass_is_given_in_one_way);
    tcase_add_test(cases, solids_have_their_textbook_inertia);
    tcase_add_test(cases, solids_of_a_body_are_summed);
    tcase_add_test(cases, welded_bodies_join_their_link);
    tcase_add_test(cases, links_without_mass_are_marked);
    tcase_add_test(cases, a_halfspace_may_move_with_a_body_that_has_an_inertia);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
