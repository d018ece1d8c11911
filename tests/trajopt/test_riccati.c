// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The Riccati sweep against the condensed quadratic program of the whole horizon. With defects, cross terms and stages of different
// sizes, the reference is the dense KKT system. Where positions follow velocities, the reference is the sweep with general A and B.

#include "trajopt/riccati.h"

#include "base/random.h"
#include "math/dense.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

enum { NX = 8, NV = NX / 2, NU = 2, STEPS = 9, NZ = NU + NX, UNKNOWNS = NU * STEPS };

typedef struct problem {
    char *block;
    trxi_ocp ocp;
    trxi_policy policy;
    trxi_riccati work;
} problem;

static void layout(trxi_arena *arena, problem *p)
{
    const trxi_ocp_size size = {.nx = NX, .nu = NU};
    trxi_ocp_layout(arena, STEPS, &size, 0, 1, &p->ocp);
    trxi_policy_layout(arena, &p->ocp, &p->policy);
    trxi_riccati_layout(arena, &p->ocp, &p->work);
}

// lower triangle of R^T R + 0.1 for a random n x n R
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
    for (int k = 0; k <= STEPS; k++) {
        const trxi_ocp_stage *stage = &p.ocp.stages[k];
        random_hessian(seed + 1000 + (uint64_t)k, NX, stage->Q);
        for (int i = 0; i < NX; i++) stage->q[i] = trxi_random_normal(seed + 1, (uint64_t)(NX * k + i));
    }
    for (int k = 0; k < STEPS; k++) {
        const trxi_ocp_stage *stage = &p.ocp.stages[k];
        for (int i = 0; i < NX * NZ; i++) stage->B[i] = 0.4 * trxi_random_normal(seed, (uint64_t)(NX * NZ * k + i));
        random_hessian(seed + 2000 + (uint64_t)k, NU, stage->R);
        for (int i = 0; i < NU; i++) {
            stage->r[i] = trxi_random_normal(seed + 2, (uint64_t)(NU * k + i));
            stage->u_lower[i] = -bound, stage->u_upper[i] = bound;
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
        const double *B = p->ocp.stages[k].B, *A = p->ocp.stages[k].A;
        trxi_gemv(NX, NX, 1, A, NX, dx + NX * k, 0, dx + NX * (k + 1));
        trxi_gemv(NX, NU, 1, B, NX, u, 1, dx + NX * (k + 1));
    }
}

// value of the quadratic model: sum l.d + 1/2 d.l_2 d
static double model_value(const problem *p, const double *dx, const double *du)
{
    double sum = 0, product[NX];
    for (int k = 0; k <= STEPS; k++) {
        trxi_symv(NX, p->ocp.stages[k].Q, NX, dx + NX * k, product);
        sum += trxi_dot(NX, p->ocp.stages[k].q, dx + NX * k) + 0.5 * trxi_dot(NX, dx + NX * k, product);
    }
    for (int k = 0; k < STEPS; k++) {
        trxi_symv(NU, p->ocp.stages[k].R, NU, du + NU * k, product);
        sum += trxi_dot(NU, p->ocp.stages[k].r, du + NU * k) + 0.5 * trxi_dot(NU, du + NU * k, product);
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
            const double *B = p->ocp.stages[k].B, *A = p->ocp.stages[k].A;
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
            trxi_symv(NX, p->ocp.stages[k].Q, NX, G + rows * j + NX * k, weighted + NX * k);
        for (int i = 0; i < UNKNOWNS; i++) H[i + UNKNOWNS * j] = trxi_dot(rows, G + rows * i, weighted);
        du[j] = -p->ocp.stages[j / NU].r[j % NU];
        for (int k = 0; k <= STEPS; k++) du[j] -= trxi_dot(NX, G + rows * j + NX * k, p->ocp.stages[k].q);
    }
    for (int k = 0; k < STEPS; k++)
        for (int j = 0; j < NU; j++)
            for (int i = j; i < NU; i++)
                H[NU * k + i + UNKNOWNS * (NU * k + j)] += p->ocp.stages[k].R[i + NU * j];
    ck_assert_int_lt(trxi_cholesky(UNKNOWNS, H, UNKNOWNS), 0);
    trxi_cholesky_solve(UNKNOWNS, H, UNKNOWNS, 1, du, UNKNOWNS);
}

// the sweep predicts the change of the model's cost along its policy
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
        ck_assert(trxi_riccati_sweep(&p.ocp, 0, scale, &p.work, &p.policy));
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
        ck_assert(trxi_riccati_sweep(&p.ocp, 0, scale, &p.work, &p.policy));
        for (int i = 0; i < UNKNOWNS; i++) {
            ck_assert(fabs(p.policy.k[i]) <= 0.3);
            double gain = 0;
            for (int j = 0; j < NX; j++) gain += fabs(p.policy.K[NU * NX * (i / NU) + i % NU + NU * j]);
            bool at_bound = fabs(p.policy.k[i]) == 0.3;
            ck_assert(at_bound ? gain == 0 : gain > 0);
            clamped += at_bound;
        }
        check_promise(&p);
        ck_assert(trxi_riccati_sweep(&p.ocp, 0.3, scale, &p.work, &p.policy));
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
        ck_assert(trxi_riccati_sweep(&p.ocp, mu, scale, &p.work, &p.policy));
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
    memset(p.ocp.stages[knot].R, 0, NU * NU * sizeof(double));
    memset(p.ocp.stages[knot].B, 0, NX * NU * sizeof(double));
    ck_assert(!trxi_riccati_sweep(&p.ocp, 0, scale, &p.work, &p.policy));
    ck_assert_int_eq(p.work.failed_knot, knot);
    ck_assert(trxi_riccati_sweep(&p.ocp, 1e-3, scale, &p.work, &p.policy));
    free(p.block);
}
END_TEST

// a map of positions as a dense matrix: NV x NV
static void full_map(const trxi_position_rows *rows, int knot, trxi_position_map kind, double *map)
{
    const double *block = trxi_ocp_ball_maps(rows, knot, 0) + 9 * kind;
    memset(map, 0, NV * NV * sizeof *map);
    for (int i = 0; i < NV; i++) map[i * (NV + 1)] = rows->rates[kind];
    for (int i = 0; i < 9; i++) map[rows->balls[0] + i % 3 + NV * (rows->balls[0] + i / 3)] += block[i];
}

// makes dq' = T dq + S dv' + S_0 dv hold, with a ball in the midst
static void let_positions_follow(problem *p, uint64_t seed, const double rates[TRXI_POSITION_MAPS])
{
    trxi_position_rows *rows = &p->ocp.positions;
    rows->count = NV, rows->balls[0] = 1;
    memcpy(rows->rates, rates, sizeof rows->rates);
    for (int i = 0; i < TRXI_BALL_MAPS * STEPS; i++)
        rows->maps[i] = 0.3 * rates[i / 9 % TRXI_POSITION_MAPS] * trxi_random_normal(seed + 3, (uint64_t)i);
    for (int k = 0; k < STEPS; k++) {
        double maps[TRXI_POSITION_MAPS][NV * NV], *BA = p->ocp.stages[k].B;
        for (int m = 0; m < TRXI_POSITION_MAPS; m++) full_map(rows, k, (trxi_position_map)m, maps[m]);
        trxi_gemm(NV, NZ, NV, 1, maps[TRXI_MAP_S], NV, BA + NV, NX, 0, BA, NX);
        for (int j = 0; j < NV; j++) {
            trxi_axpy(NV, 1, maps[TRXI_MAP_T] + NV * j, BA + NX * (NU + j));
            trxi_axpy(NV, 1, maps[TRXI_MAP_S_0] + NV * j, BA + NX * (NU + NV + j));
        }
    }
}

// one sweep from box QPs that start at zero
static trxi_policy swept(problem *p, double mu, double *k, double *K)
{
    const double scale[NU] = {1, 2};
    memset(p->policy.k, 0, UNKNOWNS * sizeof *k);
    ck_assert(trxi_riccati_sweep(&p->ocp, mu, scale, &p->work, &p->policy));
    memcpy(k, p->policy.k, UNKNOWNS * sizeof *k);
    memcpy(K, p->policy.K, UNKNOWNS * NX * sizeof *K);
    return p->policy;
}

// compares the sweep that uses the maps of positions with the sweep of general A and B
static void compare_sweeps(problem *p, double mu)
{
    static double k[2][UNKNOWNS], K[2][UNKNOWNS * NX];
    const double tolerance = 1e-12;
    p->ocp.positions.count = NV;
    trxi_policy a = swept(p, mu, k[0], K[0]);
    p->ocp.positions.count = 0;
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
    static const double rates[4][TRXI_POSITION_MAPS] = {{1, 0.1, 0}, {1, 0.05, 0.05}, {1, 0, 0.1}, {1, 0.5, 0.2}};
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

// ---- stages of different sizes, with defects and cross terms, against the dense KKT system ----

enum { MIXED_STEPS = 6, MIXED_X = 5, MIXED_U = 3, MIXED_Z = MIXED_X + MIXED_U, MIXED_N = (MIXED_STEPS + 1) * (MIXED_Z + MIXED_X) };

typedef struct mixed {
    char *block;
    trxi_ocp ocp;
    trxi_policy policy;
    trxi_riccati work;
} mixed;

static void mixed_layout(trxi_arena *arena, const trxi_ocp_size *sizes, mixed *p)
{
    trxi_ocp_layout(arena, MIXED_STEPS, sizes, 1, 0, &p->ocp);
    trxi_policy_layout(arena, &p->ocp, &p->policy);
    trxi_riccati_layout(arena, &p->ocp, &p->work);
}

static void random_numbers(uint64_t seed, double scale, int count, double *out)
{
    for (int i = 0; i < count && out; i++) out[i] = scale * trxi_random_normal(seed, (uint64_t)i);
}

// [R .; S Q] positive definite as a whole, so that a cross term cannot make the stage indefinite
static void random_stage_cost(uint64_t seed, const trxi_ocp_stage *s)
{
    double H[MIXED_Z * MIXED_Z];
    const int nz = s->nu + s->nx;
    random_hessian(seed, nz, H);
    for (int j = 0; j < s->nu; j++)
        for (int i = 0; i < s->nu; i++) s->R[i + s->nu * j] = H[i + nz * j];
    for (int j = 0; j < s->nu && s->S; j++)
        for (int i = 0; i < s->nx; i++) s->S[i + s->nx * j] = H[s->nu + i + nz * j];
    for (int j = 0; j < s->nx; j++)
        for (int i = 0; i < s->nx; i++) s->Q[i + s->nx * j] = H[s->nu + i + nz * (s->nu + j)];
}

// every other stage has a defect, two of three a cross term; one stage has no controls
static mixed random_mixed(uint64_t seed)
{
    mixed p;
    trxi_ocp_size sizes[MIXED_STEPS + 1];
    for (int k = 0; k <= MIXED_STEPS; k++)
        sizes[k] = (trxi_ocp_size){.nx = 2 + (k * 3 + (int)seed) % 4, .nu = k == 2 ? 0 : 1 + (k + (int)seed) % 3,
                                   .defect = k % 2 == 0, .cross = k % 3 != 0};
    trxi_arena arena = {0};
    mixed_layout(&arena, sizes, &p);
    p.block = aligned_alloc(64, arena.used);
    ck_assert_ptr_nonnull(p.block);
    memset(p.block, 0, arena.used);
    arena = (trxi_arena){.base = p.block};
    mixed_layout(&arena, sizes, &p);
    for (int k = 0; k <= MIXED_STEPS; k++) {
        const trxi_ocp_stage *s = &p.ocp.stages[k];
        const uint64_t base = 100000 * (seed + 1) + 1000 * (uint64_t)k;
        random_stage_cost(base, s);
        random_numbers(base + 1, 1, s->nx, s->q);
        random_numbers(base + 2, 1, s->nu, s->r);
        random_numbers(base + 3, 0.5, s->nx_next * (s->nu + s->nx), s->B);
        random_numbers(base + 4, 0.7, s->nx_next, s->b);
        for (int i = 0; i < s->nu; i++) s->u_lower[i] = -INFINITY, s->u_upper[i] = INFINITY;
    }
    return p;
}

// Gaussian elimination with row pivots
static void solve_general(int n, double *M, double *b)
{
    for (int j = 0; j < n; j++) {
        int pivot = j;
        for (int i = j + 1; i < n; i++)
            if (fabs(M[i + n * j]) > fabs(M[pivot + n * j])) pivot = i;
        ck_assert(fabs(M[pivot + n * j]) > 1e-12);
        for (int c = 0; c < n; c++) {
            double t = M[j + n * c];
            M[j + n * c] = M[pivot + n * c], M[pivot + n * c] = t;
        }
        double t = b[j];
        b[j] = b[pivot], b[pivot] = t;
        for (int i = j + 1; i < n; i++) {
            const double factor = M[i + n * j] / M[j + n * j];
            for (int c = j; c < n; c++) M[i + n * c] -= factor * M[j + n * c];
            b[i] -= factor * b[j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++) b[i] -= M[i + n * c] * b[c];
        b[i] /= M[i + n * i];
    }
}

// where u, x and the multipliers lambda of the equation for x begin among all unknowns, for each stage
typedef struct places {
    int u[MIXED_STEPS + 1], x[MIXED_STEPS + 1], lambda[MIXED_STEPS + 1], n;
} places;

static places places_of(const trxi_ocp *ocp)
{
    places at = {.n = 0};
    for (int k = 0; k <= MIXED_STEPS; k++) {
        at.u[k] = at.n;
        at.x[k] = at.u[k] + ocp->stages[k].nu;
        at.lambda[k] = at.x[k] + ocp->stages[k].nx;
        at.n = at.lambda[k] + ocp->stages[k].nx;
    }
    return at;
}

// one entry of the KKT matrix and its mirror image
static void put(double *M, int n, int i, int j, double value)
{
    M[i + n * j] = value;
    M[j + n * i] = value;
}

// the unknowns of the optimum with x_0 = 0: the cost is stationary under 0 = -x_k + A x + B u + b, with x and u of the stage before
static void solve_kkt(const trxi_ocp *ocp, const places *at, double *z)
{
    static double M[MIXED_N * MIXED_N];
    const int n = at->n;
    memset(M, 0, sizeof M);
    memset(z, 0, (size_t)n * sizeof *z);
    for (int k = 0; k <= MIXED_STEPS; k++) {
        const trxi_ocp_stage *s = &ocp->stages[k];
        for (int j = 0; j < s->nx; j++) {
            for (int i = j; i < s->nx; i++) put(M, n, at->x[k] + i, at->x[k] + j, s->Q[i + s->nx * j]);
            z[at->x[k] + j] = -s->q[j];
            put(M, n, at->lambda[k] + j, at->x[k] + j, -1);
        }
        for (int j = 0; j < s->nu; j++) {
            for (int i = j; i < s->nu; i++) put(M, n, at->u[k] + i, at->u[k] + j, s->R[i + s->nu * j]);
            for (int i = 0; i < s->nx && s->S; i++) put(M, n, at->x[k] + i, at->u[k] + j, s->S[i + s->nx * j]);
            z[at->u[k] + j] = -s->r[j];
        }
        for (int i = 0; i < s->nx_next; i++) {
            const int row = at->lambda[k + 1] + i;
            for (int j = 0; j < s->nx; j++) put(M, n, row, at->x[k] + j, s->A[i + s->nx_next * j]);
            for (int j = 0; j < s->nu; j++) put(M, n, row, at->u[k] + j, s->B[i + s->nx_next * j]);
            z[row] = s->b ? -s->b[i] : 0;
        }
    }
    solve_general(n, M, z);
}

// u and x of all stages along alpha k + K x, with defects alpha b
static void follow_mixed(const mixed *p, const places *at, double alpha, double *z)
{
    memset(z, 0, (size_t)at->n * sizeof *z);
    for (int k = 0; k < MIXED_STEPS; k++) {
        const trxi_ocp_stage *s = &p->ocp.stages[k];
        double *u = z + at->u[k], *x = z + at->x[k], *next = z + at->x[k + 1];
        trxi_axpy(s->nu, alpha, p->policy.k + s->u_at, u);
        trxi_gemv(s->nu, s->nx, 1, p->policy.K + s->K_at, s->nu, x, 1, u);
        if (s->b) trxi_axpy(s->nx_next, alpha, s->b, next);
        trxi_gemv(s->nx_next, s->nx, 1, s->A, s->nx_next, x, 1, next);
        trxi_gemv(s->nx_next, s->nu, 1, s->B, s->nx_next, u, 1, next);
    }
}

static double mixed_value(const mixed *p, const places *at, const double *z)
{
    double sum = 0, product[MIXED_Z];
    for (int k = 0; k <= MIXED_STEPS; k++) {
        const trxi_ocp_stage *s = &p->ocp.stages[k];
        const double *u = z + at->u[k], *x = z + at->x[k];
        trxi_symv(s->nx, s->Q, s->nx, x, product);
        sum += 0.5 * trxi_dot(s->nx, x, product) + trxi_dot(s->nx, s->q, x);
        trxi_symv(s->nu, s->R, s->nu, u, product);
        sum += 0.5 * trxi_dot(s->nu, u, product) + trxi_dot(s->nu, s->r, u);
        for (int j = 0; j < s->nu && s->S; j++) sum += u[j] * trxi_dot(s->nx, s->S + s->nx * j, x);
    }
    return sum;
}

START_TEST(stages_with_defects_cross_terms_and_sizes_of_their_own_solve_the_kkt_system)
{
    const double scale[MIXED_U] = {1, 1, 1};
    for (uint64_t seed = 0; seed < 30; seed++) {
        mixed p = random_mixed(seed);
        const places at = places_of(&p.ocp);
        double z[MIXED_N], reference[MIXED_N];
        ck_assert(p.ocp.defects && p.ocp.nx == MIXED_X && p.ocp.nu == MIXED_U);
        ck_assert(trxi_riccati_sweep(&p.ocp, 0, scale, &p.work, &p.policy));
        follow_mixed(&p, &at, 1, z);
        solve_kkt(&p.ocp, &at, reference);
        const double size = max_magnitude(reference, at.n);
        ck_assert(size > 0.1);
        for (int k = 0; k <= MIXED_STEPS; k++)
            assert_below(max_difference(z + at.u[k], reference + at.u[k], at.lambda[k] - at.u[k]), 1e-10 * size);
        free(p.block);
    }
}
END_TEST

// the promise is a parabola in the share of the step, with damping and at bounds too
START_TEST(the_promise_holds_for_every_share_of_a_step_that_closes_defects)
{
    const double scale[MIXED_U] = {1, 2, 3};
    int clamped = 0;
    for (uint64_t seed = 0; seed < 30; seed++)
        for (int bounded = 0; bounded < 2; bounded++) {
            mixed p = random_mixed(seed);
            const places at = places_of(&p.ocp);
            for (int k = 0; k < MIXED_STEPS && bounded; k++)
                for (int i = 0; i < p.ocp.stages[k].nu; i++) p.ocp.stages[k].u_lower[i] = -0.2, p.ocp.stages[k].u_upper[i] = 0.2;
            ck_assert(trxi_riccati_sweep(&p.ocp, bounded ? 0.3 : 0, scale, &p.work, &p.policy));
            for (double alpha = 1; alpha > 0.1; alpha *= 0.5) {
                double z[MIXED_N];
                follow_mixed(&p, &at, alpha, z);
                const double promised = alpha * p.policy.linear + alpha * alpha * p.policy.quadratic;
                assert_close(promised, mixed_value(&p, &at, z), 1e-10 * (fabs(promised) + 1));
            }
            clamped += p.policy.clamped;
            free(p.block);
        }
    ck_assert_int_gt(clamped, 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/riccati");
    TCase *cases = tcase_create("riccati");
    tcase_add_test(cases, the_policy_solves_the_condensed_problem);
    tcase_add_test(cases, clamped_controls_stay_in_bounds_and_have_no_gain);
    tcase_add_test(cases, regularization_shortens_the_step);
    tcase_add_test(cases, a_control_without_curvature_is_found_at_its_knot);
    tcase_add_test(cases, positions_that_follow_velocities_are_swept_as_general_ones);
    tcase_add_test(cases, stages_with_defects_cross_terms_and_sizes_of_their_own_solve_the_kkt_system);
    tcase_add_test(cases, the_promise_holds_for_every_share_of_a_step_that_closes_defects);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
