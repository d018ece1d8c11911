// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Symbolic factorization of a graph; see symbolic.h. The time is linear in the number of blocks of the factor:
//
//     order             AMD (order.c)
//     elimination tree  then its postorder, which makes columns that can share a panel neighbours
//     rows              of each column, by walks up the tree from the neighbours of each row
//     panels            then the updates of later panels by each panel
//
// A panel may store some zeros if it becomes wider: products with wide panels save more time than the zeros cost.

#include "sparse/symbolic.h"

#include "sparse/order.h"

#include <string.h>

bool trxi_array_reserve(trx_context *context, trxi_array *array, size_t used, size_t count, size_t size)
{
    if (count <= array->capacity) return true;
    size_t capacity = 2 * array->capacity > 16 ? 2 * array->capacity : 16;
    if (capacity < count) capacity = count;
    void *larger = trxi_allocate(context, capacity * size);
    if (!larger) return false;
    if (used > 0) memcpy(larger, array->x, used * size);
    trxi_release(context, array->x);
    *array = (trxi_array){larger, capacity};
    return true;
}

void trxi_symbolic_release(trx_context *context, trxi_symbolic *s)
{
    trxi_array *arrays[] = {&s->node_memory,  &s->panel_memory,  &s->edge_memory,
                            &s->below_memory, &s->update_memory, &s->run_memory,
                            &s->order_memory};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) trxi_release(context, arrays[k]->x);
}

static bool open_nodes(trx_context *context, trxi_symbolic *s, int nnode, int nedge)
{
    int **parts[] = {&s->position, &s->order, &s->start,  &s->first,  &s->panel_of,
                     &s->parent,   &s->mark,  &s->height, &s->column, &s->neighbors, &s->around};
    const size_t nparts = sizeof parts / sizeof *parts, length = (size_t)nnode + 1;
    if (!trxi_array_reserve(context, &s->node_memory, 0, nparts * length, sizeof(int)) ||
        !trxi_array_reserve(context, &s->panel_memory, 0, length, sizeof(trxi_panel)) ||
        !trxi_array_reserve(context, &s->edge_memory, 0, 3 * (size_t)nedge + length, sizeof(int)))
        return false;
    for (size_t k = 0; k < nparts; k++) *parts[k] = (int *)s->node_memory.x + k * length;
    s->panels = s->panel_memory.x;
    s->neighbor = s->edge_memory.x;
    s->near = s->neighbor + nedge;
    s->nnode = nnode;
    s->npanel = s->nupdate = s->nrun = 0;
    return true;
}

static bool order_nodes(trx_context *context, trxi_symbolic *s, int nedge, const uint64_t *edges)
{
    if (!trxi_array_reserve(context, &s->order_memory, 0, trxi_order_work(s->nnode, nedge), sizeof(int))) return false;
    trxi_order(s->nnode, nedge, edges, s->order_memory.x, s->order);
    for (int k = 0; k < s->nnode; k++) s->position[s->order[k]] = k;
    return true;
}

// returns the later one of the positions of an edge; *earlier is the other one
static int later(const trxi_symbolic *s, uint64_t edge, int *earlier)
{
    int a = s->position[trxi_first_of(edge)], b = s->position[trxi_second_of(edge)];
    *earlier = a < b ? a : b;
    return a < b ? b : a;
}

// lists the neighbours of each position that stand at earlier positions
static void list_neighbors(trxi_symbolic *s, int nedge, const uint64_t *edges)
{
    int *begin = s->neighbors, j;
    memset(begin, 0, (size_t)(s->nnode + 1) * sizeof *begin);
    for (int k = 0; k < nedge; k++) begin[later(s, edges[k], &j)]++;
    for (int i = 0, sum = 0; i <= s->nnode; i++) sum += begin[i], begin[i] = sum;
    for (int k = nedge - 1; k >= 0; k--) {
        int i = later(s, edges[k], &j);
        s->neighbor[--begin[i]] = j;
    }
}

// lists earlier neighbours, the position itself and later neighbours of each position p in s->near, from s->around[p] on
static void list_around(trxi_symbolic *s)
{
    int *end = s->around;
    memset(end, 0, (size_t)(s->nnode + 1) * sizeof *end);
    for (int i = 0; i < s->nnode; i++) {
        end[i + 1] += s->neighbors[i + 1] - s->neighbors[i] + 1;
        for (int k = s->neighbors[i]; k < s->neighbors[i + 1]; k++) end[s->neighbor[k] + 1]++;
    }
    for (int i = 0; i < s->nnode; i++) end[i + 1] += end[i];
    for (int i = 0; i < s->nnode; i++) s->mark[i] = end[i];
    for (int i = 0; i < s->nnode; i++) {
        for (int k = s->neighbors[i]; k < s->neighbors[i + 1]; k++) s->near[s->mark[i]++] = s->neighbor[k];
        s->near[s->mark[i]++] = i;
        for (int k = s->neighbors[i]; k < s->neighbors[i + 1]; k++) s->near[s->mark[s->neighbor[k]]++] = i;
    }
}

// the parent of a column is its first row below the diagonal, or -1; s->mark holds ancestors, with compressed paths
static void find_parents(trxi_symbolic *s)
{
    for (int i = 0; i < s->nnode; i++) {
        s->parent[i] = s->mark[i] = -1;
        for (int k = s->neighbors[i]; k < s->neighbors[i + 1]; k++)
            for (int j = s->neighbor[k], next; j >= 0 && j != i; j = next) {
                next = s->mark[j];
                s->mark[j] = i;
                if (next < 0) s->parent[j] = i;
            }
    }
}

// writes the postorder of the tree as new positions to s->height; children keep their order; needs no stack
static void find_postorder(trxi_symbolic *s)
{
    int *child = s->mark, *sibling = s->column, *place = s->height, roots = -1, next = 0;
    for (int j = 0; j < s->nnode; j++) child[j] = -1;
    for (int j = s->nnode - 1; j >= 0; j--) {
        int *list = s->parent[j] < 0 ? &roots : &child[s->parent[j]];
        sibling[j] = *list;
        *list = j;
    }
    for (int j = roots; j >= 0;) {
        while (child[j] >= 0) j = child[j];
        for (;;) {
            place[j] = next++;
            if (sibling[j] >= 0 || s->parent[j] < 0) break;
            j = s->parent[j];
        }
        j = sibling[j];
    }
}

static void reorder(trxi_symbolic *s)
{
    int *parent = s->mark;
    for (int j = 0; j < s->nnode; j++) parent[s->height[j]] = s->parent[j] < 0 ? -1 : s->height[s->parent[j]];
    memcpy(s->parent, parent, (size_t)s->nnode * sizeof *parent);
    for (int k = 0; k < s->nnode; k++) s->position[k] = s->height[s->position[k]];
    for (int k = 0; k < s->nnode; k++) s->order[s->position[k]] = k;
}

static void place_unknowns(trxi_symbolic *s, const int *size)
{
    s->n = 0;
    for (int k = 0; k < s->nnode; k++) {
        s->start[k] = s->n;
        s->n += size[s->order[k]];
    }
    s->start[s->nnode] = s->n;
    for (int node = 0, at = 0; node < s->nnode; node++) {
        s->first[node] = at;
        at += size[node];
    }
}

static int size_at(const trxi_symbolic *s, int position)
{
    return s->start[position + 1] - s->start[position];
}

// the nonzero columns of row i are the nodes on the paths up the tree from its neighbours to i. Without `list`, counts the
// nodes below each column in s->column and their scalar rows in s->height. With `list`, writes these nodes to s->below and
// moves s->column from the start of each list to its end
static void walk_rows(trxi_symbolic *s, bool list)
{
    for (int i = 0; i < s->nnode; i++) {
        s->mark[i] = i;
        for (int k = s->neighbors[i]; k < s->neighbors[i + 1]; k++)
            for (int j = s->neighbor[k]; s->mark[j] != i; j = s->parent[j]) {
                s->mark[j] = i;
                if (list) s->below[s->column[j]] = i;
                else s->height[j] += size_at(s, i);
                s->column[j]++;
            }
    }
}

// lists the rows below each node; they ascend because walk_rows takes the rows in this order
static bool list_rows(trx_context *context, trxi_symbolic *s)
{
    int sum = 0;
    memset(s->column, 0, (size_t)(s->nnode + 1) * sizeof *s->column);
    memset(s->height, 0, (size_t)(s->nnode + 1) * sizeof *s->height);
    for (int j = 0; j < s->nnode; j++) s->mark[j] = -1;
    walk_rows(s, false);
    s->nonzeros = 0;
    for (int j = 0; j < s->nnode; j++) {
        const int count = s->column[j], size = size_at(s, j);
        s->nonzeros += (long)size * (size + 1) / 2 + (long)size * s->height[j];
        s->column[j] = sum;
        sum += count;
        s->mark[j] = -1;
    }
    if (!trxi_array_reserve(context, &s->below_memory, 0, 2 * (size_t)sum + 1, sizeof(int))) return false;
    s->below = s->below_memory.x;
    s->row = s->below + sum;
    walk_rows(s, true);
    return true;
}

// returns whether a panel of `width` columns may store `zeros` zeros among `all` numbers
static bool is_relaxed(int width, long zeros, long all)
{
    if (zeros == 0) return true;
    if (width <= 16) return 2 * zeros <= all;
    if (width <= 48) return 8 * zeros <= all;
    return 20 * zeros <= all;
}

static void open_panel(trxi_symbolic *s, int first, int last)
{
    trxi_panel *panel = &s->panels[s->npanel];
    const int start = s->start[first], width = s->start[last + 1] - start;
    const int below = s->height[last];
    *panel = (trxi_panel){.first = first, .last = last, .start = start, .width = width, .rows = width + below,
                          .ld = width + (below + 3) / 4 * 4, .x = s->nx,
                          .first_below = last > 0 ? s->column[last - 1] : 0, .last_below = s->column[last]};
    s->nx += (size_t)panel->ld * (size_t)width;
    for (int k = panel->first_below, row = width; k < panel->last_below; k++) {
        s->row[k] = row;
        row += size_at(s, s->below[k]);
    }
    for (int j = first; j <= last; j++) s->panel_of[j] = s->npanel;
    s->npanel++;
}

// a node joins the panel before it if the node is the parent of the panel's last node, so that the rows of the panel are among the
// rows of the node, and if the wider panel stores few zeros
static void divide_panels(trxi_symbolic *s)
{
    long zeros = 0;
    s->nx = 0;
    for (int j = 0, first = 0; j < s->nnode; j++) {
        const int next = j + 1, width = s->start[next] - s->start[first];
        if (next < s->nnode && s->parent[j] == next) {
            const int own = size_at(s, next);
            const long more = (long)width * (own + s->height[next] - s->height[j]);
            if (is_relaxed(width + own, zeros + more, (long)(width + own) * (width + own + s->height[next]))) {
                zeros += more;
                continue;
            }
        }
        open_panel(s, first, j);
        first = next, zeros = 0;
    }
}

// lengthens the last run if the rows continue it, else adds a run; the runs before `begin` stay unchanged
static bool add_run(trx_context *context, trxi_symbolic *s, int begin, int from, int to, int count)
{
    trxi_run *last = s->nrun > begin ? &s->runs[s->nrun - 1] : NULL;
    if (last && last->from + last->count == from && last->to + last->count == to) {
        last->count += count;
        return true;
    }
    if (!trxi_array_reserve(context, &s->run_memory, (size_t)s->nrun, (size_t)s->nrun + 1, sizeof(trxi_run))) return false;
    s->runs = s->run_memory.x;
    s->runs[s->nrun++] = (trxi_run){from, to, count};
    return true;
}

// lists the rows of `panel` from entry `from` of `below` on, with their rows in `target`
static bool add_rows(trx_context *context, trxi_symbolic *s, const trxi_panel *panel, int from, const trxi_panel *target)
{
    const int begin = s->nrun;
    for (int k = from, t = target->first_below; k < panel->last_below; k++) {
        const int node = s->below[k];
        while (node > target->last && s->below[t] != node) t++;
        int to = node > target->last ? s->row[t] : s->start[node] - target->start;
        if (!add_run(context, s, begin, s->row[k], to, size_at(s, node))) return false;
    }
    return true;
}

static bool add_update(trx_context *context, trxi_symbolic *s, const trxi_panel *panel, int from, int end, int p)
{
    trxi_update update = {.panel = p, .first_run = s->nrun};
    if (!add_rows(context, s, panel, from, &s->panels[p])) return false;
    update.last_run = update.first_column = s->nrun;
    for (int k = from; k < end; k++)
        if (!add_run(context, s, update.first_column, s->row[k], s->start[s->below[k]] - s->panels[p].start,
                     size_at(s, s->below[k])))
            return false;
    update.last_column = s->nrun;
    if (!trxi_array_reserve(context, &s->update_memory, (size_t)s->nupdate, (size_t)s->nupdate + 1, sizeof update)) return false;
    s->updates = s->update_memory.x;
    s->updates[s->nupdate++] = update;
    return true;
}

static bool list_updates(trx_context *context, trxi_symbolic *s, trxi_panel *panel)
{
    panel->first_update = s->nupdate;
    for (int k = panel->first_below, end; k < panel->last_below; k = end) {
        const int target = s->panel_of[s->below[k]];
        for (end = k + 1; end < panel->last_below && s->panel_of[s->below[end]] == target;) end++;
        if (!add_update(context, s, panel, k, end, target)) return false;
    }
    panel->last_update = s->nupdate;
    panel->first_run = s->nrun;
    for (int k = panel->first_below; k < panel->last_below; k++)
        if (!add_run(context, s, panel->first_run, s->row[k], s->start[s->below[k]], size_at(s, s->below[k]))) return false;
    panel->last_run = s->nrun;
    return true;
}

bool trxi_symbolic_make(trx_context *context, trxi_symbolic *s, int nnode, const int *size, int nedge,
                        const uint64_t *edges)
{
    if (!open_nodes(context, s, nnode, nedge) || !order_nodes(context, s, nedge, edges)) return false;
    list_neighbors(s, nedge, edges);
    find_parents(s);
    find_postorder(s);
    reorder(s);
    place_unknowns(s, size);
    list_neighbors(s, nedge, edges);
    list_around(s);
    if (!list_rows(context, s)) return false;
    divide_panels(s);
    for (int p = 0; p < s->npanel; p++)
        if (!list_updates(context, s, &s->panels[p])) return false;
    return true;
}

int trxi_symbolic_row(const trxi_symbolic *s, int own, int below)
{
    const trxi_panel *panel = &s->panels[s->panel_of[own]];
    if (below <= panel->last) return s->start[below] - panel->start;
    int low = panel->first_below, high = panel->last_below - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->below[middle] < below) low = middle + 1;
        else high = middle;
    }
    return s->row[low];
}
