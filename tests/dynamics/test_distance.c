// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Distances of pairs far beyond any margin, and of overlapping ones, against closed forms at random configurations.

#include "trajopt/scenes.h"

#include "math/rotation.h"
#include "dynamics/distance.h"

static const double HALF[3] = {0.1, 0.2, 0.3}, RADIUS = 0.15;

typedef struct lab {
    trx_context *context;
    trx_model *model;
    char *block;
    trxi_kinematics kin;
    double q[14];
} lab;

// a ball beside the origin of its body, a turned box on another, and a slope fixed to the world
static lab open_lab(void)
{
    lab l = {.context = make_context()};
    trx_material_def material = trx_material_def_default();
    material.name = "m";
    trx_joint_def free_joints[2] = {joint_of("one", TRX_JOINT_FREE, 0, 0, 1), joint_of("two", TRX_JOINT_FREE, 0, 0, 1)};
    trx_geometry_def ball = trx_geometry_def_default(), box = ball, slope = ball;
    ball.shape.type = TRX_SHAPE_SPHERE, ball.shape.radius = RADIUS, ball.mass = 1;
    ball.pose = (trx_pose){{0.3, -0.1, 0.2}, {1, 0, 0, 0}};
    box.shape.type = TRX_SHAPE_BOX, box.mass = 1;
    for (int i = 0; i < 3; i++) box.shape.size[i] = 2 * HALF[i];
    box.pose = (trx_pose){{-0.2, 0.1, 0}, {0.6, 0, 0.8, 0}};
    slope.shape.type = TRX_SHAPE_HALFSPACE;
    slope.pose = (trx_pose){{0, 0, 0.1}, {1, 0, 0, 0}};
    const trx_geometry_def *geometry[3] = {&ball, &box, &slope};
    const char *names[3] = {"one", "two", "ground"};
    trx_body_def bodies[3];
    for (int i = 0; i < 3; i++) {
        bodies[i] = trx_body_def_default();
        bodies[i].name = names[i], bodies[i].geometry = geometry[i], bodies[i].ngeometry = 1;
        if (i < 2) bodies[i].joints = &free_joints[i], bodies[i].njoint = 1;
    }
    bodies[2].pose = (trx_pose){{1, 2, 3}, {0.8, 0.6, 0, 0}};
    trx_model_def def = trx_model_def_default();
    def.materials = &material, def.nmaterial = 1, def.bodies = bodies, def.nbody = 3;
    l.model = build_model(l.context, &def);
    ck_assert_int_eq(trx_model_get_size(l.model).npair, 3);

    trxi_arena arena = {0};
    trxi_kinematics_layout(&arena, l.model, &l.kin);
    l.block = trxi_allocate(l.context, arena.used);
    arena = (trxi_arena){.base = l.block};
    trxi_kinematics_layout(&arena, l.model, &l.kin);
    return l;
}

static void close_lab(lab *l)
{
    trxi_release(l->context, l->block);
    trx_model_destroy(l->model);
    trx_context_destroy(l->context);
}

// both bodies within `spread` of a point of the slope
static void scatter(lab *l, uint64_t seed, double spread)
{
    double dq[12], neutral[14];
    for (int i = 0; i < 12; i++)
        dq[i] = (i % 6 < 3 ? spread : 1) * trxi_random_normal(seed, (uint64_t)i) + (i % 6 < 3 ? 1 + i % 6 : 0);
    trx_model_neutral(l->model, neutral);
    trx_model_integrate(l->model, neutral, dq, l->q);
    trxi_kinematics_compute(l->model, l->q, &l->kin);
}

// pose of a geometry in the world
static void geometry_pose(const lab *l, const char *name, double R[9], double p[3])
{
    trx_pose bodies[3];
    trx_geom_info geom = trx_model_geom(l->model, trx_model_find_geom(l->model, name));
    double R_body[9], R_geom[9];
    trx_model_body_poses(l->model, l->q, bodies);
    trxi_quat_to_matrix(bodies[geom.body].quat, R_body);
    trxi_quat_to_matrix(geom.pose.quat, R_geom);
    trxi_mul33(R_body, R_geom, R);
    trxi_mulv3(R_body, geom.pose.p, p);
    trxi_add3(p, bodies[geom.body].p, p);
}

static double ball_to_slope(const lab *l)
{
    double R[9], p[3], R_s[9], s[3], arm[3];
    geometry_pose(l, "one#1", R, p);
    geometry_pose(l, "ground#1", R_s, s);
    trxi_sub3(p, s, arm);
    return trxi_dot3(R_s + 6, arm) - RADIUS;
}

// the lowest corner
static double box_to_slope(const lab *l)
{
    double R[9], p[3], R_s[9], s[3], arm[3];
    geometry_pose(l, "two#1", R, p);
    geometry_pose(l, "ground#1", R_s, s);
    trxi_sub3(p, s, arm);
    double reach = 0;
    for (int i = 0; i < 3; i++) reach += HALF[i] * fabs(trxi_dot3(R_s + 6, R + 3 * i));
    return trxi_dot3(R_s + 6, arm) - reach;
}

// the centre's distance to the box, negative inside, less the radius
static double ball_to_box(const lab *l)
{
    double R[9], p[3], R_b[9], b[3], arm[3], local[3], outside = 0, deepest = -INFINITY;
    geometry_pose(l, "one#1", R, p);
    geometry_pose(l, "two#1", R_b, b);
    trxi_sub3(p, b, arm);
    trxi_mulv3_t(R_b, arm, local);
    for (int i = 0; i < 3; i++) {
        double beyond = fabs(local[i]) - HALF[i];
        outside += beyond > 0 ? beyond * beyond : 0;
        deepest = fmax(deepest, beyond);
    }
    return (outside > 0 ? sqrt(outside) : deepest) - RADIUS;
}

static int pair_of(const lab *l, const char *a, const char *b)
{
    int i = trx_model_find_geom(l->model, a), j = trx_model_find_geom(l->model, b);
    for (int k = 0; k < 3; k++) {
        trx_pair_info pair = trx_model_pair(l->model, k);
        if ((pair.geom_a == i && pair.geom_b == j) || (pair.geom_a == j && pair.geom_b == i)) return k;
    }
    ck_abort_msg("no pair %s|%s", a, b);
    return -1;
}

START_TEST(distances_equal_closed_forms_at_any_range)
{
    lab l = open_lab();
    const int slope_ball = pair_of(&l, "one#1", "ground#1"), slope_box = pair_of(&l, "two#1", "ground#1");
    const int ball_box = pair_of(&l, "one#1", "two#1");
    const double spreads[3] = {0.1, 1, 100};
    int overlapping = 0, far = 0;
    for (uint64_t i = 0; i < 300; i++) {
        double spread = spreads[i % 3], tolerance = 1e-13 * (1 + spread);
        scatter(&l, i, spread);
        assert_close(trxi_pair_closest(l.model, &l.kin, slope_ball).phi, ball_to_slope(&l), tolerance);
        assert_close(trxi_pair_closest(l.model, &l.kin, slope_box).phi, box_to_slope(&l), tolerance);
        assert_close(trxi_pair_closest(l.model, &l.kin, ball_box).phi, ball_to_box(&l), tolerance);
        overlapping += ball_to_box(&l) < 0, far += ball_to_box(&l) > 10;
    }
    ck_assert_int_gt(overlapping, 20);
    ck_assert_int_gt(far, 50);
    close_lab(&l);
}
END_TEST

START_TEST(witness_points_lie_on_both_surfaces)
{
    lab l = open_lab();
    int pair = pair_of(&l, "one#1", "ground#1");
    bool ball_first = trx_model_pair(l.model, pair).geom_a == trx_model_find_geom(l.model, "one#1");
    for (uint64_t i = 0; i < 20; i++) {
        double R[9], p[3], R_s[9], s[3], b[3], arm[3];
        scatter(&l, i, 1);
        trxi_contact_point point = trxi_pair_closest(l.model, &l.kin, pair);
        for (int k = 0; k < 3; k++) b[k] = point.a[k] + point.phi * point.n[k];
        const double *on_ball = ball_first ? point.a : b, *on_slope = ball_first ? b : point.a;
        geometry_pose(&l, "one#1", R, p);
        geometry_pose(&l, "ground#1", R_s, s);
        trxi_sub3(on_ball, p, arm);
        assert_close(trxi_norm3(arm), RADIUS, 1e-14);
        trxi_sub3(on_slope, s, arm);
        assert_close(trxi_dot3(R_s + 6, arm), 0, 1e-14);
    }
    close_lab(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dynamics/distance");
    TCase *cases = tcase_create("gaps");
    tcase_add_test(cases, distances_equal_closed_forms_at_any_range);
    tcase_add_test(cases, witness_points_lie_on_both_surfaces);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
