// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Friction from motion (theory 7, model predictive control): an extended Kalman filter for one factor f of each two bodies, with
// friction f mu. From tick to tick
//
//     predict   v of the new measurement, from the old one under the commands that acted, with S = dv/df along the steps
//     weigh     e = v_measured - v and S by the mass matrix M = L L^T:   L^T e / s,  L^T S / s
//     update    f and its covariance P, row after row; f stays within 1 -+ range
//
// s is the error that a prediction has for other reasons than friction, in the norm of M, one number for each tree:
//
//     s^2 = (0.2 |dv|)^2 + (0.002 |v|)^2 + m ((0.05 g t)^2 + (10 v_s)^2)
//
// with the change dv of v during the prediction, its time t, gravity g and the stiction tolerance v_s. So an impact, whose time no
// model predicts well, counts little, masses may be wrong, and the creep of sticking contacts does not count. An error of
// more than 2 s is an outlier and gets a larger s, half the error. Old knowledge fades: f returns to 1 and P to its first value
// within 10 s.

#include "mpc/friction.h"

#include "base/context.h"
#include "dynamics/mass_matrix.h"
#include "math/dense.h"
#include "model/model.h"
#include "model/pair_law.h"
#include "step/position_maps.h"
#include "step/reserve.h"

#include <math.h>
#include <string.h>

static const double OF_CHANGE = 0.2;   // error of a prediction, as a share of the change of velocity [1]
static const double OF_VELOCITY = 0.002; // the same as a share of the velocity [1]
static const double OF_GRAVITY = 0.05;  // the same as a share of the velocity of a free fall: an error of masses [1]
static const double STICTIONS = 10;    // the same in stiction tolerances [1]
static const double OUTLIER = 2;       // errors s above which a measurement counts less [1]
static const double MEMORY = 10;       // time in which knowledge fades [s]

// ---- layout ----

// friction with an axis or with a slip speed is more than one number
static bool is_one_number(const trx_pair_law *law)
{
    return law->friction > 0 && isfinite(law->friction) && !(law->slip_speed > 0) && !trxi_pair_law_anisotropic(law);
}

static bool same_bodies(const trx_model *model, trxi_pair a, trxi_pair b)
{
    const int a1 = model->geoms[a.geom_a].body, a2 = model->geoms[a.geom_b].body;
    const int b1 = model->geoms[b.geom_a].body, b2 = model->geoms[b.geom_b].body;
    return (a1 == b1 && a2 == b2) || (a1 == b2 && a2 == b1);
}

// the first pair of the same two bodies whose friction is one number, at most `pair` itself; -1: none
static int first_like(const trx_model *model, int pair)
{
    const trxi_pair of = trxi_model_pair(model, pair);
    if (!is_one_number(of.law)) return -1;
    for (int i = 0; i < pair; i++) {
        const trxi_pair other = trxi_model_pair(model, i);
        if (is_one_number(other.law) && same_bodies(model, of, other)) return i;
    }
    return pair;
}

static void count_factors(const trx_model *model, trxi_friction *f)
{
    f->npair = model->npair, f->count = f->npossible = 0;
    for (int i = 0; i < model->npair; i++) {
        const int first = first_like(model, i);
        f->count += first == i;
        f->npossible += first >= 0;
    }
}

void trxi_friction_layout(trxi_arena *arena, const trx_model *model, trxi_friction *f)
{
    count_factors(model, f);
    const int n = model->ntangent, nv = model->nv;
    f->factor_of = TRXI_TAKE(arena, int, f->npair);
    f->possible = TRXI_TAKE(arena, trx_parameter, f->npossible);
    f->factors = TRXI_TAKE(arena, double, f->count);
    f->scale = TRXI_TAKE(arena, double, f->npair);
    f->P = TRXI_TAKE(arena, double, f->count * f->count);
    f->tree_mass = TRXI_TAKE(arena, double, model->ntree);
    f->x = TRXI_TAKE(arena, double, model->nstate);
    f->A = TRXI_TAKE(arena, double, n * n);
    f->C = TRXI_TAKE(arena, double, n * f->npossible);
    f->S = TRXI_TAKE(arena, double, n * f->count);
    f->next = TRXI_TAKE(arena, double, n * f->count);
    f->predicted = TRXI_TAKE(arena, double, model->nstate);
    f->motion = TRXI_TAKE(arena, double, 2 * nv);
    f->L = TRXI_TAKE(arena, double, nv * nv);
    f->composite = TRXI_TAKE(arena, trxi_inertia, model->nlink);
    f->weighed = TRXI_TAKE(arena, double, nv * (3 + f->count));
    f->gain = TRXI_TAKE(arena, double, f->count);
    f->change = TRXI_TAKE(arena, double, f->count);
}

// ---- begin ----

static void number_factors(const trx_model *model, trxi_friction *f)
{
    int factors = 0, possible = 0;
    for (int i = 0; i < f->npair; i++) {
        const int first = first_like(model, i);
        f->factor_of[i] = first == i ? factors++ : first < 0 ? -1 : f->factor_of[first];
        if (first >= 0) f->possible[possible++] = (trx_parameter){TRX_PAIR_FRICTION, i, 0};
    }
}

static void add_masses(const trx_model *model, trxi_friction *f)
{
    memset(f->tree_mass, 0, (size_t)model->ntree * sizeof *f->tree_mass);
    for (int i = 0; i < model->nbody; i++) {
        const int tree = trx_model_body(model, i).tree;
        if (tree >= 0) f->tree_mass[tree] += trx_model_body_inertia(model, i).mass;
    }
}

// gives the simulator of the prediction the friction of the factors
static trx_status apply(trxi_friction *f, const trxi_prediction *prediction)
{
    const trx_model *model = trx_sim_model(prediction->sim);
    trx_status status = TRX_OK;
    for (int i = 0; i < f->npair && status >= 0; i++) {
        f->scale[i] = f->factor_of[i] < 0 ? 1 : f->factors[f->factor_of[i]];
        if (f->factor_of[i] < 0) continue;
        trx_pair_law law = *trxi_model_pair(model, i).law;
        law.friction *= f->scale[i];
        status = trx_sim_set_pair_law(prediction->sim, i, &law);
    }
    return status;
}

static trx_status reset(trxi_friction *f, const trxi_prediction *prediction)
{
    f->measured = false;
    memset(f->P, 0, (size_t)(f->count * f->count) * sizeof *f->P);
    for (int i = 0; i < f->count; i++) f->factors[i] = 1, f->P[i + i * f->count] = f->range * f->range / 3;
    return apply(f, prediction);
}

trx_status trxi_friction_begin(const trx_model *model, double range, const trxi_prediction *prediction, trxi_friction *f)
{
    f->range = range;
    if (!(range > 0)) return TRX_OK;
    number_factors(model, f);
    add_masses(model, f);
    const trx_status status = trxi_sim_reserve_derivatives(prediction->sim);
    return status < 0 ? status : reset(f, prediction);
}

void trxi_friction_forget(trxi_friction *f, const trxi_prediction *prediction)
{
    if (f->range > 0) reset(f, prediction);
}

// ---- prediction with sensitivities ----

// S = A S + sum of C mu over the pairs of a factor, after a step of the prediction
static trx_status carry_on(trx_sim *sim, void *user)
{
    trxi_friction *f = user;
    const trx_model *model = trx_sim_model(sim);
    const int n = model->ntangent;
    trx_status status = trx_step_jac(sim, f->A, NULL);
    if (status >= 0) status = trx_step_jac_parameters(sim, f->possible, f->npossible, f->C);
    if (status < 0) return status;
    trxi_gemm(n, f->count, n, 1, f->A, n, f->S, n, 0, f->next, n);
    for (int i = 0; i < f->npossible; i++) {
        const int pair = f->possible[i].index;
        trxi_axpy(n, trxi_model_pair(model, pair).law->friction, f->C + n * i, f->next + n * f->factor_of[pair]);
    }
    memcpy(f->S, f->next, (size_t)(n * f->count) * sizeof *f->S);
    return TRX_OK;
}

// ---- weights ----

// out = L^T y
static void weigh(int n, const double *L, const double *y, double *out)
{
    for (int i = 0; i < n; i++) out[i] = trxi_dot(n - i, L + i + i * n, y + i);
}

// squared velocity by which a free body may differ from the prediction over a time: errors of masses, and creep
static double body_error(const trx_sim *sim, double span)
{
    const double *g = trx_sim_model(sim)->gravity, fall = OF_GRAVITY * span;
    const double slip = STICTIONS * trx_sim_get_settings(sim).stiction_tolerance;
    return fall * fall * trxi_dot3(g, g) + slip * slip;
}

// squared error of a prediction for other reasons than friction, of one tree; the columns are those of f->weighed
static double variance_of(const trxi_friction *f, const trxi_tree *tree, double of_bodies, int nv)
{
    const double *error = f->weighed + tree->v, *change = error + nv, *velocity = change + nv;
    const double of_change = OF_CHANGE * OF_CHANGE * trxi_dot(tree->nv, change, change);
    const double of_velocity = OF_VELOCITY * OF_VELOCITY * trxi_dot(tree->nv, velocity, velocity);
    const double variance = of_change + of_velocity + of_bodies;
    const double outlier = trxi_dot(tree->nv, error, error) / (OUTLIER * OUTLIER);
    return fmax(variance, outlier);
}

// the weighed error, the weighed changes of velocity and velocity, and the weighed sensitivities, divided by s. Returns false if
// the mass matrix has no factor, or if nothing is finite
static bool weigh_all(trxi_friction *f, const trx_sim *sim, double span, const double *x)
{
    const trx_model *model = trx_sim_model(sim);
    const trxi_kinematics *kin = trxi_sim_start_poses(sim);
    const int nv = model->nv, n = model->ntangent;
    if (!kin) return false;
    trxi_mass_matrix(model, kin, f->composite, f->L, nv);
    if (trxi_cholesky(nv, f->L, nv) >= 0) return false;
    const double *v = x + model->nq, *old = f->x + model->nq, *predicted = f->predicted + model->nq;
    double *error = f->motion, *moved = error + nv;
    for (int i = 0; i < nv; i++) error[i] = v[i] - predicted[i], moved[i] = predicted[i] - old[i];
    weigh(nv, f->L, error, f->weighed);
    weigh(nv, f->L, moved, f->weighed + nv);
    weigh(nv, f->L, v, f->weighed + 2 * nv);
    for (int k = 0; k < f->count; k++) weigh(nv, f->L, f->S + nv + n * k, f->weighed + nv * (3 + k));
    const double of_body = body_error(sim, span);
    for (int t = 0; t < model->ntree; t++) {
        const trxi_tree *tree = &model->trees[t];
        const double s = sqrt(variance_of(f, tree, f->tree_mass[t] * of_body, nv));
        for (int i = tree->v; i < tree->v + tree->nv; i++)
            for (int k = 0; k < 3 + f->count; k++) f->weighed[i + nv * k] = s > 0 ? f->weighed[i + nv * k] / s : 0;
    }
    return trxi_all_finite(nv * (3 + f->count), f->weighed);
}

// ---- the filter ----

static void fade(trxi_friction *f, double span)
{
    const double kept = exp(-span / MEMORY);
    for (int i = 0; i < f->count; i++) f->factors[i] = 1 + kept * (f->factors[i] - 1);
    for (int i = 0; i < f->count * f->count; i++) f->P[i] *= kept * kept;
    for (int i = 0; i < f->count; i++) f->P[i + i * f->count] += (1 - kept * kept) * f->range * f->range / 3;
}

// one row with unit error: change += g (e - h . change), P -= g (P h)^T, g = P h / (1 + h . P h)
static void update_row(trxi_friction *f, int row, int nv)
{
    const int n = f->count;
    const double *h = f->weighed + 3 * nv + row;
    double rest = f->weighed[row], total = 1;
    for (int i = 0; i < n; i++) {
        f->gain[i] = 0;
        for (int j = 0; j < n; j++) f->gain[i] += f->P[i + j * n] * h[j * nv];
        total += h[i * nv] * f->gain[i];
        rest -= h[i * nv] * f->change[i];
    }
    for (int i = 0; i < n; i++) f->change[i] += f->gain[i] * rest / total;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) f->P[i + j * n] -= f->gain[i] * f->gain[j] / total;
}

static void update(trxi_friction *f, int nv)
{
    memset(f->change, 0, (size_t)f->count * sizeof *f->change);
    for (int row = 0; row < nv; row++) update_row(f, row, nv);
    for (int i = 0; i < f->count; i++) f->factors[i] = fmin(fmax(f->factors[i] + f->change[i], 1 - f->range), 1 + f->range);
}

bool trxi_friction_learn(trxi_friction *f, const trxi_prediction *prediction, trx_policy *policy, double time, double most,
                         const double *x)
{
    const trx_model *model = trx_sim_model(prediction->sim);
    const size_t state = (size_t)model->nstate * sizeof *x;
    const double span = time - f->time;
    bool learned = false;
    if (f->measured && span > 0 && span <= most && f->count > 0) {
        memcpy(f->predicted, f->x, state);
        memset(f->S, 0, (size_t)(model->ntangent * f->count) * sizeof *f->S);
        learned = trxi_predict_watched(prediction, policy, f->time, span, carry_on, f, f->predicted) >= 0 &&
                  weigh_all(f, prediction->sim, span, x);
        if (learned) {
            fade(f, span);
            update(f, model->nv);
            learned = apply(f, prediction) >= 0;
        }
    }
    memcpy(f->x, x, state);
    f->time = time;
    f->measured = true;
    return learned;
}
