// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Lengths of tendons (theory 4, Tendons) on a model with every kind of joint: gradients and products with their derivative against
// differences over q, also 1 km away; a tendon on one body; shares of pulleys.

#include "dynamics/fixture.h"
#include "dynamics/lengths.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

enum { TORSO, ARM, CART, LEG, MAST, BOX, CRANE };

static trx_tendon_point site(int body, double x, double y, double z)
{
    return (trx_tendon_point){.type = TRX_TENDON_SITE, .body = body, .pose = {{x, y, z}, {1, 0, 0, 0}}, .side_body = -1};
}

static trx_tendon_point around(trx_tendon_point_type type, int body, double radius, double x, double y, double z)
{
    const trx_pose pose = {{x, y, z}, {0.8, 0.3, -0.4, 0.2}};
    return (trx_tendon_point){.type = type, .body = body, .pose = pose, .radius = radius, .side_body = -1};
}

// paths within one tree, between trees, to the world and around surfaces of all of them
static int make_paths(trx_tendon_point points[5][8], trx_tendon_def tendons[5])
{
    const trx_tendon_point straight[] = {site(CART, 0.2, 0.1, 0.3), site(LEG, -0.2, 0.4, 0.1), site(MAST, 0.1, 0.2, 0.3)};
    const trx_tendon_point wrapped[] = {site(CART, 1.9, -0.7, 0.3), around(TRX_TENDON_SPHERE, ARM, 1.2, 0.1, 0.2, 0),
                                        site(LEG, -1.2, 1.4, 0.1)};
    const trx_tendon_point apart[] = {site(-1, 0.2, 0.1, 1.5), around(TRX_TENDON_CYLINDER, CRANE, 0.9, 0.1, 0.2, 0.1),
                                      site(TORSO, -0.2, 0.4, 0.1)};
    const trx_tendon_point pulleys[] = {site(-1, 0.2, 0.1, 1.5), site(BOX, 0.3, -0.2, 0.1),
                                        {.type = TRX_TENDON_PULLEY, .divisor = 3}, site(CRANE, 0.1, 0.4, 0.2),
                                        around(TRX_TENDON_SPHERE, -1, 0.9, 0, 0, 1), site(ARM, 0.4, 0.1, 0)};
    trx_tendon_point inside[] = {site(CRANE, 0.9, -0.7, 0.3), around(TRX_TENDON_SPHERE, MAST, 0.3, 0.1, 0.2, 0),
                                 site(CART, -1.2, 0.4, 0.1)};
    inside[1].has_side = true, inside[1].side_body = MAST;
    trxi_copy3(inside[1].pose.p, inside[1].side);
    const trx_tendon_point *const all[] = {straight, wrapped, apart, pulleys, inside};
    static const int counts[] = {3, 3, 3, 6, 3};
    for (int i = 0; i < 5; i++) {
        memcpy(points[i], all[i], (size_t)counts[i] * sizeof *all[i]);
        tendons[i] = trx_tendon_def_default();
        tendons[i].points = points[i], tendons[i].npoint = counts[i];
    }
    return 5;
}

typedef struct workspace {
    fixture f;
    trxi_lengths lengths;
    void *block;
} workspace;

static workspace open_paths(void)
{
    trx_tendon_point points[5][8];
    trx_tendon_def tendons[5];
    const int count = make_paths(points, tendons);
    workspace w = {.f = fixture_of_everything_with(tendons, count)};
    trxi_arena arena = {0};
    trxi_lengths_layout(&arena, w.f.model, &w.lengths);
    arena.base = w.block = calloc(1, arena.used);
    arena.used = 0;
    trxi_lengths_layout(&arena, w.f.model, &w.lengths);
    return w;
}

static void close_paths(workspace *w)
{
    free(w->block);
    fixture_close(&w->f);
}

static void compute(workspace *w, const double *q)
{
    trxi_kinematics_compute(w->f.model, q, &w->f.kin);
    trxi_lengths_compute(w->f.model, &w->f.kin, q, &w->lengths);
}

typedef struct direction {
    workspace *w;
    int length;
    const double *y; // NULL: the length; else J y
} direction;

static void evaluate(fixture *f, const double *q, const void *data, double *value)
{
    const direction *d = data;
    (void)f;
    compute(d->w, q);
    *value = d->y ? trxi_length_rate(d->w->f.model, &d->w->lengths, d->length, d->y) : d->w->lengths.value[d->length];
}

static bool near_switch(const workspace *w, int index)
{
    const trxi_length *length = &w->f.model->lengths[index];
    bool near = false;
    for (int s = length->first_span; s < length->first_span + length->nspan; s++)
        near = near || w->lengths.spans[s].at.margin < 0.05;
    return near;
}

static void judge(workspace *w, int index, uint64_t seed, bool far, int *branches)
{
    const int nv = w->f.nv;
    double q[MAX_NQ], y[MAX_NV], J[MAX_NV] = {0}, h[MAX_NV] = {0}, dl[MAX_NV], dJ_y[MAX_NV];
    random_configuration(&w->f, seed, far, q);
    random_vector(seed + 1000, nv, y);
    compute(w, q);
    if (near_switch(w, index)) return;
    const trxi_length *length = &w->f.model->lengths[index];
    for (int s = length->first_span; s < length->first_span + length->nspan; s++) branches[w->lengths.spans[s].at.branch]++;
    const trxi_length_view view = trxi_length_at(w->f.model, &w->lengths, index);
    for (int k = 0; k < view.ncol; k++) J[view.cols[k]] = view.J[k];
    trxi_length_turn(w->f.model, &w->f.kin, &w->lengths, index, y, h);
    difference_over_q(&w->f, evaluate, &(direction){w, index, NULL}, 1, q, dl);
    difference_over_q(&w->f, evaluate, &(direction){w, index, y}, 1, q, dJ_y);
    double error = 0, error_turn = 0;
    for (int j = 0; j < nv; j++) {
        error = fmax(error, fabs(J[j] - dl[j]));
        error_turn = fmax(error_turn, fabs(h[j] - dJ_y[j]));
    }
    assert_below(error, far ? 1e-6 : 1e-8 * (1 + max_magnitude(J, nv)));
    assert_below(error_turn, far ? 1e-4 : 1e-6 * (1 + max_magnitude(h, nv)));
    ck_assert(max_magnitude(J, nv) > 0 && max_magnitude(h, nv) > 0);
}

START_TEST(gradients_and_their_derivatives_agree_with_differences)
{
    workspace w = open_paths();
    int branches[4] = {0};
    for (int index = 0; index < w.f.model->ntendon; index++)
        for (uint64_t i = 0; i < 90; i++) judge(&w, index, i, false, branches);
    const int around = branches[TRXI_CLOCKWISE] + branches[TRXI_COUNTERCLOCKWISE];
    ck_assert_msg(branches[TRXI_STRAIGHT] >= 20 && around >= 20 && branches[TRXI_INSIDE] >= 20, "%d %d %d", branches[0], around,
                  branches[3]);
    close_paths(&w);
}
END_TEST

START_TEST(far_from_the_origin_they_are_as_good)
{
    workspace w = open_paths();
    int branches[4] = {0};
    for (uint64_t i = 0; i < 30; i++) judge(&w, 1, i, true, branches);
    ck_assert_int_gt(branches[TRXI_CLOCKWISE] + branches[TRXI_COUNTERCLOCKWISE], 0);
    close_paths(&w);
}
END_TEST

// dofs that move the whole path do not count: the torso's and the hinge's of a path from the cart to the arm
START_TEST(dofs_that_all_points_share_are_left_out)
{
    const trx_tendon_point points[] = {site(ARM, 0.2, 0.1, 0.3), site(CART, 0.1, 0, 0)};
    const trx_tendon_point alone[] = {site(ARM, 0, 0, 0), site(ARM, 1, 0, 0)};
    trx_tendon_def tendons[2] = {trx_tendon_def_default(), trx_tendon_def_default()};
    tendons[0].points = points, tendons[0].npoint = 2;
    tendons[1].points = alone, tendons[1].npoint = 2;
    fixture f = fixture_of_everything_with(tendons, 2);
    ck_assert_int_eq(f.model->lengths[0].ncol, 3); // of the planar joint
    ck_assert_int_eq(f.model->lengths[0].shared, 6 + 1 + 3 + 1);
    ck_assert_int_eq(f.model->lengths[1].ncol, 0);
    double q[MAX_NQ], length, gradient[MAX_NV];
    random_configuration(&f, 5, false, q);
    ck_assert_int_eq(trx_model_tendon(f.context, f.model, 1, q, &length, gradient), TRX_OK);
    assert_close(length, 1, 1e-12);
    assert_close(max_magnitude(gradient, f.nv), 0, 0);
    ck_assert_int_eq(trx_model_tendon(f.context, f.model, 2, q, &length, gradient), TRX_ERR_ARGUMENT);
    fixture_close(&f);
}
END_TEST

START_TEST(a_pulley_divides_the_length_of_its_branch)
{
    const trx_tendon_point points[] = {site(-1, 0, 0, 0), site(-1, 3, 0, 0), {.type = TRX_TENDON_PULLEY, .divisor = 4},
                                       site(-1, 0, 0, 0), site(-1, 0, 2, 0), site(-1, 0, 2, 2)};
    trx_tendon_def tendon = trx_tendon_def_default();
    tendon.points = points, tendon.npoint = 6;
    fixture f = fixture_of_everything_with(&tendon, 1);
    double q[MAX_NQ], length;
    random_configuration(&f, 5, false, q);
    ck_assert_int_eq(trx_model_tendon(f.context, f.model, 0, q, &length, NULL), TRX_OK);
    assert_close(length, 4, 1e-15);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dynamics/lengths");
    TCase *cases = tcase_create("lengths");
    tcase_add_test(cases, gradients_and_their_derivatives_agree_with_differences);
    tcase_add_test(cases, far_from_the_origin_they_are_as_good);
    tcase_add_test(cases, dofs_that_all_points_share_are_left_out);
    tcase_add_test(cases, a_pulley_divides_the_length_of_its_branch);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
