// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Anderson's acceleration (theory 4; Walker and Ni, 2011). If the error of an iteration q' = q + e(q) shrinks by a constant
// factor in each of its slowest directions, the last iterations predict its limit. With the changes dq_j, de_j between these
// iterations,
//
//     theta = argmin |e - sum theta_j de_j|^2        q' = q + e - sum theta_j (dq_j + de_j)
//
// The least squares are solved by their normal equations for changes of the length 1, with 1e-14 added to the diagonal: changes
// that are nearly parallel count once.

#include "contact/anderson.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

static int changes(const trxi_anderson *past)
{
    return past->count > 0 ? past->count - 1 : 0;
}

void trxi_anderson_record(const trxi_anderson *past, const trxi_row_block *block, double weight, const double *step,
                          trxi_row_past *row)
{
    row->weight = weight;
    const int n = changes(past), place = n < TRXI_PAST ? n : past->oldest;
    for (int r = 0; r < block->n; r++) {
        if (past->count > 0) row->dpoint[place][r] = row->move[r], row->dstep[place][r] = step[r] - row->step[r];
        row->step[r] = row->move[r] = step[r];
    }
}

void trxi_anderson_end(trxi_anderson *past)
{
    if (past->count <= TRXI_PAST) past->count++;
    else past->oldest = (past->oldest + 1) % TRXI_PAST;
}

// theta; false when the changes are zero
static bool weigh(const trxi_contact_problem *problem, const trxi_island *island, int n, double theta[TRXI_PAST])
{
    static const double least = 1e-14;
    double gram[TRXI_PAST * TRXI_PAST] = {0}, length[TRXI_PAST];
    memset(theta, 0, TRXI_PAST * sizeof *theta);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        const trxi_row_past *row = &problem->rows[k].past;
        for (int j = 0; j < n; j++) {
            theta[j] += row->weight * trxi_row_dot(block, row->dstep[j], row->step);
            for (int i = j; i < n; i++) gram[i + n * j] += row->weight * trxi_row_dot(block, row->dstep[i], row->dstep[j]);
        }
    }

    // scale changes to the length 1: the last changes are short, and contain the slow directions
    for (int j = 0; j < n; j++) {
        length[j] = sqrt(gram[j * (n + 1)]);
        if (!(length[j] > 0)) return false;
    }
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) gram[i + n * j] /= length[i] * length[j];
        gram[j * (n + 1)] += least;
        theta[j] /= length[j];
    }
    if (n == 0 || trxi_cholesky(n, gram, n) >= 0) return false;
    trxi_cholesky_solve(n, gram, n, 1, theta, n);
    for (int j = 0; j < n; j++) theta[j] /= length[j];
    return trxi_all_finite(n, theta);
}

bool trxi_anderson_extrapolate(const trxi_contact_problem *problem, const trxi_island *island, const trxi_anderson *past)
{
    double theta[TRXI_PAST];
    const int n = changes(past);
    if (!weigh(problem, island, n, theta)) return false;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_past *row = &problem->rows[k].past;
        for (int j = 0; j < n; j++)
            for (int r = 0; r < problem->blocks[k].n; r++) row->move[r] -= theta[j] * (row->dpoint[j][r] + row->dstep[j][r]);
    }
    return true;
}
