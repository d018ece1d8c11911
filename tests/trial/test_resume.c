// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A trial that is stopped between worlds or within a world and then resumed writes the same table as a trial without interruption.

#include "cart.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORLDS = 20 };

typedef struct fixture {
    cart c;
    trx_policy *policy;
    char folder[TEMPORARY_PATH];
    trx_trial_settings settings;
    int done, asked, most; // worlds that have run, calls of `stop`, and the number of either after which the answer is to stop
} fixture;

static void begin(fixture *f)
{
    static const double x[2 * (CART_STEPS + 1)] = {0};
    static double u[CART_STEPS];
    open_cart(&f->c);
    for (int k = 0; k < CART_STEPS; k++) u[k] = 1;
    trx_policy_def def = trx_policy_def_default();
    def.steps = CART_STEPS, def.time_step = 0.05, def.x = x, def.u = u;
    ck_assert_int_eq(trx_policy_create(f->c.context, f->c.task.model, &def, &f->policy), TRX_OK);
    temporary_path(f->folder, "tractrix-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(f->folder));
    f->settings = still_worlds(WORLDS);
    f->settings.mass = 0.3, f->settings.noise_position = 0.001, f->settings.stamp = "this one";
    f->done = f->asked = 0, f->most = 1000000;
}

static void end(fixture *f, int names)
{
    static const char *const files[] = {"a", "b", "c"};
    for (int i = 0; i < names; i++) {
        char path[TEMPORARY_PATH + 16];
        snprintf(path, sizeof path, "%s/%s.csv", f->folder, files[i]);
        ck_assert_int_eq(remove(path), 0);
        snprintf(path, sizeof path, "%s/%s.json", f->folder, files[i]);
        ck_assert_int_eq(remove(path), 0);
    }
    ck_assert_int_eq(rmdir(f->folder), 0);
    trx_policy_destroy(f->policy);
    close_cart(&f->c);
}

static bool on_world(int done, void *user)
{
    fixture *f = user;
    (void)done;
    return ++f->done < f->most;
}

static bool on_knot(void *user)
{
    fixture *f = user;
    return ++f->asked > f->most;
}

// runs the trial and writes its files; returns how many worlds the summary counts
static int run(fixture *f, const trx_trial_settings *settings, const char *name, trx_status expected)
{
    trx_trial *trial;
    const trx_controller controller = trx_policy_controller(f->policy);
    ck_assert_int_eq(trx_trial_run(f->c.context, &f->c.task, settings, &controller, on_world, f, &trial), expected);
    const int worlds = trx_trial_get_info(trial).worlds;
    ck_assert_int_eq(trx_trial_write(trial, f->folder, name), TRX_OK);
    trx_trial_destroy(trial);
    return worlds;
}

static char *table(const fixture *f, const char *name)
{
    char path[TEMPORARY_PATH + 16], *text = calloc(1, 1 << 16);
    snprintf(path, sizeof path, "%s/%s.csv", f->folder, name);
    FILE *file = fopen(path, "r");
    ck_assert(file && text);
    ck_assert_uint_gt(fread(text, 1, (1 << 16) - 1, file), 0);
    fclose(file);
    return text;
}

static int lines(const char *text)
{
    int count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

static void assert_same_table(const fixture *f, const char *a, const char *b)
{
    char *text_a = table(f, a), *text_b = table(f, b);
    ck_assert_str_eq(text_a, text_b);
    free(text_a);
    free(text_b);
}

// stopped between worlds and within the ninth
START_TEST(a_stopped_trial_keeps_its_worlds_and_goes_on)
{
    for (int within = 0; within < 2; within++) {
        fixture f;
        char resume[TEMPORARY_PATH + 16];
        begin(&f);
        ck_assert_int_eq(run(&f, &f.settings, "a", TRX_OK), WORLDS);
        trx_trial_settings s = f.settings;
        f.done = 0, f.most = within ? 8 * CART_STEPS + 5 : 7;
        if (within) s.stop = on_knot, s.stop_user = &f;
        const int finished = run(&f, &s, "b", TRX_INTERRUPTED);
        ck_assert_int_eq(finished, within ? 8 : 7);
        char *text = table(&f, "b");
        ck_assert_int_eq(lines(text), 1 + finished);
        free(text);

        // only the other worlds run
        snprintf(resume, sizeof resume, "%s/b", f.folder);
        s = f.settings, s.resume = resume;
        f.done = 0, f.most = 1000000;
        ck_assert_int_eq(run(&f, &s, "c", TRX_OK), WORLDS);
        ck_assert_int_eq(f.done, WORLDS - finished);
        assert_same_table(&f, "a", "c");

        // a whole trial grows
        snprintf(resume, sizeof resume, "%s/c", f.folder);
        s.worlds = f.settings.worlds = WORLDS + 5;
        f.done = 0;
        ck_assert_int_eq(run(&f, &s, "b", TRX_OK), WORLDS + 5);
        ck_assert_int_eq(f.done, 5);
        run(&f, &f.settings, "a", TRX_OK);
        assert_same_table(&f, "a", "b");
        end(&f, 3);
    }
}
END_TEST

static void refuse(fixture *f, const trx_trial_settings *settings)
{
    trx_trial *trial;
    const trx_controller controller = trx_policy_controller(f->policy);
    ck_assert_int_eq(trx_trial_run(f->c.context, &f->c.task, settings, &controller, NULL, NULL, &trial), TRX_ERR_INPUT);
    ck_assert_ptr_null(trial);
}

// the status of the second world, of a table that was damaged, is no status: this world runs again
START_TEST(a_world_with_an_impossible_status_runs_again)
{
    fixture f;
    char resume[TEMPORARY_PATH + 16], path[TEMPORARY_PATH + 16];
    begin(&f);
    run(&f, &f.settings, "a", TRX_OK);
    run(&f, &f.settings, "b", TRX_OK);
    char *text = table(&f, "b"), *cell = strchr(strchr(strchr(text, '\n') + 1, '\n') + 1, ',') + 1;
    snprintf(path, sizeof path, "%s/b.csv", f.folder);
    FILE *file = fopen(path, "w");
    fprintf(file, "%.*s1e300%s", (int)(cell - text), text, strchr(cell, ','));
    fclose(file);
    free(text);

    snprintf(resume, sizeof resume, "%s/b", f.folder);
    trx_trial_settings s = f.settings;
    s.resume = resume;
    f.done = 0;
    ck_assert_int_eq(run(&f, &s, "c", TRX_OK), WORLDS);
    ck_assert_int_eq(f.done, 1);
    assert_same_table(&f, "a", "c");
    end(&f, 3);
}
END_TEST

START_TEST(another_trial_is_refused)
{
    fixture f;
    char resume[TEMPORARY_PATH + 16], path[TEMPORARY_PATH + 16];
    begin(&f);
    snprintf(resume, sizeof resume, "%s/a", f.folder);
    f.settings.resume = resume;
    ck_assert_int_eq(run(&f, &f.settings, "a", TRX_OK), WORLDS); // no such file: all worlds run
    ck_assert_int_eq(f.done, WORLDS);
    trx_trial_settings s = f.settings;
    s.stamp = "that one";
    refuse(&f, &s);
    ck_assert_ptr_nonnull(strstr(trx_context_message(f.c.context), "another trial"));
    s = f.settings, s.seed = 2;
    refuse(&f, &s);
    s = f.settings, s.damping = 0, s.start_position = 0.1; // another column
    refuse(&f, &s);

    // a damaged table
    snprintf(path, sizeof path, "%s/a.csv", f.folder);
    FILE *file = fopen(path, "a");
    fputs("20,0,what\n", file);
    fclose(file);
    refuse(&f, &f.settings);
    end(&f, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trial/resume");
    TCase *cases = tcase_create("resume");
    tcase_add_test(cases, a_stopped_trial_keeps_its_worlds_and_goes_on);
    tcase_add_test(cases, a_world_with_an_impossible_status_runs_again);
    tcase_add_test(cases, another_trial_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
