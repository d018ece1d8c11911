// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The common part of all pages: a template with marks, and libraries of Debian inlined, so that a page opens from
// disk without a network.

#ifndef TRXI_REPORT_PAGE_H
#define TRXI_REPORT_PAGE_H

#include "formats/text.h"

/// A mark of a template, such as @TITLE@, and its replacement: html, plain or append.
typedef struct trxi_page_mark {
    const char *name;
    const char *html;           // as it is
    const char *plain;          // plain text, escaped
    void (*append)(void *user); // appends to the page
} trxi_page_mark;

/// Appends the template to `out` with its marks replaced; the functions of the marks append to the same text.
void trxi_page_expand(const char *template, const trxi_page_mark *marks, int count, void *user, trxi_text *out);

/// Appends plain text as HTML.
void trxi_page_escape(trxi_text *out, const char *text);

typedef struct trxi_page_library {
    const char *path;    // below the scripts folder
    const char *package; // Debian package that contains it
    bool is_style;
} trxi_page_library;

/// The first library that could not be read, with the reason; "": none.
typedef struct trxi_page_missing {
    char what[1024];
    const char *package;
} trxi_page_missing;

/// Appends all libraries as elements of a page, or nothing when one is missing. folder NULL: /usr/share/javascript.
void trxi_page_libraries(const trxi_page_library *list, int count, const char *folder, trxi_text *out,
                         trxi_page_missing *missing);

#endif
