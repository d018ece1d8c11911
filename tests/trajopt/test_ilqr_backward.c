// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The Riccati sweep against the condensed quadratic program of the whole horizon, and what it makes of positions that follow
// velocities against the sweep of general A and B.

#include "trajopt/ilqr_backward.h"

#include "base/random.h"
#include "math/dense.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

enum { NX = 8, NV = NX / 2, NU = 2, STEPS = 9, NZ = NU + NX, UNKNOWNS = NU * STEPS };

typedef struct problem {
    char *block;
    trxi_lq lq;
    trxi_policy policy;
    trxi_backward work;
} problem;

static void layout(trxi_arena *arena, problem *p)
{
    trxi_lq_layout(arena, NX, NU, STEPS, 1, &p->lq);
    trxi_policy_layout(arena, &p->lq, &p->policy);
    trxi_backward_layout(arena, &p->lq, &p->work);
}

// lower triangle of R^T R for a random n x n R
static void random_hessian(uint64_t seed, int n, double *H)
{
    double R[NX * NX];
    for (int i = 0; i < n * n; i++) R[i] = trxi_random_normal(seed, (uint64_t)i);
    trxi_gemm_tn(n, n, n, 1, R, n, R, n, 0, H, n);
    for (int i = 0; i < n; i++) H[i + i * n] += 0.1;
}

static problem random_problem(uint64_t seed, double bound)
{
    problem p;
    trxi_arena arena = {0};
    layout(&arena, &p);
    p.block = aligned_alloc(64, arena.used);
    ck_assert_ptr_nonnull(p.block);
    memset(p.block, 0, arena.used);
    arena = (trxi_arena){.base = p.block};
    layout(&arena, &p);
    for (int i = 0; i < NX * NZ * STEPS; i++) p.lq.BA[i] = 0.4 * trxi_random_normal(seed, (uint64_t)i);
    for (int k = 0; k <= STEPS; k++) {
        random_hessian(seed + 1000 + (uint64_t)k, NX, p.lq.l_xx + NX * NX * k);
        for (int i = 0; i < NX; i++) p.lq.l_x[NX * k + i] = trxi_random_normal(seed + 1, (uint64_t)(NX * k + i));
    }
    for (int k = 0; k < STEPS; k++) {
        random_hessian(seed + 2000 + (uint64_t)k, NU, p.lq.l_uu + NU * NU * k);
        for (int i = NU * k; i < NU * (k + 1); i++) {
            p.lq.l_u[i] = trxi_random_normal(seed + 2, (uint64_t)i);
            p.lq.du_lower[i] = -bound, p.lq.du_upper[i] = bound;
        }
    }
    return p;
}

// dx along the policy from dx = 0; also the controls
static void follow(const problem *p, double *dx, double *du)
{
    memset(dx, 0, NX * sizeof(double));
    for (int k = 0; k < STEPS; k++) {
        double *u = du + NU * k;
        memcpy(u, p->policy.k + NU * k, NU * sizeof(double));
        trxi_gemv(NU, NX, 1, p->policy.K + NU * NX * k, NU, dx + NX * k, 1, u);
        const double *B = p->lq.BA + NX * NZ * k, *A = B + NX * NU;
        trxi_gemv(NX, NX, 1, A, NX, dx + NX * k, 0, dx + NX * (k + 1));
        trxi_gemv(NX, NU, 1, B, NX, u, 1, dx + NX * (k + 1));
    }
}

// value of the quadratic model: sum l.d + 1/2 d.l_2 d
static double model_value(const problem *p, const double *dx, const double *du)
{
    double sum = 0, product[NX];
    for (int k = 0; k <= STEPS; k++) {
        trxi_symv(NX, p->lq.l_xx + NX * NX * k, NX, dx + NX * k, product);
        sum += trxi_dot(NX, p->lq.l_x + NX * k, dx + NX * k) + 0.5 * trxi_dot(NX, dx + NX * k, product);
    }
    for (int k = 0; k < STEPS; k++) {
        trxi_symv(NU, p->lq.l_uu + NU * NU * k, NU, du + NU * k, product);
        sum += trxi_dot(NU, p->lq.l_u + NU * k, du + NU * k) + 0.5 * trxi_dot(NU, du + NU * k, product);
    }
    return sum;
}

// dx_k = G_k du for all knots: G is (NX (STEPS + 1)) x UNKNOWNS, from one rollout per control
static void condense(const problem *p, double *G)
{
    int rows = NX * (STEPS + 1);
    memset(G, 0, sizeof(double) * (size_t)rows * UNKNOWNS);
    for (int j = 0; j < UNKNOWNS; j++) {
        double *column = G + rows * j;
        for (int k = 0; k < STEPS; k++) {
            const double *B = p->lq.BA + NX * NZ * k, *A = B + NX * NU;
            trxi_gemv(NX, NX, 1, A, NX, column + NX * k, 0, column + NX * (k + 1));
            if (j / NU == k) trxi_axpy(NX, 1, B + NX * (j % NU), column + NX * (k + 1));
        }
    }
}

// du that minimizes the model, by one dense Cholesky factorization of the condensed Hessian
static void solve_dense(const problem *p, double *du)
{
    static double G[NX * (STEPS + 1) * UNKNOWNS], H[UNKNOWNS * UNKNOWNS], weighted[NX * (STEPS + 1)];
    int rows = NX * (STEPS + 1);
    condense(p, G);
    memset(H, 0, sizeof H);
    for (int j = 0; j < UNKNOWNS; j++) {
        for (int k = 0; k <= STEPS; k++)
            trxi_symv(NX, p->lq.l_xx + NX * NX * k, NX, G + rows * j + NX * k, weighted + NX * k);
        for (int i = 0; i < UNKNOWNS; i++) H[i + UNKNOWNS * j] = trxi_dot(rows, G + rows * i, weighted);
        du[j] = -trxi_dot(rows, G + rows * j, p->lq.l_x) - p->lq.l_u[j];
    }
    for (int k = 0; k < STEPS; k++)
        for (int j = 0; j < NU; j++)
            for (int i = j; i < NU; i++)
                H[NU * k + i + UNKNOWNS * (NU * k + j)] += p->lq.l_uu[NU * NU * k + i + NU * j];
    ck_assert_int_lt(trxi_cholesky(UNKNOWNS, H, UNKNOWNS), 0);
    trxi_cholesky_solve(UNKNOWNS, H, UNKNOWNS, 1, du, UNKNOWNS);
}

// the change of the cost that the sweep promises for the full step is that of its policy
static void check_promise(const problem *p)
{
    double dx[NX * (STEPS + 1)], du[UNKNOWNS];
    follow(p, dx, du);
    double value = model_value(p, dx, du);
    ck_assert(value < 0);
    assert_close(p->policy.linear + p->policy.quadratic, value, 1e-10 * fabs(value));
}

START_TEST(the_policy_solves_the_condensed_problem)
{
    const double scale[NU] = {1, 1};
    for (uint64_t seed = 0; seed < 20; seed++) {
        problem p = random_problem(10000 * seed, INFINITY);
        double dx[NX * (STEPS + 1)], du[UNKNOWNS], reference[UNKNOWNS];
        ck_assert(trxi_backward_sweep(&p.lq, 0, scale, &p.work, &p.policy));
        follow(&p, dx, du);
        solve_dense(&p, reference);
        assert_below(max_difference(du, reference, UNKNOWNS), 1e-10 * max_magnitude(reference, UNKNOWNS));
        check_promise(&p);
        free(p.block);
    }
}
END_TEST

START_TEST(clamped_controls_stay_in_bounds_and_have_no_gain)
{
    const double scale[NU] = {1, 1};
    int clamped = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        problem p = random_problem(10000 * seed, 0.3);
        ck_assert(trxi_backward_sweep(&p.lq, 0, scale, &p.work, &p.policy));
        for (int i = 0; i < UNKNOWNS; i++) {
            ck_assert(fabs(p.policy.k[i]) <= 0.3);
            double gain = 0;
            for (int j = 0; j < NX; j++) gain += fabs(p.policy.K[NU * NX * (i / NU) + i % NU + NU * j]);
            bool at_bound = fabs(p.policy.k[i]) == 0.3;
            ck_assert(at_bound ? gain == 0 : gain > 0);
            clamped += at_bound;
        }
        check_promise(&p);
        ck_assert(trxi_backward_sweep(&p.lq, 0.3, scale, &p.work, &p.policy));
        check_promise(&p);
        free(p.block);
    }
    ck_assert_int_gt(clamped, 20);
}
END_TEST

START_TEST(regularization_shortens_the_step)
{
    const double scale[NU] = {2, 3};
    double last = INFINITY;
    problem p = random_problem(7, INFINITY);
    for (double mu = 1e-3; mu < 1e6; mu *= 10) {
        ck_assert(trxi_backward_sweep(&p.lq, mu, scale, &p.work, &p.policy));
        double length = max_magnitude(p.policy.k, UNKNOWNS);
        check_promise(&p);
        assert_below(length, 1.1 * last);
        last = length;
    }
    assert_below(last, 1e-3);
    free(p.block);
}
END_TEST

START_TEST(a_control_without_curvature_is_found_at_its_knot)
{
    const double scale[NU] = {1, 1};
    problem p = random_problem(3, INFINITY);
    int knot = 4;
    memset(p.lq.l_uu + NU * NU * knot, 0, NU * NU * sizeof(double));
    memset(p.lq.BA + NX * NZ * knot, 0, NX * NU * sizeof(double));
    ck_assert(!trxi_backward_sweep(&p.lq, 0, scale, &p.work, &p.policy));
    ck_assert_int_eq(p.work.failed_knot, knot);
    ck_assert(trxi_backward_sweep(&p.lq, 1e-3, scale, &p.work, &p.policy));
    free(p.block);
}
END_TEST

// one map of a step in full: NV x NV
static void full_map(const trxi_moves *moves, int knot, trxi_move move, double *map)
{
    const double *block = moves->maps + TRXI_BALL_MAPS * knot + 9 * move;
    memset(map, 0, NV * NV * sizeof *map);
    for (int i = 0; i < NV; i++) map[i * (NV + 1)] = moves->rates[move];
    for (int i = 0; i < 9; i++) map[moves->balls[0] + i % 3 + NV * (moves->balls[0] + i / 3)] += block[i];
}

// makes dq' = T dq + S dv' + S_0 dv hold, with a ball in the midst
static void let_positions_follow(problem *p, uint64_t seed, const double rates[TRXI_MOVES])
{
    trxi_moves *moves = &p->lq.moves;
    moves->count = NV, moves->balls[0] = 1;
    memcpy(moves->rates, rates, sizeof moves->rates);
    for (int i = 0; i < TRXI_BALL_MAPS * STEPS; i++)
        moves->maps[i] = 0.3 * rates[i / 9 % TRXI_MOVES] * trxi_random_normal(seed + 3, (uint64_t)i);
    for (int k = 0; k < STEPS; k++) {
        double maps[TRXI_MOVES][NV * NV], *BA = p->lq.BA + NX * NZ * k;
        for (int m = 0; m < TRXI_MOVES; m++) full_map(moves, k, (trxi_move)m, maps[m]);
        trxi_gemm(NV, NZ, NV, 1, maps[TRXI_MOVE_S], NV, BA + NV, NX, 0, BA, NX);
        for (int j = 0; j < NV; j++) {
            trxi_axpy(NV, 1, maps[TRXI_MOVE_T] + NV * j, BA + NX * (NU + j));
            trxi_axpy(NV, 1, maps[TRXI_MOVE_S_0] + NV * j, BA + NX * (NU + NV + j));
        }
    }
}

// one sweep from box QPs that start at zero
static trxi_policy swept(problem *p, double mu, double *k, double *K)
{
    const double scale[NU] = {1, 2};
    memset(p->policy.k, 0, UNKNOWNS * sizeof *k);
    ck_assert(trxi_backward_sweep(&p->lq, mu, scale, &p->work, &p->policy));
    memcpy(k, p->policy.k, UNKNOWNS * sizeof *k);
    memcpy(K, p->policy.K, UNKNOWNS * NX * sizeof *K);
    return p->policy;
}

// by the positions' maps and as general A and B
static void compare_sweeps(problem *p, double mu)
{
    static double k[2][UNKNOWNS], K[2][UNKNOWNS * NX];
    const double tolerance = 1e-12;
    p->lq.moves.count = NV;
    trxi_policy a = swept(p, mu, k[0], K[0]);
    p->lq.moves.count = 0;
    trxi_policy b = swept(p, mu, k[1], K[1]);
    assert_below(max_difference(k[0], k[1], UNKNOWNS), tolerance * max_magnitude(k[1], UNKNOWNS));
    assert_below(max_difference(K[0], K[1], UNKNOWNS * NX), tolerance * max_magnitude(K[1], UNKNOWNS * NX));
    assert_close(a.linear, b.linear, tolerance * fabs(b.linear));
    assert_close(a.quadratic, b.quadratic, tolerance * fabs(b.quadratic));
    assert_close(a.gradient, b.gradient, tolerance * b.gradient);
    ck_assert_int_eq(a.clamped, b.clamped);
    ck_assert(max_magnitude(K[1], UNKNOWNS * NX) > 1e-3);
}

START_TEST(positions_that_follow_velocities_are_swept_as_general_ones)
{
    static const double rates[4][TRXI_MOVES] = {{1, 0.1, 0}, {1, 0.05, 0.05}, {1, 0, 0.1}, {1, 0.5, 0.2}};
    int clamped = 0;
    for (uint64_t seed = 0; seed < 20; seed++)
        for (int r = 0; r < 4; r++)
            for (int bounded = 0; bounded < 2; bounded++) {
                problem p = random_problem(10000 * seed, bounded ? 0.3 : INFINITY);
                let_positions_follow(&p, 10000 * seed, rates[r]);
                compare_sweeps(&p, 0);
                compare_sweeps(&p, 0.3);
                clamped += p.policy.clamped;
                free(p.block);
            }
    ck_assert_int_gt(clamped, 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/ilqr_backward");
    TCase *cases = tcase_create("ilqr_backward");
    tcase_add_test(cases, the_policy_solves_the_condensed_problem);
    tcase_add_test(cases, clamped_controls_stay_in_bounds_and_have_no_gain);
    tcase_add_test(cases, regularization_shortens_the_step);
    tcase_add_test(cases, a_control_without_curvature_is_found_at_its_knot);
    tcase_add_test(cases, positions_that_follow_velocities_are_swept_as_general_ones);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
