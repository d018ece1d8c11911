// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Models inside a model: <attach model="M" body="B" prefix="P"> stands for a frame with body B of model M, which the assets name,
// or, without B, with all that is in the world of M. Before anything else is read, the elements of the other file become elements
// of this one, and their names get the prefix. As in MuJoCo, the other model keeps its own compiler settings and default classes,
// and its options do not count. With a body, only what refers to nothing outside the body comes along.

#include "import/mjcf/mjcf.h"

#include "formats/files.h"

#include <string.h>
#include <unistd.h>

enum { MAX_DEPTH = 16, MAX_FILES = 256 };

static void expand_root(trxi_mjcf *reader, trxi_xml_node *root, int depth);

// ---- the other file ----

// the element of the assets that names the file
static trxi_xml_node *find_model(const trxi_xml_node *root, const char *name)
{
    for (int i = 0; i < root->count; i++) {
        const trxi_xml_node *assets = root->items[i];
        if (strcmp(assets->name, "asset") != 0) continue;
        for (int k = 0; k < assets->count; k++) {
            trxi_xml_node *model = assets->items[k];
            const char *own = strcmp(model->name, "model") == 0 ? trxi_xml_get(model, "name") : NULL;
            if (own && strcmp(own, name) == 0) return model;
        }
    }
    return NULL;
}

// the path of a file beside the file that names it, else beside the main file
static const char *find_file(trxi_mjcf *reader, const trxi_xml_node *model, const char *file)
{
    const char *froms[] = {model->source.file, trxi_draft_path(reader->draft)};
    for (int i = 0; i < 2 && file[0] != '/'; i++) {
        const char *slash = froms[i] ? strrchr(froms[i], '/') : NULL;
        const char *path = slash ? trxi_draft_printf(reader->draft, "%.*s%s", (int)(slash - froms[i] + 1), froms[i], file) : file;
        if (access(path, R_OK) == 0) return path;
    }
    return file;
}

static trxi_xml_node *read_model(trxi_mjcf *reader, const trxi_xml_node *model, const char *path)
{
    trxi_xml_node *root = NULL;
    char *bytes;
    size_t length;
    trxi_pool *pool = trxi_draft_pool(reader->draft);
    const trx_status status = trxi_file_read(reader->context, pool, path, TRXI_XML_MAX_SIZE, &bytes, &length);
    if (status == TRX_ERR_MEMORY)
        reader->draft->memory = false;
    else if (status < 0)
        trxi_error_at(reader->context, model->source, "cannot read '%.200s', the file of this model", path);
    else if (trxi_xml_parse(reader->context, pool, path, bytes, length, &root) == TRX_ERR_MEMORY)
        reader->draft->memory = false;
    if (root && strcmp(root->name, "mujoco") == 0) return root;
    if (root) trxi_error_at(reader->context, root->source, "this model begins with <%.60s>, not with <mujoco>", root->name);
    return NULL;
}

// ---- what comes along ----

static trxi_xml_node *find_body(trxi_xml_node *node, const char *name)
{
    for (int i = 0; i < node->count; i++) {
        trxi_xml_node *child = node->items[i];
        const char *own = strcmp(child->name, "body") == 0 ? trxi_xml_get(child, "name") : NULL;
        if (own && strcmp(own, name) == 0) return child;
        trxi_xml_node *inside = find_body(child, name);
        if (inside) return inside;
    }
    return NULL;
}

// the class of defaults for elements of this body that name none
static const char *class_around(trxi_xml_node *body)
{
    for (trxi_xml_node *node = body->parent; node; node = node->parent) {
        const char *class = trxi_xml_get(node, "childclass");
        if (class) return class;
    }
    return NULL;
}

static bool is_in(const char *const *words, const char *word)
{
    for (; *words; words++)
        if (strcmp(*words, word) == 0) return true;
    return false;
}

// removes the elements of a section that refer to a name in `outside`, and adds the names of these elements to `outside`
static void keep_inside(trxi_mjcf *reader, trxi_xml_node *section, trxi_table *outside)
{
    int kept = 0;
    for (int i = 0; i < section->count; i++) {
        trxi_xml_node *element = section->items[i];
        if (trxi_mjcf_refers_to(reader, element, outside))
            trxi_mjcf_collect_names(reader, element, outside);
        else
            section->items[kept++] = element;
    }
    section->count = kept;
}

// collects the names in `node`, except names inside the body
static void collect_outside(trxi_mjcf *reader, trxi_xml_node *node, const trxi_xml_node *body, trxi_table *outside)
{
    if (node == body) return;
    trxi_xml_node alone = *node;
    alone.count = 0;
    trxi_mjcf_collect_names(reader, &alone, outside);
    for (int i = 0; i < node->count; i++) collect_outside(reader, node->items[i], body, outside);
}

// removes all elements of sections that refer to something outside the body. Later sections refer to earlier ones, so the
// order matters
static void limit_to(trxi_mjcf *reader, trxi_xml_node *root, const trxi_xml_node *body)
{
    static const char *const referring[] = {"tendon", "equality", "contact", "actuator", "sensor"};
    trxi_table outside = {0};
    for (int i = 0; i < root->count; i++)
        if (strcmp(root->items[i]->name, "worldbody") == 0) collect_outside(reader, root->items[i], body, &outside);
    for (size_t s = 0; s < sizeof referring / sizeof *referring; s++)
        for (int i = 0; i < root->count; i++)
            if (strcmp(root->items[i]->name, referring[s]) == 0) keep_inside(reader, root->items[i], &outside);
}

static void take_sections(trxi_mjcf *reader, trxi_xml_node *root, trxi_xml_node *frame, trxi_xml_node *body, trxi_list *out)
{
    static const char *const all[] = {"default", "asset", "tendon", "equality", "contact", "actuator",
                                      "sensor",  "custom", "keyframe", "deformable", "extension", NULL};
    if (body) limit_to(reader, root, body);
    for (int i = 0; i < root->count; i++) {
        trxi_xml_node *section = root->items[i];
        if (!is_in(all, section->name)) continue;
        if (body && strcmp(section->name, "keyframe") == 0) {
            trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, section->source, "keyframes of a model of which a body is attached");
            continue;
        }
        if (section->parent == root) section->parent = frame;
        trxi_mjcf_append(reader, out, section);
    }
}

// the content of the frame: a body, or the world
static void fill_frame(trxi_mjcf *reader, trxi_xml_node *root, trxi_xml_node *body, trxi_xml_node *frame)
{
    trxi_list content = {0};
    if (body) trxi_mjcf_append(reader, &content, body);
    for (int i = 0; !body && i < root->count; i++) {
        const trxi_xml_node *world = root->items[i];
        for (int k = 0; strcmp(world->name, "worldbody") == 0 && k < world->count; k++)
            trxi_mjcf_append(reader, &content, world->items[k]);
    }
    for (int i = 0; i < content.count; i++) ((trxi_xml_node *)content.items[i])->parent = frame;
    frame->items = (trxi_xml_node **)content.items;
    frame->count = content.count;
}

static trxi_xml_node *make_frame(trxi_mjcf *reader, const trxi_xml_node *node, const char *class)
{
    static const char *keys[] = {"childclass"};
    trxi_xml_node *frame = TRXI_DRAFT_TAKE(reader->draft, trxi_xml_node, 1);
    const char **values = TRXI_DRAFT_TAKE(reader->draft, const char *, 1);
    bool *used = TRXI_DRAFT_TAKE(reader->draft, bool, 1);
    if (!frame || !values || !used) return NULL;
    values[0] = class;
    *frame = (trxi_xml_node){.name = "frame", .source = node->source, .parent = node->parent, .nattribute = class != NULL,
                             .keys = keys, .values = values, .keys_used = used, .text = ""};
    return frame;
}

// ---- attach ----

// reads the other file with its own settings, and attaches the models that it attaches
static trxi_xml_node *open_model(trxi_mjcf *reader, const trxi_xml_node *model, const char *file, int depth,
                                 trxi_mjcf_compiler *compiler)
{
    if (depth == MAX_DEPTH || ++reader->attached > MAX_FILES) {
        trxi_error_at(reader->context, model->source, "models are attached more than %d levels deep, or more than %d times",
                      MAX_DEPTH, MAX_FILES);
        return NULL;
    }
    const char *path = find_file(reader, model, file);
    trxi_xml_node *root = read_model(reader, model, path);
    if (!root) return NULL;
    trxi_mjcf_include_into(reader, root);
    const trxi_mjcf_compiler own = reader->compiler;
    reader->compiler = *compiler = trxi_mjcf_compiler_of(reader, root, path);
    expand_root(reader, root, depth + 1);
    reader->compiler = own;
    return root;
}

// the file of the model `name` of the assets; NULL after reporting what is missing
static const char *file_of_model(trxi_mjcf *reader, const trxi_xml_node *node, const char *name, trxi_xml_node *model)
{
    if (!name) return NULL;
    if (!model) {
        trxi_error_at(reader->context, node->source, "there is no model '%.60s' in the assets", name);
        return NULL;
    }
    const char *file = trxi_xml_get(model, "file");
    if (!file) trxi_error_at(reader->context, model->source, "this model needs the attribute file");
    return file;
}

// finds the body to attach in the other model; *body = NULL: all that is in its world. Returns false after reporting that there
// is no such body
static bool choose_body(trxi_mjcf *reader, const trxi_xml_node *node, const trxi_xml_node *other, const char *model,
                        const char *name, trxi_xml_node **body)
{
    *body = NULL;
    if (!name) return true;
    for (int i = 0; !*body && i < other->count; i++)
        if (strcmp(other->items[i]->name, "worldbody") == 0) *body = find_body(other->items[i], name);
    if (*body || strcmp(name, "world") == 0) return true;
    trxi_error_at(reader->context, node->source, "the model '%.60s' has no body '%.60s'", model, name);
    return false;
}

// adds the other model as a part: its content in a frame at the end of `out`, its sections at the end of `root`, all renamed
static void add_part(trxi_mjcf *reader, const trxi_xml_node *node, const char *prefix, const trxi_mjcf_compiler *compiler,
                     trxi_xml_node *other, trxi_xml_node *body, trxi_list *root, trxi_list *out)
{
    const char *classes = trxi_draft_printf(reader->draft, "%c%d:", TRXI_MJCF_CLASS_MARK, reader->parts.count);
    trxi_xml_node *frame = make_frame(reader, node, body ? class_around(body) : NULL);
    trxi_mjcf_part *part = trxi_draft_push(reader->draft, &reader->parts, sizeof *part);
    if (!frame || !trxi_draft_ok(reader->draft)) return;
    *part = (trxi_mjcf_part){.frame = frame, .compiler = *compiler};
    part->main = trxi_draft_printf(reader->draft, "%smain", classes);

    trxi_list sections = {0};
    fill_frame(reader, other, body, frame);
    take_sections(reader, other, frame, body, &sections);
    const trxi_mjcf_renaming change = {.prefix = prefix, .suffix = "", .classes = classes};
    trxi_mjcf_rename(reader, frame, &change);
    for (int i = 0; i < sections.count; i++) {
        trxi_mjcf_rename(reader, sections.items[i], &change);
        trxi_mjcf_append(reader, root, sections.items[i]);
    }
    trxi_mjcf_append(reader, out, frame);
}

// replaces <attach> by a part of the model that it names
static void attach(trxi_mjcf *reader, trxi_xml_node *node, trxi_list *root, const trxi_xml_node *models, int depth, trxi_list *out)
{
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node);
    const char *name = trxi_mjcf_required(&e, "model"), *of = trxi_mjcf_text(&e, "body", NULL);
    const char *prefix = trxi_mjcf_text(&e, "prefix", NULL);
    trxi_xml_node *model = name ? find_model(models, name) : NULL;
    const char *file = file_of_model(reader, node, name, model);
    if (!file) return;

    trxi_mjcf_compiler compiler;
    trxi_xml_node *other = open_model(reader, model, file, depth, &compiler), *body;
    if (!other || !trxi_draft_ok(reader->draft)) return;
    if (choose_body(reader, node, other, name, of, &body))
        add_part(reader, node, prefix ? prefix : "", &compiler, other, body, root, out);
}

// ---- the whole tree ----

static void expand(trxi_mjcf *reader, trxi_xml_node *node, trxi_list *root, const trxi_xml_node *models, int depth)
{
    trxi_list out = {0};
    for (int i = 0; i < node->count && trxi_draft_ok(reader->draft); i++) {
        trxi_xml_node *child = node->items[i];
        const bool copies = strcmp(child->name, "replicate") == 0, attaches = strcmp(child->name, "attach") == 0;
        if (copies || strcmp(child->name, "body") == 0 || strcmp(child->name, "frame") == 0)
            expand(reader, child, root, models, depth);
        if (copies) trxi_mjcf_replicate(reader, child, root, &out);
        else if (attaches) attach(reader, child, root, models, depth, &out);
        else trxi_mjcf_append(reader, &out, child);
    }
    node->items = (trxi_xml_node **)out.items;
    node->count = out.count;
}

static void expand_root(trxi_mjcf *reader, trxi_xml_node *root, int depth)
{
    trxi_list sections = {0};
    const trxi_xml_node models = *root;
    for (int i = 0; i < models.count; i++) trxi_mjcf_append(reader, &sections, models.items[i]);
    for (int i = 0; i < models.count && trxi_draft_ok(reader->draft); i++)
        if (strcmp(models.items[i]->name, "worldbody") == 0) expand(reader, models.items[i], &sections, &models, depth);
    if (!trxi_draft_ok(reader->draft)) return;
    root->items = (trxi_xml_node **)sections.items;
    root->count = sections.count;
}

void trxi_mjcf_expand(trxi_mjcf *reader)
{
    expand_root(reader, reader->root, 0);
}
