// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// lambda^T of the terms of one contact in dr/dq0 and dr/dv0 (theory 6): contact_rows_deriv.c read backwards. With u and w the
// velocity and the spin of B against A at p that lambda gives, a column j of those terms is
//
//     u . DF + w . (dp x f) + own terms,        DF = F dgamma + o x f
//
// and DF, dp are linear in the column. So the weights of dphi, dn, dp, o and of the velocity changes are formed once, from the
// last quantity to the first,
//
//     a = F^T u            of dgamma                         C  = -F G a                  of du(v)
//     c_phi, C0            through gamma_phi, gn0, mu        c_o = f x u + C x slip + C0 x slip0
//     c_dp = f x w + C x spin + C0 x spin0 (+ n c_phi, b phi c_dn: p = a + b phi n)       c_dn = c_o x n
//     c_x, c_W             of the column's displacement and turn, through the four matrices of the geometry
//
// and each column then costs one product S_j . T, where T depends on the link before j's only:
//
//     T = +-( [arm x c_x + c_W; c_x] + (V - V_p) x* [arm x C; C] + the same of v0 ) + own part
//
// Contacts whose regularization sees the mass, surfaces that move by themselves and friction with an axis take the long way.

#include "step/contact_rows_vjp.h"

#include "dynamics/inverse_dynamics.h"

// weights of what a column changes, in the world
typedef struct weights {
    double C[3], C0[3];     // of the velocity changes at v and v0
    double o[3], dn[3], dp[3], phi;
    double state[3];        // of dv_c0 in the contact frame: what dr/dv0 takes too
} weights;

static double dot3_t(const double M[9], const double x[3], int i)
{
    return M[3 * i] * x[0] + M[3 * i + 1] * x[1] + M[3 * i + 2] * x[2];
}

// out += M^T x
static void add_transposed(const double M[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] += dot3_t(M, x, i);
}

static void weigh_impulse(const trx_sim *sim, const trxi_contact *c, const trxi_row *row, const trxi_contact_partials *d,
                          const double a[3], weights *k)
{
    const trxi_sym3 *G = &c->G;
    const double dt = sim->settings.time_step;
    const double Ga[3] = {-(G->xx * a[0] + G->xy * a[1] + G->xn * a[2]), -(G->xy * a[0] + G->yy * a[1] + G->yn * a[2]),
                          -(G->xn * a[0] + G->yn * a[1] + G->nn * a[2])};
    double gn0 = row->law0_branch ? trxi_dot3(a, d->gn0) : 0, mu = row->mu_rate * trxi_dot3(a, d->mu);
    trxi_mulv3(row->F, Ga, k->C);
    k->phi = trxi_dot3(a, d->phi) + gn0 * dt * row->f0_phi;
    k->state[0] = mu * row->vt0[0], k->state[1] = mu * row->vt0[1], k->state[2] = gn0 * dt * row->f0_v;
    trxi_mulv3(row->F, k->state, k->C0);
}

// of the frame's spin, the normal and the point; u, w of lambda, V and V0 those of the links
static void weigh_geometry(const trxi_point *point, const trxi_row *row, const trxi_contact_point *g, const double u[3],
                           const double w[3], weights *k)
{
    const trx_sim *sim = point->sim;
    double slip[3], spin[3];
    trxi_cross3(point->f, u, k->o);
    trxi_cross3(point->f, w, k->dp);
    const double *V[2] = {sim->V1, sim->rnea.V}, *C[2] = {k->C, k->C0};
    for (int i = 0; i < 2; i++) {
        trxi_point_velocity(point, V[i], slip);
        trxi_point_spin(point, V[i], spin);
        trxi_cross_add3(C[i], slip, k->o);
        trxi_cross_add3(C[i], spin, k->dp);
    }
    trxi_cross3(k->o, g->n, k->dn);
    k->phi += row->phi_weight * trxi_dot3(k->dp, g->n);
    trxi_axpy3(row->phi_weight * g->phi, k->dp, k->dn);
}

// of the column's displacement x at the witness point and of its turn, on one side
static void weigh_motion(const weights *k, const trxi_row *row, const trxi_contact_point *g, bool on_a, double x[3],
                         double turn[3])
{
    double arm[3];
    trxi_scale3(k->phi, g->n, x);
    trxi_zero3(turn);
    add_transposed(g->dn_dx, k->dn, x);
    add_transposed(g->da_dx, k->dp, x);
    add_transposed(g->dn_dtheta, k->dn, turn);
    add_transposed(g->da_dtheta, k->dp, turn);
    if (g->sliding) {
        trxi_axpy3(k->phi, g->dphi_dx, x);
        trxi_axpy3(k->phi, g->dphi_dtheta, turn);
    }
    if (on_a) {
        trxi_sub3(x, k->dp, x);
        trxi_cross_add3(k->dn, g->n, turn);
    }
    trxi_sub3(g->a, row->p, arm);
    trxi_cross_add3(arm, x, turn);
}

// spatial force about c of a force at an arm
static void force_at(const double arm[3], const double force[3], double out[6])
{
    trxi_cross3(arm, force, out);
    trxi_copy3(force, out + 3);
}

// out += (V_X - V_p) x* K
static void add_drift(const double *V, const double *V_p, const double K[6], double out[6])
{
    double rest[6], part[6];
    for (int a = 0; a < 6; a++) rest[a] = V[a] - (V_p ? V_p[a] : 0);
    trxi_cross_force(rest, K, part);
    trxi_axpy6(1, part, out);
}

// what a link carries by itself of the impulse: [u x f; 0] + [arm x (w x f); w x f], u and w of the motion beyond its parent
static void add_own(const trxi_point *point, const double arm[3], const double *W, const double *W_p, double out[6])
{
    double rest[6], u[3], moment[3], force[3];
    for (int a = 0; a < 6; a++) rest[a] = W[a] - (W_p ? W_p[a] : 0);
    trxi_cross3(rest, arm, u);
    trxi_add3(u, rest + 3, u);
    trxi_cross3(u, point->f, moment);
    trxi_cross3(rest, point->f, force);
    trxi_cross_add3(arm, force, moment);
    trxi_add3(out, moment, out);
    trxi_add3(out + 3, force, out + 3);
}

static void pull_side(const trxi_point *point, const trxi_row *row, const trxi_contact_point *g, const weights *k,
                      const trxi_pair_side *side)
{
    trx_sim *sim = point->sim;
    if (side->count == 0) return;
    const trx_model *model = sim->model;
    const trxi_link *link = &model->links[side->link];
    const int *path = model->path + link->path_start + side->skip;
    double arm[3], x[3], turn[3], fixed[6], K[6], K0[6], T[6];
    trxi_sub3(point->p, sim->kin.c + 3 * link->tree, arm);
    weigh_motion(k, row, g, side->sign < 0, x, turn);
    force_at(arm, x, fixed);
    trxi_add3(fixed, turn, fixed);
    force_at(arm, k->C, K);
    force_at(arm, k->C0, K0);
    for (int i = 0, last = -1; i < side->count; i++) {
        const int of = model->dof_link[path[i]], p = model->links[of].parent;
        if (of != last) {
            const double *W_p = p < 0 ? NULL : trxi_rnea_lambda(&sim->rnea, p);
            trxi_copy6(fixed, T);
            add_drift(sim->V1 + 6 * side->link, p < 0 ? NULL : sim->V1 + 6 * p, K, T);
            add_drift(sim->rnea.V + 6 * side->link, p < 0 ? NULL : sim->rnea.V + 6 * p, K0, T);
            add_own(point, arm, trxi_rnea_lambda(&sim->rnea, side->link), W_p, T);
            last = of;
        }
        sim->grad_q[path[i]] -= side->sign * trxi_dot6(sim->kin.S + 6 * path[i], T);
    }
}

// velocity and spin of B against A at p that lambda gives
static void lambda_motion(const trxi_point *point, double u[3], double w[3])
{
    const trx_sim *sim = point->sim;
    const trxi_pair_side *sides[2] = {&point->columns->a, &point->columns->b};
    trxi_zero3(u);
    trxi_zero3(w);
    for (int s = 0; s < 2; s++) {
        if (sides[s]->link < 0) continue;
        const double *W = trxi_rnea_lambda(&sim->rnea, sides[s]->link);
        double arm[3], moved[3];
        trxi_sub3(point->p, sim->kin.c + 3 * sim->model->links[sides[s]->link].tree, arm);
        trxi_cross3(W, arm, moved);
        trxi_add3(moved, W + 3, moved);
        trxi_axpy3(sides[s]->sign, moved, u);
        trxi_axpy3(sides[s]->sign, W, w);
    }
}

void trxi_step_contact_pull(const trxi_point *point, const trxi_contact *c, const trxi_row *row, const trxi_contact_point *g,
                            const trxi_contact_partials *partials)
{
    trx_sim *sim = point->sim;
    double u[3], w[3], a[3];
    weights k;
    lambda_motion(point, u, w);
    trxi_mulv3_t(row->F, u, a);
    weigh_impulse(sim, c, row, partials, a, &k);
    weigh_geometry(point, row, g, u, w, &k);
    pull_side(point, row, g, &k, &point->columns->a);
    pull_side(point, row, g, &k, &point->columns->b);
    if (k.state[0] == 0 && k.state[1] == 0 && k.state[2] == 0) return;
    for (int j = 0; j < c->ncol; j++) sim->grad_v[c->cols[j]] -= trxi_dot3(c->J + 3 * j, k.state);
}
