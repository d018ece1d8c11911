// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Columns of C, the derivative of a step with respect to a parameter, by extrapolated central differences (theory 6).

#ifndef TRXI_VERIFY_PARAMETER_FD_H
#define TRXI_VERIFY_PARAMETER_FD_H

#include "verify/richardson.h"

#include <tractrix/sim.h>

/// The scale of changes of a parameter: its value, or a typical value in a scene of a decimetre and a kilogram. 0: the parameter
/// has no effect, for example a relaxation time of a law that has none. Needs a step.
double trxi_parameter_size(trx_sim *sim, trx_parameter parameter);

/// The reference of one column at (x, u), searched on `ladder`; column->rows is ntangent, column->scratch as richardson.h says.
/// `ends`: scratch, 2 (nstate). The last step must be the step at (x, u), because its branches define the smooth piece. A value
/// that is not allowed counts as beyond a kink. The parameter is restored afterwards. Errors: MEMORY, when the simulator makes
/// its first copy of the model.
trx_status trxi_parameter_fd(trx_sim *sim, trx_parameter parameter, const double *x, const double *u, const trxi_ladder *ladder,
                             double *ends, trxi_column *column);

#endif
