// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// SHA-256 (FIPS 180-4): fingerprints of problem files and of the inputs of computations.

#ifndef TRXI_FORMATS_SHA256_H
#define TRXI_FORMATS_SHA256_H

#include <stddef.h>

/// Writes the hash of `length` bytes as 64 lower-case hexadecimal digits and a terminating zero.
void trxi_sha256(const void *bytes, size_t length, char hex[65]);

#endif
