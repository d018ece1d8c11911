// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Ipopt (Waechter, Biegler 2006) as a method of plans, by direct transcription (theory 7; ipopt_program.c has variables and
// derivatives). Ipopt runs in a process of its own (nlp/solver.h); values are computed here, by all threads. An iteration
// of the method serves the process until the process reports an iteration.
//
// The current trajectory of the method is the point of the last gradient that Ipopt asked for: Ipopt asks for gradients at
// accepted points only. The cheapest point with small defects and within the limits is the result, or the simulation of the start
// if this simulation is better. Limits are constraints (limit_rows.c), not a part of the cost. A minimization ends by Ipopt's own
// test, or when two iterations in a row change the cost by less than
//
//     eps = tolerance max(|cost|, 1e-3 first cost)
//
// while defects and violations are small and the barrier's share of the cost, mu times the number of bounds, is below eps. A
// process that dies, hangs or has no memory ends the method with a status, and the best trajectory so far remains.

#include "nlp/program.h"
#include "nlp/solver.h"
#include "trajopt/ipopt_program.h"
#include "trajopt/team.h"
#include "trajopt/unknowns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SMALL_DEFECT = 1e-7; // largest defect at the end [1]
static const double KEPT = 0.5;          // violation of limits at the end [tolerances]
static const double GAUSS_NEWTON_LIMIT = 1e-9; // tolerance of Ipopt, below the differences that has_settled can see

typedef struct ipopt {
    trxi_workspace *work;
    char *block;
    trxi_limit_rows rows;
    trxi_transcription transcription;
    trxi_nlp nlp;
    trxi_nlp_solver *process;
    double *start, *lower, *upper; // n
    double *g_lower, *g_upper;     // m
    double *at;                 // n: variables of work->trial
    bool valued, linearized;    // work->trial has known cost and defects; it also has an expansion in work->next
    trxi_knots knots;           // of work->trial
    double defect;              // of work->current
    trxi_trajectory best;       // simulation of the start
    trxi_trajectory kept;       // the cheapest point with small defects within the limits; cost INFINITY: none
    double tolerance;
    int bounds;                 // finite bounds of variables and constraints
    bool lbfgs;
    bool runs;                  // the process is running
    trxi_method_info info;
    char note[2 * TRXI_NLP_TEXT];
} ipopt;

// ---- values for the process ----

static void set_point(ipopt *s, const double *variables)
{
    const size_t size = (size_t)s->nlp.n * sizeof *variables;
    if ((s->valued || s->linearized) && memcmp(variables, s->at, size) == 0) return;
    memcpy(s->at, variables, size);
    s->valued = s->linearized = false;
    trxi_transcription_trajectory(&s->transcription, variables, s->work->trial);
}

// computes costs and defects at the point, with derivatives on request; returns false if a step fails or the cost is not finite
static bool evaluate_point(ipopt *s, bool derivatives)
{
    trxi_workspace *w = s->work;
    if (s->linearized || (s->valued && !derivatives)) return isfinite(w->trial->cost);
    s->valued = trxi_knots_evaluate(w->rollout, w->trial, &s->knots, derivatives ? &w->next : NULL) >= 0;
    s->linearized = s->valued && derivatives;
    return s->valued && isfinite(w->trial->cost);
}

static bool is_nearly_simulated(const ipopt *s)
{
    double largest = 0;
    for (int i = 0; i < s->nlp.m - s->rows.count; i++) largest = fmax(largest, fabs(s->knots.defects[i]));
    return largest < SMALL_DEFECT;
}

// copies the point to the current trajectory
static void keep_point(ipopt *s)
{
    const trxi_workspace *w = s->work;
    trxi_trajectory_copy(w->rollout, w->trial, w->current);
    s->defect = s->knots.defect;
    const bool valid = is_nearly_simulated(s) && trxi_limit_rows_violation(&s->rows) <= KEPT;
    if (w->trial->cost < s->kept.cost && valid) trxi_trajectory_copy(w->rollout, w->trial, &s->kept);
}

static void write_constraints(const ipopt *s, double *out)
{
    const size_t limits = (size_t)s->rows.count, defects = (size_t)s->nlp.m - limits;
    memcpy(out, s->knots.defects, defects * sizeof *out);
    memcpy(out + defects, s->rows.values, limits * sizeof *out);
}

static bool evaluate(void *user, trxi_nlp_value what, const double *x, double factor, const double *lambda, double *out)
{
    ipopt *s = user;
    (void)lambda;
    set_point(s, x);
    if (!evaluate_point(s, what != TRXI_NLP_F && what != TRXI_NLP_G)) return false;
    switch (what) {
    case TRXI_NLP_F: *out = s->work->trial->cost; break;
    case TRXI_NLP_G: write_constraints(s, out); break;
    case TRXI_NLP_GRADIENT:
        keep_point(s);
        trxi_transcription_gradient(&s->transcription, x, &s->work->next, out);
        break;
    case TRXI_NLP_JACOBIAN: trxi_transcription_jacobian(&s->transcription, x, &s->work->next, out); break;
    case TRXI_NLP_HESSIAN: trxi_transcription_hessian(&s->transcription, x, &s->work->next, factor, out); break;
    }
    return true;
}

// ---- iterations ----

static double threshold(const ipopt *s)
{
    return s->tolerance * fmax(fabs(s->work->current->cost), 1e-3 * s->info.first_cost);
}

static void read_line(ipopt *s, const trxi_nlp_iteration *line)
{
    s->info.expected = NAN;
    s->info.gradient = line->dual;
    s->info.step = line->step;
    s->info.regularization = isfinite(line->regularization) ? line->regularization : 0;
    s->info.defect = s->defect;
}

// returns whether the last two iterations have changed the cost only a little, with small violations
static bool has_settled(ipopt *s, const trxi_nlp_iteration *line, double change)
{
    const bool small = fabs(change) < threshold(s) && line->primal < SMALL_DEFECT && line->mu * s->bounds < threshold(s);
    s->info.small_steps = small ? s->info.small_steps + 1 : 0;
    return s->info.small_steps == 2;
}

// notes why the process ended without an answer, with the memory limit: short of memory, Ipopt may give any reason
static void explain(ipopt *s, const char *why)
{
    char limit[48] = "";
    if (s->nlp.memory > 0) snprintf(limit, sizeof limit, ", with at most %d MB (memory_limit)", s->nlp.memory);
    snprintf(s->note, sizeof s->note, "%s%s", why, limit);
}

// translates the status with which Ipopt ended
static trx_status read_result(ipopt *s, int result)
{
    char why[96];
    const char *text;
    const trx_status status = trxi_nlp_read_result(result, &text);
    s->runs = false;
    if (status == TRX_OK) return status;
    snprintf(why, sizeof why, "Ipopt ended with result %d: %s", result, text);
    explain(s, why);
    return status;
}

static trx_status lose(ipopt *s)
{
    s->runs = false;
    explain(s, trxi_nlp_text(s->process));
    return TRX_PROCESS_LOST;
}

// serves the process until it reports an iteration after the first evaluation
static trxi_nlp_event next_event(ipopt *s, double deadline, trxi_nlp_iteration *line, int *result)
{
    trxi_nlp_event event = trxi_nlp_serve(s->process, deadline, line, result);
    if (event == TRXI_NLP_ITERATED && line->number == 0) event = trxi_nlp_serve(s->process, deadline, line, result);
    return event;
}

static trx_status iterate(void *solver, bool last, bool *finished)
{
    (void)last;
    ipopt *s = solver;
    trxi_nlp_iteration line;
    int result = 0;
    *finished = true;
    s->info.step = 0;
    if (!s->runs) return lose(s);
    const double before = s->work->current->cost;
    switch (next_event(s, s->work->rollout->deadline, &line, &result)) {
    case TRXI_NLP_SOLVED: return read_result(s, result);
    case TRXI_NLP_OUT_OF_TIME: return TRX_TIME_LIMIT;
    case TRXI_NLP_LOST: return lose(s);
    case TRXI_NLP_ITERATED: break;
    }
    read_line(s, &line);
    *finished = has_settled(s, &line, before - s->work->current->cost);
    return TRX_OK;
}

// ---- start and end ----

// writes sizes, entries and bounds of constraints for the present number of steps
static void prepare_program(ipopt *s)
{
    trxi_transcription *t = &s->transcription;
    trxi_limit_rows_fill(&s->rows, s->work->rollout->steps);
    trxi_transcription_fill(t);
    s->nlp.n = t->n, s->nlp.m = t->m;
    s->nlp.njacobian = t->njacobian, s->nlp.nhessian = s->lbfgs ? 0 : t->nhessian;
    const int defects = t->m - s->rows.count;
    for (int i = 0; i < defects; i++) s->g_lower[i] = s->g_upper[i] = 0;
    trxi_limit_rows_bounds(&s->rows, s->g_lower + defects, s->g_upper + defects);
}

// counts the bounds with a barrier; equations have none
static int count_bounds(const ipopt *s)
{
    int count = 0;
    for (int i = 0; i < s->nlp.n; i++) count += isfinite(s->lower[i]) + isfinite(s->upper[i]);
    for (int i = 0; i < s->nlp.m; i++)
        if (s->g_lower[i] < s->g_upper[i]) count += isfinite(s->g_lower[i]) + isfinite(s->g_upper[i]);
    return count;
}

static trx_status start(void *solver, trxi_origin origin, double tolerance)
{
    const bool warm = origin != TRXI_CONTROLS;
    ipopt *s = solver;
    trxi_workspace *w = s->work;
    bool linearized;
    s->note[0] = '\0';
    s->tolerance = tolerance;
    s->info = (trxi_method_info){0};
    prepare_program(s);
    trx_status status = trxi_unknowns_start(w, warm, &s->knots, &linearized, &s->best);
    if (status < 0) return status;
    s->defect = s->info.defect = s->knots.defect;
    s->info.first_cost = fabs(w->current->cost);
    s->valued = s->linearized = false;
    s->kept.cost = INFINITY;
    trxi_transcription_start(&s->transcription, w->current, s->start, s->lower, s->upper);
    s->bounds = count_bounds(s);
    s->nlp.warm = warm;
    s->runs = trxi_nlp_start(s->process, &s->nlp);
    return TRX_OK;
}

// computes gains about the last states; the simulation follows these states with the gains
static bool compute_gains(ipopt *s)
{
    trxi_workspace *w = s->work;
    if (trxi_knots_evaluate(w->rollout, w->current, &s->knots, &w->ocp) < 0) return false;
    for (double mu = 0; mu <= 1; mu = fmax(1e-6, 10 * mu))
        if (trxi_riccati_sweep(&w->ocp, mu, w->scale, &w->riccati, &w->policy)) return true;
    return false;
}

// the largest violation of the limits along a simulation, 0 if all are met [tolerances]
static double violation_of(const ipopt *s, const trxi_trajectory *t)
{
    const trxi_rollout *r = s->work->rollout;
    if (s->rows.count == 0) return 0;
    r->cost->controls = t->u;
    for (int k = 0; k <= r->steps; k++) trxi_cost_value(r->cost, k, t->x + r->nstate * k, k < r->steps ? t->u + r->nu * k : NULL);
    const double violation = trxi_limit_rows_violation(&s->rows);
    return violation <= 1 ? 0 : violation;
}

// the simulation of the start becomes the result if it violates the limits less, or equally and costs less
static void compare_with_start(ipopt *s)
{
    trxi_trajectory *found = s->work->current;
    if (!isfinite(s->best.cost)) return;
    const double before = violation_of(s, &s->best), after = isfinite(found->cost) ? violation_of(s, found) : INFINITY;
    if (before < after || (before == after && s->best.cost <= found->cost)) trxi_trajectory_copy(s->work->rollout, &s->best, found);
}

static void finish(void *solver)
{
    ipopt *s = solver;
    trxi_nlp_stop(s->process);
    s->runs = false;
    if (isfinite(s->kept.cost)) trxi_trajectory_copy(s->work->rollout, &s->kept, s->work->current);
    if (!compute_gains(s)) s->work->current->cost = INFINITY;
    trxi_unknowns_finish(s->work, s->knots.defect, NULL);
    compare_with_start(s);
    s->defect = 0;
}

static void reset(void *solver)
{
    const ipopt *s = solver;
    for (int i = 0; i < s->work->ocp.nu; i++) s->work->scale[i] = 1;
}

static trxi_method_info info(const void *solver)
{
    return ((const ipopt *)solver)->info;
}

static const char *note(const void *solver)
{
    return ((const ipopt *)solver)->note;
}

// only `info` is recorded: no other state outlives a minimization, and within a minimization only Ipopt knows its state
static void visit(trxi_visitor *visitor, void *solver)
{
    ipopt *s = solver;
    TRXI_VISIT(visitor, s->info);
}

// ---- memory ----

static void layout(trxi_arena *arena, const trxi_rollout *r, ipopt *s)
{
    trxi_limit_rows_layout(arena, r->model, r->steps, r->cost->limits, &s->rows);
    trxi_transcription_layout(arena, r, &s->rows, &s->transcription);
    trxi_knots_layout(arena, r, &s->knots);
    trxi_trajectory_layout(arena, r->nstate, r->nu, r->steps, &s->best);
    trxi_trajectory_layout(arena, r->nstate, r->nu, r->steps, &s->kept);
    s->start = TRXI_TAKE(arena, double, s->transcription.n);
    s->lower = TRXI_TAKE(arena, double, s->transcription.n);
    s->upper = TRXI_TAKE(arena, double, s->transcription.n);
    s->at = TRXI_TAKE(arena, double, s->transcription.n);
    s->g_lower = TRXI_TAKE(arena, double, s->transcription.m);
    s->g_upper = TRXI_TAKE(arena, double, s->transcription.m);
}

static void fill_program(const trx_plan_settings *settings, ipopt *s)
{
    const trxi_transcription *t = &s->transcription;
    s->lbfgs = settings->lbfgs;
    s->nlp = (trxi_nlp){.x_lower = s->lower, .x_upper = s->upper, .g_lower = s->g_lower, .g_upper = s->g_upper,
                        .start = s->start, .jacobian = t->jacobian, .hessian = t->hessian, .tolerance = GAUSS_NEWTON_LIMIT,
                        .memory = settings->memory_limit, .evaluate = evaluate, .user = s};
    prepare_program(s);
}

// lets every evaluation of the cost, on any thread, write the rows of its knot
static void want_rows(ipopt *s)
{
    trxi_rollout *r = s->work->rollout;
    r->cost->rows = &s->rows;
    for (int i = 0; r->team && i < r->team->size - 1; i++) r->team->members[i].cost.rows = &s->rows;
}

static trx_status create(trx_context *context, const trx_plan_settings *settings, trxi_workspace *work, void **solver)
{
    char path[TRXI_NLP_PATH];
    trxi_arena arena = {0};
    *solver = NULL;
    const trx_status found = trxi_nlp_find(context, path);
    if (found < 0) return found;
    ipopt *s = trxi_allocate(context, sizeof *s);
    *solver = s;
    if (!s) return TRX_ERR_MEMORY;
    s->work = work;
    layout(&arena, work->rollout, s);
    s->block = trxi_allocate(context, arena.used);
    if (!s->block) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = s->block};
    layout(&arena, work->rollout, s);
    fill_program(settings, s);
    want_rows(s);
    return trxi_nlp_create(context, path, &s->nlp, trxi_nlp_silence(settings->memory_limit), &s->process);
}

static void destroy(trx_context *context, void *solver)
{
    ipopt *s = solver;
    if (!s) return;
    trxi_nlp_destroy(context, s->process);
    trxi_release(context, s->block);
    trxi_release(context, s);
}

const trxi_method trxi_ipopt = {
    .defects = true, .keeps_limits = true, .begins_again = true, .create = create, .destroy = destroy,
    .reset = reset, .start = start, .iterate = iterate, .finish = finish, .info = info, .note = note, .visit = visit};
