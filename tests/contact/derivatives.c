// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of a step by every contact model against differences: a measurement, run by scripts/contact_derivatives.
//
//     derivatives MODEL[/SIDES] SOFT ACCEPTED [FIRST]
//
// Steps random states of six scenes of two bodies and an arm (step/scenes.h), numbered from FIRST, until ACCEPTED of them are
// judged. SOFT is what makes the model soft: the compliance of rigid models, kappa of dojo, the stiffness of first_order; 0 leaves
// the stiffness of the scene, 1e3 to 1e5 N/m. A and B are compared with extrapolated central differences, column by column. A state
// is rejected where a branch changes within every increment, or where no increment gives a column to 3e-6. Prints one line of JSON.

#include "contact/model.h"
#include "step/judge.h"
#include "step/scenes.h"
#include "step/sim.h"
#include "support/support.h"
#include "verify/richardson.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/verify.h>

enum { SCENES = 2 * SCENE_KINDS, MAX_X = 48, MAX_NU = 16, MAX_NX = 64, MAX_ACCEPTED = 100000 };

typedef struct tally {
    int accepted, rejected, unsolved;
    int modes[3]; // contacts of accepted states: open, stick, slip
    int limits;   // accepted states with a joint limit that pushes
    double worst;
    int worst_scene, worst_state;
    double errors[MAX_ACCEPTED];
} tally;

static trx_contact_model model_of(const char *word)
{
    for (int m = 0; m < TRX_CONTACT_MODELS; m++)
        if (strcmp(word, trx_contact_model_name((trx_contact_model)m)) == 0) return (trx_contact_model)m;
    fprintf(stderr, "%s is no contact model\n", word);
    exit(2);
}

static scene make(int kind)
{
    const bool ground = kind >= SCENE_KINDS;
    return scene_pair((scene_kind)(kind % SCENE_KINDS), ground ? TRX_SHAPE_HALFSPACE : TRX_SHAPE_BOX,
                      ground ? TRX_SHAPE_BOX : TRX_SHAPE_SPHERE);
}

static int sides = 4; // of the pyramid of lcp

// the law of the scene and the settings of the model; convex takes every approximation in turn
static void draw(const scene *s, trx_contact_model model, double soft, int i, double *x, double *u)
{
    const bool convex = model == TRX_CONTACT_CONVEX;
    scene_law(s, convex ? (trx_approximation)(i / 2 % (TRX_SAP + 1)) : TRX_SAP, SCENE_SLIP, 5, i);
    scene_state(s, i % 2 ? SCENE_SLIP : SCENE_STICK, 5, i, x, u);
    trx_pair_law law = trx_sim_pair_law(s->sim, 0);
    trx_sim_settings settings = trx_sim_get_settings(s->sim);
    settings.contact_model = model, settings.contact_solver = TRX_SOLVER_USUAL, settings.sides = sides;
    settings.tolerance = 1e-10;
    if (model == TRX_CONTACT_DOJO) settings.kappa = soft;
    else if (model == TRX_CONTACT_FIRST_ORDER) law.stiffness = soft > 0 ? soft : law.stiffness;
    else if (!convex) settings.compliance = soft;
    ck_assert_int_eq(trx_sim_set_pair_law(s->sim, 0, &law), TRX_OK);
    ck_assert_int_eq(trx_sim_set_settings(s->sim, &settings), TRX_OK);
}

// increment of differences: stiff laws divide the rounding of velocities by a small compliance
static double increment_of(trx_contact_model model, double soft)
{
    return model == TRX_CONTACT_FIRST_ORDER && soft > 1e6 ? 1e-4 : 1e-6;
}

static void count(trx_sim *sim, tally *t)
{
    const trx_contact *contacts;
    const int n = trx_sim_contacts(sim, &contacts);
    for (int i = 0; i < n; i++) t->modes[contacts[i].mode]++;
    bool limit = false;
    for (int i = 0; i < sim->rows.nscalar; i++)
        limit = limit || (sim->rows.scalars[i].law == &trxi_limit && sim->rows.scalars[i].at.gamma[0] > 0);
    t->limits += limit;
}

static void judge(const scene *s, double eps, int kind, int i, const double *x, const double *u, tally *t)
{
    static double A[MAX_NX * MAX_NX], B[MAX_NX * MAX_NU], F[MAX_NX * MAX_NX], Fu[MAX_NX * MAX_NU];
    bool kink = false;
    ck_assert(s->nx <= MAX_NX && s->nu <= MAX_NU);
    if (trx_step(s->sim, x, u, NULL) < 0 || trx_step_fd(s->sim, x, u, eps, F, Fu, &kink) < 0) {
        t->unsolved++;
        return;
    }
    if (kink || trx_step(s->sim, x, u, NULL) < 0 || trx_step_jac(s->sim, A, B) < 0) {
        t->rejected++;
        return;
    }
    double error = column_error(s->nx, s->nx, A, F);
    if (s->nu) error = fmax(error, trxi_judge(s->nx, s->nu, B, Fu, NULL, 1e-6).error);
    if (!(error <= t->worst)) t->worst = error, t->worst_scene = kind, t->worst_state = i;
    t->errors[t->accepted++] = error;
    count(s->sim, t);
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int below(const tally *t, double bound)
{
    int n = 0;
    for (int k = 0; k < t->accepted; k++) n += t->errors[k] < bound;
    return n;
}

static void print(const tally *t)
{
    printf("{\"accepted\": %d, \"rejected\": %d, \"unsolved\": %d, ", t->accepted, t->rejected, t->unsolved);
    printf("\"open\": %d, \"stick\": %d, \"slip\": %d, \"limits\": %d, ", t->modes[0], t->modes[1], t->modes[2], t->limits);
    printf("\"median\": %.3g, \"worst\": %.3g, ", t->errors[t->accepted / 2], t->worst);
    printf("\"worst scene\": %d, \"worst state\": %d, ", t->worst_scene, t->worst_state);
    printf("\"below 1e-6\": %d, \"below 1e-5\": %d}\n", below(t, 1e-6), below(t, 1e-5));
}

// ---- the arguments ----

static trx_contact_model model;
static double soft;
static int wanted, first;

START_TEST(measure)
{
    static tally t;
    double x[MAX_X], u[MAX_NU];
    scene scenes[SCENES];
    for (int k = 0; k < SCENES; k++) scenes[k] = make(k);
    for (int i = first; t.accepted < wanted; i++)
        for (int k = 0; k < SCENES && t.accepted < wanted; k++) {
            draw(&scenes[k], model, soft, i, x, u);
            judge(&scenes[k], increment_of(model, soft), k, i, x, u, &t);
        }
    qsort(t.errors, (size_t)t.accepted, sizeof *t.errors, compare_numbers);
    print(&t);
    for (int k = 0; k < SCENES; k++) scene_destroy(&scenes[k]);
}
END_TEST

// functions of scenes.h assert, so the measurement runs as a test, whose result is ignored
int main(int argc, char **argv)
{
    if (argc < 4) return fprintf(stderr, "usage: derivatives MODEL[/SIDES] SOFT ACCEPTED [FIRST]\n"), 2;
    char *slash = strchr(argv[1], '/');
    if (slash) sides = atoi(slash + 1), *slash = 0;
    model = model_of(argv[1]), soft = atof(argv[2]), first = argc > 4 ? atoi(argv[4]) : 0;
    wanted = atoi(argv[3]) < MAX_ACCEPTED ? atoi(argv[3]) : MAX_ACCEPTED;
    Suite *suite = suite_create("contact/derivatives");
    TCase *cases = tcase_create("derivatives");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, measure);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
