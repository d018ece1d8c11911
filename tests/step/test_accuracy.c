// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The accuracy of A, B and C, counted in one place: more than ten thousand accepted random states over all joints, pairs of
// shapes, laws, frictions, approximations, constraints and time schemes, each column within 1e-6 of extrapolated central
// differences (judge.h, parameter_fd.h; stiff contacts by the residual, stiff.h). Every cell of the tables below has its own
// floor of states. At each accepted state some parameters are judged too. They are taken in turn, so all kinds are judged.
//
// With an address sanitizer fewer states are drawn (SAMPLES), one in CELLS of the cells is filled, and the floors are lower.

#include "step/judge.h"
#include "step/laws.h"
#include "step/parameter_fd.h"
#include "step/robot.h"
#include "step/scenes.h"
#include "step/schemes.h"
#include "step/sim.h"
#include "step/stiff.h"
#include "support/support.h"

#include <stdio.h>

enum { MAX_X = 64, MAX_NU = 8, APPROXIMATIONS = TRX_SAP + 1, SHAPES = TRX_SHAPE_SPHERE + 1, MAX_PARAMETERS = 200 };
enum { LEAST_STATES = SAMPLES(36), LEAST_CONTACTS = SAMPLES(20), MOST_DRAWS = 600, LAW_STATES = SAMPLES(20) };
enum { SCHEME_DRAWS = SAMPLES(12), ROBOT_STATES = SAMPLES(24), KINDS = TRX_PLACE_TURN + 1, CELLS = SANITIZED ? 3 : 1 };
static const int wanted = SAMPLES(10000) / CELLS;

typedef struct table {
    judge_tally all;
    parameter_tally parameters[KINDS];
    int cells, smallest;   // cells, and the fewest accepted states of one
    int of_law, of_model;  // how many parameters of the law and of the model a state takes
    int next, next_of_law; // the next parameter to judge
} table;

// the next parameter of the drawn law, or the next tolerance, that has a value
static trx_parameter next_of_law(const trx_sim *sim, table *t)
{
    for (;;) {
        const int kind = t->next_of_law++ % (TRX_PAIR_REACH + 3);
        if (kind == TRX_PAIR_REACH + 1) return (trx_parameter){TRX_STICTION_TOLERANCE, 0, 0};
        if (kind == TRX_PAIR_REACH + 2) return (trx_parameter){TRX_JOINT_STICTION_TOLERANCE, 0, 0};
        const trx_parameter p = {(trx_parameter_kind)kind, 0, 0};
        double value = 0;
        if (trx_sim_parameter(sim, p, &value) == TRX_OK && value > 0) return p;
    }
}

// some parameters at a state that was accepted, in turn; a rounding of zero has no differences
static void judge_parameters(trx_sim *sim, const double *x, const double *u, table *t)
{
    trx_parameter list[MAX_PARAMETERS];
    int count = trx_model_parameters(trx_sim_model(sim), list, MAX_PARAMETERS);
    ck_assert_int_lt(count, MAX_PARAMETERS);
    for (int i = 0; i < t->of_law + t->of_model; i++) {
        const trx_parameter p = i < t->of_law ? next_of_law(sim, t) : list[t->next++ % count];
        double value = 0;
        ck_assert_int_eq(trx_sim_parameter(sim, p, &value), TRX_OK);
        if (p.kind == TRX_GEOM_ROUNDING && value == 0) continue;
        parameter_judge(sim, p, x, u, 1e-6, &t->parameters[p.kind]);
    }
}

static void judge(trx_sim *sim, const double *x, const double *u, judge_tally *cell, table *t)
{
    if (judge_state(sim, x, u, cell)) judge_parameters(sim, x, u, t);
}

// a cell is full
static void close_cell(const char *row, const char *column, const judge_tally *cell, int floor, table *t)
{
    printf("%-26s %-22s %5d accepted %4d rejected  worst %.1e\n", row, column, cell->accepted, cell->rejected, cell->worst);
    ck_assert_msg(cell->accepted >= floor, "%s, %s: %d states, fewer than %d", row, column, cell->accepted, floor);
    ck_assert_msg(cell->worst < 1e-6, "%s, %s: worst error %g", row, column, cell->worst);
    judge_add(cell, &t->all);
    if (t->cells++ == 0 || cell->accepted < t->smallest) t->smallest = cell->accepted;
}

// ---- pairs of shapes by approximations ----

// the mode with the fewest contacts so far
static scene_aim rarest(const judge_tally *t)
{
    int best = 0;
    for (int m = 1; m < SCENE_AIMS; m++)
        if (t->modes[m] < t->modes[best]) best = m;
    return (scene_aim)best;
}

static bool enough(const judge_tally *t)
{
    return t->accepted >= LEAST_STATES && t->modes[rarest(t)] >= LEAST_CONTACTS;
}

// of all kinds of scenes in turn, until all modes have been met often enough
static void judge_pair(scene scenes[SCENE_KINDS], const char *name, trx_approximation approximation, uint64_t seed, table *t)
{
    judge_tally cell = {0};
    double x[MAX_X], u[MAX_NU];
    for (int i = 0; i < MOST_DRAWS && !enough(&cell); i++) {
        scene *s = &scenes[i % SCENE_KINDS];
        scene_aim aim = rarest(&cell);
        scene_law(s, approximation, aim, seed, i);
        scene_state(s, aim, seed, i, x, u);
        judge(s->sim, x, u, &cell, t);
    }
    close_cell(name, trx_approximation_name(approximation), &cell, LEAST_STATES, t);
    ck_assert_msg(enough(&cell), "%s: too few contacts of a mode", name);
}

static void judge_pairs(table *t)
{
    for (int p = 1; p < SHAPES * SHAPES; p++) {
        trx_shape_type a = (trx_shape_type)(p / SHAPES), b = (trx_shape_type)(p % SHAPES);
        if (a > b) continue;
        char pair[32];
        snprintf(pair, sizeof pair, "%s|%s", trx_shape_name(a), trx_shape_name(b));
        scene scenes[SCENE_KINDS];
        for (int k = 0; k < SCENE_KINDS; k++) scenes[k] = scene_pair((scene_kind)k, a, b);
        for (int i = p % CELLS; i < APPROXIMATIONS; i += CELLS)
            judge_pair(scenes, pair, (trx_approximation)i, (uint64_t)(100 * i + p), t);
        for (int k = 0; k < SCENE_KINDS; k++) scene_destroy(&scenes[k]);
    }
}

// ---- laws and frictions by approximations, in all schemes ----

static void judge_law(law_variant which, trx_approximation approximation, table *t)
{
    static const trx_shape_type shapes[][2] = {{TRX_SHAPE_HALFSPACE, TRX_SHAPE_SPHERE}, {TRX_SHAPE_BOX, TRX_SHAPE_SPHERE},
                                               {TRX_SHAPE_HALFSPACE, TRX_SHAPE_BOX}, {TRX_SHAPE_CAPSULE, TRX_SHAPE_CAPSULE},
                                               {TRX_SHAPE_HALFSPACE, TRX_SHAPE_CYLINDER}};
    judge_tally cell = {0};
    for (int kind = 0; kind < SCENE_KINDS; kind++)
        for (int k = 0; k < LAW_STATES; k++) {
            scene s = scene_pair((scene_kind)kind, shapes[k % 5][0], shapes[k % 5][1]);
            double x[MAX_X], u[MAX_NU];
            law_gentle own;
            uint64_t seed = (uint64_t)(1000 * (int)which + 10 * (int)approximation + kind);
            law_draw(&s, which, approximation, seed, k, &own);
            use_scheme(s.sim, &schemes[(k + kind) % SCHEMES]);
            law_state(&s, which, k % 3 ? SCENE_SLIP : SCENE_STICK, seed, k, x, u);

            // if the velocity before the step closes a barrier in the middle of the step, the step is infeasible
            if (trx_step(s.sim, x, u, NULL) != TRX_ERR_INFEASIBLE) judge(s.sim, x, u, &cell, t);
            scene_destroy(&s);
        }
    close_cell(law_name(which), trx_approximation_name(approximation), &cell, 2 * LAW_STATES, t);
    if (which == LAW_TURNS || which == LAW_EVERYTHING) ck_assert_int_ge(cell.turned, LAW_STATES);
}

static void judge_laws(table *t)
{
    for (int which = 0; which < LAW_VARIANTS; which++)
        for (int a = 0; a < APPROXIMATIONS; a++)
            if (law_goes_with((law_variant)which, (trx_approximation)a)) judge_law((law_variant)which, (trx_approximation)a, t);
}

// ---- schemes by approximations ----

static void judge_scheme(const scheme_variant *v, trx_approximation approximation, table *t)
{
    static const struct {
        trx_shape_type a, b;
        scene_kind kind;
    } scenes[] = {{TRX_SHAPE_HALFSPACE, TRX_SHAPE_BOX, SCENE_FREE},     {TRX_SHAPE_HALFSPACE, TRX_SHAPE_BOX, SCENE_ARM},
                  {TRX_SHAPE_HALFSPACE, TRX_SHAPE_MESH, SCENE_PLANAR},  {TRX_SHAPE_BOX, TRX_SHAPE_SPHERE, SCENE_FREE},
                  {TRX_SHAPE_BOX, TRX_SHAPE_ELLIPSOID, SCENE_ARM},      {TRX_SHAPE_BOX, TRX_SHAPE_SPHERE, SCENE_SAME},
                  {TRX_SHAPE_CAPSULE, TRX_SHAPE_CAPSULE, SCENE_FREE},   {TRX_SHAPE_CAPSULE, TRX_SHAPE_CAPSULE, SCENE_ARM},
                  {TRX_SHAPE_CYLINDER, TRX_SHAPE_CAPSULE, SCENE_SAME}};
    judge_tally cell = {0};
    for (int p = 0; p < 9; p++) {
        scene s = scene_pair(scenes[p].kind, scenes[p].a, scenes[p].b);
        const uint64_t seed = (uint64_t)(100 * p + (int)approximation);
        for (int i = 0; i < SCHEME_DRAWS; i++) {
            double x[MAX_X], u[MAX_NU];
            const scene_aim aim = (scene_aim)(i % SCENE_AIMS);
            scene_law(&s, approximation, aim, seed, i);
            use_scheme(s.sim, v);
            scene_state(&s, aim, seed, i, x, u);
            judge(s.sim, x, u, &cell, t);
        }
        scene_destroy(&s);
    }
    close_cell(v->name, trx_approximation_name(approximation), &cell, 6 * SCHEME_DRAWS, t);
}

// ---- constraints, drives within and at their effort, dry friction by schemes ----

static void judge_robot(const scheme_variant *v, int which, table *t)
{
    static const char *const names[] = {"none", "ball", "weld", "distance", "coupler"};
    trx_constraint_def c[4];
    robot_constraints(c);
    const trx_actuator_def actuators[3] = {robot_actuator("m", ROBOT_LEFT, 0, 0, 0), robot_actuator("p", ROBOT_LEFT_TIP, 40, 2, 0),
                                           robot_actuator("q", ROBOT_RIGHT_TIP, 100, 1, 0.1)};
    robot r = robot_create(which == 0 ? NULL : &c[which - 1], which > 0, actuators, 3, 0.3, 0.05);
    judge_tally cell = {0};
    use_scheme(r.sim, v);
    trx_sim_settings settings = trx_sim_get_settings(r.sim);
    settings.joint_stiction_tolerance = 0.05;
    ck_assert_int_eq(trx_sim_set_settings(r.sim, &settings), TRX_OK);
    for (int i = 0; i < ROBOT_STATES; i++) {
        double x[MAX_X], u[MAX_NU];
        robot_state(&r, 0.3, (uint64_t)(17 + which), i, x, u);
        if (judge_state_from(r.sim, 1e-4, x, u, &cell)) judge_parameters(r.sim, x, u, t);
    }
    close_cell(v->name, names[which], &cell, ROBOT_STATES / 2, t);
    robot_destroy(&r);
}

static void judge_stiff(table *t)
{
    const stiff_tally stiff = stiff_judge(40);
    const judge_tally cell = {.accepted = stiff.judged, .rejected = stiff.near_kink,
                              .worst = fmax(stiff.worst_q, fmax(stiff.worst_v, stiff.worst_u))};
    close_cell("stiff", "residual", &cell, 1000 / STIFF_EVERY, t);
    assert_below(stiff.worst_solve, 1e-12);
}

static void report_parameters(const table *t)
{
    parameter_tally all = {0};
    for (int k = 0; k < KINDS; k++) {
        const parameter_tally *of = &t->parameters[k];
        all.judged += of->judged, all.nonzero += of->nonzero, all.kinks += of->kinks, all.worst = fmax(all.worst, of->worst);
        printf("parameter kind %2d: %5d judged, %5d not zero, %4d without reference, worst %.1e\n", k, of->judged, of->nonzero,
               of->kinks, of->worst);
    }
    printf("parameters: %d judged, %d not zero, %d without reference, worst %.1e\n", all.judged, all.nonzero, all.kinks, all.worst);
    for (int k = 0; k < KINDS; k++) ck_assert_msg(SANITIZED || t->parameters[k].nonzero >= 20, "kind %d: too few", k);
}

START_TEST(derivatives_are_exact_on_ten_thousand_states_of_every_kind)
{
    if (SANITIZED) printf("with a sanitizer: one state of %d\n", ONE_IN);
    table t = {.of_law = 1, .of_model = 2};
    judge_pairs(&t);
    t.of_law = SANITIZED ? 1 : 4; // they differ
    judge_laws(&t);
    t.of_law = 1;
    for (int v = 0; v < SCHEMES; v++)
        for (int a = v % CELLS; a < APPROXIMATIONS; a += CELLS) judge_scheme(&schemes[v], (trx_approximation)a, &t);
    t.of_model = SANITIZED ? 2 : 6; // there are many
    for (int v = 0; v < SCHEMES; v++)
        for (int c = v % CELLS; c <= 4; c += CELLS) judge_robot(&schemes[v], c, &t);
    judge_stiff(&t);
    report_parameters(&t);
    printf("%d accepted, %d rejected in %d cells of at least %d; open %d, stick %d, slip %d, limits %d; worst %.1e\n",
           t.all.accepted, t.all.rejected, t.cells, t.smallest, t.all.modes[0], t.all.modes[1], t.all.modes[2], t.all.limits,
           t.all.worst);
    ck_assert_int_ge(t.all.accepted, wanted);
    assert_below((double)t.all.rejected, 0.3 * (t.all.accepted + t.all.rejected));
    for (int m = 0; m < 3; m++) ck_assert_int_ge(t.all.modes[m], wanted / 10);
    ck_assert_int_ge(t.all.limits, wanted / 50);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/accuracy");
    TCase *cases = tcase_create("accuracy");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, derivatives_are_exact_on_ten_thousand_states_of_every_kind);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
