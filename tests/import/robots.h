// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of the tests of the import: a robot read from a text or a file, and checks of the result.

#ifndef TESTS_IMPORT_ROBOTS_H
#define TESTS_IMPORT_ROBOTS_H

#include "support/support.h"

#include <stdbool.h>
#include <tractrix/import.h>

typedef struct robot {
    trx_context *context;
    trx_import *import; // NULL when it was refused
    const trx_import_result *result;
    trx_status status;
} robot;

/// Reads `text` as the file "robot.urdf", the name that findings show; `options` may be NULL.
robot read_text(const char *text, const trx_import_options *options);

/// Reads a file of tests/import/data.
robot read_data(const char *name, const trx_import_options *options);

void free_robot(robot *r);

/// A whole <robot> around `inside`, which starts on line 2.
#define ROBOT(inside) "<robot name=\"r\">\n" inside "</robot>\n"

/// A link of 1 kg with the moments 0.1, on one line.
#define LINK(name, inside)                                                                                               \
    "<link name=\"" name "\"><inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\" ixy=\"0\" "       \
    "ixz=\"0\" iyz=\"0\"/></inertial>" inside "</link>\n"

/// A joint on one line.
#define JOINT(name, type, parent, child, inside)                                                                         \
    "<joint name=\"" name "\" type=\"" type "\"><parent link=\"" parent "\"/><child link=\"" child "\"/>" inside "</"    \
                                                                                                                 "joint" \
                                                                                                                 ">\n"

/// Index of the body called `name`; the test fails when there is none.
int find_body(const robot *r, const char *name);
const trx_body_def *body_of(const robot *r, const char *name);

/// The only joint of a body.
const trx_joint_def *joint_of(const robot *r, const char *body);

/// Number of the notes of this kind whose text contains `part`.
int count_notes(const robot *r, trx_note_kind kind, const char *part);

/// Fails unless exactly one note of this kind, on this line, has this text.
void assert_note(const robot *r, trx_note_kind kind, int line, const char *text);

/// Fails unless the robot was refused with an error on this line that contains `part`.
void assert_refused(const robot *r, int line, const char *part);

/// The model of a robot; the test fails when it cannot be built.
trx_model *model_of(const robot *r);

#endif
