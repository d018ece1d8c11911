// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of an island of many trees, of whose dr/dq0 and dr/dv0 only blocks are defined: five boxes on top of each other, the
// top one pressed by an arm of eight dofs and by a whip of two balls, a ball in the air between them.

#include "contact/islands.h"
#include "step/sim.h"

#include "base/random.h"
#include "step/reserve.h"
#include "step/timed.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tractrix/verify.h>

enum { MAX_NX = 120, MAX_NU = 2 };

static const char scene[] =
    "tractrix: 1\n"
    "model:\n"
    "  materials: {default: {stiffness: %s, dissipation: 5, relaxation_time: 0.01, friction: 0.5}}\n"
    "  bodies:\n"
    "    - {name: floor, geometry: [{shape: halfspace}]}\n"
    "    - {name: one, joint: free, geometry: [{shape: box, size: [0.2, 0.2, 0.1], mass: 1}]}\n"
    "    - {name: alone, joint: free, geometry: [{shape: sphere, radius: 0.04, mass: 0.3, pose: {xyz: [0.01, 0, 0]}}]}\n"
    "    - {name: three, joint: free, geometry: [{shape: box, size: [0.2, 0.2, 0.1], mass: 0.9}]}\n"
    "    - {name: arm, pose: {xyz: [0.1, 0, 0.7]}, joints: [{name: shoulder, type: ball, stiffness: 4}, {name: x, type: slide,\n"
    "       axis: [1, 0, 0], stiffness: 200}, {name: y, type: slide, axis: [0, 1, 0], stiffness: 200}, {name: z, type: slide,\n"
    "       axis: [0, 0, 1], stiffness: 200}], inertia: {mass: 0.5, com: [0.1, 0, 0], tensor: [0.01, 0.02, 0.03]}}\n"
    "    - {name: hand, parent: arm, joints: [{name: tilt, type: hinge, axis: [1, 0, 0], stiffness: 3}, {name: lean,\n"
    "       type: hinge, axis: [0, 1, 0], stiffness: 3}],\n"
    "       geometry: [{shape: sphere, radius: 0.05, mass: 0.4, pose: {xyz: [-0.1, 0, -0.152]}}]}\n"
    "    - {name: whip, pose: {xyz: [-0.06, 0, 0.6]}, joints: [{name: neck, type: ball, stiffness: 2}],\n"
    "       inertia: {mass: 0.2, com: [0, 0.02, 0], tensor: [0.003, 0.002, 0.004]}}\n"
    "    - {name: lash, parent: whip, pose: {xyz: [0.02, 0, 0]}, joints: [{name: head, type: ball, stiffness: 1}],\n"
    "       geometry: [{shape: sphere, radius: 0.05, mass: 0.3, pose: {xyz: [0, 0, -0.053]}}]}\n"
    "    - {name: two, joint: free, geometry: [{shape: box, size: [0.2, 0.2, 0.1], mass: 0.8}]}\n"
    "    - {name: five, joint: free, geometry: [{shape: box, size: [0.2, 0.2, 0.1], mass: 0.7}]}\n"
    "    - {name: four, joint: free, geometry: [{shape: box, size: [0.2, 0.2, 0.1], mass: 0.6}]}\n"
    "  actuators:\n"
    "    - {joint: x}\n"
    "    - {joint: lean}\n"
    "time: {step: 0.01, steps: 10%s}\n"
    "start:\n"
    "  one: {xyz: [0, 0, 0.0495], velocity: [0.1, 0, 0], spin: [0, 0, 0.2]}\n"
    "  two: {xyz: [0.01, 0.02, 0.149], rpy: [0, 0, 0.3]}\n"
    "  three: {xyz: [-0.01, 0.02, 0.2485], rpy: [0, 0, 0.1], velocity: [0, 0.2, 0]}\n"
    "  four: {xyz: [0.01, 0.01, 0.348], rpy: [0, 0, -0.2]}\n"
    "  five: {xyz: [0, -0.02, 0.4475], rpy: [0, 0, 0.2], spin: [0, 0, 0.3]}\n"
    "  alone: {xyz: [0.5, 0.1, 1], velocity: [0.1, 2, 0], spin: [1, 2, 3]}\n";
static const char *const schemes[] = {"", ", scheme: midpoint", ", spin: momentum", ", scheme: theta, theta: 0.7, theta_vq: 0.6"};
static const double u[MAX_NU] = {0.3, -0.4};

static timed t;
static int nx;
static double A[MAX_NX * MAX_NX], B[MAX_NX * MAX_NU], other_A[MAX_NX * MAX_NX], other_B[MAX_NX * MAX_NU];

static void open_scene(int scheme, const char *stiffness)
{
    char text[4096];
    snprintf(text, sizeof text, scene, stiffness, schemes[scheme]);
    t = timed_open(text);
    nx = 2 * t.nv;
    for (int i = 0; i < t.nv; i++) t.x[t.nq + i] += 0.02 * trxi_random_normal(3, (uint64_t)i);
    ck_assert_int_ge(trx_step(t.sim, t.x, u, NULL), 0);

    // ball alone; all others
    ck_assert_int_eq(t.sim->solver.work->nisland, 2);
    ck_assert(trxi_island_by_blocks(&t.sim->solver.work->islands[0]) && t.sim->solver.work->islands[0].first_dof < 0);
    ck_assert(!trxi_island_by_blocks(&t.sim->solver.work->islands[1]));
}

static void fill(double value)
{
    ck_assert_int_eq(trxi_sim_reserve_derivatives(t.sim), TRX_OK);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)t.nv * t.nv; i++) t.sim->deriv.rq[i] = t.sim->deriv.rv[i] = value;
    for (ptrdiff_t i = 0; i < 2 * (ptrdiff_t)t.nv * t.nv; i++) t.sim->deriv.dv[i] = value;
}

START_TEST(columns_by_the_inverse_are_exact)
{
    bool kink;
    open_scene(_i, "1e4");
    ck_assert_int_eq(trx_step_jac(t.sim, A, B), TRX_OK);
    ck_assert_int_ge(trx_step_fd(t.sim, t.x, u, 1e-4, other_A, other_B, &kink), 0);
    ck_assert(!kink);
    for (int j = 0; j < nx; j++) {
        const double scale = fmax(max_magnitude(other_A + j * nx, nx), 1e-3);
        assert_below(max_difference(A + j * nx, other_A + j * nx, nx) / scale, 1e-6);
    }
    ck_assert(max_magnitude(A, nx * nx) > 1 && max_magnitude(B, nx * MAX_NU) > 1e-3);
    assert_below(max_difference(B, other_B, nx * MAX_NU), 1e-9);
    timed_close(&t);
}
END_TEST

// in the stiff scene the columns of the arm would lose digits as products with the inverse and are solved for
START_TEST(columns_by_the_inverse_are_products_with_units)
{
    double unit[MAX_NX] = {0}, column[MAX_NX];
    for (int stiff = 0; stiff < 2; stiff++) {
        open_scene(_i, stiff ? "1e8" : "1e4");
        ck_assert_int_eq(trx_step_jac(t.sim, A, B), TRX_OK);
        ck_assert(max_magnitude(A, nx * nx) > 100);
        for (int j = 0; j < nx; j++) {
            unit[j] = 1;
            ck_assert_int_eq(trx_step_jvp(t.sim, unit, NULL, column), TRX_OK);
            unit[j] = 0;
            ck_assert(stiff || max_magnitude(column, nx) > 1e-3);
            assert_below(max_difference(column, A + j * nx, nx), (stiff ? 1e-10 : 1e-12) * fmax(1, max_magnitude(column, nx)));
        }
        timed_close(&t);
    }
}
END_TEST

START_TEST(numbers_beside_the_blocks_do_not_matter)
{
    double unit[MAX_NX] = {0}, products[2][MAX_NX];
    open_scene(_i, "1e4");
    unit[3] = unit[t.nv + 30] = 1;
    for (int pass = 0; pass < 2; pass++) {
        ck_assert_int_ge(trx_step(t.sim, t.x, u, NULL), 0);
        fill(pass ? NAN : 0);
        ck_assert_int_eq(trx_step_jvp(t.sim, unit, NULL, products[pass]), TRX_OK);
        ck_assert_int_eq(trx_step_jac(t.sim, pass ? other_A : A, B), TRX_OK);
    }
    ck_assert(isfinite(max_magnitude(A, nx * nx)) && max_magnitude(products[0], nx) > 1e-3);
    ck_assert_int_eq(memcmp(A, other_A, (size_t)(nx * nx) * sizeof *A), 0);
    ck_assert_int_eq(memcmp(products[0], products[1], (size_t)nx * sizeof *unit), 0);
    timed_close(&t);
}
END_TEST

START_TEST(the_form_by_islands_has_the_same_numbers)
{
    int count;
    const trx_island *islands;
    open_scene(_i, "1e4");
    ck_assert_int_eq(trx_step_jac(t.sim, A, B), TRX_OK);
    ck_assert_int_eq(trx_step_jac_islands(t.sim, other_A, other_B, &count, &islands), TRX_OK);
    ck_assert_int_eq(count, 2);
    for (int i = 0; i < count; i++) {
        const trx_island *part = &islands[i];
        const int n = part->nv;
        for (int c = 0; c < 2 * n; c++)
            for (int r = 0; r < 2 * n; r++) {
                const int row = r < n ? part->dofs[r] : t.nv + part->dofs[r - n];
                const int column = c < n ? part->dofs[c] : t.nv + part->dofs[c - n];
                ck_assert_double_eq(part->A[r + c * 2 * n], A[row + column * nx]);
                A[row + column * nx] = 0;
            }
    }
    ck_assert_double_eq(max_magnitude(A, nx * nx), 0);
    timed_close(&t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("linearization");
    TCase *cases = tcase_create("linearization");
    const int count = (int)(sizeof schemes / sizeof *schemes);
    tcase_add_loop_test(cases, columns_by_the_inverse_are_exact, 0, count);
    tcase_add_loop_test(cases, columns_by_the_inverse_are_products_with_units, 0, count);
    tcase_add_loop_test(cases, numbers_beside_the_blocks_do_not_matter, 0, count);
    tcase_add_loop_test(cases, the_form_by_islands_has_the_same_numbers, 0, count);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
