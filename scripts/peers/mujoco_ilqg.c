// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// mujoco_ilqg RUN MODEL.xml PARTS [KEY=VALUE...]: the task of a run folder with MuJoCo as the plant at steps of 1 ms, under two
// controllers for scripts/bench_ilqg. With PARTS 0 the controller is trx_mpc, else iLQG with the settings of MuJoCo MPC on MuJoCo's
// own model and finite differences, with PARTS steps of the planner for each knot. Both plan once for each knot, to the end of the
// task, and act at every step of the plant. Prints JSON: "cost" of the loop at its knots under the problem's cost, "ticks",
// "median" and "worst" processor time of a tick [s], "differences" of steps of the planner,
// and "jumps" among them, whose A has a norm above 1e3.
//
// Settings of MuJoCo MPC: one iteration in a tick; one-sided differences with a step of 1e-6, of one Newton iteration from the
// converged acceleration; ten first rollouts that scale the old gains by 1 to 1e-3 and 0; a backward pass whose Q_uu gets mu on its
// diagonal, raised at most five times, after which the old policy stays; ten rollouts with steps 1 to 1e-3 and 0, of which the best
// counts; mu from 1e-6 to 1e6, by factors of 2 that grow, after the share of the expected decrease.

#include "controller.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_X = 64, MOST_U = 24, MOST_KNOTS = 256, ROLLOUTS = 10, MOST_TRIES = 5 };
static const double PLANT_STEP = 0.001, DIFFERENCE = 1e-6, LEAST_STEP = 1e-3, LEAST_MU = 1e-6, MOST_MU = 1e6, FACTOR = 2;
static const double JUMP = 1e3;

typedef struct trajectory {
    double x[MOST_KNOTS + 1][MOST_X], u[MOST_KNOTS][MOST_U], cost;
} trajectory;

typedef struct ilqg {
    mjModel *model;
    mjData *data;
    trx_plan *costs; // of knots
    int parts, steps, nq, nv, nx, nu;
    double mu, rate; // regularization, and its last factor
    int differences, jumps; // of steps; those with a norm of A above JUMP
    trajectory now, best, trial;
    double k[MOST_KNOTS][MOST_U], K[MOST_KNOTS][MOST_U * MOST_X]; // K: nu x nx, row-major as all matrices here
    double A[MOST_X * MOST_X], B[MOST_X * MOST_U], V_x[MOST_X], V_xx[MOST_X * MOST_X], expected[2];
} ilqg;

// ---- the model of the planner ----

static void set_state(const mjModel *m, mjData *d, const double *x)
{
    mju_copy(d->qpos, x, m->nq);
    mju_copy(d->qvel, x + m->nq, m->nv);
}

static void get_state(const mjModel *m, const mjData *d, double *x)
{
    mju_copy(x, d->qpos, m->nq);
    mju_copy(x + m->nq, d->qvel, m->nv);
}

static void difference(const ilqg *p, const double *to, const double *from, double *dx)
{
    mj_differentiatePos(p->model, dx, 1, from, to);
    mju_sub(dx + p->nv, to + p->nq, from + p->nq, p->nv);
}

// u = clamp(u_ref + alpha k + share K dx) of a knot about the state x_ref
static void control(const ilqg *p, const trajectory *ref, int knot, double alpha, double share, const double *x_ref,
                    const double *x, double *u)
{
    double dx[MOST_X], change[MOST_U];
    difference(p, x, x_ref, dx);
    mju_mulMatVec(change, p->K[knot], dx, p->nu, p->nx);
    for (int i = 0; i < p->nu; i++) {
        u[i] = ref->u[knot][i] + alpha * p->k[knot][i] + share * change[i];
        const double *range = p->model->actuator_ctrlrange + 2 * i;
        if (p->model->actuator_ctrllimited[i]) u[i] = mju_clip(u[i], range[0], range[1]);
    }
}

static double cost_at(const ilqg *p, int first, int knot, const double *x, const double *u)
{
    double cost = INFINITY;
    return trx_plan_cost(p->costs, first + knot, x, u, &cost, NULL, NULL, NULL, NULL, NULL) < 0 ? INFINITY : cost;
}

// `first`: knot of the task at which the horizon of n knots begins
static void roll_out(ilqg *p, const trajectory *ref, int first, int n, double alpha, double share, trajectory *t)
{
    mju_copy(t->x[0], p->now.x[0], p->nq + p->nv);
    t->cost = 0;
    for (int k = 0; k < n; k++) {
        control(p, ref, k, alpha, share, ref->x[k], t->x[k], t->u[k]);
        t->cost += cost_at(p, first, k, t->x[k], t->u[k]);
        set_state(p->model, p->data, t->x[k]);
        mju_copy(p->data->ctrl, t->u[k], p->nu);
        for (int i = 0; i < p->parts; i++) mj_step(p->model, p->data);
        get_state(p->model, p->data, t->x[k + 1]);
    }
    t->cost += cost_at(p, first, n, t->x[n], NULL);
    if (!(t->cost < 1e12)) t->cost = INFINITY;
}

// the best of ten rollouts becomes the trajectory; returns its step
static double search(ilqg *p, int first, int n, bool gains)
{
    double chosen = 0;
    p->best.cost = INFINITY;
    const trajectory ref = p->now;
    for (int i = 0; i < ROLLOUTS; i++) {
        const double step = i < ROLLOUTS - 1 ? pow(LEAST_STEP, i / (double)(ROLLOUTS - 2)) : 0;
        roll_out(p, &ref, first, n, gains ? 0 : step, gains ? step : 1, &p->trial);
        if (p->trial.cost < p->best.cost) p->best = p->trial, chosen = step;
    }
    if (isfinite(p->best.cost)) p->now = p->best;
    return chosen;
}

// A and B of a step from the state in `data`. With a solver that iterates to its tolerance instead, the differences would have its
// rounding, 1e6 times as large
static void difference_step(ilqg *p, double *A, double *B)
{
    mjOption *option = &p->model->opt;
    const mjOption kept = *option;
    mj_forward(p->model, p->data);
    mju_copy(p->data->qacc_warmstart, p->data->qacc, p->nv);
    option->iterations = 1, option->tolerance = 0;
    mjd_transitionFD(p->model, p->data, DIFFERENCE, 0, A, B, NULL, NULL);
    *option = kept;
    p->differences++, p->jumps += mju_norm(A, p->nx * p->nx) > JUMP;
}

// A and B of a knot, through its parts
static void differentiate(ilqg *p, int knot)
{
    double A[MOST_X * MOST_X], B[MOST_X * MOST_U], product[MOST_X * MOST_X];
    const int n = p->nx, m = p->nu;
    set_state(p->model, p->data, p->now.x[knot]);
    mju_copy(p->data->ctrl, p->now.u[knot], m);
    for (int i = 0; i < p->parts; i++) {
        difference_step(p, A, B);
        if (i + 1 < p->parts) mj_step(p->model, p->data);
        if (i > 0) {
            mju_mulMatMat(product, A, p->B, n, n, m);
            mju_addTo(B, product, n * m);
            mju_mulMatMat(product, A, p->A, n, n, n);
            mju_copy(A, product, n * n);
        }
        mju_copy(p->A, A, n * n);
        mju_copy(p->B, B, n * m);
    }
}

// ---- the backward pass ----

// one knot; A, B and the expansion of the cost are those of the knot
static bool sweep_knot(ilqg *p, int knot, const double *l_x, const double *l_u, const double *l_xx, const double *l_ux,
                       const double *l_uu)
{
    const int n = p->nx, m = p->nu;
    double VA[MOST_X * MOST_X], VB[MOST_X * MOST_U], Q_xx[MOST_X * MOST_X], Q_ux[MOST_U * MOST_X], Q_uu[MOST_U * MOST_U];
    double Q_x[MOST_X], Q_u[MOST_U], H[MOST_U * MOST_U], column[MOST_U], work[MOST_X * MOST_X];
    double *k = p->k[knot], *K = p->K[knot];
    mju_mulMatTVec(Q_x, p->A, p->V_x, n, n), mju_addTo(Q_x, l_x, n);
    mju_mulMatTVec(Q_u, p->B, p->V_x, n, m), mju_addTo(Q_u, l_u, m);
    mju_mulMatMat(VA, p->V_xx, p->A, n, n, n);
    mju_mulMatMat(VB, p->V_xx, p->B, n, n, m);
    mju_mulMatTMat(Q_xx, p->A, VA, n, n, n), mju_addTo(Q_xx, l_xx, n * n);
    mju_mulMatTMat(Q_ux, p->B, VA, n, m, n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) Q_ux[i * n + j] += l_ux[i + j * m]; // l_ux of tractrix is column-major
    mju_mulMatTMat(Q_uu, p->B, VB, n, m, m), mju_addTo(Q_uu, l_uu, m * m);

    mju_copy(H, Q_uu, m * m);
    for (int i = 0; i < m; i++) H[i * m + i] += p->mu;
    if (mju_cholFactor(H, m, 0) < m) return false;
    mju_cholSolve(k, H, Q_u, m), mju_scl(k, k, -1, m);
    for (int j = 0; j < n; j++) {
        double right[MOST_U];
        for (int i = 0; i < m; i++) right[i] = Q_ux[i * n + j];
        mju_cholSolve(column, H, right, m);
        for (int i = 0; i < m; i++) K[i * n + j] = -column[i];
    }

    // V_x = Q_x + K'(Q_uu k + Q_u) + Q_ux' k, V_xx = Q_xx + K' Q_uu K + K' Q_ux + Q_ux' K
    double Hk[MOST_U], HK[MOST_U * MOST_X];
    mju_mulMatVec(Hk, Q_uu, k, m, m);
    p->expected[0] += mju_dot(k, Q_u, m), p->expected[1] += 0.5 * mju_dot(k, Hk, m);
    mju_addTo(Hk, Q_u, m);
    mju_mulMatTVec(p->V_x, K, Hk, m, n), mju_addTo(p->V_x, Q_x, n);
    mju_mulMatTVec(work, Q_ux, k, m, n), mju_addTo(p->V_x, work, n);
    mju_mulMatMat(HK, Q_uu, K, m, m, n), mju_addTo(HK, Q_ux, m * n);
    mju_mulMatTMat(p->V_xx, K, HK, m, n, n), mju_addTo(p->V_xx, Q_xx, n * n);
    mju_mulMatTMat(work, Q_ux, K, m, n, n), mju_addTo(p->V_xx, work, n * n);
    mju_symmetrize(p->V_xx, p->V_xx, n);
    return true;
}

static bool sweep(ilqg *p, int first, int n)
{
    double l_x[MOST_X], l_u[MOST_U], l_xx[MOST_X * MOST_X], l_ux[MOST_U * MOST_X], l_uu[MOST_U * MOST_U], cost;
    p->expected[0] = p->expected[1] = 0;
    if (trx_plan_cost(p->costs, first + n, p->now.x[n], NULL, &cost, p->V_x, NULL, p->V_xx, NULL, NULL) < 0) return false;
    for (int k = n - 1; k >= 0; k--) {
        differentiate(p, k);
        if (trx_plan_cost(p->costs, first + k, p->now.x[k], p->now.u[k], &cost, l_x, l_u, l_xx, l_ux, l_uu) < 0) return false;
        if (!sweep_knot(p, k, l_x, l_u, l_xx, l_ux, l_uu)) return false;
    }
    return true;
}

static void scale_mu(ilqg *p, double factor)
{
    p->rate = factor > 1 ? fmax(p->rate * factor, factor) : fmin(p->rate * factor, factor);
    p->mu = fmin(fmax(p->mu * p->rate, LEAST_MU), MOST_MU);
}

// ---- a tick ----

// one iteration from the state x at a knot of the task; the old trajectory has been shifted to there
static void tick(ilqg *p, int first, const double *x)
{
    const int n = p->steps - first;
    mju_copy(p->now.x[0], x, p->nq + p->nv);
    search(p, first, n, true);
    const double before = p->now.cost;
    static double k[MOST_KNOTS][MOST_U], K[MOST_KNOTS][MOST_U * MOST_X]; // of the old policy
    memcpy(k, p->k, sizeof k), memcpy(K, p->K, sizeof K);
    bool swept = false;
    for (int tries = 0; tries < MOST_TRIES && !(swept = sweep(p, first, n)); tries++) scale_mu(p, FACTOR);
    if (!swept) {
        memcpy(p->k, k, sizeof k), memcpy(p->K, K, sizeof K);
        return;
    }
    const double step = search(p, first, n, false), expected = -step * (p->expected[0] + step * p->expected[1]) + 1e-16;
    const double share = fmin(fmax(0, (before - p->now.cost) / expected), 2);
    if (share > 0.5 || step > 0.3) scale_mu(p, 1 / FACTOR);
    else if (share < 0.1 || step < 0.06) scale_mu(p, FACTOR);
}

// the command at the fraction `share` of the way from knot 0 to the next
static void follow(const ilqg *p, double share, const double *x, double *u)
{
    double between[MOST_X], dx[MOST_X];
    difference(p, p->now.x[1], p->now.x[0], dx);
    mju_copy(between, p->now.x[0], p->nq + p->nv);
    mj_integratePos(p->model, between, dx, share);
    mju_addToScl(between + p->nq, dx + p->nv, share, p->nv);
    control(p, &p->now, 0, 0, 1, between, x, u);
}

static void shift(ilqg *p, int n)
{
    memmove(p->now.x, p->now.x + 1, (size_t)n * sizeof *p->now.x);
    memmove(p->now.u, p->now.u + 1, (size_t)(n - 1) * sizeof *p->now.u);
    memmove(p->K, p->K + 1, (size_t)(n - 1) * sizeof *p->K);
    memset(p->k, 0, sizeof p->k);
}

// ---- the loop ----

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool begin(ilqg *p, controller *c, const char *file, int parts)
{
    char error[1000];
    const trx_plan_settings settings = trx_plan_settings_default();
    if (!(p->model = mj_loadXML(file, NULL, error, sizeof error))) return fprintf(stderr, "%s\n", error), false;
    if (trx_plan_create(c->context, &c->task, &settings, &p->costs) < 0) return false;
    p->model->opt.disableflags |= mjDSBL_AUTORESET; // a rollout that fails must not look cheap
    p->data = mj_makeData(p->model);
    p->nq = (int)p->model->nq, p->nv = (int)p->model->nv, p->nx = 2 * p->nv, p->nu = (int)p->model->nu;
    p->parts = parts, p->steps = c->task.steps, p->mu = 1, p->rate = 1;
    p->model->opt.timestep = c->task.sim.time_step / (parts > 0 ? parts : 1);
    if (p->nq + p->nv > MOST_X || p->nu > MOST_U || p->steps > MOST_KNOTS) return fprintf(stderr, "too large\n"), false;

    // both begin with the plan of the folder
    const trx_policy_def first = trx_policy_get(c->first);
    for (int k = 0; k <= p->steps; k++) mju_copy(p->now.x[k], first.x + (p->nq + p->nv) * k, p->nq + p->nv);
    for (int k = 0; k < p->steps; k++) mju_copy(p->now.u[k], first.u + p->nu * k, p->nu);
    return true;
}

int main(int argc, char **argv)
{
    static controller c;
    static ilqg p;
    static double times[MOST_KNOTS];
    if (argc < 4) return fprintf(stderr, "mujoco_ilqg RUN MODEL.xml PARTS [KEY=VALUE...]\n"), 2;
    if (!open_controller(&c, argv[1], argc - 4, argv + 4) || !begin(&p, &c, argv[2], atoi(argv[3]))) return 1;
    mjModel *model = mj_copyModel(NULL, p.model);
    model->opt.timestep = PLANT_STEP;
    mjData *plant = mj_makeData(model);
    double x[MOST_X], u[MOST_U], cost = 0;
    set_state(model, plant, c.task.x0);
    const int per_knot = (int)lround(c.task.sim.time_step / PLANT_STEP);
    for (int k = 0; k < p.steps; k++) {
        if (k > 0) shift(&p, p.steps - k + 1);
        for (int i = 0; i < per_knot; i++) {
            const double t = k * c.task.sim.time_step + i * PLANT_STEP, begun = processor_time();
            get_state(model, plant, x);
            if (p.parts == 0) act(&c, t, x, u);
            if (p.parts > 0 && i == 0) tick(&p, k, x);
            if (i == 0) times[k] = processor_time() - begun;
            if (p.parts > 0) follow(&p, i / (double)per_knot, x, u);
            if (i == 0) cost += cost_at(&p, 0, k, x, u);
            mju_copy(plant->ctrl, u, p.nu);
            mj_step(model, plant);
        }
    }
    get_state(model, plant, x);
    cost += cost_at(&p, 0, p.steps, x, NULL);
    qsort(times, (size_t)p.steps, sizeof *times, by_size);
    printf("{\"cost\": %.6g, \"ticks\": %d, \"median\": %.4g, \"worst\": %.4g, \"differences\": %d, \"jumps\": %d}\n", cost,
           p.steps, times[p.steps / 2], times[p.steps - 1], p.differences, p.jumps);
    trx_plan_destroy(p.costs);
    mj_deleteData(plant), mj_deleteData(p.data);
    mj_deleteModel(model), mj_deleteModel(p.model);
    close_controller(&c);
    return 0;
}
