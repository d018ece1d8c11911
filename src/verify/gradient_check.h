// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A, B, C and the terms of a step compared with differences (theory 6), at states chosen by the caller.

#ifndef TRXI_VERIFY_GRADIENT_CHECK_H
#define TRXI_VERIFY_GRADIENT_CHECK_H

#include <tractrix/verify.h>

typedef struct trxi_gradient_checker trxi_gradient_checker;

/// A checker of a model with these settings, with its own simulator. Errors: ARGUMENT, MEMORY.
trx_status trxi_gradient_checker_create(trx_context *context, const trx_model *model, const trx_sim_settings *settings,
                                        trxi_gradient_checker **checker);
void trxi_gradient_checker_destroy(trxi_gradient_checker *checker);

/// The checker's simulator. The caller sets its time and may step it from one state to the next.
trx_sim *trxi_gradient_checker_sim(trxi_gradient_checker *checker);

/// Judges the derivatives at (x, u) and adds to `result`, whose texts name `knot`. Errors: MEMORY, errors of trx_step.
trx_status trxi_gradient_checker_judge(trxi_gradient_checker *checker, int knot, const double *x, const double *u,
                                       trx_gradient_check *result);

/// True when every error is below 1e-5.
bool trxi_gradient_check_passed(const trx_gradient_check *result);

#endif
