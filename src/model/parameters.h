// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values of parameters in a model that is not shared (theory 6). A simulator that is asked for other values than its model's has a
// copy of its own, which these functions change in place: without memory, in a time that does not depend on how often.

#ifndef TRXI_MODEL_PARAMETERS_H
#define TRXI_MODEL_PARAMETERS_H

#include "model/model.h"

#include <tractrix/parameters.h>

/// A copy of a model, in memory of the context's allocator. Errors: MEMORY.
trx_status trxi_model_copy(trx_context *context, const trx_model *model, trx_model **copy);

/// Whether the model has the parameter and can change it; the same with a message that says why not. Errors: ARGUMENT, UNSUPPORTED.
bool trxi_parameter_exists(const trx_model *model, trx_parameter parameter);
trx_status trxi_parameter_check(trx_context *context, const trx_model *model, trx_parameter parameter);

/// What a kind belongs to: a simulator's settings, pairs, joints, actuators, geometries, poses of fixed bodies. (The others are
/// gravity and inertias.)
bool trxi_parameter_is_setting(trx_parameter_kind kind);
bool trxi_parameter_is_pair(trx_parameter_kind kind);
bool trxi_parameter_is_joint(trx_parameter_kind kind);
bool trxi_parameter_is_actuator(trx_parameter_kind kind);
bool trxi_parameter_is_geom(trx_parameter_kind kind);
bool trxi_parameter_is_place(trx_parameter_kind kind);

/// Whether a pair is meant by a parameter of pairs.
bool trxi_parameter_has_pair(const trx_model *model, trx_parameter parameter, int pair);

/// The number of a law that a parameter of pairs is.
double *trxi_parameter_of_law(trx_pair_law *law, trx_parameter_kind kind);

/// Value of a parameter that passed the check, of a model made from `base` by changes alone.
double trxi_parameter_value(const trx_model *base, const trx_model *model, trx_parameter parameter);

/// Changes it. Errors: INPUT (a value that is not allowed), the model is then as before.
trx_status trxi_parameter_set(trx_context *context, const trx_model *base, trx_model *model, trx_parameter parameter,
                              double value);

/// The same with any finite value that the step still takes: differences about 0 need both sides of it.
void trxi_parameter_put(const trx_model *base, trx_model *model, trx_parameter parameter, double value);

/// Sums the bodies' inertias over links anew.
void trxi_model_sum_inertia(trx_model *model);

#endif
