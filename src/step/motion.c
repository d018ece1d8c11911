// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Prescribed motions and surface velocities (theory 2). With X(t) = (R, o) the pose of a body with prescribed motion,
// geometry is evaluated at X(t), and a point p of the body moves at the secant velocity
//
//     u(p) = (X(s + dt) - X(s)) X(t)^-1 p/dt = (o(s + dt) - o(s))/dt + W (p - o),    W = (R(s + dt) - R(s)) R^T/dt
//
// s = t + (1 - th_vq) dt is the time at which a velocity begins to count, because positions move with th_vq v + (1 -
// th_vq) v0. A body carried at u then follows its carrier. With th_vq = 1, phi0 + dt v_n is, to first order, the gap
// to the body's pose at the end of the step. The lagged impulse belongs to the velocities before the step, so u0 is
// the u of the step before. u and u0 are functions of time and p alone, so their only derivatives are W dp and W0 dp.
//
// A surface velocity c in body axes adds R c without its normal part, because the surface moves along itself.

#include "step/motion.h"

#include <string.h>

// computes the secant velocity of a body between two times: `linear` at the body's origin and W, for the present rotation R
static void secant(const trx_model *model, int prescribed, double from, double to, const double *R, double linear[3], double W[9])
{
    double R0[9], p0[3], R1[9], p1[3];
    trxi_prescribed_pose(model, prescribed, from, R0, p0);
    trxi_prescribed_pose(model, prescribed, to, R1, p1);
    for (int i = 0; i < 9; i++) R1[i] = (R1[i] - R0[i]) / (to - from);
    trxi_mul33_bt(R1, R, W);
    trxi_sub3(p1, p0, linear);
    trxi_scale3(1 / (to - from), linear, linear);
}

void trxi_step_motion(const trxi_input *in, const trxi_smooth *smooth, trxi_placed_geometry *geometry)
{
    const trx_model *model = in->model;
    const double dt = in->settings.time_step, now = in->t0 + (1 - in->th_vq) * dt;
    if (model->nprescribed == 0) return;
    for (int i = 0; i < model->nprescribed; i++) {
        trxi_prescribed_motion *motion = &geometry->prescribed[i];
        const double *R = smooth->kin.prescribed_R + 9 * i;
        trxi_copy3(smooth->kin.prescribed_p + 3 * i, motion->origin);
        secant(model, i, now, now + dt, R, motion->linear, motion->W);
        secant(model, i, now - dt, now, R, motion->linear0, motion->W0);
    }
}

// adds sign times the velocity at p of a body with prescribed motion
static void add_prescribed(const trxi_placed_geometry *geometry, int prescribed, double sign, const double p[3],
                           trxi_bias *bias)
{
    if (prescribed < 0) return;
    const trxi_prescribed_motion *motion = &geometry->prescribed[prescribed];
    double arm[3], turning[3];
    trxi_sub3(p, motion->origin, arm);
    trxi_mulv3(motion->W, arm, turning);
    trxi_axpy3(sign, motion->linear, bias->u);
    trxi_axpy3(sign, turning, bias->u);
    trxi_mulv3(motion->W0, arm, turning);
    trxi_axpy3(sign, motion->linear0, bias->u0);
    trxi_axpy3(sign, turning, bias->u0);
    for (int i = 0; i < 9; i++) {
        bias->W[i] += sign * motion->W[i];
        bias->W0[i] += sign * motion->W0[i];
    }
}

static void surface(const trxi_smooth *smooth, const trxi_geom *geom, double out[3])
{
    const trxi_kinematics *kin = &smooth->kin;
    if (geom->link < 0 && geom->prescribed < 0) trxi_copy3(geom->surface_L, out);
    else
        trxi_mulv3(geom->link >= 0 ? kin->R + 9 * geom->link : kin->prescribed_R + 9 * geom->prescribed, geom->surface_L,
                   out);
}

void trxi_step_compute_bias(const trxi_input *in, const trxi_smooth *smooth, const trxi_placed_geometry *geometry,
                            const trxi_meeting *meeting, const double p[3], trxi_bias *bias)
{
    const trxi_geom *a = &in->model->geoms[meeting->geom_a];
    const trxi_geom *b = &in->model->geoms[meeting->geom_b];
    *bias = (trxi_bias){.any = true};
    add_prescribed(geometry, a->prescribed, -1, p, bias);
    add_prescribed(geometry, b->prescribed, 1, p, bias);
    // the skew part of W; the symmetric part, of the size dt |w|^2, is an effect of the secant
    const double *W = bias->W;
    trxi_set3(0.5 * (W[5] - W[7]), 0.5 * (W[6] - W[2]), 0.5 * (W[1] - W[3]), bias->spin);
    surface(smooth, a, bias->surface_of[0]);
    surface(smooth, b, bias->surface_of[1]);
    trxi_sub3(bias->surface_of[1], bias->surface_of[0], bias->surface);
}

void trxi_bias_rows(const trxi_bias *bias, const double F[9], double b[3], double b0[3])
{
    trxi_zero3(b);
    trxi_zero3(b0);
    if (!bias->any) return;
    double along[3];
    trxi_mulv3_t(F, bias->u, b);
    trxi_mulv3_t(F, bias->u0, b0);
    trxi_mulv3_t(F, bias->surface, along);
    for (int i = 0; i < 2; i++) b[i] += along[i], b0[i] += along[i];
}

// largest distance from p to a point of any geometry with a finite size
static double farthest(const trxi_input *in, const trxi_placed_geometry *geometry, const double p[3])
{
    double distance = 0;
    for (int g = 0; g < in->model->ngeom; g++) {
        const trxi_geom *geom = &in->model->geoms[g];
        double d[3];
        if (!geom->collide || !isfinite(geom->radius)) continue;
        trxi_sub3(geometry->p + 3 * g, p, d);
        distance = fmax(distance, trxi_norm3(d) + geom->radius);
    }
    return distance;
}

double trxi_step_motion_speed(const trxi_input *in, const trxi_placed_geometry *geometry, int index)
{
    const trxi_geom *geom = &in->model->geoms[index];
    if (geom->prescribed < 0) return 0;
    const trxi_prescribed_motion *motion = &geometry->prescribed[geom->prescribed];
    double spin = 0, spin0 = 0, arm[3];
    for (int i = 0; i < 9; i++) spin += motion->W[i] * motion->W[i], spin0 += motion->W0[i] * motion->W0[i];
    spin = sqrt(spin) + sqrt(spin0);
    trxi_sub3(geometry->p + 3 * index, motion->origin, arm);
    double reach = 0;
    if (spin > 0) reach = isfinite(geom->radius) ? trxi_norm3(arm) + geom->radius : farthest(in, geometry, motion->origin);
    return trxi_norm3(motion->linear) + trxi_norm3(motion->linear0) + spin * reach;
}
