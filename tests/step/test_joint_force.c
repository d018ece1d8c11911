// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces of actuators and joints: statics, the balance of the step, and derivatives against differences by state, controls and
// every
// parameter of a chain that has all that acts at joints.

#include "step/forces.h"

#include "base/random.h"
#include "step/sim.h"
#include "support/support.h"
#include "verify/state_difference.h"

#include <stdio.h>
#include <string.h>
#include <tractrix/problem.h>

static const char CHAIN[] =
    "tractrix: 1\n"
    "model:\n"
    "  bodies:\n"
    "    - name: upper\n"
    "      joints: [{name: shoulder, type: hinge, axis: [0, 1, 0.1], damping: 0.2, friction: 0.3, armature: 0.05, limits: "
        "[-0.5, 0.5]}]\n"
    "      inertia: {mass: 1.0, com: [0.02, 0, -0.3], tensor: [0.03, 0.03, 0.004]}\n"
    "    - name: lower\n"
    "      parent: upper\n"
    "      pose: {xyz: [0, 0, -0.6]}\n"
    "      joints: [{name: elbow, type: hinge, axis: [1, 0, 0], damping: 0.1, stiffness: 3, rest: 0.2}]\n"
    "      inertia: {mass: 0.6, com: [0, 0.03, -0.2], tensor: [0.02, 0.02, 0.003]}\n"
    "    - name: tip\n"
    "      parent: lower\n"
    "      pose: {xyz: [0, 0, -0.4]}\n"
    "      joints: [{name: reach, type: slide, axis: [0, 0, 1], damping: 1, friction: 0.2, limits: [-0.3, 0.3]}]\n"
    "      inertia: {mass: 0.3, com: [0.01, 0, -0.05], tensor: [0.002, 0.002, 0.001]}\n"
    "  actuators:\n"
    "    - {name: motor, joint: shoulder, gear: 2, activation: {type: filter, time_constant: 0.02}}\n"
    "    - {name: servo, joint: elbow, type: pd, kp: 40, kd: 2, effort: 9}\n"
    "    - {name: both, joints: {elbow: 1, reach: 0.4}, activation: {type: integrator, early: false}}\n"
    "time: {step: 0.01, steps: 10}\n";

static const double ROUNDING = 1e-14; // of a force, relative

enum { NX = 8, NU = 3, MOST = 64, FORCES = 6 };
static const trxi_joint_force forces[FORCES] = {{false, 0}, {false, 1}, {false, 2}, {true, 0}, {true, 1}, {true, 2}};

typedef struct chain {
    trx_context *context;
    trx_problem *problem;
    const trx_model *model;
    trx_sim *sim;
} chain;

static chain chain_create(void)
{
    chain c = {0};
    c.context = context_open();
    const trx_status status = trx_problem_load_text(c.context, "chain.yaml", CHAIN, strlen(CHAIN), NULL, &c.problem);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(c.context));
    c.model = trx_problem_model(c.problem);
    trx_sim_settings settings = trx_problem_sim_settings(c.problem);
    settings.tolerance = 1e-12;
    ck_assert_int_eq(trx_sim_create(c.context, c.model, &settings, &c.sim), TRX_OK);
    return c;
}

static void chain_destroy(chain *c)
{
    trx_sim_destroy(c->sim);
    trx_problem_destroy(c->problem);
    context_close(c->context);
}

START_TEST(a_joint_at_rest_carries_the_weight_below_it)
{
    chain c = chain_create();
    double x[NX] = {0}, u[NU] = {0}, hold[NX];
    for (int k = 0; k < 4000; k++) ck_assert_int_ge(trx_step(c.sim, x, u, x), 0);
    // dry friction still creeps a little: forces and weight of one state, and its acceleration
    ck_assert_int_ge(trx_step(c.sim, x, u, NULL), 0);
    ck_assert_int_eq(trx_model_dynamics(c.context, c.model, x, x + 3, NULL, hold), TRX_OK);
    for (int j = 0; j < 3; j++) assert_close(trxi_step_joint_force(c.sim, forces[j]), hold[j], 2e-5);
    chain_destroy(&c);
}
END_TEST

// the state and controls with number `index`; every third state leans on the limit of the shoulder
static void draw(int index, double *x, double *u)
{
    for (int i = 0; i < NX; i++) x[i] = (i < 3 ? 0.4 : 2) * (2 * trxi_random_uniform(5, (uint64_t)(index * 16 + i)) - 1);
    for (int i = 0; i < NU; i++) u[i] = 2 * trxi_random_uniform(6, (uint64_t)(index * 16 + i)) - 1;
    if (index % 3 == 0) x[0] = 0.501, x[3] = 0.5;
    if (index % 5 == 4) u[1] = 4; // beyond the effort of the servo
}

START_TEST(the_forces_of_joints_balance_the_step)
{
    // without rotors: M (v1 - v0)/dt + h = f, where nothing but joints and gravity acts
    chain c = chain_create();
    for (int index = 0; index < 12; index++) {
        double x[NX], u[NU], next[NX], M[9], h[3];
        draw(index, x, u);
        ck_assert_int_ge(trx_step(c.sim, x, u, next), 0);
        ck_assert_int_eq(trx_model_dynamics(c.context, c.model, x, x + 3, M, h), TRX_OK);
        M[0] -= 0.05;
        for (int j = 0; j < 3; j++) {
            double balance = h[j];
            for (int i = 0; i < 3; i++) balance += M[3 * i + j] * (next[3 + i] - x[3 + i]) / 0.01;
            assert_close(trxi_step_joint_force(c.sim, forces[j]), balance, 1e-6 * (1 + fabs(balance)));
        }
    }
    chain_destroy(&c);
}
END_TEST

typedef struct tally {
    int judged, left;
    double worst;
} tally;

// moves a state, a control or a parameter by `amount`, and steps; false on another branch
static bool moved(chain *c, const double *x, const double *u, int column, const trx_parameter *p, double amount,
                  unsigned long long branches, double *out)
{
    double y[NX], w[NU], dq[NX], value = 0;
    memcpy(y, x, sizeof y);
    memcpy(w, u, sizeof w);
    if (p) {
        ck_assert_int_eq(trx_sim_parameter(c->sim, *p, &value), TRX_OK);
        if (trx_sim_set_parameter(c->sim, *p, value + amount) < 0) return false;
    } else if (column < NX) trxi_state_move(c->model, x, column, amount, dq, y);
    else w[column - NX] += amount;
    ck_assert_int_ge(trx_step(c->sim, y, w, NULL), 0);
    for (int f = 0; f < FORCES; f++) out[f] = trxi_step_joint_force(c->sim, forces[f]);
    const bool same = trx_sim_step_info(c->sim).branches == branches;
    if (p) ck_assert_int_eq(trx_sim_set_parameter(c->sim, *p, value), TRX_OK);
    return same;
}

// derivatives D of all forces by one number of the size `size` against the best of several increments
static void judge(chain *c, const double *x, const double *u, int column, const trx_parameter *p, double size,
                  unsigned long long branches, const double *D, tally *t)
{
    double best[FORCES], F[FORCES];
    for (int f = 0; f < FORCES; f++) best[f] = INFINITY;
    for (double e = 1e-3 * size; e > 1e-6 * size; e /= 4) {
        double ends[4][FORCES];
        bool same = true;
        for (int k = 0; k < 4; k++) same = same && moved(c, x, u, column, p, (k % 2 ? -1 : 1) * (k < 2 ? e : e / 2), branches,
                                                         ends[k]);
        for (int f = 0; f < FORCES && same; f++) {
            const double wide = (ends[0][f] - ends[1][f]) / (2 * e), narrow = (ends[2][f] - ends[3][f]) / e;
            const double change = fabs(wide - narrow) + ROUNDING * (1 + fabs(ends[0][f])) / e;
            if (!(change < best[f])) continue;
            best[f] = change;
            F[f] = (4 * narrow - wide) / 3;
        }
    }
    for (int f = 0; f < FORCES; f++) {
        const double effect = fmax(fabs(D[f]), 1e-2 / size);
        if (!(best[f] <= 1e-5 * effect)) {
            t->left++;
            continue;
        }
        t->judged += D[f] != 0;
        t->worst = fmax(t->worst, fabs(D[f] - F[f]) / effect);
    }
}

START_TEST(derivatives_agree_with_differences)
{
    chain c = chain_create();
    tally by_x = {0}, by_p = {0};
    trx_parameter list[MOST];
    const int count = trx_model_parameters(c.model, list, MOST);
    ck_assert_int_le(count, MOST);
    for (int index = 0; index < 15; index++) {
        double x[NX], u[NU], A[NX * NX], B[NX * NU], C[NX * MOST], J[FORCES * (NX + NU)] = {0}, P[FORCES * MOST] = {0};
        draw(index, x, u);
        ck_assert_int_ge(trx_step(c.sim, x, u, NULL), 0);
        const unsigned long long branches = trx_sim_step_info(c.sim).branches;
        ck_assert_int_eq(trx_step_jac(c.sim, A, B), TRX_OK);
        for (int f = 0; f < FORCES; f++)
            ck_assert_int_eq(trxi_step_joint_force_jac(c.sim, forces[f], A, B, J + f * (NX + NU), J + f * (NX + NU) + NX), TRX_OK);
        ck_assert_int_eq(trx_step_jac_parameters(c.sim, list, count, C), TRX_OK);
        for (int f = 0; f < FORCES; f++) trxi_step_joint_force_parameters(c.sim, forces[f], list, count, C, P + f * MOST);
        for (int j = 0; j < NX + NU; j++) {
            double D[FORCES];
            for (int f = 0; f < FORCES; f++) D[f] = J[f * (NX + NU) + j];
            judge(&c, x, u, j, NULL, 0.1, branches, D, &by_x);
        }
        for (int k = 0; k < count; k++) {
            double D[FORCES], value;
            for (int f = 0; f < FORCES; f++) D[f] = P[f * MOST + k];
            ck_assert_int_eq(trx_sim_parameter(c.sim, list[k], &value), TRX_OK);
            judge(&c, x, u, 0, &list[k], value != 0 ? fabs(value) : 0.01, branches, D, &by_p);
        }
    }
    printf("by state and control: %d judged, %d left, worst %.1e; by parameters: %d judged, %d left, worst %.1e\n", by_x.judged,
           by_x.left, by_x.worst, by_p.judged, by_p.left, by_p.worst);
    ck_assert_int_gt(by_x.judged, 300);
    ck_assert_int_gt(by_p.judged, 1000);
    ck_assert_int_lt(by_x.left + by_p.left, by_x.judged + by_p.judged);
    assert_below(by_x.worst, 1e-6);
    assert_below(by_p.worst, 1e-6);
    ck_assert(by_x.worst > 0 && by_p.worst > 0);
    chain_destroy(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/joint_force");
    TCase *cases = tcase_create("joint_force");
    tcase_add_test(cases, a_joint_at_rest_carries_the_weight_below_it);
    tcase_add_test(cases, the_forces_of_joints_balance_the_step);
    tcase_add_test(cases, derivatives_agree_with_differences);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
