// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// mujoco_turns MODEL STEPS: the side of MuJoCo in scripts/bench_peers, which compiles this against the library in the Python
// package. Reads nq + nv numbers, the start, and nu controls from stdin, simulates STEPS steps, and answers in lines of JSON:
//
//     (at the start)     contacts, forces, iterations, residual, state
//     at X0... X1...     goes to the state X1 (nq + nv numbers) as if a step from X0 had led there; answers as at the start
//     step N             median time of N mj_step from the state reached [us]
//     fd N, fdc N        the same of mjd_transitionFD, forward and centred, eps 1e-6
//     matrices           A and B of both, row-major
//
// The state is put back between calls, untimed, with the solver's warm start; a time is that of one call between two
// readings of the clock.
// residual: norm of M a - f_smooth - f_constraint after the solve, relative to the largest of the three norms.

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1000000 };

typedef struct turns {
    mjModel *m;
    mjData *d;
    double *state, *x, *A, *B, *times, *force;
} turns;

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool read_numbers(double *values, int count)
{
    for (int i = 0; i < count; i++)
        if (scanf("%lf", values + i) != 1) return false;
    return true;
}

static void print_array(const char *name, const double *values, int count)
{
    printf("\"%s\": [", name);
    for (int i = 0; i < count; i++) printf(i ? ", %.17g" : "%.17g", values[i]);
    fputs("]", stdout);
}

static void put_back(turns *t)
{
    mj_setState(t->m, t->d, t->state, mjSTATE_INTEGRATION);
}

static double norm(const double *values, int count)
{
    return mju_norm(values, count);
}

static double residual(turns *t)
{
    int nv = t->m->nv;
    mj_mulM(t->m, t->d, t->force, t->d->qacc);
    double scale = fmax(norm(t->force, nv), fmax(norm(t->d->qfrc_smooth, nv), norm(t->d->qfrc_constraint, nv)));
    mju_subFrom(t->force, t->d->qfrc_smooth, nv);
    mju_subFrom(t->force, t->d->qfrc_constraint, nv);
    return norm(t->force, nv) / fmax(scale, 1e-300);
}

// one step from the state reached, described, and back
static void describe(turns *t)
{
    mj_step(t->m, t->d);
    int pressing = 0, pairs = 0, iterations = 0;
    for (int i = 0; i < t->d->ncon; i++) {
        double force[6];
        mj_contactForce(t->m, t->d, i, force);
        pressing += force[0] > 0;
        const int *geom = t->d->contact[i].geom, *before = i ? t->d->contact[i - 1].geom : NULL;
        pairs += !before || geom[0] != before[0] || geom[1] != before[1];
    }
    for (int i = 0; i < t->d->nisland || i < 1; i++) iterations = mjMAX(iterations, t->d->solver_niter[i]);
    printf("{\"nq\": %d, \"nv\": %d, \"nu\": %d, \"pressing\": %d, \"overlapping\": %d, \"pairs\": %d, \"iterations\": %d, "
           "\"residual\": %.3g, ", (int)t->m->nq, (int)t->m->nv, (int)t->m->nu, pressing, (int)t->d->ncon, pairs, iterations,
           residual(t));
    put_back(t);
    mju_copy(t->x, t->d->qpos, t->m->nq);
    mju_copy(t->x + t->m->nq, t->d->qvel, t->m->nv);
    print_array("x", t->x, t->m->nq + t->m->nv);
    fputs("}\n", stdout);
}

static void go_to(turns *t, const double *x)
{
    mju_copy(t->d->qpos, x, t->m->nq);
    mju_copy(t->d->qvel, x + t->m->nq, t->m->nv);
}

static void remember(turns *t)
{
    mj_getState(t->m, t->d, t->state, mjSTATE_INTEGRATION);
}

static bool at(turns *t)
{
    int nx = t->m->nq + t->m->nv;
    if (!read_numbers(t->x, nx)) return false;
    go_to(t, t->x);
    mj_step(t->m, t->d);
    if (!read_numbers(t->x, nx)) return false;
    go_to(t, t->x);
    remember(t);
    describe(t);
    return true;
}

static void time_calls(turns *t, const char *what, int count)
{
    bool step = !strcmp(what, "step");
    for (int k = 0; k < count; k++) {
        put_back(t);
        double start = now_us();
        if (step) mj_step(t->m, t->d);
        else mjd_transitionFD(t->m, t->d, 1e-6, !strcmp(what, "fdc"), t->A, t->m->nu ? t->B : NULL, NULL, NULL);
        t->times[k] = now_us() - start;
    }
    put_back(t);
    qsort(t->times, (size_t)count, sizeof *t->times, by_size);
    printf("{\"us\": %.17g}\n", t->times[count / 2]);
}

static void print_matrices(turns *t)
{
    int n = 2 * t->m->nv;
    fputs("{", stdout);
    for (int centred = 0; centred < 2; centred++) {
        put_back(t);
        mjd_transitionFD(t->m, t->d, 1e-6, (mjtBool)centred, t->A, t->m->nu ? t->B : NULL, NULL, NULL);
        print_array(centred ? "A_centred" : "A_forward", t->A, n * n);
        fputs(", ", stdout);
        print_array(centred ? "B_centred" : "B_forward", t->B, n * t->m->nu);
        if (!centred) fputs(", ", stdout);
    }
    put_back(t);
    fputs("}\n", stdout);
}

static bool open_turns(turns *t, const char *path)
{
    char error[1000] = "";
    t->m = mj_loadXML(path, NULL, error, sizeof error);
    if (!t->m) {
        fprintf(stderr, "mujoco_turns: %s\n", error);
        return false;
    }
    t->d = mj_makeData(t->m);
    size_t nv = (size_t)t->m->nv, n = 2 * nv, nu = (size_t)t->m->nu;
    t->state = calloc((size_t)mj_stateSize(t->m, mjSTATE_INTEGRATION), sizeof *t->state);
    t->x = calloc((size_t)t->m->nq + nv, sizeof *t->x);
    t->A = calloc(n * n, sizeof *t->A);
    t->B = calloc(n * nu + 1, sizeof *t->B);
    t->force = calloc(nv, sizeof *t->force);
    t->times = calloc(MOST, sizeof *t->times);
    return t->d && t->state && t->x && t->A && t->B && t->force && t->times;
}

int main(int argc, char **argv)
{
    turns t = {0};
    if (argc != 3 || !open_turns(&t, argv[1])) return 2;
    if (!read_numbers(t.x, (int)(t.m->nq + t.m->nv)) || !read_numbers(t.d->ctrl, (int)t.m->nu)) return 2;
    go_to(&t, t.x);
    for (int k = atoi(argv[2]); k > 0; k--) mj_step(t.m, t.d);
    remember(&t);
    describe(&t);
    fflush(stdout);

    char what[20];
    while (scanf("%19s", what) == 1) {
        int count = 0;
        if (!strcmp(what, "matrices")) print_matrices(&t);
        else if (!strcmp(what, "at") ? !at(&t) : scanf("%d", &count) != 1 || count < 1 || count > MOST) return 2;
        else if (count) time_calls(&t, what, count);
        fflush(stdout);
    }
    return 0;
}
