// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The clutter of 40 objects (docs/validation.md; Castro, Han, Masterjohn, section XII-A; Castro, Permenter, Han,
// section VI-C): 3 s in steps of 2 ms at every stiffness from 1e5 to 1e12 N/m, iterations, penetration and slip at
// rest.

#include "paper/run.h"
#include "support/support.h"

#include <stdio.h>

#define FALL (SANITIZED ? 0.1 : 3) // [s]; sanitizers see the beginning, in which nothing comes to rest

static const double G = 9.81, MASS = 20 * 1000 * (0.001 + 3.141592653589793 / 6 * 0.001);

// results of a fall of 3 s that the tests compare
typedef struct fall {
    double iterations;  // mean of a step
    double residual;    // largest relative residual of a step above its round-off floor
    double penetration; // mean at rest [m]
    double lowest, highest, farthest; // places of centres at the end [m]
    double speed;       // mean of all velocities at the end
} fall;

static double mean_penetration(paper_run *run)
{
    const trx_contact *contacts;
    int count = trx_sim_contacts(run->sim, &contacts), touching = 0;
    double sum = 0;
    for (int i = 0; i < count; i++) {
        if (!(contacts[i].f_n > 0)) continue;
        sum += fmax(0, -contacts[i].distance);
        touching++;
    }
    return touching ? sum / touching : 0;
}

static void look_at_end(const paper_run *run, fall *f)
{
    f->lowest = f->highest = run->x[2];
    f->farthest = f->speed = 0;
    for (int i = 0; i < run->size.nq; i += 7) {
        f->lowest = fmin(f->lowest, run->x[i + 2]);
        f->highest = fmax(f->highest, run->x[i + 2]);
        f->farthest = fmax(f->farthest, fmax(fabs(run->x[i]), fabs(run->x[i + 1])));
    }
    for (int i = 0; i < run->size.nv; i++) f->speed += fabs(run->x[run->size.nq + i]) / run->size.nv;
}

// `stiffness` belongs to a pair; a material has twice this stiffness
static fall drop(double stiffness, double seconds)
{
    char text[80];
    snprintf(text, sizeof text, "model.materials.default.stiffness=%g", 2 * stiffness);
    paper_run run = paper_open("clutter_40", text, NULL);
    fall f = {0};
    while (run.step * run.dt < seconds - run.dt / 2) {
        paper_step(&run);
        trx_step_info info = trx_sim_step_info(run.sim);
        if (info.residual > info.floor) f.residual = fmax(f.residual, info.residual / info.scale);
        if (run.step * run.dt > 0.75 * seconds) f.penetration += mean_penetration(&run) / (0.25 * seconds / run.dt);
    }
    f.iterations = (double)run.iterations / run.step;
    look_at_end(&run, &f);
    paper_close(&run);
    return f;
}

START_TEST(every_step_converges_and_steel_costs_as_much_as_rubber)
{
    fall soft = drop(1e5, FALL), steel = drop(1e7, FALL);
    assert_below(soft.residual, 1e-5);
    assert_below(steel.residual, 1e-5);
    if (SANITIZED) return;
    ck_assert_double_gt(soft.iterations, 1);
    assert_close(steel.iterations, soft.iterations, 0.2 * soft.iterations);

    // all 40 lie in the box, none below the floor, none where it started, and hardly anything moves
    ck_assert_double_gt(steel.lowest, 0.0499);
    assert_below(steel.highest, 0.6);
    assert_below(steel.farthest, 0.351);
    assert_below(steel.speed, 0.2);

    // penetration is inverse to the stiffness as long as the load is what it was
    assert_close(soft.penetration / steel.penetration, 100, 50);
}
END_TEST

START_TEST(no_stiffness_up_to_1e12_fails)
{
    const double stiffness[] = {1e8, 1e10, 1e12};
    for (int i = 0; i < 3; i++) {
        fall f = drop(stiffness[i], i < 2 && !SANITIZED ? 1 : FALL);
        assert_below(f.residual, 1e-5);
        ck_assert_double_gt(f.lowest, 0.0499);
    }
}
END_TEST

// Without walls most objects lie on the floor: the floor carries all of them
START_TEST(without_walls_the_floor_carries_everything)
{
    paper_run run = paper_open("clutter_open_40", NULL);
    paper_until(&run, FALL);
    const trx_contact *contacts;
    int count = trx_sim_contacts(run.sim, &contacts);
    double force = 0;
    for (int i = 0; i < count; i++)
        if (trx_model_geom(run.model, contacts[i].geom_a).body == 0 || trx_model_geom(run.model, contacts[i].geom_b).body == 0)
            force += contacts[i].force[2];
    if (!SANITIZED) {
        ck_assert_int_gt(count, 40);
        assert_close(force, MASS * G, 0.02 * MASS * G);
    }
    paper_close(&run);
}
END_TEST

// mean slip over sticking contacts [m/s], sap, after the objects came to rest
static double slip_at_rest(double sigma)
{
    paper_run run = paper_open("slip_parameter", NULL);
    trx_sim_settings settings = trx_sim_get_settings(run.sim);
    settings.friction_regularization = sigma;
    ck_assert_int_eq(trx_sim_set_settings(run.sim, &settings), TRX_OK);
    double slip = 0;
    int sticking = 0;
    const double end = SANITIZED ? 0.5 : run.steps * run.dt; // sanitizers see contacts that stick, and no rest
    while (run.step * run.dt < end - run.dt / 2) {
        paper_step(&run);
        if (run.step * run.dt < end - 0.5) continue;
        const trx_contact *contacts;
        int count = trx_sim_contacts(run.sim, &contacts);
        for (int i = 0; i < count; i++) {
            if (contacts[i].mode != TRX_CONTACT_STICK) continue;
            slip += contacts[i].v_t;
            sticking++;
        }
    }
    paper_close(&run);
    ck_assert_int_gt(sticking, 0);
    return slip / sticking;
}

START_TEST(mean_slip_of_sap_stays_below_mu_sigma_g_dt)
{
    const double sigma[] = {1e-2, 1e-3, 1e-4};
    for (int i = 0; i < 3 - 2 * SANITIZED; i++) {
        const double slip = slip_at_rest(sigma[i]);
        if (!SANITIZED) assert_below(slip, 1.0 * sigma[i] * G * 2e-3);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("paper/clutter");
    TCase *c = tcase_create("clutter");
    tcase_set_timeout(c, 0);
    tcase_add_test(c, every_step_converges_and_steel_costs_as_much_as_rubber);
    tcase_add_test(c, no_stiffness_up_to_1e12_fails);
    tcase_add_test(c, without_walls_the_floor_carries_everything);
    tcase_add_test(c, mean_slip_of_sap_stays_below_mu_sigma_g_dt);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
