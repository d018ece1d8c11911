// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The saved progress of a solve (theory 8); see formats/journal.h.
//
// The head identifies the solve by a hash of its settings, stages, start and guess, and of the trajectory and the cost of the guess
// under the physical law, which depend on model, law and cost. The plan does not know the file of its problem; the caller compares
// the file.

#include "trajopt/plan.h"

#include <math.h>
#include <string.h>

// ---- the identity of a solve ----

static void visit_stage(trxi_visitor *v, trx_stage *s)
{
    TRXI_VISIT(v, s->physical);
    TRXI_VISIT(v, s->approximation);
    TRXI_VISIT(v, s->force_law);
    TRXI_VISIT(v, s->smoothing);
    TRXI_VISIT(v, s->stiffness);
    TRXI_VISIT(v, s->dissipation);
    TRXI_VISIT(v, s->relaxation_time);
    TRXI_VISIT(v, s->friction);
    TRXI_VISIT(v, s->stiction_tolerance);
    TRXI_VISIT(v, s->iterations);
    TRXI_VISIT(v, s->tolerance);
    TRXI_VISIT(v, s->friction_margin);
    TRXI_VISIT(v, s->contact_model);
    TRXI_VISIT(v, s->kappa);
}

static void visit_settings(trxi_visitor *v, trx_plan *p)
{
    TRXI_VISIT(v, p->settings.iterations);
    TRXI_VISIT(v, p->settings.max_iterations);
    TRXI_VISIT(v, p->settings.tolerance);
    TRXI_VISIT(v, p->settings.method);
    TRXI_VISIT(v, p->settings.judge);
    TRXI_VISIT(v, p->settings.second_try);
    TRXI_VISIT(v, p->settings.lbfgs);
    TRXI_VISIT(v, p->sim_settings.time_step);
    for (int i = 0; i < p->nstage; i++) visit_stage(v, &p->stages[i]);
    trxi_visit(v, p->stage_pairs, (size_t)p->nstage * (size_t)p->model->npair * sizeof *p->stage_pairs);
}

static void visit_inputs(trxi_visitor *v, void *object)
{
    trx_plan *p = object;
    const size_t nstate = (size_t)p->rollout.nstate, steps = (size_t)p->rollout.steps, nu = (size_t)p->rollout.nu;
    visit_settings(v, p);
    trxi_visit_doubles(v, p->rollout.x0, nstate);
    TRXI_VISIT(v, p->rollout.start_time);
    trxi_visit_doubles(v, p->friction, (size_t)p->model->npair);
    trxi_visit_doubles(v, p->rollout.u_lower, nu);
    trxi_visit_doubles(v, p->rollout.u_upper, nu);
    trxi_visit_doubles(v, p->u_guess, nu * steps);
    TRXI_VISIT(v, p->guess_is_warm);
    if (p->guess_is_warm) trxi_visit_doubles(v, p->x_guess, nstate * (steps + 1));
    if (p->guess_is_warm) trxi_visit_doubles(v, p->K_guess, p->work.ocp.gains);
    trxi_limit_set_visit(v, &p->limits);
    trxi_trajectory_visit(v, &p->rollout, p->work.trial);
}

// simulates the guess under the physical law in work.trial; zeros after a failed step
static void simulate_guess(trx_plan *p)
{
    trxi_trajectory *t = p->work.trial;
    memset(t->x, 0, (size_t)p->rollout.nstate * (size_t)(p->rollout.steps + 1) * sizeof(double));
    memcpy(t->u, p->u_guess, p->work.ocp.controls * sizeof(double));
    t->cost = 0;
    if (!p->limits_are_warm) trxi_limit_set_reset(&p->limits);
    if (trxi_stage_apply_model(p) >= 0) trxi_rollout_controls(&p->rollout, false, INFINITY, t, NULL);
}

static trx_status identify(trx_plan *p, char hash[65])
{
    simulate_guess(p);
    return trxi_journal_identify(p->context, visit_inputs, p, hash);
}

// ---- save ----

trx_status trx_plan_save(trx_plan *plan, const void **bytes, size_t *length)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    if (!bytes || !length) return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "the progress is saved to bytes and their length");
    if (!plan->settings.resumable)
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "the plan was created without the setting resumable");
    if (!plan->solve_hash[0]) return trxi_fail(plan->context, TRX_ERR_NO_STEP, "trx_plan_save: no solve has begun");

    trxi_journal_head head = {.what = "plan", .seconds = fmax(plan->used, plan->run.seconds)};
    memcpy(head.inputs, plan->solve_hash, sizeof head.inputs);
    const trx_status status = trxi_journal_pack(&plan->journal, &head, &plan->progress);
    *bytes = plan->progress.data;
    *length = plan->progress.length;
    return status;
}

// ---- restore ----

trx_status trx_plan_restore(trx_plan *plan, const void *bytes, size_t length)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    plan->restored = false;
    if (!plan->settings.resumable)
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "the plan was created without the setting resumable");
    trxi_journal_head head = {.what = "plan"};
    trx_status status = identify(plan, head.inputs);
    if (status >= 0) status = trxi_journal_unpack(plan->context, &plan->journal, bytes, length, TRXI_RECORD_ENDS, &head);
    if (status < 0) return status;
    plan->used = head.seconds;
    plan->restored = true;
    return TRX_OK;
}

double trxi_plan_begin_journal(trx_plan *plan)
{
    const double now = trx_clock();
    if (!plan->settings.resumable) return now;
    if (!plan->restored) {
        trxi_journal_clear(&plan->journal);
        plan->used = 0;
    }
    if (identify(plan, plan->solve_hash) < 0) plan->journal.closed = true;
    plan->restored = false;
    return now - plan->used;
}
