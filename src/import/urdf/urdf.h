// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A URDF robot while it is read: its links and joints by name and by position in the tree. tree.c checks the tree,
// link.c and joint.c write links and joints into the draft, drives.c the actuators, and contact.c friction and
// pairs.

#ifndef TRXI_IMPORT_URDF_H
#define TRXI_IMPORT_URDF_H

#include "import/draft_state.h"
#include "import/element.h"

enum { TRXI_URDF_WORLD = -1, TRXI_URDF_NONE = -2 };

typedef struct trxi_urdf_link {
    const char *name;
    trxi_xml_node *node;
    int joint;            // joint whose child is this link; TRXI_URDF_NONE for a root
    int first_joint;      // first joint whose parent is this link, TRXI_URDF_NONE without one; the others by next_joint
    int body;             // index in the draft; TRXI_URDF_WORLD for the world
    const char *new_name; // in the draft
    double friction;      // of its collision geometry, by the simulator's extension; NAN without one
    bool lacks_moments;   // its inertia has a mass and no moments
    double density;       // of its collision geometry, from which its inertia follows; NAN: the inertia is given
} trxi_urdf_link;

typedef enum trxi_urdf_type {
    TRXI_URDF_FIXED,
    TRXI_URDF_REVOLUTE,
    TRXI_URDF_CONTINUOUS,
    TRXI_URDF_PRISMATIC,
    TRXI_URDF_FLOATING,
    TRXI_URDF_PLANAR,
    TRXI_URDF_BALL,
} trxi_urdf_type;

typedef struct trxi_urdf_joint {
    const char *name;
    trxi_xml_node *node;
    trxi_urdf_type type;
    int parent, child; // links; TRXI_URDF_WORLD: the parent is `world`, and no link has this name
    int next_joint;    // of the same parent
    bool driven;       // one degree of freedom: the first joint of `body`
    int body;          // index in the draft
    trxi_xml_node *mimic, *limit;
} trxi_urdf_joint;

typedef struct trxi_urdf {
    trxi_draft *draft;
    trx_context *context;
    trxi_xml_node *root;
    trxi_urdf_link *links;
    trxi_urdf_joint *joints;
    int nlink, njoint;
    int first_on_world; // first joint with the parent TRXI_URDF_WORLD, TRXI_URDF_NONE when there is none; the others by next_joint
    int base;           // the link that is the robot's root; TRXI_URDF_WORLD when all children are on the world
    trxi_table link_names, joint_names;
    trxi_table colors;     // of named materials, to indices of color_nodes
    trxi_list color_nodes; // trxi_urdf_color
} trxi_urdf;

typedef struct trxi_urdf_color {
    double rgba[4];
    bool given;
} trxi_urdf_color;


/// Attributes. Wrong attributes are reported at their element and leave `values` unchanged. `required`: a missing
/// attribute is reported too. Returns true for a valid value. Texts are always required: NULL, with an error, when
/// the text is missing or empty.
bool trxi_urdf_numbers(trxi_urdf *urdf, trxi_xml_node *node, const char *key, int count, bool required, double *values);
const char *trxi_urdf_text(trxi_urdf *urdf, trxi_xml_node *node, const char *key);

/// A child <NAME value="..."/> or <NAME>...</NAME> with one number; false without a child (wrong numbers are
/// reported).
bool trxi_urdf_value(trxi_urdf *urdf, trxi_xml_node *node, const char *name, double *value);

/// The pose in <origin>; the identity when there is none.
trx_pose trxi_urdf_origin(trxi_urdf *urdf, trxi_xml_node *node);

/// The link called `name`, TRXI_URDF_NONE when there is none (reported at `node`).
int trxi_urdf_find_link(trxi_urdf *urdf, const trxi_xml_node *node, const char *name);

/// "; did you mean ...?" for a name that no joint has; "" when none is near.
const char *trxi_urdf_suggest_joint(trxi_urdf *urdf, const char *name);

/// Links and joints, and the check that they are a tree; false when they are not (reported).
bool trxi_urdf_tree(trxi_urdf *urdf);

/// Inertia, geometry of a link into its body.
void trxi_urdf_link_read(trxi_urdf *urdf, trxi_urdf_link *link);

/// Bodies and joints of a link that a joint moves, on the body `parent`; body of the base.
void trxi_urdf_joint_read(trxi_urdf *urdf, trxi_urdf_joint *joint, int parent);
void trxi_urdf_base_read(trxi_urdf *urdf, trxi_urdf_link *link);

/// Couplers of joints that mimic others, and their start positions.
void trxi_urdf_mimics(trxi_urdf *urdf);

/// Actuators: by transmissions, or a motor for every joint.
void trxi_urdf_drives(trxi_urdf *urdf);

/// Friction by extensions, before the links are read; links that do not touch, afterwards.
void trxi_urdf_frictions(trxi_urdf *urdf);
void trxi_urdf_filters(trxi_urdf *urdf);

/// Colours of the robot's own materials, before the links are read; the colour of a visual, false without a colour.
void trxi_urdf_colors(trxi_urdf *urdf);
bool trxi_urdf_color_of(trxi_urdf *urdf, trxi_xml_node *visual, double rgba[4]);

/// Reads a whole file into the draft, from its root <robot>. Errors are in the context; its count of errors grows.
void trxi_urdf_read(trxi_draft *draft, trxi_xml_node *root);

#endif
