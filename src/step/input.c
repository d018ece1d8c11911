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
                               .exact_springs = model->exact_springs};
}

void trxi_input_use_settings(trxi_input *in, const trx_sim_settings *settings)
{
    const double named[] = {[TRX_SYMPLECTIC] = 1, [TRX_IMPLICIT] = 1, [TRX_MIDPOINT] = 0.5};
    const bool free = settings->scheme == TRX_THETA;
    in->settings = *settings;
    in->contact_model = trxi_contact_model_of(settings->contact_model);
    in->law = law_settings(settings, in->contact_model);
    in->two_stage = settings->scheme != TRX_SYMPLECTIC;
    in->th = free ? settings->theta : named[settings->scheme];
    in->th_vq = free ? settings->theta_vq : named[settings->scheme];
}

bool trxi_input_has_slopes(const trxi_input *in)
{
    const trx_contact_solver solver = in->settings.contact_solver;
    return in->contact_model->symmetric && (solver == TRX_SOLVER_USUAL || solver == TRX_SOLVER_NEWTON);
}

trxi_solver_settings trxi_input_solver(const trxi_input *in, double tolerance)
{
    const trx_sim_settings *s = &in->settings;
    return (trxi_solver_settings){.tolerance = tolerance,
                                  .max_iterations = s->max_iterations,
                                  .backtracking = s->line_search == TRX_LINE_SEARCH_BACKTRACKING,
                                  .max_sweeps = s->max_sweeps,
                                  .relaxation = s->relaxation,
                                  .solve = trxi_contact_model_solver(s->contact_model, s->contact_solver)};
}
