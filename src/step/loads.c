// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads in the step (theory 2), evaluated at its middle: explicit at q0 in the symplectic scheme, at q_th in the
// other schemes.
//
//     p0 += dt J^T f                                                               dynamics/load_forces.c
//     d(J^T f)_i/dq_j = (S_j x S_i) . F [i not before j] + w_i . (J_j(p) x f)      F = [tau + (p - c) x f; f]
//
// f does not turn with the body. The columns turn with the joints before them, and the point moves. For a tree that
// turns as a whole (the pose of its fixed base) only the constant direction of f gives a term. Motors act at the joints.

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

// lambda . d(J^T f)/dq_j: with W the velocity that lambda gives the link and W_p that of the link before j's,
//     S_j . ( (W - W_p) x* F + [p x (f x w); f x w] ),   w the angular part of W
static void load_product(const trxi_input *in, const trxi_smooth *smooth, const trxi_link *link, const double F[6],
                         const double arm[3], const trxi_residual_out *out)
{
    const trx_model *model = in->model;
    const trxi_kinematics *kin = &smooth->kin;
    const int *path = model->path + link->path_start;
    double W[6] = {0}, passed[6] = {0}, moved[6];
    for (int i = 0; i < link->path_length; i++) trxi_axpy6(out->lambda[path[i]], kin->S + 6 * path[i], W);
    trxi_cross3(F + 3, W, moved + 3);
    trxi_cross3(arm, moved + 3, moved);
    for (int j = 0; j < link->path_length; j++) {
        const trxi_link *of = &model->links[model->dof_link[path[j]]];
        double beyond[6], turned[6];
        for (int a = 0; a < 6; a++) beyond[a] = W[a] - passed[a];
        trxi_cross_force(beyond, F, turned);
        trxi_axpy6(1, moved, turned);
        out->q[path[j]] -= in->settings.time_step * trxi_dot6(kin->S + 6 * path[j], turned);

        // after its last dof a link adds its own velocity to W_p of the dofs beyond
        if (path[j] < of->v + of->nv - 1) continue;
        for (int k = of->v; k < of->v + of->nv; k++) trxi_axpy6(out->lambda[k], kin->S + 6 * k, passed);
    }
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
        if (a->drive) continue;
        double force = a->gain * in->u[i] + a->bias;
        for (int k = a->first; k < a->first + a->nfactor; k++)
            out[model->factor_dofs[k]] += scale * model->factors[k] * force;
    }
}
