// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Tables: their numbers equal the numbers of the steps, bit for bit.

#include "report/fixture.h"

#include "formats/csv.h"

#include <stdlib.h>
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

// returns the text before the next `mark` in *rest and moves *rest behind the mark; NULL at the end
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

START_TEST(the_tables_hold_the_steps_bit_for_bit)
{
    double u[NU * STEPS], x[NX];
    fixture_controls(u);
    trx_simulation simulation = fixture_simulation(u);
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    ck_assert_int_eq(trx_run_write(f.run, f.folder), TRX_OK);
    trxi_csv table;
    ck_assert_int_eq(trxi_csv_read(f.context, f.pool, fixture_file(&f, "trajectory.csv"), &table), TRX_OK);
    ck_assert_int_eq(table.rows, STEPS + 1);
    ck_assert_int_eq(table.cols, 1 + NX + NU);
    ck_assert_str_eq(table.names[1], "box.x");
    ck_assert_str_eq(table.names[NX], "pz.v");
    ck_assert_str_eq(table.names[NX + NU], "u.pz");

    trx_sim *sim = fixture_sim(&f, x);
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

START_TEST(every_contact_point_of_every_step_is_listed)
{
    double u[NU * STEPS], x[NX];
    fixture_controls(u);
    trx_simulation simulation = fixture_simulation(u);
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    trxi_text text = trxi_text_create(f.context);
    trxi_write_contacts(f.run, &text);
    char *rest = text.data, *cells[16];
    ck_assert_str_eq(next(&rest, '\n'), "t,pair,point,distance,v_n,v_t,f_n,f_t,mode,px,py,pz,nx,ny,nz");

    trx_sim *sim = fixture_sim(&f, x);
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
    trx_run_info info = trx_run_get_info(f.run);
    ck_assert_int_eq(info.contacts, total);
    ck_assert_double_eq(info.physical.penetration, penetration);
    ck_assert_double_eq(info.physical.slip, slip);
    assert_below(0, penetration);
    trx_sim_destroy(sim);
    trxi_text_destroy(&text);
}
END_TEST

START_TEST(the_iteration_table_is_what_was_reported)
{
    for (int i = 0; i < 40; i++) {
        trx_iteration it = {.stage = i / 20, .iteration = i % 20, .cost = 1.0 / (i + 1), .seconds = 1e-3 * i, .defect = 0.5 * i,
                            .attempt = i % 2};
        it.change = i % 20 ? 0.1 * i : NAN;
        ck_assert_int_eq(trx_run_add_iteration(f.run, &it), TRX_OK);
    }
    trxi_text text = trxi_text_create(f.context);
    trxi_write_iterations(f.run, &text);
    trxi_csv table;
    ck_assert_int_eq(trxi_csv_parse(f.context, f.pool, "iterations.csv", text.data, text.length, &table), TRX_OK);
    ck_assert_int_eq(table.rows, 40);
    ck_assert_int_eq(table.cols, 11);
    for (int i = 0; i < 40; i++) {
        const double *row = table.data + 11 * i;
        ck_assert(row[0] == i / 20 && row[1] == i % 20 && row[2] == 1.0 / (i + 1) && row[8] == 1e-3 * i && row[9] == 0.5 * i &&
                  row[10] == i % 2);
        // what is not finite is an empty cell
        ck_assert(i % 20 ? row[3] == 0.1 * i : isnan(row[3]));
    }
    ck_assert_ptr_null(strstr(text.data, "nan"));
    trxi_text_destroy(&text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/tables");
    TCase *cases = tcase_create("tables");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, the_tables_hold_the_steps_bit_for_bit);
    tcase_add_test(cases, every_contact_point_of_every_step_is_listed);
    tcase_add_test(cases, the_iteration_table_is_what_was_reported);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
