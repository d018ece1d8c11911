// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common elements of URDF and SDF files: elements with or without the namespace of Drake, and the elements of shapes.

#ifndef TRXI_IMPORT_ELEMENT_H
#define TRXI_IMPORT_ELEMENT_H

#include "formats/xml.h"
#include "import/draft_state.h"

/// The next child called `name` from *index on, marked as used; NULL when there is none. Simulators put their elements into
/// namespaces of their own; the prefix "drake:" is left out of the comparison.
trxi_xml_node *trxi_element_next(trxi_xml_node *node, const char *name, int *index);

/// The first child called `name`, like trxi_element_next; NULL also when `node` is NULL.
trxi_xml_node *trxi_element_child(trxi_xml_node *node, const char *name);

/// The element of a shape in <geometry>, and its type; NULL when there is none, or no <geometry>.
trxi_xml_node *trxi_element_shape(trxi_xml_node *geometry, trx_shape_type *type);

/// Turns a pose so that its z axis is the normal of <plane>: the half space below the plane. False, with an error at `node`, when
/// the normal is 0.
bool trxi_element_turn_plane(trx_context *context, const trxi_xml_node *node, const double normal[3], trx_pose *pose);

/// Whether a shape can be used. A shape without volume becomes thin or is noted, sizes that no shape has are errors at `node`.
bool trxi_element_check_shape(trxi_draft *draft, const trxi_xml_node *node, bool collide, trx_shape *shape);

#endif
