// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the step with respect to contact and joint parameters against central differences of the whole step,
// for every approximation, on free bodies and in trees with active joint limits.

#include "step/kink.h"
#include "step/scenes.h"
#include "support/support.h"

#include <string.h>

enum { MAX_X = 64, STATES = 24, SOLVES = 4 };

static const trx_parameter_kind pair_kinds[] = {TRX_PAIR_STIFFNESS, TRX_PAIR_DISSIPATION, TRX_PAIR_RELAXATION_TIME,
                                                TRX_PAIR_FRICTION, TRX_STICTION_TOLERANCE};
static const trx_parameter_kind joint_kinds[] = {TRX_JOINT_DAMPING, TRX_JOINT_STIFFNESS, TRX_JOINT_ARMATURE};

// the gear is part of the factors
static void shift_gear(trx_model *model, trxi_actuator *a, double amount)
{
    for (int i = a->first; i < a->first + a->nfactor; i++) model->factors[i] *= (a->gear + amount) / a->gear;
    a->gear += amount;
}

// adds `amount` to the parameter; models are constant for everybody but this test
static void shift(const scene *s, const trx_parameter *p, double amount)
{
    trx_model *model = s->model;
    const trxi_joint *joint = &model->joints[p->index];
    trx_pair_law law = trx_sim_pair_law(s->sim, 0);
    trx_sim_settings settings = trx_sim_get_settings(s->sim);
    switch (p->kind) {
    case TRX_PAIR_STIFFNESS: law.stiffness += amount; break;
    case TRX_PAIR_DISSIPATION: law.dissipation += amount; break;
    case TRX_PAIR_RELAXATION_TIME: law.relaxation_time += amount; break;
    case TRX_PAIR_FRICTION: law.friction += amount; break;
    case TRX_STICTION_TOLERANCE: settings.stiction_tolerance += amount; break;
    case TRX_ACTUATOR_GEAR: shift_gear(model, &model->actuators[p->index], amount); break;
    default:
        for (int i = joint->v; i < joint->v + joint->nv; i++)
            (p->kind == TRX_JOINT_DAMPING     ? model->damping
             : p->kind == TRX_JOINT_STIFFNESS ? model->stiffness
                                              : model->armature)[i] += amount;
    }
    ck_assert_int_eq(trx_sim_set_pair_law(s->sim, 0, &law), TRX_OK);
    ck_assert_int_eq(trx_sim_set_settings(s->sim, &settings), TRX_OK);
}

// how large a parameter is: its value, or for a joint what matters beside the smallest inertia of its dofs
static double value_of(const scene *s, const trx_parameter *p)
{
    const trxi_joint *joint = &s->model->joints[p->index];
    const double dt = trx_sim_get_settings(s->sim).time_step;
    double inertia = INFINITY;
    for (int i = joint->v; i < joint->v + joint->nv; i++) inertia = fmin(inertia, s->sim->M[s->model->column[i] + i]);
    trx_pair_law law = trx_sim_pair_law(s->sim, 0);
    switch (p->kind) {
    case TRX_PAIR_STIFFNESS: return law.stiffness;
    case TRX_PAIR_DISSIPATION: return law.dissipation;
    case TRX_PAIR_RELAXATION_TIME: return law.relaxation_time;
    case TRX_PAIR_FRICTION: return law.friction;
    case TRX_STICTION_TOLERANCE: return trx_sim_get_settings(s->sim).stiction_tolerance;
    case TRX_JOINT_DAMPING: return inertia / dt;
    case TRX_JOINT_STIFFNESS: return inertia / (dt * dt);
    case TRX_JOINT_ARMATURE: return inertia;
    default: return 1;
    }
}

// (4 D(e/2) - D(e))/3 of central differences; false when an end took other branches
static bool differences(const scene *s, const trx_parameter *p, const double *x, const double *u, double *F)
{
    trx_sim_settings settings = trx_sim_get_settings(s->sim);
    settings.tolerance = 0;
    ck_assert_int_eq(trx_sim_set_settings(s->sim, &settings), TRX_OK);
    // what a joint parameter changes can be a thousand times the stiction tolerance
    bool joint = p->kind >= TRX_JOINT_DAMPING && p->kind <= TRX_JOINT_ARMATURE;
    double e = (joint ? 3e-6 : 1e-3) * value_of(s, p), ends[SOLVES][MAX_X];
    const double amounts[SOLVES] = {e, -e, e / 2, -e / 2};
    bool smooth = trx_step(s->sim, x, u, NULL) >= 0;
    unsigned long long branches = trxi_step_branches(s->sim);
    for (int k = 0; k < SOLVES && smooth; k++) {
        shift(s, p, amounts[k]);
        smooth = trx_step(s->sim, x, u, ends[k]) >= 0 && trxi_step_branches(s->sim) == branches;
        shift(s, p, -amounts[k]);
    }
    double wide[MAX_X], narrow[MAX_X];
    for (int pair = 0; pair < 2 && smooth; pair++) {
        double *out = pair ? narrow : wide;
        trx_model_difference(s->model, ends[2 * pair], ends[2 * pair + 1], out);
        for (int i = 0; i < s->nv; i++) out[s->nv + i] = ends[2 * pair][s->nq + i] - ends[2 * pair + 1][s->nq + i];
        for (int i = 0; i < s->nx; i++) out[i] /= 2 * amounts[2 * pair];
    }
    for (int i = 0; i < s->nx && smooth; i++) F[i] = (4 * narrow[i] - wide[i]) / 3;
    return smooth;
}

typedef struct tally {
    int judged, nonzero;
    double worst; // error relative to the column, as an effect of the parameter's own size
} tally;

static void judge(const scene *s, const trx_parameter *p, const double *x, const double *u, tally *t)
{
    double F[MAX_X], C[MAX_X];
    ck_assert_int_ge(trx_step(s->sim, x, u, NULL), 0);
    if (!(value_of(s, p) > 0)) return; // relaxation time of a law that has none
    if (!differences(s, p, x, u, F)) return;
    ck_assert_int_ge(trx_step(s->sim, x, u, NULL), 0);
    ck_assert_int_eq(trx_step_jac_parameters(s->sim, p, 1, C), TRX_OK);

    // effects below 1e-3 m/s are lost in the rounding of the differences
    double size = value_of(s, p), effect = size * max_magnitude(F, s->nx);
    double error = size * max_difference(C, F, s->nx) / fmax(effect, 1e-3);
    t->judged++;
    t->nonzero += effect > 1e-3;
    if (error > t->worst) t->worst = error;
    ck_assert_msg(error < 1e-6, "parameter %d of %d, approximation %d: error %g", (int)p->kind, p->index,
                  (int)trx_sim_pair_law(s->sim, 0).approximation, error);
}

START_TEST(contact_parameters_agree_with_differences)
{
    static const trx_shape_type shapes[][2] = {{TRX_SHAPE_HALFSPACE, TRX_SHAPE_SPHERE}, {TRX_SHAPE_BOX, TRX_SHAPE_SPHERE}};
    tally t[5] = {0};
    for (int approximation = 0; approximation <= TRX_SAP; approximation++)
        for (int kind = 0; kind < SCENE_KINDS; kind++)
            for (int k = 0; k < STATES; k++) {
                scene s = scene_pair((scene_kind)kind, shapes[k % 2][0], shapes[k % 2][1]);
                scene_aim aim = k % 4 == 0 ? SCENE_STICK : SCENE_SLIP;
                double x[MAX_X], u[MAX_X];
                scene_law(&s, (trx_approximation)approximation, aim, 11, k);
                scene_state(&s, aim, 11, k, x, u);
                for (int i = 0; i < 5; i++) judge(&s, &(trx_parameter){pair_kinds[i], 0}, x, u, &t[i]);
                scene_destroy(&s);
            }
    for (int i = 0; i < 5; i++) {
        ck_assert_int_ge(t[i].judged, 200);
        ck_assert_int_ge(t[i].nonzero, 10);
    }
}
END_TEST

START_TEST(joint_parameters_agree_with_differences)
{
    tally t[3] = {0};
    for (int approximation = 0; approximation <= TRX_SAP; approximation++)
        for (int k = 0; k < STATES; k++) {
            scene s = scene_pair(SCENE_ARM, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
            double x[MAX_X], u[MAX_X];
            scene_law(&s, (trx_approximation)approximation, SCENE_SLIP, 12, k);
            scene_state(&s, SCENE_SLIP, 12, k, x, u);
            int njoint = trx_model_get_size(s.model).njoint;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < njoint; j++) judge(&s, &(trx_parameter){joint_kinds[i], j}, x, u, &t[i]);
            for (int a = 0; a < s.nu; a++) judge(&s, &(trx_parameter){TRX_ACTUATOR_GEAR, a}, x, u, &t[0]);
            scene_destroy(&s);
        }
    for (int i = 0; i < 3; i++) ck_assert_int_ge(t[i].nonzero, 100);
}
END_TEST

START_TEST(a_parameter_that_does_not_exist_is_refused)
{
    scene s = scene_push(TRX_LAGGED, TRX_HUNT_CROSSLEY, 0, 1e4, 1e-4);
    double x[MAX_X], C[MAX_X];
    push_state(&s, 1e-4, -1e-4, x);
    trx_parameter p = {TRX_PAIR_FRICTION, 0};
    ck_assert_int_eq(trx_step_jac_parameters(s.sim, &p, 1, C), TRX_ERR_NO_STEP);
    ck_assert_int_eq(trx_step(s.sim, x, NULL, NULL), TRX_OK);
    ck_assert_int_eq(trx_step_jac_parameters(s.sim, &p, 1, C), TRX_OK);
    const trx_parameter wrong[] = {{TRX_PAIR_FRICTION, 7}, {TRX_JOINT_DAMPING, -1}, {TRX_ACTUATOR_GEAR, 3}, {(trx_parameter_kind)99, 0}};
    for (int i = 0; i < 4; i++) ck_assert_int_eq(trx_step_jac_parameters(s.sim, &wrong[i], 1, C), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_step_jac_parameters(s.sim, NULL, 1, C), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_step_jac_parameters(NULL, &p, 1, C), TRX_ERR_ARGUMENT);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/step_parameters");
    TCase *cases = tcase_create("step_parameters");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, contact_parameters_agree_with_differences);
    tcase_add_test(cases, joint_parameters_agree_with_differences);
    tcase_add_test(cases, a_parameter_that_does_not_exist_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
