// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A contact whose side X a parameter displaces by a rotation vector w and, at the witness point a, by u (theory 6): a size, which
// moves the surface, and the pose of a fixed body, which moves all that is on it. The formulas are those of a dof
// (contact_rows_deriv.c), which the link of X need not have:
//
//     dphi, dn, dp   from the geometry, moved relative to A by +-(w, u)
//     dgamma         -G dv_c + gamma_phi dphi + gamma_gn0 dgn0 + gamma_mu dmu + gamma_w dw + gamma_vn0 dv_n0
//     r             -= d(J^T F gamma)                                                        displacement.h

#include "step/parameters.h"

#include "step/motion.h"

typedef struct moved_contact {
    trxi_displaced rows;
    const trxi_row_block *c; // of a point, or of its turn
    const trxi_row *row;
    const trxi_contact_point *g;
} moved_contact;

// dphi, dn and dp
static double geometry_motion(const moved_contact *k, double dn[3], double dp[3])
{
    const trxi_contact_point *g = k->g;
    double x[3], theta[3], turn[3], u[3];
    trxi_displace(k->rows.motion, g->a, u);
    trxi_scale3(k->rows.side->sign, u, x);
    trxi_scale3(k->rows.side->sign, k->rows.motion->w, theta);
    double dphi = trxi_dot3(g->n, x);
    if (g->sliding) dphi += trxi_dot3(g->dphi_dx, x) + trxi_dot3(g->dphi_dtheta, theta);
    trxi_mulv3(g->dn_dtheta, theta, turn);
    trxi_mulv3(g->dn_dx, x, dn);
    trxi_add3(dn, turn, dn);
    trxi_mulv3(g->da_dtheta, theta, turn);
    trxi_mulv3(g->da_dx, x, dp);
    trxi_add3(turn, dp, dp);
    if (k->rows.side->sign < 0) {
        trxi_cross_add3(k->rows.motion->w, g->n, dn);
        trxi_add3(dp, u, dp);
    }
    trxi_axpy3(k->row->phi_weight * dphi, g->n, dp);
    trxi_axpy3(k->row->phi_weight * g->phi, dn, dp);
    return dphi;
}

// spin of the frame (contact_rows_deriv.c)
static void frame_spin(const moved_contact *k, const double dn[3], double o[3])
{
    const trxi_row *row = k->row;
    const double *n = k->g->n, *t2 = row->F + 3;
    trxi_cross3(n, dn, o);
    if (row->axis_sign == 0) return;
    double spin = -trxi_dot3(t2, dn) * trxi_dot3(n, row->axis), da[3];
    trxi_cross3(k->rows.motion->w, row->axis, da);
    if (row->axis_sign * k->rows.side->sign > 0) spin += trxi_dot3(t2, da);
    trxi_axpy3(spin / row->axis_arm, n, o);
}

typedef struct changes {
    double phi, gn0, mu, vn0, v_c[3];
} changes;

static void impulse_change(const moved_contact *k, const changes *by, const double dp[3], const double o[3], double out[3])
{
    const trxi_sym3 *G = &k->c->G;
    const double *v = by->v_c;
    trxi_contact_partials d;
    trxi_row_partials(k->c, &k->rows.sim->problem.law, &d);
    bool through_mass = d.w[0] != 0 || d.w[1] != 0 || d.w[2] != 0;
    double dw = through_mass ? trxi_displaced_mass(&k->rows, dp, o) : 0;
    out[0] = -(G->xx * v[0] + G->xy * v[1] + G->xn * v[2]);
    out[1] = -(G->xy * v[0] + G->yy * v[1] + G->yn * v[2]);
    out[2] = -(G->xn * v[0] + G->yn * v[1] + G->nn * v[2]);
    for (int i = 0; i < 3; i++)
        out[i] += d.phi[i] * by->phi + d.gn0[i] * by->gn0 + d.mu[i] * by->mu + d.vn0[i] * by->vn0 + d.w[i] * dw;
}

// dgn0, dmu and dvn0: through the velocity before the step
static void state_changes(const moved_contact *k, const double dp[3], const double o[3], const double drift0[3], changes *by)
{
    const trxi_row *row = k->row;
    if (!row->law0_branch && row->mu_rate == 0 && !trxi_contact_sees_before(&k->c->contact)) return;
    double du[3], slip[3], dv_c[3];
    trxi_displaced_velocity(&k->rows, k->rows.sim->rnea.V, dp, du, slip);
    trxi_cross_add3(slip, o, du);
    trxi_mulv3_t(row->F, du, dv_c);
    trxi_add3(dv_c, drift0, dv_c);
    if (row->law0_branch) by->gn0 = k->rows.sim->settings.time_step * (row->f0_phi * by->phi + row->f0_v * dv_c[2]);
    by->mu = row->mu_rate * (row->vt0[0] * dv_c[0] + row->vt0[1] * dv_c[1]);
    by->vn0 = dv_c[2];
}

static void subtract_contact(const moved_contact *k, double *r)
{
    const trx_sim *sim = k->rows.sim;
    const double *F = k->row->F;
    double dn[3], dp[3], o[3], w[3], du[3], slip[3], dgamma[3], f[3], df[3], drift[3] = {0, 0, 0}, drift0[3] = {0, 0, 0};
    changes by = {.phi = geometry_motion(k, dn, dp)};
    frame_spin(k, dn, o);

    // what moves beside the joints
    trxi_drift beside;
    trxi_step_drift(sim, k->row->pair, k->row->p, &beside);
    trxi_scale3(k->rows.side->sign, k->rows.motion->w, w);
    trxi_drift_change(&beside, F, k->rows.side->sign < 0, w, dp, o, drift, drift0);
    state_changes(k, dp, o, drift0, &by);
    if (k->rows.turn) {
        trxi_displaced_spin(&k->rows, sim->V1, du, slip);
        trxi_drift_spin(&beside, w);
        trxi_add3(slip, w, slip);
    } else {
        trxi_displaced_velocity(&k->rows, sim->V1, dp, du, slip);
    }
    trxi_cross_add3(slip, o, du);
    trxi_mulv3_t(F, du, by.v_c);
    if (!k->rows.turn) trxi_add3(by.v_c, drift, by.v_c);
    impulse_change(k, &by, dp, o, dgamma);
    trxi_mulv3(F, k->c->gamma, f);
    trxi_mulv3(F, dgamma, df);
    trxi_cross_add3(o, f, df);
    trxi_displaced_subtract(&k->rows, f, df, dp, r);
}

const trxi_contact_point *trxi_parameters_contact_point(trx_sim *sim, int index, int *pair)
{
    const trxi_row *row = &sim->rows[index];
    if (row->pair != *pair) {
        *pair = row->pair;
        const trxi_shape_pair *shapes = &sim->filter.pairs[*pair];
        trxi_collide(&sim->shapes[shapes->a], &sim->shapes[shapes->b], sim->filter.margin[*pair], true, sim->points);
    }
    return &sim->points[row->point];
}

void trxi_parameters_contact(trx_sim *sim, int index, bool on_a, const trxi_displacement *motion, double *r)
{
    const trxi_row_block *c = &sim->contacts[index];
    const trxi_row *row = &sim->rows[index];
    const trxi_pair_columns *columns = &sim->columns[row->pair];
    const moved_contact k = {
        .rows = {.sim = sim, .columns = columns, .side = on_a ? &columns->a : &columns->b, .motion = motion, .p = row->p,
                 .F = row->F, .turn = c->law->angular, .nrow = 3, .cols = c->cols, .J = c->J, .w = c->w},
        .c = c, .row = row, .g = &sim->points[row->point]};
    subtract_contact(&k, r);
}
