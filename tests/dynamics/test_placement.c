// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Poses, velocities, Jacobians and distances that a user asks for: against central differences over the configuration, with every
// kind of joint, frames, bodies with prescribed motion and all kinds of shapes.

#include "math/rotation.h"
#include "support/support.h"
#include "verify/richardson.h"

#include <stdio.h>
#include <string.h>
#include <tractrix/kinematics.h>
#include <tractrix/problem.h>

enum { NQ = 24, NV = 22 };

static const char SCENE[] =
    "tractrix: 1\n"
    "model:\n"
    "  bodies:\n"
    "    - {name: ground, geometry: [{shape: halfspace, name: floor}]}\n"
    "    - name: base\n"
    "      joint: free\n"
    "      geometry: [{shape: box, size: [0.2, 0.3, 0.1], mass: 1, name: trunk, pose: {xyz: [0.02, 0, 0.05]}}]\n"
    "    - name: arm\n"
    "      parent: base\n"
    "      pose: {xyz: [0.1, 0, 0.1], rpy: [0.2, 0.1, 0.3]}\n"
    "      joints: [{name: yaw, type: hinge, axis: [0.1, 0.3, 1], at: [0.02, 0, 0]},\n"
    "               {name: reach, type: slide, axis: [1, 0.2, 0]}]\n"
    "      geometry: [{shape: capsule, radius: 0.03, length: 0.2, mass: 0.3, name: rod}]\n"
    "      frames: [{name: tip, pose: {xyz: [0.05, 0.02, 0.1], rpy: [0.4, 0, 0.2]}}]\n"
    "    - name: hand\n"
    "      parent: arm\n"
    "      pose: {xyz: [0, 0, 0.2]}\n"
    "      joints: [{name: wrist, type: ball}]\n"
    "      geometry: [{shape: ellipsoid, size: [0.1, 0.06, 0.08], mass: 0.2, name: palm}]\n"
    "    - {name: puck, joint: planar, pose: {xyz: [1, 0, 0.1], rpy: [0.1, 0, 0]},\n"
    "       geometry: [{shape: cylinder, radius: 0.1, length: 0.05, mass: 0.2, name: disc}]}\n"
    "    - {name: ball, joint: free, geometry: [{shape: sphere, radius: 0.1, mass: 0.2, name: marble}]}\n"
    "    - name: lift\n"
    "      pose: {xyz: [0, 2, 0], rpy: [0, 0.3, 0]}\n"
    "      motion: {type: hinge, axis: [0.2, 0, 1], at: [0.1, 0.2, 0], velocity: 0.7, amplitude: 0.3, frequency: 0.8, phase: 0.2}\n"
    "      geometry: [{shape: box, size: [0.1, 0.1, 0.1], name: stage}]\n"
    "    - name: car\n"
    "      parent: lift\n"
    "      pose: {xyz: [0.3, 0, 0.1]}\n"
    "      motion: {type: slide, axis: [0, 1, 1], amplitude: 0.2, frequency: 1.1}\n"
    "      geometry: [{shape: sphere, radius: 0.05, name: knob}]\n"
    "      frames: [{name: seat, pose: {xyz: [0.1, 0.2, 0], rpy: [0.3, 0, 0]}}]\n"
    "time: {step: 0.01, steps: 10}\n"
    "start:\n"
    "  base: {xyz: [0.3, -0.2, 0.6], rpy: [0.3, -0.4, 0.5], velocity: [0.4, -0.3, 0.2], spin: [0.5, 0.7, -0.6]}\n"
    "  yaw: {position: 0.4, velocity: 0.9}\n"
    "  reach: {position: 0.05, velocity: -0.4}\n"
    "  wrist: {rpy: [0.2, 0.5, -0.3], spin: [0.3, -0.8, 0.4]}\n"
    "  puck: {x: 0.1, y: 0.2, yaw: 0.5, vx: 0.3, vy: -0.2, wz: 0.6}\n"
    "  ball: {xyz: [0.9, 0.5, 0.8], rpy: [0, 0.2, 0], velocity: [0.1, 0.2, 0.3], spin: [0.2, 0.1, 0.4]}\n";

typedef struct scene {
    trx_context *context;
    trx_problem *problem;
    const trx_model *model;
    trx_kinematics *kinematics;
    const double *q, *v;
    trx_model_size size;
} scene;

static scene scene_open(void)
{
    scene s = {0};
    ck_assert_int_eq(trx_context_create(NULL, &s.context), TRX_OK);
    trx_status status = trx_problem_load_text(s.context, "scene.yaml", SCENE, strlen(SCENE), NULL, &s.problem);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(s.context));
    s.model = trx_problem_model(s.problem);
    s.size = trx_model_get_size(s.model);
    ck_assert(s.size.nq <= NQ && s.size.nv <= NV);
    s.q = trx_problem_start(s.problem), s.v = s.q + s.size.nq;
    ck_assert_int_eq(trx_kinematics_create(s.context, s.model, &s.kinematics), TRX_OK);
    return s;
}

static void scene_close(scene *s)
{
    trx_kinematics_destroy(s->kinematics);
    trx_problem_destroy(s->problem);
    trx_context_destroy(s->context);
}

// a body (frame false) or a frame at q, v, t
static trx_placement placed(const scene *s, bool frame, int index, const double *q, const double *v, double t, double *J)
{
    trx_placement placement;
    ck_assert_int_eq(trx_kinematics_update(s->kinematics, q, v, t), TRX_OK);
    trx_status status = frame ? trx_kinematics_frame(s->kinematics, index, &placement, J)
                              : trx_kinematics_body(s->kinematics, index, &placement, J);
    ck_assert_int_eq(status, TRX_OK);
    return placement;
}

// rotation vector in world axes, and displacement, from one pose to another
static void displacement(const trx_pose *from, const trx_pose *to, double out[6])
{
    double turn[3], R[9];
    trxi_quat_difference(to->quat, from->quat, turn);
    trxi_quat_to_matrix(from->quat, R);
    trxi_mulv3(R, turn, out);
    trxi_sub3(to->p, from->p, out + 3);
}

// what is moved by e: q along dof j, or, for j = -1, time and q along v
typedef struct direction {
    const scene *s;
    bool frame;
    int index, dof;
    double t;
} direction;

static trx_pose moved(const direction *d, double e)
{
    const scene *s = d->s;
    double dq[NV] = {0}, q[NQ];
    if (d->dof >= 0) dq[d->dof] = e;
    for (int i = 0; i < s->size.nv && d->dof < 0; i++) dq[i] = e * s->v[i];
    trx_model_integrate(s->model, s->q, dq, q);
    return placed(s, d->frame, d->index, q, NULL, d->dof < 0 ? d->t + e : d->t, NULL).pose;
}

static trx_status pose_difference(void *data, double e, double *D, bool *smooth)
{
    (void)smooth;
    const trx_pose plus = moved(data, e), minus = moved(data, -e);
    displacement(&minus, &plus, D);
    for (int i = 0; i < 6; i++) D[i] /= 2 * e;
    return TRX_OK;
}

static void reference(direction d, trxi_central_difference *central, int rows, double *F)
{
    static const trxi_ladder ladder = {.first = 1e-3, .least = 1e-4, .shrink = 0.3, .patience = INFINITY};
    double scratch[6 * TRXI_COLUMN_SCRATCH];
    trxi_column column = {.rows = rows, .F = F, .scratch = scratch};
    ck_assert_int_eq(trxi_richardson_column(&ladder, central, &d, &column), TRX_OK);
}

// J column by column, and the velocity as the rate of the pose when q moves along v and time goes on
static void check_motion(const scene *s, bool frame, int index, double t)
{
    double J[6 * NV], F[6], sum[6] = {0};
    const trx_placement at = placed(s, frame, index, s->q, s->v, t, J);
    for (int j = 0; j < s->size.nv; j++) {
        reference((direction){s, frame, index, j, t}, pose_difference, 6, F);
        assert_below(max_difference(J + 6 * j, F, 6), 1e-9);
        for (int i = 0; i < 6; i++) sum[i] += J[i + 6 * j] * s->v[j];
    }
    reference((direction){s, frame, index, -1, t}, pose_difference, 6, F);
    assert_below(max_difference(at.velocity, F, 6), 1e-9);
    const bool seat = frame && strcmp(trx_model_frame_name(s->model, index), "seat") == 0;
    if (seat || (!frame && trx_model_body(s->model, index).motion)) {
        ck_assert(max_magnitude(at.velocity, 6) > 0.1 && max_magnitude(J, 6 * s->size.nv) == 0);
    } else {
        assert_below(max_difference(at.velocity, sum, 6), 1e-14);
    }
}

START_TEST(velocities_and_jacobians_are_those_of_the_poses)
{
    scene s = scene_open();
    double J[6 * NV];
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < s.size.nbody; i++) check_motion(&s, false, i, 0.3 * t);
        for (int i = 0; i < s.size.nframe; i++) check_motion(&s, true, i, 0.3 * t);
    }
    placed(&s, true, trx_model_find_frame(s.model, "tip"), s.q, s.v, 0, J);
    ck_assert(max_magnitude(J, 6 * s.size.nv) > 0.5);
    scene_close(&s);
}
END_TEST

static trx_status velocity_difference(void *data, double e, double *D, bool *smooth)
{
    const direction *d = data;
    trx_placement ends[2];
    (void)smooth;
    for (int side = 0; side < 2; side++) {
        double dq[NV] = {0}, q[NQ];
        dq[d->dof] = side ? -e : e;
        trx_model_integrate(d->s->model, d->s->q, dq, q);
        ends[side] = placed(d->s, d->frame, d->index, q, d->s->v, d->t, NULL);
    }
    for (int i = 0; i < 6; i++) D[i] = (ends[0].velocity[i] - ends[1].velocity[i]) / (2 * e);
    return TRX_OK;
}

static double check_velocity_dq(const scene *s, bool frame, int index)
{
    double J[6 * NV], F[6];
    placed(s, frame, index, s->q, s->v, 0.3, NULL);
    const trx_status status = frame ? trx_kinematics_frame_velocity_dq(s->kinematics, index, J)
                                    : trx_kinematics_body_velocity_dq(s->kinematics, index, J);
    ck_assert_int_eq(status, TRX_OK);
    for (int j = 0; j < s->size.nv; j++) {
        reference((direction){s, frame, index, j, 0.3}, velocity_difference, 6, F);
        assert_below(max_difference(J + 6 * j, F, 6), 1e-9);
    }
    return max_magnitude(J, 6 * s->size.nv);
}

START_TEST(velocities_change_with_the_configuration_as_differences_do)
{
    scene s = scene_open();
    double most = 0;
    for (int i = 0; i < s.size.nbody; i++) most = fmax(most, check_velocity_dq(&s, false, i));
    for (int i = 0; i < s.size.nframe; i++) most = fmax(most, check_velocity_dq(&s, true, i));
    ck_assert(most > 0.5);
    ck_assert_int_eq(trx_kinematics_body_velocity_dq(s.kinematics, -1, &most), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_kinematics_frame_velocity_dq(s.kinematics, 0, NULL), TRX_ERR_ARGUMENT);
    scene_close(&s);
}
END_TEST

START_TEST(poses_are_those_of_the_model)
{
    scene s = scene_open();
    trx_pose poses[16];
    double longer[NQ];
    memcpy(longer, s.q, (size_t)s.size.nq * sizeof *longer);
    for (int i = 3; i < 7; i++) longer[i] *= 3; // the quaternion of the base
    trx_model_body_poses_at(s.model, s.q, 0.7, poses);
    for (int i = 0; i < s.size.nbody; i++) {
        const trx_placement at = placed(&s, false, i, longer, NULL, 0.7, NULL);
        assert_below(max_difference(at.pose.p, poses[i].p, 3), 1e-14);
        assert_below(max_difference(at.pose.quat, poses[i].quat, 4), 1e-14);
    }
    scene_close(&s);
}
END_TEST

// the square of the length overflows: the quaternion was once divided by infinity, and the body placed by a zero quaternion
START_TEST(a_quaternion_whose_length_overflows_is_refused_and_leaves_the_state)
{
    scene s = scene_open();
    double huge[NQ];
    memcpy(huge, s.q, (size_t)s.size.nq * sizeof *huge);
    const trx_placement before = placed(&s, false, 1, s.q, NULL, 0.7, NULL);
    for (int i = 3; i < 7; i++) huge[i] = 1e200;
    ck_assert_int_eq(trx_kinematics_update(s.kinematics, huge, NULL, 0.7), TRX_ERR_NOT_FINITE);
    trx_placement after;
    ck_assert_int_eq(trx_kinematics_body(s.kinematics, 1, &after, NULL), TRX_OK);
    ck_assert_mem_eq(after.pose.p, before.pose.p, sizeof after.pose.p);
    ck_assert_mem_eq(after.pose.quat, before.pose.quat, sizeof after.pose.quat);
    scene_close(&s);
}
END_TEST

// ---- distances ----

static int others[2]; // the geometries whose distance is differenced

static double distance_at(const direction *d, double e)
{
    double dq[NV] = {0}, q[NQ];
    trx_separation apart;
    dq[d->dof] = e;
    trx_model_integrate(d->s->model, d->s->q, dq, q);
    ck_assert_int_eq(trx_kinematics_update(d->s->kinematics, q, NULL, d->t), TRX_OK);
    ck_assert_int_eq(trx_kinematics_distance(d->s->kinematics, others[0], others[1], &apart, NULL), TRX_OK);
    return apart.distance;
}

static trx_status distance_difference(void *data, double e, double *D, bool *smooth)
{
    (void)smooth;
    *D = (distance_at(data, e) - distance_at(data, -e)) / (2 * e);
    return TRX_OK;
}

static void check_distance(const scene *s, int a, int b, double t)
{
    double gradient[NV], F;
    trx_separation apart, back;
    others[0] = a, others[1] = b;
    ck_assert_int_eq(trx_kinematics_update(s->kinematics, s->q, s->v, t), TRX_OK);
    ck_assert_int_eq(trx_kinematics_distance(s->kinematics, b, a, &back, NULL), TRX_OK);
    ck_assert_int_eq(trx_kinematics_distance(s->kinematics, a, b, &apart, gradient), TRX_OK);
    assert_close(apart.distance, back.distance, 1e-15);
    for (int i = 0; i < 3; i++) {
        assert_close(apart.point_b[i], apart.point_a[i] + apart.distance * apart.normal[i], 1e-14);
        assert_close(apart.normal[i], -back.normal[i], 1e-14);
        assert_close(apart.point_a[i], back.point_b[i], 1e-14);
    }
    for (int j = 0; j < s->size.nv; j++) {
        reference((direction){.s = s, .dof = j, .t = t}, distance_difference, 1, &F);
        assert_close(gradient[j], F, 2e-7);
    }
    ck_assert(max_magnitude(gradient, s->size.nv) > 0.1);
}

START_TEST(gradients_of_distances_agree_with_differences)
{
    static const char *const pairs[][2] = {{"floor", "trunk"},  {"rod", "disc"},   {"marble", "palm"}, {"disc", "trunk"},
                                           {"marble", "floor"}, {"palm", "trunk"}, {"knob", "rod"},    {"stage", "marble"}};
    scene s = scene_open();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        check_distance(&s, trx_model_find_geom(s.model, pairs[i][0]), trx_model_find_geom(s.model, pairs[i][1]), 0.3);
    scene_close(&s);
}
END_TEST

// a ball of 10 cm 30 cm above the floor, and one whose centre is 2 cm below
START_TEST(distances_are_signed)
{
    scene s = scene_open();
    const int ball = trx_model_find_geom(s.model, "marble"), ground = trx_model_find_geom(s.model, "floor");
    double q[NQ];
    trx_separation apart;
    memcpy(q, s.q, (size_t)s.size.nq * sizeof *q);
    const int z = trx_model_joint(s.model, trx_model_find_joint(s.model, "ball")).q_index + 2;
    const double heights[] = {0.4, -0.02};
    for (int i = 0; i < 2; i++) {
        q[z] = heights[i];
        ck_assert_int_eq(trx_kinematics_update(s.kinematics, q, NULL, 0), TRX_OK);
        ck_assert_int_eq(trx_kinematics_distance(s.kinematics, ground, ball, &apart, NULL), TRX_OK);
        assert_close(apart.distance, heights[i] - 0.1, 1e-15);
        assert_close(apart.normal[2], 1, 1e-15);
        assert_close(apart.point_a[2], 0, 1e-15);
    }
    scene_close(&s);
}
END_TEST

START_TEST(bad_arguments_are_refused_and_leave_the_state)
{
    scene s = scene_open();
    double q[NQ], gradient[NV];
    trx_placement before, after;
    trx_kinematics *none;
    ck_assert_int_eq(trx_kinematics_create(NULL, s.model, &none), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_kinematics_create(s.context, NULL, &none), TRX_ERR_ARGUMENT);
    before = placed(&s, false, 3, s.q, s.v, 0.1, NULL);
    memcpy(q, s.q, (size_t)s.size.nq * sizeof *q);
    q[0] = NAN;
    ck_assert_int_eq(trx_kinematics_update(s.kinematics, q, NULL, 0), TRX_ERR_NOT_FINITE);
    q[0] = 0, q[3] = q[4] = q[5] = q[6] = 0;
    ck_assert_int_eq(trx_kinematics_update(s.kinematics, q, NULL, 0), TRX_ERR_NOT_FINITE);
    ck_assert_int_eq(trx_kinematics_update(s.kinematics, NULL, NULL, 0), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_kinematics_update(s.kinematics, s.q, NULL, INFINITY), TRX_ERR_NOT_FINITE);
    ck_assert_int_eq(trx_kinematics_body(s.kinematics, 3, &after, NULL), TRX_OK);
    ck_assert(memcmp(&before, &after, sizeof before) == 0);
    ck_assert_int_eq(trx_kinematics_body(s.kinematics, s.size.nbody, &after, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_kinematics_frame(s.kinematics, -1, &after, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_kinematics_distance(s.kinematics, 0, s.size.ngeom, NULL, gradient), TRX_ERR_ARGUMENT);

    // geometries that no joint moves against each other
    const int still = trx_model_find_geom(s.model, "floor"), knob = trx_model_find_geom(s.model, "knob");
    ck_assert_int_eq(trx_kinematics_distance(s.kinematics, still, knob, NULL, gradient), TRX_ERR_UNSUPPORTED);
    ck_assert_int_eq(trx_kinematics_body(NULL, 0, &after, NULL), TRX_ERR_ARGUMENT);
    trx_kinematics_destroy(NULL);
    scene_close(&s);
}
END_TEST

START_TEST(queries_allocate_nothing)
{
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    scene s = scene_open();
    trx_context *counted;
    trx_kinematics *k;
    trx_placement placement;
    trx_separation apart;
    double J[6 * NV], gradient[NV];
    ck_assert_int_eq(trx_context_create(&settings, &counted), TRX_OK);
    ck_assert_int_eq(trx_kinematics_create(counted, s.model, &k), TRX_OK);
    const int calls = counter.calls;
    ck_assert_int_eq(trx_kinematics_update(k, s.q, s.v, 0.2), TRX_OK);
    for (int i = 0; i < s.size.nbody; i++) ck_assert_int_eq(trx_kinematics_body(k, i, &placement, J), TRX_OK);
    const int a = trx_model_find_geom(s.model, "disc"), b = trx_model_find_geom(s.model, "trunk");
    ck_assert_int_eq(trx_kinematics_distance(k, a, b, &apart, gradient), TRX_OK);
    ck_assert_int_eq(counter.calls, calls);
    trx_kinematics_destroy(k);
    trx_context_destroy(counted);
    ck_assert_int_eq(counter.outstanding, 0);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dynamics/placement");
    TCase *cases = tcase_create("placement");
    tcase_add_test(cases, velocities_and_jacobians_are_those_of_the_poses);
    tcase_add_test(cases, velocities_change_with_the_configuration_as_differences_do);
    tcase_add_test(cases, poses_are_those_of_the_model);
    tcase_add_test(cases, a_quaternion_whose_length_overflows_is_refused_and_leaves_the_state);
    tcase_add_test(cases, gradients_of_distances_agree_with_differences);
    tcase_add_test(cases, distances_are_signed);
    tcase_add_test(cases, bad_arguments_are_refused_and_leave_the_state);
    tcase_add_test(cases, queries_allocate_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
