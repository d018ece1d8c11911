// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The task of a search, and the workspace of each of its threads. A placed tree has an actuator on every dof, so the search can
// choose its configuration. A passive tree has no actuator (theory 9).

#ifndef TRXI_SEARCH_TASK_H
#define TRXI_SEARCH_TASK_H

#include "base/arena.h"
#include "model/model.h"

#include <tractrix/kinematics.h>
#include <tractrix/search.h>

/// Constant during a search, shared by all threads.
typedef struct trxi_search_task {
    const trx_model *model;
    trx_plan_problem problem;
    trx_plan_settings plan; // settings of every optimization: one thread, judged
    int nstate;             // size of the model's state
    uint64_t seed;
    bool fine;              // a plan must meet every goal on the fine replay too

    int ndof;               // dofs of the placed trees
    int *dofs;              // indices in v, ascending
    int *coordinates;       // indices in q of these dofs
    double *reach;          // largest displacement of a point of the tree per unit of the dof, at the start [1 or m/rad]
    double *lower, *upper;  // limits of the joints [m or rad]
    int npassive;           // dofs of the passive trees
    int *passive;           // indices in v, ascending
    int nobstacle;          // pairs with a side on a placed tree: a path keeps them apart
    int *obstacles;
    int ntouch;             // of these, pairs with the other side on a passive tree
    int *touches;
    double clearance;       // distance that a path keeps [m]
} trxi_search_task;

/// Fills the task. Memory comes from `pool`. Errors: MEMORY.
trx_status trxi_task_init(trx_context *context, trxi_pool *pool, const trx_plan_problem *problem,
                          const trx_plan_settings *settings, uint64_t seed, trxi_search_task *task);

/// Returns whether a placement can help: some placed tree may touch a passive tree.
bool trxi_task_has_placements(const trxi_search_task *task);

/// Whether a geometry belongs to a passive tree.
bool trxi_task_is_passive(const trx_model *model, int geom);

/// Creates a plan of the whole problem on the physical model alone.
trx_status trxi_task_create_plan(trx_context *context, const trxi_search_task *task, int threads, trx_plan **plan);

/// Whether a path keeps the two sides of a pair apart.
bool trxi_task_is_obstacle(const trxi_search_task *task, int pair);

/// The objects with which one thread works on candidates.
typedef struct trxi_scout {
    const trxi_search_task *task;
    trx_context *context;
    trx_kinematics *kin;
    trx_sim *sim;   // the physical model
    trx_plan *plan; // the whole problem, one physical stage
    double *J;      // 6 x nv
    double *A, *B;  // ntangent x ntangent, ntangent x max(nu, 3): derivatives of one step, and scratch
    double *q;      // nq
    double *rest;   // nu zeros
    double *x_next; // nstate
} trxi_scout;

trx_status trxi_scout_create(trx_context *context, trxi_pool *pool, const trxi_search_task *task, trxi_scout *scout);
void trxi_scout_destroy(trxi_scout *scout);

/// Time of a knot of the problem [s].
static inline double trxi_task_time(const trxi_search_task *task, int knot)
{
    return knot * task->problem.sim.time_step;
}

#endif
