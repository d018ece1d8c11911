// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contact rows (theory 1, 4): J against the motion of material points, constants of the laws against their
// definitions, and margins that never drop a contact that acts.

#include "base/random.h"
#include "math/constants.h"
#include "math/rotation.h"
#include "step/scenes.h"
#include "step/sim.h"
#include "support/support.h"

#include <string.h>

enum { MAX_X = 48, MAX_NV = 18, MAX_NU = 4, MAX_BODIES = 8 };

static const trx_shape_type pairs[][2] = {
    {TRX_SHAPE_SPHERE, TRX_SHAPE_SPHERE},   {TRX_SHAPE_BOX, TRX_SHAPE_SPHERE},       {TRX_SHAPE_CAPSULE, TRX_SHAPE_CAPSULE},
    {TRX_SHAPE_HALFSPACE, TRX_SHAPE_BOX},   {TRX_SHAPE_HALFSPACE, TRX_SHAPE_CAPSULE},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

// computes where the material point of a geometry's body that is at p at the configuration q lies at q (+) dq
static void carried(const scene *s, int geom, const double *q, const double *dq, const double p[3], double out[3])
{
    trx_pose before[MAX_BODIES], after[MAX_BODIES];
    double moved[MAX_X], R[9], local[3];
    int body = trx_model_geom(s->model, geom).body;
    trx_model_integrate(s->model, q, dq, moved);
    trx_model_body_poses(s->model, q, before);
    trx_model_body_poses(s->model, moved, after);
    trxi_quat_to_matrix(before[body].quat, R);
    trxi_sub3(p, before[body].p, local);
    double own[3];
    trxi_mulv3_t(R, local, own);
    trxi_quat_to_matrix(after[body].quat, R);
    trxi_mulv3(R, own, out);
    trxi_add3(out, after[body].p, out);
}

// F^T (velocity of B's point - velocity of A's point) for unit speed of dof j
static void relative_motion(const scene *s, const trxi_row *row, int geom_a, int geom_b, const double *q, int j, double out[3])
{
    const double e = 1e-5;
    double sum[3] = {0, 0, 0};
    for (int side = 0; side < 2; side++)
        for (int way = 0; way < 2; way++) {
            double dq[MAX_NV] = {0}, point[3];
            dq[j] = way ? -e : e;
            carried(s, side ? geom_b : geom_a, q, dq, row->p, point);
            trxi_axpy3((side ? 1 : -1) * (way ? -1 : 1) / (2 * e), point, sum);
        }
    trxi_mulv3_t(row->F, sum, out);
}

START_TEST(rows_are_the_relative_motion_of_the_material_points)
{
    for (int p = 0; p < PAIRS; p++)
        for (int k = 0; k < SCENE_KINDS; k++) {
            scene s = scene_pair((scene_kind)k, pairs[p][0], pairs[p][1]);
            for (int i = 0; i < 6; i++) {
                double x[MAX_X], u[MAX_NU];
                scene_state(&s, SCENE_SLIP, 5, i, x, u);
                ck_assert_int_ge(trx_step(s.sim, x, u, NULL), 0);
                ck_assert_int_gt(s.sim->rows.ncontact, 0);
                const trxi_row_block *c = s.sim->rows.contacts;
                const trxi_pair pair = trxi_model_pair(s.model, s.sim->rows.origins[0].pair);
                double dense[3 * MAX_NV] = {0};
                for (int n = 0; n < c->ncol; n++) memcpy(dense + 3 * c->cols[n], c->J + 3 * n, 3 * sizeof *dense);
                for (int j = 0; j < s.nv; j++) {
                    double motion[3];
                    relative_motion(&s, &s.sim->rows.origins[0], pair.geom_a, pair.geom_b, x, j, motion);
                    assert_below(max_difference(dense + 3 * j, motion, 3), 1e-9);
                }
            }
            scene_destroy(&s);
        }
}
END_TEST

// frames are right-handed and orthonormal with the normal last, and normals point from a to b
START_TEST(frames_are_orthonormal_with_the_normal_last)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE);
    for (int i = 0; i < 100; i++) {
        double x[MAX_X], u[MAX_NU], cross[3];
        scene_state(&s, SCENE_SLIP, 6, i, x, u);
        ck_assert_int_ge(trx_step(s.sim, x, u, NULL), 0);
        const double *F = s.sim->rows.origins[0].F;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) assert_close(trxi_dot3(F + 3 * a, F + 3 * b), a == b, 1e-14);
        trxi_cross3(F, F + 3, cross);
        assert_below(max_difference(cross, F + 6, 3), 1e-14);

        // moving b along the normal opens the gap
        double phi = s.sim->rows.contacts[0].phi0;
        int at = trx_model_joint(s.model, trx_model_find_joint(s.model, "b")).q_index;
        for (int a = 0; a < 3; a++) x[at + a] += 1e-5 * F[6 + a];
        ck_assert_int_ge(trx_step(s.sim, x, u, NULL), 0);
        assert_close(s.sim->rows.contacts[0].phi0, phi + 1e-5, 1e-9);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(constants_of_the_laws_follow_their_definitions)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_HALFSPACE, TRX_SHAPE_SPHERE);
    double x[MAX_X], u[MAX_NU];
    for (int a = 0; a <= TRX_SAP; a++)
        for (int i = 0; i < 40; i++) {
            scene_law(&s, (trx_approximation)a, SCENE_SLIP, 7, i);
            scene_state(&s, SCENE_SLIP, 7, i, x, u);
            ck_assert_int_ge(trx_step(s.sim, x, u, NULL), 0);
            const trxi_row_block *c = s.sim->rows.contacts;
            trx_sim_settings set = trx_sim_get_settings(s.sim);
            assert_close(c->contact.gn0, set.time_step * trxi_force_law(c->contact.material, c->phi0, c->contact.v_n0).f, 1e-15);
            if (a == TRX_LAGGED || a == TRX_SIMILAR) {
                ck_assert(c->soft == set.stiction_tolerance && !c->decided);
                continue;
            }
            if (a == TRX_SAP) {
                double horizon = set.time_step + c->contact.material->relaxation_time;
                double compliant = 1 / (set.time_step * c->contact.material->stiffness * horizon);
                double rigid = c->w / (4 * TRXI_PI * TRXI_PI);
                assert_close(c->contact.sap.Rn, fmax(compliant, rigid), 1e-15 + 1e-14 * c->contact.sap.Rn);
                assert_close(c->contact.sap.Rt, 1e-3 * c->w, 1e-18);
                assert_close(c->contact.sap.v_hat, -c->phi0 / horizon, 1e-15);
                continue;
            }
            double regularized = 1e-3 * c->w * c->contact.material->friction * c->contact.gn0;
            assert_close(c->soft, fmax(set.stiction_tolerance, regularized), 1e-15);
            ck_assert((c->decided == TRXI_REGULARIZED) == (regularized > set.stiction_tolerance));
        }
    scene_destroy(&s);
}
END_TEST

// a sphere on the ground: W = diag(1/m + r^2/I, 1/m + r^2/I, 1/m)
START_TEST(the_effective_inverse_mass_is_that_of_a_sphere_in_closed_form)
{
    floor_def def = floor_def_default();
    def.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.05};
    def.mass = 0.3;
    def.law.approximation = TRX_LAGGED_REGULARIZED;
    scene s = scene_floor(&def);
    double x[16], phi = -1e-6, arm = 0.05 + 0.5 * phi;
    floor_state(&s, &def, 0.05 + phi, 0, x);
    scene_step(&s, x, NULL);
    double inertia = 0.4 * 0.3 * 0.0025, t = 1 / 0.3 + arm * arm / inertia, n = 1 / 0.3;
    assert_close(s.sim->rows.contacts[0].w, sqrt(2 * t * t + n * n) / 3, 1e-4 * t);
    scene_destroy(&s);
}
END_TEST

// random balls and capsules fall on a floor and on each other, fast: the automatic margin sees every contact that acts
static scene make_heap(void)
{
    enum { BODIES = 5 };
    static const char *const names[BODIES] = {"b0", "b1", "b2", "b3", "b4"};
    scene s = {0};
    s.context = context_open();
    trx_joint_def joints[BODIES];
    trx_geometry_def geometry[BODIES + 1];
    trx_body_def bodies[BODIES + 1];
    for (int b = 0; b <= BODIES; b++) {
        geometry[b] = trx_geometry_def_default();
        bodies[b] = trx_body_def_default();
        bodies[b].geometry = &geometry[b], bodies[b].ngeometry = 1;
        if (b == BODIES) continue;
        joints[b] = trx_joint_def_default();
        joints[b].name = bodies[b].name = names[b], joints[b].type = TRX_JOINT_FREE;
        bodies[b].joints = &joints[b], bodies[b].njoint = 1;
        geometry[b].shape = b % 2 ? (trx_shape){.type = TRX_SHAPE_CAPSULE, .radius = 0.04, .length = 0.1}
                                  : (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.06};
        geometry[b].mass = 0.5 + 0.2 * b;
    }
    bodies[BODIES].name = "floor";
    geometry[BODIES].shape = (trx_shape){.type = TRX_SHAPE_HALFSPACE};
    const trx_material_def material = trx_material_def_default();
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = BODIES + 1;
    def.materials = &material, def.nmaterial = 1;
    ck_assert_msg(trx_model_create(s.context, &def, &s.model) == TRX_OK, "%s", trx_context_message(s.context));
    ck_assert_int_eq(trx_sim_create(s.context, s.model, NULL, &s.sim), TRX_OK);
    s.nq = 7 * BODIES, s.nv = 6 * BODIES, s.nx = 2 * s.nv;
    return s;
}

START_TEST(the_automatic_margin_drops_no_contact_that_acts)
{
    scene s = make_heap();
    int acting = 0, fewer = 0;
    for (int run = 0; run < 4; run++) {
        trx_pair_law law = trx_sim_pair_law(s.sim, 0);
        law.approximation = (trx_approximation)(run == 3 ? TRX_SAP : run == 2 ? TRX_SIMILAR : TRX_LAGGED);
        law.force_law = law.approximation == TRX_SAP ? TRX_KELVIN_VOIGT : TRX_HUNT_CROSSLEY;
        for (int p = 0; p < trx_model_get_size(s.model).npair; p++)
            ck_assert_int_eq(trx_sim_set_pair_law(s.sim, p, &law), TRX_OK);
        double x[80] = {0}, automatic[80], wide[80];
        trx_model_neutral(s.model, x);
        for (int i = 0; i < s.nv / 6; i++) {
            for (int c = 0; c < 2; c++) x[7 * i + c] = 0.03 * trxi_random_normal((uint64_t)run, (uint64_t)(10 * i + c));
            x[7 * i + 2] = 0.2 + 0.2 * i;
            for (int c = 0; c < 6; c++) x[s.nq + 6 * i + c] = trxi_random_normal((uint64_t)run, (uint64_t)(10 * i + 3 + c));
        }
        for (int k = 0; k < 150; k++) {
            trx_sim_settings settings = trx_sim_settings_default();
            settings.tolerance = 1e-12; // the wide margin makes larger islands, whose solves may end elsewhere within the tolerance
            int count[2];
            ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
            ck_assert_int_ge(trx_step(s.sim, x, NULL, automatic), 0);
            count[0] = trx_sim_step_info(s.sim).contacts;
            settings.margin = 100;
            ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
            ck_assert_int_ge(trx_step(s.sim, x, NULL, wide), 0);
            count[1] = trx_sim_step_info(s.sim).contacts;
            fewer += count[0] < count[1];
            const trx_contact *contacts;
            for (int i = trx_sim_contacts(s.sim, &contacts) - 1; i >= 0; i--) acting += contacts[i].f_n > 0;
            assert_below(max_difference(automatic, wide, s.nq + s.nv), 1e-11);
            memcpy(x, automatic, sizeof x);
        }
    }
    ck_assert_int_gt(acting, 300);
    ck_assert_int_gt(fewer, 300);
    scene_destroy(&s);
}
END_TEST

START_TEST(smoothed_contacts_reach_as_far_as_their_force)
{
    floor_def def = floor_def_default();
    def.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.05};
    def.law.force_law = TRX_SMOOTHED;
    def.weightless = true;
    scene s = scene_floor(&def);
    double x[16], near[16], wide[16];
    for (double reach = 1; reach < 30; reach += 1) {
        floor_state(&s, &def, 0.05 + reach * def.law.smoothing, 0, x);
        trx_sim_settings settings = trx_sim_get_settings(s.sim);
        settings.margin = NAN;
        ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
        ck_assert_int_ge(trx_step(s.sim, x, NULL, near), 0);
        ck_assert_int_eq(trx_sim_step_info(s.sim).contacts, reach < 23);
        settings.margin = 1;
        ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
        ck_assert_int_ge(trx_step(s.sim, x, NULL, wide), 0);
        ck_assert_int_eq(trx_sim_step_info(s.sim).contacts, 1);

        // the force at the reach, which is cut off, is 1e-10 of k s
        double impulse = def.time_step * def.law.stiffness * def.law.smoothing;
        assert_below(max_difference(near, wide, s.nq + s.nv), 1.1e-10 * impulse);
    }
    scene_destroy(&s);
}
END_TEST

// A body on a hinge about z, and fixed spheres. ON of its spheres and ON + 1 fixed spheres touch in one point of the axis. One more
// sphere of the body touches one more fixed sphere beside the axis, along y. With `axis` false only these two are there.
static scene make_turnstile(bool axis)
{
    enum { ON = 32 };
    scene s = {.context = context_open(), .nq = 1, .nv = 1, .nx = 2};
    trx_geometry_def turning[ON + 1], fixed[ON + 2];
    trx_body_def bodies[2] = {trx_body_def_default(), trx_body_def_default()};
    trx_joint_def hinge = trx_joint_def_default();
    hinge.name = bodies[0].name = "turnstile", bodies[1].name = "post";
    bodies[0].joints = &hinge, bodies[0].njoint = 1, bodies[0].has_inertia = true;
    bodies[0].inertia = (trx_body_inertia){2, {0, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0}};
    for (int i = 0; i < ON + 2; i++) {
        trx_geometry_def ball = trx_geometry_def_default();
        ball.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.1};
        fixed[i] = ball, fixed[i].pose.p[2] = -0.1;
        if (i <= ON) turning[i] = ball, turning[i].pose.p[2] = 0.0995;
    }
    turning[ON].pose = (trx_pose){{1, 0.0995, 0}, {1, 0, 0, 0}};
    fixed[ON + 1].pose = (trx_pose){{1, -0.1, 0}, {1, 0, 0, 0}};
    bodies[0].geometry = axis ? turning : turning + ON, bodies[0].ngeometry = axis ? ON + 1 : 1;
    bodies[1].geometry = axis ? fixed : fixed + ON + 1, bodies[1].ngeometry = axis ? ON + 2 : 1;
    const trx_material_def material = trx_material_def_default();
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = 2, def.materials = &material, def.nmaterial = 1;
    def.approximation = TRX_LAGGED_REGULARIZED;
    ck_assert_msg(trx_model_create(s.context, &def, &s.model) == TRX_OK, "%s", trx_context_message(s.context));
    ck_assert_int_eq(trx_sim_create(s.context, s.model, NULL, &s.sim), TRX_OK);
    return s;
}

// the list of pairs had room for one pair per contact, and pairs without a contact were written beyond it
START_TEST(pairs_on_the_axis_of_their_hinge_take_no_room)
{
    const double x[2] = {0, -1};
    double end[2][2];
    for (int axis = 0; axis < 2; axis++) {
        scene s = make_turnstile(axis);
        ck_assert_int_ge(trx_step(s.sim, x, NULL, end[axis]), 0);
        const trxi_rows *rows = &s.sim->rows;
        ck_assert_int_le(rows->nmeeting, rows->point_room);
        ck_assert(rows->ncontact == 1 && rows->nmeeting == 1 && rows->contacts[0].at.gamma[2] > 0);
        if (axis) ck_assert_int_gt(trx_model_get_size(s.model).npair, 1024);
        scene_destroy(&s);
    }
    ck_assert_mem_eq(end[0], end[1], sizeof end[0]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/contact_rows");
    TCase *cases = tcase_create("contact_rows");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, rows_are_the_relative_motion_of_the_material_points);
    tcase_add_test(cases, frames_are_orthonormal_with_the_normal_last);
    tcase_add_test(cases, constants_of_the_laws_follow_their_definitions);
    tcase_add_test(cases, the_effective_inverse_mass_is_that_of_a_sphere_in_closed_form);
    tcase_add_test(cases, the_automatic_margin_drops_no_contact_that_acts);
    tcase_add_test(cases, smoothed_contacts_reach_as_far_as_their_force);
    tcase_add_test(cases, pairs_on_the_axis_of_their_hinge_take_no_room);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
