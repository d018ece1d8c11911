// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// JSON on stdout: strings with escapes (bytes that are not UTF-8 become U+FFFD), numbers (inf and nan become null), and whole
// files.

#include "cli.h"

#include <math.h>

void cli_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        const unsigned char c = (unsigned char)*text;
        const int length = trx_utf8_length(text);
        if (length == 0) fputs("\xEF\xBF\xBD", out);
        else if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c < 0x20) fprintf(out, "\\u%04x", c);
        else fwrite(text, 1, (size_t)length, out);
        text += length > 0 ? length : 1;
    }
    fputc('"', out);
}

void cli_json_number(FILE *out, double number)
{
    if (isfinite(number)) fprintf(out, "%.9g", number);
    else fputs("null", out);
}

void cli_json_file(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    FILE *file = fopen(path, "r");
    for (int c; file && (c = getc(file)) != EOF;) putchar(c);
    if (file) fclose(file);
}
