// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The robot of the tests of constraints and drives; see robot.h.

#include "step/robot.h"

#include "base/random.h"
#include "step/judge.h"
#include "support/support.h"

#include <check.h>
#include <math.h>

enum { MAX_NX = 64 };

static trx_body_def solid(const char *name, int parent, const trx_joint_def *joints, double x, double y)
{
    trx_body_def body = trx_body_def_default();
    body.name = name;
    body.parent = parent;
    body.joints = joints, body.njoint = 1;
    body.pose.p[0] = x, body.pose.p[1] = y;
    body.has_inertia = true;
    body.inertia = (trx_body_inertia){.mass = 0.8, .com = {0.05, 0.02, -0.03}, .tensor = {4e-3, 5e-3, 3e-3, 4e-4, -2e-4, 3e-4}};
    return body;
}

static trx_joint_def joint_of(const char *name, trx_joint_type type, double x, double y, double z)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = name, joint.type = type;
    joint.axis[0] = x, joint.axis[1] = y, joint.axis[2] = z;
    return joint;
}

robot robot_create(const trx_constraint_def *constraints, int nconstraint, const trx_actuator_def *actuators,
                   int nactuator, double friction, double armature)
{
    return robot_create_with_tendons(NULL, 0, constraints, nconstraint, actuators, nactuator, friction, armature);
}

robot robot_create_with_tendons(const trx_tendon_def *tendons, int ntendon, const trx_constraint_def *constraints, int nconstraint,
                                const trx_actuator_def *actuators, int nactuator, double friction, double armature)
{
    trx_joint_def joints[ROBOT_BODIES] = {
        joint_of("base", TRX_JOINT_FREE, 0, 0, 1),      joint_of("left_joint", TRX_JOINT_HINGE, 0.3, 1, 0.2),
        joint_of("left_slide", TRX_JOINT_SLIDE, 1, 0.4, 0), joint_of("right", TRX_JOINT_BALL, 0, 0, 1),
        joint_of("right_hinge", TRX_JOINT_HINGE, 0, 1, 0.5), joint_of("other", TRX_JOINT_FREE, 0, 0, 1)};
    joints[ROBOT_LEFT].friction = joints[ROBOT_LEFT_TIP].friction = joints[ROBOT_RIGHT_TIP].friction = friction;
    joints[ROBOT_LEFT_TIP].armature = armature;
    joints[ROBOT_LEFT].reference = 0.2;
    joints[ROBOT_LEFT].damping = joints[ROBOT_RIGHT].damping = joints[ROBOT_RIGHT_TIP].damping = 0.2;
    joints[ROBOT_LEFT_TIP].damping = 2;
    trx_body_def bodies[ROBOT_BODIES + 1] = {
        solid("base", -1, &joints[0], 0, 0),     solid("left", 0, &joints[1], 0.1, 0.2),
        solid("left_tip", 1, &joints[2], 0.3, 0), solid("right", 0, &joints[3], 0.1, -0.2),
        solid("right_tip", 3, &joints[4], 0.3, 0), solid("other", -1, &joints[5], 0, 0),
        trx_body_def_default()};
    bodies[ROBOT_POST].name = "post";

    robot r = {0};
    r.context = context_open();
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = ROBOT_BODIES + 1;
    def.tendons = tendons, def.ntendon = ntendon;
    def.constraints = constraints, def.nconstraint = nconstraint;
    def.actuators = actuators, def.nactuator = nactuator;
    ck_assert_msg(trx_model_create(r.context, &def, &r.model) == TRX_OK, "%s", trx_context_message(r.context));
    ck_assert_int_eq(trx_sim_create(r.context, r.model, NULL, &r.sim), TRX_OK);
    trx_model_size size = trx_model_get_size(r.model);
    r.nq = size.nq, r.nv = size.nv, r.nu = size.nu, r.nx = size.ntangent;
    ck_assert_int_le(r.nx, MAX_NX);
    return r;
}

void robot_destroy(robot *r)
{
    trx_sim_destroy(r->sim);
    trx_model_destroy(r->model);
    context_close(r->context);
}

trx_constraint_def robot_constraint(const char *name, trx_constraint_type type, int a, int b, double stiffness)
{
    trx_constraint_def c = trx_constraint_def_default();
    c.name = name, c.type = type, c.body_a = a, c.body_b = b;
    c.pose_a = (trx_pose){{0.1, 0.05, -0.04}, {0.9, 0.1, -0.3, 0.2}};
    c.pose_b = (trx_pose){{-0.05, 0.08, 0.02}, {0.8, -0.2, 0.3, 0.1}};
    c.length = 0.2;
    c.stiffness = stiffness;
    c.relaxation_time = 0.02;
    return c;
}

void robot_constraints(trx_constraint_def out[4])
{
    out[0] = robot_constraint("a", TRX_CONSTRAINT_BALL, ROBOT_LEFT_TIP, ROBOT_RIGHT_TIP, INFINITY);
    out[1] = robot_constraint("b", TRX_CONSTRAINT_WELD, ROBOT_OTHER, ROBOT_BASE, INFINITY);
    out[2] = robot_constraint("c", TRX_CONSTRAINT_DISTANCE, ROBOT_POST, ROBOT_OTHER, INFINITY);
    out[3] = robot_constraint("d", TRX_CONSTRAINT_COUPLER, ROBOT_LEFT, ROBOT_RIGHT_TIP, INFINITY);
    out[3].polynomial[1] = 1, out[3].polynomial[2] = 0.6;
    out[3].joint_a = out[3].joint_b = 0;
}

trx_actuator_def robot_actuator(const char *name, int body, double kp, double kd, double effort)
{
    trx_actuator_def a = trx_actuator_def_default();
    a.name = name, a.body = body, a.joint = 0, a.gear = 1.5;
    a.kp = kp, a.kd = kd;
    a.gain = kp > 0 ? kp : 2;
    if (effort > 0) a.effort_lower = -effort, a.effort_upper = effort;
    return a;
}

void robot_state(const robot *r, double spread, uint64_t seed, int index, double *x, double *u)
{
    uint64_t at = (uint64_t)index * 128;
    double dq[MAX_NX], speed = pow(10, -2 * trxi_random_uniform(seed, at++));
    trx_model_neutral(r->model, x);
    for (int i = 0; i < r->nv; i++) dq[i] = spread * trxi_random_normal(seed, at++);
    trx_model_integrate(r->model, x, dq, x);
    for (int i = 0; i < r->nv; i++) x[r->nq + i] = speed * trxi_random_normal(seed, at++);
    for (int i = r->nq + r->nv; i < r->nq + r->nx - r->nv; i++) x[i] = trxi_random_normal(seed, at + 64 + (uint64_t)i);
    for (int i = 0; i < r->nu; i++) u[i] = trxi_random_normal(seed, at++);
}

double robot_derivative_error(robot *r, const double *x, const double *u)
{
    judge_tally t = {0};
    return judge_state_from(r->sim, 1e-4, x, u, &t) ? t.worst : -1;
}

void robot_check_products(robot *r, const double *A, const double *B, double *grad_x, double *grad_u)
{
    double dx[64], du[16], out[64], seed[64], forward = 0, backward = 0;
    ck_assert(r->nx <= 64 && r->nu <= 16);
    for (int i = 0; i < r->nx; i++) dx[i] = sin(i), seed[i] = cos(3 * i);
    for (int i = 0; i < r->nu; i++) du[i] = 1 + i;
    ck_assert_int_ge(trx_step_jvp(r->sim, dx, du, out), 0);
    ck_assert_int_ge(trx_step_vjp(r->sim, seed, grad_x, grad_u), 0);
    for (int i = 0; i < r->nx; i++) {
        double expected = 0;
        for (int j = 0; j < r->nx; j++) expected += A[i + j * r->nx] * dx[j];
        for (int j = 0; j < r->nu; j++) expected += B[i + j * r->nx] * du[j];
        assert_close(out[i], expected, 1e-11 * (1 + fabs(expected)));
        forward += seed[i] * out[i];
        backward += grad_x[i] * dx[i];
    }
    for (int j = 0; j < r->nu; j++) backward += grad_u[j] * du[j];
    assert_close(forward, backward, 1e-11 * fabs(forward));
}
