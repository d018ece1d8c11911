// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values of the unknowns by the equation error (theory 10), for arms whose starts are far from the solution.

#ifndef TRXI_FIT_EQUATION_ERROR_H
#define TRXI_FIT_EQUATION_ERROR_H

#include "fit/state.h"

/// Whether the fit begins with the equation error: inertias of bodies are fitted, all unknowns are shared, nothing can touch,
/// the model does not depend on time, and the recordings have all coordinates and velocities, and no delays.
bool trxi_equation_error_serves(const trx_fit *fit);

/// Moves the unknowns to the least equation error. `moved`: true if the move lowers the objective of the fit, with its
/// noise and start states as they are; otherwise the unknowns stay. Errors: of trx_fit_run.
trx_status trxi_equation_error(trx_fit *fit, bool *moved);

#endif
