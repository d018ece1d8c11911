// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivative of the cost of a knot with respect to parameters at fixed x (theory 7): dl/dtheta = s sum w rho'(r)
// dr/dtheta, s = dt or 1. For a pose parameter, u(x), w is the rigid displacement of everything that the fixed body carries.
// p is the centre of mass of bodies with the mass M:
//
//     pose         position u(p), orientation Jr^-1(r) R^T w, velocity w x velocity, spin w x spin of a carried frame
//                  centre of mass: the same displacement of the carried bodies, times their shares of M
//     mass, com    dp = (p_b - p)/M, (m_b/M) R_b e_i; of the velocity (v_b - v)/M, (m_b/M) W_b x R_b e_i
//     distance     n . x + dphi_dx . x + dphi_dtheta . theta of the closest pair, x and theta = +-(u(a), w), of a size +-dx/ds
//
// O(terms) per parameter.

#include "trajopt/cost_parameters.h"

#include "math/rotation.h"
#include "model/place.h"
#include "step/parameters.h"
#include "dynamics/distance.h"
#include "trajopt/norm.h"
#include "trajopt/term.h"

#include <assert.h>
#include <string.h>

static bool is_place(trx_parameter_kind kind)
{
    return kind == TRX_PLACE_POSITION || kind == TRX_PLACE_TURN;
}

static bool is_mass(trx_parameter_kind kind)
{
    return kind == TRX_BODY_MASS || kind == TRX_BODY_COM;
}

static bool is_size(trx_parameter_kind kind)
{
    return kind >= TRX_GEOM_SIZE && kind <= TRX_GEOM_ROUNDING;
}

// returns whether parameters of a kind can change a term at fixed x
static bool sees(const trxi_term *term, trx_parameter_kind kind)
{
    if (is_place(kind)) return trxi_quantity_is(term->quantity, TRXI_SPATIAL);
    return (is_mass(kind) && trxi_quantity_is(term->quantity, TRXI_OF_BODIES)) || (is_size(kind) && term->quantity == TRX_DISTANCE);
}

bool trxi_cost_sees(const trxi_cost *cost, trx_parameter parameter)
{
    for (int i = 0; i < cost->nterm; i++)
        if (sees(&cost->terms[i], parameter.kind)) return true;
    return false;
}

// one parameter at one state; for a pose also the displacement
typedef struct change {
    const trx_model *model;
    const trxi_term_work *work;
    trx_parameter p;
    trxi_displacement motion;
} change;

// ---- bodies and frames ----

static void frame_change(const change *c, const trxi_term *term, const double *r, double dr[3])
{
    double R[9], p[3], velocity[3], spin[3], local[3], inverse[9];
    if (!trxi_place_carries(c->model, c->p.index, term->body, term->link)) return;
    trxi_kinematics_place(&c->work->kin, term->link, -1, term->R_LF, term->p_LF, R, p);
    const trxi_frame_part part = trxi_frame_part_of(term->quantity);
    if (part == TRXI_FRAME_POSITION) trxi_displace(&c->motion, p, dr);
    if (part == TRXI_FRAME_ORIENTATION) {
        trxi_right_jacobian_inverse(r, inverse);
        trxi_mulv3_t(R, c->motion.w, local);
        trxi_mulv3(inverse, local, dr);
    }
    if (part < TRXI_FRAME_VELOCITY) return;
    trxi_point_velocity(c->model, c->work, term->link, p, velocity, spin);
    trxi_cross3(c->motion.w, part == TRXI_FRAME_VELOCITY ? velocity : spin, dr);
}

// ---- centres of mass ----

// adds the effect of one body of the set; `at` is the centre of mass of the set, or its velocity
static void body_change(const change *c, int index, bool rate, double mass, const double at[3], double dr[3])
{
    const trxi_body *body = &c->model->bodies[index];
    const trx_body_inertia *inertia = &c->model->inertias[index];
    double R[9], p[3], com[3], velocity[3], spin[3], moved[3] = {0, 0, 0};
    trxi_kinematics_place(&c->work->kin, body->link, -1, body->R_LB, body->p_LB, R, p);
    trxi_mulv3(R, inertia->com, com);
    trxi_add3(com, p, com);
    if (rate) trxi_point_velocity(c->model, c->work, body->link, com, velocity, spin);
    if (is_place(c->p.kind)) {
        if (!trxi_place_carries(c->model, c->p.index, index, body->link)) return;
        if (rate) trxi_cross3(c->motion.w, velocity, moved);
        else trxi_displace(&c->motion, com, moved);
        trxi_axpy3(inertia->mass / mass, moved, dr);
    } else if (c->p.index != index) {
        return;
    } else if (c->p.kind == TRX_BODY_MASS) {
        trxi_sub3(rate ? velocity : com, at, moved);
        trxi_axpy3(1 / mass, moved, dr);
    } else {
        if (rate) trxi_cross3(spin, R + 3 * c->p.component, moved);
        else trxi_copy3(R + 3 * c->p.component, moved);
        trxi_axpy3(inertia->mass / mass, moved, dr);
    }
}

static void com_change(const change *c, const trxi_term *term, const double *target, const double *r, double dr[3])
{
    double mass = 0, at[3];
    for (int i = 0; i < term->nbody; i++) mass += c->model->inertias[term->bodies[i]].mass;
    trxi_add3(r, target, at);
    for (int i = 0; i < term->nbody; i++)
        body_change(c, term->bodies[i], term->quantity == TRX_COM_VELOCITY, mass, at, dr);
}

// ---- distances ----

// displacement of the side with the geometry `index` at the witness point; false without a displacement
static bool side_motion(const change *c, const trxi_gap *gap, int index, bool on_a, double u[3], double w[3])
{
    const trxi_geom *geom = &c->model->geoms[index];
    trxi_zero3(w);
    if (is_place(c->p.kind)) {
        trxi_displace(&c->motion, gap->point.a, u);
        trxi_copy3(c->motion.w, w);
        return trxi_place_carries(c->model, c->p.index, geom->body, geom->link);
    }
    if (c->p.index != index) return false;
    double R[9], p[3];
    trxi_kinematics_place(&c->work->kin, geom->link, geom->prescribed, geom->R_LG, geom->p_LG, R, p);
    const trxi_placed_shape placed = {&geom->shape, R, p};
    trxi_size_motion(&placed, c->p, &gap->point, on_a, u);
    return true;
}

static double distance_change(const change *c, const trxi_term *term)
{
    const trxi_gap gap = trxi_sets_closest(c->model, &c->work->kin, term->set, term->nset, term->other, term->nother, true);
    const trxi_contact_point *g = &gap.point;
    double slope = 0, u[3], w[3];
    if (gap.geom_a < 0) return 0;
    for (int side = 0; side < 2; side++) {
        if (!side_motion(c, &gap, side ? gap.geom_b : gap.geom_a, side == 0, u, w)) continue;
        double along = trxi_dot3(g->n, u);
        if (g->sliding) along += trxi_dot3(g->dphi_dx, u) + trxi_dot3(g->dphi_dtheta, w);
        slope += side ? along : -along;
    }
    return slope;
}

// ---- all terms ----

static void term_change(const change *c, const trxi_term *term, const double *target, const double *r, double dr[3])
{
    trxi_zero3(dr);
    if (term->quantity == TRX_DISTANCE) dr[0] = distance_change(c, term);
    else if (trxi_quantity_is(term->quantity, TRXI_OF_BODIES)) com_change(c, term, target, r, dr);
    else frame_change(c, term, r, dr);
}

void trxi_cost_parameters(trxi_cost *cost, int knot, const double *x, const trx_parameter *parameters, int count, double *grad)
{
    const trx_model *model = cost->model;
    const double scale = knot < cost->steps ? cost->time_step : 1;
    trxi_cost_prepare(cost, knot, x);
    for (int i = 0; i < cost->nterm; i++) {
        const trxi_term *term = &cost->terms[i];
        if (!trxi_quantity_is(term->quantity, TRXI_SPATIAL) || !trxi_cost_is_active(cost, term, knot)) continue;
        const double *target = trxi_term_target(term, knot), *weight = trxi_term_weight(term, knot);
        trxi_term_residual(model, term, &cost->work, target, x, NULL, cost->residual);
        for (int k = 0; k < count; k++) {
            if (!sees(term, parameters[k].kind)) continue;
            change c = {.model = model, .work = &cost->work, .p = parameters[k]};
            double dr[3];
            if (is_place(c.p.kind)) c.motion = trxi_place_displacement(model, model, c.p);
            term_change(&c, term, target, cost->residual, dr);
            assert(term->dim <= 3);
            for (int a = 0; a < term->dim; a++) {
                const double r = cost->residual[a];
                grad[k] += trxi_norm_curvature(term->norm, term->norm_scale, scale * weight[a], r) * r * dr[a];
            }
        }
    }
}
