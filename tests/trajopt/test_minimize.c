// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The loop of a minimization with a method that only counts its calls: every end of a method, every limit, a lost result, the lines
// of the table. A plan with a method that is not in the list of methods.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

// numbers of calls of the counting method, and its end
typedef struct counter {
    int starts, iterations, end_after;
    trxi_origin origin;
    double tolerance;
    int said_last; // last iterations
    trx_status ends_with, start_status;
    trxi_workspace *work;
} counter;

static trx_status count_start(void *solver, trxi_origin origin, double tolerance)
{
    counter *c = solver;
    c->starts++;
    c->origin = origin, c->tolerance = tolerance;
    c->work->current->cost = 100;
    return c->start_status;
}

static trx_status count_iteration(void *solver, bool last, bool *finished)
{
    counter *c = solver;
    c->said_last += last;
    ck_assert(c->work->rollout->deadline > 0);
    c->work->current->cost -= 1;
    *finished = ++c->iterations == c->end_after;
    return *finished ? c->ends_with : TRX_OK;
}

static trxi_method_info count_info(const void *solver)
{
    return (trxi_method_info){.expected = 7, .gradient = 5, .step = 0.5, .regularization = 3,
                              .small_steps = ((const counter *)solver)->starts};
}

static void count_reset(void *solver)
{
    ((counter *)solver)->iterations = 0;
}

static void count_visit(trxi_visitor *visitor, void *solver)
{
    TRXI_VISIT(visitor, ((counter *)solver)->iterations);
}

static const trxi_method counting = {.reset = count_reset, .start = count_start,
                                     .iterate = count_iteration, .info = count_info, .visit = count_visit};

typedef struct lines {
    int count, stop_at;
    trx_iteration last;
} lines;

static bool note(const trx_iteration *line, void *user)
{
    lines *l = user;
    ck_assert_int_eq(line->iteration, l->count);
    l->last = *line;
    return ++l->count != l->stop_at;
}

static trxi_minimization minimization_of(counter *c, lines *l)
{
    static trxi_trajectory trajectory;
    static trxi_workspace work;
    static trxi_rollout rollout;
    work.current = &trajectory;
    work.rollout = &rollout;
    c->work = &work;
    return (trxi_minimization){.method = &counting, .solver = c, .work = &work, .stage = 2, .limit = 10, .tolerance = 0.25,
                               .deadline = INFINITY, .lost_cost = INFINITY, .callback = note, .user = l};
}

START_TEST(a_method_ends_a_minimization_with_its_status)
{
    static const trx_status ends[4] = {TRX_OK, TRX_STALLED, TRX_TIME_LIMIT, TRX_ERR_NOT_PD};
    for (int i = 0; i < 4; i++) {
        counter c = {.end_after = 3, .ends_with = ends[i]};
        lines l = {0};
        trxi_minimization m = minimization_of(&c, &l);
        ck_assert_int_eq(trxi_minimize(&m, TRXI_POLICY), ends[i]);
        const int done = ends[i] < 0 ? 2 : 3; // an iteration that fails has no line and does not count
        ck_assert(m.done == done && l.count == done + 1 && c.origin == TRXI_POLICY && c.tolerance == 0.25);
        ck_assert(l.last.stage == 2 && l.last.cost == 100 - done && l.last.change == 1 && l.last.expected == 7);
        ck_assert(l.last.gradient == 5 && l.last.step == 0.5 && l.last.regularization == 3);
    }
}
END_TEST

START_TEST(limits_and_the_caller_end_a_minimization)
{
    counter c = {0};
    lines l = {0};
    trxi_minimization m = minimization_of(&c, &l);
    ck_assert_int_eq(trxi_minimize(&m, TRXI_CONTROLS), TRX_ITERATION_LIMIT);
    ck_assert(m.done == 10 && c.origin == TRXI_CONTROLS && c.said_last == 1);

    // iterations done before count towards the limit; the start runs even if no iteration is left
    l = (lines){.count = 10};
    ck_assert_int_eq(trxi_minimize(&m, TRXI_CONTROLS), TRX_ITERATION_LIMIT);
    ck_assert(m.done == 10 && c.starts == 2 && c.iterations == 10);

    m.limit = 20, m.deadline = 0;
    l = (lines){.count = 10};
    ck_assert_int_eq(trxi_minimize(&m, TRXI_CONTROLS), TRX_TIME_LIMIT);
    m.deadline = INFINITY;
    l = (lines){.count = 10, .stop_at = 13};
    ck_assert_int_eq(trxi_minimize(&m, TRXI_CONTROLS), TRX_INTERRUPTED);
    ck_assert(m.done == 12 && c.said_last == 1);
    c.start_status = TRX_ERR_NOT_FINITE;
    ck_assert_int_eq(trxi_minimize(&m, TRXI_CONTROLS), TRX_ERR_NOT_FINITE);
    ck_assert_int_eq(m.done, 12);
}
END_TEST

// the cost falls from 100 by 1 in each iteration
START_TEST(a_lost_result_is_given_up_by_its_progress)
{
    static const struct {
        double lost_cost;
        int done; // iterations until the end
    } cases[] = {{INFINITY, 40}, {100, 40}, {85, 40}, {80, 40}, {79, 10}, {-INFINITY, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        counter c = {0};
        lines l = {0};
        trxi_minimization m = minimization_of(&c, &l);
        m.limit = 40, m.lost_cost = cases[i].lost_cost;
        ck_assert_int_eq(trxi_minimize(&m, TRXI_POLICY), cases[i].done == 40 ? TRX_ITERATION_LIMIT : TRX_STALLED);
        ck_assert_int_eq(m.done, cases[i].done);
        ck_assert(m.gave_up == (cases[i].done == 10) && l.count == m.done + 1);

        // the progress of the next minimization of the stage counts from its own start
        m.lost_cost = INFINITY, m.limit = m.done + 15;
        l.count = m.done;
        ck_assert_int_eq(trxi_minimize(&m, TRXI_POLICY), TRX_ITERATION_LIMIT);
        ck_assert(!m.gave_up);
    }

    // an end of the method counts, whatever the cost
    counter c = {.end_after = 10};
    lines l = {0};
    trxi_minimization m = minimization_of(&c, &l);
    m.lost_cost = 0;
    ck_assert_int_eq(trxi_minimize(&m, TRXI_POLICY), TRX_OK);
    ck_assert(!m.gave_up);
}
END_TEST

// the minimization gives up after iteration 10, whose line is the last before the interruption. After the interruption it made
// further iterations
START_TEST(an_interruption_does_not_undo_giving_up)
{
    trx_context *context = make_context();
    trxi_journal journal = trxi_journal_create(context);
    trxi_ocp_stage stage = {0};
    counter c = {0}, again = {0};
    lines l = {.stop_at = 11};
    trxi_minimization m = minimization_of(&c, &l);
    m.limit = 40, m.lost_cost = 0;
    m.work->ocp.stages = &stage;
    m.journal = &journal;
    ck_assert_int_eq(trxi_minimize(&m, TRXI_POLICY), TRX_INTERRUPTED);

    trxi_text bytes = journal.bytes;
    trxi_journal resumed = trxi_journal_create(context);
    ck_assert(trxi_journal_load(&resumed, bytes.data, bytes.length, ~0u));
    l = (lines){0};
    m = minimization_of(&again, &l);
    m.limit = 40, m.lost_cost = 0;
    m.journal = &resumed;
    ck_assert_int_eq(trxi_minimize(&m, TRXI_POLICY), TRX_STALLED);
    ck_assert(m.gave_up && m.done == 10 && l.count == 11 && again.iterations == 10);
    m.work->ocp.stages = NULL;
    trxi_journal_destroy(&resumed);
    trxi_journal_destroy(&journal);
    trx_context_destroy(context);
}
END_TEST

// a method with one iteration, which sets the controls to zero
static trx_status zero_start(void *solver, trxi_origin origin, double tolerance)
{
    (void)origin, (void)tolerance;
    counter *c = solver;
    trxi_workspace *w = c->work;
    c->starts++;
    return trxi_rollout_controls(w->rollout, false, INFINITY, w->current, NULL);
}

static trx_status zero_iteration(void *solver, bool last, bool *finished)
{
    (void)last;
    counter *c = solver;
    trxi_workspace *w = c->work;
    c->iterations++;
    *finished = true;
    memset(w->current->u, 0, w->ocp.controls * sizeof(double));
    return trxi_rollout_controls(w->rollout, false, INFINITY, w->current, NULL);
}

START_TEST(a_plan_is_driven_without_knowing_its_method)
{
    static const trxi_method zeroing = {.reset = count_reset, .start = zero_start,
                                        .iterate = zero_iteration, .info = count_info};
    push p;
    double guess[150];
    open_push(&p, -0.08, 0, 0.05, 0, 0);
    for (int i = 0; i < 150; i++) guess[i] = 0.1;
    p.task.problem.u_guess = guess;
    p.plan = make_plan(p.context, &p.task.problem, trx_plan_settings_default());
    p.plan->method->destroy(p.context, p.plan->solver);
    counter c = {.work = &p.plan->work};
    p.plan->method = &zeroing, p.plan->solver = &c;
    ck_assert_int_eq(trx_plan_solve(p.plan, NULL, NULL), TRX_OK);
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert_int_eq(c.starts, info.nstage);
    ck_assert_int_eq(info.iterations, info.nstage);
    ck_assert(max_magnitude(trx_plan_controls(p.plan), 150) == 0);
    ck_assert(info.physical.status == TRX_OK && info.physical.cost == p.plan->stage_info[info.nstage - 1].cost);

    // the plan owns a solver again
    p.plan->method = trxi_method_find(TRX_ILQR);
    ck_assert_int_eq(p.plan->method->create(p.context, &p.plan->settings, &p.plan->work, &p.plan->solver), TRX_OK);
    close_push(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/minimize");
    TCase *cases = tcase_create("minimize");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_method_ends_a_minimization_with_its_status);
    tcase_add_test(cases, limits_and_the_caller_end_a_minimization);
    tcase_add_test(cases, a_lost_result_is_given_up_by_its_progress);
    tcase_add_test(cases, an_interruption_does_not_undo_giving_up);
    tcase_add_test(cases, a_plan_is_driven_without_knowing_its_method);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
