// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A table of units and their SI values; see units.h.

#include "problem/units.h"

#include "formats/scalar.h"

#include <string.h>

static const struct {
    const char *name;
    double value;
} units[] = {
    {"m", 1},       {"cm", 1e-2},  {"mm", 1e-3},   {"um", 1e-6},  {"km", 1e3},     {"in", 0.0254},
    {"inch", 0.0254}, {"ft", 0.3048}, {"kg", 1},   {"g", 1e-3},   {"mg", 1e-6},    {"lb", 0.45359237},
    {"s", 1},       {"sec", 1},    {"ms", 1e-3},   {"us", 1e-6},  {"min", 60},     {"h", 3600},
    {"rad", 1},     {"deg", 0.017453292519943295}, {"degrees", 0.017453292519943295},
    {"\302\260", 0.017453292519943295},            {"%", 1e-2},   {"Hz", 1},       {"kHz", 1e3},
    {"N", 1},       {"kN", 1e3},   {"mN", 1e-3},   {"Nm", 1},     {"N m", 1},      {"N*m", 1},
    {"N/m", 1},     {"kN/m", 1e3}, {"N/mm", 1e3},  {"m/s", 1},    {"cm/s", 1e-2},  {"mm/s", 1e-3},
    {"rad/s", 1},   {"deg/s", 0.017453292519943295}, {"m/s^2", 1}, {"m/s2", 1},    {"s/m", 1},
    {"kg/m^3", 1},  {"kg/m3", 1},  {"g/cm^3", 1e3}, {"kg m^2", 1}, {"kg*m^2", 1},
};

bool trxi_unit_parse(const char *text, double *value, const char **unit)
{
    char number[64];
    *unit = NULL;

    // the longest prefix that is a number ("1e4" before "1")
    size_t length = strspn(text, "0123456789+-.eE");
    if (length >= sizeof number) return false;
    for (; length > 0; length--) {
        memcpy(number, text, length);
        number[length] = '\0';
        if (trxi_number_parse(number, value)) break;
    }
    if (length == 0) return false;

    *unit = text + length + strspn(text + length, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(*unit, units[i].name) != 0) continue;
        *value *= units[i].value;
        return true;
    }
    return false;
}
