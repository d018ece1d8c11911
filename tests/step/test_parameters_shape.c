// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Sizes of shapes against central differences of the whole step: every pair of shapes at random, and shapes that lie flat on each
// other, whose contacts slide along edges. If one of two bodies is fixed, its pose is judged too.

#include "base/random.h"
#include "math/rotation.h"
#include "step/parameter_fd.h"
#include "step/scenes.h"
#include "step/schemes.h"
#include "step/sim.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

enum { MAX_X = 64, MAX_PARAMETERS = 160, STATES = 6 };

static bool is_geometry(trx_parameter_kind kind)
{
    return kind >= TRX_GEOM_SIZE;
}

static void judge_geometry(trx_sim *sim, const trx_model *model, const double *x, const double *u, parameter_tally *t)
{
    trx_parameter list[MAX_PARAMETERS];
    int count = trx_model_parameters(model, list, MAX_PARAMETERS);
    ck_assert_int_le(count, MAX_PARAMETERS);
    for (int i = 0; i < count; i++)
        if (is_geometry(list[i].kind)) parameter_judge(sim, list[i], x, u, 1e-6, t);
}

static const trx_shape_type types[] = {TRX_SHAPE_HALFSPACE, TRX_SHAPE_MESH, TRX_SHAPE_BOX, TRX_SHAPE_CYLINDER,
                                       TRX_SHAPE_ELLIPSOID, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE};
enum { TYPES = sizeof types / sizeof *types };

START_TEST(sizes_and_poses_agree_with_differences_for_every_pair_of_shapes)
{
    const int a = _i;
    for (int b = a; b < TYPES; b++) {
        if (types[a] == TRX_SHAPE_HALFSPACE && types[b] == TRX_SHAPE_HALFSPACE) continue;
        parameter_tally t = {0};
        for (int k = 0; k < STATES; k++) {
            scene s = scene_pair((scene_kind)(k % SCENE_KINDS), types[a], types[b]);
            scene_aim aim = k % 2 ? SCENE_SLIP : SCENE_STICK;
            double x[MAX_X], u[MAX_X];
            scene_law(&s, (trx_approximation)(k % (TRX_SAP + 1)), aim, 21, k);
            scene_state(&s, aim, 21, k, x, u);
            judge_geometry(s.sim, s.model, x, u, &t);
            scene_destroy(&s);
        }
        printf("%-10s %-10s %3d judged, %3d not zero, %3d at kinks, worst %.1e\n", trx_shape_name(types[a]),
               trx_shape_name(types[b]), t.judged, t.nonzero, t.kinks, t.worst);
        if (types[b] == TRX_SHAPE_MESH && types[a] == TRX_SHAPE_MESH) continue; // the rounding of one mesh is the only size
        ck_assert_int_ge(t.judged, 4);
        ck_assert_int_ge(t.nonzero, 2);
    }
}
END_TEST

// ---- flat on flat ----

// a prism on a heptagon
static const double prism_points[42] = {0.080,  0.000,  -0.02, 0.050,  0.063,  -0.02, -0.018, 0.078,  -0.02, -0.072, 0.035, -0.02,
                                        -0.072, -0.035, -0.02, -0.018, -0.078, -0.02, 0.050,  -0.063, -0.02, 0.080,  0.000, 0.02,
                                        0.050,  0.063,  0.02,  -0.018, 0.078,  0.02,  -0.072, 0.035,  0.02,  -0.072, -0.035, 0.02,
                                        -0.018, -0.078, 0.02,  0.050,  -0.063, 0.02};
static const int prism_sides[84] = {0, 2, 1, 0, 3,  2, 0, 4,  3, 0, 5,  4, 0, 6,  5, 7, 8, 9, 7, 9,  10, 7, 10, 11, 7, 11, 12,
                                    7, 12, 13, 0, 1, 8, 0, 8, 7, 1, 2, 9, 1, 9, 8, 2, 3, 10, 2, 10, 9, 3, 4, 11, 3, 11, 10,
                                    4, 5, 12, 4, 12, 11, 5, 6, 13, 5, 13, 12, 6, 0, 7, 6, 7, 13};
static const trx_mesh prism = {"prism", 14, prism_points, 24, prism_sides};

typedef struct flat_case {
    const char *name;
    trx_shape table, can; // the table's top and the can's bottom are at the heights below
    double top, bottom;   // [m]
    double tip;           // turn of the can about its x axis that lays it flat [rad]
    double reach;         // how far the middles are apart, at most [m]
} flat_case;

#define CYLINDER(r, l) {.type = TRX_SHAPE_CYLINDER, .radius = r, .length = l}
#define BOX(x, y, z) {.type = TRX_SHAPE_BOX, .size = {x, y, z}}
#define QUARTER 1.57079632679489661923

static const flat_case flat_cases[] = {
    {"standing over the edge of a box", BOX(0.2, 0.15, 0.04), CYLINDER(0.05, 0.1), 0.02, 0.05, 0, 0.1},
    {"standing on a smaller box", BOX(0.06, 0.05, 0.04), CYLINDER(0.05, 0.1), 0.02, 0.05, 0, 0.04},
    {"standing on a box of its size", BOX(0.09, 0.09, 0.04), CYLINDER(0.05, 0.1), 0.02, 0.05, 0, 0.02},
    {"on another cylinder", CYLINDER(0.05, 0.1), CYLINDER(0.04, 0.08), 0.05, 0.04, 0, 0.05},
    {"under a capsule", CYLINDER(0.05, 0.1), {.type = TRX_SHAPE_CAPSULE, .radius = 0.02, .length = 0.16}, 0.05, 0.02, QUARTER,
     0.03},
    {"lying on a box", BOX(0.12, 0.05, 0.04), CYLINDER(0.03, 0.1), 0.02, 0.03, QUARTER, 0.03},
    {"lying on another one's end", CYLINDER(0.05, 0.1), CYLINDER(0.03, 0.16), 0.05, 0.03, QUARTER, 0.03},
    {"over the edge of a prism", {.type = TRX_SHAPE_MESH, .mesh = &prism}, CYLINDER(0.05, 0.1), 0.02, 0.05, 0, 0.08},
    {"rounded, on a box", BOX(0.09, 0.09, 0.04), {.type = TRX_SHAPE_CYLINDER, .radius = 0.05, .length = 0.1, .rounding = 0.004},
     0.02, 0.054, 0, 0.05},
    {"a box over its edge", CYLINDER(0.05, 0.1), BOX(0.12, 0.1, 0.08), 0.05, 0.04, 0, 0.1},
};
enum { FLAT_CASES = sizeof flat_cases / sizeof *flat_cases, FLAT_STATES = 40 };

static scene open_flat(const flat_case *c)
{
    scene s = {0};
    s.context = context_open();
    trx_geometry_def geometry[2] = {trx_geometry_def_default(), trx_geometry_def_default()};
    trx_body_def bodies[2] = {trx_body_def_default(), trx_body_def_default()};
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "can", joint.type = TRX_JOINT_FREE;
    geometry[0].shape = c->table, geometry[1].shape = c->can;
    geometry[1].mass = 0.4;
    bodies[0].name = "table", bodies[1].name = "can";
    bodies[1].joints = &joint, bodies[1].njoint = 1;
    trxi_set3(0.2, -0.1, 0.3, bodies[0].pose.p);
    for (int i = 0; i < 2; i++) geometry[i].material = 0, bodies[i].geometry = &geometry[i], bodies[i].ngeometry = 1;
    const trx_material_def materials[] = {trx_material_def_default()};
    trx_model_def def = trx_model_def_default();
    def.materials = materials, def.nmaterial = 1;
    def.bodies = bodies, def.nbody = 2;
    trx_status status = trx_model_create(s.context, &def, &s.model);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(s.context));
    trx_sim_settings settings = trx_sim_settings_default();
    settings.time_step = 0.01, settings.tolerance = 1e-10;
    ck_assert_int_eq(trx_sim_create(s.context, s.model, &settings, &s.sim), TRX_OK);
    s.nq = 7, s.nv = 6, s.nx = 12;
    return s;
}

static double draw(int state, int k, double most)
{
    return most * (2 * trxi_random_uniform(77, (uint64_t)(64 * state + k)) - 1);
}

// the can somewhere on the table, turned about the vertical, tilted by less than the angle within which it lies flat
static void flat_state(const flat_case *c, int state, double x[13])
{
    const double tilt[3] = {draw(state, 0, 0.006), draw(state, 1, 0.006), 0}, yaw[3] = {0, 0, draw(state, 2, 3)};
    const double tip[3] = {c->tip, 0, 0};
    double T[9], Y[9], P[9], TY[9], R[9];
    trxi_exp33(tilt, T);
    trxi_exp33(yaw, Y);
    trxi_exp33(tip, P);
    trxi_mul33(T, Y, TY);
    trxi_mul33(TY, P, R);
    trxi_set3(0.2 + draw(state, 3, c->reach), -0.1 + draw(state, 4, c->reach), 0.3 + c->top + c->bottom - 8e-4, x);
    trxi_quat_from_matrix(R, x + 3);
    for (int i = 0; i < 6; i++) x[7 + i] = draw(state, 5 + i, i < 3 ? 0.1 : 0.5);
}

static int sliding_points(const trx_sim *sim)
{
    int count = 0;
    for (int i = 0; i < sim->rows.ncontact; i++)
        count += sim->rows.contacts[i].at.gamma[2] > 0 && sim->deriv.points[sim->rows.origins[i].point].sliding;
    return count;
}

static void check_adjoint(const scene *s, const double *x)
{
    trx_parameter list[MAX_PARAMETERS];
    double C[MAX_PARAMETERS * 12], grad[MAX_PARAMETERS], seed[12];
    const int count = trx_model_parameters(s->model, list, MAX_PARAMETERS);
    for (int i = 0; i < s->nx; i++) seed[i] = sin(1 + 3.7 * i);
    ck_assert_int_ge(trx_step(s->sim, x, NULL, NULL), 0);
    ck_assert_int_eq(trx_step_vjp_parameters(s->sim, list, count, seed, grad), TRX_OK);
    ck_assert_int_eq(trx_step_jac_parameters(s->sim, list, count, C), TRX_OK);
    for (int k = 0; k < count; k++) {
        double sum = 0, size = 0;
        for (int i = 0; i < s->nx; i++) sum += C[i + k * s->nx] * seed[i], size += fabs(C[i + k * s->nx] * seed[i]);
        assert_close(grad[k], sum, 1e-10 * size);
    }
}

START_TEST(sizes_of_what_lies_flat_on_each_other_agree_with_differences_in_every_scheme)
{
    const flat_case *c = &flat_cases[_i];
    parameter_tally t = {0}, radii = {0};
    int slid = 0;
    for (int k = 0; k < FLAT_STATES; k++) {
        scene s = open_flat(c);
        double x[MAX_X], C[MAX_X];
        scene_law(&s, (trx_approximation)(k % (TRX_SAP + 1)), SCENE_SLIP, 31, k);
        use_scheme(s.sim, &schemes[k % SCHEMES]);
        flat_state(c, 100 * _i + k, x);
        judge_geometry(s.sim, s.model, x, NULL, &t);
        check_adjoint(&s, x);
        for (int g = 0; g < 2; g++) {
            const trx_parameter radius = {TRX_GEOM_RADIUS, g, 0};
            if (s.model->geoms[g].shape.type != TRX_SHAPE_CYLINDER) continue;
            ck_assert_int_ge(trx_step(s.sim, x, NULL, NULL), 0);
            ck_assert_int_eq(trx_step_jac_parameters(s.sim, &radius, 1, C), TRX_OK);
            if (sliding_points(s.sim) == 0) continue;
            slid++;
            parameter_judge(s.sim, radius, x, NULL, 1e-6, &radii);
        }
        scene_destroy(&s);
    }
    printf("%-32s %3d judged, %3d not zero, %3d at kinks, worst %.1e; radius with points that slide: %2d of %2d judged, "
           "%2d not zero\n", c->name, t.judged, t.nonzero, t.kinks, fmax(t.worst, radii.worst), radii.judged, slid, radii.nonzero);
    ck_assert_int_ge(t.nonzero, 40);
    ck_assert_int_ge(radii.nonzero, 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/parameters_shape");
    TCase *cases = tcase_create("parameters_shape");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, sizes_and_poses_agree_with_differences_for_every_pair_of_shapes, 0, TYPES - 1);
    tcase_add_loop_test(cases, sizes_of_what_lies_flat_on_each_other_agree_with_differences_in_every_scheme, 0, FLAT_CASES);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
