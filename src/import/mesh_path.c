// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Paths of meshes; see mesh_path.h. Each folder that may be the package is tried with the rest of the path, so a
// wrong folder with the right name does no harm.

#include "import/mesh_path.h"

#include "import/draft_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_CLIMBS = 64 };

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

// FOLDER[/NAME]/REST if it is a file, else NULL; `length` characters of the folder count
static const char *try_folder(trxi_draft *draft, const char *folder, size_t length, const char *name, const char *rest)
{
    const char *path = trxi_draft_printf(draft, "%.*s/%s%s%s", (int)length, folder, name, *name ? "/" : "", rest);
    return draft->memory && is_file(path) ? path : NULL;
}

static const char *in_options(trxi_draft *draft, const char *name, const char *rest)
{
    size_t length = strlen(name);
    for (int i = 0; i < draft->options.npackage; i++) {
        const char *package = draft->options.packages[i];
        if (!starts(package, name) || package[length] != '=') continue;
        const char *folder = package + length + 1, *path = try_folder(draft, folder, strlen(folder), "", rest);
        if (path) return path;
    }
    return NULL;
}

// the entries are packages or folders that contain packages
static const char *in_ros_path(trxi_draft *draft, const char *name, const char *rest)
{
    const char *entry = getenv("ROS_PACKAGE_PATH");
    while (entry && *entry) {
        size_t length = strcspn(entry, ":"), end = length;
        while (end > 1 && entry[end - 1] == '/') end--;
        const char *path = length ? try_folder(draft, entry, end, name, rest) : NULL;
        size_t last = end;
        while (last > 0 && entry[last - 1] != '/') last--;
        bool itself = end - last == strlen(name) && strncmp(entry + last, name, end - last) == 0;
        if (!path && itself) path = try_folder(draft, entry, end, "", rest);
        if (path) return path;
        entry += length + (entry[length] == ':');
    }
    return NULL;
}

// the folder above `folder` (which ends in a slash); NULL at the top
static const char *above(trxi_draft *draft, const char *folder)
{
    struct stat here, there;
    const char *parent = trxi_draft_printf(draft, "%s../", folder);
    if (stat(folder, &here) != 0 || stat(parent, &there) != 0) return NULL;
    return here.st_ino == there.st_ino && here.st_dev == there.st_dev ? NULL : parent;
}

// upwards from the robot's file, through FOLDER/, FOLDER/../, ...: the package is the folder `name` there, or the folder itself if
// it has a package.xml
static const char *upwards(trxi_draft *draft, const char *name, const char *rest)
{
    const char *folder = *draft->folder ? draft->folder : "./";
    for (int climb = 0; climb < MAX_CLIMBS && folder && draft->memory; climb++) {
        size_t length = strlen(folder) - 1;
        const char *path = try_folder(draft, folder, length, name, rest);
        if (!path && is_file(trxi_draft_printf(draft, "%spackage.xml", folder)))
            path = try_folder(draft, folder, length, "", rest);
        if (path) return path;
        folder = above(draft, folder);
    }
    return NULL;
}

// the folder of a --package option, NULL without one
static const char *given(const trxi_draft *draft, const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < draft->options.npackage; i++) {
        const char *package = draft->options.packages[i];
        if (starts(package, name) && package[length] == '=') return package + length + 1;
    }
    return NULL;
}

static const char *in_package(trxi_draft *draft, const char *uri, const char *tail, const char **why)
{
    size_t length = strcspn(tail, "/");
    const char *name = trxi_draft_printf(draft, "%.*s", (int)length, tail), *rest = tail + length + (tail[length] == '/');
    if (!*name || !*rest) {
        *why = trxi_draft_printf(draft, "\"%.200s\" names no file: write package://NAME/PATH", uri);
        return NULL;
    }
    const char *path = in_options(draft, name, rest);
    if (!path) path = in_ros_path(draft, name, rest);
    if (!path) path = upwards(draft, name, rest);
    const char *folder = path ? NULL : given(draft, name);
    if (folder)
        *why = trxi_draft_printf(draft, "\"%.200s\" is in no folder of the package: %.200s, given by --package, has no %.200s", uri,
                                 folder, rest);
    else if (!path)
        *why = trxi_draft_printf(draft,
                                 "\"%.200s\" is in no folder of the package: say where it is (--package %.100s=DIR, or "
                                 "ROS_PACKAGE_PATH)",
                                 uri, name);
    return path;
}

const char *trxi_mesh_path(trxi_draft *draft, const char *uri, const char *folder, const char **why)
{
    const char *path = uri, *scheme = strstr(uri, "://");
    if (starts(uri, "package://")) return in_package(draft, uri, uri + 10, why);
    if (starts(uri, "file://"))
        path = uri + 7;
    else if (scheme) {
        *why = trxi_draft_printf(draft, "\"%.200s\" is not served: write a path, package://NAME/PATH or file://PATH",
                                 uri);
        return NULL;
    }
    if (!folder) folder = draft->folder;
    size_t length = strlen(folder);
    bool slash = length > 0 && folder[length - 1] != '/';
    if (path[0] != '/') path = trxi_draft_printf(draft, "%s%s%s", folder, slash ? "/" : "", path);
    if (is_file(path)) return path;
    *why = trxi_draft_printf(draft, "there is no file \"%.300s\"", path);
    return NULL;
}

// the rest of a path after a beginning that only another machine can resolve: a package, the root, or a xacro argument without
// value; NULL for other paths
static const char *foreign(const char *uri)
{
    const char *scheme = strstr(uri, "://"), *argument = starts(uri, "$(") ? strchr(uri, ')') : NULL;
    if (starts(uri, "file://")) return NULL;
    return uri[0] == '/' ? uri : scheme ? scheme + 3 : argument ? argument + 1 : NULL;
}

const char *trxi_mesh_path_by_end(trxi_draft *draft, const char *uri)
{
    static const char *const usual[] = {"", "meshes", "../meshes"};
    const char *end = foreign(uri), *here = *draft->folder ? draft->folder : "./", *path = NULL;
    if (!end) return NULL;
    while (*end == '/') end++;
    for (; strchr(end, '/') && draft->memory; end = strchr(end, '/') + 1) {
        const char *folder = here;
        for (int climb = 0; climb < MAX_CLIMBS && folder && draft->memory; climb++) {
            if ((path = try_folder(draft, folder, strlen(folder) - 1, "", end))) return path;
            folder = above(draft, folder);
        }
    }
    for (int i = 0; i < 3 && !path && *end; i++) path = try_folder(draft, here, strlen(here) - 1, usual[i], end);
    return path;
}
