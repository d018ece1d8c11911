// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contact models and solvers on random scenes: a measurement, run by scripts/contact_agreement.
//
//     agreement COUNT
//
// A scene is one step of two free bodies of random mass, inertia and velocity under gravity. One contact is between the bodies and
// one between each body and the ground, at random points: nine rows on twelve freedoms, so impulses are unique. Gaps are open or
// closed, never penetrations. Scenes in which a contact is near the border between stick and slip, or hardly closed, are left
// out. The reference is ncp by admm. Prints one line of JSON per scene: differences of the velocities from the reference, as
// energies relative to that of the step; -1 where a solver does not converge. Solvers of ncp that find other velocities may have
// found another solution: the residual tells. Differences of convex are from the nearest of the solutions.

#include "base/random.h"
#include "contact/model.h"
#include "contact/problem.h"
#include "support/support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NV = 12, CONTACTS = 3, ROUND = 0, MOST = 8 };

static random_problem p;

static double uniform(uint64_t seed, uint64_t index, double low, double high)
{
    return low + (high - low) * trxi_random_uniform(seed, index);
}

// unit axes of a contact: t1, t2, n, with n near the vertical
static void frame(uint64_t seed, uint64_t index, double F[3][3])
{
    const double tilt = uniform(seed, index, 0, 0.5), turn = uniform(seed, index + 1, 0, 6.28), c = cos(tilt), s = sin(tilt);
    const double n[3] = {s * cos(turn), s * sin(turn), c}, a[3] = {-sin(turn), cos(turn), 0};
    for (int i = 0; i < 3; i++) F[1][i] = a[i], F[2][i] = n[i];
    for (int i = 0; i < 3; i++) F[0][i] = a[(i + 1) % 3] * n[(i + 2) % 3] - a[(i + 2) % 3] * n[(i + 1) % 3];
}

// adds sign F^T (v + w x r) of one body to J
static void add_side(double J[3 * NV], int body, double sign, double F[3][3], const double r[3])
{
    for (int row = 0; row < 3; row++) {
        const double *f = F[row];
        const double arm[3] = {r[1] * f[2] - r[2] * f[1], r[2] * f[0] - r[0] * f[2], r[0] * f[1] - r[1] * f[0]};
        for (int i = 0; i < 3; i++) J[row + 3 * (6 * body + i)] = sign * f[i], J[row + 3 * (6 * body + 3 + i)] = sign * arm[i];
    }
}

static void make_scene(uint64_t seed)
{
    make_problem_again(&p, NV, CONTACTS, 0, seed);
    memset(p.A, 0, sizeof p.A);
    for (int body = 0; body < 2; body++) {
        const double mass = pow(10, uniform(seed, 500 + (uint64_t)body, -0.5, 0.5));
        const double size = uniform(seed, 510 + (uint64_t)body, 0.05, 0.2);
        for (int i = 0; i < 6; i++) {
            const int dof = 6 * body + i;
            p.A[dof * (NV + 1)] = i < 3 ? mass : mass * size * size * uniform(seed, 520 + (uint64_t)dof, 0.3, 0.6);
            const double v = (i < 3 ? 1 : 4) * trxi_random_normal(seed, 540 + (uint64_t)dof) * 0.5 - (i == 2 ? 0.3 : 0);
            p.p0[dof] = p.A[dof * (NV + 1)] * v;
        }
    }
    for (int k = 0; k < CONTACTS; k++) {
        double F[3][3];
        const uint64_t at = 600 + 20 * (uint64_t)k;
        memset(p.J[k], 0, sizeof p.J[k]);
        frame(seed, at, F);
        for (int side = 0; side < (k == 2 ? 2 : 1); side++) {
            double r[3];
            for (int i = 0; i < 3; i++) r[i] = uniform(seed, at + 2 + 3 * (uint64_t)side + (uint64_t)i, -0.1, 0.1);
            add_side(p.J[k], k == 2 ? 1 - side : k, side ? -1 : 1, F, r);
        }
        p.contacts[k].phi0 = fmax(0, uniform(seed, at + 10, -1e-3, 1e-3));
        p.contacts[k].contact.mu = p.materials[k].friction = uniform(seed, at + 11, 0.1, 1);
        p.contacts[k].contact.v_n0 = 0, p.contacts[k].w = 1;
    }
}

// ---- solves ----

static trx_status solve(trx_contact_model model, int sides, trx_contact_solver solver)
{
    p.problem.law.compliance = 1e-8, p.problem.law.sides = sides;
    for (int k = 0; k < CONTACTS; k++) {
        p.contacts[k].law = trxi_contact_model_of(model)->law;
        p.contacts[k].law->prepare(&p.contacts[k], &p.problem.law);
    }
    trxi_solver_settings settings = {.tolerance = 1e-8, .max_iterations = 100, .max_sweeps = 20000,
                                     .methods = trxi_contact_model_methods(model, solver)};
    join_problem(&p); // computes A and its factors again
    memcpy(p.solver.v, p.start, sizeof p.start);
    return trxi_contact_solve(&p.problem, &settings, &p.solver);
}

// the lagged law of a stiffness and a stiction tolerance, with its own normal impulse as the lagged one. Rounds that go in circles
// or to and fro take half of each change
static trx_status solve_lagged(double stiffness, double stiction)
{
    enum { ROUNDS = 400, ROUNDS_TO_FALL = 50 };
    p.problem.law.stiction_tolerance = stiction;
    for (int k = 0; k < CONTACTS; k++) {
        p.materials[k] = (trx_pair_law){.approximation = TRX_LAGGED, .force_law = TRX_KELVIN_VOIGT, .stiffness = stiffness,
                                        .friction = p.contacts[k].contact.mu};
        p.contacts[k].law = &trxi_lagged;
        p.contacts[k].law->prepare(&p.contacts[k], &p.problem.law);
        p.contacts[k].contact.gn0 = 0;
    }
    const trxi_solver_settings settings = {.tolerance = 1e-10, .max_iterations = 300};
    trx_status status = TRX_OK;
    double part = 1, last = INFINITY;
    for (int i = 0; i < ROUNDS && status >= 0; i++) {
        double change = 0, size = 1e-12;
        status = trxi_contact_solve(&p.problem, &settings, &p.solver);
        for (int k = 0; k < CONTACTS; k++) {
            const double n = p.contacts[k].at.gamma[2];
            change = fmax(change, fabs(n - p.contacts[k].contact.gn0)), size = fmax(size, n);
            p.contacts[k].contact.gn0 += part * (n - p.contacts[k].contact.gn0);
        }
        if (change <= 1e-8 * size) return status;
        if (i % ROUNDS_TO_FALL) continue;
        if (change > 0.01 * last) part *= 0.5;
        last = change;
    }
    return TRX_ERR_NOT_CONVERGED;
}

static double difference(const double *v, const double *reference)
{
    double sum = 0, size = 0;
    for (int i = 0; i < NV; i++) {
        const double a = p.A[i * (NV + 1)], free = p.p0[i] / a;
        sum += a * (v[i] - reference[i]) * (v[i] - reference[i]);
        size += a * (reference[i] * reference[i] + (reference[i] - free) * (reference[i] - free));
    }
    return sqrt(sum / size);
}

// how far friction is from the point of its bound that opposes the slip c most; ROUND sides: a circle [N s, J]
static double miss_of_friction(const trxi_row_block *b, const double c[2], int sides)
{
    const double *f = b->at.gamma, most = b->contact.mu * f[2], pi = acos(-1), along = f[0] * c[0] + f[1] * c[1];
    if (sides == ROUND) return fmax(hypot(f[0], f[1]) - most, fabs(along + most * hypot(c[0], c[1])));
    double outside = 0, opposed = 0;
    for (int k = 0; k < sides; k++) {
        const double middle = 2 * pi * k / sides, corner = middle + pi / sides;
        outside = fmax(outside, f[0] * cos(middle) + f[1] * sin(middle) - most);
        opposed = fmax(opposed, -most / cos(pi / sides) * (c[0] * cos(corner) + c[1] * sin(corner)));
    }
    return fmax(outside, fabs(along + opposed));
}

// worst violation of the conditions of ncp, or of lcp with so many sides [N s, m/s, J]
static double residual(int sides)
{
    double worst = 0;
    for (int k = 0; k < CONTACTS; k++) {
        const trxi_row_block *b = &p.contacts[k];
        const double R = b->contact.sap.Rn, *f = b->at.gamma;
        double c[3] = {0};
        trxi_row_project(b, p.solver.v, b->bias, c);
        for (int r = 0; r < 3; r++) c[r] += R * f[r];
        c[2] -= b->contact.sap.v_hat;
        worst = fmax(worst, fmax(fmax(-f[2], -c[2]), fmax(fabs(f[2] * c[2]), miss_of_friction(b, c, sides))));
    }
    return worst;
}

// velocities that solve ncp, or lcp with so many sides
typedef struct solutions {
    int sides, count;
    double v[MOST][NV], residual;
} solutions;

static double difference_of_nearest(const double *v, const solutions *s)
{
    double least = INFINITY;
    for (int i = 0; i < s->count; i++) least = fmin(least, difference(v, s->v[i]));
    return least;
}

static void add_solution(solutions *s)
{
    static const double alike = 1e-6;
    s->residual = fmax(s->residual, residual(s->sides));
    if (s->count < MOST && difference_of_nearest(p.solver.v, s) > alike) memcpy(s->v[s->count++], p.solver.v, sizeof s->v[0]);
}

// away from all borders between open, stick and slip; counts contacts by what they do
static bool is_clear(int count[3])
{
    static const double near = 0.02, slow = 1e-3;
    for (int k = 0; k < CONTACTS; k++) {
        const trxi_row_block *b = &p.contacts[k];
        const double *f = b->at.gamma, most = b->contact.mu * f[2], slip = hypot(b->at.v_c[0], b->at.v_c[1]);
        const double apart = b->at.v_c[2] - b->contact.sap.v_hat;
        if (f[2] > 0 ? f[2] < 1e-4 : apart < slow) return false;
        const bool sticks = b->at.branch & TRXI_SAP_STICK;
        if (f[2] > 0 && (sticks ? hypot(f[0], f[1]) > (1 - near) * most : slip < slow)) return false;
        count[f[2] > 0 ? sticks ? 1 : 2 : 0]++;
    }
    return true;
}

static void print(const char *name, trx_status status, double away)
{
    printf(", \"%s\": %.3g", name, status < 0 ? -1 : away);
}

// the solvers of lcp against pivoting
static void compare_with_pivoting(int sides)
{
    static const trx_contact_solver solvers[] = {TRX_SOLVER_PGS, TRX_SOLVER_ADMM};
    double pivoting[NV] = {0};
    const bool pivots = solve(TRX_CONTACT_LCP, sides, TRX_SOLVER_PIVOTING) >= 0;
    memcpy(pivoting, p.solver.v, sizeof pivoting);
    for (int i = 0; i < 2; i++) {
        const trx_status status = solve(TRX_CONTACT_LCP, sides, solvers[i]);
        const double away = pivots && status >= 0 ? difference(p.solver.v, pivoting) : -1;
        printf(", \"lcp %d %s from pivoting\": %.3g", sides, trx_contact_solver_name(solvers[i]), away);
    }
}

static void scene(uint64_t seed)
{
    static const struct {
        trx_contact_model model;
        int sides;
        trx_contact_solver solver;
    } rigid[] = {{TRX_CONTACT_NCP, 4, TRX_SOLVER_PGS},  {TRX_CONTACT_NCP, 4, TRX_SOLVER_STAGGERED},
                 {TRX_CONTACT_RAISIM, 4, TRX_SOLVER_PGS}, {TRX_CONTACT_LCP, 4, TRX_SOLVER_PGS},
                 {TRX_CONTACT_LCP, 4, TRX_SOLVER_ADMM}, {TRX_CONTACT_LCP, 4, TRX_SOLVER_PIVOTING},
                 {TRX_CONTACT_LCP, 8, TRX_SOLVER_PGS},  {TRX_CONTACT_LCP, 16, TRX_SOLVER_PGS},
                 {TRX_CONTACT_LCP, 64, TRX_SOLVER_PGS}, {TRX_CONTACT_LCP, 16, TRX_SOLVER_ADMM},
                 {TRX_CONTACT_LCP, 16, TRX_SOLVER_STAGGERED}, {TRX_CONTACT_LCP, 16, TRX_SOLVER_PIVOTING},
                 {TRX_CONTACT_CCP, 4, TRX_SOLVER_PGS},  {TRX_CONTACT_CCP, 4, TRX_SOLVER_ADMM},
                 {TRX_CONTACT_CCP, 4, TRX_SOLVER_NEWTON}};
    double reference[NV], lift = 0;
    solutions ncp = {.sides = ROUND}, lcp = {.sides = 16};
    int count[3] = {0};
    make_scene(seed);
    if (solve(TRX_CONTACT_NCP, 4, TRX_SOLVER_ADMM) < 0) {
        printf("{\"seed\": %d, \"reference\": false}\n", (int)seed);
        return;
    }
    if (!is_clear(count)) return;
    add_solution(&ncp);
    memcpy(reference, p.solver.v, sizeof reference);
    printf("{\"seed\": %d, \"reference\": true, \"open\": %d, \"stick\": %d, \"slip\": %d", (int)seed, count[0], count[1],
           count[2]);
    for (size_t i = 0; i < sizeof rigid / sizeof *rigid; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s %d %s", trx_contact_model_name(rigid[i].model), rigid[i].sides,
                 trx_contact_solver_name(rigid[i].solver));
        const trx_status status = solve(rigid[i].model, rigid[i].sides, rigid[i].solver);
        print(name, status, difference(p.solver.v, reference));
        if (status >= 0 && rigid[i].model == TRX_CONTACT_NCP) add_solution(&ncp);
        if (status >= 0 && rigid[i].model == TRX_CONTACT_LCP && rigid[i].sides == lcp.sides) add_solution(&lcp);
        for (int k = 0; k < CONTACTS && status >= 0 && rigid[i].model == TRX_CONTACT_CCP; k++) {
            const trxi_row_block *b = &p.contacts[k];
            const double apart = b->at.v_c[2] - b->contact.sap.v_hat, slip = hypot(b->at.v_c[0], b->at.v_c[1]);
            if (b->at.gamma[2] > 1e-6) lift = fmax(lift, fabs(apart - b->contact.mu * slip));
        }
    }
    printf(", \"ccp lift error\": %.3g", lift);
    for (int sides = 4; sides <= 16; sides *= 4) compare_with_pivoting(sides);
    for (int i = 0; i < 4; i++) {
        char name[40];
        snprintf(name, sizeof name, "convex %d", i);
        const trx_status status = solve_lagged(pow(10, 4 + 2 * i), pow(10, -2 - i));
        print(name, status, difference_of_nearest(p.solver.v, &ncp));
    }
    printf(", \"solutions\": %d, \"residual\": %.3g", ncp.count, ncp.residual);
    printf(", \"lcp solutions\": %d, \"lcp residual\": %.3g}\n", lcp.count, lcp.residual);
}

static int scenes;

START_TEST(measure)
{
    for (int seed = 1; seed <= scenes; seed++) scene((uint64_t)seed);
}
END_TEST

// functions of problem.h assert, so the measurement runs as a test, whose result is ignored
int main(int argc, char **argv)
{
    if (argc != 2) return fprintf(stderr, "usage: agreement COUNT\n"), 2;
    scenes = atoi(argv[1]);
    Suite *suite = suite_create("contact/agreement");
    TCase *cases = tcase_create("agreement");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, measure);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
