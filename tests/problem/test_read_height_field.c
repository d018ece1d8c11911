// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Height fields of a problem file: heights in it and in a table, and what is refused.

#include "loading.h"

#include "problem/problem.h"

#include <string.h>

static const char SCENE[] = "tractrix: 1\nmodel:\n  bodies:\n    - {name: ball, joint: free, geometry: [{shape: sphere, radius: 0.1, mass: 1}]}\n"
                            "    - {name: ground, geometry: [%s]}\ntime: {step: 0.01, steps: 10}\nstart: {ball: {xyz: [0, 0, 1]}}\n";

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

START_TEST(wrong_fields_are_refused)
{
    static const struct {
        const char *geometry, *words;
    } cases[] = {
        {"{shape: heightfield, size: [4, 2, 1]}", "a heightfield needs heights: write heights or file"},
        {"{shape: heightfield, size: [4, 2, 1], heights: [[0, 1]]}", "heights: expected at least 2 rows of at least 2 heights"},
        {"{shape: heightfield, size: [4, 2, 1], heights: [[0, 1], [0]]}", "heights: expected 2 numbers"},
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
    tcase_add_test(cases, rows_begin_at_the_least_y);
    tcase_add_test(cases, a_table_gives_heights);
    tcase_add_test(cases, wrong_fields_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
