// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Kinds of quantities that cost terms measure (theory 7), and the pairs of a contact force.

#include "trajopt/quantities.h"

#include "model/model.h"

bool trxi_quantity_is_spatial(trx_quantity quantity)
{
    return quantity <= TRX_FRAME_SPIN || trxi_quantity_is_of_sets(quantity);
}

bool trxi_quantity_is_of_sets(trx_quantity quantity)
{
    return quantity >= TRX_DISTANCE && quantity <= TRX_COM_VELOCITY;
}

bool trxi_quantity_is_dense(trx_quantity quantity)
{
    return quantity == TRX_USER || quantity == TRX_CONTACT_FORCE;
}

bool trxi_quantity_is_running(trx_quantity quantity)
{
    return quantity == TRX_CONTROL || quantity == TRX_CONTACT_FORCE || quantity == TRX_CONTROL_RATE;
}

bool trxi_quantity_is_rate(trx_quantity quantity)
{
    switch (quantity) {
    case TRX_BODY_VELOCITY:
    case TRX_BODY_SPIN:
    case TRX_FRAME_VELOCITY:
    case TRX_FRAME_SPIN:
    case TRX_JOINT_VELOCITY:
    case TRX_VELOCITY:
    case TRX_COM_VELOCITY: return true;
    default: return false;
    }
}

static bool lists(const int *items, int count, int item)
{
    for (int i = 0; i < count; i++)
        if (items[i] == item) return true;
    return false;
}

signed char trxi_force_sign(const trx_model *model, const trx_cost_term *term, int index)
{
    const trxi_pair pair = trxi_model_pair(model, index);
    if (lists(term->geoms_a, term->ngeom_a, pair.geom_a) && lists(term->geoms_b, term->ngeom_b, pair.geom_b)) return 1;
    if (lists(term->geoms_a, term->ngeom_a, pair.geom_b) && lists(term->geoms_b, term->ngeom_b, pair.geom_a)) return -1;
    return 0;
}

bool trxi_force_is_possible(const trx_model *model, const trx_cost_term *term)
{
    for (int i = 0; i < model->npair; i++)
        if (trxi_force_sign(model, term, i) != 0) return true;
    return false;
}
