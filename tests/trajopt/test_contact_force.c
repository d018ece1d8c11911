// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Costs of contact forces: the weight of a resting box, derivatives through the step against differences, the adjoint gradient,
// the same bits for every number of threads, and a plan that presses with a wanted force.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

enum { NX = 18, NU = 3 };
static const int box_geom[1] = {0}, tip_geom[1] = {1}, table_geom[1] = {2};
static const double weight[3] = {1, 2, 0.5};

// the force of the table on the box, or of the pusher on the box
static trx_cost_term force_term(bool table, const double *target)
{
    return (trx_cost_term){.name = table ? "force(ground, box)" : "force(pusher, box)", .quantity = TRX_CONTACT_FORCE,
                           .geoms_a = table ? table_geom : tip_geom, .ngeom_a = 1, .geoms_b = box_geom, .ngeom_b = 1,
                           .weight = weight, .target = target};
}

// a plan of the force terms and controls alone, from a state in which the pusher presses
static trx_plan *force_plan(push *p, int steps, int threads, trx_cost_term *terms)
{
    static const double target[3] = {1, -0.5, 4}, little[3] = {1e-3, 1e-3, 1e-3};
    static trx_stage physical;
    physical = physical_stage();
    terms[0] = force_term(true, target), terms[1] = force_term(false, target);
    terms[2] = (trx_cost_term){.name = "control", .quantity = TRX_CONTROL, .weight = little};
    trx_plan_problem problem = p->task.problem;
    problem.steps = steps, problem.terms = terms, problem.nterm = 3, problem.stages = &physical, problem.nstage = 1;
    problem.sim.time_step = 0.005, problem.sim.stiction_tolerance = 1e-2;
    trx_plan_settings settings = trx_plan_settings_default();
    settings.threads = threads;
    return make_plan(p->context, &problem, settings);
}

// the box 1 mm deep in the table and tilted a little, the pusher 0.5 mm deep in the box
static void touching(double x[19])
{
    const double state[19] = {0.001, 0, 0.0492, 0.99999, 0.002, 0.003, 0.001, -0.0685, 0.004, 0.05,
                              0.01,  -0.02, 0.03, 0.02, 0.01, 0.03, 0.02, -0.015, 0.01};
    memcpy(x, state, sizeof state);
}

START_TEST(a_resting_box_is_carried_with_its_weight)
{
    push p;
    trx_cost_term terms[3];
    open_push(&p, -0.2, 0, 0.1, 0, 0);
    trx_plan *plan = force_plan(&p, 3, 1, terms);
    double x[19], r[3], u[3] = {0};
    memcpy(x, p.task.x0, sizeof x);
    x[2] -= 0.5 * 9.81 / (4 * 1e4); // four corners carry m g
    ck_assert_int_eq(trx_plan_residual(plan, 0, 1, x, u, r), TRX_OK);
    assert_close(r[2] + 4, 0.5 * 9.81, 1e-3);
    assert_close(r[0] + 1, 0, 1e-6);
    ck_assert_int_eq(trx_plan_residual(plan, 1, 1, x, u, r), TRX_OK);
    ck_assert(r[0] == -1 && r[1] == 0.5 && r[2] == -4); // the pusher is far away
    ck_assert_int_eq(trx_plan_residual(plan, 0, 3, x, NULL, r), TRX_ERR_ARGUMENT);
    trx_plan_destroy(plan);
    close_push(&p);
}
END_TEST

static double cost_at(trx_plan *plan, const double *x, const double *u)
{
    double cost;
    ck_assert_int_eq(trx_plan_cost(plan, 1, x, u, &cost, NULL, NULL, NULL, NULL, NULL), TRX_OK);
    return cost;
}

START_TEST(derivatives_agree_with_differences_through_a_step)
{
    push p;
    trx_cost_term terms[3];
    open_push(&p, -0.2, 0, 0.1, 0, 0);
    trx_plan *plan = force_plan(&p, 3, 1, terms);
    double x[19], moved[19], dq[9], u[3] = {3, 1, -2}, l_x[NX], l_u[NU], e = 1e-7;
    touching(x);
    ck_assert_int_eq(trx_plan_cost(plan, 1, x, u, NULL, l_x, l_u, NULL, NULL, NULL), TRX_OK);
    const double size = max_magnitude(l_x, NX);
    for (int j = 0; j < NX; j++) {
        double side[2];
        for (int s = 0; s < 2; s++) {
            memcpy(moved, x, sizeof x);
            memset(dq, 0, sizeof dq);
            if (j < 9) dq[j] = s ? -e : e;
            else moved[1 + j] += s ? -e : e;
            trx_model_integrate(p.model, x, dq, moved);
            side[s] = cost_at(plan, moved, u);
        }
        assert_close(l_x[j], (side[0] - side[1]) / (2 * e), 1e-6 * size);
    }
    for (int j = 0; j < NU; j++) {
        double side[2];
        for (int s = 0; s < 2; s++) {
            const double before = u[j];
            u[j] += s ? -1e-4 : 1e-4;
            side[s] = cost_at(plan, x, u);
            u[j] = before;
        }
        assert_close(l_u[j], (side[0] - side[1]) / 2e-4, 1e-6 * max_magnitude(l_u, NU));
        ck_assert(fabs(l_u[j]) > 1e-6);
    }
    trx_plan_destroy(plan);
    close_push(&p);
}
END_TEST

START_TEST(the_adjoint_gradient_sees_forces)
{
    push p;
    trx_cost_term terms[3];
    open_push(&p, -0.2, 0, 0.1, 0, 0);
    trx_plan *plan = force_plan(&p, 3, 1, terms);
    double x[19], u[9] = {3, 1, -2, 4, 0.5, -1, 2, -0.5, -1}, gradient[9], cost[2], e = 1e-4;
    touching(x);
    ck_assert_int_eq(trx_plan_set_start(plan, x, 0), TRX_OK);
    ck_assert_int_eq(trx_plan_gradient(plan, u, NULL, gradient, NULL), TRX_OK);
    for (int j = 0; j < 9; j++) {
        double unused[9];
        for (int s = 0; s < 2; s++) {
            const double before = u[j];
            u[j] += s ? -e : e;
            ck_assert_int_eq(trx_plan_gradient(plan, u, &cost[s], unused, NULL), TRX_OK);
            u[j] = before;
        }
        assert_close(gradient[j], (cost[0] - cost[1]) / (2 * e), 1e-5 * max_magnitude(gradient, 9));
    }
    const trx_parameter any = {0};
    ck_assert_int_eq(trx_plan_gradient_parameters(plan, u, &any, 0, NULL, NULL), TRX_ERR_UNSUPPORTED);
    trx_plan_destroy(plan);
    close_push(&p);
}
END_TEST

START_TEST(a_plan_presses_with_the_wanted_force)
{
    double u[2][60], cost[2];
    for (int run = 0; run < 2; run++) {
        push p;
        trx_cost_term terms[3];
        open_push(&p, -0.2, 0, 0.1, 0, 0);
        trx_plan *plan = force_plan(&p, 20, 1 + 2 * run, terms);
        double x[19];
        touching(x);
        ck_assert_int_eq(trx_plan_set_start(plan, x, 0), TRX_OK);
        ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);
        memcpy(u[run], trx_plan_controls(plan), sizeof u[run]);
        cost[run] = trx_plan_get_info(plan).cost;

        // the forces of the contacts of a knot add up to the residual of the knot
        const trx_contact *contacts;
        double sum[3] = {0}, r[3];
        const int count = trx_plan_contacts(plan, 10, &contacts);
        for (int i = 0; i < count; i++) {
            const bool pair = contacts[i].geom_a + contacts[i].geom_b == 1; // the tip, 1, and the box, 0
            for (int k = 0; pair && k < 3; k++) sum[k] += (contacts[i].geom_b == 0 ? 1 : -1) * contacts[i].force[k];
        }
        ck_assert_int_eq(trx_plan_residual(plan, 1, 10, trx_plan_states(plan) + 190, u[run] + 30, r), TRX_OK);
        for (int k = 0; k < 3; k++) assert_close(r[k] + terms[1].target[k], sum[k], 1e-6);
        ck_assert(fabs(sum[0]) > 0.3);
        trx_plan_destroy(plan);
        close_push(&p);
    }
    ck_assert(cost[0] == cost[1] && memcmp(u[0], u[1], sizeof u[0]) == 0);
}
END_TEST

START_TEST(a_limit_bounds_the_force_of_a_push)
{
    const double most[3] = {2, INFINITY, INFINITY};
    double largest[2];
    for (int limited = 0; limited < 2; limited++) {
        push p;
        open_push(&p, -0.1, 0, 0.15, 0, 0);
        trx_limit limit = trx_limit_default();
        limit.term = force_term(false, NULL), limit.upper = most;
        p.task.problem.limits = &limit, p.task.problem.nlimit = limited;
        ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), 0);
        largest[limited] = 0;
        for (int k = 0; k < 50; k++) {
            const trx_contact *contacts;
            double along = 0;
            const int count = trx_plan_contacts(p.plan, k, &contacts);
            for (int i = 0; i < count; i++)
                if (contacts[i].geom_a + contacts[i].geom_b == 1)
                    along += (contacts[i].geom_b == 0 ? 1 : -1) * contacts[i].force[0];
            largest[limited] = fmax(largest[limited], along);
        }
        ck_assert(trx_plan_get_info(p.plan).physical.goals[0].met);
        close_push(&p);
    }
    ck_assert(largest[0] > 2.5); // a push without the limit is harder
    assert_below(largest[1], 2 + 1e-4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/contact_force");
    TCase *cases = tcase_create("contact_force");
    tcase_add_test(cases, a_resting_box_is_carried_with_its_weight);
    tcase_add_test(cases, derivatives_agree_with_differences_through_a_step);
    tcase_add_test(cases, the_adjoint_gradient_sees_forces);
    tcase_add_test(cases, a_plan_presses_with_the_wanted_force);
    tcase_add_test(cases, a_limit_bounds_the_force_of_a_push);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
