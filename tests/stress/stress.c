// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The stress sweep: random scenes (scene.h), some tens of steps each. Usage:
//
//     stress COUNT [FIRST]     scenes FIRST (default 0) to FIRST + COUNT - 1; prints counts as JSON
//     stress scene NUMBER      one scene, a line a step
//
// What must hold in every scene: a step that succeeds is finite, meets the tolerance or its round-off floor, and comes out the
// same from a new simulator; derivatives that succeed are finite, and adjoint products agree with them; a step that fails leaves
// the state alone and says why. A scene ends with its first failed step. Exit 1 when something did not hold: that is a defect. A
// step that does not converge is no defect, but more than one such step in a hundred is a defect. A barrier refuses to begin with
// a closed gap: that is counted by itself.
//
// A body that turns by radians within a step gains energy without limit, because gyroscopic forces are those at the start of
// the step (theory 2). After a turn of 1 rad within a step or a speed of 1e6 m/s or rad/s, a scene counts as run away. All
// conditions above still hold for its steps, but the maps leave it out.

#include "stress/scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 40, MIDDLE = 7, STIFFNESS_BINS = 5, TIME_BINS = 4, APPROXIMATIONS = TRX_SAP + 1, LISTED = 20, LAWS = 16 };

typedef enum outcome { CONVERGED, FLOOR, NOT_CONVERGED, ILL_CONDITIONED, NOT_FINITE, REFUSED, OTHER, OUTCOMES } outcome;

static const char *const outcome_names[OUTCOMES] = {"converged", "round-off floor",  "not converged",
                                                    "ill-conditioned", "not finite",       "refused", "other"};

typedef struct cell {
    long steps, good, iterations;
} cell;

typedef struct tally {
    int scenes, defects, contacts_most, bodies_most;
    long steps, outcomes[OUTCOMES], contacts, touching, iterations, continued;
    int listed[OUTCOMES][LISTED], ends[OUTCOMES]; // scenes that end so, the first of them
    long jacobians, failed_jacobians;
    long runaway_steps, runaway_outcomes[OUTCOMES];
    int runaway_scenes;
    double ratio_most, friction_most;
    cell cells[APPROXIMATIONS][STIFFNESS_BINS][TIME_BINS];
    cell laws[LAWS];
} tally;

static outcome outcome_of(trx_status status)
{
    switch (status) {
    case TRX_OK: return CONVERGED;
    case TRX_ROUND_OFF: return FLOOR;
    case TRX_ERR_NOT_CONVERGED: return NOT_CONVERGED;
    case TRX_ERR_ILL_CONDITIONED: return ILL_CONDITIONED;
    case TRX_ERR_NOT_FINITE: return NOT_FINITE;
    case TRX_ERR_INFEASIBLE: return REFUSED; // a barrier that begins with a closed gap
    default: return OTHER;
    }
}

static bool finite_numbers(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static void defect(tally *t, const stress_scene *s, int step, const char *what)
{
    t->defects++;
    fprintf(stderr, "scene %d, step %d: %s\n", s->number, step, what);
}

static cell *cell_of(tally *t, const stress_scene *s)
{
    int row = (int)floor(log10(s->settings.time_step)) + 5, column = ((int)floor(log10(s->stiffness)) - 2) / 2;
    row = row < 0 ? 0 : row >= TIME_BINS ? TIME_BINS - 1 : row;
    column = column < 0 ? 0 : column >= STIFFNESS_BINS ? STIFFNESS_BINS - 1 : column;
    return &t->cells[s->approximation][column][row];
}

static void add_step(cell *c, bool good, int iterations)
{
    c->steps++;
    c->good += good;
    c->iterations += good ? iterations : 0;
}

// the conditions of a step that succeeded
static void check_success(tally *t, const stress_scene *s, trx_sim *sim, int step, trx_status status, const double *next)
{
    if (!finite_numbers(next, (size_t)(s->size.nq + s->size.nv))) defect(t, s, step, "success with a number that is not finite");
    // a residual of 1e-14 for each tree counts as zero; some islands may be within the tolerance, others at the floor
    trx_step_info info = trx_sim_step_info(sim);
    double bound = 1e-14 * sqrt(s->size.ntree) + s->settings.tolerance * info.scale;
    if (!(info.residual <= (status == TRX_ROUND_OFF ? bound + info.floor : bound)))
        defect(t, s, step, "success above the tolerance");
}

// the same step from a simulator that has no past
static void check_history(tally *t, trx_context *context, const stress_scene *s, int step, trx_status status, const double *next)
{
    size_t bytes = (size_t)(s->size.nq + s->size.nv) * sizeof(double);
    double *again = calloc(1, bytes + 1);
    trx_sim *sim = NULL;
    if (again) memcpy(again, s->x, bytes);
    if (!again || trx_sim_create(context, s->model, &s->settings, &sim) < 0) defect(t, s, step, "no memory");
    else if (trx_step(sim, s->x, s->u, again) != status || memcmp(again, next, bytes) != 0)
        defect(t, s, step, "another result from a new simulator");
    trx_sim_destroy(sim);
    free(again);
}

// compares an adjoint product with the product with [A B], within the accuracy that the condition of H permits
static void check_product(tally *t, const stress_scene *s, trx_sim *sim, int step, size_t nx, const double *AB, double *work)
{
    const size_t columns = nx + (size_t)s->size.nu;
    double *seed = work, *grad = work + nx, most = 0, off = 0;
    for (size_t i = 0; i < nx; i++) seed[i] = sin(1.0 + (double)i);
    if (trx_step_vjp(sim, seed, grad, grad + nx) < 0) defect(t, s, step, "no adjoint product where there are A and B");
    for (size_t j = 0; j < columns; j++) {
        double sum = 0, size = 0;
        for (size_t i = 0; i < nx; i++) sum += AB[i + nx * j] * seed[i], size += fabs(AB[i + nx * j] * seed[i]);
        most = fmax(most, size);
        off = fmax(off, fabs(grad[j] - sum));
    }
    double allowed = 1e-8 + 10 * DBL_EPSILON * trx_sim_condition(sim);
    if (allowed < 1e-2 && !(off <= allowed * most)) defect(t, s, step, "an adjoint product that is not one with A and B");
}

static void check_derivatives(tally *t, const stress_scene *s, trx_sim *sim, int step, bool runaway)
{
    size_t nx = 2 * (size_t)s->size.nv, columns = nx + (size_t)s->size.nu;
    double *A = calloc(nx * columns + nx + columns + 1, sizeof *A);
    if (!A) return;
    trx_status status = trx_step_jac(sim, A, A + nx * nx);
    t->jacobians++;
    t->failed_jacobians += status < 0;
    if (status >= 0 && !finite_numbers(A, nx * columns)) defect(t, s, step, "derivatives with a number that is not finite");
    else if (status >= 0 && !runaway) check_product(t, s, sim, step, nx, A, A + nx * columns);
    free(A);
}

static double largest_speed(const stress_scene *s)
{
    double speed = 0;
    for (int i = 0; i < s->size.nv; i++) speed = fmax(speed, fabs(s->x[s->size.nq + i]));
    return speed;
}

// faster than anything, or a body that turns by more than a radian in a step
static bool ran_away(const stress_scene *s)
{
    if (!(largest_speed(s) < 1e6)) return true;
    for (int j = 0; j < s->size.njoint; j++) {
        trx_joint_info joint = trx_model_joint(s->model, j);
        const double *v = s->x + s->size.nq + joint.v_index;
        int first = joint.type == TRX_JOINT_FREE ? 3 : joint.type == TRX_JOINT_PLANAR ? 2 : 0;
        if (joint.type == TRX_JOINT_SLIDE) continue;
        for (int i = first; i < joint.nv; i++)
            if (!(fabs(v[i]) * s->settings.time_step < 1)) return true;
    }
    return false;
}

static void count_step(tally *t, const stress_scene *s, trx_sim *sim, trx_status status, bool runaway)
{
    trx_step_info info = trx_sim_step_info(sim);
    if (runaway) {
        t->runaway_steps++;
        t->runaway_outcomes[outcome_of(status)]++;
        return;
    }
    t->outcomes[outcome_of(status)]++;
    if (outcome_of(status) == REFUSED) return;
    t->steps++;
    add_step(cell_of(t, s), status >= 0, info.iterations);
    if ((int)s->law < LAWS) add_step(&t->laws[s->law], status >= 0, info.iterations);
    if (status < 0) return;
    t->contacts += info.contacts;
    t->touching += info.contacts > 0;
    t->iterations += info.iterations;
    t->continued += info.continuation > 0;
    if (info.contacts > t->contacts_most) t->contacts_most = info.contacts;
}

static void print_step(const stress_scene *s, trx_context *context, trx_sim *sim, int step, trx_status status)
{
    trx_step_info info = trx_sim_step_info(sim);
    printf("%2d %s: %d contacts, %d scalars, %d iterations, %d slopes, %d stages, residual %.2e of %.2e, floor %.1e, "
           "speed %.2e\n",
           step, outcome_names[outcome_of(status)], info.contacts, info.scalars, info.iterations, info.line_search,
           info.continuation, info.residual, info.scale, info.floor, largest_speed(s));
    if (status < 0) printf("%s\n", trx_context_message(context));
}

// the outcome of the last step; CONVERGED when the scene ran away
static outcome run(tally *t, trx_context *context, stress_scene *s, trx_sim *sim, bool verbose)
{
    bool runaway = false;
    const size_t count = (size_t)(s->size.nq + s->size.nv), bytes = count * sizeof(double);
    double *next = malloc(bytes + 1), *before = malloc(bytes + 1);
    trx_status status = next && before ? TRX_OK : TRX_ERR_MEMORY;
    for (int step = 0; status >= 0 && step < STEPS; step++) {
        memcpy(before, s->x, bytes);
        memcpy(next, s->x, bytes);
        trx_context_clear(context);
        bool was = runaway;
        runaway = runaway || ran_away(s);
        t->runaway_scenes += runaway && !was;
        status = trx_step(sim, s->x, s->u, next);
        count_step(t, s, sim, status, runaway);
        if (verbose) print_step(s, context, sim, step, status);
        if (memcmp(before, s->x, bytes) != 0) defect(t, s, step, "the step wrote to its input");
        if (status >= 0) check_success(t, s, sim, step, status, next);
        else if (memcmp(before, next, bytes) != 0) defect(t, s, step, "a failed step wrote a state");
        else if (outcome_of(status) == OTHER) defect(t, s, step, trx_status_text(status));
        else if (!trx_context_message(context)[0]) defect(t, s, step, "a failed step says nothing");
        if (step == MIDDLE || status < 0) check_history(t, context, s, step, status, next);
        if (status >= 0 && (step == MIDDLE || step == STEPS - 1)) check_derivatives(t, s, sim, step, runaway);
        memcpy(s->x, next, bytes);
    }
    free(next);
    free(before);
    return runaway ? CONVERGED : outcome_of(status);
}

static void run_scene(tally *t, int number, bool verbose)
{
    trx_context *context;
    if (trx_context_create(NULL, &context) < 0) exit(2);
    stress_scene s;
    trx_sim *sim = NULL;
    trx_status status = stress_scene_draw(context, number, &s);
    if (status >= 0) status = trx_sim_create(context, s.model, &s.settings, &sim);
    t->scenes++;
    if (status < 0) {
        defect(t, &s, -1, trx_context_message(context));
    } else {
        if (verbose)
            printf("%s, %s, stiffness %.2e, friction up to %.2g, masses 1 : %.1e, dt %.2e, %d bodies, nv %d, %d "
                   "controls, %d constraints, tolerance %.1e\n",
                   trx_approximation_name(s.approximation), trx_force_law_name(s.law), s.stiffness, s.friction, s.mass_ratio,
                   s.settings.time_step, s.nbody, s.size.nv, s.size.nu, s.size.nconstraint, s.settings.tolerance);
        outcome end = run(t, context, &s, sim, verbose);
        if (t->ends[end] < LISTED) t->listed[end][t->ends[end]] = number;
        t->ends[end]++;
        t->ratio_most = fmax(t->ratio_most, s.mass_ratio);
        t->friction_most = fmax(t->friction_most, s.friction);
        if (s.nbody > t->bodies_most) t->bodies_most = s.nbody;
    }
    trx_sim_destroy(sim);
    stress_scene_free(&s);
    trx_context_destroy(context);
}

static void print_cell(const char *before, const cell *c)
{
    printf("%s[%ld, %ld, %ld]", before, c->steps, c->good, c->iterations);
}

static void print_json(const tally *t)
{
    printf("{\"scenes\": %d, \"steps\": %ld, \"steps_a_scene\": %d, \"defects\": %d, \"contacts\": %ld, \"most_contacts\": %d, "
           "\"most_bodies\": %d, \"with_contact\": %ld, \"iterations\": %ld, \"continued\": %ld, \"jacobians\": %ld, "
           "\"failed_jacobians\": %ld, \"mass_ratio\": %.3g, \"friction\": %.3g,\n \"outcomes\": {",
           t->scenes, t->steps, STEPS, t->defects, t->contacts, t->contacts_most, t->bodies_most, t->touching, t->iterations,
           t->continued, t->jacobians, t->failed_jacobians, t->ratio_most, t->friction_most);
    for (int i = 0; i < OUTCOMES; i++) {
        printf("%s\"%s\": {\"steps\": %ld, \"scenes\": %d, \"first\": [", i ? ", " : "", outcome_names[i],
               t->outcomes[i], t->ends[i]);
        for (int k = 0; i >= NOT_CONVERGED && k < t->ends[i] && k < LISTED; k++) printf("%s%d", k ? ", " : "", t->listed[i][k]);
        printf("]}");
    }
    // steps, steps that succeeded, their iterations
    printf("},\n \"runaway\": {\"scenes\": %d, \"steps\": %ld", t->runaway_scenes, t->runaway_steps);
    for (int i = 0; i < OUTCOMES; i++) printf(", \"%s\": %ld", outcome_names[i], t->runaway_outcomes[i]);
    printf("},\n \"cells\": {");
    for (int a = 0; a < APPROXIMATIONS; a++) {
        printf("%s\"%s\": [", a ? ",\n  " : "", trx_approximation_name((trx_approximation)a));
        for (int column = 0; column < STIFFNESS_BINS; column++) {
            printf("%s", column ? ", [" : "[");
            for (int row = 0; row < TIME_BINS; row++) print_cell(row ? ", " : "", &t->cells[a][column][row]);
            printf("]");
        }
        printf("]");
    }
    printf("},\n \"laws\": {");
    for (int l = 0; l < LAWS && trx_force_law_name((trx_force_law)l)[0]; l++) {
        printf("%s\"%s\": ", l ? ", " : "", trx_force_law_name((trx_force_law)l));
        print_cell("", &t->laws[l]);
    }
    printf("}}\n");
}

int main(int argc, char **argv)
{
    static tally t; // too large for the stack
    bool one = argc == 3 && strcmp(argv[1], "scene") == 0;
    int count = one ? 1 : argc > 1 ? atoi(argv[1]) : 0, first = argc > 2 ? atoi(argv[2]) : 0;
    if (count < 1 || first < 0 || argc > 3) {
        fprintf(stderr, "usage: stress COUNT [FIRST] | stress scene NUMBER\n");
        return 2;
    }
    for (int i = 0; i < count; i++) run_scene(&t, first + i, one);
    if (!one) print_json(&t);
    long good = t.outcomes[CONVERGED] + t.outcomes[FLOOR];
    if (!one && t.steps - good > t.steps / 100) {
        fprintf(stderr, "%ld of %ld steps failed\n", t.steps - good, t.steps);
        t.defects++;
    }
    return t.defects > 0;
}
