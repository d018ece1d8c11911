// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// States on disk: a simulation from a saved state has the same bits as a simulation without interruption; a state of another model
// is refused; a state that cannot be written ends the run and leaves the old state.

#include "report/fixture.h"

#include "formats/npz.h"
#include "report/shown.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fixture f;
static char state[TEMPORARY_PATH + 16]; // PLACE/state.npz

static void setup(void)
{
    fixture_open(&f);
    snprintf(state, sizeof state, "%s/state.npz", f.place);
}

static void teardown(void)
{
    fixture_close(&f);
}

static void append(void *user, const char *bytes, size_t length)
{
    trxi_text_append(user, bytes, length);
}

static const char *read_file(const char *name)
{
    trxi_text text = trxi_text_create(f.context);
    ck_assert_int_eq(trxi_shown_rows(f.context, NULL, fixture_file(&f, name), append, &text), TRX_OK);
    const char *copy = trxi_pool_string(f.pool, trxi_text_get(&text), text.length);
    trxi_text_destroy(&text);
    return copy;
}

static bool stop_there(int step, void *user)
{
    return step < *(const int *)user;
}

// a table's first line and the rows from time `t` on
static const char *rows_from(const char *table, double t)
{
    const char *row = strchr(table, '\n') + 1;
    while (*row && atof(row) < t - 1e-9) row = strchr(row, '\n') + 1;
    return row;
}

// runs the problem whole, and again in two parts with the break at each of the steps
static void check_continuations(const char *name, const char *set, const double *u, int control_steps, const int *breaks,
                                int count)
{
    trx_problem *problem;
    trx_run *run;
    fixture_load_other(&f, name, set, &problem, &run);
    trx_simulation simulation = fixture_simulation(u);
    simulation.control_steps = control_steps;
    simulation.folder = f.folder;
    simulation.every = 3;
    ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
    ck_assert_msg(trx_run_get_simulation(run).contacts > 1, "%s: too little contact", name);
    const char *trajectory = read_file("trajectory.csv"), *contacts = read_file("contacts.csv");
    trx_model_size size = trx_model_get_size(trx_problem_model(problem));
    double *x = TRXI_POOL(f.pool, double, size.nq + size.nv), dt = trx_problem_sim_settings(problem).time_step;

    for (int i = 0; i < count; i++) {
        trx_simulation part = simulation;
        int stop = breaks[i], step = -1;
        bool same = false;
        part.save = state;
        part.progress = stop_there;
        part.user = &stop;
        ck_assert_int_eq(trx_run_simulate(run, &part), TRX_INTERRUPTED);
        ck_assert_int_eq(trx_run_read_state(run, state, &step, x, &same), TRX_OK);
        ck_assert_int_eq(step, stop);
        ck_assert(same);

        part = simulation;
        part.start = x;
        part.first_step = step;
        ck_assert_int_eq(trx_run_simulate(run, &part), TRX_OK);
        // the first knot has rows whether or not its number is a multiple of three
        int next = step % 3 == 0 ? step : step + 3 - step % 3;
        ck_assert_str_eq(rows_from(read_file("trajectory.csv"), next * dt), rows_from(trajectory, next * dt));
        ck_assert_str_eq(rows_from(read_file("contacts.csv"), next * dt), rows_from(contacts, next * dt));
    }
    trx_run_destroy(run);
    trx_problem_destroy(problem);
}

START_TEST(a_continued_simulation_has_the_same_bits)
{
    static const int breaks[] = {1, 2, 6, 17, 29};
    double u[NU * STEPS];
    fixture_controls(u);
    check_continuations("push_box", "time.steps=30", u, STEPS, breaks, 5);
    check_continuations("mini_cheetah", "time.steps=30", NULL, 0, breaks, 5);
    check_continuations("allegro_ball", "time.steps=30", NULL, 0, breaks, 5);
}
END_TEST

START_TEST(states_are_saved_on_the_way_and_at_the_end)
{
    double u[NU * STEPS], x[NX];
    fixture_controls(u);
    trx_simulation simulation = fixture_simulation(u);
    simulation.save = state;
    simulation.save_every = 4;
    int stop = 9, step;
    simulation.progress = stop_there;
    simulation.user = &stop;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_INTERRUPTED);
    ck_assert_int_eq(trx_run_read_state(f.run, state, &step, x, NULL), TRX_OK);
    ck_assert_int_eq(step, 9);
    ck_assert_mem_eq(x, f.run->x + NX * 9, sizeof x);

    // whichever write fails, what is there is a whole state
    remove(state);
    stop = STEPS + 1;
    int calls = 0;
    for (int n = 1; n < 40; n++) {
        faults faulty = {.fail_at = n, .stays = true, .reason = ENOSPC};
        trxi_file_ops ops = faulty_ops(&faulty);
        trx_status status = trxi_run_simulate_with(f.run, &ops, &simulation);
        if (status == TRX_OK) break;
        ck_assert_int_eq(status, TRX_ERR_IO);
        calls = n;
        trx_status read = trx_run_read_state(f.run, state, &step, x, NULL);
        ck_assert(read == TRX_ERR_IO || (read == TRX_OK && (step == 4 || step == 8 || step == STEPS)));
    }
    ck_assert_int_ge(calls, 3 * 5); // three states: open, write, flush, close, rename
    ck_assert_int_eq(trx_run_read_state(f.run, state, &step, x, NULL), TRX_OK);
    ck_assert_int_eq(step, STEPS);
    // and nothing beside it
    ck_assert_ptr_null(strstr(snapshot_folder(f.pool, f.context, f.place), "tmp"));
}
END_TEST

START_TEST(numbers_come_back_as_they_are)
{
    double x[NX], back[NX];
    int step;
    static const double odd[] = {-0.0, 5e-324, 1.7976931348623157e308, 0.1, -1.0 / 3};
    for (int i = 0; i < NX; i++) x[i] = odd[i % 5];
    ck_assert_int_eq(trx_run_write_state(f.run, state, 2147483647, x), TRX_OK);
    ck_assert_int_eq(trx_run_read_state(f.run, state, &step, back, NULL), TRX_OK);
    ck_assert_int_eq(step, 2147483647);
    ck_assert_mem_eq(x, back, sizeof x);
}
END_TEST

static void refuse(trx_run *run, const char *what)
{
    double x[64];
    int step;
    trx_context_clear(f.context);
    ck_assert_int_eq(trx_run_read_state(run, state, &step, x, NULL), TRX_ERR_INPUT);
    ck_assert_msg(strstr(trx_context_message(f.context), what), "%s", trx_context_message(f.context));
}

START_TEST(what_does_not_fit_is_refused)
{
    trx_problem *problem;
    trx_run *run;
    double x[NX] = {0};
    ck_assert_int_eq(trx_run_write_state(f.run, state, 3, x), TRX_OK);
    fixture_load_other(&f, "pendulum", "time.steps=10", &problem, &run);
    refuse(run, "another model");
    trx_run_destroy(run);
    trx_problem_destroy(problem);
    fixture_load_other(&f, "push_box", "time.step=0.01", &problem, &run);
    refuse(run, "saved at time step 0.02 s, but the problem's is 0.01 s");
    trx_run_destroy(run);
    trx_problem_destroy(problem);

    x[3] = NAN;
    ck_assert_int_eq(trx_run_write_state(f.run, state, 3, x), TRX_OK);
    refuse(f.run, "finite numbers");

    // other archives, and no archive
    trxi_text text = trxi_text_create(f.context);
    trxi_npz npz = trxi_npz_create(&text);
    trxi_npz_add(&npz, "x", 1, (const int[]){NX}, x);
    ck_assert_int_eq(trxi_npz_finish(&npz), TRX_OK);
    ck_assert_int_eq(trxi_file_replace(f.context, state, text.data, text.length), TRX_OK);
    refuse(f.run, "not a state of a simulation");
    ck_assert_int_eq(trxi_file_replace(f.context, state, text.data, text.length / 2), TRX_OK);
    refuse(f.run, "not an archive");
    trxi_text_destroy(&text);
    int step;
    ck_assert_int_eq(trx_run_read_state(f.run, "nowhere.npz", &step, x, NULL), TRX_ERR_IO);
}
END_TEST

START_TEST(another_text_of_the_problem_is_told)
{
    static const char *const texts[] = {"tractrix: 1\nmodel: {bodies: [{name: b, joint: free, "
                                        "inertia: {mass: 1, tensor: [1, 1, 1]}}]}\ntime: {step: 0.01, steps: 5}\n",
                                        "tractrix: 1\nmodel: {bodies: [{name: b, joint: free, "
                                        "inertia: {mass: 2, tensor: [1, 1, 1]}}]}\ntime: {step: 0.01, steps: 5}\n"};
    double x[13];
    for (int i = 0; i < 2; i++) {
        trx_problem *problem;
        trx_run *run;
        bool same = false;
        int step;
        ck_assert_int_eq(trx_problem_load_text(f.context, "p.yaml", texts[i], strlen(texts[i]), NULL, &problem), TRX_OK);
        ck_assert_int_eq(trx_run_create(f.context, problem, &run), TRX_OK);
        if (i == 0) ck_assert_int_eq(trx_run_write_state(run, state, 3, trx_problem_start(problem)), TRX_OK);
        ck_assert_int_eq(trx_run_read_state(run, state, &step, x, &same), TRX_OK);
        ck_assert(same == (i == 0));
        trx_run_destroy(run);
        trx_problem_destroy(problem);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/state");
    TCase *cases = tcase_create("state");
    tcase_set_timeout(cases, 60);
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_continued_simulation_has_the_same_bits);
    tcase_add_test(cases, states_are_saved_on_the_way_and_at_the_end);
    tcase_add_test(cases, numbers_come_back_as_they_are);
    tcase_add_test(cases, what_does_not_fit_is_refused);
    tcase_add_test(cases, another_text_of_the_problem_is_told);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
