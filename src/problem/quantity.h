// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The quantities of `of:` (docs/problem_file.md, cost): NAME.member, joints(NAME).member, position, distance(A, B)
// ...

#ifndef TRXI_PROBLEM_QUANTITY_H
#define TRXI_PROBLEM_QUANTITY_H

#include "problem/scene.h"

#include <tractrix/plan.h>

/// The parts of a text: FUNCTION(ARGUMENT, ...).MEMBER or NAME.MEMBER; missing parts are NULL.
typedef struct trxi_parts {
    const char *function, *arguments[2];
    int narguments;
    const char *name, *member;
} trxi_parts;

/// Returns false, without a message, when `text` has neither form.
bool trxi_parts_split(trxi_reader *reader, const char *text, trxi_parts *parts);

typedef struct trxi_quantity {
    const char *text;       // as in the file
    bool served;            // the text is valid: the fields below are set only then
    trx_quantity quantity;
    int body;               // bodies and frames: the body; joints: the joint's body
    int index;              // frame or joint within the body; -1: joints(NAME)
    trxi_side sides[2];     // joints(NAME), com(NAME): the first; distance(A, B), force(A, B): both
    bool all;               // com: of all moving bodies
    int dimension;          // numbers of the residual
    int target_length;      // numbers of the target
} trxi_quantity;

/// Reads a quantity of a plan. Returns false when it is wrong (reported).
bool trxi_read_quantity(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene,
                        trxi_quantity *quantity);

/// Reads a key of a mapping that must be a quantity (`noise: {box.position: 0.001}`). Returns false when it is wrong (reported).
bool trxi_read_quantity_key(trxi_reader *reader, trx_source source, const char *key, const trxi_scene *scene,
                            trxi_quantity *quantity);

/// Checks a key of a mapping that must be a quantity.
void trxi_check_quantity_key(trxi_reader *reader, trx_source source, const char *key, const trxi_scene *scene);

#endif
