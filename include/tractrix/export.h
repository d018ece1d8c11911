// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Marks the functions of the public interface; everything else is hidden in the shared library.

#ifndef TRACTRIX_EXPORT_H
#define TRACTRIX_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define TRX_API __attribute__((visibility("default")))
#else
#define TRX_API
#endif

#endif
