// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The names of bodies, joints, frames, geometries and includes (docs/problem_file.md), and the messages of failed
// references. Things of different kinds may share a name; the reference says which kinds it takes. Bodies, frames and
// includes count as one kind: all are places. Names are collected while the bodies are read, sorted once, and then looked up.

#ifndef TRXI_PROBLEM_NAMES_H
#define TRXI_PROBLEM_NAMES_H

#include "problem/reader.h"

/// Kinds of things that have names. A set of kinds is the sum of their numbers.
typedef enum trxi_thing {
    TRXI_BODY = 1,
    TRXI_JOINT = 2, // a body with `joint: WORD` is body and joint at once
    TRXI_FRAME = 4,
    TRXI_GEOMETRY = 8,
    TRXI_INCLUDE = 16,
    TRXI_ANY = 31,
} trxi_thing;

typedef struct trxi_named {
    const char *name;
    int things;        // set of trxi_thing
    int body;          // index of the named body, or of the body that has the named thing; includes: their index
    int index;         // of a joint, frame or geometry within its body
    trx_source source; // place of the name, or of a thing without a name
    bool broken;       // its definition is wrong and reported: references to it, or to its parts, are not reported
    bool alias;        // a second name, which messages do not propose
} trxi_named;

typedef struct trxi_names {
    trxi_named *entries;
    int count, capacity;
    bool has_include, has_broken_include;
} trxi_names;

void trxi_names_add(trxi_reader *reader, trxi_names *names, trxi_named entry);

/// Adds geometry `index` of the body: BODY#N, with N = index + 1, and its own name if it has one (else NULL).
void trxi_names_add_geometry(trxi_reader *reader, trxi_names *names, const trx_body_def *body, int at, int index,
                             const char *name, trx_source source);

/// Sorts the names, and reports every name that two things of one kind have. Call it once, before any lookup.
void trxi_names_finish(trxi_reader *reader, trxi_names *names);

/// The entry called `name` that is one of `things`: a place before a joint before a geometry. NULL if there is none.
const trxi_named *trxi_names_find(const trxi_names *names, const char *name, int things);

/// Like trxi_names_find, but a missing name is reported at `source` with a suggestion.
/// Silent if the definition of the name, or of its include ("arm/link_7"), is broken.
const trxi_named *trxi_names_resolve(trxi_reader *reader, const trxi_names *names, trx_source source,
                                     const char *name, int things);

#endif
