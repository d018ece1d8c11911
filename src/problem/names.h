// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The one namespace of bodies, joints, frames, geometries and includes (docs/problem_file.md), and what a reference
// to it says when it fails. Collected while the bodies are read, sorted once, then only looked up.

#ifndef TRXI_PROBLEM_NAMES_H
#define TRXI_PROBLEM_NAMES_H

#include "problem/reader.h"

/// Kinds of things that have names; sets of them are sums.
typedef enum trxi_thing {
    TRXI_BODY = 1,
    TRXI_JOINT = 2, // a body with `joint: WORD` is body and joint at once
    TRXI_FRAME = 4,
    TRXI_GEOMETRY = 8,
    TRXI_INCLUDE = 16,
} trxi_thing;

typedef struct trxi_named {
    const char *name;
    int things;        // set of trxi_thing
    int body;          // index of the body it is or belongs to; includes: their index
    int index;         // of a joint, frame or geometry within its body
    trx_source source; // of the name, or of what has none
    bool broken;       // its definition is wrong and reported: nothing is said about references to it, nor to what is in it
} trxi_named;

typedef struct trxi_names {
    trxi_named *entries;
    int count, capacity;
    bool has_include, has_broken_include;
} trxi_names;

void trxi_names_add(trxi_reader *reader, trxi_names *names, trxi_named entry);

/// Sorts, and reports every name that is taken already. To be called once, before any lookup.
void trxi_names_finish(trxi_reader *reader, trxi_names *names);

/// The entry called `name`, NULL if there is none.
const trxi_named *trxi_names_find(const trxi_names *names, const char *name);

/// The entry called `name`, which must be one of `things`. Otherwise NULL: reported at `source` with a suggestion,
/// or silent when what it names is broken, or lies in an include that is ("arm/link_7").
const trxi_named *trxi_names_resolve(trxi_reader *reader, const trxi_names *names, trx_source source,
                                     const char *name, int things);

#endif
