// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contact terms of dr/dq0 and dr/dv0 at fixed v (theory 6); twin of contact_rows.c. A contact fills the tangent of its rows
// (block_tangent.h) from its law and its geometry:
//
//     dphi = n . x, dn, da from the geometry           the one gap; dphi has more terms for a contact that slides along an edge
//     dgn0 = dt (f_phi dphi + f_v n . du(v0))          lagged normal impulse
//     dmu  = mu_rate v_t0 . du(v0)                     friction that falls with the slip speed before the step
//     dgamma = -G dv_c + gamma_phi dphi + gamma_gn0 dgn0 + gamma_mu dmu + gamma_w dw    [+ gamma_vn0 n . du(v0)]
//
// The last term belongs to laws that are evaluated between start and end of the step. The frame turns with n. With anisotropic
// friction, t1 follows an axis a fixed to body X; its turn about n is s_n = (t2 . (W_X x a) - (t2 . dn)(n . a)) / |a - n (n . a)|.
// Without an axis the turn of t1 counts for a pyramid of friction alone. With s = trxi_frame33_turn it is s . dn; in the axes of A,
// which turn by W_A, it is s . (dn - W_A x n) + n . W_A.
//
// Torsional and rolling friction of a contact is an angular block with the same geometry.

#include "step/block_tangent.h"
#include "step/contact_rows.h"

static const double zero[3] = {0};

static void fill_geometry(const trxi_row *row, const trxi_contact_point *g, trxi_block_tangent *block)
{
    block->witness = g->a;
    block->dn_dx = g->dn_dx, block->dn_dW = g->dn_dtheta;
    block->da_dx = g->da_dx, block->da_dW = g->da_dtheta;
    block->weight = row->phi_weight, block->phi = g->phi;
    block->ngap = 1;
    block->gap_x[0] = g->n, block->gap_W[0] = zero;
    if (!g->sliding) return;
    trxi_add3(g->n, g->dphi_dx, block->numbers[0]);
    block->gap_x[0] = block->numbers[0], block->gap_W[0] = g->dphi_dtheta;
}

// derivatives of the impulses by the gap and by the velocities before the step
static void fill_impulses(const trxi_row_block *c, const trxi_row *row, const trxi_law_partials *d, trxi_block_tangent *block)
{
    trxi_copy3(d->phi, block->impulse_gap[0]);
    block->nstart = 0;
    if (c->contact.branch0 || trxi_contact_sees_before(&c->contact)) {
        trxi_axpy3(c->contact.gn0_phi, d->gn0, block->impulse_gap[0]);
        trxi_copy3(d->vn0, block->impulse_start[0]);
        trxi_axpy3(c->contact.gn0_v, d->gn0, block->impulse_start[0]);
        block->velocity_start[0] = row->F + 6;
        block->nstart = 1;
    }
    if (row->mu_rate == 0) return;
    const double slip[3] = {row->mu_rate * row->vt0[0], row->mu_rate * row->vt0[1], 0};
    trxi_mulv3(row->F, slip, block->numbers[1]);
    trxi_copy3(d->mu, block->impulse_start[block->nstart]);
    block->velocity_start[block->nstart++] = block->numbers[1];
}

// the turn of the standard frame about n; for a frame that turns with A, in the axes of A
static void fill_standard_turn(const trxi_row *row, trxi_block_tangent *block)
{
    const double *n = row->F + 6, *R = row->turns_with;
    trxi_copy3(zero, block->spin_W[0]);
    trxi_copy3(zero, block->spin_W[1]);
    if (!R) {
        trxi_frame33_turn(n, block->spin_n);
        return;
    }
    double inside[3], turn[3];
    trxi_mulv3_t(R, n, inside);
    trxi_frame33_turn(inside, turn);
    trxi_mulv3(R, turn, block->spin_n);
    trxi_cross3(n, block->spin_n, block->spin_W[0]);
    trxi_sub3(block->spin_W[0], n, block->spin_W[0]);
}

// fills the turn of the frame about n, for an axis of friction or a law that depends on the turn
static void fill_axis(const trxi_row_block *c, const trxi_row *row, trxi_block_tangent *block)
{
    const double *t2 = row->F + 3, *n = row->F + 6;
    double by_turn[3];
    block->oriented = row->axis_sign != 0 || c->law->axes;
    if (!block->oriented) return;
    if (row->axis_sign == 0) {
        fill_standard_turn(row, block);
        return;
    }
    trxi_scale3(-trxi_dot3(n, row->axis) / row->axis_arm, t2, block->spin_n);
    trxi_cross3(row->axis, t2, by_turn);
    trxi_scale3(row->axis_sign < 0 ? -1 / row->axis_arm : 0, by_turn, block->spin_W[0]);
    trxi_scale3(row->axis_sign > 0 ? 1 / row->axis_arm : 0, by_turn, block->spin_W[1]);
}

// fills the skew part of the slope, for laws without a potential
static void fill_skew(const trxi_row_block *c, trxi_block_tangent *block)
{
    trxi_sym3 G;
    block->skewed = c->law->slope != NULL;
    if (block->skewed) c->law->slope(c, &G, block->skew);
}

// lists the numbers of W that the impulse depends on; returns how many
static int fill_mass(const trxi_row_block *c, const trxi_law_partials *d, trxi_mass_rows mass[TRXI_MASS_NUMBERS])
{
    const double *gamma[TRXI_MASS_NUMBERS] = {d->w, d->lean};
    int n = 0;
    if (!c->law->needs_mass) return 0;
    for (int k = 0; k < TRXI_MASS_NUMBERS; k++) {
        if (gamma[k][0] == 0 && gamma[k][1] == 0 && gamma[k][2] == 0) continue;
        mass[n] = (trxi_mass_rows){.n = 3, .ncol = c->ncol, .cols = c->cols, .J = c->J, .w = c->w, .leans = gamma[k] == d->lean};
        trxi_copy3(gamma[k], mass[n].gamma_w);
        trxi_copy3(d->h, mass[n++].h);
    }
    return n;
}

void trxi_contact_tangent(const trxi_solved *step, int contact, const trxi_contact_point *point, trxi_block_tangent *block)
{
    const trxi_row_block *c = &step->rows->contacts[contact];
    const trxi_row *row = &step->rows->origins[contact];
    trxi_law_partials partials;
    trxi_row_partials(c, &step->in->law, &partials);
    block->columns = &trxi_meeting_of(step->rows, row)->columns, block->cols = c->cols;
    block->angular = c->law->angular;
    block->p = row->p, block->F = row->F;
    block->gamma = c->at.gamma, block->G = &c->at.G;
    fill_skew(c, block);
    fill_geometry(row, point, block);
    fill_impulses(c, row, &partials, block);
    fill_axis(c, row, block);
    trxi_step_bias(step->in, step->smooth, step->geometry, trxi_meeting_of(step->rows, row), row->p, &block->bias);
    block->nmass = fill_mass(c, &partials, block->mass);
}

int trxi_contact_mass_rows(const trxi_solved *step, int contact, trxi_mass_rows *rows)
{
    const trxi_row_block *c = &step->rows->contacts[contact];
    trxi_law_partials partials;
    trxi_row_partials(c, &step->in->law, &partials);
    return fill_mass(c, &partials, rows);
}

const trxi_contact_point *trxi_contact_geometry(const trxi_solved *step, trxi_derivatives *deriv, int contact, int *collided)
{
    const trxi_row *row = &step->rows->origins[contact];
    if (row->meeting != *collided) {
        *collided = row->meeting;
        const trxi_meeting *meeting = trxi_meeting_of(step->rows, row);
        const trxi_placed_shape *A = &step->geometry->shapes[meeting->geom_a], *B = &step->geometry->shapes[meeting->geom_b];
        trxi_collide_piece(A, B, meeting->piece, meeting->margin, true, deriv->points);
    }
    return &deriv->points[row->point % TRXI_MAX_CONTACT_POINTS];
}

void trxi_step_contact_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out)
{
    int collided = -1;
    for (int i = 0; i < step->rows->ncontact; i++) {
        if (!trxi_contact_acts(&step->rows->contacts[i])) continue;
        trxi_block_tangent block;
        trxi_contact_tangent(step, i, trxi_contact_geometry(step, deriv, i, &collided), &block);
        trxi_block_subtract(step, deriv, &block, out);
    }
}

void trxi_step_contact_motion(const trxi_solved *step, trxi_derivatives *deriv, int contact, double *motion)
{
    int collided = -1;
    trxi_block_tangent block;
    trxi_contact_tangent(step, contact, trxi_contact_geometry(step, deriv, contact, &collided), &block);
    trxi_block_motion(step, deriv, &block, motion);
}
