// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// How well contact forces can give the passive bodies the motion that the cost wants (theory 9).

#ifndef TRXI_SEARCH_WRENCH_H
#define TRXI_SEARCH_WRENCH_H

#include "search/task.h"

/// A point of a passive body where a placed body can push.
typedef struct trxi_touch {
    int body;        // passive
    double p[3];     // world [m]
    double n[3];     // outward normal, world
    double friction, stiffness; // of the pair [1, N/m]
} trxi_touch;

enum { TRXI_MOST_TOUCHES = 2, TRXI_CONE = 9, TRXI_MOST_SUPPORTS = 16 };

/// The motion of the passive dofs that lowers the cost at a state, and the norm in which motions are compared.
typedef struct trxi_demand {
    int n;          // passive dofs
    double *motion; // n: the wanted displacement [m or rad]
    double *metric; // n x n
    double *M;      // n x n: Cholesky factor of the mass matrix of the passive dofs
    double *supports; // n x nsupport: accelerations by unit forces of contacts with geometries without dofs
    int nsupport;
    int nfixed;      // contacts with geometries without dofs: the passive body, and the normal towards it
    int fixed_body[TRXI_MOST_SUPPORTS];
    double fixed_n[TRXI_MOST_SUPPORTS][3];
    double *rays;   // n x (nsupport + TRXI_CONE * TRXI_MOST_TOUCHES): scratch
    double *normal_matrix; // scratch
} trxi_demand;

trx_status trxi_demand_create(trxi_pool *pool, const trxi_search_task *task, trxi_demand *demand);

/// Computes the demand at the state x. Returns 1 when a motion of passive dofs lowers the cost, 0 when none does, or an error.
int trxi_demand_compute(trxi_scout *scout, const double *x, double time, trxi_demand *demand);

/// Returns whether a support of the body covers the touch, like a table under the underside of a box.
bool trxi_demand_is_covered(const trxi_demand *demand, const trxi_touch *touch);

/// Share of the wanted motion that forces in the friction cones of the touches cannot give: 0 (all of it is given) to 1. The
/// kinematics of the scout are at the state of the demand.
double trxi_demand_miss(trxi_scout *scout, trxi_demand *demand, const trxi_touch *touches, int count);

#endif
