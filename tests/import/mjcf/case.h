// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A robot from tests/import/data or from a text, and its comparison with the model that MuJoCo makes of the same file (NAME.ref
// beside it, made by reference_mjcf.py).

#ifndef TESTS_IMPORT_MJCF_CASE_H
#define TESTS_IMPORT_MJCF_CASE_H

#include <tractrix/tractrix.h>

typedef struct mjcf_case {
    trx_context *context;
    trx_import *import;
    const trx_import_result *result;
    trx_model *model; // nothing touches; NULL unless it was built
    trx_geometry_def *geometry;
    trx_body_def *bodies;
} mjcf_case;

/// Loads tests/import/data/NAME.xml, which must succeed, and builds its model. `options` may be NULL.
void case_open(mjcf_case *c, const char *name, const trx_import_options *options);

/// The same from a text.
void case_open_text(mjcf_case *c, const char *text, const trx_import_options *options);

/// Loads a text, which must fail with INPUT and exactly this one error, "LINE: TEXT".
void case_refuses(const char *text, const char *error);

void case_close(mjcf_case *c);

/// Compares the model with everything in the reference of NAME, numbers relative to `tolerance`. Fails when the reference has no
/// line of one of the kinds in `words` (separated by blanks).
void compare_with_reference(const mjcf_case *c, const char *name, double tolerance, const char *words);

/// Definitions by name; the test fails when there is none.
const trx_body_def *case_body(const mjcf_case *c, const char *name);
const trx_joint_def *case_joint(const mjcf_case *c, const char *name);
const trx_geometry_def *case_geometry(const mjcf_case *c, const char *name);
const trx_actuator_def *case_actuator(const mjcf_case *c, const char *name);
const trx_constraint_def *case_constraint(const mjcf_case *c, const char *name);

/// How many notes of this kind have `part` in their text.
int case_notes(const mjcf_case *c, trx_note_kind kind, const char *part);

/// A robot with one body on a hinge "j", and `more` inside <mujoco>.
#define ONE_BODY(more)                                                                                                 \
    "<mujoco>\n<worldbody><body name=\"b\"><joint name=\"j\" axis=\"0 1 0\"/><geom name=\"g\" size=\"0.1\"/></body>"   \
    "</worldbody>\n" more "\n</mujoco>"

/// The same with `inside` the body.
#define IN_BODY(inside)                                                                                                \
    "<mujoco>\n<worldbody><body name=\"b\"><joint name=\"j\" axis=\"0 1 0\"/><geom name=\"g\" size=\"0.1\"/>\n" inside \
    "\n</body></worldbody>\n</mujoco>"

#endif
