// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Creation and destruction of a team: the objects with which each thread rolls out the problem of a plan (theory 7).

#include "trajopt/team.h"

#include "step/reserve.h"

void trxi_team_layout(trxi_arena *arena, const trx_plan_problem *problem, const trxi_rollout *first, int threads,
                      trxi_team *team)
{
    *team = (trxi_team){.size = threads};
    team->members = TRXI_TAKE(arena, trxi_member, threads - 1);
    team->trials = TRXI_TAKE(arena, trxi_trajectory *, threads);
    team->status = TRXI_TAKE(arena, trx_status, first->steps > threads ? first->steps : threads);
    for (int i = 0; i < threads - 1; i++) {
        trxi_member measured = {0}, *member = team->members ? &team->members[i] : &measured;
        trxi_cost_layout(arena, problem, &member->cost);
        trxi_trajectory_layout(arena, first->nstate, first->nu, first->steps, &member->trajectory);
        member->rollout = *first;
        member->rollout.change = TRXI_TAKE(arena, double, first->nu + first->nx);
        member->rollout.v_start = TRXI_TAKE(arena, double, first->model->nv);
        member->rollout.l_xx = TRXI_TAKE(arena, double, first->nx * first->nx);
    }
}

static trx_status start_member(trx_context *context, const trx_plan_problem *problem, const trx_sim_settings *settings,
                               const trxi_rollout *first, trxi_member *member)
{
    trx_context_settings own = trx_context_settings_default();
    own.allocator = *trxi_allocator(context);
    trx_status status = trx_context_create(&own, &member->context);
    if (status >= 0) status = trx_sim_create(member->context, first->model, settings, &member->sim);
    if (status >= 0) status = trxi_sim_reserve_derivatives(member->sim);
    if (status < 0) return trxi_fail(context, status, "no simulator for a further thread");
    trxi_cost_fill(problem, &member->cost);
    member->cost.limits = first->cost->limits;
    double *change = member->rollout.change, *v_start = member->rollout.v_start, *l_xx = member->rollout.l_xx;
    member->rollout = *first;
    member->rollout.dynamics = trxi_dynamics_of_sim(member->sim);
    member->rollout.cost = &member->cost;
    member->cost.dynamics = &member->rollout.dynamics;
    member->rollout.team = NULL;
    member->rollout.change = change;
    member->rollout.v_start = v_start;
    member->rollout.l_xx = l_xx;
    return TRX_OK;
}

trx_status trxi_team_start(trx_context *context, const trx_plan_problem *problem, const trx_sim_settings *settings,
                           const trxi_rollout *first, trxi_team *team)
{
    trx_status status = TRX_OK;
    for (int i = 0; i < team->size - 1 && status >= 0; i++) {
        status = start_member(context, problem, settings, first, &team->members[i]);
        team->trials[i + 1] = &team->members[i].trajectory;
    }
    if (team->size == 1 || status < 0) return status;
    return trxi_workers_create(context, team->size, &team->workers);
}

void trxi_team_stop(trxi_team *team)
{
    trxi_workers_destroy(team->workers);
    for (int i = 0; team->members && i < team->size - 1; i++) {
        trx_sim_destroy(team->members[i].sim);
        trx_context_destroy(team->members[i].context);
    }
}
