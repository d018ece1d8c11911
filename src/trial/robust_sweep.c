// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The backward pass of a robust plan (theory 7, robust plans). All worlds i follow u = u_k + K_k (x (-) x_ref,k) with given
// gains. The pass begins with V_i = 1/2 x.Q x + q.x at stage N. For k = N-1 .. 0, with T_i = [B_i A_i] and z = [u; x]:
//
//     Q_i  = [R .; S Q]_i + T_i^T V_xx,i T_i,      Q_l,i = [r; q]_i + T_i^T V_x,i
//     k    = argmin 1/2 k.(sum Q_uu,i) k + (sum Q_u,i).k  within the bounds of the controls of the first world
//     V_xx,i = P^T Q_i P,    V_x,i = P^T (Q_l,i + Q_i [k; 0]),      P = [K; 1]
//
// The sum of Q_u,i is the exact gradient of the summed cost by u_k where no control is at its bound. About 4 nx (nu + nx)^2 flops
// per stage and world.

#include "trial/robust_sweep.h"

#include "math/dense.h"

#include <string.h>

static size_t square(int n)
{
    return (size_t)n * (size_t)n;
}

void trxi_robust_sweep_layout(trxi_arena *arena, const trxi_ocp *ocp, int worlds, trxi_robust_sweep *work)
{
    const int nx = ocp->nx, nu = ocp->nu, nz = nu + nx;
    const size_t count = (size_t)worlds;
    *work = (trxi_robust_sweep){.worlds = worlds};
    trxi_box_qp_layout(arena, nu, &work->qp);
    work->V = TRXI_TAKE(arena, double, count * square(nx));
    work->V_x = TRXI_TAKE(arena, double, count * (size_t)nx);
    work->Q = TRXI_TAKE(arena, double, count * square(nz));
    work->Q_l = TRXI_TAKE(arena, double, count * (size_t)nz);
    work->P = TRXI_TAKE(arena, double, nz * nx);
    work->Y = TRXI_TAKE(arena, double, square(nz));
    work->Q_uu = TRXI_TAKE(arena, double, nu * nu);
    work->Q_u = TRXI_TAKE(arena, double, nu);
}

static void start_at_the_end(const trxi_ocp *ocp, double *V, double *V_x)
{
    trxi_ocp_stage end = ocp->stages[ocp->steps];
    end.nu = 0; // the last stage of a shortened program has controls, which do not count
    memset(V, 0, square(end.nx) * sizeof *V);
    trxi_ocp_add_cost(&end, V);
    memcpy(V_x, end.q, (size_t)end.nx * sizeof *V_x);
}

// computes Q and Q_l of one world
static void expand(const trxi_ocp_stage *stage, const double *V, const double *V_x, double *Y, double *Q, double *Q_l)
{
    const int nx = stage->nx, nu = stage->nu, nz = nu + nx;
    trxi_gemm(nx, nz, nx, 1, V, nx, stage->B, nx, 0, Y, nx);
    trxi_gemm_tn(nz, nz, nx, 1, stage->B, nx, Y, nx, 0, Q, nz);
    trxi_ocp_add_cost(stage, Q);
    memcpy(Q_l, stage->r, (size_t)nu * sizeof *Q_l);
    memcpy(Q_l + nu, stage->q, (size_t)nx * sizeof *Q_l);
    trxi_gemv_t(nx, nz, 1, stage->B, nx, V_x, 1, Q_l);
}

// adds Q_uu and Q_u of one world to the sums
static void add_to_sums(int nu, int nz, const double *Q, const double *Q_l, trxi_robust_sweep *work)
{
    for (int j = 0; j < nu; j++) {
        for (int i = 0; i < nu; i++) work->Q_uu[i + j * nu] += Q[i + j * nz];
        work->Q_u[j] += Q_l[j];
    }
}

static bool solve_change(const trxi_ocp_stage *stage, double mu, trxi_robust_sweep *work, double *k)
{
    const int nu = stage->nu;
    for (int j = 0; j < nu; j++) work->Q_uu[j * (nu + 1)] *= 1 + mu;
    work->qp.n = nu;
    if (trxi_box_qp_solve(&work->qp, work->Q_uu, nu, work->Q_u, stage->u_lower, stage->u_upper, k) != TRXI_BOX_QP_SOLVED)
        return false;
    work->slope += trxi_dot(nu, work->Q_u, k);
    return true;
}

// computes V and V_x of one world
static void update_value(int nx, int nu, const double *k, trxi_robust_sweep *work, const double *Q, double *Q_l, double *V,
                         double *V_x)
{
    const int nz = nu + nx;
    trxi_gemv(nz, nu, 1, Q, nz, k, 1, Q_l);
    memset(V_x, 0, (size_t)nx * sizeof *V_x);
    trxi_gemv_t(nz, nx, 1, work->P, nz, Q_l, 1, V_x);
    trxi_gemm(nz, nx, nz, 1, Q, nz, work->P, nz, 0, work->Y, nz);
    trxi_gemm_tn(nx, nx, nz, 1, work->P, nz, work->Y, nz, 0, V, nx);
}

static void place_gains(int nx, int nu, const double *K, double *P)
{
    const int nz = nu + nx;
    memset(P, 0, (size_t)nz * (size_t)nx * sizeof *P);
    for (int j = 0; j < nx; j++) {
        memcpy(P + j * nz, K + j * nu, (size_t)nu * sizeof *P);
        P[nu + j + j * nz] = 1;
    }
}

bool trxi_robust_sweep_run(const trxi_ocp *const *ocps, const double *K, double mu, trxi_robust_sweep *work, double *k)
{
    const trxi_ocp *first = ocps[0];
    const int nx = first->nx, nu = first->nu, nz = nu + nx;
    const size_t nV = square(nx), nQ = square(nz);
    work->slope = 0;
    for (int i = 0; i < work->worlds; i++) start_at_the_end(ocps[i], work->V + nV * (size_t)i, work->V_x + nx * i);
    for (int step = first->steps - 1; step >= 0; step--) {
        const trxi_ocp_stage *stage = &first->stages[step];
        double *k_step = k + stage->u_at;
        memset(work->Q_uu, 0, square(nu) * sizeof(double));
        memset(work->Q_u, 0, (size_t)nu * sizeof(double));
        for (int i = 0; i < work->worlds; i++) {
            double *Q = work->Q + nQ * (size_t)i, *Q_l = work->Q_l + nz * i;
            expand(&ocps[i]->stages[step], work->V + nV * (size_t)i, work->V_x + nx * i, work->Y, Q, Q_l);
            add_to_sums(nu, nz, Q, Q_l, work);
        }
        memset(k_step, 0, (size_t)nu * sizeof *k);
        if (!solve_change(stage, mu, work, k_step)) return false;
        place_gains(nx, nu, K + stage->K_at, work->P);
        for (int i = 0; i < work->worlds; i++)
            update_value(nx, nu, k_step, work, work->Q + nQ * (size_t)i, work->Q_l + nz * i, work->V + nV * (size_t)i,
                         work->V_x + nx * i);
    }
    return true;
}
