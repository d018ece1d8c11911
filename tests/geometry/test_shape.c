// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Volumes and inertias against sums over fine grids, shapes that become other shapes in a limit, and refusals.

#include "geometry/probe.h"
#include "geometry/shape.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static bool inside(const trx_shape *s, const double x[3])
{
    if (s->type == TRX_SHAPE_CYLINDER)
        return x[0] * x[0] + x[1] * x[1] < s->radius * s->radius && fabs(x[2]) < s->length / 2;
    body b = {.shape = *s, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    return surface_distance(&b, x) < 0;
}

// volume, moments of unit density and largest distance from the centre, by the midpoint rule in the octant
static void integrate(const trx_shape *s, double reach, double out[5])
{
    enum { N = 120 };
    double h = reach / N;
    memset(out, 0, 5 * sizeof *out);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                double x[3] = {(i + 0.5) * h, (j + 0.5) * h, (k + 0.5) * h};
                if (!inside(s, x)) continue;
                double cell = 8 * h * h * h;
                out[0] += cell;
                for (int a = 0; a < 3; a++) out[1 + a] += cell * (trxi_dot3(x, x) - x[a] * x[a]);
                out[4] = fmax(out[4], trxi_norm3(x));
            }
}

static void principal_moments(const trx_shape *shape, double mass, double moments[3])
{
    double com[3], tensor[6];
    trxi_shape_inertia(shape, mass, com, tensor);
    for (int i = 0; i < 3; i++) {
        ck_assert(com[i] == 0 && tensor[3 + i] == 0);
        moments[i] = tensor[i];
    }
}

START_TEST(volume_inertia_and_radius_agree_with_integration)
{
    trx_shape shapes[] = {
        {.type = TRX_SHAPE_BOX, .size = {0.9, 1.5, 0.6}},
        {.type = TRX_SHAPE_CYLINDER, .radius = 0.6, .length = 1.05},
        {.type = TRX_SHAPE_CAPSULE, .radius = 0.4, .length = 0.9},
        {.type = TRX_SHAPE_SPHERE, .radius = 0.8},
    };
    for (int i = 0; i < 4; i++) {
        double sum[5], inertia[3], volume = trxi_shape_volume(&shapes[i]);
        integrate(&shapes[i], 0.9, sum);
        principal_moments(&shapes[i], volume, inertia);
        assert_close(volume, sum[0], 3e-3 * volume);
        for (int a = 0; a < 3; a++) assert_close(inertia[a], sum[1 + a], 4e-3 * sum[1 + a]);
        double radius = trxi_shape_bounding_radius(&shapes[i]);
        ck_assert(radius >= sum[4] && radius < sum[4] + 0.02);
    }
}
END_TEST

START_TEST(textbook_values)
{
    double I[3];
    trx_shape sphere = {.type = TRX_SHAPE_SPHERE, .radius = 0.5};
    principal_moments(&sphere, 2, I);
    for (int i = 0; i < 3; i++) assert_close(I[i], 0.2, 1e-16);
    assert_close(trxi_shape_volume(&sphere), pi / 6, 1e-15);

    trx_shape box = {.type = TRX_SHAPE_BOX, .size = {1, 2, 3}};
    principal_moments(&box, 12, I);
    double expected[3] = {13, 10, 5};
    assert_below(max_difference(I, expected, 3), 1e-14);
    assert_close(trxi_shape_bounding_radius(&box), sqrt(14) / 2, 1e-15);

    trx_shape cylinder = {.type = TRX_SHAPE_CYLINDER, .radius = 2, .length = 3};
    principal_moments(&cylinder, 4, I);
    assert_close(I[0], 7, 1e-14);
    assert_close(I[2], 8, 1e-14);
}
END_TEST

START_TEST(a_short_capsule_is_a_sphere_and_a_thin_one_a_rod)
{
    double I[3];
    trx_shape ball = {.type = TRX_SHAPE_CAPSULE, .radius = 0.3, .length = 1e-12};
    principal_moments(&ball, 1, I);
    for (int i = 0; i < 3; i++) assert_close(I[i], 0.4 * 0.09, 1e-12);
    trx_shape rod = {.type = TRX_SHAPE_CAPSULE, .radius = 1e-9, .length = 2};
    principal_moments(&rod, 3, I);
    assert_close(I[0], 1, 1e-8);
    assert_close(I[2], 0, 1e-8);
}
END_TEST

START_TEST(a_halfspace_is_unbounded_and_has_no_inertia)
{
    trx_shape ground = {.type = TRX_SHAPE_HALFSPACE};
    double I[3] = {1, 1, 1};
    principal_moments(&ground, 1, I);
    for (int i = 0; i < 3; i++) ck_assert(I[i] == 0);
    ck_assert(isinf(trxi_shape_volume(&ground)) && isinf(trxi_shape_bounding_radius(&ground)));
    ck_assert_ptr_null(trxi_shape_defect(&ground));
}
END_TEST

START_TEST(bad_numbers_are_named)
{
    const double bad[] = {0, -1, INFINITY, NAN};
    for (int i = 0; i < 4; i++) {
        trx_shape box = {.type = TRX_SHAPE_BOX, .size = {1, bad[i], 1}};
        ck_assert_ptr_nonnull(strstr(trxi_shape_defect(&box), "size"));
        trx_shape sphere = {.type = TRX_SHAPE_SPHERE, .radius = bad[i]};
        ck_assert_ptr_nonnull(strstr(trxi_shape_defect(&sphere), "radius"));
        trx_shape capsule = {.type = TRX_SHAPE_CAPSULE, .radius = 1, .length = bad[i]};
        ck_assert_ptr_nonnull(strstr(trxi_shape_defect(&capsule), "length"));
        trx_shape cylinder = {.type = TRX_SHAPE_CYLINDER, .radius = bad[i], .length = 1};
        ck_assert_ptr_nonnull(strstr(trxi_shape_defect(&cylinder), "radius"));
    }
    trx_shape unknown = {.type = (trx_shape_type)99};
    ck_assert_ptr_nonnull(trxi_shape_defect(&unknown));
    trx_shape good = {.type = TRX_SHAPE_CAPSULE, .radius = 1, .length = 1};
    ck_assert_ptr_null(trxi_shape_defect(&good));
}
END_TEST

START_TEST(names_are_those_of_problem_files)
{
    const char *names[] = {"halfspace", "mesh", "box", "cylinder", "ellipsoid", "capsule", "sphere", "heightfield", ""};
    for (int i = 0; i < 9; i++) ck_assert_str_eq(trx_shape_name((trx_shape_type)i), names[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/shape");
    TCase *cases = tcase_create("shape");
    tcase_add_test(cases, volume_inertia_and_radius_agree_with_integration);
    tcase_add_test(cases, textbook_values);
    tcase_add_test(cases, a_short_capsule_is_a_sphere_and_a_thin_one_a_rod);
    tcase_add_test(cases, a_halfspace_is_unbounded_and_has_no_inertia);
    tcase_add_test(cases, bad_numbers_are_named);
    tcase_add_test(cases, names_are_those_of_problem_files);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
