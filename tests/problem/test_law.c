// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The contact law as the file writes it: which approximation takes which law, which law takes which number, and at
// which of two keys the error stands.

#include "loading.h"

#include "problem/law.h"

#include <string.h>

typedef struct place {
    trxi_law_entry law;
} place;

static const trxi_field fields[] = {TRXI_LAW_FIELDS(place), TRXI_LAW_NUMBER_FIELDS(place)};

// the law of a place with this text and an inherited law
static trxi_law_entry check(desk *d, const char *text, trxi_law_entry inherited)
{
    *d = desk_open(text);
    place p = {.law = trxi_law_nothing()};
    ck_assert(TRXI_READ_RECORD(&d->reader, d->root, "a law", fields, &p));
    trxi_law_check(&d->reader, d->root, &inherited, TRXI_FOR_PLAN, &p.law);
    return p.law;
}

// lagged hunt_crossley, or sap kelvin_voigt
static trxi_law_entry inherited_law(bool sap)
{
    trxi_law_entry law = trxi_law_nothing();
    law.approximation = sap ? TRX_SAP : TRX_LAGGED;
    law.force_law = sap ? 2 : 0;
    return law;
}

START_TEST(words_are_laws)
{
    static const int numbers[TRXI_FORCE_LAW_WORDS] = {TRX_HUNT_CROSSLEY, TRX_HERTZ, TRX_KELVIN_VOIGT,
                                                            TRX_SMOOTHED, TRX_LOG_BARRIER, TRX_IPC};
    for (int i = 0; i < TRXI_FORCE_LAW_WORDS; i++) {
        ck_assert_int_eq(trxi_law_number(i), numbers[i]);
        ck_assert_str_eq(trx_force_law_name((trx_force_law)numbers[i]), trxi_force_law_words[i]);
    }
    ck_assert_int_eq(trxi_law_number(-1), -1);
    for (int i = 0; i < TRXI_APPROXIMATION_WORDS; i++)
        ck_assert_str_eq(trx_approximation_name((trx_approximation)i), trxi_approximation_words[i]);
}
END_TEST

START_TEST(sap_without_a_law_is_kelvin_voigt)
{
    desk d;
    trxi_law_entry law = check(&d, "approximation: sap\n", inherited_law(false));
    ck_assert(law.approximation == TRX_SAP && law.force_law >= 0);
    ck_assert_int_eq(trxi_law_number(law.force_law), TRX_KELVIN_VOIGT);
    ck_assert(trxi_reader_ok(&d.reader));
    desk_close(&d);

    // other approximations leave the law to be inherited
    law = check(&d, "approximation: similar\n", inherited_law(false));
    ck_assert_int_eq(law.force_law, -1);
    desk_close(&d);
}
END_TEST

START_TEST(numbers_that_serve_their_law_are_taken)
{
    static const struct {
        const char *text;
        bool sap;
    } cases[] = {
        {"{dissipation: 3, stiffness: 10, friction: 0}", false},
        {"{force_law: smoothed, smoothing: 0.001, dissipation: 1}", false},
        {"{force_law: kelvin_voigt, relaxation_time: 0.1}", false},
        {"{relaxation_time: 0.1}", true},
        {"{smoothing: 0}", false},
        {"{approximation: lagged, force_law: hunt_crossley, dissipation: 1}", true},
        {"{}", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        desk d;
        check(&d, cases[i].text, inherited_law(cases[i].sap));
        assert_errors(&d, NULL, 0);
        ck_assert_ptr_null(d.reader.unsupported[TRXI_FOR_PLAN]);
        desk_close(&d);
    }
}
END_TEST

START_TEST(what_does_not_go_together_is_said_at_the_second_key)
{
    static const struct {
        const char *text, *words;
        bool sap;
        int column;
    } cases[] = {
        {"{force_law: hunt_crossley, approximation: sap}", "sap takes only kelvin_voigt, not hunt_crossley", false, 28},
        {"{approximation: sap, force_law: smoothed}", "sap takes only kelvin_voigt, not smoothed", false, 22},
        {"{force_law: hunt_crossley}", "sap takes only kelvin_voigt", true, 2},
        {"{relaxation_time: 1, force_law: smoothed, smoothing: 1}",
         "relaxation_time does not serve smoothed: write dissipation", false, 22},
        {"{force_law: kelvin_voigt, dissipation: 1}",
         "dissipation does not serve kelvin_voigt: write relaxation_time", false, 27},
        {"{dissipation: 1}", "dissipation does not serve kelvin_voigt, the law of sap: write relaxation_time", true, 2},
        {"{smoothing: 0.1}", "smoothing does not serve hunt_crossley", false, 2},
        {"{friction: 1, force_law: smoothed}", "smoothed needs a smoothing length", false, 15},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        desk d;
        check(&d, cases[i].text, inherited_law(cases[i].sap));
        assert_errors(&d, &cases[i].words, 1);
        int column = trx_context_diagnostic(d.context, 0).source.column;
        ck_assert_msg(column == cases[i].column, "%s: column %d", cases[i].text, column);
        desk_close(&d);
    }
}
END_TEST

START_TEST(an_inherited_smoothing_serves)
{
    desk d;
    trxi_law_entry inherited = inherited_law(false);
    inherited.smoothing = 0.002;
    check(&d, "{force_law: smoothed}", inherited);
    assert_errors(&d, NULL, 0);
    desk_close(&d);
}
END_TEST

START_TEST(stages_with_barriers_are_noted_as_not_served)
{
    desk d;
    check(&d, "friction: 1\nforce_law: ipc\n", inherited_law(false));
    assert_errors(&d, NULL, 0);
    ck_assert_ptr_nonnull(d.reader.unsupported[TRXI_FOR_PLAN]);
    ck_assert_ptr_nonnull(strstr(d.reader.unsupported[TRXI_FOR_PLAN], "force_law"));
    ck_assert_ptr_nonnull(strstr(d.reader.unsupported[TRXI_FOR_PLAN], "ipc"));
    ck_assert_ptr_null(d.reader.unsupported[TRXI_FOR_MODEL]);
    desk_close(&d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/law");
    TCase *cases = tcase_create("law");
    tcase_add_test(cases, words_are_laws);
    tcase_add_test(cases, sap_without_a_law_is_kelvin_voigt);
    tcase_add_test(cases, numbers_that_serve_their_law_are_taken);
    tcase_add_test(cases, what_does_not_go_together_is_said_at_the_second_key);
    tcase_add_test(cases, an_inherited_smoothing_serves);
    tcase_add_test(cases, stages_with_barriers_are_noted_as_not_served);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
