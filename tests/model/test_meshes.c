// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshes in a model: kept once, with a hull where they collide, weighed as solids, refused where they have none.

#include "fixture.h"
#include "math/vec3.h"
#include "model/model.h"
#include "support/support.h"

// a box of 0.2 x 0.4 x 0.6 m with one corner at the origin
static const double corners[24] = {0,   0, 0,   0.2, 0, 0,   0, 0.4, 0,   0.2, 0.4, 0,
                                   0, 0, 0.6, 0.2, 0, 0.6, 0, 0.4, 0.6, 0.2, 0.4, 0.6};
static const int sides[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                              2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static trx_mesh box_mesh(void)
{
    return (trx_mesh){"box.stl", 8, corners, 12, sides};
}

static void use_mesh(scene *s, const trx_mesh *mesh)
{
    s->box_geometry.shape = trx_shape_default(TRX_SHAPE_MESH);
    s->box_geometry.shape.mesh = mesh;
    s->pusher_geometry.collide = s->ground_geometry.collide = false;
}

START_TEST(a_mesh_weighs_as_the_solid_it_bounds)
{
    trx_mesh mesh = box_mesh();
    scene s;
    scene_open(&s);
    use_mesh(&s, &mesh);
    s.box_geometry.mass = 3;
    const trx_model *m = scene_build(&s);
    ck_assert_ptr_nonnull(m);
    trx_body_inertia in = trx_model_body_inertia(m, BOX);
    const double com[3] = {0.1, 0.2, 0.3}, tensor[6] = {0.13, 0.1, 0.05, 0, 0, 0};
    double shift[3];
    trxi_sub3(in.com, s.box_geometry.pose.p, shift);
    assert_close(in.mass, 3, 1e-15);
    assert_below(max_difference(shift, com, 3), 1e-14);
    assert_below(max_difference(in.tensor, tensor, 6), 1e-14);
    scene_close(&s);
}
END_TEST

START_TEST(the_model_keeps_its_own_copy_and_touches_at_the_centre_of_the_hull)
{
    trx_mesh mesh = box_mesh();
    scene s;
    scene_open(&s);
    use_mesh(&s, &mesh);
    const trx_model *m = scene_build(&s);
    ck_assert_ptr_nonnull(m);
    int g = m->bodies[BOX].first_geom;
    const trxi_geom *geom = &m->geoms[g];
    ck_assert_int_eq(m->nmesh, 1);
    ck_assert_ptr_ne(geom->shape.mesh->vertices, corners);
    ck_assert(max_difference(geom->shape.mesh->vertices, corners, 24) == 0);
    ck_assert_int_eq(geom->shape.hull->nvertex, 8);
    ck_assert_int_eq(geom->shape.hull->nface, 6);
    const double centre[3] = {0.1, 0.2, 0.3};
    double shift[3];
    trxi_sub3(geom->p_LG, geom->pose.p, shift);
    assert_below(max_difference(shift, centre, 3), 1e-12);
    assert_close(geom->radius, 0.5 * sqrt(0.04 + 0.16 + 0.36), 1e-9);
    scene_close(&s);
}
END_TEST

START_TEST(a_flat_mesh_may_be_drawn_but_not_touched)
{
    trx_mesh flat = {"flat.stl", 4, corners, 2, sides};
    scene s;
    scene_open(&s);
    use_mesh(&s, &flat);
    scene_refuses(&s, LINE_BOX_GEOMETRY, "has no convex hull");
    scene_open(&s);
    use_mesh(&s, &flat);
    s.box_geometry.collide = false, s.box_geometry.mass = NAN;
    s.bodies[BOX].has_inertia = true, s.bodies[BOX].inertia = (trx_body_inertia){.mass = 1, .tensor = {1, 1, 1}};
    ck_assert_ptr_nonnull(scene_build(&s));
    scene_close(&s);
}
END_TEST

START_TEST(broken_meshes_are_named)
{
    static const int wild[3] = {0, 1, 9};
    trx_mesh mesh = {"m.stl", 8, corners, 1, wild};
    scene s;
    scene_open(&s);
    use_mesh(&s, &mesh);
    scene_refuses(&s, LINE_BOX_GEOMETRY, "names a vertex that it does not have");
    scene_open(&s);
    use_mesh(&s, NULL);
    scene_refuses(&s, LINE_BOX_GEOMETRY, "a mesh shape needs a mesh");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/meshes");
    TCase *cases = tcase_create("meshes");
    tcase_add_test(cases, a_mesh_weighs_as_the_solid_it_bounds);
    tcase_add_test(cases, the_model_keeps_its_own_copy_and_touches_at_the_centre_of_the_hull);
    tcase_add_test(cases, a_flat_mesh_may_be_drawn_but_not_touched);
    tcase_add_test(cases, broken_meshes_are_named);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
