// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Constraints: what is refused, and where they end up.

#include "fixture.h"
#include "model/model.h"
#include "support/support.h"

enum { LINE = 77 };

static trx_constraint_def constraint(trx_constraint_type type)
{
    trx_constraint_def c = trx_constraint_def_default();
    c.name = "hold", c.type = type, c.source = (trx_source){"scene.yaml", LINE, 3};
    c.body_a = BOX, c.length = 1;
    return c;
}

static void refuses(const trx_constraint_def *c, const char *text)
{
    scene s;
    scene_open(&s);
    s.def.constraints = c, s.def.nconstraint = 1;
    scene_refuses(&s, LINE, text);
}

START_TEST(bodies_numbers_and_poses_are_checked)
{
    trx_constraint_def c = constraint(TRX_CONSTRAINT_BALL);
    c.body_b = 99;
    refuses(&c, "ball 'hold': there is no such body");
    c.body_b = BOX;
    refuses(&c, "ball 'hold' holds a body to itself");
    c = constraint(TRX_CONSTRAINT_WELD), c.pose_b.p[1] = NAN;
    refuses(&c, "weld 'hold': a pose is not finite");
    c = constraint(TRX_CONSTRAINT_DISTANCE), c.length = 0;
    refuses(&c, "distance 'hold': length is 0; it must be positive");
    c = constraint(TRX_CONSTRAINT_BALL), c.stiffness = 0;
    refuses(&c, "constraint 'hold': stiffness is 0; it must be positive");
    c = constraint(TRX_CONSTRAINT_BALL), c.relaxation_time = -1;
    refuses(&c, "relaxation_time is -1");
    c = constraint((trx_constraint_type)9);
    refuses(&c, "there is no type 9");
}
END_TEST

START_TEST(couplers_need_two_joints_of_one_dof)
{
    trx_constraint_def c = constraint(TRX_CONSTRAINT_COUPLER);
    c.joint_a = 0;
    refuses(&c, "coupler 'hold' needs hinge or slide joints");
    scene s;
    scene_open(&s);
    int pusher = s.actuators[0].body;
    scene_close(&s);
    c.body_a = c.body_b = pusher, c.joint_a = c.joint_b = 1;
    refuses(&c, "coupler 'hold' couples joint 'py' with itself");
    c.joint_b = 0, c.polynomial[3] = INFINITY;
    refuses(&c, "a coefficient is not finite");
}
END_TEST

START_TEST(limits_of_a_tendon_need_a_tendon_and_room)
{
    trx_constraint_def c = constraint(TRX_CONSTRAINT_TENDON);
    refuses(&c, "tendon 'hold': there is no tendon number -1");

    scene s;
    scene_open(&s);
    const trx_joint_factor parts[2] = {{s.actuators[0].body, 0, 1}, {s.actuators[0].body, 1, -2}};
    trx_tendon_def tendon = trx_tendon_def_default();
    tendon.joints = parts, tendon.njoint = 2;
    c.tendon = 0, c.lower = -1, c.upper = 1;
    s.def.tendons = &tendon, s.def.ntendon = 1;
    s.def.constraints = &c, s.def.nconstraint = 1;
    trx_constraint_info info = trx_model_constraint(scene_build(&s), 0);
    ck_assert_int_eq(info.nrow, 2);
    ck_assert_str_eq(trx_constraint_type_name(info.type), "tendon");
    ck_assert(info.lower == -1 && info.upper == 1 && info.tendon_a == 0);
    scene_close(&s);

    static const double lower[] = {1, NAN};
    for (int i = 0; i < 2; i++) {
        scene_open(&s);
        c.lower = lower[i];
        s.def.tendons = &tendon, s.def.ntendon = 1;
        s.def.constraints = &c, s.def.nconstraint = 1;
        scene_refuses(&s, LINE, "leave no room");
    }
}
END_TEST

START_TEST(a_constraint_is_found_by_name_with_its_rows)
{
    static const int rows[] = {1, 3, 6, 1};
    for (int type = TRX_CONSTRAINT_BALL; type <= TRX_CONSTRAINT_DISTANCE; type++) {
        trx_constraint_def c = constraint((trx_constraint_type)type);
        c.pose_a.p[0] = 0.25;
        scene s;
        scene_open(&s);
        s.def.constraints = &c, s.def.nconstraint = 1;
        const trx_model *m = scene_build(&s);
        ck_assert_ptr_nonnull(m);
        trx_constraint_info info = trx_model_constraint(m, 0);
        ck_assert_str_eq(info.name, "hold");
        ck_assert_str_eq(trx_model_constraint_name(m, 0), "hold");
        ck_assert(info.body_a == BOX && info.body_b == -1 && info.nrow == rows[type] && info.source.line == LINE);
        ck_assert(m->constraints[0].p_LA[0] == 0.25 && m->constraints[0].link_b == -1);
        ck_assert_ptr_null(trx_model_constraint_name(m, 1));
        scene_close(&s);
    }
    ck_assert_str_eq(trx_constraint_type_name(TRX_CONSTRAINT_WELD), "weld");
    ck_assert_str_eq(trx_constraint_type_name((trx_constraint_type)9), "");
}
END_TEST

START_TEST(two_constraints_of_one_name_are_refused)
{
    trx_constraint_def c[2] = {constraint(TRX_CONSTRAINT_BALL), constraint(TRX_CONSTRAINT_WELD)};
    scene s;
    scene_open(&s);
    s.def.constraints = c, s.def.nconstraint = 2;
    scene_refuses(&s, LINE, "the name 'hold' is taken by a constraint");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/constraints");
    TCase *cases = tcase_create("constraints");
    tcase_add_test(cases, bodies_numbers_and_poses_are_checked);
    tcase_add_test(cases, couplers_need_two_joints_of_one_dof);
    tcase_add_test(cases, limits_of_a_tendon_need_a_tendon_and_room);
    tcase_add_test(cases, a_constraint_is_found_by_name_with_its_rows);
    tcase_add_test(cases, two_constraints_of_one_name_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
