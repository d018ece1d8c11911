// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A bidirectional tree of configurations (RRT-Connect, Kuffner and LaValle 2000; theory 9). One tree grows by a step towards a
// random configuration, the other grows towards the new configuration until it meets an obstacle or arrives. The path through both
// trees is then shortened: two random points are joined by a straight piece if the piece is free. A straight piece is checked at
// points. The distance to the next point is the clearance that is left, at least a share of the required clearance.

#include "search/path.h"

#include "base/random.h"
#include "search/clearance.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 600, SHORTCUTS = 60 };
static const double RESOLUTION = 0.5; // least distance of two checks, as a share of the clearance [1]
static const double STEP = 10;        // length of the longest new branch, in clearances [1]
static const double ROOM = 0.3;       // samples reach this far beyond start and end, within the limits of the dof [m of reach]

typedef struct tree {
    int count;
    double *q;   // nq x MOST_NODES
    int *parent;
} tree;

typedef struct planner {
    trxi_scout *scout;
    double time;
    uint64_t seed, next; // random numbers
    double *lower, *upper; // range of the samples, per placed dof
    double *sample, *probe; // nq
} planner;

static double draw(planner *p)
{
    return trxi_random_uniform(p->seed, p->next++);
}

// out = a + s (b - a) on the placed dofs; may alias
static void between(const trxi_search_task *task, const double *a, const double *b, double s, double *out)
{
    const size_t bytes = (size_t)task->model->nq * sizeof *out;
    if (out != a) memmove(out, a, bytes);
    for (int i = 0; i < task->ndof; i++) {
        const int at = task->coordinates[i];
        out[at] = a[at] + s * (b[at] - a[at]);
    }
}

// returns the share of the straight piece from a to b that is free
static double free_share(planner *p, const double *a, const double *b)
{
    const trxi_search_task *task = p->scout->task;
    const double length = trxi_clearance_travel(task, a, b), least = RESOLUTION * task->clearance;
    double done = 0;
    for (;;) {
        const double next = fmin(length, done + least);
        between(task, a, b, length > 0 ? next / length : 1, p->probe);
        const double clear = trxi_clearance(p->scout, p->probe, p->time);
        if (clear < 0) return length > 0 ? done / length : 0;
        if (next >= length) return 1;
        done = fmin(length, next + fmax(0, 0.8 * clear - least));
    }
}

// ---- trees ----

static int nearest(const trxi_search_task *task, const tree *t, const double *q)
{
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < t->count; i++) {
        const double d = trxi_clearance_travel(task, t->q + (size_t)i * (size_t)task->model->nq, q);
        if (d < least) least = d, best = i;
    }
    return best;
}

static const double *node(const trxi_search_task *task, const tree *t, int i)
{
    return t->q + (size_t)i * (size_t)task->model->nq;
}

// Grows the tree from its nearest node towards q by at most `length`. Returns the new node, or -1.
static int extend(planner *p, tree *t, const double *q, double length)
{
    const trxi_search_task *task = p->scout->task;
    if (t->count == MOST_NODES) return -1;
    const int from = nearest(task, t, q);
    const double whole = trxi_clearance_travel(task, node(task, t, from), q), share = whole > length ? length / whole : 1;
    double *made = t->q + (size_t)t->count * (size_t)task->model->nq;
    between(task, node(task, t, from), q, share, made);
    const double free = free_share(p, node(task, t, from), made);
    if (free * share * whole < 2 * RESOLUTION * task->clearance && whole > 0) return -1;
    between(task, node(task, t, from), q, free < 1 ? 0.95 * free * share : share, made);
    t->parent[t->count] = from;
    return t->count++;
}

static void draw_configuration(planner *p)
{
    const trxi_search_task *task = p->scout->task;
    for (int i = 0; i < task->ndof; i++)
        p->sample[task->coordinates[i]] = p->lower[i] + draw(p) * (p->upper[i] - p->lower[i]);
}

// grows the trees until a node of one coincides with a node of the other; returns false if this fails
static bool connect(planner *p, tree *a, tree *b, int *on_a, int *on_b)
{
    const trxi_search_task *task = p->scout->task;
    tree *growing = a, *other = b;
    if (free_share(p, a->q, b->q) == 1) return *on_a = *on_b = 0, true;
    while (a->count < MOST_NODES && b->count < MOST_NODES && p->next < 100 * MOST_NODES) {
        draw_configuration(p);
        const int made = extend(p, growing, p->sample, STEP * task->clearance);
        if (made >= 0) {
            const double *q = node(task, growing, made);
            const int met = extend(p, other, q, INFINITY);
            if (met >= 0 && trxi_clearance_travel(task, node(task, other, met), q) < 1e-9) {
                *on_a = growing == a ? made : met;
                *on_b = growing == a ? met : made;
                return true;
            }
        }
        tree *swap = growing;
        growing = other, other = swap;
    }
    return false;
}

// ---- the path ----

static trx_status start_tree(trxi_pool *pool, const trxi_search_task *task, const double *q, tree *t)
{
    t->q = TRXI_POOL(pool, double, MOST_NODES * task->model->nq);
    t->parent = TRXI_POOL(pool, int, MOST_NODES);
    if (!t->q || !t->parent) return TRX_ERR_MEMORY;
    memcpy(t->q, q, (size_t)task->model->nq * sizeof *q);
    t->parent[0] = -1;
    t->count = 1;
    return TRX_OK;
}

static void choose_range(const trxi_search_task *task, const double *from, const double *to, planner *p)
{
    for (int i = 0; i < task->ndof; i++) {
        const int at = task->coordinates[i];
        const double room = ROOM / task->reach[i];
        p->lower[i] = fmax(task->lower[i], fmin(from[at], to[at]) - room);
        p->upper[i] = fmin(task->upper[i], fmax(from[at], to[at]) + room);
    }
}

static void measure(const trxi_search_task *task, trxi_path *path)
{
    const size_t nq = (size_t)task->model->nq;
    path->at[0] = 0;
    for (int i = 1; i < path->count; i++)
        path->at[i] = path->at[i - 1] + trxi_clearance_travel(task, path->q + nq * (size_t)(i - 1), path->q + nq * (size_t)i);
}

static void append(const trxi_search_task *task, trxi_path *path, const double *q)
{
    const size_t nq = (size_t)task->model->nq;
    memcpy(path->q + nq * (size_t)path->count++, q, nq * sizeof *q);
}

// writes the path from the root of a through the common node to the root of b
static void join(const trxi_search_task *task, const tree *a, int on_a, const tree *b, int on_b, trxi_path *path)
{
    int length = 0;
    for (int i = on_a; i >= 0; i = a->parent[i]) length++;
    const size_t nq = (size_t)task->model->nq;
    path->count = length;
    for (int i = on_a; i >= 0; i = a->parent[i]) memcpy(path->q + nq * (size_t)--length, node(task, a, i), nq * sizeof(double));
    for (int i = on_a == 0 && on_b == 0 ? 0 : b->parent[on_b]; i >= 0; i = b->parent[i]) append(task, path, node(task, b, i));
}

// replaces the part between two points of the path by a straight piece
static void cut(const trxi_search_task *task, trxi_path *path, double s, double t, double *scratch)
{
    const size_t nq = (size_t)task->model->nq;
    double *qs = scratch, *qt = scratch + nq, *kept = scratch + 2 * nq;
    int count = 0;
    trxi_path_locate(task, path, s, qs);
    trxi_path_locate(task, path, t, qt);
    for (int i = 0; i < path->count; i++) {
        if (i > 0 && path->at[i - 1] <= s && path->at[i] > s) {
            memcpy(kept + nq * (size_t)count++, qs, nq * sizeof *qs);
            memcpy(kept + nq * (size_t)count++, qt, nq * sizeof *qt);
        }
        if (path->at[i] <= s || path->at[i] >= t) memcpy(kept + nq * (size_t)count++, path->q + nq * (size_t)i, nq * sizeof *qs);
    }
    memcpy(path->q, kept, nq * (size_t)count * sizeof *kept);
    path->count = count;
    measure(task, path);
}

static void shorten(planner *p, trxi_path *path, double *scratch)
{
    const trxi_search_task *task = p->scout->task;
    const size_t nq = (size_t)task->model->nq;
    measure(task, path);
    for (int i = 0; i < SHORTCUTS && path->count > 2; i++) {
        const double whole = path->at[path->count - 1], a = whole * draw(p), b = whole * draw(p);
        const double s = fmin(a, b), t = fmax(a, b);
        trxi_path_locate(task, path, s, scratch);
        trxi_path_locate(task, path, t, scratch + nq);
        if (trxi_clearance_travel(task, scratch, scratch + nq) > 0.99 * (t - s)) continue;
        if (free_share(p, scratch, scratch + nq) == 1) cut(task, path, s, t, scratch);
    }
}

void trxi_path_locate(const trxi_search_task *task, const trxi_path *path, double at, double *q)
{
    const size_t nq = (size_t)task->model->nq;
    int i = 0;
    while (i + 2 < path->count && path->at[i + 1] < at) i++;
    const double length = path->at[i + 1] - path->at[i], s = length > 0 ? (at - path->at[i]) / length : 1;
    between(task, path->q + nq * (size_t)i, path->q + nq * (size_t)(i + 1), fmin(fmax(s, 0), 1), q);
}

int trxi_path_find(trxi_scout *scout, trxi_pool *pool, const double *from, const double *to, double time, uint64_t seed,
                   trxi_path *path)
{
    const trxi_search_task *task = scout->task;
    const int nq = task->model->nq, most = 2 * MOST_NODES + 2 + 2 * SHORTCUTS;
    planner p = {.scout = scout, .time = time, .seed = seed};
    tree a, b;
    double *clear_from = TRXI_POOL(pool, double, nq), *scratch = TRXI_POOL(pool, double, nq * (most + 4));
    p.sample = TRXI_POOL(pool, double, nq);
    p.probe = TRXI_POOL(pool, double, nq);
    p.lower = TRXI_POOL(pool, double, task->ndof);
    p.upper = TRXI_POOL(pool, double, task->ndof);
    path->q = TRXI_POOL(pool, double, nq * most);
    path->at = TRXI_POOL(pool, double, most);
    if (!clear_from || !scratch || !p.sample || !p.probe || !p.lower || !p.upper || !path->q || !path->at) return TRX_ERR_MEMORY;

    // the path begins with a move to a configuration that keeps the clearance
    memcpy(clear_from, from, (size_t)nq * sizeof *from);
    memcpy(p.sample, from, (size_t)nq * sizeof *from);
    if (!trxi_clearance_gain(scout, clear_from, time)) return 0;
    const bool leaves = trxi_clearance_travel(task, from, clear_from) > 0;
    if (start_tree(pool, task, clear_from, &a) < 0 || start_tree(pool, task, to, &b) < 0) return TRX_ERR_MEMORY;
    choose_range(task, from, to, &p);
    int on_a, on_b;
    if (!connect(&p, &a, &b, &on_a, &on_b)) return 0;
    join(task, &a, on_a, &b, on_b, path);
    shorten(&p, path, scratch);
    if (leaves) {
        memmove(path->q + nq, path->q, (size_t)(nq * path->count) * sizeof *from);
        memcpy(path->q, from, (size_t)nq * sizeof *from);
        path->count++;
        measure(task, path);
    }
    return 1;
}
