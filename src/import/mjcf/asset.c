// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Assets: meshes, height fields and the colours of materials. A mesh or a height field is loaded when it is needed. The geoms
// of a mesh are posed relative to the frame of its file; MuJoCo's conversion to inertial frames is not visible in the file.

#include "import/mjcf/mjcf.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

// a name without folders and ending
static const char *stem(trxi_draft *draft, const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    return trxi_draft_printf(draft, "%.*s", (int)(dot ? dot - base : (long)strlen(base)), base);
}

static const char *without_folders(const char *file)
{
    const char *slash = strrchr(file, '/'), *back = strrchr(file, '\\');
    if (back && (!slash || back > slash)) slash = back;
    return slash ? slash + 1 : file;
}

// reads all numbers of a long attribute; returns the number of triples, 0 when the attribute is missing or wrong (reported)
static int read_many(const trxi_mjcf_element *e, const char *key, const double **out)
{
    const char *text = trxi_mjcf_text(e, key, NULL);
    if (!text) return 0;
    int capacity = (int)(strlen(text) / 2) + 1;
    double *values = TRXI_DRAFT_TAKE(e->reader->draft, double, capacity);
    if (!values) return 0;
    *out = values;
    int count = trxi_xml_numbers(text, capacity, values);
    if (count > 0 && count % 3 == 0) return count / 3;
    trxi_mjcf_error(e, e->node->source, key, "%s of this mesh is no list of numbers, three for each", key);
    return 0;
}

static void read_vertices(const trxi_mjcf_element *e, trxi_mjcf_mesh *mesh)
{
    mesh->nvertex = read_many(e, "vertex", &mesh->vertices);
    mesh->nface = read_many(e, "face", &mesh->faces);
    if (mesh->nvertex == 0) mesh->vertices = NULL;
    for (int i = 0; i < 3 * mesh->nface; i++) {
        double f = mesh->faces[i];
        if (f == floor(f) && f >= 0 && f < mesh->nvertex) continue;
        trxi_mjcf_error(e, e->node->source, "face", "face of this mesh names vertex %g; there are %d, counted from 0",
                        f, mesh->nvertex);
        mesh->vertices = NULL;
        return;
    }
}

// a file that is not in the folder of meshes is looked for beside the file that names it, which may be an included one
static const char *folder_of(trxi_mjcf *reader, const trxi_xml_node *node, const char *file)
{
    trxi_draft *draft = reader->draft;
    const char *usual = reader->compiler.mesh_folder, *near = trxi_mjcf_in_folder_of(draft, node->source.file, "");
    const char *path = trxi_draft_printf(draft, "%s%s", usual, file), *other = trxi_draft_printf(draft, "%s%s", near, file);
    return draft->memory && file[0] != '/' && access(path, R_OK) != 0 && access(other, R_OK) == 0 ? near : usual;
}

// the file of an asset, and its folder; NULL without a file
static const char *file_of(const trxi_mjcf_element *e, const char **folder)
{
    const char *file = trxi_xml_get(e->node, "file");
    if (file && e->reader->compiler.strip_path) file = without_folders(file);
    if (file && e->node->source.file) *folder = folder_of(e->reader, e->node, file);
    return file;
}

// the name of the asset, else the name of its file; NULL when it has neither (reported)
static const char *bind_asset(const trxi_mjcf_element *e, trxi_mjcf_kind kind, const char *file, int index)
{
    const char *name = trxi_xml_get(e->node, "name");
    if (!name && file) name = stem(e->reader->draft, file);
    if (!name)
        trxi_mjcf_required(e, "name");
    else
        trxi_mjcf_bind_name(e->reader, kind, name, e->node->source, index);
    return name;
}

static void read_field(trxi_mjcf *reader, trxi_xml_node *node)
{
    const trxi_mjcf_element e = trxi_mjcf_plain(reader, node);
    const int index = reader->fields.count;
    trxi_mjcf_field *field = trxi_draft_push(reader->draft, &reader->fields, sizeof *field);
    *field = (trxi_mjcf_field){.node = node, .folder = reader->compiler.mesh_folder};
    field->uri = file_of(&e, &field->folder);
    bind_asset(&e, TRXI_MJCF_HFIELD, field->uri, index);
}

static void read_mesh(trxi_mjcf *reader, trxi_xml_node *node)
{
    static const char *const rules[] = {"convex", "exact", "legacy", "shell"};
    trxi_mjcf_element e = {reader, node, "mesh", trxi_mjcf_class_of(reader, node, "class", NULL)};
    int index = reader->meshes.count;
    trxi_mjcf_mesh *mesh = trxi_draft_push(reader->draft, &reader->meshes, sizeof *mesh);
    *mesh = (trxi_mjcf_mesh){.source = node->source,
                             .scale = {1, 1, 1},
                             .reference = trx_pose_identity(),
                             .name = "",
                             .folder = reader->compiler.mesh_folder};
    trxi_mjcf_numbers(&e, "scale", 3, 3, mesh->scale);
    bool moved = trxi_mjcf_numbers(&e, "refpos", 3, 3, mesh->reference.p) > 0;
    moved |= trxi_mjcf_numbers(&e, "refquat", 4, 4, mesh->reference.quat) > 0;
    mesh->moved = moved;
    if (!(trxi_quat_normalize(mesh->reference.quat) > 0)) {
        trxi_mjcf_error(&e, node->source, "refquat", "refquat of this mesh is zero; 1 0 0 0 is no rotation");
        mesh->reference.quat[0] = 1;
    }
    mesh->inertia = (trxi_mjcf_mesh_inertia)trxi_mjcf_word(&e, "inertia", rules, 4, TRXI_MJCF_MESH_LEGACY);
    mesh->material = trxi_mjcf_text(&e, "material", NULL);

    const char *file = mesh->uri = file_of(&e, &mesh->folder);
    if (!file) read_vertices(&e, mesh);
    const char *name = bind_asset(&e, TRXI_MJCF_MESH, file, index);
    if (name) mesh->name = name;
    const bool plugin = trxi_xml_child(node, "plugin") != NULL;
    if (plugin || trxi_xml_get(node, "builtin"))
        trxi_draft_note(reader->draft, TRX_NOTE_MISSING, node->source, "%s: what shows '%s' is left out",
                        plugin ? "meshes made by a plugin" : "builtin meshes", mesh->name);
    else if (!file && !trxi_xml_get(node, "vertex"))
        trxi_mjcf_error(&e, node->source, "file", "this mesh has neither a file nor a vertex");
}

static void read_material(trxi_mjcf *reader, trxi_xml_node *node)
{
    trxi_mjcf_element e = {reader, node, "material", trxi_mjcf_class_of(reader, node, "class", NULL)};
    int index = reader->materials.count;
    trxi_mjcf_material *material = trxi_draft_push(reader->draft, &reader->materials, sizeof *material);
    *material = (trxi_mjcf_material){.color = {1, 1, 1, 1}};
    trxi_mjcf_numbers(&e, "rgba", 4, 4, material->color);
    trxi_mjcf_bind(reader, TRXI_MJCF_MATERIAL, node, index);
}

static void read_asset(trxi_mjcf *reader, trxi_xml_node *node)
{
    if (strcmp(node->name, "mesh") == 0)
        read_mesh(reader, node);
    else if (strcmp(node->name, "hfield") == 0)
        read_field(reader, node);
    else if (strcmp(node->name, "material") == 0)
        read_material(reader, node);
}

void trxi_mjcf_read_assets(trxi_mjcf *reader)
{
    trxi_mjcf_each(reader, "asset", read_asset);
}
