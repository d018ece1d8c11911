// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The tables of a run folder: trajectory.csv, contacts.csv, steps.csv, iterations.csv (docs/run_folder.md), as a
// whole or row by row. A number has enough digits to restore the same double; inf and nan are empty cells.

#include "report/run.h"

void trxi_write_trajectory_head(const trx_run *run, trxi_text *out)
{
    trxi_text_string(out, "t");
    for (int i = 0; i < run->size.nstate; i++) trxi_text_printf(out, ",%s", trx_model_state_name(run->model, i));
    for (int i = 0; i < run->size.nu; i++) trxi_text_printf(out, ",u.%s", trx_model_actuator_name(run->model, i));
    trxi_text_char(out, '\n');
}

void trxi_write_knot(const trx_run *run, int knot, const double *x, const double *u, trxi_text *out)
{
    trxi_text_number(out, knot * run->time_step);
    trxi_text_cells(out, x, run->size.nstate);
    if (u) trxi_text_cells(out, u, run->size.nu);
    else trxi_text_repeat(out, ',', run->size.nu);
    trxi_text_char(out, '\n');
}

void trxi_write_trajectory(const trx_run *run, trxi_text *out)
{
    size_t nx = (size_t)run->size.nstate, nu = (size_t)run->size.nu;
    trxi_write_trajectory_head(run, out);
    for (int k = 0; k <= run->steps; k++) {
        bool last = k == run->steps;
        if (!last && !trxi_run_shows(run, run->first + k)) continue;
        trxi_write_knot(run, run->first + k, run->x + nx * (size_t)k, last ? NULL : run->u + nu * (size_t)k, out);
    }
}

void trxi_write_contacts_head(trxi_text *out)
{
    trxi_text_string(out, "t,pair,point,distance,v_n,v_t,f_n,f_t,mode,px,py,pz,nx,ny,nz\n");
}

void trxi_write_contact(const trx_run *run, int knot, const trx_contact *contact, trxi_text *out)
{
    const trx_contact *c = contact;
    trxi_text_number(out, knot * run->time_step);
    trxi_text_char(out, ',');
    trxi_text_string(out, trx_model_geom_name(run->model, c->geom_a));
    trxi_text_char(out, '|');
    trxi_text_string(out, trx_model_geom_name(run->model, c->geom_b));
    trxi_text_char(out, ',');
    trxi_text_int(out, c->point);
    trxi_text_cells(out, (const double[]){c->distance, c->v_n, c->v_t, c->f_n, c->f_t}, 5);
    trxi_text_char(out, ',');
    trxi_text_string(out, trx_contact_mode_name(c->mode));
    trxi_text_cells(out, c->position, 3);
    trxi_text_cells(out, c->normal, 3);
    trxi_text_char(out, '\n');
}

void trxi_write_contacts(const trx_run *run, trxi_text *out)
{
    trxi_write_contacts_head(out);
    for (int i = 0; i < run->ncontact; i++)
        trxi_write_contact(run, run->contacts[i].knot, &run->contacts[i].contact, out);
}

void trxi_write_steps_head(bool condition, trxi_text *out)
{
    trxi_text_printf(out, "t,status,iterations,line_search,contacts,rows,islands,residual,scale,seconds,e_p,e_d,e_c%s\n",
                     condition ? ",condition" : "");
}

void trxi_write_step(const trx_run *run, const trxi_step_record *step, trxi_text *out)
{
    const trx_step_info *info = &step->info;
    trxi_text_number(out, step->knot * run->time_step);
    trxi_text_char(out, ',');
    trxi_text_string(out, step->status == TRX_ROUND_OFF ? "round_off" : trxi_status_word(step->status));
    const trx_contact_residual *contact = &step->contact;
    const double cells[] = {info->iterations, info->line_search, info->contacts, info->scalars, info->islands, info->residual,
                            info->scale, step->seconds, contact->e_p, contact->e_d, contact->e_c};
    trxi_text_cells(out, cells, sizeof cells / sizeof *cells);
    if (step->with_condition) trxi_text_cells(out, &step->condition, 1);
    trxi_text_char(out, '\n');
}

void trxi_write_iterations(const trx_run *run, trxi_text *out)
{
    trxi_text_string(out, "stage,iteration,cost,change,expected,gradient,step,regularization,seconds,defect,attempt\n");
    for (int i = 0; i < run->niteration; i++) {
        const trx_iteration *it = &run->iterations[i];
        trxi_text_int(out, it->stage);
        trxi_text_cells(out, (const double[]){it->iteration, it->cost, it->change, it->expected, it->gradient, it->step,
                                              it->regularization, it->seconds, it->defect, it->attempt}, 10);
        trxi_text_char(out, '\n');
    }
}
