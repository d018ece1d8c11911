// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pieces of cores: how their points depend on the normal, and how they change into their neighbours.

#include "geometry/piece.h"

#include "geometry/probe.h"
#include "geometry/small_hull.h"

static const trx_shape_type types[] = {TRX_SHAPE_MESH,      TRX_SHAPE_BOX,     TRX_SHAPE_CYLINDER,
                                       TRX_SHAPE_ELLIPSOID, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE};
enum { TYPES = 6 };

// a random body, its core, and the piece at the support point along n
typedef struct sample {
    body b;
    trxi_core core;
    trxi_piece piece;
    double n[3], x[3];
} sample;

static void random_sample(dice *d, int trial, sample *s)
{
    s->b = random_body(d, types[trial % TYPES], 0.2);
    trxi_placed_shape shape = placed(&s->b);
    s->core = trxi_core_of(&shape);
    random_direction(d, s->n);
    int id = trxi_core_support(&s->core, 0, s->n, s->x);
    trxi_piece_guess(&s->core, 1, &id, s->n, 0, &s->piece);
}

START_TEST(the_point_of_a_piece_is_the_support_point_and_sigma_its_derivative)
{
    dice d = {.seed = 40};
    int curved = 0;
    for (int trial = 0; trial < 600; trial++) {
        sample s;
        random_sample(&d, trial, &s);
        if (s.piece.nflat > 0) continue; // a cylinder nearly flat
        double x[3], Sigma[9], m[3], f[2][3], expected[3], along[3];
        trxi_piece_point(&s.piece, s.n, x, Sigma);
        assert_below(max_difference(x, s.x, 3), 1e-13);
        ck_assert_int_lt(s.piece.number, trxi_core_features(&s.core));
        // hess h n = 0, and its other directions against differences of unit normals
        trxi_mulv3(Sigma, s.n, expected);
        assert_below(max_magnitude(expected, 3), 1e-13);
        random_direction(&d, m);
        trxi_axpy3(-trxi_dot3(m, s.n), s.n, m);
        for (int k = 0; k < 2; k++) {
            trxi_copy3(s.n, along);
            trxi_axpy3(k ? 1e-6 : -1e-6, m, along);
            trxi_normalize3(along, along);
            trxi_piece_point(&s.piece, along, f[k], NULL);
        }
        trxi_mulv3(Sigma, m, expected);
        for (int i = 0; i < 3; i++) assert_close((f[1][i] - f[0][i]) / 2e-6, expected[i], 1e-7);
        curved += max_magnitude(expected, 3) > 1e-3;
    }
    ck_assert_int_gt(curved, 150);
}
END_TEST

START_TEST(a_piece_that_reaches_less_far_than_its_core_is_widened_until_it_does_not)
{
    dice d = {.seed = 41};
    int widened = 0;
    for (int trial = 0; trial < 600; trial++) {
        sample s;
        random_sample(&d, trial, &s);
        // the piece of another direction
        double other[3], x[3];
        random_direction(&d, other);
        trxi_axpy3(2, s.n, other);
        trxi_normalize3(other, other);
        int changes = 0;
        for (; changes < 40; changes++) {
            trxi_piece_point(&s.piece, other, x, NULL);
            if (!trxi_piece_widen(&s.piece, other, x, 0, 1e-12)) break;
            // the part of the normal that is normal to the new piece
            for (int k = 0; k < s.piece.nflat && changes < 39; k++)
                trxi_axpy3(-trxi_dot3(other, s.piece.flat[k]), s.piece.flat[k], other);
            trxi_normalize3(other, other);
        }
        widened += changes > 0;
        ck_assert_int_lt(changes, 40);
        double far[3];
        trxi_core_support(&s.core, 0, other, far);
        assert_close(trxi_dot3(far, other), trxi_dot3(x, other), 1e-11);
    }
    ck_assert_int_gt(widened, 80);
}
END_TEST

START_TEST(a_piece_left_by_its_point_is_narrowed_to_where_the_point_left)
{
    body box = box_body(0.2, 0.4, 0.6), tin = cylinder_body(0.1, 0.5), capsule = capsule_body(0.1, 0.5);
    double corners[24];
    for (int k = 0; k < 24; k++) corners[k] = (k / 3 >> k % 3 & 1 ? 0.5 : -0.5) * box.shape.size[k % 3];
    body mesh = mesh_body(8, corners);
    trxi_placed_shape shapes[4] = {placed(&box), placed(&tin), placed(&capsule), placed(&mesh)};
    trxi_core cores[4];
    for (int k = 0; k < 4; k++) cores[k] = trxi_core_of(&shapes[k]);
    trxi_piece p;
    const double up[3] = {0, 0, 1}, beside[3] = {0.15, 0.05, 0.3};

    // the top of a box, then the edge, then the corner
    trxi_piece_guess(&cores[0], 3, (int[]){4, 5, 6}, up, 0, &p);
    ck_assert(p.nflat == 2 && p.number == 18);
    ck_assert(!trxi_piece_narrow(&p, (double[]){0.09, 0.1, 0.3}, 1e-12));
    assert_close(trxi_piece_room(&p, (double[]){0.09, 0.1, 0.3}), 0.01, 1e-15);
    ck_assert(trxi_piece_narrow(&p, beside, 1e-12));
    ck_assert(p.nflat == 1 && p.number == 18 + 2);
    ck_assert(trxi_piece_narrow(&p, (double[]){0.1, -0.25, 0.3}, 1e-12));
    ck_assert(p.nflat == 0 && p.number == 18 + 3 + 2);
    assert_below(max_difference(p.x0, (double[]){0.1, -0.2, 0.3}, 3), 1e-16);

    // the same box as a mesh
    trxi_piece_guess(&cores[3], 3, (int[]){4, 5, 6}, up, 0, &p);
    ck_assert(p.nflat == 2);
    assert_close(trxi_piece_room(&p, (double[]){0.09, 0.1, 0.3}), 0.01, 1e-15);
    ck_assert(trxi_piece_narrow(&p, beside, 1e-12));
    ck_assert(p.nflat == 1);
    assert_close(fabs(p.flat[0][1]), 1, 1e-15);
    ck_assert(trxi_piece_narrow(&p, (double[]){0.1, -0.25, 0.3}, 1e-12));
    assert_below(max_difference(p.x0, (double[]){0.1, -0.2, 0.3}, 3), 1e-16);

    // the end and the side of a cylinder become a rim, the inside of a segment its end
    trxi_piece_guess(&cores[1], 1, (int[]){1}, up, 0, &p);
    ck_assert_int_eq(p.number, 4);
    assert_close(trxi_piece_room(&p, (double[]){0.03, 0.04, 0.25}), 0.05, 1e-15);
    ck_assert(trxi_piece_narrow(&p, (double[]){0.1, 0.1, 0.25}, 1e-12));
    ck_assert_int_eq(p.number, 2);
    trxi_piece_guess(&cores[1], 1, (int[]){1}, (double[]){1, 0, 0}, 0, &p);
    ck_assert_int_eq(p.number, 0);
    ck_assert(trxi_piece_narrow(&p, (double[]){0.1, 0, -0.3}, 1e-12));
    ck_assert_int_eq(p.number, 1);
    trxi_piece_guess(&cores[2], 2, (int[]){0, 1}, (double[]){1, 0, 0}, 0, &p);
    ck_assert_int_eq(p.number, 1);
    ck_assert(trxi_piece_narrow(&p, (double[]){0, 0, 0.3}, 1e-12));
    ck_assert_int_eq(p.number, 2);
}
END_TEST

START_TEST(turns_are_the_angles_to_the_neighbouring_pieces)
{
    dice d = {.seed = 42};
    int checked = 0;
    for (int trial = 0; trial < 600; trial++) {
        sample s;
        random_sample(&d, trial, &s);
        double angle[TRXI_MAX_TURNS], direction[TRXI_MAX_TURNS][3], least = INFINITY;
        int count = trxi_piece_turns(&s.piece, s.n, angle, direction), nearest = 0;
        for (int k = 0; k < count; k++)
            if (angle[k] < least) least = angle[k], nearest = k;
        if (s.b.shape.type >= TRX_SHAPE_ELLIPSOID && s.b.shape.type != TRX_SHAPE_CAPSULE) ck_assert_int_eq(count, 0);
        if (count == 0 || least < 1e-3 || s.b.shape.type == TRX_SHAPE_CYLINDER) continue;
        // turned towards the nearest neighbour by a little less and a little more
        double u[3];
        trxi_copy3(direction[nearest], u);
        trxi_axpy3(-trxi_dot3(u, s.n), s.n, u);
        trxi_normalize3(u, u);
        double toward = trxi_dot3(direction[nearest], s.n) <= 0 ? 1 : -1, turn = asin(least);
        for (int longer = 0; longer < 2; longer++) {
            double n[3], x[3], t = turn * (longer ? 1.01 : 0.99);
            trxi_scale3(cos(t), s.n, n);
            trxi_axpy3(toward * sin(t), u, n);
            trxi_core_support(&s.core, 0, n, x);
            ck_assert_msg((max_difference(x, s.x, 3) > 1e-6) == longer, "kind %d, angle %g", s.core.kind, least);
        }
        checked++;
    }
    ck_assert_int_gt(checked, 200);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/piece");
    TCase *cases = tcase_create("piece");
    tcase_add_test(cases, the_point_of_a_piece_is_the_support_point_and_sigma_its_derivative);
    tcase_add_test(cases, a_piece_that_reaches_less_far_than_its_core_is_widened_until_it_does_not);
    tcase_add_test(cases, a_piece_left_by_its_point_is_narrowed_to_where_the_point_left);
    tcase_add_test(cases, turns_are_the_angles_to_the_neighbouring_pieces);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
