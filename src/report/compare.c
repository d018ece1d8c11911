// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A comparison of plans or simulations: one row of numbers for each variant, as CSV and JSON, and a page with the same JSON, on
// which the curves of all variants lie over each other. Curves have at most 500 knots. Cost: one pass over the trajectories.

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

typedef struct row {
    const char *status;
    double cost, seconds, fine_cost, penetration;
    int iterations, goals, goals_met;
    double worst_goal, worst_limit, fine_worst_goal; // error over tolerance, NAN without goals or limits
    // of simulations, else NAN
    double step_iterations, step_seconds, e_p, e_d, e_c, lost, slip, distance, a_error, b_error;
} row;

static const row EMPTY = {.status = "failed", .cost = NAN, .seconds = NAN, .fine_cost = NAN, .penetration = NAN,
                          .worst_goal = NAN, .worst_limit = NAN, .fine_worst_goal = NAN, .step_iterations = NAN,
                          .step_seconds = NAN, .e_p = NAN, .e_d = NAN, .e_c = NAN, .lost = NAN, .slip = NAN, .distance = NAN,
                          .a_error = NAN, .b_error = NAN};

static double worst_goal(const trx_goal_result *goals, int count)
{
    double worst = NAN;
    for (int i = 0; i < count; i++) worst = fmax(worst, goals[i].error / goals[i].tolerance);
    return worst;
}

double trx_run_distance(const trx_run *run, const trx_run *from)
{
    const int nq = run->size.nq, nv = run->size.nv;
    const size_t nx = (size_t)(nq + nv);
    const bool alike = from && run->x && from->x && from->size.nq == nq && from->size.nv == nv && from->first == run->first &&
                       from->time_step == run->time_step;
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

static void add_simulation(const trx_variant *variant, const trx_variant *first, row *r)
{
    const trx_run *run = variant->run;
    const trx_simulation_info info = trx_run_get_simulation(run);
    r->step_iterations = info.iterations;
    r->step_seconds = info.step_median;
    r->e_p = info.contact.e_p, r->e_d = info.contact.e_d, r->e_c = info.contact.e_c;
    r->lost = info.lost;
    r->slip = run->physical.slip;
    r->distance = trx_run_distance(run, first->run);
    if (variant->gradients) r->a_error = variant->gradients->a_error, r->b_error = variant->gradients->b_error;
}

// the numbers of a variant; `first` is the variant that trajectories are compared with
static row row_of(const trx_variant *variant, const trx_variant *first)
{
    row r = EMPTY;
    const trx_run *run = variant->run;
    if (!run) return r;
    r.status = trxi_status_word(run->status);
    if (run->has_cost) r.cost = run->cost;
    r.seconds = run->solve;
    for (int i = 0; i < run->nstage; i++) r.iterations += run->stages[i].info.iterations;
    r.goals = run->ngoal;
    for (int i = 0; i < run->ngoal; i++) r.goals_met += run->physical.goals[i].met;
    r.worst_goal = worst_goal(run->physical.goals, run->ngoal);
    for (int i = 0; i < run->nasked; i++)
        r.worst_limit = fmax(r.worst_limit, run->limits[i].violation / run->limits[i].tolerance);
    if (run->physical.status >= 0) r.penetration = run->physical.penetration;
    if (!run->planned) add_simulation(variant, first, &r);
    if (!run->planned || run->fine.status < 0) return r; // a simulation has no fine replay
    r.fine_cost = run->fine.cost;
    r.fine_worst_goal = worst_goal(run->fine.goals, run->ngoal);
    return r;
}

static const char *message_of(const trx_variant *variant)
{
    if (!variant->run) return variant->message ? variant->message : "";
    return variant->run->message ? variant->run->message : "";
}

// ---- compare.csv ----

static void write_quoted(const char *text, trxi_text *out)
{
    trxi_text_char(out, '"');
    for (; *text; text++) {
        if (*text == '"') trxi_text_char(out, '"');
        trxi_text_char(out, *text == '\n' ? ' ' : *text);
    }
    trxi_text_char(out, '"');
}

static void write_cell(double value, trxi_text *out)
{
    trxi_text_char(out, ',');
    if (isfinite(value)) trxi_text_number(out, value);
}

static void write_csv(const trx_variant *variants, int count, trxi_text *out)
{
    trxi_text_string(out, "variant,status,cost,goals,goals_met,worst_goal,worst_limit,iterations,seconds,fine_cost,fine_worst_goal,"
                          "penetration,step_iterations,step_seconds,e_p,e_d,e_c,lost,slip,distance,a_error,b_error,folder,"
                          "message\n");
    for (int i = 0; i < count; i++) {
        const row r = row_of(&variants[i], variants);
        write_quoted(variants[i].name, out);
        trxi_text_printf(out, ",%s", r.status);
        write_cell(r.cost, out);
        trxi_text_printf(out, ",%d,%d", r.goals, r.goals_met);
        write_cell(r.worst_goal, out);
        write_cell(r.worst_limit, out);
        trxi_text_printf(out, ",%d", r.iterations);
        write_cell(r.seconds, out);
        write_cell(r.fine_cost, out);
        write_cell(r.fine_worst_goal, out);
        const double last[] = {r.penetration, r.step_iterations, r.step_seconds, r.e_p, r.e_d, r.e_c,
                               r.lost, r.slip, r.distance, r.a_error, r.b_error};
        for (size_t k = 0; k < sizeof last / sizeof *last; k++) write_cell(last[k], out);
        trxi_text_char(out, ',');
        write_quoted(variants[i].folder ? variants[i].folder : "", out);
        trxi_text_char(out, ',');
        write_quoted(message_of(&variants[i]), out);
        trxi_text_char(out, '\n');
    }
}

// ---- compare.json ----

// `count` numbers `stride` apart, one in `every` and the last
static void put_curve(trxi_json *json, const char *name, const double *values, size_t stride, int count, int every)
{
    trxi_json_key(json, name);
    trxi_json_begin_array(json);
    for (int k = 0; k < count; k++)
        if (k % every == 0 || k == count - 1) trxi_json_number(json, values[stride * (size_t)k]);
    trxi_json_end_array(json);
}

static void put_times(trxi_json *json, const trx_run *run, int every)
{
    trxi_json_key(json, "t");
    trxi_json_begin_array(json);
    for (int k = 0; k <= run->steps; k++)
        if (k % every == 0 || k == run->steps) trxi_json_number(json, (run->first + k) * run->time_step);
    trxi_json_end_array(json);
}

// the control of the last knot is null: the number of values is that of t
static void put_control(trxi_json *json, const char *name, const trx_run *run, int index, int every)
{
    const size_t nu = (size_t)run->size.nu;
    trxi_json_key(json, name);
    trxi_json_begin_array(json);
    for (int k = 0; k <= run->steps; k++)
        if (k % every == 0 || k == run->steps)
            trxi_json_number(json, k < run->steps ? run->u[nu * (size_t)k + (size_t)index] : NAN);
    trxi_json_end_array(json);
}

static void put_curves(trxi_json *json, const trx_run *run)
{
    const int every = run->steps / CURVE_KNOTS + 1;
    const size_t nx = (size_t)(run->size.nq + run->size.nv);
    put_times(json, run, every);
    trxi_json_key(json, "series");
    trxi_json_begin_object(json);
    for (int i = 0; i < run->size.nq; i++)
        put_curve(json, trx_model_q_name(run->model, i), run->x + i, nx, run->steps + 1, every);
    for (int i = 0; i < run->size.nv; i++)
        put_curve(json, trx_model_v_name(run->model, i), run->x + run->size.nq + i, nx, run->steps + 1, every);
    for (int i = 0; i < run->size.nu; i++) {
        char name[256];
        snprintf(name, sizeof name, "u.%.200s", trx_model_actuator_name(run->model, i));
        put_control(json, name, run, i, every);
    }
    trxi_json_end_object(json);
    trxi_json_key(json, "costs");
    trxi_json_begin_array(json);
    for (int i = 0; i < run->niteration; i++) trxi_json_number(json, run->iterations[i].cost);
    trxi_json_end_array(json);
}

static void put_variant(trxi_json *json, const trx_variant *variant, const trx_variant *first)
{
    const row r = row_of(variant, first);
    trxi_json_begin_object(json);
    trxi_json_put_string(json, "name", variant->name);
    trxi_json_put_string(json, "folder", variant->folder);
    trxi_json_put_string(json, "status", r.status);
    trxi_json_put_string(json, "message", message_of(variant));
    trxi_json_put_number(json, "cost", r.cost);
    trxi_json_put_number(json, "goals", variant->run ? (double)r.goals : NAN);
    trxi_json_put_number(json, "goals_met", variant->run ? (double)r.goals_met : NAN);
    trxi_json_put_number(json, "worst_goal", r.worst_goal);
    trxi_json_put_number(json, "worst_limit", r.worst_limit);
    trxi_json_put_number(json, "iterations", variant->run ? (double)r.iterations : NAN);
    trxi_json_put_number(json, "seconds", r.seconds);
    trxi_json_put_number(json, "fine_cost", r.fine_cost);
    trxi_json_put_number(json, "fine_worst_goal", r.fine_worst_goal);
    trxi_json_put_number(json, "penetration", r.penetration);
    trxi_json_put_number(json, "step_iterations", r.step_iterations);
    trxi_json_put_number(json, "step_seconds", r.step_seconds);
    trxi_json_put_number(json, "e_p", r.e_p);
    trxi_json_put_number(json, "e_d", r.e_d);
    trxi_json_put_number(json, "e_c", r.e_c);
    trxi_json_put_number(json, "lost", r.lost);
    trxi_json_put_number(json, "slip", r.slip);
    trxi_json_put_number(json, "distance", r.distance);
    trxi_json_put_number(json, "a_error", r.a_error);
    trxi_json_put_number(json, "b_error", r.b_error);
    if (variant->run && variant->run->x) put_curves(json, variant->run);
    trxi_json_end_object(json);
}

static void write_json(const char *title, const trx_variant *variants, int count, trxi_text *out)
{
    trxi_json json = trxi_json_create(out, 1);
    trxi_json_begin_object(&json);
    trxi_json_put_string(&json, "problem", title);
    trxi_json_put_string(&json, "tractrix", trx_version());
    trxi_json_key(&json, "variants");
    trxi_json_begin_array(&json);
    for (int i = 0; i < count; i++) put_variant(&json, &variants[i], variants);
    trxi_json_end_array(&json);
    trxi_json_end_object(&json);
    trxi_text_char(out, '\n');
}

// ---- compare.html ----

typedef struct compare_page {
    const char *title;
    const trxi_text *json;
    trxi_text *out;
} compare_page;

static void append_title(void *user)
{
    const compare_page *p = user;
    trxi_page_escape(p->out, p->title);
}

static void append_style(void *user)
{
    const compare_page *p = user;
    trxi_text_append(p->out, trxi_player_compare_css, trxi_player_compare_css_size);
}

static void append_data(void *user)
{
    const compare_page *p = user;
    trxi_text_append(p->out, trxi_text_get(p->json), p->json->length);
}

static void append_script(void *user)
{
    const compare_page *p = user;
    trxi_text_append(p->out, trxi_player_compare_js, trxi_player_compare_js_size);
}

static void write_page(const char *title, const trxi_text *json, trxi_text *out)
{
    static const trxi_page_mark marks[] = {
        {"@TITLE@", append_title}, {"@STYLE@", append_style}, {"@DATA@", append_data}, {"@SCRIPT@", append_script}};
    compare_page p = {title, json, out};
    trxi_page_expand((const char *)trxi_player_compare_html, marks, 4, &p, out);
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
