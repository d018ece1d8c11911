// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drag as forces of the joints (theory 2, 6). With R the axes of the box, p its centre and the wind of the world,
//
//     u = v(p) - wind,   f = R f_l(R^T u),   m = R m_l(R^T w)        f_l, m_l: model/drags.c, diagonal
//     F = [m + (p - c) x f; f]                                       (J^T F)_i = S_i . F
//
// A dof with the column S_j = [w_j; v_j] turns the box by w_j and moves it by v_j(p); the velocity of the link changes by dV:
//
//     dV = S_j                   by the velocity            dV = S_j x (V - V_before)            by the position,
//     df = w_j x f - D_u (du - w_j x u)      du = dV(p) + w x v_j(p)       dm likewise with dw - w_j x w
//     dF = [dm + v_j(p) x f + (p - c) x df; df]
//
// In the derivative by the velocity, w_j and v_j(p) are 0 in df, du and dF. V_before is the velocity of the parent of j's link.

#include "dynamics/drag_forces.h"

// computes f = R f_l(R^T u), and D = R diag(slope) R^T
static void resist(const double R[9], double viscous, const double form[3], const double u[3], double f[3], double D[9])
{
    double l[3], local[3], scaled[9];
    trxi_mulv3_t(R, u, l);
    for (int i = 0; i < 3; i++) {
        local[i] = -(viscous + form[i] * fabs(l[i])) * l[i];
        trxi_scale3(viscous + 2 * form[i] * fabs(l[i]), R + 3 * i, scaled + 3 * i);
    }
    trxi_mulv3(R, local, f);
    trxi_mul33_bt(scaled, R, D);
}

void trxi_drag_at(const trx_model *model, const trxi_kinematics *kin, const double *V, int index, trxi_drag_state *state)
{
    const trxi_drag *drag = &model->drags[index];
    double R[9], p[3];
    state->link = &model->links[drag->link];
    trxi_kinematics_place(kin, drag->link, -1, drag->R_L, drag->p_L, R, p);
    trxi_sub3(p, kin->c + 3 * state->link->tree, state->arm);
    for (int i = 0; i < 6; i++) state->V[i] = V[6 * drag->link + i];
    trxi_velocity_at(state->V, state->arm, state->u);
    trxi_sub3(state->u, drag->wind, state->u);
    trxi_copy3(state->V, state->w);
    resist(R, drag->viscous[0], drag->form[0], state->u, state->f, state->D_u);
    resist(R, drag->viscous[1], drag->form[1], state->w, state->m, state->D_w);
    trxi_copy3(state->m, state->F);
    trxi_cross_add3(state->arm, state->f, state->F);
    trxi_copy3(state->f, state->F + 3);
}

// computes dF for changes of force, moment and centre
static void combine(const trxi_drag_state *state, const double df[3], const double dm[3], const double dp[3], double dF[6])
{
    trxi_copy3(dm, dF);
    trxi_cross_add3(dp, state->f, dF);
    trxi_cross_add3(state->arm, df, dF);
    trxi_copy3(df, dF + 3);
}

// -D du
static void oppose(const double D[9], const double du[3], double out[3])
{
    trxi_mulv3(D, du, out);
    trxi_scale3(-1, out, out);
}

void trxi_drag_by_velocity(const trxi_drag_state *state, const double S_j[6], double dF[6])
{
    static const double still[3] = {0, 0, 0};
    double du[3], df[3], dm[3];
    trxi_velocity_at(S_j, state->arm, du);
    oppose(state->D_u, du, df);
    oppose(state->D_w, S_j, dm);
    combine(state, df, dm, still, dF);
}

void trxi_drag_by_position(const trxi_drag_state *state, const double S_j[6], const double V_before[6], double dF[6])
{
    double beyond[6], dV[6], dp[3], du[3], dw[3], turned[3], df[3], dm[3];
    for (int i = 0; i < 6; i++) beyond[i] = state->V[i] - V_before[i];
    trxi_cross_motion(S_j, beyond, dV);
    trxi_velocity_at(S_j, state->arm, dp);
    trxi_velocity_at(dV, state->arm, du);
    trxi_cross_add3(state->w, dp, du);
    trxi_cross3(S_j, state->u, turned);
    trxi_sub3(du, turned, du);
    oppose(state->D_u, du, df);
    trxi_cross_add3(S_j, state->f, df);
    trxi_cross3(S_j, state->w, turned);
    trxi_sub3(dV, turned, dw);
    oppose(state->D_w, dw, dm);
    trxi_cross_add3(S_j, state->m, dm);
    combine(state, df, dm, dp, dF);
}

void trxi_drag_by_wind(const trxi_drag_state *state, const double dwind[3], double dF[6])
{
    static const double still[3] = {0, 0, 0};
    double df[3];
    trxi_mulv3(state->D_u, dwind, df);
    combine(state, df, still, still, dF);
}

void trxi_drag_forces(const trx_model *model, const trxi_kinematics *kin, const double *V, double scale, double *out)
{
    for (int k = 0; k < model->ndrag; k++) {
        trxi_drag_state state;
        trxi_drag_at(model, kin, V, k, &state);
        const int *path = model->path + state.link->path_start;
        for (int i = 0; i < state.link->path_length; i++) out[path[i]] += scale * trxi_dot6(kin->S + 6 * path[i], state.F);
    }
}
