// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Copies the definition of a cost term into a plan (theory 7): poses of frames in their links, normalized targets, indices of
// coordinates.

#include "trajopt/term.h"

#include "math/rotation.h"
#include "trajopt/cost_sets.h"

#include <string.h>

// number of stored numbers of a vector: stored once, or for every knot with a distance of `stride`
static int stored(int length, int stride, int steps)
{
    return stride > 0 ? stride * steps + length : length;
}

void trxi_term_layout(trxi_arena *arena, const trx_model *model, const trx_cost_term *def, int steps, trxi_term *term)
{
    *term = (trxi_term){.dim = trx_cost_term_dimension(model, def),
                        .target_length = trx_cost_term_target_length(model, def),
                        .target_stride = def->target ? def->target_stride : 0,
                        .weight_stride = def->weight ? def->weight_stride : 0};
    term->name = TRXI_TAKE(arena, char, (def->name ? strlen(def->name) : 0) + 1);
    term->weight = TRXI_TAKE(arena, double, stored(term->dim, term->weight_stride, steps));
    term->target = TRXI_TAKE(arena, double, stored(term->target_length, term->target_stride, steps));
    trxi_set_layout(arena, model, def, term);
    const bool joint = trxi_quantity_is(def->quantity, TRXI_OF_JOINTS);
    term->signs = TRXI_TAKE(arena, signed char, def->quantity == TRX_CONTACT_FORCE ? model->npair : 0);
    term->q_index = TRXI_TAKE(arena, int, joint ? term->dim : 0);
    term->v_index = TRXI_TAKE(arena, int, joint ? term->dim : 0);
}

// pose of the term's frame in its link
static void place_frame(const trx_model *model, const trx_cost_term *def, trxi_term *term)
{
    bool body = def->quantity <= TRX_BODY_SPIN;
    const double *R = body ? model->bodies[def->index].R_LB : model->frames[def->index].R_LF;
    const double *p = body ? model->bodies[def->index].p_LB : model->frames[def->index].p_LF;
    term->body = body ? def->index : model->frames[def->index].body;
    term->link = model->bodies[term->body].link;
    memcpy(term->R_LF, R, sizeof term->R_LF);
    trxi_copy3(p, term->p_LF);
    if (term->link < 0) return;
    term->dofs = model->path + model->links[term->link].path_start;
    term->ndof = model->links[term->link].path_length;
}

static void normalize_quaternions(const trx_model *model, const trxi_term *term, double *target)
{
    if (trxi_quantity_is(term->quantity, TRXI_TURN)) trxi_quat_normalize(target);
    if (term->quantity != TRX_POSITION) return;
    for (int i = 0; i < model->nlink; i++)
        if (model->links[i].type == TRXI_BALL) trxi_quat_normalize(target + model->links[i].q);
}

// makes the zero (identity) target
static void fill_neutral(const trx_model *model, trxi_term *term)
{
    if (term->quantity == TRX_POSITION)
        trx_model_neutral(model, term->target);
    else if (trxi_quantity_is(term->quantity, TRXI_TURN))
        term->target[0] = 1;
}

void trxi_term_set_target(const trx_model *model, trxi_term *term, int steps, const double *target, int stride)
{
    for (int k = 0; k <= (term->target_stride > 0 ? steps : 0); k++) {
        double *to = term->target + term->target_stride * k;
        memcpy(to, target + stride * k, (size_t)term->target_length * sizeof *to);
        normalize_quaternions(model, term, to);
    }
}

void trxi_term_fill(const trx_model *model, const trx_cost_term *def, int steps, trxi_term *term)
{
    term->quantity = def->quantity;
    term->running = def->time != TRX_END;
    term->end = def->time != TRX_RUNNING;
    term->tolerance = def->tolerance;
    if (def->name) memcpy(term->name, def->name, strlen(def->name) + 1);
    term->norm = def->norm;
    term->norm_scale = def->norm_scale;
    term->function = def->function;
    term->user = def->user;
    if (def->weight)
        memcpy(term->weight, def->weight, (size_t)stored(term->dim, term->weight_stride, steps) * sizeof(double));
    if (def->target) trxi_term_set_target(model, term, steps, def->target, term->target_stride);
    else fill_neutral(model, term);
    if (def->quantity <= TRX_FRAME_SPIN) place_frame(model, def, term);
    if (trxi_quantity_is(def->quantity, TRXI_OF_SETS)) trxi_set_fill(model, def, term);
    const bool force = def->quantity == TRX_CONTACT_FORCE;
    for (int i = 0; force && i < model->npair; i++) term->signs[i] = trxi_force_sign(model, def, i);
    for (int j = 0; term->q_index && j < def->njoint; j++) {
        term->q_index[j] = model->joints[def->joints[j]].q;
        term->v_index[j] = model->joints[def->joints[j]].v;
    }
}
