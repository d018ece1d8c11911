// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Height fields of a problem file: heights in it and in a table, and what is refused.

#include "loading.h"

#include "problem/problem.h"

#include <stdio.h>
#include <string.h>

static const char SCENE[] = "tractrix: 1\nmodel:\n  bodies:\n"
                            "    - {name: ball, joint: free, geometry: [{shape: sphere, radius: 0.1, mass: 1}]}\n"
                            "    - {name: ground, geometry: [%s]}\ntime: {step: 0.01, steps: 10}\n"
                            "start: {ball: {xyz: [0, 0, 1]}}\n";

static const char *scene_of(const char *geometry)
{
    static char text[2048];
    snprintf(text, sizeof text, SCENE, geometry);
    return text;
}

static const trx_shape *field_of(const fixture *f)
{
    return &f->problem->scene.bodies[1].geometry[0].shape;
}

START_TEST(rows_begin_at_the_least_y)
{
    fixture f = fixture_open();
    const char *text = scene_of("{shape: heightfield, size: [4, 2, 0.5], heights: [[0, 1, 2], [3, 4, 5]], scale: 0.1}");
    ck_assert_msg(load_text(&f, text, NULL, 0) == TRX_OK, "%s", trx_context_message(f.context));
    const trx_shape *shape = field_of(&f);
    ck_assert_int_eq(shape->type, TRX_SHAPE_HEIGHT_FIELD);
    ck_assert_int_eq(shape->columns, 3);
    assert_close(shape->length, 0.5, 0);
    assert_below(max_difference(shape->mesh->vertices, (double[]){-2, -1, 0}, 3), 1e-15);
    assert_below(max_difference(shape->mesh->vertices + 15, (double[]){2, 1, 0.5}, 3), 1e-15);
    fixture_close(&f);
}
END_TEST

START_TEST(a_table_gives_heights)
{
    const char *const files[] = {"field.csv"};
    sandbox s = sandbox_open();
    char name[TEMPORARY_PATH + 16];
    write_file(&s, "field.csv", "a,b\n1,2\n3,4\n5,6\n");
    snprintf(name, sizeof name, "%s/problem.yaml", s.folder);
    const char *text = scene_of("{shape: heightfield, size: [4, 2, 0.5], file: field.csv}");
    ck_assert_msg(load_text_as(&s.f, name, text, NULL, 0) == TRX_OK, "%s", trx_context_message(s.f.context));
    ck_assert_int_eq(field_of(&s.f)->mesh->nvertex, 6);
    assert_close(field_of(&s.f)->mesh->vertices[17], 6, 0);
    sandbox_close(&s, files, 1);
}
END_TEST

// bodies of every shape that tumble over hills, until they roll, slide and rest
static const char TUMBLE[] =
    "tractrix: 1\nmodel:\n  materials: {default: {stiffness: 2.0e4, dissipation: 5.0, friction: 0.5}}\n  bodies:\n"
    "    - {name: ground, geometry: [{shape: heightfield, size: [1.2, 1.2, 0.5], scale: 0.1, heights: [[1, 0, 2, 1, 2], "
    "[0, 1, 0, 1, 1], [2, 0, 0, 0, 2], [1, 1, 0, 1, 0], [2, 2, 1, 0, 2]]}]}\n"
    "    - {name: box, joint: free, geometry: [{shape: box, size: [0.4, 0.3, 0.1], mass: 1}]}\n"
    "    - {name: ball, joint: free, geometry: [{shape: sphere, radius: 0.06, mass: 1}]}\n"
    "    - {name: rod, joint: free, geometry: [{shape: capsule, radius: 0.04, length: 0.3, mass: 1}]}\n"
    "    - {name: can, joint: free, geometry: [{shape: cylinder, radius: 0.06, length: 0.15, mass: 1}]}\n"
    "    - {name: egg, joint: free, geometry: [{shape: ellipsoid, size: [0.2, 0.15, 0.1], mass: 1}]}\n"
    "contact: {pairs: {only: [[ground, box], [ground, ball], [ground, rod], [ground, can], [ground, egg]]}}\n"
    "time: {step: 0.004, steps: 250}\nstart:\n  box: {xyz: [0, 0, 0.3]}\n  ball: {xyz: [0.05, 0.03, 0.3]}\n"
    "  rod: {xyz: [0.1, -0.1, 0.3], rpy: [0.3, 1.2, 0]}\n  can: {xyz: [-0.1, 0.13, 0.3], rpy: [0.2, 0, 0]}\n"
    "  egg: {xyz: [-0.12, -0.15, 0.3]}\n";

START_TEST(derivatives_over_hills_agree_with_differences)
{
    enum { STATES = SANITIZED ? 4 : 16 };
    trx_gradient_check check;
    fixture f = fixture_open();
    ck_assert_msg(load_text(&f, TUMBLE, NULL, 0) == TRX_OK, "%s", trx_context_message(f.context));
    ck_assert_int_eq(trx_problem_check_gradients(f.problem, STATES, &check), TRX_OK);
    ck_assert_msg(check.ok, "A %g at %s", check.a_error, check.a_at);
    ck_assert_int_ge(check.states, STATES * 3 / 4);
    assert_below(check.a_error, 1e-6);
    fixture_close(&f);
}
END_TEST

START_TEST(a_box_on_level_cells_moves_as_on_a_halfspace)
{
    static const char *const grounds[] = {"{shape: halfspace}",
                                          "{shape: heightfield, size: [2, 2, 0.5], heights: [[0, 0, 0], [0, 0, 0], [0, 0, 0]]}"};
    static const char text[] = "tractrix: 1\nmodel:\n  bodies:\n"
                               "    - {name: box, joint: free, geometry: [{shape: box, size: [0.4, 0.3, 0.1], mass: 1}]}\n"
                               "    - {name: ground, geometry: [%s]}\ntime: {step: 0.005, steps: 200}\n"
                               "start: {box: {xyz: [0.1, 0.2, 0.2], rpy: [0.1, 0.2, 0.3], velocity: [0.5, 0.2, 0]}}\n";
    double ends[2][13];
    for (int i = 0; i < 2; i++) {
        char scene[1024];
        snprintf(scene, sizeof scene, text, grounds[i]);
        fixture f = fixture_open();
        ck_assert_msg(load_text(&f, scene, NULL, 0) == TRX_OK, "%s", trx_context_message(f.context));
        trx_sim *sim;
        const trx_sim_settings settings = trx_problem_sim_settings(f.problem);
        ck_assert_int_eq(trx_sim_create(f.context, trx_problem_model(f.problem), &settings, &sim), TRX_OK);
        memcpy(ends[i], trx_problem_start(f.problem), sizeof ends[i]);
        for (int k = 0; k < 200; k++) ck_assert_int_ge(trx_step(sim, ends[i], NULL, ends[i]), 0);
        trx_sim_destroy(sim);
        fixture_close(&f);
    }
    ck_assert(ends[0][0] > 0.12);
    assert_below(max_difference(ends[0], ends[1], 13), 1e-7);
}
END_TEST

START_TEST(wrong_fields_are_refused)
{
    static const struct {
        const char *geometry, *words;
    } cases[] = {
        {"{shape: heightfield, size: [4, 2, 1]}", "a heightfield needs heights: write heights or file"},
        {"{shape: heightfield, size: [4, 2, 1], heights: [[0, 1]]}", "heights: expected at least 2 rows of at least 2 heights"},
        {"{shape: heightfield, size: [4, 2, 1], heights: [[0, 1], [0]]}", "heights: expected a list of 2 numbers, found 1"},
        {"{shape: heightfield, size: [4, 2, 1], heights: [[0, 1], [0, -1]]}", "a height is not above the bottom"},
        {"{shape: heightfield, size: [4, 2, 1], heights: [[0, 1], [0, 0]], file: a.csv}", "heights and file both give the heights"},
        {"{shape: heightfield, size: [4, 2, 1], heights: [[0, 1], [0, 0]], mass: 1}", "a heightfield has no mass"},
        {"{shape: heightfield, heights: [[0, 1], [0, 0]]}", "a heightfield needs a size: add it"},
        {"{shape: heightfield, size: [4, 2, 1], file: a.png}", "is a picture"},
        {"{shape: box, size: [4, 2, 1], heights: [[0, 1], [0, 0]]}", "a box has no heights"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f = fixture_open();
        const trx_status status = load_text(&f, scene_of(cases[i].geometry), NULL, 0);
        ck_assert_msg(status < 0 && has_finding(&f, TRX_ERROR, cases[i].words), "case %zu: %s", i, trx_context_message(f.context));
        fixture_close(&f);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_height_field");
    TCase *cases = tcase_create("height field");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, rows_begin_at_the_least_y);
    tcase_add_test(cases, a_table_gives_heights);
    tcase_add_test(cases, derivatives_over_hills_agree_with_differences);
    tcase_add_test(cases, a_box_on_level_cells_moves_as_on_a_halfspace);
    tcase_add_test(cases, wrong_fields_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
