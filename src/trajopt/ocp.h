// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// An optimal-control quadratic program in stages (theory 7): the expansion of dynamics and cost along a trajectory,
// and the input of every method that solves such programs. Over the stages k = 0 .. N:
//
//     min  sum_k  1/2 x.Q x + x.S u + 1/2 u.R u + q.x + r.u
//     s.t. x_{k+1} = A x_k + B u_k + b
//          u_lower <= u <= u_upper
//
// x and u are changes from the trajectory, in tangent coordinates. Sizes may differ from stage to stage. Missing
// parts are NULL.

#ifndef TRXI_TRAJOPT_OCP_H
#define TRXI_TRAJOPT_OCP_H

#include "base/arena.h"
#include "formats/journal.h"

/// Sizes of a stage. Controls and defect of the last stage, if any, are ignored.
typedef struct trxi_ocp_size {
    int nx, nu; // states, controls
    bool defect, cross, rates; // whether there are b, S, rate_slope and rate_curvature
} trxi_ocp_size;

typedef struct trxi_ocp_stage {
    int nx, nu;
    int nx_next;               // states of the next stage, 0 at the last one
    double *B, *A;             // [B A] side by side: nx_next x nu, nx_next x nx
    double *b;                 // nx_next: the defect; NULL: none
    double *Q, *R;             // nx x nx, nu x nu: lower triangles
    double *S;                 // nx x nu; NULL: none
    double *q, *r;             // nx, nu
    double *u_lower, *u_upper; // nu, possibly infinite
    double *rate_slope, *rate_curvature; // nu each: cost g.(u - p) + 1/2 (u - p).D (u - p), p of the stage before; NULL: none
    size_t u_at, K_at;         // start of this stage among all controls, and among all gains
} trxi_ocp_stage;

/// Maps from velocities to positions: dq' = T dq + S dv' + S_0 dv, each a number times 1 except for balls (theory 6).
typedef enum trxi_position_map { TRXI_MAP_T, TRXI_MAP_S, TRXI_MAP_S_0, TRXI_POSITION_MAPS } trxi_position_map;

enum { TRXI_BALL_MAPS = 9 * TRXI_POSITION_MAPS }; // numbers for one ball in one step

/// The position rows of [B A] follow from the other rows.
typedef struct trxi_position_rows {
    int count;                        // number of positions, which come first in x; 0: A and B are general
    double rates[TRXI_POSITION_MAPS]; // the numbers of T, S and S_0
    int nball;
    int *balls;                       // nball: first coordinate of each
    double *maps;                     // per step and ball: the 3 x 3 block of each map minus its number times 1
} trxi_position_rows;

typedef struct trxi_ocp {
    int steps;              // N
    int nx, nu;             // largest of all stages
    bool defects;           // some stage has a defect
    size_t controls, gains; // numbers of u and of nu x nx gains in all stages
    trxi_ocp_stage *stages; // N + 1
    trxi_position_rows positions;
} trxi_ocp;

/// Carves the arrays of steps + 1 stages with sizes[stride k]; stride 0: all stages have sizes[0]. positions.count begins at 0;
/// there is room for `nball` balls. Position rows need stages of equal size.
void trxi_ocp_layout(trxi_arena *arena, int steps, const trxi_ocp_size *sizes, int stride, int nball, trxi_ocp *ocp);

/// Adds [R .; S Q] of a stage, both triangles, to a matrix of order nu + nx.
void trxi_ocp_add_cost(const trxi_ocp_stage *stage, double *to);

/// Visits all numbers of the program.
void trxi_ocp_visit(trxi_visitor *visitor, trxi_ocp *ocp);

/// The maps of one ball in one step.
static inline double *trxi_ocp_ball_maps(const trxi_position_rows *rows, int step, int ball)
{
    return rows->maps + TRXI_BALL_MAPS * ((size_t)rows->nball * (size_t)step + (size_t)ball);
}

#endif
