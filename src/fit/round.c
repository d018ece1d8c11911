// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A minimization as a part of a fit (theory 10); see round.h. This file takes finished minimizations from the saved progress. A
// solver only takes the iteration at which its minimization was interrupted.

#include "fit/round.h"

#include "fit/ipopt.h"
#include "fit/minimize.h"
#include "fit/progress.h"

trx_status trxi_fit_minimize(trx_fit *fit, double rough)
{
    trx_status status;
    if (trxi_progress_recall(fit, &fit->fitted, &status)) return status;
    const bool of_round = rough == 0 && fit->info.rounds >= 0;
    status = fit->ipopt && of_round ? trxi_fit_ipopt_solve(fit) : trxi_fit_descend(fit, rough);
    if (status == TRX_INTERRUPTED) trxi_progress_stop(fit);
    else if (status >= 0) trxi_progress_keep(fit, &fit->fitted, status);
    return status;
}
