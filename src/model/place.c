// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pose of a fixed body in its parent's frame, R = R_built Exp(r) and p, as six parameters (place.h). A change
// moves the body's frame rigidly in the world, with everything fixed to it: geometries, frames, points of
// constraints, and the first joints of trees. Per unit of r_i the body turns by Jr(r) e_i in its own axes (theory 1).

#include "model/place.h"

#include "math/rotation.h"
#include "model/build.h"

#include <string.h>

typedef struct frame {
    double R[9], p[3];
} frame;

bool trxi_place_carries_body(const trx_model *model, int place, int body)
{
    if (body < 0 || model->bodies[body].link >= 0) return false;
    while (body >= 0 && body != place) body = model->bodies[body].parent;
    return body == place;
}

bool trxi_place_carries_link(const trx_model *model, int place, int link)
{
    if (link < 0) return false;
    const trxi_tree *tree = &model->trees[model->links[link].tree];
    const trxi_joint *root = &model->joints[model->links[tree->first_link].joint];
    return trxi_place_carries_body(model, place, model->bodies[root->body].parent);
}

static frame parent_frame(const trx_model *model, int body)
{
    int parent = model->bodies[body].parent;
    frame out = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    if (parent < 0) return out;
    memcpy(out.R, model->bodies[parent].R_LB, sizeof out.R);
    trxi_copy3(model->bodies[parent].p_LB, out.p);
    return out;
}

// the body in its parent
static frame local_frame(const trx_model *model, int body)
{
    const trxi_body *b = &model->bodies[body];
    frame parent = parent_frame(model, body), out;
    double offset[3];
    trxi_mul33_at(parent.R, b->R_LB, out.R);
    trxi_sub3(b->p_LB, parent.p, offset);
    trxi_mulv3_t(parent.R, offset, out.p);
    return out;
}

// r of R = R_built Exp(r)
static void turn_since(const trx_model *base, const frame *now, int body, double r[3])
{
    frame built = local_frame(base, body);
    double change[9], quat[4];
    trxi_mul33_at(built.R, now->R, change);
    trxi_quat_from_matrix(change, quat);
    trxi_quat_log(quat, r);
}

double trxi_place_value(const trx_model *base, const trx_model *model, trx_parameter parameter)
{
    frame now = local_frame(model, parameter.index);
    if (parameter.kind == TRX_PLACE_POSITION) return now.p[parameter.component];
    double r[3];
    turn_since(base, &now, parameter.index, r);
    return r[parameter.component];
}

// gives `place` the pose `goal`, moves the bodies fixed to it by `motion`, and computes everything fixed to these bodies anew from
// their poses. Only the poses of bodies other than `place` collect rounding over many changes
static void move_bodies(trx_model *m, int place, const frame *motion, const frame *goal)
{
    for (int i = 0; i < m->nbody; i++) {
        trxi_body *body = &m->bodies[i];
        if (trxi_place_carries_body(m, place, i))
            trxi_carry_pose(motion->R, motion->p, body->R_LB, body->p_LB, body->R_LB, body->p_LB);
    }
    memcpy(m->bodies[place].R_LB, goal->R, sizeof goal->R);
    trxi_copy3(goal->p, m->bodies[place].p_LB);
    for (int i = 0; i < m->ngeom; i++) {
        trxi_geom *geom = &m->geoms[i];
        if (!trxi_place_carries_body(m, place, geom->body)) continue;
        trxi_fixture_pose(&m->bodies[geom->body], &geom->pose, geom->R_LG, geom->p_LG);
        trxi_mesh_centre(geom);
        trxi_mulv3(m->bodies[geom->body].R_LB, geom->surface_velocity, geom->surface_L);
    }
    for (int i = 0; i < m->nframe; i++) {
        trxi_frame *at = &m->frames[i];
        if (trxi_place_carries_body(m, place, at->body)) trxi_fixture_pose(&m->bodies[at->body], &at->pose, at->R_LF, at->p_LF);
    }
    for (int i = 0; i < m->nspan; i++) trxi_span_place(m, &m->spans[i]);
    for (int i = 0; i < m->nconstraint; i++) {
        trxi_constraint *c = &m->constraints[i];
        if (trxi_constraint_of_lengths(c)) continue;
        if (trxi_place_carries_body(m, place, c->body_a)) trxi_fixture_pose(&m->bodies[c->body_a], &c->pose_a, c->R_LA, c->p_LA);
        if (trxi_place_carries_body(m, place, c->body_b)) trxi_fixture_pose(&m->bodies[c->body_b], &c->pose_b, c->R_LB, c->p_LB);
    }
}

static void move_roots(trx_model *m, int place, const frame *motion)
{
    for (int t = 0; t < m->ntree; t++) {
        trxi_link *root = &m->links[m->trees[t].first_link];
        if (trxi_place_carries_link(m, place, m->trees[t].first_link))
            trxi_carry_pose(motion->R, motion->p, root->R_PJ, root->p_PJ, root->R_PJ, root->p_PJ);
    }
}

void trxi_place_set(const trx_model *base, trx_model *model, trx_parameter parameter, double value)
{
    const int place = parameter.index;
    frame local = local_frame(model, place), parent = parent_frame(model, place), goal, motion;
    if (parameter.kind == TRX_PLACE_POSITION) {
        local.p[parameter.component] = value;
    } else {
        double r[3], turn[9];
        frame built = local_frame(base, place);
        turn_since(base, &local, place, r);
        r[parameter.component] = value;
        trxi_exp33(r, turn);
        trxi_mul33(built.R, turn, local.R);
    }
    trxi_carry_pose(parent.R, parent.p, local.R, local.p, goal.R, goal.p);

    // the motion from the old frame to the new one, with an exact rotation although the old frame has rounding errors
    const trxi_body *body = &model->bodies[place];
    double back[3], quat[4];
    trxi_mul33_bt(goal.R, body->R_LB, motion.R);
    trxi_quat_from_matrix(motion.R, quat);
    trxi_quat_to_matrix(quat, motion.R);
    trxi_mulv3(motion.R, body->p_LB, back);
    trxi_sub3(goal.p, back, motion.p);
    move_roots(model, place, &motion);
    move_bodies(model, place, &motion, &goal);
}

void trxi_place_motion(const trx_model *base, const trx_model *model, trx_parameter parameter, double w[3], double v[3])
{
    const int place = parameter.index;
    trxi_zero3(w);
    trxi_zero3(v);
    if (parameter.kind == TRX_PLACE_POSITION) {
        frame parent = parent_frame(model, place);
        trxi_copy3(parent.R + 3 * parameter.component, v);
        return;
    }
    frame now = local_frame(model, place);
    double r[3], map[9];
    turn_since(base, &now, place, r);
    trxi_right_jacobian(r, map);
    trxi_mulv3(model->bodies[place].R_LB, map + 3 * parameter.component, w);
}
