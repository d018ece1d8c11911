// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A search: from the wrong side to the goal, the same for every number of threads, ended by its limits and by its caller.

#include "trajopt/scenes.h"

#include <math.h>
#include <tractrix/problem.h>
#include <tractrix/search.h>

static const double FREE_YAW[3] = {5, 5, 0};

// a push from (px, py) to (x, y) with any yaw
static void open_free_push(push *p, double px, double py, double x, double y)
{
    open_push(p, px, py, x, y, 0);
    p->task.problem.steps = 75;
    p->task.terms[1].weight = FREE_YAW;
    p->task.terms[1].tolerance = 0;
    p->task.terms[4].weight = FREE_YAW;
}

// the ball starts on the side of the goal
static void open_wrong_side(push *p)
{
    open_free_push(p, 0.12, 0.01, 0.15, 0.02);
}

static trx_search *make_search(push *p, trx_search_settings settings)
{
    const trx_plan_settings plan = trx_plan_settings_default();
    trx_search *search = NULL;
    ck_assert_msg(trx_search_create(p->context, &p->task.problem, &plan, &settings, &search) == TRX_OK, "%s",
                  trx_context_message(p->context));
    return search;
}

START_TEST(the_plan_from_the_guess_misses_and_the_search_meets_the_goal)
{
    push p;
    open_wrong_side(&p);
    solve_push(&p, trx_plan_settings_default());
    ck_assert(!trx_plan_get_info(p.plan).physical.goals[0].met);
    trx_search *search = make_search(&p, trx_search_settings_default());
    ck_assert_int_eq(trx_search_solve(search, p.plan, NULL, NULL), TRX_OK);
    const trx_search_info info = trx_search_get_info(search);
    ck_assert_str_eq(info.message, "");
    ck_assert_int_eq(info.candidates[0].kind, TRX_CANDIDATE_PLAIN);
    ck_assert_int_eq(info.candidates[0].outcome, TRX_CANDIDATE_MISSED);
    ck_assert_int_eq(info.candidates[info.best].outcome, TRX_CANDIDATE_MET);
    ck_assert_int_eq(info.best, info.ncandidate - 1);
    for (int i = 0; i < info.ncandidate; i++) ck_assert_int_eq(info.candidates[i].number, i);

    // the plan that holds the result: its own judgement, and a replay
    const trx_plan *plan = trx_search_plan(search);
    ck_assert(trx_plan_get_info(plan).physical.goals[0].met);
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(p.context, p.model, &p.task.problem.sim, &sim), TRX_OK);
    double x[19];
    memcpy(x, p.task.x0, sizeof x);
    for (int k = 0; k < 75; k++) ck_assert_int_ge(trx_step(sim, x, trx_plan_controls(plan) + 3 * k, x), 0);
    assert_below(hypot(x[0] - 0.15, x[1] - 0.02), 0.005);
    trx_sim_destroy(sim);
    trx_search_destroy(search);
    close_push(&p);
}
END_TEST

// all pieces of the plan, the path to the placement too, carry the activations of filtered motors
START_TEST(a_search_carries_activations)
{
    trx_context *context = make_context();
    trx_problem *problem;
    trx_plan_problem task;
    trx_plan_settings settings;
    const char *set[] = {"start.px=0.12", "time.steps=75", "model.actuators.0.activation={type: filter, time_constant: 0.02}",
                         "model.actuators.1.activation={type: filter, time_constant: 0.02}",
                         "model.actuators.2.activation={type: filter, time_constant: 0.02}"};
    trx_problem_options options = trx_problem_options_default();
    options.set = set, options.nset = 5;
    ck_assert_int_eq(trx_problem_load(context, "problems/push_box.yaml", &options, &problem), TRX_OK);
    ck_assert_int_eq(trx_problem_plan(problem, &task, &settings), TRX_OK);
    const trx_search_settings searching = trx_search_settings_default();
    trx_search *search;
    ck_assert_int_eq(trx_search_create(context, &task, &settings, &searching, &search), TRX_OK);
    ck_assert_int_eq(trx_search_solve(search, NULL, NULL, NULL), TRX_OK);
    const trx_search_info info = trx_search_get_info(search);
    ck_assert_int_eq(info.candidates[info.best].kind, TRX_CANDIDATE_PLACEMENT);
    const trx_plan_info found = trx_plan_get_info(trx_search_plan(search));
    for (int g = 0; g < found.ngoal; g++) ck_assert(found.physical.goals[g].met);

    // the activations are filtered controls, at the knots of the path too
    const trx_model_size size = trx_model_get_size(task.model);
    const double *x = trx_plan_states(trx_search_plan(search)), *u = trx_plan_controls(trx_search_plan(search));
    double largest = 0;
    for (int k = 0; k < 75; k++)
        for (int i = 0; i < 3; i++) {
            const double *a = x + k * size.nstate + size.nq + size.nv + i, share = 1 - exp(-task.sim.time_step / 0.02);
            assert_close(a[size.nstate], a[0] + share * (u[3 * k + i] - a[0]), 1e-9);
            if (k < info.candidates[info.best].approach) largest = fmax(largest, fabs(a[0]));
        }
    ck_assert(largest > 0.01);
    trx_search_destroy(search);
    trx_problem_destroy(problem);
    trx_context_destroy(context);
}
END_TEST

START_TEST(threads_do_not_change_the_result)
{
    push p;
    open_wrong_side(&p);
    double u[2][3 * 75];
    int candidates[2];
    for (int i = 0; i < 2; i++) {
        trx_search_settings settings = trx_search_settings_default();
        settings.threads = 1 + 2 * i;
        trx_search *search = make_search(&p, settings);
        ck_assert_int_eq(trx_search_solve(search, NULL, NULL, NULL), TRX_OK);
        candidates[i] = trx_search_get_info(search).ncandidate;
        memcpy(u[i], trx_plan_controls(trx_search_plan(search)), sizeof u[i]);
        trx_search_destroy(search);
    }
    ck_assert_int_eq(candidates[0], candidates[1]);
    ck_assert(memcmp(u[0], u[1], sizeof u[0]) == 0);
    close_push(&p);
}
END_TEST

// the tolerance lies between the errors of both replays, so the plan from the guess leans on its time step
START_TEST(a_plan_that_leans_is_not_enough_for_a_search_on_the_fine_replay)
{
    push p;
    static const double heavy[3] = {1e5, 1e5, 0}; // a small error at the step of the plan
    open_free_push(&p, -0.12, 0.01, 0.1, 0.1);
    p.task.terms[0].weight = heavy;
    solve_push(&p, trx_plan_settings_default());
    const trx_plan_info first = trx_plan_get_info(p.plan);
    const double error = first.physical.goals[0].error, fine = first.fine.goals[0].error;
    ck_assert(error > 0 && fine > 2 * error);
    trx_plan_destroy(p.plan);
    p.task.terms[0].tolerance = sqrt(error * fine);
    solve_push(&p, trx_plan_settings_default());

    // without the fine replay there is nothing to search
    trx_search_settings settings = trx_search_settings_default();
    trx_search *search = make_search(&p, settings);
    ck_assert_int_eq(trx_search_solve(search, p.plan, NULL, NULL), TRX_OK);
    ck_assert_int_eq(trx_search_get_info(search).ncandidate, 1);
    ck_assert_int_eq(trx_search_get_info(search).candidates[0].outcome, TRX_CANDIDATE_MET);
    trx_search_destroy(search);

    // with it the plan is not enough; a search that ends too early keeps the plan, and says that it leans
    settings.fine = true;
    settings.starts = 1;
    search = make_search(&p, settings);
    ck_assert_int_eq(trx_search_solve(search, p.plan, NULL, NULL), TRX_OK);
    const trx_search_info info = trx_search_get_info(search);
    ck_assert_int_eq(info.candidates[0].outcome, TRX_CANDIDATE_LEANS);
    assert_close(info.candidates[0].fine, sqrt(fine / error), 1e-6);
    ck_assert_ptr_nonnull(strstr(info.message, "at a tenth of the step"));
    ck_assert_ptr_null(trx_search_plan(search));
    trx_search_destroy(search);
    close_push(&p);
}
END_TEST

static bool refuse(const trx_candidate *candidate, void *user)
{
    (void)candidate;
    ++*(int *)user;
    return false;
}

START_TEST(the_caller_the_starts_and_the_time_end_a_search)
{
    push p;
    open_wrong_side(&p);
    p.task.box[0] = 300; // out of reach in 1.5 s
    trx_search_settings settings = trx_search_settings_default();
    settings.starts = 2;
    trx_search *search = make_search(&p, settings);
    ck_assert_int_eq(trx_search_solve(search, NULL, NULL, NULL), TRX_STALLED);
    trx_search_info info = trx_search_get_info(search);
    ck_assert_int_eq(info.ncandidate, 2);
    ck_assert_ptr_nonnull(strstr(info.message, "2 candidates"));
    int calls = 0;
    ck_assert_int_eq(trx_search_solve(search, NULL, refuse, &calls), TRX_INTERRUPTED);
    ck_assert_int_ge(calls, 1);
    trx_search_destroy(search);

    settings.time_limit = 1e-6;
    search = make_search(&p, settings);
    ck_assert_int_eq(trx_search_solve(search, NULL, NULL, NULL), TRX_TIME_LIMIT);
    ck_assert_ptr_null(trx_search_plan(search));
    trx_search_destroy(search);
    close_push(&p);
}
END_TEST

// the default search is bounded by counted work alone, so a loaded machine finds the same
START_TEST(counted_work_ends_a_search)
{
    push p;
    open_wrong_side(&p);
    p.task.box[0] = 300; // out of reach in 1.5 s
    trx_search_settings settings = trx_search_settings_default();
    ck_assert(isinf(settings.time_limit) && isfinite(settings.effort));
    settings.effort = 1e-6; // spent by the first round
    int candidates[2];
    for (int i = SANITIZED; i < 2; i++) { // sanitizers see the threads alone
        settings.threads = 1 + 2 * i;
        trx_search *search = make_search(&p, settings);
        ck_assert_int_eq(trx_search_solve(search, NULL, NULL, NULL), TRX_STALLED);
        const trx_search_info info = trx_search_get_info(search);
        candidates[i] = info.ncandidate;
        ck_assert_ptr_nonnull(strstr(info.message, "the effort of the search is spent"));
        trx_search_destroy(search);
    }
    ck_assert_int_ge(candidates[1], 1);
    ck_assert_int_le(candidates[1], 8); // the placements of one round
    ck_assert_int_eq(candidates[SANITIZED], candidates[1]);
    close_push(&p);
}
END_TEST

START_TEST(settings_are_checked)
{
    push p;
    open_wrong_side(&p);
    const trx_plan_settings plan = trx_plan_settings_default();
    trx_search *search = NULL;
    trx_search_settings settings = trx_search_settings_default();
    settings.starts = 0;
    ck_assert_int_eq(trx_search_create(p.context, &p.task.problem, &plan, &settings, &search), TRX_ERR_ARGUMENT);
    settings.starts = 1000001;
    ck_assert_int_eq(trx_search_create(p.context, &p.task.problem, &plan, &settings, &search), TRX_ERR_ARGUMENT);
    settings = trx_search_settings_default();
    settings.threads = 0;
    ck_assert_int_eq(trx_search_create(p.context, &p.task.problem, &plan, &settings, &search), TRX_ERR_ARGUMENT);
    settings = trx_search_settings_default();
    settings.time_limit = 0;
    ck_assert_int_eq(trx_search_create(p.context, &p.task.problem, &plan, &settings, &search), TRX_ERR_ARGUMENT);
    settings = trx_search_settings_default();
    settings.effort = 0;
    ck_assert_int_eq(trx_search_create(p.context, &p.task.problem, &plan, &settings, &search), TRX_ERR_ARGUMENT);
    settings = (trx_search_settings){0};
    ck_assert_int_eq(trx_search_create(p.context, &p.task.problem, &plan, &settings, &search), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(p.context), "trx_search_settings_default"));
    ck_assert_ptr_null(search);
    close_push(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("search");
    TCase *cases = tcase_create("search");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_plan_from_the_guess_misses_and_the_search_meets_the_goal);
    tcase_add_test(cases, a_plan_that_leans_is_not_enough_for_a_search_on_the_fine_replay);
    tcase_add_test(cases, a_search_carries_activations);
    tcase_add_test(cases, threads_do_not_change_the_result);
    tcase_add_test(cases, the_caller_the_starts_and_the_time_end_a_search);
    tcase_add_test(cases, counted_work_ends_a_search);
    tcase_add_test(cases, settings_are_checked);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
