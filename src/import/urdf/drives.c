// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Actuators of a URDF robot. A file with transmissions lists the driven joints and their order. Otherwise every
// joint with one degree of freedom that does not mimic another joint gets a motor. A motor's control is the force
// of its joint, within the effort limit of the joint.

#include "import/urdf/urdf.h"

#include <math.h>
#include <string.h>

// largest force of a joint; infinite when the file gives none, NAN when it is wrong (reported)
static double read_effort(trxi_urdf *urdf, const trxi_urdf_joint *joint)
{
    double effort;
    if (!joint->limit || !trxi_xml_get(joint->limit, "effort")) return INFINITY;
    if (!trxi_urdf_numbers(urdf, joint->limit, "effort", 1, false, &effort)) return NAN;
    if (effort >= 0) return effort;
    trxi_error_at(urdf->context, joint->limit->source, "joint \"%.100s\": effort is %g; it must not be negative",
                  joint->name, effort);
    return NAN;
}

// `name` NULL: the name of the joint
static void add_motor(trxi_urdf *urdf, const trxi_urdf_joint *joint, const char *name, trx_source source)
{
    double effort = read_effort(urdf, joint);
    if (isnan(effort)) return;
    if (effort == 0) {
        trxi_draft_tally(urdf->draft, TRX_NOTE_DROPPED, source, "motors of ", "joint", "joints",
                         " whose effort limit is 0");
        return;
    }
    if (isinf(effort))
        trxi_draft_tally(urdf->draft, TRX_NOTE_ASSUMED, source, "",
                         "motor has no effort limit:", "motors have no effort limit:", " the file gives none");
    const char *raw = name ? name : joint->name;
    trx_actuator_def *def = trxi_draft_actuator(urdf->draft, trxi_draft_name(urdf->draft, raw, "actuator", source),
                                                source);
    def->body = joint->body;
    def->joint = 0;
    def->lower = -effort;
    def->upper = effort;
}

// ---- without transmissions ----

static void drive_all(trxi_urdf *urdf)
{
    for (int i = 0; i < urdf->njoint; i++) {
        const trxi_urdf_joint *joint = &urdf->joints[i];
        if (!joint->driven || joint->mimic) continue;
        trxi_draft_tally(urdf->draft, TRX_NOTE_ASSUMED, joint->node->source, "motors of ", "joint", "joints",
                         ": the file has no transmissions");
        add_motor(urdf, joint, NULL, joint->node->source);
    }
}

// marks the effort limits of all joints as read: a limit of a joint without a motor has no effect and needs no note
static void mark_efforts(trxi_urdf *urdf)
{
    for (int i = 0; i < urdf->njoint; i++)
        if (urdf->joints[i].limit) trxi_xml_get(urdf->joints[i].limit, "effort");
}

// ---- transmissions ----

// rotor inertia seen at the joint, from the simulator's extension
static void read_rotor(trxi_urdf *urdf, const trxi_urdf_joint *joint, trxi_xml_node *actuator)
{
    double rotor = 0, ratio = 1;
    if (!trxi_urdf_value(urdf, actuator, "rotor_inertia", &rotor)) return;
    trxi_urdf_value(urdf, actuator, "gear_ratio", &ratio);
    if (rotor < 0)
        trxi_error_at(urdf->context, actuator->source, "rotor_inertia is %g: it must not be negative", rotor);
    else
        trxi_draft_joint_at(urdf->draft, joint->body, 0)->armature = rotor * ratio * ratio;
}

static void read_reduction(trxi_urdf *urdf, const trxi_urdf_joint *joint, trxi_xml_node *node)
{
    double reduction = 0;
    int at = 0;
    trxi_xml_node *child = trxi_element_next(node, "mechanicalReduction", &at);
    if (!child) return;
    const char *text = trxi_xml_get(child, "value");
    bool number = trxi_xml_numbers(text ? text : child->text, 1, &reduction) == 1;
    if (!number)
        trxi_draft_tally(urdf->draft, TRX_NOTE_DROPPED, child->source, "mechanicalReduction of ", "actuator", "actuators",
                         " is no number");
    else if (reduction != 1)
        trxi_draft_note(urdf->draft, TRX_NOTE_DROPPED, node->source,
                        "mechanicalReduction %g is not applied: the control is the force of joint \"%.100s\"", reduction,
                        joint->name);
}

// one joint of a transmission with the actuator in the same place of the list, if there is one
static void read_driven(trxi_urdf *urdf, trxi_xml_node *transmission, trxi_xml_node *node, trxi_xml_node *actuator,
                        bool *has_motor)
{
    const char *name = trxi_urdf_text(urdf, node, "name");
    int index = name ? trxi_table_find(&urdf->joint_names, name) : TRXI_URDF_NONE;
    if (name && index < 0)
        trxi_draft_note(urdf->draft, TRX_NOTE_DROPPED, node->source,
                        "the transmission of joint \"%.100s\": there is no such joint%s", name,
                        trxi_urdf_suggest_joint(urdf, name));
    if (index < 0) return;
    const trxi_urdf_joint *joint = &urdf->joints[index];
    read_reduction(urdf, joint, transmission);
    read_reduction(urdf, joint, node);
    if (actuator) read_reduction(urdf, joint, actuator);
    if (!joint->driven) {
        trxi_draft_note(urdf->draft, TRX_NOTE_DROPPED, node->source,
                        "the actuator of joint \"%.100s\": it has not one degree of freedom", name);
        return;
    }
    if (has_motor[index]) {
        trxi_draft_note(urdf->draft, TRX_NOTE_DROPPED, node->source, "a second actuator of joint \"%.100s\"", name);
        return;
    }
    has_motor[index] = true;
    if (actuator) read_rotor(urdf, joint, actuator);
    add_motor(urdf, joint, actuator ? trxi_xml_get(actuator, "name") : NULL, node->source);
}

static void read_transmission(trxi_urdf *urdf, trxi_xml_node *transmission, bool *has_motor)
{
    trxi_xml_node *joint;
    int at_joint = 0, at_actuator = 0, count = 0;
    trxi_xml_get(transmission, "name");
    trxi_xml_get(transmission, "type");
    trxi_xml_child(transmission, "type");
    while ((joint = trxi_element_next(transmission, "joint", &at_joint))) {
        trxi_xml_node *actuator = trxi_element_next(transmission, "actuator", &at_actuator);
        read_driven(urdf, transmission, joint, actuator, has_motor);
        count++;
    }
    if (count == 0)
        trxi_draft_tally(urdf->draft, TRX_NOTE_DROPPED, transmission->source, "", "transmission", "transmissions",
                         " without a joint");
    if (count > 1)
        trxi_draft_note(urdf->draft, TRX_NOTE_REPLACED, transmission->source,
                        "a transmission of %d joints: each is driven by itself", count);
}

void trxi_urdf_drives(trxi_urdf *urdf)
{
    bool *has_motor = TRXI_DRAFT_TAKE(urdf->draft, bool, urdf->njoint + 1), any = false;
    trxi_xml_node *transmission;
    if (!has_motor) return;
    for (int i = 0; (transmission = trxi_element_next(urdf->root, "transmission", &i)); any = true)
        read_transmission(urdf, transmission, has_motor);
    if (!any) drive_all(urdf);
    mark_efforts(urdf);
}
