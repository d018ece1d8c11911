// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Gains for held corrections: for one step the gains of the Riccati sweep; for a block the minimum of its cost; none at bounds.

#include "trajopt/held_sweep.h"

#include "base/random.h"
#include "math/dense.h"
#include "support/support.h"
#include "trajopt/riccati.h"

#include <stdlib.h>
#include <string.h>

enum { NX = 6, NU = 2, STEPS = 7, MOST_HELD = 7 };

typedef struct problem {
    char *block;
    trxi_ocp ocp;
    trxi_policy policy;
    trxi_riccati riccati;
    trxi_held_sweep held;
    double *K;
} problem;

static void layout(trxi_arena *arena, problem *p, int held)
{
    const trxi_ocp_size size = {.nx = NX, .nu = NU, .cross = true};
    trxi_ocp_layout(arena, STEPS, &size, 0, 1, &p->ocp);
    trxi_policy_layout(arena, &p->ocp, &p->policy);
    trxi_riccati_layout(arena, &p->ocp, &p->riccati);
    trxi_held_sweep_layout(arena, &p->ocp, held, &p->held);
    p->K = TRXI_TAKE(arena, double, p->ocp.gains);
}

// lower triangle of R^T R + 1 for a random n x n R
static void random_hessian(uint64_t seed, int n, double *H)
{
    double R[NX * NX];
    for (int i = 0; i < n * n; i++) R[i] = trxi_random_normal(seed, (uint64_t)i);
    trxi_gemm_tn(n, n, n, 1, R, n, R, n, 0, H, n);
    for (int i = 0; i < n; i++) H[i + i * n] += 1;
}

static problem random_problem(uint64_t seed, int held)
{
    problem p;
    trxi_arena arena = {0};
    layout(&arena, &p, held);
    p.block = aligned_alloc(64, (arena.used + 63) / 64 * 64);
    ck_assert_ptr_nonnull(p.block);
    memset(p.block, 0, arena.used);
    arena = (trxi_arena){.base = p.block};
    layout(&arena, &p, held);
    for (int k = 0; k <= STEPS; k++) random_hessian(seed + 1000 + (uint64_t)k, NX, p.ocp.stages[k].Q);
    for (int k = 0; k < STEPS; k++) {
        const trxi_ocp_stage *stage = &p.ocp.stages[k];
        for (int i = 0; i < NX * (NU + NX); i++) stage->B[i] = 0.4 * trxi_random_normal(seed, (uint64_t)(100 * k + i));
        for (int i = 0; i < NX * NU; i++) stage->S[i] = 0.2 * trxi_random_normal(seed + 1, (uint64_t)(100 * k + i));
        random_hessian(seed + 2000 + (uint64_t)k, NU, stage->R);
        for (int i = 0; i < NU; i++) stage->u_lower[i] = -INFINITY, stage->u_upper[i] = INFINITY;
    }
    return p;
}

START_TEST(for_one_step_the_gains_are_those_of_the_riccati_sweep)
{
    const double scale[NU] = {1, 1};
    problem p = random_problem(7, 1);
    ck_assert(trxi_riccati_sweep(&p.ocp, 0, scale, &p.riccati, &p.policy));
    ck_assert(trxi_held_sweep_run(&p.ocp, 0, &p.held, p.K));
    for (size_t i = 0; i < p.ocp.gains; i++) assert_close(p.K[i], p.policy.K[i], 1e-10);
    ck_assert_double_gt(fabs(p.K[0]), 1e-3);
    free(p.block);
}
END_TEST

// 1/2 z.l z of a stage
static double stage_cost(const trxi_ocp_stage *stage, const double *x, const double *u)
{
    double Qx[NX], Ru[NU], Su[NX];
    trxi_symv(NX, stage->Q, NX, x, Qx);
    if (!u) return 0.5 * trxi_dot(NX, x, Qx);
    trxi_symv(NU, stage->R, NU, u, Ru);
    trxi_gemv(NX, NU, 1, stage->S, NX, u, 0, Su);
    return 0.5 * trxi_dot(NX, x, Qx) + 0.5 * trxi_dot(NU, u, Ru) + trxi_dot(NX, x, Su);
}

// from stage `first` to the end under corrections u that stay
static double cost_of(const trxi_ocp *ocp, int first, const double *x_first, const double *u)
{
    double x[NX], next[NX], sum = 0;
    memcpy(x, x_first, sizeof x);
    for (int k = first; k < STEPS; k++) {
        const trxi_ocp_stage *stage = &ocp->stages[k];
        sum += stage_cost(stage, x, u);
        trxi_gemv(NX, NX, 1, stage->A, NX, x, 0, next);
        trxi_gemv(NX, NU, 1, stage->B, NX, u, 1, next);
        memcpy(x, next, sizeof x);
    }
    return sum + stage_cost(&ocp->stages[STEPS], x, NULL);
}

START_TEST(a_correction_that_stays_to_the_end_has_the_least_cost)
{
    problem p = random_problem(11, MOST_HELD);
    ck_assert(trxi_held_sweep_run(&p.ocp, 0, &p.held, p.K));
    for (int k = 0; k < STEPS; k++) {
        double x[NX], u[NU];
        for (int i = 0; i < NX; i++) x[i] = trxi_random_normal(3, (uint64_t)(NX * k + i));
        trxi_gemv(NU, NX, 1, p.K + NU * NX * k, NU, x, 0, u);
        const double least = cost_of(&p.ocp, k, x, u);
        for (int i = 0; i < NU; i++) {
            const double h = 1e-4, old = u[i];
            u[i] = old + h;
            const double above = cost_of(&p.ocp, k, x, u);
            u[i] = old - h;
            const double below = cost_of(&p.ocp, k, x, u);
            u[i] = old;
            assert_below(fabs(above - below) / (2 * h), 1e-7 * least);
            ck_assert(above > least && below > least);
        }
    }
    free(p.block);
}
END_TEST

// the cost of a stage between two blocks is a minimum, too: the value of stage 3 belongs to a correction until stage 6
START_TEST(values_of_later_blocks_count)
{
    problem p = random_problem(13, 3);
    ck_assert(trxi_held_sweep_run(&p.ocp, 0, &p.held, p.K));
    double x[NX], u[NU], K_0[NU * NX];
    memcpy(K_0, p.K, sizeof K_0);
    for (int i = 0; i < NX; i++) x[i] = trxi_random_normal(5, (uint64_t)i);
    trxi_gemv(NU, NX, 1, K_0, NU, x, 0, u);

    // the cost of [0, 3) with u, then of [3, 6) and [6, 7) under the gains of stages 3 and 6
    double slope[NU], least = 0;
    for (int trial = 0; trial <= 2 * NU; trial++) {
        const double h = 1e-4;
        double v[NU], y[NX], next[NX], c[NU], sum = 0;
        memcpy(v, u, sizeof v);
        if (trial > 0) v[(trial - 1) / 2] += trial % 2 ? h : -h;
        memcpy(y, x, sizeof y), memcpy(c, v, sizeof c);
        for (int k = 0; k < STEPS; k++) {
            const trxi_ocp_stage *stage = &p.ocp.stages[k];
            if (k > 0 && k % 3 == 0) trxi_gemv(NU, NX, 1, p.K + NU * NX * k, NU, y, 0, c);
            sum += stage_cost(stage, y, c);
            trxi_gemv(NX, NX, 1, stage->A, NX, y, 0, next);
            trxi_gemv(NX, NU, 1, stage->B, NX, c, 1, next);
            memcpy(y, next, sizeof y);
        }
        sum += stage_cost(&p.ocp.stages[STEPS], y, NULL);
        if (trial == 0) least = sum;
        else if (trial % 2) slope[(trial - 1) / 2] = sum;
        else slope[(trial - 1) / 2] = (slope[(trial - 1) / 2] - sum) / (2 * h);
    }
    for (int i = 0; i < NU; i++) assert_below(fabs(slope[i]), 1e-7 * least);
    free(p.block);
}
END_TEST

START_TEST(controls_at_a_bound_for_the_whole_block_have_no_gains)
{
    problem p = random_problem(17, 2);
    for (int k = 3; k <= 4; k++) p.ocp.stages[k].u_upper[1] = 0;
    ck_assert(trxi_held_sweep_run(&p.ocp, 0, &p.held, p.K));
    for (int k = 0; k < STEPS; k++)
        for (int j = 0; j < NX; j++) {
            ck_assert(p.K[NU * NX * k + NU * j] != 0);
            ck_assert((p.K[NU * NX * k + NU * j + 1] == 0) == (k == 3));
        }
    free(p.block);
}
END_TEST

START_TEST(without_curvature_only_a_damped_sweep_succeeds)
{
    problem p = random_problem(19, 1);
    for (int k = 0; k < STEPS; k++) {
        memset(p.ocp.stages[k].R, 0, NU * NU * sizeof(double));
        memset(p.ocp.stages[k].B, 0, NX * NU * sizeof(double));
        memset(p.ocp.stages[k].S, 0, NX * NU * sizeof(double));
    }
    ck_assert(!trxi_held_sweep_run(&p.ocp, 0, &p.held, p.K));
    ck_assert(trxi_held_sweep_run(&p.ocp, 1e-6, &p.held, p.K));
    assert_below(max_magnitude(p.K, (int)p.ocp.gains), 1e-12);
    free(p.block);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/held_sweep");
    TCase *cases = tcase_create("held_sweep");
    tcase_add_test(cases, for_one_step_the_gains_are_those_of_the_riccati_sweep);
    tcase_add_test(cases, a_correction_that_stays_to_the_end_has_the_least_cost);
    tcase_add_test(cases, values_of_later_blocks_count);
    tcase_add_test(cases, controls_at_a_bound_for_the_whole_block_have_no_gains);
    tcase_add_test(cases, without_curvature_only_a_damped_sweep_succeeds);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
