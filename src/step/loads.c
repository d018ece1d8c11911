// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads in the step (theory 2), evaluated at its middle: explicit at q0 in the symplectic scheme, at q_th in the
// other schemes.
//
//     p0 += dt J^T f                                                               dynamics/load_forces.c
//     d(J^T f)_i/dq_j = (S_j x S_i) . F [i not before j] + w_i . (J_j(p) x f)      F = [tau + (p - c) x f; f]
//
// The load does not turn with the body. The columns S turn with the joints before them, and the point moves. When a tree turns as a
// whole, with the pose of its fixed base, only the constant directions of f and tau give a term. The file also has the forces of
// motors.

#include "dynamics/load_forces.h"
#include "step/loads.h"
#include "step/sim.h"

static double middle(const trxi_input *in)
{
    return in->t0 + 0.5 * in->settings.time_step;
}

static bool load_force(const trxi_input *in, const trxi_kinematics *kin, int index, double F[6], double arm[3])
{
    return trxi_load_wrench(in->model, kin, index, middle(in), F, arm);
}

void trxi_step_loads(const trxi_input *in, const trxi_kinematics *kin, double scale, double *out)
{
    trxi_load_forces(in->model, kin, middle(in), scale, out);
}

static void subtract_load(const trxi_input *in, const trxi_kinematics *kin, const trxi_link *link, const double F[6],
                          const double arm[3], const ptrdiff_t *places, double *r)
{
    const trx_model *model = in->model;
    const int *path = model->path + link->path_start;
    const double dt = in->settings.time_step;
    for (int j = 0; j < link->path_length; j++) {
        const double *S_j = kin->S + 6 * path[j];
        double moved[3], moment[3];
        trxi_velocity_at(S_j, arm, moved);
        trxi_cross3(moved, F + 3, moment);
        double *column = r + places[path[j]];
        for (int i = 0; i < link->path_length; i++) {
            const double *S_i = kin->S + 6 * path[i];
            double turned[6], change = trxi_dot3(S_i, moment);
            if (model->dof_link[path[i]] >= model->dof_link[path[j]]) {
                trxi_cross_motion(S_j, S_i, turned);
                change += trxi_dot6(turned, F);
            }
            column[path[i]] -= dt * change;
        }
    }
}

// lambda . d(J^T f)/dq
static void load_product(const trxi_input *in, const trxi_smooth *smooth, const trxi_link *link, const double F[6],
                         const double arm[3], const trxi_residual_out *out)
{
    static const double c[3] = {0, 0, 0};
    const int *path = in->model->path + link->path_start;
    double W[6] = {0}, moved[6] = {0};
    for (int i = 0; i < link->path_length; i++) trxi_axpy6(out->lambda[path[i]], smooth->kin.S + 6 * path[i], W);
    trxi_wrench_move(arm, c, 1, F + 3, W, moved);
    trxi_wrench_turn(in->model, &smooth->kin, link, F, moved, out->lambda, -in->settings.time_step, 0, out->q);
}

void trxi_step_loads_vjp(const trxi_input *in, const trxi_smooth *smooth, const trxi_residual_out *out)
{
    const trx_model *model = in->model;
    for (int k = 0; k < model->nload; k++) {
        double F[6], arm[3];
        if (load_force(in, &smooth->kin, k, F, arm)) load_product(in, smooth, &model->links[model->loads[k].link], F, arm, out);
    }
}

void trxi_step_loads_deriv(const trxi_input *in, const trxi_kinematics *kin, const ptrdiff_t *places, double *r)
{
    const trx_model *model = in->model;
    for (int k = 0; k < model->nload; k++) {
        double F[6], arm[3];
        if (load_force(in, kin, k, F, arm))
            subtract_load(in, kin, &model->links[model->loads[k].link], F, arm, places, r);
    }
}

// in the axes of the tree the load turns by -w: dF = -[w x tau + arm x (w x f); w x f]
void trxi_step_load_turn(const trxi_input *in, const trxi_kinematics *kin, int load, const double w[3], double scale, double *r)
{
    const trx_model *model = in->model;
    const trxi_link *link = &model->links[model->loads[load].link];
    double F[6], arm[3], turned[6], pure[3];
    if (!load_force(in, kin, load, F, arm)) return;
    trxi_cross3(arm, F + 3, pure);
    trxi_sub3(F, pure, pure);
    trxi_cross3(w, F + 3, turned + 3);
    trxi_cross3(w, pure, turned);
    trxi_cross_add3(arm, turned + 3, turned);
    for (int i = 0; i < link->path_length; i++) {
        int dof = model->path[link->path_start + i];
        r[dof] += scale * trxi_dot6(kin->S + 6 * dof, turned);
    }
}

void trxi_step_motors(const trxi_input *in, double scale, double *out)
{
    const trx_model *model = in->model;
    for (int i = 0; i < model->nu; i++) {
        const trxi_actuator *a = &model->actuators[i];
        const trxi_length *length = &model->lengths[a->length];
        if (a->drive) continue;
        const double force = scale * a->gear * (a->gain * in->u[i] + a->bias);
        for (int k = length->first; k < length->first + length->ncol; k++)
            out[model->length_dofs[k]] += model->length_factors[k] * force;
    }
}
