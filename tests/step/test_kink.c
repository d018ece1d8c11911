// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Kinks of the step map: the distance vanishes where a branch switches, and only there; the hash of the branches
// changes exactly across.

#include "step/sim.h"
#include "step/scenes.h"
#include "support/support.h"

#include "base/random.h"

#include <string.h>

enum { MAX_X = 48, MAX_NV = 18, MAX_NU = 4, SAMPLES = 60 };

// a line through configuration and velocity space
typedef struct line {
    double x[MAX_X], u[MAX_NU], dq[MAX_NV], dv[MAX_NV];
} line;

static trx_step_info step_on(const scene *s, const line *l, double t)
{
    double x[MAX_X], dq[MAX_NV];
    for (int i = 0; i < s->nv; i++) dq[i] = t * l->dq[i];
    trx_model_integrate(s->model, l->x, dq, x);
    for (int i = 0; i < s->nv; i++) x[s->nq + i] = l->x[s->nq + i] + t * l->dv[i];
    trx_status status = trx_step(s->sim, x, l->u, NULL);
    ck_assert_msg(status >= 0, "%s", trx_context_message(s->context));
    return trx_sim_step_info(s->sim);
}

static line draw_line(const scene *s, int index)
{
    line l;
    scene_state(s, (scene_aim)(index % SCENE_AIMS), 31, index, l.x, l.u);
    for (int i = 0; i < s->nv; i++) {
        l.dq[i] = 2e-3 * trxi_random_normal(32, (uint64_t)(100 * index + i));
        l.dv[i] = 0.2 * trxi_random_normal(33, (uint64_t)(100 * index + i));
    }
    return l;
}

// the step where the hash turns between a and b, to the last digits
static double bisect(const scene *s, const line *l, double a, double b)
{
    unsigned long long left = step_on(s, l, a).branches;
    for (int k = 0; k < 60 && b - a > 1e-15; k++) {
        double middle = 0.5 * (a + b);
        if (step_on(s, l, middle).branches == left)
            a = middle;
        else
            b = middle;
    }
    return a;
}

// along random lines: at every change of the hash the distance is nil, as seen from both sides
START_TEST(the_distance_vanishes_where_the_hash_changes)
{
    static const trx_shape_type pairs[][2] = {{TRX_SHAPE_BOX, TRX_SHAPE_SPHERE},
                                              {TRX_SHAPE_CAPSULE, TRX_SHAPE_CAPSULE},
                                              {TRX_SHAPE_HALFSPACE, TRX_SHAPE_SPHERE}};
    int switches[TRX_SAP + 1] = {0};
    for (int p = 0; p < 3; p++) {
        scene s = scene_pair(SCENE_ARM, pairs[p][0], pairs[p][1]);
        for (int i = 0; i < 50; i++) {
            trx_approximation approximation = (trx_approximation)(i % (TRX_SAP + 1));
            scene_law(&s, approximation, (scene_aim)(i % SCENE_AIMS), 30, i);
            line l = draw_line(&s, i);
            trx_step_info last = step_on(&s, &l, -1);
            for (int k = 1; k <= SAMPLES; k++) {
                double t = -1 + 2.0 * k / SAMPLES;
                trx_step_info info = step_on(&s, &l, t);
                if (info.branches != last.branches) {
                    double at = bisect(&s, &l, t - 2.0 / SAMPLES, t);
                    assert_below(step_on(&s, &l, at).kink, 1e-9);
                    switches[approximation]++;
                }
                last = info;
            }
        }
        scene_destroy(&s);
    }
    for (int a = 0; a <= TRX_SAP; a++) ck_assert_int_ge(switches[a], 10);
}
END_TEST

// a sphere above the floor, whose end gap is known
START_TEST(the_distance_is_the_gap_left_at_the_end_of_the_step)
{
    floor_def def = floor_def_default();
    def.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.05};
    def.weightless = true;
    scene s = scene_floor(&def);
    double x[16];
    for (double left = -3e-4; left < 3e-4; left += 1e-4) {
        floor_state(&s, &def, 0.05 + 1e-3 + left + 3e-5, 0, x);
        x[s.nq + 2] = -0.1;
        ck_assert_int_ge(trx_step(s.sim, x, NULL, NULL), 0);
        trx_step_info info = trx_sim_step_info(s.sim);
        const trx_contact *contacts;
        ck_assert_int_eq(trx_sim_contacts(s.sim, &contacts), 1);
        double end = contacts[0].distance + 0.01 * contacts[0].v_n;
        assert_close(info.kink, fmin(fabs(end), fabs(contacts[0].distance)), 1e-12);
        ck_assert((info.branches != 0) == (left + 3e-5 < 0));
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(a_pair_that_merely_comes_near_is_no_branch)
{
    floor_def def = floor_def_default();
    def.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.05};
    def.weightless = true;
    scene s = scene_floor(&def);
    double x[16];
    for (int seen = 0; seen < 2; seen++) {
        floor_state(&s, &def, 0.05 + (seen ? 1.5e-3 : 1), 0, x);
        x[s.nq + 2] = -0.1;
        ck_assert_int_ge(trx_step(s.sim, x, NULL, NULL), 0);
        ck_assert_int_eq(trx_sim_step_info(s.sim).contacts, seen);
        ck_assert(trx_sim_step_info(s.sim).branches == 0);
    }
    ck_assert(isfinite(trx_sim_step_info(s.sim).kink));
    scene_destroy(&s);
}
END_TEST

START_TEST(a_limit_about_to_act_is_near)
{
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    double x[MAX_X], u[MAX_NU];
    trx_joint_info slide = trx_model_joint(s.model, trx_model_find_joint(s.model, "s"));
    scene_state(&s, SCENE_OPEN, 3, 4, x, u);
    unsigned long long outside = 0, inside = 0;
    double nearest = INFINITY;
    for (int k = -200; k <= 200; k++) {
        x[slide.q_index] = 0.2 + 1e-4 * k;
        ck_assert_int_ge(trx_step(s.sim, x, u, NULL), 0);
        nearest = fmin(nearest, trxi_step_kink_distance(&s.sim->in, &s.sim->smooth, &s.sim->rows));
        if (k == -200) outside = trxi_step_branches(&s.sim->in, &s.sim->smooth, &s.sim->rows);
        if (k == 200) inside = trxi_step_branches(&s.sim->in, &s.sim->smooth, &s.sim->rows);
    }
    ck_assert(outside != inside);
    assert_below(nearest, 2e-4);
    scene_destroy(&s);
}
END_TEST

// a rigid contact closes a gap and a penetration within different times, so the gap 0 is a kink
START_TEST(a_rigid_contact_has_a_kink_where_a_penetration_begins)
{
    static const trx_contact_model rigid[] = {TRX_CONTACT_CCP, TRX_CONTACT_NCP, TRX_CONTACT_DOJO};
    for (int m = 0; m < 3; m++) {
        floor_def def = floor_def_default();
        def.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.05};
        scene s = scene_floor(&def);
        trx_sim_settings settings = trx_sim_get_settings(s.sim);
        settings.contact_model = rigid[m], settings.contact_solver = TRX_SOLVER_USUAL;
        ck_assert_int_ge(trx_sim_set_settings(s.sim, &settings), 0);
        double x[16];
        for (int k = -2; k <= 2; k++) {
            const double gap = 1e-4 * k;
            floor_state(&s, &def, 0.05 + gap, 0, x);
            x[s.nq + 2] = -0.1;
            ck_assert_int_ge(trx_step(s.sim, x, NULL, NULL), 0);
            assert_below(trx_sim_step_info(s.sim).kink, fabs(gap) + 1e-12);
        }
        scene_destroy(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/kink");
    TCase *cases = tcase_create("kink");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, the_distance_vanishes_where_the_hash_changes);
    tcase_add_test(cases, the_distance_is_the_gap_left_at_the_end_of_the_step);
    tcase_add_test(cases, a_pair_that_merely_comes_near_is_no_branch);
    tcase_add_test(cases, a_limit_about_to_act_is_near);
    tcase_add_test(cases, a_rigid_contact_has_a_kink_where_a_penetration_begins);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
