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
// Nothing of this depends on the column but through the links before it, so that with the arm from the reference of the tree of
// link X, which the contact is on, to p four spatial forces on X say it all (dynamics/inverse_dynamics_vjp.c):
//
//     K = +-[arm x C; C]     Q = +-[arm x C0; C0]     F = +-[arm x f; f]     fixed = +-[arm x c_x + c_W; c_x]
//
// Q is J^T of the weight of dv_c0, which dr/dv0 takes too. Compiled twice, like dynamics/inverse_dynamics_passes.h: a file includes
// one of the headers of lanes first and defines TRXI_PASS.

#include "step/contact_rows_short.h"

// velocity of B against A at p, and spin
typedef struct motion {
    trxi_v3 u, w;
} motion;

// what a link of the pair is at
typedef struct side {
    int link; // -1: the world
    int count;
    double sign;
    trxi_v3 arm; // p less the reference point of the tree
} side;

typedef struct point {
    side sides[2];
    trxi_v3 p, n, F[3], f; // point, normal, frame, impulse
} point;

// weights of what a column changes, in the world
typedef struct weights {
    trxi_v3 C, C0;     // of the velocity changes at v and v0
    trxi_v3 o, dn, dp; // of the spin of the frame, of the normal, of the point
    double phi;
    trxi_v3 x, turn;   // of the displacement at the witness point and of the turn, on side B
} weights;

TRXI_LANES3 side load_side(const trx_sim *sim, const trxi_pair_side *of, trxi_v3 p)
{
    side out = {of->link, of->count, of->sign, trxi_v3_zero()};
    if (of->link >= 0) out.arm = trxi_v3_sub(p, trxi_v3_load(sim->kin.c + 3 * sim->model->links[of->link].tree));
    return out;
}

TRXI_LANES3 void load_matrix(const double m[9], trxi_v3 out[3])
{
    out[0] = trxi_v3_load4(m), out[1] = trxi_v3_load4(m + 3), out[2] = trxi_v3_load(m + 6);
}

TRXI_LANES3 point load_point(const trx_sim *sim, const trxi_row_block *c, const trxi_row *row, const trxi_contact_point *g)
{
    const trxi_pair_columns *columns = &sim->columns[row->pair];
    const trxi_v3 p = trxi_v3_load4(row->p);
    point k = {.sides = {load_side(sim, &columns->a, p), load_side(sim, &columns->b, p)}, .p = p, .n = trxi_v3_load4(g->n)};
    load_matrix(row->F, k.F);
    k.f = trxi_v3_combine(k.F, trxi_v3_load(c->gamma));
    return k;
}

TRXI_LANES3 void add_motion(const side *s, trxi_v3 w, trxi_v3 v, motion *out)
{
    const trxi_v3 moved = trxi_v3_add(trxi_v3_close(trxi_v3_arc(w, s->arm)), v);
    out->u = trxi_v3_axpy(s->sign, moved, out->u);
    out->w = trxi_v3_axpy(s->sign, w, out->w);
}

// of both links, whose velocities are `stride` bytes apart, or 6 numbers side by side
TRXI_LANES3 motion relative(const point *k, const double *V, size_t stride)
{
    motion out = {trxi_v3_zero(), trxi_v3_zero()};
    for (int s = 0; s < 2; s++) {
        if (k->sides[s].link < 0) continue;
        const double *at = V + (size_t)k->sides[s].link * (stride / sizeof *V);
        trxi_v3 w, v;
        if (stride == 6 * sizeof *V) trxi_v3_load6(at, &w, &v);
        else w = trxi_v3_load4(at), v = trxi_v3_load4(at + 4);
        add_motion(&k->sides[s], w, v, &out);
    }
    return out;
}

// G a = [xx xy xn; xy yy yn; xn yn nn] a
TRXI_LANES3 trxi_v3 impulse_product(const trxi_sym3 *G, trxi_v3 a)
{
    trxi_v3 m[3];
    trxi_v3_symmetric((const double *)(const void *)G, m);
    return trxi_v3_combine(m, a);
}

TRXI_LANES3 void weigh_impulse(const trx_sim *sim, const trxi_row_block *c, const trxi_row *row, const trxi_contact_partials *d,
                               const point *k, trxi_v3 u, weights *out)
{
    const double dt = sim->settings.time_step;
    const trxi_v3 a = trxi_v3_project(k->F, u);
    const double gn0 = row->law0_branch ? trxi_v3_dot(a, trxi_v3_load(d->gn0)) : 0;
    const double mu = row->mu_rate != 0 ? row->mu_rate * trxi_v3_dot(a, trxi_v3_load(d->mu)) : 0;
    out->phi = trxi_v3_dot(a, trxi_v3_load(d->phi)) + gn0 * dt * row->f0_phi;
    out->C = trxi_v3_scale(-1, trxi_v3_combine(k->F, impulse_product(&c->G, a)));
    out->C0 = trxi_v3_scale(gn0 * dt * row->f0_v, k->F[2]);
    out->C0 = trxi_v3_axpy(mu * row->vt0[0], k->F[0], trxi_v3_axpy(mu * row->vt0[1], k->F[1], out->C0));
}

// slip and spin those of lambda, of v and of v0
TRXI_LANES3 void weigh_geometry(const trxi_row *row, const trxi_contact_point *g, const point *k, const motion *lambda,
                                const motion *now, const motion *before, weights *out)
{
    trxi_v3 arcs = trxi_v3_add_arc(trxi_v3_arc(k->f, lambda->u), out->C, now->u);
    out->o = trxi_v3_close(trxi_v3_add_arc(arcs, out->C0, before->u));
    arcs = trxi_v3_add_arc(trxi_v3_arc(k->f, lambda->w), out->C, now->w);
    out->dp = trxi_v3_close(trxi_v3_add_arc(arcs, out->C0, before->w));
    out->phi += row->phi_weight * trxi_v3_dot(out->dp, k->n);
    out->dn = trxi_v3_axpy(row->phi_weight * g->phi, out->dp, trxi_v3_close(trxi_v3_arc(out->o, k->n)));
}

TRXI_LANES3 void weigh_motion(const trxi_contact_point *g, const point *k, weights *out)
{
    trxi_v3 dn[3], da[3];
    load_matrix(g->dn_dx, dn);
    load_matrix(g->da_dx, da);
    out->x = trxi_v3_axpy(out->phi, k->n, trxi_v3_project2(dn, out->dn, da, out->dp));
    load_matrix(g->dn_dtheta, dn);
    load_matrix(g->da_dtheta, da);
    out->turn = trxi_v3_project2(dn, out->dn, da, out->dp);
    if (!g->sliding) return;
    out->x = trxi_v3_axpy(out->phi, trxi_v3_load(g->dphi_dx), out->x);
    out->turn = trxi_v3_axpy(out->phi, trxi_v3_load(g->dphi_dtheta), out->turn);
}

// x[8] += sign [arm x force + moment; force]
TRXI_LANES3 void add_force(double x[8], const side *s, trxi_v3 force, trxi_v3 moment)
{
    const trxi_v3 about = trxi_v3_add(trxi_v3_close(trxi_v3_arc(s->arm, force)), moment);
    trxi_v3_store4(x, trxi_v3_axpy(s->sign, about, trxi_v3_load4(x)));
    trxi_v3_store4(x + 4, trxi_v3_axpy(s->sign, force, trxi_v3_load4(x + 4)));
}

TRXI_LANES3 void pull_side(trx_sim *sim, const point *k, const side *s, const weights *by, trxi_v3 from_p_to_a)
{
    if (s->link < 0) return;
    trxi_link_adjoint *link = &sim->rnea.adjoint[s->link];
    trxi_v3 x = by->x, turn = by->turn;
    if (s->sign < 0) {
        x = trxi_v3_sub(x, by->dp);
        turn = trxi_v3_add(turn, trxi_v3_close(trxi_v3_arc(by->dn, k->n)));
    }
    turn = trxi_v3_add(turn, trxi_v3_close(trxi_v3_arc(from_p_to_a, x)));
    add_force(link->fixed, s, x, turn);
    add_force(link->K, s, by->C, trxi_v3_zero());
    add_force(link->Q, s, by->C0, trxi_v3_zero());
    add_force(link->F, s, k->f, trxi_v3_zero());
    link->pulled = true;
}

TRXI_PASS static void pull_contact(trx_sim *sim, const trxi_row_block *c, const trxi_row *row, const trxi_contact_point *g,
                                   const trxi_contact_partials *partials)
{
    const point k = load_point(sim, c, row, g);
    const motion lambda = relative(&k, sim->rnea.adjoint->W, sizeof *sim->rnea.adjoint);
    const motion now = relative(&k, sim->rnea.adjoint->V1, sizeof *sim->rnea.adjoint);
    const motion before = relative(&k, sim->rnea.motion->V, sizeof *sim->rnea.motion);
    weights by;
    weigh_impulse(sim, c, row, partials, &k, lambda.u, &by);
    weigh_geometry(row, g, &k, &lambda, &now, &before, &by);
    weigh_motion(g, &k, &by);
    const trxi_v3 from_p_to_a = trxi_v3_sub(trxi_v3_load4(g->a), k.p);
    pull_side(sim, &k, &k.sides[0], &by, from_p_to_a);
    pull_side(sim, &k, &k.sides[1], &by, from_p_to_a);
}
