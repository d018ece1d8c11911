// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The YAML reader: places, what the subset refuses, damaged text, exhausted memory, linear time.

#include "base/random.h"
#include "formats/yaml.h"
#include "formats/yaml_sample.h"
#include "support/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static trx_status parse(const char *text, size_t length, trxi_yaml_node **root)
{
    char *copy = exact_copy(text, length);
    trx_context_clear(context);
    trx_status status = trxi_yaml_parse(context, pool, "a.yaml", copy, length, root);
    free(copy);
    ck_assert((status == TRX_OK) == (*root != NULL));
    ck_assert((status == TRX_OK) == (trx_context_error_count(context) == 0));
    return status;
}

static void assert_place(trx_source at, int line, int column)
{
    ck_assert_str_eq(at.file, "a.yaml");
    ck_assert_msg(at.line == line && at.column == column, "at %d:%d, expected %d:%d", at.line, at.column, line, column);
}

START_TEST(every_node_knows_its_text_and_place)
{
    trxi_yaml_node *root;
    ck_assert_int_eq(parse(yaml_sample, strlen(yaml_sample), &root), TRX_OK);
    assert_place(root->source, 2, 1);
    ck_assert_str_eq(trxi_yaml_get(root, "title")->text, "Push a box 15 cm across a table");
    const trxi_yaml_node *model = trxi_yaml_get(root, "model"), *gravity = trxi_yaml_get(model, "gravity");
    ck_assert_int_eq(gravity->kind, TRXI_YAML_SEQUENCE);
    ck_assert_str_eq(gravity->items[2]->text, "-9.81");
    assert_place(gravity->source, 5, 12);
    assert_place(gravity->items[2]->source, 5, 19);
    assert_place(model->key_sources[trxi_yaml_find(model, "bodies")], 7, 3);

    const trxi_yaml_node *nothing = trxi_yaml_get(model, "nothing"), *pusher = trxi_yaml_get(model, "bodies")->items[1];
    ck_assert(nothing->text[0] == '\0' && !nothing->quoted);
    ck_assert_str_eq(trxi_yaml_get(pusher, "name")->text, "pusher's");
    ck_assert(trxi_yaml_get(pusher, "name")->quoted);
    ck_assert_str_eq(trxi_yaml_get(pusher, "text")->text, "one\ntwo\n");
    ck_assert_str_eq(trxi_yaml_get(pusher, "folded")->text, "three four");
    ck_assert_str_eq(trxi_yaml_get(trxi_yaml_get(root, "contact"), "quoted key")->text, "\xC3\xBC\n\t\"");
    // columns count bytes: the key before has a letter of two
    assert_place(trxi_yaml_get(root, "f\xC3\xBC")->source, 24, 6);
    ck_assert_ptr_null(trxi_yaml_get(root, "absent"));
    ck_assert_ptr_null(trxi_yaml_get(gravity, "absent"));
    ck_assert_ptr_null(trxi_yaml_get(NULL, "absent"));
}
END_TEST

START_TEST(what_the_subset_lacks_is_refused_at_its_place)
{
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } cases[] = {
        {"", 1, 1, "nothing"},
        {"# only a comment\n", 2, 1, "nothing"},
        {"a: &x 1", 1, 4, "anchors"},
        {"a: &x [1]", 1, 4, "anchors"},
        {"a: *x", 1, 4, "aliases"},
        {"a: !!str 1", 1, 4, "tags"},
        {"a: !mine {b: 1}", 1, 4, "tags"},
        {"%TAG ! tag:x,2000:\n---\na: 1", 1, 1, "%TAG"},
        {"a: {<<: {b: 1}}", 1, 5, "merge keys"},
        {"a: 1\nb: 2\na: 3", 3, 1, "already on line 1: a"},
        {"? [1, 2]\n: 3", 1, 3, "a key must be a name"},
        {"{a: 1}: 3", 1, 1, "a key must be a name"},
        {"?\n: 3", 1, 2, "without its key"},
        {"a: 1\n---\nb: 2", 2, 1, "second document"},
        {"a: [1, 2", 2, 1, "did not find"},
        {"a: 1\n b: 2", 2, 3, "mapping values are not allowed"},
        {"a:\n\t- 1", 2, 1, "use blanks"},
        {"a: @b", 1, 4, "put it in quotes"},
        {"a: \"x", 1, 6, "unexpected end of stream, while scanning a quoted scalar that begins on line 1"},
        {"a: \"x\xFFy\"", 1, 6, "not UTF-8"},
        {"a: \xC3", 1, 4, "not UTF-8"},
        {"a: x\x01", 1, 5, "control character"},
        {"a: \"x\\0y\"", 1, 4, "zero character"},
        {"\xFF\xFE" "a\0:\0", 1, 1, "not UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trxi_yaml_node *root;
        ck_assert_msg(parse(cases[i].text, strlen(cases[i].text), &root) == TRX_ERR_INPUT, "%s was read", cases[i].text);
        trx_diagnostic found = trx_context_diagnostic(context, 0);
        ck_assert_msg(strstr(found.text, cases[i].says), "%s: %s", cases[i].text, found.text);
        ck_assert_msg(found.source.line == cases[i].line && found.source.column == cases[i].column, "%s: at %d:%d",
                      cases[i].text, found.source.line, found.source.column);
    }
}
END_TEST

START_TEST(all_errors_of_the_subset_are_found_in_one_run)
{
    const char *text = "a: &x 1\nb: *x\nc: !t 2\na: 3\n";
    trxi_yaml_node *root;
    ck_assert_int_eq(parse(text, strlen(text), &root), TRX_ERR_INPUT);
    ck_assert_int_eq(trx_context_error_count(context), 4);
    // without findings: the first is the message
    trx_context_clear(context);
    ck_assert_int_eq(trxi_yaml_try_parse(context, pool, "x", text, strlen(text), &root), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_context_error_count(context), 0);
    ck_assert_ptr_eq(strstr(trx_context_message(context), "x:1:4: anchors"), trx_context_message(context));
}
END_TEST

START_TEST(depth_size_and_keys_are_limited)
{
    trxi_yaml_node *root;
    char text[300];
    for (int depth = 64; depth <= 65; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        ck_assert_int_eq(parse(text, 2 * (size_t)depth, &root), depth == 64 ? TRX_OK : TRX_ERR_INPUT);
    }
    assert_place(trx_context_diagnostic(context, 0).source, 1, 65);
    for (int length = 200; length <= 201; length++) {
        memset(text, 'k', (size_t)length);
        memcpy(text + length, ": 1", 3);
        ck_assert_int_eq(parse(text, (size_t)length + 3, &root), length == 200 ? TRX_OK : TRX_ERR_INPUT);
    }
    for (int blanks = 1024; blanks <= 1025; blanks++) {
        char run[1100] = "a: b";
        memset(run + 4, '\n', (size_t)blanks);
        run[4 + blanks] = '#';
        ck_assert_int_eq(parse(run, 5 + (size_t)blanks, &root), blanks == 1024 ? TRX_OK : TRX_ERR_INPUT);
    }
    size_t large = TRXI_YAML_MAX_SIZE + 1;
    char *zeros = calloc(large, 1);
    memset(zeros, '#', large);
    ck_assert_int_eq(trxi_yaml_parse(context, pool, "a.yaml", zeros, large, &root), TRX_ERR_INPUT);
    free(zeros);
}
END_TEST

START_TEST(every_prefix_and_every_damaged_byte_is_survived)
{
    trxi_yaml_node *root;
    size_t length = strlen(yaml_sample);
    int refused = 0;
    for (size_t n = 0; n < length; n++) refused += parse(yaml_sample, n, &root) != TRX_OK;
    ck_assert_int_gt(refused, 10);
    static const char bad[] = "\n :-[]{},\"'|>&*!%@?#\t\0\xFF\x80\xC3";
    char damaged[sizeof yaml_sample];
    for (size_t at = 0; at < length; at++) {
        for (size_t b = 0; b < sizeof bad; b++) {
            memcpy(damaged, yaml_sample, length);
            damaged[at] = bad[b];
            parse(damaged, length, &root);
        }
        trxi_pool_destroy(pool);
        pool = trxi_pool_create(context);
    }
}
END_TEST

START_TEST(random_syntax_is_survived)
{
    static const char *const tokens[] = {"[", "]", "{", "}", ", ", ": ", "- ", "? ", "\n", "\n  ", "a", "b", "\"", "'", "|\n",
                                         "&x ", "*x", "!t ", "---\n", "...\n", "# c\n", "<<", "%TAG", "\t", "\xC3\xBC", " "};
    for (uint64_t i = 0; i < 20000; i++) {
        char text[128];
        size_t length = 0;
        for (uint64_t k = 0; k < 24; k++) {
            const char *token = tokens[trxi_random_bits(i, k) % (sizeof tokens / sizeof tokens[0])];
            memcpy(text + length, token, strlen(token));
            length += strlen(token);
        }
        trxi_yaml_node *root;
        parse(text, length, &root);
        if (i % 100) continue;
        trxi_pool_destroy(pool);
        pool = trxi_pool_create(context);
    }
}
END_TEST

static trx_status parse_counted(trx_context *counted, trxi_pool *its_pool, const void *text)
{
    trxi_yaml_node *root;
    trx_status status = trxi_yaml_parse(counted, its_pool, "a.yaml", text, strlen(text), &root);
    ck_assert((status == TRX_OK) == (root != NULL));
    return status;
}

START_TEST(exhausted_memory_is_a_status_at_every_allocation)
{
    // long enough that nodes, keys and strings fill several blocks
    trxi_text text = trxi_text_create(context);
    for (int i = 0; i < 400; i++) trxi_text_printf(&text, "key%d: [%d, {a: some text to fill the pool}]\n", i, i);
    ck_assert_int_gt(fail_every_allocation(parse_counted, text.data), 5);
    trxi_text_destroy(&text);
}
END_TEST

// `count` times `piece` after `head`, then `tail`: seconds of the processor to parse
static double seconds(const char *head, const char *piece, int count, const char *tail)
{
    trxi_text text = trxi_text_create(context);
    trxi_text_string(&text, head);
    for (int i = 0; i < count; i++) trxi_text_string(&text, piece);
    trxi_text_string(&text, tail);
    trxi_yaml_node *root;
    const clock_t start = clock();
    trxi_yaml_parse(context, pool, "a.yaml", trxi_text_get(&text), text.length, &root);
    const double elapsed = (double)(clock() - start) / CLOCKS_PER_SEC;
    trxi_text_destroy(&text);
    return elapsed;
}

START_TEST(hostile_text_takes_linear_time)
{
    // each is quadratic for some reader; 200 kB take milliseconds when linear, minutes when not
    assert_below(seconds("", "[", 200000, ""), 2);
    assert_below(seconds("", "{a: ", 50000, ""), 2);
    assert_below(seconds("", "- ", 100000, ""), 2);
    assert_below(seconds("", "? ", 100000, ""), 2);
    assert_below(seconds("[", "[],", 66000, "]"), 2);
    assert_below(seconds("a: ", "b\n\n ", 50000, ""), 2);
    assert_below(seconds("a: \"", "\\n", 100000, "\""), 2);
    assert_below(seconds("a: ", "\n", 200000, "b"), 2);
    assert_below(seconds("", "k: 1\n", 40000, ""), 2); // 40000 times the same key
    assert_below(seconds("", "&a ", 66000, "1"), 2);
    assert_below(seconds("[", "x: 1,", 40000, "]"), 2);
    assert_below(seconds("\"", "\xC3\xBC", 100000, "\": [&a 1, &b 2]"), 2);
    // the longest run of blanks allowed, then many folded lines, each of which clears a buffer of that length
    char head[1100] = "a: b";
    memset(head + 4, '\n', 1000);
    assert_below(seconds(head, " c\n", 66000, ""), 2);
}
END_TEST

START_TEST(distinct_keys_in_large_mappings_take_linear_time)
{
    trxi_text text = trxi_text_create(context);
    for (int i = 0; i < 100000; i++) trxi_text_printf(&text, "k%d: %d\n", i, i);
    trxi_yaml_node *root;
    const clock_t start = clock();
    ck_assert_int_eq(trxi_yaml_parse(context, pool, "a.yaml", text.data, text.length, &root), TRX_OK);
    assert_below((double)(clock() - start) / CLOCKS_PER_SEC, 4);
    ck_assert_int_eq(root->count, 100000);
    ck_assert_str_eq(root->items[77777]->text, "77777");
    assert_place(root->key_sources[77777], 77778, 1);
    trxi_text_destroy(&text);
}
END_TEST

START_TEST(files_are_read_or_refused_with_their_path)
{
    trxi_yaml_node *root;
    ck_assert_int_eq(trxi_yaml_read(context, pool, "/nonexistent/a.yaml", &root), TRX_ERR_IO);
    ck_assert_str_eq(trx_context_message(context), "cannot read '/nonexistent/a.yaml': No such file or directory");
    ck_assert_int_eq(trxi_yaml_read(context, pool, "/", &root), TRX_ERR_IO);
    char path[TEMPORARY_PATH];
    temporary_path(path, "tractrix_yaml_XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_eq((int)write(fd, "\xEF\xBB\xBF" "a: 1\r\nb: 2\r\n", 15), 15);
    close(fd);
    ck_assert_int_eq(trxi_yaml_read(context, pool, path, &root), TRX_OK);
    unlink(path);
    ck_assert_str_eq(trxi_yaml_get(root, "b")->text, "2");
    ck_assert_str_eq(root->source.file, path);
    ck_assert_int_eq(root->source.column, 1);
    ck_assert_int_eq(root->key_sources[1].line, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/yaml");
    TCase *cases = tcase_create("yaml");
    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_add_test(cases, every_node_knows_its_text_and_place);
    tcase_add_test(cases, what_the_subset_lacks_is_refused_at_its_place);
    tcase_add_test(cases, all_errors_of_the_subset_are_found_in_one_run);
    tcase_add_test(cases, depth_size_and_keys_are_limited);
    tcase_add_test(cases, every_prefix_and_every_damaged_byte_is_survived);
    tcase_add_test(cases, random_syntax_is_survived);
    tcase_add_test(cases, exhausted_memory_is_a_status_at_every_allocation);
    tcase_add_test(cases, hostile_text_takes_linear_time);
    tcase_add_test(cases, distinct_keys_in_large_mappings_take_linear_time);
    tcase_add_test(cases, files_are_read_or_refused_with_their_path);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
