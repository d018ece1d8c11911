// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Keyframes: named states. Numbers of q and v are in the order of bodies and joints, which is also ours. Numbers of
// a joint that the options' base replaced are left out, and the base starts at its pose in the file. A free joint
// moves with the pose of the import: its position and quaternion are composed with the pose, and the velocity of
// its origin is rotated.

#include "import/mjcf/mjcf.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

typedef struct state {
    const double *q, *v, *u; // of the file; v, u: NULL when not given
    double *out_q, *out_v;
} state;

// default position of a joint
static void neutral(const trxi_mjcf *reader, const trxi_mjcf_joint *joint, double *q)
{
    memset(q, 0, (size_t)trxi_joint_nq(joint->type) * sizeof *q);
    if (joint->type == TRX_JOINT_BALL)
        q[0] = 1;
    else if (joint->type != TRX_JOINT_FREE)
        q[0] = joint->reference;
    else {
        const trx_pose *world = &TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, joint->body)->world;
        memcpy(q, world->p, sizeof world->p);
        memcpy(q + 3, world->quat, sizeof world->quat);
    }
}

// the reference configuration in the file's coordinates, and the lengths of q and v
static const double *usual_start(trxi_mjcf *reader, int *nq, int *nv)
{
    for (int k = 0; k < reader->joints.count; k++) {
        trx_joint_type type = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, k)->type;
        *nq += trxi_joint_nq(type), *nv += trxi_joint_nv(type);
    }
    double *q = TRXI_DRAFT_TAKE(reader->draft, double, *nq + 1);
    for (int k = 0, at = 0; q && k < reader->joints.count; k++) {
        const trxi_mjcf_joint *joint = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, k);
        neutral(reader, joint, q + at);
        at += trxi_joint_nq(joint->type);
    }
    return q;
}

// the range of numbers in a vector of `all` numbers that a key sets: the whole vector, or the numbers of an attached model
typedef struct window {
    int first, count, all;
} window;

// the numbers of an attribute, completed with defaults when there are fewer numbers than in the key's model; NULL
// when the attribute is missing or wrong (reported)
static const double *read_vector(const trxi_mjcf_element *e, const char *key, const double *usual, window in)
{
    const int count = in.count;
    trx_source where;
    const char *text = trxi_mjcf_text(e, key, &where);
    double *values = text ? TRXI_DRAFT_TAKE(e->reader->draft, double, in.all + 1) : NULL;
    if (!values) return NULL;
    int found = trxi_xml_numbers(text, count, values + in.first);
    if (found < 0) {
        trxi_mjcf_error(e, where, key,
                        "%s of this key has something else than numbers, or more than %d of them, as many as "
                        "the robot",
                        key, count);
        return NULL;
    }
    for (int i = 0; i < in.all; i++)
        if (i < in.first || i >= in.first + found) values[i] = usual ? usual[i] : 0;
    if (found > 0 && found < count)
        trxi_draft_note(e->reader->draft, TRX_NOTE_ASSUMED, where,
                        "%s of this key has %d of %d numbers; the last ones are "
                        "those of the reference",
                        key, found, count);
    return values;
}

static void place_free(const trxi_mjcf *reader, double *q, double *v)
{
    const trx_pose *placed = &trxi_draft_options(reader->draft)->pose;
    trx_pose pose;
    memcpy(pose.p, q, sizeof pose.p);
    memcpy(pose.quat, q + 3, sizeof pose.quat);
    pose = trxi_pose_mul(placed, &pose);
    memcpy(q, pose.p, sizeof pose.p);
    memcpy(q + 3, pose.quat, sizeof pose.quat);
    double R[9], turned[3];
    trxi_quat_to_matrix(placed->quat, R);
    trxi_mulv3(R, v, turned);
    trxi_copy3(turned, v);
}

// the joint of the options under the first body, at the start of its tree
static void add_base(const trxi_mjcf *reader, state *s)
{
    const trx_import_options *options = trxi_draft_options(reader->draft);
    if (options->base == TRX_BASE_PLANAR) s->out_q += 3, s->out_v += 3;
    if (options->base != TRX_BASE_FREE) return;
    const trxi_mjcf_body *first = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, 0);
    memcpy(s->out_q, first->world.p, sizeof first->world.p);
    memcpy(s->out_q + 3, first->world.quat, sizeof first->world.quat);
    place_free(reader, s->out_q, s->out_v);
    s->out_q += 7, s->out_v += 6;
}

static void normalize(trx_joint_type type, double *q)
{
    if (type == TRX_JOINT_FREE)
        q += 3;
    else if (type != TRX_JOINT_BALL)
        return;
    if (!(trxi_quat_normalize(q) > 0)) q[0] = 1, q[1] = q[2] = q[3] = 0;
}

static void translate(trxi_mjcf *reader, state *s)
{
    if (reader->bodies.count > 0) add_base(reader, s);
    int at_q = 0, at_v = 0;
    for (int k = 0; k < reader->joints.count; k++) {
        const trxi_mjcf_joint *joint = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, k);
        int nq = trxi_joint_nq(joint->type), nv = trxi_joint_nv(joint->type);
        if (joint->index >= 0) {
            memcpy(s->out_q, s->q + at_q, (size_t)nq * sizeof *s->q);
            if (s->v) memcpy(s->out_v, s->v + at_v, (size_t)nv * sizeof *s->v);
            normalize(joint->type, s->out_q);
            if (joint->type == TRX_JOINT_FREE) place_free(reader, s->out_q, s->out_v);
            s->out_q += nq, s->out_v += nv;
        }
        at_q += nq, at_v += nv;
    }
}

static const double *kept_controls(trxi_mjcf *reader, const double *u)
{
    double *out = u ? TRXI_DRAFT_TAKE(reader->draft, double, trxi_draft_actuator_count(reader->draft) + 1) : NULL;
    for (int i = 0; out && i < reader->actuators.count; i++) {
        int draft = TRXI_MJCF_AT(reader->actuators, trxi_mjcf_actuator, i)->draft;
        if (draft >= 0) out[draft] = u[i];
    }
    return out;
}

// activations of the actuators that have one here
static const double *kept_activations(trxi_mjcf *reader, const double *a)
{
    double *out = a ? TRXI_DRAFT_TAKE(reader->draft, double, trxi_draft_actuator_count(reader->draft) + 1) : NULL;
    for (int i = 0, k = 0; out && i < reader->actuators.count; i++) {
        const trxi_mjcf_actuator *kept = TRXI_MJCF_AT(reader->actuators, trxi_mjcf_actuator, i);
        if (kept->draft >= 0) out[kept->draft] = kept->stateful ? a[k] : 0;
        k += kept->stateful;
    }
    return out;
}

// number of activations of the actuators first .. first + count - 1
static int count_activations(const trxi_mjcf *reader, int first, int count)
{
    int stateful = 0;
    for (int i = first; i < first + count; i++) stateful += TRXI_MJCF_AT(reader->actuators, trxi_mjcf_actuator, i)->stateful;
    return stateful;
}

// the ranges that a key of an attached model sets
static void find_windows(trxi_mjcf *reader, const trxi_mjcf_part *part, window *q, window *v, window *u, window *a)
{
    q->count = v->count = 0;
    for (int k = 0; k < part->first_joint + part->joints; k++) {
        const trx_joint_type type = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, k)->type;
        *(k < part->first_joint ? &q->first : &q->count) += trxi_joint_nq(type);
        *(k < part->first_joint ? &v->first : &v->count) += trxi_joint_nv(type);
    }
    u->first = part->first_actuator;
    u->count = part->actuators;
    a->first = count_activations(reader, 0, u->first);
    a->count = count_activations(reader, u->first, u->count);
}

static void read_key(trxi_mjcf *reader, trxi_xml_node *node)
{
    if (strcmp(node->name, "key") != 0) return;
    const trxi_mjcf_part *part = trxi_mjcf_part_of(reader, node);
    if (part && part->copied) {
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, node->source, "a key of a model that is attached and replicated");
        return;
    }
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node);
    int nq = 0, nv = 0;
    const double *usual = usual_start(reader, &nq, &nv);
    const int nu = reader->actuators.count, na = count_activations(reader, 0, nu);
    window of_q = {0, nq, nq}, of_v = {0, nv, nv}, of_u = {0, nu, nu}, of_a = {0, na, na};
    if (part) find_windows(reader, part, &of_q, &of_v, &of_u, &of_a);
    state s = {.q = read_vector(&e, "qpos", usual, of_q), .v = read_vector(&e, "qvel", NULL, of_v)};
    if (!s.q) s.q = usual;
    const double *a = NULL;
    if (!reader->odd_controls) {
        s.u = read_vector(&e, "ctrl", NULL, of_u);
        a = read_vector(&e, "act", NULL, of_a);
    } else if (trxi_xml_get(node, "ctrl") || trxi_xml_get(node, "act"))
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, node->source,
                        "ctrl and act of this key, as some actuators with several controls are left out");

    if (trxi_xml_get(node, "mpos") || trxi_xml_get(node, "mquat"))
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, node->source,
                        "mpos and mquat of this key: mocap bodies keep the pose that the file gives them");

    double *q = TRXI_DRAFT_TAKE(reader->draft, double, nq + 7), *v = TRXI_DRAFT_TAKE(reader->draft, double, nv + 6);
    if (!q || !v || !s.q) return;
    s.out_q = q, s.out_v = v;
    translate(reader, &s);
    const char *name = trxi_draft_name(reader->draft, trxi_xml_get(node, "name"), "keyframe", node->source);
    trx_keyframe *key = trxi_draft_keyframe(reader->draft, name, node->source);
    key->q = q;
    key->v = s.v ? v : NULL;
    key->u = kept_controls(reader, s.u);
    key->a = kept_activations(reader, a);
}

void trxi_mjcf_read_keyframes(trxi_mjcf *reader)
{
    trxi_mjcf_each(reader, "keyframe", read_key);
}
