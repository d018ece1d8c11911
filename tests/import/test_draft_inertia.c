// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Inertias of a draft: possible ones pass, impossible ones are refused with their moments or repaired on request; bodies
// that move without moving inertia are found; inertia of geometry against closed forms.

#include "drafts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ZERO[6] = {0, 0, 0, 0, 0, 0}, ROUND[6] = {1, 1, 1, 0, 0, 0};

// a body with a joint, or without one
static int add(fixture *f, int parent, int joint_type, double mass, const double com[3], const double tensor[6])
{
    int body = trxi_draft_body(f->draft, "part", at(3), parent);
    if (joint_type >= 0) trxi_draft_joint(f->draft, body, "j", at(4))->type = (trx_joint_type)joint_type;
    trxi_draft_inertia(f->draft, body, at(5), mass, com, tensor);
    return body;
}

static trx_status finish(fixture *f)
{
    return trxi_draft_finish(f->draft, &f->result);
}

static void assert_refused(fixture *f, const char *part)
{
    ck_assert_int_eq(finish(f), TRX_ERR_INPUT);
    trx_diagnostic d = trx_context_diagnostic(f->context, 0);
    ck_assert_msg(strstr(d.text, part) != NULL, "\"%s\" does not say \"%s\"", d.text, part);
    ck_assert_int_eq(d.source.line, 5);
    end(f);
}

START_TEST(impossible_inertias_are_refused_with_their_moments_also_on_bodies_that_do_not_move)
{
    for (int joint = -1; joint <= TRX_JOINT_HINGE; joint++) {
        fixture f = begin(NULL, TRX_REPAIR_NONE);
        add(&f, -1, joint, 1, ZERO, (double[]){0.1, 0.5, 0.1, 0, 0, 0});
        assert_refused(&f, "no solid has mass 1 kg and principal moments 0.1, 0.1, 0.5 kg m^2");
        f = begin(NULL, TRX_REPAIR_NONE);
        add(&f, -1, joint, 1, ZERO, (double[]){1, 1, 1, 0, 1.5, 0});
        assert_refused(&f, "principal moments -0.5, 1, 2.5 kg m^2: a principal moment is negative");
        f = begin(NULL, TRX_REPAIR_NONE);
        add(&f, -1, joint, -1, ZERO, ROUND);
        assert_refused(&f, "the mass is negative");
    }
}
END_TEST

START_TEST(flat_bodies_and_points_off_the_axis_are_possible)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    int a = add(&f, -1, TRX_JOINT_HINGE, 1, ZERO, (double[]){1, 1, 2, 0, 0, 0});
    add(&f, a, TRX_JOINT_HINGE, 1, (double[]){1, 0, 0}, ZERO);
    ck_assert_int_eq(finish(&f), TRX_OK);
    end(&f);
}
END_TEST

START_TEST(a_body_that_moves_without_moving_inertia_is_refused)
{
    // (joint, mass, com, tensor): nothing resists in at least one direction
    static const struct {
        trx_joint_type joint;
        double mass, com[3], tensor[6];
    } cases[] = {
        {TRX_JOINT_SLIDE, 0, {0}, {0}},
        {TRX_JOINT_HINGE, 0, {0}, {0}},
        {TRX_JOINT_HINGE, 1, {0, 0, 5}, {0}},          // a point on the axis, z
        {TRX_JOINT_HINGE, 1, {0}, {1, 1, 0, 0, 0, 0}}, // a rod along it
        {TRX_JOINT_BALL, 1, {1, 0, 0}, {0}},
        {TRX_JOINT_PLANAR, 1, {1, 0, 0}, {0}},
        {TRX_JOINT_FREE, 1, {1, 0, 0}, {0, 1, 1, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f = begin(NULL, TRX_REPAIR_NONE);
        int body = add(&f, -1, (int)cases[i].joint, cases[i].mass, cases[i].com, cases[i].tensor);
        trxi_draft_joint_at(f.draft, body, 0)->axis[0] = 0;
        trxi_draft_joint_at(f.draft, body, 0)->axis[2] = 1;
        assert_refused(&f, "can move without moving inertia");
    }
}
END_TEST

START_TEST(a_massless_body_may_carry_others_and_hang_on_others)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    int x = add(&f, -1, TRX_JOINT_SLIDE, 0, ZERO, ZERO), y = add(&f, x, TRX_JOINT_SLIDE, 0, ZERO, ZERO);
    int link = trxi_draft_body(f.draft, "no_inertia", at(3), y);
    trxi_draft_joint(f.draft, link, "k", at(4))->type = TRX_JOINT_HINGE;
    add(&f, link, -1, 1, ZERO, ROUND);
    add(&f, -1, -1, 0, ZERO, ZERO);
    ck_assert_int_eq(finish(&f), TRX_OK);
    ck_assert(!f.result.def.bodies[link].has_inertia);
    end(&f);
}
END_TEST

START_TEST(rotor_inertia_moves_a_massless_body)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    int body = add(&f, -1, TRX_JOINT_HINGE, 0, ZERO, ZERO);
    trxi_draft_joint_at(f.draft, body, 0)->armature = 0.1;
    ck_assert_int_eq(finish(&f), TRX_OK);
    end(&f);
}
END_TEST

START_TEST(inertia_of_children_counts_about_the_axis_of_the_joint)
{
    // a point mass on the axis of its own joint, but beside the axis of the joint before
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    int body = trxi_draft_body(f.draft, "arm", at(3), -1);
    trx_joint_def *joint = trxi_draft_joint(f.draft, body, "j", at(4));
    joint->type = TRX_JOINT_HINGE;
    joint->axis[0] = 0, joint->axis[2] = 1;
    int tip = add(&f, body, -1, 1, ZERO, ZERO);
    trxi_draft_body_at(f.draft, tip)->pose.p[0] = 0.5;
    ck_assert_int_eq(finish(&f), TRX_OK);
    end(&f);
}
END_TEST

START_TEST(repair_changes_what_would_be_refused_and_says_so)
{
    fixture f = begin(NULL, TRX_REPAIR_BALANCE);
    int good = add(&f, -1, TRX_JOINT_HINGE, 1, ZERO, ROUND),
        bad = add(&f, -1, TRX_JOINT_HINGE, 1, ZERO, (double[]){0.1, 0.5, 0.2, 0, 0, 0});
    ck_assert_int_eq(finish(&f), TRX_OK);
    assert_close(max_difference(f.result.def.bodies[good].inertia.tensor, ROUND, 6), 0, 0);
    // the largest moment may have half of the sum, 0.4; the others share the excess
    assert_close(max_difference(f.result.def.bodies[bad].inertia.tensor, (double[]){0.15, 0.4, 0.25, 0, 0, 0}, 6), 0,
                 1e-15);
    ck_assert_int_eq(f.result.nnote, 1);
    ck_assert_int_eq(f.result.notes[0].kind, TRX_NOTE_REPAIRED);
    ck_assert_str_eq(f.result.notes[0].text, "inertia of 'part': mass 1 became 1 kg, principal moments 0.1, 0.2, 0.5 "
                                             "became 0.15, "
                                             "0.25, 0.4 kg m^2, a change of 22.4 % (repair_inertia: balance)");
    end(&f);
}
END_TEST

START_TEST(bound_gives_mass_to_a_body_that_has_none)
{
    fixture f = begin(NULL, TRX_REPAIR_BOUND);
    int a = add(&f, -1, TRX_JOINT_HINGE, 1, ZERO, ROUND), tip = trxi_draft_body(f.draft, "tip", at(9), a);
    trxi_draft_joint(f.draft, tip, "k", at(10))->type = TRX_JOINT_BALL;
    ck_assert_int_eq(finish(&f), TRX_OK);
    const trx_body_def *def = &f.result.def.bodies[tip];
    ck_assert(def->has_inertia);
    assert_close(def->inertia.mass, 1e-3, 0);
    for (int i = 0; i < 3; i++) assert_close(def->inertia.tensor[i], 0.4 * 1e-3 * 25e-6, 1e-20);
    ck_assert_int_eq(f.result.notes[0].source.line, 9);
    end(&f);
}
END_TEST

static void add_sphere(fixture *f, int body, double radius, double x, bool collide)
{
    trx_geometry_def *geometry = trxi_draft_geometry(f->draft, body, NULL, at(7));
    geometry->shape = trx_shape_default(TRX_SHAPE_SPHERE);
    geometry->shape.radius = radius;
    geometry->pose.p[0] = x;
    geometry->collide = collide;
}

START_TEST(from_geometry_spreads_the_mass_over_what_touches_else_over_what_is_drawn)
{
    for (int collide = 0; collide < 2; collide++) {
        fixture f = begin(NULL, TRX_REPAIR_FROM_GEOMETRY);
        int body = add(&f, -1, TRX_JOINT_HINGE, 2, ZERO, ZERO);
        add_sphere(&f, body, 0.5, 1, collide);
        add_sphere(&f, body, 0.5, -1, collide);
        if (collide) add_sphere(&f, body, 5, 9, false);
        ck_assert_int_eq(finish(&f), TRX_OK);
        // two balls of 1 kg, 1 m to either side
        const trx_body_inertia *in = &f.result.def.bodies[body].inertia;
        assert_close(in->mass, 2, 1e-15);
        assert_close(max_magnitude(in->com, 3), 0, 1e-15);
        assert_close(max_difference(in->tensor, (double[]){0.2, 2.2, 2.2, 0, 0, 0}, 6), 0, 1e-14);
        end(&f);
    }
}
END_TEST

START_TEST(what_cannot_be_repaired_is_refused)
{
    // no mass to spread, no geometry to spread it over, no moments to balance
    fixture f = begin(NULL, TRX_REPAIR_FROM_GEOMETRY);
    int body = add(&f, -1, TRX_JOINT_HINGE, 0, ZERO, ZERO);
    add_sphere(&f, body, 1, 0, true);
    assert_refused(&f, "or write repair_inertia: bound");
    f = begin(NULL, TRX_REPAIR_FROM_GEOMETRY);
    add(&f, -1, TRX_JOINT_HINGE, 1, ZERO, ZERO);
    assert_refused(&f, "can move without moving inertia");
    f = begin(NULL, TRX_REPAIR_BALANCE);
    add(&f, -1, TRX_JOINT_HINGE, 1, ZERO, ZERO);
    assert_refused(&f, "can move without moving inertia");
    f = begin(NULL, TRX_REPAIR_BALANCE);
    add(&f, -1, TRX_JOINT_HINGE, -1, ZERO, ROUND);
    assert_refused(&f, "the mass is negative");
}
END_TEST

START_TEST(inertia_of_geometry_is_the_sum_of_turned_and_moved_solids)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    int body = trxi_draft_body(f.draft, "part", at(3), -1);
    trx_geometry_def geometry[2] = {trx_geometry_def_default(), trx_geometry_def_default()};
    geometry[0].shape = trx_shape_default(TRX_SHAPE_BOX);
    geometry[0].shape.size[0] = 1, geometry[0].shape.size[1] = 2, geometry[0].shape.size[2] = 3;
    geometry[0].pose = (trx_pose){{0, 0, 1}, {sqrt(0.5), 0, 0, sqrt(0.5)}}; // x and y change places
    geometry[1].shape = trx_shape_default(TRX_SHAPE_SPHERE);
    geometry[1].shape.radius = 1;
    geometry[1].pose.p[2] = -1;
    trxi_draft_inertia_of_geometry(f.draft, body, at(5), geometry, (double[]){12, 12}, 2);
    ck_assert_int_eq(finish(&f), TRX_OK);
    const trx_body_inertia *in = &f.result.def.bodies[body].inertia;
    assert_close(in->mass, 24, 0);
    assert_close(max_magnitude(in->com, 3), 0, 1e-15);
    // box (about y after the turn: 4 + 9, about x: 1 + 9, about z: 1 + 4), ball 0.4 m, both 1 m from the middle
    assert_close(max_difference(in->tensor, (double[]){10 + 4.8 + 24, 13 + 4.8 + 24, 5 + 4.8, 0, 0, 0}, 6), 0, 1e-13);
    end(&f);
}
END_TEST

START_TEST(a_half_space_has_no_mass_to_give)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    int body = trxi_draft_body(f.draft, "part", at(3), -1);
    trx_geometry_def geometry = trx_geometry_def_default();
    geometry.shape = trx_shape_default(TRX_SHAPE_HALFSPACE);
    geometry.source = at(5);
    trxi_draft_inertia_of_geometry(f.draft, body, at(5), &geometry, (double[]){1}, 1);
    ck_assert_int_eq(trx_context_error_count(f.context), 1);
    ck_assert(strstr(trx_context_message(f.context), "this halfspace has no volume to spread 1 kg over") != NULL);
    end(&f);
}
END_TEST

START_TEST(nearest_gives_a_body_that_moves_without_inertia_the_least_one)
{
    fixture f = begin(NULL, TRX_REPAIR_NEAREST);
    int a = add(&f, -1, TRX_JOINT_HINGE, 1, ZERO, ROUND), tip = trxi_draft_body(f.draft, "tip", at(9), a);
    trxi_draft_joint(f.draft, tip, "k", at(10))->type = TRX_JOINT_BALL;
    ck_assert_int_eq(finish(&f), TRX_OK);
    assert_close(f.result.def.bodies[tip].inertia.mass, 1e-3, 0);
    ck_assert_int_eq(f.result.notes[0].kind, TRX_NOTE_REPAIRED);
    ck_assert_int_eq(trx_context_diagnostic(f.context, 0).severity, TRX_WARNING);
    end(&f);
    // a negative mass has no nearest inertia
    f = begin(NULL, TRX_REPAIR_NEAREST);
    add(&f, -1, TRX_JOINT_HINGE, -1, ZERO, ROUND);
    assert_refused(&f, "the mass is negative");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/draft_inertia");
    TCase *tests = tcase_create("draft_inertia");
    tcase_add_test(tests, impossible_inertias_are_refused_with_their_moments_also_on_bodies_that_do_not_move);
    tcase_add_test(tests, flat_bodies_and_points_off_the_axis_are_possible);
    tcase_add_test(tests, a_body_that_moves_without_moving_inertia_is_refused);
    tcase_add_test(tests, a_massless_body_may_carry_others_and_hang_on_others);
    tcase_add_test(tests, rotor_inertia_moves_a_massless_body);
    tcase_add_test(tests, inertia_of_children_counts_about_the_axis_of_the_joint);
    tcase_add_test(tests, repair_changes_what_would_be_refused_and_says_so);
    tcase_add_test(tests, bound_gives_mass_to_a_body_that_has_none);
    tcase_add_test(tests, from_geometry_spreads_the_mass_over_what_touches_else_over_what_is_drawn);
    tcase_add_test(tests, what_cannot_be_repaired_is_refused);
    tcase_add_test(tests, inertia_of_geometry_is_the_sum_of_turned_and_moved_solids);
    tcase_add_test(tests, a_half_space_has_no_mass_to_give);
    tcase_add_test(tests, nearest_gives_a_body_that_moves_without_inertia_the_least_one);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
