// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The sections `mpc:` and `fit:`, which are only validated.

#ifndef TRXI_PROBLEM_READ_FIT_H
#define TRXI_PROBLEM_READ_FIT_H

#include "problem/scene.h"

/// Validates mpc or fit.
void trxi_read_mpc(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene);
void trxi_read_fit(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene);

#endif
