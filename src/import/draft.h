// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The common output of the readers of robot files: definitions in a growing pool, names, notes. Readers
// differ only in the file's language; names, materials, meshes, inertias and the final arrays are the same for all.
//
// After memory has run out, trxi_draft_ok stays false and readers stop soon. Until then they write into a sink that
// nobody reads: definitions and texts are never NULL.

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

/// Counts a case that may occur often. All cases with the same texts become one note at the place of the first
/// case: "BEFORE 12 MANY AFTER" or "BEFORE 1 ONE AFTER". `before` and `after` contain their own blanks: ("friction
/// of ", "geometry", "geometries", " is that of the material").
void trxi_draft_tally(trxi_draft *draft, trx_note_kind kind, trx_source source, const char *before, const char *one,
                      const char *many, const char *after);

/// A valid, free name for a new thing: `raw` with the prefix. Characters other than letters, digits, _ - : + @ and
/// blanks inside become _ (noted). A name that does not start with a letter or is "world" gets what_ before it (noted; not after a
/// prefix). A name that is already used gets the ending _what (noted, with a number if necessary). NULL or an empty
/// name becomes what_N (noted). The name is then used. `what` is "link", "body" or "frame": one namespace; or "joint",
/// "geometry", "actuator", "constraint", "keyframe": one namespace each.
const char *trxi_draft_name(trxi_draft *draft, const char *raw, const char *what, trx_source source);

/// A name for the only joint of a body: like trxi_draft_name, but a joint without a name gets the body's.
const char *trxi_draft_joint_name(trxi_draft *draft, const char *raw, int body, trx_source source);

/// New definitions with defaults, in the order of the calls, parents before their children. The pointers are valid
/// until trxi_draft_finish. A body's joints, geometries and frames may be added at any time. `name` comes from the
/// functions above; NULL is allowed for geometries (the model numbers them) and actuators (they get the joint's
/// name).
///
/// A free joint must be the only joint of a body whose parent is the world. The body's pose is then its start pose,
/// unless trxi_draft_start says otherwise; in the result it is the identity, as the model requires.
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
trx_tendon_def *trxi_draft_tendon(trxi_draft *draft, const char *name, trx_source source);
int trxi_draft_tendon_count(const trxi_draft *draft);
trx_actuator_def *trxi_draft_actuator(trxi_draft *draft, const char *name, trx_source source);
trx_actuator_def *trxi_draft_actuator_at(trxi_draft *draft, int actuator);
int trxi_draft_actuator_count(const trxi_draft *draft);
trx_constraint_def *trxi_draft_constraint(trxi_draft *draft, const char *name, trx_source source);
trx_pair_selector *trxi_draft_exclude(trxi_draft *draft, trx_source source); // geometries -1
trx_pair_override *trxi_draft_override(trxi_draft *draft, trx_source source);
trx_keyframe *trxi_draft_keyframe(trxi_draft *draft, const char *name, trx_source source);

/// Definitions of the whole model that are no lists: gravity, time step (of the file; NAN unless set),
/// allow_adjacent.
void trxi_draft_gravity(trxi_draft *draft, const double gravity[3]);
void trxi_draft_time_step(trxi_draft *draft, double time_step);
void trxi_draft_allow_adjacent(trxi_draft *draft, bool allow);

/// Pairs of the draft's own geometries take the larger friction. Call it before the first material.
void trxi_draft_larger_friction(trxi_draft *draft);

/// Index of the material with this friction, otherwise like options.material; NAN: options.material itself.
int trxi_draft_material(trxi_draft *draft, double friction);

/// Index of the material that also has this torsional and rolling friction.
int trxi_draft_material_turning(trxi_draft *draft, double friction, double torsional, double rolling, bool slippery);

/// Start position of a joint in the file: numbers of q (as many as its type has). Default: zeros, identity, or its
/// reference.
void trxi_draft_start(trxi_draft *draft, int body, int joint, const double *q);

/// The mesh of a file (its format by its ending, read once), scaled; NULL when it is wrong (reported) or memory is
/// out. `uri`: a path relative to `folder` (if NULL, to the robot file's folder), file://, or package://.
const trx_mesh *trxi_draft_mesh(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                                const double scale[3]);

/// Like trxi_draft_mesh, but of an OBJ file only the triangles from which MuJoCo computes masses (formats/mesh_read.h).
const trx_mesh *trxi_draft_mujoco_mesh(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                                       const double scale[3]);

/// Like trxi_draft_mesh, for a mesh that touches as its convex hull, or as convex parts, which is noted. A flat mesh becomes a thin
/// plate.
const trx_mesh *trxi_draft_touching_mesh(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                                         const double scale[3]);

/// A mesh that is only drawn. A missing file or another format is only a note, and NULL.
const trx_mesh *trxi_draft_drawing(trxi_draft *draft, trx_source source, const char *uri, const char *folder,
                                   const double scale[3]);

/// Thickens a flat box to a plate, and returns false for other shapes without volume, which are left out. Both are noted at
/// `source`.
bool trxi_draft_keep_shape(trxi_draft *draft, trx_source source, bool collide, trx_shape *shape);

/// The inertia of a body about its com, `tensor` xx yy zz xy xz yz in body axes. The inertia is checked when the draft
/// is finished: an impossible inertia is repaired if the options say so (noted), else reported at `source` with mass
/// and moments. A body that can move without moving any mass is handled in the same way.
void trxi_draft_inertia(trxi_draft *draft, int body, trx_source source, double mass, const double com[3],
                        const double tensor[6]);

/// Gives the inertia of a body the moments of its mass spread evenly over the geometry that touches, else over drawn geometry; the
/// centre of mass stays. Without geometry nothing changes.
void trxi_draft_spread_mass(trxi_draft *draft, int body);

/// Sets the inertia of a body from geometry: the sum of uniform solids of the given masses.
void trxi_draft_inertia_of_geometry(trxi_draft *draft, int body, trx_source source, const trx_geometry_def *geometry,
                                    const double *masses, int count);

/// Lengths of a muscle as MJCF files give them.
typedef struct trxi_draft_lengths {
    double relative[2]; // ends of the range of its lengths, relative to the optimal length
    double range[2];    // the same ends [m or rad]; equal ends: from the ranges of the joints that move it
    double scale;       // where its gain is negative: gain = scale/|M^-1 J^T| [m/s^2 or rad/s^2]
} trxi_draft_lengths;

/// Sets the optimal length, the tendon length and, if it is negative, the gain of a muscle when the draft is finished. A computed
/// range is noted.
void trxi_draft_muscle(trxi_draft *draft, int actuator, const trxi_draft_lengths *of);

/// Notes as dropped every element and attribute from `root` on that was not used (see formats/xml.h), except
/// attributes that declare namespaces (xmlns).
void trxi_draft_note_unused(trxi_draft *draft, trxi_xml_node *root);

/// Checks inertias and start positions and returns the arrays. Errors: INPUT (reported), MEMORY.
trx_status trxi_draft_finish(trxi_draft *draft, trx_import_result *result);

#endif
