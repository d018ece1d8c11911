// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Words of a text, separated by blanks, each with its place. For formats that are lists of words and numbers, like STL
// and OBJ. A word is a view of the text.

#ifndef TRXI_FORMATS_WORDS_H
#define TRXI_FORMATS_WORDS_H

#include "base/context.h"

#include <stddef.h>

typedef struct trxi_words {
    const char *file;
    const char *at, *end;   // rest of the text
    const char *line_start;
    int line;               // counts from 1
    bool continued;         // a backslash at the end of a line joins it with the next
} trxi_words;

typedef struct trxi_word {
    const char *text; // `length` bytes, no terminating zero
    size_t length;
    trx_source source;
} trxi_word;

enum { TRXI_WORD_SHOWN = 48 };

/// Words of `length` bytes of `text`; a byte order mark of UTF-8 is skipped. `file` is kept.
trxi_words trxi_words_begin(const char *file, const char *text, size_t length, bool continued);

/// The next word, in this line or a later one. Returns false at the end of the text; `word` is then empty and has
/// its place.
bool trxi_words_next(trxi_words *words, trxi_word *word);

/// The next word of this line. Returns false at the line's end, which is not passed; `word` is then empty and has
/// its place.
bool trxi_words_next_in_line(trxi_words *words, trxi_word *word);

/// Passes the end of this line and of lines that continue it.
void trxi_words_skip_line(trxi_words *words);

/// Whether the word is `name` (lower case), ignoring the case of the word.
bool trxi_word_is(const trxi_word *word, const char *name);

/// Parses the whole word as trxi_number_parse does (formats/scalar.h).
bool trxi_word_number(const trxi_word *word, double *out);

/// The word in quotes for a message: its first letters, with "?" for bytes that are not printable ASCII; for an
/// empty word "the end".
const char *trxi_word_shown(const trxi_word *word, char shown[TRXI_WORD_SHOWN]);

#endif
