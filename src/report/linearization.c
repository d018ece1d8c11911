// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// linearization.npz: along the trajectory, with dx = [dq; dv; da] in tangent coordinates (theory 1, 6, 7),
//
//     dx_{k+1} = A[k] dx_k + B[k] du_k,        u = u[k] + K[k] (x (-) x[k])
//
// Arrays in C order: A (N, ntangent, ntangent), B (N, ntangent, nu), K (N, nu, ntangent), x (N + 1, nstate), u (N, nu), t (N + 1).

#include "report/run.h"

#include "formats/files.h"
#include "formats/npz.h"

trx_status trxi_write_linearization(const trx_run *run, trxi_text *out)
{
    int N = run->steps, nx = run->size.ntangent, nu = run->size.nu;
    double *t = TRXI_POOL(run->pool, double, N + 1);
    if (!t) return TRX_ERR_MEMORY;
    for (int k = 0; k <= N; k++) t[k] = (run->first + k) * run->time_step;

    trxi_npz npz = trxi_npz_create(out);
    trxi_npz_add(&npz, "A", 3, (const int[]){N, nx, nx}, run->A);
    trxi_npz_add(&npz, "B", 3, (const int[]){N, nx, nu}, run->B);
    trxi_npz_add(&npz, "K", 3, (const int[]){N, nu, nx}, run->K);
    trxi_npz_add(&npz, "x", 2, (const int[]){N + 1, run->size.nstate}, run->x);
    trxi_npz_add(&npz, "u", 2, (const int[]){N, nu}, run->u);
    trxi_npz_add(&npz, "t", 1, (const int[]){N + 1}, t);
    return trxi_npz_finish(&npz);
}
