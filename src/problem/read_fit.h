// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section `fit:`, which is only validated, and noise, which `mpc:` has too.

#ifndef TRXI_PROBLEM_READ_FIT_H
#define TRXI_PROBLEM_READ_FIT_H

#include "problem/scene.h"

/// Validates fit; validates a mapping of quantities to standard deviations.
void trxi_read_fit(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene);
void trxi_read_noise(trxi_reader *reader, const trxi_yaml_node *map, const trxi_scene *scene);

#endif
