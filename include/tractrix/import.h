// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Robots from files: URDF, MJCF and SDF, with their meshes, become definitions for trx_model_create. Nothing is dropped
// silently: a note with its place reports everything that was assumed, replaced, repaired or left out.

#ifndef TRACTRIX_IMPORT_H
#define TRACTRIX_IMPORT_H

#include <tractrix/model.h>

TRX_BEGIN_C

/// Joint between the root of a robot and the world.
typedef enum trx_base {
    TRX_BASE_OF_FILE = 0, // as in the file; URDF: fixed; SDF: free unless static or held
    TRX_BASE_FIXED = 1,
    TRX_BASE_FREE = 2,
    TRX_BASE_PLANAR = 3,  // moves in the xy plane of its pose
} trx_base;

/// Repair of an inertia that no solid can have. Each repair is a note; one by TRX_REPAIR_NEAREST over 1 % is also a warning.
typedef enum trx_repair_inertia {
    TRX_REPAIR_NONE = 0,          // an error
    TRX_REPAIR_BOUND = 1,         // raise mass and principal moments to the least values of a solid
    TRX_REPAIR_BALANCE = 2,       // keep the trace, move the moments to the nearest values that satisfy the triangle inequality
    TRX_REPAIR_FROM_GEOMETRY = 3, // mass of the file, spread uniformly over the link's collision (else visual) geometry
    TRX_REPAIR_NEAREST = 4,       // default: the nearest possible moments; a body that moves without inertia: as TRX_REPAIR_BOUND
} trx_repair_inertia;

typedef struct trx_import_options {
    size_t size;        // sizeof(trx_import_options), set by the default function
    const char *prefix; // "arm": names become "arm/link_7"; NULL or "": names as in the file
    trx_base base;
    trx_pose pose;      // of the robot's root in the world
    trx_material_def material; // of all geometries; its friction is for geometries without friction in the file
    trx_repair_inertia repair;
    const char *const *packages; // npackage texts "NAME=DIR" for package://NAME/..., before ROS_PACKAGE_PATH
    int npackage;
    bool keep_start; // true: MJCF joints may start outside their limits, as in the file; false: such a start moves to the limit
    trx_decomposition decompose; // of meshes that touch; default: none, they touch as their convex hulls
    bool skip_meshes; // true: a mesh that touches and cannot be used is left out, with a note; false: it is an error
} trx_import_options;

TRX_API trx_import_options trx_import_options_default(void);

typedef enum trx_note_kind {
    TRX_NOTE_ASSUMED = 0,  // the file leaves this open; a value was assumed
    TRX_NOTE_REPLACED = 1, // unsupported; replaced by something similar
    TRX_NOTE_DROPPED = 2,  // unsupported; left out
    TRX_NOTE_REPAIRED = 3, // wrong in the file; changed as the options say
    TRX_NOTE_MISSING = 4,  // unsupported geometry that touches or weighs; left out
} trx_note_kind;

/// "assumed", "replaced", "dropped", "repaired", "missing"; "" if out of range.
TRX_API const char *trx_note_kind_name(trx_note_kind kind);

typedef struct trx_note {
    trx_note_kind kind;
    trx_source source;
    const char *text; // one sentence without its full stop
    const char *form; // notes of one kind of finding have equal forms: the sentence before its names and numbers are filled in
    const trx_source *places; // further places, if the note sums up several findings; `source` is the first place
    int nplace;
} trx_note;

/// A named state. Numbers in the order of the import's own bodies and joints.
typedef struct trx_keyframe {
    const char *name; // with the prefix
    trx_source source;
    const double *q, *v, *u; // nq, nv, nu of the import; v and u may be NULL for zero
    const double *a;         // nu: activation of each actuator that has one; NULL: their starts
} trx_keyframe;

typedef struct trx_import_result {
    trx_model_def def;  // bodies parents first; materials, actuators, constraints, exclude, overrides; indices start at 0 here
    int nq, nv;         // of these bodies, in the order of bodies and their joints
    const double *q0;   // nq: start configuration of the file
    const trx_keyframe *keyframes;
    int nkeyframe;
    const trx_note *notes; // in file order as far as known
    int nnote;
    double gravity[3];  // of the file; NAN when not given [m/s^2]
    double time_step;   // of the file; NAN when not given [s]
} trx_import_result;

typedef struct trx_import trx_import;

/// Reads the robot in `path`. All errors are recorded in the context with file, line and column. Errors: ARGUMENT,
/// IO, INPUT, UNSUPPORTED (SDF before 1.4), MEMORY. Environment: ROS_PACKAGE_PATH is read.
TRX_API trx_status trx_import_load(trx_context *context, const char *path, const trx_import_options *options,
                                   trx_import **import);

/// Reads a robot from a text of `length` bytes. `path` names the text in messages and is the base of relative paths.
TRX_API trx_status trx_import_load_text(trx_context *context, const char *path, const char *text, size_t length,
                                        const trx_import_options *options, trx_import **import);

TRX_API void trx_import_destroy(trx_import *import);

/// The definitions. These views live as long as the import.
TRX_API const trx_import_result *trx_import_get(const trx_import *import);

TRX_END_C

#endif
