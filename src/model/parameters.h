// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values of parameters in a model that is not shared (theory 6). A simulator with other values than its model has a
// copy of the model, and these functions change the copy in place. They allocate nothing, and their time does not
// grow with the number of changes.

#ifndef TRXI_MODEL_PARAMETERS_H
#define TRXI_MODEL_PARAMETERS_H

#include "model/model.h"

#include <tractrix/parameters.h>

/// A copy of a model, in memory of the context's allocator, with room for `laws` more pairs with laws of their own. Errors:
/// MEMORY.
trx_status trxi_model_copy(trx_context *context, const trx_model *model, int laws, trx_model **copy);

/// Whether the model has the parameter and can change it. The second function also sets a message with the reason.
/// Errors: ARGUMENT, UNSUPPORTED.
bool trxi_parameter_exists(const trx_model *model, trx_parameter parameter);
trx_status trxi_parameter_check(trx_context *context, const trx_model *model, trx_parameter parameter);

/// Whether parameters of a kind belong to a simulator's settings, pairs, joints, actuators, inertias, geometries, or poses of fixed
/// bodies. (The only other kind is gravity.)
bool trxi_parameter_is_setting(trx_parameter_kind kind);
bool trxi_parameter_is_pair(trx_parameter_kind kind);
bool trxi_parameter_is_joint(trx_parameter_kind kind);
bool trxi_parameter_is_actuator(trx_parameter_kind kind);
bool trxi_parameter_is_inertia(trx_parameter_kind kind);
bool trxi_parameter_is_geom(trx_parameter_kind kind);
bool trxi_parameter_is_place(trx_parameter_kind kind);

/// Whether a parameter of pairs includes this pair.
bool trxi_parameter_has_pair(const trx_model *model, trx_parameter parameter, int pair);

/// The first pair after `after` (-1: from the start) that a parameter of pairs includes, -1 when there is none.
int trxi_parameter_next_pair(const trx_model *model, trx_parameter parameter, int after);

/// Value of a parameter that passed the check, in a model that was made from `base` by changes alone.
double trxi_parameter_value(const trx_model *base, const trx_model *model, trx_parameter parameter);

/// Changes a parameter. A parameter of pairs needs room for one law per included pair. Errors: INPUT (a value that is not
/// allowed); the model is then unchanged.
trx_status trxi_parameter_set(trx_context *context, const trx_model *base, trx_model *model, trx_parameter parameter,
                              double value);

/// Changes a parameter without a check of its range: differences about 0 need both signs. `value` is finite.
void trxi_parameter_put(const trx_model *base, trx_model *model, trx_parameter parameter, double value);

/// Recomputes the sums of body inertias over links.
void trxi_model_sum_inertia(trx_model *model);

#endif
