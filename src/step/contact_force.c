// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The force of contacts and its derivative (theory 6). The force of a contact is f = F gamma / dt. Its impulse depends on the
// state before the step directly, and through the velocity v at the end:
//
//     df = (d(F gamma) at fixed v - F G J dv) / dt,          dv = the velocity rows of A dx + B du
//
// The first term comes from the tangent of the contact (block_tangent.h), with the change of the effective inverse mass where the
// law depends on it. Dofs above both bodies turn f with the bodies: df = w_j x f. Torsional and rolling friction are moments and
// have no part here. O(ncol nv) for each contact. A parameter theta acts in the law, through w, and through v (dv: rows of C):
//
//     df = (F gamma_theta + F gamma_w dw - F G J dv) / dt

#include "step/forces.h"

#include "step/parameters.h"
#include "step/sim.h"
#include "step/step_deriv.h"

static int sign_of(const trxi_solved *step, const signed char *signs, int contact)
{
    return step->rows->contacts[contact].law->angular ? 0 : signs[step->rows->origins[contact].pair];
}

void trxi_step_contact_force(const trx_sim *sim, const signed char *signs, double force[3])
{
    trxi_zero3(force);
    for (int i = 0; sim->stepped && i < sim->rows.ncontact; i++) {
        const int sign = sign_of(&sim->solved, signs, i);
        double impulse[3];
        if (sign == 0) continue;
        trxi_mulv3(sim->rows.origins[i].F, sim->rows.contacts[i].at.gamma, impulse);
        trxi_axpy3(sign / sim->in.settings.time_step, impulse, force);
    }
}

// dofs above both bodies turn the force with everything else
static void add_turns(const trxi_solved *step, const trxi_block_tangent *block, double scale, double *by_x)
{
    const trxi_pair_side *side = &block->columns->side[0];
    if (side->link < 0) return;
    const trxi_link *link = &step->in->model->links[side->link];
    const int *path = step->in->model->path + link->path_start;
    double force[3], turned[3];
    trxi_mulv3(block->F, block->gamma, force);
    for (int i = 0; i < link->path_length - side->count; i++) {
        trxi_cross3(step->smooth->kin.S + 6 * path[i], force, turned);
        trxi_axpy3(scale, turned, by_x + 3 * path[i]);
    }
}

// adds the parts at fixed v, by q and by v0
static void add_direct(const trxi_solved *step, trxi_derivatives *deriv, const trxi_block_tangent *block, double scale,
                       double *by_x)
{
    const int nv = step->in->model->nv, ncol = block->columns->ncol;
    double *by_q = deriv->products, *by_v = by_q + 3 * nv;
    deriv->passes->force_columns(step, deriv, block, by_q, by_v);
    for (int j = 0; j < ncol; j++) {
        trxi_axpy3(scale, by_q + 3 * j, by_x + 3 * block->cols[j]);
        trxi_axpy3(scale, by_v + 3 * j, by_x + 3 * (nv + block->cols[j]));
    }
    for (int k = 0; k < block->nmass; k++) {
        double by_w[3];
        const double *dw = trxi_block_mass_change(step, deriv, block, &block->mass[k]);
        trxi_mulv3(block->F, block->mass[k].gamma_w, by_w);
        for (int j = 0; j < nv; j++) trxi_axpy3(scale * dw[j], by_w, by_x + 3 * j);
    }
}

// -F G J: the change of the impulse by the velocities of the contact's dofs (3 x ncol)
static void velocity_columns(const trxi_block_tangent *block, const trxi_row_block *c, double *out)
{
    for (int j = 0; j < c->ncol; j++) {
        double impulse[3] = {0, 0, 0};
        trxi_row_product(c, &c->at.G, c->J + 3 * j, impulse);
        if (block->skewed) trxi_cross_add3(block->skew, c->J + 3 * j, impulse);
        trxi_mulv3(block->F, impulse, out + 3 * j);
        trxi_scale3(-1, out + 3 * j, out + 3 * j);
    }
}

// out += scale columns M: the rows `cols` of M (ntangent x count) below its first nv
static void add_through(const trxi_solved *step, const trxi_row_block *c, double scale, const double *columns, int count,
                        const double *M, double *out)
{
    const int nv = step->in->model->nv, ld = step->in->model->ntangent;
    for (int k = 0; k < count; k++)
        for (int j = 0; j < c->ncol; j++)
            trxi_axpy3(scale * M[nv + c->cols[j] + (ptrdiff_t)k * ld], columns + 3 * j, out + 3 * k);
}

// fills the tangent of a contact of the force; returns the factor of its impulse [1/s], 0 if the contact does not count
static double fill_tangent(trx_sim *sim, const signed char *signs, int contact, int *collided, trxi_block_tangent *block)
{
    const int sign = sign_of(&sim->solved, signs, contact);
    if (sign == 0 || !trxi_contact_acts(&sim->rows.contacts[contact])) return 0;
    trxi_contact_tangent(&sim->solved, contact, trxi_contact_geometry(&sim->solved, &sim->deriv, contact, collided), block);
    return sign / sim->in.settings.time_step;
}

trx_status trxi_step_contact_force_jac(trx_sim *sim, const signed char *signs, const double *A, const double *B, double *by_x,
                                       double *by_u)
{
    trx_status status = trxi_step_linearize(sim);
    if (status < 0) return status;
    int collided = -1;
    trxi_link_velocities(sim->in.model, &sim->smooth.kin, sim->solver.v, sim->smooth.V1);
    trxi_link_velocities(sim->in.model, &sim->smooth.kin, sim->in.v0, sim->smooth.rnea.V);
    for (int i = 0; i < sim->rows.ncontact; i++) {
        const trxi_row_block *c = &sim->rows.contacts[i];
        trxi_block_tangent block;
        const double scale = fill_tangent(sim, signs, i, &collided, &block);
        if (scale == 0) continue;
        add_turns(&sim->solved, &block, scale, by_x);
        add_direct(&sim->solved, &sim->deriv, &block, scale, by_x);
        velocity_columns(&block, c, sim->deriv.products);
        add_through(&sim->solved, c, scale, sim->deriv.products, sim->in.model->ntangent, A, by_x);
        if (by_u) add_through(&sim->solved, c, scale, sim->deriv.products, sim->in.model->nu, B, by_u);
    }
    return TRX_OK;
}

// by_p += the effect of parameters in the law of a contact, at fixed v and w
static void add_laws(const trxi_solved *step, int contact, double scale, const trx_parameter *parameters, int count, double *by_p)
{
    for (int k = 0; k < count; k++) {
        double gamma_theta[3], impulse[3];
        const trx_parameter_kind kind = parameters[k].kind;
        if (!trxi_parameter_is_pair(kind) && kind != TRX_STICTION_TOLERANCE) continue;
        if (!trxi_parameter_law(step, parameters[k], contact, gamma_theta)) continue;
        trxi_mulv3(step->rows->origins[contact].F, gamma_theta, impulse);
        trxi_axpy3(scale, impulse, by_p + 3 * k);
    }
}

// by_p += the effect of parameters that are part of A, through the effective inverse mass
static void add_masses(const trxi_solved *step, trxi_derivatives *deriv, int contact, double scale, const trx_parameter *parameters,
                       int count, double *by_p)
{
    trxi_mass_rows numbers[TRXI_MASS_NUMBERS];
    trxi_mass_change changes[TRXI_PARAMETER_GROUP];
    double dw[TRXI_PARAMETER_GROUP];
    const double *F = step->rows->origins[contact].F;
    const int nnumber = trxi_contact_mass_rows(step, contact, numbers);
    for (int first = 0; first < count; first += TRXI_PARAMETER_GROUP) {
        const int n = count - first < TRXI_PARAMETER_GROUP ? count - first : TRXI_PARAMETER_GROUP;
        for (int k = 0; k < n; k++) changes[k] = trxi_parameter_mass_change(step, parameters[first + k]);
        for (int m = 0; m < nnumber; m++) {
            const trxi_mass_rows *rows = &numbers[m];
            trxi_parameters_mass_rows(step, deriv, rows, changes, n, dw);
            for (int k = 0; k < n; k++)
                for (int i = 0; i < rows->n; i++)
                    trxi_axpy3(scale * dw[k] * rows->gamma_w[i], F + 3 * (3 - rows->n + i), by_p + 3 * (first + k));
        }
    }
}

void trxi_step_contact_force_parameters(trx_sim *sim, const signed char *signs, const trx_parameter *parameters, int count,
                                        const double *C, double *by_p)
{
    int collided = -1;
    for (int i = 0; i < sim->rows.ncontact; i++) {
        const trxi_row_block *c = &sim->rows.contacts[i];
        trxi_block_tangent block;
        const double scale = fill_tangent(sim, signs, i, &collided, &block);
        if (scale == 0) continue;
        add_laws(&sim->solved, i, scale, parameters, count, by_p);
        add_masses(&sim->solved, &sim->deriv, i, scale, parameters, count, by_p);
        velocity_columns(&block, c, sim->deriv.products);
        add_through(&sim->solved, c, scale, sim->deriv.products, count, C, by_p);
    }
}
