// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section `start:`: values of each joint, and the start state of the built model.

#ifndef TRXI_PROBLEM_READ_START_H
#define TRXI_PROBLEM_READ_START_H

#include "problem/scene.h"

/// start: the values of a joint.
typedef struct trxi_joint_start {
    bool set;
    trx_source source;
    double q[7], v[6]; // as many numbers as the joint has
} trxi_joint_start;

/// joints(NAME): numbers of all 1-dof joints of a group, in the order of q; NULL if missing.
typedef struct trxi_group_start {
    trxi_side side;
    const double *q, *v;
    int *joints; // room for their indices
} trxi_group_start;

typedef struct trxi_start {
    trxi_joint_start **joints; // for each body a list for its joints
    double *activations; // nactuator; used for actuators with an activation
    trxi_group_start *groups;
    int ngroup;
    double settle; // [s]
    trx_source settle_source;
} trxi_start;

void trxi_read_start(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_start *start);

/// The start state as one vector x (nstate) of the model built from `scene`.
void trxi_start_apply(const trxi_start *start, const trxi_scene *scene, const trx_model *model, double *x);

#endif
