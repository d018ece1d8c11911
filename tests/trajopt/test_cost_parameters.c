// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the cost by parameters agree with differences. At a fixed state: terms of bodies, frames, centres of mass and
// distances, by every parameter of a model whose fixed bodies carry an arm. For a whole trajectory, where the motion changes as
// well: the gradient.

#include "trajopt/scenes.h"

#include "trajopt/cost_parameters.h"
#include "trajopt/plan.h"

#include <tractrix/problem.h>

static const char pattern[] =
    "tractrix: 1\n"
    "model:\n"
    "  gravity: [0.3, 0.2, -9.81]\n"
    "  materials: {m: {stiffness: 2.0e3, dissipation: 2, friction: 0.4}}\n"
    "  bodies:\n"
    "    - {name: ground, geometry: [{shape: halfspace, material: m}]}\n"
    "    - {name: base, pose: {xyz: [0.1, 0.2, 0.3], rpy: [0.05, -0.04, 0.3]}, frames: [{name: mark, pose: {xyz: "
    "[0.1, 0, 0.2]}}]}\n"
    "    - name: stand\n"
    "      parent: base\n"
    "      pose: {xyz: [0.02, -0.03, 0.1], rpy: [0.03, 0.06, -0.2]}\n"
    "      inertia: {mass: 1.5, com: [0.1, 0, 0.05], tensor: [0.01, 0.01, 0.01]}\n"
    "      geometry: [{shape: cylinder, radius: 0.15, length: 0.04, material: m}]\n"
    "    - name: upper\n"
    "      parent: stand\n"
    "      pose: {xyz: [0.1, 0.1, 0.05], rpy: [0.2, 0, 0]}\n"
    "      joints: [{name: h, type: hinge, axis: [0.2, 1, 0.1], damping: 0.1, stiffness: 0.5}]\n"
    "      inertia: {mass: 0.5, com: [0.02, 0.01, 0.1], tensor: [0.004, 0.003, 0.002]}\n"
    "    - name: hand\n"
    "      parent: upper\n"
    "      pose: {xyz: [0, 0, 0.2], rpy: [0.3, 0.1, 0]}\n"
    "      joints: [{name: w, type: ball}]\n"
    "      inertia: {mass: 0.2, com: [0.01, 0, 0.02], tensor: [0.001, 0.0008, 0.0012]}\n"
    "      geometry: [{name: tip, shape: capsule, radius: 0.03, length: 0.1, material: m}]\n"
    "      frames: [{name: eye, pose: {xyz: [0.02, 0.03, 0.1], rpy: [0.2, 0.4, 0]}}]\n"
    "    - name: crate\n"
    "      joint: free\n"
    "      inertia: {mass: 0.4, com: [0.01, 0.02, 0], tensor: [0.001, 0.0012, 0.0009]}\n"
    "      geometry: [{shape: box, size: [0.1, 0.12, 0.08], rounding: 0.005, material: m}]\n"
    "  actuators: [{joint: h}]\n"
    "contact: {stiction_tolerance: 1.0e-2}\n"
    "time: {step: 0.005, steps: 10}\n"
    "start:\n"
    "  crate: {xyz: [0.13, 0.18, 0.475], rpy: [0.3, 0.5, 0.1], velocity: [-0.2, -0.1, -0.3], spin: [0.2, -0.4, 0.6]}\n"
    "  h: {position: 0.9, velocity: 0.4}\n"
    "  w: {rpy: [0.1, 0.2, -0.1], spin: [0.3, 0.1, 0.5]}\n"
    "cost:\n"
    "%s"
    "  - {of: control, weight: 0.1}\n";

static const char *const terms[] = {
    "of: hand.position, target: [0.1, 0.2, 0.3], weight: [1, 2, 3], at: all",
    "of: hand.orientation, target: {rpy: [0.3, 0.2, 0.1]}, at: all",
    "of: hand.velocity, target: [1, 2, 0.5], at: end",
    "of: hand.spin, target: [0.1, 0.2, 0], at: all",
    "of: eye.position, at: all",
    "of: eye.velocity, target: [0.5, 1, 0], at: all",
    "of: mark.orientation, target: {rpy: [0.3, 0.2, 0.1]}, at: end",
    "of: stand.position, at: all",
    "of: com.position, at: all",
    "of: com.velocity, target: [0.2, 0.1, 0], at: all",
    "of: com(stand).position, at: all",
    "of: com(stand).velocity, at: all",
    "of: 'distance(hand, crate)', target: 0.1, at: all",
    "of: 'distance(crate, stand)', target: 0.1, at: all",
};
enum { TERMS = sizeof terms / sizeof *terms, MAX_PARAMETERS = 160, MAX_STATE = 32 };

typedef struct scene {
    trx_context *context;
    trx_problem *problem;
    trx_plan_problem task;
    trx_plan_settings settings;
} scene;

static scene open_scene(int first, int last)
{
    scene s = {.context = make_context()};
    char text[8192], cost[2048] = "";
    for (int i = first; i < last; i++) snprintf(cost + strlen(cost), sizeof cost - strlen(cost), "  - {%s}\n", terms[i]);
    snprintf(text, sizeof text, pattern, cost);
    trx_status status = trx_problem_load_text(s.context, "cost.yaml", text, strlen(text), NULL, &s.problem);
    ck_assert_msg(status >= 0, "%s", trx_context_message(s.context));
    ck_assert_int_eq(trx_problem_plan(s.problem, &s.task, &s.settings), TRX_OK);
    return s;
}

static void close_scene(scene *s)
{
    trx_problem_destroy(s->problem);
    trx_context_destroy(s->context);
}

static trx_plan *plan_with(const scene *s, const trx_parameter *p, double value, trx_model **changed)
{
    trx_plan_problem task = s->task;
    const trx_stage stage = physical_stage();
    ck_assert_int_eq(trx_model_change(s->context, s->task.model, p, &value, p ? 1 : 0, changed), TRX_OK);
    task.model = *changed, task.stages = &stage, task.nstage = 1;
    return make_plan(s->context, &task, s->settings);
}

// cost of one knot at a fixed state, or of the whole trajectory
static double cost_with(const scene *s, const trx_parameter *p, double value, int knot, const double *x)
{
    trx_model *changed;
    trx_plan *plan = plan_with(s, p, value, &changed);
    double cost, u[16] = {0}, scratch[16];
    if (x) ck_assert_int_eq(trx_plan_cost(plan, knot, x, u, &cost, NULL, NULL, NULL, NULL, NULL), TRX_OK);
    else ck_assert_int_ge(trx_plan_gradient(plan, u, &cost, scratch, NULL), 0);
    trx_plan_destroy(plan);
    trx_model_destroy(changed);
    return cost;
}

// parameters on which a cost can depend. Roundings of 0 are left out, because differences need a smaller rounding
static bool is_geometric(const scene *s, const trx_parameter *p)
{
    double value;
    ck_assert_int_ge(trx_model_parameter_value(s->context, s->task.model, *p, &value), TRX_OK);
    if (p->kind == TRX_GEOM_ROUNDING && value == 0) return false;
    return p->kind == TRX_BODY_MASS || p->kind == TRX_BODY_COM || p->kind >= TRX_GEOM_SIZE;
}

// (4 D(h/2) - D(h))/3, and how far the two are apart
static double difference(const scene *s, const trx_parameter *p, double h, int knot, const double *x, double *apart)
{
    double value, slope[2];
    ck_assert_int_eq(trx_model_parameter_value(s->context, s->task.model, *p, &value), TRX_OK);
    for (int level = 0; level < 2; level++) {
        double e = level ? h / 2 : h;
        slope[level] = (cost_with(s, p, value + e, knot, x) - cost_with(s, p, value - e, knot, x)) / (2 * e);
    }
    *apart = fabs(slope[0] - slope[1]);
    return (4 * slope[1] - slope[0]) / 3;
}

START_TEST(a_cost_that_measures_what_a_parameter_changes_agrees_with_differences)
{
    scene s = open_scene(_i, _i + 1);
    trx_model *same;
    trx_plan *plan = plan_with(&s, NULL, 0, &same);
    trx_parameter list[MAX_PARAMETERS];
    const int count = trx_model_parameters(s.task.model, list, MAX_PARAMETERS);
    ck_assert_int_lt(count, MAX_PARAMETERS);
    double grad[MAX_PARAMETERS] = {0}, largest = 0, worst = 0;
    int nonzero = 0;
    trxi_cost_parameters(&plan->cost, 10, s.task.x0, list, count, grad);
    for (int k = 0; k < count; k++) {
        double apart;
        if (list[k].kind == TRX_STICTION_TOLERANCE || !is_geometric(&s, &list[k])) {
            ck_assert(list[k].kind == TRX_GEOM_ROUNDING || grad[k] == 0);
            continue;
        }
        double D = difference(&s, &list[k], 1e-4, 10, s.task.x0, &apart);
        nonzero += fabs(D) > 1e-6;
        largest = fmax(largest, fabs(D));
        worst = fmax(worst, fabs(grad[k] - D));
    }
    printf("{%-70s} %3d of %3d not zero, worst %.1e of %.1e\n", terms[_i], nonzero, count, worst, largest);
    ck_assert_int_ge(nonzero, 3);
    assert_below(worst, 1e-8 * largest);
    trx_plan_destroy(plan);
    trx_model_destroy(same);
    close_scene(&s);
}
END_TEST

START_TEST(the_gradient_of_a_trajectory_holds_both_what_moves_and_what_is_measured)
{
    scene s = open_scene(0, TERMS);
    trx_model *same;
    trx_plan *plan = plan_with(&s, NULL, 0, &same);
    trx_parameter list[MAX_PARAMETERS];
    const int count = trx_model_parameters(s.task.model, list, MAX_PARAMETERS);
    double grad[MAX_PARAMETERS], u[16] = {0}, cost, worst = 0;
    int judged = 0;
    ck_assert_int_eq(trx_plan_gradient_parameters(plan, u, list, count, &cost, grad), TRX_OK);
    for (int k = 0; k < count; k++) {
        double apart;
        if (list[k].kind == TRX_STICTION_TOLERANCE || !is_geometric(&s, &list[k])) continue;
        double D = difference(&s, &list[k], 1e-5, 0, NULL, &apart);
        if (fabs(D) < 1e-3 || apart > 1e-5 * fabs(D)) continue;
        judged++;
        worst = fmax(worst, fabs(grad[k] - D) / fabs(D));
    }
    printf("trajectory: %d judged, worst %.1e\n", judged, worst);
    ck_assert_int_ge(judged, 25);
    assert_below(worst, 1e-5);
    const trx_parameter wrong = {TRX_PLACE_POSITION, 77, 0};
    ck_assert_int_eq(trx_plan_gradient_parameters(plan, u, &wrong, 1, NULL, grad), TRX_ERR_ARGUMENT);
    trx_plan_destroy(plan);
    trx_model_destroy(same);
    close_scene(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/cost_parameters");
    TCase *cases = tcase_create("cost_parameters");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, a_cost_that_measures_what_a_parameter_changes_agrees_with_differences, 0, TERMS);
    tcase_add_test(cases, the_gradient_of_a_trajectory_holds_both_what_moves_and_what_is_measured);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
