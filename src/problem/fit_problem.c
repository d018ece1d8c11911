// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The identification of a loaded file: its recordings are read here, when they are needed.

#include "problem/problem.h"

#include "fit/channel.h"

#include <string.h>

// gives groups of the files their noise, or marks them as ignored, by the names in the section fit
static void set_groups(const trx_problem *problem, trx_fit_group *groups, int count)
{
    const trxi_fit_section *section = &problem->fit;
    for (int i = 0; i < section->nquantity; i++) {
        const trxi_fit_quantity *q = &section->quantities[i];
        int g = 0;
        while (g < count && strcmp(groups[g].name, q->name) != 0) g++;
        if (g == count) {
            trxi_warn_at(problem->context, q->source, "%.100s: no file has columns of this quantity", q->name);
            continue;
        }
        if (q->ignored) groups[g].ignored = true;
        else groups[g].noise = q->noise;
    }
}

// the group or the channel of every signal
static trx_status set_signals(const trx_problem *problem, const trx_fit_problem *fit)
{
    const trxi_fit_section *section = &problem->fit;
    for (int i = 0; i < section->nsignal; i++) {
        const trxi_fit_signal *s = &section->signals[i];
        trx_fit_parameter *parameter = &section->parameters[s->parameter];
        int group = 0, channel = 0;
        while (group < fit->ngroup && strcmp(fit->groups[group].name, s->of) != 0) group++;
        while (channel < fit->nchannel && strcmp(fit->channels[channel].name, s->of) != 0) channel++;
        if (group == fit->ngroup && channel == fit->nchannel)
            return trxi_error_at(problem->context, s->source,
                                 "%.100s: no file has columns of this name: write a quantity or a column", parameter->name);
        parameter->signal_group = group;
        parameter->signal_channel = group < fit->ngroup ? -1 : channel;
    }
    for (int i = 0; i < section->nsignal; i++) {
        const trxi_fit_signal *s = &section->signals[i];
        char flaw[TRXI_SIGNAL_FLAW];
        if (trxi_channel_signal_flaw(fit, s->parameter, flaw)) return trxi_error_at(problem->context, s->source, "%s", flaw);
    }
    return TRX_OK;
}

trx_status trxi_fit_use(const trx_problem *problem, trx_fit_data *data, trx_fit_problem *fit, trx_fit_settings *settings)
{
    const trxi_fit_section *section = &problem->fit;
    *settings = section->settings;
    *fit = (trx_fit_problem){.model = problem->model, .sim = problem->sim, .x0 = problem->start, .parameters = section->parameters,
                             .nparameter = section->nparameter};
    trx_fit_data_use(data, fit);
    set_groups(problem, trx_fit_data_groups(data), fit->ngroup);
    return set_signals(problem, fit);
}

trx_status trx_problem_fit(const trx_problem *problem, trx_fit_data **data, trx_fit_problem *fit, trx_fit_settings *settings)
{
    if (!problem) return TRX_ERR_ARGUMENT;
    trxi_begin(problem->context);
    if (!data || !fit || !settings) return trxi_fail(problem->context, TRX_ERR_ARGUMENT, "no place for the fit");
    *data = NULL;
    const trxi_fit_section *section = &problem->fit;
    if (!section->given) return trxi_error_at(problem->context, problem->root->source,
                                              "the file: missing key \"fit\": a fit needs it");
    if (section->nfile == 0) return trxi_error_at(problem->context, section->source, "fit: no data: write at least one file");
    if (section->nparameter == 0)
        return trxi_error_at(problem->context, section->source, "fit: no parameters: write at least one");
    trx_fit_data *read;
    trx_status status = trx_fit_data_read(problem->context, problem->model, section->files, section->nfile, &read);
    if (status < 0) return status;
    status = trxi_fit_use(problem, read, fit, settings);
    if (status < 0) trx_fit_data_destroy(read);
    else *data = read;
    return status;
}
