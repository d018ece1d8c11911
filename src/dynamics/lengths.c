// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Lengths l(q) with exact first and second derivatives (theory 4, Tendons). A span has the length l(x_0, x_1) of its ends
// relative to its obstacle C, with gradient g_k and second derivatives H_kl in world axes (wrap.c). Unit changes of l correspond to
// the force g_k on the link of end k and the force -g_k on the link of C, both at the point p_k. The gradient of l therefore
// consists of the joint forces of three wrenches,
//
//     dl/dq_j = sum over the three links of S_j . F,      F = sum of +-[(p_k - c) x g_k; g_k]
//
// At joint velocities y the links have the velocities U, and J y = sum_k g_k . D_k with D_k = U_k(p_k) - U_C(p_k). The
// change of J y with q_j at constant y has the forces and moments
//
//     b_k = sum_l H_kl D_l + W_C x g_k  on end k, -b_k on C,      sum_k g_k x D_k  on C
//
// because g_k turns with C, changes with the relative displacement, and acts at a point that moves with end k. Forces +-g_k that
// are fixed in space add the turn of the columns and the motion of the points (load_forces.h). The cost of a span is proportional
// to the number of dofs on the three paths.

#include "dynamics/lengths.h"

#include "dynamics/load_forces.h"

#include <string.h>

void trxi_lengths_layout(trxi_arena *arena, const trx_model *model, trxi_lengths *lengths)
{
    lengths->value = TRXI_TAKE(arena, double, model->nlength);
    lengths->J = TRXI_TAKE(arena, double, model->nlength_dof);
    lengths->spans = TRXI_TAKE(arena, trxi_span, model->nspan);
}

// ---- geometry ----

static void place_point(const trxi_kinematics *kin, const trxi_span_end *end, double p[3])
{
    if (end->link < 0) {
        trxi_copy3(end->p_L, p);
        return;
    }
    trxi_mulv3(kin->R + 9 * end->link, end->p_L, p);
    trxi_add3(p, kin->p + 3 * end->link, p);
}

// turns the vectors of a span from the axes of the obstacle to the axes of the world
static void turn_to_world(const double R[9], trxi_wrap *at)
{
    for (int k = 0; k < 2; k++) {
        double g[3];
        trxi_mulv3(R, at->g + 3 * k, g);
        trxi_copy3(g, at->g + 3 * k);
        for (int l = 0; l < 2; l++) {
            double block[9], left[9];
            for (int i = 0; i < 9; i++) block[i] = at->H[3 * k + i % 3 + 6 * (3 * l + i / 3)];
            trxi_mul33(R, block, left);
            trxi_mul33_bt(left, R, block);
            for (int i = 0; i < 9; i++) at->H[3 * k + i % 3 + 6 * (3 * l + i / 3)] = block[i];
        }
    }
}

static void compute_span(const trxi_kinematics *kin, const trxi_length_span *span, trxi_span *out)
{
    double R[9], p[3], x[6], side_W[3], side[3];
    for (int k = 0; k < 2; k++) place_point(kin, &span->end[k], out->p + 3 * k);
    if (span->around == TRX_TENDON_SITE) {
        trxi_wrap_straight(out->p, &out->at);
        return;
    }
    trxi_kinematics_place(kin, span->link, -1, span->R_L, span->p_L, R, p);
    for (int k = 0; k < 2; k++) {
        double arm[3];
        trxi_sub3(out->p + 3 * k, p, arm);
        trxi_mulv3_t(R, arm, x + 3 * k);
    }
    if (span->sided) {
        place_point(kin, &span->side, side_W);
        trxi_sub3(side_W, p, side_W);
        trxi_mulv3_t(R, side_W, side);
    }
    trxi_wrap_around(span->around, span->radius, x, span->sided ? side : NULL, &out->at);
    turn_to_world(R, &out->at);
}

// ---- forces of a span ----

enum { SURFACE = 2 };

// one of the three links of a span: the wrench F of dl/dq, and at joint velocities y the wrench B of the change of J y
typedef struct span_force {
    int body, link;
    double c[3]; // reference point of the link's tree, or the origin of the world
    double F[6], V[6], B[6];
} span_force;

static void add_force(const double f[3], const double p[3], const double c[3], double wrench[6])
{
    double arm[3];
    trxi_sub3(p, c, arm);
    trxi_cross_add3(arm, f, wrench);
    trxi_add3(wrench + 3, f, wrench + 3);
}

static void fill_forces(const trx_model *model, const trxi_kinematics *kin, const trxi_length_span *span, const trxi_span *at,
                        span_force forces[3])
{
    for (int k = 0; k < 3; k++) {
        forces[k] = (span_force){.body = k == SURFACE ? span->body : span->end[k].body,
                          .link = k == SURFACE ? span->link : span->end[k].link};
        if (forces[k].link >= 0) trxi_copy3(kin->c + 3 * model->links[forces[k].link].tree, forces[k].c);
    }
    for (int k = 0; k < 2; k++) {
        const double g[3] = {span->scale * at->at.g[3 * k], span->scale * at->at.g[3 * k + 1], span->scale * at->at.g[3 * k + 2]};
        const double back[3] = {-g[0], -g[1], -g[2]};
        add_force(g, at->p + 3 * k, forces[k].c, forces[k].F);
        if (at->at.branch != TRXI_STRAIGHT) add_force(back, at->p + 3 * k, forces[SURFACE].c, forces[SURFACE].F);
    }
}

static void velocity_of(const trx_model *model, const trxi_kinematics *kin, int link, const double *y, double V[6])
{
    for (int k = 0; link >= 0 && k < model->links[link].path_length; k++) {
        const int dof = model->path[model->links[link].path_start + k];
        trxi_axpy6(y[dof], kin->S + 6 * dof, V);
    }
}

static void velocity_at(const span_force *of, const double p[3], double u[3])
{
    double arm[3];
    trxi_sub3(p, of->c, arm);
    trxi_velocity_at(of->V, arm, u);
}

// computes B of the three links at the joint velocities y
static void fill_changes(const trx_model *model, const trxi_kinematics *kin, const trxi_length_span *span, const trxi_span *at,
                         const double *y, span_force forces[3])
{
    const bool wraps = at->at.branch != TRXI_STRAIGHT;
    double D[6], b[6];
    for (int k = 0; k < (wraps ? 3 : 2); k++) velocity_of(model, kin, forces[k].link, y, forces[k].V);
    for (int k = 0; k < 2; k++) {
        double carried[3] = {0, 0, 0};
        velocity_at(&forces[k], at->p + 3 * k, D + 3 * k);
        if (wraps) velocity_at(&forces[SURFACE], at->p + 3 * k, carried);
        trxi_sub3(D + 3 * k, carried, D + 3 * k);
    }
    for (int i = 0; i < 6; i++) {
        b[i] = 0;
        for (int j = 0; j < 6; j++) b[i] += span->scale * at->at.H[i + 6 * j] * D[j];
    }
    for (int k = 0; k < 2; k++) {
        double g[3], back[3];
        trxi_scale3(span->scale, at->at.g + 3 * k, g);
        if (wraps) trxi_cross_add3(forces[SURFACE].V, g, b + 3 * k);
        add_force(b + 3 * k, at->p + 3 * k, forces[k].c, forces[k].B);
        if (!wraps) continue;
        trxi_scale3(-1, b + 3 * k, back);
        add_force(back, at->p + 3 * k, forces[SURFACE].c, forces[SURFACE].B);
        trxi_cross_add3(g, D + 3 * k, forces[SURFACE].B);
    }

    // the point of a constant force moves with its link
    for (int k = 0; k < 2; k++) {
        trxi_wrench_move(at->p + 3 * k, forces[k].c, span->scale, at->at.g + 3 * k, forces[k].V, forces[k].B);
        if (!wraps) continue;
        span_force *surface = &forces[SURFACE];
        trxi_wrench_move(at->p + 3 * k, surface->c, -span->scale, at->at.g + 3 * k, surface->V, surface->B);
    }
}

// ---- lengths ----

static void add_gradient(const trx_model *model, const trxi_kinematics *kin, const trxi_length *length, const span_force *of,
                         double *J)
{
    if (of->link < 0) return;
    const trxi_link *link = &model->links[of->link];
    const int *path = model->path + link->path_start, *cols = model->length_dofs + length->first;
    for (int k = length->shared, at = 0; k < link->path_length; k++) {
        while (cols[at] < path[k]) at++;
        J[at] += trxi_dot6(kin->S + 6 * path[k], of->F);
    }
}

// sets entries of the size of rounding errors to zero: a row of rounding errors alone would demand a huge speed
static void clear_rounding(const trxi_length *length, double value, double *J)
{
    static const double relative = 1e-12;
    for (int k = 0; k < length->ncol; k++)
        if (fabs(J[k]) <= relative * value) J[k] = 0;
}

void trxi_lengths_compute(const trx_model *model, const trxi_kinematics *kin, const double *q, trxi_lengths *lengths)
{
    memcpy(lengths->J, model->length_factors, (size_t)model->nlength_dof * sizeof *lengths->J);
    for (int i = 0; i < model->nlength; i++) {
        const trxi_length *length = &model->lengths[i];
        lengths->value[i] = trxi_length_of_joints(model, length, q);
        for (int s = length->first_span; s < length->first_span + length->nspan; s++) {
            const trxi_length_span *span = &model->spans[s];
            trxi_span *at = &lengths->spans[s];
            span_force forces[3];
            compute_span(kin, span, at);
            fill_forces(model, kin, span, at, forces);
            lengths->value[i] += span->scale * at->at.length;
            for (int k = 0; k < (at->at.branch == TRXI_STRAIGHT ? 2 : 3); k++)
                add_gradient(model, kin, length, &forces[k], lengths->J + length->first);
        }
        if (length->nspan > 0) clear_rounding(length, lengths->value[i], lengths->J + length->first);
    }
}

double trxi_length_rate(const trx_model *model, const trxi_lengths *lengths, int index, const double *x)
{
    const trxi_length_view view = trxi_length_at(model, lengths, index);
    double rate = 0;
    for (int k = 0; k < view.ncol; k++) rate += view.J[k] * x[view.cols[k]];
    return rate;
}

void trxi_length_turn(const trx_model *model, const trxi_kinematics *kin, const trxi_lengths *lengths, int index, const double *y,
                      double *h)
{
    const trxi_length *length = &model->lengths[index];
    for (int k = length->first; k < length->first + length->ncol; k++) h[model->length_dofs[k]] = 0;
    for (int s = length->first_span; s < length->first_span + length->nspan; s++) {
        const trxi_span *at = &lengths->spans[s];
        span_force forces[3];
        fill_forces(model, kin, &model->spans[s], at, forces);
        fill_changes(model, kin, &model->spans[s], at, y, forces);
        for (int k = 0; k < (at->at.branch == TRXI_STRAIGHT ? 2 : 3); k++)
            if (forces[k].link >= 0)
                trxi_wrench_turn(model, kin, &model->links[forces[k].link], forces[k].F, forces[k].B, y, 1, length->shared, h);
    }
}

void trxi_length_displaced(const trx_model *model, const trxi_kinematics *kin, const trxi_lengths *lengths, int index,
                           const trxi_carried *by, const double *y, double *dl, double *dJ_y)
{
    const trxi_length *length = &model->lengths[index];
    *dl = *dJ_y = 0;
    for (int s = length->first_span; s < length->first_span + length->nspan; s++) {
        const trxi_span *at = &lengths->spans[s];
        span_force forces[3];
        fill_forces(model, kin, &model->spans[s], at, forces);
        fill_changes(model, kin, &model->spans[s], at, y, forces);
        for (int k = 0; k < (at->at.branch == TRXI_STRAIGHT ? 2 : 3); k++) {
            if (!by->has(by->context, forces[k].body, forces[k].link)) continue;
            double S[6], arm[3], turned[6];
            trxi_copy3(by->w, S);
            trxi_sub3(forces[k].c, by->at, arm);
            trxi_cross3(by->w, arm, S + 3);
            trxi_add3(S + 3, by->v, S + 3);
            trxi_cross_force(forces[k].V, forces[k].F, turned);
            *dl += trxi_dot6(S, forces[k].F);
            *dJ_y += trxi_dot6(S, turned) + trxi_dot6(S, forces[k].B);
        }
    }
}
