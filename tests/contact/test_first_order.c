// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The contact model first_order (theory 4): springs, cones and friction against the slip at random states, a slope with a closed
// form, failures, and derivatives against central differences for soft and for stiff contacts.

#include "step/judge.h"
#include "step/parameter_fd.h"
#include "step/scenes.h"
#include "step/sim.h"
#include "support/support.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { MAX_X = 48, MAX_NU = 16, SCENES = 2 * SCENE_KINDS };

static const double g = 9.81;

static void use(const scene *s, double tolerance)
{
    trx_sim_settings settings = trx_sim_get_settings(s->sim);
    settings.contact_model = TRX_CONTACT_FIRST_ORDER, settings.contact_solver = TRX_SOLVER_USUAL;
    settings.tolerance = tolerance;
    ck_assert_int_eq(trx_sim_set_settings(s->sim, &settings), TRX_OK);
}

static scene make(int kind)
{
    const bool ground = kind >= SCENE_KINDS;
    return scene_pair((scene_kind)(kind % SCENE_KINDS), ground ? TRX_SHAPE_HALFSPACE : TRX_SHAPE_BOX,
                      ground ? TRX_SHAPE_BOX : TRX_SHAPE_SPHERE);
}

// stiff: 1e8 N/m, a compliance of 1e-4 kg^-1 in steps of 10 ms
static void draw(const scene *s, int i, bool stiff, double *x, double *u)
{
    scene_law(s, TRX_SAP, SCENE_SLIP, 5, i);
    trx_pair_law law = trx_sim_pair_law(s->sim, 0);
    if (stiff) law.stiffness = 1e8;
    ck_assert_int_eq(trx_sim_set_pair_law(s->sim, 0, &law), TRX_OK);
    scene_state(s, i % 2 ? SCENE_SLIP : SCENE_STICK, 5, i, x, u);
}

// ---- the conditions ----

static void assert_law(const trx_sim *sim, const trxi_row_block *c, int counts[3])
{
    const double dt = sim->in.settings.time_step, k = c->contact.material->stiffness, tau = c->contact.material->relaxation_time;
    const double *v = c->at.v_c, *f = c->at.gamma, mu = c->contact.mu, slip = hypot(v[0], v[1]), r = hypot(f[0], f[1]);
    const double scale = 1e-7 / c->w;

    // dt max(0, -k phi' - b v_n)
    const double error = f[2] > 0 ? f[2] + dt * (k * (c->phi0 + dt * v[2]) + k * tau * v[2]) : 0;
    assert_below(fabs(error) / (dt * k * (dt + tau)), 1e-7);
    if (!(f[2] > 0)) assert_below(-(c->phi0 + dt * v[2]) - tau * v[2], 1e-10);

    // the cone; below its bound nothing slips, at its bound friction opposes the slip
    assert_below(r - mu * f[2], scale);
    if (r < mu * f[2] - scale) assert_below(slip, 1e-7);
    else assert_below(fabs(f[0] * v[0] + f[1] * v[1] + r * slip), scale * (1e-3 + slip));
    counts[f[2] > 0 ? 1 + (r >= mu * f[2] - scale) : 0]++;
}

START_TEST(impulses_obey_springs_cones_and_slip)
{
    double x[MAX_X], u[MAX_NU];
    int counts[3] = {0};
    for (int kind = 0; kind < SCENES; kind++) {
        scene s = make(kind);
        for (int i = 0; i < SAMPLES(200); i++) {
            draw(&s, i, i % 3 == 0, x, u);
            use(&s, 1e-8);
            ck_assert_msg(trx_step(s.sim, x, u, NULL) >= 0, "%s", trx_context_message(s.context));
            for (int c = 0; c < s.sim->rows.ncontact; c++) assert_law(s.sim, &s.sim->rows.contacts[c], counts);
        }
        scene_destroy(&s);
    }
    printf("%d open, %d stick, %d slide\n", counts[0], counts[1], counts[2]);
    ck_assert(counts[0] > SAMPLES(200) && counts[1] > SAMPLES(200) && counts[2] > SAMPLES(200));
}
END_TEST

// ---- closed forms ----

// a cube that starts at rest on a slope of 15 degrees: g (sin a - mu cos a) t^2/2, as the sum of the steps of the scheme
START_TEST(a_cube_slides_down_a_slope_by_friction_alone)
{
    enum { STEPS = 100 };
    static const double mu[] = {0, 0.125, 0.25, 0.375};
    for (int i = 0; i < 4; i++) {
        floor_def def = floor_def_default();
        def.tilt = 15 * 3.14159265358979323846 / 180, def.law.stiffness = 1e10, def.law.friction = mu[i];
        scene s = scene_floor(&def);
        use(&s, 1e-6);
        double x[16], start[16];
        floor_state(&s, &def, 0.05, 0, start);
        for (int k = 0; k < s.nq + s.nv; k++) x[k] = start[k];
        for (int k = 0; k < STEPS; k++) ck_assert_msg(trx_step(s.sim, x, NULL, x) >= 0, "%s", trx_context_message(s.context));
        const double path = sqrt((x[0] - start[0]) * (x[0] - start[0]) + (x[2] - start[2]) * (x[2] - start[2]));
        const double pull = fmax(0, g * (sin(def.tilt) - mu[i] * cos(def.tilt))), dt = def.time_step;
        printf("mu %.3f: %.6f m\n", mu[i], path);
        assert_close(path, 0.5 * pull * dt * dt * STEPS * (STEPS + 1), 1e-6);
        assert_below(fabs(x[1] - start[1]), 1e-9);
        scene_destroy(&s);
    }
}
END_TEST

START_TEST(too_few_iterations_are_a_status)
{
    double x[16];
    const floor_def def = floor_def_default();
    scene s = scene_floor(&def);
    use(&s, 1e-6);
    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.max_iterations = 1;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    floor_state(&s, &def, 0.05, 1, x);
    ck_assert_int_eq(trx_step(s.sim, x, NULL, x), TRX_ERR_NOT_CONVERGED);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "residual"));
    settings.contact_solver = TRX_SOLVER_PGS;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_ERR_ARGUMENT);
    scene_destroy(&s);
}
END_TEST

// ---- derivatives ----

// stiff contacts divide the rounding of velocities by a small R, and steps differ by up to 5e-9: larger increments
START_TEST(derivatives_are_their_differences)
{
    double x[MAX_X], u[MAX_NU];
    judge_tally t = {0};
    for (int kind = 0; kind < SCENES; kind++) {
        scene s = make(kind);
        for (int i = 0; i < SAMPLES(_i ? 800 : 400); i++) {
            draw(&s, i, _i, x, u);
            use(&s, 1e-8);
            judge_state_from(s.sim, _i ? 1e-3 : 1e-6, x, u, &t);
        }
        scene_destroy(&s);
    }
    printf("%s: %d accepted, %d rejected, %d stick, %d slip, %d limits, worst %.1e\n", _i ? "1e8 N/m" : "1e3 to 1e5 N/m",
           t.accepted, t.rejected, t.modes[TRX_CONTACT_STICK], t.modes[TRX_CONTACT_SLIP], t.limits, t.worst);
    ck_assert_int_ge(t.accepted, SAMPLES(_i ? 1800 : 2000));
    ck_assert_int_ge(t.modes[TRX_CONTACT_STICK], SAMPLES(400));
    ck_assert_int_ge(t.modes[TRX_CONTACT_SLIP], SAMPLES(200));
    assert_below(t.worst, 1e-5);
}
END_TEST

START_TEST(parameters_agree_with_their_differences)
{
    enum { PER_SCENE = SAMPLES(10), MAX_PARAMETERS = 200 };
    double x[MAX_X], u[MAX_NU];
    parameter_tally t = {0};
    for (int kind = 0; kind < SCENES; kind++) {
        scene s = make(kind);
        trx_parameter list[MAX_PARAMETERS];
        const int count = trx_model_parameters(s.model, list, MAX_PARAMETERS);
        ck_assert_int_le(count, MAX_PARAMETERS);
        for (int i = 0; i < PER_SCENE; i++) {
            draw(&s, i, false, x, u);
            use(&s, 1e-8);
            for (int k = 0; k < count; k++) parameter_judge(s.sim, list[k], x, u, 1e-5, &t);
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
    scene s = make(SCENE_ARM);
    for (int i = 0; i < 20; i++) {
        draw(&s, i, i % 2, x, u);
        use(&s, 1e-8);
        ck_assert_msg(trx_step(s.sim, x, u, NULL) >= 0, "%s", trx_context_message(s.context));
        judge_products(s.sim, (uint64_t)i, 1e-6);
    }
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/first_order");
    TCase *cases = tcase_create("first_order");
    tcase_set_timeout(cases, 240);
    tcase_add_test(cases, impulses_obey_springs_cones_and_slip);
    tcase_add_test(cases, a_cube_slides_down_a_slope_by_friction_alone);
    tcase_add_test(cases, too_few_iterations_are_a_status);
    tcase_add_loop_test(cases, derivatives_are_their_differences, 0, 2);
    tcase_add_test(cases, parameters_agree_with_their_differences);
    tcase_add_test(cases, products_agree_with_the_matrices);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
