// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Residuals of cost terms and their derivatives (theory 7, rotation maps of theory 1).
//
// Joint terms are differences of coordinates: their Jacobian is a selection, written where it is used (term_expansion.c).
// A spatial term belongs to a frame F at p in link L. With the world columns of theory 6 at p,
// J_i = v_i + w_i x (p - c), and the link's velocity V = [w; v_c] about c:
//
//     position      r = p - p_d             dr = J dq
//     orientation   r = Log(R_d^T R)        dr = Jr^-1(r) R^T w_i dq_i          (increment R Exp(R^T w_i dq_i))
//     velocity      r = v_c + w x (p - c)   dr = J dv + (dv_c + dw x (p - c) + w x J) dq
//     spin          r = w                   dr = w_i dv_i + dw dq
//
// where dV = [dw; dv_c] is the derivative of the link's velocity at fixed v. O(path length) each. Distances and centres of
// mass belong to sets of geometries and bodies: cost_sets.c.

#include "trajopt/cost_sets.h"

#include "math/rotation.h"

#include <math.h>
#include <string.h>

void trxi_term_work_layout(trxi_arena *arena, const trx_model *model, int dense_dim, trxi_term_work *work)
{
    trxi_kinematics_layout(arena, model, &work->kin);
    work->V = TRXI_TAKE(arena, double, 6 * model->nlink);
    work->dV = TRXI_TAKE(arena, double, 6 * model->nv);
    work->J_q = TRXI_TAKE(arena, double, 3 * model->nv);
    work->J_v = TRXI_TAKE(arena, double, 3 * model->nv);
    work->either = TRXI_TAKE(arena, int, model->nv);
    work->subtree = TRXI_TAKE(arena, double, 4 * model->nlink);
    work->r_dense = TRXI_TAKE(arena, double, dense_dim);
    work->r_x = TRXI_TAKE(arena, double, dense_dim * model->ntangent);
    work->r_u = TRXI_TAKE(arena, double, dense_dim * model->nu);
}

void trxi_term_prepare(const trx_model *model, const double *x, trxi_term_work *work)
{
    trxi_kinematics_compute(model, x, &work->kin);
    trxi_link_velocities(model, &work->kin, x + model->nq, work->V);
}

// Log(R_d^T R), R_d from the target quaternion
static void orientation_error(const double R[9], const double target[4], double r[3])
{
    double R_d[9], relative[9], quat[4];
    trxi_quat_to_matrix(target, R_d);
    trxi_mul33_at(R_d, R, relative);
    trxi_quat_from_matrix(relative, quat);
    trxi_quat_log(quat, r);
}

// pose of the term's frame in the world
static void frame_pose(const trxi_term *term, const trxi_kinematics *kin, double R[9], double p[3])
{
    trxi_kinematics_place(kin, term->link, -1, term->R_LF, term->p_LF, R, p);
}

void trxi_point_velocity(const trx_model *model, const trxi_term_work *work, int link, const double p[3], double velocity[3],
                         double spin[3])
{
    trxi_zero3(velocity);
    trxi_zero3(spin);
    if (link < 0) return;
    const double *V = work->V + 6 * link;
    double arm[3];
    trxi_sub3(p, work->kin.c + 3 * model->links[link].tree, arm);
    trxi_copy3(V, spin);
    trxi_velocity_at(V, arm, velocity);
}

static void spatial_residual(const trx_model *model, const trxi_term *term, const trxi_term_work *work,
                             const double *target, double r[3])
{
    double R[9], p[3], velocity[3], spin[3];
    frame_pose(term, &work->kin, R, p);
    const trxi_frame_part part = trxi_frame_part_of(term->quantity);
    if (part == TRXI_FRAME_POSITION) trxi_sub3(p, target, r);
    if (part == TRXI_FRAME_ORIENTATION) orientation_error(R, target, r);
    if (part < TRXI_FRAME_VELOCITY) return;
    trxi_point_velocity(model, work, term->link, p, velocity, spin);
    trxi_sub3(part == TRXI_FRAME_VELOCITY ? velocity : spin, target, r);
}

// the function of the caller; the Jacobians may be NULL
static void call_user(const trxi_term *term, const trxi_term_work *work, const double *x, const double *u, double *r, double *r_x,
                      double *r_u)
{
    const trx_term_point at = {.knot = work->knot, .time = work->time, .x = x, .u = u};
    term->function(&at, r, r_x, r_u, term->user);
}

static void user_residual(const trxi_term *term, const trxi_term_work *work, const double *target, const double *x,
                          const double *u, double *r)
{
    call_user(term, work, x, u, r, NULL, NULL);
    for (int i = 0; i < term->dim; i++) r[i] -= target[i];
}

static void force_residual(const trxi_term_work *work, const trxi_term *term, const double *target, double r[3])
{
    if (!work->step) {
        r[0] = r[1] = r[2] = NAN; // the step failed
        return;
    }
    work->step->contact_force(work->step, term->signs, r);
    trxi_sub3(r, target, r);
}

void trxi_term_residual(const trx_model *model, const trxi_term *term, const trxi_term_work *work, const double *target,
                        const double *x, const double *u, double *r)
{
    const double *v = x + model->nq;
    switch (term->quantity) {
    case TRX_JOINT_POSITION:
        for (int i = 0; i < term->dim; i++) r[i] = x[term->q_index[i]] - target[i];
        return;
    case TRX_JOINT_VELOCITY:
        for (int i = 0; i < term->dim; i++) r[i] = v[term->v_index[i]] - target[i];
        return;
    case TRX_POSITION: trx_model_difference(model, x, target, r); return;
    case TRX_VELOCITY:
        for (int i = 0; i < term->dim; i++) r[i] = v[i] - target[i];
        return;
    case TRX_CONTROL:
        for (int i = 0; i < term->dim; i++) r[i] = u[i] - target[i];
        return;
    case TRX_CONTROL_RATE:
        for (int i = 0; i < term->dim; i++)
            r[i] = work->u_before ? (u[i] - work->u_before[i]) / work->time_step - target[i] : 0;
        return;
    case TRX_DISTANCE:
    case TRX_COM_POSITION:
    case TRX_COM_VELOCITY: trxi_set_residual(model, term, work, target, r); return;
    case TRX_USER: user_residual(term, work, target, x, u, r); return;
    case TRX_CONTACT_FORCE: force_residual(work, term, target, r); return;
    default: spatial_residual(model, term, work, target, r);
    }
}

// J_i at the arm p - c, for the dofs of the term: out (3 x ndof)
static void linear_columns(const trxi_term *term, const trxi_kinematics *kin, const double arm[3], double *out)
{
    for (int k = 0; k < term->ndof; k++) {
        const double *S = kin->S + 6 * term->dofs[k];
        trxi_velocity_at(S, arm, out + 3 * k);
    }
}

// rows Jr^-1(r) R^T w_i
static void orientation_columns(const trxi_term *term, const trxi_kinematics *kin, const double R[9], const double r[3],
                                double *out)
{
    double inverse[9], local[3];
    trxi_right_jacobian_inverse(r, inverse);
    for (int k = 0; k < term->ndof; k++) {
        trxi_mulv3_t(R, kin->S + 6 * term->dofs[k], local);
        trxi_mulv3(inverse, local, out + 3 * k);
    }
}

// J_v and J_q of the velocity of the point at `arm`
static void velocity_columns(const trxi_term *term, trxi_term_work *work, const double arm[3])
{
    const double *spin = work->V + 6 * term->link;
    linear_columns(term, &work->kin, arm, work->J_v);
    for (int k = 0; k < term->ndof; k++) {
        const double *dV = work->dV + 6 * k;
        double *out = work->J_q + 3 * k;
        trxi_velocity_at(dV, arm, out);
        trxi_cross_add3(spin, work->J_v + 3 * k, out);
    }
}

void trxi_term_spatial_jacobian(const trx_model *model, const trxi_term *term, trxi_term_work *work, const double *r)
{
    work->dofs = term->dofs;
    work->ndof = term->ndof;
    const bool of_sets = trxi_quantity_is(term->quantity, TRXI_OF_SETS);
    if (of_sets) trxi_set_jacobian(model, term, work);
    if (of_sets || term->link < 0) return;
    double R[9], p[3], arm[3];
    frame_pose(term, &work->kin, R, p);
    trxi_sub3(p, work->kin.c + 3 * model->links[term->link].tree, arm);

    const trxi_frame_part part = trxi_frame_part_of(term->quantity);
    if (part == TRXI_FRAME_POSITION) linear_columns(term, &work->kin, arm, work->J_q);
    if (part == TRXI_FRAME_ORIENTATION) orientation_columns(term, &work->kin, R, r, work->J_q);
    if (part < TRXI_FRAME_VELOCITY) return;
    trxi_link_velocity_dq(model, &work->kin, work->V, term->link, work->dV);
    if (part == TRXI_FRAME_VELOCITY) {
        velocity_columns(term, work, arm);
        return;
    }
    for (int k = 0; k < term->ndof; k++) {
        trxi_copy3(work->kin.S + 6 * term->dofs[k], work->J_v + 3 * k);
        trxi_copy3(work->dV + 6 * k, work->J_q + 3 * k);
    }
}

void trxi_term_dense_jacobian(const trx_model *model, const trxi_term *term, trxi_term_work *work, const double *x,
                              const double *u)
{
    const size_t dim = (size_t)term->dim;
    memset(work->r_x, 0, dim * (size_t)model->ntangent * sizeof(double));
    if (u) memset(work->r_u, 0, dim * (size_t)model->nu * sizeof(double));
    if (term->quantity == TRX_USER) call_user(term, work, x, u, work->r_dense, work->r_x, u ? work->r_u : NULL);
    else if (work->step) work->step->contact_force_jac(work->step, term->signs, work->A, work->B, work->r_x, work->r_u);
}
