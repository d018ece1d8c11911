// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A stage changes the laws of its pairs, the stiction tolerance and the contact model of the simulator, and nothing else. The
// physical stage brings the values of the model back (theory 8).

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

#include <stdlib.h>

// a plan of one push whose only stage before the physical one is `stage`
static void open_stage(push *p, trx_stage stage)
{
    open_push(p, -0.12, 0, 0.05, 0, 0);
    p->task.problem.stages = &stage, p->task.problem.nstage = 1;
    p->plan = make_plan(p->context, &p->task.problem, trx_plan_settings_default());
    p->task.problem.stages = NULL;
}

static bool same_law(trx_pair_law a, trx_pair_law b)
{
    return a.approximation == b.approximation && a.force_law == b.force_law && a.stiffness == b.stiffness &&
           a.dissipation == b.dissipation && a.relaxation_time == b.relaxation_time && a.smoothing == b.smoothing &&
           a.friction == b.friction;
}

START_TEST(the_law_replaces_that_of_actuated_pairs)
{
    push p;
    trx_stage stage = trx_stage_default();
    stage.approximation = TRX_SIMILAR, stage.force_law = TRX_SMOOTHED;
    stage.smoothing = 0.02, stage.stiffness = 300, stage.dissipation = 2, stage.friction = 0.9;
    open_stage(&p, stage);
    ck_assert_int_ge(trxi_stage_apply(p.plan, &p.plan->stages[0]), 0);
    int changed = 0, npair = trx_model_get_size(p.model).npair;
    for (int i = 0; i < npair; i++) {
        trx_pair_info pair = trx_model_pair(p.model, i);
        trx_pair_law law = trx_sim_pair_law(p.plan->sim, i), wanted = pair.law;
        if (pair.actuated) {
            wanted.approximation = TRX_SIMILAR, wanted.force_law = TRX_SMOOTHED;
            wanted.smoothing = 0.02, wanted.stiffness = 300, wanted.dissipation = 2, wanted.friction = 0.9;
            changed++;
        }
        ck_assert(same_law(law, wanted));
    }
    ck_assert(changed > 0 && changed < npair);
    close_push(&p);
}
END_TEST

START_TEST(a_value_that_is_not_given_stays)
{
    // one field at a time
    for (int field = 0; field < 7; field++) {
        push p;
        trx_stage stage = trx_stage_default();
        double *values[] = {&stage.stiffness, &stage.dissipation, &stage.relaxation_time, &stage.smoothing,
                            &stage.friction};
        if (field < 5) *values[field] = 0.123;
        if (field == 5) stage.approximation = TRX_SIMILAR_REGULARIZED;
        if (field == 6) stage.force_law = TRX_KELVIN_VOIGT;
        open_stage(&p, stage);
        ck_assert_int_ge(trxi_stage_apply(p.plan, &p.plan->stages[0]), 0);
        for (int i = 0; i < trx_model_get_size(p.model).npair; i++) {
            trx_pair_info pair = trx_model_pair(p.model, i);
            trx_pair_law wanted = pair.law;
            double *fields[] = {&wanted.stiffness, &wanted.dissipation, &wanted.relaxation_time, &wanted.smoothing,
                                &wanted.friction};
            if (pair.actuated && field < 5) *fields[field] = 0.123;
            if (pair.actuated && field == 5) wanted.approximation = TRX_SIMILAR_REGULARIZED;
            if (pair.actuated && field == 6) wanted.force_law = TRX_KELVIN_VOIGT;
            ck_assert(same_law(trx_sim_pair_law(p.plan->sim, i), wanted));
        }
        ck_assert(trx_sim_get_settings(p.plan->sim).stiction_tolerance == p.plan->sim_settings.stiction_tolerance);
        close_push(&p);
    }
}
END_TEST

START_TEST(a_physical_stage_restores_the_model)
{
    push p;
    trx_stage soft = trx_stage_default();
    const bool every[8] = {true, true, true, true, true, true, true, true};
    soft.stiffness = 20, soft.friction = 0, soft.stiction_tolerance = 0.05, soft.pairs = every;
    open_stage(&p, soft);
    ck_assert_int_ge(trxi_stage_apply(p.plan, &p.plan->stages[0]), 0);
    ck_assert(trx_sim_get_settings(p.plan->sim).stiction_tolerance == 0.05);
    for (int i = 0; i < trx_model_get_size(p.model).npair; i++)
        ck_assert(trx_sim_pair_law(p.plan->sim, i).stiffness == 20);

    // its other fields are ignored
    soft.physical = true;
    ck_assert_int_ge(trxi_stage_apply(p.plan, &soft), 0);
    ck_assert(trx_sim_get_settings(p.plan->sim).stiction_tolerance == trx_sim_settings_default().stiction_tolerance);
    for (int i = 0; i < trx_model_get_size(p.model).npair; i++)
        ck_assert(same_law(trx_sim_pair_law(p.plan->sim, i), trx_model_pair(p.model, i).law));
    close_push(&p);
}
END_TEST

static double friction_under(const push *p, int pair, const trx_stage *stage)
{
    const trx_status status = stage ? trxi_stage_apply(p->plan, stage) : trxi_stage_apply_model(p->plan);
    ck_assert_int_ge(status, 0);
    return trx_sim_pair_law(p->plan->sim, pair).friction / trx_model_pair(p->model, pair).law.friction;
}

// stages, the physical one too, keep friction in reserve where an actuated side is; a judgement and the ground have all of it
START_TEST(a_margin_of_friction_belongs_to_the_stages_of_driven_pairs)
{
    push p;
    open_push(&p, -0.12, 0, 0.05, 0, 0);
    trx_plan_settings settings = trx_plan_settings_default();
    settings.friction_margin = 0.25;
    p.plan = make_plan(p.context, &p.task.problem, settings);
    int driven = 0, npair = trx_model_get_size(p.model).npair;
    for (int i = 0; i < npair; i++) {
        const bool actuated = trx_model_pair(p.model, i).actuated;
        for (int s = 0; s < p.plan->nstage; s++)
            assert_close(friction_under(&p, i, &p.plan->stages[s]), actuated ? 0.75 : 1, 1e-12);
        assert_close(friction_under(&p, i, NULL), 1, 1e-15);
        driven += actuated;
    }
    ck_assert(driven > 0 && driven < npair);

    // the cost and its gradient are those of the model
    trx_plan_settings without = trx_plan_settings_default();
    trx_plan *plain = make_plan(p.context, &p.task.problem, without);
    double cost[2];
    double *gradient = calloc((size_t)(p.plan->rollout.steps * p.plan->rollout.nu), sizeof *gradient);
    ck_assert_int_ge(trx_plan_gradient(p.plan, NULL, &cost[0], gradient, NULL), 0);
    ck_assert_int_ge(trx_plan_gradient(plain, NULL, &cost[1], gradient, NULL), 0);
    ck_assert(cost[0] == cost[1]);
    free(gradient);
    trx_plan_destroy(plain);
    close_push(&p);
}
END_TEST

START_TEST(a_law_that_the_simulator_refuses_is_refused)
{
    push p;
    open_stage(&p, trx_stage_default());
    trx_stage stage = p.plan->stages[0];
    stage.approximation = TRX_SAP;
    ck_assert_int_eq(trxi_stage_apply(p.plan, &stage), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(p.context), "sap takes only"));
    stage.force_law = TRX_KELVIN_VOIGT;
    ck_assert_int_eq(trxi_stage_apply(p.plan, &stage), TRX_OK);
    close_push(&p);
}
END_TEST

// torsional and rolling friction go with lagged; a stage that takes another approximation was refused for them
START_TEST(a_stage_that_is_not_lagged_does_without_turning_friction)
{
    for (int a = TRX_LAGGED; a <= TRX_SIMILAR; a += TRX_SIMILAR - TRX_LAGGED) {
        push p;
        trx_stage stage = trx_stage_default();
        stage.approximation = a;
        open_stage(&p, stage);
        for (int k = 0; k < p.model->npair_kind; k++) {
            p.model->pair_kinds[k].law.torsional_friction = 0.01;
            p.model->pair_kinds[k].law.rolling_friction = 0.002;
        }
        ck_assert_int_ge(trxi_stage_apply(p.plan, &p.plan->stages[0]), 0);
        for (int i = 0; i < p.model->npair; i++) {
            trx_pair_law law = trx_sim_pair_law(p.plan->sim, i);
            bool kept = a == TRX_LAGGED || !trxi_model_pair(p.model, i).actuated;
            ck_assert_double_eq(law.torsional_friction, kept ? 0.01 : 0);
            ck_assert_double_eq(law.rolling_friction, kept ? 0.002 : 0);
        }
        close_push(&p);
    }
}
END_TEST

START_TEST(a_stage_changes_only_its_pairs)
{
    // the box rests on the ground, whose pair no actuator moves: a soft law for that pair sinks it
    double cost[2];
    for (int all = 0; all < 2; all++) {
        push p;
        open_push(&p, -0.12, 0, 0, 0, 0);
        const bool every[8] = {true, true, true, true, true, true, true, true};
        trx_stage soft = trx_stage_default();
        soft.stiffness = 100, soft.pairs = all ? every : NULL;
        p.task.problem.stages = &soft, p.task.problem.nstage = 1;
        trx_plan_settings settings = trx_plan_settings_default();
        ck_assert_int_ge(solve_push(&p, settings), TRX_OK);
        trx_plan_info info = trx_plan_get_info(p.plan);
        cost[all] = info.stages[0].cost;
        assert_below(info.physical.penetration, 2e-4);
        close_push(&p);
    }
    ck_assert(cost[1] > 100 * cost[0]);
}
END_TEST

START_TEST(between_two_stages_laws_are_mixed)
{
    // stiffness, smoothing and stiction tolerance by their logarithms, friction and dissipation linearly
    push p;
    trx_stage soft = trx_stage_default();
    soft.force_law = TRX_SMOOTHED, soft.smoothing = 0.01, soft.stiffness = 100, soft.stiction_tolerance = 1e-2;
    soft.dissipation = 3, soft.friction = 0.9;
    open_stage(&p, soft);
    trx_stage stiff = p.plan->stages[0];
    stiff.smoothing = 0.0001, stiff.stiffness = 900, stiff.stiction_tolerance = 1e-4;
    stiff.dissipation = 5, stiff.friction = 0.5;
    const trx_stage *a = &p.plan->stages[0], *physical = &p.plan->stages[1];

    ck_assert_int_ge(trxi_stage_apply_between(p.plan, a, &stiff, 0.5), 0);
    int pair = 0;
    while (!trx_model_pair(p.model, pair).actuated) pair++;
    trx_pair_law law = trx_sim_pair_law(p.plan->sim, pair);
    ck_assert_int_eq(law.force_law, TRX_SMOOTHED);
    assert_close(law.stiffness, 300, 1e-9);
    assert_close(law.smoothing, 0.001, 1e-12);
    assert_close(law.dissipation, 4, 1e-12);
    assert_close(law.friction, 0.7, 1e-12);
    assert_close(trx_sim_get_settings(p.plan->sim).stiction_tolerance, 1e-3, 1e-12);

    // towards a law without smoothing the smoothing shrinks to 0; parts before the end keep the smoothed law
    double k = trx_model_pair(p.model, pair).law.stiffness;
    ck_assert_int_ge(trxi_stage_apply_between(p.plan, a, physical, 0.75), 0);
    law = trx_sim_pair_law(p.plan->sim, pair);
    ck_assert_int_eq(law.force_law, TRX_SMOOTHED);
    assert_close(law.smoothing, 0.0025, 1e-12);
    assert_close(law.stiffness, pow(100, 0.25) * pow(k, 0.75), 1e-9 * k);
    ck_assert_int_ge(trxi_stage_apply_between(p.plan, a, physical, 1), 0);
    ck_assert(same_law(trx_sim_pair_law(p.plan->sim, pair), trx_model_pair(p.model, pair).law));

    // if the stiffnesses of two laws have different units, parts before the end keep the stiffness of the first law
    trx_stage other = p.plan->stages[0];
    other.force_law = TRX_HUNT_CROSSLEY, other.smoothing = NAN, other.stiffness = 400;
    ck_assert_int_ge(trxi_stage_apply_between(p.plan, &other, a, 0.5), 0);
    law = trx_sim_pair_law(p.plan->sim, pair);
    ck_assert_int_eq(law.force_law, TRX_HUNT_CROSSLEY);
    assert_close(law.stiffness, 400, 1e-12);
    close_push(&p);
}
END_TEST

static trx_stage kappa_stage(double kappa)
{
    trx_stage stage = trx_stage_default();
    stage.contact_model = TRX_CONTACT_DOJO, stage.kappa = kappa;
    return stage;
}

START_TEST(a_stage_may_have_another_contact_model)
{
    push p;
    open_stage(&p, kappa_stage(1e-2));
    const trx_stage *soft = &p.plan->stages[0], *physical = &p.plan->stages[1];
    trx_stage less = *soft, plain = *soft;
    less.kappa = 1e-6, plain.contact_model = -1, plain.kappa = NAN;
    ck_assert_int_ge(trxi_stage_apply(p.plan, soft), 0);
    trx_sim_settings s = trx_sim_get_settings(p.plan->sim), of_problem = p.plan->sim_settings;
    ck_assert(s.contact_model == TRX_CONTACT_DOJO && s.kappa == 1e-2);

    // kappa is mixed by its logarithm; the model is that of the first stage, except at the end
    ck_assert_int_ge(trxi_stage_apply_between(p.plan, soft, &less, 0.25), 0);
    assert_close(trx_sim_get_settings(p.plan->sim).kappa, 1e-3, 1e-15);
    ck_assert_int_ge(trxi_stage_apply_between(p.plan, soft, physical, 0.75), 0);
    s = trx_sim_get_settings(p.plan->sim);
    ck_assert(s.contact_model == TRX_CONTACT_DOJO && s.kappa == 1e-2);
    ck_assert_int_ge(trxi_stage_apply_between(p.plan, soft, physical, 1), 0);
    s = trx_sim_get_settings(p.plan->sim);
    ck_assert(s.contact_model == TRX_CONTACT_CONVEX && s.kappa == of_problem.kappa);

    // a stage without a model has the problem's, with the solver of the problem; a stage with another model its usual solver
    p.plan->sim_settings.contact_model = TRX_CONTACT_CCP, p.plan->sim_settings.contact_solver = TRX_SOLVER_PGS;
    ck_assert_int_ge(trxi_stage_apply(p.plan, &plain), 0);
    s = trx_sim_get_settings(p.plan->sim);
    ck_assert(s.contact_model == TRX_CONTACT_CCP && s.contact_solver == TRX_SOLVER_PGS);
    ck_assert_int_ge(trxi_stage_apply(p.plan, soft), 0);
    s = trx_sim_get_settings(p.plan->sim);
    ck_assert(s.contact_model == TRX_CONTACT_DOJO && s.contact_solver == TRX_SOLVER_USUAL);
    close_push(&p);
}
END_TEST

// rigid contact supports neither torsional nor rolling friction, at any pair
START_TEST(a_stage_with_rigid_contact_does_without_turning_friction)
{
    push p;
    open_stage(&p, kappa_stage(1e-2));
    for (int k = 0; k < p.model->npair_kind; k++) p.model->pair_kinds[k].law.torsional_friction = 0.01;
    for (int s = 0; s < 2; s++) {
        ck_assert_int_ge(trxi_stage_apply(p.plan, &p.plan->stages[s]), 0);
        for (int i = 0; i < p.model->npair; i++)
            ck_assert_double_eq(trx_sim_pair_law(p.plan->sim, i).torsional_friction, s == 0 ? 0 : 0.01);
    }
    close_push(&p);
}
END_TEST

// The pusher hangs 3 cm behind the box. If kappa is large enough for a force at this gap, the zero guess has a
// gradient; with a smaller kappa, and under the law of the problem, the guess has none.
START_TEST(falling_kappa_plans_a_push_from_afar)
{
    static const double kappa[3] = {1e-2, 1e-4, 1e-6};
    double error[2];
    for (int softly = 0; softly < 2; softly++) {
        push p;
        open_push(&p, -0.1, 0, 0.15, 0, 0);
        trx_stage stages[3];
        for (int i = 0; i < 3; i++) stages[i] = kappa_stage(kappa[softly ? i : 2]);
        p.task.problem.sim.margin = 0.1;
        p.task.problem.stages = stages, p.task.problem.nstage = 3;
        trx_plan_settings settings = trx_plan_settings_default();
        settings.second_try = false;
        ck_assert_int_ge(solve_push(&p, settings), TRX_OK);
        const trx_plan_info info = trx_plan_get_info(p.plan);
        ck_assert_int_eq(info.nstage, 4);
        error[softly] = info.physical.goals[0].error;
        close_push(&p);
    }
    assert_below(error[1], 0.005);
    ck_assert(error[0] > 0.1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/stages");
    TCase *cases = tcase_create("stages");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, the_law_replaces_that_of_actuated_pairs);
    tcase_add_test(cases, a_value_that_is_not_given_stays);
    tcase_add_test(cases, a_physical_stage_restores_the_model);
    tcase_add_test(cases, a_margin_of_friction_belongs_to_the_stages_of_driven_pairs);
    tcase_add_test(cases, a_law_that_the_simulator_refuses_is_refused);
    tcase_add_test(cases, a_stage_that_is_not_lagged_does_without_turning_friction);
    tcase_add_test(cases, a_stage_changes_only_its_pairs);
    tcase_add_test(cases, between_two_stages_laws_are_mixed);
    tcase_add_test(cases, a_stage_may_have_another_contact_model);
    tcase_add_test(cases, a_stage_with_rigid_contact_does_without_turning_friction);
    tcase_add_test(cases, falling_kappa_plans_a_push_from_afar);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
