// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The design of a loaded file: fit.design with the built model. Controls are limited by their actuators or by the file.

#include "problem/problem.h"

#include <math.h>
#include <string.h>

static trx_status wrong_name(const trx_problem *problem, const trxi_design_range *r, const char *what)
{
    return trxi_error_at(problem->context, r->source, "%.100s is no %s of the model", r->name, what);
}

// limits of coordinates and velocities, by their names in trajectory.csv
static trx_status set_limits(const trx_problem *problem, double *low, double *high)
{
    const trxi_design_section *design = &problem->fit.design;
    const trx_model_size size = trx_model_get_size(problem->model);
    for (int i = 0; i < size.nstate; i++) low[i] = -INFINITY, high[i] = INFINITY;
    for (int k = 0; k < design->nlimit; k++) {
        const trxi_design_range *r = &design->limits[k];
        int i = 0;
        while (i < size.nstate && strcmp(trx_model_state_name(problem->model, i), r->name) != 0) i++;
        if (i == size.nstate) return wrong_name(problem, r, "coordinate or velocity");
        low[i] = r->range[0], high[i] = r->range[1];
    }
    return TRX_OK;
}

static trx_status set_controls(const trx_problem *problem, double *lower, double *upper)
{
    const trxi_design_section *design = &problem->fit.design;
    const int nu = trx_model_get_size(problem->model).nu;
    for (int i = 0; i < nu; i++) {
        const trx_actuator_info a = trx_model_actuator(problem->model, i);
        lower[i] = a.lower, upper[i] = a.upper;
    }
    for (int k = 0; k < design->ncontrol; k++) {
        const trxi_design_range *r = &design->controls[k];
        const int i = trx_model_find_actuator(problem->model, r->name);
        if (i < 0) return wrong_name(problem, r, "actuator");
        lower[i] = fmax(lower[i], r->range[0]);
        upper[i] = fmin(upper[i], r->range[1]);
    }
    for (int i = 0; i < nu; i++)
        if (!isfinite(upper[i] - lower[i]))
            return trxi_error_at(problem->context, design->source, "design: u.%.100s has no limits: give them in controls",
                                 trx_model_actuator_name(problem->model, i));
    return TRX_OK;
}

static trx_status set_motion(const trx_problem *problem, trx_fit_motion *motion)
{
    const trx_model_size size = trx_model_get_size(problem->model);
    double *states = TRXI_POOL(problem->pool, double, 2 * size.nstate + 1);
    double *controls = TRXI_POOL(problem->pool, double, 2 * size.nu + 1);
    if (!states || !controls) return TRX_ERR_MEMORY;
    *motion = (trx_fit_motion){.steps = problem->steps, .every = problem->fit.design.every, .low = states,
                               .high = states + size.nstate, .lower = controls, .upper = controls + size.nu};
    const trx_status status = set_limits(problem, states, states + size.nstate);
    return status < 0 ? status : set_controls(problem, controls, controls + size.nu);
}

trx_status trx_problem_fit_design(const trx_problem *problem, trx_fit_data **data, trx_fit_problem *fit,
                                  trx_fit_settings *settings, trx_fit_motion *motion,
                                  trx_fit_design_settings *design_settings)
{
    if (!problem) return TRX_ERR_ARGUMENT;
    trxi_begin(problem->context);
    if (!data || !fit || !settings || !motion || !design_settings)
        return trxi_fail(problem->context, TRX_ERR_ARGUMENT, "no place for the design");
    *data = NULL;
    const trxi_design_section *design = &problem->fit.design;
    if (!design->given)
        return trxi_error_at(problem->context, problem->root->source, "the file: missing key \"fit.design\": a design needs it");
    if (problem->fit.nparameter == 0)
        return trxi_error_at(problem->context, problem->fit.source, "fit: no parameters: write at least one");
    if (problem->steps < 1) return trxi_error_at(problem->context, design->source, "design: no steps: give time.steps");
    *design_settings = design->settings;
    trx_fit_data *named;
    trx_status status = trx_fit_data_name(problem->context, problem->model, design->record, design->nrecord, design->source,
                                          &named);
    if (status < 0) return status;
    status = trxi_fit_use(problem, named, fit, settings);
    if (status >= 0) status = set_motion(problem, motion);
    for (int g = 0; status >= 0 && g < fit->ngroup; g++)
        if (!(fit->groups[g].noise > 0))
            status = trxi_error_at(problem->context, design->source, "design: no noise of %.100s: give it in fit.noise",
                                   fit->groups[g].name);
    if (status < 0) trx_fit_data_destroy(named);
    else *data = named;
    return status;
}
