// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The progress display. A terminal shows a bar with the remaining time. The bar appears after half a second and is drawn at
// most ten times per second. The remaining time is estimated from the fraction done and the elapsed time. If requested, a
// pipe gets plain lines: the first after two seconds, then one whenever the elapsed time has doubled, at least one per minute.

#include "cli.h"

#include <math.h>
#include <unistd.h>

static const double FIRST = 0.5, EVERY = 0.1;           // [s]
static const double FIRST_LINE = 2, LONGEST_SILENCE = 60; // [s]

cli_progress cli_progress_start(const cli_options *options, bool lines)
{
    bool wanted = !options->quiet && !options->json, terminal = isatty(STDOUT_FILENO);
    double now = trx_clock();
    return (cli_progress){
        .enabled = wanted && (terminal || lines), .lines = !terminal, .begun = now, .drawn = now};
}

bool cli_progress_due(const cli_progress *progress)
{
    if (!progress->enabled) return false;
    double now = trx_clock(), taken = now - progress->begun, since = now - progress->drawn;
    if (!progress->lines) return taken >= FIRST && since >= EVERY;
    return taken >= FIRST_LINE && (2 * since >= taken || since >= LONGEST_SILENCE);
}

void cli_progress_clear(cli_progress *progress)
{
    if (!progress->shown) return;
    fputs("\r\033[K", stdout);
    progress->shown = false;
}

static void draw_bar(double fraction)
{
    enum { WIDTH = 24 };
    char bar[WIDTH + 1];
    const int full = (int)(fraction * WIDTH);
    for (int i = 0; i < WIDTH; i++) bar[i] = i < full ? '=' : i == full ? '>' : ' ';
    bar[WIDTH] = '\0';
    printf("%s[%s]%s %3.0f %%  ", cli_style_text(CLI_CYAN), bar, cli_style_text(CLI_PLAIN), 100 * fraction);
}

void cli_progress_show(cli_progress *progress, double fraction, const char *what)
{
    if (!cli_progress_due(progress) || fraction <= 0) return;
    const double now = trx_clock(), taken = now - progress->begun;
    const bool known = !isnan(fraction);
    fraction = fmin(fraction, 1);
    progress->drawn = now;

    char time[CLI_NUMBER], share[CLI_NUMBER] = "";
    const double seconds = known ? taken * (1 - fraction) / fraction : taken;
    snprintf(time, sizeof time, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
    if (progress->lines) {
        if (known) snprintf(share, sizeof share, " %.0f %%,", 100 * fraction);
        printf(known ? "%s,%s about %s left\n" : "%s,%s %s so far\n", what, share, time);
    } else {
        printf("\r\033[K");
        if (known) draw_bar(fraction);
        printf(known ? "%s  about %s left" : "%s  %s so far", what, time);
        progress->shown = true;
    }
    fflush(stdout);
}
