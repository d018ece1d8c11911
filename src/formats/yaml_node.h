// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Making and growing YAML nodes; private to the files that build trees.

#ifndef TRXI_FORMATS_YAML_NODE_H
#define TRXI_FORMATS_YAML_NODE_H

#include "formats/yaml.h"

/// An empty node; NULL when memory is out.
trxi_yaml_node *trxi_yaml_make(trxi_pool *pool, trxi_yaml_kind kind, trx_source source);

/// Appends a child to a sequence, or to a mapping under `key` (kept, not copied) found at `key_source`. Returns
/// false when memory is out and leaves the node unchanged.
bool trxi_yaml_add(trxi_pool *pool, trxi_yaml_node *node, trxi_yaml_node *child, const char *key,
                   trx_source key_source);

/// trxi_yaml_parse of a text that begins `first_column` bytes into its line. Errors become findings (INPUT) if
/// `record`; otherwise the first becomes the message (ARGUMENT).
trx_status trxi_yaml_parse_within(trx_context *context, trxi_pool *pool, const char *file, const char *text,
                                  size_t length, int first_column, bool record, trxi_yaml_node **root);

#endif
