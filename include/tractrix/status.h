// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The list of all outcomes. 0 is success, a negative value means there is no result, a positive value a result with a
// caveat. The context holds the message (context.h).

#ifndef TRACTRIX_STATUS_H
#define TRACTRIX_STATUS_H

#include <tractrix/export.h>

TRX_BEGIN_C

#define TRX_STATUS_LIST(X)                                                                          \
    X(TRX_OK, 0, "success")                                                                         \
    X(TRX_STALLED, 1, "no acceptable step although a decrease was predicted")                       \
    X(TRX_ITERATION_LIMIT, 2, "iteration limit reached")                                            \
    X(TRX_TIME_LIMIT, 3, "time limit reached")                                                      \
    X(TRX_INTERRUPTED, 4, "interrupted")                                                            \
    X(TRX_ROUND_OFF, 5, "converged to the round-off floor")                                         \
    X(TRX_PROCESS_LOST, 6, "the process of the solver was lost")                                    \
    X(TRX_ERR_ARGUMENT, -1, "invalid argument")                                                     \
    X(TRX_ERR_MEMORY, -2, "out of memory")                                                          \
    X(TRX_ERR_INPUT, -3, "bad input")                                                               \
    X(TRX_ERR_IO, -4, "could not read or write")                                                    \
    X(TRX_ERR_UNSUPPORTED, -5, "not in this version")                                               \
    X(TRX_ERR_NOT_CONVERGED, -6, "the contact solve did not converge")                              \
    X(TRX_ERR_ILL_CONDITIONED, -7, "a matrix is not positive definite to working precision")        \
    X(TRX_ERR_NOT_FINITE, -8, "a number is not finite")                                             \
    X(TRX_ERR_NO_STEP, -9, "no current step to differentiate")                                      \
    X(TRX_ERR_NOT_PD, -10, "Q_uu is not positive definite at the largest regularization")           \
    X(TRX_ERR_CAPACITY, -11, "a capacity set by the caller is exceeded")                            \
    X(TRX_ERR_FAILED, -12, "failed")                                                                \
    X(TRX_ERR_INFEASIBLE, -13, "a contact with a barrier is not open")                              \
    X(TRX_ERR_LAW, -14, "a force law of the caller is not usable where it was evaluated")

typedef enum trx_status {
#define X(name, value, text) name = value,
    TRX_STATUS_LIST(X)
#undef X
} trx_status;

/// One-line description of `status`; a constant string, never NULL.
TRX_API const char *trx_status_text(trx_status status);

/// Name of `status` as it is written in code ("TRX_OK"); a constant string, never NULL.
TRX_API const char *trx_status_name(trx_status status);

TRX_END_C

#endif
