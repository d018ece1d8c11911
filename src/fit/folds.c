// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Cross-validation (theory 10). Fold i mod K leaves out the i-th fitted recording. A fold is a fit of its own that starts at the
// estimates of all recordings, inertias of bodies at the model's. A fold predicts the recordings that it left out. With values
// theta_k of the folds,
//
//     sd = sqrt((K - 1)/K sum (theta_k - mean)^2)          the deviation by leaving out (jackknife)
//
// Cost: K fits.

#include "fit/state.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

// passes every iteration of a fold on to the caller's progress
static bool in_fold(const trx_fit_iteration *iteration, void *user)
{
    const trx_fit *fit = user;
    trx_fit_iteration row = *iteration;
    row.round = TRX_FIT_AGAIN;
    return !fit->progress || fit->progress(&row, fit->user);
}

// ties have no start of their own. The ten numbers of a body start at the model's, because their prior is about their start
static bool starts_at_estimate(const trx_fit_parameter *p)
{
    return p->same_as < 0 && p->body_number == 0;
}

// the problem without its held-out recordings, from the estimates
static bool copy_problem(trx_fit *fit, trx_fit_problem *copy, trx_fit_recording **recordings, int **index)
{
    const trx_fit_problem *p = &fit->problem;
    trx_fit_parameter *parameters = TRXI_POOL(fit->pool, trx_fit_parameter, p->nparameter + 1);
    *recordings = TRXI_POOL(fit->pool, trx_fit_recording, p->nrecording);
    *index = TRXI_POOL(fit->pool, int, p->nrecording);
    if (!parameters || !*recordings || !*index) return false;
    memcpy(parameters, p->parameters, sizeof *parameters * (size_t)p->nparameter);
    for (int i = 0; i < p->nparameter; i++) {
        parameters[i].profile = false;
        if (starts_at_estimate(&parameters[i]))
            parameters[i].start = fmin(fmax(fit->values[i], parameters[i].min), parameters[i].max); // bounds round in logarithms
    }
    *copy = *p;
    copy->parameters = parameters;
    copy->recordings = *recordings;
    copy->nrecording = 0;
    for (int i = 0; i < p->nrecording; i++) {
        if (p->recordings[i].held_out) continue;
        (*recordings)[copy->nrecording] = p->recordings[i];
        (*index)[copy->nrecording++] = i;
    }
    return true;
}

static trx_status run_fold(trx_fit *fit, const trx_fit_problem *copy, trx_fit_recording *recordings, const int *index, int fold)
{
    trx_fit_settings settings = fit->settings;
    const int folds = settings.folds;
    trx_fit *made;
    settings.folds = 0;
    settings.starts = 1;
    settings.save = NULL;
    for (int i = 0; i < copy->nrecording; i++) recordings[i].held_out = i % folds == fold;
    const trx_status status = trx_fit_run(fit->context, copy, &settings, in_fold, fit, &made);
    if (status < 0) return status;
    for (int i = fold; i < copy->nrecording; i += folds) fit->validated[index[i]] = trx_fit_get_recording(made, i);
    for (int e = 0; e < fit->info.nparameter; e++) {
        const trx_fit_estimate estimate = trx_fit_get_estimate(made, e);
        const bool known = estimate.verdict != TRX_FIT_UNDETERMINED;
        fit->folded[fold * fit->info.nparameter + e] = known ? estimate.value : NAN;
    }
    trx_fit_destroy(made);
    return status == TRX_INTERRUPTED ? status : TRX_OK;
}

static trx_status run_folds(trx_fit *fit)
{
    const int folds = fit->settings.folds, recordings = fit->problem.nrecording, values = fit->info.nparameter;
    trx_fit_problem copy;
    trx_fit_recording *list;
    int *index;
    fit->validated = TRXI_POOL(fit->pool, trx_fit_recording_info, recordings);
    fit->folded = TRXI_POOL(fit->pool, double, folds * values + 1);
    if (!fit->validated || !fit->folded || !copy_problem(fit, &copy, &list, &index)) return TRX_ERR_MEMORY;
    for (int i = 0; i < recordings; i++)
        fit->validated[i] = (trx_fit_recording_info){.name = fit->problem.recordings[i].name, .position = NAN, .rotation = NAN,
                                                     .guess_position = NAN, .guess_rotation = NAN, .early_position = NAN,
                                                     .early_rotation = NAN};
    for (int i = 0; i < folds * values; i++) fit->folded[i] = NAN;
    trx_status status = TRX_OK;
    for (int fold = 0; fold < folds && status == TRX_OK; fold++) status = run_fold(fit, &copy, list, index, fold);
    if (status >= 0) fit->info.folds = folds;
    return status;
}

trx_status trx_fit_cross_validate(trx_fit *fit)
{
    if (!fit) return TRX_ERR_ARGUMENT;
    trxi_begin(fit->context);
    if (fit->settings.folds == 0 || fit->info.folds > 0) return TRX_OK;
    const double begun = trx_clock();
    const trx_status status = run_folds(fit);
    if (status == TRX_INTERRUPTED) fit->info.status = status;
    fit->info.seconds += trx_clock() - begun;
    return status;
}

// ---- the answer ----

trx_fit_recording_info trx_fit_get_validated(const trx_fit *fit, int recording)
{
    const bool known = fit->info.folds > 0 && recording >= 0 && recording < fit->info.nrecording;
    return known ? fit->validated[recording] : (trx_fit_recording_info){.name = NULL};
}

double trx_fit_fold_value(const trx_fit *fit, int estimate, int fold)
{
    const bool known = fold >= 0 && fold < fit->info.folds && estimate >= 0 && estimate < fit->info.nparameter;
    return known ? fit->folded[fold * fit->info.nparameter + estimate] : NAN;
}

double trx_fit_fold_deviation(const trx_fit *fit, int estimate)
{
    const int folds = fit->info.folds;
    double mean = 0, squares = 0;
    for (int k = 0; k < folds; k++) mean += trx_fit_fold_value(fit, estimate, k) / folds;
    for (int k = 0; k < folds; k++) {
        const double change = trx_fit_fold_value(fit, estimate, k) - mean;
        squares += change * change;
    }
    return folds > 1 ? sqrt((folds - 1.0) / folds * squares) : NAN;
}
