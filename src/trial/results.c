// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Results of a trial (theory 7, trials): worlds, goals, variations, worst worlds, strongest correlations, quantiles.

#include "trial/state.h"
#include "trial/statistics.h"

#include <math.h>

trx_trial_info trx_trial_get_info(const trx_trial *trial)
{
    return trial->info;
}

trx_trial_settings trx_trial_get_settings(const trx_trial *trial)
{
    return trial->worlds.settings;
}

trx_trial_goal trx_trial_get_goal(const trx_trial *trial, int goal)
{
    return goal >= 0 && goal < trial->ngoal ? trial->goals[goal] : (trx_trial_goal){0};
}

trx_trial_world trx_trial_get_world(const trx_trial *trial, int index)
{
    if (index >= 0 && index < trial->worlds.settings.worlds) return trial->results[index];
    return (trx_trial_world){.status = TRX_ERR_ARGUMENT};
}

trx_trial_variation trx_trial_get_variation(const trx_trial *trial, int variation)
{
    if (variation < 0 || variation >= trial->worlds.count) return (trx_trial_variation){0};
    const trxi_variation *v = &trial->worlds.variations[variation];
    const bool relative = v->what == TRXI_VARIED_PAIR || v->what == TRXI_VARIED_BODY || v->what == TRXI_VARIED_JOINT;
    return (trx_trial_variation){v->name, v->range, relative, trial->correlations[variation]};
}

static double ratio_of(const trx_trial *trial, int world)
{
    return trial->results[world].ratio;
}

static double strength_of(const trx_trial *trial, int variation)
{
    return fabs(trial->correlations[variation]);
}

// inserts `index` into a list that descends by `value`; returns the new length
static int insert(const trx_trial *trial, double (*value)(const trx_trial *, int), int index, int count, int room, int *indices)
{
    int at = count;
    while (at > 0 && value(trial, indices[at - 1]) < value(trial, index)) at--;
    if (at >= room) return count;
    const int last = count < room ? count : room - 1;
    for (int i = last; i > at; i--) indices[i] = indices[i - 1];
    indices[at] = index;
    return last + 1;
}

int trx_trial_worst(const trx_trial *trial, int room, int *indices)
{
    int count = 0;
    for (int i = 0; i < trial->worlds.settings.worlds; i++)
        if (trial->results[i].status != TRX_ERR_NO_STEP) count = insert(trial, ratio_of, i, count, room, indices);
    return count;
}

int trx_trial_strongest(const trx_trial *trial, int room, int *indices)
{
    int count = 0;
    for (int i = 0; i < trial->worlds.count; i++) count = insert(trial, strength_of, i, count, room, indices);
    return count;
}

trx_context *trx_trial_context(const trx_trial *trial)
{
    return trial->context;
}

double trx_trial_quantile(const trx_trial *trial, int goal, double share)
{
    if (goal < 0 || goal >= trial->ngoal || !(share >= 0 && share <= 1)) return NAN;
    int count = 0;
    double *errors = trxi_allocate(trial->context, (size_t)trial->worlds.settings.worlds * sizeof *errors);
    if (!errors) return NAN;
    for (int i = 0; i < trial->worlds.settings.worlds; i++)
        if (trial->results[i].status != TRX_ERR_NO_STEP) errors[count++] = trial->results[i].errors[goal];
    const double quantile = count > 0 ? trxi_quantile(count, errors, share) : NAN;
    trxi_release(trial->context, errors);
    return quantile;
}
