// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of inverse_dynamics.c (theory 6; Singh, Russell, Wensing 2022, in the fixed frame at c of each tree).
//
// With p(j) the link before j's, a unit of dq_j turns the subtree of j rigidly about S_j and lets it drift
// against the motion it already has:
//
//     psi'_j  = V_p(j) x S_j                          S'_j = V_link(j) x S_j
//     psi''_j = A_p(j) x S_j + V_p(j) x psi'_j
//
// The rigid part turns forces and columns alike and cancels in S_i . F, except where i is before j's link and
// does not turn itself: there it leaves S_i . (S_j x* F^C). The drift changes forces through
//
//     I psi'' + B psi',    B psi = psi x* (I V) + V x* (I psi) - I (V x psi)
//
// and gravity, fixed in space, does not turn: with c_j = w_j x g, G_j = [h_g x c_j; m_g c_j]. So, l being the
// deeper one of the links of i and j (zero when neither is on the other's path),
//
//     dtau_i/dv_j = S_i . ( B_l S_j + I_l (psi'_j + S'_j) )
//     dtau_i/dq_j = S_i . ( I_l psi''_j + B_l psi'_j + G_j,l + [i before j's link] S_j x* F_l )
//
// all of I, B, G, F summed over the subtree of l. Multiplied out, B acts on the angular part of psi = [a; b] only:
//
//     B psi = [ N a; 2 a x f ],    f = m v + w x h,
//     N = [(tr J) w - 2 J w]x - 2 J [w]x - 2 [h]x [v]x
//
// (w, v the parts of V; J, h, m of I): 12 numbers. Per dof, its products with I, B, gravity are formed once, as a
// row (i deeper than j) and as a column (j deeper than i); each entry is then one or two short dot products.
// Cost: O(nv times the depth).

#include "dynamics/inverse_dynamics.h"

// per dof as a row, with l its own link
typedef struct row {
    double inertia[6]; // I_l S_i
    double drift[3];   // angular part of B_l^T S_i
    double gravity[3]; // S_i . G_j,l = gravity . w_j
} row;

// per dof as a column
typedef struct column {
    double psi_dot[6];
    double psi_ddot[6];
    double rate[6]; // psi' + S'
} column;

_Static_assert(sizeof(row) == 12 * sizeof(double) && sizeof(column) == 18 * sizeof(double), "as trxi_rnea lays out");

// N (9) and f (3) of one link
static void velocity_operator(const trxi_inertia *in, const double V[6], double B[12])
{
    const double *J = in->J, *h = in->h, *w = V, *v = V + 3;
    const double full[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
    double spin[3], Jw[3], turn[9], skew_w[9], product[9], hv = trxi_dot3(h, v);
    trxi_mulv3(full, w, Jw);
    for (int k = 0; k < 3; k++) spin[k] = (J[0] + J[1] + J[2]) * w[k] - 2 * Jw[k];
    trxi_skew33(spin, turn);
    trxi_skew33(w, skew_w);
    trxi_mul33(full, skew_w, product);

    // [h]x [v]x = v h^T - (h.v) 1
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            B[i + 3 * j] = turn[i + 3 * j] - 2 * product[i + 3 * j] - 2 * v[i] * h[j] + (i == j ? 2 * hv : 0);
    trxi_cross3(w, h, B + 9);
    trxi_axpy3(in->m, v, B + 9);
}

// composite inertia, velocity operator and gravity moment of every subtree
static void accumulate(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work)
{
    for (int l = 0; l < model->nlink; l++) {
        double *B = work->B + 12 * l, *gravity = work->gravity + 4 * l;
        work->composite[l] = kin->inertia[l];
        for (int k = 0; k < 4; k++) gravity[k] = kin->gravity_moment[4 * l + k];
        if (model->links[l].massless)
            for (int k = 0; k < 12; k++) B[k] = 0;
        else
            velocity_operator(&kin->inertia[l], work->V + 6 * l, B);
    }
    for (int l = model->nlink - 1; l >= 0; l--) {
        int parent = model->links[l].parent;
        if (parent < 0) continue;
        trxi_inertia_add(&work->composite[l], &work->composite[parent]);
        for (int k = 0; k < 12; k++) work->B[12 * parent + k] += work->B[12 * l + k];
        for (int k = 0; k < 4; k++) work->gravity[4 * parent + k] += work->gravity[4 * l + k];
    }
}

static void make_row(const double S[6], const trxi_inertia *inertia, const double B[12], const double moment[4],
                     const double g[3], row *out)
{
    double arm[3];
    trxi_inertia_mul(inertia, S, out->inertia);

    // S . [N a; 2 a x f] = (N^T w + 2 f x v) . a
    trxi_mulv3_t(B, S, out->drift);
    trxi_cross3(B + 9, S + 3, arm);
    trxi_axpy3(2, arm, out->drift);

    // S . [h x c; m c] = (w x h + m v) . c,  c = w_j x g
    trxi_cross3(S, moment + 1, arm);
    trxi_axpy3(moment[0], S + 3, arm);
    trxi_cross3(g, arm, out->gravity);
}

// V_p, A_p: NULL at a root, whose parent is at rest
static void make_column(const double S[6], const double V[6], const double *V_p, const double *A_p, column *out)
{
    trxi_cross_motion(V, S, out->rate);
    if (!V_p) {
        trxi_zero6(out->psi_dot);
        trxi_zero6(out->psi_ddot);
        return;
    }
    double turn[6];
    trxi_cross_motion(V_p, S, out->psi_dot);
    trxi_cross_motion(A_p, S, out->psi_ddot);
    trxi_cross_motion(V_p, out->psi_dot, turn);
    trxi_axpy6(1, turn, out->psi_ddot);
    trxi_axpy6(1, out->psi_dot, out->rate);
}

// out += B psi, for the angular part of psi
static void add_operator(const double B[12], const double psi[3], double out[6])
{
    double part[3];
    trxi_mulv3(B, psi, part);
    trxi_add3(out, part, out);
    trxi_cross3(psi, B + 9, part);
    trxi_axpy3(2, part, out + 3);
}

// forces of link l's subtree for units of dv_j and dq_j, j of l, as a dof before l feels them
static void column_forces(const trxi_kinematics *kin, const trxi_rnea *work, const double g[3], int l, int j,
                          double dv[6], double dq[6])
{
    const double *S = kin->S + 6 * j, *B = work->B + 12 * l, *moment = work->gravity + 4 * l;
    const column *c = (const column *)work->columns + j;
    trxi_inertia_mul(&work->composite[l], c->rate, dv);
    add_operator(B, S, dv);

    double weight[3], turned[6];
    trxi_inertia_mul(&work->composite[l], c->psi_ddot, dq);
    add_operator(B, c->psi_dot, dq);
    trxi_cross3(S, g, weight);
    trxi_cross_add3(moment + 1, weight, dq);
    trxi_axpy3(moment[0], weight, dq + 3);
    const double *F = work->motion[l].F;
    const double force[6] = {F[0], F[1], F[2], F[4], F[5], F[6]};
    trxi_cross_force(S, force, turned);
    trxi_axpy6(1, turned, dq);
}

static void prepare_link(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work, int l)
{
    const trxi_link *link = &model->links[l];
    const double *V_p = link->parent < 0 ? NULL : work->V + 6 * link->parent;
    double A_p[6];
    if (link->parent >= 0) {
        trxi_copy3(work->motion[link->parent].A, A_p);
        trxi_copy3(work->motion[link->parent].A + 4, A_p + 3);
    }
    for (int d = link->v; d < link->v + link->nv; d++) {
        const double *S = kin->S + 6 * d;
        make_row(S, &work->composite[l], work->B + 12 * l, work->gravity + 4 * l, model->gravity,
                 (row *)work->rows + d);
        make_column(S, work->V + 6 * l, V_p, A_p, (column *)work->columns + d);
    }
}

// where column j begins
static ptrdiff_t start(const ptrdiff_t *places, int ld, int j)
{
    return places ? places[j] : (ptrdiff_t)j * ld;
}

// all entries of dofs on one path; the others are zero already
static void fill(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work, const ptrdiff_t *places, int ld,
                 double *dtau_dq, double *dtau_dv)
{
    accumulate(model, kin, work);

    for (int l = 0; l < model->nlink; l++) {
        const trxi_link *link = &model->links[l];
        const int *path = model->path + link->path_start;
        prepare_link(model, kin, work, l);
        for (int d = link->v; d < link->v + link->nv; d++) {
            // d as a row: columns on its path, those of its own link included
            const row *r = (const row *)work->rows + d;
            for (int n = 0; n < link->path_length; n++) {
                const double *S = kin->S + 6 * path[n];
                const column *c = (const column *)work->columns + path[n];
                ptrdiff_t at = d + start(places, ld, path[n]);
                dtau_dv[at] = trxi_dot6(r->inertia, c->rate) + trxi_dot3(r->drift, S);
                dtau_dq[at] = trxi_dot6(r->inertia, c->psi_ddot) + trxi_dot3(r->drift, c->psi_dot) +
                              trxi_dot3(r->gravity, S);
            }

            // d as a column: rows before its link
            int before = link->path_length - link->nv;
            double dv[6], dq[6];
            if (before > 0) column_forces(kin, work, model->gravity, l, d, dv, dq);
            for (int n = 0; n < before; n++) {
                ptrdiff_t at = path[n] + start(places, ld, d);
                dtau_dv[at] = trxi_dot6(kin->S + 6 * path[n], dv);
                dtau_dq[at] = trxi_dot6(kin->S + 6 * path[n], dq);
            }
        }
    }
}

void trxi_inverse_dynamics_deriv(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work, double *dtau_dq,
                                 double *dtau_dv, int ld)
{
    for (int j = 0; j < model->nv; j++)
        for (int i = 0; i < model->nv; i++) dtau_dq[i + j * ld] = dtau_dv[i + j * ld] = 0;
    fill(model, kin, work, NULL, ld, dtau_dq, dtau_dv);
}

void trxi_inverse_dynamics_deriv_blocks(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work,
                                        const ptrdiff_t *places, double *dtau_dq, double *dtau_dv)
{
    fill(model, kin, work, places, 0, dtau_dq, dtau_dv);
}
