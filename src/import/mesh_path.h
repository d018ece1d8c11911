// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// From a reference in a robot file to a path that can be opened.

#ifndef TRXI_IMPORT_MESH_PATH_H
#define TRXI_IMPORT_MESH_PATH_H

#include "import/draft.h"

/// The file of `uri`: file://PATH, package://NAME/PATH, or a path relative to `folder` (if NULL, to the folder of
/// the robot's file). Packages are searched in the options' "NAME=DIR", in the folders of ROS_PACKAGE_PATH (which
/// are the package or contain it), and from the robot's file upwards (a folder called NAME, or a folder with a
/// package.xml). The first place that has the file wins. Returns NULL when there is none; `*why` is then the reason
/// as a whole sentence.
const char *trxi_mesh_path(trxi_draft *draft, const char *uri, const char *folder, const char **why);

/// A guess for package://NAME/PATH, $(arg NAME)/PATH, or an absolute path of another machine, when trxi_mesh_path finds
/// nothing: the longest end of the path, with at least one folder, that is a file in the folder of the robot's file or in a folder
/// above it; else the name of the file alone, in the folder of the robot's file, or in a folder meshes in it or beside it.
/// NULL when there is none, and for other paths.
const char *trxi_mesh_path_by_end(trxi_draft *draft, const char *uri);

#endif
