// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A variant of a comparison, and the variants that are simulations (compare_models.c).

#ifndef TRACTRIX_CLI_COMPARE_H
#define TRACTRIX_CLI_COMPARE_H

#include "cli.h"

enum { CLI_VARIANT_NAME = 512 };

typedef struct cli_variant {
    cli_session session;
    trx_run *run; // NULL: the variant failed for the reason in `message`
    trx_gradient_check gradients;
    bool checked; // `gradients` is filled
    char name[CLI_VARIANT_NAME], folder[16], message[CLI_VARIANT_NAME];
    int code;
} cli_variant;

/// Translates the value of --models into a value of --over: "convex,lcp" into "contact.model=convex,lcp", "all" into the list of
/// all models. The caller frees the text; NULL when memory is out.
char *cli_compare_models(const char *models);

/// Simulates the variant's problem, writes the run folder `path` and checks derivatives at its knots.
trx_status cli_compare_simulate(const cli_options *options, cli_variant *variant, const char *path);

/// Print the table on the terminal: its head, and the row of a variant with a run. Motions are compared with the variant `first`.
void cli_compare_simulated_head(int width);
void cli_compare_simulated_row(int width, const cli_variant *variant, const cli_variant *first);

#endif
