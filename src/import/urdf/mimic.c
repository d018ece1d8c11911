// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Joints that mimic others: a coupler q = multiplier q' + offset (theory 4). A chain of mimics must end at a joint
// that is free to move. The start position of this joint gives the start positions of the joints that mimic it.

#include "import/urdf/urdf.h"

#include <string.h>

typedef struct follower {
    int leader; // joint, TRXI_URDF_NONE when this joint mimics none
    double multiplier, offset;
} follower;

static bool check_ends(trxi_urdf *urdf, const trxi_urdf_joint *joint, const trxi_urdf_joint *leader)
{
    if (!joint->driven) {
        trxi_draft_tally(urdf->draft, TRX_NOTE_DROPPED, joint->mimic->source, "mimics of ", "joint", "joints",
                         " without one degree of freedom");
        return false;
    }
    if (leader == joint || !leader->driven) {
        trxi_error_at(urdf->context, joint->mimic->source, "joint \"%.100s\" cannot mimic \"%.100s\": %s", joint->name,
                      leader->name, leader == joint ? "that is itself" : "that has not one degree of freedom");
        return false;
    }
    return true;
}

static void read_follower(trxi_urdf *urdf, int index, follower *out)
{
    const trxi_urdf_joint *joint = &urdf->joints[index];
    *out = (follower){TRXI_URDF_NONE, 1, 0};
    if (!joint->mimic) return;
    trxi_urdf_numbers(urdf, joint->mimic, "multiplier", 1, false, &out->multiplier);
    trxi_urdf_numbers(urdf, joint->mimic, "offset", 1, false, &out->offset);
    const char *name = trxi_urdf_text(urdf, joint->mimic, "joint");
    int leader = name ? trxi_table_find(&urdf->joint_names, name) : TRXI_URDF_NONE;
    if (name && leader < 0)
        trxi_draft_note(urdf->draft, TRX_NOTE_DROPPED, joint->mimic->source,
                        "the mimic of joint \"%.100s\": there is no joint \"%.100s\"%s", joint->name, name,
                        trxi_urdf_suggest_joint(urdf, name));
    if (leader >= 0 && check_ends(urdf, joint, &urdf->joints[leader])) out->leader = leader;
}

// each joint is followed up its chain once; a chain that meets itself is a loop
static bool check_loops(trxi_urdf *urdf, const follower *all)
{
    int *seen = TRXI_DRAFT_TAKE(urdf->draft, int, urdf->njoint + 1);
    bool fine = seen != NULL;
    for (int i = 0; seen && i < urdf->njoint; i++) {
        int at = i;
        while (at >= 0 && seen[at] == 0) {
            seen[at] = i + 1;
            at = all[at].leader;
        }
        if (at < 0 || seen[at] != i + 1) continue;
        trxi_error_at(urdf->context, urdf->joints[at].mimic->source,
                      "joint \"%.100s\" mimics itself through others: let one joint of this loop move freely",
                      urdf->joints[at].name);
        fine = false;
    }
    return fine;
}

// start position of a joint that the file leaves at 0: moved inside its limits
static double free_start(const trx_joint_def *def)
{
    return def->lower > 0 ? def->lower : def->upper < 0 ? def->upper : 0;
}

// the start of a joint: computes the starts of its leaders first, from the free joint at the end of the chain on.
// `stack`: njoint, scratch for the chain
static double start_of(trxi_urdf *urdf, const follower *all, int index, double *starts, bool *known, int *stack)
{
    int count = 0, at = index;
    for (; !known[at] && all[at].leader >= 0; at = all[at].leader) stack[count++] = at;
    if (!known[at]) {
        starts[at] = free_start(trxi_draft_joint_at(urdf->draft, urdf->joints[at].body, 0));
        known[at] = true;
    }
    while (count > 0) {
        at = stack[--count];
        starts[at] = all[at].multiplier * starts[all[at].leader] + all[at].offset;
        known[at] = true;
    }
    return starts[index];
}

static void couple(trxi_urdf *urdf, int index, const follower *f, double start)
{
    const trxi_urdf_joint *joint = &urdf->joints[index];
    trx_source source = joint->mimic->source;
    trx_constraint_def *def = trxi_draft_constraint(urdf->draft,
                                                    trxi_draft_name(urdf->draft, joint->name, "constraint", source),
                                                    source);
    def->type = TRX_CONSTRAINT_COUPLER;
    def->body_a = joint->body;
    def->joint_a = 0;
    def->body_b = urdf->joints[f->leader].body;
    def->joint_b = 0;
    def->polynomial[0] = f->offset;
    def->polynomial[1] = f->multiplier;
    trxi_draft_start(urdf->draft, joint->body, 0, &start);
}

void trxi_urdf_mimics(trxi_urdf *urdf)
{
    size_t n = (size_t)urdf->njoint + 1;
    follower *all = TRXI_DRAFT_TAKE(urdf->draft, follower, n);
    double *starts = TRXI_DRAFT_TAKE(urdf->draft, double, n);
    bool *known = TRXI_DRAFT_TAKE(urdf->draft, bool, n);
    int *stack = TRXI_DRAFT_TAKE(urdf->draft, int, n);
    if (!all || !starts || !known || !stack) return;
    for (int i = 0; i < urdf->njoint; i++) read_follower(urdf, i, &all[i]);
    if (!check_loops(urdf, all)) return;
    for (int i = 0; i < urdf->njoint && trxi_draft_ok(urdf->draft); i++)
        if (all[i].leader >= 0) couple(urdf, i, &all[i], start_of(urdf, all, i, starts, known, stack));
}
