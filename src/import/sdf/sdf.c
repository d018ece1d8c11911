// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// SDF, versions 1.4 to 1.11: all models of the file or of its world. Links become bodies in the order of the trees.
// A root that no joint holds in the world moves freely, unless its model is static or the options say otherwise.
// Sensors, plugins, lights and physics are reported like every other element that is not used.

#include "import/pose.h"
#include "import/sdf/sdf.h"

#include <string.h>

static void make_body(trxi_sdf *sdf, int index)
{
    trxi_sdf_frame *link = trxi_sdf_at(sdf, index);
    int parent = link->joint >= 0 ? trxi_sdf_at(sdf, link->joint)->parent : TRXI_SDF_WORLD;
    int above = parent == TRXI_SDF_WORLD ? -1 : trxi_sdf_at(sdf, parent)->body;
    link->body = trxi_draft_body(sdf->draft, link->new_name, link->node->source, above);
    trx_pose pose = trxi_sdf_between(sdf, parent, index);
    if (above < 0) pose = trxi_pose_mul(&sdf->draft->options.pose, &pose);
    trxi_draft_body_at(sdf->draft, link->body)->pose = pose;
    if (link->joint >= 0)
        trxi_sdf_read_joint(sdf, link->joint);
    else
        trxi_sdf_read_root(sdf, index);
    trxi_sdf_read_link(sdf, index);
}

// children onto the stack, the first one on top
static void push_children(const trxi_sdf *sdf, int link, int *stack, int *count)
{
    int from = *count;
    for (int j = trxi_sdf_at(sdf, link)->first_joint; j >= 0; j = trxi_sdf_at(sdf, j)->first_joint)
        stack[(*count)++] = trxi_sdf_at(sdf, j)->child;
    for (int a = from, b = *count - 1; a < b; a++, b--) {
        int other = stack[a];
        stack[a] = stack[b], stack[b] = other;
    }
}

static void make_bodies(trxi_sdf *sdf)
{
    int *stack = TRXI_DRAFT_TAKE(sdf->draft, int, sdf->frames.count), count = 0;
    for (int i = 1; stack && i < sdf->frames.count; i++) {
        const trxi_sdf_frame *link = trxi_sdf_at(sdf, i);
        bool root = link->kind == TRXI_SDF_LINK && link->joint < 0;
        bool on_world = link->kind == TRXI_SDF_LINK && link->joint >= 0
                        && trxi_sdf_at(sdf, link->joint)->parent == TRXI_SDF_WORLD;
        if (root || on_world) stack[count++] = i;
        while (count > 0 && trxi_draft_ok(sdf->draft)) {
            int at = stack[--count];
            make_body(sdf, at);
            push_children(sdf, at, stack, &count);
        }
    }
}

// base: free and planar need a root that nothing holds
static void check_base(trxi_sdf *sdf)
{
    trx_base base = sdf->draft->options.base;
    if (base != TRX_BASE_FREE && base != TRX_BASE_PLANAR) return;
    for (int i = 1; i < sdf->frames.count; i++) {
        const trxi_sdf_frame *link = trxi_sdf_at(sdf, i);
        if (link->kind == TRXI_SDF_LINK && link->joint < 0 && !link->is_static) return;
    }
    trxi_error_at(sdf->context, sdf->root->source,
                  "base: %s, but joints or <static> hold every model of this file in the world; write base: fixed",
                  base == TRX_BASE_FREE ? "free" : "planar");
}

// names of links before names of joints, so that links keep their names
static void name_links(trxi_sdf *sdf)
{
    for (int i = 1; i < sdf->frames.count; i++) {
        trxi_sdf_frame *link = trxi_sdf_at(sdf, i);
        if (link->kind == TRXI_SDF_LINK)
            link->new_name = trxi_draft_name(sdf->draft, trxi_sdf_shown(sdf, i), "link", link->node->source);
    }
}

static trx_status check_version(const trxi_sdf *sdf)
{
    if (trxi_sdf_version(sdf->root) > 0) return TRX_OK;
    const char *text = trxi_xml_get(sdf->root, "version");
    trx_source at = sdf->root->source;
    return trxi_fail(sdf->context, TRX_ERR_UNSUPPORTED,
                     "not in this version: SDF \"%.20s\" (%.300s:%d:%d): write version 1.4 to 1.11", text ? text : "",
                     at.file, at.line, at.column);
}

static void note_unused(const trxi_sdf *sdf)
{
    trxi_draft_note_unused(sdf->draft, sdf->root);
    for (int i = 0; i < sdf->included.count; i++)
        trxi_draft_note_unused(sdf->draft, *(trxi_xml_node *const *)sdf->included.items[i]);
}

trx_status trxi_sdf_read(trxi_draft *draft, trxi_xml_node *root)
{
    trxi_sdf sdf = {.draft = draft, .context = draft->context, .root = root};
    trx_status status = check_version(&sdf);
    if (status < 0 || !trxi_sdf_collect(&sdf) || !trxi_sdf_frames(&sdf) || !trxi_sdf_tree(&sdf)) return status;
    check_base(&sdf);
    name_links(&sdf);
    make_bodies(&sdf);
    if (!trxi_draft_ok(draft)) return TRX_ERR_MEMORY;
    trxi_sdf_close_loops(&sdf);
    trxi_sdf_drives(&sdf);
    note_unused(&sdf);
    return TRX_OK;
}
