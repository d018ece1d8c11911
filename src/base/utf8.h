// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One character of UTF-8 (RFC 3629).

#ifndef TRXI_BASE_UTF8_H
#define TRXI_BASE_UTF8_H

#include <stdint.h>

/// Decodes the character at `text` into `*c` and returns its number of bytes (1 to 4), or 0 when it is not UTF-8: a
/// stray or missing continuation byte, an overlong form, a surrogate, beyond U+10FFFF. Reads up to the first wrong
/// byte only, so a terminating zero is never passed.
static inline int trxi_utf8_decode(const char *text, uint32_t *c)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *b = (const unsigned char *)text;
    int length = b[0] < 0x80 ? 1 : b[0] >> 5 == 6 ? 2 : b[0] >> 4 == 14 ? 3 : b[0] >> 3 == 30 ? 4 : 0;
    uint32_t value = length == 1 ? b[0] : b[0] & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        if (b[i] >> 6 != 2) return 0;
        value = value << 6 | (b[i] & 0x3Fu);
    }
    if (length == 0 || value < smallest[length] || value > 0x10FFFF || value >> 11 == 0x1B) return 0;
    *c = value;
    return length;
}

#endif
