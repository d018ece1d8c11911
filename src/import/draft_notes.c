// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Notes of a draft: single notes, and tallies, which sum equal cases and keep their places. The format of a single note
// is its form: notes of one form differ in names and numbers only. At the end all notes are sorted by their
// places: the robot's own file first, then other files by name, then line and column.

#include "import/draft_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 1024 };

// a finished note with its position in the order
typedef struct placed {
    trx_note note;
    bool elsewhere; // not in the robot's own file
    int order;
} placed;

static void push_note(trxi_draft *draft, trx_note_kind kind, trx_source source, const char *text, const char *form)
{
    trx_note *note = trxi_draft_push(draft, &draft->notes, sizeof *note);
    const char *kept = trxi_draft_printf(draft, "%s", text);
    *note = (trx_note){.kind = kind, .source = source, .text = kept};
    note->form = form ? trxi_draft_printf(draft, "%s", form) : kept;
}

void trxi_draft_note(trxi_draft *draft, trx_note_kind kind, trx_source source, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    push_note(draft, kind, source, text, strcmp(format, "%s") == 0 ? NULL : format);
}

void trxi_draft_tally(trxi_draft *draft, trx_note_kind kind, trx_source source, const char *before, const char *one,
                      const char *many, const char *after)
{
    char key[TEXT_SIZE];
    bool known;
    snprintf(key, sizeof key, "%d%.200s|%.200s|%.200s", (int)kind, before, one, after);
    const int *index = trxi_table_at(draft, &draft->tally_keys, key, draft->tallies.count, &known);
    if (!index) return;
    if (known) {
        trxi_tally *tally = draft->tallies.items[*index];
        trx_source *place = trxi_draft_push(draft, &tally->places, sizeof *place);
        *place = source;
        return;
    }
    trxi_tally *tally = trxi_draft_push(draft, &draft->tallies, sizeof *tally);
    *tally = (trxi_tally){.kind = kind, .source = source};
    tally->before = trxi_draft_printf(draft, "%s", before);
    tally->one = trxi_draft_printf(draft, "%s", one);
    tally->many = trxi_draft_printf(draft, "%s", many);
    tally->after = trxi_draft_printf(draft, "%s", after);
}

// ---- unused elements ----

static void note_attributes(trxi_draft *draft, const trxi_xml_node *node)
{
    for (int i = 0; i < node->nattribute; i++) {
        if (node->keys_used[i] || strncmp(node->keys[i], "xmlns", 5) == 0) continue;
        char one[256], many[256];
        snprintf(one, sizeof one, "attribute %.80s of <%.80s>", node->keys[i], node->name);
        snprintf(many, sizeof many, "attributes %.80s of <%.80s>", node->keys[i], node->name);
        trxi_draft_tally(draft, TRX_NOTE_DROPPED, node->source, "", one, many, ": not served, left out");
    }
}

static void note_element(trxi_draft *draft, const trxi_xml_node *node)
{
    char one[256], many[256];
    const char *parent = node->parent ? node->parent->name : "";
    snprintf(one, sizeof one, "element <%.80s> in <%.80s>", node->name, parent);
    snprintf(many, sizeof many, "elements <%.80s> in <%.80s>", node->name, parent);
    trxi_draft_tally(draft, TRX_NOTE_DROPPED, node->source, "", one, many, ": not served, left out");
}

// depth is bounded by the XML reader
void trxi_draft_note_unused(trxi_draft *draft, trxi_xml_node *root)
{
    if (!root->used) {
        note_element(draft, root);
        return;
    }
    note_attributes(draft, root);
    for (int i = 0; i < root->count; i++) trxi_draft_note_unused(draft, root->items[i]);
}

// ---- the end ----

static int compare(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->elsewhere != y->elsewhere) return x->elsewhere ? 1 : -1;
    int file = x->elsewhere ? strcmp(x->note.source.file, y->note.source.file) : 0;
    if (file) return file;
    if (x->note.source.line != y->note.source.line) return x->note.source.line < y->note.source.line ? -1 : 1;
    if (x->note.source.column != y->note.source.column) return x->note.source.column < y->note.source.column ? -1 : 1;
    return x->order - y->order;
}

static void push_tally(trxi_draft *draft, const trxi_tally *t)
{
    char text[TEXT_SIZE], form[TEXT_SIZE];
    int count = 1 + t->places.count;
    snprintf(text, sizeof text, "%s%d %s%s", t->before, count, count == 1 ? t->one : t->many, t->after);
    snprintf(form, sizeof form, "%sN %s%s", t->before, t->many, t->after);
    int at = draft->notes.count;
    push_note(draft, t->kind, t->source, text, form);
    if (draft->notes.count == at) return;
    trx_note *note = draft->notes.items[at];
    note->places = trxi_draft_flatten(draft, &t->places, sizeof(trx_source));
    note->nplace = note->places ? t->places.count : 0;
}

const trx_note *trxi_draft_finish_notes(trxi_draft *draft, int *count)
{
    for (int i = 0; i < draft->tallies.count; i++) push_tally(draft, draft->tallies.items[i]);
    draft->tallies.count = 0;
    *count = draft->notes.count;
    placed *all = *count ? TRXI_DRAFT_TAKE(draft, placed, *count) : NULL;
    trx_note *notes = *count ? TRXI_DRAFT_TAKE(draft, trx_note, *count) : NULL;
    if (!all || !notes) {
        *count = 0;
        return NULL;
    }
    for (int i = 0; i < *count; i++) {
        const trx_note *note = draft->notes.items[i];
        all[i] = (placed){*note, note->source.file && strcmp(note->source.file, draft->path) != 0, i};
    }
    qsort(all, (size_t)*count, sizeof *all, compare);
    for (int i = 0; i < *count; i++) notes[i] = all[i].note;
    return notes;
}
