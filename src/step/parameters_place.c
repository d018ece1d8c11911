// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pose of a fixed body (theory 6). A change of the pose is a rigid displacement S = [w; u] of the body and all that it carries.
// These are one side X of the rows that connect them with other bodies. Rows between two carried bodies do not change. A coupler
// does not change, because it is in joint coordinates.
//
//     trees       S turns velocities and columns along and leaves M as it is. Gravity and loads do not turn:
//                 r += dt S_i . [h_g x (w x g); m_g (w x g)],   r += dt S_i . [w x tau + arm x (w x f); w x f]
//     rows        one displacement of a side of their tangent (block_tangent.c)

#include "step/loads.h"
#include "step/parameters.h"

#include "model/place.h"

trxi_displacement trxi_place_displacement(const trx_model *base, const trx_model *model, trx_parameter parameter)
{
    trxi_displacement motion = {.tree = true};
    trxi_place_motion(base, model, parameter, motion.w, motion.v);
    trxi_copy3(model->bodies[parameter.index].p_LB, motion.at);
    return motion;
}

// ---- the motion without contact ----

void trxi_parameters_turn(const trxi_solved *step, trx_parameter parameter, double *r)
{
    const trx_model *model = step->in->model;
    const double dt = step->in->settings.time_step;
    double w[3], v[3], dg[3];
    trxi_place_motion(step->in->given, model, parameter, w, v);
    trxi_cross3(model->gravity, w, dg); // -w x g, scaled by dt
    trxi_scale3(dt, dg, dg);
    for (int t = 0; t < model->ntree; t++)
        if (trxi_place_carries_link(model, parameter.index, model->trees[t].first_link))
            trxi_gravity_regressor(model, trxi_solved_kin(step), trxi_solved_rnea(step), t, dg, r);
    for (int i = 0; i < model->nload; i++)
        if (trxi_place_carries_link(model, parameter.index, model->loads[i].link))
            trxi_step_load_turn(step->in, trxi_solved_kin(step), i, w, dt, r);
}

// ---- all rows ----

static bool is_carried(const trx_model *model, int place, int body, int link)
{
    return link >= 0 ? trxi_place_carries_link(model, place, link) : trxi_place_carries_body(model, place, body);
}

static void contacts_term(const trxi_solved *step, trxi_derivatives *deriv, int place, const trxi_displacement *motion,
                          double *r)
{
    const trx_model *model = step->in->model;
    int collided = -1;
    for (int i = 0; i < step->rows->ncontact; i++) {
        const trxi_meeting *pair = trxi_meeting_of(step->rows, &step->rows->origins[i]);
        bool a = is_carried(model, place, model->geoms[pair->geom_a].body, pair->columns.side[0].link);
        bool b = is_carried(model, place, model->geoms[pair->geom_b].body, pair->columns.side[1].link);
        if (a == b || !trxi_contact_acts(&step->rows->contacts[i])) continue;
        trxi_block_tangent block;
        trxi_contact_tangent(step, i, trxi_contact_geometry(step, deriv, i, &collided), &block);
        trxi_block_subtract_displaced(step, deriv, &block, a, motion, r);
    }
}

void trxi_parameters_place(const trxi_solved *step, trxi_derivatives *deriv, trx_parameter parameter, double *r)
{
    const trx_model *model = step->in->model;
    const int place = parameter.index;
    const trxi_displacement motion = trxi_place_displacement(step->in->given, model, parameter);
    contacts_term(step, deriv, place, &motion, r);
    for (int i = 0; i < step->rows->nconstraint_rows; i++) {
        const trxi_constraint *c = &model->constraints[step->rows->constraint_rows[i].constraint];
        if (trxi_constraint_of_joints(c)) continue;
        const bool a = is_carried(model, place, c->body_a, c->link_a), b = is_carried(model, place, c->body_b, c->link_b);
        if (a == b) continue;
        trxi_block_tangent block;
        trxi_constraint_numbers numbers;
        trxi_constraint_tangent(step, deriv, &step->rows->constraint_rows[i], &numbers, &block);
        trxi_block_subtract_displaced(step, deriv, &block, a, &motion, r);
    }
}
