// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Equalities become constraints. Points and frames are given on one body; their place on the other body follows
// from the reference configuration, in which the constraint is satisfied. Polynomials of joints are about the
// reference positions,
//
//     y - y0 = sum_i a_i (x - x0)^i,
//
// ours are about zero, so the shift is expanded. Tendons of one joint couple joints, others couple lengths.
//
// An equality that is open at the start closes in the time of its solref: MuJoCo's gap obeys x'' = -b x' - k x with
// the impedance d of solimp, and the relaxation time here, b/k, gives the same area under the closing gap:
//
//     solref t, r > 0     b = 2/(d t), k = 1/(d t^2 r^2)      b/k = 2 t r^2
//     solref -K, -B       b = B/d, k = K/d                    b/k = B/K

#include "import/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

// one side of a coupling: y = factor times a joint, about its reference; joint -1: a constant
typedef struct side {
    int joint;
    double factor, reference;
} side;

// the name of an equality: its own, or made of the names of its targets
static const char *name_of(trxi_mjcf *reader, trxi_xml_node *node)
{
    static const char *const keys[][2] = {
        {"body1", "body2"}, {"joint1", "joint2"}, {"site1", "site2"}, {"tendon1", "tendon2"}};
    const char *name = trxi_xml_get(node, "name");
    for (int i = 0; i < 4 && !(name && *name); i++) {
        const char *first = trxi_xml_get(node, keys[i][0]), *second = trxi_xml_get(node, keys[i][1]);
        if (first && second)
            name = trxi_draft_printf(reader->draft, "%s_%s", first, second);
        else if (first)
            name = trxi_draft_printf(reader->draft, "%s_%s", first, node->name);
    }
    return trxi_draft_name(reader->draft, name, "constraint", node->source);
}

static double closing_time(const trxi_mjcf_element *e)
{
    double solref[2] = {0.02, 1}, step = e->reader->draft->time_step;
    trxi_mjcf_numbers_over(e, "solref", 2, solref);
    if (solref[0] < 0 && solref[1] < 0) return solref[1] / solref[0];
    if (!(solref[0] > 0 && solref[1] > 0)) return 0;
    return 2 * fmax(solref[0], 2 * (isnan(step) ? 0.002 : step)) * solref[1] * solref[1];
}

static trx_constraint_def *add(const trxi_mjcf_element *e, trx_constraint_type type)
{
    trxi_mjcf *reader = e->reader;
    trx_constraint_def *def = trxi_draft_constraint(reader->draft, name_of(reader, e->node), e->node->source);
    double time = closing_time(e);
    def->type = type;
    def->relaxation_time = isfinite(time) ? time : 0;
    return def;
}

// index of a body among reader->bodies, -1 for the world; false when there is no such body (reported)
static bool body_of(const trxi_mjcf_element *e, const char *key, int *body)
{
    const char *name = trxi_mjcf_text(e, key, NULL);
    *body = -1;
    if (!name || strcmp(name, "world") == 0) return true;
    *body = trxi_mjcf_refer(e, key, TRXI_MJCF_BODY);
    return *body >= 0;
}

// `pose` of body `from` as seen by body `to` at the reference configuration
static trx_pose seen_from(const trxi_mjcf *reader, const trx_pose *pose, int from, int to)
{
    trx_pose a = trxi_mjcf_world(reader, from), b = trxi_mjcf_world(reader, to), in_world = trxi_pose_mul(&a, pose), inverse;
    double R[9], back[3];
    memcpy(inverse.quat, (const double[4]){b.quat[0], -b.quat[1], -b.quat[2], -b.quat[3]}, sizeof inverse.quat);
    trxi_quat_to_matrix(b.quat, R);
    trxi_mulv3_t(R, b.p, back);
    trxi_scale3(-1, back, inverse.p);
    return trxi_pose_mul(&inverse, &in_world);
}

// a side of a constraint between bodies; the world of the file is at the pose of the import
static void set_side(const trxi_mjcf *reader, int body, const trx_pose *pose, int *def_body, trx_pose *def_pose)
{
    *def_body = body < 0 ? -1 : TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, body)->draft;
    *def_pose = body < 0 ? trxi_pose_mul(&trxi_draft_options(reader->draft)->pose, pose) : *pose;
}

static bool read_sites(const trxi_mjcf_element *e, int bodies[2], trx_pose poses[2])
{
    static const char *const keys[2] = {"site1", "site2"};
    for (int i = 0; i < 2; i++) {
        int index = trxi_mjcf_required(e, keys[i]) ? trxi_mjcf_refer(e, keys[i], TRXI_MJCF_SITE) : -1;
        if (index < 0) return false;
        const trxi_mjcf_site *site = TRXI_MJCF_AT(e->reader->sites, trxi_mjcf_site, index);
        bodies[i] = site->body;
        poses[i] = site->pose;
    }
    return true;
}

// the weld point on body 2; the relative orientation is given, or taken from the reference configuration
static void read_weld(const trxi_mjcf_element *e, int bodies[2], trx_pose poses[2])
{
    double relative[7] = {0};
    trxi_mjcf_numbers(e, "anchor", 3, 3, poses[1].p);
    bool stated = trxi_mjcf_numbers(e, "relpose", 7, 7, relative) == 7 &&
                  (relative[3] != 0 || relative[4] != 0 || relative[5] != 0 || relative[6] != 0);
    if (stated) {
        // the weld point and the orientation of body 2, both on body 1
        trxi_copy3(relative, poses[0].p);
        memcpy(poses[0].quat, relative + 3, sizeof poses[0].quat);
        trxi_quat_normalize(poses[0].quat);
    } else
        poses[0] = seen_from(e->reader, &poses[1], bodies[1], bodies[0]);
    if (trxi_mjcf_number(e, "torquescale", 1) != 1)
        trxi_draft_note(e->reader->draft, TRX_NOTE_DROPPED, e->node->source,
                        "torquescale: position and orientation are "
                        "held with equal weight");
}

static void read_bodies(const trxi_mjcf_element *e, trx_constraint_type type)
{
    trxi_mjcf *reader = e->reader;
    int bodies[2];
    trx_pose poses[2] = {trx_pose_identity(), trx_pose_identity()};
    if (trxi_mjcf_text(e, "site1", NULL) || trxi_mjcf_text(e, "site2", NULL)) {
        if (!read_sites(e, bodies, poses)) return;
    } else {
        if (!trxi_mjcf_required(e, "body1") || !body_of(e, "body1", &bodies[0]) || !body_of(e, "body2", &bodies[1]))
            return;
        if (type == TRX_CONSTRAINT_WELD)
            read_weld(e, bodies, poses);
        else {
            if (!trxi_mjcf_required(e, "anchor")) return;
            trxi_mjcf_numbers(e, "anchor", 3, 3, poses[0].p);
            poses[1] = seen_from(reader, &poses[0], bodies[0], bodies[1]);
        }
    }
    if (bodies[0] == bodies[1]) {
        trxi_error_at(reader->context, e->node->source, "this %s ties a body to itself; name two bodies",
                      e->node->name);
        return;
    }
    trx_constraint_def *def = add(e, type);
    set_side(reader, bodies[0], &poses[0], &def->body_a, &def->pose_a);
    set_side(reader, bodies[1], &poses[1], &def->body_b, &def->pose_b);
}

// expands sum_i a_i (factor x - r)^i into sum_k out_k x^k
static void expand(const double a[5], double factor, double r, double out[5])
{
    static const double binomial[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
    for (int k = 0; k < 5; k++) {
        out[k] = 0;
        for (int i = k; i < 5; i++) out[k] += a[i] * binomial[i][k] * pow(factor, k) * pow(-r, i - k);
    }
}

// a joint whose leader was moved to a limit starts where the coupling places it, or at its own limit
static void follow(trxi_draft *draft, const trx_constraint_def *def, trxi_mjcf_joint *joint, const trxi_mjcf_joint *leader)
{
    if (leader->start == leader->reference) return;
    const trx_joint_def *limits = trxi_draft_joint_at(draft, def->body_a, def->joint_a);
    double start = 0;
    for (int i = 4; i >= 0; i--) start = start * leader->start + def->polynomial[i];
    joint->start = fmin(fmax(start, limits->lower), limits->upper);
    trxi_draft_start(draft, def->body_a, def->joint_a, &joint->start);
}

static void couple(const trxi_mjcf_element *e, const side *y, const side *x)
{
    trxi_mjcf *reader = e->reader;
    double a[5] = {0, 1, 0, 0, 0};
    trxi_mjcf_numbers(e, "polycoef", 1, 5, a);
    trxi_mjcf_joint *first = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, y->joint);
    trx_constraint_def *def = add(e, TRX_CONSTRAINT_COUPLER);
    def->body_a = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, first->body)->draft;
    def->joint_a = first->index;
    memset(def->polynomial, 0, sizeof def->polynomial);
    def->polynomial[0] = a[0];
    if (x->joint >= 0) {
        const trxi_mjcf_joint *second = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, x->joint);
        def->body_b = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, second->body)->draft;
        def->joint_b = second->index;
        expand(a, x->factor, x->reference, def->polynomial);
    }
    def->polynomial[0] += y->reference;
    for (int i = 0; i < 5; i++) def->polynomial[i] /= y->factor;
    if (x->joint >= 0) follow(reader->draft, def, first, TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, x->joint));
}

static bool joint_side(const trxi_mjcf_element *e, const char *key, side *out)
{
    int index = trxi_mjcf_refer(e, key, TRXI_MJCF_JOINT);
    if (index < 0) return false;
    const trxi_mjcf_joint *joint = TRXI_MJCF_AT(e->reader->joints, trxi_mjcf_joint, index);
    if (joint->type != TRX_JOINT_HINGE && joint->type != TRX_JOINT_SLIDE) {
        trxi_mjcf_error(e, e->node->source, key, "%s of this joint equality is neither a hinge nor a slide", key);
        return false;
    }
    *out = (side){index, 1, joint->reference};
    return true;
}

static void read_joint(const trxi_mjcf_element *e)
{
    side y, x = {.joint = -1};
    if (!trxi_mjcf_required(e, "joint1") || !joint_side(e, "joint1", &y)) return;
    if (trxi_mjcf_text(e, "joint2", NULL) && !joint_side(e, "joint2", &x)) return;
    if (x.joint == y.joint)
        trxi_error_at(e->reader->context, e->node->source, "this equality ties a joint to itself; name two joints");
    else
        couple(e, &y, &x);
}

static double reference_of(const trxi_mjcf *reader, int joint)
{
    return TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, joint)->reference;
}

// l_1 - r_1 = sum_i a_i (l_2 - r_2)^i about the lengths r at the reference
static void couple_tendons(const trxi_mjcf_element *e, const trxi_mjcf_tendon *first, const trxi_mjcf_tendon *second)
{
    double a[5] = {0, 1, 0, 0, 0};
    trxi_mjcf_numbers(e, "polycoef", 1, 5, a);
    trx_constraint_def *def = add(e, TRX_CONSTRAINT_COUPLER);
    def->tendon = first->draft;
    memset(def->polynomial, 0, sizeof def->polynomial);
    def->polynomial[0] = a[0];
    if (second) {
        def->tendon_b = second->draft;
        expand(a, 1, second->reference, def->polynomial);
    }
    def->polynomial[0] += first->reference;
}

static void read_tendon(const trxi_mjcf_element *e)
{
    static const char *const keys[2] = {"tendon1", "tendon2"};
    const trxi_mjcf_tendon *tendons[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        if (i == 0 ? !trxi_mjcf_required(e, keys[i]) : !trxi_mjcf_text(e, keys[i], NULL)) continue;
        int index = trxi_mjcf_refer(e, keys[i], TRXI_MJCF_TENDON);
        if (index < 0) return;
        tendons[i] = TRXI_MJCF_AT(e->reader->tendons, trxi_mjcf_tendon, index);
    }
    if (!tendons[0]) return;

    side sides[2] = {{.joint = -1}, {.joint = -1}};
    bool single = true;
    for (int i = 0; i < 2; i++) {
        if (!tendons[i]) continue;
        single = single && tendons[i]->fixed && tendons[i]->count == 1 && tendons[i]->factors[0] != 0;
        if (single)
            sides[i] = (side){tendons[i]->joints[0], tendons[i]->factors[0],
                              tendons[i]->factors[0] * reference_of(e->reader, tendons[i]->joints[0])};
    }
    if (single && sides[0].joint != sides[1].joint)
        couple(e, &sides[0], &sides[1]);
    else if (tendons[0]->draft >= 0 && (!tendons[1] || tendons[1]->draft >= 0) && tendons[0] != tendons[1])
        couple_tendons(e, tendons[0], tendons[1]);
    else
        trxi_draft_note(e->reader->draft, TRX_NOTE_DROPPED, e->node->source,
                        "an equality of tendons: one of them is left out, or both are the same");
}

static bool is_active(const trxi_mjcf_element *e)
{
    if (trxi_mjcf_flag(e, "active", true)) return true;
    trxi_draft_note(e->reader->draft, TRX_NOTE_DROPPED, e->node->source, "this equality, as it is not active");
    return false;
}

static void read_equality(trxi_mjcf *reader, trxi_xml_node *node)
{
    trxi_mjcf_element e = {reader, node, "equality", trxi_mjcf_class_of(reader, node, "class", NULL)};
    const char *name = node->name;
    if (strncmp(name, "flex", 4) == 0)
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, node->source, "an equality of a flex");
    else if (!is_active(&e))
        return;
    else if (strcmp(name, "connect") == 0)
        read_bodies(&e, TRX_CONSTRAINT_BALL);
    else if (strcmp(name, "weld") == 0)
        read_bodies(&e, TRX_CONSTRAINT_WELD);
    else if (strcmp(name, "joint") == 0)
        read_joint(&e);
    else if (strcmp(name, "tendon") == 0)
        read_tendon(&e);
}

void trxi_mjcf_read_equality(trxi_mjcf *reader)
{
    if (!reader->off.equality) trxi_mjcf_each(reader, "equality", read_equality);
}
