// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Notes of a draft: sums of equal cases, order of places, and everything that no one used.

#include "drafts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(const fixture *f, int index)
{
    ck_assert_int_lt(index, f->result.nnote);
    return f->result.notes[index].text;
}

START_TEST(equal_cases_are_summed_at_the_place_of_the_first)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    for (int i = 0; i < 12; i++)
        trxi_draft_tally(f.draft, TRX_NOTE_ASSUMED, at(5 + i), "friction of ", "geometry", "geometries", " is assumed");
    trxi_draft_tally(f.draft, TRX_NOTE_DROPPED, at(2), "friction of ", "geometry", "geometries", " is assumed");
    trxi_draft_tally(f.draft, TRX_NOTE_ASSUMED, at(30), "friction of ", "geometry", "geometries", " is not");
    ck_assert_int_eq(trxi_draft_finish(f.draft, &f.result), TRX_OK);
    ck_assert_int_eq(f.result.nnote, 3);
    ck_assert_str_eq(text_of(&f, 0), "friction of 1 geometry is assumed");
    ck_assert_int_eq(f.result.notes[0].kind, TRX_NOTE_DROPPED);
    ck_assert_str_eq(text_of(&f, 1), "friction of 12 geometries is assumed");
    ck_assert_int_eq(f.result.notes[1].source.line, 5);
    ck_assert_str_eq(text_of(&f, 2), "friction of 1 geometry is not");
    end(&f);
}
END_TEST

START_TEST(notes_stand_in_the_order_of_their_places_the_robots_own_file_first)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    trxi_draft_note(f.draft, TRX_NOTE_ASSUMED, (trx_source){"b.xml", 1, 1}, "fifth");
    trxi_draft_note(f.draft, TRX_NOTE_ASSUMED, (trx_source){"a.xml", 9, 1}, "fourth");
    trxi_draft_note(f.draft, TRX_NOTE_ASSUMED, at(20), "third");
    trxi_draft_note(f.draft, TRX_NOTE_ASSUMED, (trx_source){"folder/robot.urdf", 7, 9}, "second");
    trxi_draft_note(f.draft, TRX_NOTE_ASSUMED, at(7), "%s", "first");
    ck_assert_int_eq(trxi_draft_finish(f.draft, &f.result), TRX_OK);
    static const char *const order[] = {"first", "second", "third", "fourth", "fifth"};
    for (int i = 0; i < 5; i++) ck_assert_str_eq(text_of(&f, i), order[i]);
    end(&f);
}
END_TEST

START_TEST(what_no_one_used_is_noted_and_nothing_below_it)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    static const char text[] = "<robot name=\"r\" xmlns:x=\"y\" colour=\"red\">\n<link name=\"a\" "
                               "size=\"3\"><plugin><deep/></plugin></link>\n"
                               "<link name=\"b\" size=\"4\"/>\n<plugin/></robot>";
    trxi_xml_node *root;
    ck_assert_int_eq(trxi_xml_parse(f.context, f.pool, "folder/robot.urdf", text, strlen(text), &root), TRX_OK);
    root->used = true;
    trxi_xml_get(root, "name");
    for (int i = 0; i < 2; i++) {
        root->items[i]->used = true;
        trxi_xml_get(root->items[i], "name");
    }
    trxi_draft_note_unused(f.draft, root);
    ck_assert_int_eq(trxi_draft_finish(f.draft, &f.result), TRX_OK);
    ck_assert_int_eq(f.result.nnote, 4);
    ck_assert_str_eq(text_of(&f, 0), "1 attribute colour of <robot>: not served, left out");
    ck_assert_str_eq(text_of(&f, 1), "2 attributes size of <link>: not served, left out");
    ck_assert_str_eq(text_of(&f, 2), "1 element <plugin> in <link>: not served, left out");
    ck_assert_str_eq(text_of(&f, 3), "1 element <plugin> in <robot>: not served, left out");
    ck_assert_int_eq(f.result.notes[2].source.line, 2);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(f.result.notes[i].kind, TRX_NOTE_DROPPED);
    end(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/draft_notes");
    TCase *tests = tcase_create("draft_notes");
    tcase_add_test(tests, equal_cases_are_summed_at_the_place_of_the_first);
    tcase_add_test(tests, notes_stand_in_the_order_of_their_places_the_robots_own_file_first);
    tcase_add_test(tests, what_no_one_used_is_noted_and_nothing_below_it);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
