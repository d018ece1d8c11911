// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Faults of XML that do not change its meaning and that other readers of robots accept: two dashes inside a comment, an attribute
// that follows another attribute without a blank, zero bytes and surplus end tags after the end.

#ifndef TRXI_FORMATS_XML_MEND_H
#define TRXI_FORMATS_XML_MEND_H

#include "base/arena.h"

typedef struct trxi_xml_mended {
    const char *text; // the mended text without the zero bytes at its end; the given text when nothing was changed
    size_t length;
    size_t *gaps; // ngap, ascending: bytes of `text` before which a blank is missing
    int ngap;
} trxi_xml_mended;

/// Mends text of single bytes (no UTF-16). False when memory is out.
bool trxi_xml_mend(trxi_pool *pool, const char *text, size_t length, trxi_xml_mended *out);

#endif
