// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pose of a fixed body (theory 6). A change of the pose is a rigid displacement S = [w; u] of the body and all that it carries.
// In rows between a carried and another body, the carried body is the displaced side X. Rows between two carried bodies do not
// change. Rows on the length of a spatial tendon change, and rows on other lengths do not.
//
//     trees       S turns velocities and columns along and leaves M as it is. Gravity and loads do not turn:
//                 r += dt S_i . [h_g x (w x g); m_g (w x g)],   r += dt S_i . [w x tau + arm x (w x f); w x f]
//     rows        one displacement of a side of their tangent (block_tangent.c)
//     lengths     r -= dJ^T gamma + J^T (-G dJ v + gamma_phi dl + gamma_w 2 dJ y),  y = A^-1 J^T
//                 drives and springs have -dt k in place of gamma_phi

#include "step/drag.h"
#include "step/loads.h"
#include "step/parameters.h"
#include "step/scalar_rows.h"

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
    for (int i = 0; i < model->ndrag; i++)
        if (trxi_place_carries_link(model, parameter.index, model->drags[i].link))
            trxi_step_drag_turn(step->in, trxi_solved_kin(step), trxi_solved_rnea(step)->V, i, w, dt, r);
}

// ---- all rows ----

static void contacts_term(const trxi_solved *step, trxi_derivatives *deriv, int place, const trxi_displacement *motion,
                          double *r)
{
    const trx_model *model = step->in->model;
    int collided = -1;
    for (int i = 0; i < step->rows->ncontact; i++) {
        const trxi_meeting *pair = trxi_meeting_of(step->rows, &step->rows->origins[i]);
        bool a = trxi_place_carries(model, place, model->geoms[pair->geom_a].body, pair->columns.side[0].link);
        bool b = trxi_place_carries(model, place, model->geoms[pair->geom_b].body, pair->columns.side[1].link);
        if (a == b || !trxi_contact_acts(&step->rows->contacts[i])) continue;
        trxi_block_tangent block;
        trxi_contact_tangent(step, i, trxi_contact_geometry(step, deriv, i, &collided), &block);
        trxi_block_subtract_displaced(step, deriv, &block, a, motion, r);
    }
}

typedef struct carriers {
    const trx_model *model;
    int place;
} carriers;

static bool has(const void *context, int body, int link)
{
    const carriers *c = context;
    return trxi_place_carries(c->model, c->place, body, link);
}

// returns the change of J y of a row, sum of scale dJ_l y + (dscale/dl) dl J_l y over its lengths l; *dl: the sum of scale dl
static double displaced(const trxi_solved *step, const trxi_carried *by, const trxi_row_length *lengths, int count, const double *y,
                        double *dl)
{
    double sum = 0;
    *dl = 0;
    for (int i = 0; i < count; i++) {
        double of_length, of_rate;
        trxi_length_displaced(step->in->model, &step->smooth->kin, &step->smooth->lengths, lengths[i].length, by, y, &of_length,
                              &of_rate);
        sum += lengths[i].scale * of_rate;
        if (lengths[i].curvature != 0)
            sum += lengths[i].curvature * of_length *
                   trxi_length_rate(step->in->model, &step->smooth->lengths, lengths[i].length, y);
        *dl += lengths[i].scale * of_length;
    }
    return sum;
}

static void length_row_term(const trxi_solved *step, trxi_derivatives *deriv, const trxi_row_block *row, const trxi_carried *by,
                            double *r)
{
    const trx_model *model = step->in->model;
    trxi_row_length lengths[2];
    trxi_law_partials partials;
    double dl, *y = deriv->y_scratch, W[9];
    const int count = trxi_row_lengths(model, step->rows, row, lengths);
    if (count == 0) return;
    trxi_row_partials(row, &step->in->law, &partials);
    double change = -row->at.G.xx * displaced(step, by, lengths, count, step->solver->v, &dl);
    change += (partials.phi[0] - step->in->settings.time_step * trxi_row_stiffness(row)) * dl;
    if (partials.w[0] != 0) {
        const trxi_mass_rows mass = {.n = 1, .ncol = row->ncol, .cols = row->cols, .J = row->J, .w = row->w};
        double unused;
        trxi_mass_rows_solve(step, &mass, y, W);
        change += 2 * partials.w[0] * displaced(step, by, lengths, count, y, &unused);
    }
    for (int k = 0; k < row->ncol; k++) r[row->cols[k]] -= row->J[k] * change;
    for (int i = 0; i < count && row->at.gamma[0] != 0; i++) {
        const trxi_length_view of = trxi_length_at(model, &step->smooth->lengths, lengths[i].length);
        for (int k = 0; k < of.ncol; k++) {
            double unused;
            deriv->unit[of.cols[k]] = 1;
            r[of.cols[k]] -= row->at.gamma[0] * displaced(step, by, &lengths[i], 1, deriv->unit, &unused);
            deriv->unit[of.cols[k]] = 0;
        }
    }
}

static void lengths_term(const trxi_solved *step, trxi_derivatives *deriv, int place, const trxi_displacement *motion, double *r)
{
    const carriers context = {step->in->model, place};
    trxi_carried by = {.has = has, .context = &context};
    trxi_copy3(motion->w, by.w);
    trxi_copy3(motion->v, by.v);
    trxi_copy3(motion->at, by.at);
    for (int i = 0; i < step->rows->nscalar; i++) length_row_term(step, deriv, &step->rows->scalars[i], &by, r);
}

void trxi_parameters_place(const trxi_solved *step, trxi_derivatives *deriv, trx_parameter parameter, double *r)
{
    const trx_model *model = step->in->model;
    const int place = parameter.index;
    const trxi_displacement motion = trxi_place_displacement(step->in->given, model, parameter);
    contacts_term(step, deriv, place, &motion, r);
    if (model->nspan) lengths_term(step, deriv, place, &motion, r);
    for (int i = 0; i < step->rows->nconstraint_rows; i++) {
        const trxi_constraint *c = &model->constraints[step->rows->constraint_rows[i].constraint];
        if (trxi_constraint_of_lengths(c)) continue;
        const bool a = trxi_place_carries(model, place, c->body_a, c->link_a);
        const bool b = trxi_place_carries(model, place, c->body_b, c->link_b);
        if (a == b) continue;
        trxi_block_tangent block;
        trxi_constraint_numbers numbers;
        trxi_constraint_tangent(step, deriv, &step->rows->constraint_rows[i], &numbers, &block);
        trxi_block_subtract_displaced(step, deriv, &block, a, &motion, r);
    }
}
