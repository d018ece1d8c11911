// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contact and limit terms of dr/dq0 and dr/dv0 at fixed v (theory 6); twin of contact_rows.c.
//
// Per contact and tangent increment of dof j, in the world, with f = F gamma, columns J_j, w_j at the point p:
//
//     dphi = n . (J_B - J_A)_j         dn, dp  from the geometry (motion of B relative to A)
//     o    = n x dn                    spin of the frame: dF = [o]x F; where t1 follows an axis a of body X, + n s_n with
//                                      s_n = (t2 . (W_X x a) - (t2 . dn)(n . a)) / |a - n (n . a)|
//     du_X(v) = [d(J_X v) with p fixed in space] + (W_X v) x dp
//     dv_c(v) = F^T [ du_B(v) - du_A(v) + (u_B - u_A) x o ]
//     (with what moves beside the joints: motion.c)
//     dgn0    = dt [ f_phi dphi + f_v n . (the same at v0) ]
//     dmu     = mu' of the slip speed at v0, with the tangential part of the same
//     dgamma  = -G dv_c(v) + gamma_phi dphi + gamma_gn0 dgn0 + gamma_mu dmu + gamma_w dw    [+ gamma_vn0 dv_n0]
//
// The turn of a contact has the moment F gamma, and d(W_B - W_A) + (W_B - W_A) x o in place of the velocities of the point.
//
// The last where a law is taken between start and end. What does not depend on the law is in point_deriv.c.

#include "step/contact_rows_short.h"
#include "step/motion.h"
#include "step/point_deriv.h"

typedef struct contact_point {
    trxi_point point;
    const trxi_row_block *c;
    const trxi_row_block *at; // the point, for a turn; else c
    const trxi_row *row;
    const trxi_contact_point *geometry;
    bool *changed; // the velocity changes dV0, dV1 are those of its pair
    trxi_drift drift;
    trxi_contact_partials partials;
    double from_p_to_a[3];
    double slip[3], slip0[3]; // u_B - u_A at v and at v0; slip of a turn W_B - W_A, movers included
} contact_point;

// motion of the geometry for column i: dphi, dn, dp
static double geometry_motion(const contact_point *k, const double *column, bool on_a, double dn[3], double dp[3])
{
    const trxi_contact_point *g = k->geometry;
    double x[3];
    trxi_cross3(column + TRXI_WW, k->from_p_to_a, x);
    trxi_add3(x, column + TRXI_JW, x);
    double dphi = trxi_dot3(g->n, x);
    if (g->sliding) dphi += trxi_dot3(g->dphi_dx, x) + trxi_dot3(g->dphi_dtheta, column + TRXI_WW);

    // relative to A, then with A (columns of a carry the sign -1)
    double turn[3], shift[3];
    trxi_mulv3(g->dn_dtheta, column + TRXI_WW, turn);
    trxi_mulv3(g->dn_dx, x, dn);
    trxi_add3(dn, turn, dn);
    trxi_mulv3(g->da_dtheta, column + TRXI_WW, turn);
    trxi_mulv3(g->da_dx, x, shift);
    trxi_add3(turn, shift, dp);
    if (on_a) {
        trxi_cross_add3(g->n, column + TRXI_WW, dn);
        trxi_sub3(dp, x, dp);
    }

    // p = a + b phi n
    trxi_axpy3(k->row->phi_weight * dphi, g->n, dp);
    trxi_axpy3(k->row->phi_weight * g->phi, dn, dp);
    return dphi;
}

// spin of the frame: n x dn, and about n where t1 follows an axis (theory 6)
static void frame_spin(const contact_point *k, const double *column, const trxi_pair_side *side, const double dn[3],
                       double o[3])
{
    const trxi_row *row = k->row;
    const double *n = k->geometry->n, *t2 = row->F + 3;
    trxi_cross3(n, dn, o);
    if (row->axis_sign == 0) return;
    double spin = -trxi_dot3(t2, dn) * trxi_dot3(n, row->axis), da[3];
    if (row->axis_sign * side->sign > 0) {
        trxi_cross3(column + TRXI_WW, row->axis, da);
        spin += side->sign * trxi_dot3(t2, da);
    }
    trxi_axpy3(spin / row->axis_arm, n, o);
}

// dgn0, dmu and dvn0, which depend on the state before the step only: through the change du of the velocity at v0
static void state_changes(const contact_point *k, const trxi_pair_side *side, int index, const double *column, double dphi,
                          const double o[3], const double drift0[3], double *dgn0, double *dmu, double *dvn0)
{
    const trx_sim *sim = k->point.sim;
    const trxi_row *row = k->row;
    *dgn0 = *dmu = *dvn0 = 0;
    if (!row->law0_branch && row->mu_rate == 0 && !trxi_contact_sees_before(&k->c->contact)) return;
    double du[3], dv_c[3];
    trxi_point_velocity_change(&k->point, side, index, sim->rnea.V, sim->dV0, column + TRXI_DP, du);
    trxi_cross_add3(k->slip0, o, du);
    trxi_mulv3_t(row->F, du, dv_c);
    trxi_add3(dv_c, drift0, dv_c);
    if (row->law0_branch) *dgn0 = sim->settings.time_step * (row->f0_phi * dphi + row->f0_v * dv_c[2]);
    *dmu = row->mu_rate * (row->vt0[0] * dv_c[0] + row->vt0[1] * dv_c[1]);
    *dvn0 = dv_c[2];
}

// -G dv_c + gamma_phi dphi + gamma_gn0 dgn0 + gamma_mu dmu + gamma_vn0 dvn0, in the contact frame
static void impulse_change(const contact_point *k, const double dv_c[3], double dphi, double dgn0, double dmu, double dvn0,
                           double out[3])
{
    const trxi_sym3 *G = &k->c->G;
    const trxi_contact_partials *d = &k->partials;
    out[0] = -(G->xx * dv_c[0] + G->xy * dv_c[1] + G->xn * dv_c[2]);
    out[1] = -(G->xy * dv_c[0] + G->yy * dv_c[1] + G->yn * dv_c[2]);
    out[2] = -(G->xn * dv_c[0] + G->yn * dv_c[1] + G->nn * dv_c[2]);
    for (int a = 0; a < 3; a++)
        out[a] += d->phi[a] * dphi + d->gn0[a] * dgn0 + d->mu[a] * dmu + d->vn0[a] * dvn0;
}

// DF and DP of the columns of one side
static void side_changes(const contact_point *k, const trxi_pair_side *side)
{
    const trx_sim *sim = k->point.sim;
    const bool turn = k->c->law->angular, on_a = side->sign < 0;
    for (int i = 0; i < side->count; i++) {
        double *column = sim->row_scratch + TRXI_COLUMN * (side->offset + i);
        double dn[3], o[3], du[3], dv_c[3], drift[3] = {0, 0, 0}, drift0[3] = {0, 0, 0}, dgamma[3], dgn0, dmu, dvn0;
        double dphi = geometry_motion(k, column, on_a, dn, column + TRXI_DP);
        frame_spin(k, column, side, dn, o);
        trxi_drift_change(&k->drift, k->row->F, on_a, column + TRXI_WW, column + TRXI_DP, o, drift, drift0);
        state_changes(k, side, i, column, dphi, o, drift0, &dgn0, &dmu, &dvn0);
        if (turn) trxi_point_spin_change(&k->point, side, i, sim->dV1, du);
        else trxi_point_velocity_change(&k->point, side, i, sim->V1, sim->dV1, column + TRXI_DP, du);
        trxi_cross_add3(k->slip, o, du);
        trxi_mulv3_t(k->row->F, du, dv_c);
        if (!turn) trxi_add3(dv_c, drift, dv_c);
        impulse_change(k, dv_c, dphi, dgn0, dmu, dvn0, dgamma);
        trxi_mulv3(k->row->F, dgamma, column + TRXI_DF);
        trxi_cross_add3(o, k->point.f, column + TRXI_DF);
    }
}

// rv -= J^T (gamma_gn0 dt f_v J_n + gamma_mu dmu/dv0 + gamma_vn0 J_n), J_n and mu those of the point
static void subtract_lagged(const contact_point *k)
{
    trx_sim *sim = k->point.sim;
    const trxi_row *row = k->row;
    const double slope = sim->settings.time_step * row->f0_v, *gn0 = k->partials.gn0, *mu = k->partials.mu;
    if (slope == 0 && row->mu_rate == 0 && !trxi_contact_sees_before(&k->c->contact)) return;
    double through[3];
    if (sim->lambda) trxi_point_project(k->c, sim->lambda, through);
    for (int j = 0; j < k->c->ncol; j++) {
        const double *J = k->at->J + 3 * j;
        double dgn0 = slope * J[2], dmu = row->mu_rate * (row->vt0[0] * J[0] + row->vt0[1] * J[1]), dgamma[3];
        for (int a = 0; a < 3; a++) dgamma[a] = gn0[a] * dgn0 + mu[a] * dmu + k->partials.vn0[a] * J[2];
        if (sim->lambda) {
            sim->grad_v[k->c->cols[j]] -= trxi_dot3(through, dgamma);
            continue;
        }
        double *rv = sim->rv + sim->solver.column[k->c->cols[j]];
        for (int i = 0; i < k->c->ncol; i++) rv[sim->solver.local[k->c->cols[i]]] -= trxi_dot3(k->c->J + 3 * i, dgamma);
    }
}

static bool sees_mass(const trxi_contact_partials *partials)
{
    return partials->w[0] != 0 || partials->w[1] != 0 || partials->w[2] != 0;
}

// with DP of all columns
static void subtract_effective_mass(const contact_point *k)
{
    const double *w = k->partials.w;
    if (!sees_mass(&k->partials)) return;
    trx_sim *sim = k->point.sim;
    const double *dw = trxi_point_mass_change(&k->point, k->c->w, false);
    double *force = sim->W_scratch + sim->model->nv;
    for (int i = 0; i < k->c->ncol; i++) force[i] = trxi_dot3(k->c->J + 3 * i, w);
    trxi_step_subtract_mass_change(sim, k->c->cols, k->c->ncol, force, dw);
}

// the links' velocity changes, once for all points of a pair
static void change_velocities(contact_point *k)
{
    if (*k->changed) return;
    trxi_point_velocity_derivs(&k->point, k->point.sim->rnea.V, k->point.sim->dV0);
    trxi_point_velocity_derivs(&k->point, k->point.sim->V1, k->point.sim->dV1);
    *k->changed = true;
}

static void subtract_contact(contact_point *k)
{
    trx_sim *sim = k->point.sim;
    trxi_row_partials(k->c, &sim->problem.law, &k->partials);
    trxi_mulv3(k->row->F, k->c->gamma, k->point.f);
    trxi_sub3(k->geometry->a, k->row->p, k->from_p_to_a);
    const bool turn = k->c->law->angular;
    trxi_step_drift(sim, k->row->pair, k->row->p, &k->drift);
    change_velocities(k);
    if (turn) {
        double w[3];
        trxi_point_spin(&k->point, sim->V1, k->slip);
        trxi_drift_spin(&k->drift, w);
        trxi_add3(k->slip, w, k->slip);
    } else {
        trxi_point_velocity(&k->point, sim->V1, k->slip);
    }
    trxi_point_velocity(&k->point, sim->rnea.V, k->slip0);
    trxi_point_columns(&k->point);
    side_changes(k, &k->point.columns->a);
    side_changes(k, &k->point.columns->b);
    if (turn) trxi_point_subtract_turn(&k->point);
    else trxi_point_subtract(&k->point);
    subtract_lagged(k);
    subtract_effective_mass(k);
}

// what the short way leaves out
static void subtract_mass_alone(contact_point *k)
{
    trx_sim *sim = k->point.sim;
    const trxi_pair_side *sides[2] = {&k->point.columns->a, &k->point.columns->b};
    trxi_zero3(k->point.f);
    trxi_sub3(k->geometry->a, k->row->p, k->from_p_to_a);
    trxi_point_columns(&k->point);
    for (int s = 0; s < 2; s++)
        for (int i = sides[s]->offset; i < sides[s]->offset + sides[s]->count; i++) {
            double *column = sim->row_scratch + TRXI_COLUMN * i, dn[3];
            geometry_motion(k, column, s == 0, dn, column + TRXI_DP);
        }
    subtract_effective_mass(k);
}

void trxi_step_contact_rows_deriv(trx_sim *sim)
{
    int pair = -1;
    bool changed = false;
    for (int i = 0; i < sim->ncontact; i++) {
        const trxi_row_block *c = &sim->contacts[i];
        if (!trxi_contact_acts(c)) continue;
        const trxi_row *row = &sim->rows[i];
        if (row->pair != pair) {
            pair = row->pair;
            const trxi_shape_pair *shapes = &sim->filter.pairs[pair];
            trxi_collide(&sim->shapes[shapes->a], &sim->shapes[shapes->b], sim->filter.margin[pair], true, sim->points);
            changed = false;
        }
        const trxi_contact_point *geometry = &sim->points[row->point];
        trxi_contact_partials partials;
        const bool is_short = trxi_step_contact_short(sim, c, row, geometry, &partials);
        if (is_short && !sees_mass(&partials)) continue;
        contact_point k = {.c = c, .at = c->law->angular ? c - 1 : c, .row = row, .changed = &changed};
        k.point = (trxi_point){.sim = sim, .columns = &sim->columns[row->pair], .cols = c->cols, .p = row->p};
        k.geometry = geometry;
        if (!is_short) {
            subtract_contact(&k);
            continue;
        }
        k.partials = partials;
        subtract_mass_alone(&k);
    }
}

void trxi_step_contact_motion(trx_sim *sim, int contact, double *motion)
{
    const trxi_row_block *c = &sim->contacts[contact];
    const trxi_row *row = &sim->rows[contact];
    const trxi_shape_pair *shapes = &sim->filter.pairs[row->pair];
    trxi_collide(&sim->shapes[shapes->a], &sim->shapes[shapes->b], sim->filter.margin[row->pair], true, sim->points);
    contact_point k = {.c = c, .at = c, .row = row, .geometry = &sim->points[row->point]};
    k.point = (trxi_point){.sim = sim, .columns = &sim->columns[row->pair], .cols = c->cols, .p = row->p};
    trxi_sub3(k.geometry->a, row->p, k.from_p_to_a);
    trxi_point_columns(&k.point);
    const trxi_pair_side *sides[2] = {&k.point.columns->a, &k.point.columns->b};
    for (int s = 0; s < 2; s++)
        for (int i = sides[s]->offset; i < sides[s]->offset + sides[s]->count; i++)
            motion[7 * i] = geometry_motion(&k, sim->row_scratch + TRXI_COLUMN * i, s == 0, motion + 7 * i + 1, motion + 7 * i + 4);
}
