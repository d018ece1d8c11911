// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The derivatives of the step against its finite differences (verify/step_fd.c), at the start state and along the
// motion without controls, or at the knots of a run. The error of a column is the largest difference in it, relative to the largest
// entry of the column, or to a thousandth of the largest of the matrix when that is larger:
//
//     max_i |A_ij - F_ij| / max(max_i |F_ij|, 1e-3 max |F|)
//
// C is compared column by column, each parameter with the increment whose differences agree best, D(e) with D(e/2) and their
// extrapolation with that of the increment before; an effect that is below 1e-3 m/s or rad/s for a change of the
// parameter by its own size is lost in the rounding of the differences. Sizes and poses are lost as well where the rounding of
// points in the world, on a stiff contact, is more than a part of what an increment does: differences may agree on steps of it.
//
// At every few states the terms that A and B are made of are judged each (verify/terms.c).
//
// States on a kink have no two-sided derivative, those within a difference step of one no reference; they are counted,
// not judged.

#include "formats/csv.h"
#include "model/model.h"
#include "problem/problem.h"
#include "step/sim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double INCREMENT = 1e-6, TOLERANCE = 1e-10, BOUND = 1e-5;
enum { STATES_A_TERM = 5 }; // terms cost as much as A: of so many states one

typedef struct check {
    trx_context *context;
    const trx_model *model;
    trx_sim *sim;
    double *x, *u, *A, *B, *F_A, *F_B;
    double *C, *ends; // 2 nv, 4 (nq + nv) + 4 nv
    trx_parameter *parameters;
    int nparameter;
    trx_gradient_check *result;
} check;

static void describe(const check *c, int knot, int row, int column, bool control, char at[160])
{
    char of[60], by[60];
    trxi_model_tangent_name(c->model, row, of, sizeof of);
    if (control)
        snprintf(by, sizeof by, "u.%s", trx_model_actuator_name(c->model, column));
    else
        trxi_model_tangent_name(c->model, column, by, sizeof by);
    snprintf(at, 160, "knot %d, d %s / d %s", knot, of, by);
}

// ---- errors ----

static double largest_entry(const double *M, int rows, int columns)
{
    double largest = 0;
    for (int i = 0; i < rows * columns; i++) largest = fmax(largest, fabs(M[i]));
    return largest;
}

// raises *error to the worst column of M against F, and says where
static void compare(const check *c, int knot, const double *M, const double *F, int columns, bool control,
                    double *error, char at[160])
{
    int rows = 2 * c->model->nv;
    double floor = 1e-3 * largest_entry(F, rows, columns);
    for (int j = 0; j < columns; j++) {
        const double *m = M + (size_t)j * (size_t)rows, *f = F + (size_t)j * (size_t)rows;
        double scale = fmax(largest_entry(f, rows, 1), floor);
        for (int i = 0; i < rows; i++) {
            double difference = fabs(m[i] - f[i]);
            double relative = scale > 0 ? difference / scale : difference > 0 ? INFINITY : 0;
            if (relative <= *error) continue; // false for a NaN, which is an error
            *error = isnan(relative) ? INFINITY : relative;
            describe(c, knot, i, j, control, at);
        }
    }
}

// ---- parameters ----

// what a change of a parameter is measured by: its value, or what matters in a scene of a decimetre and a kilogram
static double size_of(const check *c, trx_parameter p)
{
    static const double length = 0.05, angle = 0.05, force = 1, acceleration = 9.81;
    const double dt = trx_sim_get_settings(c->sim).time_step;
    const trx_body_inertia *inertia = &c->model->inertias[p.index < c->model->nbody ? p.index : 0];
    double value = 0;
    switch (p.kind) {
    case TRX_GRAVITY: return acceleration;
    case TRX_BODY_TENSOR:
        value = fmax(inertia->tensor[0], fmax(inertia->tensor[1], inertia->tensor[2]));
        return value > 0 ? value : inertia->mass * length * length; // of a point
    case TRX_PLACE_TURN: return angle;
    case TRX_BODY_COM:
    case TRX_PLACE_POSITION:
    case TRX_GEOM_SIZE:
    case TRX_GEOM_RADIUS:
    case TRX_GEOM_LENGTH:
    case TRX_GEOM_ROUNDING:
    case TRX_JOINT_REST: return length;
    case TRX_ACTUATOR_BIAS: return force;
    case TRX_JOINT_DAMPING:
    case TRX_JOINT_STIFFNESS:
    case TRX_JOINT_ARMATURE: {
        double least = INFINITY;
        const trxi_joint *joint = &c->model->joints[p.index];
        for (int i = joint->v; i < joint->v + joint->nv; i++) least = fmin(least, c->sim->M[c->model->column[i] + i]);
        return 1e-2 * least / (p.kind == TRX_JOINT_DAMPING ? dt : p.kind == TRX_JOINT_STIFFNESS ? dt * dt : 1);
    }
    default: return trx_sim_parameter(c->sim, p, &value) == TRX_OK ? fabs(value) : 0;
    }
}

// (4 D(e/2) - D(e))/3 in F, and how far the two are apart; false when an end took other branches
static bool parameter_differences(const check *c, trx_parameter p, double e, unsigned long long branches, double *F, double *apart)
{
    const int nq = c->model->nq, nv = c->model->nv, nx = nq + nv;
    const double amounts[4] = {e, -e, e / 2, -e / 2};
    double value, *wide = c->ends + 4 * nx, *narrow = F;
    if (trx_sim_parameter(c->sim, p, &value) < 0) return false;
    bool smooth = true;
    for (int k = 0; k < 4 && smooth; k++)
        smooth = trxi_sim_put_parameter(c->sim, p, value + amounts[k]) == TRX_OK &&
                 trx_step(c->sim, c->x, c->u, c->ends + k * nx) >= 0 && trx_sim_step_info(c->sim).branches == branches;
    trxi_sim_put_parameter(c->sim, p, value);
    if (!smooth) return false;
    *apart = 0;
    for (int k = 0; k < 2; k++) {
        double *D = k ? narrow : wide, *plus = c->ends + 2 * k * nx, *minus = plus + nx;
        trx_model_difference(c->model, plus, minus, D);
        for (int i = 0; i < nv; i++) D[nv + i] = plus[nq + i] - minus[nq + i];
        for (int i = 0; i < 2 * nv; i++) D[i] /= 2 * amounts[2 * k];
    }
    for (int i = 0; i < 2 * nv; i++) {
        *apart = fmax(*apart, fabs(narrow[i] - wide[i]));
        F[i] = (4 * narrow[i] - wide[i]) / 3;
    }
    return true;
}

// what the rounding of places in the world does to the velocities, by the largest slope in A
static double rounding_of(const check *c, trx_parameter p)
{
    if (p.kind < TRX_GEOM_SIZE) return 0;
    const double place = largest_entry(c->sim->kin.p, 3, c->model->nlink);
    return 0.5 * DBL_EPSILON * place * largest_entry(c->A, 2 * c->model->nv, c->model->nv);
}

// the error of one column where there is a reference: two extrapolations from neighbouring increments that agree
static void judge_parameter(const check *c, int knot, trx_parameter p, unsigned long long branches)
{
    static const double first = 1e-3, last = 1e-9, lost = 1e-3, agree = 1e-6, most_rounding = 5e-6;
    trx_gradient_check *r = c->result;
    const int n = 2 * c->model->nv;
    const double size = size_of(c, p), rounding = rounding_of(c, p);
    double best = INFINITY, error = 0, *F = c->F_A, *before = F + n;
    bool neighbour = false;
    int worst = 0;
    for (double e = first * size; size > 0 && e > last * size; e /= 5) {
        double apart, spread = 0;
        memcpy(before, F, (size_t)n * sizeof *F);
        const bool known = neighbour;
        neighbour = parameter_differences(c, p, e, branches, F, &apart);
        if (!neighbour || !known) continue;
        const double scale = fmax(largest_entry(F, n, 1), lost / size);
        for (int i = 0; i < n; i++) spread = fmax(spread, fabs(F[i] - before[i]));
        spread = fmax(spread, apart) / scale;
        if (rounding / e > most_rounding * scale) break;
        if (spread > 10 * best) break; // rounding grows from here on; what agrees beyond agrees by chance
        if (!(spread < best)) continue;
        best = spread;
        error = 0;
        for (int i = 0; i < n; i++) {
            double relative = fabs(c->C[i] - F[i]) / scale;
            if (!(relative <= error)) error = isnan(relative) ? INFINITY : relative, worst = i;
        }
    }
    if (!(best < agree)) {
        r->parameters_left++;
        return;
    }
    r->parameters++;
    if (error <= r->c_error) return;
    char of[60], by[90];
    r->c_error = error;
    trxi_model_tangent_name(c->model, worst, of, sizeof of);
    if (!trx_model_parameter_name(c->model, p, by, sizeof by)) by[0] = '\0';
    snprintf(r->c_at, sizeof r->c_at, "knot %d, d %s / d %s", knot, of, by);
}

// the first change of a parameter copies the model: memory may run out there, and a difference that fails is none
static trx_status own_model(const check *c, trx_parameter p)
{
    double value;
    if (trx_sim_parameter(c->sim, p, &value) < 0) return TRX_OK;
    return trxi_sim_put_parameter(c->sim, p, value) == TRX_ERR_MEMORY ? TRX_ERR_MEMORY : TRX_OK;
}

// every parameter at one state; of large models every so many, others at the next
static trx_status judge_parameters(const check *c, int knot)
{
    trx_gradient_check *r = c->result;
    const unsigned long long branches = trx_sim_step_info(c->sim).branches;
    trx_sim_settings settings = trx_sim_get_settings(c->sim);
    const double tolerance = settings.tolerance;
    settings.tolerance = 0; // as far down as rounding allows
    trx_status status = trx_sim_set_settings(c->sim, &settings);
    const double work = (double)c->nparameter * c->model->nv * c->model->nv, most = 1e5;
    const int stride = 1 + (int)(work / most);
    for (int k = r->states % stride; k < c->nparameter && status >= 0; k += stride) {
        if ((status = trx_step(c->sim, c->x, c->u, NULL)) < 0) break;
        if ((status = trx_step_jac_parameters(c->sim, &c->parameters[k], 1, c->C)) < 0) break;
        if ((status = own_model(c, c->parameters[k])) < 0) break;
        judge_parameter(c, knot, c->parameters[k], branches);
    }
    settings.tolerance = tolerance;
    trx_status restored = trx_sim_set_settings(c->sim, &settings);
    return status < 0 ? status : restored;
}

// the terms of A and B; what is the worst so far says its knot
static trx_status judge_terms(const check *c, int knot)
{
    trx_term_check *terms = c->result->terms;
    double before[TRX_TERMS];
    for (int k = 0; k < TRX_TERMS; k++) before[k] = terms[k].error;
    trx_status status = trx_step_check_terms(c->sim, c->x, c->u, terms);
    for (int k = 0; k < TRX_TERMS && status >= 0; k++) {
        char at[sizeof terms[k].at];
        if (!(terms[k].error > before[k])) continue;
        snprintf(at, sizeof at, "knot %d, %.250s", knot, terms[k].at);
        memcpy(terms[k].at, at, sizeof at);
    }
    c->result->term_states++;
    return status;
}

static trx_status judge(const check *c, int knot)
{
    trx_gradient_check *r = c->result;
    bool kink = false;
    trx_status status = (r->states + r->kinks) % STATES_A_TERM == 0 ? judge_terms(c, knot) : TRX_OK;
    if (status < 0) return status;
    status = trx_step_fd(c->sim, c->x, c->u, INCREMENT, c->F_A, c->F_B, &kink);
    if (status < 0) return status;
    if (kink || trx_sim_step_info(c->sim).kink == 0) {
        r->kinks++;
        return TRX_OK;
    }
    if ((status = trx_step(c->sim, c->x, c->u, NULL)) < 0) return status;
    if ((status = trx_step_jac(c->sim, c->A, c->B)) < 0) return status;
    compare(c, knot, c->A, c->F_A, 2 * c->model->nv, false, &r->a_error, r->a_at);
    compare(c, knot, c->B, c->F_B, c->model->nu, true, &r->b_error, r->b_at);
    r->states++;
    return judge_parameters(c, knot);
}

static trx_status walk(const check *c, const trx_problem *problem, int max_states)
{
    int nx = c->model->nq + c->model->nv;
    int steps = problem->steps, stride = max_states > 0 ? (steps - 1) / max_states + 1 : steps + 1;
    for (int i = 0; i < nx; i++) c->x[i] = problem->start[i];
    for (int k = 0; k <= problem->steps; k++) {
        trx_sim_set_time(c->sim, k * problem->sim.time_step);
        trx_status status = k % stride == 0 ? judge(c, k) : TRX_OK;
        if (status < 0) return status;
        if (k + stride > problem->steps && k % stride == 0) break;
        if ((status = trx_step(c->sim, c->x, NULL, c->x)) < 0) return status;
    }
    return TRX_OK;
}

// ---- runs ----

typedef struct run_table {
    trxi_csv csv;
    int *columns; // t, then those of x and u
    int rows;     // that have controls: the last knot of a run has none
} run_table;

static double cell(const run_table *t, int row, int i)
{
    return t->csv.data[(size_t)row * (size_t)t->csv.cols + (size_t)t->columns[i]];
}

static const char *column_name(const trx_model *model, trxi_pool *pool, int i)
{
    if (i == 0) return "t";
    if ((i -= 1) < model->nq) return trx_model_q_name(model, i);
    if ((i -= model->nq) < model->nv) return trx_model_v_name(model, i);
    return trxi_pool_printf(pool, "u.%s", trx_model_actuator_name(model, i - model->nv));
}

static trx_status read_run(const trx_problem *problem, trxi_pool *pool, const char *folder, run_table *t)
{
    const trx_model *model = problem->model;
    const int count = 1 + model->nq + model->nv + model->nu, first_u = count - model->nu;
    const char *path = trxi_pool_printf(pool, "%s/trajectory.csv", folder);
    t->columns = TRXI_POOL(pool, int, count);
    if (!path || !t->columns) return TRX_ERR_MEMORY;
    trx_status status = trxi_csv_read(problem->context, pool, path, &t->csv);
    if (status < 0) return status;
    for (int i = 0; i < count; i++) {
        const char *name = column_name(model, pool, i);
        if (!name) return TRX_ERR_MEMORY;
        t->columns[i] = trxi_csv_find(&t->csv, name);
        if (t->columns[i] < 0)
            return trxi_error_at(problem->context, (trx_source){t->csv.file, 1, 1},
                                 "no column \"%s\": give a run of this problem", name);
    }
    t->rows = t->csv.rows;
    if (t->rows > 1 && model->nu > 0 && isnan(cell(t, t->rows - 1, first_u))) t->rows--;
    if (t->rows == 0)
        return trxi_error_at(problem->context, (trx_source){t->csv.file, 1, 1}, "no rows: give a run that has some");
    for (int row = 0; row < t->rows; row++)
        for (int i = 0; i < count; i++)
            if (isnan(cell(t, row, i)))
                return trxi_error_at(problem->context, trxi_csv_source(&t->csv, row, t->columns[i]),
                                     "an empty cell: write a number");
    return TRX_OK;
}

// rows that lie evenly, the first among them
static trx_status walk_run(const check *c, const trx_problem *problem, const run_table *t, int max_states)
{
    const int nx = c->model->nq + c->model->nv, stride = max_states > 1 ? (t->rows - 1) / max_states + 1 : t->rows;
    for (int row = 0; row < t->rows; row += stride) {
        const double time = cell(t, row, 0);
        for (int i = 0; i < nx; i++) c->x[i] = cell(t, row, 1 + i);
        for (int i = 0; i < c->model->nu; i++) c->u[i] = cell(t, row, 1 + nx + i);
        trx_status status = trx_sim_set_time(c->sim, time);
        if (status >= 0) status = judge(c, (int)lround(time / problem->sim.time_step));
        if (status < 0) return status;
    }
    return TRX_OK;
}

static void layout(trxi_arena *arena, check *c)
{
    const size_t nv = (size_t)c->model->nv, nu = (size_t)c->model->nu, nq = (size_t)c->model->nq;
    c->x = TRXI_TAKE(arena, double, nq + nv);
    c->u = TRXI_TAKE(arena, double, nu);
    c->A = TRXI_TAKE(arena, double, 4 * nv * nv);
    c->F_A = TRXI_TAKE(arena, double, 4 * nv * nv + 4 * nv);
    c->B = TRXI_TAKE(arena, double, 2 * nv * nu);
    c->F_B = TRXI_TAKE(arena, double, 2 * nv * nu);
    c->C = TRXI_TAKE(arena, double, 2 * nv);
    c->ends = TRXI_TAKE(arena, double, 4 * (nq + nv) + 2 * nv);
    c->parameters = TRXI_TAKE(arena, trx_parameter, c->nparameter);
}

static bool all_within(const trx_gradient_check *r)
{
    bool within = r->a_error < BOUND && r->b_error < BOUND && r->c_error < BOUND;
    for (int k = 0; k < TRX_TERMS; k++) within = within && r->terms[k].error < BOUND;
    return within;
}

// along the motion without controls, or along a run where there is one
static trx_status check_along(trx_problem *problem, const run_table *table, int max_states, trx_gradient_check *result)
{
    check c = {.context = problem->context, .model = problem->model, .result = result};
    c.nparameter = trx_model_parameters(c.model, NULL, 0);
    trx_sim_settings settings = problem->sim;
    settings.tolerance = fmin(settings.tolerance, TOLERANCE);
    trx_status status = trx_sim_create(problem->context, problem->model, &settings, &c.sim);
    if (status < 0) return status;

    trxi_arena arena = {0};
    layout(&arena, &c);
    char *memory = trxi_allocate(problem->context, arena.used);
    status = memory ? TRX_OK : TRX_ERR_MEMORY;
    if (memory) {
        arena = (trxi_arena){.base = memory};
        layout(&arena, &c);
        for (int i = 0; i < c.model->nu; i++) c.u[i] = 0;
        trx_model_parameters(c.model, c.parameters, c.nparameter);
        status = table ? walk_run(&c, problem, table, max_states) : walk(&c, problem, max_states);
    }
    result->ok = status >= 0 && all_within(result);
    if (status >= 0 && result->states == 0)
        trxi_warn_at(problem->context, problem->root->source, "no gradient was judged: every state tried lies at a kink");
    trxi_release(problem->context, memory);
    trx_sim_destroy(c.sim);
    return status < 0 ? status : TRX_OK;
}

trx_status trx_problem_check_gradients(trx_problem *problem, int max_states, trx_gradient_check *result)
{
    if (!problem) return TRX_ERR_ARGUMENT;
    if (!result) return trxi_fail(problem->context, TRX_ERR_ARGUMENT, "no place for the result");
    *result = (trx_gradient_check){0};
    return check_along(problem, NULL, max_states, result);
}

trx_status trx_problem_check_run(trx_problem *problem, const char *folder, int max_states, trx_gradient_check *result)
{
    if (!problem) return TRX_ERR_ARGUMENT;
    if (!folder || !result) return trxi_fail(problem->context, TRX_ERR_ARGUMENT, "no run or no place for the result");
    *result = (trx_gradient_check){0};
    trxi_pool *pool = trxi_pool_create(problem->context);
    if (!pool) return TRX_ERR_MEMORY;
    run_table table;
    trx_status status = read_run(problem, pool, folder, &table);
    if (status >= 0) status = check_along(problem, &table, max_states, result);
    trxi_pool_destroy(pool);
    return status;
}
