// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Impacts in a recording (theory 10). A sample is within an impact where the motion of one quantity jumps: with the changes of
// its rates at sample i, over all numbers of the quantity,
//
//     positions, coordinates   d = (x_i+1 - x_i)/(t_i+1 - t_i) - (x_i - x_i-1)/(t_i - t_i-1)
//     rotations                the same with Log(R_i^T R_i+1) for x_i+1 - x_i
//     velocities               d = v_i+1 - v_i-1
//
// |d| is more than JUMP times its median over the recording, more than SLIGHT of the largest rate, and more than PEAK times the
// smaller one of |d| at samples i - AWAY and i + AWAY: a smooth acceleration is large for longer than an impact. A smooth motion
// under noise has a jump of 4 standard deviations less than once in 10,000 samples, and a false jump
// only lets a window begin a few samples later. A jump of the size of the noise is not found. O(rows log rows) for each quantity.

#include "fit/impact.h"

#include "fit/channel.h"
#include "fit/step_channel.h"
#include "math/rotation.h"

#include <math.h>
#include <stdlib.h>

static const double JUMP = 6;       // medians
enum { AWAY = 3 };                  // samples
static const double PEAK = 3;
static const double SLIGHT = 0.05;  // of the largest rate: a smaller change is no impact, even where the median is only rounding

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// adds the squares of a channel's change of rate at sample i, and of its rate after i; false where a sample is missing
static bool add_jump(const trx_fit_problem *problem, const trx_fit_recording *r, const trx_fit_channel *c, int i, double *jump,
                     double *rate)
{
    const double *at[3], before = r->t[i] - r->t[i - 1], after = r->t[i + 1] - r->t[i];
    for (int k = 0; k < 3; k++) {
        const double *row = r->values + (size_t)(i - 1 + k) * (size_t)problem->columns;
        if (trxi_channel_is_missing(c, row)) return false;
        at[k] = row + c->column;
    }
    double first[3] = {at[1][0] - at[0][0]}, second[3] = {at[2][0] - at[1][0]};
    const bool velocity = c->kind == TRX_FIT_VELOCITY;
    if (trxi_channel_is_rotation(c->kind)) {
        trxi_quat_difference(at[1], at[0], first);
        trxi_quat_difference(at[2], at[1], second);
    }
    for (int k = 0; k < trxi_channel_residuals(c->kind); k++) {
        const double change = velocity ? first[k] + second[k] : second[k] / after - first[k] / before;
        const double now = velocity ? at[2][0] : second[k] / after;
        *jump += change * change;
        *rate += now * now;
    }
    return true;
}

// the smaller of the jumps at samples i - AWAY and i + AWAY; near an end of the recording the jump at the only one of them
static double beside(const double *jumps, int rows, int i)
{
    const double before = i - AWAY >= 1 ? jumps[i - AWAY] : INFINITY, behind = i + AWAY < rows - 1 ? jumps[i + AWAY] : INFINITY;
    const double least = fmin(before, behind);
    return isfinite(least) ? least : 0;
}

static void mark_group(const trx_fit_problem *problem, const trx_fit_recording *r, int group, double *jumps, double *sorted,
                       bool *inside)
{
    int count = 0;
    double fastest = 0;
    for (int i = 1; i + 1 < r->rows; i++) {
        bool whole = true;
        double rate = 0;
        jumps[i] = 0;
        for (int c = 0; c < problem->nchannel && whole; c++) {
            const trx_fit_channel *channel = &problem->channels[c];
            if (channel->group != group || trxi_channel_is_of_step(channel->kind)) continue;
            whole = add_jump(problem, r, channel, i, &jumps[i], &rate);
        }
        if (whole) fastest = fmax(fastest, sqrt(rate));
        jumps[i] = whole ? sqrt(jumps[i]) : 0;
        if (jumps[i] > 0) sorted[count++] = jumps[i];
    }
    if (count == 0) return;
    qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
    const double least = fmax(JUMP * sorted[count / 2], SLIGHT * fastest);
    for (int i = 1; i + 1 < r->rows; i++)
        inside[i] = inside[i] || (jumps[i] > least && jumps[i] > PEAK * beside(jumps, r->rows, i));
}

void trxi_impacts_find(const trx_fit_problem *problem, const trx_fit_recording *r, double *scratch, bool *inside)
{
    for (int i = 0; i < r->rows; i++) inside[i] = false;
    for (int g = 0; g < problem->ngroup; g++) mark_group(problem, r, g, scratch, scratch + r->rows, inside);
}

bool trxi_impacts_at(const trx_fit_recording *r, const bool *inside, double t)
{
    int low = 0, high = r->rows; // the first row after t
    while (low < high) {
        const int middle = (low + high) / 2;
        if (r->t[middle] > t) high = middle;
        else low = middle + 1;
    }
    for (int i = low - 2; i <= low + 1; i++) {
        if (i < 1 || i + 1 >= r->rows || !inside[i]) continue;
        if (r->t[i - 1] < t && t < r->t[i + 1]) return true;
    }
    return false;
}
