// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Validation of a planning problem (theory 7). Every number for the optimizer is checked only here. Every message names the field
// and its valid values.

#include "trajopt/plan.h"

#include "math/dense.h"
#include "dynamics/distance.h"
#include "trajopt/quantities.h"

#include <limits.h>
#include <math.h>

static const double MOST_NUMBERS = 2e8; // limit of N ntangent^2, the size of the largest array of a plan

trx_plan_problem trx_plan_problem_default(void)
{
    return (trx_plan_problem){.size = sizeof(trx_plan_problem), .sim = trx_sim_settings_default()};
}

trx_limit trx_limit_default(void)
{
    return (trx_limit){.first = 0, .last = INT_MAX, .tolerance = 1e-4};
}

trx_plan_settings trx_plan_settings_default(void)
{
    return (trx_plan_settings){
        .size = sizeof(trx_plan_settings), .iterations = 200, .tolerance = 1e-5, .time_limit = INFINITY, .judge = true,
        .threads = 1, .method = TRX_ILQR, .second_try = true};
}

// common beginning of all messages about one term
static trx_status refuse(trx_context *context, const trx_cost_term *term, int index, const char *what)
{
    const char *name = term->name ? term->name : "unnamed";
    return trxi_fail(context, TRX_ERR_ARGUMENT, "cost term %d (%s): %s", index, name, what);
}

static const char *check_geometries(const trx_model *model, const trx_cost_term *term)
{
    if (term->ngeom_a < 1 || !term->geoms_a || term->ngeom_b < 1 || !term->geoms_b)
        return "geoms_a and geoms_b must list at least one geometry each";
    for (int i = 0; i < term->ngeom_a + term->ngeom_b; i++) {
        const int geom = i < term->ngeom_a ? term->geoms_a[i] : term->geoms_b[i - term->ngeom_a];
        if (geom < 0 || geom >= model->ngeom) return "there is no such geometry";
    }
    return NULL;
}

// checks the two sets of a distance, which must have a measurable pair
static const char *check_sets(const trx_model *model, const trx_cost_term *term)
{
    const char *wrong = check_geometries(model, term);
    bool measurable = false;
    for (int i = 0; !wrong && i < term->ngeom_a; i++)
        for (int j = 0; j < term->ngeom_b; j++)
            measurable = measurable || trxi_geoms_measurable(model, term->geoms_a[i], term->geoms_b[j]);
    if (wrong) return wrong;
    return measurable ? NULL : "no two of the geometries can move against each other and have a distance";
}

// checks the bodies of a centre of mass; at least one must have mass
static const char *check_bodies(const trx_model *model, const trx_cost_term *term)
{
    double mass = 0;
    if (term->bodies && term->nbody < 1) return "bodies must list at least one body";
    for (int i = 0; i < (term->bodies ? term->nbody : model->nbody); i++) {
        int body = term->bodies ? term->bodies[i] : i;
        if (body < 0 || body >= model->nbody) return "there is no such body";
        if (term->bodies && model->bodies[body].prescribed >= 0)
            return "the motion of the body is prescribed: no control changes it";
        if (term->bodies || model->bodies[body].link >= 0) mass += model->bodies[body].mass;
    }
    return mass > 0 ? NULL : "the bodies have no mass";
}

// checks the two sets of a contact force, which must have a pair that may meet
static const char *check_touch(const trx_model *model, const trx_cost_term *term)
{
    const char *wrong = check_geometries(model, term);
    if (wrong) return wrong;
    return trxi_force_is_possible(model, term) ? NULL : "no two of the geometries may touch";
}

static const char *check_function(const trx_cost_term *term)
{
    if (!term->function) return "function is NULL";
    return term->dimension >= 1 ? NULL : "dimension must be at least 1";
}

// checks the bodies, frame, joints, geometries or function that a term names
static const char *check_reference(const trx_model *model, const trx_cost_term *term)
{
    if (term->quantity == TRX_DISTANCE) return check_sets(model, term);
    if (term->quantity == TRX_CONTROL_RATE) return NULL;
    if (term->quantity == TRX_USER) return check_function(term);
    if (term->quantity == TRX_CONTACT_FORCE) return check_touch(model, term);
    if (term->quantity > TRX_DISTANCE) return check_bodies(model, term);
    if (term->quantity <= TRX_FRAME_SPIN) {
        bool body = term->quantity <= TRX_BODY_SPIN;
        if (term->index < 0 || term->index >= (body ? model->nbody : model->nframe))
            return body ? "there is no such body" : "there is no such frame";
        int prescribed = body ? model->bodies[term->index].prescribed : model->frames[term->index].prescribed;
        return prescribed < 0 ? NULL : "the motion of the body is prescribed: no control changes it";
    }
    if (!trxi_quantity_is(term->quantity, TRXI_OF_JOINTS)) return NULL;
    if (term->njoint < 1 || !term->joints) return "joints must list at least one joint";
    for (int i = 0; i < term->njoint; i++) {
        if (term->joints[i] < 0 || term->joints[i] >= model->njoint) return "there is no such joint";
        if (model->joints[term->joints[i]].nv != 1) return "joints must have one degree of freedom";
    }
    return NULL;
}

// a zero quaternion has no direction
static bool is_configuration(const trx_model *model, const double *q)
{
    for (int i = 0; i < model->nlink; i++) {
        const double *quat = q + model->links[i].q;
        if (model->links[i].type == TRXI_BALL && !(trxi_dot(4, quat, quat) > 0)) return false;
    }
    return true;
}

static bool quaternions_usable(const trx_model *model, const trx_cost_term *term, const double *target)
{
    if (trxi_quantity_is(term->quantity, TRXI_TURN)) return trxi_dot(4, target, target) > 0;
    return term->quantity != TRX_POSITION || is_configuration(model, target);
}

static const char *check_target(const trx_model *model, const trx_cost_term *term, int steps)
{
    if (!term->target) return NULL;
    int length = trx_cost_term_target_length(model, term);
    if (term->target_stride < 0 || (term->target_stride > 0 && term->target_stride < length))
        return "target_stride must be 0 or at least the length of a target";
    for (int k = 0; k <= (term->target_stride > 0 ? steps : 0); k++) {
        const double *target = term->target + (size_t)term->target_stride * (size_t)k;
        if (!trxi_all_finite(length, target)) return "target must be finite";
        if (!quaternions_usable(model, term, target)) return "target has a quaternion of length 0";
    }
    return NULL;
}

trx_status trxi_plan_check_target(trx_context *context, const trx_model *model, const trx_cost_term *term, int index,
                                  int steps)
{
    const char *wrong = check_target(model, term, steps);
    return wrong ? refuse(context, term, index, wrong) : TRX_OK;
}

static const char *check_weight(const trx_model *model, const trx_cost_term *term, int steps)
{
    const int dim = trx_cost_term_dimension(model, term);
    if (!term->weight) return "weight is NULL";
    if (term->weight_stride < 0 || (term->weight_stride > 0 && term->weight_stride < dim))
        return "weight_stride must be 0 or at least the number of components";
    for (int k = 0; k <= (term->weight_stride > 0 ? steps : 0); k++)
        for (int i = 0; i < dim; i++) {
            const double weight = term->weight[(size_t)term->weight_stride * (size_t)k + (size_t)i];
            if (!(weight >= 0) || !isfinite(weight)) return "weights must be finite and >= 0";
        }
    return NULL;
}

static const char *check_norm(const trx_cost_term *term)
{
    if ((int)term->norm < 0 || term->norm > TRX_SMOOTH_ABS) return "unknown norm";
    if (term->norm == TRX_SQUARE || (term->norm_scale > 0 && isfinite(term->norm_scale))) return NULL;
    return "norm_scale must be > 0 and finite";
}

static const char *check_scheme(const trx_plan_problem *problem, const trx_cost_term *term)
{
    const bool fine = term->quantity != TRX_CONTACT_FORCE || problem->sim.scheme == TRX_SYMPLECTIC;
    return fine ? NULL : "contact forces need the symplectic scheme";
}

static trx_status check_term(trx_context *context, const trx_plan_problem *problem, int index)
{
    const trx_cost_term *term = &problem->terms[index];
    if ((int)term->quantity < 0 || term->quantity > TRX_CONTROL_RATE)
        return refuse(context, term, index, "unknown quantity");
    if ((int)term->time < 0 || term->time > TRX_ALL) return refuse(context, term, index, "unknown time");
    if (term->quantity == TRX_CONTROL_RATE && term->tolerance > 0)
        return refuse(context, term, index, "a control rate is no goal: limit the rate");
    if (term->quantity == TRX_CONTACT_FORCE && term->time != TRX_RUNNING)
        return refuse(context, term, index, "no step begins at the end; time must be TRX_RUNNING");
    if (trxi_quantity_is(term->quantity, TRXI_PER_STEP) && term->time != TRX_RUNNING)
        return refuse(context, term, index, "controls have no value at the end; time must be TRX_RUNNING");
    const char *wrong = check_reference(problem->model, term);
    if (!wrong) wrong = check_scheme(problem, term);
    if (wrong) return refuse(context, term, index, wrong);

    if ((wrong = check_weight(problem->model, term, problem->steps)) || (wrong = check_norm(term)))
        return refuse(context, term, index, wrong);
    if (!(term->tolerance >= 0) || !isfinite(term->tolerance))
        return refuse(context, term, index, "tolerance must be finite and >= 0");
    return trxi_plan_check_target(context, problem->model, term, index, problem->steps);
}

// common beginning of all messages about one limit
static trx_status refuse_limit(trx_context *context, const trx_limit *limit, int index, const char *what)
{
    const char *name = limit->term.name ? limit->term.name : "unnamed";
    return trxi_fail(context, TRX_ERR_ARGUMENT, "limit %d (%s): %s", index, name, what);
}

static const char *check_bounds(const trx_limit *limit, int dim)
{
    if (!limit->lower && !limit->upper) return "lower and upper are both NULL";
    for (int i = 0; i < dim; i++) {
        const double lower = limit->lower ? limit->lower[i] : -INFINITY, upper = limit->upper ? limit->upper[i] : INFINITY;
        if (!(lower <= upper) || lower == INFINITY || upper == -INFINITY) return "every lower bound must be <= the upper bound";
    }
    return NULL;
}

static trx_status check_limit(trx_context *context, const trx_plan_problem *problem, int index)
{
    const trx_limit *limit = &problem->limits[index];
    const int last = trxi_quantity_is(limit->term.quantity, TRXI_PER_STEP) ? problem->steps - 1 : problem->steps;
    if ((int)limit->term.quantity < 0 || limit->term.quantity > TRX_CONTROL_RATE)
        return refuse_limit(context, limit, index, "unknown quantity");
    const char *wrong = check_reference(problem->model, &limit->term);
    if (!wrong) wrong = check_scheme(problem, &limit->term);
    if (!wrong) wrong = check_target(problem->model, &limit->term, problem->steps);
    if (!wrong) wrong = check_bounds(limit, trx_cost_term_dimension(problem->model, &limit->term));
    if (wrong) return refuse_limit(context, limit, index, wrong);
    if (limit->first < 0 || limit->first > last || limit->last < limit->first)
        return refuse_limit(context, limit, index, "first and last must be knots, in this order");
    if (!(limit->tolerance > 0) || !isfinite(limit->tolerance))
        return refuse_limit(context, limit, index, "tolerance must be > 0 and finite");
    return TRX_OK;
}

static bool is_share(double value)
{
    return value >= 0 && value < 1;
}

static trx_status check_stage(trx_context *context, const trx_stage *stage, int index)
{
    const double positive[] = {stage->smoothing, stage->stiffness, stage->stiction_tolerance, stage->tolerance, stage->kappa};
    const double not_negative[] = {stage->dissipation, stage->relaxation_time, stage->friction};
    if (stage->iterations == 0 || stage->iterations < -1)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "stage %d: iterations must be at least 1, or -1", index + 1);
    if (stage->approximation > TRX_SAP || stage->force_law > TRX_HERTZ)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "stage %d: unknown approximation or force law", index + 1);
    if (stage->contact_model >= 0 && !*trx_contact_model_name((trx_contact_model)stage->contact_model))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "stage %d: there is no contact model %d", index + 1, stage->contact_model);
    for (int i = 0; i < 5; i++)
        if (!isnan(positive[i]) && (!(positive[i] > 0) || !isfinite(positive[i])))
            return trxi_fail(context, TRX_ERR_ARGUMENT,
                             "stage %d: smoothing, stiffness, stiction_tolerance, tolerance and kappa must be > 0 and finite",
                             index + 1);
    for (int i = 0; i < 3; i++)
        if (!isnan(not_negative[i]) && (!(not_negative[i] >= 0) || !isfinite(not_negative[i])))
            return trxi_fail(context, TRX_ERR_ARGUMENT,
                             "stage %d: dissipation, relaxation_time and friction must be >= 0 and finite", index + 1);
    if (!is_share(stage->friction_margin))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "stage %d: friction_margin must be from 0 to less than 1", index + 1);
    return TRX_OK;
}

static trx_status check_settings(trx_context *context, const trx_plan_settings *settings)
{
    if (!settings) return trxi_fail(context, TRX_ERR_ARGUMENT, "plan settings are NULL");
    trx_status status = trxi_check_size(context, settings->size, sizeof *settings, "trx_plan_settings_default");
    if (status < 0) return status;
    if (settings->iterations < 1) return trxi_fail(context, TRX_ERR_ARGUMENT, "iterations must be at least 1");
    if (settings->max_iterations < 0)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "max_iterations must be at least 1, or 0 for no limit");
    if (!(settings->tolerance > 0) || !isfinite(settings->tolerance))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "tolerance must be > 0 and finite");
    if (!(settings->time_limit > 0)) return trxi_fail(context, TRX_ERR_ARGUMENT, "time_limit must be > 0");
    if (settings->threads < 1 || settings->threads > TRXI_MAX_THREADS)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "threads is %d: it must be 1 to %d", settings->threads, TRXI_MAX_THREADS);
    if (!is_share(settings->friction_margin))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "friction_margin must be from 0 to less than 1");
    if (settings->memory_limit < 0) return trxi_fail(context, TRX_ERR_ARGUMENT, "memory_limit must be >= 0");
    if (!trxi_method_find(settings->method)) return trxi_fail(context, TRX_ERR_ARGUMENT, "unknown method");
    return TRX_OK;
}

trx_status trxi_plan_check_start(trx_context *context, const trx_model *model, const double *x0)
{
    if (!x0) return trxi_fail(context, TRX_ERR_ARGUMENT, "x0 is NULL");
    if (!trxi_all_finite(model->nstate, x0)) return trxi_fail(context, TRX_ERR_NOT_FINITE, "x0 is not finite");
    if (!is_configuration(model, x0)) return trxi_fail(context, TRX_ERR_ARGUMENT, "x0 has a quaternion of length 0");
    return TRX_OK;
}

trx_status trxi_plan_check_states(trx_context *context, const trx_model *model, int steps, const double *x)
{
    const int nstate = model->nstate;
    if (!trxi_all_finite(nstate * (steps + 1), x))
        return trxi_fail(context, TRX_ERR_NOT_FINITE, "the states of the guess are not finite");
    for (int k = 0; k <= steps; k++)
        if (!is_configuration(model, x + nstate * k))
            return trxi_fail(context, TRX_ERR_ARGUMENT, "knot %d of the guess has a quaternion of length 0", k);
    return TRX_OK;
}

static trx_status check_numbers(trx_context *context, const trx_plan_problem *problem)
{
    const trx_model *model = problem->model;
    double size = (double)model->ntangent * model->ntangent * problem->steps;
    if (problem->steps < 1) return trxi_fail(context, TRX_ERR_ARGUMENT, "steps must be at least 1");
    if (model->nu < 1) return trxi_fail(context, TRX_ERR_ARGUMENT, "the model has no actuators: nothing to plan");
    if (size > MOST_NUMBERS)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "steps = %d is too large for %d velocities", problem->steps,
                         model->nv);
    trx_status status = trxi_plan_check_start(context, model, problem->x0);
    if (status < 0) return status;
    if (problem->u_guess && !trxi_all_finite(model->nu * problem->steps, problem->u_guess))
        return trxi_fail(context, TRX_ERR_NOT_FINITE, "u_guess is not finite");
    return problem->x_guess ? trxi_plan_check_states(context, model, problem->steps, problem->x_guess) : TRX_OK;
}

static bool has_rates(const trx_plan_problem *problem)
{
    for (int i = 0; i < problem->nterm; i++)
        if (problem->terms[i].quantity == TRX_CONTROL_RATE) return true;
    for (int i = 0; i < problem->nlimit; i++)
        if (problem->limits[i].term.quantity == TRX_CONTROL_RATE) return true;
    return false;
}

trx_status trxi_plan_check(trx_context *context, const trx_plan_problem *problem, const trx_plan_settings *settings)
{
    if (!problem) return trxi_fail(context, TRX_ERR_ARGUMENT, "plan problem is NULL");
    trx_status status = trxi_check_size(context, problem->size, sizeof *problem, "trx_plan_problem_default");
    if (status < 0 || (status = check_settings(context, settings)) < 0) return status;
    if (!problem->model) return trxi_fail(context, TRX_ERR_ARGUMENT, "model is NULL");
    if ((status = check_numbers(context, problem)) < 0) return status;

    if (problem->nterm < 0 || (problem->nterm > 0 && !problem->terms))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "terms is NULL");
    for (int i = 0; i < problem->nterm; i++)
        if ((status = check_term(context, problem, i)) < 0) return status;
    if (settings->method != TRX_ILQR && has_rates(problem))
        return trxi_fail(context, TRX_ERR_UNSUPPORTED, "control rates are costs and limits of the method ilqr only");

    if (problem->nlimit < 0 || (problem->nlimit > 0 && !problem->limits))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "limits is NULL");
    for (int i = 0; i < problem->nlimit; i++)
        if ((status = check_limit(context, problem, i)) < 0) return status;

    if (problem->stages && (problem->nstage < 1 || problem->nstage >= TRXI_MAX_STAGES))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "nstage must be 1 .. %d", TRXI_MAX_STAGES - 1);
    for (int i = 0; problem->stages && i < problem->nstage; i++)
        if ((status = check_stage(context, &problem->stages[i], i)) < 0) return status;
    return TRX_OK;
}
