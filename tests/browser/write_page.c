// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Writes the sample run's player.
//
//     write_page OUT.html KNOTS DURATION [SCRIPTS]

#include "report/player.h"
#include "report/player_sample.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc < 4) return EXIT_FAILURE;
    trx_context *context;
    if (trx_context_create(NULL, &context) < 0) return EXIT_FAILURE;
    player_sample sample = player_sample_create(context, atoi(argv[2]), strtod(argv[3], NULL));
    trxi_player_data data = {
        .title = "Push a box <15 cm> across a table",
        .scene_json = trxi_text_get(&sample.scene),
        .trajectory_csv = trxi_text_get(&sample.trajectory),
        .contacts_csv = trxi_text_get(&sample.contacts),
        .summary_json = trxi_text_get(&sample.summary),
        .scripts = argc > 4 ? argv[4] : NULL,
    };
    trxi_text page = trxi_text_create(context);
    bool ok = trxi_player_write(context, &data, &page) == TRX_OK;
    FILE *file = ok ? fopen(argv[1], "wb") : NULL;
    ok = file && fwrite(trxi_text_get(&page), 1, page.length, file) == page.length;
    if (file && fclose(file) != 0) ok = false;
    trxi_text_destroy(&page);
    player_sample_destroy(&sample);
    trx_context_destroy(context);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
