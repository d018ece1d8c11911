// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Interval of a rate, quantiles and rank correlation (theory 7, trials); see statistics.h.

#include "trial/statistics.h"

#include <math.h>
#include <stdlib.h>

static const double NORMAL_975 = 1.959963984540054; // quantile 0.975 of the standard normal distribution

void trxi_wilson(int successes, int count, double *low, double *high)
{
    const double n = count, z2 = NORMAL_975 * NORMAL_975, rate = successes / n;
    const double middle = (rate + z2 / (2 * n)) / (1 + z2 / n);
    const double half = NORMAL_975 * sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)) / (1 + z2 / n);
    *low = successes == 0 ? 0 : fmax(0, middle - half);
    *high = successes == count ? 1 : fmin(1, middle + half);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void trxi_sort(int count, double *values)
{
    qsort(values, (size_t)count, sizeof *values, compare);
}

double trxi_quantile(int count, double *values, double share)
{
    trxi_sort(count, values);
    const double at = share * (count - 1);
    const int low = (int)floor(at), high = low + 1 < count ? low + 1 : low;
    if (values[low] == values[high] || at == low) return values[low];
    return values[low] + (at - low) * (values[high] - values[low]);
}

// moves the index at `from` down the heap to its place
static void sift(const double *values, int *order, int from, int count)
{
    for (int child; (child = 2 * from + 1) < count; from = child) {
        if (child + 1 < count && values[order[child]] < values[order[child + 1]]) child++;
        if (values[order[from]] >= values[order[child]]) return;
        const int other = order[from];
        order[from] = order[child];
        order[child] = other;
    }
}

// the indices in the order of their values, ascending: a heap sort, because qsort cannot pass the values to its comparison
static void sort_indices(int count, const double *values, int *order)
{
    for (int i = 0; i < count; i++) order[i] = i;
    for (int i = count / 2 - 1; i >= 0; i--) sift(values, order, i, count);
    for (int last = count - 1; last > 0; last--) {
        const int largest = order[0];
        order[0] = order[last];
        order[last] = largest;
        sift(values, order, 0, last);
    }
}

// ranks from 0; equal numbers share their mean rank
static void rank(int count, const double *values, double *ranks, int *order)
{
    sort_indices(count, values, order);
    for (int i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && values[order[next]] == values[order[i]];) next++;
        for (int k = i; k < next; k++) ranks[order[k]] = 0.5 * (i + next - 1);
    }
}

double trxi_rank_correlation(int count, const double *a, const double *b, double *ranks, int *order)
{
    double *rank_a = ranks, *rank_b = ranks + count, ab = 0, aa = 0, bb = 0;
    const double mean = 0.5 * (count - 1);
    rank(count, a, rank_a, order);
    rank(count, b, rank_b, order);
    for (int i = 0; i < count; i++) {
        const double da = rank_a[i] - mean, db = rank_b[i] - mean;
        ab += da * db;
        aa += da * da;
        bb += db * db;
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}
