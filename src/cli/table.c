// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The iteration table: a head with the settings of each stage, then one row per iteration. The remaining time is an
// estimate: each stage ahead counts as many iterations as the finished stages had on average.

#include "cli.h"

#include <math.h>
#include <string.h>

enum { GUESSED_ITERATIONS = 15 };

cli_table cli_table_start(const cli_options *options, const trx_stage *stages, int nstage, trx_method method)
{
    return (cli_table){.options = options, .progress = cli_progress_start(options, false), .stages = stages,
                       .nstage = nstage, .stage = -1, .defects = method != TRX_ILQR};
}

// appends ", WORD"
static void describe_word(char *text, size_t size, const char *word)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, ", %s", word);
}

// appends ", NAME VALUE UNIT" when the stage sets the value
static void describe_value(char *text, size_t size, const char *name, double value, const char *unit)
{
    size_t used = strlen(text);
    if (isfinite(value)) snprintf(text + used, size - used, ", %s %.4g%s", name, value, unit);
}

static void describe(const trx_stage *stage, char *text, size_t size)
{
    if (stage->physical) {
        snprintf(text, size, "physical");
        return;
    }
    snprintf(text, size, "%s", stage->force_law < 0 ? "own law" : trx_force_law_name((trx_force_law)stage->force_law));
    if (stage->approximation >= 0) describe_word(text, size, trx_approximation_name((trx_approximation)stage->approximation));
    if (stage->contact_model >= 0) describe_word(text, size, trx_contact_model_name((trx_contact_model)stage->contact_model));
    describe_value(text, size, "smoothing", stage->smoothing, " m");
    describe_value(text, size, "stiffness", stage->stiffness, " N/m");
    describe_value(text, size, "dissipation", stage->dissipation, " s/m");
    describe_value(text, size, "relaxation", stage->relaxation_time, " s");
    describe_value(text, size, "friction", stage->friction, "");
    describe_value(text, size, "stiction", stage->stiction_tolerance, " m/s");
    describe_value(text, size, "kappa", stage->kappa, " J");
}

static void stage_head(const cli_table *table, int stage)
{
    char text[256] = "";
    if (stage < table->nstage) describe(&table->stages[stage], text, sizeof text);
    if (table->refined) printf("%sstage %d%s  physical\n", cli_style_text(CLI_BOLD), stage + 1, cli_style_text(CLI_PLAIN));
    else printf("%sstage %d of %d%s  %s\n", cli_style_text(CLI_BOLD), stage + 1, table->nstage, cli_style_text(CLI_PLAIN),
           text);
    printf("%s%5s %14s %11s %11s %11s %8s %9s%s %9s%s\n", cli_style_text(CLI_DIM), "iter", "cost", "change", "expected",
           "gradient", "step", "damping", table->defects ? "   defects" : "", "time", cli_style_text(CLI_PLAIN));
}

// estimated share of all iterations that is done
static double fraction_done(const cli_table *table)
{
    double per_stage = table->stage > 0 ? (double)table->finished / table->stage : GUESSED_ITERATIONS;
    double here = fmax(per_stage, 1.25 * table->in_stage + 1);
    double done = table->finished + table->in_stage;
    return done / (table->finished + here + per_stage * (table->nstage - 1 - table->stage));
}

void cli_table_row(cli_table *table, const trx_iteration *it)
{
    if (table->options->quiet || table->options->json) return;
    cli_progress_clear(&table->progress);
    if (it->attempt != table->attempt) {
        table->attempt = it->attempt;
        table->stage = -1;
        table->finished = 0;
        printf("%ssecond try%s  a contact that no stage smooths holds what the cost wants moved: now every stage changes every "
               "pair\n", cli_style_text(CLI_YELLOW), cli_style_text(CLI_PLAIN));
    }
    if (it->stage != table->stage) {
        table->finished += table->in_stage;
        table->stage = it->stage;
        stage_head(table, it->stage);
    }
    table->in_stage = it->iteration;

    // the first row evaluates the start and has no step; a rejected step is highlighted
    bool first = it->iteration == 0, rejected = !first && !(it->step > 0);
    char cells[7][CLI_NUMBER], number[CLI_NUMBER], defects[CLI_NUMBER + 2] = "";
    cli_number(cells[0], 9, it->cost);
    cli_number(cells[1], 4, first ? NAN : it->change);
    cli_number(cells[2], 4, first ? NAN : it->expected);
    cli_number(cells[3], 4, first ? NAN : it->gradient);
    cli_number(cells[4], 3, first ? NAN : it->step);
    cli_number(cells[5], 2, it->regularization);
    snprintf(cells[6], CLI_NUMBER, "%.3f", it->seconds);
    cli_number(number, 2, it->defect);
    if (table->defects) snprintf(defects, sizeof defects, " %9s", number);
    printf("%s%5d %14s %11s %11s %11s %8s %9s%s %7s s%s\n", cli_style_text(rejected ? CLI_YELLOW : CLI_PLAIN), it->iteration,
           cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], defects, cells[6], cli_style_text(CLI_PLAIN));

    char what[48];
    snprintf(what, sizeof what, "stage %d of %d", it->stage + 1, table->nstage);
    cli_progress_show(&table->progress, fraction_done(table), what);
}

void cli_table_finish(cli_table *table)
{
    cli_progress_clear(&table->progress);
}
