// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Decides when a loop searches for another plan, and whether it follows the found plan (theory 7, model predictive control):
//
//     stuck     at the time t: a search begins, from the state that the policy reaches at t' = t + delay
//     due       from t' on: the first tick waits for the search; with a deadline no tick waits
//     decide    the tick solves from its own guess and from the found plan, both to the end of the found plan, and keeps the
//               cheaper result
//     follow    ticks plan to the end of the found plan: a shorter horizon would see only the cost of the detour
//
// A search plans to the end of the task, so its plan begins at a knot of the task. After the end of the task it plans as many knots
// as the task had.

#include "mpc/course.h"

#include "model/model.h"

#include <math.h>

static const double PATIENCE = 5;     // time without progress before a search, in steps of the task
static const double SAME_TIME = 1e-6; // share of a step

void trxi_course_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_course *course)
{
    course->x = TRXI_TAKE(arena, double, problem->model->nstate);
    trxi_first_plan_layout(arena, problem, &course->plan);
}

trx_status trxi_course_open(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *settings,
                            trxi_course *course)
{
    course->steps = task->steps, course->least = settings->least_horizon;
    course->step = task->sim.time_step, course->delay = settings->search_delay;
    course->wait = !isfinite(settings->deadline);
    trxi_stuck_reset(0, &course->stuck);
    return settings->search_effort > 0 ? trxi_background_create(context, task, settings, &course->background) : TRX_OK;
}

// ---- a plan that is due ----

double trxi_course_end(const trxi_course *course)
{
    return course->leads ? trxi_first_plan_end(&course->plan) : -INFINITY;
}

const trxi_first_plan *trxi_course_due(trxi_course *course, double time)
{
    if (course->leads && time > trxi_course_end(course) - SAME_TIME * course->step) course->leads = false;
    if (!course->asked || time < course->due - SAME_TIME * course->step) return NULL;
    const trxi_background_state state = trxi_background_look(course->background, course->wait);
    if (state == TRXI_SEARCHING) return NULL;
    const trxi_first_plan *found = trxi_background_plan(course->background);
    if (state == TRXI_FOUND && !course->unwanted && time < trxi_first_plan_end(found) - course->step) return found;
    trxi_course_decide(course, time, false);
    return NULL;
}

void trxi_course_decide(trxi_course *course, double time, bool follow)
{
    if (follow) {
        trxi_first_plan_copy(trxi_background_plan(course->background), &course->plan);
        course->leads = true;
        course->taken++;
    }
    course->asked = false;
    trxi_stuck_reset(time, &course->stuck);
}

// ---- a search begins ----

static void ask(trxi_course *course, double time, trx_plan *plan, trx_policy *policy, const double *friction)
{
    const int knot = (int)ceil((time + course->delay) / course->step - SAME_TIME);
    const int left = course->steps - knot, steps = left > 0 ? left : course->steps;
    if (steps < course->least && left > 0) return;
    course->due = knot * course->step;
    if (trx_policy_reference(policy, course->due, course->x) < 0) return;
    const trxi_quest quest = {.x = course->x, .time = course->due, .knot = knot, .steps = steps, .plan = plan,
                              .friction = friction};
    trxi_background_begin(course->background, &quest);
    course->asked = true, course->unwanted = false;
    course->searches++;
}

void trxi_course_watch(trxi_course *course, double time, trx_plan *plan, trx_policy *policy, const double *friction)
{
    if (!course->background) return;
    const double end = time + trx_plan_get_steps(plan) * course->plan.time_step;
    if (end < (course->steps - 0.5) * course->step) return;
    const bool stuck = trxi_stuck_update(time, trxi_goal_miss(plan), PATIENCE * course->step, &course->stuck);
    if (stuck && !course->asked) ask(course, time, plan, policy, friction);
}

// ---- changes ----

void trxi_course_turn(trxi_course *course)
{
    course->unwanted = true;
    course->stuck.miss = INFINITY; // the next plan counts as progress
}

void trxi_course_reset(trxi_course *course)
{
    if (course->background) trxi_background_forget(course->background);
    course->asked = course->leads = false;
    trxi_stuck_reset(0, &course->stuck);
}
