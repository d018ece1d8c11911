// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Reads the table of a trial that ended early (theory 7, trials); see resume.h. The files belong to the same trial if the
// stamps are equal and the draws of every row have the same bits as the draws of its world.

#include "trial/resume.h"

#include "base/context.h"
#include "formats/csv.h"
#include "formats/files.h"
#include "formats/yaml.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SUMMARY = 1 << 24, WORLD = 0, STATUS, SUCCESS, RATIO, COST, FIRST_ERROR };

static trx_status refuse(trx_context *context, const char *file)
{
    return trxi_fail(context, TRX_ERR_INPUT, "'%s' is of another trial: leave out --resume, or repeat its command", file);
}

// compares the stamp of the summary (JSON is also YAML)
static trx_status check_stamp(trx_context *context, trxi_pool *pool, const trx_trial_settings *s)
{
    char *bytes;
    size_t length;
    trxi_yaml_node *root = NULL;
    const char *file = trxi_pool_printf(pool, "%s.json", s->resume);
    if (!file) return TRX_ERR_MEMORY;
    trx_status status = trxi_file_read(context, pool, file, MOST_SUMMARY, &bytes, &length);
    if (status >= 0) status = trxi_yaml_try_parse(context, pool, file, bytes, length, &root);
    if (status < 0) return status;
    const trxi_yaml_node *stamp = trxi_yaml_get(root, "stamp");
    const char *mine = s->stamp ? s->stamp : "";
    return stamp && strcmp(stamp->text, mine) == 0 ? TRX_OK : refuse(context, file);
}

static double or_infinity(double cell)
{
    return isnan(cell) ? INFINITY : cell;
}

// copies one row of the table into the result of its world; returns false when the world has other draws
static bool take_row(const trxi_worlds *w, int ngoal, const double *row, trx_trial_world *result)
{
    double *errors = (double *)result->errors, *draws = (double *)result->draws;
    trxi_world_draw(w, (int)row[WORLD], draws);
    for (int i = 0; i < w->count; i++)
        if (row[FIRST_ERROR + ngoal + i] != draws[i]) return false;
    for (int i = 0; i < ngoal; i++) errors[i] = or_infinity(row[FIRST_ERROR + i]);
    result->status = (trx_status)(int)row[STATUS];
    result->success = row[SUCCESS] == 1;
    result->ratio = or_infinity(row[RATIO]);
    result->cost = or_infinity(row[COST]);
    return true;
}

static bool has_columns(const trxi_csv *table, const trxi_worlds *w, int ngoal, const trx_trial_goal *goals)
{
    if (table->cols != FIRST_ERROR + ngoal + w->count) return false;
    for (int i = 0; i < ngoal; i++) {
        const char *name = table->names[FIRST_ERROR + i];
        if (strncmp(name, "error ", 6) != 0 || strcmp(name + 6, goals[i].name) != 0) return false;
    }
    for (int i = 0; i < w->count; i++)
        if (strcmp(table->names[FIRST_ERROR + ngoal + i], w->variations[i].name) != 0) return false;
    return true;
}

static trx_status take_table(trx_context *context, const trxi_csv *table, const trxi_worlds *w, int ngoal,
                             const trx_trial_goal *goals, trx_trial_world *results, int *finished)
{
    const trx_trial_settings *s = &w->settings;
    if (!has_columns(table, w, ngoal, goals)) return refuse(context, table->file);
    for (int i = 0; i < table->rows; i++) {
        const double *row = table->data + (size_t)i * (size_t)table->cols, index = row[WORLD] - s->first_world;
        if (!(index >= 0 && index < s->worlds) || !(fabs(row[STATUS]) <= INT_MAX)) continue;
        trx_trial_world *result = &results[(int)index];
        *finished += result->status == TRX_ERR_NO_STEP;
        if (!take_row(w, ngoal, row, result)) return refuse(context, table->file);
    }
    return TRX_OK;
}

trx_status trxi_trial_resume(trx_context *context, const trxi_worlds *worlds, int ngoal, const trx_trial_goal *goals,
                             trx_trial_world *results, int *finished)
{
    const trx_trial_settings *s = &worlds->settings;
    *finished = 0;
    if (!s->resume) return TRX_OK;
    trxi_pool *pool = trxi_pool_create(context);
    if (!pool) return TRX_ERR_MEMORY;
    trxi_csv table;
    const char *file = trxi_pool_printf(pool, "%s.csv", s->resume);
    trx_status status = file ? TRX_OK : TRX_ERR_MEMORY;
    if (status >= 0 && access(file, F_OK) == 0) {
        status = check_stamp(context, pool, s);
        if (status >= 0) status = trxi_csv_read(context, pool, file, &table);
        if (status >= 0) status = take_table(context, &table, worlds, ngoal, goals, results, finished);
    }
    trxi_pool_destroy(pool);
    return status;
}
