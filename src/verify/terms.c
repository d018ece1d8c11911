// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Checks each term of A and B against differences of the term's value (theory 2, 4, 6): mass, bias, geometry, limit, integration
// (term_values.c), and friction (term_laws.c). All values of one moved state are one vector. Every derivative (a segment of the
// vector) chooses its own increment. The terms mass, bias and integration vanish at rest, so numbers of the order of 1 are added
// to their accelerations and velocities. The functions allocate memory, because they serve tests and `check`.

#include "verify/terms.h"

#include "base/random.h"
#include "step/reserve.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static const double first_increment = 1e-3;
static const double settled = 1e-6;         // a smaller error estimate, relative to the column, ends the search of an increment
static const double rounding_of_values = 4 * DBL_EPSILON; // relative to their size
static const double least_of_size = 1e-5; // a column below this share of its values counts as zero
static const double of_inertia = 1e-1;    // least scale of forces: this share of an inertia times 1 m/s^2 or rad/s^2

static void layout_marks(trxi_arena *arena, trxi_term_state *c)
{
    c->contacts = TRXI_TAKE(arena, trxi_term_mark, c->ncontact);
    c->scalars = TRXI_TAKE(arena, trxi_term_mark, c->nscalar);
    c->dofs = TRXI_TAKE(arena, int, c->sim->rows.scalar_used);
    c->cols = TRXI_TAKE(arena, int, c->sim->rows.ncolumn);
}

static void layout(trxi_arena *arena, trxi_term_state *c)
{
    const trx_model *model = c->sim->in.model;
    const int nq = model->nq, nv = model->nv;
    double **const vectors[] = {&c->v, &c->v0, &c->a, &c->spin, &c->spin0, &c->dx}, **const places[] = {&c->q, &c->q1, &c->moved};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = TRXI_TAKE(arena, double, nv);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) *places[i] = TRXI_TAKE(arena, double, nq);
    c->mass = TRXI_TAKE(arena, double, model->nblock);
    c->motion = TRXI_TAKE(arena, double, 7 * c->sim->rows.max_cols);
    c->ends = TRXI_TAKE(arena, double, 2 * c->nvalue);
    c->wide = TRXI_TAKE(arena, double, c->nvalue);
    c->narrow = TRXI_TAKE(arena, double, c->nvalue);
    c->D = TRXI_TAKE(arena, double, c->nentry);
    c->F = TRXI_TAKE(arena, double, c->nentry);
    c->estimate = TRXI_TAKE(arena, double, c->ncolumn);
    c->most = TRXI_TAKE(arena, double, c->nsegment);
    c->size = TRXI_TAKE(arena, double, c->nsegment);
    c->segments = TRXI_TAKE(arena, trxi_term_segment, c->nsegment);
}

static double largest_inertia(const trx_sim *sim)
{
    double most = 0;
    for (int i = 0; i < sim->in.model->nv; i++) most = fmax(most, sim->smooth.M[sim->in.model->column[i] + i]);
    return most;
}

// copies the state, and fills generic vectors at which no term vanishes
static void begin(trxi_term_state *c)
{
    const trx_sim *sim = c->sim;
    const trx_model *model = sim->in.model;
    memcpy(c->q, sim->in.q0, (size_t)model->nq * sizeof *c->q);
    for (int i = 0; i < model->nv; i++) {
        const double v = sim->solver.v[i], v0 = sim->in.v0[i];
        c->v[i] = v, c->v0[i] = v0;
        c->a[i] = (v - v0) / sim->in.settings.time_step + 2 * trxi_random_uniform(1, (uint64_t)i) - 1;
        c->spin[i] = v + 2 * trxi_random_uniform(2, (uint64_t)i) - 1;
        c->spin0[i] = v0 + 2 * trxi_random_uniform(3, (uint64_t)i) - 1;
        c->dx[i] = sim->in.settings.time_step * (sim->in.th_vq * c->spin[i] + (1 - sim->in.th_vq) * c->spin0[i]);
    }
    trx_model_integrate(model, c->q, c->dx, c->q1);
    for (size_t i = 0; i < c->ncolumn; i++) c->estimate[i] = INFINITY;
    memset(c->most, 0, (size_t)c->nsegment * sizeof *c->most);
    memset(c->size, 0, (size_t)c->nsegment * sizeof *c->size);
    c->size[TRXI_TERM_MASS] = c->size[TRXI_TERM_BIAS] = c->size[TRXI_TERM_BIAS_BY_V] = of_inertia * largest_inertia(sim);
    memset(c->F, 0, c->nentry * sizeof *c->F);
}

// ---- differences ----

// index of the segment's column for a dof, -1: none
static int column_of(const trxi_term_segment *s, int dof)
{
    if (!s->cols) return dof;
    for (int j = 0; j < s->ncol; j++)
        if (s->cols[j] == dof) return j;
    return -1;
}

// computes D(e) of all values by one coordinate; NaN where an end takes another branch
static trx_status central(trxi_term_state *c, bool by_v, int dof, double e, double *D)
{
    double *plus = c->ends, *minus = c->ends + c->nvalue;
    trx_status status = trxi_term_evaluate(c, by_v, dof, e, plus);
    if (status >= 0) status = trxi_term_evaluate(c, by_v, dof, -e, minus);
    for (size_t i = 0; i < c->nvalue && status >= 0; i++) D[i] = (plus[i] - minus[i]) / (2 * e);
    return status;
}

// size of the values of a segment, which sets their rounding; a gap is a difference of positions
static double size_of(const trxi_term_state *c, const trxi_term_segment *s)
{
    const double own = trxi_largest(s->rows, c->ends + s->at);
    const bool gap = s->term == TRX_TERM_GEOMETRY && s->part == 0;
    return gap ? fmax(own, trxi_largest(s[2].rows, c->ends + s[2].at)) : own;
}

// offers D(e), D(e/2) to the columns of the coordinate; returns true when no column needs another increment
static bool offer_differences(trxi_term_state *c, bool by_v, int dof, double e)
{
    bool all = true;
    for (int k = 0; k < c->nsegment; k++) {
        const trxi_term_segment *s = &c->segments[k];
        const int j = s->by_v == by_v ? column_of(s, dof) : -1;
        if (j < 0) continue;
        double *F = c->F + s->entry + (size_t)j * (size_t)s->rows, *estimate = &c->estimate[s->column + (size_t)j];
        const double value = size_of(c, s);
        c->size[k] = fmax(c->size[k], value);
        trxi_richardson_offer(s->rows, c->wide + s->at, c->narrow + s->at, rounding_of_values * value / e, F, estimate);
        const double least = fmax(1e-3 * c->most[k], least_of_size * c->size[k]);
        all = all && *estimate <= settled * fmax(trxi_largest(s->rows, F), least);
    }
    return all;
}

static trx_status difference(trxi_term_state *c, bool by_v, int dof)
{
    for (double e = first_increment; e > 0.5 * TRXI_TERM_LAST_INCREMENT; e /= 10) {
        trx_status status = central(c, by_v, dof, e, c->wide);
        if (status >= 0) status = central(c, by_v, dof, 0.5 * e, c->narrow);
        if (status < 0) return status;
        if (offer_differences(c, by_v, dof, e)) break;
    }
    return TRX_OK;
}

// ---- verdicts ----

// writes the name of the entry with the largest error: contact or row, then the derivative
static void name_entry(const trxi_term_state *c, const trxi_term_segment *s, const trxi_verdict *verdict, char *at, size_t size)
{
    static const char *const parts[3][3] = {{"phi"}, {"n.x", "n.y", "n.z"}, {"p.x", "p.y", "p.z"}};
    const trx_model *model = c->sim->in.model;
    const int column = s->cols ? s->cols[verdict->column] : verdict->column;
    const int row = s->dofs ? s->dofs[verdict->row] : verdict->row;
    char owner[130] = "", of[80], by[80];
    trxi_model_tangent_name(model, s->by_v ? model->nv + column : column, by, sizeof by);
    if (s->term == TRX_TERM_GEOMETRY) {
        trxi_term_contact_name(c->sim, s->owner, owner, sizeof owner);
        snprintf(of, sizeof of, "%s", parts[s->part][verdict->row]);
    } else {
        char name[60];
        trxi_model_tangent_name(model, row, name, sizeof name);
        snprintf(of, sizeof of, s->term == TRX_TERM_INTEGRATION ? "%s" : "force(%s)", name);
        if (s->term == TRX_TERM_LIMIT) trxi_term_row_name(c->sim, &c->sim->rows.scalars[s->owner], owner, sizeof owner);
    }
    snprintf(at, size, "%s%sd %s / d %s", owner, *owner ? ", " : "", of, by);
}

static void judge(const trxi_term_state *c, trx_term_check terms[TRX_TERMS])
{
    for (int k = 0; k < c->nsegment; k++) {
        const trxi_term_segment *s = &c->segments[k];
        trx_term_check *term = &terms[s->term];
        trxi_verdict verdict = trxi_judge(s->rows, s->ncol, c->D + s->entry, c->F + s->entry, c->estimate + s->column,
                                                    least_of_size * c->size[k]);
        if (trxi_term_add(&verdict, term)) name_entry(c, s, &verdict, term->at, sizeof term->at);
    }
}

static trx_status run(trxi_term_state *c, trxi_term_fault fault)
{
    trx_status status = TRX_OK;
    trxi_term_list(c);
    begin(c);
    trxi_term_derive(c, fault);
    for (int by_q = 0; by_q < 2; by_q++) // by v first: it needs the kinematics of the state
        for (int dof = 0; dof < c->sim->in.model->nv && status >= 0; dof++) status = difference(c, !by_q, dof);
    return status;
}

trx_status trxi_step_check_terms(trx_sim *sim, const double *x, const double *u, trxi_term_fault fault,
                                 trx_term_check terms[TRX_TERMS])
{
    if (!sim) return TRX_ERR_ARGUMENT;
    if (!terms) return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "no place for the result");
    trx_status status = trx_step(sim, x, u, NULL);
    if (status < 0 || (status = trxi_sim_reserve_derivatives(sim)) < 0) return status;
    trxi_term_check_laws(sim, fault, terms);

    trxi_term_state c = {.sim = sim, .ncontact = sim->rows.ncontact, .nscalar = sim->rows.nscalar};
    trxi_arena marks = {0}, arena = {0};
    layout_marks(&marks, &c);
    char *marked = trxi_allocate(sim->in.context, marks.used + 1), *memory = NULL;
    if (!marked) return TRX_ERR_MEMORY;
    marks = (trxi_arena){.base = marked};
    layout_marks(&marks, &c);
    trxi_term_mark_rows(&c);
    trxi_term_list(&c);
    layout(&arena, &c);
    memory = trxi_allocate(sim->in.context, arena.used);
    status = memory ? TRX_OK : TRX_ERR_MEMORY;
    if (memory) {
        arena = (trxi_arena){.base = memory};
        layout(&arena, &c);
        status = run(&c, fault);
        trx_status again = trx_step(sim, x, u, NULL); // restores the rows and names of the state
        if (status >= 0) status = again;
        if (status >= 0) judge(&c, terms);
    }
    trxi_release(sim->in.context, memory);
    trxi_release(sim->in.context, marked);
    return status < 0 ? status : TRX_OK;
}

trx_status trx_step_check_terms(trx_sim *sim, const double *x, const double *u, trx_term_check terms[TRX_TERMS])
{
    return trxi_step_check_terms(sim, x, u, (trxi_term_fault){.term = -1}, terms);
}

const char *trx_term_name(trx_term term)
{
    static const char *const names[TRX_TERMS] = {"mass", "bias", "geometry", "friction", "limit", "integration"};
    return (unsigned)term < TRX_TERMS ? names[term] : "unknown term";
}
