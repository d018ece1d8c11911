// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Symbolic factorization of random graphs against elimination of one node after the other on a full table.

#include "sparse/symbolic.h"

#include "base/random.h"
#include "support/support.h"

#include <string.h>

enum { MOST = 60, GRAPHS = 40 };

static trx_context *context;
static int nnode, nedge, size[MOST];
static uint64_t edges[MOST * MOST];
static bool tied[MOST][MOST]; // by position: rows of each column after elimination

static void open_context(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
}

static void close_context(void)
{
    trx_context_destroy(context);
}

static void make_graph(uint64_t seed)
{
    nnode = 1 + (int)(seed * 7 % MOST);
    nedge = 0;
    for (int a = 0; a < nnode; a++) {
        size[a] = 1 + (int)(trxi_random_bits(seed, (uint64_t)a) % 9);
        for (int b = a + 1; b < nnode; b++)
            if (trxi_random_bits(seed + 1, (uint64_t)(a * MOST + b)) % (uint64_t)nnode < seed % 4)
                edges[nedge++] = (uint64_t)a << 32 | (uint64_t)b;
    }
}

static void eliminate(const trxi_symbolic *s)
{
    memset(tied, 0, sizeof tied);
    for (int k = 0; k < nedge; k++) {
        int a = s->position[edges[k] >> 32], b = s->position[edges[k] & 0xffffffffu];
        tied[a < b ? b : a][a < b ? a : b] = true;
    }
    for (int j = 0; j < nnode; j++)
        for (int i = j + 1; i < nnode; i++)
            for (int k = j + 1; k < i; k++)
                if (tied[i][j] && tied[k][j]) tied[i][k] = true;
}

START_TEST(positions_are_a_permutation_with_every_unknown_in_one_panel)
{
    trxi_symbolic s = {0};
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        make_graph(seed);
        ck_assert(trxi_symbolic_make(context, &s, nnode, size, nedge, edges));
        int n = 0, node = 0;
        for (int k = 0; k < nnode; k++) {
            ck_assert_int_eq(s.order[s.position[k]], k);
            ck_assert_int_eq(s.first[k], n);
            ck_assert_int_eq(s.start[s.position[k] + 1] - s.start[s.position[k]], size[k]);
            n += size[k];
        }
        ck_assert_int_eq(s.n, n);
        for (int p = 0; p < s.npanel; p++) {
            ck_assert_int_eq(s.panels[p].first, node);
            ck_assert_int_eq(s.panels[p].start, s.start[node]);
            node = s.panels[p].last + 1;
            ck_assert_int_eq(s.panels[p].start + s.panels[p].width, s.start[node]);
        }
        ck_assert_int_eq(node, nnode);
    }
    trxi_symbolic_release(context, &s);
}
END_TEST

START_TEST(panels_hold_the_rows_that_elimination_fills)
{
    trxi_symbolic s = {0};
    long stored = 0, needed = 0;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        make_graph(seed);
        ck_assert(trxi_symbolic_make(context, &s, nnode, size, nedge, edges));
        eliminate(&s);
        long nonzeros = 0;
        for (int j = 0; j < nnode; j++) {
            const int own = size[s.order[j]];
            nonzeros += own * (own + 1) / 2;
            for (int i = j + 1; i < nnode; i++) {
                if (!tied[i][j]) continue;
                nonzeros += own * size[s.order[i]];
                int row = trxi_symbolic_row(&s, j, i), known = -1;
                const trxi_panel *panel = &s.panels[s.panel_of[j]];
                if (i <= panel->last) known = s.start[i] - panel->start;
                for (int k = panel->first_below; k < panel->last_below; k++)
                    if (s.below[k] == i) known = s.row[k];
                ck_assert_int_eq(row, known);
            }
        }
        ck_assert_int_eq(s.nonzeros, nonzeros);
        stored += (long)s.nx, needed += nonzeros;
    }
    // diagonal blocks are stored whole, and some zeros
    ck_assert_int_lt(stored, 3 * needed);
    trxi_symbolic_release(context, &s);
}
END_TEST

START_TEST(updates_carry_every_pair_of_rows_to_the_panel_of_the_earlier)
{
    trxi_symbolic s = {0};
    int pairs = 0;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        make_graph(seed);
        ck_assert(trxi_symbolic_make(context, &s, nnode, size, nedge, edges));
        for (int p = 0; p < s.npanel; p++) {
            const trxi_panel *panel = &s.panels[p];
            int k = panel->first_below;
            for (int u = panel->first_update; u < panel->last_update; u++) {
                const trxi_update *update = &s.updates[u];
                const trxi_panel *target = &s.panels[update->panel];
                int row = s.row[k], columns = 0;
                for (int r = update->first_column; r < update->last_column; r++) columns += s.runs[r].count;
                for (int r = update->first_run; r < update->last_run; r++) {
                    ck_assert_int_eq(s.runs[r].from, row);
                    for (int i = 0; i < s.runs[r].count; i++, row++, pairs++) {
                        // a row of the source panel and its row in the target are the same unknown
                        int here = -1, there = -1, to = s.runs[r].to + i;
                        for (int b = panel->first_below; b < panel->last_below; b++)
                            if (s.row[b] <= row) here = s.start[s.below[b]] + row - s.row[b];
                        if (to < target->width) there = target->start + to;
                        for (int b = target->first_below; b < target->last_below; b++)
                            if (s.row[b] <= to) there = s.start[s.below[b]] + to - s.row[b];
                        ck_assert_int_eq(here, there);
                    }
                }
                ck_assert_int_eq(row, panel->rows);
                while (columns > 0) columns -= size[s.order[s.below[k++]]];
                ck_assert_int_eq(columns, 0);
            }
            ck_assert_int_eq(k, panel->last_below);
        }
    }
    ck_assert_int_gt(pairs, 1000);
    trxi_symbolic_release(context, &s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sparse/symbolic");
    TCase *cases = tcase_create("symbolic");
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_add_test(cases, positions_are_a_permutation_with_every_unknown_in_one_panel);
    tcase_add_test(cases, panels_hold_the_rows_that_elimination_fills);
    tcase_add_test(cases, updates_carry_every_pair_of_rows_to_the_panel_of_the_earlier);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
