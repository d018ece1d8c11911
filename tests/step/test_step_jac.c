// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A and B by island beside their dense form, and both beside differences, in a scene whose islands are scattered among the
// bodies: two boxes on top of each other with a ball in the air between them, an arm on a ball joint, two carts that one
// control pulls.

#include "base/random.h"
#include "step/sim.h"
#include "step/timed.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tractrix/verify.h>

enum { MAX_NX = 72, MAX_NU = 4 };

static const char scene[] =
    "tractrix: 1\n"
    "model:\n"
    "  materials: {default: {stiffness: 1e4, dissipation: 5, relaxation_time: 0.01, friction: 0.5}}\n"
    "  bodies:\n"
    "    - {name: floor, geometry: [{shape: halfspace}]}\n"
    "    - {name: low, joint: free, geometry: [{shape: box, size: [0.2, 0.2, 0.1], mass: 1}]}\n"
    "    - {name: alone, joint: free, geometry: [{shape: sphere, radius: 0.04, mass: 0.3, pose: {xyz: [0.01, 0, 0]}}]}\n"
    "    - {name: cart, pose: {xyz: [0, 1, 0.5]}, joints: [{name: rail, type: slide, axis: [1, 0, 0], damping: 0.1}],\n"
    "       inertia: {mass: 2}}\n"
    "    - {name: high, joint: free, geometry: [{shape: box, size: [0.12, 0.1, 0.1], mass: 0.5}]}\n"
    "    - {name: arm, pose: {xyz: [1, 0, 1]}, joints: [{name: shoulder, type: ball, stiffness: 0.4}, {name: reach, type: slide,\n"
    "       axis: [1, 0, 0], stiffness: 20}], inertia: {mass: 0.5, com: [0.1, 0, 0], tensor: [0.01, 0.02, 0.03]}}\n"
    "    - {name: other, pose: {xyz: [0, 2, 0.5]}, joints: [{name: track, type: slide, axis: [0, 1, 0]}], inertia: {mass: 1}}\n"
    "  actuators:\n"
    "    - {joint: reach}\n"
    "    - {name: rope, joints: {rail: 1, track: -0.5}}\n"
    "    - {joint: rail}\n"
    "time: {step: 0.01, steps: 10%s}\n"
    "start:\n"
    "  low: {xyz: [0, 0, 0.0495], velocity: [0.1, 0, 0], spin: [0, 0, 0.2]}\n"
    "  alone: {xyz: [0, 0.1, 1], velocity: [0.1, 2, 0], spin: [1, 2, 3]}\n"
    "  high: {xyz: [0.01, 0.02, 0.149], rpy: [0, 0, 0.3], velocity: [0.3, -0.1, 0]}\n";
static const char *const schemes[] = {"", ", scheme: midpoint", ", spin: momentum", ", scheme: theta, theta: 0.7, theta_vq: 0.6"};

typedef struct matrices {
    double A[MAX_NX * MAX_NX], B[MAX_NX * MAX_NU];         // dense
    double island_A[MAX_NX * MAX_NX], island_B[MAX_NX * MAX_NU];
    int count;
    const trx_island *islands;
} matrices;

static timed t;
static matrices m;
static int nu;

static void open_scene(const char *scheme, uint64_t seed)
{
    char text[4096];
    snprintf(text, sizeof text, scene, scheme);
    t = timed_open(text);
    nu = trx_model_get_size(t.model).nu;
    for (int i = 0; i < t.nv; i++) t.x[t.nq + i] += 0.02 * trxi_random_normal(seed, (uint64_t)i);
    const double u[] = {0.3, 1, -0.4};
    ck_assert_int_ge(trx_step(t.sim, t.x, u, NULL), 0);
}

static void derive(void)
{
    ck_assert_int_eq(trx_step_jac(t.sim, m.A, m.B), TRX_OK);
    ck_assert_int_eq(trx_step_jac_islands(t.sim, m.island_A, m.island_B, &m.count, &m.islands), TRX_OK);
}

// the row or column of the whole matrix that belongs to row or column k of an island
static int global(const trx_island *part, int k)
{
    return k < part->nv ? part->dofs[k] : t.nv + part->dofs[k - part->nv];
}

START_TEST(islands_have_the_entries_of_the_dense_form_and_it_has_no_others)
{
    static double rest_A[MAX_NX * MAX_NX], rest_B[MAX_NX * MAX_NU];
    open_scene(schemes[_i], 1);
    derive();
    const int nx = 2 * t.nv;
    memcpy(rest_A, m.A, sizeof rest_A), memcpy(rest_B, m.B, sizeof rest_B);
    ck_assert(max_magnitude(m.A, nx * nx) >= 1 && max_magnitude(m.B, nx * nu) > 1e-3);
    for (int i = 0; i < m.count; i++) {
        const trx_island *part = &m.islands[i];
        const int n = 2 * part->nv;
        for (int c = 0; c < n; c++)
            for (int r = 0; r < n; r++) {
                int at = global(part, r) + global(part, c) * nx;
                ck_assert_double_eq(part->A[r + c * n], m.A[at]);
                rest_A[at] = 0;
            }
        for (int c = 0; c < part->nu; c++)
            for (int r = 0; r < n; r++) {
                int at = global(part, r) + part->controls[c] * nx;
                ck_assert_double_eq(part->B[r + c * n], m.B[at]);
                rest_B[at] = 0;
            }
    }
    ck_assert_double_eq(max_magnitude(rest_A, nx * nx), 0);
    ck_assert_double_eq(max_magnitude(rest_B, nx * nu), 0);
    timed_close(&t);
}
END_TEST

START_TEST(every_dof_is_in_one_island_and_a_control_in_each_that_it_acts_on)
{
    open_scene("", 1);
    derive();
    int seen[MAX_NX] = {0}, of_control[MAX_NU] = {0}, largest = 0;
    ck_assert_int_eq(m.count, 5); // boxes, alone, cart, arm, other
    for (int i = 0; i < m.count; i++) {
        const trx_island *part = &m.islands[i];
        for (int k = 0; k < part->nv; k++) {
            seen[part->dofs[k]]++;
            ck_assert(k == 0 || part->dofs[k - 1] < part->dofs[k]);
        }
        for (int k = 0; k < part->nu; k++) of_control[part->controls[k]]++;
        if (part->nv > largest) largest = part->nv;
    }
    for (int k = 0; k < t.nv; k++) ck_assert_int_eq(seen[k], 1);
    ck_assert_int_eq(largest, 12);

    // the island of the boxes: its dofs come before and after the dofs of the ball and the cart
    ck_assert_int_eq(m.islands[0].dofs[0], timed_v(&t, "low.vx") - t.nq);
    ck_assert_int_eq(m.islands[0].dofs[6], timed_v(&t, "high.vx") - t.nq);
    ck_assert_int_eq(m.islands[0].nu, 0);
    const int wanted[] = {1, 2, 1}; // reach; the rope pulls both carts; rail
    for (int k = 0; k < nu; k++) ck_assert_int_eq(of_control[k], wanted[k]);
    timed_close(&t);
}
END_TEST

START_TEST(scattered_islands_have_exact_derivatives)
{
    static double F[MAX_NX * MAX_NX], G[MAX_NX * MAX_NU];
    int judged = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        const double u[] = {0.3, 1, -0.4};
        bool kink;
        open_scene(schemes[_i], seed);
        derive();
        ck_assert_int_ge(trx_step_fd(t.sim, t.x, u, 1e-4, F, G, &kink), 0);
        const int nx = 2 * t.nv;
        for (int j = 0; j < nx && !kink; j++) {
            double scale = fmax(max_magnitude(F + j * nx, nx), 1e-3);
            double error = max_difference(m.A + j * nx, F + j * nx, nx) / scale;
            ck_assert_msg(error < 1e-6, "%s, seed %d, column %d: %g", schemes[_i], (int)seed, j, error);
        }
        if (!kink) ck_assert_double_lt(max_difference(m.B, G, nx * nu), 1e-9);
        judged += !kink;
        timed_close(&t);
    }
    ck_assert_int_ge(judged, 2);
}
END_TEST

START_TEST(products_with_scattered_islands_are_those_of_the_matrices)
{
    open_scene(schemes[_i], 2);
    derive();
    const int nx = 2 * t.nv;
    double s[MAX_NX], du[MAX_NU], forward[MAX_NX], wanted[MAX_NX], back[MAX_NX], back_u[MAX_NU];
    for (int i = 0; i < nx; i++) s[i] = trxi_random_normal(7, (uint64_t)i);
    for (int i = 0; i < nu; i++) du[i] = trxi_random_normal(8, (uint64_t)i);
    for (int i = 0; i < nx; i++) {
        wanted[i] = 0;
        for (int j = 0; j < nx; j++) wanted[i] += m.A[i + j * nx] * s[j];
        for (int j = 0; j < nu; j++) wanted[i] += m.B[i + j * nx] * du[j];
    }
    ck_assert_int_eq(trx_step_jvp(t.sim, s, du, forward), TRX_OK);
    ck_assert_double_lt(max_difference(forward, wanted, nx), 1e-11 * max_magnitude(wanted, nx));

    ck_assert_int_eq(trx_step_vjp(t.sim, s, back, back_u), TRX_OK);
    for (int j = 0; j < nx; j++) {
        wanted[j] = 0;
        for (int i = 0; i < nx; i++) wanted[j] += m.A[i + j * nx] * s[i];
    }
    ck_assert_double_lt(max_difference(back, wanted, nx), 1e-11 * max_magnitude(wanted, nx));
    for (int j = 0; j < nu; j++) {
        double sum = 0;
        for (int i = 0; i < nx; i++) sum += m.B[i + j * nx] * s[i];
        ck_assert_double_eq_tol(back_u[j], sum, 1e-11);
    }
    timed_close(&t);
}
END_TEST

// the law of sap depends on the effective inverse mass
static void step_by_sap(void)
{
    for (int i = 0; i < trx_model_get_size(t.model).npair; i++) {
        trx_pair_law law = trx_sim_pair_law(t.sim, i);
        law.approximation = TRX_SAP, law.force_law = TRX_KELVIN_VOIGT;
        ck_assert_int_eq(trx_sim_set_pair_law(t.sim, i, &law), TRX_OK);
    }
    ck_assert_int_ge(trx_step(t.sim, t.x, NULL, NULL), 0);
}

static void fill_room(double value)
{
    for (int i = 0; i < 8 * t.nv + 12 * t.sim->in.model->nlink; i++) t.sim->deriv.y_scratch[i] = value;
}

// terms with the effective inverse mass read the trees of their contact only. The scratch for other trees is filled with NAN here
START_TEST(what_is_left_in_the_room_of_other_trees_is_not_read)
{
    static double A[MAX_NX * MAX_NX];
    double seed[MAX_NX], grad[2][MAX_NX];
    open_scene(schemes[_i], 1);
    const int nx = 2 * t.nv;
    for (int i = 0; i < nx; i++) seed[i] = trxi_random_normal(7, (uint64_t)i);
    for (int pass = 0; pass < 2; pass++) {
        step_by_sap();
        ck_assert_int_gt(trx_sim_contacts(t.sim, NULL), 0);
        fill_room(pass ? NAN : 0);
        ck_assert_int_eq(trx_step_vjp(t.sim, seed, grad[pass], NULL), TRX_OK);
        ck_assert(t.sim->deriv.y_scratch[0] == t.sim->deriv.y_scratch[0]);
        fill_room(pass ? NAN : 0);
        ck_assert_int_eq(trx_step_jac(t.sim, pass ? m.A : A, NULL), TRX_OK);
    }
    ck_assert_int_eq(memcmp(grad[0], grad[1], (size_t)nx * sizeof *seed), 0);
    ck_assert_int_eq(memcmp(A, m.A, (size_t)(nx * nx) * sizeof *A), 0);
    ck_assert(isfinite(max_magnitude(A, nx * nx)));
    timed_close(&t);
}
END_TEST

START_TEST(islands_need_a_step_and_a_place)
{
    open_scene("", 1);
    int count;
    const trx_island *islands;
    ck_assert_int_eq(trx_step_jac_islands(NULL, m.island_A, m.island_B, &count, &islands), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_step_jac_islands(t.sim, NULL, m.island_B, &count, &islands), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_step_jac_islands(t.sim, m.island_A, m.island_B, &count, NULL), TRX_ERR_ARGUMENT);
    trx_sim_settings settings = trx_sim_get_settings(t.sim);
    settings.time_step = 0.02;
    ck_assert_int_eq(trx_sim_set_settings(t.sim, &settings), TRX_OK);
    ck_assert_int_eq(trx_step_jac_islands(t.sim, m.island_A, m.island_B, &count, &islands), TRX_ERR_NO_STEP);
    timed_close(&t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step_jac");
    TCase *cases = tcase_create("step_jac");
    const int count = (int)(sizeof schemes / sizeof *schemes);
    tcase_add_loop_test(cases, islands_have_the_entries_of_the_dense_form_and_it_has_no_others, 0, count);
    tcase_add_test(cases, every_dof_is_in_one_island_and_a_control_in_each_that_it_acts_on);
    tcase_add_loop_test(cases, scattered_islands_have_exact_derivatives, 0, count);
    tcase_add_loop_test(cases, products_with_scattered_islands_are_those_of_the_matrices, 0, count);
    tcase_add_loop_test(cases, what_is_left_in_the_room_of_other_trees_is_not_read, 0, count);
    tcase_add_test(cases, islands_need_a_step_and_a_place);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
