// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Names and units of the components of a term's residual, for messages and results (theory 7).

#ifndef TRXI_TRAJOPT_TERM_NAMES_H
#define TRXI_TRAJOPT_TERM_NAMES_H

#include "trajopt/cost_terms.h"

/// "x", "ry", the name of a joint or of an actuator; "" for the only component of a distance.
const char *trxi_term_component(const trx_model *model, const trxi_term *term, int i);

/// "m", "rad", "m/s", "rad/s", "N", "N m".
const char *trxi_term_unit(const trx_model *model, const trxi_term *term, int i);

#endif
