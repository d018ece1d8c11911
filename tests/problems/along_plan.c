// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The measure is that of `tractrix check`: the largest difference in a column, relative to the largest entry of the
// column or a thousandth of the largest of the matrix, whichever is larger. Where trx_step_fd finds a kink within its
// increments, there is no reference and the knot is counted instead. One error of differences grows with the increment, another
// with its inverse. If the first increment does not agree, others are tried; a wrong derivative agrees with none.

#include "problems/along_plan.h"

#include "support/support.h"
#include "verify/richardson.h"

#include <math.h>
#include <stdlib.h>
#include <tractrix/verify.h>

static const double INCREMENTS[] = {1e-6, 1e-7, 1e-5}, AGREES = 1e-6, TOLERANCE = 1e-10;

along_plan derivatives_along_plan(trx_context *context, const trx_model *model, trx_sim_settings settings, int steps,
                                  const double *states, const double *controls)
{
    trx_model_size size = trx_model_get_size(model);
    int nx = size.ntangent, nstate = size.nstate;
    size_t na = (size_t)(nx * nx), nb = (size_t)(nx * size.nu);
    double *A = malloc(2 * (na + nb) * sizeof(double)), *F_A = A + na, *B = F_A + na, *F_B = B + nb;
    ck_assert_ptr_nonnull(A);
    trx_sim *sim;
    settings.tolerance = fmin(settings.tolerance, TOLERANCE);
    ck_assert_int_eq(trx_sim_create(context, model, &settings, &sim), TRX_OK);

    along_plan result = {0};
    for (int k = 0; k < steps; k++) {
        const double *x = states + (size_t)k * (size_t)nstate, *u = controls + (size_t)k * (size_t)size.nu;
        double error_A = INFINITY, error_B = INFINITY;
        ck_assert_int_ge(trx_step(sim, x, u, NULL), TRX_OK);
        ck_assert_int_eq(trx_step_jac(sim, A, B), TRX_OK);
        for (size_t i = 0; i < sizeof INCREMENTS / sizeof *INCREMENTS && fmax(error_A, error_B) > AGREES; i++) {
            bool kink = false;
            ck_assert_int_ge(trx_step_fd(sim, x, u, INCREMENTS[i], F_A, F_B, &kink), TRX_OK);
            if (kink || trx_sim_step_info(sim).kink == 0) continue;
            error_A = fmin(error_A, trxi_judge(nx, nx, A, F_A, NULL, 0).error);
            error_B = fmin(error_B, trxi_judge(nx, size.nu, B, F_B, NULL, 0).error);
        }
        if (isinf(error_A)) {
            result.kinks++;
            continue;
        }
        ck_assert(max_magnitude(A, (int)na) > 0 && max_magnitude(B, (int)nb) > 0);
        result.worst_A = fmax(result.worst_A, error_A);
        result.worst_B = fmax(result.worst_B, error_B);
        result.judged++;
    }
    trx_sim_destroy(sim);
    free(A);
    return result;
}
