// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshes that touch as convex parts: their mass is that of the mesh, rules for pairs hold for the parts, a ball rolls inside a
// mug, a peg goes through a ring; derivatives in contact with parts agree with differences.

#include "fixture.h"
#include "geometry/solids.h"
#include "math/vec3.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tractrix/sim.h>
#include <tractrix/verify.h>

static const double pi = 3.14159265358979323846;
static solid mug, ring, corner;
enum { EVERY = SANITIZED ? 5 : 1 }; ///< derivatives are judged at one in EVERY places

static void make_meshes(void)
{
    double profile[8][2];
    for (int i = 0; i < 8; i++)
        profile[i][0] = 0.05 + 0.015 * cos(2 * pi * i / 8), profile[i][1] = 0.015 * sin(2 * pi * i / 8);
    make_mug(&mug, 0.04, 0.09, 0.004);
    make_lathe(&ring, (const double(*)[2])profile, 8, 24);
    make_cells(&corner, (int[3]){2, 2, 1}, "#."
                                           "##",
               0.1);
}

static void use_mesh(scene *s, const trx_mesh *mesh, int most)
{
    s->box_geometry.shape = trx_shape_default(TRX_SHAPE_MESH);
    s->box_geometry.shape.mesh = mesh;
    s->box_geometry.decompose.most = most;
    s->box_geometry.decompose.share = SANITIZED ? 0.08 : 0.03;
}

START_TEST(parts_follow_the_geometries_of_their_body)
{
    scene s;
    scene_open(&s);
    use_mesh(&s, &corner.mesh, 8);
    s.box_geometry.name = "angle", s.box_geometry.mass = 2;
    const trx_model *m = scene_build(&s);
    const trx_body_info body = trx_model_body(m, BOX);
    ck_assert_int_eq(body.ngeom, 3);
    const trx_geom_info whole = trx_model_geom(m, body.first_geom);
    ck_assert_str_eq(whole.name, "angle");
    ck_assert(!whole.collide && whole.part_of == -1 && whole.shape.mesh->ntriangle == corner.mesh.ntriangle);
    for (int k = 1; k <= 2; k++) {
        const trx_geom_info part = trx_model_geom(m, body.first_geom + k);
        char name[16];
        snprintf(name, sizeof name, "angle#%d", k);
        ck_assert_str_eq(part.name, name);
        ck_assert_int_eq(trx_model_find_geom(m, name), body.first_geom + k);
        ck_assert(part.collide && part.part_of == body.first_geom && part.material == whole.material);
        ck_assert(max_difference(part.pose.p, whole.pose.p, 3) == 0);
    }
    // the mass is that of the mesh: three cubes of 0.1 m about their common centre
    const trx_body_inertia in = trx_model_body_inertia(m, BOX);
    assert_close(in.mass, 2, 1e-14);
    assert_close(in.com[0] - s.box_geometry.pose.p[0], (0.05 + 0.05 + 0.15) / 3, 1e-12);
    assert_close(in.com[1] - s.box_geometry.pose.p[1], (0.05 + 0.15 + 0.15) / 3, 1e-12);
    // without a name, the parts are numbered after the body's geometry
    scene_close(&s);
    scene_open(&s);
    use_mesh(&s, &corner.mesh, 8);
    s.box_geometry.name = NULL;
    char unnamed[64];
    snprintf(unnamed, sizeof unnamed, "%s#1#2", s.bodies[BOX].name);
    ck_assert_int_ge(trx_model_find_geom(scene_build(&s), unnamed), 0);
    scene_close(&s);
}
END_TEST

START_TEST(names_lead_back_to_their_geometries)
{
    static const char *const names[] = {"box", "pusher", "lid"};
    for (int i = 0; i < 3; i++) {
        scene s;
        scene_open(&s);
        use_mesh(&s, &corner.mesh, 8);
        s.box_geometry.name = names[i];
        const trx_model *m = scene_build(&s);
        for (int g = 0; g < trx_model_get_size(m).ngeom; g++)
            ck_assert_int_eq(trx_model_find_geom(m, trx_model_geom_name(m, g)), g);
        ck_assert_int_eq(trx_model_find_geom(m, "pusher#1"), trx_model_body(m, trx_model_find_body(m, "pusher")).first_geom);
        scene_close(&s);
    }
}
END_TEST

START_TEST(without_decompose_the_hull_touches_and_says_how_full_it_is)
{
    scene s;
    scene_open(&s);
    use_mesh(&s, &corner.mesh, 0);
    const trx_model *m = scene_build(&s);
    const trx_geom_info whole = trx_model_geom(m, trx_model_body(m, BOX).first_geom);
    ck_assert(whole.collide && trx_model_body(m, BOX).ngeom == 1);
    assert_close(whole.fill, 3.0 / 3.5, 1e-12);
    scene_close(&s);
}
END_TEST

START_TEST(rules_for_pairs_of_the_mesh_hold_for_its_parts)
{
    scene s;
    scene_open(&s);
    use_mesh(&s, &corner.mesh, 8);
    s.box_geometry.name = "angle";
    trx_pair_selector exclude = {.a = {BOX, 0}, .b = {GROUND, -1}};
    s.def.exclude = &exclude, s.def.nexclude = 1;
    trx_pair_override override = trx_pair_override_default();
    override.pair.a = (trx_geometry_selector){BOX, 0}, override.pair.b = (trx_geometry_selector){PUSHER, 0};
    override.friction = 0.123;
    s.def.overrides = &override, s.def.noverride = 1;
    const trx_model *m = scene_build(&s);
    int pairs = 0;
    for (int i = 0; i < trx_model_get_size(m).npair; i++) {
        const trx_pair_info pair = trx_model_pair(m, i);
        const int bodies[2] = {trx_model_geom(m, pair.geom_a).body, trx_model_geom(m, pair.geom_b).body};
        if (bodies[0] != BOX && bodies[1] != BOX) continue;
        ck_assert(bodies[0] != GROUND && bodies[1] != GROUND);
        ck_assert(pair.law.friction == 0.123);
        pairs++;
    }
    ck_assert_int_eq(pairs, 2);
    ck_assert_int_eq(trx_context_diagnostic_count(s.context), 0);
    scene_close(&s);
}
END_TEST

START_TEST(wrong_settings_and_flat_meshes_are_refused)
{
    scene s;
    scene_open(&s);
    use_mesh(&s, &corner.mesh, 1000);
    scene_refuses(&s, LINE_BOX_GEOMETRY, "256");
    const trx_mesh flat = {"flat.stl", 4, corner.mesh.vertices, 0, corner.mesh.triangles};
    static const double square[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const int two[6] = {0, 1, 2, 1, 3, 2};
    trx_mesh sheet = flat;
    sheet.vertices = square, sheet.triangles = two, sheet.ntriangle = 2;
    scene_open(&s);
    use_mesh(&s, &sheet, 8);
    scene_refuses(&s, LINE_BOX_GEOMETRY, "has no convex parts: all vertices of the mesh are nearly in one plane");
}
END_TEST

START_TEST(too_few_parts_are_a_warning)
{
    scene s;
    scene_open(&s);
    use_mesh(&s, &corner.mesh, 1);
    scene_build(&s);
    ck_assert_int_eq(trx_context_diagnostic_count(s.context), 1);
    const trx_diagnostic finding = trx_context_diagnostic(s.context, 0);
    ck_assert(finding.severity == TRX_WARNING && finding.source.line == LINE_BOX_GEOMETRY);
    ck_assert_ptr_nonnull(strstr(finding.text, "more than the tolerance"));
    scene_close(&s);
}
END_TEST

// ---- contact ----

// a mesh fixed to the world, and a free body of one shape
typedef struct world {
    trx_context *context;
    trx_model *model;
    trx_sim *sim;
    double x[13], u[1];
} world;

static void open_world(world *w, const trx_mesh *mesh, trx_shape shape, const double at[3])
{
    trx_material_def material = trx_material_def_default();
    trx_geometry_def fixed = trx_geometry_def_default(), moving = trx_geometry_def_default();
    fixed.shape = trx_shape_default(TRX_SHAPE_MESH);
    fixed.shape.mesh = mesh;
    fixed.decompose.most = 48;
    moving.shape = shape, moving.mass = 0.05;
    trx_joint_def joint = trx_joint_def_default();
    joint.type = TRX_JOINT_FREE, joint.name = "free";
    trx_body_def bodies[2] = {trx_body_def_default(), trx_body_def_default()};
    bodies[0].name = "still", bodies[0].geometry = &fixed, bodies[0].ngeometry = 1;
    bodies[1].name = "thing", bodies[1].geometry = &moving, bodies[1].ngeometry = 1;
    bodies[1].joints = &joint, bodies[1].njoint = 1;
    trx_model_def def = trx_model_def_default();
    def.materials = &material, def.nmaterial = 1, def.bodies = bodies, def.nbody = 2;
    trx_context_create(NULL, &w->context);
    ck_assert_msg(trx_model_create(w->context, &def, &w->model) == TRX_OK, "%s", trx_context_message(w->context));
    trx_sim_settings settings = trx_sim_settings_default();
    settings.time_step = 0.002;
    ck_assert_int_eq(trx_sim_create(w->context, w->model, &settings, &w->sim), TRX_OK);
    memset(w->x, 0, sizeof w->x);
    trxi_copy3(at, w->x);
    w->x[3] = 1;
}

static void close_world(world *w)
{
    trx_sim_destroy(w->sim);
    trx_model_destroy(w->model);
    trx_context_destroy(w->context);
}

static void run(world *w, int steps)
{
    for (int k = 0; k < steps; k++) {
        double next[13];
        ck_assert_int_ge(trx_step(w->sim, w->x, NULL, next), 0);
        memcpy(w->x, next, sizeof next);
    }
}

// compares A with central differences at the present state; returns the largest derivative of the velocity by the position, which
// only contact makes, or 0 at a kink
static double check_derivatives(world *w)
{
    double A[144], F[144], next[13], scale = 1, worst = 0, contact = 0;
    bool kink = true;
    ck_assert_int_ge(trx_step(w->sim, w->x, NULL, next), 0);
    ck_assert_int_ge(trx_step_jac(w->sim, A, NULL), 0);
    ck_assert_int_ge(trx_step_fd(w->sim, w->x, NULL, 1e-5, F, NULL, &kink), 0);
    if (kink) return 0;
    for (int i = 0; i < 144; i++) scale = fmax(scale, fabs(F[i]));
    for (int i = 0; i < 144; i++) worst = fmax(worst, fabs(A[i] - F[i]) / scale);
    assert_below(worst, 1e-6);
    for (int row = 6; row < 12; row++)
        for (int column = 0; column < 6; column++) contact = fmax(contact, fabs(A[12 * column + row]));
    return contact;
}

START_TEST(a_ball_rolls_inside_a_mug)
{
    trx_shape ball = trx_shape_default(TRX_SHAPE_SPHERE);
    ball.radius = 0.01;
    world w;
    open_world(&w, &mug.mesh, ball, (double[3]){0.012, 0.004, 0.06});
    w.x[7] = 0.15, w.x[8] = 0.1;
    int judged = 0;
    for (int k = 0; k < 60; k++) {
        run(&w, 10);
        ck_assert(hypot(w.x[0], w.x[1]) < 0.036 - 0.01 + 5e-4);
        if (k % EVERY == 0) judged += check_derivatives(&w) > 0.1;
    }
    // the ball lies on the bottom, which is 4 mm thick; the hull of the mug would keep the ball above the rim
    assert_close(w.x[2], 0.014, 5e-4);
    ck_assert_int_gt(judged, 20 / EVERY);
    close_world(&w);
}
END_TEST

START_TEST(a_peg_goes_through_a_ring_and_a_thicker_one_does_not)
{
    for (int thick = 0; thick < 2; thick++) {
        trx_shape peg = trx_shape_default(TRX_SHAPE_CAPSULE);
        peg.radius = thick ? 0.045 : 0.02, peg.length = 0.05;
        world w;
        open_world(&w, &ring.mesh, peg, (double[3]){0.002, 0.001, 0.1});
        int judged = 0;
        for (int k = 0; k < 15; k++) {
            run(&w, 10);
            if (k % EVERY == 0) judged += check_derivatives(&w) > 0.1;
        }
        run(&w, 100);
        if (thick) ck_assert(w.x[2] > 0.02 && judged > 0);
        else ck_assert(w.x[2] < -0.2);
        close_world(&w);
    }
}
END_TEST

START_TEST(a_box_in_the_corner_of_an_angle_has_exact_derivatives)
{
    trx_shape box = trx_shape_default(TRX_SHAPE_BOX);
    trxi_set3(0.06, 0.05, 0.04, box.size);
    world w;
    // the angle is open towards larger x and smaller y; in its text x grows to the right, y downwards
    open_world(&w, &corner.mesh, box, (double[3]){0.1 + 0.0298, 0.1 - 0.0248, 0.05});
    int judged = 0;
    for (int k = 0; k < 40; k += EVERY) {
        // turned and moved a little, with any velocity
        const double angle = 0.02 * sin(3.0 * k);
        trxi_set3(0.1298 + 2e-4 * sin(k), 0.0752 + 2e-4 * cos(2.0 * k), 0.05, w.x);
        w.x[3] = cos(angle / 2), w.x[4] = sin(angle / 2) * 0.6, w.x[5] = sin(angle / 2) * 0.64, w.x[6] = sin(angle / 2) * 0.48;
        for (int i = 7; i < 13; i++) w.x[i] = 0.1 * sin(i * k + 1.0);
        judged += check_derivatives(&w) > 0.1;
    }
    ck_assert_int_gt(judged, 20 / EVERY);
    close_world(&w);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("parts");
    tcase_add_unchecked_fixture(tcase, make_meshes, NULL);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, parts_follow_the_geometries_of_their_body);
    tcase_add_test(tcase, names_lead_back_to_their_geometries);
    tcase_add_test(tcase, without_decompose_the_hull_touches_and_says_how_full_it_is);
    tcase_add_test(tcase, rules_for_pairs_of_the_mesh_hold_for_its_parts);
    tcase_add_test(tcase, wrong_settings_and_flat_meshes_are_refused);
    tcase_add_test(tcase, too_few_parts_are_a_warning);
    tcase_add_test(tcase, a_ball_rolls_inside_a_mug);
    tcase_add_test(tcase, a_peg_goes_through_a_ring_and_a_thicker_one_does_not);
    tcase_add_test(tcase, a_box_in_the_corner_of_an_angle_has_exact_derivatives);
    Suite *suite = suite_create("parts");
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
