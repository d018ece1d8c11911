// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Sizes of shapes, as motions of the geometry (theory 6).
//
// A size s moves the point of the surface with outward normal m by dx/ds at fixed m. For a contact this is, to first
// order, a displacement of the whole shape, because its curvature only multiplies dn. In the axes of the shape, with
// x the point of its core:
//
//     radius of a sphere or capsule, rounding           m
//     box, length of a capsule or cylinder              e_i sign(x_i)/2 where x_i is at the end, else 0
//     radius of a cylinder                              (x_1, x_2, 0)/r at the rim, or at the edge of a flat end that lies on a
//                                                       flat surface; else 0
//     ellipsoid of half sizes D, h = |D m|              e_i D_i m_i/h - D^2 m (D_i m_i^2)/(2 h^3)
//
// The other directions are flat, and motions along them change nothing. A flat end on a flat surface touches in
// a polygon with corners on the rim (geometry/patch.h). The whole polygon grows with the radius. Where one of its sides
// meets an edge, the contact slides along the edge. A side that moves by (x_1, x_2)/r becomes the side of the larger polygon.

#include "step/parameters.h"

static const double at_end = 1e-9; // a coordinate this close to an end, as a share of the size, counts as at the end [1]

// computes the displacement in the axes of the shape; x: point of the core, m: outward normal
static void surface_motion(const trx_shape *shape, trx_parameter p, const double x[3], const double m[3], bool sliding,
                           double out[3])
{
    trxi_zero3(out);
    bool cylinder = shape->type == TRX_SHAPE_CYLINDER, ellipsoid = shape->type == TRX_SHAPE_ELLIPSOID;
    if (p.kind == TRX_GEOM_ROUNDING || (p.kind == TRX_GEOM_RADIUS && !cylinder)) {
        trxi_copy3(m, out);
        return;
    }
    if (p.kind == TRX_GEOM_SIZE && ellipsoid) {
        double D[3], h = 0;
        trxi_scale3(0.5, shape->size, D);
        for (int i = 0; i < 3; i++) h += D[i] * D[i] * m[i] * m[i];
        h = sqrt(h);
        const double along = D[p.component] * m[p.component];
        for (int i = 0; i < 3; i++) out[i] = -0.5 * D[i] * D[i] * m[i] * along * m[p.component] / (h * h * h);
        out[p.component] += along / h;
        return;
    }
    if (p.kind == TRX_GEOM_RADIUS) {
        bool rim = hypot(x[0], x[1]) >= shape->radius * (1 - at_end);
        if (rim || sliding) out[0] = x[0] / shape->radius, out[1] = x[1] / shape->radius;
        return;
    }
    const int axis = p.kind == TRX_GEOM_SIZE ? p.component : 2;
    const double half = 0.5 * (p.kind == TRX_GEOM_SIZE ? shape->size[axis] : shape->length);
    if (fabs(x[axis]) >= half * (1 - at_end)) out[axis] = x[axis] > 0 ? 0.5 : -0.5;
}

void trxi_size_motion(const trxi_placed_shape *placed, trx_parameter parameter, const trxi_contact_point *point, bool on_a,
                      double u[3])
{
    const trx_shape *shape = placed->shape;
    bool ball = shape->type == TRX_SHAPE_SPHERE || shape->type == TRX_SHAPE_CAPSULE;
    const double sweep = ball ? shape->radius : shape->rounding;
    double witness[3], outward[3], x[3], m[3], local[3];
    trxi_scale3(on_a ? 1 : -1, point->n, outward);
    trxi_copy3(point->a, witness);
    if (!on_a) trxi_axpy3(point->phi, point->n, witness);
    trxi_axpy3(-sweep, outward, witness);
    trxi_sub3(witness, placed->p, witness);
    trxi_mulv3_t(placed->R, witness, x);
    trxi_mulv3_t(placed->R, outward, m);
    surface_motion(shape, parameter, x, m, point->sliding, local);
    trxi_mulv3(placed->R, local, u);
}

void trxi_parameters_shape(const trxi_solved *step, trxi_derivatives *deriv, trx_parameter parameter, double *r)
{
    const trx_model *model = step->in->model;
    const trxi_placed_shape placed = {&model->geoms[parameter.index].shape, step->geometry->R + 9 * parameter.index,
                                      step->geometry->p + 3 * parameter.index};
    int collided = -1;
    for (int i = 0; i < step->rows->ncontact; i++) {
        const trxi_meeting *pair = trxi_meeting_of(step->rows, &step->rows->origins[i]);
        const bool on_a = pair->geom_a == parameter.index, on_b = pair->geom_b == parameter.index;
        if ((!on_a && !on_b) || !trxi_contact_acts(&step->rows->contacts[i])) continue;
        const trxi_contact_point *point = trxi_contact_geometry(step, deriv, i, &collided);
        trxi_displacement motion = {.tree = false};
        trxi_block_tangent block;
        trxi_size_motion(&placed, parameter, point, on_a, motion.v);
        trxi_contact_tangent(step, i, point, &block);
        trxi_block_subtract_displaced(step, deriv, &block, on_a, &motion, r);
    }
}
