// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A channel between a plant and its controller: noise of the given deviation, old states with their times, late commands.

#include <tractrix/channel.h>

#include "step/scenes.h"
#include "support/support.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NQ = 10, NV = 9, NU = 3, NX = NQ + NV };

// a controller that notes what it gets and answers with the time
typedef struct witness {
    double now, measured_at, x[NX];
    int opened;
    trx_status answer;
} witness;

static trx_status open_witness(void *user, trx_context *context, int world, void **state)
{
    (void)context, (void)world;
    witness *w = user;
    w->opened++;
    *state = user;
    return TRX_OK;
}

static trx_status see(void *state, double now, double measured_at, const double *x, double *u)
{
    witness *w = state;
    w->now = now, w->measured_at = measured_at;
    memcpy(w->x, x, sizeof w->x);
    for (int i = 0; i < NU; i++) u[i] = now;
    return w->answer;
}

static trx_status see_at_once(void *state, double t, const double *x, double *u)
{
    return see(state, t, NAN, x, u);
}

static void close_witness(void *state)
{
    ((witness *)state)->opened--;
}

typedef struct fixture {
    scene s;
    witness w;
    trx_controller behind;
    trx_channel channel;
    double x[NX];
} fixture;

static void begin(fixture *f)
{
    f->s = scene_push(TRX_LAGGED, TRX_HUNT_CROSSLEY, 0, 1e4, 1e-4);
    f->w = (witness){.answer = TRX_OK};
    f->behind = (trx_controller){.user = &f->w, .open = open_witness, .control = see_at_once, .control_late = see,
                                 .close = close_witness};
    f->channel = trx_channel_default();
    f->channel.model = f->s.model, f->channel.controller = &f->behind;
    memset(f->x, 0, sizeof f->x);
    trx_model_neutral(f->s.model, f->x);
}

static void *open_channel(const fixture *f, int world)
{
    void *state;
    const trx_controller c = trx_channel_controller(&f->channel);
    ck_assert_int_eq(c.open(c.user, f->s.context, world, &state), TRX_OK);
    return state;
}

START_TEST(noise_has_the_given_deviation)
{
    enum { STEPS = 4000 };
    fixture f;
    double noise[2 * NV], square[2 * NV] = {0}, u[NU], dx[NV], last = 0, neighbours = 0;
    begin(&f);
    for (int i = 0; i < 2 * NV; i++) noise[i] = i == 1 ? 0 : 0.001 * (1 + i);
    f.channel.noise = noise;
    const trx_controller c = trx_channel_controller(&f.channel);
    void *state = open_channel(&f, 1);
    for (int step = 0; step < STEPS; step++) {
        ck_assert_int_eq(c.control(state, 0.001 * step, f.x, u), TRX_OK);
        trx_model_difference(f.s.model, f.w.x, f.x, dx);
        neighbours += dx[0] * last, last = dx[0];
        for (int i = 0; i < NV; i++) square[i] += dx[i] * dx[i], square[NV + i] += pow(f.w.x[NQ + i] - f.x[NQ + i], 2);
    }
    for (int i = 0; i < 2 * NV; i++) assert_close(sqrt(square[i] / STEPS), noise[i], 0.05 * noise[i]);
    assert_close(neighbours / square[0], 0, 4 / sqrt(STEPS));
    c.close(state);
    ck_assert_int_eq(f.w.opened, 0);
    scene_destroy(&f.s);
}
END_TEST

START_TEST(noise_depends_on_seed_world_and_step_alone)
{
    fixture f;
    double noise[2 * NV], u[NU], seen[4][NX];
    begin(&f);
    for (int i = 0; i < 2 * NV; i++) noise[i] = 0.01;
    f.channel.noise = noise;
    const trx_controller c = trx_channel_controller(&f.channel);
    for (int way = 0; way < 4; way++) { // twice the same, another seed, another world
        f.channel.seed = way == 2 ? 2 : 1;
        void *state = open_channel(&f, way == 3);
        for (int step = 0; step < 3; step++) ck_assert_int_eq(c.control(state, 0.001 * step, f.x, u), TRX_OK);
        memcpy(seen[way], f.w.x, sizeof seen[way]);
        c.close(state);
    }
    ck_assert_mem_eq(seen[0], seen[1], sizeof seen[0]);
    for (int i = NQ; i < NX; i++) ck_assert(seen[2][i] != seen[0][i] && seen[3][i] != seen[0][i]);
    scene_destroy(&f.s);
}
END_TEST

static trx_status keep(void *state, double t, const double *x, double *u)
{
    (void)t, (void)u;
    *(const double **)state = x;
    return TRX_OK;
}

static trx_status open_pointer(void *user, trx_context *context, int world, void **state)
{
    (void)context, (void)world;
    *state = user;
    return TRX_OK;
}

static void close_pointer(void *state)
{
    (void)state;
}

// a step had 4096 random numbers; the numbers beyond them were the first numbers of the next step
START_TEST(noise_of_a_large_model_is_new_in_every_step)
{
    enum { BODIES = 343, VELOCITIES = 6 * BODIES, POSITIONS = 7 * BODIES, BEYOND = 2 * VELOCITIES - 4096 };
    static trx_joint_def joints[BODIES];
    static trx_body_def bodies[BODIES];
    static char names[BODIES][8];
    static double noise[2 * VELOCITIES], x[POSITIONS + VELOCITIES], first[BEYOND], second[VELOCITIES];
    double u[1]; // no control
    for (int i = 0; i < BODIES; i++) {
        snprintf(names[i], sizeof names[i], "b%d", i);
        joints[i] = trx_joint_def_default(), bodies[i] = trx_body_def_default();
        joints[i].name = bodies[i].name = names[i], joints[i].type = TRX_JOINT_FREE;
        bodies[i].joints = &joints[i], bodies[i].njoint = 1;
        bodies[i].has_inertia = true, bodies[i].inertia.mass = 1;
        for (int k = 0; k < 3; k++) bodies[i].inertia.tensor[k] = 1;
    }
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = BODIES;
    trx_context *context;
    trx_model *model;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    ck_assert_int_eq(trx_model_create(context, &def, &model), TRX_OK);
    for (int i = 0; i < 2 * VELOCITIES; i++) noise[i] = 1e-3;

    const double *measured = NULL;
    const trx_controller behind = {.user = &measured, .open = open_pointer, .control = keep, .close = close_pointer};
    trx_channel channel = trx_channel_default();
    channel.model = model, channel.controller = &behind, channel.noise = noise;
    const trx_controller c = trx_channel_controller(&channel);
    void *state;
    ck_assert_int_eq(c.open(c.user, context, 0, &state), TRX_OK);
    trx_model_neutral(model, x);
    ck_assert_int_eq(c.control(state, 0, x, u), TRX_OK);
    for (int i = 0; i < BEYOND; i++) first[i] = measured[POSITIONS + VELOCITIES - BEYOND + i];
    ck_assert_int_eq(c.control(state, 1, x, u), TRX_OK);
    trx_model_difference(model, measured, x, second);
    ck_assert(max_magnitude(first, BEYOND) > 0 && max_magnitude(second, BEYOND) > 0);
    for (int i = 0; i < BEYOND; i++) ck_assert(fabs(first[i] - second[i]) > 1e-9);
    c.close(state);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

START_TEST(states_arrive_late_and_so_do_commands)
{
    fixture f;
    begin(&f);
    f.channel.age = 3, f.channel.delay = 2;
    const trx_controller c = trx_channel_controller(&f.channel);
    void *state = open_channel(&f, 0);
    for (int step = 0; step < 12; step++) {
        const int old = step < 3 ? 0 : step - 3, sent = step < 2 ? 0 : step - 2;
        double u[NU] = {NAN, NAN, NAN};
        f.x[0] = 0.1 * step;
        ck_assert_int_eq(c.control(state, 1 + step, f.x, u), TRX_OK);
        ck_assert(f.w.now == 1 + step && f.w.measured_at == 1 + old);
        ck_assert_double_eq(f.w.x[0], 0.1 * old);
        ck_assert(u[0] == 1 + sent && u[NU - 1] == 1 + sent);
    }

    // a controller that knows no late states gets the old state as of now
    c.close(state);
    f.behind.control_late = NULL;
    state = open_channel(&f, 0);
    double u[NU];
    ck_assert_int_eq(c.control(state, 7, f.x, u), TRX_OK);
    ck_assert(f.w.now == 7 && isnan(f.w.measured_at));

    // a failure of the controller is a failure of the channel; the next answer takes its slot
    f.w.answer = TRX_ERR_NOT_FINITE;
    ck_assert_int_eq(c.control(state, 8, f.x, u), TRX_ERR_NOT_FINITE);
    f.w.answer = TRX_OK;
    ck_assert_int_eq(c.control(state, 9, f.x, u), TRX_OK);
    c.close(state);
    scene_destroy(&f.s);
}
END_TEST

START_TEST(wrong_channels_are_refused)
{
    fixture f;
    begin(&f);
    for (int way = 0; way < 6; way++) {
        trx_channel wrong = f.channel;
        void *state;
        if (way == 0) wrong.size = 0;
        if (way == 1) wrong.model = NULL;
        if (way == 2) wrong.controller = NULL;
        if (way == 3) wrong.delay = -1;
        if (way == 4) wrong.delay = 10000001;
        if (way == 5) wrong.age = INT_MAX;
        const trx_controller c = trx_channel_controller(&wrong);
        ck_assert_int_eq(c.open(c.user, f.s.context, 0, &state), TRX_ERR_ARGUMENT);
    }
    ck_assert_int_eq(f.w.opened, 0);
    scene_destroy(&f.s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("judge/channel");
    TCase *cases = tcase_create("channel");
    tcase_add_test(cases, noise_has_the_given_deviation);
    tcase_add_test(cases, noise_depends_on_seed_world_and_step_alone);
    tcase_add_test(cases, noise_of_a_large_model_is_new_in_every_step);
    tcase_add_test(cases, states_arrive_late_and_so_do_commands);
    tcase_add_test(cases, wrong_channels_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
