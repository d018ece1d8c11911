// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers with units: their values in SI units, and texts that are no numbers with units.

#include "problem/units.h"

#include "support/support.h"

#include <string.h>

START_TEST(common_units_have_their_value_in_si)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"5 cm", 0.05},      {"5cm", 0.05},        {"-2.5 mm", -0.0025}, {"1e3um", 1e-3},   {"3 km", 3000},
        {"1in", 0.0254},     {"2 ft", 0.6096},     {"7 kg", 7},          {"250 g", 0.25},   {"1 lb", 0.45359237},
        {"4 ms", 0.004},     {"1.5 min", 90},      {"2h", 7200},         {"180 deg", 3.14159265358979323846},
        {"1 rad", 1},        {"90\302\260", 1.57079632679489661923},     {"50 %", 0.5},     {"2 kN", 2000},
        {"3 N m", 3},        {"3 N*m", 3},         {"8 N/mm", 8000},     {"100 cm/s", 1},
        {"60 deg/s", 1.0471975511965976},
        {"9.81 m/s^2", 9.81}, {"1 g/cm^3", 1000},  {"1E-2   m", 0.01},   {"+.5 s", 0.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = NAN;
        const char *unit;
        ck_assert_msg(trxi_unit_parse(cases[i].text, &value, &unit), "%s", cases[i].text);
        assert_close(value, cases[i].value, 1e-15 * fabs(cases[i].value));
    }
}
END_TEST

START_TEST(what_follows_a_number_is_told_what_does_not_is_null)
{
    static const struct {
        const char *text, *unit;
    } cases[] = {
        {"5 parsec", "parsec"}, {"5 M", "M"}, {"3", ""}, {"1e4e", "e"}, {"2-3", "-3"}, {"1.2.3", ".3"},
        {"7 cm cm", "cm cm"},
        {"cm", NULL}, {"", NULL}, {"- 5 cm", NULL}, {".e", NULL}, {"five cm", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value;
        const char *unit;
        ck_assert_msg(!trxi_unit_parse(cases[i].text, &value, &unit), "%s", cases[i].text);
        ck_assert_msg((unit == NULL) == (cases[i].unit == NULL), "%s", cases[i].text);
        if (unit) ck_assert_str_eq(unit, cases[i].unit);
    }
}
END_TEST

START_TEST(a_number_longer_than_any_is_none)
{
    char text[128];
    double value;
    const char *unit;
    memset(text, '1', 70);
    strcpy(text + 70, " cm");
    ck_assert(!trxi_unit_parse(text, &value, &unit));
    ck_assert_ptr_null(unit);
    memset(text, '0', 60);
    strcpy(text + 60, "5 cm");
    ck_assert(trxi_unit_parse(text, &value, &unit));
    assert_close(value, 0.05, 1e-16);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/units");
    TCase *cases = tcase_create("units");
    tcase_add_test(cases, common_units_have_their_value_in_si);
    tcase_add_test(cases, what_follows_a_number_is_told_what_does_not_is_null);
    tcase_add_test(cases, a_number_longer_than_any_is_none);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
