// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A box against a box or a capsule, whose core is a segment (theory 6). The shapes are cores grown by balls. d is the
// distance of the cores (-depth for overlap) and phi = d - r_A - r_B. The largest separation is a lower bound of d, and
// equals d for overlap. The axis with the largest separation decides the kind of contact (box_axes.c):
//
//     a face     the overlap of this face with the most opposite face of the other box, or with the segment: up to eight
//                points, whose heights over the face are their phi (patch.h); with a gap, only if the lowest height equals d
//     two edges  one point where they cross
//     neither    with a gap: one point, between the nearest corners and edges, or the two ends of parallel edges
//                (box_edges.c)
//
// A face wins over edges whose common normal is within 0.02 rad of its own. A body on the face then keeps all its
// points when it leans a little; the lowest of the heights exceeds d by less than 1e-3 of d. The larger of two
// parallel faces is the reference, and A's face if both are equal, so the choice does not depend on the motion.
//
// feature: for a face its number and the corner, the two edges, or the corner and the face that meet; otherwise the
// corner or edge of each box. tie: the tie of the corners of the overlap (patch.h), or the distance to the ends of
// edges, and to the next axis.

#include "geometry/box_pair.h"
#include "geometry/pairs.h"
#include "geometry/patch.h"

#include <stddef.h>

static const double parallel_sine = 0.02;
static const double parallel_cosine = 0.99980000666657776; // cos 0.02
static const double edge_bias = 1e-6;                      // of the smallest half length
static const double round_off = 1e-9;                      // of the smallest half length
static const double parallel_excess = 1e-3;                // of the distance

typedef struct query {
    trxi_box_pair pair;
    double margin;
    bool derivatives;
    trxi_box_axis axes[TRXI_BOX_AXES];
    int count;
    // face case
    const trxi_box_axis *face;
    trxi_face reference, incident;
    int corners[2][4]; // corner numbers of both pieces
    bool parallel;     // an edge of the incident piece, or the piece, is parallel to the face
    double room;       // distance to the angle at which edges take over from the face, INFINITY when no edges compete [m]
    trxi_patch patch;
} query;

// one face of a box, counterclockwise from outside
static void box_face(const trxi_core *core, int axis, bool positive, trxi_face *face, int corners[4])
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    face->count = 4;
    face->ring = 0;
    face->radius = core->radius;
    face->feature = 2 * axis + positive;
    trxi_scale3(positive ? 1 : -1, core->R + 3 * axis, face->normal);
    for (int k = 0; k < 4; k++) {
        int turn = positive ? k : 3 - k;
        bool plus_u = turn == 0 || turn == 3, plus_v = turn < 2;
        corners[k] = positive << axis | plus_u << u | plus_v << v;
        trxi_copy3(core->p, face->x[k]);
        for (int i = 0; i < 3; i++)
            trxi_axpy3(corners[k] >> i & 1 ? core->h[i] : -core->h[i], core->R + 3 * i, face->x[k]);
    }
}

static void segment_piece(const trxi_core *core, trxi_face *face, int corners[4])
{
    face->count = 2;
    face->ring = 0;
    face->radius = core->radius;
    face->feature = 0;
    trxi_copy3(core->R + 6, face->axis);
    for (int k = 0; k < 2; k++) {
        corners[k] = k << 2;
        trxi_copy3(core->p, face->x[k]);
        trxi_axpy3(k ? core->h[2] : -core->h[2], face->axis, face->x[k]);
    }
}

// the piece of `core` that faces the plane of the reference; m: normal of this plane in the axes of `core`
static void choose_incident(const trxi_core *core, const double m[3], query *q)
{
    if (core->kind != TRXI_CORE_BOX) {
        segment_piece(core, &q->incident, q->corners[1]);
        q->parallel = fabs(m[2]) < parallel_sine;
        return;
    }
    int axis = fabs(m[1]) > fabs(m[0]) ? 1 : 0;
    if (fabs(m[2]) > fabs(m[axis])) axis = 2;
    box_face(core, axis, m[axis] < 0, &q->incident, q->corners[1]);
    q->parallel = fmin(fabs(m[0]), fmin(fabs(m[1]), fabs(m[2]))) < parallel_sine;
}

// both pieces of a face axis, and their overlap
static void clip(query *q, const trxi_box_axis *face)
{
    const trxi_box_pair *pair = &q->pair;
    const double *C = pair->C;
    q->face = face;
    if (face->a >= 0) {
        double sign = face->n[face->a], m[3] = {sign * C[face->a], sign * C[face->a + 3], sign * C[face->a + 6]};
        box_face(&pair->A, face->a, sign > 0, &q->reference, q->corners[0]);
        choose_incident(&pair->B, m, q);
    } else {
        bool positive = pair->t_B[face->b] < 0;
        double m[3] = {-face->n[0], -face->n[1], -face->n[2]};
        box_face(&pair->B, face->b, positive, &q->reference, q->corners[0]);
        choose_incident(&pair->A, m, q);
    }
    trxi_patch_clip(&q->reference, &q->incident, &q->patch);
}

// names of the corners of the overlap by the boxes' own numbers, below 12 * 256
static int patch_feature(const query *q, const trxi_patch_point *p)
{
    const int *reference = q->corners[0], *incident = q->corners[1];
    int base = 256 * ((q->face->a < 0 ? 6 : 0) + q->reference.feature);
    if (p->kind == TRXI_PATCH_VERTEX) return base + incident[p->i];
    if (p->kind == TRXI_PATCH_CROSSING) {
        int edge = trxi_box_edge_number(incident[p->i], incident[(p->i + 1) % q->incident.count]);
        return base + 8 + 12 * edge + trxi_box_edge_number(reference[p->k], reference[(p->k + 1) % 4]);
    }
    // sides i < k meet at vertex k, except the first and the last side, which meet at vertex 0
    return base + 152 + 6 * reference[p->k - p->i == 1 ? p->k : 0] + q->incident.feature;
}

// distance to the state in which another, not parallel axis takes over
static double axis_tie(const query *q, const trxi_box_axis *chosen, bool parallel)
{
    double tie = INFINITY;
    for (int k = 0; k < q->count; k++) {
        const trxi_box_axis *other = &q->axes[k];
        if (other == chosen) continue;
        double cosine = trxi_dot3(chosen->n, other->n);
        if (parallel && cosine > parallel_cosine) continue;
        double lead = fmax(0, chosen->separation - other->separation);
        tie = fmin(tie, lead / (sqrt(fmax(0, 2 - 2 * cosine)) + 1e-9));
    }
    return tie;
}

static int put_patch(query *q, trxi_contact_point *points)
{
    trxi_patch *patch = &q->patch;
    double tie = fmin(q->room, axis_tie(q, q->face, q->parallel));
    for (int k = 0; k < patch->count; k++) {
        patch->points[k].feature = patch_feature(q, &patch->points[k]);
        patch->points[k].tie = fmin(patch->points[k].tie, tie);
    }
    return trxi_patch_points(patch, q->face->a >= 0, q->margin, q->derivatives, points);
}

// the foremost corner above the plane of a face, also beside the face; used when rounding leaves no overlap
static int put_foremost(query *q, trxi_contact_point *points)
{
    double least = INFINITY;
    int foremost = 0;
    for (int k = 0; k < q->incident.count; k++)
        if (q->patch.over[k][2] < least) least = q->patch.over[k][2], foremost = k;
    trxi_copy3(q->incident.x[foremost], q->incident.x[0]);
    q->corners[1][0] = q->corners[1][foremost];
    q->incident.count = 1;
    trxi_patch_clip(&q->reference, &q->incident, &q->patch);
    return put_patch(q, points);
}

static int put_edges(const query *q, const trxi_box_edges *e, const double n[3], double d, double tie,
                     trxi_contact_point *out)
{
    if (!(d - q->pair.A.radius - q->pair.B.radius < q->margin)) return 0;
    trxi_box_edges_contact(&q->pair, e, n, d, q->derivatives, out);
    out->feature += 12 * 256;
    out->tie = fmin(out->tie, tie);
    return 1;
}

// edges that cross between their ends
static bool crosses(const query *q, const trxi_box_edges *e)
{
    return trxi_box_inside_edge(e->s, q->pair.A.h[e->a]) && trxi_box_inside_edge(e->t, q->pair.B.h[e->b]);
}

static int put_crossing(const query *q, const trxi_box_axis *axis, const trxi_box_edges *e, trxi_contact_point *points)
{
    double cosine = q->pair.C[e->a + 3 * e->b], sine = sqrt(fmax(0, 1 - cosine * cosine));
    double tie = fmin(axis_tie(q, axis, false),
                      sine * fmin(fabs(q->pair.A.h[e->a] - fabs(e->s)), fabs(q->pair.B.h[e->b] - fabs(e->t))));
    return put_edges(q, e, axis->n, axis->separation, tie, points);
}

// the contact of the nearest corners or edges; a corner stays the nearest until n leaves the cone of its normals
static int put_one(const query *q, const trxi_box_edges *e, trxi_contact_point *out)
{
    bool edge_A = trxi_box_inside_edge(e->s, q->pair.A.h[e->a]), edge_B = trxi_box_inside_edge(e->t, q->pair.B.h[e->b]);
    double n[3], n_B[3], tie = INFINITY;
    trxi_scale3(1 / e->distance, e->w, n);
    trxi_mulv3_t(q->pair.C, n, n_B);
    for (int k = 0; k < 3; k++) {
        if (!(edge_A && k == e->a)) tie = fmin(tie, e->distance * fabs(n[k]));
        if (!(edge_B && k == e->b) && q->pair.B.h[k] > 0) tie = fmin(tie, e->distance * fabs(n_B[k]));
    }
    return put_edges(q, e, n, e->distance, tie, out);
}

// the angle after which two directions no longer count as parallel, times the smallest half length [m]
static double room_to_turn(const query *q, double cosine)
{
    return (parallel_sine - sqrt(fmax(0, 2 - 2 * fabs(cosine)))) * q->pair.least;
}

// cores at distance d along n: the ends of parallel edges, if one of the ends is as near; otherwise -1
static int put_parallel(const query *q, const double n[3], double d, trxi_contact_point *points)
{
    trxi_box_edges ends[2];
    if (!trxi_box_parallel_edges(&q->pair, n, ends)) return -1;
    double bound = (1 + parallel_excess) * d + edge_bias * q->pair.least;
    if (fmin(ends[0].distance, ends[1].distance) > bound) return -1;
    int count = put_one(q, &ends[0], points);
    count += put_one(q, &ends[1], points + count);
    double room = fmax(0, room_to_turn(q, q->pair.C[ends[0].a + 3 * ends[0].b]));
    for (int k = 0; k < count; k++) points[k].tie = fmin(points[k].tie, room);
    return count;
}

static int put_nearest(const query *q, const trxi_box_axis *axis, trxi_contact_point *points)
{
    trxi_box_edges e = trxi_box_nearest_edges(&q->pair, axis);
    double n[3];
    trxi_scale3(1 / e.distance, e.w, n);
    int count = put_parallel(q, n, e.distance, points);
    return count < 0 ? put_one(q, &e, points) : count;
}

static const trxi_box_axis *largest(const trxi_box_axis *axes, int first, int end)
{
    int best = first;
    for (int k = first + 1; k < end; k++)
        if (axes[k].separation > axes[best].separation) best = k;
    return axes + best;
}

static double face_area(const trxi_core *core, int axis)
{
    return core->h[(axis + 1) % 3] * core->h[(axis + 2) % 3];
}

// chooses the larger of two parallel faces of A and B
static const trxi_box_axis *larger_face(const trxi_box_pair *pair, const trxi_box_axis *a, const trxi_box_axis *b)
{
    return face_area(&pair->B, b->b) > (1 + round_off) * face_area(&pair->A, a->a) ? b : a;
}

// the face that becomes the reference
static const trxi_box_axis *choose_face(const query *q, int nface)
{
    const trxi_box_pair *pair = &q->pair;
    const trxi_box_axis *a = largest(q->axes, 0, 3);
    if (nface == 3) return a;
    const trxi_box_axis *b = largest(q->axes, 3, nface);
    if (trxi_dot3(a->n, b->n) > parallel_cosine) return larger_face(pair, a, b);
    return b->separation > a->separation + round_off * pair->least ? b : a;
}

// height of the lowest corner of the overlap, as a distance of the cores
static double lowest(const query *q)
{
    return q->patch.least + q->pair.A.radius + q->pair.B.radius;
}

// whether the clipped overlap attains the distance of cores that are at least `bound` apart
static bool attains(const query *q, double bound)
{
    double excess = q->parallel ? parallel_excess * bound + edge_bias * q->pair.least : round_off * q->pair.least;
    return lowest(q) <= bound + excess;
}

// the overlap over a face whose normal is near the normal of an axis of edges; false without such a face
static bool clip_near(query *q, const trxi_box_axis *axis, int nface)
{
    const trxi_box_axis *near[2] = {NULL, NULL};
    for (int k = 0; k < nface; k++)
        if (trxi_dot3(q->axes[k].n, axis->n) > parallel_cosine) near[k / 3] = &q->axes[k];
    const trxi_box_axis *face = near[0] && near[1] ? larger_face(&q->pair, near[0], near[1]) : near[0] ? near[0] : near[1];
    if (!face) return false;
    if (face != q->face) clip(q, face);
    q->room = fmax(0, room_to_turn(q, trxi_dot3(face->n, axis->n)));
    return q->patch.count > 0;
}

// cores apart, or touching. The separation along `best` is the least possible distance. Tries the patches and the crossing edges
// that may have this distance, and takes the nearest points if none of them has it
static int collide_apart(query *q, const trxi_box_axis *best, int nface, trxi_contact_point *points)
{
    if (q->parallel && attains(q, best->separation)) return put_patch(q, points);
    if (best->a >= 0 && best->b >= 0) {
        if (clip_near(q, best, nface) && q->parallel && attains(q, best->separation)) return put_patch(q, points);
        trxi_box_edges e = trxi_box_crossing_edges(&q->pair, best);
        if (crosses(q, &e)) {
            int count = put_parallel(q, best->n, best->separation, points);
            return count < 0 ? put_crossing(q, best, &e, points) : count;
        }
    } else if (best != q->face) {
        clip(q, best);
        if (attains(q, best->separation)) return put_patch(q, points);
    }
    return put_nearest(q, best, points);
}

// cores that overlap or touch; `face` is the best face
static int collide_overlap(query *q, const trxi_box_axis *best, const trxi_box_axis *face, int nface,
                           trxi_contact_point *points)
{
    if (best->a >= 0 && best->b >= 0 && best->separation > face->separation + edge_bias * q->pair.least) {
        if (clip_near(q, best, nface)) return put_patch(q, points);
        trxi_box_edges e = trxi_box_crossing_edges(&q->pair, best);
        return put_crossing(q, best, &e, points);
    }
    if (q->patch.count == 0 && face != q->face) clip(q, face);
    return q->patch.count > 0 ? put_patch(q, points) : put_foremost(q, points);
}

int trxi_collide_boxes(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                       trxi_contact_point *points)
{
    query q;
    q.pair = trxi_box_pair_of(A, B);
    q.margin = margin;
    q.derivatives = derivatives;
    q.room = INFINITY;
    const double reach = margin + q.pair.A.radius + q.pair.B.radius, touching = round_off * q.pair.least;
    const int nface = trxi_box_face_axes(&q.pair, reach, q.axes);
    if (nface == 0) return 0;

    // faces alone, if a corner of one box is over a face of the other
    q.count = nface;
    clip(&q, choose_face(&q, nface));
    const trxi_box_axis *face = largest(q.axes, 0, nface);
    if (face->separation > touching && attains(&q, face->separation)) return put_patch(&q, points);

    // with the edges
    q.count = trxi_box_edge_axes(&q.pair, reach, q.axes, nface);
    if (q.count == 0) return 0;
    const trxi_box_axis *best = largest(q.axes, 0, q.count);
    return best->separation > touching ? collide_apart(&q, best, nface, points)
                                       : collide_overlap(&q, best, face, nface, points);
}
