// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Newton's method with exact line search and in-step continuation (theory 5): it converges from any start to the one
// solution, also on the cases that defeat plain Newton, and says so when it does not.

#include "contact/balance.h"
#include "contact/problem.h"
#include "math/dense.h"
#include "step/scenes.h"
#include "support/support.h"

#include "base/random.h"

#include <string.h>
#include <tractrix/problem.h>

enum { APPROXIMATIONS = TRX_SAP + 1 };

START_TEST(newton_converges_from_any_start_to_one_solution)
{
    int most = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        random_problem p;
        int nv = 4 + (int)(seed % 8), nc = 1 + (int)(seed % 5);
        make_problem(&p, (trx_approximation)(seed % APPROXIMATIONS), nv, nc, (int)(seed % 3), seed);
        double solution[MAX_DOFS];
        for (int start = 0; start < 4; start++) {
            for (int i = 0; i < nv; i++)
                p.start[i] = pow(10, start - 1) * trxi_random_normal(seed, (uint64_t)(700 + 20 * start + i));
            trx_status status = solve_problem(&p, 1e-12);
            ck_assert_msg(status >= 0, "seed %d start %d: %s", (int)seed, start, trx_status_text(status));
            if (p.solver.stats.continuation == 0 && p.solver.stats.iterations > most) most = p.solver.stats.iterations;
            if (start == 0)
                memcpy(solution, p.solver.v, (size_t)nv * sizeof *solution);
            else
                assert_below(max_difference(solution, p.solver.v, nv), 1e-9 * (1 + max_magnitude(solution, nv)));
        }
    }
    ck_assert_int_le(most, 22);
}
END_TEST

// A box of 0.5 kg falls on its corner at 2.5 m/s, 5e9 N/m, dissipation 500 s/m, 10 ms. With 30 iterations a stage the
// continuation never got round the curved edge of similar (theory 5, point 5): 6 of 60 such scenes ended here.
START_TEST(similar_contacts_of_steel_survive_an_impact)
{
    static const char text[] = "tractrix: 1\n"
                                "model:\n"
                                "  materials: {steel: {stiffness: 1e10, dissipation: 500}}\n"
                                "  bodies:\n"
                                "    - name: box\n"
                                "      joint: free\n"
                                "      geometry: [{shape: box, size: [0.1, 0.1, 0.1], mass: 0.5, material: steel}]\n"
                                "    - {name: ground, geometry: [{shape: halfspace, material: steel}]}\n"
                                "contact: {approximation: similar}\n"
                                "time: {step: 0.01, steps: 60}\n"
                                "start: {box: {xyz: [0, 0, 0.2], rpy: [0.3, 0.5, 0.7], velocity: [1, 0, -1]}}\n";
    trx_context *context;
    trx_problem *problem;
    trx_sim *sim;
    double x[13];
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    ck_assert_int_eq(trx_problem_load_text(context, "steel.yaml", text, sizeof text - 1, NULL, &problem), TRX_OK);
    trx_sim_settings settings = trx_problem_sim_settings(problem);
    ck_assert_int_eq(trx_sim_create(context, trx_problem_model(problem), &settings, &sim), TRX_OK);
    memcpy(x, trx_problem_start(problem), sizeof x);
    int stages = 0;
    for (int k = 0; k < 60; k++) {
        ck_assert_msg(trx_step(sim, x, NULL, x) >= 0, "step %d: %s", k, trx_context_message(context));
        stages += trx_sim_step_info(sim).continuation;
    }
    ck_assert_int_gt(stages, 0);
    assert_below(fabs(x[9]), 1);
    trx_sim_destroy(sim);
    trx_problem_destroy(problem);
    trx_context_destroy(context);
}
END_TEST

START_TEST(the_solution_balances_momentum)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        random_problem p;
        make_problem(&p, (trx_approximation)(seed % APPROXIMATIONS), 6, 3, 1, seed);
        trx_status status = solve_problem(&p, 1e-10);
        ck_assert_int_ge(status, 0);
        trxi_solver_stats stats = p.solver.stats;
        ck_assert(stats.residual <= 1e-14 + 1e-10 * stats.scale || (status == TRX_ROUND_OFF && stats.residual <= stats.floor));
        balance_problem(&p);
        double norm = 0;
        for (int i = 0; i < 6; i++) norm += p.solver.work->E2[i] * pow(p.solver.work->islands->now->r[i], 2);
        assert_close(sqrt(norm), stats.residual, 1e-15 * stats.scale + 1e-20);
    }
}
END_TEST

// one dof, 1 kg, mu gn0 = 0.5 x 9.81 x 0.01 N s, e 1e-4 m/s: plain Newton jumps between 0.0690 and -0.0291 for ever
START_TEST(soft_friction_does_not_cycle)
{
    random_problem p;
    static const double J[6] = {1, 0, 0, 0, 0, 0};
    for (int k = 0; k < 5; k++) {
        make_problem(&p, TRX_LAGGED, 2, 1, 0, 1);
        p.A[0] = p.A[3] = 1, p.A[1] = 0;
        p.p0[0] = 0.02, p.p0[1] = 0;
        trxi_row_block *c = &p.contacts[0];
        p.materials[0] = (trx_pair_law){.force_law = TRX_HUNT_CROSSLEY, .stiffness = 1e4};
        c->contact.mu = 0.5;
        c->phi0 = 1, c->contact.gn0 = 9.81 * 0.01, c->soft = c->soft_wanted = 1e-4;
        c->ncol = 2, c->J = J;
        p.start[0] = 0.05 * pow(10, k - 2), p.start[1] = 0;
        ck_assert_int_ge(solve_problem(&p, 1e-10), 0);
        ck_assert_int_le(p.solver.stats.iterations, 10);
        ck_assert_int_eq(p.solver.stats.continuation, 0);

        // v - 0.02 + mu gn0 v/sqrt(v^2 + e^2) = 0
        double v = p.solver.v[0];
        assert_close(v - 0.02 + 0.04905 * v / hypot(v, 1e-4), 0, 1e-9);
    }
}
END_TEST

// random one-sided rows (laws without friction): plain Newton cycles through active sets in 2 of 100
START_TEST(active_sets_do_not_cycle)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        random_problem p;
        make_problem(&p, TRX_SAP, 6, 12, 0, 5000 + seed);
        for (int k = 0; k < 12; k++) p.contacts[k].contact.mu = 0;
        ck_assert_int_ge(solve_problem(&p, 1e-10), 0);
        ck_assert_int_le(p.solver.stats.iterations, 15);
    }
}
END_TEST

START_TEST(the_solution_as_a_start_costs_no_iteration)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        random_problem p;
        make_problem(&p, (trx_approximation)(seed % APPROXIMATIONS), 6, 3, 1, seed);
        ck_assert_int_ge(solve_problem(&p, 1e-10), 0);
        memcpy(p.start, p.solver.v, 6 * sizeof *p.start);
        ck_assert_int_ge(solve_problem(&p, 1e-10), 0);
        ck_assert_int_eq(p.solver.stats.iterations, 0);
        ck_assert(memcmp(p.start, p.solver.v, 6 * sizeof *p.start) == 0);
    }
}
END_TEST

START_TEST(the_same_problem_has_the_same_bits)
{
    random_problem p, q;
    for (uint64_t seed = 0; seed < 50; seed++) {
        make_problem(&p, (trx_approximation)(seed % APPROXIMATIONS), 8, 4, 2, seed);
        make_problem(&q, (trx_approximation)(seed % APPROXIMATIONS), 8, 4, 2, seed);
        ck_assert_int_eq(solve_problem(&p, 1e-8), solve_problem(&q, 1e-8));
        ck_assert(memcmp(p.solver.v, q.solver.v, 8 * sizeof *p.solver.v) == 0);
        ck_assert_int_eq(solve_problem(&p, 1e-8), solve_problem(&p, 1e-8));
        ck_assert(memcmp(p.solver.v, q.solver.v, 8 * sizeof *p.solver.v) == 0);
    }
}
END_TEST

START_TEST(the_factor_is_that_of_the_solution)
{
    random_problem p;
    make_problem(&p, TRX_SIMILAR, 6, 3, 1, 8);
    ck_assert_int_ge(solve_problem(&p, 1e-10), 0);
    ck_assert_int_eq(trxi_contact_factorize(&p.problem, &p.solver), TRX_OK);
    double x[6] = {1, -2, 3, 0.5, 0, 1}, y[6], H[36];
    memcpy(y, x, sizeof y);
    trxi_contact_back_substitute(&p.problem, &p.solver, 1, y, 6);
    balance_problem(&p);
    hessian_problem(&p, H);
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < j; i++) H[i + 6 * j] = H[j + 6 * i];
    trxi_gemv(6, 6, -1, H, 6, y, 1, x);
    assert_below(max_magnitude(x, 6), 1e-9);
}
END_TEST

START_TEST(failures_are_statuses)
{
    random_problem p;
    make_problem(&p, TRX_SIMILAR, 6, 3, 0, 2);
    const trxi_solver_settings one = {.tolerance = 1e-10, .max_iterations = 1};
    memcpy(p.solver.v, p.start, 6 * sizeof *p.start);
    ck_assert_int_eq(trxi_contact_solve(&p.problem, &one, &p.solver), TRX_ERR_NOT_CONVERGED);
    ck_assert_int_ge(trxi_contact_worst(&p.problem, &p.solver), 0);

    make_problem(&p, TRX_LAGGED, 6, 3, 0, 2);
    p.start[2] = NAN;
    ck_assert_int_eq(solve_problem(&p, 1e-10), TRX_ERR_NOT_FINITE);
    p.start[2] = 1e300;
    ck_assert_int_eq(solve_problem(&p, 1e-10), TRX_ERR_NOT_FINITE);

    // an indefinite A under a contact that is far away
    make_problem(&p, TRX_LAGGED, 2, 1, 0, 2);
    p.model.ntree = 1, p.trees[0].nv = 2;
    p.A[0] = p.A[3] = 1, p.A[1] = 2;
    p.contacts[0].phi0 = 1e9, p.contacts[0].contact.gn0 = 0;
    p.materials[0].force_law = TRX_HUNT_CROSSLEY;
    ck_assert_int_eq(solve_problem(&p, 1e-10), TRX_ERR_ILL_CONDITIONED);
    ck_assert_int_eq(trxi_contact_worst(&p.problem, &p.solver), 0);
}
END_TEST

typedef struct hard_case {
    trx_approximation approximation;
    double stiffness, dissipation, stiction_tolerance;
    double mean; // iterations
    int most;
} hard_case;

// box and pusher up to 3 mm deep in each other and the floor, at speeds from 0.1 mm/s to 3 m/s
static void hard_state(const scene *s, uint64_t index, double *x, double *u)
{
    double dq[32] = {0}, turn = pow(10, -4 + 3 * trxi_random_uniform(index, 902));
    double speed = pow(10, -4 + 4.5 * trxi_random_uniform(index, 903));
    push_state(s, pow(10, -6 + 3.5 * trxi_random_uniform(index, 900)), 3e-3 * trxi_random_normal(index, 901), x);
    for (int i = 3; i < 6; i++) dq[i] = turn * trxi_random_normal(index, (uint64_t)i);
    trx_model_integrate(s->model, x, dq, x);
    for (int i = 0; i < s->nv; i++) x[s->nq + i] = speed * trxi_random_normal(index, (uint64_t)(100 + i));
    for (int i = 0; i < s->nu; i++) u[i] = 5 * trxi_random_normal(index, (uint64_t)(200 + i));
}

static scene hard_scene(const hard_case *hard, double tolerance)
{
    scene s = scene_push(hard->approximation, TRX_HUNT_CROSSLEY, 0, 1e4, hard->stiction_tolerance);
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.tolerance = tolerance;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    for (int p = 0; p < 2; p++) {
        trx_pair_law law = trx_sim_pair_law(s.sim, p);
        law.stiffness = hard->stiffness, law.dissipation = hard->dissipation, law.relaxation_time = 0.01;
        ck_assert_int_eq(trx_sim_set_pair_law(s.sim, p, &law), TRX_OK);
    }
    return s;
}

START_TEST(hard_states_all_converge)
{
    static const hard_case cases[] = {
        {TRX_LAGGED, 1e7, 500, 1e-4, 12, 60},         {TRX_LAGGED, 1e10, 10, 1e-6, 12, 60},
        {TRX_LAGGED_REGULARIZED, 1e7, 500, 1e-4, 12, 60}, {TRX_SAP, 1e7, 500, 1e-4, 12, 22},
        {TRX_SAP, 1e10, 10, 1e-6, 12, 22},            {TRX_SIMILAR, 1e7, 500, 1e-4, 163, 400},
        {TRX_SIMILAR, 1e10, 10, 1e-6, 163, 400},      {TRX_SIMILAR_REGULARIZED, 1e7, 500, 1e-4, 163, 400},
    };
    static const double tolerances[] = {1e-6, 1e-10};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int t = 0; t < 2; t++) {
            scene s = hard_scene(&cases[c], tolerances[t]);
            int sum = 0;
            for (uint64_t i = 0; i < 100; i++) {
                double x[40], u[4];
                hard_state(&s, i, x, u);
                trx_status status = trx_step(s.sim, x, u, NULL);
                ck_assert_msg(status >= 0, "case %d state %d: %s", (int)c, (int)i, trx_context_message(s.context));
                int iterations = trx_sim_step_info(s.sim).iterations;
                ck_assert_int_le(iterations, cases[c].most);
                sum += iterations;
            }
            assert_below(sum / 100.0, cases[c].mean);
            scene_destroy(&s);
        }
}
END_TEST

START_TEST(a_step_that_fails_names_its_worst_contact)
{
    const hard_case hard = {TRX_SIMILAR, 1e10, 10, 1e-6, 0, 0};
    scene s = hard_scene(&hard, 1e-10);
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.max_iterations = 2;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    double x[40], u[4], before[40];
    hard_state(&s, 1, x, u);
    double next[40] = {7};
    memcpy(before, next, sizeof next);
    ck_assert_int_eq(trx_step(s.sim, x, u, next), TRX_ERR_NOT_CONVERGED);
    ck_assert(memcmp(before, next, sizeof next) == 0);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "worst at "));
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "box#1"));
    x[s.nq] = 1e300;
    ck_assert_int_eq(trx_step(s.sim, x, u, next), TRX_ERR_NOT_FINITE);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/newton");
    TCase *cases = tcase_create("newton");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, newton_converges_from_any_start_to_one_solution);
    tcase_add_test(cases, similar_contacts_of_steel_survive_an_impact);
    tcase_add_test(cases, the_solution_balances_momentum);
    tcase_add_test(cases, soft_friction_does_not_cycle);
    tcase_add_test(cases, active_sets_do_not_cycle);
    tcase_add_test(cases, the_solution_as_a_start_costs_no_iteration);
    tcase_add_test(cases, the_same_problem_has_the_same_bits);
    tcase_add_test(cases, the_factor_is_that_of_the_solution);
    tcase_add_test(cases, failures_are_statuses);
    tcase_add_test(cases, hard_states_all_converge);
    tcase_add_test(cases, a_step_that_fails_names_its_worst_contact);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
