// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Versions of the library and of its dependencies.

#ifndef TRACTRIX_VERSION_H
#define TRACTRIX_VERSION_H

#include <tractrix/export.h>

TRX_BEGIN_C

/// "0.1.0"
TRX_API const char *trx_version(void);

TRX_END_C

#endif
