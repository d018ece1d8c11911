// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The push of trajopt/scenes.h with the objects of one thread of a search.

#ifndef TESTS_SEARCH_LAB_H
#define TESTS_SEARCH_LAB_H

#include "trajopt/scenes.h"

#include "search/task.h"

typedef struct lab {
    push push;
    trxi_pool *pool;
    trxi_search_task task;
    trxi_scout scout;
} lab;

// the pusher at (px, py), the goal of the box at (x, y) with any yaw
static inline void open_lab(lab *l, double px, double py, double x, double y)
{
    static const double free_yaw[3] = {5, 5, 0};
    open_push(&l->push, px, py, x, y, 0);
    l->push.task.problem.steps = 75;
    l->push.task.terms[1].weight = free_yaw;
    l->push.task.terms[1].tolerance = 0;
    l->push.task.terms[4].weight = free_yaw;
    l->pool = trxi_pool_create(l->push.context);
    const trx_plan_settings settings = trx_plan_settings_default();
    ck_assert_int_eq(trxi_task_init(l->push.context, l->pool, &l->push.task.problem, &settings, 1, &l->task), TRX_OK);
    ck_assert_int_eq(trxi_scout_create(l->push.context, l->pool, &l->task, &l->scout), TRX_OK);
}

static inline void close_lab(lab *l)
{
    trxi_scout_destroy(&l->scout);
    trxi_pool_destroy(l->pool);
    close_push(&l->push);
}

#endif
