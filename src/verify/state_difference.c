// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Tangent differences of states (theory 6); see state_difference.h.

#include "verify/state_difference.h"

#include "model/model.h"

#include <string.h>

void trxi_state_move(const trx_model *model, const double *x, int column, double amount, double *dq, double *out)
{
    const int nq = model->nq, nv = model->nv;
    memcpy(out, x, (size_t)model->nstate * sizeof *x);
    if (column >= nv) {
        out[nq + column - nv] += amount;
        return;
    }
    memset(dq, 0, (size_t)nv * sizeof *dq);
    dq[column] = amount;
    trx_model_integrate(model, x, dq, out);
}

void trxi_state_slope(const trx_model *model, const double *plus, const double *minus, double e, double *D)
{
    trx_model_difference_state(model, plus, minus, D);
    for (int i = 0; i < model->ntangent; i++) D[i] /= 2 * e;
}
