// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A model as MJCF, for a comparison with MuJoCo.

#ifndef TRXI_REPORT_MJCF_H
#define TRXI_REPORT_MJCF_H

#include "formats/text.h"
#include "model/model.h"

/// Output and input of an export. Poses are given at the neutral configuration.
typedef struct trxi_export {
    const trx_model *model;
    const char *title;
    double time_step;       // [s]
    const trx_pose *poses;  // of all bodies, in the world
    const double *link_R, *link_p; // of all links, in the world: 9 and 3 numbers each
    const double *lengths;         // of all lengths [m or rad]
    trxi_text *out;
} trxi_export;

/// Begins an element on a new line, indented by `depth` times two spaces.
void trxi_export_open(const trxi_export *m, int depth, const char *element);
/// Attributes of the open element.
void trxi_export_text(const trxi_export *m, const char *key, const char *value);
void trxi_export_numbers(const trxi_export *m, const char *key, const double *values, int count);
void trxi_export_number(const trxi_export *m, const char *key, double value);
/// Ends the element: "/>" and a newline, or ">" when children follow.
void trxi_export_close(const trxi_export *m, bool children);
void trxi_export_end(const trxi_export *m, int depth, const char *element);

/// The sections asset and worldbody; then contact, equality, tendon, actuator.
void trxi_export_bodies(const trxi_export *m);
void trxi_export_rest(const trxi_export *m);

#endif
