// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Tendons: fixed ones, sums of joint positions with factors, and spatial ones, paths through sites (tendon_path.c). Each becomes a
// tendon of the model with its spring and damper; actuators act along tendons, equalities couple them, and limits are constraints.
// Dry friction and rotor inertia of tendons are left out and noted.
//
// A spring without springlength rests at the length of qpos_spring, where each joint is at its springref. The length of a
// path is known at the reference configuration alone, so a path across joints with other springrefs is noted.

#include "import/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

static void note_forces(const trxi_mjcf_element *e)
{
    static const char *const keys[] = {"frictionloss", "armature"};
    for (int i = 0; i < 2; i++)
        if (trxi_mjcf_number(e, keys[i], 0) != 0)
            trxi_draft_note(e->reader->draft, TRX_NOTE_DROPPED, e->node->source, "%s of this tendon", keys[i]);
}

// the linear part of a polynomial, not negative
static double linear_part(const trxi_mjcf_element *e, const char *key)
{
    double value[3] = {0, 0, 0};
    trxi_mjcf_numbers(e, key, 1, 3, value);
    if (value[1] != 0 || value[2] != 0)
        trxi_draft_note(e->reader->draft, TRX_NOTE_REPLACED, e->node->source,
                        "%s of this tendon: a polynomial keeps its linear part", key);
    if (value[0] < 0)
        trxi_mjcf_error(e, e->node->source, key, "%s of this tendon is %g; it must not be negative", key, value[0]);
    return fmax(0, value[0]);
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
    def->tendon = tendon->draft;
    def->lower = tendon->range[0];
    def->upper = tendon->range[1];
}

// the length at qpos_spring
static double rest_length(const trxi_mjcf_element *e, const trxi_mjcf_tendon *tendon)
{
    trxi_mjcf *reader = e->reader;
    bool elsewhere = false;
    double length = 0;
    for (int i = 0; i < reader->joints.count; i++) {
        const trxi_mjcf_joint *joint = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, i);
        elsewhere = elsewhere || joint->rest != joint->reference;
    }
    for (int i = 0; i < tendon->count; i++)
        length += tendon->factors[i] * TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, tendon->joints[i])->rest;
    if (tendon->fixed) return length;
    if (elsewhere)
        trxi_draft_note(reader->draft, TRX_NOTE_REPLACED, e->node->source,
                        "the rest length of this tendon: that of the reference configuration, where joints are not at their "
                        "springref");
    return tendon->reference;
}

static void read_spring(const trxi_mjcf_element *e, const trxi_mjcf_tendon *tendon, trx_tendon_def *def)
{
    double rest[2] = {-1, -1};
    const double stiffness = linear_part(e, "stiffness"), damping = linear_part(e, "damping");
    def->stiffness = e->reader->off.spring ? 0 : stiffness;
    def->damping = e->reader->off.damper ? 0 : damping;
    if (trxi_mjcf_numbers(e, "springlength", 1, 2, rest) == 1) rest[1] = rest[0];
    if (def->stiffness > 0 && rest[0] == -1 && rest[1] == -1) rest[0] = rest[1] = rest_length(e, tendon);
    if (rest[0] > rest[1])
        trxi_mjcf_error(e, e->node->source, "springlength", "springlength of this tendon: the lower one comes first");
    def->rest_lower = rest[0];
    def->rest_upper = fmax(rest[0], rest[1]);
    if (trxi_mjcf_numbers(e, "springyield", 1, 2, rest) > 0)
        trxi_draft_note(e->reader->draft, TRX_NOTE_DROPPED, e->node->source, "springyield of this tendon: springs never yield");
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
    const bool fixed = strcmp(node->name, "fixed") == 0;
    if (!fixed && strcmp(node->name, "spatial") != 0) return;
    int index = reader->tendons.count;
    trxi_mjcf_tendon *tendon = trxi_draft_push(reader->draft, &reader->tendons, sizeof *tendon);
    *tendon = (trxi_mjcf_tendon){.source = node->source, .fixed = fixed, .draft = -1, .range = {-INFINITY, INFINITY},
                                 .effort = {-INFINITY, INFINITY}};
    trxi_mjcf_bind(reader, TRXI_MJCF_TENDON, node, index);
    trxi_mjcf_element e = {reader, node, "tendon", trxi_mjcf_class_of(reader, node, "class", NULL)};
    trxi_mjcf_range(&e, "range", "limited", tendon->range);
    trxi_mjcf_range(&e, "actuatorfrcrange", "actuatorfrclimited", tendon->effort);
    note_forces(&e);

    trx_tendon_def def = trx_tendon_def_default();
    if (fixed ? !read_factors(&e, tendon) : !trxi_mjcf_read_path(&e, tendon, &def)) return;
    if (fixed) def.joints = trxi_mjcf_tendon_factors(reader, tendon), def.njoint = def.joints ? tendon->count : 0;
    for (int i = 0; i < tendon->count; i++)
        tendon->reference +=
            tendon->factors[i] * TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, tendon->joints[i])->reference;
    read_spring(&e, tendon, &def);
    const char *raw = trxi_xml_get(node, "name");
    tendon->draft = trxi_draft_tendon_count(reader->draft);
    trx_tendon_def *kept = trxi_draft_tendon(reader->draft, raw && *raw ? raw : "tendon", node->source);
    def.name = kept->name, def.source = kept->source;
    *kept = def;
    limit_length(&e, tendon);
}

void trxi_mjcf_read_tendons(trxi_mjcf *reader)
{
    trxi_mjcf_each(reader, "tendon", read_tendon);
}
