// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The laws of contact points by their name in a model (theory 4).

#include "contact/law.h"

static const trxi_law *const laws[] = {
    [TRX_LAGGED] = &trxi_lagged,
    [TRX_LAGGED_REGULARIZED] = &trxi_lagged_regularized,
    [TRX_SIMILAR] = &trxi_similar,
    [TRX_SIMILAR_REGULARIZED] = &trxi_similar_regularized,
    [TRX_SAP] = &trxi_sap,
};

const trxi_law *trxi_law_of(trx_approximation approximation)
{
    return laws[approximation];
}
