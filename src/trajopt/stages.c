// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The continuation (theory 8): a stage is a contact law for some pairs and a stiction tolerance for all. Only the
// simulator's copy of the laws changes; the model stays what it is.

#include "trajopt/plan.h"

#include "model/model.h"

#include <math.h>

trx_stage trx_stage_default(void)
{
    return (trx_stage){
        .approximation = -1,
        .force_law = -1,
        .smoothing = NAN,
        .stiffness = NAN,
        .dissipation = NAN,
        .relaxation_time = NAN,
        .friction = NAN,
        .stiction_tolerance = NAN,
        .iterations = -1,
        .tolerance = NAN,
    };
}

static void replace(double value, double *field)
{
    if (!isnan(value)) *field = value;
}

// the model's law of a pair with the values of a stage in its place
static trx_pair_law stage_law(const trx_stage *stage, trx_pair_law law)
{
    if (stage->approximation >= 0) law.approximation = (trx_approximation)stage->approximation;
    if (stage->force_law >= 0) law.force_law = (trx_force_law)stage->force_law;
    replace(stage->smoothing, &law.smoothing);
    replace(stage->stiffness, &law.stiffness);
    replace(stage->dissipation, &law.dissipation);
    replace(stage->relaxation_time, &law.relaxation_time);
    replace(stage->friction, &law.friction);
    return law;
}

trx_status trxi_stage_apply(const trx_plan *plan, const trx_stage *stage)
{
    trx_sim_settings settings = plan->sim_settings;
    if (!stage->physical) replace(stage->stiction_tolerance, &settings.stiction_tolerance);
    trx_status status = trx_sim_set_settings(plan->sim, &settings);

    for (int i = 0; status >= 0 && i < plan->model->npair; i++) {
        trx_pair_law law = plan->model->pairs[i].law;
        if (!stage->physical && stage->pairs[i]) law = stage_law(stage, law);
        status = trx_sim_set_pair_law(plan->sim, i, &law);
    }
    return status;
}
