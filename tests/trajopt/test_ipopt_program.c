// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The transcription of a trajectory: variables and trajectory are inverse to each other; gradient and Jacobian agree with
// central differences of cost, defects and limits, with balls that are turned and defects that are not small; the Hessian is
// that of the cost alone.

#include "trajopt/scenes.h"

#include "math/dense.h"
#include "trajopt/ipopt_program.h"
#include "trajopt/plan.h"

enum { STEPS = 6, NSTATE = 19, NX = 18, NU = 3, N = STEPS * (NX + NU), DEFECTS = STEPS * NX };

// limits of spin and place of the box, of the force on it, and of controls, at some knots
enum { LIMITS = 4, ROWS = 3 * STEPS + 3 + 3 * STEPS + 3 * 2, M = DEFECTS + ROWS };

typedef struct desk {
    push p;
    trxi_knots knots;
    trxi_limit_rows rows;
    trxi_transcription t;
    char *block;
    double variables[N], lower[N], upper[N];
} desk;

static void layout(trxi_arena *arena, desk *d)
{
    trxi_knots_layout(arena, &d->p.plan->rollout, &d->knots);
    trxi_limit_rows_layout(arena, d->p.model, STEPS, &d->p.plan->limits, &d->rows);
    trxi_transcription_layout(arena, &d->p.plan->rollout, &d->rows, &d->t);
}

static void set_limits(const trx_model *model, trx_limit limits[LIMITS])
{
    static const double lower[3] = {-1, -2, -3}, upper[3] = {100, 200, INFINITY}, turned[4] = {0.9, 0.1, 0.2, 0.3};
    static int pusher, box;
    pusher = trx_model_find_geom(model, "pusher#1"), box = trx_model_find_geom(model, "box#1");
    const int body = trx_model_find_body(model, "box");
    for (int i = 0; i < LIMITS; i++) limits[i] = trx_limit_default(), limits[i].lower = lower, limits[i].upper = upper;
    limits[0].term = (trx_cost_term){.name = "spin", .quantity = TRX_BODY_SPIN, .index = body};
    limits[1].term = (trx_cost_term){.name = "turn", .quantity = TRX_BODY_ORIENTATION, .index = body, .target = turned};
    limits[1].first = limits[1].last = STEPS;
    limits[2].term = (trx_cost_term){.name = "force", .quantity = TRX_CONTACT_FORCE, .geoms_a = &pusher, .ngeom_a = 1,
                                     .geoms_b = &box, .ngeom_b = 1};
    limits[3].term = (trx_cost_term){.name = "control", .quantity = TRX_CONTROL};
    limits[3].first = 2, limits[3].last = 3;
}

// a pusher that touches a box, the states about the simulation turned and moved
static void open_desk(desk *d)
{
    trx_stage physical = physical_stage();
    trx_plan_settings settings = trx_plan_settings_default();
    settings.method = TRX_MULTIPLE_SHOOTING;
    open_push(&d->p, -0.075, 0.005, 0.05, 0, 0);
    d->p.task.x0[17] = 0.5;
    d->p.task.problem.stages = &physical, d->p.task.problem.nstage = 1, d->p.task.problem.steps = STEPS;
    trx_limit limits[LIMITS];
    set_limits(d->p.model, limits);
    d->p.task.problem.limits = limits, d->p.task.problem.nlimit = LIMITS;
    d->p.plan = make_plan(d->p.context, &d->p.task.problem, settings);
    trxi_arena arena = {0};
    layout(&arena, d);
    d->block = trxi_allocate(d->p.context, arena.used);
    arena = (trxi_arena){.base = d->block};
    layout(&arena, d);
    trxi_limit_rows_fill(&d->rows, STEPS);
    trxi_transcription_fill(&d->t);
    d->p.plan->limited.rows = &d->rows;
    trxi_trajectory *traj = d->p.plan->work.current;
    for (int i = 0; i < NU * STEPS; i++) traj->u[i] = 5 * trxi_random_normal(2, (uint64_t)i);
    ck_assert_int_ge(trxi_rollout_controls(&d->p.plan->rollout, false, INFINITY, traj, NULL), 0);
    trxi_transcription_start(&d->t, traj, d->variables, d->lower, d->upper);
    for (int i = 0; i < N; i++) {
        const bool turn = i % (NX + NU) >= NU + 3 && i % (NX + NU) < NU + 6;
        if (i % (NX + NU) >= NU) d->variables[i] += (turn ? 0.3 : 0.002) * trxi_random_normal(3, (uint64_t)i);
    }
}

static void close_desk(desk *d)
{
    trxi_release(d->p.context, d->block);
    close_push(&d->p);
}

// cost, and defects and limits of variables
static double evaluate(desk *d, const double *variables, double *constraints, trxi_ocp *ocp)
{
    trxi_trajectory *traj = d->p.plan->work.trial;
    trxi_transcription_trajectory(&d->t, variables, traj);
    ck_assert_int_ge(trxi_knots_evaluate(&d->p.plan->rollout, traj, &d->knots, ocp), 0);
    if (constraints) memcpy(constraints, d->knots.defects, DEFECTS * sizeof *constraints);
    if (constraints) memcpy(constraints + DEFECTS, d->rows.values, ROWS * sizeof *constraints);
    return traj->cost;
}

START_TEST(variables_are_the_trajectory)
{
    desk d;
    double variables[N];
    open_desk(&d);
    ck_assert_int_eq(d.t.n, N);
    ck_assert_int_eq(d.t.m, M);
    const trxi_trajectory *from = d.p.plan->work.current, *to = d.p.plan->work.trial;
    trxi_transcription_start(&d.t, from, variables, d.lower, d.upper);
    trxi_transcription_trajectory(&d.t, variables, d.p.plan->work.trial);
    assert_below(max_difference(from->x, to->x, NSTATE * (STEPS + 1)), 1e-15);
    ck_assert(memcmp(from->u, to->u, NU * STEPS * sizeof(double)) == 0);
    ck_assert(d.upper[0] == 20 && d.lower[0] == -20 && isinf(d.upper[NU]));
    close_desk(&d);
}
END_TEST

START_TEST(derivatives_agree_with_differences)
{
    desk d;
    static double gradient[N], values[(DEFECTS + ROWS) * (NX + NU + 1) * 2], J[M * N], plus[M], minus[M];
    open_desk(&d);
    trxi_ocp *ocp = &d.p.plan->work.ocp;
    evaluate(&d, d.variables, NULL, ocp);
    ck_assert(d.knots.defect > 1);
    trxi_transcription_gradient(&d.t, d.variables, ocp, gradient);
    trxi_transcription_jacobian(&d.t, d.variables, ocp, values);
    memset(J, 0, sizeof J);
    for (int e = 0; e < d.t.njacobian; e++) {
        const size_t row = (size_t)(d.t.jacobian[e] >> 32), column = (size_t)(d.t.jacobian[e] & UINT32_MAX);
        ck_assert(row < M && column < N && J[row + M * column] == 0);
        J[row + M * column] = values[e];
    }
    const double scale = max_magnitude(J, M * N), steepest = max_magnitude(gradient, N);
    ck_assert(scale > 0.5 && steepest > 1);
    for (int i = 0; i < N; i++) {
        const double h = 1e-6, old = d.variables[i];
        d.variables[i] = old + h;
        const double above = evaluate(&d, d.variables, plus, NULL);
        d.variables[i] = old - h;
        const double below = evaluate(&d, d.variables, minus, NULL);
        d.variables[i] = old;
        assert_close(gradient[i], (above - below) / (2 * h), 1e-5 * steepest);
        for (int j = 0; j < M; j++)
            ck_assert_msg(fabs(J[j + M * i] - (plus[j] - minus[j]) / (2 * h)) < 1e-5 * scale, "dc_%d / dz_%d = %g, not %g", j, i,
                          J[j + M * i], (plus[j] - minus[j]) / (2 * h));
    }
    close_desk(&d);
}
END_TEST

// z.H z is the curvature of the Gauss-Newton model of each knot
START_TEST(the_hessian_is_that_of_the_knots)
{
    desk d;
    static double values[N * N], z[N];
    open_desk(&d);
    trxi_ocp *ocp = &d.p.plan->work.ocp;
    for (int i = 0; i < N; i++) d.variables[i] = i % (NX + NU) < NU ? d.variables[i] : 0, z[i] = trxi_random_normal(7, (uint64_t)i);
    evaluate(&d, d.variables, NULL, ocp);
    trxi_transcription_hessian(&d.t, d.variables, ocp, 0.5, values);
    double sum = 0, expected = 0;
    for (int e = 0; e < d.t.nhessian; e++) {
        const size_t row = (size_t)(d.t.hessian[e] >> 32), column = (size_t)(d.t.hessian[e] & UINT32_MAX);
        ck_assert(row >= column);
        sum += (row == column ? 1 : 2) * values[e] * z[row] * z[column];
    }
    for (int k = 0; k < STEPS; k++) {
        const double *u = z + k * (NX + NU), *x = u + NU;
        double Qx[NX], Ru[NU];
        trxi_symv(NX, ocp->stages[k + 1].Q, NX, x, Qx);
        trxi_symv(NU, ocp->stages[k].R, NU, u, Ru);
        expected += 0.5 * (trxi_dot(NX, x, Qx) + trxi_dot(NU, u, Ru));
    }
    ck_assert(expected > 1);
    assert_close(sum, expected, 1e-12 * expected);
    close_desk(&d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/ipopt_program");
    TCase *cases = tcase_create("ipopt_program");
    tcase_add_test(cases, variables_are_the_trajectory);
    tcase_add_test(cases, derivatives_agree_with_differences);
    tcase_add_test(cases, the_hessian_is_that_of_the_knots);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
