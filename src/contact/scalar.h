// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Rows of the convex problem with one impulse each, along v_c = J v: joint limits, holonomic constraints, drives,
// dry friction of joints (theory 4, table of other constraints). With the impulse and G = -d gamma/d v_c >= 0
//
//     limit      gamma = ((v_hat - v_c)/R)+                        G = 1/R where gamma > 0
//     equality   gamma = (v_hat - v_c)/R                           G = 1/R
//     drive      gamma = dt clamp(f0 - slope v_c, lower, upper)    G = dt slope inside the clamp
//     friction   gamma = -dt most v_c/sqrt(v_c^2 + e^2)            G = dt most e^2/(v_c^2 + e^2)^1.5
//
// each is the negative gradient of a convex potential. At the corners of limit and clamp G is that of the flat side.

#ifndef TRXI_CONTACT_SCALAR_H
#define TRXI_CONTACT_SCALAR_H

#include <math.h>
#include <stdbool.h>

typedef enum trxi_scalar_kind { TRXI_LIMIT, TRXI_EQUALITY, TRXI_DRIVE, TRXI_DRY_FRICTION } trxi_scalar_kind;

/// Branches: a limit or drive that gives way has none, a drive at its upper effort has its own.
enum { TRXI_SCALAR_ACTIVE = 1, TRXI_SCALAR_UPPER = 2 };

typedef struct trxi_scalar {
    // constants of the step
    trxi_scalar_kind kind;
    int index; // joint, constraint, actuator or dof it belongs to
    int part;  // limit: 0 lower, 1 upper; equality: row of the constraint
    int ncol;
    const int *cols;         // dofs, ascending
    const double *J;         // ncol: v_c = J v
    int next;                // of the rows of its island, -1: the last
    double phi0;             // limit, equality: gap at the start [m or rad]
    double w;                // limit, equality: effective inverse mass [1/kg or 1/(kg m^2)]
    double R, v_hat;         // limit, equality [1/kg, m/s]
    double f0, slope;        // drive: force at v_c = 0 [N], its decrease per velocity dt kp + kd [N s/m]
    double lower, upper;     // drive: effort limits [N]
    double most;             // friction: force in sliding [N]
    double soft, soft_wanted; // friction: e; the solver raises it during its continuation [m/s or rad/s]

    // state at the current velocity
    double v_c, dv_c; // [m/s or rad/s]
    double gamma;     // [N s or N m s]
    double G;         // [kg or kg m^2]
    int branch;
} trxi_scalar;

/// gamma, G and branch at the velocity v_c.
static inline void trxi_scalar_impulse(const trxi_scalar *row, double dt, double v_c, double *gamma, double *G, int *branch)
{
    *gamma = *G = 0;
    *branch = TRXI_SCALAR_ACTIVE;
    switch (row->kind) {
    case TRXI_LIMIT:
        *gamma = (row->v_hat - v_c) / row->R;
        *G = 1 / row->R;
        if (!(*gamma > 0)) *gamma = *G = *branch = 0;
        return;
    case TRXI_EQUALITY:
        *gamma = (row->v_hat - v_c) / row->R;
        *G = 1 / row->R;
        return;
    case TRXI_DRIVE: {
        double f = row->f0 - row->slope * v_c;
        bool low = f <= row->lower, high = f >= row->upper;
        *gamma = dt * (low ? row->lower : high ? row->upper : f);
        *G = low || high ? 0 : dt * row->slope;
        *branch = low ? 0 : high ? TRXI_SCALAR_UPPER : TRXI_SCALAR_ACTIVE;
        return;
    }
    case TRXI_DRY_FRICTION: {
        double S = sqrt(v_c * v_c + row->soft * row->soft), share = row->soft / S;
        *gamma = -dt * row->most * v_c / S;
        *G = dt * row->most * share * share / S;
        return;
    }
    }
}

#endif
