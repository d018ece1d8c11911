// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Internal interface of the MJCF reader. The elements are read section by section, whatever their order in the
// file: settings, default classes, assets, bodies; then elements that refer to them. Values that MuJoCo computes
// during compilation (masses, inertias, orientations, gains) are computed here by the same rules.

#ifndef TRXI_IMPORT_MJCF_H
#define TRXI_IMPORT_MJCF_H

#include "import/draft.h"
#include "import/draft_state.h"
#include "import/pose.h"

/// Kinds of things with their own namespace in an MJCF file.
typedef enum trxi_mjcf_kind {
    TRXI_MJCF_CLASS,
    TRXI_MJCF_BODY,
    TRXI_MJCF_JOINT,
    TRXI_MJCF_GEOM,
    TRXI_MJCF_SITE,
    TRXI_MJCF_MESH,
    TRXI_MJCF_MATERIAL,
    TRXI_MJCF_TENDON,
    TRXI_MJCF_ACTUATOR,
    TRXI_MJCF_HFIELD,
} trxi_mjcf_kind;

/// A class of defaults: the elements that were written into it, in order. It inherits the elements that its parent
/// had when the class was made.
typedef struct trxi_mjcf_class {
    const char *name;
    const struct trxi_mjcf_class *parent; // NULL for the main class
    int inherited; // number of inherited nodes of the parent
    trxi_list nodes; // trxi_mjcf_default
} trxi_mjcf_class;

typedef struct trxi_mjcf_default {
    trxi_xml_node *node;
} trxi_mjcf_default;

/// Part of the mass of a body, in its frame.
typedef struct trxi_mjcf_solid {
    double mass, com[3], tensor[6]; // about com, axes of the frame: xx yy zz xy xz yz [kg, m, kg m^2]
} trxi_mjcf_solid;

typedef struct trxi_mjcf_body {
    trx_source source;
    int draft; // index in the draft
    int parent; // index here, -1: the world
    trx_pose world; // at the reference configuration, in the world of the file
    double pos[3]; // as the element says, without frames around it
    bool infer; // its mass comes from its geoms
    trxi_list solids; // trxi_mjcf_solid: geoms with mass
    trxi_mjcf_solid sum;
    trx_source inertia_source;
} trxi_mjcf_body;

typedef struct trxi_mjcf_joint {
    trx_source source;
    int body; // index here
    int index; // in the body of the draft; -1 when the options' base replaces it
    trx_joint_type type;
    double at[3], axis[3]; // body frame
    double reference, rest; // ref, springref
    double start; // of a hinge or slide: the reference, or the limit that it was moved to
    double range[2]; // -INFINITY, INFINITY without limits
    double effort[2]; // of all its actuators together
    int actuators; // number of actuators that act on it; a tendon counts twice
    double spring[2]; // time constant and damping ratio, when positive
} trxi_mjcf_joint;

/// Index under which the name of a geom that is left out is registered.
enum { TRXI_MJCF_LEFT_OUT = 1 << 30 };

typedef struct trxi_mjcf_geom {
    int body, index; // in the draft
    int owner;       // the body here, -1: the world
    double friction; // NAN: the file does not say
    int dimension; // condim: 1, 3, 4 with torsional, 6 with rolling friction too
    double torsional, rolling; // its lengths, whether the dimension enables them or not
    unsigned bit; // of its type, for the other geoms of its pairs; 0: none
} trxi_mjcf_geom;

typedef struct trxi_mjcf_site {
    int body; // index here, -1: the world
    trx_pose pose;
} trxi_mjcf_site;

typedef enum trxi_mjcf_mesh_inertia {
    TRXI_MJCF_MESH_CONVEX,
    TRXI_MJCF_MESH_EXACT,
    TRXI_MJCF_MESH_LEGACY,
    TRXI_MJCF_MESH_SHELL,
} trxi_mjcf_mesh_inertia;

typedef struct trxi_mjcf_mesh {
    trx_source source;
    const char *name, *uri, *folder; // uri NULL: vertices are in the file
    double scale[3];
    trx_pose reference; // its inverse is applied to the vertices
    bool moved;
    int nvertex, nface;
    const double *vertices, *faces; // of the file
    const char *material;
    trxi_mjcf_mesh_inertia inertia;
    bool loaded, weighed;
    const trx_mesh *mesh; // NULL: could not be read (reported or noted)
    trxi_mjcf_solid solid; // for density 1: mass is the volume (area of a shell)
} trxi_mjcf_mesh;

typedef struct trxi_mjcf_field {
    trxi_xml_node *node;
    const char *uri, *folder; // uri NULL: heights are in the file
    double size[4];           // half lengths along x and y, the greatest height, depth of the bottom [m]
    bool loaded;
    int columns;
    const trx_mesh *mesh;     // the surface; NULL: could not be read (reported or noted)
} trxi_mjcf_field;

typedef struct trxi_mjcf_material {
    double color[4];
} trxi_mjcf_material;

/// l = sum_i factor_i q_i, or the length of a path, which has no factors.
typedef struct trxi_mjcf_tendon {
    trx_source source;
    bool fixed;
    int draft;        // index in the draft, -1: wrong (reported) or without effect
    double reference; // its length at the reference configuration
    int count;
    int *joints; // indices here
    double *factors;
    double range[2];
    double effort[2];
    int actuators; // number of actuators that act on it
} trxi_mjcf_tendon;

/// Result of an actuator of the file.
typedef struct trxi_mjcf_actuator {
    int draft; // index there, -1: left out
    int joint; // index here, -1: a tendon
    int tendon;
    double gear;
    bool stateful; // it has a number in the activations of the file
} trxi_mjcf_actuator;

/// The joint-space mass matrix at the reference configuration, for the joints of the file.
typedef struct trxi_mjcf_mass {
    int nv;
    int *dof;       // first dof of each joint
    double *matrix; // nv x nv, lower triangle
    double *factor; // Cholesky factor of the matrix, lower triangle
    bool made, good;
} trxi_mjcf_mass;

typedef enum trxi_mjcf_infer { TRXI_MJCF_INFER_NEVER, TRXI_MJCF_INFER_ALWAYS, TRXI_MJCF_INFER_AUTO } trxi_mjcf_infer;

typedef struct trxi_mjcf_compiler {
    double angle; // radians per unit of an angle in the file
    bool autolimits, balance_inertia, strip_path, fit_box;
    char eulerseq[3];
    const char *mesh_folder;
    double bound_mass, bound_inertia, total_mass;
    trxi_mjcf_infer infer;
    int group_range[2];
} trxi_mjcf_compiler;

/// Number of flags that disable features.
enum { TRXI_MJCF_FLAGS = 11 };

/// Features that the option disables, by flags and by groups of actuators.
typedef struct trxi_mjcf_off {
    bool flags[TRXI_MJCF_FLAGS]; // whether a flag disables its features, in the order of settings.c
    bool contact, equality, frictionloss, limit, spring, damper, clampctrl, actuation;
    unsigned actuator_groups; // bit i: group i
} trxi_mjcf_off;

/// The medium of the option.
typedef struct trxi_mjcf_fluid {
    trx_source source;
    double density, viscosity, wind[3];
} trxi_mjcf_fluid;

/// The content of an attached model (attach.c): the frame that holds its bodies, and the sections whose parent is the frame.
typedef struct trxi_mjcf_part {
    const trxi_xml_node *frame;
    trxi_mjcf_compiler compiler;
    const char *main; // name of its main class
    const trxi_mjcf_class *class;
    bool copied; // by a replicate around it: its keyframes have no meaning
    int first_joint, joints, first_actuator, actuators; // its joints and actuators: index here of the first, and how many
} trxi_mjcf_part;

/// First letter of the names of classes of parts.
#define TRXI_MJCF_CLASS_MARK '\x01'

/// A change of names: `name` and references, which may be limited to the names in `only` ("kind:name", from
/// trxi_mjcf_collect_names). `classes` is the prefix of classes; NULL: they are treated as other names.
typedef struct trxi_mjcf_renaming {
    const char *prefix, *suffix, *classes;
    const trxi_table *only;
} trxi_mjcf_renaming;

typedef struct trxi_mjcf {
    trxi_draft *draft;
    trx_context *context;
    trxi_xml_node *root;
    trxi_mjcf_compiler compiler;
    trxi_mjcf_off off;
    trxi_mjcf_fluid fluid;
    trxi_list classes, bodies, joints, geoms, sites, meshes, fields, materials, tendons; // of the types above
    trxi_list actuators; // trxi_mjcf_actuator
    bool odd_controls; // an actuator that is left out has more controls than one
    trxi_table names, reported;
    trxi_mjcf_mass mass;
    int world; // index in the draft of the body that carries the world's geometry, -1: none yet
    trxi_list parts; // trxi_mjcf_part
    int copies, attached; // elements that were copied, files that were attached
} trxi_mjcf;

/// An element with its class of defaults. `kind` is the name of the elements in the class that apply; "actuator"
/// stands for all kinds of actuators.
typedef struct trxi_mjcf_element {
    trxi_mjcf *reader;
    trxi_xml_node *node;
    const char *kind;
    const trxi_mjcf_class *class; // NULL: none
} trxi_mjcf_element;

/// The i-th item of a list.
#define TRXI_MJCF_AT(list, type, i) ((type *)(list).items[i])

// ---- attributes (attribute.c) ----

/// The element's attribute, else the nearest one in its class; NULL when there is none. `where` may be NULL.
const char *trxi_mjcf_text(const trxi_mjcf_element *e, const char *key, trx_source *where);

/// For attributes that exclude each other (the five forms of an orientation): finds the nearest place that sets one of `keys`,
/// the element itself before its classes. Returns the index of the key, -1 when no place has one. `at` gets an element
/// without class through which the other functions read this place. More than one key at one place is an error.
int trxi_mjcf_choice(const trxi_mjcf_element *e, const char *const *keys, int count, trxi_mjcf_element *at);

/// Reads `least` to `most` numbers. Returns their number, 0 when the attribute is missing or wrong (reported).
int trxi_mjcf_numbers(const trxi_mjcf_element *e, const char *key, int least, int most, double *values);

/// Reads 1 to `most` numbers. If a list is shorter, the missing numbers come from the next place that has more.
int trxi_mjcf_numbers_over(const trxi_mjcf_element *e, const char *key, int most, double *values);

/// condim of a geom or a pair: 1, 3, 4 or 6.
int trxi_mjcf_dimension(const trxi_mjcf_element *e);

/// The material of a geom that touches, by its index in the draft. A length of friction counts only if the dimension of the contact
/// has it; otherwise the material of the import gives it.
int trxi_mjcf_touching_material(trxi_mjcf *reader, const trxi_mjcf_geom *geom);

double trxi_mjcf_number(const trxi_mjcf_element *e, const char *key, double fallback);
int trxi_mjcf_integer(const trxi_mjcf_element *e, const char *key, int fallback);
bool trxi_mjcf_flag(const trxi_mjcf_element *e, const char *key, bool fallback);

/// Index of the attribute in `words` (count of them); `fallback` without the attribute, or for another word (reported).
int trxi_mjcf_word(const trxi_mjcf_element *e, const char *key, const char *const *words, int count, int fallback);

/// The pair `range`, enabled by `limited`: returns true when there are limits. Units as in the file.
bool trxi_mjcf_range(const trxi_mjcf_element *e, const char *range, const char *limited, double out[2]);

/// A required attribute; NULL when it is missing (reported).
const char *trxi_mjcf_required(const trxi_mjcf_element *e, const char *key);

/// Records an error once for each place `source` and `key`.
void trxi_mjcf_error(const trxi_mjcf_element *e, trx_source source, const char *key, const char *format, ...)
    TRXI_PRINTF(4, 5);

/// Whether elements of this name are actuators.
bool trxi_mjcf_is_actuator(const char *name);

/// An element that has no class.
trxi_mjcf_element trxi_mjcf_plain(trxi_mjcf *reader, trxi_xml_node *node);

// ---- names (names.c) ----

/// Registers the attribute "name" of the element for thing number `index` of its kind; NULL without a name. A name
/// that is already used is reported.
const char *trxi_mjcf_bind(trxi_mjcf *reader, trxi_mjcf_kind kind, trxi_xml_node *node, int index);
void trxi_mjcf_bind_name(trxi_mjcf *reader, trxi_mjcf_kind kind, const char *name, trx_source source, int index);

/// Index of a thing by name, -1 when there is none.
int trxi_mjcf_find(trxi_mjcf *reader, trxi_mjcf_kind kind, const char *name);

/// Index of the thing that the attribute names; -1 without the attribute or for an unknown thing (reported).
int trxi_mjcf_refer(const trxi_mjcf_element *e, const char *key, trxi_mjcf_kind kind);

// ---- sections ----

void trxi_mjcf_include(trxi_mjcf *reader);
void trxi_mjcf_expand(trxi_mjcf *reader);
void trxi_mjcf_read_settings(trxi_mjcf *reader);
void trxi_mjcf_read_defaults(trxi_mjcf *reader);
void trxi_mjcf_read_assets(trxi_mjcf *reader);
void trxi_mjcf_read_bodies(trxi_mjcf *reader);
void trxi_mjcf_finish_inertia(trxi_mjcf *reader);
void trxi_mjcf_finish_fluid(trxi_mjcf *reader);
void trxi_mjcf_read_contact(trxi_mjcf *reader);
void trxi_mjcf_read_tendons(trxi_mjcf *reader);
void trxi_mjcf_read_equality(trxi_mjcf *reader);
void trxi_mjcf_read_actuators(trxi_mjcf *reader);
void trxi_mjcf_read_keyframes(trxi_mjcf *reader);

/// Marks the elements that this reader knows and sums up in notes the ones without a counterpart.
void trxi_mjcf_note_known(trxi_mjcf *reader);

/// Calls `read` for every child of every section called `section`.
void trxi_mjcf_each(trxi_mjcf *reader, const char *section, void (*read)(trxi_mjcf *reader, trxi_xml_node *node));

// ---- copies and attached models (attach.c, replicate.c, graft.c) ----

/// `path` in the folder of `file`; an absolute path stays as it is.
const char *trxi_mjcf_in_folder_of(trxi_draft *draft, const char *file, const char *path);

/// Replaces the includes below the root of another file.
void trxi_mjcf_include_into(trxi_mjcf *reader, trxi_xml_node *root);

/// The settings in the file with this root and path.
trxi_mjcf_compiler trxi_mjcf_compiler_of(trxi_mjcf *reader, trxi_xml_node *root, const char *path);

/// Appends the copies of a <replicate> to `out`, and copies of the elements that refer to its content to the list of sections
/// `root`.
void trxi_mjcf_replicate(trxi_mjcf *reader, trxi_xml_node *node, trxi_list *root, trxi_list *out);

/// The part that has this frame; the part that an element of a section comes from. NULL: the main file.
trxi_mjcf_part *trxi_mjcf_part_at(trxi_mjcf *reader, const trxi_xml_node *frame);
trxi_mjcf_part *trxi_mjcf_part_of(trxi_mjcf *reader, const trxi_xml_node *element);

/// The part that attached this part; NULL when the main file did.
trxi_mjcf_part *trxi_mjcf_part_around(trxi_mjcf *reader, const trxi_mjcf_part *part);

/// When `from` is the frame of a part, makes another part with the frame `to`.
void trxi_mjcf_copy_part(trxi_mjcf *reader, const trxi_xml_node *from, const trxi_xml_node *to);

/// Adds the names of an element and of all elements inside it to the table.
void trxi_mjcf_collect_names(trxi_mjcf *reader, const trxi_xml_node *node, trxi_table *names);

/// Whether an element, or one inside, refers to one of the names.
bool trxi_mjcf_refers_to(trxi_mjcf *reader, const trxi_xml_node *node, const trxi_table *names);

void trxi_mjcf_rename(trxi_mjcf *reader, trxi_xml_node *node, const trxi_mjcf_renaming *change);

/// A copy of an element and of all elements inside it; NULL when memory is out, or when too much is copied (reported).
trxi_xml_node *trxi_mjcf_clone(trxi_mjcf *reader, const trxi_xml_node *node, trxi_xml_node *parent);

/// Appends a node to a list of nodes.
void trxi_mjcf_append(trxi_mjcf *reader, trxi_list *list, trxi_xml_node *node);

// ---- parts of the sections ----

/// The medium that an option gives.
void trxi_mjcf_read_fluid(const trxi_mjcf_element *e);

/// The class that the attribute `key` of an element names. Without this attribute: `around`, the class of the elements around it
/// (NULL: the main class of its file).
const trxi_mjcf_class *trxi_mjcf_class_of(trxi_mjcf *reader, trxi_xml_node *node, const char *key,
                                          const trxi_mjcf_class *around);

/// Position and orientation from any of their attributes.
trx_pose trxi_mjcf_pose(const trxi_mjcf_element *e);

/// Minimal rotation of z to the direction of `axis`, which may have any length.
void trxi_mjcf_quat_of_axis(const double axis[3], double quat[4]);

/// A joint of body `body` (index here), given in a frame of the body; `only`: it alone moves the body.
void trxi_mjcf_read_joint(trxi_mjcf *reader, trxi_xml_node *node, int body, const trx_pose *frame,
                          const trxi_mjcf_class *class, bool only);

/// A geom of body `body` (-1: the world).
void trxi_mjcf_read_geom(trxi_mjcf *reader, trxi_xml_node *node, int body, const trx_pose *frame,
                         const trxi_mjcf_class *class);

/// Index in the draft of the body that carries `body` (index here; -1: the world, for which a body is made; its
/// frame is the world of the file).
int trxi_mjcf_carrier(trxi_mjcf *reader, int body, trx_source source);

/// Pose of body `body` (index here; -1: the world) at the reference configuration, in the world of the file.
trx_pose trxi_mjcf_world(const trxi_mjcf *reader, int body);

/// The inertia given by the element.
void trxi_mjcf_read_inertial(trxi_mjcf *reader, trxi_xml_node *node, int body, const trx_pose *frame);

/// Loads the mesh. `drawn`: it is only needed for drawing. NULL when it cannot be loaded.
const trx_mesh *trxi_mjcf_load_mesh(trxi_mjcf *reader, trxi_mjcf_mesh *mesh, bool drawn);

/// The surface of a height field, and its numbers. NULL when it cannot be loaded (reported or noted).
const trx_mesh *trxi_mjcf_load_field(trxi_mjcf *reader, trxi_mjcf_field *field, bool drawn);

/// Volume, centre and inertia for density 1 by the mesh's own rule; false when they do not exist (reported).
bool trxi_mjcf_weigh_mesh(trxi_mjcf *reader, trxi_mjcf_mesh *mesh);

/// Area of the surface of a primitive, and its inertia about its centre for density 1 per area; 0 when not
/// supported.
double trxi_mjcf_shell(const trx_shape *shape, double tensor[6]);

/// Eigenvalues (descending) and right-handed eigenvectors (columns of R) of a symmetric matrix xx yy zz xy xz yz.
void trxi_mjcf_eigen(const double tensor[6], double values[3], double R[9]);

/// 1 / (J M^-1 J^T) at the reference configuration for a length that moves with `factors` times the joints (indices
/// here); 0 when the joints cannot move or have no mass.
double trxi_mjcf_reflected_mass(trxi_mjcf *reader, const int *joints, const double *factors, int count);

/// Reads the path of a spatial tendon and its length at the reference configuration; false when it is wrong (reported).
bool trxi_mjcf_read_path(const trxi_mjcf_element *e, trxi_mjcf_tendon *tendon, trx_tendon_def *def);

/// The joints of a fixed tendon, by their indices in the draft; NULL when memory is out.
const trx_joint_factor *trxi_mjcf_tendon_factors(trxi_mjcf *reader, const trxi_mjcf_tendon *tendon);

/// Stiffness and damping of joints with a time constant and a damping ratio.
void trxi_mjcf_tune_springs(trxi_mjcf *reader);

/// Reads a whole file into the draft, from its root <mujoco>. Errors are in the context; its count of errors grows.
void trxi_mjcf_read(trxi_draft *draft, trxi_xml_node *root);

#endif
