// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Names of a draft. Files allow what models do not: any character, equal names of two things of one kind, no name at
// all. This file makes valid names and notes each change. A hash table keeps the used names together with the
// number to try next for the same name, so a thousand unnamed things cost a thousand steps.
//
// Links, bodies and frames share one namespace. Every other kind of thing has its own: the keys of the table have a
// word before the name ("joint:knee").

#include "import/draft_state.h"

#include <stdio.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool fits_a_name(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || (c && strchr("_-:+@", c));
}

static bool has_prefix(const trxi_draft *draft)
{
    return draft->options.prefix && *draft->options.prefix;
}

static const char *with_prefix(trxi_draft *draft, const char *name)
{
    return has_prefix(draft) ? trxi_draft_printf(draft, "%s/%s", draft->options.prefix, name) : name;
}

// `raw` with only valid characters. Without a prefix, the name must start with a letter and not be "world"; `what` and "_" are
// put before another name
static const char *fitting(trxi_draft *draft, const char *raw, const char *what)
{
    char *name = TRXI_DRAFT_TAKE(draft, char, strlen(raw) + 1);
    if (!name) return "";
    for (size_t i = 0; raw[i]; i++) {
        bool inside = i > 0 && raw[i + 1];
        name[i] = fits_a_name(raw[i]) || (inside && raw[i] == ' ') ? raw[i] : '_';
    }
    bool fits = has_prefix(draft) || (is_letter(name[0]) && strcmp(name, "world") != 0);
    return fits ? name : trxi_draft_printf(draft, "%s_%s", what, name);
}

static bool is_place(const char *what)
{
    return strcmp(what, "body") == 0 || strcmp(what, "link") == 0 || strcmp(what, "frame") == 0;
}

// marks `name` as used if it is free
static bool take(trxi_draft *draft, const char *what, const char *name)
{
    bool known;
    const char *key = is_place(what) ? name : trxi_draft_printf(draft, "%s:%s", what, name);
    return !trxi_table_at(draft, &draft->names, key, 0, &known) || !known;
}

// uses `stem` with the first number from `from` on that gives a free name; the table counts the attempts
static const char *numbered(trxi_draft *draft, const char *what, const char *stem, int from)
{
    const char *counter = trxi_draft_printf(draft, "#%s:%s", what, stem);
    for (bool known; draft->memory;) {
        int *next = trxi_table_at(draft, &draft->names, counter, from, &known);
        if (!next) break;
        const char *name = trxi_draft_printf(draft, "%s_%d", stem, (*next)++);
        if (take(draft, what, name)) return name;
    }
    return stem;
}

static const char *make_up(trxi_draft *draft, const char *what, trx_source source)
{
    char one[64], many[64];
    snprintf(one, sizeof one, "%.40s", what);
    snprintf(many, sizeof many, "%.40s%s", what, strcmp(what, "body") == 0 ? "" : "s");
    if (strcmp(what, "body") == 0) strcpy(many, "bodies");
    if (strcmp(what, "geometry") == 0) strcpy(many, "geometries");
    trxi_draft_tally(draft, TRX_NOTE_ASSUMED, source, "names of ", one, many, " are made up: the file gives none");
    return numbered(draft, what, with_prefix(draft, what), 1);
}

const char *trxi_draft_name(trxi_draft *draft, const char *raw, const char *what, trx_source source)
{
    if (!raw || !*raw) return make_up(draft, what, source);
    const char *wanted = fitting(draft, raw, what), *name = with_prefix(draft, wanted);
    if (!take(draft, what, name)) {
        const char *other = trxi_draft_printf(draft, "%s_%s", name, what);
        name = take(draft, what, other) ? other : numbered(draft, what, other, 2);
        trxi_draft_note(draft, TRX_NOTE_REPLACED, source, "the name \"%.100s\" is taken: this %s is called %.120s", raw,
                        what, name);
    } else if (strcmp(wanted, raw) != 0)
        trxi_draft_note(draft, TRX_NOTE_REPLACED, source,
                        "\"%.100s\" is no name (letters, digits, _ - : + @, blanks inside, a letter first): this %s is called "
                        "%.120s",
                        raw,
                        what, name);
    return name;
}

const char *trxi_draft_joint_name(trxi_draft *draft, const char *raw, int body, trx_source source)
{
    const char *own = trxi_draft_body_at(draft, body)->name;
    bool nameless = !raw || !*raw;
    return nameless && own && take(draft, "joint", own) ? own : trxi_draft_name(draft, raw, "joint", source);
}
