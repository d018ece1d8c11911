// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the time schemes (theory 6): by every parameter against differences, on free bodies and arms in contact and
// on a floating robot with constraints between its parts; products; and the size of the part that follows from the change of A with
// q_th. A and B are judged in test_accuracy.c.

#include "base/random.h"
#include "math/dense.h"
#include "step/parameter_fd.h"
#include "step/robot.h"
#include "step/scenes.h"
#include "step/schemes.h"
#include "step/sim.h"
#include "step/step_deriv.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NX = 64, MAX_NU = 6, MAX_X = 64, APPROXIMATIONS = TRX_SAP + 1, MAX_PARAMETERS = 160 };

START_TEST(products_agree_with_the_matrices_and_with_each_other)
{
    const trx_actuator_def actuators[2] = {robot_actuator("m", ROBOT_LEFT, 0, 0, 0), robot_actuator("p", ROBOT_LEFT_TIP, 40, 2, 0)};
    trx_constraint_def c = robot_constraint("a", TRX_CONSTRAINT_BALL, ROBOT_LEFT_TIP, ROBOT_RIGHT_TIP, INFINITY);
    robot r = robot_create(&c, 1, actuators, 2, 0.3, 0.05);
    for (int i = 0; i < 5 * SCHEMES; i++) {
        static double A[MAX_NX * MAX_NX], B[MAX_NX * MAX_NU];
        double x[MAX_X], u[MAX_NU], t_x[MAX_NX], t_u[MAX_NU], seed[MAX_NX], forward[MAX_NX], grad_x[MAX_NX], grad_u[MAX_NU];
        use_scheme(r.sim, &schemes[i % SCHEMES]);
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

// parameters that act in stage 1, through A, in rows and through the geometry, on arms and free bodies in contact. A acts on
// regularized and sap contacts through w
START_TEST(parameters_have_exact_derivatives_in_every_scheme)
{
    static const trx_shape_type shapes[][2] = {{TRX_SHAPE_HALFSPACE, TRX_SHAPE_BOX}, {TRX_SHAPE_BOX, TRX_SHAPE_SPHERE},
                                               {TRX_SHAPE_CAPSULE, TRX_SHAPE_ELLIPSOID}, {TRX_SHAPE_HALFSPACE, TRX_SHAPE_CYLINDER}};
    static const trx_parameter_kind there[] = {
        TRX_PAIR_STIFFNESS, TRX_PAIR_DISSIPATION, TRX_PAIR_RELAXATION_TIME, TRX_PAIR_FRICTION, TRX_STICTION_TOLERANCE,
        TRX_JOINT_DAMPING, TRX_JOINT_STIFFNESS, TRX_JOINT_ARMATURE, TRX_JOINT_REST, TRX_ACTUATOR_GEAR, TRX_ACTUATOR_GAIN,
        TRX_ACTUATOR_BIAS, TRX_GRAVITY, TRX_BODY_MASS, TRX_BODY_COM, TRX_BODY_TENSOR, TRX_GEOM_SIZE, TRX_GEOM_RADIUS,
        TRX_GEOM_LENGTH, TRX_GEOM_ROUNDING, TRX_PLACE_POSITION, TRX_PLACE_TURN};
    const scheme_variant *v = &schemes[_i];
    parameter_tally t[TRX_PLACE_TURN + 1] = {0}, all = {0};
    for (int a = 0; a < APPROXIMATIONS; a++)
        // each kind of scene in both modes, each pair of shapes in one mode; under sanitizers only free bodies
        for (int k = 0; k < 12; k += SANITIZED ? 3 : 1) {
            scene s = scene_pair((scene_kind)(k % SCENE_KINDS), shapes[k % 4][0], shapes[k % 4][1]);
            double x[MAX_X], u[MAX_NU];
            scene_law(&s, (trx_approximation)a, k % 2 ? SCENE_SLIP : SCENE_STICK, 31, k);
            use_scheme(s.sim, v);
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
        ck_assert_msg(SANITIZED || t[there[i]].nonzero >= 4, "%s, kind %d: %d of %d judged are not zero", v->name, (int)there[i],
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
    trx_constraint_def c[4];
    robot_constraints(c);
    const trx_actuator_def motor = robot_actuator("m", ROBOT_LEFT, 0, 0, 0);
    parameter_tally t = {0};
    for (int which = 0; which < 4; which++) {
        robot r = robot_create(&c[which], 1, &motor, 1, 0.3, 0.05);
        for (int i = 0; i < SCHEMES; i++) {
            double x[MAX_X], u[MAX_NU];
            use_scheme(r.sim, &schemes[i]);
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
    for (int i = 0; i < 4 * SCHEMES; i++) {
        scene_law(&s, TRX_LAGGED_REGULARIZED, SCENE_SLIP, 37, i);
        use_scheme(s.sim, &schemes[i % SCHEMES]);
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
    trx_constraint_def c = robot_constraint("a", TRX_CONSTRAINT_BALL, ROBOT_LEFT_TIP, -1, INFINITY);
    robot r = robot_create(&c, 1, NULL, 0, 0, 0.05);
    double x[MAX_X], u[MAX_NU];
    use_scheme(r.sim, &schemes[FIRST_TWO_STAGE + 1]);
    robot_state(&r, 0.3, 23, 1, x, u);
    ck_assert_int_ge(trx_step(r.sim, x, NULL, NULL), 0);
    ck_assert_int_eq(trxi_step_linearize(r.sim), TRX_OK);
    double of_R = max_magnitude(r.sim->deriv.R, r.nv * r.nv), of_rq = max_magnitude(r.sim->deriv.rq, r.nv * r.nv);
    ck_assert(of_R > 1e-3 * of_rq);
    robot_destroy(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/two_stage_deriv");
    TCase *cases = tcase_create("two_stage_deriv");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, products_agree_with_the_matrices_and_with_each_other);
    tcase_add_loop_test(cases, parameters_have_exact_derivatives_in_every_scheme, 0, SCHEMES);
    tcase_add_test(cases, inertias_of_what_constraints_hold_have_exact_derivatives_in_every_scheme);
    tcase_add_test(cases, inertias_in_the_log_cholesky_chart_have_exact_derivatives_in_every_scheme);
    tcase_add_test(cases, the_mass_matrix_of_the_middle_moves_with_the_state);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
