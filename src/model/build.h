// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A model under construction. The stages below run in this order; each reads the definitions and what the
// stages before it made. All arrays of `model` live in the pool until trx_model_create copies the finished
// model into one block.

#ifndef TRXI_MODEL_BUILD_H
#define TRXI_MODEL_BUILD_H

#include "base/arena.h"
#include "model/model.h"

typedef struct trxi_build {
    trx_context *context;
    const trx_model_def *def;
    trxi_pool *pool;
    int *order;       // bodies depth first, parents before children
    int *first_joint; // nbody: index of each body's first joint
    trx_model model;
} trxi_build;

/// Checks all definitions and records every finding. Errors: INPUT, UNSUPPORTED (only when there is no
/// other finding), MEMORY.
trx_status trxi_validate(trxi_build *build);

/// The part of trxi_validate about names: well formed, one namespace, no duplicates. Errors: INPUT
/// when a name is missing, without which the other checks cannot speak; MEMORY.
trx_status trxi_validate_names(trxi_build *build);

/// The part of trxi_validate about mass: tensors, geometry masses and densities.
void trxi_validate_inertia(trxi_build *build);

/// The part of trxi_validate about contact: pair selectors, laws, overrides.
void trxi_validate_contact(trxi_build *build);

/// Orders the bodies and turns joints into links, trees and dofs. Errors: MEMORY.
trx_status trxi_build_links(trxi_build *build);

/// Fills the inertia of bodies and links.
void trxi_build_inertia(trxi_build *build);

/// Names of geometries without one, and of all coordinates. Errors: MEMORY.
trx_status trxi_build_names(trxi_build *build);

/// Finds the pairs of geometries that may meet and their laws. Errors: INPUT, MEMORY.
trx_status trxi_build_pairs(trxi_build *build);

/// Whether a joint of this type has one dof.
bool trxi_joint_is_single(trx_joint_type type);

#endif
