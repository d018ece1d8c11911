// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A state on disk, from which a simulation continues with the same bits: an NPZ archive of doubles,
//
//     x            nstate numbers, as they are
//     step         number of the step that begins at x; its time is the number times time_step
//     time_step    [s]
//     model        32 bytes, one a number: SHA-256 of the names of all coordinates, velocities and controls in order
//     problem      32 bytes: SHA-256 of the problem file's text
//
// A state fits if model and time step match. The problem's text may differ, because the user may have changed it on
// purpose.

#include "report/run.h"

#include "formats/npz.h"
#include "formats/sha256.h"
#include "model/model.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HASH = 32 };

// one line per name
static void append_names(const trx_model *model, const char *(*name)(const trx_model *, int), int count, trxi_text *out)
{
    for (int i = 0; i < count; i++) {
        trxi_text_string(out, name(model, i));
        trxi_text_char(out, '\n');
    }
    trxi_text_char(out, '\n');
}

// bytes of a hash given as hexadecimal digits, one number per byte
static void hash_numbers(const char digits[2 * HASH + 1], double numbers[HASH])
{
    for (int i = 0; i < HASH; i++) {
        const char byte[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        numbers[i] = (double)strtol(byte, NULL, 16);
    }
}

static trx_status hash_model(const trx_run *run, double numbers[HASH])
{
    char digits[2 * HASH + 1];
    trxi_text names = trxi_text_create(run->context);
    append_names(run->model, trx_model_q_name, run->size.nq, &names);
    append_names(run->model, trx_model_v_name, run->size.nv, &names);
    if (run->size.na > 0) append_names(run->model, trxi_model_activation_name, run->size.na, &names);
    append_names(run->model, trx_model_actuator_name, run->size.nu, &names);
    trx_status status = names.status;
    if (status >= 0) trxi_sha256(trxi_text_get(&names), names.length, digits);
    if (status >= 0) hash_numbers(digits, numbers);
    trxi_text_destroy(&names);
    return status;
}

trx_status trxi_state_write(trx_run *run, const trxi_file_ops *ops, const char *path, int step, const double *x)
{
    double model[HASH], problem[HASH], number = step, time_step = trx_problem_sim_settings(run->problem).time_step;
    trx_status status = hash_model(run, model);
    if (status < 0) return status;
    hash_numbers(trx_problem_sha256(run->problem), problem);

    trxi_text text = trxi_text_create(run->context);
    trxi_npz npz = trxi_npz_create(&text);
    trxi_npz_add(&npz, "x", 1, (const int[]){run->size.nstate}, x);
    trxi_npz_add(&npz, "step", 0, NULL, &number);
    trxi_npz_add(&npz, "time_step", 0, NULL, &time_step);
    trxi_npz_add(&npz, "model", 1, (const int[]){HASH}, model);
    trxi_npz_add(&npz, "problem", 1, (const int[]){HASH}, problem);
    status = trxi_npz_finish(&npz);
    if (status >= 0) status = trxi_file_replace_with(run->context, ops, path, trxi_text_get(&text), text.length);
    trxi_text_destroy(&text);
    return status;
}

trx_status trx_run_write_state(trx_run *run, const char *path, int step, const double *x)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    if (!path || !x || step < 0)
        return trxi_fail(run->context, TRX_ERR_ARGUMENT, "a state is written to a path, from x, at a step >= 0");
    trxi_file_ops ops = trxi_file_ops_system();
    return trxi_state_write(run, &ops, path, step, x);
}

// the numbers of an array with `count` numbers; NULL (recorded) when it is missing
static const double *demand(trx_context *context, const trxi_npz_archive *archive, const char *path, const char *name,
                            int count)
{
    const trxi_npz_array *array = trxi_npz_find(archive, name);
    if (array && (count == 1 ? array->dims == 0 : array->dims == 1 && array->shape[0] == count)) return array->data;
    trxi_error_at(context, (trx_source){path, 0, 0},
                  "no array %s of %d: not a state of a simulation; write one with sim --save", name, count);
    return NULL;
}

static trx_status check(trx_run *run, const char *path, const double *model, double step, double time_step)
{
    trx_source source = {path, 0, 0};
    double expected[HASH], wanted = trx_problem_sim_settings(run->problem).time_step;
    trx_status status = hash_model(run, expected);
    if (status < 0) return status;
    if (memcmp(model, expected, sizeof expected) != 0)
        return trxi_error_at(run->context, source,
                             "a state of another model, whose coordinates or controls have other names: restore it with "
                             "the problem that saved it");
    if (time_step != wanted)
        return trxi_error_at(run->context, source, "saved at time step %.9g s, but the problem's is %.9g s", time_step,
                             wanted);
    if (!(step >= 0) || step > INT_MAX || step != floor(step))
        return trxi_error_at(run->context, source, "its step is not a whole number >= 0");
    return TRX_OK;
}

static trx_status read_state(trx_run *run, trxi_pool *pool, const char *path, int *step, double *x, bool *same_problem)
{
    static const char *const wanted[] = {"x", "step", "time_step", "model", "problem", NULL};
    trxi_npz_archive archive;
    trx_context *context = run->context;
    trx_status status = trxi_npz_read(context, pool, path, wanted, &archive);
    if (status < 0) return status;

    // checks the model first, because another model has another number of coordinates
    const double *model = demand(context, &archive, path, "model", HASH);
    const double *problem = demand(context, &archive, path, "problem", HASH);
    const double *number = demand(context, &archive, path, "step", 1);
    const double *time_step = demand(context, &archive, path, "time_step", 1);
    if (!model || !problem || !number || !time_step) return TRX_ERR_INPUT;
    if ((status = check(run, path, model, *number, *time_step)) < 0) return status;
    int nx = run->size.nstate;
    const trxi_npz_array *state = trxi_npz_find(&archive, "x");
    bool fits = state && state->dims == 1 && state->shape[0] == nx;
    for (int i = 0; fits && i < nx; i++) fits = isfinite(state->data[i]);
    if (!fits) return trxi_error_at(context, (trx_source){path, 0, 0}, "its x is not %d finite numbers", nx);

    double expected[HASH];
    hash_numbers(trx_problem_sha256(run->problem), expected);
    if (same_problem) *same_problem = memcmp(problem, expected, sizeof expected) == 0;
    memcpy(x, state->data, sizeof *x * (size_t)nx);
    *step = (int)*number;
    return TRX_OK;
}

trx_status trx_run_read_state(trx_run *run, const char *path, int *step, double *x, bool *same_problem)
{
    if (!run) return TRX_ERR_ARGUMENT;
    trxi_begin(run->context);
    if (!path || !step || !x)
        return trxi_fail(run->context, TRX_ERR_ARGUMENT, "a state is read from a path, into a step and x");
    trxi_pool *pool = trxi_pool_create(run->context);
    if (!pool) return TRX_ERR_MEMORY;
    trx_status status = read_state(run, pool, path, step, x, same_problem);
    trxi_pool_destroy(pool);
    return status;
}
