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
    ck_assert_int_eq(trxi_npz_read(f.context, f.pool, fixture_file(&f, "linearization.npz"), NULL, &archive), TRX_OK);
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

START_TEST(a_policy_comes_back_and_holds_its_last_controls)
{
    // every number of the gains is different, so a wrong order shows
    double u[NU * STEPS], *K = TRXI_POOL(f.pool, double, NU * 2 * NV * STEPS);
    fixture_controls(u);
    for (int i = 0; i < NU * 2 * NV * STEPS; i++) K[i] = 1e-3 * i;
    trx_simulation simulation = fixture_simulation(u);
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    double *x = TRXI_POOL(f.pool, double, NX * (STEPS + 1));
    memcpy(x, f.run->x, sizeof *x * NX * (STEPS + 1));
    trx_policy_def def = trx_policy_def_default();
    def.steps = STEPS, def.time_step = trx_problem_sim_settings(f.problem).time_step;
    def.x = x, def.u = u, def.K = K;
    trx_policy *policy;
    ck_assert_int_eq(trx_policy_create(f.context, trx_problem_model(f.problem), &def, &policy), TRX_OK);
    simulation.u = NULL;
    simulation.policy = policy;
    simulation.linearize = true;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    ck_assert_mem_eq(f.run->x, x, sizeof *x * NX * (STEPS + 1)); // on the reference the gains do nothing
    ck_assert_int_eq(trx_run_write(f.run, f.folder), TRX_OK);

    trx_problem *other;
    trx_run *other_run;
    fixture_load_other(&f, "push_box", "time.steps=15", &other, &other_run);
    trx_policy *back;
    ck_assert_int_eq(trx_run_read_policy(other_run, f.folder, &back), TRX_OK);
    trx_policy_def same = trx_policy_get(back);
    ck_assert_int_eq(same.steps, STEPS);
    assert_close(same.time_step, def.time_step, 1e-12);
    ck_assert_mem_eq(same.u, u, sizeof *u * NU * STEPS);
    ck_assert_mem_eq(same.x, x, sizeof *x * NX * (STEPS + 1));
    ck_assert_mem_eq(same.K, K, sizeof *K * NU * 2 * NV * STEPS);

    // past the end the last controls stay
    double u_last[NU];
    ck_assert_int_eq(trx_policy_control(back, 100, x + NX * STEPS, u_last), TRX_OK);
    ck_assert_mem_eq(u_last, u + NU * (STEPS - 1), sizeof u_last);
    trx_policy_destroy(policy);
    trx_policy_destroy(back);
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
    tcase_add_test(cases, a_policy_comes_back_and_holds_its_last_controls);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
