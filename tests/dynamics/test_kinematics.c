// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Poses of chains worked out by hand, columns and velocities against differences of the poses.

#include "fixture.h"
#include "math/rotation.h"
#include "support/support.h"

// all link poses: R (9) and p (3) each
static void link_poses(fixture *f, const double *q, const void *data, double *values)
{
    (void)data;
    trxi_kinematics_compute(f->model, q, &f->kin);
    for (int i = 0; i < f->model->nlink; i++)
        for (int k = 0; k < 12; k++) values[12 * i + k] = k < 9 ? f->kin.R[9 * i + k] : f->kin.p[3 * i + k - 9];
}

// motion of link i for a unit of dof j, from the columns: dR = [w]x R, dp = v + w x (p - c)
static void expected_motion(const fixture *f, int i, int j, double out[12])
{
    const trxi_link *link = &f->model->links[i];
    for (int k = 0; k < 12; k++) out[k] = 0;
    for (int n = 0; n < link->path_length; n++) {
        if (f->model->path[link->path_start + n] != j) continue;
        const double *S = f->kin.S + 6 * j;
        for (int k = 0; k < 3; k++) trxi_cross3(S, f->kin.R + 9 * i + 3 * k, out + 3 * k);
        trxi_cross3(S, f->kin.o + 3 * i, out + 9);
        trxi_add3(out + 9, S + 3, out + 9);
    }
}

static void columns_match_differences(bool far, double tolerance)
{
    static double numeric[12 * MAX_LINKS * MAX_NV];
    fixture f = fixture_of_everything();
    double q[MAX_NQ];
    random_configuration(&f, 11, far, q);
    int n = 12 * f.model->nlink;
    difference_over_q(&f, link_poses, NULL, n, q, numeric);
    trxi_kinematics_compute(f.model, q, &f.kin);
    double largest = 0;
    for (int j = 0; j < f.nv; j++)
        for (int i = 0; i < f.model->nlink; i++) {
            double expected[12];
            expected_motion(&f, i, j, expected);
            assert_below(max_difference(expected, numeric + 12 * i + n * j, 12), tolerance);
            largest = fmax(largest, max_magnitude(expected, 12));
        }
    ck_assert(largest > 1);
    fixture_close(&f);
}

START_TEST(columns_are_the_motion_of_every_link)
{
    columns_match_differences(false, 1e-10);
}
END_TEST

START_TEST(columns_are_right_a_kilometre_away)
{
    columns_match_differences(true, 1e-8); // the differences themselves lose digits there
}
END_TEST

START_TEST(offsets_are_positions_about_the_reference_point)
{
    fixture f = fixture_of_everything();
    for (int far = 0; far < 2; far++) {
        double q[MAX_NQ];
        random_configuration(&f, 5, far, q);
        trxi_kinematics_compute(f.model, q, &f.kin);
        for (int i = 0; i < f.model->nlink; i++) {
            double o[3];
            trxi_sub3(f.kin.p + 3 * i, f.kin.c + 3 * f.model->links[i].tree, o);
            assert_below(max_difference(o, f.kin.o + 3 * i, 3), far ? 2e-12 : 2e-14);
        }
    }
    fixture_close(&f);
}
END_TEST

START_TEST(offsets_do_not_depend_on_how_far_the_tree_is)
{
    // a cartesian chain ends in the body that has mass: its reference point goes with it
    const char *names[] = {"x", "y", "z", "yaw"};
    trx_joint_def joints[4];
    for (int i = 0; i < 4; i++) {
        joints[i] = trx_joint_def_default();
        joints[i].name = names[i];
        joints[i].type = i < 3 ? TRX_JOINT_SLIDE : TRX_JOINT_HINGE;
        for (int k = 0; k < 3; k++) joints[i].axis[k] = k == (i < 3 ? i : 2);
    }
    trx_body_def body = trx_body_def_default();
    body.name = "tool";
    body.joints = joints;
    body.njoint = 4;
    body.has_inertia = true;
    body.inertia = (trx_body_inertia){1, {0.1, 0.2, 0.3}, {1, 1, 1, 0, 0, 0}};
    trx_model_def def = trx_model_def_default();
    def.bodies = &body;
    def.nbody = 1;
    fixture f = fixture_open(&def);

    double near_q[4] = {0, 0, 0, 0.3}, far_q[4] = {1e6, -1e6, 1e6, 0.3}, near_M[16], far_M[16];
    mass_matrix_at(&f, near_q, near_M);
    mass_matrix_at(&f, far_q, far_M);
    for (int k = 0; k < 16; k++) ck_assert(near_M[k] == far_M[k]);
    assert_close(near_M[15], 1 + 0.05, 1e-15);
    fixture_close(&f);
}
END_TEST

// V of all links at the velocities in data
static void link_velocities(fixture *f, const double *q, const void *data, double *values)
{
    trxi_kinematics_compute(f->model, q, &f->kin);
    trxi_link_velocities(f->model, &f->kin, data, values);
}

// moves V from a tree's own reference point at q to a point that stays: v_at = v + w x (at - c)
static void velocities_at_origin(fixture *f, const double *q, const void *data, double *values)
{
    link_velocities(f, q, data, values);
    for (int i = 0; i < f->model->nlink; i++) {
        double *V = values + 6 * i;
        trxi_cross_add3(f->kin.c + 3 * f->model->links[i].tree, V, V + 3);
    }
}

START_TEST(link_velocity_derivatives_agree_with_central_differences)
{
    static double numeric[6 * MAX_LINKS * MAX_NV];
    fixture f = fixture_of_everything();
    double q[MAX_NQ], v[MAX_NV], V[6 * MAX_LINKS], dV[6 * MAX_NV], largest = 0;
    random_configuration(&f, 21, false, q);
    random_vector(22, f.nv, v);
    int n = 6 * f.model->nlink;
    difference_over_q(&f, velocities_at_origin, v, n, q, numeric);
    link_velocities(&f, q, v, V);
    for (int i = 0; i < f.model->nlink; i++) {
        const trxi_link *link = &f.model->links[i];
        trxi_link_velocity_dq(f.model, &f.kin, V, i, dV);
        for (int k = 0; k < link->path_length; k++) {
            int j = f.model->path[link->path_start + k];
            trxi_cross_add3(f.kin.c + 3 * link->tree, dV + 6 * k, dV + 6 * k + 3);
            assert_below(max_difference(dV + 6 * k, numeric + 6 * i + n * j, 6), 1e-9);
            largest = fmax(largest, max_magnitude(dV + 6 * k, 6));
        }
    }
    ck_assert(largest > 1);
    fixture_close(&f);
}
END_TEST

START_TEST(link_velocities_are_columns_times_v)
{
    fixture f = fixture_of_everything();
    double q[MAX_NQ], v[MAX_NV], V[6 * MAX_LINKS];
    random_configuration(&f, 31, false, q);
    random_vector(32, f.nv, v);
    link_velocities(&f, q, v, V);
    for (int i = 0; i < f.model->nlink; i++) {
        const trxi_link *link = &f.model->links[i];
        double sum[6] = {0};
        for (int k = 0; k < link->path_length; k++) {
            int j = f.model->path[link->path_start + k];
            trxi_axpy6(v[j], f.kin.S + 6 * j, sum);
        }
        assert_below(max_difference(sum, V + 6 * i, 6), 1e-13);
    }
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dynamics/kinematics");
    TCase *cases = tcase_create("kinematics");
    tcase_add_test(cases, columns_are_the_motion_of_every_link);
    tcase_add_test(cases, columns_are_right_a_kilometre_away);
    tcase_add_test(cases, offsets_are_positions_about_the_reference_point);
    tcase_add_test(cases, offsets_do_not_depend_on_how_far_the_tree_is);
    tcase_add_test(cases, link_velocities_are_columns_times_v);
    tcase_add_test(cases, link_velocity_derivatives_agree_with_central_differences);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
