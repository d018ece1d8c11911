// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Nearest points to round-off.

#include "geometry/witness.h"

#include "base/context.h"
#include "geometry/hull.h"
#include "geometry/search.h"

static const trx_shape_type types[] = {TRX_SHAPE_MESH,      TRX_SHAPE_BOX,     TRX_SHAPE_CYLINDER,
                                       TRX_SHAPE_ELLIPSOID, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE};
enum { TYPES = 6 };

START_TEST(both_points_are_extreme_along_n_and_n_joins_them)
{
    dice d = {.seed = 37};
    int overlaps = 0;
    for (int trial = 0; trial < 7200; trial++) {
        int i = trial % TYPES, j = trial / TYPES % TYPES;
        if (i > 3 && j > 3) continue; // a segment and a point have their own formulas
        body A = random_body(&d, types[i], 0.08), B = random_body(&d, types[j], 0.08);
        trxi_placed_shape a = placed(&A), b = placed(&B);
        trxi_core core_A = trxi_core_of(&a), core_B = trxi_core_of(&b);
        trxi_core_pair pair = trxi_core_pair_of(&core_A, &core_B);
        trxi_simplex s;
        trxi_witness w;
        double n[3], depth = 0;
        do {
            if (trxi_gjk(&pair, INFINITY, &s, n) == TRXI_GJK_OVERLAP) {
                depth = trxi_epa(&pair, &s, n).bound;
                trxi_scale3(-1, n, n);
            }
            trxi_witness_find(&pair, &s, n, -depth, &w);
        } while (!w.settled && ++pair.effort < 3);
        if (!w.settled) ck_assert_msg(depth > 0, "apart, kinds %d, %d, trial %d", i, j, trial);
        if (!w.settled) continue;

        double minus[3] = {-w.n[0], -w.n[1], -w.n[2]}, far[3], gap[3];
        assert_close(trxi_norm3(w.n), 1, 1e-15);
        assert_close(separation_along(&core_A, &core_B, w.n) + core_A.radius + core_B.radius, w.d, 1e-13);
        trxi_core_support(&core_A, 0, w.n, far);
        assert_close(trxi_dot3(far, w.n), trxi_dot3(w.a, w.n), 1e-13);
        trxi_core_support(&core_B, 0, minus, far);
        assert_close(trxi_dot3(far, w.n), trxi_dot3(w.b, w.n), 1e-13);
        trxi_sub3(w.b, w.a, gap);
        for (int k = 0; k < 3; k++) assert_close(gap[k], w.d * w.n[k], 1e-13);
        // both on the surfaces of the cores
        body bare_A = A, bare_B = B;
        bare_A.shape.rounding = bare_B.shape.rounding = 0;
        if (i > 3) bare_A.shape.radius = 0;
        if (j > 3) bare_B.shape.radius = 0;
        assert_close(surface_distance(&bare_A, w.a), 0, 1e-12);
        assert_close(surface_distance(&bare_B, w.b), 0, 1e-12);
        overlaps += w.d < 0;
    }
    ck_assert_int_gt(overlaps, 2000);
}
END_TEST

START_TEST(edges_that_lie_along_each_other_have_an_answer)
{
    // two boxes edge to edge, parallel: a material point of B stands for its edge
    body A = box_body(0.2, 0.2, 0.2), B = box_body(0.2, 0.2, 0.2);
    trxi_set3(0.25, 0.25, 0.03, B.p);
    trxi_placed_shape a = placed(&A), b = placed(&B);
    trxi_core core_A = trxi_core_of(&a), core_B = trxi_core_of(&b);
    trxi_core_pair pair = trxi_core_pair_of(&core_A, &core_B);
    trxi_simplex s;
    trxi_witness w;
    double n[3];
    ck_assert_int_eq(trxi_gjk(&pair, INFINITY, &s, n), TRXI_GJK_APART);
    trxi_witness_find(&pair, &s, n, 0, &w);
    ck_assert(w.settled);
    assert_close(w.d, 0.05 * sqrt(2), 1e-15);
    assert_close(w.n[0], sqrt(0.5), 1e-15);
    assert_close(w.n[1], sqrt(0.5), 1e-15);
    ck_assert(fabs(w.a[2]) <= 0.1 && fabs(w.a[2] - 0.03) <= 0.1);
}
END_TEST

// A face merged of corners that are rounded to floats is not quite flat: the triangle that the search ends at has another normal,
// deeper by nanometres. The face was not believed, two corners took its place, and the normal turned with 1/depth.
START_TEST(a_corner_in_a_face_of_rounded_corners_is_held_by_the_face)
{
    enum { SIDES = 12, TRIALS = 60 };
    static const double tip[] = {0, 0, -0.05, 0.05, 0, 0.05, -0.05, 0.05, 0.05, -0.05, -0.05, 0.05};
    const double pi = acos(-1.0);
    dice d = {.seed = 5};
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trxi_pool *pool = trxi_pool_create(context);
    int held = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double prism[6 * SIDES];
        for (int i = 0; i < 2 * SIDES; i++) {
            const double angle = 2 * pi * (i / 2) / SIDES, noise = uniform(&d, -1e-8, 1e-8);
            trxi_set3(0.1 * cos(angle), 0.1 * sin(angle), (i % 2 ? 0.1 : -0.1) + noise, prism + 3 * i);
        }
        const trx_mesh mesh = {.nvertex = 2 * SIDES, .vertices = prism};
        body A = box_body(1, 1, 1), B = mesh_body(4, tip);
        A.shape = trx_shape_default(TRX_SHAPE_MESH);
        ck_assert_int_eq(trxi_hull_create(context, pool, &mesh, &A.shape.hull), TRX_OK);
        ck_assert_int_eq(A.shape.hull->nface, SIDES + 2);
        trxi_set3(uniform(&d, -0.05, 0.05), uniform(&d, -0.05, 0.05), 0.1 + uniform(&d, 0.03, 0.09), B.p);
        trxi_contact_point points[TRXI_MAX_CONTACT_POINTS];
        if (collide(&A, &B, points) != 1 || points[0].phi > 0) continue;
        ck_assert_msg(points[0].tie > 0, "trial %d: no face holds the point at depth %g", trial, points[0].phi);
        ck_assert_msg(max_magnitude(points[0].dn_dx, 9) == 0, "trial %d: the normal of a face turns", trial);
        held++;
    }
    ck_assert_int_gt(held, TRIALS / 2);
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/witness");
    TCase *cases = tcase_create("witness");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, both_points_are_extreme_along_n_and_n_joins_them);
    tcase_add_test(cases, a_corner_in_a_face_of_rounded_corners_is_held_by_the_face);
    tcase_add_test(cases, edges_that_lie_along_each_other_have_an_answer);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
