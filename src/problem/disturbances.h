// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Disturbances of the plant of `tractrix mpc`: noise of measured states, and pushes (docs/problem_file.md, mpc).

#ifndef TRXI_PROBLEM_DISTURBANCES_H
#define TRXI_PROBLEM_DISTURBANCES_H

#include "problem/quantity.h"

#include <tractrix/problem.h>

/// A quantity of `noise`.
typedef struct trxi_noise {
    trx_source source;
    trxi_quantity of;
    double deviation;
} trxi_noise;

typedef struct trxi_disturbances {
    trxi_noise *noise;
    int nnoise;
    trx_push *pushes;
    int npush;
} trxi_disturbances;

/// Read mpc.noise and mpc.pushes, into memory of the reader.
void trxi_read_noise(trxi_reader *reader, const trxi_yaml_node *map, const trxi_scene *scene, trxi_disturbances *disturbances);
void trxi_read_pushes(trxi_reader *reader, const trxi_yaml_node *list, const trxi_scene *scene, trxi_disturbances *disturbances);

/// Finds both in the built model: the deviations of mpc->noise per dof, and the pushes. Reports quantities that are no part of the
/// state, and pushes on bodies that nothing moves.
void trxi_disturbances_resolve(trxi_reader *reader, const trxi_disturbances *disturbances, const trxi_scene *scene,
                               const trx_model *model, trx_mpc_problem *mpc);

#endif
