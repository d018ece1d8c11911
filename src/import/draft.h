// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// What the readers of robot files write into: definitions that grow in a pool, one namespace, notes. Readers
// differ in the file's language only; names, materials, meshes, inertias and the final arrays are the same for all.
//
// Memory running out is sticky: trxi_draft_ok is false from then on and readers stop soon. Until they do, what they
// write goes to a place that nobody reads: definitions and texts are never NULL.

#ifndef TRXI_IMPORT_DRAFT_H
#define TRXI_IMPORT_DRAFT_H

#include "base/arena.h"
#include "base/context.h"
#include "formats/xml.h"

#include <tractrix/import.h>

typedef struct trxi_draft trxi_draft;

/// An empty draft that lives in `pool`; NULL when memory is out. `path` (kept, in the pool) is the robot's file.
trxi_draft *trxi_draft_create(trx_context *context, trxi_pool *pool, const char *path, const trx_import_options *options);

trx_context *trxi_draft_context(const trxi_draft *draft);
trxi_pool *trxi_draft_pool(const trxi_draft *draft);
const char *trxi_draft_path(const trxi_draft *draft);
const trx_import_options *trxi_draft_options(const trxi_draft *draft);
bool trxi_draft_ok(const trxi_draft *draft); // memory is not out

/// Zeroed memory of the pool; NULL when memory is out (sticky).
void *trxi_draft_take(trxi_draft *draft, size_t count, size_t size);
#define TRXI_DRAFT_TAKE(draft, type, count) ((type *)trxi_draft_take((draft), (size_t)(count), sizeof(type)))

/// printf into the pool; "" when memory is out.
const char *trxi_draft_printf(trxi_draft *draft, const char *format, ...) TRXI_PRINTF(2, 3);

void trxi_draft_note(trxi_draft *draft, trx_note_kind kind, trx_source source, const char *format, ...)
    TRXI_PRINTF(4, 5);

/// One more case of something that may happen often. All cases of the same texts become one note at the place of the
/// first: "BEFORE 12 MANY AFTER", "BEFORE 1 ONE AFTER", with the blanks that `before` and `after` bring themselves:
/// ("friction of ", "geometry", "geometries", " is that of the material").
void trxi_draft_tally(trxi_draft *draft, trx_note_kind kind, trx_source source, const char *before, const char *one,
                      const char *many, const char *after);

/// A name for a new thing: `raw` with the prefix; characters other than letters, digits, _ and - become _ (noted), a name
/// that does not start with a letter or is "world" gets what_ before it (noted; not after a prefix), a name that is taken
/// gets the ending _what (noted, with a number if need be), NULL or empty becomes what_N (noted). The name is taken from
/// then on. `what` is "link", "body", "joint", "geometry", "frame": one namespace; or "actuator", "constraint",
/// "keyframe": one each.
const char *trxi_draft_name(trxi_draft *draft, const char *raw, const char *what, trx_source source);

/// The name of the only joint of a body: the same, but it may be the body's own name. (Other joints: trxi_draft_name.)
const char *trxi_draft_joint_name(trxi_draft *draft, const char *raw, int body, trx_source source);

/// New definitions with defaults, in the order of the calls, parents before their children. The pointers are good until
/// trxi_draft_finish; a body's joints, geometries and frames may be added at any time. `name` comes from the functions
/// above; NULL is allowed for geometries (the model numbers them) and actuators (the joint's).
///
/// A free joint must be the only one of a body whose parent is the world. The body's pose is then where it starts, unless
/// trxi_draft_start says otherwise; in the result it is the identity, as the model wants it.
int trxi_draft_body(trxi_draft *draft, const char *name, trx_source source, int parent);
trx_body_def *trxi_draft_body_at(trxi_draft *draft, int body);
int trxi_draft_body_count(const trxi_draft *draft);
trx_joint_def *trxi_draft_joint(trxi_draft *draft, int body, const char *name, trx_source source);
trx_joint_def *trxi_draft_joint_at(trxi_draft *draft, int body, int joint);
int trxi_draft_joint_count(const trxi_draft *draft, int body);
trx_geometry_def *trxi_draft_geometry(trxi_draft *draft, int body, const char *name, trx_source source);
trx_geometry_def *trxi_draft_geometry_at(trxi_draft *draft, int body, int geometry);
int trxi_draft_geometry_count(const trxi_draft *draft, int body);
trx_frame_def *trxi_draft_frame(trxi_draft *draft, int body, const char *name, trx_source source);
trx_actuator_def *trxi_draft_actuator(trxi_draft *draft, const char *name, trx_source source);
trx_actuator_def *trxi_draft_actuator_at(trxi_draft *draft, int actuator);
int trxi_draft_actuator_count(const trxi_draft *draft);
trx_constraint_def *trxi_draft_constraint(trxi_draft *draft, const char *name, trx_source source);
trx_pair_selector *trxi_draft_exclude(trxi_draft *draft, trx_source source); // geometries -1
trx_pair_override *trxi_draft_override(trxi_draft *draft, trx_source source);
trx_keyframe *trxi_draft_keyframe(trxi_draft *draft, const char *name, trx_source source);

/// Definitions of the whole that are no lists: gravity, time step (of the file; NAN unless set), allow_adjacent.
void trxi_draft_gravity(trxi_draft *draft, const double gravity[3]);
void trxi_draft_time_step(trxi_draft *draft, double time_step);
void trxi_draft_allow_adjacent(trxi_draft *draft, bool allow);

/// Index of the material with this friction (options.material otherwise); NAN: the options' own.
int trxi_draft_material(trxi_draft *draft, double friction);

/// The same with torsional and rolling friction too.
int trxi_draft_material_turning(trxi_draft *draft, double friction, double torsional, double rolling);

/// Where the file puts a joint: numbers of q (as many as its type has); without a call zeros, identity, or its reference.
void trxi_draft_start(trxi_draft *draft, int body, int joint, const double *q);

/// The mesh of a file (STL or OBJ by its ending, read once), scaled; NULL when it is wrong (reported) or memory is out.
/// `uri`: a path relative to `folder` (or to the robot file's when NULL), file://, or package://.
const trx_mesh *trxi_draft_mesh(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                                const double scale[3]);

/// The same for a mesh that is only drawn: that it is not there or of another kind is a note, and NULL.
const trx_mesh *trxi_draft_drawing(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                                   const double scale[3]);

/// The inertia of a body about its com, `tensor` xx yy zz xy xz yz in body axes. It is judged when the draft is finished:
/// impossible ones are repaired if the options say so (noted), else reported at `source` with mass and moments; so is a
/// body that can move without moving any mass.
void trxi_draft_inertia(trxi_draft *draft, int body, trx_source source, double mass, const double com[3],
                        const double tensor[6]);

/// The same from geometry: uniform solids of the given masses, summed.
void trxi_draft_inertia_of_geometry(trxi_draft *draft, int body, trx_source source, const trx_geometry_def *geometry,
                                    const double *masses, int count);

/// Notes every element and attribute from `root` on that no one used (see formats/xml.h), as dropped. Attributes that
/// declare namespaces (xmlns) say nothing and are not noted.
void trxi_draft_note_unused(trxi_draft *draft, trxi_xml_node *root);

/// Judges inertias and starts and hands out the arrays. Errors: INPUT (reported), MEMORY.
trx_status trxi_draft_finish(trxi_draft *draft, trx_import_result *result);

#endif
