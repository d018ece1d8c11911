// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Settings of the whole file: how to read it (compiler), gravity and time step (option). Several elements of one
// kind count as one; the last value wins. MuJoCo's solver settings are ignored.

#include "import/mjcf/mjcf.h"

#include "math/constants.h"

#include <math.h>
#include <string.h>

static const double degree = TRXI_PI / 180;

// a path that ends in a slash
static const char *as_folder(trxi_draft *draft, const char *path)
{
    size_t length = strlen(path);
    return length == 0 || path[length - 1] == '/' ? path : trxi_draft_printf(draft, "%s/", path);
}

static void read_euler(const trxi_mjcf_element *e, trxi_mjcf_compiler *c)
{
    const char *text = trxi_mjcf_text(e, "eulerseq", NULL);
    if (!text) return;
    if (strlen(text) == 3 && strspn(text, "xyzXYZ") == 3)
        memcpy(c->eulerseq, text, 3);
    else
        trxi_mjcf_error(e, e->node->source, "eulerseq",
                        "eulerseq of this compiler is '%.60s'; write three letters of x, y, z, X, Y, "
                        "Z, such as xyz",
                        text);
}

static void read_inference(const trxi_mjcf_element *e, trxi_mjcf_compiler *c)
{
    static const char *const words[] = {"false", "true", "auto"};
    double range[2] = {c->group_range[0], c->group_range[1]};
    c->infer = (trxi_mjcf_infer)trxi_mjcf_word(e, "inertiafromgeom", words, 3, (int)c->infer);
    trxi_mjcf_numbers(e, "inertiagrouprange", 2, 2, range);
    for (int i = 0; i < 2; i++) c->group_range[i] = (int)fmax(-1e9, fmin(1e9, range[i]));
    c->balance_inertia = trxi_mjcf_flag(e, "balanceinertia", c->balance_inertia);
    c->bound_mass = trxi_mjcf_number(e, "boundmass", c->bound_mass);
    c->bound_inertia = trxi_mjcf_number(e, "boundinertia", c->bound_inertia);
    c->total_mass = trxi_mjcf_number(e, "settotalmass", c->total_mass);
    if (trxi_mjcf_flag(e, "alignfree", false))
        trxi_draft_note(e->reader->draft, TRX_NOTE_DROPPED, e->node->source,
                        "alignfree: free joints move the frames that the "
                        "file gives their bodies");
    if (trxi_mjcf_flag(e, "fusestatic", false))
        trxi_draft_note(e->reader->draft, TRX_NOTE_DROPPED, e->node->source,
                        "fusestatic: bodies without joints keep their "
                        "names; they cost nothing");
    if (trxi_mjcf_flag(e, "discardvisual", false))
        trxi_draft_note(e->reader->draft, TRX_NOTE_DROPPED, e->node->source,
                        "discardvisual: what is only drawn is kept");
}

static void read_compiler(trxi_mjcf *reader, trxi_xml_node *node)
{
    static const char *const angles[] = {"radian", "degree"}, *const coordinates[] = {"local", "global"};
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node);
    trxi_mjcf_compiler *c = &reader->compiler;
    c->angle = trxi_mjcf_word(&e, "angle", angles, 2, c->angle == degree) == 1 ? degree : 1;
    if (trxi_mjcf_word(&e, "coordinate", coordinates, 2, 0) == 1)
        trxi_mjcf_error(&e, node->source, "coordinate",
                        "coordinate is 'global', which MuJoCo no longer reads; convert the file to "
                        "local coordinates");
    c->autolimits = trxi_mjcf_flag(&e, "autolimits", c->autolimits);
    c->strip_path = trxi_mjcf_flag(&e, "strippath", c->strip_path);
    c->fit_box = trxi_mjcf_flag(&e, "fitaabb", c->fit_box);
    read_euler(&e, c);
    read_inference(&e, c);
}

// the folder of meshes: meshdir or else assetdir of the last compiler that has one of them
static const char *find_mesh_folder(trxi_mjcf *reader, trxi_xml_node *root, const char *path)
{
    const char *folder = "";
    for (int i = 0; i < root->count; i++) {
        trxi_xml_node *node = root->items[i];
        if (strcmp(node->name, "compiler") != 0) continue;
        const char *mesh = trxi_xml_get(node, "meshdir"), *asset = trxi_xml_get(node, "assetdir");
        if (mesh || asset) folder = mesh ? mesh : asset;
    }
    const char *slash = strrchr(path, '/');
    folder = as_folder(reader->draft, folder);
    if (folder[0] != '/' && slash)
        folder = trxi_draft_printf(reader->draft, "%.*s%s", (int)(slash - path + 1), path, folder);
    return folder;
}

trxi_mjcf_compiler trxi_mjcf_compiler_of(trxi_mjcf *reader, trxi_xml_node *root, const char *path)
{
    const trxi_mjcf_compiler own = reader->compiler;
    reader->compiler = (trxi_mjcf_compiler){.angle = degree,
                                            .autolimits = true,
                                            .eulerseq = {'x', 'y', 'z'},
                                            .infer = TRXI_MJCF_INFER_AUTO,
                                            .group_range = {0, 5}};
    for (int i = 0; i < root->count; i++)
        if (strcmp(root->items[i]->name, "compiler") == 0) read_compiler(reader, root->items[i]);
    reader->compiler.mesh_folder = find_mesh_folder(reader, root, path);
    trxi_mjcf_compiler found = reader->compiler;
    reader->compiler = own;
    return found;
}

// groups of actuators that exert no force
static void read_groups(const trxi_mjcf_element *e)
{
    enum { GROUPS = 31 };
    double groups[GROUPS];
    const int count = trxi_mjcf_numbers(e, "actuatorgroupdisable", 1, GROUPS, groups);
    for (int i = 0; i < count; i++)
        if (groups[i] >= 0 && groups[i] < GROUPS) e->reader->off.actuator_groups |= 1u << (unsigned)groups[i];
}

// reads the flags, the last value of each counts, and derives the features that they disable; gravity tells whether it acts
static void read_flags(trxi_mjcf *reader, trxi_xml_node *node, bool *gravity)
{
    static const char *const words[] = {"disable", "enable"};
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node);
    trxi_mjcf_off *off = &reader->off;
    bool adjacent = false;
    const struct {
        const char *flag;
        bool *features[4];
    } flags[TRXI_MJCF_FLAGS] = {{"constraint", {&off->contact, &off->equality, &off->frictionloss, &off->limit}},
                 {"passive", {&off->spring, &off->damper}},
                 {"contact", {&off->contact}},
                 {"equality", {&off->equality}},
                 {"frictionloss", {&off->frictionloss}},
                 {"limit", {&off->limit}},
                 {"spring", {&off->spring}},
                 {"damper", {&off->damper}},
                 {"clampctrl", {&off->clampctrl}},
                 {"actuation", {&off->actuation}},
                 {"filterparent", {&adjacent}}};
    *gravity = trxi_mjcf_word(&e, "gravity", words, 2, *gravity) == 1;
    if (trxi_mjcf_word(&e, "override", words, 2, 0) == 1)
        trxi_draft_note(reader->draft, TRX_NOTE_REPLACED, node->source, "override: contacts keep friction and law of their own");
    for (int i = 0; i < TRXI_MJCF_FLAGS; i++) {
        off->flags[i] = trxi_mjcf_word(&e, flags[i].flag, words, 2, !off->flags[i]) == 0;
        for (int k = 0; k < 4 && flags[i].features[k]; k++) *flags[i].features[k] = false;
    }
    for (int i = 0; i < TRXI_MJCF_FLAGS; i++)
        for (int k = 0; k < 4 && flags[i].features[k]; k++) *flags[i].features[k] = *flags[i].features[k] || off->flags[i];
    trxi_draft_allow_adjacent(reader->draft, adjacent);
}

// one note for each disabled feature
static void note_off(trxi_mjcf *reader)
{
    const trxi_mjcf_off *off = &reader->off;
    const struct {
        bool off;
        const char *feature;
    } features[] = {{off->contact, "contacts"},
                    {off->equality, "equalities"},
                    {off->frictionloss, "dry friction of joints"},
                    {off->limit, "joint limits"},
                    {off->spring, "springs of joints"},
                    {off->damper, "dampers of joints"},
                    {off->clampctrl, "limits of controls"},
                    {off->actuation, "actuators"}};
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (features[i].off)
            trxi_draft_note(reader->draft, TRX_NOTE_ASSUMED, reader->root->source,
                            "no %s: a flag in the option of the file disables them", features[i].feature);
}

static void read_option(trxi_mjcf *reader, trxi_xml_node *node, double gravity[3], bool *acts)
{
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node);
    double step = trxi_mjcf_number(&e, "timestep", NAN);
    trxi_mjcf_numbers(&e, "gravity", 3, 3, gravity);
    trxi_mjcf_read_fluid(&e);
    read_groups(&e);
    if (step <= 0)
        trxi_mjcf_error(&e, node->source, "timestep", "timestep is %g s; it must be positive", step);
    else if (step > 0)
        trxi_draft_time_step(reader->draft, step);
    for (int i = 0; i < node->count; i++)
        if (strcmp(node->items[i]->name, "flag") == 0) read_flags(reader, node->items[i], acts);
}

void trxi_mjcf_read_settings(trxi_mjcf *reader)
{
    static const double none[3] = {0, 0, 0};
    double gravity[3] = {NAN, NAN, NAN};
    bool acts = true;
    reader->compiler = trxi_mjcf_compiler_of(reader, reader->root, trxi_draft_path(reader->draft));
    for (int i = 0; i < reader->root->count; i++) {
        trxi_xml_node *node = reader->root->items[i];
        if (strcmp(node->name, "option") == 0) read_option(reader, node, gravity, &acts);
    }
    note_off(reader);
    if (!acts)
        trxi_draft_gravity(reader->draft, none);
    else if (!isnan(gravity[0]))
        trxi_draft_gravity(reader->draft, gravity);
}
