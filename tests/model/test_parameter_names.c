// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Names of parameters: from parameter to name and back for all parameters of a model, and messages about wrong names.

#include "support/support.h"

#include <string.h>
#include <tractrix/problem.h>

static const char text[] =
    "tractrix: 1\n"
    "model:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    - {name: ground, geometry: [{shape: halfspace}]}\n"
    "    - {name: hook}\n"
    "    - {name: nail}\n"
    "    - {name: box, joint: free, geometry: [{shape: box, size: [0.1, 0.1, 0.1], mass: 1}, {name: knob, "
    "shape: sphere, radius: 0.02}]}\n"
    "    - name: arm\n"
    "      joints: [{name: px, type: slide, axis: [1, 0, 0], friction: 0.1, stiffness: 2}]\n"
    "      inertia: {mass: 1, com: [0, 0, 0.1], tensor: [0.01, 0.01, 0.01]}\n"
    "      geometry: [{shape: capsule, radius: 0.03, length: 0.1}]\n"
    "  actuators:\n"
    "    - {name: drive, joint: px, type: pd, kp: 5, kd: 0.1}\n"
    "  constraints:\n"
    "    - {name: rope, type: distance, bodies: [hook, box], length: 0.3}\n"
    "time: {step: 0.01, steps: 1}\n";

static trx_context *context;
static trx_problem *problem;
static const trx_model *model;

static void setup(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trx_status status = trx_problem_load_text(context, "names.yaml", text, sizeof text - 1, NULL, &problem);
    ck_assert_msg(status >= 0, "%s", trx_context_message(context));
    model = trx_problem_model(problem);
}

static void teardown(void)
{
    trx_problem_destroy(problem);
    trx_context_destroy(context);
}

START_TEST(every_parameter_of_the_list_is_found_by_its_name)
{
    trx_parameter list[200];
    int count = trx_model_parameters(model, list, 200);
    ck_assert_int_ge(count, 50);
    ck_assert_int_le(count, 200);
    ck_assert_int_eq(trx_model_parameters(model, NULL, 0), count);
    for (int i = 0; i < count; i++) {
        char name[100], short_name[4];
        trx_parameter found;
        ck_assert(trx_model_parameter_name(model, list[i], name, sizeof name));
        ck_assert(!trx_model_parameter_name(model, list[i], short_name, sizeof short_name));
        ck_assert_msg(trx_model_find_parameter(context, model, name, &found) == TRX_OK, "%s: %s", name,
                      trx_context_message(context));
        ck_assert_msg(found.kind == list[i].kind && found.component == list[i].component, "%s", name);
        bool unused = found.kind == TRX_GRAVITY || found.kind == TRX_STICTION_TOLERANCE ||
                      found.kind == TRX_JOINT_STICTION_TOLERANCE;
        ck_assert_msg(unused || found.index == list[i].index, "%s", name);
    }
}
END_TEST

// the fixed bodies hook and nail have no geometry and carry no body; a rope is tied to the hook
START_TEST(poses_are_listed_where_they_make_a_difference)
{
    trx_parameter list[200];
    int count = trx_model_parameters(model, list, 200), hook = 0, nail = 0;
    for (int i = 0; i < count; i++) {
        const bool place = list[i].kind == TRX_PLACE_POSITION || list[i].kind == TRX_PLACE_TURN;
        hook += place && list[i].index == trx_model_find_body(model, "hook");
        nail += place && list[i].index == trx_model_find_body(model, "nail");
    }
    ck_assert_int_eq(hook, 6);
    ck_assert_int_eq(nail, 0);
}
END_TEST

START_TEST(names_are_those_of_the_problem_file)
{
    static const char *const names[] = {"box.mass", "box.com.x", "box.inertia.xy", "pair(box, ground).friction",
                                        "pair( ground ,box ).stiffness", "pair(knob, ground).friction", "px.damping", "px.rest",
                                        "gravity.z", "ground.pose.z", "ground.pose.rx", "box#1.size.x", "knob.radius",
                                        "arm#1.length", "drive.kp", "contact.stiction_tolerance", "box.tensor.xx"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        trx_parameter p;
        ck_assert_msg(trx_model_find_parameter(context, model, names[i], &p) == TRX_OK, "%s: %s", names[i],
                      trx_context_message(context));
    }
}
END_TEST

START_TEST(a_wrong_name_is_answered_with_what_comes_near)
{
    static const struct {
        const char *name, *answer;
        trx_status status;
    } wrong[] = {{"box.mas", "did you mean \"box.mass\"?", TRX_ERR_INPUT},
                 {"bix.mass", "did you mean \"box\"?", TRX_ERR_INPUT},
                 {"box.colour", "those of box are damping", TRX_ERR_INPUT},
                 {"pair(box, grond).friction", "did you mean \"ground\"?", TRX_ERR_INPUT},
                 {"pair(box, ground).frction", "did you mean \"pair(box, ground).friction\"?", TRX_ERR_INPUT},
                 {"pair(ground, ground).friction", "no pair", TRX_ERR_INPUT},
                 {"pair(box, ground)", "write BODY.mass", TRX_ERR_INPUT},
                 {"mass", "write BODY.mass", TRX_ERR_INPUT},
                 {"pair(box, ground#1).friction", "name two geometries or two bodies", TRX_ERR_INPUT},
                 {"box.pose.x", "moved by joints", TRX_ERR_UNSUPPORTED},
                 {"box#1.radius", "no such size", TRX_ERR_UNSUPPORTED},
                 {"box.friction", "no dry friction", TRX_ERR_UNSUPPORTED}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        trx_parameter p;
        trx_status status = trx_model_find_parameter(context, model, wrong[i].name, &p);
        ck_assert_msg(status == wrong[i].status && strstr(trx_context_message(context), wrong[i].answer), "%s: %d, %s",
                      wrong[i].name, (int)status, trx_context_message(context));
    }
    trx_parameter p;
    ck_assert_int_eq(trx_model_find_parameter(context, model, NULL, &p), TRX_ERR_ARGUMENT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/parameter_names");
    TCase *cases = tcase_create("parameter_names");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, every_parameter_of_the_list_is_found_by_its_name);
    tcase_add_test(cases, poses_are_listed_where_they_make_a_difference);
    tcase_add_test(cases, names_are_those_of_the_problem_file);
    tcase_add_test(cases, a_wrong_name_is_answered_with_what_comes_near);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
