// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Overlaps of faces with faces, edges, the sides of cylinders: their corners, heights and derivatives.

#include "geometry/patch.h"
#include "geometry/probe.h"

static const double pi = 3.14159265358979323846;

// a regular polygon with n corners at `radius` in the plane z = height, facing up, turned by `yaw`
static trxi_face regular(int n, double radius, double height, double yaw)
{
    trxi_face face = {.count = n, .normal = {0, 0, 1}};
    for (int k = 0; k < n; k++)
        trxi_set3(radius * cos(yaw + 2 * pi * k / n), radius * sin(yaw + 2 * pi * k / n), height, face.x[k]);
    return face;
}

// the same facing down
static trxi_face facing_down(trxi_face face)
{
    trxi_face down = face;
    trxi_scale3(-1, face.normal, down.normal);
    for (int k = 0; k < face.count; k++) trxi_copy3(face.x[face.count - 1 - k], down.x[k]);
    return down;
}

static double area_of(const trxi_patch *patch)
{
    double sum = 0;
    for (int k = 0; k < patch->count; k++) {
        const trxi_patch_point *p = &patch->points[k], *q = &patch->points[(k + 1) % patch->count];
        sum += p->u * q->v - q->u * p->v;
    }
    return fabs(sum) / 2;
}

// area common to two polygons: of the second, cut into narrow strips along x; each strip's part of both by their bounds in y
static void bounds(const trxi_face *face, double x, double *lo, double *hi)
{
    *lo = INFINITY, *hi = -INFINITY;
    for (int k = 0; k < face->count; k++) {
        const double *a = face->x[k], *b = face->x[(k + 1) % face->count];
        if ((a[0] > x) == (b[0] > x)) continue;
        double y = a[1] + (x - a[0]) / (b[0] - a[0]) * (b[1] - a[1]);
        *lo = fmin(*lo, y), *hi = fmax(*hi, y);
    }
}

static double common_area(const trxi_face *a, const trxi_face *b)
{
    const int strips = 20000;
    const double from = -0.3, width = 0.6 / strips;
    double area = 0;
    for (int k = 0; k < strips; k++) {
        double x = from + (k + 0.5) * width, lo[2], hi[2];
        bounds(a, x, &lo[0], &hi[0]);
        bounds(b, x, &lo[1], &hi[1]);
        area += width * fmax(0, fmin(hi[0], hi[1]) - fmax(lo[0], lo[1]));
    }
    return area;
}

START_TEST(the_points_bound_the_area_that_both_faces_cover)
{
    dice d = {.seed = 31};
    for (int trial = 0; trial < 300; trial++) {
        trxi_face below = regular(3 + (int)uniform(&d, 0, 14), uniform(&d, 0.05, 0.1), 0, uniform(&d, 0, 6));
        trxi_face above = regular(3 + (int)uniform(&d, 0, 14), uniform(&d, 0.05, 0.1), 0.01, uniform(&d, 0, 6));
        double shift[3] = {uniform(&d, -0.1, 0.1), uniform(&d, -0.1, 0.1), 0};
        for (int k = 0; k < above.count; k++) trxi_add3(above.x[k], shift, above.x[k]);
        trxi_face down = facing_down(above);
        trxi_patch patch;
        trxi_patch_clip(&below, &down, &patch);
        // the band at the sides is half a thousandth of a side wide
        assert_close(area_of(&patch), common_area(&below, &above), 1.5e-5);
        for (int k = 0; k < patch.count; k++) assert_close(patch.points[k].z, 0.01, 1e-15);
        if (patch.count) assert_close(patch.least, 0.01, 1e-15);
        else ck_assert(patch.least == INFINITY);
    }
}
END_TEST

START_TEST(of_sixteen_points_eight_stay_evenly_spread_with_the_deepest)
{
    trxi_face below = regular(8, 0.1, 0, 0), above = facing_down(regular(8, 0.1, 0.001, pi / 8));
    below.radius = 0.002, above.radius = 0.001;
    trxi_patch patch;
    trxi_patch_clip(&below, &above, &patch);
    ck_assert_int_eq(patch.count, 16);
    trxi_contact_point c[8];
    ck_assert_int_eq(trxi_patch_points(&patch, true, 1, false, c), 8);
    double mean[2] = {0, 0};
    for (int k = 0; k < 8; k++) {
        assert_close(c[k].phi, -0.002, 1e-15);
        ck_assert(c[k].sliding);
        assert_close(hypot(c[k].a[0], c[k].a[1]), 0.1 * cos(pi / 8) / cos(pi / 16), 1e-15);
        assert_close(c[k].a[2], 0.002, 1e-15);
        mean[0] += c[k].a[0] / 8, mean[1] += c[k].a[1] / 8;
        if (k) ck_assert_int_lt(c[k - 1].feature, c[k].feature);
    }
    // every second one
    assert_close(hypot(mean[0], mean[1]), 0, 1e-15);

    // the wheel leans: the deepest point is one of the eight
    for (int k = 0; k < 8; k++) above.x[k][2] += 0.01 * (above.x[k][0] + 0.3 * above.x[k][1]);
    trxi_set3(0.01, 0.003, -1, above.normal);
    trxi_normalize3(above.normal, above.normal);
    trxi_patch_clip(&below, &above, &patch);
    ck_assert_int_eq(trxi_patch_points(&patch, true, 1, false, c), 8);
    double least = INFINITY;
    for (int k = 0; k < 8; k++) least = fmin(least, c[k].phi);
    ck_assert(least == patch.least);
}
END_TEST

START_TEST(a_segment_is_cut_at_the_sides_and_a_point_never)
{
    trxi_face square = regular(4, 0.1 * sqrt(2), 0, pi / 4);
    trxi_face line = {.count = 2, .x = {{-0.3, 0.02, 0.01}, {0.05, 0.02, 0.045}}, .axis = {0.995, 0, 0.0995}, .radius = 0.02};
    trxi_normalize3(line.axis, line.axis);
    trxi_patch patch;
    trxi_patch_clip(&square, &line, &patch);
    ck_assert_int_eq(patch.count, 2);
    trxi_contact_point c[8];
    ck_assert_int_eq(trxi_patch_points(&patch, true, 1, true, c), 2);
    // the end of the line over the face, then its point over the side; the line rises by 0.1 per metre
    assert_below(max_difference(c[0].a, (double[]){0.05, 0.02, 0}, 3), 1e-15);
    assert_close(c[0].phi, 0.025, 1e-15);
    ck_assert(!c[0].sliding && c[1].sliding);
    assert_below(max_difference(c[1].a, (double[]){-0.1, 0.02, 0}, 3), 1e-15);
    assert_close(c[1].phi, 0.01, 1e-15);
    // a displacement dx along x brings another point of the line over the side
    assert_below(max_difference(c[1].dphi_dx, (double[]){-0.1, 0, 0}, 3), 1e-14);
    // only the lower one is below 2 cm
    ck_assert_int_eq(trxi_patch_points(&patch, true, 0.02, false, c), 1);

    trxi_face point = {.count = 1, .x = {{0.5, 0.6, -0.01}}};
    trxi_patch_clip(&square, &point, &patch);
    ck_assert_int_eq(trxi_patch_points(&patch, false, 1, true, c), 1);
    assert_close(c->phi, -0.01, 1e-15);
    assert_below(max_difference(c->n, (double[]){0, 0, -1}, 3), 1e-16);
    assert_below(max_difference(c->a, point.x[0], 3), 1e-15);
}
END_TEST

// contacts of the face of A that faces B, as the reference, with the opposite face, edge or corner of B; over_B exchanges A and B
static int over_A(const body *A, const body *B, trxi_contact_point *points)
{
    trxi_placed_shape a = placed(A), b = placed(B);
    trxi_core core_A = trxi_core_of(&a), core_B = trxi_core_of(&b);
    double up[3], down[3];
    trxi_face reference, incident;
    trxi_copy3(A->R + 6, up);
    trxi_scale3(-1, up, down);
    trxi_supporting_face(&core_A, up, 0.9, &reference);
    trxi_supporting_face(&core_B, down, 0.9, &incident);
    trxi_patch patch;
    trxi_patch_clip(&reference, &incident, &patch);
    return trxi_patch_points(&patch, true, INFINITY, true, points);
}

static int over_B(const body *A, const body *B, trxi_contact_point *points)
{
    trxi_placed_shape a = placed(A), b = placed(B);
    trxi_core core_A = trxi_core_of(&a), core_B = trxi_core_of(&b);
    double up[3], down[3];
    trxi_face reference, incident;
    trxi_copy3(B->R + 6, up);
    trxi_scale3(-1, up, down);
    trxi_supporting_face(&core_B, up, 0.9, &reference);
    trxi_supporting_face(&core_A, down, 0.9, &incident);
    trxi_patch patch;
    trxi_patch_clip(&reference, &incident, &patch);
    return trxi_patch_points(&patch, false, INFINITY, true, points);
}

START_TEST(derivatives_agree_with_differences_for_faces_lines_and_sides_of_cylinders)
{
    dice d = {.seed = 32};
    // over A or B; corner, crossing, reference corner; of a box, of a capsule, of the side of a cylinder
    int seen[2][3][3] = {{{0}}};
    static const trx_shape_type types[3] = {TRX_SHAPE_BOX, TRX_SHAPE_CAPSULE, TRX_SHAPE_CYLINDER};
    for (int trial = 0; trial < 3000; trial++) {
        int t = trial % 3;
        body plate = random_body(&d, TRX_SHAPE_BOX, 0.1), other = random_body(&d, types[t], 0.1);
        double lean[3], by[9];
        random_vector(&d, 0.15, lean);
        trxi_exp33(lean, by);
        plate.shape.rounding = uniform(&d, 0, 0.02), other.shape.rounding = uniform(&d, 0, 0.02);
        trxi_mul33(by, plate.R, other.R);
        if (t) {
            // lying
            double about_x[9], lying[9];
            trxi_exp33((double[]){pi / 2, 0, 0}, about_x);
            trxi_mul33(other.R, about_x, lying);
            for (int i = 0; i < 9; i++) other.R[i] = lying[i];
        }
        for (int i = 0; i < 3; i++)
            other.p[i] = plate.p[i] + 0.15 * plate.R[6 + i] + uniform(&d, -0.06, 0.06);
        for (int swapped = 0; swapped < 2; swapped++) {
            const body *A = swapped ? &other : &plate, *B = swapped ? &plate : &other;
            trxi_contact_point c[8];
            int count = swapped ? over_B(A, B, c) : over_A(A, B, c);
            for (int k = 0; k < count; k++) {
                int kind = c[k].feature / 256;
                if (c[k].tie < 3e-3 || seen[swapped][kind][t] >= 60) continue;
                seen[swapped][kind][t]++;
                check_derivatives_of(&d, swapped ? over_B : over_A, A, B, k);
                ck_assert(c[k].sliding == (kind > 0));
                if (kind > 0) ck_assert(max_magnitude(c[k].dphi_dx, 3) > 1e-4);
            }
        }
    }
    for (int swapped = 0; swapped < 2; swapped++)
        for (int t = 0; t < 3; t++)
            for (int kind = 0; kind < (t ? 2 : 3); kind++)
                ck_assert_msg(seen[swapped][kind][t] >= 30, "swapped %d, kind %d of %d: %d", swapped, kind, t,
                              seen[swapped][kind][t]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/patch");
    TCase *cases = tcase_create("patch");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_points_bound_the_area_that_both_faces_cover);
    tcase_add_test(cases, of_sixteen_points_eight_stay_evenly_spread_with_the_deepest);
    tcase_add_test(cases, a_segment_is_cut_at_the_sides_and_a_point_never);
    tcase_add_test(cases, derivatives_agree_with_differences_for_faces_lines_and_sides_of_cylinders);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
