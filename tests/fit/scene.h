// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Recordings of a box that slides and turns on a table, pushed off by its first velocity, and of a driven arm: simulated, so that
// the true parameters are known.

#ifndef TESTS_FIT_SCENE_H
#define TESTS_FIT_SCENE_H

#include "support/support.h"

#include "base/random.h"
#include "math/rotation.h"
#include "step/forces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/kinematics.h>
#include <tractrix/problem.h>

static const char SLIDE[] = "tractrix: 1\n"
                            "model:\n"
                            "  materials: {table: {stiffness: 2.0e4, dissipation: 20.0, friction: 0.3}}\n"
                            "  bodies:\n"
                            "    - name: box\n"
                            "      joint: free\n"
                            "      geometry: [{shape: box, size: [0.2, 0.1, 0.1], mass: 0.5, material: table}]\n"
                            "    - {name: ground, geometry: [{shape: halfspace, material: table}]}\n"
                            "time: {step: 0.01, steps: 60}\n"
                            "start: {box: {xyz: [0, 0, 0.0499]}}\n";

static const char ARM[] = "tractrix: 1\n"
                          "model:\n"
                          "  bodies:\n"
                          "    - name: upper\n"
                          "      joints: [{name: shoulder, type: hinge, axis: [0, 1, 0], damping: 0.2}]\n"
                          "      inertia: {mass: 1.0, com: [0, 0, -0.3], tensor: [0.03, 0.03, 0.004]}\n"
                          "      frames: [{name: marker, pose: {xyz: [0, 0, -0.6]}}]\n"
                          "    - name: lower\n"
                          "      parent: upper\n"
                          "      pose: {xyz: [0, 0, -0.6]}\n"
                          "      joints: [{name: elbow, type: hinge, axis: [1, 0, 0], damping: 0.1}]\n"
                          "      inertia: {mass: 0.6, com: [0, 0, -0.2], tensor: [0.02, 0.02, 0.003]}\n"
                          "  actuators: [{joint: shoulder}, {joint: elbow}]\n"
                          "time: {step: 0.01, steps: 60}\n";

static const char PENDULUM[] = "tractrix: 1\n"
                               "model:\n"
                               "  bodies:\n"
                               "    - name: bob\n"
                               "      joints: [{name: swing, type: hinge, axis: [0, 1, 0]}]\n"
                               "      inertia: {mass: 0.6, com: [0, 0, -0.5], tensor: [0, 0, 0]}\n"
                               "time: {step: 0.01, steps: 60}\n";

/// A loaded problem and recordings made from it.
typedef struct scene {
    trx_context *context;
    trx_problem *problem;
    trx_fit_problem fit;
    trx_fit_channel channels[16];
    trx_fit_group groups[8];
    trx_fit_recording recordings[32];
    trx_fit_parameter parameters[16];
    double *memory[96];
    int nmemory;
} scene;

static inline double *scene_take(scene *s, size_t count)
{
    double *block = calloc(count + 1, sizeof *block);
    ck_assert_ptr_nonnull(block);
    ck_assert_int_lt(s->nmemory, 96);
    s->memory[s->nmemory++] = block;
    return block;
}

/// Loads the problem of a scene. The caller must not move the scene, because its problem points into it.
static inline void scene_open(scene *s, const char *text)
{
    *s = (scene){0};
    ck_assert_int_eq(trx_context_create(NULL, &s->context), TRX_OK);
    const trx_status status = trx_problem_load_text(s->context, "scene.yaml", text, strlen(text), NULL, &s->problem);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(s->context));
    s->fit = (trx_fit_problem){.model = trx_problem_model(s->problem), .sim = trx_problem_sim_settings(s->problem),
                               .x0 = trx_problem_start(s->problem), .channels = s->channels, .groups = s->groups,
                               .recordings = s->recordings, .parameters = s->parameters};
}

static inline void scene_close(scene *s)
{
    for (int i = 0; i < s->nmemory; i++) free(s->memory[i]);
    trx_problem_destroy(s->problem);
    trx_context_destroy(s->context);
}

static inline void add_group(scene *s, const char *name, double noise)
{
    s->groups[s->fit.ngroup++] = (trx_fit_group){.name = name, .noise = noise};
}

static inline void add_channel(scene *s, trx_fit_channel_kind kind, int index, int component, const char *name)
{
    const bool turn = kind == TRX_FIT_ROTATION || kind == TRX_FIT_BODY_ORIENTATION || kind == TRX_FIT_FRAME_ORIENTATION;
    s->channels[s->fit.nchannel++] = (trx_fit_channel){.kind = kind, .index = index, .component = component,
                                                       .column = s->fit.columns,
                                                       .group = s->fit.ngroup - 1, .name = name};
    s->fit.columns += turn ? 4 : 1;
}

/// Position and rotation of the box of SLIDE.
static inline void add_box_channels(scene *s, double position, double rotation)
{
    add_group(s, "box.position", position);
    for (int i = 0; i < 3; i++) add_channel(s, TRX_FIT_COORDINATE, i, 0, trx_model_q_name(s->fit.model, i));
    add_group(s, "box.orientation", rotation);
    add_channel(s, TRX_FIT_ROTATION, 0, 0, "box.orientation");
}

static inline trx_fit_parameter *add_parameter(scene *s, const char *name, double start)
{
    trx_fit_parameter *p = &s->parameters[s->fit.nparameter++];
    *p = (trx_fit_parameter){.name = name, .start = start, .min = -INFINITY, .max = INFINITY, .prior_sd = INFINITY, .same_as = -1};
    const trx_status status = trx_model_find_parameter(s->context, s->fit.model, name, &p->of);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(s->context));
    return p;
}

/// The ten numbers of a body, fitted together, with the usual prior.
static inline void add_body(scene *s, const char *body)
{
    static const char *const members[] = {"mass", "com.x", "com.y", "com.z", "inertia.xx", "inertia.yy", "inertia.zz", "inertia.xy",
                                          "inertia.xz", "inertia.yz"};
    for (int k = 0; k < 10; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%s", body, members[k]);
        trx_fit_parameter *p = add_parameter(s, name, NAN);
        p->name = members[k], p->body_number = k + 1, p->prior_sd = 1;
    }
}

/// The sum of the forces on the second of two bodies in the list of contacts.
static inline double contact_force(trx_sim *sim, const trx_fit_channel *c)
{
    const trx_contact *contacts;
    const int count = trx_sim_contacts(sim, &contacts);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const int a = trx_model_geom(trx_sim_model(sim), contacts[i].geom_a).body;
        const int b = trx_model_geom(trx_sim_model(sim), contacts[i].geom_b).body;
        if (a == c->index && b == c->other) sum += contacts[i].force[c->component];
        if (b == c->index && a == c->other) sum -= contacts[i].force[c->component];
    }
    return sum;
}

/// The change of velocity less gravity, in the mean axes of both ends of the step.
static inline double acceleration(trx_sim *sim, trx_kinematics *k, const trx_fit_channel *c, const double *x, const double *next)
{
    const int nq = trx_model_get_size(trx_sim_model(sim)).nq;
    const double dt = trx_sim_get_settings(sim).time_step;
    double gravity[3], sum = 0, u[2][3], R[2][9];
    trx_model_gravity(trx_sim_model(sim), gravity);
    for (int e = 0; e < 2; e++) {
        const double *at = e ? next : x;
        trx_placement p;
        ck_assert_int_eq(trx_kinematics_update(k, at, at + nq, 0), TRX_OK);
        if (c->kind == TRX_FIT_BODY_ACCELERATION) trx_kinematics_body(k, c->index, &p, NULL);
        else trx_kinematics_frame(k, c->index, &p, NULL);
        memcpy(u[e], p.velocity + 3, sizeof u[e]);
        trxi_quat_to_matrix(p.pose.quat, R[e]);
    }
    for (int i = 0; i < 3; i++)
        sum += 0.5 * (R[0][3 * c->component + i] + R[1][3 * c->component + i]) * ((u[1][i] - u[0][i]) / dt - gravity[i]);
    return sum;
}

/// The value of a channel of steps in the last step.
static inline double step_value(trx_sim *sim, trx_kinematics *k, const trx_fit_channel *c, const double *x, const double *next)
{
    switch (c->kind) {
    case TRX_FIT_CONTACT_FORCE: return contact_force(sim, c);
    case TRX_FIT_ACTUATOR_FORCE: return trx_sim_actuator_force(sim, c->index);
    case TRX_FIT_JOINT_FORCE: return trxi_step_joint_force(sim, (trxi_joint_force){false, c->index});
    default: return acceleration(sim, k, c, x, next);
    }
}

/// A recording in the making: what is simulated, and the noise of its values.
typedef struct recorder {
    scene *scene;
    trx_kinematics *kinematics;
    double noise;
    uint64_t seed, draw;
} recorder;

static inline double next_noise(recorder *r)
{
    return r->noise * trxi_random_normal(r->seed, r->draw++);
}

/// The product of the quaternion q and a turn by the noise.
static inline void noisy_rotation(recorder *r, const double q[4], double out[4])
{
    double p[4] = {1, 0, 0, 0};
    for (int i = 0; i < 3; i++) p[1 + i] = 0.5 * next_noise(r);
    out[0] = q[0] * p[0] - q[1] * p[1] - q[2] * p[2] - q[3] * p[3];
    out[1] = q[0] * p[1] + q[1] * p[0] + q[2] * p[3] - q[3] * p[2];
    out[2] = q[0] * p[2] + q[2] * p[0] + q[3] * p[1] - q[1] * p[3];
    out[3] = q[0] * p[3] + q[3] * p[0] + q[1] * p[2] - q[2] * p[1];
}

/// The value of a channel in a state; channels of steps have none.
static inline void record_state(recorder *r, const trx_fit_channel *channel, const double *state, double *out)
{
    const trx_model *model = r->scene->fit.model;
    trx_placement placement;
    switch (channel->kind) {
    case TRX_FIT_COORDINATE: *out = state[channel->index] + next_noise(r); break;
    case TRX_FIT_VELOCITY: *out = state[trx_model_get_size(model).nq + channel->index] + next_noise(r); break;
    case TRX_FIT_ROTATION: noisy_rotation(r, state + trx_model_joint(model, channel->index).q_index + 3, out); break;
    case TRX_FIT_FRAME_POSITION:
        trx_kinematics_frame(r->kinematics, channel->index, &placement, NULL);
        *out = placement.pose.p[channel->component] + next_noise(r);
        break;
    case TRX_FIT_BODY_ORIENTATION:
        trx_kinematics_body(r->kinematics, channel->index, &placement, NULL);
        memcpy(out, placement.pose.quat, sizeof placement.pose.quat);
        break;
    case TRX_FIT_CONTACT_FORCE:
    case TRX_FIT_JOINT_FORCE:
    case TRX_FIT_ACTUATOR_FORCE:
    case TRX_FIT_BODY_ACCELERATION:
    case TRX_FIT_FRAME_ACCELERATION: break;
    default: ck_abort_msg("a channel that no recording of these tests has");
    }
}

/// The values of the channels of steps in the last step, from the state `before` to `state`.
static inline void record_step(recorder *r, trx_sim *sim, const double *before, const double *state, double *row)
{
    const scene *s = r->scene;
    for (int c = 0; c < s->fit.nchannel; c++) {
        const trx_fit_channel *channel = &s->channels[c];
        if (channel->kind < TRX_FIT_CONTACT_FORCE) continue;
        const double error = s->groups[channel->group].noise * next_noise(r);
        row[channel->column] = step_value(sim, r->kinematics, channel, before, state) + error;
    }
}

/// Records every `stride`-th state of a simulation from x (nq + nv) with the controls `u` sin(3 t + actuator). Values have the
/// standard deviation `noise`, quaternions in their turn. Channels of steps have `noise` times the noise of their group.
static inline void record(scene *s, const double *x, int steps, int stride, double u, double noise, uint64_t seed)
{
    const trx_model_size size = trx_model_get_size(s->fit.model);
    const size_t nx = (size_t)size.nstate;
    const int width = s->fit.columns, rows = steps / stride + 1;
    double *t = scene_take(s, (size_t)rows), *values = scene_take(s, (size_t)(rows * width));
    double *controls = scene_take(s, (size_t)(rows * size.nu)), *state = scene_take(s, nx), *before = scene_take(s, nx);
    recorder r = {.scene = s, .noise = noise, .seed = seed};
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(s->context, s->fit.model, &s->fit.sim, &sim), TRX_OK);
    ck_assert_int_eq(trx_kinematics_create(s->context, s->fit.model, &r.kinematics), TRX_OK);
    memcpy(state, x, sizeof *x * nx);
    for (int k = 0; k <= steps; k++) {
        const int row = k / stride;
        const bool recorded = k % stride == 0;
        double now[16] = {0}, *out = values + row * width;
        for (int i = 0; i < size.nu; i++) now[i] = u * sin(3.0 * row * stride * s->fit.sim.time_step + i);
        if (recorded) {
            t[row] = k * s->fit.sim.time_step;
            memcpy(controls + row * size.nu, now, sizeof *now * (size_t)size.nu);
            ck_assert_int_eq(trx_kinematics_update(r.kinematics, state, state + size.nq, t[row]), TRX_OK);
            for (int c = 0; c < s->fit.nchannel; c++) record_state(&r, &s->channels[c], state, out + s->channels[c].column);
        }
        const trx_step_input input = {.time = k * s->fit.sim.time_step, .x = state, .u = size.nu > 0 ? now : NULL};
        memcpy(before, state, sizeof *x * nx);
        ck_assert_int_ge(trx_step_from(sim, &input, state), TRX_OK);
        if (recorded) record_step(&r, sim, before, state, out);
    }
    s->recordings[s->fit.nrecording++] =
        (trx_fit_recording){.name = "simulated", .rows = rows, .t = t, .values = values, .u = size.nu > 0 ? controls : NULL};
    trx_kinematics_destroy(r.kinematics);
    trx_sim_destroy(sim);
}

/// A push of the box by its first velocity, from another side for every seed.
static inline void record_slide(scene *s, double noise, uint64_t seed)
{
    double x[13];
    memcpy(x, s->fit.x0, sizeof x);
    const double angle = 6.28 * trxi_random_uniform(77, seed);
    x[7] = 1.0 * cos(angle), x[8] = 1.0 * sin(angle);
    x[12] = 4 * trxi_random_uniform(78, seed) - 2;
    record(s, x, 60, 1, 0, noise, seed);
}

static inline double objective_at(scene *s, const double *values, const trx_fit_settings *settings)
{
    double objective;
    ck_assert_int_eq(trx_fit_objective(s->context, &s->fit, settings, values, &objective, NULL), TRX_OK);
    return objective;
}

/// The gradient in the logarithm (positive parameters) against central differences with Richardson's extrapolation.
static inline void check_gradient(scene *s, const trx_fit_settings *settings, const double *values, const bool *positive, int count)
{
    double gradient[16], largest = 0;
    ck_assert_int_eq(trx_fit_objective(s->context, &s->fit, settings, values, NULL, gradient), TRX_OK);
    for (int k = 0; k < count; k++) largest = fmax(largest, fabs(gradient[k]));
    ck_assert(largest > 0);
    for (int k = 0; k < count; k++) {
        double difference[2];
        for (int fine = 0; fine < 2; fine++) {
            const double h = fine ? 5e-5 : 1e-4;
            double changed[16], ends[2];
            for (int side = 0; side < 2; side++) {
                const double step = side ? -h : h;
                memcpy(changed, values, sizeof *values * (size_t)count);
                changed[k] = positive[k] ? values[k] * exp(step) : values[k] + step;
                ends[side] = objective_at(s, changed, settings);
            }
            difference[fine] = (ends[0] - ends[1]) / (2 * h);
        }
        const double reference = (4 * difference[1] - difference[0]) / 3;
        assert_close(gradient[k], reference, 1e-6 * largest);
        ck_assert(gradient[k] != reference);
    }
}

/// Runs `work` with a context whose allocator fails at one call, at later and later calls until all succeed. The status is MEMORY
/// whenever a call failed, and nothing leaks.
static inline void fail_some_allocations(trx_status (*work)(trx_context *context))
{
    bool reached = true;
    for (int fail_at = 1; reached; fail_at += 1 + fail_at / 6) {
        counting_allocator counter = {0};
        const trx_context_settings settings = counting_settings(&counter);
        trx_context *context;
        ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
        const int before = counter.outstanding;
        counter.calls = 0, counter.fail_at = fail_at;
        const trx_status status = work(context);
        reached = counter.calls >= fail_at;
        ck_assert(reached ? status == TRX_ERR_MEMORY : status >= 0);
        ck_assert_int_eq(counter.outstanding, before);
        trx_context_destroy(context);
    }
}

// a fit of the scene, which the caller destroys
static inline trx_fit *run_fit(scene *s, trx_fit_settings settings)
{
    trx_fit *fit;
    const trx_status status = trx_fit_run(s->context, &s->fit, &settings, NULL, NULL, &fit);
    ck_assert_msg(status >= 0, "%s", trx_context_message(s->context));
    return fit;
}

// the status of a fit of the scene in another context
static inline trx_status try_fit(const scene *s, trx_context *context)
{
    const trx_fit_settings settings = trx_fit_settings_default();
    trx_fit *fit;
    const trx_status status = trx_fit_run(context, &s->fit, &settings, NULL, NULL, &fit);
    if (status >= 0) trx_fit_destroy(fit);
    return status;
}

// a fit of the scene is refused, and the message has these words
static inline void scene_refuses(scene *s, trx_status status, const char *words)
{
    const trx_fit_settings settings = trx_fit_settings_default();
    trx_fit *fit;
    ck_assert_int_eq(trx_fit_run(s->context, &s->fit, &settings, NULL, NULL, &fit), status);
    ck_assert_ptr_null(fit);
    ck_assert_msg(strstr(trx_context_message(s->context), words) != NULL, "%s", trx_context_message(s->context));
}

#endif
