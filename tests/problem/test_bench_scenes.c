// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The scenes of problems/bench/, which scripts/bench_peers compares with other simulators: each loads, comes to the contacts and
// the rest that its file promises, and its derivatives agree with differences. MuJoCo finds the same contacts in the same file.

#include "loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/sim.h>

typedef struct scene {
    const char *name, *controls; // controls: a table beside it, NULL for none
    int steps;
    int least, most; // contacts that press then
    double speed;    // of the fastest coordinate then, 0: not at rest [m/s or rad/s]
    int checked;     // states at which gradients are judged
} scene;

static const scene SCENES[] = {
    {"a_push", "a_push", 200, 5, 5, 1e-3, 2},
    {"a_push_planar", "a_push_planar", 200, 5, 5, 1e-3, 2},
    {"b_gen3_ball", "b_gen3_ball_held", 50, 1, 1, 1e-3, 3},
    {"b_gen3_ball", "b_gen3_ball", 10, 2, 2, 0, 0},
    {"b_gen3_ball_wrap", "b_gen3_ball_wrap", 20, 4, 6, 0, 3},
    {"c_hand_cube", "c_hand_cube", 200, 4, 6, 1e-2, 3},
    {"d_quad", "d_quad", 200, 4, 4, 2e-2, 3},
    {"e_clutter8", NULL, 2000, 19, 21, 0, 1},
    {"e_clutter40", NULL, 100, 0, 100, 0, 0},
    {"e_clutter80", NULL, 200, 220, 228, 2e-2, 0},
    {"e_clutter160", NULL, 20, 0, 400, 0, 0},
    {"f_stack20_sphere", NULL, 1000, 20, 20, 2e-2, 0},
    {"f_stack20_mixed", NULL, 1000, 23, 23, 2e-2, 0},
    {"f_stack20_box", NULL, 600, 155, 157, 2e-2, 0},
    {"g_iiwa", NULL, 100, 0, 0, 0, 3},
    {"g_iiwa_plate", NULL, 0, 1, 1, 0, 3},
    {"g_ball_box", NULL, 100, 1, 1, 0, 3},
};
enum { SCENE_COUNT = sizeof SCENES / sizeof *SCENES };

static int pressing(trx_sim *sim)
{
    const trx_contact *contacts;
    int count = trx_sim_contacts(sim, &contacts), pressed = 0;
    for (int i = 0; i < count; i++) pressed += contacts[i].f_n > 0;
    return pressed;
}

// steps + 1 steps under the first row of the controls; contacts and speed are those of the last
static void simulate(const fixture *f, const scene *s, int *contacts, double *speed)
{
    const trx_model *model = trx_problem_model(f->problem);
    trx_model_size size = trx_model_get_size(model);
    trx_sim_settings settings = trx_problem_sim_settings(f->problem);
    trx_sim *sim = NULL;
    ck_assert_int_eq(trx_sim_create(f->context, model, &settings, &sim), TRX_OK);
    size_t nx = (size_t)(size.nq + size.nv), nu = (size_t)size.nu * (size_t)trx_problem_steps(f->problem);
    double *x = calloc(nx, sizeof *x), *u = calloc(nu + 1, sizeof *u);
    ck_assert(x && u);
    if (s->controls) {
        char path[200];
        snprintf(path, sizeof path, "problems/bench/%s.csv", s->controls);
        ck_assert_msg(trx_problem_read_controls(f->problem, path, u) == TRX_OK, "%s", trx_context_message(f->context));
    }
    memcpy(x, trx_problem_start(f->problem), nx * sizeof *x);
    for (int k = 0; k <= s->steps; k++)
        ck_assert_msg(trx_step(sim, x, u, x) >= 0, "%s, step %d: %s", s->name, k, trx_context_message(f->context));
    *contacts = pressing(sim);
    *speed = max_magnitude(x + size.nq, size.nv);
    ck_assert_msg(*speed < 100, "%s: %g m/s or rad/s after %d steps", s->name, *speed, s->steps);
    free(x);
    free(u);
    trx_sim_destroy(sim);
}

static void load_scene(fixture *f, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "problems/bench/%s.yaml", name);
    load_file(f, path);
}

START_TEST(a_scene_comes_to_the_contacts_and_the_rest_that_it_promises)
{
    const scene *s = &SCENES[_i];
    fixture f = fixture_open();
    load_scene(&f, s->name);
    int contacts;
    double speed;
    simulate(&f, s, &contacts, &speed);
    ck_assert_msg(contacts >= s->least && contacts <= s->most, "%s: %d contacts, expected %d to %d", s->name, contacts, s->least,
                  s->most);
    if (s->speed > 0) ck_assert_msg(speed < s->speed, "%s still moves at %g", s->name, speed);
    fixture_close(&f);
}
END_TEST

START_TEST(its_gradients_agree_with_differences)
{
    const scene *s = &SCENES[_i];
    if (s->checked == 0) return;
    fixture f = fixture_open();
    load_scene(&f, s->name);
    trx_gradient_check check;
    ck_assert_int_ge(trx_problem_check_gradients(f.problem, s->checked, &check), TRX_OK);
    ck_assert_msg(check.ok, "%s: A off by %g at %s, B by %g at %s", s->name, check.a_error, check.a_at, check.b_error, check.b_at);
    ck_assert_int_ge(check.states + check.kinks, 1);
    fixture_close(&f);
}
END_TEST

START_TEST(every_file_of_the_folder_is_among_them)
{
    char paths[64][256];
    int count = list_files("problems/bench", ".yaml", paths, 64);
    ck_assert_int_ge(count, 16);
    for (int i = 0; i < count; i++) {
        bool found = false;
        for (int k = 0; k < SCENE_COUNT; k++) {
            char name[100];
            snprintf(name, sizeof name, "/%s.yaml", SCENES[k].name);
            found = found || strstr(paths[i], name);
        }
        ck_assert_msg(found, "%s is not tested", paths[i]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/bench_scenes");
    TCase *cases = tcase_create("bench_scenes");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, a_scene_comes_to_the_contacts_and_the_rest_that_it_promises, 0, SCENE_COUNT);
    tcase_add_loop_test(cases, its_gradients_agree_with_differences, 0, SCENE_COUNT);
    tcase_add_test(cases, every_file_of_the_folder_is_among_them);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
