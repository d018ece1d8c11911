// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pairs of geometries that may meet (theory 1), in little memory. Pairs are numbered by the smaller of their two geometries,
// then by the larger. A run is a set of pairs with neighbouring numbers: one geometry against neighbouring others, all of one
// kind. Geometries that all meet in one kind of contact need one run each, whatever the number of pairs.
//
// Finding a pair by its number or by its geometries takes a binary search over runs.

#ifndef TRXI_GEOMETRY_PAIR_TABLE_H
#define TRXI_GEOMETRY_PAIR_TABLE_H

/// Pair first + k is the pair of the geometries `row` and geom + k, for k below `count`; row < geom.
typedef struct trxi_pair_run {
    int first, count;
    int row, geom;
    int kind; // what the pairs have in common, numbered by the owner of the table
} trxi_pair_run;

typedef struct trxi_pair_table {
    int npair, nrun;
    int nrow;            // number of geometries + 1
    trxi_pair_run *runs; // ascending
    int *rows;           // nrow: the runs whose row is g are rows[g] .. rows[g + 1] - 1
} trxi_pair_table;

/// The run of a pair, 0 <= pair < npair.
const trxi_pair_run *trxi_pair_table_run(const trxi_pair_table *table, int pair);

/// The run of the pair of two geometries, NULL when they are no pair. The pair's number is trxi_pair_number.
const trxi_pair_run *trxi_pair_table_find(const trxi_pair_table *table, int g, int h);

/// Number of the pair of run->row and `geom`.
static inline int trxi_pair_number(const trxi_pair_run *run, int geom)
{
    return run->first + (geom - run->geom);
}

/// Gives one pair another kind, in a run of its own. There must be room for two more runs.
void trxi_pair_table_split(trxi_pair_table *table, int pair, int kind);

#endif
