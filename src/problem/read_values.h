// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section `parameters:`: values of parameters by name, which replace values of the model. A file fitted.yaml has this
// section alone.

#ifndef TRXI_PROBLEM_READ_VALUES_H
#define TRXI_PROBLEM_READ_VALUES_H

#include "problem/reader.h"

#include <tractrix/sim.h>

typedef struct trxi_named_values {
    const char **names;
    trx_source *sources;
    double *values;
    trx_parameter *parameters; // of the model, once it is built
    int count;
} trxi_named_values;

/// Puts the section `parameters:` of the file at `path` into the tree of a problem; its values replace values of the problem.
/// Errors: IO, INPUT, MEMORY.
trx_status trxi_add_values(trx_context *context, trxi_pool *pool, trxi_yaml_node *root, const char *path);

void trxi_read_values(trxi_reader *reader, const trxi_yaml_node *node, trxi_named_values *values);

/// The parameter called `name`; a wrong name is reported at `source`, in the reader's context. False: wrong, or no memory.
bool trxi_find_parameter(trxi_reader *reader, trx_source source, const trx_model *model, const char *name,
                         trx_parameter *parameter);

/// Changes the model, which is replaced, and the settings of its simulators. Wrong names and values are reported.
void trxi_values_apply(trxi_reader *reader, trxi_named_values *values, trx_model **model, trx_sim_settings *sim);

/// Changes another model of the problem, but no settings. Leaves out parameters that this model does not have. Errors: MEMORY.
trx_status trxi_values_apply_known(trx_context *context, const trxi_named_values *values, trx_model **model);

#endif
