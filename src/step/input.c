// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Settings of a simulator as numbers of its scheme, its laws and its solver (theory 2); see input.h.

#include "step/input.h"

static trxi_law_settings law_settings(const trx_sim_settings *set, const trxi_contact_model *model)
{
    return (trxi_law_settings){.dt = set->time_step,
                               .regularization = set->friction_regularization,
                               .near_rigid = set->near_rigid,
                               .stiction_tolerance = set->stiction_tolerance,
                               .joint_stiction_tolerance = set->joint_stiction_tolerance,
                               .compliance = set->compliance,
                               .kappa = set->kappa,
                               .sides = set->sides,
                               .exact_springs = model->exact_springs};
}

static trxi_solver_settings solver_settings(const trx_sim_settings *set)
{
    return (trxi_solver_settings){.tolerance = set->tolerance,
                                  .max_iterations = set->max_iterations,
                                  .backtracking = set->line_search == TRX_LINE_SEARCH_BACKTRACKING,
                                  .max_sweeps = set->max_sweeps,
                                  .relaxation = set->relaxation,
                                  .methods = trxi_contact_model_methods(set->contact_model, set->contact_solver)};
}

void trxi_input_use_settings(trxi_input *in, const trx_sim_settings *settings)
{
    const double named[] = {[TRX_SYMPLECTIC] = 1, [TRX_IMPLICIT] = 1, [TRX_MIDPOINT] = 0.5};
    const bool free = settings->scheme == TRX_THETA;
    in->settings = *settings;
    in->contact_model = trxi_contact_model_of(settings->contact_model);
    in->law = law_settings(settings, in->contact_model);
    in->solver = solver_settings(settings);
    in->two_stage = settings->scheme != TRX_SYMPLECTIC;
    in->th = free ? settings->theta : named[settings->scheme];
    in->th_vq = free ? settings->theta_vq : named[settings->scheme];
}
