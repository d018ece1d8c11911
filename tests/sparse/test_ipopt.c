// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Ipopt links and runs: Hock and Schittkowski, problem 71 (Test Examples for Nonlinear Programming Codes, 1981).
//
//     min  x0 x3 (x0 + x1 + x2) + x2     s.t.  x0 x1 x2 x3 >= 25,  |x|^2 = 40,  1 <= x <= 5
//
// from (1, 5, 5, 1); the solution is (1, 4.7430, 3.8211, 1.3794) with value 17.0140173.

#include <IpStdCInterface.h>
#include "support/support.h"

#ifdef IPOPT_3_14
typedef ipnumber number;
typedef ipindex whole;
typedef bool truth;
#else
typedef Number number;
typedef Index whole;
typedef Bool truth;
#endif

static truth value(whole n, number *x, truth new_x, number *f, UserDataPtr user)
{
    (void)n, (void)new_x, (void)user;
    *f = x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2];
    return 1;
}

static truth gradient(whole n, number *x, truth new_x, number *g, UserDataPtr user)
{
    (void)n, (void)new_x, (void)user;
    g[0] = x[3] * (2 * x[0] + x[1] + x[2]);
    g[1] = x[0] * x[3];
    g[2] = x[0] * x[3] + 1;
    g[3] = x[0] * (x[0] + x[1] + x[2]);
    return 1;
}

static truth constraints(whole n, number *x, truth new_x, whole m, number *c, UserDataPtr user)
{
    (void)n, (void)new_x, (void)m, (void)user;
    c[0] = x[0] * x[1] * x[2] * x[3];
    c[1] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
    return 1;
}

// a dense 2 x 4 Jacobian, row after row
static truth jacobian(whole n, number *x, truth new_x, whole m, whole count, whole *row, whole *column, number *values,
                      UserDataPtr user)
{
    (void)new_x, (void)m, (void)user;
    for (whole k = 0; k < count; k++) {
        whole j = k % n;
        if (!values) {
            row[k] = k / n;
            column[k] = j;
        } else if (k / n == 0) {
            values[k] = x[(j + 1) % 4] * x[(j + 2) % 4] * x[(j + 3) % 4];
        } else {
            values[k] = 2 * x[j];
        }
    }
    return 1;
}

// the quasi-Newton option replaces it
static truth hessian(whole n, number *x, truth new_x, number factor, whole m, number *multiplier, truth new_multiplier,
                     whole count, whole *row, whole *column, number *values, UserDataPtr user)
{
    (void)n, (void)x, (void)new_x, (void)factor, (void)m, (void)multiplier, (void)new_multiplier;
    (void)count, (void)row, (void)column, (void)values, (void)user;
    return 0;
}

START_TEST(hock_schittkowski_71_is_solved)
{
    number lower[4] = {1, 1, 1, 1}, upper[4] = {5, 5, 5, 5};
    number c_lower[2] = {25, 40}, c_upper[2] = {2e19, 40};
    IpoptProblem problem = CreateIpoptProblem(4, lower, upper, 2, c_lower, c_upper, 8, 10, 0, value, constraints,
                                              gradient, jacobian, hessian);
    ck_assert_ptr_nonnull(problem);
    char print_level[] = "print_level", approximation[] = "hessian_approximation", limited[] = "limited-memory";
    char tolerance[] = "tol", banner[] = "sb", yes[] = "yes";
    ck_assert(AddIpoptIntOption(problem, print_level, 0));
    ck_assert(AddIpoptStrOption(problem, approximation, limited));
    ck_assert(AddIpoptStrOption(problem, banner, yes));
    ck_assert(AddIpoptNumOption(problem, tolerance, 1e-9));

    number x[4] = {1, 5, 5, 1}, f = 0;
    int status = (int)IpoptSolve(problem, x, NULL, &f, NULL, NULL, NULL, NULL);
    FreeIpoptProblem(problem);
    ck_assert_int_eq(status, Solve_Succeeded);
    assert_close(f, 17.0140173, 1e-6);
    const double solution[4] = {1, 4.74299963, 3.82114998, 1.37940829};
    assert_below(max_difference(x, solution, 4), 1e-6);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sparse/ipopt");
    TCase *cases = tcase_create("ipopt");
    tcase_add_test(cases, hock_schittkowski_71_is_solved);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
