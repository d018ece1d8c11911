// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// States [q; v; a] moved along a tangent coordinate, and slopes between two states (theory 6).

#ifndef TRXI_VERIFY_STATE_DIFFERENCE_H
#define TRXI_VERIFY_STATE_DIFFERENCE_H

#include <tractrix/model.h>

/// out = x (+) amount along coordinate `column` of [dq; dv; da] (0 .. ntangent - 1). dq: scratch (nv).
void trxi_state_move(const trx_model *model, const double *x, int column, double amount, double *dq, double *out);

/// D = (plus (-) minus) / (2 e): ntangent numbers.
void trxi_state_slope(const trx_model *model, const double *plus, const double *minus, double e, double *D);

#endif
