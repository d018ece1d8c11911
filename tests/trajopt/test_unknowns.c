// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Start and end of methods with states as unknowns: controls are simulated, states are kept except the first, states that
// cannot be evaluated give way to the simulation, and the end is a simulation near the states or the known one.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"
#include "trajopt/unknowns.h"

enum { STEPS = 50, NSTATE = 19, NU = 3 };

typedef struct desk {
    push p;
    trxi_workspace *w;
    trxi_knots knots;
    trxi_trajectory best;
    char *block;
    bool linearized;
} desk;

static void layout(trxi_arena *arena, desk *d)
{
    trxi_knots_layout(arena, &d->p.plan->rollout, &d->knots);
    trxi_trajectory_layout(arena, NSTATE, NU, STEPS, &d->best);
}

static void open_desk(desk *d)
{
    trx_stage physical = physical_stage();
    trx_plan_settings settings = trx_plan_settings_default();
    settings.method = TRX_MULTIPLE_SHOOTING;
    open_push(&d->p, -0.075, 0.005, 0.05, 0, 0);
    d->p.task.problem.stages = &physical, d->p.task.problem.nstage = 1;
    d->p.plan = make_plan(d->p.context, &d->p.task.problem, settings);
    d->w = &d->p.plan->work;
    trxi_arena arena = {0};
    layout(&arena, d);
    d->block = trxi_allocate(d->p.context, arena.used);
    arena = (trxi_arena){.base = d->block};
    layout(&arena, d);
    for (int i = 0; i < NU * STEPS; i++) d->w->current->u[i] = trxi_random_normal(2, (uint64_t)i);
}

static void close_desk(desk *d)
{
    trxi_release(d->p.context, d->block);
    close_push(&d->p);
}

START_TEST(controls_are_simulated)
{
    desk d;
    open_desk(&d);
    ck_assert_int_eq(trxi_unknowns_start(d.w, false, &d.knots, &d.linearized, &d.best), TRX_OK);
    ck_assert(d.knots.defect == 0 && d.linearized && d.best.cost == d.w->current->cost);
    ck_assert(memcmp(d.best.x, d.w->current->x, NSTATE * (STEPS + 1) * sizeof(double)) == 0);
    close_desk(&d);
}
END_TEST

START_TEST(states_are_kept_except_the_first)
{
    desk d;
    open_desk(&d);
    for (int k = 0; k <= STEPS; k++) memcpy(d.w->current->x + NSTATE * k, d.p.task.x0, sizeof d.p.task.x0);
    d.w->current->x[7] += 0.5;
    ck_assert_int_eq(trxi_unknowns_start(d.w, true, &d.knots, &d.linearized, &d.best), TRX_OK);
    for (int k = 0; k <= STEPS; k++)
        ck_assert(memcmp(d.w->current->x + NSTATE * k, d.p.task.x0, sizeof d.p.task.x0) == 0);
    ck_assert(d.knots.defect > 0.01 && d.linearized && isfinite(d.best.cost));

    // the end is a simulation of these controls, since there are no gains
    memset(d.w->policy.K, 0, d.w->ocp.gains * sizeof(double));
    const double known = d.best.cost;
    d.best.cost = INFINITY;
    trxi_unknowns_finish(d.w, d.knots.defect, &d.best);
    assert_close(d.w->current->cost, known, 1e-9 * known);
    assert_below(max_difference(d.w->current->x, d.best.x, NSTATE * (STEPS + 1)), 1e-9);
    close_desk(&d);
}
END_TEST

START_TEST(states_that_cannot_be_evaluated_give_way_to_the_simulation)
{
    desk d;
    open_desk(&d);
    ck_assert_int_ge(trxi_rollout_controls(&d.p.plan->rollout, false, INFINITY, d.w->current, NULL), 0);
    d.w->current->x[NSTATE * 9] = NAN;
    ck_assert_int_eq(trxi_unknowns_start(d.w, true, &d.knots, &d.linearized, &d.best), TRX_OK);
    ck_assert(isfinite(d.w->current->x[NSTATE * 9]) && d.knots.defect == 0 && !d.linearized);
    ck_assert(d.w->current->cost == d.best.cost);
    close_desk(&d);
}
END_TEST

START_TEST(the_cheaper_simulation_is_the_end)
{
    desk d;
    open_desk(&d);
    ck_assert_int_eq(trxi_unknowns_start(d.w, false, &d.knots, &d.linearized, &d.best), TRX_OK);
    const double known = d.best.cost;
    for (int i = 0; i < NU * STEPS; i++) d.w->current->u[i] = 20;
    trxi_unknowns_finish(d.w, 1, &d.best);
    ck_assert(d.w->current->cost == known);
    ck_assert(memcmp(d.w->current->u, d.best.u, NU * STEPS * sizeof(double)) == 0);
    close_desk(&d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/unknowns");
    TCase *cases = tcase_create("unknowns");
    tcase_add_test(cases, controls_are_simulated);
    tcase_add_test(cases, states_are_kept_except_the_first);
    tcase_add_test(cases, states_that_cannot_be_evaluated_give_way_to_the_simulation);
    tcase_add_test(cases, the_cheaper_simulation_is_the_end);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
