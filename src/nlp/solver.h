// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A nonlinear program that another process solves and this process evaluates:
//
//     min f(x)   s.t.   g_lower <= g(x) <= g_upper,   x_lower <= x <= x_upper

#ifndef TRXI_NLP_SOLVER_H
#define TRXI_NLP_SOLVER_H

#include "base/context.h"

#include <stdint.h>

/// Kinds of frames: a program and values go to the solver; requests, iterations and the end come from it.
typedef enum trxi_nlp_frame {
    TRXI_NLP_SIZES = 1,   // head (trxi_nlp_head)
    TRXI_NLP_PROGRAM,     // head (trxi_nlp_head), bounds of x and g, start, entries of the Jacobian and the Hessian
    TRXI_NLP_REQUEST,     // kind (trxi_nlp_value), factor of f, x, multipliers of g
    TRXI_NLP_VALUES,      // 1, values; or 0: cannot be evaluated
    TRXI_NLP_ITERATION,   // trxi_nlp_iteration
    TRXI_NLP_CONTINUE,    // 1: go on; 0: stop
    TRXI_NLP_END,         // result of the solver (Ipopt's ApplicationReturnStatus)
} trxi_nlp_frame;

typedef enum trxi_nlp_value { TRXI_NLP_F, TRXI_NLP_GRADIENT, TRXI_NLP_G, TRXI_NLP_JACOBIAN, TRXI_NLP_HESSIAN } trxi_nlp_value;

/// The words at the start of a program.
typedef enum trxi_nlp_head {
    TRXI_NLP_N,         // variables
    TRXI_NLP_M,         // constraints
    TRXI_NLP_NJACOBIAN, // entries of the Jacobian
    TRXI_NLP_NHESSIAN,  // entries of the lower triangle of the Hessian; 0: the solver builds its own (L-BFGS)
    TRXI_NLP_MEMORY,    // limit of the address space [MB], 0: none
    TRXI_NLP_WARM,      // 1: the start is near the solution
    TRXI_NLP_TOLERANCE, // a number
    TRXI_NLP_HEAD,      // count of these words
} trxi_nlp_head;

typedef struct trxi_nlp {
    int n, m, njacobian, nhessian;
    const double *x_lower, *x_upper, *g_lower, *g_upper, *start;
    const uint64_t *jacobian, *hessian; // entries: row in the upper, column in the lower 32 bits
    bool warm;
    double tolerance;
    int memory; // [MB], 0: no limit

    /// Evaluates at x into `out` (1, n, m, njacobian or nhessian numbers); the Hessian belongs to factor f + lambda.g.
    /// False: x cannot be evaluated.
    bool (*evaluate)(void *user, trxi_nlp_value what, const double *x, double factor, const double *lambda, double *out);
    void *user;
} trxi_nlp;

/// A line of the solver's table.
typedef struct trxi_nlp_iteration {
    double number, f, primal, dual, mu, step_norm, regularization, dual_step, step, trials;
} trxi_nlp_iteration;

enum { TRXI_NLP_NUMBERS = sizeof(trxi_nlp_iteration) / sizeof(double), TRXI_NLP_TEXT = 256 };

typedef enum trxi_nlp_event {
    TRXI_NLP_ITERATED, // an iteration has ended
    TRXI_NLP_SOLVED,   // the process ended its work; `result`
    TRXI_NLP_OUT_OF_TIME,
    TRXI_NLP_LOST,     // the process died, is silent, or does not keep to the frames; `text`
} trxi_nlp_event;

typedef struct trxi_nlp_solver trxi_nlp_solver;

/// A solver for programs of these sizes that runs `program`. `silence` is the longest time without a frame [s]. Errors:
/// MEMORY.
trx_status trxi_nlp_create(trx_context *context, const char *program, const trxi_nlp *sizes, double silence,
                           trxi_nlp_solver **solver);
void trxi_nlp_destroy(trx_context *context, trxi_nlp_solver *solver);

/// Starts the process and sends the program, which must outlive the solve. False: lost.
bool trxi_nlp_start(trxi_nlp_solver *solver, const trxi_nlp *nlp);

/// Serves the process until the next event, at most until `deadline` (trx_clock [s]). The first call after an iteration
/// lets the process go on. No memory is taken.
trxi_nlp_event trxi_nlp_serve(trxi_nlp_solver *solver, double deadline, trxi_nlp_iteration *line, int *result);

/// Ends the process, whether it works or waits.
void trxi_nlp_stop(trxi_nlp_solver *solver);

/// Why the process was lost; "" when it was not.
const char *trxi_nlp_text(const trxi_nlp_solver *solver);

#endif
