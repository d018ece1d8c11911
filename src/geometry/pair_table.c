// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Finds and splits runs of pairs (theory 1); see pair_table.h.

#include "geometry/pair_table.h"

#include <stddef.h>
#include <string.h>

const trxi_pair_run *trxi_pair_table_run(const trxi_pair_table *table, int pair)
{
    int low = 0, high = table->nrun - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (table->runs[middle].first <= pair) low = middle;
        else high = middle - 1;
    }
    return &table->runs[low];
}

const trxi_pair_run *trxi_pair_table_find(const trxi_pair_table *table, int g, int h)
{
    const int row = g < h ? g : h, geom = g < h ? h : g;
    int low = table->rows[row], high = table->rows[row + 1] - 1;
    while (low <= high) {
        const int middle = low + (high - low) / 2;
        const trxi_pair_run *run = &table->runs[middle];
        if (geom < run->geom) high = middle - 1;
        else if (geom >= run->geom + run->count) low = middle + 1;
        else return run;
    }
    return NULL;
}

// a part of a run
static trxi_pair_run part_of(const trxi_pair_run *run, int from, int count, int kind)
{
    return (trxi_pair_run){run->first + from, count, run->row, run->geom + from, kind};
}

void trxi_pair_table_split(trxi_pair_table *table, int pair, int kind)
{
    const int at = (int)(trxi_pair_table_run(table, pair) - table->runs);
    const trxi_pair_run whole = table->runs[at];
    const int before = pair - whole.first, after = whole.count - before - 1, more = (before > 0) + (after > 0);

    // the pair between what is left of the run on either side
    trxi_pair_run *runs = table->runs + at;
    memmove(runs + 1 + more, runs + 1, (size_t)(table->nrun - at - 1) * sizeof *runs);
    if (before > 0) *runs++ = part_of(&whole, 0, before, whole.kind);
    *runs++ = part_of(&whole, before, 1, kind);
    if (after > 0) *runs = part_of(&whole, before + 1, after, whole.kind);
    table->nrun += more;
    for (int g = whole.row + 1; g < table->nrow; g++) table->rows[g] += more;
}
