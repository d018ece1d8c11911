// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the nearest points of two cores, and the contact of the rounded shapes (theory 6). With a_c, b_c =
// a_c + d n the points of the cores,
//
//     phi = d - r_A - r_B,      a = a_c + r_A n.
//
// Derivatives. A is fixed; B's material moves by x at a and turns by theta. With tangent vectors in the plane of n (T
// = [t1 t2], tau = theta x n), Sigma the tensors of the pieces (piece.h), e_A and e_B their flat directions and s the
// coordinates along them, the points move by
//
//     da_c = Sigma_A dn + sum e_A ds_A                                                  e_A . dn = 0
//     db_c = x + k tau - Sigma_B (dn - tau) + sum e_B ds_B,   k = d - r_A              e_B . (dn - tau) = 0
//
// since B's normal turns by dn - tau against B's material. b_c - a_c = d n stays, so in the tangent plane
//
//     (d I + Sigma_A + Sigma_B) dn + sum e_A ds_A - sum e_B ds_B  =  x + (k I + Sigma_B) tau,
//
// with S for the bracket on the left and c for the right-hand side. No flat direction: dn = S^-1 c. One flat
// direction t1: dn_1 = 0 if A has it, dn_1 = tau_1 if B has it, and dn_2 = (c_2 - S_21 dn_1)/S_22. Two: the two
// conditions alone determine dn, for any Sigmas and any sign of d. The flat coordinates follow from the rest of the
// equation, and da = da_c + r_A dn. If S is singular (the points coincide and no piece determines how n turns), dn =
// 0.
//
// tie: the least of four distances: of the two points from the ends of their pieces; of the turns of n to
// neighbouring pieces, divided by |dn_dx| + 1/size; the smallest eigenvalue of S where S decides; and the distance to
// an equally short way out of an overlap. feature = (feature of A) (features of B) + (feature of B).

#include "geometry/witness.h"

#include "math/vec3.h"

// the equation's solution for unit x1, x2, tau1, tau2, in the tangent plane
typedef struct motion {
    double dn[2][4];
    double da[2][4];
    double least; // eigenvalue of S along the directions that S determines; INFINITY without such directions [m]
} motion;

static void flat_conditions(const trxi_witness *w, double M[4])
{
    // rows: flat directions in t1, t2
    M[0] = 1, M[1] = w->nflat == 2 ? w->flat[0] : 0;
    M[2] = 0, M[3] = w->nflat == 2 ? w->flat[1] : 1;
}

static void solve_column(const trxi_witness *w, const double S[3], const double c[2], const double tau[2], double dn[2],
                         double ds[2])
{
    ds[0] = ds[1] = 0;
    if (w->nflat == 0) {
        double det = S[0] * S[2] - S[1] * S[1], size = fabs(S[0]) + fabs(S[2]);
        bool regular = fabs(det) > 1e-24 * size * size && size > 0;
        dn[0] = regular ? (S[2] * c[0] - S[1] * c[1]) / det : 0;
        dn[1] = regular ? (S[0] * c[1] - S[1] * c[0]) / det : 0;
        return;
    }
    double M[4];
    flat_conditions(w, M);
    dn[0] = w->of_B[0] ? tau[0] : 0;
    if (w->nflat == 1) dn[1] = S[2] != 0 ? (c[1] - S[1] * dn[0]) / S[2] : 0;
    else {
        double along = w->of_B[1] ? M[1] * tau[0] + M[3] * tau[1] : 0;
        dn[1] = (along - M[1] * dn[0]) / M[3];
    }
    // sum of flat directions times ds = the rest; the directions of A only move a
    double left[2] = {c[0] - S[0] * dn[0] - S[1] * dn[1], c[1] - S[1] * dn[0] - S[2] * dn[1]}, u = left[0];
    if (w->nflat == 2) {
        double v = left[1] / M[3];
        u -= M[1] * v;
        if (!w->of_B[1]) ds[0] += M[1] * v, ds[1] += M[3] * v;
    }
    if (!w->of_B[0]) ds[0] += u;
}

static double least_eigenvalue(const trxi_witness *w, const double S[3])
{
    if (w->nflat == 2) return INFINITY;
    if (w->nflat == 1) return fabs(S[2]);
    return fabs(0.5 * (S[0] + S[2]) - hypot(0.5 * (S[0] - S[2]), S[1]));
}

static void solve_motion(const trxi_witness *w, double r_A, motion *m)
{
    const double *P = w->Sigma_A, *Q = w->Sigma_B;
    double d = w->d, k = d - r_A;
    double S[3] = {d + P[0] + Q[0], P[1] + Q[1], d + P[2] + Q[2]};
    const double c[4][2] = {{1, 0}, {0, 1}, {k + Q[0], Q[1]}, {Q[1], k + Q[2]}};
    m->least = least_eigenvalue(w, S);
    for (int j = 0; j < 4; j++) {
        const double tau[2] = {j == 2, j == 3};
        double dn[2], ds[2];
        solve_column(w, S, c[j], tau, dn, ds);
        m->dn[0][j] = dn[0], m->dn[1][j] = dn[1];
        m->da[0][j] = (P[0] + r_A) * dn[0] + P[1] * dn[1] + ds[0];
        m->da[1][j] = P[1] * dn[0] + (P[2] + r_A) * dn[1] + ds[1];
    }
}

// T (2 x 2) T^T from columns 0, 1 of `of`, and T (2 x 2) with tau = (t2 . theta, -t1 . theta) from columns 2, 3
static void to_world(const double of[2][4], const double frame[9], double by_x[9], double by_theta[9])
{
    const double *t1 = frame, *t2 = frame + 3;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            by_x[i + 3 * j] = t1[i] * (of[0][0] * t1[j] + of[0][1] * t2[j]) + t2[i] * (of[1][0] * t1[j] + of[1][1] * t2[j]);
            by_theta[i + 3 * j] =
                t1[i] * (of[0][2] * t2[j] - of[0][3] * t1[j]) + t2[i] * (of[1][2] * t2[j] - of[1][3] * t1[j]);
        }
}

// rotation of the outward normal n until it leaves the piece, as a distance
static double turning_tie(const trxi_piece *piece, const double n[3], const trxi_witness *w, const motion *m)
{
    double angle[TRXI_MAX_TURNS], direction[TRXI_MAX_TURNS][3], least = INFINITY, size = trxi_core_size(piece->core);
    int count = trxi_piece_turns(piece, n, angle, direction);
    bool straight = trxi_core_is_straight(w->A.core) && trxi_core_is_straight(w->B.core);
    for (int k = 0; k < count; k++) {
        double u = trxi_dot3(w->frame, direction[k]), v = trxi_dot3(w->frame + 3, direction[k]), length = hypot(u, v);
        if (!(length > 0)) continue;
        double rate = hypot(u * m->dn[0][0] + v * m->dn[1][0], u * m->dn[0][1] + v * m->dn[1][1]) / length;
        // straight pieces change earlier, when they become nearly parallel (flush.c)
        double turn = straight && angle[k] > TRXI_FLUSH_SINE ? angle[k] - TRXI_FLUSH_SINE : angle[k];
        least = fmin(least, turn / (rate + 1 / size));
    }
    return least;
}

static double tie_of(const trxi_witness *w, const motion *m)
{
    if (w->forced) return m->least;
    double moving = hypot(hypot(m->da[0][0], m->da[0][1]), hypot(m->da[1][0], m->da[1][1]));
    double room = fmin(trxi_piece_room(&w->A, w->a), trxi_piece_room(&w->B, w->b));
    double minus[3] = {-w->n[0], -w->n[1], -w->n[2]}, tie = fmin(room / fmax(1, moving), m->least);
    tie = fmin(tie, fmin(turning_tie(&w->A, w->n, w, m), turning_tie(&w->B, minus, w, m)));
    // material points that replace parallel pieces, or none
    return w->A.restricted || w->B.restricted || !w->settled ? 0 : tie;
}

void trxi_witness_contact(const trxi_witness *w, const double origin[3], bool derivatives, trxi_contact_point *c)
{
    double r_A = w->A.core->radius;
    motion m;
    solve_motion(w, r_A, &m);
    c->phi = w->d - r_A - w->B.core->radius;
    trxi_copy3(w->n, c->n);
    trxi_add3(origin, w->a, c->a);
    trxi_axpy3(r_A, w->n, c->a);
    c->tie = tie_of(w, &m);
    c->feature = w->A.number * trxi_core_features(w->B.core) + w->B.number;
    c->sliding = false;
    if (!derivatives) return;
    to_world(m.dn, w->frame, c->dn_dx, c->dn_dtheta);
    to_world(m.da, w->frame, c->da_dx, c->da_dtheta);
}
