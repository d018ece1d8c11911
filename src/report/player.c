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

#include "report/page.h"
#include "report/player/sources.h"

#include <string.h>

// in the order of execution
static const trxi_page_library LIBRARIES[] = {
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
    trxi_page_missing missing;
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

static void append_data(void *user)
{
    page *p = user;
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

static void append_notice(void *user)
{
    page *p = user;
    if (!p->missing.what[0]) return;
    trxi_text_string(p->out, "The player cannot draw: ");
    trxi_page_escape(p->out, p->missing.what);
    trxi_text_printf(p->out,
                     ". Install it with <code>apt install %s</code> and write this page again with "
                     "<code>tractrix view</code> and the folder of the run.",
                     p->missing.package);
}

trx_status trxi_player_write(trx_context *context, const trxi_player_data *data, trxi_text *out)
{
    if (!data->title || !data->scene_json || !(data->trajectory_csv || data->trajectory_file))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "the player needs a title, a scene and a trajectory");
    page p = {.context = context, .data = data, .libraries = trxi_text_create(context), .out = out};
    trxi_page_libraries(LIBRARIES, LIBRARY_COUNT, data->scripts, &p.libraries, &p.missing);

    // style and script know whether the libraries are present
    const bool missing = p.missing.what[0];
    const trxi_page_mark marks[] = {{"@TITLE@", .plain = data->title},
                                    {"@STYLE@", .html = trxi_player_css},
                                    {"@STATE@", .html = missing ? "absent" : "complete"},
                                    {"@NOTICE@", .append = append_notice},
                                    {"@DATA@", .append = append_data},
                                    {"@LIBRARIES@", .html = trxi_text_get(&p.libraries)},
                                    {"@SCRIPT@", .html = missing ? "" : trxi_player_js}};
    trxi_page_expand(trxi_player_html, marks, sizeof marks / sizeof *marks, &p, out);
    trx_status status = p.libraries.status < 0 ? p.libraries.status : p.status < 0 ? p.status : out->status;
    trxi_text_destroy(&p.libraries);
    return status;
}
