// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The Riccati sweep of a policy (theory 7, policies): gains for corrections that last m steps. A loop with a delay tau acts as
// if each correction lasted 2 tau. Gains of this sweep keep such a loop stable; gains for single steps may not.
//
// W is the Hessian by z = [u; x] of the cost from stage k to stage e = min(k + m, N) under one correction u. With T = [B A]:
//
//     W = [0 .; 0 V_e],     then for j = e-1 .. k:     W <- [R .; S Q]_j + [E_u; T]^T W [E_u; T],     E_u z = u
//     K_k = -W_uu^-1 W_ux over free controls           V_k = W_xx + W_xu K_k
//
// With m = 1 this is the sweep of the plan without bounds. Gradients and defects do not enter, because the policy only follows the
// trajectory. A control is free unless it lies at a bound in all m steps. About 4 m nx (nu + nx)^2 flops per stage.

#include "trajopt/held_sweep.h"

#include "math/dense.h"

#include <string.h>

static size_t square(int n)
{
    return (size_t)n * (size_t)n;
}

void trxi_held_sweep_layout(trxi_arena *arena, const trxi_ocp *ocp, int held, trxi_held_sweep *work)
{
    const size_t nx = (size_t)ocp->nx, nu = (size_t)ocp->nu, nz = nu + nx;
    *work = (trxi_held_sweep){.held = held};
    work->V = TRXI_TAKE(arena, double, nx * nx * (size_t)(held + 1));
    work->W = TRXI_TAKE(arena, double, nz * nz);
    work->Y = TRXI_TAKE(arena, double, nx * nz);
    work->C = TRXI_TAKE(arena, double, nu * nz);
    work->L = TRXI_TAKE(arena, double, nu * nu);
    work->K = TRXI_TAKE(arena, double, nu * nx);
    work->free = TRXI_TAKE(arena, int, nu);
}

// V_xx of a stage
static double *value_of(const trxi_held_sweep *work, const trxi_ocp *ocp, int stage)
{
    return work->V + square(ocp->nx) * (size_t)(stage % (work->held + 1));
}

static void start_at_the_end(const trxi_ocp *ocp, const trxi_held_sweep *work)
{
    double *V = value_of(work, ocp, ocp->steps);
    memset(V, 0, square(ocp->nx) * sizeof *V);
    trxi_ocp_stage end = ocp->stages[ocp->steps];
    end.nu = 0; // the last stage of a shortened program has controls, which do not count
    trxi_ocp_add_cost(&end, V);
}

// W = [0 .; 0 V_e]
static void begin_block(const trxi_ocp *ocp, int end, const trxi_held_sweep *work)
{
    const int nx = ocp->nx, nu = ocp->nu, nz = nu + nx;
    const double *V = value_of(work, ocp, end);
    memset(work->W, 0, square(nz) * sizeof(double));
    for (int j = 0; j < nx; j++) memcpy(work->W + nu + (nu + j) * nz, V + j * nx, (size_t)nx * sizeof *V);
}

// adds the terms of the correction: W += E_u^T C + (E_u^T C)^T + E_u^T W_uu E_u, with C = W_ux T and W_uu of the later stage
static void add_correction(int nu, int nz, const double *C, const double *W_uu, double *W)
{
    for (int j = 0; j < nz; j++)
        for (int i = 0; i < nu; i++) {
            W[i + j * nz] += C[i + j * nu];
            W[j + i * nz] += C[i + j * nu];
        }
    for (int j = 0; j < nu; j++)
        for (int i = 0; i < nu; i++) W[i + j * nz] += W_uu[i + j * nu];
}

// extends W by one stage backward in time
static void extend_block(const trxi_ocp_stage *stage, const trxi_held_sweep *work)
{
    const int nx = stage->nx, nu = stage->nu, nz = nu + nx;
    const double *T = stage->B;
    double *W = work->W;
    trxi_gemm(nx, nz, nx, 1, W + nu * (nz + 1), nz, T, nx, 0, work->Y, nx);
    trxi_gemm(nu, nz, nx, 1, W + nu * nz, nz, T, nx, 0, work->C, nu);
    for (int j = 0; j < nu; j++) memcpy(work->L + j * nu, W + j * nz, (size_t)nu * sizeof *W);
    trxi_gemm_tn(nz, nz, nx, 1, T, nx, work->Y, nx, 0, W, nz);
    add_correction(nu, nz, work->C, work->L, W);
    trxi_ocp_add_cost(stage, W);
}

static bool stays_at_bound(const trxi_ocp *ocp, int control, int first, int end)
{
    for (int k = first; k < end; k++)
        if (ocp->stages[k].u_lower[control] < 0 && ocp->stages[k].u_upper[control] > 0) return false;
    return true;
}

static int find_free(const trxi_ocp *ocp, int first, int end, int *free)
{
    int count = 0;
    for (int i = 0; i < ocp->nu; i++)
        if (!stays_at_bound(ocp, i, first, end)) free[count++] = i;
    return count;
}

// computes K of the block in work->K: nfree x nx
static bool solve_gains(int nu, int nx, int nfree, double mu, const trxi_held_sweep *work)
{
    const int nz = nu + nx;
    const double *W = work->W;
    for (int a = 0; a < nfree; a++) {
        const double *column = W + work->free[a] * nz;
        for (int b = 0; b < nfree; b++) work->L[b + a * nfree] = column[work->free[b]];
        work->L[a * (nfree + 1)] *= 1 + mu;
        if (mu > 0 && !(work->L[a * (nfree + 1)] > 0)) work->L[a * (nfree + 1)] = mu;
        for (int j = 0; j < nx; j++) work->K[a + j * nfree] = -column[nu + j];
    }
    if (nfree == 0) return true;
    if (trxi_cholesky(nfree, work->L, nfree) >= 0) return false;
    trxi_cholesky_solve(nfree, work->L, nfree, nx, work->K, nfree);
    return true;
}

// V_k = W_xx + W_xu K + K^T W_ux + K^T W_uu K: the cost under K for any mu. For mu = 0 this is W_xx + W_xu K
static void update_value(const trxi_ocp *ocp, int step, int nfree, const trxi_held_sweep *work)
{
    const int nx = ocp->nx, nu = ocp->nu, nz = nu + nx;
    const double *W = work->W;
    double *V = value_of(work, ocp, step), *F = work->C; // F = W_uu K + 2 W_ux over free controls
    for (int j = 0; j < nx; j++)
        for (int a = 0; a < nfree; a++) {
            double sum = 2 * W[work->free[a] + (nu + j) * nz];
            for (int b = 0; b < nfree; b++) sum += W[work->free[a] + work->free[b] * nz] * work->K[b + j * nfree];
            F[a + j * nfree] = sum;
        }
    trxi_gemm_tn(nx, nx, nfree, 1, work->K, nfree, F, nfree, 0, work->Y, nx);
    for (int j = 0; j < nx; j++)
        for (int i = 0; i < nx; i++)
            V[i + j * nx] = W[nu + i + (nu + j) * nz] + 0.5 * (work->Y[i + j * nx] + work->Y[j + i * nx]);
}

static void keep_gains(int nu, int nx, int nfree, const trxi_held_sweep *work, double *K)
{
    memset(K, 0, (size_t)nu * (size_t)nx * sizeof *K);
    for (int j = 0; j < nx; j++)
        for (int a = 0; a < nfree; a++) K[work->free[a] + j * nu] = work->K[a + j * nfree];
}

bool trxi_held_sweep_run(const trxi_ocp *ocp, double mu, trxi_held_sweep *work, double *K)
{
    const int nx = ocp->nx, nu = ocp->nu;
    start_at_the_end(ocp, work);
    for (int k = ocp->steps - 1; k >= 0; k--) {
        const int end = k + work->held < ocp->steps ? k + work->held : ocp->steps;
        begin_block(ocp, end, work);
        for (int j = end - 1; j >= k; j--) extend_block(&ocp->stages[j], work);
        const int nfree = find_free(ocp, k, end, work->free);
        if (!solve_gains(nu, nx, nfree, mu, work)) return false;
        update_value(ocp, k, nfree, work);
        keep_gains(nu, nx, nfree, work, K + ocp->stages[k].K_at);
    }
    return true;
}
