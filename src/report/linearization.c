// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// linearization.npz: along the trajectory, with dx = [dq; dv] in tangent coordinates (theory 1, 6, 7),
//
//     dx_{k+1} = A[k] dx_k + B[k] du_k,        u = u[k] + K[k] (x (-) x[k])
//
// Arrays in C order: A (N, 2nv, 2nv), B (N, 2nv, nu), K (N, nu, 2nv), x (N + 1, nq + nv), u (N, nu), t (N + 1).
// Also reads gains and reference of such a folder, to control a simulation.

#include "report/run.h"

#include "formats/files.h"
#include "formats/npz.h"

#include <math.h>
#include <string.h>

trx_status trxi_write_linearization(const trx_run *run, trxi_text *out)
{
    int N = run->steps, nx = 2 * run->size.nv, nu = run->size.nu;
    double *t = TRXI_POOL(run->pool, double, N + 1);
    if (!t) return TRX_ERR_MEMORY;
    for (int k = 0; k <= N; k++) t[k] = (run->first + k) * run->time_step;

    trxi_npz npz = trxi_npz_create(out);
    trxi_npz_add(&npz, "A", 3, (const int[]){N, nx, nx}, run->A);
    trxi_npz_add(&npz, "B", 3, (const int[]){N, nx, nu}, run->B);
    trxi_npz_add(&npz, "K", 3, (const int[]){N, nu, nx}, run->K);
    trxi_npz_add(&npz, "x", 2, (const int[]){N + 1, run->size.nq + run->size.nv}, run->x);
    trxi_npz_add(&npz, "u", 2, (const int[]){N, nu}, run->u);
    trxi_npz_add(&npz, "t", 1, (const int[]){N + 1}, t);
    return trxi_npz_finish(&npz);
}

// the array `name`, which must have the given shape after its first dimension; NULL (recorded) otherwise
static const trxi_npz_array *demand(trx_context *context, const trxi_npz_archive *archive, const char *path,
                                    const char *name, int dims, int second, int third)
{
    const trxi_npz_array *array = trxi_npz_find(archive, name);
    bool fits = array && array->dims == dims && array->shape[0] > 0 && (dims < 2 || array->shape[1] == second) &&
                (dims < 3 || array->shape[2] == third);
    if (fits) return array;
    trx_source source = {path, 0, 0};
    if (!array) trxi_error_at(context, source, "no array %s: not the linearization of a plan", name);
    else trxi_error_at(context, source, "array %s does not fit this problem's model", name);
    return NULL;
}

trx_status trx_run_read_policy(trx_run *run, const char *path, double *u, double *K, double *x_reference)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    if (!path || !u || !K || !x_reference)
        return trxi_fail(run->context, TRX_ERR_ARGUMENT, "trx_run_read_policy: a path and three arrays are needed");
    trx_context *context = run->context;
    int nv = run->size.nv, nu = run->size.nu, nx = run->size.nq + nv, steps = trx_problem_steps(run->problem);
    char *file = trxi_pool_printf(run->pool, "%s/linearization.npz", path);
    trxi_npz_archive archive;
    if (!file) return TRX_ERR_MEMORY;
    trx_status status = trxi_npz_read(context, run->pool, file, &archive);
    if (status < 0) return status;

    const trxi_npz_array *gains = demand(context, &archive, file, "K", 3, nu, 2 * nv);
    const trxi_npz_array *controls = demand(context, &archive, file, "u", 2, nu, 0);
    const trxi_npz_array *states = demand(context, &archive, file, "x", 2, nx, 0);
    const trxi_npz_array *times = demand(context, &archive, file, "t", 1, 0, 0);
    if (!gains || !controls || !states || !times) return TRX_ERR_INPUT;
    trx_source source = {file, 0, 0};
    int N = gains->shape[0];
    if (controls->shape[0] != N || states->shape[0] != N + 1 || times->shape[0] != N + 1)
        return trxi_error_at(context, source, "arrays of different lengths");
    double time_step = trx_problem_sim_settings(run->problem).time_step;
    if (fabs(times->data[1] - times->data[0] - time_step) > 1e-9 * time_step)
        return trxi_error_at(context, source, "time step %g s, but the problem's is %g s",
                             times->data[1] - times->data[0], time_step);

    for (int k = 0; k < steps; k++) {
        size_t from = (size_t)(k < N ? k : N - 1), to = (size_t)k;
        memcpy(u + to * (size_t)nu, controls->data + from * (size_t)nu, sizeof *u * (size_t)nu);
        memcpy(x_reference + to * (size_t)nx, states->data + from * (size_t)nx, sizeof *u * (size_t)nx);
        const double *K_from = gains->data + from * (size_t)(2 * nv * nu);
        double *K_to = K + to * (size_t)(2 * nv * nu);
        for (int i = 0; i < nu; i++)
            for (int j = 0; j < 2 * nv; j++) K_to[i + nu * j] = K_from[i * 2 * nv + j];
    }
    return TRX_OK;
}
