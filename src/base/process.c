// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The setting of the process; see process.h. The function belongs to OpenBLAS and is weak, because other
// implementations of BLAS do not have it (the reference implementation has no threads).

#include <tractrix/process.h>

extern void openblas_set_num_threads(int threads) __attribute__((weak));

bool trx_process_use_one_blas_thread(void)
{
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    return openblas_set_num_threads != 0;
}
