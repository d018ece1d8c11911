// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A comparison of plans or simulations: one row of numbers for each variant, as CSV and JSON, and a page with the same JSON, on
// which the curves of all variants lie over each other. Curves have at most 501 knots. Cost: one pass over the trajectories.

#include "report/run.h"

#include "formats/files.h"
#include "formats/json.h"
#include "report/page.h"
#include "report/player/sources.h"

#include <tractrix/version.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CURVE_KNOTS = 500 };

// ---- numbers of a variant ----

typedef enum number {
    COST, GOALS, GOALS_MET, WORST_GOAL, WORST_LIMIT, ITERATIONS, SECONDS, FINE_COST, FINE_WORST_GOAL, PENETRATION,
    STEP_ITERATIONS, STEP_SECONDS, E_P, E_D, E_C, LOST, SLIP, DISTANCE, A_ERROR, B_ERROR, NUMBERS
} number;

// the columns of the table, in its order; errors of goals and limits are divided by their tolerances
static const char *const KEYS[NUMBERS] = {
    "cost", "goals", "goals_met", "worst_goal", "worst_limit", "iterations", "seconds", "fine_cost", "fine_worst_goal",
    "penetration", "step_iterations", "step_seconds", "e_p", "e_d", "e_c", "lost", "slip", "distance", "a_error", "b_error"};

typedef struct row {
    const char *status;
    double numbers[NUMBERS]; // NAN: unknown, or not of this kind of run
} row;

static double worst_goal(const trx_goal_result *goals, int count)
{
    double worst = NAN;
    for (int i = 0; i < count; i++) worst = fmax(worst, goals[i].error / goals[i].tolerance);
    return worst;
}

double trx_run_distance(const trx_run *run, const trx_run *from)
{
    const int nq = run->size.nq, nv = run->size.nv;
    const size_t nx = (size_t)run->size.nstate;
    const bool alike = from && run->x && from->x && from->size.nq == nq && from->size.nv == nv && from->size.na == run->size.na &&
                       from->first == run->first && from->time_step == run->time_step;
    double *dq = alike ? trxi_allocate(run->context, sizeof *dq * (nx + 1)) : NULL;
    if (!dq) return NAN;
    double most = 0;
    for (int k = 0; k <= run->steps && k <= from->steps; k++) {
        trx_model_difference(run->model, run->x + nx * (size_t)k, from->x + nx * (size_t)k, dq);
        for (int i = 0; i < nv; i++) most = fmax(most, fabs(dq[i]));
    }
    trxi_release(run->context, dq);
    return most;
}

static void add_simulation(const trx_variant *variant, const trx_variant *first, double *r)
{
    const trx_run *run = variant->run;
    const trx_simulation_info info = trx_run_get_simulation(run);
    r[STEP_ITERATIONS] = info.iterations;
    r[STEP_SECONDS] = info.step_median;
    r[E_P] = info.contact.e_p, r[E_D] = info.contact.e_d, r[E_C] = info.contact.e_c;
    r[LOST] = info.lost;
    r[SLIP] = run->physical.slip;
    r[DISTANCE] = trx_run_distance(run, first->run);
    if (variant->gradients) r[A_ERROR] = variant->gradients->a_error, r[B_ERROR] = variant->gradients->b_error;
}

static void add_run(const trx_variant *variant, const trx_variant *first, double *r)
{
    const trx_run *run = variant->run;
    if (run->has_cost) r[COST] = run->cost;
    r[SECONDS] = run->solve;
    r[GOALS_MET] = 0;
    r[ITERATIONS] = run->iteration_count;
    r[GOALS] = run->ngoal;
    for (int i = 0; i < run->ngoal; i++) r[GOALS_MET] += run->physical.goals[i].met;
    r[WORST_GOAL] = worst_goal(run->physical.goals, run->ngoal);
    for (int i = 0; i < run->nasked; i++)
        r[WORST_LIMIT] = fmax(r[WORST_LIMIT], run->limits[i].violation / run->limits[i].tolerance);
    if (run->physical.status >= 0) r[PENETRATION] = run->physical.penetration;
    if (!run->planned) add_simulation(variant, first, r);
    if (!run->planned || run->fine.status < 0) return; // a simulation has no fine replay
    r[FINE_COST] = run->fine.cost;
    r[FINE_WORST_GOAL] = worst_goal(run->fine.goals, run->ngoal);
}

// the numbers of a variant; `first` is the variant that trajectories are compared with
static row row_of(const trx_variant *variant, const trx_variant *first)
{
    row r = {.status = variant->run ? trxi_status_word(variant->run->status) : "failed"};
    for (int i = 0; i < NUMBERS; i++) r.numbers[i] = NAN;
    if (variant->run) add_run(variant, first, r.numbers);
    return r;
}

static const char *message_of(const trx_variant *variant)
{
    if (!variant->run) return variant->message ? variant->message : "";
    return variant->run->message ? variant->run->message : "";
}

// ---- compare.csv ----

// a number; a variant that failed has no goals and no iterations
static void write_cell(const row *r, number which, trxi_text *out)
{
    const bool count = which == GOALS || which == GOALS_MET || which == ITERATIONS;
    trxi_text_char(out, ',');
    if (isfinite(r->numbers[which])) trxi_text_number(out, r->numbers[which]);
    else if (count) trxi_text_char(out, '0');
}

static void write_csv(const trx_variant *variants, int count, trxi_text *out)
{
    trxi_text_string(out, "variant,status");
    for (int k = 0; k < NUMBERS; k++) trxi_text_printf(out, ",%s", KEYS[k]);
    trxi_text_string(out, ",folder,message\n");
    for (int i = 0; i < count; i++) {
        const row r = row_of(&variants[i], variants);
        trxi_text_quoted(out, variants[i].name);
        trxi_text_printf(out, ",%s", r.status);
        for (int k = 0; k < NUMBERS; k++) write_cell(&r, (number)k, out);
        trxi_text_char(out, ',');
        trxi_text_quoted(out, variants[i].folder ? variants[i].folder : "");
        trxi_text_char(out, ',');
        trxi_text_quoted(out, message_of(&variants[i]));
        trxi_text_char(out, '\n');
    }
}

// ---- compare.json ----

// `count` numbers `stride` apart, one in `every` and the last
static void put_curve(trxi_json *json, const char *name, const double *values, size_t stride, int count, int every)
{
    trxi_json_put_array(json, name);
    for (int k = 0; k < count; k++)
        if (k % every == 0 || k == count - 1) trxi_json_number(json, values[stride * (size_t)k]);
    trxi_json_end_array(json);
}

static void put_times(trxi_json *json, const trx_run *run, int every)
{
    trxi_json_put_array(json, "t");
    for (int k = 0; k <= run->steps; k++)
        if (k % every == 0 || k == run->steps) trxi_json_number(json, (run->first + k) * run->time_step);
    trxi_json_end_array(json);
}

// the control of the last knot is null, so there are as many values as times
static void put_control(trxi_json *json, const char *name, const trx_run *run, int index, int every)
{
    const size_t nu = (size_t)run->size.nu;
    trxi_json_put_array(json, name);
    for (int k = 0; k <= run->steps; k++)
        if (k % every == 0 || k == run->steps)
            trxi_json_number(json, k < run->steps ? run->u[nu * (size_t)k + (size_t)index] : NAN);
    trxi_json_end_array(json);
}

static void put_curves(trxi_json *json, const trx_run *run)
{
    const int every = run->steps / CURVE_KNOTS + 1;
    const size_t nx = (size_t)run->size.nstate;
    put_times(json, run, every);
    trxi_json_put_object(json, "series");
    for (int i = 0; i < run->size.nstate; i++)
        put_curve(json, trx_model_state_name(run->model, i), run->x + i, nx, run->steps + 1, every);
    for (int i = 0; i < run->size.nu; i++) {
        char name[256];
        snprintf(name, sizeof name, "u.%.200s", trx_model_actuator_name(run->model, i));
        put_control(json, name, run, i, every);
    }
    trxi_json_end_object(json);
    trxi_json_put_array(json, "costs");
    for (int i = 0; i < run->niteration; i++) trxi_json_number(json, run->iterations[i].cost);
    trxi_json_end_array(json);
}

static void put_variant(trxi_json *json, const trx_variant *variant, const trx_variant *first)
{
    const row r = row_of(variant, first);
    trxi_json_put_string(json, "name", variant->name);
    trxi_json_put_string(json, "folder", variant->folder);
    trxi_json_put_string(json, "status", r.status);
    trxi_json_put_string(json, "message", message_of(variant));
    for (int k = 0; k < NUMBERS; k++) trxi_json_put_number(json, KEYS[k], r.numbers[k]);
    if (variant->run && variant->run->x) put_curves(json, variant->run);
}

static void write_json(const char *title, const trx_variant *variants, int count, trxi_text *out)
{
    trxi_json json = trxi_json_create(out, 1);
    trxi_json_begin_object(&json);
    trxi_json_put_string(&json, "problem", title);
    trxi_json_put_string(&json, "tractrix", trx_version());
    trxi_json_put_array(&json, "variants");
    for (int i = 0; trxi_json_next_object(&json, i, count); i++) put_variant(&json, &variants[i], variants);
    trxi_json_end_object(&json);
    trxi_text_char(out, '\n');
}

// ---- compare.html ----

static void write_page(const char *title, const trxi_text *json, trxi_text *out)
{
    const trxi_page_mark marks[] = {{"@TITLE@", .plain = title},
                                    {"@STYLE@", .html = trxi_player_compare_css},
                                    {"@DATA@", .html = trxi_text_get(json)},
                                    {"@SCRIPT@", .html = trxi_player_compare_js}};
    trxi_page_expand(trxi_player_compare_html, marks, 4, NULL, out);
}

// ---- the folder ----

static trx_status put(trx_context *context, const char *path, const char *name, const trxi_text *text)
{
    if (text->status < 0) return text->status;
    trxi_text file = trxi_text_create(context);
    trxi_text_printf(&file, "%s/%s", path, name);
    trx_status status = file.status;
    if (status >= 0) status = trxi_file_replace(context, trxi_text_get(&file), trxi_text_get(text), text->length);
    trxi_text_destroy(&file);
    return status;
}

trx_status trx_compare_write(trx_context *context, const char *title, const trx_variant *variants, int count, const char *path)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!title || !variants || count < 1 || !path)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_compare_write: no title, variants or path");
    trxi_text csv = trxi_text_create(context), json = csv, page = csv;
    write_csv(variants, count, &csv);
    write_json(title, variants, count, &json);
    write_page(title, &json, &page);
    trx_status status = put(context, path, "compare.csv", &csv);
    if (status >= 0) status = put(context, path, "compare.json", &json);
    if (status >= 0) status = put(context, path, "compare.html", &page);
    trxi_text_destroy(&csv);
    trxi_text_destroy(&json);
    trxi_text_destroy(&page);
    return status;
}
