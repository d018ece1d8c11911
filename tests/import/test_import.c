// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The doors of the import: options, formats by their root element, files and texts, memory that runs out.

#include "import/robots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static trx_status load(const char *text, const trx_import_options *options, char message[600])
{
    trx_context *context;
    trx_import *import;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trx_status status = trx_import_load_text(context, "robot.urdf", text, strlen(text), options, &import);
    ck_assert((status < 0) == (import == NULL));
    snprintf(message, 600, "%s", trx_context_message(context));
    trx_import_destroy(import);
    trx_context_destroy(context);
    return status;
}

START_TEST(formats_are_told_by_the_first_element)
{
    char message[600];
    ck_assert_int_eq(load("<robot>" LINK("a", "") "</robot>", NULL, message), TRX_OK);
    ck_assert_int_eq(load("<mujoco><worldbody/></mujoco>", NULL, message), TRX_OK);
    ck_assert_int_eq(load("<?xml version=\"1.0\"?>\n<sdf version=\"1.3\"><model/></sdf>", NULL, message),
                     TRX_ERR_UNSUPPORTED);
    ck_assert_str_eq(message, "not in this version: SDF \"1.3\" (robot.urdf:2:1): write version 1.4 to 1.11");
    ck_assert_int_eq(load("<COLLADA/>", NULL, message), TRX_ERR_INPUT);
    ck_assert_str_eq(message, "robot.urdf:1:1: <COLLADA> is no robot: the first element must be <robot> (URDF), "
                              "<mujoco> (MJCF) or <sdf> (SDF)");
    ck_assert_int_eq(load("bodies: []", NULL, message), TRX_ERR_INPUT);
}
END_TEST

START_TEST(a_file_and_its_text_are_the_same_robot)
{
    robot r = read_data("arm.urdf", NULL);
    ck_assert_int_eq(r.result->def.nbody, 6);
    ck_assert_str_eq(r.result->def.bodies[0].source.file, "tests/import/data/arm.urdf");
    free_robot(&r);
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_an_io_error)
{
    trx_context *context;
    trx_import *import;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    ck_assert_int_eq(trx_import_load(context, "tests/import/data/nothing.urdf", NULL, &import), TRX_ERR_IO);
    ck_assert(import == NULL);
    ck_assert(strstr(trx_context_message(context), "cannot read 'tests/import/data/nothing.urdf'") != NULL);
    trx_context_destroy(context);
}
END_TEST

START_TEST(odd_arguments_are_a_status)
{
    trx_context *context;
    trx_import *import;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    ck_assert_int_eq(trx_import_load(NULL, "a", NULL, &import), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_import_load(context, NULL, NULL, &import), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_import_load(context, "a", NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_import_load_text(context, "a", NULL, 0, NULL, &import), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_import_load_text(context, NULL, "a", 1, NULL, &import), TRX_ERR_ARGUMENT);
    trx_import_destroy(NULL);
    ck_assert(trx_import_get(NULL) == NULL);
    trx_context_destroy(context);
}
END_TEST

START_TEST(options_are_checked)
{
    char message[600];
    const char *text = "<robot>" LINK("a", "") "</robot>";
    trx_import_options zeroed = {0}, options = trx_import_options_default();
    ck_assert_int_eq(load(text, &zeroed, message), TRX_ERR_ARGUMENT);
    ck_assert(strstr(message, "trx_import_options_default") != NULL);

    static const char *const prefixes[] = {"2nd", "a b", "a/b", "_", "\xc3\xa4"};
    for (int i = 0; i < 5; i++) {
        options.prefix = prefixes[i];
        ck_assert_int_eq(load(text, &options, message), TRX_ERR_ARGUMENT);
        ck_assert(strstr(message, "is no name") != NULL);
    }
    options.prefix = "arm-2_b";
    ck_assert_int_eq(load(text, &options, message), TRX_OK);

    static const char *const packages[] = {"a", "=b", "a=", NULL};
    options.npackage = 1;
    for (int i = 0; i < 4; i++) {
        options.packages = packages + i;
        ck_assert_int_eq(load(text, &options, message), TRX_ERR_ARGUMENT);
        ck_assert(strstr(message, "write NAME=DIR") != NULL);
    }
    options.packages = NULL;
    ck_assert_int_eq(load(text, &options, message), TRX_ERR_ARGUMENT);

    options = trx_import_options_default();
    options.pose.quat[0] = 0;
    ck_assert_int_eq(load(text, &options, message), TRX_ERR_ARGUMENT);
    options.pose.quat[0] = NAN;
    ck_assert_int_eq(load(text, &options, message), TRX_ERR_ARGUMENT);
    options = trx_import_options_default();
    options.base = (trx_base)17;
    ck_assert_int_eq(load(text, &options, message), TRX_ERR_ARGUMENT);
    options = trx_import_options_default();
    options.repair = (trx_repair_inertia)-1;
    ck_assert_int_eq(load(text, &options, message), TRX_ERR_ARGUMENT);
}
END_TEST

START_TEST(kinds_of_notes_have_names)
{
    ck_assert_str_eq(trx_note_kind_name(TRX_NOTE_ASSUMED), "assumed");
    ck_assert_str_eq(trx_note_kind_name(TRX_NOTE_REPLACED), "replaced");
    ck_assert_str_eq(trx_note_kind_name(TRX_NOTE_DROPPED), "dropped");
    ck_assert_str_eq(trx_note_kind_name(TRX_NOTE_REPAIRED), "repaired");
    ck_assert_str_eq(trx_note_kind_name((trx_note_kind)99), "");
}
END_TEST

// a mesh, a colour, couplers, filters, drives, names that must change, a floating joint on a link that moves
static const char everything[] = ROBOT(
    "<material name=\"red\"><color rgba=\"1 0 0 1\"/></material>\n"
    LINK("1 base", "<collision name=\"1 base\"><geometry><mesh filename=\"tetrahedron.obj\" scale=\"-1 2 1\"/>"
                   "</geometry></collision>"
                   "<visual><geometry><mesh filename=\"missing.dae\"/></geometry><material name=\"red\"/></visual>")
    LINK("arm", "<unknown/>") LINK("hand", "") LINK("skate", "") LINK("kite", "")
    JOINT("arm", "continuous", "1 base", "arm", "") JOINT("hand", "continuous", "arm", "hand", "<mimic joint=\"arm\"/>")
    JOINT("plane", "planar", "hand", "skate", "") JOINT("string", "floating", "skate", "kite", "")
    "<drake:collision_filter_group name=\"g\"><drake:member link=\"arm\"/><drake:member link=\"hand\"/>"
    "<drake:ignored_collision_filter_group name=\"g\"/></drake:collision_filter_group>\n"
    "<transmission><joint name=\"arm\"/><actuator name=\"m\"><drake:rotor_inertia value=\"1e-4\"/></actuator></transmission>\n");

// loads a file, or the text above, with call number `fail_at` of the allocator failing; its calls
static int load_with(const char *path, int fail_at)
{
    counting_allocator counter = {.fail_at = fail_at};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    trx_import *import;
    if (trx_context_create(&settings, &context) < 0) return counter.calls;
    trx_status status = path ? trx_import_load(context, path, NULL, &import)
                             : trx_import_load_text(context, "tests/malformed_robots/robot.urdf", everything,
                                                    sizeof everything - 1, NULL, &import);
    ck_assert_msg(status == (fail_at ? TRX_ERR_MEMORY : TRX_OK), "call %d: %s", fail_at, trx_context_message(context));
    trx_import_destroy(import);
    trx_context_destroy(context);
    ck_assert_int_eq(counter.outstanding, 0);
    return counter.calls;
}

START_TEST(memory_may_run_out_at_any_time)
{
    static const char *const robots[] = {"tests/import/data/gripper.urdf", "tests/import/data/walker.urdf", NULL};
    for (int k = 0; k < 3; k++) {
        int calls = load_with(robots[k], 0);
        ck_assert_int_gt(calls, 3);
        for (int i = 2; i <= calls; i++) load_with(robots[k], i);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/import");
    TCase *tests = tcase_create("import");
    tcase_add_test(tests, formats_are_told_by_the_first_element);
    tcase_add_test(tests, a_file_and_its_text_are_the_same_robot);
    tcase_add_test(tests, a_file_that_cannot_be_read_is_an_io_error);
    tcase_add_test(tests, odd_arguments_are_a_status);
    tcase_add_test(tests, options_are_checked);
    tcase_add_test(tests, kinds_of_notes_have_names);
    tcase_add_test(tests, memory_may_run_out_at_any_time);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
