// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Queries about the last step: statistics of the solve (theory 5), contact points and their modes (theory 4). Forces
// exist only after a successful step: after a failed step the rows hold an unfinished solve, and after a change of
// settings, laws or parameters an impulse must not be divided by the new time step.

#include "step/sim.h"

#include <float.h>

static int count_limits(const trx_sim *sim)
{
    int count = 0;
    for (int i = 0; i < sim->rows.nscalar; i++) count += sim->rows.scalars[i].law == &trxi_limit;
    return count;
}

// number of contact points; angular blocks do not count
static int count_contacts(const trx_sim *sim)
{
    int count = 0;
    for (int i = 0; i < sim->rows.ncontact; i++) count += !sim->rows.contacts[i].law->angular;
    return count;
}

trx_step_info trx_sim_step_statistics(const trx_sim *sim)
{
    const trxi_solver_stats *stats = &sim->solver.stats;
    return (trx_step_info){
        .contacts = count_contacts(sim),
        .limits = count_limits(sim),
        .scalars = sim->rows.nscalar,
        .iterations = stats->iterations,
        .line_search = stats->line_search,
        .continuation = stats->continuation,
        .islands = stats->islands,
        .largest_island = stats->largest,
        .residual = stats->residual,
        .scale = stats->scale,
        .floor = stats->floor,
    };
}

trx_step_info trx_sim_step_info(const trx_sim *sim)
{
    trx_step_info info = trx_sim_step_statistics(sim);
    if (!sim->stepped) return info; // the laws that the contacts point to may have changed or moved
    info.kink = trxi_step_kink_distance(&sim->in, &sim->smooth, &sim->rows);
    info.branches = trxi_step_branches(&sim->in, &sim->smooth, &sim->rows);
    return info;
}

trx_contact_residual trx_sim_contact_residual(const trx_sim *sim)
{
    if (!sim || !sim->stepped) return (trx_contact_residual){0};
    return trxi_contact_residual(sim->rows.contacts, sim->rows.ncontact, sim->in.settings.time_step);
}

const char *trx_contact_model_name(trx_contact_model model)
{
    const bool known = (int)model >= 0 && (int)model < TRX_CONTACT_MODELS;
    return known ? trxi_contact_model_words[model] : "";
}

const char *trx_contact_solver_name(trx_contact_solver solver)
{
    const bool known = (int)solver >= 0 && (int)solver < TRX_CONTACT_SOLVERS;
    return known ? trxi_contact_solver_words[solver] : "";
}

double trx_sim_condition(trx_sim *sim)
{
    const bool has_hessian = sim && sim->stepped && trxi_input_has_slopes(&sim->in);
    return has_hessian ? trxi_contact_condition(&sim->problem, &sim->solver) : NAN;
}

const char *trx_contact_mode_name(trx_contact_mode mode)
{
    switch (mode) {
    case TRX_CONTACT_OPEN:
        return "open";
    case TRX_CONTACT_STICK:
        return "stick";
    case TRX_CONTACT_SLIP:
        return "slip";
    }
    return "unknown mode";
}

static trx_contact_mode mode_of(const trxi_row_block *c)
{
    if (!(c->at.gamma[2] > 0)) return TRX_CONTACT_OPEN;
    return c->law->sticks(c) ? TRX_CONTACT_STICK : TRX_CONTACT_SLIP;
}

int trx_sim_contacts(trx_sim *sim, const trx_contact **contacts)
{
    const int ncontact = sim->stepped ? sim->rows.ncontact : 0;
    const double dt = sim->in.settings.time_step;
    int count = 0;
    for (int i = 0; i < ncontact; i++) {
        const trxi_row_block *c = &sim->rows.contacts[i];
        const trxi_row *row = &sim->rows.origins[i];
        if (c->law->angular) {
            // the turn block follows its point
            trxi_mulv3(row->F, c->at.gamma, sim->rows.reported[count - 1].moment);
            trxi_scale3(1 / dt, sim->rows.reported[count - 1].moment, sim->rows.reported[count - 1].moment);
            continue;
        }
        trx_contact *out = &sim->rows.reported[count++];
        out->pair = row->pair;
        out->point = row->point;
        out->geom_a = trxi_meeting_of(&sim->rows, row)->geom_a;
        out->geom_b = trxi_meeting_of(&sim->rows, row)->geom_b;
        trxi_copy3(row->p, out->position);
        trxi_copy3(row->F + 6, out->normal);
        out->distance = c->phi0;
        out->v_n = c->at.v_c[2];
        out->v_t = hypot(c->at.v_c[0], c->at.v_c[1]);
        out->f_n = c->at.gamma[2] / dt;
        out->f_t = hypot(c->at.gamma[0], c->at.gamma[1]) / dt;
        trxi_mulv3(row->F, c->at.gamma, out->force);
        trxi_scale3(1 / dt, out->force, out->force);
        trxi_zero3(out->moment);
        out->mode = mode_of(c);
    }
    if (contacts) *contacts = sim->rows.reported;
    return count;
}

double trx_sim_actuator_force(const trx_sim *sim, int actuator)
{
    if (!sim->stepped || actuator < 0 || actuator >= sim->in.model->nu) return 0;
    const trxi_actuator *a = &sim->in.model->actuators[actuator];
    if (!a->drive) return a->gain * sim->in.u[actuator] + a->bias;
    for (int i = 0; i < sim->rows.nscalar; i++)
        if (sim->rows.scalars[i].law == &trxi_drive && sim->rows.scalars[i].index == actuator)
            return sim->rows.scalars[i].at.gamma[0] / sim->in.settings.time_step;
    return 0;
}

double trx_sim_limit_force(const trx_sim *sim, int joint)
{
    double force = 0;
    for (int i = 0; sim->stepped && i < sim->rows.nscalar; i++) {
        const trxi_row_block *row = &sim->rows.scalars[i];
        if (row->law == &trxi_limit && row->index == joint) force += row->J[0] * row->at.gamma[0] / sim->in.settings.time_step;
    }
    return force;
}

trx_status trx_sim_constraint(const trx_sim *sim, int constraint, double *gap, double *force)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    if (constraint < 0 || constraint >= sim->in.model->nconstraint)
        return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "there is no constraint %d", constraint);
    if (!sim->stepped)
        return trxi_fail(sim->in.context, TRX_ERR_NO_STEP, "the rows of a constraint belong to a step: call trx_step first");
    for (int a = 0; a < sim->in.model->constraints[constraint].nrow; a++) {
        if (gap) gap[a] = sim->rows.gaps[6 * constraint + a];
        if (force) force[a] = 0;
    }
    for (int i = 0; i < sim->rows.nscalar; i++) {
        const trxi_row_block *row = &sim->rows.scalars[i];
        const bool of_it = row->law == &trxi_equality ? row->index == constraint
                                                      : row->law == &trxi_limit && row->index == sim->in.model->njoint + constraint;
        if (!of_it) continue;
        if (force) force[row->part] = row->at.gamma[0] / sim->in.settings.time_step;
    }
    return TRX_OK;
}

double trx_sim_momentum_residual(const trx_sim *sim)
{
    const trxi_solver_stats *stats = &sim->solver.stats;
    if (stats->residual <= fmax(stats->floor, DBL_MIN) || !(stats->scale > 0)) return 0;
    return stats->residual / stats->scale;
}
