// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Differences by parameters: they agree with C, leave the parameter as it was, and say where there is no reference.

#include "verify/parameter_fd.h"

#include "step/scenes.h"
#include "support/support.h"

enum { MAX_X = 48, MAX_NX = 36 };

static const trxi_ladder ladder = {.first = 1e-3, .least = 1e-9, .shrink = 0.2, .patience = 10, .confirmed = true};

static trxi_column search(const scene *s, trx_parameter p, const double *x, const double *u, double *F)
{
    static double scratch[TRXI_COLUMN_SCRATCH * MAX_NX], ends[2 * MAX_X];
    trxi_ladder scaled = ladder;
    const double size = trxi_parameter_size(s->sim, p);
    ck_assert(size > 0);
    scaled.first *= size, scaled.least *= size;
    trxi_column column = {.rows = s->nx, .F = F, .scratch = scratch, .floor = 1e-3 / size};
    ck_assert_int_eq(trxi_parameter_fd(s->sim, p, x, u, &scaled, ends, &column), TRX_OK);
    return column;
}

typedef struct tally {
    int judged, moving;
} tally;

// compares a column of C with its reference at one state; the search of the reference must restore the parameter
static void check_parameter(const scene *s, trx_parameter p, const double *x, const double *u, tally *t)
{
    double F[MAX_NX], C[MAX_NX], before, after;
    ck_assert_int_ge(trx_step(s->sim, x, u, NULL), 0);
    if (!(trxi_parameter_size(s->sim, p) > 0)) return;
    ck_assert_int_eq(trx_step_jac_parameters(s->sim, &p, 1, C), TRX_OK);
    ck_assert_int_eq(trx_sim_parameter(s->sim, p, &before), TRX_OK);
    trxi_column column = search(s, p, x, u, F);
    ck_assert_int_eq(trx_sim_parameter(s->sim, p, &after), TRX_OK);
    ck_assert(before == after);
    if (column.crossed || !(column.estimate < 1e-6)) return;
    const double error = max_difference(C, F, s->nx), size = fmax(max_magnitude(F, s->nx), column.floor);
    assert_below(error, 1e-5 * size);
    t->judged++;
    t->moving += max_magnitude(F, s->nx) > column.floor && error > 0;
}

START_TEST(references_agree_with_the_derivative_and_leave_the_value)
{
    enum { STATES = 6 };
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE);
    trx_parameter list[256];
    double x[MAX_X], u[8];
    tally t = {0};
    trx_sim_settings tight = trx_sim_get_settings(s.sim);
    tight.tolerance = 0;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &tight), TRX_OK);
    const int count = trx_model_parameters(s.model, list, 256);
    ck_assert(count > 10 && count <= 256);
    for (int i = 0; i < STATES; i++) {
        scene_state(&s, SCENE_SLIP, 5, i, x, u);
        for (int k = 0; k < count; k++) check_parameter(&s, list[k], x, u, &t);
    }
    ck_assert_msg(t.judged > STATES * count / 2 && t.moving > 4 * STATES, "%d judged, %d move the step", t.judged, t.moving);
    scene_destroy(&s);
}
END_TEST

// a sphere that touches with no gap at all: every larger radius presses
START_TEST(a_parameter_on_a_kink_has_no_reference)
{
    floor_def def = floor_def_default();
    def.turns = false;
    def.weightless = true;
    def.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.05};
    scene s = scene_floor(&def);
    double x[MAX_X], F[MAX_NX];
    trx_parameter radius;
    floor_state(&s, &def, 0.05, 0, x);
    ck_assert_int_ge(trx_step(s.sim, x, NULL, NULL), 0);
    ck_assert_int_eq(trx_model_find_parameter(s.context, s.model, "b#1.radius", &radius), TRX_OK);
    trxi_column column = search(&s, radius, x, NULL, F);
    ck_assert(column.crossed || isinf(column.estimate));
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verify/parameter_fd");
    TCase *cases = tcase_create("parameter_fd");
    tcase_add_test(cases, references_agree_with_the_derivative_and_leave_the_value);
    tcase_add_test(cases, a_parameter_on_a_kink_has_no_reference);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
