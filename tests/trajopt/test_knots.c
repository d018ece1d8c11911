// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Knots by themselves: a simulated trajectory has no defects, a moved state appears in the two defects beside it, costs and
// linearizations are those of a rollout, threads do not change bits, and a failed step is named.

#include "trajopt/scenes.h"

#include "trajopt/knots.h"
#include "trajopt/plan.h"

enum { STEPS = 50, NSTATE = 19, NX = 18, NU = 3 };

typedef struct desk {
    push p;
    trxi_trajectory *t;
    trxi_knots knots;
    char *block;
} desk;

static desk open_desk(int threads)
{
    desk d = {0};
    trx_stage physical = physical_stage();
    trx_plan_settings settings = trx_plan_settings_default();
    settings.threads = threads, settings.method = TRX_MULTIPLE_SHOOTING;
    open_push(&d.p, -0.075, 0.005, 0.05, 0, 0);
    d.p.task.problem.stages = &physical, d.p.task.problem.nstage = 1;
    d.p.plan = make_plan(d.p.context, &d.p.task.problem, settings);
    d.t = d.p.plan->work.current;
    trxi_arena arena = {0};
    trxi_knots_layout(&arena, &d.p.plan->rollout, &d.knots);
    d.block = trxi_allocate(d.p.context, arena.used);
    arena = (trxi_arena){.base = d.block};
    trxi_knots_layout(&arena, &d.p.plan->rollout, &d.knots);
    for (int k = 0; k < STEPS; k++) {
        d.t->u[NU * k] = k < 10 ? 20 : 2 * trxi_random_normal(1, (uint64_t)k);
        d.t->u[NU * k + 1] = trxi_random_normal(2, (uint64_t)k);
    }
    ck_assert_int_eq(trxi_rollout_controls(&d.p.plan->rollout, false, INFINITY, d.t, NULL), TRX_OK);
    return d;
}

static void close_desk(desk *d)
{
    trxi_release(d->p.context, d->block);
    close_push(&d->p);
}

// turns and shifts the state of a knot
static void disturb(const desk *d, int knot, double *dx)
{
    double *x = d->t->x + NSTATE * knot, q[10];
    for (int i = 0; i < NX; i++) dx[i] = 0.01 * trxi_random_normal(5, (uint64_t)i);
    trx_model_integrate(d->p.model, x, dx, q);
    memcpy(x, q, sizeof q);
    for (int i = 0; i < NX / 2; i++) x[10 + i] += dx[9 + i];
}

START_TEST(a_simulation_has_no_defects_and_its_own_cost)
{
    desk d = open_desk(1);
    const double cost = d.t->cost;
    ck_assert_int_ge(trxi_knots_evaluate(&d.p.plan->rollout, d.t, &d.knots, NULL), 0);
    assert_below(max_magnitude(d.knots.defects, NX * STEPS), 1e-9);
    assert_close(d.t->cost, cost, 1e-12 * cost);
    ck_assert(d.t->x[NSTATE * STEPS] > 0.01);
    close_desk(&d);
}
END_TEST

START_TEST(a_moved_state_is_in_the_defects_beside_it)
{
    desk d = open_desk(1);
    double dx[NX];
    disturb(&d, 30, dx);
    ck_assert_int_ge(trxi_knots_evaluate(&d.p.plan->rollout, d.t, &d.knots, NULL), 0);
    for (int k = 0; k < STEPS; k++) {
        const double *b = d.knots.defects + NX * k;
        if (k == 29) for (int i = 0; i < NX; i++) assert_close(b[i], -dx[i], 1e-9);
        else if (k == 30) ck_assert(max_magnitude(b, NX) > 1e-3);
        else assert_below(max_magnitude(b, NX), 1e-9);
    }
    double sum = 0;
    for (int i = 0; i < NX * STEPS; i++) sum += fabs(d.knots.defects[i]);
    assert_close(d.knots.defect, sum, 1e-12);
    close_desk(&d);
}
END_TEST

START_TEST(a_linearization_is_that_of_a_rollout_and_has_the_defects)
{
    desk d = open_desk(1);
    trxi_workspace *w = &d.p.plan->work;
    double dx[NX];
    disturb(&d, 20, dx);
    ck_assert_int_ge(trxi_rollout_linearize(&d.p.plan->rollout, d.t, &w->ocp), 0);
    for (int k = 0; k < STEPS; k++) ck_assert(max_magnitude(w->ocp.stages[k].b, NX) == 0);
    ck_assert_int_ge(trxi_knots_evaluate(&d.p.plan->rollout, d.t, &d.knots, &w->next), 0);
    for (int k = 0; k < STEPS; k++) {
        const trxi_ocp_stage *a = &w->ocp.stages[k], *b = &w->next.stages[k];
        assert_below(max_difference(a->B, b->B, NX * (NX + NU)), 1e-9 * max_magnitude(a->B, NX * (NX + NU)));
        ck_assert(memcmp(a->q, b->q, NX * sizeof(double)) == 0 && memcmp(a->r, b->r, NU * sizeof(double)) == 0);
        ck_assert(memcmp(b->b, d.knots.defects + NX * k, NX * sizeof(double)) == 0);
    }
    ck_assert(memcmp(w->ocp.stages[STEPS].q, w->next.stages[STEPS].q, NX * sizeof(double)) == 0);
    close_desk(&d);
}
END_TEST

START_TEST(threads_do_not_change_bits)
{
    desk a = open_desk(1), b = open_desk(3);
    double dx[NX];
    disturb(&a, 25, dx);
    disturb(&b, 25, dx);
    ck_assert_int_ge(trxi_knots_evaluate(&a.p.plan->rollout, a.t, &a.knots, &a.p.plan->work.ocp), 0);
    ck_assert_int_ge(trxi_knots_evaluate(&b.p.plan->rollout, b.t, &b.knots, &b.p.plan->work.ocp), 0);
    ck_assert(a.t->cost == b.t->cost && a.knots.defect == b.knots.defect);
    ck_assert(memcmp(a.knots.defects, b.knots.defects, NX * STEPS * sizeof(double)) == 0);
    for (int k = 0; k < STEPS; k++)
        ck_assert(memcmp(a.p.plan->work.ocp.stages[k].B, b.p.plan->work.ocp.stages[k].B, NX * (NX + NU) * sizeof(double)) == 0);
    close_desk(&a);
    close_desk(&b);
}
END_TEST

START_TEST(a_step_that_fails_is_named)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        desk d = open_desk(threads);
        d.t->x[NSTATE * 17 + 9] = NAN;
        ck_assert_int_eq(trxi_knots_evaluate(&d.p.plan->rollout, d.t, &d.knots, NULL), TRX_ERR_NOT_FINITE);
        ck_assert_int_eq(d.p.plan->rollout.failed_knot, 17);
        ck_assert(isinf(d.t->cost));
        close_desk(&d);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/knots");
    TCase *cases = tcase_create("knots");
    tcase_add_test(cases, a_simulation_has_no_defects_and_its_own_cost);
    tcase_add_test(cases, a_moved_state_is_in_the_defects_beside_it);
    tcase_add_test(cases, a_linearization_is_that_of_a_rollout_and_has_the_defects);
    tcase_add_test(cases, threads_do_not_change_bits);
    tcase_add_test(cases, a_step_that_fails_is_named);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
