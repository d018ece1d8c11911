// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Orders of graphs whose best order is known. test_against_cholmod.c compares with the order of CHOLMOD.

#include "sparse/order.h"

#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 200 };

static uint64_t edge(int a, int b)
{
    return (uint64_t)a << 32 | (uint64_t)b;
}

// position of each node; fails unless every node has one
static void positions(int nnode, int nedge, const uint64_t *edges, int *position)
{
    int order[MOST], *work = malloc(trxi_order_work(nnode, nedge) * sizeof *work);
    for (int k = 0; k < nnode; k++) position[k] = -1;
    trxi_order(nnode, nedge, edges, work, order);
    free(work);
    for (int k = 0; k < nnode; k++) {
        ck_assert(order[k] >= 0 && order[k] < nnode && position[order[k]] < 0);
        position[order[k]] = k;
    }
}

START_TEST(every_node_without_neighbours_has_a_place)
{
    int position[MOST];
    positions(0, 0, NULL, position);
    positions(1, 0, NULL, position);
    positions(MOST, 0, NULL, position);
}
END_TEST

START_TEST(the_hub_of_a_star_comes_among_the_last_two)
{
    uint64_t edges[MOST];
    int position[MOST];
    for (int b = 1; b < 20; b++) edges[b - 1] = edge(0, b);
    positions(20, 19, edges, position);
    ck_assert_int_ge(position[0], 18);
}
END_TEST

START_TEST(a_chain_is_ordered_without_fill)
{
    // eliminating a node adds an edge if both its neighbours come later in the order
    uint64_t edges[MOST];
    int position[MOST], fill = 0;
    for (int a = 0; a < MOST - 1; a++) edges[a] = edge(a, a + 1);
    positions(MOST, MOST - 1, edges, position);
    for (int a = 1; a < MOST - 1; a++) fill += position[a] < position[a - 1] && position[a] < position[a + 1];
    ck_assert_int_eq(fill, 0);
}
END_TEST

START_TEST(the_version_is_three_numbers)
{
    int numbers[3];
    ck_assert_int_eq(sscanf(trxi_order_version(), "%d.%d.%d", &numbers[0], &numbers[1], &numbers[2]), 3);
    ck_assert_int_ge(numbers[0], 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sparse/order");
    TCase *cases = tcase_create("order");
    tcase_add_test(cases, every_node_without_neighbours_has_a_place);
    tcase_add_test(cases, the_hub_of_a_star_comes_among_the_last_two);
    tcase_add_test(cases, a_chain_is_ordered_without_fill);
    tcase_add_test(cases, the_version_is_three_numbers);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
