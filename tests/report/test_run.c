// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Run folders: their numbers are those of the steps, bit for bit; gains and controls come back from them; whatever
// write fails, the previous run is there byte by byte; and no allocation that fails leaks.

#define _XOPEN_SOURCE 700

#include "report/run.h"

#include "formats/csv.h"
#include "formats/npz.h"
#include "formats/yaml.h"
#include "support/folders.h"
#include "support/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NQ = 10, NV = 9, NU = 3, STEPS = 12, NX = NQ + NV };

static trx_context *context;
static trxi_pool *pool;
static trx_problem *problem;
static trx_run *run;
static char place[64], folder[80]; // a fresh folder, and the run in it

// push_box for a few steps, its pusher already touching the box
static trx_status load(trx_context *with, trx_problem **loaded)
{
    static const char *const set[] = {"time.steps=12", "start.px=-0.0695"};
    trx_problem_options options = trx_problem_options_default();
    options.set = set;
    options.nset = 2;
    return trx_problem_load(with, "problems/push_box.yaml", &options, loaded);
}

static void setup(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    pool = trxi_pool_create(context);
    ck_assert_int_eq(load(context, &problem), TRX_OK);
    ck_assert_int_eq(trx_run_create(context, problem, &run), TRX_OK);
    snprintf(place, sizeof place, "/tmp/tractrix_run_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(place));
    snprintf(folder, sizeof folder, "%s/run", place);
}

static void teardown(void)
{
    remove_all(place);
    trx_run_destroy(run);
    trx_problem_destroy(problem);
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
}

static const char *file(const char *name)
{
    return trxi_pool_printf(pool, "%s/%s", folder, name);
}

// a push that sticks and slips
static void make_controls(double u[NU * STEPS])
{
    for (int k = 0; k < STEPS; k++) {
        u[NU * k] = 3 + 0.3 * k;
        u[NU * k + 1] = k > 6 ? 2.5 : 0.1;
        u[NU * k + 2] = 0.01;
    }
}

static trx_simulation controlled(const double *u)
{
    trx_simulation simulation = trx_simulation_default();
    simulation.u = u;
    return simulation;
}

START_TEST(the_tables_hold_the_steps_bit_for_bit)
{
    double u[NU * STEPS], x[NX];
    make_controls(u);
    trx_simulation simulation = controlled(u);
    ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
    ck_assert_int_eq(trx_run_write(run, folder), TRX_OK);
    trxi_csv table;
    ck_assert_int_eq(trxi_csv_read(context, pool, file("trajectory.csv"), &table), TRX_OK);
    ck_assert_int_eq(table.rows, STEPS + 1);
    ck_assert_int_eq(table.cols, 1 + NX + NU);
    ck_assert_str_eq(table.names[1], "box.x");
    ck_assert_str_eq(table.names[NX], "pz.v");
    ck_assert_str_eq(table.names[NX + NU], "u.pz");

    trx_sim *sim;
    trx_sim_settings settings = trx_problem_sim_settings(problem);
    ck_assert_int_eq(trx_sim_create(context, trx_problem_model(problem), &settings, &sim), TRX_OK);
    memcpy(x, trx_problem_start(problem), sizeof x);
    for (int k = 0; k <= STEPS; k++) {
        const double *row = table.data + (size_t)k * (size_t)table.cols;
        assert_close(row[0], 0.02 * k, 1e-15);
        ck_assert_mem_eq(row + 1, x, sizeof x);
        if (k == STEPS) break;
        ck_assert_mem_eq(row + 1 + NX, u + NU * k, NU * sizeof *u);
        ck_assert_int_ge(trx_step(sim, x, u + NU * k, x), 0);
    }
    for (int i = 0; i < NU; i++) ck_assert(isnan(table.data[table.cols * STEPS + 1 + NX + i]));
    trx_sim_destroy(sim);
}
END_TEST

// what stands before the next `mark` in `*rest`, which moves behind it; NULL at the end
static char *next(char **rest, char mark)
{
    char *word = *rest, *end = strchr(word, mark);
    if (*word == '\0') return NULL;
    if (end) *end = '\0';
    *rest = end ? end + 1 : word + strlen(word);
    return word;
}

// cells of the next line; returns their number
static int split(char **rest, char *cells[], int capacity)
{
    char *line = next(rest, '\n');
    int n = 0;
    while (line && n < capacity && (cells[n] = next(&line, ','))) n++;
    return n;
}

START_TEST(every_contact_point_of_every_step_is_listed)
{
    double u[NU * STEPS], x[NX];
    make_controls(u);
    trx_simulation simulation = controlled(u);
    ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
    trxi_text text = trxi_text_create(context);
    trxi_write_contacts(run, &text);
    char *rest = text.data, *cells[16];
    ck_assert_str_eq(next(&rest, '\n'), "t,pair,point,distance,v_n,v_t,f_n,f_t,mode,px,py,pz,nx,ny,nz");

    trx_sim *sim;
    trx_sim_settings settings = trx_problem_sim_settings(problem);
    ck_assert_int_eq(trx_sim_create(context, trx_problem_model(problem), &settings, &sim), TRX_OK);
    memcpy(x, trx_problem_start(problem), sizeof x);
    double penetration = 0, slip = 0;
    int pushes = 0, total = 0;
    for (int k = 0; k < STEPS; k++) {
        const trx_contact *contacts;
        ck_assert_int_ge(trx_step(sim, x, u + NU * k, x), 0);
        int count = trx_sim_contacts(sim, &contacts);
        total += count;
        for (int i = 0; i < count; i++) {
            ck_assert_int_eq(split(&rest, cells, 16), 15);
            assert_close(strtod(cells[0], NULL), 0.02 * k, 1e-15);
            ck_assert_int_eq(atoi(cells[2]), contacts[i].point);
            ck_assert_double_eq(strtod(cells[3], NULL), contacts[i].distance);
            ck_assert_double_eq(strtod(cells[6], NULL), contacts[i].f_n);
            ck_assert_double_eq(strtod(cells[7], NULL), contacts[i].f_t);
            ck_assert_str_eq(cells[8], trx_contact_mode_name(contacts[i].mode));
            ck_assert_double_eq(strtod(cells[10], NULL), contacts[i].position[1]);
            ck_assert_double_eq(strtod(cells[14], NULL), contacts[i].normal[2]);
            pushes += strcmp(cells[1], "box#1|pusher#1") == 0 && contacts[i].f_n > 0;
            penetration = fmax(penetration, -contacts[i].distance);
            if (contacts[i].mode == TRX_CONTACT_STICK) slip = fmax(slip, contacts[i].v_t);
        }
    }
    ck_assert_str_eq(rest, "");
    ck_assert_int_gt(pushes, 3);
    trx_run_info info = trx_run_get_info(run);
    ck_assert_int_eq(info.contacts, total);
    ck_assert_double_eq(info.physical.penetration, penetration);
    ck_assert_double_eq(info.physical.slip, slip);
    assert_below(0, penetration);
    trx_sim_destroy(sim);
    trxi_text_destroy(&text);
}
END_TEST

START_TEST(the_linearization_is_row_major)
{
    double u[NU * STEPS], x[NX], A[4 * NV * NV], B[2 * NV * NU];
    make_controls(u);
    trx_simulation simulation = controlled(u);
    simulation.linearize = true;
    ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
    ck_assert_int_eq(trx_run_write(run, folder), TRX_OK);
    trxi_npz_archive archive;
    ck_assert_int_eq(trxi_npz_read(context, pool, file("linearization.npz"), &archive), TRX_OK);
    const trxi_npz_array *As = trxi_npz_find(&archive, "A"), *Bs = trxi_npz_find(&archive, "B");
    ck_assert(As->shape[0] == STEPS && As->shape[1] == 2 * NV && As->shape[2] == 2 * NV);
    ck_assert(Bs->shape[0] == STEPS && Bs->shape[1] == 2 * NV && Bs->shape[2] == NU);

    trx_sim *sim;
    trx_sim_settings settings = trx_problem_sim_settings(problem);
    ck_assert_int_eq(trx_sim_create(context, trx_problem_model(problem), &settings, &sim), TRX_OK);
    memcpy(x, trx_problem_start(problem), sizeof x);
    double asymmetry = 0;
    for (int k = 0; k < STEPS; k++) {
        ck_assert_int_ge(trx_step(sim, x, u + NU * k, x), 0);
        ck_assert_int_eq(trx_step_jac(sim, A, B), TRX_OK);
        const double *A_k = As->data + 4 * NV * NV * k, *B_k = Bs->data + 2 * NV * NU * k;
        for (int i = 0; i < 2 * NV; i++) {
            for (int j = 0; j < 2 * NV; j++) ck_assert_double_eq(A_k[2 * NV * i + j], A[i + 2 * NV * j]);
            for (int j = 0; j < NU; j++) ck_assert_double_eq(B_k[NU * i + j], B[i + 2 * NV * j]);
        }
        asymmetry = fmax(asymmetry, fabs(A[1] - A[2 * NV]) + fabs(A[NV] - A[2 * NV * NV]));
    }
    assert_below(1e-6, asymmetry); // else the order would not matter
    trx_sim_destroy(sim);
}
END_TEST

START_TEST(a_limit_that_is_exceeded_is_reported)
{
    double u[NU * STEPS];
    make_controls(u);
    trx_simulation simulation = controlled(u);
    ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
    trx_run_info info = trx_run_get_info(run);
    ck_assert_int_eq(info.nlimit, NU);
    for (int i = 0; i < NU; i++) ck_assert(info.limits[i].met && info.limits[i].violation == 0);

    u[NU * 3] = 23.5;
    ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
    info = trx_run_get_info(run);
    ck_assert_str_eq(info.limits[0].name, "u.px");
    assert_close(info.limits[0].violation, 3.5, 1e-15);
    ck_assert(!info.limits[0].met && info.limits[1].met);
    ck_assert(!trx_run_goals_met(run));
}
END_TEST

START_TEST(goals_of_a_simulation_are_distances_to_the_target)
{
    ck_assert_int_eq(trx_run_simulate(run, NULL), TRX_OK);
    trx_run_info info = trx_run_get_info(run);
    ck_assert_int_eq(info.ngoal, 2);
    ck_assert_str_eq(info.physical.goals[0].name, "box.position");
    // the third component, the height, has no weight
    double end[2] = {run->x[NX * STEPS] - 0.15, run->x[NX * STEPS + 1]};
    assert_close(info.physical.goals[0].error, hypot(end[0], end[1]), 1e-15);
    ck_assert(!info.physical.goals[0].met && info.physical.goals[1].met);
}
END_TEST

static bool stop_after_five(int step, void *user)
{
    *(int *)user = step;
    return step < 5;
}

START_TEST(an_interrupted_simulation_keeps_its_steps)
{
    int last = 0;
    trx_simulation simulation = trx_simulation_default();
    simulation.progress = stop_after_five;
    simulation.user = &last;
    ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_INTERRUPTED);
    ck_assert_int_eq(last, 5);
    ck_assert_int_eq(trx_run_get_info(run).steps, 5);
    ck_assert_int_eq(trx_run_write(run, folder), TRX_OK);
    trxi_yaml_node *summary;
    ck_assert_int_eq(trxi_yaml_read(context, pool, file("summary.json"), &summary), TRX_OK);
    ck_assert_str_eq(trxi_yaml_get(summary, "status")->text, "interrupted");
    trxi_csv table;
    ck_assert_int_eq(trxi_csv_read(context, pool, file("trajectory.csv"), &table), TRX_OK);
    ck_assert_int_eq(table.rows, 6);
}
END_TEST

START_TEST(a_policy_comes_back_and_its_last_step_is_held)
{
    // gains that say where they stand
    double u[NU * STEPS], *K = TRXI_POOL(pool, double, NU * 2 * NV * STEPS);
    make_controls(u);
    for (int i = 0; i < NU * 2 * NV * STEPS; i++) K[i] = 1e-3 * i;
    trx_simulation simulation = controlled(u);
    ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
    double *x = TRXI_POOL(pool, double, NX * (STEPS + 1));
    memcpy(x, run->x, sizeof *x * NX * (STEPS + 1));
    simulation.K = K;
    simulation.x_reference = x;
    simulation.linearize = true;
    ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
    ck_assert_mem_eq(run->x, x, sizeof *x * NX * (STEPS + 1)); // on the reference the gains do nothing
    ck_assert_int_eq(trx_run_write(run, folder), TRX_OK);

    static const char *const longer[] = {"time.steps=15"};
    trx_problem_options options = trx_problem_options_default();
    options.set = longer;
    options.nset = 1;
    trx_problem *other;
    trx_run *other_run;
    ck_assert_int_eq(trx_problem_load(context, "problems/push_box.yaml", &options, &other), TRX_OK);
    ck_assert_int_eq(trx_run_create(context, other, &other_run), TRX_OK);
    double u_back[NU * 15], x_back[NX * 15], *K_back = TRXI_POOL(pool, double, NU * 2 * NV * 15);
    ck_assert_int_eq(trx_run_read_policy(other_run, folder, u_back, K_back, x_back), TRX_OK);
    for (int k = 0; k < 15; k++) {
        int from = k < STEPS ? k : STEPS - 1;
        ck_assert_mem_eq(u_back + NU * k, u + NU * from, sizeof *u * NU);
        ck_assert_mem_eq(x_back + NX * k, x + NX * from, sizeof *x * NX);
        ck_assert_mem_eq(K_back + NU * 2 * NV * k, K + NU * 2 * NV * from, sizeof *K * NU * 2 * NV);
    }
    trx_run_destroy(other_run);
    trx_problem_destroy(other);
}
END_TEST

START_TEST(holding_controls_carry_what_gravity_pulls)
{
    // a hinge with a mass of 0.5 kg at 0.5 m, twice (arm and bob): m g l sin(theta) in all
    trx_problem *pendulum;
    trx_run *held;
    static const char *const set[] = {"start.theta=0.7"};
    trx_problem_options options = trx_problem_options_default();
    options.set = set;
    options.nset = 1;
    ck_assert_int_eq(trx_problem_load(context, "problems/pendulum.yaml", &options, &pendulum), TRX_OK);
    ck_assert_int_eq(trx_run_create(context, pendulum, &held), TRX_OK);
    double u[200];
    ck_assert_int_eq(trx_problem_steps(pendulum), 200);
    ck_assert_int_eq(trx_run_hold_controls(held, u), TRX_OK);
    for (int k = 0; k < 200; k++) assert_close(u[k], 9.81 * 0.5 * sin(0.7), 1e-12);
    trx_run_destroy(held);
    trx_problem_destroy(pendulum);
}
END_TEST

START_TEST(the_page_can_be_written_again_from_the_folder)
{
    ck_assert_int_eq(trx_run_simulate(run, NULL), TRX_OK);
    ck_assert_int_eq(trx_run_write(run, folder), TRX_OK);
    const char *before = snapshot_folder(pool, context, folder);
    ck_assert_int_eq(remove(file("player.html")), 0);
    ck_assert_int_eq(trx_run_rewrite_player(context, folder), TRX_OK);
    ck_assert_str_eq(snapshot_folder(pool, context, folder), before);
    ck_assert_int_eq(trx_run_rewrite_player(context, place), TRX_ERR_IO);
}
END_TEST

// writes the run through calls of which the n-th fails; false when there were fewer
static bool write_with_fault(int n, int reason, const char *old)
{
    faults f = {.fail_at = n, .reason = reason};
    trxi_file_ops ops = faulty_ops(&f);
    trx_status status = trxi_run_write_with(run, &ops, folder);
    bool failed = f.calls >= n;
    ck_assert_int_eq(status, failed ? TRX_ERR_IO : TRX_OK);

    trxi_pool *scratch = trxi_pool_create(context);
    bool intact = strcmp(snapshot_folder(scratch, context, place), old) == 0;
    trxi_pool_destroy(scratch);
    ck_assert_msg(intact == failed, "call %d", n);
    return failed;
}

START_TEST(whatever_write_fails_the_old_run_is_intact)
{
    static const int reasons[] = {ENOSPC, EIO};
    double u[NU * STEPS];
    make_controls(u);
    trx_simulation simulation = controlled(u);
    simulation.linearize = true;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(trx_run_simulate(run, NULL), TRX_OK);
        ck_assert_int_eq(trx_run_write(run, folder), TRX_OK);
        const char *old = snapshot_folder(pool, context, place);
        ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
        int n = 1;
        while (write_with_fault(n, reasons[i], old)) n++;
        ck_assert_int_gt(n, 7 * 4); // seven files: open, write, flush, close
    }
}
END_TEST

// everything from loading to writing, on a context that may run out of memory
static trx_status whole_run(trx_context *with)
{
    trx_problem *loaded = NULL;
    trx_run *made = NULL;
    trx_simulation simulation = trx_simulation_default();
    simulation.linearize = true;
    trx_status status = load(with, &loaded);
    if (status >= 0) status = trx_run_create(with, loaded, &made);
    if (status >= 0) status = trx_run_simulate(made, &simulation);
    if (status >= 0) status = trx_run_write(made, folder);
    trx_run_destroy(made);
    trx_problem_destroy(loaded);
    return status;
}

START_TEST(memory_that_runs_out_anywhere_is_a_status_and_leaks_nothing)
{
    int failures = 0;
    for (int k = 2;; k++) {
        counting_allocator counter = {.fail_at = k};
        trx_context_settings settings = counting_settings(&counter);
        trx_context *small;
        ck_assert_int_eq(trx_context_create(&settings, &small), TRX_OK);
        trx_status status = whole_run(small);
        bool failed = counter.calls >= k;
        trx_context_destroy(small);
        ck_assert_int_eq(counter.outstanding, 0);
        if (!failed) {
            ck_assert_int_eq(status, TRX_OK);
            break;
        }
        ck_assert_msg(status == TRX_ERR_MEMORY, "allocation %d: %s", k, trx_status_name(status));
        failures++;
    }
    ck_assert_int_gt(failures, 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/run");
    TCase *cases = tcase_create("run");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, the_tables_hold_the_steps_bit_for_bit);
    tcase_add_test(cases, every_contact_point_of_every_step_is_listed);
    tcase_add_test(cases, the_linearization_is_row_major);
    tcase_add_test(cases, a_limit_that_is_exceeded_is_reported);
    tcase_add_test(cases, goals_of_a_simulation_are_distances_to_the_target);
    tcase_add_test(cases, an_interrupted_simulation_keeps_its_steps);
    tcase_add_test(cases, a_policy_comes_back_and_its_last_step_is_held);
    tcase_add_test(cases, holding_controls_carry_what_gravity_pulls);
    tcase_add_test(cases, the_page_can_be_written_again_from_the_folder);
    tcase_add_test(cases, whatever_write_fails_the_old_run_is_intact);
    tcase_add_test(cases, memory_that_runs_out_anywhere_is_a_status_and_leaks_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
