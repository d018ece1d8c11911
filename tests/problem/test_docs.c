// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The yaml blocks of docs/problem_file.md load. A block that begins with `tractrix:` is a file; `model:` becomes one
// with a time; any other section replaces the section of the first block.

#include "loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 16384 };

// the text between the next ```yaml and its ```; moves *page behind it, false when there is none
static bool next_block(const char **page, char block[TEXT_SIZE])
{
    const char *open = strstr(*page, "```yaml\n");
    if (!open) return false;
    const char *start = open + strlen("```yaml\n"), *end = strstr(start, "```");
    ck_assert_ptr_nonnull(end);
    ck_assert_int_lt(end - start, TEXT_SIZE);
    memcpy(block, start, (size_t)(end - start));
    block[end - start] = '\0';
    *page = end + 3;
    return true;
}

// the files that blocks name lie beside the problems
static const char PLACE[] = "problems/page.yaml";

static void assert_loaded(const fixture *f, const char *block, trx_status status)
{
    ck_assert_msg(status == TRX_OK, "%s%s: %s", block, trx_status_name(status), trx_context_message(f->context));
}

// loads `block`; a section goes into `example`
static void load_block(fixture *f, const char *example, const char *block)
{
    char text[TEXT_SIZE + 128];
    if (strncmp(block, "tractrix:", 9) == 0) {
        assert_loaded(f, block, load_text_as(f, PLACE, block, NULL, 0));
        return;
    }
    if (strncmp(block, "model:", 6) == 0) {
        snprintf(text, sizeof text, "tractrix: 1\n%stime: {step: 0.01, steps: 10}\n", block);
        assert_loaded(f, block, load_text_as(f, PLACE, text, NULL, 0));
        return;
    }
    // "KEY:" and what follows it become KEY=VALUE
    size_t key = strcspn(block, ":");
    snprintf(text, sizeof text, "%.*s=%s", (int)key, block, block + key + 1);
    const char *const set[] = {text};
    assert_loaded(f, block, load_text_as(f, PLACE, example, set, 1));
}

START_TEST(every_block_of_the_page_loads)
{
    static char example[TEXT_SIZE], block[TEXT_SIZE];
    size_t length;
    char *page = read_all("docs/problem_file.md", &length);
    const char *at = page;
    fixture f = fixture_open();
    trx_plan_problem plan;
    trx_plan_settings settings;
    int blocks = 1;
    ck_assert(next_block(&at, example));
    load_block(&f, example, example);
    ck_assert_int_eq(trx_problem_plan(f.problem, &plan, &settings), TRX_OK);
    for (; next_block(&at, block); blocks++) {
        load_block(&f, example, block);
        if (trx_problem_has_cost(f.problem)) ck_assert_int_eq(trx_problem_plan(f.problem, &plan, &settings), TRX_OK);
    }
    ck_assert_int_ge(blocks, 8);
    fixture_close(&f);
    free(page);
}
END_TEST

START_TEST(every_key_of_the_schema_is_on_the_page)
{
    static const char *const keys[] = {
        "tractrix", "title", "model", "contact", "time", "start", "cost", "limits", "solve", "policy", "trial", "mpc", "fit",
        "gravity",
        "materials", "bodies", "actuators", "include", "loads", "stiffness", "dissipation", "relaxation_time", "friction",
        "name", "parent", "pose", "joint", "joints", "inertia", "geometry", "frames", "motion", "type", "axis", "at",
        "limits", "damping", "rest", "armature", "radius", "length", "size", "mass", "density", "material", "color",
        "collide", "surface_velocity", "gear", "approximation", "force_law", "smoothing", "stiction_tolerance",
        "tolerance", "margin", "pairs", "override", "step", "steps", "duration", "scheme", "of", "target", "weight",
        "norm", "method", "iterations", "time_limit", "guess", "continuation", "file", "base", "repair_inertia", "constraints",
        "reference", "rounding", "scale", "kp", "kd", "effort", "joint_stiction_tolerance", "keyframe", "ratio", "offset",
        "polynomial", "to", "robust", "theta", "theta_vq", "spin"};
    size_t length;
    char *page = read_all("docs/problem_file.md", &length), word[64];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        snprintf(word, sizeof word, "`%s`", keys[i]);
        ck_assert_msg(strstr(page, word) != NULL, "%s is not explained", word);
    }
    free(page);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/docs");
    TCase *cases = tcase_create("docs");
    tcase_add_test(cases, every_block_of_the_page_loads);
    tcase_add_test(cases, every_key_of_the_schema_is_on_the_page);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
