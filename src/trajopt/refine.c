// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Refinement (theory 8): the same problem at a fraction 1/n of the time step, on the physical law, from a plan.
//
// Knot k becomes knot n k. Targets and weights per knot are interpolated, except orientations and configurations, which keep
// the target of the knot before. A limit holds from its first to its last knot; a limit of controls or forces also holds within the
// step from its last knot.
// The guess is the better of two simulations at the finer step: the controls of the plan, constant over its steps, and the same
// controls corrected by the gains of the plan.

#include "trajopt/refine.h"

#include "trajopt/plan.h"
#include "trajopt/quantities.h"

#include <tractrix/policy.h>

#include <math.h>
#include <string.h>

// ---- the problem at a finer step ----

// arrays of a term at the finer knots
typedef struct finer {
    trx_context *context;
    const trx_plan_problem *coarse;
    trx_plan_problem problem;
    int parts;
    trxi_pool *pool;
    bool complete; // false when memory ran out
} finer;

static double *take(finer *f, size_t count)
{
    double *memory = TRXI_POOL(f->pool, double, count + 1);
    f->complete = f->complete && memory;
    return memory;
}

// returns whether the numbers of a target may be interpolated one by one
static bool is_vector(const trx_cost_term *term)
{
    return term->quantity != TRX_BODY_ORIENTATION && term->quantity != TRX_FRAME_ORIENTATION && term->quantity != TRX_POSITION;
}

// makes rows of `length` numbers for the finer knots; with `blend` interpolated, else the row of the coarse knot before
static const double *spread(finer *f, const double *rows, int stride, int length, bool blend)
{
    const int steps = f->coarse->steps, parts = f->parts;
    double *out = take(f, (size_t)length * (size_t)(steps * parts + 1));
    for (int k = 0; out && k <= steps * parts; k++) {
        const int before = k / parts, after = before < steps ? before + 1 : steps;
        const double share = blend ? (double)(k % parts) / parts : 0;
        const double *low = rows + (size_t)before * (size_t)stride, *high = rows + (size_t)after * (size_t)stride;
        for (int i = 0; i < length; i++) out[(size_t)k * (size_t)length + (size_t)i] = (1 - share) * low[i] + share * high[i];
    }
    return out;
}

static void refine_term(finer *f, trx_cost_term *term)
{
    const trx_model *model = f->coarse->model;
    if (term->target && term->target_stride > 0) {
        const int length = trx_cost_term_target_length(model, term);
        term->target = spread(f, term->target, term->target_stride, length, is_vector(term));
        term->target_stride = length;
    }
    if (term->weight && term->weight_stride > 0) {
        const int length = trx_cost_term_dimension(model, term);
        term->weight = spread(f, term->weight, term->weight_stride, length, true);
        term->weight_stride = length;
    }
}

static int finer_last(const finer *f, const trx_limit *limit)
{
    const int last = limit->last < f->coarse->steps ? limit->last : f->coarse->steps;
    return trxi_quantity_is(limit->term.quantity, TRXI_PER_STEP) ? last * f->parts + f->parts - 1 : last * f->parts;
}

static void refine_limits(finer *f)
{
    trx_limit *limits = TRXI_POOL(f->pool, trx_limit, f->coarse->nlimit + 1);
    f->complete = f->complete && limits;
    for (int i = 0; limits && i < f->coarse->nlimit; i++) {
        limits[i] = f->coarse->limits[i];
        limits[i].first *= f->parts;
        limits[i].last = finer_last(f, &f->coarse->limits[i]);
        refine_term(f, &limits[i].term);
    }
    f->problem.limits = limits;
}

static void refine_problem(finer *f)
{
    trx_cost_term *terms = TRXI_POOL(f->pool, trx_cost_term, f->coarse->nterm + 1);
    f->complete = f->complete && terms;
    f->problem = *f->coarse;
    f->problem.sim.time_step /= f->parts;
    f->problem.steps *= f->parts;
    f->problem.u_guess = f->problem.x_guess = NULL; // the guess has coarse knots; set_guess makes the fine guess
    for (int i = 0; terms && i < f->coarse->nterm; i++) {
        terms[i] = f->coarse->terms[i];
        refine_term(f, &terms[i]);
    }
    f->problem.terms = terms;
    if (f->coarse->nlimit > 0) refine_limits(f);
}

trx_status trxi_refine_problem(trx_context *context, trxi_pool *pool, const trx_plan_problem *coarse, int parts,
                               trx_plan_problem *problem)
{
    finer f = {.context = context, .coarse = coarse, .parts = parts, .pool = pool, .complete = true};
    refine_problem(&f);
    *problem = f.problem;
    return f.complete ? TRX_OK : TRX_ERR_MEMORY;
}

// ---- the guess ----

// simulates the plan's controls at the finer step, with `gains` corrected by its gains; returns false when a step fails
static bool follow(finer *f, const trx_plan *plan, bool gains, double *x, double *u)
{
    const trx_model *model = f->coarse->model;
    const size_t nx = (size_t)model->nstate, nu = (size_t)model->nu;
    const double dt = f->problem.sim.time_step;
    trx_policy_def def = trx_policy_def_default();
    def.steps = plan->rollout.steps, def.time_step = f->coarse->sim.time_step;
    def.x = plan->x, def.u = plan->u, def.K = gains ? plan->K : NULL;
    trx_policy *policy = NULL;
    trx_sim *sim = NULL;
    bool fine = trx_policy_create(f->context, model, &def, &policy) >= 0 &&
                trx_sim_create(f->context, model, &f->problem.sim, &sim) >= 0;
    memcpy(x, f->problem.x0, nx * sizeof *x);
    for (size_t k = 0; fine && k < (size_t)f->problem.steps; k++) {
        trx_sim_set_time(sim, (double)k * dt);
        fine = trx_policy_control(policy, ((double)k + 1e-6) * dt, x + nx * k, u + nu * k) >= 0 &&
               trx_step(sim, x + nx * k, u + nu * k, x + nx * (k + 1)) >= 0;
    }
    trx_sim_destroy(sim);
    trx_policy_destroy(policy);
    return fine;
}

static double cost_of(trx_plan *refined, const double *x, const double *u)
{
    const trxi_rollout *r = &refined->rollout;
    double sum = 0, cost = 0;
    for (int k = 0; k <= r->steps; k++) {
        const double *u_k = k < r->steps ? u + r->nu * k : NULL;
        if (trx_plan_cost(refined, k, x + r->nstate * k, u_k, &cost, NULL, NULL, NULL, NULL, NULL) < 0) return INFINITY;
        sum += cost;
    }
    return sum;
}

static trx_status set_guess(finer *f, const trx_plan *plan, trx_plan *refined)
{
    const size_t nx = (size_t)refined->rollout.nstate, nu = (size_t)refined->rollout.nu, steps = (size_t)f->problem.steps;
    double *x[2] = {take(f, nx * (steps + 1)), take(f, nx * (steps + 1))}, *u[2] = {take(f, nu * steps), take(f, nu * steps)};
    double cost[2];
    if (!f->complete) return TRX_ERR_MEMORY;
    for (int i = 0; i < 2; i++) cost[i] = follow(f, plan, i == 1, x[i], u[i]) ? cost_of(refined, x[i], u[i]) : INFINITY;
    const int best = cost[1] < cost[0];
    trxi_clear_message(f->context); // a trajectory that fails is no failure of the refinement
    return trx_plan_set_guess(refined, u[best], isfinite(cost[best]) ? x[best] : NULL);
}

// ---- entry ----

static trx_status create(finer *f, const trx_plan_settings *settings, const trx_plan *plan, trx_plan **refined)
{
    const trx_stage physical = trxi_stage_physical();
    refine_problem(f);
    if (!f->complete) return TRX_ERR_MEMORY;
    trx_plan_problem problem = f->problem;
    problem.stages = &physical;
    problem.nstage = 1;
    trx_status status = trx_plan_create(f->context, &problem, settings, refined);
    if (status >= 0) status = set_guess(f, plan, *refined);
    if (status >= 0) return status;
    trx_plan_destroy(*refined);
    *refined = NULL;
    return status;
}

trx_status trx_plan_create_refined(trx_context *context, const trx_plan_problem *problem, const trx_plan_settings *settings,
                                   const trx_plan *plan, int parts, trx_plan **refined)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!problem || !settings || !plan || !refined)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_plan_create_refined: problem, settings, plan or place is NULL");
    *refined = NULL;
    if (!plan->solved) return trxi_fail(context, TRX_ERR_NO_STEP, "trx_plan_create_refined: there is no result before a solve");
    if (parts < 1 || parts > 100) return trxi_fail(context, TRX_ERR_ARGUMENT, "parts is %d: it must be 1 to 100", parts);
    if (problem->steps != plan->rollout.steps)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "the plan has %d steps, the problem %d", plan->rollout.steps, problem->steps);
    finer f = {.context = context, .coarse = problem, .parts = parts, .pool = trxi_pool_create(context), .complete = true};
    if (!f.pool) return TRX_ERR_MEMORY;
    const trx_status status = create(&f, settings, plan, refined);
    trxi_pool_destroy(f.pool);
    return status;
}
