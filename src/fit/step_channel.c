// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Channels of steps (theory 10); see step_channel.h.
//
//     forces           y = impulse of the step / dt                              dy = y_x S + y_theta dtheta/dz
//     accelerometers   y = (R_0 + R_1)^T (a - g) / 2,   a = (u_1 - u_0)/dt        u: velocity of the point, R: its axes
//                      dR^T b = R^T (b x w),   w = J_w dq
//
// y_x and y_theta of forces include the effect through the velocity at the end of the step (step/forces.h).
// 0 and 1 are the ends of the step. O(nv n) for each channel and step.

#include "fit/step_channel.h"

#include "fit/channel.h"
#include "math/dense.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "step/forces.h"

#include <string.h>

// +1: the second geometry is on body `other`, the first on body `index`; -1: the other way round
static signed char sign_of(const trx_model *model, const trx_fit_channel *c, int pair)
{
    const trx_pair_info info = trx_model_pair(model, pair);
    const int a = trx_model_geom(model, info.geom_a).body, b = trx_model_geom(model, info.geom_b).body;
    return (signed char)((a == c->index && b == c->other) - (a == c->other && b == c->index));
}

bool trxi_step_channel_exists(const trx_model *model, const trx_fit_channel *c)
{
    if (c->kind == TRX_FIT_JOINT_FORCE) return trx_model_joint(model, c->index).nv == 1;
    bool found = c->kind != TRX_FIT_CONTACT_FORCE;
    for (int i = 0; i < trx_model_get_size(model).npair && !found; i++) found = sign_of(model, c, i) != 0;
    return found;
}

static bool counts(const trx_fit_problem *problem, int channel)
{
    const trx_fit_channel *c = &problem->channels[channel];
    return trxi_channel_is_of_step(c->kind) && !problem->groups[c->group].ignored;
}

void trxi_step_channels_layout(trxi_arena *arena, const trx_fit_problem *problem, int kept, int n, int np, trxi_step_channels *s)
{
    const trx_model_size size = trx_model_get_size(problem->model);
    s->count = 0;
    for (int i = 0; i < problem->nchannel; i++) s->count += counts(problem, i);
    const size_t some = s->count > 0, steps = (size_t)kept * (size_t)s->count;
    s->of = TRXI_TAKE(arena, int, problem->nchannel + 1);
    s->channels = TRXI_TAKE(arena, int, s->count + 1);
    s->signs = TRXI_TAKE(arena, signed char, s->count * size.npair + 1);
    s->y = TRXI_TAKE(arena, double, steps + 1);
    s->rows = TRXI_TAKE(arena, double, steps * (size_t)n + 1);
    s->by_x = TRXI_TAKE(arena, double, some * 6 * (size_t)size.ntangent + 1);
    s->by_p = TRXI_TAKE(arena, double, some * 3 * (size_t)problem->nparameter + 1);
    s->by_z = TRXI_TAKE(arena, double, some * 3 * (size_t)np + 1);
    s->J = TRXI_TAKE(arena, double, some * 6 * (size_t)size.nv + 1);
    s->dV = TRXI_TAKE(arena, double, some * 6 * (size_t)size.nv + 1);
}

void trxi_step_channels_begin(const trx_fit_problem *problem, int n, trxi_step_channels *s)
{
    const int npair = trx_model_get_size(problem->model).npair;
    s->n = n;
    for (int i = 0, k = 0; i < problem->nchannel; i++) {
        const trx_fit_channel *c = &problem->channels[i];
        s->of[i] = counts(problem, i) ? k : -1;
        if (s->of[i] < 0) continue;
        s->channels[k] = i;
        for (int p = 0; p < npair; p++) s->signs[k * npair + p] = c->kind == TRX_FIT_CONTACT_FORCE ? sign_of(problem->model, c,
                                                                                                             p) : 0;
        k++;
    }
}

// ---- accelerometers ----

// the point at one end of a step: its velocity u and its axes R
typedef struct end {
    double u[3], R[9];
} end;

// fills `e` at the end (`next`) or the start of the step, J of s, and with `derivatives` also dV of s
static trx_status look(const trxi_step_seen *seen, const trx_fit_channel *c, bool next, trxi_step_channels *s,
                       bool derivatives, end *e)
{
    const double *x = next ? seen->x_next : seen->x;
    const int nq = trx_model_get_size(trx_sim_model(seen->sim)).nq;
    const bool body = c->kind == TRX_FIT_BODY_ACCELERATION;
    trx_placement at;
    trx_status status = trx_kinematics_update(seen->kinematics, x, x + nq, next ? seen->time_next : seen->time);
    if (status < 0) return status;
    if (body) trx_kinematics_body(seen->kinematics, c->index, &at, s->J);
    else trx_kinematics_frame(seen->kinematics, c->index, &at, s->J);
    if (derivatives && body) trx_kinematics_body_velocity_dq(seen->kinematics, c->index, s->dV);
    else if (derivatives) trx_kinematics_frame_velocity_dq(seen->kinematics, c->index, s->dV);
    trxi_quat_to_matrix(at.pose.quat, e->R);
    trxi_copy3(at.velocity + 3, e->u);
    return TRX_OK;
}

// the row of x at one end: `mean` (3) is the axis (R_0 + R_1) e / 2 of the component, b = a - g
static void acceleration_row(const trxi_step_channels *s, int nv, const end *e, int component, const double mean[3],
                             const double b[3], double rate, double *row)
{
    const double *axis = e->R + 3 * component;
    for (int j = 0; j < nv; j++) {
        double turned[3];
        trxi_cross3(b, s->J + 6 * j, turned);
        row[j] = 0.5 * trxi_dot3(axis, turned) + rate * trxi_dot3(mean, s->dV + 6 * j + 3);
        row[nv + j] = rate * trxi_dot3(mean, s->J + 6 * j + 3);
    }
}

// fills by_x (2 ntangent: derivatives of y by x and by x_next) and by_p (nlist: derivatives by the parameters of the list)
static trx_status take_acceleration(const trxi_step_seen *seen, const trx_fit_channel *c, bool derivatives, trxi_step_channels *s,
                                    double *y)
{
    const trx_model *model = trx_sim_model(seen->sim);
    const int nv = trx_model_get_size(model).nv, nx = trx_model_get_size(model).ntangent;
    const double rate = 1 / trx_sim_get_settings(seen->sim).time_step;
    double gravity[3], b[3], mean[3];
    end first, last;
    trx_status status = look(seen, c, false, s, false, &first);
    if (status >= 0) status = look(seen, c, true, s, derivatives, &last);
    if (status < 0) return status;
    trx_model_gravity(model, gravity);
    for (int i = 0; i < 3; i++) {
        b[i] = rate * (last.u[i] - first.u[i]) - gravity[i];
        mean[i] = 0.5 * (first.R[3 * c->component + i] + last.R[3 * c->component + i]);
    }
    *y = trxi_dot3(mean, b);
    if (!derivatives) return TRX_OK;
    memset(s->by_x, 0, 2 * (size_t)nx * sizeof *s->by_x);
    acceleration_row(s, nv, &last, c->component, mean, b, rate, s->by_x + nx);
    status = look(seen, c, false, s, true, &first);
    acceleration_row(s, nv, &first, c->component, mean, b, -rate, s->by_x);
    for (int k = 0; k < seen->nlist; k++) s->by_p[k] = seen->list[k].kind == TRX_GRAVITY ? -mean[seen->list[k].component] : 0;
    return status;
}

// ---- forces ----

static trx_status take_joint(const trxi_step_seen *seen, const trx_fit_channel *c, bool derivatives, trxi_step_channels *s,
                             double *y)
{
    const trxi_joint_force of = {c->kind == TRX_FIT_ACTUATOR_FORCE, c->index};
    const size_t nx = (size_t)trx_model_get_size(trx_sim_model(seen->sim)).ntangent;
    *y = trxi_step_joint_force(seen->sim, of);
    if (!derivatives) return TRX_OK;
    memset(s->by_x, 0, 2 * nx * sizeof *s->by_x);
    memset(s->by_p, 0, (size_t)seen->nlist * sizeof *s->by_p);
    if (seen->C) trxi_step_joint_force_parameters(seen->sim, of, seen->list, seen->nlist, seen->C, s->by_p);
    return trxi_step_joint_force_jac(seen->sim, of, seen->A, NULL, s->by_x, NULL);
}

// moves row `component` of a matrix with 3 rows to the front of its memory
static void pick(double *M, int component, size_t columns)
{
    for (size_t j = 0; j < columns; j++) M[j] = M[3 * j + (size_t)component];
}

static trx_status take_contact(const trxi_step_seen *seen, const trx_fit_channel *c, const signed char *signs, bool derivatives,
                               trxi_step_channels *s, double *y)
{
    const size_t nx = (size_t)trx_model_get_size(trx_sim_model(seen->sim)).ntangent, nlist = (size_t)seen->nlist;
    double force[3];
    trxi_step_contact_force(seen->sim, signs, force);
    *y = force[c->component];
    if (!derivatives) return TRX_OK;
    memset(s->by_x, 0, 6 * nx * sizeof *s->by_x);
    memset(s->by_p, 0, 3 * nlist * sizeof *s->by_p);
    if (seen->C) trxi_step_contact_force_parameters(seen->sim, signs, seen->list, seen->nlist, seen->C, s->by_p);
    const trx_status status = trxi_step_contact_force_jac(seen->sim, signs, seen->A, NULL, s->by_x, NULL);
    pick(s->by_x, c->component, 2 * nx);
    pick(s->by_p, c->component, nlist);
    return status;
}

// row (n) = by_x [S; S_next] + by_p dtheta/dz
static void chain(const trxi_step_seen *seen, const trxi_step_channels *s, double *row)
{
    const int nx = trx_model_get_size(trx_sim_model(seen->sim)).ntangent, np = seen->unknowns->count;
    trxi_gemv_t(nx, s->n, 1, seen->S, nx, s->by_x, 0, row);
    trxi_gemv_t(nx, s->n, 1, seen->S_next, nx, s->by_x + nx, 1, row);
    if (!seen->C) return;
    trxi_unknowns_chain(seen->unknowns, seen->slopes, 1, s->by_p, s->by_z);
    trxi_axpy(np, 1, s->by_z, row + s->n - np);
}

trx_status trxi_step_channels_take(const trx_fit_problem *problem, const trxi_step_seen *seen, bool derivatives,
                                   trxi_step_channels *s)
{
    const int npair = trx_model_get_size(problem->model).npair;
    trx_status status = TRX_OK;
    for (int k = 0; k < s->count && status >= 0; k++) {
        const trx_fit_channel *c = &problem->channels[s->channels[k]];
        const size_t at = (size_t)seen->place * (size_t)s->count + (size_t)k;
        double *row = s->rows + at * (size_t)s->n;
        if (c->kind == TRX_FIT_CONTACT_FORCE) status = take_contact(seen, c, s->signs + k * npair, derivatives, s, &s->y[at]);
        else if (trxi_channel_is_force(c->kind)) status = take_joint(seen, c, derivatives, s, &s->y[at]);
        else status = take_acceleration(seen, c, derivatives, s, &s->y[at]);
        if (derivatives && status >= 0) chain(seen, s, row);
    }
    return status;
}
