// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pose of a fixed body: a rigid displacement S = [w; u] of everything on it (theory 6), which is one side X of the rows that
// tie it to the rest. What is carried on both sides does not notice; a coupler, in joint coordinates, never does.
//
//     trees       S turns velocities and columns along and leaves M as it is. Gravity and loads do not turn:
//                 r += dt S_i . [h_g x (w x g); m_g (w x g)],   r += dt S_i . [w x tau + arm x (w x f); w x f]
//     contacts    parameters_contact.c
//     constraints as by a dof (constraint_rows_deriv.c), with dp = u(p_B) where X is B, else 0:
//                 dgamma = -G (dv_c + dg/(dt + tau)) - gamma dw/w           the last where the near-rigid bound decides R
//                 point      dg = +-F^T u(p)              o = w where X is A, which carries F, else 0
//                 turn       dg = +-Jr^-1(g)^T F^T w      o as before
//                 distance   dg = +-n . u(p)              o = n x dn, dn = [X is A] w x n +- (1 - n n^T) u(p)/|p_B - p_A|
//                 (+ for B, - for A; a point of A at p is displaced by u(p), and o accounts for its way to p_A)

#include "step/parameters.h"

#include "math/rotation.h"
#include "model/place.h"

trxi_displacement trxi_place_displacement(const trx_model *base, const trx_model *model, trx_parameter parameter)
{
    trxi_displacement motion = {.tree = true};
    trxi_place_motion(base, model, parameter, motion.w, motion.v);
    trxi_copy3(model->bodies[parameter.index].p_LB, motion.at);
    return motion;
}

// ---- what acts in the motion without contact ----

void trxi_parameters_turn(trx_sim *sim, trx_parameter parameter, double *r)
{
    const trx_model *model = sim->model;
    const double dt = sim->settings.time_step;
    double w[3], v[3], dg[3];
    trxi_place_motion(sim->given, model, parameter, w, v);
    trxi_cross3(model->gravity, w, dg); // -w x g, scaled by dt
    trxi_scale3(dt, dg, dg);
    for (int t = 0; t < model->ntree; t++)
        if (trxi_place_carries_link(model, parameter.index, model->trees[t].first_link))
            trxi_gravity_regressor(model, trxi_smooth_kin(sim), trxi_smooth_rnea(sim), t, dg, r);
    for (int i = 0; i < model->nload; i++)
        if (trxi_place_carries_link(model, parameter.index, model->loads[i].link))
            trxi_step_load_turn(sim, trxi_smooth_kin(sim), i, w, dt, r);
}

// ---- constraints ----

typedef struct moved_hold {
    trxi_displaced rows;
    const trxi_hold *hold;
    const trxi_row_block *scalars; // nrow of them
    double x[3], w[3];          // displacement of B against A at p, and its turn
    bool on_a;
} moved_hold;

static void frame_spin(const moved_hold *k, double o[3])
{
    if (k->hold->kind != TRXI_HOLD_DISTANCE) {
        trxi_scale3(k->on_a, k->rows.motion->w, o);
        return;
    }
    const double *n = k->hold->F + 6;
    double dn[3], along = trxi_dot3(n, k->x);
    for (int a = 0; a < 3; a++) dn[a] = (k->x[a] - along * n[a]) / k->hold->length;
    if (k->on_a) trxi_cross_add3(k->rows.motion->w, n, dn);
    trxi_cross3(n, dn, o);
}

// dg in the frame
static void gap_change(const moved_hold *k, double dg[3])
{
    if (k->hold->kind != TRXI_HOLD_TURN) {
        trxi_mulv3_t(k->hold->F, k->x, dg);
        return;
    }
    double turn[3], map[9];
    trxi_mulv3_t(k->hold->F, k->w, turn);
    trxi_right_jacobian_inverse(k->hold->g, map);
    trxi_mulv3_t(map, turn, dg);
}

static void subtract_hold(const moved_hold *k, double *r)
{
    const trxi_hold *hold = k->hold;
    const trx_sim *sim = k->rows.sim;
    const int first = 3 - hold->nrow; // one row alone is along the last axis
    double dp[3], o[3], dg[3], du[3], slip[3], dv_c[3], gamma[3] = {0, 0, 0}, dgamma[3] = {0, 0, 0}, f[3], df[3];
    trxi_scale3(!k->on_a && hold->kind != TRXI_HOLD_TURN, k->x, dp);
    frame_spin(k, o);
    gap_change(k, dg);
    if (k->rows.turn) trxi_displaced_spin(&k->rows, sim->V1, du, slip);
    else trxi_displaced_velocity(&k->rows, sim->V1, dp, du, slip);
    trxi_cross_add3(slip, o, du);
    trxi_mulv3_t(hold->F, du, dv_c);

    const double dw = hold->rigid ? trxi_displaced_mass(&k->rows, dp, o) : 0;
    for (int a = first; a < 3; a++) {
        const trxi_row_block *row = &k->scalars[a - first];
        gamma[a] = row->gamma[0];
        dgamma[a] = -row->G.xx * (dv_c[a] + dg[a] / hold->horizon) - row->gamma[0] * dw / hold->w;
    }
    trxi_mulv3(hold->F, gamma, f);
    trxi_mulv3(hold->F, dgamma, df);
    trxi_cross_add3(o, f, df);
    trxi_displaced_subtract(&k->rows, f, df, dp, r);
}

static void hold_term(trx_sim *sim, const trxi_hold *hold, bool on_a, const trxi_displacement *motion, double *r)
{
    const trxi_pair_columns *columns = &sim->hold_columns[hold->constraint];
    const trxi_row_block *scalars = &sim->scalars[hold->first];
    double *J = sim->row_scratch;
    for (int i = 0; i < columns->ncol; i++)
        for (int a = 0; a < hold->nrow; a++) J[hold->nrow * i + a] = scalars[a].J[i];
    moved_hold k = {.rows = {.sim = sim, .columns = columns, .side = on_a ? &columns->a : &columns->b, .motion = motion,
                             .p = hold->p, .F = hold->F, .turn = hold->kind == TRXI_HOLD_TURN, .nrow = hold->nrow,
                             .cols = sim->hold_cols + columns->first, .J = J, .w = hold->w},
                    .hold = hold, .scalars = scalars, .on_a = on_a};
    trxi_displace(motion, hold->p, k.x);
    trxi_scale3(on_a ? -1 : 1, k.x, k.x);
    trxi_scale3(on_a ? -1 : 1, motion->w, k.w);
    subtract_hold(&k, r);
}

// ---- all rows ----

static bool is_carried(const trx_model *model, int place, int body, int link)
{
    return link >= 0 ? trxi_place_carries_link(model, place, link) : trxi_place_carries_body(model, place, body);
}

static void contacts_term(trx_sim *sim, int place, const trxi_displacement *motion, double *r)
{
    const trx_model *model = sim->model;
    int collided = -1;
    for (int i = 0; i < sim->ncontact; i++) {
        const trxi_pair *pair = &model->pairs[sim->rows[i].pair];
        bool a = is_carried(model, place, model->geoms[pair->geom_a].body, pair->link_a);
        bool b = is_carried(model, place, model->geoms[pair->geom_b].body, pair->link_b);
        if (a == b || !trxi_contact_acts(&sim->contacts[i])) continue;
        trxi_parameters_contact_point(sim, i, &collided);
        trxi_parameters_contact(sim, i, a, motion, r);
    }
}

void trxi_parameters_place(trx_sim *sim, trx_parameter parameter, double *r)
{
    const trx_model *model = sim->model;
    const int place = parameter.index;
    const trxi_displacement motion = trxi_place_displacement(sim->given, model, parameter);
    contacts_term(sim, place, &motion, r);
    for (int i = 0; i < sim->nhold; i++) {
        const trxi_constraint *c = &model->constraints[sim->holds[i].constraint];
        if (c->type == TRX_CONSTRAINT_COUPLER) continue;
        const bool a = is_carried(model, place, c->body_a, c->link_a), b = is_carried(model, place, c->body_b, c->link_b);
        if (a != b) hold_term(sim, &sim->holds[i], a, &motion, r);
    }
}
