// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the two-stage schemes against the finite-difference twin (theory 6): every scheme with every approximation on
// free bodies, arms with springs, dampers, motors and limits, and within one tree, in all modes of contact; constraints,
// drives and dry friction on a floating robot; products; and what the derivative would miss without its parts.

#include "base/random.h"
#include "math/dense.h"
#include "step/parameter_fd.h"
#include "step/robot.h"
#include "step/scenes.h"
#include "step/sim.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NX = 64, MAX_NU = 6, MAX_X = 64, APPROXIMATIONS = TRX_SAP + 1, DRAWS = 18, MAX_PARAMETERS = 160 };

typedef struct variant {
    const char *name;
    trx_scheme scheme;
    double theta, theta_vq;
    bool contact_midpoint;
} variant;

static const variant variants[] = {{"implicit", TRX_IMPLICIT, 0, 0, false},
                                   {"midpoint", TRX_MIDPOINT, 0, 0, false},
                                   {"theta", TRX_THETA, 0.7, 0.4, false},
                                   {"theta, springs explicit", TRX_THETA, 0.3, 0, false},
                                   {"midpoint, contacts too", TRX_MIDPOINT, 0, 0, true},
                                   {"theta, contacts too", TRX_THETA, 0.6, 0.3, true}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void use(trx_sim *sim, const variant *v)
{
    trx_sim_settings settings = trx_sim_get_settings(sim);
    settings.scheme = v->scheme;
    settings.theta = v->theta, settings.theta_vq = v->theta_vq;
    settings.contact_midpoint = v->contact_midpoint;
    ck_assert_int_eq(trx_sim_set_settings(sim, &settings), TRX_OK);
}

typedef struct tally {
    int accepted, rejected, modes[3], limits;
    double worst;
} tally;

static double column_error(int rows, int columns, const double *A, const double *F)
{
    double largest = max_magnitude(F, rows * columns), worst = 0;
    for (int j = 0; j < columns; j++) {
        const double *a = A + j * rows, *f = F + j * rows;
        double error = max_difference(a, f, rows) / fmax(max_magnitude(f, rows), 1e-3 * largest);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static bool limit_acts(const trx_sim *sim)
{
    for (int i = 0; i < sim->problem.nscalar; i++)
        if (sim->scalars[i].kind == TRXI_LIMIT && sim->scalars[i].gamma > 0) return true;
    return false;
}

static void judge(const scene *s, const double *x, const double *u, tally *t)
{
    static double A[MAX_NX * MAX_NX], B[MAX_NX * MAX_NU], F[MAX_NX * MAX_NX], Fu[MAX_NX * MAX_NU];
    bool straddles;
    trx_status status = trx_step_fd(s->sim, x, u, 1e-6, F, Fu, &straddles);
    ck_assert_msg(status >= 0, "%s", trx_context_message(s->context));
    if (straddles || trx_sim_step_info(s->sim).kink < 3e-5) {
        t->rejected++;
        return;
    }
    ck_assert_msg(trx_step_jac(s->sim, A, B) >= 0, "%s", trx_context_message(s->context));
    t->accepted++;
    double error = column_error(s->nx, s->nx, A, F);
    if (s->nu) error = fmax(error, column_error(s->nx, s->nu, B, Fu));
    if (!(error <= t->worst)) t->worst = error;
    ck_assert(max_magnitude(A, s->nx * s->nx) > 0 && memcmp(A, F, (size_t)(s->nx * s->nx) * sizeof *A) != 0);
    const trx_contact *contacts;
    for (int i = trx_sim_contacts(s->sim, &contacts) - 1; i >= 0; i--) t->modes[contacts[i].mode]++;
    t->limits += limit_acts(s->sim);
}

static void judge_scene(scene *s, const variant *v, trx_approximation approximation, int draws, uint64_t seed, tally *t)
{
    double x[MAX_X], u[MAX_NU];
    for (int i = 0; i < draws; i++) {
        scene_law(s, approximation, (scene_aim)(i % SCENE_AIMS), seed, i);
        use(s->sim, v);
        scene_state(s, (scene_aim)(i % SCENE_AIMS), seed, i, x, u);
        judge(s, x, u, t);
    }
}

START_TEST(every_scheme_has_exact_derivatives_in_contact)
{
    static const trx_shape_type shapes[][2] = {{TRX_SHAPE_HALFSPACE, TRX_SHAPE_BOX},
                                               {TRX_SHAPE_BOX, TRX_SHAPE_SPHERE},
                                               {TRX_SHAPE_CAPSULE, TRX_SHAPE_CAPSULE}};
    tally all = {0};
    for (int p = 0; p < 3; p++)
        for (int k = 0; k < SCENE_KINDS; k++) {
            scene s = scene_pair((scene_kind)k, shapes[p][0], shapes[p][1]);
            for (int v = 0; v < VARIANTS; v++)
                for (int a = 0; a < APPROXIMATIONS; a++) {
                    tally t = {0};
                    judge_scene(&s, &variants[v], (trx_approximation)a, DRAWS, (uint64_t)(1000 * p + 100 * k + a), &t);
                    if (t.worst > 5e-7)
                        printf("%-24s %-20s kind %d pair %d: %d of %d, worst %.1e\n", variants[v].name,
                               trx_approximation_name((trx_approximation)a), k, p, t.accepted, DRAWS, t.worst);
                    all.accepted += t.accepted, all.rejected += t.rejected, all.limits += t.limits;
                    for (int m = 0; m < 3; m++) all.modes[m] += t.modes[m];
                    all.worst = fmax(all.worst, t.worst);
                }
            scene_destroy(&s);
        }
    printf("contact: %d accepted, %d rejected, open %d, stick %d, slip %d, limits %d, worst %.1e\n", all.accepted,
           all.rejected, all.modes[0], all.modes[1], all.modes[2], all.limits, all.worst);
    assert_below(all.worst, 1e-6);
    ck_assert_int_ge(all.accepted, 3 * all.rejected);
    for (int m = 0; m < 3; m++) ck_assert_int_ge(all.modes[m], 200);
    ck_assert_int_ge(all.limits, 100);
}
END_TEST

static trx_constraint_def constraint(const char *name, trx_constraint_type type, int a, int b, double stiffness)
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

static trx_actuator_def actuator(const char *name, int body, double kp, double kd, double effort)
{
    trx_actuator_def a = trx_actuator_def_default();
    a.name = name, a.body = body, a.joint = 0, a.gear = 1.5;
    a.kp = kp, a.kd = kd;
    a.gain = kp > 0 ? kp : 2;
    if (effort > 0) a.effort_lower = -effort, a.effort_upper = effort;
    return a;
}

// every kind of constraint, a motor, a drive within and one at its effort, dry friction
START_TEST(constraints_drives_and_friction_have_exact_derivatives_in_every_scheme)
{
    trx_constraint_def c[4] = {constraint("a", TRX_CONSTRAINT_BALL, ROBOT_LEFT_TIP, ROBOT_RIGHT_TIP, INFINITY),
                               constraint("b", TRX_CONSTRAINT_WELD, ROBOT_OTHER, ROBOT_BASE, INFINITY),
                               constraint("c", TRX_CONSTRAINT_DISTANCE, -1, ROBOT_OTHER, INFINITY),
                               constraint("d", TRX_CONSTRAINT_COUPLER, ROBOT_LEFT, ROBOT_RIGHT_TIP, INFINITY)};
    c[3].polynomial[1] = 1, c[3].polynomial[2] = 0.6;
    c[3].joint_a = c[3].joint_b = 0;
    const trx_actuator_def actuators[3] = {actuator("m", ROBOT_LEFT, 0, 0, 0), actuator("p", ROBOT_LEFT_TIP, 40, 2, 0),
                                           actuator("q", ROBOT_RIGHT_TIP, 100, 1, 0.1)};
    double worst = 0;
    int judged = 0;
    for (int which = -1; which < 4; which++) {
        robot r = robot_create(which < 0 ? NULL : &c[which], which >= 0, actuators, 3, 0.3, 0.05);
        for (int v = 0; v < VARIANTS; v++) {
            use(r.sim, &variants[v]);
            for (int i = 0; i < 6; i++) {
                double x[MAX_X], u[MAX_NU];
                robot_state(&r, 0.3, 17, i, x, u);
                double error = robot_derivative_error(&r, x, u);
                judged += error >= 0;
                if (error > 1e-7) printf("%s, constraint %d, state %d: %.1e\n", variants[v].name, which, i, error);
                worst = fmax(worst, error);
            }
        }
        robot_destroy(&r);
    }
    printf("robot: %d judged, worst %.1e\n", judged, worst);
    ck_assert_int_ge(judged, 120);
    assert_below(worst, 1e-6);
}
END_TEST

START_TEST(products_agree_with_the_matrices_and_with_each_other)
{
    const trx_actuator_def actuators[2] = {actuator("m", ROBOT_LEFT, 0, 0, 0), actuator("p", ROBOT_LEFT_TIP, 40, 2, 0)};
    trx_constraint_def c = constraint("a", TRX_CONSTRAINT_BALL, ROBOT_LEFT_TIP, ROBOT_RIGHT_TIP, INFINITY);
    robot r = robot_create(&c, 1, actuators, 2, 0.3, 0.05);
    for (int i = 0; i < 5 * VARIANTS; i++) {
        static double A[MAX_NX * MAX_NX], B[MAX_NX * MAX_NU];
        double x[MAX_X], u[MAX_NU], t_x[MAX_NX], t_u[MAX_NU], seed[MAX_NX], forward[MAX_NX], grad_x[MAX_NX], grad_u[MAX_NU];
        use(r.sim, &variants[i % VARIANTS]);
        robot_state(&r, 0.3, 19, i, x, u);
        ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
        ck_assert_int_eq(trx_step_jac(r.sim, A, B), TRX_OK);
        for (int j = 0; j < r.nx; j++) t_x[j] = trxi_random_normal((uint64_t)i, (uint64_t)j);
        for (int j = 0; j < r.nx; j++) seed[j] = trxi_random_normal((uint64_t)i, (uint64_t)(100 + j));
        for (int j = 0; j < r.nu; j++) t_u[j] = trxi_random_normal((uint64_t)i, (uint64_t)(200 + j));
        ck_assert_int_eq(trx_step_jvp(r.sim, t_x, t_u, forward), TRX_OK);
        ck_assert_int_eq(trx_step_vjp(r.sim, seed, grad_x, grad_u), TRX_OK);

        double product[MAX_NX], transposed[MAX_NX + MAX_NU], scale = fmax(1, max_magnitude(A, r.nx * r.nx));
        trxi_gemv(r.nx, r.nx, 1, A, r.nx, t_x, 0, product);
        trxi_gemv(r.nx, r.nu, 1, B, r.nx, t_u, 1, product);
        trxi_gemv_t(r.nx, r.nx, 1, A, r.nx, seed, 0, transposed);
        trxi_gemv_t(r.nx, r.nu, 1, B, r.nx, seed, 0, transposed + r.nx);
        assert_below(max_difference(forward, product, r.nx), 1e-11 * scale);
        assert_below(max_difference(grad_x, transposed, r.nx), 1e-11 * scale);
        assert_below(max_difference(grad_u, transposed + r.nx, r.nu), 1e-11 * scale);
        double left = trxi_dot(r.nx, seed, forward), right = trxi_dot(r.nx, grad_x, t_x) + trxi_dot(r.nu, grad_u, t_u);
        assert_close(left, right, 1e-11 * fmax(1, sqrt(trxi_dot(r.nx, seed, seed) * trxi_dot(r.nx, forward, forward))));
    }
    robot_destroy(&r);
}
END_TEST

// every parameter of the scene at one state, by kinds
static void judge_parameters(const scene *s, const double *x, const double *u, parameter_tally t[TRX_PLACE_TURN + 1])
{
    trx_parameter list[MAX_PARAMETERS];
    int count = trx_model_parameters(s->model, list, MAX_PARAMETERS);
    ck_assert_int_le(count, MAX_PARAMETERS);
    for (int kind = 0; kind <= TRX_PAIR_FRICTION; kind++)
        parameter_judge(s->sim, (trx_parameter){(trx_parameter_kind)kind, 0, 0}, x, u, 1e-6, &t[kind]);
    for (int i = 0; i < count; i++)
        if (list[i].kind > TRX_PAIR_FRICTION) parameter_judge(s->sim, list[i], x, u, 1e-6, &t[list[i].kind]);
}

// what acts in stage 1, through A, in rows and by the geometry: on arms and free bodies in contact, where regularized and sap
// contacts see A through w
START_TEST(parameters_have_exact_derivatives_in_every_scheme)
{
    static const trx_shape_type shapes[][2] = {{TRX_SHAPE_HALFSPACE, TRX_SHAPE_BOX}, {TRX_SHAPE_BOX, TRX_SHAPE_SPHERE},
                                               {TRX_SHAPE_CAPSULE, TRX_SHAPE_ELLIPSOID}, {TRX_SHAPE_HALFSPACE, TRX_SHAPE_CYLINDER}};
    static const trx_parameter_kind there[] = {
        TRX_PAIR_STIFFNESS, TRX_PAIR_DISSIPATION, TRX_PAIR_RELAXATION_TIME, TRX_PAIR_FRICTION, TRX_STICTION_TOLERANCE,
        TRX_JOINT_DAMPING, TRX_JOINT_STIFFNESS, TRX_JOINT_ARMATURE, TRX_JOINT_REST, TRX_ACTUATOR_GEAR, TRX_ACTUATOR_GAIN,
        TRX_ACTUATOR_BIAS, TRX_GRAVITY, TRX_BODY_MASS, TRX_BODY_COM, TRX_BODY_TENSOR, TRX_GEOM_SIZE, TRX_GEOM_RADIUS,
        TRX_GEOM_LENGTH, TRX_GEOM_ROUNDING, TRX_PLACE_POSITION, TRX_PLACE_TURN};
    const variant *v = &variants[_i];
    parameter_tally t[TRX_PLACE_TURN + 1] = {0}, all = {0};
    for (int a = 0; a < APPROXIMATIONS; a++)
        for (int k = 0; k < 12; k++) {
            scene s = scene_pair((scene_kind)(k % SCENE_KINDS), shapes[k % 4][0], shapes[k % 4][1]);
            double x[MAX_X], u[MAX_NU];
            scene_law(&s, (trx_approximation)a, k % 2 ? SCENE_SLIP : SCENE_STICK, 31, k);
            use(s.sim, v);
            scene_state(&s, k % 2 ? SCENE_SLIP : SCENE_STICK, 31, k, x, u);
            judge_parameters(&s, x, u, t);
            scene_destroy(&s);
        }
    for (int i = 0; i <= TRX_PLACE_TURN; i++) {
        all.judged += t[i].judged, all.nonzero += t[i].nonzero, all.kinks += t[i].kinks;
        all.worst = fmax(all.worst, t[i].worst);
    }
    printf("%-24s %d parameters judged, %d not zero, %d without reference, worst %.1e\n", v->name, all.judged, all.nonzero,
           all.kinks, all.worst);
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        ck_assert_msg(t[there[i]].nonzero >= 4, "%s, kind %d: %d of %d judged are not zero", v->name, (int)there[i],
                      t[there[i]].nonzero, t[there[i]].judged);
}
END_TEST

// one of the ten numbers of a body's inertia
static trx_parameter inertia_number(int body, int k)
{
    if (k == 0) return (trx_parameter){TRX_BODY_MASS, body, 0};
    return k < 4 ? (trx_parameter){TRX_BODY_COM, body, k - 1} : (trx_parameter){TRX_BODY_TENSOR, body, k - 4};
}

// near-rigid constraints see the inertias of all that they hold, through w
START_TEST(inertias_of_what_constraints_hold_have_exact_derivatives_in_every_scheme)
{
    trx_constraint_def c[4] = {constraint("a", TRX_CONSTRAINT_BALL, ROBOT_LEFT_TIP, ROBOT_RIGHT_TIP, INFINITY),
                               constraint("b", TRX_CONSTRAINT_WELD, ROBOT_OTHER, ROBOT_BASE, INFINITY),
                               constraint("c", TRX_CONSTRAINT_DISTANCE, -1, ROBOT_OTHER, INFINITY),
                               constraint("d", TRX_CONSTRAINT_COUPLER, ROBOT_LEFT, ROBOT_RIGHT_TIP, INFINITY)};
    c[3].polynomial[1] = 1, c[3].polynomial[2] = 0.6;
    c[3].joint_a = c[3].joint_b = 0;
    const trx_actuator_def motor = actuator("m", ROBOT_LEFT, 0, 0, 0);
    parameter_tally t = {0};
    for (int which = 0; which < 4; which++) {
        robot r = robot_create(&c[which], 1, &motor, 1, 0.3, 0.05);
        for (int i = 0; i < VARIANTS; i++) {
            double x[MAX_X], u[MAX_NU];
            use(r.sim, &variants[i]);
            robot_state(&r, 0.3, 29, i, x, u);
            for (int body = 0; body < ROBOT_BODIES; body++)
                for (int k = 0; k < 10; k++) {
                    parameter_judge(r.sim, inertia_number(body, k), x, u, 1e-6, &t);
                }
        }
        robot_destroy(&r);
    }
    printf("held: %d inertias judged, %d not zero, worst %.1e\n", t.judged, t.nonzero, t.worst);
    ck_assert_int_ge(t.nonzero, 1000);
}
END_TEST

// v at the end of a step of a scene whose body has the inertia z
static void step_with(const scene *s, int body, const double z[10], const double *x, const double *u, double *v)
{
    trx_body_inertia inertia;
    double x_next[MAX_X];
    trx_inertia_from_chart(z, &inertia, NULL);
    const double *numbers[] = {&inertia.mass, inertia.com, inertia.tensor};
    for (int k = 0; k < 10; k++) {
        const trx_parameter p = inertia_number(body, k);
        ck_assert_int_eq(trx_sim_set_parameter(s->sim, p, numbers[p.kind - TRX_BODY_MASS][p.component]), TRX_OK);
    }
    ck_assert_msg(trx_step(s->sim, x, u, x_next) >= 0, "%s", trx_context_message(s->context));
    memcpy(v, x_next + s->nq, (size_t)s->nv * sizeof *v);
}

// C of the ten numbers times the chart's Jacobian, against differences along each z
START_TEST(inertias_in_the_log_cholesky_chart_have_exact_derivatives_in_every_scheme)
{
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    double worst = 0, x[MAX_X], u[MAX_NU], z[10], jacobian[100], C[10 * MAX_NX], F[MAX_NX];
    int count = 0, body = trx_model_find_body(s.model, "lower");
    for (int i = 0; i < 4 * (VARIANTS + 1); i++) {
        const variant symplectic = {"symplectic", TRX_SYMPLECTIC, 0, 0, false};
        scene_law(&s, TRX_LAGGED_REGULARIZED, SCENE_SLIP, 37, i);
        use(s.sim, i % (VARIANTS + 1) ? &variants[i % (VARIANTS + 1) - 1] : &symplectic);
        scene_state(&s, SCENE_SLIP, 37, i, x, u);
        trx_body_inertia inertia = s.model->inertias[body];
        ck_assert(trx_inertia_to_chart(&inertia, z));
        trx_inertia_from_chart(z, &inertia, jacobian);
        double unused[MAX_NX];
        step_with(&s, body, z, x, u, unused);
        trx_parameter list[10];
        for (int k = 0; k < 10; k++) list[k] = inertia_number(body, k);
        ck_assert_int_eq(trx_step_jac_parameters(s.sim, list, 10, C), TRX_OK);
        for (int k = 0; k < 10; k++) {
            double column[MAX_NX] = {0}, v[4][MAX_NX], moved[10];
            const double e = 1e-3, amounts[4] = {e, -e, e / 2, -e / 2};
            for (int a = 0; a < 10; a++) trxi_axpy(s.nv, jacobian[a + 10 * k], C + a * s.nx + s.nv, column);
            for (int a = 0; a < 4; a++) {
                memcpy(moved, z, sizeof moved);
                moved[k] += amounts[a];
                step_with(&s, body, moved, x, u, v[a]);
            }
            for (int a = 0; a < s.nv; a++) F[a] = (4 * (v[2][a] - v[3][a]) / e - (v[0][a] - v[1][a]) / (2 * e)) / 3;
            if (max_magnitude(F, s.nv) < 1e-3) continue;
            count++;
            worst = fmax(worst, max_difference(column, F, s.nv) / max_magnitude(F, s.nv));
        }
    }
    printf("chart: %d columns, worst %.1e\n", count, worst);
    ck_assert_int_ge(count, 150);
    assert_below(worst, 1e-6);
    scene_destroy(&s);
}
END_TEST

// the change of A with q_th counts: without it the derivative is visibly another
START_TEST(the_mass_matrix_of_the_middle_moves_with_the_state)
{
    trx_constraint_def c = constraint("a", TRX_CONSTRAINT_BALL, ROBOT_LEFT_TIP, -1, INFINITY);
    robot r = robot_create(&c, 1, NULL, 0, 0, 0.05);
    double x[MAX_X], u[MAX_NU];
    use(r.sim, &variants[1]);
    robot_state(&r, 0.3, 23, 1, x, u);
    ck_assert_int_ge(trx_step(r.sim, x, NULL, NULL), 0);
    ck_assert_int_eq(trxi_step_linearize(r.sim), TRX_OK);
    double of_R = max_magnitude(r.sim->stage.R, r.nv * r.nv), of_rq = max_magnitude(r.sim->rq, r.nv * r.nv);
    ck_assert(of_R > 1e-3 * of_rq);
    robot_destroy(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/two_stage_deriv");
    TCase *cases = tcase_create("two_stage_deriv");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, every_scheme_has_exact_derivatives_in_contact);
    tcase_add_test(cases, constraints_drives_and_friction_have_exact_derivatives_in_every_scheme);
    tcase_add_test(cases, products_agree_with_the_matrices_and_with_each_other);
    tcase_add_loop_test(cases, parameters_have_exact_derivatives_in_every_scheme, 0, VARIANTS);
    tcase_add_test(cases, inertias_of_what_constraints_hold_have_exact_derivatives_in_every_scheme);
    tcase_add_test(cases, inertias_in_the_log_cholesky_chart_have_exact_derivatives_in_every_scheme);
    tcase_add_test(cases, the_mass_matrix_of_the_middle_moves_with_the_state);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
