// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A halfspace, solid where z < 0 of its frame, against shapes without few extreme points: a mesh (its hull), a
// cylinder, an ellipsoid, each grown by a ball of radius r (theory 1, 6). With c a contact point of B's core, at
// height z over the plane,
//     phi = z - r,     a = c - z n,     dn = 0 (against A),     da = (I - n n^T)(x + (z I + Sigma) theta x n)
//
// where Sigma is the tensor of B's surface at c (piece.h): theta turns the lowest point along a curved surface. Sigma is 0 for
// points fixed in the material.
//
//     ellipsoid   the lowest point
//     cylinder    standing (sine of the tilt below 0.02): eight points of the lower rim, fixed in the material at equal angles.
//                 Lying (|axis . n| below 0.02): the lowest points of both rims. Otherwise the lowest point of the lower rim.
//                 As with capsules that lie along each other (segment.c), what lies flat must resist turning; a step that
//                 crosses 0.02 rad sees one point become several. The least phi of a standing cylinder is too large by
//                 at most (1 - cos(pi/8)) 0.02 radius.
//     mesh        the vertices within the margin; of more than eight, the vertices that would be lowest if the plane were tilted by
//                 0.1 in eight directions, which depend only on n in the mesh's axes, then by more until there are eight; and the
//                 lowest.
//
// feature: vertex; cylinder: 0 to 7 and 8 to 15 points of the lower and upper rim, 16 and 17 the rims as a whole.
// tie: of a cylinder the distance from the angles at which the number of points changes, times the size of the cylinder.

#include "geometry/pairs.h"
#include "geometry/piece.h"

static const double flush_sine = 0.02;
enum { MAX_CHOSEN = 8 };

// the lowest point of a curved piece
static bool put_piece(const trxi_placed_shape *A, const trxi_piece *piece, double margin, bool derivatives,
                      trxi_contact_point *out)
{
    const double *n = A->R + 6, down[3] = {-n[0], -n[1], -n[2]};
    double c[3], Sigma[9], spin[9], turn[9];
    trxi_piece_point(piece, down, c, Sigma);
    double z = trxi_height_over(A, c), radius = piece->core->radius;
    if (!(z - radius < margin)) return false;
    trxi_put_over(A->R + 6, c, z, radius, derivatives, out);
    if (!derivatives) return true;
    // the part of Sigma: theta x n = -[n]x theta
    trxi_skew33(n, spin);
    trxi_mul33(Sigma, spin, turn);
    for (int i = 0; i < 9; i++) out->da_dtheta[i] -= turn[i];
    return true;
}

int trxi_collide_halfspace_ellipsoid(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin,
                                     bool derivatives, trxi_contact_point *points)
{
    trxi_core core = trxi_core_of(B);
    trxi_piece piece = {.kind = TRXI_PIECE_SMOOTH, .core = &core};
    points->feature = 0;
    return put_piece(A, &piece, margin, derivatives, points);
}

// the middle of an end
static void end_centre(const trxi_core *core, int upper, double c[3])
{
    trxi_copy3(core->p, c);
    trxi_axpy3(upper ? core->h[2] : -core->h[2], core->R + 6, c);
}

static int standing_cylinder(const trxi_placed_shape *A, const trxi_core *core, int upper, double margin,
                             bool derivatives, trxi_contact_point *points)
{
    static const double half = 0.70710678118654752440; // of the square root of 2
    const double c[8] = {1, half, 0, -half, -1, -half, 0, half};
    int count = 0;
    for (int k = 0; k < 8; k++) {
        double x[3];
        end_centre(core, upper, x);
        trxi_axpy3(core->h[0] * c[k], core->R, x);
        trxi_axpy3(core->h[0] * c[(k + 6) % 8], core->R + 3, x);
        double z = trxi_height_over(A, x);
        if (!(z - core->radius < margin)) continue;
        points[count].feature = 8 * upper + k;
        trxi_put_over(A->R + 6, x, z, core->radius, derivatives, points + count++);
    }
    return count;
}

int trxi_collide_halfspace_cylinder(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin,
                                    bool derivatives, trxi_contact_point *points)
{
    trxi_core core = trxi_core_of(B);
    double along = trxi_dot3(A->R + 6, B->R + 6), cross[3];
    trxi_cross3(A->R + 6, B->R + 6, cross);
    double across = trxi_norm3(cross);
    int lower = along < 0, count = 0;
    if (across < flush_sine) count = standing_cylinder(A, &core, lower, margin, derivatives, points);
    else
        for (int upper = 0; upper < 2; upper++) {
            if (fabs(along) >= flush_sine && upper != lower) continue;
            trxi_piece rim = {.kind = TRXI_PIECE_RIM, .core = &core};
            end_centre(&core, upper, rim.x0);
            points[count].feature = 16 + upper;
            count += put_piece(A, &rim, margin, derivatives, points + count);
        }
    double tie = fmin(fabs(across - flush_sine), fabs(fabs(along) - flush_sine)) * trxi_core_size(&core);
    for (int k = 0; k < count; k++) points[k].tie = tie;
    return count;
}

// the lowest vertices when the plane is tilted by `tilt` in eight directions, appended to the vertices chosen before;
// they must be at least `depth` along `down` (in the frame of the hull)
static int choose_by_tilt(const trxi_hull *hull, int lowest, const double down[3], double depth, double tilt, int count,
                          int *chosen)
{
    static const double eighth = 0.78539816339744830962; // pi/4
    double frame[9];
    trxi_frame33(down, frame);
    for (int k = 0; k < MAX_CHOSEN && count < MAX_CHOSEN; k++) {
        double d[3];
        trxi_copy3(down, d);
        trxi_axpy3(tilt * cos((k + 0.5) * eighth), frame, d);
        trxi_axpy3(tilt * sin((k + 0.5) * eighth), frame + 3, d);
        int vertex = trxi_hull_climb(hull, lowest, d), known = 0;
        while (known < count && chosen[known] != vertex) known++;
        if (known == count && trxi_dot3(hull->vertices + 3 * vertex, down) > depth) chosen[count++] = vertex;
    }
    return count;
}

// with more vertices than points: the vertices that become lowest when the body tilts
static int choose_vertices(const trxi_hull *hull, int lowest, const double down[3], double depth, int chosen[MAX_CHOSEN])
{
    static const double tilts[] = {0.1, 0.4, 1.5};
    int count = 0, nearest = 0;
    for (int k = 0; k < 3; k++) count = choose_by_tilt(hull, lowest, down, depth, tilts[k], count, chosen);

    // adds the lowest one, in place of the vertex nearest to it if there is no room
    double least = INFINITY;
    for (int k = 0; k < count; k++) {
        double apart[3];
        trxi_sub3(hull->vertices + 3 * chosen[k], hull->vertices + 3 * lowest, apart);
        if (trxi_norm3(apart) < least) least = trxi_norm3(apart), nearest = k;
    }
    if (least > 0 && count < MAX_CHOSEN) nearest = count++;
    chosen[nearest] = lowest;
    return count;
}

static void sort(int *ids, int count)
{
    for (int j = 1; j < count; j++) {
        int id = ids[j], k = j;
        for (; k > 0 && ids[k - 1] > id; k--) ids[k] = ids[k - 1];
        ids[k] = id;
    }
}

int trxi_collide_halfspace_mesh(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                                trxi_contact_point *points)
{
    const trxi_hull *hull = B->shape->hull;
    double up[3], down[3], radius = B->shape->rounding, centre = trxi_height_over(A, B->p);
    trxi_mulv3_t(B->R, A->R + 6, up);
    trxi_scale3(-1, up, down);
    int lowest = trxi_hull_climb(hull, 0, down), chosen[MAX_CHOSEN], within = 0;
    if (!(centre + trxi_dot3(hull->vertices + 3 * lowest, up) - radius < margin)) return 0;
    for (int i = 0; i < hull->nvertex && within <= MAX_CHOSEN; i++) {
        if (!(centre + trxi_dot3(hull->vertices + 3 * i, up) - radius < margin)) continue;
        if (within < MAX_CHOSEN) chosen[within] = i;
        within++;
    }
    if (within > MAX_CHOSEN) within = choose_vertices(hull, lowest, down, centre - radius - margin, chosen);
    sort(chosen, within);

    int count = 0;
    for (int k = 0; k < within; k++) {
        double c[3];
        trxi_mulv3(B->R, hull->vertices + 3 * chosen[k], c);
        trxi_add3(c, B->p, c);
        double z = trxi_height_over(A, c);
        if (!(z - radius < margin)) continue;
        points[count].feature = chosen[k];
        trxi_put_over(A->R + 6, c, z, radius, derivatives, points + count++);
    }
    return count;
}
