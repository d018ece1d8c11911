// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The YAML writer: what it writes parses to the same tree.

#include "base/random.h"
#include "formats/yaml.h"
#include "formats/yaml_sample.h"
#include "support/parser.h"

static void assert_round_trip(const trxi_yaml_node *root)
{
    trxi_text text = trxi_text_create(context);
    ck_assert_int_eq(trxi_yaml_write(root, &text), TRX_OK);
    trxi_yaml_node *again;
    trx_status status = trxi_yaml_parse(context, pool, "written.yaml", text.data, text.length, &again);
    ck_assert_msg(status == TRX_OK, "%s\n%s", trx_context_message(context), text.data);
    ck_assert_msg(yaml_equal(root, again), "not the same:\n%s", text.data);
    trxi_text_destroy(&text);
}

START_TEST(a_sample_comes_out_as_a_person_would_write_it)
{
    trxi_yaml_node *root;
    ck_assert_int_eq(trxi_yaml_parse(context, pool, "a.yaml", yaml_sample, strlen(yaml_sample), &root), TRX_OK);
    trxi_text text = trxi_text_create(context);
    ck_assert_int_eq(trxi_yaml_write(root, &text), TRX_OK);
    ck_assert_str_eq(trxi_text_get(&text),
                     "tractrix: 1\n"
                     "title: Push a box 15 cm across a table\n"
                     "model:\n"
                     "  gravity: [0, 0, -9.81]\n"
                     "  nothing:\n"
                     "  bodies:\n"
                     "    - name: box\n"
                     "      geometry:\n"
                     "        - {shape: box, size: [0.1, 0.1, 0.1], mass: 0.5}\n"
                     "        - {shape: \"sphere\", empty: [], none: {}}\n"
                     "    - {name: \"pusher's\", text: \"one\\ntwo\\n\", folded: \"three four\"}\n"
                     "    - - nested\n"
                     "      -\n"
                     "      - [a, [b, {c: d}]]\n"
                     "contact: {tolerance: 1.0e-6, quoted key: \"\xC3\xBC\\n\\x09\\\"\"}\n"
                     "mpc:\n"
                     "  noise: {box.position: 0.001}\n"
                     "\"f\xC3\xBC\": \"pair(box, ground).friction\"\n");
    trxi_text_destroy(&text);
    assert_round_trip(root);
}
END_TEST

// a scalar's text from pieces that stumble: syntax, blanks, control characters, breaks of several kinds
static const char *random_string(uint64_t seed, uint64_t index)
{
    static const char *const pieces[] = {"a", "1", "-", " ", ":", "#", ",", "[", "]", "{", "}", "\"", "'", "\\", "\n", "\t", "&",
                                         "*", "!", "|", ">", "%", "@", "?", "<<", "~", "---", "...", "\x01", "\x7F", "\xC2\x85",
                                         "\xE2\x80\xA8", "\xEF\xBB\xBF", "\xC3\xBC", "\xF0\x9F\x98\x80", "(", "=", ".",
                                         "null", "\r"};
    char text[64] = "";
    uint64_t n = trxi_random_bits(seed, index) % 5;
    for (uint64_t i = 0; i < n; i++)
        strcat(text, pieces[trxi_random_bits(seed + 1, 8 * index + i) % (sizeof pieces / sizeof pieces[0])]);
    return trxi_pool_string(pool, text, strlen(text));
}

// a tree with `*count` nodes so far, its shape a function of the seed
static trxi_yaml_node *random_tree(uint64_t seed, uint64_t *count, int depth)
{
    uint64_t index = (*count)++;
    trxi_yaml_node *node = TRXI_POOL(pool, trxi_yaml_node, 1);
    node->text = "";
    node->kind = depth > 5 ? TRXI_YAML_SCALAR : (trxi_yaml_kind)(trxi_random_bits(seed + 2, index) % 3);
    if (node->kind == TRXI_YAML_SCALAR) {
        node->text = random_string(seed, index);
        node->quoted = trxi_random_bits(seed + 3, index) % 2;
        return node;
    }
    node->count = (int)(trxi_random_bits(seed + 4, index) % 5);
    node->items = TRXI_POOL(pool, trxi_yaml_node *, node->count);
    node->keys = TRXI_POOL(pool, const char *, node->count);
    for (int i = 0; i < node->count; i++) {
        node->items[i] = random_tree(seed, count, depth + 1);
        node->keys[i] = trxi_pool_printf(pool, "%s%d", random_string(seed + 9, (*count) * 8 + (uint64_t)i), i);
    }
    return node;
}

START_TEST(random_trees_with_hostile_text_round_trip)
{
    uint64_t nodes = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t count = 0;
        assert_round_trip(random_tree(100 * i, &count, 0));
        nodes += count;
        if (i % 50) continue;
        trxi_pool_destroy(pool);
        pool = trxi_pool_create(context);
    }
    ck_assert_uint_gt(nodes, 10000);
}
END_TEST

START_TEST(long_and_deep_collections_round_trip)
{
    trxi_text text = trxi_text_create(context);
    for (int i = 0; i < 31; i++) trxi_text_string(&text, "[{a: ");
    trxi_text_string(&text, "[");
    for (int i = 0; i < 300; i++) trxi_text_printf(&text, "%d, ", i);
    trxi_text_string(&text, "]");
    for (int i = 0; i < 31; i++) trxi_text_string(&text, "}]");
    trxi_yaml_node *root;
    ck_assert_int_eq(trxi_yaml_parse(context, pool, "a.yaml", text.data, text.length, &root), TRX_OK);
    assert_round_trip(root);
    trxi_text_destroy(&text);
}
END_TEST

START_TEST(exhausted_memory_is_a_status)
{
    trxi_yaml_node *root;
    ck_assert_int_eq(trxi_yaml_parse(context, pool, "a.yaml", yaml_sample, strlen(yaml_sample), &root), TRX_OK);
    counting_allocator counter = {.fail_at = 3};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *poor;
    ck_assert_int_eq(trx_context_create(&settings, &poor), TRX_OK);
    trxi_text text = trxi_text_create(poor);
    ck_assert_int_eq(trxi_yaml_write(root, &text), TRX_ERR_MEMORY);
    trxi_text_destroy(&text);
    trx_context_destroy(poor);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/yaml_write");
    TCase *cases = tcase_create("yaml_write");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_add_test(cases, a_sample_comes_out_as_a_person_would_write_it);
    tcase_add_test(cases, random_trees_with_hostile_text_round_trip);
    tcase_add_test(cases, long_and_deep_collections_round_trip);
    tcase_add_test(cases, exhausted_memory_is_a_status);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
