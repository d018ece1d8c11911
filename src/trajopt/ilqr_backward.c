// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The Riccati sweep of iLQR with control bounds (theory 7; Tassa, Mansard, Todorov 2014). From V = l at knot N, for
// k = N-1 .. 0, with [B A] side by side so that one product serves u and x:
//
//     [Q_uu  .  ]   [l_uu  .  ]                                       [Q_u]   [l_u]
//     [Q_xu Q_xx] = [ 0   l_xx] + [B A]^T V_xx [B A]                  [Q_x] = [l_x] + [B A]^T V_x
//
//     k = argmin 1/2 k.(Q_uu + mu D) k + Q_u.k  within the bounds     K_f = -(Q_uu + mu D)_ff^-1 Q_ux,f,  K_c = 0
//
//     V_x  = Q_x  + K^T (Q_uu k + Q_u) + Q_xu k
//     V_xx = Q_xx + K^T (Q_uu K + Q_ux) + Q_xu K
//
// V takes the true Q_uu, so that the expected change of the cost, alpha sum Q_u.k + alpha^2/2 sum k.Q_uu k,
// belongs to the step that is taken. The regularization is the mu_u of theory 7 with a diagonal D of
// curvatures, which makes mu a pure number. mu_x, which damps B^T B instead, weighs metres and metres per
// second alike; on 180 pushes with random starts the two needed the same iterations (within 2 %) and met the
// same goals, so the simpler one stays.
//
// With u before x, the lower triangle of Q holds Q_xu as columns of nx numbers; gains are therefore kept transposed until the
// end of a knot. With L L^T = (Q_uu + mu D)_ff and Y = Q_xu,f L^-T the last line is
//
//     V_xx = Q_xx - Y Y^T - mu K_f^T D_f K_f
//
// a product of few columns that cannot lose its symmetry, of which, as of Q, only the lower triangle is computed. About
// nx (nu + nx) (3 nx + nu) flops a knot.

#include "trajopt/ilqr_backward.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

void trxi_lq_layout(trxi_arena *arena, int nx, int nu, int steps, trxi_lq *lq)
{
    *lq = (trxi_lq){.nx = nx, .nu = nu, .steps = steps};
    lq->BA = TRXI_TAKE(arena, double, (size_t)nx * (size_t)(nu + nx) * (size_t)steps);
    lq->l_x = TRXI_TAKE(arena, double, (size_t)nx * (size_t)(steps + 1));
    lq->l_xx = TRXI_TAKE(arena, double, (size_t)nx * (size_t)nx * (size_t)(steps + 1));
    lq->l_u = TRXI_TAKE(arena, double, (size_t)nu * (size_t)steps);
    lq->l_uu = TRXI_TAKE(arena, double, (size_t)nu * (size_t)nu * (size_t)steps);
    lq->du_lower = TRXI_TAKE(arena, double, (size_t)nu * (size_t)steps);
    lq->du_upper = TRXI_TAKE(arena, double, (size_t)nu * (size_t)steps);
}

void trxi_policy_layout(trxi_arena *arena, const trxi_lq *lq, trxi_policy *policy)
{
    *policy = (trxi_policy){0};
    policy->k = TRXI_TAKE(arena, double, (size_t)lq->nu * (size_t)lq->steps);
    policy->K = TRXI_TAKE(arena, double, (size_t)lq->nu * (size_t)lq->nx * (size_t)lq->steps);
}

void trxi_backward_layout(trxi_arena *arena, const trxi_lq *lq, trxi_backward *work)
{
    int nx = lq->nx, nu = lq->nu, nz = nu + nx;
    trxi_box_qp_layout(arena, nu, &work->qp);
    work->V_x = TRXI_TAKE(arena, double, nx);
    work->V_xx = TRXI_TAKE(arena, double, nx * nx);
    work->VBA = TRXI_TAKE(arena, double, nx * nz);
    work->Q = TRXI_TAKE(arena, double, nz * nz);
    work->Q_l = TRXI_TAKE(arena, double, nz);
    work->Q_uu = TRXI_TAKE(arena, double, nu * nu);
    work->K_T = TRXI_TAKE(arena, double, nx * nu);
    work->left = TRXI_TAKE(arena, double, 2 * nx * nu);
    work->right = TRXI_TAKE(arena, double, 2 * nx * nu);
    work->Q_uuk = TRXI_TAKE(arena, double, nu);
    work->curvature = TRXI_TAKE(arena, double, nu);
}

// the upper triangle becomes the transpose of the lower
static void mirror(int n, double *A)
{
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++) A[j + i * n] = A[i + j * n];
}

// V at knot N
static void start_at_the_end(const trxi_lq *lq, trxi_backward *work)
{
    size_t nx = (size_t)lq->nx, end = (size_t)lq->steps;
    memcpy(work->V_x, lq->l_x + nx * end, nx * sizeof(double));
    memcpy(work->V_xx, lq->l_xx + nx * nx * end, nx * nx * sizeof(double));
    mirror(lq->nx, work->V_xx);
}

// Q and its gradient at one knot
static void expand(const trxi_lq *lq, int knot, trxi_backward *work)
{
    int nx = lq->nx, nu = lq->nu, nz = nu + nx;
    const double *BA = lq->BA + (size_t)knot * (size_t)(nx * nz);
    const double *l_uu = lq->l_uu + (size_t)knot * (size_t)(nu * nu);
    const double *l_xx = lq->l_xx + (size_t)knot * (size_t)(nx * nx);

    trxi_gemm(nx, nz, nx, 1, work->V_xx, nx, BA, nx, 0, work->VBA, nx);
    trxi_gemm_tn_lower(nz, nx, BA, nx, work->VBA, nx, work->Q, nz);
    for (int j = 0; j < nu; j++)
        for (int i = j; i < nu; i++) work->Q[i + j * nz] += l_uu[i + j * nu];
    for (int j = 0; j < nx; j++)
        for (int i = j; i < nx; i++) work->Q[nu + i + (nu + j) * nz] += l_xx[i + j * nx];

    memcpy(work->Q_l, lq->l_u + (size_t)knot * (size_t)nu, (size_t)nu * sizeof(double));
    memcpy(work->Q_l + nu, lq->l_x + (size_t)knot * (size_t)nx, (size_t)nx * sizeof(double));
    trxi_gemv_t(nx, nz, 1, BA, nx, work->V_x, 1, work->Q_l);
}

// the feedforward k within its bounds; leaves the factor of the free block in work->qp
static bool solve_feedforward(const trxi_lq *lq, int knot, double mu, const double *scale, trxi_backward *work,
                              double *k)
{
    int nu = lq->nu, nz = nu + lq->nx;
    for (int j = 0; j < nu; j++) {
        for (int i = j; i < nu; i++) work->Q_uu[i + j * nu] = work->Q[i + j * nz];
        work->curvature[j] = fmax(work->curvature[j], work->Q_uu[j + j * nu]);
        work->Q_uu[j + j * nu] += mu * scale[j];
    }
    const double *lower = lq->du_lower + (size_t)knot * (size_t)nu, *upper = lq->du_upper + (size_t)knot * (size_t)nu;
    return trxi_box_qp_solve(&work->qp, work->Q_uu, nu, work->Q_l, lower, upper, k) == TRXI_BOX_QP_SOLVED;
}

// K^T: columns of free controls -Q_xu,f (Q_uu + mu D)_ff^-1, columns of clamped ones 0; -Y in work->left, Y in work->right,
// with damping -mu K_f^T D_f and K_f^T behind them. Returns their columns
static int solve_gains(const trxi_lq *lq, double mu, const double *scale, trxi_backward *work)
{
    const int nx = lq->nx, nu = lq->nu, nz = nu + nx;
    const trxi_box_qp *qp = &work->qp;
    const size_t column = (size_t)nx * sizeof(double);
    double *gains = work->right + qp->nfree * nx, *damped = work->left + qp->nfree * nx;
    for (int f = 0; f < qp->nfree; f++)
        for (int i = 0; i < nx; i++) gains[i + f * nx] = -work->Q[nu + i + qp->free[f] * nz];
    memcpy(work->left, gains, (size_t)qp->nfree * column);
    trxi_cholesky_solve_right(qp->nfree, qp->L, qp->n, nx, gains, nx);
    trxi_lower_solve_right(qp->nfree, qp->L, qp->n, nx, work->left, nx);
    for (int i = 0; i < qp->nfree * nx; i++) work->right[i] = -work->left[i];

    memset(work->K_T, 0, (size_t)nu * column);
    for (int f = 0; f < qp->nfree; f++) {
        const double weight = -mu * scale[qp->free[f]];
        memcpy(work->K_T + qp->free[f] * nx, gains + f * nx, column);
        for (int i = 0; i < nx && mu > 0; i++) damped[i + f * nx] = weight * gains[i + f * nx];
    }
    return mu > 0 ? 2 * qp->nfree : qp->nfree;
}

// sums of the expected change, largest free gradient; work->Q_uuk = Q_uu k
static void record_promise(const trxi_lq *lq, trxi_backward *work, const double *k, trxi_policy *policy)
{
    int nu = lq->nu, nz = nu + lq->nx;
    policy->linear += trxi_dot(nu, work->Q_l, k);
    trxi_symv(nu, work->Q, nz, k, work->Q_uuk);
    policy->quadratic += 0.5 * trxi_dot(nu, k, work->Q_uuk);
    for (int f = 0; f < work->qp.nfree; f++)
        policy->gradient = fmax(policy->gradient, fabs(work->Q_l[work->qp.free[f]]));
    policy->clamped += nu - work->qp.nfree;
}

// V of this knot
static void update_value(const trxi_lq *lq, const double *k, int columns, trxi_backward *work)
{
    const int nx = lq->nx, nu = lq->nu, nz = nu + nx;
    trxi_axpy(nu, 1, work->Q_l, work->Q_uuk);
    memcpy(work->V_x, work->Q_l + nu, (size_t)nx * sizeof(double));
    trxi_gemv(nx, nu, 1, work->K_T, nx, work->Q_uuk, 1, work->V_x);
    trxi_gemv(nx, nu, 1, work->Q + nu, nz, k, 1, work->V_x);

    for (int j = 0; j < nx; j++)
        memcpy(work->V_xx + j + j * nx, work->Q + nu + j + (nu + j) * nz, (size_t)(nx - j) * sizeof(double));
    trxi_gemm_nt_lower(nx, columns, work->left, nx, work->right, nx, work->V_xx, nx);
    mirror(nx, work->V_xx);
}

bool trxi_backward_sweep(const trxi_lq *lq, double mu, const double *scale, trxi_backward *work, trxi_policy *policy)
{
    size_t nx = (size_t)lq->nx, nu = (size_t)lq->nu;
    policy->linear = policy->quadratic = policy->gradient = 0;
    policy->clamped = 0;
    policy->lq = lq;
    memset(work->curvature, 0, nu * sizeof(double));
    start_at_the_end(lq, work);
    for (int knot = lq->steps - 1; knot >= 0; knot--) {
        double *k = policy->k + nu * (size_t)knot, *K = policy->K + nu * nx * (size_t)knot;
        expand(lq, knot, work);
        if (!solve_feedforward(lq, knot, mu, scale, work, k)) {
            work->failed_knot = knot;
            return false;
        }
        int columns = solve_gains(lq, mu, scale, work);
        record_promise(lq, work, k, policy);
        update_value(lq, k, columns, work);
        trxi_transpose(lq->nx, lq->nu, work->K_T, lq->nx, K, lq->nu);
    }
    return true;
}
