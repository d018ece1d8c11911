// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Text for people: findings with their places, numbers with units, colours on a terminal.

#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ERRORS = 20 };

static bool color_out, color_err; // whether stdout and stderr have colours, set once

void cli_message_setup(bool no_color)
{
    const char *term = getenv("TERM"), *off = getenv("NO_COLOR");
    bool wanted = !no_color && !(off && *off) && term && strcmp(term, "dumb") != 0;
    color_out = wanted && isatty(STDOUT_FILENO);
    color_err = wanted && isatty(STDERR_FILENO);
}

const char *cli_style_text(cli_style style)
{
    static const char *const codes[] = {"\033[0m",  "\033[1m",  "\033[2m", "\033[31m",
                                        "\033[32m", "\033[33m", "\033[36m"};
    return color_out ? codes[style] : "";
}

// "error:", "warning:" or "note:" in its colour
static const char *label(trx_severity severity)
{
    static const char *const plain[] = {"error:", "warning:", "note:"};
    static const char *const colored[] = {"\033[1;31merror:\033[0m", "\033[1;33mwarning:\033[0m",
                                          "\033[1;36mnote:\033[0m"};
    return color_err ? colored[severity] : plain[severity];
}

const char *cli_shown(char *buffer, const char *text)
{
    size_t length = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c && length + 5 < CLI_TEXT; c++) {
        const bool c1 = c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0;
        const bool control = (*c < 0x20 && *c != '\t') || *c == 0x7F || c1;
        if (control) length += (size_t)snprintf(buffer + length, 5, "\\x%02x", c1 ? *++c : *c);
        else buffer[length++] = (char)*c;
    }
    buffer[length] = '\0';
    return buffer;
}

static void say(trx_severity severity, const char *format, va_list args)
{
    char text[CLI_TEXT], shown[CLI_TEXT];
    vsnprintf(text, sizeof text, format, args);
    fprintf(stderr, "tractrix: %s %s\n", label(severity), cli_shown(shown, text));
}

void cli_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(TRX_ERROR, format, args);
    va_end(args);
}

void cli_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(TRX_NOTE, format, args);
    va_end(args);
}

static void print_finding(const trx_diagnostic *finding)
{
    const trx_source *source = &finding->source;
    if (source->file && source->line > 0)
        fprintf(stderr, "%s:%d:%d: ", source->file, source->line, source->column);
    else fprintf(stderr, "%s: ", source->file ? source->file : "tractrix");
    fprintf(stderr, "%s %s\n", label(finding->severity), finding->text);
}

void cli_print_findings(const trx_context *context, trx_status status, bool all)
{
    int errors = 0;
    for (int i = 0; i < trx_context_diagnostic_count(context); i++) {
        trx_diagnostic finding = trx_context_diagnostic(context, i);
        if (finding.severity == TRX_ERROR && ++errors > MAX_ERRORS) continue;
        if (finding.severity == TRX_ERROR || all) print_finding(&finding);
    }
    int total = trx_context_error_count(context);
    if (total > MAX_ERRORS) cli_note("%d more errors", total - MAX_ERRORS);
    if (status >= 0 || errors > 0) return;
    const char *message = trx_context_message(context);
    cli_error("%s", *message ? message : trx_status_text(status));
}

int cli_exit_code(trx_status status)
{
    switch (status) {
    case TRX_ERR_ARGUMENT:
    case TRX_ERR_UNSUPPORTED:
        return CLI_USAGE;
    case TRX_ERR_INPUT:
        return CLI_INPUT;
    case TRX_ERR_IO:
    case TRX_ERR_MEMORY:
        return CLI_IO;
    case TRX_INTERRUPTED:
        return CLI_INTERRUPTED;
    default:
        return status < 0 ? CLI_MISSED : CLI_OK;
    }
}

// returns whether all errors are in values of --set
static bool only_overrides(const trx_context *context)
{
    int errors = 0;
    for (int i = 0; i < trx_context_diagnostic_count(context); i++) {
        trx_diagnostic finding = trx_context_diagnostic(context, i);
        if (finding.severity != TRX_ERROR) continue;
        if (!finding.source.file || strncmp(finding.source.file, "--set ", 6)) return false;
        errors++;
    }
    return errors > 0;
}

int cli_failure_code(const trx_context *context, trx_status status)
{
    return status == TRX_ERR_INPUT && only_overrides(context) ? CLI_USAGE : cli_exit_code(status);
}

int cli_fail(const trx_context *context, trx_status status)
{
    cli_print_findings(context, status, false);
    return cli_failure_code(context, status);
}

const char *cli_number(char *buffer, int digits, double number)
{
    if (isfinite(number)) snprintf(buffer, CLI_NUMBER, "%.*g", digits, number);
    else snprintf(buffer, CLI_NUMBER, "-");
    return buffer;
}

// prints three digits of `number` in the unit that brings it between 1 and 1000
static const char *scaled(char *buffer, double number, const char *const *units, int count)
{
    int unit = 0;
    double value = fabs(number);
    while (unit < count - 1 && value < 0.9995 && value > 0) { // 0.9995 is shown as 1
        value *= 1000;
        number *= 1000;
        unit++;
    }
    if (!isfinite(number)) snprintf(buffer, CLI_NUMBER, "-");
    else snprintf(buffer, CLI_NUMBER, "%.3g %s", number, number == 0 ? units[0] : units[unit]);
    return buffer;
}

const char *cli_length(char *buffer, double metres)
{
    static const char *const units[] = {"m", "mm", "um", "nm"};
    static const double rounding = 1e-12; // shorter lengths are shown as 0 [m]
    return scaled(buffer, fabs(metres) < rounding ? 0 : metres, units, 4);
}

const char *cli_seconds(char *buffer, double seconds)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    return scaled(buffer, seconds, units, 4);
}
