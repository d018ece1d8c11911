// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The model that bodies and joints give: order of q and v, trees, paths, welded bodies, dofs.

#include "fixture.h"
#include "support/support.h"

static trx_joint_def hinge(const char *name)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = name;
    return joint;
}

static trx_body_def body(const char *name, int parent, const trx_joint_def *joint)
{
    trx_body_def def = trx_body_def_default();
    def.name = name;
    def.parent = parent;
    def.joints = joint;
    def.njoint = joint ? 1 : 0;
    return def;
}

static trx_model *build(trx_context **context, const trx_body_def *bodies, int count)
{
    trx_model_def def = trx_model_def_default();
    trx_model *model;
    def.bodies = bodies;
    def.nbody = count;
    ck_assert_int_eq(trx_context_create(NULL, context), TRX_OK);
    ck_assert_int_eq(trx_model_create(*context, &def, &model), TRX_OK);
    return model;
}

// two trees given crosswise, children before their parents:  a(b(c), d)  and  e(f)
START_TEST(coordinates_go_depth_first_in_the_order_of_the_roots)
{
    trx_joint_def j[6] = {hinge("ja"), hinge("jb"), hinge("jc"), hinge("jd"), hinge("je"), hinge("jf")};
    const trx_body_def bodies[6] = {body("c", 3, &j[2]),  body("f", 4, &j[5]), body("a", -1, &j[0]),
                                    body("b", 2, &j[1]), body("e", -1, &j[4]), body("d", 2, &j[3])};
    const char *const order[6] = {"ja", "jb", "jc", "jd", "je", "jf"};
    trx_context *context;
    trx_model *m = build(&context, bodies, 6);
    for (int i = 0; i < 6; i++) ck_assert_str_eq(trx_model_q_name(m, i), order[i]);

    // bodies and joints keep the numbers of their definitions
    for (int i = 0; i < 6; i++) ck_assert_str_eq(trx_model_body_name(m, i), bodies[i].name);
    ck_assert_str_eq(trx_model_joint_name(m, 0), "jc");
    ck_assert_int_eq(trx_model_joint(m, 0).v_index, 2);

    // parents come before children, each tree is contiguous
    ck_assert_int_eq(m->ntree, 2);
    for (int i = 0; i < m->nlink; i++) ck_assert_int_lt(m->links[i].parent, i);
    ck_assert_int_eq(m->trees[0].first_link, 0);
    ck_assert_int_eq(m->trees[0].nlink, 4);
    ck_assert_int_eq(m->trees[0].nv, 4);
    ck_assert_int_eq(m->trees[1].first_link, 4);
    ck_assert_int_eq(m->trees[1].v, 4);
    ck_assert_int_eq(m->trees[1].nv, 2);
    trx_model_destroy(m);
    trx_context_destroy(context);
}
END_TEST

START_TEST(paths_lead_from_the_root_to_the_link)
{
    trx_joint_def j[6] = {hinge("ja"), hinge("jb"), hinge("jc"), hinge("jd"), hinge("je"), hinge("jf")};
    j[1].type = TRX_JOINT_BALL;
    const trx_body_def bodies[4] = {body("a", -1, &j[0]), body("b", 0, &j[1]), body("c", 1, &j[2]),
                                    body("d", 0, &j[3])};
    const int to_c[] = {0, 1, 2, 3, 4}, to_d[] = {0, 5};
    trx_context *context;
    trx_model *m = build(&context, bodies, 4);
    const trxi_link *c = &m->links[2], *d = &m->links[3];
    ck_assert_int_eq(c->path_length, 5);
    for (int i = 0; i < 5; i++) ck_assert_int_eq(m->path[c->path_start + i], to_c[i]);
    ck_assert_int_eq(d->path_length, 2);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(m->path[d->path_start + i], to_d[i]);
    for (int i = 0; i < m->nv; i++) ck_assert_int_eq(m->dof_link[i], i == 0 ? 0 : i < 4 ? 1 : i - 2);
    trx_model_destroy(m);
    trx_context_destroy(context);
}
END_TEST

START_TEST(bodies_without_joints_share_a_link)
{
    trx_joint_def j = hinge("j");
    trx_body_def bodies[5] = {body("table", -1, NULL), body("stand", 0, NULL), body("arm", 1, &j),
                              body("hand", 2, NULL), body("mark", -1, NULL)};
    bodies[0].pose.p[2] = 1, bodies[1].pose.p[0] = 2, bodies[3].pose.p[1] = 3;
    trx_context *context;
    trx_model *m = build(&context, bodies, 5);
    ck_assert_int_eq(m->nlink, 1);
    for (int i = 0; i < 5; i++) {
        bool fixed = i != 2 && i != 3;
        ck_assert_int_eq(m->bodies[i].link, fixed ? -1 : 0);
        ck_assert_int_eq(trx_model_body(m, i).tree, fixed ? -1 : 0);
    }
    // poses go along the chain of fixed bodies
    assert_below(max_difference(m->bodies[1].p_LB, (double[]){2, 0, 1}, 3), 1e-15);
    assert_below(max_difference(m->links[0].p_PJ, (double[]){2, 0, 1}, 3), 1e-15);
    assert_below(max_difference(m->bodies[3].p_LB, (double[]){0, 3, 0}, 3), 1e-15);
    trx_model_destroy(m);
    trx_context_destroy(context);
}
END_TEST

START_TEST(each_child_of_a_fixed_body_is_a_tree)
{
    trx_joint_def j[2] = {hinge("left"), hinge("right")};
    const trx_body_def bodies[3] = {body("base", -1, NULL), body("l", 0, &j[0]), body("r", 0, &j[1])};
    trx_context *context;
    trx_model *m = build(&context, bodies, 3);
    ck_assert_int_eq(m->ntree, 2);
    trx_model_destroy(m);
    trx_context_destroy(context);
}
END_TEST

START_TEST(a_joint_becomes_elementary_links)
{
    const struct {
        trx_joint_type type;
        int nlink, nq, nv;
    } table[] = {{TRX_JOINT_HINGE, 1, 1, 1},  {TRX_JOINT_SLIDE, 1, 1, 1}, {TRX_JOINT_BALL, 1, 4, 3},
                 {TRX_JOINT_PLANAR, 3, 3, 3}, {TRX_JOINT_FREE, 2, 7, 6}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        trx_joint_def j = hinge("j");
        j.type = table[i].type;
        const trx_body_def only = body("b", -1, &j);
        trx_context *context;
        trx_model *m = build(&context, &only, 1);
        trx_model_size size = trx_model_get_size(m);
        ck_assert_int_eq(m->nlink, table[i].nlink);
        ck_assert_int_eq(size.nq, table[i].nq);
        ck_assert_int_eq(size.nv, table[i].nv);
        ck_assert_int_eq(size.njoint, 1);
        ck_assert_int_eq(trx_model_joint(m, 0).nq, table[i].nq);
        ck_assert_int_eq(trx_model_joint(m, 0).nv, table[i].nv);
        ck_assert_int_eq(trxi_joint_nq(table[i].type), table[i].nq);
        ck_assert_int_eq(trxi_joint_nv(table[i].type), table[i].nv);
        ck_assert_int_eq(size.ntree, 1);
        trx_model_destroy(m);
        trx_context_destroy(context);
    }
}
END_TEST

START_TEST(dofs_take_the_values_of_their_joint)
{
    trx_joint_def j[2] = {hinge("turn"), hinge("plane")};
    j[0].damping = 1, j[0].stiffness = 2, j[0].armature = 3, j[0].rest = 4, j[0].lower = -1;
    j[1].type = TRX_JOINT_PLANAR, j[1].damping = 5;
    const trx_body_def bodies[2] = {body("a", -1, &j[0]), body("b", 0, &j[1])};
    trx_context *context;
    trx_model *m = build(&context, bodies, 2);
    const double damping[] = {1, 5, 5, 5}, stiffness[] = {2, 0, 0, 0}, armature[] = {3, 0, 0, 0}, rest[] = {4, 0, 0, 0};
    assert_below(max_difference(m->damping, damping, 4), 1e-15);
    assert_below(max_difference(m->stiffness, stiffness, 4), 1e-15);
    assert_below(max_difference(m->armature, armature, 4), 1e-15);
    assert_below(max_difference(m->rest, rest, 4), 1e-15);
    ck_assert(m->has_springs);

    // one limit is enough to be in the list
    ck_assert_int_eq(m->nlimit, 1);
    ck_assert_int_eq(m->limits[0], 0);
    trx_model_destroy(m);
    trx_context_destroy(context);
}
END_TEST

START_TEST(actuators_find_their_joint)
{
    scene s;
    scene_open(&s);
    s.actuators[1].gear = 50, s.actuators[1].lower = -2;
    const trx_model *m = scene_build(&s);
    trx_actuator_info info = trx_model_actuator(m, 1);
    ck_assert_str_eq(info.name, "py");
    ck_assert_str_eq(trx_model_joint_name(m, info.joint), "py");
    ck_assert_str_eq(trx_model_v_name(m, info.v_index), "py.v");
    assert_close(info.gear, 50, 0);
    assert_close(info.lower, -2, 0);
    ck_assert(!m->trees[0].actuated && m->trees[1].actuated);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/links");
    TCase *cases = tcase_create("links");
    tcase_add_test(cases, coordinates_go_depth_first_in_the_order_of_the_roots);
    tcase_add_test(cases, paths_lead_from_the_root_to_the_link);
    tcase_add_test(cases, bodies_without_joints_share_a_link);
    tcase_add_test(cases, each_child_of_a_fixed_body_is_a_tree);
    tcase_add_test(cases, a_joint_becomes_elementary_links);
    tcase_add_test(cases, dofs_take_the_values_of_their_joint);
    tcase_add_test(cases, actuators_find_their_joint);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
