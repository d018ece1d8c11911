// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// summary.json: keys and values against the run they describe.

#include "report/fixture.h"

#include "formats/yaml.h"

#include <stdio.h>
#include <string.h>

static fixture f;

static void setup(void)
{
    fixture_open(&f);
}

static void teardown(void)
{
    fixture_close(&f);
}

// JSON is YAML too
static const trxi_yaml_node *parse(const char *text)
{
    trxi_yaml_node *root;
    ck_assert_int_eq(trxi_yaml_parse(f.context, f.pool, "summary.json", text, strlen(text), &root), TRX_OK);
    return root;
}

START_TEST(a_simulation_has_no_cost_and_no_fine_replay)
{
    trx_run_set_setup(f.run, 0.25, 42);
    ck_assert_int_eq(trx_run_simulate(f.run, NULL), TRX_OK);
    const trxi_yaml_node *summary = parse(trx_run_summary(f.run));
    ck_assert_str_eq(trxi_yaml_get(summary, "kind")->text, "sim");
    ck_assert_str_eq(trxi_yaml_get(summary, "status")->text, "converged");
    ck_assert_str_eq(trxi_yaml_get(summary, "cost")->text, "null");
    ck_assert_str_eq(trxi_yaml_get(summary, "fine")->text, "null");
    ck_assert_int_eq(trxi_yaml_get(summary, "stages")->count, 0);
    ck_assert_str_eq(trxi_yaml_get(summary, "seed")->text, "42");
    ck_assert_str_eq(trxi_yaml_get(trxi_yaml_get(summary, "timing"), "setup")->text, "0.25");
    ck_assert_str_eq(trxi_yaml_get(summary, "problem_sha256")->text, trx_problem_sha256(f.problem));
    const trxi_yaml_node *model = trxi_yaml_get(summary, "model");
    static const char *const keys[] = {"nq", "nv", "nu", "bodies", "pairs"};
    static const char *const values[] = {"10", "9", "3", "3", "3"};
    for (int i = 0; i < 5; i++) ck_assert_str_eq(trxi_yaml_get(model, keys[i])->text, values[i]);
    ck_assert_int_eq(trxi_yaml_get(summary, "coordinates")->count, NQ);
    ck_assert_str_eq(trxi_yaml_get(summary, "velocities")->items[8]->text, "pz.v");
    ck_assert_str_eq(trxi_yaml_get(summary, "controls")->items[0]->text, "px");
    ck_assert_int_eq(trxi_yaml_get(summary, "limits")->count, NU);
    ck_assert_int_eq(trxi_yaml_get(summary, "goals")->count, 2);
}
END_TEST

START_TEST(stages_tell_what_they_replaced_and_nothing_else)
{
    trx_stage soft = trx_stage_default(), physical = trx_stage_default();
    soft.force_law = TRX_SMOOTHED;
    soft.smoothing = 0.005;
    soft.iterations = physical.iterations = 30;
    soft.tolerance = physical.tolerance = 1e-4;
    physical.physical = true;
    trxi_stage_record stages[] = {{soft, {.cost = 2.5, .iterations = 7, .seconds = 0.5, .status = TRX_STALLED}},
                                  {physical, {.cost = INFINITY, .status = TRX_ERR_NOT_CONVERGED}}};
    ck_assert_int_eq(trx_run_simulate(f.run, NULL), TRX_OK);
    f.run->stages = stages;
    f.run->nstage = 2;
    const trxi_yaml_node *list = trxi_yaml_get(parse(trx_run_summary(f.run)), "stages");
    const trxi_yaml_node *first = trxi_yaml_get(list->items[0], "settings");
    ck_assert_str_eq(trxi_yaml_get(first, "force_law")->text, "smoothed");
    ck_assert_str_eq(trxi_yaml_get(first, "smoothing")->text, "0.005");
    ck_assert_str_eq(trxi_yaml_get(first, "physical")->text, "false");
    ck_assert_ptr_null(trxi_yaml_get(first, "stiffness"));
    ck_assert_ptr_null(trxi_yaml_get(first, "approximation"));
    ck_assert_str_eq(trxi_yaml_get(list->items[0], "status")->text, "stalled");
    ck_assert_str_eq(trxi_yaml_get(trxi_yaml_get(list->items[1], "settings"), "physical")->text, "true");
    ck_assert_str_eq(trxi_yaml_get(list->items[1], "status")->text, "failed");
    ck_assert_str_eq(trxi_yaml_get(list->items[1], "cost")->text, "null"); // infinite
}
END_TEST

// a robot whose link has moments that no solid has
static const char broken_robot[] =
    "<robot name=\"r\"><link name=\"base\"/><link name=\"l\"><inertial><mass value=\"1\"/>"
    "<inertia ixx=\"0.01\" iyy=\"0.01\" izz=\"0.05\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
    "<joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child link=\"l\"/><axis xyz=\"0 0 1\"/></joint></robot>";

START_TEST(a_repaired_inertia_is_told)
{
    const char *robot = trxi_pool_printf(f.pool, "%s/r.urdf", f.place);
    FILE *file = fopen(robot, "w");
    ck_assert_ptr_nonnull(file);
    fputs(broken_robot, file);
    fclose(file);
    const char *text = trxi_pool_printf(f.pool, "tractrix: 1\nmodel:\n  include: "
                                                "[{name: r, file: \"%s\", repair_inertia: balance}]\n"
                                                "time: {step: 0.01, steps: 2}\n", robot);
    trx_problem *problem;
    trx_run *run;
    ck_assert_msg(trx_problem_load_text(f.context, "p.yaml", text, strlen(text), NULL, &problem) == TRX_OK, "%s",
                  trx_context_message(f.context));
    ck_assert_int_eq(trx_run_create(f.context, problem, &run), TRX_OK);
    ck_assert_int_ge(trx_run_simulate(run, NULL), 0);
    const trxi_yaml_node *notes = trxi_yaml_get(parse(trx_run_summary(run)), "notes");
    int repaired = 0;
    for (int i = 0; i < notes->count; i++) {
        if (strcmp(trxi_yaml_get(notes->items[i], "kind")->text, "repaired") != 0) continue;
        repaired++;
        ck_assert_ptr_nonnull(strstr(trxi_yaml_get(notes->items[i], "at")->text, "r.urdf:1:"));
        ck_assert_ptr_nonnull(strstr(trxi_yaml_get(notes->items[i], "text")->text, "l"));
    }
    ck_assert_int_eq(repaired, 1);
    trx_run_destroy(run);
    trx_problem_destroy(problem);
}
END_TEST

START_TEST(every_status_has_its_word)
{
    ck_assert_str_eq(trxi_status_word(TRX_OK), "converged");
    ck_assert_str_eq(trxi_status_word(TRX_ROUND_OFF), "converged");
    ck_assert_str_eq(trxi_status_word(TRX_STALLED), "stalled");
    ck_assert_str_eq(trxi_status_word(TRX_ITERATION_LIMIT), "iteration_limit");
    ck_assert_str_eq(trxi_status_word(TRX_TIME_LIMIT), "time_limit");
    ck_assert_str_eq(trxi_status_word(TRX_INTERRUPTED), "interrupted");
    ck_assert_str_eq(trxi_status_word(TRX_ERR_NOT_FINITE), "failed");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/summary");
    TCase *cases = tcase_create("summary");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_simulation_has_no_cost_and_no_fine_replay);
    tcase_add_test(cases, stages_tell_what_they_replaced_and_nothing_else);
    tcase_add_test(cases, a_repaired_inertia_is_told);
    tcase_add_test(cases, every_status_has_its_word);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
