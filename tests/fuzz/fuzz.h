// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of all harnesses: one context for all runs, and the entry point that libFuzzer and replay.c call.

#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "base/arena.h"
#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>
#include <tractrix/geometry.h>

/// Runs one input and returns 0. Every error in the library aborts the process.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// The context of all runs, without findings.
trx_context *fuzz_context(void);

/// Releases the context.
void fuzz_finish(void);

/// Aborts the process and prints the claim that is false.
#define FUZZ_CHECK(claim) ((claim) ? (void)0 : fuzz_fail(#claim, __FILE__, __LINE__))
_Noreturn void fuzz_fail(const char *claim, const char *file, int line);

/// Checks the result of a parser of meshes: after INPUT there is one error and an empty mesh, after OK a mesh without defect
/// and with finite integrals.
void fuzz_check_mesh(trx_status status, const trx_mesh *mesh);

/// Whether the text names a place outside the folder where reading could hang.
bool fuzz_names_device(const uint8_t *data, size_t size);

/// Imports the text under this path, in a folder that is not there, so that no file it names is found; base and repair
/// depend on its size. A refusal comes with errors. A robot that is read has complete definitions, and a model is made
/// of them or refused.
void fuzz_import(const char *path, const uint8_t *data, size_t size);

#endif
