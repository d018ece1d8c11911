// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// What concerns the whole process. The library never touches such a setting by itself: a program that wants
// results to be the same bit for bit on every machine calls this once at its start, as the `tractrix` command does.

#ifndef TRACTRIX_PROCESS_H
#define TRACTRIX_PROCESS_H

#include <stdbool.h>
#include <tractrix/export.h>

/// Makes BLAS compute on the calling thread alone: the order of its sums, and with it the last bits of a result, would
/// otherwise depend on the number of processors. False when the BLAS in use has no such setting (OpenBLAS has).
TRX_API bool trx_process_use_one_blas_thread(void);

#endif
