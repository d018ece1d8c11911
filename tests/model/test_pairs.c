// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pairs that may touch, their values, and refused definitions.

#include "fixture.h"
#include "support/support.h"

#include <string.h>

static trx_pair_selector select(int a, int b)
{
    return (trx_pair_selector){{a, -1}, {b, -1}, at_line(LINE_PAIR)};
}

static trx_pair_override override_of(int a, int b)
{
    trx_pair_override made = trx_pair_override_default();
    made.pair = select(a, b);
    return made;
}

static trx_pair_law law_of(const trx_model *m, const char *a, const char *b)
{
    int pair = find_pair(m, a, b);
    ck_assert_int_ge(pair, 0);
    return trx_model_pair(m, pair).law;
}

START_TEST(all_pairs_that_can_move_meet)
{
    scene s;
    scene_open(&s);
    const trx_model *m = scene_build(&s);
    ck_assert_int_eq(m->npair, 3);
    ck_assert_int_ge(find_pair(m, "box#1", "pusher#1"), 0);
    ck_assert_int_ge(find_pair(m, "box#1", "ground#1"), 0);
    ck_assert_int_ge(find_pair(m, "pusher#1", "ground#1"), 0);
    ck_assert_int_eq(m->max_points, 1 + 8 + 1);
    scene_close(&s);
}
END_TEST

START_TEST(shape_a_is_the_smaller_kind_and_then_the_first)
{
    scene s;
    scene_open(&s);
    s.box_geometry.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.1};
    const trx_model *m = scene_build(&s);
    trx_pair_info same = trx_model_pair(m, find_pair(m, "pusher#1", "box#1"));
    ck_assert_str_eq(trx_model_geom_name(m, same.geom_a), "box#1");
    trx_pair_info other = trx_model_pair(m, find_pair(m, "pusher#1", "ground#1"));
    ck_assert_str_eq(trx_model_geom_name(m, other.geom_a), "ground#1");
    const trxi_pair pair = trxi_model_pair(m, find_pair(m, "pusher#1", "ground#1"));
    ck_assert_int_eq(pair.link_a, -1);
    ck_assert_int_eq(pair.link_b, m->bodies[PUSHER].link);
    scene_close(&s);
}
END_TEST

START_TEST(pairs_of_a_driven_tree_are_actuated)
{
    scene s;
    scene_open(&s);
    const trx_model *m = scene_build(&s);
    ck_assert(trx_model_pair(m, find_pair(m, "box#1", "pusher#1")).actuated);
    ck_assert(trx_model_pair(m, find_pair(m, "ground#1", "pusher#1")).actuated);
    ck_assert(!trx_model_pair(m, find_pair(m, "box#1", "ground#1")).actuated);
    scene_close(&s);
}
END_TEST

START_TEST(what_cannot_move_against_each_other_never_meets)
{
    // two spheres on one body, one on a body welded to it, one on a body fixed to the world
    scene s;
    scene_open(&s);
    trx_geometry_def two[2] = {s.pusher_geometry, s.pusher_geometry};
    s.bodies[PUSHER].geometry = two, s.bodies[PUSHER].ngeometry = 2;
    s.box_geometry.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.1};
    s.bodies[BOX].njoint = 0, s.bodies[BOX].parent = PUSHER;
    s.def.allow_adjacent = true;
    const trx_model *m = scene_build(&s);
    ck_assert_int_eq(find_pair(m, "pusher#1", "pusher#2"), -1);
    ck_assert_int_eq(find_pair(m, "box#1", "pusher#1"), -1);
    ck_assert_int_ge(find_pair(m, "box#1", "ground#1"), 0);
    ck_assert_int_eq(m->npair, 3);
    scene_close(&s);

    scene_open(&s);
    s.bodies[BOX].njoint = 0;
    ck_assert_int_eq(find_pair(scene_build(&s), "box#1", "ground#1"), -1);
    scene_close(&s);
}
END_TEST

START_TEST(neighbours_meet_only_when_allowed)
{
    scene s;
    scene_open(&s), s.bodies[PUSHER].parent = BOX;
    ck_assert_int_eq(find_pair(scene_build(&s), "box#1", "pusher#1"), -1);
    scene_close(&s);
    scene_open(&s), s.bodies[PUSHER].parent = BOX, s.def.allow_adjacent = true;
    ck_assert_int_ge(find_pair(scene_build(&s), "box#1", "pusher#1"), 0);
    scene_close(&s);
    // a fixed parent is a neighbour, the world is not
    scene_open(&s), s.bodies[PUSHER].parent = GROUND;
    ck_assert_int_eq(find_pair(scene_build(&s), "ground#1", "pusher#1"), -1);
    scene_close(&s);
}
END_TEST

START_TEST(pairs_are_excluded_and_picked)
{
    scene s;
    scene_open(&s), s.pusher_geometry.collide = false;
    ck_assert_int_eq(scene_build(&s)->npair, 1);
    scene_close(&s);

    trx_pair_selector entry = select(GROUND, PUSHER);
    scene_open(&s), s.def.exclude = &entry, s.def.nexclude = 1;
    const trx_model *m = scene_build(&s);
    ck_assert_int_eq(m->npair, 2);
    ck_assert_int_eq(find_pair(m, "ground#1", "pusher#1"), -1);
    scene_close(&s);

    scene_open(&s), s.def.only = &entry, s.def.nonly = 1;
    m = scene_build(&s);
    ck_assert_int_eq(m->npair, 1);
    ck_assert_int_eq(find_pair(m, "ground#1", "pusher#1"), 0);
    scene_close(&s);

    // a geometry of a body with two
    scene_open(&s);
    trx_geometry_def two[2] = {s.pusher_geometry, s.pusher_geometry};
    s.bodies[PUSHER].geometry = two, s.bodies[PUSHER].ngeometry = 2;
    entry.b.geometry = 1;
    s.def.exclude = &entry, s.def.nexclude = 1;
    m = scene_build(&s);
    ck_assert_int_ge(find_pair(m, "ground#1", "pusher#1"), 0);
    ck_assert_int_eq(find_pair(m, "ground#1", "pusher#2"), -1);
    scene_close(&s);
}
END_TEST

START_TEST(materials_combine_as_springs_in_series)
{
    scene s;
    scene_open(&s);
    const trx_model *m = scene_build(&s);
    trx_pair_law law = law_of(m, "box#1", "pusher#1"), equal = law_of(m, "box#1", "ground#1");
    assert_close(law.stiffness, 1.5e4, 1e-11);           // 2e4 and 6e4 in series
    assert_close(law.dissipation, 0.75 * 5 + 0.25 * 1, 1e-14);
    assert_close(law.relaxation_time, 0.012, 1e-16);
    assert_close(law.friction, 2 * 0.3 * 0.5 / 0.8, 1e-15);
    ck_assert_int_eq(law.approximation, TRX_LAGGED);
    ck_assert_int_eq(law.force_law, TRX_HUNT_CROSSLEY);
    assert_close(equal.stiffness, 1e4, 1e-11);
    assert_close(equal.dissipation, 5, 1e-14);
    assert_close(equal.friction, 0.3, 1e-15);

    // the contact point is on the stiffer side: A the box (2e4), B the pusher (6e4)
    assert_close(trxi_model_pair(m, find_pair(m, "box#1", "pusher#1")).weight_b, 0.75, 1e-15);
    assert_close(trxi_model_pair(m, find_pair(m, "box#1", "ground#1")).weight_b, 0.5, 1e-15);
    scene_close(&s);
}
END_TEST

// the larger of two lengths counts, with the approximation lagged alone. An override is final; an override with another
// approximation removes the lengths
START_TEST(of_two_lengths_of_turning_friction_the_larger_counts)
{
    scene s;
    trx_pair_override own[2] = {override_of(BOX, GROUND), override_of(PUSHER, GROUND)};
    own[0].rolling_friction = 0.003;
    own[1].approximation = TRX_SIMILAR;
    for (int a = 0; a < TRX_SAP; a++) {
        scene_open(&s), s.def.overrides = own, s.def.noverride = 2;
        s.def.approximation = (trx_approximation)a;
        s.materials[0].torsional_friction = 0.01, s.materials[0].rolling_friction = 0.002;
        s.materials[1].torsional_friction = 0.02;
        if (a >= TRX_SIMILAR) s.def.noverride = 0;
        const trx_model *m = scene_build(&s);
        trx_pair_law law = law_of(m, "box#1", "pusher#1"), same = law_of(m, "box#1", "ground#1");
        assert_close(law.torsional_friction, a < TRX_SIMILAR ? 0.02 : 0, 0);
        assert_close(law.rolling_friction, a < TRX_SIMILAR ? 0.002 : 0, 0);
        assert_close(same.torsional_friction, a < TRX_SIMILAR ? 0.01 : 0, 0);
        assert_close(same.rolling_friction, a < TRX_SIMILAR ? 0.003 : 0, 0);
        assert_close(law_of(m, "ground#1", "pusher#1").torsional_friction, 0, 0);
        scene_close(&s);
    }

    scene_open(&s), s.materials[1].rolling_friction = -1;
    scene_refuses(&s, LINE_TIP, "material 'tip': rolling_friction is -1; it must be finite and not negative");
}
END_TEST

START_TEST(a_rigid_side_leaves_the_other_ones_values)
{
    scene s;
    scene_open(&s), s.materials[1].rigid = true;
    const trx_model *m = scene_build(&s);
    trx_pair_law law = law_of(m, "box#1", "pusher#1");
    assert_close(law.stiffness, 2e4, 0);
    assert_close(law.dissipation, 5, 0);
    assert_close(trxi_model_pair(m, find_pair(m, "box#1", "pusher#1")).weight_b, 1, 0);
    scene_close(&s);
    scene_open(&s), s.materials[0].rigid = true, s.bodies[BOX].ngeometry = 0;
    m = scene_build(&s);
    assert_close(law_of(m, "ground#1", "pusher#1").stiffness, 6e4, 0);
    assert_close(trxi_model_pair(m, 0).weight_b, 0, 0);
    scene_close(&s);
}
END_TEST

START_TEST(zeros_combine_to_zero)
{
    scene s;
    scene_open(&s);
    for (int i = 0; i < 2; i++) s.materials[i].stiffness = s.materials[i].friction = 0;
    const trx_model *m = scene_build(&s);
    trx_pair_law law = law_of(m, "box#1", "pusher#1");
    ck_assert(law.stiffness == 0 && law.dissipation == 0 && law.friction == 0);
    assert_close(trxi_model_pair(m, find_pair(m, "box#1", "pusher#1")).weight_b, 0.5, 0);
    scene_close(&s);
}
END_TEST

START_TEST(two_rigid_bodies_need_a_stiffness)
{
    scene s;
    scene_open(&s), s.materials[0].rigid = true;
    scene_refuses(&s, LINE_GROUND_GEOMETRY, "'ground#1' and 'box#1' are both rigid: give one of them a stiffness");

    // a stiffness of the pair is enough
    trx_pair_override own = override_of(BOX, GROUND);
    own.stiffness = 1e6;
    scene_open(&s), s.materials[0].rigid = true, s.def.overrides = &own, s.def.noverride = 1;
    const trx_model *m = scene_build(&s);
    assert_close(law_of(m, "box#1", "ground#1").stiffness, 1e6, 0);
    ck_assert(law_of(m, "box#1", "ground#1").dissipation == 0);
    assert_close(trxi_model_pair(m, find_pair(m, "box#1", "ground#1")).weight_b, 0.5, 0);
    scene_close(&s);
}
END_TEST

START_TEST(overrides_are_final_and_do_not_move_the_contact_point)
{
    scene s;
    trx_pair_override own = override_of(PUSHER, BOX);
    own.friction = 0, own.stiffness = 123;
    scene_open(&s), s.def.overrides = &own, s.def.noverride = 1;
    const trx_model *m = scene_build(&s);
    trx_pair_law law = law_of(m, "box#1", "pusher#1");
    ck_assert(law.friction == 0);
    assert_close(law.stiffness, 123, 0);
    assert_close(law.dissipation, 4, 1e-14);
    assert_close(trxi_model_pair(m, find_pair(m, "box#1", "pusher#1")).weight_b, 0.75, 1e-15);
    assert_close(law_of(m, "box#1", "ground#1").friction, 0.3, 1e-15);
    scene_close(&s);
}
END_TEST

START_TEST(geometries_beat_bodies_and_later_beats_earlier)
{
    scene s;
    trx_pair_override list[4] = {override_of(BOX, PUSHER), override_of(BOX, PUSHER), override_of(PUSHER, BOX),
                                 override_of(BOX, PUSHER)};
    list[0].pair.a.geometry = 0, list[0].friction = 0.1, list[0].stiffness = 100; // names a geometry
    list[1].friction = 0.2, list[1].dissipation = 20;
    list[2].pair.b.geometry = 0, list[2].friction = 0.3; // names a geometry, later
    list[3].friction = 0.4, list[3].dissipation = 40, list[3].stiffness = 400;
    scene_open(&s), s.def.overrides = list, s.def.noverride = 4;
    trx_pair_law law = law_of(scene_build(&s), "box#1", "pusher#1");
    assert_close(law.friction, 0.3, 0);
    assert_close(law.stiffness, 100, 0);
    assert_close(law.dissipation, 40, 0);
    scene_close(&s);
}
END_TEST

START_TEST(laws_and_approximations_that_fit_are_taken)
{
    const trx_approximation approximations[] = {TRX_LAGGED, TRX_LAGGED_REGULARIZED, TRX_SIMILAR,
                                                TRX_SIMILAR_REGULARIZED, TRX_SAP};
    const trx_force_law laws[] = {TRX_HUNT_CROSSLEY, TRX_KELVIN_VOIGT, TRX_SMOOTHED, TRX_HERTZ, TRX_LOG_BARRIER, TRX_IPC};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++) {
            scene s;
            scene_open(&s);
            s.def.approximation = approximations[i], s.def.force_law = laws[j], s.def.smoothing = 0.01;
            s.def.barrier = 5, s.def.reach = 0.002;
            if (approximations[i] == TRX_SAP && laws[j] != TRX_KELVIN_VOIGT) {
                // once for the model: its pairs do not repeat it
                scene_refuses(&s, 0, "approximation sap takes only force_law kelvin_voigt, not");
                continue;
            }
            trx_pair_law law = law_of(scene_build(&s), "box#1", "ground#1");
            ck_assert_int_eq(law.approximation, approximations[i]);
            ck_assert_int_eq(law.force_law, laws[j]);
            assert_close(law.smoothing, 0.01, 0);
            scene_close(&s);
        }
}
END_TEST

// a step with such a law would use an uninitialized impulse
START_TEST(laws_that_do_not_exist_are_refused)
{
    scene s;
    scene_open(&s), s.def.approximation = (trx_approximation)9;
    scene_refuses(&s, 0, "there is no approximation 9");
    scene_open(&s), s.def.force_law = (trx_force_law)7;
    scene_refuses(&s, 0, "there is no force law 7");
    trx_pair_override own = override_of(BOX, GROUND);
    own.approximation = -2;
    scene_open(&s), s.def.overrides = &own, s.def.noverride = 1;
    scene_refuses(&s, LINE_PAIR, "there is no approximation -2");
    own = override_of(BOX, GROUND), own.force_law = TRX_USER_LAW; // has no function here
    scene_open(&s), s.def.overrides = &own, s.def.noverride = 1;
    scene_refuses(&s, LINE_PAIR, "there is no force law 6");
}
END_TEST

START_TEST(sap_in_an_override_implies_kelvin_voigt)
{
    scene s;
    trx_pair_override own = override_of(BOX, GROUND);
    own.approximation = TRX_SAP, own.relaxation_time = 0.1;
    scene_open(&s), s.def.overrides = &own, s.def.noverride = 1;
    const trx_model *m = scene_build(&s);
    ck_assert_int_eq(law_of(m, "box#1", "ground#1").force_law, TRX_KELVIN_VOIGT);
    ck_assert_int_eq(law_of(m, "box#1", "pusher#1").force_law, TRX_HUNT_CROSSLEY);
    scene_close(&s);
}
END_TEST

START_TEST(smoothing_is_checked)
{
    scene s;
    scene_open(&s), s.def.force_law = TRX_SMOOTHED;
    scene_refuses(&s, 0, "force_law smoothed needs a smoothing length above 0");
    scene_open(&s), s.def.smoothing = -1;
    scene_refuses(&s, 0, "smoothing is -1; it must be finite and not negative");
}
END_TEST

// the body that the override names first carries the axis, whether it has geometry A or B of the pair
START_TEST(an_override_gives_every_number_of_friction)
{
    for (int order = 0; order < 2; order++) {
        scene s;
        trx_pair_override own = order ? override_of(GROUND, BOX) : override_of(BOX, GROUND);
        own.axis[0] = 0, own.axis[1] = 2, own.axis[2] = 0;
        own.friction = 0.4, own.friction_across = 0.2, own.dynamic_friction = 0.3, own.slip_speed = 0.1;
        own.torsional_friction = 0.01, own.rolling_friction = 0.002;
        scene_open(&s), s.def.overrides = &own, s.def.noverride = 1;
        const trx_model *m = scene_build(&s);
        trx_pair_law law = law_of(m, "box#1", "ground#1");
        ck_assert(law.axis[1] == 2 && law.friction == 0.4 && law.friction_across == 0.2 && law.dynamic_friction == 0.3);
        ck_assert(law.slip_speed == 0.1 && law.torsional_friction == 0.01 && law.rolling_friction == 0.002);
        for (int i = 0; i < trx_model_get_size(m).npair; i++) {
            trx_pair_info pair = trx_model_pair(m, i);
            if (pair.law.axis[1] == 0) continue;
            int carrier = trx_model_geom(m, pair.law.axis_on_b ? pair.geom_b : pair.geom_a).body;
            ck_assert_int_eq(carrier, trx_model_find_body(m, order ? "ground" : "box"));
        }
        scene_close(&s);
    }
}
END_TEST

START_TEST(overrides_are_checked)
{
    scene s;
    trx_pair_override own = override_of(BOX, GROUND);
    own.friction = -1;
    scene_open(&s), s.def.overrides = &own, s.def.noverride = 1;
    scene_refuses(&s, LINE_PAIR, "friction is -1; it must be finite and not negative");
    own = override_of(BOX, GROUND), own.force_law = TRX_SMOOTHED;
    scene_open(&s), s.def.overrides = &own, s.def.noverride = 1;
    scene_refuses(&s, LINE_PAIR, "force_law smoothed needs a smoothing length above 0");
    own = override_of(BOX, GROUND), own.approximation = TRX_SAP, own.force_law = TRX_HUNT_CROSSLEY;
    scene_open(&s), s.def.overrides = &own, s.def.noverride = 1;
    scene_refuses(&s, LINE_PAIR, "approximation sap takes only force_law kelvin_voigt, not hunt_crossley");
    own = override_of(BOX, GROUND), own.force_law = TRX_KELVIN_VOIGT, own.dissipation = 1;
    scene_open(&s), s.def.overrides = &own, s.def.noverride = 1;
    scene_refuses(&s, LINE_PAIR, "dissipation does not serve kelvin_voigt; give relaxation_time");
    own = override_of(BOX, GROUND), own.force_law = TRX_HUNT_CROSSLEY, own.relaxation_time = 1;
    scene_open(&s), s.def.overrides = &own, s.def.noverride = 1;
    scene_refuses(&s, LINE_PAIR, "relaxation_time serves only kelvin_voigt; give dissipation for hunt_crossley");
}
END_TEST

START_TEST(selectors_must_name_something)
{
    scene s;
    trx_pair_selector entry = select(BOX, 3);
    scene_open(&s), s.def.exclude = &entry, s.def.nexclude = 1;
    scene_refuses(&s, LINE_PAIR, "this pair names a geometry that does not exist");
    entry = select(BOX, GROUND), entry.a.geometry = 1;
    scene_open(&s), s.def.only = &entry, s.def.nonly = 1;
    scene_refuses(&s, LINE_PAIR, "this pair names a geometry that does not exist");
}
END_TEST

START_TEST(entries_without_effect_are_warned_about)
{
    scene s;
    trx_pair_selector hidden = select(GROUND, PUSHER), shown = select(BOX, PUSHER);
    trx_pair_override own = override_of(GROUND, PUSHER);
    own.friction = 1;
    scene_open(&s);
    s.def.exclude = &hidden, s.def.nexclude = 1;
    s.def.overrides = &own, s.def.noverride = 1;
    s.def.only = &shown, s.def.nonly = 1;
    scene_build(&s);
    ck_assert_int_eq(trx_context_diagnostic_count(s.context), 1);
    trx_diagnostic found = trx_context_diagnostic(s.context, 0);
    ck_assert_int_eq(found.severity, TRX_WARNING);
    ck_assert_int_eq(found.source.line, LINE_PAIR);
    ck_assert_str_eq(found.text, "override: 'ground' and 'pusher' never meet, so this has no effect");
    scene_close(&s);
}
END_TEST

START_TEST(shapes_that_are_not_served_say_what_to_do)
{
    scene s;
    scene_open(&s), s.pusher_geometry.shape = (trx_shape){.type = TRX_SHAPE_HALFSPACE};
    s.pusher_geometry.mass = trx_geometry_def_default().mass;
    s.bodies[PUSHER].has_inertia = true;
    s.bodies[PUSHER].inertia = (trx_body_inertia){.mass = 1, .tensor = {1, 1, 1}};
    ck_assert_int_eq(trx_model_create(s.context, &s.def, &s.model), TRX_ERR_INPUT);
    bool found = false;
    for (int i = 0; i < trx_context_error_count(s.context); i++) {
        trx_diagnostic error = trx_context_diagnostic(s.context, i);
        if (!strstr(error.text, "halfspace 'pusher#1'")) continue;
        found = true;
        ck_assert_int_eq(error.source.line, LINE_GROUND_GEOMETRY);
        ck_assert_str_eq(error.text, "contact of halfspace 'pusher#1' and halfspace 'ground#1' is not in this version: "
                                     "exclude the pair in contact.pairs, or give one of them collide: false");
    }
    ck_assert(found);
    s.pusher_geometry.shape = (trx_shape){.type = TRX_SHAPE_CYLINDER, .radius = 0.1, .length = 0.1};
    trx_context_clear(s.context);
    scene_build(&s);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/pairs");
    TCase *cases = tcase_create("pairs");
    tcase_add_test(cases, all_pairs_that_can_move_meet);
    tcase_add_test(cases, shape_a_is_the_smaller_kind_and_then_the_first);
    tcase_add_test(cases, pairs_of_a_driven_tree_are_actuated);
    tcase_add_test(cases, what_cannot_move_against_each_other_never_meets);
    tcase_add_test(cases, neighbours_meet_only_when_allowed);
    tcase_add_test(cases, pairs_are_excluded_and_picked);
    tcase_add_test(cases, materials_combine_as_springs_in_series);
    tcase_add_test(cases, of_two_lengths_of_turning_friction_the_larger_counts);
    tcase_add_test(cases, a_rigid_side_leaves_the_other_ones_values);
    tcase_add_test(cases, zeros_combine_to_zero);
    tcase_add_test(cases, two_rigid_bodies_need_a_stiffness);
    tcase_add_test(cases, overrides_are_final_and_do_not_move_the_contact_point);
    tcase_add_test(cases, geometries_beat_bodies_and_later_beats_earlier);
    tcase_add_test(cases, laws_and_approximations_that_fit_are_taken);
    tcase_add_test(cases, laws_that_do_not_exist_are_refused);
    tcase_add_test(cases, sap_in_an_override_implies_kelvin_voigt);
    tcase_add_test(cases, smoothing_is_checked);
    tcase_add_test(cases, an_override_gives_every_number_of_friction);
    tcase_add_test(cases, overrides_are_checked);
    tcase_add_test(cases, selectors_must_name_something);
    tcase_add_test(cases, entries_without_effect_are_warned_about);
    tcase_add_test(cases, shapes_that_are_not_served_say_what_to_do);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
