// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Makes approximate nearest points of two cores exact (theory 6). On a pair of pieces (piece.h), n at the nearest points is the
// stationary point of the separation,
//
//     s(n) = n . (x_B(-n) - x_A(n)),      e . n = 0  for every flat direction e of either piece.
//
// The independent flat directions restrict n: two give n = e1 x e2, one leaves a rotation about it, none leaves two
// rotations. With T the tangent plane of n, n + T y a step, w = x_B - x_A and d = n . w,
//
//     grad s = T^T w,      hess s = -(d I + Sigma_A + Sigma_B),
//
// so Newton's step is (d I + Sigma) y = T^T w, Sigma = Sigma_A + Sigma_B. For separated cores (d > 0) a step always leads uphill.
// For overlap the search starts near a maximum, and a matrix that is not positive is shifted. Steps are halved until s does not
// fall. Two vertices, and a vertex and an edge, have a closed solution. The flat coordinates follow from sum_A e s_e - sum_B e s_e
// = T^T w.
//
// The pieces are right if both points lie within them and neither core reaches farther along n. Otherwise the wrong
// piece is widened or narrowed (piece.h) and the equations are solved again. A flat direction that is parallel to the
// others (parallel faces or edges) is dropped, and a material point of its core, found by the search, replaces its
// piece. Between two such pieces, the piece with more flat directions keeps them; piece A keeps them when both have equally many.

#include "geometry/witness.h"

#include "math/vec3.h"

#include <assert.h>

static const double parallel_sine = 1e-8;
static const double piece_tolerance = 1e-13; // of the lengths that enter
static const double face_tolerance = 1e-6; // distance of a corner from the plane of a merged face, share of the hull (hull.h)
static const double flat_sine = 1e-3; // sine of the angle between n and a cylinder's axis below which the end may hold the point
enum { MAX_CHANGES = 16, MAX_NEWTON = 60, MAX_HALVINGS = 30 };

// all quantities that depend on n, for one n
typedef struct evaluation {
    double x_A[3], x_B[3], w[3], s;
} evaluation;

static void evaluate(const trxi_witness *w, const double n[3], evaluation *at)
{
    double minus[3] = {-n[0], -n[1], -n[2]};
    trxi_piece_point(&w->A, n, at->x_A, NULL);
    trxi_piece_point(&w->B, minus, at->x_B, NULL);
    trxi_sub3(at->x_B, at->x_A, at->w);
    at->s = trxi_dot3(n, at->w);
}

// t1, t2 with t1 along `first` if given
static void tangent_frame(const double *first, const double n[3], double frame[9])
{
    if (!first) {
        trxi_frame33(n, frame);
        return;
    }
    trxi_copy3(first, frame);
    trxi_cross3(n, first, frame + 3);
    trxi_copy3(n, frame + 6);
}

static void tensors(const trxi_witness *w, const evaluation *at, const double frame[9], double Sigma_A[3], double Sigma_B[3])
{
    const double *n = frame + 6, minus[3] = {-n[0], -n[1], -n[2]};
    trxi_piece_tensor(&w->A, n, at->x_A, frame, Sigma_A);
    trxi_piece_tensor(&w->B, minus, at->x_B, frame, Sigma_B);
}

// solves (d I + Sigma) y = g for a step y uphill; with one flat direction y has only its second component
static void newton_step(double d, const double Sigma[3], const double g[2], bool one, double y[2])
{
    double a = d + Sigma[0], b = Sigma[1], c = d + Sigma[2];
    if (one) {
        y[0] = 0;
        y[1] = fabs(c) > 0 ? g[1] / fabs(c) : 0;
        return;
    }
    // shifted to positive
    double middle = 0.5 * (a + c), radius = hypot(0.5 * (a - c), b), least = middle - radius;
    double size = fabs(middle) + radius;
    if (!(least > 1e-14 * size)) {
        double shift = 0.1 * size - least;
        a += shift, c += shift;
    }
    double det = a * c - b * b;
    y[0] = det > 0 ? (c * g[0] - b * g[1]) / det : 0;
    y[1] = det > 0 ? (a * g[1] - b * g[0]) / det : 0;
}

static void turned(const double n[3], const double frame[9], const double y[2], double scale, double out[3])
{
    trxi_copy3(n, out);
    trxi_axpy3(scale * y[0], frame, out);
    trxi_axpy3(scale * y[1], frame + 3, out);
    trxi_normalize3(out, out);
}

// largest rotation of n in one step: not past the axis of a rim
static double longest_turn(const trxi_witness *w, const double n[3])
{
    double longest = 0.5;
    const trxi_piece *pieces[2] = {&w->A, &w->B};
    for (int k = 0; k < 2; k++) {
        if (pieces[k]->kind != TRXI_PIECE_RIM) continue;
        double across[3];
        trxi_cross3(pieces[k]->core->R + 6, n, across);
        longest = fmin(longest, 0.7 * trxi_norm3(across));
    }
    return longest;
}

// whether a rim, with n near its axis, should become the end of its cylinder: the other core's point is over the end
// (outward: 1 for A, -1 for B)
static bool is_end(const trxi_piece *rim, const trxi_piece *other, double outward, const double n[3])
{
    if (rim->kind != TRXI_PIECE_RIM || other->nflat > 0) return false;
    const trxi_core *core = rim->core;
    double across[3], x[3], arm[3], toward[3];
    trxi_cross3(core->R + 6, n, across);
    if (trxi_norm3(across) > flat_sine || outward * rim->corner * trxi_dot3(core->R + 6, n) < 0) return false;
    trxi_scale3(-rim->corner, core->R + 6, toward);
    trxi_piece_point(other, toward, x, NULL);
    trxi_sub3(x, core->p, arm);
    return hypot(trxi_dot3(core->R, arm), trxi_dot3(core->R + 3, arm)) <= core->h[0];
}

// whether n has turned from a rim to its side
static bool over_side(const trxi_piece *piece, double outward, const double n[3])
{
    return piece->kind == TRXI_PIECE_RIM && outward * piece->corner * trxi_dot3(piece->core->R + 6, n) < -flat_sine;
}

// the n that maximizes s, normal to the flat direction `first` if there is one
static void maximize(trxi_witness *w, const double *first)
{
    double before = 1;
    evaluation at, next;
    evaluate(w, w->n, &at);
    for (int k = 0; k < MAX_NEWTON; k++) {
        double frame[9], Sigma_A[3], Sigma_B[3], y[2], trial[3];
        tangent_frame(first, w->n, frame);
        tensors(w, &at, frame, Sigma_A, Sigma_B);
        for (int i = 0; i < 3; i++) Sigma_A[i] += Sigma_B[i];
        double g[2] = {trxi_dot3(frame, at.w), trxi_dot3(frame + 3, at.w)};
        newton_step(at.s, Sigma_A, g, first != NULL, y);
        double length = hypot(y[0], y[1]), longest = longest_turn(w, w->n), step = 1;
        if (!(length > 0)) return;
        if (longest < flat_sine && (is_end(&w->A, &w->B, 1, w->n) || is_end(&w->B, &w->A, -1, w->n))) return;
        if (length > longest) step = longest / length;

        // halves the step until s does not fall; near the end, round-off in s must not decide
        for (int i = 0; i < MAX_HALVINGS; i++) {
            turned(w->n, frame, y, step, trial);
            evaluate(w, trial, &next);
            if (next.s >= at.s || step * length < 1e-7) break;
            step *= 0.5;
        }
        if (length < 1e-8 && length >= 0.5 * before) return;
        trxi_copy3(trial, w->n);
        at = next;
        // the next step of a quadratically convergent iteration would be below round-off
        double ratio = length / before;
        if (length < 1e-15 || (length < 1e-4 && ratio * ratio * length < 1e-18)) return;
        if (over_side(&w->A, 1, w->n) || over_side(&w->B, -1, w->n)) return;
        before = length;
    }
}

// two vertices, or a vertex and an edge along `first`
static void separate_fixed(trxi_witness *w, const double *first, double scale)
{
    double c[3];
    trxi_sub3(w->B.x0, w->A.x0, c);
    if (first) trxi_axpy3(-trxi_dot3(c, first), first, c);
    double length = trxi_norm3(c);
    if (length > 1e-15 * scale) trxi_scale3(1 / length, c, w->n);
}

// drops flat directions that are parallel to others; a and b are the points of the search
static void make_independent(trxi_witness *w, const double a[3], const double b[3])
{
    int n_A = w->A.nflat, n_B = w->B.nflat;
    if (n_A + n_B > 2) {
        if (n_A >= n_B) trxi_piece_restrict(&w->B, b);
        else trxi_piece_restrict(&w->A, a);
    } else if (n_A == 1 && n_B == 1) {
        double c[3];
        trxi_cross3(w->A.flat[0], w->B.flat[0], c);
        if (trxi_norm3(c) < parallel_sine) trxi_piece_restrict(&w->B, b);
    }
}

// moves n into the plane across one flat direction
static void move_across(const double flat[3], double n[3])
{
    double frame[9];
    trxi_axpy3(-trxi_dot3(n, flat), flat, n);
    if (trxi_normalize3(n, n) > 0) return;
    trxi_frame33(flat, frame);
    trxi_copy3(frame, n);
}

// n for the present pieces with their flat directions
static void find_normal(trxi_witness *w, int count, const double *const flat[2], double scale)
{
    if (count == 2) {
        double c[3];
        trxi_cross3(flat[0], flat[1], c);
        trxi_normalize3(c, c);
        trxi_scale3(trxi_dot3(c, w->n) < 0 ? -1 : 1, c, w->n);
        return;
    }
    const double *first = count ? flat[0] : NULL;
    if (first) move_across(first, w->n);
    if (w->A.kind == TRXI_PIECE_FIXED && w->B.kind == TRXI_PIECE_FIXED) separate_fixed(w, first, scale);
    else maximize(w, first);
}

// tensors, distance and points for n
static void place_points(trxi_witness *w, int count, const double *const flat[2])
{
    evaluation at;
    evaluate(w, w->n, &at);
    tangent_frame(count ? flat[0] : NULL, w->n, w->frame);
    tensors(w, &at, w->frame, w->Sigma_A, w->Sigma_B);
    w->d = at.s;
    trxi_copy3(at.x_A, w->a);
    double g[2] = {trxi_dot3(w->frame, at.w), trxi_dot3(w->frame + 3, at.w)}, s[2] = {g[0], 0};
    if (count == 2) {
        w->flat[0] = trxi_dot3(w->frame, flat[1]), w->flat[1] = trxi_dot3(w->frame + 3, flat[1]);
        s[1] = g[1] / w->flat[1];
        s[0] -= w->flat[0] * s[1];
    }
    for (int i = 0; i < count; i++)
        if (!w->of_B[i]) trxi_axpy3(s[i], flat[i], w->a);
    trxi_copy3(w->a, w->b);
    trxi_axpy3(w->d, w->n, w->b);
}

// n and the points for the present pieces, whose flat directions are independent
static void solve(trxi_witness *w, double scale)
{
    const double *flat[4];
    int count = 0;
    for (int i = 0; i < w->A.nflat; i++) w->of_B[count] = false, flat[count++] = w->A.flat[i];
    for (int i = 0; i < w->B.nflat; i++) w->of_B[count] = true, flat[count++] = w->B.flat[i];
    assert(count <= 2);
    w->nflat = count;
    find_normal(w, count, flat, scale);
    place_points(w, count, flat);
}

// the distance by which a point may lie beyond its piece; larger where a material point replaced a piece, because pieces
// up to parallel_sine from parallel are replaced
static double tolerance_of(const trxi_piece *piece, double scale)
{
    double size = trxi_core_size(piece->core);
    return piece_tolerance * (scale + 10 * size) + (piece->restricted ? 2 * parallel_sine * size : 0);
}

// by how much the distance along the normal of a merged face may fall short: its corners are not exactly in its plane
static double face_loss(const trxi_piece *piece)
{
    return piece->core->kind == TRXI_CORE_HULL && piece->nflat == 2 ? face_tolerance * trxi_core_size(piece->core) : 0;
}

// whether the pieces hold the points; otherwise one piece is changed
static bool settle(trxi_witness *w, double scale)
{
    double minus[3] = {-w->n[0], -w->n[1], -w->n[2]};
    if (is_end(&w->A, &w->B, 1, w->n)) return trxi_piece_set_end(&w->A), false;
    if (is_end(&w->B, &w->A, -1, w->n)) return trxi_piece_set_end(&w->B), false;
    double tolerance_A = tolerance_of(&w->A, scale), tolerance_B = tolerance_of(&w->B, scale);
    if (trxi_piece_narrow(&w->A, w->a, tolerance_A)) return false;
    if (trxi_piece_narrow(&w->B, w->b, tolerance_B)) return false;
    if (trxi_piece_widen(&w->A, w->n, w->a, w->B.nflat, tolerance_A)) return false;
    if (trxi_piece_widen(&w->B, minus, w->b, w->A.nflat, tolerance_B)) return false;
    return true;
}

static void restrict_both(const double n[3], const double a[3], const double b[3], trxi_witness *w)
{
    trxi_piece_restrict(&w->A, a);
    trxi_piece_restrict(&w->B, b);
    trxi_copy3(n, w->n);
    double gap[3];
    trxi_sub3(b, a, gap);
    w->nflat = 0;
    w->d = trxi_dot3(n, gap);
    trxi_copy3(a, w->a);
    trxi_copy3(a, w->b);
    trxi_axpy3(w->d, n, w->b);
    trxi_frame33(n, w->frame);
    for (int i = 0; i < 3; i++) w->Sigma_A[i] = w->Sigma_B[i] = 0;
}

// the pieces that contain the simplex
static void guess(const trxi_core_pair *pair, const trxi_simplex *s, const double n[3], trxi_witness *w)
{
    double minus[3] = {-n[0], -n[1], -n[2]};
    // orients a cylinder by the other core
    bool A_first = pair->A->kind != TRXI_CORE_CYLINDER;
    if (A_first) trxi_piece_guess(pair->A, s->count, s->id_A, n, 0, &w->A);
    trxi_piece_guess(pair->B, s->count, s->id_B, minus, A_first ? w->A.nflat : 0, &w->B);
    if (!A_first) trxi_piece_guess(pair->A, s->count, s->id_A, n, w->B.nflat, &w->A);
}

// if n lies along the axis of a rim, where the rim has no nearest point, tilts n slightly towards x, a point of the other
// core (outward: 1 for A, -1 for B)
static void lean(const trxi_piece *rim, const double x[3], double outward, double n[3])
{
    const double *axis = rim->core->R + 6;
    double across[3], arm[3];
    if (rim->kind != TRXI_PIECE_RIM) return;
    trxi_cross3(axis, n, across);
    if (trxi_norm3(across) > 1e-6) return;
    trxi_sub3(x, rim->core->p, arm);
    trxi_axpy3(-trxi_dot3(arm, axis), axis, arm);
    if (!(trxi_normalize3(arm, arm) > 0)) trxi_copy3(rim->core->R, arm);
    trxi_axpy3(outward * flat_sine, arm, n);
    trxi_normalize3(n, n);
}

void trxi_witness_find(const trxi_core_pair *pair, const trxi_simplex *s, const double n[3], double least, trxi_witness *w)
{
    double a[3] = {0, 0, 0}, b[3];
    for (int i = 0; i < s->count; i++) trxi_axpy3(s->lambda[i], s->a[i], a);
    trxi_copy3(a, b);
    for (int i = 0; i < s->count; i++) trxi_axpy3(s->lambda[i], s->w[i], b);
    trxi_copy3(n, w->n);
    trxi_copy3(a, w->a);
    trxi_copy3(b, w->b);
    guess(pair, s, n, w);
    w->settled = true;
    w->forced = false;
    for (int k = 0; k < MAX_CHANGES; k++) {
        make_independent(w, a, b);
        if (w->A.nflat + w->B.nflat < 2) {
            lean(&w->A, w->b, 1, w->n);
            lean(&w->B, w->a, -1, w->n);
        }
        solve(w, pair->scale);
        if (!settle(w, pair->scale)) continue;
        // not worse than the result of the search
        if (w->d >= least - 10 * piece_tolerance * pair->scale - face_loss(&w->A) - face_loss(&w->B)) return;
        break;
    }
    w->settled = false;
    restrict_both(n, a, b, w);
}

void trxi_witness_between(trxi_witness *w, double scale)
{
    w->settled = w->forced = true;
    solve(w, scale);
}
