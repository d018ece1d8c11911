// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The progress of a plan on disk: its parts come back, only for the same problem, and nothing remains after its removal.

#define _XOPEN_SOURCE 700

#include "support/folders.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/report.h>
#include <unistd.h>

static const char SLIDE[] = "tractrix: 1\n"
                            "model:\n"
                            "  bodies:\n"
                            "    - name: cart\n"
                            "      joints: [{name: x, type: slide, axis: [1, 0, 0]}]\n"
                            "      geometry: [{shape: box, size: [0.1, 0.1, 0.1], mass: 1, collide: false}]\n"
                            "  actuators: [{joint: x}]\n"
                            "time: {step: 0.01, steps: 20}\n";

typedef struct fixture {
    trx_context *context;
    trx_problem *problem;
    trx_run *run;
} fixture;

// a run of the slide with more lines
static fixture open_run(const char *more)
{
    fixture f;
    char text[1024];
    snprintf(text, sizeof text, "%s%s", SLIDE, more);
    ck_assert_int_eq(trx_context_create(NULL, &f.context), TRX_OK);
    ck_assert_msg(trx_problem_load_text(f.context, "slide.yaml", text, strlen(text), NULL, &f.problem) == TRX_OK, "%s",
                  trx_context_message(f.context));
    ck_assert_int_eq(trx_run_create(f.context, f.problem, &f.run), TRX_OK);
    return f;
}

static void close_run(fixture *f)
{
    trx_run_destroy(f->run);
    trx_problem_destroy(f->problem);
    trx_context_destroy(f->context);
}

// whether the progress at `path` belongs to the slide with these lines
static bool belongs(const char *more, const char *path)
{
    fixture f = open_run(more);
    trx_progress found;
    const trx_status status = trx_run_read_progress(f.run, path, &found);
    ck_assert(status == TRX_OK || strstr(trx_context_message(f.context), "another problem") != NULL);
    close_run(&f);
    return status == TRX_OK;
}

START_TEST(the_parts_come_back_for_the_same_problem)
{
    char place[TEMPORARY_PATH], path[TEMPORARY_PATH + 32];
    temporary_path(place, "tractrix_progress_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(place));
    snprintf(path, sizeof path, "%s/deeper/run", place);
    fixture f = open_run("solve: {time_limit: 3}\n");
    trx_progress given = {.plan = "plan", .plan_length = 5, .search = "search", .search_length = 7, .refined = "fine",
                          .refined_length = 5}, found;
    ck_assert_int_eq(trx_run_read_progress(f.run, path, &found), TRX_OK);
    ck_assert(!found.plan && !found.search && !found.refined);
    ck_assert_int_eq(trx_run_write_progress(f.run, path, &given), TRX_OK);
    ck_assert_int_eq(trx_run_read_progress(f.run, path, &found), TRX_OK);
    ck_assert(found.plan_length == 5 && found.search_length == 7 && found.refined_length == 5);
    ck_assert_str_eq(found.plan, "plan");
    ck_assert_str_eq(found.search, "search");
    ck_assert_str_eq(found.refined, "fine");

    // without a search, and for the same problem but for its time limit
    given.search_length = 0;
    ck_assert_int_eq(trx_run_write_progress(f.run, path, &given), TRX_OK);
    ck_assert_int_eq(trx_run_read_progress(f.run, path, &found), TRX_OK);
    ck_assert(found.plan && !found.search);
    ck_assert_str_eq(found.refined, "fine");
    ck_assert(belongs("solve: {time_limit: 5}\n", path));
    ck_assert(belongs("", path));
    ck_assert(!belongs("solve: {tolerance: 1e-3}\n", path));
    ck_assert(!belongs("title: other\n", path));

    ck_assert_int_eq(trx_run_remove_progress(f.run, path), TRX_OK);
    ck_assert_int_eq(trx_run_remove_progress(f.run, path), TRX_OK);
    snprintf(path, sizeof path, "%s/deeper", place);
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(trx_run_write_progress(f.run, NULL, &given), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_write_progress(f.run, path, NULL), TRX_ERR_ARGUMENT);
    close_run(&f);
    remove_all(place);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/progress");
    TCase *cases = tcase_create("progress");
    tcase_add_test(cases, the_parts_come_back_for_the_same_problem);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
