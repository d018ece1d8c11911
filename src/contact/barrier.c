// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Steps that keep the gaps of barriers above 0 (theory 3). The law computes the largest feasible alpha along v_c + alpha dv_c
// (lagged.c, similar.c), because the feasible set is one interval that begins at 0. Blocks without a barrier limit no step.

#include "contact/barrier.h"

double trxi_contact_gap_at(const trxi_row_block *contact, const double *v_c)
{
    return trxi_contact_gap(&contact->contact, contact->phi0, contact->law->separation(contact, v_c));
}

double trxi_barrier_step(const trxi_row_block *blocks, const trxi_row_work *rows, int which, int first, double most)
{
    for (int i = first; i >= 0; i = blocks[i].next) {
        const trxi_row_block *c = &blocks[i];
        if (!trxi_row_has_barrier(c)) continue;
        most = fmin(most, trxi_barrier_share * c->law->longest_step(c, rows[i].state[which].v_c, rows[i].dv_c));
    }
    return most;
}

double trxi_barrier_entry(const trxi_row_block *blocks, int first, const double *v)
{
    double scale = 1;
    for (int i = first; i >= 0; i = blocks[i].next) {
        const trxi_row_block *c = &blocks[i];
        if (!trxi_row_has_barrier(c)) continue;
        double dv_c[3], v_c[3];
        trxi_row_project(c, v, trxi_row_rest, dv_c);
        trxi_row_project(c, v, c->bias, v_c);
        if (trxi_contact_gap_at(c, v_c) > 0) continue;
        if (!(trxi_contact_gap_at(c, c->bias) > 0)) return 0;
        scale = fmin(scale, trxi_barrier_share * c->law->longest_step(c, c->bias, dv_c));
    }
    return scale;
}
