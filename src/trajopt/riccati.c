// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The Riccati sweep with control bounds (theory 7; Tassa, Mansard, Todorov 2014). From V = 1/2 x.Q x + q.x at stage N, for
// k = N-1 .. 0, with [B A] side by side so that one product serves u and x:
//
//     V_x += V_xx b
//
//     [Q_uu  .  ]   [R  . ]                                       [Q_u]   [r]
//     [Q_xu Q_xx] = [S  Q ] + [B A]^T V_xx [B A]                  [Q_x] = [q] + [B A]^T V_x
//
//     k = argmin 1/2 k.(Q_uu + mu D) k + Q_u.k  within the bounds     K_f = -(Q_uu + mu D)_ff^-1 Q_ux,f,  K_c = 0
//
//     V_x  = Q_x  + K^T (Q_uu k + Q_u) + Q_xu k
//     V_xx = Q_xx + K^T (Q_uu K + Q_ux) + Q_xu K
//
// V uses the true Q_uu, so the expected change of the cost, alpha sum Q_u.k + alpha^2/2 sum k.Q_uu k, belongs to the
// step that is taken. The regularization is the mu_u of theory 7 with a diagonal D of curvatures, which makes mu a
// pure number. The alternative mu_x, which damps B^T B, weighs metres and metres per second alike. On 180 pushes with
// random starts both needed the same iterations (within 2 %) and met the same goals, so the code has the simpler one.
//
// With defects the policy also closes alpha b in every step. The whole change, sum Q_u.k + 1/2 k.Q_uu k + b.V_x + 1/2
// b.V_xx b, is still alpha linear + alpha^2 quadratic. Its linear part is the slope of the cost along the policy,
// computed with the adjoint p of the gradients alone:
//
//     [P_u; P_x] = [r; q] + [B A]^T p        slope += P_u.k + p.b        p = P_x + K^T P_u
//
// Controls and forces change positions only through the new velocities. In [B A], only the velocity rows Z are
// products of the step; the position rows are S Z + E with E = [0 T S_0]. With X = S^T V_qq + V_vq and W = X S + S^T
// V_qv + V_vv, the curvatures of V with respect to velocities,
//
//     [B A]^T V_xx [B A] = Z^T (W Z + X E) + E^T (X^T Z + V_qq E)
//
// where E and S only add columns and rows: less than half of the multiplications. Without position rows, for general
// A and B, Z is [B A] and W is V_xx.
//
// With u before x, the lower triangle of Q contains Q_xu as columns of nx numbers, so Z and the gains are used
// transposed. With L L^T = (Q_uu + mu D)_ff and Y = Q_xu,f L^-T the last line is
//
//     V_xx = Q_xx - Y Y^T - mu K_f^T D_f K_f
//
// a product of few columns that cannot lose its symmetry. Only the lower triangles of V and Q are computed. About
// nx (nu + nx)^2 flops per stage, and nx (nu + nx) (3 nx + nu) without position rows. V of one stage stays in
// the memory of Q until the stage before has its products, so sizes may change from stage to stage.

#include "trajopt/riccati.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

void trxi_policy_layout(trxi_arena *arena, const trxi_ocp *ocp, trxi_policy *policy)
{
    *policy = (trxi_policy){0};
    policy->k = TRXI_TAKE(arena, double, ocp->controls);
    policy->K = TRXI_TAKE(arena, double, ocp->gains);
}

void trxi_riccati_layout(trxi_arena *arena, const trxi_ocp *ocp, trxi_riccati *work)
{
    int nx = ocp->nx, nu = ocp->nu, nz = nu + nx;
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
    work->Vb = TRXI_TAKE(arena, double, nx);
    work->p = TRXI_TAKE(arena, double, nx);
    work->P = TRXI_TAKE(arena, double, nz);
    work->curvature = TRXI_TAKE(arena, double, nu);
}

// copies Q of a stage to the place in work->Q that later holds V_xx
static double *fill_state_block(const trxi_ocp_stage *stage, trxi_riccati *work)
{
    const int nx = stage->nx, nz = stage->nu + nx;
    double *to = work->Q + stage->nu * (nz + 1);
    for (int j = 0; j < nx; j++) memcpy(to + j * nz, stage->Q + j * nx, (size_t)nx * sizeof *to);
    return to;
}

// V at stage N
static void start_at_the_end(const trxi_ocp *ocp, trxi_riccati *work)
{
    const trxi_ocp_stage *end = &ocp->stages[ocp->steps];
    memcpy(work->V_x, end->q, (size_t)end->nx * sizeof(double));
    memcpy(work->p, end->q, (size_t)end->nx * sizeof(double));
    work->V = fill_state_block(end, work);
    work->ldv = end->nu + end->nx;
}

// V_x += V_xx b, and the cost of the defect itself
static void add_defect(const trxi_ocp_stage *stage, trxi_riccati *work)
{
    const int n = stage->nx_next;
    if (!stage->b) return;
    trxi_symv(n, work->V, work->ldv, stage->b, work->Vb);
    work->offset += trxi_dot(n, stage->b, work->V_x) + 0.5 * trxi_dot(n, stage->b, work->Vb);
    trxi_axpy(n, 1, work->Vb, work->V_x);
}

// copies the lower triangle to the upper triangle
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

// out += M map for the columns of M that are positions, M rows x count
static void add_columns(const trxi_ocp *ocp, int step, trxi_position_map map, int rows, const double *M, int ldm, double *out,
                        int ldo)
{
    const trxi_position_rows *p = &ocp->positions;
    if (p->count == 0 || p->rates[map] == 0) return;
    trxi_add(rows, p->count, p->rates[map], M, ldm, out, ldo);
    for (int b = 0; b < p->nball; b++)
        trxi_gemm(rows, 3, 3, 1, M + p->balls[b] * ldm, ldm, trxi_ocp_ball_maps(p, step, b) + 9 * map, 3, 1,
                  out + p->balls[b] * ldo, ldo);
}

// out += map^T M for the rows of M that are positions, M count x columns
static void add_rows(const trxi_ocp *ocp, int step, trxi_position_map map, int columns, const double *M, int ldm, double *out,
                     int ldo)
{
    const trxi_position_rows *p = &ocp->positions;
    if (p->count == 0 || p->rates[map] == 0) return;
    trxi_add(p->count, columns, p->rates[map], M, ldm, out, ldo);
    for (int b = 0; b < p->nball; b++)
        trxi_gemm_tn(3, columns, 3, 1, trxi_ocp_ball_maps(p, step, b) + 9 * map, 3, M + p->balls[b], ldm, 1, out + p->balls[b],
                     ldo);
}

// replaces V_qv by X^T, V_vv by W, and V_v by the gradient S^T V_q + V_v with respect to velocities
static void express_in_velocities(const trxi_ocp *ocp, int step, trxi_riccati *work)
{
    const int n = ocp->stages[step].nx_next, ld = work->ldv, np = ocp->positions.count;
    double *V = work->V, *X_T = V + np * ld;
    mirror(n, V, ld);
    add_columns(ocp, step, TRXI_MAP_S, n, V, ld, X_T, ld);
    add_rows(ocp, step, TRXI_MAP_S, n - np, X_T, ld, X_T + np, ld);
    add_rows(ocp, step, TRXI_MAP_S, 1, work->V_x, n, work->V_x + np, n);
}

// Y = (W Z + X E)^T and G = X^T Z + V_qq E
static void form_products(const trxi_ocp *ocp, int step, trxi_riccati *work)
{
    const trxi_ocp_stage *stage = &ocp->stages[step];
    const int next = stage->nx_next, nu = stage->nu, nz = nu + stage->nx, np = ocp->positions.count, n = next - np;
    const int columns = ocp->positions.rates[TRXI_MAP_S_0] == 0 ? nu + np : nz; // of G that count
    const int ldv = work->ldv;
    const double *Z = stage->B + np, *V_qq = work->V, *X_T = V_qq + np * ldv, *W = X_T + np;
    trxi_transpose(n, nz, Z, next, work->Z_T, nz);
    trxi_gemm(nz, n, n, 1, work->Z_T, nz, W, ldv, 0, work->Y, nz);
    add_rows(ocp, step, TRXI_MAP_T, n, X_T, ldv, work->Y + nu, nz);
    add_rows(ocp, step, TRXI_MAP_S_0, n, X_T, ldv, work->Y + nu + np, nz);

    trxi_gemm(np, columns, n, 1, X_T, ldv, Z, next, 0, work->G, next);
    add_columns(ocp, step, TRXI_MAP_T, np, V_qq, ldv, work->G + next * nu, next);
    add_columns(ocp, step, TRXI_MAP_S_0, np, V_qq, ldv, work->G + next * (nu + np), next);
}

// Q = [R .; S Q] + Z^T Y^T + E^T G, in the memory of V
static void expand_hessian(const trxi_ocp *ocp, int step, trxi_riccati *work)
{
    const trxi_ocp_stage *stage = &ocp->stages[step];
    const int next = stage->nx_next, nx = stage->nx, nu = stage->nu, nz = nu + nx, np = ocp->positions.count;
    double *Q = work->Q;
    for (int j = 0; j < nu; j++) {
        memcpy(Q + nz * j, stage->R + nu * j, (size_t)nu * sizeof *Q);
        if (stage->S) memcpy(Q + nz * j + nu, stage->S + nx * j, (size_t)nx * sizeof *Q);
        else memset(Q + nz * j + nu, 0, (size_t)nx * sizeof *Q);
    }
    work->V = fill_state_block(stage, work);
    work->ldv = nz;
    trxi_gemm_nt_lower(nz, next - np, work->Z_T, nz, work->Y, nz, Q, nz);
    add_rows(ocp, step, TRXI_MAP_T, nu + np, work->G, next, Q + nu, nz);
    add_rows(ocp, step, TRXI_MAP_S_0, nz, work->G, next, Q + nu + np, nz);
}

// Q_l = [r; q] + Z^T (S^T V_q + V_v) + E^T V_q
static void expand_gradient(const trxi_ocp *ocp, int step, trxi_riccati *work)
{
    const trxi_ocp_stage *stage = &ocp->stages[step];
    const int next = stage->nx_next, nx = stage->nx, nu = stage->nu, np = ocp->positions.count;
    memcpy(work->Q_l, stage->r, (size_t)nu * sizeof(double));
    memcpy(work->Q_l + nu, stage->q, (size_t)nx * sizeof(double));
    trxi_gemv_t(next - np, nu + nx, 1, stage->B + np, next, work->V_x + np, 1, work->Q_l);
    add_rows(ocp, step, TRXI_MAP_T, 1, work->V_x, next, work->Q_l + nu, nx);
    add_rows(ocp, step, TRXI_MAP_S_0, 1, work->V_x, next, work->Q_l + nu + np, nx);
}

// the feedforward k within its bounds; work->qp keeps the factor of the free block
static bool solve_feedforward(const trxi_ocp_stage *stage, double mu, const double *scale, trxi_riccati *work, double *k)
{
    const int nu = stage->nu, nz = nu + stage->nx;
    for (int j = 0; j < nu; j++) {
        for (int i = j; i < nu; i++) work->Q_uu[i + j * nu] = work->Q[i + j * nz];
        if (work->Q_uu[j + j * nu] > work->curvature[j]) work->curvature[j] = work->Q_uu[j + j * nu];
        work->Q_uu[j + j * nu] += mu * scale[j];
    }
    work->qp.n = nu;
    return trxi_box_qp_solve(&work->qp, work->Q_uu, nu, work->Q_l, stage->u_lower, stage->u_upper, k) == TRXI_BOX_QP_SOLVED;
}

// computes K^T: columns -Q_xu,f (Q_uu + mu D)_ff^-1 for free controls, 0 for clamped controls. Writes -Y to work->left and Y to
// work->right, with damping followed by -mu K_f^T D_f and K_f^T; returns the number of these columns
static int solve_gains(const trxi_ocp_stage *stage, double mu, const double *scale, trxi_riccati *work)
{
    const int nx = stage->nx, nu = stage->nu, nz = nu + nx;
    const trxi_box_qp *qp = &work->qp;
    const size_t column = (size_t)nx * sizeof(double);
    double *gains = work->right + qp->nfree * nx, *damped = work->left + qp->nfree * nx;
    for (int f = 0; f < qp->nfree; f++)
        for (int i = 0; i < nx; i++) gains[i + f * nx] = -work->Q[nu + i + qp->free[f] * nz];
    trxi_lower_solve_right(qp->nfree, qp->L, qp->n, nx, gains, nx);
    memcpy(work->left, gains, (size_t)qp->nfree * column);
    trxi_upper_solve_right(qp->nfree, qp->L, qp->n, nx, gains, nx);
    for (int i = 0; i < qp->nfree * nx; i++) work->right[i] = -work->left[i];

    memset(work->K_T, 0, (size_t)nu * column);
    for (int f = 0; f < qp->nfree; f++) {
        const double weight = -mu * scale[qp->free[f]];
        memcpy(work->K_T + qp->free[f] * nx, gains + f * nx, column);
        for (int i = 0; i < nx && mu > 0; i++) damped[i + f * nx] = weight * gains[i + f * nx];
    }
    return mu > 0 ? 2 * qp->nfree : qp->nfree;
}

// adds the expected change of a stage to the sums, updates the largest free gradient, and sets work->Q_uuk = Q_uu k
static void add_expected(const trxi_ocp_stage *stage, const double *k, trxi_riccati *work, trxi_policy *policy)
{
    const int nu = stage->nu, nz = nu + stage->nx;
    policy->linear += trxi_dot(nu, work->Q_l, k);
    trxi_symv(nu, work->Q, nz, k, work->Q_uuk);
    policy->quadratic += 0.5 * trxi_dot(nu, k, work->Q_uuk);
    for (int f = 0; f < work->qp.nfree; f++)
        policy->gradient = fmax(policy->gradient, fabs(work->Q_l[work->qp.free[f]]));
    policy->clamped += nu - work->qp.nfree;
}

// computes V of this stage; V_xx replaces Q_xx
static void update_value(const trxi_ocp_stage *stage, const double *k, int columns, trxi_riccati *work)
{
    const int nx = stage->nx, nu = stage->nu, nz = nu + nx;
    trxi_axpy(nu, 1, work->Q_l, work->Q_uuk);
    memcpy(work->V_x, work->Q_l + nu, (size_t)nx * sizeof(double));
    trxi_gemv(nx, nu, 1, work->K_T, nx, work->Q_uuk, 1, work->V_x);
    trxi_gemv(nx, nu, 1, work->Q + nu, nz, k, 1, work->V_x);
    trxi_gemm_nt_lower(nx, columns, work->left, nx, work->right, nx, work->V, nz);
}

// updates p and the slope from k and K of this stage, and adds the multiplier of its defect
static void follow_slope(const trxi_ocp_stage *stage, const double *k, trxi_riccati *work)
{
    const int next = stage->nx_next, nx = stage->nx, nu = stage->nu;
    double largest = 0;
    for (int i = 0; i < nx; i++) largest = fmax(largest, fabs(work->V_x[i]));
    work->multiplier += largest;
    memcpy(work->P, stage->r, (size_t)nu * sizeof(double));
    memcpy(work->P + nu, stage->q, (size_t)nx * sizeof(double));
    trxi_gemv_t(next, nu + nx, 1, stage->B, next, work->p, 1, work->P);
    work->slope += trxi_dot(nu, work->P, k);
    if (stage->b) work->slope += trxi_dot(next, work->p, stage->b);
    memcpy(work->p, work->P + nu, (size_t)nx * sizeof(double));
    trxi_gemv(nx, nu, 1, work->K_T, nx, work->P, 1, work->p);
}

// writes the whole expected change, with defects, as coefficients of alpha and alpha^2
static void split_expected(const trxi_riccati *work, trxi_policy *policy)
{
    const double whole = policy->linear + policy->quadratic + work->offset;
    policy->linear = work->slope;
    policy->quadratic = whole - work->slope;
}

static void begin(const trxi_ocp *ocp, trxi_riccati *work, trxi_policy *policy)
{
    policy->linear = policy->quadratic = policy->gradient = 0;
    policy->clamped = 0;
    policy->ocp = ocp;
    work->slope = work->offset = work->multiplier = 0;
    memset(work->curvature, 0, (size_t)ocp->nu * sizeof(double));
    start_at_the_end(ocp, work);
}

bool trxi_riccati_sweep(const trxi_ocp *ocp, double mu, const double *scale, trxi_riccati *work, trxi_policy *policy)
{
    begin(ocp, work, policy);
    for (int step = ocp->steps - 1; step >= 0; step--) {
        const trxi_ocp_stage *stage = &ocp->stages[step];
        double *k = policy->k + stage->u_at;
        add_defect(stage, work);
        express_in_velocities(ocp, step, work);
        form_products(ocp, step, work);
        expand_hessian(ocp, step, work);
        expand_gradient(ocp, step, work);
        if (!solve_feedforward(stage, mu, scale, work, k)) {
            work->failed_knot = step;
            return false;
        }
        int columns = solve_gains(stage, mu, scale, work);
        add_expected(stage, k, work, policy);
        update_value(stage, k, columns, work);
        if (ocp->defects) follow_slope(stage, k, work);
        trxi_transpose(stage->nx, stage->nu, work->K_T, stage->nx, policy->K + stage->K_at, stage->nu);
    }
    if (!ocp->defects) return true;
    split_expected(work, policy);
    work->multiplier /= ocp->steps;
    return true;
}
