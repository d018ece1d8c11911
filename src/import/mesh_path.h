// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// From what a robot file writes for another file to a path that can be opened.

#ifndef TRXI_IMPORT_MESH_PATH_H
#define TRXI_IMPORT_MESH_PATH_H

#include "import/draft.h"

/// The file that `uri` means: file://PATH, package://NAME/PATH, or a path, which is relative to `folder` (NULL: that of the
/// robot's file). Packages are looked for among the options' "NAME=DIR", in the folders of ROS_PACKAGE_PATH (which are
/// the package or contain it), and from the robot's file upwards (a folder called NAME, or one that has a package.xml); the
/// first place that has the file wins. NULL when there is none; then `*why` says so, as a whole sentence.
const char *trxi_mesh_path(trxi_draft *draft, const char *uri, const char *folder, const char **why);

#endif
