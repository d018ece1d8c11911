// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See problem.h.

#include "contact/problem.h"

#include "base/random.h"
#include "contact/balance.h"
#include "contact/hessian.h"
#include "contact/islands.h"
#include "math/dense.h"

#include <check.h>
#include <math.h>
#include <string.h>

const rigid_method rigid_methods[RIGID_METHODS] = {
    {TRX_CONTACT_LCP, TRX_SOLVER_PGS},  {TRX_CONTACT_CCP, TRX_SOLVER_PGS},  {TRX_CONTACT_NCP, TRX_SOLVER_PGS},
    {TRX_CONTACT_LCP, TRX_SOLVER_ADMM}, {TRX_CONTACT_CCP, TRX_SOLVER_ADMM}, {TRX_CONTACT_NCP, TRX_SOLVER_ADMM},
    {TRX_CONTACT_LCP, TRX_SOLVER_STAGGERED}, {TRX_CONTACT_NCP, TRX_SOLVER_STAGGERED}, {TRX_CONTACT_LCP, TRX_SOLVER_PIVOTING},
};

static double uniform(uint64_t seed, uint64_t index, double low, double high)
{
    return low + (high - low) * trxi_random_uniform(seed, index);
}

static double log_uniform(uint64_t seed, uint64_t index, double low, double high)
{
    return low * pow(high / low, trxi_random_uniform(seed, index));
}

trxi_law_settings law_settings(double stiction_tolerance)
{
    return (trxi_law_settings){.dt = 0.01, .regularization = 1e-3, .near_rigid = 1, .stiction_tolerance = stiction_tolerance,
                               .joint_stiction_tolerance = 0.05, .sides = 4};
}

trxi_normal normal_impulse(const trx_pair_law *material, double dt, double phi0, double v)
{
    trxi_contact c = {.material = material, .between = {.ahead = dt, .rate = 1}};
    return trxi_contact_normal(&c, phi0, dt, v);
}

trxi_row_state row_at(const trxi_row_block *block, const double v[3])
{
    trxi_row_state at = {.v_c = {v[0], v[1], v[2]}};
    block->law->impulse(block, law_settings(0).dt, &at);
    return at;
}

trxi_row_block random_contact(trx_approximation approximation, uint64_t seed, trx_pair_law *m)
{
    const trxi_law_settings settings = law_settings(log_uniform(seed, 9, 1e-4, 1e-1));
    trxi_row_block c = {.law = trxi_law_of(approximation), .n = 3};
    c.contact = (trxi_contact){.material = m, .between = {.ahead = settings.dt, .rate = 1}, .stretch = 1, .share = 1};
    *m = (trx_pair_law){.approximation = approximation};
    m->stiffness = log_uniform(seed, 0, 1e2, 1e6);
    m->dissipation = uniform(seed, 1, 0, 1) < 0.2 ? 0 : log_uniform(seed, 1, 0.1, 30);
    m->relaxation_time = log_uniform(seed, 2, 1e-3, 0.05);
    m->smoothing = log_uniform(seed, 3, 1e-4, 1e-2);
    m->friction = uniform(seed, 4, 0, 1) < 0.1 ? 0 : uniform(seed, 4, 0, 1.5);
    m->force_law = (trx_force_law)(trxi_random_bits(seed, 5) % 3);
    if (approximation == TRX_SAP) m->force_law = TRX_KELVIN_VOIGT;
    c.contact.mu = m->friction;
    c.phi0 = uniform(seed, 6, -3e-3, 1e-3);
    c.w = log_uniform(seed, 7, 0.1, 100);
    c.contact.v_n0 = 0.3 * trxi_random_normal(seed, 8);
    c.contact.gn0 = settings.dt * trxi_force_law(m, c.phi0, c.contact.v_n0).f;
    c.law->prepare(&c, &settings);
    return c;
}

trxi_row_block one_row(const trxi_law *law, double w, double v_hat)
{
    trxi_row_block row = {.law = law, .n = 1, .w = w};
    if (law == &trxi_dry_friction) row.most = 4, row.soft = row.soft_wanted = 0.1;
    else if (law == &trxi_drive) row.drive = (trxi_drive_constants){.f0 = 20 * v_hat, .slope = 30, .lower = -10, .upper = 5};
    else row.compliant.R = 0.02 * w, row.compliant.v_hat = v_hat;
    return row;
}

static void make_mass(random_problem *p, uint64_t seed)
{
    // A = Q^T Q + 0.1 by tree
    const int nv = p->model.nv;
    memset(p->A, 0, sizeof p->A);
    for (int t = 0; t < 2; t++)
        for (int i = p->trees[t].v; i < p->trees[t].v + p->trees[t].nv; i++)
            for (int j = p->trees[t].v; j <= i; j++) {
                double sum = i == j ? 0.1 : 0;
                for (uint64_t k = 0; k < 6; k++)
                    sum += trxi_random_normal(seed + 1, (uint64_t)i * 6 + k) * trxi_random_normal(seed + 1, (uint64_t)j * 6 + k);
                p->A[i + j * nv] = sum;
            }
}

// blocks and their factors, for the trees as they are
static void take_mass(random_problem *p)
{
    const int nv = p->model.nv;
    int block = 0;
    p->solver.work->ngroup = p->solver.work->nv = 0;
    for (int t = 0; t < p->model.ntree; t++) {
        trxi_tree *tree = &p->trees[t];
        tree->block = block;
        trxi_solver_add_group(&p->solver, tree->nv);
        block += tree->nv * tree->nv;
        for (int j = 0; j < tree->nv; j++) {
            p->column[tree->v + j] = tree->block + j * tree->nv - tree->v;
            p->dof_tree[tree->v + j] = t;
            for (int i = j; i < tree->nv; i++)
                p->masses[tree->block + i + j * tree->nv] = p->A[tree->v + i + (tree->v + j) * nv];
        }
        memcpy(p->factors + tree->block, p->masses + tree->block, (size_t)(tree->nv * tree->nv) * sizeof *p->masses);
        trxi_cholesky(tree->nv, p->factors + tree->block, tree->nv);
        memcpy(p->v_free + tree->v, p->p0 + tree->v, (size_t)tree->nv * sizeof *p->p0);
        trxi_cholesky_solve(tree->nv, p->factors + tree->block, tree->nv, 1, p->v_free + tree->v, tree->nv);
    }
}

// limits hold one dof, from below and above in turn; the others couple two
static void make_scalar(random_problem *p, int k, uint64_t seed)
{
    static const trxi_law *const laws[] = {&trxi_limit, &trxi_limit, &trxi_drive, &trxi_dry_friction, &trxi_equality};
    const int nv = p->model.nv;
    trxi_row_block *row = &p->scalars[k];
    *row = one_row(laws[k % 5], 1.25 / p->A[(k % nv) * (nv + 1)], trxi_random_normal(seed + 5, (uint64_t)k));
    row->cols = p->scalar_cols[k], row->J = p->scalar_J[k];
    row->ncol = row->law == &trxi_limit || k % nv == nv - 1 ? 1 : 2;
    p->scalar_cols[k][0] = k % nv, p->scalar_cols[k][1] = nv - 1;
    p->scalar_J[k][0] = k % 2 ? -1 : 1;
    p->scalar_J[k][1] = trxi_random_normal(seed + 6, (uint64_t)k);
}

void make_problem(random_problem *p, trx_approximation approximation, int nv, int ncontact, int nscalar, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    p->model.nv = nv;
    p->model.ntree = 2;
    p->model.trees = p->trees;
    p->model.dof_tree = p->dof_tree;
    p->model.column = p->column;
    p->trees[0] = (trxi_tree){.v = 0, .nv = nv / 2};
    p->trees[1] = (trxi_tree){.v = nv / 2, .nv = nv - nv / 2};
    make_mass(p, seed);
    p->contacts = p->blocks, p->scalars = p->blocks + ncontact;
    for (int i = 0; i < nv; i++) {
        p->p0[i] = 3 * trxi_random_normal(seed + 2, (uint64_t)i);
        p->start[i] = trxi_random_normal(seed + 3, (uint64_t)i);
        p->cols[i] = i;
    }
    for (int k = 0; k < ncontact; k++) {
        p->contacts[k] = random_contact(approximation, seed * 100 + (uint64_t)k, &p->materials[k]);
        for (int i = 0; i < 3 * nv; i++) p->J[k][i] = trxi_random_normal(seed + 4, (uint64_t)(k * 3 * nv + i));
        p->contacts[k].ncol = nv;
        p->contacts[k].cols = p->cols;
        p->contacts[k].J = p->J[k];
    }
    for (int k = 0; k < nscalar; k++) make_scalar(p, k, seed);
    p->problem = (trxi_contact_problem){.law = law_settings(1e-4), .A = p->masses, .LA = p->factors, .p0 = p->p0,
                                        .v_free = p->v_free, .blocks = p->blocks, .rows = p->rows, .nblock = ncontact + nscalar};
    trxi_arena arena = {.base = p->block};
    trxi_solver_size size = {0};
    for (int t = 0; t < 2; t++) trxi_solver_size_add(&size, p->trees[t].nv);
    trxi_solver_layout(&arena, &size, &p->solver);
    take_mass(p);
    ck_assert_uint_le(arena.used, sizeof p->block);
    memcpy(p->solver.v, p->start, (size_t)nv * sizeof *p->start);
    for (int i = 0; i < nv; i++) p->solver.work->E2[i] = 1 / p->A[i * (nv + 1)];
    take_mass(p);
}

void make_problem_again(random_problem *p, int nv, int ncontact, int nscalar, uint64_t seed)
{
    static trx_context *context;
    if (!context) ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trxi_solver_close(&p->solver);
    make_problem(p, TRX_SAP, nv, ncontact, nscalar, seed);
    p->problem.context = context;
}

void join_problem(random_problem *p)
{
    take_mass(p);
    ck_assert_int_eq(trxi_islands_join(&p->problem, p->solver.work), TRX_OK);
    ck_assert_int_eq(p->solver.work->nisland, 1);
}

void balance_problem(random_problem *p)
{
    join_problem(p);
    trxi_balance_compute(&p->problem, p->solver.work->islands, p->solver.work, p->solver.work->islands->now);
    trxi_balance_publish(&p->problem, p->solver.work->islands, p->solver.work);
}

trxi_verdict judge_problem(random_problem *p, double tolerance)
{
    trxi_verdict v = {0};
    trxi_rounding_judge(&p->problem, p->solver.work->islands, tolerance, false, p->solver.work, &v);
    return v;
}

void accept_problem(random_problem *p)
{
    trxi_balance_accept(p->solver.work->islands);
    trxi_balance_publish(&p->problem, p->solver.work->islands, p->solver.work);
}

void hessian_problem(random_problem *p, double *H)
{
    trxi_hessian_dense(&p->problem, p->solver.work->islands, p->solver.work, H);
}

trx_status solve_problem(random_problem *p, double tolerance)
{
    const trxi_solver_settings settings = {.tolerance = tolerance, .max_iterations = 100};
    take_mass(p);
    memcpy(p->solver.v, p->start, (size_t)p->model.nv * sizeof *p->start);
    return trxi_contact_solve(&p->problem, &settings, &p->solver);
}
