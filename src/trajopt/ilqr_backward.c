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
// Controls and forces reach positions through the new velocities alone: of [B A], only the rows Z of velocities are products of
// the step, those of positions are S Z + E with E = [0 T S_0]. With X = S^T V_qq + V_vq and W = X S + S^T V_qv + V_vv, the
// curvatures of V by what velocities do,
//
//     [B A]^T V_xx [B A] = Z^T (W Z + X E) + E^T (X^T Z + V_qq E)
//
// where E, S take sums of columns and rows: less than half of the multiplications. Without positions, as for general A and B,
// Z is [B A] and W is V_xx.
//
// With u before x, the lower triangle of Q holds Q_xu as columns of nx numbers; Z and the gains are therefore used transposed.
// With L L^T = (Q_uu + mu D)_ff and Y = Q_xu,f L^-T the last line is
//
//     V_xx = Q_xx - Y Y^T - mu K_f^T D_f K_f
//
// a product of few columns that cannot lose its symmetry, of which, as of Q, only the lower triangle is computed. About
// nx (nu + nx) (nx + nu) flops a knot, and nx (nu + nx) (3 nx + nu) without positions.

#include "trajopt/ilqr_backward.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

void trxi_lq_layout(trxi_arena *arena, int nx, int nu, int steps, int nball, trxi_lq *lq)
{
    *lq = (trxi_lq){.nx = nx, .nu = nu, .steps = steps, .moves = {.nball = nball}};
    lq->moves.balls = TRXI_TAKE(arena, int, nball);
    lq->moves.maps = TRXI_TAKE(arena, double, TRXI_BALL_MAPS * (size_t)nball * (size_t)steps);
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
    work->Q = TRXI_TAKE(arena, double, nz * nz);
    work->Z_T = TRXI_TAKE(arena, double, nz * nx);
    work->Y = TRXI_TAKE(arena, double, nz * nx);
    work->G = TRXI_TAKE(arena, double, nz * nx);
    work->Q_l = TRXI_TAKE(arena, double, nz);
    work->Q_uu = TRXI_TAKE(arena, double, nu * nu);
    work->K_T = TRXI_TAKE(arena, double, nx * nu);
    work->left = TRXI_TAKE(arena, double, 2 * nx * nu);
    work->right = TRXI_TAKE(arena, double, 2 * nx * nu);
    work->Q_uuk = TRXI_TAKE(arena, double, nu);
    work->curvature = TRXI_TAKE(arena, double, nu);
}

// where Q_xx stands in Q, and V_xx once it is known
static double *state_block(const trxi_lq *lq, const trxi_backward *work)
{
    return work->Q + lq->nu + lq->nu * (lq->nu + lq->nx);
}

// columns of nx numbers into those of V or of Q_xx
static void fill_state_block(const trxi_lq *lq, const double *from, trxi_backward *work)
{
    double *to = state_block(lq, work);
    for (int j = 0; j < lq->nx; j++) memcpy(to + j * (lq->nu + lq->nx), from + j * lq->nx, (size_t)lq->nx * sizeof *to);
}

// V at knot N
static void start_at_the_end(const trxi_lq *lq, trxi_backward *work)
{
    const size_t nx = (size_t)lq->nx, end = (size_t)lq->steps;
    memcpy(work->V_x, lq->l_x + nx * end, nx * sizeof(double));
    fill_state_block(lq, lq->l_xx + nx * nx * end, work);
}

// the upper triangle becomes the transpose of the lower
static void mirror(int n, double *A, int lda)
{
    enum { BLOCK = 4 };
    for (int j = 0; j < n; j += BLOCK) {
        const int next = n - j < BLOCK ? n : j + BLOCK;
        for (int c = j; c < next; c++)
            for (int r = c + 1; r < next; r++) A[c + r * lda] = A[r + c * lda];
        if (next < n) trxi_transpose(n - next, BLOCK, A + next + j * lda, lda, A + j + next * lda, lda);
    }
}

static const double *ball_map(const trxi_moves *moves, int knot, int ball, trxi_move move)
{
    return moves->maps + TRXI_BALL_MAPS * ((size_t)moves->nball * (size_t)knot + (size_t)ball) + 9 * (size_t)move;
}

// out += M map for the columns of M that are positions, M rows x count
static void add_columns(const trxi_lq *lq, int knot, trxi_move move, int rows, const double *M, int ldm, double *out,
                        int ldo)
{
    const trxi_moves *moves = &lq->moves;
    if (moves->count == 0 || moves->rates[move] == 0) return;
    trxi_add(rows, moves->count, moves->rates[move], M, ldm, out, ldo);
    for (int b = 0; b < moves->nball; b++)
        trxi_gemm(rows, 3, 3, 1, M + moves->balls[b] * ldm, ldm, ball_map(moves, knot, b, move), 3, 1,
                  out + moves->balls[b] * ldo, ldo);
}

// out += map^T M for the rows of M that are positions, M count x columns
static void add_rows(const trxi_lq *lq, int knot, trxi_move move, int columns, const double *M, int ldm, double *out,
                     int ldo)
{
    const trxi_moves *moves = &lq->moves;
    if (moves->count == 0 || moves->rates[move] == 0) return;
    trxi_add(moves->count, columns, moves->rates[move], M, ldm, out, ldo);
    for (int b = 0; b < moves->nball; b++)
        trxi_gemm_tn(3, columns, 3, 1, ball_map(moves, knot, b, move), 3, M + moves->balls[b], ldm, 1,
                     out + moves->balls[b], ldo);
}

// X^T in the place of V_qv, W in that of V_vv, and the gradient by what velocities do in that of V_v
static void see_by_rates(const trxi_lq *lq, int knot, trxi_backward *work)
{
    const int nx = lq->nx, ld = lq->nu + nx, np = lq->moves.count;
    double *V = state_block(lq, work), *X_T = V + np * ld;
    mirror(nx, V, ld);
    add_columns(lq, knot, TRXI_MOVE_S, nx, V, ld, X_T, ld);
    add_rows(lq, knot, TRXI_MOVE_S, nx - np, X_T, ld, X_T + np, ld);
    add_rows(lq, knot, TRXI_MOVE_S, 1, work->V_x, nx, work->V_x + np, nx);
}

// Y = (W Z + X E)^T and G = X^T Z + V_qq E
static void form_products(const trxi_lq *lq, int knot, const double *Z, trxi_backward *work)
{
    const int nx = lq->nx, nu = lq->nu, nz = nu + nx, np = lq->moves.count, n = nx - np;
    const double *V_qq = state_block(lq, work), *X_T = V_qq + np * nz, *W = X_T + np;
    const int columns = lq->moves.rates[TRXI_MOVE_S_0] == 0 ? nu + np : nz; // of G that count
    trxi_transpose(n, nz, Z, nx, work->Z_T, nz);
    trxi_gemm(nz, n, n, 1, work->Z_T, nz, W, nz, 0, work->Y, nz);
    add_rows(lq, knot, TRXI_MOVE_T, n, X_T, nz, work->Y + nu, nz);
    add_rows(lq, knot, TRXI_MOVE_S_0, n, X_T, nz, work->Y + nu + np, nz);

    trxi_gemm(np, columns, n, 1, X_T, nz, Z, nx, 0, work->G, nx);
    add_columns(lq, knot, TRXI_MOVE_T, np, V_qq, nz, work->G + nx * nu, nx);
    add_columns(lq, knot, TRXI_MOVE_S_0, np, V_qq, nz, work->G + nx * (nu + np), nx);
}

// Q = l + Z^T Y^T + E^T G, where V stood
static void expand_hessian(const trxi_lq *lq, int knot, trxi_backward *work)
{
    const int nx = lq->nx, nu = lq->nu, nz = nu + nx, np = lq->moves.count;
    const double *l_uu = lq->l_uu + (size_t)(nu * nu) * (size_t)knot;
    double *Q = work->Q;
    for (int j = 0; j < nu; j++) {
        memcpy(Q + nz * j, l_uu + nu * j, (size_t)nu * sizeof *Q);
        memset(Q + nz * j + nu, 0, (size_t)nx * sizeof *Q);
    }
    fill_state_block(lq, lq->l_xx + (size_t)(nx * nx) * (size_t)knot, work);
    trxi_gemm_nt_lower(nz, nx - np, work->Z_T, nz, work->Y, nz, Q, nz);
    add_rows(lq, knot, TRXI_MOVE_T, nu + np, work->G, nx, Q + nu, nz);
    add_rows(lq, knot, TRXI_MOVE_S_0, nz, work->G, nx, Q + nu + np, nz);
}

// Q_l = l + Z^T (S^T V_q + V_v) + E^T V_q
static void expand_gradient(const trxi_lq *lq, int knot, const double *Z, trxi_backward *work)
{
    const int nx = lq->nx, nu = lq->nu, np = lq->moves.count;
    memcpy(work->Q_l, lq->l_u + (size_t)knot * (size_t)nu, (size_t)nu * sizeof(double));
    memcpy(work->Q_l + nu, lq->l_x + (size_t)knot * (size_t)nx, (size_t)nx * sizeof(double));
    trxi_gemv_t(nx - np, nu + nx, 1, Z, nx, work->V_x + np, 1, work->Q_l);
    add_rows(lq, knot, TRXI_MOVE_T, 1, work->V_x, nx, work->Q_l + nu, nx);
    add_rows(lq, knot, TRXI_MOVE_S_0, 1, work->V_x, nx, work->Q_l + nu + np, nx);
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

// V of this knot, V_xx in the place of Q_xx
static void update_value(const trxi_lq *lq, const double *k, int columns, trxi_backward *work)
{
    const int nx = lq->nx, nu = lq->nu, nz = nu + nx;
    trxi_axpy(nu, 1, work->Q_l, work->Q_uuk);
    memcpy(work->V_x, work->Q_l + nu, (size_t)nx * sizeof(double));
    trxi_gemv(nx, nu, 1, work->K_T, nx, work->Q_uuk, 1, work->V_x);
    trxi_gemv(nx, nu, 1, work->Q + nu, nz, k, 1, work->V_x);
    trxi_gemm_nt_lower(nx, columns, work->left, nx, work->right, nx, state_block(lq, work), nz);
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
        const double *Z = lq->BA + nx * (nu + nx) * (size_t)knot + lq->moves.count;
        see_by_rates(lq, knot, work);
        form_products(lq, knot, Z, work);
        expand_hessian(lq, knot, work);
        expand_gradient(lq, knot, Z, work);
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
