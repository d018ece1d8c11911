// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The force between two sides: the weight of a resting body, and its derivative against differences through the step for every
// approximation, law and kind of tree.

#include "step/forces.h"

#include "step/laws.h"
#include "step/reserve.h"
#include "step/scenes.h"
#include "step/sim.h"
#include "support/support.h"
#include "verify/state_difference.h"

#include <stdio.h>
#include <string.h>

enum { MAX_X = 64, MAX_U = 8, FEWER = SANITIZED ? 3 : 1 }; ///< sanitizers see one in FEWER of the states
static const signed char second[1] = {1}, first[1] = {-1}, none[1] = {0};

START_TEST(a_resting_box_presses_with_its_weight)
{
    floor_def def = floor_def_default();
    scene s = scene_floor(&def);
    double x[MAX_X], force[3], opposite[3];
    floor_state(&s, &def, 0.05, 0, x);
    for (int k = 0; k < 300; k++) scene_step(&s, x, NULL);
    trxi_step_contact_force(s.sim, second, force);
    trxi_step_contact_force(s.sim, first, opposite);
    const double up = force[2] > 0 ? 1 : -1; // the floor may be either side
    assert_close(up * force[2], 9.81, 1e-6);
    assert_below(hypot(force[0], force[1]), 1e-6);
    for (int i = 0; i < 3; i++) ck_assert(opposite[i] == -force[i]);
    trxi_step_contact_force(s.sim, none, force);
    ck_assert(force[2] == 0);
    scene_destroy(&s);
}
END_TEST

// the force of a step; false on another branch than `branches`
static bool force_at(const scene *s, const double *x, const double *u, unsigned long long branches, double force[3])
{
    ck_assert_int_ge(trx_step(s->sim, x, u, NULL), 0);
    trxi_step_contact_force(s->sim, second, force);
    return trx_sim_step_info(s->sim).branches == branches;
}

// D(e) by a coordinate of x or by a control
static bool central(const scene *s, const double *x, const double *u, int column, double e, unsigned long long branches,
                    double D[3])
{
    double force[2][3], moved[MAX_X], dq[MAX_X], v[MAX_U];
    for (int side = 0; side < 2; side++) {
        const double amount = side ? -e : e;
        memcpy(moved, x, (size_t)(s->nq + s->nv) * sizeof *x);
        memcpy(v, u, (size_t)s->nu * sizeof *u);
        if (column < s->nx) trxi_state_move(s->model, x, column, amount, dq, moved);
        else v[column - s->nx] += amount;
        if (!force_at(s, moved, v, branches, force[side])) return false;
    }
    for (int i = 0; i < 3; i++) D[i] = (force[0][i] - force[1][i]) / (2 * e);
    return true;
}

// the same by a parameter
static bool central_parameter(const scene *s, const double *x, const double *u, trx_parameter p, double e,
                              unsigned long long branches, double D[3])
{
    double force[2][3], value;
    bool same = true;
    ck_assert_int_eq(trx_sim_parameter(s->sim, p, &value), TRX_OK);
    for (int side = 0; side < 2 && same; side++) {
        same = trx_sim_set_parameter(s->sim, p, side ? value - e : value + e) == TRX_OK;
        same = same && force_at(s, x, u, branches, force[side]);
    }
    ck_assert_int_eq(trx_sim_set_parameter(s->sim, p, value), TRX_OK);
    for (int i = 0; i < 3 && same; i++) D[i] = (force[0][i] - force[1][i]) / (2 * e);
    return same;
}

typedef struct tally {
    int columns, left, modes[3];
    int parameters, kinds;
    double worst, worst_parameter;
} tally;

// the best of several increments: the one whose halving changes least
static bool reference(const scene *s, const double *x, const double *u, int column, unsigned long long branches, double size,
                      double F[3])
{
    double best = INFINITY;
    for (double e = 1e-5; e > 1e-9; e /= 4) {
        double wide[3], narrow[3], change = 1e-14 / e; // rounding of forces of a few newtons
        if (!central(s, x, u, column, e, branches, wide) || !central(s, x, u, column, e / 2, branches, narrow)) continue;
        for (int i = 0; i < 3; i++) change = fmax(change, fabs(wide[i] - narrow[i]));
        if (!(change < best)) continue;
        best = change;
        for (int i = 0; i < 3; i++) F[i] = (4 * narrow[i] - wide[i]) / 3;
    }
    return best <= 2e-7 * size;
}

static void judge(const scene *s, const double *x, const double *u, tally *t)
{
    double A[MAX_X * MAX_X], B[MAX_X * MAX_U], J[3 * (MAX_X + MAX_U)] = {0};
    ck_assert_int_ge(trx_step(s->sim, x, u, NULL), 0);
    const unsigned long long branches = trx_sim_step_info(s->sim).branches;
    ck_assert_int_eq(trx_step_jac(s->sim, A, B), TRX_OK);
    ck_assert_int_eq(trxi_step_contact_force_jac(s->sim, second, A, B, J, J + 3 * s->nx), TRX_OK);
    const double most = max_magnitude(J, 3 * s->nx);
    const trx_contact *contact;
    if (most == 0) return; // the contact is open
    if (trx_sim_contacts(s->sim, &contact) > 0) t->modes[contact->mode]++;
    for (int j = 0; j < s->nx + s->nu; j++) {
        const double *D = J + 3 * j, least = 1e-3 * (j < s->nx ? most : max_magnitude(J + 3 * s->nx, 3 * s->nu));
        const double size = fmax(max_magnitude(D, 3), least);
        double F[3] = {0};
        if (size == 0 || !reference(s, x, u, j, branches, size, F)) {
            t->left++;
            continue;
        }
        t->columns++;
        for (int i = 0; i < 3; i++) t->worst = fmax(t->worst, fabs(D[i] - F[i]) / size);
    }
}

// the parameter's derivative, per unit of its own size, against the best of several increments
static void judge_parameter(const scene *s, const double *x, const double *u, trx_parameter p, unsigned long long branches,
                            double force, tally *t)
{
    double C[MAX_X], D[3] = {0}, F[3] = {0}, value, best = INFINITY;
    ck_assert_int_ge(trx_step(s->sim, x, u, NULL), 0);
    ck_assert_int_eq(trx_sim_parameter(s->sim, p, &value), TRX_OK);
    ck_assert_int_eq(trx_step_jac_parameters(s->sim, &p, 1, C), TRX_OK);
    trxi_step_contact_force_parameters(s->sim, second, &p, 1, C, D);
    const double size = value != 0 ? fabs(value) : 1, effect = size * max_magnitude(D, 3);
    if (effect < 1e-3 * force) return; // lost in the rounding of the differences
    for (double e = 1e-3 * size; e > 1e-6 * size; e /= 4) {
        double wide[3], narrow[3], change = 0;
        if (!central_parameter(s, x, u, p, e, branches, wide) || !central_parameter(s, x, u, p, e / 2, branches, narrow)) continue;
        for (int i = 0; i < 3; i++) change = fmax(change, fabs(wide[i] - narrow[i]) * size);
        if (!(change < best)) continue;
        best = change;
        for (int i = 0; i < 3; i++) F[i] = (4 * narrow[i] - wide[i]) / 3;
    }
    if (!(best <= 1e-5 * effect)) return;
    t->parameters++;
    t->kinds |= 1 << (int)p.kind;
    for (int i = 0; i < 3; i++) t->worst_parameter = fmax(t->worst_parameter, fabs(D[i] - F[i]) * size / effect);
}

static bool moves_geometry(trx_parameter_kind kind)
{
    return kind >= TRX_GEOM_SIZE;
}

static void judge_parameters(const scene *s, const double *x, const double *u, tally *t)
{
    trx_parameter list[128];
    const int count = trx_model_parameters(s->model, list, 128);
    double force[3];
    ck_assert_int_ge(trx_step(s->sim, x, u, NULL), 0);
    trxi_step_contact_force(s->sim, second, force);
    const unsigned long long branches = trx_sim_step_info(s->sim).branches;
    for (int k = 0; k < count && max_magnitude(force, 3) > 0; k++)
        if (!moves_geometry(list[k].kind)) judge_parameter(s, x, u, list[k], branches, max_magnitude(force, 3), t);
}

START_TEST(derivatives_by_parameters_agree_with_differences)
{
    for (int a = TRX_LAGGED; a <= TRX_SAP; a++) {
        tally t = {0};
        for (int kind = SCENE_FREE; kind < SCENE_KINDS; kind++) {
            for (int index = 0; index < 6 / FEWER; index++) {
                scene s = scene_pair((scene_kind)kind, TRX_SHAPE_SPHERE, TRX_SHAPE_CAPSULE);
                trx_sim_settings settings = trx_sim_get_settings(s.sim);
                settings.tolerance = 1e-12;
                ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
                double x[MAX_X], u[MAX_U];
                const scene_aim aim = index % 3 == 0 ? SCENE_STICK : SCENE_SLIP;
                scene_law(&s, (trx_approximation)a, aim, 7, index);
                scene_state(&s, aim, 7, index, x, u);
                judge_parameters(&s, x, u, &t);
                scene_destroy(&s);
            }
        }
        printf("%s: %d parameters, kinds %x, worst %.1e\n", trx_approximation_name((trx_approximation)a), t.parameters, t.kinds,
               t.worst_parameter);
        ck_assert_int_gt(t.parameters, 100 / FEWER);
        ck_assert(t.kinds & 1 << TRX_PAIR_STIFFNESS && t.kinds & 1 << TRX_PAIR_FRICTION && t.kinds & 1 << TRX_BODY_MASS &&
                  t.kinds & 1 << TRX_BODY_COM && t.kinds & 1 << TRX_JOINT_DAMPING);
        assert_below(t.worst_parameter, 1e-6);
        ck_assert(t.worst_parameter > 0);
    }
}
END_TEST

START_TEST(derivatives_agree_with_differences)
{
    for (int a = TRX_LAGGED; a <= TRX_SAP; a++) {
        tally t = {0};
        for (int kind = SCENE_FREE; kind < SCENE_KINDS; kind++) {
            scene s = scene_pair((scene_kind)kind, TRX_SHAPE_SPHERE, TRX_SHAPE_CAPSULE);
            trx_sim_settings settings = trx_sim_get_settings(s.sim);
            settings.tolerance = 1e-12;
            ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
            for (int index = 0; index < 30 / FEWER; index++) {
                double x[MAX_X], u[MAX_U];
                const scene_aim aim = index % 3 == 0 ? SCENE_STICK : SCENE_SLIP;
                scene_law(&s, (trx_approximation)a, aim, 7, index);
                scene_state(&s, aim, 7, index, x, u);
                judge(&s, x, u, &t);
            }
            scene_destroy(&s);
        }
        printf("%s: %d columns, %d left, %d stick, %d slip, worst %.1e\n", trx_approximation_name((trx_approximation)a),
               t.columns, t.left, t.modes[TRX_CONTACT_STICK], t.modes[TRX_CONTACT_SLIP], t.worst);
        ck_assert_int_gt(t.columns, 2 * t.left);
        ck_assert(SANITIZED || t.modes[TRX_CONTACT_STICK] >= 3); // with few states, none may stick
        ck_assert_int_ge(t.modes[TRX_CONTACT_SLIP], 10 / FEWER);
        assert_below(t.worst, 1e-5);
    }
}
END_TEST

START_TEST(derivatives_of_every_law_agree_with_differences)
{
    for (int law = 0; law < LAW_VARIANTS; law++) {
        tally t = {0};
        scene s = scene_pair(SCENE_ARM, TRX_SHAPE_HALFSPACE, TRX_SHAPE_SPHERE);
        law_gentle own;
        for (int index = 0; index < 6 / FEWER; index++) {
            double x[MAX_X], u[MAX_U];
            const scene_aim aim = index % 2 ? SCENE_STICK : SCENE_SLIP;
            law_draw(&s, (law_variant)law, TRX_LAGGED, 3, index, &own);
            trx_sim_settings settings = trx_sim_get_settings(s.sim);
            settings.tolerance = 1e-12;
            ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
            law_state(&s, (law_variant)law, aim, 3, index, x, u);
            judge(&s, x, u, &t);
        }
        printf("%s: %d columns, %d left, worst %.1e\n", law_name((law_variant)law), t.columns, t.left, t.worst);
        ck_assert_int_gt(t.columns, 30 / FEWER);
        assert_below(t.worst, 1e-5);
        scene_destroy(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/contact_force");
    TCase *cases = tcase_create("contact_force");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, a_resting_box_presses_with_its_weight);
    tcase_add_test(cases, derivatives_agree_with_differences);
    tcase_add_test(cases, derivatives_by_parameters_agree_with_differences);
    tcase_add_test(cases, derivatives_of_every_law_agree_with_differences);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
