// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Arrays: row-major, the derivatives of the recorded steps; and the way back from a folder to gains and reference.

#include "report/fixture.h"

#include "formats/npz.h"

#include <string.h>

static fixture f;

static void setup(void)
{
    fixture_open(&f);
}

static void teardown(void)
{
    fixture_close(&f);
}

START_TEST(the_linearization_is_row_major)
{
    double u[NU * STEPS], x[NX], A[4 * NV * NV], B[2 * NV * NU];
    fixture_controls(u);
    trx_simulation simulation = fixture_simulation(u);
    simulation.linearize = true;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    ck_assert_int_eq(trx_run_write(f.run, f.folder), TRX_OK);
    trxi_npz_archive archive;
    ck_assert_int_eq(trxi_npz_read(f.context, f.pool, fixture_file(&f, "linearization.npz"), &archive), TRX_OK);
    const trxi_npz_array *As = trxi_npz_find(&archive, "A"), *Bs = trxi_npz_find(&archive, "B");
    ck_assert(As->shape[0] == STEPS && As->shape[1] == 2 * NV && As->shape[2] == 2 * NV);
    ck_assert(Bs->shape[0] == STEPS && Bs->shape[1] == 2 * NV && Bs->shape[2] == NU);

    trx_sim *sim = fixture_sim(&f, x);
    double asymmetry = 0;
    for (int k = 0; k < STEPS; k++) {
        ck_assert_int_ge(trx_step(sim, x, u + NU * k, x), 0);
        ck_assert_int_eq(trx_step_jac(sim, A, B), TRX_OK);
        const double *A_k = As->data + 4 * NV * NV * k, *B_k = Bs->data + 2 * NV * NU * k;
        for (int i = 0; i < 2 * NV; i++) {
            for (int j = 0; j < 2 * NV; j++) ck_assert_double_eq(A_k[2 * NV * i + j], A[i + 2 * NV * j]);
            for (int j = 0; j < NU; j++) ck_assert_double_eq(B_k[NU * i + j], B[i + 2 * NV * j]);
        }
        asymmetry = fmax(asymmetry, fabs(A[1] - A[2 * NV]) + fabs(A[NV] - A[2 * NV * NV]));
    }
    assert_below(1e-6, asymmetry); // else the order would not matter
    trx_sim_destroy(sim);
}
END_TEST

START_TEST(a_policy_comes_back_and_its_last_step_is_held)
{
    // gains that say where they stand
    double u[NU * STEPS], *K = TRXI_POOL(f.pool, double, NU * 2 * NV * STEPS);
    fixture_controls(u);
    for (int i = 0; i < NU * 2 * NV * STEPS; i++) K[i] = 1e-3 * i;
    trx_simulation simulation = fixture_simulation(u);
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    double *x = TRXI_POOL(f.pool, double, NX * (STEPS + 1));
    memcpy(x, f.run->x, sizeof *x * NX * (STEPS + 1));
    simulation.K = K;
    simulation.x_reference = x;
    simulation.linearize = true;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    ck_assert_mem_eq(f.run->x, x, sizeof *x * NX * (STEPS + 1)); // on the reference the gains do nothing
    ck_assert_int_eq(trx_run_write(f.run, f.folder), TRX_OK);

    trx_problem *other;
    trx_run *other_run;
    fixture_load_other(&f, "push_box", "time.steps=15", &other, &other_run);
    double u_back[NU * 15], x_back[NX * 15], *K_back = TRXI_POOL(f.pool, double, NU * 2 * NV * 15);
    ck_assert_int_eq(trx_run_read_policy(other_run, f.folder, u_back, K_back, x_back), TRX_OK);
    for (int k = 0; k < 15; k++) {
        int from = k < STEPS ? k : STEPS - 1;
        ck_assert_mem_eq(u_back + NU * k, u + NU * from, sizeof *u * NU);
        ck_assert_mem_eq(x_back + NX * k, x + NX * from, sizeof *x * NX);
        ck_assert_mem_eq(K_back + NU * 2 * NV * k, K + NU * 2 * NV * from, sizeof *K * NU * 2 * NV);
    }
    trx_run_destroy(other_run);
    trx_problem_destroy(other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/linearization");
    TCase *cases = tcase_create("linearization");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, the_linearization_is_row_major);
    tcase_add_test(cases, a_policy_comes_back_and_its_last_step_is_held);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
