// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Norms of residuals (theory 7): rho(r) of one component, and the curvature that expansions use.

#ifndef TRXI_TRAJOPT_NORM_H
#define TRXI_TRAJOPT_NORM_H

#include <tractrix/plan.h>

/// weight rho(r); `scale` is the norm_scale of the term.
double trxi_norm_value(trx_norm norm, double scale, double weight, double r);

/// A curvature > 0 of weight rho(r): rho'(r)/r, so its product with r is the slope.
double trxi_norm_curvature(trx_norm norm, double scale, double weight, double r);

#endif
