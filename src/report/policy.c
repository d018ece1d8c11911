// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// policy.npz: the policy of a plan (theory 7, policies). Arrays in C order: x (N + 1, nstate), u (N, nu), K (N, nu, ntangent),
// t (N + 1), with
//
//     u = u[k] + K[k] (x (-) x_plan(t))        t[k] <= t < t[k + 1]
//
// Also reads the policy of a run folder: from policy.npz, else from the gains in linearization.npz. The arrays have no names of
// coordinates. These are in the first line of trajectory.csv, and a policy of another model is refused.

#include "report/run.h"

#include "formats/files.h"
#include "formats/npz.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

trx_status trxi_write_policy(const trx_run *run, trxi_text *out)
{
    const trx_policy_def def = trx_policy_get(run->policy);
    const int N = def.steps, nu = run->size.nu, nx = run->size.ntangent;
    double *t = TRXI_POOL(run->pool, double, N + 1);
    const double *K = trxi_run_copy_matrices(run->pool, def.K, nu, nx, N);
    if (!t || !K) return TRX_ERR_MEMORY;
    for (int k = 0; k <= N; k++) t[k] = def.start_time + k * def.time_step;

    trxi_npz npz = trxi_npz_create(out);
    trxi_npz_add(&npz, "K", 3, (const int[]){N, nu, nx}, K);
    trxi_npz_add(&npz, "x", 2, (const int[]){N + 1, run->size.nstate}, def.x);
    trxi_npz_add(&npz, "u", 2, (const int[]){N, nu}, def.u);
    trxi_npz_add(&npz, "t", 1, (const int[]){N + 1}, t);
    return trxi_npz_finish(&npz);
}

// ---- reading ----

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

static trx_status read_archive(trx_run *run, const char *file, trx_policy **policy)
{
    trx_context *context = run->context;
    const int nx = run->size.ntangent, nu = run->size.nu;
    static const char *const wanted[] = {"K", "x", "u", "t", NULL};
    trxi_npz_archive archive;
    trx_status status = trxi_npz_read(context, run->pool, file, wanted, &archive);
    if (status < 0) return status;

    const trxi_npz_array *gains = demand(context, &archive, file, "K", 3, nu, nx);
    const trxi_npz_array *controls = demand(context, &archive, file, "u", 2, nu, 0);
    const trxi_npz_array *states = demand(context, &archive, file, "x", 2, run->size.nstate, 0);
    const trxi_npz_array *times = demand(context, &archive, file, "t", 1, 0, 0);
    if (!gains || !controls || !states || !times) return TRX_ERR_INPUT;
    const int N = gains->shape[0];
    if (controls->shape[0] != N || states->shape[0] != N + 1 || times->shape[0] != N + 1)
        return trxi_error_at(context, (trx_source){file, 0, 0}, "arrays of different lengths");
    trx_policy_def def = trx_policy_def_default();
    def.steps = N;
    def.start_time = times->data[0];
    def.time_step = (times->data[N] - times->data[0]) / N;
    def.x = states->data;
    def.u = controls->data;
    def.K = trxi_run_copy_matrices(run->pool, gains->data, nx, nu, N); // columns for rows
    if (!def.K) return TRX_ERR_MEMORY;
    status = trx_policy_create(context, run->model, &def, policy);
    if (status != TRX_ERR_ARGUMENT && status != TRX_ERR_NOT_FINITE) return status;
    return trxi_error_at(context, (trx_source){file, 0, 0}, "not a policy: %s", trx_context_message(context));
}

// fails where two lines of column names differ, and names the first column that does
static trx_status compare_heads(trx_context *context, const char *file, const char *theirs, const char *ours)
{
    if (!strncmp(theirs, ours, strlen(ours))) return TRX_OK;
    size_t begin = 0;
    for (size_t i = 0; ours[i] && ours[i] == theirs[i]; i++)
        if (ours[i] == ',') begin = i + 1;
    return trxi_error_at(context, (trx_source){file, 1, (int)begin + 1},
                         "a policy of another model: column \"%.*s\" where this problem has \"%.*s\"",
                         (int)strcspn(theirs + begin, ",\r\n"), theirs + begin, (int)strcspn(ours + begin, ",\r\n"),
                         ours + begin);
}

// refuses a run at `path` with other coordinates or actuators than this model; a folder without trajectory.csv passes
static trx_status check_names(trx_run *run, const char *path)
{
    const char *file = trxi_pool_printf(run->pool, "%s/trajectory.csv", path);
    if (!file) return TRX_ERR_MEMORY;
    FILE *in = fopen(file, "rb");
    if (!in) return TRX_OK;
    trxi_text head = trxi_text_create(run->context);
    trxi_write_trajectory_head(run, &head);
    trx_status status = head.status;
    char *theirs = status < 0 ? NULL : TRXI_POOL(run->pool, char, head.length + 1);
    if (theirs) theirs[fread(theirs, 1, head.length, in)] = '\0';
    else status = TRX_ERR_MEMORY;
    if (status >= 0) status = compare_heads(run->context, file, theirs, trxi_text_get(&head));
    trxi_text_destroy(&head);
    fclose(in);
    return status;
}

trx_status trx_run_read_policy(trx_run *run, const char *path, trx_policy **policy)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    if (!path || !policy)
        return trxi_fail(run->context, TRX_ERR_ARGUMENT, "trx_run_read_policy: no path or no place for the policy");
    *policy = NULL;
    const char *made = trxi_pool_printf(run->pool, "%s/policy.npz", path);
    const char *recorded = trxi_pool_printf(run->pool, "%s/linearization.npz", path);
    if (!made || !recorded) return TRX_ERR_MEMORY;
    const bool planned = access(made, F_OK) == 0;
    if (!planned && access(recorded, F_OK) != 0)
        return trxi_fail(run->context, TRX_ERR_IO, "'%s' has no policy: it is not the folder of a plan", path);
    trx_status status = read_archive(run, planned ? made : recorded, policy);
    if (status < 0 || (status = check_names(run, path)) >= 0) return status;
    trx_policy_destroy(*policy);
    *policy = NULL;
    return status;
}
