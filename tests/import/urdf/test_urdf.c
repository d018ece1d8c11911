// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Robots of tests/import/data against what Pinocchio says of them (reference.py made the numbers), and what is done with
// the root and with names.

#include "import/robots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 8192, MAX_V = 32 };

static const double TOLERANCE = 1e-12;

// one state while it is read
typedef struct state {
    const trx_model *model;
    trx_context *context;
    double q[40], v[MAX_V], M[MAX_V * MAX_V], bias[MAX_V];
    trx_pose poses[16];
    bool evaluated;
    int order[MAX_V], n; // tangent index of each row of what follows
    int compared;
} state;

static int read_numbers(char **rest, double *values, int capacity)
{
    int n = 0;
    for (char *word; n < capacity && (word = strtok_r(NULL, " \n", rest)); n++) values[n] = strtod(word, NULL);
    return n;
}

static void evaluate(state *s)
{
    if (s->evaluated) return;
    ck_assert_int_eq(trx_model_dynamics(s->context, s->model, s->q, s->v, s->M, s->bias), TRX_OK);
    trx_model_body_poses(s->model, s->q, s->poses);
    s->evaluated = true;
}

static void check_body(const trx_model *model, const char *name, const double *numbers)
{
    int body = trx_model_find_body(model, name);
    ck_assert_msg(body >= 0, "no body %s", name);
    trx_body_inertia in = trx_model_body_inertia(model, body);
    assert_close(in.mass, numbers[0], TOLERANCE);
    for (int i = 0; i < 3 && numbers[0] > 0; i++) assert_close(in.com[i], numbers[1 + i], TOLERANCE);
    for (int i = 0; i < 6; i++) assert_close(in.tensor[i], numbers[4 + i], TOLERANCE);
}

static void check_pose(state *s, const char *name, const double *numbers)
{
    int body = trx_model_find_body(s->model, name);
    ck_assert_msg(body >= 0 && body < 16, "no body %s", name);
    evaluate(s);
    const trx_pose *pose = &s->poses[body];
    const double *p = pose->p, *a = pose->quat, *b = numbers + 3;
    for (int i = 0; i < 3; i++) assert_close(p[i], numbers[i], TOLERANCE);
    assert_close(fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]), 1, TOLERANCE);
}

static void read_order(state *s, char **rest)
{
    s->n = 0;
    for (char *word; (word = strtok_r(NULL, " \n", rest)); s->n++) {
        char *colon = strchr(word, ':');
        *colon = '\0';
        int joint = trx_model_find_joint(s->model, word);
        ck_assert_msg(joint >= 0, "no joint %s", word);
        s->order[s->n] = trx_model_joint(s->model, joint).v_index + atoi(colon + 1);
    }
    ck_assert_int_eq(s->n, trx_model_get_size(s->model).nv);
}

static void check_line(state *s, char *line)
{
    char *rest, *word = strtok_r(line, " \n", &rest);
    double numbers[MAX_V * MAX_V];
    if (!word) return;
    if (strcmp(word, "dofs") == 0) {
        read_order(s, &rest);
    } else if (strcmp(word, "M") == 0 || strcmp(word, "bias") == 0) {
        bool matrix = word[0] == 'M';
        int nv = s->n, n = read_numbers(&rest, numbers, nv * nv);
        ck_assert_int_eq(n, matrix ? nv * nv : nv);
        evaluate(s);
        for (int i = 0; i < n; i++)
            assert_close(matrix ? s->M[s->order[i / nv] + nv * s->order[i % nv]] : s->bias[s->order[i]], numbers[i],
                         TOLERANCE * 10);
    } else if (strcmp(word, "end") == 0) {
        s->evaluated = false;
        s->compared++;
    } else {
        char *name = strtok_r(NULL, " \n", &rest);
        int n = read_numbers(&rest, numbers, 10), joint = trx_model_find_joint(s->model, name);
        if (strcmp(word, "body") == 0) check_body(s->model, name, numbers);
        if (strcmp(word, "pose") == 0) check_pose(s, name, numbers);
        if (strcmp(word, "q") == 0)
            memcpy(s->q + trx_model_joint(s->model, joint).q_index, numbers, (size_t)n * sizeof *numbers);
        if (strcmp(word, "v") == 0)
            memcpy(s->v + trx_model_joint(s->model, joint).v_index, numbers, (size_t)n * sizeof *numbers);
    }
}

static void compare(const char *name, const char *reference, trx_base base)
{
    static char line[MAX_LINE * 8];
    char path[300];
    trx_import_options options = trx_import_options_default();
    options.base = base;
    robot r = read_data(name, &options);
    trx_model *model = model_of(&r);
    snprintf(path, sizeof path, "tests/import/data/%s", reference);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    state s = {.model = model, .context = r.context};
    while (fgets(line, sizeof line, file)) check_line(&s, line);
    fclose(file);
    ck_assert_int_eq(s.compared, 5);
    trx_model_destroy(model);
    free_robot(&r);
}

START_TEST(turned_inertias_and_joints_of_every_kind_agree_with_pinocchio)
{
    compare("arm.urdf", "arm.reference", TRX_BASE_OF_FILE);
    compare("many_freedoms.urdf", "many_freedoms.reference", TRX_BASE_OF_FILE);
    compare("gripper.urdf", "gripper.reference", TRX_BASE_FIXED);
}
END_TEST

START_TEST(roots_that_are_fixed_free_or_planar_agree_with_pinocchio)
{
    compare("walker.urdf", "walker.reference", TRX_BASE_FIXED);
    compare("walker.urdf", "walker_free.reference", TRX_BASE_FREE);
    compare("walker.urdf", "walker_planar.reference", TRX_BASE_PLANAR);
}
END_TEST

START_TEST(the_pose_of_the_options_moves_every_root)
{
    trx_import_options options = trx_import_options_default();
    options.pose = (trx_pose){{1, 2, 3}, {sqrt(0.5), 0, 0, sqrt(0.5)}};
    robot r = read_text(ROBOT(LINK("ground", "") LINK("body", "")
                                  JOINT("j", "fixed", "world", "ground", "<origin xyz=\"1 0 0\"/>")),
                        &options);
    assert_close(body_of(&r, "ground")->pose.p[1], 3, 1e-15);
    assert_close(body_of(&r, "body")->pose.p[0], 1, 0);
    assert_close(body_of(&r, "body")->pose.p[2], 3, 0);
    free_robot(&r);

    // a free root starts at the pose of the options, because its coordinates are its pose
    options.base = TRX_BASE_FREE;
    r = read_text(ROBOT(LINK("body", "")), &options);
    ck_assert_int_eq(joint_of(&r, "body")->type, TRX_JOINT_FREE);
    ck_assert_str_eq(joint_of(&r, "body")->name, "body");
    ck_assert_int_eq(r.result->nq, 7);
    ck_assert_int_eq(r.result->nv, 6);
    assert_close(max_difference(r.result->q0, (double[]){1, 2, 3, sqrt(0.5), 0, 0, sqrt(0.5)}, 7), 0, 1e-15);
    assert_close(body_of(&r, "body")->pose.p[0], 0, 0);
    free_robot(&r);
}
END_TEST

START_TEST(a_root_that_is_fixed_by_default_is_a_note)
{
    robot r = read_text(ROBOT(LINK("body", "")), NULL);
    assert_note(&r, TRX_NOTE_ASSUMED, 2, "the root \"body\" is fixed (base: free or planar let it move)");
    ck_assert_int_eq(body_of(&r, "body")->njoint, 0);
    free_robot(&r);

    trx_import_options options = trx_import_options_default();
    options.base = TRX_BASE_FIXED;
    r = read_text(ROBOT(LINK("body", "")), &options);
    ck_assert_int_eq(r.result->nnote, 0);
    free_robot(&r);
}
END_TEST

START_TEST(what_hangs_on_the_world_is_fixed_there_and_cannot_be_free)
{
    // a link called world is the world; with geometry, it is a body that is seen
    robot r = read_text(ROBOT("<link name=\"world\"/>\n" LINK("arm", "") JOINT("j", "continuous", "world", "arm", "")),
                        NULL);
    ck_assert_int_eq(r.result->def.nbody, 1);
    ck_assert_int_eq(body_of(&r, "arm")->parent, -1);
    free_robot(&r);

    const char *ground = "<collision><geometry><plane/></geometry></collision>";
    char text[1000];
    snprintf(text, sizeof text,
             "<robot><link name=\"world\">%s</link>\n" LINK("arm", "") JOINT("j", "continuous", "world", "arm", "") "</"
                                                                                                                    "robo"
                                                                                                                    "t>",
             ground);
    r = read_text(text, NULL);
    ck_assert_int_eq(r.result->def.nbody, 2);
    ck_assert_int_eq(body_of(&r, "link_world")->ngeometry, 1);
    ck_assert_int_eq(body_of(&r, "arm")->parent, -1);
    free_robot(&r);

    trx_import_options options = trx_import_options_default();
    options.base = TRX_BASE_FREE;
    r = read_text(text, &options);
    assert_refused(&r, 1, "base: free, but this robot's joints hold it in the world");
    free_robot(&r);
    r = read_text(ROBOT(LINK("arm", "") JOINT("j", "fixed", "world", "arm", "")), &options);
    assert_refused(&r, 1, "write base: fixed");
    free_robot(&r);
}
END_TEST

START_TEST(a_parent_world_that_is_no_link_is_the_world)
{
    robot r = read_text(ROBOT(LINK("wall", "") LINK("ball", "") LINK("robot", "") JOINT("a", "fixed", "world", "wall", "")
                                  JOINT("b", "prismatic", "world", "ball", "")),
                        NULL);
    assert_note(&r, TRX_NOTE_ASSUMED, 5, "the parent of 2 joints is the world: there is no link of that name");
    ck_assert_int_eq(body_of(&r, "ball")->parent, -1);
    ck_assert_int_eq(body_of(&r, "robot")->parent, -1);
    ck_assert_int_eq(r.result->def.nbody, 3);
    free_robot(&r);
}
END_TEST

START_TEST(links_behind_fixed_joints_stay_bodies_with_their_names)
{
    robot r = read_data("arm.urdf", NULL);
    ck_assert_int_eq(r.result->def.nbody, 6);
    ck_assert_int_eq(body_of(&r, "lens")->njoint, 0);
    ck_assert_int_eq(body_of(&r, "lens")->parent, find_body(&r, "camera"));
    ck_assert_int_eq(body_of(&r, "camera")->parent, find_body(&r, "rail"));
    trx_model *model = model_of(&r);
    ck_assert_int_eq(trx_model_get_size(model).nv, 3);
    ck_assert_int_ge(trx_model_find_body(model, "lens"), 0);
    trx_model_destroy(model);
    free_robot(&r);
}
END_TEST

START_TEST(links_keep_their_names_and_a_prefix_leads_all)
{
    robot r = read_text(ROBOT(LINK("base", "") LINK("2nd link", "") LINK("arm", "")
                                  JOINT("arm", "continuous", "base", "2nd link", "")
                                      JOINT("tip", "fixed", "2nd link", "arm", "")),
                        NULL);
    ck_assert_str_eq(joint_of(&r, "link_2nd link")->name, "arm");
    assert_note(&r, TRX_NOTE_REPLACED, 3,
                "\"2nd link\" is no name (letters, digits, _ - : + @, blanks inside, a letter first): this link is "
                "called link_2nd link");
    ck_assert_int_eq(r.result->nnote, 4);
    free_robot(&r);

    trx_import_options options = trx_import_options_default();
    options.prefix = "left";
    r = read_text(ROBOT(LINK("base", "") LINK("2nd", "") JOINT("j", "continuous", "base", "2nd", "")), &options);
    ck_assert_str_eq(joint_of(&r, "left/2nd")->name, "left/j");
    ck_assert_str_eq(r.result->def.actuators[0].name, "left/j");
    ck_assert_str_eq(r.result->def.materials[0].name, "left/default");
    free_robot(&r);
}
END_TEST

START_TEST(what_is_not_served_is_noted_once_with_its_number)
{
    robot r = read_text(ROBOT("<gazebo/>\n" LINK("a", "<self_collision_checking/>\n") LINK("b", "<self_collision_"
                                                                                                "checking/>")
                                  JOINT("j", "revolute", "a", "b",
                                        "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"2\"/>"
                                        "<safety_controller k_velocity=\"1\"/><calibration rising=\"0\"/>") "<gazebo "
                                                                                                            "colour="
                                                                                                            "\"red\"><"
                                                                                                            "static/></"
                                                                                                            "gazebo>\n"),
                        NULL);
    assert_note(&r, TRX_NOTE_DROPPED, 2, "2 elements <gazebo> in <robot>: not served, left out");
    assert_note(&r, TRX_NOTE_DROPPED, 3, "2 elements <self_collision_checking> in <link>: not served, left out");
    assert_note(&r, TRX_NOTE_DROPPED, 6, "1 element <safety_controller> in <joint>: not served, left out");
    assert_note(&r, TRX_NOTE_DROPPED, 6, "1 element <calibration> in <joint>: not served, left out");
    assert_note(&r, TRX_NOTE_DROPPED, 6, "velocity limits of 1 joint hold in plans with robot: true in limits, nowhere else");
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_DROPPED, ""), 5);

    // notes stand in the order of the file
    for (int i = 1; i < r.result->nnote; i++)
        ck_assert_int_le(r.result->notes[i - 1].source.line, r.result->notes[i].source.line);
    free_robot(&r);
}
END_TEST

START_TEST(unknown_attributes_are_noted_and_namespaces_are_not)
{
    robot r = read_text("<robot name=\"r\" version=\"1.0\" xmlns:xacro=\"http://x\" xmlns=\"http://y\">\n" LINK(
                            "a", "") "<link name=\"b\" type=\"wheel\"/>\n" JOINT("j", "fixed", "a", "b",
                                                                                 "<origin xyz=\"0 0 1\" rot=\"1\"/>") "</"
                                                                                                                      "ro"
                                                                                                                      "bo"
                                                                                                                      "t"
                                                                                                                      ">",
                        NULL);
    assert_note(&r, TRX_NOTE_DROPPED, 3, "1 attribute type of <link>: not served, left out");
    assert_note(&r, TRX_NOTE_DROPPED, 4, "1 attribute rot of <origin>: not served, left out");
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_DROPPED, ""), 2);
    free_robot(&r);
}
END_TEST

START_TEST(a_chain_of_thousands_of_links_is_read)
{
    enum { LINKS = 5000 };
    size_t room = LINKS * 400;
    char *text = malloc(room);
    size_t at = (size_t)snprintf(text, room, "<robot>" LINK("l0", ""));
    for (int i = 1; i < LINKS; i++)
        at += (size_t)snprintf(text + at, room - at,
                               "<link name=\"l%d\"/><joint name=\"j%d\" type=\"fixed\"><parent link=\"l%d\"/><child "
                               "link=\"l%d\"/></joint>\n",
                               i, i, i - 1, i);
    snprintf(text + at, room - at, "</robot>");
    robot r = read_text(text, NULL);
    ck_assert_int_eq(r.status, TRX_OK);
    ck_assert_int_eq(r.result->def.nbody, LINKS);
    ck_assert_int_eq(body_of(&r, "l4999")->parent, LINKS - 2);
    free_robot(&r);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/urdf/urdf");
    TCase *tests = tcase_create("robots");
    tcase_add_test(tests, turned_inertias_and_joints_of_every_kind_agree_with_pinocchio);
    tcase_add_test(tests, roots_that_are_fixed_free_or_planar_agree_with_pinocchio);
    tcase_add_test(tests, the_pose_of_the_options_moves_every_root);
    tcase_add_test(tests, a_root_that_is_fixed_by_default_is_a_note);
    tcase_add_test(tests, what_hangs_on_the_world_is_fixed_there_and_cannot_be_free);
    tcase_add_test(tests, a_parent_world_that_is_no_link_is_the_world);
    tcase_add_test(tests, links_behind_fixed_joints_stay_bodies_with_their_names);
    tcase_add_test(tests, links_keep_their_names_and_a_prefix_leads_all);
    tcase_add_test(tests, what_is_not_served_is_noted_once_with_its_number);
    tcase_add_test(tests, unknown_attributes_are_noted_and_namespaces_are_not);
    tcase_add_test(tests, a_chain_of_thousands_of_links_is_read);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
