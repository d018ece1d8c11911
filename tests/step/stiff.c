// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See stiff.h.

#include "step/step_deriv.h"
#include "step/stiff.h"

#include "base/random.h"
#include "math/dense.h"
#include "step/judge.h"
#include "step/residual.h"
#include "step/sim.h"
#include "step/scenes.h"
#include "support/support.h"

#include <string.h>

enum { MAX_NV = 18, MAX_NU = 4, MAX_X = 48, MAX_COLUMNS = 2 * MAX_NV + MAX_NU, DECADES = 7, LEVELS = 7 };

static const trx_shape_type pairs[][2] = {
    {TRX_SHAPE_SPHERE, TRX_SHAPE_SPHERE},     {TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE},
    {TRX_SHAPE_BOX, TRX_SHAPE_SPHERE},        {TRX_SHAPE_HALFSPACE, TRX_SHAPE_SPHERE},
    {TRX_SHAPE_CAPSULE, TRX_SHAPE_CAPSULE},   {TRX_SHAPE_HALFSPACE, TRX_SHAPE_CAPSULE},
    {TRX_SHAPE_HALFSPACE, TRX_SHAPE_BOX},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

typedef struct point {
    double x[MAX_X], u[MAX_NU], v[MAX_NV];
} point;

// a law of `stiffness` whose forces act and turn over the length `reach`
static void draw_law(const scene *s, trx_approximation approximation, double stiffness, double reach, uint64_t seed, int index)
{
    scene_law(s, approximation, SCENE_SLIP, seed, index);
    trx_pair_law law = trx_sim_pair_law(s->sim, 0);
    law.stiffness = stiffness, law.smoothing = reach;

    // a law that turns within a micrometre cannot be judged by differences
    if (law.force_law == TRX_SMOOTHED && stiffness > 2e8) law.force_law = TRX_HUNT_CROSSLEY;
    ck_assert_int_eq(trx_sim_set_pair_law(s->sim, 0, &law), TRX_OK);
    trx_sim_settings settings = trx_sim_get_settings(s->sim);
    settings.stiction_tolerance = 1e-2;
    ck_assert_int_eq(trx_sim_set_settings(s->sim, &settings), TRX_OK);
}

// r with input `column` of [q0 v0 u] moved; false when that switched a branch
static bool moved_residual(const scene *s, const point *p, int column, double amount, unsigned long long branches, double *r)
{
    point m = *p;
    if (column < s->nv) {
        double dq[MAX_NV] = {0};
        dq[column] = amount;
        trx_model_integrate(s->model, p->x, dq, m.x);
    } else if (column < 2 * s->nv) {
        m.x[s->nq + column - s->nv] += amount;
    } else {
        m.u[column - 2 * s->nv] += amount;
    }
    residual_at(s->sim, m.x, m.u, p->v, r);
    return trxi_step_branches(&s->sim->in, &s->sim->smooth, &s->sim->rows) == branches;
}

static bool central(const scene *s, const point *p, int column, double e, unsigned long long branches, double *D)
{
    double plus[MAX_NV], minus[MAX_NV];
    if (!moved_residual(s, p, column, e, branches, plus) || !moved_residual(s, p, column, -e, branches, minus)) return false;
    for (int i = 0; i < s->nv; i++) D[i] = (plus[i] - minus[i]) / (2 * e);
    return true;
}

// one column by repeated Richardson extrapolation (Ridders 1982): increments are halved, and the entry of the table
// counts that agrees best with its neighbours, where truncation and rounding balance. False when a kink is so near that
// no table can be made.
static bool difference_column(const scene *s, const point *p, int column, unsigned long long branches, double *out)
{
    double table[LEVELS][MAX_NV], best = INFINITY, e = column < s->nv ? 8e-4 : 1e-2;
    int rows = 0;
    for (int level = 0; level < LEVELS; level++, e /= 2) {
        double entry[MAX_NV];
        if (!central(s, p, column, e, branches, entry)) {
            rows = 0, best = INFINITY;
            continue;
        }
        double power = 1;
        for (int m = 0; m < rows; m++) {
            power *= 4;
            double refined[MAX_NV];
            for (int i = 0; i < s->nv; i++) refined[i] = (power * entry[i] - table[m][i]) / (power - 1);
            double change = fmax(max_difference(refined, entry, s->nv), max_difference(refined, table[m], s->nv));
            if (change <= best) best = change, memcpy(out, refined, (size_t)s->nv * sizeof *out);
            memcpy(table[m], entry, sizeof entry);
            memcpy(entry, refined, sizeof entry);
        }
        memcpy(table[rows++], entry, sizeof entry);
    }
    return rows > 3;
}

// columns first to last of [dr/dq0 dr/dv0 dr/du] at the point; false near a kink
static bool difference_columns(const scene *s, const point *p, int first, int last, double *F)
{
    residual_at(s->sim, p->x, p->u, p->v, NULL);
    unsigned long long branches = trxi_step_branches(&s->sim->in, &s->sim->smooth, &s->sim->rows);
    for (int c = first; c < last; c++)
        if (!difference_column(s, p, c, branches, F + (c - first) * s->nv)) return false;
    return true;
}

// dr/dq0 far from balance, where the contact is pressed much deeper than the increments
static void judge_positions(const scene *s, const point *p, stiff_tally *t)
{
    static double F[MAX_NV * MAX_NV];
    if (!difference_columns(s, p, 0, s->nv, F)) {
        t->near_kink++;
        return;
    }
    pretend_solved(s->sim, p->x, p->u, p->v);
    ck_assert_int_eq(trxi_step_linearize(s->sim), TRX_OK);
    t->judged++;
    t->worst_q = fmax(t->worst_q, column_error(s->nv, s->nv, s->sim->deriv.rq, F));
}

// dr/dv0 and dr/du at the solution of a step that starts with a moderate impulse: no gap depends on them
static void judge_velocities(const scene *s, const point *p, stiff_tally *t)
{
    static double F[MAX_NV * (MAX_NV + MAX_NU)], ru[MAX_NV * MAX_NU];
    const int nv = s->nv;
    point solved = *p;
    memcpy(solved.v, s->sim->solver.v, (size_t)nv * sizeof *solved.v);
    if (!difference_columns(s, &solved, nv, 2 * nv + s->nu, F)) {
        t->near_kink++;
        return;
    }
    pretend_solved(s->sim, solved.x, solved.u, solved.v);
    ck_assert_int_eq(trxi_step_linearize(s->sim), TRX_OK);
    memset(ru, 0, sizeof ru);
    for (int a = 0; a < s->nu; a++) {
        trx_actuator_info actuator = trx_model_actuator(s->model, a);
        ru[actuator.v_index + a * nv] = -trx_sim_get_settings(s->sim).time_step * actuator.gear;
    }
    t->judged++;
    t->worst_v = fmax(t->worst_v, column_error(nv, nv, s->sim->deriv.rv, F));
    if (s->nu) t->worst_u = fmax(t->worst_u, column_error(nv, s->nu, ru, F + nv * nv));
}

// || H dv/dx + dr/dx || / || dr/dx || after trx_step_jac
static double solve_error(const scene *s)
{
    static double A[4 * MAX_NV * MAX_NV], H[MAX_NV * MAX_NV], residual[MAX_NV * 2 * MAX_NV];
    const int nv = s->nv, n = 2 * nv * nv;
    trx_status status = trx_step_jac(s->sim, A, NULL);
    ck_assert_msg(status >= 0, "%s", trx_context_message(s->context));
    by_dof(s->sim, s->sim->deriv.rq, residual);
    by_dof(s->sim, s->sim->deriv.rv, residual + nv * nv);
    double size = sqrt(trxi_dot(n, residual, residual));
    hessian_at_solution(s->sim, H);
    trxi_gemm(nv, 2 * nv, nv, 1, H, nv, A + nv, 2 * nv, 1, residual, nv);
    return sqrt(trxi_dot(n, residual, residual)) / size;
}

static void judge_solution(const scene *s, const point *p, stiff_tally *t)
{
    trx_status status = trx_step(s->sim, p->x, p->u, NULL);

    // beyond 1e10 N/m the solver crawls for some stiff similar contacts (theory 5): no solution, nothing to judge
    trx_pair_law law = trx_sim_pair_law(s->sim, 0);
    bool hard = law.stiffness > 1.5e10 && (law.approximation == TRX_SIMILAR || law.approximation == TRX_SIMILAR_REGULARIZED);
    if (status == TRX_ERR_NOT_CONVERGED && hard) {
        t->unsolved++;
        return;
    }
    ck_assert_msg(status >= 0, "%s", trx_context_message(s->context));
    t->worst_solve = fmax(t->worst_solve, solve_error(s));
    judge_velocities(s, p, t);
}

// a velocity near the start velocity or its opposite, such that the contact presses; the residual is large
static void draw_velocity(const scene *s, point *p)
{
    for (int j = 0; j < s->nv; j++) p->v[j] = p->x[s->nq + j] * (j % 2 ? 0.7 : 1.2);
    residual_at(s->sim, p->x, p->u, p->v, NULL);
    if (s->sim->rows.contacts[0].at.v_c[2] < 0) return;
    for (int j = 0; j < s->nv; j++) p->v[j] *= -1;
}

static void judge(const scene *s, trx_approximation approximation, double stiffness, uint64_t seed, int index, stiff_tally *t)
{
    point at;
    double depth = 1 + 2 * trxi_random_uniform(seed, (uint64_t)index);
    scene_state(s, index % 2 ? SCENE_STICK : SCENE_SLIP, seed, index, at.x, at.u);
    draw_law(s, approximation, stiffness, 1e-2, seed, index);
    scene_set_gap(s, -1e-3 * depth, at.x);
    draw_velocity(s, &at);
    judge_positions(s, &at, t);

    // a gap at which the pair presses with some kilonewtons, whatever its stiffness
    draw_law(s, approximation, stiffness, 1e3 / stiffness, seed, index);
    scene_set_gap(s, -1e3 * depth / stiffness, at.x);
    judge_solution(s, &at, t);
}

stiff_tally stiff_judge(uint64_t seed)
{
    stiff_tally t = {0};
    for (int p = 0; p < PAIRS; p++)
        for (int k = 0; k < SCENE_KINDS; k++) {
            scene s = scene_pair((scene_kind)k, pairs[p][0], pairs[p][1]);
            for (int i = 0; i < (TRX_SAP + 1) * DECADES; i += STIFF_EVERY)
                judge(&s, (trx_approximation)(i / DECADES), pow(10, 6 + i % DECADES), seed + (uint64_t)p, i, &t);
            scene_destroy(&s);
        }
    return t;
}
