// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// model_forces ROBOT STATES [fixed]: forces M dv/dt of gravity, inertia, springs, dampers, drag and actuators, for comparison with
// another simulator (scripts/check_models --packages). STATES is a text of nstate + nu numbers a state: q, v, activations and the
// controls. fixed: with a fixed base.
//
// Standard output: a line "nq nv nu", then a line of nv forces for each state, without contacts, limits, dry friction and
// constraints. A step of length h from v to v' damps joints by D v' (theory 2.1), and a light link under a strong damper slows down
// in no time. Therefore the rest of the momentum balance is taken, which depends little on h, and extrapolated to h = 0 by
// Richardson's scheme:
//
//     T_i0 = M (v' - v)/h_i + D v', h_i = h_0/4^i,    T_ij = T_i,j-1 + (T_i,j-1 - T_i-1,j-1)/(4^j - 1),    M dv/dt = T - D v
//
// T is the entry that differs least from its two neighbours. Short steps suffer from rounding, so this difference counts at least
// as much as the rounding of v over the step.
//
// Exit code 3 when the robot cannot be read, 1 when a step fails; the reason is on standard error.

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/tractrix.h>

static const double LONGEST = 1e-5; // step [s]
enum { ROWS = 16, COLUMNS = 6 };

static int fail(const trx_context *context, int code)
{
    fprintf(stderr, "%s\n", trx_context_message(context));
    return code;
}

// D, one number for each dof
static void read_damping(const trx_model *model, double *D)
{
    for (int j = 0; j < trx_model_get_size(model).njoint; j++) {
        const trx_joint_info joint = trx_model_joint(model, j);
        for (int k = 0; k < joint.nv; k++) D[joint.v_index + k] = joint.damping;
    }
}

// y = M x
static void multiply(const double *M, const double *x, double *y, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++) y[i] += M[i + j * n] * x[j];
    }
}

// the largest difference of two lists, or number of one list if b is NULL
static double largest(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - (b ? b[i] : 0)));
    return most;
}

// T_i0 of a step of length h; next: nstate + nv numbers
static trx_status balance(trx_sim *sim, double h, const double *x, const double *u, const double *M, const double *D, double *next,
                          double *T)
{
    const trx_model_size size = trx_model_get_size(trx_sim_model(sim));
    trx_sim_settings settings = trx_sim_get_settings(sim);
    settings.time_step = h;
    trx_status status = trx_sim_set_settings(sim, &settings);
    if (status >= 0) status = trx_step(sim, x, u, next);
    const double *v = x + size.nq, *v1 = next + size.nq;
    double *a = next + size.nstate;
    for (int i = 0; i < size.nv; i++) a[i] = (v1[i] - v[i]) / h;
    multiply(M, a, T, size.nv);
    for (int i = 0; i < size.nv; i++) T[i] += D[i] * v1[i];
    return status;
}

// the next row T_i of the scheme; returns the smallest error of its entries, and the entry in *best
static double extrapolate(const double *before, double *row, int i, int nv, double rounding, const double **best)
{
    double least = INFINITY;
    for (int j = 1; j <= i && j < COLUMNS; j++) {
        const double *left = row + (j - 1) * nv, *above = before + (j - 1) * nv;
        double *entry = row + j * nv;
        for (int k = 0; k < nv; k++) entry[k] = left[k] + (left[k] - above[k]) / (pow(4, j) - 1);
        const double error = rounding + fmax(largest(entry, left, nv), largest(entry, above, nv));
        if (error < least) least = error, *best = entry;
    }
    return least;
}

// room: M, D, nstate + nv and two rows of COLUMNS nv numbers
static trx_status force(trx_context *context, trx_sim *sim, const double *x, const double *u, double *f, double *room)
{
    const trx_model *model = trx_sim_model(sim);
    const trx_model_size size = trx_model_get_size(model);
    const int nv = size.nv;
    const double *v = x + size.nq;
    double *M = room, *D = M + nv * nv, *next = D + nv, *row = next + size.nstate + nv, *before = row + COLUMNS * nv;
    trx_status status = trx_model_dynamics(context, model, x, v, M, NULL);
    read_damping(model, D);
    multiply(M, v, f, nv);
    const double momentum = largest(f, NULL, nv);
    double least = INFINITY;
    for (int i = 0; i < ROWS && status >= 0; i++) {
        const double *best = row, h = LONGEST / pow(4, i);
        status = balance(sim, h, x, u, M, D, next, row);
        const double error = extrapolate(before, row, i, nv, DBL_EPSILON * momentum / h, &best);
        if (i == 0 || error < least) memcpy(f, best, (size_t)nv * sizeof *f);
        least = fmin(least, error);
        double *kept = before;
        before = row, row = kept;
    }
    for (int i = 0; i < nv; i++) f[i] -= D[i] * v[i];
    return status;
}

static int print_forces(trx_context *context, trx_sim *sim, FILE *states)
{
    const trx_model_size size = trx_model_get_size(trx_sim_model(sim));
    const size_t nx = (size_t)size.nstate, nu = (size_t)size.nu, nv = (size_t)size.nv;
    double *x = calloc(2 * nx + nu + nx + (3 + nv + 2 * COLUMNS) * nv + 1, sizeof *x), *u = x + nx, *f = u + nu, *room = f + nv;
    printf("%d %d %d\n", size.nq, size.nv, size.nu);
    int code = x ? 0 : 2;
    while (x && code == 0) {
        size_t read = 0;
        while (read < nx + nu && fscanf(states, "%lf", &x[read]) == 1) read++;
        if (read < nx + nu || nx == 0) break;
        if (force(context, sim, x, u, f, room) < 0) code = fail(context, 1);
        for (size_t i = 0; i < nv && code == 0; i++) printf("%.17g%c", f[i], i + 1 < nv ? ' ' : '\n');
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
    const int code = status < 0 ? fail(context, 3) : print_forces(context, sim, states);
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
