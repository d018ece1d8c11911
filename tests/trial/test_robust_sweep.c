// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The sweep over several worlds: its slope against differences of the summed cost of linear worlds. For one world with the gains of
// the Riccati sweep, the change of the controls is the change of the Riccati sweep.

#include "trial/robust_sweep.h"

#include "base/random.h"
#include "math/dense.h"
#include "support/support.h"
#include "trajopt/riccati.h"

#include <stdlib.h>
#include <string.h>

enum { NX = 5, NU = 2, STEPS = 6, WORLDS = 3, CONTROLS = NU * STEPS };

typedef struct problem {
    char *block;
    trxi_ocp ocps[WORLDS];
    const trxi_ocp *views[WORLDS];
    trxi_policy policy;
    trxi_riccati riccati;
    trxi_robust_sweep sweep;
    double *K, *k;
} problem;

static void layout(trxi_arena *arena, problem *p, int worlds)
{
    const trxi_ocp_size size = {.nx = NX, .nu = NU, .cross = true};
    for (int i = 0; i < WORLDS; i++) trxi_ocp_layout(arena, STEPS, &size, 0, 1, &p->ocps[i]);
    trxi_policy_layout(arena, &p->ocps[0], &p->policy);
    trxi_riccati_layout(arena, &p->ocps[0], &p->riccati);
    trxi_robust_sweep_layout(arena, &p->ocps[0], worlds, &p->sweep);
    p->K = TRXI_TAKE(arena, double, p->ocps[0].gains);
    p->k = TRXI_TAKE(arena, double, p->ocps[0].controls);
}

// lower triangle of R^T R + 1 for a random n x n R
static void random_hessian(uint64_t seed, int n, double *H)
{
    double R[NX * NX];
    for (int i = 0; i < n * n; i++) R[i] = trxi_random_normal(seed, (uint64_t)i);
    trxi_gemm_tn(n, n, n, 1, R, n, R, n, 0, H, n);
    for (int i = 0; i < n; i++) H[i + i * n] += 1;
}

static void randomize(const trxi_ocp *ocp, uint64_t seed)
{
    for (int k = 0; k <= STEPS; k++) {
        random_hessian(seed + 1000 + (uint64_t)k, NX, ocp->stages[k].Q);
        for (int i = 0; i < NX; i++) ocp->stages[k].q[i] = trxi_random_normal(seed + 1, (uint64_t)(NX * k + i));
    }
    for (int k = 0; k < STEPS; k++) {
        const trxi_ocp_stage *stage = &ocp->stages[k];
        for (int i = 0; i < NX * (NU + NX); i++) stage->B[i] = 0.4 * trxi_random_normal(seed, (uint64_t)(100 * k + i));
        for (int i = 0; i < NX * NU; i++) stage->S[i] = 0.2 * trxi_random_normal(seed + 3, (uint64_t)(100 * k + i));
        random_hessian(seed + 2000 + (uint64_t)k, NU, stage->R);
        for (int i = 0; i < NU; i++) {
            stage->r[i] = trxi_random_normal(seed + 2, (uint64_t)(NU * k + i));
            stage->u_lower[i] = -INFINITY, stage->u_upper[i] = INFINITY;
        }
    }
}

static void open_problem(problem *p, int worlds)
{
    trxi_arena arena = {0};
    layout(&arena, p, worlds);
    p->block = aligned_alloc(64, (arena.used + 63) / 64 * 64);
    ck_assert_ptr_nonnull(p->block);
    memset(p->block, 0, arena.used);
    arena = (trxi_arena){.base = p->block};
    layout(&arena, p, worlds);
    for (int i = 0; i < WORLDS; i++) {
        randomize(&p->ocps[i], 5000 * (uint64_t)i);
        p->views[i] = &p->ocps[i];
    }
    for (size_t i = 0; i < p->ocps[0].gains; i++) p->K[i] = 0.3 * trxi_random_normal(77, i);
}

// change of the cost of one world when the controls change by alpha k and the gains act
static double change(const trxi_ocp *ocp, const double *K, const double *k, double alpha)
{
    double x[NX] = {0}, next[NX], u[NU], product[NX], sum = 0;
    for (int step = 0; step <= STEPS; step++) {
        const trxi_ocp_stage *stage = &ocp->stages[step];
        trxi_symv(NX, stage->Q, NX, x, product);
        sum += trxi_dot(NX, stage->q, x) + 0.5 * trxi_dot(NX, x, product);
        if (step == STEPS) break;
        for (int i = 0; i < NU; i++) u[i] = alpha * k[NU * step + i];
        trxi_gemv(NU, NX, 1, K + NU * NX * step, NU, x, 1, u);
        trxi_symv(NU, stage->R, NU, u, product);
        sum += trxi_dot(NU, stage->r, u) + 0.5 * trxi_dot(NU, u, product);
        trxi_gemv(NX, NU, 1, stage->S, NX, u, 0, product);
        sum += trxi_dot(NX, x, product);
        trxi_gemv(NX, NX, 1, stage->A, NX, x, 0, next);
        trxi_gemv(NX, NU, 1, stage->B, NX, u, 1, next);
        memcpy(x, next, sizeof x);
    }
    return sum;
}

static double changes(const problem *p, int worlds, const double *k, double alpha)
{
    double sum = 0;
    for (int i = 0; i < worlds; i++) sum += change(&p->ocps[i], p->K, k, alpha);
    return sum;
}

START_TEST(the_change_lowers_the_sum_of_the_costs)
{
    problem p;
    open_problem(&p, WORLDS);
    ck_assert(trxi_robust_sweep_run(p.views, p.K, 0, &p.sweep, p.k));
    const double h = 1e-6, slope = (changes(&p, WORLDS, p.k, h) - changes(&p, WORLDS, p.k, -h)) / (2 * h);
    ck_assert(slope < 0 && p.sweep.slope < 0);
    ck_assert(changes(&p, WORLDS, p.k, 1) < 0 || changes(&p, WORLDS, p.k, 0.5) < 0);
    free(p.block);
}
END_TEST

// the change of the last control alone minimizes its part of the summed cost
START_TEST(the_last_change_is_the_minimum_over_all_worlds)
{
    problem p;
    open_problem(&p, WORLDS);
    ck_assert(trxi_robust_sweep_run(p.views, p.K, 0, &p.sweep, p.k));
    double last[CONTROLS] = {0};
    memcpy(last + CONTROLS - NU, p.k + CONTROLS - NU, NU * sizeof *last);
    for (int i = CONTROLS - NU; i < CONTROLS; i++) {
        const double h = 1e-5, old = last[i];
        last[i] = old + h;
        const double above = changes(&p, WORLDS, last, 1);
        last[i] = old - h;
        const double below = changes(&p, WORLDS, last, 1);
        last[i] = old;
        assert_below(fabs(above - below) / (2 * h), 1e-8);
    }
    free(p.block);
}
END_TEST

START_TEST(one_world_with_optimal_gains_has_the_change_of_the_riccati_sweep)
{
    const double scale[NU] = {1, 1};
    problem p;
    open_problem(&p, 1);
    ck_assert(trxi_riccati_sweep(&p.ocps[0], 0, scale, &p.riccati, &p.policy));
    ck_assert(trxi_robust_sweep_run(p.views, p.policy.K, 0, &p.sweep, p.k));
    for (int i = 0; i < CONTROLS; i++) assert_close(p.k[i], p.policy.k[i], 1e-10);
    assert_close(p.sweep.slope, p.policy.linear, 1e-9 * fabs(p.policy.linear));
    free(p.block);
}
END_TEST

START_TEST(bounds_hold_and_damping_shortens)
{
    problem p;
    open_problem(&p, WORLDS);
    ck_assert(trxi_robust_sweep_run(p.views, p.K, 0, &p.sweep, p.k));
    const double free_change = max_magnitude(p.k, CONTROLS);
    ck_assert(trxi_robust_sweep_run(p.views, p.K, 100, &p.sweep, p.k));
    assert_below(max_magnitude(p.k, CONTROLS), 0.1 * free_change);
    for (int k = 0; k < STEPS; k++)
        for (int i = 0; i < NU; i++) p.ocps[0].stages[k].u_lower[i] = -0.01, p.ocps[0].stages[k].u_upper[i] = 0.02;
    ck_assert(trxi_robust_sweep_run(p.views, p.K, 0, &p.sweep, p.k));
    for (int i = 0; i < CONTROLS; i++) ck_assert(p.k[i] >= -0.01 && p.k[i] <= 0.02);
    free(p.block);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trial/robust_sweep");
    TCase *cases = tcase_create("robust_sweep");
    tcase_add_test(cases, the_change_lowers_the_sum_of_the_costs);
    tcase_add_test(cases, the_last_change_is_the_minimum_over_all_worlds);
    tcase_add_test(cases, one_world_with_optimal_gains_has_the_change_of_the_riccati_sweep);
    tcase_add_test(cases, bounds_hold_and_damping_shortens);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
