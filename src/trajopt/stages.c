// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The continuation (theory 8): a stage is a contact law for some pairs, and a stiction tolerance and a contact model for all. Only
// the simulator's copy of the laws and settings changes; the model is constant.

#include "trajopt/plan.h"

#include "model/model.h"
#include "model/pair_law.h"

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
        .contact_model = -1,
        .kappa = NAN,
    };
}

trx_stage trxi_stage_physical(void)
{
    trx_stage stage = trx_stage_default();
    stage.physical = true;
    return stage;
}

bool trxi_plan_has_smoothed_stage(const trx_plan *plan)
{
    for (int i = 0; i < plan->nstage; i++)
        if (!plan->stages[i].physical && plan->stages[i].force_law == TRX_SMOOTHED) return true;
    return false;
}

static void replace(double value, double *field)
{
    if (!isnan(value)) *field = value;
}

// applies the values of a stage to the law of a pair; without torsional and rolling friction if the approximation has neither
static trx_pair_law stage_law(const trx_stage *stage, trx_pair_law law)
{
    if (stage->approximation >= 0) law.approximation = (trx_approximation)stage->approximation;
    if (stage->force_law >= 0) law.force_law = (trx_force_law)stage->force_law;
    replace(stage->smoothing, &law.smoothing);
    replace(stage->stiffness, &law.stiffness);
    replace(stage->dissipation, &law.dissipation);
    replace(stage->relaxation_time, &law.relaxation_time);
    replace(stage->friction, &law.friction);
    if (!trxi_approximation_turns(law.approximation)) law.torsional_friction = law.rolling_friction = 0;
    return law;
}

// the law of a pair under a stage. Rigid contact has no torsional and rolling friction. The margin of friction applies to pairs
// with an actuated side only: less friction between a body and its ground would not make a plan safer
static trx_pair_law law_under(const trx_plan *plan, const trx_stage *stage, int pair)
{
    const trxi_pair of_model = trxi_model_pair(plan->model, pair);
    trx_pair_law law = *of_model.law;
    if (!stage->physical && stage->pairs[pair]) law = stage_law(stage, law);
    if (!stage->physical && stage->contact_model > TRX_CONTACT_CONVEX) law.torsional_friction = law.rolling_friction = 0;
    law.friction *= plan->friction[pair];
    if (of_model.actuated) law.friction *= 1 - stage->friction_margin;
    return law;
}

// the settings of the problem with the values of a stage. The solver of the settings is kept only if the contact model stays
static trx_sim_settings settings_under(const trx_plan *plan, const trx_stage *stage)
{
    trx_sim_settings settings = plan->sim_settings;
    if (stage->physical) return settings;
    replace(stage->stiction_tolerance, &settings.stiction_tolerance);
    replace(stage->kappa, &settings.kappa);
    if (stage->contact_model < 0 || stage->contact_model == (int)settings.contact_model) return settings;
    settings.contact_model = (trx_contact_model)stage->contact_model;
    settings.contact_solver = TRX_SOLVER_USUAL;
    return settings;
}

// sets settings, or the law of a pair, in the simulators of all threads
static trx_status set_settings(const trx_plan *plan, const trx_sim_settings *settings)
{
    trx_status status = trx_sim_set_settings(plan->sim, settings);
    for (int i = 0; status >= 0 && i < plan->team.size - 1; i++)
        status = trx_sim_set_settings(plan->team.members[i].sim, settings);
    return status;
}

static trx_status set_law(const trx_plan *plan, int pair, const trx_pair_law *law)
{
    trx_status status = trx_sim_set_pair_law(plan->sim, pair, law);
    for (int i = 0; status >= 0 && i < plan->team.size - 1; i++)
        status = trx_sim_set_pair_law(plan->team.members[i].sim, pair, law);
    return status;
}

trx_status trxi_stage_apply(const trx_plan *plan, const trx_stage *stage)
{
    const trx_sim_settings settings = settings_under(plan, stage);
    trx_status status = set_settings(plan, &settings);

    for (int i = 0; status >= 0 && i < plan->model->npair; i++) {
        trx_pair_law law = law_under(plan, stage, i);
        status = set_law(plan, i, &law);
    }
    return status;
}

trx_status trxi_stage_apply_model(const trx_plan *plan)
{
    const trx_stage physical = trxi_stage_physical();
    return trxi_stage_apply(plan, &physical);
}

// ---- between two stages ----

// positive values that span orders of magnitude are interpolated by their logarithm, all others linearly
static double mix(double a, double b, double t)
{
    return (1 - t) * a + t * b;
}

static double mix_logarithms(double a, double b, double t)
{
    return a > 0 && b > 0 ? exp(mix(log(a), log(b), t)) : mix(a, b, t);
}

// interpolates two laws. The result has the kind of the first law, except at t = 1. Stiffness is not interpolated between laws with
// different units
static trx_pair_law mix_laws(const trx_pair_law *a, const trx_pair_law *b, double t)
{
    trx_pair_law law = *a;
    bool softens = a->force_law == TRX_SMOOTHED && (b->force_law == TRX_HUNT_CROSSLEY || b->force_law == TRX_KELVIN_VOIGT);
    if (a->force_law == b->force_law || softens) law.stiffness = mix_logarithms(a->stiffness, b->stiffness, t);
    if (a->force_law == TRX_SMOOTHED)
        law.smoothing = softens ? (1 - t) * a->smoothing : mix_logarithms(a->smoothing, b->smoothing, t);
    law.dissipation = mix(a->dissipation, b->dissipation, t);
    law.relaxation_time = mix(a->relaxation_time, b->relaxation_time, t);
    law.friction = mix(a->friction, b->friction, t);
    return law;
}

// interpolates two settings, with the contact model of the first
static trx_sim_settings mix_settings(const trx_sim_settings *a, const trx_sim_settings *b, double t)
{
    trx_sim_settings settings = *a;
    settings.stiction_tolerance = mix_logarithms(a->stiction_tolerance, b->stiction_tolerance, t);
    if (a->contact_model == b->contact_model) settings.kappa = mix_logarithms(a->kappa, b->kappa, t);
    return settings;
}

trx_status trxi_stage_apply_between(const trx_plan *plan, const trx_stage *a, const trx_stage *b, double t)
{
    if (!(t < 1)) return trxi_stage_apply(plan, b);
    const trx_sim_settings settings_a = settings_under(plan, a), settings_b = settings_under(plan, b);
    const trx_sim_settings settings = mix_settings(&settings_a, &settings_b, t);
    trx_status status = set_settings(plan, &settings);

    for (int i = 0; status >= 0 && i < plan->model->npair; i++) {
        trx_pair_law law_a = law_under(plan, a, i), law_b = law_under(plan, b, i);
        trx_pair_law law = mix_laws(&law_a, &law_b, t);
        status = set_law(plan, i, &law);
    }
    return status;
}
