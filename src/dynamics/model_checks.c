// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Properties of a model at a configuration that need the dynamics: positive definiteness of the joint-space mass
// matrix, the matrix and the bias forces, and the energy
//
//     E = 1/2 v^T M v - g . (h_g + m_g c) + 1/2 sum of k (q (-) q_rest)^2               (theory 2)
//
// with the springs of tendons, and the length of a tendon.
//
// The mass matrix is checked tree by tree. Scratch memory lives for the call only.

#include "dynamics/model_checks.h"

#include "dynamics/inverse_dynamics.h"
#include "dynamics/lengths.h"
#include "dynamics/mass_matrix.h"
#include "math/dense.h"

// a pivot below this fraction of the largest possible value is rounding
static const double PIVOT_TOLERANCE = 1e-12;

typedef struct scratch {
    trxi_kinematics kin;
    trxi_inertia *composite; // nlink
    double *V;               // nlink x 6
    double *M;               // blocks by tree
    double *x;               // nv
    trxi_lengths lengths;
} scratch;

static void layout(trxi_arena *arena, const trx_model *model, bool matrix, scratch *s)
{
    trxi_kinematics_layout(arena, model, &s->kin);
    s->composite = TRXI_TAKE(arena, trxi_inertia, model->nlink);
    s->V = TRXI_TAKE(arena, double, 6 * model->nlink);
    s->M = TRXI_TAKE(arena, double, matrix ? model->nblock : 0);
    s->x = TRXI_TAKE(arena, double, model->nv);
    trxi_lengths_layout(arena, model, &s->lengths);
}

// the block, NULL when memory is out (message set)
static void *open_scratch(trx_context *context, const trx_model *model, bool matrix, scratch *s)
{
    trxi_arena arena = {0};
    layout(&arena, model, matrix, s);
    arena.base = trxi_allocate(context, arena.used);
    void *block = arena.base;
    arena.used = 0;
    if (block) layout(&arena, model, matrix, s);
    return block;
}

// the largest S . I S of inertia of this size, over all directions
static double largest_inertia(const trxi_inertia *in, const double S[6])
{
    double w = trxi_norm3(S), v = trxi_norm3(S + 3);
    return (in->J[0] + in->J[1] + in->J[2]) * w * w + 2 * trxi_norm3(in->h) * w * v + in->m * v * v;
}

// the first dof of a tree with a pivot that is not positive, -1 when all pivots are positive
static int failed_pivot(const trx_model *model, const trxi_tree *tree, const scratch *s)
{
    const int n = tree->nv;
    double *M = s->M + tree->block;
    int failed = trxi_cholesky(n, M, n), factored = failed < 0 ? n : failed;
    for (int i = 0; i < factored; i++) {
        const int dof = tree->v + i;
        double pivot = M[i + i * n] * M[i + i * n];
        double most = largest_inertia(&s->composite[model->dof_link[dof]], s->kin.S + 6 * dof) + model->armature[dof];
        if (!(pivot > PIVOT_TOLERANCE * most)) return dof;
    }
    return failed < 0 ? -1 : tree->v + failed;
}

trx_status trx_model_check_mass(trx_context *context, const trx_model *model, const double *q)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!model || (!q && model->nq > 0)) return trxi_fail(context, TRX_ERR_ARGUMENT, "no model or no configuration");
    scratch s;
    void *block = open_scratch(context, model, true, &s);
    if (!block) return TRX_ERR_MEMORY;
    trxi_kinematics_compute(model, q, &s.kin);
    trxi_mass_blocks(model, &s.kin, s.composite, s.M);
    int dof = -1;
    for (int t = 0; t < model->ntree && dof < 0; t++) dof = failed_pivot(model, &model->trees[t], &s);
    trxi_release(context, block);
    if (dof < 0) return TRX_OK;

    const trxi_joint *joint = &model->joints[model->links[model->dof_link[dof]].joint];
    return trxi_error_at(context, joint->source,
                         "joint '%s' moves nothing that has inertia (the mass matrix is not positive definite at %s): "
                         "give body '%s' or those beyond it mass or inertia, or the joint an armature",
                         joint->name, model->v_names[dof], model->bodies[joint->body].name);
}

trx_status trxi_model_energy(trx_context *context, const trx_model *model, const double *q, const double *v, trxi_energy *energy)
{
    scratch s;
    void *block = open_scratch(context, model, false, &s);
    if (!block) return TRX_ERR_MEMORY;
    trxi_kinematics_compute(model, q, &s.kin);
    trxi_link_velocities(model, &s.kin, v, s.V);
    trxi_model_spring(model, q, s.x);
    *energy = (trxi_energy){0};
    for (int i = 0; i < model->nlink; i++) {
        double momentum[6];
        const double *c = s.kin.c + 3 * model->links[i].tree, *gravity = s.kin.gravity_moment + 4 * i;
        trxi_inertia_mul(&s.kin.inertia[i], s.V + 6 * i, momentum);
        energy->kinetic += 0.5 * trxi_dot6(momentum, s.V + 6 * i);
        energy->gravity -= trxi_dot3(model->gravity, gravity + 1) + gravity[0] * trxi_dot3(model->gravity, c);
    }
    for (int i = 0; i < model->nv; i++) {
        energy->kinetic += 0.5 * model->armature[i] * v[i] * v[i];
        energy->springs += 0.5 * model->stiffness[i] * s.x[i] * s.x[i];
    }
    if (model->nspring) trxi_lengths_compute(model, &s.kin, q, &s.lengths);
    for (int i = 0; i < model->nspring; i++) {
        const trxi_tendon_spring *spring = &model->springs[i];
        const double l = s.lengths.value[spring->length], stretch = l - fmax(spring->rest_lower, fmin(spring->rest_upper, l));
        energy->springs += 0.5 * spring->stiffness * stretch * stretch;
    }
    trxi_release(context, block);
    return TRX_OK;
}

trx_status trx_model_energy(trx_context *context, const trx_model *model, const double *q, const double *v,
                            double *kinetic, double *potential)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!model || (!q && model->nq > 0) || (!v && model->nv > 0))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "no model or no state");
    trxi_energy energy;
    if (trxi_model_energy(context, model, q, v, &energy) < 0) return TRX_ERR_MEMORY;
    if (kinetic) *kinetic = energy.kinetic;
    if (potential) *potential = energy.gravity + energy.springs;
    return TRX_OK;
}

// kinematics, composite inertias and the work of inverse dynamics in one block
static void dynamics_layout(trxi_arena *arena, const trx_model *model, scratch *s, trxi_rnea *work)
{
    layout(arena, model, false, s);
    trxi_rnea_layout(arena, model, work);
}

trx_status trx_model_dynamics(trx_context *context, const trx_model *model, const double *q, const double *v, double *M,
                              double *bias)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!model || (!q && model->nq > 0) || (!v && model->nv > 0))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "no model or no state");
    scratch s;
    trxi_rnea work;
    trxi_arena arena = {0};
    dynamics_layout(&arena, model, &s, &work);
    void *block = arena.base = trxi_allocate(context, arena.used);
    if (!block) return TRX_ERR_MEMORY;
    arena.used = 0;
    dynamics_layout(&arena, model, &s, &work);

    const int nv = model->nv;
    trxi_kinematics_compute(model, q, &s.kin);
    if (M) trxi_mass_matrix(model, &s.kin, s.composite, M, nv);
    for (int j = 0; M && j < nv; j++)
        for (int i = j + 1; i < nv; i++) M[j + i * nv] = M[i + j * nv];
    if (bias) trxi_inverse_dynamics(model, &s.kin, v, NULL, &work, bias);
    trxi_release(context, block);
    return TRX_OK;
}

trx_status trx_model_tendon(trx_context *context, const trx_model *model, int tendon, const double *q, double *length,
                            double *gradient)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!model || !q || tendon < 0 || tendon >= model->ntendon)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "no model, no q or no tendon %d", tendon);
    scratch s;
    void *block = open_scratch(context, model, false, &s);
    if (!block) return TRX_ERR_MEMORY;
    trxi_kinematics_compute(model, q, &s.kin);
    trxi_lengths_compute(model, &s.kin, q, &s.lengths);
    const trxi_length_view view = trxi_length_at(model, &s.lengths, tendon);
    if (length) *length = view.value;
    for (int i = 0; i < model->nv && gradient; i++) gradient[i] = 0;
    for (int k = 0; k < view.ncol && gradient; k++) gradient[view.cols[k]] = view.J[k];
    trxi_release(context, block);
    return TRX_OK;
}
