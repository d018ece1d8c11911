// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Copies of elements: <replicate count offset euler sep> stands for `count` frames with its content. Frame i + 1 is at
// `offset`, turned by `euler`, in frame i. Names in copy i end with `sep` and i, with zeros before i up to the digits of `count`.
// Tendons, equalities, pairs of contact, actuators and sensors that refer to the content are copied too, copy after copy, into
// new sections at the end of the file.

#include "import/mjcf/mjcf.h"

#include <stdio.h>
#include <string.h>

static const char *const sections[] = {"tendon", "equality", "contact", "actuator", "sensor"};

static trxi_xml_node *make_frame(trxi_mjcf *reader, const trxi_xml_node *node, const trx_pose *pose)
{
    static const char *keys[] = {"pos", "quat"};
    trxi_xml_node *frame = TRXI_DRAFT_TAKE(reader->draft, trxi_xml_node, 1);
    const char **values = TRXI_DRAFT_TAKE(reader->draft, const char *, 2);
    bool *used = TRXI_DRAFT_TAKE(reader->draft, bool, 2);
    if (!frame || !values || !used) return NULL;
    values[0] = trxi_draft_printf(reader->draft, "%.17g %.17g %.17g", pose->p[0], pose->p[1], pose->p[2]);
    values[1] = trxi_draft_printf(reader->draft, "%.17g %.17g %.17g %.17g", pose->quat[0], pose->quat[1], pose->quat[2],
                                  pose->quat[3]);
    *frame = (trxi_xml_node){.name = "frame", .source = node->source, .parent = node->parent, .nattribute = 2, .keys = keys,
                             .values = values, .keys_used = used, .text = ""};
    return frame;
}

// content of one copy; NULL when memory is out, or too much is copied
static trxi_xml_node *copy_content(trxi_mjcf *reader, trxi_xml_node *node, const trx_pose *pose, const trxi_mjcf_renaming *change)
{
    trxi_xml_node *frame = make_frame(reader, node, pose);
    if (!frame) return NULL;
    frame->items = TRXI_DRAFT_TAKE(reader->draft, trxi_xml_node *, node->count + 1);
    for (int i = 0; frame->items && i < node->count; i++) {
        trxi_xml_node *child = trxi_mjcf_clone(reader, node->items[i], frame);
        if (!child) return NULL;
        trxi_mjcf_rename(reader, child, change);
        frame->items[frame->count++] = child;
    }
    return frame;
}

// moves the elements of a section that refer to one of `names` into `taken`
static void take_out(trxi_mjcf *reader, trxi_xml_node *section, trxi_table *names, trxi_list *taken)
{
    int kept = 0;
    for (int i = 0; i < section->count; i++) {
        trxi_xml_node *element = section->items[i];
        if (!trxi_mjcf_refers_to(reader, element, names)) {
            section->items[kept++] = element;
            continue;
        }
        trxi_mjcf_collect_names(reader, element, names); // what refers to a copied tendon is copied too
        trxi_mjcf_append(reader, taken, element);
    }
    section->count = kept;
}

// one section with the elements of `taken` for each copy
static void copy_section(trxi_mjcf *reader, const trxi_list *taken, const trxi_mjcf_renaming *changes, int count, trxi_list *root)
{
    const trxi_xml_node *first = taken->items[0];
    trxi_xml_node *section = TRXI_DRAFT_TAKE(reader->draft, trxi_xml_node, 1);
    trxi_list content = {0};
    if (!section) return;
    for (int c = 0; c < count; c++)
        for (int i = 0; i < taken->count; i++) {
            trxi_xml_node *copy = trxi_mjcf_clone(reader, taken->items[i], section);
            if (!copy) return;
            trxi_mjcf_rename(reader, copy, &changes[c]);
            trxi_mjcf_append(reader, &content, copy);
        }
    *section = *first->parent;
    section->items = (trxi_xml_node **)content.items;
    section->count = content.count;
    trxi_mjcf_append(reader, root, section);
}

// copies the elements of other sections that refer to the names. Sections come in the order in which they refer to each other
static void copy_referring(trxi_mjcf *reader, trxi_list *root, trxi_table *names, const trxi_mjcf_renaming *changes, int count)
{
    for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
        trxi_list taken = {0};
        for (int i = 0; i < root->count; i++) {
            trxi_xml_node *section = root->items[i];
            if (strcmp(section->name, sections[s]) == 0) take_out(reader, section, names, &taken);
        }
        if (taken.count > 0 && trxi_draft_ok(reader->draft)) copy_section(reader, &taken, changes, count, root);
    }
}

// offset and turn from one copy to the next
static trx_pose read_step(trxi_mjcf *reader, trxi_xml_node *node)
{
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node);
    trx_pose step = trxi_mjcf_pose(&e);
    trxi_mjcf_numbers(&e, "offset", 3, 3, step.p);
    return step;
}

void trxi_mjcf_replicate(trxi_mjcf *reader, trxi_xml_node *node, trxi_list *root, trxi_list *out)
{
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node);
    const int count = trxi_mjcf_required(&e, "count") ? trxi_mjcf_integer(&e, "count", 0) : 0;
    const char *separator = trxi_mjcf_text(&e, "sep", NULL);
    if (count < 1 || count > TRXI_XML_MAX_ELEMENTS) {
        trxi_mjcf_error(&e, node->source, "count", "count of this replicate is %d; write 1 or more copies", count);
        return;
    }
    trxi_mjcf_renaming *changes = TRXI_DRAFT_TAKE(reader->draft, trxi_mjcf_renaming, count);
    trxi_table names = {0};
    for (int i = 0; i < node->count; i++) trxi_mjcf_collect_names(reader, node->items[i], &names);
    trx_pose pose = trx_pose_identity(), step = read_step(reader, node);
    const int before = out->count;
    const int digits = snprintf(NULL, 0, "%d", count);
    for (int i = 0; changes && i < count && trxi_draft_ok(reader->draft); i++) {
        const char *suffix = trxi_draft_printf(reader->draft, "%s%0*d", separator ? separator : "", digits, i);
        changes[i] = (trxi_mjcf_renaming){.prefix = "", .suffix = suffix, .only = &names};
        trxi_xml_node *frame = copy_content(reader, node, &pose, &changes[i]);
        if (!frame) {
            out->count = before;
            return;
        }
        trxi_mjcf_append(reader, out, frame);
        pose = trxi_pose_mul(&pose, &step);
    }
    if (changes && trxi_draft_ok(reader->draft)) copy_referring(reader, root, &names, changes, count);
}
