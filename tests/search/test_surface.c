// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Samples lie on the surface, their normals point outward, and they cover it by area.

#include "support/support.h"

#include "math/vec3.h"
#include "search/surface.h"

enum { COUNT = 4000 };

// how far a point is from a box: 0 on its surface
static double off_box(const double p[3], const double size[3])
{
    double most = -INFINITY;
    for (int i = 0; i < 3; i++) most = fmax(most, fabs(p[i]) - 0.5 * size[i]);
    return most;
}

START_TEST(points_of_a_box_cover_its_faces_by_area)
{
    trx_shape box = trx_shape_default(TRX_SHAPE_BOX);
    box.size[0] = 0.4, box.size[1] = 0.2, box.size[2] = 0.1;
    int on_top = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        const trxi_surface_point s = trxi_surface_sample(&box, 3, i);
        assert_close(off_box(s.p, box.size), 0, 1e-15);
        assert_close(trxi_norm3(s.n), 1, 1e-15);
        double out[3];
        trxi_copy3(s.p, out);
        trxi_axpy3(1e-6, s.n, out);
        assert_close(off_box(out, box.size), 1e-6, 1e-12);
        on_top += fabs(s.n[2]) > 0.5;
    }
    assert_close((double)on_top / COUNT, 2 * 0.08 / 0.28, 0.03);
}
END_TEST

START_TEST(points_of_round_shapes_have_radial_normals)
{
    trx_shape sphere = trx_shape_default(TRX_SHAPE_SPHERE), capsule = trx_shape_default(TRX_SHAPE_CAPSULE);
    trx_shape cylinder = trx_shape_default(TRX_SHAPE_CYLINDER);
    sphere.radius = capsule.radius = cylinder.radius = 0.1;
    capsule.length = cylinder.length = 0.3;
    for (uint64_t i = 0; i < COUNT; i++) {
        trxi_surface_point s = trxi_surface_sample(&sphere, 1, i);
        for (int j = 0; j < 3; j++) assert_close(s.p[j], 0.1 * s.n[j], 1e-15);

        // a capsule: a distance from its axis
        s = trxi_surface_sample(&capsule, 1, i);
        const double beyond = fmax(fabs(s.p[2]) - 0.15, 0);
        assert_close(sqrt(s.p[0] * s.p[0] + s.p[1] * s.p[1] + beyond * beyond), 0.1, 1e-12);
        s = trxi_surface_sample(&cylinder, 1, i);
        const double across = hypot(s.p[0], s.p[1]);
        ck_assert(fabs(across - 0.1) < 1e-12 || (fabs(fabs(s.p[2]) - 0.15) < 1e-12 && across < 0.1 && fabs(s.n[2]) == 1));
    }
}
END_TEST

START_TEST(normals_of_an_ellipsoid_are_gradients)
{
    trx_shape shape = trx_shape_default(TRX_SHAPE_ELLIPSOID);
    shape.size[0] = 0.2, shape.size[1] = 0.4, shape.size[2] = 0.6;
    for (uint64_t i = 0; i < COUNT; i++) {
        const trxi_surface_point s = trxi_surface_sample(&shape, 5, i);
        double sum = 0, gradient[3], cross[3];
        for (int j = 0; j < 3; j++) {
            const double h = 0.5 * shape.size[j];
            sum += s.p[j] * s.p[j] / (h * h);
            gradient[j] = s.p[j] / (h * h);
        }
        assert_close(sum, 1, 1e-12);
        trxi_cross3(gradient, s.n, cross);
        assert_close(trxi_norm3(cross) / trxi_norm3(gradient), 0, 1e-12);
        ck_assert(trxi_dot3(gradient, s.n) > 0);
    }
}
END_TEST

START_TEST(rounding_moves_points_outward)
{
    trx_shape box = trx_shape_default(TRX_SHAPE_BOX);
    box.size[0] = box.size[1] = box.size[2] = 0.2;
    const trxi_surface_point sharp = trxi_surface_sample(&box, 9, 4);
    box.rounding = 0.03;
    const trxi_surface_point round = trxi_surface_sample(&box, 9, 4);
    for (int j = 0; j < 3; j++) assert_close(round.p[j], sharp.p[j] + 0.03 * sharp.n[j], 1e-15);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("surface");
    TCase *cases = tcase_create("surface");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, points_of_a_box_cover_its_faces_by_area);
    tcase_add_test(cases, points_of_round_shapes_have_radial_normals);
    tcase_add_test(cases, normals_of_an_ellipsoid_are_gradients);
    tcase_add_test(cases, rounding_moves_points_outward);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
