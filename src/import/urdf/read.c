// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values of URDF elements: attributes, poses, references by name, and corrections for wrong values.

#include "formats/scalar.h"
#include "import/urdf/urdf.h"
#include "math/rotation.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NUMBERS = 8, MAX_CANDIDATES = 2000, MAX_SEARCHES = 200 };

// numbers of a vector; other readers accept commas and more numbers than needed, so these get a note
static bool read_loosely(trxi_urdf *urdf, const trxi_xml_node *node, const char *text, int count, double *values)
{
    double read[MAX_NUMBERS];
    char *plain = TRXI_DRAFT_TAKE(urdf->draft, char, strlen(text) + 1);
    if (!plain || count == 1) return false;
    for (size_t i = 0; text[i]; i++) plain[i] = text[i] == ',' ? ' ' : text[i];
    int found = trxi_xml_numbers(plain, MAX_NUMBERS, read);
    if (found < count) return false;
    memcpy(values, read, (size_t)count * sizeof *values);
    if (strchr(text, ','))
        trxi_draft_tally(urdf->draft, TRX_NOTE_REPAIRED, node->source, "", "vector has", "vectors have",
                         " commas: they are read as blanks");
    if (found > count)
        trxi_draft_tally(urdf->draft, TRX_NOTE_DROPPED, node->source, "", "vector has", "vectors have",
                         " more numbers than needed: the first ones count");
    return true;
}

bool trxi_urdf_numbers(trxi_urdf *urdf, trxi_xml_node *node, const char *key, int count, bool required, double *values)
{
    static const char *const examples[] = {"", "\"1\"", "two numbers", "three numbers", "four numbers"};
    const char *text = trxi_xml_get(node, key);
    double read[MAX_NUMBERS];
    if (!text) {
        if (required)
            trxi_error_at(urdf->context, node->source, "<%.60s> has no %s: write %s=%s", node->name, key, key,
                          count == 1   ? "\"...\""
                          : count == 3 ? "\"X Y Z\""
                                       : "\"...\"");
        return false;
    }
    if (trxi_xml_numbers(text, count, read) != count && !read_loosely(urdf, node, text, count, read)) {
        trxi_error_at(urdf->context, node->source, "%s=\"%.80s\" of <%.60s>: write %s", key, text, node->name,
                      count == 1 ? "one number" : examples[count]);
        return false;
    }
    memcpy(values, read, (size_t)count * sizeof *values);
    return true;
}

const char *trxi_urdf_text(trxi_urdf *urdf, trxi_xml_node *node, const char *key)
{
    const char *text = trxi_xml_get(node, key);
    if (text && *text) return text;
    trxi_error_at(urdf->context, node->source, "<%.60s> has no %s: write %s=\"...\"", node->name, key, key);
    return NULL;
}

bool trxi_urdf_value(trxi_urdf *urdf, trxi_xml_node *node, const char *name, double *value)
{
    trxi_xml_node *child = trxi_element_child(node, name);
    if (!child) return false;
    if (trxi_xml_get(child, "value") || !*child->text) return trxi_urdf_numbers(urdf, child, "value", 1, true, value);
    double read;
    if (trxi_xml_numbers(child->text, 1, &read) == 1) {
        *value = read;
        return true;
    }
    trxi_error_at(urdf->context, child->source, "\"%.80s\" in <%.60s>: write one number", child->text, child->name);
    return false;
}

trx_pose trxi_urdf_origin(trxi_urdf *urdf, trxi_xml_node *node)
{
    trx_pose pose = trx_pose_identity();
    trxi_xml_node *origin = trxi_xml_child(node, "origin");
    if (!origin) return pose;
    double rpy[3], xyzw[4];
    trxi_urdf_numbers(urdf, origin, "xyz", 3, false, pose.p);
    bool angles = trxi_urdf_numbers(urdf, origin, "rpy", 3, false, rpy);
    if (angles) trxi_quat_from_rpy(rpy, pose.quat);
    if (!trxi_urdf_numbers(urdf, origin, "quat_xyzw", 4, false, xyzw)) return pose;

    double quat[4] = {xyzw[3], xyzw[0], xyzw[1], xyzw[2]};
    if (angles)
        trxi_error_at(urdf->context, origin->source, "<origin> has rpy and quat_xyzw: write one of them");
    else if (trxi_quat_normalize(quat) > 0)
        memcpy(pose.quat, quat, sizeof quat);
    else
        trxi_error_at(urdf->context, origin->source, "quat_xyzw of <origin> is 0: write a unit quaternion");
    return pose;
}

// ---- references ----

// "; did you mean ...?" among at most MAX_CANDIDATES names, which bounds the time for a file full of errors
static const char *suggestion(trxi_urdf *urdf, const char *word, bool links)
{
    int n = links ? urdf->nlink : urdf->njoint;
    if (trx_context_error_count(urdf->context) > MAX_SEARCHES) return "";
    if (n > MAX_CANDIDATES) n = MAX_CANDIDATES;
    const char **names = TRXI_DRAFT_TAKE(urdf->draft, const char *, n + 1);
    if (!names) return "";
    for (int i = 0; i < n; i++) names[i] = links ? urdf->links[i].name : urdf->joints[i].name;
    const char *near = trxi_suggest(word, names, n);
    return near ? trxi_draft_printf(urdf->draft, "; did you mean \"%.100s\"?", near) : "";
}

const char *trxi_urdf_suggest_joint(trxi_urdf *urdf, const char *name)
{
    return suggestion(urdf, name, false);
}

int trxi_urdf_find_link(trxi_urdf *urdf, const trxi_xml_node *node, const char *name)
{
    int index = trxi_table_find(&urdf->link_names, name);
    if (index >= 0) return index;
    trxi_error_at(urdf->context, node->source, "<%.60s>: there is no link \"%.100s\"%s", node->name, name,
                  suggestion(urdf, name, true));
    return TRXI_URDF_NONE;
}
