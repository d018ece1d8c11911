// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A folder written while the simulation runs: the same files as from memory, rows as asked for, memory that does not
// grow, and an old run that no failure touches.

#include "report/fixture.h"

#include "formats/csv.h"
#include "report/shown.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static fixture f;

static void setup(void)
{
    fixture_open(&f);
}

static void teardown(void)
{
    fixture_close(&f);
}

static void append(void *user, const char *bytes, size_t length)
{
    trxi_text_append(user, bytes, length);
}

static const char *read_file(const char *folder, const char *name)
{
    trxi_text text = trxi_text_create(f.context);
    const char *path = trxi_pool_printf(f.pool, "%s/%s", folder, name);
    ck_assert_int_eq(trxi_shown_rows(f.context, NULL, path, append, &text), TRX_OK);
    const char *copy = trxi_pool_string(f.pool, trxi_text_get(&text), text.length);
    trxi_text_destroy(&text);
    return copy;
}

static trxi_csv read_table(const char *name)
{
    trxi_csv table;
    ck_assert_int_eq(trxi_csv_read(f.context, f.pool, fixture_file(&f, name), &table), TRX_OK);
    return table;
}

START_TEST(a_streamed_folder_is_that_of_a_run_kept_in_memory)
{
    // long enough for several blocks, and for frames to be dropped
    static const int everies[] = {1, 7};
    for (int i = 0; i < 2; i++) {
        trx_problem *problem;
        trx_run *run;
        fixture_load_other(&f, "push_box", "time={step: 0.001, steps: 2500}", &problem, &run);
        const double u[NU] = {4, 0.1, 0.01};
        trx_simulation simulation = fixture_simulation(u);
        simulation.control_steps = 1;
        simulation.every = everies[i];
        ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
        const char *kept = trxi_pool_printf(f.pool, "%s/kept", f.place);
        ck_assert_int_eq(trx_run_write(run, kept), TRX_OK);
        simulation.folder = f.folder;
        ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
        ck_assert(trx_run_get_info(run).written);
        static const char *const names[] = {"trajectory.csv", "contacts.csv", "scene.json", "problem.yaml"};
        for (int k = 0; k < 4; k++) ck_assert_str_eq(read_file(f.folder, names[k]), read_file(kept, names[k]));
        ck_assert(strlen(read_file(f.folder, "contacts.csv")) > 3 << 16);

        // rows of every so many knots, and the last; as many contacts as it says
        trxi_csv table = read_table("trajectory.csv");
        int rows = 0;
        for (int k = 0; k <= 2500; k++)
            if (k % everies[i] == 0 || k == 2500) assert_close(table.data[(size_t)rows++ * (size_t)table.cols], k * 1e-3, 1e-12);
        ck_assert_int_eq(table.rows, rows);
        ck_assert_int_gt(trx_run_get_info(run).contacts, 4 * 2500 / everies[i]);

        // the page of a run that is written comes back from the folder; a run is written once
        const char *page = read_file(f.folder, "player.html");
        ck_assert_int_eq(trx_run_rewrite_player(f.context, f.folder), TRX_OK);
        ck_assert_str_eq(read_file(f.folder, "player.html"), page);
        ck_assert_int_eq(trx_run_write(run, f.folder), TRX_ERR_ARGUMENT);
        trx_run_destroy(run);
        trx_problem_destroy(problem);
    }
}
END_TEST

START_TEST(steps_csv_tells_of_every_step)
{
    double u[NU * STEPS], x[NX];
    fixture_controls(u);
    trx_simulation simulation = fixture_simulation(u);
    simulation.folder = f.folder;
    simulation.statistics = true;
    simulation.every = 5;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    static const char head[] = "t,status,iterations,line_search,contacts,rows,islands,residual,scale,seconds,e_p,e_d,e_c\n";
    const char *line = read_file(f.folder, "steps.csv");
    ck_assert_int_eq(strncmp(line, head, sizeof head - 1), 0);
    line += sizeof head - 1;
    trx_sim *sim = fixture_sim(&f, x);
    for (int k = 0; k < STEPS; k++) {
        double t, residual, seconds, e_p, e_d, e_c;
        char status[32];
        int iterations, contacts;
        trx_status stepped = trx_step(sim, x, u + NU * k, x);
        trx_step_info info = trx_sim_step_info(sim);
        const trx_contact_residual contact = trx_sim_contact_residual(sim);
        int n = sscanf(line, "%lf,%31[^,],%d,%*d,%d,%*d,%*d,%lf,%*f,%lf,%lf,%lf,%lf", &t, status, &iterations, &contacts, &residual,
                       &seconds, &e_p, &e_d, &e_c);
        ck_assert_int_eq(n, 9);
        ck_assert(e_p == contact.e_p && e_d == contact.e_d && e_c == contact.e_c);
        assert_close(t, 0.02 * k, 1e-12);
        ck_assert_str_eq(status, stepped == TRX_ROUND_OFF ? "round_off" : "converged");
        ck_assert_int_eq(iterations, info.iterations);
        ck_assert_int_eq(contacts, info.contacts);
        ck_assert_double_eq(residual, info.residual);
        ck_assert(seconds > 0);
        line = strchr(line, '\n') + 1;
    }
    ck_assert_str_eq(line, "");
    trx_sim_destroy(sim);
}
END_TEST

START_TEST(a_step_that_fails_leaves_the_folder_up_to_it)
{
    double u[NU * STEPS];
    fixture_controls(u);
    u[NU * 7] = 1e308;
    trx_simulation simulation = fixture_simulation(u);
    simulation.folder = f.folder;
    simulation.statistics = true;
    ck_assert_int_lt(trx_run_simulate(f.run, &simulation), 0);
    ck_assert(trx_run_get_info(f.run).written);
    ck_assert_int_eq(read_table("trajectory.csv").rows, 8);
    ck_assert_ptr_nonnull(strstr(read_file(f.folder, "steps.csv"), "\n0.14,failed,"));
    ck_assert_ptr_nonnull(strstr(read_file(f.folder, "summary.json"), "\"message\": \"step 7 (t = 0.14 s): "));
    ck_assert_int_eq(trx_run_check_path(f.context, f.folder), TRX_OK);
}
END_TEST

// simulates into the folder through calls of which the n-th fails; false when there were fewer
static bool simulate_with_fault(const trx_simulation *simulation, int n, int reason, const char *old)
{
    faults faulty = {.fail_at = n, .reason = reason};
    trxi_file_ops ops = faulty_ops(&faulty);
    trx_status status = trxi_run_simulate_with(f.run, &ops, simulation);
    bool failed = faulty.calls >= n;
    ck_assert_int_eq(status, failed ? TRX_ERR_IO : TRX_OK);
    ck_assert(trx_run_get_info(f.run).written == !failed);
    trxi_pool *scratch = trxi_pool_create(f.context);
    bool intact = strcmp(snapshot_folder(scratch, f.context, f.place), old) == 0;
    trxi_pool_destroy(scratch);
    ck_assert_msg(intact == failed, "call %d", n);
    return failed;
}

START_TEST(whatever_call_fails_while_it_runs_the_old_run_is_intact)
{
    static const int reasons[] = {ENOSPC, EIO};
    double u[NU * STEPS];
    fixture_controls(u);
    for (int i = 0; i < 2; i++) {
        trx_simulation simulation = trx_simulation_default();
        simulation.folder = f.folder;
        ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
        const char *old = snapshot_folder(f.pool, f.context, f.place);
        simulation.u = u;
        simulation.statistics = true;
        simulation.linearize = true;
        int n = 1;
        while (simulate_with_fault(&simulation, n, reasons[i], old)) n++;
        ck_assert_int_gt(n, 8 * 4); // eight files: open, write, flush, close
    }
}
END_TEST

START_TEST(a_disk_that_fills_up_in_the_middle_is_noticed_there)
{
    trx_problem *problem;
    trx_run *run;
    fixture_load_other(&f, "push_box", "time={step: 0.001, steps: 2500}", &problem, &run);
    trx_simulation simulation = trx_simulation_default();
    simulation.folder = f.folder;
    // the folder, two tables, and the first block of contacts; from then on nothing works
    faults faulty = {.fail_at = 5, .stays = true, .reason = ENOSPC};
    trxi_file_ops ops = faulty_ops(&faulty);
    ck_assert_int_eq(trxi_run_simulate_with(run, &ops, &simulation), TRX_ERR_IO);
    ck_assert_ptr_nonnull(strstr(trx_context_message(f.context), "No space left on device"));
    trx_run_info info = trx_run_get_info(run);
    ck_assert(!info.written);
    ck_assert_int_lt(info.steps, 2500);
    ck_assert_int_gt(info.steps, 50);
    ck_assert_str_eq(snapshot_folder(f.pool, f.context, f.place), "");
    trx_run_destroy(run);
    trx_problem_destroy(problem);
}
END_TEST

// calls of the allocator for a simulation of `steps` steps
static int count_allocations(const char *set)
{
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    trx_problem *problem;
    trx_run *run;
    trx_problem_options options = trx_problem_options_default();
    options.set = &set;
    options.nset = 1;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    ck_assert_int_eq(trx_problem_load(context, "problems/push_box.yaml", &options, &problem), TRX_OK);
    ck_assert_int_eq(trx_run_create(context, problem, &run), TRX_OK);
    trx_simulation simulation = trx_simulation_default();
    simulation.folder = f.folder;
    simulation.every = 10;
    int before = counter.calls;
    ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
    int calls = counter.calls - before;
    trx_run_destroy(run);
    trx_problem_destroy(problem);
    trx_context_destroy(context);
    ck_assert_int_eq(counter.outstanding, 0);
    return calls;
}

START_TEST(four_times_the_steps_take_no_more_memory)
{
    int once = count_allocations("time={step: 0.01, steps: 25000}");
    int again = count_allocations("time={step: 0.01, steps: 100000}");
    ck_assert_int_le(again, once + 8); // a text or two that doubles once more
    assert_below(once, 500);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/stream");
    TCase *cases = tcase_create("stream");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_streamed_folder_is_that_of_a_run_kept_in_memory);
    tcase_add_test(cases, steps_csv_tells_of_every_step);
    tcase_add_test(cases, a_step_that_fails_leaves_the_folder_up_to_it);
    tcase_add_test(cases, whatever_call_fails_while_it_runs_the_old_run_is_intact);
    tcase_add_test(cases, a_disk_that_fills_up_in_the_middle_is_noticed_there);
    tcase_add_test(cases, four_times_the_steps_take_no_more_memory);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
