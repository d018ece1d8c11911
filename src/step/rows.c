// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Memory of the rows of a step (theory 4), and the columns of the two sides of a pair (theory 1). The arrays of contacts grow when
// a step begins with more contacts than any step before. There is always room for the blocks of one row of all limits, constraints,
// drives and dry friction of the model.

#include "step/rows.h"

#include "step/scalar_rows.h"

#include <string.h>

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// number of dofs that the two paths share; these dofs come first on both paths
static int shared_prefix(const trx_model *model, int link_a, int link_b)
{
    if (link_a < 0 || link_b < 0) return 0;
    const trxi_link *a = &model->links[link_a], *b = &model->links[link_b];
    int n = 0;
    while (n < a->path_length && n < b->path_length &&
           model->path[a->path_start + n] == model->path[b->path_start + n])
        n++;
    return n;
}

static void set_side(const trx_model *model, int link, int skip, double sign, trxi_pair_side *side)
{
    side->link = link, side->sign = sign;
    side->count = link < 0 ? 0 : model->links[link].path_length - skip;
    side->dofs = link < 0 ? NULL : model->path + model->links[link].path_start + skip;
}

// after the shared prefix the two paths have disjoint ranges of dofs; the lower range comes first
void trxi_pair_columns_of(const trx_model *model, int link_a, int link_b, int *cols, trxi_pair_columns *out)
{
    const int shared = shared_prefix(model, link_a, link_b);
    trxi_pair_side *a = &out->side[0], *b = &out->side[1];
    set_side(model, link_a, shared, -1, a);
    set_side(model, link_b, shared, 1, b);
    out->ncol = a->count + b->count;
    const bool b_first = a->count && b->count && b->dofs[0] < a->dofs[0];
    a->offset = b_first ? b->count : 0;
    b->offset = b_first ? 0 : a->count;
    for (int i = 0; cols && i < a->count; i++) cols[a->offset + i] = a->dofs[i];
    for (int i = 0; cols && i < b->count; i++) cols[b->offset + i] = b->dofs[i];
}

// largest numbers of rows with one impulse (limits, constraints, drives, dry friction), of their columns, and of the columns of all
// constraints
typedef struct room {
    int scalars, scalar_cols, constraint_cols;
} room;

static int columns_of(const trx_model *model, int length)
{
    return length < 0 ? 0 : model->lengths[length].ncol;
}

static room measure(const trx_model *model)
{
    room most = {2 * model->nlimit + model->ndrive + model->nfriction + TRXI_SPRING_ROWS * model->nspring,
                 2 * model->nlimit + model->nfriction, 0};
    for (int i = 0; i < model->nu; i++) most.scalar_cols += columns_of(model, model->actuators[i].length);
    for (int i = 0; i < model->nspring; i++) most.scalar_cols += TRXI_SPRING_ROWS * columns_of(model, model->springs[i].length);
    for (int i = 0; i < model->nconstraint; i++) {
        const trxi_constraint *c = &model->constraints[i];
        trxi_pair_columns columns = {.ncol = columns_of(model, c->length_a) + columns_of(model, c->length_b)};
        if (!trxi_constraint_of_lengths(c)) trxi_pair_columns_of(model, c->link_a, c->link_b, NULL, &columns);
        most.constraint_cols += columns.ncol;
        most.scalars += c->nrow;
        most.scalar_cols += c->nrow * columns.ncol;
    }
    return most;
}

// largest number of columns of a pair of links or of a coupler
static int measure_columns(const trx_model *model)
{
    int path = 0, coupler = 0; // longest path, most columns of a coupler
    for (int l = 0; l < model->nlink; l++) path = larger(path, model->links[l].path_length);
    for (int i = 0; i < model->nconstraint; i++) {
        const trxi_constraint *c = &model->constraints[i];
        coupler = larger(coupler, columns_of(model, c->length_a) + columns_of(model, c->length_b));
    }
    const int most = larger(2 * path, coupler);
    return most < model->nv ? most : model->nv;
}

void trxi_rows_layout(trxi_arena *arena, const trx_model *model, trxi_rows *rows)
{
    const room most = measure(model);
    rows->max_scalars = most.scalars;
    rows->max_cols = measure_columns(model);
    rows->scalar_cols = TRXI_TAKE(arena, int, most.scalar_cols);
    rows->scalar_J = TRXI_TAKE(arena, double, most.scalar_cols);
    rows->constraint_rows = TRXI_TAKE(arena, trxi_constraint_rows, 2 * model->nconstraint);
    rows->gaps = TRXI_TAKE(arena, double, 6 * model->nconstraint);
    rows->constraint_columns = TRXI_TAKE(arena, trxi_pair_columns, model->nconstraint);
    rows->constraint_cols = TRXI_TAKE(arena, int, most.constraint_cols);
    rows->mass_scratch = TRXI_TAKE(arena, double, 3 * model->nv);
    rows->J_scratch = TRXI_TAKE(arena, double, 3 * rows->max_cols);
}

void trxi_rows_prepare(const trx_model *model, trxi_rows *rows)
{
    int first = 0;
    for (int i = 0; i < model->nconstraint; i++) {
        const trxi_constraint *c = &model->constraints[i];
        if (trxi_constraint_of_lengths(c)) continue;
        trxi_pair_columns *columns = &rows->constraint_columns[i];
        trxi_pair_columns_of(model, c->link_a, c->link_b, rows->constraint_cols + first, columns);
        columns->first = first;
        first += columns->ncol;
    }
}

static void layout_points(trxi_arena *arena, int points, int columns, trxi_rows *rows)
{
    rows->point_room = points, rows->column_room = columns;
    rows->contacts = TRXI_TAKE(arena, trxi_row_block, points + rows->max_scalars);
    rows->work = TRXI_TAKE(arena, trxi_row_work, points + rows->max_scalars);
    rows->cones = TRXI_TAKE(arena, trxi_cone_work, points + rows->max_scalars);
    rows->origins = TRXI_TAKE(arena, trxi_row, points);
    rows->reported = TRXI_TAKE(arena, trx_contact, points);
    rows->meetings = TRXI_TAKE(arena, trxi_meeting, points);
    rows->meeting_cols = TRXI_TAKE(arena, int, columns);
    rows->J = TRXI_TAKE(arena, double, (size_t)3 * (size_t)columns);
}

// moves the contacts of this step to larger arrays and redirects their pointers
static void move_points(const trxi_rows *from, trxi_rows *to)
{
    if (!from->point_block) return;
    memcpy(to->contacts, from->contacts, (size_t)from->ncontact * sizeof *to->contacts);
    memcpy(to->origins, from->origins, (size_t)from->ncontact * sizeof *to->origins);
    memcpy(to->meetings, from->meetings, (size_t)from->nmeeting * sizeof *to->meetings);
    memcpy(to->meeting_cols, from->meeting_cols, (size_t)from->column_room * sizeof *to->meeting_cols);
    memcpy(to->J, from->J, (size_t)3 * (size_t)from->ncolumn * sizeof *to->J);
    for (int i = 0; i < from->ncontact; i++) {
        to->contacts[i].J = to->J + (from->contacts[i].J - from->J);
        to->contacts[i].cols = to->meeting_cols + (from->contacts[i].cols - from->meeting_cols);
    }
}

trx_status trxi_rows_reserve(trx_context *context, int points, int columns, trxi_rows *rows)
{
    if (rows->point_block && points <= rows->point_room && columns <= rows->column_room) return TRX_OK;
    if (points > rows->point_room) points = larger(points, 2 * rows->point_room);
    if (columns > rows->column_room) columns = larger(columns, 2 * rows->column_room);
    points = larger(points, rows->point_room), columns = larger(columns, rows->column_room);
    trxi_rows grown = *rows;
    trxi_arena arena = {0};
    layout_points(&arena, points, columns, &grown);
    void *block = trxi_allocate(context, arena.used);
    if (!block) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = block};
    layout_points(&arena, points, columns, &grown);
    move_points(rows, &grown);
    trxi_release(context, rows->point_block);
    grown.point_block = block;
    *rows = grown;
    return TRX_OK;
}

trx_status trxi_rows_reserve_first(trx_context *context, const trx_model *model, trxi_rows *rows)
{
    static const int first_points = 1024;
    const int points = larger(1, model->max_points < first_points ? model->max_points : first_points);
    return trxi_rows_reserve(context, points, points * rows->max_cols, rows);
}

trxi_contact_problem trxi_rows_problem(const trxi_input *in, const trxi_smooth *smooth, const trxi_rows *rows)
{
    return (trxi_contact_problem){
        .context = in->context,
        .law = in->law,
        .A = smooth->A,
        .LA = smooth->LA,
        .p0 = smooth->p0,
        .v_free = smooth->v_free,
        .blocks = rows->contacts,
        .rows = rows->work,
        .cones = rows->cones,
        .nblock = rows->ncontact + rows->nscalar,
    };
}

trxi_row_block *trxi_rows_add_scalar(trxi_rows *rows, const trxi_law *law, int index, int part, int ncol, int **cols,
                                     double **J)
{
    trxi_row_block *row = &rows->scalars[rows->nscalar++];
    *cols = rows->scalar_cols + rows->scalar_used;
    *J = rows->scalar_J + rows->scalar_used;
    rows->scalar_used += ncol;
    *row = (trxi_row_block){.law = law, .n = 1, .ncol = ncol, .cols = *cols, .J = *J, .index = index, .part = part};
    return row;
}

void trxi_rows_drop_scalar(trxi_rows *rows)
{
    rows->scalar_used = (int)(rows->scalars[--rows->nscalar].cols - rows->scalar_cols);
}
