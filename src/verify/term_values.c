// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Terms of the step that are functions of its state. The code of the step gives their values at a moved state, and the derivative
// code of the step gives their derivatives (theory 2, 4, 6):
//
//     mass         d(M(q) a)/dq                   bias         d ID(q, v, 0)/dq, /dv
//     geometry     dphi/dq (J_n), dn/dq, dp/dq    limit        d(J^T gamma(J v))/dq of each row
//     integration  d(q (+) dt v_vq)/dq, /dv: T and S
//
// A value costs kinematics, mass matrix and rows, no solve. In two-stage schemes rows are moved at fixed A: A is a function of
// q_th, and its effect on rows is judged with the whole step.

#include "step/contact_rows.h"
#include "step/integrate.h"
#include "step/scalar_rows.h"
#include "step/smooth.h"
#include "step/step_deriv.h"
#include "verify/terms.h"

#include "math/dense.h"

#include <string.h>

// ---- values ----

static void values_of_mass(trxi_term_state *c, double *out)
{
    trx_sim *sim = c->sim;
    trxi_mass_blocks(sim->in.model, &sim->smooth.kin, sim->smooth.composite, c->mass);
    for (int t = 0; t < sim->in.model->ntree; t++) {
        const trxi_tree *tree = &sim->in.model->trees[t];
        trxi_symv(tree->nv, c->mass + tree->block, tree->nv, c->a + tree->v, out + tree->v);
    }
}

// q (+) dt v_vq of a moved state, relative to its value at the state
static void values_of_integration(trxi_term_state *c, const double *q, double *out)
{
    const trx_sim *sim = c->sim;
    const double dt = sim->in.settings.time_step;
    for (int i = 0; i < sim->in.model->nv; i++) c->dx[i] = dt * (sim->in.th_vq * c->spin[i] + (1 - sim->in.th_vq) * c->spin0[i]);
    trx_model_integrate(sim->in.model, q, c->dx, c->moved);
    trx_model_difference(sim->in.model, c->moved, c->q1, out);
}

// computes gap, normal or point of a contact; returns false when the moved state lacks the contact, or when the feature of the
// contact changes or may change within the least increment
static bool values_of_contact(const trxi_term_state *c, const trxi_term_segment *s, double *out)
{
    const trx_sim *sim = c->sim;
    const trxi_term_mark *m = &c->contacts[s->owner];
    for (int n = 0, i = s->owner; n < sim->rows.ncontact; n++, i++) {
        if (i >= sim->rows.ncontact) i = 0;
        const trxi_row *row = &sim->rows.origins[i];
        if (sim->rows.contacts[i].law->angular || row->pair != m->index || row->point != m->part) continue;
        const double *from = s->part == 0 ? &sim->rows.contacts[i].phi0 : s->part == 1 ? row->F + 6 : row->p;
        memcpy(out, from, (size_t)s->rows * sizeof *out);
        return row->feature == m->branch && !m->kink;
    }
    return false;
}

static int find_row(const trx_sim *sim, const trxi_term_mark *m)
{
    for (int i = 0; i < sim->rows.nscalar; i++) {
        const trxi_row_block *row = &sim->rows.scalars[i];
        if (row->law == m->law && row->index == m->index && row->part == m->part) return i;
    }
    return -1;
}

// number of rows in one block of a constraint: three for a point or a turn
static int rows_together(const trxi_term_state *c, int first)
{
    const trxi_term_mark *m = &c->scalars[first];
    int count = 1;
    for (; m->law == &trxi_equality && first + count < c->nscalar; count++) {
        const trxi_term_mark *next = m + count;
        if (next->law != m->law || next->index != m->index || next->part / 3 != m->part / 3) break;
    }
    return count;
}

// computes J^T gamma at the velocity of the step for the dofs of the segment; returns false when a row is missing or takes
// another branch
static bool values_of_rows(const trxi_term_state *c, const trxi_term_segment *s, double *out)
{
    const trx_sim *sim = c->sim;
    const int count = rows_together(c, s->owner);
    memset(out, 0, (size_t)s->rows * sizeof *out);
    for (int k = s->owner; k < s->owner + count; k++) {
        const trxi_term_mark *m = &c->scalars[k];
        const int i = find_row(sim, m);
        if (i < 0) return false;
        const trxi_row_block *row = &sim->rows.scalars[i];
        trxi_row_state at;
        trxi_row_project(row, c->v, trxi_row_rest, at.v_c);
        row->law->impulse(row, sim->in.settings.time_step, &at);
        if (at.branch != m->branch || row->decided != m->decided) return false;
        for (int j = 0; j < row->ncol; j++) out[j] += row->J[j] * at.gamma[0];
    }
    return true;
}

// computes the rows at the configuration sim->in.q0
static trx_status place(trxi_term_state *c)
{
    trx_sim *sim = c->sim;
    trx_status status = TRX_OK;
    if (sim->in.two_stage) {
        trxi_kinematics_compute(sim->in.model, sim->in.q0, &sim->smooth.kin);
        trxi_link_velocities(sim->in.model, &sim->smooth.kin, sim->in.v0, sim->smooth.rnea.V);
        trxi_lengths_compute(sim->in.model, &sim->smooth.kin, sim->in.q0, &sim->smooth.lengths);
    } else {
        status = trxi_step_smooth(&sim->in, &sim->smooth);
    }
    if (status >= 0) status = trxi_step_contact_rows(&sim->in, &sim->laws, &sim->smooth, &sim->geometry, &sim->rows);
    if (status >= 0) trxi_step_scalar_rows(&sim->in, &sim->smooth, &sim->rows);
    return status;
}

// computes all values that depend on q, or on v, with one coordinate moved
trx_status trxi_term_evaluate(trxi_term_state *c, bool by_v, int column, double amount, double *out)
{
    trx_sim *sim = c->sim;
    const trx_model *model = sim->in.model;
    const double v = c->spin[column], v0 = c->spin0[column];
    memcpy(sim->in.q0, c->q, (size_t)model->nq * sizeof *c->q);
    if (by_v) {
        c->spin[column] += amount, c->spin0[column] += amount;
    } else {
        memset(c->dx, 0, (size_t)model->nv * sizeof *c->dx);
        c->dx[column] = amount;
        trx_model_integrate(model, c->q, c->dx, sim->in.q0);
        trx_status status = place(c);
        if (status < 0) return status;
    }
    for (int k = 0; k < c->nsegment; k++) {
        const trxi_term_segment *s = &c->segments[k];
        double *to = out + s->at;
        bool known = true;
        if (s->by_v != by_v) continue;
        switch (s->term) {
        case TRX_TERM_MASS: values_of_mass(c, to); break;
        case TRX_TERM_BIAS: trxi_inverse_dynamics(model, &sim->smooth.kin, c->spin, NULL, &sim->smooth.rnea, to); break;
        case TRX_TERM_INTEGRATION: values_of_integration(c, sim->in.q0, to); break;
        case TRX_TERM_GEOMETRY: known = values_of_contact(c, s, to); break;
        default: known = values_of_rows(c, s, to); break;
        }
        for (int i = 0; i < s->rows && !known; i++) to[i] = NAN;
    }
    c->spin[column] = v, c->spin0[column] = v0;
    return TRX_OK;
}

// ---- derivatives ----

// d(M a)/dq: inverse dynamics at rest minus inverse dynamics of gravity
static void derive_mass(trxi_term_state *c, double *D)
{
    trx_sim *sim = c->sim;
    const int nv = sim->in.model->nv;
    memset(c->dx, 0, (size_t)nv * sizeof *c->dx);
    trxi_inverse_dynamics(sim->in.model, &sim->smooth.kin, c->dx, NULL, &sim->smooth.rnea, sim->smooth.bias);
    trxi_inverse_dynamics_deriv(sim->in.model, &sim->smooth.kin, &sim->smooth.rnea, sim->deriv.rq, sim->deriv.rv, nv);
    trxi_inverse_dynamics(sim->in.model, &sim->smooth.kin, c->dx, c->a, &sim->smooth.rnea, sim->smooth.bias);
    trxi_inverse_dynamics_deriv(sim->in.model, &sim->smooth.kin, &sim->smooth.rnea, D, sim->deriv.rv, nv);
    for (size_t i = 0; i < (size_t)nv * (size_t)nv; i++) D[i] -= sim->deriv.rq[i];
}

static void derive_bias(trxi_term_state *c, double *by_q, double *by_v)
{
    trx_sim *sim = c->sim;
    trxi_inverse_dynamics(sim->in.model, &sim->smooth.kin, c->spin, NULL, &sim->smooth.rnea, sim->smooth.bias);
    trxi_inverse_dynamics_deriv(sim->in.model, &sim->smooth.kin, &sim->smooth.rnea, by_q, by_v, sim->in.model->nv);
}

static void derive_integration(trxi_term_state *c, double *by_q, double *by_v)
{
    trx_sim *sim = c->sim;
    const int nv = sim->in.model->nv;
    const size_t square = (size_t)nv * (size_t)nv;
    double *unit = sim->deriv.rq, *zero = sim->deriv.rv;
    memset(unit, 0, square * sizeof *unit);
    memset(zero, 0, square * sizeof *zero);
    for (int i = 0; i < nv; i++) unit[(size_t)i * (size_t)(nv + 1)] = 1;
    memcpy(sim->solver.v, c->spin, (size_t)nv * sizeof *c->v);
    memcpy(sim->in.v0, c->spin0, (size_t)nv * sizeof *c->v);
    trxi_step_integrate_tangent(&sim->solved, unit, zero, nv, nv, by_q, nv);
    trxi_step_integrate_tangent(&sim->solved, NULL, unit, nv, nv, by_v, nv);
    for (int j = 0; j < nv; j++) {
        const size_t column = (size_t)j * (size_t)nv;
        trxi_step_integrate_start(&sim->solved, false, unit + column, by_v + column);
    }
    memcpy(sim->solver.v, c->v, (size_t)nv * sizeof *c->v);
    memcpy(sim->in.v0, c->v0, (size_t)nv * sizeof *c->v);
}

// computes -dr/dq of some rows alone: hides all other rows from the derivative code of the step
static void derive_rows(trxi_term_state *c, const trxi_term_segment *s, double *D)
{
    trx_sim *sim = c->sim;
    const int nv = sim->in.model->nv, nscalar = sim->rows.nscalar, nconstraint_rows = sim->rows.nconstraint_rows, first = s->owner;
    trxi_row_block *scalars = sim->rows.scalars;
    trxi_constraint_rows *constraint_rows = sim->rows.constraint_rows;
    for (int j = 0; j < nv; j++)
        if (trxi_coupled_tied(&sim->solver, j, s->dofs[0]))
            memset(sim->deriv.rq + sim->solved.places.columns[j], 0,
                   (size_t)trxi_coupled_rows(&sim->solver, j) * sizeof *sim->deriv.rq);
    const trxi_residual_out out = trxi_residual_matrices(&sim->solved, &sim->deriv);
    sim->rows.nconstraint_rows = 0;
    for (int i = 0; i < nconstraint_rows && scalars[first].law == &trxi_equality; i++)
        if (constraint_rows[i].first == first) sim->rows.constraint_rows = constraint_rows + i, sim->rows.nconstraint_rows = 1;
    trxi_step_constraint_rows_deriv(&sim->solved, &sim->deriv, &out);
    sim->rows.constraint_rows = constraint_rows, sim->rows.nconstraint_rows = nconstraint_rows;
    sim->rows.scalars = scalars + first, sim->rows.nscalar = 1;
    trxi_step_limit_rows_deriv(&sim->solved, &sim->deriv, &out);
    trxi_step_drive_rows_deriv(&sim->solved, &sim->deriv, &out);
    trxi_step_length_rows_deriv(&sim->solved, &sim->deriv, &out);
    sim->rows.scalars = scalars, sim->rows.nscalar = nscalar;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < s->rows; i++) {
            const int dof = s->dofs[i];
            const bool tied = trxi_coupled_tied(&sim->solver, dof, j);
            D[i + s->rows * j] = tied ? -sim->deriv.rq[sim->solved.places.columns[j] + sim->solved.places.rows[dof]] : 0;
        }
}

// dphi, dn, dp of a contact, in three consecutive segments
static void derive_contact(trxi_term_state *c, const trxi_term_segment *s)
{
    trxi_step_contact_motion(&c->sim->solved, &c->sim->deriv, s->owner, c->motion);
    for (int part = 0; part < 3; part++)
        for (int j = 0; j < s->ncol; j++)
            memcpy(c->D + s[part].entry + s[part].rows * j, c->motion + 7 * j + s[part].part + 2 * (part == 2),
                   (size_t)s[part].rows * sizeof *c->D);
}

void trxi_term_derive(trxi_term_state *c, trxi_term_fault fault)
{
    trx_sim *sim = c->sim;
    const trxi_term_segment *s = c->segments;
    derive_mass(c, c->D + s[TRXI_TERM_MASS].entry);
    derive_bias(c, c->D + s[TRXI_TERM_BIAS].entry, c->D + s[TRXI_TERM_BIAS_BY_V].entry);
    derive_integration(c, c->D + s[TRXI_TERM_INTEGRATION].entry, c->D + s[TRXI_TERM_INTEGRATION_BY_V].entry);
    trxi_link_velocities(sim->in.model, &sim->smooth.kin, sim->solver.v, sim->smooth.V1);
    for (int k = TRXI_TERM_SMOOTH; k < c->nsegment; k++) {
        if (s[k].term == TRX_TERM_LIMIT) derive_rows(c, &s[k], c->D + s[k].entry);
        else if (s[k].part == 0) derive_contact(c, &s[k]);
    }
    for (int k = 0; k < c->nsegment; k++)
        for (size_t i = 0; i < (size_t)s[k].rows * (size_t)s[k].ncol; i++) {
            double *entry = &c->D[s[k].entry + i];
            if ((int)s[k].term == fault.term) *entry *= 1 + fault.amount;
            c->most[k] = fmax(c->most[k], fabs(*entry));
        }
}

// ---- list of segments ----

static bool acts(const trxi_row_block *c)
{
    return !c->law->angular && (c->contact.gn0 != 0 || c->at.gamma[2] != 0 || c->at.G.nn != 0);
}

static void add_segment(trxi_term_state *c, trxi_term_segment s)
{
    s.at = c->nvalue, s.entry = c->nentry, s.column = c->ncolumn;
    if (c->segments) c->segments[c->nsegment] = s;
    c->nsegment++;
    c->nvalue += (size_t)s.rows;
    c->nentry += (size_t)s.rows * (size_t)s.ncol;
    c->ncolumn += (size_t)s.ncol;
}

// counts the segments, and writes them if c->segments has room
void trxi_term_list(trxi_term_state *c)
{
    static const trx_term smooth[TRXI_TERM_SMOOTH] = {TRX_TERM_MASS, TRX_TERM_BIAS, TRX_TERM_INTEGRATION, TRX_TERM_BIAS,
                                                       TRX_TERM_INTEGRATION};
    const trx_sim *sim = c->sim;
    const int nv = sim->in.model->nv;
    c->nsegment = 0;
    c->nvalue = c->nentry = c->ncolumn = 0;
    for (int k = 0; k < TRXI_TERM_SMOOTH; k++)
        add_segment(c, (trxi_term_segment){.term = smooth[k], .rows = nv, .ncol = nv, .by_v = k >= TRXI_TERM_BIAS_BY_V});
    for (int i = 0, used = 0; i < sim->rows.ncontact; used += sim->rows.contacts[i++].ncol) {
        const trxi_row_block *contact = &sim->rows.contacts[i];
        for (int part = 0; part < 3 && acts(contact); part++)
            add_segment(c, (trxi_term_segment){.term = TRX_TERM_GEOMETRY, .owner = i, .part = part, .rows = part ? 3 : 1,
                                     .ncol = contact->ncol, .cols = c->cols + used});
    }
    for (int i = 0, used = 0; i < sim->rows.nscalar;) {
        const int ncol = sim->rows.scalars[i].ncol, count = rows_together(c, i);
        add_segment(c, (trxi_term_segment){.term = TRX_TERM_LIMIT, .owner = i, .rows = ncol, .ncol = nv, .dofs = c->dofs + used});
        used += count * ncol;
        i += count;
    }
}

void trxi_term_mark_rows(trxi_term_state *c)
{
    const trx_sim *sim = c->sim;
    for (int i = 0; i < c->ncontact; i++) {
        const trxi_row *row = &sim->rows.origins[i];
        c->contacts[i] = (trxi_term_mark){.index = row->pair, .part = row->point, .branch = row->feature,
                                          .kink = row->tie < TRXI_TERM_LAST_INCREMENT};
    }
    for (int i = 0, used = 0; i < c->ncontact; used += sim->rows.contacts[i++].ncol)
        memcpy(c->cols + used, sim->rows.contacts[i].cols, (size_t)sim->rows.contacts[i].ncol * sizeof *c->cols);
    for (int i = 0; i < c->nscalar; i++) {
        const trxi_row_block *row = &sim->rows.scalars[i];
        c->scalars[i] = (trxi_term_mark){.law = row->law, .index = row->index, .part = row->part, .branch = row->at.branch,
                                         .decided = row->decided};
    }
    memcpy(c->dofs, sim->rows.scalar_cols, (size_t)sim->rows.scalar_used * sizeof *c->dofs);
}
