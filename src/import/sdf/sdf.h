// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// An SDF file while it is read: frames with their poses in the world, links and joints. collect.c collects them, with the models
// that include.c finds, frame.c resolves poses, tree.c connects links by joints, joint.c and link.c write both into the draft.

#ifndef TRXI_IMPORT_SDF_H
#define TRXI_IMPORT_SDF_H

#include "import/draft_state.h"
#include "import/element.h"

enum { TRXI_SDF_WORLD = 0, TRXI_SDF_NONE = -1 };

typedef enum trxi_sdf_kind { TRXI_SDF_ROOT, TRXI_SDF_MODEL, TRXI_SDF_LINK, TRXI_SDF_JOINT, TRXI_SDF_FRAME } trxi_sdf_kind;

/// Models, links, joints and <frame>s are frames. Frame 0 is the world.
typedef struct trxi_sdf_frame {
    trxi_sdf_kind kind;
    const char *name; // with the models around it: MODEL::LINK
    trxi_xml_node *node;
    trxi_xml_node *place; // has the <pose>: `node`, or the <include> around it
    int model;        // frame of the model around it
    int first_link;   // model: frame of its first link, TRXI_SDF_NONE without one
    int relative;     // frame in which `pose` is given
    int attached;     // frame to which it is fixed; a link: itself
    trx_pose pose, world;
    bool resolved;    // `world` is known

    // links
    const char *new_name; // in the draft
    bool is_static;
    int body;             // in the draft, -1 until it is made
    int joint;            // joint of the tree above it; TRXI_SDF_NONE: the world
    int first_joint;      // first joint of the tree below it (joints: the next one); TRXI_SDF_NONE at the end
    // joints
    int parent, child;    // links, or the world
    bool driven;          // one degree of freedom: the first joint of the body of `child`
} trxi_sdf_frame;

typedef struct trxi_sdf {
    trxi_draft *draft;
    trx_context *context;
    trxi_xml_node *root;
    int models;         // at the top of the file
    trxi_list frames;   // trxi_sdf_frame
    trxi_list included; // trxi_xml_node *: the roots of other files
    trxi_table names;  // to frames
} trxi_sdf;

trxi_sdf_frame *trxi_sdf_at(const trxi_sdf *sdf, int frame);

/// The name of a frame; without its model when the file has only one.
const char *trxi_sdf_shown(const trxi_sdf *sdf, int frame);


/// Numbers, a word, or a truth value in the child <NAME>; false, or NULL, without the child. Wrong values are
/// reported and leave the output unchanged.
bool trxi_sdf_numbers(trxi_sdf *sdf, trxi_xml_node *node, const char *name, int count, double *values);
const char *trxi_sdf_word(trxi_xml_node *node, const char *name);
bool trxi_sdf_is_true(trxi_sdf *sdf, trxi_xml_node *node, const char *name);

/// The name of an element; NULL without one (reported).
const char *trxi_sdf_name(trxi_sdf *sdf, trxi_xml_node *node);

/// The numbers in <pose>: x y z and angles, or a quaternion. The identity without <pose>.
trx_pose trxi_sdf_read_pose(trxi_sdf *sdf, trxi_xml_node *node);

/// The version of the file of `node` as a number; 1.10 and 1.11 come after 1.9. 0: it is not served.
double trxi_sdf_version(const trxi_xml_node *node);

/// The folder of the file of `node`; NULL: the folder of the robot's file.
const char *trxi_sdf_folder(trxi_sdf *sdf, const trxi_xml_node *node);

/// The model that an <include> names, inside `depth` other files; NULL when there is none (reported).
trxi_xml_node *trxi_sdf_include(trxi_sdf *sdf, trxi_xml_node *node, int depth);

/// Models, links, joints and frames of the file, without poses; false when one of them is wrong (reported).
bool trxi_sdf_collect(trxi_sdf *sdf);

/// The <uri> of an element, with model://NAME/PATH as package://NAME/PATH; NULL without one (reported).
const char *trxi_sdf_uri(trxi_sdf *sdf, trxi_xml_node *node);

/// The poses of all frames in the world; false when one of them is wrong (reported).
bool trxi_sdf_frames(trxi_sdf *sdf);

/// The frame called `name` inside the model at frame `model`; TRXI_SDF_NONE when there is none (reported at `node`).
int trxi_sdf_find(trxi_sdf *sdf, const trxi_xml_node *node, int model, const char *name);

/// The link (or the world) to which a frame is fixed; TRXI_SDF_NONE for a circle of frames or a model without links.
int trxi_sdf_link_of(const trxi_sdf *sdf, int frame);

/// The pose of frame `b` seen from frame `a`.
trx_pose trxi_sdf_between(const trxi_sdf *sdf, int a, int b);

/// The pose in <pose> of an element inside a link, in the frame of the link.
trx_pose trxi_sdf_pose_in_link(trxi_sdf *sdf, int link, trxi_xml_node *node);

/// Connects links by joints into trees; false when a joint does not connect two links (reported).
bool trxi_sdf_tree(trxi_sdf *sdf);

/// Put into the draft: the motion of a link behind its joint, or of a root; joints that close loops, after all bodies; motors.
void trxi_sdf_read_joint(trxi_sdf *sdf, int joint);
void trxi_sdf_read_root(trxi_sdf *sdf, int link);
void trxi_sdf_close_loops(trxi_sdf *sdf);
void trxi_sdf_drives(trxi_sdf *sdf);

/// Inertia and geometry of a link into its body.
void trxi_sdf_read_link(trxi_sdf *sdf, int link);

/// Reads a whole file into the draft, from its root <sdf>. Errors in the file are recorded in the context, whose count of errors
/// grows. Returns OK even after such errors; UNSUPPORTED for another version; MEMORY.
trx_status trxi_sdf_read(trxi_draft *draft, trxi_xml_node *root);

#endif
