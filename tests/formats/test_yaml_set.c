// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// --set: what a path reaches, what it makes, what it refuses without touching the tree.

#include "formats/yaml.h"
#include "formats/yaml_sample.h"
#include "support/support.h"

static trx_context *context;
static trxi_pool *pool;
static trxi_yaml_node *root;

static trxi_yaml_node *parse(const char *text)
{
    trxi_yaml_node *made;
    ck_assert_int_eq(trxi_yaml_parse(context, pool, "a.yaml", text, strlen(text), &made), TRX_OK);
    return made;
}

static void setup(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    pool = trxi_pool_create(context);
    root = parse(yaml_sample);
}

static void teardown(void)
{
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
}

static void set(const char *path, const char *value)
{
    trx_status status = trxi_yaml_set(context, pool, root, path, value);
    ck_assert_msg(status == TRX_OK, "%s: %s", path, trx_context_message(context));
}

// the tree in flow style, for comparison
static const char *as_text(const trxi_yaml_node *node)
{
    trxi_text text = trxi_text_create(context);
    trxi_yaml_write(node, &text);
    const char *copy = trxi_pool_string(pool, trxi_text_get(&text), text.length);
    trxi_text_destroy(&text);
    return copy;
}

START_TEST(paths_reach_keys_numbers_and_names)
{
    set("contact.tolerance", "1e-9");
    ck_assert_str_eq(trxi_yaml_get(trxi_yaml_get(root, "contact"), "tolerance")->text, "1e-9");
    set("model.gravity.2", "-1.6");
    ck_assert_str_eq(as_text(trxi_yaml_get(trxi_yaml_get(root, "model"), "gravity")), "- 0\n- 0\n- -1.6\n");
    set("model.bodies.box.geometry.0.mass", "2.5");
    const trxi_yaml_node *box = trxi_yaml_get(trxi_yaml_get(root, "model"), "bodies")->items[0];
    ck_assert_str_eq(trxi_yaml_get(trxi_yaml_get(box, "geometry")->items[0], "mass")->text, "2.5");
    set("model.bodies.0.geometry", "[{shape: sphere, radius: 1}]");
    ck_assert_int_eq(trxi_yaml_get(box, "geometry")->count, 1);
}
END_TEST

START_TEST(keys_with_dots_are_found_or_quoted)
{
    const trxi_yaml_node *noise = trxi_yaml_get(trxi_yaml_get(root, "mpc"), "noise");
    set("mpc.noise.box.position", "0.5");
    set("mpc.noise.\"pusher.position\"", "0.1");
    ck_assert_int_eq(noise->count, 2);
    ck_assert_str_eq(trxi_yaml_get(noise, "box.position")->text, "0.5");
    ck_assert_str_eq(trxi_yaml_get(noise, "pusher.position")->text, "0.1");
}
END_TEST

START_TEST(missing_mappings_are_made)
{
    set("solve.limits.iterations", "5");
    set("contact.margin", "");
    set("model.nothing.now", "{a: [1]}"); // an empty value becomes a mapping
    set("seed", "007");
    const trxi_yaml_node *made = trxi_yaml_get(trxi_yaml_get(trxi_yaml_get(root, "solve"), "limits"), "iterations");
    ck_assert_str_eq(made->text, "5");
    ck_assert_str_eq(trxi_yaml_get(trxi_yaml_get(root, "contact"), "margin")->text, "");
    ck_assert_int_eq(trxi_yaml_get(trxi_yaml_get(trxi_yaml_get(root, "model"), "nothing"), "now")->kind, TRXI_YAML_MAPPING);
    ck_assert_str_eq(trxi_yaml_get(root, "seed")->text, "007");
    // the new nodes say where they come from
    ck_assert_str_eq(made->source.file, "--set solve.limits.iterations=5");
    ck_assert_int_eq(made->source.line, 1);
    ck_assert_int_eq(made->source.column, 25);
    const trxi_yaml_node *solve = trxi_yaml_get(root, "solve");
    ck_assert_str_eq(solve->key_sources[0].file, "--set solve.limits.iterations=5");
    ck_assert_int_eq(solve->key_sources[0].column, 7);
    // many keys, past every capacity
    for (int i = 0; i < 100; i++) set(trxi_pool_printf(pool, "many.k%d", i), "1");
    ck_assert_int_eq(trxi_yaml_get(root, "many")->count, 100);
}
END_TEST

START_TEST(what_cannot_be_reached_is_named_and_nothing_changes)
{
    static const struct {
        const char *path, *value, *says;
    } cases[] = {
        {"model.bodies.bxo.mass", "1", "model.bodies has no element \"bxo\": it has 3, numbered from 0, called box, "
                                       "pusher's; did you mean \"box\"?"},
        {"model.gravity.3", "1", "model.gravity has no element \"3\": it has 3"},
        {"model.gravity.-1", "1", "no element \"-1\""},
        {"model.gravity.x", "1", "no element \"x\""},
        {"title.x", "1", "title is a single value"},
        {"", "1", "empty"},
        {"model..gravity", "1", "empty"},
        {"model.", "1", "empty"},
        {"a.\"b", "1", "a quote is not closed"},
        {"a", "[1, 2", "did not find"},
        {"a", "*x", "--set a=*x:1:3: aliases"},
        {"a", "1\n--- \n2", "second document"},
        {"a", "{b: 1, b: 2}", "already on line 1"},
    };
    const char *before = as_text(root);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trx_status status = trxi_yaml_set(context, pool, root, cases[i].path, cases[i].value);
        ck_assert_msg(status == TRX_ERR_ARGUMENT, "%s=%s: status %d", cases[i].path, cases[i].value, status);
        ck_assert_msg(strstr(trx_context_message(context), cases[i].says), "%s", trx_context_message(context));
        ck_assert_str_eq(as_text(root), before);
        ck_assert_int_eq(trx_context_error_count(context), 0);
    }
}
END_TEST

START_TEST(depth_stays_within_the_limit_of_the_reader)
{
    // a.a. ... .a with n components makes n collections, the root included
    char path[200] = "a";
    for (int i = 1; i < 64; i++) memcpy(path + 2 * i - 1, ".a", 3);
    ck_assert_int_eq(trxi_yaml_set(context, pool, root, path, "1"), TRX_OK);
    memcpy(path + 127, ".a", 3);
    ck_assert_int_eq(trxi_yaml_set(context, pool, root, path, "1"), TRX_ERR_ARGUMENT);
    path[127] = '\0';
    ck_assert_int_eq(trxi_yaml_set(context, pool, root, path, "[1]"), TRX_ERR_ARGUMENT);
    trxi_yaml_node *again;
    const char *text = as_text(root);
    ck_assert_int_eq(trxi_yaml_parse(context, pool, "b.yaml", text, strlen(text), &again), TRX_OK);
    ck_assert(yaml_equal(root, again));
}
END_TEST

START_TEST(exhausted_memory_leaves_the_tree_as_it_was)
{
    int failures = 0;
    for (int k = 1;; k++) {
        counting_allocator counter = {0};
        trx_context_settings settings = counting_settings(&counter);
        trx_context *poor;
        ck_assert_int_eq(trx_context_create(&settings, &poor), TRX_OK);
        trxi_pool *small = trxi_pool_create(poor);
        trxi_yaml_node *tree, *reference = parse("a: {b: 1}");
        ck_assert_int_eq(trxi_yaml_parse(poor, small, "a.yaml", "a: {b: 1}", 9, &tree), TRX_OK);
        // an almost full block, so that the next allocations come from the allocator
        while (counter.calls < 4) trxi_pool_take(small, 1, 16);
        trxi_pool_take(small, 1, 16000);
        counter.fail_at = counter.calls + k;
        char value[17000] = "[";
        memset(value + 1, ' ', 900);
        for (int i = 0; i < 1500; i++) memcpy(value + 901 + 8 * i, "abcdef, ", 8);
        memcpy(value + 901 + 8 * 1500, "x]", 3);
        trx_status status = trxi_yaml_set(poor, small, tree, "a.c.d", value);
        if (status != TRX_OK) ck_assert(status == TRX_ERR_MEMORY && yaml_equal(reference, tree) && yaml_equal(tree, reference));
        trxi_pool_destroy(small);
        trx_context_destroy(poor);
        ck_assert_int_eq(counter.outstanding, 0);
        if (status == TRX_OK) break;
        failures++;
    }
    ck_assert_int_gt(failures, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/yaml_set");
    TCase *cases = tcase_create("yaml_set");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, paths_reach_keys_numbers_and_names);
    tcase_add_test(cases, keys_with_dots_are_found_or_quoted);
    tcase_add_test(cases, missing_mappings_are_made);
    tcase_add_test(cases, what_cannot_be_reached_is_named_and_nothing_changes);
    tcase_add_test(cases, depth_stays_within_the_limit_of_the_reader);
    tcase_add_test(cases, exhausted_memory_leaves_the_tree_as_it_was);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
