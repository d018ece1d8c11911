// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Norms of residuals (theory 7): rho(r) of one component, its slope, and the curvature that expansions use.

#ifndef TRXI_TRAJOPT_NORM_H
#define TRXI_TRAJOPT_NORM_H

#include <tractrix/plan.h>

/// weight rho(r); `scale` is the norm_scale of the term.
double trxi_norm_value(trx_norm norm, double scale, double weight, double r);

/// First derivative of weight rho(r), and a curvature >= 0: rho'(r)/r, or rho'' where this is the same.
void trxi_norm_expand(trx_norm norm, double scale, double weight, double r, double *slope, double *curvature);

#endif
