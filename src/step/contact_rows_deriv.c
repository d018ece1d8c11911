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
//     dgn0    = dt [ f_phi dphi + f_v n . (the same at v0) ]
//     dgamma  = -G dv_c(v) + gamma_phi dphi + gamma_gn0 dgn0 + gamma_w dw
//
// and for row i on the same side as j and not nearer the root (columns turn with the joints before them):
//
//     d(J_i . f) = J_i . (o x f + F dgamma) + w_i . (dp x f)  [ + J_i . (f x w_j) + w_i . (f x J_j) ]
//
// Here p is fixed in space where theory 6 fixes it in the body; the sum is the same and needs no motion
// relative to the body. Dofs above both sides turn everything alike: all their terms cancel and are left out.

#include "step/sim.h"

#include "math/dense.h"

#include <string.h>

// vectors of one column: signed column of J_B - J_A and of its angular part, total change of impulse force
// and of p, and the two cross products of the same-side term
enum { JW = 0, WW = 3, DF = 6, DP = 9, FXW = 12, FXJ = 15, COLUMN = 18 };

typedef struct point {
    trx_sim *sim;
    const trxi_contact *c;
    const trxi_row *row;
    const trxi_pair_columns *columns;
    const trxi_contact_point *geometry;
    trxi_contact_partials partials;
    double f[3];  // F gamma
    double from_p_to_a[3];
    double slip[3], slip0[3]; // u_B - u_A at v and at v0
} point;

static void columns_at(point *k, const trxi_pair_side *side)
{
    const trx_sim *sim = k->sim;
    if (side->count == 0) return;
    const trxi_link *link = &sim->model->links[side->link];
    double arm[3], column[3];
    trxi_sub3(k->row->p, sim->kin.c + 3 * link->tree, arm);
    for (int i = 0; i < side->count; i++) {
        const double *S = sim->kin.S + 6 * sim->model->path[link->path_start + side->skip + i];
        double *out = sim->row_scratch + COLUMN * (side->offset + i);
        trxi_cross3(S, arm, column);
        trxi_add3(column, S + 3, column);
        trxi_scale3(side->sign, column, out + JW);
        trxi_scale3(side->sign, S, out + WW);
        trxi_cross3(k->f, S, out + FXW);
        trxi_cross3(k->f, column, out + FXJ);
    }
}

// velocity of the point of a link that is at p, for link velocities V
static void point_velocity(const trx_sim *sim, int link, const double *V, const double p[3], double u[3])
{
    if (link < 0) {
        trxi_zero3(u);
        return;
    }
    double arm[3];
    trxi_sub3(p, sim->kin.c + 3 * sim->model->links[link].tree, arm);
    trxi_cross3(V + 6 * link, arm, u);
    trxi_add3(u, V + 6 * link + 3, u);
}

static void relative_velocity(const point *k, const double *V, double out[3])
{
    double b[3];
    point_velocity(k->sim, k->columns->b.link, V, k->row->p, b);
    point_velocity(k->sim, k->columns->a.link, V, k->row->p, out);
    trxi_sub3(b, out, out);
}

// motion of the geometry for column i: dphi, dn, dp
static double geometry_motion(const point *k, const double *column, bool on_a, double dn[3], double dp[3])
{
    const trxi_contact_point *g = k->geometry;
    double x[3];
    trxi_cross3(column + WW, k->from_p_to_a, x);
    trxi_add3(x, column + JW, x);
    double dphi = trxi_dot3(g->n, x);
    if (g->sliding) dphi += trxi_dot3(g->dphi_dx, x) + trxi_dot3(g->dphi_dtheta, column + WW);

    // relative to A, then with A (columns of a carry the sign -1)
    double turn[3], shift[3];
    trxi_mulv3(g->dn_dtheta, column + WW, turn);
    trxi_mulv3(g->dn_dx, x, dn);
    trxi_add3(dn, turn, dn);
    trxi_mulv3(g->da_dtheta, column + WW, turn);
    trxi_mulv3(g->da_dx, x, shift);
    trxi_add3(turn, shift, dp);
    if (on_a) {
        trxi_cross_add3(g->n, column + WW, dn);
        trxi_sub3(dp, x, dp);
    }

    // p = a + b phi n
    trxi_axpy3(k->row->phi_weight * dphi, g->n, dp);
    trxi_axpy3(k->row->phi_weight * g->phi, dn, dp);
    return dphi;
}

// du = du_B - du_A for one column: [d(J v)]_j of the side it is on, and (W_B v - W_A v) x dp
static void velocity_change(const point *k, const trxi_pair_side *side, int path_index, const double *V,
                            const double *dV_sides, const double dp[3], double du[3])
{
    const trx_sim *sim = k->sim;
    const double *dV = dV_sides + (side->sign > 0 ? 6 * sim->max_path : 0) + 6 * path_index;
    double arm[3], spin[3] = {0, 0, 0};
    trxi_sub3(k->row->p, sim->kin.c + 3 * sim->model->links[side->link].tree, arm);
    trxi_cross3(dV, arm, du);
    trxi_add3(du, dV + 3, du);
    trxi_scale3(side->sign, du, du);
    if (k->columns->b.link >= 0) trxi_add3(spin, V + 6 * k->columns->b.link, spin);
    if (k->columns->a.link >= 0) trxi_sub3(spin, V + 6 * k->columns->a.link, spin);
    trxi_cross_add3(spin, dp, du);
}

static void side_velocity_derivs(const trx_sim *sim, const trxi_pair_columns *columns, const double *V, double *dV)
{
    if (columns->a.count) trxi_link_velocity_dq(sim->model, &sim->kin, V, columns->a.link, dV);
    if (columns->b.count) trxi_link_velocity_dq(sim->model, &sim->kin, V, columns->b.link, dV + 6 * sim->max_path);
}

// -G dv_c + gamma_phi dphi + gamma_gn0 dgn0, in the contact frame
static void impulse_change(const point *k, const double dv_c[3], double dphi, double dgn0, double out[3])
{
    const trxi_sym3 *G = &k->c->G;
    const trxi_contact_partials *d = &k->partials;
    out[0] = -(G->xx * dv_c[0] + G->xy * dv_c[1] + G->xn * dv_c[2]) + d->phi[0] * dphi + d->gn0[0] * dgn0;
    out[1] = -(G->xy * dv_c[0] + G->yy * dv_c[1] + G->yn * dv_c[2]) + d->phi[1] * dphi + d->gn0[1] * dgn0;
    out[2] = -(G->xn * dv_c[0] + G->yn * dv_c[1] + G->nn * dv_c[2]) + d->phi[2] * dphi + d->gn0[2] * dgn0;
}

// DF and DP of the columns of one side
static void side_changes(const point *k, const trxi_pair_side *side)
{
    const trx_sim *sim = k->sim;
    const double dt = sim->settings.time_step, *n = k->geometry->n;
    for (int i = 0; i < side->count; i++) {
        double *column = sim->row_scratch + COLUMN * (side->offset + i);
        double dn[3], o[3], du[3], dv_c[3], dgamma[3];
        double dphi = geometry_motion(k, column, side->sign < 0, dn, column + DP);
        trxi_cross3(n, dn, o);

        // gn0 depends on the state before the step only
        double dgn0 = 0;
        if (k->row->law0_branch) {
            velocity_change(k, side, side->skip + i, sim->rnea.V, sim->dV0, column + DP, du);
            trxi_cross_add3(k->slip0, o, du);
            dgn0 = dt * (k->row->f0_phi * dphi + k->row->f0_v * trxi_dot3(n, du));
        }
        velocity_change(k, side, side->skip + i, sim->V1, sim->dV1, column + DP, du);
        trxi_cross_add3(k->slip, o, du);
        trxi_mulv3_t(k->row->F, du, dv_c);
        impulse_change(k, dv_c, dphi, dgn0, dgamma);
        trxi_mulv3(k->row->F, dgamma, column + DF);
        trxi_cross_add3(o, k->f, column + DF);
    }
}

// rq -= d(J^T f) for the columns of one side: rows of both sides, with the extra term for its own
static void subtract_columns(const point *k, const trxi_pair_side *side)
{
    trx_sim *sim = k->sim;
    const int nv = sim->model->nv, *cols = k->c->cols, *dof_link = sim->model->dof_link;
    for (int j = side->offset; j < side->offset + side->count; j++) {
        const double *column = sim->row_scratch + COLUMN * j;
        double *rq = sim->rq + (size_t)cols[j] * (size_t)nv;
        double force[3], moment[3], own_force[3], own_moment[3];
        trxi_copy3(column + DF, force);
        trxi_cross3(column + DP, k->f, moment);
        trxi_add3(force, column + FXW, own_force);
        trxi_add3(moment, column + FXJ, own_moment);
        for (int i = 0; i < k->c->ncol; i++) {
            const double *row = sim->row_scratch + COLUMN * i;
            bool own = i >= side->offset && i < side->offset + side->count && dof_link[cols[i]] >= dof_link[cols[j]];
            rq[cols[i]] -= own ? trxi_dot3(row + JW, own_force) + trxi_dot3(row + WW, own_moment)
                               : trxi_dot3(row + JW, force) + trxi_dot3(row + WW, moment);
        }
    }
}

// rv -= J^T gamma_gn0 (dt f_v J_n)
static void subtract_lagged(const point *k)
{
    trx_sim *sim = k->sim;
    const double slope = sim->settings.time_step * k->row->f0_v, *gn0 = k->partials.gn0;
    if (slope == 0) return;
    const int nv = sim->model->nv;
    for (int j = 0; j < k->c->ncol; j++) {
        double factor = slope * k->c->J[3 * j + 2];
        double *rv = sim->rv + (size_t)k->c->cols[j] * (size_t)nv;
        for (int i = 0; i < k->c->ncol; i++) rv[k->c->cols[i]] -= factor * trxi_dot3(k->c->J + 3 * i, gn0);
    }
}

// dw += scale z^T dM z over all dofs
static void add_mass_part(trx_sim *sim, double scale, const double *z, double *g, double *dw)
{
    const trx_model *model = sim->model;
    double *V = sim->y_scratch + 8 * model->nv, *h = V + 6 * model->nlink;
    trxi_mass_quadratic_dq(model, &sim->kin, z, V, h, g);
    trxi_axpy(model->nv, scale, g, dw);
}

// Change of w = |W|_F / 3 (theory 6): dw = <W, dW> / (9 w), with W = Jw A^-1 Jw^T, Y = A^-1 Jw^T, Q = W Y^T:
//     <W, dW> = 2 <Q, dJw> - <W, Y^T dM Y>
// The first part is a velocity change at the velocities Q_a, the second a sum of squares by W = L D L^T.
static const double *effective_mass_change(const point *k)
{
    trx_sim *sim = k->sim;
    const trx_model *model = sim->model;
    const int nv = model->nv;
    double *Y = sim->y_scratch, *Q = Y + 3 * nv, *z = Y + 6 * nv, *g = Y + 7 * nv, *V = Y + 8 * nv;
    double *dw = sim->W_scratch, W[9];
    trxi_step_contact_mass(sim, k->c, sim->row_scratch + JW, COLUMN, Y, W);
    trxi_gemm(nv, 3, 3, 1, Y, nv, W, 3, 0, Q, nv);

    memset(dw, 0, (size_t)nv * sizeof *dw);
    const double scale = 1 / (9 * k->c->w);
    for (int a = 0; a < 3; a++) {
        trxi_link_velocities(model, &sim->kin, Q + a * nv, V);
        side_velocity_derivs(sim, k->columns, V, sim->dVy);
        const trxi_pair_side *sides[2] = {&k->columns->a, &k->columns->b};
        for (int s = 0; s < 2; s++)
            for (int i = 0; i < sides[s]->count; i++) {
                int at = sides[s]->offset + i;
                double du[3];
                velocity_change(k, sides[s], sides[s]->skip + i, V, sim->dVy, sim->row_scratch + COLUMN * at + DP, du);
                dw[k->c->cols[at]] += 2 * scale * du[a];
            }
    }

    // W = L D L^T without pivoting; a vanishing pivot of a semidefinite W drops its direction
    const double tiny = 1e-14 * (W[0] + W[4] + W[8]);
    for (int a = 0; a < 3; a++) {
        double D = W[4 * a];
        if (!(D > tiny)) continue;
        for (int i = 0; i < nv; i++) z[i] = 0;
        for (int b = a; b < 3; b++) trxi_axpy(nv, W[b + 3 * a] / D, Y + b * nv, z);
        add_mass_part(sim, -scale * D, z, g, dw);
        for (int b = 2; b > a; b--)
            for (int c = 2; c > a; c--) W[b + 3 * c] -= W[b + 3 * a] * W[c + 3 * a] / D;
    }
    return dw;
}

static void subtract_effective_mass(const point *k)
{
    const double *w = k->partials.w;
    if (w[0] == 0 && w[1] == 0 && w[2] == 0) return;
    trx_sim *sim = k->sim;
    const int nv = sim->model->nv;
    const double *dw = effective_mass_change(k);
    for (int j = 0; j < nv; j++) {
        if (dw[j] == 0) continue;
        double *rq = sim->rq + (size_t)j * (size_t)nv;
        for (int i = 0; i < k->c->ncol; i++) rq[k->c->cols[i]] -= trxi_dot3(k->c->J + 3 * i, w) * dw[j];
    }
}

static void subtract_contact(point *k)
{
    trx_sim *sim = k->sim;
    const trx_sim_settings *set = &sim->settings;
    trxi_contact_impulse_deriv(k->c, set->time_step, set->friction_regularization, set->near_rigid, &k->partials);
    trxi_mulv3(k->row->F, k->c->gamma, k->f);
    trxi_sub3(k->geometry->a, k->row->p, k->from_p_to_a);
    relative_velocity(k, sim->V1, k->slip);
    relative_velocity(k, sim->rnea.V, k->slip0);
    columns_at(k, &k->columns->a);
    columns_at(k, &k->columns->b);
    side_changes(k, &k->columns->a);
    side_changes(k, &k->columns->b);
    subtract_columns(k, &k->columns->a);
    subtract_columns(k, &k->columns->b);
    subtract_lagged(k);
    subtract_effective_mass(k);
}

// gamma = ((v_hat - v_c)/R)+, v_hat = -phi/(2 dt), R = beta^2/(4 pi^2) w with dw = -y^T dM y, y = A^-1 e_i
static void subtract_limit(trx_sim *sim, const trxi_limit *limit)
{
    if (!(limit->G > 0)) return;
    const int nv = sim->model->nv;
    double *y = sim->y_scratch, *g = y + nv, *dw = sim->W_scratch;
    sim->rq[limit->dof * (nv + 1)] += limit->G / (2 * sim->settings.time_step);
    memset(y, 0, (size_t)nv * sizeof *y);
    memset(dw, 0, (size_t)nv * sizeof *dw);
    y[limit->dof] = 1;
    trxi_step_solve_mass(sim, &limit->dof, 1, 1, y);
    add_mass_part(sim, -1, y, g, dw);
    double gamma_w = -limit->gamma / limit->w;
    for (int j = 0; j < nv; j++) sim->rq[limit->dof + j * nv] -= limit->sign * gamma_w * dw[j];
}

static bool acts(const trxi_contact *c)
{
    return c->gn0 != 0 || c->gamma[2] != 0 || c->G.nn != 0 || c->G.xx != 0;
}

void trxi_step_contact_rows_deriv(trx_sim *sim)
{
    const trx_model *model = sim->model;
    if (sim->problem.ncontact) trxi_link_velocities(model, &sim->kin, sim->solver.v, sim->V1);
    int pair = -1;
    for (int i = 0; i < sim->problem.ncontact; i++) {
        if (!acts(&sim->contacts[i])) continue;
        const trxi_row *row = &sim->rows[i];
        if (row->pair != pair) {
            pair = row->pair;
            const trxi_shape_pair *shapes = &sim->shape_pairs[pair];
            trxi_collide(&sim->shapes[shapes->a], &sim->shapes[shapes->b], sim->margin[pair], true, sim->points);
            side_velocity_derivs(sim, &sim->columns[pair], sim->rnea.V, sim->dV0);
            side_velocity_derivs(sim, &sim->columns[pair], sim->V1, sim->dV1);
        }
        point k = {.sim = sim, .c = &sim->contacts[i], .row = row};
        k.columns = &sim->columns[pair];
        k.geometry = &sim->points[row->point];
        subtract_contact(&k);
    }
    for (int i = 0; i < sim->problem.nlimit; i++) subtract_limit(sim, &sim->limits[i]);
}
