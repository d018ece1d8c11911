// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Anderson's acceleration (Walker and Ni, 2011) of a fixed point x = F(x), with x the friction bounds of an island of the model
// first_order (theory 4) and f = F(x) - x:
//
//     theta = argmin |f - sum_j theta_j (f - f_j)|_w        over the levels j that are remembered
//     next  = x + f - sum_j theta_j ((x - x_j) + (f - f_j))
//
// The norm weighs each contact with its effective inverse mass w, which makes an energy of an impulse. The normal equations have at
// most TRXI_LEVELS_KEPT - 1 unknowns. A level of friction is convex, and F is smooth but where a contact opens, begins to stick or
// to slide; there the memory misleads for some levels, and F takes over as the old levels leave.

#include "contact/bound_memory.h"

#include "math/dense.h"

enum { MOST = TRXI_LEVELS_KEPT - 1 };

// a share of the largest diagonal entry keeps the normal equations regular
static const double regular = 1e-12;

void trxi_bound_memory_keep(const trxi_contact_problem *problem, const trxi_island *island, const trxi_bound_memory *memory)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        if (problem->blocks[k].n == 3) problem->bounds[k].x[memory->slot] = problem->blocks[k].contact.level.most;
}

// slots of the remembered levels but the last
static int others(const trxi_bound_memory *memory, int slots[MOST])
{
    int count = 0;
    for (int j = 0; j < memory->count; j++)
        if (j != memory->slot) slots[count++] = j;
    return count;
}

// M_ij = <f - f_i, f - f_j>, b_i = <f - f_i, f>
static void add_normal_equations(const trxi_bound_work *h, double w, int slot, const int *slots, int n, double *M, double *b)
{
    for (int i = 0; i < n; i++) {
        const double di = w * (h->f[slot] - h->f[slots[i]]);
        b[i] += di * h->f[slot];
        for (int j = 0; j <= i; j++) M[i + j * n] += di * (h->f[slot] - h->f[slots[j]]);
    }
}

// theta; false when the levels do not differ
static bool weigh(const trxi_contact_problem *problem, const trxi_island *island, int slot, const int *slots, int n, double *theta)
{
    double M[MOST * MOST] = {0}, largest = 0;
    for (int i = 0; i < n; i++) theta[i] = 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        if (problem->blocks[k].n == 3) add_normal_equations(&problem->bounds[k], problem->blocks[k].w, slot, slots, n, M, theta);
    for (int i = 0; i < n; i++) largest = fmax(largest, M[i * (n + 1)]);
    for (int i = 0; i < n; i++) M[i * (n + 1)] += regular * largest;
    if (n == 0 || trxi_cholesky(n, M, n) >= 0) return false;
    trxi_cholesky_solve(n, M, n, 1, theta, n);
    return true;
}

void trxi_bound_memory_advance(const trxi_contact_problem *problem, const trxi_island *island, trxi_bound_memory *memory)
{
    const int slot = memory->slot;
    int slots[MOST];
    double theta[MOST];
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_bound_work *h = &problem->bounds[k];
        if (problem->blocks[k].n == 3) h->f[slot] = problem->blocks[k].contact.level.most - h->x[slot];
    }
    if (memory->count <= slot) memory->count = slot + 1;
    const int n = others(memory, slots);
    memory->slot = (slot + 1) % TRXI_LEVELS_KEPT;
    const int used = weigh(problem, island, slot, slots, n, theta) ? n : 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_block *block = &problem->blocks[k];
        const trxi_bound_work *h = &problem->bounds[k];
        if (block->n != 3) continue;
        double x = h->x[slot], f = h->f[slot];
        for (int i = 0; i < used; i++) x -= theta[i] * (h->x[slot] - h->x[slots[i]]), f -= theta[i] * (h->f[slot] - h->f[slots[i]]);
        block->contact.level.most = fmax((1 - memory->part) * h->x[slot], x + memory->part * f);
    }
}
