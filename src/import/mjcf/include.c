// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Includes: the children of the other file's first element replace the include element, before anything else is
// read. A path is relative to the main file's folder; if there is no such file, to the folder of the including
// file. A file is included at most once, which also excludes cycles. Depth and number of files are limited.

#include "import/mjcf/mjcf.h"

#include "formats/files.h"

#include <string.h>
#include <unistd.h>

enum { MAX_DEPTH = TRXI_XML_MAX_DEPTH, MAX_FILES = 256 };

typedef struct includer {
    trxi_mjcf *reader;
    trxi_table files;
    int nfile;
} includer;

const char *trxi_mjcf_in_folder_of(trxi_draft *draft, const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    if (path[0] == '/' || !slash) return path;
    return trxi_draft_printf(draft, "%.*s%s", (int)(slash - file + 1), file, path);
}

static const char *find_file(includer *in, const trxi_xml_node *node, const char *path)
{
    trxi_draft *draft = in->reader->draft;
    const char *main = trxi_mjcf_in_folder_of(draft, trxi_draft_path(draft), path);
    if (access(main, R_OK) == 0 || !node->source.file) return main;
    const char *near = trxi_mjcf_in_folder_of(draft, node->source.file, path);
    return access(near, R_OK) == 0 ? near : main;
}

static trxi_xml_node *read_file(includer *in, trxi_xml_node *node)
{
    trx_context *context = in->reader->context;
    trxi_draft *draft = in->reader->draft;
    trxi_mjcf_element e = trxi_mjcf_plain(in->reader, node);
    const char *name = trxi_mjcf_required(&e, "file");
    if (!name) return NULL;

    const char *path = find_file(in, node, name);
    bool known = false;
    if (!trxi_table_at(draft, &in->files, path, 0, &known)) return NULL;
    if (known || strcmp(path, trxi_draft_path(draft)) == 0) {
        trxi_error_at(context, node->source, "'%.200s' is already part of this robot; a file is included at most once",
                      name);
        return NULL;
    }
    if (++in->nfile > MAX_FILES) {
        trxi_error_at(context, node->source, "more than %d files are included", MAX_FILES);
        return NULL;
    }
    char *bytes;
    size_t length;
    trxi_pool *pool = trxi_draft_pool(draft);
    trx_status status = trxi_file_read(context, pool, path, TRXI_XML_MAX_SIZE, &bytes, &length);
    if (status == TRX_ERR_MEMORY)
        draft->memory = false;
    else if (status < 0)
        trxi_error_at(context, node->source, "cannot read '%.200s', which is included here", name);
    if (status < 0) return NULL;

    trxi_xml_node *root = NULL;
    if (trxi_xml_parse(context, pool, path, bytes, length, &root) == TRX_ERR_MEMORY) draft->memory = false;
    return root;
}

static void expand(includer *in, trxi_xml_node *node, int depth);

// the children of `from` become children of `node`
static void splice(includer *in, trxi_xml_node *from, trxi_xml_node *node, trxi_list *list, int depth)
{
    for (int i = 0; i < from->count && trxi_draft_ok(in->reader->draft); i++) {
        trxi_xml_node *child = from->items[i];
        if (strcmp(child->name, "include") != 0) {
            child->parent = node;
            trxi_mjcf_append(in->reader, list, child);
            expand(in, child, depth + 1);
            continue;
        }
        child->used = true;
        trxi_xml_node *root = read_file(in, child);
        if (!root) continue;
        if (depth + 1 > MAX_DEPTH)
            trxi_error_at(in->reader->context, child->source, "includes are nested more than %d levels deep",
                          MAX_DEPTH);
        else
            splice(in, root, node, list, depth + 1);
    }
}

static bool has_include(const trxi_xml_node *node)
{
    for (int i = 0; i < node->count; i++)
        if (strcmp(node->items[i]->name, "include") == 0) return true;
    return false;
}

static void expand(includer *in, trxi_xml_node *node, int depth)
{
    if (depth > MAX_DEPTH) {
        trxi_error_at(in->reader->context, node->source, "elements are nested more than %d levels deep", MAX_DEPTH);
        node->count = 0;
    } else if (has_include(node)) {
        trxi_list list = {0};
        splice(in, node, node, &list, depth);
        node->items = (trxi_xml_node **)list.items;
        node->count = list.count;
    } else
        for (int i = 0; i < node->count; i++) expand(in, node->items[i], depth + 1);
}

void trxi_mjcf_include_into(trxi_mjcf *reader, trxi_xml_node *root)
{
    includer in = {.reader = reader};
    expand(&in, root, 1);
}

void trxi_mjcf_include(trxi_mjcf *reader)
{
    trxi_mjcf_include_into(reader, reader->root);
}
