// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Actuators become drives. The force of every kind of actuator is gain u + b0 + b1 l + b2 dl/dt with l = gear q;
// ours is gain u + bias - kp l - kd dl/dt. Filters, integrators and muscles become activations, and the curves of a muscle become
// our curves. Actuators with another state, with other directions than joints and tendons, or with other gains that depend on l are
// left out or simplified, and noted. Controls of left out actuators are also removed from the file's keyframes.

#include "import/mjcf/law.h"

#include <math.h>
#include <string.h>

// target of an actuator: length = gear sum_i factor_i q_i
typedef struct path {
    int joint, tendon; // indices here; -1: none
    double gear;
} path;

static const char *const targets[] = {"joint", "jointinparent", "tendon", "site", "body", "cranksite"};

static bool single(const trxi_mjcf *reader, int joint)
{
    trx_joint_type type = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, joint)->type;
    return type == TRX_JOINT_HINGE || type == TRX_JOINT_SLIDE;
}

// the target; false when it is not supported (noted or reported)
static bool read_path(const trxi_mjcf_element *e, path *to)
{
    trxi_mjcf *reader = e->reader;
    trxi_mjcf_element own = trxi_mjcf_plain(reader, e->node), at;
    int which = trxi_mjcf_choice(&own, targets, 6, &at);
    double gear[6] = {1};
    *to = (path){-1, -1, 1};
    if (trxi_mjcf_numbers(e, "gear", 1, 6, gear) > 0) to->gear = gear[0];
    if (which < 0) {
        trxi_error_at(reader->context, e->node->source, "this %s acts on nothing; write joint or tendon",
                      e->node->name);
        return false;
    }
    if (which > 2) {
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, e->node->source,
                        "a %s at a %s: actuators act on joints and tendons",
                        e->node->name, targets[which]);
        return false;
    }
    int index = trxi_mjcf_refer(&own, targets[which], which == 2 ? TRXI_MJCF_TENDON : TRXI_MJCF_JOINT);
    if (index < 0) return false;
    if (which == 2 && TRXI_MJCF_AT(reader->tendons, trxi_mjcf_tendon, index)->draft < 0) {
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, e->node->source, "a %s on a tendon that is left out", e->node->name);
        return false;
    }
    const bool follows = which == 2 || single(reader, index);
    if (which == 2)
        to->tendon = index;
    else
        to->joint = index;
    if (!follows)
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, e->node->source,
                        "a %s on a ball or free joint: actuators act on hinges, slides and tendons", e->node->name);
    return follows;
}

static trx_joint_def *joint_def(const trxi_mjcf *reader, int index)
{
    const trxi_mjcf_joint *joint = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, index);
    int body = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, joint->body)->draft;
    return trxi_draft_joint_at(reader->draft, body, joint->index);
}

// adds the rotor inertia and the damping of an actuator to its joint
static void add_rotor(trxi_mjcf *reader, trxi_xml_node *node)
{
    if (!trxi_mjcf_is_actuator(node->name)) return;
    trxi_mjcf_element e = {reader, node, "actuator", trxi_mjcf_class_of(reader, node, "class", NULL)};
    double damping[3] = {0}, armature = trxi_mjcf_number(&e, "armature", 0), gear[6] = {1};
    trxi_mjcf_numbers(&e, "damping", 1, 3, damping);
    if (armature == 0 && damping[0] == 0) return;
    trxi_mjcf_numbers(&e, "gear", 1, 6, gear);
    const char *name = trxi_xml_get(node, "joint");
    int joint = name ? trxi_mjcf_find(reader, TRXI_MJCF_JOINT, name) : -1;
    if (joint < 0 || !single(reader, joint)) {
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, node->source,
                        "armature and damping of this %s, as it does not act "
                        "on a joint",
                        node->name);
        return;
    }
    trx_joint_def *def = joint_def(reader, joint);
    def->armature += gear[0] * gear[0] * armature;
    if (!reader->off.damper) def->damping += gear[0] * gear[0] * damping[0];
}

// inheritrange of an intvelocity is the range of its state, and ctrlrange is still the range of its control
static bool is_velocity(const trxi_mjcf_element *e)
{
    return strcmp(e->node->name, "intvelocity") == 0;
}

// the range of the joint or tendon that the actuator moves, scaled by `part` about its middle. Without such a range, reports an
// error and changes nothing
static void inherit_range(const trxi_mjcf_element *e, const path *to, double part, double *lower, double *upper)
{
    const double *of = to->joint >= 0 ? TRXI_MJCF_AT(e->reader->joints, trxi_mjcf_joint, to->joint)->range
                                      : TRXI_MJCF_AT(e->reader->tendons, trxi_mjcf_tendon, to->tendon)->range;
    if (!isfinite(of[0])) {
        trxi_mjcf_error(e, e->node->source, "inheritrange", "inheritrange of this %s: what it moves has no range; write ctrlrange",
                        e->node->name);
        return;
    }
    const double middle = (of[0] + of[1]) / 2, half = part * (of[1] - of[0]) / 2;
    *lower = middle - half, *upper = middle + half;
}

// range of the control: its own, or inherited
static void read_control(const trxi_mjcf_element *e, const path *to, trx_actuator_def *def)
{
    static const char *const keys[] = {"ctrlrange", "inheritrange"};
    trxi_mjcf_element at;
    double range[2];
    const bool inherits = !is_velocity(e) && trxi_mjcf_choice(e, keys, 2, &at) == 1;
    const double part = inherits ? trxi_mjcf_number(&at, "inheritrange", 0) : 0;
    if (e->reader->off.clampctrl) return;
    if (part > 0) inherit_range(e, to, part, &def->lower, &def->upper);
    else if (trxi_mjcf_range(e, "ctrlrange", "ctrllimited", range)) def->lower = range[0], def->upper = range[1];
}

// a filter with time constant 0 gets MuJoCo's least one
static void set_activation(const trxi_mjcf_element *e, const path *to, const trxi_mjcf_law *law, trx_activation_def *activation)
{
    static const double least_time = 1e-15;
    double range[2];
    activation->type = law->activation;
    activation->time_constant = fmax(law->times[0], least_time);
    activation->fall_time = fmax(law->times[1], least_time);
    activation->smoothing = law->times[2];
    activation->early = law->early;
    if (trxi_mjcf_range(e, "actrange", "actlimited", range)) activation->lower = range[0], activation->upper = range[1];
    const double part = is_velocity(e) ? trxi_mjcf_number(e, "inheritrange", 0) : 0;
    if (part > 0) inherit_range(e, to, part, &activation->lower, &activation->upper);
    activation->start = fmin(fmax(0, activation->lower), activation->upper);
}

static void attach(trxi_mjcf *reader, const path *to, trx_actuator_def *def)
{
    def->gear = to->gear;
    if (to->joint >= 0) {
        trxi_mjcf_joint *joint = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, to->joint);
        def->body = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, joint->body)->draft;
        def->joint = joint->index;
        joint->actuators++;
        return;
    }
    trxi_mjcf_tendon *tendon = TRXI_MJCF_AT(reader->tendons, trxi_mjcf_tendon, to->tendon);
    def->tendon = tendon->draft;
    tendon->actuators++;
    for (int i = 0; i < tendon->count; i++)
        TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, tendon->joints[i])->actuators += 2;
}

// damping from a ratio and the effective mass of the actuator
static double damping_of_ratio(trxi_mjcf *reader, const path *to, double ratio, double kp)
{
    double one = 1, mass;
    if (to->joint >= 0)
        mass = trxi_mjcf_reflected_mass(reader, &to->joint, &one, 1);
    else {
        const trxi_mjcf_tendon *tendon = TRXI_MJCF_AT(reader->tendons, trxi_mjcf_tendon, to->tendon);
        if (!tendon->fixed)
            trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, tendon->source, "dampratio of a drive on this spatial tendon");
        mass = trxi_mjcf_reflected_mass(reader, tendon->joints, tendon->factors, tendon->count);
    }
    return to->gear != 0 ? 2 * ratio * sqrt(kp * mass) / fabs(to->gear) : 0;
}

// whether the numbers of a muscle are possible; else reports the first that is not
static bool check_muscle(const trxi_mjcf_element *e, const double *n)
{
    const char *wanted = NULL;
    if (!(n[TRXI_MUSCLE_FROM] < n[TRXI_MUSCLE_TO])) wanted = "range to rise";
    else if (!(n[TRXI_MUSCLE_SHORTEST] < 1 && n[TRXI_MUSCLE_LONGEST] > 1)) wanted = "lmin below 1 and lmax above 1";
    else if (!(n[TRXI_MUSCLE_SCALE] > 0 && n[TRXI_MUSCLE_SPEED] > 0 && n[TRXI_MUSCLE_PASSIVE] > 0 &&
               n[TRXI_MUSCLE_LENGTHENING] > 0))
        wanted = "scale, vmax, fpmax and fvmax to be positive";
    if (wanted) trxi_error_at(e->reader->context, e->node->source, "this %s needs %s", e->node->name, wanted);
    return !wanted;
}

static void set_muscle(const trxi_mjcf_element *e, const trxi_mjcf_law *law, int actuator, trx_actuator_def *def)
{
    const double *n = law->gain;
    if (!check_muscle(e, n)) return;
    def->gain = n[TRXI_MUSCLE_FORCE];
    def->muscle = (trx_muscle_def){.shortest = n[TRXI_MUSCLE_SHORTEST],
                                   .longest = n[TRXI_MUSCLE_LONGEST],
                                   .max_speed = n[TRXI_MUSCLE_SPEED],
                                   .passive_force = law->passive ? law->bias[TRXI_MUSCLE_PASSIVE] : 0,
                                   .lengthening_force = n[TRXI_MUSCLE_LENGTHENING]};
    if (def->muscle.lengthening_force < 1) {
        trxi_draft_note(e->reader->draft, TRX_NOTE_REPLACED, e->node->source,
                        "a %s that is weaker where it lengthens (fvmax %g): as strong as at rest", e->node->name,
                        def->muscle.lengthening_force);
        def->muscle.lengthening_force = 1;
    }
    if (!def->activation.type && def->lower < 0)
        trxi_draft_note(e->reader->draft, TRX_NOTE_REPLACED, e->node->source, "a %s under negative control: a muscle only pulls",
                        e->node->name);
    trxi_draft_lengths of = {.relative = {n[TRXI_MUSCLE_FROM], n[TRXI_MUSCLE_TO]}, .scale = n[TRXI_MUSCLE_SCALE]};
    trxi_mjcf_numbers(e, "lengthrange", 2, 2, of.range);
    trxi_draft_muscle(e->reader->draft, actuator, &of);
}

static void set_law(const trxi_mjcf_element *e, const path *to, const trxi_mjcf_law *law, const trxi_mjcf_actuator *kept,
                    trx_actuator_def *def)
{
    trxi_draft *draft = e->reader->draft;
    def->gain = law->gain[0];
    if (law->affine) def->bias = law->bias[0], def->kp = 0 - law->bias[1], def->kd = 0 - law->bias[2];
    if (law->affine && law->bias[2] > 0 && law->gain[0] == -law->bias[1] && def->kp > 0)
        def->kd = damping_of_ratio(e->reader, to, law->bias[2], def->kp);
    if (def->kp < 0 || def->kd < 0) {
        trxi_draft_note(draft, TRX_NOTE_REPLACED, e->node->source,
                        "a %s that pushes away from its target (kp %g, kd %g): "
                        "negative ones are taken as 0",
                        e->node->name, def->kp, def->kd);
        def->kp = fmax(def->kp, 0);
        def->kd = fmax(def->kd, 0);
    }
    if (law->muscle) set_muscle(e, law, kept->draft, def);
    if (trxi_mjcf_number(e, "delay", 0) > 0)
        trxi_draft_note(draft, TRX_NOTE_REPLACED, e->node->source, "a %s with a delay: it acts at once", e->node->name);
}

static void read_drive(const trxi_mjcf_element *e, const path *to, const trxi_mjcf_law *law, trxi_mjcf_actuator *kept)
{
    trxi_mjcf *reader = e->reader;
    const char *raw = trxi_xml_get(e->node, "name"), *joint = trxi_xml_get(e->node, "joint");
    if (!raw || !*raw) raw = joint ? joint : trxi_xml_get(e->node, "tendon");
    const char *name = trxi_draft_name(reader->draft, raw, "actuator", e->node->source);
    kept->draft = trxi_draft_actuator_count(reader->draft);
    trx_actuator_def *def = trxi_draft_actuator(reader->draft, name, e->node->source);
    double force[2];
    attach(reader, to, def);
    if (law->activation) set_activation(e, to, law, &def->activation);
    read_control(e, to, def);
    if (trxi_mjcf_range(e, "forcerange", "forcelimited", force))
        def->effort_lower = force[0], def->effort_upper = force[1];
    set_law(e, to, law, kept, def);
}

// whether the option disables the group of the actuator
static bool is_disabled(const trxi_mjcf_element *e)
{
    const double group = trxi_mjcf_number(e, "group", 0);
    return group >= 0 && group < 31 && (e->reader->off.actuator_groups >> (unsigned)group & 1u);
}

static void read_actuator(trxi_mjcf *reader, trxi_xml_node *node)
{
    if (!trxi_mjcf_is_actuator(node->name)) return;
    trxi_mjcf_element e = {reader, node, "actuator", trxi_mjcf_class_of(reader, node, "class", NULL)};
    int number = reader->actuators.count;
    trxi_mjcf_actuator *kept = trxi_draft_push(reader->draft, &reader->actuators, sizeof *kept);
    *kept = (trxi_mjcf_actuator){-1, -1, -1, 1, false};
    trxi_mjcf_bind(reader, TRXI_MJCF_ACTUATOR, node, number);
    for (trxi_mjcf_part *part = trxi_mjcf_part_of(reader, node); part; part = trxi_mjcf_part_around(reader, part))
        if (part->actuators++ == 0) part->first_actuator = number;

    trxi_mjcf_law law = trxi_mjcf_read_law(&e);
    kept->stateful = law.stateful;
    path to;
    if (is_disabled(&e)) {
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, node->source, "a %s whose group is disabled by the option", node->name);
        reader->odd_controls |= law.odd;
    } else if (law.why) {
        trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, node->source, "an actuator of kind %s: %s", node->name, law.why);
        reader->odd_controls |= law.odd;
    } else if (read_path(&e, &to)) {
        kept->joint = to.joint;
        kept->tendon = to.tendon;
        kept->gear = to.gear;
        read_drive(&e, &to, &law, kept);
    }
}

// limits of the force at the joint or the tendon, if one actuator acts there
static void limit_effort(const trxi_mjcf_actuator *kept, const double effort[2], trx_actuator_def *def)
{
    double a = effort[0] / kept->gear, b = effort[1] / kept->gear;
    def->effort_lower = fmax(def->effort_lower, fmin(a, b));
    def->effort_upper = fmin(def->effort_upper, fmax(a, b));
}

static void share_efforts(trxi_mjcf *reader)
{
    for (int i = 0; i < reader->actuators.count; i++) {
        const trxi_mjcf_actuator *kept = TRXI_MJCF_AT(reader->actuators, trxi_mjcf_actuator, i);
        if (kept->draft < 0 || kept->gear == 0) continue;
        trx_actuator_def *def = trxi_draft_actuator_at(reader->draft, kept->draft);
        const trxi_mjcf_joint *joint =
            kept->joint >= 0 ? TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, kept->joint) : NULL;
        const trxi_mjcf_tendon *tendon = joint ? NULL : TRXI_MJCF_AT(reader->tendons, trxi_mjcf_tendon, kept->tendon);
        if (joint && joint->actuators == 1) limit_effort(kept, joint->effort, def);
        if (tendon && tendon->actuators == 1) limit_effort(kept, tendon->effort, def);
    }
    for (int i = 0; i < reader->joints.count; i++) {
        const trxi_mjcf_joint *joint = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, i);
        if (isfinite(joint->effort[0]) && joint->actuators > 1)
            trxi_draft_note(reader->draft, TRX_NOTE_DROPPED, joint->source,
                            "actuatorfrcrange: several actuators share it");
    }
}

// a flag of the file disables all actuators; named states then have no controls
static void drop_all(trxi_mjcf *reader)
{
    for (int i = 0; i < reader->actuators.count; i++) TRXI_MJCF_AT(reader->actuators, trxi_mjcf_actuator, i)->draft = -1;
    reader->draft->actuators.count = reader->draft->muscles.count = 0;
}

void trxi_mjcf_read_actuators(trxi_mjcf *reader)
{
    trxi_mjcf_each(reader, "actuator", add_rotor);
    trxi_mjcf_tune_springs(reader);
    trxi_mjcf_each(reader, "actuator", read_actuator);
    share_efforts(reader);
    if (reader->off.actuation) drop_all(reader);
}
