// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of every pair that the general method serves, against differences, apart and overlapping.

#include "geometry/pairs.h"
#include "geometry/probe.h"

static const trx_shape_type types[] = {TRX_SHAPE_MESH,      TRX_SHAPE_BOX,     TRX_SHAPE_CYLINDER,
                                       TRX_SHAPE_ELLIPSOID, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE};
enum { TYPES = 6 };

static int collide_convex(const body *A, const body *B, trxi_contact_point *points)
{
    trxi_placed_shape a = placed(A), b = placed(B);
    return trxi_collide_convex(&a, &b, INFINITY, true, points);
}

START_TEST(derivatives_agree_with_differences_for_every_pair_apart_and_overlapping)
{
    dice d = {.seed = 43};
    for (int i = 0; i < TYPES; i++)
        for (int j = 0; j < TYPES; j++) {
            if (i > 3 && j > 3) continue;
            // number of contacts whose cores overlap, of which only the roundings overlap, that are apart
            int seen[3] = {0}, tried = 0;
            while ((seen[0] < 6 || seen[1] < 4 || seen[2] < 12) && tried++ < 8000) {
                body A = random_body(&d, types[i], 0.08), B = random_body(&d, types[j], 0.08);
                if (types[i] == TRX_SHAPE_BOX && tried % 2) A.shape.rounding = 0.02;
                // every third pair is moved until only the roundings overlap, if a shape has one
                trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
                int count = collide_convex(&A, &B, c);
                double rounding = types[i] > TRX_SHAPE_ELLIPSOID ? A.shape.radius : A.shape.rounding;
                rounding += types[j] > TRX_SHAPE_ELLIPSOID ? B.shape.radius : B.shape.rounding;
                if (tried % 3 == 0 && rounding > 0) {
                    trxi_axpy3(-c[0].phi - 0.5 * rounding, c[0].n, B.p);
                    count = collide_convex(&A, &B, c);
                }
                int index = tried % count;
                int kind = c[index].phi > 0 ? 2 : c[index].phi > -rounding ? 1 : 0;
                if (c[index].tie < 6e-3 || (seen[kind] > 30)) continue;
                seen[kind]++;
                check_derivatives_of(&d, collide_convex, &A, &B, index);
            }
            ck_assert_msg(seen[0] >= 6 && seen[2] >= 12 && seen[1] >= 4, "kinds %d, %d: %d overlap, %d by rounding, %d apart", i, j,
                          seen[0], seen[1], seen[2]);
        }
}
END_TEST

START_TEST(tie_is_no_more_than_the_distance_to_another_feature)
{
    dice d = {.seed = 45};
    int changes = 0, trials = 0;
    for (int trial = 0; trial < 3600; trial++) {
        int i = trial % TYPES, j = trial / TYPES % TYPES;
        if (i > 3 && j > 3) continue;
        body A = random_body(&d, types[i], 0.08), B = random_body(&d, types[j], 0.08), other = B;
        trxi_contact_point c[TRXI_MAX_CONTACT_POINTS], e[TRXI_MAX_CONTACT_POINTS];
        int count = collide_convex(&A, &B, c);
        if (count > 1 || c[0].tie > 0.02) continue;
        trials++;
        // most moves shorter than half the tie keep the feature; the estimate is of first order
        for (int k = 0; k < 10; k++) {
            double u[3];
            random_direction(&d, u);
            trxi_copy3(B.p, other.p);
            trxi_axpy3(0.5 * c[0].tie, u, other.p);
            collide_convex(&A, &other, e);
            changes += e[0].feature != c[0].feature;
        }
    }
    ck_assert_int_gt(trials, 500);
    ck_assert_msg(changes < trials / 100 * 2, "%d changes in %d trials", changes, trials);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/witness_deriv");
    TCase *cases = tcase_create("witness_deriv");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, derivatives_agree_with_differences_for_every_pair_apart_and_overlapping);
    tcase_add_test(cases, tie_is_no_more_than_the_distance_to_another_feature);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
