// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Newton's method on the active set: a start near a solution leads back to the solution; a failure changes nothing.

#include "base/random.h"
#include "contact/active_set.h"
#include "contact/island_solvers.h"
#include "contact/model.h"
#include "contact/problem.h"
#include "support/support.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { NV = 12, CONTACTS = 4, SCALARS = 3, SEEDS = 40 };

static const trx_contact_model models[] = {TRX_CONTACT_LCP, TRX_CONTACT_CCP, TRX_CONTACT_NCP, TRX_CONTACT_RAISIM};

// `most` iterations of alternating directions
static trx_status begin(random_problem *p, trx_contact_model model, int most, uint64_t seed)
{
    make_problem_again(p, NV, CONTACTS, SCALARS, seed);
    p->problem.law.compliance = 1e-8;
    for (int k = 0; k < CONTACTS; k++) {
        p->contacts[k].law = trxi_contact_model_of(model)->law;
        p->contacts[k].w = 1;
        p->contacts[k].law->prepare(&p->contacts[k], &p->problem.law);
    }
    const trxi_solver_settings settings = {.tolerance = 1e-9, .max_iterations = 100, .max_sweeps = most,
                                           .methods = (trxi_island_solver *const[]){trxi_admm_solve, NULL}};
    return trxi_contact_solve(&p->problem, &settings, &p->solver);
}

// v and impulses of a solution, changed by a part of their size
static void disturb(const random_problem *p, trxi_island *island, double part, uint64_t seed)
{
    for (int i = 0; i < NV; i++) island->now->v[i] *= 1 + part * trxi_random_normal(seed + 20, (uint64_t)i);
    for (int k = 0; k < p->problem.nblock; k++)
        for (int r = 0; r < p->blocks[k].n; r++)
            TRXI_STATE(&p->problem, island->now, k)->gamma[r] *= 1 + part * trxi_random_normal(seed + 21, (uint64_t)(3 * k + r));
}

START_TEST(a_few_steps_end_what_is_near_a_solution)
{
    enum { MOST = 8000 };
    static random_problem p;
    int solved = 0, alike = 0, steps = 0, unsolved = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        if (begin(&p, models[_i], MOST, seed) < 0) continue;
        trxi_work *s = p.solver.work;
        trxi_island *island = &s->islands[0];
        double v[NV];
        memcpy(v, island->now->v, sizeof v);
        disturb(&p, island, 1e-3, seed);
        ck_assert_double_gt(max_difference(island->now->v, v, NV), 1e-5);
        s->stats.iterations = 0;
        if (!trxi_active_set(&p.problem, island, 1e-9, s)) {
            unsolved++;
            continue;
        }
        solved++, steps += s->stats.iterations;
        alike += max_difference(island->now->v, v, NV) < 1e-7 * (1 + max_magnitude(v, NV));
    }
    printf("%s: %d solved in %d steps, %d of them alike, %d unsolved\n", trx_contact_model_name(models[_i]), solved, steps, alike,
           unsolved);
    ck_assert_int_ge(solved, 30);
    ck_assert_int_eq(alike, solved);
    ck_assert_int_le(unsolved, 4);
    ck_assert_int_le(steps, 9 * solved);
}
END_TEST

START_TEST(an_attempt_without_a_solution_changes_nothing)
{
    static random_problem p;
    int failed = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ck_assert_int_eq(begin(&p, TRX_CONTACT_NCP, 1, seed), TRX_ERR_NOT_CONVERGED);
        trxi_work *s = p.solver.work;
        trxi_island *island = &s->islands[0];
        double v[NV], gamma[CONTACTS + SCALARS][3];
        memcpy(v, island->now->v, sizeof v);
        for (int k = 0; k < p.problem.nblock; k++) memcpy(gamma[k], TRXI_STATE(&p.problem, island->now, k)->gamma, sizeof gamma[k]);
        if (trxi_active_set(&p.problem, island, 1e-9, s)) continue;
        failed++;
        ck_assert_mem_eq(v, island->now->v, sizeof v);
        ck_assert(!island->skewed);
        for (int k = 0; k < p.problem.nblock; k++)
            ck_assert_mem_eq(gamma[k], TRXI_STATE(&p.problem, island->now, k)->gamma, sizeof gamma[k]);
    }
    printf("%d of %d attempts after one iteration fail\n", failed, SEEDS);
    ck_assert_int_ge(failed, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/active_set");
    TCase *cases = tcase_create("active_set");
    tcase_add_loop_test(cases, a_few_steps_end_what_is_near_a_solution, 0, sizeof models / sizeof *models);
    tcase_add_test(cases, an_attempt_without_a_solution_changes_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
