// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The friction of a plant, estimated from its motion: sensitivities against central differences, plants with more and less
// friction, what no motion shows, and the plans and searches that use the estimate.

#include "loop.h"

#include "base/context.h"
#include "model/model.h"
#include "mpc/background.h"
#include "mpc/friction.h"

enum { GROUND, PUSHER }; // pairs of the box

// a pair of the box with a body
static int pair_of(const loop *l, int which)
{
    const char *const names[] = {"pair(box, ground).friction", "pair(box, pusher).friction"};
    trx_parameter parameter;
    ck_assert_int_eq(trx_model_find_parameter(l->context, l->task.model, names[which], &parameter), TRX_OK);
    return parameter.index;
}

// estimated friction of the pair of the box / friction of the model
static double estimate(const loop *l, int which)
{
    const int pair = pair_of(l, which);
    return trx_mpc_friction(l->mpc, pair) / trx_model_pair(l->task.model, pair).law.friction;
}

static void begin_with(loop *l, double range)
{
    ck_assert_int_eq(trx_context_create(NULL, &l->context), TRX_OK);
    trx_mpc_settings settings = open_loop(l, "problems/push_box.yaml");
    settings.friction_range = range, settings.refine = 2;
    ck_assert_int_eq(trx_mpc_create(l->context, &l->task, &settings, &l->mpc), TRX_OK);
}

START_TEST(the_friction_under_a_sliding_box_is_found)
{
    static const double frictions[] = {0.7, 1.3};
    for (int i = 0; i < 2; i++) {
        loop l;
        begin_with(&l, 0.5);
        ck_assert_double_eq(estimate(&l, GROUND), 1);
        trx_sim *plant = plant_of(&l, 0.002, frictions[i]);
        run(&l, plant, 0.6, 0.02);
        assert_close(estimate(&l, GROUND), frictions[i], 0.05);
        trx_sim_destroy(plant);

        // a new beginning knows nothing
        ck_assert_int_eq(trx_mpc_restart(l.mpc), TRX_OK);
        ck_assert_double_eq(estimate(&l, GROUND), 1);
        end(&l);
    }
}
END_TEST

START_TEST(the_estimate_stays_within_its_range)
{
    loop l;
    begin_with(&l, 0.1);
    trx_sim *plant = plant_of(&l, 0.002, 0.5);
    run(&l, plant, 0.6, 0.02);
    assert_close(estimate(&l, GROUND), 0.9, 1e-12);
    ck_assert(isnan(trx_mpc_friction(l.mpc, -1)) && isnan(trx_mpc_friction(l.mpc, 1000)) && isnan(trx_mpc_friction(NULL, 0)));
    trx_sim_destroy(plant);
    end(&l);
}
END_TEST

// a box at rest holds with any friction, and the pusher does not touch it
START_TEST(rest_shows_no_friction)
{
    loop l;
    begin_with(&l, 0.5);
    for (int tick = 0; tick < 5; tick++) {
        double rest[64];
        memcpy(rest, l.task.x0, (size_t)l.nx * sizeof *rest);
        ck_assert_int_ge(trx_mpc_update(l.mpc, 0.02 * tick, rest), 0);
    }
    assert_close(estimate(&l, GROUND), 1, 1e-3);
    assert_close(estimate(&l, PUSHER), 1, 1e-3);
    end(&l);
}
END_TEST

// a prediction with its estimator, in one block
typedef struct learner {
    trxi_prediction prediction;
    trxi_friction friction;
    trx_policy *policy;
    double u[64 * 3], x[65 * 64];
    char *block;
} learner;

static void learner_open(loop *l, double range, learner *made)
{
    enum { STEPS = 50 };
    trxi_arena arena = {0};
    for (int pass = 0; pass < 2; pass++) {
        trxi_prediction_layout(&arena, l->task.model, &made->prediction);
        trxi_friction_layout(&arena, l->task.model, &made->friction);
        if (pass == 0) arena = (trxi_arena){.base = made->block = trxi_allocate(l->context, arena.used)};
    }
    ck_assert_int_eq(trxi_prediction_begin(l->context, l->task.model, &l->task.sim, &made->prediction), TRX_OK);
    ck_assert_int_eq(trxi_friction_begin(l->task.model, range, &made->prediction, &made->friction), TRX_OK);
    memset(made->u, 0, sizeof made->u);
    for (int k = 0; k <= STEPS; k++) memcpy(made->x + l->nx * k, l->task.x0, (size_t)l->nx * sizeof *made->x);
    for (int k = 0; k < STEPS; k++) made->u[l->nu * k] = 3, made->u[l->nu * k + 1] = 0.5; // pushes the box, off the normal
    const trx_policy_def def = {.size = sizeof def, .steps = STEPS, .time_step = l->task.sim.time_step, .x = made->x, .u = made->u};
    ck_assert_int_eq(trx_policy_create(l->context, l->task.model, &def, &made->policy), TRX_OK);
}

static void learner_close(loop *l, learner *made)
{
    trx_policy_destroy(made->policy);
    trx_sim_destroy(made->prediction.sim);
    trxi_release(l->context, made->block);
}

START_TEST(sensitivities_are_those_of_central_differences)
{
    const double h = 1e-4, SPAN = 0.02;
    loop l;
    begin_with(&l, 0.5);
    learner a;
    learner_open(&l, 0.5, &a);
    const int nq = l.nq, nv = l.nv, n = 2 * nv;

    // the pusher slides along the box, the box along the ground
    double x[64], next[64];
    memcpy(x, l.task.x0, sizeof *x * (size_t)l.nx);
    x[7] = -0.0699, x[nq] = 0.3, x[nq + 6] = 0.3, x[nq + 7] = 0.2;
    memcpy(next, x, sizeof next);
    ck_assert_int_ge(trxi_predict_sent(&a.prediction, a.policy, 0, SPAN, next), 0);
    ck_assert(!trxi_friction_learn(&a.friction, &a.prediction, a.policy, 0, 1, x)); // nothing to compare with
    ck_assert(trxi_friction_learn(&a.friction, &a.prediction, a.policy, SPAN, 1, next));
    for (int k = 0; k < 2; k++) {
        const int pair = pair_of(&l, k), factor = a.friction.factor_of[pair];
        assert_close(a.friction.factors[factor], 1, 1e-6); // the prediction was right
        double moved[2][64];
        for (int side = 0; side < 2; side++) {
            trx_pair_law law = trx_model_pair(l.task.model, pair).law;
            law.friction *= 1 + (side ? h : -h);
            ck_assert_int_eq(trx_sim_set_pair_law(a.prediction.sim, pair, &law), TRX_OK);
            memcpy(moved[side], x, sizeof x);
            ck_assert_int_ge(trxi_predict_sent(&a.prediction, a.policy, 0, SPAN, moved[side]), 0);
            law = trx_model_pair(l.task.model, pair).law;
            ck_assert_int_eq(trx_sim_set_pair_law(a.prediction.sim, pair, &law), TRX_OK);
        }
        double largest = 0;
        for (int i = 0; i < nv; i++) {
            const double expected = (moved[1][nq + i] - moved[0][nq + i]) / (2 * h);
            assert_close(a.friction.S[n * factor + nv + i], expected, 1e-5 + 1e-3 * fabs(expected));
            largest = fmax(largest, fabs(expected));
        }
        ck_assert_double_gt(largest, 1e-3);
    }
    learner_close(&l, &a);
    end(&l);
}
END_TEST

// a blow between two measurements, which no friction explains, changes little
START_TEST(an_outlier_counts_little)
{
    loop l;
    begin_with(&l, 0.5);
    learner a;
    learner_open(&l, 0.5, &a);
    double x[64], next[64];
    memcpy(x, l.task.x0, sizeof *x * (size_t)l.nx);
    x[l.nq] = 0.3;
    memcpy(next, x, sizeof next);
    ck_assert_int_ge(trxi_predict_sent(&a.prediction, a.policy, 0, 0.02, next), 0);
    next[l.nq] += 1;
    trxi_friction_learn(&a.friction, &a.prediction, a.policy, 0, 1, x);
    ck_assert(trxi_friction_learn(&a.friction, &a.prediction, a.policy, 0.02, 1, next));
    const double after = a.friction.factors[a.friction.factor_of[pair_of(&l, GROUND)]];
    ck_assert(after > 0.9 && after < 1);

    // a measurement that is too late tells nothing
    trxi_friction_forget(&a.friction, &a.prediction);
    trxi_friction_learn(&a.friction, &a.prediction, a.policy, 0, 0.01, x);
    ck_assert(!trxi_friction_learn(&a.friction, &a.prediction, a.policy, 0.02, 0.01, next));
    learner_close(&l, &a);
    end(&l);
}
END_TEST

// the controls of a found plan give its states where the friction is that of the quest, and no others
START_TEST(a_search_plans_with_the_estimate)
{
    loop l;
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    trx_mpc_settings settings = open_loop(&l, "problems/push_box.yaml");
    settings.search_effort = 0.01;
    trxi_background *background;
    ck_assert_int_eq(trxi_background_create(l.context, &l.task, &settings, &background), TRX_OK);
    trx_plan *plan;
    const trx_plan_settings plain = trx_plan_settings_default();
    ck_assert_int_eq(trx_plan_create(l.context, &l.task, &plain, &plan), TRX_OK);
    double friction[8];
    for (int i = 0; i < 8; i++) friction[i] = 0.6;
    const trxi_quest quest = {.x = l.task.x0, .steps = l.task.steps, .plan = plan, .friction = friction};
    trxi_background_begin(background, &quest);
    ck_assert_int_eq(trxi_background_look(background, true), TRXI_FOUND);
    const trxi_first_plan *found = trxi_background_plan(background);
    double error[2] = {0, 0};
    for (int real = 0; real < 2; real++) {
        trx_sim *plant = plant_of(&l, l.task.sim.time_step, real ? 0.6 : 1);
        for (int k = 0; k < found->steps; k++) {
            double next[64];
            const trx_step_input input = {.x = found->x + l.nx * k, .u = found->u + l.nu * k};
            ck_assert_int_ge(trx_step_from(plant, &input, next), 0);
            for (int i = 0; i < l.nx; i++) error[real] = fmax(error[real], fabs(next[i] - found->x[l.nx * (k + 1) + i]));
        }
        trx_sim_destroy(plant);
    }
    ck_assert_double_gt(error[0], 1e-3);
    assert_below(error[1], 1e-5);
    trx_plan_destroy(plan);
    trxi_background_destroy(background);
    end(&l);
}
END_TEST

START_TEST(an_estimate_has_conditions)
{
    loop l;
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    trx_mpc_settings settings = open_loop(&l, "problems/push_box.yaml");
    settings.friction_range = 1;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_ERR_ARGUMENT);
    settings.friction_range = -0.1;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_ERR_ARGUMENT);
    settings.friction_range = 0.2;
    l.task.sim.scheme = TRX_MIDPOINT;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(trx_context_message(l.context), "symplectic"));
    end(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mpc/friction");
    TCase *cases = tcase_create("friction");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_friction_under_a_sliding_box_is_found);
    tcase_add_test(cases, the_estimate_stays_within_its_range);
    tcase_add_test(cases, rest_shows_no_friction);
    tcase_add_test(cases, sensitivities_are_those_of_central_differences);
    tcase_add_test(cases, an_outlier_counts_little);
    tcase_add_test(cases, a_search_plans_with_the_estimate);
    tcase_add_test(cases, an_estimate_has_conditions);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
