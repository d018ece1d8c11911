// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The evolution strategy with a diagonal covariance [Ros and Hansen 2008] (theory 10); see evolve.h. With the better half of the
// points x_i = m + s d z_i (d: deviations, z_i normal) in their order, weights w_i, and y = sum w_i z_i:
//
//     m += s d y
//     p_s = (1 - c_s) p_s + sqrt(c_s (2 - c_s) mu) y,           s *= exp(c_s/d_s (|p_s|/E|z| - 1))
//     p = (1 - c) p + h sqrt(c (2 - c) mu) d y,                 d^2 = (1 - c_1 - c_m) d^2 + c_1 p^2 + c_m sum w_i (d z_i)^2
//
// h is 0 while p_s is long, else 1. Cost: the evaluations, and n products per point.

#include "fit/evolve.h"

#include "base/random.h"

#include <math.h>

static bool take(trxi_pool *pool, trxi_evolution *e)
{
    const size_t n = (size_t)e->n, count = (size_t)e->count;
    e->mean = TRXI_POOL(pool, double, n);
    e->deviation = TRXI_POOL(pool, double, n);
    e->path_size = TRXI_POOL(pool, double, n);
    e->path = TRXI_POOL(pool, double, n);
    e->points = TRXI_POOL(pool, double, n * count);
    e->drawn = TRXI_POOL(pool, double, n * count);
    e->weights = TRXI_POOL(pool, double, e->parents);
    e->order = TRXI_POOL(pool, int, count);
    return e->mean && e->deviation && e->path_size && e->path && e->points && e->drawn && e->weights && e->order;
}

static void set_rates(trxi_evolution *e)
{
    const double n = e->n;
    double sum = 0, squares = 0;
    for (int i = 0; i < e->parents; i++) sum += e->weights[i] = log(e->parents + 0.5) - log(i + 1.0);
    for (int i = 0; i < e->parents; i++) {
        e->weights[i] /= sum;
        squares += e->weights[i] * e->weights[i];
    }
    const double mu = e->effective = 1 / squares, faster = (n + 2) / 3;
    e->learn_size = (mu + 2) / (n + mu + 5);
    e->damp_size = 1 + 2 * fmax(0, sqrt((mu - 1) / (n + 1)) - 1) + e->learn_size;
    e->learn_path = (4 + mu / n) / (n + 4 + 2 * mu / n);
    e->learn_one = fmin(1, faster * 2 / ((n + 1.3) * (n + 1.3) + mu));
    e->learn_many = fmin(1 - e->learn_one, faster * 2 * (mu - 2 + 1 / mu) / ((n + 2) * (n + 2) + mu));
    e->length = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
}

trx_status trxi_evolution_begin(trxi_pool *pool, int n, const double *mean, double size, uint64_t seed, trxi_evolution *e)
{
    const int count = 4 + (int)(3 * log((double)n)), even = count < 8 ? 8 : count + count % 2;
    *e = (trxi_evolution){.n = n, .count = even, .parents = even / 2, .size = size, .seed = seed};
    if (!take(pool, e)) return TRX_ERR_MEMORY;
    set_rates(e);
    for (int j = 0; j < n; j++) e->mean[j] = mean[j], e->deviation[j] = 1, e->path[j] = e->path_size[j] = 0;
    return TRX_OK;
}

void trxi_evolution_ask(trxi_evolution *e)
{
    for (int i = 0; i < e->count; i++)
        for (int j = 0; j < e->n; j++) {
            const double z = e->drawn[i * e->n + j] = trxi_random_normal(e->seed, e->draw++);
            e->points[i * e->n + j] = e->mean[j] + e->size * e->deviation[j] * z;
        }
}

static void sort(trxi_evolution *e, const double *costs)
{
    for (int i = 0; i < e->count; i++) {
        int k = i;
        for (; k > 0 && costs[e->order[k - 1]] > costs[i]; k--) e->order[k] = e->order[k - 1];
        e->order[k] = i;
    }
}

void trxi_evolution_tell(trxi_evolution *e, const double *costs)
{
    sort(e, costs);
    double squares = 0;
    for (int j = 0; j < e->n; j++) {
        double y = 0;
        for (int i = 0; i < e->parents; i++) y += e->weights[i] * e->drawn[e->order[i] * e->n + j];
        e->mean[j] += e->size * e->deviation[j] * y;
        double *p = &e->path_size[j];
        *p = (1 - e->learn_size) * *p + sqrt(e->learn_size * (2 - e->learn_size) * e->effective) * y;
        squares += *p * *p;
        e->path[j] = (1 - e->learn_path) * e->path[j]; // its term h follows below, because h needs the length of path_size
        e->points[j] = y;
    }
    const double length = sqrt(squares), kept = 1 - pow(1 - e->learn_size, 2.0 * (e->generation + 1));
    const bool grows = length / sqrt(kept) < (1.4 + 2.0 / (e->n + 1)) * e->length;
    for (int j = 0; j < e->n; j++) {
        const double d = e->deviation[j];
        if (grows) e->path[j] += sqrt(e->learn_path * (2 - e->learn_path) * e->effective) * d * e->points[j];
        double many = 0;
        for (int i = 0; i < e->parents; i++) {
            const double z = e->drawn[e->order[i] * e->n + j];
            many += e->weights[i] * d * d * z * z;
        }
        const double kept_share = 1 - e->learn_one - e->learn_many;
        e->deviation[j] = sqrt(kept_share * d * d + e->learn_one * e->path[j] * e->path[j] + e->learn_many * many);
    }
    e->size *= exp(fmin(1, e->learn_size / e->damp_size * (length / e->length - 1)));
    e->generation++;
}
