// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Excess over limits (theory 4), knot by knot; see limits.h.

#include "judge/limits.h"

#include "model/model.h"

#include <math.h>

static const double JOINT_TOLERANCE = 1e-3, CONTROL_TOLERANCE = 1e-9;

typedef struct bounds {
    double lower, upper, tolerance;
} bounds;

static void add_limit(trxi_limits *limits, const char *name, const char *unit, int column, bounds b)
{
    const int i = limits->count++;
    limits->columns[i] = column;
    limits->lower[i] = b.lower;
    limits->upper[i] = b.upper;
    limits->results[i] = (trx_limit_result){
        .name = name, .tolerance = b.tolerance, .met = true, .knot = -1, .component = "", .unit = unit};
}

static void add_joint(trxi_limits *limits, trxi_pool *pool, const trx_model *model, int joint)
{
    trx_joint_info info = trx_model_joint(model, joint);
    if (info.nv != 1 || (isinf(info.lower) && isinf(info.upper))) return;
    const char *name = trxi_pool_printf(pool, "%s.position", info.name);
    const char *unit = info.type == TRX_JOINT_SLIDE ? "m" : "rad";
    add_limit(limits, name, unit, info.q_index, (bounds){info.lower, info.upper, JOINT_TOLERANCE});
}

static void add_actuator(trxi_limits *limits, trxi_pool *pool, const trx_model *model, int actuator)
{
    trx_actuator_info info = trx_model_actuator(model, actuator);
    if (isinf(info.lower) && isinf(info.upper)) return;
    double tolerance = CONTROL_TOLERANCE;
    if (isfinite(info.lower)) tolerance = fmax(tolerance, CONTROL_TOLERANCE * fabs(info.lower));
    if (isfinite(info.upper)) tolerance = fmax(tolerance, CONTROL_TOLERANCE * fabs(info.upper));
    const char *name = trxi_pool_printf(pool, "u.%s", info.name);
    add_limit(limits, name, trxi_control_unit(model, actuator), -1 - actuator, (bounds){info.lower, info.upper, tolerance});
}

trx_status trxi_limits_begin(trxi_pool *pool, const trx_model *model, trxi_limits *limits)
{
    const trx_model_size size = trx_model_get_size(model);
    const int most = size.njoint + size.nu + 1;
    *limits = (trxi_limits){.results = TRXI_POOL(pool, trx_limit_result, most), .columns = TRXI_POOL(pool, int, most),
                            .lower = TRXI_POOL(pool, double, most), .upper = TRXI_POOL(pool, double, most)};
    if (!limits->results || !limits->columns || !limits->lower || !limits->upper) return TRX_ERR_MEMORY;
    for (int i = 0; i < size.njoint; i++) add_joint(limits, pool, model, i);
    for (int i = 0; i < size.nu; i++) add_actuator(limits, pool, model, i);
    for (int i = 0; i < limits->count; i++)
        if (!limits->results[i].name) return TRX_ERR_MEMORY;
    return TRX_OK;
}

void trxi_limits_take(trxi_limits *limits, int knot, const double *q, const double *u)
{
    for (int i = 0; i < limits->count; i++) {
        const int column = limits->columns[i];
        trx_limit_result *limit = &limits->results[i];
        if (column < 0 ? !u : !q) continue;
        const double value = column < 0 ? u[-1 - column] : q[column];
        const double excess = trxi_excess(value, limits->lower[i], limits->upper[i]);
        if (!(excess > limit->violation)) continue;
        limit->violation = excess;
        limit->knot = knot;
        limit->met = limit->violation <= limit->tolerance;
    }
}
