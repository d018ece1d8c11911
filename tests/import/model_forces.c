// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// model_forces ROBOT STATES [fixed]: accelerations by gravity, springs, dampers, drag and actuators, for comparison with another
// simulator (scripts/check_models --packages). STATES is a text of nstate + nu numbers a state: q, v, activations and the
// controls. fixed: with a fixed base.
//
// Standard output: a line "nq nv nu", then a line of nv accelerations for each state, without contacts, limits, dry friction and
// constraints. An acceleration is the change of the velocity in a short step. Because damping is implicit, the accelerations of a
// step and of twice this step are extrapolated. Steps go down from 1e-8 s by tenths until rounding shows; the acceleration that
// agrees best with the one before is printed. Exit code 3 when the robot cannot be read, 1 when a step fails; the reason is on
// standard error.

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/tractrix.h>

static const double LONGEST = 1e-8, SHORTEST = 1e-16; // steps [s]

static int fail(const trx_context *context, int code)
{
    fprintf(stderr, "%s\n", trx_context_message(context));
    return code;
}

// a(h) = (v' - v)/h
static trx_status mean_acceleration(trx_sim *sim, double h, const double *x, const double *u, double *next, double *a)
{
    const trx_model_size size = trx_model_get_size(trx_sim_model(sim));
    trx_sim_settings settings = trx_sim_get_settings(sim);
    settings.time_step = h;
    trx_status status = trx_sim_set_settings(sim, &settings);
    if (status >= 0) status = trx_step(sim, x, u, next);
    for (int i = 0; i < size.nv && status >= 0; i++) a[i] = (next[size.nq + i] - x[size.nq + i]) / h;
    return status;
}

static double largest(const double *a, int n)
{
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
    return size;
}

// room: nstate + 3 nv numbers
static trx_status acceleration(trx_sim *sim, const double *x, const double *u, double *a, double *room)
{
    const trx_model_size size = trx_model_get_size(trx_sim_model(sim));
    double *once = room, *twice = once + size.nv, *before = twice + size.nv, *next = before + size.nv, best = INFINITY;
    const double speed = largest(x + size.nq, size.nv);
    trx_status status = TRX_OK;
    for (double h = LONGEST; status >= 0; h /= 10) {
        status = mean_acceleration(sim, h, x, u, next, once);
        if (status >= 0) status = mean_acceleration(sim, 2 * h, x, u, next, twice);
        for (int i = 0; i < size.nv; i++) once[i] = 2 * once[i] - twice[i], twice[i] = once[i] - before[i];
        const double difference = h < LONGEST ? largest(twice, size.nv) : INFINITY, most = largest(once, size.nv);
        const double rounding = 4 * DBL_EPSILON * speed / h;
        if (difference < best || h == LONGEST) memcpy(a, once, (size_t)size.nv * sizeof *a);
        best = fmin(best, difference);
        if (best <= 1e-7 * most || fmin(best, most) <= rounding || h <= SHORTEST) break;
        memcpy(before, once, (size_t)size.nv * sizeof *before);
    }
    return status;
}

static int print_accelerations(trx_context *context, trx_sim *sim, FILE *states)
{
    const trx_model_size size = trx_model_get_size(trx_sim_model(sim));
    const size_t nx = (size_t)size.nstate, nu = (size_t)size.nu, nv = (size_t)size.nv;
    double *x = calloc(2 * nx + nu + 4 * nv + 1, sizeof *x), *u = x + nx, *a = u + nu, *room = a + nv;
    printf("%d %d %d\n", size.nq, size.nv, size.nu);
    int code = x ? 0 : 2;
    while (x && code == 0) {
        size_t read = 0;
        while (read < nx + nu && fscanf(states, "%lf", &x[read]) == 1) read++;
        if (read < nx + nu || nx == 0) break;
        if (acceleration(sim, x, u, a, room) < 0) code = fail(context, 1);
        for (size_t i = 0; i < nv && code == 0; i++) printf("%.17g%c", a[i], i + 1 < nv ? ' ' : '\n');
    }
    free(x);
    return code;
}

// copies of the bodies whose geometry does not collide, and whose joints have neither limits nor dry friction
static trx_body_def *free_bodies(const trx_model_def *def)
{
    trx_body_def *bodies = calloc((size_t)def->nbody + 1, sizeof *bodies);
    for (int i = 0; i < def->nbody && bodies; i++) {
        trx_body_def *body = &bodies[i];
        *body = def->bodies[i];
        trx_joint_def *joints = calloc((size_t)body->njoint + 1, sizeof *joints);
        trx_geometry_def *geometry = calloc((size_t)body->ngeometry + 1, sizeof *geometry);
        if (!joints || !geometry) exit(2);
        for (int j = 0; j < body->njoint; j++) {
            joints[j] = body->joints[j];
            joints[j].lower = -INFINITY, joints[j].upper = INFINITY, joints[j].friction = 0;
        }
        for (int j = 0; j < body->ngeometry; j++) {
            geometry[j] = body->geometry[j];
            geometry[j].collide = false;
        }
        body->joints = joints, body->geometry = geometry;
    }
    return bodies;
}

static int run(trx_context *context, const trx_import *import, FILE *states)
{
    const trx_import_result *result = trx_import_get(import);
    trx_model_def def = result->def;
    trx_sim_settings settings = trx_sim_settings_default();
    trx_body_def *bodies = free_bodies(&def);
    if (!bodies) return 2;
    def.bodies = bodies;
    def.nconstraint = def.nexclude = def.nonly = def.noverride = 0;
    if (isfinite(result->gravity[0])) memcpy(def.gravity, result->gravity, sizeof def.gravity); // NAN: the file does not say
    settings.tolerance = 1e-12;
    trx_model *model = NULL;
    trx_sim *sim = NULL;
    trx_status status = trx_model_create(context, &def, &model);
    if (status >= 0) status = trx_sim_create(context, model, &settings, &sim);
    const int code = status < 0 ? fail(context, 3) : print_accelerations(context, sim, states);
    if (sim) trx_sim_destroy(sim);
    trx_model_destroy(model);
    for (int i = 0; i < def.nbody; i++) {
        free((void *)bodies[i].joints);
        free((void *)bodies[i].geometry);
    }
    free(bodies);
    return code;
}

int main(int argc, char **argv)
{
    const bool fixed = argc == 4 && strcmp(argv[3], "fixed") == 0;
    if (argc != 3 && !fixed) return 2;
    trx_import_options options = trx_import_options_default();
    if (fixed) options.base = TRX_BASE_FIXED;
    FILE *states = fopen(argv[2], "r");
    trx_context *context;
    if (!states || trx_context_create(NULL, &context) < 0) return 2;
    trx_import *import = NULL;
    const trx_status status = trx_import_load(context, argv[1], &options, &import);
    const int code = status < 0 ? fail(context, 3) : run(context, import, states);
    if (import) trx_import_destroy(import);
    trx_context_destroy(context);
    fclose(states);
    return code;
}
