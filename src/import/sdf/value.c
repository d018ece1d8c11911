// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values of SDF elements. SDF keeps values in the text of child elements, names in attributes.

#include "import/sdf/sdf.h"
#include "math/rotation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MAX_NUMBERS = 8 };

bool trxi_sdf_numbers(trxi_sdf *sdf, trxi_xml_node *node, const char *name, int count, double *values)
{
    static const char *const examples[] = {"", "one number", "two numbers", "three numbers"};
    trxi_xml_node *child = trxi_element_child(node, name); // `node` may be NULL
    double read[MAX_NUMBERS];
    if (!child) return false;
    if (trxi_xml_numbers(child->text, count, read) == count) {
        memcpy(values, read, (size_t)count * sizeof *values);
        return true;
    }
    trxi_error_at(sdf->context, child->source, "\"%.80s\" in <%.60s>: write %s", child->text, name, examples[count]);
    return false;
}

const char *trxi_sdf_word(trxi_xml_node *node, const char *name)
{
    trxi_xml_node *child = trxi_element_child(node, name);
    return child && *child->text ? child->text : NULL;
}

bool trxi_sdf_is_true(trxi_sdf *sdf, trxi_xml_node *node, const char *name)
{
    trxi_xml_node *child = trxi_element_child(node, name);
    if (!child || strcmp(child->text, "0") == 0 || strcmp(child->text, "false") == 0) return false;
    if (strcmp(child->text, "1") == 0 || strcmp(child->text, "true") == 0) return true;
    trxi_error_at(sdf->context, child->source, "\"%.80s\" in <%.60s>: write true or false", child->text, name);
    return false;
}

const char *trxi_sdf_name(trxi_sdf *sdf, trxi_xml_node *node)
{
    const char *name = trxi_xml_get(node, "name");
    if (name && *name) return name;
    trxi_error_at(sdf->context, node->source, "<%.60s> has no name: write name=\"...\"", node->name);
    return NULL;
}

trx_pose trxi_sdf_read_pose(trxi_sdf *sdf, trxi_xml_node *node)
{
    trx_pose pose = trx_pose_identity();
    trxi_xml_node *child = trxi_element_child(node, "pose");
    if (!child) return pose;
    const char *format = trxi_xml_get(child, "rotation_format"), *unit = trxi_xml_get(child, "degrees");
    bool quaternion = format && strcmp(format, "quat_xyzw") == 0;
    bool degrees = unit && (strcmp(unit, "true") == 0 || strcmp(unit, "1") == 0);
    double x[MAX_NUMBERS] = {0};
    int count = quaternion ? 7 : 6;
    if (*child->text && trxi_xml_numbers(child->text, count, x) != count) {
        trxi_error_at(sdf->context, child->source, "\"%.80s\" in <pose>: write %s", child->text,
                      quaternion ? "seven numbers X Y Z QX QY QZ QW" : "six numbers X Y Z ROLL PITCH YAW");
        return pose;
    }
    memcpy(pose.p, x, sizeof pose.p);
    for (int i = 3; degrees && !quaternion && i < 6; i++) x[i] *= acos(-1) / 180;
    if (!quaternion)
        trxi_quat_from_rpy(x + 3, pose.quat);
    else if (*child->text) {
        memcpy(pose.quat, (double[]){x[6], x[3], x[4], x[5]}, sizeof pose.quat);
        if (!(trxi_quat_normalize(pose.quat) > 0)) {
            trxi_error_at(sdf->context, child->source, "the quaternion of <pose> is 0: write a unit quaternion");
            return trx_pose_identity();
        }
    }
    return pose;
}

const char *trxi_sdf_uri(trxi_sdf *sdf, trxi_xml_node *node)
{
    assert(node);
    const char *uri = trxi_sdf_word(node, "uri");
    if (!uri) trxi_error_at(sdf->context, node->source, "<%.60s> has no <uri>: write <uri>FILE</uri>", node->name);
    return uri && strncmp(uri, "model://", 8) == 0 ? trxi_draft_printf(sdf->draft, "package://%s", uri + 8) : uri;
}

double trxi_sdf_version(const trxi_xml_node *node)
{
    while (node->parent) node = node->parent;
    const char *text = NULL;
    double read;
    for (int i = 0; i < node->nattribute; i++)
        if (strcmp(node->keys[i], "version") == 0) node->keys_used[i] = true, text = node->values[i];
    if (!text || trxi_xml_numbers(text, 1, &read) != 1) return 0;
    if (strcmp(text, "1.10") == 0 || strcmp(text, "1.11") == 0) return 1.91;
    return read >= 1.4 && read < 2 ? read : 0;
}

const char *trxi_sdf_folder(trxi_sdf *sdf, const trxi_xml_node *node)
{
    const char *file = node->source.file, *slash = file ? strrchr(file, '/') : NULL;
    if (!slash || strcmp(file, sdf->draft->path) == 0) return NULL;
    return trxi_draft_printf(sdf->draft, "%.*s", (int)(slash - file + 1), file);
}
