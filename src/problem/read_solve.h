// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section `solve:`: settings and guess, and stages before the model is known.

#ifndef TRXI_PROBLEM_READ_SOLVE_H
#define TRXI_PROBLEM_READ_SOLVE_H

#include "problem/read_contact.h"

#include <tractrix/robust.h>
#include <tractrix/search.h>

/// solve: a stage, before the model is known.
typedef struct trxi_stage_entry {
    trx_stage stage;
    bool all;         // pairs: all
    bool listed;      // pairs: [...]
    trxi_pairs pairs;
} trxi_stage_entry;

typedef struct trxi_solve {
    trx_plan_settings settings;
    int refine; // steps of the refinement for each step, 1: none
    const char *guess;      // controls: "zero", "gravity" or a path
    bool guess_is_path;
    const char *states;     // "interpolate" or a path; NULL: none
    bool states_are_path;
    trxi_stage_entry *stages; // NULL: default stages
    int nstage;
    bool is_robust; // robust is given and not off
    trx_robust_settings robust; // without ranges and policy
    bool searches; // search is not off
    trx_search_settings search;
} trxi_solve;

/// Reads `solve:`; `law` and `model` come from the section `contact:`.
void trxi_read_solve(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, const trxi_law_entry *law,
                     trx_contact_model model, trxi_solve *solve);

/// The stages of the plan, with flags of pairs.
trx_stage *trxi_stages_resolve(trxi_reader *reader, const trxi_solve *solve, const trxi_scene *scene,
                               const trx_model *model);

#endif
