// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Coordinates that no control moves (theory 8). Lambda is the adjoint of the passive coordinates' part of the cost,
//
//     lambda_k = l_x + A^T lambda_{k+1}.
//
// When every B^T lambda vanishes, no control influences this part. The result shows the cause:
//
// - No pair of geometries connects the passive tree to an actuated one.
// - The actuated tree floats: internal forces do not move its centre of mass.
// - Contact would push the wrong way: the force of a contact at the closest points, J^T n, would do work in the direction in
//   which the cost grows.
// - Another contact supports the passive tree. A force below its weight moves nothing, and a hard contact has no gradient.
// - The contact is open at every knot, and an open contact has no gradient.

#include "trajopt/reach.h"

#include "math/dense.h"
#include "dynamics/distance.h"
#include "trajopt/plan.h"

#include <math.h>
#include <string.h>

static const double NO_INFLUENCE = 1e-9; // largest |B^T lambda| / (|B| |l_x|) that counts as 0 [1]
static const double TOUCH = 1e-4;        // largest gap of a contact that supports a body [m]
static const double AGAINST = 0.2;       // cosine above which a force counts as opposed [1]

static bool is_passive(const trx_model *model, int dof)
{
    return !model->trees[model->dof_tree[dof]].actuated;
}

// ---- the adjoint ----

// lambda += l_x of the passive coordinates at a knot; returns the largest entry and writes its coordinate to *dof
static double add_passive_gradient(const trx_plan *plan, int knot, double *lambda, int *dof)
{
    int nv = plan->model->nv;
    const double *l_x = plan->work.ocp.stages[knot].q;
    double largest = 0;
    for (int i = 0; i < 2 * nv; i++) {
        if (!is_passive(plan->model, i % nv)) continue;
        lambda[i] += l_x[i];
        if (fabs(l_x[i]) > largest) largest = fabs(l_x[i]), *dof = i % nv;
    }
    return largest;
}

// returns whether the cost depends on passive coordinates that no control influences; *dof is the one with the largest gradient
static bool is_out_of_reach(trx_plan *plan, int *dof)
{
    const trxi_ocp *ocp = &plan->work.ocp;
    int nx = ocp->nx, nu = ocp->nu;
    double *lambda = plan->work.riccati.V_x, *next = plan->work.riccati.Q_l;
    double demand = 0, influence = 0, strength = 0;
    memset(lambda, 0, (size_t)nx * sizeof(double));
    demand = add_passive_gradient(plan, ocp->steps, lambda, dof);
    for (int k = ocp->steps - 1; k >= 0; k--) {
        const double *B = ocp->stages[k].B, *A = ocp->stages[k].A;
        for (int j = 0; j < nu; j++) {
            influence = fmax(influence, fabs(trxi_dot(nx, B + j * nx, lambda)));
            for (int i = 0; i < nx; i++) strength = fmax(strength, fabs(B[i + j * nx]));
        }
        trxi_gemv_t(nx, nx, 1, A, nx, lambda, 0, next);
        memcpy(lambda, next, (size_t)nx * sizeof(double));
        int other = *dof;
        double largest = add_passive_gradient(plan, k, lambda, &other);
        if (largest > demand) demand = largest, *dof = other;
    }
    return demand > 0 && influence <= NO_INFLUENCE * demand * strength;
}

// ---- contacts of the result ----

// computes the poses at a knot of the result
static trxi_kinematics *poses_at(trx_plan *plan, int knot)
{
    trxi_kinematics *kin = &plan->cost.own;
    trxi_kinematics_compute(plan->model, plan->x + plan->rollout.nstate * knot, kin);
    trxi_kinematics_move(plan->model, trxi_rollout_time(&plan->rollout, knot), kin);
    return kin;
}

// whether a side of a pair is on a tree
static bool is_on(const trx_model *model, const trxi_pair *pair, int tree)
{
    return trxi_link_tree(model, pair->link_a) == tree || trxi_link_tree(model, pair->link_b) == tree;
}

int trxi_reach_closest(trx_plan *plan, int dof, int first, int last, int *knot, double *gap)
{
    const trx_model *model = plan->model;
    int closest = -1;
    *gap = INFINITY;
    *knot = first;
    for (int k = first; k <= last; k++) {
        const trxi_kinematics *kin = poses_at(plan, k);
        for (int i = 0; i < model->npair; i++) {
            const trxi_pair pair = trxi_model_pair(model, i);
            if (!pair.actuated || !is_on(model, &pair, model->dof_tree[dof])) continue;
            double phi = trxi_pair_closest(model, kin, i).phi;
            if (phi < *gap) *gap = phi, *knot = k, closest = i;
        }
    }
    return closest;
}

static bool is_smoothed(const trx_plan *plan, int pair)
{
    for (int i = 0; i < plan->nstage; i++) {
        const trx_stage *stage = &plan->stages[i];
        if (!stage->physical && stage->force_law == TRX_SMOOTHED && stage->pairs[pair]) return true;
    }
    return false;
}

static int find_holder(trx_plan *plan, const trxi_reach *reach)
{
    const trx_model *model = plan->model;
    const trxi_kinematics *kin = poses_at(plan, reach->knot);
    for (int i = 0; i < model->npair; i++) {
        const trxi_pair pair = trxi_model_pair(model, i);
        if (pair.actuated || !is_on(model, &pair, model->dof_tree[reach->dof]) || is_smoothed(plan, i)) continue;
        if (trxi_pair_closest(model, kin, i).phi <= TOUCH) return i;
    }
    return -1;
}

// ---- causes ----

// whether an actuator acts on a joint
static bool is_driven(const trx_model *model, int joint)
{
    for (int i = 0; i < model->nu; i++) {
        const trxi_length *on = &model->lengths[model->actuators[i].length];
        for (int k = on->first; k < on->first + on->ncol; k++)
            if (model->links[model->dof_link[model->length_dofs[k]]].joint == joint) return true;
    }
    return false;
}

// whether a tree touches something outside of it at some knot
static bool touches(trx_plan *plan, int tree)
{
    const trx_model *model = plan->model;
    for (int k = 0; k <= plan->rollout.steps; k++) {
        const trxi_kinematics *kin = poses_at(plan, k);
        for (int i = 0; i < model->npair; i++) {
            const trxi_pair pair = trxi_model_pair(model, i);
            const bool inside = trxi_link_tree(model, pair.link_a) == trxi_link_tree(model, pair.link_b);
            if (!inside && is_on(model, &pair, tree) && trxi_pair_closest(model, kin, i).phi <= TOUCH) return true;
        }
    }
    return false;
}

static bool floats(trx_plan *plan, const trxi_reach *reach)
{
    const trx_model *model = plan->model;
    const trxi_pair pair = trxi_model_pair(model, reach->pair);
    const int passive = model->dof_tree[reach->dof];
    const int tree = trxi_link_tree(model, trxi_link_tree(model, pair.link_a) == passive ? pair.link_b : pair.link_a);
    if (tree < 0) return false;
    const int joint = model->links[model->trees[tree].first_link].joint;
    const trx_joint_type type = model->joints[joint].type;
    return (type == TRX_JOINT_FREE || type == TRX_JOINT_SLIDE) && !is_driven(model, joint) && !touches(plan, tree);
}

// velocity of the point p of a dof's link along n, per unit of the dof
static double slope(const trxi_kinematics *kin, const trx_model *model, int dof, const double p[3], const double n[3])
{
    const double *S = kin->S + 6 * dof;
    double arm[3], velocity[3];
    trxi_sub3(p, kin->c + 3 * model->dof_tree[dof], arm);
    trxi_velocity_at(S, arm, velocity);
    return trxi_dot3(velocity, n);
}

// the cost's gradient by a position coordinate, summed over the knots
static double position_gradient(const trx_plan *plan, int dof)
{
    double sum = 0;
    for (int k = 0; k <= plan->rollout.steps; k++) sum += plan->work.ocp.stages[k].q[dof];
    return sum;
}

static bool is_wrong_side(trx_plan *plan, const trxi_reach *reach)
{
    const trx_model *model = plan->model;
    const trxi_pair pair = trxi_model_pair(model, reach->pair);
    const trxi_kinematics *kin = poses_at(plan, reach->knot);
    const trxi_contact_point at = trxi_pair_closest(model, kin, reach->pair);
    const bool is_b = trxi_link_tree(model, pair.link_b) == model->dof_tree[reach->dof];
    const trxi_link *link = &model->links[is_b ? pair.link_b : pair.link_a];
    double work = 0, forces = 0, gradients = 0;
    for (int i = 0; i < link->path_length; i++) {
        const int dof = model->path[link->path_start + i];
        const double force = (is_b ? 1 : -1) * slope(kin, model, dof, at.a, at.n), gradient = position_gradient(plan, dof);
        work += force * gradient;
        forces += force * force;
        gradients += gradient * gradient;
    }
    return work > AGAINST * sqrt(forces * gradients);
}

trxi_reach trxi_reach_find(trx_plan *plan)
{
    trxi_reach reach = {.pair = -1, .holder = -1, .gap = INFINITY};
    reach.out = plan->linearized && is_out_of_reach(plan, &reach.dof);
    if (!reach.out) return reach;
    reach.pair = trxi_reach_closest(plan, reach.dof, 0, plan->rollout.steps, &reach.knot, &reach.gap);
    if (reach.pair < 0) return reach;
    reach.holder = find_holder(plan, &reach);
    reach.floats = floats(plan, &reach);
    reach.wrong_side = is_wrong_side(plan, &reach);
    return reach;
}
