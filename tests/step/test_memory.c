// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Memory follows the work: models and simulators of thousands of bodies that may all meet take memory in proportion to bodies and
// contacts, derivatives in proportion to what the step ties together.

#include "step/many.h"
#include "support/support.h"

#include <stdlib.h>
#include <tractrix/sim.h>

// bytes out, and the most there were
typedef struct meter {
    size_t now, most;
} meter;

enum { HEAD = 64 }; // before each block: its size

static void *measured_allocate(size_t bytes, void *user)
{
    meter *m = user;
    char *memory = malloc(bytes + HEAD);
    if (!memory) return NULL;
    *(size_t *)(void *)memory = bytes;
    m->now += bytes;
    if (m->now > m->most) m->most = m->now;
    return memory + HEAD;
}

static void measured_release(void *memory, void *user)
{
    meter *m = user;
    if (!memory) return;
    char *start = (char *)memory - HEAD;
    m->now -= *(size_t *)(void *)start;
    free(start);
}

typedef struct scene {
    meter meter;
    trx_context *context;
    trx_model *model;
    trx_sim *sim;
    double *x;
} scene;

// `count` boxes on the floor, ten steps
static void run(scene *s, int count)
{
    *s = (scene){.x = calloc(13 * (size_t)count, sizeof(double))};
    ck_assert_ptr_nonnull(s->x);
    trx_context_settings settings = trx_context_settings_default();
    settings.allocator = (trx_allocator){measured_allocate, measured_release, &s->meter};
    ck_assert_int_eq(trx_context_create(&settings, &s->context), TRX_OK);
    s->model = many_boxes(s->context, count);
    ck_assert_int_eq(trx_model_get_size(s->model).npair, count * (count + 1) / 2);
    ck_assert_int_eq(trx_sim_create(s->context, s->model, NULL, &s->sim), TRX_OK);
    lift_boxes(s->model, count, -1e-4, s->x);
    for (int k = 0; k < 10; k++) ck_assert_int_ge(trx_step(s->sim, s->x, NULL, s->x), 0);
    ck_assert_int_eq(trx_sim_contacts(s->sim, NULL), 4 * count);
}

static void end(scene *s)
{
    trx_sim_destroy(s->sim);
    trx_model_destroy(s->model);
    context_close(s->context);
    ck_assert_uint_eq(s->meter.now, 0);
    free(s->x);
}

static const size_t limit = 40 << 10; // a body [bytes]

START_TEST(a_thousand_boxes_take_forty_megabytes)
{
    scene s;
    run(&s, 1000);
    ck_assert_uint_lt(s.meter.most, 1000 * limit);
    end(&s);
}
END_TEST

START_TEST(four_thousand_boxes_take_four_times_as_much)
{
    scene s;
    run(&s, 4000);
    ck_assert_uint_lt(s.meter.most, 4000 * limit);
    end(&s);
}
END_TEST

START_TEST(derivatives_take_memory_for_what_is_tied_together)
{
    // boxes side by side are an island each: 36 numbers a matrix
    scene s;
    run(&s, 1000);
    const size_t before = s.meter.now;
    double *seed = calloc(12000, sizeof *seed), *grad = calloc(12000, sizeof *grad);
    ck_assert(seed && grad);
    seed[2] = 1;
    ck_assert_int_eq(trx_step_vjp(s.sim, seed, grad, NULL), TRX_OK);
    ck_assert_uint_eq(s.meter.now, before);
    ck_assert_int_eq(trx_step_jvp(s.sim, seed, NULL, grad), TRX_OK);
    ck_assert_uint_lt(s.meter.now, before + 1000 * 4 * 2 * 36 * sizeof(double) + 4096);
    free(seed);
    free(grad);
    end(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/memory");
    TCase *cases = tcase_create("memory");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, a_thousand_boxes_take_forty_megabytes);
    tcase_add_test(cases, four_thousand_boxes_take_four_times_as_much);
    tcase_add_test(cases, derivatives_take_memory_for_what_is_tied_together);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
