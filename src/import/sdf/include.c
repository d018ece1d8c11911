// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// <include> of an SDF file: the first model of another SDF file, under a name and at a pose of its own. <uri> is a path beside the
// including file, file://PATH, or model://NAME, which is found like package://NAME. A folder stands for its model.sdf.

#include "formats/files.h"
#include "import/mesh_path.h"
#include "import/sdf/sdf.h"

#include <string.h>

enum { MAX_DEPTH = 32, MAX_FILES = 256 };

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}

// the file that an include names; NULL without one (reported)
static const char *find_file(trxi_sdf *sdf, trxi_xml_node *node)
{
    const char *uri = trxi_sdf_uri(sdf, node), *why = "";
    if (!uri) return NULL;
    const char *slash = ends_in(uri, "/") ? "" : "/";
    const char *file = ends_in(uri, ".sdf") ? uri : trxi_draft_printf(sdf->draft, "%s%smodel.sdf", uri, slash);
    const char *path = trxi_mesh_path(sdf->draft, file, trxi_sdf_folder(sdf, node), &why);
    if (!path) trxi_error_at(sdf->context, node->source, "<include>: %s", why);
    return path;
}

// the root of the file; NULL when it is no SDF file (reported)
static trxi_xml_node *parse(trxi_sdf *sdf, const trxi_xml_node *node, const char *path)
{
    char *bytes;
    size_t length;
    trxi_pool *pool = trxi_draft_pool(sdf->draft);
    trxi_xml_node *root = NULL;
    trx_status status = trxi_file_read(sdf->context, pool, path, TRXI_XML_MAX_SIZE, &bytes, &length);
    if (status < 0 && status != TRX_ERR_MEMORY)
        trxi_error_at(sdf->context, node->source, "<include>: cannot read \"%.200s\"", path);
    if (status == TRX_OK) status = trxi_xml_parse(sdf->context, pool, path, bytes, length, &root);
    if (status == TRX_ERR_MEMORY) sdf->draft->memory = false;
    return root;
}

static bool may_include(trxi_sdf *sdf, trxi_xml_node *node, int depth)
{
    const char *merge = trxi_xml_get(node, "merge");
    bool plain = !(merge && strcmp(merge, "true") == 0) && !trxi_element_child(node, "placement_frame");
    bool few = depth < MAX_DEPTH && sdf->included.count < MAX_FILES;
    if (!plain)
        trxi_error_at(sdf->context, node->source, "<include>: merge and placement_frame are not served: give the model a pose");
    else if (!few)
        trxi_error_at(sdf->context, node->source, "<include>: more than %d files, or files inside each other %d deep", MAX_FILES,
                      MAX_DEPTH);
    return plain && few;
}

trxi_xml_node *trxi_sdf_include(trxi_sdf *sdf, trxi_xml_node *node, int depth)
{
    const char *path = may_include(sdf, node, depth) ? find_file(sdf, node) : NULL;
    if (!path) return NULL;
    trxi_xml_node *root = parse(sdf, node, path);
    trxi_xml_node **known = root ? trxi_draft_push(sdf->draft, &sdf->included, sizeof root) : NULL;
    if (!known || !trxi_draft_ok(sdf->draft)) return NULL;
    *known = root;
    root->used = true;
    trxi_xml_node *model = strcmp(root->name, "sdf") == 0 ? trxi_element_child(root, "model") : NULL;
    if (!model || trxi_sdf_version(root) == 0) {
        trxi_error_at(sdf->context, node->source, "<include>: \"%.200s\" has no <model> of SDF 1.4 to 1.11", path);
        return NULL;
    }
    return model;
}
