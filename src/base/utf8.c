// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Where characters of UTF-8 end, for users who write text of files and names of files elsewhere.

#include "base/utf8.h"

#include <tractrix/context.h>

int trx_utf8_length(const char *text)
{
    uint32_t character;
    return trxi_utf8_decode(text, &character);
}
