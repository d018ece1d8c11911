// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the impulse laws against differences (theory 4, 6): G = -dgamma/dv_c and the partials of gamma by the gap phi0,
// the lagged impulse gn0, the effective inverse mass w, the friction mu and the velocity before the step. A difference changes one
// of these arguments in a copy of the contact and computes the constants of the copy anew. Increments go down from the size of the
// argument, because a law that changes within the stiction tolerance needs small increments. The file also names contacts, rows.

#include "verify/terms.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

// a tenth of the argument's size, a hundredth, ...: the search tries all, because a law may change on any scale
static const trxi_ladder increments = {.first = 1e-1, .least = 1e-8, .shrink = 0.1, .patience = INFINITY};
static const double rounding_of_impulse = 4 * DBL_EPSILON; // relative to its size

bool trxi_term_add(const trxi_verdict *verdict, trx_term_check *term)
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
    const trxi_row *row = &sim->rows.origins[contact];
    const trxi_meeting *pair = trxi_sim_meeting(sim, row);
    snprintf(text, size, "%.50s|%.50s point %d%s", sim->model->geoms[pair->geom_a].name, sim->model->geoms[pair->geom_b].name,
             row->point, sim->rows.contacts[contact].law->angular ? " turn" : "");
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

// gamma with one argument changed; false when the law takes another branch
static bool changed_impulse(const trx_sim *sim, const trxi_row_block *contact, argument which, double amount, double gamma[3])
{
    trxi_row_block c = *contact;
    switch (which) {
    case GAP: c.phi0 += amount; break;
    case LAGGED: c.contact.gn0 += amount; break;
    case MASS: c.w += amount; break;
    case FRICTION: c.contact.mu += amount; break;
    case BEFORE: c.contact.v_n0 += amount; break;
    default: c.at.v_c[which] += amount; break;
    }
    if (which >= GAP) c.law->prepare(&c, &sim->problem.law);
    c.law->impulse(&c, sim->settings.time_step, &c.at);
    trxi_copy3(c.at.gamma, gamma);
    return c.at.branch == contact->at.branch && c.decided == contact->decided && isfinite(gamma[0]);
}

// scale of an argument
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

typedef struct law_direction {
    const trx_sim *sim;
    const trxi_row_block *contact;
    argument which;
} law_direction;

static trx_status contact_difference(void *data, double e, double *D, bool *smooth)
{
    const law_direction *d = data;
    double plus[3], minus[3];
    const bool up = changed_impulse(d->sim, d->contact, d->which, e, plus);
    const bool down = changed_impulse(d->sim, d->contact, d->which, -e, minus);
    *smooth = *smooth && up && down;
    for (int i = 0; i < 3; i++) D[i] = (plus[i] - minus[i]) / (2 * e);
    return TRX_OK;
}

// the reference by one argument of this size; returns its estimated error, INFINITY without a reference. A column below
// `least` counts as zero
static double search(double size, trxi_central_difference *central, void *data, double impulse, double least, int rows, double *F)
{
    double scratch[3 * TRXI_COLUMN_SCRATCH];
    trxi_ladder ladder = increments;
    ladder.first *= size, ladder.least *= 0.5 * size;
    trxi_column column = {
        .rows = rows, .F = F, .scratch = scratch, .floor = least, .rounding = rounding_of_impulse * impulse};
    trxi_richardson_column(&ladder, central, data, &column);
    if (column.crossed || isinf(column.estimate)) return INFINITY;
    return column.estimate * fmax(trxi_largest(rows, F), least);
}

static void check_contact(const trx_sim *sim, int index, double factor, trx_term_check *term)
{
    const trxi_row_block *c = &sim->rows.contacts[index];
    const trxi_sym3 *G = &c->at.G;
    trxi_contact_partials d;
    trxi_row_partials(c, &sim->problem.law, &d);
    const double by_v[9] = {-G->xx, -G->xy, -G->xn, -G->xy, -G->yy, -G->yn, -G->xn, -G->yn, -G->nn};
    const double *by_argument[ARGUMENTS] = {by_v, by_v + 3, by_v + 6, d.phi, d.gn0, d.w, d.mu, d.vn0};
    double D[3 * ARGUMENTS], F[3 * ARGUMENTS] = {0}, estimate[ARGUMENTS];
    bool known[ARGUMENTS];
    const double impulse = trxi_largest(3, c->at.gamma);
    for (int k = 0; k < ARGUMENTS; k++) {
        for (int a = 0; a < 3; a++) D[3 * k + a] = factor * by_argument[k][a];
        const double size = argument_size(c, (argument)k);
        law_direction direction = {sim, c, (argument)k};
        known[k] = size > 0;
        if (known[k]) estimate[k] = search(size, contact_difference, &direction, impulse, 1e-5 * impulse / size, 3, F + 3 * k);
    }
    // the velocities form one matrix; every other argument has its own unit
    for (int first = 0, count; first < ARGUMENTS; first += count) {
        count = first == 0 ? 3 : 1;
        if (!known[first]) continue;
        const double least = 1e-5 * impulse / argument_size(c, (argument)first);
        trxi_verdict verdict = trxi_judge(3, count, D + 3 * first, F + 3 * first, estimate + first, least);
        char name[140];
        if (!trxi_term_add(&verdict, term)) continue;
        trxi_term_contact_name(sim, index, name, sizeof name);
        snprintf(term->at, sizeof term->at, "%s, d gamma.%s / d %s", name, axis_names[verdict.row],
                 argument_names[first + verdict.column]);
    }
}

// ---- laws of rows ----

typedef struct row_direction {
    const trx_sim *sim;
    const trxi_row_block *row;
} row_direction;

static trx_status row_difference(void *data, double e, double *D, bool *smooth)
{
    const row_direction *d = data;
    const trxi_row_block *row = d->row;
    double ends[2];
    for (int k = 0; k < 2; k++) {
        trxi_row_state at = {.v_c = {row->at.v_c[0] + (k ? -e : e)}};
        row->law->impulse(row, d->sim->settings.time_step, &at);
        ends[k] = at.gamma[0];
        *smooth = *smooth && at.branch == row->at.branch;
    }
    *D = (ends[0] - ends[1]) / (2 * e);
    return TRX_OK;
}

static void check_row(const trx_sim *sim, const trxi_row_block *row, double factor, trx_term_check *term)
{
    row_direction direction = {sim, row};
    double F = 0, D = -factor * row->at.G.xx;
    const double size = 10 * fmax(1e-2, fabs(row->at.v_c[0]));
    const double estimate = search(size, row_difference, &direction, fabs(row->at.gamma[0]), 0, 1, &F);
    trxi_verdict verdict = trxi_judge(1, 1, &D, &F, &estimate, 0);
    if (F == 0 && D == 0) verdict = (trxi_verdict){.judged = 1}; // an inactive row
    char name[120];
    if (!trxi_term_add(&verdict, term)) return;
    trxi_term_row_name(sim, row, name, sizeof name);
    snprintf(term->at, sizeof term->at, "%s, d gamma / d v_c", name);
}

void trxi_term_check_laws(const trx_sim *sim, trxi_term_fault fault, trx_term_check terms[TRX_TERMS])
{
    const double friction = fault.term == TRX_TERM_FRICTION ? 1 + fault.amount : 1;
    const double limit = fault.term == TRX_TERM_LIMIT ? 1 + fault.amount : 1;
    for (int i = 0; i < sim->rows.ncontact; i++) {
        if (trxi_contact_acts(&sim->rows.contacts[i])) check_contact(sim, i, friction, &terms[TRX_TERM_FRICTION]);
    }
    for (int i = 0; i < sim->rows.nscalar; i++) check_row(sim, &sim->rows.scalars[i], limit, &terms[TRX_TERM_LIMIT]);
}
