// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The terms of one contact in dr/dq0 and dr/dv0 (theory 6): the equations of contact_rows_deriv.c at the point p. With w, J the
// signed angular and linear column of dof j at p, X its side's link, W_p the link before j's, and
//
//     d = V_p - V_X of the link velocities        so that d(J_X v) = d_w x J + d_u x w,      d_u that of p
//
// a column takes a few products of vectors in the world:
//
//     x    = J + w x (a - p)             dphi, dn, dp: linear in w and x (the geometry), o = n x dn
//     du_i = d_w x J + d_u x w + spin_i x dp + slip_i x o                    at v and at v0
//     DF   = -F G F^T du_1 + h dphi + (g e^T + g' e'^T) du_0 + o x f         h, g, g' the partials of the impulse
//
// and a row i one dot product with the force [arm x DF + dp x f; DF] of its side, for rows not nearer the root than j on j's own
// side with [arm x (f x w) + f x J; f x w] more. dr/dv0 is -(J^T g)(e^T J) - (J^T g')(e'^T J). Goes on after contact_rows_pull.h.

// what all columns share
typedef struct push {
    point k;
    motion now, before;   // slip and spin
    trxi_v3 FGF[3], h;
    trxi_v3 g[2], e[2];   // by the normal and by the slip speed before the step
    int states;           // how many of them there are
    trxi_v3 dn_dx[3], dn_dtheta[3], da_dx[3], da_dtheta[3], dphi_dx, dphi_dtheta;
    trxi_v3 from_p_to_a;
    double phi_weight, phi;
} push;

// F G F^T by columns
TRXI_LANES3 void world_stiffness(const trxi_sym3 *G, const double F[9], const trxi_v3 columns[3], trxi_v3 out[3])
{
    trxi_v3 m[3];
    trxi_v3_symmetric((const double *)(const void *)G, m);
    for (int i = 0; i < 3; i++)
        out[i] = trxi_v3_combine(columns, trxi_v3_combine(m, trxi_v3_set(F[i], F[3 + i], F[6 + i])));
}

TRXI_LANES3 void load_states(const trx_sim *sim, const trxi_row_block *c, const trxi_row *row, const trxi_contact_partials *d,
                             push *out)
{
    const double dt = sim->settings.time_step;
    out->h = trxi_v3_load(d->phi);
    out->states = 0;
    if (row->law0_branch || trxi_contact_sees_before(&c->contact)) {
        const trxi_v3 gn0 = trxi_v3_load(d->gn0);
        out->h = trxi_v3_axpy(dt * row->f0_phi, gn0, out->h);
        out->g[0] = trxi_v3_combine(out->k.F, trxi_v3_axpy(dt * row->f0_v, gn0, trxi_v3_load(d->vn0)));
        out->e[0] = out->k.F[2];
        out->states = 1;
    }
    out->h = trxi_v3_combine(out->k.F, out->h);
    if (row->mu_rate == 0) return;
    const trxi_v3 slip = trxi_v3_axpy(row->vt0[1], out->k.F[1], trxi_v3_scale(row->vt0[0], out->k.F[0]));
    out->g[out->states] = trxi_v3_combine(out->k.F, trxi_v3_load(d->mu));
    out->e[out->states++] = trxi_v3_scale(row->mu_rate, slip);
}

TRXI_LANES3 void load_geometry(const trxi_row *row, const trxi_contact_point *g, push *out)
{
    load_matrix(g->dn_dx, out->dn_dx);
    load_matrix(g->dn_dtheta, out->dn_dtheta);
    load_matrix(g->da_dx, out->da_dx);
    load_matrix(g->da_dtheta, out->da_dtheta);
    out->dphi_dx = out->k.n, out->dphi_dtheta = trxi_v3_zero();
    if (g->sliding) {
        out->dphi_dx = trxi_v3_add(out->k.n, trxi_v3_load(g->dphi_dx));
        out->dphi_dtheta = trxi_v3_load(g->dphi_dtheta);
    }
    out->from_p_to_a = trxi_v3_sub(trxi_v3_load4(g->a), out->k.p);
    out->phi_weight = row->phi_weight, out->phi = g->phi;
}

// V_p - V_X of the links before j's and of the side, at the point
TRXI_LANES3 motion left_behind(const side *s, const double *V, int before)
{
    trxi_v3 w, v, w_p, v_p;
    trxi_v3_load6(V + 6 * s->link, &w, &v);
    w = trxi_v3_scale(-1, w), v = trxi_v3_scale(-1, v);
    if (before >= 0) {
        trxi_v3_load6(V + 6 * before, &w_p, &v_p);
        w = trxi_v3_add(w, w_p), v = trxi_v3_add(v, v_p);
    }
    return (motion){trxi_v3_add(trxi_v3_close(trxi_v3_arc(w, s->arm)), v), w};
}

// change of u_B - u_A
TRXI_LANES3 trxi_v3 velocity_change(motion behind, motion relative, trxi_v3 w, trxi_v3 J, trxi_v3 dp, trxi_v3 o)
{
    const trxi_v3 arcs = trxi_v3_add_arc(trxi_v3_arc(behind.w, J), behind.u, w);
    return trxi_v3_close(trxi_v3_add_arc(trxi_v3_add_arc(arcs, relative.w, dp), relative.u, o));
}

// dp x f and DF of a column
TRXI_LANES3 void column_force(const push *by, bool on_a, trxi_v3 w, trxi_v3 J, const motion behind[2], trxi_v3 *moment,
                              trxi_v3 *force)
{
    const point *k = &by->k;
    const trxi_v3 x = trxi_v3_add(J, trxi_v3_close(trxi_v3_arc(w, by->from_p_to_a)));
    const double dphi = trxi_v3_dot2(by->dphi_dx, x, by->dphi_dtheta, w);
    trxi_v3 dn = trxi_v3_add(trxi_v3_combine(by->dn_dtheta, w), trxi_v3_combine(by->dn_dx, x));
    trxi_v3 dp = trxi_v3_add(trxi_v3_combine(by->da_dtheta, w), trxi_v3_combine(by->da_dx, x));
    if (on_a) {
        dn = trxi_v3_add(dn, trxi_v3_close(trxi_v3_arc(k->n, w)));
        dp = trxi_v3_sub(dp, x);
    }
    dp = trxi_v3_axpy(by->phi_weight * dphi, k->n, trxi_v3_axpy(by->phi_weight * by->phi, dn, dp));
    const trxi_v3 o = trxi_v3_close(trxi_v3_arc(k->n, dn));
    const trxi_v3 du = velocity_change(behind[0], by->now, w, J, dp, o);
    *force = trxi_v3_sub(trxi_v3_axpy(dphi, by->h, trxi_v3_close(trxi_v3_arc(o, k->f))), trxi_v3_combine(by->FGF, du));
    *moment = trxi_v3_close(trxi_v3_arc(dp, k->f));
    if (by->states == 0) return;
    const trxi_v3 du0 = velocity_change(behind[1], by->before, w, J, dp, o);
    for (int i = 0; i < by->states; i++) *force = trxi_v3_axpy(trxi_v3_dot(by->e[i], du0), by->g[i], *force);
}

// column -= S . force for the rows first .. end of a path
TRXI_LANES3 void subtract_rows(const trx_sim *sim, const int *path, int first, int end, trxi_v6_row force, double *column)
{
    const int *local = sim->solver.local;
    for (int i = first; i < end; i++) column[local[path[i]]] -= trxi_v6_row_dot(force, sim->kin.S + 6 * path[i]);
}

// sign [arm x force + moment; force]
TRXI_LANES3 trxi_v6_row force_at(const side *s, trxi_v3 force, trxi_v3 moment)
{
    const trxi_v3 about = trxi_v3_add(trxi_v3_close(trxi_v3_arc(s->arm, force)), moment);
    return trxi_v6_row_of(trxi_v3_scale(s->sign, about), trxi_v3_scale(s->sign, force));
}

// J^T of a force at the point
TRXI_LANES3 void project(const trx_sim *sim, const side *s, const int *path, trxi_v3 force, double *out)
{
    const trxi_v6_row row = force_at(s, force, trxi_v3_zero());
    for (int i = 0; i < s->count; i++) out[i] = trxi_v6_row_dot(row, sim->kin.S + 6 * path[i]);
}

// dr/dv0 of one column of the pair, J^T g and e^T J in row_scratch
TRXI_LANES3 void subtract_states(trx_sim *sim, const trxi_row_block *c, int states, int j)
{
    double *rv = sim->rv + sim->solver.column[c->cols[j]];
    for (int k = 0; k < states; k++) {
        const double *Jg = sim->row_scratch + 2 * k * c->ncol, slope = Jg[c->ncol + j];
        for (int i = 0; i < c->ncol; i++) rv[sim->solver.local[c->cols[i]]] -= slope * Jg[i];
    }
}

// columns of one side; `own` and `other` are the dofs of the sides
TRXI_LANES3 void push_side(trx_sim *sim, const push *by, int which, const int *own, const int *other)
{
    const trx_model *model = sim->model;
    const side *s = &by->k.sides[which], *t = &by->k.sides[1 - which];
    motion behind[2] = {{trxi_v3_zero(), trxi_v3_zero()}, {trxi_v3_zero(), trxi_v3_zero()}};
    for (int j = 0, last = -1, first = 0; j < s->count; j++) {
        const int link = model->dof_link[own[j]];
        if (link != last) {
            const int before = model->links[link].parent;
            behind[0] = left_behind(s, sim->V1, before);
            behind[1] = left_behind(s, sim->rnea.V, before);
            last = link, first = j;
        }
        trxi_v3 w, v, force, moment;
        trxi_v3_load6(sim->kin.S + 6 * own[j], &w, &v);
        const trxi_v3 J = trxi_v3_add(trxi_v3_close(trxi_v3_arc(w, s->arm)), v);
        column_force(by, s->sign < 0, trxi_v3_scale(s->sign, w), trxi_v3_scale(s->sign, J), behind, &moment, &force);
        double *column = sim->rq + sim->solver.column[own[j]];
        subtract_rows(sim, own, 0, first, force_at(s, force, moment), column);
        if (t->count) subtract_rows(sim, other, 0, t->count, force_at(t, force, moment), column);

        // rows of this link and beyond turn with it
        force = trxi_v3_add(force, trxi_v3_close(trxi_v3_arc(by->k.f, w)));
        moment = trxi_v3_add(moment, trxi_v3_close(trxi_v3_arc(by->k.f, J)));
        subtract_rows(sim, own, first, s->count, force_at(s, force, moment), column);
    }
}

TRXI_PASS static void push_contact(trx_sim *sim, const trxi_row_block *c, const trxi_row *row, const trxi_contact_point *g,
                                   const trxi_contact_partials *partials)
{
    const trxi_pair_side *sides[2] = {&sim->columns[row->pair].a, &sim->columns[row->pair].b};
    const int *path[2] = {NULL, NULL};
    for (int s = 0; s < 2; s++)
        if (sides[s]->count) path[s] = sim->model->path + sim->model->links[sides[s]->link].path_start + sides[s]->skip;
    push by = {.k = load_point(sim, c, row, g)};
    by.now = relative(&by.k, sim->V1, 6 * sizeof(double));
    by.before = relative(&by.k, sim->rnea.V, 6 * sizeof(double));
    world_stiffness(&c->G, row->F, by.k.F, by.FGF);
    load_states(sim, c, row, partials, &by);
    load_geometry(row, g, &by);
    for (int s = 0; s < 2; s++)
        if (path[s]) push_side(sim, &by, s, path[s], path[1 - s]);

    // columns of the pair stand in the order of the sides' offsets
    for (int k = 0; k < by.states; k++)
        for (int s = 0; s < 2; s++) {
            double *Jg = sim->row_scratch + 2 * k * c->ncol + sides[s]->offset;
            if (!path[s]) continue;
            project(sim, &by.k.sides[s], path[s], by.g[k], Jg);
            project(sim, &by.k.sides[s], path[s], by.e[k], Jg + c->ncol);
        }
    for (int j = 0; j < c->ncol && by.states; j++) subtract_states(sim, c, by.states, j);
}
