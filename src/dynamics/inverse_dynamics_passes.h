// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The passes over the links of inverse_dynamics.c and inverse_dynamics_vjp.c (equations there, theory 2, 6). This
// text is compiled twice, with the vectors of math/lanes3_avx2.h and of math/lanes3_portable.h. A file includes one
// of these headers first and defines TRXI_PASS, the storage class of the functions.
//
// A spatial vector is two vectors, angular and linear. X x* F is [w x m + v x f; w x f]; its sums are sums of arcs
// (math/lanes3_avx2.h).

#include "dynamics/inverse_dynamics.h"

typedef struct six {
    trxi_v3 w, v;
} six;

TRXI_LANES3 six load8(const double x[8])
{
    return (six){trxi_v3_load4(x), trxi_v3_load4(x + 4)};
}

TRXI_LANES3 void store8(double x[8], six a)
{
    trxi_v3_store4(x, a.w);
    trxi_v3_store4(x + 4, a.v);
}

TRXI_LANES3 six load6(const double x[6])
{
    six out;
    trxi_v3_load6(x, &out.w, &out.v);
    return out;
}

TRXI_LANES3 six zero6(void)
{
    return (six){trxi_v3_zero(), trxi_v3_zero()};
}

TRXI_LANES3 six add6(six a, six b)
{
    return (six){trxi_v3_add(a.w, b.w), trxi_v3_add(a.v, b.v)};
}

TRXI_LANES3 six scale6(double s, six a)
{
    return (six){trxi_v3_scale(s, a.w), trxi_v3_scale(s, a.v)};
}

TRXI_LANES3 six axpy6(double s, six a, six out)
{
    return (six){trxi_v3_axpy(s, a.w, out.w), trxi_v3_axpy(s, a.v, out.v)};
}

TRXI_LANES3 void add_to8(double x[8], six a)
{
    store8(x, add6(load8(x), a));
}

TRXI_LANES3 double dot6(six a, six b)
{
    return trxi_v3_dot2(a.w, b.w, a.v, b.v);
}

// adds the arcs of X x* F
TRXI_LANES3 six add_cross_force(six arcs, six X, six F)
{
    return (six){trxi_v3_add_arc(trxi_v3_add_arc(arcs.w, X.w, F.w), X.v, F.v), trxi_v3_add_arc(arcs.v, X.w, F.v)};
}

TRXI_LANES3 six close6(six arcs)
{
    return (six){trxi_v3_close(arcs.w), trxi_v3_close(arcs.v)};
}

// out + the columns of a link times its part of x
TRXI_LANES3 six add_columns(const trxi_kinematics *kin, const trxi_link *link, const double *x, six out)
{
    for (int k = link->v; k < link->v + link->nv; k++) out = axpy6(x[k], load6(kin->S + 6 * k), out);
    return out;
}

typedef struct inertia {
    double m;
    trxi_v3 h, J[3];
} inertia;

TRXI_LANES3 inertia load_inertia(const trxi_inertia *from)
{
    inertia out = {.m = from->m, .h = trxi_v3_load(from->h)};
    trxi_v3_tensor(from->J, out.J);
    return out;
}

// [J w + h x v; m v - h x w]; the first product also alone
TRXI_LANES3 six inertia_product(const inertia *I, six X, trxi_v3 *Jw)
{
    *Jw = trxi_v3_combine(I->J, X.w);
    const trxi_v3 moment = trxi_v3_close(trxi_v3_arc(I->h, X.v)), swept = trxi_v3_close(trxi_v3_arc(I->h, X.w));
    return (six){trxi_v3_add(*Jw, moment), trxi_v3_sub(trxi_v3_scale(I->m, X.v), swept)};
}

// I X alone
TRXI_LANES3 six inertia_times(const trxi_inertia *of, six X)
{
    const inertia I = load_inertia(of);
    trxi_v3 Jw;
    return inertia_product(&I, X, &Jw);
}

_Static_assert(sizeof(trxi_inertia) == 10 * sizeof(double), "sums take ten numbers");

TRXI_LANES3 void add_inertia(const trxi_inertia *a, trxi_inertia *out)
{
    trxi_v3_add10((const double *)(const void *)a, (double *)(void *)out);
}

// ---- mass matrix ----

// M_ij goes to M[i + j ldm], with ldm = 0 to its place in the block of its tree
TRXI_PASS static void compose(const trx_model *model, const trxi_kinematics *kin, trxi_inertia *composite, int ldm, double *M)
{
    for (int l = 0; l < model->nlink; l++) composite[l] = kin->inertia[l];

    // leaves first: a link's composite is complete when all later links have been added
    for (int l = model->nlink - 1; l >= 0; l--) {
        const trxi_link *link = &model->links[l];
        const int *path = model->path + link->path_start;
        const int before = link->path_length - link->nv;
        const trxi_tree *tree = &model->trees[link->tree];
        const ptrdiff_t ld = ldm ? ldm : tree->nv;
        double *block = ldm ? M : M + tree->block - tree->v * (ld + 1);
        for (int k = 0; k < link->nv; k++) {
            const int i = link->v + k;
            const six F = inertia_times(&composite[l], load6(kin->S + 6 * i));
            const trxi_v6_row row = trxi_v6_row_of(F.w, F.v);
            for (int n = 0; n <= before + k; n++) block[i + path[n] * ld] = trxi_v6_row_dot(row, kin->S + 6 * path[n]);
            block[i * (ld + 1)] += model->armature[i];
        }
        if (link->parent >= 0) add_inertia(&composite[l], &composite[link->parent]);
    }
}

// g_j = 2 h^C_j . (V_p(j) x S_j) = - 2 S_j . (V_p(j) x* h^C_j) over one tree
TRXI_PASS static void quadratic(const trx_model *model, const trxi_kinematics *kin, const trxi_tree *tree, const double *y,
                                double *V, double *h, double *g)
{
    const int first = tree->first_link, end = tree->first_link + tree->nlink;
    for (int l = first; l < end; l++) {
        const trxi_link *link = &model->links[l];
        const six own = add_columns(kin, link, y, link->parent < 0 ? zero6() : load8(V + 8 * link->parent));
        store8(V + 8 * l, own);
        store8(h + 8 * l, link->massless ? zero6() : inertia_times(&kin->inertia[l], own));
    }
    for (int l = end - 1; l >= first; l--) {
        const trxi_link *link = &model->links[l];
        six turned = zero6();
        if (link->parent >= 0) {
            const six momentum = load8(h + 8 * l);
            turned = scale6(-2, close6(add_cross_force(zero6(), load8(V + 8 * link->parent), momentum)));
            add_to8(h + 8 * link->parent, momentum);
        }
        for (int j = link->v; j < link->v + link->nv; j++) g[j] = dot6(load6(kin->S + 6 * j), turned);
    }
}

// ---- inverse dynamics ----

// V and A of a link from its parent's
TRXI_LANES3 void link_motion(const trx_model *model, const trxi_kinematics *kin, int index, const double *v, const double *a,
                             trxi_rnea *work)
{
    const trxi_link *link = &model->links[index];
    trxi_link_motion *own = &work->motion[index];
    const six joint = add_columns(kin, link, v, zero6());
    six V = joint, A = zero6();
    if (link->parent >= 0) {
        const trxi_link_motion *before = &work->motion[link->parent];
        const six V_p = load8(before->V);
        V = add6(V_p, joint);
        // V_i x joint: joint x joint is 0
        const six turn = {trxi_v3_arc(V_p.w, joint.w), trxi_v3_add_arc(trxi_v3_arc(V_p.w, joint.v), V_p.v, joint.w)};
        A = add6(load8(before->A), close6(turn));
    }
    if (a) A = add_columns(kin, link, a, A);
    store8(own->V, V);
    store8(own->A, A);
    trxi_v3_store6(work->V + 6 * index, V.w, V.v);
}

// I A + V x* I V - [h_g x g; m_g g], and the parts of I V that the adjoint needs
TRXI_LANES3 void link_force(const trxi_inertia *of, const double gravity[4], trxi_v3 g, trxi_link_motion *own)
{
    const inertia I = load_inertia(of);
    const six V = load8(own->V), A = load8(own->A);
    const trxi_v3 h_g = trxi_v3_load(gravity + 1), minus_g = trxi_v3_scale(-1, g), minus_h = trxi_v3_scale(-1, I.h);
    trxi_v3 Jw;
    const six momentum = inertia_product(&I, V, &Jw);
    six arcs = {trxi_v3_add_arc(trxi_v3_arc(I.h, A.v), h_g, minus_g), trxi_v3_arc(minus_h, A.w)};
    arcs = close6(add_cross_force(arcs, V, momentum));
    const six straight = {trxi_v3_combine(I.J, A.w), trxi_v3_axpy(gravity[0], minus_g, trxi_v3_scale(I.m, A.v))};
    store8(own->F, add6(straight, arcs));
    trxi_v3_store4(own->turning, Jw);
    trxi_v3_store4(own->moving, momentum.v);
}

TRXI_PASS static void inverse_dynamics(const trx_model *model, const trxi_kinematics *kin, const double *v, const double *a,
                                       trxi_rnea *work, double *tau)
{
    const trxi_v3 g = trxi_v3_load(model->gravity);
    for (int i = 0; i < model->nlink; i++) {
        link_motion(model, kin, i, v, a, work);
        if (model->links[i].massless) store8(work->motion[i].F, zero6());
        else link_force(&kin->inertia[i], kin->gravity_moment + 4 * i, g, &work->motion[i]);
    }
    for (int i = model->nlink - 1; i >= 0; i--) {
        const trxi_link *link = &model->links[i];
        const six F = load8(work->motion[i].F);
        for (int k = link->v; k < link->v + link->nv; k++)
            tau[k] = dot6(load6(kin->S + 6 * k), F) + (a ? model->armature[k] * a[k] : 0);
        if (link->parent >= 0) add_to8(work->motion[link->parent].F, F);
    }
}

// A += U, F += I U over the subtree, U the velocities that a would give; U and I U use memory that the adjoint fills
// later
TRXI_PASS static void accelerate(const trx_model *model, const trxi_kinematics *kin, const double *a, trxi_rnea *work)
{
    for (int i = 0; i < model->nlink; i++) {
        const trxi_link *link = &model->links[i];
        trxi_link_adjoint *scratch = &work->adjoint[i];
        const six U = add_columns(kin, link, a, link->parent < 0 ? zero6() : load8(work->adjoint[link->parent].W));
        store8(scratch->W, U);
        add_to8(work->motion[i].A, U);
        if (link->massless) {
            store8(scratch->k, zero6());
            continue;
        }
        store8(scratch->k, inertia_times(&kin->inertia[i], U));
    }
    for (int i = model->nlink - 1; i >= 0; i--) {
        const six F = load8(work->adjoint[i].k);
        add_to8(work->motion[i].F, F);
        if (model->links[i].parent >= 0) add_to8(work->adjoint[model->links[i].parent].k, F);
    }
}

// ---- adjoint ----

// k = I W, P = w x s + 2 (w_V x J w - v x (h x w) + f x v_W) and what gravity does
TRXI_LANES3 void link_terms(const trxi_inertia *of, const double gravity[4], trxi_v3 g, double dt, const trxi_link_motion *motion,
                            trxi_link_adjoint *own)
{
    const inertia I = load_inertia(of);
    const six V = load8(motion->V), W = load8(own->W);
    const trxi_v3 Jw_V = trxi_v3_load4(motion->turning), f = trxi_v3_load4(motion->moving);
    const trxi_v3 half = trxi_v3_sub(trxi_v3_scale(0.5 * (of->J[0] + of->J[1] + of->J[2]), V.w), Jw_V);
    trxi_v3 Jw;
    store8(own->k, inertia_product(&I, W, &Jw));
    const trxi_v3 w_h = trxi_v3_close(trxi_v3_arc(W.w, I.h));
    trxi_v3 arcs = trxi_v3_add_arc(trxi_v3_arc(W.w, half), V.w, Jw);
    arcs = trxi_v3_add_arc(trxi_v3_add_arc(arcs, V.v, w_h), f, W.v);
    trxi_v3_store4(own->P, trxi_v3_scale(2, trxi_v3_close(arcs)));

    // W x h_g + m_g W_v
    const trxi_v3 swept = trxi_v3_close(trxi_v3_arc(W.w, trxi_v3_load(gravity + 1)));
    const trxi_v3 falling = trxi_v3_scale(dt, trxi_v3_axpy(gravity[0], W.v, swept));
    store8(own->fixed, (six){trxi_v3_close(trxi_v3_arc(falling, g)), trxi_v3_zero()});
}

TRXI_PASS static void adjoint_begin(const trx_model *model, const trxi_kinematics *kin, double dt, const double *lambda,
                                    const double *v1, double *V1, trxi_rnea *work)
{
    const trxi_v3 g = trxi_v3_load(model->gravity);
    for (int i = 0; i < model->nlink; i++) {
        const trxi_link *link = &model->links[i];
        trxi_link_adjoint *own = &work->adjoint[i];
        const trxi_link_adjoint *before = link->parent < 0 ? NULL : &work->adjoint[link->parent];
        store8(own->W, add_columns(kin, link, lambda, before ? load8(before->W) : zero6()));
        store8(own->Q, zero6());
        if (v1) {
            const six V = add_columns(kin, link, v1, before ? load8(before->V1) : zero6());
            store8(own->V1, V);
            trxi_v3_store6(V1 + 6 * i, V.w, V.v);
            store8(own->K, zero6());
            store8(own->F, zero6());
            own->has_impulse = false;
        }
        if (link->massless) {
            store8(own->k, zero6());
            store8(own->fixed, zero6());
            trxi_v3_store4(own->P, trxi_v3_zero());
        } else {
            link_terms(&kin->inertia[i], kin->gravity_moment + 4 * i, g, dt, &work->motion[i], own);
        }
    }
}

// products of the impulses on a link with the link's own motion
TRXI_LANES3 void add_own_motion(const trxi_link_motion *motion, trxi_link_adjoint *own)
{
    six arcs = add_cross_force(zero6(), load8(own->V1), load8(own->K));
    arcs = add_cross_force(arcs, load8(motion->V), load8(own->Q));
    arcs = add_cross_force(arcs, load8(own->W), load8(own->F));
    add_to8(own->fixed, close6(arcs));
}

// sums over the subtree of one link
typedef struct sums {
    six k, Q, fixed, K, F;
} sums;

// T of a link beyond the first, minus the terms of the link before
TRXI_LANES3 six held(const sums *s, double dt, six rate, bool impulses, const trxi_link_motion *before,
                     const trxi_link_adjoint *turned, six F_all)
{
    six F = scale6(dt, F_all);
    if (impulses) F = axpy6(-1, s->F, F);
    six arcs = add_cross_force(zero6(), load8(turned->W), F);
    arcs = add_cross_force(arcs, load8(before->A), scale6(dt, s->k));
    arcs = add_cross_force(arcs, load8(before->V), axpy6(-1, add6(s->Q, rate), zero6()));
    if (impulses) arcs = add_cross_force(arcs, load8(turned->V1), scale6(-1, s->K));
    return close6(arcs);
}

TRXI_LANES3 sums take_sums(const trxi_link_adjoint *own, double dt, bool impulses)
{
    sums s = {.k = load8(own->k), .Q = load8(own->Q), .fixed = load8(own->fixed), .K = zero6(), .F = zero6()};
    s.Q.w = trxi_v3_axpy(-dt, trxi_v3_load4(own->P), s.Q.w);
    if (impulses) s.K = load8(own->K), s.F = load8(own->F);
    return s;
}

TRXI_LANES3 void pass_on(const sums *s, bool impulses, trxi_link_adjoint *to)
{
    add_to8(to->k, s->k);
    add_to8(to->Q, s->Q);
    add_to8(to->fixed, s->fixed);
    if (!impulses) return;
    add_to8(to->K, s->K);
    add_to8(to->F, s->F);
}

TRXI_LANES3 void end_links(const trx_model *model, const trxi_kinematics *kin, const trxi_adjoint_scales *by, const double *lambda,
                           bool impulses, trxi_rnea *work, double *grad_q, double *grad_v)
{
    const double dt = by->force, mass = by->mass;
    for (int l = model->nlink - 1; l >= 0; l--) {
        const trxi_link *link = &model->links[l];
        const int p = link->parent;
        const sums s = take_sums(&work->adjoint[l], dt, impulses);
        six over_q = s.fixed, over_v = axpy6(mass, s.k, s.Q);
        const six k = scale6(dt, s.k);
        six rate = zero6();
        if (p >= 0) {
            rate = close6(add_cross_force(zero6(), load8(work->motion[p].V), k));
            over_q = add6(over_q, held(&s, dt, rate, impulses, &work->motion[p], &work->adjoint[p], load8(work->motion[l].F)));
            pass_on(&s, impulses, &work->adjoint[p]);
        }
        over_v = add6(over_v, rate);
        over_v = add6(over_v, link->type == TRXI_BALL
                                  ? close6(add_cross_force(zero6(), load8(work->motion[l].V), k)) : rate);
        for (int j = link->v; j < link->v + link->nv; j++) {
            const six S = load6(kin->S + 6 * j);
            grad_q[j] -= dot6(S, over_q);
            grad_v[j] -= dot6(S, over_v) + mass * model->armature[j] * lambda[j];
        }
    }
}

TRXI_PASS static void adjoint_end(const trx_model *model, const trxi_kinematics *kin, const trxi_adjoint_scales *by,
                                  const double *lambda, bool impulses, trxi_rnea *work, double *grad_q, double *grad_v)
{
    if (!impulses) {
        end_links(model, kin, by, lambda, false, work, grad_q, grad_v);
        return;
    }
    for (int l = 0; l < model->nlink; l++)
        if (work->adjoint[l].has_impulse) add_own_motion(&work->motion[l], &work->adjoint[l]);
    end_links(model, kin, by, lambda, true, work, grad_q, grad_v);
}
