// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The taut string around a sphere or a cylinder (theory 4, Tendons). The rules are MuJoCo's: which of the two ways around the
// obstacle the string takes, when it leaves the obstacle, and the meaning of a side point.
//
// The problem is plane: for a sphere in the plane of centre and both points, for a cylinder across the axis. In the plane,
// with points d_k, tangent points t_k, L_k = |d_k - t_k| and the turn s (+1: clockwise from d_0 to d_1),
//
//     l = L_0 + r arc + L_1        dl/dd_k = n_k = (d_k - t_k)/L_k        d2l/dd_k2 = e_k e_k^T/L_k,   e_k across n_k
//
// because t_k rolls along the circle and is the centre of curvature of the involute through d_k. The two points do not interact in
// the plane. Out of the plane of a sphere they do: with displacements z_k, the distances R_k from the centre and the angle
// a = arc + acos(r/R_0) + acos(r/R_1),
//
//     d2l = sum_k (L_k + r cot a)/R_k^2 dz_k^2 - 2 r/(R_0 R_1 sin a) dz_0 dz_1
//
// A string through the inside touches the circle at the point c where l = |d_0 - c| + |c - d_1| is least. With the tangent t there,
// M_k = (1 - n_k n_k^T)/L_k and the stiffness k = t . (M_0 + M_1) t + (n_0 + n_1) . c/r^2 of the touching point,
//
//     d2l = [M_0 0; 0 M_1] - [M_0 t; M_1 t] [M_0 t; M_1 t]^T/k
//
// also out of the plane, where M_k = 1/L_k. On a cylinder the string is a helix: with h = z_1 - z_0 the length is sqrt(l^2 + h^2).

#include "dynamics/wrap.h"

#include "math/constants.h"

#include <string.h>

static const double TINY = 1e-15;

// the solution in the plane; `across` has the second derivatives out of the plane: 00, 01, 11
typedef struct plane {
    trxi_wrap_branch branch;
    double length, n[4], H[16], across[3], margin;
} plane;

static double dot2(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

static double cross2(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

// returns whether the segments from a to b and from c to d cross
static bool segments_cross(const double a[2], const double b[2], const double c[2], const double d[2])
{
    const double ab[2] = {b[0] - a[0], b[1] - a[1]}, cd[2] = {d[0] - c[0], d[1] - c[1]}, ca[2] = {a[0] - c[0], a[1] - c[1]};
    const double det = cross2(ab, cd);
    if (fabs(det) < TINY) return false;
    const double along_ab = cross2(cd, ca) / det, along_cd = cross2(ab, ca) / det;
    return along_ab >= 0 && along_ab <= 1 && along_cd >= 0 && along_cd <= 1;
}

// computes the point of the segment that is nearest to the origin; `inner`: it is not an end. Returns false when the ends coincide
static bool nearest_point(const double d[4], double out[2], bool *inner)
{
    const double along[2] = {d[2] - d[0], d[3] - d[1]}, square = dot2(along, along);
    if (square < TINY) return false;
    const double share = -dot2(along, d) / square, clamped = fmax(0, fmin(1, share));
    *inner = share > 0 && share < 1;
    for (int i = 0; i < 2; i++) out[i] = d[i] + clamped * along[i];
    return true;
}

// ---- around the outside ----

// computes both tangent points of the turn s
static void touch(double r, const double d[4], double s, double t[4])
{
    for (int k = 0; k < 2; k++) {
        const double *p = d + 2 * k, square = dot2(p, p), turn = (k ? -s : s) * r * sqrt(square - r * r);
        t[2 * k] = (p[0] * r * r + turn * p[1]) / square;
        t[2 * k + 1] = (p[1] * r * r - turn * p[0]) / square;
    }
}

// score of a turn without a side point: larger if its tangent points are close
static double goodness(const double d[4], const double t[4])
{
    const double apart[2] = {t[0] - t[2], t[1] - t[3]};
    return segments_cross(d, t, d + 2, t + 2) ? -INFINITY : -dot2(apart, apart);
}

// sets the turn of the shorter way; false when the pieces of both ways cross
static bool shorter_turn(double r, const double d[4], double *s)
{
    double t[2][4];
    touch(r, d, 1, t[0]);
    touch(r, d, -1, t[1]);
    const double good[2] = {goodness(d, t[0]), goodness(d, t[1])};
    *s = good[0] > good[1] ? 1 : -1;
    return !isinf(fmax(good[0], good[1]));
}

// angle from a to b, counterclockwise, in [0, 2 pi)
static double counterclockwise(const double a[2], const double b[2])
{
    const double angle = atan2(cross2(a, b), dot2(a, b));
    return angle < 0 ? angle + 2 * TRXI_PI : angle;
}

// distance of p from the half-line that begins at the centre in the direction b
static double distance_from_half_line(const double p[2], const double b[2])
{
    return dot2(p, b) > 0 ? fabs(cross2(b, p)) / sqrt(dot2(b, b)) : sqrt(dot2(p, p));
}

static void fill_turn(double r, const double d[4], const double t[4], double s, plane *out)
{
    double L[2], R[2], arc = atan2(-s * cross2(t, t + 2), dot2(t, t + 2));
    if (arc < 0) arc += 2 * TRXI_PI;
    double angle = arc;
    for (int k = 0; k < 2; k++) {
        double *n = out->n + 2 * k, *H = out->H + 10 * k;
        const double back = (k ? -s : s) / r, *p = t + 2 * k, *end = d + 2 * k;
        R[k] = sqrt(dot2(end, end));
        L[k] = sqrt(fmax(0, R[k] * R[k] - r * r));
        n[0] = -back * p[1], n[1] = back * p[0];
        angle += acos(fmin(1, r / R[k]));
        if (!(L[k] > 0)) continue;
        H[0] = p[0] * p[0] / (r * r * L[k]), H[5] = p[1] * p[1] / (r * r * L[k]);
        H[1] = H[4] = p[0] * p[1] / (r * r * L[k]);
    }
    out->branch = s > 0 ? TRXI_CLOCKWISE : TRXI_COUNTERCLOCKWISE;
    out->length = L[0] + r * arc + L[1];
    const double sine = sin(angle);
    if (fabs(sine) < TINY) return; // the plane of a sphere is not defined
    const double cotangent = r * cos(angle) / sine;
    out->across[0] = (L[0] + cotangent) / (R[0] * R[0]);
    out->across[1] = -r / (R[0] * R[1] * sine);
    out->across[2] = (L[1] + cotangent) / (R[1] * R[1]);
}

// whether the string wraps, and its turn s: of both ways around the centre, the one that leaves out the direction away from the
// side point
static bool turn_beside(double r, const double d[4], const double side[2], double distance, double *s, double *margin)
{
    const double back[2] = {-side[0], -side[1]};
    *s = counterclockwise(d, back) > counterclockwise(d, d + 2) ? -1 : 1;
    const bool as_the_line = *s * cross2(d, d + 2) <= 0;
    if (as_the_line) *margin = fmin(*margin, fabs(distance - r));
    for (int k = 0; k < 2; k++) *margin = fmin(*margin, distance_from_half_line(d + 2 * k, back));
    return !as_the_line || distance <= r;
}

static bool around_outside(double r, const double d[4], const double *side, plane *out)
{
    double near[2], t[4], s;
    bool inner;
    const double deepest = fmin(sqrt(dot2(d, d)), sqrt(dot2(d + 2, d + 2))) - r;
    out->margin = fabs(deepest);
    if (deepest < 0 || r < TINY || !nearest_point(d, near, &inner)) return false;
    const double distance = sqrt(dot2(near, near));
    if (side) {
        if (!turn_beside(r, d, side, distance, &s, &out->margin)) return false;
    } else {
        out->margin = distance > r ? distance - r : fmin(fmin(deepest, r - distance), distance);
        if (distance > r || !shorter_turn(r, d, &s)) return false;
    }
    touch(r, d, s, t);
    fill_turn(r, d, t, s, out);
    return true;
}

// ---- through the inside ----

// the angle from d_0 towards d_1 at which l(x) = |d_0 - r e(x)| + |d_1 - r e(angle - x)| is least: Newton's method within a bracket
static double touching_angle(double r, double R0, double R1, double angle)
{
    double low = 0, high = angle, x = angle * R1 / (R0 + R1);
    for (int i = 0; i < 100; i++) {
        const double y = angle - x;
        const double l0 = sqrt(R0 * R0 + r * r - 2 * R0 * r * cos(x)), l1 = sqrt(R1 * R1 + r * r - 2 * R1 * r * cos(y));
        const double a = R0 * r * sin(x) / l0, b = R1 * r * sin(y) / l1, slope = a - b;
        const double curve = (R0 * r * cos(x) - a * a) / l0 + (R1 * r * cos(y) - b * b) / l1;
        if (slope > 0) high = x;
        else low = x;
        double next = curve > 0 ? x - slope / curve : low - 1;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (fabs(next - x) <= 1e-15 * angle || slope == 0) break;
        x = next;
    }
    return x;
}

static void fill_inside(const double d[4], const double c[2], double r, plane *out)
{
    const double t[2] = {-c[1] / r, c[0] / r};
    double L[2], Mt[4], M[2][4], stiffness = 0, across = 0;
    for (int k = 0; k < 2; k++) {
        double *n = out->n + 2 * k;
        n[0] = d[2 * k] - c[0], n[1] = d[2 * k + 1] - c[1];
        L[k] = sqrt(dot2(n, n));
        n[0] /= L[k], n[1] /= L[k];
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) M[k][a + 2 * b] = ((a == b) - n[a] * n[b]) / L[k];
        for (int a = 0; a < 2; a++) Mt[2 * k + a] = M[k][a] * t[0] + M[k][a + 2] * t[1];
        stiffness += dot2(t, Mt + 2 * k) + dot2(n, c) / (r * r);
        across += 1 / L[k] + dot2(n, c) / (r * r);
    }
    out->branch = TRXI_INSIDE;
    out->length = L[0] + L[1];
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            out->H[a + 4 * b] = (a / 2 == b / 2 ? M[a / 2][a % 2 + 2 * (b % 2)] : 0) - Mt[a] * Mt[b] / stiffness;
    out->across[0] = 1 / L[0] - 1 / (L[0] * L[0] * across);
    out->across[1] = -1 / (L[0] * L[1] * across);
    out->across[2] = 1 / L[1] - 1 / (L[1] * L[1] * across);
}

static bool through_inside(double r, const double d[4], plane *out)
{
    const double R0 = sqrt(dot2(d, d)), R1 = sqrt(dot2(d + 2, d + 2));
    double near[2] = {0, 0};
    bool inner = false;
    if (R0 <= r || R1 <= r || r < TINY) return false;
    const bool apart = nearest_point(d, near, &inner);
    if (apart) out->margin = fabs(sqrt(dot2(near, near)) - r);
    if (inner && dot2(near, near) <= r * r) return false;
    const double angle = atan2(cross2(d, d + 2), dot2(d, d + 2));
    if (fabs(angle) > TRXI_PI - 1e-9) return false; // opposite points: both ways are equally long
    const double turn = copysign(touching_angle(r, R0, R1, fabs(angle)), angle), e[2] = {d[0] / R0, d[1] / R0};
    const double c[2] = {r * (cos(turn) * e[0] - sin(turn) * e[1]), r * (sin(turn) * e[0] + cos(turn) * e[1])};
    fill_inside(d, c, r, out);
    return true;
}

// ---- in space ----

// axes of the plane: of a sphere through both points, of a cylinder x and y
static void plane_axes(trx_tendon_point_type obstacle, const double x[6], double axes[9])
{
    trxi_identity33(axes);
    if (obstacle == TRX_TENDON_CYLINDER) return;
    trxi_normalize3(x, axes);
    trxi_cross3(x, x + 3, axes + 6);
    if (trxi_normalize3(axes + 6, axes + 6) < TINY) {
        // points in line with the centre: take any plane
        double frame[9];
        trxi_frame33(axes, frame);
        trxi_copy3(frame, axes + 6);
    }
    trxi_cross3(axes + 6, axes, axes + 3);
}

// direction of the side point in the plane, NULL without a side point; `inside`: the side point lies inside the obstacle
static const double *plane_side(const double *side, const double axes[9], double r, double out[2], bool *inside)
{
    *inside = false;
    if (!side) return NULL;
    out[0] = trxi_dot3(side, axes), out[1] = trxi_dot3(side, axes + 3);
    *inside = trxi_norm3(side) < r;
    if (!(dot2(out, out) > 0)) out[0] = 1; // above the centre: MuJoCo takes the first axis
    return out;
}

// H (6 x 6), g = the plane's derivatives, turned to the axes of the obstacle
static void lift(const plane *p, const double axes[9], trxi_wrap *out)
{
    memset(out->H, 0, sizeof out->H);
    for (int k = 0; k < 2; k++) {
        trxi_scale3(p->n[2 * k], axes, out->g + 3 * k);
        trxi_axpy3(p->n[2 * k + 1], axes + 3, out->g + 3 * k);
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            const double *u = axes + 3 * (a % 2), *v = axes + 3 * (b % 2);
            double *block = out->H + 3 * (a / 2) + 6 * 3 * (b / 2);
            for (int i = 0; i < 9; i++) block[i % 3 + 6 * (i / 3)] += u[i % 3] * p->H[a + 4 * b] * v[i / 3];
        }
}

// sphere: adds the second derivatives out of the plane
static void add_across(const plane *p, const double normal[3], trxi_wrap *out)
{
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) out->H[3 * k + i + 6 * (3 * l + j)] += p->across[k + l] * normal[i] * normal[j];
}

// cylinder: L = sqrt(l^2 + h^2), d2L = (h dl - l dh)^2/L^3 + l d2l/L
static void add_helix(double h, trxi_wrap *out)
{
    const double l = out->length, L = sqrt(l * l + h * h);
    const double dh[6] = {0, 0, -1, 0, 0, 1};
    double bend[6];
    if (!(L > 0)) return;
    for (int i = 0; i < 6; i++) bend[i] = (h * out->g[i] - l * dh[i]) / L;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) out->H[i + 6 * j] = bend[i] * bend[j] / L + l * out->H[i + 6 * j] / L;
    for (int i = 0; i < 6; i++) out->g[i] = (l * out->g[i] + h * dh[i]) / L;
    out->length = L;
}

void trxi_wrap_straight(const double x[6], trxi_wrap *out)
{
    double n[3];
    trxi_sub3(x + 3, x, n);
    *out = (trxi_wrap){.branch = TRXI_STRAIGHT, .length = trxi_norm3(n), .margin = INFINITY};
    if (!(out->length > 0)) return; // points that coincide define no direction
    trxi_scale3(1 / out->length, n, out->g + 3);
    trxi_scale3(-1 / out->length, n, out->g);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            out->H[i + 6 * j] = (((i % 3 == j % 3) ? 1 : 0) - out->g[3 + i % 3] * out->g[3 + j % 3]) / out->length *
                                (i / 3 == j / 3 ? 1 : -1);
}

void trxi_wrap_around(trx_tendon_point_type obstacle, double radius, const double x[6], const double *side, trxi_wrap *out)
{
    plane p = {.margin = INFINITY};
    double axes[9], in_plane[2];
    bool inside, wraps = false;
    if (!(trxi_norm3(x) < TINY || trxi_norm3(x + 3) < TINY)) {
        plane_axes(obstacle, x, axes);
        const double d[4] = {trxi_dot3(x, axes), trxi_dot3(x, axes + 3), trxi_dot3(x + 3, axes), trxi_dot3(x + 3, axes + 3)};
        const double *towards = plane_side(side, axes, radius, in_plane, &inside);
        wraps = inside ? through_inside(radius, d, &p) : around_outside(radius, d, towards, &p);
    }
    if (!wraps) {
        trxi_wrap_straight(x, out);
        out->margin = p.margin;
        return;
    }
    out->branch = p.branch;
    out->length = p.length;
    out->margin = p.margin;
    lift(&p, axes, out);
    if (obstacle == TRX_TENDON_SPHERE) add_across(&p, axes + 6, out);
    else add_helix(x[5] - x[2], out);
}
