// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A run folder as one MJCF file: the model, and one keyframe with time, qpos, qvel, act and ctrl per row of trajectory.csv, whose
// columns are found by their names. The problem is loaded from the folder. The time step is the step of the problem, or the
// distance of the rows where a refined plan has more of them.

#include "report/mjcf.h"

#include "dynamics/kinematics.h"
#include "formats/csv.h"
#include "formats/files.h"

#include <stdio.h>
#include <string.h>
#include <tractrix/report.h>

typedef struct exporter {
    trx_context *context;
    trxi_pool *pool;
    trx_problem *problem;
    trxi_csv trajectory;
    trxi_text out;
} exporter;

static trx_status read_run(exporter *e, const char *folder)
{
    const char *problem = trxi_pool_printf(e->pool, "%s/problem.yaml", folder);
    const char *table = trxi_pool_printf(e->pool, "%s/trajectory.csv", folder);
    if (!problem || !table) return TRX_ERR_MEMORY;
    trx_problem_options options = trx_problem_options_default();
    trx_status status = trx_problem_load(e->context, problem, &options, &e->problem);
    return status < 0 ? status : trxi_csv_read(e->context, e->pool, table, &e->trajectory);
}

// the columns called `prefix`NAME for all names, -1 for missing ones
static int *find_columns(exporter *e, const char *prefix, int count, const char *(*name)(const trx_model *, int))
{
    const trx_model *model = trx_problem_model(e->problem);
    int *columns = TRXI_POOL(e->pool, int, count);
    for (int i = 0; columns && i < count; i++) {
        const char *wanted = trxi_pool_printf(e->pool, "%s%s", prefix, name(model, i));
        if (!wanted) return NULL;
        columns[i] = trxi_csv_find(&e->trajectory, wanted);
    }
    return columns;
}

// the column of times, -1 without one or without rows
static int time_column(const trxi_csv *csv)
{
    return csv->rows > 0 ? trxi_csv_find(csv, "t") : -1;
}

// rows may be farther apart than steps, but never nearer
static double time_step(const exporter *e)
{
    const trxi_csv *csv = &e->trajectory;
    const double step = trx_problem_sim_settings(e->problem).time_step;
    const int column = time_column(csv), last = csv->rows - 1;
    if (column < 0 || last < 1) return step;
    const double apart = (trxi_csv_number(csv, last, column) - trxi_csv_number(csv, 0, column)) / last;
    return apart > 0 && apart < (1 - 1e-6) * step ? apart : step;
}

// one keyframe per row; columns are named after coordinates, velocities, activations, and u.ACTUATOR
static trx_status write_keys(exporter *e, const trxi_export *m)
{
    const trx_model *model = m->model;
    const trxi_csv *csv = &e->trajectory;
    const struct {
        const char *key, *prefix;
        int count;
        const char *(*name)(const trx_model *, int);
    } parts[] = {{"qpos", "", model->nq, trx_model_q_name},
                 {"qvel", "", model->nv, trx_model_v_name},
                 {"act", "", model->na, trxi_model_activation_name},
                 {"ctrl", "u.", model->nu, trx_model_actuator_name}};
    enum { PARTS = sizeof parts / sizeof *parts };
    int *columns[PARTS];
    double *row = TRXI_POOL(e->pool, double, model->nstate + model->nu);
    for (int p = 0; p < PARTS; p++) {
        columns[p] = find_columns(e, parts[p].prefix, parts[p].count, parts[p].name);
        if (!columns[p] || !row) return TRX_ERR_MEMORY;
        for (int i = 0; i < parts[p].count; i++)
            if (columns[p][i] < 0)
                return trxi_error_at(e->context, trxi_csv_top(csv), "no column \"%s%s\": add it", parts[p].prefix,
                                     parts[p].name(model, i));
    }

    const int t = time_column(csv);
    if (t < 0) return trxi_error_at(e->context, trxi_csv_top(csv), "no column \"t\" with times: add it");
    trxi_export_open(m, 1, "keyframe");
    trxi_export_close(m, true);
    for (int k = 0; k < csv->rows; k++) {
        char name[32];
        snprintf(name, sizeof name, "knot%d", k);
        trxi_export_open(m, 2, "key");
        trxi_export_text(m, "name", name);
        trxi_export_number(m, "time", trxi_csv_number(csv, k, t));
        for (int p = 0; p < PARTS; p++) {
            for (int i = 0; i < parts[p].count; i++) {
                double value = trxi_csv_number(csv, k, columns[p][i]);
                row[i] = isfinite(value) ? value : 0; // controls end one knot before the states
            }
            if (parts[p].count > 0) trxi_export_numbers(m, parts[p].key, row, parts[p].count);
        }
        trxi_export_close(m, false);
    }
    trxi_export_end(m, 1, "keyframe");
    return TRX_OK;
}

static void write_options(const trxi_export *m)
{
    trxi_text_string(m->out, "  <compiler angle=\"radian\" autolimits=\"true\" inertiafromgeom=\"false\" "
                             "boundmass=\"1e-9\" boundinertia=\"1e-12\"/>\n");
    trxi_export_open(m, 1, "option");
    trxi_export_number(m, "timestep", m->time_step);
    trxi_export_numbers(m, "gravity", m->model->gravity, 3);
    trxi_export_text(m, "cone", "elliptic");
    trxi_export_text(m, "integrator", "implicitfast");
    trxi_export_close(m, false);
}

// poses of bodies and links, and all lengths, at the neutral configuration
static trx_status neutral_poses(exporter *e, trxi_export *m)
{
    const trx_model *model = m->model;
    double *q = TRXI_POOL(e->pool, double, model->nq);
    double *R = TRXI_POOL(e->pool, double, 9 * model->nlink), *p = TRXI_POOL(e->pool, double, 3 * model->nlink);
    trx_pose *poses = TRXI_POOL(e->pool, trx_pose, model->nbody);
    if (!q || !R || !p || !poses) return TRX_ERR_MEMORY;
    trx_model_neutral(model, q);
    trx_model_body_poses(model, q, poses);
    for (int i = 0; i < model->nlink; i++) {
        double R_local[9], p_local[3];
        int parent = model->links[i].parent;
        trxi_link_pose(model, i, q, R_local, p_local);
        if (parent < 0) {
            memcpy(R + 9 * i, R_local, sizeof R_local);
            trxi_copy3(p_local, p + 3 * i);
            continue;
        }
        trxi_carry_pose(R + 9 * parent, p + 3 * parent, R_local, p_local, R + 9 * i, p + 3 * i);
    }
    double *lengths = TRXI_POOL(e->pool, double, model->nlength);
    trx_status status = lengths ? TRX_OK : TRX_ERR_MEMORY;
    for (int i = 0; i < model->nlength && status == TRX_OK; i++) {
        lengths[i] = trxi_length_of_joints(model, &model->lengths[i], q);
        if (model->lengths[i].nspan > 0) status = trx_model_tendon(e->context, model, i, q, &lengths[i], NULL);
    }
    m->poses = poses, m->link_R = R, m->link_p = p, m->lengths = lengths;
    return status;
}

static trx_status write_all(exporter *e)
{
    trxi_export m = {.model = trx_problem_model(e->problem),
                     .title = trx_problem_title(e->problem),
                     .time_step = time_step(e),
                     .out = &e->out};
    trx_status status = neutral_poses(e, &m);
    if (status < 0) return status;
    trxi_export_open(&m, 0, "mujoco");
    trxi_export_text(&m, "model", m.title);
    trxi_export_close(&m, true);
    write_options(&m);
    trxi_export_bodies(&m);
    trxi_export_rest(&m);
    status = write_keys(e, &m);
    trxi_export_end(&m, 0, "mujoco");
    return status < 0 ? status : e->out.status;
}

trx_status trx_run_export_mjcf(trx_context *context, const char *path, const char *file)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!path || !file) return trxi_fail(context, TRX_ERR_ARGUMENT, "no run folder or no file to write");
    exporter e = {.context = context, .pool = trxi_pool_create(context), .out = trxi_text_create(context)};
    if (!e.pool) return TRX_ERR_MEMORY;
    trx_status status = read_run(&e, path);
    if (status >= 0) status = write_all(&e);
    if (status >= 0) status = trxi_file_replace(context, file, trxi_text_get(&e.out), e.out.length);
    trx_problem_destroy(e.problem);
    trxi_text_destroy(&e.out);
    trxi_pool_destroy(e.pool);
    return status;
}
