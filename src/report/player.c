// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Writes the player: the template with its marks replaced (@TITLE@, @STYLE@, @STATE@, @NOTICE@, @DATA@,
// @LIBRARIES@, @SCRIPT@). Style and script belong to the project and are built into the library (player/). three.js
// and dygraphs are read from the Debian packages when a page is written, and inlined, about 1.1 MB.
//
// The run's texts are JSON in script elements that are not executed, CSV as one JSON string. Inside such an element
// only "</script" and "<!--" have a meaning for HTML. Every '<' is written as the JSON escape \u003c, so neither
// can occur. JSON allows '<' only inside strings, where the escape means the same text. The writer does not check
// that scene and summary are JSON; the page reports bad JSON. Cost: one pass over each text. Tables given by path
// are read, and the page is passed on, in blocks.

#include "report/player.h"

#include "report/player/sources.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SCRIPTS "/usr/share/javascript"

typedef struct library {
    const char *path;    // below the scripts folder
    const char *package; // package that contains it
    bool is_style;
} library;

// in the order of execution
static const library LIBRARIES[] = {
    {"three/three.min.js", "libjs-three", false},
    {"three/examples/js/controls/OrbitControls.js", "libjs-three", false},
    {"dygraphs/dygraph.min.css", "libjs-dygraphs", true},
    {"dygraphs/dygraph.min.js", "libjs-dygraphs", false},
};
enum { LIBRARY_COUNT = sizeof LIBRARIES / sizeof LIBRARIES[0] };

typedef struct page {
    trx_context *context;
    const trxi_player_data *data;
    trxi_text libraries; // elements with the libraries inside
    char missing[1024];  // first library that could not be read, with the reason; "" when all were read
    const char *package;
    trxi_text *out;
    trx_status status; // first failure of reading a table or passing the page on
} page;

enum { BLOCK = 1 << 16 };

// passes the page on when a block is complete
static void pass_on(page *p)
{
    if (!p->data->flush || p->out->length < BLOCK || p->status < 0) return;
    p->status = p->data->flush(p->data->user, p->out);
}

static void append_escaped_html(trxi_text *out, const char *text)
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

// copies JSON with '<' escaped; an empty text becomes null
static void append_json(page *p, const char *json)
{
    if (!json || !*json) json = "null";
    while (*json) {
        size_t plain = 0;
        while (plain < BLOCK && json[plain] && json[plain] != '<') plain++;
        trxi_text_append(p->out, json, plain);
        json += plain;
        if (*json == '<') {
            trxi_text_string(p->out, "\\u003c");
            json++;
        }
        pass_on(p);
    }
}

// text inside a JSON string
static void append_escaped(void *user, const char *text, size_t length)
{
    page *p = user;
    const char *end = text + length;
    while (text < end) {
        size_t plain = 0, most = (size_t)(end - text);
        if (most > BLOCK) most = BLOCK;
        while (plain < most && text[plain] != '"' && text[plain] != '\\' && text[plain] != '<' &&
               (unsigned char)text[plain] >= 0x20)
            plain++;
        trxi_text_append(p->out, text, plain);
        text += plain;
        if (plain < most && *text == '\n') trxi_text_string(p->out, "\\n");
        else if (plain < most) trxi_text_printf(p->out, "\\u%04x", (unsigned)(unsigned char)*text);
        if (plain < most) text++;
        pass_on(p);
    }
}

// a table as one JSON string
static void append_table(page *p, const char *text, const char *file)
{
    trxi_text_char(p->out, '"');
    if (text) append_escaped(p, text, strlen(text));
    else if (file && p->status >= 0) p->status = trxi_shown_rows(p->context, p->data->shown, file, append_escaped, p);
    trxi_text_char(p->out, '"');
}

static void append_data(page *p)
{
    static const char open[] = "<script type=\"application/json\" id=\"%s-data\">\n";
    static const char close[] = "\n</script>\n";
    trxi_text_printf(p->out, open, "scene");
    append_json(p, p->data->scene_json);
    trxi_text_string(p->out, close);
    trxi_text_printf(p->out, open, "summary");
    append_json(p, p->data->summary_json);
    trxi_text_string(p->out, close);
    trxi_text_printf(p->out, open, "trajectory");
    append_table(p, p->data->trajectory_csv, p->data->trajectory_file);
    trxi_text_string(p->out, close);
    trxi_text_printf(p->out, open, "contacts");
    append_table(p, p->data->contacts_csv, p->data->contacts_file);
    trxi_text_string(p->out, close);
}

static void append_notice(page *p)
{
    if (!p->missing[0]) return;
    trxi_text_string(p->out, "The player cannot draw: ");
    append_escaped_html(p->out, p->missing);
    trxi_text_printf(p->out,
                     ". Install it with <code>apt install %s</code> and write this page again with "
                     "<code>tractrix view</code> and the folder of the run.",
                     p->package);
}

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

// all libraries as elements of the page, or the first that is missing
static void read_libraries(page *p)
{
    const char *folder = p->data->scripts ? p->data->scripts : SCRIPTS;
    for (int i = 0; i < LIBRARY_COUNT; i++) {
        const library *l = &LIBRARIES[i];
        char path[768];
        snprintf(path, sizeof path, "%.500s/%s", folder, l->path);
        trxi_text_string(&p->libraries, l->is_style ? "<style>\n" : "<script>\n");
        size_t start = p->libraries.length;
        errno = 0;
        if (!append_file(&p->libraries, path)) {
            snprintf(p->missing, sizeof p->missing, "%s could not be read (%s)", path, strerror(errno));
            p->package = l->package;
            trxi_text_clear(&p->libraries);
            return;
        }
        drop_source_map(&p->libraries, start);
        trxi_text_string(&p->libraries, l->is_style ? "\n</style>\n" : "\n</script>\n");
    }
}

// tells style and script whether the libraries are present
static void append_state(page *p)
{
    trxi_text_string(p->out, p->missing[0] ? "absent" : "complete");
}

static void append_title(page *p)
{
    append_escaped_html(p->out, p->data->title);
}

static void append_style(page *p)
{
    trxi_text_append(p->out, trxi_player_css, trxi_player_css_size);
}

static void append_libraries(page *p)
{
    trxi_text_append(p->out, trxi_text_get(&p->libraries), p->libraries.length);
}

static void append_script(page *p)
{
    if (p->missing[0]) return;
    trxi_text_append(p->out, trxi_player_js, trxi_player_js_size);
}

static const struct {
    const char *name;
    void (*append)(page *);
} MARKS[] = {
    {"@TITLE@", append_title}, {"@STYLE@", append_style},         {"@STATE@", append_state},   {"@NOTICE@", append_notice},
    {"@DATA@", append_data},   {"@LIBRARIES@", append_libraries}, {"@SCRIPT@", append_script},
};

// appends the replacement of the mark at the start of `text`; returns the mark's length, 0 without a mark
static size_t expand_mark(page *p, const char *text)
{
    for (size_t i = 0; i < sizeof MARKS / sizeof MARKS[0]; i++) {
        size_t length = strlen(MARKS[i].name);
        if (strncmp(text, MARKS[i].name, length) != 0) continue;
        MARKS[i].append(p);
        return length;
    }
    return 0;
}

trx_status trxi_player_write(trx_context *context, const trxi_player_data *data, trxi_text *out)
{
    if (!data->title || !data->scene_json || !(data->trajectory_csv || data->trajectory_file))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "the player needs a title, a scene and a trajectory");
    page p = {.context = context, .data = data, .libraries = trxi_text_create(context), .out = out};
    read_libraries(&p);

    // copy the template, each mark replaced
    const char *rest = (const char *)trxi_player_html;
    for (const char *mark; (mark = strchr(rest, '@'));) {
        trxi_text_append(out, rest, (size_t)(mark - rest));
        size_t length = expand_mark(&p, mark);
        if (length == 0) {
            trxi_text_char(out, '@');
            length = 1;
        }
        rest = mark + length;
    }
    trxi_text_string(out, rest);

    trx_status status = p.libraries.status < 0 ? p.libraries.status : p.status < 0 ? p.status : out->status;
    trxi_text_destroy(&p.libraries);
    return status;
}
