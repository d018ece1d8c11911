// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The passes of inverse_dynamics_deriv.c (equations there, theory 6). This text follows inverse_dynamics_passes.h.

// columns of N and f of a link
typedef struct operator {
    trxi_v3 N[3], f;
} operator;

TRXI_LANES3 operator load_operator(const double B[16])
{
    return (operator){{trxi_v3_load4(B), trxi_v3_load4(B + 4), trxi_v3_load4(B + 8)}, trxi_v3_load4(B + 12)};
}

TRXI_LANES3 void store_operator(double B[16], const operator *from)
{
    for (int i = 0; i < 3; i++) trxi_v3_store4(B + 4 * i, from->N[i]);
    trxi_v3_store4(B + 12, from->f);
}

// N += s a b^T
TRXI_LANES3 void add_outer(trxi_v3 N[3], double s, trxi_v3 a, const double b[3])
{
    for (int i = 0; i < 3; i++) N[i] = trxi_v3_axpy(s * b[i], a, N[i]);
}

// N = [(tr J) w - 2 J w]x - 2 J [w]x - 2 v h^T + 2 (h . v) 1 and f; turning = J w, moving = f
TRXI_LANES3 operator velocity_operator(const trxi_inertia *of, const trxi_link_motion *motion)
{
    static const double axes[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    const inertia I = load_inertia(of);
    const six V = load8(motion->V);
    const double *w = motion->V, *v = motion->V + 4;
    const double trace = of->J[0] + of->J[1] + of->J[2];
    const double diagonal = 2 * (of->h[0] * v[0] + of->h[1] * v[1] + of->h[2] * v[2]);
    const trxi_v3 spin = trxi_v3_axpy(-2, trxi_v3_load4(motion->turning), trxi_v3_scale(trace, V.w));
    // columns of J [w]x: J (w x e_i)
    const trxi_v3 turned[3] = {trxi_v3_axpy(w[2], I.J[1], trxi_v3_scale(-w[1], I.J[2])),
                               trxi_v3_axpy(w[0], I.J[2], trxi_v3_scale(-w[2], I.J[0])),
                               trxi_v3_axpy(w[1], I.J[0], trxi_v3_scale(-w[0], I.J[1]))};
    operator out = {.f = trxi_v3_load4(motion->moving)};
    for (int i = 0; i < 3; i++) {
        const trxi_v3 axis = trxi_v3_load4(axes[i]);
        out.N[i] = trxi_v3_axpy(-2, turned[i], trxi_v3_close(trxi_v3_arc(spin, axis)));
        out.N[i] = trxi_v3_axpy(diagonal, axis, out.N[i]);
    }
    add_outer(out.N, -2, V.v, of->h);
    return out;
}

// composite inertia, velocity operator and gravity moment of every subtree
TRXI_LANES3 void accumulate(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work)
{
    for (int l = 0; l < model->nlink; l++) {
        operator B = {{trxi_v3_zero(), trxi_v3_zero(), trxi_v3_zero()}, trxi_v3_zero()};
        work->composite[l] = kin->inertia[l];
        for (int k = 0; k < 4; k++) work->gravity[4 * l + k] = kin->gravity_moment[4 * l + k];
        if (!model->links[l].massless) B = velocity_operator(&kin->inertia[l], &work->motion[l]);
        store_operator(work->B + 16 * l, &B);
    }
    for (int l = model->nlink - 1; l >= 0; l--) {
        const int parent = model->links[l].parent;
        if (parent < 0) continue;
        add_inertia(&work->composite[l], &work->composite[parent]);
        for (int k = 0; k < 16; k += 8) add_to8(work->B + 16 * parent + k, load8(work->B + 16 * l + k));
        for (int k = 0; k < 4; k++) work->gravity[4 * parent + k] += work->gravity[4 * l + k];
    }
}

// sums over the subtree of a link
typedef struct subtree {
    inertia I;
    operator B;
    trxi_v3 moment; // first moment on which gravity acts
    double mass;
    six F;
} subtree;

TRXI_LANES3 subtree load_subtree(const trxi_rnea *work, int l)
{
    const double *gravity = work->gravity + 4 * l;
    return (subtree){load_inertia(&work->composite[l]), load_operator(work->B + 16 * l), trxi_v3_load(gravity + 1), gravity[0],
                     load8(work->motion[l].F)};
}

// per dof as a row, l its own link: I_l S_i, angular part of B_l^T S_i, gravity . w_j = S_i . G_j,l
typedef struct row {
    six inertia;
    trxi_v3 drift, gravity;
} row;

TRXI_LANES3 row make_row(const subtree *l, six S, trxi_v3 g)
{
    row out;
    trxi_v3 Jw;
    out.inertia = inertia_product(&l->I, S, &Jw);

    // S . [N a; 2 a x f] = (N^T w + 2 f x v) . a
    out.drift = trxi_v3_axpy(2, trxi_v3_close(trxi_v3_arc(l->B.f, S.v)), trxi_v3_project(l->B.N, S.w));

    // S . [h x c; m c] = (w x h + m v) . c,  c = w_j x g
    const trxi_v3 arm = trxi_v3_axpy(l->mass, S.v, trxi_v3_close(trxi_v3_arc(S.w, l->moment)));
    out.gravity = trxi_v3_clean(trxi_v3_close(trxi_v3_arc(g, arm)));
    out.drift = trxi_v3_clean(out.drift);
    out.inertia = (six){trxi_v3_clean(out.inertia.w), trxi_v3_clean(out.inertia.v)};
    return out;
}

// per dof as a column
typedef struct column {
    double psi_ddot[8];
    double psi_dot[4], S[4]; // angular parts
    double rate[8];          // psi' + S'
} column;

_Static_assert(sizeof(column) == 24 * sizeof(double), "as trxi_rnea lays out");

TRXI_LANES3 six cross_motion(six X, six Y)
{
    return close6((six){trxi_v3_arc(X.w, Y.w), trxi_v3_add_arc(trxi_v3_arc(X.w, Y.v), X.v, Y.w)});
}

// forces need the whole of psi'
TRXI_LANES3 six make_column(six S, const trxi_link_motion *own, const trxi_link_motion *before, column *out)
{
    six rate = cross_motion(load8(own->V), S), psi = zero6(), psi_ddot = zero6();
    if (before) {
        const six V = load8(before->V);
        psi = cross_motion(V, S);
        psi_ddot = add6(cross_motion(load8(before->A), S), cross_motion(V, psi));
        rate = add6(rate, psi);
    }
    store8(out->rate, rate);
    store8(out->psi_ddot, psi_ddot);
    trxi_v3_store4(out->psi_dot, psi.w);
    trxi_v3_store4(out->S, S.w);
    return psi;
}

// I x + B psi, psi the angular part
TRXI_LANES3 six operate(const subtree *l, six x, trxi_v3 psi)
{
    trxi_v3 Jw;
    const six force = inertia_product(&l->I, x, &Jw);
    return (six){trxi_v3_add(force.w, trxi_v3_combine(l->B.N, psi)),
                 trxi_v3_axpy(2, trxi_v3_close(trxi_v3_arc(psi, l->B.f)), force.v)};
}

TRXI_LANES3 six clean6(six a)
{
    return (six){trxi_v3_clean(a.w), trxi_v3_clean(a.v)};
}

// forces of the subtree for a unit of dq, in the rows of dofs before it
TRXI_LANES3 six force_by_q(const subtree *l, six S, six psi, const column *c, trxi_v3 g)
{
    const trxi_v3 weight = trxi_v3_close(trxi_v3_arc(S.w, g));
    six arcs = add_cross_force(zero6(), S, l->F);
    arcs.w = trxi_v3_add_arc(arcs.w, l->moment, weight);
    six force = add6(operate(l, load8(c->psi_ddot), psi.w), close6(arcs));
    force.v = trxi_v3_axpy(l->mass, weight, force.v);
    return clean6(force);
}

// where entries go: column j begins at places[j], or at j ld
typedef struct target {
    const ptrdiff_t *places;
    ptrdiff_t ld;
    double *dq, *dv;
} target;

TRXI_LANES3 ptrdiff_t start(const target *to, int j)
{
    return to->places ? to->places[j] : j * to->ld;
}

// d as a row: columns on its path, those of its own link included
TRXI_LANES3 void fill_row(const row *r, const column *columns, const int *path, int count, int d, const target *to)
{
    for (int n = 0; n < count; n++) {
        const column *c = &columns[path[n]];
        const six ddot = load8(c->psi_ddot), rate = load8(c->rate);
        const trxi_v3 w = trxi_v3_load4(c->S);
        const trxi_v3 by_v = trxi_v3_add_times(trxi_v3_add_times(trxi_v3_times(r->inertia.w, rate.w), r->inertia.v, rate.v),
                                               r->drift, w);
        trxi_v3 by_q = trxi_v3_add_times(trxi_v3_times(r->inertia.w, ddot.w), r->inertia.v, ddot.v);
        by_q = trxi_v3_add_times(trxi_v3_add_times(by_q, r->drift, trxi_v3_load4(c->psi_dot)), r->gravity, w);
        const ptrdiff_t at = d + start(to, path[n]);
        trxi_v3_sum_clean(by_q, by_v, to->dq + at, to->dv + at);
    }
}

// d as a column: rows before its link
TRXI_LANES3 void fill_column(const trxi_kinematics *kin, six dq, six dv, const int *path, int count, int d, const target *to)
{
    const ptrdiff_t first = start(to, d);
    for (int n = 0; n < count; n++) {
        const six S = load6(kin->S + 6 * path[n]);
        trxi_v3_sum_clean(trxi_v3_add_times(trxi_v3_times(dq.w, S.w), dq.v, S.v),
                          trxi_v3_add_times(trxi_v3_times(dv.w, S.w), dv.v, S.v), to->dq + first + path[n],
                          to->dv + first + path[n]);
    }
}

TRXI_PASS static void derivatives(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work, const ptrdiff_t *places,
                                  int ld, double *dtau_dq, double *dtau_dv)
{
    const target to = {places, ld, dtau_dq, dtau_dv};
    const trxi_v3 g = trxi_v3_load(model->gravity);
    column *columns = (column *)work->columns;
    accumulate(model, kin, work);
    for (int l = 0; l < model->nlink; l++) {
        const trxi_link *link = &model->links[l];
        const int *path = model->path + link->path_start, before = link->path_length - link->nv;
        const trxi_link_motion *parent = link->parent < 0 ? NULL : &work->motion[link->parent];
        const subtree own = load_subtree(work, l);
        six psi[3];
        for (int k = 0; k < link->nv; k++)
            psi[k] = make_column(load6(kin->S + 6 * (link->v + k)), &work->motion[l], parent, &columns[link->v + k]);
        for (int k = 0; k < link->nv; k++) {
            const int d = link->v + k;
            const six S = load6(kin->S + 6 * d);
            const row r = make_row(&own, S, g);
            fill_row(&r, columns, path, link->path_length, d, &to);
            if (before == 0) continue;
            const six dv = clean6(operate(&own, load8(columns[d].rate), S.w));
            fill_column(kin, force_by_q(&own, S, psi[k], &columns[d], g), dv, path, before, d, &to);
        }
    }
}
