// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The files of a trial (theory 7, trials): a table with one row per world, and a summary.

#include <tractrix/trial.h>

#include "base/context.h"
#include "trial/resume.h"
#include "formats/files.h"
#include "formats/json.h"

#include <math.h>
#include <stdio.h>

enum { LISTED = 10 }; // worst worlds and strongest correlations in the summary

static void put_name(trxi_text *out, const char *prefix, const char *name)
{
    trxi_text whole = trxi_text_create(out->context);
    trxi_text_printf(&whole, "%s%s", prefix, name);
    trxi_text_char(out, ',');
    trxi_text_quoted(out, trxi_text_get(&whole));
    if (whole.status < 0) out->status = whole.status;
    trxi_text_destroy(&whole);
}

static void write_table(const trx_trial *trial, trxi_text *out)
{
    const trx_trial_info info = trx_trial_get_info(trial);
    const trx_trial_settings settings = trx_trial_get_settings(trial);
    trxi_text_string(out, "world,status,success,ratio,cost");
    for (int i = 0; i < info.ngoal; i++) put_name(out, "error ", trx_trial_get_goal(trial, i).name);
    for (int i = 0; i < info.nvariation; i++) put_name(out, "", trx_trial_get_variation(trial, i).name);
    trxi_text_char(out, '\n');
    for (int k = 0; k < settings.worlds; k++) {
        const trx_trial_world world = trx_trial_get_world(trial, k);
        if (world.status == TRX_ERR_NO_STEP) continue;
        trxi_text_printf(out, "%d,%d,%d", settings.first_world + k, (int)world.status, world.success);
        trxi_text_cells(out, (const double[]){world.ratio, world.cost}, 2);
        trxi_text_cells(out, world.errors, info.ngoal);
        trxi_text_cells(out, world.draws, info.nvariation);
        trxi_text_char(out, '\n');
    }
}

static void write_goals(trxi_json *json, trx_trial *trial, int count)
{
    static const double shares[] = {0.5, 0.9, 0.95, 1};
    static const char *const names[] = {"median", "q90", "q95", "worst"};
    trxi_json_put_array(json, "goals");
    for (int i = 0; trxi_json_next_object(json, i, count); i++) {
        const trx_trial_goal goal = trx_trial_get_goal(trial, i);
        trxi_json_put_string(json, "name", goal.name);
        trxi_json_put_number(json, "tolerance", goal.tolerance);
        trxi_json_put_number(json, "allowed", goal.allowed);
        for (int k = 0; k < 4; k++) trxi_json_put_number(json, names[k], trx_trial_quantile(trial, i, shares[k]));
    }
}

static void write_worst(trxi_json *json, const trx_trial *trial)
{
    int worlds[LISTED];
    const int count = trx_trial_worst(trial, LISTED, worlds);
    const int first = trx_trial_get_settings(trial).first_world;
    trxi_json_put_array(json, "worst");
    for (int i = 0; trxi_json_next_object(json, i, count); i++) {
        const trx_trial_world world = trx_trial_get_world(trial, worlds[i]);
        trxi_json_put_int(json, "world", first + worlds[i]);
        trxi_json_put_number(json, "ratio", world.ratio);
        trxi_json_put_string(json, "status", trx_status_text(world.status));
    }
}

static void write_correlations(trxi_json *json, const trx_trial *trial)
{
    int order[LISTED];
    const int count = trx_trial_strongest(trial, LISTED, order);
    trxi_json_put_array(json, "correlations");
    for (int i = 0; trxi_json_next_object(json, i, count); i++) {
        const trx_trial_variation v = trx_trial_get_variation(trial, order[i]);
        trxi_json_put_string(json, "name", v.name);
        trxi_json_put_number(json, "range", v.range);
        trxi_json_put_bool(json, "relative", v.relative);
        trxi_json_put_number(json, "correlation", v.correlation);
    }
}

static void write_summary(trx_trial *trial, trxi_text *out)
{
    const trx_trial_info info = trx_trial_get_info(trial);
    const trx_trial_settings s = trx_trial_get_settings(trial);
    trxi_json json = trxi_json_create(out, 2);
    trxi_json_begin_object(&json);
    trxi_json_put_int(&json, "worlds", info.worlds);
    trxi_json_put_int(&json, "asked", s.worlds);
    trxi_json_put_int(&json, "first_world", s.first_world);
    trxi_json_put_number(&json, "seed", (double)s.seed);
    trxi_json_put_string(&json, "stamp", s.stamp ? s.stamp : "");
    trxi_json_put_int(&json, "successes", info.successes);
    trxi_json_put_number(&json, "rate", info.worlds > 0 ? (double)info.successes / info.worlds : NAN);
    trxi_json_put_number(&json, "rate_low", info.rate_low);
    trxi_json_put_number(&json, "rate_high", info.rate_high);
    trxi_json_put_number(&json, "seconds", info.seconds);
    write_goals(&json, trial, info.ngoal);
    write_worst(&json, trial);
    write_correlations(&json, trial);
    trxi_json_end_object(&json);
    trxi_text_char(out, '\n');
}

static trx_status write_file(trx_context *context, trxi_text *text, const char *place, const char *ending)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s%s", place, ending);
    if (text->status < 0) return text->status;
    if (length < 0 || (size_t)length >= sizeof path)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_trial_write: the path is too long");
    return trxi_file_replace(context, path, trxi_text_get(text), text->length);
}

// writes the text to PLACE.json, then the table to PLACE.csv; the stamp in PLACE.json says to which trial the table belongs
static trx_status write_files(trx_context *context, const trx_trial *trial, trxi_text *text, const char *place)
{
    trx_status status = write_file(context, text, place, ".json");
    if (status >= 0) {
        trxi_text_clear(text);
        write_table(trial, text);
        status = write_file(context, text, place, ".csv");
    }
    trxi_text_destroy(text);
    return status;
}

trx_status trxi_trial_save(trx_context *context, const trx_trial *trial)
{
    const trx_trial_settings s = trx_trial_get_settings(trial);
    trxi_text text = trxi_text_create(context);
    trxi_json json = trxi_json_create(&text, 0);
    trxi_json_begin_object(&json);
    trxi_json_put_string(&json, "stamp", s.stamp ? s.stamp : "");
    trxi_json_end_object(&json);
    return write_files(context, trial, &text, s.save);
}

trx_status trx_trial_write(trx_trial *trial, const char *folder, const char *name)
{
    if (!trial) return TRX_ERR_ARGUMENT;
    trx_context *context = trx_trial_context(trial);
    trxi_begin(context);
    if (!folder || !name) return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_trial_write: no folder or no name");
    char place[4096];
    const int length = snprintf(place, sizeof place, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof place)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_trial_write: the path is too long");
    trxi_text text = trxi_text_create(context);
    write_summary(trial, &text);
    return write_files(context, trial, &text, place);
}
