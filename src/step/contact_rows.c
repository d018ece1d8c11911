// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Rows of the convex problem from the configuration at the start of the step (theory 1, 4).
//
// Geometry: shapes are placed and pairs within their margin are collided. Every point gives one contact with the point p
// = a + b phi n with b = k_B/(k_A + k_B), the frame F = [t1 t2 n] and J = F^T (J_B(p) - J_A(p)). Dofs above
// both sides cancel in J and are left out. They also cancel in the derivatives.
//
// Prescribed motions and surface velocities add b to v_c = J v + b (motion.c).
//
// Laws: the lagged impulse gn0 = dt f(phi0, v_n0) is a function of the state before the step. If a law needs the
// effective inverse mass, w = |W|_F / 3 with W = J A^-1 J^T. The law computes its own constants from these.

#include "step/contact_rows.h"
#include "step/inverse_mass.h"
#include "step/motion.h"
#include "step/smooth.h"

#include "math/dense.h"

#include <string.h>

// computes the world poses of all moving geometries
static void place_geometry(const trxi_input *in, const trxi_smooth *smooth, trxi_placed_geometry *geometry)
{
    const trx_model *model = in->model;
    for (int g = 0; g < model->ngeom; g++) {
        const trxi_geom *geom = &model->geoms[g];
        if ((geom->link < 0 && geom->prescribed < 0) || !geom->collide) continue;
        trxi_kinematics_place(&smooth->kin, geom->link, geom->prescribed, geom->R_LG, geom->p_LG, geometry->R + 9 * g,
                              geometry->p + 3 * g);
    }
}

// speed of the fastest point of a geometry's bounding sphere for the link velocities V. With prescribed motion: half of the bound
// for two steps, because the caller adds two speeds
static double geometry_speed(const trxi_input *in, const trxi_smooth *smooth, const trxi_placed_geometry *geometry, int g,
                             const double *V)
{
    const trxi_geom *geom = &in->model->geoms[g];
    if (geom->link < 0) return 0.5 * trxi_step_motion_speed(in, geometry, g);
    const double *velocity = V + 6 * geom->link;
    double arm[3], u[3];
    trxi_sub3(geometry->p + 3 * g, smooth->kin.c + 3 * geom->tree, arm);
    trxi_velocity_at(velocity, arm, u);
    double radius = isfinite(geom->radius) ? geom->radius : 0;
    return trxi_norm3(u) + radius * trxi_norm3(velocity);
}

// twice the distance that each geometry can travel within the step at the velocities before and after the smooth
// forces (theory 1)
static void choose_travel(const trxi_input *in, const trxi_smooth *smooth, trxi_placed_geometry *geometry)
{
    const double dt = in->settings.time_step, factor = isnan(in->settings.margin) ? 2 * dt : 0;
    for (int g = 0; g < in->model->ngeom; g++) {
        const double before = geometry_speed(in, smooth, geometry, g, smooth->rnea.V);
        geometry->travel[g] = factor * (before + geometry_speed(in, smooth, geometry, g, smooth->V1));
    }
}

static void side_jacobian(const trxi_input *in, const trxi_smooth *smooth, const trxi_pair_side *side, const double p[3],
                          const double F[9], double *J)
{
    if (side->count == 0) return;
    double arm[3], column[3];
    trxi_sub3(p, smooth->kin.c + 3 * in->model->links[side->link].tree, arm);
    for (int i = 0; i < side->count; i++) {
        trxi_velocity_at(smooth->kin.S + 6 * side->dofs[i], arm, column);
        double *out = J + 3 * (side->offset + i);
        trxi_mulv3_t(F, column, out);
        trxi_scale3(side->sign, out, out);
    }
}

// where in the step the law is evaluated: at its end, or where the scheme evaluates smooth forces
static trxi_between place_between(const trxi_input *in)
{
    const double dt = in->settings.time_step, th = in->th, th_vq = in->th_vq;
    if (!in->settings.contact_midpoint) return (trxi_between){.ahead = dt, .rate = 1};
    return (trxi_between){dt * th * th_vq, dt * th * (1 - th_vq), th, 1 - th};
}

// computes the constants of the law; returns false when the contact cannot act because nothing can move along it
static bool prepare_law(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, trxi_row_block *c, trxi_row *row)
{
    const double dt = in->settings.time_step;
    const trxi_force force = trxi_force_law(c->contact.material, c->phi0, c->contact.v_n0);
    c->contact.gn0 = dt * force.f, c->contact.gn0_phi = dt * force.f_phi, c->contact.gn0_v = dt * force.f_v;
    c->contact.branch0 = force.branch;
    c->contact.between = place_between(in);
    trxi_step_friction(&c->contact, row);
    c->w = c->law->needs_mass ? trxi_step_inverse_mass(in, smooth, rows, c->cols, c->ncol, c->J, 3) : 0;
    if (c->law->needs_mass && !(c->w > 0)) return false;
    c->law->prepare(c, &in->law);
    return true;
}

static void add_contact(const trxi_input *in, const trxi_smooth *smooth, const trxi_placed_geometry *geometry, trxi_rows *rows,
                        const trxi_meeting *meeting, int number, const trxi_contact_point *point)
{
    const trxi_pair_columns *columns = &meeting->columns;
    const int index = rows->ncontact;
    trxi_row_block *c = &rows->contacts[index];
    trxi_row *row = &rows->origins[index];
    row->pair = meeting->pair;
    row->point = number + (meeting->piece > 0 ? meeting->piece * TRXI_MAX_CONTACT_POINTS : 0);
    row->meeting = (int)(meeting - rows->meetings);
    row->tie = point->tie, row->feature = point->feature;
    row->phi_weight = meeting->weight_b;
    trxi_copy3(point->a, row->p);
    trxi_axpy3(row->phi_weight * point->phi, point->n, row->p);
    trxi_copy3(point->n, row->F + 6);
    trxi_step_friction_frame(in, smooth, geometry, meeting, row);

    double *J = rows->J + (size_t)3 * (size_t)rows->ncolumn;
    for (int s = 0; s < 2; s++) side_jacobian(in, smooth, &columns->side[s], row->p, row->F, J);
    trxi_bias bias;
    double v0[3];
    trxi_step_bias(in, smooth, geometry, meeting, row->p, &bias);
    trxi_bias_rows(&bias, row->F, c->bias, v0);
    c->law = in->contact_model->law ? in->contact_model->law : trxi_law_of(meeting->law->approximation);
    c->contact.material = meeting->law;
    c->n = 3;
    c->phi0 = point->phi;
    c->ncol = columns->ncol;
    c->cols = rows->meeting_cols + columns->first;
    c->J = J;
    for (int i = 0; i < c->ncol; i++) trxi_axpy3(in->v0[c->cols[i]], J + 3 * i, v0);
    row->vt0[0] = v0[0], row->vt0[1] = v0[1], c->contact.v_n0 = v0[2];
    if (!prepare_law(in, smooth, rows, c, row)) return;
    rows->ncontact++;
    rows->ncolumn += c->ncol;
    trxi_step_add_turn(in, smooth, rows, &bias);
}

// adds a pair with `count` contact points, and makes room for their rows
static trx_status add_meeting(const trxi_input *in, const trxi_pair_laws *laws, trxi_rows *rows, const trxi_candidate *near,
                              int count)
{
    const trx_model *model = in->model;
    const trxi_pair_kind *kind = &laws->kinds[near->kind];
    const int link_a = model->geoms[near->a].link, link_b = model->geoms[near->b].link;
    const int count_rows = trxi_law_turns(&kind->law) ? 2 * count : count, first = rows->ncolumn;
    trx_status status = trxi_rows_reserve(in->context, rows->ncontact + count_rows, first + count_rows * rows->max_cols, rows);
    if (status < 0) return status;

    // earlier pairs have at least as many columns of rows as dofs, so `first` is a free place for the dofs of this pair
    trxi_meeting *meeting = &rows->meetings[rows->nmeeting++];
    meeting->pair = near->pair, meeting->geom_a = near->a, meeting->geom_b = near->b, meeting->piece = near->piece;
    meeting->margin = near->margin, meeting->weight_b = kind->weight_b;
    meeting->law = &kind->law;
    trxi_pair_columns_of(model, link_a, link_b, rows->meeting_cols + first, &meeting->columns);
    meeting->columns.first = first;
    return TRX_OK;
}

trx_status trxi_step_contact_rows(const trxi_input *in, const trxi_pair_laws *laws, const trxi_smooth *smooth,
                                  trxi_placed_geometry *geometry, trxi_rows *rows)
{
    const trx_model *model = in->model;
    const trxi_pair_filter *filter = &geometry->filter;
    trxi_rows_clear(rows);
    if (model->npair == 0) return TRX_OK;
    trxi_step_motion(in, smooth, geometry);
    place_geometry(in, smooth, geometry);
    choose_travel(in, smooth, geometry);
    trx_status status = trxi_pair_filter_query(&geometry->filter, geometry->travel);
    for (int k = 0; k < filter->ncandidate && status >= 0; k++) {
        const trxi_candidate *near = &filter->candidates[k];
        const trxi_placed_shape *shapes = geometry->shapes;
        trxi_contact_point points[TRXI_MAX_CONTACT_POINTS];
        int count = trxi_collide_piece(&shapes[near->a], &shapes[near->b], near->piece, near->margin, false, points);
        if (count == 0) continue;
        if ((status = add_meeting(in, laws, rows, near, count)) < 0) return status;
        const int before = rows->ncontact;
        for (int i = 0; i < count; i++)
            add_contact(in, smooth, geometry, rows, &rows->meetings[rows->nmeeting - 1], i, &points[i]);

        // drop a pair whose contacts cannot act: there is room for one pair per contact
        if (rows->ncontact == before) rows->nmeeting--;
    }
    return status;
}
