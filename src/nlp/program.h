// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The program that solves nonlinear programs by Ipopt: its place, its longest silence, and the meaning of its result.

#ifndef TRXI_NLP_PROGRAM_H
#define TRXI_NLP_PROGRAM_H

#include "base/context.h"

enum { TRXI_NLP_PATH = 4096 };

/// The path of the program: named by TRACTRIX_IPOPT, beside the running program, or where it is installed. Errors: UNSUPPORTED
/// (there is none), with a message.
trx_status trxi_nlp_find(trx_context *context, char path[TRXI_NLP_PATH]);

/// The longest time without a frame [s]. It is shorter if the memory of this process or of the program (`memory_limit` [MB], 0: no
/// limit) is limited.
double trxi_nlp_silence(int memory_limit);

/// OK, STALLED or PROCESS_LOST for the result of Ipopt (its ApplicationReturnStatus). *text: the result as a sentence without
/// its end.
trx_status trxi_nlp_read_result(int result, const char **text);

#endif
