// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The diagnosis of a plan that failed: one line that names knot and cause (theory 8).
//
// - No control influences the cost of passive coordinates (coordinates of trees without an actuator). Lambda is the adjoint
//   of this part of the cost, lambda_k = l_x + A^T lambda_{k+1}. When every B^T lambda vanishes, each contact through which
//   an actuator could act is open, and the gradient does not show the optimizer that the contact exists.
// - Q_uu is not positive definite in spite of the damping: numbers overflow or cancel.
// - No step is acceptable: the knot where a small step departs most from what A and B predict, relative to the
//   motion, and the contact that may switch there.
// - The contact solve failed: the sim's own message.

#include "trajopt/gaps.h"

#include "math/dense.h"
#include "trajopt/plan.h"
#include "trajopt/term_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double NO_INFLUENCE = 1e-9; // of |B| |l_x|

static bool is_passive(const trx_model *model, int dof)
{
    return !model->trees[model->links[model->dof_link[dof]].tree].actuated;
}

static const char *joint_of(const trx_model *model, int dof)
{
    return model->joints[model->links[model->dof_link[dof]].joint].name;
}

// lambda += l_x of the passive coordinates at a knot; returns the largest entry and writes its coordinate to *dof
static double add_passive_gradient(const trx_plan *plan, int knot, double *lambda, int *dof)
{
    int nv = plan->model->nv;
    const double *l_x = plan->work.ocp.stages[knot].q;
    double largest = 0;
    for (int i = 0; i < 2 * nv; i++) {
        if (!is_passive(plan->model, i % nv)) continue;
        lambda[i] += l_x[i];
        if (fabs(l_x[i]) > largest) largest = fabs(l_x[i]), *dof = i % nv;
    }
    return largest;
}

// true when the cost depends on passive coordinates that no control influences; names the coordinate with the largest gradient
static bool is_out_of_reach(trx_plan *plan, int *dof)
{
    const trxi_ocp *ocp = &plan->work.ocp;
    int nx = ocp->nx, nu = ocp->nu;
    double *lambda = plan->work.riccati.V_x, *next = plan->work.riccati.Q_l;
    double demand = 0, influence = 0, strength = 0;
    memset(lambda, 0, (size_t)nx * sizeof(double));
    demand = add_passive_gradient(plan, ocp->steps, lambda, dof);
    for (int k = ocp->steps - 1; k >= 0; k--) {
        const double *B = ocp->stages[k].B, *A = ocp->stages[k].A;
        for (int j = 0; j < nu; j++) {
            influence = fmax(influence, fabs(trxi_dot(nx, B + j * nx, lambda)));
            for (int i = 0; i < nx; i++) strength = fmax(strength, fabs(B[i + j * nx]));
        }
        trxi_gemv_t(nx, nx, 1, A, nx, lambda, 0, next);
        memcpy(lambda, next, (size_t)nx * sizeof(double));
        int other = *dof;
        double largest = add_passive_gradient(plan, k, lambda, &other);
        if (largest > demand) demand = largest, *dof = other;
    }
    return demand > 0 && influence <= NO_INFLUENCE * demand * strength;
}

// the actuated pair on the tree of `dof` that comes closest at the knots first .. last; -1 when there is none
static int closest_approach(trx_plan *plan, int dof, int first, int last, int *knot, double *gap)
{
    const trx_model *model = plan->model;
    int tree = model->links[model->dof_link[dof]].tree, closest = -1;
    trxi_kinematics *kin = &plan->cost.own;
    *gap = INFINITY;
    *knot = first;
    for (int k = first; k <= last; k++) {
        trxi_kinematics_compute(model, plan->x + plan->rollout.nstate * k, kin);
        trxi_kinematics_move(model, trxi_rollout_time(&plan->rollout, k), kin);
        for (int i = 0; i < model->npair; i++) {
            const trxi_pair pair = trxi_model_pair(model, i);
            bool on_a = pair.link_a >= 0 && model->links[pair.link_a].tree == tree;
            bool on_b = pair.link_b >= 0 && model->links[pair.link_b].tree == tree;
            if (!pair.actuated || !(on_a || on_b)) continue;
            double phi = trxi_pair_closest(model, kin, i).phi;
            if (phi < *gap) *gap = phi, *knot = k, closest = i;
        }
    }
    return closest;
}

static bool had_smoothed_stage(const trx_plan *plan)
{
    for (int i = 0; i < plan->nstage; i++)
        if (!plan->stages[i].physical && plan->stages[i].force_law == TRX_SMOOTHED) return true;
    return false;
}

static void explain_out_of_reach(trx_plan *plan, int dof)
{
    const trx_model *model = plan->model;
    int knot;
    double gap;
    int pair = closest_approach(plan, dof, 0, plan->rollout.steps, &knot, &gap);
    if (pair < 0) {
        snprintf(plan->message, sizeof plan->message,
                 "no control moves %s: no pair of geometries connects it to an actuated tree", joint_of(model, dof));
        return;
    }
    char advice[160];
    if (had_smoothed_stage(plan))
        snprintf(advice, sizeof advice,
                 "the smoothed stages did not bring them together: start closer or on the side to push from, or weigh "
                 "the goal more");
    else
        snprintf(advice, sizeof advice,
                 "start with a stage of force_law smoothed and a smoothing of about %.2g m, or start closer",
                 fmax(gap, 1e-3) / 3);
    snprintf(plan->message, sizeof plan->message,
             "no control moves %s: the contact %s|%s is open at every knot and its gradient is zero (closest at knot "
             "%d, gap %.3g m); %s",
             joint_of(model, dof), model->geoms[trxi_model_pair(model, pair).geom_a].name,
             model->geoms[trxi_model_pair(model, pair).geom_b].name, knot, gap, advice);
}

// the largest relative error of the predicted velocities over the knots of a small step, and the index of this velocity
static double worst_prediction(trx_plan *plan, int *worst_knot, int *worst_dof)
{
    trxi_workspace *w = &plan->work;
    const trxi_rollout *r = w->rollout;
    int nx = r->nx, nu = r->nu, nv = nx / 2;
    double *dx = w->riccati.V_x, *du = w->riccati.Q_uuk, *predicted = w->riccati.Q_l;
    double worst = 0;
    for (int k = 0; k < r->steps; k++) {
        const trxi_ocp_stage *stage = &w->ocp.stages[k];
        const double *ref = w->current->x + r->nstate * k, *trial = w->trial->x + r->nstate * k;
        trxi_state_difference(r->model, trial, ref, dx);
        for (int i = 0; i < nu; i++) du[i] = w->trial->u[nu * k + i] - w->current->u[nu * k + i];
        trxi_gemv(nx, nx, 1, stage->A, nx, dx, 0, predicted);
        trxi_gemv(nx, nu, 1, stage->B, nx, du, 1, predicted);
        trxi_state_difference(r->model, trial + r->nstate, ref + r->nstate, dx);

        double motion = 0;
        for (int i = nv; i < nx; i++) motion = fmax(motion, fmax(fabs(dx[i]), fabs(predicted[i])));
        for (int i = nv; i < nx && motion > 0; i++) {
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
    bool usable = plan->linearized && trxi_riccati_sweep(&w->ocp, 0, w->scale, &w->riccati, &w->policy) &&
                  trxi_rollout_policy(w->rollout, w->current, &w->policy, 1.0 / 64, INFINITY, w->trial, NULL) >= 0;
    double error = usable ? worst_prediction(plan, &knot, &dof) : 0;
    int length = snprintf(plan->message, sizeof plan->message,
                          "stage %d: no acceptable step; the linear model is furthest off at knot %d: %s by %.0f %%",
                          plan->run.stage + 1, knot, trx_model_v_name(plan->model, dof), 100 * error);

    // contact is the usual cause: name the contact that may switch at the end of this step
    int at;
    double gap;
    int pair = closest_approach(plan, dof, knot + 1, knot + 1, &at, &gap);
    if (pair < 0 || length < 0 || (size_t)length >= sizeof plan->message) return;
    const trxi_pair p = trxi_model_pair(plan->model, pair);
    snprintf(plan->message + length, sizeof plan->message - (size_t)length, ", where the gap of %s|%s becomes %.2g m",
             plan->model->geoms[p.geom_a].name, plan->model->geoms[p.geom_b].name, gap);
}

// the cost term of a goal
static const trxi_term *term_of_goal(const trx_plan *plan, int goal)
{
    const trxi_term *term = plan->cost.terms;
    for (;; term++)
        if (term->tolerance > 0 && goal-- == 0) return term;
}

// the goal with the largest error, and its largest component
static void explain_missed_goal(trx_plan *plan)
{
    int worst = -1, most = 0;
    const trx_goal_result *goals = plan->physical_goals;
    for (int i = 0; i < plan->info.ngoal; i++) {
        if (goals[i].met) continue;
        if (worst < 0 || goals[i].error / goals[i].tolerance > goals[worst].error / goals[worst].tolerance) worst = i;
    }
    if (worst < 0) return;
    const trx_goal_result *goal = &goals[worst];
    int length = snprintf(plan->message, sizeof plan->message, "the goal %s is missed by %.3g (tolerance %.3g)", goal->name,
                          goal->error, goal->tolerance);
    if (goal->ncomponent == 1 || !isfinite(goal->error) || length < 0 || (size_t)length >= sizeof plan->message) return;
    for (int i = 1; i < goal->ncomponent; i++)
        if (fabs(goal->components[i]) > fabs(goal->components[most])) most = i;
    snprintf(plan->message + length, sizeof plan->message - (size_t)length, ", most in %s: %.3g",
             trxi_term_component(plan->model, term_of_goal(plan, worst), most), goal->components[most]);
}

// the limit that is violated most; false when all are met
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
    int dof = 0;
    bool untouched = plan->info.ngoal == 0 && plan->method->info(plan->solver).small_steps == 0;
    bool suspicious = status == TRX_STALLED || !all_goals_met(plan) || untouched;

    // a solve that ended early does not show the result of complete stages
    bool cut_short = plan->late_stage >= 0 || status == TRX_INTERRUPTED;
    if (suspicious && !cut_short && plan->linearized && is_out_of_reach(plan, &dof))
        explain_out_of_reach(plan, dof);
    else if (!cut_short && explain_missed_limit(plan))
        return;
    else if (status == TRX_STALLED && plan->linearized)
        explain_stall(plan);
    else if (status != TRX_OK)
        snprintf(plan->message, sizeof plan->message, "%s in stage %d", trx_status_text(status), ended_in(plan, status) + 1);
    else if (plan->info.physical.status != TRX_ERR_NO_STEP)
        explain_missed_goal(plan);
}
