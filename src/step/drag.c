// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drag in the step (theory 2): explicit at q0, v0 in the symplectic scheme, at q_th, v_th in the other schemes.
//
//     p0 += dt J^T F                                                                    dynamics/drag_forces.c
//     d(J^T F)_i/dq_j = (S_j x S_i) . F [i not before j] + S_i . dF/dq_j                d(J^T F)_i/dv_j = S_i . dF/dv_j

#include "step/drag.h"

#include "dynamics/drag_forces.h"

static const double rest[6] = {0};

// velocity of the parent of a dof's link
static const double *before(const trx_model *model, const double *V, int dof)
{
    const int parent = model->links[model->dof_link[dof]].parent;
    return parent < 0 ? rest : V + 6 * parent;
}

static void subtract_drag(const trxi_input *in, const trxi_kinematics *kin, const double *V, const trxi_drag_state *state,
                          const ptrdiff_t *places, double *by_q, double *by_v)
{
    const trx_model *model = in->model;
    const int *path = model->path + state->link->path_start;
    const double dt = in->settings.time_step;
    for (int j = 0; j < state->link->path_length; j++) {
        const double *S_j = kin->S + 6 * path[j];
        double by_position[6], by_velocity[6], turned[6];
        trxi_drag_by_position(state, S_j, before(model, V, path[j]), by_position);
        trxi_drag_by_velocity(state, S_j, by_velocity);
        double *column_q = by_q + places[path[j]], *column_v = by_v + places[path[j]];
        for (int i = 0; i < state->link->path_length; i++) {
            const double *S_i = kin->S + 6 * path[i];
            double change = trxi_dot6(S_i, by_position);
            if (model->dof_link[path[i]] >= model->dof_link[path[j]]) {
                trxi_cross_motion(S_j, S_i, turned);
                change += trxi_dot6(turned, state->F);
            }
            column_q[path[i]] -= dt * change;
            column_v[path[i]] -= dt * trxi_dot6(S_i, by_velocity);
        }
    }
}

void trxi_step_drag_deriv(const trxi_input *in, const trxi_kinematics *kin, const double *V, const ptrdiff_t *places, double *by_q,
                          double *by_v)
{
    for (int k = 0; k < in->model->ndrag; k++) {
        trxi_drag_state state;
        trxi_drag_at(in->model, kin, V, k, &state);
        subtract_drag(in, kin, V, &state, places, by_q, by_v);
    }
}

// with W the link's velocity for the joint velocities lambda, and W_p the same for the parent of the link of dof j:
//     lambda . d(J^T F)/dq_j = S_j . ((W - W_p) x* F) + W . dF/dq_j          lambda . d(J^T F)/dv_j = W . dF/dv_j
static void drag_product(const trxi_input *in, const trxi_smooth *smooth, const trxi_drag_state *state,
                         const trxi_residual_out *out)
{
    const trx_model *model = in->model;
    const trxi_kinematics *kin = &smooth->kin;
    const int *path = model->path + state->link->path_start;
    const double dt = in->settings.time_step;
    double W[6] = {0}, passed[6] = {0};
    for (int i = 0; i < state->link->path_length; i++) trxi_axpy6(out->lambda[path[i]], kin->S + 6 * path[i], W);
    for (int j = 0; j < state->link->path_length; j++) {
        const trxi_link *of = &model->links[model->dof_link[path[j]]];
        const double *S_j = kin->S + 6 * path[j];
        double beyond[6], turned[6], dF[6];
        for (int a = 0; a < 6; a++) beyond[a] = W[a] - passed[a];
        trxi_cross_force(beyond, state->F, turned);
        trxi_drag_by_position(state, S_j, before(model, smooth->rnea.V, path[j]), dF);
        out->q[path[j]] -= dt * (trxi_dot6(S_j, turned) + trxi_dot6(W, dF));
        trxi_drag_by_velocity(state, S_j, dF);
        out->v[path[j]] -= dt * trxi_dot6(W, dF);

        // the last dof of a link: add the link's velocity to W_p of all later dofs
        if (path[j] < of->v + of->nv - 1) continue;
        for (int k = of->v; k < of->v + of->nv; k++) trxi_axpy6(out->lambda[k], kin->S + 6 * k, passed);
    }
}

void trxi_step_drag_vjp(const trxi_input *in, const trxi_smooth *smooth, const trxi_residual_out *out)
{
    for (int k = 0; k < in->model->ndrag; k++) {
        trxi_drag_state state;
        trxi_drag_at(in->model, &smooth->kin, smooth->rnea.V, k, &state);
        drag_product(in, smooth, &state, out);
    }
}

// in the axes of the tree the wind turns by -w
void trxi_step_drag_turn(const trxi_input *in, const trxi_kinematics *kin, const double *V, int drag, const double w[3],
                         double scale, double *r)
{
    trxi_drag_state state;
    double dwind[3], dF[6];
    trxi_drag_at(in->model, kin, V, drag, &state);
    trxi_cross3(in->model->drags[drag].wind, w, dwind);
    trxi_drag_by_wind(&state, dwind, dF);
    const int *path = in->model->path + state.link->path_start;
    for (int i = 0; i < state.link->path_length; i++) r[path[i]] -= scale * trxi_dot6(kin->S + 6 * path[i], dF);
}
