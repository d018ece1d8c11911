// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Statistics of a trial (theory 7, trials).

#ifndef TRXI_TRIAL_STATISTICS_H
#define TRXI_TRIAL_STATISTICS_H

/// 95 % interval of the probability of success after `successes` of `count` independent runs [Wilson 1927].
void trxi_wilson(int successes, int count, double *low, double *high);

/// Sorts finite numbers, the least first.
void trxi_sort(int count, double *values);

/// The quantile `share` of `count` numbers, interpolated linearly between the two nearest ranks. Sorts the numbers.
double trxi_quantile(int count, double *values, double share);

/// Spearman's rank correlation of a and b (count numbers each); equal numbers share their mean rank. 0 when either is constant.
/// scratch: 2 count numbers and count ints.
double trxi_rank_correlation(int count, const double *a, const double *b, double *ranks, int *order);

#endif
