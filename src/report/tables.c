// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The tables of a run folder: trajectory.csv, contacts.csv, iterations.csv (docs/run_folder.md). A number is written
// with as many digits as bring the same double back; what is not finite is an empty cell.

#include "report/run.h"

#include <math.h>

static void cell(trxi_text *out, double number)
{
    trxi_text_char(out, ',');
    if (isfinite(number)) trxi_text_number(out, number);
}

static void cells(trxi_text *out, const double *numbers, int count)
{
    for (int i = 0; i < count; i++) cell(out, numbers[i]);
}

void trxi_write_trajectory(const trx_run *run, trxi_text *out)
{
    int nq = run->size.nq, nv = run->size.nv, nu = run->size.nu;
    trxi_text_string(out, "t");
    for (int i = 0; i < nq; i++) trxi_text_printf(out, ",%s", trx_model_q_name(run->model, i));
    for (int i = 0; i < nv; i++) trxi_text_printf(out, ",%s", trx_model_v_name(run->model, i));
    for (int i = 0; i < nu; i++) trxi_text_printf(out, ",u.%s", trx_model_actuator_name(run->model, i));
    trxi_text_char(out, '\n');

    for (int k = 0; k <= run->steps; k++) {
        trxi_text_number(out, k * run->time_step);
        cells(out, run->x + (size_t)k * (size_t)(nq + nv), nq + nv);
        // the last knot has a state but no control
        if (k < run->steps) cells(out, run->u + (size_t)k * (size_t)nu, nu);
        else trxi_text_repeat(out, ',', nu);
        trxi_text_char(out, '\n');
    }
}

void trxi_write_contacts(const trx_run *run, trxi_text *out)
{
    trxi_text_string(out, "t,pair,point,distance,v_n,v_t,f_n,f_t,mode,px,py,pz,nx,ny,nz\n");
    for (int i = 0; i < run->ncontact; i++) {
        const trx_contact *c = &run->contacts[i].contact;
        trxi_text_number(out, run->contacts[i].knot * run->time_step);
        trxi_text_printf(out, ",%s|%s,", trx_model_geom_name(run->model, c->geom_a),
                         trx_model_geom_name(run->model, c->geom_b));
        trxi_text_int(out, c->point);
        cells(out, (const double[]){c->distance, c->v_n, c->v_t, c->f_n, c->f_t}, 5);
        trxi_text_printf(out, ",%s", trx_contact_mode_name(c->mode));
        cells(out, c->position, 3);
        cells(out, c->normal, 3);
        trxi_text_char(out, '\n');
    }
}

void trxi_write_iterations(const trx_run *run, trxi_text *out)
{
    trxi_text_string(out, "stage,iteration,cost,change,expected,gradient,step,regularization,seconds\n");
    for (int i = 0; i < run->niteration; i++) {
        const trx_iteration *it = &run->iterations[i];
        trxi_text_int(out, it->stage);
        trxi_text_char(out, ',');
        trxi_text_int(out, it->iteration);
        cells(out, (const double[]){it->cost, it->change, it->expected, it->gradient, it->step, it->regularization,
                                    it->seconds}, 7);
        trxi_text_char(out, '\n');
    }
}
