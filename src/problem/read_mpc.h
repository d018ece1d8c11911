// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section `mpc:`.

#ifndef TRXI_PROBLEM_READ_MPC_H
#define TRXI_PROBLEM_READ_MPC_H

#include "problem/disturbances.h"

typedef struct trxi_mpc_section {
    trx_mpc_problem mpc; // duration and period 0, delays of the plant NAN: not given
    bool policy_gains; // mpc.settings.gains come from the section policy
    trxi_disturbances disturbances;
} trxi_mpc_section;

/// mpc: settings of the loop, in memory of the reader; keys that are missing keep their values. The plant's values become
/// overrides KEY=VALUE.
void trxi_read_mpc(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_mpc_section *section);

#endif
