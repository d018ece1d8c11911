// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The planner's model with less friction at driven bodies (theory 7, model predictive control). A plan uses all the friction that
// its model has: where the plant has less, a finger slips off and the next plan relies on the same friction again. Pairs without an
// actuated side keep their friction, because less friction with the ground would be less caution.

#include "mpc/cautious_model.h"

#include "base/arena.h"
#include "base/context.h"

#include <tractrix/parameters.h>

trx_status trxi_cautious_model(trx_context *context, const trx_model *model, double margin, trx_model **cautious)
{
    const int pairs = trx_model_get_size(model).npair;
    *cautious = NULL;
    if (margin == 0) return TRX_OK;
    trxi_pool *pool = trxi_pool_create(context);
    if (!pool) return TRX_ERR_MEMORY;
    trx_parameter *parameters = TRXI_POOL(pool, trx_parameter, pairs + 1);
    double *values = TRXI_POOL(pool, double, pairs + 1);
    trx_status status = parameters && values ? TRX_OK : TRX_ERR_MEMORY;
    int count = 0;
    for (int i = 0; status >= 0 && i < pairs; i++) {
        const trx_pair_info pair = trx_model_pair(model, i);
        if (!pair.actuated || !(pair.law.friction > 0)) continue;
        parameters[count] = (trx_parameter){TRX_PAIR_FRICTION, i, 0};
        values[count++] = (1 - margin) * pair.law.friction;
    }
    if (status >= 0 && count > 0) status = trx_model_change(context, model, parameters, values, count, cautious);
    trxi_pool_destroy(pool);
    return status;
}
