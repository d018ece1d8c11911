// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values of parameters: a model changed in place is the model that is built from changed definitions, a simulator's
// own values leave the shared model alone and cost no memory, and values that cannot be are refused.

#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <tractrix/problem.h>
#include <tractrix/sim.h>

static const char pattern[] =
    "tractrix: 1\n"
    "model:\n"
    "  gravity: [0, 0, %.17g]\n"
    "  materials: {m: {stiffness: 1.0e4, friction: 0.5}}\n"
    "  bodies:\n"
    "    - {name: ground, pose: {xyz: [0, 0, %.17g], rpy: [%.17g, 0, 0]}, geometry: [{shape: halfspace, material: m}]}\n"
    "    - {name: tray, parent: ground, pose: {xyz: [1, 0, 0.1]}, geometry: [{shape: box, size: [0.2, 0.2, 0.02], material: m}]}\n"
    "    - name: arm\n"
    "      parent: tray\n"
    "      pose: {xyz: [0, 0, 0.1]}\n"
    "      joints: [{name: h, type: hinge, axis: [0, 1, 0], damping: %.17g}]\n"
    "      inertia: {mass: %.17g, com: [0.1, 0, %.17g], tensor: [0.01, %.17g, 0.02]}\n"
    "    - {name: ball, joint: free, inertia: {mass: 1, tensor: [0.01, 0.01, 0.01]}, "
    "geometry: [{shape: sphere, radius: %.17g, material: m}]}\n"
    "  actuators: [{joint: h, type: pd, kp: %.17g, kd: 0.1}]\n"
    "time: {step: 0.01, steps: 1}\n"
    "start: {ball: {xyz: [0.3, 0.2, 0.0995], velocity: [0.1, 0.2, -0.1]}, h: {position: 0.3, velocity: 1}}\n";

enum { VALUES = 9, MAX_X = 24 };
static const char *const names[VALUES] = {"gravity.z", "ground.pose.z", "ground.pose.rx", "h.damping", "arm.mass",
                                          "arm.com.z", "arm.inertia.yy", "ball#1.radius", "h.kp"};
static const double before[VALUES] = {-9.81, 0, 0, 0.1, 0.5, 0.05, 0.015, 0.1, 5};
static const double after[VALUES] = {-9.5, 0.001, 0.002, 0.3, 0.7, 0.08, 0.018, 0.101, 7};

static trx_problem *load(trx_context *context, const double v[VALUES])
{
    char text[4096];
    int length = snprintf(text, sizeof text, pattern, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]);
    trx_problem *problem = NULL;
    trx_status status = trx_problem_load_text(context, "values.yaml", text, (size_t)length, NULL, &problem);
    ck_assert_msg(status >= 0, "%s", trx_context_message(context));
    return problem;
}

static trx_sim *make_sim(trx_context *context, const trx_model *model)
{
    trx_sim *sim = NULL;
    trx_sim_settings settings = trx_sim_settings_default();
    settings.tolerance = 1e-12;
    ck_assert_int_eq(trx_sim_create(context, model, &settings, &sim), TRX_OK);
    return sim;
}

static void step(trx_context *context, const trx_model *model, const double *x, double *out)
{
    trx_sim *sim = make_sim(context, model);
    const double u[1] = {0.7};
    ck_assert_int_ge(trx_step(sim, x, u, out), 0);
    trx_sim_destroy(sim);
}

START_TEST(a_changed_model_is_the_one_built_with_other_values)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trx_problem *base = load(context, before);
    const trx_model *model = trx_problem_model(base);
    const double *x = trx_problem_start(base);
    trx_parameter parameters[VALUES];
    double unchanged[MAX_X];
    step(context, model, x, unchanged);
    for (int i = 0; i < VALUES; i++) {
        double wanted[VALUES], value, built[MAX_X], made[MAX_X];
        memcpy(wanted, before, sizeof before);
        wanted[i] = after[i];
        trx_problem *other = load(context, wanted);
        ck_assert_msg(trx_model_find_parameter(context, model, names[i], &parameters[i]) == TRX_OK, "%s",
                      trx_context_message(context));
        ck_assert_int_eq(trx_model_parameter_value(context, model, parameters[i], &value), TRX_OK);
        assert_close(value, before[i], 1e-15);
        trx_model *changed;
        ck_assert_int_eq(trx_model_change(context, model, &parameters[i], &after[i], 1, &changed), TRX_OK);
        step(context, trx_problem_model(other), x, built);
        step(context, changed, x, made);
        assert_below(max_difference(built, made, 15), 1e-9);
        ck_assert_msg(max_difference(unchanged, made, 15) > 1e-6, "%s changes nothing", names[i]);
        trx_model_destroy(changed);
        trx_problem_destroy(other);
    }

    // all at once, and the shared model as it was
    double built[MAX_X], made[MAX_X];
    trx_model *changed;
    trx_problem *other = load(context, after);
    ck_assert_int_eq(trx_model_change(context, model, parameters, after, VALUES, &changed), TRX_OK);
    step(context, trx_problem_model(other), x, built);
    step(context, changed, x, made);
    assert_below(max_difference(built, made, 15), 1e-9);
    step(context, model, x, made);
    ck_assert_mem_eq(made, unchanged, 15 * sizeof *made);
    trx_model_destroy(changed);
    trx_problem_destroy(other);
    trx_problem_destroy(base);
    trx_context_destroy(context);
}
END_TEST

// the mesh used to jump to where its own origin is: a hull is placed by its centre
START_TEST(a_mesh_moves_with_the_body_it_is_on)
{
    static const double points[12] = {0.3, 0.1, 0, 0.5, 0.1, 0, 0.3, 0.3, 0, 0.3, 0.1, 0.2};
    static const int sides[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const trx_mesh mesh = {"off", 4, points, 4, sides};
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    const trx_material_def material = trx_material_def_default();
    trx_geometry_def geometry[2] = {trx_geometry_def_default(), trx_geometry_def_default()};
    trx_body_def bodies[2] = {trx_body_def_default(), trx_body_def_default()};
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "ball", joint.type = TRX_JOINT_FREE;
    geometry[0].shape = (trx_shape){.type = TRX_SHAPE_MESH, .mesh = &mesh};
    geometry[0].pose.p[1] = 0.05;
    geometry[1].shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.1};
    geometry[1].mass = 1;
    bodies[0].name = "rock", bodies[1].name = "ball", bodies[1].joints = &joint, bodies[1].njoint = 1;
    for (int i = 0; i < 2; i++) geometry[i].material = 0, bodies[i].geometry = &geometry[i], bodies[i].ngeometry = 1;
    trx_model_def def = trx_model_def_default();
    def.materials = &material, def.nmaterial = 1;
    def.bodies = bodies, def.nbody = 2;

    const double x[13] = {0.42, 0.27, 0.131, 1}, to = 0.001;
    double unchanged[13], built[13], made[13];
    trx_model *base, *other, *changed;
    ck_assert_int_eq(trx_model_create(context, &def, &base), TRX_OK);
    bodies[0].pose.p[2] = to;
    ck_assert_int_eq(trx_model_create(context, &def, &other), TRX_OK);
    const trx_parameter place = {TRX_PLACE_POSITION, 0, 2};
    ck_assert_int_eq(trx_model_change(context, base, &place, &to, 1, &changed), TRX_OK);
    step(context, base, x, unchanged);
    step(context, other, x, built);
    step(context, changed, x, made);
    ck_assert_double_gt(fabs(unchanged[9] + 0.0981), 1e-3); // they touch
    ck_assert_double_gt(max_difference(built, unchanged, 13), 1e-4);
    assert_below(max_difference(built, made, 13), 1e-12);
    trx_model_destroy(changed);
    trx_model_destroy(other);
    trx_model_destroy(base);
    trx_context_destroy(context);
}
END_TEST

START_TEST(a_simulator_has_values_of_its_own_and_takes_memory_once)
{
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    trx_problem *base = load(context, before);
    const trx_model *model = trx_problem_model(base);
    trx_sim *sim = make_sim(context, model);
    trx_parameter parameters[VALUES];
    for (int i = 0; i < VALUES; i++) ck_assert_int_eq(trx_model_find_parameter(context, model, names[i], &parameters[i]), TRX_OK);
    ck_assert_int_eq(trx_sim_set_parameter(sim, parameters[0], after[0]), TRX_OK);
    int calls = counter.calls;
    for (int round = 0; round < 200; round++)
        for (int i = 0; i < VALUES; i++) {
            double value = round % 2 ? before[i] : after[i], got, kept;
            ck_assert_int_eq(trx_sim_set_parameter(sim, parameters[i], value), TRX_OK);
            ck_assert_int_eq(trx_sim_parameter(sim, parameters[i], &got), TRX_OK);
            assert_close(got, value, 1e-13);
            ck_assert_int_eq(trx_model_parameter_value(context, model, parameters[i], &kept), TRX_OK);
            assert_close(kept, before[i], 1e-15);
        }
    ck_assert_int_eq(counter.calls, calls);

    // back at the values of the model it steps as the model does
    double own[MAX_X], shared[MAX_X];
    const double u[1] = {0.7};
    ck_assert_int_ge(trx_step(sim, trx_problem_start(base), u, own), 0);
    step(context, model, trx_problem_start(base), shared);
    assert_below(max_difference(own, shared, 15), 1e-10);
    trx_sim_destroy(sim);
    trx_problem_destroy(base);
    trx_context_destroy(context);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

START_TEST(a_value_that_cannot_be_is_refused)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trx_problem *base = load(context, before);
    const trx_model *model = trx_problem_model(base);
    trx_sim *sim = make_sim(context, model);
    static const struct {
        const char *name;
        double value;
    } wrong[] = {{"arm.mass", -1}, {"ball#1.radius", 0}, {"h.damping", -0.1}, {"h.gear", 0}, {"gravity.x", INFINITY},
                 {"arm.com.x", NAN}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        trx_parameter p;
        double value;
        trx_model *changed;
        ck_assert_int_eq(trx_model_find_parameter(context, model, wrong[i].name, &p), TRX_OK);
        ck_assert_int_eq(trx_sim_set_parameter(sim, p, wrong[i].value), TRX_ERR_INPUT);
        ck_assert_ptr_nonnull(strstr(trx_context_message(context), wrong[i].name));
        ck_assert_int_eq(trx_sim_parameter(sim, p, &value), TRX_OK);
        ck_assert(isfinite(value));
        ck_assert_int_eq(trx_model_change(context, model, &p, &wrong[i].value, 1, &changed), TRX_ERR_INPUT);
        ck_assert_ptr_null(changed);
    }
    trx_sim_destroy(sim);
    trx_problem_destroy(base);
    trx_context_destroy(context);
}
END_TEST

// two geometries of one body, so that "pair(ball, ground)" is two pairs: the second with friction of its own
static const char two_pairs[] =
    "tractrix: 1\n"
    "model:\n"
    "  materials: {m: {stiffness: 1.0e4, friction: 0.5}}\n"
    "  bodies:\n"
    "    - {name: ground, geometry: [{shape: halfspace, material: m}]}\n"
    "    - name: ball\n"
    "      joint: free\n"
    "      geometry:\n"
    "        - {shape: sphere, radius: 0.1, mass: 1, material: m}\n"
    "        - {shape: sphere, radius: 0.1, mass: 1, material: m, pose: {xyz: [0.3, 0, 0]}}\n"
    "contact: {override: [{pair: [\"ball#2\", ground], %s}]}\n"
    "time: {step: 0.01, steps: 1}\n"
    "start: {ball: {xyz: [0, 0, 0.099]}}\n";

// a simulator gave the first pair a value that the second pair refused, and trx_model_change gave the value to both: steps of such
// a model divided by zero
START_TEST(a_value_that_one_law_refuses_is_refused_for_all_pairs_that_it_means)
{
    static const struct {
        const char *of_second, *name;
    } cases[] = {{"approximation: sap, relaxation_time: 0.01", "pair(ball, ground).stiffness"},
                 {"axis: [1, 0, 0], friction_across: 0.2", "pair(ball, ground).friction"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trx_context *context;
        ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
        char text[2048];
        int length = snprintf(text, sizeof text, two_pairs, cases[i].of_second);
        trx_problem *base = NULL;
        trx_status status = trx_problem_load_text(context, "pairs.yaml", text, (size_t)length, NULL, &base);
        ck_assert_msg(status >= 0, "%s", trx_context_message(context));
        const trx_model *model = trx_problem_model(base);
        trx_sim *sim = make_sim(context, model);
        trx_parameter p;
        const double zero = 0, one = 1;
        double value, first;
        ck_assert_int_eq(trx_model_find_parameter(context, model, cases[i].name, &p), TRX_OK);
        p.index = 0;
        ck_assert_int_eq(trx_sim_parameter(sim, p, &first), TRX_OK);
        ck_assert_int_eq(trx_sim_set_parameter(sim, p, zero), TRX_ERR_ARGUMENT);
        for (p.index = 0; p.index < 2; p.index++) {
            ck_assert_int_eq(trx_sim_parameter(sim, p, &value), TRX_OK);
            ck_assert(value > 0);
        }
        p.index = 0;
        ck_assert_int_eq(trx_sim_parameter(sim, p, &value), TRX_OK);
        ck_assert(value == first);

        trx_model *changed;
        ck_assert_int_eq(trx_model_change(context, model, &p, &zero, 1, &changed), TRX_ERR_INPUT);
        ck_assert_ptr_null(changed);
        ck_assert_ptr_nonnull(strstr(trx_context_message(context), "ball#2"));

        // a value on the way to the last one need not be usable
        const trx_parameter twice[2] = {p, p};
        const double values[2] = {zero, one};
        ck_assert_int_eq(trx_model_change(context, model, twice, values, 2, &changed), TRX_OK);
        trx_model_destroy(changed);
        trx_sim_destroy(sim);
        trx_problem_destroy(base);
        trx_context_destroy(context);
    }
}
END_TEST

// the gear used to be multiplied by ratios of values, which added up their rounding
START_TEST(values_that_come_back_bring_the_same_bits)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trx_problem *base = load(context, before);
    trx_sim *sim = make_sim(context, trx_problem_model(base));
    static const char *const of_actuators[] = {"h.gear", "h.kp", "h.kd"};
    const double u[1] = {0.7}, *x = trx_problem_start(base);
    double first[MAX_X], again[MAX_X], other[MAX_X];
    ck_assert_int_ge(trx_step(sim, x, u, first), 0);
    for (size_t i = 0; i < sizeof of_actuators / sizeof *of_actuators; i++) {
        trx_parameter p;
        double value;
        ck_assert_int_eq(trx_model_find_parameter(context, trx_problem_model(base), of_actuators[i], &p), TRX_OK);
        ck_assert_int_eq(trx_sim_parameter(sim, p, &value), TRX_OK);
        for (int k = 1; k < 100; k++) ck_assert_int_eq(trx_sim_set_parameter(sim, p, value * (1 + 0.1 * sin(k))), TRX_OK);
        ck_assert_int_ge(trx_step(sim, x, u, other), 0);
        ck_assert_int_eq(trx_sim_set_parameter(sim, p, value), TRX_OK);
        ck_assert_int_ge(trx_step(sim, x, u, again), 0);
        ck_assert_mem_eq(again, first, 15 * sizeof *first);
        ck_assert_msg(max_difference(other, first, 15) > 1e-6, "%s changes nothing", of_actuators[i]);
    }
    trx_sim_destroy(sim);
    trx_problem_destroy(base);
    trx_context_destroy(context);
}
END_TEST

// a motor of 10 N with a gain, a bias and limits of its control
static trx_model *motor(trx_context *context, double gain, double bias)
{
    trx_joint_def joint = trx_joint_def_default();
    trx_body_def body = trx_body_def_default();
    trx_actuator_def actuator = trx_actuator_def_default();
    joint.name = "h", body.name = "arm", body.joints = &joint, body.njoint = 1;
    body.has_inertia = true, body.inertia.mass = 1;
    for (int i = 0; i < 3; i++) body.inertia.tensor[i] = 0.1;
    actuator.body = actuator.joint = 0, actuator.tendon = -1;
    actuator.gain = gain, actuator.bias = bias, actuator.lower = -4, actuator.upper = INFINITY;
    actuator.effort_lower = -10, actuator.effort_upper = 10;
    trx_model_def def = trx_model_def_default();
    def.bodies = &body, def.nbody = 1, def.actuators = &actuator, def.nactuator = 1;
    trx_model *model;
    ck_assert_msg(trx_model_create(context, &def, &model) == TRX_OK, "%s", trx_context_message(context));
    return model;
}

// the limits stayed at those of the old gain and bias, so a plan asked the motor for more than its effort
START_TEST(the_limits_of_a_motor_follow_its_gain_and_bias)
{
    static const struct {
        double gain, bias, lower, upper;
    } cases[] = {{2, 0, -4, 5}, {5, 0, -2, 2}, {-5, 1, -1.8, 2.2}, {1, -3, -4, 13}};
    static const trx_parameter both[2] = {{TRX_ACTUATOR_GAIN, 0, 0}, {TRX_ACTUATOR_BIAS, 0, 0}};
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trx_model *base = motor(context, 2, 0), *changed;
    for (int i = 0; i < 4; i++) {
        trx_model *built = motor(context, cases[i].gain, cases[i].bias);
        const double values[2] = {cases[i].gain, cases[i].bias};
        ck_assert_int_eq(trx_model_change(context, base, both, values, 2, &changed), TRX_OK);
        const trx_actuator_info a = trx_model_actuator(built, 0), b = trx_model_actuator(changed, 0);
        assert_close(a.lower, cases[i].lower, 1e-14);
        assert_close(a.upper, cases[i].upper, 1e-14);
        ck_assert(b.lower == a.lower && b.upper == a.upper);

        // back to the first values, from the changed model
        const double first[2] = {2, 0};
        trx_model *back;
        ck_assert_int_eq(trx_model_change(context, changed, both, first, 2, &back), TRX_OK);
        ck_assert(trx_model_actuator(back, 0).lower == -4 && trx_model_actuator(back, 0).upper == 5);
        trx_model_destroy(back);
        trx_model_destroy(changed);
        trx_model_destroy(built);
    }
    trx_model_destroy(base);
    trx_context_destroy(context);
}
END_TEST

START_TEST(gain_and_bias_that_leave_a_motor_no_control_are_refused)
{
    static const trx_parameter bias = {TRX_ACTUATOR_BIAS, 0, 0};
    static const double far = 19;
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trx_model *base = motor(context, 2, 0), *changed;
    ck_assert_int_eq(trx_model_change(context, base, &bias, &far, 1, &changed), TRX_ERR_INPUT);
    ck_assert_ptr_null(changed);
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "actuator 'h': no control is both within the limits [-4, inf] and, "
                                                               "by effort, within [-14.5, -4.5]"));
    trx_model_destroy(base);
    trx_context_destroy(context);
}
END_TEST

// a body with `count` spheres, in a text that grows
static int add_spheres(char *text, size_t size, int length, const char *name, int count)
{
    length += snprintf(text + length, size - (size_t)length,
                       "    - {name: %s, joint: free, inertia: {mass: 1, tensor: [1, 1, 1]}, geometry: [", name);
    for (int i = 0; i < count; i++)
        length += snprintf(text + length, size - (size_t)length, "%s{shape: sphere, radius: 0.1, material: m}", i > 0 ? ", " : "");
    return length + snprintf(text + length, size - (size_t)length, "]}\n");
}

// each pair searched its place from the first one on: the time grew with the square of the number of pairs
START_TEST(a_value_of_all_pairs_of_two_bodies_takes_a_time_like_their_number)
{
    enum { SPHERES = 100, PAIRS = SPHERES * SPHERES };
    static char text[16384];
    trx_context *context;
    trx_problem *problem = NULL;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    int length = snprintf(text, sizeof text,
                          "tractrix: 1\nmodel:\n  materials: {m: {stiffness: 1.0e4, friction: 0.5}}\n  bodies:\n");
    length = add_spheres(text, sizeof text, length, "a", SPHERES);
    length = add_spheres(text, sizeof text, length, "b", SPHERES);
    length += snprintf(text + length, sizeof text - (size_t)length, "time: {step: 0.01, steps: 1}\n");
    ck_assert_int_ge(trx_problem_load_text(context, "pairs.yaml", text, (size_t)length, NULL, &problem), 0);
    const trx_model *model = trx_problem_model(problem);
    ck_assert_int_eq(trx_model_get_size(model).npair, PAIRS);
    trx_parameter both[2];
    for (int i = 0; i < 2; i++) ck_assert_int_eq(trx_model_find_parameter(context, model, "pair(a, b).friction", &both[i]), TRX_OK);
    trx_model *changed;
    const double begun = trx_clock();
    ck_assert_int_eq(trx_model_change(context, model, both, (const double[2]){0.3, 0.4}, 2, &changed), TRX_OK);
    ck_assert_double_lt(trx_clock() - begun, 1);
    for (int i = 0; i < PAIRS; i++) ck_assert(trx_model_pair(changed, i).law.friction == 0.4);
    trx_model_destroy(changed);
    trx_problem_destroy(problem);
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/parameters");
    TCase *cases = tcase_create("parameters");
    tcase_add_test(cases, a_changed_model_is_the_one_built_with_other_values);
    tcase_add_test(cases, a_mesh_moves_with_the_body_it_is_on);
    tcase_add_test(cases, a_simulator_has_values_of_its_own_and_takes_memory_once);
    tcase_add_test(cases, a_value_that_cannot_be_is_refused);
    tcase_add_test(cases, a_value_that_one_law_refuses_is_refused_for_all_pairs_that_it_means);
    tcase_add_test(cases, values_that_come_back_bring_the_same_bits);
    tcase_add_test(cases, the_limits_of_a_motor_follow_its_gain_and_bias);
    tcase_add_test(cases, gain_and_bias_that_leave_a_motor_no_control_are_refused);
    tcase_add_test(cases, a_value_of_all_pairs_of_two_bodies_takes_a_time_like_their_number);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
