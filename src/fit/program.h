// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A solve of a fit as the variables of a nonlinear program (theory 10).

#ifndef TRXI_FIT_PROGRAM_H
#define TRXI_FIT_PROGRAM_H

#include "base/arena.h"

#include <tractrix/fit.h>

#include <stdint.h>

typedef struct trxi_fit_program {
    const trx_fit *fit;
    int *windows, count; // count: the fitted windows that have samples now
    int n, nhessian;     // variables, entries of the lower triangle of the Hessian
    uint64_t *hessian;   // nhessian entries: row in the upper, column in the lower 32 bits
    double *start, *lower, *upper; // n
    double *H;           // scratch: the Hessian of a window and of a session's priors
} trxi_fit_program;

/// Memory for all windows of a fit. Errors: MEMORY.
trx_status trxi_fit_program_begin(trx_fit *fit, trxi_fit_program *program);

/// Sizes, entries, bounds and start at the present unknowns and start states, which are the reference of the variables.
void trxi_fit_program_fill(trxi_fit_program *program);

/// Puts the variables into z_trial, values_trial and x_trial of the fit.
void trxi_fit_program_try(const trxi_fit_program *program, const double *variables, trx_fit *fit);

/// Gradient (n) and Gauss-Newton Hessian (nhessian, times `factor`) of the objective from the derivatives of the trial.
void trxi_fit_program_gradient(const trxi_fit_program *program, const double *variables, double *gradient);
void trxi_fit_program_hessian(const trxi_fit_program *program, const double *variables, double factor, double *values);

#endif
