// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Settings of the whole process. The library never changes such a setting by itself. For results with the same bits
// on every machine, a program calls this once at its start, as the `tractrix` command does.

#ifndef TRACTRIX_PROCESS_H
#define TRACTRIX_PROCESS_H

#include <stdbool.h>
#include <tractrix/export.h>

TRX_BEGIN_C

/// Makes BLAS compute on the calling thread alone. Otherwise the order of its sums, and with it the last bits of a
/// result, depends on the number of processors. Returns false when the BLAS in use has no such setting (OpenBLAS
/// has).
TRX_API bool trx_process_use_one_blas_thread(void);

TRX_END_C

#endif
