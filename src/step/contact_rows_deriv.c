// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contact and limit terms of dr/dq0 and dr/dv0 at fixed v (theory 6); twin of contact_rows.c.
//
// Per contact and tangent increment of dof j, in the world, with f = F gamma, columns J_j, w_j at the point p:
//
//     dphi = n . (J_B - J_A)_j         dn, dp  from the geometry (motion of B relative to A)
//     o    = n x dn                    spin of the frame: dF = [o]x F
//     du_X(v) = [d(J_X v) with p fixed in space] + (W_X v) x dp
//     dv_c(v) = F^T [ du_B(v) - du_A(v) + (u_B - u_A) x o ]
//     (with what moves beside the joints: motion.c)
//     dgn0    = dt [ f_phi dphi + f_v n . (the same at v0) ]
//     dgamma  = -G dv_c(v) + gamma_phi dphi + gamma_gn0 dgn0 + gamma_w dw
//
// What does not depend on the law is in point_deriv.c.

#include "step/motion.h"
#include "step/point_deriv.h"

typedef struct contact_point {
    trxi_point point;
    const trxi_contact *c;
    const trxi_row *row;
    const trxi_contact_point *geometry;
    trxi_drift drift;
    trxi_contact_partials partials;
    double from_p_to_a[3];
    double slip[3], slip0[3]; // u_B - u_A at v and at v0
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

// -G dv_c + gamma_phi dphi + gamma_gn0 dgn0, in the contact frame
static void impulse_change(const contact_point *k, const double dv_c[3], double dphi, double dgn0, double out[3])
{
    const trxi_sym3 *G = &k->c->G;
    const trxi_contact_partials *d = &k->partials;
    out[0] = -(G->xx * dv_c[0] + G->xy * dv_c[1] + G->xn * dv_c[2]) + d->phi[0] * dphi + d->gn0[0] * dgn0;
    out[1] = -(G->xy * dv_c[0] + G->yy * dv_c[1] + G->yn * dv_c[2]) + d->phi[1] * dphi + d->gn0[1] * dgn0;
    out[2] = -(G->xn * dv_c[0] + G->yn * dv_c[1] + G->nn * dv_c[2]) + d->phi[2] * dphi + d->gn0[2] * dgn0;
}

// DF and DP of the columns of one side
static void side_changes(const contact_point *k, const trxi_pair_side *side)
{
    const trx_sim *sim = k->point.sim;
    const double dt = sim->settings.time_step, *n = k->geometry->n;
    for (int i = 0; i < side->count; i++) {
        double *column = sim->row_scratch + TRXI_COLUMN * (side->offset + i);
        double dn[3], o[3], du[3], dv_c[3], dv_n0 = 0, dgamma[3];
        double dphi = geometry_motion(k, column, side->sign < 0, dn, column + TRXI_DP);
        trxi_cross3(n, dn, o);

        trxi_point_velocity_change(&k->point, side, i, sim->V1, sim->dV1, column + TRXI_DP, du);
        trxi_cross_add3(k->slip, o, du);
        trxi_mulv3_t(k->row->F, du, dv_c);
        if (k->drift.any)
            dv_n0 = trxi_drift_change(&k->drift, k->row->F, side->sign < 0, column + TRXI_WW, column + TRXI_DP, o, dv_c);

        // gn0 depends on the state before the step only
        double dgn0 = 0;
        if (k->row->law0_branch) {
            trxi_point_velocity_change(&k->point, side, i, sim->rnea.V, sim->dV0, column + TRXI_DP, du);
            trxi_cross_add3(k->slip0, o, du);
            dgn0 = dt * (k->row->f0_phi * dphi + k->row->f0_v * (trxi_dot3(n, du) + dv_n0));
        }
        impulse_change(k, dv_c, dphi, dgn0, dgamma);
        trxi_mulv3(k->row->F, dgamma, column + TRXI_DF);
        trxi_cross_add3(o, k->point.f, column + TRXI_DF);
    }
}

// rv -= J^T gamma_gn0 (dt f_v J_n)
static void subtract_lagged(const contact_point *k)
{
    trx_sim *sim = k->point.sim;
    const double slope = sim->settings.time_step * k->row->f0_v, *gn0 = k->partials.gn0;
    if (slope == 0) return;
    const int nv = sim->model->nv;
    for (int j = 0; j < k->c->ncol; j++) {
        double factor = slope * k->c->J[3 * j + 2];
        double *rv = sim->rv + (size_t)k->c->cols[j] * (size_t)nv;
        for (int i = 0; i < k->c->ncol; i++) rv[k->c->cols[i]] -= factor * trxi_dot3(k->c->J + 3 * i, gn0);
    }
}

static void subtract_effective_mass(const contact_point *k)
{
    const double *w = k->partials.w;
    if (w[0] == 0 && w[1] == 0 && w[2] == 0) return;
    trx_sim *sim = k->point.sim;
    const int nv = sim->model->nv;
    const double *dw = trxi_point_mass_change(&k->point, k->c->w, false);
    for (int j = 0; j < nv; j++) {
        if (dw[j] == 0) continue;
        double *rq = sim->rq + (size_t)j * (size_t)nv;
        for (int i = 0; i < k->c->ncol; i++) rq[k->c->cols[i]] -= trxi_dot3(k->c->J + 3 * i, w) * dw[j];
    }
}

static void subtract_contact(contact_point *k)
{
    trx_sim *sim = k->point.sim;
    const trx_sim_settings *set = &sim->settings;
    trxi_contact_impulse_deriv(k->c, set->time_step, set->friction_regularization, set->near_rigid, &k->partials);
    trxi_mulv3(k->row->F, k->c->gamma, k->point.f);
    trxi_sub3(k->geometry->a, k->row->p, k->from_p_to_a);
    trxi_step_drift(sim, k->row->pair, k->row->p, &k->drift);
    trxi_point_velocity(&k->point, sim->V1, k->slip);
    trxi_point_velocity(&k->point, sim->rnea.V, k->slip0);
    trxi_point_columns(&k->point);
    side_changes(k, &k->point.columns->a);
    side_changes(k, &k->point.columns->b);
    trxi_point_subtract(&k->point);
    subtract_lagged(k);
    subtract_effective_mass(k);
}

static bool acts(const trxi_contact *c)
{
    return c->gn0 != 0 || c->gamma[2] != 0 || c->G.nn != 0 || c->G.xx != 0;
}

void trxi_step_contact_rows_deriv(trx_sim *sim)
{
    int pair = -1;
    for (int i = 0; i < sim->problem.ncontact; i++) {
        const trxi_contact *c = &sim->contacts[i];
        if (!acts(c)) continue;
        const trxi_row *row = &sim->rows[i];
        contact_point k = {.c = c, .row = row};
        k.point = (trxi_point){.sim = sim, .columns = &sim->columns[row->pair], .cols = c->cols, .p = row->p};
        if (row->pair != pair) {
            pair = row->pair;
            const trxi_shape_pair *shapes = &sim->filter.pairs[pair];
            trxi_collide(&sim->shapes[shapes->a], &sim->shapes[shapes->b], sim->filter.margin[pair], true, sim->points);
            trxi_point_velocity_derivs(&k.point, sim->rnea.V, sim->dV0);
            trxi_point_velocity_derivs(&k.point, sim->V1, sim->dV1);
        }
        k.geometry = &sim->points[row->point];
        subtract_contact(&k);
    }
}
