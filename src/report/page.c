// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Templates with marks, and libraries of Debian as elements of a page; see page.h. Cost: one pass over each text.

#include "report/page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SCRIPTS "/usr/share/javascript"

// ---- text ----

void trxi_page_escape(trxi_text *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': trxi_text_string(out, "&amp;"); break;
        case '<': trxi_text_string(out, "&lt;"); break;
        case '>': trxi_text_string(out, "&gt;"); break;
        case '"': trxi_text_string(out, "&quot;"); break;
        default: trxi_text_char(out, *text);
        }
    }
}

// appends the replacement of the mark at the start of `text`; returns the mark's length, 0 without a mark
static size_t expand_mark(const char *text, const trxi_page_mark *marks, int count, void *user, trxi_text *out)
{
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(marks[i].name);
        if (strncmp(text, marks[i].name, length) != 0) continue;
        if (marks[i].html) trxi_text_string(out, marks[i].html);
        else if (marks[i].plain) trxi_page_escape(out, marks[i].plain);
        else marks[i].append(user);
        return length;
    }
    return 0;
}

void trxi_page_expand(const char *template, const trxi_page_mark *marks, int count, void *user, trxi_text *out)
{
    const char *rest = template;
    for (const char *mark; (mark = strchr(rest, '@'));) {
        trxi_text_append(out, rest, (size_t)(mark - rest));
        const size_t length = expand_mark(mark, marks, count, user, out);
        if (length == 0) trxi_text_char(out, '@');
        rest = mark + (length ? length : 1);
    }
    trxi_text_string(out, rest);
}

// ---- libraries ----

static bool append_file(trxi_text *out, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    char block[1 << 12];
    size_t count;
    while ((count = fread(block, 1, sizeof block, file)) > 0) trxi_text_append(out, block, count);
    bool complete = !ferror(file);
    fclose(file);
    return complete;
}

// a final comment "sourceMappingURL" (of either language) would make the browser's tools request a file
static void drop_source_map(trxi_text *out, size_t start)
{
    static const char mark[] = "# sourceMappingURL=";
    size_t length = sizeof mark - 1;
    size_t tail = out->length - start < 400 ? start + 2 : out->length - 400;
    for (size_t i = tail; out->data && i + length <= out->length; i++) {
        if (memcmp(out->data + i, mark, length) != 0) continue;
        // two characters open the comment
        memset(out->data + i - 2, ' ', out->length - i + 2);
        return;
    }
}

static bool append_library(const trxi_page_library *l, const char *folder, trxi_text *out, trxi_page_missing *missing)
{
    char path[768];
    snprintf(path, sizeof path, "%.500s/%s", folder, l->path);
    trxi_text_string(out, l->is_style ? "<style>\n" : "<script>\n");
    const size_t start = out->length;
    errno = 0;
    if (!append_file(out, path)) {
        snprintf(missing->what, sizeof missing->what, "%s could not be read (%s)", path, strerror(errno));
        missing->package = l->package;
        return false;
    }
    drop_source_map(out, start);
    trxi_text_string(out, l->is_style ? "\n</style>\n" : "\n</script>\n");
    return true;
}

void trxi_page_libraries(const trxi_page_library *list, int count, const char *folder, trxi_text *out, trxi_page_missing *missing)
{
    *missing = (trxi_page_missing){.package = ""};
    for (int i = 0; i < count; i++)
        if (!append_library(&list[i], folder ? folder : SCRIPTS, out, missing)) {
            trxi_text_clear(out);
            return;
        }
}
