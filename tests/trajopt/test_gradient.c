// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The adjoint gradient of a trajectory's cost: against the accumulated products of A and B, and against central differences
// of whole rollouts, on a push that sticks, slides and hits.

#include "trajopt/scenes.h"

#include "math/dense.h"
#include "trajopt/plan.h"

enum { STEPS = 50, NSTATE = 19, NX = 18, NU = 3 };

static void open_rollout(push *p, double *u)
{
    open_push(p, -0.075, 0.005, 0.05, 0, 0);
    p->task.x0[12] = 0.1, p->task.x0[17] = 0.2;
    trx_stage physical = physical_stage();
    p->task.problem.stages = &physical, p->task.problem.nstage = 1;
    p->plan = make_plan(p->context, &p->task.problem, trx_plan_settings_default());
    p->task.problem.stages = NULL;
    for (int k = 0; k < STEPS; k++) {
        u[NU * k] = k < 10 ? 15 : 2 * trxi_random_normal(1, (uint64_t)k);
        u[NU * k + 1] = trxi_random_normal(2, (uint64_t)k);
        u[NU * k + 2] = 0;
    }
}

START_TEST(the_gradient_is_that_of_the_accumulated_jacobians)
{
    push p;
    double u[NU * STEPS], grad_u[NU * STEPS], grad_x0[NX], cost, lambda[NX], next[NX], expected[NU * STEPS];
    open_rollout(&p, u);
    ck_assert_int_eq(trx_plan_gradient(p.plan, u, &cost, grad_u, grad_x0), TRX_OK);

    trxi_trajectory *t = p.plan->work.current;
    trxi_ocp *ocp = &p.plan->work.ocp;
    memcpy(t->u, u, sizeof u);
    ck_assert_int_eq(trxi_rollout_controls(&p.plan->rollout, false, INFINITY, t, NULL), TRX_OK);
    ck_assert(cost == t->cost);
    ck_assert_int_eq(trxi_rollout_linearize(&p.plan->rollout, t, ocp), TRX_OK);
    memcpy(lambda, ocp->stages[STEPS].q, sizeof lambda);
    for (int k = STEPS - 1; k >= 0; k--) {
        const double *B = ocp->stages[k].B, *A = ocp->stages[k].A;
        memcpy(expected + NU * k, ocp->stages[k].r, NU * sizeof *expected);
        memcpy(next, ocp->stages[k].q, sizeof next);
        trxi_gemv_t(NX, NU, 1, B, NX, lambda, 1, expected + NU * k);
        trxi_gemv_t(NX, NX, 1, A, NX, lambda, 1, next);
        memcpy(lambda, next, sizeof lambda);
    }
    ck_assert(max_magnitude(expected, NU * STEPS) > 0);
    assert_below(max_difference(grad_u, expected, NU * STEPS), 1e-10 * max_magnitude(expected, NU * STEPS));
    assert_below(max_difference(grad_x0, lambda, NX), 1e-10 * max_magnitude(lambda, NX));
    close_push(&p);
}
END_TEST

START_TEST(the_gradient_is_that_of_central_differences)
{
    push p;
    double u[NU * STEPS], grad_u[NU * STEPS], scratch[NU * STEPS], moved[NU * STEPS];
    open_rollout(&p, u);
    ck_assert_int_eq(trx_plan_gradient(p.plan, u, NULL, grad_u, NULL), TRX_OK);
    double size = max_magnitude(grad_u, NU * STEPS);
    int judged = 0;
    for (int k = 0; k < STEPS; k += 3)
        for (int i = 0; i < NU; i++) {
            // two increments that agree have crossed no kink
            double slope[2];
            for (int h = 0; h < 2; h++) {
                double eps = h == 0 ? 2e-5 : 1e-5, value[2];
                for (int side = 0; side < 2; side++) {
                    memcpy(moved, u, sizeof moved);
                    moved[NU * k + i] += side == 0 ? eps : -eps;
                    ck_assert_int_eq(trx_plan_gradient(p.plan, moved, &value[side], scratch, NULL), TRX_OK);
                }
                slope[h] = (value[0] - value[1]) / (2 * eps);
            }
            if (fabs(slope[0] - slope[1]) > 1e-5 * size) continue;
            judged++;
            assert_close(grad_u[NU * k + i], slope[1], 2e-5 * size);
        }
    ck_assert_int_ge(judged, 35);
    close_push(&p);
}
END_TEST

// whole plans of changed models
static double cost_with(const push *p, const trx_parameter *parameter, double value, const double *u)
{
    trx_model *changed;
    double cost, scratch[NU * STEPS];
    ck_assert_int_eq(trx_model_change(p->context, p->model, parameter, &value, 1, &changed), TRX_OK);
    trx_plan_problem problem = p->task.problem;
    trx_stage physical = physical_stage();
    problem.model = changed, problem.stages = &physical, problem.nstage = 1;
    trx_plan *plan = make_plan(p->context, &problem, trx_plan_settings_default());
    ck_assert_int_eq(trx_plan_gradient(plan, u, &cost, scratch, NULL), TRX_OK);
    trx_plan_destroy(plan);
    trx_model_destroy(changed);
    return cost;
}

// not the height of the box, which starts on a kink: it just touches the table
START_TEST(the_gradient_by_parameters_is_that_of_plans_of_changed_models_in_every_scheme)
{
    static const trx_parameter list[] = {{TRX_BODY_MASS, 0, 0},     {TRX_PAIR_FRICTION, 0, 0}, {TRX_PAIR_STIFFNESS, 0, 0},
                                         {TRX_PAIR_FRICTION, 1, 0}, {TRX_JOINT_DAMPING, 1, 0}, {TRX_GRAVITY, 0, 2},
                                         {TRX_BODY_COM, 0, 0},      {TRX_BODY_TENSOR, 0, 2},   {TRX_BODY_MASS, 1, 0},
                                         {TRX_GEOM_SIZE, 0, 0},     {TRX_GEOM_RADIUS, 1, 0}};
    enum { COUNT = sizeof list / sizeof *list };
    push p;
    double u[NU * STEPS], grad[COUNT];
    open_rollout(&p, u);
    trx_plan_destroy(p.plan);
    p.task.problem.sim.scheme = (trx_scheme)(_i < 4 ? _i : TRX_MIDPOINT);
    p.task.problem.sim.theta = 0.7, p.task.problem.sim.theta_vq = 0.4;
    p.task.problem.sim.contact_midpoint = _i == 4;
    if (_i == 4) p.task.problem.steps = 12; // contacts without damping bounce until differences see nothing but rounding
    trx_stage physical = physical_stage();
    trx_plan_problem problem = p.task.problem;
    problem.stages = &physical, problem.nstage = 1;
    p.plan = make_plan(p.context, &problem, trx_plan_settings_default());
    ck_assert_int_eq(trx_plan_gradient_parameters(p.plan, u, list, COUNT, NULL, grad), TRX_OK);
    int judged = 0;
    for (int i = 0; i < COUNT; i++) {
        double value, slope[2];
        ck_assert_int_eq(trx_model_parameter_value(p.context, p.model, list[i], &value), TRX_OK);
        for (int h = 0; h < 2; h++) {
            double eps = (h == 0 ? 2e-6 : 1e-6) * fmax(fabs(value), 0.1) * (list[i].kind >= TRX_GEOM_SIZE ? 0.1 : 1);
            slope[h] = (cost_with(&p, &list[i], value + eps, u) - cost_with(&p, &list[i], value - eps, u)) / (2 * eps);
        }
        if (fabs(slope[0] - slope[1]) > 1e-4 * fabs(slope[1])) continue;
        judged += fabs(slope[1]) > 0;
        assert_close(grad[i], slope[1], 3e-4 * fabs(slope[1]));
    }
    ck_assert_int_ge(judged, 9);
    close_push(&p);
}
END_TEST

START_TEST(a_gradient_needs_a_place)
{
    push p;
    double u[NU * STEPS];
    open_rollout(&p, u);
    ck_assert_int_eq(trx_plan_gradient(p.plan, u, NULL, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_gradient(NULL, u, NULL, u, NULL), TRX_ERR_ARGUMENT);
    close_push(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/gradient");
    TCase *cases = tcase_create("gradient");
    tcase_add_test(cases, the_gradient_is_that_of_the_accumulated_jacobians);
    tcase_add_test(cases, the_gradient_is_that_of_central_differences);
    tcase_add_loop_test(cases, the_gradient_by_parameters_is_that_of_plans_of_changed_models_in_every_scheme, 0, 5);
    tcase_add_test(cases, a_gradient_needs_a_place);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
