// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Lifted contacts: solutions satisfy the conditions of ncp, raisim and first_order, with other rows beside the contacts; a rod that
// jams; a rod between two fingers, whose lifts creep to the solution in many small steps.

#include "contact/island_solvers.h"
#include "contact/model.h"
#include "contact/problem.h"
#include "contact/rigid.h"
#include "support/support.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { NV = 12, SCALARS = 4, SEEDS = 100 };

static trx_status solve(random_problem *p, int rounds)
{
    const trxi_solver_settings settings = {.tolerance = 1e-8, .max_iterations = 100, .max_sweeps = rounds,
                                           .methods = (trxi_island_solver *const[]){trxi_lifted_solve, NULL}};
    return trxi_contact_solve(&p->problem, &settings, &p->solver);
}

static void make_rigid(random_problem *p, trx_contact_model model, int ncontact)
{
    p->problem.law.compliance = 1e-6; // which leaves Newton ten digits
    for (int k = 0; k < ncontact; k++) {
        p->contacts[k].law = trxi_contact_model_of(model)->law;
        p->contacts[k].w = 1;
        p->contacts[k].law->prepare(&p->contacts[k], &p->problem.law);
    }
}

// worst violation of f in K, c_n >= 0, f_n c_n = 0 and f_t = -mu f_n u_t/|u_t|. Under raisim u_t contains the lean; the last
// condition is left out for a contact that wedges
static double violation(const trxi_row_block *b)
{
    const double mu = b->contact.mu, Rt = b->contact.sap.Rt, *f = b->at.gamma;
    const double c[3] = {b->at.v_c[0] + Rt * f[0], b->at.v_c[1] + Rt * f[1],
                         b->at.v_c[2] + b->contact.sap.Rn * f[2] - b->contact.sap.v_hat};
    double lean[2] = {0};
    const bool leans = b->law != &trxi_raisim || trxi_raisim_lean(b, c, lean);
    const double u[2] = {c[0] + lean[0], c[1] + lean[1]}, slip = hypot(u[0], u[1]);
    const double normal = fmax(fmax(-f[2], -c[2]), fabs(f[2] * c[2]));
    const double across = leans ? fabs(f[0] * u[0] + f[1] * u[1] + mu * f[2] * slip) : 0;
    return fmax(normal, fmax(hypot(f[0], f[1]) - mu * f[2], across));
}

static bool wedges(const random_problem *p, int ncontact)
{
    bool any = false;
    for (int k = 0; k < ncontact; k++) any = any || !trxi_raisim_lean(&p->contacts[k], (double[]){1, 0}, (double[2]){0});
    return any;
}

static const trx_contact_model models[] = {TRX_CONTACT_NCP, TRX_CONTACT_RAISIM, TRX_CONTACT_FIRST_ORDER};

START_TEST(solutions_satisfy_the_conditions_of_their_model)
{
    enum { CONTACTS = 3 };
    static random_problem p;
    int open = 0, stick = 0, slip = 0, unsolved = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        make_problem_again(&p, NV, CONTACTS, SCALARS, seed);
        make_rigid(&p, models[_i], CONTACTS);
        if (solve(&p, 500) < 0) {
            unsolved += models[_i] != TRX_CONTACT_RAISIM || !wedges(&p, CONTACTS);
            continue;
        }
        for (int k = 0; k < CONTACTS; k++) {
            const trxi_row_block *b = &p.contacts[k];
            ck_assert(b->law == trxi_contact_model_of(models[_i])->law);
            ck_assert_msg(violation(b) < 1e-7 * (1 + max_magnitude(b->at.gamma, 3)), "seed %d: %g", (int)seed, violation(b));
            open += b->at.branch == 0;
            stick += b->at.branch & TRXI_SAP_STICK ? 1 : 0, slip += b->at.branch & TRXI_SAP_SLIDE ? 1 : 0;
        }
    }
    printf("%d open, %d stick, %d slide; %d unsolved\n", open, stick, slip, unsolved);
    ck_assert(open > 30 && stick > 10 && slip > 30);
    ck_assert_int_le(unsolved, 2);
}
END_TEST

// A rod of 0.3 kg, whose tip in front is 63 degrees below its middle, 10 m/s, mu 2.3 > 4/3: friction presses the tip into the
// ground. No impulse lets the tip slide on; the tip stops
START_TEST(a_rod_that_jams_stops_its_tip)
{
    static random_problem p;
    static const double m = 0.3, inertia = 0.3 * 0.5 * 0.5 / 12, half = 0.25, slope = 1.1;
    make_problem_again(&p, 3, 1, 0, 1);
    make_rigid(&p, models[_i], 1);
    const double A[3] = {m, m, inertia}, x = half * cos(slope), z = -half * sin(slope);
    memset(p.A, 0, sizeof p.A);
    for (int i = 0; i < 3; i++) p.A[4 * i] = A[i];
    p.p0[0] = m * 10, p.p0[1] = -m * 9.81e-5, p.p0[2] = 0;
    memcpy(p.J[0], (double[]){1, 0, 0, 0, 0, 1, z, 0, -x}, 9 * sizeof(double));
    p.contacts[0].contact.mu = 2.3, p.contacts[0].contact.sap.v_hat = 0;
    join_problem(&p);
    ck_assert_int_eq(solve(&p, 50), TRX_OK);
    const trxi_row_block *b = &p.contacts[0];
    ck_assert(b->at.branch & TRXI_SAP_STICK);
    ck_assert_double_lt(violation(b), 1e-9);
    ck_assert_double_gt(b->at.gamma[2], 0.1 * m * 10);
}
END_TEST

// A rod that rocks between two fingers on slides. Each finger has two contacts, 7 and 5 cm above the middle of the rod. The normal
// velocities of the four contacts differ by 3e-7 m/s, so one contact opens at this speed. Plain rounds change the lifts by 1e-7 m/s
// each, on a way of 1.7e-3 m/s
START_TEST(a_rod_between_two_fingers_is_solved)
{
    enum { CONTACTS = 4 };
    static random_problem p;
    static const double rod = 0.37699111843077526, across = 0.00071628312501847285, along = 1.8849555921538762e-05, finger = 0.02;
    static const double A[8] = {rod, rod, rod, across, across, along, finger, finger};
    static const double p0[8] = {0.013405755616108417, 9.5671564004239063e-05, -5.3609368317957342e-04, -1.6588412893053754e-07,
                                 -5.0259399242435435e-04, 6.3288129179500165e-14, 2.4000099181488619e-03, 2.3999901807646535e-03};
    static const double J[CONTACTS][3][8] = {
        {{1, 0, 0, 1.7836992400420019e-04, 7.0010061145242747e-02, 9.9987945173063246e-03, 0, 0},
         {0, 0, -1, 9.9984354533629704e-03, -1.0904279788096554e-03, -1.5526282567922327e-04, 0, 0},
         {0, 1, 0, -7.0018552384471064e-02, 2.3109887910083368e-05, 0, -1, 0}},
        {{1, 0, 0, 1.7176884811032615e-04, 5.0010062234597856e-02, 9.9987945589176588e-03, 0, 0},
         {0, 0, -1, 9.9985379142676859e-03, -7.7986490651021379e-04, -1.5526282632537049e-04, 0, 0},
         {0, 1, 0, -5.0016142383481871e-02, 1.6508016872873651e-05, 0, -1, 0}},
        {{1, 0, 0, -1.3875678829081064e-04, 5.0010164641545424e-02, -9.9987945999117871e-03, 0, 0},
         {0, 0, 1, 9.9990501553377555e-03, 7.7326462567754889e-04, -1.5526282696193362e-04, 0, 0},
         {0, -1, 0, 5.0016142383481885e-02, -1.6508016872873651e-05, 0, 0, -1}},
        {{1, 0, 0, -1.3215571239693657e-04, 7.0010163552190308e-02, -9.9987946415231213e-03, 0, 0},
         {0, 0, 1, 9.9991526162424709e-03, 1.0838276979769905e-03, -1.5526282760808084e-04, 0, 0},
         {0, -1, 0, 7.0018552384471078e-02, -2.3109887910083371e-05, 0, 0, -1}}};
    static const double v_hat[CONTACTS] = {1.6556470756501694e-07, 8.2332006124500034e-08, 3.3387183720713275e-10,
                                           -4.1449414801654881e-07};
    static const double R[CONTACTS] = {2.046329082501038e-07, 1.9125751051725171e-07, 1.9125751053463216e-07,
                                       2.0463290833627098e-07};
    make_problem_again(&p, 8, CONTACTS, 1, 1);
    make_rigid(&p, models[_i], CONTACTS);
    memset(p.A, 0, sizeof p.A);
    for (int i = 0; i < 8; i++) p.A[9 * i] = A[i], p.p0[i] = p0[i];
    for (int k = 0; k < CONTACTS; k++) {
        for (int i = 0; i < 24; i++) p.J[k][i] = J[k][i % 3][i / 3];
        p.contacts[k].contact.mu = 0.24;
        p.contacts[k].contact.sap.v_hat = v_hat[k], p.contacts[k].contact.sap.Rn = p.contacts[k].contact.sap.Rt = R[k];
        p.contacts[k].w = 1e6 * R[k];
    }

    // the fingers move as one
    p.scalars[0] = one_row(&trxi_equality, 1, 0);
    p.scalars[0].compliant = (trxi_compliant){.R = 2.5330295910584448, .R_law = 2.5330295910584448,
                                              .v_hat = -1.2002878863764729e-04};
    p.scalars[0].cols = p.scalar_cols[0], p.scalars[0].J = p.scalar_J[0], p.scalars[0].ncol = 2;
    p.scalar_cols[0][0] = 6, p.scalar_cols[0][1] = 7, p.scalar_J[0][0] = 1, p.scalar_J[0][1] = -1;
    join_problem(&p);
    ck_assert_int_eq(solve(&p, 500), TRX_OK);
    printf("%d iterations, %g\n", p.solver.stats.iterations, p.solver.stats.change);
    int open = 0;
    for (int k = 0; k < CONTACTS; k++) {
        ck_assert_double_lt(violation(&p.contacts[k]), 1e-9);
        open += p.contacts[k].at.branch == 0;
    }
    ck_assert_int_eq(open, 1);
    ck_assert_double_lt(p.solver.stats.change, 1e-10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/lifted");
    TCase *t = tcase_create("lifted");
    tcase_add_loop_test(t, solutions_satisfy_the_conditions_of_their_model, 0, 3);
    tcase_add_loop_test(t, a_rod_that_jams_stops_its_tip, 0, 2);
    tcase_add_loop_test(t, a_rod_between_two_fingers_is_solved, 0, 2);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
