// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The language of `of:`: how a text is parsed, the object and the length of every quantity, unsupported texts.

#include "loading.h"

#include "problem/problem.h"
#include "problem/quantity.h"

#include <stdio.h>
#include <string.h>

START_TEST(texts_are_taken_apart)
{
    static const struct {
        const char *text, *function, *first, *second, *name, *member;
    } cases[] = {
        {"box.position", NULL, NULL, NULL, "box", "position"},
        {"control", NULL, NULL, NULL, "control", NULL},
        {"joints(arm).velocity", "joints", "arm", NULL, NULL, "velocity"},
        {"distance(box, pusher#1)", "distance", "box", "pusher#1", NULL, NULL},
        {"distance( box ,ball )", "distance", "box", "ball", NULL, NULL},
        {"robot/hand.spin", NULL, NULL, NULL, "robot/hand", "spin"},
    };
    desk d = desk_open("a: 1\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trxi_parts parts;
        ck_assert_msg(trxi_parts_split(&d.reader, cases[i].text, &parts), "%s", cases[i].text);
        const char *found[] = {parts.function, parts.arguments[0], parts.arguments[1], parts.name, parts.member};
        const char *expected[] = {cases[i].function, cases[i].first, cases[i].second, cases[i].name, cases[i].member};
        for (int k = 0; k < 5; k++) {
            ck_assert_msg((found[k] == NULL) == (expected[k] == NULL), "%s: part %d", cases[i].text, k);
            if (found[k]) ck_assert_str_eq(found[k], expected[k]);
        }
    }
    static const char *const bad[] = {"", ".position", "box.", "box.position.x", "joints(arm", "joints().velocity",
                                      "f(a, b, c)", "f(a,)", "f(a)b", "f(a).", "box.pos ition", "f(a).b(c)"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        trxi_parts parts;
        ck_assert_msg(!trxi_parts_split(&d.reader, bad[i], &parts), "%s", bad[i]);
    }
    desk_close(&d);
}
END_TEST

// reads `text` as a quantity of the loaded problem's scene
static bool read(desk *d, const fixture *f, const char *text, trxi_quantity *quantity)
{
    char yaml[256];
    snprintf(yaml, sizeof yaml, "of: \"%s\"\n", text);
    *d = desk_open(yaml);
    return trxi_read_quantity(&d->reader, trxi_yaml_get(d->root, "of"), &f->problem->scene, quantity);
}

START_TEST(every_quantity_knows_what_it_is_of)
{
    // of PUSH: bodies box 0, pusher 1, ground 2; nq 9, nv 8, nu 2
    static const struct {
        const char *text;
        trx_quantity quantity;
        int body, index, dimension, target_length;
    } cases[] = {
        {"box.position", TRX_BODY_POSITION, 0, -1, 3, 3},
        {"box.orientation", TRX_BODY_ORIENTATION, 0, -1, 3, 4},
        {"ground.velocity", TRX_BODY_VELOCITY, 2, -1, 3, 3},
        {"pusher.spin", TRX_BODY_SPIN, 1, -1, 3, 3},
        {"tip.position", TRX_FRAME_POSITION, 1, 0, 3, 3},
        {"tip.orientation", TRX_FRAME_ORIENTATION, 1, 0, 3, 4},
        {"tip.velocity", TRX_FRAME_VELOCITY, 1, 0, 3, 3},
        {"tip.spin", TRX_FRAME_SPIN, 1, 0, 3, 3},
        {"py.position", TRX_JOINT_POSITION, 1, 1, 1, 1},
        {"px.velocity", TRX_JOINT_VELOCITY, 1, 0, 1, 1},
        {"joint(py).position", TRX_JOINT_POSITION, 1, 1, 1, 1},
        {"joint( px ).velocity", TRX_JOINT_VELOCITY, 1, 0, 1, 1},
        {"joints(pusher).position", TRX_JOINT_POSITION, -1, -1, 2, 2},
        {"joints(pusher).velocity", TRX_JOINT_VELOCITY, -1, -1, 2, 2},
        {"position", TRX_POSITION, -1, -1, 8, 9},
        {"velocity", TRX_VELOCITY, -1, -1, 8, 8},
        {"control", TRX_CONTROL, -1, -1, 2, 2},
        {"distance(box, pusher#1)", TRX_DISTANCE, -1, -1, 1, 1},
        {"control_rate", TRX_CONTROL_RATE, -1, -1, 2, 2},
        {"force(pusher#1, box)", TRX_CONTACT_FORCE, -1, -1, 3, 3},
        {"com.position", TRX_COM_POSITION, -1, -1, 3, 3},
        {"com(pusher).velocity", TRX_COM_VELOCITY, -1, -1, 3, 3},
    };
    fixture f = fixture_open();
    load_good(&f, PUSH);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        desk d;
        trxi_quantity q;
        ck_assert_msg(read(&d, &f, cases[i].text, &q), "%s", cases[i].text);
        ck_assert_str_eq(q.text, cases[i].text);
        ck_assert(q.quantity == cases[i].quantity);
        ck_assert_int_eq(q.dimension, cases[i].dimension);
        ck_assert_int_eq(q.target_length, cases[i].target_length);
        ck_assert_int_eq(q.body, cases[i].body);
        if (q.quantity >= TRX_FRAME_POSITION) ck_assert_int_eq(q.index, cases[i].index);
        assert_errors(&d, NULL, 0);
        desk_close(&d);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(sets_know_what_they_are_of)
{
    fixture f = fixture_open();
    load_good(&f, PUSH);
    desk d;
    trxi_quantity q;
    ck_assert(read(&d, &f, "distance(pusher, box#1)", &q));
    ck_assert(q.sides[0].body == 1 && q.sides[0].geometry == -1 && q.sides[0].include == -1);
    ck_assert(q.sides[1].body == 0 && q.sides[1].geometry == 0);
    desk_close(&d);
    ck_assert(read(&d, &f, "joints(pusher).position", &q) && q.sides[0].body == 1);
    desk_close(&d);
    ck_assert(read(&d, &f, "com(box).position", &q) && q.sides[0].body == 0 && !q.all);
    desk_close(&d);
    ck_assert(read(&d, &f, "com.velocity", &q) && q.all);
    desk_close(&d);
    fixture_close(&f);
}
END_TEST

START_TEST(wrong_quantities_say_what_there_is)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"box", "\"box\" is not a quantity: write box.position, orientation, velocity or spin"},
        {"box.positoin", "unknown quantity \"positoin\": did you mean \"position\"?"},
        {"px.spin", "\"px.spin\": unknown quantity \"spin\": write position or velocity"},
        {"bocks.position", "unknown body, joint or frame \"bocks\""},
        {"contrl", "unknown quantity \"contrl\": did you mean \"control\"?"},
        {"everything", "write NAME.position, position, velocity, control or control_rate"},
        {"control.rate", "\"control.rate\": \"control\" is a quantity by itself: write control or control_rate"},
        {"position.px", "\"position\" is a quantity by itself: write position"},
        {"joints(box).position", "neither \"box\" nor what hangs on it has a hinge or slide"},
        {"joints(pusher)", "is not a quantity: write joints(pusher).position or velocity"},
        {"jonts(pusher).position", "did you mean \"joints\"?"},
        {"joint(box#1).position", "\"box#1\" is a geometry, but a joint is needed here"},
        {"joint(px)", "is not a quantity: write joint(px).position or velocity"},
        {"speed(pusher)", "write joints(NAME).position, com(NAME).position, distance(A, B) or force(A, B)"},
        {"distance(box)", "write distance(A, B)"},
        {"distance(box, bal)", "unknown body or geometry \"bal\""},
        {"distance(box, box#1)", "the distance within one body never changes: write two bodies"},
        {"distance(box, tip)", "\"tip\" is a frame, but a body or geometry is needed here"},
        {"com(px).position", "\"px\" is a joint, but a body is needed here"},
        {"com(box)", "is not a quantity: write com(box).position or velocity"},
        {"com.spin", "\"com.spin\": unknown quantity \"spin\""},
        {"box.position.x", "is not a quantity: write NAME.position or another"},
    };
    fixture f = fixture_open();
    load_good(&f, PUSH);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        desk d;
        trxi_quantity q;
        ck_assert_msg(!read(&d, &f, cases[i].text, &q), "%s", cases[i].text);
        assert_errors(&d, &cases[i].words, 1);
        desk_close(&d);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(joints_with_more_than_one_number_point_to_their_body)
{
    fixture f = fixture_open();
    load_good(&f, "tractrix: 1\n"
                  "model:\n"
                  "  bodies:\n"
                  "    - {name: top, joints: [{name: socket, type: ball}], inertia: {mass: 1, tensor: [1, 1, 1]}}\n"
                  "time: {step: 0.01, steps: 1}\n");
    desk d;
    trxi_quantity q;
    ck_assert(!read(&d, &f, "socket.position", &q));
    const char *const words[] = {"a joint with 3 degrees of freedom: write top.orientation"};
    assert_errors(&d, words, 1);
    desk_close(&d);
    fixture_close(&f);
}
END_TEST

START_TEST(keys_of_what_is_only_validated_are_checked)
{
    fixture f = fixture_open();
    load_good(&f, PUSH);
    desk d = desk_open("box: 1\n");
    trxi_check_quantity_key(&d.reader, d.root->source, "force(box, ground)", &f.problem->scene);
    assert_errors(&d, NULL, 0);
    trxi_check_quantity_key(&d.reader, d.root->source, "box.weight", &f.problem->scene);
    ck_assert_int_eq(trx_context_error_count(d.context), 1);
    desk_close(&d);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/quantity");
    TCase *cases = tcase_create("quantity");
    tcase_add_test(cases, texts_are_taken_apart);
    tcase_add_test(cases, every_quantity_knows_what_it_is_of);
    tcase_add_test(cases, sets_know_what_they_are_of);
    tcase_add_test(cases, wrong_quantities_say_what_there_is);
    tcase_add_test(cases, joints_with_more_than_one_number_point_to_their_body);
    tcase_add_test(cases, keys_of_what_is_only_validated_are_checked);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
