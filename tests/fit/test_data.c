// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Recordings from CSV files: channels by name, numbered recordings, errors with file, line and column, and warnings about
// suspicious data.

#include "fit/scene.h"

#include <stdio.h>
#include <unistd.h>

static scene s;
static trx_fit_data *data;
static char path[TEMPORARY_PATH];

static trx_status read_text(const char *text, const char *recording)
{
    temporary_path(path, "fitXXXXXX");
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (int)strlen(text));
    close(file);
    const trx_fit_file entry = {.path = path, .recording = recording, .holdout_every = 2};
    trx_context_clear(s.context);
    const trx_status status = trx_fit_data_read(s.context, s.fit.model, &entry, 1, &data);
    remove(path);
    return status;
}

static void refuses(const char *text, const char *recording, int line, int column, const char *words)
{
    ck_assert_int_eq(read_text(text, recording), TRX_ERR_INPUT);
    ck_assert_ptr_null(data);
    const trx_diagnostic d = trx_context_diagnostic(s.context, 0);
    ck_assert_msg(strstr(d.text, words) != NULL, "%s", d.text);
    ck_assert_str_eq(d.source.file, path);
    ck_assert_int_eq(d.source.line, line);
    ck_assert_int_eq(d.source.column, column);
}

static void suspects(const char *text, int column, const char *words)
{
    ck_assert_msg(read_text(text, NULL) == TRX_OK, "%s", trx_context_message(s.context));
    trx_fit_data_destroy(data);
    bool found = false;
    for (int i = 0; i < trx_context_diagnostic_count(s.context); i++) {
        const trx_diagnostic d = trx_context_diagnostic(s.context, i);
        found = found || (d.severity == TRX_WARNING && strstr(d.text, words) && d.source.line == 1 && d.source.column == column);
    }
    ck_assert_msg(found, "no warning \"%s\" at column %d", words, column);
}

START_TEST(forces_and_accelerometers_have_columns)
{
    scene_open(&s, SLIDE);
    ck_assert_msg(read_text("t,box.x,\"force(ground,box).z\",\"force(ground, "
        "box).x\",acceleration(box).y\n0,0.1,4.9,0,0.2\n0.01,0.1,5,,0.1\n",
                            NULL) == TRX_OK, "%s", trx_context_message(s.context));
    trx_fit_problem p = {0};
    trx_fit_data_use(data, &p);
    ck_assert_int_eq(p.nchannel, 4);
    ck_assert_int_eq(p.ngroup, 3);
    ck_assert_int_eq(p.channels[1].kind, TRX_FIT_CONTACT_FORCE);
    ck_assert_str_eq(p.channels[1].name, "force(ground, box).z");
    ck_assert(p.channels[1].index == 1 && p.channels[1].other == 0 && p.channels[1].component == 2);
    ck_assert_str_eq(p.groups[1].name, "force(ground, box)");
    ck_assert_int_eq(p.channels[3].kind, TRX_FIT_BODY_ACCELERATION);
    ck_assert_str_eq(p.groups[2].name, "acceleration(box)");
    trx_fit_data_destroy(data);
    refuses("t,\"force(box, box).z\"\n0,1\n", NULL, 1, 3, "no geometries of these bodies may touch: leave the column out");
    refuses("t,joint_force(box)\n0,1\n", NULL, 1, 3, "only joints with one degree of freedom have this force");
    scene_close(&s);

    scene_open(&s, ARM);
    ck_assert_msg(read_text("t,joint_force(elbow),force(shoulder),acceleration(marker).z\n0,1,2,3\n", NULL) == TRX_OK, "%s",
                  trx_context_message(s.context));
    trx_fit_data_use(data, &p);
    ck_assert(p.channels[0].kind == TRX_FIT_JOINT_FORCE && p.channels[0].index == 1);
    ck_assert(p.channels[1].kind == TRX_FIT_ACTUATOR_FORCE && p.channels[1].index == 0);
    ck_assert(p.channels[2].kind == TRX_FIT_FRAME_ACCELERATION && p.channels[2].component == 2);
    trx_fit_data_destroy(data);
    scene_close(&s);
}
END_TEST

START_TEST(columns_become_channels_and_rows_recordings)
{
    scene_open(&s, ARM);
    ck_assert_msg(read_text("run,t,elbow,marker.z,u.shoulder,u.elbow,shoulder.v,comment\n"
                            "1,0,0.1,-0.6,1,2,0.5,7\n"
                            "1,0.1,,-0.7,3,4,0.6,7\n"
                            "5,0,0.3,-0.8,5,6,0.7,7\n", "run") == TRX_OK, "%s", trx_context_message(s.context));
    trx_fit_problem p = {0};
    trx_fit_data_use(data, &p);
    ck_assert_int_eq(p.nchannel, 3);
    ck_assert_str_eq(p.channels[0].name, "elbow");
    ck_assert_int_eq(p.channels[0].kind, TRX_FIT_COORDINATE);
    ck_assert_int_eq(p.channels[1].kind, TRX_FIT_FRAME_POSITION);
    ck_assert_int_eq(p.channels[1].component, 2);
    ck_assert_int_eq(p.channels[2].kind, TRX_FIT_VELOCITY);
    ck_assert_str_eq(p.groups[0].name, "elbow.position");
    ck_assert_str_eq(p.groups[2].name, "shoulder.velocity");
    ck_assert_int_eq(p.nrecording, 2);
    ck_assert_str_eq(p.recordings[0].name, "run 1");
    ck_assert_int_eq(p.recordings[0].rows, 2);
    ck_assert(!p.recordings[0].held_out && p.recordings[1].held_out);
    ck_assert(isnan(p.recordings[0].values[p.columns]));
    assert_close(p.recordings[0].values[p.columns + 1], -0.7, 0);
    assert_close(p.recordings[0].u[3], 4, 0);
    const trx_diagnostic note = trx_context_diagnostic(s.context, 0);
    ck_assert_int_eq(note.severity, TRX_NOTE);
    ck_assert_ptr_nonnull(strstr(note.text, "\"comment\""));
    trx_fit_data_destroy(data);
    scene_close(&s);
}
END_TEST

START_TEST(mistakes_have_their_line_and_column)
{
    scene_open(&s, ARM);
    refuses("", NULL, 1, 1, "no columns");
    refuses("t,elbow\n", NULL, 1, 1, "no rows");
    refuses("time,elbow\n0,1\n", NULL, 1, 1, "no column \"t\"");
    refuses("t,elbo\n0,1\n", NULL, 1, 1, "no column of the model");
    refuses("t,elbow\n0,1\n0.1,2\n0.05,3\n", NULL, 4, 1, "t runs from 0.1 back to 0.05");
    refuses("t,elbow\n0,1\n,2\n", NULL, 3, 1, "an empty cell");
    refuses("t,elbow\n0,abc\n", NULL, 2, 3, "\"abc\" is not a number");
    refuses("t,elbow,u.elbow\n0,1,2\n", NULL, 1, 1, "no column \"u.shoulder\"");
    refuses("t,elbow,u.elbow,u.shoulder\n0,1,2,nan\n", NULL, 2, 7, "nan is no number: write a number (column u.shoulder)");
    refuses("t,comment,elbow\n0,nan,1\n0.1,2,NaN\n0.2,2,nan\n", NULL, 3, 7,
            "nan is no number: leave the cell of a missing sample empty");
    refuses("n,t,elbow\n1,0,1\n2,0,1\n1,0,1\n", "n", 4, 1, "n 1 comes back");
    scene_close(&s);
    scene_open(&s, SLIDE);
    refuses("t,box.qw,box.qx,box.qz\n0,1,0,0\n", NULL, 1, 3, "without its column \"box.qy\"");
    // such tables were read, and every rotation counted as a missing sample
    refuses("t,box.x,box.qx,box.qy,box.qz\n0,1,0,0,0\n", NULL, 1, 9, "without its column \"box.qw\"");
    refuses("t,box.qw,box.qx,box.qy,box.qz\n0,1,0,0,0\n0.1,1,1,0,0\n", NULL, 3, 5, "a quaternion of length 1.41");
    scene_close(&s);
}
END_TEST

START_TEST(units_and_orders_are_suspected_aloud)
{
    scene_open(&s, ARM);
    suspects("t,elbow,u.elbow,u.shoulder\n0,45,0,0\n0.1,44,0,0\n", 3, "is it in degrees?");
    suspects("t,elbow,u.elbow,u.shoulder\n0,1,0,0\n10,1,0,0\n20,1,0,0\n", 1, "are the times in milliseconds?");
    suspects("t,elbow\n0,1\n", 1, "no controls");
    scene_close(&s);
    scene_open(&s, SLIDE);
    suspects("t,box.x\n0,120\n0.1,121\n", 3, "is it in millimetres?");
    suspects("t,box.qw,box.qx,box.qy,box.qz\n0,0,0,0,1\n", 3, "look like x y z w");
    // with the noise of a camera
    suspects("t,box.qw,box.qx,box.qy,box.qz\n0,-0.0038,-0.0055,0.0002,0.99998\n", 3, "look like x y z w");
    suspects("t,box.x,bxo.y\n0,1,2\n", 9, "is nothing of the model and is left out; did you mean \"box.y\"?");
    // a turn about the body's y axis with the spin that belongs to it
    suspects("t,box.qw,box.qx,box.qy,box.qz,box.wx,box.wy,box.wz\n"
             "0,0.5,-0.5,0.5,0.5,0,2,0\n"
             "0.1,0.447585,-0.447585,0.547419,0.547419,0,2,0\n"
             "0.2,0.390699,-0.390699,0.589368,0.589368,0,2,0\n", 3, "x y z w");
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/data");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, columns_become_channels_and_rows_recordings);
    tcase_add_test(tests, forces_and_accelerometers_have_columns);
    tcase_add_test(tests, mistakes_have_their_line_and_column);
    tcase_add_test(tests, units_and_orders_are_suspected_aloud);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
