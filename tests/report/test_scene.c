// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// scene.json: what the player draws is what was simulated.

#include "report/fixture.h"

#include "formats/scalar.h"
#include "formats/yaml.h"
#include "model/model.h"

static fixture f;

static void setup(void)
{
    fixture_open(&f);
}

static void teardown(void)
{
    fixture_close(&f);
}

// the scene as a tree: JSON is YAML too
static const trxi_yaml_node *read_scene(void)
{
    trxi_text text = trxi_text_create(f.context);
    trxi_yaml_node *root;
    ck_assert_int_eq(trxi_write_scene(f.run, &text), TRX_OK);
    trx_status status = trxi_yaml_parse(f.context, f.pool, "scene.json", text.data, text.length, &root);
    ck_assert_int_eq(status, TRX_OK);
    trxi_text_destroy(&text);
    return root;
}

static double number(const trxi_yaml_node *node)
{
    double value = NAN;
    ck_assert(trxi_number_parse(node->text, &value));
    return value;
}

START_TEST(poses_are_those_of_the_trajectory)
{
    double u[NU * STEPS];
    fixture_controls(u);
    trx_simulation simulation = fixture_simulation(u);
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    const trxi_yaml_node *scene = read_scene();
    const trxi_yaml_node *times = trxi_yaml_get(scene, "times"), *poses = trxi_yaml_get(scene, "poses");
    ck_assert_int_eq(times->count, STEPS + 1);
    ck_assert_int_eq(poses->count, STEPS + 1);
    for (int k = 0; k <= STEPS; k++) {
        assert_close(number(times->items[k]), 0.02 * k, 1e-9);
        const double *x = f.run->x + NX * k;
        // box: its free joint; pusher: its three slides; ground: never moves
        for (int i = 0; i < 7; i++) assert_close(number(poses->items[k]->items[0]->items[i]), x[i], 1e-9);
        for (int i = 0; i < 3; i++) assert_close(number(poses->items[k]->items[1]->items[i]), x[7 + i], 1e-9);
        for (int i = 0; i < 7; i++) assert_close(number(poses->items[k]->items[2]->items[i]), i == 3, 1e-9);
    }
    assert_below(number(poses->items[0]->items[0]->items[0]), number(poses->items[STEPS]->items[0]->items[0]));
}
END_TEST

static const char belt[] = "tractrix: 1\n"
                           "model:\n"
                           "  bodies:\n"
                           "    - {name: belt, motion: {type: slide, axis: [1, 0, 0], velocity: 0.5}, "
                           "geometry: [{shape: halfspace}]}\n"
                           "    - {name: sign, parent: belt, pose: {xyz: [0, 0, 1]}}\n"
                           "    - {name: box, joint: free, geometry: [{shape: box, size: [0.1, 0.1, 0.1], mass: 1}]}\n"
                           "time: {step: 0.01, steps: 20}\n"
                           "start: {box: {xyz: [0, 0, 0.05]}}\n";

START_TEST(bodies_that_move_by_themselves_are_where_they_are_at_each_knot)
{
    trx_problem *problem;
    trx_run *plain = f.run;
    ck_assert_msg(trx_problem_load_text(f.context, "belt.yaml", belt, sizeof belt - 1, NULL, &problem) == TRX_OK, "%s",
                  trx_context_message(f.context));
    ck_assert_int_eq(trx_run_create(f.context, problem, &f.run), TRX_OK);
    ck_assert_int_ge(trx_run_simulate(f.run, NULL), 0);
    const trxi_yaml_node *poses = trxi_yaml_get(read_scene(), "poses");
    for (int k = 0; k <= 20; k++)
        for (int b = 0; b < 2; b++) {
            assert_close(number(poses->items[k]->items[b]->items[0]), 0.005 * k, 1e-9);
            assert_close(number(poses->items[k]->items[b]->items[2]), b, 1e-9);
        }

    // the belt took the box along
    assert_below(0.05, f.run->x[13 * 20]);
    trx_run_destroy(f.run);
    trx_problem_destroy(problem);
    f.run = plain;
}
END_TEST

START_TEST(bodies_goals_and_shapes_are_drawn)
{
    ck_assert_int_eq(trx_run_simulate(f.run, NULL), TRX_OK);
    const trxi_yaml_node *scene = read_scene(), *bodies = trxi_yaml_get(scene, "bodies");
    ck_assert_int_eq(bodies->count, 3);
    const trxi_yaml_node *box = trxi_yaml_get(bodies->items[0], "geometry")->items[0];
    ck_assert_str_eq(trxi_yaml_get(bodies->items[0], "parent")->text, "world");
    ck_assert_str_eq(trxi_yaml_get(box, "name")->text, "box#1");
    ck_assert_str_eq(trxi_yaml_get(box, "shape")->text, "box");
    ck_assert_str_eq(trxi_yaml_get(box, "collide")->text, "true");
    assert_close(number(trxi_yaml_get(box, "size")->items[1]), 0.1, 0);
    const trxi_yaml_node *tip = trxi_yaml_get(bodies->items[1], "geometry")->items[0];
    assert_close(number(trxi_yaml_get(tip, "radius")), 0.02, 0);
    ck_assert_ptr_null(trxi_yaml_get(tip, "size"));

    // the goal: 15 cm ahead, any height, straight
    const trxi_yaml_node *goals = trxi_yaml_get(scene, "goals");
    ck_assert_int_eq(goals->count, 1);
    ck_assert_str_eq(trxi_yaml_get(goals->items[0], "body")->text, "box");
    const trxi_yaml_node *xyz = trxi_yaml_get(goals->items[0], "xyz"), *quat = trxi_yaml_get(goals->items[0], "quat");
    assert_close(number(xyz->items[0]), 0.15, 1e-15);
    ck_assert_str_eq(xyz->items[2]->text, "null");
    assert_close(number(quat->items[0]), 1, 1e-15);
}
END_TEST

static const char robot[] =
    "tractrix: 1\n"
    "model:\n"
    "  bodies:\n"
    "    - name: arm\n"
    "      joints: [{name: h, type: hinge, axis: [0, 1, 0], limits: [-2, 0.1]}]\n"
    "      inertia: {mass: 1, com: [0.2, 0, 0], tensor: [0.01, 0.01, 0.01]}\n"
    "      geometry:\n"
    "        - {shape: mesh, file: data/bracket.stl, collide: false}\n"
    "        - {shape: ellipsoid, size: [0.1, 0.2, 0.3], rounding: 0.01}\n"
    "  actuators: [{joint: h, type: pd, kp: 2, kd: 1, effort: 0.5, limits: [-1, 1]}]\n"
    "time: {step: 0.01, steps: 20}\n";

START_TEST(meshes_limits_drives_and_limit_forces_are_told)
{
    trx_problem *problem;
    trx_run *plain = f.run;
    ck_assert_msg(trx_problem_load_text(f.context, "tests/import/scene.yaml", robot, sizeof robot - 1, NULL, &problem) == TRX_OK,
                  "%s", trx_context_message(f.context));
    ck_assert_int_eq(trx_run_create(f.context, problem, &f.run), TRX_OK);
    ck_assert_int_ge(trx_run_simulate(f.run, NULL), 0);
    const trxi_yaml_node *scene = read_scene();
    const trxi_yaml_node *geometry = trxi_yaml_get(trxi_yaml_get(scene, "bodies")->items[0], "geometry");
    const trxi_yaml_node *meshes = trxi_yaml_get(scene, "meshes");
    ck_assert_str_eq(trxi_yaml_get(geometry->items[0], "mesh")->text, "0");
    ck_assert_int_eq(trxi_yaml_get(geometry->items[1], "size")->count, 3);
    assert_close(number(trxi_yaml_get(geometry->items[1], "rounding")), 0.01, 0);
    const trx_mesh *mesh = &f.run->model->meshes[0].mesh;
    ck_assert_int_eq(trxi_yaml_get(meshes->items[0], "vertices")->count, 3 * mesh->nvertex);
    ck_assert_int_eq(trxi_yaml_get(meshes->items[0], "triangles")->count, 3 * mesh->ntriangle);
    assert_close(number(trxi_yaml_get(trxi_yaml_get(scene, "limits"), "h")->items[1]), 0.1, 0);
    assert_close(number(trxi_yaml_get(trxi_yaml_get(scene, "limits"), "u.h")->items[1]), 1, 0);

    // the arm falls onto its limit, against a drive that is too weak
    ck_assert_int_eq(trxi_yaml_get(scene, "limit_forces")->count, 1);
    const trxi_yaml_node *drive = trxi_yaml_get(scene, "drives")->items[0];
    const trxi_yaml_node *stop = trxi_yaml_get(scene, "limit_forces")->items[0];
    ck_assert_int_eq(trxi_yaml_get(drive, "values")->count, 20);
    assert_close(number(trxi_yaml_get(drive, "effort")->items[0]), -0.5, 0);
    double most = 0;
    for (int k = 0; k < 20; k++) most = fmax(most, fabs(number(trxi_yaml_get(stop, "values")->items[k])));
    ck_assert(most > 1);
    trx_run_destroy(f.run);
    trx_problem_destroy(problem);
    f.run = plain;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/scene");
    TCase *cases = tcase_create("scene");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, poses_are_those_of_the_trajectory);
    tcase_add_test(cases, bodies_that_move_by_themselves_are_where_they_are_at_each_knot);
    tcase_add_test(cases, bodies_goals_and_shapes_are_drawn);
    tcase_add_test(cases, meshes_limits_drives_and_limit_forces_are_told);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
