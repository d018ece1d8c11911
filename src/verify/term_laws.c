// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The impulse laws against their differences (theory 4, 6): G = -dgamma/dv_c and the partials of gamma by the gap phi0, the lagged
// impulse gn0, the effective inverse mass w, the friction mu and the velocity before the step. Differences change one of these
// in a copy of the contact, whose constants are made anew. Increments go down from the size of the argument: a law
// that turns within the stiction tolerance has its reference there. Also what one derivative is judged by, and names.

#include "verify/terms.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static const double settled = 1e-6;  // doubt at which no other increment is tried
static const double doubtful = 3e-6; // doubt above which there is no reference

// ---- one derivative ----

void trxi_term_refer(int rows, const double *ends, size_t stride, double e, double *F, double *doubt)
{
    const double *plus = ends, *minus = ends + stride, *near_plus = ends + 2 * stride, *near_minus = ends + 3 * stride;
    double apart = 0, size = 0;
    for (int i = 0; i < rows; i++) {
        double wide = (plus[i] - minus[i]) / (2 * e), narrow = (near_plus[i] - near_minus[i]) / e;
        if (!isfinite(wide) || !isfinite(narrow)) return;
        apart = fmax(apart, fabs(wide - narrow));
        size = fmax(size, fmax(fabs(plus[i]), fabs(minus[i])));
    }
    apart += 4 * DBL_EPSILON * size / e;
    if (!(apart < *doubt)) return;
    *doubt = apart;
    for (int i = 0; i < rows; i++)
        F[i] = (4 * (near_plus[i] - near_minus[i]) / e - (plus[i] - minus[i]) / (2 * e)) / 3;
}

static double largest(int count, const double *values)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
    return most;
}

bool trxi_term_settled(int rows, const double *F, double doubt, double least)
{
    return doubt <= settled * fmax(largest(rows, F), least);
}

trxi_term_verdict trxi_term_judge(int rows, int columns, const double *D, const double *F, const double *doubt, double least)
{
    trxi_term_verdict verdict = {0};
    double floor = least;
    for (int j = 0; j < columns; j++)
        if (isfinite(doubt[j])) floor = fmax(floor, 1e-3 * largest(rows, F + (size_t)j * (size_t)rows));
    for (int j = 0; j < columns; j++) {
        const double *d = D + (size_t)j * (size_t)rows, *f = F + (size_t)j * (size_t)rows;
        const double scale = isfinite(doubt[j]) ? fmax(largest(rows, f), floor) : 0;
        if (!(doubt[j] <= doubtful * scale)) {
            verdict.left++;
            continue;
        }
        verdict.judged++;
        for (int i = 0; i < rows; i++) {
            double error = d[i] == f[i] ? 0 : fabs(d[i] - f[i]) / scale;
            if (error <= verdict.error) continue; // false for a NaN, which is an error
            verdict.error = isnan(error) ? INFINITY : error;
            verdict.row = i, verdict.column = j;
        }
    }
    return verdict;
}

bool trxi_term_add(const trxi_term_verdict *verdict, trx_term_check *term)
{
    term->columns += verdict->judged;
    term->left += verdict->left;
    if (verdict->error <= term->error) return false;
    term->error = verdict->error;
    return true;
}

// ---- names ----

void trxi_term_contact_name(const trx_sim *sim, int contact, char *text, size_t size)
{
    const trxi_row *row = &sim->rows[contact];
    const trxi_pair *pair = &sim->model->pairs[row->pair];
    snprintf(text, size, "%.50s|%.50s point %d%s", sim->model->geoms[pair->geom_a].name, sim->model->geoms[pair->geom_b].name,
             row->point, sim->contacts[contact].law->angular ? " turn" : "");
}

void trxi_term_row_name(const trx_sim *sim, const trxi_row_block *row, char *text, size_t size)
{
    const trx_model *model = sim->model;
    const char *name = row->law == &trxi_limit      ? model->joints[row->index].name
                       : row->law == &trxi_equality ? trx_model_constraint(model, row->index).name
                       : row->law == &trxi_drive    ? trx_model_actuator_name(model, row->index)
                                                    : trx_model_v_name(model, row->index);
    const bool of_joint = row->law == &trxi_limit || row->law == &trxi_dry_friction;
    snprintf(text, size, "%s %s%s", row->law->name, of_joint ? "of " : "", name);
}

// ---- laws of contacts ----

typedef enum argument { VELOCITY_1, VELOCITY_2, VELOCITY_N, GAP, LAGGED, MASS, FRICTION, BEFORE, ARGUMENTS } argument;

static const char *const argument_names[ARGUMENTS] = {"v_c.t1", "v_c.t2", "v_c.n", "phi", "gn0", "w", "mu", "v_n0"};
static const char *const axis_names[3] = {"t1", "t2", "n"};

// gamma with one argument changed; not a number where the law takes another branch
static void changed_impulse(const trx_sim *sim, const trxi_row_block *contact, argument which, double amount, double gamma[3])
{
    trxi_row_block c = *contact;
    trxi_sym3 G;
    int branch;
    switch (which) {
    case GAP: c.phi0 += amount; break;
    case LAGGED: c.contact.gn0 += amount; break;
    case MASS: c.w += amount; break;
    case FRICTION: c.contact.mu += amount; break;
    case BEFORE: c.contact.v_n0 += amount; break;
    default: c.v_c[which] += amount; break;
    }
    if (which >= GAP) c.law->prepare(&c, &sim->problem.law);
    trxi_row_impulse(&c, sim->settings.time_step, c.v_c, gamma, &G, &branch);
    if (branch != contact->branch || c.decided != contact->decided) gamma[0] = NAN;
}

// what an argument is measured by
static double argument_size(const trxi_row_block *c, argument which)
{
    static const double length = 1e-3, speed = 1e-2;
    switch (which) {
    case GAP: return fmin(length, fmax(fabs(c->phi0), 1e-2 * length));
    case LAGGED: return fabs(c->contact.gn0);
    case MASS: return fabs(c->w);
    case FRICTION: return fabs(c->contact.mu);
    case BEFORE: return trxi_contact_sees_before(&c->contact) ? speed : 0;
    default: return fmax(c->soft, 1e-2 * speed);
    }
}

// the increment is a part of the size, a tenth, a hundredth, ...
static bool refer_argument(const trx_sim *sim, const trxi_row_block *c, argument which, double F[3], double *doubt)
{
    enum { RUNGS = 8 };
    const double size = argument_size(c, which);
    *doubt = INFINITY;
    double e = 0.1 * size;
    for (int rung = 0; rung < RUNGS && size > 0; rung++, e /= 10) {
        double ends[3 * TRXI_TERM_ENDS];
        for (int k = 0; k < TRXI_TERM_ENDS; k++)
            changed_impulse(sim, c, which, (k % 2 ? -1 : 1) * (k < 2 ? e : e / 2), ends + 3 * k);
        trxi_term_refer(3, ends, 3, e, F, doubt);
    }
    return size > 0;
}

static void check_contact(const trx_sim *sim, int index, double factor, trx_term_check *term)
{
    const trxi_row_block *c = &sim->contacts[index];
    const trxi_sym3 *G = &c->G;
    trxi_contact_partials d;
    trxi_row_partials(c, &sim->problem.law, &d);
    const double by_v[9] = {-G->xx, -G->xy, -G->xn, -G->xy, -G->yy, -G->yn, -G->xn, -G->yn, -G->nn};
    const double *by_argument[ARGUMENTS] = {by_v, by_v + 3, by_v + 6, d.phi, d.gn0, d.w, d.mu, d.vn0};
    double D[3 * ARGUMENTS], F[3 * ARGUMENTS] = {0}, doubt[ARGUMENTS];
    bool known[ARGUMENTS];
    for (int k = 0; k < ARGUMENTS; k++) {
        for (int a = 0; a < 3; a++) D[3 * k + a] = factor * by_argument[k][a];
        known[k] = refer_argument(sim, c, (argument)k, F + 3 * k, &doubt[k]);
    }
    // velocities are one matrix, the others have units of their own
    for (int first = 0, count; first < ARGUMENTS; first += count) {
        count = first == 0 ? 3 : 1;
        if (!known[first]) continue;
        const double least = 1e-5 * largest(3, c->gamma) / argument_size(c, (argument)first);
        trxi_term_verdict verdict = trxi_term_judge(3, count, D + 3 * first, F + 3 * first, doubt + first, least);
        char name[140];
        if (!trxi_term_add(&verdict, term)) continue;
        trxi_term_contact_name(sim, index, name, sizeof name);
        snprintf(term->at, sizeof term->at, "%s, d gamma.%s / d %s", name, axis_names[verdict.row],
                 argument_names[first + verdict.column]);
    }
}

// ---- laws of rows ----

static void check_row(const trx_sim *sim, const trxi_row_block *row, double factor, trx_term_check *term)
{
    enum { RUNGS = 8 };
    const double v_c = row->v_c[0];
    double e = fmax(1e-2, fabs(v_c)), F = 0, doubt = INFINITY, D = -factor * row->G.xx;
    for (int rung = 0; rung < RUNGS; rung++, e /= 10) {
        double ends[TRXI_TERM_ENDS];
        for (int k = 0; k < TRXI_TERM_ENDS; k++) {
            const double moved = v_c + (k % 2 ? -1 : 1) * (k < 2 ? e : e / 2);
            trxi_sym3 G;
            const int branch = row->law->impulse(row, sim->settings.time_step, &moved, &ends[k], &G);
            if (branch != row->branch) ends[k] = NAN;
        }
        trxi_term_refer(1, ends, 1, e, &F, &doubt);
    }
    trxi_term_verdict verdict = trxi_term_judge(1, 1, &D, &F, &doubt, 0);
    if (F == 0 && D == 0) verdict = (trxi_term_verdict){.judged = 1}; // gives way
    char name[120];
    if (!trxi_term_add(&verdict, term)) return;
    trxi_term_row_name(sim, row, name, sizeof name);
    snprintf(term->at, sizeof term->at, "%s, d gamma / d v_c", name);
}

void trxi_term_check_laws(const trx_sim *sim, trxi_term_fault fault, trx_term_check terms[TRX_TERMS])
{
    const double friction = fault.term == TRX_TERM_FRICTION ? 1 + fault.amount : 1;
    const double limit = fault.term == TRX_TERM_LIMIT ? 1 + fault.amount : 1;
    for (int i = 0; i < sim->ncontact; i++) {
        if (trxi_contact_acts(&sim->contacts[i])) check_contact(sim, i, friction, &terms[TRX_TERM_FRICTION]);
    }
    for (int i = 0; i < sim->nscalar; i++) check_row(sim, &sim->scalars[i], limit, &terms[TRX_TERM_LIMIT]);
}
