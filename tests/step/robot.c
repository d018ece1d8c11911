// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The robot of the tests of constraints and drives; see robot.h.

#include "step/robot.h"

#include "base/random.h"
#include "support/support.h"

#include <string.h>

enum { MAX_NX = 64, MAX_NU = 6 };

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
    trx_joint_def joints[ROBOT_BODIES] = {
        joint_of("base", TRX_JOINT_FREE, 0, 0, 1),      joint_of("left_joint", TRX_JOINT_HINGE, 0.3, 1, 0.2),
        joint_of("left_slide", TRX_JOINT_SLIDE, 1, 0.4, 0), joint_of("right", TRX_JOINT_BALL, 0, 0, 1),
        joint_of("right_hinge", TRX_JOINT_HINGE, 0, 1, 0.5), joint_of("other", TRX_JOINT_FREE, 0, 0, 1)};
    joints[ROBOT_LEFT].friction = joints[ROBOT_LEFT_TIP].friction = joints[ROBOT_RIGHT_TIP].friction = friction;
    joints[ROBOT_LEFT_TIP].armature = armature;
    joints[ROBOT_LEFT].reference = 0.2;
    joints[ROBOT_LEFT].damping = joints[ROBOT_RIGHT].damping = joints[ROBOT_RIGHT_TIP].damping = 0.2;
    joints[ROBOT_LEFT_TIP].damping = 2;
    trx_body_def bodies[ROBOT_BODIES] = {
        solid("base", -1, &joints[0], 0, 0),     solid("left", 0, &joints[1], 0.1, 0.2),
        solid("left_tip", 1, &joints[2], 0.3, 0), solid("right", 0, &joints[3], 0.1, -0.2),
        solid("right_tip", 3, &joints[4], 0.3, 0), solid("other", -1, &joints[5], 0, 0)};

    robot r = {0};
    ck_assert_int_eq(trx_context_create(NULL, &r.context), TRX_OK);
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = ROBOT_BODIES;
    def.constraints = constraints, def.nconstraint = nconstraint;
    def.actuators = actuators, def.nactuator = nactuator;
    ck_assert_msg(trx_model_create(r.context, &def, &r.model) == TRX_OK, "%s", trx_context_message(r.context));
    ck_assert_int_eq(trx_sim_create(r.context, r.model, NULL, &r.sim), TRX_OK);
    trx_model_size size = trx_model_get_size(r.model);
    r.nq = size.nq, r.nv = size.nv, r.nu = size.nu, r.nx = 2 * size.nv;
    ck_assert_int_le(r.nx, MAX_NX);
    return r;
}

void robot_destroy(robot *r)
{
    trx_sim_destroy(r->sim);
    trx_model_destroy(r->model);
    trx_context_destroy(r->context);
}

void robot_state(const robot *r, double spread, uint64_t seed, int index, double *x, double *u)
{
    uint64_t at = (uint64_t)index * 128;
    double dq[MAX_NX], speed = pow(10, -2 * trxi_random_uniform(seed, at++));
    trx_model_neutral(r->model, x);
    for (int i = 0; i < r->nv; i++) dq[i] = spread * trxi_random_normal(seed, at++);
    trx_model_integrate(r->model, x, dq, x);
    for (int i = 0; i < r->nv; i++) x[r->nq + i] = speed * trxi_random_normal(seed, at++);
    for (int i = 0; i < r->nu; i++) u[i] = trxi_random_normal(seed, at++);
}

static double column_error(int rows, int columns, const double *A, const double *F)
{
    double largest = max_magnitude(F, rows * columns), worst = 0;
    for (int j = 0; j < columns; j++) {
        const double *a = A + j * rows, *f = F + j * rows;
        worst = fmax(worst, max_difference(a, f, rows) / fmax(max_magnitude(f, rows), 1e-3 * largest));
    }
    return worst;
}

double robot_derivative_error(robot *r, const double *x, const double *u)
{
    static double A[MAX_NX * MAX_NX], B[MAX_NX * MAX_NU], F[MAX_NX * MAX_NX], Fu[MAX_NX * MAX_NU];
    bool kink;
    ck_assert_msg(trx_step_fd(r->sim, x, u, 1e-4, F, Fu, &kink) >= 0, "%s", trx_context_message(r->context));
    if (kink) return -1;
    ck_assert_msg(trx_step_jac(r->sim, A, B) >= 0, "%s", trx_context_message(r->context));
    ck_assert(max_magnitude(A, r->nx * r->nx) > 0 && memcmp(A, F, sizeof(double) * (size_t)(r->nx * r->nx)) != 0);
    double error = column_error(r->nx, r->nx, A, F);
    if (r->nu == 0) return error;

    // a saturated drive has no column: compare it absolutely
    double errors = 0, largest = max_magnitude(Fu, r->nx * r->nu);
    for (int j = 0; j < r->nu; j++)
        errors = fmax(errors, max_difference(B + j * r->nx, Fu + j * r->nx, r->nx) /
                                  fmax(max_magnitude(Fu + j * r->nx, r->nx), fmax(1e-3 * largest, 1e-6)));
    return fmax(error, errors);
}
