// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The end of a draft: inertias are checked, joints get their start position, and the lists become the arrays of a
// trx_model_def.

#include "import/draft_state.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static void check_start(trxi_draft *draft, const trxi_draft_joint_item *item)
{
    for (int i = 0; i < trxi_joint_nq(item->def.type); i++) {
        if (isfinite(item->start[i])) continue;
        trxi_error_at(draft->context, item->def.source,
                      "joint '%.100s' starts at a number that is too large: check the "
                      "poses, limits and couplings that lead to it",
                      item->def.name);
        return;
    }
}

// start position of a joint, given by the file or by its type; a free joint starts at the pose of its body
static void start_joint(trx_body_def *body, trxi_draft_joint_item *item)
{
    bool one = item->def.type == TRX_JOINT_HINGE || item->def.type == TRX_JOINT_SLIDE;
    if (!item->started && one) item->start[0] = item->def.reference;
    if (!item->started && item->def.type == TRX_JOINT_BALL) item->start[0] = 1;
    if (item->def.type != TRX_JOINT_FREE) return;
    if (!item->started) {
        memcpy(item->start, body->pose.p, sizeof body->pose.p);
        memcpy(item->start + 3, body->pose.quat, sizeof body->pose.quat);
    }
    body->pose = trx_pose_identity();
}

static void finish_start(trxi_draft *draft, trx_import_result *result)
{
    for (int i = 0; i < draft->bodies.count; i++) {
        trxi_draft_body_item *body = draft->bodies.items[i];
        for (int k = 0; k < body->joints.count; k++) {
            trxi_draft_joint_item *joint = body->joints.items[k];
            start_joint(&body->def, joint);
            check_start(draft, joint);
            result->nq += trxi_joint_nq(joint->def.type);
            result->nv += trxi_joint_nv(joint->def.type);
        }
    }
    double *q = result->nq ? TRXI_DRAFT_TAKE(draft, double, result->nq) : NULL;
    result->q0 = q;
    for (int i = 0; q && i < draft->bodies.count; i++) {
        const trxi_draft_body_item *body = draft->bodies.items[i];
        for (int k = 0; k < body->joints.count; k++) {
            const trxi_draft_joint_item *joint = body->joints.items[k];
            int nq = trxi_joint_nq(joint->def.type);
            memcpy(q, joint->start, (size_t)nq * sizeof *q);
            q += nq;
        }
    }
}

static void finish_bodies(trxi_draft *draft)
{
    for (int i = 0; i < draft->bodies.count; i++) {
        trxi_draft_body_item *item = draft->bodies.items[i];
        item->def.joints = trxi_draft_flatten(draft, &item->joints, sizeof(trx_joint_def));
        item->def.njoint = item->joints.count;
        item->def.geometry = trxi_draft_flatten(draft, &item->geometry, sizeof(trx_geometry_def));
        item->def.ngeometry = item->geometry.count;
        item->def.frames = trxi_draft_flatten(draft, &item->frames, sizeof(trx_frame_def));
        item->def.nframe = item->frames.count;
    }
}

trx_status trxi_draft_finish(trxi_draft *draft, trx_import_result *result)
{
    int errors = trx_context_error_count(draft->context);
    *result = (trx_import_result){.def = trx_model_def_default(), .time_step = draft->time_step};
    memcpy(result->gravity, draft->gravity, sizeof draft->gravity);
    trxi_draft_judge_inertias(draft);
    if (!draft->materials.count) trxi_draft_material(draft, NAN);

    trx_model_def *def = &result->def;
    finish_start(draft, result);
    finish_bodies(draft);
    def->bodies = trxi_draft_flatten(draft, &draft->bodies, sizeof(trx_body_def));
    def->nbody = draft->bodies.count;
    def->materials = trxi_draft_flatten(draft, &draft->materials, sizeof(trx_material_def));
    def->nmaterial = draft->materials.count;
    def->tendons = trxi_draft_flatten(draft, &draft->tendons, sizeof(trx_tendon_def));
    def->ntendon = draft->tendons.count;
    if (draft->muscles.count > 0 && draft->memory) trxi_draft_finish_muscles(draft, def, result->q0);
    def->actuators = trxi_draft_flatten(draft, &draft->actuators, sizeof(trx_actuator_def));
    def->nactuator = draft->actuators.count;
    def->constraints = trxi_draft_flatten(draft, &draft->constraints, sizeof(trx_constraint_def));
    def->nconstraint = draft->constraints.count;
    def->exclude = trxi_draft_flatten(draft, &draft->excludes, sizeof(trx_pair_selector));
    def->nexclude = draft->excludes.count;
    def->overrides = trxi_draft_flatten(draft, &draft->overrides, sizeof(trx_pair_override));
    def->noverride = draft->overrides.count;
    def->allow_adjacent = draft->allow_adjacent;
    for (int i = 0; i < 3 && !isnan(draft->gravity[i]); i++) def->gravity[i] = draft->gravity[i];

    result->keyframes = trxi_draft_flatten(draft, &draft->keyframes, sizeof(trx_keyframe));
    result->nkeyframe = draft->keyframes.count;
    result->notes = trxi_draft_finish_notes(draft, &result->nnote);
    if (!draft->memory) return TRX_ERR_MEMORY;
    return trx_context_error_count(draft->context) > errors ? TRX_ERR_INPUT : TRX_OK;
}
