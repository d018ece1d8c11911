// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See fixture.h.

#include "fixture.h"

#include "base/random.h"
#include "support/support.h"

static void layout(trxi_arena *arena, fixture *f)
{
    trxi_kinematics_layout(arena, f->model, &f->kin);
    trxi_rnea_layout(arena, f->model, &f->rnea);
    f->composite = TRXI_TAKE(arena, trxi_inertia, f->model->nlink);
}

fixture fixture_open(const trx_model_def *def)
{
    fixture f = {0};
    ck_assert_int_eq(trx_context_create(NULL, &f.context), TRX_OK);
    trx_status status = trx_model_create(f.context, def, &f.model);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(f.context));
    f.nv = f.model->nv;
    ck_assert_int_le(f.nv, MAX_NV);
    ck_assert_int_le(f.model->nlink, MAX_LINKS);
    ck_assert_int_le(f.model->nbody, MAX_BODIES);

    trxi_arena arena = {0};
    layout(&arena, &f);
    f.block = trxi_allocate(f.context, arena.used);
    arena = (trxi_arena){.base = f.block};
    layout(&arena, &f);
    return f;
}

void fixture_close(fixture *f)
{
    trxi_release(f->context, f->block);
    trx_model_destroy(f->model);
    trx_context_destroy(f->context);
}

static double next(uint64_t *counter)
{
    return trxi_random_normal(3, (*counter)++);
}

static trx_joint_def random_joint(uint64_t *counter, const char *name, trx_joint_type type)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = name;
    joint.type = type;
    for (int i = 0; i < 3; i++) joint.axis[i] = next(counter);
    for (int i = 0; i < 3; i++) joint.at[i] = next(counter);
    joint.armature = fabs(next(counter));
    return joint;
}

// a tensor of a cloud of points: (sum of |r|^2) 1 - sum of r r^T
static void random_inertia(uint64_t *counter, trx_body_def *body)
{
    trx_body_inertia *in = &body->inertia;
    double C[6] = {0};
    for (int k = 0; k < 4; k++) {
        double x = next(counter), y = next(counter), z = next(counter);
        C[0] += x * x, C[1] += y * y, C[2] += z * z, C[3] += x * y, C[4] += x * z, C[5] += y * z;
    }
    body->has_inertia = true;
    in->mass = 1 + fabs(next(counter));
    for (int i = 0; i < 3; i++) in->com[i] = next(counter);
    for (int i = 0; i < 3; i++) in->tensor[i] = C[0] + C[1] + C[2] - C[i];
    for (int i = 3; i < 6; i++) in->tensor[i] = -C[i];
}

fixture fixture_of_everything(void)
{
    return fixture_of_everything_with(NULL, 0);
}

fixture fixture_of_everything_with(const trx_tendon_def *tendons, int ntendon)
{
    uint64_t counter = 0;
    trx_joint_def torso[] = {random_joint(&counter, "torso", TRX_JOINT_FREE)};
    trx_joint_def arm[] = {random_joint(&counter, "arm_hinge", TRX_JOINT_HINGE),
                           random_joint(&counter, "arm_ball", TRX_JOINT_BALL),
                           random_joint(&counter, "arm_slide", TRX_JOINT_SLIDE)};
    trx_joint_def cart[] = {random_joint(&counter, "cart", TRX_JOINT_PLANAR)};
    trx_joint_def leg[] = {random_joint(&counter, "leg", TRX_JOINT_HINGE)};
    trx_joint_def mast[] = {random_joint(&counter, "mast_ball", TRX_JOINT_BALL),
                            random_joint(&counter, "mast_hinge", TRX_JOINT_HINGE)};
    trx_joint_def crane[] = {random_joint(&counter, "crane_plane", TRX_JOINT_PLANAR),
                             random_joint(&counter, "crane_hinge", TRX_JOINT_HINGE)};
    struct {
        const char *name;
        int parent;
        const trx_joint_def *joints;
        int njoint;
        bool gravity;
    } list[] = {
        {"torso", -1, torso, 1, true}, {"arm", 0, arm, 3, true},    {"cart", 1, cart, 1, false},
        {"leg", 0, leg, 1, true},      {"mast", -1, mast, 2, true}, {"mast_box", 4, NULL, 0, false},
        {"crane", 5, crane, 2, true},
    };
    enum { COUNT = sizeof list / sizeof *list };
    trx_body_def bodies[COUNT];
    for (int i = 0; i < COUNT; i++) {
        trx_body_def *body = &bodies[i];
        *body = trx_body_def_default();
        body->name = list[i].name;
        body->parent = list[i].parent;
        body->joints = list[i].joints;
        body->njoint = list[i].njoint;
        body->gravity = list[i].gravity;
        random_inertia(&counter, body);
        if (i == 0) continue; // a free joint takes no pose
        for (int k = 0; k < 3; k++) body->pose.p[k] = next(&counter);
        for (int k = 0; k < 4; k++) body->pose.quat[k] = next(&counter);
    }
    trx_model_def def = trx_model_def_default();
    def.gravity[0] = 1, def.gravity[1] = 2;
    def.bodies = bodies;
    def.nbody = COUNT;
    def.tendons = tendons, def.ntendon = ntendon;
    return fixture_open(&def);
}

void random_vector(uint64_t seed, int n, double *x)
{
    for (int i = 0; i < n; i++) x[i] = trxi_random_normal(seed, (uint64_t)i);
}

void random_configuration(const fixture *f, uint64_t seed, bool far, double *q)
{
    double dq[MAX_NV];
    random_vector(seed, f->nv, dq);
    trx_model_neutral(f->model, q);
    trx_model_integrate(f->model, q, dq, q);
    if (far) q[0] += 1000, q[1] -= 700, q[2] += 300;
}

void inverse_dynamics_at(fixture *f, const double *q, const double *v, const double *a, double *tau)
{
    trxi_kinematics_compute(f->model, q, &f->kin);
    trxi_inverse_dynamics(f->model, &f->kin, v, a, &f->rnea, tau);
}

void mass_matrix_at(fixture *f, const double *q, double *M)
{
    int n = f->nv;
    trxi_kinematics_compute(f->model, q, &f->kin);
    trxi_mass_matrix(f->model, &f->kin, f->composite, M, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) M[i + j * n] = M[j + i * n];
}

void difference_over_q(fixture *f, configuration_function *eval, const void *data, int n, const double *q, double *out)
{
    static const double steps[4] = {2, 1, -1, -2}, weights[4] = {-1, 8, -8, 1};
    static double values[36 * MAX_LINKS + MAX_NV * MAX_NV];
    ck_assert_int_le(n, (int)(sizeof values / sizeof *values));
    const double h = 1e-3;
    for (int j = 0; j < f->nv; j++) {
        for (int i = 0; i < n; i++) out[i + j * n] = 0;
        for (int k = 0; k < 4; k++) {
            double dq[MAX_NV] = {0}, moved[MAX_NQ];
            dq[j] = steps[k] * h;
            trx_model_integrate(f->model, q, dq, moved);
            eval(f, moved, data, values);
            for (int i = 0; i < n; i++) out[i + j * n] += weights[k] * values[i] / (12 * h);
        }
    }
}

fixture fixture_of_free_body(trx_body_inertia inertia)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "box";
    joint.type = TRX_JOINT_FREE;
    trx_body_def body = trx_body_def_default();
    body.name = "box";
    body.joints = &joint;
    body.njoint = 1;
    body.has_inertia = true;
    body.inertia = inertia;
    trx_model_def def = trx_model_def_default();
    def.bodies = &body;
    def.nbody = 1;
    return fixture_open(&def);
}
