// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See residual.h.

#include "step/contact_rows.h"
#include "step/residual.h"
#include "step/scalar_rows.h"
#include "step/smooth.h"

#include "contact/balance.h"
#include "contact/hessian.h"
#include "contact/islands.h"

#include <check.h>
#include <string.h>

void residual_at(trx_sim *sim, const double *x, const double *u, const double *v, double *r)
{
    const trx_model *model = sim->in.model;
    memcpy(sim->in.q0, x, (size_t)model->nq * sizeof *x);
    memcpy(sim->in.v0, x + model->nq, (size_t)model->nv * sizeof *x);
    memcpy(sim->in.u, u, (size_t)model->nu * sizeof *u);
    ck_assert_int_eq(trxi_step_smooth(&sim->in, &sim->smooth), TRX_OK);
    ck_assert_int_eq(trxi_step_contact_rows(&sim->in, &sim->laws, &sim->smooth, &sim->geometry, &sim->rows), TRX_OK);
    trxi_step_scalar_rows(&sim->in, &sim->smooth, &sim->rows);
    sim->problem = trxi_rows_problem(&sim->in, &sim->smooth, &sim->rows);
    memcpy(sim->solver.v, v, (size_t)model->nv * sizeof *v);
    ck_assert_int_eq(trxi_islands_join(&sim->problem, sim->solver.work), TRX_OK);
    trxi_balance_compute(&sim->problem, sim->solver.work->islands, sim->solver.work, sim->solver.work->islands->now);
    trxi_balance_publish(&sim->problem, sim->solver.work->islands, sim->solver.work);
    if (r) memcpy(r, sim->solver.work->islands->now->r, (size_t)model->nv * sizeof *r);
}

void pretend_solved(trx_sim *sim, const double *x, const double *u, const double *v)
{
    residual_at(sim, x, u, v, NULL);
    sim->stepped = true;
    sim->deriv.linearized = false;
    sim->solved_tolerance = 0;
}

void by_dof(const trx_sim *sim, const double *by_island, double *dense)
{
    const trxi_work *s = sim->solver.work;
    const int nv = sim->in.model->nv, *tree = sim->in.model->dof_tree;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nv; i++) {
            bool tied = s->island_of[tree[i]] == s->island_of[tree[j]];
            dense[i + j * nv] = tied ? by_island[s->column[j] + s->local[i]] : 0;
        }
}

void hessian_at_solution(trx_sim *sim, double *H)
{
    const int nv = sim->in.model->nv;
    ck_assert_int_eq(sim->solver.work->nisland, 1);
    trxi_hessian_dense(&sim->problem, sim->solver.work->islands, sim->solver.work, H);
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < j; i++) H[i + j * nv] = H[j + i * nv];
}
