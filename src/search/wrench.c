// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The score of a placement (theory 9). The cost at the end and the running cost of all knots, both evaluated at the state, have the
// gradient g and the Gauss-Newton Hessian H over the positions of the passive dofs. This cost asks for the motion
//
//     d = -(H + eps M)^-1 g
//
// Forces at the touches, in their friction cones, accelerate the passive dofs by sum_i lambda_i a_i with lambda_i >= 0 and
// a_i = M^-1 J^T f_i over the edges f_i of the cones. The cones have half of the friction of each pair, so that a push has friction
// to spare. Supports are existing contacts with geometries without dofs, such as a table under a box. Supports
// push along their normals; their friction acts against d, with its whole bound. The share of d that no such sum gives is
//
//     miss^2 = min_{lambda >= 0} |sum_i lambda_i a_i - d|_W^2 / |d|_W^2        W = H/|d|_H^2 + rho M/|d|_M^2
//
// The mass matrix in W counts motion that the cost does not mention. W also counts motion of supported points along the normal,
// because a support permits this motion in one direction only. If the wanted motion lifts the body off a support, the support gives
// no force. Sweeps over the components find the minimum.

#include "search/wrench.h"

#include "math/constants.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double MASS_SHARE = 0.1;     // rho
static const double FRICTION_SHARE = 0.5; // of the friction of a placed contact
static const double REGULAR = 1e-9;       // eps M / H, by their traces
static const double LIFTED = 0.1;         // c . d / sum of |c_i d_i|, c = J^T n, above which a supported point is lifted [1]
static const double COVERED = -0.7;       // cosine of the angle between the normals of a touch and of a support
static const double TOUCHING = 1e-3;      // gap of a support [m]
static const double NOTHING = 1e-12;      // least |d|_H^2 of a wanted motion: twice its decrease of the cost
enum { SWEEPS = 200 };

trx_status trxi_demand_create(trxi_pool *pool, const trxi_search_task *task, trxi_demand *demand)
{
    const size_t n = (size_t)task->npassive, rays = TRXI_MOST_SUPPORTS + TRXI_CONE * TRXI_MOST_TOUCHES;
    *demand = (trxi_demand){.n = task->npassive};
    demand->motion = TRXI_POOL(pool, double, n + 1);
    demand->metric = TRXI_POOL(pool, double, n * n + 1);
    demand->M = TRXI_POOL(pool, double, n * n + 1);
    demand->supports = TRXI_POOL(pool, double, n * TRXI_MOST_SUPPORTS + 1);
    demand->rays = TRXI_POOL(pool, double, n * (2 * rays + 2 * n) + 1);
    demand->normal_matrix = TRXI_POOL(pool, double, rays * (rays + 2) + n);
    const bool all = demand->motion && demand->metric && demand->M && demand->supports && demand->rays && demand->normal_matrix;
    return all ? TRX_OK : TRX_ERR_MEMORY;
}

// ---- the wanted motion ----

// adds gradient and Hessian of the cost of a knot over the passive positions, times a factor
static trx_status add_cost(trxi_scout *scout, int knot, const double *x, double factor, double *g, double *H)
{
    const trxi_search_task *task = scout->task;
    const int nx = task->model->ntangent, n = task->npassive;
    double *l_x = scout->B, *l_xx = scout->A;
    trx_status status = trx_plan_cost(scout->plan, knot, x, scout->rest, NULL, l_x, NULL, l_xx, NULL, NULL);
    if (status < 0) return status;
    for (int j = 0; j < n; j++) {
        g[j] += factor * l_x[task->passive[j]];
        for (int i = 0; i < n; i++) {
            const int a = task->passive[i], b = task->passive[j];
            H[i + n * j] += factor * l_xx[a > b ? a + nx * b : b + nx * a];
        }
    }
    return TRX_OK;
}

static double trace(int n, const double *A)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += A[i + n * i];
    return sum;
}

// x^T A x for a full symmetric matrix
static double square(int n, const double *A, const double *x)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += x[j] * trxi_dot(n, A + n * j, x);
    return sum;
}

static trx_status passive_mass(trxi_scout *scout, const double *x, double *mass)
{
    const trxi_search_task *task = scout->task;
    const int nv = task->model->nv, n = task->npassive;
    trx_status status = trx_model_dynamics(scout->context, task->model, x, x + task->model->nq, scout->A, NULL);
    for (int j = 0; j < n && status >= 0; j++)
        for (int i = 0; i < n; i++) mass[i + n * j] = scout->A[task->passive[i] + nv * task->passive[j]];
    return status;
}

// d = -(H + eps M)^-1 g
static bool solve_motion(trxi_demand *demand, const double *H, const double *mass, const double *g)
{
    const int n = demand->n;
    double *factor = demand->metric;
    const double scale = REGULAR * trace(n, H) / trace(n, mass);
    for (int i = 0; i < n * n; i++) factor[i] = H[i] + scale * mass[i];
    for (int i = 0; i < n; i++) demand->motion[i] = -g[i];
    if (trxi_cholesky(n, factor, n) >= 0) return false;
    trxi_cholesky_solve(n, factor, n, 1, demand->motion, n);
    return true;
}

// ---- accelerations by forces ----

// Q = J^T f of a force f at p on a passive body
static void generalize(trxi_scout *scout, const trxi_demand *demand, int body, const double p[3], const double f[3], double *Q)
{
    const trxi_search_task *task = scout->task;
    trx_placement placement;
    memset(Q, 0, (size_t)demand->n * sizeof *Q);
    if (trx_kinematics_body(scout->kin, body, &placement, scout->J) < 0) return;
    double arm[3], moment[3];
    trxi_sub3(p, placement.pose.p, arm);
    trxi_cross3(arm, f, moment);
    for (int i = 0; i < demand->n; i++) {
        const double *column = scout->J + 6 * task->passive[i];
        Q[i] = trxi_dot3(column, moment) + trxi_dot3(column + 3, f);
    }
}

// a = M^-1 J^T f
static void accelerate(trxi_scout *scout, const trxi_demand *demand, int body, const double p[3], const double f[3], double *a)
{
    generalize(scout, demand, body, p, f, a);
    trxi_cholesky_solve(demand->n, demand->M, demand->n, 1, a, demand->n);
}

// the unit tangent of the wanted motion of a point of a passive body; zero when it does not slide there
static void sliding_direction(trxi_scout *scout, const trxi_demand *demand, int body, const double p[3], const double n[3],
                              double t[3])
{
    trx_placement placement;
    double motion[6] = {0}, arm[3];
    trxi_zero3(t);
    if (trx_kinematics_body(scout->kin, body, &placement, scout->J) < 0) return;
    for (int i = 0; i < demand->n; i++) trxi_axpy(6, demand->motion[i], scout->J + 6 * scout->task->passive[i], motion);
    trxi_sub3(p, placement.pose.p, arm);
    trxi_velocity_at(motion, arm, t);
    trxi_axpy3(-trxi_dot3(t, n), n, t);
    trxi_normalize3(t, t);
}

// returns whether the wanted motion lifts a point of a body off its support
static bool is_lifted(trxi_scout *scout, const trxi_demand *demand, int body, const double p[3], const double n[3])
{
    double *c = scout->A, whole = 0;
    generalize(scout, demand, body, p, n, c);
    for (int i = 0; i < demand->n; i++) whole += fabs(c[i] * demand->motion[i]);
    return trxi_dot(demand->n, c, demand->motion) > LIFTED * whole;
}

// adds m c c^T / |d|_M^2 to the metric, which then counts motion of a supported point along the normal, with c = J^T n and the
// effective mass m = 1 / (c . M^-1 c) of the point
static void weigh_normal(trxi_scout *scout, trxi_demand *demand, int body, const double p[3], const double n[3], double by_mass)
{
    double *c = scout->A, *a = scout->A + demand->n;
    generalize(scout, demand, body, p, n, c);
    accelerate(scout, demand, body, p, n, a);
    const double scale = trxi_dot(demand->n, c, a) * by_mass;
    for (int j = 0; j < demand->n && scale > 0; j++)
        for (int i = 0; i < demand->n; i++) demand->metric[i + demand->n * j] += c[i] * c[j] / scale;
}

// lists the supports and their forces (along the normal, and friction against the wanted motion), and adds their normals to the
// metric
static void find_supports(trxi_scout *scout, const double *x, double time, double by_mass, trxi_demand *demand)
{
    const trx_model *model = scout->task->model;
    const trx_contact *contacts;
    demand->nsupport = demand->nfixed = 0;
    trx_sim_set_time(scout->sim, time);
    if (trx_step(scout->sim, x, NULL, NULL) < 0) return;
    const int count = trx_sim_contacts(scout->sim, &contacts);
    for (int i = 0; i < count && demand->nfixed < TRXI_MOST_SUPPORTS; i++) {
        const trx_contact *c = &contacts[i];
        const bool a = trxi_task_is_passive(model, c->geom_a), b = trxi_task_is_passive(model, c->geom_b);
        const bool fixed = model->geoms[a ? c->geom_b : c->geom_a].tree < 0;
        if (a == b || !fixed || c->distance > TOUCHING) continue;
        const int body = model->geoms[a ? c->geom_a : c->geom_b].body;
        double f[3], t[3];
        trxi_scale3(a ? -1 : 1, c->normal, f);
        demand->fixed_body[demand->nfixed] = body;
        trxi_copy3(f, demand->fixed_n[demand->nfixed++]);
        if (is_lifted(scout, demand, body, c->position, f)) continue;
        weigh_normal(scout, demand, body, c->position, f, by_mass);
        sliding_direction(scout, demand, body, c->position, f, t);
        trxi_axpy3(-trxi_model_pair(model, c->pair).law->friction, t, f);
        accelerate(scout, demand, body, c->position, f, demand->supports + demand->n * demand->nsupport++);
    }
}

int trxi_demand_compute(trxi_scout *scout, const double *x, double time, trxi_demand *demand)
{
    const trxi_search_task *task = scout->task;
    const int n = demand->n, steps = task->problem.steps;
    double *g = demand->normal_matrix, *H = demand->rays, *mass = demand->rays + n * n;
    if (n == 0) return 0;
    memset(g, 0, (size_t)n * sizeof *g);
    memset(H, 0, (size_t)(n * n) * sizeof *H);
    trx_status status = add_cost(scout, steps, x, 1, g, H);
    if (status >= 0) status = add_cost(scout, steps > 1 ? steps - 1 : 0, x, steps, g, H);
    if (status >= 0) status = passive_mass(scout, x, mass);
    if (status < 0) return status;
    memcpy(demand->M, mass, (size_t)(n * n) * sizeof *mass);
    if (trxi_cholesky(n, demand->M, n) >= 0 || !(trace(n, H) > 0) || !solve_motion(demand, H, mass, g)) return 0;

    const double by_cost = square(n, H, demand->motion), by_mass = square(n, mass, demand->motion);
    if (!(by_cost > NOTHING) || !(by_mass > 0)) return 0;
    for (int i = 0; i < n * n; i++) demand->metric[i] = H[i] / by_cost + MASS_SHARE * mass[i] / by_mass;
    status = trx_kinematics_update(scout->kin, x, x + task->model->nq, time);
    if (status < 0) return status;
    find_supports(scout, x, time, by_mass, demand);
    return 1;
}

bool trxi_demand_is_covered(const trxi_demand *demand, const trxi_touch *touch)
{
    for (int i = 0; i < demand->nfixed; i++)
        if (demand->fixed_body[i] == touch->body && trxi_dot3(demand->fixed_n[i], touch->n) < COVERED) return true;
    return false;
}

// ---- the miss ----

// accelerations by the normal and the edges of a friction cone
static void add_cone(trxi_scout *scout, const trxi_demand *demand, const trxi_touch *touch, double *rays)
{
    double frame[9], inward[3];
    trxi_scale3(-1, touch->n, inward);
    trxi_frame33(inward, frame);
    for (int i = 0; i < TRXI_CONE; i++) {
        double f[3];
        const double angle = 2 * TRXI_PI * i / (TRXI_CONE - 1), along = i < TRXI_CONE - 1 ? FRICTION_SHARE * touch->friction : 0;
        trxi_copy3(inward, f);
        trxi_axpy3(along * cos(angle), frame, f);
        trxi_axpy3(along * sin(angle), frame + 3, f);
        accelerate(scout, demand, touch->body, touch->p, f, rays + demand->n * i);
    }
}

// min |R lambda - d|_W^2 over lambda >= 0 by sweeps over the components; returns its value
static double least_squares(trxi_demand *demand, int count)
{
    const int n = demand->n;
    double *G = demand->normal_matrix, *b = G + count * count, *lambda = b + count, *WR = demand->rays + n * count;
    trxi_gemm(n, count, n, 1, demand->metric, n, demand->rays, n, 0, WR, n);
    trxi_gemm_tn(count, count, n, 1, demand->rays, n, WR, n, 0, G, count);
    trxi_gemv_t(n, count, 1, WR, n, demand->motion, 0, b);
    memset(lambda, 0, (size_t)count * sizeof *lambda);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < count; i++) {
            const double slope = trxi_dot(count, G + count * i, lambda) - b[i];
            if (G[i + count * i] > 0) lambda[i] = fmax(0, lambda[i] - slope / G[i + count * i]);
        }
    double value = square(n, demand->metric, demand->motion);
    for (int i = 0; i < count; i++) value += lambda[i] * (trxi_dot(count, G + count * i, lambda) - 2 * b[i]);
    return value;
}

double trxi_demand_miss(trxi_scout *scout, trxi_demand *demand, const trxi_touch *touches, int count)
{
    const int n = demand->n;
    memcpy(demand->rays, demand->supports, (size_t)(n * demand->nsupport) * sizeof *demand->rays);
    for (int i = 0; i < count; i++)
        add_cone(scout, demand, &touches[i], demand->rays + n * (demand->nsupport + TRXI_CONE * i));
    const double value = least_squares(demand, demand->nsupport + TRXI_CONE * count);
    return sqrt(fmax(0, value / square(n, demand->metric, demand->motion)));
}
