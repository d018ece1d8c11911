// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The XML reader: places, text and attributes, what is refused and where, limits, damaged text, exhausted memory.

#include "base/random.h"
#include "formats/xml.h"
#include "formats/xml_mend.h"
#include "support/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trx_status parse(const char *text, size_t length, trxi_xml_node **root)
{
    char *copy = exact_copy(text, length);
    trx_context_clear(context);
    trx_status status = trxi_xml_parse(context, pool, "a.xml", copy, length, root);
    free(copy);
    ck_assert((status == TRX_OK) == (*root != NULL));
    ck_assert_int_eq(trx_context_error_count(context), status == TRX_ERR_INPUT);
    return status;
}

static trxi_xml_node *parse_good(const char *text)
{
    trxi_xml_node *root;
    ck_assert_msg(parse(text, strlen(text), &root) == TRX_OK, "%s: %s", text, trx_context_message(context));
    return root;
}

static void assert_place(const trxi_xml_node *node, int line, int column)
{
    ck_assert_str_eq(node->source.file, "a.xml");
    ck_assert_msg(node->source.line == line && node->source.column == column, "<%s> at %d:%d, expected %d:%d",
                  node->name, node->source.line, node->source.column, line, column);
}

START_TEST(every_element_knows_its_parts_and_place)
{
    trxi_xml_node *root = parse_good("<?xml version=\"1.0\"?>\n"
                                     "<!-- a comment\n over two lines -->\n"
                                     "<robot name='r&#x20;&lt;1'>\n"
                                     "  <link name=\"a\" /><link name=\"\xC3\xBC\"/><joint/>\r\n"
                                     "\tsome <b>deep</b> <![CDATA[<text>]]> \n"
                                     "</robot>\n");
    ck_assert_str_eq(root->name, "robot");
    ck_assert_ptr_null(root->parent);
    assert_place(root, 4, 1);
    ck_assert_str_eq(trxi_xml_get(root, "name"), "r <1");
    ck_assert_int_eq(root->count, 4);
    ck_assert_str_eq(root->text, "some  <text>");
    assert_place(root->items[0], 5, 3);
    assert_place(root->items[1], 5, 20);
    // columns count bytes: the name before has a letter of two
    assert_place(root->items[2], 5, 37);
    ck_assert_str_eq(root->items[2]->text, "");
    assert_place(root->items[3], 6, 7);
    ck_assert_str_eq(root->items[3]->text, "deep");
    ck_assert_ptr_eq(root->items[3]->parent, root);
    ck_assert_str_eq(trxi_xml_get(root->items[1], "name"), "\xC3\xBC");
}
END_TEST

START_TEST(harmless_faults_of_other_tools_are_mended_without_moving_a_place)
{
    // files of robots have all of them: dashes in comments, no blank between attributes, a zero at the end
    static const char text[] = "<a x='1'y=\"2\"z=''>\n<!-- a -- b --- c ---><b/><!----><c d='--'e='>!'/> \n"
                               "<![CDATA[<!-- x -- y --> '1'y]]></a>\n";
    trxi_xml_node *root;
    ck_assert_msg(parse(text, sizeof text, &root) == TRX_OK, "%s", trx_context_message(context));
    ck_assert_str_eq(trxi_xml_get(root, "y"), "2");
    ck_assert_str_eq(trxi_xml_get(root, "z"), "");
    assert_place(root->items[0], 2, 23);
    assert_place(root->items[1], 2, 34);
    ck_assert_str_eq(trxi_xml_get(root->items[1], "d"), "--");
    ck_assert_str_eq(trxi_xml_get(root->items[1], "e"), ">!");
    ck_assert_str_eq(root->text, "<!-- x -- y --> '1'y");

    // end tags behind the root are cut off, but not if an element follows
    static const char surplus[] = "<a><b/></a>\n</a>\n </b> ", more[] = "<a><b/></a></a><c/>";
    ck_assert_msg(parse(surplus, strlen(surplus), &root) == TRX_OK, "%s", trx_context_message(context));
    ck_assert_str_eq(root->items[0]->name, "b");
    ck_assert_int_eq(parse(more, strlen(more), &root), TRX_ERR_INPUT);
    trx_context_clear(context);

    // an error after mended faults has the place in the original text
    static const char wrong[] = "<a x='1'y='2'>\n<b z='1'x='2'w=3/></a>";
    ck_assert_int_eq(parse(wrong, strlen(wrong), &root), TRX_ERR_INPUT);
    ck_assert_msg(strstr(trx_context_message(context), "a.xml:2:16: "), "%s", trx_context_message(context));
}
END_TEST

// each of n surplus end tags was followed by a search of the rest of the text: for these minutes
START_TEST(many_surplus_end_tags_take_no_time)
{
    enum { TAGS = 400000 };
    static const char root_element[] = "<a/>", tag[] = "</a>", more[] = "<c/>";
    char *text = malloc(4 * TAGS + 9);
    ck_assert_ptr_nonnull(text);
    memcpy(text, root_element, 4);
    for (int i = 1; i <= TAGS; i++) memcpy(text + 4 * i, tag, 4);
    memcpy(text + 4 * (TAGS + 1), more, 5);
    trxi_xml_mended mended;
    ck_assert(trxi_xml_mend(pool, text, 4 * TAGS + 8, &mended));
    ck_assert_uint_eq(mended.length, 4 * TAGS + 8);
    ck_assert(trxi_xml_mend(pool, text, 4 * TAGS + 4, &mended));
    ck_assert_uint_eq(mended.length, 4);
    free(text);
}
END_TEST

START_TEST(what_is_asked_for_is_marked_used)
{
    trxi_xml_node *root = parse_good("<a x='1' y='2'><b/><c/><b z=''/></a>");
    ck_assert(!root->used && !root->keys_used[0] && !root->keys_used[1]);
    ck_assert_str_eq(trxi_xml_get(root, "y"), "2");
    ck_assert_ptr_null(trxi_xml_get(root, "z"));
    ck_assert(!root->keys_used[0] && root->keys_used[1]);
    ck_assert_ptr_eq(trxi_xml_child(root, "b"), root->items[0]);
    ck_assert_ptr_null(trxi_xml_child(root, "x"));
    ck_assert(root->items[0]->used && !root->items[1]->used && !root->items[2]->used);
}
END_TEST

START_TEST(encodings_become_utf8_and_a_byte_order_mark_belongs_to_no_line)
{
    trxi_xml_node *root = parse_good("\xEF\xBB\xBF<a>\n<b/></a>");
    assert_place(root, 1, 1);
    assert_place(root->items[0], 2, 1);
    root = parse_good("<?xml version='1.0' encoding='ISO-8859-1'?><a k='\xFC'/>");
    ck_assert_str_eq(trxi_xml_get(root, "k"), "\xC3\xBC");
    // UTF-16 of both orders, with its mark: <a>, line end, <b/></a>
    const char *narrow = "<a>\n <b/></a>";
    for (int big = 0; big < 2; big++) {
        char wide[64] = {0};
        memcpy(wide, big ? "\xFE\xFF" : "\xFF\xFE", 2);
        for (size_t i = 0; narrow[i]; i++) wide[2 + 2 * i + (size_t)big] = narrow[i];
        ck_assert_int_eq(parse(wide, 2 + 2 * strlen(narrow), &root), TRX_OK);
        assert_place(root->items[0], 2, 2);
    }
}
END_TEST

START_TEST(errors_have_their_place_and_words)
{
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } cases[] = {
        {"", 1, 1, "there is no element in this text"},
        {"\n  <!-- only a comment -->\n", 3, 1, "there is no element in this text"},
        {"robot", 1, 1, "no valid XML: syntax error"},
        {"<a>\n  <b>\n</a>", 3, 3, "this does not close <b>, which begins on line 2"},
        {"<a>\n<b/>\n", 3, 1, "the text ends before </a>: it begins on line 1"},
        {"<a/>\n<b/>", 2, 1, "nothing may follow the end of the first element"},
        {"<a x='1'\n   x='2'/>", 2, 4, "this attribute is already given in the same element"},
        {"<a x=1/>", 1, 6, "no valid XML: not well-formed (invalid token)"},
        {"<a>\n <b>&nbsp;</b></a>", 2, 5, "an entity that XML does not know"},
        {"<a x='&mine;'/>", 1, 1, "an entity that XML does not know"},
        {"<a>\xC3\xBC\xFF</a>", 1, 6, "no valid XML: not well-formed (invalid token)"},
        {"<a><b></a>", 1, 9, "this does not close <b>, which begins on line 1"},
        {"<a x='1'", 1, 1, "no valid XML: unclosed token"},
        {"<a><!-- x", 1, 4, "no valid XML: unclosed token"},
        {"<a><![CDATA[x</a>", 1, 18, "no valid XML: unclosed CDATA section"},
        {"<a>&#0;</a>", 1, 4, "no valid XML: reference to invalid character number"},
        {"<?xml version='1.0' encoding='KOI8-X'?><a/>", 1, 31, "no valid XML: unknown encoding"},
        {"x <?xml version='1.0'?><a/>", 1, 1, "no valid XML: syntax error"},
        {"<a> <?xml version='1.0'?></a>", 1, 5, "no valid XML: XML or text declaration not at start of entity"},
        {"\n  <?xml version='1.0'?><a>\n <b></a>", 3, 7, "this does not close <b>, which begins on line 3"},
        {"\n  <?xml version='1.0'?><a b=1/>", 2, 29, "no valid XML: not well-formed (invalid token)"},
        {" \n<?xml version='1.0'?>\n<!DOCTYPE a>\n<a/>", 3, 1, "a document type is not supported"},
        {"<?xml version='1.0'?>\n<!DOCTYPE a>\n<a/>", 2, 1, "a document type is not supported"},
        {"<!DOCTYPE a [<!ENTITY b 'cccc'><!ENTITY d '&b;&b;'>]><a>&d;</a>", 1, 1, "a document type is not supported"},
        {"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", 1, 1, "a document type is not supported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trxi_xml_node *root;
        ck_assert_msg(parse(cases[i].text, strlen(cases[i].text), &root) == TRX_ERR_INPUT, "%s was read", cases[i].text);
        trx_diagnostic found = trx_context_diagnostic(context, 0);
        ck_assert_msg(strstr(found.text, cases[i].says) == found.text, "%s: %s", cases[i].text, found.text);
        ck_assert_msg(found.source.line == cases[i].line && found.source.column == cases[i].column, "%s: at %d:%d",
                      cases[i].text, found.source.line, found.source.column);
    }
}
END_TEST

// n times `text`, then once `last`; to be freed
static char *repeated(const char *head, const char *text, int n, const char *tail)
{
    size_t unit = strlen(text), start = strlen(head);
    char *all = malloc(start + (size_t)n * unit + strlen(tail) + 1);
    memcpy(all, head, start);
    for (int i = 0; i < n; i++) memcpy(all + start + (size_t)i * unit, text, unit);
    strcpy(all + start + (size_t)n * unit, tail);
    return all;
}

// the text is read when `good`, else refused with `says` at line 1 and the column
static void check_limit(char *text, bool good, int column, const char *says)
{
    trxi_xml_node *root;
    ck_assert_int_eq(parse(text, strlen(text), &root), good ? TRX_OK : TRX_ERR_INPUT);
    trx_diagnostic found = trx_context_diagnostic(context, 0);
    if (!good) ck_assert_msg(strcmp(found.text, says) == 0, "%s", found.text);
    if (!good) ck_assert_int_eq(found.source.column, column);
    free(text);
}

START_TEST(depth_names_and_attributes_are_limited)
{
    for (int over = 0; over < 2; over++) {
        char *closed = repeated("", "</a>", TRXI_XML_MAX_DEPTH + over, "");
        check_limit(repeated("", "<a>", TRXI_XML_MAX_DEPTH + over, closed), !over, 3 * TRXI_XML_MAX_DEPTH + 1,
                    "more than 256 levels of nesting");
        free(closed);
        check_limit(repeated("<", "n", TRXI_XML_MAX_NAME + over, "/>"), !over, 1,
                    "an element's name of more than 200 bytes");
        check_limit(repeated("<a ", "n", TRXI_XML_MAX_NAME + over, "='1'/>"), !over, 1,
                    "an attribute's name of more than 200 bytes");
        check_limit(repeated("<a k='", "v", TRXI_XML_MAX_VALUE + over, "'/>"), !over, 1,
                    "an attribute of more than 16 MiB");
    }
    for (int over = 0; over < 2; over++) {
        char all[4096] = "<b/>";
        int used = 0;
        used += snprintf(all, sizeof all, "<a");
        for (int i = 0; i < TRXI_XML_MAX_ATTRIBUTES + over; i++)
            used += snprintf(all + used, sizeof all - (size_t)used, " k%d=''", i);
        snprintf(all + used, sizeof all - (size_t)used, "/>");
        check_limit(strdup(all), !over, 1, "an element with more than 256 attributes");
    }
}
END_TEST

START_TEST(size_and_number_of_elements_are_limited)
{
    // the root counts as an element too
    for (int over = 0; over < 2; over++)
        check_limit(repeated("<r>", "<a/>", TRXI_XML_MAX_ELEMENTS - 1 + over, "</r>"), !over,
                    4 + 4 * (TRXI_XML_MAX_ELEMENTS - 1), "more than 1048576 elements");
    trxi_xml_node *root;
    trx_context_clear(context);
    ck_assert_int_eq(trxi_xml_parse(context, pool, "a.xml", "<a/>", (size_t)TRXI_XML_MAX_SIZE + 1, &root),
                     TRX_ERR_INPUT);
    ck_assert_ptr_null(root);
    ck_assert_str_eq(trx_context_message(context), "a.xml:1:1: the text is larger than 64 MiB");
}
END_TEST

START_TEST(numbers_are_all_of_the_text_or_none)
{
    double x[4] = {9, 9, 9, 9};
    ck_assert_int_eq(trxi_xml_numbers(" 1 -2.5e-3\t\n.5 ", 4, x), 3);
    ck_assert(x[0] == 1 && x[1] == -2.5e-3 && x[2] == 0.5 && x[3] == 9);
    ck_assert_int_eq(trxi_xml_numbers("", 4, x), 0);
    ck_assert_int_eq(trxi_xml_numbers(" \n", 0, x), 0);
    ck_assert_int_eq(trxi_xml_numbers("1 2 3 4", 4, x), 4);
    static const char *const bad[] = {"1 2 3 4 5", "1,2", "1 nan", "inf", "0x10", "1e999", "1 2 three", "1e", "-"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(trxi_xml_numbers(bad[i], 4, x) == -1, "%s", bad[i]);
    char *long_number = repeated("1.", "0", 400, "");
    ck_assert_int_eq(trxi_xml_numbers(long_number, 4, x), -1);
    free(long_number);
}
END_TEST

static const char SAMPLE[] = "<?xml version='1.0'?>\n<robot name='r'>\n <!-- c --><link name='a'><inertial><mass value='1'/>"
                             "</inertial></link>\n<joint type='fixed'><parent link='a'/>text &amp; more</joint>\n</robot>\n";

START_TEST(damaged_text_never_does_more_than_fail)
{
    char text[sizeof SAMPLE];
    const uint32_t size = sizeof SAMPLE - 1;
    int failed = 0;
    for (uint64_t trial = 0; trial < 4000; trial++) {
        memcpy(text, SAMPLE, sizeof SAMPLE);
        damage(text, size, trial);
        size_t length = trial % 4 ? size : trxi_random_bits(trial, 9) % size;
        trxi_xml_node *root;
        failed += parse(text, length, &root) == TRX_ERR_INPUT;
    }
    ck_assert_int_gt(failed, 1000);
    ck_assert_int_lt(failed, 4000);
}
END_TEST

static trx_status parse_counted(trx_context *counted, trxi_pool *its_pool, const void *text)
{
    trxi_xml_node *root;
    trx_status status = trxi_xml_parse(counted, its_pool, "a.xml", text, strlen(text), &root);
    ck_assert((root != NULL) == (status == TRX_OK));
    return status;
}

START_TEST(whatever_allocation_fails_nothing_is_lost)
{
    // enough children and text that both stacks grow
    char *text = repeated("<r>", "<a>some words of text</a>", 600, "</r>");
    ck_assert_int_gt(fail_every_allocation(parse_counted, text), 5);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/xml");
    TCase *cases = tcase_create("xml");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, every_element_knows_its_parts_and_place);
    tcase_add_test(cases, harmless_faults_of_other_tools_are_mended_without_moving_a_place);
    tcase_add_test(cases, many_surplus_end_tags_take_no_time);
    tcase_add_test(cases, what_is_asked_for_is_marked_used);
    tcase_add_test(cases, encodings_become_utf8_and_a_byte_order_mark_belongs_to_no_line);
    tcase_add_test(cases, errors_have_their_place_and_words);
    tcase_add_test(cases, depth_names_and_attributes_are_limited);
    tcase_add_test(cases, size_and_number_of_elements_are_limited);
    tcase_add_test(cases, numbers_are_all_of_the_text_or_none);
    tcase_add_test(cases, damaged_text_never_does_more_than_fail);
    tcase_add_test(cases, whatever_allocation_fails_nothing_is_lost);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
