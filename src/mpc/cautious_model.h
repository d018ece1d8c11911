// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A model that counts on less friction at the bodies that actuators drive (theory 7, model predictive control).

#ifndef TRXI_MPC_CAUTIOUS_MODEL_H
#define TRXI_MPC_CAUTIOUS_MODEL_H

#include <tractrix/model.h>

/// Writes the model with (1 - margin) times the friction of every pair with an actuated side, or NULL where this changes nothing.
/// The caller destroys it. Errors: those of trx_model_change.
trx_status trxi_cautious_model(trx_context *context, const trx_model *model, double margin, trx_model **cautious);

#endif
