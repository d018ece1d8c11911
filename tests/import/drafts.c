// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See drafts.h.

#include "drafts.h"

fixture begin(const char *prefix, trx_repair_inertia repair)
{
    fixture f = {0};
    trx_import_options options = trx_import_options_default();
    options.prefix = prefix;
    options.repair = repair;
    ck_assert_int_eq(trx_context_create(NULL, &f.context), TRX_OK);
    f.pool = trxi_pool_create(f.context);
    f.draft = trxi_draft_create(f.context, f.pool, "folder/robot.urdf", &options);
    ck_assert(f.draft != NULL);
    return f;
}

void end(fixture *f)
{
    trxi_pool_destroy(f->pool);
    trx_context_destroy(f->context);
}

trx_source at(int line)
{
    return (trx_source){"folder/robot.urdf", line, 1};
}
