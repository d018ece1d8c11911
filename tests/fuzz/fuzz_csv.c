// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Any text as a table.

#include "formats/csv.h"

#include "fuzz.h"

#include <string.h>

static void check_table(const trxi_csv *csv)
{
    FUZZ_CHECK(csv->rows >= 0 && csv->cols >= 1);
    for (int i = 0; i < csv->cols; i++) {
        FUZZ_CHECK(csv->names[i] && csv->names[i][0]);
        FUZZ_CHECK(trxi_csv_find(csv, csv->names[i]) == i);
    }
    for (int row = 0; row < csv->rows; row++) {
        FUZZ_CHECK(csv->lines[row] > (row ? csv->lines[row - 1] : 1));
        FUZZ_CHECK(trxi_csv_source(csv, row, csv->cols - 1).line == csv->lines[row]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    trx_context *context = fuzz_context();
    trxi_pool *pool = trxi_pool_create(context);
    trxi_csv csv;
    trx_status status = trxi_csv_parse(context, pool, "a.csv", (const char *)data, size, &csv);
    FUZZ_CHECK(status == TRX_OK || status == TRX_ERR_INPUT);
    FUZZ_CHECK((status == TRX_OK) == (trx_context_error_count(context) == 0));
    if (status == TRX_OK) check_table(&csv);
    trxi_pool_destroy(pool);
    return 0;
}
