// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Creation and destruction of a simulator, its settings and its contact laws (theory 3). sim.h lists the results of a step.

#include "step/sim.h"

#include "model/pair_law.h"
#include "step/reserve.h"

#include <stdio.h>
#include <string.h>

trx_sim_settings trx_sim_settings_default(void)
{
    return (trx_sim_settings){
        .size = sizeof(trx_sim_settings),
        .time_step = 0.01,
        .stiction_tolerance = 1e-4,
        .tolerance = 1e-6,
        .margin = NAN,
        .max_iterations = 100,
        .near_rigid = 1,
        .friction_regularization = 1e-3,
        .joint_stiction_tolerance = 1e-3,
        .theta = 0.5,
        .theta_vq = 0.5,
        .max_sweeps = 2000,
        .compliance = 1e-8,
        .kappa = 1e-6,
        .sides = 4,
    };
}

static trx_status check_scheme(trx_context *context, const trx_sim_settings *s)
{
    if ((int)s->scheme < 0 || s->scheme > TRX_THETA)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "there is no scheme %d", (int)s->scheme);
    if ((int)s->spin < 0 || s->spin > TRX_SPIN_MOMENTUM)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "there is no spin %d", (int)s->spin);
    bool within = s->theta >= 0 && s->theta <= 1 && s->theta_vq >= 0 && s->theta_vq <= 1;
    if (s->scheme == TRX_THETA && !within)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "theta is %g and theta_vq %g: both must be from 0 to 1", s->theta,
                         s->theta_vq);
    bool middle = s->scheme == TRX_MIDPOINT || (s->scheme == TRX_THETA && s->theta > 0 && s->theta_vq > 0);
    if (s->contact_midpoint && !middle)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "contact_midpoint serves the scheme midpoint, and theta with theta and "
                                                    "theta_vq above 0: in the others contacts act at the end of the step");
    if (s->spin == TRX_SPIN_MOMENTUM && s->scheme != TRX_SYMPLECTIC)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "spin by momentum serves the symplectic scheme: the others solve for "
                                                    "the spin with everything else");
    return TRX_OK;
}

static trx_status check_contact_model(trx_context *context, const trx_sim_settings *s)
{
    if ((int)s->contact_model < 0 || (int)s->contact_model >= TRX_CONTACT_MODELS)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "there is no contact model %d", (int)s->contact_model);
    if (!trx_contact_solver_name(s->contact_solver)[0])
        return trxi_fail(context, TRX_ERR_ARGUMENT, "there is no contact solver %d", (int)s->contact_solver);
    if (!trxi_contact_model_methods(s->contact_model, s->contact_solver))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "the solver %s does not serve the contact model %s",
                         trx_contact_solver_name(s->contact_solver), trx_contact_model_name(s->contact_model));
    const bool beyond = s->contact_solver == TRX_SOLVER_ADMM ? s->relaxation >= 2 : s->relaxation > 1;
    if (!(s->relaxation >= 0) || beyond)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "relaxation is %g: it must be from 0 to 1, for admm below 2",
                         s->relaxation);
    if (s->max_sweeps < 1) return trxi_fail(context, TRX_ERR_ARGUMENT, "max_sweeps must be at least 1");
    if (s->sides < 4 || s->sides > 64 || s->sides % 2)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "sides is %d: it must be even, from 4 to 64", s->sides);
    return TRX_OK;
}

static trx_status check_settings(trx_context *context, const trx_sim_settings *s)
{
    if (!s) return trxi_fail(context, TRX_ERR_ARGUMENT, "no settings given");
    trx_status status = trxi_check_size(context, s->size, sizeof *s, "trx_sim_settings_default");
    if (status < 0) return status;
    const struct {
        const char *name;
        double value;
        bool zero_allowed;
    } fields[] = {{"time_step", s->time_step, false},
                  {"stiction_tolerance", s->stiction_tolerance, false},
                  {"tolerance", s->tolerance, true},
                  {"near_rigid", s->near_rigid, false},
                  {"friction_regularization", s->friction_regularization, false},
                  {"joint_stiction_tolerance", s->joint_stiction_tolerance, false},
                  {"compliance", s->compliance, false},
                  {"kappa", s->kappa, false}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const bool zero = fields[i].zero_allowed;
        if (!(zero ? fields[i].value >= 0 : fields[i].value > 0) || !isfinite(fields[i].value))
            return trxi_fail(context, TRX_ERR_ARGUMENT, "%s is %g: it must be finite and %s", fields[i].name, fields[i].value,
                             zero ? "not negative" : "positive");
    }
    if ((int)s->line_search < 0 || s->line_search > TRX_LINE_SEARCH_BACKTRACKING)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "there is no line search %d", (int)s->line_search);
    if (s->max_iterations < 1) return trxi_fail(context, TRX_ERR_ARGUMENT, "max_iterations must be at least 1");
    if (!isnan(s->margin) && !(s->margin >= 0 && isfinite(s->margin)))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "margin is %g: it must be finite and not negative", s->margin);
    if ((status = check_contact_model(context, s)) < 0) return status;
    return check_scheme(context, s);
}

// the settings may enlarge the reach of laws, never reduce it
static void use_reach(trx_sim *sim)
{
    trxi_pair_laws_set_least_reach(&sim->laws, isnan(sim->in.settings.margin) ? 0 : sim->in.settings.margin);
    trxi_pair_filter_set_reach(&sim->geometry.filter, sim->laws.reach);
}

static void layout(trxi_arena *arena, const trx_model *model, trx_sim *sim)
{
    sim->in.q0 = TRXI_TAKE(arena, double, model->nq);
    sim->in.v0 = TRXI_TAKE(arena, double, model->nv);
    sim->in.u = TRXI_TAKE(arena, double, model->nu);
    trxi_activations_layout(arena, model, &sim->in.activations);
    sim->q1 = TRXI_TAKE(arena, double, model->nq);
    sim->displacement = TRXI_TAKE(arena, double, model->nv);
    sim->v_warm = TRXI_TAKE(arena, double, model->nv);
    trxi_smooth_layout(arena, model, &sim->smooth);
    trxi_geometry_layout(arena, model, &sim->geometry);
    trxi_rows_layout(arena, model, &sim->rows);
    trxi_solver_size solver = {0};
    for (int t = 0; t < model->ntree; t++) trxi_solver_size_add(&solver, model->trees[t].nv);
    trxi_solver_layout(arena, &solver, &sim->solver);
    trxi_derivatives_layout(arena, model, sim->rows.max_cols, &sim->deriv);
}

static trx_status open_pairs(trx_sim *sim)
{
    trx_status status = trxi_pair_laws_open(sim->in.context, sim->in.model, &sim->laws);
    return status < 0 ? status : trxi_pair_filter_open(sim->in.context, &sim->laws.table, &sim->geometry.filter);
}

trx_status trx_sim_create(trx_context *context, const trx_model *model, const trx_sim_settings *settings,
                          trx_sim **sim)
{
    if (!context || !sim) return TRX_ERR_ARGUMENT;
    *sim = NULL;
    if (!model) return trxi_fail(context, TRX_ERR_ARGUMENT, "no model given");
    trx_sim_settings chosen = settings ? *settings : trx_sim_settings_default();
    trx_status status = check_settings(context, &chosen);
    if (status < 0) return status;

    trx_sim measured = {0};
    trxi_arena arena = {0};
    layout(&arena, model, &measured);
    trx_sim *made = trxi_allocate(context, sizeof *made);
    void *block = trxi_allocate(context, arena.used);
    if (!made || !block) {
        trxi_release(context, made);
        trxi_release(context, block);
        return TRX_ERR_MEMORY;
    }

    *made = (trx_sim){.block = block, .in = {.context = context, .model = model, .given = model}};
    trxi_input_use_settings(&made->in, &chosen);
    arena = (trxi_arena){.base = block};
    if ((status = open_pairs(made)) >= 0) {
        layout(&arena, model, made);
        for (int t = 0; t < model->ntree; t++) trxi_solver_add_group(&made->solver, model->trees[t].nv);
        made->solved = (trxi_solved){&made->in,   &made->smooth, &made->geometry,
                                     &made->rows, &made->solver, trxi_coupled(&made->solver)};
        status = trxi_rows_reserve_first(context, model, &made->rows);
    }
    if (status < 0) {
        trx_sim_destroy(made);
        return status;
    }
    trxi_rows_prepare(model, &made->rows);
    use_reach(made);
    trxi_geometry_read(model, &made->geometry);
    *sim = made;
    return TRX_OK;
}

void trx_sim_destroy(trx_sim *sim)
{
    if (!sim) return;
    trx_context *context = sim->in.context;
    trxi_solver_close(&sim->solver);
    trx_model_destroy(sim->own);
    trxi_pair_filter_close(&sim->geometry.filter);
    trxi_pair_laws_close(&sim->laws);
    trxi_release(context, sim->deriv.matrix_block);
    trxi_release(context, sim->rows.point_block);
    trxi_release(context, sim->block);
    trxi_release(context, sim);
}

const trx_model *trx_sim_model(const trx_sim *sim)
{
    return sim->in.model;
}

trx_sim_settings trx_sim_get_settings(const trx_sim *sim)
{
    return sim->in.settings;
}

trx_status trx_sim_set_settings(trx_sim *sim, const trx_sim_settings *settings)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    trx_status status = check_settings(sim->in.context, settings);
    if (status < 0) return status;
    trxi_input_use_settings(&sim->in, settings);
    sim->stepped = false;
    use_reach(sim);
    return TRX_OK;
}

double trx_sim_time(const trx_sim *sim)
{
    return sim->time;
}

trx_status trx_sim_set_time(trx_sim *sim, double time)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    if (!isfinite(time)) return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "the time must be finite");
    sim->time = time;
    return TRX_OK;
}

trx_pair_law trx_sim_pair_law(const trx_sim *sim, int pair)
{
    bool known = pair >= 0 && pair < sim->in.model->npair;
    return known ? *trxi_pair_laws_get(&sim->laws, pair) : (trx_pair_law){.stiffness = 0};
}

trx_status trx_sim_set_pair_law(trx_sim *sim, int pair, const trx_pair_law *law)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    if (pair < 0 || pair >= sim->in.model->npair)
        return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "there is no pair %d", pair);
    if (!law) return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "pair %d: no law given", pair);
    char flaw[TRXI_LAW_FLAW];
    if (!trxi_pair_law_usable(law, flaw)) return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "pair %d: %s", pair, flaw);
    trx_status status = trxi_pair_laws_set(&sim->laws, pair, law);
    if (status < 0) return status;
    sim->stepped = false;
    trxi_pair_filter_set_reach(&sim->geometry.filter, sim->laws.reach);
    return TRX_OK;
}

void trx_sim_warm_start(trx_sim *sim, const double *v)
{
    sim->warm = v != NULL;
    if (v) memcpy(sim->v_warm, v, (size_t)sim->in.model->nv * sizeof *v);
}
