// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A policy as C, compiled by a strict compiler, computes what the library computes, in double and in float; as a table it has a row
// per knot. The compiled program reads t and x, and prints u.

#include "report/fixture.h"
#include "report/policy_export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 40 };

// a plan of the fixture's problem with gains at random, and its box that turns
static trx_policy *random_policy(const fixture *f)
{
    static double x[NX * (STEPS + 1)], u[NU * STEPS], K[NU * 2 * NV * STEPS];
    const double dt = trx_problem_sim_settings(f->problem).time_step;
    for (int k = 0; k <= STEPS; k++) {
        double *x_k = x + NX * k, turn[NV] = {0};
        memcpy(x_k, trx_problem_start(f->problem), NX * sizeof *x);
        for (int i = 0; i < NV; i++) turn[i] = 0.2 * k * sin(1 + i);
        trx_model_integrate(trx_problem_model(f->problem), trx_problem_start(f->problem), turn, x_k);
        for (int i = 0; i < NV; i++) x_k[NX - NV + i] = sin(i + k);
    }
    for (int i = 0; i < NU * STEPS; i++) u[i] = 3 * sin(i);
    for (int i = 0; i < NU * 2 * NV * STEPS; i++) K[i] = sin(2 + i);
    trx_policy_def def = trx_policy_def_default();
    def.steps = STEPS, def.start_time = 0.25, def.time_step = dt, def.x = x, def.u = u, def.K = K, def.lead = 0.3 * dt;
    trx_policy *policy;
    ck_assert_int_eq(trx_policy_create(f->context, trx_problem_model(f->problem), &def, &policy), TRX_OK);
    return policy;
}

static const char MAIN[] = "#include \"policy.c\"\n"
                           "#include <stdio.h>\n"
                           "int main(void)\n"
                           "{\n"
                           "    double t, number;\n"
                           "    REAL x[NQ + NV], u[NU];\n"
                           "    int i;\n"
                           "    while (scanf(\"%lf\", &t) == 1) {\n"
                           "        for (i = 0; i < NQ + NV; i++) {\n"
                           "            if (scanf(\"%lf\", &number) != 1) return 1;\n"
                           "            x[i] = (REAL)number;\n"
                           "        }\n"
                           "        policy_control((REAL)t, x, u);\n"
                           "        for (i = 0; i < NU; i++) printf(\"%.17g\\n\", (double)u[i]);\n"
                           "    }\n"
                           "    return 0;\n"
                           "}\n";

static void put(const fixture *f, const char *name, const char *text, size_t length)
{
    char path[TEMPORARY_PATH + 32];
    snprintf(path, sizeof path, "%s/%s", f->place, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

// compiles main.c in the fixture's place with the compiler `cc`, and runs it
static void compile_and_run(const fixture *f, const char *options)
{
    char command[4 * TEMPORARY_PATH + 256];
    snprintf(command, sizeof command, "cd %s && cc -std=c99 -Wall -Wextra -pedantic -Werror %s -o run main.c -lm && "
             "./run < in > out", f->place, options);
    ck_assert_int_eq(system(command), 0);
}

// times between the knots, and states near the plan
static void write_input(const fixture *f, trx_policy *policy, double times[TRIES], double states[TRIES * NX])
{
    char path[TEMPORARY_PATH + 8];
    snprintf(path, sizeof path, "%s/in", f->place);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < TRIES; i++) {
        double *x = states + NX * i, dx[NV], reference[NX];
        times[i] = 0.25 + trx_policy_get(policy).time_step * (STEPS + 4.0) * ((i + 0.37) / TRIES) - 0.02;
        ck_assert_int_eq(trx_policy_reference(policy, times[i], reference), TRX_OK);
        for (int j = 0; j < NV; j++) dx[j] = 0.3 * sin(3 * i + j);
        trx_model_integrate(trx_policy_model(policy), reference, dx, x);
        for (int j = NX - NV; j < NX; j++) x[j] = reference[j] + 0.1 * cos(i + j);
        fprintf(file, "%.17g", times[i]);
        for (int j = 0; j < NX; j++) fprintf(file, " %.17g", x[j]);
        fputc('\n', file);
    }
    ck_assert_int_eq(fclose(file), 0);
}

static void compare_output(const fixture *f, trx_policy *policy, const double *times, const double *states, double tolerance)
{
    char path[TEMPORARY_PATH + 8];
    snprintf(path, sizeof path, "%s/out", f->place);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < TRIES; i++) {
        double u[NU], printed;
        ck_assert_int_eq(trx_policy_control(policy, times[i], states + NX * i, u), TRX_OK);
        for (int j = 0; j < NU; j++) {
            ck_assert_int_eq(fscanf(file, "%lf", &printed), 1);
            assert_close(printed, u[j], tolerance * fmax(1, fabs(u[j])));
        }
    }
    ck_assert_int_eq(fclose(file), 0);
}

// the input of one line, where every number is NaN
static void write_nan(const fixture *f)
{
    char line[4 * (NX + 1) + 1] = "";
    for (int i = 0; i <= NX; i++) memcpy(line + 4 * i, "nan ", 5);
    put(f, "in", line, strlen(line));
}

// the output is the first controls of the plan
static void check_nan(const fixture *f, const trx_policy_def *def)
{
    char path[TEMPORARY_PATH + 8];
    snprintf(path, sizeof path, "%s/out", f->place);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    for (int j = 0; j < NU; j++) {
        double printed;
        ck_assert_int_eq(fscanf(file, "%lf", &printed), 1);
        assert_close(printed, def->u[j], 1e-15);
    }
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(the_interpreter_computes_what_the_library_computes)
{
    fixture f;
    fixture_open(&f);
    trx_policy *policy = random_policy(&f);
    const trx_policy_def def = trx_policy_get(policy);
    double times[TRIES], states[TRIES * NX];
    trxi_text text = trxi_text_create(f.context);
    trxi_write_policy_c(trx_problem_model(f.problem), &def, &text);
    put(&f, "policy.c", trxi_text_get(&text), text.length);
    put(&f, "main.c", MAIN, sizeof MAIN - 1);
    write_input(&f, policy, times, states);
    compile_and_run(&f, "");
    compare_output(&f, policy, times, states, 1e-12);
    compile_and_run(&f, "-DREAL=float");
    compare_output(&f, policy, times, states, 1e-5);
    write_nan(&f);
    compile_and_run(&f, "");
    check_nan(&f, &def);
    trxi_text_destroy(&text);
    trx_policy_destroy(policy);
    fixture_close(&f);
}
END_TEST

START_TEST(the_table_has_a_row_per_knot_and_a_column_per_gain)
{
    fixture f;
    fixture_open(&f);
    trx_policy *policy = random_policy(&f);
    const trx_policy_def def = trx_policy_get(policy);
    trxi_text text = trxi_text_create(f.context);
    trxi_write_policy_csv(trx_problem_model(f.problem), &def, &text);
    const char *table = trxi_text_get(&text), *second = strchr(table, '\n') + 1;
    int rows = 0, cells = 1;
    for (const char *c = table; *c; c++) rows += *c == '\n';
    for (const char *c = second; *c != '\n'; c++) cells += *c == ',';
    ck_assert_int_eq(rows, STEPS + 2);
    ck_assert_int_eq(cells, 1 + NX + NU + NU * 2 * NV);
    ck_assert_ptr_nonnull(strstr(table, ",K.px.box.vx,"));
    ck_assert_ptr_nonnull(strstr(table, ",K.px.d_box.vx,"));
    ck_assert_double_eq(strtod(second, NULL), 0.25);

    // the second gain of px is the last but one cell of its block: compare one number by its place
    const char *cell = second;
    for (int i = 0; i < 1 + NX + NU + 1; i++) cell = strchr(cell, ',') + 1;
    ck_assert_double_eq(strtod(cell, NULL), def.K[NU]);
    trxi_text_destroy(&text);
    trx_policy_destroy(policy);
    fixture_close(&f);
}
END_TEST

START_TEST(the_ending_chooses_the_form)
{
    fixture f;
    fixture_open(&f);
    double u[NU * STEPS];
    fixture_controls(u);
    trx_simulation simulation = fixture_simulation(u);
    simulation.linearize = true;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    ck_assert_int_eq(trx_run_write(f.run, f.folder), TRX_OK);
    static const char *const names[] = {"p.c", "p.csv", "p.npz"};
    char path[TEMPORARY_PATH + 16];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", f.place, names[i]);
        ck_assert_int_eq(trx_run_export_policy(f.run, f.folder, 0, path), TRX_OK);
        ck_assert_int_eq(access(path, R_OK), 0);
    }
    ck_assert_int_eq(trx_run_export_policy(f.run, f.folder, 0, "p.txt"), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_export_policy(f.run, f.folder, -1, path), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_run_export_policy(f.run, f.place, 0, path), TRX_ERR_IO);
    ck_assert_int_eq(trx_run_export_policy(f.run, NULL, 0, NULL), TRX_ERR_ARGUMENT);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/policy_export");
    TCase *cases = tcase_create("policy_export");
    tcase_add_test(cases, the_interpreter_computes_what_the_library_computes);
    tcase_add_test(cases, the_table_has_a_row_per_knot_and_a_column_per_gain);
    tcase_add_test(cases, the_ending_chooses_the_form);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
