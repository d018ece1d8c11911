// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The diagnosis of a failed plan: one line that names knot and cause (theory 8).
//
// - No control influences the cost of passive coordinates (coordinates of trees without an actuator); reach.h has the causes.
// - Q_uu is not positive definite in spite of the damping: numbers overflow or cancel.
// - No step is acceptable: the knot where a small step departs most from what A and B predict, relative to the
//   motion, and the contact that may switch there.
// - The contact solve failed: the sim's own message.

#include "math/dense.h"
#include "trajopt/goal_results.h"
#include "trajopt/plan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double OFTEN = 1.0 / 3; // share of the knots at a limit above which the message names the limit [1]
// distance that counts as at a limit: a share of the joint's range [1]; without a range, of 1 rad or 1 m
static const double AT_STOP = 0.01;

// appends to the message
static void say(trx_plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(trx_plan *plan, const char *format, ...)
{
    const size_t used = strlen(plan->message);
    va_list list;
    va_start(list, format);
    vsnprintf(plan->message + used, sizeof plan->message - used, format, list);
    va_end(list);
}

static const char *joint_of(const trx_model *model, int dof)
{
    return model->joints[model->links[model->dof_link[dof]].joint].name;
}

// a pair as "A|B"
static void say_pair(trx_plan *plan, int index)
{
    const trxi_pair pair = trxi_model_pair(plan->model, index);
    say(plan, "%s|%s", plan->model->geoms[pair.geom_a].name, plan->model->geoms[pair.geom_b].name);
}

// ---- limits that take room ----

typedef int count_of_knots(const trxi_plan_limit *limit);

// number of knots at which a limit acts
static int knots_acted_on(const trxi_plan_limit *limit)
{
    int count = 0;
    for (int k = limit->first_free; k <= limit->last; k++) {
        const double *y = trxi_limit_multiplier(limit, k);
        bool acts = false;
        for (int i = 0; i < limit->term.dim; i++) acts = acts || y[i] != 0;
        count += acts;
    }
    return count;
}

// number of knots that exceeded a limit before multipliers enforced it
static int knots_exceeded(const trxi_plan_limit *limit)
{
    return limit->most_exceeded;
}

// the limit that counts at the most knots, and this number; NULL if no limit counts at a large share of its knots
static const trxi_plan_limit *frequent_limit(const trx_plan *plan, count_of_knots *count, int *most)
{
    const trxi_plan_limit *worst = NULL;
    *most = 0;
    for (int i = 0; i < plan->limits.count; i++) {
        const int knots = count(&plan->limits.limits[i]);
        if (knots > *most) *most = knots, worst = &plan->limits.limits[i];
    }
    return worst && *most > OFTEN * (worst->last - worst->first + 1) ? worst : NULL;
}

static void say_acting_limit(trx_plan *plan)
{
    int most;
    const trxi_plan_limit *limit = frequent_limit(plan, knots_acted_on, &most);
    if (limit)
        say(plan, "; the limit of %s acts at %d of %d knots: widen it, or take more steps", limit->term.name, most,
            limit->last - limit->first + 1);
}

// names a limit without which the bodies may meet; returns false if there is none
static bool say_exceeded_limit(trx_plan *plan)
{
    int most;
    const trxi_plan_limit *limit = frequent_limit(plan, knots_exceeded, &most);
    if (limit)
        say(plan, "; the motion exceeded the limit of %s at %d of %d knots before it was kept: widen it, or take more steps",
            limit->term.name, most, limit->last - limit->first + 1);
    return limit != NULL;
}

// ---- what no control moves ----

// names the base that no actuator drives
static void say_base(trx_plan *plan, const trxi_reach *reach)
{
    const trx_model *model = plan->model;
    const trxi_pair pair = trxi_model_pair(model, reach->pair);
    const int passive = model->links[model->dof_link[reach->dof]].tree;
    const int link = pair.link_a >= 0 && model->links[pair.link_a].tree == passive ? pair.link_b : pair.link_a;
    const int base = model->links[model->trees[model->links[link].tree].first_link].joint;
    say(plan, "what could push floats: no actuator drives its base %s, which touches nothing (gap of ", model->joints[base].name);
    say_pair(plan, reach->pair);
    say(plan, " %.3g m): fix the base, or give it actuators", reach->gap);
}

static void say_touch(trx_plan *plan, const trxi_reach *reach)
{
    say_pair(plan, reach->pair);
    say(plan, " touches (knot %d, gap %.2g m), but ", reach->knot, reach->gap);
    if (reach->wrong_side) {
        say(plan, "pushes away from the goal there: start on the other side, or let solve.search find one");
        return;
    }
    if (reach->holder < 0) {
        say(plan, "the effect does not last: give the motion less time, or weigh the goal on the way");
        return;
    }
    say_pair(plan, reach->holder);
    say(plan, " holds it, and no stage smooths this contact: stages with pairs: all show the gradient");
}

static void say_open(trx_plan *plan, const trxi_reach *reach)
{
    say(plan, "the contact ");
    say_pair(plan, reach->pair);
    say(plan, " is open at every knot and its gradient is zero (closest at knot %d, gap %.3g m)", reach->knot, reach->gap);
    if (reach->wrong_side)
        say(plan, "; contact there pushes away from the goal: start on the other side, or let solve.search find one");
    else if (say_exceeded_limit(plan))
        return;
    else if (trxi_plan_has_smoothed_stage(plan))
        say(plan, "; the smoothed stages did not bring them together: start closer or on the side to push from, or weigh the goal "
                  "more");
    else
        say(plan, "; start with a stage of force_law smoothed and a smoothing of about %.2g m, or start closer",
            fmax(reach->gap, 1e-3) / 3);
}

static void explain_out_of_reach(trx_plan *plan, const trxi_reach *reach)
{
    say(plan, "no control moves %s: ", joint_of(plan->model, reach->dof));
    if (reach->pair < 0) say(plan, "no pair of geometries connects it to an actuated tree");
    else if (reach->floats) say_base(plan, reach);
    else if (reach->gap > 0) say_open(plan, reach);
    else say_touch(plan, reach);
}

// ---- no acceptable step ----

// the largest relative error of the predicted velocities over the knots of a small step, and the index of this velocity
static double worst_prediction(trx_plan *plan, int *worst_knot, int *worst_dof)
{
    trxi_workspace *w = &plan->work;
    const trxi_rollout *r = w->rollout;
    int nx = r->nx, nu = r->nu, nv = r->model->nv;
    double *dx = w->riccati.V_x, *du = w->riccati.Q_uuk, *predicted = w->riccati.Q_l;
    double worst = 0;
    for (int k = 0; k < r->steps; k++) {
        const trxi_ocp_stage *stage = &w->ocp.stages[k];
        const double *ref = w->current->x + r->nstate * k, *trial = w->trial->x + r->nstate * k;
        trx_model_difference_state(r->model, trial, ref, dx);
        for (int i = 0; i < nu; i++) du[i] = w->trial->u[nu * k + i] - w->current->u[nu * k + i];
        trxi_gemv(nx, nx, 1, stage->A, nx, dx, 0, predicted);
        trxi_gemv(nx, nu, 1, stage->B, nx, du, 1, predicted);
        trx_model_difference_state(r->model, trial + r->nstate, ref + r->nstate, dx);

        double motion = 0;
        for (int i = nv; i < 2 * nv; i++) motion = fmax(motion, fmax(fabs(dx[i]), fabs(predicted[i])));
        for (int i = nv; i < 2 * nv && motion > 0; i++) {
            double error = fabs(dx[i] - predicted[i]) / motion;
            if (error > worst) worst = error, *worst_knot = k, *worst_dof = i - nv;
        }
    }
    return worst;
}

static void explain_stall(trx_plan *plan)
{
    trxi_workspace *w = &plan->work;
    int knot = 0, dof = 0;

    // one more small step of the failed model
    bool usable = plan->linearized && trxi_workspace_sweep(w, 0, false) &&
                  trxi_rollout_policy(w->rollout, w->current, &w->policy, 1.0 / 64, INFINITY, w->trial, NULL) >= 0;
    double error = usable ? worst_prediction(plan, &knot, &dof) : 0;
    say(plan, "stage %d: no acceptable step; the linear model is furthest off at knot %d: %s by %.0f %%", plan->run.stage + 1, knot,
        trx_model_v_name(plan->model, dof), 100 * error);

    // contact is the usual cause, so name the contact that may switch at the end of this step
    int at;
    double gap;
    int pair = trxi_reach_closest(plan, dof, knot + 1, knot + 1, &at, &gap);
    if (pair < 0) return;
    say(plan, ", where the gap of ");
    say_pair(plan, pair);
    say(plan, " becomes %.2g m", gap);
}

// ---- missed goals and limits ----

// number of knots at which a control is at one of its limits
static int knots_at_limit(const trx_plan *plan, int actuator)
{
    const trxi_rollout *r = &plan->rollout;
    const double lower = r->u_lower[actuator], upper = r->u_upper[actuator], near = 1e-6 * (upper - lower);
    int count = 0;
    if (!isfinite(near)) return 0;
    for (int k = 0; k < r->steps; k++) {
        const double u = plan->u[actuator + r->nu * k];
        count += u - lower <= near || upper - u <= near;
    }
    return count;
}

// names the control that is at a limit most often; returns false if no control is at a limit often
static bool say_control(trx_plan *plan)
{
    int worst = 0, most = 0;
    for (int i = 0; i < plan->rollout.nu; i++) {
        const int count = knots_at_limit(plan, i);
        if (count > most) most = count, worst = i;
    }
    if (most <= OFTEN * plan->rollout.steps) return false;
    say(plan, "; control %s is at its limits at %d of %d knots: allow more, or take more steps", plan->model->actuators[worst].name,
        most, plan->rollout.steps);
    return true;
}

// index of the goal with the largest error in tolerances; -1: all goals are met
static int worst_goal(const trx_plan *plan)
{
    int worst = -1;
    const trx_goal_result *goals = plan->physical_goals;
    for (int i = 0; i < plan->info.ngoal; i++) {
        if (goals[i].met) continue;
        if (worst < 0 || goals[i].error / goals[i].tolerance > goals[worst].error / goals[worst].tolerance) worst = i;
    }
    return worst;
}

// names the joint of a missed component if the joint ends at its limit on the side of the target: more effort or time cannot help
static bool say_stop(trx_plan *plan, const trx_goal_result *goal, int component)
{
    const trx_model *model = plan->model;
    const double *q = plan->x + (size_t)model->nstate * (size_t)plan->rollout.steps;
    const bool position = !strcmp(goal->units[component], "rad") || !strcmp(goal->units[component], "m");
    for (int i = 0; i < model->nlimit && position; i++) {
        const trxi_joint *joint = &model->joints[model->limits[i]];
        const double range = joint->upper - joint->lower, near = AT_STOP * (isfinite(range) ? range : 1);
        const double at = q[joint->q], error = goal->components[component];
        if (strcmp(joint->name, goal->names[component])) continue;
        if (error < 0 ? joint->upper - at > near : at - joint->lower > near) continue;
        say(plan, "; joint %s is at its limit %.4g: the target is beyond", joint->name, error < 0 ? joint->upper : joint->lower);
        return true;
    }
    return false;
}

// names the worst goal, its largest component, and a joint or controls at their limits
static void explain_missed_goal(trx_plan *plan)
{
    const int worst = worst_goal(plan);
    if (worst < 0) return;
    const trx_goal_result *goal = &plan->physical_goals[worst];
    say(plan, "the goal %s is missed by %.3g (tolerance %.3g)", goal->name, goal->error, goal->tolerance);
    if (!isfinite(goal->error)) return;
    const int most = trxi_goal_largest(goal);
    if (goal->ncomponent > 1) say(plan, ", most in %s: %.3g", goal->names[most], goal->components[most]);
    if (!say_stop(plan, goal, most) && !say_control(plan)) say_acting_limit(plan);
}

// names the most violated limit; returns false when all limits are met
static bool explain_missed_limit(trx_plan *plan)
{
    const trx_limit_result *worst = trxi_limit_results_worst(plan->info.nlimit, plan->physical_limits);
    if (!worst || !isfinite(worst->violation)) return false;
    snprintf(plan->message, sizeof plan->message,
             "the limit of %s is violated by %.3g %s at knot %d%s%s (tolerance %.3g): limits may exclude each other, or leave too "
             "little time: widen them, or take more steps",
             worst->name, worst->violation, worst->unit, worst->knot, *worst->component ? ", " : "", worst->component,
             worst->tolerance);
    return true;
}

static bool all_goals_met(const trx_plan *plan)
{
    for (int i = 0; i < plan->info.ngoal; i++)
        if (!plan->physical_goals[i].met) return false;
    return true;
}

static void explain_curvature(trx_plan *plan)
{
    const trxi_riccati *work = &plan->work.riccati;
    const int nu = plan->work.ocp.nu;
    bool finite = trxi_all_finite(nu * nu, work->Q_uu);
    snprintf(plan->message, sizeof plan->message, "stage %d: Q_uu is not %s at knot %d: %s", plan->run.stage + 1,
             finite ? "positive definite" : "finite", work->failed_knot,
             finite ? "the weights of the cost span too many orders of magnitude" : "the weights of the cost overflow");
}

void trxi_plan_explain_failure(trx_plan *plan, trx_status status)
{
    const int stage = plan->run.stage + 1, knot = plan->rollout.failed_knot;
    if (status == TRX_ERR_INPUT)
        snprintf(plan->message, sizeof plan->message, "stage %d: the saved progress belongs to another solve", stage);
    else if (status == TRX_ERR_NOT_PD)
        explain_curvature(plan);
    else if (knot < 0)
        snprintf(plan->message, sizeof plan->message, "stage %d: the cost of the first rollout is not finite", stage);
    else
        snprintf(plan->message, sizeof plan->message, "stage %d: the step from knot %d failed: %.500s", stage, knot,
                 trx_context_message(plan->context));
}

// the stage to name: if time ran out, the first stage that ended early
static int ended_in(const trx_plan *plan, trx_status status)
{
    return status == TRX_TIME_LIMIT ? plan->late_stage : plan->run.stage;
}

void trxi_plan_diagnose(trx_plan *plan, trx_status status)
{
    const char *note = plan->method->note ? plan->method->note(plan->solver) : "";
    bool untouched = plan->info.ngoal == 0 && plan->method->info(plan->solver).small_steps == 0;
    bool suspicious = status == TRX_STALLED || !all_goals_met(plan) || untouched;

    // a solve that ended early does not show the result of complete stages
    bool cut_short = plan->late_stage >= 0 || status == TRX_INTERRUPTED || status == TRX_PROCESS_LOST;
    plan->reach = (trxi_reach){.pair = -1};
    plan->message[0] = '\0';
    if (suspicious && !cut_short) plan->reach = trxi_reach_find(plan);
    if (plan->reach.out)
        explain_out_of_reach(plan, &plan->reach);
    else if (!cut_short && explain_missed_limit(plan))
        return;
    if (status != TRX_OK && *note)
        say(plan, "%sstage %d: %.500s", *plan->message ? "; " : "", ended_in(plan, status) + 1, note);
    else if (plan->reach.out)
        return;
    else if (status == TRX_STALLED && plan->linearized)
        explain_stall(plan);
    else if (status != TRX_OK)
        say(plan, "%s in stage %d", trx_status_text(status), ended_in(plan, status) + 1);
    else if (plan->info.physical.status != TRX_ERR_NO_STEP)
        explain_missed_goal(plan);
}
