// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The page as text: the page contains all its data, loads nothing, and shows a message when it cannot draw. The page
// in a browser is tested in tests/browser.

#include "report/player.h"
#include "report/player/sources.h"
#include "report/player_sample.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static trx_context *context;

static void create_context(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
}

static void destroy_context(void)
{
    trx_context_destroy(context);
}

static trxi_player_data data_of(const player_sample *sample)
{
    return (trxi_player_data){
        .title = "A push",
        .scene_json = trxi_text_get(&sample->scene),
        .trajectory_csv = trxi_text_get(&sample->trajectory),
        .contacts_csv = trxi_text_get(&sample->contacts),
        .summary_json = trxi_text_get(&sample->summary),
    };
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

// the text of the element with `id`, up to the next '<', without the line ends at its borders
static trxi_text block(const char *page, const char *id)
{
    char mark[64];
    snprintf(mark, sizeof mark, "id=\"%s\">\n", id);
    const char *start = strstr(page, mark);
    ck_assert_ptr_nonnull(start);
    start += strlen(mark);
    const char *end = strchr(start, '<');
    ck_assert_msg(strncmp(end, "</script>", 9) == 0, "%s ends in %.20s", id, end);
    trxi_text text = trxi_text_create(context);
    trxi_text_append(&text, start, (size_t)(end - start - 1));
    return text;
}

// `text` with the escapes of JSON strings that the page uses undone; `quoted`: within one string
static trxi_text unescaped(const trxi_text *text, bool quoted)
{
    trxi_text made = trxi_text_create(context);
    const char *p = trxi_text_get(text), *end = p + text->length;
    if (quoted) {
        ck_assert(p[0] == '"' && end[-1] == '"');
        p++;
        end--;
    }
    while (p < end) {
        if (strncmp(p, "\\u", 2) == 0 && (quoted || strncmp(p, "\\u003c", 6) == 0)) {
            char code[5] = {p[2], p[3], p[4], p[5], 0};
            trxi_text_char(&made, (char)strtol(code, NULL, 16));
            p += 6;
        } else if (quoted && strncmp(p, "\\n", 2) == 0) {
            trxi_text_char(&made, '\n');
            p += 2;
        } else {
            trxi_text_char(&made, *p++);
        }
    }
    return made;
}

static void assert_block(const char *page, const char *id, bool quoted, const char *expected)
{
    trxi_text raw = block(page, id);
    trxi_text plain = unescaped(&raw, quoted);
    ck_assert_str_eq(trxi_text_get(&plain), expected);
    trxi_text_destroy(&raw);
    trxi_text_destroy(&plain);
}

START_TEST(the_page_carries_the_run_and_asks_for_nothing)
{
    player_sample sample = player_sample_create(context, 11, 1.0);
    trxi_player_data data = data_of(&sample);
    trxi_text out = trxi_text_create(context);
    ck_assert_int_eq(trxi_player_write(context, &data, &out), TRX_OK);
    const char *page = trxi_text_get(&out);
    ck_assert_uint_eq(strlen(page), out.length);
    assert_block(page, "scene-data", false, data.scene_json);
    assert_block(page, "summary-data", false, data.summary_json);
    assert_block(page, "trajectory-data", true, data.trajectory_csv);
    assert_block(page, "contacts-data", true, data.contacts_csv);

    // libraries are inside, in their order, before the player's own script
    const char *three = strstr(page, "THREE"), *orbit = strstr(page, "OrbitControls"), *own = strstr(page, "const Stage");
    ck_assert(three && orbit && own && strstr(page, "Dygraph") && three < own && orbit < own);
    const char *outside[] = {"<script src", "<link rel=\"stylesheet\"", "@import", "sourceMappingURL", "@SCRIPT@", "@TITLE@"};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) ck_assert_int_eq(count_of(page, outside[i]), 0);
    ck_assert_int_eq(count_of(page, "default-src 'none'"), 1);
    trxi_text_destroy(&out);
    player_sample_destroy(&sample);
}
END_TEST

START_TEST(hostile_texts_stay_inside_their_elements)
{
    trxi_player_data data = {
        .title = "</title><script>alert(1)</script> & \"x\"",
        .scene_json = "{\"title\": \"</script><!-- <script>\"}",
        .trajectory_csv = "t,\"</script\"\r\n1,\\u003c\t<!--\n",
        .scripts = "/nonexistent",
    };
    trxi_text out = trxi_text_create(context);
    ck_assert_int_eq(trxi_player_write(context, &data, &out), TRX_OK);
    const char *page = trxi_text_get(&out);
    assert_block(page, "scene-data", false, data.scene_json);
    assert_block(page, "trajectory-data", true, data.trajectory_csv);
    assert_block(page, "summary-data", false, "null");
    assert_block(page, "contacts-data", true, "");
    ck_assert_int_eq(count_of(page, "<script>alert"), 0);
    ck_assert_int_eq(count_of(page, "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;"), 2);
    trxi_text_destroy(&out);
}
END_TEST

START_TEST(without_libraries_the_page_names_the_package)
{
    player_sample sample = player_sample_create(context, 3, 1.0);
    trxi_player_data data = data_of(&sample);
    trxi_text out = trxi_text_create(context);
    data.scripts = "/nonexistent";
    ck_assert_int_eq(trxi_player_write(context, &data, &out), TRX_OK);
    ck_assert_ptr_nonnull(strstr(trxi_text_get(&out), "/nonexistent/three/three.min.js could not be read"));
    ck_assert_ptr_nonnull(strstr(trxi_text_get(&out), "apt install libjs-three"));
    ck_assert_ptr_null(strstr(trxi_text_get(&out), "const Stage"));

    // with three.js but without dygraphs
    char folder[TEMPORARY_PATH], link[TEMPORARY_PATH + 8];
    temporary_path(folder, "tractrix-player-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(link, sizeof link, "%s/three", folder);
    ck_assert_int_eq(symlink("/usr/share/javascript/three", link), 0);
    data.scripts = folder;
    trxi_text_clear(&out);
    ck_assert_int_eq(trxi_player_write(context, &data, &out), TRX_OK);
    ck_assert_ptr_nonnull(strstr(trxi_text_get(&out), "apt install libjs-dygraphs"));
    ck_assert_ptr_null(strstr(trxi_text_get(&out), "OrbitControls"));
    unlink(link);
    rmdir(folder);
    trxi_text_destroy(&out);
    player_sample_destroy(&sample);
}
END_TEST

START_TEST(a_page_needs_title_scene_and_trajectory)
{
    trxi_text out = trxi_text_create(context);
    trxi_player_data complete = {.title = "t", .scene_json = "{}", .trajectory_csv = "t\n", .scripts = "/nonexistent"};
    ck_assert_int_eq(trxi_player_write(context, &complete, &out), TRX_OK);
    trxi_text_clear(&out);
    for (int i = 0; i < 3; i++) {
        trxi_player_data data = complete;
        if (i == 0) data.title = NULL;
        if (i == 1) data.scene_json = NULL;
        if (i == 2) data.trajectory_csv = NULL;
        ck_assert_int_eq(trxi_player_write(context, &data, &out), TRX_ERR_ARGUMENT);
        ck_assert_uint_eq(out.length, 0);
    }
    trxi_text_destroy(&out);
}
END_TEST

START_TEST(exhausted_memory_is_a_status_at_every_allocation)
{
    player_sample sample = player_sample_create(context, 11, 1.0);
    trxi_player_data data = data_of(&sample);
    trx_status status = TRX_ERR_MEMORY;
    int fail_at = 1;
    for (; status == TRX_ERR_MEMORY; fail_at++) {
        counting_allocator counter = {0};
        trx_context_settings settings = counting_settings(&counter);
        trx_context *small;
        ck_assert_int_eq(trx_context_create(&settings, &small), TRX_OK);
        counter.fail_at = counter.calls + fail_at;
        trxi_text out = trxi_text_create(small);
        status = trxi_player_write(small, &data, &out);
        trxi_text_destroy(&out);
        trx_context_destroy(small);
        ck_assert_int_eq(counter.outstanding, 0);
    }
    ck_assert_int_eq(status, TRX_OK);
    ck_assert_int_gt(fail_at, 10);
    player_sample_destroy(&sample);
}
END_TEST

START_TEST(the_library_carries_the_sources_byte_by_byte)
{
    static char bytes[1 << 16];
    FILE *file = fopen("src/report/player/player.css", "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ck_assert_int_eq(memcmp(bytes, trxi_player_css, size), 0);
    ck_assert_int_eq(trxi_player_css[size], 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/player");
    TCase *cases = tcase_create("player");
    tcase_add_checked_fixture(cases, create_context, destroy_context);
    tcase_add_test(cases, the_page_carries_the_run_and_asks_for_nothing);
    tcase_add_test(cases, hostile_texts_stay_inside_their_elements);
    tcase_add_test(cases, without_libraries_the_page_names_the_package);
    tcase_add_test(cases, a_page_needs_title_scene_and_trajectory);
    tcase_add_test(cases, exhausted_memory_is_a_status_at_every_allocation);
    tcase_add_test(cases, the_library_carries_the_sources_byte_by_byte);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
