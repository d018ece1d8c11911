// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Solvers of rigid contact models but Newton (theory 4): solutions satisfy the conditions that define their model, whatever rows
// are beside the contacts.

#include "base/random.h"
#include "contact/impulses.h"
#include "contact/island_solvers.h"
#include "contact/model.h"
#include "contact/problem.h"
#include "math/dense.h"
#include "support/support.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

// ---- conditions ----

enum { NV = 12 };

// contacts of the model, with the exact w and a rest that the compliance does not decide
static void make_contacts_rigid(random_problem *p, trx_contact_model model, int ncontact)
{
    if (p->problem.law.compliance == 0) p->problem.law.compliance = 1e-8;
    for (int k = 0; k < ncontact; k++) {
        p->contacts[k].law = trxi_contact_model_of(model)->law;
        p->contacts[k].w = 1;
        p->contacts[k].law->prepare(&p->contacts[k], &p->problem.law);
    }
}

// contacts for a kind of solver; staggered projections have eight digits with a compliance of 1e-8, ten with 1e-6
static void make_rigid(random_problem *p, int kind, int ncontact, int nscalar, uint64_t seed)
{
    make_problem_again(p, NV, ncontact, nscalar, seed);
    if (rigid_methods[kind].solver == TRX_SOLVER_STAGGERED) p->problem.law.compliance = 1e-6;
    make_contacts_rigid(p, rigid_methods[kind].model, ncontact);
}

static trx_status sweep_problem(random_problem *p, int kind, int max_sweeps)
{
    const trxi_solver_settings settings = {.tolerance = 1e-8, .max_iterations = 100, .max_sweeps = max_sweeps,
                                           .methods = trxi_contact_model_methods(rigid_methods[kind].model,
                                                                              rigid_methods[kind].solver)};
    return trxi_contact_solve(&p->problem, &settings, &p->solver);
}

// r = A v - p0 - J^T gamma
static double momentum_error(const random_problem *p)
{
    const int nv = p->model.nv;
    double r[MAX_DOFS], worst = 0;
    for (int i = 0; i < nv; i++) {
        r[i] = -p->p0[i];
        for (int j = 0; j < nv; j++) r[i] += p->A[i > j ? i + j * nv : j + i * nv] * p->solver.v[j];
    }
    for (int k = 0; k < p->problem.nblock; k++)
        for (int c = 0; c < p->blocks[k].ncol; c++)
            for (int i = 0; i < p->blocks[k].n; i++)
                r[p->blocks[k].cols[c]] -= p->blocks[k].J[p->blocks[k].n * c + i] * p->blocks[k].at.gamma[i];
    for (int i = 0; i < nv; i++) worst = fmax(worst, fabs(r[i]));
    return worst;
}

// worst violation of the conditions of a contact, as the file of the laws states them
static double violation(const trxi_row_block *b, trx_contact_model model)
{
    const double mu = b->contact.mu, *f = b->at.gamma;
    double c[3] = {b->at.v_c[0], b->at.v_c[1], b->at.v_c[2] - b->contact.sap.v_hat}, worst = 0;
    for (int i = 0; i < 3; i++) c[i] += b->contact.sap.Rn * f[i];
    const double slip = hypot(c[0], c[1]), force = hypot(f[0], f[1]);
    if (model == TRX_CONTACT_CCP) {
        worst = fmax(fmax(force - mu * f[2], mu * slip - c[2]), fabs(f[0] * c[0] + f[1] * c[1] + f[2] * c[2]));
        return fmax(worst, -f[2]);
    }
    worst = fmax(fmax(-f[2], -c[2]), fabs(f[2] * c[2]));
    if (model == TRX_CONTACT_NCP) return fmax(worst, fmax(force - mu * f[2], fabs(f[0] * c[0] + f[1] * c[1] + mu * f[2] * slip)));
    for (int i = 0; i < 2; i++) worst = fmax(worst, fmax(fabs(f[i]) - mu * f[2], fabs(f[i] * c[i] + mu * f[2] * fabs(c[i]))));
    return worst;
}

static const double pi = 3.14159265358979323846;

// worst violation of the pyramid: f_t in the polygon, and the polygon has no other point that opposes c_t more
static double pyramid_violation(const trxi_row_block *b, int sides)
{
    const double *f = b->at.gamma, most = b->contact.mu * f[2], R = b->contact.sap.Rn;
    const double c[3] = {b->at.v_c[0] + R * f[0], b->at.v_c[1] + R * f[1], b->at.v_c[2] + R * f[2] - b->contact.sap.v_hat};
    double worst = fmax(fmax(-f[2], -c[2]), fabs(f[2] * c[2])), opposed = 0;
    for (int k = 0; k < sides; k++) {
        const double middle = 2 * pi * k / sides, corner = middle + pi / sides, far = most / cos(pi / sides);
        worst = fmax(worst, f[0] * cos(middle) + f[1] * sin(middle) - most);
        opposed = fmax(opposed, -far * (c[0] * cos(corner) + c[1] * sin(corner)));
    }
    return fmax(worst, fabs(f[0] * c[0] + f[1] * c[1] + opposed));
}

// Five contacts hold more directions than there are freedoms. Plain Newton fails in most of these problems.
START_TEST(newton_finds_the_solutions_of_stiff_ccp)
{
    static random_problem p;
    int continued = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        const int nv = 6 + (int)(seed % 7);
        make_problem(&p, TRX_SAP, nv, 5, 2, seed);
        make_contacts_rigid(&p, TRX_CONTACT_CCP, 5);
        for (int i = 0; i < nv; i++) p.start[i] = 10 * trxi_random_normal(seed, (uint64_t)(700 + i));
        const trx_status status = solve_problem(&p, 1e-10);
        ck_assert_msg(status >= 0, "seed %d: %s", (int)seed, trx_status_text(status));
        double largest = 1;
        for (int k = 0; k < 5; k++) {
            trxi_row_state at = p.contacts[k].at;
            const double R = p.contacts[k].contact.sap.Rn;
            ck_assert(R == 1e-8 && p.contacts[k].contact.sap.Rt == R);
            p.contacts[k].law->impulse(&p.contacts[k], p.problem.law.dt, &at);
            largest = fmax(largest, max_magnitude(at.gamma, 3));
            ck_assert(max_difference(at.gamma, p.contacts[k].at.gamma, 3) <= 1e-12 * largest);
        }
        assert_below(momentum_error(&p), 1e-5 * largest); // speeds of 10 m/s round to 1e-15, impulses to 1e-15/R
        continued += p.solver.stats.continuation > 0;
    }
    ck_assert_int_gt(continued, 100);
}
END_TEST

// Three contacts hold more directions than some of these problems have freedoms. Whole changes go in circles for ever in some of
// them, with lcp and ncp, and change v by a hundredth or more of its size in every sweep. Others only converge slowly.
START_TEST(sweeps_do_not_go_in_circles)
{
    static const int kinds[] = {0, 2};
    static random_problem p;
    for (uint64_t seed = 81; seed <= 130; seed++) {
        make_problem_again(&p, 6 + (int)(seed % 7), 3, 4, seed);
        make_contacts_rigid(&p, rigid_methods[kinds[_i]].model, 3);
        const trx_status status = sweep_problem(&p, kinds[_i], 5000);
        ck_assert(status == TRX_OK || status == TRX_ERR_NOT_CONVERGED);
        ck_assert_msg(p.solver.stats.change < 1e-3, "seed %d: %g", (int)seed, p.solver.stats.change);
    }
}
END_TEST

// Alone, a contact that wedges has several solutions between which sweeps jumped in circles: in 2 of these problems with ncp, in 6
// with lcp
START_TEST(sweeps_end_where_contacts_wedge)
{
    static const int kinds[] = {0, 2};
    static random_problem p;
    int wedged = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        make_problem_again(&p, NV, 4, 0, seed);
        for (int k = 0; k < 4; k++) p.contacts[k].contact.mu = p.materials[k].friction = 0.8;
        make_contacts_rigid(&p, rigid_methods[kinds[_i]].model, 4);
        ck_assert_msg(sweep_problem(&p, kinds[_i], 5000) == TRX_OK, "seed %d: %g", (int)seed, p.solver.stats.change);
        for (int k = 0; k < 4; k++) {
            const double *W_n = p.contacts[k].contact.W_n;
            wedged += 0.8 * hypot(W_n[0], W_n[1]) > W_n[2];
            assert_below(violation(&p.contacts[k], rigid_methods[kinds[_i]].model), 1e-6);
        }
    }
    ck_assert_int_gt(wedged, 100);
}
END_TEST

START_TEST(every_solver_satisfies_the_conditions_of_pyramids_of_more_sides)
{
    static const int kinds[] = {0, 3, 6, 8}, numbers[] = {6, 8, 16};
    const int kind = kinds[_i / 3], sides = numbers[_i % 3];
    static random_problem p;
    int faces = 0, corners = 0, solved = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        make_problem_again(&p, NV, 3, 5, seed);
        p.problem.law.sides = sides, p.problem.law.compliance = rigid_methods[kind].solver == TRX_SOLVER_STAGGERED ? 1e-6 : 1e-8;
        make_contacts_rigid(&p, TRX_CONTACT_LCP, 3);
        if (sweep_problem(&p, kind, 20000) != TRX_OK) continue;
        ck_assert(momentum_error(&p) < 1e-10);
        solved++;
        for (int k = 0; k < 3; k++) {
            assert_below(pyramid_violation(&p.contacts[k], sides), 1e-6);
            faces += (p.contacts[k].at.branch & TRXI_FACE) != 0, corners += (p.contacts[k].at.branch & TRXI_CORNER) != 0;
        }
    }
    printf("%s, %d sides: %d solved, %d on faces, %d at corners\n",
           trx_contact_solver_name(rigid_methods[kind].solver), sides, solved, faces, corners);
    ck_assert_int_ge(solved, 39);
    ck_assert_int_gt(corners, 20);
}
END_TEST

START_TEST(solutions_satisfy_the_conditions_of_their_model_beside_every_kind_of_row)
{
    static random_problem p;
    int slip = 0, stick = 0, open = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        make_rigid(&p, _i, 3, 5, seed);
        const trx_status status = sweep_problem(&p, _i, 200000);
        ck_assert_msg(status == TRX_OK, "seed %d", (int)seed);
        ck_assert(momentum_error(&p) < 1e-10);
        for (int k = 0; k < 3; k++) {
            const trxi_row_block *b = &p.contacts[k];
            const double worst = violation(b, rigid_methods[_i].model);
            ck_assert_msg(worst < 1e-6, "seed %d: %g", (int)seed, worst);
            slip += (b->at.branch & TRXI_SAP_SLIDE) != 0, stick += (b->at.branch & TRXI_SAP_STICK) != 0;
            open += b->at.gamma[2] == 0;
        }
        for (int k = 0; k < 5; k++) {
            trxi_row_state at = p.scalars[k].at;
            p.scalars[k].law->impulse(&p.scalars[k], p.problem.law.dt, &at);
            assert_close(p.scalars[k].at.gamma[0], at.gamma[0], 1e-6 * (1 + fabs(at.gamma[0])) + 1e-8 * at.G.xx);
        }
    }
    ck_assert(slip > 10 && stick > 3 && open > 10);
}
END_TEST

// A visit of one contact alone is its solution: the second sweep changes nothing. A visit of lcp or ncp that does not end is one
// pass
START_TEST(a_contact_alone_needs_one_visit)
{
    enum { SEEDS = 200 };
    static random_problem p;
    int counts[3] = {0}, visits = 0, most = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        make_rigid(&p, _i, 1, 0, seed);
        const trx_status status = sweep_problem(&p, _i, 20000);
        const trxi_row_block *b = &p.contacts[0];
        counts[b->at.branch & TRXI_SAP_STICK ? 0 : b->at.branch ? 1 : 2]++;
        most = p.solver.stats.iterations > most ? p.solver.stats.iterations : most;
        visits += p.solver.stats.iterations <= 2;
        if (status >= 0) assert_below(violation(b, rigid_methods[_i].model), 1e-9 * (1 + max_magnitude(b->at.gamma, 3)));
    }
    printf("%d stick, %d slide, %d are open; %d need one visit, most need %d\n", counts[0], counts[1], counts[2], visits, most);
    ck_assert(counts[0] > 10 && counts[1] > 10 && counts[2] > 10);
    ck_assert_int_ge(visits, rigid_methods[_i].model == TRX_CONTACT_CCP ? SEEDS : SEEDS * 95 / 100);
}
END_TEST

// x = A^-1 x for the lower triangle of A
static void solve_dense(const double *A, int lda, int n, double *x)
{
    double L[NV * NV];
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) L[i + n * j] = A[i + lda * j];
    ck_assert_int_eq(trxi_cholesky(n, L, n), -1);
    trxi_cholesky_solve(n, L, n, 1, x, n);
}

// principal pivoting by trial: the one set of closed contacts whose impulses and velocities all have the right sign
START_TEST(without_friction_the_impulses_are_those_of_the_one_complementary_basis)
{
    enum { N = 5 };
    static random_problem p;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        make_rigid(&p, _i, N, 0, seed);
        for (int k = 0; k < N; k++) p.contacts[k].contact.mu = 0;
        ck_assert_int_eq(sweep_problem(&p, _i, 200000), TRX_OK);

        // W and the velocities without impulses, normal rows alone
        double W[N * N], q[N], v[NV], f[N];
        for (int j = -1; j < N; j++) {
            memset(v, 0, sizeof v);
            if (j < 0) memcpy(v, p.p0, sizeof v);
            else for (int i = 0; i < NV; i++) v[i] = p.contacts[j].J[3 * i + 2];
            for (int t = 0; t < 2; t++)
                solve_dense(p.A + p.trees[t].v * (NV + 1), NV, p.trees[t].nv, v + p.trees[t].v);
            for (int k = 0; k < N; k++) {
                double sum = 0;
                for (int i = 0; i < NV; i++) sum += p.contacts[k].J[3 * i + 2] * v[i];
                if (j < 0) q[k] = sum + p.contacts[k].bias[2] - p.contacts[k].contact.sap.v_hat;
                else W[k + N * j] = sum + (j == k ? p.contacts[k].contact.sap.Rn : 0);
            }
        }
        int found = 0;
        for (int set = 0; set < 1 << N && !found; set++) {
            double D[N * N];
            for (int k = 0; k < N; k++) {
                const bool closed = set >> k & 1;
                f[k] = closed ? -q[k] : 0;
                for (int j = 0; j < N; j++) D[k + N * j] = closed && (set >> j & 1) ? W[k + N * j] : k == j;
            }
            solve_dense(D, N, N, f);
            bool fits = true;
            for (int k = 0; k < N; k++) {
                double c = q[k];
                for (int j = 0; j < N; j++) c += W[k + N * j] * f[j];
                fits = fits && f[k] >= 0 && c >= -1e-12;
            }
            found = fits;
        }
        ck_assert(found);
        for (int k = 0; k < N; k++) assert_close(p.contacts[k].at.gamma[2], f[k], 1e-7 * (1 + fabs(f[k])));
    }
}
END_TEST

// the balance of momentum holds to rounding, whatever the impulses are
START_TEST(the_worst_contact_of_a_failure_is_the_one_whose_impulse_misses_its_law_most)
{
    static random_problem p;
    int asked = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        make_rigid(&p, _i, 3, 0, seed);
        ck_assert_int_eq(sweep_problem(&p, _i, 200000), TRX_OK);
        if (p.solver.work->nisland > 1) continue;
        p.solver.stats.change = 1, p.solver.stats.still = 0.5;
        for (int k = 0; k < 3; k++) {
            const double right = p.contacts[k].at.v_c[2];
            if (!(p.contacts[k].at.gamma[2] > 0)) continue;
            p.contacts[k].at.v_c[2] -= 1e-3;
            ck_assert_int_eq(trxi_contact_worst(&p.problem, &p.solver), k);
            p.contacts[k].at.v_c[2] = right;
            asked++;
        }
    }
    ck_assert(asked > 10);
}
END_TEST

// Newton's method inside of staggered projections and lifted contacts wrote its own start over this velocity, by which the size of
// errors is measured
START_TEST(the_velocity_without_impulses_is_kept)
{
    static trxi_island_solver *const solvers[] = {trxi_gauss_seidel_solve, trxi_admm_solve, trxi_staggered_solve,
                                                  trxi_lifted_solve};
    static random_problem p;
    make_rigid(&p, 2, 3, 5, 1);
    const trxi_solver_settings settings = {.tolerance = 1e-8, .max_iterations = 100, .max_sweeps = 10000,
                                           .methods = (trxi_island_solver *const[]){solvers[_i], NULL}};
    ck_assert_int_eq(trxi_contact_solve(&p.problem, &settings, &p.solver), TRX_OK);
    ck_assert_int_eq(p.solver.work->nisland, 1);
    ck_assert_double_gt(max_difference(p.solver.v, p.v_free, NV), 0.01);
    assert_close(max_difference(p.solver.work->start, p.v_free, NV), 0, 1e-12);
}
END_TEST

START_TEST(too_few_sweeps_are_a_status)
{
    static random_problem p;
    make_rigid(&p, _i, 3, 5, 1);
    ck_assert_int_eq(sweep_problem(&p, _i, 1), TRX_ERR_NOT_CONVERGED);
    const double first = p.solver.stats.change;
    const trx_contact_solver solver = rigid_methods[_i].solver;
    ck_assert(first > 1e-3);
    assert_close(p.solver.stats.still, solver == TRX_SOLVER_PGS ? 1e-12 : solver == TRX_SOLVER_ADMM ? 1e-11 : 2e-10, 1e-15);
    ck_assert_int_eq(sweep_problem(&p, _i, 2), TRX_ERR_NOT_CONVERGED);
    ck_assert(p.solver.stats.change < first);
}
END_TEST

// so many sweeps, which do not converge, of a problem with eight contacts
static void take_sweeps(random_problem *p, trx_contact_model model, double relaxation, int sweeps, uint64_t seed)
{
    const trxi_solver_settings settings = {.tolerance = 1e-8, .max_iterations = 100, .max_sweeps = sweeps, .relaxation = relaxation,
                                           .methods = (trxi_island_solver *const[]){trxi_gauss_seidel_solve, NULL}};
    make_problem_again(p, NV, 8, 4, seed);
    make_contacts_rigid(p, model, 8);
    ck_assert_int_eq(trxi_contact_solve(&p->problem, &settings, &p->solver), TRX_ERR_NOT_CONVERGED);
}

// the change of v by one sweep over the change that the solver reports
static double part_of_sweep(trx_contact_model model, double relaxation, int sweep, uint64_t seed)
{
    static random_problem p;
    double before[NV], moved = 0;
    take_sweeps(&p, model, relaxation, sweep - 1, seed);
    memcpy(before, p.solver.v, sizeof before);
    take_sweeps(&p, model, relaxation, sweep, seed);
    for (int i = 0; i < NV; i++) moved += (p.solver.v[i] - before[i]) * (p.solver.v[i] - before[i]) / p.solver.work->E2[i];
    return sqrt(moved / trxi_impulses_size(p.solver.work->islands, p.solver.work)) / p.solver.stats.change;
}

// Sweeps that did not converge took a quarter of each change, also with a relaxation of a tenth; and the late share of raisim, 0.7,
// was left out of the error. Some sweeps end with an extrapolation, which adds to the change
START_TEST(the_error_of_a_sweep_is_that_of_whole_changes)
{
    static const struct {
        trx_contact_model model;
        double relaxation, part;
        int sweep, seed;
    } cases[] = {{TRX_CONTACT_NCP, 0, 1, 150, 47},    {TRX_CONTACT_NCP, 0.1, 0.1, 301, 25}, {TRX_CONTACT_LCP, 0.1, 0.1, 301, 28},
                 {TRX_CONTACT_NCP, 0.4, 0.4, 150, 47}, {TRX_CONTACT_RAISIM, 0, 0, 150, 16},  {TRX_CONTACT_RAISIM, 0, 0, 150, 24}};
    double part = INFINITY, expected = cases[_i].part;
    for (int k = 0; k < 2; k++) {
        const int sweep = cases[_i].sweep + k;
        const double taken = part_of_sweep(cases[_i].model, cases[_i].relaxation, sweep, (uint64_t)cases[_i].seed);
        if (taken > part) continue;
        part = taken;
        if (cases[_i].part == 0) expected = 0.7 + 0.3 * pow(0.99, sweep - 1);
    }
    assert_close(part, expected, 1e-6);
}
END_TEST

static int kind_of_pivoting(void)
{
    int kind = 0;
    while (rigid_methods[kind].solver != TRX_SOLVER_PIVOTING) kind++;
    return kind;
}

// four contacts at each of two places: W is singular, and only the compliance of 1e-8 keeps W + R regular. Many of these problems
// ended on a ray
START_TEST(pivoting_serves_contacts_that_share_their_load)
{
    enum { PLACES = 2, N = 4 * PLACES };
    static random_problem p;
    int closed = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        make_rigid(&p, kind_of_pivoting(), N, 0, seed);
        for (int k = PLACES; k < N; k++) p.contacts[k] = p.contacts[k % PLACES];
        ck_assert_msg(sweep_problem(&p, kind_of_pivoting(), 1) == TRX_OK, "seed %d", (int)seed);
        ck_assert(momentum_error(&p) < 1e-10);
        for (int k = 0; k < N; k++) {
            assert_below(violation(&p.contacts[k], TRX_CONTACT_LCP), 1e-6);
            closed += p.contacts[k].at.gamma[2] > 0;
        }
    }
    ck_assert(closed > 100);
}
END_TEST

// friction below a negative bound: contacts that press have no solution, and pivots end on a ray
START_TEST(pivoting_names_the_problem_that_it_does_not_solve)
{
    enum { N = 3 };
    static random_problem p;
    const int kind = kind_of_pivoting();
    make_rigid(&p, kind, N, 0, 1);
    ck_assert_int_eq(sweep_problem(&p, kind, 1), TRX_OK);
    double pressed = 0;
    for (int k = 0; k < N; k++) pressed = fmax(pressed, p.contacts[k].at.gamma[2]), p.contacts[k].contact.mu = -1;
    ck_assert(pressed > 0 && !p.solver.stats.told);
    ck_assert_int_eq(sweep_problem(&p, kind, 1), TRX_ERR_NOT_CONVERGED);
    const char *message = trx_context_message(p.problem.context);
    ck_assert_msg(p.solver.stats.told && strstr(message, "no impulses of 3 contacts in "), "%s", message);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/gauss_seidel");
    TCase *cases = tcase_create("gauss_seidel");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, newton_finds_the_solutions_of_stiff_ccp);
    tcase_add_loop_test(cases, sweeps_do_not_go_in_circles, 0, 2);
    tcase_add_loop_test(cases, sweeps_end_where_contacts_wedge, 0, 2);
    tcase_add_loop_test(cases, every_solver_satisfies_the_conditions_of_pyramids_of_more_sides, 0, 12);
    tcase_add_loop_test(cases, a_contact_alone_needs_one_visit, 0, 3);
    tcase_add_loop_test(cases, solutions_satisfy_the_conditions_of_their_model_beside_every_kind_of_row, 0, RIGID_METHODS);
    tcase_add_loop_test(cases, without_friction_the_impulses_are_those_of_the_one_complementary_basis, 0, RIGID_METHODS);
    tcase_add_loop_test(cases, the_worst_contact_of_a_failure_is_the_one_whose_impulse_misses_its_law_most, 0, RIGID_METHODS);
    tcase_add_loop_test(cases, too_few_sweeps_are_a_status, 0, ITERATIVE_METHODS);
    tcase_add_loop_test(cases, the_error_of_a_sweep_is_that_of_whole_changes, 0, 6);
    tcase_add_loop_test(cases, the_velocity_without_impulses_is_kept, 0, 4);
    tcase_add_test(cases, pivoting_serves_contacts_that_share_their_load);
    tcase_add_test(cases, pivoting_names_the_problem_that_it_does_not_solve);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
