// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The public queries of kinematics (theory 1, 6): pose, velocity and Jacobian of bodies and frames, and the distance of two
// geometries. One pass over the links when the state changes; a query costs the path of its link.

#include "dynamics/distance.h"
#include "math/dense.h"
#include "math/rotation.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <tractrix/kinematics.h>

struct trx_kinematics {
    trx_context *context;
    const trx_model *model;
    trxi_kinematics at;
    double *q, *V; // nq; nlink x 6: link velocities about the reference points of their trees
    double *rest;  // nv zeros
    double t;
};

// ---- life ----

static void layout(trxi_arena *arena, const trx_model *model, trx_kinematics **kinematics, trx_kinematics *k)
{
    *kinematics = TRXI_TAKE(arena, trx_kinematics, 1);
    k->q = TRXI_TAKE(arena, double, model->nq);
    k->V = TRXI_TAKE(arena, double, 6 * model->nlink);
    k->rest = TRXI_TAKE(arena, double, model->nv);
    trxi_kinematics_layout(arena, model, &k->at);
}

trx_status trx_kinematics_create(trx_context *context, const trx_model *model, trx_kinematics **kinematics)
{
    if (!context) return TRX_ERR_ARGUMENT;
    if (!model || !kinematics) return trxi_fail(context, TRX_ERR_ARGUMENT, "no model or no place for the result");
    *kinematics = NULL;
    trx_kinematics k = {.context = context, .model = model};
    trxi_arena arena = {0};
    layout(&arena, model, kinematics, &k);
    char *memory = trxi_allocate(context, arena.used);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    layout(&arena, model, kinematics, &k);
    memset(k.rest, 0, (size_t)model->nv * sizeof *k.rest);
    trx_model_neutral(model, k.q);
    trxi_kinematics_compute(model, k.q, &k.at);
    trxi_link_velocities(model, &k.at, k.rest, k.V);
    **kinematics = k;
    return TRX_OK;
}

void trx_kinematics_destroy(trx_kinematics *kinematics)
{
    if (kinematics) trxi_release(kinematics->context, kinematics);
}

// ---- the state ----

// false when a quaternion of q has no direction; quaternions of `unit` (may be NULL) get length 1
static bool unit_quaternions(const trx_model *model, const double *q, double *unit)
{
    for (int i = 0; i < model->nlink; i++) {
        const trxi_link *link = &model->links[i];
        if (link->type != TRXI_BALL) continue;
        double quat[4];
        assert(q); // a ball has coordinates
        memcpy(quat, q + link->q, sizeof quat);
        const double length = trxi_quat_normalize(quat);
        if (!(length > 0 && isfinite(length))) return false;
        if (unit) memcpy(unit + link->q, quat, sizeof quat);
    }
    return true;
}

trx_status trx_kinematics_update(trx_kinematics *k, const double *q, const double *v, double t)
{
    if (!k) return TRX_ERR_ARGUMENT;
    const trx_model *model = k->model;
    if (!q && model->nq > 0) return trxi_fail(k->context, TRX_ERR_ARGUMENT, "no configuration");
    if (!trxi_all_finite(model->nq, q) || (v && !trxi_all_finite(model->nv, v)) || !isfinite(t))
        return trxi_fail(k->context, TRX_ERR_NOT_FINITE, "the state or the time is not finite");
    if (!unit_quaternions(model, q, NULL))
        return trxi_fail(k->context, TRX_ERR_NOT_FINITE, "a quaternion has no direction: its length is 0 or overflows");
    if (q) memcpy(k->q, q, (size_t)model->nq * sizeof *q);
    unit_quaternions(model, q, k->q);
    k->t = t;
    trxi_kinematics_compute(model, k->q, &k->at);
    trxi_kinematics_move(model, t, &k->at);
    trxi_link_velocities(model, &k->at, v ? v : k->rest, k->V);
    return TRX_OK;
}

// ---- bodies and frames ----

// a frame fixed in a link, in a body with prescribed motion, or in the world
typedef struct fixed_frame {
    int link, prescribed;
    const double *R, *p; // in the link, the moving body, or the world
} fixed_frame;

// velocity of the point p of the frame's carrier
static void velocity_of(const trx_kinematics *k, const fixed_frame *frame, const double p[3], double out[6])
{
    double arm[3], turning[3];
    memset(out, 0, 6 * sizeof *out);
    if (frame->link >= 0) {
        memcpy(out, k->V + 6 * frame->link, 6 * sizeof *out);
        trxi_sub3(p, k->at.c + 3 * k->model->links[frame->link].tree, arm);
    } else if (frame->prescribed >= 0) {
        trxi_prescribed_velocity(k->model, frame->prescribed, k->t, out);
        trxi_sub3(p, k->at.prescribed_p + 3 * frame->prescribed, arm);
    } else {
        return;
    }
    trxi_cross3(out, arm, turning);
    trxi_add3(out + 3, turning, out + 3);
}

// columns [w_j; v_j + w_j x (p - c)] of the dofs below the frame, zeros elsewhere
static void jacobian_of(const trx_kinematics *k, const fixed_frame *frame, const double p[3], double *J)
{
    memset(J, 0, 6 * (size_t)k->model->nv * sizeof *J);
    if (frame->link < 0) return;
    const trxi_link *link = &k->model->links[frame->link];
    double arm[3];
    trxi_sub3(p, k->at.c + 3 * link->tree, arm);
    for (int i = 0; i < link->path_length; i++) {
        const int dof = k->model->path[link->path_start + i];
        const double *S = k->at.S + 6 * dof;
        double *column = J + 6 * dof;
        trxi_copy3(S, column);
        trxi_velocity_at(S, arm, column + 3);
    }
}

static void answer(const trx_kinematics *k, const fixed_frame *frame, trx_placement *placement, double *J)
{
    double R[9], p[3];
    trxi_kinematics_place(&k->at, frame->link, frame->prescribed, frame->R, frame->p, R, p);
    if (J) jacobian_of(k, frame, p, J);
    if (!placement) return;
    trxi_copy3(p, placement->pose.p);
    trxi_quat_from_matrix(R, placement->pose.quat);
    velocity_of(k, frame, p, placement->velocity);
}

trx_status trx_kinematics_body(const trx_kinematics *k, int body, trx_placement *placement, double *J)
{
    if (!k) return TRX_ERR_ARGUMENT;
    if (body < 0 || body >= k->model->nbody) return trxi_fail(k->context, TRX_ERR_ARGUMENT, "there is no body %d", body);
    const trxi_body *b = &k->model->bodies[body];
    answer(k, &(fixed_frame){b->link, b->prescribed, b->R_LB, b->p_LB}, placement, J);
    return TRX_OK;
}

trx_status trx_kinematics_frame(const trx_kinematics *k, int frame, trx_placement *placement, double *J)
{
    if (!k) return TRX_ERR_ARGUMENT;
    if (frame < 0 || frame >= k->model->nframe) return trxi_fail(k->context, TRX_ERR_ARGUMENT, "there is no frame %d", frame);
    const trxi_frame *f = &k->model->frames[frame];
    answer(k, &(fixed_frame){f->link, f->prescribed, f->R_LF, f->p_LF}, placement, J);
    return TRX_OK;
}

// columns [dw; dv_c + dw x (p - c) + w x J] of the dofs below the frame, zeros elsewhere (theory 6)
static void velocity_dq(const trx_kinematics *k, const fixed_frame *frame, double *out)
{
    memset(out, 0, 6 * (size_t)k->model->nv * sizeof *out);
    if (frame->link < 0) return;
    const trxi_link *link = &k->model->links[frame->link];
    const int *path = k->model->path + link->path_start;
    const double *spin = k->V + 6 * frame->link;
    double R[9], p[3], arm[3];
    trxi_kinematics_place(&k->at, frame->link, frame->prescribed, frame->R, frame->p, R, p);
    trxi_sub3(p, k->at.c + 3 * link->tree, arm);
    trxi_link_velocity_dq(k->model, &k->at, k->V, frame->link, out);

    // from the order of the path to the order of the dofs, which ascend along the path: the last one first
    for (int i = link->path_length - 1; i >= 0; i--) {
        const double *S = k->at.S + 6 * path[i];
        double column[6], moving[3], turning[3];
        memcpy(column, out + 6 * i, sizeof column);
        memset(out + 6 * i, 0, sizeof column);
        trxi_velocity_at(S, arm, moving);
        trxi_cross3(column, arm, turning);
        trxi_cross_add3(spin, moving, turning);
        trxi_add3(column + 3, turning, column + 3);
        memcpy(out + 6 * path[i], column, sizeof column);
    }
}

trx_status trx_kinematics_body_velocity_dq(const trx_kinematics *k, int body, double *dvelocity_dq)
{
    if (!k) return TRX_ERR_ARGUMENT;
    if (body < 0 || body >= k->model->nbody || !dvelocity_dq)
        return trxi_fail(k->context, TRX_ERR_ARGUMENT, "there is no body %d, or no place for the derivative", body);
    const trxi_body *b = &k->model->bodies[body];
    velocity_dq(k, &(fixed_frame){b->link, b->prescribed, b->R_LB, b->p_LB}, dvelocity_dq);
    return TRX_OK;
}

trx_status trx_kinematics_frame_velocity_dq(const trx_kinematics *k, int frame, double *dvelocity_dq)
{
    if (!k) return TRX_ERR_ARGUMENT;
    if (frame < 0 || frame >= k->model->nframe || !dvelocity_dq)
        return trxi_fail(k->context, TRX_ERR_ARGUMENT, "there is no frame %d, or no place for the derivative", frame);
    const trxi_frame *f = &k->model->frames[frame];
    velocity_dq(k, &(fixed_frame){f->link, f->prescribed, f->R_LF, f->p_LF}, dvelocity_dq);
    return TRX_OK;
}

// ---- distances ----

// adds the slopes of the dofs that move `link` and not `other`
static void add_slopes(const trx_kinematics *k, const trxi_contact_point *point, int link, int other, double sign, double *gradient)
{
    if (link < 0) return;
    const trxi_link *moving = &k->model->links[link];
    double arm[3];
    trxi_sub3(point->a, k->at.c + 3 * moving->tree, arm);
    for (int i = 0; i < moving->path_length; i++) {
        const int dof = k->model->path[moving->path_start + i];
        if (!trxi_dof_moves(k->model, dof, other)) gradient[dof] = trxi_distance_slope(&k->at, point, arm, dof, sign);
    }
}

// converts a contact point; `swapped`: the first geometry of the caller is geometry B of the contact
static void separate(const trxi_contact_point *point, bool swapped, trx_separation *out)
{
    double *a = swapped ? out->point_b : out->point_a, *b = swapped ? out->point_a : out->point_b;
    out->distance = point->phi;
    trxi_copy3(point->a, a);
    trxi_copy3(point->a, b);
    trxi_axpy3(point->phi, point->n, b);
    trxi_scale3(swapped ? -1 : 1, point->n, out->normal);
}

trx_status trx_kinematics_distance(const trx_kinematics *k, int geom_a, int geom_b, trx_separation *separation, double *gradient)
{
    if (!k) return TRX_ERR_ARGUMENT;
    const trx_model *model = k->model;
    if (geom_a < 0 || geom_a >= model->ngeom || geom_b < 0 || geom_b >= model->ngeom)
        return trxi_fail(k->context, TRX_ERR_ARGUMENT, "there is no geometry %d or %d", geom_a, geom_b);
    if (!trxi_geoms_measurable(model, geom_a, geom_b))
        return trxi_fail(k->context, TRX_ERR_UNSUPPORTED,
                         "no distance of %s and %s: two halfspaces, a mesh that does not collide, or no joint between them",
                         model->geoms[geom_a].name, model->geoms[geom_b].name);
    const bool swapped = trxi_pair_swaps(model->geoms[geom_a].shape.type, model->geoms[geom_b].shape.type);
    const int a = swapped ? geom_b : geom_a, b = swapped ? geom_a : geom_b;
    const trxi_contact_point point = trxi_geoms_closest(model, &k->at, a, b, gradient != NULL);
    if (!isfinite(point.phi)) return trxi_fail(k->context, TRX_ERR_UNSUPPORTED, "these two geometries have no closest points");
    if (separation) separate(&point, swapped, separation);
    if (!gradient) return TRX_OK;
    memset(gradient, 0, (size_t)model->nv * sizeof *gradient);
    add_slopes(k, &point, model->geoms[a].link, model->geoms[b].link, -1, gradient);
    add_slopes(k, &point, model->geoms[b].link, model->geoms[a].link, 1, gradient);
    return TRX_OK;
}
