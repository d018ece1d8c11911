// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The controller of mujoco_mpc.c and drake_mpc.c: the task of a run folder under its section `mpc`, with the plan of the folder as
// the first one. A tick is one trx_mpc_update, every mpc.replan_every; every command comes from trx_mpc_control.

#ifndef PEERS_CONTROLLER_H
#define PEERS_CONTROLLER_H

#include <stdio.h>
#include <time.h>
#include <tractrix/tractrix.h>

typedef struct controller {
    trx_context *context;
    trx_problem *problem;
    trx_plan_problem task;
    trx_policy *first;
    trx_mpc *mpc;
    double period, next; // of ticks [s]
    double seconds;      // of processor time, in all calls [s]
} controller;

static inline double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// KEY=VALUE texts change the problem file, as --set
static inline trx_status open_task(controller *c, const char *folder, int nset, char **sets)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/problem.yaml", folder);
    trx_run *run = NULL;
    trx_problem_options load = trx_problem_options_default();
    load.set = (const char *const *)sets, load.nset = nset;
    trx_plan_settings unused = trx_plan_settings_default();
    c->task = trx_plan_problem_default();
    trx_status status = trx_context_create(NULL, &c->context);
    if (status >= 0) status = trx_problem_load(c->context, path, &load, &c->problem);
    if (status >= 0) status = trx_problem_plan(c->problem, &c->task, &unused);
    if (status >= 0) status = trx_run_create(c->context, c->problem, &run);
    if (status >= 0) status = trx_run_read_policy(run, folder, &c->first);
    trx_run_destroy(run);
    return status;
}

static inline bool open_controller(controller *c, const char *folder, int nset, char **sets)
{
    trx_status status = open_task(c, folder, nset, sets);
    if (status >= 0) {
        const trx_mpc_problem mpc = trx_problem_mpc(c->problem);
        trx_mpc_settings settings = mpc.settings;
        c->period = mpc.period;
        if (settings.friction_margin == 0) settings.first = c->first;
        status = trx_mpc_create(c->context, &c->task, &settings, &c->mpc);
    }
    if (status < 0) fprintf(stderr, "%s: %s\n", trx_status_text(status), trx_context_message(c->context));
    return status >= 0;
}

// the command u for the state x at the time t, after a tick where one is due
static inline void act(controller *c, double t, const double *x, double *u)
{
    const double begun = processor_time();
    if (t > c->next - 1e-9) {
        const trx_status status = trx_mpc_update(c->mpc, t, x);
        if (status < 0) fprintf(stderr, "%.3f s: %s\n", t, trx_context_message(c->context));
        c->next += c->period;
    }
    trx_mpc_control(c->mpc, t, x, u);
    c->seconds += processor_time() - begun;
}

static inline void print_ticks(const controller *c)
{
    const trx_mpc_info info = trx_mpc_get_info(c->mpc);
    printf("\"ticks\": %d, \"failures\": %d, \"seconds\": %.4g", info.ticks, info.failures, c->seconds);
}

static inline void close_controller(controller *c)
{
    trx_mpc_destroy(c->mpc);
    trx_policy_destroy(c->first);
    trx_problem_destroy(c->problem);
    trx_context_destroy(c->context);
}

#endif
