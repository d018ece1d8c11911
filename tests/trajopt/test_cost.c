// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Residuals, gradients and Gauss-Newton Hessians of every quantity on a model with all kinds of joints: a free
// body, a ball under it, and a chain of hinge, slide and hinge with frames.

#include "trajopt/scenes.h"

#include "base/random.h"

#include <string.h>

enum { MAX_DIM = 16 };

typedef struct fixture {
    trx_context *context;
    trx_model *model;
    trx_model_size size;
    double x0[64], x[64], u[2];
} fixture;

static trx_model *mixed_model(trx_context *context)
{
    trx_joint_def ship = joint_of("ship", TRX_JOINT_FREE, 0, 0, 1), ball = joint_of("mast", TRX_JOINT_BALL, 0, 0, 1);
    trx_joint_def chain[2] = {joint_of("j1", TRX_JOINT_HINGE, 1, 2, 0.5),
                              joint_of("j2", TRX_JOINT_SLIDE, 0.3, -1, 0.2)};
    trx_joint_def last = joint_of("j3", TRX_JOINT_HINGE, 0, 1, -1);
    ball.at[0] = 0.1, ball.at[2] = 0.2;
    last.at[1] = 0.15;
    trx_frame_def tip = {.name = "tip", .pose = {{0.1, -0.2, 0.3}, {0.8, 0, 0.6, 0}}};
    trx_frame_def top = {.name = "top", .pose = {{0, 0.1, 0.4}, {0.6, 0.8, 0, 0}}};
    trx_frame_def rock = {.name = "rock", .pose = {{1, 0, 0}, {1, 0, 0, 0}}};
    trx_body_def bodies[5];
    const char *names[5] = {"ship", "mast", "upper", "lower", "shore"};
    for (int i = 0; i < 5; i++) {
        bodies[i] = trx_body_def_default();
        bodies[i].name = names[i];
        bodies[i].has_inertia = i < 4;
        bodies[i].inertia = (trx_body_inertia){1.0 + i, {0.05, -0.02 * i, 0.1}, {0.1, 0.12, 0.15, 0.01, 0, -0.01}};
        bodies[i].pose = (trx_pose){{0.2 * i, 0.1, -0.1}, {0.6, 0, 0.8, 0}};
    }
    bodies[0].joints = &ship, bodies[0].njoint = 1, bodies[0].pose = trx_pose_identity();
    bodies[1].joints = &ball, bodies[1].njoint = 1, bodies[1].parent = 0;
    bodies[2].joints = chain, bodies[2].njoint = 2;
    bodies[3].joints = &last, bodies[3].njoint = 1, bodies[3].parent = 2;
    bodies[3].frames = &tip, bodies[3].nframe = 1;
    bodies[1].frames = &top, bodies[1].nframe = 1;
    bodies[4].frames = &rock, bodies[4].nframe = 1;
    trx_actuator_def motors[2] = {trx_actuator_def_default(), trx_actuator_def_default()};
    motors[0].body = 2, motors[0].joint = 0;
    motors[1].body = 3, motors[1].joint = 0;
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = 5;
    def.actuators = motors, def.nactuator = 2;
    return build_model(context, &def);
}

static void random_state(const trx_model *model, trx_model_size size, uint64_t seed, double *x)
{
    double neutral[64], dq[32];
    trx_model_neutral(model, neutral);
    for (int i = 0; i < size.nv; i++) dq[i] = 0.6 * trxi_random_normal(seed, (uint64_t)i);
    trx_model_integrate(model, neutral, dq, x);
    for (int i = 0; i < size.nv; i++) x[size.nq + i] = 0.8 * trxi_random_normal(seed, 100 + (uint64_t)i);
}

static fixture make_fixture(void)
{
    fixture f = {.context = make_context(), .u = {0.7, -1.3}};
    f.model = mixed_model(f.context);
    f.size = trx_model_get_size(f.model);
    random_state(f.model, f.size, 1, f.x0);
    random_state(f.model, f.size, 2, f.x);
    return f;
}

static void release(fixture *f)
{
    trx_model_destroy(f->model);
    trx_context_destroy(f->context);
}

// one term with a plan of its own, a random target, and unequal weights
static trx_plan *plan_of(fixture *f, trx_cost_term term)
{
    static double target[64], weight[MAX_DIM * 2];
    static trx_stage physical;
    physical = physical_stage();
    random_state(f->model, f->size, 3, target);
    int length = trx_cost_term_target_length(f->model, &term), dim = trx_cost_term_dimension(f->model, &term);
    if (length == 4 && dim == 3) memcpy(target, (double[4]){0.5, -0.1, 0.7, 0.5}, 4 * sizeof(double));
    for (int i = 0; i < dim; i++) weight[i] = 0.5 + 0.3 * i;
    term.target = target, term.weight = weight;

    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f->model, problem.steps = 3, problem.x0 = f->x0;
    problem.terms = &term, problem.nterm = 1;
    problem.stages = &physical, problem.nstage = 1;
    trx_plan_settings settings = trx_plan_settings_default();
    trx_plan *plan;
    ck_assert_msg(trx_plan_create(f->context, &problem, &settings, &plan) == TRX_OK, "%s",
                  trx_context_message(f->context));
    return plan;
}

// x (+) eps e_j, tangent column j of 2 nv
static void perturb(const fixture *f, const double *x, int j, double eps, double *out)
{
    double dq[32] = {0};
    memcpy(out, x, (size_t)(f->size.nq + f->size.nv) * sizeof(double));
    if (j >= f->size.nv) {
        out[f->size.nq + j - f->size.nv] += eps;
        return;
    }
    dq[j] = eps;
    trx_model_integrate(f->model, x, dq, out);
}

// d f/dx_j by extrapolated central differences of the residual or of the cost
static void difference(fixture *f, trx_plan *plan, int knot, int j, bool residual, int count, double *out)
{
    double forward[MAX_DIM], backward[MAX_DIM], x[64], coarse[MAX_DIM];
    for (int level = 0; level < 2; level++) {
        double eps = level == 0 ? 2e-3 : 1e-3;
        for (int side = 0; side < 2; side++) {
            double *value = side ? backward : forward;
            perturb(f, f->x, j, side ? -eps : eps, x);
            trx_status status = residual ? trx_plan_residual(plan, 0, knot, x, f->u, value)
                                         : trx_plan_cost(plan, knot, x, f->u, value, NULL, NULL, NULL, NULL, NULL);
            ck_assert_int_eq(status, TRX_OK);
        }
        for (int i = 0; i < count; i++) {
            double slope = (forward[i] - backward[i]) / (2 * eps);
            if (level == 0) coarse[i] = slope;
            else out[i] = (4 * slope - coarse[i]) / 3;
        }
    }
}

// gradient against differences of the cost, Hessian against 2 s R^T W R with R from differences of the residual
static void check_term(fixture *f, trx_cost_term term, int knot)
{
    static double l_x[64], l_xx[64 * 64], R[MAX_DIM * 64];
    static const int joints[3] = {2, 3, 4};
    term.joints = joints, term.njoint = 3;
    int nx = 2 * f->size.nv, dim = trx_cost_term_dimension(f->model, &term);
    trx_plan *plan = plan_of(f, term);
    double cost, scale = knot < 3 ? 0.01 : 1;
    ck_assert_int_eq(trx_plan_cost(plan, knot, f->x, f->u, &cost, l_x, NULL, l_xx, NULL, NULL), TRX_OK);
    double size = max_magnitude(l_x, nx);
    for (int j = 0; j < nx; j++) {
        double slope;
        difference(f, plan, knot, j, false, 1, &slope);
        assert_close(l_x[j], slope, 1e-7 * size);
        difference(f, plan, knot, j, true, dim, R + dim * j);
    }
    double curvature = max_magnitude(l_xx, nx * nx);
    for (int j = 0; j < nx; j++)
        for (int i = 0; i < nx; i++) {
            double sum = 0;
            for (int k = 0; k < dim; k++) sum += 2 * scale * (0.5 + 0.3 * k) * R[k + dim * i] * R[k + dim * j];
            assert_close(l_xx[i + nx * j], sum, 1e-7 * curvature);
        }

    // cost is the weighted sum of squares
    double r[MAX_DIM], sum = 0;
    ck_assert_int_eq(trx_plan_residual(plan, 0, knot, f->x, f->u, r), TRX_OK);
    for (int k = 0; k < dim; k++) sum += scale * (0.5 + 0.3 * k) * r[k] * r[k];
    assert_close(cost, sum, 1e-14 * (1 + fabs(cost)));
    if (term.quantity != TRX_CONTROL) ck_assert(size > 1e-5 && curvature > 1e-5);
    trx_plan_destroy(plan);
}

START_TEST(derivatives_of_bodies_and_frames_agree_with_differences)
{
    fixture f = make_fixture();
    for (int q = TRX_BODY_POSITION; q <= TRX_FRAME_SPIN; q++) {
        int count = q <= TRX_BODY_SPIN ? 4 : 2;
        for (int index = 0; index < count; index++) {
            trx_cost_term term = {.quantity = (trx_quantity)q, .index = index, .time = TRX_ALL};
            check_term(&f, term, 1);
            check_term(&f, term, 3);
        }
    }
    release(&f);
}
END_TEST

START_TEST(derivatives_of_coordinates_agree_with_differences)
{
    fixture f = make_fixture();
    const trx_quantity quantities[] = {TRX_JOINT_POSITION, TRX_JOINT_VELOCITY, TRX_POSITION, TRX_VELOCITY};
    for (int i = 0; i < 4; i++) {
        check_term(&f, (trx_cost_term){.quantity = quantities[i], .time = TRX_ALL}, 0);
        check_term(&f, (trx_cost_term){.quantity = quantities[i], .time = TRX_END}, 3);
    }
    release(&f);
}
END_TEST

START_TEST(controls_cost_at_running_knots_only)
{
    fixture f = make_fixture();
    double cost, l_u[2], l_uu[4], l_ux[128], l_x[64];
    trx_plan *plan = plan_of(&f, (trx_cost_term){.quantity = TRX_CONTROL});
    ck_assert_int_eq(trx_plan_cost(plan, 2, f.x, f.u, &cost, l_x, l_u, NULL, l_ux, l_uu), TRX_OK);
    double r[2];
    ck_assert_int_eq(trx_plan_residual(plan, 0, 2, f.x, f.u, r), TRX_OK);
    assert_close(cost, 0.01 * (0.5 * r[0] * r[0] + 0.8 * r[1] * r[1]), 1e-15);
    assert_close(l_u[0], 0.01 * r[0], 1e-15);
    assert_close(l_u[1], 0.016 * r[1], 1e-15);
    assert_close(l_uu[0], 0.01, 1e-16);
    assert_close(l_uu[3], 0.016, 1e-16);
    ck_assert(l_uu[1] == 0 && l_uu[2] == 0);
    ck_assert(max_magnitude(l_x, 2 * f.size.nv) == 0 && max_magnitude(l_ux, 4 * f.size.nv) == 0);
    ck_assert_int_eq(trx_plan_cost(plan, 3, f.x, NULL, &cost, NULL, NULL, NULL, NULL, NULL), TRX_OK);
    ck_assert(cost == 0);
    trx_plan_destroy(plan);
    release(&f);
}
END_TEST

START_TEST(a_fixed_frame_costs_without_derivative)
{
    fixture f = make_fixture();
    double cost, l_x[64];
    trx_plan *plan = plan_of(&f, (trx_cost_term){.quantity = TRX_FRAME_POSITION, .index = 2, .time = TRX_END});
    ck_assert_int_eq(trx_plan_cost(plan, 3, f.x, NULL, &cost, l_x, NULL, NULL, NULL, NULL), TRX_OK);
    ck_assert(cost > 0);
    ck_assert(max_magnitude(l_x, 2 * f.size.nv) == 0);
    trx_plan_destroy(plan);
    release(&f);
}
END_TEST

START_TEST(a_pose_is_at_its_own_target)
{
    fixture f = make_fixture();
    trx_pose poses[5];
    trx_model_body_poses(f.model, f.x, poses);
    const double weight[3] = {1, 1, 1};
    trx_stage physical = physical_stage();
    trx_plan_settings settings = trx_plan_settings_default();
    for (int body = 0; body < 4; body++) {
        // quaternion targets need not be unit
        double quat[4];
        for (int i = 0; i < 4; i++) quat[i] = -3 * poses[body].quat[i];
        trx_cost_term terms[2] = {
            {.quantity = TRX_BODY_POSITION, .index = body, .target = poses[body].p, .weight = weight, .time = TRX_END},
            {.quantity = TRX_BODY_ORIENTATION, .index = body, .target = quat, .weight = weight, .time = TRX_END}};
        trx_plan_problem problem = trx_plan_problem_default();
        problem.model = f.model, problem.steps = 1, problem.x0 = f.x0;
        problem.terms = terms, problem.nterm = 2, problem.stages = &physical, problem.nstage = 1;
        trx_plan *plan;
        ck_assert_int_eq(trx_plan_create(f.context, &problem, &settings, &plan), TRX_OK);
        double r[3];
        for (int term = 0; term < 2; term++) {
            ck_assert_int_eq(trx_plan_residual(plan, term, 1, f.x, NULL, r), TRX_OK);
            assert_below(max_magnitude(r, 3), 1e-14);
        }
        trx_plan_destroy(plan);
    }
    release(&f);
}
END_TEST

START_TEST(targets_may_move_with_the_knots)
{
    fixture f = make_fixture();
    const double weight[2] = {1, 1};
    const int joint[1] = {3};
    const double targets[8] = {10, 0, 20, 0, 30, 0, 40, 0};
    trx_stage physical = physical_stage();
    trx_cost_term term = {.quantity = TRX_JOINT_POSITION, .joints = joint, .njoint = 1, .target = targets,
                          .target_stride = 2, .weight = weight, .time = TRX_ALL};
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f.model, problem.steps = 3, problem.x0 = f.x0;
    problem.terms = &term, problem.nterm = 1, problem.stages = &physical, problem.nstage = 1;
    trx_plan_settings settings = trx_plan_settings_default();
    trx_plan *plan;
    ck_assert_int_eq(trx_plan_create(f.context, &problem, &settings, &plan), TRX_OK);
    double first, r;
    ck_assert_int_eq(trx_plan_residual(plan, 0, 0, f.x, f.u, &first), TRX_OK);
    for (int k = 1; k <= 3; k++) {
        ck_assert_int_eq(trx_plan_residual(plan, 0, k, f.x, f.u, &r), TRX_OK);
        assert_close(first - r, 10.0 * k, 1e-13);
    }
    trx_plan_destroy(plan);
    release(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/cost");
    TCase *cases = tcase_create("cost");
    tcase_add_test(cases, derivatives_of_bodies_and_frames_agree_with_differences);
    tcase_add_test(cases, derivatives_of_coordinates_agree_with_differences);
    tcase_add_test(cases, controls_cost_at_running_knots_only);
    tcase_add_test(cases, a_fixed_frame_costs_without_derivative);
    tcase_add_test(cases, a_pose_is_at_its_own_target);
    tcase_add_test(cases, targets_may_move_with_the_knots);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
