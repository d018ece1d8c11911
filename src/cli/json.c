// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Two kinds of JSON values: strings with escapes, and numbers, where inf and nan become null.

#include "cli.h"

#include <math.h>

void cli_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c < 0x20) fprintf(out, "\\u%04x", c);
        else fputc(c, out);
    }
    fputc('"', out);
}

void cli_json_number(FILE *out, double number)
{
    if (isfinite(number)) fprintf(out, "%.9g", number);
    else fputs("null", out);
}
