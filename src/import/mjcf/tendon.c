// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Tendons. A fixed tendon is a sum of joint positions with factors; actuators act along it, equalities couple it, and
// its limits are a constraint. A tendon's own spring, damping and friction, and tendons through space, are left out
// and noted.

#include "import/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

static void note_forces(const trxi_mjcf_element *e)
{
    static const char *const keys[] = {"stiffness", "damping", "frictionloss", "armature"};
    for (int i = 0; i < 4; i++) {
        double value[3] = {0, 0, 0};
        if (trxi_mjcf_numbers(e, keys[i], 1, 3, value) > 0 && (value[0] != 0 || value[1] != 0 || value[2] != 0))
            trxi_draft_note(e->reader->draft, TRX_NOTE_DROPPED, e->node->source, "%s of this tendon", keys[i]);
    }
}

const trx_joint_factor *trxi_mjcf_tendon_factors(trxi_mjcf *reader, const trxi_mjcf_tendon *tendon)
{
    trx_joint_factor *factors = TRXI_DRAFT_TAKE(reader->draft, trx_joint_factor, tendon->count);
    for (int i = 0; factors && i < tendon->count; i++) {
        const trxi_mjcf_joint *joint = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, tendon->joints[i]);
        factors[i].body = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, joint->body)->draft;
        factors[i].joint = joint->index;
        factors[i].factor = tendon->factors[i];
    }
    return factors;
}

static void limit_length(const trxi_mjcf_element *e, const trxi_mjcf_tendon *tendon)
{
    trxi_draft *draft = e->reader->draft;
    if (!isfinite(tendon->range[0]) || e->reader->off.limit) return;
    const char *raw = trxi_xml_get(e->node, "name");
    trx_constraint_def *def = trxi_draft_constraint(draft, trxi_draft_name(draft, raw && *raw ? raw : "tendon", "constraint",
                                                                           e->node->source), e->node->source);
    def->type = TRX_CONSTRAINT_TENDON;
    def->tendon = trxi_mjcf_tendon_factors(e->reader, tendon);
    def->ntendon = def->tendon ? tendon->count : 0;
    def->lower = tendon->range[0];
    def->upper = tendon->range[1];
}

// joints and factors that are not 0; false when there are none, or when one is wrong (reported)
static bool read_factors(const trxi_mjcf_element *e, trxi_mjcf_tendon *tendon)
{
    trxi_mjcf *reader = e->reader;
    int joints = 0;
    tendon->joints = TRXI_DRAFT_TAKE(reader->draft, int, e->node->count);
    tendon->factors = TRXI_DRAFT_TAKE(reader->draft, double, e->node->count);
    if (!tendon->joints || !tendon->factors) return false;
    for (int i = 0; i < e->node->count; i++) {
        trxi_xml_node *node = e->node->items[i];
        if (strcmp(node->name, "joint") != 0) continue;
        trxi_mjcf_element item = trxi_mjcf_plain(reader, node);
        int joint = trxi_mjcf_required(&item, "joint") ? trxi_mjcf_refer(&item, "joint", TRXI_MJCF_JOINT) : -1;
        if (joint < 0 || !trxi_mjcf_required(&item, "coef")) return false;
        trx_joint_type type = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, joint)->type;
        if (type != TRX_JOINT_HINGE && type != TRX_JOINT_SLIDE) {
            trxi_error_at(reader->context, node->source,
                          "a fixed tendon is made of hinges and slides; this joint is another one");
            return false;
        }
        for (int k = 0; k < tendon->count; k++)
            if (tendon->joints[k] == joint) {
                trxi_error_at(reader->context, node->source,
                              "this joint is already part of this tendon; add up the two coef");
                return false;
            }
        double factor = trxi_mjcf_number(&item, "coef", 0);
        joints++;
        if (factor == 0) continue;
        tendon->joints[tendon->count] = joint;
        tendon->factors[tendon->count++] = factor;
    }
    if (joints == 0) trxi_error_at(reader->context, e->node->source, "a fixed tendon needs a joint");
    return tendon->count > 0;
}

static void read_tendon(trxi_mjcf *reader, trxi_xml_node *node)
{
    bool fixed = strcmp(node->name, "fixed") == 0;
    if (!fixed && strcmp(node->name, "spatial") != 0) return;
    int index = reader->tendons.count;
    trxi_mjcf_tendon *tendon = trxi_draft_push(reader->draft, &reader->tendons, sizeof *tendon);
    *tendon =
        (trxi_mjcf_tendon){.source = node->source, .range = {-INFINITY, INFINITY}, .effort = {-INFINITY, INFINITY}};
    trxi_mjcf_bind(reader, TRXI_MJCF_TENDON, node, index);
    if (!fixed) {
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, node->source, "a spatial tendon");
        return;
    }
    trxi_mjcf_element e = {reader, node, "tendon", trxi_mjcf_class_of(reader, node, "class", NULL)};
    trxi_mjcf_range(&e, "range", "limited", tendon->range);
    trxi_mjcf_range(&e, "actuatorfrcrange", "actuatorfrclimited", tendon->effort);
    note_forces(&e);
    tendon->fixed = read_factors(&e, tendon);
    if (tendon->fixed) limit_length(&e, tendon);
}

void trxi_mjcf_read_tendons(trxi_mjcf *reader)
{
    trxi_mjcf_each(reader, "tendon", read_tendon);
}
