// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Sizes of shapes and the pose of a fixed body, as motions of the geometry (theory 6).
//
// A size s moves the point of the surface with outward normal m by dx/ds at fixed m. At a contact that is, to first order, a
// displacement of the whole shape, since its curvature only multiplies dn. In the axes of the shape, x the point of its core:
//
//     sweep (radius of a sphere or capsule, rounding)   m
//     box, length of a capsule or cylinder              e_i sign(x_i)/2 where x_i is at the end, else 0
//     radius of a cylinder                              (x_1, x_2, 0)/r where that is at the rim, else 0
//     ellipsoid of half sizes D, h = |D m|              e_i D_i m_i/h - D^2 m (D_i m_i^2)/(2 h^3)
//
// The other directions are flat there, and motions along them change nothing. So both kinds of parameters displace side X by a
// rotation vector w and, at the witness point a, by u; the formulas are those of a dof (contact_rows_deriv.c), which the link of X
// need not have. A turn of a tree as a whole carries its velocities and columns along.

#include "step/parameters.h"

#include "model/place.h"
#include "step/motion.h"

// a rigid displacement of one side of a contact: w, and u at the point x it is asked for
typedef struct displacement {
    double w[3], at[3], v[3]; // u(x) = v + w x (x - at)
    bool tree;                // it turns the tree of its side, else the geometry alone
} displacement;

typedef struct moved_contact {
    trx_sim *sim;
    const trxi_contact *c; // of a point, or of its turn
    const trxi_row *row;
    const trxi_contact_point *g;
    const trxi_pair_columns *columns;
    const trxi_pair_side *side; // the one that is displaced
    const displacement *motion;
} moved_contact;

static void displace(const displacement *motion, const double x[3], double u[3])
{
    double arm[3];
    trxi_sub3(x, motion->at, arm);
    trxi_cross3(motion->w, arm, u);
    trxi_add3(u, motion->v, u);
}

// dphi, dn and dp
static double geometry_motion(const moved_contact *k, double dn[3], double dp[3])
{
    const trxi_contact_point *g = k->g;
    double x[3], theta[3], turn[3], u[3];
    displace(k->motion, g->a, u);
    trxi_scale3(k->side->sign, u, x);
    trxi_scale3(k->side->sign, k->motion->w, theta);
    double dphi = trxi_dot3(g->n, x);
    if (g->sliding) dphi += trxi_dot3(g->dphi_dx, x) + trxi_dot3(g->dphi_dtheta, theta);
    trxi_mulv3(g->dn_dtheta, theta, turn);
    trxi_mulv3(g->dn_dx, x, dn);
    trxi_add3(dn, turn, dn);
    trxi_mulv3(g->da_dtheta, theta, turn);
    trxi_mulv3(g->da_dx, x, dp);
    trxi_add3(turn, dp, dp);
    if (k->side->sign < 0) {
        trxi_cross_add3(k->motion->w, g->n, dn);
        trxi_add3(dp, u, dp);
    }
    trxi_axpy3(k->row->phi_weight * dphi, g->n, dp);
    trxi_axpy3(k->row->phi_weight * g->phi, dn, dp);
    return dphi;
}

// velocity V of a link at x
static void velocity_at(const trx_sim *sim, int link, const double V[6], const double x[3], double u[3])
{
    double arm[3];
    trxi_sub3(x, sim->kin.c + 3 * sim->model->links[link].tree, arm);
    trxi_cross3(V, arm, u);
    trxi_add3(u, V + 3, u);
}

// change of u_B - u_A at p for link velocities V (nlink x 6), and u_B - u_A itself
static void velocity_change(const moved_contact *k, const double *V, const double dp[3], double du[3], double slip[3])
{
    const trx_sim *sim = k->sim;
    const double *p = k->row->p;
    const trxi_pair_side *sides[2] = {&k->columns->a, &k->columns->b};
    trxi_zero3(du);
    trxi_zero3(slip);
    for (int s = 0; s < 2; s++) {
        if (sides[s]->link < 0) continue;
        const double *V_X = V + 6 * sides[s]->link;
        double u[3], turned[3], carried[3];
        velocity_at(sim, sides[s]->link, V_X, p, u);
        trxi_axpy3(sides[s]->sign, u, slip);
        trxi_cross3(V_X, dp, carried);
        trxi_axpy3(sides[s]->sign, carried, du);
        if (sides[s] != k->side || !k->motion->tree) continue;

        // S x V at p, S the displacement: w x u - W x u_S
        displace(k->motion, p, carried);
        trxi_cross3(k->motion->w, u, turned);
        trxi_cross_add3(carried, V_X, turned);
        trxi_axpy3(sides[s]->sign, turned, du);
    }
}

// the same of W_B - W_A: only a tree that turns as a whole changes it
static void spin_change(const moved_contact *k, const double *V, double dW[3], double spin[3])
{
    const trxi_pair_side *sides[2] = {&k->columns->a, &k->columns->b};
    trxi_zero3(dW);
    trxi_zero3(spin);
    for (int s = 0; s < 2; s++) {
        if (sides[s]->link < 0) continue;
        double turned[3];
        trxi_axpy3(sides[s]->sign, V + 6 * sides[s]->link, spin);
        if (sides[s] != k->side || !k->motion->tree) continue;
        trxi_cross3(k->motion->w, V + 6 * sides[s]->link, turned);
        trxi_axpy3(sides[s]->sign, turned, dW);
    }
}

// spin of the frame (contact_rows_deriv.c)
static void frame_spin(const moved_contact *k, const double dn[3], double o[3])
{
    const trxi_row *row = k->row;
    const double *n = k->g->n, *t2 = row->F + 3;
    trxi_cross3(n, dn, o);
    if (row->axis_sign == 0) return;
    double spin = -trxi_dot3(t2, dn) * trxi_dot3(n, row->axis), da[3];
    trxi_cross3(k->motion->w, row->axis, da);
    if (row->axis_sign * k->side->sign > 0) spin += trxi_dot3(t2, da);
    trxi_axpy3(spin / row->axis_arm, n, o);
}

// change of w = |W|_F/3: 2 <Q, dJ>/(9 w), Q = A^-1 J^T W in the world; A does not change
static double mass_change(const moved_contact *k, const double dp[3])
{
    trx_sim *sim = k->sim;
    const int nv = sim->model->nv;
    double *Y = sim->y_scratch, *Q = Y + 3 * nv, *V = Y + 8 * nv, W[9], dw = 0;
    trxi_step_rows_mass(sim, k->c->cols, k->c->ncol, k->c->J, 3, Y, W);
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < nv; i++) Q[i] = Y[i] * W[3 * a] + Y[i + nv] * W[3 * a + 1] + Y[i + 2 * nv] * W[3 * a + 2];
        trxi_link_velocities(sim->model, &sim->kin, Q, V);
        double du[3], slip[3];
        velocity_change(k, V, dp, du, slip);
        dw += 2 * trxi_dot3(k->row->F + 3 * a, du) / (9 * k->c->w);
    }
    return dw;
}

typedef struct changes {
    double phi, gn0, mu, vn0, v_c[3];
} changes;

static void impulse_change(const moved_contact *k, const changes *by, const double dp[3], double out[3])
{
    const trx_sim_settings *set = &k->sim->settings;
    const trxi_sym3 *G = &k->c->G;
    const double *v = by->v_c;
    trxi_contact_partials d;
    trxi_contact_impulse_deriv(k->c, set->time_step, set->friction_regularization, set->near_rigid, &d);
    bool through_mass = d.w[0] != 0 || d.w[1] != 0 || d.w[2] != 0;
    double dw = through_mass ? mass_change(k, dp) : 0;
    out[0] = -(G->xx * v[0] + G->xy * v[1] + G->xn * v[2]);
    out[1] = -(G->xy * v[0] + G->yy * v[1] + G->yn * v[2]);
    out[2] = -(G->xn * v[0] + G->yn * v[1] + G->nn * v[2]);
    for (int i = 0; i < 3; i++)
        out[i] += d.phi[i] * by->phi + d.gn0[i] * by->gn0 + d.mu[i] * by->mu + d.vn0[i] * by->vn0 + d.w[i] * dw;
}

// r -= d(J^T f) for the columns of one side; of a turn f is a moment
static void subtract_side(const moved_contact *k, const trxi_pair_side *side, const double f[3], const double df[3],
                          const double dp[3], double *r)
{
    if (side->count == 0) return;
    const trx_sim *sim = k->sim;
    const trxi_link *link = &sim->model->links[side->link];
    const bool turn = k->c->kind == TRXI_CONTACT_TURN, own = side == k->side && k->motion->tree;
    double force[3], moment[3], carried[3];
    trxi_copy3(df, force);
    if (own) trxi_cross_add3(f, k->motion->w, force);
    trxi_cross3(dp, f, moment);
    displace(k->motion, k->row->p, carried);
    if (own) trxi_cross_add3(f, carried, moment);
    for (int i = 0; i < side->count; i++) {
        int dof = sim->model->path[link->path_start + side->skip + i];
        const double *S = sim->kin.S + 6 * dof;
        double column[3];
        velocity_at(sim, side->link, S, k->row->p, column);
        r[dof] -= side->sign * (turn ? trxi_dot3(S, force) : trxi_dot3(column, force) + trxi_dot3(S, moment));
    }
}

// dgn0, dmu and dvn0: through the velocity before the step
static void state_changes(const moved_contact *k, const double dp[3], const double o[3], const double drift0[3], changes *by)
{
    const trxi_row *row = k->row;
    if (!row->law0_branch && row->mu_rate == 0 && !k->c->between.used) return;
    double du[3], slip[3], dv_c[3];
    velocity_change(k, k->sim->rnea.V, dp, du, slip);
    trxi_cross_add3(slip, o, du);
    trxi_mulv3_t(row->F, du, dv_c);
    trxi_add3(dv_c, drift0, dv_c);
    if (row->law0_branch) by->gn0 = k->sim->settings.time_step * (row->f0_phi * by->phi + row->f0_v * dv_c[2]);
    by->mu = row->mu_rate * (row->vt0[0] * dv_c[0] + row->vt0[1] * dv_c[1]);
    by->vn0 = dv_c[2];
}

static void subtract_contact(const moved_contact *k, double *r)
{
    const trx_sim *sim = k->sim;
    const double *F = k->row->F;
    const bool turn = k->c->kind == TRXI_CONTACT_TURN;
    double dn[3], dp[3], o[3], w[3], du[3], slip[3], dgamma[3], f[3], df[3], drift[3] = {0, 0, 0}, drift0[3] = {0, 0, 0};
    changes by = {.phi = geometry_motion(k, dn, dp)};
    frame_spin(k, dn, o);

    // what moves beside the joints
    trxi_drift beside;
    trxi_step_drift(sim, k->row->pair, k->row->p, &beside);
    trxi_scale3(k->side->sign, k->motion->w, w);
    trxi_drift_change(&beside, F, k->side->sign < 0, w, dp, o, drift, drift0);
    state_changes(k, dp, o, drift0, &by);
    if (turn) {
        spin_change(k, sim->V1, du, slip);
        trxi_drift_spin(&beside, w);
        trxi_add3(slip, w, slip);
    } else {
        velocity_change(k, sim->V1, dp, du, slip);
    }
    trxi_cross_add3(slip, o, du);
    trxi_mulv3_t(F, du, by.v_c);
    if (!turn) trxi_add3(by.v_c, drift, by.v_c);
    impulse_change(k, &by, dp, dgamma);
    trxi_mulv3(F, k->c->gamma, f);
    trxi_mulv3(F, dgamma, df);
    trxi_cross_add3(o, f, df);
    subtract_side(k, &k->columns->a, f, df, dp, r);
    subtract_side(k, &k->columns->b, f, df, dp, r);
}

static bool acts(const trxi_contact *c)
{
    return c->gn0 != 0 || c->gamma[2] != 0 || c->G.nn != 0 || c->G.xx != 0;
}

// the contact with the derivatives of its geometry; the points of a pair stand one after the other
static moved_contact prepare(trx_sim *sim, int index, int *pair)
{
    const trxi_row *row = &sim->rows[index];
    if (row->pair != *pair) {
        *pair = row->pair;
        const trxi_shape_pair *shapes = &sim->filter.pairs[*pair];
        trxi_collide(&sim->shapes[shapes->a], &sim->shapes[shapes->b], sim->filter.margin[*pair], true, sim->points);
    }
    return (moved_contact){.sim = sim, .c = &sim->contacts[index], .row = row, .g = &sim->points[row->point],
                           .columns = &sim->columns[row->pair]};
}

// ---- sizes ----

static const double at_end = 1e-9; // of the size: a coordinate so near to its end is there

// displacement in the axes of the shape; x: point of the core, m: outward normal. false when it cannot be had
static bool size_motion(const trx_shape *shape, trx_parameter p, const double x[3], const double m[3], bool sliding,
                        double out[3])
{
    trxi_zero3(out);
    bool cylinder = shape->type == TRX_SHAPE_CYLINDER, ellipsoid = shape->type == TRX_SHAPE_ELLIPSOID;
    if (p.kind == TRX_GEOM_ROUNDING || (p.kind == TRX_GEOM_RADIUS && !cylinder)) {
        trxi_copy3(m, out);
        return true;
    }
    if (p.kind == TRX_GEOM_SIZE && ellipsoid) {
        double D[3], h = 0;
        trxi_scale3(0.5, shape->size, D);
        for (int i = 0; i < 3; i++) h += D[i] * D[i] * m[i] * m[i];
        h = sqrt(h);
        const double along = D[p.component] * m[p.component];
        for (int i = 0; i < 3; i++) out[i] = -0.5 * D[i] * D[i] * m[i] * along * m[p.component] / (h * h * h);
        out[p.component] += along / h;
        return true;
    }
    if (p.kind == TRX_GEOM_RADIUS) {
        double radius = hypot(x[0], x[1]);
        bool rim = radius >= shape->radius * (1 - at_end);
        if (rim) out[0] = x[0] / radius, out[1] = x[1] / radius;
        return rim || !sliding; // the sides of the polygon that stands for the end of a cylinder move with its radius
    }
    const int axis = p.kind == TRX_GEOM_SIZE ? p.component : 2;
    const double half = 0.5 * (p.kind == TRX_GEOM_SIZE ? shape->size[axis] : shape->length);
    if (fabs(x[axis]) >= half * (1 - at_end)) out[axis] = x[axis] > 0 ? 0.5 : -0.5;
    return true;
}

trx_status trxi_parameters_shape(trx_sim *sim, trx_parameter parameter, double *r)
{
    const trx_model *model = sim->model;
    const trx_shape *shape = &model->geoms[parameter.index].shape;
    bool ball = shape->type == TRX_SHAPE_SPHERE || shape->type == TRX_SHAPE_CAPSULE;
    const double sweep = ball ? shape->radius : shape->rounding;
    const double *R = sim->geom_R + 9 * parameter.index, *centre = sim->geom_p + 3 * parameter.index;
    int collided = -1;
    for (int i = 0; i < sim->problem.ncontact; i++) {
        const trxi_pair *pair = &model->pairs[sim->rows[i].pair];
        if ((pair->geom_a != parameter.index && pair->geom_b != parameter.index) || !acts(&sim->contacts[i])) continue;
        moved_contact k = prepare(sim, i, &collided);
        bool on_a = pair->geom_a == parameter.index;
        displacement motion = {.tree = false};
        double witness[3], outward[3], x[3], m[3], local[3];
        trxi_scale3(on_a ? 1 : -1, k.g->n, outward);
        trxi_copy3(k.g->a, witness);
        if (!on_a) trxi_axpy3(k.g->phi, k.g->n, witness);
        trxi_axpy3(-sweep, outward, witness);
        trxi_sub3(witness, centre, witness);
        trxi_mulv3_t(R, witness, x);
        trxi_mulv3_t(R, outward, m);
        if (!size_motion(shape, parameter, x, m, k.g->sliding, local))
            return trxi_fail(sim->context, TRX_ERR_UNSUPPORTED,
                             "the derivative by a radius is not had where flat ends lie on each other: %s|%s",
                             model->geoms[pair->geom_a].name, model->geoms[pair->geom_b].name);
        trxi_mulv3(R, local, motion.v);
        k.side = on_a ? &k.columns->a : &k.columns->b;
        k.motion = &motion;
        subtract_contact(&k, r);
    }
    return TRX_OK;
}

// ---- pose of a fixed body ----

// a tree that turns as a whole: gravity does not turn along
void trxi_parameters_turn(trx_sim *sim, trx_parameter parameter, double *r)
{
    const trx_model *model = sim->model;
    double w[3], v[3], dg[3];
    trxi_place_motion(sim->given, model, parameter, w, v);
    trxi_cross3(model->gravity, w, dg); // -w x g, scaled by dt
    trxi_scale3(sim->settings.time_step, dg, dg);
    for (int t = 0; t < model->ntree; t++)
        if (trxi_place_carries_link(model, parameter.index, model->trees[t].first_link))
            trxi_gravity_regressor(model, trxi_smooth_kin(sim), trxi_smooth_rnea(sim), t, dg, r);
}

static bool is_carried(const trx_model *model, int place, int body, int link)
{
    return link >= 0 ? trxi_place_carries_link(model, place, link) : trxi_place_carries_body(model, place, body);
}

// constraints between what is carried and what is not, and loads, whose forces do not turn along
static trx_status check_served(const trx_sim *sim, int place)
{
    const trx_model *model = sim->model;
    for (int i = 0; i < model->nconstraint; i++) {
        const trxi_constraint *c = &model->constraints[i];
        if (c->type == TRX_CONSTRAINT_COUPLER) continue;
        if (is_carried(model, place, c->body_a, c->link_a) == is_carried(model, place, c->body_b, c->link_b)) continue;
        return trxi_fail(sim->context, TRX_ERR_UNSUPPORTED,
                         "the derivative by the pose of '%s' is not had with the constraint '%s' on it", model->bodies[place].name,
                         c->name);
    }
    for (int i = 0; i < model->nload; i++)
        if (trxi_place_carries_link(model, place, model->loads[i].link))
            return trxi_fail(sim->context, TRX_ERR_UNSUPPORTED,
                             "the derivative by the pose of '%s' is not had with a load on '%s'", model->bodies[place].name,
                             model->bodies[model->loads[i].body].name);
    return TRX_OK;
}

trx_status trxi_parameters_place(trx_sim *sim, trx_parameter parameter, double *r)
{
    const trx_model *model = sim->model;
    const int place = parameter.index;
    trx_status status = check_served(sim, place);
    if (status < 0) return status;
    displacement motion = {.tree = true};
    trxi_place_motion(sim->given, model, parameter, motion.w, motion.v);
    trxi_copy3(model->bodies[place].p_LB, motion.at);
    int collided = -1;
    for (int i = 0; i < sim->problem.ncontact; i++) {
        const trxi_pair *pair = &model->pairs[sim->rows[i].pair];
        bool a = is_carried(model, place, model->geoms[pair->geom_a].body, pair->link_a);
        bool b = is_carried(model, place, model->geoms[pair->geom_b].body, pair->link_b);
        if (a == b || !acts(&sim->contacts[i])) continue;
        moved_contact k = prepare(sim, i, &collided);
        k.side = a ? &k.columns->a : &k.columns->b;
        k.motion = &motion;
        subtract_contact(&k, r);
    }
    return TRX_OK;
}
