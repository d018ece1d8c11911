// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section `fit:`.

#ifndef TRXI_PROBLEM_READ_FIT_H
#define TRXI_PROBLEM_READ_FIT_H

#include "problem/scene.h"

#include <tractrix/fit_design.h>

/// A quantity of the section: the standard deviation of its noise.
typedef struct trxi_fit_quantity {
    const char *name;
    trx_source source;
    double noise;
    bool ignored;
} trxi_fit_quantity;

/// An entry of `parameters`, before the model exists.
typedef struct trxi_fit_entry {
    const char *of, *same_as; // same_as NULL: free
    trx_source source, same_as_source;
    trx_fit_parameter parameter; // without its names
} trxi_fit_entry;

/// A parameter of a signal: gain(OF), bias(OF) or delay(OF), or a number of marker(BODY). `of` is a quantity or a column of the
/// recordings.
typedef struct trxi_fit_signal {
    int parameter; // number in the section
    const char *of;
    trx_source source;
} trxi_fit_signal;

/// A range of a column or a control in fit.design.
typedef struct trxi_design_range {
    const char *name;
    trx_source source;
    double range[2];
} trxi_design_range;

/// fit.design.
typedef struct trxi_design_section {
    bool given;
    trx_source source;
    const char **record; // nrecord: names of columns
    int nrecord, every;
    trxi_design_range *limits, *controls; // nlimit, ncontrol
    int nlimit, ncontrol;
    trx_fit_design_settings settings;
} trxi_design_section;

typedef struct trxi_fit_section {
    bool given;
    trx_source source;
    trx_fit_file *files;
    int nfile;
    trxi_fit_quantity *quantities;
    int nquantity;
    trxi_fit_entry *entries;
    int nentry;
    trx_fit_settings settings;
    trx_fit_parameter *parameters; // of the built model
    int nparameter;
    trxi_design_section design;
    trxi_fit_signal *signals;
    int nsignal;
} trxi_fit_section;

/// Reads fit.
void trxi_read_fit(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_fit_section *section);

/// Reads fit.design (NULL: not given).
void trxi_read_design(trxi_reader *reader, const trxi_yaml_node *node, trxi_design_section *design);

/// Finds the parameters in the built model. inertia(BODY), BODY.com, BODY.tensor and the position and rotation of a marker stand
/// for all their numbers. Signals are found when the recordings are read.
void trxi_fit_resolve(trxi_reader *reader, trxi_fit_section *section, const trx_model *model);

#endif
