// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the impulse laws against differences (theory 4, 6): G = -dgamma/dv_c and the partials of gamma by the gap phi0,
// the lagged impulse gn0, the effective inverse mass w, the friction mu and the velocity before the step. A difference changes one
// of these arguments in a copy of the block and computes the constants of the copy anew. Increments go down from the size of the
// argument, because a law that changes within the stiction tolerance needs small increments. The file also makes the names of
// contacts and rows.

#include "verify/terms.h"

#include <assert.h>
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
    const trxi_meeting *pair = trxi_meeting_of(&sim->rows, row);
    snprintf(text, size, "%.50s|%.50s point %d%s", sim->in.model->geoms[pair->geom_a].name, sim->in.model->geoms[pair->geom_b].name,
             row->point, sim->rows.contacts[contact].law->angular ? " turn" : "");
}

void trxi_term_row_name(const trx_sim *sim, const trxi_row_block *row, char *text, size_t size)
{
    const trx_model *model = sim->in.model;
    const bool of_tendon = row->law == &trxi_limit && row->index >= model->njoint;
    const char *name = of_tendon                    ? model->constraints[row->index - model->njoint].name
                       : row->law == &trxi_limit    ? model->joints[row->index].name
                       : row->law == &trxi_equality ? trx_model_constraint(model, row->index).name
                       : row->law == &trxi_drive    ? trx_model_actuator_name(model, row->index)
                       : row->law == &trxi_spring   ? model->lengths[model->springs[row->index].length].name
                                                    : trx_model_v_name(model, row->index);
    const bool of_joint = row->law == &trxi_limit || row->law == &trxi_dry_friction;
    snprintf(text, size, "%s %s%s", row->law->name, of_joint ? "of " : "", name);
}

// ---- laws ----

typedef enum argument { VELOCITY_1, VELOCITY_2, VELOCITY_N, GAP, LAGGED, MASS, FRICTION, BEFORE, ARGUMENTS } argument;

static const char *const argument_names[ARGUMENTS] = {"v_c.t1", "v_c.t2", "v_c.n", "phi", "gn0", "w", "mu", "v_n0"};
static const char *const axis_names[3] = {"t1", "t2", "n"};

// computes gamma with one argument changed; returns false when the law takes another branch
static bool changed_impulse(const trx_sim *sim, const trxi_row_block *block, argument which, double amount, double gamma[3])
{
    trxi_row_block c = *block;
    switch (which) {
    case GAP: c.phi0 += amount; break;
    case LAGGED: c.contact.gn0 += amount; break;
    case MASS: c.w += amount; break;
    case FRICTION: c.contact.mu += amount; break;
    case BEFORE: c.contact.v_n0 += amount; break;
    default: c.at.v_c[which] += amount; break;
    }
    if (which >= GAP) c.law->prepare(&c, &sim->in.law);
    c.law->impulse(&c, sim->in.settings.time_step, &c.at);
    trxi_copy3(c.at.gamma, gamma);
    return c.at.branch == block->at.branch && c.decided == block->decided && isfinite(gamma[0]);
}

// scale of an argument; 0: the argument is not checked
static double argument_size(const trxi_row_block *c, argument which)
{
    static const double length = 1e-3, speed = 1e-2;
    const bool contact = c->n == 3;
    if (which >= GAP && !c->law->partials) return 0;
    switch (which) {
    case VELOCITY_1: return contact ? fmax(c->soft, 1e-2 * speed) : 10 * fmax(speed, fabs(c->at.v_c[0]));
    case GAP: return fmin(length, fmax(fabs(c->phi0), 1e-2 * length));
    case LAGGED: return contact ? fabs(c->contact.gn0) : 0;
    case MASS: return fabs(c->w);
    case FRICTION: return contact ? fabs(c->contact.mu) : 0;
    case BEFORE: return contact && trxi_contact_sees_before(&c->contact) ? speed : 0;
    default: return contact ? fmax(c->soft, 1e-2 * speed) : 0;
    }
}

typedef struct law_direction {
    const trx_sim *sim;
    const trxi_row_block *block;
    argument which;
} law_direction;

static trx_status difference(void *data, double e, double *D, bool *smooth)
{
    const law_direction *d = data;
    double plus[3], minus[3];
    const bool up = changed_impulse(d->sim, d->block, d->which, e, plus);
    const bool down = changed_impulse(d->sim, d->block, d->which, -e, minus);
    *smooth = *smooth && up && down;
    assert(d->block->n <= 3);
    for (int i = 0; i < d->block->n; i++) D[i] = (plus[i] - minus[i]) / (2 * e);
    return TRX_OK;
}

// computes the reference F, the difference by one argument of this size; returns the estimated error of F, or INFINITY if there is
// no reference. An F below `least` counts as zero
static double search(double size, law_direction *direction, double impulse, double least, double *F)
{
    double scratch[3 * TRXI_COLUMN_SCRATCH];
    trxi_ladder ladder = increments;
    ladder.first *= size, ladder.least *= 0.5 * size;
    const int rows = direction->block->n;
    trxi_column column = {
        .rows = rows, .F = F, .scratch = scratch, .floor = least, .rounding = rounding_of_impulse * impulse};
    trxi_richardson_column(&ladder, difference, direction, &column);
    if (column.crossed || isinf(column.estimate)) return INFINITY;
    return column.estimate * fmax(trxi_largest(rows, F), least);
}

// "OWNER, d gamma.t1 / d phi"; a block of one row has no axes
static void describe(const trx_sim *sim, const trxi_row_block *block, int row, argument which, trx_term_check *term)
{
    char name[140];
    if (block->n == 1) {
        trxi_term_row_name(sim, block, name, sizeof name);
        snprintf(term->at, sizeof term->at, "%s, d gamma / d %s", name, which == VELOCITY_1 ? "v_c" : argument_names[which]);
        return;
    }
    trxi_term_contact_name(sim, (int)(block - sim->rows.contacts), name, sizeof name);
    snprintf(term->at, sizeof term->at, "%s, d gamma.%s / d %s", name, axis_names[row], argument_names[which]);
}

static void check_law(const trx_sim *sim, const trxi_row_block *c, double factor, trx_term_check *term)
{
    const int n = c->n;
    const trxi_sym3 *G = &c->at.G;
    trxi_law_partials d;
    trxi_row_partials(c, &sim->in.law, &d);
    const double by_v[9] = {-G->xx, -G->xy, -G->xn, -G->xy, -G->yy, -G->yn, -G->xn, -G->yn, -G->nn};
    const double *by_argument[ARGUMENTS] = {by_v, by_v + 3, by_v + 6, d.phi, d.gn0, d.w, d.mu, d.vn0};
    double D[3 * ARGUMENTS], F[3 * ARGUMENTS] = {0}, estimate[ARGUMENTS], least[ARGUMENTS];
    bool known[ARGUMENTS];
    const double impulse = trxi_largest(n, c->at.gamma);
    for (int k = 0; k < ARGUMENTS; k++) {
        for (int a = 0; a < n; a++) D[n * k + a] = factor * by_argument[k][a];
        const double size = argument_size(c, (argument)k);
        law_direction direction = {sim, c, (argument)k};
        known[k] = size > 0;
        if (!known[k]) continue;
        least[k] = 1e-5 * impulse / size;
        estimate[k] = search(size, &direction, impulse, least[k], F + n * k);
    }
    // the velocities form one matrix; every other argument has its own unit
    for (int first = 0, count; first < ARGUMENTS; first += count) {
        count = first == 0 ? n : 1;
        if (!known[first]) continue;
        trxi_verdict verdict = trxi_judge(n, count, D + n * first, F + n * first, estimate + first, least[first]);
        if (trxi_term_add(&verdict, term)) describe(sim, c, verdict.row, (argument)(first + verdict.column), term);
    }
}

void trxi_term_check_laws(const trx_sim *sim, trxi_term_fault fault, trx_term_check terms[TRX_TERMS])
{
    if (!trxi_input_has_slopes(&sim->in)) return; // such solvers compute no slopes; only whole A, B and C are checked
    const double friction = fault.term == TRX_TERM_FRICTION ? 1 + fault.amount : 1;
    const double limit = fault.term == TRX_TERM_LIMIT ? 1 + fault.amount : 1;
    for (int i = 0; i < sim->rows.ncontact; i++) {
        const trxi_row_block *contact = &sim->rows.contacts[i];
        if (trxi_contact_acts(contact)) check_law(sim, contact, friction, &terms[TRX_TERM_FRICTION]);
    }
    for (int i = 0; i < sim->rows.nscalar; i++) {
        const trxi_row_block *row = &sim->rows.scalars[i];
        const bool rests = row->at.gamma[0] == 0 && row->at.G.xx == 0;
        if (rests) terms[TRX_TERM_LIMIT].columns++;
        else check_law(sim, row, limit, &terms[TRX_TERM_LIMIT]);
    }
}
