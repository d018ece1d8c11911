// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section `contact:`: laws and pairs. The reader takes the section's node, NULL when the file does not have it.

#ifndef TRXI_PROBLEM_READ_CONTACT_H
#define TRXI_PROBLEM_READ_CONTACT_H

#include "problem/law.h"

#include <tractrix/sim.h>

/// Reads the section: the law of all pairs into `scene->def` and `law`, the pairs and their overrides into `scene`, the settings of
/// the solve into `sim`.
void trxi_read_contact(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene, trx_sim_settings *sim,
                       trxi_law_entry *law);

/// A growing list of pairs of bodies or geometries.
typedef struct trxi_pairs {
    trx_pair_selector *items;
    int count, capacity;
} trxi_pairs;

/// A list of pairs [A, B] of bodies, geometries or includes, which stand for all their bodies. Wrong entries are left out.
trxi_pairs trxi_read_pairs(trxi_reader *reader, const trxi_yaml_node *list, const trxi_scene *scene);

#endif
