// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See fuzz.h.

#include "fuzz.h"

#include "geometry/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/import.h>

static trx_context *context; // of all runs: it is large

trx_context *fuzz_context(void)
{
    if (!context && trx_context_create(NULL, &context) != TRX_OK) fuzz_fail("a context", __FILE__, __LINE__);
    trx_context_clear(context);
    return context;
}

void fuzz_finish(void)
{
    trx_context_destroy(context);
    context = NULL;
}

_Noreturn void fuzz_fail(const char *claim, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, claim);
    abort();
}

void fuzz_check_mesh(trx_status status, const trx_mesh *mesh)
{
    FUZZ_CHECK(status == TRX_OK || status == TRX_ERR_INPUT);
    FUZZ_CHECK((status == TRX_ERR_INPUT) == (trx_context_error_count(context) > 0));
    FUZZ_CHECK((status == TRX_OK) == (mesh->ntriangle > 0));
    if (status != TRX_OK) return;
    FUZZ_CHECK(trxi_mesh_defect(mesh) == NULL);
    trxi_mesh_integrals sums;
    trxi_mesh_integrate(mesh, &sums);
    FUZZ_CHECK(isfinite(sums.volume));
    for (int i = 0; i < 3; i++) FUZZ_CHECK(sums.box_lower[i] <= sums.box_upper[i]);
}

bool fuzz_names_device(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 5 <= size; i++)
        if (memcmp(data + i, "/dev/", 5) == 0 || memcmp(data + i, "/proc", 5) == 0) return true;
    return false;
}

static void check_definitions(const trx_import_result *result)
{
    for (int i = 0; i < result->def.nbody; i++) {
        const trx_body_def *body = &result->def.bodies[i];
        FUZZ_CHECK(body->name && body->name[0] && body->parent < i);
    }
    for (int i = 0; i < result->nnote; i++) FUZZ_CHECK(result->notes[i].text && result->notes[i].text[0]);
    for (int i = 0; i < result->nq; i++) FUZZ_CHECK(isfinite(result->q0[i]));
    for (int i = 0; i < result->nkeyframe; i++) FUZZ_CHECK(result->keyframes[i].name && result->keyframes[i].q);

    trx_model *model;
    trx_status status = trx_model_create(context, &result->def, &model);
    FUZZ_CHECK((status == TRX_OK) == (model != NULL));
    FUZZ_CHECK(status != TRX_ERR_MEMORY && status != TRX_ERR_IO);
    trx_model_destroy(model);
}

void fuzz_import(const char *path, const uint8_t *data, size_t size)
{
    if (fuzz_names_device(data, size)) return;
    fuzz_context();
    trx_import_options options = trx_import_options_default();
    options.repair = (trx_repair_inertia)(size % 4);
    options.base = (trx_base)(size / 4 % 4);
    trx_import *import;
    trx_status status = trx_import_load_text(context, path, (const char *)data, size, &options, &import);
    FUZZ_CHECK(status == TRX_OK || status == TRX_ERR_INPUT || status == TRX_ERR_UNSUPPORTED);
    FUZZ_CHECK((status == TRX_OK) == (import != NULL));
    FUZZ_CHECK((status == TRX_ERR_INPUT) == (trx_context_error_count(context) > 0));
    if (import) check_definitions(trx_import_get(import));
    trx_import_destroy(import);
}
