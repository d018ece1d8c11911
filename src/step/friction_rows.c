// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Constants of friction in addition to the normal law (theory 4).
//
// Axis: for anisotropic friction t1 = normalized (a - n (n.a)), with the axis a fixed to one of the bodies. A normal
// along the axis leaves t1 undefined, and the step refuses it.
//
// Pyramid: t1 belongs to a standard frame about n. Between two links of one tree it is the standard frame in the axes of A's
// geometry, so that the pyramid turns with bodies that turn together.
//
// Slip before the step: mu = mu_d + (mu_s - mu_d) exp(-|v_t0|^2/v_s^2) is a function of the state before the step, as gn0 is.
//
// Turn: a separate block after the block of its point has the angular velocity of B relative to A in the frame, F^T (w_B - w_A).
//
// A barrier needs an open gap. A prescribed motion may close the gap within the step at the velocity v = 0, with which the solve
// begins. The solve then ends with an impulse that is not finite.

#include "step/contact_rows.h"

#include "contact/barrier.h"
#include "model/pair_law.h"

// an axis nearer than this to the normal has no direction in the tangent plane [1]
static const double shortest_arm = 1e-6;

// the frame about n with tangents that turn with the axes R
static void frame_in(const double R[9], const double n[3], double F[9])
{
    double inside[3], frame[9];
    trxi_mulv3_t(R, n, inside);
    trxi_frame33(inside, frame);
    for (int i = 0; i < 2; i++) trxi_mulv3(R, frame + 3 * i, F + 3 * i);
}

void trxi_step_friction_frame(const trxi_input *in, const trxi_smooth *smooth, const trxi_placed_geometry *geometry,
                              const trxi_meeting *meeting, trxi_row *row)
{
    const trx_model *model = in->model;
    const trx_pair_law *law = meeting->law;
    double *F = row->F, *n = F + 6;
    row->axis_sign = 0;
    row->axis_arm = 1;
    row->turns_with = NULL;
    trxi_frame33(n, F);
    const int a = model->geoms[meeting->geom_a].link, b = model->geoms[meeting->geom_b].link;
    const bool turn_together = a >= 0 && b >= 0 && model->links[a].tree == model->links[b].tree;
    if (in->contact_model->law && in->contact_model->law->axes && turn_together) {
        row->turns_with = geometry->shapes[meeting->geom_a].R;
        frame_in(row->turns_with, n, F);
    }
    if (!trxi_pair_law_anisotropic(law)) return;

    const trxi_geom *geom = &model->geoms[law->axis_on_b ? meeting->geom_b : meeting->geom_a];
    const trxi_body *body = &model->bodies[geom->body];
    double in_link[3];
    trxi_mulv3(body->R_LB, law->axis, in_link);
    if (geom->link >= 0) trxi_mulv3(smooth->kin.R + 9 * geom->link, in_link, row->axis);
    else if (geom->prescribed >= 0) trxi_mulv3(smooth->kin.prescribed_R + 9 * geom->prescribed, in_link, row->axis);
    else trxi_copy3(in_link, row->axis);
    trxi_scale3(1 / trxi_norm3(law->axis), row->axis, row->axis);
    row->axis_sign = law->axis_on_b ? 1 : -1;

    double t[3];
    trxi_copy3(row->axis, t);
    trxi_axpy3(-trxi_dot3(n, row->axis), n, t);
    row->axis_arm = trxi_norm3(t);
    if (!(row->axis_arm > shortest_arm)) return;
    trxi_scale3(1 / row->axis_arm, t, F);
    trxi_cross3(n, F, F + 3);
}

void trxi_step_friction(trxi_contact *c, trxi_row *row)
{
    const trx_pair_law *law = c->material;
    row->mu_rate = 0;
    trxi_contact_friction(c, law->slip_speed > 0 ? hypot(row->vt0[0], row->vt0[1]) : 0);
    if (!(law->slip_speed > 0)) return;
    double square = law->slip_speed * law->slip_speed;
    row->mu_rate = -2 * (law->friction - law->dynamic_friction) / c->stretch * c->share / square;
}

// fills the columns F^T w of one side, with its sign
static void side_spin(const trxi_smooth *smooth, const trxi_pair_side *side, const double F[9], double *J)
{
    for (int i = 0; i < side->count; i++) {
        double *out = J + 3 * (side->offset + i);
        trxi_mulv3_t(F, smooth->kin.S + 6 * side->dofs[i], out);
        trxi_scale3(side->sign, out, out);
    }
}

void trxi_step_add_turn(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, const trxi_bias *bias)
{
    const int index = rows->ncontact;
    const trxi_row_block *point = &rows->contacts[index - 1];
    if (!trxi_law_turns(point->contact.material)) return;
    trxi_row_block *c = &rows->contacts[index];
    trxi_row *row = &rows->origins[index];
    const trxi_pair_columns *columns = &trxi_meeting_of(rows, &rows->origins[index - 1])->columns;
    double *J = rows->J + (size_t)3 * (size_t)rows->ncolumn;
    *c = *point;
    *row = rows->origins[index - 1];
    c->law = &trxi_turn;
    c->law->prepare(c, &in->law);
    c->J = J;
    if (bias->any) trxi_mulv3_t(row->F, bias->spin, c->bias);
    else trxi_zero3(c->bias);
    for (int s = 0; s < 2; s++) side_spin(smooth, &columns->side[s], row->F, J);
    rows->ncontact++;
    rows->ncolumn += c->ncol;
}

static trx_status fail(const trxi_input *in, const trxi_rows *rows, const trxi_row *row, trx_status status, const char *what,
                       double phi, double v)
{
    const trxi_meeting *pair = trxi_meeting_of(rows, row);
    return trxi_fail(in->context, status, "%s|%s: %s (gap %.4g m, separation speed %.4g m/s)",
                     in->model->geoms[pair->geom_a].name, in->model->geoms[pair->geom_b].name, what, phi, v);
}

trx_status trxi_step_check_laws(const trxi_input *in, const trxi_rows *rows)
{
    for (int i = 0; i < rows->ncontact; i++) {
        const trxi_row_block *c = &rows->contacts[i];
        const trxi_row *row = &rows->origins[i];
        const bool rigid = in->contact_model->law != NULL;
        if (rigid && (c->law->angular || c->contact.stretch != 1))
            return fail(in, rows, row, TRX_ERR_UNSUPPORTED,
                        "torsional, rolling and anisotropic friction need the contact model convex", c->phi0, c->contact.v_n0);
        bool open = c->phi0 > 0 && trxi_contact_gap(&c->contact, c->phi0, 0) > 0;
        if (!rigid && trxi_law_is_barrier(c->contact.material) && !open)
            return fail(in, rows, row, TRX_ERR_INFEASIBLE, "a barrier needs an open gap before the step", c->phi0, c->contact.v_n0);
        if (!(row->axis_arm > shortest_arm))
            return fail(in, rows, row, TRX_ERR_ARGUMENT, "the axis of friction is along the normal of the contact", c->phi0,
                        c->contact.v_n0);
        if (trxi_normal_law_of(c->contact.material)->user && isnan(c->contact.gn0))
            return fail(in, rows, row, TRX_ERR_LAW, "the user law is negative, grows or is not finite", c->phi0, c->contact.v_n0);
    }
    return TRX_OK;
}

trx_status trxi_step_explain_not_finite(const trxi_input *in, const trxi_rows *rows)
{
    for (int i = 0; i < rows->ncontact; i++) {
        const trxi_row_block *c = &rows->contacts[i];
        const trxi_row *row = &rows->origins[i];
        const trxi_normal_law *law = trxi_normal_law_of(c->contact.material);
        if (c->law->angular || isfinite(c->at.gamma[2]) || !(law->user || law->barrier)) continue;
        double z = c->law->separation(c, c->at.v_c), phi = trxi_contact_gap_at(c, c->at.v_c);
        if (isfinite(law->force(c->contact.material, phi, trxi_contact_speed(&c->contact, z)).f)) continue;
        if (law->user) return fail(in, rows, row, TRX_ERR_LAW, "the user law is negative, grows or is not finite", phi, z);

        // v = 0 is outside the barrier only where a prescribed motion closes it
        bool closes = !(trxi_contact_gap_at(c, c->bias) > 0);
        if (closes)
            return fail(in, rows, row, TRX_ERR_INFEASIBLE, "a prescribed motion closes a barrier within the step", phi, z);
        return fail(in, rows, row, TRX_ERR_NOT_FINITE, "the solve came closer to a barrier than rounding resolves", phi, z);
    }
    return trxi_fail(in->context, TRX_ERR_NOT_FINITE, "the state and the controls are finite, but the step overflows");
}
