// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Ipopt (Waechter, Biegler 2006) as the solver of a round (theory 10; program.c has variables and derivatives). Ipopt runs in a
// process of its own (nlp/solver.h); this process evaluates the windows, by all threads. Ipopt asks for gradients at accepted
// points only. The best of them is the result.
//
// The end: Ipopt's own test, or two iterations in a row that change the objective by less than
//
//     eps = tolerance V
//
// while the barrier's share, mu times the number of bounds, is below eps too. A process that dies, hangs or has no memory ends the
// solve with a status, and the best point so far remains.

#include "fit/ipopt.h"

#include "fit/minimize.h"
#include "fit/program.h"
#include "nlp/program.h"
#include "nlp/solver.h"

#include <math.h>
#include <string.h>

static const double OWN_TOLERANCE = 1e-9; // of Ipopt, below what the test above can see
static const double AT_BOUND = 1e-6;      // of an unknown: Ipopt keeps a small distance from bounds
enum { SETTLED = 2 };                     // small iterations in a row

struct trxi_fit_ipopt {
    trx_fit *fit;
    trxi_fit_program program;
    trxi_nlp nlp;
    trxi_nlp_solver *process;
    double *at;                 // n: variables of the trial
    trxi_derivatives known;     // of the trial
    bool tried;                 // the trial is evaluated
    bool short_of_memory;       // in some evaluation of this solve
    double objective;           // of the trial
    double best, *best_z, *best_x; // the point of the least objective: unknowns x sessions, nstate x windows
    int bounds;                 // finite bounds of variables
};

// ---- values for the process ----

static bool evaluate_at(struct trxi_fit_ipopt *s, const double *variables, trxi_derivatives derivatives)
{
    const size_t size = (size_t)s->nlp.n * sizeof *variables;
    if (s->tried && s->known >= derivatives && memcmp(variables, s->at, size) == 0) return isfinite(s->objective);
    memcpy(s->at, variables, size);
    trxi_fit_program_try(&s->program, variables, s->fit);
    s->objective = trxi_fit_evaluate_trial(s->fit, derivatives);
    s->known = derivatives;
    s->tried = true;
    s->short_of_memory = s->short_of_memory || trxi_fit_has_no_memory(s->fit);
    return isfinite(s->objective);
}

static void keep_best(struct trxi_fit_ipopt *s)
{
    const trx_fit *fit = s->fit;
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    if (!(s->objective < s->best)) return;
    s->best = s->objective;
    memcpy(s->best_z, fit->z_trial, sizeof *s->best_z * (size_t)(fit->unknowns.count * fit->sessions.count));
    memcpy(s->best_x, fit->fitted.x_trial, sizeof *s->best_x * (size_t)size.nstate * (size_t)fit->fitted.count);
}

static bool evaluate(void *user, trxi_nlp_value what, const double *x, double factor, const double *lambda, double *out)
{
    struct trxi_fit_ipopt *s = user;
    (void)lambda;
    if (what == TRXI_NLP_G || what == TRXI_NLP_JACOBIAN) return true; // there are no constraints
    if (!evaluate_at(s, x, what == TRXI_NLP_F ? TRXI_VALUE : TRXI_BY_ALL)) return false;
    if (what == TRXI_NLP_F) *out = s->objective;
    if (what == TRXI_NLP_HESSIAN) trxi_fit_program_hessian(&s->program, x, factor, out);
    if (what != TRXI_NLP_GRADIENT) return true;
    trxi_fit_program_gradient(&s->program, x, out);
    keep_best(s);
    return true;
}

// ---- the solve ----

static trx_status begin(struct trxi_fit_ipopt *s)
{
    trx_fit *fit = s->fit;
    trx_status status = trxi_evaluate_all(fit, &fit->fitted, TRXI_VALUE);
    for (int i = 0; i < fit->fitted.count && status >= 0; i++) status = fit->fitted.now[i].status;
    if (status < 0) return status;
    trxi_fit_program_fill(&s->program);
    s->nlp.n = s->program.n, s->nlp.nhessian = s->program.nhessian;
    s->tried = s->short_of_memory = false;
    s->best = trxi_fit_objective_now(fit);
    trxi_fit_keep(fit, s->best_z, s->best_x);
    s->bounds = 0;
    for (int i = 0; i < s->nlp.n; i++) s->bounds += isfinite(s->program.lower[i]) + isfinite(s->program.upper[i]);
    return TRX_OK;
}

// the row of an iteration; false: the caller ends the fit
static bool record(struct trxi_fit_ipopt *s, const trxi_nlp_iteration *line)
{
    trx_fit *fit = s->fit;
    const int all = fit->sessions.count * fit->unknowns.count;
    for (int i = 0; i < all; i++) fit->dz[i] = s->best_z[i] - fit->z[i];
    return trxi_fit_record(fit, s->best, isfinite(line->regularization) ? line->regularization : 0, true);
}

static trx_status read_result(trx_fit *fit, int result)
{
    const char *text;
    const trx_status status = trxi_nlp_read_result(result, &text);
    if (status != TRX_OK) fit->info.solver_note = text;
    return status;
}

// serves the process until it ends, or until the objective no longer changes
static trx_status follow(struct trxi_fit_ipopt *s)
{
    trx_fit *fit = s->fit;
    double before = s->best;
    for (int small = 0, iteration = 0; iteration < fit->settings.iterations;) {
        trxi_nlp_iteration line;
        int result = 0;
        switch (trxi_nlp_serve(s->process, INFINITY, &line, &result)) {
        case TRXI_NLP_SOLVED: return read_result(fit, result);
        case TRXI_NLP_ITERATED: break;
        default:
            fit->info.solver_note = trxi_pool_printf(fit->pool, "%s", trxi_nlp_text(s->process));
            return fit->info.solver_note ? TRX_PROCESS_LOST : TRX_ERR_MEMORY;
        }
        if (line.number == 0) continue;
        iteration++, fit->info.iterations++;
        if (!record(s, &line)) return TRX_INTERRUPTED;
        const double least = fit->settings.tolerance * s->best;
        small = before - s->best < least && line.mu * s->bounds < least ? small + 1 : 0;
        if (small == SETTLED) return TRX_OK;
        before = s->best;
    }
    return TRX_ITERATION_LIMIT;
}

// copies the best point to the fit, and moves unknowns that are near a bound onto the bound, because Ipopt keeps a distance
static trx_status take_best(struct trxi_fit_ipopt *s)
{
    trx_fit *fit = s->fit;
    const trxi_unknowns *u = &fit->unknowns;
    for (int i = 0; i < fit->sessions.count * u->count; i++) {
        const double lower = u->lower[i % u->count], upper = u->upper[i % u->count], z = s->best_z[i];
        const double near = AT_BOUND * fmax(1, fabs(z));
        s->best_z[i] = z < lower + near ? lower : z > upper - near ? upper : z;
    }
    trxi_fit_restore(fit, s->best_z, s->best_x);
    fit->stale = true;
    return trxi_evaluate_all(fit, &fit->fitted, TRXI_VALUE);
}

trx_status trxi_fit_ipopt_solve(trx_fit *fit)
{
    struct trxi_fit_ipopt *s = fit->ipopt;
    fit->info.solver_note = NULL;
    const trx_status begun = begin(s);
    if (begun < 0) return begun;
    trxi_nlp_start(s->process, &s->nlp); // a process that does not start is lost
    const trx_status status = follow(s);
    trxi_nlp_stop(s->process);
    const trx_status taken = take_best(s);
    return taken < 0 || s->short_of_memory ? TRX_ERR_MEMORY : status;
}

// ---- memory ----

trx_status trxi_fit_ipopt_begin(trx_fit *fit)
{
    char path[TRXI_NLP_PATH];
    trx_status status = trxi_nlp_find(fit->context, path);
    if (status < 0) return status;
    struct trxi_fit_ipopt *s = fit->ipopt = TRXI_POOL(fit->pool, struct trxi_fit_ipopt, 1);
    if (!s) return TRX_ERR_MEMORY;
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    *s = (struct trxi_fit_ipopt){.fit = fit};
    if ((status = trxi_fit_program_begin(fit, &s->program)) < 0) return status;
    trxi_fit_program_fill(&s->program);
    s->nlp = (trxi_nlp){.n = s->program.n, .nhessian = s->program.nhessian, .x_lower = s->program.lower,
                        .x_upper = s->program.upper, .start = s->program.start, .hessian = s->program.hessian, .warm = true,
                        .tolerance = OWN_TOLERANCE, .evaluate = evaluate, .user = s};
    s->at = TRXI_POOL(fit->pool, double, s->nlp.n + 1);
    s->best_z = TRXI_POOL(fit->pool, double, fit->unknowns.count * fit->sessions.count + 1);
    s->best_x = TRXI_POOL(fit->pool, double, (size_t)size.nstate * (size_t)fit->fitted.count + 1);
    if (!s->at || !s->best_z || !s->best_x) return TRX_ERR_MEMORY;
    return trxi_nlp_create(fit->context, path, &s->nlp, trxi_nlp_silence(0), &s->process);
}

void trxi_fit_ipopt_end(trx_fit *fit)
{
    if (fit->ipopt) trxi_nlp_destroy(fit->context, fit->ipopt->process);
}
