// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Ipopt as a method: the minimum of iLQR, with both Hessians; a push through contact; a known solution is kept, also within limits;
// a shorter horizon; threads do
// not change bits; ticks take no memory; a process that is killed, has no memory or no time loses nothing. Without Ipopt in
// the build only its absence is tested.

#define _GNU_SOURCE
#include "trajopt/scenes.h"

#include "trajopt/plan.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 50, NSTATE = 19, NX = 18, NU = 3, SWING = 150 };

static bool have_ipopt(void)
{
    return getenv("TRACTRIX_IPOPT") != NULL;
}

static trx_plan_settings ipopt(void)
{
    trx_plan_settings settings = trx_plan_settings_default();
    settings.method = TRX_IPOPT;
    return settings;
}

static double swing_up_cost(trx_plan_settings settings, trx_status *status)
{
    swing_up s = make_swing_up(make_context(), 20, 0.01, SWING, settings);
    *status = trx_plan_solve(s.plan, NULL, NULL);
    const trx_plan_info info = trx_plan_get_info(s.plan);
    ck_assert(max_magnitude(trx_plan_controls(s.plan), SWING) <= 20);
    assert_close(info.physical.cost, info.stages[0].cost, 1e-6 * info.physical.cost);
    close_swing_up(&s);
    return info.physical.cost;
}

// L-BFGS comes near in 200 iterations
START_TEST(the_minimum_is_that_of_ilqr)
{
    if (!have_ipopt()) return;
    trx_status status;
    trx_plan_settings settings = trx_plan_settings_default();
    settings.tolerance = 1e-8;
    const double known = swing_up_cost(settings, &status);
    settings.method = TRX_IPOPT;
    const double cost = swing_up_cost(settings, &status);
    ck_assert_int_eq(status, TRX_OK);
    ck_assert_msg(fabs(cost - known) < 1e-4 * known, "%.9g, by iLQR %.9g", cost, known);
    settings.lbfgs = true;
    assert_below(swing_up_cost(settings, &status), 1.5 * known);
    ck_assert_int_ge(status, 0);
}
END_TEST

START_TEST(a_push_meets_its_goals)
{
    if (!have_ipopt()) return;
    push p;
    open_push(&p, -0.08, 0, 0.1, 0, 0);
    ck_assert_int_ge(solve_push(&p, ipopt()), 0);
    const trx_plan_info info = trx_plan_get_info(p.plan);
    for (int i = 0; i < info.ngoal; i++) ck_assert_msg(info.physical.goals[i].met, "%s", info.physical.goals[i].name);
    close_push(&p);
}
END_TEST

START_TEST(a_known_solution_is_kept_or_improved)
{
    if (!have_ipopt()) return;
    push p;
    const trx_stage physical = physical_stage();
    open_push(&p, -0.08, 0.01, 0.1, 0.02, 0.2);
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), 0);
    const double known = trx_plan_get_info(p.plan).cost;
    p.task.problem.stages = &physical, p.task.problem.nstage = 1;
    trx_plan *plan = make_plan(p.context, &p.task.problem, ipopt());
    ck_assert_int_eq(trx_plan_set_guess(plan, trx_plan_controls(p.plan), trx_plan_states(p.plan)), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);
    ck_assert(trx_plan_get_info(plan).cost <= known * (1 + 1e-9));
    trx_plan_destroy(plan);
    close_push(&p);
}
END_TEST

// a push whose box is not faster along x than 0.12 m/s, nor turns faster than 0.5 rad/s, while the pusher pushes with 2 N at most
enum { LIMITS = 3 };

static void set_limits(push *p, trx_limit limits[LIMITS])
{
    static const double slow[3] = {0.12, INFINITY, INFINITY}, spin[3] = {0.5, 0.5, 0.5}, still[3] = {-0.5, -0.5, -0.5};
    static const double gentle[3] = {2, INFINITY, INFINITY};
    static int pusher, box;
    pusher = trx_model_find_geom(p->model, "pusher#1"), box = trx_model_find_geom(p->model, "box#1");
    for (int i = 0; i < LIMITS; i++) limits[i] = trx_limit_default();
    limits[0].term = (trx_cost_term){.name = "box.velocity", .quantity = TRX_BODY_VELOCITY};
    limits[1].term = (trx_cost_term){.name = "box.spin", .quantity = TRX_BODY_SPIN};
    limits[2].term = (trx_cost_term){.name = "force", .quantity = TRX_CONTACT_FORCE, .geoms_a = &pusher, .ngeom_a = 1,
                                     .geoms_b = &box, .ngeom_b = 1};
    limits[0].upper = slow, limits[1].upper = spin, limits[1].lower = still, limits[2].upper = gentle;
    p->task.problem.limits = limits;
    p->task.problem.nlimit = LIMITS;
}

static void assert_limits_met(const trx_plan *plan)
{
    const trx_plan_info info = trx_plan_get_info(plan);
    ck_assert_int_eq(info.physical.status, TRX_OK);
    for (int i = 0; i < info.nlimit; i++)
        ck_assert_msg(info.physical.limits[i].met, "%s: %g", info.physical.limits[i].name, info.physical.limits[i].violation);
}

// a start at the solution of iLQR: the cost falls, or rises by no more than the tolerance of the limits explains
START_TEST(limits_are_kept_as_constraints)
{
    if (!have_ipopt()) return;
    push p;
    trx_limit limits[LIMITS];
    const trx_stage physical = physical_stage();
    open_push(&p, -0.08, 0.01, 0.08, 0.02, 0);
    set_limits(&p, limits);
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), 0);
    assert_limits_met(p.plan);
    const double known = trx_plan_get_info(p.plan).cost;
    p.task.problem.stages = &physical, p.task.problem.nstage = 1;
    trx_plan *plan = make_plan(p.context, &p.task.problem, ipopt());
    ck_assert_int_eq(trx_plan_set_guess(plan, trx_plan_controls(p.plan), trx_plan_states(p.plan)), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);
    assert_limits_met(plan);
    ck_assert_msg(trx_plan_get_info(plan).cost <= known * (1 + 1e-4), "%.9g after %.9g", trx_plan_get_info(plan).cost, known);
    trx_plan_destroy(plan);
    close_push(&p);
}
END_TEST

// by one thread and by three, without limits and with them
START_TEST(a_shorter_plan_is_the_plan_made_so)
{
    if (!have_ipopt()) return;
    enum { SHORTER = 30 };
    push p, q;
    trx_limit limits[LIMITS];
    const trx_stage physical = physical_stage();
    trx_plan_settings settings = ipopt();
    settings.iterations = 6, settings.threads = _i % 2 == 0 ? 1 : 3;
    for (int i = 0; i < 2; i++) {
        push *each = i == 0 ? &p : &q;
        open_push(each, -0.08, 0.01, 0.05, 0, 0);
        each->task.problem.stages = &physical, each->task.problem.nstage = 1;
        if (_i >= 2) set_limits(each, limits);
        each->task.problem.steps = i == 0 ? STEPS : SHORTER;
        each->plan = make_plan(each->context, &each->task.problem, settings);
    }
    ck_assert_int_eq(trx_plan_set_steps(p.plan, SHORTER), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(p.plan, NULL, NULL), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(q.plan, NULL, NULL), TRX_OK);
    ck_assert(trx_plan_get_info(p.plan).iterations > 1);
    ck_assert_int_eq(memcmp(trx_plan_controls(p.plan), trx_plan_controls(q.plan), NU * SHORTER * sizeof(double)), 0);
    ck_assert_int_eq(memcmp(trx_plan_states(p.plan), trx_plan_states(q.plan), NSTATE * (SHORTER + 1) * sizeof(double)), 0);
    close_push(&p);
    close_push(&q);
}
END_TEST

START_TEST(threads_do_not_change_bits)
{
    if (!have_ipopt()) return;
    static double x[2][NSTATE * (STEPS + 1)];
    for (int i = 0; i < 2; i++) {
        push p;
        trx_plan_settings settings = ipopt();
        settings.threads = 1 + 2 * i, settings.iterations = 20;
        open_push(&p, -0.08, 0.01, 0.1, 0, 0);
        ck_assert_int_ge(solve_push(&p, settings), 0);
        memcpy(x[i], trx_plan_states(p.plan), sizeof x[i]);
        close_push(&p);
    }
    ck_assert(memcmp(x[0], x[1], sizeof x[0]) == 0);
}
END_TEST

START_TEST(ticks_follow_a_measured_start_and_take_no_memory)
{
    if (!have_ipopt()) return;
    check_ticks(ipopt(), 2);
}
END_TEST

// ---- a process that is lost ----

// ends the process in the given iteration
static bool kill_at(const trx_iteration *line, void *user)
{
    char command[128];
    snprintf(command, sizeof command, "kill -9 $(ps -o pid=,comm= --ppid %d | awk '/tractrix-ipopt/ { print $1 }')", (int)getpid());
    if (line->iteration == *(int *)user && line->stage == 0 && system(command) != 0) return true;
    return true;
}

START_TEST(a_killed_process_loses_nothing)
{
    if (!have_ipopt()) return;
    const double idle = 100 * 3.14159265358979323846 * 3.14159265358979323846;
    for (int at = 0; at < 20; at += 3) {
        swing_up s = make_swing_up(make_context(), 20, 0.01, SWING, ipopt());
        trx_status status = trx_plan_solve(s.plan, kill_at, &at);
        ck_assert_msg(status == TRX_PROCESS_LOST, "%d when killed at iteration %d", (int)status, at);
        const trx_plan_info info = trx_plan_get_info(s.plan);
        ck_assert_msg(strstr(info.message, "killed by signal 9") != NULL, "%s", info.message);
        ck_assert(info.physical.status >= 0 && info.physical.cost <= idle * (1 + 1e-12));

        // and the next solve works
        ck_assert_int_eq(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
        close_swing_up(&s);
    }
}
END_TEST

START_TEST(a_process_without_memory_is_a_status)
{
    if (!have_ipopt()) return;
    trx_plan_settings settings = ipopt();
    settings.memory_limit = 64;
    swing_up s = make_swing_up(make_context(), 20, 0.01, SWING, settings);
    ck_assert_int_eq(trx_plan_solve(s.plan, NULL, NULL), TRX_PROCESS_LOST);
    ck_assert_ptr_nonnull(strstr(trx_plan_get_info(s.plan).message, "with at most 64 MB (memory_limit)"));
    ck_assert(isfinite(trx_plan_get_info(s.plan).physical.cost));
    close_swing_up(&s);
}
END_TEST

// the second iteration takes all the time
static bool wait_for_the_limit(const trx_iteration *line, void *user)
{
    const double begin = trx_clock();
    while (line->iteration == 2 && trx_clock() - begin <= *(const double *)user) continue;
    return true;
}

START_TEST(a_time_limit_ends_the_process)
{
    if (!have_ipopt()) return;
    trx_plan_settings settings = ipopt();
    settings.time_limit = 0.2;
    swing_up s = make_swing_up(make_context(), 20, 0.01, SWING, settings);
    ck_assert_int_eq(trx_plan_solve(s.plan, wait_for_the_limit, &settings.time_limit), TRX_TIME_LIMIT);
    ck_assert(isfinite(trx_plan_get_info(s.plan).physical.cost));
    close_swing_up(&s);
}
END_TEST

START_TEST(a_missing_program_is_named)
{
    char *named = have_ipopt() ? strdup(getenv("TRACTRIX_IPOPT")) : NULL;
    setenv("TRACTRIX_IPOPT", "/nowhere/tractrix-ipopt", 1);
    push p;
    open_push(&p, -0.08, 0, 0.1, 0, 0);
    const trx_plan_settings settings = ipopt();
    ck_assert_int_eq(trx_plan_create(p.context, &p.task.problem, &settings, &p.plan), TRX_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(trx_context_message(p.context), "/nowhere/tractrix-ipopt"));
    close_push(&p);
    if (named) setenv("TRACTRIX_IPOPT", named, 1);
    else unsetenv("TRACTRIX_IPOPT");
    free(named);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/ipopt");
    TCase *cases = tcase_create("ipopt");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, the_minimum_is_that_of_ilqr);
    tcase_add_test(cases, a_push_meets_its_goals);
    tcase_add_test(cases, a_known_solution_is_kept_or_improved);
    tcase_add_test(cases, limits_are_kept_as_constraints);
    tcase_add_loop_test(cases, a_shorter_plan_is_the_plan_made_so, 0, 4);
    tcase_add_test(cases, threads_do_not_change_bits);
    tcase_add_test(cases, ticks_follow_a_measured_start_and_take_no_memory);
    tcase_add_test(cases, a_killed_process_loses_nothing);
    tcase_add_test(cases, a_process_without_memory_is_a_status);
    tcase_add_test(cases, a_time_limit_ends_the_process);
    tcase_add_test(cases, a_missing_program_is_named);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
