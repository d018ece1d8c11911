// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A bar with the time left, on a terminal only. It appears after half a second and is drawn ten times a second at
// most; the time left follows from the fraction done and the time it took.

#include "cli.h"

#include <math.h>
#include <unistd.h>

static const double FIRST = 0.5, EVERY = 0.1; // [s]

cli_progress cli_progress_start(const cli_options *options)
{
    bool enabled = !options->quiet && !options->json && isatty(STDOUT_FILENO);
    double now = trx_clock();
    return (cli_progress){.enabled = enabled, .begun = now, .drawn = now};
}

void cli_progress_clear(cli_progress *progress)
{
    if (!progress->shown) return;
    fputs("\r\033[K", stdout);
    progress->shown = false;
}

void cli_progress_show(cli_progress *progress, double fraction, const char *what)
{
    double now = trx_clock(), taken = now - progress->begun;
    if (!progress->enabled || taken < FIRST || now - progress->drawn < EVERY) return;
    if (!(fraction > 0)) return;
    fraction = fmin(fraction, 1);
    progress->drawn = now;

    enum { WIDTH = 24 };
    char bar[WIDTH + 1], left[CLI_NUMBER];
    int full = (int)(fraction * WIDTH);
    for (int i = 0; i < WIDTH; i++) bar[i] = i < full ? '=' : i == full ? '>' : ' ';
    bar[WIDTH] = '\0';
    double remaining = taken * (1 - fraction) / fraction;
    snprintf(left, sizeof left, remaining < 10 ? "%.1f s" : "%.0f s", remaining);
    printf("\r\033[K%s[%s]%s %3.0f %%  %s  about %s left", cli_style_text(CLI_CYAN), bar, cli_style_text(CLI_PLAIN),
           100 * fraction, what, left);
    fflush(stdout);
    progress->shown = true;
}
