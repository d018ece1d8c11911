// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of rigid contact models without a potential (theory 6): A and B against central differences, products against
// the matrices, closed forms of a sliding cube by ncp at a compliance of 1e-8.

#include "step/judge.h"
#include "step/parameter_fd.h"
#include "step/scenes.h"
#include "support/support.h"

#include <check.h>
#include <stdio.h>

enum { FEWER = SANITIZED ? 5 : 1, EACH = SAMPLES(400) / FEWER }; ///< sanitizers see one in FEWER of the samples
enum { MAX_X = 48, MAX_NU = 16 };

static const double g = 9.81;

typedef struct variant {
    trx_contact_model model;
    int sides;
} variant;

static void use_solver(const scene *s, variant v, trx_contact_solver solver, double compliance)
{
    trx_sim_settings settings = trx_sim_get_settings(s->sim);
    settings.contact_model = v.model, settings.sides = v.sides, settings.contact_solver = solver;
    settings.compliance = compliance, settings.tolerance = 1e-10, settings.max_sweeps = 100000;
    ck_assert_int_eq(trx_sim_set_settings(s->sim, &settings), TRX_OK);
}

static void use(const scene *s, variant v, double compliance)
{
    use_solver(s, v, TRX_SOLVER_USUAL, compliance);
}

static void draw(const scene *s, int i, double *x, double *u)
{
    scene_law(s, TRX_SAP, SCENE_SLIP, 5, i);
    scene_state(s, i % 2 ? SCENE_SLIP : SCENE_STICK, 5, i, x, u);
}

// models, with the sides of the pyramid of lcp. raisim is the last, without staggered projections. The compliance is 0.3: with a
// smaller compliance most states are too near to a border for differences
static const variant models[] = {{TRX_CONTACT_LCP, 4}, {TRX_CONTACT_LCP, 16}, {TRX_CONTACT_NCP, 4}, {TRX_CONTACT_RAISIM, 4}};
enum { MODELS = sizeof models / sizeof *models };

START_TEST(derivatives_are_their_differences)
{
    const variant model = models[_i % MODELS];
    static const trx_contact_solver solvers[] = {TRX_SOLVER_USUAL, TRX_SOLVER_ADMM, TRX_SOLVER_STAGGERED};
    const trx_contact_solver solver = solvers[_i / MODELS];
    double x[MAX_X], u[MAX_NU];
    judge_tally t = {0};
    for (int kind = 0; kind < 2 * SCENE_KINDS; kind++) {
        const trx_shape_type a = kind < SCENE_KINDS ? TRX_SHAPE_BOX : TRX_SHAPE_HALFSPACE;
        scene s = scene_pair((scene_kind)(kind % SCENE_KINDS), a, kind < SCENE_KINDS ? TRX_SHAPE_SPHERE : TRX_SHAPE_BOX);
        for (int i = 0; i < EACH; i++) {
            draw(&s, i, x, u);
            use_solver(&s, model, solver, 0.3);
            judge_state(s.sim, x, u, &t);
        }
        scene_destroy(&s);
    }
    printf("%d accepted, %d rejected, %d stick, %d slip, worst %.1e\n", t.accepted, t.rejected, t.modes[TRX_CONTACT_STICK],
           t.modes[TRX_CONTACT_SLIP], t.worst);
    ck_assert_int_ge(t.accepted, SAMPLES(2000) / FEWER);
    ck_assert_int_ge(t.modes[TRX_CONTACT_STICK], SAMPLES(400) / FEWER);
    ck_assert_int_ge(t.modes[TRX_CONTACT_SLIP], SAMPLES(800) / FEWER);
    assert_below(t.worst, 1e-5);
}
END_TEST

// friction, and parameters of A and of the geometry, which reach the directions of raisim and the pyramid of lcp
START_TEST(parameters_agree_with_their_differences)
{
    enum { PER_SCENE = SAMPLES(10), MAX_PARAMETERS = 200 };
    double x[MAX_X], u[MAX_NU];
    parameter_tally t = {0};
    for (int kind = 0; kind < 2 * SCENE_KINDS; kind++) {
        const trx_shape_type a = kind < SCENE_KINDS ? TRX_SHAPE_BOX : TRX_SHAPE_HALFSPACE;
        scene s = scene_pair((scene_kind)(kind % SCENE_KINDS), a, kind < SCENE_KINDS ? TRX_SHAPE_SPHERE : TRX_SHAPE_BOX);
        trx_parameter list[MAX_PARAMETERS];
        const int count = trx_model_parameters(s.model, list, MAX_PARAMETERS);
        ck_assert_int_le(count, MAX_PARAMETERS);
        for (int i = 0; i < PER_SCENE; i++) {
            draw(&s, i, x, u);
            use(&s, models[_i], 0.3);
            for (int k = 0; k < count; k++) {
                const bool of_pair = list[k].kind == TRX_PAIR_FRICTION;
                if (of_pair || list[k].kind >= TRX_BODY_MASS) parameter_judge(s.sim, list[k], x, u, 1e-5, &t);
            }
        }
        scene_destroy(&s);
    }
    printf("%d parameters judged, %d of them act, %d at kinks, worst %.1e\n", t.judged, t.nonzero, t.kinks, t.worst);
    ck_assert_int_ge(t.nonzero, 50 * PER_SCENE);
}
END_TEST

START_TEST(products_agree_with_the_matrices)
{
    double x[MAX_X], u[MAX_NU];
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    for (int i = 0; i < SAMPLES(20); i++) {
        draw(&s, i, x, u);
        use(&s, models[_i], 1e-8);
        ck_assert_msg(trx_step(s.sim, x, u, NULL) >= 0, "%s", trx_context_message(s.context));
        judge_products(s.sim, (uint64_t)i, 1e-6);
    }
    scene_destroy(&s);
}
END_TEST

// v_t = v_0 - mu g dt t, v_n = 0, and t turns with the motion
START_TEST(a_sliding_cube_has_its_closed_form)
{
    floor_def def = floor_def_default();
    def.turns = false;
    scene s = scene_floor(&def);
    use(&s, (variant){TRX_CONTACT_NCP, 4}, 1e-8);
    double x[16], A[36], C[6];
    const double brake = 0.5 * g * def.time_step, v[2] = {2, 1}, speed = hypot(2, 1);
    floor_state(&s, &def, 0.05, 0, x);
    x[s.nq] = v[0], x[s.nq + 1] = v[1];
    ck_assert_msg(trx_step(s.sim, x, NULL, x) >= 0, "%s", trx_context_message(s.context));
    ck_assert_msg(trx_step_jac(s.sim, A, NULL) == TRX_OK, "%s", trx_context_message(s.context));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const double curve = brake / speed * ((i == j) - v[i] * v[j] / (speed * speed));
            assert_close(A[3 + i + 6 * (3 + j)], (i == j) - curve, 1e-6);
        }
    assert_close(A[5 + 6 * 5], 0, 1e-6);

    // a faster fall increases the normal impulse, and the normal impulse increases friction
    const double share[2] = {v[0] / speed, v[1] / speed};
    for (int i = 0; i < 2; i++) assert_close(A[3 + i + 6 * 5], 0.5 * share[i], 1e-6);

    const trx_contact *contacts;
    ck_assert_int_eq(trx_sim_contacts(s.sim, &contacts), 4);
    const trx_parameter friction = {.kind = TRX_PAIR_FRICTION, .index = contacts[0].pair};
    ck_assert_int_eq(trx_step_jac_parameters(s.sim, &friction, 1, C), TRX_OK);
    for (int i = 0; i < 2; i++) assert_close(C[3 + i], -g * def.time_step * share[i], 1e-6);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/tangent");
    TCase *cases = tcase_create("derivatives");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, derivatives_are_their_differences, 0, 3 * MODELS - 1);
    tcase_add_loop_test(cases, parameters_agree_with_their_differences, 0, MODELS);
    tcase_add_loop_test(cases, products_agree_with_the_matrices, 0, MODELS);
    tcase_add_test(cases, a_sliding_cube_has_its_closed_form);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
