// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Marks the functions of the public interface, and gives them C names in C++. Everything else is hidden in the shared library.

#ifndef TRACTRIX_EXPORT_H
#define TRACTRIX_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define TRX_API __attribute__((visibility("default")))
#else
#define TRX_API
#endif

// C names for C++: every header of functions and types lies between these two
#ifdef __cplusplus
#define TRX_BEGIN_C extern "C" {
#define TRX_END_C }
#else
#define TRX_BEGIN_C
#define TRX_END_C
#endif

#endif
