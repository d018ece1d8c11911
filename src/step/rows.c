// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Memory of the rows of a step (theory 4): contacts grow when a step begins with more of them than any step before, blocks of one
// row have the room that the model can fill.

#include "step/rows.h"

#include "step/sim.h"

#include <string.h>

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void layout_points(trxi_arena *arena, int points, int columns, trx_sim *sim)
{
    sim->rows.point_room = points, sim->rows.column_room = columns;
    sim->rows.contacts = TRXI_TAKE(arena, trxi_row_block, points + sim->rows.max_scalars);
    sim->problem.rows = TRXI_TAKE(arena, trxi_row_work, points + sim->rows.max_scalars);
    sim->problem.cones = TRXI_TAKE(arena, trxi_cone_work, points + sim->rows.max_scalars);
    sim->rows.origins = TRXI_TAKE(arena, trxi_row, points);
    sim->rows.reported = TRXI_TAKE(arena, trx_contact, points);
    sim->rows.meetings = TRXI_TAKE(arena, trxi_meeting, points);
    sim->rows.meeting_cols = TRXI_TAKE(arena, int, columns);
    sim->rows.J = TRXI_TAKE(arena, double, (size_t)3 * (size_t)columns);
}

// moves the contacts of this step to larger arrays and redirects their pointers
static void move_points(const trx_sim *from, trx_sim *to)
{
    const int ncontact = from->rows.ncontact;
    if (!from->rows.point_block) return;
    memcpy(to->rows.contacts, from->rows.contacts, (size_t)ncontact * sizeof *to->rows.contacts);
    memcpy(to->rows.origins, from->rows.origins, (size_t)ncontact * sizeof *to->rows.origins);
    memcpy(to->rows.meetings, from->rows.meetings, (size_t)from->rows.nmeeting * sizeof *to->rows.meetings);
    memcpy(to->rows.meeting_cols, from->rows.meeting_cols, (size_t)from->rows.column_room * sizeof *to->rows.meeting_cols);
    memcpy(to->rows.J, from->rows.J, (size_t)3 * (size_t)from->rows.ncolumn * sizeof *to->rows.J);
    for (int i = 0; i < ncontact; i++) {
        to->rows.contacts[i].J = to->rows.J + (from->rows.contacts[i].J - from->rows.J);
        to->rows.contacts[i].cols = to->rows.meeting_cols + (from->rows.contacts[i].cols - from->rows.meeting_cols);
    }
}

trx_status trxi_sim_reserve_points(trx_sim *sim, int points, int columns)
{
    if (sim->rows.point_block && points <= sim->rows.point_room && columns <= sim->rows.column_room) return TRX_OK;
    if (points > sim->rows.point_room) points = larger(points, 2 * sim->rows.point_room);
    if (columns > sim->rows.column_room) columns = larger(columns, 2 * sim->rows.column_room);
    points = larger(points, sim->rows.point_room), columns = larger(columns, sim->rows.column_room);
    trx_sim grown = *sim;
    trxi_arena arena = {0};
    layout_points(&arena, points, columns, &grown);
    void *block = trxi_allocate(sim->context, arena.used);
    if (!block) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = block};
    layout_points(&arena, points, columns, &grown);
    move_points(sim, &grown);
    trxi_release(sim->context, sim->rows.point_block);
    grown.rows.point_block = block;
    *sim = grown;
    return TRX_OK;
}

trxi_row_block *trxi_step_add_scalar(trx_sim *sim, const trxi_law *law, int index, int part, int ncol, int **cols,
                                     double **J)
{
    trxi_row_block *row = &sim->rows.scalars[sim->rows.nscalar++];
    *cols = sim->rows.scalar_cols + sim->rows.scalar_used;
    *J = sim->rows.scalar_J + sim->rows.scalar_used;
    sim->rows.scalar_used += ncol;
    *row = (trxi_row_block){.law = law, .n = 1, .ncol = ncol, .cols = *cols, .J = *J, .index = index, .part = part};
    return row;
}
