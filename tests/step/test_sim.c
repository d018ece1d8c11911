// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Life of a simulator: what its settings and laws may be, what happens when memory is out, and that nothing is
// allocated once there is room for derivatives.

#include "step/many.h"
#include "step/reserve.h"
#include "step/scenes.h"
#include "support/support.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// a free ball and a sliding ball with a motor
static trx_model *make_model(trx_context *context)
{
    trx_joint_def joints[2] = {trx_joint_def_default(), trx_joint_def_default()};
    trx_geometry_def geometry[2] = {trx_geometry_def_default(), trx_geometry_def_default()};
    trx_body_def bodies[2] = {trx_body_def_default(), trx_body_def_default()};
    joints[0].name = "ball", joints[0].type = TRX_JOINT_FREE;
    joints[1].name = "slide", joints[1].type = TRX_JOINT_SLIDE, joints[1].lower = -1, joints[1].upper = 1;
    for (int b = 0; b < 2; b++) {
        geometry[b].shape.radius = 0.05, geometry[b].mass = 1;
        bodies[b].name = joints[b].name;
        bodies[b].joints = &joints[b], bodies[b].njoint = 1;
        bodies[b].geometry = &geometry[b], bodies[b].ngeometry = 1;
    }
    trx_actuator_def motor = trx_actuator_def_default();
    motor.body = 1, motor.joint = 0;
    const trx_material_def material = trx_material_def_default();
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = 2;
    def.materials = &material, def.nmaterial = 1;
    def.actuators = &motor, def.nactuator = 1;
    trx_model *model;
    trx_status status = trx_model_create(context, &def, &model);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(context));
    return model;
}

static void expect_refused(trx_context *context, const trx_model *model, const trx_sim_settings *settings, const char *word)
{
    trx_sim *sim = (trx_sim *)&word;
    ck_assert_int_eq(trx_sim_create(context, model, settings, &sim), TRX_ERR_ARGUMENT);
    ck_assert_ptr_null(sim);
    ck_assert_msg(strstr(trx_context_message(context), word) != NULL, "'%s' lacks '%s'", trx_context_message(context), word);
}

// the first set of a value of the model put all geometries at their poses in the links, and the derivatives collided them there
START_TEST(a_refused_parameter_leaves_the_derivatives_of_the_last_step)
{
    double x[64], u[8], A[2][32 * 32];
    for (int refused = 0; refused < 2; refused++) {
        scene s = scene_pair(SCENE_FREE, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
        scene_state(&s, SCENE_SLIP, 3, 1, x, u);
        ck_assert_int_ge(trx_step(s.sim, x, u, NULL), 0);
        ck_assert_int_gt(trx_sim_step_info(s.sim).contacts, 0);
        if (refused) ck_assert_int_lt(trx_sim_set_parameter(s.sim, (trx_parameter){TRX_BODY_MASS, 0, 0}, -1), 0);
        ck_assert_int_eq(trx_step_jac(s.sim, A[refused], NULL), TRX_OK);
        ck_assert(s.nx <= 32);
        if (refused) ck_assert_mem_eq(A[0], A[1], (size_t)(s.nx * s.nx) * sizeof(double));
        scene_destroy(&s);
    }
}
END_TEST

START_TEST(bad_settings_are_refused_by_name)
{
    static const struct {
        size_t offset;
        const char *name;
    } fields[] = {{offsetof(trx_sim_settings, time_step), "time_step"},
                  {offsetof(trx_sim_settings, stiction_tolerance), "stiction_tolerance"},
                  {offsetof(trx_sim_settings, tolerance), "tolerance"},
                  {offsetof(trx_sim_settings, near_rigid), "near_rigid"},
                  {offsetof(trx_sim_settings, friction_regularization), "friction_regularization"},
                  {offsetof(trx_sim_settings, joint_stiction_tolerance), "joint_stiction_tolerance"},
                  {offsetof(trx_sim_settings, compliance), "compliance"},
                  {offsetof(trx_sim_settings, kappa), "kappa"}};
    static const double bad[] = {-1, NAN, INFINITY, 0};
    trx_context *context;
    context = context_open();
    trx_model *model = make_model(context);
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        for (int b = 0; b < 4; b++) {
            if (bad[b] == 0 && strcmp(fields[f].name, "tolerance") == 0) continue;
            trx_sim_settings settings = trx_sim_settings_default();
            memcpy((char *)&settings + fields[f].offset, &bad[b], sizeof bad[b]);
            expect_refused(context, model, &settings, fields[f].name);
        }
    trx_sim_settings settings = trx_sim_settings_default();
    settings.tolerance = -1;
    expect_refused(context, model, &settings, "tolerance is -1: it must be finite and not negative"); // 0 is allowed
    settings = trx_sim_settings_default();
    settings.time_step = 0;
    expect_refused(context, model, &settings, "time_step is 0: it must be finite and positive");
    settings = trx_sim_settings_default();
    settings.max_iterations = 0;
    expect_refused(context, model, &settings, "max_iterations");
    settings = trx_sim_settings_default();
    settings.margin = -1;
    expect_refused(context, model, &settings, "margin");
    settings.margin = INFINITY;
    expect_refused(context, model, &settings, "margin");
    memset(&settings, 0, sizeof settings);
    expect_refused(context, model, &settings, "trx_sim_settings_default");
    settings = trx_sim_settings_default();
    expect_refused(context, NULL, &settings, "model");
    trx_model_destroy(model);
    context_close(context);
}
END_TEST

// a setting at a bound of its range and beyond it
typedef struct bound {
    const char *word; // of the message beyond
    void (*set)(trx_sim_settings *s, double value);
    double within, beyond;
} bound;

static void set_theta(trx_sim_settings *s, double value) { s->scheme = TRX_THETA, s->theta = value; }
static void set_theta_vq(trx_sim_settings *s, double value) { s->scheme = TRX_THETA, s->theta_vq = value; }
static void set_relaxation(trx_sim_settings *s, double value) { s->contact_model = TRX_CONTACT_NCP, s->relaxation = value; }
static void set_relaxation_of_admm(trx_sim_settings *s, double value)
{
    s->contact_model = TRX_CONTACT_NCP, s->contact_solver = TRX_SOLVER_ADMM, s->relaxation = value;
}
static void set_model(trx_sim_settings *s, double value) { s->contact_model = (trx_contact_model)value; }
static void set_solver(trx_sim_settings *s, double value)
{
    s->contact_model = TRX_CONTACT_LCP, s->contact_solver = (trx_contact_solver)value;
}
static void set_line_search(trx_sim_settings *s, double value) { s->line_search = (trx_line_search)value; }
static void set_sweeps(trx_sim_settings *s, double value) { s->max_sweeps = (int)value; }
static void set_sides(trx_sim_settings *s, double value) { s->sides = (int)value; }
static void set_iterations(trx_sim_settings *s, double value) { s->max_iterations = (int)value; }
static void set_margin(trx_sim_settings *s, double value) { s->margin = value; }
static void set_middle(trx_sim_settings *s, double value)
{
    s->scheme = (trx_scheme)value, s->contact_midpoint = true;
}
static void set_middle_theta(trx_sim_settings *s, double value)
{
    s->scheme = TRX_THETA, s->contact_midpoint = true, s->theta = value;
}
static void set_middle_theta_vq(trx_sim_settings *s, double value)
{
    s->scheme = TRX_THETA, s->contact_midpoint = true, s->theta_vq = value;
}
static void set_scheme(trx_sim_settings *s, double value) { s->scheme = (trx_scheme)value; }
static void set_kind_of_spin(trx_sim_settings *s, double value) { s->spin = (trx_spin)value; }
static void set_spin(trx_sim_settings *s, double value) { s->scheme = (trx_scheme)value, s->spin = TRX_SPIN_MOMENTUM; }

START_TEST(settings_are_taken_up_to_their_bounds)
{
    static const bound bounds[] = {
        {"theta is -0.1", set_theta, 0, -0.1},
        {"theta is 1.1", set_theta, 1, 1.1},
        {"theta_vq -0.1", set_theta_vq, 0, -0.1},
        {"theta_vq 1.1", set_theta_vq, 1, 1.1},
        {"relaxation is -0.1", set_relaxation, 0, -0.1},
        {"relaxation is 1.1", set_relaxation, 1, 1.1},
        {"relaxation is 2", set_relaxation_of_admm, 1.9, 2},
        {"no contact model -1", set_model, 0, -1},
        {"no contact model 7", set_model, TRX_CONTACT_FIRST_ORDER, TRX_CONTACT_MODELS},
        {"no contact solver -1", set_solver, 0, -1},
        {"no contact solver 6", set_solver, TRX_SOLVER_PIVOTING, TRX_CONTACT_SOLVERS},
        {"no line search -1", set_line_search, 0, -1},
        {"no line search 2", set_line_search, TRX_LINE_SEARCH_BACKTRACKING, TRX_LINE_SEARCH_BACKTRACKING + 1},
        {"max_sweeps", set_sweeps, 1, 0},
        {"sides", set_sides, 4, 2},
        {"sides", set_sides, 64, 66},
        {"sides", set_sides, 6, 7},
        {"max_iterations", set_iterations, 1, 0},
        {"margin", set_margin, 0, -1e-9},
        {"contact_midpoint", set_middle, TRX_MIDPOINT, TRX_SYMPLECTIC},
        {"contact_midpoint", set_middle_theta, 1e-3, 0},
        {"contact_midpoint", set_middle_theta_vq, 1e-3, 0},
        {"no scheme -1", set_scheme, 0, -1},
        {"no scheme 4", set_scheme, TRX_THETA, TRX_THETA + 1},
        {"no spin -1", set_kind_of_spin, 0, -1},
        {"no spin 2", set_kind_of_spin, TRX_SPIN_MOMENTUM, TRX_SPIN_MOMENTUM + 1},
        {"spin by momentum", set_spin, TRX_SYMPLECTIC, TRX_MIDPOINT},
    };
    trx_context *context;
    context = context_open();
    trx_model *model = make_model(context);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        trx_sim *sim;
        trx_sim_settings settings = trx_sim_settings_default();
        bounds[i].set(&settings, bounds[i].within);
        ck_assert_msg(trx_sim_create(context, model, &settings, &sim) == TRX_OK, "%s: %s", bounds[i].word,
                      trx_context_message(context));
        trx_sim_destroy(sim);
        settings = trx_sim_settings_default();
        bounds[i].set(&settings, bounds[i].beyond);
        expect_refused(context, model, &settings, bounds[i].word);
    }
    trx_model_destroy(model);
    context_close(context);
}
END_TEST

START_TEST(refused_settings_leave_the_old_ones)
{
    trx_context *context;
    trx_sim *sim;
    context = context_open();
    trx_model *model = make_model(context);
    ck_assert_int_eq(trx_sim_create(context, model, NULL, &sim), TRX_OK);
    ck_assert_ptr_eq(trx_sim_model(sim), model);
    trx_sim_settings settings = trx_sim_get_settings(sim);
    ck_assert(settings.time_step == 0.01 && settings.tolerance == 1e-6 && isnan(settings.margin));
    settings.time_step = -1;
    ck_assert_int_eq(trx_sim_set_settings(sim, &settings), TRX_ERR_ARGUMENT);
    ck_assert(trx_sim_get_settings(sim).time_step == 0.01);
    settings.time_step = 0.002;
    ck_assert_int_eq(trx_sim_set_settings(sim, &settings), TRX_OK);
    ck_assert(trx_sim_get_settings(sim).time_step == 0.002);
    trx_sim_destroy(sim);
    trx_sim_destroy(NULL);
    trx_model_destroy(model);
    context_close(context);
}
END_TEST

START_TEST(laws_are_checked_and_belong_to_one_simulator)
{
    trx_context *context;
    trx_sim *sim, *other;
    context = context_open();
    trx_model *model = make_model(context);
    ck_assert_int_eq(trx_sim_create(context, model, NULL, &sim), TRX_OK);
    ck_assert_int_eq(trx_sim_create(context, model, NULL, &other), TRX_OK);
    const trx_pair_law good = trx_sim_pair_law(sim, 0);
    trx_pair_law law = good;
    ck_assert_int_eq(trx_sim_set_pair_law(sim, -1, &law), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_sim_set_pair_law(sim, 1, &law), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "no pair 1"));
    law.approximation = TRX_SAP;
    ck_assert_int_eq(trx_sim_set_pair_law(sim, 0, &law), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "kelvin_voigt"));
    law = good, law.approximation = (trx_approximation)12;
    ck_assert_int_eq(trx_sim_set_pair_law(sim, 0, &law), TRX_ERR_ARGUMENT);
    law = good, law.force_law = (trx_force_law)-1;
    ck_assert_int_eq(trx_sim_set_pair_law(sim, 0, &law), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_sim_set_pair_law(sim, 0, NULL), TRX_ERR_ARGUMENT);
    ck_assert(trx_sim_pair_law(sim, 1).stiffness == 0 && trx_sim_pair_law(sim, -1).stiffness == 0);
    for (int field = 0; field < 5; field++)
        for (int kind = 0; kind < 2; kind++) {
            law = good;
            double *const fields[] = {&law.stiffness, &law.dissipation, &law.relaxation_time, &law.friction, &law.smoothing};
            if (field == 4) law.force_law = TRX_SMOOTHED;
            *fields[field] = kind ? NAN : -1e-9;
            ck_assert_int_eq(trx_sim_set_pair_law(sim, 0, &law), TRX_ERR_ARGUMENT);
        }
    trx_pair_law kept = trx_sim_pair_law(sim, 0);
    ck_assert(kept.stiffness == good.stiffness && kept.approximation == good.approximation);
    law = good;
    law.stiffness *= 2;
    ck_assert_int_eq(trx_sim_set_pair_law(sim, 0, &law), TRX_OK);
    ck_assert(trx_sim_pair_law(sim, 0).stiffness == 2 * good.stiffness);
    ck_assert(trx_sim_pair_law(other, 0).stiffness == good.stiffness);
    trx_sim_destroy(sim);
    trx_sim_destroy(other);
    trx_model_destroy(model);
    context_close(context);
}
END_TEST

START_TEST(memory_that_runs_out_is_a_status_at_every_allocation)
{
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    trx_sim *sim;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    trx_model *model = make_model(context);
    int before = counter.calls, outstanding = counter.outstanding;
    ck_assert_int_eq(trx_sim_create(context, model, NULL, &sim), TRX_OK);
    int needed = counter.calls - before;
    trx_sim_destroy(sim);
    ck_assert_int_eq(counter.outstanding, outstanding);
    ck_assert_int_gt(needed, 0);
    for (int k = 1; k <= needed; k++) {
        counter.fail_at = counter.calls + k;
        ck_assert_int_eq(trx_sim_create(context, model, NULL, &sim), TRX_ERR_MEMORY);
        ck_assert_ptr_null(sim);
        ck_assert_int_eq(counter.outstanding, outstanding);
    }
    trx_model_destroy(model);
    context_close(context);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

static void *remember_largest(size_t bytes, void *user)
{
    size_t *largest = user;
    if (bytes > *largest) *largest = bytes;
    return bytes < (size_t)1 << 30 ? malloc(bytes) : NULL;
}

static void release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

// nv^2 of 5600 free bodies does not fit an int. If sizes were measured in int, arrays would overlap
START_TEST(matrices_of_thousands_of_bodies_are_measured_in_full)
{
    enum { MANY = 5600 };
    const size_t nv = 6 * MANY;
    size_t largest = 0;
    trx_context_settings settings = trx_context_settings_default();
    settings.allocator = (trx_allocator){.allocate = remember_largest, .release = release, .user = &largest};
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    static trx_body_def bodies[MANY];
    static char names[MANY][8];
    static trx_joint_def joints[MANY];
    for (int b = 0; b < MANY; b++) {
        snprintf(names[b], sizeof names[b], "b%d", b);
        joints[b] = trx_joint_def_default();
        joints[b].name = names[b], joints[b].type = TRX_JOINT_FREE;
        bodies[b] = trx_body_def_default();
        bodies[b].name = names[b], bodies[b].joints = &joints[b], bodies[b].njoint = 1;
        bodies[b].has_inertia = true;
        bodies[b].inertia = (trx_body_inertia){.mass = 1, .tensor = {1, 1, 1}};
    }
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = MANY;
    trx_model *model;
    ck_assert_msg(trx_model_create(context, &def, &model) == TRX_OK, "%s", trx_context_message(context));
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(context, model, NULL, &sim), TRX_OK);
    ck_assert_uint_lt(largest, 500 * nv * sizeof(double));
    ck_assert_int_eq(trxi_sim_reserve_derivatives(sim), TRX_ERR_MEMORY);
    ck_assert_uint_ge(largest, 4 * nv * nv * sizeof(double));
    trx_sim_destroy(sim);
    trx_model_destroy(model);
    context_close(context);
}
END_TEST

// each box has four contacts; all of them are more than the first memory for contacts holds
START_TEST(room_for_contacts_that_cannot_be_had_fails_one_step_and_no_more)
{
    enum { COUNT = 300, STATE = 13 * COUNT };
    static double high[STATE], low[STATE], next[STATE], expected[STATE];
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    trx_model *model = many_boxes(context, COUNT);
    lift_boxes(model, COUNT, 10, high);
    lift_boxes(model, COUNT, -1e-4, low);
    trx_sim *sim, *other;
    ck_assert_int_eq(trx_sim_create(context, model, NULL, &sim), TRX_OK);
    ck_assert_int_eq(trx_sim_create(context, model, NULL, &other), TRX_OK);
    ck_assert_int_eq(trx_step(other, low, NULL, expected), TRX_OK);
    ck_assert_int_eq(trx_sim_contacts(other, NULL), 4 * COUNT);

    ck_assert_int_eq(trx_step(sim, high, NULL, next), TRX_OK);
    for (int k = 0; k < 3; k++) {
        counter.fail_at = counter.calls + 1;
        ck_assert_int_eq(trx_step(sim, low, NULL, next), TRX_ERR_MEMORY);
        ck_assert_int_eq(trx_sim_contacts(sim, NULL), 0);
        ck_assert_int_eq(trx_step_jac(sim, NULL, NULL), TRX_ERR_NO_STEP);
        ck_assert_int_eq(trx_step(sim, high, NULL, next), TRX_OK);
    }
    counter.fail_at = 0;
    ck_assert_int_eq(trx_step(sim, low, NULL, next), TRX_OK);
    ck_assert(memcmp(next, expected, sizeof next) == 0);

    // the memory has grown, so further steps allocate nothing
    int calls = counter.calls;
    for (int k = 0; k < 5; k++) ck_assert_int_eq(trx_step(sim, next, NULL, next), TRX_OK);
    ck_assert_int_eq(counter.calls, calls);
    trx_sim_destroy(sim);
    trx_sim_destroy(other);
    trx_model_destroy(model);
    context_close(context);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

START_TEST(steps_and_derivatives_with_room_allocate_nothing)
{
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    trx_sim *sim;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    trx_model *model = make_model(context);
    ck_assert_int_eq(trx_sim_create(context, model, NULL, &sim), TRX_OK);
    ck_assert_int_eq(trxi_sim_reserve_derivatives(sim), TRX_OK);
    int calls = counter.calls;
    double x[15] = {0}, u = 1, A[14 * 14], B[14], seed[14] = {1}, g[14];
    trx_model_neutral(model, x);
    x[0] = 0.03, x[1] = 0.02, x[2] = 0.0925;
    for (int a = 0; a <= TRX_SAP; a++) {
        trx_pair_law law = trx_sim_pair_law(sim, 0);
        law.approximation = (trx_approximation)a;
        law.force_law = a == TRX_SAP ? TRX_KELVIN_VOIGT : TRX_HUNT_CROSSLEY;
        ck_assert_int_eq(trx_sim_set_pair_law(sim, 0, &law), TRX_OK);
        trx_sim_settings chosen = trx_sim_get_settings(sim);
        chosen.scheme = (trx_scheme)(a % (TRX_THETA + 1));
        ck_assert_int_eq(trx_sim_set_settings(sim, &chosen), TRX_OK);
        for (int k = 0; k < 20; k++) {
            ck_assert_int_ge(trx_step(sim, x, &u, x), 0);
            ck_assert_int_eq(trx_step_jac(sim, A, B), TRX_OK);
            ck_assert_int_eq(trx_step_jvp(sim, seed, &u, g), TRX_OK);
            ck_assert_int_eq(trx_step_vjp(sim, seed, g, &u), TRX_OK);
        }
        trx_sim_step_info(sim);
        const trx_contact *contacts;
        trx_sim_contacts(sim, &contacts);
        trx_sim_warm_start(sim, seed);
    }
    ck_assert_int_eq(counter.calls, calls);
    trx_sim_destroy(sim);
    trx_model_destroy(model);
    context_close(context);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/sim");
    TCase *cases = tcase_create("sim");
    tcase_add_test(cases, a_refused_parameter_leaves_the_derivatives_of_the_last_step);
    tcase_add_test(cases, bad_settings_are_refused_by_name);
    tcase_add_test(cases, settings_are_taken_up_to_their_bounds);
    tcase_add_test(cases, refused_settings_leave_the_old_ones);
    tcase_add_test(cases, laws_are_checked_and_belong_to_one_simulator);
    tcase_add_test(cases, memory_that_runs_out_is_a_status_at_every_allocation);
    tcase_add_test(cases, matrices_of_thousands_of_bodies_are_measured_in_full);
    tcase_add_test(cases, room_for_contacts_that_cannot_be_had_fails_one_step_and_no_more);
    tcase_add_test(cases, steps_and_derivatives_with_room_allocate_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
