// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The short way of a contact in the derivatives of the residual (theory 6): points on bodies that joints move, with isotropic
// friction. They are most of what there is, and take a tenth of the long way of contact_rows_deriv.c, which adds what goes by way
// of the effective mass. The texts of its two forms, for matrices and for adjoint products, are contact_rows_push.h and
// contact_rows_pull.h.

#include "step/contact_rows_short.h"

#include "step/motion.h"

bool trxi_step_contact_short(trx_sim *sim, const trxi_row_block *c, const trxi_row *row, const trxi_contact_point *geometry,
                             trxi_contact_partials *partials)
{
    if (c->law->angular || row->axis_sign != 0 || trxi_step_drifts(sim, row->pair)) return false;
    trxi_row_partials(c, &sim->problem.law, partials);
    const trxi_contact_ways *vector = trxi_contact_vector(), *ways = vector ? vector : &trxi_contact_portable;
    (sim->lambda ? ways->pull : ways->push)(sim, c, row, geometry, partials);
    return true;
}
