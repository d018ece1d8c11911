// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Context: order of findings, alignment, and what happens when memory is out.

#include "base/arena.h"
#include "base/context.h"
#include "support/support.h"

#include <stdint.h>
#include <string.h>

START_TEST(findings_come_in_file_order_errors_first)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trxi_warn_at(context, (trx_source){"a.yaml", 1, 1}, "warning");
    trxi_error_at(context, (trx_source){"a.yaml", 9, 2}, "late %d", 9);
    trxi_error_at(context, (trx_source){"a.yaml", 3, 7}, "early");
    ck_assert_int_eq(trx_context_diagnostic_count(context), 3);
    ck_assert_str_eq(trx_context_diagnostic(context, 0).text, "early");
    ck_assert_str_eq(trx_context_diagnostic(context, 1).text, "late 9");
    ck_assert_int_eq(trx_context_diagnostic(context, 2).severity, TRX_WARNING);
    ck_assert_int_eq(trx_context_error_count(context), 2);
    ck_assert_str_eq(trx_context_message(context), "a.yaml:9:2: late 9");
    trx_context_clear(context);
    ck_assert_int_eq(trx_context_diagnostic_count(context), 0);
    ck_assert_str_eq(trx_context_message(context), "");
    trx_context_destroy(context);
}
END_TEST

START_TEST(of_too_many_errors_the_first_in_file_order_are_kept)
{
    trx_context_settings settings = trx_context_settings_default();
    settings.max_errors = 3;
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    const int lines[] = {50, 20, 40, 10, 30, 60};
    trxi_warn_at(context, (trx_source){"a.yaml", 1, 1}, "warning");
    for (int i = 0; i < 6; i++) trxi_error_at(context, (trx_source){"a.yaml", lines[i], 1}, "error");
    ck_assert_int_eq(trx_context_error_count(context), 6);
    ck_assert_int_eq(trx_context_diagnostic_count(context), 4);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(trx_context_diagnostic(context, i).source.line, 10 * (i + 1));
    ck_assert_int_eq(trx_context_diagnostic(context, 3).severity, TRX_WARNING);
    trx_context_destroy(context);
}
END_TEST

START_TEST(a_zeroed_settings_struct_is_refused)
{
    trx_context_settings zero;
    memset(&zero, 0, sizeof zero);
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&zero, &context), TRX_ERR_ARGUMENT);
    ck_assert_ptr_null(context);
}
END_TEST

START_TEST(memory_is_aligned_zeroed_and_all_returned)
{
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    for (size_t bytes = 1; bytes < 300; bytes += 7) {
        unsigned char *block = trxi_allocate(context, bytes);
        ck_assert_ptr_nonnull(block);
        ck_assert_uint_eq((uintptr_t)block % 64, 0);
        for (size_t i = 0; i < bytes; i++) ck_assert_int_eq(block[i], 0);
        memset(block, 1, bytes);
        trxi_release(context, block);
    }
    trxi_pool *pool = trxi_pool_create(context);
    for (int i = 0; i < 1000; i++) {
        char *text = trxi_pool_printf(pool, "text %d", i);
        ck_assert_int_eq((int)strlen(text), i < 10 ? 6 : i < 100 ? 7 : 8);
    }
    ck_assert_ptr_nonnull(TRXI_POOL(pool, double, 100000));
    ck_assert_ptr_null(trxi_pool_take(pool, SIZE_MAX / 4, 8));
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

START_TEST(exhausted_memory_is_a_status)
{
    counting_allocator counter = {.fail_at = 1};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_ERR_MEMORY);
    counter = (counting_allocator){.fail_at = 3};
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    trxi_pool *pool = trxi_pool_create(context);
    ck_assert_ptr_null(trxi_pool_string(pool, "text", 4));
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "out of memory"));
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

START_TEST(a_message_is_that_of_the_present_call)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    const trx_source source = {NULL, 0, 0};
    trxi_fail(context, TRX_ERR_ARGUMENT, "old");
    trxi_begin(context);
    ck_assert_str_eq(trx_context_message(context), "");

    // the message of a call is its first error; findings keep all errors
    trxi_error_at(context, source, "first");
    trxi_error_at(context, source, "second");
    ck_assert_str_eq(trx_context_message(context), "first");
    trxi_begin(context);
    trxi_error_at(context, source, "third");
    ck_assert_str_eq(trx_context_message(context), "third");
    ck_assert_int_eq(trx_context_diagnostic_count(context), 3);

    // while a call holds its messages, the calls that it makes do not clear them
    trxi_hold_messages(context);
    ck_assert_str_eq(trx_context_message(context), "");
    trxi_error_at(context, source, "outer");
    trxi_begin(context);
    trxi_error_at(context, source, "inner");
    trxi_release_messages(context);
    ck_assert_str_eq(trx_context_message(context), "outer");
    trx_context_destroy(context);
}
END_TEST

START_TEST(findings_are_sorted_by_severity_file_and_place)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trxi_note_at(context, (trx_source){"a", 1, 1}, "note");
    trxi_error_at(context, (trx_source){"b", 1, 1}, "other file");
    trxi_error_at(context, (trx_source){"a", 2, 3}, "third column");
    trxi_error_at(context, (trx_source){"a", 2, 1}, "first column");
    trxi_error_at(context, (trx_source){"a", 2, 3}, "third column again");
    trxi_warn_at(context, (trx_source){"z", 1, 1}, "warning");
    static const char *const texts[] = {"first column", "third column", "third column again", "other file", "warning", "note"};
    ck_assert_int_eq(trx_context_diagnostic_count(context), 6);
    for (int i = 0; i < 6; i++) ck_assert_str_eq(trx_context_diagnostic(context, i).text, texts[i]);
    ck_assert_str_eq(trx_context_diagnostic(context, 3).source.file, "b");
    for (int i = -1; i <= 6; i += 7) {
        ck_assert_str_eq(trx_context_diagnostic(context, i).text, "");
        ck_assert_ptr_null(trx_context_diagnostic(context, i).source.file);
    }
    trx_context_destroy(context);
}
END_TEST

START_TEST(findings_beyond_the_room_are_counted)
{
    trx_context_settings settings = trx_context_settings_default();
    settings.max_errors = 128;
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    for (int i = 0; i < 200; i++) trxi_note_at(context, (trx_source){"a", i, 1}, "note");
    ck_assert_int_eq(trx_context_diagnostic_count(context), 128);
    trx_context_clear(context);
    for (int i = 0; i < 200; i++) trxi_error_at(context, (trx_source){NULL, 0, 0}, "error");
    ck_assert_int_eq(trx_context_diagnostic_count(context), 128);
    ck_assert_int_eq(trx_context_error_count(context), 200);
    ck_assert_str_eq(trx_context_message(context), "error");
    trx_context_destroy(context);
}
END_TEST

// The text of an error was lost when notes and warnings had filled the room
START_TEST(an_error_takes_the_room_of_a_note)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    for (int i = 0; i < 127; i++) trxi_note_at(context, (trx_source){"a", i, 1}, "note");
    trxi_warn_at(context, (trx_source){"a", 1, 1}, "warning");
    trxi_error_at(context, (trx_source){"b", 1, 1}, "first");
    trxi_error_at(context, (trx_source){"a", 1, 1}, "second");
    ck_assert_int_eq(trx_context_diagnostic_count(context), 128);
    ck_assert_str_eq(trx_context_diagnostic(context, 0).text, "second");
    ck_assert_str_eq(trx_context_diagnostic(context, 1).text, "first");
    ck_assert_str_eq(trx_context_diagnostic(context, 2).text, "warning");
    for (int i = 3; i < 128; i++) ck_assert_int_eq(trx_context_diagnostic(context, i).source.line, i - 3);

    // a note that comes before the last one takes the room of the last one
    trxi_note_at(context, (trx_source){"a", 0, 0}, "early");
    trxi_note_at(context, (trx_source){"a", 200, 1}, "late");
    ck_assert_str_eq(trx_context_diagnostic(context, 3).text, "early");
    ck_assert_int_eq(trx_context_diagnostic(context, 127).source.line, 123);
    trx_context_destroy(context);
}
END_TEST

START_TEST(control_characters_are_shown)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trxi_fail(context, TRX_ERR_ARGUMENT, "%s", "\x1b[31m\x7f \xc2\x80 \xc2\x9f \xc2\xa0 \xc3\xa9\t~");
    ck_assert_str_eq(trx_context_message(context), "\\x1b[31m\\x7f \\x80 \\x9f \xc2\xa0 \xc3\xa9\t~");
    trxi_error_at(context, (trx_source){"a\nb", 1, 2}, "\r");
    ck_assert_str_eq(trx_context_message(context), "a\\x0ab:1:2: \\x0d");
    ck_assert_str_eq(trx_context_diagnostic(context, 0).source.file, "a\\x0ab");

    // four characters for one: the text is cut off
    char text[1100];
    memset(text, '\n', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    trxi_fail(context, TRX_ERR_ARGUMENT, "%s", text);
    ck_assert_uint_eq(strlen(trx_context_message(context)), 4 * (1020 / 4));

    // one control character, at the end of a message that is full
    memset(text, 'a', sizeof text - 1);
    for (int last = 1018; last < 1024; last++) {
        char end = text[last];
        text[last] = '\x1b';
        trxi_fail(context, TRX_ERR_ARGUMENT, "%s", text);
        ck_assert_ptr_null(strchr(trx_context_message(context), '\x1b'));
        ck_assert_uint_ge(strlen(trx_context_message(context)), 1018);
        text[last] = end;
    }
    trx_context_destroy(context);
}
END_TEST

START_TEST(settings_are_checked_and_copied)
{
    trx_context_settings settings = trx_context_settings_default(), bad[] = {settings, settings, settings, settings, settings};
    trx_context *context;
    bad[0].allocator.allocate = NULL, bad[1].allocator.release = NULL, bad[2].size--;
    bad[3].max_errors = 0, bad[4].max_errors = 129;
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(trx_context_create(&bad[i], &context), TRX_ERR_ARGUMENT);
        ck_assert_ptr_null(context);
    }
    ck_assert_int_eq(trx_context_create(&settings, NULL), TRX_ERR_ARGUMENT);

    char cache[] = "folder";
    settings.max_errors = 1, settings.cache = cache;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    cache[0] = 'x';
    ck_assert_str_eq(trxi_cache(context), "folder");
    ck_assert(trxi_allocator(context)->allocate == settings.allocator.allocate);
    ck_assert_int_eq(trxi_check_size(context, 8, 8, "f"), TRX_OK);
    ck_assert_int_eq(trxi_check_size(context, 0, 8, "f"), TRX_ERR_ARGUMENT);
    ck_assert_str_eq(trx_context_message(context), "settings not initialized: start from f()");
    trxi_release(context, NULL);
    trx_context_destroy(context);
    trx_context_destroy(NULL);
}
END_TEST

START_TEST(sizes_beyond_the_address_space_are_refused)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    // with the room for alignment these sizes pass SIZE_MAX
    for (size_t k = 0; k < 128; k++) ck_assert_ptr_null(trxi_allocate(context, SIZE_MAX - k));
    const trx_allocator *allocator = trxi_allocator(context);
    void *memory = allocator->allocate(1, allocator->user);
    ck_assert_ptr_nonnull(memory);
    allocator->release(memory, allocator->user);
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/context");
    TCase *cases = tcase_create("context");
    tcase_add_test(cases, findings_come_in_file_order_errors_first);
    tcase_add_test(cases, of_too_many_errors_the_first_in_file_order_are_kept);
    tcase_add_test(cases, a_zeroed_settings_struct_is_refused);
    tcase_add_test(cases, memory_is_aligned_zeroed_and_all_returned);
    tcase_add_test(cases, exhausted_memory_is_a_status);
    tcase_add_test(cases, a_message_is_that_of_the_present_call);
    tcase_add_test(cases, findings_are_sorted_by_severity_file_and_place);
    tcase_add_test(cases, findings_beyond_the_room_are_counted);
    tcase_add_test(cases, an_error_takes_the_room_of_a_note);
    tcase_add_test(cases, control_characters_are_shown);
    tcase_add_test(cases, settings_are_checked_and_copied);
    tcase_add_test(cases, sizes_beyond_the_address_space_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
