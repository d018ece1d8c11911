// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// model_run STEPS TIME_STEP GX GY GZ ROBOT: a robot simulated from the start of its file, for comparison with another simulator
// (scripts/check_models --motion). Controls are zero, or the nearest value within their limits.
//
// Standard output: a line "nq nv", a line for the start and one for every step: q, v, contact points of the step, other rows of
// the step. Exit code 3 when the robot cannot be read, 1 when a step fails; the reason is on standard error.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/tractrix.h>

static int fail(const trx_context *context, int code)
{
    fprintf(stderr, "%s\n", trx_context_message(context));
    return code;
}

static void print_knot(const trx_model_size *size, const double *x, int contacts, int rows)
{
    for (int i = 0; i < size->nq + size->nv; i++) printf("%.17g ", x[i]);
    printf("%d %d\n", contacts, rows);
}

static void rest_controls(const trx_model *model, int nu, double *u)
{
    for (int i = 0; i < nu; i++) {
        trx_actuator_info actuator = trx_model_actuator(model, i);
        u[i] = fmax(actuator.lower, fmin(actuator.upper, 0));
    }
}

static int simulate(trx_context *context, trx_sim *sim, const double *q0, int steps)
{
    const trx_model *model = trx_sim_model(sim);
    trx_model_size size = trx_model_get_size(model);
    size_t nx = (size_t)size.nstate;
    double *x = calloc(2 * nx + (size_t)size.nu + 1, sizeof *x), *next = x + nx, *u = next + nx;
    int code = x ? 0 : 2;
    if (x && size.nq) memcpy(x, q0, (size_t)size.nq * sizeof *x);
    if (x) rest_controls(model, size.nu, u);
    printf("%d %d\n", size.nq, size.nv);
    if (x) print_knot(&size, x, 0, 0);
    for (int k = 0; k < steps && code == 0; k++) {
        if (trx_step(sim, x, u, next) < 0) {
            code = fail(context, 1);
            break;
        }
        trx_step_info info = trx_sim_step_info(sim);
        print_knot(&size, next, info.contacts, info.scalars);
        memcpy(x, next, nx * sizeof *x);
    }
    free(x);
    return code;
}

static int run(trx_context *context, const trx_import *import, int steps, double time_step, const double gravity[3])
{
    const trx_import_result *result = trx_import_get(import);
    trx_model_def def = result->def;
    trx_sim_settings settings = trx_sim_settings_default();
    trx_model *model;
    trx_sim *sim;
    memcpy(def.gravity, gravity, sizeof def.gravity);
    settings.time_step = time_step;
    if (trx_model_create(context, &def, &model) < 0) return fail(context, 3);
    int code = trx_sim_create(context, model, &settings, &sim) < 0 ? fail(context, 3) : 0;
    if (code == 0) {
        code = simulate(context, sim, result->q0, steps);
        trx_sim_destroy(sim);
    }
    trx_model_destroy(model);
    return code;
}

int main(int argc, char **argv)
{
    if (argc != 7) return 2;
    const double gravity[3] = {atof(argv[3]), atof(argv[4]), atof(argv[5])};
    trx_import_options options = trx_import_options_default();
    trx_context *context;
    trx_import *import;
    if (trx_context_create(NULL, &context) < 0) return 2;
    trx_status status = trx_import_load(context, argv[6], &options, &import);
    int code = status < 0 ? fail(context, 3) : run(context, import, atoi(argv[1]), atof(argv[2]), gravity);
    if (status >= 0) trx_import_destroy(import);
    trx_context_destroy(context);
    return code;
}
