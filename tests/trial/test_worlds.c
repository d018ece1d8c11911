// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The worlds of push_box: which quantities vary, what the draws make of model and start, the deviations of noise.

#include "trial/worlds.h"

#include "support/support.h"

#include <math.h>
#include <string.h>
#include <tractrix/problem.h>

enum { NQ = 10, NV = 9, NX = NQ + NV };

typedef struct fixture {
    trx_context *context;
    trx_problem *problem;
    const trx_model *model;
    trxi_pool *pool;
    trxi_worlds worlds;
    double *draws;
} fixture;

static void begin(fixture *f, const trx_trial_settings *settings)
{
    ck_assert_int_eq(trx_context_create(NULL, &f->context), TRX_OK);
    ck_assert_int_eq(trx_problem_load(f->context, "problems/push_box.yaml", NULL, &f->problem), TRX_OK);
    f->model = trx_problem_model(f->problem);
    f->pool = trxi_pool_create(f->context);
    ck_assert_int_eq(trxi_worlds_begin(f->pool, f->model, settings, &f->worlds), TRX_OK);
    f->draws = TRXI_POOL(f->pool, double, f->worlds.count + 1);
}

static void end(fixture *f)
{
    trxi_pool_destroy(f->pool);
    trx_problem_destroy(f->problem);
    trx_context_destroy(f->context);
}

static int find(const fixture *f, const char *name)
{
    for (int i = 0; i < f->worlds.count; i++)
        if (!strcmp(f->worlds.variations[i].name, name)) return i;
    return -1;
}

START_TEST(pairs_bodies_and_undriven_dofs_vary)
{
    fixture f;
    const trx_trial_settings settings = trx_trial_settings_default();
    begin(&f, &settings);
    ck_assert_int_ge(find(&f, "pair(ground, box).friction"), 0);
    ck_assert_int_ge(find(&f, "pair(box, pusher).stiffness"), 0);
    ck_assert_int_ge(find(&f, "box.mass"), 0);
    ck_assert_int_ge(find(&f, "start of box.vx"), 0);
    ck_assert_int_ge(find(&f, "start of box.wz"), 0);
    ck_assert_int_eq(find(&f, "start of px.v"), -1); // a motor drives the pusher
    ck_assert_int_eq(f.worlds.count, 14);
    end(&f);
}
END_TEST

START_TEST(a_world_has_the_drawn_model_and_start)
{
    fixture f;
    trx_trial_settings settings = trx_trial_settings_default();
    begin(&f, &settings);
    trxi_world_draw(&f.worlds, 3, f.draws);
    trx_model *model;
    ck_assert_int_eq(trxi_world_model(&f.worlds, f.context, f.draws, &model), TRX_OK);
    const int body = trx_model_find_body(f.model, "box");
    const trx_body_inertia before = trx_model_body_inertia(f.model, body), after = trx_model_body_inertia(model, body);
    const double heavier = 1 + 0.1 * f.draws[find(&f, "box.mass")];
    assert_close(after.mass, heavier * before.mass, 1e-15);
    for (int k = 0; k < 6; k++) assert_close(after.tensor[k], heavier * before.tensor[k], 1e-17);
    for (int i = 0; i < trx_model_get_size(model).npair; i++) {
        const trx_pair_law a = trx_model_pair(f.model, i).law, b = trx_model_pair(model, i).law;
        const double rougher = b.friction / a.friction - 1, stiffer = b.stiffness / a.stiffness - 1;
        ck_assert(fabs(rougher) <= 0.2 && rougher != 0 && fabs(stiffer) <= 0.2 && stiffer != 0 && rougher != stiffer);
    }
    trx_model_destroy(model);

    double dx[NV], x[NX], moved[NV];
    const double *x0 = trx_problem_start(f.problem);
    trxi_world_start(&f.worlds, f.draws, x0, dx, x);
    trx_model_difference(f.model, x, x0, moved);
    for (int i = 0; i < NV; i++) {
        const double range = i < 3 ? 0.002 : i < 6 ? 0.02 : 0;
        ck_assert(fabs(moved[i]) <= range * (1 + 1e-9) && (moved[i] != 0) == (range > 0));
    }
    end(&f);
}
END_TEST

START_TEST(draws_are_uniform_and_independent_of_each_other)
{
    fixture f;
    const trx_trial_settings settings = trx_trial_settings_default();
    begin(&f, &settings);
    enum { WORLDS = 4000 };
    double sum = 0, square = 0, cross = 0, last = 0;
    for (int i = 0; i < WORLDS; i++) {
        trxi_world_draw(&f.worlds, i, f.draws);
        ck_assert(f.draws[0] >= -1 && f.draws[0] < 1);
        sum += f.draws[0], square += f.draws[0] * f.draws[0], cross += f.draws[0] * f.draws[1] + f.draws[0] * last;
        last = f.draws[0];
    }
    assert_close(sum / WORLDS, 0, 4 / sqrt(3.0 * WORLDS));
    assert_close(square / WORLDS, 1.0 / 3, 0.02);
    assert_close(cross / WORLDS, 0, 0.03);
    end(&f);
}
END_TEST

START_TEST(noise_is_in_the_unit_of_each_dof)
{
    fixture f;
    trx_trial_settings settings = trx_trial_settings_default();
    settings.noise_position = 0.001, settings.noise_rotation = 0.01, settings.noise_velocity = 0.1;
    begin(&f, &settings);
    for (int i = 0; i < NV; i++) {
        const bool turns = i >= 3 && i < 6; // of the box; the pusher slides
        ck_assert_double_eq(f.worlds.noise[i], turns ? 0.01 : 0.001);
        ck_assert_double_eq(f.worlds.noise[NV + i], 0.1);
    }
    end(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trial/worlds");
    TCase *cases = tcase_create("worlds");
    tcase_add_test(cases, pairs_bodies_and_undriven_dofs_vary);
    tcase_add_test(cases, a_world_has_the_drawn_model_and_start);
    tcase_add_test(cases, draws_are_uniform_and_independent_of_each_other);
    tcase_add_test(cases, noise_is_in_the_unit_of_each_dof);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
