// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pose of a body that is fixed to the world, as a parameter. Everything that the body carries moves along: bodies
// fixed to it and the roots of trees (theory 6).

#ifndef TRXI_MODEL_PLACE_H
#define TRXI_MODEL_PLACE_H

#include "model/parameters.h"

/// Whether a body is fixed to the world and moves along with `place`; whether the tree of a link (-1: none) moves
/// along.
bool trxi_place_carries_body(const trx_model *model, int place, int body);
bool trxi_place_carries_link(const trx_model *model, int place, int link);

/// Whether a body, in `link` (-1: none), moves along.
static inline bool trxi_place_carries(const trx_model *model, int place, int body, int link)
{
    return link >= 0 ? trxi_place_carries_link(model, place, link) : trxi_place_carries_body(model, place, body);
}

/// Value of a TRX_PLACE_... parameter, and its change; see parameters.h.
double trxi_place_value(const trx_model *base, const trx_model *model, trx_parameter parameter);
void trxi_place_set(const trx_model *base, trx_model *model, trx_parameter parameter, double value);

/// The rigid motion in the world per unit of the parameter: rotation vector w, and displacement v of the body's origin.
void trxi_place_motion(const trx_model *base, const trx_model *model, trx_parameter parameter, double w[3], double v[3]);

#endif
