// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The quadratic program within the bounds of its controls: optimality conditions by differences of the model's cost, which are
// exact for a parabola; the result when the set of fixed controls does not settle.

#include "trajopt/box_sweep.h"

#include "base/random.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

enum { NX = 4, NU = 2, STEPS = 15, NZ = NX + NU, CONTROLS = NU * STEPS, GAINS = NU * NX * STEPS };

static const double scale[NU] = {1, 2};

typedef struct problem {
    char *block;
    trxi_ocp ocp;
    trxi_policy policy, other;
    trxi_riccati work;
    trxi_box_sweep box;
} problem;

static void layout(trxi_arena *arena, problem *p)
{
    const trxi_ocp_size size = {.nx = NX, .nu = NU, .cross = true, .defect = true};
    trxi_ocp_layout(arena, STEPS, &size, 0, 0, &p->ocp);
    trxi_policy_layout(arena, &p->ocp, &p->policy);
    trxi_policy_layout(arena, &p->ocp, &p->other);
    trxi_riccati_layout(arena, &p->ocp, &p->work);
    trxi_box_sweep_layout(arena, &p->ocp, &p->box);
}

// lower triangle of R^T R + 0.1 for a random R, so that [R .; S Q] is positive definite
static void random_cost(uint64_t seed, const trxi_ocp_stage *s)
{
    double R[NZ][NZ], H[NZ][NZ];
    for (int i = 0; i < NZ * NZ; i++) R[i / NZ][i % NZ] = trxi_random_normal(seed, (uint64_t)i);
    for (int i = 0; i < NZ; i++)
        for (int j = 0; j < NZ; j++) {
            H[i][j] = i == j ? 0.1 : 0;
            for (int k = 0; k < NZ; k++) H[i][j] += R[k][i] * R[k][j];
        }
    for (int i = 0; i < NX; i++) {
        for (int j = 0; j < NX; j++) s->Q[i + NX * j] = H[NU + i][NU + j];
        for (int j = 0; j < NU && s->nu; j++) s->S[i + NX * j] = H[NU + i][j];
    }
    for (int i = 0; i < s->nu; i++)
        for (int j = 0; j < s->nu; j++) s->R[i + NU * j] = H[i][j];
}

// with `growth` as the size of A, and defects only of the given size; half of the controls begin at a bound
static problem random_problem(uint64_t seed, double growth, double defect, double bound)
{
    problem p;
    trxi_arena arena = {0};
    layout(&arena, &p);
    p.block = aligned_alloc(64, arena.used);
    ck_assert_ptr_nonnull(p.block);
    memset(p.block, 0, arena.used);
    arena = (trxi_arena){.base = p.block};
    layout(&arena, &p);
    for (int k = 0; k <= STEPS; k++) {
        const trxi_ocp_stage *s = &p.ocp.stages[k];
        const uint64_t base = 100000 * (seed + 1) + 1000 * (uint64_t)k;
        random_cost(base, s);
        for (int i = 0; i < NX; i++) s->q[i] = trxi_random_normal(base + 1, (uint64_t)i);
        for (int i = 0; i < NX * NZ && k < STEPS; i++) s->B[i] = growth * trxi_random_normal(base + 2, (uint64_t)i);
        for (int i = 0; i < NX && k < STEPS; i++) s->b[i] = defect * trxi_random_normal(base + 3, (uint64_t)i);
        for (int i = 0; i < s->nu; i++) {
            s->r[i] = trxi_random_normal(base + 4, (uint64_t)i);
            const double share = trxi_random_normal(base + 5, (uint64_t)i);
            s->u_lower[i] = share < -0.7 ? 0 : -bound;
            s->u_upper[i] = share > 0.7 ? 0 : bound;
        }
    }
    return p;
}

static bool solve(problem *p, double mu)
{
    return trxi_box_sweep_run(&p->ocp, mu, scale, &p->box, &p->work, &p->policy);
}

// cost of the linear model under controls
static double cost_of(const trxi_ocp *ocp, const double *du)
{
    double x[NX] = {0}, sum = 0;
    for (int k = 0; k <= STEPS; k++) {
        const trxi_ocp_stage *s = &ocp->stages[k];
        const double *u = du + NU * k;
        double next[NX] = {0};
        for (int i = 0; i < NX; i++) {
            sum += s->q[i] * x[i];
            for (int j = 0; j < NX; j++) sum += 0.5 * s->Q[i >= j ? i + NX * j : j + NX * i] * x[i] * x[j];
            for (int j = 0; j < s->nu; j++) sum += s->S[i + NX * j] * x[i] * u[j];
        }
        for (int i = 0; i < s->nu; i++) {
            sum += s->r[i] * u[i];
            for (int j = 0; j < NU; j++) sum += 0.5 * s->R[i >= j ? i + NU * j : j + NU * i] * u[i] * u[j];
        }
        for (int i = 0; i < s->nx_next; i++) {
            next[i] = s->b[i];
            for (int j = 0; j < NU; j++) next[i] += s->B[i + NX * j] * u[j];
            for (int j = 0; j < NX; j++) next[i] += s->A[i + NX * j] * x[j];
        }
        memcpy(x, next, sizeof x);
    }
    return sum;
}

// how many controls of the policy lie at a bound, where all satisfy the optimality conditions
static int check_optimal(const problem *p)
{
    double dx[NX * (STEPS + 1)], du[CONTROLS];
    int held = 0;
    trxi_policy_follow(&p->ocp, &p->policy, dx, du);
    for (int j = 0; j < CONTROLS; j++) {
        const trxi_ocp_stage *s = &p->ocp.stages[j / NU];
        const double u = du[j], lower = s->u_lower[j % NU], upper = s->u_upper[j % NU];
        double beside[2];
        for (int side = 0; side < 2; side++) {
            du[j] = u + (side ? 1 : -1);
            beside[side] = cost_of(&p->ocp, du);
        }
        du[j] = u;
        const double gradient = (beside[1] - beside[0]) / 2, tolerance = 1e-9 * (fabs(beside[0]) + fabs(beside[1]));
        ck_assert(u >= lower && u <= upper);
        if (u > lower) ck_assert_msg(gradient < tolerance, "control %d at %g: %g", j, u, gradient);
        if (u < upper) ck_assert_msg(gradient > -tolerance, "control %d at %g: %g", j, u, gradient);
        held += u == lower || u == upper;
    }
    return held;
}

START_TEST(the_policy_solves_the_program_within_its_bounds)
{
    int held = 0, free_ones = 0, passes = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        problem p = random_problem(seed, 0.5, seed % 2 ? 0.3 : 0, seed % 3 ? 0.4 : 1.5);
        ck_assert(solve(&p, 0));
        ck_assert(p.box.settled);
        const int count = check_optimal(&p);
        held += count, free_ones += CONTROLS - count, passes += p.box.passes;
        ck_assert_int_eq(p.policy.clamped, count);
        ck_assert_ptr_eq(p.policy.ocp, &p.ocp);

        // the sweep predicts the change of the cost
        const double still[CONTROLS] = {0};
        const double change = cost_of(&p.ocp, p.box.du) - (seed % 2 ? 0 : cost_of(&p.ocp, still));
        assert_close(p.policy.linear + p.policy.quadratic, change, 1e-9 * (fabs(change) + 1));
        free(p.block);
    }
    ck_assert_int_gt(held, 300);
    ck_assert_int_gt(free_ones, 300);
    ck_assert_int_gt(passes, 120);
}
END_TEST

// Knot by knot, feedforwards were clamped that the gains take back, and plans that start far from the optimum crept towards it.
START_TEST(bounds_beyond_the_solution_do_not_count)
{
    int differ = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        problem p = random_problem(seed, 0.5, 0.3, INFINITY);
        for (int j = 0; j < CONTROLS; j++)
            p.ocp.stages[j / NU].u_lower[j % NU] = -INFINITY, p.ocp.stages[j / NU].u_upper[j % NU] = INFINITY;
        ck_assert(trxi_riccati_sweep(&p.ocp, 0, scale, &p.work, &p.other));
        trxi_policy_follow(&p.ocp, &p.other, p.box.dx, p.box.du);
        const double bound = 1.001 * max_magnitude(p.box.du, CONTROLS);
        for (int j = 0; j < CONTROLS; j++)
            p.ocp.stages[j / NU].u_lower[j % NU] = -bound, p.ocp.stages[j / NU].u_upper[j % NU] = bound;
        ck_assert(solve(&p, 0));
        ck_assert_int_eq(p.box.passes, 1);
        assert_below(max_difference(p.policy.k, p.other.k, CONTROLS), 1e-12 * max_magnitude(p.other.k, CONTROLS));
        assert_below(max_difference(p.policy.K, p.other.K, GAINS), 1e-12 * max_magnitude(p.other.K, GAINS));
        ck_assert(trxi_riccati_sweep(&p.ocp, 0, scale, &p.work, &p.other));
        differ += max_difference(p.policy.k, p.other.k, CONTROLS) > 0.01 * bound;
        free(p.block);
    }
    ck_assert_int_gt(differ, 5);
}
END_TEST

// an unstable program: sets that alternate for ever exist, and damping makes them fewer
START_TEST(where_no_set_settles_the_result_is_that_of_single_knots)
{
    int open = 0;
    for (uint64_t seed = 0; seed < 400 && open < 3; seed++) {
        problem p = random_problem(seed, 1.2, 0, 0.4);
        ck_assert(solve(&p, 0.01));
        if (!p.box.settled) {
            open++;
            memset(p.other.k, 0, CONTROLS * sizeof(double));
            memset(p.policy.k, 0, CONTROLS * sizeof(double));
            ck_assert(trxi_riccati_sweep(&p.ocp, 0.01, scale, &p.work, &p.other));
            ck_assert(solve(&p, 0.01));
            assert_below(max_difference(p.policy.k, p.other.k, CONTROLS), 1e-9 * max_magnitude(p.other.k, CONTROLS));
            ck_assert_int_gt(p.policy.clamped, 0);
        }
        free(p.block);
    }
    ck_assert_int_eq(open, 3);
}
END_TEST

START_TEST(damping_keeps_bounds_and_lowers_the_cost)
{
    int settled = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        problem p = random_problem(seed, 0.5, 0, 0.4);
        const double still[CONTROLS] = {0};
        ck_assert(solve(&p, 0.3));
        trxi_policy_follow(&p.ocp, &p.policy, p.box.dx, p.box.du);
        ck_assert(cost_of(&p.ocp, p.box.du) < cost_of(&p.ocp, still));
        settled += p.box.settled;
        free(p.block);
    }
    ck_assert_int_gt(settled, 30);
}
END_TEST

START_TEST(a_control_without_curvature_is_found_at_its_knot)
{
    const int knot = 6;
    problem p = random_problem(1, 0.5, 0, 0.4);
    const trxi_ocp_stage *s = &p.ocp.stages[knot];
    memset(s->R, 0, NU * NU * sizeof(double));
    memset(s->B, 0, NX * NU * sizeof(double));
    for (int i = 0; i < NU; i++) s->u_lower[i] = -0.4, s->u_upper[i] = 0.4, s->r[i] = 0;
    memset(s->S, 0, NX * NU * sizeof(double));
    ck_assert(!solve(&p, 0));
    ck_assert(!p.box.settled);
    ck_assert_int_eq(p.work.failed_knot, knot);
    free(p.block);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/box_sweep");
    TCase *cases = tcase_create("box_sweep");
    tcase_add_test(cases, the_policy_solves_the_program_within_its_bounds);
    tcase_add_test(cases, bounds_beyond_the_solution_do_not_count);
    tcase_add_test(cases, where_no_set_settles_the_result_is_that_of_single_knots);
    tcase_add_test(cases, damping_keeps_bounds_and_lowers_the_cost);
    tcase_add_test(cases, a_control_without_curvature_is_found_at_its_knot);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
