// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Files and run folders: contents, refusals, and the promise that matters: whatever call fails, at whatever
// point, the previous run is there byte by byte and nothing else is left.

#define _XOPEN_SOURCE 700

#include "formats/files.h"
#include "formats/text.h"
#include "support/folders.h"
#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static trx_context *context;
static trxi_pool *pool;
static char place[TEMPORARY_PATH]; // a fresh folder for every test
static char run[TEMPORARY_PATH + 8]; // PLACE/run

static void setup(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    pool = trxi_pool_create(context);
    temporary_path(place, "tractrix_files_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(place));
    snprintf(run, sizeof run, "%s/run", place);
}

static void teardown(void)
{
    remove_all(place);
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
}

static const char *snapshot(const char *path)
{
    return snapshot_folder(pool, context, path);
}

static void write_file(const char *path, const char *bytes)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(bytes, file);
    ck_assert_int_eq(fclose(file), 0);
}

static const char *below(const char *folder, const char *name)
{
    return trxi_pool_printf(pool, "%s/%s", folder, name);
}

// an earlier run, with something of the user's in it
static void make_old_run(void)
{
    mkdir(run, 0777);
    write_file(below(run, "summary.json"), "{\"versions\":{\"tractrix\":\"0.0.9\"},\"status\":\"converged\"}");
    write_file(below(run, "trajectory.csv"), "t,x\n0,1\n");
    mkdir(below(run, "notes"), 0777);
    write_file(below(run, "notes/mine.txt"), "keep until replaced");
}

static const char new_content[] = "/data.csv\n0123456789abcdef\n/summary.json\n{\"versions\": {\"tractrix\": \"1\"}}\n";

// writes a new run through `ops`
static trx_status write_run(trx_context *with, const trxi_file_ops *ops, const char *path)
{
    trxi_folder *folder;
    trx_status status = trxi_folder_begin_with(with, ops, path, &folder);
    ck_assert((status == TRX_OK) == (folder != NULL));
    if (status < 0) return status;
    static const char summary[] = "{\"versions\": {\"tractrix\": \"1\"}}";
    trxi_folder_put(folder, "summary.json", summary, sizeof summary - 1);
    int data;
    trxi_folder_open(folder, "data.csv", &data);
    trxi_folder_append(folder, data, "01234567", 8);
    trxi_folder_append(folder, data, "89abcdef", 8);
    trxi_folder_close(folder, data);
    return trxi_folder_commit(folder);
}

START_TEST(a_run_appears_with_its_parents)
{
    trxi_file_ops ops = trxi_file_ops_system();
    const char *path = below(place, "a//b/run/");
    ck_assert_int_eq(write_run(context, &ops, path), TRX_OK);
    ck_assert_str_eq(snapshot(below(place, "a/b/run")), new_content);
    ck_assert_int_eq(write_run(context, &ops, path), TRX_OK); // our own run is replaced
    ck_assert_str_eq(snapshot(below(place, "a/b/run")), new_content);
}
END_TEST

START_TEST(an_old_run_is_replaced_whole_also_through_a_link)
{
    trxi_file_ops ops = trxi_file_ops_system();
    make_old_run();
    ck_assert_int_eq(symlink("run", below(place, "latest")), 0);
    ck_assert_int_eq(write_run(context, &ops, below(place, "latest")), TRX_OK);
    ck_assert_str_eq(snapshot(run), new_content);
    struct stat info;
    ck_assert(lstat(below(place, "latest"), &info) == 0 && S_ISLNK(info.st_mode));
    ck_assert_int_eq(mkdir(below(place, "empty"), 0777), 0);
    ck_assert_int_eq(write_run(context, &ops, below(place, "empty")), TRX_OK);
    ck_assert_str_eq(snapshot(below(place, "empty")), new_content);
}
END_TEST

START_TEST(what_is_not_a_run_is_refused_and_untouched)
{
    static const char *const summaries[] = {NULL, "", "{", "{\"versions\": {\"other\": \"1\"}}", "{\"tractrix\": 1}", "tractrix",
                                            "{\"versions\": [\"tractrix\"]}"};
    trxi_file_ops ops = trxi_file_ops_system();
    mkdir(run, 0777);
    write_file(below(run, "thesis.tex"), "years of work");
    for (size_t i = 0; i < sizeof summaries / sizeof summaries[0]; i++) {
        if (summaries[i]) write_file(below(run, "summary.json"), summaries[i]);
        const char *before = snapshot(place);
        ck_assert_int_eq(trxi_folder_check(context, run), TRX_ERR_ARGUMENT);
        ck_assert_int_eq(write_run(context, &ops, run), TRX_ERR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(trx_context_message(context), "not a run folder: refusing to replace"));
        ck_assert_str_eq(snapshot(place), before);
    }
    ck_assert_int_eq(write_run(context, &ops, below(run, "thesis.tex")), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(symlink("nowhere", below(place, "dangling")), 0);
    ck_assert_int_eq(write_run(context, &ops, below(place, "dangling")), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(write_run(context, &ops, "."), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(write_run(context, &ops, "/"), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(write_run(context, &ops, ""), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(write_run(context, &ops, below(run, "thesis.tex/run")), TRX_ERR_IO);
    ck_assert_int_eq(trx_context_error_count(context), 0);
}
END_TEST

START_TEST(a_target_that_changes_meanwhile_is_not_replaced)
{
    trxi_folder *folder;
    ck_assert_int_eq(trxi_folder_begin(context, run, &folder), TRX_OK);
    ck_assert_int_eq(trxi_folder_put(folder, "a", "x", 1), TRX_OK);
    mkdir(run, 0777);
    write_file(below(run, "thesis.tex"), "years of work");
    ck_assert_int_eq(trxi_folder_commit(folder), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(snapshot(place), "/run/\n/run/thesis.tex\nyears of work\n");
}
END_TEST

START_TEST(an_aborted_run_leaves_nothing)
{
    trxi_folder *folder;
    ck_assert_int_eq(trxi_folder_begin(context, below(place, "a/b/run"), &folder), TRX_OK);
    trxi_folder_put(folder, "done", "x", 1);
    int half;
    trxi_folder_open(folder, "half", &half);
    trxi_folder_append(folder, half, "x", 1);
    trxi_folder_abort(folder);
    trxi_folder_abort(NULL);
    ck_assert_str_eq(snapshot(place), "");
}
END_TEST

START_TEST(several_files_grow_in_turns)
{
    trxi_folder *folder;
    int files[TRXI_FOLDER_FILES], one_more;
    static const char *const names[TRXI_FOLDER_FILES] = {"a", "b", "c", "d"};
    ck_assert_int_eq(trxi_folder_begin(context, run, &folder), TRX_OK);
    for (int i = 0; i < TRXI_FOLDER_FILES; i++)
        ck_assert_int_eq(trxi_folder_open(folder, names[i], &files[i]), TRX_OK);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < TRXI_FOLDER_FILES; i++)
            ck_assert_int_eq(trxi_folder_append(folder, files[i], k ? names[i] : "-", 1), TRX_OK);
    // a place that was closed is free again; files left open are ended with the folder
    ck_assert_int_eq(trxi_folder_close(folder, files[1]), TRX_OK);
    ck_assert_int_eq(trxi_folder_open(folder, "e", &one_more), TRX_OK);
    ck_assert_int_eq(trxi_folder_commit(folder), TRX_OK);
    ck_assert_str_eq(snapshot(run), "/a\n-a\n/b\n-b\n/c\n-c\n/d\n-d\n/e\n\n");

    // more open files than places, and files that are not open, are programming errors
    ck_assert_int_eq(trxi_folder_begin(context, below(place, "other"), &folder), TRX_OK);
    for (int i = 0; i < TRXI_FOLDER_FILES; i++) trxi_folder_open(folder, names[i], &files[i]);
    ck_assert_int_eq(trxi_folder_open(folder, "e", &one_more), TRX_ERR_ARGUMENT);
    trxi_folder_abort(folder);
    ck_assert_int_eq(trxi_folder_begin(context, below(place, "other"), &folder), TRX_OK);
    ck_assert_int_eq(trxi_folder_append(folder, 0, "x", 1), TRX_ERR_ARGUMENT);
    trxi_folder_abort(folder);
}
END_TEST

// the folder took the place of the old run, without this file
START_TEST(a_folder_without_a_text_whose_memory_ran_out_is_not_placed)
{
    trxi_folder *folder;
    trxi_text text = trxi_text_create(context);
    trxi_text_string(&text, "the first half");
    text.status = TRX_ERR_MEMORY; // the second half found no memory
    ck_assert_int_eq(trxi_folder_begin(context, run, &folder), TRX_OK);
    ck_assert_int_eq(trxi_folder_put_text(folder, "half", &text), TRX_ERR_MEMORY);
    ck_assert_int_eq(trxi_folder_put(folder, "fine", "x", 1), TRX_ERR_MEMORY);
    ck_assert_int_eq(trxi_folder_commit(folder), TRX_ERR_MEMORY);
    ck_assert_str_eq(snapshot(place), "");
    trxi_text_destroy(&text);
}
END_TEST

START_TEST(names_outside_the_folder_are_refused)
{
    static const char *const names[] = {"", ".", "..", "../x", "a/b"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        trxi_folder *folder;
        ck_assert_int_eq(trxi_folder_begin(context, run, &folder), TRX_OK);
        ck_assert_int_eq(trxi_folder_put(folder, names[i], "x", 1), TRX_ERR_ARGUMENT);
        ck_assert_int_eq(trxi_folder_put(folder, "fine", "x", 1), TRX_ERR_ARGUMENT); // a failure is sticky
        ck_assert_int_eq(trxi_folder_commit(folder), TRX_ERR_ARGUMENT);
        ck_assert_str_eq(snapshot(place), "");
    }
}
END_TEST

// before: 0 nothing, 1 a folder to be made above it, 2 an empty folder, 3 an old run
static const char *prepare(int before)
{
    remove_all(run);
    remove_all(below(place, "up"));
    if (before == 2) mkdir(run, 0777);
    if (before == 3) make_old_run();
    return before == 1 ? below(place, "up/run") : run;
}

START_TEST(whatever_call_fails_the_previous_run_is_intact)
{
    static const int reasons[] = {ENOSPC, EIO, EDQUOT, EROFS};
    for (int variant = 0; variant < 4 * 4 * 2 * 2; variant++) {
        int before = variant / 16, failures = 0;
        for (int n = 1;; n++) {
            const char *path = prepare(before), *old = snapshot(place);
            faults f = {.fail_at = n, .reason = reasons[variant % 4]};
            f.no_exchange = variant / 4 % 2;
            f.short_writes = variant / 8 % 2;
            trxi_file_ops ops = faulty_ops(&f);
            trx_context_clear(context);
            trx_status status = write_run(context, &ops, path);
            if (f.calls < n) {
                // no call was left to fail: the new run is there, alone
                ck_assert_int_eq(status, TRX_OK);
                ck_assert_str_eq(snapshot(path), new_content);
                prepare(0);
                ck_assert_str_eq(snapshot(place), "");
                break;
            }
            ck_assert_msg(status == TRX_ERR_IO, "variant %d, call %d: status %d", variant, n, status);
            ck_assert_msg(strcmp(snapshot(place), old) == 0, "variant %d, call %d: now\n%s", variant, n, snapshot(place));
            const char *message = trx_context_message(context);
            ck_assert_msg(strstr(message, place) && strstr(message, strerror(f.reason)), "%s", message);
            failures++;
            trxi_pool_destroy(pool);
            pool = trxi_pool_create(context);
        }
        // mkdir; two files: open, writes, fsync, close; flush of folder and parent: open, fsync, close; the exchange
        ck_assert_int_ge(failures, 17);
    }
}
END_TEST

START_TEST(when_everything_fails_from_some_call_on_the_old_run_still_exists)
{
    for (int no_exchange = 0; no_exchange < 2; no_exchange++) {
        for (int n = 1;; n++) {
            prepare(3);
            const char *old = snapshot(run);
            faults f = {.fail_at = n, .stays = true, .reason = EIO, .no_exchange = no_exchange};
            trxi_file_ops ops = faulty_ops(&f);
            trx_status status = write_run(context, &ops, run);
            if (f.calls < n) break;
            ck_assert_int_eq(status, TRX_ERR_IO);
            if (strcmp(snapshot(run), old) != 0) {
                // undoing failed: the message tells where the old run is
                char *kept = strstr(trx_context_message(context), "kept as '");
                ck_assert_msg(kept, "call %d: %s\n%s", n, trx_context_message(context), snapshot(place));
                char *at = trxi_pool_string(pool, kept + 9, strcspn(kept + 9, "'"));
                ck_assert_str_eq(snapshot(at), old);
                remove_all(at);
            }
            remove_all(run);
            ck_assert_str_eq(snapshot(place), "");
        }
    }
}
END_TEST

START_TEST(exhausted_memory_leaves_the_previous_run)
{
    trxi_file_ops ops = trxi_file_ops_system();
    int failures = 0;
    for (int k = 2;; k++) {
        prepare(3);
        const char *old = snapshot(place);
        counting_allocator counter = {.fail_at = k};
        trx_context_settings settings = counting_settings(&counter);
        trx_context *poor;
        ck_assert_int_eq(trx_context_create(&settings, &poor), TRX_OK);
        trx_status status = write_run(poor, &ops, run);
        trx_context_destroy(poor);
        ck_assert_int_eq(counter.outstanding, 0);
        if (status == TRX_OK) break;
        ck_assert_int_eq(status, TRX_ERR_MEMORY);
        ck_assert_str_eq(snapshot(place), old);
        failures++;
    }
    ck_assert_int_gt(failures, 3);
}
END_TEST

START_TEST(one_file_is_replaced_or_kept_whole)
{
    const char *path = below(place, "up/player.html");
    ck_assert_int_eq(trxi_file_replace(context, path, "old", 3), TRX_OK);
    int kept = 0;
    for (int n = 1;; n++) {
        ck_assert_int_eq(trxi_file_replace(context, path, "old", 3), TRX_OK);
        faults f = {.fail_at = n, .reason = ENOSPC};
        trxi_file_ops ops = faulty_ops(&f);
        trx_status status = trxi_file_replace_with(context, &ops, path, "replaced", 8);
        const char *now = snapshot(place);
        bool old = strcmp(now, "/up/\n/up/player.html\nold\n") == 0;
        ck_assert_msg(old || strcmp(now, "/up/\n/up/player.html\nreplaced\n") == 0, "call %d: %s", n, now);
        if (f.calls < n) {
            ck_assert(status == TRX_OK && !old);
            break;
        }
        ck_assert_int_eq(status, TRX_ERR_IO);
        kept += old;
    }
    ck_assert_int_eq(kept, 5); // open, write, fsync, close, rename
}
END_TEST

START_TEST(reading_says_what_is_wrong)
{
    char *bytes;
    size_t length;
    write_file(run, "12345");
    ck_assert_int_eq(trxi_file_read(context, pool, run, 5, &bytes, &length), TRX_OK);
    ck_assert(length == 5 && strcmp(bytes, "12345") == 0);
    ck_assert_int_eq(trxi_file_read(context, pool, run, 4, &bytes, &length), TRX_ERR_INPUT);
    ck_assert_ptr_null(bytes);
    ck_assert_int_eq(trxi_file_read(context, pool, "/dev/zero", 100000, &bytes, &length), TRX_ERR_INPUT);
    ck_assert_int_eq(trxi_file_read(context, pool, place, 4, &bytes, &length), TRX_ERR_IO);
    ck_assert_int_eq(trxi_file_read(context, pool, below(place, "no"), 4, &bytes, &length), TRX_ERR_IO);
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "No such file"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/files");
    TCase *cases = tcase_create("files");
    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_run_appears_with_its_parents);
    tcase_add_test(cases, an_old_run_is_replaced_whole_also_through_a_link);
    tcase_add_test(cases, what_is_not_a_run_is_refused_and_untouched);
    tcase_add_test(cases, a_target_that_changes_meanwhile_is_not_replaced);
    tcase_add_test(cases, an_aborted_run_leaves_nothing);
    tcase_add_test(cases, several_files_grow_in_turns);
    tcase_add_test(cases, a_folder_without_a_text_whose_memory_ran_out_is_not_placed);
    tcase_add_test(cases, names_outside_the_folder_are_refused);
    tcase_add_test(cases, whatever_call_fails_the_previous_run_is_intact);
    tcase_add_test(cases, when_everything_fails_from_some_call_on_the_old_run_still_exists);
    tcase_add_test(cases, exhausted_memory_leaves_the_previous_run);
    tcase_add_test(cases, one_file_is_replaced_or_kept_whole);
    tcase_add_test(cases, reading_says_what_is_wrong);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
