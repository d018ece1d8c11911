// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Version of the library; the number lives in meson.build.

#include <tractrix/version.h>

const char *trx_version(void)
{
    return TRX_VERSION;
}
