// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Ipopt as a method: the minimum of iLQR, with both Hessians; a push through contact; a known solution is kept, also within limits;
// a shorter horizon; threads do not change bits; ticks take no memory; a process that is killed, has no memory or no time loses
// nothing; a point without a finite cost is refused. Without Ipopt in the build only its absence and refused points are tested.

#define _GNU_SOURCE
#include "trajopt/scenes.h"

#include "nlp/frame.h"
#include "nlp/solver.h"
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
    if (SANITIZED) settings.iterations = 40;
    assert_below(swing_up_cost(settings, &status), (SANITIZED ? INFINITY : 1.5) * known);
    ck_assert_int_ge(status, 0);
}
END_TEST

START_TEST(a_push_meets_its_goals)
{
    if (!have_ipopt() || SANITIZED) return; // sanitizers see other pushes
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
    if (!have_ipopt() || (SANITIZED && _i % 2 == 0)) return; // sanitizers see the threads alone
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
        settings.threads = 1 + 2 * i, settings.iterations = SANITIZED ? 5 : 20;
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
    for (int at = 0; at < 20; at += SANITIZED ? 15 : 3) {
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

// ---- another program in the place of Ipopt ----

// names the program; returns the name of Ipopt's program, if there is one, for restore_ipopt
static char *replace_ipopt(const char *program)
{
    char *named = have_ipopt() ? strdup(getenv("TRACTRIX_IPOPT")) : NULL;
    setenv("TRACTRIX_IPOPT", program, 1);
    return named;
}

static void restore_ipopt(char *named)
{
    if (named) setenv("TRACTRIX_IPOPT", named, 1);
    else unsetenv("TRACTRIX_IPOPT");
    free(named);
}

// this test as the program: its solver has the socket as descriptor 0
static const char MYSELF[] = "/proc/self/exe";
enum { MOST_WORDS = 1 << 16, ASKED = 5 };

// asks for a value at a point, n variables and m multipliers; returns whether the point can be evaluated
static bool ask(trxi_nlp_value what, const uint64_t *point, size_t n, size_t m, uint64_t *words)
{
    uint32_t kind;
    size_t count;
    words[0] = what, words[1] = trxi_word(1);
    memcpy(words + 2, point, (n + m) * sizeof *words);
    if (trxi_frame_send(0, TRXI_NLP_REQUEST, words, 2 + n + m, INFINITY) != TRXI_FRAME_OK) exit(1);
    if (trxi_frame_receive(0, &kind, words, MOST_WORDS, &count, INFINITY) != TRXI_FRAME_OK || kind != TRXI_NLP_VALUES) exit(1);
    return words[0] == 1;
}

// A solver that asks for every value at a point twice. This point is the start with a first control whose square is just finite.
// The solver ends with Ipopt's result 0 (solved) if each value was refused, else with -1 (too many iterations).
static int ask_twice(void)
{
    static const trxi_nlp_value asked[ASKED] = {TRXI_NLP_F, TRXI_NLP_G, TRXI_NLP_GRADIENT, TRXI_NLP_JACOBIAN, TRXI_NLP_F};
    static uint64_t words[MOST_WORDS], point[MOST_WORDS];
    uint32_t kind;
    size_t count;
    for (int frame = 0; frame < 2; frame++) // sizes, program
        if (trxi_frame_receive(0, &kind, words, MOST_WORDS, &count, INFINITY) != TRXI_FRAME_OK) return 1;
    const size_t n = words[TRXI_NLP_N], m = words[TRXI_NLP_M];
    memcpy(point, words + TRXI_NLP_HEAD + 2 * n + 2 * m, n * sizeof *point);
    point[0] = trxi_word(1e154);
    int refused = 0;
    for (int i = 0; i < 2 * ASKED; i++) refused += !ask(asked[i / 2], point, n, m, words);
    words[0] = (uint64_t)(refused == 2 * ASKED ? 0 : -1);
    trxi_frame_send(0, TRXI_NLP_END, words, 1, INFINITY);
    return 0;
}

// a mass of 1 kg at rest, one step, with a weight of the control; the start remains the result
static void solve_by_asking(double weight, trx_status expected)
{
    char *named = replace_ipopt(MYSELF);
    trx_context *context = make_context();
    trx_model *model = rail_model(context, 1);
    const trx_stage physical = physical_stage();
    const double x0[2] = {0, 0}, end = 1e10;
    const trx_cost_term terms[2] = {{.quantity = TRX_CONTROL, .weight = &weight},
                                    {.quantity = TRX_VELOCITY, .weight = &end, .time = TRX_END}};
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = 1, problem.x0 = x0, problem.terms = terms, problem.nterm = 2;
    problem.stages = &physical, problem.nstage = 1;
    trx_plan *plan = make_plan(context, &problem, ipopt());
    const trx_status status = trx_plan_solve(plan, NULL, NULL);
    ck_assert_msg(status == expected, "%d: %s", (int)status, trx_plan_get_info(plan).message);
    ck_assert(trx_plan_controls(plan)[0] == 0 && trx_plan_get_info(plan).physical.cost == 0);
    trx_plan_destroy(plan);
    trx_model_destroy(model);
    trx_context_destroy(context);
    restore_ipopt(named);
}

// the second request at the same point was answered with the cost that is not finite, and the point was kept as the current one
START_TEST(a_cost_that_is_not_finite_stays_refused)
{
    solve_by_asking(1e300, TRX_OK);
}
END_TEST

// the states of the point have a finite cost, and the simulation of its controls has none: the solve crashed
START_TEST(the_start_remains_when_the_last_point_cannot_be_simulated)
{
    solve_by_asking(1e-300, TRX_STALLED);
}
END_TEST

START_TEST(a_missing_program_is_named)
{
    char *named = replace_ipopt("/nowhere/tractrix-ipopt");
    push p;
    open_push(&p, -0.08, 0, 0.1, 0, 0);
    const trx_plan_settings settings = ipopt();
    ck_assert_int_eq(trx_plan_create(p.context, &p.task.problem, &settings, &p.plan), TRX_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(trx_context_message(p.context), "/nowhere/tractrix-ipopt"));
    close_push(&p);
    restore_ipopt(named);
}
END_TEST

int main(int count, char **arguments)
{
    if (count > 0 && strcmp(arguments[0], MYSELF) == 0) return ask_twice();
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
    tcase_add_test(cases, a_cost_that_is_not_finite_stays_refused);
    tcase_add_test(cases, the_start_remains_when_the_last_point_cannot_be_simulated);
    tcase_add_test(cases, a_missing_program_is_named);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
