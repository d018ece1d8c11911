// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loops that search in the background: push_box with a horizon of half a second, and a goal that jumps to the side on which the
// pusher stands. The pusher must walk around the box, which no tick finds.

#include "loop.h"

#include <pthread.h>
#include <stdlib.h>

static const double TARGET[3] = {0.02, 0, 0.05}; // behind the box, once the box is at 0.15

// allocations of a thread
typedef struct count {
    pthread_t of;
    int allocations;
    bool counts;
} count;

static void *allocate(size_t bytes, void *user)
{
    count *c = user;
    if (pthread_equal(pthread_self(), c->of) && c->counts) c->allocations++;
    return malloc(bytes);
}

static void release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

static void begin_with(loop *l, count *c, double effort, double deadline)
{
    trx_context_settings counted = trx_context_settings_default();
    *c = (count){.of = pthread_self()};
    counted.allocator = (trx_allocator){allocate, release, c};
    ck_assert_int_eq(trx_context_create(&counted, &l->context), TRX_OK);
    open_loop(l, "problems/push_box.yaml");
    trx_mpc_settings settings = trx_mpc_settings_default();
    settings.horizon = settings.least_horizon = 25;
    settings.iterations = 3;
    settings.search_effort = effort;
    settings.deadline = deadline;
    ck_assert_int_eq(trx_mpc_create(l->context, &l->task, &settings, &l->mpc), TRX_OK);
}

// every term of the box's position
static void turn(const loop *l)
{
    for (int i = 0; i < l->task.nterm; i++)
        if (l->task.terms[i].quantity == TRX_BODY_POSITION) ck_assert_int_eq(trx_mpc_set_target(l->mpc, i, TARGET), TRX_OK);
}

static void step(loop *l, trx_sim *plant, double t)
{
    ck_assert_int_ge(trx_mpc_update(l->mpc, t, l->x), 0);
    ck_assert_int_eq(trx_policy_control(trx_mpc_policy(l->mpc), t, l->x, l->u), TRX_OK);
    const trx_step_input input = {.time = t, .x = l->x, .u = l->u};
    ck_assert_int_ge(trx_step_from(plant, &input, l->x), 0);
}

// the first goal for 60 ticks, then the other one; returns how far the box is from it at the end
static double run_both(loop *l, count *c, int ticks)
{
    trx_sim *plant = plant_of(l, 0.02, 1);
    c->counts = true;
    for (int k = 0; k < ticks; k++) {
        if (k == 60) turn(l);
        step(l, plant, 0.02 * k);
    }
    c->counts = false;
    trx_sim_destroy(plant);
    return hypot(l->x[0] - TARGET[0], l->x[1] - TARGET[1]);
}

// runs until a search has begun; returns the time of the next tick
static double run_to_search(loop *l, count *c)
{
    run_both(l, c, 61);
    trx_sim *plant = plant_of(l, 0.02, 1);
    int k = 61;
    for (; k < 200 && trx_mpc_get_info(l->mpc).searches == 0; k++) step(l, plant, 0.02 * k);
    trx_sim_destroy(plant);
    ck_assert_int_eq(trx_mpc_get_info(l->mpc).searches, 1);
    return 0.02 * k;
}

START_TEST(a_pusher_on_the_wrong_side_walks_around_the_box)
{
    enum { RUNS = SANITIZED ? 2 : 3 }; // without a search (not for sanitizers), with one, and the same again
    loop l[RUNS];
    count c[RUNS];
    double way[RUNS];
    for (int i = SANITIZED; i < RUNS; i++) {
        begin_with(&l[i], &c[i], i == 0 ? 0 : 1, INFINITY);
        way[i] = run_both(&l[i], &c[i], 210);
        ck_assert_int_eq(c[i].allocations, 0);
    }
    const trx_mpc_info with = trx_mpc_get_info(l[1].mpc);
    if (!SANITIZED) {
        ck_assert_int_eq(trx_mpc_get_info(l[0].mpc).searches, 0);
        ck_assert_double_gt(way[0], 0.05);
    }
    ck_assert_int_ge(with.searches, 1);
    ck_assert_int_ge(with.found, 1);
    ck_assert_double_lt(way[1], 0.01);

    // the same bits again, whatever the machine does meanwhile
    ck_assert_mem_eq(l[1].x, l[RUNS - 1].x, (size_t)l[1].nx * sizeof(double));
    for (int i = SANITIZED; i < RUNS; i++) end(&l[i]);
}
END_TEST

// the plan of a search for old targets is not used, and a search may be cut short at any time
START_TEST(a_search_that_is_not_wanted_is_forgotten)
{
    loop l;
    count c;
    begin_with(&l, &c, 1, INFINITY);
    const double t = run_to_search(&l, &c);
    turn(&l);
    ck_assert_int_ge(trx_mpc_update(l.mpc, t + 0.5, l.x), 0);
    ck_assert_int_eq(trx_mpc_get_info(l.mpc).found, 0);
    end(&l);

    begin_with(&l, &c, 1, INFINITY);
    run_to_search(&l, &c);
    ck_assert_int_eq(trx_mpc_restart(l.mpc), TRX_OK);
    ck_assert_int_ge(trx_mpc_update(l.mpc, 0, l.task.x0), 0);
    ck_assert_int_ge(trx_mpc_update(l.mpc, 2, l.task.x0), 0);
    ck_assert_int_eq(trx_mpc_get_info(l.mpc).found, 0);
    end(&l);

    begin_with(&l, &c, 1000, INFINITY);
    run_to_search(&l, &c);
    end(&l);
}
END_TEST

// with a deadline a tick goes on while the search is late, and takes its plan when it is there
START_TEST(a_tick_with_a_deadline_does_not_wait_for_a_search)
{
    loop l;
    count c;
    begin_with(&l, &c, 1, 10);
    double t = run_to_search(&l, &c);
    t = ceil((t + 0.2) / 0.02) * 0.02;
    for (int i = 0; i < 1000000 && trx_mpc_get_info(l.mpc).found == 0; i++) ck_assert_int_ge(trx_mpc_update(l.mpc, t, l.x), 0);
    const trx_mpc_info info = trx_mpc_get_info(l.mpc);
    ck_assert_int_eq(info.found, 1);
    ck_assert_int_eq(info.late, 0);
    end(&l);
}
END_TEST

// the plan of a search that is not followed does not count as progress: the ticks after it show progress of their own
START_TEST(a_plan_that_is_not_followed_is_no_progress)
{
    loop l;
    count c;
    begin_with(&l, &c, 1, INFINITY);
    const double t = ceil((run_to_search(&l, &c) + 0.5) / 0.02) * 0.02;
    const int searches = trx_mpc_get_info(l.mpc).searches;
    l.x[0] = TARGET[0] + 0.02, l.x[1] = TARGET[1];
    ck_assert_int_ge(trx_mpc_update(l.mpc, t, l.x), 0);
    ck_assert_int_eq(trx_mpc_get_info(l.mpc).found, 0);
    for (int k = 1; k < 8; k++) {
        l.x[0] = TARGET[0] + 0.2 * pow(0.85, k);
        ck_assert_int_ge(trx_mpc_update(l.mpc, t + 0.02 * k, l.x), 0);
    }
    ck_assert_int_eq(trx_mpc_get_info(l.mpc).searches, searches);
    end(&l);
}
END_TEST

START_TEST(a_search_has_conditions)
{
    loop l;
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    trx_mpc_settings settings = open_loop(&l, "problems/push_box.yaml");
    settings.search_delay = -1;
    ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(l.context), "search_delay"));
    trx_problem_destroy(l.problem);

    // a search begins at the time 0 of its plan. Loads without a table were accepted, and the search planned with their start
    static const char *const sets[] = {"model.bodies.ground.motion={type: slide, axis: [1, 0, 0], velocity: 0.1}",
                                       "model.loads=[{body: box, force: [0.1, 0, 0], wave: sine, frequency: 1}]",
                                       "model.loads=[{body: box, force: [0.1, 0, 0], start: 0.2}]",
                                       "model.loads=[{body: box, force: [0.1, 0, 0]}]"};
    for (int i = 0; i < 4; i++) {
        const bool varies = i < 3;
        trx_problem_options options = trx_problem_options_default();
        options.set = &sets[i], options.nset = 1;
        trx_plan_settings unused = trx_plan_settings_default();
        ck_assert_int_eq(trx_problem_load(l.context, "problems/push_box.yaml", &options, &l.problem), TRX_OK);
        ck_assert_int_eq(trx_problem_plan(l.problem, &l.task, &unused), TRX_OK);
        settings = trx_mpc_settings_default();
        settings.search_effort = 1;
        l.mpc = NULL;
        ck_assert_int_eq(trx_mpc_create(l.context, &l.task, &settings, &l.mpc), varies ? TRX_ERR_UNSUPPORTED : TRX_OK);
        ck_assert(!varies || strstr(trx_context_message(l.context), "prescribed"));
        trx_mpc_destroy(l.mpc);
        trx_problem_destroy(l.problem);
    }
    trx_context_destroy(l.context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mpc/course");
    TCase *cases = tcase_create("course");
    tcase_add_test(cases, a_pusher_on_the_wrong_side_walks_around_the_box);
    tcase_add_test(cases, a_search_that_is_not_wanted_is_forgotten);
    tcase_add_test(cases, a_tick_with_a_deadline_does_not_wait_for_a_search);
    tcase_add_test(cases, a_plan_that_is_not_followed_is_no_progress);
    tcase_add_test(cases, a_search_has_conditions);
    tcase_set_timeout(cases, 120);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
