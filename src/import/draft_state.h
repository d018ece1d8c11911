// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of a draft, shared by its files. Things are kept by pointer while the draft grows, so they never move,
// and are copied into arrays at the end.

#ifndef TRXI_IMPORT_DRAFT_STATE_H
#define TRXI_IMPORT_DRAFT_STATE_H

#include "import/draft.h"

#define TRXI_PLATE_THICKNESS 1e-3 // of flat boxes and meshes that touch, a share of the longest side

typedef struct trxi_list {
    void **items;
    int count, capacity;
} trxi_list;

/// From texts to numbers, by hashing. An entry is never removed.
typedef struct trxi_table {
    struct trxi_table_entry {
        const char *key; // NULL: empty
        int value;
    } *entries;
    int count, capacity; // capacity: 0 or a power of 2
} trxi_table;

typedef struct trxi_draft_joint_item {
    trx_joint_def def; // first, for copying
    bool started;
    double start[7];
} trxi_draft_joint_item;

typedef struct trxi_draft_body_item {
    trx_body_def def;
    trxi_list joints, geometry, frames; // trxi_draft_joint_item, trx_geometry_def, trx_frame_def
} trxi_draft_body_item;

typedef struct trxi_tally {
    trx_note_kind kind;
    trx_source source;
    const char *before, *one, *many, *after;
    trxi_list places; // trx_source: of the cases after the first
} trxi_tally;

struct trxi_draft {
    trx_context *context;
    trxi_pool *pool;
    const char *path, *folder; // of the robot's file; the folder ends in a slash, "" for the current one
    trx_import_options options;
    bool memory; // false when memory was out
    trxi_list bodies; // trxi_draft_body_item
    trxi_list muscles; // trxi_draft_muscle_item
    trxi_list tendons, actuators, constraints, excludes, overrides, keyframes, materials, notes, tallies, meshes;
    trxi_table names;    // used names, and the next number to try for each
    trxi_table frictions; // to indices of materials
    trxi_table mesh_keys; // to indices of meshes
    trxi_table tally_keys; // to indices of tallies
    double gravity[3], time_step;
    bool allow_adjacent, larger_friction;
    int large_changes;                // bodies whose repaired inertia differs much
    double largest_change;
    const trx_body_def *most_changed;
    void *sink; // target of writes when memory is out
};

typedef struct trxi_draft_muscle_item {
    int actuator;
    trxi_draft_lengths of;
} trxi_draft_muscle_item;

/// Sets the muscles of the draft; `def` has everything but the actuators. Reports errors. The draft records when memory is out.
void trxi_draft_finish_muscles(trxi_draft *draft, const trx_model_def *def, const double *q0);

/// A new zeroed item of `size` bytes at the end of `list`; the sink when memory is out.
void *trxi_draft_push(trxi_draft *draft, trxi_list *list, size_t size);

/// The items of `list` (the first `size` bytes of each) as one array; NULL when there are none or memory is out.
void *trxi_draft_flatten(trxi_draft *draft, const trxi_list *list, size_t size);

/// The value of `key`; a new key is copied and gets `value`. NULL when memory is out.
int *trxi_table_at(trxi_draft *draft, trxi_table *table, const char *key, int value, bool *known);

/// The value of `key`; -1 for an unknown key.
int trxi_table_find(const trxi_table *table, const char *key);

/// Reports or repairs given inertias that no solid has, also when the file has errors.
void trxi_draft_judge_given_inertias(trxi_draft *draft);

/// Checks all inertias, repairs them if the options say so, and reports the impossible ones.
void trxi_draft_judge_inertias(trxi_draft *draft);

/// Turns tallies into notes, and all notes into an array in the order of their places.
const trx_note *trxi_draft_finish_notes(trxi_draft *draft, int *count);

#endif
