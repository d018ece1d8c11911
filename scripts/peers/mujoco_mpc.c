// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// mujoco_mpc RUN MODEL.xml STEP [KEY=VALUE...]: model predictive control of the task of a run folder with MuJoCo as the plant, for
// scripts/mujoco_plant. The plant is the model that `tractrix view RUN --mjcf` writes, at steps of STEP seconds; states have the
// same coordinates. A tick is one trx_mpc_update, every mpc.replan_every; every step has its own command from trx_mpc_control.
// KEY=VALUE changes the problem file, as --set.
//
// Prints one object of JSON: "x", the state one step before the end of the task (null: the simulation left the numbers), and
// "ticks", "failures", "seconds" of processor time in the controller.

#include "controller.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATE = 256, MOST_CONTROLS = 64 };

typedef struct loop {
    controller c;
    mjModel *model;
    mjData *plant;
    double x[MOST_STATE], u[MOST_CONTROLS];
} loop;

// ---- the plant ----

static bool open_plant(loop *l, const char *file, double step)
{
    char error[1000];
    l->model = mj_loadXML(file, NULL, error, sizeof error);
    if (!l->model) return fprintf(stderr, "%s: %s\n", file, error), false;
    if (l->model->nq + l->model->nv > MOST_STATE || l->model->nu > MOST_CONTROLS) return fprintf(stderr, "too large\n"), false;
    l->model->opt.timestep = step;
    l->plant = mj_makeData(l->model);
    memcpy(l->plant->qpos, l->c.task.x0, (size_t)l->model->nq * sizeof *l->x);
    memcpy(l->plant->qvel, l->c.task.x0 + l->model->nq, (size_t)l->model->nv * sizeof *l->x);
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

// the state one step before the end; false when the simulation left the numbers
static bool run(loop *l)
{
    const double h = l->model->opt.timestep;
    const int steps = (int)lround(l->c.task.steps * l->c.task.sim.time_step / h);
    bool fine = true;
    for (int k = 0; k < steps - 1 && fine; k++) {
        if (!(fine = measure(l))) break;
        act(&l->c, k * h, l->x, l->u);
        memcpy(l->plant->ctrl, l->u, (size_t)l->model->nu * sizeof *l->u);
        mj_step(l->model, l->plant);
    }
    return fine && measure(l);
}

static void print(const loop *l, bool fine)
{
    printf("{");
    print_ticks(&l->c);
    printf(", \"x\": ");
    for (int i = 0; fine && i < l->model->nq + l->model->nv; i++) printf("%s%.17g", i ? ", " : "[", l->x[i]);
    printf(fine ? "]}\n" : "null}\n");
}

int main(int argc, char **argv)
{
    static loop l;
    if (argc < 4) return fprintf(stderr, "mujoco_mpc RUN MODEL.xml STEP [KEY=VALUE...]\n"), 2;
    if (!open_controller(&l.c, argv[1], argc - 4, argv + 4) || !open_plant(&l, argv[2], atof(argv[3]))) return 1;
    const bool fine = run(&l);
    print(&l, fine);
    mj_deleteData(l.plant);
    mj_deleteModel(l.model);
    close_controller(&l.c);
    return 0;
}
