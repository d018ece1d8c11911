// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The mass matrix at the reference configuration, which converts damping ratios and time constants of springs to
// numbers: composite bodies (theory 2), columns (theory 1) about the origin of the world,
//
//     M_ij = w_j . L_i + v_j . p_i,       p_i = m v_i + w_i x h,       L_i = I w_i + h x v_i
//
// All bodies beyond joint i together have the mass m, and the first moment h and inertia I about the origin. The effective mass
// of an actuator is 1 / (J M^-1 J^T). The effective mass of the spring of a joint is 1 / the mean of the diagonal elements of
// M^-1 over its dofs.

#include "import/mjcf/mjcf.h"
#include "math/dense.h"
#include "math/tensor.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

enum { MAX_DOFS = 2000 };

typedef struct composite {
    double mass, moment[3], tensor[6]; // about the origin
} composite;

typedef struct column {
    int body; // index among reader->bodies
    double w[3], v[3];
} column;

static composite *make_composites(trxi_mjcf *reader)
{
    int count = reader->bodies.count;
    composite *all = TRXI_DRAFT_TAKE(reader->draft, composite, count);
    for (int i = 0; all && i < count; i++) {
        const trxi_mjcf_body *body = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, i);
        double R[9], com[3];
        trxi_quat_to_matrix(body->world.quat, R);
        trxi_pose_point(&body->world, body->sum.com, com);
        all[i].mass = body->sum.mass;
        trxi_scale3(body->sum.mass, com, all[i].moment);
        trxi_tensor_add(body->sum.tensor, R, body->sum.mass, com, all[i].tensor);
    }
    for (int i = count - 1; all && i >= 0; i--) {
        int parent = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, i)->parent;
        if (parent < 0) continue;
        all[parent].mass += all[i].mass;
        trxi_add3(all[parent].moment, all[i].moment, all[parent].moment);
        for (int k = 0; k < 6; k++) all[parent].tensor[k] += all[i].tensor[k];
    }
    return all;
}

static void turn_about(column *c, const double axis[3], const double point[3])
{
    trxi_copy3(axis, c->w);
    trxi_cross3(point, axis, c->v);
}

// columns of a joint; returns their number
static int columns_of(const trxi_mjcf *reader, const trxi_mjcf_joint *joint, column *out)
{
    const trxi_mjcf_body *body = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, joint->body);
    int count = trxi_joint_nv(joint->type);
    double R[9], axis[3], point[3];
    trxi_quat_to_matrix(body->world.quat, R);
    trxi_mulv3(R, joint->axis, axis);
    trxi_pose_point(&body->world, joint->at, point);
    for (int i = 0; i < count; i++) out[i] = (column){.body = joint->body};
    if (joint->type == TRX_JOINT_HINGE)
        turn_about(out, axis, point);
    else if (joint->type == TRX_JOINT_SLIDE)
        trxi_copy3(axis, out->v);
    else
        for (int i = 0; i < 3; i++) turn_about(out + count - 3 + i, R + 3 * i, point);
    for (int i = 0; count == 6 && i < 3; i++) out[i].v[i] = 1;
    return count;
}

static double product(const composite *c, const column *i, const column *j)
{
    double p[3], L[3];
    trxi_scale3(c->mass, i->v, p);
    trxi_cross_add3(i->w, c->moment, p);
    trxi_tensor_mulv(c->tensor, i->w, L);
    trxi_cross_add3(c->moment, i->v, L);
    return trxi_dot3(j->w, L) + trxi_dot3(j->v, p);
}

static bool is_above(const trxi_mjcf *reader, int above, int body)
{
    while (body > above) body = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, body)->parent;
    return body == above;
}

static void fill(trxi_mjcf *reader, const column *columns, const composite *composites)
{
    trxi_mjcf_mass *m = &reader->mass;
    for (int i = 0; i < m->nv; i++)
        for (int j = 0; j <= i; j++)
            if (is_above(reader, columns[j].body, columns[i].body))
                m->matrix[i + m->nv * j] = product(&composites[columns[i].body], &columns[i], &columns[j]);
    for (int k = 0; k < reader->joints.count; k++) {
        const trxi_mjcf_joint *joint = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, k);
        int body = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, joint->body)->draft;
        if (joint->index < 0) continue;
        double armature = trxi_draft_joint_at(reader->draft, body, joint->index)->armature;
        for (int d = 0; d < trxi_joint_nv(joint->type); d++) m->matrix[(m->nv + 1) * (m->dof[k] + d)] += armature;
    }
}

static bool make(trxi_mjcf *reader)
{
    trxi_mjcf_mass *m = &reader->mass;
    if (m->made) return m->good;
    m->made = true;
    m->dof = TRXI_DRAFT_TAKE(reader->draft, int, reader->joints.count);
    for (int k = 0; m->dof && k < reader->joints.count; k++) {
        m->dof[k] = m->nv;
        m->nv += trxi_joint_nv(TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, k)->type);
    }
    if (!m->dof || m->nv > MAX_DOFS) return false;
    composite *composites = make_composites(reader);
    column *columns = TRXI_DRAFT_TAKE(reader->draft, column, m->nv);
    m->matrix = TRXI_DRAFT_TAKE(reader->draft, double, m->nv * m->nv);
    m->factor = TRXI_DRAFT_TAKE(reader->draft, double, m->nv * m->nv);
    if (!composites || !columns || !m->matrix || !m->factor) return false;

    for (int k = 0; k < reader->joints.count; k++)
        columns_of(reader, TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, k), columns + m->dof[k]);
    fill(reader, columns, composites);
    memcpy(m->factor, m->matrix, (size_t)(m->nv * m->nv) * sizeof *m->factor);
    m->good = trxi_cholesky(m->nv, m->factor, m->nv) < 0;
    return m->good;
}

// a diagonal element of M^-1
static double inverse_mass(trxi_mjcf *reader, int dof)
{
    const trxi_mjcf_mass *m = &reader->mass;
    double *row = TRXI_DRAFT_TAKE(reader->draft, double, m->nv);
    if (!row) return 0;
    row[dof] = 1;
    trxi_lower_solve(m->nv, m->factor, m->nv, 1, row, m->nv);
    return trxi_dot(m->nv, row, row);
}

double trxi_mjcf_reflected_mass(trxi_mjcf *reader, const int *joints, const double *factors, int count)
{
    trxi_mjcf_mass *m = &reader->mass;
    if (!make(reader)) return 0;
    double *row = TRXI_DRAFT_TAKE(reader->draft, double, m->nv);
    if (!row) return 0;
    for (int i = 0; i < count; i++) row[m->dof[joints[i]]] += factors[i];
    trxi_lower_solve(m->nv, m->factor, m->nv, 1, row, m->nv);
    double inverse = trxi_dot(m->nv, row, row);
    return inverse > 0 ? 1 / inverse : 0;
}

void trxi_mjcf_tune_springs(trxi_mjcf *reader)
{
    for (int k = 0; k < reader->joints.count; k++) {
        const trxi_mjcf_joint *joint = TRXI_MJCF_AT(reader->joints, trxi_mjcf_joint, k);
        double time = joint->spring[0], ratio = joint->spring[1];
        int dofs = trxi_joint_nv(joint->type), body = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, joint->body)->draft;
        if (!(time > 0 && ratio > 0) || joint->index < 0 || !make(reader)) continue;
        double inverse = 0;
        for (int d = 0; d < dofs; d++) inverse += inverse_mass(reader, reader->mass.dof[k] + d) / dofs;
        double mass = inverse > 0 ? 1 / inverse : 0;
        trx_joint_def *def = trxi_draft_joint_at(reader->draft, body, joint->index);
        if (!reader->off.spring) def->stiffness = mass / (time * time * ratio * ratio);
        if (!reader->off.damper) def->damping = 2 * mass / time;
    }
}
