// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of a step compared with differences (theory 6). The error of a column is its largest difference, relative
// to the largest entry of the column, or to a thousandth of the largest entry of the matrix if this is larger:
//
//     max_i |A_ij - F_ij| / max(max_i |F_ij|, 1e-3 max |F|)
//
// C is compared column by column. Its references are confirmed: the extrapolations of two neighbouring increments
// agree. An effect below 1e-3 m/s or rad/s, for a change of the parameter by its own size, is lost in the rounding of
// the differences. Sizes and poses lose more digits: they move points of the world, whose rounding acts through the
// stiffness of contacts.
//
// Every fifth state also has each term of A and B judged (terms.c). A state on a kink has no two-sided derivative, and a
// state within an increment of a kink has no reference. At such states A, B and C are not judged; the states are counted.

#include "verify/gradient_check.h"

#include "model/model.h"
#include "model/parameters.h"
#include "step/sim.h"
#include "verify/parameter_fd.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double INCREMENT = 1e-6, BOUND = 1e-5;
static const double LOST = 1e-3;         // effect of a parameter that rounding hides [m/s or rad/s]
static const double AGREE = 1e-6;        // largest relative error estimate at which a column of C is judged
static const double MOST_WORK = 1e5;     // limit of parameters times nv^2 per state: larger models judge part of the parameters
enum { STATES_A_TERM = 5 };              // terms are judged at every fifth state, because they cost as much as A

struct trxi_gradient_checker {
    trx_context *context;
    const trx_model *model;
    trx_sim *sim;
    double *A, *B, *F_A, *F_B;
    double *C, *F_C, *scratch, *ends; // ntangent, ntangent, as richardson.h says, 2 (nstate)
    trx_parameter *parameters;
    int nparameter;
};

// ---- state and controls ----

// raises *error to the error of the worst entry of M against F, and writes the entry's name to `at`
static void compare(const trxi_gradient_checker *c, int knot, const double *M, const double *F, int columns, bool control,
                    double *error, char at[160])
{
    trxi_verdict verdict = trxi_judge(c->model->ntangent, columns, M, F, NULL, 0);
    if (!(verdict.error > *error)) return;
    char of[60], by[60];
    trxi_model_tangent_name(c->model, verdict.row, of, sizeof of);
    if (control) snprintf(by, sizeof by, "u.%s", trx_model_actuator_name(c->model, verdict.column));
    else trxi_model_tangent_name(c->model, verdict.column, by, sizeof by);
    *error = verdict.error;
    snprintf(at, 160, "knot %d, d %s / d %s", knot, of, by);
}

// ---- parameters ----

// effect of the rounding of positions in the world on the velocities, from the largest slope in A
static double rounding_of(const trxi_gradient_checker *c, trx_parameter p)
{
    if (p.kind < TRX_GEOM_SIZE) return 0;
    const double place = trxi_largest(3 * c->model->nlink, c->sim->smooth.kin.p);
    return 0.1 * DBL_EPSILON * place * trxi_largest(c->model->ntangent * c->model->nv, c->A);
}

// judges one column of C if the column has a reference
static trx_status judge_parameter(const trxi_gradient_checker *c, int knot, trx_parameter p, const double *x, const double *u,
                                  trx_gradient_check *r)
{
    const int n = c->model->ntangent;
    const double size = trxi_parameter_size(c->sim, p);
    const trxi_ladder ladder = {.first = 1e-3 * size, .least = 1e-9 * size, .shrink = 0.2, .patience = 10, .confirmed = true};
    trxi_column column = {.rows = n, .F = c->F_C, .scratch = c->scratch, .floor = LOST / size, .rounding = rounding_of(c, p),
                          .estimate = INFINITY};
    trx_status status = TRX_OK;
    if (size > 0) status = trxi_parameter_fd(c->sim, p, x, u, &ladder, c->ends, &column);
    if (status < 0) return status;
    if (column.crossed || !(column.estimate < AGREE)) {
        r->parameters_left++;
        return TRX_OK;
    }
    r->parameters++;
    trxi_verdict verdict = trxi_judge(n, 1, c->C, c->F_C, NULL, column.floor);
    if (!(verdict.error > r->c_error)) return TRX_OK;
    char of[60], by[90];
    trxi_model_tangent_name(c->model, verdict.row, of, sizeof of);
    if (!trx_model_parameter_name(c->model, p, by, sizeof by)) by[0] = '\0';
    r->c_error = verdict.error;
    snprintf(r->c_at, sizeof r->c_at, "knot %d, d %s / d %s", knot, of, by);
    return TRX_OK;
}

// a parameter of all pairs of two bodies gives all these pairs one value. If the pairs have different values, returns the
// parameter of the first pair alone, so that the other pairs keep their values
static trx_parameter with_one_value(const trx_sim *sim, trx_parameter p)
{
    double value = 0, other = 0;
    trx_parameter one = p;
    one.component = 0;
    if (!trxi_parameter_is_pair(p.kind) || trx_sim_parameter(sim, p, &value) < 0) return p;
    for (int i = -1; (i = trxi_parameter_next_pair(trx_sim_model(sim), p, i)) >= 0;)
        if (trx_sim_parameter(sim, (trx_parameter){p.kind, i, 0}, &other) < 0 || other != value) return one;
    return p;
}

// judges every parameter at one state; large models judge a different part of the parameters at each state
static trx_status judge_parameters(const trxi_gradient_checker *c, int knot, const double *x, const double *u,
                                   trx_gradient_check *r)
{
    const trx_sim_settings before = trx_sim_get_settings(c->sim);
    trx_sim_settings tight = before;
    tight.tolerance = 0; // solve until rounding stops the solve
    trx_status status = trx_sim_set_settings(c->sim, &tight);
    const int stride = 1 + (int)((double)c->nparameter * c->model->nv * c->model->nv / MOST_WORK);
    for (int k = r->states % stride; k < c->nparameter && status >= 0; k += stride) {
        if ((status = trx_step(c->sim, x, u, NULL)) < 0) break;
        if ((status = trx_step_jac_parameters(c->sim, &c->parameters[k], 1, c->C)) < 0) break;
        status = judge_parameter(c, knot, c->parameters[k], x, u, r);
    }
    trx_status restored = trx_sim_set_settings(c->sim, &before);
    return status < 0 ? status : restored;
}

// ---- terms ----

// judges the terms of A and B; adds the knot to the name of the worst entry of a term
static trx_status judge_terms(const trxi_gradient_checker *c, int knot, const double *x, const double *u, trx_gradient_check *r)
{
    double before[TRX_TERMS];
    for (int k = 0; k < TRX_TERMS; k++) before[k] = r->terms[k].error;
    trx_status status = trx_step_check_terms(c->sim, x, u, r->terms);
    for (int k = 0; k < TRX_TERMS && status >= 0; k++) {
        trx_term_check *term = &r->terms[k];
        char at[sizeof term->at];
        if (!(term->error > before[k])) continue;
        snprintf(at, sizeof at, "knot %d, %.250s", knot, term->at);
        memcpy(term->at, at, sizeof at);
    }
    r->term_states++;
    return status;
}

// ---- one state ----

trx_status trxi_gradient_checker_judge(trxi_gradient_checker *c, int knot, const double *x, const double *u,
                                       trx_gradient_check *r)
{
    bool kink = false;
    trx_status status = (r->states + r->kinks) % STATES_A_TERM == 0 ? judge_terms(c, knot, x, u, r) : TRX_OK;
    if (status >= 0) status = trx_step_fd(c->sim, x, u, INCREMENT, c->F_A, c->F_B, &kink);
    if (status < 0) return status;
    if (kink || trx_sim_step_info(c->sim).kink == 0) {
        r->kinks++;
        return TRX_OK;
    }
    if ((status = trx_step(c->sim, x, u, NULL)) < 0) return status;
    if ((status = trx_step_jac(c->sim, c->A, c->B)) < 0) return status;
    compare(c, knot, c->A, c->F_A, c->model->ntangent, false, &r->a_error, r->a_at);
    compare(c, knot, c->B, c->F_B, c->model->nu, true, &r->b_error, r->b_at);
    r->states++;
    return judge_parameters(c, knot, x, u, r);
}

bool trxi_gradient_check_passed(const trx_gradient_check *r)
{
    bool within = r->a_error < BOUND && r->b_error < BOUND && r->c_error < BOUND;
    for (int k = 0; k < TRX_TERMS; k++) within = within && r->terms[k].error < BOUND;
    return within;
}

// ---- life ----

static void layout(trxi_arena *arena, const trx_model *model, trxi_gradient_checker **checker, trxi_gradient_checker *c)
{
    const size_t nx = (size_t)model->ntangent, nu = (size_t)model->nu;
    *checker = TRXI_TAKE(arena, trxi_gradient_checker, 1);
    c->A = TRXI_TAKE(arena, double, nx * nx);
    c->F_A = TRXI_TAKE(arena, double, nx * nx);
    c->B = TRXI_TAKE(arena, double, nx * nu);
    c->F_B = TRXI_TAKE(arena, double, nx * nu);
    c->C = TRXI_TAKE(arena, double, nx);
    c->F_C = TRXI_TAKE(arena, double, nx);
    c->scratch = TRXI_TAKE(arena, double, TRXI_COLUMN_SCRATCH * nx);
    c->ends = TRXI_TAKE(arena, double, 2 * model->nstate);
    c->parameters = TRXI_TAKE(arena, trx_parameter, c->nparameter);
}

trx_status trxi_gradient_checker_create(trx_context *context, const trx_model *model, const trx_sim_settings *settings,
                                        trxi_gradient_checker **checker)
{
    trxi_gradient_checker c = {.context = context, .model = model, .nparameter = trx_model_parameters(model, NULL, 0)};
    trxi_arena arena = {0};
    layout(&arena, model, checker, &c);
    *checker = NULL;
    trx_status status = trx_sim_create(context, model, settings, &c.sim);
    if (status < 0) return status;
    char *memory = trxi_allocate(context, arena.used);
    if (!memory) {
        trx_sim_destroy(c.sim);
        return TRX_ERR_MEMORY;
    }
    arena = (trxi_arena){.base = memory};
    layout(&arena, model, checker, &c);
    trx_model_parameters(model, c.parameters, c.nparameter);
    for (int i = 0; i < c.nparameter; i++) c.parameters[i] = with_one_value(c.sim, c.parameters[i]);
    **checker = c;
    return TRX_OK;
}

void trxi_gradient_checker_destroy(trxi_gradient_checker *checker)
{
    if (!checker) return;
    trx_sim_destroy(checker->sim);
    trxi_release(checker->context, checker);
}

trx_sim *trxi_gradient_checker_sim(trxi_gradient_checker *checker)
{
    return checker->sim;
}
