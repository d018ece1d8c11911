// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Sparse changes of the laws of pairs (theory 3); see pair_laws.h. A pair whose law is set gets its own kind, numbered after the
// model's kinds, and its own run in the table.

#include "step/pair_laws.h"

#include "base/arena.h"
#include "contact/force_law.h"

#include <math.h>
#include <string.h>

static const int first_room = 64; // number of set laws that fit into the first block of memory

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static void layout(trxi_arena *arena, const trx_model *model, int kinds, trxi_pair_laws *laws)
{
    const size_t own = (size_t)(kinds - model->npair_kind);
    laws->room = kinds;
    laws->kinds = TRXI_TAKE(arena, trxi_pair_kind, kinds);
    laws->reach = TRXI_TAKE(arena, double, kinds);
    laws->table.runs = TRXI_TAKE(arena, trxi_pair_run, (size_t)model->pairs.nrun + 2 * own);
    laws->table.rows = TRXI_TAKE(arena, int, model->pairs.nrow);
}

static void copy(const trxi_pair_laws *from, trxi_pair_laws *to)
{
    memcpy(to->table.rows, from->table.rows, (size_t)from->table.nrow * sizeof *from->table.rows);
    if (from->nkind == 0) return;
    memcpy(to->kinds, from->kinds, (size_t)from->nkind * sizeof *from->kinds);
    memcpy(to->reach, from->reach, (size_t)from->nkind * sizeof *from->reach);
    memcpy(to->table.runs, from->table.runs, (size_t)from->table.nrun * sizeof *from->table.runs);
}

// moves table, kinds and reach to a larger block
static trx_status grow(trxi_pair_laws *laws, int kinds)
{
    trxi_pair_laws larger = *laws;
    trxi_arena arena = {0};
    layout(&arena, laws->model, kinds, &larger);
    void *block = trxi_allocate(laws->context, arena.used);
    if (!block) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = block};
    layout(&arena, laws->model, kinds, &larger);
    copy(laws, &larger);
    trxi_release(laws->context, laws->block);
    larger.block = block;
    *laws = larger;
    return TRX_OK;
}

trx_status trxi_pair_laws_reserve(trxi_pair_laws *laws, int pairs)
{
    const int model_kinds = laws->model->npair_kind, own = laws->nkind - model_kinds;
    if (laws->nkind + pairs <= laws->room) return TRX_OK;
    return grow(laws, model_kinds + smaller(own + (pairs > own ? pairs : own), laws->model->npair));
}

static double reach_of(const trxi_pair_laws *laws, const trx_pair_law *law)
{
    return fmax(laws->least_reach, trxi_law_reach(law));
}

trx_status trxi_pair_laws_open(trx_context *context, const trx_model *model, trxi_pair_laws *laws)
{
    *laws = (trxi_pair_laws){.context = context, .model = model, .table = model->pairs};
    trx_status status = grow(laws, model->npair_kind + smaller(model->npair, first_room));
    if (status < 0) return status;
    laws->nkind = model->npair_kind;
    memcpy(laws->table.runs, model->pairs.runs, (size_t)model->pairs.nrun * sizeof *laws->table.runs);
    memcpy(laws->kinds, model->pair_kinds, (size_t)laws->nkind * sizeof *laws->kinds);
    trxi_pair_laws_set_least_reach(laws, 0);
    return TRX_OK;
}

void trxi_pair_laws_close(trxi_pair_laws *laws)
{
    trxi_release(laws->context, laws->block);
}

const trx_pair_law *trxi_pair_laws_get(const trxi_pair_laws *laws, int pair)
{
    return &laws->kinds[trxi_pair_table_run(&laws->table, pair)->kind].law;
}

// the kind that belongs to this pair alone; -1 when memory is out
static int own_kind(trxi_pair_laws *laws, int pair)
{
    const int kind = trxi_pair_table_run(&laws->table, pair)->kind;
    if (kind >= laws->model->npair_kind) return kind;
    if (trxi_pair_laws_reserve(laws, 1) < 0) return -1;
    laws->kinds[laws->nkind] = laws->kinds[kind];
    trxi_pair_table_split(&laws->table, pair, laws->nkind);
    return laws->nkind++;
}

trx_status trxi_pair_laws_set(trxi_pair_laws *laws, int pair, const trx_pair_law *law)
{
    const int kind = own_kind(laws, pair);
    if (kind < 0) return TRX_ERR_MEMORY;
    laws->kinds[kind].law = *law;
    laws->reach[kind] = reach_of(laws, law);
    return TRX_OK;
}

void trxi_pair_laws_set_least_reach(trxi_pair_laws *laws, double reach)
{
    laws->least_reach = reach;
    for (int k = 0; k < laws->nkind; k++) laws->reach[k] = reach_of(laws, &laws->kinds[k].law);
}
