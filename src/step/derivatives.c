// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Memory of derivatives (theory 6); see derivatives.h and reserve.h.

#include "step/block_tangent.h"
#include "step/reserve.h"

// most controls of all islands together: an actuator counts in every island on which it acts
static int most_part_controls(const trx_model *model)
{
    int most = 0;
    for (int i = 0; i < model->nu; i++) most += model->lengths[model->actuators[i].length].ncol;
    return most;
}

void trxi_derivatives_layout(trxi_arena *arena, const trx_model *model, int max_cols, trxi_derivatives *deriv)
{
    const int nv = model->nv;
    deriv->passes = trxi_block_choose();
    deriv->products = TRXI_TAKE(arena, double, TRXI_PRODUCTS * nv);
    deriv->end_maps = TRXI_TAKE(arena, trxi_end_maps, model->nlink);
    deriv->parts = TRXI_TAKE(arena, trx_island, model->ntree);
    deriv->part_dofs = TRXI_TAKE(arena, int, nv);
    deriv->part_controls = TRXI_TAKE(arena, int, most_part_controls(model));
    deriv->part_activations = TRXI_TAKE(arena, int, model->na);
    deriv->driven = TRXI_TAKE(arena, double, model->nu);
    deriv->response = TRXI_TAKE(arena, double, model->nu);
    deriv->accel = TRXI_TAKE(arena, double, nv);
    deriv->dw = TRXI_TAKE(arena, double, nv);
    deriv->dw_th = TRXI_TAKE(arena, double, nv);
    deriv->force = TRXI_TAKE(arena, double, nv);
    deriv->row_scratch = TRXI_TAKE(arena, double, 4 * max_cols);
    deriv->y_scratch = TRXI_TAKE(arena, double, 8 * nv + 16 * model->nlink);
    deriv->turn = TRXI_TAKE(arena, double, nv);
    deriv->unit = TRXI_TAKE(arena, double, nv);
}

static void layout_matrices(trxi_arena *arena, const trx_model *model, ptrdiff_t count, bool two_stage, trxi_derivatives *deriv)
{
    const size_t n = (size_t)count;
    deriv->rq = TRXI_TAKE(arena, double, n);
    deriv->rv = TRXI_TAKE(arena, double, n);
    deriv->dv = TRXI_TAKE(arena, double, 2 * n + (size_t)model->nv * (size_t)model->nu);
    if (two_stage) deriv->R = TRXI_TAKE(arena, double, n), deriv->carry = TRXI_TAKE(arena, double, n);
    deriv->matrix_room = count;
    deriv->two_stage_room = two_stage;
}

// makes room for exactly `count` numbers; does nothing if the room suffices
static trx_status allocate(trx_context *context, const trx_model *model, ptrdiff_t count, bool two_stage, trxi_derivatives *deriv)
{
    if (count <= deriv->matrix_room && (deriv->two_stage_room || !two_stage)) return TRX_OK;
    trxi_derivatives grown = *deriv;
    trxi_arena arena = {0};
    layout_matrices(&arena, model, count, two_stage, &grown);
    grown.matrix_block = trxi_allocate(context, arena.used);
    if (!grown.matrix_block) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = grown.matrix_block};
    layout_matrices(&arena, model, count, two_stage, &grown);
    trxi_release(context, deriv->matrix_block);
    *deriv = grown;
    return TRX_OK;
}

trx_status trxi_derivatives_reserve(trx_context *context, const trx_model *model, ptrdiff_t count, bool two_stage,
                                    trxi_derivatives *deriv)
{
    const ptrdiff_t most = (ptrdiff_t)model->nv * model->nv;
    if (count > deriv->matrix_room) count = 2 * count < most ? 2 * count : most;
    return allocate(context, model, count > deriv->matrix_room ? count : deriv->matrix_room, two_stage, deriv);
}

trx_status trxi_sim_reserve_derivatives(trx_sim *sim)
{
    const trx_model *model = sim->in.model;
    return allocate(sim->in.context, model, (ptrdiff_t)model->nv * model->nv, true, &sim->deriv);
}
