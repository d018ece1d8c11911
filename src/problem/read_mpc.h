// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section `mpc:`.

#ifndef TRXI_PROBLEM_READ_MPC_H
#define TRXI_PROBLEM_READ_MPC_H

#include "problem/scene.h"

#include <tractrix/problem.h>

/// mpc: settings of the loop, in memory of the reader; keys that are missing keep their values. The plant's values become
/// overrides KEY=VALUE.
void trxi_read_mpc(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trx_mpc_problem *mpc);

#endif
