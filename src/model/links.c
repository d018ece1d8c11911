// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies and joints become links.
//
// Bodies are visited depth first. A *site*, a frame fixed in the last link, moves along a body's joints. A joint at
// offset `at` from the site makes a link whose frame is at the joint. The site is at -at in this link, so at q = 0
// the site has not moved:
//
//     X_parent,body(q) = pose * T(at_1) J_1(q_1) T(-at_1) * T(at_2) J_2(q_2) T(-at_2) * ...
//
// The site at the end is the body frame. A free joint is a translation and a ball, a planar joint two slides and a
// hinge. Indices of q and v are assigned in the order of the links.

#include "math/rotation.h"
#include "model/build.h"

#include <string.h>

// a frame fixed in a link (or in the world, link -1)
typedef struct site {
    int link;
    double R[9], p[3];
} site;

bool trxi_joint_is_single(trx_joint_type type)
{
    return type == TRX_JOINT_HINGE || type == TRX_JOINT_SLIDE;
}

static void body_order(trxi_build *build, int *first_child, int *next_sibling)
{
    const trx_model_def *def = build->def;
    int root = -1;

    // lists of children in the given order: each child is inserted at the front, so the loop runs backwards
    for (int i = 0; i < def->nbody; i++) first_child[i] = -1;
    for (int i = def->nbody - 1; i >= 0; i--) {
        int *head = def->bodies[i].parent < 0 ? &root : &first_child[def->bodies[i].parent];
        next_sibling[i] = *head;
        *head = i;
    }

    // depth first without recursion: go down, else to the next sibling, else up to an ancestor with a next sibling
    int count = 0;
    for (int i = root; i >= 0;) {
        build->order[count++] = i;
        if (first_child[i] >= 0) {
            i = first_child[i];
            continue;
        }
        while (i >= 0 && next_sibling[i] < 0) i = def->bodies[i].parent;
        if (i >= 0) i = next_sibling[i];
    }
}

int trxi_joint_nq(trx_joint_type type)
{
    return type == TRX_JOINT_FREE ? 7 : type == TRX_JOINT_BALL ? 4 : type == TRX_JOINT_PLANAR ? 3 : 1;
}

int trxi_joint_nv(trx_joint_type type)
{
    return type == TRX_JOINT_FREE ? 6 : type == TRX_JOINT_BALL || type == TRX_JOINT_PLANAR ? 3 : 1;
}

static int links_of(trx_joint_type type)
{
    return type == TRX_JOINT_FREE ? 2 : type == TRX_JOINT_PLANAR ? 3 : 1;
}

static trx_status allocate(trxi_build *build)
{
    const trx_model_def *def = build->def;
    trx_model *m = &build->model;
    build->order = TRXI_POOL(build->pool, int, def->nbody);
    build->first_joint = TRXI_POOL(build->pool, int, def->nbody);
    if (!build->order || !build->first_joint) return TRX_ERR_MEMORY;

    int nlink = 0;
    for (int i = 0; i < def->nbody; i++) {
        const trx_body_def *body = &def->bodies[i];
        build->first_joint[i] = m->njoint;
        m->njoint += body->njoint;
        m->ngeom += body->ngeometry;
        m->nframe += body->nframe;
        for (int k = 0; k < body->njoint; k++) nlink += links_of(body->joints[k].type);
    }
    m->nbody = def->nbody;

    trxi_pool *pool = build->pool;
    m->links = TRXI_POOL(pool, trxi_link, nlink);
    m->bodies = TRXI_POOL(pool, trxi_body, m->nbody);
    m->joints = TRXI_POOL(pool, trxi_joint, m->njoint);
    m->geoms = TRXI_POOL(pool, trxi_geom, m->ngeom);
    m->frames = TRXI_POOL(pool, trxi_frame, m->nframe);
    m->trees = TRXI_POOL(pool, trxi_tree, nlink);
    m->limits = TRXI_POOL(pool, int, m->njoint);
    m->prescribed = TRXI_POOL(pool, trxi_prescribed_body, m->nbody);
    bool all = m->prescribed && m->links && m->bodies && m->joints && m->geoms && m->frames && m->trees && m->limits;
    return all ? TRX_OK : TRX_ERR_MEMORY;
}

// a new link at `origin` of the site; the site moves into it
static void append_link(trx_model *m, site *at, trxi_link_type type, const double origin[3], const double axis[3],
                        int joint)
{
    int index = m->nlink++;
    trxi_link *link = &m->links[index];
    link->type = type;
    link->parent = at->link;
    link->joint = joint;
    link->q = m->nq;
    link->v = m->nv;
    link->nv = type == TRXI_BALL || type == TRXI_TRANSLATION ? 3 : 1;
    m->nq += type == TRXI_BALL ? 4 : link->nv;
    m->nv += link->nv;

    memcpy(link->R_PJ, at->R, sizeof link->R_PJ);
    trxi_mulv3(at->R, origin, link->p_PJ);
    trxi_add3(link->p_PJ, at->p, link->p_PJ);
    trxi_copy3(axis, link->axis);

    link->tree = at->link < 0 ? m->ntree++ : m->links[at->link].tree;
    trxi_tree *tree = &m->trees[link->tree];
    if (at->link < 0) *tree = (trxi_tree){.first_link = index, .v = link->v};
    tree->nlink++;
    tree->nv += link->nv;

    at->link = index;
    trxi_identity33(at->R);
    trxi_scale3(-1, origin, at->p);
}

static void append_joint(trx_model *m, site *at, const trx_joint_def *def, int body, int index)
{
    static const double zero[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    trxi_joint *joint = &m->joints[index];
    *joint = (trxi_joint){
        .name = def->name,
        .source = def->source,
        .type = def->type,
        .body = body,
        .first_link = m->nlink,
        .q = m->nq,
        .v = m->nv,
        .lower = def->lower,
        .upper = def->upper,
        .damping = def->damping,
        .stiffness = def->stiffness,
        .rest = def->rest,
        .armature = def->armature,
        .friction = def->friction,
        .reference = trxi_joint_is_single(def->type) ? def->reference : 0,
        .velocity_limit = trxi_joint_is_single(def->type) ? def->velocity_limit : INFINITY,
    };
    double axis[3];
    trxi_normalize3(def->axis, axis);
    switch (def->type) {
    case TRX_JOINT_HINGE: append_link(m, at, TRXI_HINGE, def->at, axis, index); break;
    case TRX_JOINT_SLIDE: append_link(m, at, TRXI_SLIDE, zero, axis, index); break;
    case TRX_JOINT_BALL: append_link(m, at, TRXI_BALL, def->at, zero, index); break;
    case TRX_JOINT_PLANAR:
        append_link(m, at, TRXI_SLIDE, zero, x, index);
        append_link(m, at, TRXI_SLIDE, zero, y, index);
        append_link(m, at, TRXI_HINGE, zero, z, index);
        break;
    case TRX_JOINT_FREE:
        append_link(m, at, TRXI_TRANSLATION, zero, zero, index);
        append_link(m, at, TRXI_BALL, zero, zero, index);
        break;
    }
    if (trxi_joint_is_single(def->type)) m->links[at->link].reference = def->reference;
    joint->nq = m->nq - joint->q;
    joint->nv = m->nv - joint->v;
    if (isfinite(def->lower) || isfinite(def->upper)) m->limits[m->nlimit++] = index;
}

// takes a pose in the frame (R, p) to the frame in which R and p are given
static void compose(const double R[9], const double p[3], const trx_pose *pose, double R_out[9], double p_out[3])
{
    double quat[4], local[9], offset[3];
    memcpy(quat, pose->quat, sizeof quat);
    trxi_quat_normalize(quat);
    trxi_quat_to_matrix(quat, local);
    trxi_mulv3(R, pose->p, offset);
    trxi_add3(p, offset, p_out);
    trxi_mul33(R, local, R_out);
}

void trxi_fixture_pose(const trxi_body *body, const trx_pose *pose, double R[9], double p[3])
{
    compose(body->R_LB, body->p_LB, pose, R, p);
}

static void append_body(trxi_build *build, int index)
{
    const trx_body_def *def = &build->def->bodies[index];
    trx_model *m = &build->model;
    trxi_body *body = &m->bodies[index];
    site at = {.link = -1};
    int prescribed = -1;
    if (def->parent >= 0) {
        const trxi_body *parent = &m->bodies[def->parent];
        prescribed = parent->prescribed;
        at.link = parent->link;
        compose(parent->R_LB, parent->p_LB, &def->pose, at.R, at.p);
    } else {
        const double zero[3] = {0, 0, 0};
        double identity[9];
        trxi_identity33(identity);
        compose(identity, zero, &def->pose, at.R, at.p);
    }
    for (int k = 0; k < def->njoint; k++)
        append_joint(m, &at, &def->joints[k], index, build->first_joint[index] + k);
    if (def->motion.type != TRX_MOTION_NONE) {
        m->prescribed[m->nprescribed] = trxi_make_prescribed(&def->motion, index, prescribed, at.R, at.p);
        prescribed = m->nprescribed++;
        trxi_identity33(at.R);
        trxi_zero3(at.p);
    }

    body->prescribed = prescribed;
    body->name = def->name;
    body->source = def->source;
    body->parent = def->parent < 0 ? -1 : def->parent;
    body->gravity = def->gravity;
    body->link = at.link;
    memcpy(body->R_LB, at.R, sizeof body->R_LB);
    trxi_copy3(at.p, body->p_LB);
}

// geometries and frames in the order of the bodies' definitions
static void append_fixtures(trxi_build *build)
{
    trx_model *m = &build->model;
    int geom = 0, frame = 0;
    for (int i = 0; i < m->nbody; i++) {
        const trx_body_def *def = &build->def->bodies[i];
        trxi_body *body = &m->bodies[i];
        body->first_geom = geom;
        body->ngeom = def->ngeometry;
        for (int k = 0; k < def->ngeometry; k++, geom++) {
            const trx_geometry_def *from = &def->geometry[k];
            trxi_geom *to = &m->geoms[geom];
            to->name = from->name;
            to->source = from->source;
            to->body = i;
            to->link = body->link;
            to->tree = body->link < 0 ? -1 : m->links[body->link].tree;
            to->shape = from->shape;
            to->pose = from->pose;
            trxi_quat_normalize(to->pose.quat);
            to->collide = from->collide;
            to->collision_type = from->collision_type;
            to->collision_mask = from->collision_mask;
            to->mesh = -1;
            to->part_of = build->part_of && build->part_of[i] && build->part_of[i][k] >= 0 ? geom - k + build->part_of[i][k] : -1;
            to->material = from->material;
            memcpy(to->color, from->color, sizeof to->color);
            to->has_color = from->has_color;
            to->prescribed = body->prescribed;
            trxi_copy3(from->surface_velocity, to->surface_velocity);
            trxi_mulv3(body->R_LB, from->surface_velocity, to->surface_L);
            to->conveys = trxi_norm3(from->surface_velocity) > 0;
            m->conveys = m->conveys || to->conveys;
            trxi_fixture_pose(body, &from->pose, to->R_LG, to->p_LG);
        }
        for (int k = 0; k < def->nframe; k++, frame++) {
            trxi_frame *to = &m->frames[frame];
            to->name = def->frames[k].name;
            to->body = i;
            to->link = body->link;
            to->prescribed = body->prescribed;
            to->pose = def->frames[k].pose;
            trxi_quat_normalize(to->pose.quat);
            trxi_fixture_pose(body, &def->frames[k].pose, to->R_LF, to->p_LF);
        }
    }
}

// path of dofs from the root to each link, the link's own dofs included
static trx_status build_paths(trxi_build *build)
{
    trx_model *m = &build->model;
    for (int i = 0; i < m->nlink; i++) {
        trxi_link *link = &m->links[i];
        link->path_start = m->npath;
        link->path_length = link->nv + (link->parent < 0 ? 0 : m->links[link->parent].path_length);
        m->npath += link->path_length;
    }
    m->path = TRXI_POOL(build->pool, int, m->npath);
    if (!m->path) return TRX_ERR_MEMORY;
    for (int i = 0; i < m->nlink; i++) {
        const trxi_link *link = &m->links[i];
        int *path = m->path + link->path_start, inherited = link->path_length - link->nv;
        if (inherited) memcpy(path, m->path + m->links[link->parent].path_start, (size_t)inherited * sizeof *path);
        for (int k = 0; k < link->nv; k++) path[inherited + k] = link->v + k;
    }
    return TRX_OK;
}

static trx_status build_dofs(trxi_build *build)
{
    trx_model *m = &build->model;
    m->dof_link = TRXI_POOL(build->pool, int, m->nv);
    m->dof_tree = TRXI_POOL(build->pool, int, m->nv);
    m->column = TRXI_POOL(build->pool, ptrdiff_t, m->nv);
    m->damping = TRXI_POOL(build->pool, double, m->nv);
    m->stiffness = TRXI_POOL(build->pool, double, m->nv);
    m->armature = TRXI_POOL(build->pool, double, m->nv);
    m->friction = TRXI_POOL(build->pool, double, m->nv);
    m->rest = TRXI_POOL(build->pool, double, m->nv);
    if (!m->dof_link || !m->dof_tree || !m->column || !m->damping || !m->stiffness || !m->armature || !m->friction || !m->rest)
        return TRX_ERR_MEMORY;
    for (int i = 0; i < m->nlink; i++) {
        const trxi_joint *joint = &m->joints[m->links[i].joint];
        for (int k = 0, dof = m->links[i].v; k < m->links[i].nv; k++, dof++) {
            m->dof_link[dof] = i;
            m->dof_tree[dof] = m->links[i].tree;
            m->damping[dof] = joint->damping;
            m->stiffness[dof] = joint->stiffness;
            m->armature[dof] = joint->armature;
            m->friction[dof] = joint->friction;
            m->nfriction += joint->friction != 0;
            m->rest[dof] = trxi_joint_is_single(joint->type) ? joint->rest : 0;
        }
        m->has_springs |= joint->stiffness != 0;
    }
    for (int t = 0; t < m->ntree; t++) {
        trxi_tree *tree = &m->trees[t];
        tree->block = m->nblock;
        m->nblock += tree->nv * tree->nv;
        for (int k = 0; k < tree->nv; k++) m->column[tree->v + k] = tree->block + k * tree->nv - tree->v;
    }
    return TRX_OK;
}

trx_status trxi_build_links(trxi_build *build)
{
    int nbody = build->def->nbody;
    if (allocate(build) < 0) return TRX_ERR_MEMORY;
    int *first_child = TRXI_POOL(build->pool, int, nbody), *next_sibling = TRXI_POOL(build->pool, int, nbody);
    if (!first_child || !next_sibling) return TRX_ERR_MEMORY;

    body_order(build, first_child, next_sibling);
    for (int i = 0; i < nbody; i++) append_body(build, build->order[i]);
    append_fixtures(build);

    trx_status status = build_paths(build);
    return status == TRX_OK ? build_dofs(build) : status;
}
