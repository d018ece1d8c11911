// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Terms of sets: distances and centres of mass against closed forms and sums over bodies, gradients and Gauss-Newton
// Hessians against differences of the residual, and refusals of sets that measure nothing.

#include "trajopt/scenes.h"

#include "math/rotation.h"
#include "trajopt/plan.h"

enum { BOX, BALL, UPPER, LOWER, GROUND, BODIES };

static trx_geometry_def shape_of(trx_shape_type type, double radius, double length, double mass)
{
    trx_geometry_def geometry = trx_geometry_def_default();
    geometry.shape.type = type;
    geometry.shape.radius = radius, geometry.shape.length = length;
    geometry.mass = mass;
    return geometry;
}

// a free box, a free ball, an arm of two links with three geometries on a slide, a slope with mass
static trx_model *crowd_model(trx_context *context)
{
    trx_material_def material = trx_material_def_default();
    material.name = "m";
    trx_joint_def box = joint_of("box", TRX_JOINT_FREE, 0, 0, 1), ball = joint_of("ball", TRX_JOINT_FREE, 0, 0, 1);
    trx_joint_def base[2] = {joint_of("j1", TRX_JOINT_SLIDE, 1, 0.5, 0), joint_of("j2", TRX_JOINT_HINGE, 0, 1, 0.3)};
    trx_joint_def elbow = joint_of("j3", TRX_JOINT_HINGE, 1, 0.2, 0);
    trx_geometry_def cube = shape_of(TRX_SHAPE_BOX, 0, 0, 0.7), sphere = shape_of(TRX_SHAPE_SPHERE, 0.08, 0, 0.4);
    trx_geometry_def rod = shape_of(TRX_SHAPE_CAPSULE, 0.05, 0.3, 1.1), slope = shape_of(TRX_SHAPE_HALFSPACE, 0, 0, NAN);
    trx_geometry_def tips[2] = {shape_of(TRX_SHAPE_SPHERE, 0.06, 0, 0.5), shape_of(TRX_SHAPE_CAPSULE, 0.03, 0.2, 0.2)};
    cube.shape.size[0] = 0.2, cube.shape.size[1] = 0.3, cube.shape.size[2] = 0.4;
    cube.pose = (trx_pose){{0.05, 0, -0.1}, {0.8, 0, 0.6, 0}};
    sphere.pose.p[1] = 0.1;
    tips[0].pose.p[2] = -0.5, tips[1].pose = (trx_pose){{0.1, 0, -0.2}, {0.6, 0.8, 0, 0}};

    trx_body_def bodies[BODIES];
    const char *names[BODIES] = {"box", "ball", "upper", "lower", "ground"};
    for (int i = 0; i < BODIES; i++) bodies[i] = trx_body_def_default(), bodies[i].name = names[i];
    bodies[BOX].joints = &box, bodies[BOX].njoint = 1, bodies[BOX].geometry = &cube, bodies[BOX].ngeometry = 1;
    bodies[BALL].joints = &ball, bodies[BALL].njoint = 1, bodies[BALL].geometry = &sphere, bodies[BALL].ngeometry = 1;
    bodies[UPPER].joints = base, bodies[UPPER].njoint = 2, bodies[UPPER].geometry = &rod, bodies[UPPER].ngeometry = 1;
    bodies[LOWER].joints = &elbow, bodies[LOWER].njoint = 1, bodies[LOWER].geometry = tips, bodies[LOWER].ngeometry = 2;
    bodies[LOWER].parent = UPPER, bodies[LOWER].pose.p[2] = -0.4;
    bodies[GROUND].geometry = &slope, bodies[GROUND].ngeometry = 1;
    bodies[GROUND].pose = (trx_pose){{0, 0, -2}, {0.8, 0.6, 0, 0}};
    bodies[GROUND].has_inertia = true;
    bodies[GROUND].inertia = (trx_body_inertia){3, {0.3, -0.2, 0.5}, {0}};
    trx_actuator_def motor = trx_actuator_def_default();
    motor.body = UPPER, motor.joint = 0;
    trx_model_def def = trx_model_def_default();
    def.materials = &material, def.nmaterial = 1, def.bodies = bodies, def.nbody = BODIES;
    def.actuators = &motor, def.nactuator = 1;
    return build_model(context, &def);
}

static mixed_scene open_crowd(uint64_t seed)
{
    mixed_scene f = {.context = make_context(), .u = {0.7, -1.3}};
    f.model = crowd_model(f.context);
    f.size = trx_model_get_size(f.model);
    random_state(f.model, f.size, 1, f.x0);
    random_state(f.model, f.size, seed, f.x);
    return f;
}

static trx_cost_term distance_term(const int *a, int na, const int *b, int nb)
{
    return (trx_cost_term){
        .quantity = TRX_DISTANCE, .geoms_a = a, .ngeom_a = na, .geoms_b = b, .ngeom_b = nb, .time = TRX_ALL};
}

// R (dim x 2nv) by extrapolated central differences of the residual
static void difference(const mixed_scene *f, trx_plan *plan, int dim, double *R)
{
    for (int j = 0; j < 2 * f->size.nv; j++) {
        double slopes[2][3], x[64], r[2][3], dq[32];
        for (int level = 0; level < 2; level++) {
            double h = level == 0 ? 2e-4 : 1e-4;
            for (int side = 0; side < 2; side++) {
                memset(dq, 0, sizeof dq);
                memcpy(x, f->x, sizeof x);
                if (j < f->size.nv) dq[j] = side ? -h : h, trx_model_integrate(f->model, f->x, dq, x);
                else x[f->size.nq + j - f->size.nv] += side ? -h : h;
                ck_assert_int_eq(trx_plan_residual(plan, 0, 1, x, f->u, r[side]), TRX_OK);
            }
            for (int i = 0; i < dim; i++) slopes[level][i] = (r[0][i] - r[1][i]) / (2 * h);
        }
        for (int i = 0; i < dim; i++) R[i + dim * j] = (4 * slopes[1][i] - slopes[0][i]) / 3;
    }
}

// l_x = 2 s R^T W r and l_xx = 2 s R^T W R, W as in plan_of_term
static void check_expansion(mixed_scene *f, trx_cost_term term)
{
    static double l_x[64], l_xx[64 * 64], R[3 * 64];
    int nx = 2 * f->size.nv, dim = trx_cost_term_dimension(f->model, &term);
    trx_plan *plan = plan_of_term(f, term);
    double cost, r[3];
    ck_assert_int_eq(trx_plan_cost(plan, 1, f->x, f->u, &cost, l_x, NULL, l_xx, NULL, NULL), TRX_OK);
    ck_assert_int_eq(trx_plan_residual(plan, 0, 1, f->x, f->u, r), TRX_OK);
    difference(f, plan, dim, R);
    double size = max_magnitude(R, dim * nx);
    ck_assert_msg(size > 0.01, "the residual does not move: %g", size);
    for (int j = 0; j < nx; j++) {
        double sum = 0;
        for (int k = 0; k < dim; k++) sum += 0.02 * (0.5 + 0.3 * k) * R[k + dim * j] * r[k];
        assert_close(l_x[j], sum, 1e-8 * size * max_magnitude(r, dim));
        for (int i = 0; i < nx; i++) {
            double product = 0;
            for (int k = 0; k < dim; k++) product += 0.02 * (0.5 + 0.3 * k) * R[k + dim * i] * R[k + dim * j];
            assert_close(l_xx[i + nx * j], product, 1e-8 * size * size);
        }
    }
    trx_plan_destroy(plan);
}

static int geom(const mixed_scene *f, const char *name)
{
    int index = trx_model_find_geom(f->model, name);
    ck_assert_int_ge(index, 0);
    return index;
}

START_TEST(derivatives_of_distances_agree_with_differences)
{
    for (uint64_t seed = 2; seed < 8; seed++) {
        mixed_scene f = open_crowd(seed);
        const int box[1] = {geom(&f, "box#1")}, ball[1] = {geom(&f, "ball#1")}, ground[1] = {geom(&f, "ground#1")};
        const int upper[1] = {geom(&f, "upper#1")}, lower[2] = {geom(&f, "lower#1"), geom(&f, "lower#2")};
        const int arm[3] = {upper[0], lower[0], lower[1]}, rest[2] = {ball[0], ground[0]};
        check_expansion(&f, distance_term(ball, 1, box, 1));
        check_expansion(&f, distance_term(box, 1, ground, 1));
        check_expansion(&f, distance_term(upper, 1, ball, 1));
        check_expansion(&f, distance_term(upper, 1, box, 1));
        check_expansion(&f, distance_term(arm, 3, rest, 2));
        check_expansion(&f, distance_term(lower, 1, upper, 1));
        close_mixed(&f);
    }
}
END_TEST

START_TEST(dofs_above_both_sides_do_not_change_their_distance)
{
    mixed_scene f = open_crowd(3);
    const int upper[1] = {geom(&f, "upper#1")}, lower[1] = {geom(&f, "lower#1")};
    trx_plan *plan = plan_of_term(&f, distance_term(upper, 1, lower, 1));
    trxi_term_work *work = &plan->cost.work;
    double r[3];
    trxi_term_prepare(f.model, f.x, work);
    trxi_term_residual(f.model, &plan->cost.terms[0], work, plan->cost.terms[0].target, f.x, f.u, r);
    trxi_term_spatial_jacobian(f.model, &plan->cost.terms[0], work, r);
    ck_assert_int_eq(work->ndof, 1);
    ck_assert_int_eq(work->dofs[0], trx_model_joint(f.model, trx_model_find_joint(f.model, "j3")).v_index);
    trx_plan_destroy(plan);
    close_mixed(&f);
}
END_TEST

START_TEST(a_distance_is_the_least_of_its_pairs)
{
    for (uint64_t seed = 2; seed < 6; seed++) {
        mixed_scene f = open_crowd(seed);
        const int arm[3] = {geom(&f, "upper#1"), geom(&f, "lower#1"), geom(&f, "lower#2")};
        const int rest[2] = {geom(&f, "ball#1"), geom(&f, "ground#1")};
        double least = INFINITY, both, one;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 2; j++) {
                trx_plan *plan = plan_of_term(&f, distance_term(&arm[i], 1, &rest[j], 1));
                ck_assert_int_eq(trx_plan_residual(plan, 0, 1, f.x, f.u, &one), TRX_OK);
                least = fmin(least, one);
                trx_plan_destroy(plan);
            }
        trx_plan *plan = plan_of_term(&f, distance_term(rest, 2, arm, 3));
        ck_assert_int_eq(trx_plan_residual(plan, 0, 1, f.x, f.u, &both), TRX_OK);
        assert_close(both, least, 1e-15);

        // the ball over the slope: height of its centre less its radius
        trx_plan *fall = plan_of_term(&f, distance_term(rest, 1, rest + 1, 1));
        trx_pose poses[BODIES];
        double R[9], centre[3], offset[3] = {0, 0.1, 0}, from[3] = {0, 0, -2};
        trx_model_body_poses(f.model, f.x, poses);
        trxi_quat_to_matrix(poses[BALL].quat, R);
        trxi_mulv3(R, offset, centre);
        trxi_add3(centre, poses[BALL].p, centre);
        trxi_quat_to_matrix(poses[GROUND].quat, R);
        trxi_sub3(centre, from, centre);
        ck_assert_int_eq(trx_plan_residual(fall, 0, 1, f.x, f.u, &one), TRX_OK);
        assert_close(one + fall->cost.terms[0].target[0], trxi_dot3(R + 6, centre) - 0.08, 1e-14);
        trx_plan_destroy(fall);
        trx_plan_destroy(plan);
        close_mixed(&f);
    }
}
END_TEST

START_TEST(derivatives_of_centres_of_mass_agree_with_differences)
{
    static const int some[3] = {LOWER, BOX, GROUND}, arm[2] = {UPPER, LOWER};
    for (int rate = 0; rate < 2; rate++) {
        mixed_scene f = open_crowd(4);
        trx_cost_term term = {.quantity = rate ? TRX_COM_VELOCITY : TRX_COM_POSITION, .time = TRX_ALL};
        check_expansion(&f, term);
        term.bodies = some, term.nbody = 3;
        check_expansion(&f, term);
        term.bodies = arm, term.nbody = 2;
        check_expansion(&f, term);
        close_mixed(&f);

        // a ball joint under a free body, links without mass
        f = open_mixed();
        check_expansion(&f, (trx_cost_term){.quantity = term.quantity, .time = TRX_ALL});
        close_mixed(&f);
    }
}
END_TEST

// weighted mean of the bodies' own centres, with masses and centres as defined
static void mean_of(const mixed_scene *f, const double *x, const int *bodies, int count, double out[3])
{
    trx_pose poses[BODIES];
    double mass = 0, R[9], at[3];
    trx_model_body_poses(f->model, x, poses);
    trxi_zero3(out);
    for (int i = 0; i < count; i++) {
        const trx_body_inertia *inertia = &f->model->inertias[bodies[i]];
        trxi_quat_to_matrix(poses[bodies[i]].quat, R);
        trxi_mulv3(R, inertia->com, at);
        trxi_add3(at, poses[bodies[i]].p, at);
        trxi_axpy3(inertia->mass, at, out);
        mass += inertia->mass;
    }
    trxi_scale3(1 / mass, out, out);
}

START_TEST(a_centre_of_mass_is_the_mean_of_its_bodies)
{
    mixed_scene f = open_crowd(5);
    static const int moving[4] = {BOX, BALL, UPPER, LOWER}, some[2] = {GROUND, LOWER};
    const double zero[3] = {0}, h = 1e-5;
    for (int k = 0; k < 2; k++) {
        trx_cost_term term = {.quantity = TRX_COM_POSITION, .bodies = k ? some : NULL, .nbody = k ? 2 : 0};
        trx_plan *plan = plan_of_term(&f, term);
        trxi_term position = plan->cost.terms[0], velocity = position;
        velocity.quantity = TRX_COM_VELOCITY;
        double r[3], mean[3], dq[32], ahead[64], behind[64], before[3], after[3];
        trxi_term_prepare(f.model, f.x, &plan->cost.work);
        trxi_term_residual(f.model, &position, &plan->cost.work, zero, f.x, f.u, r);
        mean_of(&f, f.x, k ? some : moving, k ? 2 : 4, mean);
        for (int i = 0; i < 3; i++) assert_close(r[i], mean[i], 1e-14);

        // the velocity is the rate of the position
        trxi_term_residual(f.model, &velocity, &plan->cost.work, zero, f.x, f.u, r);
        for (int i = 0; i < f.size.nv; i++) dq[i] = h * f.x[f.size.nq + i];
        trx_model_integrate(f.model, f.x, dq, ahead);
        for (int i = 0; i < f.size.nv; i++) dq[i] = -dq[i];
        trx_model_integrate(f.model, f.x, dq, behind);
        mean_of(&f, behind, k ? some : moving, k ? 2 : 4, before);
        mean_of(&f, ahead, k ? some : moving, k ? 2 : 4, after);
        for (int i = 0; i < 3; i++) assert_close(r[i], (after[i] - before[i]) / (2 * h), 1e-8);
        ck_assert(max_magnitude(r, 3) > 0.05);
        trx_plan_destroy(plan);
    }
    close_mixed(&f);
}
END_TEST

static void assert_refused(const mixed_scene *f, trx_cost_term term, const char *words)
{
    const double weight[3] = {1, 1, 1};
    trx_stage physical = physical_stage();
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    term.weight = weight;
    problem.model = f->model, problem.steps = 1, problem.x0 = f->x0;
    problem.terms = &term, problem.nterm = 1, problem.stages = &physical, problem.nstage = 1;
    trx_plan *plan;
    ck_assert_int_eq(trx_plan_create(f->context, &problem, &settings, &plan), TRX_ERR_ARGUMENT);
    ck_assert_msg(strstr(trx_context_message(f->context), words), "%s", trx_context_message(f->context));
}

START_TEST(sets_that_measure_nothing_are_refused)
{
    mixed_scene f = open_crowd(2);
    const int lower[2] = {geom(&f, "lower#1"), geom(&f, "lower#2")}, none[1] = {99}, ground[1] = {GROUND}, no_body[1] = {-1};
    trx_cost_term com = {.quantity = TRX_COM_POSITION, .bodies = no_body, .nbody = 1};
    assert_refused(&f, distance_term(lower, 1, lower, 0), "at least one geometry each");
    assert_refused(&f, distance_term(lower, 1, NULL, 1), "at least one geometry each");
    assert_refused(&f, distance_term(lower, 1, none, 1), "no such geometry");
    assert_refused(&f, distance_term(lower, 1, lower + 1, 1), "can move against each other");
    assert_refused(&f, com, "no such body");
    com.bodies = ground, com.nbody = 0;
    assert_refused(&f, com, "at least one body");
    assert_refused(&f, (trx_cost_term){.quantity = TRX_CONTROL_RATE + 1}, "unknown quantity");
    close_mixed(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/cost_sets");
    TCase *cases = tcase_create("cost_sets");
    tcase_add_test(cases, derivatives_of_distances_agree_with_differences);
    tcase_add_test(cases, dofs_above_both_sides_do_not_change_their_distance);
    tcase_add_test(cases, a_distance_is_the_least_of_its_pairs);
    tcase_add_test(cases, derivatives_of_centres_of_mass_agree_with_differences);
    tcase_add_test(cases, a_centre_of_mass_is_the_mean_of_its_bodies);
    tcase_add_test(cases, sets_that_measure_nothing_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
