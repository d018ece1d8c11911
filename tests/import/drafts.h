// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of the tests of drafts: an empty draft of "folder/robot.urdf" and places in that file.

#ifndef TESTS_IMPORT_DRAFTS_H
#define TESTS_IMPORT_DRAFTS_H

#include "import/draft_state.h"
#include "support/support.h"

typedef struct fixture {
    trx_context *context;
    trxi_pool *pool;
    trxi_draft *draft;
    trx_import_result result;
} fixture;

/// With the default options but for these two.
fixture begin(const char *prefix, trx_repair_inertia repair);
void end(fixture *f);

trx_source at(int line);

#endif
