// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// What all harnesses share: one context for all runs, and the door that libFuzzer or replay.c knocks at.

#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "base/arena.h"
#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>
#include <tractrix/geometry.h>

/// One input; returns 0. Whatever is wrong aborts.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// The context of all runs, without findings.
trx_context *fuzz_context(void);

/// Releases it.
void fuzz_finish(void);

/// Aborts with the claim that does not hold.
#define FUZZ_CHECK(claim) ((claim) ? (void)0 : fuzz_fail(#claim, __FILE__, __LINE__))
_Noreturn void fuzz_fail(const char *claim, const char *file, int line);

/// What holds after every parser of meshes: INPUT comes with one error and an empty mesh, OK with a mesh without defect
/// whose integrals are finite.
void fuzz_check_mesh(trx_status status, const trx_mesh *mesh);

/// Whether the text names a place outside the folder where reading could hang.
bool fuzz_names_device(const uint8_t *data, size_t size);

/// Imports the text under this path, in a folder that is not there, so that no file it names is found; base and repair
/// depend on its size. Refusals come with errors, what is read with definitions without holes, of which a model is made or
/// refused.
void fuzz_import(const char *path, const uint8_t *data, size_t size);

#endif
