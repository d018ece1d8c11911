// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A direction in words (theory 10); see words.h. Shares below a fifth of the largest are not named.

#include "fit/words.h"

#include <math.h>

static const double NAMED_SHARE = 0.2;

static double largest(const trxi_unknowns *u, const double *v)
{
    double most = 0;
    for (int k = 0; k < u->count; k++) most = fmax(most, fabs(v[k]));
    return most;
}

static const char *how_unsure(trxi_pool *pool, double deviation)
{
    return deviation > 1e3 ? "" : trxi_pool_printf(pool, " (standard deviation %.0f %%)", 100 * deviation);
}

// the parameter of an unknown, and whether each recording or each file has its own value
static const char *name_of(trxi_pool *pool, const trxi_unknowns *u, int k)
{
    static const char *const whose[] = {"", " of each recording", " of each file"};
    const trx_fit_parameter *p = &u->parameters[u->parameter_of[k]];
    return trxi_pool_printf(pool, "%s%s", p->name, whose[p->per]);
}

const char *trxi_direction_words(trxi_pool *pool, const trxi_unknowns *u, const double *v, double deviation)
{
    const double most = largest(u, v);
    const char *list = NULL, *sure = how_unsure(pool, deviation);
    double sign = 0;
    int named = 0;
    for (int k = 0; k < u->count && sure; k++) {
        if (fabs(v[k]) < NAMED_SHARE * most) continue;
        const char *name = name_of(pool, u, k);
        if (!name) return NULL;
        if (named == 0) sign = v[k] < 0 ? -1 : 1;
        const char *way = sign * v[k] > 0 ? "up" : "down";
        list = list ? trxi_pool_printf(pool, "%s, %s %s", list, name, way) : trxi_pool_printf(pool, "%s %s", name, way);
        if (!list) return NULL;
        named++;
    }
    if (!list || !sure) return NULL;
    if (named > 1) return trxi_pool_printf(pool, "only a combination is determined: %s leaves all that was recorded as it is%s",
                                           list, sure);
    for (int k = 0; k < u->count; k++) {
        if (fabs(v[k]) != most) continue;
        const char *name = name_of(pool, u, k);
        return name ? trxi_pool_printf(pool, "%s is not determined by these recordings%s", name, sure) : NULL;
    }
    return NULL;
}

const char *trxi_disagreement_words(trxi_pool *pool, const trxi_unknowns *u, int k, double deviation)
{
    return trxi_pool_printf(pool, "%s is not determined: the recordings disagree (standard deviation %.0f %% by the sandwich)",
                            u->parameters[u->parameter_of[k]].name, 100 * deviation);
}
