// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Residuals of terms that measure sets, and their derivatives (theory 7; columns J_i, velocities V, dV as in cost_terms.c).
//
// Distance of two sets of geometries: phi of the closest pair, and with x = (J_B - J_A)_i at the witness point on A and the
// relative turn theta = (w_B - w_A)_i
//
//     dphi = (n + dphi_dx) . x + dphi_dtheta . theta          (contact_geometry.h)
//
// Dofs above both bodies do not change the distance, and are left out. If several pairs are equally close, the first pair gives the
// derivative. O(pairs + path length).
//
// Centre of mass p = sum_L s_L p_L of points p_L in the links with shares s_L of the mass; fixed masses add a constant. A dof i
// moves the subtree beyond it. With the share s of this subtree and its first moment h about c,
//
//     position   dp = s v_i + w_i x h
//     velocity   r  = sum_L s_L (v_c + w x (p_L - c)),  dr = J dv + sum_L s_L (dv_c + dw x (p_L - c) + w x J_i(p_L)) dq
//
// O(links) and O(links times depth).

#include "trajopt/cost_sets.h"

#include "dynamics/distance.h"

#include <string.h>

// ---- filling ----

void trxi_set_layout(trxi_arena *arena, const trx_model *model, const trx_cost_term *def, trxi_term *term)
{
    bool distance = def->quantity == TRX_DISTANCE, com = trxi_quantity_is(def->quantity, TRXI_OF_BODIES);
    term->set = TRXI_TAKE(arena, int, distance ? def->ngeom_a : 0);
    term->other = TRXI_TAKE(arena, int, distance ? def->ngeom_b : 0);
    term->masses = TRXI_TAKE(arena, trxi_point_mass, com ? model->nlink : 0);
    term->moved = TRXI_TAKE(arena, int, com ? model->nv : 0);
    term->bodies = TRXI_TAKE(arena, int, !com ? 0 : def->bodies ? def->nbody : model->nbody);
}

// adds a body to the point mass of its link, or to the fixed part; stores first moments for now
static void add_body(const trx_model *model, int index, trxi_term *term)
{
    const trxi_body *body = &model->bodies[index];
    double at[3], mass = model->inertias[index].mass;
    trxi_mulv3(body->R_LB, model->inertias[index].com, at);
    trxi_add3(at, body->p_LB, at);
    if (body->link < 0) {
        trxi_axpy3(mass, at, term->still);
        return;
    }
    int i = 0;
    while (i < term->nmass && term->masses[i].link != body->link) i++;
    if (i == term->nmass) term->masses[term->nmass++] = (trxi_point_mass){.link = body->link};
    term->masses[i].share += mass;
    trxi_axpy3(mass, at, term->masses[i].com);
}

// turns masses and moments into shares and positions; drops links without mass
static void divide(double mass, trxi_term *term)
{
    int kept = 0;
    trxi_scale3(1 / mass, term->still, term->still);
    for (int i = 0; i < term->nmass; i++) {
        trxi_point_mass point = term->masses[i];
        if (!(point.share > 0)) continue;
        trxi_scale3(1 / point.share, point.com, point.com);
        point.share /= mass;
        term->masses[kept++] = point;
    }
    term->nmass = kept;
}

// lists the dofs that move any of the masses, ascending
static void find_dofs(const trx_model *model, trxi_term *term)
{
    for (int dof = 0; dof < model->nv; dof++) {
        bool moves = false;
        for (int i = 0; i < term->nmass && !moves; i++) {
            const trxi_link *link = &model->links[term->masses[i].link];
            for (int k = 0; k < link->path_length; k++) moves = moves || model->path[link->path_start + k] == dof;
        }
        if (moves) term->moved[term->ndof++] = dof;
    }
    term->dofs = term->moved;
}

void trxi_set_fill(const trx_model *model, const trx_cost_term *def, trxi_term *term)
{
    if (def->quantity == TRX_DISTANCE) {
        term->nset = def->ngeom_a;
        term->nother = def->ngeom_b;
        memcpy(term->set, def->geoms_a, (size_t)term->nset * sizeof(int));
        memcpy(term->other, def->geoms_b, (size_t)term->nother * sizeof(int));
        return;
    }
    double mass = 0;
    for (int i = 0; i < (def->bodies ? def->nbody : model->nbody); i++) {
        int body = def->bodies ? def->bodies[i] : i;
        if (!def->bodies && model->bodies[body].link < 0) continue;
        add_body(model, body, term);
        term->bodies[term->nbody++] = body;
        mass += model->inertias[body].mass;
    }
    divide(mass, term);
    find_dofs(model, term);
}

// ---- values ----

// position of a point mass relative to the reference point of its tree
static void arm_of(const trxi_kinematics *kin, const trxi_point_mass *point, double arm[3])
{
    trxi_mulv3(kin->R + 9 * point->link, point->com, arm);
    trxi_add3(arm, kin->o + 3 * point->link, arm);
}

static void com_position(const trx_model *model, const trxi_term *term, const trxi_kinematics *kin, double out[3])
{
    trxi_copy3(term->still, out);
    for (int i = 0; i < term->nmass; i++) {
        double arm[3];
        arm_of(kin, &term->masses[i], arm);
        trxi_add3(arm, kin->c + 3 * model->links[term->masses[i].link].tree, arm);
        trxi_axpy3(term->masses[i].share, arm, out);
    }
}

static void com_velocity(const trxi_term *term, const trxi_term_work *work, double out[3])
{
    trxi_zero3(out);
    for (int i = 0; i < term->nmass; i++) {
        const double *V = work->V + 6 * term->masses[i].link;
        double arm[3], velocity[3];
        arm_of(&work->kin, &term->masses[i], arm);
        trxi_velocity_at(V, arm, velocity);
        trxi_axpy3(term->masses[i].share, velocity, out);
    }
}

void trxi_set_residual(const trx_model *model, const trxi_term *term, const trxi_term_work *work, const double *target,
                       double *r)
{
    if (term->quantity == TRX_DISTANCE) {
        trxi_gap gap = trxi_sets_closest(model, &work->kin, term->set, term->nset, term->other, term->nother, false);
        r[0] = gap.point.phi - target[0];
        return;
    }
    if (term->quantity == TRX_COM_POSITION) com_position(model, term, &work->kin, r);
    else com_velocity(term, work, r);
    trxi_sub3(r, target, r);
}

// ---- derivatives of a distance ----

// adds the dofs that move only one side, with their columns of J_q; `sign` is the sign in J_B - J_A
static void side_columns(const trx_model *model, const trxi_contact_point *point, int link, int other, double sign,
                         trxi_term_work *work)
{
    if (link < 0) return;
    const int *path = model->path + model->links[link].path_start;
    double arm[3];
    trxi_sub3(point->a, work->kin.c + 3 * model->links[link].tree, arm);
    for (int i = 0; i < model->links[link].path_length; i++) {
        if (trxi_dof_moves(model, path[i], other)) continue;
        const double slope = trxi_distance_slope(&work->kin, point, arm, path[i], sign);
        double *column = work->J_q + 3 * work->ndof;
        column[0] = slope, column[1] = column[2] = 0;
        work->either[work->ndof++] = path[i];
    }
}

// sorts columns by dof, as the blocks of the Hessian require: merges two sorted runs by insertion
static void sort_columns(trxi_term_work *work)
{
    for (int i = 1; i < work->ndof; i++) {
        int dof = work->either[i], j = i;
        double slope = work->J_q[3 * i];
        for (; j > 0 && work->either[j - 1] > dof; j--) {
            work->either[j] = work->either[j - 1];
            work->J_q[3 * j] = work->J_q[3 * (j - 1)];
        }
        work->either[j] = dof;
        work->J_q[3 * j] = slope;
    }
}

static void distance_jacobian(const trx_model *model, const trxi_term *term, trxi_term_work *work)
{
    trxi_gap gap = trxi_sets_closest(model, &work->kin, term->set, term->nset, term->other, term->nother, true);
    work->dofs = work->either;
    work->ndof = 0;
    if (gap.geom_a < 0) return;
    int link_a = model->geoms[gap.geom_a].link, link_b = model->geoms[gap.geom_b].link;
    side_columns(model, &gap.point, link_a, link_b, -1, work);
    side_columns(model, &gap.point, link_b, link_a, 1, work);
    sort_columns(work);
}

// ---- derivatives of a centre of mass ----

// computes the share and the first moment about c of the subtree of each link
static void sum_subtrees(const trx_model *model, const trxi_term *term, trxi_term_work *work)
{
    memset(work->subtree, 0, 4 * (size_t)model->nlink * sizeof(double));
    for (int i = 0; i < term->nmass; i++) {
        double *sum = work->subtree + 4 * term->masses[i].link, arm[3];
        arm_of(&work->kin, &term->masses[i], arm);
        sum[0] = term->masses[i].share;
        trxi_scale3(sum[0], arm, sum + 1);
    }
    for (int i = model->nlink - 1; i > 0; i--)
        for (int k = 0; model->links[i].parent >= 0 && k < 4; k++)
            work->subtree[4 * model->links[i].parent + k] += work->subtree[4 * i + k];
}

// writes s v_i + w_i x h of the subtree of each dof
static void position_columns(const trx_model *model, const trxi_term *term, trxi_term_work *work, double *out)
{
    sum_subtrees(model, term, work);
    for (int k = 0; k < term->ndof; k++) {
        const double *S = work->kin.S + 6 * term->dofs[k], *sum = work->subtree + 4 * model->dof_link[term->dofs[k]];
        trxi_cross3(S, sum + 1, out + 3 * k);
        trxi_axpy3(sum[0], S + 3, out + 3 * k);
    }
}

// adds the change of one point's velocity to the columns of its path; both lists ascend
static void add_velocity_columns(const trx_model *model, const trxi_term *term, const trxi_point_mass *point,
                                 trxi_term_work *work)
{
    const trxi_link *link = &model->links[point->link];
    const double *V = work->V + 6 * point->link;
    double arm[3], column[3], change[3];
    arm_of(&work->kin, point, arm);
    trxi_link_velocity_dq(model, &work->kin, work->V, point->link, work->dV);
    for (int i = 0, k = 0; i < link->path_length; i++) {
        int dof = model->path[link->path_start + i];
        while (term->dofs[k] < dof) k++;
        const double *S = work->kin.S + 6 * dof, *dV = work->dV + 6 * i;
        trxi_velocity_at(S, arm, column);
        trxi_velocity_at(dV, arm, change);
        trxi_cross_add3(V, column, change);
        trxi_axpy3(point->share, change, work->J_q + 3 * k);
    }
}

void trxi_set_jacobian(const trx_model *model, const trxi_term *term, trxi_term_work *work)
{
    if (term->quantity == TRX_DISTANCE) {
        distance_jacobian(model, term, work);
        return;
    }
    if (term->quantity == TRX_COM_POSITION) {
        position_columns(model, term, work, work->J_q);
        return;
    }
    position_columns(model, term, work, work->J_v);
    memset(work->J_q, 0, 3 * (size_t)term->ndof * sizeof(double));
    for (int i = 0; i < term->nmass; i++) add_velocity_columns(model, term, &term->masses[i], work);
}
