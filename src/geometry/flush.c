// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pieces that are parallel within 0.02 rad touch in more than one point (theory 6), because one point would not
// resist rotation:
//
//     a face and a face, an edge or the side of a cylinder    the corners of their overlap over the face (patch.h). The larger
//                                                             of two faces is the reference, A's if they are equal
//     two edges or sides                                      the two ends of their overlap: the end of one, on a cylinder the
//                                                             circle at this end, against the line of the other
//
// Separated cores count as parallel only if the lowest of these points is as near as the cores are, up to 1e-3 of the
// distance. Otherwise the overlap does not contain the nearest points. The numbers of the features are the numbers of
// patch.h, or of the end and the line, combined with the numbers of the pieces.

#include "geometry/witness.h"

#include "geometry/patch.h"
#include "math/vec3.h"

static const double parallel_sine = TRXI_FLUSH_SINE;
static const double excess = 1e-3;     // of the distance
static const double round_off = 1e-9;  // of the sizes

// returns whether the lowest point, which is `above` farther than the distance d of the cores, is near enough. Lowers `tie` to the
// distance from this limit, unless the point is as near as d [m]
static bool is_near(const trxi_witness *w, double above, double size, double *tie)
{
    if (!(w->d > 0)) return true;
    double slack = excess * w->d + round_off * size;
    if (above > round_off * size) *tie = fmin(*tie, fmax(0, slack - above));
    return above <= slack;
}

// distance from the angle at which pieces no longer count as parallel; `normal`: parallel pieces have a normal to b
static double turning_tie(const double a[3], const double b[3], bool normal, double size)
{
    double cross[3];
    trxi_cross3(a, b, cross);
    return fmax(0, parallel_sine - (normal ? fabs(trxi_dot3(a, b)) : trxi_norm3(cross))) * size;
}

static double face_area(const trxi_face *face)
{
    double sum[3] = {0, 0, 0}, e[3], f[3];
    for (int k = 2; k < face->count; k++) {
        trxi_sub3(face->x[k - 1], face->x[0], e);
        trxi_sub3(face->x[k], face->x[0], f);
        trxi_cross_add3(e, f, sum);
    }
    return trxi_dot3(sum, face->normal);
}

static int mixed(unsigned a, unsigned b, unsigned c)
{
    return (int)(((a * 2654435761u ^ b) * 2246822519u + c) & 0x3fffffffu) | 0x40000000;
}

static int over_face(const trxi_witness *w, const trxi_face *reference, bool reference_is_A, const double origin[3],
                     double margin, bool derivatives, trxi_contact_point *points)
{
    const trxi_core *other = reference_is_A ? w->B.core : w->A.core;
    double down[3] = {-reference->normal[0], -reference->normal[1], -reference->normal[2]};
    trxi_face incident;
    trxi_supporting_face(other, down, parallel_sine, &incident);
    if (incident.count < 2) return -1;
    trxi_patch patch;
    trxi_patch_clip(reference, &incident, &patch);
    double size = fmin(trxi_core_size(w->A.core), trxi_core_size(w->B.core));
    double tie = turning_tie(reference->normal, w->n, false, size);
    if (patch.count == 0) return -1;
    if (!is_near(w, patch.least + reference->radius + incident.radius - w->d, size, &tie)) return -1;

    tie = fmin(tie, incident.count == 2 ? turning_tie(reference->normal, incident.axis, true, size)
                                        : turning_tie(reference->normal, incident.normal, false, size));
    int count = trxi_patch_points(&patch, reference_is_A, margin, derivatives, points);
    for (int k = 0; k < count; k++) {
        trxi_add3(points[k].a, origin, points[k].a);
        points[k].tie = fmin(points[k].tie, tie);
        points[k].feature = mixed((unsigned)(2 * reference->feature + reference_is_A), (unsigned)incident.feature,
                                  (unsigned)points[k].feature);
    }
    return count;
}

// the end of an edge or side as a piece: 0 the first point, 1 the second
static void end_piece(const trxi_core *core, const trxi_face *face, int end, trxi_piece *piece)
{
    *piece = (trxi_piece){.kind = face->ring > 0 ? TRXI_PIECE_RIM : TRXI_PIECE_FIXED, .core = core};
    piece->number = 2 * face->feature + end;
    trxi_copy3(face->x[end], piece->x0);
}

static void line_piece(const trxi_core *core, const trxi_face *face, trxi_piece *piece)
{
    *piece = (trxi_piece){.kind = face->ring > 0 ? TRXI_PIECE_SIDE : TRXI_PIECE_FIXED, .core = core, .nflat = 1};
    piece->number = face->feature;
    trxi_copy3(face->x[0], piece->x0);
    trxi_copy3(face->axis, piece->flat[0]);
}

// distance of a point from the ends of a line that does not belong to the point's own core
static double room_on(const trxi_face *line, const double x[3])
{
    double arm[3], e[3];
    trxi_sub3(x, line->x[0], arm);
    trxi_sub3(line->x[1], line->x[0], e);
    double along = trxi_dot3(arm, line->axis), length = trxi_dot3(e, line->axis);
    return fmax(0, fmin(along, length - along));
}

static int along_lines(const trxi_witness *w, const trxi_face faces[2], double sine, const double origin[3], double margin,
                       bool derivatives, trxi_contact_point *points)
{
    const trxi_core *cores[2] = {w->A.core, w->B.core};
    // the part of A's line beside B's line; s: A's ends and B's ends along A's axis
    double s[4], longest = 0;
    for (int k = 0; k < 4; k++) {
        double arm[3];
        trxi_sub3(faces[k / 2].x[k % 2], faces[0].x[0], arm);
        s[k] = trxi_dot3(arm, faces[0].axis);
        if (k % 2) longest = fmax(longest, fabs(s[k] - s[k - 1]));
    }
    int low = s[2] < s[3] ? 2 : 3, high = 5 - low;
    int ends[2] = {s[low] > s[0] ? low : 0, s[high] < s[1] ? high : 1};
    if (!(s[ends[0]] < s[ends[1]])) return -1;

    trxi_contact_point found[2];
    double least = INFINITY, size = fmin(trxi_core_size(cores[0]), trxi_core_size(cores[1]));
    for (int k = 0; k < 2; k++) {
        trxi_witness at = *w;
        int of = ends[k] / 2;
        trxi_piece *pieces[2] = {&at.A, &at.B};
        end_piece(cores[of], &faces[of], ends[k] % 2, pieces[of]);
        line_piece(cores[1 - of], &faces[1 - of], pieces[1 - of]);
        trxi_witness_between(&at, size);
        trxi_witness_contact(&at, origin, derivatives, &found[k]);
        double turning = (parallel_sine - sine) * longest;
        found[k].tie = fmin(found[k].tie, fmin(turning, room_on(&faces[1 - of], of ? at.a : at.b)));
        found[k].feature = mixed((unsigned)faces[0].feature, (unsigned)faces[1].feature, (unsigned)(1000 + ends[k]));
        least = fmin(least, at.d);
    }
    double tie = INFINITY;
    if (!is_near(w, least - w->d, size, &tie)) return -1;
    int count = 0;
    for (int k = 0; k < 2; k++) {
        if (!(found[k].phi < margin)) continue;
        points[count] = found[k];
        points[count].tie = fmin(found[k].tie, tie);
        count++;
    }
    return count;
}

int trxi_flush_points(const trxi_witness *w, const double origin[3], double margin, bool derivatives,
                      trxi_contact_point *points)
{
    if (!trxi_core_is_straight(w->A.core) || !trxi_core_is_straight(w->B.core)) return -1;
    double minus[3] = {-w->n[0], -w->n[1], -w->n[2]};
    trxi_face faces[2];
    trxi_supporting_face(w->A.core, w->n, parallel_sine, &faces[0]);
    if (faces[0].count < 2) return -1;
    trxi_supporting_face(w->B.core, minus, parallel_sine, &faces[1]);
    if (faces[1].count < 2) return -1;
    if (faces[0].count > 2 && faces[1].count > 2) {
        bool A = face_area(&faces[1]) <= (1 + round_off) * face_area(&faces[0]);
        return over_face(w, &faces[A ? 0 : 1], A, origin, margin, derivatives, points);
    }
    if (faces[0].count > 2) return over_face(w, &faces[0], true, origin, margin, derivatives, points);
    if (faces[1].count > 2) return over_face(w, &faces[1], false, origin, margin, derivatives, points);
    double cross[3];
    trxi_cross3(faces[0].axis, faces[1].axis, cross);
    double sine = trxi_norm3(cross);
    // two sharp edges are used only for separated cores
    bool sharp = faces[0].ring + faces[1].ring == 0;
    if (!(sine < parallel_sine) || (sharp && !(w->d > 0))) return -1;
    return along_lines(w, faces, sine, origin, margin, derivatives, points);
}
