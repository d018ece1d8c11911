// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// mujoco_mpc RUN MODEL.xml STEP [KEY=VALUE...]: model predictive control of the task of a run folder with MuJoCo as the plant, for
// scripts/mujoco_plant. The plant is the model that `tractrix view RUN --mjcf` writes, at steps of STEP seconds; states have the
// same coordinates. A tick is one trx_mpc_update, every mpc.replan_every; every step has its own command from trx_mpc_control.
// KEY=VALUE changes the problem file, as --set.
//
// Prints one object of JSON: "x", the state one step before the end of the task (null: the simulation left the numbers), and
// "ticks", "failures", "seconds" of processor time in the controller.

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tractrix/tractrix.h>

enum { MOST_STATE = 256, MOST_CONTROLS = 64 };

typedef struct loop {
    trx_context *context;
    trx_problem *problem;
    trx_plan_problem task;
    trx_policy *first;
    trx_mpc *mpc;
    double period, seconds; // of ticks; in the controller [s]
    mjModel *model;
    mjData *plant;
    double x[MOST_STATE], u[MOST_CONTROLS];
} loop;

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- the controller: the task of the folder, its plan as the first one ----

static trx_status open_task(loop *l, const char *folder, int nset, char **sets)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/problem.yaml", folder);
    trx_run *run = NULL;
    trx_problem_options load = trx_problem_options_default();
    load.set = (const char *const *)sets, load.nset = nset;
    trx_plan_settings unused = trx_plan_settings_default();
    l->task = trx_plan_problem_default();
    trx_status status = trx_context_create(NULL, &l->context);
    if (status >= 0) status = trx_problem_load(l->context, path, &load, &l->problem);
    if (status >= 0) status = trx_problem_plan(l->problem, &l->task, &unused);
    if (status >= 0) status = trx_run_create(l->context, l->problem, &run);
    if (status >= 0) status = trx_run_read_policy(run, folder, &l->first);
    trx_run_destroy(run);
    return status;
}

static trx_status open_controller(loop *l)
{
    const trx_mpc_problem mpc = trx_problem_mpc(l->problem);
    trx_mpc_settings settings = mpc.settings;
    l->period = mpc.period;
    if (settings.friction_margin == 0) settings.first = l->first;
    return trx_mpc_create(l->context, &l->task, &settings, &l->mpc);
}

// ---- the plant ----

static bool open_plant(loop *l, const char *file, double step)
{
    char error[1000];
    l->model = mj_loadXML(file, NULL, error, sizeof error);
    if (!l->model) return fprintf(stderr, "%s: %s\n", file, error), false;
    if (l->model->nq + l->model->nv > MOST_STATE || l->model->nu > MOST_CONTROLS) return fprintf(stderr, "too large\n"), false;
    l->model->opt.timestep = step;
    l->plant = mj_makeData(l->model);
    memcpy(l->plant->qpos, l->task.x0, (size_t)l->model->nq * sizeof *l->x);
    memcpy(l->plant->qvel, l->task.x0 + l->model->nq, (size_t)l->model->nv * sizeof *l->x);
    return true;
}

static bool measure(loop *l)
{
    const int nq = (int)l->model->nq, nv = (int)l->model->nv;
    memcpy(l->x, l->plant->qpos, (size_t)nq * sizeof *l->x);
    memcpy(l->x + nq, l->plant->qvel, (size_t)nv * sizeof *l->x);
    for (int i = 0; i < nq + nv; i++)
        if (!(fabs(l->x[i]) < 1e6)) return false;
    return true;
}

// ---- the loop ----

static void act(loop *l, double t, double *next)
{
    const double begun = processor_time();
    if (t > *next - 1e-9) {
        const trx_status status = trx_mpc_update(l->mpc, t, l->x);
        if (status < 0) fprintf(stderr, "%.3f s: %s\n", t, trx_context_message(l->context));
        *next += l->period;
    }
    trx_mpc_control(l->mpc, t, l->x, l->u);
    l->seconds += processor_time() - begun;
}

// the state one step before the end; false when the simulation left the numbers
static bool run(loop *l)
{
    const double h = l->model->opt.timestep;
    const int steps = (int)lround(l->task.steps * l->task.sim.time_step / h);
    double next = 0;
    bool fine = true;
    for (int k = 0; k < steps - 1 && fine; k++) {
        if (!(fine = measure(l))) break;
        act(l, k * h, &next);
        memcpy(l->plant->ctrl, l->u, (size_t)l->model->nu * sizeof *l->u);
        mj_step(l->model, l->plant);
    }
    return fine && measure(l);
}

static void print(const loop *l, bool fine)
{
    const trx_mpc_info info = trx_mpc_get_info(l->mpc);
    printf("{\"ticks\": %d, \"failures\": %d, \"seconds\": %.4g, \"x\": ", info.ticks, info.failures, l->seconds);
    for (int i = 0; fine && i < l->model->nq + l->model->nv; i++) printf("%s%.17g", i ? ", " : "[", l->x[i]);
    printf(fine ? "]}\n" : "null}\n");
}

int main(int argc, char **argv)
{
    static loop l;
    if (argc < 4) return fprintf(stderr, "mujoco_mpc RUN MODEL.xml STEP [KEY=VALUE...]\n"), 2;
    trx_status status = open_task(&l, argv[1], argc - 4, argv + 4);
    if (status >= 0) status = open_controller(&l);
    if (status < 0) return fprintf(stderr, "%s: %s\n", trx_status_text(status), trx_context_message(l.context)), 1;
    if (!open_plant(&l, argv[2], atof(argv[3]))) return 1;
    const bool fine = run(&l);
    print(&l, fine);
    mj_deleteData(l.plant);
    mj_deleteModel(l.model);
    trx_mpc_destroy(l.mpc);
    trx_policy_destroy(l.first);
    trx_problem_destroy(l.problem);
    trx_context_destroy(l.context);
    return 0;
}
