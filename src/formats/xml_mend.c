// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Harmless faults of XML; see xml_mend.h. One pass over the text finds where comments, CDATA sections, instructions and tags begin
// and end. Dashes inside comments become blanks in a copy, so that all bytes keep their places. Missing blanks are only listed.
// Surplus end tags behind the root are cut off.

#include "formats/xml_mend.h"

#include <stdint.h>
#include <string.h>

typedef struct mender {
    trxi_pool *pool;
    trxi_xml_mended *out;
    char *copy; // NULL: no byte was changed
    int capacity;
    bool memory;
} mender;

static bool begins(const trxi_xml_mended *m, size_t at, const char *word)
{
    const size_t n = strlen(word);
    return m->length - at >= n && memcmp(m->text + at, word, n) == 0;
}

// the byte after the next `word`, or the end of the text
static size_t behind(const trxi_xml_mended *m, size_t at, const char *word)
{
    while (at < m->length && !begins(m, at, word)) at++;
    return at < m->length ? at + strlen(word) : m->length;
}

static void blank_byte(mender *m, size_t at)
{
    if (!m->copy) {
        m->copy = trxi_pool_string(m->pool, m->out->text, m->out->length);
        if (!m->copy) m->memory = false;
        if (m->copy) m->out->text = m->copy;
    }
    if (m->copy) m->copy[at] = ' ';
}

static void add_gap(mender *m, size_t at)
{
    if (m->out->ngap == m->capacity) {
        size_t *grown = trxi_pool_grow(m->pool, m->out->gaps, m->out->ngap, &m->capacity, sizeof *grown);
        if (!grown) m->memory = false;
        if (!grown) return;
        m->out->gaps = grown;
    }
    m->out->gaps[m->out->ngap++] = at;
}

// passes a comment from "<!--" to "-->"; replaces other pairs of dashes in it, and a dash before its end, which XML does not allow
static size_t pass_comment(mender *m, size_t at)
{
    const size_t first = at + 4, end = behind(m->out, first, "-->");
    if (!begins(m->out, end - 3, "-->") || end < first + 3) return end;
    for (size_t i = first; i < end - 3 && m->memory; i++)
        if (m->out->text[i] == '-' && m->out->text[i + 1] == '-') blank_byte(m, i);
    return end;
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || (c & 0x80);
}

// passes a tag from "<" to its end; lists a gap where a name follows a value without a blank
static size_t pass_tag(mender *m, size_t at)
{
    const trxi_xml_mended *out = m->out;
    while (at < out->length && out->text[at] != '>') {
        const char c = out->text[at++];
        if (c != '"' && c != '\'') continue;
        while (at < out->length && out->text[at] != c) at++;
        if (at < out->length) at++;
        if (at < out->length && begins_name(out->text[at])) add_gap(m, at);
    }
    return at < out->length ? at + 1 : at;
}

// returns whether all tags in the rest of the text are end tags
static bool only_end_tags(const trxi_xml_mended *out, size_t at)
{
    for (; at < out->length; at++)
        if (out->text[at] == '<' && !begins(out, at, "</")) return false;
    return true;
}

// number of open elements after the tag from `from` to `to`
static int depth_behind(const trxi_xml_mended *out, size_t from, size_t to, int depth)
{
    if (begins(out, from, "</")) return depth - 1;
    return begins(out, from, "<!") || (to - from > 2 && out->text[to - 2] == '/') ? depth : depth + 1;
}

bool trxi_xml_mend(trxi_pool *pool, const char *text, size_t length, trxi_xml_mended *out)
{
    mender m = {.pool = pool, .out = out, .memory = true};
    while (length > 0 && text[length - 1] == '\0') length--;
    *out = (trxi_xml_mended){.text = text, .length = length};
    int depth = 0;
    for (size_t at = 0; at < out->length && m.memory;) {
        const size_t from = at;
        if (text[at] != '<') at++;
        else if (begins(out, at, "<!--")) at = pass_comment(&m, at);
        else if (begins(out, at, "<![CDATA[")) at = behind(out, at, "]]>");
        else if (begins(out, at, "<?")) at = behind(out, at, "?>");
        else {
            at = pass_tag(&m, at);
            depth = depth_behind(out, from, at, depth);
            // the first end tag too many; asking again at each later end tag would take quadratic time
            if (depth == -1 && only_end_tags(out, from)) out->length = from;
        }
    }
    return m.memory;
}
