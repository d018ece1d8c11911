// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The adjoint product against the transposes of A and B, which are made another way: on every kind of row and force at once,
// in every approximation, along simulations. Both sets of kernels do the same with a contact.

#include "base/random.h"
#include "math/dense.h"
#include "step/block_tangent.h"
#include "step/reserve.h"
#include "step/step_deriv.h"
#include "step/timed.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NX = 96, MAX_NU = 8 };

static const char scene[] =
    "tractrix: 1\n"
    "model:\n"
    "  materials: {default: {stiffness: 1e4, dissipation: 5, relaxation_time: 0.01, friction: 0.5}}\n"
    "  bodies:\n"
    "    - {name: floor, geometry: [{shape: halfspace}]}\n"
    "    - name: belt\n"
    "      pose: {xyz: [0.5, 0, 0.05]}\n"
    "      geometry: [{shape: box, size: [0.6, 0.5, 0.1], surface_velocity: [0.3, 0.1, 0]}]\n"
    "    - name: tray\n"
    "      pose: {xyz: [-0.6, 0, 0.1]}\n"
    "      motion: {type: hinge, axis: [0, 1, 0], amplitude: 0.1, frequency: 2}\n"
    "      geometry: [{shape: box, size: [0.4, 0.4, 0.1]}]\n"
    "    - name: parcel\n"
    "      joint: free\n"
    "      geometry: [{shape: box, size: [0.1, 0.12, 0.08], mass: 0.5}]\n"
    "    - name: cup\n"
    "      joint: free\n"
    "      geometry: [{shape: sphere, radius: 0.05, mass: 0.2, pose: {xyz: [0.01, 0, 0]}}]\n"
    "    - name: ball\n"
    "      joint: free\n"
    "      geometry: [{shape: sphere, radius: 0.04, mass: 0.3}]\n"
    "    - name: arm\n"
    "      pose: {xyz: [0, -0.4, 0.5]}\n"
    "      joints: [{name: swing, type: ball, damping: 0.02, stiffness: 0.3}]\n"
    "      geometry: [{shape: capsule, radius: 0.03, length: 0.2, mass: 0.4, pose: {xyz: [0, 0, -0.12]}}]\n"
    "    - name: fore\n"
    "      parent: arm\n"
    "      pose: {xyz: [0, 0, -0.25]}\n"
    "      joints: [{name: elbow, type: hinge, axis: [0, 1, 0], limits: [-0.3, 0.2], friction: 0.05, stiffness: 2, "
    "armature: 0.002}]\n"
    "      geometry: [{shape: capsule, radius: 0.03, length: 0.2, mass: 0.3, pose: {xyz: [0, 0, -0.12]}}]\n"
    "    - name: hand\n"
    "      parent: fore\n"
    "      pose: {xyz: [0, 0, -0.25]}\n"
    "      joints: [{name: wrist, type: hinge, axis: [1, 0, 0], damping: 0.01}]\n"
    "      geometry: [{shape: sphere, radius: 0.04, mass: 0.2}]\n"
    "    - name: bob\n"
    "      joint: free\n"
    "      geometry: [{shape: sphere, radius: 0.03, mass: 0.1}]\n"
    "    - name: cart\n"
    "      pose: {xyz: [0, 1, 0.2]}\n"
    "      joints: [{name: rail, type: slide, axis: [1, 0, 0]}]\n"
    "      geometry: [{shape: box, size: [0.1, 0.1, 0.1], mass: 1, collide: false}]\n"
    "  actuators:\n"
    "    - {joint: elbow, type: pd, kp: 5, kd: 0.1, effort: 3}\n"
    "    - {name: pull, joints: {wrist: 1, rail: 0.5}}\n"
    "  constraints:\n"
    "    - {name: string, type: distance, bodies: [hand, bob], length: 0.15}\n"
    "    - {name: follow, type: coupler, joint: rail, of: wrist, polynomial: [0, 0.2, 0.3], stiffness: 1e4}\n"
    "    - {name: glue, type: weld, bodies: [cup, ball], pose: {xyz: [0, 0, 0.12]}, stiffness: 1e4}\n"
    "  loads:\n"
    "    - {body: fore, force: [1, 2, 3], torque: [0.1, 0, 0.2], at: [0, 0.01, -0.1], wave: sine, frequency: 3}\n"
    "    - {body: parcel, force: [0.5, 0, 0]}\n"
    "contact:\n"
    "  approximation: %s\n"
    "%s"
    "time: {step: 0.01, steps: 60, spin: momentum}\n"
    "start:\n"
    "  parcel: {xyz: [0.5, 0, 0.15], rpy: [0.1, 0.05, 0.3], velocity: [0.2, 0, -0.3]}\n"
    "  cup: {xyz: [-0.6, 0, 0.21], velocity: [0.1, 0, -0.2]}\n"
    "  ball: {xyz: [-0.59, 0, 0.33], velocity: [0.1, 0, -0.2]}\n"
    "  bob: {xyz: [0, -0.4, -0.15], velocity: [0.1, 0.2, 0], spin: [1, 2, 3]}\n"
    "  elbow: {position: 0.15, velocity: 1}\n";

static const char frictions[] =
    "  override:\n"
    "    - {pair: [parcel, belt], axis: [1, 0.2, 0], friction: 0.6, friction_across: 0.2}\n"
    "    - {pair: [ball, tray], torsional_friction: 0.01, rolling_friction: 0.005}\n"
    "    - {pair: [cup, tray], dynamic_friction: 0.3, slip_speed: 0.05, torsional_friction: 0.01}\n";

// what hangs from the shelf presses on it
static const char shelf[] =
    "tractrix: 1\n"
    "model:\n"
    "  materials: {default: {stiffness: 1e4, dissipation: 5, friction: 0.5}}\n"
    "  bodies:\n"
    "    - name: shelf\n"
    "      joints: [{name: lift, type: slide, axis: [0.3, 0, 1], stiffness: 200, damping: 2}, {name: tilt, type: ball, "
    "stiffness: 20, damping: 0.5}]\n"
    "      geometry: [{shape: box, size: [0.6, 0.6, 0.1], mass: 1}]\n"
    "    - name: arm\n"
    "      parent: shelf\n"
    "      pose: {xyz: [0.1, 0, 0.2]}\n"
    "      joints: [{name: swing, type: hinge, axis: [0.2, 1, 0], damping: 0.02}]\n"
    "      geometry: [{shape: sphere, radius: 0.03, mass: 0.3, collide: false}]\n"
    "    - name: foot\n"
    "      parent: arm\n"
    "      pose: {xyz: [-0.12, 0.02, 0]}\n"
    "      joints: [{name: leg, type: slide, axis: [0, 0.1, 1]}]\n"
    "      geometry: [{shape: sphere, radius: 0.05, mass: 0.5}]\n"
    "  actuators: [{joint: swing, type: motor}, {joint: leg, type: motor}]\n"
    "time: {step: 0.01, steps: 60}\n"
    "start:\n"
    "  leg: {position: -0.1, velocity: -0.5}\n";

// largest difference of the products from the transposes, relative to the largest entry of the product
static double difference_at(timed *t, double time, uint64_t seed, double *contacts)
{
    double A[MAX_NX * MAX_NX], B[MAX_NX * MAX_NU], y[MAX_NX], gx[MAX_NX], gu[MAX_NU], wanted_x[MAX_NX], wanted_u[MAX_NU];
    const int nx = 2 * t->nv, nu = 2;
    const double u[2] = {0.1, 0.3};
    ck_assert_int_le(nx, MAX_NX);
    trx_sim_set_time(t->sim, time);
    ck_assert_int_ge(trx_step(t->sim, t->x, u, NULL), 0);
    *contacts += trx_sim_step_info(t->sim).contacts;
    for (int i = 0; i < nx; i++) y[i] = trxi_random_normal(seed, (uint64_t)i);
    ck_assert_int_eq(trx_step_vjp(t->sim, y, gx, gu), TRX_OK);
    ck_assert_int_eq(trx_step_jac(t->sim, A, B), TRX_OK);
    trxi_gemv_t(nx, nx, 1, A, nx, y, 0, wanted_x);
    trxi_gemv_t(nx, nu, 1, B, nx, y, 0, wanted_u);
    ck_assert(max_magnitude(wanted_x, nx) > 0.1 && max_magnitude(wanted_u, nu) > 0);
    return fmax(max_difference(gx, wanted_x, nx) / max_magnitude(wanted_x, nx),
                max_difference(gu, wanted_u, nu) / max_magnitude(wanted_u, nu));
}

START_TEST(the_adjoint_product_is_the_transpose_of_the_jacobians)
{
    static const char *approximations[] = {"lagged", "lagged_regularized", "similar", "similar_regularized", "sap"};
    for (int a = 0; a < 5; a++) {
        char text[sizeof scene + sizeof frictions + 64];
        snprintf(text, sizeof text, scene, approximations[a], a < 2 ? frictions : "");
        timed t = timed_open(text);
        double worst = 0, contacts = 0;
        for (int k = 0; k < 60; k++) {
            worst = fmax(worst, difference_at(&t, k * t.dt, (uint64_t)k, &contacts));
            timed_run(&t, k, k + 1);
        }
        printf("%-20s worst %.1e, %.1f contacts a step\n", approximations[a], worst, contacts / 60);
        ck_assert(contacts > 180);
        assert_below(worst, 1e-11);
        timed_close(&t);
    }
}
END_TEST

// the contact is between two links of one tree, so the dofs of one side are a part of the dofs of the other side
START_TEST(a_contact_with_a_link_further_down_its_own_tree_counts_for_both)
{
    timed t = timed_open(shelf);
    double worst = 0, contacts = 0;
    for (int k = 0; k < 60; k++) {
        worst = fmax(worst, difference_at(&t, k * t.dt, (uint64_t)k, &contacts));
        timed_run(&t, k, k + 1);
    }
    ck_assert(contacts > 30);
    assert_below(worst, 1e-11);
    timed_close(&t);
}
END_TEST

// the tangents of all contacts
static int fill_all(trx_sim *sim, trxi_contact_point *points, trxi_block_tangent *blocks)
{
    int pair = -1;
    for (int i = 0; i < sim->rows.ncontact; i++) {
        points[i] = *trxi_contact_geometry(&sim->solved, &sim->deriv, i, &pair);
        trxi_contact_tangent(&sim->solved, i, &points[i], &blocks[i]);
    }
    return sim->rows.ncontact;
}

// K, Q, F and fixed of all links, 32 numbers each, by one set of kernels
static void add_gradients(trx_sim *sim, const double *lambda, const trxi_block_tangent *blocks, const trxi_block_passes *passes,
                          double *out)
{
    const trxi_adjoint_scales scales = {sim->in.settings.time_step, 1};
    trxi_adjoint_begin(sim->in.model, &sim->smooth.kin, &scales, lambda, sim->solver.v, sim->smooth.V1, &sim->smooth.rnea);
    for (int i = 0; i < sim->rows.ncontact; i++) passes->add_gradient(&sim->solved, &blocks[i]);
    for (int l = 0; l < sim->in.model->nlink; l++)
        for (int i = 0; i < 8; i++) {
            const trxi_link_adjoint *link = &sim->smooth.rnea.adjoint[l];
            const bool lane = i % 4 == 3; // holds anything
            double *to = out + 32 * l + i;
            to[0] = lane ? 0 : link->K[i], to[8] = lane ? 0 : link->Q[i];
            to[16] = lane ? 0 : link->F[i], to[24] = lane ? 0 : link->fixed[i];
        }
}

// dr/dq0 and dr/dv0 of all contacts by one set of kernels
static void subtract_all(trx_sim *sim, const trxi_block_tangent *blocks, const trxi_block_passes *passes, double *out)
{
    const size_t n = trxi_coupled_size(&sim->solver);
    ck_assert_int_eq(trxi_sim_reserve_derivatives(sim), TRX_OK);
    const trxi_residual_out matrices = trxi_residual_matrices(&sim->solved, &sim->deriv);
    memset(sim->deriv.rq, 0, n * sizeof *sim->deriv.rq);
    memset(sim->deriv.rv, 0, n * sizeof *sim->deriv.rv);
    for (int i = 0; i < sim->rows.ncontact; i++) passes->subtract_matrices(&sim->solved, &sim->deriv, &blocks[i], &matrices);
    memcpy(out, sim->deriv.rq, n * sizeof *out);
    memcpy(out + n, sim->deriv.rv, n * sizeof *out);
}

// where this processor has no AVX2, one set is compared with itself
START_TEST(both_sets_of_kernels_compute_the_same)
{
    enum { MAX_BLOCKS = 64 };
    static double forces[2][32 * MAX_NX], matrices[2][2 * MAX_NX * MAX_NX];
    static trxi_contact_point points[MAX_BLOCKS];
    static trxi_block_tangent blocks[MAX_BLOCKS];
    const trxi_block_passes *sets[2] = {&trxi_block_portable, trxi_block_choose()};
    char text[sizeof scene + 64];
    snprintf(text, sizeof text, scene, "lagged", "");
    timed t = timed_open(text);
    int contacts = 0;
    for (int k = 0; k < 60; k++) {
        double y[MAX_NX], g[MAX_NX];
        trx_sim_set_time(t.sim, k * t.dt);
        ck_assert_int_ge(trx_step(t.sim, t.x, NULL, NULL), 0);
        for (int i = 0; i < 2 * t.nv; i++) y[i] = trxi_random_normal((uint64_t)k, (uint64_t)i);
        ck_assert_int_eq(trx_step_vjp(t.sim, y, g, NULL), TRX_OK); // brings all to v
        const int n = 32 * t.model->nlink, m = 2 * (int)trxi_coupled_size(&t.sim->solver);
        ck_assert(n <= 32 * MAX_NX && m <= 2 * MAX_NX * MAX_NX);
        ck_assert_int_le(t.sim->rows.ncontact, MAX_BLOCKS);
        contacts += 2 * fill_all(t.sim, points, blocks);
        for (int s = 0; s < 2; s++) {
            add_gradients(t.sim, y, blocks, sets[s], forces[s]);
            subtract_all(t.sim, blocks, sets[s], matrices[s]);
        }
        assert_below(max_difference(forces[0], forces[1], n), 1e-13 * max_magnitude(forces[0], n));
        assert_below(max_difference(matrices[0], matrices[1], m), 1e-13 * max_magnitude(matrices[0], m));
        timed_run(&t, k, k + 1);
    }
    ck_assert_int_gt(contacts, 360);
    timed_close(&t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/step_vjp");
    TCase *cases = tcase_create("step_vjp");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, the_adjoint_product_is_the_transpose_of_the_jacobians);
    tcase_add_test(cases, a_contact_with_a_link_further_down_its_own_tree_counts_for_both);
    tcase_add_test(cases, both_sets_of_kernels_compute_the_same);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
