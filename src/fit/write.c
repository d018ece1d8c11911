// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The summary of an identification, its short tables, and its values as a section of a problem (theory 10, docs/run_folder.md); see
// write.h.

#include "fit/write.h"

#include "base/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/version.h>

// ---- summary.json ----

static const char *status_word(trx_status status)
{
    switch (status) {
    case TRX_OK: return "converged";
    case TRX_STALLED: return "stalled";
    case TRX_ITERATION_LIMIT: return "iteration_limit";
    case TRX_INTERRUPTED: return "interrupted";
    case TRX_PROCESS_LOST: return "solver_lost";
    default: return "failed";
    }
}

static void write_parameters(trxi_json *json, const trx_fit *fit)
{
    trxi_json_key(json, "parameters");
    trxi_json_begin_array(json);
    for (int i = 0; i < fit->info.nparameter; i++) {
        const trx_fit_estimate e = trx_fit_get_estimate(fit, i);
        trxi_json_begin_object(json);
        trxi_json_put_string(json, "name", e.name);
        if (e.session) trxi_json_put_string(json, "session", e.session);
        trxi_json_put_string(json, "verdict", trx_fit_verdict_name(e.verdict));
        trxi_json_put_number(json, "start", e.start);
        trxi_json_put_number(json, "value", e.verdict == TRX_FIT_UNDETERMINED ? NAN : e.value);
        trxi_json_put_number(json, "sd", e.sd);
        trxi_json_put_number(json, "sd_robust", e.sd_robust);
        trxi_json_put_number(json, "low", e.low);
        trxi_json_put_number(json, "high", e.high);
        trxi_json_put_number(json, "half_step", e.halved);
        if (e.same_as >= 0) trxi_json_put_string(json, "same_as", trx_fit_get_estimate(fit, e.same_as).name);
        trxi_json_end_object(json);
    }
    trxi_json_end_array(json);
}

static void put_values(trxi_json *json, const char *name, const double *values, int count)
{
    trxi_json_key(json, name);
    trxi_json_begin_array(json);
    for (int i = 0; i < count; i++) trxi_json_number(json, values[i]);
    trxi_json_end_array(json);
}

static void write_starts(trxi_json *json, const trx_fit *fit)
{
    trxi_json_key(json, "starts");
    trxi_json_begin_array(json);
    for (int i = 0; i < fit->info.nstart; i++) {
        const trx_fit_start s = trx_fit_get_start(fit, i);
        trxi_json_begin_object(json);
        trxi_json_put_string(json, "status", status_word(s.status));
        trxi_json_put_bool(json, "best", i == fit->info.best_start);
        trxi_json_put_number(json, "objective", isfinite(s.cost) ? s.objective : NAN);
        trxi_json_put_number(json, "cost", isfinite(s.cost) ? s.cost : NAN);
        trxi_json_put_int(json, "iterations", s.iterations);
        put_values(json, "from", s.from, fit->info.nparameter);
        put_values(json, "to", s.to, fit->info.nparameter);
        trxi_json_end_object(json);
    }
    trxi_json_end_array(json);
}

// of shared parameters
static void write_correlations(trxi_json *json, const trx_fit *fit)
{
    trxi_json_key(json, "correlations");
    trxi_json_begin_array(json);
    for (int i = 0; i < fit->info.nparameter; i++) {
        if (trx_fit_get_estimate(fit, i).session) continue;
        trxi_json_begin_array(json);
        for (int j = 0; j < fit->info.nparameter; j++)
            if (!trx_fit_get_estimate(fit, j).session) trxi_json_number(json, trx_fit_correlation(fit, i, j));
        trxi_json_end_array(json);
    }
    trxi_json_end_array(json);
}

static void write_profiles(trxi_json *json, const trx_fit *fit)
{
    trxi_json_key(json, "profiles");
    trxi_json_begin_array(json);
    for (int i = 0; i < fit->info.nprofile; i++) {
        const trx_fit_profile p = trx_fit_get_profile(fit, i);
        trxi_json_begin_object(json);
        trxi_json_put_string(json, "name", trx_fit_get_estimate(fit, p.estimate).name);
        trxi_json_put_number(json, "low", p.low);
        trxi_json_put_number(json, "high", p.high);
        trxi_json_put_number(json, "bound", p.bound);
        trxi_json_put_numbers(json, "values", p.values, p.count);
        trxi_json_put_numbers(json, "rises", p.rises, p.count);
        trxi_json_put_string(json, "verdict", p.verdict);
        trxi_json_end_object(json);
    }
    trxi_json_end_array(json);
}

static void write_groups(trxi_json *json, const trx_fit *fit)
{
    trxi_json_key(json, "residuals");
    trxi_json_begin_array(json);
    for (int i = 0; i < fit->info.ngroup; i++) {
        const trx_fit_group_info g = trx_fit_get_group(fit, i);
        if (fit->problem.groups[i].ignored) continue;
        trxi_json_begin_object(json);
        trxi_json_put_string(json, "of", g.name);
        trxi_json_put_number(json, "noise", g.noise);
        trxi_json_put_bool(json, "estimated", g.estimated);
        trxi_json_put_number(json, "rms", g.rms);
        trxi_json_put_number(json, "rms_held_out", g.rms_held);
        trxi_json_put_number(json, "autocorrelation", g.autocorrelation);
        trxi_json_put_number(json, "count", (double)g.count);
        trxi_json_end_object(json);
    }
    trxi_json_end_array(json);
}

static void write_channels(trxi_json *json, const trx_fit *fit)
{
    trxi_json_key(json, "channels");
    trxi_json_begin_array(json);
    for (int i = 0; i < fit->info.nresidual; i++) {
        const trx_fit_residual_info r = trx_fit_get_residual(fit, i);
        trxi_json_begin_object(json);
        trxi_json_put_string(json, "name", r.name);
        trxi_json_put_string(json, "of", fit->problem.groups[r.group].name);
        trxi_json_put_number(json, "count", (double)r.count);
        trxi_json_put_number(json, "noise", fit->noise[r.group]);
        trxi_json_put_number(json, "mean", r.mean);
        trxi_json_put_number(json, "rms", r.rms);
        trxi_json_put_number(json, "rms_held_out", r.rms_held);
        trxi_json_put_numbers(json, "autocorrelation", r.autocorrelation, TRX_FIT_LAGS);
        trxi_json_put_number(json, "band", r.band);
        if (r.whiteness != TRX_FIT_TOO_FEW) trxi_json_put_bool(json, "white", r.whiteness == TRX_FIT_WHITE);
        trxi_json_put_string(json, "verdict", r.verdict);
        trxi_json_end_object(json);
    }
    trxi_json_end_array(json);
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// sorts the finite numbers and puts their mean and median
static void put_mean(trxi_json *json, const char *name, double *numbers, int count)
{
    double sum = 0;
    qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
    for (int i = 0; i < count; i++) sum += numbers[i];
    const double median = count == 0 ? NAN : 0.5 * (numbers[(count - 1) / 2] + numbers[count / 2]);
    trxi_json_key(json, name);
    trxi_json_begin_object(json);
    trxi_json_put_number(json, "mean", count > 0 ? sum / count : NAN);
    trxi_json_put_number(json, "median", median);
    trxi_json_end_object(json);
}

typedef double (*error_of)(const trx_fit_recording_info *r);
static double position(const trx_fit_recording_info *r) { return r->position; }
static double rotation(const trx_fit_recording_info *r) { return r->rotation; }
static double guess_position(const trx_fit_recording_info *r) { return r->guess_position; }
static double guess_rotation(const trx_fit_recording_info *r) { return r->guess_rotation; }
static double early_position(const trx_fit_recording_info *r) { return r->early_position; }
static double early_rotation(const trx_fit_recording_info *r) { return r->early_rotation; }

static trx_status write_rollouts(trxi_json *json, trx_fit *fit, const char *name, const trx_fit_recording_info *list, bool held_out)
{
    enum { ERRORS = 6 };
    static const error_of errors[ERRORS] = {position, rotation, guess_position, guess_rotation, early_position, early_rotation};
    static const char *const names[ERRORS] = {"position", "rotation", "guess_position", "guess_rotation", "early_position",
                                              "early_rotation"};
    double *numbers = TRXI_POOL(fit->pool, double, fit->info.nrecording + 1);
    if (!numbers) return TRX_ERR_MEMORY;
    int recordings = 0;
    for (int i = 0; i < fit->info.nrecording; i++) recordings += list[i].held_out == held_out;
    trxi_json_key(json, name);
    trxi_json_begin_object(json);
    trxi_json_put_int(json, "recordings", recordings);
    for (int k = 0; k < ERRORS; k++) {
        int count = 0;
        for (int i = 0; i < fit->info.nrecording; i++)
            if (list[i].held_out == held_out && isfinite(errors[k](&list[i]))) numbers[count++] = errors[k](&list[i]);
        put_mean(json, names[k], numbers, count);
    }
    trxi_json_end_object(json);
    return TRX_OK;
}

static trx_status write_folds(trxi_json *json, trx_fit *fit)
{
    const trx_status status = write_rollouts(json, fit, "cross_validated", fit->validated, true);
    trxi_json_key(json, "folds");
    trxi_json_begin_array(json);
    for (int e = 0; e < fit->info.nparameter; e++) {
        trxi_json_begin_object(json);
        trxi_json_put_string(json, "name", trx_fit_get_estimate(fit, e).name);
        trxi_json_put_number(json, "sd", trx_fit_fold_deviation(fit, e));
        trxi_json_key(json, "values");
        trxi_json_begin_array(json);
        for (int k = 0; k < fit->info.folds; k++) trxi_json_number(json, trx_fit_fold_value(fit, e, k));
        trxi_json_end_array(json);
        trxi_json_end_object(json);
    }
    trxi_json_end_array(json);
    return status;
}

trx_status trxi_fit_write_summary(trx_fit *fit, trxi_text *out)
{
    const trx_fit_info info = fit->info;
    trxi_json json = trxi_json_create(out, 2);
    trxi_json_begin_object(&json);
    trxi_json_put_string(&json, "status", status_word(info.status));
    trxi_json_put_number(&json, "objective", info.objective);
    trxi_json_put_int(&json, "iterations", info.iterations);
    trxi_json_put_int(&json, "rounds", info.rounds);
    trxi_json_put_int(&json, "windows", info.windows);
    trxi_json_put_number(&json, "samples", (double)info.residuals);
    write_parameters(&json, fit);
    write_starts(&json, fit);
    write_correlations(&json, fit);
    trxi_json_key(&json, "not_determined");
    trxi_json_begin_array(&json);
    for (int i = 0; i < info.ndirection; i++) trxi_json_string(&json, fit->directions[i]);
    trxi_json_end_array(&json);
    if (info.solver_note) trxi_json_put_string(&json, "solver", info.solver_note);
    if (info.step_verdict) trxi_json_put_string(&json, "time_step", info.step_verdict);
    trxi_json_put_number(&json, "roughness", info.roughness);
    if (info.rough_verdict) trxi_json_put_string(&json, "rough", info.rough_verdict);
    write_profiles(&json, fit);
    write_groups(&json, fit);
    write_channels(&json, fit);
    trx_status status = write_rollouts(&json, fit, "fitted", fit->recordings, false);
    if (status >= 0) status = write_rollouts(&json, fit, "held_out", fit->recordings, true);
    if (status >= 0 && info.folds > 0) status = write_folds(&json, fit);
    trxi_json_put_number(&json, "seconds", info.seconds);
    trxi_json_key(&json, "versions");
    trxi_json_begin_object(&json);
    trxi_json_put_string(&json, "tractrix", trx_version());
    trxi_json_end_object(&json);
    trxi_json_end_object(&json);
    trxi_text_char(out, '\n');
    return status;
}

// ---- tables ----

static trx_status write_estimates(trx_fit *fit, trxi_text *out)
{
    trxi_text_string(out, "name,verdict,start,value,sd,sd_robust,low,high,half_step\n");
    for (int i = 0; i < fit->info.nparameter; i++) {
        const trx_fit_estimate e = trx_fit_get_estimate(fit, i);
        trxi_text_quoted(out, e.name);
        trxi_text_printf(out, ",%s", trx_fit_verdict_name(e.verdict));
        trxi_fit_put_cell(out, e.start);
        trxi_fit_put_cell(out, e.verdict == TRX_FIT_UNDETERMINED ? NAN : e.value);
        trxi_fit_put_cell(out, e.sd);
        trxi_fit_put_cell(out, e.sd_robust);
        trxi_fit_put_cell(out, e.low);
        trxi_fit_put_cell(out, e.high);
        trxi_fit_put_cell(out, e.halved);
        trxi_text_char(out, '\n');
    }
    return TRX_OK;
}

static trx_status write_recordings(trx_fit *fit, trxi_text *out)
{
    trxi_text_string(out, "recording,held_out,rows,status,position,rotation,guess_position,guess_rotation,early_position,"
                          "early_rotation\n");
    for (int i = 0; i < fit->info.nrecording; i++) {
        const trx_fit_recording_info *r = &fit->recordings[i];
        trxi_text_quoted(out, r->name);
        trxi_text_printf(out, ",%d,%d,%d", r->held_out, r->rows, (int)r->status);
        trxi_fit_put_cell(out, r->position);
        trxi_fit_put_cell(out, r->rotation);
        trxi_fit_put_cell(out, r->guess_position);
        trxi_fit_put_cell(out, r->guess_rotation);
        trxi_fit_put_cell(out, r->early_position);
        trxi_fit_put_cell(out, r->early_rotation);
        trxi_text_char(out, '\n');
    }
    return TRX_OK;
}

static trx_status write_iterations(trx_fit *fit, trxi_text *out)
{
    trxi_text_string(out, "round,iteration,objective,damping,step,accepted,start\n");
    for (int i = 0; i < fit->nrow; i++) {
        const trx_fit_iteration *r = &fit->rows[i];
        trxi_text_printf(out, "%d,%d", r->round, r->iteration);
        trxi_fit_put_cell(out, r->objective);
        trxi_fit_put_cell(out, r->damping);
        trxi_fit_put_cell(out, r->step);
        trxi_text_printf(out, ",%d,%d\n", r->accepted, r->start);
    }
    return TRX_OK;
}

// ---- fitted.yaml ----

// why a value is no value of the model; NULL: it is a value of the model
static const char *not_of_model(const trx_fit *fit, const trx_fit_estimate *e)
{
    if (fit->problem.parameters[e->parameter].body_number > 0) return NULL; // an inertia is known as a whole
    if (e->verdict == TRX_FIT_UNDETERMINED) return "not determined by the recordings";
    if (fit->problem.parameters[e->parameter].signal) return "of the recordings, not of the model";
    return e->session ? "of one session alone" : NULL;
}

static trx_status write_values(trx_fit *fit, trxi_text *out)
{
    int written = 0;
    for (int i = 0; i < fit->info.nparameter; i++) {
        const trx_fit_estimate e = trx_fit_get_estimate(fit, i);
        written += !not_of_model(fit, &e);
    }
    trxi_text_string(out, written > 0 ? "# values of tractrix fit, for --with\nparameters:\n"
                                      : "# the recordings of tractrix fit determine no parameter of the model\nparameters: {}\n");
    for (int i = 0; i < fit->info.nparameter; i++) {
        const trx_fit_estimate e = trx_fit_get_estimate(fit, i);
        const char *reason = not_of_model(fit, &e);
        if (reason && e.verdict == TRX_FIT_UNDETERMINED) {
            trxi_text_printf(out, "  # \"%s\": %s\n", e.name, reason);
        } else if (reason) {
            trxi_text_printf(out, "  # %s: \"%s\": %.9g\n", reason, e.name, e.value);
        } else {
            trxi_text_printf(out, "  \"%s\": ", e.name);
            trxi_text_number(out, e.value);
            trxi_text_string(out, e.verdict == TRX_FIT_UNDETERMINED ? " # with the other nine; not determined alone\n" : "\n");
        }
    }
    return TRX_OK;
}

// ---- files of a folder ----

static trx_status put(trx_fit *fit, trxi_folder *folder, const char *name, trx_status (*write)(trx_fit *fit, trxi_text *out))
{
    trxi_text text = trxi_text_create(fit->context);
    trx_status status = write(fit, &text);
    if (status >= 0) status = text.status;
    if (status >= 0) status = trxi_folder_put(folder, name, trxi_text_get(&text), text.length);
    trxi_text_destroy(&text);
    return status;
}

trx_status trxi_fit_put_tables(trx_fit *fit, trxi_folder *folder)
{
    trx_status status = put(fit, folder, "parameters.csv", write_estimates);
    if (status >= 0) status = put(fit, folder, "recordings.csv", write_recordings);
    if (status >= 0) status = put(fit, folder, "iterations.csv", write_iterations);
    if (status >= 0) status = put(fit, folder, "residuals.csv", trxi_fit_write_residuals);
    if (status >= 0 && fit->info.nprofile > 0) status = put(fit, folder, "profiles.csv", trxi_fit_write_profiles);
    if (status >= 0) status = trxi_fit_put_predictions(fit, folder);
    return status < 0 ? status : put(fit, folder, "fitted.yaml", write_values);
}
